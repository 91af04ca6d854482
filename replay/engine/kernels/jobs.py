"""The fragment work of a draw by one record of addresses, see :mod:`replay.engine.kernels.shading`."""

# mypy: ignore-errors
# Numba's signatures type what is compiled.
from __future__ import annotations

import struct
from typing import Final

import numpy as np
from numba import carray

from replay.engine.kernels.blend import BLEND_DTYPE
from replay.engine.kernels.fragment_tests import TEST_DTYPE, test_quads
from replay.engine.kernels.memory import pointer
from replay.engine.kernels.shading import STATE_WORDS, shade_chunks
from replay.kernels import kernel

__all__ = ["DRAW_FIELDS", "NUM_FIELDS", "STATE_WORDS", "TABLES", "THREAD_FIELDS", "run_job", "test_early"]

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
    ARGUMENTS, SCRATCH, RECORD, RECORD_WORDS, OUTPUTS, OUTPUT_ROWS, OUTPUT_WIDTH, COLORS, PASSED,
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
    quads = r[NUM_QUADS]
    chunk = r[CHUNK_QUADS]
    records = r[TEX_FIRST] != 0
    quads_recorded = quads if records else 0
    seen = quads if r[SEEN] != 0 else 0
    hashes = quads if r[HASHES] != 0 else 0
    colors = 4 if r[COLOR_ROWS] != 0 else 0
    ops = r[OPS_ROOM] if records else 0
    lines = r[LINES_ROOM] if records else 0
    return shade_chunks(
        np.uint64(r[STAGE]),
        carray(pointer(r[FIELDS]), r[NUM_ARGUMENT_FIELDS], np.int64),
        carray(pointer(r[TEMPLATE]), r[TEMPLATE_WORDS], np.uint64),
        carray(pointer(r[STATE]), STATE_WORDS, np.int64),
        chunk,
        carray(pointer(r[COVERAGE]), quads, np.uint8),
        carray(pointer(r[SURVIVES]), quads, np.uint8),
        carray(pointer(r[EMITTED]), quads, np.uint32),
        carray(pointer(r[X]), quads, np.uint16),
        carray(pointer(r[Y]), quads, np.uint16),
        carray(pointer(r[DEPTH]), (quads, 4), np.uint32),
        carray(pointer(r[SEEN]), seen, np.uint8),
        carray(pointer(r[HASHES]), hashes, np.uint64),
        carray(pointer(r[TEX_FIRST]), quads_recorded, np.uint32),
        carray(pointer(r[TEX_COUNT]), quads_recorded, np.uint16),
        carray(pointer(r[LINE_FIRST]), ops, np.uint32),
        carray(pointer(r[LINE_COUNT]), ops, np.uint8),
        carray(pointer(r[TEXELS]), ops, np.uint32),
        carray(pointer(r[INSTRUCTION]), ops, np.uint16),
        carray(pointer(r[LINE]), lines, np.uint32),
        carray(pointer(r[LANES]), lines, np.uint8),
        carray(pointer(r[ARGUMENTS]), r[TEMPLATE_WORDS], np.uint64),
        np.uint64(r[SCRATCH]),
        carray(pointer(r[RECORD]), r[RECORD_WORDS], np.uint32),
        carray(pointer(r[OUTPUTS]), (r[OUTPUT_ROWS], r[OUTPUT_WIDTH]), np.float32),
        carray(pointer(r[COLORS]), 4 * chunk, np.uint32),
        carray(pointer(r[PASSED]), chunk, np.uint8),
        carray(pointer(r[COLOR_ROWS]), colors, np.int64),
        carray(pointer(r[BLEND]), 1, BLEND_DTYPE),
        carray(pointer(r[PLANE]), (r[PLANE_HEIGHT], r[PLANE_WIDTH]), np.uint32),
        carray(pointer(r[REQUANTIZE]), (4, 256), np.uint8),
        carray(pointer(r[TEST]), 1, TEST_DTYPE),
        r[EMITTED_FIRST],
        carray(pointer(r[FRONTS]), r[NUM_EMITTED], np.uint8),
        carray(pointer(r[DEPTH_PLANE]), (r[DEPTH_HEIGHT], r[DEPTH_WIDTH]), np.uint32),
        carray(pointer(r[STENCIL]), (r[STENCIL_HEIGHT], r[STENCIL_WIDTH]), np.uint8),
    )
