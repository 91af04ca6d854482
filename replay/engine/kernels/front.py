"""The front of a draw in a few calls: from shaded vertices to quads and plane equations.

What :mod:`~replay.engine.kernels.assembly`, ``clip``, ``planes`` and ``raster`` do one after the other, straight into
the frame's tables. A draw of a few quads takes microseconds here; twenty calls from Python would take a hundred times
as long. Where a table lacks room the kernel stops and says so; it is called again, from where it was, when there is
room.
"""

# mypy: ignore-errors
# Numba's signatures type what is compiled.
from __future__ import annotations

from typing import Final

import numpy as np
from numba import carray

from replay.engine.kernels.assembly import assemble
from replay.engine.kernels.clip import SETUP_DTYPE, clip_primitives
from replay.engine.kernels.memory import pointer
from replay.engine.kernels.planes import attribute_rows, plane_equations
from replay.engine.kernels.raster import count_quads, fill_quads
from replay.kernels import kernel

__all__ = [
    "DONE",
    "NEED_ARENA",
    "NEED_ATTRIBUTES",
    "NEED_EMITTED",
    "NEED_QUADS",
    "NUM_FIELDS",
    "RESULTS",
    "ROOM",
    "SCRATCH",
    "TABLES",
    "prepare_draw",
]

#: What the kernel returns: done, or which room is lacking (how much is in NEEDED).
DONE: Final = 0
NEED_EMITTED: Final = 1
NEED_ATTRIBUTES: Final = 2
NEED_QUADS: Final = 3
NEED_ARENA: Final = 4

# The record: addresses of columns (0: not kept).
TABLES: Final = 0
(
    V_INDEX, V_ADDRESS, V_INSTANCE, V_PATH,
    P_DRAW, P_KIND, P_VERTEX, P_OUTCOME, P_FRONT, P_EMITTED_FIRST, P_EMITTED_COUNT,
    E_PRIMITIVE, E_DRAW, E_NUM_VERTICES, E_X, E_Y, E_Z, E_INV_W, E_BOUNDS, E_ATTRIBUTE_FIRST, E_SIZE,
    A_VALUE,
    Q_EMITTED, Q_X, Q_Y, Q_COVERAGE, Q_DEPTH,
) = range(TABLES, TABLES + 27)  # fmt: skip
# Rows that there is room for, and the arena for what outlives the call (planes, then facings).
ROOM: Final = 27
(EMITTED_ROOM, ATTRIBUTE_ROOM, QUAD_ROOM, ARENA, ARENA_BYTES) = range(ROOM, ROOM + 5)
# The stream of vertices.
(
    NUM_ROWS, INDEX, INSTANCE, POSITION, LANE, NUM_LANES, RUN_FIRST, RUN_COUNT, NUM_RUNS,
) = range(ROOM + 5, ROOM + 14)  # fmt: skip
# This draw: first row of each table, index bytes (0: not indexed) and address, path of each lane or of all, vertex
# stage's results, point sizes of lanes (0: no points).
(
    PHASE, DRAW_ROW, VERTEX_FIRST, PRIMITIVE_FIRST, EMITTED_FIRST, ATTRIBUTE_FIRST, QUAD_FIRST, NUM_PRIMITIVES,
    INDEX_BYTES, INDEX_ADDRESS, PATHS, PATH, OUTPUTS, OUTPUT_WIDTH, DISTANCES, NUM_DISTANCES, IS_ASSEMBLED, POINTS,
) = range(ROOM + 14, ROOM + 32)  # fmt: skip
# Program and state: set-up row, point sizes (least, largest, where none is written), and what the fragment stage reads
# (FRAGMENTS 0: there is none).
(
    MODE, SETUP, POINT_SIZES, RASTERIZES, MULTISAMPLED, DEPTH_BITS, FRAGMENTS,
    OUTPUT_ROWS, POSITION_ROW, POINT_ROW, VARYING_ROWS, VARYING_FLAT, NUM_VARYINGS,
    PLANE_ATTRIBUTE, PLANE_COMPONENT, PLANE_MODE, NUM_PLANES, PLANE_WORDS,
) = range(ROOM + 32, ROOM + 50)  # fmt: skip
# Working memory of the clipper, clip positions of lanes, primitives, quads of each emitted primitive.
SCRATCH: Final = ROOM + 50
(WINDOW, WEIGHTS, DEPTH_PLANE, PRIMITIVE, COUNTS, CLIP, PRIMITIVES) = range(SCRATCH, SCRATCH + 7)
# Out.
RESULTS: Final = SCRATCH + 7
(NEEDED, NUM_EMITTED, NUM_QUADS, NUM_FRAGMENTS, PLANES_AT, FRONTS_AT, ARENA_USED) = range(RESULTS, RESULTS + 7)
NUM_FIELDS: Final = RESULTS + 7


