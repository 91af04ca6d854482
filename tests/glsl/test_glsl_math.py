"""The math library: stated errors, edge cases, and the same bits from NumPy and from LLVM."""

from __future__ import annotations

import numpy as np
import pytest

from replay.glsl import mathlib
from replay.glsl.llvm.kernel import VectorKernel
from replay.glsl.llvm.vectors import LANES, FloatVec, IntVec, MaskVec
from replay.glsl.numpyops import NumpyOps

OPS = NumpyOps()
F = np.float32
N = 200_000
SPECIAL = np.array(
    [
        *(
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            -0.5,
            1.5,
            2.5,
            -2.5,
            np.inf,
            -np.inf,
            np.nan,
            1e-45,
            -1e-45,
            1e-38,
            3.4e38,
            -3.4e38,
        ),
        *(
            2.0**31,
            -(2.0**31),
            2.0**32,
            2147483520.0,
            4294967040.0,
            8388607.5,
            -126.0,
            -126.5,
            127.9,
            128.0,
            65504.0,
            65520.0,
        ),
    ],
    F,
)


@pytest.fixture(autouse=True)
def _quiet():
    with np.errstate(all="ignore"):
        yield


def floats(seed: int, low: float, high: float, n: int = N) -> np.ndarray:
    return np.random.default_rng(seed).uniform(low, high, n).astype(F)


def any_floats(seed: int, n: int = N) -> np.ndarray:
    """Random bit patterns, and special numbers paired with each other."""
    bits = np.random.default_rng(seed).integers(0, 1 << 32, n, dtype=np.uint32).view(F)
    bits[: len(SPECIAL) ** 2] = np.resize(SPECIAL, len(SPECIAL) ** 2)
    if seed % 2:
        bits[: len(SPECIAL) ** 2] = SPECIAL.repeat(len(SPECIAL))
    return bits


def any_ints(seed: int, n: int = N) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 1 << 32, n, dtype=np.uint32).view(np.int32)
    values[::3] = rng.integers(-40, 40, len(values[::3]))
    edges = np.array([0, 1, -1, -(1 << 31), (1 << 31) - 1, 31, 32, 33], np.int32)
    values[:64] = edges.repeat(8) if seed % 2 else np.tile(edges, 8)
    return values


