"""Where texels lie in the modelled memory: block-linear addresses in lines of 64 bytes.

ASSUMED layout (no paper gives one; it is what GPUs of the modelled kind do in spirit: two-dimensional locality at
every scale and no power-of-two aliasing of vertical neighbours in a set-associative cache):

* A **line** (64 bytes) holds a rectangle of texels: 8x8 of one byte, 8x4 of two, 4x4 of four, 4x2 of eight, 2x2 of
  sixteen. Compressed formats keep their blocks: a line holds 4x2 blocks of 8 bytes or 2x2 blocks of 16 bytes.
* Lines are grouped in **strips**, columns of 8 lines' width over the whole height: within a strip they go row by
row. So any aligned
  8x8 lines are 4 KiB in one piece.
* A **layer** (cube face, array layer, 3D slice) is its strips from left to right; a **level** its layers; a
**texture** its
  levels from the largest, each beginning on a line of its own.

The line of texel (x, y) of layer z in level l, relative to the region's start, is::

    level_line[l] + z * layer_lines[l] + (lx >> 3) * strip_lines[l] + ly * 8 + (lx & 7),   lx = x // line_width, ly =
    y // line_height

Addresses are handed out in order of creation, 4 KiB aligned, and never reused, until a region of 64 GiB is used up:
then they start again from its base.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from replay.formats.table import Format
from traceformat.errors import ReplayError
from traceformat.gputrace.frametrace import LINE_BYTES, MemoryMap

__all__ = ["STRIP_LINES_LOG2", "AddressAllocator", "LevelLayout", "TextureLayout", "line_extent"]

#: log2 of a strip's width in lines.
STRIP_LINES_LOG2: Final = 3
_STRIP: Final = 1 << STRIP_LINES_LOG2
_PAGE_BYTES: Final = 4096
_EXTENT_OF_BYTES: Final = {1: (8, 8), 2: (8, 4), 4: (4, 4), 8: (4, 2), 16: (2, 2)}


def line_extent(format: Format) -> tuple[int, int]:
    """Width and height in texels of the rectangle that one line holds."""
    if format.codec is not None:
        across, down = (4, 2) if format.block_bytes == 8 else (2, 2)
        return across * format.block[0], down * format.block[1]
    return _EXTENT_OF_BYTES[format.texel_bytes]


@dataclass(frozen=True, slots=True)
class LevelLayout:
    """Place of one level, in lines: of the level, relative to the texture; between layers; between strips."""

    line: int
    layer_lines: int
    strip_lines: int


@dataclass(frozen=True, slots=True)
class TextureLayout:
    """Layout of all levels of one texture.

    Parameters
    ----------
    extent : texels (width, height) of the rectangle in a line
    levels : places of the levels
    num_bytes : bytes of the whole texture
    """

    extent: tuple[int, int]
    levels: tuple[LevelLayout, ...]
    num_bytes: int

    @classmethod
    def of(cls, format: Format, sizes: list[tuple[int, int, int]]) -> TextureLayout:
        """Lay out levels of the given (width, height, layers)."""
        across, down = line_extent(format)
        levels = []
        line = 0
        for width, height, layers in sizes:
            columns, rows = -(-width // across), -(-height // down)
            strip_lines = rows * _STRIP
            layer_lines = -(-columns // _STRIP) * strip_lines
            levels.append(LevelLayout(line, layer_lines, strip_lines))
            line += layer_lines * layers
        return cls((across, down), tuple(levels), line * LINE_BYTES)

    def line_of(self, level: int, x: int, y: int, layer: int = 0) -> int:
        """Line of a texel, relative to the texture's first."""
        place = self.levels[level]
        column, row = x // self.extent[0], y // self.extent[1]
        strip = (column >> STRIP_LINES_LOG2) * place.strip_lines
        return place.line + layer * place.layer_lines + strip + row * _STRIP + (column & (_STRIP - 1))


class AddressAllocator:
    """Hands out base addresses of one region of :class:`~traceformat.gputrace.frametrace.MemoryMap`.

    Parameters
    ----------
    region : first address of the region
    """

    def __init__(self, region: int) -> None:
        self._region = region
        self._next = region

    def allocate(self, num_bytes: int) -> int:
        """Address of ``num_bytes`` new bytes; raises ReplayError if they are more than the region has."""
        size = -(-max(num_bytes, 1) // _PAGE_BYTES) * _PAGE_BYTES
        if size > MemoryMap.REGION_BYTES:
            raise ReplayError(f"an image of {num_bytes} bytes does not fit into a memory region of 64 GiB")
        if self._next + size > self._region + MemoryMap.REGION_BYTES:
            self._next = self._region
        address = self._next
        self._next += size
        return address
