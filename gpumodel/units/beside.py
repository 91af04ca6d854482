"""The Tile Cache's port as a technique's unit uses it, beside the Tile Fetcher and before it."""

from __future__ import annotations

from numba import types

from gpumodel.units.cache import BLOCKED, HIT, l1_read
from gpumodel.units.events import BUSY, RESOURCE, account
from gpumodel.units.kernels import Int, Record, inner
from gpumodel.units.tile_fetch import BESIDE_SLOT
from gpumodel.units.types import GEOMETRY_T, SYSTEM_T

__all__ = ["read_beside"]


@inner(types.int64(SYSTEM_T, GEOMETRY_T, types.int64, types.int64))
def read_beside(s: Record, g: Record, me: Int, line: Int) -> Int:
    """Read a line of the Parameter Buffer on behalf of the unit ``me``; gives HIT, MISS or BLOCKED.

    After a miss ``beside_waits`` is set until the line is there. What frees a register or room for a request wakes the
    fetcher, not this unit: when it is blocked it asks again in the next cycle.
    """
    c = s.l1[g.tile_cache]
    c.who = s.cost_technique
    found = l1_read(s, c, line, 1 << BESIDE_SLOT)
    if found == BLOCKED:
        account(s, me, RESOURCE)
        return found
    g.beside_port = s.now
    g.beside_waits = 0 if found == HIT else 1
    account(s, me, BUSY)
    return found
