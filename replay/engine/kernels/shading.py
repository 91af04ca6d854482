"""All quads of a draw in one call: the compiled fragment stage chunk by chunk, with what follows it.

Several threads may execute one draw together. Each claims chunks from a shared counter and shades them on its own;
distilling the texture record, tests and blending wait for their turn, so that everything lies in the order of quads and
the result is the same for any number of threads.
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
from numba.extending import intrinsic

from replay.engine.kernels.blend import BLEND_DTYPE, blend_unorm8, quantize_unorm8
from replay.engine.kernels.fragment_tests import TEST_DTYPE, test_quads
from replay.engine.kernels.memory import pointer
from replay.engine.kernels.texture_log import distill_record
from replay.kernels import kernel

__all__ = [
    "ARGUMENT_FIELDS",
    "CLAIMED",
    "CODE",
    "DONE",
    "DRAW_FIELDS",
    "LINES",
    "NEEDED",
    "NUM_FIELDS",
    "OPS",
    "OVER_BUDGET",
    "PASSED",
    "RECORD_FULL",
    "STATE_WORDS",
    "TABLES",
    "TABLES_FULL",
    "THREAD_FIELDS",
    "run_job",
    "test_early",
]

#: Fields of the argument record that change from chunk to chunk or thread to thread, in the order of ``fields``.
ARGUMENT_FIELDS: Final = (
    "num_groups",
    "outputs",
    "output_stride",
    "coverage",
    "seen",
    "survives",
    "path_hash",
    "record",
    "record_capacity",
    "record_used",
    "quad_primitive",
    "quad_x",
    "quad_y",
    "status",
    "scratch",
)

#: Words of a draw's shared state: chunks claimed, chunks finished, rows of tex_ops and of texture_lines, fragments
#: that passed, why it stopped, what was lacking.
CLAIMED: Final = 0
DONE: Final = 1
OPS: Final = 2
LINES: Final = 3
PASSED: Final = 4
CODE: Final = 5
NEEDED: Final = 6
STATE_WORDS: Final = 7

#: Why threads stop before the last chunk; chunks from DONE on are still to be shaded.
RECORD_FULL: Final = 1
TABLES_FULL: Final = 2
OVER_BUDGET: Final = 3

_yield_processor = types.ExternalFunction("sched_yield", types.int32())


@intrinsic
def _call_stage(typingctx, address, arguments):
    """Call a compiled stage."""

    def generate(context, builder, signature, operands):
        pointer = ir.IntType(8).as_pointer()
        function = builder.inttoptr(operands[0], ir.FunctionType(ir.VoidType(), [pointer]).as_pointer())
        builder.call(function, [builder.inttoptr(operands[1], pointer)])
        return context.get_dummy_value()

    return types.void(types.uint64, types.uint64), generate


def _word(context, builder, signature, operands):
    array = context.make_array(signature.args[0])(context, builder, operands[0])
    return cgutils.gep(builder, array.data, operands[1])


@intrinsic
def _claim(typingctx, array, index):
    """Add 1 to an element at once and give what it was before."""

    def generate(context, builder, signature, operands):
        place = _word(context, builder, signature, operands)
        return builder.atomic_rmw("add", place, ir.Constant(ir.IntType(64), 1), "seq_cst")

    return types.int64(array, types.int64), generate


@intrinsic
def _load(typingctx, array, index):
    """Element that other threads write."""

    def generate(context, builder, signature, operands):
        return builder.load_atomic(_word(context, builder, signature, operands), "acquire", 8)

    return types.int64(array, types.int64), generate


@intrinsic
def _store(typingctx, array, index, value):
    """Write an element that other threads read."""

    def generate(context, builder, signature, operands):
        builder.store_atomic(operands[2], _word(context, builder, signature, operands), "release", 8)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), generate


# Of the draw: stage and argument record, columns of its quads (0: not kept), what it writes to, its tests.
(
    STAGE, FIELDS, NUM_ARGUMENT_FIELDS, TEMPLATE, TEMPLATE_WORDS, STATE, CHUNK_QUADS,
    NUM_QUADS, COVERAGE, SURVIVES, EMITTED, X, Y, DEPTH, SEEN, HASHES, TEX_FIRST, TEX_COUNT,
    COLOR_ROWS, BLEND, PLANE, PLANE_HEIGHT, PLANE_WIDTH, REQUANTIZE,
    TEST, EMITTED_FIRST, FRONTS, NUM_EMITTED, DEPTH_PLANE, DEPTH_HEIGHT, DEPTH_WIDTH, STENCIL, STENCIL_HEIGHT,
    STENCIL_WIDTH,
) = range(34)  # fmt: skip
# Columns of tex_ops and texture_lines with their spare room.
TABLES: Final = 34
(LINE_FIRST, LINE_COUNT, TEXELS, INSTRUCTION, OPS_ROOM, LINE, LANES, LINES_ROOM) = range(TABLES, TABLES + 8)
# Working memory of the thread.
OWN: Final = 42
(
    ARGUMENTS, SCRATCH, RECORD, RECORD_WORDS, OUTPUTS, OUTPUT_ROWS, OUTPUT_WIDTH, COLORS, TESTED,
) = range(OWN, OWN + 9)  # fmt: skip
NUM_FIELDS: Final = 51
#: How records are filled: up to TABLES, and from there.
DRAW_FIELDS: Final = struct.Struct(f"<{TABLES}q")
THREAD_FIELDS: Final = struct.Struct(f"<{NUM_FIELDS - TABLES}q")


@kernel("int64(int64[::1])")
def test_early(r):
    """Test all fragments of a draw before they are shaded; returns how many passed."""
    quads = r[NUM_QUADS]
    return test_quads(
        carray(pointer(r[TEST]), 1, TEST_DTYPE),
        0,
        quads,
        carray(pointer(r[X]), quads, np.uint16),
        carray(pointer(r[Y]), quads, np.uint16),
        carray(pointer(r[COVERAGE]), quads, np.uint8),
        carray(pointer(r[EMITTED]), quads, np.uint32),
        r[EMITTED_FIRST],
        carray(pointer(r[FRONTS]), r[NUM_EMITTED], np.uint8),
        carray(pointer(r[DEPTH]), (quads, 4), np.uint32),
        carray(pointer(r[DEPTH_PLANE]), (r[DEPTH_HEIGHT], r[DEPTH_WIDTH]), np.uint32),
        carray(pointer(r[STENCIL]), (r[STENCIL_HEIGHT], r[STENCIL_WIDTH]), np.uint8),
        carray(pointer(r[SEEN]), quads, np.uint8),
        0,
        1,
    )


@kernel("int64(int64[::1])")
def run_job(r):
    """Shade chunks of a draw until none is left, or something is lacking.

    Parameters
    ----------
    r : (NUM_FIELDS,) record of the draw and the thread; the draw's state is shared by its threads

    Returns
    -------
    0; why threads stopped is in the state.
    """
    num_quads = r[NUM_QUADS]
    chunk_quads = r[CHUNK_QUADS]
    records = r[TEX_FIRST] != 0
    recorded = num_quads if records else 0
    num_seen = num_quads if r[SEEN] != 0 else 0
    num_hashes = num_quads if r[HASHES] != 0 else 0
    num_colors = 4 if r[COLOR_ROWS] != 0 else 0
    ops_room = r[OPS_ROOM] if records else 0
    lines_room = r[LINES_ROOM] if records else 0
    stage = np.uint64(r[STAGE])
    scratch = np.uint64(r[SCRATCH])
    emitted_first = r[EMITTED_FIRST]
    fields = carray(pointer(r[FIELDS]), r[NUM_ARGUMENT_FIELDS], np.int64)
    template = carray(pointer(r[TEMPLATE]), r[TEMPLATE_WORDS], np.uint64)
    state = carray(pointer(r[STATE]), STATE_WORDS, np.int64)
    coverage = carray(pointer(r[COVERAGE]), num_quads, np.uint8)
    survives = carray(pointer(r[SURVIVES]), num_quads, np.uint8)
    emitted = carray(pointer(r[EMITTED]), num_quads, np.uint32)
    quad_x = carray(pointer(r[X]), num_quads, np.uint16)
    quad_y = carray(pointer(r[Y]), num_quads, np.uint16)
    depth = carray(pointer(r[DEPTH]), (num_quads, 4), np.uint32)
    seen = carray(pointer(r[SEEN]), num_seen, np.uint8)
    hashes = carray(pointer(r[HASHES]), num_hashes, np.uint64)
    tex_first = carray(pointer(r[TEX_FIRST]), recorded, np.uint32)
    tex_count = carray(pointer(r[TEX_COUNT]), recorded, np.uint16)
    line_first = carray(pointer(r[LINE_FIRST]), ops_room, np.uint32)
    line_count = carray(pointer(r[LINE_COUNT]), ops_room, np.uint8)
    texels = carray(pointer(r[TEXELS]), ops_room, np.uint32)
    instruction = carray(pointer(r[INSTRUCTION]), ops_room, np.uint16)
    line = carray(pointer(r[LINE]), lines_room, np.uint32)
    lanes = carray(pointer(r[LANES]), lines_room, np.uint8)
    arguments = carray(pointer(r[ARGUMENTS]), r[TEMPLATE_WORDS], np.uint64)
    record = carray(pointer(r[RECORD]), r[RECORD_WORDS], np.uint32)
    outputs = carray(pointer(r[OUTPUTS]), (r[OUTPUT_ROWS], r[OUTPUT_WIDTH]), np.float32)
    colors = carray(pointer(r[COLORS]), 4 * chunk_quads, np.uint32)
    passed = carray(pointer(r[TESTED]), chunk_quads, np.uint8)
    color_rows = carray(pointer(r[COLOR_ROWS]), num_colors, np.int64)
    blend_rows = carray(pointer(r[BLEND]), 1, BLEND_DTYPE)
    plane = carray(pointer(r[PLANE]), (r[PLANE_HEIGHT], r[PLANE_WIDTH]), np.uint32)
    requantize = carray(pointer(r[REQUANTIZE]), (4, 256), np.uint8)
    test_rows = carray(pointer(r[TEST]), 1, TEST_DTYPE)
    front = carray(pointer(r[FRONTS]), r[NUM_EMITTED], np.uint8)
    depth_plane = carray(pointer(r[DEPTH_PLANE]), (r[DEPTH_HEIGHT], r[DEPTH_WIDTH]), np.uint32)
    stencil_plane = carray(pointer(r[STENCIL]), (r[STENCIL_HEIGHT], r[STENCIL_WIDTH]), np.uint8)
    # A last quad without a partner is a chunk of its own: what follows it belongs to others.
    even = num_quads & ~1
    whole = (even + chunk_quads - 1) // chunk_quads
    num_chunks = whole + (num_quads & 1)
    lone_coverage = np.zeros(2, np.uint8)
    lone_survives = np.zeros(2, np.uint8)
    lone_emitted = np.zeros(2, np.uint32)
    lone_x = np.zeros(2, np.uint16)
    lone_y = np.zeros(2, np.uint16)
    lone_seen = np.zeros(2, np.uint8)
    lone_hashes = np.zeros(2, np.uint64)
    totals = np.zeros(2, np.int64)
    for k in range(template.shape[0]):
        arguments[k] = template[k]
    arguments[fields[1]] = outputs.ctypes.data
    arguments[fields[2]] = outputs.strides[0]
    arguments[fields[7]] = record.ctypes.data
    arguments[fields[8]] = record.shape[0]
    arguments[fields[14]] = scratch
    while _load(state, CODE) == 0:
        chunk = _claim(state, CLAIMED)
        if chunk >= num_chunks:
            return 0
        if chunk < whole:
            first = chunk * chunk_quads
            count = min(chunk_quads, even - first)
            arguments[fields[3]] = coverage.ctypes.data + first
            arguments[fields[4]] = seen.ctypes.data + first
            arguments[fields[5]] = survives.ctypes.data + first
            arguments[fields[6]] = hashes.ctypes.data + 8 * first
            arguments[fields[10]] = emitted.ctypes.data + 4 * first
            arguments[fields[11]] = quad_x.ctypes.data + 2 * first
            arguments[fields[12]] = quad_y.ctypes.data + 2 * first
        else:
            first = even
            count = 1
            for k in range(2):
                lone_coverage[k] = coverage[first] if k == 0 else 0
                lone_emitted[k] = emitted[first]
                lone_x[k] = quad_x[first]
                lone_y[k] = quad_y[first]
                lone_seen[k] = seen[first] if k == 0 and seen.shape[0] != 0 else 0
            arguments[fields[3]] = lone_coverage.ctypes.data
            arguments[fields[4]] = lone_seen.ctypes.data
            arguments[fields[5]] = lone_survives.ctypes.data
            arguments[fields[6]] = lone_hashes.ctypes.data
            arguments[fields[10]] = lone_emitted.ctypes.data
            arguments[fields[11]] = lone_x.ctypes.data
            arguments[fields[12]] = lone_y.ctypes.data
        last = first + count
        arguments[fields[0]] = (count + 1) // 2
        arguments[fields[9]] = 0
        arguments[fields[13]] = 0
        _call_stage(stage, arguments.ctypes.data)
        if chunk >= whole:
            survives[first] = lone_survives[0]
            if hashes.shape[0] != 0:
                hashes[first] = lone_hashes[0]
        if color_rows.shape[0] != 0:
            quantize_unorm8(outputs, color_rows, 4 * count, colors)
        while _load(state, DONE) != chunk:
            if _load(state, CODE) != 0:
                return 0
            _yield_processor()
        if arguments[fields[13]] != 0:
            _store(state, CODE, OVER_BUDGET)
            return 0
        if records:
            used = np.int64(arguments[fields[9]])
            if used > record.shape[0]:
                state[NEEDED] = used
                _store(state, CODE, RECORD_FULL)
                return 0
            ops = state[OPS]
            lines = state[LINES]
            lacking = distill_record(
                record,
                used,
                count,
                tex_first[first:last],
                tex_count[first:last],
                line_first[ops:],
                line_count[ops:],
                texels[ops:],
                instruction[ops:],
                line[lines:],
                lanes[lines:],
                totals,
            )
            if lacking != 0:
                _store(state, CODE, TABLES_FULL)
                return 0
            for op in range(ops, ops + totals[0]):
                line_first[op] += np.uint32(lines)
            for q in range(first, last):
                tex_first[q] += np.uint32(ops)
            state[OPS] = ops + totals[0]
            state[LINES] = lines + totals[1]
        if seen.shape[0] != 0:
            mask = seen[first:last]
        else:
            mask = passed[:count]
            state[PASSED] += test_quads(
                test_rows,
                0,
                count,
                quad_x[first:last],
                quad_y[first:last],
                survives[first:last],
                emitted[first:last],
                emitted_first,
                front,
                depth[first:last],
                depth_plane,
                stencil_plane,
                mask,
                0,
                1,
            )
        if color_rows.shape[0] != 0:
            blend_unorm8(
                blend_rows,
                0,
                count,
                quad_x[first:last],
                quad_y[first:last],
                mask,
                colors[: 4 * count].reshape(count, 4),
                plane,
                requantize,
                0,
                1,
            )
        _store(state, DONE, chunk + 1)
    return 0
