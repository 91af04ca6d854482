"""Whole draws, one after the other in one native call: vertex fetch and shading, the front, the fragment stage.

The kernels of the other modules do the work. They are called by their addresses: a kernel that named them would be
compiled with all of their code once more. Where a table or working memory lacks room, the call ends and says so; it is
made again, and goes on from where it was, when there is room.
"""

# mypy: ignore-errors
# Numba's signatures type what is compiled.
from __future__ import annotations

import struct
from typing import Final

import numpy as np
from llvmlite import ir
from numba import carray
from numba.core import cgutils, types
from numba.core.typing import signature as signature_of
from numba.extending import intrinsic

from replay.engine.kernels import fetch, front, shading
from replay.engine.kernels.memory import pointer
from replay.engine.kernels.shading import _call_stage
from replay.kernels import kernel

__all__ = ["DRAW_FIELDS", "HEADER_WORDS", "RESULT_FIELDS", "kernel_addresses", "run_draws"]

# The header. Set when a batch begins: draws, how far they are, what is lacking, rows that tables have, use of working
# memory; guards on loops.
(
    COUNT, AT, PHASE, NEEDED, EMITTED_ROWS, ATTRIBUTE_ROWS, QUAD_ROWS, OP_ROWS, LINE_ROWS, HASHES_USED, ARENA_USED,
    LOOP_ITERATIONS, DRAW_ITERATIONS,
) = range(13)  # fmt: skip
FIRST_FIELDS: Final = struct.Struct("<13q")
# Noted before each call: rows that there is room for in all; memory of stages, point sizes of lanes; memory of
# fragments with its size; columns of quads beside those of the front, 0 if not kept.
(
    EMITTED_CAPACITY, ATTRIBUTE_CAPACITY, QUAD_CAPACITY, WORK_ROWS, STAGE_SCRATCH, POINTS,
    SEEN, SEEN_BYTES, HASHES, HASH_WORDS, ARENA, ARENA_BYTES, SURVIVES, TEX_FIRST, TEX_COUNT, QUAD_PATH,
) = range(13, 29)  # fmt: skip
NOTED_FIELDS: Final = struct.Struct("<16q")
# Memory of the vertex stage.
(INPUTS, OUTPUTS, COVERAGE) = range(29, 32)
# What is always so: argument records, numbers of their fields, no clip distances.
(
    VERTEX_ARGUMENTS, TEMPLATE, ARGUMENT_WORDS, NUMBERS, STATE, CHUNK_FIELDS, NUM_CHUNK_FIELDS, CHUNK_QUADS,
    NO_DISTANCES,
) = range(32, 41)  # fmt: skip
# Kernels.
KERNELS: Final = 41
(FETCH, READ_VERTICES, CLIP, ATTRIBUTES, RASTER, PLANES, TEST_EARLY, RUN_JOB) = range(KERNELS, KERNELS + 8)
HEADER_WORDS: Final = KERNELS + 8

#: Argument fields of a stage that do not change between chunks, in the order of ``numbers``.
ARGUMENT_FIELDS: Final = (
    "areas", "descriptors", "loop_budget", "planes", "plane_stride", "inputs", "input_stride", "outputs",
    "output_stride", "coverage", "num_groups", "scratch",
)  # fmt: skip
(
    _AREAS, _DESCRIPTORS, _LOOP_BUDGET, _PLANES, _PLANE_STRIDE, _INPUTS, _INPUT_STRIDE, _OUTPUTS, _OUTPUT_STRIDE,
    _COVERAGE, _NUM_GROUPS, _SCRATCH,
) = range(12)  # fmt: skip

# A draw: its vertex stage, constants, textures; what it fetches; its stream of vertices as ``front`` has it.
(
    VERTEX_STAGE, VERTEX_AREAS, DESCRIPTORS, SOURCES, NUM_SOURCES, BASE_INSTANCE, INPUT_ROWS, LANE_INDEX, LANE_INSTANCE,
) = range(9)  # fmt: skip
STREAM: Final = 9
# Its place in the tables, indices and set-up.
(
    DRAW_ROW, VERTEX_FIRST, PRIMITIVE_FIRST, NUM_PRIMITIVES, INDEX_BYTES, INDEX_ADDRESS, VERTEX_PATH, HAS_POINTS, MODE,
    SETUP, POINT_SIZES, DEPTH_BITS, PROGRAM,
) = range(STREAM + 9, STREAM + 22)  # fmt: skip
# Its fragments: stage, constants, address of the fields of what it writes to, whether textures are recorded, tests come
# first, it writes colours; path of each coverage, 0 where hashes are wanted.
(
    FRAGMENT_STAGE, FRAGMENT_AREAS, MERGE, RECORDS, TESTS_EARLY, HAS_OUTPUTS, STRAIGHT, HASHED,
) = range(STREAM + 22, STREAM + 30)  # fmt: skip
DRAW_FIELDS: Final = struct.Struct(f"<{STREAM + 30}q")