@kernel("void(int64[::1])")
def _read_vertices(r):
    """Append the stream to ``vertices``; take clip positions and point sizes from the vertex stage's output rows."""
    rows = r[NUM_ROWS]
    first = r[VERTEX_FIRST]
    if r[V_INDEX] != 0:
        column = carray(pointer(r[V_INDEX] + 4 * first), rows, np.uint32)
        index = carray(pointer(r[INDEX]), rows, np.uint32)
        for k in range(rows):
            column[k] = index[k]
    if r[V_INSTANCE] != 0:
        column = carray(pointer(r[V_INSTANCE] + 4 * first), rows, np.uint32)
        instance = carray(pointer(r[INSTANCE]), rows, np.uint32)
        for k in range(rows):
            column[k] = instance[k]
    if r[V_ADDRESS] != 0:
        addresses = carray(pointer(r[V_ADDRESS] + 8 * first), rows, np.int64)
        position = carray(pointer(r[POSITION]), rows, np.int64)
        size = r[INDEX_BYTES]
        for k in range(rows):
            addresses[k] = r[INDEX_ADDRESS] + size * position[k] if size != 0 else 0
    if r[V_PATH] != 0:
        column = carray(pointer(r[V_PATH] + 4 * first), rows, np.uint32)
        if r[PATHS] != 0:
            paths = carray(pointer(r[PATHS]), r[NUM_LANES], np.uint32)
            lane = carray(pointer(r[LANE]), rows, np.uint32)
            for k in range(rows):
                column[k] = paths[lane[k]]
        else:
            for k in range(rows):
                column[k] = np.uint32(r[PATH])
    lanes = r[NUM_LANES]
    outputs = carray(pointer(r[OUTPUTS]), (r[OUTPUT_ROWS], r[OUTPUT_WIDTH]), np.float32)
    clip = carray(pointer(r[CLIP]), (max(lanes, 1), 4), np.float32)
    row = r[POSITION_ROW]
    for k in range(lanes):
        for c in range(4):
            clip[k, c] = outputs[row + c, k] if row >= 0 else np.float32(0.0)
    if r[POINTS] == 0:
        return
    size = carray(pointer(r[POINTS]), max(lanes, 1), np.float32)
    limits = carray(pointer(r[POINT_SIZES]), 3, np.float32)
    row = r[POINT_ROW]
    for k in range(lanes):
        if row >= 0:
            value = outputs[row, k]
            if np.isnan(value):
                value = np.float32(1.0)
            size[k] = min(max(value, limits[0]), limits[1])
        else:
            size[k] = limits[2]


