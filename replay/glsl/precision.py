"""The precision of expressions, by the rules of the language (GLSL ES 3.00 §4.5.2).

An operation has the highest precision among its operands; constants without a name, truth values and what is made of
them alone have none, and take that of who consumes them. A look-up has the precision of its sampler.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from replay.glsl import syntax as ast
from replay.glsl.types import Base, NumericType, OpaqueType, StructType

__all__ = ["computes_short", "holds_short", "is_below_highp", "is_held_wide", "precision_of"]

_RANKS: Final = ("", "lowp", "mediump", "highp")
#: Built-in functions whose results have a precision of their own, by the beginning of their name (§8.4, §8.8).
_OWN: Final = {
    "textureSize": "highp", "imageSize": "highp", "floatBitsTo": "highp", "intBitsTo": "highp", "uintBitsTo": "highp",
    "pack": "highp", "unpackHalf": "mediump", "unpackUnorm4x8": "mediump", "unpackSnorm4x8": "mediump",
    "unpack": "highp", "frexp": "highp", "ldexp": "highp", "bitCount": "lowp", "find": "lowp", "uaddCarry": "highp",
    "usubBorrow": "highp", "umulExtended": "highp", "imulExtended": "highp", "atomic": "highp",
}  # fmt: skip
#: Those that take numbers apart bit by bit.
_BITWISE: Final = (*_OWN, "bitfield", "modf")


def is_below_highp(precision: str) -> bool:
    """Tell whether 16 bits are enough for a precision."""
    return precision in ("mediump", "lowp")


def precision_of(expr: ast.Expr) -> str:
    """Precision of a checked expression: ``highp``, ``mediump``, ``lowp``, or nothing."""
    try:
        return expr.precision
    except AttributeError:
        expr.precision = _found(expr)
        return expr.precision


def computes_short(expr: ast.Expr) -> bool:
    """Tell whether an operator or built-in function is computed in 16 bits: none of its operands needs more."""
    if isinstance(expr, ast.Call):
        return not expr.builtin.startswith(_BITWISE) and is_below_highp(_highest(expr.args))
    if isinstance(expr, ast.Binary):
        return is_below_highp(_highest((expr.left, expr.right)))
    if isinstance(expr, ast.Assign):
        return is_below_highp(_highest((expr.target, expr.value)))
    return isinstance(expr, (ast.Unary, ast.Postfix, ast.Convert)) and is_below_highp(precision_of(expr.operand))


def is_held_wide(expr: ast.Expr) -> bool:
    """Tell whether an expression is no more than what a variable of 32 bits holds, whatever its precision.

    Mesa's pass for precisions (``lower_precision``) makes variables of functions short, not inputs, outputs, uniforms,
    parameters and members of structures: where one of them is no operand of an operation it is taken as it is.
    """
    while isinstance(expr, (ast.Index, ast.Member)):
        if isinstance(expr.base.type, StructType):
            return True
        if isinstance(expr.base.type, NumericType) and (isinstance(expr, ast.Member) or expr.base.type.is_vector):
            return False
        expr = expr.base
    return isinstance(expr, ast.Name) and not holds_short(expr)


def holds_short(target: ast.Expr) -> bool:
    """Tell whether a target is of a variable that has no more than 16 bits if its precision needs no more."""
    while isinstance(target, (ast.Index, ast.Member)):
        if isinstance(target.base.type, StructType):
            return False
        target = target.base
    return isinstance(target, ast.Name) and target.symbol.storage in ("local", "const")


def _highest(parts: Iterable[ast.Expr]) -> str:
    return max(map(precision_of, parts), key=_RANKS.index, default="")


def _found(expr: ast.Expr) -> str:
    if isinstance(expr.type, NumericType) and expr.type.base == Base.BOOL:
        return ""
    if isinstance(expr, ast.Name):
        return expr.symbol.precision
    if isinstance(expr, (ast.Unary, ast.Postfix, ast.Convert)):
        return precision_of(expr.operand)
    if isinstance(expr, ast.Binary):
        # The amount of a shift has no say.
        return precision_of(expr.left) if expr.op in ("<<", ">>") else _highest((expr.left, expr.right))
    if isinstance(expr, ast.Assign):
        return precision_of(expr.target)
    if isinstance(expr, ast.Ternary):
        return _highest((expr.yes, expr.no))
    if isinstance(expr, ast.Comma):
        return precision_of(expr.right)
    if isinstance(expr, ast.Index):
        return precision_of(expr.base)
    if isinstance(expr, ast.Member):
        return _of_member(expr)
    return _of_call(expr) if isinstance(expr, ast.Call) else ""


def _of_member(expr: ast.Member) -> str:
    struct = expr.base.type
    return struct.by_name[expr.name].precision if isinstance(struct, StructType) else precision_of(expr.base)


def _of_call(expr: ast.Call) -> str:
    if expr.function is not None:
        return expr.function.precision
    own = next((one for begin, one in _OWN.items() if expr.builtin.startswith(begin)), None)
    if expr.builtin and own is not None:
        return own
    if isinstance(expr.type, StructType):
        return ""
    if expr.args and isinstance(expr.args[0].type, OpaqueType):
        return precision_of(expr.args[0])
    return _highest(expr.args)
