"""Whose texture a line is, and for whom the memory moves it, where costs are counted."""

from __future__ import annotations

from typing import Final

from numba import types

from gpumodel.units.costs import texture_at
from gpumodel.units.kernels import Int, Record, inner
from gpumodel.units.types import SYSTEM_T
from traceformat.gputrace.frametrace import LINE_BYTES, MemoryMap

__all__ = ["charge_texture", "moves", "nothing_moves"]

#: First lines of the textures' region, and of the one behind those that shaders read texels from.
_TEXTURES: Final = MemoryMap.TEXTURES // LINE_BYTES
_BEHIND: Final = (MemoryMap.RENDER_TARGETS + MemoryMap.REGION_BYTES) // LINE_BYTES


@inner(types.void(SYSTEM_T))
def nothing_moves(s: Record) -> None:
    """Let no transfer be under way."""
    s.dram.moves_for = -1
    s.dram.moves_other = 0


@inner(types.void(SYSTEM_T, types.int64, types.int64, types.int64))
def moves(s: Record, who: Int, line: Int, tag: Int) -> None:
    """Let a line be under way, read for the L2 where ``tag`` is negative: a texture's, or another."""
    if tag < 0 and line >= _TEXTURES and line < _BEHIND:
        s.dram.moves_for = who
    else:
        s.dram.moves_other = 1


@inner(types.void(SYSTEM_T, types.int64, types.int64, types.int64))
def charge_texture(s: Record, line: Int, misses: Int, size: Int) -> None:
    """Count misses of a Texture Cache, or bytes that the memory reads for one, for the texture that a line is of."""
    low = 0
    high = s.texture_costs.count
    while low + 1 < high:
        middle = (low + high) // 2
        if texture_at(s.texture_costs, middle).first_line <= line:
            low = middle
        else:
            high = middle
    if high > 0:
        cost = texture_at(s.texture_costs, low)
        cost.primary_misses += misses
        cost.read_bytes += size
