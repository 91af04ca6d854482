"""Lowering of a whole stage: its interface, its globals, its main function."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from replay.glsl import syntax as ast
from replay.glsl.builder import Builder, ProgramTooLargeError
from replay.glsl.declarations import CheckedShader
from replay.glsl.expression_base import contains
from replay.glsl.ir import (
    InputSlot,
    Instr,
    Interpolation,
    OutputSlot,
    Place,
    Region,
    SamplerSlot,
    TessellationLayout,
    UniformArea,
    Variable,
)
from replay.glsl.layout import layout_fields, layout_of
from replay.glsl.lowering.geometry import Emission
from replay.glsl.lowering.interpolants import Interpolants
from replay.glsl.lowering.memory import MemoryPlace
from replay.glsl.lowering.patches import PATCH_NUMBER, PatchMemory, PatchTable, is_in_patch
from replay.glsl.lowering.statements import StatementLowerer
from replay.glsl.lowering.storage import (
    BlockRef,
    InputLeaf,
    Lowered,
    MemoryLeaf,
    Ref,
    SamplerLeaf,
    Store,
    UniformLeaf,
    VariableLeaf,
    build_store,
)
from replay.glsl.lowering.textures import sampler_traits
from replay.glsl.memory import IMAGE_WORDS, MemoryKind, MemorySlot
from replay.glsl.symbols import BlockInfo, Function, Symbol
from replay.glsl.types import (
    COUNTER,
    INT,
    NUMERIC_TYPES,
    ArrayType,
    Base,
    ImageType,
    NumericType,
    OpaqueType,
    SamplerType,
    StructType,
    Type,
    vector,
)

__all__ = ["DESCRIPTOR", "FRAMEBUFFER_HEIGHT", "LoweredStage", "SamplerTable", "lower_stage"]

#: A constant that no program sees: the height that a position is counted from.
FRAMEBUFFER_HEIGHT: Final = "gl_FramebufferHeight"
#: Behind an image's name: its descriptors, uniforms that no program sees.
DESCRIPTOR: Final = "@descriptor"

#: What an image is to a shader that says no format.
_OPEN_FORMATS: Final = {Base.FLOAT: "rgba32f", Base.INT: "rgba32i", Base.UINT: "rgba32ui"}
_BUILTIN_ALIASES: Final = {"gl_FragDepthEXT": "gl_FragDepth", "gl_InstanceIDARB": "gl_InstanceID"}


class SamplerTable:
    """Slots of the program's samplers, given out by name, so that both stages agree."""

    def __init__(self) -> None:
        self.slots: list[SamplerSlot] = []
        self._first: dict[str, int] = {}

    def first(self, name: str, type: SamplerType, count: int, many: bool) -> int:
        """Slot of element 0 of a sampler uniform."""
        known = self._first.get(name)
        if known is None:
            known = self._first[name] = len(self.slots)
            for k in range(count):
                self.slots.append(SamplerSlot(f"{name}[{k}]" if many else name, -1, k, *sampler_traits(type)))
        return known


@dataclass(slots=True)
class LoweredStage:
    """A stage as lowered, before the linker has given out locations.

    Parameters
    ----------
    outputs_of : rows of ``outputs`` by name of the symbol
    inputs_of : rows of ``inputs`` by name of the symbol
    """

    shader: CheckedShader
    body: Region = field(default_factory=Region)
    variables: list[Variable] = field(default_factory=list)
    inputs: list[InputSlot] = field(default_factory=list)
    outputs: list[OutputSlot] = field(default_factory=list)
    uniforms: list[UniformLeaf] = field(default_factory=list)
    areas: list[UniformArea] = field(default_factory=lambda: [UniformArea("", -1, 0)])
    outputs_of: dict[str, list[int]] = field(default_factory=dict)
    inputs_of: dict[str, list[int]] = field(default_factory=dict)
    memories: list[MemorySlot] = field(default_factory=list)
    #: Of a geometry stage: number of emitted vertices.
    emitted: Variable | None = None
    tessellation: TessellationLayout | None = None
    #: (word, used elements) of each uniform leaf in area 0, once the linker has packed it.
    constants: dict[str, tuple[int, set[int]]] = field(default_factory=dict)


