"""One draw: from the tracker's state to vertices, primitives, quads and pixels."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine import geometry as geo
from replay.engine.columns import ColumnPool
from replay.engine.draw_records import (
    BoundProgram,
    draw_row,
    note_draw,
    record_fetches,
    record_vertices,
    sampler_identity,
)
from replay.engine.fragments import FragmentDraw, Scratch, run_fragments
from replay.engine.input_cache import CachedStream, InputCache, attribute_key
from replay.engine.merge_state import (
    blend_state,
    can_fail,
    requantize_table,
    sample_mask_of,
    test_state,
    uses_srgb,
)
from replay.engine.output import ColorOutput, OutputState
from replay.engine.pipeline import FragmentJob, Pipeline, can_run
from replay.engine.programs import TARGETS, LinkedProgram, StageConstants
from replay.engine.recorder import FrameRecorder, stable_hash
from replay.engine.stages import LANES, LaneMemory, StageRun, aligned, bind_stage, loop_budget
from replay.engine.targets import Targets
from replay.engine.varyings import Varyings, location_map, match_varyings, output_rows_of
from replay.engine.vertex_fetch import Stream, fetch_attribute
from replay.glsl.llvm.options import StageOptions
from replay.texture.binding import Binding, Rules, bind, unbound
from replay.texture.storage import TextureMemory
from traceformat.frametrace import MAX_COLOR_ATTACHMENTS, DrawFlags
from traceformat.gles import enums as gl
from traceformat.gles import formats as client_formats
from traceformat.gles.backend import DrawCall
from traceformat.gles.formats import source_bytes
from traceformat.gles.objects import Executable, ProgramObject, Query, Texture
from traceformat.gles.state import Context

__all__ = ["DrawPipeline", "ShadedVertices"]

_INDEX_BYTES: Final = {gl.GL_UNSIGNED_BYTE: 1, gl.GL_UNSIGNED_SHORT: 2, gl.GL_UNSIGNED_INT: 4}
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


@dataclass(slots=True)
class DrawPipeline:
    """Executes draws.

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

    def __post_init__(self) -> None:
        self.pipeline = Pipeline(has_thread=self.workers is not None)
        self.recorder.passes.drain = self.recorder.tables.quads.before_growth = self.pipeline.drain

    def execute(self, context: Context, call: DrawCall, targets: Targets) -> None:
        """Execute one validated draw into ``targets``."""
        program = context.program
        if program is None or program.executable is None or call.count <= 0 or call.instances <= 0:
            return
        executable = program.executable
        linked: LinkedProgram = executable.backing
        if linked.program.vertex is None:
            return
        recorder = self.recorder
        tables = recorder.tables
        cached = self.inputs.stream(context, call)
        stream = cached.stream
        if any(surface.attachment.texture is not None for surface in targets.surfaces()):
            self.pipeline.drain()  # binding a texture may move its texels
        bound = self._bind_textures(context, targets, linked, program, executable)
        linked.refresh_builtins(context, executable)
        height = targets.height
        constants = {stage: linked.constants(stage, context, executable, height) for stage in self._stages(linked)}
        draw = len(recorder.draws)
        options = StageOptions(path_hash=recorder.wants_paths)
        vertex = self._bind_stage(linked, "vertex", options, constants["vertex"], bound)
        fetch_first = len(recorder.fetches)
        rows = {stage: recorder.program_row(linked, stage, program.name, program.link_count) for stage in constants}
        outputs, paths = self._shade_vertices(context, call, cached, bound, vertex, rows["vertex"])
        vertex_first = record_vertices(recorder, context, call, stream, paths)
        clip, point_size = self._positions(context, vertex, outputs, len(stream.lane_index))
        setup = self.setup_state(context, targets, call.mode)
        distances = self._clip_distances(context, vertex, outputs, len(clip))
        first_provokes = not context.is_gles and context.provoking_vertex == gl.GL_FIRST_VERTEX_CONVENTION
        geometry = geo.assemble_draw(
            setup, call.mode, stream, clip, distances, point_size, first_provokes, draw, vertex_first, tables, self.pool
        )
        if self.vertex_observer is not None:
            self.vertex_observer(ShadedVertices(context.call_number, stream, geometry, clip, vertex, outputs))
        if context.transform_feedback.active and not context.transform_feedback.paused:
            from replay.engine.feedback import capture

            rows_of = vertex.layout.output_rows
            capture(context, call.mode, stream, linked, rows_of, outputs, geometry.primitives)
        generated = context.current_queries.get(gl.GL_PRIMITIVES_GENERATED)
        if generated is not None:
            generated.backing = (generated.backing or 0) + len(geometry.primitives)
        query = next((context.current_queries[t] for t in _OCCLUSION if t in context.current_queries), None)
        num_attributes = 1
        fell_back = vertex.book.fell_back
        job: FragmentJob | None = None
        color_first: list[int] = []
        outs = self._outputs(context, targets, linked)
        first_quad = tables.quads.num_rows
        if linked.program.fragment is not None and gl.GL_RASTERIZER_DISCARD not in context.enabled:
            varyings = self._varyings(linked, vertex)
            num_attributes = varyings.num_attributes
            values = self._attributes(geometry, stream, outputs, varyings)
            fragment = self.rasterize(
                context, targets, linked, bound, geometry, varyings, values, constants, outs, rows["fragment"]
            )
            color_first = fragment.color_first if fragment is not None else []
            if fragment is None:
                pass  # nothing to shade
            elif recorder.is_recording and can_run(fragment, tables):
                job = FragmentJob(fragment, tables)
            else:
                passed = self.run_fragments(fragment)
                fell_back |= fragment.run.book.fell_back
                if query is not None:
                    query.backing = (query.backing or 0) + passed
        if recorder.is_recording:
            row = draw_row(
                recorder,
                context,
                call,
                targets,
                bound,
                constants,
                rows,
                geometry,
                num_attributes,
                fetch_first,
                reloaded=self.reloaded,
            )
            row["vertex_first"] = vertex_first
            row["vertex_count"] = len(stream.index)
            row["quad_first"] = geometry.quad_first if geometry.quad_count else first_quad
            row["flags"] |= int(DrawFlags.PATHS_FALLBACK) if fell_back else 0
            row["query_active"] = query is not None
            for output, first in zip(outs, color_first, strict=False):
                row["color_first"][output.buffer] = first
            recorder.draws.append(row)
            if job is not None:
                job.row = row
                self._submit(job, query)
        executable.changed.clear()
        self.reloaded = False
        note_draw(recorder, context, targets, bound, draw)
        recorder.end_draw()

    def _submit(self, job: FragmentJob, query: Query | None) -> None:
        """Have the fragments shaded; at once if the program waits for their number, or may have to be stopped."""
        if job.num_quads == 0:
            return
        self.pipeline.submit(job)
        if query is not None or job.draw.run.book.has_loops:
            self.pipeline.drain()
            if query is not None:
                query.backing = (query.backing or 0) + job.passed

    # What follows is what a machine with another rasterizer does otherwise (:mod:`replay.handheld.pipeline`).
    def setup_state(self, context: Context, targets: Targets, mode: int) -> NDArray[Any]:
        """Primitive set-up state of a draw, one row of SETUP_DTYPE."""
        return geo.setup_state(context, targets, mode)

    def rasterize(
        self,
        context: Context,
        targets: Targets,
        linked: LinkedProgram,
        bound: BoundProgram,
        geometry: geo.Geometry,
        varyings: Varyings,
        values: NDArray[np.float32],
        constants: dict[str, StageConstants],
        outputs: list[ColorOutput],
        row: tuple[int, int],
    ) -> FragmentDraw | None:
        """Rasterize what a draw has emitted, and prepare its fragment stage; None if there is nothing to shade."""
        tables = self.recorder.tables
        if targets.samples > 1:
            tables.quads.include("sample_coverage", "sample_depth")
        mask = sample_mask_of(context, targets)
        workers = None if self.recorder.is_recording else self.workers  # the other thread is shading
        geo.rasterize_draw(geometry, geo.depth_bits(targets), targets.samples, tables, workers, mask)
        if geometry.quad_count == 0 and not self.recorder.wants_colors:
            return None
        color_first = self._reserve_colors(outputs, geometry)
        fragment = self.fragment_draw(
            context, targets, linked, bound, geometry, varyings, values, constants, outputs, row
        )
        fragment.color_first = color_first
        fragment.run.budget = loop_budget(geometry.quad_count // 2)
        return fragment

    def run_fragments(self, fragment: FragmentDraw) -> int:
        """Shade and merge a draw's quads; returns the number of fragments that passed."""
        self.pipeline.drain()
        return run_fragments(fragment, self.recorder.tables, self._scratch(), self.workers)

    def _bind_stage(
        self,
        linked: LinkedProgram,
        stage: str,
        options: StageOptions,
        constants: StageConstants,
        bound: BoundProgram,
    ) -> StageRun:
        run = bind_stage(linked, stage, options, constants.areas, bound.bindings)
        if self.is_reference:
            from replay.engine.reference_run import bind_reference

            return bind_reference(run)
        # Compiled here, before two threads ask for it.
        run.variant.get(run.options)
        return run

    @staticmethod
    def _stages(linked: LinkedProgram) -> list[str]:
        return ["vertex", "fragment"] if linked.program.fragment is not None else ["vertex"]

    def _scratch(self) -> list[Scratch]:
        while len(self.scratch) < (2 if self.workers is not None else 1):
            self.scratch.append(Scratch())
        return self.scratch

    # ------------------------------------------------------------------ inputs
    def _bind_textures(
        self,
        context: Context,
        targets: Targets,
        linked: LinkedProgram,
        program: ProgramObject,
        executable: Executable,
    ) -> BoundProgram:
        units = linked.sampler_units(executable)
        bindings: list[Binding] = []
        textures: list[Texture | None] = []
        rules = Rules(
            seamless_cubes=context.is_gles or gl.GL_TEXTURE_CUBE_MAP_SEAMLESS in context.enabled,
            depth_is_luminance=not context.is_gles and context.config.profile != 1,
            unsized_depth_is_luminance=context.is_gles,
            from_upper=targets.framebuffer.name == 0,
        )
        for sampler, number in zip(linked.program.samplers, units, strict=True):
            if number >= len(context.units):
                bindings.append(unbound())
                textures.append(None)
                continue
            unit = context.units[number]
            target = TARGETS[sampler.dimension.value][1 if sampler.is_array else 0]
            texture = unit.textures.get(target)
            if texture is None:
                bindings.append(unbound())
                textures.append(None)
                continue
            sampling = unit.sampler.state if unit.sampler is not None else texture.sampling
            bindings.append(bind(self.memory, texture, sampling, rules))
            textures.append(texture)
        return BoundProgram(linked, program, executable, bindings, units, textures)

    def _shade_vertices(
        self,
        context: Context,
        call: DrawCall,
        cached: CachedStream,
        bound: BoundProgram,
        stage: StageRun,
        row: tuple[int, int],
    ) -> tuple[NDArray[np.float32], NDArray[np.uint32] | None]:
        """Run the vertex stage over all lanes: outputs, and each lane's path."""
        ir = stage.ir
        stream = cached.stream
        count = len(stream.lane_index)
        moved = location_map(bound.linked, bound.executable)
        inputs = self._fetch(context, call, cached, stage, moved)
        outputs, hashes = stage.run_vertices(self.lanes, inputs, count)
        paths = None
        if self.recorder.wants_paths:
            stage.book.begin_draw(self.recorder.paths, *row)
            paths = stage.book.number_vertices(stage, hashes, count, self.pipeline.drain)
        if self.recorder.is_recording:
            record_fetches(self.recorder, context, ir, moved)
        return outputs, paths

    @staticmethod
    def _fetch(
        context: Context, call: DrawCall, cached: CachedStream, stage: StageRun, moved: dict[int, int]
    ) -> NDArray[np.float32]:
        """Inputs of the vertex stage, (rows, lanes); taken from an earlier draw where they cannot differ."""
        attribs, generics = context.vertex_array.attribs, context.generic_attribs
        keys: list[Any] = [context.group.serial, call.base_instance]
        rows: list[tuple[int, int, int, int]] = []
        for slot, first in zip(stage.ir.inputs, stage.layout.input_rows, strict=True):
            if slot.location < 0:
                keys.append((slot.builtin, first))
                continue
            for k in range(slot.count):
                location = moved.get(slot.location + k, slot.location + k)
                width = slot.type.width
                rows.append((location, first + k * width, slot.component, width))
                if 0 <= location < len(attribs):
                    keys.append((rows[-1], attribute_key(attribs[location], generics[location])))
        key = tuple(keys)
        is_known = all(part[1] is not None for part in keys[2:])
        known = cached.inputs.get(key) if is_known else None
        if known is not None:
            return known
        stream = cached.stream
        count = len(stream.lane_index)
        lanes = -(-max(count, 1) // LANES) * LANES
        inputs = aligned(stage.layout.num_input_rows, lanes)
        inputs[...] = 0.0
        for slot, first in zip(stage.ir.inputs, stage.layout.input_rows, strict=True):
            if slot.builtin == "gl_VertexID":
                inputs.view(np.int32)[first, :count] = stream.lane_index
            elif slot.builtin == "gl_InstanceID":
                inputs.view(np.int32)[first, :count] = stream.lane_instance
        scratch = aligned(4, lanes)
        for location, first, component, width in rows:
            if 0 <= location < len(attribs):
                fetch_attribute(
                    attribs[location],
                    generics[location],
                    stream.lane_index,
                    stream.lane_instance,
                    call.base_instance,
                    scratch,
                )
                inputs[first : first + width] = scratch[component : component + width]
        if is_known:
            if len(cached.inputs) >= 4:
                cached.inputs.clear()  # buffers that change under the same indices
            cached.inputs[key] = inputs
        return inputs

    @staticmethod
    def _positions(
        context: Context, vertex: StageRun, outputs: NDArray[np.float32], count: int
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Clip positions (N, 4) and point sizes (N,)."""
        clip = np.zeros((max(count, 1), 4), np.float32)
        low, high = context.limits.point_size_range
        reads_size = context.is_gles or gl.GL_PROGRAM_POINT_SIZE in context.enabled
        fixed = 1.0 if context.is_gles else context.point_size
        written = None
        for slot, first in zip(vertex.ir.outputs, vertex.layout.output_rows, strict=True):
            if slot.builtin == "gl_Position":
                clip[:count] = outputs[first : first + 4, :count].T
            elif slot.builtin == "gl_PointSize" and slot.static_write and reads_size:
                written = outputs[first, :count]
        if written is not None:
            return clip, np.clip(np.nan_to_num(written, nan=1.0), low, high).astype(np.float32)
        return clip, np.full(max(count, 1), min(max(fixed, low), high) if reads_size else fixed, np.float32)

    @staticmethod
    def _clip_distances(
        context: Context, vertex: StageRun, outputs: NDArray[np.float32], count: int
    ) -> NDArray[np.float32]:
        """Values of gl_ClipDistance that are enabled (desktop GL): (N, D)."""
        rows = []
        for slot, first in zip(vertex.ir.outputs, vertex.layout.output_rows, strict=True):
            if slot.builtin == "gl_ClipDistance" and not context.is_gles:
                length = max(slot.variable.length, 1)
                rows += [first + k for k in range(length) if gl.GL_CLIP_DISTANCE0 + k in context.enabled]
        found = np.zeros((count, len(rows)), np.float32)
        for k, row in enumerate(rows):
            found[:, k] = outputs[row, :count]
        return found

    # ------------------------------------------------------------------ fragments
    @staticmethod
    def _varyings(linked: LinkedProgram, vertex: StageRun) -> Varyings:
        known: Varyings | None = linked.stages.get("varyings")
        if known is None:
            assert linked.program.fragment is not None
            known = match_varyings(vertex.ir, vertex.layout.output_rows, linked.program.fragment)
            linked.stages["varyings"] = known
        return known

    def _attributes(
        self, geometry: geo.Geometry, stream: Stream, outputs: NDArray[np.float32], varyings: Varyings
    ) -> NDArray[np.float32]:
        """Attributes of the emitted primitives, (E, A, 3, 4), in the frame's table."""
        from replay.engine.kernels.planes import attribute_rows

        table = self.recorder.tables.attributes
        num, count = varyings.num_attributes, geometry.emitted_count
        first = table.reserve(3 * num * count)
        values = table["value"][first : first + 3 * num * count].reshape(count, num, 3, 4)
        attribute_rows(
            outputs,
            stream.lane,
            geometry.primitives,
            geometry.primitive,
            geometry.window,
            geometry.weights,
            varyings.rows,
            varyings.flat,
            0,
            count,
            values,
        )
        base = geometry.emitted_first
        self.recorder.tables.emitted["attribute_first"][base : base + count] = first + 3 * num * np.arange(
            count, dtype=np.uint32
        )
        return values

    def _outputs(self, context: Context, targets: Targets, linked: LinkedProgram) -> list[ColorOutput]:
        ir = linked.program.fragment
        if ir is None:
            return []
        rows = output_rows_of(linked)
        found = []
        for buffer, surface in enumerate(targets.colors[:MAX_COLOR_ATTACHMENTS]):
            if surface is None or buffer not in rows:
                continue
            state = blend_state(context, buffer, surface)
            if state[0]["write_mask"] == 0 and not self.recorder.wants_colors:
                continue
            channels = rows[buffer]
            if targets.samples > 1 and gl.GL_SAMPLE_ALPHA_TO_ONE in context.enabled:
                channels = np.array([*channels[:3], -2], np.int64)
            found.append(
                ColorOutput(
                    buffer,
                    surface,
                    channels,
                    state,
                    requantize_table(surface),
                    uses_srgb(context, surface),
                )
            )
        return found

    @staticmethod
    def _alpha_row(context: Context, targets: Targets, linked: LinkedProgram) -> int:
        """Row of the alpha that becomes coverage (of draw buffer 0), -1 where none does, -2 where it is 1."""
        if targets.samples == 1 or gl.GL_SAMPLE_ALPHA_TO_COVERAGE not in context.enabled:
            return -1
        rows = output_rows_of(linked).get(0)
        return int(rows[3]) if rows is not None else -2

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
        context: Context,
        targets: Targets,
        linked: LinkedProgram,
        bound: BoundProgram,
        geometry: geo.Geometry,
        varyings: Varyings,
        values: NDArray[np.float32],
        constants: dict[str, StageConstants],
        outputs: list[ColorOutput],
        row: tuple[int, int],
    ) -> FragmentDraw:
        """Bind the fragment stage of a draw and compute its plane equations."""
        from replay.engine.kernels.planes import plane_equations

        recorder = self.recorder
        ir = linked.program.fragment
        assert ir is not None
        record = recorder.wants_textures and bool(ir.textures)
        test = test_state(context, targets)
        tests_early = targets.samples == 1 and not ir.discards and not ir.writes_depth
        if recorder.wants_colors or recorder.wants_identity:
            tests_early = False  # of every fragment, seen or not
        skip_unseen = tests_early and recorder.is_recording and (can_fail(test) or not outputs)
        options = StageOptions(
            interpolate=True,
            path_hash=recorder.wants_paths,
            record_textures=record,
            identity=recorder.wants_identity,
            skip_unseen=skip_unseen,
        )
        run = self._bind_stage(linked, "fragment", options, constants["fragment"], bound)
        count = geometry.emitted_count
        base = geometry.emitted_first
        emitted = recorder.tables.emitted
        planes = self.pool.take(max(count, 1), np.dtype("<f4"), (run.layout.num_plane_words,))
        plane_equations(
            values,
            emitted["num_vertices"][base : base + count],
            emitted["bounds"][base : base + count],
            emitted["size"][base : base + count],
            geometry.depth_plane,
            geometry.front,
            geometry.primitive,
            varyings.attribute,
            varyings.component,
            varyings.mode,
            int(targets.samples > 1),
            0,
            count,
            planes,
            planes.view(np.int32),
        )
        book = run.book if recorder.wants_paths else None
        depth_row = -1
        for slot, first in zip(ir.outputs, run.layout.output_rows, strict=True):
            if slot.builtin == "gl_FragDepth" and ir.writes_depth:
                depth_row = first
        front = geometry.front[geometry.primitive]
        seed = 0
        if recorder.wants_identity:
            textures = [
                (texture.serial, texture.version, texture.state_version, sampler_identity(context, number, texture))
                if texture is not None
                else None
                for texture, number in zip(bound.textures, bound.units, strict=True)
            ]
            words = constants["fragment"].words.tobytes()
            seed = stable_hash((bound.program.serial, bound.program.link_count, words, textures))
        return FragmentDraw(
            geometry,
            run,
            book,
            (recorder.paths, *row),
            planes,
            OutputState(targets, test, base, front, outputs, depth_row >= 0, self._alpha_row(context, targets, linked)),
            depth_row,
            seed,
            [],
            record,
            recorder.wants_identity,
            skip_unseen or (tests_early and not recorder.is_recording),
            not recorder.is_recording,
        )
