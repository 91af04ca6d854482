"""Redundant tiles: a picture of what was left out and what could have been, and a table of what changed."""

from __future__ import annotations

import csv
import io
from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.tile_redundancy import CAUSES, CHANGED, EQUAL_COLORS, EQUAL_INPUTS
from traceformat.gputrace.frametrace import FrameTrace

if TYPE_CHECKING:
    from gpumodel.machine import MachineFrame
    from gpumodel.pass_run import PassRun

__all__ = ["changes_csv", "redundant_map", "redundant_picture"]

#: Kinds of tiles: colour and legend.
_KINDS: Final = (
    ((46, 46, 54), "changed"),
    ((214, 140, 30), "same colours"),
    ((235, 215, 90), "same inputs"),
    ((70, 130, 200), "not written"),
    ((70, 170, 100), "not rendered"),
    ((220, 40, 60), "collision"),
)
_NOT_WRITTEN: Final = 3
_NOT_RENDERED: Final = 4
_COLLISION: Final = 5


def _explained(raw: MachineFrame) -> PassRun | None:
    """The pass that a technique has looked at."""
    return next((done for done in reversed(raw.passes) if done.redundancy is not None), None)


def redundant_map(raw: MachineFrame) -> NDArray[np.uint8] | None:
    """Kind of each tile, None where no technique has looked.

    Returns
    -------
    (tiles down, tiles across) uint8, row 0 at the bottom: 0 rendered and changed; rendered and written although 1 the
    colours or 2 the inputs are those of its frame buffer; 3 not written, 4 not rendered, 5 either of them by a
    collision of signatures
    """
    done = _explained(raw)
    if done is None or done.redundancy is None:
        return None
    tiles, classes = done.streams.tiles, done.redundancy.classes
    kind = classes.copy()
    skipped, unwritten = tiles["render"] == 0, (tiles["render"] != 0) & (tiles["flush"] == 0)
    kind[unwritten] = np.where(classes[unwritten] == CHANGED, _COLLISION, _NOT_WRITTEN)
    kind[skipped] = np.where(classes[skipped] == EQUAL_INPUTS, _NOT_RENDERED, _COLLISION)
    out = np.zeros((done.streams.tiles_down, done.streams.tiles_across), np.uint8)
    width, height = raw.tile_size
    out[tiles["y0"] // height, tiles["x0"] // width] = kind
    return out


def redundant_picture(raw: MachineFrame) -> bytes | None:
    """PNG of the map with its legend; None where no technique has looked."""
    from PIL import Image, ImageDraw

    kinds = redundant_map(raw)
    if kinds is None:
        return None
    shown = _explained(raw)
    assert shown is not None
    colors = np.array([color for color, _ in _KINDS], np.uint8)
    pixels = colors[kinds].repeat(raw.tile_size[1], axis=0).repeat(raw.tile_size[0], axis=1)
    pixels = pixels[: shown.streams.height, : shown.streams.width][::-1]
    bar = 44
    image = Image.new("RGB", (max(pixels.shape[1], 420), pixels.shape[0] + bar), (24, 24, 28))
    image.paste(Image.fromarray(np.ascontiguousarray(pixels)), (0, 0))
    draw = ImageDraw.Draw(image)
    counts = np.bincount(kinds.reshape(-1), minlength=len(_KINDS))
    column = image.width // 3
    for number, (color, name) in enumerate(_KINDS):
        x, y = 8 + column * (number % 3), pixels.shape[0] + 4 + 20 * (number // 3)
        draw.rectangle((x, y + 2, x + 10, y + 12), fill=color, outline=(120, 120, 130))
        draw.text((x + 16, y), f"{name}: {counts[number]:,}", fill=(230, 230, 230))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def changes_csv(trace: FrameTrace, raw: MachineFrame) -> str | None:
    """Tiles by what changed first in them, draw by draw with its object, most tiles first; None where no inputs were
    compared (``te`` looks at colours alone).
    """
    done = _explained(raw)
    if done is None or done.redundancy is None or done.redundancy.causes is None:
        return None
    causes, draws, objects = done.redundancy.causes, trace["draws"], trace["objects"]
    found = Counter(zip(causes["kind"].tolist(), causes["draw"].tolist(), strict=True))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["changed", "draw", "object", "label", "tiles", "tiles_of_equal_colors"])
    same = Counter(
        zip(
            *(
                causes[name][done.redundancy.classes[causes["tile"]] == EQUAL_COLORS].tolist()
                for name in ("kind", "draw")
            ),
            strict=True,
        )
    )
    for (kind, draw), tiles in sorted(found.items(), key=lambda item: (-item[1], item[0])):
        number: int | str = ""
        label = ""
        if draw >= 0 and objects.num_rows:
            row = int(draws["object"][draw])
            number, label = int(objects["id"][row]), trace.labels[int(objects["label"][row])]
        writer.writerow([CAUSES[kind][0], draw if draw >= 0 else "", number, label, tiles, same[kind, draw]])
    return out.getvalue()
