"""The transcendental and packing functions of the language, each written once for both executors.

A function here is a sequence of :class:`replay.glsl.vectorops.VectorOps` operations, every one of them exactly
rounded, so that NumPy and LLVM give the same bits on every host. Polynomials are minimax fits with coefficients
rounded to binary32 one after the other (fitted for this project; the reductions are the classical ones, see Muller,
*Elementary Functions*, 3rd ed., ch. 10-11; Dekker's splitting for ``fpow``).

Maximum errors, measured against binary64 over dense ranges (``tests/glsl/test_glsl_math.py`` holds them):

=================== ======================== =====================================================
function            error                    range
=================== ======================== =====================================================
frcp fsqrt          0.5 ULP                  all
frsq                1.5 ULP                  all
fexp2               1.5 ULP                  all x >= -126; below, 0 (results are never subnormal)
flog2               2.5 ULP                  all, subnormals included
fpow                3 ULP                    x > 0, result in [2**-16, 2**16]
..                  5 ULP, 20 ULP            x > 0, result in [2**-24, 2**24]; every other normal result
fsin fcos           2.5 ULP or 2**-33        abs(x) <= 100000; beyond, some value in [-1, 1]
ftan                5 ULP or 2**-33          abs(x) <= 100
fasin facos         2 ULP                    [-1, 1]
fatan fatan2        2 ULP                    all
pack_half           0.5 ULP (of binary16)    all
=================== ======================== =====================================================

Outside the domain: ``flog2(0)`` = -inf, ``flog2(x < 0)`` = NaN, ``fpow(x < 0, y)`` = NaN, ``fpow(x, 0)`` = 1,
``fpow(0, y)`` = 0 or +inf by the sign of y, ``fsin(inf)`` = NaN, ``fasin(abs(x) > 1)`` = NaN,
``fatan2(0, 0)`` = 0; a NaN operand gives NaN (but ``fpow(NaN, 0)`` = 1, ``fsat(NaN)`` = 0, ``fsign(NaN)`` = 0).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from replay.glsl.types import Base
from replay.glsl.vectorops import Vec, VectorOps

__all__ = ["FUNCTIONS", "NARROWING", "pack_half", "unpack_half"]

_INF: Final = float("inf")
_NAN: Final = float("nan")
_HIGH_12_BITS: Final = -4096  # mask 0xFFFFF000 keeps the leading 12 bits of a significand

_TWO_OVER_PI: Final = 0.6366197723675814
# pi/2 in pieces of 8, 8, 8 and 24 bits: n times one of the first three is exact while n < 2**16.
_HALF_PI_PIECES: Final = (1.5703125, 0.0004825592041015625, 1.2665987014770508e-06, 9.920935184482005e-10)
_SIN: Final = (-0.1666666716337204, 0.008333379402756691, -0.00019853092089761049, 2.8330730401648907e-06)
_COS: Final = (0.04166664555668831, -0.0013887310633435845, 2.4432563805021346e-05)
_HALF_PI_HIGH: Final = 1.5707963705062866
_HALF_PI_LOW: Final = -4.371139000186241e-08
_PI_HIGH: Final = 3.1415927410125732
_PI_LOW: Final = -8.742278000372482e-08

# exp2(f) = 1 + f * P(f) on [-1/2, 1/2]
_EXP2: Final = (
    0.6931471824645996,
    0.24022650718688965,
    0.055504050105810165,
    0.009618086740374565,
    0.001333796652033925,
    0.00015452111256308854,
    1.4322521565190982e-05,
)
# log2(1 + r) = r * log2(e) + r**2 * P(r) for 1 + r in [sqrt(1/2), sqrt(2)]
_LOG2: Final = (
    -0.7213475108146667,
    0.480903685092926,
    -0.3606826066970825,
    0.28830936551094055,
    -0.2397923469543457,
    0.20878252387046814,
    -0.1932085007429123,
    0.1639024019241333,
    -0.08058642596006393,
)
# ln(1 + r) = r - r**2 / 2 + r**3 * P(r) on the same interval
_LN: Final = (
    0.3333331346511841,
    -0.25000008940696716,
    0.20002073049545288,
    -0.1666799634695053,
    0.14220327138900757,
    -0.12406031787395477,
    0.1188356801867485,
    -0.1167144924402237,
    0.06750956177711487,
)
_LOG2_E: Final = 1.4426950408889634
_LOG2_E_HIGH: Final = 1.4423828125  # 12 bits
_LOG2_E_LOW: Final = 0.00031222838896340733
# atan(t) = t + t**3 * P(t**2) for abs(t) <= tan(pi/8)
_ATAN: Final = (
    -0.33333316445350647,
    0.19998528063297272,
    -0.1424439251422882,
    0.1059919148683548,
    -0.06090138852596283,
)
_TAN_PI_8: Final = 0.4142135623730951
_TAN_3PI_8: Final = 2.414213562373095
# asin(t) = t + t**3 * P(t**2) for abs(t) <= 1/2
_ASIN: Final = (
    0.16666659712791443,
    0.07500521838665009,
    0.04451335221529007,
    0.0318395234644413,
    0.014312174171209335,
    0.03770211711525917,
)


def _polynomial(ops: VectorOps, x: Vec, coefficients: Sequence[float]) -> Vec:
    """Sum of ``coefficients[i] * x**i`` by Estrin's scheme (short dependency chains)."""
    terms: list[Any] = [ops.fconst(coefficient) for coefficient in coefficients]
    power = x
    while len(terms) > 1:
        paired = [ops.fadd(a, ops.fmul(b, power)) for a, b in zip(terms[::2], terms[1::2], strict=False)]
        terms = paired + terms[len(paired) * 2 :]
        if len(terms) > 1:
            power = ops.fmul(power, power)
    return terms[0]


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
    inside = _within_exponents(ops, x)
    whole = ops.frint(inside)
    return _exp2_of_parts(ops, x, whole, ops.fsub(inside, whole))


