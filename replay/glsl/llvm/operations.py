"""Component-wise IR operations as vector operations: one table for all of them.

An entry takes the toolkit and one vector for each operand and gives the component's result; BOOL components are masks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from replay.glsl import mathlib
from replay.glsl.llvm.vectors import FloatVec, IntVec, LlvmOps, MaskVec, Vector

__all__ = ["COMPONENTWISE"]

_Emit = Callable[..., Vector]


def _method(name: str) -> _Emit:
    def emit(ops: LlvmOps, *operands: Any) -> Vector:
        result: Vector = getattr(ops, name)(*operands)
        return result

    return emit


def _swapped(name: str) -> _Emit:
    """``a >= b`` as ``b <= a``."""

    def emit(ops: LlvmOps, a: Any, b: Any) -> Vector:
        result: Vector = getattr(ops, name)(b, a)
        return result

    return emit


def _inline(name: str) -> _Emit:
    function = mathlib.FUNCTIONS[name]

    def emit(ops: LlvmOps, *operands: Any) -> Vector:
        result: Vector = function(ops, *operands)
        return result

    return emit


def _called(name: str, arity: int) -> _Emit:
    """A math function long enough to be written once per module."""
    function = mathlib.FUNCTIONS[name]

    def emit(ops: LlvmOps, *operands: Any) -> Vector:
        return ops.call(name, (FloatVec,) * arity, FloatVec, function, *operands)

    return emit


def _fmad(ops: LlvmOps, a: FloatVec, b: FloatVec, c: FloatVec) -> Vector:
    return ops.fadd(ops.fmul(a, b), c)


def _ineg(ops: LlvmOps, a: IntVec) -> Vector:
    return ops.isub(ops.iconst(0), a)


def _iabs(ops: LlvmOps, a: IntVec) -> Vector:
    # Wraps for INT_MIN, as two's complement does.
    return ops.imax(a, ops.isub(ops.iconst(0), a))


def _isign(ops: LlvmOps, a: IntVec) -> Vector:
    return ops.imax(ops.imin(a, ops.iconst(1)), ops.iconst(-1))


def _b2f(ops: LlvmOps, a: MaskVec) -> Vector:
    return ops.select(a, ops.fconst(1.0), ops.fconst(0.0))


def _b2i(ops: LlvmOps, a: MaskVec) -> Vector:
    return ops.select(a, ops.iconst(1), ops.iconst(0))


_RENAMED: Final = {
    "froundeven": "frint",
    "ishl": "shl",
    "ishr": "ashr",
    "ushr": "lshr",
    "f2i": "ftoi",
    "f2u": "ftou",
    "i2f": "itof",
    "u2f": "utof",
    "bnot": "mask_not",
    "band": "mask_and",
    "bor": "mask_or",
    "bxor": "mask_xor",
}
_SAME_NAME: Final = (
    *("fneg", "fabs", "ffloor", "fceil", "ftrunc", "fsqrt", "fadd", "fsub", "fmul", "fdiv", "fmin", "fmax"),
    *("inot", "iadd", "isub", "imul", "idiv", "irem", "imin", "imax", "udiv", "urem", "umin", "umax"),
    *("iand", "ior", "ixor", "flt", "feq", "fne", "ilt", "ult", "ieq", "ine"),
)

#: By the name of the IR operation.
COMPONENTWISE: Final[dict[str, _Emit]] = {
    **{name: _method(name) for name in _SAME_NAME},
    **{name: _method(method) for name, method in _RENAMED.items()},
    **{name: _swapped(method) for name, method in (("fge", "fle"), ("ige", "ile"), ("uge", "ule"))},
    **{name: _inline(name) for name in ("frcp", "frsq", "fsat", "ffract", "fround", "fsign")},
    **{name: _called(name, 1) for name in ["fexp2", "flog2", "fsin", "fcos", "ftan", "fasin", "facos", "fatan"]},
    **{name: _called(name, 2) for name in ("fpow", "fatan2")},
    "fmad": _fmad,
    "ineg": _ineg,
    "iabs": _iabs,
    "isign": _isign,
    "b2f": _b2f,
    "b2i": _b2i,
}
