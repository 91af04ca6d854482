"""Programs: from the compiler's view of a linked program to the tracker's, and to what a draw needs.

The tracker keeps uniforms packed (``Executable.constants``); shaders read them from constant areas in which every
element starts at four words. The gather that leads from one to the other is made once per link.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from replay.engine.constants import Gather, GatherPair, StageConstants, StageValues
from replay.glsl.llvm.stage import StageFacts
from replay.glsl.program import GRAPHICS_STAGES
from traceformat.gles import enums as gl
from traceformat.gles.objects import Executable, UniformSlot
from traceformat.gles.state import Context
from traceformat.gputrace.frametrace import InstructionKind

if TYPE_CHECKING:
    from replay.engine.paths import PathBook
    from replay.glsl.compiler import Program
    from replay.glsl.ir import StageIR

__all__ = ["LinkedProgram"]

_UNIT: Final = struct.Struct("<I")
#: What a program leaves to another replay beside its stages: none of it knows buffers or textures.
_LEFT: Final = ("front", "outputs")
_UNCHANGED: Final[frozenset[int]] = frozenset()
_DEPTH_RANGE: Final = ("gl_DepthRange.near", "gl_DepthRange.far", "gl_DepthRange.diff")


#: Of each block of a stage: buffer, offset, size and version of its contents; None where there is no buffer.
_Blocks: TypeAlias = tuple[tuple[int, int, int, int] | None, ...]


def _blocks(ir: StageIR, context: Context, executable: Executable) -> _Blocks:
    """What lies in a stage's uniform blocks."""
    found: list[tuple[int, int, int, int] | None] = []
    for area in ir.areas[1:]:
        binding = executable.block_bindings[area.block]
        bound = context.uniform_buffers[binding] if binding < len(context.uniform_buffers) else None
        buffer = bound.buffer if bound is not None else None
        if bound is None or buffer is None:
            found.append(None)
        else:
            found.append((buffer.serial, bound.offset, bound.size, buffer.version))
    return tuple(found)


class Instructions(NamedTuple):
    """Instructions of a stage.

    Parameters
    ----------
    counts : of each block, uint32
    kinds, textures, lines : of all, uint8, int16, uint32
    num_alu, num_tex : computations, texture accesses
    """

    counts: NDArray[np.uint32]
    kinds: NDArray[np.uint8]
    textures: NDArray[np.int16]
    lines: NDArray[np.uint32]
    num_alu: int
    num_tex: int


#: Texture target of each sampler dimension: (without, with array layers).
_TARGETS: Final[dict[str, tuple[int, int]]] = {
    "1D": (gl.GL_TEXTURE_1D, gl.GL_TEXTURE_1D_ARRAY),
    "2D": (gl.GL_TEXTURE_2D, gl.GL_TEXTURE_2D_ARRAY),
    "3D": (gl.GL_TEXTURE_3D, gl.GL_TEXTURE_3D),
    "cube": (gl.GL_TEXTURE_CUBE_MAP, gl.GL_TEXTURE_CUBE_MAP_ARRAY),
    "rect": (gl.GL_TEXTURE_RECTANGLE, gl.GL_TEXTURE_RECTANGLE),
    "buffer": (gl.GL_TEXTURE_BUFFER, gl.GL_TEXTURE_BUFFER),
    "2DMS": (gl.GL_TEXTURE_2D_MULTISAMPLE, gl.GL_TEXTURE_2D_MULTISAMPLE_ARRAY),
    "external": (gl.GL_TEXTURE_EXTERNAL_OES, gl.GL_TEXTURE_EXTERNAL_OES),
}


