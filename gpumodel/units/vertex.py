"""Vertex Fetcher with the Vertex Cache, and the Vertex Processors.

Hardware: the fetcher walks the index stream, skips vertices whose results are still in the post-transform buffer, and
reads the attributes of the others through the Vertex Cache; processors run the vertex shader; results go on in order.
Modelled: one index a cycle, one line look-up a cycle (an attribute in the line looked up last costs nothing), a vertex
input queue whose entries wait for their lines, one vertex at a time on each processor, entries handed out and results
collected in turn (so in order), a vertex output queue. Where there is an Instruction Cache, a vertex begins when all
lines of its path are in it.
Left out: texture look-ups of vertex shaders take their issue cycle only; format conversion.
Source: thesis §2.2.1, RE §II; queues 16 entries (VRO Table 2, thesis Table 4.1); post-transform reuse ASSUMED
(presets).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.units.cache import BLOCKED, HIT, MISS, fill_due, l1_fill, l1_read
from gpumodel.units.capacity import INPUT_RING
from gpumodel.units.events import (
    BUSY,
    DATA,
    DEPENDENCY,
    IDLE,
    NEVER,
    QUEUE,
    RESOURCE,
    account,
    count_trailing_zeros,
    notify,
)
from gpumodel.units.kernels import Int, Record, inner
from gpumodel.units.state import L1_VERTEX, L1_VERTEX_INSTRUCTION
from gpumodel.units.types import GEOMETRY_T, SYSTEM_T
from gpumodel.units.views import long_at, vertex_at

__all__ = ["tick_vertex_fetcher", "tick_vertex_processor"]

_RING: Final = INPUT_RING - 1


@inner(types.int64(SYSTEM_T, types.int64))
def tick_vertex_fetcher(s: Record, frame: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    g = s.frame[frame]
    c = s.l1[L1_VERTEX]
    worked = 0
    state = IDLE
    if fill_due(s, c):
        waiters = l1_fill(s, c)
        worked = 1
        while waiters:
            slot = count_trailing_zeros(waiters)
            waiters &= waiters - 1
            g.input_pending[slot] -= 1
            if g.input_pending[slot] == 0 and slot == g.input_head:
                for k in range(g.num_processors):
                    notify(s, g.u_vertex, g.u_processor + k)
    if g.row < g.row_end:
        vertex = vertex_at(g.vertices, g.row)
        if vertex.draw != g.draw:
            g.draw = vertex.draw
            notify(s, g.u_vertex, g.u_command)
        if vertex.draw >= g.draws_ready:
            state = DEPENDENCY
        else:
            slot = (g.input_head + g.input_count) & _RING
            opened = g.input_open
            if vertex.shaded and not opened and g.input_count >= g.input_depth:
                state = QUEUE
            else:
                if vertex.shaded and not opened:
                    g.input_open = 1
                    g.input_pending[slot] = 0
                    g.input_row[slot] = g.row
                if g.fetch_line < vertex.line_count:
                    if s.costs.count:
                        c.who = g.cost_first + vertex.draw
                    found = l1_read(
                        s,
                        c,
                        long_at(g.vertex_lines, vertex.line_first + g.fetch_line),
                        (1 << slot) if vertex.shaded else 0,
                    )
                    if found == BLOCKED:
                        state = RESOURCE
                    else:
                        worked = 1
                        g.fetch_line += 1
                        if found == MISS and vertex.shaded:
                            g.input_pending[slot] += 1
                else:
                    # The index alone: its line was read before, and so were all of its attributes' lines.
                    worked = 1
                if state == IDLE and g.fetch_line >= vertex.line_count:
                    g.fetch_line = 0
                    g.row += 1
                    if vertex.shaded:
                        g.input_open = 0
                        g.input_count += 1
                        g.vertices_fetched += 1
                        if g.input_count == 1:
                            for k in range(g.num_processors):
                                notify(s, g.u_vertex, g.u_processor + k)
                    if g.row == g.row_end:
                        # Let the Command Processor go on past draws without vertices.
                        g.draw = g.draw_end
                        notify(s, g.u_vertex, g.u_command)
                        notify(s, g.u_vertex, g.u_fetch_tiles)
    if worked:
        account(s, g.u_vertex, BUSY)
        return s.now + 1
    if state == IDLE and c.mshr_count:
        state = DATA
    account(s, g.u_vertex, state)
    if c.fill_count:
        return np.int64(c.fill_time[c.fill_head])
    return NEVER


@inner(types.int64(SYSTEM_T, GEOMETRY_T, types.int64))
def _fetch_code(s: Record, g: Record, processor: Int) -> Int:
    """Look up the lines of code of the next vertex's path; 1 when all are there."""
    vertex = vertex_at(g.vertices, g.input_row[g.input_head])
    g.code_blocked = 0
    if g.code_waits:
        return 0
    c = s.l1[L1_VERTEX_INSTRUCTION]
    if s.costs.count:
        c.who = g.cost_first + vertex.draw
    while g.code_line < vertex.code_count:
        line = long_at(g.segment_lines, vertex.code_first + g.code_line)
        found = l1_read(s, c, line, 1 << processor)
        if found == BLOCKED:
            g.code_blocked = 1
            return 0
        if found != HIT:
            g.code_waits = 1
            notify(s, g.u_processor + processor, c.owner)
            return 0
        g.code_line += 1
    g.code_line = 0
    return 1


@inner(types.int64(SYSTEM_T, types.int64, types.int64))
def tick_vertex_processor(s: Record, frame: Int, processor: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    g = s.frame[frame]
    me = g.u_processor + processor
    if g.processor_busy[processor] == 1 and s.now >= g.processor_until[processor]:
        if g.output_turn != processor:
            account(s, me, DEPENDENCY)
            return NEVER
        if g.output_count >= g.output_depth:
            account(s, me, QUEUE)
            return NEVER
        g.processor_busy[processor] = 0
        g.output_count += 1
        g.vertices_shaded += 1
        g.output_turn = processor + 1 if processor + 1 < g.num_processors else 0
        notify(s, me, g.u_processor + g.output_turn)
        notify(s, me, g.u_assembly)
    if g.processor_busy[processor] == 0:
        if g.processor_turn != processor or g.input_count == 0 or g.input_pending[g.input_head] > 0:
            if g.input_count == 0:
                account(s, me, IDLE)
            elif g.input_pending[g.input_head] > 0:
                account(s, me, DATA)
            else:
                account(s, me, DEPENDENCY)
            return NEVER
        if g.instruction_cache and _fetch_code(s, g, processor) == 0:
            account(s, me, DATA)
            return s.now + 1 if g.code_blocked else NEVER
        cycles: Int = vertex_at(g.vertices, g.input_row[g.input_head]).cycles
        g.processor_busy[processor] = 1
        g.processor_until[processor] = s.now + max(cycles, 1)
        g.input_head = (g.input_head + 1) & _RING
        g.input_count -= 1
        g.processor_turn = processor + 1 if processor + 1 < g.num_processors else 0
        notify(s, me, g.u_processor + g.processor_turn)
        notify(s, me, g.u_vertex)
        # The state of the others depends on the head of the queue.
        for k in range(g.num_processors):
            notify(s, me, g.u_processor + k)
    account(s, me, BUSY)
    return np.int64(g.processor_until[processor])