def _within_exponents(ops: VectorOps, x: Vec) -> Vec:
    return ops.fmin(ops.fmax(x, ops.fconst(-127.0)), ops.fconst(128.0))


def _exp2_of_parts(ops: VectorOps, x: Vec, whole: Vec, fraction: Vec) -> Vec:
    """``2**(whole + fraction)``, where that is ``2**x``; 0 for x < -126, infinity for x >= 128."""
    significand = ops.fadd(ops.fconst(1.0), ops.fmul(fraction, _polynomial(ops, fraction, _EXP2)))
    exponent = ops.shl(ops.ftoi_bounded(whole), ops.iconst(23))
    result = ops.ibits(ops.iadd(ops.fbits(significand), exponent))
    result = ops.select(ops.flt(x, ops.fconst(-126.0)), ops.fconst(0.0), result)
    return ops.select(ops.flt(x, ops.fconst(128.0)), result, ops.fmul(x, ops.fconst(_INF)))


def _normalise(ops: VectorOps, x: Vec) -> tuple[Vec, Vec]:
    """(e as float, r) with x = 2**e * (1 + r), 1 + r in [sqrt(1/2), sqrt(2)); for finite x > 0."""
    tiny = ops.flt(x, ops.fconst(2.0**-126))
    x = ops.select(tiny, ops.fmul(x, ops.fconst(2.0**24)), x)
    bits = ops.fbits(x)
    exponent = ops.ashr(ops.isub(bits, ops.iconst(0x3F3504F3)), ops.iconst(23))
    significand = ops.ibits(ops.isub(bits, ops.shl(exponent, ops.iconst(23))))
    exponent = ops.isub(exponent, ops.select(tiny, ops.iconst(24), ops.iconst(0)))
    return ops.itof(exponent), ops.fsub(significand, ops.fconst(1.0))


