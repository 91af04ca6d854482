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
    return lambda build, args: build.op(name, *args)


def _by_base(float_op: str, int_op: str, uint_op: str = "") -> Emit:
    def emit(build: Builder, args: Args) -> Lowered:
        base = args[0].type.base
        return build.op(float_op if base == Base.FLOAT else int_op if base == Base.INT else uint_op, *args)

    return emit


_min: Final = _by_base("fmin", "imin", "umin")
_max: Final = _by_base("fmax", "imax", "umax")


def _clamp(build: Builder, args: Args) -> Lowered:
    return _min(build, [_max(build, [args[0], args[1]]), args[2]])


def _mod(build: Builder, args: Args) -> Lowered:
    x, y = args
    return build.op("fsub", x, build.op("fmul", y, build.op("ffloor", build.op("fdiv", x, y))))


def _mix(build: Builder, args: Args) -> Lowered:
    x, y, share = args
    if share.type.base == Base.BOOL:
        return build.op("select", share, y, x)
    if share.op == "const":
        # Mesa's choice where 1 - t is known.
        rest = build.op("fsub", build.float_constant(1.0), share)
        return build.op("fadd", build.op("fmul", x, rest), build.op("fmul", y, share))
    # As drivers do it, and the one instruction LRP: x + t * (y - x).
    return build.op("fadd", x, build.op("fmul", share, build.op("fsub", y, x)))


def _step(build: Builder, args: Args) -> Lowered:
    edge, x = args
    return build.op("b2f", build.op("fge", x, edge))


def _smoothstep(build: Builder, args: Args) -> Lowered:
    low, high, x = args
    share = build.op("fsat", build.op("fdiv", build.op("fsub", x, low), build.op("fsub", high, low)))
    curve = build.op("fsub", build.float_constant(3.0), build.op("fmul", build.float_constant(2.0), share))
    return build.op("fmul", share, build.op("fmul", share, curve))


def _dot(build: Builder, x: Instr, y: Instr) -> Instr:
    return build.op("fmul", x, y) if x.type.width == 1 else build.op("fdot", x, y)


def _length(build: Builder, args: Args) -> Instr:
    x = args[0]
    return build.op("fabs", x) if x.type.width == 1 else build.op("fsqrt", build.op("fdot", x, x))


def _normalize(build: Builder, args: Args) -> Lowered:
    x = args[0]
    if x.type.width == 1:
        return build.op("fsign", x)
    return build.op("fmul", x, build.op("frsq", build.op("fdot", x, x)))


def _cross(build: Builder, args: Args) -> Instr:
    x, y = args
    first = build.op("fmul", build.swizzle(x, (1, 2, 0)), build.swizzle(y, (2, 0, 1)))
    return build.op("fsub", first, build.op("fmul", build.swizzle(x, (2, 0, 1)), build.swizzle(y, (1, 2, 0))))


def _faceforward(build: Builder, args: Args) -> Lowered:
    n, i, reference = args
    facing = build.op("flt", _dot(build, reference, i), build.float_constant(0.0))
    return build.select(facing, n, build.op("fneg", n))


def _reflect(build: Builder, args: Args) -> Lowered:
    i, n = args
    return build.op("fsub", i, build.op("fmul", build.op("fmul", build.float_constant(2.0), _dot(build, n, i)), n))


def _refract(build: Builder, args: Args) -> Lowered:
    i, n, eta = args
    one = build.float_constant(1.0)
    cosine = _dot(build, n, i)
    k = build.op(
        "fsub",
        one,
        build.op("fmul", build.op("fmul", eta, eta), build.op("fsub", one, build.op("fmul", cosine, cosine))),
    )
    scale = build.op("fadd", build.op("fmul", eta, cosine), build.op("fsqrt", k))
    bent = build.op(
        "fsub",
        build.op("fmul", i, build.splat(eta, i.type.width)),
        build.op("fmul", build.splat(scale, n.type.width), n),
    )
    return build.select(build.op("flt", k, build.float_constant(0.0)), build.float_constant(0.0, i.type.width), bent)


def _exp(build: Builder, x: Instr) -> Instr:
    return build.op("fexp2", build.op("fmul", x, build.float_constant(math.log2(math.e))))


def _log(build: Builder, x: Instr) -> Instr:
    return build.op("fmul", build.op("flog2", x), build.float_constant(math.log(2.0)))


def _sinh(build: Builder, args: Args) -> Lowered:
    x = args[0]
    return build.op(
        "fmul", build.float_constant(0.5), build.op("fsub", _exp(build, x), _exp(build, build.op("fneg", x)))
    )


def _cosh(build: Builder, args: Args) -> Lowered:
    x = args[0]
    return build.op(
        "fmul", build.float_constant(0.5), build.op("fadd", _exp(build, x), _exp(build, build.op("fneg", x)))
    )


