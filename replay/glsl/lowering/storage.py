"""Where variables live: trees of vectors, and references into them.

A value of the language is a *lowered value*: an :class:`Instr` for a scalar or vector, a list of lowered values for a
matrix (columns), an array (elements) or a structure (members).

A variable's storage is a tree whose leaves are vectors or arrays of vectors: a structure has one subtree a member,
and every array or matrix around a leaf multiplies its number of elements. A :class:`Ref` is a path into such a tree
with a running element number, the constant part apart from the part known at run time only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from replay.glsl.builder import Builder
from replay.glsl.ir import ConstantRef, InputRef, Instr, Variable
from replay.glsl.layout import layout_fields, layout_of
from replay.glsl.types import ArrayType, Base, NumericType, OpaqueType, SamplerType, StructType, Type, vector

__all__ = [
    "BlockRef",
    "ColumnRef",
    "InputLeaf",
    "Lowered",
    "MemoryLeaf",
    "Ref",
    "SamplerLeaf",
    "Store",
    "StructStore",
    "UniformLeaf",
    "VariableLeaf",
    "build_store",
    "column_type",
]

Lowered = Instr | list[Any]


def column_type(type: NumericType) -> NumericType:
    """Type of a leaf: the vector itself, or a matrix's column."""
    return vector(type.base, type.rows)


class VariableLeaf:
    """A variable of the IR."""

    __slots__ = ("count", "variable")

    def __init__(self, variable: Variable, count: int) -> None:
        self.variable = variable
        self.count = count

    def load(self, build: Builder, type: NumericType, static: int, dynamic: Instr | None) -> Instr:
        """Read an element."""
        return build.load(self.variable, _index(build, self.variable.length, static, dynamic))


class UniformLeaf:
    """Uniforms of the default block in the stage's constant area 0, from word ``offset`` on, four words an element."""

    __slots__ = ("count", "name", "offset", "type")

    def __init__(self, name: str, type: NumericType, count: int, offset: int) -> None:
        self.name = name
        self.type = type
        self.count = count
        self.offset = offset

    def load(self, build: Builder, type: NumericType, static: int, dynamic: Instr | None) -> Instr:
        """Read an element."""
        if dynamic is None:
            return build.uniform(type, ConstantRef(0, self.offset + 4 * min(static, self.count - 1)))
        # The constant part moves the window; the executor clamps the rest inside the leaf.
        index = build.op("iadd", dynamic, build.int_constant(static)) if static else dynamic
        return build.uniform(type, ConstantRef(0, self.offset, 4, self.count), index)


class InputLeaf:
    """An input of the stage."""

    __slots__ = ("count", "slot", "type")

    def __init__(self, slot: int, type: NumericType, count: int) -> None:
        self.slot = slot
        self.type = type
        self.count = count

    def load(self, build: Builder, type: NumericType, static: int, dynamic: Instr | None) -> Instr:
        """Read an element."""
        if dynamic is None:
            return build.input(type, InputRef(self.slot, min(static, self.count - 1)))
        index = build.op("iadd", dynamic, build.int_constant(static)) if static else dynamic
        return build.input(type, InputRef(self.slot, 0, 1, self.count), index)


class SamplerLeaf:
    """Samplers of the program: ``first`` is the slot of element 0."""

    __slots__ = ("count", "first", "type")

    def __init__(self, type: SamplerType, first: int, count: int) -> None:
        self.type = type
        self.first = first
        self.count = count


class MemoryLeaf:
    """Images or atomic counters of the program.

    Parameters
    ----------
    slots : row of ``StageIR.memories`` of each element (counters: the same for all)
    format : layout qualifier of an image
    first : word of element 0 of counters
    descriptor : uniform leaf with the descriptors of the images
    """

    __slots__ = ("count", "descriptor", "first", "format", "slots", "type")

    def __init__(
        self, type: OpaqueType, slots: list[int], format: str, first: int, descriptor: UniformLeaf | None
    ) -> None:
        self.type = type
        self.slots = slots
        self.count = len(slots)
        self.format = format
        self.first = first
        self.descriptor = descriptor


class StructStore:
    """Storage of a structure: one subtree a member."""

    __slots__ = ("members",)

    def __init__(self, members: dict[str, Store]) -> None:
        self.members = members


