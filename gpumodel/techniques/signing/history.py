"""What the tiles of the screen were made of and looked like in the last frames: the oracle of redundancy.

Identities are 64 bits wide and stand for perfect hashes; they tell a signature's collision from true equality, and
classify tiles as Figure 15a of RE does.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.techniques.signing.crc import color_signatures, crc_tables

if TYPE_CHECKING:
    from gpumodel.streams import PassStreams
    from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["Colors", "History", "on_screen", "sign_colors"]

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Colors:
    """Signatures (tiles,) uint32 and identities (tiles,) uint64 of finished tiles, how many bytes they have, and the
    tiles' numbers on the screen.
    """

    value: Array
    identity: Array
    num_bytes: Array
    numbers: Array

    def ordered(self, numbers: Array) -> Colors:
        """Give the same tiles in another order, which a later pass renders them in."""
        at = np.argsort(self.numbers)[numbers]
        return Colors(self.value[at], self.identity[at], self.num_bytes[at], numbers)


def on_screen(numbers: Array, values: Array) -> Array:
    """Values of tiles in rendering order, by their numbers on the screen."""
    out = np.empty_like(values)
    out[numbers] = values
    return out


def sign_colors(trace: FrameTrace, streams: PassStreams) -> Colors:
    """Sign the colours that a pass leaves in its first attachment, tile by tile in rendering order."""
    tiles = streams.tiles
    image = np.ascontiguousarray(trace.pixels[streams.index][0])
    crc, identity = np.zeros(len(tiles), np.uint32), np.zeros(len(tiles), np.uint64)
    x0, y0, width, height = (np.ascontiguousarray(tiles[name]) for name in ("x0", "y0", "width", "height"))
    color_signatures(crc_tables(), x0, y0, width, height, image, crc, identity)
    return Colors(crc, identity, width.astype(np.int64) * height * image.shape[2], streams.tile_numbers)


class History:
    """The last frames' identities of one sequence of equally large passes, by the tiles' numbers on the screen.

    Parameters
    ----------
    depth : frames kept
    """

    def __init__(self, depth: int) -> None:
        self._kept: deque[tuple[Array | None, Array]] = deque(maxlen=depth)

    def add(self, inputs: Array | None, colors: Array) -> None:
        """Take a frame's identities of inputs (None where they were not signed) and of colours."""
        if self._kept and len(self._kept[-1][1]) != len(colors):
            self._kept.clear()
        self._kept.append((inputs, colors))

    def forget(self) -> None:
        """Forget all frames: the sequence is broken."""
        self._kept.clear()

    def classes(self, back: int, inputs: Array | None, colors: Array) -> tuple[int, int, int]:
        """Tiles of equal inputs, of equal colours but other inputs, and of other colours than ``back`` frames ago."""
        if len(self._kept) < back or len(self._kept[-back][1]) != len(colors):
            return 0, 0, len(colors)
        old_inputs, old_colors = self._kept[-back]
        equal = colors == old_colors
        same = equal & (inputs == old_inputs) if inputs is not None and old_inputs is not None else equal & False
        return int(same.sum()), int((equal & ~same).sum()), int((~equal).sum())

    def equal_colors(self, back: int, colors: Array) -> Array:
        """Mask of the tiles that look as they did ``back`` frames ago."""
        if len(self._kept) < back or len(self._kept[-back][1]) != len(colors):
            return np.zeros(len(colors), bool)
        return np.asarray(colors == self._kept[-back][1])
