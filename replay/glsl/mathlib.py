"""The transcendental and packing functions of the language, each written once for both executors.

A function here is a sequence of :class:`replay.glsl.vectorops.VectorOps` operations, every one of them exactly
rounded, so that NumPy and LLVM give the same bits on every host. What shaders make of a last bit (a hash of a sine,
say) is the whole colour, so the results are those of Mesa's llvmpipe on processors with fused operations, bit by bit:
the sine and cosine of Cephes (Moshier), minimax polynomials for the exponential and the logarithm, Mesa's formulas for
the inverse functions. ``tests/glsl/test_glsl_mesa_math.py`` holds it.

Maximum errors, measured against binary64 over dense ranges (``tests/glsl/test_glsl_math.py`` holds them):

=================== ======================== =====================================================
function            error                    range
=================== ======================== =====================================================
frcp fsqrt          0.5 ULP                  all
frsq                1.5 ULP                  all
fexp2               3.5 ULP                  all x >= -126; below, 0 (results are never subnormal)
flog2               2.5 ULP or 2**-22        normal x
fpow                100 ULP                  x > 0, result in [2**-16, 2**16]
..                  20,000 ULP               every other normal result
fsin fcos           1.5 ULP or 2**-23        abs(x) <= 100000; beyond, some value in [-1, 1]
ftan                3 ULP or 2**-23          abs(x) <= 100
fasin facos         3 ULP or 2**-11          [-1, 1]
fatan fatan2        3 ULP or 2**-18          all
pack_half           0.5 ULP (of binary16)    all
=================== ======================== =====================================================

Outside the domain: ``flog2`` = -inf for 0 and subnormals, ``flog2(x < 0)`` = NaN, ``fpow(x < 0, y)`` = NaN,
``fpow(0, y)`` = 0, ``fsin(inf)`` = NaN, ``fasin(abs(x) > 1)`` = NaN, ``fatan2(0, 0)`` = 3 pi/4; a NaN operand gives
NaN (but ``fpow(x, NaN)`` = 0 where x is, ``fatan(NaN)`` is a number, ``fsat(NaN)`` = 0, ``fsign(NaN)`` = 0).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from replay.glsl.types import Base
from replay.glsl.vectorops import Vec, VectorOps

__all__ = ["FUNCTIONS", "NARROWING", "pack_half", "unpack_half"]

_INF: Final = float("inf")
_NAN: Final = float("nan")

_FOUR_OVER_PI: Final = 1.27323954473516
# pi/4 in three pieces (Cody and Waite): a product with one of them is added by one fused operation.
_QUARTER_PI_PIECES: Final = (0.78515625, 2.4187564849853515625e-4, 3.77489497744594108e-8)
_SIN: Final = (-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4)
_COS: Final = (4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5)

# exp2(f) on [0, 1)
_EXP2: Final = (
    1.0,
    0.693153073200168932794,
    0.240153617044375388211,
    0.0558263180532956664775,
    0.00898934009049466391101,
    0.00187757667519147912699,
)
# log2((1 + y) / (1 - y)) = y * P(y**2) for abs(y) <= 1/3
_LOG2: Final = (
    2.88539009343309178325,
    0.961791550404184197881,
    0.577440339438736392009,
    0.403343858251329912514,
    0.406718052498846252698,
)
# atan(t) = sum of c[k] * t**(2 * k + 1) on [0, 1]
_ATAN: Final = (
    0.9999793128310355,
    -0.3326756418091246,
    0.1938924977115610,
    -0.1173503194786851,
    0.0536813784310406,
    -0.0121323213173444,
)
_HALF_PI: Final = math.pi / 2
_QUARTER_PI_LESS_1: Final = -0.21460181474685669  # of pi/4 in binary32
# asin(t) = pi/2 - sqrt(1 - t) * (pi/2 + t * (pi/4 - 1 + t * (p + t * q))) on [0, 1]: (p, q) of asin and of acos
_ASIN: Final = (0.086566724, -0.03102955)
_ACOS: Final = (0.08132463, -0.02363318)
#: Beyond, tangents are taken of a quarter of both sides.
_HUGE: Final = 1e18


def _polynomial(ops: VectorOps, x: Vec, coefficients: Sequence[float]) -> Vec:
    """Sum of ``coefficients[i] * x**i``: even and odd terms apart, each step fused (as llvmpipe does)."""
    square = ops.fmul(x, x)
    halves: list[Vec] = []
    for terms in (coefficients[::2], coefficients[1::2]):
        total = ops.fconst(terms[-1])
        for term in reversed(terms[:-1]):
            total = ops.ffused(square, total, ops.fconst(term))
        halves.append(total)
    even, odd = halves
    return ops.ffused(odd, x, even)


def _with_sign_of(ops: VectorOps, magnitude: Vec, sign: Vec) -> Vec:
    """``magnitude`` (not negative) with the sign bit of ``sign``."""
    bit = ops.iand(ops.fbits(sign), ops.iconst(-(1 << 31)))
    return ops.ibits(ops.ior(ops.fbits(magnitude), bit))


# ---------------------------------------------------------------------- simple functions
def frcp(ops: VectorOps, x: Vec) -> Vec:
    """1 / x."""
    return ops.fdiv(ops.fconst(1.0), x)


def frsq(ops: VectorOps, x: Vec) -> Vec:
    """1 / sqrt(x)."""
    return ops.fdiv(ops.fconst(1.0), ops.fsqrt(x))


def fsqrt(ops: VectorOps, x: Vec) -> Vec:
    """Square root."""
    return ops.fsqrt(x)


def fsat(ops: VectorOps, x: Vec) -> Vec:
    """Clamp to [0, 1]; NaN gives 0."""
    return ops.fmin(ops.fmax(ops.fconst(0.0), x), ops.fconst(1.0))


def ffract(ops: VectorOps, x: Vec) -> Vec:
    """``x - floor(x)``."""
    return ops.fsub(x, ops.ffloor(x))


def fround(ops: VectorOps, x: Vec) -> Vec:
    """Nearest integer, halves away from zero."""
    whole = ops.ftrunc(x)
    away = ops.fle(ops.fconst(0.5), ops.fabs(ops.fsub(x, whole)))
    return ops.select(away, ops.fadd(whole, _with_sign_of(ops, ops.fconst(1.0), x)), whole)


def fsign(ops: VectorOps, x: Vec) -> Vec:
    """1, -1 or 0; 0 for NaN."""
    zero = ops.fconst(0.0)
    negative = ops.select(ops.flt(x, zero), ops.fconst(-1.0), zero)
    return ops.select(ops.flt(zero, x), ops.fconst(1.0), negative)


# ---------------------------------------------------------------------- exponentials
def fexp2(ops: VectorOps, x: Vec) -> Vec:
    """2**x."""
    inside = ops.fmax(ops.fmin(x, ops.fconst(128.0)), ops.fconst(-126.99999))
    whole = ops.ffloor(inside)
    exponent = ops.shl(ops.iadd(ops.ftoi_bounded(whole), ops.iconst(127)), ops.iconst(23))
    return ops.fmul(ops.ibits(exponent), _polynomial(ops, ops.fsub(inside, whole), _EXP2))


def flog2(ops: VectorOps, x: Vec) -> Vec:
    """Logarithm to base 2."""
    bits = ops.fbits(x)
    exponent = ops.isub(ops.iand(ops.lshr(bits, ops.iconst(23)), ops.iconst(0xFF)), ops.iconst(127))
    one = ops.fconst(1.0)
    significand = ops.ibits(ops.ior(ops.iand(bits, ops.iconst(0x7FFFFF)), ops.fbits(one)))
    ratio = ops.fdiv(ops.fsub(significand, one), ops.fadd(significand, one))
    tail = _polynomial(ops, ops.fmul(ratio, ratio), _LOG2)
    result = ops.ffused(ratio, tail, ops.itof(exponent))
    result = ops.select(ops.flt(x, ops.fconst(_INF)), result, x)
    result = ops.select(ops.flt(ops.fabs(x), ops.fconst(2.0**-126)), ops.fconst(-_INF), result)
    return ops.select(ops.flt(x, ops.fconst(0.0)), ops.fconst(_NAN), result)


def fpow(ops: VectorOps, x: Vec, y: Vec) -> Vec:
    """x**y as exp2(y * log2(x)), 0 where x is 0."""
    zero = ops.fconst(0.0)
    return ops.select(ops.feq(x, zero), zero, fexp2(ops, ops.fmul(flog2(ops, x), y)))


# ---------------------------------------------------------------------- trigonometry
def _octant(ops: VectorOps, x: Vec) -> tuple[Vec, Vec]:
    """(even number of eighths of a turn next to abs(x), what of abs(x) is left)."""
    size = ops.fabs(x)
    eighths = ops.ftoi(ops.fmul(size, ops.fconst(_FOUR_OVER_PI)))
    eighths = ops.iand(ops.iadd(eighths, ops.iconst(1)), ops.iconst(-2))
    number, angle = ops.itof(eighths), size
    for piece in _QUARTER_PI_PIECES:
        angle = ops.ffused(number, ops.fconst(-piece), angle)
    return eighths, angle


def _of_octant(ops: VectorOps, x: Vec, angle: Vec, eighths: Vec, sign: Vec) -> Vec:
    """The angle's sine in octants 0 and 4, its cosine in 2 and 6, with a sign; NaN where x is not finite."""
    square = ops.fmul(angle, angle)
    cosine = ops.ffused(square, ops.fconst(_COS[2]), ops.fconst(_COS[1]))
    cosine = ops.ffused(cosine, square, ops.fconst(_COS[0]))
    cosine = ops.fmul(ops.fmul(cosine, square), square)
    one = ops.fconst(1.0)
    cosine = ops.fadd(ops.fsub(cosine, ops.fmul(square, ops.fconst(0.5))), one)
    sine = ops.ffused(square, ops.fconst(_SIN[2]), ops.fconst(_SIN[1]))
    sine = ops.ffused(sine, square, ops.fconst(_SIN[0]))
    sine = ops.ffused(ops.fmul(sine, square), angle, angle)
    value = ops.select(ops.ieq(ops.iand(eighths, ops.iconst(2)), ops.iconst(0)), sine, cosine)
    value = ops.ibits(ops.ixor(ops.fbits(value), ops.iand(sign, ops.iconst(-(1 << 31)))))
    value = ops.fmax(ops.fmin(one, value), ops.fconst(-1.0))  # 1 where an angle beyond all bounds gave NaN
    return ops.select(ops.flt(ops.fabs(x), ops.fconst(_INF)), value, ops.fconst(_NAN))


