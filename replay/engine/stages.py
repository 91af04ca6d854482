"""Compiled shader stages, bound to the constants and textures of one draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine.paths import PathBook
from replay.engine.programs import LinkedProgram
from replay.glsl.execution import DEFAULT_LOOP_BUDGET
from replay.glsl.llvm.abi import ARGUMENTS, LANES, QUADS
from replay.glsl.llvm.options import StageOptions
from replay.glsl.llvm.record_memory import RecordMemory
from replay.glsl.llvm.stage import LlvmStage, StageArguments, StageFacts
from replay.texture.binding import Binding
from traceformat.guards import guards
from traceformat.kernels import cache_root

if TYPE_CHECKING:
    from replay.engine.constants import StageConstants
    from replay.glsl.ir import StageIR
    from replay.glsl.llvm.stage_layout import StageLayout

__all__ = [
    "BoundTextures",
    "LaneMemory",
    "StageCode",
    "StageRun",
    "aligned",
    "bind_stage",
    "loop_budget",
]

_ALIGNMENT: Final = 64
(
    _AREAS, _DESCRIPTORS, _LOOP_BUDGET, _INPUTS, _INPUT_STRIDE, _OUTPUTS, _OUTPUT_STRIDE, _COVERAGE, _PATH_HASH,
    _PLANES, _PLANE_STRIDE,
) = (
    (ARGUMENTS.names or ()).index(name)
    for name in (
        "areas", "descriptors", "loop_budget", "inputs", "input_stride", "outputs", "output_stride", "coverage",
        "path_hash", "planes", "plane_stride",
    )
)  # fmt: skip
_NUM_FIELDS: Final = len(ARGUMENTS.names or ())


def aligned(rows: int, lanes: int) -> NDArray[np.float32]:
    """Array of (rows, lanes) float32, rows on 64-byte boundaries, content undefined."""
    width = -(-lanes // LANES) * LANES
    raw = np.empty(max(rows, 1) * width * 4 + _ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % _ALIGNMENT
    return raw[start : start + max(rows, 1) * width * 4].view(np.float32).reshape(max(rows, 1), width)


def _rows_of(memory: NDArray[np.float32], rows: int, lanes: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Rows as of :func:`aligned` in memory that is used again, and that memory, larger if it had to be."""
    width = -(-lanes // LANES) * LANES
    size = max(rows, 1) * width
    if len(memory) < size:
        memory = aligned(1, 2 * size).reshape(-1)
    return memory, memory[:size].reshape(max(rows, 1), width)


class LaneMemory:
    """Argument record, texture accesses and output rows of one thread."""

    def __init__(self) -> None:
        self.arguments = StageArguments()
        self.record = RecordMemory()
        self._outputs = aligned(4, 1024)

        self._vertex_outputs = aligned(4, 1024).reshape(-1)
        self._vertex_inputs = aligned(4, 1024).reshape(-1)

    def vertex_outputs(self, rows: int, lanes: int) -> NDArray[np.float32]:
        """Output rows of the vertex stage, content undefined; valid until asked for again."""
        self._vertex_outputs, found = _rows_of(self._vertex_outputs, rows, lanes)
        return found

    def vertex_inputs(self, rows: int, lanes: int) -> NDArray[np.float32]:
        """Input rows of the vertex stage, content undefined; valid until asked for again."""
        self._vertex_inputs, found = _rows_of(self._vertex_inputs, rows, lanes)
        return found

    def outputs(self, rows: int, lanes: int) -> NDArray[np.float32]:
        """Output rows, content undefined."""
        if self._outputs.shape[0] < rows or self._outputs.shape[1] < lanes:
            self._outputs = aligned(max(rows, self._outputs.shape[0]), max(lanes, self._outputs.shape[1]))
        return self._outputs


@dataclass(slots=True, eq=False)
class _Variant:
    """Stages compiled for one set of sampler keys, by their options."""

    ir: StageIR
    keys: tuple[Any, ...]
    facts: StageFacts
    compiled: dict[StageOptions, LlvmStage] = field(default_factory=dict)

    def get(self, options: StageOptions) -> LlvmStage:
        """The stage for these options, compiled when first asked for."""
        stage = self.compiled.get(options)
        if stage is None:
            emitter = _emitter() if self.ir.textures else None
            stage = LlvmStage(self.ir, self.keys, options, emitter, cache_root() / "shaders", self.facts)
            self.compiled[options] = stage
        return stage


@cache
def _emitter() -> Any:
    from replay.texture.emit import SamplerEmitter

    return SamplerEmitter()


class BoundTextures:
    """Bindings of a program's sampler slots, and the code that was made for them.

    Attributes
    ----------
    bindings : texture of each sampler slot
    table, address : pointers to their descriptors, and where they lie
    codes : code of stages by name and options
    """

    __slots__ = ("address", "bindings", "codes", "table")

    def __init__(self, bindings: list[Binding]) -> None:
        self.bindings = bindings
        self.table = np.array([binding.pointer for binding in bindings] or [0], np.uint64)
        self.address = int(self.table.ctypes.data)
        self.codes: dict[tuple[str, StageOptions], StageCode] = {}


@dataclass(slots=True, eq=False)
class StageCode:
    """A stage's code for one set of sampler keys and options; what does not differ between draws.

    Parameters
    ----------
    layout : where inputs and outputs lie
    variant : compiled code
    options : variant that is run
    book : numbers the stage's paths
    """

    ir: StageIR
    layout: StageLayout
    variant: _Variant
    options: StageOptions
    book: PathBook
    _stage: LlvmStage | None = None

    @property
    def stage(self) -> LlvmStage:
        """The compiled stage."""
        if self._stage is None:
            self._stage = self.variant.get(self.options)
        return self._stage


#: Code of a program's stage by keys of the samplers that it uses, and options.
_Codes = dict[tuple[tuple[Any, ...], StageOptions], StageCode]


@dataclass(slots=True)
class StageRun:
    """A stage, ready to run for one draw.

    Parameters
    ----------
    code : the stage's code
    constants : of the draw
    bound : bindings and descriptors of the draw's textures
    budget : loop iterations of each group of fragments, see :func:`loop_budget`
    """

    code: StageCode
    constants: StageConstants
    bound: BoundTextures
    budget: int = DEFAULT_LOOP_BUDGET
    #: Words of each memory of the stage.
    memories: Sequence[NDArray[np.int32]] = ()
    #: Copies of them as the draw found them, for what is executed once more.
    _before: Sequence[NDArray[np.int32]] = ()
    _vertex_inputs: NDArray[np.float32] | None = None
    _log_memory: NDArray[np.uint32] | None = None

    @property
    def ir(self) -> StageIR:
        """The stage's IR."""
        return self.code.ir

    @property
    def layout(self) -> StageLayout:
        """Where inputs and outputs lie."""
        return self.code.layout

    @property
    def variant(self) -> _Variant:
        """Compiled code for these textures."""
        return self.code.variant

    @property
    def options(self) -> StageOptions:
        """Variant that is run."""
        return self.code.options

    @property
    def book(self) -> PathBook:
        """Numbers the stage's paths."""
        return self.code.book

    @property
    def is_compiled(self) -> bool:
        """Whether there is machine code for the stage."""
        return True

    @property
    def stage(self) -> LlvmStage:
        """The compiled stage."""
        return self.code.stage

    @property
    def num_output_rows(self) -> int:
        """Rows of the outputs."""
        return self.code.layout.num_output_rows

    @property
    def is_positional(self) -> bool:
        """Whether results depend on more than inputs, constants and textures: position or explicit derivatives."""
        return self.ir.reads_position or self.ir.uses_derivatives or self.ir.reaches_memory

    def _arguments(self, arguments: StageArguments) -> StageArguments:
        """Point to areas and descriptors; what the tables point to lives as long as this object."""
        arguments.bind(areas=self.constants.table, descriptors=self.bound.table)
        if self.memories:
            arguments.bind_memories(self.memories)
        return arguments

    def reach(self, memories: Sequence[NDArray[np.int32]], *, is_logged: bool) -> None:
        """Give the stage its memories; ``is_logged``: paths may be asked for, which execute it once more."""
        self.memories = memories
        self._before = [memory.copy() for memory in memories] if is_logged else ()

    # ------------------------------------------------------------------ fragments
    def template(self, planes: int, planes_base: int) -> NDArray[np.uint64]:
        """Argument record with all that is the same for every chunk of a draw; valid while this and planes live.

        Parameters
        ----------
        planes : address of the plane equations
        planes_base : primitive number of their first row
        """
        record = np.zeros(_NUM_FIELDS, np.uint64)
        stride = 4 * self.code.layout.num_plane_words
        record[_AREAS] = self.constants.address
        record[_DESCRIPTORS] = self.bound.address
        record[_PLANES] = planes - planes_base * stride
        record[_PLANE_STRIDE] = stride
        record[_LOOP_BUDGET] = self.budget
        return record

    def run_quads(
        self,
        lanes: LaneMemory,
        num_groups: int,
        outputs: NDArray[np.float32],
        pointers: dict[str, NDArray[Any]],
        planes: NDArray[np.float32],
        planes_base: int,
    ) -> None:
        """Shade quads.

        Parameters
        ----------
        lanes : its record holds the texture accesses afterwards, if they are recorded
        pointers : coverage, survives, quad_primitive, quad_x, quad_y; seen, path_hash where wanted
        planes, planes_base : plane equations, and the primitive number of their first row
        """
        arguments = self._arguments(lanes.arguments)
        arguments.bind(outputs=outputs, planes=planes, **pointers)
        stride = planes.strides[0]
        # Quads name their primitive by its row in the frame; the equations begin with the draw's first one.
        arguments.set(planes=planes.ctypes.data - planes_base * stride)
        arguments.set(loop_budget=self.budget)
        found = [memory.copy() for memory in self.memories] if self.options.record_textures else []
        while True:
            if self.options.record_textures:
                lanes.record.begin(QUADS * num_groups)
                arguments.bind(record=lanes.record.row.data)
            self.code.stage.run(arguments, num_groups)
            if not self.options.record_textures or lanes.record.has_room():
                return
            for memory, content in zip(self.memories, found, strict=True):
                memory[...] = content

    def log_quads(
        self, quads: dict[str, NDArray[Any]], planes: NDArray[np.float32], planes_base: int, capacity: int
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Execute quads (whole groups) once more and log their steps: (quads, capacity) and their numbers.

        The log is there until the next one.
        """
        count = len(quads["coverage"])
        options = StageOptions(interpolate=True, path_log=True, **_sampling(self.options))
        log = self._log_of(count, capacity)
        counts = np.zeros(count, np.uint32)
        survives = np.empty(count, np.uint8)
        arguments = self._arguments(StageArguments())
        arguments.bind(
            outputs=aligned(self.num_output_rows, 4 * count),
            planes=planes,
            coverage=quads["coverage"],
            survives=survives,
            quad_primitive=quads["emitted"],
            quad_x=quads["x"],
            quad_y=quads["y"],
            log=log,
            log_counts=counts,
        )
        if self.options.multisampled:
            arguments.bind(quad_samples=quads["raster_samples"])
        arguments.bind_memories(self._memories_again())
        arguments.set(planes=planes.ctypes.data - planes_base * planes.strides[0], log_capacity=capacity)
        self.variant.get(options).run(arguments, count // QUADS)
        return log, counts

    # ------------------------------------------------------------------ vertices
    def run_vertices(
        self, lanes: LaneMemory, inputs: NDArray[np.float32], count: int, budget: int = 0
    ) -> tuple[NDArray[np.float32], NDArray[np.uint64] | None]:
        """Shade vertices: outputs (rows, lanes), and path hashes where paths differ.

        Parameters
        ----------
        inputs : (rows, lanes) with room for whole groups
        count : vertices
        budget : loop iterations of each group, see :func:`loop_budget`; 0: those of a draw of so many vertices
        """
        groups = -(-count // LANES)
        stage = self.code.stage
        outputs = lanes.vertex_outputs(self.code.layout.num_output_rows, groups * LANES)
        hashes = np.empty(groups * LANES, np.uint64) if self.options.path_hash else None
        coverage = _vertex_coverage(count, groups)
        arguments = lanes.arguments
        record = arguments.record
        record[_AREAS] = self.constants.address
        record[_DESCRIPTORS] = self.bound.address
        record[_LOOP_BUDGET] = budget or loop_budget(groups)
        record[_INPUTS] = inputs.ctypes.data
        record[_INPUT_STRIDE] = inputs.strides[0]
        record[_OUTPUTS] = outputs.ctypes.data
        record[_OUTPUT_STRIDE] = outputs.strides[0]
        record[_COVERAGE] = coverage.ctypes.data
        if hashes is not None:
            record[_PATH_HASH] = hashes.ctypes.data
        if self.memories:
            arguments.bind_memories(self.memories)
        stage.run(arguments, groups)
        self._vertex_inputs = inputs
        return outputs, hashes

    def log_vertices(self, rows: NDArray[np.int64], capacity: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Execute some of the last vertices once more and log their steps; as :meth:`log_quads`."""
        assert self._vertex_inputs is not None
        count = len(rows)
        groups = -(-count // LANES)
        inputs = aligned(self._vertex_inputs.shape[0], groups * LANES)
        inputs[:, :count] = self._vertex_inputs[:, rows]
        log = self._log_of(groups * LANES, capacity)
        counts = np.zeros(groups * LANES, np.uint32)
        arguments = self._arguments(StageArguments())
        arguments.bind(
            outputs=aligned(self.num_output_rows, groups * LANES),
            inputs=inputs,
            coverage=_vertex_coverage(count, groups),
            log=log,
            log_counts=counts,
        )
        arguments.bind_memories(self._memories_again())
        arguments.set(log_capacity=capacity)
        self.variant.get(StageOptions(path_log=True)).run(arguments, groups)
        return log, counts

    def _log_of(self, units: int, capacity: int) -> NDArray[np.uint32]:
        """Memory of a log, content undefined: the same as the last time, fresh pages cost more than what they take."""
        if self._log_memory is None or len(self._log_memory) < units * capacity:
            self._log_memory = np.empty(units * capacity, np.uint32)
        return self._log_memory[: units * capacity].reshape(units, capacity)

    def _memories_again(self) -> list[NDArray[np.int32]]:
        """Memories for what is executed once more, which has had its effects: copies, or nothing."""
        if self._before:
            return [memory.copy() for memory in self._before]
        return [np.zeros(0, np.int32) for _ in self.ir.memories]


def _sampling(options: StageOptions) -> dict[str, bool]:
    """What a variant knows of samples."""
    return {name: getattr(options, name) for name in ("multisampled", "per_sample", "moves_inputs", "from_top")}


def loop_budget(groups: int) -> int:
    """Loop iterations that each of a draw's groups may spend, so that a draw ends in bounded time."""
    limits = guards()
    return max(min(limits.loop_iterations, limits.draw_iterations // max(groups, 1)), 1)


@lru_cache(256)
def _vertex_coverage(count: int, groups: int) -> NDArray[np.uint8]:
    """Which lanes exist, four bits a byte."""
    coverage = np.full(QUADS * groups, 15, np.uint8)
    full, rest = divmod(count, 4)
    coverage[full:] = 0
    if rest:
        coverage[full] = (1 << rest) - 1
    return coverage


@cache
def _without_hashes(options: StageOptions) -> StageOptions:
    return options._replace(path_hash=False)


def bind_stage(program: LinkedProgram, name: str, options: StageOptions, bound: BoundTextures) -> StageCode:
    """Find a stage's code for textures and options, compiled when first asked for.

    Parameters
    ----------
    program : linked program
    name : "vertex" or "fragment"
    options : what the run is to record; path hashes are left out where the path follows from the coverage
    bound : textures of the draw, which keep what was found
    """
    known = bound.codes.get((name, options))
    if known is not None:
        return known
    ir = program.stage(name)
    assert ir is not None
    facts = program.facts(name)
    if name not in program.stages:
        program.stages[name] = (PathBook(ir), {}, {})
    derived: tuple[PathBook, dict[tuple[Any, ...], _Variant], _Codes] = program.stages[name]
    book, variants, codes = derived
    used = sorted({texture.lookup.slot for texture in ir.textures})
    keys = tuple(bound.bindings[slot].key for slot in used)
    variant = variants.get(keys)
    if variant is None:
        all_keys = tuple(binding.key for binding in bound.bindings)
        variant = variants[keys] = _Variant(ir, all_keys, facts)
    wanted = _without_hashes(options) if options.path_hash and book.is_straight else options
    found = codes.get((keys, wanted))
    if found is None:
        found = codes[keys, wanted] = StageCode(ir, facts.layout, variant, wanted, book)
    bound.codes[name, options] = found
    return found
