"""Fragment work of draws beside the rest: a second thread shades what has been rasterized while draws are prepared.

Jobs run one after the other in the order of draws, so whatever depends on order (pixels, tables, numbers of paths) is
as with one thread. A job's chunks are shared: the thread that prepares draws helps when the other one falls behind, and
when it has to wait. Whoever reads or replaces what jobs use (pixels, textures, tables) drains the pipeline first.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass, field
from functools import cache
from queue import SimpleQueue
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine.columns import GrowingTable
from replay.engine.fragments import JOB_CHUNK_QUADS, FragmentDraw, Scratch
from replay.engine.geometry import Tables
from replay.engine.output import NO_DEPTH, NO_STENCIL, test_all
from replay.formats import Storage
from replay.glsl.execution import BUDGET_HINT, LoopBudgetError
from replay.glsl.llvm.abi import ARGUMENTS
from traceformat.frametrace import DrawFlags

__all__ = ["FragmentJob", "Pipeline", "can_run"]

#: Quads in the queue from which on the preparing thread helps.
_BACKLOG_QUADS: Final = 8 * JOB_CHUNK_QUADS
_NO_OCTETS: Final = np.zeros(0, np.uint8)
_NO_WORDS: Final = np.zeros(0, np.uint32)
_NO_COUNTS: Final = np.zeros(0, np.uint16)
_NO_HASHES: Final = np.zeros(0, np.uint64)
_NO_ROWS: Final = np.zeros(0, np.int64)
_NO_PLANE: Final = np.zeros((0, 0), np.uint32)
_NO_TABLE: Final = np.zeros((4, 256), np.uint8)
_FIRST_ROWS: Final = 1 << 14


def can_run(draw: FragmentDraw, tables: Tables) -> bool:
    """Whether a draw is one for a job: one sample, at most one colour of eight bits a channel, nothing unusual."""
    outputs = draw.state.outputs
    if draw.color_first or "identity_excluded" in tables.quads or "shader_depth" in tables.quads:
        return False
    if len(outputs) > 1 or draw.state.targets.samples > 1 or draw.depth_row >= 0 or draw.identity or draw.drops_unseen:
        return False
    if outputs and not (
        outputs[0].surface.format.storage is Storage.UNORM8
        or (outputs[0].surface.format.storage is Storage.SRGB8 and not outputs[0].linear)
    ):
        return False
    return draw.run.is_compiled


def _room(table: GrowingTable, rows: int) -> None:
    """Make room for so many rows more."""
    table.reserve(rows)
    table.num_rows -= rows


@dataclass(slots=True, eq=False)
class FragmentJob:
    """Fragment work of one draw.

    Parameters
    ----------
    draw : what to do; ``geometry`` with its quads
    tables : of the frame
    row : row of ``draws``, for what is known only afterwards
    passed : fragments that passed the tests, once done
    is_done, error : set by the thread that ran it
    """

    draw: FragmentDraw
    tables: Tables
    row: dict[str, Any] = field(default_factory=dict)
    passed: int = 0
    is_done: bool = False
    error: BaseException | None = None
    _early: tuple[Any, ...] = ()
    _state: NDArray[np.int64] = field(init=False)
    _template: NDArray[np.uint64] = field(init=False)
    _columns: dict[str, NDArray[Any]] = field(init=False)
    _seen: NDArray[np.uint8] = field(default_factory=lambda: _NO_OCTETS)
    _hashes: NDArray[np.uint64] = field(default_factory=lambda: _NO_HASHES)
    _rest: tuple[Any, ...] = ()
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _is_open: bool = False
    _inside: int = 0

    def __post_init__(self) -> None:
        from replay.engine.kernels.shading import STATE_WORDS

        draw = self.draw
        geometry = draw.geometry
        span = slice(geometry.quad_first, geometry.quad_first + geometry.quad_count)
        quads = self.tables.quads
        keys = ("coverage", "survives", "emitted", "x", "y", "depth", "tex_first", "tex_count", "path")
        self._columns = {key: quads[key][span] for key in keys if key in quads}
        self._state = np.zeros(STATE_WORDS, np.int64)
        self._template = draw.run.template(draw.planes, geometry.emitted_first)
        if draw.tests_early:
            self._seen = np.empty(geometry.quad_count, np.uint8)
            c = self._columns
            self._early = (draw.state, quads, span, c["coverage"], c["depth"], 0, self._seen, 0, 1)
        if draw.paths is not None and draw.paths.needs_hashes:
            self._hashes = np.empty(geometry.quad_count, np.uint64)
        self._bind_output()

    @property
    def num_quads(self) -> int:
        """Quads to shade."""
        return self.draw.geometry.quad_count

    def run(self, scratch: Scratch) -> None:
        """Shade and merge, with the help of whoever helps.

        Raises
        ------
        LoopBudgetError : a shader does not leave its loops in time
        """
        from replay.engine.kernels import shading

        draw, tables, state = self.draw, self.tables, self._state
        if draw.tests_early:
            self.passed = test_all(*self._early)
            if not draw.state.outputs:
                self._seen[:] = 0  # nobody looks at what passed
        ops, lines = tables.tex_ops, tables.texture_lines
        state[shading.OPS], state[shading.LINES] = ops.num_rows, lines.num_rows
        if draw.record:
            _room(ops, _FIRST_ROWS)
            _room(lines, 4 * _FIRST_ROWS)
        while True:
            with self._lock:
                self._is_open = True
            self._shade(scratch)
            with self._lock:
                self._is_open = False
            while self._inside:
                time.sleep(0)
            code = int(state[shading.CODE])
            ops.num_rows, lines.num_rows = int(state[shading.OPS]), int(state[shading.LINES])
            if not code:
                break
            if code == shading.OVER_BUDGET:
                raise LoopBudgetError(f"a shader runs more than {draw.run.budget} loop iterations", hint=BUDGET_HINT)
            if code == shading.RECORD_FULL:
                scratch.provide_record(int(state[shading.NEEDED]))
            else:
                _room(ops, max(ops.num_rows, _FIRST_ROWS))
                _room(lines, max(lines.num_rows, 4 * _FIRST_ROWS))
            state[shading.CLAIMED] = state[shading.DONE]
            state[shading.CODE] = 0
        self.passed += int(state[shading.PASSED])

    def finish(self) -> None:
        """What has to be done by the thread that prepares draws, after :meth:`run`."""
        from replay.engine.kernels.shading import OPS

        if self.error is not None:
            raise self.error
        draw, columns = self.draw, self._columns
        if "tex_first" in columns and not draw.record:
            columns["tex_first"][...] = self._state[OPS]
            columns["tex_count"][...] = 0
        if draw.paths is not None:
            draw.paths.begin_draw(*draw.path_place)
            first = draw.geometry.quad_first
            draw.paths.number(draw, self.tables, self._hashes, first, first + self.num_quads)
            if draw.paths.fell_back:
                self.row["flags"] |= int(DrawFlags.PATHS_FALLBACK)

    def help(self, scratch: Scratch) -> None:
        """Shade chunks of a running job until none is left."""
        with self._lock:
            if not self._is_open:
                return
            self._inside += 1
        try:
            self._shade(scratch)
        finally:
            with self._lock:
                self._inside -= 1

    def _bind_output(self) -> None:
        state = self.draw.state
        if state.outputs:
            output = state.outputs[0]
            color: tuple[Any, ...] = (output.rows, output.state, output.surface.texels[0], output.requantize)
        else:
            color = (_NO_ROWS, _no_blend(), _NO_PLANE, _NO_TABLE)
        depth, stencil = state.targets.depth, state.targets.stencil
        planes = (
            depth.texels[0] if depth is not None else NO_DEPTH,
            stencil.stencil[0] if stencil is not None and stencil.stencil is not None else NO_STENCIL,
        )
        self._rest = (*color, state.test, state.emitted_first, state.front, *planes)

    def _shade(self, scratch: Scratch) -> None:
        from replay.engine.kernels.shading import shade_chunks

        draw, c = self.draw, self._columns
        stage = draw.run.stage
        record = draw.record
        ops, lines = self.tables.tex_ops, self.tables.texture_lines
        texture = (c["tex_first"], c["tex_count"]) if record else (_NO_WORDS, _NO_COUNTS)
        texels = ops["texels"].view(np.uint32)[:, 0] if record else _NO_WORDS
        rows = (
            (ops["line_first"], ops["line_count"], texels, ops["instruction"], lines["line"], lines["lanes"])
            if record
            else (_NO_WORDS, _NO_OCTETS, _NO_WORDS, _NO_COUNTS, _NO_WORDS, _NO_OCTETS)
        )
        shade_chunks(
            stage.address,
            _fields(),
            self._template,
            self._state,
            JOB_CHUNK_QUADS,
            c["coverage"],
            c["survives"],
            c["emitted"],
            c["x"],
            c["y"],
            c["depth"],
            self._seen,
            self._hashes,
            *texture,
            *rows,
            scratch.arguments,
            scratch.stage_memory(stage.layout.scratch_bytes),
            scratch.record,
            scratch.lanes.outputs(draw.run.num_output_rows, 4 * JOB_CHUNK_QUADS),
            scratch.colors,
            scratch.passed,
            *self._rest,
        )


@cache
def _fields() -> NDArray[np.int64]:
    """Numbers of the argument record's fields that differ between chunks."""
    from replay.engine.kernels.shading import ARGUMENT_FIELDS

    names = ARGUMENTS.names
    assert names is not None
    return np.array([names.index(name) for name in ARGUMENT_FIELDS], np.int64)


