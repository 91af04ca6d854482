"""Rules for memory that shaders write: storage blocks, shared variables, images, atomic counters, work groups.

GLSL ES 3.10 §4.1.7.2, §4.1.7.3, §4.3.7 to §4.3.9, §4.4.1.1, §4.4.6, §4.10.
"""

from __future__ import annotations

from typing import Final

from replay.glsl import syntax as ast
from replay.glsl.builtins import MAX_IMAGE_UNITS, WORK_GROUP_INVOCATIONS, WORK_GROUP_SIZE
from replay.glsl.declarations import DeclarationRules
from replay.glsl.expression_base import memory_root
from replay.glsl.preprocessor import Preprocessor
from replay.glsl.symbols import BlockInfo, Symbol
from replay.glsl.types import COUNTER, ArrayType, Base, ImageType, Type
from replay.glsl.versions import brings

__all__ = ["IMAGE_FORMATS", "MEMORY_WORDS", "MemoryRules"]

MEMORY_WORDS: Final = frozenset({"coherent", "volatile", "restrict", "readonly", "writeonly"})
#: Advanced blend equations as ``layout(blend_support_...) out;`` names them.
_BLEND_EQUATIONS: Final = frozenset(
    {
        *("multiply", "screen", "overlay", "darken", "lighten", "colordodge", "colorburn", "hardlight", "softlight"),
        *("difference", "exclusion", "hsl_hue", "hsl_saturation", "hsl_color", "hsl_luminosity"),
    }
)

_ES_FORMATS: Final = {
    Base.FLOAT: "rgba32f rgba16f r32f rgba8 rgba8_snorm",
    Base.INT: "rgba32i rgba16i rgba8i r32i",
    Base.UINT: "rgba32ui rgba16ui rgba8ui r32ui",
}
_DESKTOP_FORMATS: Final = {
    Base.FLOAT: "rg32f rg16f rgba16 rg16 rgba16_snorm rg16_snorm r8 rg8 r16 r16f r8_snorm rg8_snorm r16_snorm "
    "rgb10_a2 r11f_g11f_b10f",
    Base.INT: "rg32i rg16i r8i rg8i r16i",
    Base.UINT: "rg32ui rg16ui r8ui rg8ui r16ui rgb10_a2ui",
}
#: Base type of the images that may have a format, those of ES first.
IMAGE_FORMATS: Final = {
    es: {name: base for table in tables for base, names in table.items() for name in names.split()}
    for es, tables in ((True, (_ES_FORMATS,)), (False, (_ES_FORMATS, _DESKTOP_FORMATS)))
}
#: As many as Mesa takes; a program of GLES 3.1 may count on 1.
_MAX_COUNTER_BINDINGS: Final = 16
_SINGLE_WORD: Final = ("r32f", "r32i", "r32ui")


