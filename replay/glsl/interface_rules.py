"""Rules for variables of a shader's interface: inputs, outputs, uniforms and uniform blocks."""

from __future__ import annotations

from typing import Any, Final

from replay.glsl import syntax as ast
from replay.glsl.builtins import MAX_COMBINED_TEXTURE_IMAGE_UNITS
from replay.glsl.expression_base import contains
from replay.glsl.geometry_rules import element_of
from replay.glsl.ir import Interpolation, Place
from replay.glsl.layout import layout_fields, layout_of
from replay.glsl.memory_rules import MEMORY_WORDS
from replay.glsl.patch_rules import TESSELLATION_STAGES, PatchRules
from replay.glsl.preprocessor import Preprocessor
from replay.glsl.symbols import BlockInfo, Symbol
from replay.glsl.types import (
    ArrayType,
    Base,
    Field,
    NumericType,
    OpaqueType,
    StructType,
    Type,
    array_of,
    vectors_of,
)
from replay.glsl.versions import brings

__all__ = ["InterfaceRules"]

_INTERPOLATION: Final = {
    "smooth": Interpolation.SMOOTH,
    "flat": Interpolation.FLAT,
    "noperspective": Interpolation.NOPERSPECTIVE,
}
_PLACES: Final = {"centroid": Place.CENTROID, "sample": Place.SAMPLE}
MAX_BLOCK_ARRAY: Final = 64
#: Of desktop contexts; GLES 3.0 asks for 24.
MAX_UNIFORM_BUFFER_BINDINGS: Final = 90
MAX_STORAGE_BUFFER_BINDINGS: Final = 96


def _contains(type: Type, bases: tuple[Base, ...]) -> bool:
    if isinstance(type, ArrayType):
        return _contains(type.element, bases)
    if isinstance(type, StructType):
        return any(_contains(one.type, bases) for one in type.fields)
    return isinstance(type, NumericType) and type.base in bases