Leaf = VariableLeaf | UniformLeaf | InputLeaf | SamplerLeaf | MemoryLeaf
Store = Leaf | StructStore


def _index(build: Builder, length: int, static: int, dynamic: Instr | None) -> Instr | None:
    if not length:
        return None
    if dynamic is None:
        return build.int_constant(min(static, length - 1))
    return build.op("iadd", dynamic, build.int_constant(static)) if static else dynamic


def build_store(
    type: Type,
    name: str,
    make: Callable[[str, NumericType | OpaqueType, int, bool], Leaf],
    count: int = 1,
    many: bool = False,
) -> Store:
    """Build the storage tree of a type.

    Parameters
    ----------
    make : gives a leaf for (name, vector or sampler type, elements, whether it is an array)
    """
    if isinstance(type, ArrayType):
        return build_store(type.element, name, make, count * max(type.length, 1), True)
    if isinstance(type, StructType):
        return StructStore(
            {one.name: build_store(one.type, f"{name}.{one.name}", make, count, many) for one in type.fields}
        )
    if isinstance(type, NumericType):
        if type.is_matrix:
            return make(name, column_type(type), count * type.columns, True)
        return make(name, type, count, many)
    assert isinstance(type, OpaqueType)
    return make(name, type, count, many)


class Ref:
    """A reference into storage: ``components`` or ``component`` select inside a vector."""

    __slots__ = ("component", "components", "dynamic", "static", "store", "type")

    def __init__(
        self,
        store: Store,
        type: Type,
        static: int = 0,
        dynamic: Instr | None = None,
        components: tuple[int, ...] | None = None,
        component: Instr | None = None,
    ) -> None:
        self.store = store
        self.type = type
        self.static = static
        self.dynamic = dynamic
        self.components = components
        self.component = component

    def field(self, name: str) -> Ref:
        """Member of a structure."""
        assert isinstance(self.store, StructStore)
        assert isinstance(self.type, StructType)
        return Ref(self.store.members[name], self.type.by_name[name].type, self.static, self.dynamic)

    def at(self, build: Builder, index: Instr | int) -> Ref:
        """Element of an array, column of a matrix, component of a vector."""
        type = self.type
        if isinstance(index, Instr) and index.op == "const":
            index = int(index.attr[0])
        if isinstance(type, NumericType) and type.is_vector:
            return self._component(index)
        if isinstance(type, ArrayType):
            length, element = max(type.length, 1), type.element
        else:
            assert isinstance(type, NumericType)
            length, element = type.columns, column_type(type)
        static, dynamic = self.static * length, self.dynamic
        if dynamic is not None and length != 1:
            dynamic = build.op("imul", dynamic, build.int_constant(length))
        if isinstance(index, int):
            static += min(max(index, 0), length - 1)
        else:
            if index.type.base == Base.UINT:
                index = build.op("bitcast", index, type=vector(Base.INT, 1))
            dynamic = index if dynamic is None else build.op("iadd", dynamic, index)
        return Ref(self.store, element, static, dynamic)

    def _component(self, index: Instr | int) -> Ref:
        assert isinstance(self.type, NumericType)
        scalar = vector(self.type.base, 1)
        width = self.type.rows
        if isinstance(index, int):
            at = min(max(index, 0), width - 1)
            components = (self.components or tuple(range(width)))[at : at + 1]
            return Ref(self.store, scalar, self.static, self.dynamic, components)
        return Ref(self.store, scalar, self.static, self.dynamic, self.components, index)

    def swizzle(self, components: tuple[int, ...]) -> Ref:
        """Components of a vector."""
        assert isinstance(self.type, NumericType)
        if self.components is not None:
            components = tuple(self.components[component] for component in components)
        return Ref(self.store, vector(self.type.base, len(components)), self.static, self.dynamic, components)

    # Access --------------------------------------------------------------------------------------------------------
    def load(self, build: Builder) -> Lowered:
        """Read the whole value."""
        type = self.type
        if isinstance(type, StructType):
            return [self.field(one.name).load(build) for one in type.fields]
        if isinstance(type, ArrayType):
            return [self.at(build, k).load(build) for k in range(max(type.length, 1))]
        assert isinstance(type, NumericType)
        if type.is_matrix:
            return [self.at(build, k).load(build) for k in range(type.columns)]
        assert isinstance(self.store, (VariableLeaf, UniformLeaf, InputLeaf))
        if self.components is None and self.component is None:
            return self.store.load(build, type, self.static, self.dynamic)
        whole = self.store.load(build, self._leaf_type(), self.static, self.dynamic)
        if self.component is None:
            assert self.components is not None
            return build.swizzle(whole, self.components)
        if self.components is not None:
            whole = build.swizzle(whole, self.components)
        return extract(build, whole, self.component)

    def _leaf_type(self) -> NumericType:
        store = self.store
        if isinstance(store, VariableLeaf):
            return store.variable.type
        assert isinstance(store, (UniformLeaf, InputLeaf))
        return store.type

    def store_value(self, build: Builder, value: Lowered) -> None:
        """Write the whole value."""
        type = self.type
        if isinstance(type, StructType):
            assert isinstance(value, list)
            for member, part in zip(type.fields, value, strict=True):
                self.field(member.name).store_value(build, part)
            return
        if isinstance(value, list):
            for k, part in enumerate(value):
                self.at(build, k).store_value(build, part)
            return
        assert isinstance(self.store, VariableLeaf)
        variable = self.store.variable
        index = _index(build, variable.length, self.static, self.dynamic)
        if self.component is not None:
            width = len(self.components) if self.components is not None else variable.type.width
            whole = build.load(variable, index)
            if self.components is not None:
                whole = build.swizzle(whole, self.components)
            changed = insert(build, whole, self.component, value)
            mask = self.components or tuple(range(width))
            build.store(variable, changed, mask, index)
            return
        assert isinstance(type, NumericType)
        build.store(variable, value, self.components or tuple(range(type.rows)), index)


