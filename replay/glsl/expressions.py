"""Type checking of expressions (GLSL ES 3.00 chapters 4.1.10, 5, and the same of the other versions)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn

from replay.glsl import syntax as ast
from replay.glsl.builtins import COMPATIBILITY_NAMES, Signature, builtin_functions
from replay.glsl.diagnostics import GlslError
from replay.glsl.symbols import Function, Scopes, Symbol
from replay.glsl.types import (
    BOOL,
    FLOAT,
    INT,
    UINT,
    VOID,
    ArrayType,
    Base,
    NumericType,
    SamplerType,
    StructType,
    Type,
    array_of,
    matrix,
    vector,
)

if TYPE_CHECKING:
    from replay.glsl.preprocessor import Preprocessor

__all__ = ["ExpressionChecker", "contains"]

_SWIZZLES: Final = ("xyzw", "rgba", "stpq")
_COMPONENT: Final = {letter: k for letters in _SWIZZLES for k, letter in enumerate(letters)}
_ARITHMETIC: Final = frozenset("+-*/")
_BITWISE: Final = frozenset({"&", "|", "^"})


def contains(type: Type, wanted: Callable[[Type], bool]) -> bool:
    """Tell whether the type, or any part of it, is ``wanted``."""
    if wanted(type):
        return True
    if isinstance(type, ArrayType):
        return contains(type.element, wanted)
    if isinstance(type, StructType):
        return any(contains(f.type, wanted) for f in type.fields)
    return False


def _is_array(type: Type) -> bool:
    return isinstance(type, ArrayType)


def _is_sampler(type: Type) -> bool:
    return isinstance(type, SamplerType)


class ExpressionChecker:
    """Gives every expression its type; the base of the checker of declarations and statements."""

    def __init__(self, preprocessor: Preprocessor, stage: str) -> None:
        self.version = preprocessor.version
        self.stage = stage
        self.enabled = frozenset(n for n, behaviour in preprocessor.enabled.items() if behaviour != "disable")
        self.scopes = Scopes()
        self.function: Function | None = None
        self.report = preprocessor.error
        self._implicit = self.version.has("implicit_conversions")
        self._array_objects = self.version.has("array_objects")
        #: Unsized arrays: highest constant index used.
        self.highest_index: dict[Symbol, int] = {}

    # Helpers -------------------------------------------------------------------------------------------------------
    def fail(self, pos: int, message: str) -> NoReturn:
        """Report an error and unwind to the enclosing statement."""
        self.report(pos, message)
        raise GlslError(message)

    def check(self, expr: ast.Expr) -> Type:
        """Check an expression whose value is read."""
        return self._CHECKS[type(expr)](self, expr)

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
        if not self._implicit or not isinstance(found, NumericType) or not isinstance(wanted, NumericType):
            return False
        return (
            wanted.base == Base.FLOAT
            and found.base in (Base.INT, Base.UINT)
            and found.columns == wanted.columns
            and found.rows == wanted.rows
        )

    def convert(self, expr: ast.Expr, wanted: Type) -> ast.Expr:
        """Give the expression, converted if its type is another one."""
        return expr if expr.type is wanted else ast.Convert(expr, wanted)

    def _balance(self, left: ast.Expr, right: ast.Expr) -> tuple[ast.Expr, ast.Expr]:
        """Convert an integer operand where the other one is float."""
        if not self._implicit:
            return left, right
        a, b = left.type, right.type
        if isinstance(a, NumericType) and isinstance(b, NumericType) and a.base != b.base:
            if a.base == Base.FLOAT and b.base in (Base.INT, Base.UINT):
                return left, self.convert(right, vector(Base.FLOAT, b.rows))
            if b.base == Base.FLOAT and a.base in (Base.INT, Base.UINT):
                return self.convert(left, vector(Base.FLOAT, a.rows)), right
        return left, right

    # Leaves --------------------------------------------------------------------------------------------------------
    def _literal(self, expr: ast.Literal) -> Type:
        return expr.type

    def _name(self, expr: ast.Name) -> Type:
        symbol = self._resolve(expr)
        symbol.read = True
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
        if a is not b or contains(a, _is_sampler):
            self._mismatch(expr.pos, expr.op, a, b)
        if contains(a, _is_array) and not self.version.has("array_comparison"):
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
                    and found.base != target.base
                    and self.converts(found, vector(Base.FLOAT, found.rows) if not found.is_matrix else found)
                    and target.base == Base.FLOAT
                ):
                    expr.value = self.convert(expr.value, vector(Base.FLOAT, found.rows))
                    found = expr.value.type
                result = self._arithmetic(expr.pos, expr.op, target, found)
            if result is not target:
                self._mismatch(expr.pos, expr.op + "=", target, found)
            return target
        if not self.converts(found, target):
            self.fail(expr.pos, f"a value of type {found} cannot be assigned to {target}")
        if contains(target, _is_array) and not self._array_objects:
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
        if contains(yes, _is_array) and not self._array_objects:
            self.fail(expr.pos, f"'?:' cannot choose arrays in {self.version.name}")
        if contains(yes, _is_sampler):
            self.fail(expr.pos, "'?:' cannot choose samplers")
        if yes is VOID and self.version.es:
            self.fail(expr.pos, "'?:' needs values, not void")
        expr.type = yes
        expr.constant = expr.condition.constant and expr.yes.constant and expr.no.constant
        return yes

    def _comma(self, expr: ast.Comma) -> Type:
        self.check(expr.left)
        expr.type = self.check(expr.right)
        # GLSL ES 3.00 §12.43: no constant expression.
        expr.constant = False if self.version.number >= 300 else expr.left.constant and expr.right.constant
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
            if not length:
                self._note_unsized(expr.base, at)
        elif not length:
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
        constant_only = modern_es or (not self.version.es and self.version.number >= 130)
        if constant_only and contains(element, _is_sampler):
            self.fail(expr.index.pos, f"arrays of samplers need constant indices in {self.version.name}")
        if symbol is None:
            return
        if symbol.storage == "block" and symbol.block is not None and symbol.block.array and expr.base is root:
            self.fail(expr.index.pos, "arrays of blocks need constant indices")
        if symbol.storage == "out" and self.stage == "fragment" and modern_es:
            self.fail(expr.index.pos, f"'{symbol.name}' needs constant indices")

    def _member(self, expr: ast.Member) -> Type:
        return self._membered(expr, self.value(expr.base))

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
            letters = next((s for s in _SWIZZLES if name[0] in s), "")
            if len(name) > 4 or not letters or any(c not in letters for c in name):
                self.fail(expr.pos, f"'{name}' is no selection of components of {base}")
            components = tuple(_COMPONENT[c] for c in name)
            if max(components) >= base.rows:
                self.fail(expr.pos, f"{base} has no component '{name[components.index(max(components))]}'")
            expr.components = components
            expr.type = vector(base.base, len(components))
        else:
            self.fail(expr.pos, f"{base} has no members")
        return expr.type

    def _method(self, expr: ast.Method) -> Type:
        base = self.value(expr.base)
        if expr.name != "length" or not self._array_objects:
            self.fail(expr.pos, f"there is no method '{expr.name}'")
        if not isinstance(base, ArrayType):
            self.fail(expr.pos, f"length() needs an array, not {base}")
        if expr.args:
            self.fail(expr.pos, "length() takes no arguments")
        if not base.length:
            self.fail(expr.pos, "length() of an array without size")
        expr.type = INT
        expr.constant = True
        return INT

    # Lvalues -------------------------------------------------------------------------------------------------------
    def lvalue(self, expr: ast.Expr, reads: bool = False) -> Type:
        """Check an expression that is written to (and read first, for ``reads``)."""
        kind = type(expr)
        if kind is ast.Name:
            assert isinstance(expr, ast.Name)
            symbol = self._resolve(expr)
            if not symbol.writable:
                self._read_only(expr.pos, symbol)
            if contains(symbol.type, _is_sampler):
                self.fail(expr.pos, f"'{symbol.name}' holds samplers and cannot be written")
            symbol.written += 1
            symbol.read |= reads
            expr.constant = False
            self.note_write(symbol, expr.pos)
            return expr.type
        if kind is ast.Index:
            assert isinstance(expr, ast.Index)
            return self._indexed(expr, self.lvalue(expr.base, reads))
        if kind is ast.Member:
            assert isinstance(expr, ast.Member)
            found = self._membered(expr, self.lvalue(expr.base, reads))
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

    # Calls ---------------------------------------------------------------------------------------------------------
    def _call(self, expr: ast.Call) -> Type:
        if expr.spec is not None:
            return self._constructor(expr)
        types = [self.check(arg) for arg in expr.args]
        for arg, found in zip(expr.args, types, strict=True):
            if found is VOID:
                self.fail(arg.pos, "an argument cannot be void")
        name = expr.name
        found = self.scopes.find(name)
        if isinstance(found, (Symbol, Type)):
            self.fail(expr.pos, f"'{name}' is no function")
        users: Sequence[Function] = found or ()
        function = self._best(users, types, expr.pos)
        if isinstance(function, Function):
            return self._user_call(expr, function)
        if users and not self.version.es:
            # On desktop a user's function hides all built-in ones of its name.
            self.fail(expr.pos, f"no function matches {name}({', '.join(t.name for t in types)})")
        signatures = builtin_functions(name, self.version, self.stage, self.enabled)
        signature = self._best(signatures, types, expr.pos)
        if isinstance(signature, Signature):
            return self._builtin_call(expr, signature)
        shown = f"{name}({', '.join(t.name for t in types)})"
        if name in COMPATIBILITY_NAMES and not self.version.es:
            self.fail(expr.pos, f"'{name}' belongs to the fixed-function pipeline, which is not supported")
        if not users and not signatures:
            self.fail(expr.pos, f"'{name}' is not declared")
        self.fail(expr.pos, f"no function matches {shown}")

    def _best(
        self, candidates: Sequence[Function] | Sequence[Signature], types: list[Type], pos: int
    ) -> Function | Signature | None:
        """Choose an overload: the exact one, else the only one that implicit conversions reach."""
        reached: list[Function | Signature] = []
        for candidate in candidates:
            wanted, outputs = self._shape(candidate)
            if len(wanted) != len(types):
                continue
            if all(w is t for w, t in zip(wanted, types, strict=True)):
                return candidate
            if self._implicit and all(
                (self.converts(w, t) if k in outputs else self.converts(t, w))
                for k, (w, t) in enumerate(zip(wanted, types, strict=True))
            ):
                reached.append(candidate)
        if len(reached) > 1 and isinstance(reached[0], Function):
            self.fail(pos, f"the call of '{reached[0].name}' is ambiguous")
        return reached[0] if reached else None

    def _shape(self, candidate: Function | Signature) -> tuple[Sequence[Type], Sequence[int]]:
        if isinstance(candidate, Signature):
            return candidate.parameters, candidate.outputs
        parameters = candidate.parameters
        return [p.type for p in parameters], [k for k, p in enumerate(parameters) if p.direction != "in"]

    def _user_call(self, expr: ast.Call, function: Function) -> Type:
        for k, parameter in enumerate(function.parameters):
            arg = expr.args[k]
            if parameter.direction != "in":
                self.lvalue(arg, reads=parameter.direction == "inout")
            else:
                expr.args[k] = self.convert(arg, parameter.type)
        expr.function = function
        expr.type = function.returns
        expr.constant = False
        if self.function is not None and function not in self.function.calls:
            self.function.calls.append(function)
        elif self.function is None:
            self.note_global_call(function, expr.pos)
        return function.returns

    def note_global_call(self, function: Function, pos: int) -> None:
        """Called for a call outside of functions."""

    def _builtin_call(self, expr: ast.Call, signature: Signature) -> Type:
        for k, wanted in enumerate(signature.parameters):
            if k in signature.outputs:
                self.lvalue(expr.args[k])
            else:
                expr.args[k] = self.convert(expr.args[k], wanted)
        name = signature.name
        expr.builtin = name
        expr.type = signature.returns
        texture = bool(signature.parameters) and isinstance(signature.parameters[0], SamplerType)
        expr.constant = (
            not texture
            and not signature.outputs
            and all(arg.constant for arg in expr.args)
            and not name.startswith("noise")
        )
        if texture:
            self._check_texture(expr, signature)
        return signature.returns

    def _check_texture(self, expr: ast.Call, signature: Signature) -> None:
        if "Offset" not in signature.name:
            return
        # The offset is the last ivec parameter but for a bias.
        k = max(i for i, t in enumerate(signature.parameters) if isinstance(t, NumericType) and t.base == Base.INT)
        arg = expr.args[k]
        if not arg.constant:
            self.fail(arg.pos, f"the offset of {signature.name} must be a constant expression")
        components = self.constant_components(arg)
        if components is not None and any(not -8 <= int(c) <= 7 for c in components):
            self.fail(arg.pos, f"the offset of {signature.name} must lie between -8 and 7")

    # Constructors --------------------------------------------------------------------------------------------------
    def _constructor(self, expr: ast.Call) -> Type:
        spec = expr.spec
        assert spec is not None
        base = self.resolve_type_name(spec)
        args = expr.args
        types = [self.value(arg, "constructor argument") for arg in args]
        expr.constant = all(arg.constant for arg in args)
        if spec.dims:
            return self._array_constructor(expr, spec, base, types)
        if not args:
            self.fail(expr.pos, f"constructor of {base} without arguments")
        if isinstance(base, NumericType):
            self._numeric_constructor(expr, base, types)
        elif isinstance(base, StructType):
            self._struct_constructor(expr, base, types)
        else:
            self.fail(expr.pos, f"{base} has no constructor")
        expr.type = base
        return base

    def resolve_type_name(self, spec: ast.TypeSpec) -> Type:
        """Type of the name in a TypeSpec, its brackets left out."""
        raise NotImplementedError

    def _array_constructor(self, expr: ast.Call, spec: ast.TypeSpec, element: Type, types: list[Type]) -> Type:
        if not self._array_objects:
            self.fail(expr.pos, f"array constructors do not exist in {self.version.name}")
        if len(spec.dims) > 1:
            self.fail(expr.pos, "arrays of arrays do not exist in this version")
        if isinstance(element, SamplerType) or element is VOID:
            self.fail(expr.pos, f"{element} has no constructor")
        dim = spec.dims[0]
        length = len(types) if dim is None else self.constant_integer(dim, "an array size")
        if length != len(types) or not types:
            self.fail(expr.pos, f"an array of {length} elements cannot be made from {len(types)} values")
        for k, found in enumerate(types):
            if not self.converts(found, element):
                self.fail(expr.args[k].pos, f"element {k} is {found}, not {element}")
            expr.args[k] = self.convert(expr.args[k], element)
        expr.type = array_of(element, length)
        return expr.type

    def _struct_constructor(self, expr: ast.Call, struct: StructType, types: list[Type]) -> None:
        if contains(struct, _is_sampler):
            self.fail(expr.pos, f"{struct} holds samplers and has no constructor")
        if len(types) != len(struct.fields):
            self.fail(expr.pos, f"{struct} has {len(struct.fields)} members, not {len(types)}")
        if contains(struct, _is_array) and not self._array_objects:
            self.fail(expr.pos, f"{struct} holds an array and has no constructor in {self.version.name}")
        for k, (field, found) in enumerate(zip(struct.fields, types, strict=True)):
            if not self.converts(found, field.type):
                self.fail(expr.args[k].pos, f"member '{field.name}' is {field.type}, not {found}")
            expr.args[k] = self.convert(expr.args[k], field.type)

    def _numeric_constructor(self, expr: ast.Call, wanted: NumericType, types: list[Type]) -> None:
        numeric: list[NumericType] = []
        for k, found in enumerate(types):
            if not isinstance(found, NumericType):
                self.fail(expr.args[k].pos, f"{wanted} cannot be made from {found}")
            numeric.append(found)
        if wanted.width == 1:
            if len(numeric) > 1:
                self.fail(expr.args[1].pos, f"too many arguments for {wanted}")
            return
        matrices = sum(t.is_matrix for t in numeric)
        if wanted.is_matrix and matrices:
            if not self.version.has("matrix_from_matrix"):
                self.fail(expr.pos, f"matrices cannot be made from matrices in {self.version.name}")
            if len(numeric) > 1:
                self.fail(expr.args[1].pos, "a matrix from a matrix takes one argument")
            return
        if len(numeric) == 1 and numeric[0].width == 1:
            return
        have = 0
        for k, found in enumerate(numeric):
            if have >= wanted.width:
                self.fail(expr.args[k].pos, f"too many arguments for {wanted}")
            have += found.width
        if have < wanted.width:
            self.fail(expr.pos, f"{wanted} needs {wanted.width} components, not {have}")
        if have > wanted.width and wanted.is_matrix and self.version.es:
            last = numeric[-1]
            if last.is_matrix:
                self.fail(expr.pos, f"too many components for {wanted}")

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
        ast.Call: _call,
    }