def fsin(ops: VectorOps, x: Vec) -> Vec:
    """Sine."""
    eighths, angle = _octant(ops, x)
    sign = ops.ixor(ops.fbits(x), ops.shl(eighths, ops.iconst(29)))
    return _of_octant(ops, x, angle, eighths, sign)


def fcos(ops: VectorOps, x: Vec) -> Vec:
    """Cosine."""
    eighths, angle = _octant(ops, x)
    eighths = ops.isub(eighths, ops.iconst(2))
    return _of_octant(ops, x, angle, eighths, ops.shl(ops.inot(eighths), ops.iconst(29)))


def ftan(ops: VectorOps, x: Vec) -> Vec:
    """Tangent."""
    return ops.fdiv(fsin(ops, x), fcos(ops, x))


def fatan(ops: VectorOps, x: Vec) -> Vec:
    """Arc tangent."""
    size, one, zero = ops.fabs(x), ops.fconst(1.0), ops.fconst(0.0)
    ratio = ops.fdiv(ops.fmin(size, one), ops.fmax(size, one))
    square = ops.fmul(ratio, ratio)
    angle, power = ops.fmul(ratio, ops.fconst(_ATAN[0])), ratio
    for coefficient in _ATAN[1:]:
        power = ops.fmul(power, square)
        angle = ops.fadd(angle, ops.fmul(power, ops.fconst(coefficient)))
    beyond = ops.fadd(ops.fmul(angle, ops.fconst(-2.0)), ops.fconst(_HALF_PI))
    angle = ops.fadd(angle, ops.select(ops.flt(one, size), beyond, zero))
    return ops.fmul(angle, fsign(ops, x))


