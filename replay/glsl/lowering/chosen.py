"""What is chosen at run time from things that no address joins: blocks of an array, samplers, images.

One branch an element, so that what the others would read or write stays untouched.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, Final

from replay.glsl.builder import Builder
from replay.glsl.ir import If, Instr
from replay.glsl.lowering.memory import MemoryPlace
from replay.glsl.lowering.storage import BlockRef, ColumnRef, Lowered, Ref, StructStore, as_index
from replay.glsl.types import INT, UINT, Type

__all__ = ["BlockPart", "ChosenPart", "NewStorage", "choose_branch"]

#: Makes variables for a value of a type.
NewStorage = Callable[[Type, str], Ref]
#: A part of one block.
BlockPart = BlockRef | ColumnRef | MemoryPlace
_BLOCK_PARTS: Final = (BlockRef, ColumnRef, MemoryPlace)


def choose_branch(
    build: Builder, result: Ref | None, index: Instr, count: int, emit: Callable[[int], Lowered | None]
) -> Lowered | None:
    """Lower each element in a branch of its own; an index outside of them takes none.

    Parameters
    ----------
    result : takes the value, None where there is none
    index : of the element, an INT
    emit : lowers what is to be done with an element
    """
    for k in range(count):
        node = If(build.op("ieq", index, build.int_constant(k)))
        build.push(node.then)
        value = emit(k)
        if result is not None and value is not None:
            result.store_value(build, value)
        build.pop()
        build.node(node)
    return None if result is None else result.load(build)


def _moved(part: BlockPart, element: int) -> BlockPart:
    """The same part of another block: of another constant area or memory."""
    moved = copy(part)
    if isinstance(moved, BlockRef):
        moved.area = element
    elif isinstance(moved, MemoryPlace):
        moved.slot = element
    else:
        moved.block = copy(moved.block)
        moved.block.area = element
    return moved


class ChosenPart(Ref):
    """A part of a block that is an element of an array, by an index that is known at run time only.

    Parameters
    ----------
    part : of the first element
    elements : constant areas or memories of all of them, which lie alike
    index : of the element; outside of the array it means the last one, as in Mesa, which compares without a sign
    """

    __slots__ = ("elements", "index", "new_storage", "part")

    def __init__(self, part: BlockPart, elements: list[int], index: Instr, new_storage: NewStorage) -> None:
        super().__init__(StructStore({}), part.type)
        self.part = part
        self.elements = elements
        self.index = index
        self.new_storage = new_storage

    @classmethod
    def of(cls, build: Builder, blocks: list[Any], index: Instr, new_storage: NewStorage) -> ChosenPart:
        """An element of an array of blocks."""
        elements = [one.area if isinstance(one, BlockRef) else one.slot for one in blocks]
        unsigned = build.op("bitcast", as_index(build, index), type=UINT)
        bounded = build.op("umin", unsigned, build.constant(UINT, (len(blocks) - 1,)))
        return cls(blocks[0], elements, build.op("bitcast", bounded, type=INT), new_storage)

    def _with(self, part: Any) -> ChosenPart:
        assert isinstance(part, _BLOCK_PARTS)
        return ChosenPart(part, self.elements, self.index, self.new_storage)

    def field(self, name: str) -> ChosenPart:
        """Member of a structure (or of the block)."""
        assert not isinstance(self.part, ColumnRef)
        return self._with(self.part.field(name))

    def at(self, build: Builder, index: Instr | int) -> ChosenPart:
        """Element of an array, column of a matrix, component of a vector."""
        return self._with(self.part.at(build, index))

    def swizzle(self, components: tuple[int, ...]) -> ChosenPart:
        """Components of a vector."""
        return self._with(self.part.swizzle(components))

    def each(self, build: Builder, type: Type | None, emit: Callable[[Any], Lowered | None]) -> Lowered | None:
        """Do something with the part of the block that is meant; ``type`` is that of what it gives."""
        result = None if type is None else self.new_storage(type, "chosen")
        elements = self.elements
        return choose_branch(build, result, self.index, len(elements), lambda k: emit(_moved(self.part, elements[k])))

    def load(self, build: Builder) -> Lowered:
        """Read the whole value."""
        found = self.each(build, self.type, lambda part: part.load(build))
        assert found is not None
        return found

    def store_value(self, build: Builder, value: Lowered) -> None:
        """Write the whole value."""
        self.each(build, None, lambda part: part.store_value(build, value))