@cache
def _no_blend() -> NDArray[Any]:
    from replay.engine.kernels.blend import BLEND_DTYPE

    return np.zeros(1, BLEND_DTYPE)


class Pipeline:
    """Jobs in progress.

    Parameters
    ----------
    has_thread : run jobs on a second thread; without it, each at once
    """

    def __init__(self, *, has_thread: bool) -> None:
        self._jobs: deque[FragmentJob] = deque()
        self._has_run = False
        self._own = Scratch()
        self._queue: SimpleQueue[FragmentJob | None] | None = None
        self._thread: threading.Thread | None = None
        if has_thread:
            self._queue = SimpleQueue()
            self._thread = threading.Thread(target=_work, args=(self._queue,), name="fragments", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """End the second thread."""
        if self._queue is not None and self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._queue = self._thread = None

    def submit(self, job: FragmentJob) -> None:
        """Queue a job, and help if there are many quads in the queue."""
        if self._queue is None or not self._has_run:
            # The first job has Numba learn the types of the kernels' arguments, which two threads may not do at once.
            self.drain()
            job.run(self._own)
            job.finish()
            self._has_run = True
            return
        self._jobs.append(job)
        self._queue.put(job)
        while self._jobs and self._jobs[0].is_done:
            self._jobs.popleft().finish()
        backlog = sum(queued.num_quads for queued in self._jobs)
        while backlog > _BACKLOG_QUADS and self._jobs:
            backlog -= self._jobs[0].num_quads
            self._help_first()

    def _help_first(self) -> None:
        job = self._jobs[0]
        while not job.is_done:
            job.help(self._own)
            if not job.is_done:
                time.sleep(1e-5)
        self._jobs.popleft()
        job.finish()

    def drain(self) -> None:
        """Wait until all jobs are done; raises what a job raised."""
        while self._jobs:
            self._help_first()


def _work(queue: SimpleQueue[FragmentJob | None]) -> None:
    """Run jobs until there is a None among them."""
    scratch = Scratch()
    while True:
        job = queue.get()
        if job is None:
            return
        try:
            job.run(scratch)
        except BaseException as error:
            job.error = error
        job.is_done = True
        del job