def _tanh(build: Builder, args: Args) -> Lowered:
    # Beyond 10 the quotient is 1 to the last bit, and further out the exponentials overflow.
    x = build.op("fmin", build.op("fmax", args[0], build.float_constant(-10.0)), build.float_constant(10.0))
    up, down = _exp(build, x), _exp(build, build.op("fneg", x))
    return build.op("fdiv", build.op("fsub", up, down), build.op("fadd", up, down))


def _asinh(build: Builder, args: Args) -> Lowered:
    x = args[0]
    size = build.op("fabs", x)
    root = build.op("fsqrt", build.op("fadd", build.op("fmul", x, x), build.float_constant(1.0)))
    return build.op("fmul", build.op("fsign", x), _log(build, build.op("fadd", size, root)))


def _acosh(build: Builder, args: Args) -> Lowered:
    x = args[0]
    return _log(
        build,
        build.op("fadd", x, build.op("fsqrt", build.op("fsub", build.op("fmul", x, x), build.float_constant(1.0)))),
    )


def _atanh(build: Builder, args: Args) -> Lowered:
    x, one = args[0], build.float_constant(1.0)
    return build.op(
        "fmul",
        build.float_constant(0.5),
        _log(build, build.op("fdiv", build.op("fadd", one, x), build.op("fsub", one, x))),
    )


def _isinf(build: Builder, args: Args) -> Lowered:
    return build.op("feq", build.op("fabs", args[0]), build.float_constant(math.inf))


def _fwidth(build: Builder, args: Args) -> Lowered:
    return build.op("fadd", build.op("fabs", build.op("ddx", args[0])), build.op("fabs", build.op("ddy", args[0])))


def _comparison(op: str) -> Emit:
    return lambda build, args: compare(build, op, args[0], args[1])


def _bits(base: Base) -> Emit:
    return lambda build, args: build.op("bitcast", args[0], type=vector(base, args[0].type.width))


# Matrices
# --------------------------------------------------------------------------------------------------------------
def _outer_product(build: Builder, args: Args) -> Lowered:
    column, row = args
    width = column.type.width
    return [build.op("fmul", column, build.splat(build.swizzle(row, (k,)), width)) for k in range(row.type.width)]


def _transpose(build: Builder, args: Args) -> list[Instr]:
    columns = args[0]
    return [build.vec([build.swizzle(column, (row,)) for column in columns]) for row in range(columns[0].type.width)]


def _minor2(build: Builder, left_column: Instr, right_column: Instr, i: int, j: int) -> Instr:
    """left_column[i] * right_column[j] - right_column[i] * left_column[j]."""
    left = build.op("fmul", build.swizzle(left_column, (i,)), build.swizzle(right_column, (j,)))
    return build.op("fsub", left, build.op("fmul", build.swizzle(right_column, (i,)), build.swizzle(left_column, (j,))))


def _determinant(build: Builder, args: Args) -> Instr:
    matrix = args[0]
    if len(matrix) == 2:
        return _minor2(build, matrix[0], matrix[1], 0, 1)
    if len(matrix) == 3:
        return _ascending_dot(build, matrix[0], _cross(build, [matrix[1], matrix[2]]))
    return _ascending_dot(build, matrix[0], _cofactors4(build, matrix)[0])


def _ascending_dot(build: Builder, x: Instr, y: Instr) -> Instr:
    """Products summed from the first component on."""
    products = build.op("fmul", x, y)
    total = build.swizzle(products, (0,))
    for k in range(1, x.type.width):
        total = build.op("fadd", total, build.swizzle(products, (k,)))
    return total


def _cofactors4(build: Builder, matrix: list[Instr]) -> list[Instr]:
    """Cofactor columns of a 4x4 matrix."""
    # Minors of the pairs of columns (2, 3), (1, 3), (1, 2) ... are shared; the builder gives equal ones one value.
    out: list[Instr] = []
    for column in range(4):
        others = [matrix[k] for k in range(4) if k != column]
        parts: list[Instr] = []
        for row in range(4):
            rows = [k for k in range(4) if k != row]
            first, second, third = others
            total: Instr | None = None
            for k in range(3):
                i, j = (rows[x] for x in range(3) if x != k)
                term = build.op("fmul", build.swizzle(first, (rows[k],)), _minor2(build, second, third, i, j))
                if k == 1:
                    term = build.op("fneg", term)
                total = term if total is None else build.op("fadd", total, term)
            assert total is not None
            parts.append(build.op("fneg", total) if (row + column) % 2 else total)
        out.append(build.vec(parts))
    return out


