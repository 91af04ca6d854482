"""All quads of a draw in one call: the compiled fragment stage chunk by chunk, with what follows it.

Several threads may execute one draw together. Each claims chunks from a shared counter and shades them on its own;
distilling the texture record, tests and blending wait for their turn, so that everything lies in the order of quads and
the result is the same for any number of threads.
"""

# mypy: ignore-errors
# Numba's signatures type what is compiled.
from __future__ import annotations

from typing import Final

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from replay.engine.kernels.blend import blend_type, blend_unorm8, quantize_unorm8
from replay.engine.kernels.fragment_tests import test_quads, test_type
from replay.engine.kernels.texture_log import distill_record
from replay.kernels import kernel

__all__ = [
    "ARGUMENT_FIELDS",
    "CLAIMED",
    "CODE",
    "DONE",
    "LINES",
    "NEEDED",
    "OPS",
    "OVER_BUDGET",
    "PASSED",
    "RECORD_FULL",
    "STATE_WORDS",
    "TABLES_FULL",
    "shade_chunks",
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


@kernel(
    numba.int64(
        numba.uint64,
        numba.int64[::1],
        numba.uint64[::1],
        numba.int64[::1],
        numba.int64,
        # quads
        numba.uint8[::1],
        numba.uint8[::1],
        numba.uint32[::1],
        numba.uint16[::1],
        numba.uint16[::1],
        numba.uint32[:, ::1],
        numba.uint8[::1],
        numba.uint64[::1],
        numba.uint32[::1],
        numba.uint16[::1],
        # tex_ops, texture_lines
        numba.uint32[::1],
        numba.uint8[::1],
        numba.uint32[::1],
        numba.uint16[::1],
        numba.uint32[::1],
        numba.uint8[::1],
        # own
        numba.uint64[::1],
        numba.uint64,
        numba.uint32[::1],
        numba.float32[:, ::1],
        numba.uint32[::1],
        numba.uint8[::1],
        # output
        numba.int64[::1],
        blend_type[:],
        numba.uint32[:, ::1],
        numba.uint8[:, ::1],
        # tests
        test_type[:],
        numba.int64,
        numba.uint8[::1],
        numba.uint32[:, ::1],
        numba.uint8[:, ::1],
    )
)
def shade_chunks(
    stage,
    fields,
    template,
    state,
    chunk_quads,
    coverage,
    survives,
    emitted,
    quad_x,
    quad_y,
    depth,
    seen,
    hashes,
    tex_first,
    tex_count,
    line_first,
    line_count,
    texels,
    instruction,
    line,
    lanes,
    arguments,
    scratch,
    record,
    outputs,
    colors,
    passed,
    color_rows,
    blend_rows,
    plane,
    requantize,
    test_rows,
    emitted_first,
    front,
    depth_plane,
    stencil_plane,
):
    """Shade chunks of a draw until none is left, or something is lacking.

    Parameters
    ----------
    stage : address of the compiled fragment stage
    fields : numbers of ARGUMENT_FIELDS in the argument record
    template : argument record with everything that is the same for all chunks and threads
    state : (STATE_WORDS,) shared by the draw's threads
    chunk_quads : quads of a chunk, even
    coverage, survives, emitted, quad_x, quad_y, depth : columns of ``quads``, the draw's rows
    seen : fragments that passed the early tests; empty if the tests are still to come
    hashes : (Q,) paths, out; empty if not wanted
    tex_first, tex_count : columns of ``quads``, out; empty if textures are not recorded
    line_first, line_count, texels, instruction : columns of ``tex_ops`` with their spare room
    line, lanes : columns of ``texture_lines`` with their spare room
    arguments, scratch, record, outputs, colors, passed : working memory of this thread: argument record, address of the
        stage's scratch memory, texture record, output rows, bytes of colours and tested fragments of a chunk
    color_rows : (4,) rows of ``outputs`` that hold the colour; empty if no colour is written
    blend_rows, plane, requantize : of the colour target, see ``blend_unorm8``
    test_rows, emitted_first, front, depth_plane, stencil_plane : of the tests, see ``test_quads``

    Returns
    -------
    0; why threads stopped is in ``state``.
    """
    num_quads = coverage.shape[0]
    # A last quad without a partner is a chunk of its own: what follows it belongs to others.
    even = num_quads & ~1
    whole = (even + chunk_quads - 1) // chunk_quads
    num_chunks = whole + (num_quads & 1)
    records = tex_first.shape[0] != 0
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
