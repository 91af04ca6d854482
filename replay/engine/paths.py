"""Paths: the distinct sequences of basic blocks that a frame's quads and vertices executed.

Compiled stages give a 64-bit hash of each path; a path that a program has not taken before is executed once more by a
variant that logs its steps. Stages without control flow need neither: their path follows from the coverage.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from replay.engine.tables import Tables
from traceformat.gputrace.frametrace import InstructionKind

if TYPE_CHECKING:
    from replay.glsl.ir import StageIR

__all__ = ["MAX_DRAW_PATHS", "FramePaths", "PathBook"]

#: Distinct paths of one draw beyond which only counts are kept (DESIGN §3.2).
MAX_DRAW_PATHS: Final = 4096
#: Steps that are kept of one path; longer ones are cut.
MAX_STEPS: Final = 1 << 16
_KINDS: Final = len(InstructionKind)
_FREE: Final = 0xFFFFFFFF
_POPCOUNT: Final = np.array([bin(i).count("1") for i in range(16)], np.uint32)
#: Steps of a path, and its issued and executed instructions by kind.
_Path: TypeAlias = tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]
#: Words of the log that one batch may take.
_LOG_WORDS: Final = 1 << 21
#: Quads whose new masks are numbered together, in ascending order.
STRAIGHT_QUADS: Final = 4096


@dataclass(slots=True)
class FramePaths:
    """Tables ``paths`` and ``path_steps`` of the frame in progress."""

    program: list[int] = field(default_factory=list)
    step_first: list[int] = field(default_factory=list)
    step_count: list[int] = field(default_factory=list)
    issued: list[NDArray[np.uint32]] = field(default_factory=list)
    executed: list[NDArray[np.uint32]] = field(default_factory=list)
    steps: list[NDArray[np.uint32]] = field(default_factory=list)
    num_steps: int = 0

    def add(
        self,
        program: int,
        block_first: int,
        steps: NDArray[np.uint32],
        issued: NDArray[np.uint32],
        executed: NDArray[np.uint32],
    ) -> int:
        """Append a path and return its row.

        Parameters
        ----------
        program, block_first : row of the program, first row of its blocks
        steps : ``block << 8 | helper << 4 | active``; empty for a path with counts only
        """
        self.program.append(program)
        self.step_first.append(self.num_steps)
        self.step_count.append(len(steps))
        self.issued.append(issued)
        self.executed.append(executed)
        self.steps.append(steps + np.uint32(block_first << 8))
        self.num_steps += len(steps)
        return len(self.program) - 1

    def columns(self) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
        """Columns of ``paths`` and ``path_steps``."""
        steps = np.concatenate(self.steps) if self.steps else np.zeros(0, np.uint32)
        paths = {
            "program": np.array(self.program, np.uint32),
            "step_first": np.array(self.step_first, np.uint32),
            "step_count": np.array(self.step_count, np.uint32),
            "issued": np.array(self.issued, np.uint32).reshape(-1, _KINDS),
            "executed": np.array(self.executed, np.uint32).reshape(-1, _KINDS),
        }
        path_steps = {
            "block": steps >> np.uint32(8),
            "active": (steps & np.uint32(15)).astype(np.uint8),
            "helper": (steps >> np.uint32(4) & np.uint32(15)).astype(np.uint8),
        }
        return paths, path_steps


class PathLogger(Protocol):
    """A stage that logs the steps of what it runs: see :class:`~replay.engine.stages.StageRun`."""

    def log_quads(
        self, quads: dict[str, NDArray[Any]], planes: NDArray[np.float32], emitted_first: int, capacity: int, /
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]: ...
    def log_vertices(
        self, rows: NDArray[np.int64], capacity: int, /
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]: ...


class PathBook:
    """Numbers the paths of one stage of one program; kept as long as the program.

    Parameters
    ----------
    stage : its IR, with numbered blocks
    """

    def __init__(self, stage: StageIR) -> None:
        from replay.glsl.ir import Block, Loop

        self.is_straight = all(isinstance(node, Block) for node in stage.body.nodes)
        self.has_loops = any(isinstance(node, Loop) for node in stage.body.walk())
        self.is_vertex = stage.stage == "vertex"
        self._kinds = np.zeros((max(len(stage.blocks), 1), _KINDS), np.int64)
        for block in stage.blocks:
            for kind, _ in block.kinds:
                self._kinds[block.number, kind] += 1
        #: Blocks that hold a machine instruction: only they are steps.
        self._busy_blocks = np.flatnonzero(self._kinds.any(axis=1)).astype(np.uint32)
        self._known: dict[int, _Path] = {}
        self._frame: FramePaths | None = None
        self._program = 0
        self._block_first = 0
        self._keys = np.zeros(0, np.uint64)
        self._rows = np.zeros(0, np.uint32)
        self._used = 0
        self._straight: NDArray[np.uint32] = np.full(16, _FREE, np.uint32)
        self._straight_address = int(self._straight.__array_interface__["data"][0])
        self._straight_paths: dict[int, _Path] = {}
        self._counted: dict[bytes, int] = {}
        self._draw_paths = 0
        self.fell_back = False

    @property
    def straight_at(self) -> int:
        """Where the rows of straight paths lie: 16 uint32, one a coverage; all ones where there is none yet."""
        return self._straight_address

    @property
    def needs_hashes(self) -> bool:
        """Whether the stage must compute hashes."""
        return not self.is_straight

    def begin_draw(self, frame: FramePaths, program: int, block_first: int) -> None:
        """Prepare for a draw of the frame.

        Parameters
        ----------
        frame : where new paths go
        program, block_first : row of the program, first row of its blocks
        """
        if frame is not self._frame:
            self._frame = frame
            self._program, self._block_first = program, block_first
            self._straight[:] = _FREE
            self._counted.clear()
            self._resize(256)
        self._draw_paths = 0
        self.fell_back = False

    def _resize(self, size: int) -> None:
        self._keys = np.zeros(size, np.uint64)
        self._rows = np.full(size, _FREE, np.uint32)
        self._used = 0

    def _enter(self, key: int, row: int) -> None:
        from replay.engine.kernels.paths import add_path

        if 2 * self._used >= len(self._keys):
            keys, rows = self._keys, self._rows
            self._resize(4 * len(keys))
            for at in np.flatnonzero(rows != _FREE):
                add_path(self._keys, self._rows, keys[at], rows[at])
                self._used += 1
        add_path(self._keys, self._rows, np.uint64(key), np.uint32(row))
        self._used += 1

    def _counted_paths(self, paths: list[NDArray[np.uint32]]) -> list[_Path]:
        """Paths with their issued and executed instructions by kind."""
        steps = np.concatenate(paths) if paths else np.zeros(0, np.uint32)
        kinds = self._kinds[(steps >> 8).astype(np.int64)]
        lanes = _POPCOUNT[(steps & 15) & ~(steps >> 4 & 15)].astype(np.int64)
        ends = np.cumsum([0, *map(len, paths)])
        columns = []
        for counts in (kinds, kinds * lanes[:, None]):
            sums = np.zeros((len(steps) + 1, _KINDS), np.int64)
            np.cumsum(counts, axis=0, out=sums[1:])
            columns.append(np.minimum(sums[ends[1:]] - sums[ends[:-1]], 0xFFFFFFFF).astype(np.uint32))
        return list(zip(paths, *columns, strict=True))

    def _add(self, path: _Path) -> int:
        assert self._frame is not None
        self._draw_paths += 1
        steps, issued, executed = path
        if self._draw_paths > MAX_DRAW_PATHS:
            self.fell_back = True
            key = issued.tobytes() + executed.tobytes()
            row = self._counted.get(key)
            if row is None:
                row = self._frame.add(self._program, self._block_first, steps[:0], issued, executed)
                self._counted[key] = row
            return row
        return self._frame.add(self._program, self._block_first, steps, issued, executed)

    def _straight_row(self, mask: int) -> int:
        row = int(self._straight[mask])
        if row == _FREE:
            path = self._straight_paths.get(mask)
            if path is None:
                steps = (self._busy_blocks << np.uint32(8)) | np.uint32(1 if self.is_vertex else (~mask & 15) << 4 | 15)
                path = self._straight_paths[mask] = self._counted_paths([steps])[0]
            row = self._straight[mask] = self._add(path)
        return int(row)

    # ------------------------------------------------------------------ quads
    def enter_straight(self, coverages: int) -> None:
        """Give numbers to the paths of coverages (bits) of a stage without control flow, where they have none."""
        for mask in range(16):
            if coverages >> mask & 1:
                self._straight_row(mask)

    def number_straight(self, tables: Tables, first: int, last: int) -> None:
        """Fill ``quads.path`` for quads [first, last) of the tables, whose paths all have numbers."""
        quads = tables.quads
        # Clipping saves numpy a copy; coverage is below 16.
        self._straight.take(quads["coverage"][first:last], out=quads["path"][first:last], mode="clip")

    def number(
        self,
        run: PathLogger,
        planes: NDArray[np.float32],
        emitted_first: int,
        tables: Tables,
        hashes: NDArray[np.uint64],
        first: int,
        last: int,
    ) -> None:
        """Fill ``quads.path`` for quads [first, last) of the tables.

        Parameters
        ----------
        run : the draw's fragment stage
        planes : (E, words) plane equations, rows from ``emitted_first``
        hashes : of the quads from ``first`` on
        """
        quads = tables.quads
        path = quads["path"][first:last]
        coverage = quads["coverage"][first:last]
        if self.is_straight:
            self.number_straight(tables, first, last)
            if len(path) and path.max() == _FREE:
                for at in range(0, len(path), STRAIGHT_QUADS):
                    for mask in np.flatnonzero(np.bincount(coverage[at : at + STRAIGHT_QUADS], minlength=16)):
                        self._straight_row(int(mask))
                self.number_straight(tables, first, last)
            return

        def log(rows: NDArray[np.int64], capacity: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
            picked = rows + first
            even = np.concatenate([picked, picked[-1:]]) if len(picked) & 1 else picked
            gathered = {key: quads[key][even] for key in ("coverage", "emitted", "x", "y")}
            if len(picked) & 1:
                gathered["coverage"][-1] = 0
            return run.log_quads(gathered, planes, emitted_first, capacity)

        self._number(hashes[: last - first], path, log)

    def _number(
        self,
        hashes: NDArray[np.uint64],
        path: NDArray[np.uint32],
        log: Any,
        before_new: Callable[[], None] | None = None,
    ) -> None:
        from replay.engine.kernels.paths import number_paths

        done, n = 0, len(hashes)
        while True:
            done = number_paths(self._keys, self._rows, hashes, done, n, path)
            if done >= n:
                return
            if before_new is not None:
                before_new()
            distinct, where = np.unique(hashes[done:], return_index=True)
            unknown = [
                (int(key), int(at) + done)
                for key, at in zip(distinct, where, strict=True)
                if int(key) not in self._known
            ]
            self._learn(unknown, log)
            entered = {int(key) for key in self._keys[self._rows != _FREE]}
            # In the order in which they appear, so that rows do not depend on the values of hashes.
            for at in np.argsort(where, kind="stable"):
                key = int(distinct[at])
                if key not in entered:
                    self._enter(key, self._add(self._known[key]))

    def _learn(self, unknown: list[tuple[int, int]], log: Any) -> None:
        """Log the steps of paths that this program has not taken before."""
        capacity = 64
        learnt: dict[int, NDArray[np.uint32]] = {}
        while unknown:
            batch = max(_LOG_WORDS // capacity, 2)
            missing: list[tuple[int, int]] = []
            for begin in range(0, len(unknown), batch):
                part = unknown[begin : begin + batch]
                steps, counts = log(np.array([at for _, at in part], np.int64), capacity)
                for number, (key, at) in enumerate(part):
                    count = int(counts[number])
                    if count > capacity and capacity < MAX_STEPS:
                        missing.append((key, at))
                    else:
                        learnt[key] = steps[number, : min(count, capacity)].copy()
            unknown = missing
            capacity *= 8
        self._known.update(zip(learnt, self._counted_paths(list(learnt.values())), strict=True))
        if len(self._known) > 1 << 17:
            # A shader that never repeats itself: what was learnt is of no use again.
            for key in list(self._known)[: 1 << 16]:
                del self._known[key]

    # ------------------------------------------------------------------ vertices
    def number_vertices(
        self, run: PathLogger, hashes: NDArray[np.uint64] | None, lanes: int, drain: Callable[[], None]
    ) -> NDArray[np.uint32]:
        """Paths of shaded vertices, (lanes,) uint32; ``drain`` makes sure that earlier draws have theirs."""
        path = np.empty(lanes, np.uint32)
        if self.is_straight or hashes is None:
            path[:] = self.straight_vertex_path(drain)
            return path
        self._number(hashes[:lanes], path, run.log_vertices, drain)
        return path

    def straight_vertex_path(self, drain: Callable[[], None]) -> int:
        """Path of all vertices of a stage without control flow."""
        if self._straight[1] == _FREE:
            drain()
        return self._straight_row(1)
