"""Draws that are executed together: each becomes a record, and one native call executes all of them.

A draw is prepared in microseconds where nothing but numbers is written down; what it reads is looked at when the batch
runs. So whoever is about to change that (a buffer, a texture, a target) has the batch run first, and so does whoever
asks for what it draws. A draw that has to be executed at once is a batch of its own.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine.constants import ConstantArena
from replay.engine.entries import BATCH_KERNELS, RUN_DRAWS, RUN_JOB
from replay.engine.front import FrontMemory
from replay.engine.kernels import lacking as lacking_codes
from replay.engine.kernels.records import (
    BATCH,
    DRAW,
    FETCH,
    JOB,
    NUMBERED,
    PIXELS,
    PROGRESS,
    RECORD_ADDRESSES,
    RECORD_COLUMNS,
    RESULT,
)
from replay.engine.octets import OctetArena
from replay.engine.paths import STRAIGHT_QUADS, Numbering, PathBook
from replay.engine.rows import PackedRows
from replay.engine.stages import StageRun
from replay.engine.tables import Tables
from replay.engine.thread_memory import ThreadMemory, aligned_octets
from replay.glsl.execution import LoopBudgetError, budget_hint
from replay.glsl.llvm.abi import ARGUMENTS
from replay.texture.filled import NOTHING
from traceformat.gputrace.frametrace import MAX_COLOR_ATTACHMENTS, SAMPLE_COLUMNS, DrawFlags
from traceformat.guards import guards
from traceformat.kernels import compiling_many
from traceformat.native.records import address_of

if TYPE_CHECKING:
    from replay.engine.drawn import Drawn, Queued
    from replay.engine.plan import Plan
    from replay.engine.setting import Setting

__all__ = ["MAX_ROWS", "VARYING", "DrawBatch", "max_draws"]

#: Draws of a batch, and of one that other threads execute while further draws are prepared: these begin the sooner.
_MAX_DRAWS: Final = 1 << 10
_MAX_HANDED_DRAWS: Final = 1 << 8
#: Fetched vertices from which on a batch takes no more draws.
MAX_ROWS: Final = 1 << 18
_PAUSE_SECONDS: Final = 5e-5
_FIRST_BYTES: Final = 1 << 16
_ALIGNMENT: Final = 64
#: Paths that the native call may give numbers; where there are more, they get theirs afterwards.
_NUMBERED_ROWS: Final = 1 << 9
#: Quads of a plan's recent draws from which on several threads share a batch.
SHARED_QUADS: Final = 1 << 14


#: What differs between draws of one setting, in the order in which :meth:`DrawBatch.add` takes it.
VARYING: Final = (
    "stream", "attributes", "num_attributes", "base_instance", "vertex_areas", "fragment_areas", "row", "vertex_first",
    "primitive_first", "num_primitives", "index_bytes", "index_address", "mode", "has_points", "setup",
)  # fmt: skip
_VARYING: Final = DRAW.packer(*VARYING)
_SEED: Final = DRAW.packer("identity_seed")
_TOUCHED_AREA: Final = ("touched_x0", "touched_y0", "touched_x1", "touched_y1")
_TOUCHED: Final = BATCH.packer(*_TOUCHED_AREA)
#: Where a batch begins, and what it has room for, as :meth:`DrawBatch.run` gives them.
_BEGIN: Final = BATCH.packer(
    "at", "phase", "needed", "emitted_rows", "attribute_rows", "quad_rows", "op_rows", "line_rows", "color_rows",
    "hashes_used", "arena_used", "constants", "num_constants", *_TOUCHED_AREA, "num_numbered",
)  # fmt: skip
_ROOM: Final = BATCH.packer(
    "emitted_capacity", "attribute_capacity", "quad_capacity", "color_capacity", "work_rows", "points", "primitives",
    "seen", "seen_bytes", "hashes", "hash_words", "arena", "arena_bytes", "survives", "tex_first", "tex_count",
    "quad_paths", "shader_depth", "identity", "colors",
)  # fmt: skip
#: How many rows there are, as the kernel leaves it.
_ROWS: Final = BATCH.packer(
    "emitted_rows", "attribute_rows", "quad_rows", "op_rows", "line_rows", "color_rows"
)  # fmt: skip
_VERTEX_MEMORY: Final = BATCH.packer("inputs", "outputs", "coverage")
_JOB_MEMORY: Final = JOB.packer("record_rows", "output_rows", "scratch_bytes")
#: What ``draws`` has of a RESULT, and in which columns.
_KEPT: Final = RESULT.words("emitted_first", "num_emitted", "quad_first", "num_quads")
_KEPT_COLUMNS: Final = ("emitted_first", "emitted_count", "quad_first", "quad_count")
_SHADED: Final = DRAW.packer("outputs", "output_width", "paths", "distances", "num_distances", "assembled")


@dataclass(slots=True)
class _Needs:
    """Most that any draw of a batch needs of the working memory."""

    input_words: int = 0
    output_words: int = 0
    lanes: int = 0
    primitives: int = 0
    all_primitives: int = 0
    rows: int = 0
    fragment_rows: int = 1
    stage_bytes: int = 0


class DrawBatch:
    """Draws in their order.

    Parameters
    ----------
    tables : of the frame
    rows : ``draws``, for what is known only afterwards; None where nobody wants more than pictures
    front : working memory of the front
    numbering : of the frame's paths
    room : draws that it takes, see :func:`max_draws`

    Attributes
    ----------
    is_done, error : set by the thread that ran it
    is_large : several threads had better share it
    turn : how often it has been executed
    """

    def __init__(
        self, tables: Tables, rows: PackedRows | None, front: FrontMemory, numbering: Numbering, room: int
    ) -> None:
        self._max_draws = room
        self._run_draws = RUN_DRAWS.call
        self._tables = tables
        self._rows = rows
        self._front = front
        self._draws = DRAW.rows(room)
        self._memory = self._draws.view(np.uint8).data
        self._results = RESULT.rows(room)
        self._kept_place = rows.word_place(*_KEPT_COLUMNS) if rows is not None else 0
        self._kept = self._results.view(np.int64).reshape(room, -1)[:, _KEPT]
        self._numbering, self._numbered = numbering, NUMBERED.rows(_NUMBERED_ROWS)
        self._hashes = np.empty(0, np.uint64)
        self._arena = aligned_octets(_FIRST_BYTES)
        self._seen = np.empty(0, np.uint8)
        #: Where these three lie.
        self._hashes_at, self._arena_at, self._seen_at = 0, address_of(self._arena), 0
        self._arguments = np.zeros((2, ARGUMENTS.itemsize // 8), np.uint64)
        self._queued: list[Queued] = []
        #: What its draws' records point to beside what they keep themselves.
        self._pointed_to: list[object] = []
        #: Constants of its draws.
        self.constants = ConstantArena()
        #: Arrays in client memory as its draws found them.
        self.clients = OctetArena()
        self._first_row = 0
        self._needs = _Needs()
        self._last: tuple[Plan | None, int] = (None, 0)
        #: Plans of its draws, each with the number of the first one of several that follow each other.
        self._plans: list[tuple[Plan, int]] = []
        self.count = self.turn = 0
        self.is_done = False
        self.is_large = False
        self.error: BaseException | None = None
        self._progress, self._fetch, self._pixels = PROGRESS.row(), FETCH.row(), PIXELS.row()
        self._job: Any = JOB.row(
            template=address_of(self._arguments[1]),
            progress=self._progress.address,
            pixels=self._pixels.address,
        )
        limits = guards()
        self._record: Any = BATCH.row(
            draws=address_of(self._draws),
            results=address_of(self._results),
            front=front.record.address,
            job=self._job.address,
            keeps=rows is not None,
            vertex_arguments=address_of(self._arguments[0]),
            template=address_of(self._arguments[1]),
            fetching=self._fetch.address,
            loop_iterations=limits.loop_iterations,
            draw_iterations=limits.draw_iterations,
            numbering=numbering.record.address,
            numbered=address_of(self._numbered),
            numbered_rows=_NUMBERED_ROWS,
            **_kernel_addresses(),
        )
        self._record_columns = RECORD_ADDRESSES.packer(*RECORD_ADDRESSES.fields)
        #: Where everything lay when that was taken down last.
        self._noted: tuple[object, ...] = ()

    @property
    def is_full(self) -> bool:
        """Whether no more draws fit."""
        return self.count == self._max_draws or self._needs.rows > MAX_ROWS

    def add(self, draw: Drawn, template: bytes, row: int, *varying: int) -> None:
        """Queue a draw.

        Parameters
        ----------
        draw : the draw
        template : DRAW of its setting
        row : of ``draws``; the rows of a batch follow each other
        varying : fields of VARYING
        """
        at = self.count * DRAW.size
        if not at:
            self._first_row = row
        self._memory[at : at + DRAW.size] = template
        _VARYING.put(self._memory, at, *varying)
        self._queued.append(draw)
        self.count += 1
        needs, plan, stream = self._needs, draw.setting.plan, draw.taken.cached.stream
        lanes, num_primitives = stream.num_lanes, draw.taken.num_primitives
        if plan is not self._last[0] or lanes > self._last[1]:
            if plan is not self._last[0]:
                self._plans.append((plan, self.count - 1))
            self._last = (plan, lanes)
            self._need(plan, lanes)
        if num_primitives > needs.primitives:
            needs.primitives = num_primitives
        needs.all_primitives += num_primitives
        needs.rows += stream.num_rows

    def add_all(
        self,
        draws: Sequence[Queued],
        settings: Sequence[Setting],
        which: NDArray[Any],
        row: int,
        varying: dict[str, Any],
        sizes: tuple[NDArray[np.int64], NDArray[np.int64]],
    ) -> None:
        """Queue draws for which there is room, see :attr:`room`.

        Parameters
        ----------
        settings, which : their settings, and the number of each one's
        row : of ``draws`` of the first
        varying : fields of VARYING, each one value a draw or one for all
        sizes : fetched and shaded vertices of each
        """
        if not self.count:
            self._first_row = row
        records = self._draws[self.count : self.count + len(draws)]
        # As words: records of many fields are slow to pick.
        templates = np.frombuffer(b"".join([setting.template for setting in settings]), np.int64)
        records.view(np.int64).reshape(len(draws), -1)[...] = templates.reshape(len(settings), -1).take(which, axis=0)
        for name, values in varying.items():
            records[name] = values
        self._queued += draws
        rows, lanes = sizes
        begins, most = [0], [int(lanes.max())]
        if len(settings) > 1:
            begins += (np.flatnonzero(which[1:] != which[:-1]) + 1).tolist()
            own = np.zeros(len(settings), np.int64)
            np.maximum.at(own, which, lanes)
            most = own.tolist()
        self._plans += [(settings[which[number]].plan, self.count + number) for number in begins]
        self._last = (None, 0)
        self.count += len(draws)
        needs = self._needs
        for setting, num_lanes in zip(settings, most, strict=True):
            self._need(setting.plan, num_lanes)
        num_primitives = varying["num_primitives"]
        needs.primitives = max(needs.primitives, int(num_primitives.max()))
        needs.all_primitives += int(num_primitives.sum())
        needs.rows += int(rows.sum())

    @property
    def room(self) -> int:
        """Draws for which there is room."""
        return self._max_draws - self.count

    def _need(self, plan: Plan, lanes: int) -> None:
        """Note what the stages of a draw need of the working memory."""
        needs = self._needs
        width = (lanes + 15) // 16 * 16
        needs.input_words = max(needs.input_words, max(plan.input_rows, 1) * width)
        needs.output_words = max(needs.output_words, plan.output_rows * width)
        needs.lanes = max(needs.lanes, lanes)
        needs.fragment_rows = max(needs.fragment_rows, plan.fragment_rows)
        needs.stage_bytes = max(needs.stage_bytes, plan.stage_bytes)
        if plan.quads > SHARED_QUADS or plan.has_loops:
            self.is_large = True

    def add_shaded(self, fields: dict[str, int], kept: object) -> None:
        """Give the draw that was queued last its shaded vertices and primitives, and what to keep for them."""
        _SHADED.pack_into(self._memory, (self.count - 1) * DRAW.size, fields)
        self._pointed_to.append(kept)

    def add_seed(self, seed: int) -> None:
        """Give the draw that was queued last what its fragments' identities begin with."""
        _SEED.put(self._memory, (self.count - 1) * DRAW.size, seed - (seed >> 63 << 64))

    # ------------------------------------------------------------------ execution
    def run(self, thread: ThreadMemory) -> None:
        """Execute all draws.

        Raises
        ------
        LoopBudgetError : a shader does not leave its loops in time
        """
        shared, tables, needs = self._record, self._tables, self._needs
        self.provide(thread)
        shared.count = self.count
        _BEGIN.put(
            shared.memory, 0, 0, 0, 0,
            tables.emitted.num_rows, tables.attributes.num_rows, tables.quads.num_rows,
            tables.tex_ops.num_rows, tables.texture_lines.num_rows, tables.color_data.num_rows,
            0, 0, self.constants.address, self.constants.count, *NOTHING, 0,
        )  # fmt: skip
        thread.record.job, thread.record.is_helper = self._job.address, 0
        shared.thread, shared.stage_scratch = thread.record.address, thread.record.scratch
        job = self._job
        _JOB_MEMORY.put(job.memory, 0, 0, needs.fragment_rows, needs.stage_bytes)
        self._provide_vertex_memory(thread)
        self._progress.is_running = 1
        try:
            self._run(thread)
        finally:
            self._progress.is_running = 0

    def _run(self, thread: ThreadMemory) -> None:
        """Execute all draws, with more memory as often as it is lacking."""
        shared, tables = self._record, self._tables
        while True:
            self._note()
            lacking = self._run_draws(shared.address)
            (
                tables.emitted.num_rows, tables.attributes.num_rows, tables.quads.num_rows,
                tables.tex_ops.num_rows, tables.texture_lines.num_rows, tables.color_data.num_rows,
            ) = _ROWS.take(shared.memory, 0)  # fmt: skip
            if lacking == lacking_codes.DONE:
                return
            self._provide(lacking, shared.needed, thread)

    def number_on(self) -> None:
        """All that has been drawn before is done: paths may get numbers as they appear."""
        self._numbering.go_on()

    def provide(self, thread: ThreadMemory) -> None:
        """Make sure of the memory that its draws need to begin with."""
        tables, needs = self._tables, self._needs
        self._front.provide(needs.lanes, needs.primitives, needs.primitives + (needs.primitives >> 3) + 64)
        tables.emitted.ensure(needs.all_primitives + (needs.all_primitives >> 3) + 64)
        tables.attributes.ensure(1)
        tables.quads.ensure(1)
        if "tex_first" in tables.quads:
            # Where there is some room, it may do.
            tables.tex_ops.ensure(1)
            tables.texture_lines.ensure(1)
        thread.provide(needs.fragment_rows, needs.stage_bytes)
        thread.provide_record(1)

    def _provide_vertex_memory(self, thread: ThreadMemory) -> None:
        """Memory for the largest vertex stage: inputs, outputs, which lanes there are."""
        shared, needs = self._record, self._needs
        inputs = thread.vertices(4 * (needs.input_words + needs.output_words) + needs.lanes + 3 * _ALIGNMENT)
        outputs = inputs + 4 * needs.input_words
        outputs += -outputs % _ALIGNMENT
        _VERTEX_MEMORY.put(shared.memory, 0, inputs, outputs, outputs + 4 * needs.output_words)

    def _note(self) -> None:
        """Take down where everything lies, if that has changed."""
        shared, job, tables, front = self._record, self._job, self._tables, self._front
        front.note_tables()
        quads, ops, lines, colors = tables.quads, tables.tex_ops, tables.texture_lines, tables.color_data
        noted = (
            tables.emitted.addresses, tables.attributes.addresses, quads.addresses, ops.addresses, lines.addresses,
            colors.addresses, tables.emitted.capacity, tables.attributes.capacity, quads.capacity, ops.capacity,
            lines.capacity, colors.capacity, front.work_rows, front.points_at, front.primitives_at,
            self._seen_at, self._hashes_at, self._arena_at,
        )  # fmt: skip
        if noted == self._noted:
            return
        self._noted = noted
        column = quads.addresses.get
        tex_first = column("tex_first", 0)
        _ROOM.put(
            shared.memory, 0,
            tables.emitted.capacity, tables.attributes.capacity, quads.capacity, colors.capacity,
            front.work_rows, front.points_at, front.primitives_at,
            self._seen_at, len(self._seen), self._hashes_at, len(self._hashes), self._arena_at, len(self._arena),
            column("survives", 0), tex_first, column("tex_count", 0), column("path", 0),
            column("shader_depth", 0), column("identity", 0), colors.address("byte"),
        )  # fmt: skip
        if tex_first:
            addresses = [getattr(tables, name).address(key) for name, keys in RECORD_COLUMNS.items() for key in keys]
            self._record_columns.put(job.memory, JOB.place("columns"), *addresses)
            job.ops_room, job.lines_room = ops.capacity, lines.capacity

    def _provide(self, lacking: int, needed: int, thread: ThreadMemory) -> None:
        """Make room for what is lacking."""
        shared, tables = self._record, self._tables
        if lacking == lacking_codes.NEED_EMITTED:
            tables.emitted.ensure(needed)
            self._front.provide(0, 0, needed)
        elif lacking == lacking_codes.NEED_ATTRIBUTES:
            tables.attributes.ensure(needed)
        elif lacking == lacking_codes.NEED_QUADS:
            tables.quads.ensure(needed)
        elif lacking == lacking_codes.NEED_ARENA:
            # What is taken of it is rounded up: a whole number of these, so that it never ends behind it.
            arena = aligned_octets(-(-2 * (shared.arena_used + needed) // _ALIGNMENT) * _ALIGNMENT)
            arena[: shared.arena_used] = self._arena[: shared.arena_used]
            self._arena, self._arena_at = arena, address_of(arena)
        elif lacking == lacking_codes.NEED_SEEN:
            self._seen = np.empty(2 * needed, np.uint8)
            self._seen_at = address_of(self._seen)
        elif lacking == lacking_codes.NEED_COLORS:
            tables.color_data.ensure(needed)
        elif lacking == lacking_codes.NEED_HASHES:
            hashes = np.empty(2 * (shared.hashes_used + needed), np.uint64)
            hashes[: shared.hashes_used] = self._hashes[: shared.hashes_used]
            self._hashes, self._hashes_at = hashes, address_of(hashes)
        elif lacking == lacking_codes.NEED_RECORD:
            thread.provide_record(needed)
            self._job.record_rows = needed
        elif lacking == lacking_codes.NEED_TABLES:
            tables.tex_ops.ensure(max(tables.tex_ops.num_rows, tables.tex_ops.room + 1))
            tables.texture_lines.ensure(max(tables.texture_lines.num_rows, tables.texture_lines.room + 1))
        else:
            raise LoopBudgetError("a shader runs more loop iterations than it may", hint=budget_hint())

    def help(self, thread: ThreadMemory, looks: int) -> None:
        """Take a part of the draws while another thread runs the batch; else wait a little.

        Parameters
        ----------
        looks : how often to look for a draw that has a part left, before it gives up
        """
        if not self.is_large:
            time.sleep(_PAUSE_SECONDS)
            return
        job = self._job
        thread.provide(job.output_rows, job.scratch_bytes)
        thread.provide_record(max(job.record_rows, 1))
        thread.record.job, thread.record.is_helper = job.address, looks
        RUN_JOB.call(thread.record.address)

    # ------------------------------------------------------------------ afterwards
    def finish(self) -> None:
        """What has to be done by the thread that prepares draws: rows of ``draws``, numbers of paths; then empty.

        Raises
        ------
        what :meth:`run` raised on another thread
        """
        try:
            if self._queued:
                x0, y0, x1, y1 = _TOUCHED.take(self._record.memory, 0)
                writes_depth = any([plan.writes_depth for plan, _ in self._plans])
                self._queued[-1].setting.targets.touch((x0, y0, x1, y1), with_depth=writes_depth)
            if self.error is not None:
                raise self.error
            self._finish()
        finally:
            self.turn += 1
            self.count = 0
            self.is_done = self.is_large = False
            self.error = None
            self._queued = []
            self._pointed_to.clear()
            self.constants.clear()
            self.clients.clear()
            self._needs = _Needs()
            self._last = (None, 0)
            self._plans.clear()

    @property
    def last(self) -> Any:
        """RESULT of the draw that was queued last; stays until the batch runs again."""
        return self._results[self._record.count - 1]

    def planes(self, result: Any, words: int) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
        """Plane equations (E, words) and facings (E,) of a draw that others shade; there until the batch runs again."""
        at, rows = int(result["planes_at"]), int(result["num_emitted"])
        end = at + 4 * words * rows
        return self._arena[at:end].view(np.float32).reshape(rows, words), self._arena[end : end + rows]

    def _finish(self) -> None:
        results = self._results[: self.count]
        sizes = results["num_quads"].tolist()
        # A plan's large draw is not forgotten for the small ones that follow it.
        now = object()
        ends = [number for _, number in self._plans[1:]]
        for (plan, begin), end in zip(self._plans, [*ends, len(sizes)], strict=bool(sizes)):
            if plan.looked_at is not now:
                plan.looked_at = now
                plan.quads >>= 1
            own = sizes[begin:end]
            plan.quads = max(plan.quads, *own)
            plan.usual_quads = sum(own) // len(own)
        if self._rows is None:
            return
        self._rows.fill_words(self._first_row, self._kept_place, self._kept[: self.count])
        count = self._record.num_numbered
        if count:
            self._numbering.enter(self._numbered[:count])
        # The thread that runs the next batch may find that a table lacks room.
        with self._tables.quads.moving:
            self._fill_rare_columns(results)
            self._fill_colors(results)
            self._number_paths(results, sizes)

    def _fill_colors(self, results: NDArray[Any]) -> None:
        """Where the colours of each draw's attachments begin, if they are kept."""
        if not self._tables.color_data.has_columns:
            return
        first = np.zeros((self.count, MAX_COLOR_ATTACHMENTS), np.int64)
        for number, draw in enumerate(self._queued):
            at, quads = int(results[number]["color_first"]), int(results[number]["num_quads"])
            for buffer, size in draw.setting.plan.kept_colors:
                first[number, buffer] = at
                at += 4 * quads * size
        if first.any():
            assert self._rows is not None
            self._rows.fill(self._first_row, self.count, {"color_first": first})

    def _fill_rare_columns(self, results: NDArray[Any]) -> None:
        """Columns of quads that few frames have: what they hold for draws that have nothing unusual."""
        quads = self._tables.quads
        rare = [key for key in (*SAMPLE_COLUMNS, "identity_excluded", "shader_depth") if key in quads]
        if not rare:
            return
        for draw, first, count in zip(
            self._queued, results["quad_first"].tolist(), results["num_quads"].tolist(), strict=True
        ):
            rows = slice(first, first + count)
            for key in rare:
                if key in draw.setting.plan.own_columns:
                    continue
                if key == "identity_excluded":
                    quads[key][rows] = 15 if draw.setting.plan.is_positional else 0
                else:
                    quads[key][rows] = quads["depth"][rows] if key == "shader_depth" else 0

    def _number_paths(self, results: NDArray[Any], sizes: list[int]) -> None:
        """Number paths that have no number yet; ``sizes`` are the draws' quads."""
        # Draws of one program follow each other: their paths are looked up again at once.
        book: PathBook | None = None
        begin = end = entered = 0
        # Lists: columns of records cost a small frame more than its draws do.
        paths, lacking = self._draws["vertex_path"][: self.count].tolist(), results["path_missing"].tolist()
        unnumbered = [number for number, path in enumerate(paths) if path < 0] if min(paths, default=0) < 0 else []
        numbers = [number for number, bits in enumerate(lacking) if bits and sizes[number]] if any(lacking) else []
        if not (unnumbered or numbers):
            return
        # Draws of which vertices may take new paths: the first of a setting, or any whose paths differ.
        new: dict[Any, int] = {}
        for number in unnumbered:
            draw = self._queued[number]
            new.setdefault(draw.setting if draw.vertices is None or draw.vertices.hashes is None else draw, number)
        waiting = list(new.values())
        firsts = results["quad_first"].tolist() if numbers else []
        hash_firsts = results["hash_first"].tolist() if numbers and min(lacking) < 0 else []
        #: The row of quads up to which all have numbers that were looked up by hash.
        known = 0
        for at, number in enumerate(numbers):
            first, quads, missing = firsts[number], sizes[number], lacking[number]
            # In the order of draws, each one's vertices before its quads.
            while waiting and waiting[0] <= number:
                self._number_vertices(waiting.pop(0))
            setting = self._queued[number].setting
            own = setting.plan.book
            if own is None:
                continue
            after = first + quads
            if missing < 0 and after <= known:
                continue
            if missing < 0:
                for other in numbers[at + 1 :]:
                    is_alike = lacking[other] < 0 and self._queued[other].setting.plan.book is own
                    if not is_alike or firsts[other] != after:
                        break
                    after += sizes[other]
                hash_first = hash_firsts[number]
                known = self._number_known(setting, first, after, hash_first)
                if known < first + quads:
                    self._number(number, known, first + quads, hash_first + known - first)
                continue
            if quads > STRAIGHT_QUADS:
                own.begin_draw(*setting.paths)
                own.number_new_straight(self._tables, first, after)
                continue
            if own is not book or missing & ~entered:
                entered = missing if own is not book else entered | missing
                own.begin_draw(*setting.paths)
                own.enter_straight(missing)
            if own is not book or first != end:
                if book is not None:
                    book.number_straight(self._tables, begin, end)
                book, begin = own, first
            end = after
        if book is not None:
            book.number_straight(self._tables, begin, end)
        for number in waiting:
            self._number_vertices(number)
        self._fill_vertex_paths(unnumbered)

    def _number_known(self, setting: Setting, first: int, end: int, hash_first: int) -> int:
        """Number the paths of draws that follow each other, as long as they have numbers: up to this row of quads.

        Parameters
        ----------
        setting : of the first of them
        first, end : their rows of quads
        hash_first : where the hash of the first quad is
        """
        book = setting.plan.book
        assert book is not None
        book.begin_draw(*setting.paths)
        return first + book.number_known(self._tables, self._hashes[hash_first:], first, end)

    def _number_vertices(self, number: int) -> None:
        """Number the paths of a draw's vertices where they are new; all before have theirs."""
        draw = self._queued[number]
        if draw.vertices is None or draw.vertices.hashes is None:
            draw.setting.number_path()
        elif draw.vertices.number(*draw.setting.vertex_paths):
            self._note_fallback(number)

    def _note_fallback(self, number: int) -> None:
        """Note that a draw has more paths than are kept."""
        if self._rows is not None:
            row = self._first_row + number
            self._rows.update(row, "flags", self._rows.get(row, "flags") | int(DrawFlags.PATHS_FALLBACK))

    def _fill_vertex_paths(self, numbers: list[int]) -> None:
        """Write the paths of vertices of draws that had none when the batch ran."""
        table = self._tables.vertices
        if not numbers or "path" not in table:
            return
        column, firsts = table["path"], self._draws["vertex_first"][: self.count].tolist()
        for number in numbers:
            draw, first = self._queued[number], firsts[number]
            stream, vertices = draw.taken.cached.stream, draw.vertices
            own: Any = draw.setting.path
            if vertices is not None and vertices.paths is not None:
                own = vertices.paths[stream.arrays.lane]
            column[first : first + stream.num_rows] = own

    def _number(self, number: int, first: int, end: int, hash_first: int) -> None:
        """Number the paths of a draw's quads where they are new.

        Parameters
        ----------
        number : of the draw, which has hashes
        first, end : rows of quads from the first one on that has no number
        hash_first : where that one's hash is
        """
        queued, result = self._queued[number], self._results[number]
        setting, code, book = queued.setting, queued.setting.plan.fragment, queued.setting.plan.book
        assert code is not None
        assert book is not None
        book.begin_draw(*setting.paths)

        def executed() -> tuple[StageRun, NDArray[np.float32], int]:
            planes, _ = self.planes(result, code.layout.num_plane_words)
            run = StageRun(code, queued.constants["fragment"], setting.bound.bound)
            return run, planes, int(result["emitted_first"])

        book.number(executed, self._tables, self._hashes[hash_first:], first, end)
        if book.fell_back:
            self._note_fallback(number)


def max_draws(threads: int) -> int:
    """Draws of a batch, given how many threads execute them."""
    return _MAX_DRAWS if threads == 1 else _MAX_HANDED_DRAWS


@cache
def _kernel_addresses() -> dict[str, int]:
    with compiling_many():
        return {name: kernel.address for name, kernel in BATCH_KERNELS.items()}
