"""Fragment work of one draw: shading, tests and blending of its quads in one native call."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine.fragments import JOB_CHUNK_QUADS, FragmentDraw, Scratch
from replay.engine.front import address_of
from replay.engine.geometry import Tables
from replay.engine.output import NO_DEPTH, NO_STENCIL, ColorOutput
from replay.engine.rows import PackedRows
from replay.engine.targets import Targets
from replay.formats import Storage
from replay.glsl.execution import BUDGET_HINT, LoopBudgetError
from replay.glsl.llvm.abi import ARGUMENTS
from traceformat.frametrace import DrawFlags

__all__ = ["FragmentJob", "can_run", "chunk_fields", "has_plain_bytes", "merge_fields", "record_columns"]

_NO_HASHES: Final = np.zeros(0, np.uint64)
_NO_TABLE: Final = np.zeros((4, 256), np.uint8)
_FIRST_ROWS: Final = 1 << 14
#: What records point to for good.
_KEPT: Final[list[NDArray[Any]]] = []
#: Held for the moments in which threads join and leave a job.
_LOCK: Final = threading.Lock()


def can_run(draw: FragmentDraw, tables: Tables) -> bool:
    """Whether a draw is one for a job: one sample, at most one colour of eight bits a channel, nothing unusual."""
    outputs = draw.state.outputs
    if draw.color_first or "identity_excluded" in tables.quads or "shader_depth" in tables.quads:
        return False
    if len(outputs) > 1 or draw.state.targets.samples > 1 or draw.depth_row >= 0 or draw.identity or draw.drops_unseen:
        return False
    if outputs and not has_plain_bytes(outputs[0]):
        return False
    return draw.run.is_compiled


def has_plain_bytes(output: ColorOutput) -> bool:
    """Whether an attachment is written as eight bits a channel, as they come."""
    storage = output.surface.format.storage
    return storage is Storage.UNORM8 or (storage is Storage.SRGB8 and not output.linear)


def merge_fields(outputs: list[ColorOutput], test: NDArray[Any], targets: Targets) -> tuple[int, ...]:
    """Fields COLOR_ROWS to TEST and DEPTH_PLANE to STENCIL_WIDTH of a job's record: where a draw's pixels go."""
    depth, stencil = targets.depth, targets.stencil
    depth_plane = depth.texels[0] if depth is not None else NO_DEPTH
    stencil_plane = stencil.stencil[0] if stencil is not None and stencil.stencil is not None else NO_STENCIL
    # Seen as bytes: the interface of a structured array is slow to make.
    color: tuple[int, ...] = (0, address_of(_no_blend().view(np.uint8)), 0, 0, 0, address_of(_NO_TABLE))
    if outputs:
        output = outputs[0]
        plane = output.surface.texels[0]
        blend = address_of(output.state.view(np.uint8))
        color = (address_of(output.rows), blend, address_of(plane), *plane.shape[:2], address_of(output.requantize))
    return (
        *color,
        address_of(test.view(np.uint8)),
        *(address_of(depth_plane), *depth_plane.shape, address_of(stencil_plane), *stencil_plane.shape),
    )


@dataclass(slots=True, eq=False)
class FragmentJob:
    """Fragment work of one draw.

    Parameters
    ----------
    draw : what to do; ``geometry`` with its quads
    tables : of the frame
    rows : ``draws``, for what is known only afterwards
    row : of the draw in it
    passed : fragments that passed the tests, once done
    is_done, error : set by the thread that ran it
    """

    draw: FragmentDraw
    tables: Tables
    rows: PackedRows
    row: int
    passed: int = 0
    is_done: bool = False
    error: BaseException | None = None
    _state: NDArray[np.int64] = field(init=False)
    _record: NDArray[np.int64] = field(init=False)
    _hashes: NDArray[np.uint64] = field(default_factory=lambda: _NO_HASHES)
    _kept: tuple[Any, ...] = ()
    _is_open: bool = False
    _inside: int = 0

    def __post_init__(self) -> None:
        from replay.engine.kernels import shading

        draw = self.draw
        geometry, state, run = draw.geometry, draw.state, draw.run
        first, count = geometry.quad_first, geometry.quad_count
        column = self.tables.quads.address
        template = run.template(address_of(geometry.planes), geometry.emitted_first)
        seen = np.empty(count, np.uint8) if draw.tests_early else None
        if draw.paths is not None and draw.paths.needs_hashes:
            self._hashes = np.empty(count, np.uint64)
        # The draw's state lies behind the record.
        record = self._record = np.zeros(shading.NUM_FIELDS + shading.STATE_WORDS, np.int64)
        self._state = record[shading.NUM_FIELDS :]
        fields, num_fields = chunk_fields()
        shading.DRAW_FIELDS.pack_into(
            record.data.cast("B"),
            0,
            run.stage.address,
            fields,
            num_fields,
            address_of(template),
            len(template),
            address_of(self._state),
            JOB_CHUNK_QUADS,
            count,
            column("coverage") + first,
            column("survives") + first,
            column("emitted") + 4 * first,
            column("x") + 2 * first,
            column("y") + 2 * first,
            column("depth") + 16 * first,
            0 if seen is None else address_of(seen),
            address_of(self._hashes) if len(self._hashes) else 0,
            column("tex_first") + 4 * first if draw.record else 0,
            column("tex_count") + 2 * first if draw.record else 0,
            *state.fields[:7],
            geometry.emitted_first,
            address_of(geometry.fronts),
            geometry.emitted_count,
            *state.fields[7:],
        )
        self._kept = (template, seen)

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
            self.passed = shading.test_early(self._record)
            if not draw.state.outputs:
                self._kept[1][:] = 0  # nobody looks at what passed
        ops, lines = tables.tex_ops, tables.texture_lines
        state[shading.OPS], state[shading.LINES] = ops.num_rows, lines.num_rows
        if draw.record:
            ops.ensure(_FIRST_ROWS)
            lines.ensure(4 * _FIRST_ROWS)
        while True:
            with _LOCK:
                self._is_open = True
            self._shade(scratch)
            with _LOCK:
                self._is_open = False
            while self._inside:
                time.sleep(0)
            code = int(state[shading.CODE])
            if draw.record:
                ops.num_rows, lines.num_rows = int(state[shading.OPS]), int(state[shading.LINES])
            if not code:
                break
            if code == shading.OVER_BUDGET:
                raise LoopBudgetError(f"a shader runs more than {draw.run.budget} loop iterations", hint=BUDGET_HINT)
            if code == shading.RECORD_FULL:
                scratch.provide_record(int(state[shading.NEEDED]))
            else:
                ops.ensure(max(ops.num_rows, ops.room + 1))
                lines.ensure(max(lines.num_rows, lines.room + 1))
            state[shading.CLAIMED] = state[shading.DONE]
            state[shading.CODE] = 0
        self.passed += int(state[shading.PASSED])

    def finish(self) -> None:
        """What has to be done by the thread that prepares draws, after :meth:`run`."""
        from replay.engine.kernels.shading import OPS

        if self.error is not None:
            raise self.error
        draw = self.draw
        quads = self.tables.quads
        first = draw.geometry.quad_first
        if "tex_first" in quads and not draw.record:
            rows = slice(first, first + self.num_quads)
            quads["tex_first"][rows] = self._state[OPS]
            quads["tex_count"][rows] = 0
        if draw.paths is not None:
            draw.paths.begin_draw(*draw.path_place)
            base = draw.geometry.emitted_first
            draw.paths.number(draw.run, draw.planes, base, self.tables, self._hashes, first, first + self.num_quads)
            if draw.paths.fell_back:
                flags = self.rows.get(self.row, "flags") | int(DrawFlags.PATHS_FALLBACK)
                self.rows.update(self.row, "flags", flags)

    def help(self, scratch: Scratch) -> None:
        """Shade chunks of a running job until none is left."""
        with _LOCK:
            if not self._is_open:
                return
            self._inside += 1
        try:
            self._shade(scratch)
        finally:
            with _LOCK:
                self._inside -= 1

    def _shade(self, scratch: Scratch) -> None:
        from replay.engine.kernels import shading

        record = self._record.copy()
        run = self.draw.run
        own = scratch.fields(run.num_output_rows, run.stage.layout.scratch_bytes)
        tables: tuple[int, ...] = (0,) * 8
        if self.draw.record:
            tables = record_columns(self.tables)
        shading.THREAD_FIELDS.pack_into(record.data.cast("B"), 8 * shading.TABLES, *tables, *own)
        shading.run_job(record)


@cache
def chunk_fields() -> tuple[int, int]:
    """Where the numbers of the argument record's fields that differ between chunks lie, and how many there are."""
    from replay.engine.kernels.shading import ARGUMENT_FIELDS

    names = ARGUMENTS.names
    assert names is not None
    numbers = np.array([names.index(name) for name in ARGUMENT_FIELDS], np.int64)
    _KEPT.append(numbers)
    return address_of(numbers), len(numbers)


def record_columns(tables: Tables) -> tuple[int, ...]:
    """Fields LINE_FIRST to LINES_ROOM of a job's record: columns of the texture record, and the rows they can take."""
    ops, lines = tables.tex_ops, tables.texture_lines
    return (
        ops.address("line_first"),
        ops.address("line_count"),
        ops.address("texels"),
        ops.address("instruction"),
        ops.num_rows + ops.room,
        lines.address("line"),
        lines.address("lanes"),
        lines.num_rows + lines.room,
    )


@cache
def _no_blend() -> NDArray[Any]:
    from replay.engine.kernels.blend import BLEND_DTYPE

    return np.zeros(1, BLEND_DTYPE)
