"""The front of a draw in a few calls: from shaded vertices to quads and plane equations.

What :mod:`~replay.engine.kernels.assembly`, ``clip``, ``planes`` and ``raster`` do one after the other, straight into
the frame's tables. A draw of a few quads takes microseconds here; twenty calls from Python would take a hundred times
as long. Where a table lacks room the kernel stops and says so; it is called again, from where it was, when there is
room. Each takes the address of a :data:`~replay.engine.kernels.records.FRONT`.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import carray

from replay.engine.kernels.access import front_at, interface_at, setup_at, stream_at
from replay.engine.kernels.assembly import assemble
from replay.engine.kernels.clip import clip_primitives
from replay.engine.kernels.multisample import sample_quads
from replay.engine.kernels.planes import attribute_rows, plane_equations
from replay.engine.kernels.raster import count_quads, fill_quads
from replay.kernels import Int, entry
from traceformat.native.access import pointer

__all__ = [
    "DONE",
    "NEED_ARENA",
    "NEED_ATTRIBUTES",
    "NEED_EMITTED",
    "NEED_QUADS",
    "attributes",
    "clip",
    "planes",
    "raster",
    "read_vertices",
]

#: What the kernel returns: done, or which room is lacking (how much is in NEEDED).
DONE: Final = 0
NEED_EMITTED: Final = 1
NEED_ATTRIBUTES: Final = 2
NEED_QUADS: Final = 3
NEED_ARENA: Final = 4


@entry
def read_vertices(address: Int) -> Int:
    """Append the stream to ``vertices``; take clip positions and point sizes from the vertex stage's output rows."""
    r = front_at(address)
    columns = r.columns
    stream = stream_at(r.stream)
    interface = interface_at(r.interface)
    rows = stream.num_rows
    first = r.vertex_first
    if columns.vertices_index != 0:
        column = carray(pointer(columns.vertices_index + 4 * first), rows, np.uint32)
        index = carray(pointer(stream.index), rows, np.uint32)
        for k in range(rows):
            column[k] = index[k]
    if columns.vertices_instance != 0:
        column = carray(pointer(columns.vertices_instance + 4 * first), rows, np.uint32)
        instance = carray(pointer(stream.instance), rows, np.uint32)
        for k in range(rows):
            column[k] = instance[k]
    if columns.vertices_index_address != 0:
        addresses = carray(pointer(columns.vertices_index_address + 8 * first), rows, np.int64)
        position = carray(pointer(stream.position), rows, np.int64)
        size = r.index_bytes
        for k in range(rows):
            addresses[k] = r.index_address + size * position[k] if size != 0 else 0
    if columns.vertices_path != 0:
        column = carray(pointer(columns.vertices_path + 4 * first), rows, np.uint32)
        if r.paths != 0:
            paths = carray(pointer(r.paths), stream.num_lanes, np.uint32)
            lane = carray(pointer(stream.lane), rows, np.uint32)
            for k in range(rows):
                column[k] = paths[lane[k]]
        else:
            for k in range(rows):
                column[k] = np.uint32(r.path)
    lanes = stream.num_lanes
    outputs = carray(pointer(r.outputs), (interface.output_rows, r.output_width), np.float32)
    clip = carray(pointer(r.clip), (max(lanes, 1), 4), np.float32)
    row = interface.position_row
    for k in range(lanes):
        for c in range(4):
            clip[k, c] = outputs[row + c, k] if row >= 0 else np.float32(0.0)
    if r.points == 0:
        return 0
    size = carray(pointer(r.points), max(lanes, 1), np.float32)
    limits = carray(pointer(r.point_sizes), 3, np.float32)
    row = interface.point_row
    for k in range(lanes):
        if row >= 0:
            value = outputs[row, k]
            if np.isnan(value):
                value = np.float32(1.0)
            size[k] = min(max(value, limits[0]), limits[1])
        else:
            size[k] = limits[2]
    return 0