@kernel("int64(int64[::1])")
def _clip(r):
    """Assemble and clip; 1 if there was room."""
    r[ARENA_USED] = 0
    r[NUM_QUADS] = 0
    r[NUM_FRAGMENTS] = 0
    count = r[NUM_PRIMITIVES]
    primitives = carray(pointer(r[PRIMITIVES]), (count, 3), np.uint32)
    if r[IS_ASSEMBLED] == 0:
        run_first = carray(pointer(r[RUN_FIRST]), r[NUM_RUNS], np.int64)
        run_count = carray(pointer(r[RUN_COUNT]), r[NUM_RUNS], np.int64)
        assemble(r[MODE], run_first, run_count, primitives)
    setup = carray(pointer(r[SETUP]), 1, SETUP_DTYPE)
    lanes = max(r[NUM_LANES], 1)
    clip = carray(pointer(r[CLIP]), (lanes, 4), np.float32)
    distances = carray(pointer(r[DISTANCES]), (lanes, r[NUM_DISTANCES]), np.float32)
    num_points = lanes if r[POINTS] != 0 else 0
    points = carray(pointer(r[POINTS]), num_points, np.float32)
    lane = carray(pointer(r[LANE]), r[NUM_ROWS], np.uint32)
    first = r[PRIMITIVE_FIRST]
    base = r[EMITTED_FIRST]
    room = r[EMITTED_ROOM]
    emitted_first = carray(pointer(r[P_EMITTED_FIRST] + 4 * first), count, np.uint32)
    n = clip_primitives(
        setup,
        clip,
        distances,
        points,
        lane,
        primitives,
        carray(pointer(r[P_OUTCOME] + first), count, np.uint8),
        carray(pointer(r[P_FRONT] + first), count, np.uint8),
        emitted_first,
        carray(pointer(r[P_EMITTED_COUNT] + first), count, np.uint8),
        carray(pointer(r[PRIMITIVE]), room, np.uint32),
        carray(pointer(r[E_X] + 12 * base), (room, 3), np.int32),
        carray(pointer(r[E_Y] + 12 * base), (room, 3), np.int32),
        carray(pointer(r[WINDOW]), (room, 3, 4), np.float32),
        carray(pointer(r[WEIGHTS]), (room, 3, 3), np.float32),
        carray(pointer(r[E_SIZE] + 4 * base), room, np.float32),
        carray(pointer(r[DEPTH_PLANE]), (room, 3), np.float64),
        carray(pointer(r[E_BOUNDS] + 8 * base), (room, 4), np.int16),
        room,
    )
    r[NUM_EMITTED] = n
    if n > room:
        r[NEEDED] = n
        return 0
    draw = carray(pointer(r[P_DRAW] + 4 * first), count, np.uint32)
    kind = carray(pointer(r[P_KIND] + first), count, np.uint8)
    vertex = carray(pointer(r[P_VERTEX] + 12 * first), (count, 3), np.uint32)
    for p in range(count):
        draw[p] = np.uint32(r[DRAW_ROW])
        kind[p] = np.uint8(setup[0].kind)
        emitted_first[p] += np.uint32(base)
        for k in range(3):
            vertex[p, k] = primitives[p, k] + np.uint32(r[VERTEX_FIRST])
    # What the clipper does not write of ``emitted``.
    own = carray(pointer(r[PRIMITIVE]), n, np.uint32)
    window = carray(pointer(r[WINDOW]), (n, 3, 4), np.float32)
    primitive = carray(pointer(r[E_PRIMITIVE] + 4 * base), n, np.uint32)
    emitted_draw = carray(pointer(r[E_DRAW] + 4 * base), n, np.uint32)
    num_vertices = carray(pointer(r[E_NUM_VERTICES] + base), n, np.uint8)
    z = carray(pointer(r[E_Z] + 12 * base), (n, 3), np.float32)
    inv_w = carray(pointer(r[E_INV_W] + 12 * base), (n, 3), np.float32)
    attribute_first = carray(pointer(r[E_ATTRIBUTE_FIRST] + 4 * base), n, np.uint32)
    each = 3 * (1 + r[NUM_VARYINGS]) if r[FRAGMENTS] != 0 else 0
    for e in range(n):
        primitive[e] = own[e] + np.uint32(r[PRIMITIVE_FIRST])
        emitted_draw[e] = np.uint32(r[DRAW_ROW])
        num_vertices[e] = np.uint8(setup[0].kind)
        attribute_first[e] = np.uint32(r[ATTRIBUTE_FIRST] + each * e) if each else np.uint32(0)
        for k in range(3):
            z[e, k] = window[e, k, 2]
            inv_w[e, k] = window[e, k, 3]
    return 1


@kernel("int64(int64[::1])")
def _attributes(r):
    """Attributes of emitted primitives, in the frame's table; 1 if there was room."""
    n = r[NUM_EMITTED]
    num = r[NUM_VARYINGS]
    if 3 * (1 + num) * n > r[ATTRIBUTE_ROOM]:
        r[NEEDED] = 3 * (1 + num) * n
        return 0
    attribute_rows(
        carray(pointer(r[OUTPUTS]), (r[OUTPUT_ROWS], r[OUTPUT_WIDTH]), np.float32),
        carray(pointer(r[LANE]), r[NUM_ROWS], np.uint32),
        carray(pointer(r[PRIMITIVES]), (r[NUM_PRIMITIVES], 3), np.uint32),
        carray(pointer(r[PRIMITIVE]), n, np.uint32),
        carray(pointer(r[WINDOW]), (n, 3, 4), np.float32),
        carray(pointer(r[WEIGHTS]), (n, 3, 3), np.float32),
        carray(pointer(r[VARYING_ROWS]), 4 * num, np.int64),
        carray(pointer(r[VARYING_FLAT]), num, np.uint8),
        0,
        n,
        carray(pointer(r[A_VALUE] + 16 * r[ATTRIBUTE_FIRST]), (n, 1 + num, 3, 4), np.float32),
    )
    return 1