def flog2(ops: VectorOps, x: Vec) -> Vec:
    """Logarithm to base 2."""
    exponent, mantissa = _normalise(ops, x)
    tail = ops.fmul(ops.fmul(mantissa, mantissa), _polynomial(ops, mantissa, _LOG2))
    result = ops.fadd(exponent, ops.fadd(ops.fmul(mantissa, ops.fconst(_LOG2_E)), tail))
    result = ops.select(ops.flt(x, ops.fconst(_INF)), result, x)
    result = ops.select(ops.feq(x, ops.fconst(0.0)), ops.fconst(-_INF), result)
    return ops.select(ops.flt(x, ops.fconst(0.0)), ops.fconst(_NAN), result)


def _split(ops: VectorOps, x: Vec) -> tuple[Vec, Vec]:
    """``x`` as the sum of its leading 12 bits and the rest, both exact."""
    high = ops.ibits(ops.iand(ops.fbits(x), ops.iconst(_HIGH_12_BITS)))
    return high, ops.fsub(x, high)


def _add_ordered(ops: VectorOps, a: Vec, b: Vec) -> tuple[Vec, Vec]:
    """``a + b`` as rounded sum and exact error, for abs(a) >= abs(b) (Dekker's Fast2Sum)."""
    total = ops.fadd(a, b)
    return total, ops.fsub(b, ops.fsub(total, a))


def fpow(ops: VectorOps, x: Vec, y: Vec) -> Vec:
    """x**y as exp2(y * log2(x)), the product carried in two floats so that large exponents lose nothing."""
    zero, one = ops.fconst(0.0), ops.fconst(1.0)
    exponent, mantissa = _normalise(ops, x)
    # ln(1 + r) = log_high + log_low: r**2 / 2 is split off exactly.
    r_high, r_low = _split(ops, mantissa)
    half_square = ops.fmul(ops.fmul(r_high, r_high), ops.fconst(0.5))
    log_high, log_low = _add_ordered(ops, mantissa, ops.fneg(half_square))
    cross = ops.fmul(ops.fmul(r_low, ops.fadd(mantissa, r_high)), ops.fconst(0.5))
    tail = ops.fmul(ops.fmul(mantissa, ops.fmul(mantissa, mantissa)), _polynomial(ops, mantissa, _LN))
    log_low = ops.fadd(log_low, ops.fsub(tail, cross))
    # times log2(e), plus the exponent
    head, rest = _split(ops, log_high)
    rest = ops.fadd(rest, log_low)
    product = ops.fmul(head, ops.fconst(_LOG2_E_HIGH))
    small = ops.fadd(ops.fmul(head, ops.fconst(_LOG2_E_LOW)), ops.fmul(rest, ops.fconst(_LOG2_E)))
    log2_high, log2_low = _add_ordered(ops, exponent, product)
    only_product = ops.feq(exponent, zero)
    log2_high = ops.select(only_product, product, log2_high)
    log2_low = ops.fadd(ops.select(only_product, zero, log2_low), small)
    # times y, large enough to overflow whatever the logarithm is
    y_bounded = ops.fmin(ops.fmax(y, ops.fconst(-(2.0**34))), ops.fconst(2.0**34))
    y_high, y_low = _split(ops, y_bounded)
    head, rest = _split(ops, log2_high)
    rest = ops.fadd(rest, log2_low)
    power_high = ops.fmul(y_high, head)
    power_low = ops.fadd(ops.fadd(ops.fmul(y_high, rest), ops.fmul(y_low, head)), ops.fmul(y_low, rest))
    power = ops.fadd(power_high, power_low)
    whole = ops.frint(_within_exponents(ops, power))
    fraction = ops.fadd(ops.fsub(power_high, whole), power_low)
    fraction = ops.fmin(ops.fmax(fraction, ops.fconst(-1.0)), one)
    result = _exp2_of_parts(ops, power, whole, fraction)
    # x of 0 and infinity, and what has no value
    infinite = ops.select(ops.flt(zero, y), ops.fconst(_INF), zero)
    vanishing = ops.select(ops.flt(zero, y), zero, ops.fconst(_INF))
    result = ops.select(ops.feq(x, ops.fconst(_INF)), infinite, result)
    result = ops.select(ops.feq(x, zero), vanishing, result)
    result = ops.select(ops.flt(x, zero), ops.fconst(_NAN), result)
    result = ops.select(ops.mask_or(ops.fne(x, x), ops.fne(y, y)), ops.fconst(_NAN), result)
    return ops.select(ops.mask_or(ops.feq(y, zero), ops.feq(x, one)), one, result)


