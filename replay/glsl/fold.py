"""Constant folding: every pure operation of the IR on tuples of Python numbers, equal to the executors bit by bit.

FLOAT components are floats that binary32 represents, INT signed, UINT unsigned integers, BOOL truth values.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any, Final

from replay.glsl.types import Base

__all__ = ["Components", "fold", "narrowed", "round_to_float32", "to_int32", "to_uint32"]

Components = tuple[Any, ...]

_PACK: Final = struct.Struct("<f")
_PACK_HALF: Final = struct.Struct("<e")
#: What every NaN is as an integer: its payload depends on the machine otherwise.
_NAN_BITS: Final = 0x7FC00000
_UINT_OF_FLOAT: Final = struct.Struct("<I")


def round_to_float32(value: float) -> float:
    """Nearest binary32, as float; infinity beyond the range."""
    try:
        found: float = _PACK.unpack(_PACK.pack(value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return found


def narrowed(base: Base, components: Components) -> Components:
    """What 16 bits keep of components: the nearest binary16, infinity beyond the range; integers wrap."""
    if base == Base.FLOAT:
        return tuple(_round_to_half(value) for value in components)
    if base == Base.UINT:
        return tuple(value & 0xFFFF for value in components)
    return tuple((value + 0x8000 & 0xFFFF) - 0x8000 for value in components)


def _round_to_half(value: float) -> float:
    try:
        found: float = _PACK_HALF.unpack(_PACK_HALF.pack(value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return found


def to_int32(value: int) -> int:
    """Wrap to a signed 32-bit integer."""
    value &= 0xFFFFFFFF
    return value - 0x100000000 if value & 0x80000000 else value


def to_uint32(value: int) -> int:
    """Wrap to an unsigned 32-bit integer."""
    return value & 0xFFFFFFFF


def _wrap(value: int, base: Base) -> int:
    return to_uint32(value) if base == Base.UINT else to_int32(value)


def _divide(a: float, b: float) -> float:
    if b != 0.0:
        return a / b
    if a == 0.0 or a != a or b != b:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _multiply(a: float, b: float) -> float:
    return a * b


def _quotient(a: int, b: int) -> int:
    if b == 0:
        return 0
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _round_down(function: Callable[[float], float]) -> Callable[[float], float]:
    """Keep what math's integer functions cannot take: infinities, NaN, the sign of zero."""

    def apply(a: float) -> float:
        if not math.isfinite(a):
            return a
        return math.copysign(float(function(a)), a) if a else a

    return apply


def _fract(a: float) -> float:
    return a - math.floor(a) if math.isfinite(a) else math.nan


def _sign(a: float) -> float:
    return math.copysign(1.0, a) if a > 0 or a < 0 else 0.0


def _saturate(low: int, high: int) -> Callable[[float], int]:
    def convert(a: float) -> int:
        if a != a:
            return 0
        if a <= low:
            return low
        return high if a >= high else int(a)

    return convert


_FLOAT: Final[dict[str, Callable[..., float]]] = {
    "fneg": lambda a: -a,
    "fabs": abs,
    "ffloor": _round_down(math.floor),
    "fceil": _round_down(math.ceil),
    "ftrunc": _round_down(math.trunc),
    "froundeven": _round_down(round),
    "ffract": _fract,
    "fadd": lambda a, b: a + b,
    "fsub": lambda a, b: a - b,
    "fmul": _multiply,
    "fdiv": _divide,
    "fmin": lambda a, b: b if b < a else a,
    "fmax": lambda a, b: b if a < b else a,
    "fmad": lambda a, b, c: round_to_float32(_multiply(a, b)) + c,
}
_INTEGER: Final[dict[str, Callable[..., int]]] = {
    "ineg": lambda a: -a,
    "iabs": abs,
    "isign": lambda a: (a > 0) - (a < 0),
    "inot": lambda a: ~a,
    "iadd": lambda a, b: a + b,
    "isub": lambda a, b: a - b,
    "imul": lambda a, b: a * b,
    "idiv": _quotient,
    "irem": lambda a, b: a - b * _quotient(a, b) if b else 0,
    "udiv": _quotient,
    "urem": lambda a, b: a % b if b else 0,
    "imin": min,
    "imax": max,
    "umin": min,
    "umax": max,
    "iand": lambda a, b: a & b,
    "ior": lambda a, b: a | b,
    "ixor": lambda a, b: a ^ b,
    "ishl": lambda a, b: a << (b & 31),
    "ishr": lambda a, b: a >> (b & 31),
    "ushr": lambda a, b: a >> (b & 31),
}
_TRUTH: Final[dict[str, Callable[..., bool]]] = {
    "flt": lambda a, b: a < b,
    "fge": lambda a, b: a >= b,
    "feq": lambda a, b: a == b,
    "fne": lambda a, b: a != b,
    "ilt": lambda a, b: a < b,
    "ige": lambda a, b: a >= b,
    "ult": lambda a, b: a < b,
    "uge": lambda a, b: a >= b,
    "ieq": lambda a, b: a == b,
    "ine": lambda a, b: a != b,
    "bnot": lambda a: not a,
    "band": lambda a, b: a and b,
    "bor": lambda a, b: a or b,
    "bxor": lambda a, b: a != b,
}
_CONVERSION: Final[dict[str, Callable[[Any], Any]]] = {
    "f2i": _saturate(-(1 << 31), (1 << 31) - 1),
    "f2u": _saturate(0, (1 << 32) - 1),
    "i2f": lambda a: round_to_float32(float(a)),
    "u2f": lambda a: round_to_float32(float(a)),
    "b2f": float,
    "b2i": int,
}
_MATH: Final = frozenset(
    [
        "frcp",
        "fsqrt",
        "frsq",
        "fexp2",
        "flog2",
        "fsin",
        "fcos",
        "ftan",
        "fasin",
        "facos",
        "fatan",
        "fpow",
        "fatan2",
        "fsat",
        "fround",
        "fsign",
    ]
)