def fatan2(ops: VectorOps, y: Vec, x: Vec) -> Vec:
    """Angle of the vector (x, y), in [-pi, pi]."""
    zero, one = ops.fconst(0.0), ops.fconst(1.0)
    # The left half is turned by a right angle.
    left = ops.fle(x, zero)
    across, along = ops.fabs(x), ops.fabs(y)
    numerator, denominator = ops.select(left, across, y), ops.select(left, y, across)
    scale = ops.select(ops.fle(ops.fconst(_HUGE), ops.fabs(denominator)), ops.fconst(0.25), one)
    reciprocal = frcp(ops, ops.fmul(denominator, scale))
    tangent = ops.fabs(ops.fmul(ops.fmul(numerator, scale), reciprocal))
    tangent = ops.select(ops.feq(across, along), one, tangent)
    angle = ops.fadd(ops.select(left, ops.fconst(_HALF_PI), zero), fatan(ops, tangent))
    # Not the sign of y alone, which has two zeros.
    negative = ops.flt(ops.fmin(y, reciprocal), zero)
    return ops.select(negative, ops.fneg(angle), angle)


def _arc(ops: VectorOps, x: Vec, coefficients: tuple[float, float]) -> Vec:
    """Arc sine with one of two pairs of coefficients."""
    size = ops.fabs(x)
    inner = ops.fadd(ops.fconst(coefficients[0]), ops.fmul(size, ops.fconst(coefficients[1])))
    inner = ops.fadd(ops.fconst(_QUARTER_PI_LESS_1), ops.fmul(size, inner))
    inner = ops.fadd(ops.fconst(_HALF_PI), ops.fmul(size, inner))
    root = ops.fsqrt(ops.fsub(ops.fconst(1.0), size))
    return ops.fmul(fsign(ops, x), ops.fsub(ops.fconst(_HALF_PI), ops.fmul(root, inner)))


