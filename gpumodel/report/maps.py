"""Overdraw and tile-cost maps: arrays from a finished pass, and their pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.frametrace import FrameTrace

if TYPE_CHECKING:
    from gpumodel.machine import MachineFrame
    from gpumodel.pass_run import PassRun

__all__ = [
    "color_ramp",
    "is_mapped",
    "map_picture",
    "map_top",
    "others_text",
    "overdraw_map",
    "shown_pass",
    "side_by_side",
    "tile_cost_map",
    "tile_traffic_map",
]

#: Corners of a perceptual ramp (dark violet, blue, green, yellow: lightness rises evenly), sRGB.
_RAMP: Final = np.array(
    [[12, 7, 36], [58, 30, 110], [50, 90, 140], [34, 140, 135], [90, 190, 90], [200, 220, 50], [253, 245, 170]],
    np.float64,
)


def is_mapped(given: FrameTrace, done: PassRun) -> bool:
    """Whether maps of its frame need a pass: it has the target of the shown one, or says which tiles were redundant."""
    passes = given["passes"]
    default = np.flatnonzero(passes["framebuffer"] == 0)
    shown = int(default[-1]) if len(default) else len(passes["framebuffer"]) - 1
    target = passes["color_address"][:, 0]
    own = done.streams.index
    return own == shown or bool(target[own] == target[shown]) or done.redundancy is not None


def shown_pass(trace: FrameTrace, raw: MachineFrame) -> PassRun | None:
    """Pass whose target is the frame's picture: the last one on the default framebuffer, else the last one."""
    if not raw.passes:
        return None
    framebuffer = trace["passes"]["framebuffer"]
    default = (done for done in reversed(raw.passes) if framebuffer[done.streams.index] == 0)
    return next(default, None) or raw.passes[-1]


def others_text(trace: FrameTrace, raw: MachineFrame, *, by_target: bool = False) -> str:
    """Text behind a map's title where the frame has passes that the map does not show: which one it shows.

    Parameters
    ----------
    by_target : the map shows all passes with the target of the shown one
    """
    shown = shown_pass(trace, raw)
    if shown is None:
        return ""
    target = trace["passes"]["color_address"][:, 0]
    numbers = set(range(len(target)))
    mine = {k for k in numbers if by_target and target[k] == target[shown.streams.index]} | {shown.streams.index}
    if mine == numbers:
        return ""
    passes = f"pass{'es' * (len(mine) > 1)} {', '.join(str(k + 1) for k in sorted(mine))} of {len(numbers)}"
    return f" ({passes} alone)"