# ---------------------------------------------------------------------- trigonometry
def _reduce_angle(ops: VectorOps, x: Vec) -> tuple[Vec, Vec, Vec]:
    """(number of the quadrant, sine, cosine) of x minus that many right angles."""
    turns = ops.frint(ops.fmul(x, ops.fconst(_TWO_OVER_PI)))
    angle = x
    for piece in _HALF_PI_PIECES:
        angle = ops.fsub(angle, ops.fmul(turns, ops.fconst(piece)))
    # Only where x is too large for the pieces: keeps the result in [-1, 1].
    bound = 0.8
    angle = ops.fmin(ops.fmax(angle, ops.fconst(-bound)), ops.fconst(bound))
    square = ops.fmul(angle, angle)
    sine = ops.fadd(angle, ops.fmul(ops.fmul(angle, square), _polynomial(ops, square, _SIN)))
    cosine = ops.fmul(ops.fmul(square, square), _polynomial(ops, square, _COS))
    cosine = ops.fadd(ops.fsub(ops.fconst(1.0), ops.fmul(square, ops.fconst(0.5))), cosine)
    return ops.ftoi(turns), sine, cosine


def _in_quadrant(ops: VectorOps, quadrant: Vec, sine: Vec, cosine: Vec) -> Vec:
    swap = ops.ine(ops.iand(quadrant, ops.iconst(1)), ops.iconst(0))
    value = ops.select(swap, cosine, sine)
    sign = ops.shl(ops.iand(quadrant, ops.iconst(2)), ops.iconst(30))
    return ops.ibits(ops.ixor(ops.fbits(value), sign))


def fsin(ops: VectorOps, x: Vec) -> Vec:
    """Sine."""
    quadrant, sine, cosine = _reduce_angle(ops, x)
    return _in_quadrant(ops, quadrant, sine, cosine)


def fcos(ops: VectorOps, x: Vec) -> Vec:
    """Cosine."""
    quadrant, sine, cosine = _reduce_angle(ops, x)
    return _in_quadrant(ops, ops.iadd(quadrant, ops.iconst(1)), sine, cosine)


def ftan(ops: VectorOps, x: Vec) -> Vec:
    """Tangent."""
    quadrant, sine, cosine = _reduce_angle(ops, x)
    odd = ops.ine(ops.iand(quadrant, ops.iconst(1)), ops.iconst(0))
    return ops.fdiv(ops.select(odd, ops.fneg(cosine), sine), ops.select(odd, sine, cosine))


def _atan_of_quotient(ops: VectorOps, a: Vec, b: Vec) -> Vec:
    """atan(a / b) in [0, pi/2] for a, b >= 0; around the angles 0, pi/4 and pi/2, with one division."""
    steep = ops.flt(ops.fmul(b, ops.fconst(_TAN_3PI_8)), a)
    middle = ops.flt(ops.fmul(b, ops.fconst(_TAN_PI_8)), a)
    numerator = ops.select(steep, ops.fneg(b), ops.select(middle, ops.fsub(a, b), a))
    denominator = ops.select(steep, a, ops.select(middle, ops.fadd(a, b), b))
    zero = ops.fconst(0.0)
    base = ops.select(middle, ops.fconst(_HALF_PI_HIGH / 2), zero)
    base = ops.select(steep, ops.fconst(_HALF_PI_HIGH), base)
    low = ops.select(middle, ops.fconst(_HALF_PI_LOW / 2), zero)
    low = ops.select(steep, ops.fconst(_HALF_PI_LOW), low)
    ratio = ops.fdiv(numerator, denominator)
    square = ops.fmul(ratio, ratio)
    correction = ops.fmul(ops.fmul(ratio, square), _polynomial(ops, square, _ATAN))
    return ops.fadd(base, ops.fadd(ratio, ops.fadd(correction, low)))


