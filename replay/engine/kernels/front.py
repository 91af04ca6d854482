"""The front of a draw in a few calls: from shaded vertices to quads and plane equations.

What :mod:`~replay.engine.kernels.assembly`, ``clip``, ``planes`` and ``raster`` do one after the other, straight into
the frame's tables. A draw of a few quads takes microseconds here; twenty calls from Python would take a hundred times
as long. Where a table lacks room the kernel stops and says so; it is called again, from where it was, when there is
room. Each takes the address of a :data:`~replay.engine.kernels.records.FRONT`.
"""

from __future__ import annotations

import numpy as np

from replay.engine.kernels.access import front_at, interface_at, setup_at, stream_at
from replay.engine.kernels.assembly import assemble
from replay.engine.kernels.clip import clip_primitives
from replay.engine.kernels.planes import attribute_rows, plane_equations
from replay.engine.kernels.raster import end_quads, put_quads
from replay.kernels import Int, entry
from traceformat.native.access import array_at, put_four

__all__ = [
    "attributes",
    "clip",
    "planes",
    "raster",
    "read_vertices",
]


@entry
def read_vertices(address: Int) -> Int:
    """Append the stream to ``vertices``; take clip positions and point sizes from the vertex stage's output rows."""
    front = front_at(address)
    columns = front.columns
    stream = stream_at(front.stream)
    interface = interface_at(front.interface)
    rows = stream.num_rows
    first = front.vertex_first
    if columns.vertices_index != 0:
        column = array_at(columns.vertices_index + 4 * first, rows, np.uint32)
        index = array_at(stream.index, rows, np.uint32)
        for k in range(rows):
            column[k] = index[k]
    if columns.vertices_instance != 0:
        column = array_at(columns.vertices_instance + 4 * first, rows, np.uint32)
        instance = array_at(stream.instance, rows, np.uint32)
        for k in range(rows):
            column[k] = instance[k]
    if columns.vertices_index_address != 0:
        addresses = array_at(columns.vertices_index_address + 8 * first, rows, np.int64)
        position = array_at(stream.position, rows, np.int64)
        # What is read from a record within a loop is read anew each time: stores might have changed it.
        size, start = front.index_bytes, front.index_address
        for k in range(rows):
            addresses[k] = start + size * position[k] if size != 0 else 0
    if columns.vertices_path != 0:
        column = array_at(columns.vertices_path + 4 * first, rows, np.uint32)
        if front.paths != 0:
            paths = array_at(front.paths, stream.num_lanes, np.uint32)
            lane = array_at(stream.lane, rows, np.uint32)
            for k in range(rows):
                column[k] = paths[lane[k]]
        else:
            path = np.uint32(front.path)
            for k in range(rows):
                column[k] = path
    lanes = stream.num_lanes
    outputs = array_at(front.outputs, (interface.output_rows, front.output_width), np.float32)
    clip = array_at(front.clip, 4 * lanes, np.float32)
    row = interface.position_row
    places = front.clip
    for k in range(lanes if row >= 0 else 0):
        put_four(places + 16 * k, outputs[row, k], outputs[row + 1, k], outputs[row + 2, k], outputs[row + 3, k])
    for k in range(4 * lanes if row < 0 else 0):
        clip[k] = np.float32(0.0)
    if front.points == 0:
        return 0
    size = array_at(front.points, max(lanes, 1), np.float32)
    limits = array_at(front.point_sizes, 3, np.float32)
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
    front = front_at(address)
    columns = front.columns
    stream = stream_at(front.stream)
    interface = interface_at(front.interface)
    front.arena_used = 0
    front.num_quads = 0
    front.num_fragments = 0
    count = front.num_primitives
    primitives = array_at(front.primitives, (count, 3), np.uint32)
    if front.is_assembled == 0:
        run_first = array_at(stream.run_first, stream.num_runs, np.int64)
        run_count = array_at(stream.run_count, stream.num_runs, np.int64)
        assemble(front.mode, run_first, run_count, primitives)
    kind = np.uint8(setup_at(front.setup).kind)
    first = front.primitive_first
    base = front.emitted_first
    room = front.emitted_room
    n = clip_primitives(address)
    front.num_emitted = n
    if n > room:
        front.needed = n
        return 0
    draw_row, base_row, first_row, first_vertex = (
        np.uint32(front.draw_row), np.uint32(base), np.uint32(first), np.uint32(front.vertex_first),
    )  # fmt: skip
    draw = array_at(columns.primitives_draw + 4 * first, count, np.uint32)
    kinds = array_at(columns.primitives_kind + first, count, np.uint8)
    emitted_first = array_at(columns.primitives_emitted_first + 4 * first, count, np.uint32)
    vertex = array_at(columns.primitives_vertex + 12 * first, 3 * count, np.uint32)
    rows = array_at(front.primitives, 3 * count, np.uint32)
    for number in range(count):
        draw[number] = draw_row
        kinds[number] = kind
        emitted_first[number] += base_row
    for corner in range(3 * count):
        vertex[corner] = rows[corner] + first_vertex
    # What the clipper does not write of ``emitted``.
    own = array_at(front.primitive, n, np.uint32)
    window = array_at(front.window, (3 * n, 4), np.float32)
    primitive = array_at(columns.emitted_primitive + 4 * base, n, np.uint32)
    emitted_draw = array_at(columns.emitted_draw + 4 * base, n, np.uint32)
    num_vertices = array_at(columns.emitted_num_vertices + base, n, np.uint8)
    z = array_at(columns.emitted_z + 12 * base, 3 * n, np.float32)
    inv_w = array_at(columns.emitted_inv_w + 12 * base, 3 * n, np.float32)
    attribute_first = array_at(columns.emitted_attribute_first + 4 * base, n, np.uint32)
    each = 3 * (1 + interface.num_varyings) if front.has_fragments != 0 else 0
    attribute_row = front.attribute_first if each else 0
    for emitted in range(n):
        primitive[emitted] = own[emitted] + first_row
        emitted_draw[emitted] = draw_row
        num_vertices[emitted] = kind
        attribute_first[emitted] = np.uint32(attribute_row + each * emitted)
    for corner in range(3 * n):
        z[corner] = window[corner, 2]
        inv_w[corner] = window[corner, 3]
    return 1


@entry
def attributes(address: Int) -> Int:
    """Attributes of emitted primitives, in the frame's table; 1 if there was room."""
    front = front_at(address)
    n = front.num_emitted
    num = interface_at(front.interface).num_varyings
    if 3 * (1 + num) * n > front.attribute_room:
        front.needed = 3 * (1 + num) * n
        return 0
    attribute_rows(address)
    return 1


@entry
def raster(address: Int) -> Int:
    """Write quads; 1 if there was room."""
    return end_quads(address, put_quads(address))


@entry
def planes(address: Int) -> Int:
    """Plane equations and facing of each emitted primitive, in the arena; 1 if there was room."""
    front = front_at(address)
    columns = front.columns
    n = front.num_emitted
    words = interface_at(front.interface).plane_words
    needed = 4 * n * words + n
    if needed > front.arena_bytes:
        front.needed = needed
        return 0
    front.planes_at = front.arena
    front.fronts_at = front.arena + 4 * n * words
    front.arena_used = needed
    facing = array_at(columns.primitives_front + front.primitive_first, front.num_primitives, np.uint8)
    primitive = array_at(front.primitive, n, np.uint32)
    fronts = array_at(front.fronts_at, n, np.uint8)
    for emitted in range(n):
        fronts[emitted] = facing[primitive[emitted]]
    plane_equations(address)
    return 1
