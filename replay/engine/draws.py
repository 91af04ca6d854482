"""One draw: from the tracker's state to vertices, primitives, quads and pixels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine import geometry as geo
from replay.engine.at_once import AtOnce
from replay.engine.batch import MAX_ROWS, DrawBatch, max_draws
from replay.engine.bound_textures import bind_textures
from replay.engine.draw_log import index_place, name_of, open_groups, range_columns, record_draw, record_joined
from replay.engine.draw_records import BoundProgram, identity_seed
from replay.engine.draw_runs import RunWriter
from replay.engine.drawn import UNSHADED, Drawn
from replay.engine.fixed_state import FixedState, find_fixed, keep
from replay.engine.fold import write_draws, write_rows
from replay.engine.front import FrontMemory
from replay.engine.input_cache import Common, InputCache
from replay.engine.left import leave_program, leave_working, take_working
from replay.engine.passed_draws import PassedDraws
from replay.engine.paths import FramePaths
from replay.engine.pipeline import Pipeline
from replay.engine.plan import Plan
from replay.engine.programs import LinkedProgram
from replay.engine.reach import Reach
from replay.engine.run_memory import RunMemory
from replay.engine.setting import Setting
from replay.engine.stages import (
    StageCode,
    bind_stage,
)
from replay.engine.targets import Targets
from replay.engine.vertex_source import VertexSource, find_fetches, find_source
from replay.glsl.llvm.options import StageOptions
from traceformat.errors import UnsupportedCallError
from traceformat.gles import enums as gl
from traceformat.gles.backend import DrawCall, DrawRun
from traceformat.gles.objects import Executable, ProgramObject, VertexArray
from traceformat.gles.state import Changes, Context
from traceformat.gputrace.frametrace import SAMPLE_COLUMNS, DrawFlags, PrimitiveKind
from traceformat.native.records import address_of

__all__ = ["DrawPipeline"]

#: Plans of a fixed-function state that are kept.
_MAX_PLANS: Final = 64
#: Ranges and plans of a source of vertices for which is kept what draws have in common.
_MAX_COMMONS: Final = 64
#: Settings of a frame up to which those of deleted textures are not looked for.
_FEW_SETTINGS: Final = 64
#: Vertex arrays, each with a program, whose sources of vertices are found again at once.
_MAX_SOURCES: Final = 1024
#: Quads, and draws, that another thread that has nothing to do is given while further draws are prepared. Fewer cost
#: more to hand over and to finish than what is won.
_HANDED_QUADS: Final = 1 << 14
_LEAST_HANDED: Final = 6
#: Draws from which on they are written down together.
_MIN_FOLD: Final = 12
_OCCLUSION: Final = (gl.GL_ANY_SAMPLES_PASSED, gl.GL_ANY_SAMPLES_PASSED_CONSERVATIVE, gl.GL_SAMPLES_PASSED)


@dataclass(slots=True)
class DrawPipeline(AtOnce):
    """Executes draws.

    What draws need of the state is kept from one to the next, as long as no call may have changed it
    (:class:`~traceformat.gles.state.Changes`).
    """

    inputs: InputCache = field(default_factory=InputCache)
    #: By share group, each of which numbers its buffers from 1.
    runs: defaultdict[int, RunMemory] = field(default_factory=lambda: defaultdict(RunMemory))
    #: Shaders or textures were loaded since the last draw.
    reloaded: bool = False
    _drain: Callable[[], None] = field(init=False)
    #: Draws of a batch.
    _max_draws: int = field(init=False)
    #: Settings of a frame and of the one before, by their fixed-function state and textures; that of the last draw.
    _settings: dict[tuple[FixedState, BoundProgram], Setting] = field(default_factory=dict)
    _settings_before: dict[tuple[FixedState, BoundProgram], Setting] = field(default_factory=dict)
    _settings_of: FramePaths | None = None
    _setting: Setting | None = None
    _context: Context | None = None
    _targets: Targets | None = None
    #: Of programs that were drawn with since fixed-function state or targets changed, and since textures did.
    _fixed: dict[LinkedProgram, FixedState] = field(default_factory=dict)
    _bound: dict[LinkedProgram, BoundProgram] = field(default_factory=dict)
    #: Of vertex arrays and programs that were drawn with since vertex arrays changed; that of the last draw.
    _sources: dict[tuple[VertexArray, LinkedProgram], VertexSource] = field(default_factory=dict)
    _source: VertexSource | None = None
    _source_of: LinkedProgram | None = None
    _from_window: bool = False
    _passed: PassedDraws | None = None
    #: Draws that are to be written down, vertices that they fetch, and quads that they may have.
    _joined: list[Drawn] = field(default_factory=list)
    _joined_rows: int = 0
    _joined_quads: int = 0
    #: The draw that joined last, until what waits is executed.
    _last: Drawn | None = None
    #: Memory of the buffers that draws read which wait, by their sources.
    _stores: dict[VertexSource, list[bytearray]] = field(default_factory=dict)
    #: Programs that were drawn with, by identity: what they keep refers back to them.
    _used: dict[int, LinkedProgram] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.pipeline = Pipeline(self.threads, self._finish_joining)
        self._drain = self.pipeline.drain
        self._max_draws = max_draws(self.threads)
        self.recorder.passes.before_event = self.write_down
        self.recorder.passes.drain = self.memory.before_move = self.pipeline.drain
        for table in (self.recorder.tables.vertices, self.recorder.tables.primitives, self.recorder.tables.quads):
            table.before_growth = self.pipeline.wait
        front = take_working(FrontMemory)
        if front is None:
            front = FrontMemory(self.recorder.tables)
        else:
            front.bind(self.recorder.tables)
        self.front = front
        self.vertex_options = StageOptions(path_hash=self.recorder.wants_paths)

    def close(self, *, leaves_programs: bool) -> None:
        """End the second thread, and let go of what holds each other: memory is free when the engine is.

        Parameters
        ----------
        leaves_programs : for the next replay of the process
        """
        self.pipeline.close()
        if self.front.is_bound:
            self.front.bind(None)
            leave_working(self.front)
        passes = self.recorder.passes
        passes.drain = passes.before_event = passes.ended = self.memory.before_move = None
        for table in (self.recorder.tables.vertices, self.recorder.tables.primitives, self.recorder.tables.quads):
            table.before_growth = None
        for linked in self._used.values():
            linked.left_as = linked.left_as if leaves_programs else None
            linked.forget()
            if linked.left_as is not None:
                leave_program(linked.left_as, linked)
        self._source = self._source_of = self._setting = self._passed = self._last = None
        self._fixed.clear()
        self._bound.clear()
        self._sources.clear()
        self._settings.clear()
        self._settings_before.clear()
        self._joined.clear()
        self._stores.clear()

    def get_ready(self) -> None:
        """Somebody has linked a program, and is about to draw."""
        if self.shades and not self.is_reference:
            self.pipeline.get_ready(self._new_batch)

    def execute(self, context: Context, call: DrawCall, targets: Targets, reach: Reach | None = None) -> None:
        """Execute one validated draw into ``targets``; ``reach`` where its program reaches memory."""
        self._reach = reach
        setting = self._find_setting(context, call, targets)
        if setting is None:
            return
        executable, source = setting.executable, self._source
        assert source is not None
        place = source.place(context) if setting.shades_vertices else None
        taken = self.inputs.range(context, call)
        flags = DrawFlags.RELOADED.value if self.reloaded else 0
        groups = open_groups(context) if context.debug_groups else ()
        drawn = Drawn(setting, source, call, taken, place, context.call_number, flags, groups)
        is_waiting = not (
            place is None
            or context.current_queries
            or context.transform_feedback.active
            or self.vertex_observer is not None
        )
        if is_waiting and setting.joins and not call.base_instance:
            drawn.packed, drawn.changed = setting.linked.packed_constants(context, executable)
            # Textures may hold something else when it is written down.
            self.recorder.passes.read(setting.bound.present)
            self._join(drawn)
        else:
            self.write_down()
            drawn.found_constants = setting.linked.draw_constants(context, executable, targets.height)
            self._execute(drawn, is_waiting=is_waiting and setting.plan.shades)
        if executable.changed:
            executable.changed.clear()
        self.reloaded = False

    def execute_next(self, context: Context, call: DrawCall) -> bool:
        """Execute a draw that nothing lies between and the last one, which has joined others, as this one does then:
        all but its vertices is the same. False where that is not so, and nothing was done.
        """
        last = self._last
        if last is None or context.call_number != last.call_number + 1 or self.vertex_observer is not None:
            return False
        setting, program = last.setting, context.program
        if program is None or not setting.holds(context, program, setting.targets) or call.base_instance:
            return False
        taken = self.inputs.range(context, call)
        drawn = Drawn(setting, last.source, call, taken, last.place, context.call_number, 0, last.groups)
        drawn.packed = last.packed
        self._join(drawn, last if not last.source.has_clients else None)
        return True

    def execute_run(self, context: Context, run: DrawRun, targets: Targets) -> bool:
        """Execute draws that repeat the one before; False where nothing was done because they go one by one."""
        setting, source, program = self._setting, self._source, context.program
        if setting is None or source is None or program is None or not setting.holds(context, program, targets):
            return False
        is_other = context.changes.bits or self.reloaded or context.current_queries or context.debug_groups
        place = source.place(context)
        if is_other or not setting.joins or place is None or self.vertex_observer or not setting.bound.is_current:
            return False
        setup = self._setup(context, targets, run.mode, setting.fixed)[1]
        memory = self.runs[context.group.serial]
        writer = RunWriter(self.recorder, self.inputs, memory, setting, source, place, setup, run, self._drain)
        if not writer.can:
            return False
        self.write_down()
        self._include_samples(setting)
        setting.template_for(setting.find_path())
        for rows in writer.parts(self._max_draws):
            write_rows(self.recorder, rows, partial(self.pipeline.batch, self._new_batch, len(rows.calls)))
        return True

    def _execute(self, drawn: Drawn, *, is_waiting: bool) -> None:
        """Execute a draw that does not join others."""
        if not is_waiting:
            if self._waits_shaded(drawn):
                self._queue_shaded(drawn)
            else:
                self._execute_at_once(drawn)
            return
        self._find_places(drawn)
        row = self._queue(drawn, len(self.recorder.fetches))
        if drawn.setting.plan.has_loops:
            self.pipeline.drain()  # it may have to be stopped
        self._note(drawn, row)

    def _note(self, drawn: Drawn, row: int) -> None:
        setting = drawn.setting
        self.recorder.passes.draw(row, drawn.call_number, setting.event, setting.bound.present)

    def _join(self, drawn: Drawn, like: Drawn | None = None) -> None:
        """Have a draw written down later, with those that follow it.

        Parameters
        ----------
        like : the draw before, if this one fetches from the same arrays and reads the same textures
        """
        setting, source, taken, recorder = drawn.setting, drawn.source, drawn.taken, self.recorder
        common = source.commons.get((taken.serial, setting.plan.serial, setting.identity))
        if common is None:
            common = self._find_common(drawn)
        drawn.common, drawn.kept = common, common.setup
        if like is not None:
            drawn.fetches, drawn.num_fetches = like.fetches, like.num_fetches
            drawn.bindings, drawn.stores = like.bindings, like.stores
            if not taken.columns and recorder.is_recording:
                range_columns(recorder, drawn)
        else:
            if recorder.is_recording:
                self._find_rows(drawn)
            self._hold(drawn)
        self._last = drawn
        self._joined.append(drawn)
        self._joined_rows += taken.cached.stream.num_rows
        self._joined_quads += setting.plan.usual_quads
        if len(self._joined) >= self._max_draws or self._joined_rows > MAX_ROWS:
            self.write_down()
        elif self._joined_quads > _HANDED_QUADS and len(self._joined) >= _LEAST_HANDED and self.pipeline.is_free:
            self.write_down()
            self.pipeline.hand_over()

    def _find_common(self, drawn: Drawn) -> Common:
        """What a draw has in common with others that join."""
        setting, source, taken, place = drawn.setting, drawn.source, drawn.taken, drawn.place
        assert place is not None
        setup = self._find_setup(drawn)
        name = name_of(self.recorder, setting, source, drawn.call, taken)
        found = Common.of(taken, setup, (place.address, place.count), name)
        if taken.is_kept:
            if len(source.commons) >= _MAX_COMMONS:
                source.commons.clear()
            source.commons[taken.serial, setting.plan.serial, setting.identity] = found
        return found

    def _find_places(self, drawn: Drawn) -> None:
        """Look up where a draw's data lie, as long as the state is its own."""
        drawn.kept = self._find_setup(drawn)
        if self.recorder.is_recording:
            self._find_rows(drawn)
        if drawn.vertices is None:
            self._hold(drawn)

    def _find_setup(self, drawn: Drawn) -> tuple[NDArray[Any], int]:
        """Set-up state of a draw, and where it lies; its range is settled, too."""
        setting, taken, mode = drawn.setting, drawn.taken, drawn.mode
        if taken.index is None:
            taken.settle(mode, index_place(self.recorder, setting.context, drawn.call))
        return setting.fixed.setups.get(mode) or self._setup(setting.context, setting.targets, mode, setting.fixed)

    def _find_rows(self, drawn: Drawn) -> None:
        """Look up what a draw's row and those that it refers to have of its vertices and textures."""
        setting, recorder = drawn.setting, self.recorder
        if not drawn.taken.columns:
            range_columns(recorder, drawn)
        drawn.fetches, drawn.num_fetches = find_fetches(recorder, setting.context, drawn.source)
        if setting.bound.present:
            drawn.bindings = setting.bound.rows(recorder.bindings)

    def _hold(self, drawn: Drawn) -> None:
        """Hold the memory that a draw reads."""
        source, place = drawn.source, drawn.place
        if place is not None and place.clients:
            drawn.clients = place.hold(drawn.setting.context.vertex_array.attribs)
        stores = self._stores.get(source)
        if stores is None:
            for buffer, _ in source.stores:
                buffer.before_write = self._drain
            stores = self._stores[source] = [buffer.store for buffer, _ in source.stores]
        drawn.stores = stores

    def _finish_joining(self) -> None:
        """Get ready for everything to be executed."""
        self.write_down()
        self._stores.clear()
        self._last = None

    def write_down(self) -> None:
        """Add the draws that have joined to a batch, and to the frame's tables."""
        draws = self._joined
        if not draws:
            return
        self._joined, self._joined_rows, self._joined_quads = [], 0, 0
        recorder = self.recorder
        if len(draws) < _MIN_FOLD:
            for drawn in draws:
                self._write_down_one(drawn)
            return
        for setting in {drawn.setting for drawn in draws}:
            self._include_samples(setting)
            setting.template_for(setting.find_path())
        write_draws(recorder, draws, lambda: self.pipeline.batch(self._new_batch, len(draws)))

    def _write_down_one(self, drawn: Drawn) -> None:
        """What :func:`~replay.engine.fold.write_draws` does for many."""
        recorder, setting, taken, place = self.recorder, drawn.setting, drawn.taken, drawn.place
        stream, count = taken.cached.stream, taken.num_primitives
        assert place is not None
        template = setting.template_for(setting.find_path())
        fetch_first = len(recorder.fetches)
        recorder.fetches.extend(drawn.fetches, drawn.num_fetches)
        self._include_samples(setting)
        vertex_first, primitive_first = self._reserve(stream.num_rows, count)
        # Tables may have grown, which may have had batches run: now is the time to ask for one.
        batch = self.pipeline.batch(self._new_batch)
        row, pair = len(recorder.draws), setting.linked.pair(setting.executable)
        attributes = place.find(drawn.clients, batch.clients) if drawn.clients else place.address
        areas = batch.constants.place_pair(pair, drawn.packed)
        _add(batch, drawn, template, row, (attributes, place.count, 0), areas, (vertex_first, primitive_first))
        if recorder.is_recording:
            first = vertex_first if recorder.wants_vertices else 0
            record_joined(recorder, drawn, pair, (first, primitive_first, fetch_first))
        recorder.passes.draw(row, drawn.call_number, setting.event, ())

    def _include_samples(self, setting: Setting) -> None:
        """Have columns of samples where a draw needs them."""
        quads = self.recorder.tables.quads
        if setting.fixed.is_multisampled and "sample_coverage" not in quads:
            self.pipeline.drain()
            quads.include(*SAMPLE_COLUMNS)

    def pass_over(self, context: Context, call: DrawCall, targets: Targets) -> None:
        """Keep of a draw what later ones find: addresses, numbers of objects, which constants are new; no pixels."""
        program = context.program
        if program is None or program.executable is None or call.count <= 0 or call.instances <= 0:
            return
        if program.executable.backing.program.vertex is None:
            return
        if self._context is not None or self._passed is None:
            # The next draw with pixels looks at all state anew, and so does this one.
            self.write_down()
            self._context = self._setting = None
            self._passed = PassedDraws(self.recorder, self.bind)
        self._passed.add(context, call, targets, program)
        self.reloaded = False

    def _find_setting(self, context: Context, call: DrawCall, targets: Targets) -> Setting | None:
        """The setting of a draw, and its source of vertices in ``_source``; None for a draw that has no effect."""
        program = context.program
        if program is None or program.executable is None or call.count <= 0 or call.instances <= 0:
            return None
        executable = program.executable
        setting = self._setting
        bits = context.changes.bits
        if setting is not None and not setting.bound.is_current:
            bits = context.changes.bits = bits | Changes.TEXTURES
        if setting is None or bits & Changes.BUT_VERTEX or not setting.holds(context, program, targets):
            linked: LinkedProgram = executable.backing
            if linked.program.vertex is None:
                return None
            if self.draws_smooth and gl.GL_LINE_SMOOTH in context.enabled:
                from replay.engine.smooth_lines import smoothed, smooths

                linked = smoothed(linked) if smooths(context, targets) else linked
            setting = self._settle(context, targets, linked, program, executable)
        elif bits:
            self._source = self._find_source(context, bits, setting.linked, executable)
            context.changes.bits = 0
        return setting

    def _waits_shaded(self, drawn: Drawn) -> bool:
        """Whether a draw whose vertices a batch cannot shade may wait for one when they are shaded."""
        plan, context = drawn.setting.plan, drawn.setting.context
        return (
            drawn.place is None
            and plan.shades
            and self.recorder.is_recording
            and not (plan.has_loops or plan.makes_primitives or plan.reaches_memory)
            and not (context.current_queries or context.transform_feedback.active)
            and self.vertex_observer is None
        )

    def _queue_shaded(self, drawn: Drawn) -> None:
        """Shade the vertices of a draw, which then waits."""
        vertices = drawn.vertices = self._shade(drawn, waits=True)
        # The next draw's vertices go where these are.
        vertices.outputs = vertices.outputs.copy()
        self._find_places(drawn)
        self._note(drawn, self._queue(drawn, len(self.recorder.fetches)))

    def _execute_at_once(self, drawn: Drawn) -> None:
        """Execute a draw that cannot wait."""
        context, targets = drawn.setting.context, drawn.setting.targets
        queries = context.current_queries
        drawn.query = next((queries[target] for target in _OCCLUSION if target in queries), None)
        # What was drawn before is done: paths are numbered in the order of draws.
        self.pipeline.drain()
        fetch_first = len(self.recorder.fetches)
        is_seen = self.vertex_observer is not None or context.transform_feedback.active
        if drawn.place is None or is_seen:
            drawn.place, drawn.vertices = None, self._shade(drawn)
            if drawn.setting.plan.makes_primitives:
                self._emit(drawn)
                if targets.num_layers > 1 and drawn.emitted is not None:
                    self._draw_layers(drawn, targets)
                    return
        self._find_places(drawn)
        row = self._queue(drawn, fetch_first)
        self._complete(drawn, row)
        self._note(drawn, row)

    def _draw_layers(self, drawn: Drawn, targets: Targets) -> None:
        """Draw to each layer what the geometry stage of a draw sent there."""
        from replay.engine.layers import primitive_rows, split

        setting = drawn.setting
        if not self.shades:
            raise UnsupportedCallError(f"call {drawn.call_number}: this machine has no layered framebuffers")
        parts = split(drawn, targets.num_layers)
        self._capture(drawn, primitive_rows(drawn.mode, drawn.taken.cached.stream, setting.fixed.first_provokes))
        drawn.is_of_layer = True
        for layer, taken, emitted in parts:
            own = targets.layer(layer)
            self.recorder.passes.begin(own)
            drawn.setting = self._settle(setting.context, own, setting.linked, setting.program, setting.executable)
            drawn.taken, drawn.emitted = taken, emitted
            fetch_first = len(self.recorder.fetches)
            self._find_places(drawn)
            row = self._queue(drawn, fetch_first)
            self._complete(drawn, row)
            self._note(drawn, row)

    def _settle(
        self,
        context: Context,
        targets: Targets,
        linked: LinkedProgram,
        program: ProgramObject,
        executable: Executable,
    ) -> Setting:
        """The setting of a draw, looked up anew where something may have changed."""
        fixed, bound = self._state(context, targets, linked, program, executable)
        if self._settings_of is not self.recorder.paths:
            self._settings, self._settings_before = {}, self._settings
            self._settings_of = self.recorder.paths
        setting = self._settings.get((fixed, bound))
        if setting is None:
            setting = self._settings_before.get((fixed, bound))
            if setting is not None and setting.is_of(context, program, targets):
                setting.renew()
                self._settings[fixed, bound] = setting
        if setting is None or not setting.holds(context, program, targets):
            vertex = bind_stage(linked, "vertex", self.vertex_options, bound.bound)
            plan = self._plan(linked, fixed, bound, vertex)
            shades = self._shades_vertices(context, plan)
            setting = self._settings[fixed, bound] = Setting(
                self.recorder, context, targets, program, executable, linked, fixed, bound, vertex, plan, shades
            )
            setting.joins = (
                shades
                and plan.shades
                and self.keeps_setup
                and linked.is_gathered
                and not (plan.has_loops or fixed.first_provokes or self.recorder.wants_identity)
            )
        self._setting = setting
        return setting

    def forget_deleted(self) -> None:
        """Let go of a frame's settings of which images have been deleted, where it has many: they hold the texels."""
        if len(self._settings) > _FEW_SETTINGS:
            self._settings = {
                key: setting
                for key, setting in self._settings.items()
                if not (setting.bound.is_over or setting.targets.is_over)
            }

    def _shades_vertices(self, context: Context, plan: Plan) -> bool:
        """Whether a batch can shade the vertices."""
        return (
            not self.is_reference
            and not plan.makes_primitives
            and not plan.reaches_memory
            and (plan.vertex_book.is_straight or not self.recorder.wants_paths)
            and (context.is_gles or not plan.writes_clip_distances)
        )

    def _plan(self, linked: LinkedProgram, fixed: FixedState, bound: BoundProgram, vertex: StageCode) -> Plan:
        """What the draw has in common with others of its program's code and fixed-function state."""
        fragment, stage = None, linked.program.fragment
        if stage is not None and fixed.has_fragments:
            fragment = bind_stage(linked, "fragment", fixed.options, bound.bound)
        codes = vertex, fragment
        plan: Plan | None = fixed.plans.get(codes)
        if plan is not None:
            return plan
        alike: Plan | None = fixed.known.plans.get(codes)
        if alike is not None:
            plan = alike.moved(fixed)
        else:
            # What fragments write, the batch would write again where it lacks room for a table.
            shades = self.shades and not self.is_reference and (stage is None or not stage.reaches_memory)
            plan = Plan(
                linked,
                fixed,
                vertex,
                fragment,
                compiles=not self.is_reference,
                shades=shades,
                rasterizes=self.shades,
                wants_paths=self.recorder.wants_paths,
            )
            keep(fixed.known.plans, codes, plan, _MAX_PLANS)
        keep(fixed.plans, codes, plan, _MAX_PLANS)
        return plan

    def _new_batch(self) -> DrawBatch:
        recorder = self.recorder
        rows = recorder.draws if recorder.is_recording else None
        return DrawBatch(recorder.tables, rows, self.front, recorder.numbering, self._max_draws)

    def _queue(self, drawn: Drawn, fetch_first: int) -> int:
        """Add a draw to the batch; returns its row of ``draws``."""
        recorder, setting, vertices, taken = self.recorder, drawn.setting, drawn.vertices, drawn.taken
        constants, stream = drawn.constants, taken.cached.stream
        template = setting.template_for(self._vertex_path(drawn))
        if recorder.is_recording:
            recorder.fetches.extend(drawn.fetches, drawn.num_fetches)
        count = taken.num_primitives
        self._include_samples(setting)
        vertex_first, primitive_first = self._reserve(stream.num_rows, count)
        # Tables may have grown, which may have had batches run: now is the time to ask for one.
        batch = self.pipeline.batch(self._new_batch)
        row, place = len(recorder.draws), drawn.place
        reads = (0, 0) if place is None else (place.find(drawn.clients, batch.clients), place.count)
        areas = (
            batch.constants.place(constants["vertex"]),
            batch.constants.place(constants["fragment"]) if "fragment" in constants else 0,
        )
        fields = (*reads, drawn.call.base_instance)
        _add(batch, drawn, template, row, fields, areas, (vertex_first, primitive_first))
        if recorder.wants_identity and "fragment" in constants:
            batch.add_seed(identity_seed(setting.bound, constants["fragment"]))
        if vertices is not None or setting.fixed.first_provokes:
            self._add_shaded(batch, drawn, count)
        if recorder.is_recording:
            if vertices is not None and setting.plan.vertex_book.fell_back:
                drawn.flags |= DrawFlags.PATHS_FALLBACK.value
            first = vertex_first if recorder.wants_vertices else 0
            record_draw(recorder, drawn, (first, primitive_first, fetch_first))
        return row

    def _vertex_path(self, drawn: Drawn) -> int:
        """Path of all vertices of a draw, where they have the same; -1 where the batch numbers it."""
        if drawn.vertices is not None:
            return drawn.vertices.path
        setting = drawn.setting
        if setting.find_path() < 0 and drawn.common is None:
            self.pipeline.drain()
            setting.number_path()
        return setting.path

    def _reserve(self, rows: int, primitives: int) -> tuple[int, int]:
        """First rows of ``vertices`` and ``primitives`` of a draw."""
        tables = self.recorder.tables
        if self.recorder.is_recording:
            return (tables.vertices.reserve(rows) if tables.vertices.has_columns else 0), tables.primitives.reserve(
                primitives
            )
        tables.primitives.ensure(primitives)
        return 0, 0

    def _add_shaded(self, batch: DrawBatch, drawn: Drawn, count: int) -> None:
        """Give the draw that was queued last its shaded vertices, and its primitives where they are unusual."""
        vertices, setting = drawn.vertices, drawn.setting
        assembled = (
            geo.assembled(drawn.mode, drawn.taken.cached.stream, count) if setting.fixed.first_provokes else None
        )
        fields = UNSHADED if vertices is None else vertices.fields()
        batch.add_shaded({**fields, "assembled": 0 if assembled is None else address_of(assembled)}, assembled)

    # ------------------------------------------------------------------ state
    def _state(
        self,
        context: Context,
        targets: Targets,
        linked: LinkedProgram,
        program: ProgramObject,
        executable: Executable,
    ) -> tuple[FixedState, BoundProgram]:
        """What the draw needs of the state; looked up anew only where something may have changed."""
        bits = context.changes.bits
        if context is not self._context:
            bits = Changes.ALL
        if bits & Changes.FIXED or targets is not self._targets:
            self._fixed.clear()
        fixed = self._fixed.get(linked)
        if fixed is None:
            fixed = self._fixed[linked] = find_fixed(context, targets, linked, self.recorder, skips=self.shades)
        # Desktop GL enables seamless cube maps for all textures at once.
        touches = Changes.TEXTURES if context.is_gles else Changes.TEXTURES | Changes.FIXED
        from_window = targets.framebuffer.name == 0
        if bits & touches or from_window != self._from_window:
            self._bound.clear()
            self._from_window = from_window
        bound = self._bound.get(linked)
        if bound is None or bound.program is not program or bound.executable is not executable or not bound.is_current:
            bound = self._bound[linked] = self.bind(context, linked, program, executable, from_window=from_window)
        if self._source is None or bits & (Changes.VERTEX | Changes.ARRAY) or linked is not self._source_of:
            self._source = self._find_source(context, bits, linked, executable)
            self._source_of = linked
        self._context, self._targets = context, targets
        context.changes.bits = 0
        return fixed, bound

    def _find_source(self, context: Context, bits: int, linked: LinkedProgram, executable: Executable) -> VertexSource:
        """What a program reads of the vertex array that is bound; looked up anew where ``bits`` say that it changed."""
        if bits & Changes.VERTEX or len(self._sources) >= _MAX_SOURCES:
            self._sources.clear()
        key = context.vertex_array, linked
        found = self._sources.get(key)
        if found is None or not found.is_current:
            found = self._sources[key] = find_source(context, linked, executable)
        return found

    def _setup(self, context: Context, targets: Targets, mode: int, fixed: FixedState) -> tuple[NDArray[Any], int]:
        """Set-up state, and where it lies."""
        found = fixed.setups.get(mode)
        if found is None:
            if geo.kind_of(mode) is not PrimitiveKind.TRIANGLE:
                self.front.expect_lines()
            row = self.setup_state(context, targets, mode)
            # Seen as bytes: the interface of a structured array is slow to make.
            found = (row, address_of(row.view(np.uint8)))
            if self.keeps_setup:
                fixed.setups[mode] = found
        return found

    def bind(
        self,
        context: Context,
        linked: LinkedProgram,
        program: ProgramObject,
        executable: Executable,
        *,
        from_window: bool,
    ) -> BoundProgram:
        """See :func:`~replay.engine.bound_textures.bind_textures`; of a compute stage, too."""
        self._used[id(linked)] = linked
        return bind_textures(self.memory, context, linked, program, executable, from_window=from_window)

    # What follows a machine with another rasterizer does otherwise, and ``rasterize`` and ``run_fragments``
    # (:mod:`replay.handheld.pipeline`).
    #: Whether batches rasterize, shade and merge.
    shades: ClassVar[bool] = True
    #: Whether set-up state follows from the fixed-function state alone.
    keeps_setup: ClassVar[bool] = True
    draws_smooth: ClassVar[bool] = True

    def setup_state(self, context: Context, targets: Targets, mode: int) -> NDArray[Any]:
        """Primitive set-up state of a draw, one row of SETUP_DTYPE."""
        return geo.setup_state(context, targets, mode)


def _add(
    batch: DrawBatch,
    drawn: Drawn,
    template: bytes,
    row: int,
    reads: tuple[int, int, int],
    areas: tuple[int, int],
    first_rows: tuple[int, int],
) -> None:
    """Add a draw to a batch.

    Parameters
    ----------
    template : DRAW of its setting
    row : of ``draws``
    reads : where its ATTRIBUTE rows lie, how many these are, and its base instance
    areas : where the addresses of both stages' constants lie
    first_rows : of ``vertices`` and ``primitives``
    """
    taken, mode = drawn.taken, drawn.mode
    assert taken.index is not None
    batch.add(
        drawn, template, row, taken.cached.stream.address, *reads, *areas, row, *first_rows, taken.num_primitives,
        *taken.index, mode, mode == gl.GL_POINTS, drawn.kept[1],
    )  # fmt: skip
