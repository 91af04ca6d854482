"""``gpureplay quality``: PSNR, SSIM and VSSIM of frames against a reference."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from traceformat.cli.door import Command
from traceformat.cli.options import examples, parse_frames
from traceformat.cli.paths import InputFile
from traceformat.cli.terminal import console, followed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["quality"]

#: Version of the JSON layout.
SCHEMA: Final = 1
_FRAME_NAME: Final = re.compile(r"frame_(\d{4,})\.png")
_EXAMPLES: Final = examples(
    "gpureplay quality ours/ golden/",
    "gpureplay run menu.gltrace -c handheld-2003 -t pooma+zmin --images out",
    "gpureplay quality out/pooma+zmin menu.gltrace --reference supersampled",
)


@click.command(cls=Command, epilog=_EXAMPLES)
@click.argument("a", type=InputFile())
@click.argument("b", type=InputFile())
@click.option(
    "--reference",
    type=click.Choice(["plain", "supersampled"]),
    default="plain",
    show_default=True,
    help="Of traces: B as the engine draws it, or with many samples a pixel and trilinear filters, in the size of A.",
)
@click.option(
    "--grid", type=click.Choice(["2", "4", "8", "16"]), default="16", show_default=True, help="Samples along each axis."
)
@click.option("--frames", metavar="A-B", help="Frames, both included; all that A has by default.")
@click.option("--json", "as_json", is_flag=True, help="JSON on stdout in place of the table.")
def quality(a: str, b: str, reference: str, grid: str, frames: str | None, as_json: bool) -> None:
    """Tell how good the frames A are next to their reference B: PSNR, SSIM, and VSSIM of the sequence.

    A and B are folders with frame_0000.png, frame_0001.png ..., single pictures, or traces, which are replayed.
    """
    from replay.imagediff import compare_images
    from replay.quality import vssim
    from traceformat.errors import UsageError

    ours = dict(_pictures(a, parse_frames(frames), None, 0))
    if not ours:
        raise UsageError(f"{a}: no frames to judge")
    size = next(iter(ours.values())).shape[:2]
    samples = int(grid) if reference == "supersampled" else 0
    theirs = dict(_pictures(b, range(min(ours), max(ours) + 1), size, samples))
    common = sorted(ours.keys() & theirs.keys())
    if len(common) < len(ours):
        missing = sorted(ours.keys() - theirs.keys())
        raise UsageError(f"{b}: has no frame {missing[0]}, which {a} has")
    for number in common:
        if ours[number].shape != theirs[number].shape:
            x, y = (f"{picture.shape[1]}x{picture.shape[0]}" for picture in (ours[number], theirs[number]))
            raise UsageError(f"frame {number} is {x} in {a} and {y} in {b}: frames of one size are compared")
    if min(size) < 11:
        raise UsageError(f"{a}: frames of {size[1]}x{size[0]} pixels are smaller than SSIM's window of 11x11")
    rows = [(number, compare_images(theirs[number], ours[number])) for number in common]
    video = vssim([theirs[number] for number in common], [ours[number] for number in common])
    finite = [row.psnr_db for _, row in rows if math.isfinite(row.psnr_db)]
    document = {
        "schema": SCHEMA,
        "reference": reference,
        "frames": [
            {
                "frame": number,
                "psnr_db": round(row.psnr_db, 6) if math.isfinite(row.psnr_db) else None,
                "ssim": round(row.ssim, 6),
                "vssim": round(video.frames[k], 6),
                "weight": round(video.weights[k], 6),
            }
            for k, (number, row) in enumerate(rows)
        ],
        "psnr_db": round(sum(finite) / len(finite), 6) if len(finite) == len(rows) else None,
        "ssim": round(sum(row.ssim for _, row in rows) / len(rows), 6),
        "vssim": round(video.index, 6),
    }
    if as_json:
        import json

        click.echo(json.dumps(document, indent=1))
        return
    _print(document)


def _pictures(
    path: str, frames: range | None, size: tuple[int, ...] | None, grid: int
) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Frames by number, (height, width, 3) uint8, top row first."""
    import numpy as np
    from PIL import Image, UnidentifiedImageError

    from traceformat.errors import UsageError

    place = Path(path)
    if not place.exists():
        raise UsageError(f"{path}: no such file or folder")
    if not place.is_dir() and place.suffix.lower() != ".png":
        yield from _played(path, frames, size, grid)
        return
    if grid:
        raise UsageError(f"{path}: --reference supersampled renders a trace, and this is none")
    found = [(0, place)]
    if place.is_dir():
        names = [(match, entry) for entry in place.iterdir() if (match := _FRAME_NAME.fullmatch(entry.name))]
        found = sorted((int(match[1]), entry) for match, entry in names)
        if not found:
            raise UsageError(f"{path}: no pictures named frame_0000.png ... in this folder")
    for number, file in found:
        if frames is not None and number not in frames:
            continue
        try:
            with Image.open(file) as image:
                yield number, np.asarray(image.convert("RGB"))
        except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError) as error:
            raise UsageError(f"{file}: cannot be read as a picture: {error}") from None


def _played(
    path: str, frames: range | None, size: tuple[int, ...] | None, grid: int
) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    import replay
    from replay.handheld.player import supersampled
    from traceformat.frame_numbers import check_frames
    from traceformat.gltrace.reader import open_trace

    with open_trace(path) as reader:
        limits = check_frames(path, frames, len(reader.frames))
    played: Iterator[tuple[int, NDArray[np.uint8]]]
    if grid:
        height, width = size or (0, 0)
        played = supersampled(path, width=width, height=height, grid=grid, frames=limits)
    else:
        played = replay.pictures(path, frames=limits)
    for number, picture in followed(played, None if limits is None else limits[1] - limits[0] + 1, "replaying"):
        yield number, picture[::-1, :, :3].copy()


def _print(document: dict[str, object]) -> None:
    from typing import Any

    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("frame", "PSNR", "SSIM", "VSSIM", "weight"):
        table.add_column(heading, justify="right")

    def decibel(value: Any) -> str:
        return "equal" if value is None else f"{value:.2f} dB"

    rows: Any = document["frames"]
    for row in rows:
        table.add_row(
            str(row["frame"]), decibel(row["psnr_db"]), f"{row['ssim']:.5f}", f"{row['vssim']:.5f}",
            f"{row['weight']:.0f}",
        )  # fmt: skip
    table.add_row("all", decibel(document["psnr_db"]), f"{document['ssim']:.5f}", f"{document['vssim']:.5f}", "")
    console().print(table)