class MemoryRules(DeclarationRules):
    """Part of the checker; see :class:`replay.glsl.checker.Checker`."""

    def __init__(self, preprocessor: Preprocessor, stage: str) -> None:
        super().__init__(preprocessor, stage)
        #: Of atomic counters, by binding: where the next one lies, and what is taken.
        self._counter_offsets: dict[int, int] = {}
        self._counters_taken: dict[int, set[int]] = {}

    # Images and counters -------------------------------------------------------------------------------------------
    def check_opaque_layout(self, symbol: Symbol, qualifiers: ast.Qualifiers, pos: int) -> bool:
        """Check the layout of an image or a counter; gives whether the symbol is one."""
        inner: Type = symbol.type
        while isinstance(inner, ArrayType):
            inner = inner.element
        if isinstance(inner, ImageType):
            symbol.access = frozenset(word for word, _ in qualifiers.words) & MEMORY_WORDS
            self._image_layout(symbol, inner, qualifiers, pos)
            return True
        if inner is COUNTER:
            self._counter_layout(symbol, qualifiers, pos)
            return True
        for word, word_pos in qualifiers.words:
            if word in MEMORY_WORDS:
                self.fail(word_pos, f"'{word}' is for images and storage blocks only")
        return False

    def _image_layout(self, symbol: Symbol, image: ImageType, qualifiers: ast.Qualifiers, pos: int) -> None:
        formats = IMAGE_FORMATS[self.version.es]
        for name, value, at in qualifiers.layout:
            if name == "binding":
                symbol.binding = self._layout_value(name, value, at)
                length = symbol.type.length if isinstance(symbol.type, ArrayType) else 1
                if symbol.binding + length > MAX_IMAGE_UNITS:
                    self.fail(at, f"there are {MAX_IMAGE_UNITS} image units")
            elif name == "location" and self.version.has("uniform_location"):
                symbol.location = self._layout_value(name, value, at)
            elif name not in formats or value is not None:
                self.fail(at, f"layout '{name}' has no meaning for an image, or is not implemented")
            elif formats[name] != image.base:
                self.fail(at, f"an {image} cannot have the format '{name}'")
            elif symbol.format and not self.version.has("repeated_layout"):
                self.fail(at, "an image has one format")
            else:
                symbol.format = name
        if not symbol.format and (self.version.es or "writeonly" not in symbol.access):
            self.fail(pos, f"the image '{symbol.name}' needs a format")
        if self.version.es and symbol.format not in _SINGLE_WORD and not symbol.access & {"readonly", "writeonly"}:
            self.fail(pos, f"an image of format '{symbol.format}' must be readonly or writeonly")

    def _counter_layout(self, symbol: Symbol, qualifiers: ast.Qualifiers, pos: int) -> None:
        length = symbol.type.length if isinstance(symbol.type, ArrayType) else 1
        if self.version.es and qualifiers.precision in ("lowp", "mediump"):
            self.fail(pos, "counters are highp")
        for name, value, at in qualifiers.layout:
            if name == "binding":
                symbol.binding = self._layout_value(name, value, at)
                if symbol.binding >= _MAX_COUNTER_BINDINGS:
                    self.fail(at, f"there are {_MAX_COUNTER_BINDINGS} bindings of atomic counters")
            elif name == "offset":
                symbol.offset = self._layout_value(name, value, at)
                if symbol.offset % 4:
                    self.fail(at, "the offset of a counter is a multiple of 4")
            else:
                self.fail(at, f"layout '{name}' has no meaning for a counter")
        if symbol.binding < 0:
            self.fail(pos, f"the counter '{symbol.name}' needs a binding")
        if symbol.offset < 0:
            symbol.offset = self._counter_offsets.get(symbol.binding, 0)
        own = set(range(symbol.offset, symbol.offset + 4 * length, 4))
        taken = self._counters_taken.setdefault(symbol.binding, set())
        if own & taken:
            self.fail(pos, f"the counter '{symbol.name}' lies where another one does")
        taken |= own
        self._counter_offsets[symbol.binding] = symbol.offset + 4 * length

    def counter_default(self, qualifiers: ast.Qualifiers) -> None:
        """``layout(binding = 1, offset = 8) uniform atomic_uint;``: where the next counter lies."""
        values = {name: (self._layout_value(name, value, at), at) for name, value, at in qualifiers.layout}
        if set(values) - {"binding", "offset"} or "binding" not in values:
            self.fail(qualifiers.pos, "what counters have by default is an offset, at a binding")
        offset, at = values.get("offset", (0, 0))
        if offset % 4 or offset < 0:
            self.fail(at, "the offset of a counter is a multiple of 4")
        self._counter_offsets[values["binding"][0]] = offset

    # Storage blocks ------------------------------------------------------------------------------------------------
    def storage_member_access(self, block: BlockInfo, name: str, words: list[str]) -> None:
        """Memory qualifiers of a member: its own and the block's."""
        block.member_access[name] = block.access | (frozenset(words) & MEMORY_WORDS)

    # Work groups ---------------------------------------------------------------------------------------------------
    def work_group_layout(self, node: ast.QualifierDeclaration) -> None:
        """``layout(local_size_x = n, ...) in;``."""
        size = list(self.shader.local_size or (1, 1, 1))
        given = set()
        for name, value, pos in node.qualifiers.layout:
            if name not in ("local_size_x", "local_size_y", "local_size_z"):
                self.fail(pos, f"layout '{name}' has no meaning here")
            axis = "xyz".index(name[-1])
            number = self._layout_value(name, value, pos)
            if not 1 <= number <= WORK_GROUP_SIZE[axis]:
                self.fail(pos, f"a work group has 1 to {WORK_GROUP_SIZE[axis]} invocations along {name[-1]}")
            if axis in given or (self.shader.local_size and self.shader.local_size[axis] != number):
                self.fail(pos, f"'{name}' has another value already")
            given.add(axis)
            size[axis] = number
        if size[0] * size[1] * size[2] > WORK_GROUP_INVOCATIONS:
            self.fail(node.pos, f"a work group has at most {WORK_GROUP_INVOCATIONS} invocations")
        if self.shader.local_size and self.shader.local_size != tuple(size):
            self.fail(node.pos, "the work group has another size already")
        self.shader.local_size = (size[0], size[1], size[2])
        self._builtins["gl_WorkGroupSize"].value = tuple(size)

    def fragment_layout(self, node: ast.QualifierDeclaration) -> None:
        """``layout(early_fragment_tests) in;``."""
        for name, value, pos in node.qualifiers.layout:
            if name != "early_fragment_tests" or value is not None:
                self.fail(pos, f"layout '{name}' has no meaning here")
        self.shader.tests_early = True

    def blend_layout(self, node: ast.QualifierDeclaration) -> None:
        """``layout(blend_support_multiply) out;``: the advanced blend equations that the shader works with."""
        has_support = self.version.has("blend_support") or brings(self.enabled, "blend_support")
        for name, value, pos in node.qualifiers.layout:
            equation = name.removeprefix("blend_support_")
            known = equation in _BLEND_EQUATIONS or equation == "all_equations"
            if not has_support or not known or equation == name or value is not None:
                self.fail(pos, f"layout '{name}' has no meaning here")
            self.shader.blend_support |= _BLEND_EQUATIONS if equation == "all_equations" else {equation}

    # Access --------------------------------------------------------------------------------------------------------
    def check_access(self, expr: ast.Expr, writes: bool) -> None:
        """Refuse reads of what is writeonly and writes of what is readonly."""
        root = memory_root(expr)
        if root is None:
            return
        access = root.access
        if root.block is not None:
            access = root.block.member_access.get(_member_of(expr) or root.member, access)
        wrong = "readonly" if writes else "writeonly"
        if wrong in access:
            self.fail(expr.pos, f"'{root.name}' is {wrong}")


def _member_of(expr: ast.Expr) -> str:
    """Name of the block's member that an expression is a part of, "" if the block has no instance name."""
    found = ""
    while isinstance(expr, (ast.Index, ast.Member)):
        if isinstance(expr, ast.Member):
            found = expr.name
        expr = expr.base
    assert isinstance(expr, ast.Name)
    return "" if expr.symbol.member else found