def fasin(ops: VectorOps, x: Vec) -> Vec:
    """Arc sine."""
    return _arc(ops, x, _ASIN)


def facos(ops: VectorOps, x: Vec) -> Vec:
    """Arc cosine."""
    return ops.fsub(ops.fconst(_HALF_PI), _arc(ops, x, _ACOS))


# ---------------------------------------------------------------------- packing
def _to_half(ops: VectorOps, x: Vec) -> Vec:
    bits = ops.fbits(x)
    sign = ops.iand(ops.lshr(bits, ops.iconst(16)), ops.iconst(0x8000))
    size = ops.iand(bits, ops.iconst(0x7FFFFFFF))
    odd = ops.iand(ops.lshr(size, ops.iconst(13)), ops.iconst(1))
    rounded = ops.iadd(ops.iadd(size, ops.iconst(0xFFF)), odd)
    normal = ops.lshr(ops.isub(rounded, ops.iconst(0x38000000)), ops.iconst(13))
    normal = ops.imin(normal, ops.iconst(0x7C00))
    small = ops.fmin(ops.fmul(ops.fabs(x), ops.fconst(2.0**24)), ops.fconst(1024.0))
    subnormal = ops.ftoi_bounded(ops.frint(small))
    half = ops.select(ops.ilt(size, ops.iconst(0x38800000)), subnormal, normal)
    half = ops.select(ops.ilt(ops.iconst(0x7F800000), size), ops.iconst(0x7E00), half)
    return ops.ior(half, sign)