def extract(build: Builder, whole: Instr, index: Instr) -> Instr:
    """Component of a vector by a number known at run time only."""
    index = as_index(build, index)
    return build.indexed("extract", vector(whole.type.base, 1), (whole, index))


def insert(build: Builder, whole: Instr, index: Instr, value: Instr) -> Instr:
    """The vector with one component replaced."""
    return build.indexed("insert", whole.type, (whole, as_index(build, index), value))


def as_index(build: Builder, index: Instr) -> Instr:
    """The index as INT."""
    return build.op("bitcast", index, type=vector(Base.INT, 1)) if index.type.base == Base.UINT else index


class BlockRef:
    """A reference into a uniform block: byte offset, and (index, stride, count) of every dynamic index on the way."""

    __slots__ = ("area", "component", "components", "dynamic", "offset", "row_major", "tight", "type")

    def __init__(
        self,
        area: int,
        type: Type,
        offset: int,
        row_major: bool,
        tight: bool,
        dynamic: tuple[tuple[Instr, int, int], ...] = (),
        components: tuple[int, ...] | None = None,
        component: Instr | None = None,
    ) -> None:
        self.area = area
        self.type = type
        self.offset = offset
        self.row_major = row_major
        self.tight = tight
        self.dynamic = dynamic
        self.components = components
        self.component = component

    def field(self, name: str) -> BlockRef:
        """Member of a structure (or of the block)."""
        assert isinstance(self.type, StructType)
        member = self.type.by_name[name]
        offsets, _ = layout_fields(self.type.fields, self.row_major, self.tight)
        at = offsets[[one.name for one in self.type.fields].index(name)]
        row_major = self.row_major or member.row_major
        return BlockRef(self.area, member.type, self.offset + at, row_major, self.tight, self.dynamic)

    def at(self, build: Builder, index: Instr | int) -> Ref | BlockRef:
        """Element of an array, column of a matrix, component of a vector."""
        type = self.type
        if isinstance(index, Instr) and index.op == "const":
            index = int(index.attr[0])
        if isinstance(type, ArrayType):
            stride = layout_of(type, self.row_major, self.tight).array_stride
            return self._moved(build, type.element, index, stride, max(type.length, 1))
        assert isinstance(type, NumericType)
        if type.is_matrix:
            return ColumnRef(self, index)
        return ColumnRef(self, None).at(build, index)

    def _moved(self, build: Builder, type: Type, index: Instr | int, stride: int, count: int) -> BlockRef:
        if isinstance(index, int):
            offset = self.offset + min(max(index, 0), count - 1) * stride
            return BlockRef(self.area, type, offset, self.row_major, self.tight, self.dynamic)
        dynamic = (*self.dynamic, (as_index(build, index), stride, count))
        return BlockRef(self.area, type, self.offset, self.row_major, self.tight, dynamic)

    def swizzle(self, components: tuple[int, ...]) -> ColumnRef:
        """Components of a vector."""
        return ColumnRef(self, None).swizzle(components)

    def load(self, build: Builder) -> Lowered:
        """Read the whole value."""
        type = self.type
        if isinstance(type, StructType):
            return [self.field(one.name).load(build) for one in type.fields]
        if isinstance(type, ArrayType):
            return [self.at(build, k).load(build) for k in range(max(type.length, 1))]
        assert isinstance(type, NumericType)
        if type.is_matrix:
            return [ColumnRef(self, k).load(build) for k in range(type.columns)]
        return ColumnRef(self, None).load(build)

    def read(
        self, build: Builder, type: NumericType, offset: int, component_stride: int, extra: tuple[Any, ...]
    ) -> Instr:
        """Read a vector at a byte offset."""
        dynamic = self.dynamic + extra
        word = offset // 4
        if not dynamic:
            return build.uniform(type, ConstantRef(self.area, word, 0, 1, component_stride))
        if len(dynamic) == 1:
            index, stride, count = dynamic[0]
            return build.uniform(type, ConstantRef(self.area, word, stride // 4, count, component_stride), index)
        total = None
        span = 0
        for index, stride, count in dynamic:
            part = build.op(
                "imul",
                build.op("imin", build.op("imax", index, build.int_constant(0)), build.int_constant(count - 1)),
                build.int_constant(stride // 4),
            )
            total = part if total is None else build.op("iadd", total, part)
            span += (count - 1) * (stride // 4)
        assert total is not None
        return build.uniform(type, ConstantRef(self.area, word, 1, span + 1, component_stride), total)


class ColumnRef(Ref):
    """A column of a matrix in a block, or a vector there; read-only."""

    __slots__ = ("block", "column")

    def __init__(self, block: BlockRef, column: Instr | int | None) -> None:
        type = block.type
        assert isinstance(type, NumericType)
        super().__init__(StructStore({}), column_type(type))
        self.block = block
        self.column = column

    def at(self, build: Builder, index: Instr | int) -> Ref:
        """Component of the vector."""
        if isinstance(index, Instr) and index.op == "const":
            index = int(index.attr[0])
        assert isinstance(self.type, NumericType)
        out = ColumnRef(self.block, self.column)
        out.type = vector(self.type.base, 1)
        if isinstance(index, int):
            at = min(max(index, 0), self.type.rows - 1)
            out.components = (self.components or tuple(range(self.type.rows)))[at : at + 1]
        else:
            out.components, out.component = self.components, index
        return out

    def swizzle(self, components: tuple[int, ...]) -> ColumnRef:
        """Components of the vector."""
        assert isinstance(self.type, NumericType)
        out = ColumnRef(self.block, self.column)
        out.components = (
            components if self.components is None else tuple(self.components[component] for component in components)
        )
        out.type = vector(self.type.base, len(components))
        return out

    def load(self, build: Builder) -> Lowered:
        """Read the vector."""
        block, column = self.block, self.column
        type = block.type
        assert isinstance(type, NumericType)
        extra: tuple[Any, ...] = ()
        offset, component_stride = block.offset, 1
        if column is not None:
            matrix_stride = layout_of(type, block.row_major, block.tight).matrix_stride
            stride = 4 if block.row_major else matrix_stride
            if block.row_major:
                component_stride = matrix_stride // 4
            if isinstance(column, int):
                offset += min(max(column, 0), type.columns - 1) * stride
            else:
                extra = ((as_index(build, column), stride, type.columns),)
        whole = block.read(build, column_type(type), offset, component_stride, extra)
        if self.components is not None:
            whole = build.swizzle(whole, self.components)
        return whole if self.component is None else extract(build, whole, self.component)