@entry
def clip(address: Int) -> Int:
    """Assemble and clip; 1 if there was room."""
    r = front_at(address)
    columns = r.columns
    stream = stream_at(r.stream)
    interface = interface_at(r.interface)
    r.arena_used = 0
    r.num_quads = 0
    r.num_fragments = 0
    count = r.num_primitives
    primitives = carray(pointer(r.primitives), (count, 3), np.uint32)
    if r.is_assembled == 0:
        run_first = carray(pointer(stream.run_first), stream.num_runs, np.int64)
        run_count = carray(pointer(stream.run_count), stream.num_runs, np.int64)
        assemble(r.mode, run_first, run_count, primitives)
    kind = np.uint8(setup_at(r.setup).kind)
    first = r.primitive_first
    base = r.emitted_first
    room = r.emitted_room
    n = clip_primitives(address)
    r.num_emitted = n
    if n > room:
        r.needed = n
        return 0
    draw = carray(pointer(columns.primitives_draw + 4 * first), count, np.uint32)
    kinds = carray(pointer(columns.primitives_kind + first), count, np.uint8)
    emitted_first = carray(pointer(columns.primitives_emitted_first + 4 * first), count, np.uint32)
    vertex = carray(pointer(columns.primitives_vertex + 12 * first), (count, 3), np.uint32)
    for p in range(count):
        draw[p] = np.uint32(r.draw_row)
        kinds[p] = kind
        emitted_first[p] += np.uint32(base)
        for k in range(3):
            vertex[p, k] = primitives[p, k] + np.uint32(r.vertex_first)
    # What the clipper does not write of ``emitted``.
    own = carray(pointer(r.primitive), n, np.uint32)
    window = carray(pointer(r.window), (n, 3, 4), np.float32)
    primitive = carray(pointer(columns.emitted_primitive + 4 * base), n, np.uint32)
    emitted_draw = carray(pointer(columns.emitted_draw + 4 * base), n, np.uint32)
    num_vertices = carray(pointer(columns.emitted_num_vertices + base), n, np.uint8)
    z = carray(pointer(columns.emitted_z + 12 * base), (n, 3), np.float32)
    inv_w = carray(pointer(columns.emitted_inv_w + 12 * base), (n, 3), np.float32)
    attribute_first = carray(pointer(columns.emitted_attribute_first + 4 * base), n, np.uint32)
    each = 3 * (1 + interface.num_varyings) if r.has_fragments != 0 else 0
    for e in range(n):
        primitive[e] = own[e] + np.uint32(r.primitive_first)
        emitted_draw[e] = np.uint32(r.draw_row)
        num_vertices[e] = kind
        attribute_first[e] = np.uint32(r.attribute_first + each * e) if each else np.uint32(0)
        for k in range(3):
            z[e, k] = window[e, k, 2]
            inv_w[e, k] = window[e, k, 3]
    return 1


@entry
def attributes(address: Int) -> Int:
    """Attributes of emitted primitives, in the frame's table; 1 if there was room."""
    r = front_at(address)
    n = r.num_emitted
    num = interface_at(r.interface).num_varyings
    if 3 * (1 + num) * n > r.attribute_room:
        r.needed = 3 * (1 + num) * n
        return 0
    attribute_rows(address)
    return 1


@entry
def raster(address: Int) -> Int:
    """Count quads and write them; 1 if there was room."""
    r = front_at(address)
    columns = r.columns
    if r.multisampled != 0:
        r.num_quads = sample_quads(address)
    elif r.is_counted == 0:
        r.is_counted = 1
        r.num_quads = count_quads(address)
        counts = carray(pointer(r.counts), r.num_emitted, np.int64)
        start = np.int64(0)
        for e in range(r.num_emitted):
            own = counts[e]
            counts[e] = start
            start += own
    total = r.num_quads
    # One spare row, so that quads can be shaded in pairs.
    if total + 1 > r.quad_room:
        r.needed = total + 1
        return 0
    first = r.quad_first
    emitted = carray(pointer(columns.quads_emitted + 4 * first), total + 1, np.uint32)
    quad_x = carray(pointer(columns.quads_x + 2 * first), total + 1, np.uint16)
    quad_y = carray(pointer(columns.quads_y + 2 * first), total + 1, np.uint16)
    coverage = carray(pointer(columns.quads_coverage + first), total + 1, np.uint8)
    if r.multisampled == 0:
        fill_quads(address)
    coverage[total] = 0
    if total > 0:
        emitted[total] = emitted[total - 1]
        quad_x[total] = quad_x[total - 1]
        quad_y[total] = quad_y[total - 1]
    return 1


@entry
def planes(address: Int) -> Int:
    """Plane equations and facing of each emitted primitive, in the arena; 1 if there was room."""
    r = front_at(address)
    columns = r.columns
    n = r.num_emitted
    words = interface_at(r.interface).plane_words
    needed = 4 * n * words + n
    if needed > r.arena_bytes:
        r.needed = needed
        return 0
    r.planes_at = r.arena
    r.fronts_at = r.arena + 4 * n * words
    r.arena_used = needed
    facing = carray(pointer(columns.primitives_front + r.primitive_first), r.num_primitives, np.uint8)
    primitive = carray(pointer(r.primitive), n, np.uint32)
    fronts = carray(pointer(r.fronts_at), n, np.uint8)
    for e in range(n):
        fronts[e] = facing[primitive[e]]
    plane_equations(address)
    return 1