# What is known of a draw when it is done: rows of its primitives and quads, where its planes lie in the arena, first of
# its hashes, coverages (bits) whose path has no number yet, -1 where paths have hashes.
(
    FIRST_EMITTED, NUM_EMITTED, FIRST_QUAD, NUM_QUADS, PLANES_OFFSET, FIRST_HASH, PATH_MISSING,
) = range(7)  # fmt: skip
RESULT_FIELDS: Final = 7

# What the call returns: done, or what is lacking. The draw at hand goes on with the phase of that number, at most
# SHADING.
DONE: Final = 0
NEED_EMITTED: Final = 1
NEED_ATTRIBUTES: Final = 2
NEED_QUADS: Final = 3
NEED_ARENA: Final = 4
NEED_SEEN: Final = 5
NEED_HASHES: Final = 6
SHADING: Final = 7
NEED_RECORD: Final = SHADING + shading.RECORD_FULL
NEED_TABLES: Final = SHADING + shading.TABLES_FULL
OVER_BUDGET: Final = SHADING + shading.OVER_BUDGET
_FREE: Final = np.uint32(0xFFFFFFFF)


def _calling(result, *arguments):
    """An intrinsic that calls a kernel of this signature by its address."""

    @intrinsic
    def call(typingctx, address, values):
        def generate(context, builder, signature, operands):
            convention = context.call_conv
            of_type = convention.get_function_type(result, arguments)
            function = builder.inttoptr(operands[0], of_type.as_pointer())
            place = cgutils.alloca_once(builder, of_type.args[0].pointee)
            builder.store(ir.Constant(of_type.args[0].pointee, None), place)
            error = cgutils.alloca_once(builder, of_type.args[1].pointee)
            given = [builder.extract_value(operands[1], number) for number in range(len(arguments))]
            packed = context.get_arg_packer(arguments).as_arguments(builder, given)
            builder.call(function, [place, error, *packed])
            if result is types.none:
                return context.get_dummy_value()
            return builder.load(place)

        return signature_of(result, address, values), generate

    return call


_RECORD: Final = types.Array(types.int64, 1, "C")
_call = _calling(types.int64, _RECORD)
_call_void = _calling(types.none, _RECORD)
_call_fetch = _calling(
    types.none,
    types.Array(types.int64, 2, "C"),
    types.Array(types.int64, 1, "C"),
    types.Array(types.int64, 1, "C"),
    types.int64,
    types.Array(types.float32, 2, "C"),
    types.Array(types.int32, 2, "C"),
)


def kernel_addresses() -> list[int]:
    """Addresses of the kernels, for the header from KERNELS on."""
    kernels = (
        fetch.fetch_attributes, front._read_vertices, front._clip, front._attributes, front._raster, front._planes,
        shading.test_early, shading.run_job,
    )  # fmt: skip
    found = []
    for compiled in kernels:
        (result,) = compiled.overloads.values()
        found.append(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))
    return found


