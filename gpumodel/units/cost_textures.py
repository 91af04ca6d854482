"""Whose texture a line is, where costs are counted."""

from __future__ import annotations

from numba import types

from gpumodel.units.costs import texture_at
from gpumodel.units.kernels import Int, Record, inner
from gpumodel.units.types import SYSTEM_T

__all__ = ["charge_texture"]


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
