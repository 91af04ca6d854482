"""One draw: from the tracker's state to vertices, primitives, quads and pixels."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine import geometry as geo
from replay.engine.batch import DrawBatch, QueuedPaths
from replay.engine.columns import ColumnPool
from replay.engine.draw_records import (
    BoundProgram,
    index_place,
    record_draw,
    sampler_identity,
)
from replay.engine.fixed_state import FixedState, fixed_key, fixed_state
from replay.engine.fragment_job import FragmentJob, can_run
from replay.engine.fragments import JOB_CHUNK_QUADS, FragmentDraw, Scratch, run_fragments
from replay.engine.front import FrontEnd, ProgramFront, Vertices, address_of
from replay.engine.input_cache import CachedStream, InputCache
from replay.engine.output import ColorOutput, OutputState
from replay.engine.pipeline import Pipeline
from replay.engine.programs import TARGETS, LinkedProgram, StageConstants
from replay.engine.recorder import FrameRecorder, stable_hash
from replay.engine.stages import (
    LANES,
    BoundTextures,
    LaneMemory,
    StageCode,
    StageRun,
    aligned,
    bind_stage,
    loop_budget,
)
from replay.engine.targets import Targets
from replay.engine.varyings import location_map
from replay.engine.vertex_fetch import Stream, fetch_attribute, native_fields
from replay.engine.vertex_source import FetchPlace, VertexSource, find_source, record_fetches
from replay.glsl.llvm.options import StageOptions
from replay.texture.binding import Binding, Rules, bind, unbound
from replay.texture.storage import TextureMemory
from traceformat.frametrace import MAX_COLOR_ATTACHMENTS, DrawFlags
from traceformat.gles import enums as gl
from traceformat.gles import formats as client_formats
from traceformat.gles.backend import DrawCall
from traceformat.gles.formats import source_bytes
from traceformat.gles.objects import Executable, ProgramObject, Query, Sampling, Texture
from traceformat.gles.state import Changes, Context

__all__ = ["DrawPipeline", "ShadedVertices"]

#: Fixed-function states and sets of textures that are kept.
_MAX_STATES: Final = 1024
_MAX_BOUNDS: Final = 256
#: Rows that are known when the batch is done.
_LATER: Final = (0, 0)
#: Quads of a draw from which on two threads share it.
_SHARED_QUADS: Final = 4 * JOB_CHUNK_QUADS
_OCCLUSION: Final = (gl.GL_ANY_SAMPLES_PASSED, gl.GL_ANY_SAMPLES_PASSED_CONSERVATIVE, gl.GL_SAMPLES_PASSED)


@dataclass(slots=True, frozen=True)
class ShadedVertices:
    """What the vertex stage made of one draw; arrays are valid until the next draw.

    Parameters
    ----------
    call : number of the draw call
    stream : its vertices
    geometry : its primitives, as rows of ``stream.lane``
    clip : (N, 4) float32 clip coordinates of each lane
    vertex, outputs : the stage and all its outputs, (rows, lanes) float32
    """

    call: int
    stream: Stream
    geometry: geo.Geometry
    clip: NDArray[np.float32]
    vertex: StageRun
    outputs: NDArray[np.float32]


class _Plan:
    """What queued draws of one program with its textures and fixed-function state have in common.

    Attributes are fields of the draw's record (:mod:`replay.engine.kernels.batch`), and what it needs in memory.
    """

    __slots__ = (
        "book", "depth_bits", "ends", "fixed", "fragment", "fragment_rows", "fragment_stage", "input_rows",
        "num_attributes", "output_rows", "point_sizes", "program", "quads", "stage_bytes", "vertex_book",
        "vertex_stage",
    )  # fmt: skip

    def __init__(
        self, linked: LinkedProgram, fixed: FixedState, vertex: StageCode, fragment: StageCode, *, wants_paths: bool
    ) -> None:
        front = ProgramFront.of(linked)
        assert front.varyings is not None
        self.fixed, self.fragment = fixed, fragment
        #: Of the last draw that is done.
        self.quads = 0
        self.vertex_book, self.book = vertex.book, fragment.book
        self.vertex_stage, self.fragment_stage = vertex.stage.address, fragment.stage.address
        self.input_rows, self.output_rows = front.input_rows, front.fields[0]
        self.num_attributes = front.varyings.num_attributes
        self.fragment_rows = fragment.layout.num_output_rows
        self.stage_bytes = max(vertex.layout.scratch_bytes, fragment.layout.scratch_bytes)
        self.point_sizes, self.depth_bits = fixed.point_sizes_at, fixed.depth_bits
        self.program = front.fields_at[fixed.reads_size]
        is_straight = self.book.is_straight
        self.ends = (
            fixed.merge_at,
            fixed.record,
            fixed.tests_early,
            bool(fixed.outputs),
            self.book.straight_at if wants_paths and is_straight else 0,
            wants_paths and not is_straight,
        )


@dataclass(slots=True)
class DrawPipeline:
    """Executes draws.

    What draws need of the state is kept from one to the next, as long as no call may have changed it
    (:class:`~traceformat.gles.state.Changes`).

    Parameters
    ----------
    memory : textures
    recorder : the frame in progress
    pool : memory for temporary columns
    workers : second thread, or None
    """

    memory: TextureMemory
    recorder: FrameRecorder
    pool: ColumnPool
    workers: Executor | None
    lanes: LaneMemory = field(default_factory=LaneMemory)
    scratch: list[Scratch] = field(default_factory=list)
    inputs: InputCache = field(default_factory=InputCache)
    #: Shaders run in the NumPy executor.
    is_reference: bool = False
    #: Shaders or textures were loaded since the last draw.
    reloaded: bool = False
    #: Is shown what the vertex stage made of each draw.
    vertex_observer: Callable[[ShadedVertices], None] | None = None
    pipeline: Pipeline = field(init=False)
    front: FrontEnd = field(init=False)
    vertex_options: StageOptions = field(init=False)
    _context: Context | None = None
    _targets: Targets | None = None
    _fixed: FixedState | None = None
    _bound: BoundProgram | None = None
    _source: VertexSource | None = None
    _source_of: LinkedProgram | None = None
    _from_window: bool = False
    #: Programs that were drawn with, by identity: what they keep refers back to them.
    _used: dict[int, LinkedProgram] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.pipeline = Pipeline(has_thread=self.workers is not None)
        self.recorder.passes.drain = self.memory.before_move = self.pipeline.drain
        for table in (self.recorder.tables.vertices, self.recorder.tables.primitives, self.recorder.tables.quads):
            table.before_growth = self.pipeline.wait
        self.front = FrontEnd(self.recorder.tables, self.pool)
        self.vertex_options = StageOptions(path_hash=self.recorder.wants_paths)

    def close(self) -> None:
        """End the second thread, and let go of what holds each other: memory is free when the engine is."""
        self.pipeline.close()
        self.recorder.passes.drain = self.memory.before_move = None
        for table in (self.recorder.tables.vertices, self.recorder.tables.primitives, self.recorder.tables.quads):
            table.before_growth = None
        for linked in self._used.values():
            linked.forget()
        self._bound = self._source = self._source_of = None

    def execute(self, context: Context, call: DrawCall, targets: Targets) -> None:
        """Execute one validated draw into ``targets``."""
        program = context.program
        if program is None or program.executable is None or call.count <= 0 or call.instances <= 0:
            return
        executable = program.executable
        linked: LinkedProgram = executable.backing
        if linked.program.vertex is None:
            return
        recorder, tables = self.recorder, self.recorder.tables
        fixed, bound, source, vertex_code = self._state(context, targets, linked, program, executable)
        linked.refresh_builtins(context, executable)
        constants = {
            stage: linked.constants(stage, context, executable, targets.height) for stage in linked.stage_names
        }
        rows = {stage: recorder.program_row(linked, stage, program.name, program.link_count) for stage in constants}
        if fixed.is_simple and self._can_wait(context, vertex_code) and not self._is_shared(fixed, bound):
            place = source.place(context)
            if place is not None:
                self._queue(context, call, targets, fixed, bound, source, place, constants, rows)
                return
        if self.pipeline.has_batches:
            self.pipeline.drain()
        cached = self.inputs.stream(context, call)
        stream = cached.stream
        vertex = self._run_of(vertex_code, constants["vertex"], bound)
        fetch_first = len(recorder.fetches)
        inputs = self._fetch(context, call, cached, vertex, source)
        vertices = self._shade(context, call, vertex, inputs, len(stream.lane_index), rows["vertex"], targets)
        if recorder.is_recording:
            record_fetches(recorder, context, source)
        fell_back = vertex.book.fell_back
        front = ProgramFront.of(linked)
        draw = len(recorder.draws)
        vertex_first = tables.vertices.num_rows
        setup = self._setup(context, targets, call.mode, fixed)  # held until the front end has read it
        geometry = self.front.prepare(
            front,
            setup[1],
            fixed.point_sizes_at,
            call.mode,
            stream,
            vertices,
            draw,
            has_fragments=fixed.has_fragments,
            rasterizes=self.rasterizes(targets),
            multisampled=targets.samples > 1,
            depth_bits=fixed.depth_bits,
            reads_size=fixed.reads_size,
            first_provokes=fixed.first_provokes,
        )
        if self.vertex_observer is not None:
            clip = self.front.clip(len(stream.lane_index))
            self.vertex_observer(ShadedVertices(context.call_number, stream, geometry, clip, vertex, vertices.outputs))
        self._count_primitives(context, call, stream, linked, vertex, vertices, geometry)
        query = None
        if context.current_queries:
            query = next((context.current_queries[t] for t in _OCCLUSION if t in context.current_queries), None)
        num_attributes = 1
        fragment = None
        is_job = False
        if fixed.has_fragments:
            assert front.varyings is not None
            num_attributes = front.varyings.num_attributes
            fragment = self.rasterize(
                context, targets, linked, bound, geometry, fixed, constants["fragment"], rows["fragment"]
            )
            if fragment is not None:
                is_job = recorder.is_recording and can_run(fragment, tables)
                if not is_job:
                    passed = self.run_fragments(fragment)
                    fell_back |= fragment.run.book.fell_back
                    if query is not None:
                        query.backing = (query.backing or 0) + passed
        if recorder.is_recording:
            colors: list[int] = []
            if fragment is not None and fragment.color_first:
                colors = [0] * MAX_COLOR_ATTACHMENTS
                for output, first in zip(fixed.outputs, fragment.color_first, strict=True):
                    colors[output.buffer] = first
            flags = DrawFlags.RELOADED.value if self.reloaded else 0
            if fell_back:
                flags |= DrawFlags.PATHS_FALLBACK.value
            row = record_draw(
                recorder,
                context,
                call,
                fixed,
                bound,
                source,
                constants,
                rows,
                (geometry.primitive_first, geometry.primitive_count),
                (geometry.emitted_first, geometry.emitted_count),
                (geometry.quad_first, geometry.quad_count),
                (vertex_first if recorder.wants_vertices else 0, len(stream.index)),
                num_attributes,
                fetch_first,
                flags,
                colors,
                is_counted=query is not None,
            )
            if is_job and fragment is not None:
                if bound.plan is not None:
                    bound.plan.quads = geometry.quad_count
                self._submit(FragmentJob(fragment, tables, recorder.draws, row), query)
        if executable.changed:
            executable.changed.clear()
        self.reloaded = False
        recorder.passes.draw(draw, context.call_number, fixed.rect, bound.present)
        recorder.end_draw()

    def _can_wait(self, context: Context, code: StageCode) -> bool:
        """Whether the draw may be executed later, and a batch can make all that it makes."""
        quads = self.recorder.tables.quads
        return (
            self.waits
            and self.vertex_observer is None
            and not self.is_reference
            and not context.current_queries
            and not context.transform_feedback.active
            and code.book.is_straight
            and (context.is_gles or gl.GL_CLIP_DISTANCE0 not in context.enabled)
            and not ("sample_coverage" in quads or "identity_excluded" in quads or "shader_depth" in quads)
        )

    def _is_shared(self, fixed: FixedState, bound: BoundProgram) -> bool:
        """Whether two threads had better shade the draw together; a batch has one."""
        plan: _Plan | None = bound.plan
        if self.workers is None or plan is None or plan.fixed is not fixed:
            return False
        return plan.quads > _SHARED_QUADS or plan.book.has_loops

    def _new_batch(self) -> DrawBatch:
        return DrawBatch(self.recorder.tables, self.recorder.draws, self.front)

    def _plan(self, linked: LinkedProgram, fixed: FixedState, bound: BoundProgram) -> _Plan:
        """What queued draws of one program with its textures and fixed-function state have in common."""
        plan: _Plan | None = bound.plan
        if plan is None or plan.fixed is not fixed:
            vertex = bind_stage(linked, "vertex", self.vertex_options, bound.bound)
            fragment = bind_stage(linked, "fragment", fixed.options, bound.bound)
            plan = bound.plan = _Plan(linked, fixed, vertex, fragment, wants_paths=self.recorder.wants_paths)
        return plan

    def _queue(
        self,
        context: Context,
        call: DrawCall,
        targets: Targets,
        fixed: FixedState,
        bound: BoundProgram,
        source: VertexSource,
        place: FetchPlace,
        constants: dict[str, StageConstants],
        rows: dict[str, tuple[int, int]],
    ) -> None:
        """Have a draw executed later, together with others."""
        recorder, tables, pipeline = self.recorder, self.recorder.tables, self.pipeline
        stream = self.inputs.stream(context, call).stream
        plan = self._plan(bound.linked, fixed, bound)
        path = 0
        paths: QueuedPaths | None = None
        if recorder.wants_paths:
            frame = recorder.paths
            plan.vertex_book.begin_draw(frame, *rows["vertex"])
            path = plan.vertex_book.straight_vertex_path(pipeline.drain)
            plan.book.begin_draw(frame, *rows["fragment"])
            paths = QueuedPaths(
                plan.book, (frame, *rows["fragment"]), plan.fragment, constants["fragment"], bound.bound
            )
        fetch_first = len(recorder.fetches)
        index_bytes, index_address = index_place(recorder, context, call)
        record_fetches(recorder, context, source)
        stores = []
        for buffer, _ in source.stores:
            buffer.before_write = pipeline.drain
            stores.append(buffer.store)
        mode = call.mode
        count = geo.num_primitives(mode, stream)
        num_rows, lanes = len(stream.index), len(stream.lane_index)
        vertex_first = tables.vertices.reserve(num_rows) if tables.vertices.has_columns else 0
        primitive_first = tables.primitives.reserve(count)
        setup = self._setup(context, targets, mode, fixed)
        draw = len(recorder.draws)
        vertex, fragment = constants["vertex"], constants["fragment"]
        pipeline.batch(self._new_batch).add(
            (
                plan.vertex_stage,
                vertex.address,
                bound.bound.address,
                place.address,
                place.count,
                call.base_instance,
                plan.input_rows,
                *stream.lanes_at,
                *stream.fields,
                draw,
                vertex_first,
                primitive_first,
                count,
                index_bytes,
                index_address,
                path,
                mode == gl.GL_POINTS,
                mode,
                setup[1],
                plan.point_sizes,
                plan.depth_bits,
                plan.program,
                plan.fragment_stage,
                fragment.address,
                *plan.ends,
            ),
            draw,
            paths,
            (vertex, fragment, bound, place, stores, stream, fixed, setup, targets),
            plan,
            num_rows,
            lanes,
            count,
        )
        record_draw(
            recorder,
            context,
            call,
            fixed,
            bound,
            source,
            constants,
            rows,
            (primitive_first, count),
            _LATER,
            _LATER,
            (vertex_first if recorder.wants_vertices else 0, num_rows),
            plan.num_attributes,
            fetch_first,
            DrawFlags.RELOADED.value if self.reloaded else 0,
            [],
            is_counted=False,
        )
        changed = bound.executable.changed
        if changed:
            changed.clear()
        self.reloaded = False
        recorder.passes.draw(draw, context.call_number, fixed.rect, bound.present)
        if plan.book.has_loops:
            pipeline.drain()  # it may have to be stopped

    def _count_primitives(
        self,
        context: Context,
        call: DrawCall,
        stream: Stream,
        linked: LinkedProgram,
        vertex: StageRun,
        vertices: Vertices,
        geometry: geo.Geometry,
    ) -> None:
        """Capture primitives and count them, where the program asks for it."""
        if context.transform_feedback.active and not context.transform_feedback.paused:
            from replay.engine.feedback import capture

            rows_of = vertex.layout.output_rows
            capture(context, call.mode, stream, linked, rows_of, vertices.outputs, geometry.primitives)
            context.changes.bits |= Changes.VERTEX
        generated = context.current_queries.get(gl.GL_PRIMITIVES_GENERATED)
        if generated is not None:
            generated.backing = (generated.backing or 0) + geometry.primitive_count

    def _submit(self, job: FragmentJob, query: Query | None) -> None:
        """Have the fragments shaded; at once if the program waits for their number, or may have to be stopped."""
        if job.num_quads == 0:
            return
        self.pipeline.submit(job)
        if query is not None or job.draw.run.book.has_loops:
            self.pipeline.drain()
            if query is not None:
                query.backing = (query.backing or 0) + job.passed

    # ------------------------------------------------------------------ state
    def _state(
        self,
        context: Context,
        targets: Targets,
        linked: LinkedProgram,
        program: ProgramObject,
        executable: Executable,
    ) -> tuple[FixedState, BoundProgram, VertexSource, StageCode]:
        """What the draw needs of the state; looked up anew only where something may have changed."""
        bits = context.changes.bits
        if context is not self._context:
            bits = Changes.ALL
        bound, source = self._bound, self._source
        is_same = bound is not None and bound.linked is linked and bound.program is program
        fixed = self._fixed
        if fixed is None or bits & Changes.FIXED or not is_same or targets is not self._targets:
            fixed = self._fixed = self._find_fixed(context, targets, linked)
        # Desktop GL enables seamless cube maps for all textures at once.
        touches = Changes.TEXTURES if context.is_gles else Changes.TEXTURES | Changes.FIXED
        from_window = targets.framebuffer.name == 0
        if bound is None or bits & touches or not is_same or from_window != self._from_window:
            bound = self._bound = self._bind_textures(context, linked, program, executable, from_window=from_window)
            self._from_window = from_window
        code = bind_stage(linked, "vertex", self.vertex_options, bound.bound)
        if source is None or bits & Changes.VERTEX or linked is not self._source_of:
            source = self._source = find_source(context, linked, code, _locations(linked, executable))
            self._source_of = linked
        self._context, self._targets = context, targets
        context.changes.bits = 0
        return fixed, bound, source, code

    def _find_fixed(self, context: Context, targets: Targets, linked: LinkedProgram) -> FixedState:
        key = (linked, *fixed_key(context, len(targets.colors)))
        found: FixedState | None = targets.states.get(key)
        if found is None:
            if len(targets.states) >= _MAX_STATES:
                targets.states.clear()
            found = targets.states[key] = fixed_state(context, targets, linked, self.recorder)
        return found

    def _setup(self, context: Context, targets: Targets, mode: int, fixed: FixedState) -> tuple[NDArray[Any], int]:
        """Set-up state, and where it lies."""
        found = fixed.setups.get(mode)
        if found is None:
            row = self.setup_state(context, targets, mode)
            # Seen as bytes: the interface of a structured array is slow to make.
            found = (row, address_of(row.view(np.uint8)))
            if self.keeps_setup:
                fixed.setups[mode] = found
        return found

    def _bind_textures(
        self,
        context: Context,
        linked: LinkedProgram,
        program: ProgramObject,
        executable: Executable,
        *,
        from_window: bool,
    ) -> BoundProgram:
        units = linked.sampler_units(executable) if linked.program.samplers else []
        textures: list[Texture | None] = []
        samplings: list[Sampling | None] = []
        bindings: list[Binding] = []
        parts: list[Any] = [program]
        rules = _rules(
            context.is_gles or gl.GL_TEXTURE_CUBE_MAP_SEAMLESS in context.enabled,
            not context.is_gles and context.config.profile != 1,
            context.is_gles,
            from_window,
        )
        for sampler, number in zip(linked.program.samplers, units, strict=True):
            texture: Texture | None = None
            sampling: Sampling | None = None
            binding = unbound()
            if number < len(context.units):
                unit = context.units[number]
                target = TARGETS[sampler.dimension.value][1 if sampler.is_array else 0]
                texture = unit.textures.get(target)
                if texture is not None:
                    sampling = unit.sampler.state if unit.sampler is not None else texture.sampling
                    binding = bind(self.memory, texture, sampling, rules)
            textures.append(texture)
            samplings.append(sampling)
            bindings.append(binding)
            parts += (number, texture, binding)
        # Bindings follow from texture, sampler state and rules, but where the texture is incomplete.
        key = tuple(parts)
        is_complete = all(binding.complete for binding in bindings)
        known: BoundProgram | None = linked.bounds.get(key) if is_complete else None
        if known is None or known.executable is not executable:
            known = BoundProgram(linked, program, executable, BoundTextures(bindings), units, textures, samplings)
            if is_complete:
                # Texels of deleted textures are not to stay in memory.
                for old in [k for k, b in linked.bounds.items() if any(t.deleted for t in b.present)]:
                    del linked.bounds[old]
                if len(linked.bounds) >= _MAX_BOUNDS:
                    linked.bounds.clear()
                linked.bounds[key] = known
            self._used[id(linked)] = linked
        return known

    # What follows is what a machine with another rasterizer does otherwise (:mod:`replay.handheld.pipeline`).
    #: Whether draws may be executed later than they are made.
    waits: ClassVar[bool] = True
    #: Whether set-up state follows from the fixed-function state alone.
    keeps_setup: ClassVar[bool] = True

    def setup_state(self, context: Context, targets: Targets, mode: int) -> NDArray[Any]:
        """Primitive set-up state of a draw, one row of SETUP_DTYPE."""
        return geo.setup_state(context, targets, mode)

    def rasterizes(self, targets: Targets) -> bool:
        """Whether the front end rasterizes, with one sample a pixel."""
        return targets.samples == 1

    def rasterize(
        self,
        context: Context,
        targets: Targets,
        linked: LinkedProgram,
        bound: BoundProgram,
        geometry: geo.Geometry,
        fixed: FixedState,
        constants: StageConstants,
        row: tuple[int, int],
    ) -> FragmentDraw | None:
        """Prepare the fragment stage of a draw, rasterized unless it is multisampled; None: nothing to shade."""
        quads = self.recorder.tables.quads
        if targets.samples > 1:
            quads.include("sample_coverage", "sample_depth")
            geo.rasterize_samples(geometry, fixed.depth_bits, fixed.sample_mask, self.recorder.tables)
        elif "sample_coverage" in quads:
            for key in ("sample_coverage", "sample_depth"):
                quads[key][geometry.quad_first : geometry.quad_first + geometry.quad_count] = 0
        if geometry.quad_count == 0 and not self.recorder.wants_colors:
            return None
        fragment = self.fragment_draw(targets, linked, bound, geometry, fixed, fixed.outputs, constants, row)
        fragment.color_first = self._reserve_colors(fixed.outputs, geometry)
        fragment.run.budget = loop_budget(geometry.quad_count // 2)
        return fragment

    def run_fragments(self, fragment: FragmentDraw) -> int:
        """Shade and merge a draw's quads; returns the number of fragments that passed."""
        self.pipeline.drain()
        return run_fragments(fragment, self.recorder.tables, self._scratch(), self.workers)

    def _run_of(self, code: StageCode, constants: StageConstants, bound: BoundProgram) -> StageRun:
        if self.is_reference:
            from replay.engine.reference_run import ReferenceRun

            return ReferenceRun(code, constants, bound.bound)
        return StageRun(code, constants, bound.bound)

    def _scratch(self) -> list[Scratch]:
        while len(self.scratch) < (2 if self.workers is not None else 1):
            self.scratch.append(Scratch())
        return self.scratch

    # ------------------------------------------------------------------ vertices
    def _fetch(
        self, context: Context, call: DrawCall, cached: CachedStream, stage: StageRun, source: VertexSource
    ) -> NDArray[np.float32]:
        """Inputs of the vertex stage, (rows, lanes); taken from an earlier draw where they cannot differ."""
        values = source.key(context)
        key = (values, call.base_instance) if values is not None else None
        known = cached.inputs.get(key) if key is not None else None
        if known is not None:
            return known
        attribs, generics = context.vertex_array.attribs, context.generic_attribs
        stream = cached.stream
        count = len(stream.lane_index)
        lanes = -(-max(count, 1) // LANES) * LANES
        # What is not kept lives until the next draw.
        room = aligned if key is not None else self.lanes.vertex_inputs
        inputs = room(stage.layout.num_input_rows, lanes)
        inputs[...] = 0.0
        for slot, first in zip(stage.ir.inputs, stage.layout.input_rows, strict=True):
            if slot.builtin == "gl_VertexID":
                inputs.view(np.int32)[first, :count] = stream.lane_index
            elif slot.builtin == "gl_InstanceID":
                inputs.view(np.int32)[first, :count] = stream.lane_instance
        native = []
        for location, first, component, width in source.rows:
            if not 0 <= location < len(attribs):
                continue
            fields = native_fields(attribs[location], first, component, width)
            if fields is not None:
                native.append(fields)
                continue
            scratch = aligned(4, lanes)
            fetch_attribute(
                attribs[location],
                generics[location],
                stream.lane_index,
                stream.lane_instance,
                call.base_instance,
                scratch,
            )
            inputs[first : first + width] = scratch[component : component + width]
        if native:
            self._fetch_native(native, stream, call.base_instance, inputs)
        if key is not None:
            if len(cached.inputs) >= 4:
                cached.inputs.clear()  # buffers that change under the same indices
            cached.inputs[key] = inputs
        return inputs

    @staticmethod
    def _fetch_native(
        native: list[tuple[int, ...]], stream: Stream, base_instance: int, inputs: NDArray[np.float32]
    ) -> None:
        from replay.engine.kernels.fetch import fetch_attributes

        fields = np.array(native, np.int64)
        bits = inputs.view(np.int32)
        fetch_attributes(fields, stream.lane_index, stream.lane_instance, base_instance, inputs, bits)

    def _shade(
        self,
        context: Context,
        call: DrawCall,
        stage: StageRun,
        inputs: NDArray[np.float32],
        count: int,
        row: tuple[int, int],
        targets: Targets,
    ) -> Vertices:
        """Run the vertex stage over all lanes."""
        outputs, hashes = stage.run_vertices(self.lanes, inputs, count)
        paths, path = None, 0
        if self.recorder.wants_paths:
            book = stage.book
            book.begin_draw(self.recorder.paths, *row)
            if book.is_straight:
                path = book.straight_vertex_path(self.pipeline.drain)
            else:
                paths = book.number_vertices(stage, hashes, count, self.pipeline.drain)
        size, address = index_place(self.recorder, context, call)
        distances = self._clip_distances(context, stage, outputs, count)
        return Vertices(outputs, paths, path, distances, size, address)

    @staticmethod
    def _clip_distances(
        context: Context, vertex: StageRun, outputs: NDArray[np.float32], count: int
    ) -> NDArray[np.float32] | None:
        """Values of gl_ClipDistance that are enabled (desktop GL): (N, D)."""
        if context.is_gles:
            return None
        rows = []
        for slot, first in zip(vertex.ir.outputs, vertex.layout.output_rows, strict=True):
            if slot.builtin == "gl_ClipDistance":
                length = max(slot.variable.length, 1)
                rows += [first + k for k in range(length) if gl.GL_CLIP_DISTANCE0 + k in context.enabled]
        if not rows:
            return None
        found = np.zeros((max(count, 1), len(rows)), np.float32)
        for k, row in enumerate(rows):
            found[:count, k] = outputs[row, :count]
        return found

    # ------------------------------------------------------------------ fragments
    def _reserve_colors(self, outputs: list[ColorOutput], geometry: geo.Geometry) -> list[int]:
        if not self.recorder.wants_colors:
            return []
        table = self.recorder.tables.color_data
        sizes = [
            source_bytes(client_formats.FORMATS[out.surface.format.internal], converts=out.linear) for out in outputs
        ]
        return [table.reserve(4 * geometry.quad_count * size) for size in sizes]

    def fragment_draw(
        self,
        targets: Targets,
        linked: LinkedProgram,
        bound: BoundProgram,
        geometry: geo.Geometry,
        fixed: FixedState,
        outputs: list[ColorOutput],
        constants: StageConstants,
        row: tuple[int, int],
    ) -> FragmentDraw:
        """Bind the fragment stage of a draw."""
        recorder = self.recorder
        run = self._run_of(bind_stage(linked, "fragment", fixed.options, bound.bound), constants, bound)
        if not self.is_reference:
            run.code.stage  # noqa: B018 - compiled here, before two threads ask for it
        seed = 0
        if recorder.wants_identity:
            textures = [
                (texture.serial, texture.version, texture.state_version, sampler_identity(sampling))
                if texture is not None and sampling is not None
                else None
                for texture, sampling in zip(bound.textures, bound.samplings, strict=True)
            ]
            words = constants.words.tobytes()
            seed = stable_hash((bound.program.serial, bound.program.link_count, words, textures))
        state = OutputState(
            targets,
            fixed.test,
            geometry.emitted_first,
            geometry.fronts,
            outputs,
            fixed.depth_row >= 0,
            fixed.alpha_row,
            fixed.merge,
        )
        return FragmentDraw(
            geometry,
            run,
            run.book if recorder.wants_paths else None,
            (recorder.paths, *row),
            geometry.planes,
            state,
            fixed.depth_row,
            seed,
            [],
            fixed.record,
            recorder.wants_identity,
            fixed.tests_early,
            not recorder.is_recording,
        )


def _locations(linked: LinkedProgram, executable: Executable) -> dict[int, int]:
    found: dict[int, int] | None = linked.stages.get("locations")
    if found is None:
        found = linked.stages["locations"] = location_map(linked, executable)
    return found


@cache
def _rules(seamless: bool, is_luminance: bool, is_unsized_luminance: bool, from_upper: bool) -> Rules:
    return Rules(
        seamless_cubes=seamless,
        depth_is_luminance=is_luminance,
        unsized_depth_is_luminance=is_unsized_luminance,
        from_upper=from_upper,
    )