@dataclass(slots=True, eq=False)
class LinkedProgram:
    """``Executable.backing``: a linked program and what the engine derived from it.

    Parameters
    ----------
    program : from the compiler; ``ok``
    code_addresses : of each stage in the modelled memory
    is_smooth : a copy that draws smooth lines, see :mod:`replay.engine.smooth_lines`
    left_as : under what it is left to another replay (:mod:`replay.engine.left`), None where it is not
    """

    program: Program
    code_addresses: dict[str, int]
    is_smooth: bool = False
    left_as: object = None
    _gathers: dict[str, Gather] = field(default_factory=dict)
    _pair: GatherPair | None = None
    #: Compiled stages, by whatever they are specialised for.
    stages: dict[Any, Any] = field(default_factory=dict)
    #: Version of each uniform block's buffer at the last draw.
    block_versions: dict[tuple[str, int], tuple[int, int, int]] = field(default_factory=dict)
    #: Sets of textures that the program was drawn with, see :class:`~replay.engine.draw_records.BoundProgram`.
    bounds: dict[tuple[Any, ...], Any] = field(default_factory=dict)
    #: Textures of them, and whether a copy of what one holds is bound.
    held: dict[Any, bool] = field(default_factory=dict)
    #: The same sets by the state of the context that they were found with.
    recent: dict[tuple[Any, ...], Any] = field(default_factory=dict)
    #: Fixed-function states that it was drawn with, see :class:`~replay.engine.fixed_state.KnownState`.
    states: dict[tuple[Any, ...], Any] = field(default_factory=dict)
    #: Constants of the last draw by stage, with the executable, the framebuffer's height if that is one of them, and
    #: what lay in uniform blocks.
    _constants: dict[str, tuple[Executable, int, _Blocks, StageConstants]] = field(default_factory=dict)
    #: Constants of all stages, where a draw that finds nothing changed has the same.
    _settled: tuple[Executable, int, dict[str, StageConstants]] | None = None
    #: The packed constants as they were last copied: of which executable, in which version.
    _packed: tuple[Executable | None, int, bytes] = (None, -1, b"")
    #: Members of gl_DepthRange that the program reads: slot, and which member.
    _depth_range: list[tuple[UniformSlot, int]] | None = None
    #: Constants of all stages that were made of packed ones last: of which copy.
    _gathered: tuple[bytes, dict[str, StageConstants]] | None = None
    #: Where the units of sampler slots lie in the packed constants of an executable.
    _unit_places: tuple[Executable, list[int]] | None = None
    #: Stages that there are.
    stage_names: tuple[str, ...] = field(init=False)
    #: Texture target of each sampler slot.
    samplers: tuple[int, ...] = field(init=False)
    #: Whether a stage of its draws reads or writes storage, images or counters; whether one may write there.
    reaches_memory: bool = field(init=False)
    writes_memory: bool = field(init=False)
    #: Whether a stage in front of the fragment stage may write there.
    writes_before_fragments: bool = field(init=False)
    #: Whether a geometry stage says which layer primitives go to.
    writes_layer: bool = field(init=False)
    #: Whether the constants of all stages follow from the packed ones alone.
    is_gathered: bool = field(init=False)

    def __post_init__(self) -> None:
        stages = {name: self.stage(name) for name in GRAPHICS_STAGES}
        present = {name: ir for name, ir in stages.items() if ir is not None}
        self.stage_names = tuple(present)
        self.samplers = tuple(_TARGETS[each.dimension.value][each.is_array] for each in self.program.samplers)
        self.reaches_memory = any(ir.reaches_memory for ir in present.values())
        self.writes_memory = any(ir.writes_memory for ir in present.values())
        self.writes_before_fragments = any(ir.writes_memory for name, ir in present.items() if name != "fragment")
        geometry = present.get("geometry")
        self.writes_layer = geometry is not None and any(
            output.builtin == "gl_Layer" and output.static_write for output in geometry.outputs
        )
        self.is_gathered = self.program.reflection.framebuffer_height < 0 and all(
            len(ir.areas) <= 1 for ir in present.values()
        )

    def forget(self) -> None:
        """Let go of what was kept from draw to draw; it refers back to the program, and to the replay."""
        self.bounds.clear()
        self.held.clear()
        self.recent.clear()
        self.block_versions.clear()
        self._constants.clear()
        self._gathers.clear()
        self._settled = self._gathered = self._unit_places = None
        self._packed = (None, -1, b"")
        for book in self._books():
            book.forget_frame()
        if self.left_as is None:
            self.states.clear()
            return
        for state in self.states.values():
            # Whoever makes them has the engine get ready for lines.
            state.state.setups.clear()
        own = (*self.stage_names, *_LEFT)
        # What has two names follows from a stage alone.
        self.stages = {key: value for key, value in self.stages.items() if type(key) is tuple or key in own}

    @property
    def num_steps(self) -> int:
        """Steps of the paths that are known of its stages."""
        return sum([book.num_steps for book in self._books()])

    def _books(self) -> list[PathBook]:
        return [self.stages[name][0] for name in self.stage_names if name in self.stages]

    def stage(self, name: str) -> StageIR | None:
        """IR of a stage."""
        found: StageIR | None = getattr(self.program, name)
        return found

    def facts(self, stage: str) -> StageFacts:
        """What follows from a stage's IR."""
        known: StageFacts | None = self.stages.get(("facts", stage))
        if known is None:
            ir = self.stage(stage)
            assert ir is not None
            known = self.stages["facts", stage] = StageFacts(ir, self.program.fingerprints.get(stage, ""))
        return known

    def instructions(self, stage: str) -> Instructions:
        """What a stage consists of."""
        known: Instructions | None = self.stages.get(("instructions", stage))
        if known is None:
            ir = self.stage(stage)
            assert ir is not None
            both = [pair for block in ir.blocks for pair in block.kinds]
            counts = np.array([len(block.kinds) for block in ir.blocks], np.uint32)
            lines = np.array([line for block in ir.blocks for line in block.lines], np.uint32)
            textures = np.array([texture for _, texture in both], np.int16)
            kinds = [int(kind) for kind, _ in both]
            num_alu = sum(kind in (InstructionKind.ALU, InstructionKind.TRANSCENDENTAL) for kind in kinds)
            num_tex = sum(kind == InstructionKind.TEXTURE for kind in kinds)
            known = Instructions(counts, np.array(kinds, np.uint8), textures, lines, num_alu, num_tex)
            self.stages["instructions", stage] = known
        return known

    def num_blocks(self, stage: str) -> int:
        """Blocks of a stage, those without an instruction included."""
        known: int | None = self.stages.get(("blocks", stage))
        if known is None:
            known = self.stages["blocks", stage] = len(self.instructions(stage).counts)
        return known

    def registers(self, stage: str) -> int:
        """Registers that a stage needs."""
        known: int | None = self.stages.get(("registers", stage))
        if known is None:
            ir = self.stage(stage)
            assert ir is not None
            from replay.glsl.registers import count_registers

            known = self.stages["registers", stage] = count_registers(ir)
        return known

    def gather(self, stage: str, executable: Executable) -> Gather:
        """How the constants of a stage follow from the packed ones."""
        found = self._gathers.get(stage)
        if found is not None:
            return found
        ir = self.stage(stage)
        assert ir is not None
        area: list[int] = []
        source: list[int] = []
        owner: list[int] = []
        for slot in executable.slots:
            uniform = self.program.reflection.uniforms[slot.index]
            offset: int = getattr(uniform, f"{stage}_offset")
            if uniform.is_sampler or uniform.is_image or uniform.block >= 0 or offset < 0:
                continue
            kind: Any = uniform.type
            for element in range(uniform.size):
                first, at = offset + 4 * kind.columns * element, (slot.offset + element * slot.element_bytes) // 4
                for column in range(first, first + 4 * kind.columns, 4):
                    area += range(column, column + kind.rows)
                source += range(at, at + kind.columns * kind.rows)
            owner += [slot.index] * (uniform.size * kind.columns * kind.rows)
        size = max(ir.areas[0].words if ir.areas else 0, max(area, default=-1) + 1)
        places = [np.array(part, np.int64) for part in (area, source, owner)]
        num_uniforms = len(self.program.reflection.uniforms)
        found = Gather(size, places[0], places[1], places[2], frozenset(owner), num_uniforms)
        self._gathers[stage] = found
        return found

    def pair(self, executable: Executable) -> GatherPair:
        """How the constants of both stages follow from the packed ones, of a program with no others."""
        if self._pair is None:
            self._pair = GatherPair(self.gather("vertex", executable), self.gather("fragment", executable))
        return self._pair

    def refresh_builtins(self, context: Context, executable: Executable) -> None:
        """Write state that shaders read as uniforms, gl_DepthRange, to the program's constants."""
        if self._depth_range is None:
            self._depth_range = [
                (slot, _DEPTH_RANGE.index(slot.uniform.name))
                for slot in executable.slots
                if slot.uniform.name in _DEPTH_RANGE
            ]
        near, far = context.depth_range
        for slot, member in self._depth_range:
            value = struct.pack("<f", (near, far, far - near)[member])
            if executable.constants[slot.offset : slot.offset + 4] != value:
                executable.constants[slot.offset : slot.offset + 4] = value
                executable.changed.add(slot.index)
                executable.version += 1

    def draw_constants(self, context: Context, executable: Executable, height: int) -> dict[str, StageConstants]:
        """The constants of all stages for a draw, see :meth:`constants`."""
        if self.is_gathered:
            return self.gathered_constants(executable, *self.packed_constants(context, executable))
        if self._depth_range is None or self._depth_range:
            self.refresh_builtins(context, executable)
        settled = self._settled
        if settled is not None and not executable.changed and settled[0] is executable and settled[1] == height:
            return settled[2]
        found = {stage: self.constants(stage, context, executable, height) for stage in self.stage_names}
        new_bytes = sum([constants.new_bytes for constants in found.values()])
        # Stages whose constants lie in buffers are looked at each time.
        is_settled = not new_bytes and not any(known[2] for known in self._constants.values())
        self._settled = (executable, height, found) if is_settled else None
        return found

    def pass_over(self, context: Context, executable: Executable, height: int) -> None:
        """Have a draw find the constants that nobody looks at: of these it only matters which are new afterwards."""
        if not self.is_gathered:
            self.draw_constants(context, executable, height)
        elif self._depth_range is None or self._depth_range:
            self.refresh_builtins(context, executable)
        if executable.changed:
            executable.changed.clear()

    def packed_constants(self, context: Context, executable: Executable) -> tuple[bytes, frozenset[int]]:
        """A copy of the packed constants, the same one until they change, and the uniforms that have changed since the
        last draw.
        """
        if self._depth_range is None or self._depth_range:
            self.refresh_builtins(context, executable)
        known, version, packed = self._packed
        if known is not executable or version != executable.version:
            packed = bytes(executable.constants)
            self._packed = executable, executable.version, packed
        changed = executable.changed
        return packed, frozenset(changed) if changed else _UNCHANGED

    def gathered_constants(
        self, executable: Executable, packed: bytes, changed: frozenset[int]
    ) -> dict[str, StageConstants]:
        """The constants of all stages as they follow from a copy of the packed ones, see :attr:`is_gathered`."""
        known = self._gathered[1] if self._gathered is not None and self._gathered[0] is packed else None
        if known is not None and not changed and not any([stage.new_bytes for stage in known.values()]):
            return known
        found = {}
        for stage in self.stage_names:
            gather = self.gather(stage, executable)
            values = known[stage].values if known is not None else StageValues(gather, packed)
            found[stage] = StageConstants(values, *gather.flags(changed))
        self._gathered = packed, found
        return found

    def constants(self, stage: str, context: Context, executable: Executable, height: int) -> StageConstants:
        """The constants of a stage as they are now; those of the last draw if nothing has changed them.

        ``height`` is the framebuffer's.
        """
        seen = height if self.program.reflection.framebuffer_height >= 0 else 0
        known = self._constants.get(stage)
        ir = self.stage(stage)
        assert ir is not None
        blocks = _blocks(ir, context, executable) if len(ir.areas) > 1 else ()
        # What has changed since the last draw of the program may belong to the other stage.
        is_same = known is not None and known[0] is executable and known[1] == seen and known[2] == blocks
        if known is not None and is_same and self._gathers[stage].owners.isdisjoint(executable.changed):
            constants = known[3]
            if constants.new_bytes:
                constants = constants.again()
                self._constants[stage] = (executable, seen, blocks, constants)
            return constants
        constants = self._collect(stage, context, executable, height)
        self._constants[stage] = (executable, seen, blocks, constants)
        return constants

    def _collect(self, stage: str, context: Context, executable: Executable, height: int) -> StageConstants:
        ir = self.stage(stage)
        assert ir is not None
        gather = self.gather(stage, executable)
        changed = executable.changed
        is_new, new_bytes = gather.flags(frozenset(changed))
        place = self.program.reflection.framebuffer_height
        if len(ir.areas) <= 1 and not (stage == "fragment" and place >= 0):
            packed, _ = self.packed_constants(context, executable)
            return StageConstants(StageValues(gather, packed), is_new, new_bytes)
        words = gather.words(executable.constants)
        area0 = gather.fill(words)
        areas = [area0]
        parts = [words]
        fresh = [is_new]
        if stage == "fragment" and place >= 0:
            # Its position counts from the upper edge.
            area0[place] = np.float32(height).view(np.uint32)
            parts.append(area0[place : place + 1])
            fresh.append(np.zeros(1, np.uint8))
        for number, description in enumerate(ir.areas[1:], 1):
            block = description.block
            binding = executable.block_bindings[block]
            bound = context.uniform_buffers[binding] if binding < len(context.uniform_buffers) else None
            data = np.zeros(max(description.words, 1), np.uint32)
            version = (-1, 0, 0)
            if bound is not None and bound.buffer is not None:
                store = bound.buffer.store
                end = len(store) if bound.size == 0 else min(bound.offset + bound.size, len(store))
                count = max(min((end - bound.offset) // 4, len(data)), 0)
                if count:
                    data[:count] = np.frombuffer(store, np.uint32, count, bound.offset)
                version = (bound.buffer.serial, bound.offset, bound.buffer.version)
            is_changed = self.block_versions.get((stage, number)) != version
            self.block_versions[stage, number] = version
            areas.append(data)
            parts.append(data[: description.words])
            fresh.append(np.full(description.words, is_changed, np.uint8))
        is_new = np.concatenate(fresh)
        values = StageValues(gather, None, areas, np.concatenate(parts))
        return StageConstants(values, is_new, 4 * int(np.count_nonzero(is_new)))

    def sampler_units(self, executable: Executable) -> list[int]:
        """Texture unit of each sampler slot."""
        known = self._unit_places
        if known is None or known[0] is not executable:
            places = {slot.index: (slot.offset, slot.element_bytes) for slot in executable.slots}
            found = [
                places[sampler.uniform][0] + sampler.element * places[sampler.uniform][1]
                for sampler in self.program.samplers
            ]
            known = self._unit_places = executable, found
        constants = executable.constants
        return [_UNIT.unpack_from(constants, place)[0] for place in known[1]]