def overdraw_map(trace: FrameTrace, raw: MachineFrame, *, shaded: bool = True) -> NDArray[np.uint16]:
    """Fragments a pixel on the target of the shown pass, over all passes with that target.

    Parameters
    ----------
    shaded : fragments that were shaded; False counts all that were rasterized

    Returns
    -------
    (height, width) uint16, row 0 at the bottom
    """
    shown = shown_pass(trace, raw)
    if shown is None:
        return np.zeros((trace.height, trace.width), np.uint16)
    passes = trace["passes"]
    height, width = shown.streams.height, shown.streams.width
    out = np.zeros(((height + 1) // 2 * 2) * ((width + 1) // 2 * 2), np.int64)
    across = (width + 1) // 2 * 2
    for done in raw.passes:
        same = int(passes["color_address"][done.streams.index][0]) == int(
            passes["color_address"][shown.streams.index][0]
        )
        if not same or (done.streams.height, done.streams.width) != (height, width):
            continue
        # A technique may have changed the draws.
        quads = done.tables.trace["quads"]
        count = done.streams.num_quads
        rows = done.streams.quads["row"][:count]
        mask = done.streams.quads["coverage"][:count]
        if shaded:
            mask = done.streams.executed[:count]
        x, y = quads["x"][rows].astype(np.int64) * 2, quads["y"][rows].astype(np.int64) * 2
        for fragment in range(4):
            live = (mask >> fragment & 1).astype(bool)
            place = (y[live] + (fragment >> 1)) * across + x[live] + (fragment & 1)
            out += np.bincount(place, minlength=len(out))
    return np.minimum(out.reshape(-1, across)[:height, :width], 65535).astype(np.uint16)


def tile_cost_map(trace: FrameTrace, raw: MachineFrame) -> NDArray[np.int64]:
    """Cycles from a tile's fetch to its last blended quad, in the shown pass.

    Returns
    -------
    (tiles down, tiles across) int64, row 0 at the bottom
    """
    return _tile_map(trace, raw, lambda tiles: tiles["end"] - tiles["start"])


def tile_traffic_map(trace: FrameTrace, raw: MachineFrame) -> NDArray[np.int64]:
    """Bytes that the memory moves while a tile is in work, whoever asked for them, in the shown pass.

    The flush of a tile falls into the time of the next one; tiles that are in work at once share what is moved.

    Returns
    -------
    (tiles down, tiles across) int64, row 0 at the bottom
    """
    return _tile_map(trace, raw, lambda tiles: tiles["traffic"])


def _tile_map(trace: FrameTrace, raw: MachineFrame, value: Callable[[NDArray[Any]], NDArray[Any]]) -> NDArray[np.int64]:
    """Values of the shown pass's tiles, 0 where none was rendered."""
    shown = shown_pass(trace, raw)
    if shown is None:
        return np.zeros((1, 1), np.int64)
    tiles = shown.streams.tiles
    out = np.zeros((shown.streams.tiles_down, shown.streams.tiles_across), np.int64)
    width, height = raw.tile_size
    out[tiles["y0"] // height, tiles["x0"] // width] = np.where(tiles["end"] >= 0, np.maximum(value(tiles), 0), 0)
    return out


def color_ramp(values: NDArray[Any], top: float) -> NDArray[np.uint8]:
    """Colours of values 0..top: (..., 3) uint8 along a perceptual ramp; 0 is black."""
    position = np.clip(np.asarray(values, np.float64) / max(top, 1e-9), 0, 1) * (len(_RAMP) - 1)
    low = np.minimum(position.astype(np.int64), len(_RAMP) - 2)
    part = (position - low)[..., None]
    colors = _RAMP[low] * (1 - part) + _RAMP[low + 1] * part
    colors[np.asarray(values) == 0] = 0
    rounded: NDArray[np.uint8] = np.rint(colors).astype(np.uint8)
    return rounded


def map_top(values: NDArray[Any]) -> float:
    """Value that the brightest colour stands for: few values lie above it, and none eight times."""
    if not values.size:
        return 1.0
    return max(float(np.percentile(values, 99.5)), float(values.max()) / 8, 1.0)


def map_picture(
    values: NDArray[Any],
    *,
    cell: tuple[int, int],
    title: str,
    unit: str,
    width: int,
    height: int,
    top: float | None = None,
) -> bytes:
    """PNG of a map with a legend below it.

    Parameters
    ----------
    values : (rows, columns), row 0 at the bottom
    cell : width and height of a cell, pixels
    title, unit : text of the legend
    width, height : of the picture without its legend, pixels
    top : value of the brightest colour, for pictures in one scale; larger values have it too, and the legend says so.
        None takes :func:`map_top`

    Returns
    -------
    PNG file
    """
    from io import BytesIO

    from PIL import Image, ImageDraw

    top = map_top(values) if top is None else top
    pixels = color_ramp(values, top).repeat(cell[1], axis=0).repeat(cell[0], axis=1)[:height, :width][::-1]
    bar = 44
    image = Image.new("RGB", (max(pixels.shape[1], 320), pixels.shape[0] + bar), (24, 24, 28))
    image.paste(Image.fromarray(np.ascontiguousarray(pixels)), (0, 0))
    draw = ImageDraw.Draw(image)
    length = image.width - 16
    gradient = color_ramp(np.tile(np.linspace(0.001 * top, top, length), (10, 1)), top)
    image.paste(Image.fromarray(gradient), (8, pixels.shape[0] + 6))
    mean = float(values.mean()) if values.size else 0.0
    draw.text((8, pixels.shape[0] + 22), "0", fill=(230, 230, 230))
    draw.text(
        (image.width // 2 - 120, pixels.shape[0] + 22), f"{title}: mean {mean:,.2f}, max {values.max():,} {unit}",
        fill=(230, 230, 230),
    )  # fmt: skip
    label = f"{top:,.0f}" if top >= 10 else f"{top:.1f}"
    label = f">= {label}" if values.size and values.max() > top else label
    draw.text((image.width - 8 - 7 * len(label), pixels.shape[0] + 22), label, fill=(230, 230, 230))
    stream = BytesIO()
    image.save(stream, "PNG", optimize=False)
    return stream.getvalue()


def side_by_side(maps: Sequence[NDArray[Any]], titles: Sequence[str], *, unit: str) -> bytes:
    """PNG of several maps of one size in one scale, at most four in a row, each with its title and mean above it.

    Parameters
    ----------
    maps : each (rows, columns), row 0 at the bottom
    """
    from io import BytesIO

    from PIL import Image, ImageDraw

    top = max(max((float(values.max()) for values in maps if values.size), default=1.0), 1.0)
    across = min(len(maps), 4)
    height = max(values.shape[0] for values in maps)
    width = max(max(values.shape[1] for values in maps), 240)
    line = 18
    image = Image.new("RGB", (across * (width + 4), -(-len(maps) // across) * (height + line + 4)), (24, 24, 28))
    draw = ImageDraw.Draw(image)
    for number, (values, title) in enumerate(zip(maps, titles, strict=True)):
        x, y = number % across * (width + 4), number // across * (height + line + 4)
        mean = float(values.mean()) if values.size else 0.0
        draw.text((x + 4, y + 3), f"{title}: mean {mean:.2f}, 0 to {top:,.0f} {unit}", fill=(230, 230, 230))
        if values.size:
            image.paste(Image.fromarray(np.ascontiguousarray(color_ramp(values, top)[::-1])), (x, y + line))
    stream = BytesIO()
    image.save(stream, "PNG", optimize=False)
    return stream.getvalue()
