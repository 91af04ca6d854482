"""Marks the lines of memory that a stage reads and writes, for the modelled memory."""

from __future__ import annotations

from typing import Final

from replay.glsl.ir import Block, Instr, Region
from replay.glsl.memory import MemoryKind, MemorySlot, TouchRef

__all__ = ["mark_lines"]

_OUTER: Final = (MemoryKind.STORAGE, MemoryKind.COUNTERS, MemoryKind.IMAGE)


def mark_lines(body: Region, memories: list[MemorySlot]) -> list[MemorySlot]:
    """Put an ``mtouch`` before each access to storage, counters and images; they count as no instruction.

    Returns
    -------
    the memories of the marks, which come behind ``memories``
    """
    outer = [number for number, slot in enumerate(memories) if slot.kind in _OUTER]
    marks = {number: len(memories) + k for k, number in enumerate(outer)}
    for node in body.walk() if marks else ():
        if isinstance(node, Block):
            node.instructions = [one for instr in node.instructions for one in (*_touches(instr, marks), instr)]
    return [MemorySlot("", MemoryKind.TOUCHED, number, is_written=True) for number in outer]


def _touches(instr: Instr, marks: dict[int, int]) -> list[Instr]:
    if instr.op not in ("mload", "mstore", "atomic") or instr.attr.slot not in marks:
        return []
    step = getattr(instr.attr, "component_stride", 1)
    value = instr.args[1] if instr.op == "mstore" else instr
    assert value.type is not None
    found = []
    for is_write, ops in ((False, ("mload", "atomic")), (True, ("mstore", "atomic"))):
        if instr.op in ops:
            reference = TouchRef(marks[instr.attr.slot], value.type.width, step, is_write)
            found.append(Instr("mtouch", None, (instr.args[0],), reference))
    return found