def fatan(ops: VectorOps, x: Vec) -> Vec:
    """Arc tangent."""
    return _with_sign_of(ops, _atan_of_quotient(ops, ops.fabs(x), ops.fconst(1.0)), x)


def fatan2(ops: VectorOps, y: Vec, x: Vec) -> Vec:
    """Angle of the vector (x, y), in [-pi, pi]."""
    a, b = ops.fabs(y), ops.fabs(x)
    largest = ops.fmax(a, b)
    # Keeps a + b finite; two infinities become equal numbers.
    huge = ops.flt(ops.fconst(2.0**126), largest)
    quarter = ops.fconst(0.25)
    bound = ops.fconst(2.0**126)
    a = ops.select(huge, ops.fmin(ops.fmul(a, quarter), bound), a)
    b = ops.select(huge, ops.fmin(ops.fmul(b, quarter), bound), b)
    zero = ops.fconst(0.0)
    b_or_one = ops.select(ops.mask_and(ops.feq(a, zero), ops.feq(b, zero)), ops.fconst(1.0), b)
    angle = _atan_of_quotient(ops, a, b_or_one)
    left = ops.ilt(ops.fbits(x), ops.iconst(0))
    supplement = ops.fadd(ops.fsub(ops.fconst(_PI_HIGH), angle), ops.fconst(_PI_LOW))
    angle = _with_sign_of(ops, ops.select(left, supplement, angle), y)
    return ops.select(ops.mask_or(ops.fne(x, x), ops.fne(y, y)), ops.fconst(_NAN), angle)


def _asin_near_zero(ops: VectorOps, ratio: Vec) -> Vec:
    square = ops.fmul(ratio, ratio)
    return ops.fadd(ratio, ops.fmul(ops.fmul(ratio, square), _polynomial(ops, square, _ASIN)))


def _asin_parts(ops: VectorOps, x: Vec) -> tuple[Vec, Vec]:
    """(whether abs(x) > 1/2, asin(abs(x)) or, there, asin(sqrt((1 - abs(x)) / 2)))."""
    size = ops.fabs(x)
    outer = ops.flt(ops.fconst(0.5), size)
    root = ops.fsqrt(ops.fmul(ops.fsub(ops.fconst(1.0), size), ops.fconst(0.5)))
    return outer, _asin_near_zero(ops, ops.select(outer, root, size))


def fasin(ops: VectorOps, x: Vec) -> Vec:
    """Arc sine."""
    outer, angle = _asin_parts(ops, x)
    twice = ops.fadd(angle, angle)
    complement = ops.fadd(ops.fsub(ops.fconst(_HALF_PI_HIGH), twice), ops.fconst(_HALF_PI_LOW))
    return _with_sign_of(ops, ops.select(outer, complement, angle), x)


def facos(ops: VectorOps, x: Vec) -> Vec:
    """Arc cosine."""
    outer, angle = _asin_parts(ops, x)
    twice = ops.fadd(angle, angle)
    left = ops.flt(x, ops.fconst(0.0))
    supplement = ops.fadd(ops.fsub(ops.fconst(_PI_HIGH), twice), ops.fconst(_PI_LOW))
    signed = ops.select(left, ops.fneg(angle), angle)
    inner = ops.fadd(ops.fsub(ops.fconst(_HALF_PI_HIGH), signed), ops.fconst(_HALF_PI_LOW))
    return ops.select(outer, ops.select(left, supplement, twice), inner)


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