class _StageLowerer(StatementLowerer):
    def __init__(
        self, builder: Builder, shader: CheckedShader, samplers: SamplerTable, wanted: Container[str], unrolls: bool
    ) -> None:
        super().__init__(builder, shader.stage == "fragment", unrolls)
        self.out = LoweredStage(shader)
        self.is_short = shader.is_short
        self._samplers = samplers
        self._words = 0
        self._block_areas: dict[BlockInfo, list[int]] = {}
        self._storage_slots: dict[BlockInfo, list[int]] = {}
        self._counter_slots: dict[int, int] = {}
        self._shared_slot = -1
        #: Names of the outputs that somebody reads, of a geometry stage; what it emits.
        self.wanted = wanted
        self._emission: Emission | None = None
        #: Patches that a tessellation stage reads ("in") and writes ("out").
        self._patches: dict[str, PatchMemory] = {}
        self._interpolants: Interpolants | None = None

    def line_of(self, pos: int) -> int:
        """Line of an offset into the source, from 1."""
        source = self.out.shader.source
        return source.place(pos)[2] + 1 if source is not None else 0

    def declare_interface(self, symbol: Symbol) -> Ref | BlockRef:
        """Meaning of a global at its first use."""
        if symbol.block is not None and symbol.block.storage == "uniform":
            return self._block_symbol(symbol)
        if symbol.storage == "buffer":
            return self._storage_symbol(symbol)
        if symbol.storage == "shared":
            return self._shared(symbol)
        if symbol.storage == "uniform":
            make = self._memory_leaves(symbol) if contains(symbol.type, _is_memory) else self._uniform_leaf
            return Ref(build_store(symbol.type, symbol.name, make), symbol.type)
        if symbol.storage in self._patches and is_in_patch(self.out.shader.stage, symbol):
            return self._patches[symbol.storage].place(self.build, symbol)
        if symbol.storage == "in":
            return self._input(symbol)
        if symbol.storage == "out":
            return self._output(symbol)
        # A global variable without initialiser.
        return self.new_storage(symbol.type, symbol.name)

    def _uniform_leaf(
        self, name: str, kind: NumericType | OpaqueType, count: int, many: bool
    ) -> UniformLeaf | SamplerLeaf:
        if isinstance(kind, SamplerType):
            return SamplerLeaf(kind, self._samplers.first(name, kind, count, many), count)
        assert isinstance(kind, NumericType)
        leaf = UniformLeaf(name, kind, count, self._words)
        self._words += 4 * count
        self.out.uniforms.append(leaf)
        return leaf

    def _new_memory(self, name: str, kind: MemoryKind, words: int = 0, element: int = 0) -> int:
        self.out.memories.append(MemorySlot(name, kind, -1, words, element))
        return len(self.out.memories) - 1

    def _memory_leaves(self, symbol: Symbol) -> Callable[[str, NumericType | OpaqueType, int, bool], MemoryLeaf]:
        """What makes the leaves of an image's or a counter's storage."""

        def make(name: str, kind: NumericType | OpaqueType, count: int, many: bool) -> MemoryLeaf:
            assert isinstance(kind, OpaqueType)
            if kind is COUNTER:
                binding = symbol.binding
                if binding not in self._counter_slots:
                    self._counter_slots[binding] = self._new_memory(str(binding), MemoryKind.COUNTERS)
                return MemoryLeaf(kind, [self._counter_slots[binding]] * count, "", symbol.offset // 4, None)
            slots = [self._new_memory(f"{name}[{k}]" if many else name, MemoryKind.IMAGE, 0, k) for k in range(count)]
            for slot in slots:
                self.out.memories[slot].is_open = not symbol.format
            descriptor = self._uniform_leaf(name + DESCRIPTOR, vector(Base.INT, 4), count * IMAGE_WORDS // 4, True)
            assert isinstance(descriptor, UniformLeaf)
            assert isinstance(kind, ImageType)
            return MemoryLeaf(kind, slots, symbol.format or _OPEN_FORMATS[kind.base], 0, descriptor)

        return make

    def _storage_symbol(self, symbol: Symbol) -> MemoryPlace:
        block = symbol.block
        assert block is not None
        slots = self._storage_slots.get(block)
        if slots is None:
            _, size = layout_fields(block.fields, tight=block.layout != "std140")
            names = [f"{block.name}[{k}]" for k in range(block.array)] if block.array else [block.name]
            slots = [self._new_memory(name, MemoryKind.STORAGE, size // 4, k) for k, name in enumerate(names)]
            self._storage_slots[block] = slots
        struct = StructType(block.name, block.fields)
        places = [MemoryPlace(slot, struct, 0, None, False, block.layout != "std140") for slot in slots]
        if symbol.member:
            return places[0].field(symbol.member)
        if block.array:
            self.block_arrays[symbol] = places
        return places[0]

    def _shared(self, symbol: Symbol) -> MemoryPlace:
        if self._shared_slot < 0:
            self._shared_slot = self._new_memory("", MemoryKind.SHARED)
        slot = self.out.memories[self._shared_slot]
        layout = layout_of(symbol.type, tight=True)
        word = -(-4 * slot.words // layout.alignment) * layout.alignment // 4
        slot.words = word + layout.size // 4
        return MemoryPlace(self._shared_slot, symbol.type, word, None, False, True)

    def _block_symbol(self, symbol: Symbol) -> BlockRef:
        block = symbol.block
        assert block is not None
        areas = self._block_areas.get(block)
        if areas is None:
            areas = self._block_areas[block] = []
            _, size = layout_fields(block.fields, tight=block.layout != "std140")
            words = (size + 15) // 16 * 4
            for k in range(max(block.array, 1)):
                name = f"{block.name}[{k}]" if block.array else block.name
                areas.append(len(self.out.areas))
                self.out.areas.append(UniformArea(name, -1, words))
        struct = StructType(block.name, block.fields)
        refs = [BlockRef(area, struct, 0, False, block.layout != "std140") for area in areas]
        if symbol.member:
            return refs[0].field(symbol.member)
        if block.array:
            self.block_arrays[symbol] = refs
        return refs[0]

    def _input(self, symbol: Symbol) -> Ref:
        builtin = _BUILTIN_ALIASES.get(symbol.name, symbol.name) if symbol.builtin else ""
        rows = self.out.inputs_of.setdefault(symbol.name, [])

        def make(name: str, kind: NumericType | OpaqueType, count: int, many: bool) -> InputLeaf:
            assert isinstance(kind, NumericType)
            row = len(self.out.inputs)
            rows.append(row)
            self.out.inputs.append(InputSlot(name, builtin, kind, -1, 0, count, *_interpolation(symbol, name)))
            return InputLeaf(row, kind, count)

        store: Store = build_store(symbol.type, symbol.link_name, make)
        return Ref(store, symbol.type)

    def _output(self, symbol: Symbol) -> Ref:
        builtin = _BUILTIN_ALIASES.get(symbol.name, symbol.name) if symbol.builtin else ""
        rows = self.out.outputs_of.setdefault(symbol.name, [])

        def make(name: str, kind: NumericType | OpaqueType, count: int, many: bool) -> VariableLeaf:
            assert isinstance(kind, NumericType)
            variable = Variable(name, kind, count if many else 0)
            self.variables.append(variable)
            rows.append(len(self.out.outputs))
            self.out.outputs.append(
                OutputSlot(name, builtin, variable, -1, 0, symbol.index, *_interpolation(symbol, name))
            )
            return VariableLeaf(variable, count)

        return Ref(build_store(symbol.type, symbol.link_name, make), symbol.type)

    def interpolated(self, expr: ast.Call, args: list[Instr]) -> Lowered:
        """An interpolant somewhere else in its pixel."""
        if self._interpolants is None:
            self._interpolants = Interpolants(self.build, self.out.inputs)
        return self._interpolants.value(expr.builtin, self.reference(expr.args[0]), args)

    def begin_patches(self, tables: Mapping[str, PatchTable]) -> None:
        """Get ready to read or write patches: find where those of an invocation begin."""
        for storage, table in tables.items():
            name = f"gl_PatchFirst{storage.capitalize()}"
            row = len(self.out.inputs)
            self.out.inputs.append(InputSlot(name, name, INT, -1))
            first = InputLeaf(row, INT, 1).load(self.build, INT, 0, None)
            self._patches[storage] = PatchMemory(table, self._new_memory(storage, MemoryKind.PATCH), first)

    def number_patch(self) -> None:
        """Hand the number of the patch on to the fragment stage."""
        row = len(self.out.inputs)
        self.out.inputs.append(InputSlot(PATCH_NUMBER, PATCH_NUMBER, INT, -1))
        variable = Variable(PATCH_NUMBER, INT)
        self.variables.append(variable)
        self.build.store(variable, InputLeaf(row, INT, 1).load(self.build, INT, 0, None), (0,))
        self.out.outputs.append(OutputSlot(PATCH_NUMBER, "", variable, -1, 0, 0, Interpolation.FLAT, Place.CENTER))

    def begin_emission(self) -> None:
        """Get ready to emit: find the outputs that every emitted vertex has."""
        shader = self.out.shader
        outputs = [symbol for symbol in shader.symbols if symbol.storage == "out" and symbol.used]
        for symbol in outputs:
            self.binding(symbol)
        slot = self._new_memory("", MemoryKind.EMITTED)
        first = len(self.out.inputs)
        self.out.inputs.append(InputSlot("gl_EmittedFirst", "gl_EmittedFirst", INT, -1))
        count = self.out.emitted = Variable("gl_EmittedCount", INT)
        self.variables.append(count)
        kept = [output for output in self.out.outputs if output.builtin or output.name in self.wanted]
        self._emission = Emission(self.build, shader.geometry, slot, InputLeaf(first, INT, 1), count, kept)
        self.out.outputs.append(OutputSlot(count.name, count.name, count, -1))

    def emit_vertex(self) -> None:
        """``EmitVertex()``."""
        assert self._emission is not None
        self._emission.emit_vertex()

    def end_primitive(self) -> None:
        """``EndPrimitive()``."""
        assert self._emission is not None
        self._emission.end_primitive()

    def globals(self, symbols: list[Symbol], position_layout: frozenset[str]) -> None:
        """Initialise global variables in order of declaration, behind a position that counts in its own way."""
        for symbol in symbols:
            if position_layout and symbol.builtin and symbol.name == "gl_FragCoord":
                self.bindings[symbol] = self._position(symbol, position_layout)
            if symbol.storage != "local" or symbol.init is None:
                continue
            value = self.value(symbol.init)
            if symbol.written == 0 and not isinstance(symbol.type, ArrayType):
                self.bindings[symbol] = value
                continue
            storage = self.new_storage(symbol.type, symbol.name)
            self.bindings[symbol] = storage
            storage.store_value(self.build, value)

    def _position(self, symbol: Symbol, layout: frozenset[str]) -> Lowered:
        """Give gl_FragCoord with its origin at the upper left, or with pixel centres at whole numbers."""
        build = self.build
        whole = self._input(symbol).load(build)
        assert isinstance(whole, Instr)
        x, y, z, w = (build.swizzle(whole, (k,)) for k in range(4))
        if "origin_upper_left" in layout:
            height = Ref(build_store(NUMERIC_TYPES["float"], FRAMEBUFFER_HEIGHT, self._uniform_leaf), y.type)
            y = build.op("fsub", cast(Instr, height.load(build)), y)
        if "pixel_center_integer" in layout:
            x, y = (build.op("fsub", value, build.float_constant(0.5)) for value in (x, y))
        return build.vec([x, y, z, w])


def _is_memory(type: Type) -> bool:
    return isinstance(type, ImageType) or type is COUNTER


def _interpolation(symbol: Symbol, leaf: str) -> tuple[Interpolation, Place]:
    """Interpolation of a leaf of an input or output, and where in a pixel."""
    given, place = symbol.interpolation, symbol.place
    if symbol.block is not None:
        given, place = symbol.block.members[leaf.split(".")[1]]
    return given or Interpolation.SMOOTH, place


def lower_stage(
    shader: CheckedShader,
    samplers: SamplerTable,
    wanted: Container[str] = (),
    patches: Mapping[str, PatchTable] | None = None,
) -> LoweredStage:
    """Lower a checked shader that has a main function; one that unrolled loops make too large keeps its loops.

    Parameters
    ----------
    wanted : names of the outputs that somebody reads, of a geometry or tessellation evaluation shader
    patches : variables of the patches that a tessellation shader reads ("in") and writes ("out")

    Raises
    ------
    ProgramTooLargeError : inlining gave too many instructions
    """
    assert shader.main is not None
    lowerer = _StageLowerer(Builder(), shader, samplers, wanted, unrolls=True)
    try:
        return _lower(lowerer, shader, shader.main, patches or {})
    except ProgramTooLargeError:
        if not lowerer.unrolled:
            raise
    again = _StageLowerer(Builder(), shader, samplers, wanted, unrolls=False)
    return _lower(again, shader, shader.main, patches or {})


def _lower(
    lowerer: _StageLowerer, shader: CheckedShader, main: Function, patches: Mapping[str, PatchTable]
) -> LoweredStage:
    lowerer.begin_patches(patches)
    if shader.stage == "tess_evaluation" and PATCH_NUMBER in lowerer.wanted:
        lowerer.number_patch()
    if shader.stage == "geometry":
        lowerer.begin_emission()
    lowerer.globals(shader.symbols, shader.position_layout)
    lowerer.main(main)
    out = lowerer.out
    out.body = lowerer.build.finish()
    out.variables = lowerer.variables
    out.areas[0].words = lowerer._words
    return out