@kernel("int64(int64[::1])")
def _raster(r):
    """Count quads and write them; 1 if there was room."""
    n = r[NUM_EMITTED]
    base = r[EMITTED_FIRST]
    num_vertices = carray(pointer(r[E_NUM_VERTICES] + base), n, np.uint8)
    size = carray(pointer(r[E_SIZE] + 4 * base), n, np.float32)
    x = carray(pointer(r[E_X] + 12 * base), (n, 3), np.int32)
    y = carray(pointer(r[E_Y] + 12 * base), (n, 3), np.int32)
    bounds = carray(pointer(r[E_BOUNDS] + 8 * base), (n, 4), np.int16)
    counts = carray(pointer(r[COUNTS]), n, np.int64)
    fragments = carray(pointer(r.ctypes.data + 8 * NUM_FRAGMENTS), 1, np.int64)
    if r[PHASE] < NEED_QUADS:
        r[NUM_QUADS] = count_quads(num_vertices, size, x, y, bounds, 0, n, counts, fragments)
        start = np.int64(0)
        for e in range(n):
            own = counts[e]
            counts[e] = start
            start += own
    total = r[NUM_QUADS]
    # One spare row, so that quads can be shaded in pairs.
    if total + 1 > r[QUAD_ROOM]:
        r[NEEDED] = total + 1
        return 0
    first = r[QUAD_FIRST]
    emitted = carray(pointer(r[Q_EMITTED] + 4 * first), total + 1, np.uint32)
    quad_x = carray(pointer(r[Q_X] + 2 * first), total + 1, np.uint16)
    quad_y = carray(pointer(r[Q_Y] + 2 * first), total + 1, np.uint16)
    coverage = carray(pointer(r[Q_COVERAGE] + first), total + 1, np.uint8)
    fill_quads(
        num_vertices,
        size,
        x,
        y,
        bounds,
        carray(pointer(r[DEPTH_PLANE]), (n, 3), np.float64),
        0,
        n,
        counts,
        base,
        r[DEPTH_BITS],
        emitted,
        quad_x,
        quad_y,
        coverage,
        carray(pointer(r[Q_DEPTH] + 16 * first), (total + 1, 4), np.uint32),
        carray(pointer(r[Q_DEPTH] + 16 * first), (total + 1, 4), np.float32),
    )
    coverage[total] = 0
    if total > 0:
        emitted[total] = emitted[total - 1]
        quad_x[total] = quad_x[total - 1]
        quad_y[total] = quad_y[total - 1]
    return 1


@kernel("int64(int64[::1])")
def _planes(r):
    """Plane equations and facing of each emitted primitive, in the arena; 1 if there was room."""
    n = r[NUM_EMITTED]
    words = r[PLANE_WORDS]
    needed = 4 * n * words + n
    if needed > r[ARENA_BYTES]:
        r[NEEDED] = needed
        return 0
    base = r[EMITTED_FIRST]
    r[PLANES_AT] = r[ARENA]
    r[FRONTS_AT] = r[ARENA] + 4 * n * words
    r[ARENA_USED] = needed
    facing = carray(pointer(r[P_FRONT] + r[PRIMITIVE_FIRST]), r[NUM_PRIMITIVES], np.uint8)
    primitive = carray(pointer(r[PRIMITIVE]), n, np.uint32)
    fronts = carray(pointer(r[FRONTS_AT]), n, np.uint8)
    for e in range(n):
        fronts[e] = facing[primitive[e]]
    planes = r[NUM_PLANES]
    plane_equations(
        carray(pointer(r[A_VALUE] + 16 * r[ATTRIBUTE_FIRST]), (n, 1 + r[NUM_VARYINGS], 3, 4), np.float32),
        carray(pointer(r[E_NUM_VERTICES] + base), n, np.uint8),
        carray(pointer(r[E_BOUNDS] + 8 * base), (n, 4), np.int16),
        carray(pointer(r[E_SIZE] + 4 * base), n, np.float32),
        carray(pointer(r[DEPTH_PLANE]), (n, 3), np.float64),
        facing,
        primitive,
        carray(pointer(r[PLANE_ATTRIBUTE]), planes, np.int64),
        carray(pointer(r[PLANE_COMPONENT]), planes, np.int64),
        carray(pointer(r[PLANE_MODE]), planes, np.uint8),
        r[MULTISAMPLED],
        0,
        n,
        carray(pointer(r[PLANES_AT]), (n, words), np.float32),
        carray(pointer(r[PLANES_AT]), (n, words), np.int32),
    )
    return 1


def prepare_draw(r):
    """Prepare one draw.

    Not a kernel itself: each kernel that calls others is compiled with all of their code once more.

    Parameters
    ----------
    r : (NUM_FIELDS,) record of the draw. With PHASE 0 it begins; with what the last call returned it goes on

    Returns
    -------
    DONE, or the room that is lacking, NEEDED rows (of the arena: bytes) of it.
    """
    phase = r[PHASE]
    if phase <= NEED_EMITTED:
        if phase == 0:
            _read_vertices(r)
        if not _clip(r):
            return NEED_EMITTED
    if not r[FRAGMENTS]:
        return DONE
    if phase <= NEED_ATTRIBUTES and not _attributes(r):
        return NEED_ATTRIBUTES
    if phase <= NEED_QUADS and r[RASTERIZES]:
        if not _raster(r):
            return NEED_QUADS
        if not r[NUM_QUADS]:
            return DONE
    return DONE if _planes(r) else NEED_ARENA
