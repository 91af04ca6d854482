"""What declarations have in common: names, types with their sizes, precision, qualifiers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from replay.glsl import syntax as ast
from replay.glsl.builtins import builtin_symbols
from replay.glsl.expression_base import contains
from replay.glsl.ir import GeometryLayout, TessellationLayout
from replay.glsl.preprocessor import Preprocessor, Source
from replay.glsl.statement_rules import StatementRules
from replay.glsl.symbols import BlockInfo, Function, Symbol
from replay.glsl.types import (
    COUNTER,
    NUMERIC_TYPES,
    OPAQUE_TYPES,
    SAMPLER_TYPES,
    VOID,
    ArrayType,
    Base,
    Field,
    NumericType,
    OpaqueType,
    StructType,
    Type,
    array_of,
)
from replay.glsl.versions import Version

__all__ = ["CheckedShader", "DeclarationRules"]

#: Limits on untrusted sources: components of one variable, elements of one array, nesting of structures.
MAX_COMPONENTS: Final = 65536
MAX_STRUCT_DEPTH: Final = 8

_ORDER: Final = {
    "invariant": 0, "flat": 1, "smooth": 1, "noperspective": 1, "layout": -1, "const": 2, "attribute": 2, "varying": 2,
    "uniform": 2, "in": 2, "out": 2, "inout": 2, "centroid": 2, "sample": 2, "lowp": 3, "mediump": 3, "highp": 3,
    # Of versions in which the order is free.
    "precise": 0, "patch": 2, "buffer": 2, "shared": 2, "coherent": 2, "volatile": 2, "restrict": 2, "readonly": 2,
    "writeonly": 2,
}  # fmt: skip
_STORAGE: Final = ("const", "attribute", "varying", "uniform", "in", "out", "inout", "buffer", "shared")


_PLACES: Final = frozenset({"centroid", "sample"})


@dataclass(slots=True)
class CheckedShader:
    """A shader that passed the checker.

    Parameters
    ----------
    symbols : global variables in order of declaration, used built-in ones first
    blocks : uniform blocks
    interface_blocks : blocks of inputs or outputs; their symbols are among ``symbols``
    functions : with a body
    main : entry point, None if there is none (an error when linking)
    position_layout : how gl_FragCoord counts, of "origin_upper_left" and "pixel_center_integer"
    """

    version: Version
    stage: str
    symbols: list[Symbol] = field(default_factory=list)
    blocks: list[BlockInfo] = field(default_factory=list)
    block_symbols: list[Symbol] = field(default_factory=list)
    interface_blocks: list[BlockInfo] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    main: Function | None = None
    enabled: frozenset[str] = frozenset()
    invariant_all: bool = False
    #: What has a precision below highp is computed in 16 bits.
    is_short: bool = False
    position_layout: frozenset[str] = frozenset()
    storage_blocks: list[BlockInfo] = field(default_factory=list)
    #: Fragments are tested before the shader runs, because it asks for it.
    tests_early: bool = False
    #: Advanced blend equations that a fragment shader works with, as ``blend_support_...`` names them.
    blend_support: frozenset[str] = frozenset()
    #: What a geometry shader takes and gives.
    geometry: GeometryLayout = field(default_factory=GeometryLayout)
    #: What the tessellation shaders take and give.
    tessellation: TessellationLayout = field(default_factory=TessellationLayout)
    #: Size of the work groups of a compute shader, () while it is not given.
    local_size: tuple[int, ...] = ()
    #: Where offsets into the text lie.
    source: Source | None = None


def num_components(type: Type) -> int:
    """Scalars in a type."""
    if isinstance(type, NumericType):
        return type.width
    if isinstance(type, ArrayType):
        return max(type.length, 1) * num_components(type.element)
    if isinstance(type, StructType):
        return sum(num_components(one.type) for one in type.fields)
    return 1


class DeclarationRules(StatementRules):
    """Part of the checker; see :class:`replay.glsl.checker.Checker`."""

    def __init__(self, preprocessor: Preprocessor, stage: str) -> None:
        super().__init__(preprocessor, stage)
        self.shader = CheckedShader(self.version, stage, enabled=self.enabled, source=preprocessor.source)
        self._builtins = builtin_symbols(self.version, stage, self.enabled)
        self.scopes.stack[0].update(self._builtins)
        self.scopes.push()
        self._precision.append(self._default_precision())

    def _default_precision(self) -> dict[str, str]:
        if not self.version.has("precision_default"):
            everything = ["float", "int", *SAMPLER_TYPES]
            return dict.fromkeys(everything, "highp")
        table = {"sampler2D": "lowp", "samplerCube": "lowp", "samplerExternalOES": "lowp", "atomic_uint": "highp"}
        if self.stage != "fragment":
            table.update(float="highp", int="highp")
        else:
            table.update(int="mediump")
        return table

    @property
    def _at_global_scope(self) -> bool:
        return len(self.scopes.stack) == 2

    # Names -----------------------------------------------------------------------------------------------------------
    def _check_name(self, name: str, pos: int, redeclares: bool = False) -> None:
        if name.startswith("gl_") and not redeclares:
            self.fail(pos, f"names that begin with gl_ are reserved: '{name}'")
        if "__" in name:
            self.report(pos, f"names with two underscores in a row are reserved: '{name}'", "warning")
        if len(name) > 1024 and self.version.es:
            self.fail(pos, "name longer than 1024 characters")

    def _add(self, symbol: Symbol) -> None:
        """Declare a variable in the innermost scope."""
        name = symbol.name
        known = self.scopes.here(name)
        if known is not None:
            self.fail(symbol.pos, f"'{name}' is declared already in this scope")
        self.scopes.add(name, symbol)

    # Types -----------------------------------------------------------------------------------------------------------
    def resolve_type_name(self, spec: ast.TypeSpec) -> Type:
        """Type of the name in a TypeSpec; declares its structure if it has one."""
        if spec.struct is not None:
            return self._struct(spec.struct)
        if spec.name == "void":
            return VOID
        for scope in reversed(self.scopes.stack):
            found = scope.get(spec.name)
            if isinstance(found, Type):
                return found
            if found is not None:
                break
        builtin = NUMERIC_TYPES.get(spec.name) or OPAQUE_TYPES.get(spec.name)
        if builtin is None:
            self.fail(spec.pos, f"'{spec.name}' is no type")
        return builtin

    def sized(self, base: Type, dims: list[ast.Expr | None], pos: int) -> Type:
        """Array type with the sizes of brackets, the outermost first."""
        return self._sized(base, dims, pos, unsized_ok=False)

    def _sized(self, base: Type, dims: list[ast.Expr | None], pos: int, unsized_ok: bool) -> Type:
        """Array type of a declaration; ``dims`` begin with the outermost one, which alone may be without size."""
        if not dims:
            return base
        if len(dims) > 1 and not self.version.has("arrays_of_arrays"):
            self.fail(pos, "arrays of arrays do not exist in this version")
        if base is VOID:
            self.fail(pos, "there are no arrays of void")
        for k in range(len(dims) - 1, -1, -1):
            base = self._array(base, dims[k], pos, unsized_ok and k == 0)
        return base

    def _array(self, element: Type, dim: ast.Expr | None, pos: int, unsized_ok: bool) -> Type:
        if dim is None:
            if not unsized_ok:
                self.fail(pos, "the array needs a size")
            return array_of(element, 0)
        if isinstance(dim, ast.Comma) and not self.version.legacy:
            self.fail(dim.pos, "an array size cannot be a sequence of expressions")
        length = self.constant_integer(dim, "an array size")
        if length <= 0:
            self.fail(dim.pos, f"an array size must be positive, not {length}")
        if length * num_components(element) > MAX_COMPONENTS:
            self.fail(dim.pos, f"an array may hold at most {MAX_COMPONENTS} components")
        return array_of(element, length)

    def _struct(self, spec: ast.StructSpec) -> StructType:
        fields: list[Field] = []

        def check_words(member: ast.Declaration) -> None:
            for word, pos in member.qualifiers.words:
                if word not in ("lowp", "mediump", "highp"):
                    self.fail(pos, f"a member of a structure cannot be '{word}'")
            self._check_qualifiers(member.qualifiers)

        for member, declarator, found in self._members(spec.members, "structures", check_words):
            precision = self._precision_of(found, member.qualifiers, declarator.pos)
            if contains(found, lambda one: one is COUNTER):
                self.fail(declarator.pos, "a counter cannot be a member of a structure")
            fields.append(Field(declarator.name, found, precision))
        struct = StructType(spec.name or "struct", tuple(fields))
        if self._struct_depth(struct) > MAX_STRUCT_DEPTH:
            self.fail(spec.pos, f"structures nested more than {MAX_STRUCT_DEPTH} deep")
        if num_components(struct) > MAX_COMPONENTS:
            self.fail(spec.pos, f"a structure may hold at most {MAX_COMPONENTS} components")
        if spec.name:
            self._check_name(spec.name, spec.pos)
            if self.scopes.here(spec.name) is not None:
                self.fail(spec.pos, f"'{spec.name}' is declared already in this scope")
            self.scopes.add(spec.name, struct)
        return struct

    def _members(
        self,
        members: Sequence[ast.Declaration],
        kind: str,
        check_words: Callable[[ast.Declaration], None],
        *,
        open_end: bool = False,
    ) -> Iterator[tuple[ast.Declaration, ast.Declarator, Type]]:
        """Members of a structure or block (``kind``) with their types; ``open_end``: the last may be an open array."""
        seen: set[str] = set()
        for member in members:
            check_words(member)
            if member.spec.struct is not None:
                self.fail(member.spec.pos, f"structures cannot be defined inside {kind}")
            base = self.resolve_type_name(member.spec)
            if base is VOID:
                self.fail(member.spec.pos, "a member cannot be void")
            for declarator in member.declarators:
                self._check_name(declarator.name, declarator.pos)
                if declarator.name in seen:
                    self.fail(declarator.pos, f"'{declarator.name}' is a member already")
                seen.add(declarator.name)
                is_last = member is members[-1] and declarator is member.declarators[-1]
                dims = [*declarator.dims, *member.spec.dims]
                yield member, declarator, self._sized(base, dims, declarator.pos, unsized_ok=open_end and is_last)

    def _struct_depth(self, type: Type) -> int:
        if isinstance(type, ArrayType):
            return self._struct_depth(type.element)
        if isinstance(type, StructType):
            return 1 + max((self._struct_depth(one.type) for one in type.fields), default=0)
        return 0

    # Precision -------------------------------------------------------------------------------------------------------
    def _precision_of(self, type: Type, qualifiers: ast.Qualifiers, pos: int) -> str:
        """Precision of a declaration; an error if there is none."""
        inner = type
        while isinstance(inner, ArrayType):
            inner = inner.element
        if isinstance(inner, NumericType) and inner.base != Base.BOOL:
            key = "float" if inner.base == Base.FLOAT else "int"
        elif isinstance(inner, OpaqueType):
            key = inner.name
        else:
            if qualifiers.precision:
                self.fail(qualifiers.pos, f"{inner} has no precision")
            return ""
        if qualifiers.precision:
            return qualifiers.precision
        for table in reversed(self._precision):
            found = table.get(key)
            if found is not None:
                return found
        if not self.version.has("precision_default"):
            return "highp"
        self.fail(pos, f"no precision is given for {inner}, and there is no default")

    # Qualifiers ------------------------------------------------------------------------------------------------------
    def _check_qualifiers(self, qualifiers: ast.Qualifiers, in_block: bool = False) -> str:
        """Check order and repetition; gives the storage qualifier, "" if there is none.

        Members of blocks take their storage from the block, so that ``centroid`` and ``sample`` may stand alone there.
        """
        words = qualifiers.words
        if not words:
            return ""
        rank = 0
        storage = ""
        seen: set[str] = set()
        free = self.version.has("free_order")
        ranks: set[int] = set()
        for k, (word, pos) in enumerate(words):
            own = _ORDER[word]
            if word in seen:
                self.fail(pos, f"'{word}' is repeated")
            seen.add(word)
            if own >= 0:
                if own < rank and not free:
                    self.fail(pos, f"'{word}' must stand before '{words[k - 1][0]}'")
                if own in (1, 3) and own in ranks:
                    self.fail(pos, f"'{word}' and '{words[k - 1][0]}' exclude each other")
                rank = own
                ranks.add(own)
            elif rank >= 2 and not free:
                self.fail(pos, "layout must stand before the storage qualifier")
            if word in _STORAGE:
                constant_input = (storage, word) == ("const", "in") or (free and (storage, word) == ("in", "const"))
                if storage and not constant_input:
                    self.fail(pos, f"'{storage}' and '{word}' exclude each other")
                storage = "const" if constant_input else word
            behind = words if free else words[k + 1 : k + 2]
            alone = not any(other in ("in", "out", "varying") for other, _ in behind)
            if word in _PLACES and alone and not in_block:
                self.fail(pos, f"'{word}' must stand directly before in, out or varying")
            if word in _PLACES and len(seen & _PLACES) > 1:
                self.fail(pos, "'centroid' and 'sample' exclude each other")
        return storage

    def _layout_value(self, name: str, value: Any, pos: int) -> int:
        if value is None:
            self.fail(pos, f"layout '{name}' needs a number")
        if not isinstance(value, ast.Literal) and not self.version.has("layout_expressions"):
            self.fail(pos, f"layout '{name}' needs a literal number")
        number = self.constant_integer(value, f"layout '{name}'")
        if number < 0:
            self.fail(pos, f"layout '{name}' must not be negative")
        return number
