"""Lowering of what geometry stages emit: vertices become rows of words in a memory of their own.

See :class:`~replay.glsl.ir.GeometryLayout`. A vertex beyond ``max_vertices`` is not emitted (GLSL ES 3.20 §8.16 leaves
that undefined), so that no invocation writes where another one does.
"""

from __future__ import annotations

from collections.abc import Sequence

from replay.glsl.builder import Builder
from replay.glsl.ir import GeometryLayout, If, MemoryRef, OutputSlot, Variable
from replay.glsl.lowering.memory import NOWHERE
from replay.glsl.lowering.storage import InputLeaf
from replay.glsl.types import INT

__all__ = ["Emission"]


class Emission:
    """Emits vertices of one stage.

    Parameters
    ----------
    build : of the stage
    layout : what the stage gives; is told how many words a vertex has
    slot : memory that takes the vertices
    first : input, the word where those of the invocation begin
    count : number of vertices emitted so far
    outputs : what a vertex has; are told their words
    """

    def __init__(
        self,
        build: Builder,
        layout: GeometryLayout,
        slot: int,
        first: InputLeaf,
        count: Variable,
        outputs: Sequence[OutputSlot],
    ) -> None:
        self._build = build
        self._layout = layout
        self._slot = slot
        self._first = first
        self._count = count
        self._outputs = outputs
        words = 0
        for output in outputs:
            output.word = words
            words += max(output.variable.length, 1) * output.variable.type.width
        layout.words = words + 1
        build.store(count, build.int_constant(0), (0,))

    def emit_vertex(self) -> None:
        """Append a vertex with the outputs as they are now."""
        build = self._build
        count = build.load(self._count)
        node = If(build.op("ilt", count, build.int_constant(self._layout.max_vertices)))
        build.push(node.then)
        own = build.op("imul", count, build.int_constant(self._layout.words))
        place = build.op("iadd", self._first.load(build, INT, 0, None), own)
        for output in self._outputs:
            variable = output.variable
            for element in range(max(variable.length, 1)):
                value = build.load(variable, build.int_constant(element) if variable.length else None)
                word = build.int_constant(output.word + element * variable.type.width)
                build.memory("mstore", None, (build.op("iadd", place, word), value), MemoryRef(self._slot))
        build.store(self._count, build.op("iadd", count, build.int_constant(1)), (0,))
        build.pop()
        build.node(node)

    def end_primitive(self) -> None:
        """End the strip with the vertex that was emitted last."""
        if self._layout.output == "points":
            return
        build = self._build
        count = build.load(self._count)
        behind = build.op("imul", count, build.int_constant(self._layout.words))
        last = build.op("iadd", self._first.load(build, INT, 0, None), behind)
        last = build.op("isub", last, build.int_constant(1))
        place = build.op("select", build.op("ilt", build.int_constant(0), count), last, build.int_constant(NOWHERE))
        build.memory("mstore", None, (place, build.int_constant(1)), MemoryRef(self._slot))
