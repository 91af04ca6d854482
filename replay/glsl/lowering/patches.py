"""Where the variables of patches lie: memories that the control stage writes and the evaluation stage reads.

See :class:`~replay.glsl.ir.TessellationLayout`.
"""

from __future__ import annotations

from typing import Final

from replay.glsl.builder import Builder
from replay.glsl.builtins import MAX_CLIP_DISTANCES
from replay.glsl.ir import INNER_LEVELS, OUTER_LEVELS, Instr
from replay.glsl.layout import layout_fields, layout_of
from replay.glsl.lowering.memory import MemoryPlace
from replay.glsl.lowering.storage import column_type
from replay.glsl.symbols import Symbol
from replay.glsl.types import ArrayType, Base, Field, NumericType, StructType, Type, array_of, vector

__all__ = ["PATCH_NUMBER", "PatchMemory", "PatchTable", "is_in_patch", "leaf_words"]

#: Built-in inputs and outputs that are numbers of an invocation, not parts of a patch.
_OWN: Final = frozenset({"gl_InvocationID", "gl_PatchVerticesIn", "gl_PrimitiveID", "gl_TessCoord"})
#: What fragments know of their patch.
PATCH_NUMBER: Final = "gl_PrimitiveID"
_FLOAT: Final = vector(Base.FLOAT, 1)
#: All that gl_in may have of a vertex, whatever the shader's version shows of it.
_VERTEX: Final = StructType(
    "gl_PerVertex",
    (
        Field("gl_Position", vector(Base.FLOAT, 4), "highp"),
        Field("gl_PointSize", _FLOAT, "highp"),
        Field("gl_ClipDistance", array_of(_FLOAT, MAX_CLIP_DISTANCES), "highp"),
    ),
)
#: A patch begins with its levels of tessellation.
_LEVEL_WORDS: Final = {"gl_TessLevelOuter": OUTER_LEVELS.start, "gl_TessLevelInner": INNER_LEVELS.start}
_FIRST_WORD: Final = 8


def is_in_patch(stage: str, symbol: Symbol) -> bool:
    """Whether an input or output of a tessellation stage lies in a patch."""
    if symbol.name in _OWN:
        return False
    return stage == "tess_control" or (stage == "tess_evaluation" and symbol.storage == "in")


class PatchTable:
    """Words of the variables of a patch, given out by name, so that both stages agree."""

    def __init__(self) -> None:
        self.words = _FIRST_WORD
        self.rows: dict[str, tuple[int, Type]] = {}

    def word(self, name: str, type: Type) -> int:
        """First word of a variable."""
        if name in _LEVEL_WORDS:
            return _LEVEL_WORDS[name]
        known = self.rows.get(name)
        if known is None:
            layout = layout_of(type, tight=True)
            first = -(-4 * self.words // layout.alignment) * layout.alignment // 4
            known = self.rows[name] = (first, type)
            # What comes next begins at a vector, so that sizes of patches are a multiple of that.
            self.words = -(-(first + layout.size // 4) // 4) * 4
        return known[0]


class PatchMemory:
    """Patches that a stage reads or writes.

    Parameters
    ----------
    table : of the patches' variables
    slot : row of the stage's memories
    first : word where the invocation's patch begins, known at the start of the stage
    """

    def __init__(self, table: PatchTable, slot: int, first: Instr) -> None:
        self._table = table
        self._slot = slot
        self._first = first

    def place(self, build: Builder, symbol: Symbol) -> MemoryPlace:
        """Where a variable lies."""
        block, name, type = symbol.block, symbol.link_name, symbol.type
        if symbol.name in ("gl_in", "gl_out"):
            assert isinstance(type, ArrayType)
            name, type = "gl_in", array_of(_VERTEX, type.length)
        elif block is not None:
            name = block.name
            if symbol.member:
                type = StructType(block.name, block.fields)
        word = self._table.word(name, type)
        place = MemoryPlace(self._slot, type, word, self._first, False, True)
        return place.field(symbol.member) if symbol.member else place


def leaf_words(type: Type, name: str, word: int, out: dict[str, list[list[int]]]) -> None:
    """List where the leaves of a value lie (see :func:`~replay.glsl.lowering.storage.build_store`).

    Parameters
    ----------
    name, word : of the value
    out : by name of a leaf: words of the components of each element
    """
    if isinstance(type, StructType):
        offsets, _ = layout_fields(type.fields, tight=True)
        for member, offset in zip(type.fields, offsets, strict=True):
            leaf_words(member.type, f"{name}.{member.name}", word + offset // 4, out)
    elif isinstance(type, ArrayType):
        stride = layout_of(type, tight=True).array_stride // 4
        for k in range(max(type.length, 1)):
            leaf_words(type.element, name, word + k * stride, out)
    else:
        assert isinstance(type, NumericType)
        stride = layout_of(type, tight=True).matrix_stride // 4
        for k in range(type.columns):
            width = column_type(type).width
            out.setdefault(name, []).append([word + k * stride + component for component in range(width)])