def _bitcast(value: Any, source: Base, target: Base) -> Any:
    if source == Base.FLOAT:
        raw: int = _UINT_OF_FLOAT.unpack(_PACK.pack(value))[0] if value == value else _NAN_BITS
    else:
        raw = to_uint32(value)
    if target == Base.FLOAT:
        return _PACK.unpack(_UINT_OF_FLOAT.pack(raw))[0]
    return _wrap(raw, target)


#: What a compiler has of its C library, rounded from binary64; shaders at work are less exact (``mathlib``).
_OF_COMPILERS: Final = {
    "fexp2": "exp2", "flog2": "log2", "fpow": "power", "fsin": "sin", "fcos": "cos", "ftan": "tan", "fatan": "arctan",
    "fatan2": "arctan2",
}  # fmt: skip


def _library(op: str, args: tuple[Components, ...]) -> Components:
    """Evaluate through the library that the executors use, or as the compiler's own would."""
    import numpy as np

    from replay.glsl.mathlib import FUNCTIONS
    from replay.glsl.numpyops import NumpyOps

    with np.errstate(all="ignore"):
        if op in _OF_COMPILERS:
            exact = getattr(np, _OF_COMPILERS[op])(*(np.asarray(arg, np.float64) for arg in args))
            result = exact.astype(np.float32)
        else:
            result = FUNCTIONS[op](NumpyOps(), *(np.asarray(arg, np.float32) for arg in args))
    return tuple(float(x) for x in np.broadcast_to(result, (len(args[0]),)))


def _half(op: str, arg: Components) -> Components:
    import numpy as np

    from replay.glsl import mathlib
    from replay.glsl.numpyops import NumpyOps

    with np.errstate(all="ignore"):
        if op == "pack_half":
            parts = (np.asarray([x], np.float32) for x in arg)
            return (to_uint32(int(mathlib.pack_half(NumpyOps(), *parts)[0])),)
        low, high = mathlib.unpack_half(NumpyOps(), np.asarray([to_int32(arg[0])], np.int32))
        return (float(low[0]), float(high[0]))


def fold(op: str, base: Base, bases: tuple[Base, ...], args: tuple[Components, ...]) -> Components | None:
    """Evaluate a component-wise (or reducing) operation.

    Parameters
    ----------
    op : name
    base : of the result
    bases, args : base types and components of the operands

    Returns
    -------
    Components of the result, None for an operation that is not folded here
    """
    function = _FLOAT.get(op)
    if function is not None:
        return tuple(round_to_float32(function(*parts)) for parts in zip(*args, strict=True))
    whole = _INTEGER.get(op)
    if whole is not None:
        return tuple(_wrap(whole(*parts), base) for parts in zip(*args, strict=True))
    truth = _TRUTH.get(op)
    if truth is not None:
        return tuple(bool(truth(*parts)) for parts in zip(*args, strict=True))
    if op in _CONVERSION:
        return tuple(_CONVERSION[op](arg) for arg in args[0])
    if op in _MATH:
        return _library(op, args)
    if op == "fdot":
        products = [round_to_float32(_multiply(a, b)) for a, b in zip(*args, strict=True)]
        total = products.pop()
        while products:
            total = round_to_float32(total + products.pop())
        return (total,)
    if op == "any":
        return (any(args[0]),)
    if op == "all":
        return (all(args[0]),)
    if op == "select":
        return tuple(a if chosen else b for chosen, a, b in zip(*args, strict=True))
    if op == "bitcast":
        return tuple(_bitcast(arg, bases[0], base) for arg in args[0])
    if op in ("pack_half", "unpack_half"):
        return _half(op, args[0])
    if op == "narrow":
        return narrowed(base, args[0])
    if op in ("ddx", "ddy"):
        return (0.0,) * len(args[0])
    return None
