"""Lowering of expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from replay.glsl import syntax as ast
from replay.glsl.builder import Builder, ProgramTooLargeError
from replay.glsl.ir import If, Instr, Variable
from replay.glsl.lowering.chosen import ChosenPart, choose_branch
from replay.glsl.lowering.functions import WRITING, call_builtin
from replay.glsl.lowering.memory import MemoryPlace, atomic, call_counter, call_image
from replay.glsl.lowering.storage import (
    BlockRef,
    Lowered,
    MemoryLeaf,
    Ref,
    SamplerLeaf,
    Store,
    VariableLeaf,
    build_store,
)
from replay.glsl.lowering.textures import emit_texture
from replay.glsl.lowering.values import (
    binary,
    choose,
    compare,
    construct,
    convert_base,
    equal,
    flatten,
    index_value,
    negate,
)
from replay.glsl.precision import computes_short, holds_short, is_below_highp, is_held_wide, precision_of
from replay.glsl.symbols import Function, Symbol
from replay.glsl.types import (
    BOOL,
    INT,
    VOID,
    ArrayType,
    Base,
    NumericType,
    OpaqueType,
    SamplerType,
    StructType,
    Type,
    vector,
)

__all__ = ["ExpressionLowerer", "has_side_effects"]

#: Elements of a value outside storage up to which a run-time index becomes a chain of selects.
SELECT_CHAIN: Final = 4
#: Expressions that a stage may lower, those of inlined calls each time; most need not leave an instruction behind.
MAX_EXPRESSIONS: Final = 250_000


#: Built-in functions that write an argument; beginnings of the names of those that reach textures or memory.
_WRITES: Final = frozenset({"modf", "frexp", "uaddCarry", "usubBorrow", "umulExtended", "imulExtended"})
_REACHES: Final = ("tex", "shadow", "atomic", "image", "barrier", "memoryBarrier", "groupMemoryBarrier", "Emit", "End")


def has_side_effects(expr: ast.Expr) -> bool:
    """Tell whether evaluating the expression does more than give a value, or costs much (calls, texture look-ups)."""
    kind = type(expr)
    if kind in (ast.Literal, ast.Name):
        return False
    if kind in (ast.Assign, ast.Postfix):
        return True
    if isinstance(expr, ast.Unary):
        return expr.op in ("++", "--") or has_side_effects(expr.operand)
    if isinstance(expr, (ast.Binary, ast.Comma)):
        return has_side_effects(expr.left) or has_side_effects(expr.right)
    if isinstance(expr, ast.Ternary):
        return any(map(has_side_effects, (expr.condition, expr.yes, expr.no)))
    if isinstance(expr, ast.Index):
        return has_side_effects(expr.base) or has_side_effects(expr.index)
    if isinstance(expr, ast.Member):
        return has_side_effects(expr.base)
    if isinstance(expr, ast.Convert):
        return has_side_effects(expr.operand)
    if isinstance(expr, ast.Call):
        if expr.function is not None or expr.builtin in _WRITES or expr.builtin.startswith(_REACHES):
            return True
        return any(map(has_side_effects, expr.args))
    return False


def _is_matrix_product(expr: ast.Expr) -> bool:
    return (
        isinstance(expr, ast.Binary)
        and expr.op == "*"
        and all(isinstance(side.type, NumericType) and side.type.is_matrix for side in (expr.left, expr.right))
    )


def _is_block_array(found: Any) -> bool:
    return isinstance(found, list) and bool(found) and isinstance(found[0], (BlockRef, MemoryPlace))


def _rows(expr: ast.Expr) -> int:
    assert isinstance(expr.type, NumericType)
    return expr.type.rows


class ExpressionLowerer:
    """Lowers checked expressions into a builder.

    ``bindings`` gives the meaning of a symbol at this point: a value, or a reference to storage.
    """

    def __init__(self, builder: Builder, is_fragment: bool) -> None:
        self.build = builder
        self.is_fragment = is_fragment
        #: What has a precision below highp is computed in 16 bits.
        self.is_short = False
        self.bindings: dict[Symbol, Lowered | Ref | BlockRef] = {}
        self.block_arrays: dict[Symbol, list[BlockRef] | list[MemoryPlace]] = {}
        self.variables: list[Variable] = []
        self._tables: dict[Symbol, Ref] = {}
        self._expressions = 0

    # Symbols -------------------------------------------------------------------------------------------------------
    def new_storage(self, type: Type, name: str) -> Ref:
        """Make variables for a value of a type."""

        def make(leaf: str, kind: NumericType | OpaqueType, count: int, many: bool) -> VariableLeaf:
            assert isinstance(kind, NumericType)
            variable = Variable(leaf, kind, count if many else 0)
            self.variables.append(variable)
            return VariableLeaf(variable, count)

        store: Store = build_store(type, name, make)
        return Ref(store, type)

    def binding(self, symbol: Symbol) -> Lowered | Ref | BlockRef:
        """Meaning of a symbol; constants are lowered when they are first used."""
        found = self.bindings.get(symbol)
        if found is None:
            if symbol.value is not None:
                assert isinstance(symbol.type, NumericType)
                found = self.build.constant(symbol.type, symbol.value)
            elif symbol.storage == "const" and symbol.init is not None:
                found = self.value(symbol.init)
            else:
                found = self.declare_interface(symbol)
            self.bindings[symbol] = found
        return found

    def declare_interface(self, symbol: Symbol) -> Ref | BlockRef:
        """Meaning of a global that belongs to the stage's interface."""
        raise NotImplementedError(symbol.name)

    def inline(self, function: Function, expr: ast.Call) -> Lowered | None:
        """Lower a call of a user's function."""
        raise NotImplementedError(function.name)

    def line_of(self, pos: int) -> int:
        """Line of an offset into the source, from 1; 0 where nobody asks for it."""
        return 0

    # Values --------------------------------------------------------------------------------------------------------
    def value(self, expr: ast.Expr) -> Lowered:
        """Lower an expression for its value."""
        found = self._maybe_value(expr)
        assert found is not None
        return found

    def _maybe_value(self, expr: ast.Expr) -> Lowered | None:
        """Lower an expression that may be void."""
        self._expressions += 1
        if self._expressions > MAX_EXPRESSIONS:
            raise ProgramTooLargeError
        before = self.build.line
        self.build.line = self.line_of(expr.pos)
        found: Lowered | None = self._VALUES[type(expr)](self, expr)
        if self.is_short and found is not None and not is_held_wide(expr):
            found = self.narrowed(found, precision_of(expr))
        self.build.line = before
        return found

    def narrowed(self, value: Lowered, precision: str) -> Lowered:
        """A value as something of a precision holds it."""
        if not self.is_short or not is_below_highp(precision):
            return value
        if isinstance(value, list):
            return [self.narrowed(part, precision) for part in value]
        return value if value.type.base == Base.BOOL else self.build.op("narrow", value)

    def kept(self, value: Lowered, target: ast.Expr) -> Lowered:
        """A value as what it is stored in holds it."""
        return self.narrowed(value, precision_of(target)) if self.is_short and holds_short(target) else value

    def _operands(self, parent: ast.Expr, *operands: ast.Expr) -> list[Lowered]:
        """Values that an operation reads: where it is computed in 16 bits, those without a precision have them, too."""
        values = [self.value(operand) for operand in operands]
        if not self._shortens(parent):
            return values
        return [
            self.narrowed(value, precision_of(operand) or "mediump")
            for value, operand in zip(values, operands, strict=True)
        ]

    def _shortens(self, expr: ast.Expr) -> bool:
        """Tell whether an operation is computed in 16 bits."""
        return self.is_short and computes_short(expr)

    def scalar(self, expr: ast.Expr) -> Instr:
        """Lower an expression of scalar or vector type."""
        found = self.value(expr)
        assert isinstance(found, Instr)
        return found

    def effect(self, expr: ast.Expr) -> None:
        """Lower an expression for its effects; a name, or a sampler, has none and need not have a value."""
        if isinstance(expr, ast.Name) or isinstance(expr.type, OpaqueType):
            return
        before = self.build.line
        self.build.line = self.line_of(expr.pos)
        self._VALUES[type(expr)](self, expr)
        self.build.line = before

    def _literal(self, expr: ast.Literal) -> Lowered:
        assert isinstance(expr.type, NumericType)
        return self.build.constant(expr.type, (expr.value,))

    def _convert(self, expr: ast.Convert) -> Lowered:
        assert isinstance(expr.type, NumericType)
        (value,) = self._operands(expr, expr.operand)
        assert isinstance(value, Instr)
        return convert_base(self.build, value, expr.type.base)

    def _name(self, expr: ast.Name) -> Lowered:
        found = self.binding(expr.symbol)
        return found.load(self.build) if isinstance(found, (Ref, BlockRef)) else found

    def _unary(self, expr: ast.Unary) -> Lowered:
        op = expr.op
        if op in ("++", "--"):
            return self._step(expr, after=True)
        (value,) = self._operands(expr, expr.operand)
        if op == "-":
            with self.build.shortened(self._shortens(expr)):
                return negate(self.build, value)
        if op == "!":
            assert isinstance(value, Instr)
            return self.build.op("bnot", value)
        if op == "~":
            assert isinstance(value, Instr)
            return self.build.op("inot", value)
        return value

    def _postfix(self, expr: ast.Postfix) -> Lowered:
        return self._step(expr, after=False)

    def _step(self, expr: ast.Unary | ast.Postfix, after: bool) -> Lowered:
        ref = self.reference(expr.operand)
        assert isinstance(ref, Ref)
        old = self.narrowed(ref.load(self.build), precision_of(expr.operand))
        type = expr.type
        assert isinstance(type, NumericType)
        one = self.build.constant(vector(type.base, 1), (1,))
        with self.build.shortened(self._shortens(expr)):
            new = binary(self.build, expr.op[0], old, one)
        ref.store_value(self.build, new)
        return new if after else old

    def _binary(self, expr: ast.Binary) -> Lowered:
        op = expr.op
        if op in ("&&", "||"):
            return self._logical(expr)
        if op == "*" and _is_matrix_product(expr.left) and isinstance(expr.type, NumericType) and expr.type.is_vector:
            # (A * B) * v as A * (B * v): fewer products, and what drivers do.
            product = expr.left
            assert isinstance(product, ast.Binary)
            inner = ast.Binary(expr.pos, "*", product.right, expr.right)
            inner.type = vector(Base.FLOAT, _rows(product.right))
            outer = ast.Binary(expr.pos, "*", product.left, inner)
            outer.type = expr.type
            return self._binary(outer)
        left, right = self._operands(expr, expr.left, expr.right)
        if op == "^^":
            assert isinstance(left, Instr)
            assert isinstance(right, Instr)
            return self.build.op("bxor", left, right)
        if op in ("==", "!="):
            if op == "!=" and isinstance(left, Instr) and isinstance(right, Instr):
                return self.build.op("any", compare(self.build, "!=", left, right))
            same = equal(self.build, left, right)
            return same if op == "==" else self.build.op("bnot", same)
        if op in ("<", ">", "<=", ">="):
            assert isinstance(left, Instr)
            assert isinstance(right, Instr)
            return compare(self.build, op, left, right)
        with self.build.shortened(self._shortens(expr)):
            return binary(self.build, op, left, right)

    def _logical(self, expr: ast.Binary) -> Lowered:
        build = self.build
        left = self.scalar(expr.left)
        is_and = expr.op == "&&"
        if left.op == "const":
            return left if bool(left.attr[0]) != is_and else self.scalar(expr.right)
        if not has_side_effects(expr.right):
            return build.op("band" if is_and else "bor", left, self.scalar(expr.right))
        result = self.new_storage(BOOL, "logical")
        result.store_value(build, left)
        node = If(left if is_and else build.op("bnot", left))
        build.push(node.then)
        result.store_value(build, self.scalar(expr.right))
        build.pop()
        build.node(node)
        return result.load(build)

    def _assign(self, expr: ast.Assign) -> Lowered:
        build = self.build
        if not expr.op:
            ref = self.reference(expr.target)
            value = self.value(expr.value)
        else:
            ref = self.reference(expr.target)
            (right,) = self._operands(expr, expr.value)
            left = ref.load(build)
            is_short = self._shortens(expr)
            with build.shortened(is_short):
                value = binary(build, expr.op, self.narrowed(left, "mediump") if is_short else left, right)
        assert isinstance(ref, Ref)
        value = self.kept(value, expr.target)
        ref.store_value(build, value)
        return value

    def _ternary(self, expr: ast.Ternary) -> Lowered | None:
        build = self.build
        condition = self.scalar(expr.condition)
        if condition.op == "const":
            return self._maybe_value(expr.yes if condition.attr[0] else expr.no)
        if isinstance(expr.type, (NumericType, StructType, ArrayType)) and not (
            has_side_effects(expr.yes) or has_side_effects(expr.no)
        ):
            return choose(build, condition, self.value(expr.yes), self.value(expr.no))
        result = (
            self.new_storage(expr.type, "choice")
            if isinstance(expr.type, (NumericType, StructType, ArrayType))
            else None
        )
        node = If(condition)
        for region, side in ((node.then, expr.yes), (node.orelse, expr.no)):
            build.push(region)
            if result is None:
                self.effect(side)
            else:
                result.store_value(build, self.value(side))
            build.pop()
        build.node(node)
        return None if result is None else result.load(build)

    def _comma(self, expr: ast.Comma) -> Lowered | None:
        self.effect(expr.left)
        return self._maybe_value(expr.right)

    # Access --------------------------------------------------------------------------------------------------------
    def _index(self, expr: ast.Index) -> Lowered:
        base = self.path(expr.base)
        if _is_block_array(base):
            return self._block_element(base, expr).load(self.build)
        index = self.scalar(expr.index)
        if isinstance(base, (Ref, BlockRef)):
            return base.at(self.build, index).load(self.build)
        if isinstance(base, list) and len(base) > SELECT_CHAIN and index.op != "const":
            return self._materialise(expr.base, base).at(self.build, index).load(self.build)
        return index_value(self.build, base, index)

    def _block_element(self, elements: list[Any], expr: ast.Index) -> BlockRef | MemoryPlace | ChosenPart:
        index = self.scalar(expr.index)
        if index.op != "const":
            return ChosenPart.of(self.build, elements, index, self.new_storage)
        element = elements[min(max(int(index.attr[0]), 0), len(elements) - 1)]
        assert isinstance(element, (BlockRef, MemoryPlace))
        return element

    def _materialise(self, expr: ast.Expr, value: Lowered) -> Ref:
        """Put a value into storage so that it can be indexed at run time; a constant once, at the start of the
        stage.
        """
        symbol = expr.symbol if isinstance(expr, ast.Name) and expr.symbol.storage == "const" else None
        known = self._tables.get(symbol) if symbol is not None else None
        if known is not None:
            return known
        ref = self.new_storage(expr.type, "table")
        if symbol is not None and all(leaf.op == "const" for leaf in flatten(value)):
            self._tables[symbol] = ref
            with self.build.at_start():
                ref.store_value(self.build, value)
        else:
            ref.store_value(self.build, value)
        return ref

    def _member(self, expr: ast.Member) -> Lowered:
        base = self.path(expr.base)
        if isinstance(base, (Ref, BlockRef)):
            return self._select(base, expr).load(self.build)
        if expr.components:
            assert isinstance(base, Instr)
            return self.build.swizzle(base, expr.components)
        assert isinstance(base, list)
        struct = expr.base.type
        assert isinstance(struct, StructType)
        found: Lowered = base[[one.name for one in struct.fields].index(expr.name)]
        return found

    @staticmethod
    def _select(base: Ref | BlockRef, expr: ast.Member) -> Ref | BlockRef:
        return base.swizzle(expr.components) if expr.components else base.field(expr.name)

    def _method(self, expr: ast.Method) -> Lowered | None:
        found = expr.base.type
        assert isinstance(found, ArrayType)
        if not found.length:
            place = self.path(expr.base)
            return self._in_memory(place, INT, lambda part: part.length(self.build))
        return self.build.int_constant(found.length)

    def _in_memory(self, place: Ref, type: Type, emit: Callable[[MemoryPlace], Lowered]) -> Lowered | None:
        """What is done with a part of a memory, which may be chosen at run time."""
        if isinstance(place, ChosenPart):
            return place.each(self.build, type, emit)
        assert isinstance(place, MemoryPlace)
        return emit(place)

    def path(self, expr: ast.Expr) -> Any:
        """Lower to a reference where the expression names storage, else to a value.

        An array of blocks gives the list of its elements.
        """
        kind = type(expr)
        if kind is ast.Name:
            assert isinstance(expr, ast.Name)
            elements = self.block_arrays.get(expr.symbol)
            if elements is None:
                found = self.binding(expr.symbol)
                elements = self.block_arrays.get(expr.symbol)
                if elements is None:
                    return found
            return elements
        if kind is ast.Index:
            assert isinstance(expr, ast.Index)
            base = self.path(expr.base)
            if _is_block_array(base):
                return self._block_element(base, expr)
            if isinstance(base, (Ref, BlockRef)):
                return base.at(self.build, self.scalar(expr.index))
            index = self.scalar(expr.index)
            if isinstance(base, list) and len(base) > SELECT_CHAIN and index.op != "const":
                return self._materialise(expr.base, base).at(self.build, index)
            return index_value(self.build, base, index)
        if kind is ast.Member:
            assert isinstance(expr, ast.Member)
            base = self.path(expr.base)
            if isinstance(base, (Ref, BlockRef)):
                return self._select(base, expr)
            if expr.components:
                return self.build.swizzle(base, expr.components)
            struct = expr.base.type
            assert isinstance(struct, StructType)
            return base[[one.name for one in struct.fields].index(expr.name)]
        return self.value(expr)

    def reference(self, expr: ast.Expr) -> Ref:
        """Lower an expression that is written to."""
        found = self.path(expr)
        assert isinstance(found, Ref)
        return found

    # Calls ---------------------------------------------------------------------------------------------------------
    def _call(self, expr: ast.Call) -> Lowered | None:
        if expr.function is not None:
            return self.inline(expr.function, expr)
        if not expr.builtin:
            return self._constructor(expr)
        if expr.args and isinstance(expr.args[0].type, SamplerType):
            return self._texture(expr)
        if expr.args and isinstance(expr.args[0].type, OpaqueType):
            return self._opaque_call(expr)
        if expr.builtin in _WRITES:
            return self._writing_call(expr)
        if expr.builtin.startswith("atomic"):
            place, operands = self.reference(expr.args[0]), [self.scalar(arg) for arg in expr.args[1:]]
            return self._in_memory(place, expr.type, lambda part: atomic(self.build, expr.builtin, part, operands))
        if expr.type is VOID:
            # Memory is coherent as it is: of the barriers only the one that waits does something.
            if expr.builtin == "barrier":
                self.build.memory("barrier", None, (), None)
            elif expr.builtin in ("EmitVertex", "EmitStreamVertex"):
                self.emit_vertex()
            elif expr.builtin in ("EndPrimitive", "EndStreamPrimitive"):
                self.end_primitive()
            return None
        if expr.builtin.startswith("interpolateAt"):
            found = self.interpolated(expr, [self.scalar(arg) for arg in expr.args[1:]])
            return self.narrowed(found, precision_of(expr.args[0])) if self.is_short else found
        args = self._operands(expr, *expr.args)
        with self.build.shortened(self._shortens(expr)):
            return call_builtin(self.build, expr.builtin, args, expr.type)

    def interpolated(self, expr: ast.Call, args: list[Instr]) -> Lowered:
        """``interpolateAtCentroid`` and its kin of a fragment stage; ``args`` behind the interpolant."""
        raise NotImplementedError

    def emit_vertex(self) -> None:
        """``EmitVertex()`` of a geometry stage."""
        raise NotImplementedError

    def end_primitive(self) -> None:
        """``EndPrimitive()`` of a geometry stage."""
        raise NotImplementedError

    def _writing_call(self, expr: ast.Call) -> Lowered | None:
        """A built-in function that writes its last arguments."""
        count = 1 if len(expr.args) == 2 else 2
        inputs = [self.scalar(arg) for arg in expr.args[:count]]
        results = WRITING[expr.builtin](self.build, *inputs)
        written = results if expr.type is VOID else results[1:]
        for arg, value in zip(expr.args[len(inputs) :], written, strict=True):
            self.reference(arg).store_value(self.build, self.kept(value, arg))
        return None if expr.type is VOID else results[0]

    def _opaque_call(self, expr: ast.Call) -> Lowered | None:
        """A function of an image or an atomic counter; of an image chosen at run time one branch an element."""
        build = self.build
        found = self.path(expr.args[0])
        assert isinstance(found, Ref)
        assert isinstance(found.store, MemoryLeaf)
        leaf = found.store
        if expr.builtin.startswith("atomic"):
            return call_counter(build, expr.builtin, leaf, found.static, found.dynamic)
        args = [self.value(arg) for arg in expr.args[1:]]
        if found.dynamic is None:
            return call_image(build, expr.builtin, leaf, min(found.static, leaf.count - 1), args)
        result = None if expr.type is VOID else self.new_storage(expr.type, "image")
        index = build.op("iadd", found.dynamic, build.int_constant(found.static))
        return choose_branch(build, result, index, leaf.count, lambda k: call_image(build, expr.builtin, leaf, k, args))

    def _constructor(self, expr: ast.Call) -> Lowered:
        args = [self.value(arg) for arg in expr.args]
        if isinstance(expr.type, NumericType):
            return construct(self.build, expr.type, args)
        if self.is_short and isinstance(expr.type, StructType):
            return [self.narrowed(arg, one.precision) for arg, one in zip(args, expr.type.fields, strict=True)]
        return args

    def _texture(self, expr: ast.Call) -> Lowered:
        sampler = self.path(expr.args[0])
        assert isinstance(sampler, Ref)
        assert isinstance(sampler.store, SamplerLeaf)
        leaf = sampler.store
        args = [self.value(arg) for arg in expr.args[1:]]
        if sampler.dynamic is None:
            slot = leaf.first + min(sampler.static, leaf.count - 1)
            return emit_texture(self.build, expr.builtin, leaf.type, slot, args, self.is_fragment)
        return self._texture_chain(expr, leaf, sampler, args)

    def _texture_chain(self, expr: ast.Call, leaf: SamplerLeaf, sampler: Ref, args: list[Any]) -> Lowered:
        """A sampler chosen at run time: one branch an element."""
        build = self.build
        assert sampler.dynamic is not None
        result = self.new_storage(expr.type, "sampled")
        index = build.op("iadd", sampler.dynamic, build.int_constant(sampler.static))
        index = build.op("imin", build.op("imax", index, build.int_constant(0)), build.int_constant(leaf.count - 1))

        def look_up(k: int) -> Lowered:
            return emit_texture(build, expr.builtin, leaf.type, leaf.first + k, args, self.is_fragment)

        found = choose_branch(build, result, index, leaf.count, look_up)
        assert found is not None
        return found

    _VALUES: Final[dict[type, Callable[[Any, Any], Any]]] = {
        ast.Literal: _literal,
        ast.Convert: _convert,
        ast.Name: _name,
        ast.Unary: _unary,
        ast.Postfix: _postfix,
        ast.Binary: _binary,
        ast.Assign: _assign,
        ast.Ternary: _ternary,
        ast.Comma: _comma,
        ast.Index: _index,
        ast.Member: _member,
        ast.Method: _method,
        ast.Call: _call,
    }