def _from_half(ops: VectorOps, half: Vec) -> Vec:
    sign = ops.shl(ops.iand(half, ops.iconst(0x8000)), ops.iconst(16))
    size = ops.iand(half, ops.iconst(0x7FFF))
    wide = ops.shl(size, ops.iconst(13))
    normal = ops.iadd(wide, ops.iconst(0x38000000))
    special = ops.ior(wide, ops.iconst(0x7F800000))
    subnormal = ops.fbits(ops.fmul(ops.itof(size), ops.fconst(2.0**-24)))
    bits = ops.select(ops.ilt(size, ops.iconst(0x0400)), subnormal, normal)
    bits = ops.select(ops.ile(ops.iconst(0x7C00), size), special, bits)
    return ops.ibits(ops.ior(bits, sign))


def pack_half(ops: VectorOps, x: Vec, y: Vec) -> Vec:
    """Two floats as binary16, the first in the low half; rounded to even, NaN to 0x7E00."""
    return ops.ior(_to_half(ops, x), ops.shl(_to_half(ops, y), ops.iconst(16)))


def unpack_half(ops: VectorOps, word: Vec) -> tuple[Vec, Vec]:
    """The two binary16 numbers of a word, the low half first."""
    return _from_half(ops, ops.iand(word, ops.iconst(0xFFFF))), _from_half(ops, ops.lshr(word, ops.iconst(16)))


def narrow(ops: VectorOps, x: Vec) -> Vec:
    """A float rounded to the nearest binary16, ties to even, held as binary32; 65,520 and more give infinity."""
    bits = ops.fbits(x)
    sign = ops.iand(bits, ops.iconst(0x80000000))
    size = ops.iand(bits, ops.iconst(0x7FFFFFFF))
    odd = ops.iand(ops.lshr(size, ops.iconst(13)), ops.iconst(1))
    rounded = ops.iand(ops.iadd(ops.iadd(size, ops.iconst(0xFFF)), odd), ops.iconst(0xFFFFE000))
    rounded = ops.select(ops.ilt(rounded, ops.iconst(0x47800000)), rounded, ops.iconst(0x7F800000))
    # Below 2**-14 all numbers are multiples of 2**-24, as those from a half on are in binary32.
    half = ops.fconst(0.5)
    subnormal = ops.fbits(ops.fsub(ops.fadd(ops.fabs(x), half), half))
    rounded = ops.select(ops.ilt(size, ops.iconst(0x38800000)), subnormal, rounded)
    return ops.select(ops.fne(x, x), x, ops.ibits(ops.ior(rounded, sign)))


def wrap_signed(ops: VectorOps, x: Vec) -> Vec:
    """The low 16 bits of an integer, with their sign."""
    return ops.ashr(ops.shl(x, ops.iconst(16)), ops.iconst(16))


def wrap_unsigned(ops: VectorOps, x: Vec) -> Vec:
    """The low 16 bits of an integer."""
    return ops.iand(x, ops.iconst(0xFFFF))


#: What 16 bits keep of a component, by its base type.
NARROWING: Final[Mapping[Base, Callable[[VectorOps, Vec], Vec]]] = {
    Base.FLOAT: narrow,
    Base.INT: wrap_signed,
    Base.UINT: wrap_unsigned,
}

#: Functions from floats to a float, by the name of their IR operation.
FUNCTIONS: Final[Mapping[str, Callable[..., Vec]]] = {
    function.__name__: function
    for function in (
        frcp,
        frsq,
        fsqrt,
        fsat,
        ffract,
        fround,
        fsign,
        fexp2,
        flog2,
        fpow,
        fsin,
        fcos,
        ftan,
        fasin,
        facos,
        fatan,
        fatan2,
    )
}
