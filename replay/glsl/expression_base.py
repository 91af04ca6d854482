"""What all checks of expressions share: messages, constants, implicit conversions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from replay.glsl import syntax as ast
from replay.glsl.diagnostics import GlslError
from replay.glsl.symbols import Function, Scopes, Symbol
from replay.glsl.types import (
    INT,
    UINT,
    VOID,
    ArrayType,
    Base,
    NumericType,
    OpaqueType,
    StructType,
    Type,
    vector,
)

if TYPE_CHECKING:
    from replay.glsl.preprocessor import Preprocessor

__all__ = ["ExpressionBase", "contains", "is_array", "is_opaque", "is_runtime_array", "memory_root"]


def contains(type: Type, wanted: Callable[[Type], bool]) -> bool:
    """Tell whether the type, or any part of it, is ``wanted``."""
    if wanted(type):
        return True
    if isinstance(type, ArrayType):
        return contains(type.element, wanted)
    if isinstance(type, StructType):
        return any(contains(one.type, wanted) for one in type.fields)
    return False


def is_array(type: Type) -> bool:
    """Tell whether a type is an array."""
    return isinstance(type, ArrayType)


def is_opaque(type: Type) -> bool:
    """Tell whether a type is a sampler, an image or a counter."""
    return isinstance(type, OpaqueType)


def memory_root(expr: ast.Expr) -> Symbol | None:
    """Symbol of the storage block or shared variable that an expression is a part of."""
    while isinstance(expr, (ast.Index, ast.Member)):
        expr = expr.base
    if isinstance(expr, ast.Name) and expr.symbol.storage in ("buffer", "shared"):
        return expr.symbol
    return None


def is_runtime_array(expr: ast.Expr) -> bool:
    """Tell whether an expression names the array without size at the end of a storage block."""
    root = memory_root(expr)
    return root is not None and isinstance(expr.type, ArrayType) and not expr.type.length


class ExpressionBase:
    """Base of the checker; its parts are in the modules that extend it."""

    def __init__(self, preprocessor: Preprocessor, stage: str) -> None:
        self.version = preprocessor.version
        self.stage = stage
        self.enabled = frozenset(name for name, behaviour in preprocessor.enabled.items() if behaviour != "disable")
        self.scopes = Scopes()
        self.function: Function | None = None
        self.report = preprocessor.error
        self.implicit = self.version.has("implicit_conversions")
        self.implicit_to_uint = self.version.has("implicit_to_uint")
        self.has_memory = self.version.has("storage_blocks")
        self.array_objects = self.version.has("array_objects")
        #: Unsized arrays: highest constant index used.
        self.highest_index: dict[Symbol, int] = {}

    # Helpers -------------------------------------------------------------------------------------------------------
    def fail(self, pos: int, message: str) -> NoReturn:
        """Report an error and unwind to the enclosing statement."""
        self.report(pos, message)
        raise GlslError(message)

    def check(self, expr: ast.Expr) -> Type:
        """Check an expression whose value is read."""
        raise NotImplementedError

    def value(self, expr: ast.Expr, what: str = "value") -> Type:
        """Check an expression that must have a value."""
        found = self.check(expr)
        if found is VOID:
            self.fail(expr.pos, f"a {what} is needed here, not void")
        return found

    def constant_components(self, expr: ast.Expr) -> tuple[Any, ...] | None:
        """Components of a constant scalar or vector expression; None if it has none."""
        if type(expr) is ast.Literal:
            return (expr.value,)
        if not expr.constant or not isinstance(expr.type, NumericType):
            return None
        from replay.glsl.lowering.constants import constant_components

        return constant_components(expr)

    def constant_integer(self, expr: ast.Expr, what: str) -> int:
        """Value of an integral constant expression."""
        found = self.value(expr)
        if found is not INT and found is not UINT:
            self.fail(expr.pos, f"{what} must be an integer, not {found}")
        if not expr.constant:
            self.fail(expr.pos, f"{what} must be a constant expression")
        components = self.constant_components(expr)
        if components is None:
            self.fail(expr.pos, f"{what} has no value that is known here")
        return int(components[0])

    # Implicit conversions ------------------------------------------------------------------------------------------
    def converts(self, found: Type, wanted: Type) -> bool:
        """Tell whether a value converts implicitly (equal types do)."""
        if found is wanted:
            return True
        if not self.implicit or not isinstance(found, NumericType) or not isinstance(wanted, NumericType):
            return False
        to_float = wanted.base == Base.FLOAT and found.base in (Base.INT, Base.UINT)
        to_uint = self.implicit_to_uint and (found.base, wanted.base) == (Base.INT, Base.UINT)
        return (to_float or to_uint) and found.columns == wanted.columns and found.rows == wanted.rows

    def convert(self, expr: ast.Expr, wanted: Type) -> ast.Expr:
        """Give the expression, converted if its type is another one."""
        return expr if expr.type is wanted else ast.Convert(expr, wanted)

    def _balance(self, left: ast.Expr, right: ast.Expr) -> tuple[ast.Expr, ast.Expr]:
        """Convert an integer operand where the other one is float, or (4.00) unsigned."""
        if not self.implicit:
            return left, right
        a, b = left.type, right.type
        if isinstance(a, NumericType) and isinstance(b, NumericType) and a.base != b.base:
            if a.base == Base.FLOAT and b.base in (Base.INT, Base.UINT):
                return left, self.convert(right, vector(Base.FLOAT, b.rows))
            if b.base == Base.FLOAT and a.base in (Base.INT, Base.UINT):
                return self.convert(left, vector(Base.FLOAT, a.rows)), right
            if self.implicit_to_uint and (a.base, b.base) == (Base.INT, Base.UINT):
                return self.convert(left, vector(Base.UINT, a.rows)), right
            if self.implicit_to_uint and (a.base, b.base) == (Base.UINT, Base.INT):
                return left, self.convert(right, vector(Base.UINT, b.rows))
        return left, right

    def lvalue(self, expr: ast.Expr, reads: bool = False) -> Type:
        """Check an expression that is written to (and read first, for ``reads``)."""
        raise NotImplementedError

    def sized(self, base: Type, dims: list[ast.Expr | None], pos: int) -> Type:
        """Array type with the sizes of brackets, the outermost first."""
        raise NotImplementedError

    def resolve_type_name(self, spec: ast.TypeSpec) -> Type:
        """Type of the name in a TypeSpec, its brackets left out."""
        raise NotImplementedError