def _inverse(build: Builder, args: Args) -> Lowered:
    matrix = args[0]
    one = build.float_constant(1.0)
    if len(matrix) == 2:
        scale = build.op("fdiv", one, _determinant(build, args))
        first = build.vec([build.swizzle(matrix[1], (1,)), build.op("fneg", build.swizzle(matrix[0], (1,)))])
        second = build.vec([build.op("fneg", build.swizzle(matrix[1], (0,))), build.swizzle(matrix[0], (0,))])
        return [build.op("fmul", first, scale), build.op("fmul", second, scale)]
    if len(matrix) == 3:
        rows = [
            _cross(build, [matrix[1], matrix[2]]),
            _cross(build, [matrix[2], matrix[0]]),
            _cross(build, [matrix[0], matrix[1]]),
        ]
        scale = build.op("fdiv", one, _ascending_dot(build, matrix[0], rows[0]))
    else:
        rows = list(_cofactors4(build, matrix))
        scale = build.op("fdiv", one, _ascending_dot(build, matrix[0], rows[0]))
    return [build.op("fmul", column, scale) for column in _transpose(build, [rows])]


# Packing
# ---------------------------------------------------------------------------------------------------------------
def _pack_norm(build: Builder, value: Instr, scale: float, low: float, bits: int) -> Instr:
    width = value.type.width
    clamped = build.op(
        "fmin", build.op("fmax", value, build.float_constant(low, width)), build.float_constant(1.0, width)
    )
    scaled = build.op("froundeven", build.op("fmul", clamped, build.float_constant(scale, width)))
    whole = build.op("bitcast", build.op("f2i", scaled), type=vector(Base.UINT, width))
    mask = build.constant(UINT, ((1 << bits) - 1,))
    result: Instr | None = None
    for k in range(width):
        part = build.op("iand", build.swizzle(whole, (k,)), mask)
        if k:
            part = build.op("ishl", part, build.constant(UINT, (k * bits,)))
        result = part if result is None else build.op("ior", result, part)
    assert result is not None
    return result