def ulps(got: np.ndarray, exact: np.ndarray) -> np.ndarray:
    spacing = np.spacing(np.maximum(np.abs(exact.astype(F)), F(2.0**-126))).astype(float)
    return np.abs(got.astype(float) - exact) / spacing


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Equal bit patterns; NaNs are equal whatever their bits."""
    if a.dtype != F:
        return bool(np.array_equal(a, b))
    nan = np.isnan(a)
    return bool(np.array_equal(nan, np.isnan(b)) and np.array_equal(a.view(np.int32)[~nan], b.view(np.int32)[~nan]))


UNARY = [
    # name, low, high, exact, largest error: ULP, or where that is more, absolute
    ("frcp", 1e-3, 1e3, lambda x: 1 / x, 0.5, 0),
    ("fsqrt", 0, 1e6, np.sqrt, 0.5, 0),
    ("frsq", 1e-6, 1e6, lambda x: 1 / np.sqrt(x), 1.5, 0),
    ("fexp2", -126, 127.99, np.exp2, 3.5, 0),
    ("fexp2", -1, 1, np.exp2, 3.5, 0),
    ("flog2", 0.5, 2, np.log2, 2.5, 2.0**-22),
    ("flog2", 2, 1e6, np.log2, 1, 0),
    ("fsin", -1e3, 1e3, np.sin, 1.5, 2.0**-23),
    ("fsin", -1e5, 1e5, np.sin, 1.5, 2.0**-23),
    ("fcos", -1e3, 1e3, np.cos, 1.5, 2.0**-23),
    ("fcos", -1e5, 1e5, np.cos, 1.5, 2.0**-23),
    ("ftan", -100, 100, np.tan, 3, 2.0**-23),
    ("fasin", -1, 1, np.arcsin, 3, 2.0**-11),
    ("facos", -1, 1, np.arccos, 3, 2.0**-12),
    ("fatan", -5, 5, np.arctan, 3, 2.0**-18),
    ("fatan", -1e6, 1e6, np.arctan, 3, 2.0**-18),
]


@pytest.mark.parametrize(("name", "low", "high", "exact", "bound", "small"), UNARY)
def test_errors_are_as_stated(name, low, high, exact, bound, small):
    x = floats(1, low, high)
    reference = exact(x.astype(float))
    got = mathlib.FUNCTIONS[name](OPS, x)
    assert got.dtype == F
    assert ulps(got, reference)[np.abs(got - reference) > small].max(initial=0) <= bound


@pytest.mark.parametrize(
    ("x_range", "y_range", "limit", "bound"),
    [
        ((0, 2), (-50, 50), 16, 100),
        ((0, 1), (0, 200), 24, 400),
        ((0, 1), (0, 200), 126, 400),
        ((0.99, 1.01), (-1e4, 1e4), 126, 20_000),
    ],
)
def test_power_errors_are_as_stated(x_range, y_range, limit, bound):
    x, y = floats(2, *x_range), floats(3, *y_range)
    exponent = y.astype(float) * np.log2(x.astype(float))
    inside = np.abs(exponent) < limit
    assert inside.sum() > 1000
    assert ulps(mathlib.fpow(OPS, x, y), np.power(x.astype(float), y.astype(float)))[inside].max() <= bound


def test_atan2_error_and_quadrants():
    y, x = floats(4, -5, 5), floats(5, -5, 5)
    assert np.abs(mathlib.fatan2(OPS, y, x) - np.arctan2(y.astype(float), x.astype(float))).max() <= 2.0**-18
    y, x = (
        np.array([0, -0.0, 0, 1, -1, np.inf, 3e38, 1e-45, 0], F),
        np.array([1, 1, -1, 0, 0, np.inf, 3e38, -1e-45, 0], F),
    )
    expected = np.array([0, -0.0, np.pi, np.pi / 2, -np.pi / 2, np.pi / 4, np.pi / 4, 3 * np.pi / 4, 3 * np.pi / 4], F)
    assert np.allclose(mathlib.fatan2(OPS, y, x), expected, rtol=0, atol=2.0**-18)


def value(name: str, *arguments: float) -> float:
    return float(mathlib.FUNCTIONS[name](OPS, *(np.array([a], F) for a in arguments))[0])


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("flog2", (0.0,), -np.inf),
        ("flog2", (-1.0,), np.nan),
        ("flog2", (np.inf,), np.inf),
        ("flog2", (8.0,), 3.0),
        ("flog2", (1.0,), 0.0),
        ("fexp2", (3.0,), 8.0),
        ("fexp2", (0.0,), 1.0),
        ("fexp2", (128.0,), np.inf),
        ("fexp2", (-np.inf,), 0.0),
        ("fexp2", (np.inf,), np.inf),
        ("fexp2", (np.nan,), np.nan),
        ("fexp2", (-126.0,), 2.0**-126),
        ("fpow", (2.0, 10.0), 1024.0),
        ("fpow", (0.0, 2.0), 0.0),
        ("fpow", (0.0, -2.0), 0.0),
        ("fpow", (0.0, 0.0), 0.0),
        ("fpow", (-1.0, 2.0), np.nan),
        ("fpow", (np.inf, 2.0), np.inf),
        ("fpow", (np.inf, -2.0), 0.0),
        ("fpow", (0.5, np.inf), 0.0),
        ("fpow", (1.0, np.inf), np.nan),
        ("fpow", (2.0, np.nan), np.nan),
        ("frsq", (0.0,), np.inf),
        ("frcp", (-0.0,), -np.inf),
        ("fsqrt", (-1.0,), np.nan),
        ("fsin", (np.inf,), np.nan),
        ("fcos", (0.0,), 1.0),
        ("fasin", (1.5,), np.nan),
        ("facos", (-1.0,), np.float32(np.pi)),
        ("fatan", (np.inf,), np.float32(np.pi / 2)),
        ("fsat", (np.nan,), 0.0),
        ("fsat", (7.0,), 1.0),
        ("fround", (2.5,), 3.0),
        ("fround", (-2.5,), -3.0),
        ("fround", (0.49999997,), 0.0),
        ("fsign", (-3.0,), -1.0),
        ("fsign", (np.nan,), 0.0),
        ("ffract", (-0.25,), 0.75),
    ],
)
def test_edge_cases(name, arguments, expected):
    assert np.array_equal(np.float64(value(name, *arguments)), np.float64(expected), equal_nan=True)


def test_large_angles_stay_in_range():
    x = any_floats(6)
    for name in ("fsin", "fcos"):
        result = mathlib.FUNCTIONS[name](OPS, x)
        assert np.all(np.abs(result[np.isfinite(x)]) <= 1)


def test_half_packing_is_numpys():
    x = any_floats(8)
    packed = mathlib.pack_half(OPS, x, F(1.0) + 0 * np.abs(np.nan_to_num(x)) * F(0)).view(np.uint32)
    assert np.all(packed >> 16 == 0x3C00)
    half = x.astype(np.float16).view(np.uint16)
    number = ~np.isnan(x)
    assert np.array_equal(packed[number] & 0xFFFF, half[number])
    assert np.all(packed[~number] & 0x7FFF == 0x7E00)
    words = np.arange(1 << 16, dtype=np.int32)
    low, high = mathlib.unpack_half(OPS, words | words << 16)
    exact = words.astype(np.uint16).view(np.float16).astype(F)
    assert same_bits(low, exact)
    assert same_bits(high, exact)


# ---------------------------------------------------------------------- LLVM gives the same bits
BINARY = {"fpow", "fatan2"}


@pytest.mark.parametrize("name", sorted(mathlib.FUNCTIONS))
def test_functions_are_equal_in_both_executors(name):
    function = mathlib.FUNCTIONS[name]
    arity = 2 if name in BINARY else 1
    kernel = VectorKernel(lambda ops, *x: (function(ops, *x),), (FloatVec,) * arity)
    for arrays in (
        [any_floats(10), any_floats(11)],
        [floats(12, -8, 8), floats(13, -8, 8)],
        [floats(14, 0, 1), floats(15, 0, 64)],
    ):
        assert same_bits(kernel(*arrays[:arity])[0], function(OPS, *arrays[:arity]))


def test_packing_is_equal_in_both_executors():
    kernel = VectorKernel(
        lambda ops, x, y, i: (mathlib.pack_half(ops, x, y), *mathlib.unpack_half(ops, i)), (FloatVec, FloatVec, IntVec)
    )
    x, y, i = any_floats(20), any_floats(21), any_ints(22)
    packed, low, high = kernel(x, y, i)
    assert same_bits(packed, mathlib.pack_half(OPS, x, y))
    expected = mathlib.unpack_half(OPS, i)
    assert same_bits(low, expected[0])
    assert same_bits(high, expected[1])


F1 = ["fneg", "fabs", "fsqrt", "ffloor", "fceil", "ftrunc", "frint", "ftoi", "ftou", "fbits", "ddx", "ddy"]
F2 = ["fadd", "fsub", "fmul", "fdiv", "fmin", "fmax", "flt", "fle", "feq", "fne"]
I1 = ["inot", "itof", "utof", "ibits"]
I2 = ["iadd", "isub", "imul", "idiv", "irem", "udiv", "urem", "iand", "ior", "ixor", "shl", "lshr", "ashr", "imin"]
I2 += ["imax", "umin", "umax", "ilt", "ile", "ieq", "ine", "ult", "ule"]


@pytest.mark.parametrize(
    ("names", "kind", "arity"),
    [(F1, FloatVec, 1), (F2, FloatVec, 2), (I1, IntVec, 1), (I2, IntVec, 2)],
    ids=["f1", "f2", "i1", "i2"],
)
def test_operations_are_equal_in_both_executors(names, kind, arity):
    make = any_floats if kind is FloatVec else any_ints
    arrays = [make(30), make(31)][:arity]
    kernel = VectorKernel(lambda ops, *x: tuple(getattr(ops, name)(*x) for name in names), (kind,) * arity)
    for name, result in zip(names, kernel(*arrays), strict=True):
        assert same_bits(result, getattr(OPS, name)(*arrays)), name


def test_masks_and_lanes_are_equal_in_both_executors():
    def build(ops, m, k, x, i):
        return (
            ops.mask_and(m, k),
            ops.mask_or(m, ops.mask_not(k)),
            ops.mask_xor(m, k),
            ops.select(m, x, ops.fconst(0.1)),
            ops.select(m, i, ops.iconst(0xDEADBEEF)),
            ops.select(m, k, ops.mask_const(True)),
            ops.quad_lane(x, 2),
        )

    m, k = any_ints(40) > 0, any_ints(41) > 5
    x, i = any_floats(42), any_ints(43)
    got = VectorKernel(build, (MaskVec, MaskVec, FloatVec, IntVec))(m, k, x, i)
    for result, expected in zip(got, build(OPS, m, k, x, i), strict=True):
        assert same_bits(result, expected)


def test_nothing_is_contracted():
    """A fused multiply-add would give another result for these operands."""
    a, c = F(1 + 2.0**-12), F(-1 - 2.0**-11)
    x = np.full(LANES, a, F)
    kernel = VectorKernel(lambda ops, x, y: (ops.fadd(ops.fmul(x, x), y),), (FloatVec, FloatVec))
    assert kernel(x, np.full(LANES, c, F))[0][0] == F(a * a) + c
    assert float(a) * float(a) + float(c) != float(F(a * a) + c)


def test_integer_operations_have_no_undefined_behaviour():
    a = np.array([7, -7, -(1 << 31), 5], np.int32)
    b = np.array([0, 2, -1, -3], np.int32)
    assert OPS.idiv(a, b).tolist() == [0, -3, -(1 << 31), -1]
    assert OPS.irem(a, b).tolist() == [7 * 0, -1, 0, 2]
    assert OPS.shl(np.array([1], np.int32), np.array([33], np.int32)).tolist() == [2]
    x = np.array([np.nan, np.inf, -np.inf, 3e9, -3e9, -1.5], F)
    assert OPS.ftoi(x).tolist() == [0, (1 << 31) - 1, -(1 << 31), (1 << 31) - 1, -(1 << 31), -1]
    assert OPS.ftou(x).view(np.uint32).tolist() == [0, 0xFFFFFFFF, 0, 3000000000, 0, 0]
