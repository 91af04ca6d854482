"""Draws that are executed together: queued as records, run by one native call.

A draw of a few quads takes some microseconds of native work; each call from Python costs as much. Draws of the usual
kind are therefore written down (:class:`DrawBatch`) when the program makes them, with the addresses of all that they
depend on, and executed when somebody asks for what they draw or changes what they read: the pipeline is drained then.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from replay.engine.fragment_job import chunk_fields, record_columns
from replay.engine.fragments import JOB_CHUNK_QUADS, Scratch
from replay.engine.front import FrontEnd, address_of
from replay.engine.geometry import Tables
from replay.engine.paths import STRAIGHT_QUADS, FramePaths, PathBook
from replay.engine.rows import PackedRows
from replay.engine.stages import BoundTextures, StageCode, StageRun
from replay.glsl.execution import BUDGET_HINT, LoopBudgetError
from replay.glsl.llvm.abi import ARGUMENTS
from traceformat.frametrace import DrawFlags
from traceformat.guards import guards

if TYPE_CHECKING:
    from replay.engine.programs import StageConstants

__all__ = ["MAX_DRAWS", "DrawBatch", "DrawNeeds", "QueuedPaths"]

#: Draws of a batch.
MAX_DRAWS: Final = 256
#: Fetched vertices from which on a batch takes no more draws.
_MAX_ROWS: Final = 1 << 18
_FIRST_ROWS: Final = 1 << 14
_PAUSE_SECONDS: Final = 5e-5
_FIRST_BYTES: Final = 1 << 16
_ALIGNMENT: Final = 64
_NUM_ARGUMENTS: Final = len(ARGUMENTS.names or ())
_NO_DISTANCES: Final = np.zeros((1, 0), np.float32)


@dataclass(slots=True)
class QueuedPaths:
    """What is needed to number the paths of a queued draw's quads.

    Parameters
    ----------
    book : of the fragment stage
    place : paths of the frame, row of the program, first row of its blocks
    code, constants, bound : of the fragment stage
    """

    book: PathBook
    place: tuple[FramePaths, int, int]
    code: StageCode
    constants: StageConstants
    bound: BoundTextures


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


class DrawNeeds(Protocol):
    """What the stages of a draw need: input and output rows of vertices, output rows of fragments, scratch memory.

    ``quads`` is told how many quads a draw had.
    """

    input_rows: int
    output_rows: int
    fragment_rows: int
    stage_bytes: int
    quads: int


class DrawBatch:
    """Draws in their order; a job of the pipeline (:mod:`replay.engine.pipeline`).

    Parameters
    ----------
    tables : of the frame
    rows : ``draws``, for what is known only afterwards
    front : working memory of the front
    """

    def __init__(self, tables: Tables, rows: PackedRows, front: FrontEnd) -> None:
        from replay.engine.kernels import batch, shading

        self._kernel = k = batch
        self._tables = tables
        self._rows = rows
        self._front = front
        self._draws = np.zeros((MAX_DRAWS, k.DRAW_FIELDS.size // 8), np.int64)
        self._bytes = self._draws.data.cast("B")
        self._pack, self._draw_bytes = k.DRAW_FIELDS.pack_into, k.DRAW_FIELDS.size
        self._last_plan: DrawNeeds | None = None
        self._last_lanes = 0
        self._results = np.zeros((MAX_DRAWS, k.RESULT_FIELDS), np.int64)
        self._job = np.zeros(shading.NUM_FIELDS, np.int64)
        self._job_bytes = self._job.data.cast("B")
        self._pack_job, self._job_at = shading.THREAD_FIELDS.pack_into, 8 * shading.TABLES
        self._hashes = np.empty(0, np.uint64)
        self._arena = _aligned(_FIRST_BYTES)
        self._seen = np.empty(0, np.uint8)
        self._vertex_memory = _aligned(1 << 12)
        self._kept: list[Any] = []
        self._paths: list[QueuedPaths | None] = []
        self._plans: list[DrawNeeds] = []
        self._first_row = 0
        self._needs = _Needs()
        self.count = 0
        self.is_done = False
        self.error: BaseException | None = None
        arguments = np.zeros((2, _NUM_ARGUMENTS), np.uint64)
        state = np.zeros(shading.STATE_WORDS, np.int64)
        numbers = np.array([(ARGUMENTS.names or ()).index(name) for name in k.ARGUMENT_FIELDS], np.int64)
        self._fixed = (arguments, state, numbers)
        h = self._header = np.zeros(k.HEADER_WORDS, np.int64)
        self._header_bytes = h.data.cast("B")
        h[k.VERTEX_ARGUMENTS], h[k.TEMPLATE], h[k.ARGUMENT_WORDS] = *map(address_of, arguments), _NUM_ARGUMENTS
        h[k.NUMBERS], h[k.STATE] = address_of(numbers), address_of(state)
        h[k.CHUNK_FIELDS], h[k.NUM_CHUNK_FIELDS] = chunk_fields()
        h[k.CHUNK_QUADS], h[k.NO_DISTANCES] = JOB_CHUNK_QUADS, address_of(_NO_DISTANCES)
        h[k.KERNELS :] = _kernel_addresses()

    @property
    def num_quads(self) -> int:
        """Quads to shade, as far as that is known: none."""
        return 0

    @property
    def is_full(self) -> bool:
        """Whether no more draws fit."""
        return self.count == MAX_DRAWS or self._needs.rows > _MAX_ROWS

    def add(
        self,
        fields: tuple[int, ...],
        row: int,
        paths: QueuedPaths | None,
        kept: object,
        plan: DrawNeeds,
        num_rows: int,
        lanes: int,
        primitives: int,
    ) -> None:
        """Queue a draw.

        Parameters
        ----------
        fields : of its record, see :mod:`replay.engine.kernels.batch`
        row : of ``draws``; the rows of a batch follow each other
        paths : what numbers its quads' paths, None where they are not wanted
        kept : everything that the record points to
        plan : what its stages need
        num_rows, lanes, primitives : vertices that it fetches and shades, primitives that it assembles
        """
        if not self.count:
            self._first_row = row
        self._pack(self._bytes, self.count * self._draw_bytes, *fields)
        self._paths.append(paths)
        self._plans.append(plan)
        self._kept.append(kept)
        self.count += 1
        needs = self._needs
        if plan is not self._last_plan or lanes > self._last_lanes:
            self._last_plan, self._last_lanes = plan, lanes
            width = (lanes + 15) // 16 * 16
            needs.input_words = max(needs.input_words, max(plan.input_rows, 1) * width)
            needs.output_words = max(needs.output_words, plan.output_rows * width)
            needs.lanes = max(needs.lanes, lanes)
            needs.fragment_rows = max(needs.fragment_rows, plan.fragment_rows)
            needs.stage_bytes = max(needs.stage_bytes, plan.stage_bytes)
        if primitives > needs.primitives:
            needs.primitives = primitives
        needs.all_primitives += primitives
        needs.rows += num_rows

    # ------------------------------------------------------------------ execution
    def run(self, scratch: Scratch) -> None:
        """Execute all draws.

        Raises
        ------
        LoopBudgetError : a shader does not leave its loops in time
        """
        k, h, tables, front, needs = self._kernel, self._header, self._tables, self._front, self._needs
        front.provide(needs.lanes, needs.primitives, needs.primitives + (needs.primitives >> 3) + 64)
        tables.emitted.ensure(needs.all_primitives + (needs.all_primitives >> 3) + 64)
        tables.attributes.ensure(1)
        tables.quads.ensure(1)
        if "tex_first" in tables.quads:
            tables.tex_ops.ensure(_FIRST_ROWS)
            tables.texture_lines.ensure(4 * _FIRST_ROWS)
        counted = (tables.emitted, tables.attributes, tables.quads, tables.tex_ops, tables.texture_lines)
        rows = slice(k.EMITTED_ROWS, k.EMITTED_ROWS + len(counted))
        limits = guards()
        k.FIRST_FIELDS.pack_into(
            self._header_bytes,
            0,
            *(self.count, 0, 0, 0),
            *(table.num_rows for table in counted),
            *(0, 0),
            *(limits.loop_iterations, limits.draw_iterations),
        )
        self._provide_vertex_memory()
        while True:
            self._note(scratch)
            lacking = k.run_draws(h, self._draws, self._results, front.record, self._job)
            for table, number in zip(counted, h[rows].tolist(), strict=True):
                table.num_rows = number
            if lacking == k.DONE:
                return
            self._provide(lacking, int(h[k.NEEDED]), scratch)

    def _provide_vertex_memory(self) -> None:
        """Memory for the largest vertex stage: inputs, outputs, which lanes there are."""
        k, h, needs = self._kernel, self._header, self._needs
        size = 4 * (needs.input_words + needs.output_words) + needs.lanes + 3 * _ALIGNMENT
        if len(self._vertex_memory) < size:
            self._vertex_memory = _aligned(2 * size)
        at = address_of(self._vertex_memory)
        h[k.INPUTS] = at
        at += 4 * needs.input_words
        at += -at % _ALIGNMENT
        h[k.OUTPUTS] = at
        h[k.COVERAGE] = at + 4 * needs.output_words

    def _note(self, scratch: Scratch) -> None:
        """Take down where everything lies."""
        k, tables, front, needs = self._kernel, self._tables, self._front, self._needs
        front.note_tables()
        quads = tables.quads
        own = scratch.fields(needs.fragment_rows, needs.stage_bytes)
        k.NOTED_FIELDS.pack_into(
            self._header_bytes,
            8 * k.EMITTED_CAPACITY,
            tables.emitted.num_rows + tables.emitted.room,
            tables.attributes.num_rows + tables.attributes.room,
            quads.num_rows + quads.room,
            front.work_rows,
            own[1],
            front.points_at,
            address_of(self._seen),
            len(self._seen),
            address_of(self._hashes),
            len(self._hashes),
            address_of(self._arena),
            len(self._arena),
            quads.address("survives"),
            quads.address("tex_first"),
            quads.address("tex_count"),
            quads.address("path"),
        )
        columns: tuple[int, ...] = (0,) * 8
        if "tex_first" in quads:
            columns = record_columns(tables)
        self._pack_job(self._job_bytes, self._job_at, *columns, *own)

    def _provide(self, lacking: int, needed: int, scratch: Scratch) -> None:
        """Make room for what is lacking."""
        k, h, tables = self._kernel, self._header, self._tables
        if lacking == k.NEED_EMITTED:
            tables.emitted.ensure(needed)
            self._front.provide(0, 0, needed)
        elif lacking == k.NEED_ATTRIBUTES:
            tables.attributes.ensure(needed)
        elif lacking == k.NEED_QUADS:
            tables.quads.ensure(needed)
        elif lacking == k.NEED_ARENA:
            used = int(h[k.ARENA_USED])
            arena = _aligned(2 * (used + needed))
            arena[:used] = self._arena[:used]
            self._arena = arena
        elif lacking == k.NEED_SEEN:
            self._seen = np.empty(2 * needed, np.uint8)
        elif lacking == k.NEED_HASHES:
            used = int(h[k.HASHES_USED])
            hashes = np.empty(2 * (used + needed), np.uint64)
            hashes[:used] = self._hashes[:used]
            self._hashes = hashes
        elif lacking == k.NEED_RECORD:
            scratch.provide_record(needed)
        elif lacking == k.NEED_TABLES:
            tables.tex_ops.ensure(max(tables.tex_ops.num_rows, tables.tex_ops.room + 1))
            tables.texture_lines.ensure(max(tables.texture_lines.num_rows, tables.texture_lines.room + 1))
        else:
            raise LoopBudgetError("a shader runs more loop iterations than it may", hint=BUDGET_HINT)

    def help(self, scratch: Scratch) -> None:
        """Wait a little: there is nothing that a second thread could do."""
        time.sleep(_PAUSE_SECONDS)

    # ------------------------------------------------------------------ afterwards
    def finish(self) -> None:
        """What has to be done by the thread that prepares draws: rows of ``draws``, numbers of paths; then empty.

        Raises
        ------
        what :meth:`run` raised on another thread
        """
        try:
            if self.error is not None:
                raise self.error
            self._finish()
        finally:
            self.count = 0
            self.is_done = False
            self.error = None
            self._kept.clear()
            self._paths.clear()
            self._plans.clear()
            self._needs = _Needs()
            self._last_plan = None

    def _finish(self) -> None:
        k, count = self._kernel, self.count
        results = self._results[:count]
        for plan, num_quads in zip(self._plans, results[:, k.NUM_QUADS].tolist(), strict=True):
            plan.quads = num_quads
        self._rows.fill(
            self._first_row,
            count,
            {
                "emitted_first": results[:, k.FIRST_EMITTED],
                "emitted_count": results[:, k.NUM_EMITTED],
                "quad_first": results[:, k.FIRST_QUAD],
                "quad_count": results[:, k.NUM_QUADS],
            },
        )
        # Draws of one program follow each other: their paths are looked up again at once.
        book: PathBook | None = None
        begin = end = 0
        for number in np.flatnonzero((results[:, k.PATH_MISSING] != 0) & (results[:, k.NUM_QUADS] != 0)).tolist():
            paths = self._paths[number]
            if paths is None:
                continue
            first, quads, _, _, missing = results[number, k.FIRST_QUAD :].tolist()
            if missing < 0 or quads > STRAIGHT_QUADS:
                self._number(number, paths)
                continue
            paths.book.begin_draw(*paths.place)
            paths.book.enter_straight(missing)
            if paths.book is not book or first != end:
                if book is not None:
                    book.number_straight(self._tables, begin, end)
                book, begin = paths.book, first
            end = first + quads
        if book is not None:
            book.number_straight(self._tables, begin, end)

    def _number(self, number: int, paths: QueuedPaths) -> None:
        """Number the paths of a draw's quads where they are new."""
        k = self._kernel
        result = self._results[number].tolist()
        first, count = result[k.FIRST_QUAD], result[k.NUM_QUADS]
        paths.book.begin_draw(*paths.place)
        hashes = self._hashes[result[k.FIRST_HASH] : result[k.FIRST_HASH] + count]
        words = paths.code.layout.num_plane_words
        at = result[k.PLANES_OFFSET]
        planes = self._arena[at : at + 4 * words * result[k.NUM_EMITTED]].view(np.float32).reshape(-1, words)
        run = StageRun(paths.code, paths.constants, paths.bound)
        paths.book.number(run, planes, result[k.FIRST_EMITTED], self._tables, hashes, first, first + count)
        if paths.book.fell_back:
            row = self._first_row + number
            self._rows.update(row, "flags", self._rows.get(row, "flags") | int(DrawFlags.PATHS_FALLBACK))


def _aligned(num_bytes: int) -> NDArray[np.uint8]:
    """Memory on a 64-byte boundary, content undefined."""
    raw = np.empty(num_bytes + _ALIGNMENT, np.uint8)
    return raw[-address_of(raw) % _ALIGNMENT :][:num_bytes]


@cache
def _kernel_addresses() -> list[int]:
    from replay.engine.kernels.batch import kernel_addresses

    return kernel_addresses()
