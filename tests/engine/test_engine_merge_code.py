"""Machine code for tests and blending, two quads at once, against the kernels that take one pixel after the other."""

import ctypes

import numpy as np
import pytest
from merge_twins import run_blending, run_tests

from replay.engine.kernels.records import BLEND_DTYPE, PIXELS, TEST_DTYPE
from replay.engine.merge_code import BlendKey, blend_function
from replay.engine.merge_code import TestKey as DepthKey
from replay.engine.merge_code import test_function as depth_function
from traceformat.gles.blend_codes import EQUATIONS
from traceformat.native.records import address_of

WIDTH, HEIGHT, QUADS = 64, 48, 301


def some_quads(rng):
    """Quads, many of which lie where the one before does; the row behind the last has no fragments."""
    x = rng.integers(0, WIDTH // 2, QUADS + 1).astype(np.uint16)
    y = rng.integers(0, HEIGHT // 2, QUADS + 1).astype(np.uint16)
    again = np.flatnonzero(rng.random(QUADS) < 0.3) + 1
    x[again], y[again] = x[again - 1], y[again - 1]
    mask = rng.integers(0, 16, QUADS + 1).astype(np.uint8)
    mask[rng.random(QUADS + 1) < 0.5] = 15
    mask[QUADS] = 0
    return x, y, mask


def run(address, **fields):
    row = PIXELS.row(num_quads=QUADS, plane_width=WIDTH, **fields)
    ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(address)(row.address)


@pytest.mark.parametrize("number", range(60))
def test_blending(number):
    rng = np.random.default_rng(number)
    x, y, mask = some_quads(rng)
    channels = (0, 0, 0, 0) if number % 3 else (0, -1, 0, -2)
    state = np.zeros(1, BLEND_DTYPE)
    row = state[0]
    row["blend"] = number % 4 != 0
    row["equation"] = rng.integers(0, len(EQUATIONS), 2) if number % 2 else (0, 0)
    row["source"], row["destination"] = rng.integers(0, 15, 2), rng.integers(0, 15, 2)
    if number < 15:
        row["source"] = row["destination"] = (number, number)
    row["constant"] = rng.random(4)
    row["write_mask"] = 15 if number % 5 else rng.integers(1, 16)
    outputs = (rng.random((4, 4 * QUADS + 4)) * 1.4 - 0.2).astype(np.float32)
    outputs[rng.random(outputs.shape) < 0.01] = np.nan
    rows = np.array([c if c < 0 else k for k, c in enumerate(channels)], np.int64)
    before = rng.integers(0, 1 << 32, (HEIGHT, WIDTH), dtype=np.uint32)
    want, ours = before.copy(), before.copy()
    run_blending(state, (x, y, mask[:QUADS]), outputs, want, rows)
    constant = tuple(int(v) for v in np.rint(row["constant"] * np.float32(255.0)))
    pairs = ((int(row[name][0]), int(row[name][1])) for name in ("equation", "source", "destination"))
    key = BlendKey(channels, bool(row["blend"]), *pairs, constant, int(row["write_mask"]))
    run(
        blend_function(key), x=address_of(x), y=address_of(y), mask=address_of(mask), outputs=address_of(outputs),
        output_stride=outputs.strides[0], rows=address_of(rows), plane=address_of(ours),
    )  # fmt: skip
    assert not np.array_equal(ours, before) or number % 15 == 0
    assert np.array_equal(ours, want)


@pytest.mark.parametrize("func", range(8))
@pytest.mark.parametrize("write", [False, True])
def test_depth(func, write):
    rng = np.random.default_rng(func)
    x, y, mask = some_quads(rng)
    state = np.zeros(1, TEST_DTYPE)
    state["depth_test"], state["depth_func"], state["depth_write"] = 1, func, write
    depth = rng.integers(0, 6, (QUADS + 1, 4)).astype(np.uint32) * 0x30000000
    before = rng.integers(0, 6, (HEIGHT, WIDTH)).astype(np.uint32) * 0x30000000
    want, ours = before.copy(), before.copy()
    found = np.zeros(QUADS + 1, np.uint8)
    passed = run_tests(state, (x, y, mask[:QUADS]), depth, want)
    run(
        depth_function(DepthKey(func, write)), x=address_of(x), y=address_of(y), mask=address_of(mask),
        depth=address_of(depth), passed=address_of(found), plane=address_of(ours),
    )  # fmt: skip
    assert np.array_equal(ours, want)
    assert np.array_equal(found[:QUADS], passed)


@pytest.mark.parametrize("number", range(48))
def test_stencil(number):
    rng = np.random.default_rng(number)
    x, y, mask = some_quads(rng)
    state = np.zeros(1, TEST_DTYPE)
    func, write, has_depth = int(rng.integers(0, 8)), bool(rng.integers(0, 2)), number % 3 > 0
    if has_depth:
        state["depth_test"], state["depth_func"], state["depth_write"] = 1, func, write
    codes = number % 8, *rng.integers(0, 8, 3).tolist()
    state["stencil_test"] = 1
    for name, code in zip(("func", "fail", "depth_fail", "depth_pass"), codes, strict=True):
        state[f"stencil_{name}"] = code
    state["stencil_ref"] = rng.integers(0, 256)
    state["stencil_read_mask"] = 255 if number % 2 else rng.integers(0, 256)
    state["stencil_write_mask"] = 255 if number % 4 < 2 else rng.integers(0, 256)
    depth = rng.integers(0, 6, (QUADS + 1, 4)).astype(np.uint32) * 0x30000000
    before = rng.integers(0, 6, (HEIGHT, WIDTH)).astype(np.uint32) * 0x30000000
    values = rng.integers(0, 256, (HEIGHT, WIDTH)).astype(np.uint8)
    values[rng.random(values.shape) < 0.3] = state["stencil_ref"][0, 0]
    want, ours, want_values, own_values = before.copy(), before.copy(), values.copy(), values.copy()
    found = np.zeros(QUADS + 1, np.uint8)
    facing = np.zeros(QUADS, np.uint32), 0, np.full(1, number % 2, np.uint8)
    passed = run_tests(state, (x, y, mask[:QUADS]), depth, want, want_values, facing)
    run(
        depth_function(DepthKey(func if has_depth else 7, write and has_depth, codes)), x=address_of(x),
        y=address_of(y), mask=address_of(mask), depth=address_of(depth), passed=address_of(found),
        plane=address_of(ours), stencil=address_of(own_values), stencil_width=WIDTH, test=address_of(state),
    )  # fmt: skip
    assert np.array_equal(ours, want)
    assert np.array_equal(own_values, want_values)
    assert np.array_equal(found[:QUADS], passed)
