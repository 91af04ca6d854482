"""The schemes of "Graphics for the Masses" side by side, as its figures show them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gpureplay.capturing import capture_sample
from traceformat.output import make_folder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["draw_handheld_figures"]

_SIZE: Final = "176x144"
#: Frames that are shown of the samples.
_SHOWN: Final = {"testcard": 4, "screensaver": 40, "level": 60, "menu": 239}
#: Frames of the test card, in its order.
_SCENERY, _TRIANGLE, _WORST, _BOARD, _THIN = range(5)
#: Rows of the test card above its plane.
_SKY: Final = 39
_PANEL_GAP, _CAPTION, _FONT = 8, 20, 14
#: The triangle is drawn this small, so that its edges are seen in large pixels.
_SMALL: Final = (55, 45)


def draw_handheld_figures(output: Path) -> None:
    """Capture the samples and write figure_1.png, 7, 8, 9, 10, 11, 12 and 13 beside their traces."""
    folder = make_folder(output)
    traces = {name: folder / f"{name}.gltrace" for name in _SHOWN}
    for name, last in _SHOWN.items():
        capture_sample(name, traces[name], frames=last + 1, size=_SIZE)
    draw = _Figures(folder, traces)
    draw.scenes()
    draw.edges()
    draw.filters()
    draw.blocks()


class _Figures:
    """Draws and writes the figures.

    Parameters
    ----------
    folder : where to
    traces : of the samples
    """

    def __init__(self, folder: Path, traces: dict[str, Path]) -> None:
        self._folder = folder
        self._traces = traces

    def _run(
        self, sample: str, technique: str, frame: int, size: tuple[int, int] = (176, 144)
    ) -> tuple[NDArray[np.uint8], float]:
        """One frame, (height, width, 3) uint8, top row first, and its megabytes without clears and filter pass."""
        from gpumodel.config import load_machine
        from gpumodel.handheld.config import HandheldConfig
        from gpumodel.handheld.run import HandheldRun
        from replay.handheld.player import HandheldFrames

        config = load_machine("handheld-2003", (f"screen.width={size[0]}", f"screen.height={size[1]}"))
        assert isinstance(config, HandheldConfig)
        run = HandheldRun(config, tuple(technique.split("+")) if technique else ())
        with HandheldFrames(self._traces[sample], run.mode, run.sink, frames=(frame, frame)) as played:
            shown = next(played)
        assert shown.picture is not None
        return shown.picture[::-1, :, :3].copy(), run.add(shown).counters["mb"]

    def _write(self, name: str, panels: Sequence[tuple[str, NDArray[np.uint8]]], scale: int, columns: int) -> None:
        """Write pictures side by side, each pixel ``scale`` pixels wide, captions below."""
        import numpy as np
        from PIL import Image, ImageDraw, ImageFont

        from gpumodel.report.png import png
        from traceformat.output import write_output

        font = ImageFont.load_default(_FONT)

        width = max(panel.shape[1] for _, panel in panels) * scale
        height = max(panel.shape[0] for _, panel in panels) * scale
        rows = -(-len(panels) // columns)
        across, down = width + _PANEL_GAP, height + _CAPTION + _PANEL_GAP
        figure = Image.new("RGB", (across * min(columns, len(panels)), down * rows), "white")
        pen = ImageDraw.Draw(figure)
        for number, (caption, panel) in enumerate(panels):
            x, y = number % columns * across, number // columns * down
            picture = Image.fromarray(panel).resize(
                (panel.shape[1] * scale, panel.shape[0] * scale), Image.Resampling.NEAREST
            )
            figure.paste(picture, (x + (width - picture.width) // 2, y))
            pen.text((x + 2, y + height + 1), caption, fill="black", font=font)
        write_output(self._folder / f"{name}.png", png(np.asarray(figure)))

    def scenes(self) -> None:
        """Figures 1, 7 and 10: frames of the screen saver, the menu and the game under the schemes of the paper."""
        schemes: Sequence[tuple[str, str]] = (
            ("nearest, one sample", ""),
            ("POOMA, z-min, one sample", "pooma+zmin"),
            ("POOMA, z-min, FLIPQUAD", "pooma+zmin+flipquad"),
            ("trilinear, one sample", "trilinear"),
        )
        self._compare("figure_1", "screensaver", _SHOWN["screensaver"], schemes, 2, 4)
        last = _SHOWN["menu"]
        screens = [(f"frame {frame}", self._run("menu", schemes[2][1], frame)[0]) for frame in (0, last // 2, last)]
        self._write("figure_7", screens, 3, 3)
        schemes = (
            ("POOMA, one sample", "pooma"),
            ("POOMA, Quincunx", "pooma+quincunx"),
            ("POOMA, FLIPQUAD", "pooma+flipquad"),
        )
        self._compare("figure_10", "level", _SHOWN["level"], schemes, 3, 3)

    def edges(self) -> None:
        """Figures 8 and 9: edges, the worst ones, and thin features under five schemes."""
        schemes = (
            ("one sample", ""), ("2x2", "ss2x2"), ("FLIPQUAD", "flipquad"), ("RGSS", "rgss"), ("Quincunx", "quincunx"),
        )  # fmt: skip
        panels: list[tuple[str, Any]] = [
            (name, self._run("testcard", technique, _TRIANGLE, _SMALL)[0]) for name, technique in schemes
        ]
        columns, rows = _SMALL
        panels += [
            (f"worst edges, {name}", self._run("testcard", technique, _WORST)[0][60 : 60 + rows, 40 : 40 + columns])
            for name, technique in schemes
        ]
        self._write("figure_8", panels, 6, 5)
        panels = [(name, self._run("testcard", technique, _THIN)[0][56:, :110]) for name, technique in schemes]
        self._write("figure_9", panels, 4, 3)

    def filters(self) -> None:
        """Figures 11 and 13 C to E: filters on minified textures."""
        schemes = (
            ("A nearest", ""), ("B bilinear", "bilinear"), ("C bilinear-average", "bilinear-average"),
            ("D trilinear", "trilinear"),
        )  # fmt: skip
        self._compare("figure_11", "testcard", _SCENERY, schemes, 3, 2, _SKY)
        panels = self._representations()
        for name, technique, card in (
            ("C POOMA", "pooma", _SCENERY),
            ("D checkers, bilinear-average", "bilinear-average", _BOARD),
            ("E checkers, trilinear", "trilinear", _BOARD),
            ("checkers, POOMA", "pooma", _BOARD),
        ):
            panels.append((name, self._run("testcard", technique, card)[0][_SKY:]))
        self._write("figure_13", panels, 3, 3)

    def _compare(
        self,
        figure: str,
        sample: str,
        frame: int,
        schemes: Sequence[tuple[str, str]],
        scale: int,
        columns: int,
        first_row: int = 0,
    ) -> None:
        panels = []
        for name, technique in schemes:
            picture, megabytes = self._run(sample, technique, frame)
            panels.append((f"{name} ({megabytes:.2f} MB)", picture[first_row:]))
        self._write(figure, panels, scale, columns)

    @staticmethod
    def _scenery(size: int = 96) -> NDArray[np.uint32]:
        from importlib import import_module

        import numpy as np

        picture: NDArray[np.uint8] = import_module("samples.testcard").scenery(size)
        return np.ascontiguousarray(picture[::-1]).view(np.uint32)[..., 0]

    def _representations(self) -> list[tuple[str, NDArray[np.uint8]]]:
        """Figure 13 A and B: the two representations that overlapping blocks give of a texture."""
        from replay.handheld.textures import compressed
        from traceformat.gputrace.accessstream import HandheldMode

        first, second, _ = compressed(self._scenery(48), HandheldMode())
        # As high as the other panels.
        return [
            (name, _rgb(part).repeat(2, axis=0).repeat(2, axis=1))
            for name, part in (("A blocks from even rows", first), ("B blocks from odd rows", second))
        ]

    def blocks(self) -> None:
        """Figure 12: pictures, compressed, with their distance from the original."""
        from replay.handheld.comparison import dxt1, psnr
        from replay.handheld.textures import compressed
        from traceformat.gputrace.accessstream import HandheldMode

        image = self._scenery()
        panels = [("original", _rgb(image))]
        for name, mode in (
            ("POOMA, dithered", HandheldMode()),
            ("POOMA", HandheldMode(dither=False)),
            ("POOMA, extremes", HandheldMode(dither=False, compressor="extremes")),
        ):
            found = compressed(image, mode)[0]
            panels.append((f"{name}, {psnr(image, found):.1f} dB", _rgb(found)))
        found = dxt1(image)
        panels.append((f"S3TC, {psnr(image, found):.1f} dB", _rgb(found)))
        self._write("figure_12", panels, 3, 5)


def _rgb(words: NDArray[np.uint32]) -> NDArray[np.uint8]:
    import numpy as np

    return np.ascontiguousarray(words).view(np.uint8).reshape(*words.shape, 4)[..., :3].copy()