class InterfaceRules(PatchRules):
    """Part of the checker; see :class:`replay.glsl.checker.Checker`."""

    def __init__(self, preprocessor: Preprocessor, stage: str) -> None:
        super().__init__(preprocessor, stage)
        self._block_layout = self._storage_layout = "shared"
        self._block_row_major = self._storage_row_major = False

    def storage_class(self, storage: str, qualifiers: ast.Qualifiers) -> str:
        """Map a global's storage qualifier to that of its symbol."""
        if storage == "attribute":
            return "in"
        if storage == "varying":
            return "out" if self.stage == "vertex" else "in"
        if storage in ("in", "out"):
            if not self.version.has("in_out") or self.stage == "compute":
                self.fail(qualifiers.pos, f"'{storage}' is for parameters only in {self._where()}")
            return storage
        if storage == "inout":
            self.fail(qualifiers.pos, "'inout' is for parameters only")
        if storage == "buffer":
            self.fail(qualifiers.pos, "'buffer' variables are members of a block")
        if storage == "shared" and self.stage != "compute":
            self.fail(qualifiers.pos, "shared variables exist in compute shaders only")
        return storage or "local"

    def _where(self) -> str:
        return "compute shaders" if self.stage == "compute" else self.version.name

    def check_interface(self, symbol: Symbol, storage: str, qualifiers: ast.Qualifiers, pos: int) -> None:
        """Check a global variable's qualifiers and type against the rules of its kind."""
        found = symbol.type
        kind = symbol.storage
        words = {word for word, _ in qualifiers.words}
        if storage in ("attribute", "varying"):
            for word in sorted(words & {"layout", *_INTERPOLATION}):
                self.fail(qualifiers.pos, f"'{word}' cannot go with '{storage}'")
        if storage == "attribute" and self.stage != "vertex":
            self.fail(qualifiers.pos, "attributes exist in vertex shaders only")
        is_varying = self._is_varying(kind)
        for word in sorted(words & _PLACES.keys()):
            symbol.place = _PLACES[word]
            if not is_varying:
                self.fail(qualifiers.pos, f"'{word}' is for varyings only")
        for word in sorted(words & _INTERPOLATION.keys()):
            if not is_varying:
                self.fail(qualifiers.pos, f"'{word}' is for varyings only")
            symbol.interpolation = _INTERPOLATION[word]
        if "invariant" in words:
            self._check_invariant(symbol, qualifiers.pos)
            symbol.invariant = True
        symbol.patch = "patch" in words
        if symbol.patch:
            self.check_patch(kind, qualifiers.pos)
        is_per_vertex = self.is_per_vertex(kind, is_patch=symbol.patch)
        if kind == "in" and self.stage == "vertex":
            self._check_attribute(symbol, pos)
        elif kind == "out" and self.stage == "fragment":
            self._check_fragment_output(symbol, pos)
        elif is_varying:
            self._check_varying(symbol, storage, pos)
        if is_per_vertex:
            self.per_vertex(symbol, pos)
            found = symbol.type
        if not self.check_opaque_layout(symbol, qualifiers, pos):
            self._check_layout(symbol, qualifiers)
        is_open = isinstance(found, ArrayType) and not found.length and not is_per_vertex
        if is_open and kind not in ("local", "const") and self.version.es:
            self.fail(pos, "the array needs a size")

    def _is_varying(self, storage: str) -> bool:
        """Whether variables of a storage class go from stage to stage."""
        return (storage == "out" and self.stage in ("vertex", "geometry", *TESSELLATION_STAGES)) or (
            storage == "in" and self.stage in ("geometry", "fragment", *TESSELLATION_STAGES)
        )

    def _check_invariant(self, symbol: Symbol, pos: int) -> None:
        varying_input = (
            symbol.storage == "in" and self.stage == "fragment" and (self.version.legacy or not self.version.es)
        )
        if (symbol.storage != "out" and not varying_input) or symbol.name == "gl_FrontFacing":
            self.fail(pos, f"'{symbol.name}' is no output and cannot be invariant")

    def _check_attribute(self, symbol: Symbol, pos: int) -> None:
        found = symbol.type
        modern = self.version.has("integers")
        if isinstance(found, ArrayType) and (self.version.es or self.version.number < 150):
            self.fail(pos, "a vertex input cannot be an array")
        element = found.element if isinstance(found, ArrayType) else found
        if isinstance(element, (StructType, ArrayType)) or _contains(found, (Base.BOOL,)):
            self.fail(pos, f"a vertex input cannot be {found}")
        if not modern and _contains(found, (Base.INT, Base.UINT)):
            self.fail(pos, f"an attribute must hold floats, not {found}")

    def _check_fragment_output(self, symbol: Symbol, pos: int) -> None:
        found = symbol.type
        element = found.element if isinstance(found, ArrayType) else found
        if isinstance(element, (StructType, ArrayType)) or _contains(element, (Base.BOOL,)):
            self.fail(pos, f"a fragment output cannot be {found}")
        if isinstance(element, NumericType) and element.is_matrix:
            self.fail(pos, "a fragment output cannot be a matrix")

    def _check_varying(self, symbol: Symbol, storage: str, pos: int) -> None:
        is_per_vertex = self.is_per_vertex(symbol.storage, is_patch=symbol.patch)
        found = element_of(symbol.type) if is_per_vertex else symbol.type
        if _contains(found, (Base.BOOL,)):
            self.fail(pos, f"a varying cannot hold {found}")
        if contains(found, lambda one: isinstance(one, StructType)) and not self.version.has("struct_io"):
            self.fail(pos, f"a varying cannot be a structure in {self.version.name}")
        if isinstance(found, ArrayType) and isinstance(found.element, (StructType, ArrayType)) and self.version.es:
            self.fail(pos, "a varying cannot be an array of structures or arrays")
        if isinstance(found, StructType) and self.version.es:
            for member in found.fields:
                if isinstance(member.type, (ArrayType, StructType)):
                    self.fail(pos, "a varying structure cannot hold arrays or structures")
        if _contains(found, (Base.INT, Base.UINT)):
            if not self.version.has("integers"):
                self.fail(pos, f"a varying must hold floats, not {found}")
            needs_flat = self.stage == "fragment" or not self.version.has("smooth_integers")
            needs_flat = needs_flat and self.stage not in ("geometry", *TESSELLATION_STAGES)
            if needs_flat and symbol.interpolation is not Interpolation.FLAT:
                self.fail(pos, f"'{symbol.name}' holds integers and must be flat")

    def _check_layout(self, symbol: Symbol, qualifiers: ast.Qualifiers) -> None:
        """``layout(location = n)`` and the like, where the version has them."""
        if not qualifiers.layout:
            return
        vertex_input = symbol.storage == "in" and self.stage == "vertex"
        color = symbol.storage == "out" and self.stage == "fragment"
        allowed = self.version.has("location") or "GL_ARB_explicit_attrib_location" in self.enabled
        seen: set[str] = set()
        for name, value, pos in qualifiers.layout:
            if name in seen and not self.version.has("repeated_layout"):
                self.fail(pos, f"layout '{name}' is repeated")
            seen.add(name)
            if name == "location" and (vertex_input or color) and allowed:
                # Whether there are so many is a question of linking.
                symbol.location = self._layout_value(name, value, pos)
            elif name == "location" and self._may_have_location(symbol):
                place = self._layout_value(name, value, pos)
                if symbol.storage == "uniform":
                    symbol.location = place
                else:
                    symbol.varying_location = place
            elif name == "binding" and _holds(symbol.type, OpaqueType) and self.version.has("binding"):
                symbol.binding = self._layout_value(name, value, pos)
                if symbol.binding + _elements(symbol.type) > MAX_COMBINED_TEXTURE_IMAGE_UNITS:
                    self.fail(pos, f"there are {MAX_COMBINED_TEXTURE_IMAGE_UNITS} texture units")
            elif name == "index" and color and allowed and not self.version.es:
                symbol.index = self._layout_value(name, value, pos)
                if symbol.index > 1:
                    self.fail(pos, "the index must be 0 or 1")
            else:
                self.fail(pos, f"layout '{name}' has no meaning here")
        if "index" in seen and symbol.location < 0:
            self.fail(qualifiers.pos, "layout index needs a location")

    def _may_have_location(self, symbol: Symbol) -> bool:
        if symbol.storage == "uniform":
            return self.version.has("uniform_location")
        return self._is_varying(symbol.storage) and self.version.has("varying_location")

    # Blocks --------------------------------------------------------------------------------------------------------
    def _block(self, node: ast.BlockDeclaration) -> None:
        qualifiers, pos = node.qualifiers, node.pos
        storage = self._check_qualifiers(qualifiers)
        self._check_block_storage(storage, qualifiers)
        if not self._at_global_scope:
            self.fail(pos, "blocks stand at global scope only")
        memory_words = MEMORY_WORDS if storage == "buffer" else frozenset[str]()
        for word, word_pos in qualifiers.words:
            if word == "patch":
                self.check_patch(storage, word_pos)
            elif word not in (storage, "layout") and word not in memory_words:
                self.fail(word_pos, f"a block cannot be '{word}'")
        is_patch = qualifiers.has("patch")
        if node.name == "gl_PerVertex" and self.is_per_vertex(storage, is_patch=is_patch):
            self.redeclare_per_vertex(node, f"gl_{storage}")
            return
        if node.name == "gl_PerVertex" and storage == "out" and self._is_varying(storage):
            self._per_vertex(node)
            return
        self._check_name(node.name, pos)
        block = BlockInfo(node.name, pos)
        block.instance = node.instance
        block.storage, block.patch = storage, is_patch
        block.access = frozenset(word for word, _ in qualifiers.words) & MEMORY_WORDS
        is_buffer, is_memory = storage == "buffer", storage in ("buffer", "uniform")
        block.layout = self._storage_layout if is_buffer else self._block_layout
        row_major = self._storage_row_major if is_buffer else self._block_row_major
        align = 1
        for name, value, word_pos in qualifiers.layout:
            if name in ("std140", "shared", "packed", *["std430"] * is_buffer) and value is None and is_memory:
                block.layout = name
            elif name in ("row_major", "column_major") and value is None and is_memory:
                row_major = name == "row_major"
            elif name == "binding" and is_memory and self.version.has("binding"):
                block.binding = self._layout_value(name, value, word_pos)
                places = MAX_STORAGE_BUFFER_BINDINGS if is_buffer else MAX_UNIFORM_BUFFER_BINDINGS
                if block.binding >= places:
                    self.fail(word_pos, f"there are {places} places for {storage} blocks")
            elif name == "location" and not is_memory and self._blocks_have_locations:
                block.location = self._layout_value(name, value, word_pos)
            elif name == "align" and is_memory and self.version.has("block_offsets"):
                align = self._alignment(value, word_pos)
            else:
                self.fail(word_pos, f"layout '{name}' has no meaning for a block of '{storage}'")
        own = {"uniform": self.shader.blocks, "buffer": self.shader.storage_blocks}.get(
            storage, self.shader.interface_blocks
        )
        if any(one.name == node.name and one.storage == storage for one in own):
            self.fail(pos, f"block '{node.name}' is declared already")
        known = self.scopes.here(node.name)
        if known is not None and not isinstance(known, BlockName):
            self.fail(pos, f"'{node.name}' is declared already in this scope")
        block.fields = self._block_fields(node, block, row_major, align)
        self.scopes.add(node.name, BlockName(block))
        own.append(block)
        self.check_per_vertex_block(node, block)
        if node.instance:
            self._block_instance(node, block)
        else:
            self._block_members(block, pos)

    @property
    def _blocks_have_locations(self) -> bool:
        return self.version.has("interface_locations") or brings(self.enabled, "interface_locations")

    def _locate_member(self, block: BlockInfo, member: Field, qualifiers: ast.Qualifiers) -> None:
        """Members follow each other from the last location that was given (GLSL ES 3.20 §4.4.1)."""
        for name, value, pos in qualifiers.layout:
            if name == "location":
                block.location = self._layout_value(name, value, pos)
        if block.location >= 0:
            block.locations[member.name] = block.location
            block.location += vectors_of(member.type)

    def _check_block_storage(self, storage: str, qualifiers: ast.Qualifiers) -> None:
        if storage == "uniform":
            allowed = self.version.has("blocks") or "GL_ARB_uniform_buffer_object" in self.enabled
        elif storage == "buffer":
            allowed = self.version.has("storage_blocks")
        else:
            allowed = self._is_varying(storage) and (
                self.version.has("interface_blocks") or brings(self.enabled, "interface_blocks")
            )
        if not allowed:
            shown = f"'{storage}' blocks" if storage else "blocks without a storage qualifier"
            self.fail(qualifiers.pos, f"{shown} do not exist in {self.stage} shaders of {self.version.name}")

    def _per_vertex(self, node: ast.BlockDeclaration) -> None:
        """``out gl_PerVertex { ... };`` names the built-in outputs that the shader wants."""
        if node.instance:
            self.fail(node.instance_pos, "gl_PerVertex of outputs has no instance name")
        for member in node.members:
            base = self.resolve_type_name(member.spec)
            for declarator in member.declarators:
                known = self._builtins.get(declarator.name)
                dims = [*declarator.dims, *member.spec.dims]
                found = self._sized(base, dims, declarator.pos, unsized_ok=True)
                if not isinstance(known, Symbol) or known.storage != "out":
                    self.fail(declarator.pos, f"'{declarator.name}' is no member of gl_PerVertex")
                if isinstance(known.type, ArrayType) and isinstance(found, ArrayType):
                    known.type = found if found.length else known.type
                elif known.type is not found:
                    self.fail(declarator.pos, f"'{declarator.name}' is {known.type}, not {found}")

    def _alignment(self, value: Any, pos: int) -> int:
        align = self._layout_value("align", value, pos)
        if align < 1 or align & (align - 1):
            self.fail(pos, f"layout 'align' is {align}, which is no power of two")
        return align

    def _check_offsets(self, block: BlockInfo, fields: list[Field], places: list[int]) -> None:
        """Offsets are multiples of what members are aligned to, and members don't overlap (GLSL 4.60 §4.4.5)."""
        tight = block.layout == "std430"
        if any(field.offset >= 0 or field.align > 1 for field in fields) and block.layout not in ("std140", "std430"):
            self.fail(places[0], f"offsets of members need std140 or std430, block '{block.name}' has neither")
        end = 0
        for k, (field, pos) in enumerate(zip(fields, places, strict=True)):
            alignment = layout_of(field.type, field.row_major, tight).alignment
            if field.offset >= 0 and (field.offset < end or field.offset % alignment):
                self.fail(
                    pos,
                    f"member '{field.name}' at {field.offset}: what is before ends at {end}, "
                    f"and it is aligned to {alignment}",
                )
            end = layout_fields(tuple(fields[: k + 1]), tight=tight)[1]

    def _block_fields(
        self, node: ast.BlockDeclaration, block: BlockInfo, row_major: bool, align: int
    ) -> tuple[Field, ...]:
        fields: list[Field] = []
        places: list[int] = []
        is_memory, is_buffer = block.storage in ("uniform", "buffer"), block.storage == "buffer"
        has_location = block.location >= 0
        allowed = {"lowp", "mediump", "highp", block.storage}
        allowed |= {"layout"} if is_memory or self._blocks_have_locations else set()
        allowed |= set() if is_memory else {*_PLACES, *_INTERPOLATION}
        allowed |= MEMORY_WORDS if is_buffer else set()

        def check_words(member: ast.Declaration) -> None:
            for word, pos in member.qualifiers.words:
                if word not in allowed:
                    self.fail(pos, f"a member of a block of '{block.storage}' cannot be '{word}'")
            self._check_qualifiers(member.qualifiers, in_block=True)
            for name, value, pos in member.qualifiers.layout:
                if name == "location" and not is_memory and self._blocks_have_locations:
                    continue
                if name in ("offset", "align") and is_memory and self.version.has("block_offsets"):
                    continue
                if name not in ("row_major", "column_major") or value is not None or not is_memory:
                    self.fail(pos, f"layout '{name}' has no meaning for a member of a block")

        for member, declarator, found in self._members(node.members, "a block", check_words, open_end=is_buffer):
            if _holds(found, OpaqueType):
                self.fail(declarator.pos, "a block cannot hold samplers, images or counters")
            precision = self._precision_of(found, member.qualifiers, declarator.pos)
            orders = [name == "row_major" for name, _, _ in member.qualifiers.layout if name.endswith("_major")]
            order, given = orders[-1] if orders else row_major, {"offset": -1, "align": align}
            for name, value, pos in member.qualifiers.layout:
                if name == "align":
                    given[name] = self._alignment(value, pos)
                elif name == "offset":
                    given[name] = self._layout_value(name, value, pos)
            fields.append(Field(declarator.name, found, precision, order, **given))
            places.append(declarator.pos)
            if is_buffer:
                words = [word for word, _ in member.qualifiers.words]
                self.storage_member_access(block, declarator.name, words)
            elif not is_memory:
                self._block_varying(block, declarator, found, member.qualifiers)
                self._locate_member(block, fields[-1], member.qualifiers)
        located = [any(name == "location" for name, _, _ in member.qualifiers.layout) for member in node.members]
        if any(located) and not (all(located) or has_location):
            self.fail(node.pos, f"some members of block '{block.name}' have a location, others have none")
        if is_memory:
            self._check_offsets(block, fields, places)
        return tuple(fields)

    def _block_varying(
        self, block: BlockInfo, declarator: ast.Declarator, found: Type, qualifiers: ast.Qualifiers
    ) -> None:
        """A member of a block of inputs or outputs obeys the rules of varyings."""
        words = [word for word, _ in qualifiers.words]
        interpolation = next((_INTERPOLATION[word] for word in words if word in _INTERPOLATION), None)
        place = next((_PLACES[word] for word in words if word in _PLACES), Place.CENTER)
        block.members[declarator.name] = (interpolation, place)
        varying = Symbol(declarator.name, found, block.storage, declarator.pos)
        varying.interpolation = interpolation
        # A member alone is no array of vertices.
        varying.patch = True
        self._check_varying(varying, block.storage, declarator.pos)

    def _block_instance(self, node: ast.BlockDeclaration, block: BlockInfo) -> None:
        struct: Type = StructType(block.name, block.fields)
        if len(node.dims) > 1:
            self.fail(node.instance_pos, "arrays of arrays of blocks are not supported")
        if node.dims:
            is_per_vertex = self.is_per_vertex(block.storage, is_patch=block.patch)
            found = self._sized(struct, node.dims, node.instance_pos, unsized_ok=is_per_vertex)
            assert isinstance(found, ArrayType)
            block.array = found.length
            if block.array > MAX_BLOCK_ARRAY:
                self.fail(node.instance_pos, f"a block array may have at most {MAX_BLOCK_ARRAY} elements")
            struct = array_of(struct, block.array)
        self._check_name(node.instance, node.instance_pos)
        symbol = Symbol(node.instance, struct, "block", node.instance_pos)
        symbol.is_global = True
        symbol.block = block
        self._add(symbol)
        self._keep_block_symbol(symbol, block)

    def _block_members(self, block: BlockInfo, pos: int) -> None:
        for member in block.fields:
            symbol = Symbol(member.name, member.type, "uniform", pos)
            symbol.is_global = True
            symbol.precision = member.precision
            symbol.block = block
            symbol.member = member.name
            self._add(symbol)
            self._keep_block_symbol(symbol, block)

    def _keep_block_symbol(self, symbol: Symbol, block: BlockInfo) -> None:
        if block.storage in ("uniform", "buffer"):
            self.shader.block_symbols.append(symbol)
            if block.storage == "buffer":
                symbol.storage = "buffer"
                symbol.writable = True
                symbol.access = block.access
            return
        symbol.storage = block.storage
        symbol.writable = block.storage == "out"
        symbol.patch = block.patch
        self.shader.symbols.append(symbol)
        if self.is_per_vertex(block.storage, is_patch=block.patch):
            self.per_vertex(symbol, block.pos)


class BlockName(Type):
    """Meaning of a block's name: it is taken, but names neither a type nor a variable."""

    __slots__ = ("block",)

    def __init__(self, block: BlockInfo) -> None:
        super().__init__(block.name)
        self.block = block


def _elements(type: Type) -> int:
    return type.length if isinstance(type, ArrayType) else 1


def _holds(type: Type, kind: type[Type]) -> bool:
    return contains(type, lambda part: isinstance(part, kind))
