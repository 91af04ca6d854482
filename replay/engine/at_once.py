"""What Python has a part in of draws that are executed at once: stages that no batch runs, what programs ask for.

Vertices with control flow whose paths are wanted, tessellation and geometry stages, captured and counted draws,
fragments that write memory, and all stages of the reference executor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from replay.engine import geometry as geo
from replay.engine.batch import DrawBatch
from replay.engine.constants import StageConstants
from replay.engine.draw_records import BoundProgram
from replay.engine.drawn import Drawn, Vertices
from replay.engine.fixed_state import FixedState
from replay.engine.fragments import FragmentDraw, Scratch, run_fragments
from replay.engine.front import FrontMemory
from replay.engine.output import ColorOutput, OutputState
from replay.engine.pipeline import Pipeline
from replay.engine.programs import LinkedProgram
from replay.engine.reach import Reach
from replay.engine.recorder import FrameRecorder
from replay.engine.stages import LaneMemory, StageCode, StageRun, aligned, bind_stage, loop_budget
from replay.engine.targets import Targets
from replay.engine.vertex_fetch import Stream
from replay.engine.vertex_inputs import clip_distances, fetch_inputs
from replay.glsl.llvm.options import StageOptions
from replay.glsl.passes.phases import has_barrier
from replay.texture.storage import TextureMemory
from traceformat.gles import enums as gl
from traceformat.gles.state import Changes, Context
from traceformat.gputrace.frametrace import MAX_COLOR_ATTACHMENTS, DrawFlags

__all__ = ["AtOnce", "ShadedVertices"]


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
class AtOnce:
    """Runs stages of draws, and does what follows from their results; the part of
    :class:`~replay.engine.draws.DrawPipeline` that looks at vertices and pixels.

    Parameters
    ----------
    memory : textures
    recorder : the frame in progress
    threads : that execute draws, the one that prepares them included
    """

    memory: TextureMemory
    recorder: FrameRecorder
    threads: int
    lanes: LaneMemory = field(default_factory=LaneMemory)
    #: Of tessellation and geometry stages, which read what the stage before has left in the other ones.
    patch_lanes: LaneMemory = field(default_factory=LaneMemory)
    emission_lanes: LaneMemory = field(default_factory=LaneMemory)
    #: Shaders run in the NumPy executor.
    is_reference: bool = False
    #: Is shown what the vertex stage made of each draw.
    vertex_observer: Callable[[ShadedVertices], None] | None = None
    pipeline: Pipeline = field(init=False)
    front: FrontMemory = field(init=False)
    vertex_options: StageOptions = field(init=False)
    #: What the draw at hand reaches beside constants and textures.
    _reach: Reach | None = None
    _scratch: Scratch | None = None

    # ------------------------------------------------------------------ vertices
    def _shade(self, drawn: Drawn, *, waits: bool = False) -> Vertices:
        """Run the vertex stage over all lanes of a draw; if it ``waits``, paths may have no numbers yet."""
        setting, cached = drawn.setting, drawn.taken.cached
        context = setting.context
        stage = self._run_of(setting.vertex, drawn.constants["vertex"], setting.bound)
        count = cached.stream.num_lanes
        # What is logged later is kept.
        inputs = fetch_inputs(drawn, stage, aligned if waits else self.lanes.vertex_inputs)
        outputs, hashes = stage.run_vertices(self.lanes, inputs, count)
        paths, path, late = None, 0, None
        if self.recorder.wants_paths:
            book = stage.book
            book.begin_draw(self.recorder.paths, *setting.rows["vertex"])
            if book.is_straight:
                path = book.known_vertex_path(self.recorder.paths)
                if path < 0 and not waits:
                    self.pipeline.drain()
                    path = book.straight_vertex_path()
            elif waits and hashes is not None:
                paths = book.known_vertices(hashes, count)
                if paths is None:
                    path, late = -1, hashes[:count]
            else:
                paths = book.number_vertices(stage, hashes, count, self.pipeline.drain)
        return Vertices(stage, outputs, paths, path, clip_distances(context, stage, outputs, count), late)

    def _emit(self, drawn: Drawn) -> None:
        """Run the stages of a draw behind its vertex stage; its vertices are those that they make from here on."""
        setting, recorder = drawn.setting, self.recorder
        program = setting.linked.program
        assert drawn.vertices is not None

        def ready(name: str, options: StageOptions = self.vertex_options) -> StageRun:
            code = bind_stage(setting.linked, name, options, setting.bound.bound)
            stage = self._run_of(code, drawn.constants[name], setting.bound)
            if recorder.wants_paths:
                stage.book.begin_draw(recorder.paths, *setting.rows[name])
            return stage

        def number(stage: StageRun, hashes: NDArray[np.uint64] | None, count: int) -> NDArray[np.uint32] | None:
            if not recorder.wants_paths:
                return None
            return stage.book.number_vertices(stage, hashes, count, self.pipeline.drain)

        if program.tess_evaluation is not None:
            from replay.engine.tessellation import tessellate_draw

            control = waiting = None
            if program.tess_control is not None:
                control = ready("tess_control")
                if has_barrier(program.tess_control) and control.options.path_hash:
                    waiting = ready("tess_control", StageOptions())
            stages = control, waiting, ready("tess_evaluation")
            drawn.emitted = tessellate_draw(drawn, *stages, self.patch_lanes, number)
        if program.geometry is not None:
            from replay.engine.emission import emit

            drawn.emitted = emit(drawn, ready("geometry"), self.emission_lanes, number)
        if not setting.fixed.is_filled:
            from replay.engine.unfilled import unfill

            unfill(drawn)
        if setting.linked.is_smooth:
            from replay.engine.smooth_lines import smooth

            smooth(drawn)
        count, vertices = drawn.taken.cached.stream.num_lanes, drawn.vertices
        vertices.distances = clip_distances(setting.context, vertices.stage, vertices.outputs, count)

    def _run_of(self, code: StageCode, constants: StageConstants, bound: BoundProgram) -> StageRun:
        if self.is_reference:
            from replay.engine.reference_run import ReferenceRun

            run: StageRun = ReferenceRun(code, constants, bound.bound)
        else:
            run = StageRun(code, constants, bound.bound)
        if self._reach is not None and code.ir.reaches_memory:
            run.reach(
                self._reach.memories(code.ir, constants), is_logged=self.recorder.wants_paths and code.book.needs_hashes
            )
        return run

    # ------------------------------------------------------------------ what follows
    def _complete(self, drawn: Drawn, row: int) -> None:
        """Execute a draw at once, with what no batch does: what the program asks for, and what others shade."""
        self.pipeline.drain()
        recorder, setting = self.recorder, drawn.setting
        context, fixed, plan = setting.context, setting.fixed, setting.plan
        last = self.pipeline.last
        result = last.last
        passed = int(result["passed"])
        geometry = self._geometry(drawn, last)
        if drawn.emitted is not None and recorder.is_recording:
            assert drawn.taken.index is not None
            rows, primitive_first = drawn.taken.cached.stream.num_rows, geometry.primitive_first
            drawn.emitted.list_work(recorder.tables, drawn.taken.index, rows, primitive_first)
        if drawn.vertices is not None:
            stream, stage = drawn.taken.cached.stream, drawn.vertices.stage
            if self.vertex_observer is not None:
                clip = self.front.clip(stream.num_lanes)
                outputs = drawn.vertices.outputs
                self.vertex_observer(ShadedVertices(context.call_number, stream, geometry, clip, stage, outputs))
            if not drawn.is_of_layer:
                self._capture(drawn, geometry.primitives)
        generated = context.current_queries.get(gl.GL_PRIMITIVES_GENERATED)
        if generated is not None:
            generated.backing = (generated.backing or 0) + geometry.primitive_count
        if fixed.has_fragments and not plan.shades:
            passed = self._shade_apart(drawn, geometry, row)
        if drawn.query is not None:
            drawn.query.backing = (drawn.query.backing or 0) + passed
        if not recorder.is_recording:
            recorder.tables.memory.clear()

    def _capture(self, drawn: Drawn, primitives: NDArray[Any]) -> None:
        """Give transform feedback, where it is on, the primitives of a draw, rows of its stream."""
        context, vertices = drawn.setting.context, drawn.vertices
        if vertices is None or not context.transform_feedback.active or context.transform_feedback.paused:
            return
        from replay.engine.feedback import capture

        linked, rows_of = drawn.setting.linked, vertices.stage.layout.output_rows
        capture(context, drawn.mode, drawn.taken.cached.stream, linked, rows_of, vertices.outputs, primitives)
        context.changes.bits |= Changes.VERTEX

    def _geometry(self, drawn: Drawn, batch: DrawBatch) -> geo.Geometry:
        """What the draw that was queued last emitted."""
        result, plan = batch.last, drawn.setting.plan
        planes, fronts = batch.planes(result, plan.plane_words if plan.has_fragments and not plan.shades else 0)
        stream, mode = drawn.taken.cached.stream, drawn.mode
        primitive_count = geo.num_primitives(mode, stream)
        primitive_first = self.recorder.tables.primitives.num_rows - primitive_count
        return geo.Geometry(
            geo.kind_of(mode),
            primitive_count,
            max(primitive_first, 0),
            int(result["emitted_first"]),
            int(result["num_emitted"]),
            planes,
            fronts,
            self.front,
            int(result["quad_first"]),
            int(result["num_quads"]),
            int(result["num_fragments"]),
        )

    def _shade_apart(self, drawn: Drawn, geometry: geo.Geometry, row: int) -> int:
        """Shade and merge the fragments of a draw where batches do not; returns how many passed."""
        recorder, setting = self.recorder, drawn.setting
        fixed, bound, constants = setting.fixed, setting.bound, drawn.constants["fragment"]
        fragment = self.rasterize(
            setting.context, setting.targets, bound.linked, bound, geometry, fixed, constants, setting.rows["fragment"]
        )
        if fragment is None:
            return 0
        passed = self.run_fragments(fragment)
        setting.targets.touch((0, 0, setting.targets.width, setting.targets.height))
        if recorder.is_recording:
            if fragment.color_first:
                colors = np.zeros((1, MAX_COLOR_ATTACHMENTS), np.int64)
                for output, first in zip(fixed.outputs, fragment.color_first, strict=True):
                    colors[0, output.buffer] = first
                recorder.draws.fill(row, 1, {"color_first": colors})
            if fragment.run.book.fell_back:
                recorder.draws.update(row, "flags", recorder.draws.get(row, "flags") | DrawFlags.PATHS_FALLBACK.value)
        return passed

    # ------------------------------------------------------------------ fragments
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
        state = OutputState(
            targets,
            fixed.test,
            geometry.emitted_first,
            geometry.fronts,
            outputs,
            fixed.depth_row >= 0,
            fixed.alpha_row,
            fixed.mask_row,
        )
        return FragmentDraw(
            geometry,
            run,
            run.book if recorder.wants_paths else None,
            (recorder.paths, *row),
            geometry.planes,
            state,
            fixed.depth_row,
            record=fixed.record,
            tests_early=fixed.tests_early,
        )

    def _reserve_colors(self, outputs: list[ColorOutput], geometry: geo.Geometry) -> list[int]:
        if not self.recorder.wants_colors:
            return []
        table = self.recorder.tables.color_data
        return [table.reserve(4 * geometry.quad_count * output.color_bytes) for output in outputs]

    # A machine with another rasterizer does these otherwise.
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
        """Prepare the fragment stage of a draw; None: nothing to shade."""
        if geometry.quad_count == 0 and not self.recorder.wants_colors:
            return None
        fragment = self.fragment_draw(targets, linked, bound, geometry, fixed, fixed.outputs, constants, row)
        fragment.color_first = self._reserve_colors(fixed.outputs, geometry)
        fragment.run.budget = loop_budget(geometry.quad_count // 2)
        return fragment

    def run_fragments(self, fragment: FragmentDraw) -> int:
        """Shade and merge a draw's quads; returns the number of fragments that passed."""
        if self._scratch is None:
            self._scratch = Scratch()
        return run_fragments(fragment, self.recorder.tables, self._scratch)
