"""Built-in functions (GLSL ES 3.00 chapter 8), texture look-ups apart."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from replay.glsl.builder import Builder
from replay.glsl.ir import Instr
from replay.glsl.lowering.bits import BIT_FUNCTIONS
from replay.glsl.lowering.storage import Lowered
from replay.glsl.lowering.values import compare
from replay.glsl.types import INT, UINT, Base, Type, vector

__all__ = ["WRITING", "call_builtin"]

Args = list[Any]
Emit = Callable[[Builder, Args], Lowered]


def _ops(name: str) -> Emit:
    return lambda b, a: b.op(name, *a)


def _by_base(float_op: str, int_op: str, uint_op: str = "") -> Emit:
    def emit(b: Builder, a: Args) -> Lowered:
        base = a[0].type.base
        return b.op(float_op if base == Base.FLOAT else int_op if base == Base.INT else uint_op, *a)

    return emit


_min: Final = _by_base("fmin", "imin", "umin")
_max: Final = _by_base("fmax", "imax", "umax")


def _clamp(b: Builder, a: Args) -> Lowered:
    return _min(b, [_max(b, [a[0], a[1]]), a[2]])


def _mod(b: Builder, a: Args) -> Lowered:
    x, y = a
    return b.op("fsub", x, b.op("fmul", y, b.op("ffloor", b.op("fdiv", x, y))))


def _mix(b: Builder, a: Args) -> Lowered:
    x, y, t = a
    if t.type.base == Base.BOOL:
        return b.op("select", t, y, x)
    # As drivers do it, and the one instruction LRP: x + t * (y - x).
    return b.op("fadd", x, b.op("fmul", t, b.op("fsub", y, x)))


def _step(b: Builder, a: Args) -> Lowered:
    edge, x = a
    return b.op("b2f", b.op("fge", x, edge))


def _smoothstep(b: Builder, a: Args) -> Lowered:
    low, high, x = a
    t = b.op("fsat", b.op("fdiv", b.op("fsub", x, low), b.op("fsub", high, low)))
    return b.op("fmul", b.op("fmul", t, t), b.op("fsub", b.float_constant(3.0), b.op("fmul", b.float_constant(2.0), t)))


def _dot(b: Builder, x: Instr, y: Instr) -> Instr:
    return b.op("fmul", x, y) if x.type.width == 1 else b.op("fdot", x, y)


def _length(b: Builder, a: Args) -> Instr:
    x = a[0]
    return b.op("fabs", x) if x.type.width == 1 else b.op("fsqrt", b.op("fdot", x, x))


def _normalize(b: Builder, a: Args) -> Lowered:
    x = a[0]
    if x.type.width == 1:
        return b.op("fsign", x)
    return b.op("fmul", x, b.op("frsq", b.op("fdot", x, x)))


def _cross(b: Builder, a: Args) -> Lowered:
    x, y = a
    first = b.op("fmul", b.swizzle(x, (1, 2, 0)), b.swizzle(y, (2, 0, 1)))
    return b.op("fsub", first, b.op("fmul", b.swizzle(x, (2, 0, 1)), b.swizzle(y, (1, 2, 0))))


def _faceforward(b: Builder, a: Args) -> Lowered:
    n, i, reference = a
    facing = b.op("flt", _dot(b, reference, i), b.float_constant(0.0))
    return b.select(facing, n, b.op("fneg", n))


def _reflect(b: Builder, a: Args) -> Lowered:
    i, n = a
    return b.op("fsub", i, b.op("fmul", b.op("fmul", b.float_constant(2.0), _dot(b, n, i)), n))


def _refract(b: Builder, a: Args) -> Lowered:
    i, n, eta = a
    one = b.float_constant(1.0)
    d = _dot(b, n, i)
    k = b.op("fsub", one, b.op("fmul", b.op("fmul", eta, eta), b.op("fsub", one, b.op("fmul", d, d))))
    scale = b.op("fadd", b.op("fmul", eta, d), b.op("fsqrt", k))
    bent = b.op("fsub", b.op("fmul", i, b.splat(eta, i.type.width)), b.op("fmul", b.splat(scale, n.type.width), n))
    return b.select(b.op("flt", k, b.float_constant(0.0)), b.float_constant(0.0, i.type.width), bent)


def _exp(b: Builder, x: Instr) -> Instr:
    return b.op("fexp2", b.op("fmul", x, b.float_constant(math.log2(math.e))))


def _log(b: Builder, x: Instr) -> Instr:
    return b.op("fmul", b.op("flog2", x), b.float_constant(math.log(2.0)))


def _sinh(b: Builder, a: Args) -> Lowered:
    x = a[0]
    return b.op("fmul", b.float_constant(0.5), b.op("fsub", _exp(b, x), _exp(b, b.op("fneg", x))))


def _cosh(b: Builder, a: Args) -> Lowered:
    x = a[0]
    return b.op("fmul", b.float_constant(0.5), b.op("fadd", _exp(b, x), _exp(b, b.op("fneg", x))))


def _tanh(b: Builder, a: Args) -> Lowered:
    # Beyond 10 the quotient is 1 to the last bit, and further out the exponentials overflow.
    x = b.op("fmin", b.op("fmax", a[0], b.float_constant(-10.0)), b.float_constant(10.0))
    up, down = _exp(b, x), _exp(b, b.op("fneg", x))
    return b.op("fdiv", b.op("fsub", up, down), b.op("fadd", up, down))


def _asinh(b: Builder, a: Args) -> Lowered:
    x = a[0]
    size = b.op("fabs", x)
    root = b.op("fsqrt", b.op("fadd", b.op("fmul", x, x), b.float_constant(1.0)))
    return b.op("fmul", b.op("fsign", x), _log(b, b.op("fadd", size, root)))


def _acosh(b: Builder, a: Args) -> Lowered:
    x = a[0]
    return _log(b, b.op("fadd", x, b.op("fsqrt", b.op("fsub", b.op("fmul", x, x), b.float_constant(1.0)))))


def _atanh(b: Builder, a: Args) -> Lowered:
    x, one = a[0], b.float_constant(1.0)
    return b.op("fmul", b.float_constant(0.5), _log(b, b.op("fdiv", b.op("fadd", one, x), b.op("fsub", one, x))))


def _isinf(b: Builder, a: Args) -> Lowered:
    return b.op("feq", b.op("fabs", a[0]), b.float_constant(math.inf))


def _fwidth(b: Builder, a: Args) -> Lowered:
    return b.op("fadd", b.op("fabs", b.op("ddx", a[0])), b.op("fabs", b.op("ddy", a[0])))


def _comparison(op: str) -> Emit:
    return lambda b, a: compare(b, op, a[0], a[1])


def _bits(base: Base) -> Emit:
    return lambda b, a: b.op("bitcast", a[0], type=vector(base, a[0].type.width))


# Matrices
# --------------------------------------------------------------------------------------------------------------
def _outer_product(b: Builder, a: Args) -> Lowered:
    column, row = a
    width = column.type.width
    return [b.op("fmul", column, b.splat(b.swizzle(row, (k,)), width)) for k in range(row.type.width)]


def _transpose(b: Builder, a: Args) -> list[Instr]:
    columns = a[0]
    return [b.vec([b.swizzle(column, (r,)) for column in columns]) for r in range(columns[0].type.width)]


def _minor2(b: Builder, p: Instr, q: Instr, i: int, j: int) -> Instr:
    """p[i] * q[j] - q[i] * p[j]."""
    left = b.op("fmul", b.swizzle(p, (i,)), b.swizzle(q, (j,)))
    return b.op("fsub", left, b.op("fmul", b.swizzle(q, (i,)), b.swizzle(p, (j,))))


def _determinant(b: Builder, a: Args) -> Instr:
    m = a[0]
    if len(m) == 2:
        return _minor2(b, m[0], m[1], 0, 1)
    if len(m) == 3:
        return b.op("fdot", m[0], _cross(b, [m[1], m[2]]))  # type: ignore[arg-type]
    return b.op("fdot", m[0], _cofactors4(b, m)[0])


def _cofactors4(b: Builder, m: list[Instr]) -> list[Instr]:
    """Cofactor columns of a 4x4 matrix."""
    # Minors of the pairs of columns (2, 3), (1, 3), (1, 2) ... are shared; the builder gives equal ones one value.
    out: list[Instr] = []
    for c in range(4):
        others = [m[k] for k in range(4) if k != c]
        parts: list[Instr] = []
        for r in range(4):
            rows = [k for k in range(4) if k != r]
            p, q, s = others
            total: Instr | None = None
            for k in range(3):
                i, j = (rows[x] for x in range(3) if x != k)
                term = b.op("fmul", b.swizzle(p, (rows[k],)), _minor2(b, q, s, i, j))
                if k == 1:
                    term = b.op("fneg", term)
                total = term if total is None else b.op("fadd", total, term)
            assert total is not None
            parts.append(b.op("fneg", total) if (r + c) % 2 else total)
        out.append(b.vec(parts))
    return out


def _inverse(b: Builder, a: Args) -> Lowered:
    m = a[0]
    one = b.float_constant(1.0)
    if len(m) == 2:
        scale = b.op("fdiv", one, _determinant(b, a))
        first = b.vec([b.swizzle(m[1], (1,)), b.op("fneg", b.swizzle(m[0], (1,)))])
        second = b.vec([b.op("fneg", b.swizzle(m[1], (0,))), b.swizzle(m[0], (0,))])
        return [b.op("fmul", first, scale), b.op("fmul", second, scale)]
    if len(m) == 3:
        rows = [_cross(b, [m[1], m[2]]), _cross(b, [m[2], m[0]]), _cross(b, [m[0], m[1]])]
        scale = b.op("fdiv", one, b.op("fdot", m[0], rows[0]))  # type: ignore[arg-type]
    else:
        rows = list(_cofactors4(b, m))
        scale = b.op("fdiv", one, b.op("fdot", m[0], rows[0]))  # type: ignore[arg-type]
    return [b.op("fmul", column, scale) for column in _transpose(b, [rows])]


# Packing
# ---------------------------------------------------------------------------------------------------------------
def _pack_norm(b: Builder, value: Instr, scale: float, low: float, bits: int) -> Instr:
    width = value.type.width
    clamped = b.op("fmin", b.op("fmax", value, b.float_constant(low, width)), b.float_constant(1.0, width))
    scaled = b.op("froundeven", b.op("fmul", clamped, b.float_constant(scale, width)))
    whole = b.op("bitcast", b.op("f2i", scaled), type=vector(Base.UINT, width))
    mask = b.constant(UINT, ((1 << bits) - 1,))
    result: Instr | None = None
    for k in range(width):
        part = b.op("iand", b.swizzle(whole, (k,)), mask)
        if k:
            part = b.op("ishl", part, b.constant(UINT, (k * bits,)))
        result = part if result is None else b.op("ior", result, part)
    assert result is not None
    return result


def _unpack_norm(b: Builder, value: Instr, scale: float, signed: bool, bits: int) -> Instr:
    parts = []
    for k in range(32 // bits):
        if signed:
            whole = b.op("bitcast", value, type=INT)
            up = b.op("ishl", whole, b.int_constant(32 - bits * (k + 1)))
            parts.append(b.op("i2f", b.op("ishr", up, b.int_constant(32 - bits))))
        else:
            down = b.op("ushr", value, b.constant(UINT, (k * bits,)))
            parts.append(b.op("u2f", b.op("iand", down, b.constant(UINT, ((1 << bits) - 1,)))))
    result = b.op("fdiv", b.vec(parts), b.float_constant(scale, len(parts)))
    if signed:
        result = b.op(
            "fmin", b.op("fmax", result, b.float_constant(-1.0, len(parts))), b.float_constant(1.0, len(parts))
        )
    return result


_EMIT: Final[dict[str, Emit]] = {
    **BIT_FUNCTIONS,
    "radians": lambda b, a: b.op("fmul", a[0], b.float_constant(math.pi / 180.0)),
    "degrees": lambda b, a: b.op("fmul", a[0], b.float_constant(180.0 / math.pi)),
    "sin": _ops("fsin"),
    "cos": _ops("fcos"),
    "tan": _ops("ftan"),
    "asin": _ops("fasin"),
    "acos": _ops("facos"),
    "atan": lambda b, a: b.op("fatan" if len(a) == 1 else "fatan2", *a),
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": _tanh,
    "asinh": _asinh,
    "acosh": _acosh,
    "atanh": _atanh,
    "pow": _ops("fpow"),
    "exp": lambda b, a: _exp(b, a[0]),
    "log": lambda b, a: _log(b, a[0]),
    "exp2": _ops("fexp2"),
    "log2": _ops("flog2"),
    "sqrt": _ops("fsqrt"),
    "inversesqrt": _ops("frsq"),
    "abs": _by_base("fabs", "iabs"),
    "sign": _by_base("fsign", "isign"),
    "floor": _ops("ffloor"),
    "ceil": _ops("fceil"),
    "trunc": _ops("ftrunc"),
    "round": _ops("froundeven"),
    "roundEven": _ops("froundeven"),
    "fract": _ops("ffract"),
    "mod": _mod,
    "min": _min,
    "max": _max,
    "clamp": _clamp,
    "mix": _mix,
    "step": _step,
    "smoothstep": _smoothstep,
    "isnan": lambda b, a: b.op("fne", a[0], a[0]),
    "isinf": _isinf,
    "length": _length,
    "distance": lambda b, a: _length(b, [b.op("fsub", a[0], a[1])]),
    "dot": lambda b, a: _dot(b, a[0], a[1]),
    "cross": _cross,
    "normalize": _normalize,
    "faceforward": _faceforward,
    "reflect": _reflect,
    "refract": _refract,
    "matrixCompMult": lambda b, a: [b.op("fmul", x, y) for x, y in zip(a[0], a[1], strict=True)],
    "outerProduct": _outer_product,
    "transpose": _transpose,
    "determinant": _determinant,
    "inverse": _inverse,
    "lessThan": _comparison("<"),
    "lessThanEqual": _comparison("<="),
    "greaterThan": _comparison(">"),
    "greaterThanEqual": _comparison(">="),
    "equal": _comparison("=="),
    "notEqual": _comparison("!="),
    "any": _ops("any"),
    "all": _ops("all"),
    "not": _ops("bnot"),
    "floatBitsToInt": _bits(Base.INT),
    "floatBitsToUint": _bits(Base.UINT),
    "intBitsToFloat": _bits(Base.FLOAT),
    "uintBitsToFloat": _bits(Base.FLOAT),
    "packSnorm2x16": lambda b, a: _pack_norm(b, a[0], 32767.0, -1.0, 16),
    "packUnorm2x16": lambda b, a: _pack_norm(b, a[0], 65535.0, 0.0, 16),
    "packSnorm4x8": lambda b, a: _pack_norm(b, a[0], 127.0, -1.0, 8),
    "packUnorm4x8": lambda b, a: _pack_norm(b, a[0], 255.0, 0.0, 8),
    "unpackSnorm2x16": lambda b, a: _unpack_norm(b, a[0], 32767.0, True, 16),
    "unpackUnorm2x16": lambda b, a: _unpack_norm(b, a[0], 65535.0, False, 16),
    "unpackSnorm4x8": lambda b, a: _unpack_norm(b, a[0], 127.0, True, 8),
    "unpackUnorm4x8": lambda b, a: _unpack_norm(b, a[0], 255.0, False, 8),
    "packHalf2x16": _ops("pack_half"),
    "unpackHalf2x16": _ops("unpack_half"),
    "dFdx": _ops("ddx"),
    "dFdy": _ops("ddy"),
    "fwidth": _fwidth,
    "noise1": lambda b, a: b.float_constant(0.0),
    "noise2": lambda b, a: b.float_constant(0.0, 2),
    "noise3": lambda b, a: b.float_constant(0.0, 3),
    "noise4": lambda b, a: b.float_constant(0.0, 4),
}


def call_builtin(b: Builder, name: str, args: Args, returns: Type) -> Lowered:
    """Emit a built-in function that writes no argument."""
    return _EMIT[name](b, args)


def _modf(b: Builder, x: Instr) -> list[Instr]:
    """Fraction and whole part, both with the sign of x."""
    whole = b.op("ftrunc", x)
    return [b.op("fsub", x, whole), whole]


def _frexp(b: Builder, x: Instr) -> list[Instr]:
    """Significand in [0.5, 1) and exponent; of 0 both are 0, of infinities and NaN the exponent."""
    width = x.type.width
    ints = vector(Base.INT, width)
    zero = b.op("feq", x, b.float_constant(0.0))
    strange = b.op("bnot", b.op("flt", b.op("fabs", x), b.float_constant(math.inf)))
    # Subnormals: 2 ** 32 times larger first.
    small = b.op("flt", b.op("fabs", x), b.float_constant(2.0**-126))
    bits = b.op("bitcast", b.op("select", small, b.op("fmul", x, b.float_constant(2.0**32)), x), type=ints)
    exponent = b.op("iand", b.op("ishr", bits, b.int_constant(23)), b.int_constant(255))
    bias = b.op("select", small, b.constant(ints, (126 + 32,) * width), b.constant(ints, (126,) * width))
    none = b.constant(ints, (0,) * width)
    power = b.op("select", b.op("bor", zero, strange), none, b.op("isub", exponent, bias))
    kept = b.op("ior", b.op("iand", bits, b.constant(INT, (-0x7F800001,))), b.int_constant(126 << 23))
    significand = b.op("bitcast", kept, type=vector(Base.FLOAT, width))
    return [b.op("select", b.op("bor", zero, strange), x, significand), power]


def _carry(b: Builder, x: Instr, y: Instr) -> list[Instr]:
    total = b.op("iadd", x, y)
    return [total, b.op("bitcast", b.op("b2i", b.op("ult", total, x)), type=x.type)]


def _borrow(b: Builder, x: Instr, y: Instr) -> list[Instr]:
    return [b.op("isub", x, y), b.op("bitcast", b.op("b2i", b.op("ult", x, y)), type=x.type)]


def _wide_product(b: Builder, x: Instr, y: Instr) -> list[Instr]:
    """Upper and lower 32 bits of a product, by halves."""
    unsigned = vector(Base.UINT, x.type.width)
    signed = x.type.base == Base.INT
    left, right = (b.op("bitcast", value, type=unsigned) for value in (x, y))
    half, mask = b.constant(UINT, (16,)), b.constant(UINT, (0xFFFF,))
    low_x, high_x = b.op("iand", left, mask), b.op("ushr", left, half)
    low_y, high_y = b.op("iand", right, mask), b.op("ushr", right, half)
    first = b.op("imul", low_x, low_y)
    middle = b.op("iadd", b.op("imul", high_x, low_y), b.op("ushr", first, half))
    other = b.op("iadd", b.op("imul", low_x, high_y), b.op("iand", middle, mask))
    high = b.op("iadd", b.op("imul", high_x, high_y), b.op("ushr", middle, half))
    high = b.op("iadd", high, b.op("ushr", other, half))
    low = b.op("imul", left, right)
    if signed:
        # Of a negative factor the other one is taken off the upper half.
        for factor, partner in ((x, right), (y, left)):
            negative = b.op("ilt", factor, b.int_constant(0))
            high = b.op("isub", high, b.op("select", negative, partner, b.constant(unsigned, (0,) * unsigned.width)))
    return [b.op("bitcast", high, type=x.type), b.op("bitcast", low, type=x.type)]


#: Functions that write arguments: the result, if there is one, then what goes to the arguments.
WRITING: Final[dict[str, Callable[..., list[Instr]]]] = {
    "modf": _modf,
    "frexp": _frexp,
    "uaddCarry": _carry,
    "usubBorrow": _borrow,
    "umulExtended": _wide_product,
    "imulExtended": _wide_product,
}
