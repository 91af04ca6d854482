"""``gpureplay diff-images``: two pictures, or two folders of frames."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from traceformat.cli.door import Command
from traceformat.cli.options import examples
from traceformat.cli.paths import PNG, InputFile, OutputFile
from traceformat.cli.terminal import console, followed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from replay.imagediff import ImageDifference

__all__ = ["diff_images"]

#: Version of the JSON layout.
SCHEMA: Final = 1
_FRAME_NAME: Final = re.compile(r"frame_\d{4,}\.png")
_PLACES: Final = 6
_EXAMPLES: Final = examples(
    "gpureplay diff-images ours.png reference.png --mask off.png",
    "gpureplay diff-images frames/ golden/ --limit 0.5",
)


@click.command(cls=Command, epilog=_EXAMPLES)
@click.argument("a", type=InputFile())
@click.argument("b", type=InputFile())
@click.option(
    "--threshold", type=click.IntRange(0, 255), default=2, show_default=True, help="Of a channel, in steps of 255."
)
@click.option(
    "--limit",
    type=click.FloatRange(0, 100),
    default=0.0,
    show_default=True,
    metavar="PERCENT",
    help="Share of pixels over the threshold that a picture may have.",
)
@click.option("--alpha", is_flag=True, help="Compare alpha too; left out by default, as a screen does.")
@click.option(
    "--mask",
    type=OutputFile(PNG, is_folder=lambda given: Path(given["a"]).is_dir()),
    metavar="OUT.png",
    help="Picture of what differs, white on black; a folder for two folders.",
)
@click.option("--json", "as_json", is_flag=True, help="JSON on stdout in place of the table.")
def diff_images(a: str, b: str, threshold: int, limit: float, alpha: bool, mask: str | None, as_json: bool) -> None:
    """Tell how far picture B is from its reference A.

    A and B are pictures, or folders with frame_0000.png, frame_0001.png ... Pixels count as different where a channel
    is off by more than the threshold; foreground are the pixels of A unlike its most common colour. Exit status 1 if
    a picture has more different pixels than the limit.
    """
    from gpumodel.report.png import png
    from replay.imagediff import compare_images, difference_mask
    from traceformat.errors import FindingError, UsageError
    from traceformat.output import make_folder, write_output

    pairs = _pairs(Path(a), Path(b))
    folder = make_folder(mask) if mask and Path(a).is_dir() else None
    rows: list[tuple[str, ImageDifference]] = []
    for name, left, right in followed(pairs, len(pairs), "comparing"):
        reference, picture = _read(left, alpha), _read(right, alpha)
        if reference.shape != picture.shape:
            raise UsageError(
                f"{left} is {_size(reference)} and {right} is {_size(picture)}: pictures of one size are compared"
            )
        rows.append((name, compare_images(reference, picture, threshold=threshold)))
        if mask:
            target = folder / name if folder else Path(mask)
            write_output(target, png(difference_mask(reference, picture, threshold=threshold)))
    over = [(name, row) for name, row in rows if 100 * row.share > limit]
    if as_json:
        click.echo(_json(rows, [name for name, _ in over], threshold, limit, alpha), nl=False)
    else:
        _print(rows, threshold)
    if over:
        worst, row = max(over, key=lambda entry: entry[1].share)
        which = f"{len(over)} of {len(rows)} pictures differ" if len(rows) > 1 else f"{b} differs from {a}"
        raise FindingError(
            f"{which} in more than {limit:g} % of the pixels: {100 * row.share:.4g} %"
            + (f" in {worst}" if len(rows) > 1 else "")
        )


def _pairs(a: Path, b: Path) -> list[tuple[str, Path, Path]]:
    """Name and the two files of each comparison; raises UsageError where there is nothing to compare."""
    from traceformat.errors import UsageError

    for path in (a, b):
        if not path.exists():
            raise UsageError(f"{path}: no such file or folder")
    if a.is_dir() != b.is_dir():
        raise UsageError(f"{a} and {b}: two pictures or two folders are compared, not one of each")
    if not a.is_dir():
        return [(b.name, a, b)]
    in_a, in_b = ({entry.name for entry in folder.iterdir() if _FRAME_NAME.fullmatch(entry.name)} for folder in (a, b))
    for folder, found, other in ((a, in_a, in_b), (b, in_b, in_a)):
        if not found:
            raise UsageError(f"{folder}: no pictures named frame_0000.png ... in this folder")
        missing = sorted(other - found)
        if missing:
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise UsageError(f"{folder}: {missing[0]}{more} missing, the other folder has it")
    return [(name, a / name, b / name) for name in sorted(in_a, key=lambda name: (len(name), name))]


def _read(path: Path, alpha: bool) -> NDArray[np.uint8]:
    """Pixels of a picture, (height, width, 3 or 4) uint8; raises UsageError for what is none."""
    import warnings

    import numpy as np
    from PIL import Image, UnidentifiedImageError

    from traceformat.errors import UsageError

    try:
        with warnings.catch_warnings():
            # Pillow warns of pictures that are large and refuses those that are huge; neither is our user's text.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path) as image:
                if image.mode.startswith(("I", "F")):
                    raise UsageError(f"{path}: pictures of 8 bits a channel are compared, not mode {image.mode}")
                return np.asarray(image.convert("RGBA" if alpha else "RGB"))
    except UnidentifiedImageError:
        raise UsageError(f"{path}: not a picture") from None
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise UsageError(f"{path}: cannot be read as a picture: {error}") from None


def _size(pixels: NDArray[np.uint8]) -> str:
    return f"{pixels.shape[1]}x{pixels.shape[0]}"


def _as_json(row: ImageDifference) -> dict[str, Any]:
    return {
        "pixels": row.pixels,
        "different": row.different,
        "share": round(row.share, _PLACES),
        "foreground": row.foreground,
        "foreground_share": round(row.foreground_share, _PLACES),
        "max_difference": row.max_difference,
        "mean_absolute_error": round(row.mean_absolute_error, _PLACES),
        "worst_tile_error": round(row.worst_tile_error, _PLACES),
        "psnr_db": round(row.psnr_db, _PLACES) if math.isfinite(row.psnr_db) else None,
        "ssim": round(row.ssim, _PLACES),
    }


def _json(rows: list[tuple[str, ImageDifference]], over: list[str], threshold: int, limit: float, alpha: bool) -> str:
    """Result as text; ``psnr_db`` is null for pictures that are equal in every bit."""
    import json

    document = {
        "schema": SCHEMA,
        "threshold": threshold,
        "limit_percent": limit,
        "alpha": alpha,
        "pictures": [{"name": name, **_as_json(row)} for name, row in rows],
        "over_limit": over,
    }
    return json.dumps(document, indent=1) + "\n"


def _print(rows: list[tuple[str, ImageDifference]], threshold: int) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("picture", overflow="ellipsis", no_wrap=True)
    for heading in (f"off > {threshold}", "foregr.", "max", "mean", "tile", "PSNR", "SSIM"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, row in rows:
        psnr = f"{row.psnr_db:.2f} dB" if math.isfinite(row.psnr_db) else "equal"
        table.add_row(
            Text(name), f"{row.share:.3%}", f"{row.foreground_share:.3%}", str(row.max_difference),
            f"{row.mean_absolute_error:.3f}", f"{row.worst_tile_error:.2f}", psnr, f"{row.ssim:.5f}",
        )  # fmt: skip
    console().print(table)
