"""Frame buffers of the handheld machine: samples, depth and stencil behind a framebuffer of the trace.

Colours are of 16 bits and depths of 16 bits, whatever the trace asked for: 5-6-5, or 4-4-4-4 where an off-screen target
has alpha (ASSUMED: the paper has screens only). Off-screen targets with other than normalized bytes keep their format.
The screen may be smaller than the trace's window; the engine's own surface then shows the pixels enlarged.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay import formats
from replay.engine.merge_state import requantize_table
from replay.engine.targets import Surface, Targets
from replay.formats import Storage
from replay.handheld.patterns import Pattern
from traceformat.gles import enums as gl
from traceformat.gputrace.accessstream import PLACE_MASK, HandheldMode

__all__ = ["HandheldTarget", "MemoryPlaces"]

_FULL_BITS: Final = 24


class MemoryPlaces:
    """Hands out places in the machine's memory, in units of 16 bits."""

    def __init__(self) -> None:
        self._next = 0

    def take(self, values: int) -> int:
        """First of that many places, at the start of a 1 KiB block; they wrap around after 512 MiB."""
        first = self._next
        self._next += -(-values // 512) * 512
        return first & PLACE_MASK


def _storage_format(surface: Surface, is_screen: bool, precise: bool) -> formats.Format:
    given = surface.format
    if precise or given.storage is not Storage.UNORM8 or max(given.bits) == 0:
        return given
    if is_screen or not given.channels[3]:
        return formats.format_of(gl.GL_RGB565)
    return formats.format_of(gl.GL_RGBA4)


@dataclass(slots=True, eq=False)
class HandheldTarget:
    """What a framebuffer's samples are kept in.

    Each slot of the pattern has planes of the target's size; slots that only edge pixels make are used there alone.

    Parameters
    ----------
    targets : of the trace
    pattern : how pixels are sampled
    width, height : of the machine's planes
    colors : (slots, H, W[, 4]) planes of each draw buffer, None where nothing is written
    formats : of those
    z : (slots, H, W) uint32
    stencil : (slots, H, W) uint8
    z_low, z_high : z-min and z-max of the tiles, rows from the top
    covered : (H, W) uint32 fragments of the frame
    is_screen : the default framebuffer
    is_dirty : drawn to since it was last resolved
    """

    targets: Targets
    pattern: Pattern
    width: int
    height: int
    is_screen: bool
    depth_bits: int
    tile_size: int
    colors: list[NDArray[Any] | None]
    formats: list[formats.Format | None]
    z: NDArray[np.uint32]
    stencil: NDArray[np.uint8]
    z_low: NDArray[np.uint32]
    z_high: NDArray[np.uint32]
    covered: NDArray[np.uint32]
    places: dict[str, int] = field(default_factory=dict)
    is_dirty: bool = False
    is_stale: bool = True

    @classmethod
    def of(cls, targets: Targets, pattern: Pattern, mode: HandheldMode, memory: MemoryPlaces) -> HandheldTarget:
        """Make planes for a framebuffer; contents follow with the first :meth:`load`."""
        is_screen = targets.framebuffer.name == 0
        width, height = targets.width, targets.height
        if is_screen and mode.width:
            width, height = mode.width, mode.height
        planes: list[NDArray[Any] | None] = []
        kept: list[formats.Format | None] = []
        for surface in targets.colors:
            if surface is None:
                planes.append(None)
                kept.append(None)
                continue
            format = _storage_format(surface, is_screen, mode.precise)
            shape = format.shape(pattern.num_slots, height, width)
            planes.append(np.zeros(shape, format.storage.dtype))
            kept.append(format)
        tiles = (-(-height // mode.tile_size), -(-width // mode.tile_size))
        shape = (pattern.num_slots, height, width)
        target = cls(
            targets,
            pattern,
            width,
            height,
            is_screen,
            _FULL_BITS if mode.precise else 16,
            mode.tile_size,
            planes,
            kept,
            np.zeros(shape, np.uint32),
            np.zeros(shape, np.uint8),
            np.zeros(tiles, np.uint32),
            np.zeros(tiles, np.uint32),
            np.zeros((height, width), np.uint32),
        )
        count = target.pitch * target.stored_rows * pattern.stored
        target.places = {
            "z": memory.take(count),
            "color": memory.take(count),
            "stencil": memory.take(count),
            "tile": memory.take(2 * tiles[0] * tiles[1]),
            "screen": memory.take(width * height),
        }
        return target

    @property
    def pitch(self) -> int:
        """Stored pixels of a row; even, so that rows begin with a memory word."""
        return (self.width + (1 if self.pattern.is_shared else 0) + 1) & ~1

    @property
    def stored_rows(self) -> int:
        """Rows of stored pixels."""
        return self.height + (1 if self.pattern.is_shared else 0)

    @property
    def stored_samples(self) -> int:
        """Samples that a clear writes."""
        return self.stored_rows * (self.width + (1 if self.pattern.is_shared else 0)) * self.pattern.stored

    @property
    def max_z(self) -> int:
        """Farthest depth."""
        return (1 << self.depth_bits) - 1

    def scaled(self, rect: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
        """A rectangle of the trace's window on the machine's screen."""
        x, y, width, height = rect
        if (self.width, self.height) == (self.targets.width, self.targets.height):
            return rect
        x0, x1 = (_scale(edge, self.width, self.targets.width) for edge in (x, x + width))
        y0, y1 = (_scale(edge, self.height, self.targets.height) for edge in (y, y + height))
        return x0, y0, x1 - x0, y1 - y0

    def drawn_as(self) -> Targets:
        """The targets in the machine's size, for primitive set-up."""
        return replace(self.targets, width=self.width, height=self.height, samples=1)

    # ------------------------------------------------------------------ contents
    def load(self) -> None:
        """Take over what the engine's surfaces hold, into all samples."""
        rows, columns = self._nearest(self.height, self.targets.height), self._nearest(self.width, self.targets.width)
        for surface, planes, format in zip(self.targets.colors, self.colors, self.formats, strict=True):
            if surface is None or planes is None or format is None:
                continue
            texels = surface.texels[0][rows[:, None], columns]
            if format is not surface.format:
                texels = formats.convert(format, surface.format, texels[None])[0]
            planes[...] = texels
        depth = self.targets.depth
        if depth is None:
            self.z[...] = self.max_z
        else:
            texels = depth.texels[0][rows[:, None], columns]
            self.z[...] = np.rint(self._unit_depth(depth, texels) * self.max_z).astype(np.uint32)
        stencil = self.targets.stencil
        if stencil is not None and stencil.stencil is not None:
            self.stencil[...] = stencil.stencil[0][rows[:, None], columns]
        self.bound_tiles()
        self.is_stale = False

    def bound_tiles(self) -> None:
        """z-min and z-max of all tiles from the depth values."""
        side = self.tile_size
        top_down = self.z[:, ::-1]
        for row in range(self.z_low.shape[0]):
            for column in range(self.z_low.shape[1]):
                tile = top_down[:, row * side : (row + 1) * side, column * side : (column + 1) * side]
                if tile.size:
                    self.z_low[row, column] = tile.min()
                    self.z_high[row, column] = tile.max()

    def store(self, pictures: list[NDArray[Any] | None]) -> None:
        """Write resolved colours, and depth and stencil of the first slot, into the engine's surfaces."""
        rows, columns = self._nearest(self.targets.height, self.height), self._nearest(self.targets.width, self.width)
        for surface, picture, format in zip(self.targets.colors, pictures, self.formats, strict=True):
            if surface is None or picture is None or format is None:
                continue
            texels = picture[rows[:, None], columns]
            if format is not surface.format:
                texels = formats.convert(surface.format, format, texels[None])[0]
            surface.texels[0, : self.targets.height, : self.targets.width] = texels
        depth = self.targets.depth
        if depth is not None:
            unit = self.z[0][rows[:, None], columns] / np.float64(self.max_z)
            depth.texels[0, : self.targets.height, : self.targets.width] = self._depth_texels(depth, unit)
        stencil = self.targets.stencil
        if stencil is not None and stencil.stencil is not None:
            stencil.stencil[0, : self.targets.height, : self.targets.width] = self.stencil[0][rows[:, None], columns]
        self.is_dirty = False

    @staticmethod
    def _nearest(wanted: int, given: int) -> NDArray[np.int64]:
        return (np.arange(wanted) * 2 + 1) * given // (2 * wanted)

    @staticmethod
    def _depth_bits(depth: Surface) -> int:
        bits = depth.format.bits[0]
        return 0 if bits == 32 and depth.format.internal != gl.GL_DEPTH_COMPONENT32 else bits

    def _unit_depth(self, depth: Surface, texels: NDArray[np.uint32]) -> NDArray[np.float64]:
        bits = self._depth_bits(depth)
        if bits == 0:
            return np.clip(np.nan_to_num(texels.view(np.float32)), 0, 1).astype(np.float64)
        return np.clip(texels / np.float64((1 << bits) - 1), 0, 1)

    def _depth_texels(self, depth: Surface, unit: NDArray[np.float64]) -> NDArray[np.uint32]:
        bits = self._depth_bits(depth)
        if bits == 0:
            return unit.astype(np.float32).view(np.uint32)
        return np.rint(unit * ((1 << bits) - 1)).astype(np.uint32)

    def color_surface(self, buffer: int, slot: int) -> Surface:
        """One slot's plane as what the blending kernels write to."""
        surface, planes, format = self.targets.colors[buffer], self.colors[buffer], self.formats[buffer]
        assert surface is not None
        assert planes is not None
        assert format is not None
        return Surface(
            surface.attachment, surface.image, format, planes[slot : slot + 1], None, surface.address, surface.stored
        )

    def requantize(self, buffer: int) -> NDArray[np.uint8]:
        """Nearest value of the format for each byte: (4, 256)."""
        surface = self.color_surface(buffer, 0)
        if surface.format.storage is not Storage.UNORM8:
            return np.repeat(np.arange(256, dtype=np.uint8)[None], 4, axis=0)
        return requantize_table(surface)


def _scale(value: int, wanted: int, given: int) -> int:
    return (2 * value * wanted + given) // (2 * given)