@kernel("void(int64[::1], int64[::1], int64[::1])")
def _shade_vertices(h, d, r):
    """Fetch and shade the vertices of a draw, and fill the record of its front."""
    lanes = d[STREAM + 5]
    groups = (lanes + 7) // 8
    width = (groups * 8 + 15) // 16 * 16
    program = carray(pointer(d[PROGRAM]), 11, np.int64)
    num_inputs = max(d[INPUT_ROWS], 1)
    inputs = carray(pointer(h[INPUTS]), (num_inputs, width), np.float32)
    for row in range(num_inputs):
        for k in range(width):
            inputs[row, k] = np.float32(0.0)
    if d[NUM_SOURCES] > 0:
        _call_fetch(
            h[FETCH],
            (
                carray(pointer(d[SOURCES]), (d[NUM_SOURCES], 11), np.int64),
                carray(pointer(d[LANE_INDEX]), lanes, np.int64),
                carray(pointer(d[LANE_INSTANCE]), lanes, np.int64),
                d[BASE_INSTANCE],
                inputs,
                carray(pointer(h[INPUTS]), (num_inputs, width), np.int32),
            ),
        )
    coverage = carray(pointer(h[COVERAGE]), 2 * groups, np.uint8)
    for k in range(2 * groups):
        coverage[k] = np.uint8((1 << min(max(lanes - 4 * k, 0), 4)) - 1)
    words = h[ARGUMENT_WORDS]
    numbers = carray(pointer(h[NUMBERS]), 12, np.int64)
    arguments = carray(pointer(h[VERTEX_ARGUMENTS]), words, np.int64)
    for k in range(words):
        arguments[k] = 0
    arguments[numbers[_AREAS]] = d[VERTEX_AREAS]
    arguments[numbers[_DESCRIPTORS]] = d[DESCRIPTORS]
    arguments[numbers[_LOOP_BUDGET]] = max(min(h[LOOP_ITERATIONS], h[DRAW_ITERATIONS] // max(groups, 1)), 1)
    arguments[numbers[_INPUTS]] = h[INPUTS]
    arguments[numbers[_INPUT_STRIDE]] = 4 * width
    arguments[numbers[_OUTPUTS]] = h[OUTPUTS]
    arguments[numbers[_OUTPUT_STRIDE]] = 4 * width
    arguments[numbers[_COVERAGE]] = h[COVERAGE]
    arguments[numbers[_NUM_GROUPS]] = groups
    arguments[numbers[_SCRATCH]] = h[STAGE_SCRATCH]
    _call_stage(np.uint64(d[VERTEX_STAGE]), np.uint64(h[VERTEX_ARGUMENTS]))
    for k in range(9):
        r[front.ROOM + 5 + k] = d[STREAM + k]
    r[front.PHASE] = 0
    r[front.DRAW_ROW] = d[DRAW_ROW]
    r[front.VERTEX_FIRST] = d[VERTEX_FIRST]
    r[front.PRIMITIVE_FIRST] = d[PRIMITIVE_FIRST]
    r[front.EMITTED_FIRST] = h[EMITTED_ROWS]
    r[front.ATTRIBUTE_FIRST] = h[ATTRIBUTE_ROWS]
    r[front.QUAD_FIRST] = h[QUAD_ROWS]
    r[front.NUM_PRIMITIVES] = d[NUM_PRIMITIVES]
    r[front.INDEX_BYTES] = d[INDEX_BYTES]
    r[front.INDEX_ADDRESS] = d[INDEX_ADDRESS]
    r[front.PATHS] = 0
    r[front.PATH] = d[VERTEX_PATH]
    r[front.OUTPUTS] = h[OUTPUTS]
    r[front.OUTPUT_WIDTH] = width
    r[front.DISTANCES] = h[NO_DISTANCES]
    r[front.NUM_DISTANCES] = 0
    r[front.IS_ASSEMBLED] = 0
    r[front.POINTS] = h[POINTS] if d[HAS_POINTS] != 0 else 0
    r[front.MODE] = d[MODE]
    r[front.SETUP] = d[SETUP]
    r[front.POINT_SIZES] = d[POINT_SIZES]
    r[front.RASTERIZES] = 1
    r[front.MULTISAMPLED] = 0
    r[front.DEPTH_BITS] = d[DEPTH_BITS]
    r[front.FRAGMENTS] = 1
    for k in range(11):
        r[front.OUTPUT_ROWS + k] = program[k]
    _call_void(h[READ_VERTICES], (r,))


@kernel("int64(int64[::1], int64[::1], int64[::1], int64)")
def _prepare(h, r, result, phase):
    """Clip, rasterize, find plane equations; 0, or what is lacking."""
    if phase <= NEED_EMITTED:
        r[front.EMITTED_ROOM] = min(h[EMITTED_CAPACITY] - h[EMITTED_ROWS], h[WORK_ROWS])
        if _call(h[CLIP], (r,)) == 0:
            h[NEEDED] = r[front.NEEDED]
            return NEED_EMITTED
    if phase <= NEED_ATTRIBUTES:
        r[front.ATTRIBUTE_ROOM] = h[ATTRIBUTE_CAPACITY] - h[ATTRIBUTE_ROWS]
        if _call(h[ATTRIBUTES], (r,)) == 0:
            h[NEEDED] = r[front.NEEDED]
            return NEED_ATTRIBUTES
    if phase <= NEED_QUADS:
        r[front.QUAD_ROOM] = h[QUAD_CAPACITY] - h[QUAD_ROWS]
        r[front.PHASE] = NEED_QUADS if phase == NEED_QUADS else 0
        if _call(h[RASTER], (r,)) == 0:
            h[NEEDED] = r[front.NEEDED]
            return NEED_QUADS
    if r[front.NUM_QUADS] != 0:
        r[front.ARENA] = h[ARENA] + h[ARENA_USED]
        r[front.ARENA_BYTES] = h[ARENA_BYTES] - h[ARENA_USED]
        if _call(h[PLANES], (r,)) == 0:
            h[NEEDED] = r[front.NEEDED]
            return NEED_ARENA
    result[FIRST_EMITTED] = r[front.EMITTED_FIRST]
    result[NUM_EMITTED] = r[front.NUM_EMITTED]
    result[FIRST_QUAD] = r[front.QUAD_FIRST]
    result[NUM_QUADS] = r[front.NUM_QUADS]
    result[PLANES_OFFSET] = 0
    result[FIRST_HASH] = 0
    result[PATH_MISSING] = 0
    h[EMITTED_ROWS] += r[front.NUM_EMITTED]
    h[ATTRIBUTE_ROWS] += 3 * (1 + r[front.NUM_VARYINGS]) * r[front.NUM_EMITTED]
    h[QUAD_ROWS] += r[front.NUM_QUADS]
    return 0


@kernel("void(int64[::1], int64[::1], int64[::1], int64[::1])")
def _fill_job(h, d, r, j):
    """Fill the record of a draw's fragments, see :mod:`~replay.engine.kernels.shading`."""
    first = r[front.QUAD_FIRST]
    merge = carray(pointer(d[MERGE]), 13, np.int64)
    template = carray(pointer(h[TEMPLATE]), h[ARGUMENT_WORDS], np.int64)
    numbers = carray(pointer(h[NUMBERS]), 12, np.int64)
    stride = 4 * r[front.PLANE_WORDS]
    template[numbers[_AREAS]] = d[FRAGMENT_AREAS]
    template[numbers[_DESCRIPTORS]] = d[DESCRIPTORS]
    template[numbers[_PLANES]] = r[front.PLANES_AT] - r[front.EMITTED_FIRST] * stride
    template[numbers[_PLANE_STRIDE]] = stride
    groups = r[front.NUM_QUADS] // 2
    template[numbers[_LOOP_BUDGET]] = max(min(h[LOOP_ITERATIONS], h[DRAW_ITERATIONS] // max(groups, 1)), 1)
    j[shading.STAGE] = d[FRAGMENT_STAGE]
    j[shading.FIELDS] = h[CHUNK_FIELDS]
    j[shading.NUM_ARGUMENT_FIELDS] = h[NUM_CHUNK_FIELDS]
    j[shading.TEMPLATE] = h[TEMPLATE]
    j[shading.TEMPLATE_WORDS] = h[ARGUMENT_WORDS]
    j[shading.STATE] = h[STATE]
    j[shading.CHUNK_QUADS] = h[CHUNK_QUADS]
    j[shading.NUM_QUADS] = r[front.NUM_QUADS]
    j[shading.COVERAGE] = r[front.Q_COVERAGE] + first
    j[shading.SURVIVES] = h[SURVIVES] + first
    j[shading.EMITTED] = r[front.Q_EMITTED] + 4 * first
    j[shading.X] = r[front.Q_X] + 2 * first
    j[shading.Y] = r[front.Q_Y] + 2 * first
    j[shading.DEPTH] = r[front.Q_DEPTH] + 16 * first
    j[shading.SEEN] = h[SEEN] if d[TESTS_EARLY] != 0 else 0
    j[shading.HASHES] = h[HASHES] + 8 * h[HASHES_USED] if d[HASHED] != 0 else 0
    j[shading.TEX_FIRST] = h[TEX_FIRST] + 4 * first if d[RECORDS] != 0 else 0
    j[shading.TEX_COUNT] = h[TEX_COUNT] + 2 * first if d[RECORDS] != 0 else 0
    for k in range(7):
        j[shading.COLOR_ROWS + k] = merge[k]
    j[shading.EMITTED_FIRST] = r[front.EMITTED_FIRST]
    j[shading.FRONTS] = r[front.FRONTS_AT]
    j[shading.NUM_EMITTED] = r[front.NUM_EMITTED]
    for k in range(6):
        j[shading.DEPTH_PLANE + k] = merge[7 + k]


@kernel("int64(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64)")
def _shade_quads(h, d, r, j, result, phase):
    """Shade and merge the quads of a draw; 0, or what is lacking."""
    quads = r[front.NUM_QUADS]
    first = r[front.QUAD_FIRST]
    state = carray(pointer(h[STATE]), shading.STATE_WORDS, np.int64)
    if phase < SHADING:
        if d[TESTS_EARLY] != 0 and quads > h[SEEN_BYTES]:
            h[NEEDED] = quads
            return NEED_SEEN
        if d[HASHED] != 0 and h[HASHES_USED] + quads > h[HASH_WORDS]:
            h[NEEDED] = quads
            return NEED_HASHES
        _fill_job(h, d, r, j)
        if d[TESTS_EARLY] != 0:
            _call(h[TEST_EARLY], (j,))
            if d[HAS_OUTPUTS] == 0:
                seen = carray(pointer(h[SEEN]), quads, np.uint8)
                for q in range(quads):
                    seen[q] = 0  # nobody looks at what passed
        for k in range(shading.STATE_WORDS):
            state[k] = 0
        state[shading.OPS] = h[OP_ROWS]
        state[shading.LINES] = h[LINE_ROWS]
    else:
        state[shading.CLAIMED] = state[shading.DONE]
        state[shading.CODE] = 0
    _call(h[RUN_JOB], (j,))
    if d[RECORDS] != 0:
        h[OP_ROWS] = state[shading.OPS]
        h[LINE_ROWS] = state[shading.LINES]
    if state[shading.CODE] != 0:
        h[NEEDED] = state[shading.NEEDED]
        return SHADING + state[shading.CODE]
    if h[TEX_FIRST] != 0 and d[RECORDS] == 0:
        tex_first = carray(pointer(h[TEX_FIRST] + 4 * first), quads, np.uint32)
        tex_count = carray(pointer(h[TEX_COUNT] + 2 * first), quads, np.uint16)
        for q in range(quads):
            tex_first[q] = np.uint32(state[shading.OPS])
            tex_count[q] = np.uint16(0)
    if d[STRAIGHT] != 0:
        numbers = carray(pointer(d[STRAIGHT]), 16, np.uint32)
        coverage = carray(pointer(r[front.Q_COVERAGE] + first), quads, np.uint8)
        path = carray(pointer(h[QUAD_PATH] + 4 * first), quads, np.uint32)
        missing = 0
        for q in range(quads):
            number = numbers[coverage[q] & 15]
            if number == _FREE:
                missing |= 1 << (coverage[q] & 15)
            path[q] = number
        result[PATH_MISSING] = missing
    else:
        result[PATH_MISSING] = -d[HASHED]
    result[PLANES_OFFSET] = r[front.PLANES_AT] - h[ARENA]
    result[FIRST_HASH] = h[HASHES_USED]
    if d[HASHED] != 0:
        h[HASHES_USED] += quads
        # The planes are asked for again where a path is new.
        h[ARENA_USED] += (r[front.ARENA_USED] + 63) // 64 * 64
    return 0


@kernel("int64(int64[::1], int64[:, ::1], int64[:, ::1], int64[::1], int64[::1])")
def run_draws(h, draws, results, r, j):
    """Execute draws until all are done or something is lacking.

    Parameters
    ----------
    h : the header; AT and PHASE are 0 in the beginning, and otherwise as the last call left them
    draws, results : (N, ...) one row a draw
    r : record of the front, with addresses of tables and working memory
    j : record of the fragment stage, with what belongs to the thread

    Returns
    -------
    DONE or what is lacking; NEEDED says how much is lacking.
    """
    while h[AT] < h[COUNT]:
        d = draws[h[AT]]
        result = results[h[AT]]
        phase = h[PHASE]
        if phase == 0:
            _shade_vertices(h, d, r)
        if phase <= NEED_ARENA:
            lacking = _prepare(h, r, result, phase)
            if lacking != 0:
                h[PHASE] = lacking
                return lacking
        if r[front.NUM_QUADS] != 0:
            lacking = _shade_quads(h, d, r, j, result, phase)
            if lacking != 0:
                h[PHASE] = min(lacking, SHADING)
                return lacking
        h[PHASE] = 0
        h[AT] += 1
    return 0
