"""Primitive Assembly with clipping and culling.

Hardware: groups shaded vertices into primitives, drops those outside the frustum or facing away, cuts those that cross
it.
Modelled: one primitive a cycle, culled ones too; each piece that clipping leaves takes a cycle and room in the triangle
queue (an entry holds 8 attributes, more take a second one). Vertices leave the output queue when a primitive needs
them.
Left out: the arithmetic of clipping beyond a cycle a piece.
Source: 1 triangle/cycle and the triangle queue (16 entries of 388 bytes), VRO Table 2, RE Table I; 32 entries, thesis
Table 4.1.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.units.capacity import TRIANGLE_RING
from gpumodel.units.events import BUSY, DATA, IDLE, NEVER, QUEUE, account, notify
from gpumodel.units.kernels import Int, Record, inner
from gpumodel.units.types import SYSTEM_T
from gpumodel.units.views import emitted_at, primitive_at

__all__ = ["tick_assembly"]

_RING: Final = TRIANGLE_RING - 1


@inner(types.int64(SYSTEM_T, types.int64))
def tick_assembly(s: Record, frame: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    g = s.frame[frame]
    me = g.u_assembly
    last = g.primitive >= g.primitive_end
    needs = (1 << 40) if last else np.int64(primitive_at(g.primitives, g.primitive).needs)
    taken = 0
    while g.output_count > 0 and g.vertices_taken < needs:
        g.output_count -= 1
        g.vertices_taken += 1
        taken = 1
    if taken:
        for k in range(g.num_processors):
            notify(s, me, g.u_processor + k)
        if last:
            notify(s, me, g.u_fetch_tiles)
    if last:
        account(s, me, IDLE)
        return NEVER
    if g.vertices_taken < needs:
        account(s, me, DATA)
        return NEVER
    primitive = primitive_at(g.primitives, g.primitive)
    if g.piece < primitive.emitted_count:
        row = primitive.emitted_first + g.piece
        if g.triangle_used + emitted_at(g.emitted, row).entries > g.triangle_depth:
            account(s, me, QUEUE)
            return NEVER
        g.triangle[(g.triangle_head + g.triangle_count) & _RING] = row
        g.triangle_count += 1
        g.triangle_used += emitted_at(g.emitted, row).entries
        g.piece += 1
        notify(s, me, g.u_binner)
    else:
        g.primitives_culled += 1
    if g.piece >= primitive.emitted_count:
        g.piece = 0
        g.primitive += 1
        g.primitives_in += 1
        if g.primitive >= g.primitive_end:
            notify(s, me, g.u_fetch_tiles)
    account(s, me, BUSY)
    return s.now + 1
