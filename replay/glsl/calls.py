"""Checks of function calls and constructors (GLSL ES 3.00 §5.4, §6.1)."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING

from replay.glsl import syntax as ast
from replay.glsl.builtins import COMPATIBILITY_NAMES, TEXEL_OFFSETS, Signature, builtin_functions
from replay.glsl.symbols import Function, Symbol
from replay.glsl.types import (
    INT,
    VOID,
    ArrayType,
    Base,
    ImageType,
    NumericType,
    OpaqueType,
    SamplerType,
    StructType,
    Type,
    array_of,
)
from replay.glsl.versions import brings

if TYPE_CHECKING:
    pass

from replay.glsl.expression_base import ExpressionBase, contains, is_array, is_opaque, memory_root

__all__ = ["CallRules"]


def _is_integer(type: Type) -> bool:
    return isinstance(type, NumericType) and type.base == Base.INT


class CallRules(ExpressionBase):
    """Part of the checker."""

    # Calls ---------------------------------------------------------------------------------------------------------
    def check_call(self, expr: ast.Call) -> Type:
        """Check a call or constructor."""
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
            self.fail(expr.pos, f"no function matches {name}({', '.join(one.name for one in types)})")
        signatures = builtin_functions(name, self.version, self.stage, self.enabled)
        signature = self._best(signatures, types, expr.pos)
        if isinstance(signature, Signature):
            return self._builtin_call(expr, signature)
        shown = f"{name}({', '.join(one.name for one in types)})"
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
            wanted, directions = self._shape(candidate)
            if len(wanted) != len(types):
                continue
            if all(given is one for given, one in zip(wanted, types, strict=True)):
                return candidate
            if self.implicit and all(map(self._passes, types, wanted, directions)):
                reached.append(candidate)
        if self.implicit_to_uint and len(reached) > 1:
            # An argument that needs no conversion is better than one that does (GLSL 4.00 §6.1).
            exact = [sum(map(operator.is_, types, self._shape(one)[0])) for one in reached]
            reached = [one for one, count in zip(reached, exact, strict=True) if count == max(exact)]
        if len(reached) > 1 and isinstance(reached[0], Function):
            self.fail(pos, f"the call of '{reached[0].name}' is ambiguous")
        return reached[0] if reached else None

    def _passes(self, given: Type, wanted: Type, direction: str) -> bool:
        """Tell whether an argument converts to its parameter, or back, or (inout) both."""
        forth = direction == "out" or self.converts(given, wanted)
        return forth and (direction == "in" or self.converts(wanted, given))

    def _shape(self, candidate: Function | Signature) -> tuple[Sequence[Type], Sequence[str]]:
        """Types and directions of the parameters."""
        if isinstance(candidate, Signature):
            parameters = candidate.parameters
            return parameters, ["out" if k in candidate.outputs else "in" for k in range(len(parameters))]
        return [parameter.type for parameter in candidate.parameters], [
            parameter.direction for parameter in candidate.parameters
        ]

    def _user_call(self, expr: ast.Call, function: Function) -> Type:
        for k, parameter in enumerate(function.parameters):
            arg = expr.args[k]
            self._check_memory_words(arg, parameter)
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

    def _check_memory_words(self, arg: ast.Expr, parameter: Symbol) -> None:
        """An image keeps its memory qualifiers, but ``restrict``, where it is passed on (GLSL ES 3.10 §4.9)."""
        root = arg
        while isinstance(root, ast.Index):
            root = root.base
        if isinstance(parameter.type, ImageType) and isinstance(root, ast.Name) and root.symbol is not None:
            lost = sorted(root.symbol.access - parameter.access - {"restrict"})
            if lost:
                self.fail(arg.pos, f"parameter '{parameter.name}' is not '{lost[0]}', as '{root.symbol.name}' is")

    def note_global_call(self, function: Function, pos: int) -> None:
        """Called for a call outside of functions."""

    def _builtin_call(self, expr: ast.Call, signature: Signature) -> Type:
        atomic = signature.name.startswith("atomic")
        for k, wanted in enumerate(signature.parameters):
            if k in signature.outputs:
                self.lvalue(expr.args[k], reads=atomic)
                if atomic and memory_root(expr.args[k]) is None:
                    self.fail(
                        expr.args[k].pos, f"{signature.name} needs a part of a storage block or a shared variable"
                    )
            else:
                expr.args[k] = self.convert(expr.args[k], wanted)
        name = signature.name
        expr.builtin = name
        expr.type = signature.returns
        first = signature.parameters[0] if signature.parameters else VOID
        texture = isinstance(first, SamplerType)
        expr.constant = (
            not isinstance(first, OpaqueType)
            and signature.returns is not VOID
            and not signature.outputs
            and all(arg.constant for arg in expr.args)
            and not name.startswith("noise")
        )
        if name in ("EmitStreamVertex", "EndStreamPrimitive"):
            self.check_stream(expr)
        if name == "barrier":
            self.note_barrier(expr.pos)
        if name.startswith("interpolateAt"):
            self._check_interpolant(expr.args[0], name)
            expr.constant = False
        if texture:
            self._check_texture(expr, signature)
        elif isinstance(first, ImageType):
            self._check_image(expr)
        return signature.returns

    def _check_interpolant(self, arg: ast.Expr, name: str) -> None:
        """It is an input or a part of one; in ES no component, and no member of a structure (GLSL ES 3.20 §8.13)."""
        root = arg
        while isinstance(root, (ast.Index, ast.Member)):
            whole = root.base.type
            picks = (isinstance(whole, NumericType) and not whole.is_matrix) or (
                isinstance(root, ast.Member) and isinstance(root.base, ast.Name) and root.base.symbol.block is None
            )
            if picks and self.version.es:
                self.fail(root.pos, f"{name} takes a whole input in {self.version.name}")
            root = root.base
        if not isinstance(root, ast.Name) or root.symbol is None or root.symbol.storage != "in" or root.symbol.builtin:
            self.fail(arg.pos, f"{name} needs an input of the stage")

    def note_barrier(self, pos: int) -> None:
        """Called for every place where invocations wait."""

    def check_stream(self, expr: ast.Call) -> None:
        """Called for functions that take a stream."""

    def _check_image(self, expr: ast.Call) -> None:
        """Memory qualifiers and formats (GLSL ES 3.10 §4.10, §8.14)."""
        root = expr.args[0]
        while isinstance(root, ast.Index):
            root = root.base
        symbol = root.symbol if isinstance(root, ast.Name) else None
        if symbol is None:
            return
        reads, writes = expr.builtin != "imageStore", expr.builtin not in ("imageLoad", "imageSize")
        if expr.builtin == "imageSize":
            reads = False
        if (reads and "writeonly" in symbol.access) or (writes and "readonly" in symbol.access):
            self.fail(
                expr.pos, f"{expr.builtin} cannot reach '{symbol.name}', which is {'/'.join(sorted(symbol.access))}"
            )
        if expr.builtin.startswith("imageAtomic") and symbol.format and symbol.format not in ("r32i", "r32ui", "r32f"):
            self.fail(expr.pos, f"{expr.builtin} needs an image of format r32i, r32ui or r32f")

    def _check_texture(self, expr: ast.Call, signature: Signature) -> None:
        """Offsets, and the component of a gather, are constant expressions within their limits; or at any offset."""
        integers = [
            k
            for k, one in enumerate(signature.parameters)
            if isinstance(one.element if isinstance(one, ArrayType) else one, NumericType)
            and contains(one, _is_integer)
        ]
        name = signature.name
        if name.startswith("textureGather") and integers and signature.parameters[integers[-1]] is INT:
            arg = expr.args[integers.pop()]
            found = self.constant_components(arg) if arg.constant else None
            if found is None or not 0 <= int(found[0]) <= 3:
                self.fail(arg.pos, f"the component of {name} must be a constant from 0 to 3")
        if "Offset" not in name:
            return
        # The offset is the last ivec parameter but for a bias.
        arg = expr.args[integers[-1]]
        is_free = self.version.has("gather_offsets") or brings(self.enabled, "gather_offsets")
        if not arg.constant and name == "textureGatherOffset" and is_free:
            return
        if not arg.constant:
            self.fail(arg.pos, f"the offset of {name} must be a constant expression")
        parts = arg.args if isinstance(arg, ast.Call) and isinstance(arg.type, ArrayType) else [arg]
        for part in parts:
            components = self.constant_components(part)
            if components is not None and any(int(offset) not in TEXEL_OFFSETS for offset in components):
                first, last = TEXEL_OFFSETS.start, TEXEL_OFFSETS.stop - 1
                self.fail(arg.pos, f"the offset of {name} must lie between {first} and {last}")

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

    def _array_constructor(self, expr: ast.Call, spec: ast.TypeSpec, element: Type, types: list[Type]) -> Type:
        if not self.array_objects:
            self.fail(expr.pos, f"array constructors do not exist in {self.version.name}")
        if len(spec.dims) > 1:
            inner = types[0] if types and None in spec.dims[1:] else self.sized(element, spec.dims[1:], expr.pos)
            if not self.version.has("arrays_of_arrays"):
                self.fail(expr.pos, "arrays of arrays do not exist in this version")
            element = inner
        if isinstance(element, OpaqueType) or element is VOID:
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
        if contains(struct, is_opaque):
            self.fail(expr.pos, f"{struct} holds samplers and has no constructor")
        if len(types) != len(struct.fields):
            self.fail(expr.pos, f"{struct} has {len(struct.fields)} members, not {len(types)}")
        if contains(struct, is_array) and not self.array_objects:
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
        matrices = sum(one.is_matrix for one in numeric)
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