def _unpack_norm(build: Builder, value: Instr, scale: float, signed: bool, bits: int) -> Instr:
    parts = []
    for k in range(32 // bits):
        if signed:
            whole = build.op("bitcast", value, type=INT)
            up = build.op("ishl", whole, build.int_constant(32 - bits * (k + 1)))
            parts.append(build.op("i2f", build.op("ishr", up, build.int_constant(32 - bits))))
        else:
            down = build.op("ushr", value, build.constant(UINT, (k * bits,)))
            parts.append(build.op("u2f", build.op("iand", down, build.constant(UINT, ((1 << bits) - 1,)))))
    result = build.op("fdiv", build.vec(parts), build.float_constant(scale, len(parts)))
    if signed:
        result = build.op(
            "fmin",
            build.op("fmax", result, build.float_constant(-1.0, len(parts))),
            build.float_constant(1.0, len(parts)),
        )
    return result


_EMIT: Final[dict[str, Emit]] = {
    **BIT_FUNCTIONS,
    "radians": lambda build, args: build.op("fmul", args[0], build.float_constant(math.pi / 180.0)),
    "degrees": lambda build, args: build.op("fmul", args[0], build.float_constant(180.0 / math.pi)),
    "sin": _ops("fsin"),
    "cos": _ops("fcos"),
    "tan": _ops("ftan"),
    "asin": _ops("fasin"),
    "acos": _ops("facos"),
    "atan": lambda build, args: build.op("fatan" if len(args) == 1 else "fatan2", *args),
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": _tanh,
    "asinh": _asinh,
    "acosh": _acosh,
    "atanh": _atanh,
    "pow": _ops("fpow"),
    "exp": lambda build, args: _exp(build, args[0]),
    "log": lambda build, args: _log(build, args[0]),
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
    "isnan": lambda build, args: build.op("fne", args[0], args[0]),
    "isinf": _isinf,
    "length": _length,
    "distance": lambda build, args: _length(build, [build.op("fsub", args[0], args[1])]),
    "dot": lambda build, args: _dot(build, args[0], args[1]),
    "cross": _cross,
    "normalize": _normalize,
    "faceforward": _faceforward,
    "reflect": _reflect,
    "refract": _refract,
    "matrixCompMult": lambda build, args: [build.op("fmul", x, y) for x, y in zip(args[0], args[1], strict=True)],
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
    "packSnorm2x16": lambda build, args: _pack_norm(build, args[0], 32767.0, -1.0, 16),
    "packUnorm2x16": lambda build, args: _pack_norm(build, args[0], 65535.0, 0.0, 16),
    "packSnorm4x8": lambda build, args: _pack_norm(build, args[0], 127.0, -1.0, 8),
    "packUnorm4x8": lambda build, args: _pack_norm(build, args[0], 255.0, 0.0, 8),
    "unpackSnorm2x16": lambda build, args: _unpack_norm(build, args[0], 32767.0, True, 16),
    "unpackUnorm2x16": lambda build, args: _unpack_norm(build, args[0], 65535.0, False, 16),
    "unpackSnorm4x8": lambda build, args: _unpack_norm(build, args[0], 127.0, True, 8),
    "unpackUnorm4x8": lambda build, args: _unpack_norm(build, args[0], 255.0, False, 8),
    "packHalf2x16": _ops("pack_half"),
    "unpackHalf2x16": _ops("unpack_half"),
    "dFdx": _ops("ddx"),
    "dFdy": _ops("ddy"),
    "fwidth": _fwidth,
    "noise1": lambda build, args: build.float_constant(0.0),
    "noise2": lambda build, args: build.float_constant(0.0, 2),
    "noise3": lambda build, args: build.float_constant(0.0, 3),
    "noise4": lambda build, args: build.float_constant(0.0, 4),
}


def call_builtin(build: Builder, name: str, args: Args, returns: Type) -> Lowered:
    """Emit a built-in function that writes no argument."""
    return _EMIT[name](build, args)


def _modf(build: Builder, x: Instr) -> list[Instr]:
    """Fraction and whole part, both with the sign of x."""
    whole = build.op("ftrunc", x)
    return [build.op("fsub", x, whole), whole]


def _frexp(build: Builder, x: Instr) -> list[Instr]:
    """Significand in [0.5, 1) and exponent; of 0 both are 0, of infinities and NaN the exponent."""
    width = x.type.width
    ints = vector(Base.INT, width)
    zero = build.op("feq", x, build.float_constant(0.0))
    strange = build.op("bnot", build.op("flt", build.op("fabs", x), build.float_constant(math.inf)))
    # Subnormals: 2 ** 32 times larger first.
    small = build.op("flt", build.op("fabs", x), build.float_constant(2.0**-126))
    bits = build.op(
        "bitcast", build.op("select", small, build.op("fmul", x, build.float_constant(2.0**32)), x), type=ints
    )
    exponent = build.op("iand", build.op("ishr", bits, build.int_constant(23)), build.int_constant(255))
    bias = build.op("select", small, build.constant(ints, (126 + 32,) * width), build.constant(ints, (126,) * width))
    none = build.constant(ints, (0,) * width)
    power = build.op("select", build.op("bor", zero, strange), none, build.op("isub", exponent, bias))
    kept = build.op("ior", build.op("iand", bits, build.constant(INT, (-0x7F800001,))), build.int_constant(126 << 23))
    significand = build.op("bitcast", kept, type=vector(Base.FLOAT, width))
    return [build.op("select", build.op("bor", zero, strange), x, significand), power]


def _carry(build: Builder, x: Instr, y: Instr) -> list[Instr]:
    total = build.op("iadd", x, y)
    return [total, build.op("bitcast", build.op("b2i", build.op("ult", total, x)), type=x.type)]


def _borrow(build: Builder, x: Instr, y: Instr) -> list[Instr]:
    return [build.op("isub", x, y), build.op("bitcast", build.op("b2i", build.op("ult", x, y)), type=x.type)]


def _wide_product(build: Builder, x: Instr, y: Instr) -> list[Instr]:
    """Upper and lower 32 bits of a product, by halves."""
    unsigned = vector(Base.UINT, x.type.width)
    signed = x.type.base == Base.INT
    left, right = (build.op("bitcast", value, type=unsigned) for value in (x, y))
    half, mask = build.constant(UINT, (16,)), build.constant(UINT, (0xFFFF,))
    low_x, high_x = build.op("iand", left, mask), build.op("ushr", left, half)
    low_y, high_y = build.op("iand", right, mask), build.op("ushr", right, half)
    first = build.op("imul", low_x, low_y)
    middle = build.op("iadd", build.op("imul", high_x, low_y), build.op("ushr", first, half))
    other = build.op("iadd", build.op("imul", low_x, high_y), build.op("iand", middle, mask))
    high = build.op("iadd", build.op("imul", high_x, high_y), build.op("ushr", middle, half))
    high = build.op("iadd", high, build.op("ushr", other, half))
    low = build.op("imul", left, right)
    if signed:
        # Of a negative factor the other one is taken off the upper half.
        for factor, partner in ((x, right), (y, left)):
            negative = build.op("ilt", factor, build.int_constant(0))
            high = build.op(
                "isub", high, build.op("select", negative, partner, build.constant(unsigned, (0,) * unsigned.width))
            )
    return [build.op("bitcast", high, type=x.type), build.op("bitcast", low, type=x.type)]


#: Functions that write arguments: the result, if there is one, then what goes to the arguments.
WRITING: Final[dict[str, Callable[..., list[Instr]]]] = {
    "modf": _modf,
    "frexp": _frexp,
    "uaddCarry": _carry,
    "usubBorrow": _borrow,
    "umulExtended": _wide_product,
    "imulExtended": _wide_product,
}
