"""Type checking of expressions (GLSL ES 3.00 chapters 4.1.10, 5, and the same of the other versions)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NoReturn

from replay.glsl import syntax as ast
from replay.glsl.builtins import COMPATIBILITY_NAMES, builtin_functions
from replay.glsl.calls import CallRules
from replay.glsl.expression_base import contains, is_array, is_opaque, is_runtime_array
from replay.glsl.symbols import Symbol
from replay.glsl.types import (
    BOOL,
    COUNTER,
    FLOAT,
    INT,
    UINT,
    ArrayType,
    Base,
    NumericType,
    StructType,
    Type,
    matrix,
    vector,
)
from replay.glsl.versions import brings

if TYPE_CHECKING:
    pass

__all__ = ["ExpressionChecker"]

_SWIZZLES: Final = ("xyzw", "rgba", "stpq")
_COMPONENT: Final = {letter: k for letters in _SWIZZLES for k, letter in enumerate(letters)}
_BITWISE: Final = frozenset({"&", "|", "^"})


class ExpressionChecker(CallRules):
    """Gives every expression its type; the base of the checker of declarations and statements."""

    def check(self, expr: ast.Expr) -> Type:
        """Check an expression whose value is read."""
        return self._CHECKS[type(expr)](self, expr)

    # Leaves --------------------------------------------------------------------------------------------------------
    def _literal(self, expr: ast.Literal) -> Type:
        return expr.type

    def _name(self, expr: ast.Name) -> Type:
        symbol = self._resolve(expr)
        symbol.read = True
        if symbol.storage == "buffer" and symbol.member:
            self.check_access(expr, writes=False)
        return expr.type

    def _resolve(self, expr: ast.Name) -> Symbol:
        found = self.scopes.find(expr.name)
        if not isinstance(found, Symbol):
            if found is not None:
                kind = "a function" if isinstance(found, list) else "a type"
                self.fail(expr.pos, f"'{expr.name}' is {kind}, not a variable")
            if expr.name in COMPATIBILITY_NAMES and not self.version.es:
                self.fail(expr.pos, f"'{expr.name}' belongs to the fixed-function pipeline, which is not supported")
            if not self.version.es and builtin_functions(expr.name, self.version, self.stage, self.enabled):
                self.fail(expr.pos, f"'{expr.name}' is a function, not a variable")
            self.fail(expr.pos, f"'{expr.name}' is not declared")
        if found.name == "gl_WorkGroupSize" and found.value is None:
            self.fail(expr.pos, f"'{found.name}' is not known before the size of the work group is declared")
        expr.symbol = found
        expr.type = found.type
        expr.constant = found.storage == "const"
        found.used = True
        if found.block is not None:
            found.block.used = True
        if found.is_global and self.function is not None:
            self.function.globals[found] = None
        return found

    # Operators -----------------------------------------------------------------------------------------------------
    def _convert(self, expr: ast.Convert) -> Type:
        return expr.type

    def _unary(self, expr: ast.Unary) -> Type:
        op = expr.op
        if op in ("++", "--"):
            return self._step(expr)
        found = self.value(expr.operand)
        expr.constant = expr.operand.constant
        if op == "!":
            if found is not BOOL:
                self.fail(expr.pos, f"'!' needs a bool, not {found}")
        elif not isinstance(found, NumericType) or found.base == Base.BOOL:
            self.fail(expr.pos, f"'{op}' needs a number, not {found}")
        elif op == "~" and (found.base == Base.FLOAT or found.is_matrix):
            self.fail(expr.pos, f"'~' needs integers, not {found}")
        expr.type = found
        return found

    def _step(self, expr: ast.Unary | ast.Postfix) -> Type:
        """``++`` and ``--``."""
        found = self.lvalue(expr.operand, reads=True)
        if not isinstance(found, NumericType) or found.base == Base.BOOL:
            self.fail(expr.pos, f"'{expr.op}' needs a number, not {found}")
        expr.type = found
        expr.constant = False
        return found

    def _binary(self, expr: ast.Binary) -> Type:
        a, b = self.value(expr.left), self.value(expr.right)
        op = expr.op
        expr.constant = expr.left.constant and expr.right.constant
        if op in ("&&", "||", "^^"):
            if a is not BOOL or b is not BOOL:
                self._mismatch(expr.pos, op, a, b)
            expr.type = BOOL
        elif op in ("==", "!="):
            self._equality(expr)
            expr.type = BOOL
        else:
            if op not in ("<<", ">>") and a is not b:
                expr.left, expr.right = self._balance(expr.left, expr.right)
            if op in ("<", ">", "<=", ">="):
                a, b = expr.left.type, expr.right.type
                if a is not b or a not in (FLOAT, INT, UINT):
                    self._mismatch(expr.pos, op, a, b)
                expr.type = BOOL
            else:
                expr.type = self._arithmetic(expr.pos, op, expr.left.type, expr.right.type)
        return expr.type

    def _mismatch(self, pos: int, op: str, a: Type, b: Type) -> NoReturn:
        self.fail(pos, f"no operator '{op}' for {a} and {b}")

    def _equality(self, expr: ast.Binary) -> None:
        expr.left, expr.right = self._balance(expr.left, expr.right)
        a, b = expr.left.type, expr.right.type
        if a is not b or contains(a, is_opaque):
            self._mismatch(expr.pos, expr.op, a, b)
        if contains(a, is_array) and not self.version.has("array_comparison"):
            self.fail(expr.pos, f"arrays cannot be compared in {self.version.name}")
        if isinstance(a, ArrayType) and not a.length:
            self.fail(expr.pos, "an array without size cannot be compared")

    def _arithmetic(self, pos: int, op: str, a: Type, b: Type) -> Type:
        """Type of an arithmetic, shift or bitwise operation."""
        if not isinstance(a, NumericType) or not isinstance(b, NumericType):
            self._mismatch(pos, op, a, b)
        if a.base == Base.BOOL or b.base == Base.BOOL:
            self._mismatch(pos, op, a, b)
        if op in ("<<", ">>"):
            if Base.FLOAT in (a.base, b.base) or (b.rows > 1 and a.rows != b.rows):
                self._mismatch(pos, op, a, b)
            return a
        if a.base != b.base or ((op in _BITWISE or op == "%") and a.base == Base.FLOAT):
            self._mismatch(pos, op, a, b)
        if a.width == 1:
            return b
        if b.width == 1:
            return a
        if op == "*" and (a.is_matrix or b.is_matrix):
            if a.is_matrix and b.is_matrix:
                if a.columns == b.rows:
                    return matrix(b.columns, a.rows)
            elif a.is_matrix:
                if a.columns == b.rows:
                    return vector(Base.FLOAT, a.rows)
            elif a.rows == b.rows:
                return vector(Base.FLOAT, b.columns)
        elif a is b:
            return a
        self._mismatch(pos, op, a, b)

    def _assign(self, expr: ast.Assign) -> Type:
        target = self.lvalue(expr.target, reads=bool(expr.op))
        found = self.value(expr.value)
        expr.type = target
        expr.constant = False
        if expr.op:
            if expr.op in ("<<", ">>"):
                result = self._arithmetic(expr.pos, expr.op, target, found)
            else:
                # Only the value may be converted: the target keeps its type.
                if (
                    found is not target
                    and isinstance(found, NumericType)
                    and isinstance(target, NumericType)
                    and not found.is_matrix
                    and self.converts(found, vector(target.base, found.rows))
                ):
                    expr.value = self.convert(expr.value, vector(target.base, found.rows))
                    found = expr.value.type
                result = self._arithmetic(expr.pos, expr.op, target, found)
            if result is not target:
                self._mismatch(expr.pos, expr.op + "=", target, found)
            return target
        if not self.converts(found, target):
            self.fail(expr.pos, f"a value of type {found} cannot be assigned to {target}")
        if contains(target, is_array) and not self.array_objects:
            self.fail(expr.pos, f"arrays cannot be assigned in {self.version.name}")
        expr.value = self.convert(expr.value, target)
        return target

    def _ternary(self, expr: ast.Ternary) -> Type:
        if self.value(expr.condition) is not BOOL:
            self.fail(expr.condition.pos, f"the condition of '?:' must be a bool, not {expr.condition.type}")
        yes, no = self.check(expr.yes), self.check(expr.no)
        if yes is not no:
            expr.yes, expr.no = self._balance(expr.yes, expr.no)
            yes, no = expr.yes.type, expr.no.type
        if yes is not no:
            self.fail(expr.pos, f"'?:' needs two values of one type, not {yes} and {no}")
        if contains(yes, is_array) and not self.array_objects:
            self.fail(expr.pos, f"'?:' cannot choose arrays in {self.version.name}")
        if contains(yes, is_opaque):
            self.fail(expr.pos, "'?:' cannot choose samplers")
        expr.type = yes
        expr.constant = expr.condition.constant and expr.yes.constant and expr.no.constant
        return yes

    def _comma(self, expr: ast.Comma) -> Type:
        self.check(expr.left)
        expr.type = self.check(expr.right)
        # GLSL ES 3.00 §12.43: no constant expression.
        modern_es = self.version.es and not self.version.legacy
        expr.constant = not modern_es and expr.left.constant and expr.right.constant
        return expr.type

    # Access --------------------------------------------------------------------------------------------------------
    def _index(self, expr: ast.Index) -> Type:
        return self._indexed(expr, self.value(expr.base))

    def _indexed(self, expr: ast.Index, base: Type) -> Type:
        found = self.value(expr.index)
        if found is not INT and (found is not UINT or self.version.legacy):
            self.fail(expr.index.pos, f"an index must be an integer, not {found}")
        if isinstance(base, ArrayType):
            length, element = base.length, base.element
        elif isinstance(base, NumericType) and base.is_matrix:
            length, element = base.columns, vector(Base.FLOAT, base.rows)
        elif isinstance(base, NumericType) and base.is_vector:
            length, element = base.rows, vector(base.base, 1)
        else:
            self.fail(expr.pos, f"{base} cannot be indexed")
        constant = self.constant_components(expr.index) if expr.index.constant else None
        if constant is not None:
            at = int(constant[0])
            if at < 0 or (length and at >= length):
                self.fail(expr.index.pos, f"index {at} is out of range for {base}")
            if not length and not is_runtime_array(expr.base):
                self._note_unsized(expr.base, at)
        elif not length and not is_runtime_array(expr.base):
            self.fail(expr.index.pos, "an array without size needs constant indices")
        elif isinstance(base, ArrayType):
            self._check_dynamic_index(expr, element)
        expr.type = element
        expr.constant = expr.base.constant and expr.index.constant
        return element

    def _note_unsized(self, base: ast.Expr, at: int) -> None:
        if at >= 65536:
            self.fail(base.pos, "array too large")
        if isinstance(base, ast.Name):
            self.highest_index[base.symbol] = max(at, self.highest_index.get(base.symbol, -1))

    def _check_dynamic_index(self, expr: ast.Index, element: Type) -> None:
        root = expr.base
        while isinstance(root, (ast.Index, ast.Member)):
            root = root.base
        symbol = root.symbol if isinstance(root, ast.Name) else None
        modern_es = self.version.es and self.version.number >= 300
        any_index = self.version.has("sampler_indexing") or brings(self.enabled, "sampler_indexing")
        constant_only = (modern_es or (not self.version.es and self.version.number >= 130)) and not any_index
        if constant_only and contains(element, lambda one: is_opaque(one) and one is not COUNTER):
            self.fail(expr.index.pos, f"arrays of samplers need constant indices in {self.version.name}")
        if symbol is None:
            return
        if (
            symbol.storage in ("block", "buffer")
            and symbol.block is not None
            and symbol.block.array
            and expr.base is root
            and not (any_index if symbol.storage == "block" else self.version.has("storage_block_indexing"))
        ):
            self.fail(expr.index.pos, "arrays of blocks need constant indices")
        if symbol.storage == "out" and self.stage == "fragment" and modern_es:
            self.fail(expr.index.pos, f"'{symbol.name}' needs constant indices")

    def _member(self, expr: ast.Member) -> Type:
        found = self._membered(expr, self.value(expr.base))
        if self.has_memory and isinstance(expr.base.type, StructType):
            self.check_access(expr, writes=False)
        return found

    def _membered(self, expr: ast.Member, base: Type) -> Type:
        name = expr.name
        expr.constant = expr.base.constant
        expr.components = ()
        if isinstance(base, StructType):
            field = base.by_name.get(name)
            if field is None:
                self.fail(expr.pos, f"{base} has no member '{name}'")
            expr.type = field.type
        elif isinstance(base, NumericType) and base.is_vector:
            letters = next((letters for letters in _SWIZZLES if name[0] in letters), "")
            if len(name) > 4 or not letters or any(letter not in letters for letter in name):
                self.fail(expr.pos, f"'{name}' is no selection of components of {base}")
            components = tuple(_COMPONENT[letter] for letter in name)
            if max(components) >= base.rows:
                self.fail(expr.pos, f"{base} has no component '{name[components.index(max(components))]}'")
            expr.components = components
            expr.type = vector(base.base, len(components))
        else:
            self.fail(expr.pos, f"{base} has no members")
        return expr.type

    def _method(self, expr: ast.Method) -> Type:
        base = self.value(expr.base)
        if expr.name != "length" or not self.array_objects:
            self.fail(expr.pos, f"there is no method '{expr.name}'")
        if not isinstance(base, ArrayType):
            self.fail(expr.pos, f"length() needs an array, not {base}")
        if expr.args:
            self.fail(expr.pos, "length() takes no arguments")
        runtime = is_runtime_array(expr.base)
        if not base.length and not runtime:
            self.fail(expr.pos, "length() of an array without size")
        expr.type = INT
        expr.constant = not runtime
        return INT

    # Lvalues -------------------------------------------------------------------------------------------------------
    def lvalue(self, expr: ast.Expr, reads: bool = False) -> Type:
        """Check an expression that is written to (and read first, for ``reads``)."""
        found = self._place(expr, reads)
        self.check_written_place(expr)
        if self.has_memory:
            self.check_access(expr, writes=True)
            if reads:
                self.check_access(expr, writes=False)
        return found

    def check_written_place(self, expr: ast.Expr) -> None:
        """Called for every place that is written; see the rules of patches."""

    def check_access(self, expr: ast.Expr, writes: bool) -> None:
        """Called for every part of memory that is read or written; see the rules of memory."""

    def _place(self, expr: ast.Expr, reads: bool) -> Type:
        kind = type(expr)
        if kind is ast.Name:
            assert isinstance(expr, ast.Name)
            symbol = self._resolve(expr)
            if not symbol.writable:
                self._read_only(expr.pos, symbol)
            if contains(symbol.type, is_opaque):
                self.fail(expr.pos, f"'{symbol.name}' holds samplers and cannot be written")
            symbol.written += 1
            symbol.read |= reads
            expr.constant = False
            self.note_write(symbol, expr.pos)
            return expr.type
        if kind is ast.Index:
            assert isinstance(expr, ast.Index)
            return self._indexed(expr, self._place(expr.base, reads))
        if kind is ast.Member:
            assert isinstance(expr, ast.Member)
            found = self._membered(expr, self._place(expr.base, reads))
            if len(set(expr.components)) != len(expr.components):
                self.fail(expr.pos, f"'{expr.name}' names a component twice and cannot be written")
            return found
        self.check(expr)
        self.fail(expr.pos, "this cannot be written to")

    def note_write(self, symbol: Symbol, pos: int) -> None:
        """Called for every write; the checker of shaders looks at built-in outputs."""

    def _read_only(self, pos: int, symbol: Symbol) -> NoReturn:
        why = {"const": "a constant", "uniform": "a uniform", "block": "a uniform block", "in": "an input"}.get(
            symbol.storage, "read-only"
        )
        self.fail(pos, f"'{symbol.name}' is {why} and cannot be written")

    _CHECKS: Final[dict[type, Callable[[Any, Any], Type]]] = {
        ast.Literal: _literal,
        ast.Name: _name,
        ast.Convert: _convert,
        ast.Unary: _unary,
        ast.Postfix: _step,
        ast.Binary: _binary,
        ast.Assign: _assign,
        ast.Ternary: _ternary,
        ast.Comma: _comma,
        ast.Index: _index,
        ast.Member: _member,
        ast.Method: _method,
        ast.Call: CallRules.check_call,
    }
