"""Pictures and tile maps as text that a page can hold."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final
from zlib import compress

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from gpumodel.report.maps import map_top, overdraw_map, shown_pass, tile_cost_map, tile_traffic_map

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpumodel.machine import MachineFrame
    from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["LAYERS", "Layers", "draw_masks", "packed", "picture_uri", "shown_size"]

#: Pixels that a page shows of a frame's width.
WIDTH: Final = 480
_QUALITY: Final = 82
#: Layers over a frame's picture: title, unit, what a stored value is divided by.
LAYERS: Final = {
    "fragments": ("Fragments", "shaded fragments a pixel", 100),
    "cycles": ("Cycles", "cycles from a tile's fetch to its last blended quad", 1),
    "bytes": ("Traffic", "bytes moved while a tile is in work", 1),
    "equal": ("Unchanged", "1 where a tile's pixels equal the frame before", 1),
}


def shown_size(width: int, height: int) -> tuple[int, int]:
    """Size of a picture on the page, pixels: no wider than WIDTH."""
    across = min(width, WIDTH)
    return across, max(round(height * across / max(width, 1)), 1)


def picture_uri(picture: NDArray[np.uint8]) -> str:
    """A picture (height, width, 4), row 0 at the bottom, as a data URI of its shown size."""
    image = Image.fromarray(np.ascontiguousarray(picture[::-1, :, :3]))
    size = shown_size(*image.size)
    if size != image.size:
        image = image.resize(size, Image.Resampling.BOX)
    stream = BytesIO()
    image.save(stream, "WEBP", quality=_QUALITY, method=2)
    return _uri("webp", stream.getvalue())


def _uri(kind: str, content: bytes) -> str:
    return f"data:image/{kind};base64,{b64encode(content).decode('ascii')}"


class Layers:
    """Values by tile of a frame, of the target that its picture shows; remembers the frame before."""

    def __init__(self) -> None:
        self._before: NDArray[np.uint8] | None = None

    def of(self, frame: FrameTrace, raw: MachineFrame) -> dict[str, NDArray[np.int64]]:
        """Layers of a frame: (tiles down, tiles across) int64 each, row 0 at the top; none where nothing is shown."""
        before, self._before = self._before, frame.picture
        if shown_pass(frame, raw) is None:
            return {}
        cycles = tile_cost_map(frame, raw)
        maps: dict[str, NDArray[Any]] = {
            "fragments": _tile_means(overdraw_map(frame, raw), raw.tile_size, cycles.shape),
            "cycles": cycles,
            "bytes": tile_traffic_map(frame, raw),
        }
        if before is not None and frame.picture is not None and before.shape == frame.picture.shape:
            differs = (before != frame.picture).any(axis=2)
            if differs.shape == overdraw_map(frame, raw).shape:
                maps["equal"] = _tile_means(differs, raw.tile_size, cycles.shape) == 0
        return {name: values[::-1].astype(np.int64) for name, values in maps.items()}


def _tile_means(values: NDArray[Any], tile: tuple[int, int], shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Means by tile in hundredths, rounded up so that 0 is nothing."""
    width, height = tile
    padded = np.zeros((shape[0] * height, shape[1] * width), np.int64)
    padded[: values.shape[0], : values.shape[1]] = values
    ones = np.zeros_like(padded)
    ones[: values.shape[0], : values.shape[1]] = 1
    sums, areas = (part.reshape(shape[0], height, shape[1], width).sum(axis=(1, 3)) for part in (padded, ones))
    means: NDArray[np.int64] = -(-100 * sums // np.maximum(areas, 1))
    return means


def packed(values: NDArray[np.int64]) -> dict[str, Any]:
    """A map as text: zlib over little-endian uint16, each times ``step`` a value; ``top`` of its own scale."""
    step = max(-(-int(values.max(initial=0)) // 0xFFFF), 1)
    content = np.rint(values / step).astype("<u2").tobytes()
    return {"step": step, "top": map_top(values), "data": b64encode(compress(content, 9)).decode("ascii")}


def draw_masks(frame: FrameTrace, raw: MachineFrame, draws: Sequence[int]) -> dict[int, str]:
    """Fragments that draws have shaded on the shown target, as pictures of the shown size, where there are any."""
    shown = shown_pass(frame, raw)
    if shown is None or not draws:
        return {}
    target = frame["passes"]["color_address"][:, 0]
    height, width = shown.streams.height, shown.streams.width
    across, down = shown_size(width, height)
    place = np.full(max(frame["draws"].num_rows, 1), -1)
    place[list(draws)] = np.arange(len(draws))
    out = np.zeros((len(draws), down, across), bool)
    for done in raw.passes:
        streams = done.streams
        same = target[streams.index] == target[shown.streams.index] and (streams.height, streams.width) == (
            height,
            width,
        )
        count = streams.num_quads
        if not same or not count:
            continue
        quads, mask = streams.quads[:count], streams.executed[:count]
        wanted = np.flatnonzero((mask != 0) & (place[quads["draw"]] >= 0))
        rows = quads["row"][wanted]
        table = done.tables.trace["quads"]
        x, y = table["x"][rows].astype(np.int64) * 2, table["y"][rows].astype(np.int64) * 2
        of = place[quads["draw"][wanted]]
        for f in range(4):
            live = (mask[wanted] >> f & 1).astype(bool)
            column = (x[live] + (f & 1)) * across // width
            row = (height - 1 - y[live] - (f >> 1)) * down // height
            out[of[live], np.clip(row, 0, down - 1), np.clip(column, 0, across - 1)] = True
    return {draw: _mask_uri(pixels) for draw, pixels in zip(draws, out, strict=True) if pixels.any()}


def _mask_uri(pixels: NDArray[np.bool_]) -> str:
    """White where it is set, transparent elsewhere."""
    stream = BytesIO()
    Image.fromarray(pixels.astype(np.uint8) * 255).convert("1").save(stream, "PNG", transparency=0, optimize=True)
    return _uri("png", stream.getvalue())
