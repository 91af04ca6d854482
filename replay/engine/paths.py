"""Paths: the distinct sequences of basic blocks that a frame's quads and vertices executed.

Compiled stages give a 64-bit hash of each path; a path that a program has not taken before is executed once more by a
variant that logs its steps. Stages without control flow need neither: their path follows from the coverage.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from replay.engine.kernels.records import NUMBERING
from replay.engine.path_counts import KnownPaths, Paths
from replay.engine.tables import Tables
from replay.glsl.llvm.abi import QUADS
from traceformat.gputrace.frametrace import InstructionKind

if TYPE_CHECKING:
    from replay.glsl.ir import StageIR

__all__ = ["MAX_DRAW_PATHS", "FramePaths", "Numbering", "PathBook"]

#: Distinct paths of one draw beyond which only counts are kept (DESIGN §3.2).
MAX_DRAW_PATHS: Final = 4096
#: Steps that are kept of one path; longer ones are cut.
MAX_STEPS: Final = 1 << 16
_KINDS: Final = len(InstructionKind)
_FREE: Final = 0xFFFFFFFF
#: Paths of a program from which on they are forgotten.
_MAX_KNOWN: Final = 1 << 17
#: Words of the log that one batch may take: what was logged is packed while the cache has it.
_LOG_WORDS: Final = 1 << 18
#: Room for the steps of a path whose length nobody knows; of a stage with loops.
_FIRST_STEPS: Final = 64
_FIRST_STEPS_IN_LOOPS: Final = 1 << 10
_MAX_EXPECTED_STEPS: Final = 1 << 22
#: Orders of coverages whose paths are kept.
_MAX_ORDERS: Final = 256
#: Quads whose new masks are numbered together, in ascending order.
STRAIGHT_QUADS: Final = 4096
_NO_ROWS: Final = np.full(16, _FREE, np.uint32).data


class MadePaths:
    """Columns of the tables ``paths`` and ``path_steps`` of a frame that has ended, made when somebody asks for them.

    Parameters
    ----------
    parts : paths that were added together: program, first row of its blocks
    """

    def __init__(self, parts: list[tuple[int, int, Paths]]) -> None:
        self._parts = parts
        self.num_steps = sum([len(paths.steps) for _, _, paths in parts])

    def has(self, parts: list[tuple[int, int, Paths]]) -> bool:
        """Whether these are its parts."""
        return len(parts) == len(self._parts) and all(
            [one[2] is other[2] and one[:2] == other[:2] for one, other in zip(parts, self._parts, strict=True)]
        )

    @cached_property
    def paths(self) -> dict[str, NDArray[Any]]:
        """Columns of ``paths``, to be copied."""
        parts = self._parts
        none = np.zeros(0, np.uint32)
        counts = np.concatenate([none, *[paths.counts for _, _, paths in parts]])
        programs = np.array([program for program, _, _ in parts], np.uint32)
        return {
            "program": programs.repeat([len(paths.counts) for _, _, paths in parts]),
            "step_first": (np.cumsum(counts, dtype=np.uint64) - counts).astype(np.uint32),
            "step_count": counts,
            "issued": np.concatenate([none.reshape(0, _KINDS), *[paths.issued for _, _, paths in parts]]),
            "executed": np.concatenate([none.reshape(0, _KINDS), *[paths.executed for _, _, paths in parts]]),
        }

    @cached_property
    def steps(self) -> dict[str, NDArray[Any]]:
        """Columns of ``path_steps``, to be copied."""
        steps = np.concatenate([np.zeros(0, np.uint32), *[paths.steps for _, _, paths in self._parts]])
        block = steps >> np.uint32(8)
        end = 0
        for _, block_first, paths in self._parts:
            begin, end = end, end + len(paths.steps)
            block[begin:end] += np.uint32(block_first)
        octets = steps.astype(np.uint8)
        return {"block": block, "active": octets & np.uint8(15), "helper": octets >> np.uint8(4)}


@dataclass(slots=True)
class FramePaths:
    """Tables ``paths`` and ``path_steps`` of the frame in progress."""

    num_paths: int = 0
    #: Paths that were added together: program, first row of its blocks.
    _parts: list[tuple[int, int, Paths]] = field(default_factory=list)
    _made: MadePaths | None = None

    def add(self, program: int, block_first: int, paths: Paths) -> int:
        """Append paths and return the row of the first.

        Parameters
        ----------
        program, block_first : row of the program, first row of its blocks
        """
        self._parts.append((program, block_first, paths))
        first = self.num_paths
        self.num_paths += len(paths.counts)
        return first

    def made(self, before: FramePaths) -> MadePaths:
        """Its columns, in the end: those of the frame ``before`` where they are equal."""
        known = before._made
        if known is None or not known.has(self._parts):
            known = MadePaths(self._parts)
        self._made = known
        return known


class Numbering:
    """Lets batches give numbers to the paths of stages without control flow as they meet them.

    Attributes
    ----------
    record : NUMBERING
    books : of stages without control flow that draws of the frame have, by where their rows lie
    """

    def __init__(self) -> None:
        self.record: Any = NUMBERING.row()
        self.books: dict[int, PathBook] = {}
        self._frame = FramePaths()

    def begin_frame(self, frame: FramePaths) -> None:
        """Number the paths of another frame."""
        self.books.clear()
        self._frame = frame

    def go_on(self) -> None:
        """All paths so far have numbers."""
        self.record.next, self.record.is_on = self._frame.num_paths, 1

    def enter(self, numbered: NDArray[Any]) -> None:
        """Append paths that a batch has given numbers, NUMBERED rows, to the frame."""
        pairs = zip(numbered["straight"].tolist(), numbered["coverage"].tolist(), strict=True)
        for straight, own in groupby(pairs, itemgetter(0)):
            self.books[straight].enter_numbered(tuple([coverage for _, coverage in own]))


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

        self.is_straight = all([isinstance(node, Block) for node in stage.body.nodes])
        self.has_loops = not self.is_straight and any(isinstance(node, Loop) for node in stage.body.walk())
        self.is_vertex = stage.stage != "fragment"
        kinds = [[0] * _KINDS for _ in range(max(len(stage.blocks), 1))]
        for block in stage.blocks:
            row = kinds[block.number]
            for kind, _ in block.kinds:
                row[kind] += 1
        self._kinds = np.array(kinds, np.int64)
        #: Blocks that hold a machine instruction: only they are steps.
        self._busy_blocks = np.array([number for number, row in enumerate(kinds) if any(row)], np.uint32)
        self._known = KnownPaths()
        self._frame: FramePaths | None = None
        self._program = 0
        self._block_first = 0
        self._keys = np.zeros(0, np.uint64)
        self._rows = np.zeros(0, np.uint32)
        self._used = 0
        self._straight: NDArray[np.uint32] = np.full(16, _FREE, np.uint32)
        self._straight_address = int(self._straight.ctypes.data)
        #: The same rows: single ones are read and written in a fraction of the time.
        self._straight_rows = self._straight.data
        #: Bits of the coverages that have one.
        self._entered = 0
        self._straight_paths: dict[tuple[int, ...], Paths] = {}
        self._counted: dict[bytes, int] = {}
        self._draw_paths = 0
        self.fell_back = False

    @property
    def num_steps(self) -> int:
        """Steps of the paths that are known."""
        return self._known.num_steps

    def forget_frame(self) -> None:
        """Let go of the frame in progress; what is known of paths stays."""
        self._frame = None
        self._straight_rows[:] = _NO_ROWS
        self._entered = 0
        self._counted.clear()
        self._resize(0)

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
            if self._entered:
                self._straight_rows[:] = _NO_ROWS
                self._entered = 0
            self._counted.clear()
            if not self.is_straight:
                self._resize(256)
        self._draw_paths = 0
        self.fell_back = False

    def _resize(self, size: int) -> None:
        self._keys = np.zeros(size, np.uint64)
        self._rows = np.full(size, _FREE, np.uint32)
        self._used = 0

    def _enter(self, keys: NDArray[np.uint64], rows: NDArray[np.uint32]) -> None:
        from replay.engine.kernels.paths import add_paths

        wanted = len(self._keys)
        while 2 * (self._used + len(keys)) > wanted:
            wanted *= 4
        if wanted > len(self._keys):
            used = self._rows != _FREE
            known = self._keys[used], self._rows[used]
            self._resize(wanted)
            add_paths(self._keys, self._rows, *known)
            self._used = len(known[0])
        add_paths(self._keys, self._rows, keys, rows)
        self._used += len(keys)

    def _add(self, paths: Paths) -> Sequence[int] | NDArray[np.uint32]:
        """Append paths to the frame and return their rows; beyond what a draw may have, counts alone."""
        assert self._frame is not None
        count = len(paths.counts)
        if self._draw_paths + count <= MAX_DRAW_PATHS:
            self._draw_paths += count
            first = self._frame.add(self._program, self._block_first, paths)
            return range(first, first + count)
        whole = max(MAX_DRAW_PATHS - self._draw_paths, 0)
        self._draw_paths += count
        first = self._frame.add(self._program, self._block_first, paths.take(np.arange(whole)))
        rows = np.arange(first, first + count, dtype=np.uint32)
        for at in range(whole, count):
            self.fell_back = True
            one = paths.take(np.array([at])).counted()
            key = one.issued.tobytes() + one.executed.tobytes()
            row = self._counted.get(key)
            if row is None:
                row = self._counted[key] = self._frame.add(self._program, self._block_first, one)
            rows[at] = row
        return rows

    @cached_property
    def _paths_of_masks(self) -> Paths:
        """The path of each coverage through a stage without control flow."""
        marks = np.array([1 if self.is_vertex else (~mask & 15) << 4 | 15 for mask in range(16)], np.uint32)
        steps = (self._busy_blocks << np.uint32(8)) | marks[:, None]
        # As ``count_paths`` does it: a process that draws without control flow never compiles that.
        once = self._kinds[self._busy_blocks].sum(axis=0)
        lanes = np.array([1 if self.is_vertex else mask.bit_count() for mask in range(16)])
        issued = np.broadcast_to(once, (16, len(once))).astype(np.uint32)
        counts = np.full(16, len(self._busy_blocks), np.uint32)
        return Paths(steps.reshape(-1), counts, issued, np.outer(lanes, once).astype(np.uint32))

    def _straight_paths_of(self, masks: tuple[int, ...]) -> Paths:
        """Paths of coverages, in this order."""
        paths = self._straight_paths.get(masks)
        if paths is None:
            if len(self._straight_paths) >= _MAX_ORDERS:
                self._straight_paths.clear()
            one, rows_of = self._paths_of_masks, list(masks)
            steps = one.steps.reshape(16, -1)[rows_of].reshape(-1)
            paths = Paths(steps, one.counts[rows_of], one.issued[rows_of], one.executed[rows_of])
            self._straight_paths[masks] = paths
        return paths

    def _enter_straight(self, masks: tuple[int, ...]) -> None:
        """Give numbers to the paths of coverages, in this order; none has one."""
        rows = self._straight_rows
        for mask, row in zip(masks, self._add(self._straight_paths_of(masks)), strict=True):
            rows[mask] = row
            self._entered |= 1 << mask

    def enter_numbered(self, masks: tuple[int, ...]) -> None:
        """Append paths of coverages that a batch has given the next numbers, in this order."""
        assert self._frame is not None
        first = self._frame.add(self._program, self._block_first, self._straight_paths_of(masks))
        assert first == self._straight_rows[masks[0]]
        for mask in masks:
            self._entered |= 1 << mask

    # ------------------------------------------------------------------ quads
    def enter_straight(self, coverages: int) -> None:
        """Give numbers to the paths of coverages (bits) of a stage without control flow, where they have none."""
        new = coverages & ~self._entered
        if new:
            self._enter_straight(_masks(new))

    def number_new_straight(self, tables: Tables, first: int, last: int) -> None:
        """Fill ``quads.path`` for quads [first, last) of a stage without control flow, in the order of coverages."""
        missing = self.number_straight(tables, first, last)
        if not missing:
            return
        from replay.engine.kernels.paths import order_of_coverages

        coverage, order = tables.quads["coverage"][first:last], np.empty(16, np.int64)
        self._enter_straight(tuple(order[: order_of_coverages(coverage, STRAIGHT_QUADS, missing, order)].tolist()))
        self.number_straight(tables, first, last)

    def number_straight(self, tables: Tables, first: int, last: int) -> int:
        """Fill ``quads.path`` for quads [first, last) of the tables; gives bits of coverages that have no number."""
        from replay.engine.kernels.paths import number_straight

        quads = tables.quads
        return int(number_straight(self._straight, quads["coverage"][first:last], quads["path"][first:last]))

    def number_known(self, tables: Tables, hashes: NDArray[np.uint64], first: int, last: int) -> int:
        """Fill ``quads.path`` from row ``first`` on, before ``last``, as far as paths of hashes have numbers.

        Parameters
        ----------
        hashes : of the quads from ``first`` on

        Returns
        -------
        How many have one.
        """
        from replay.engine.kernels.paths import number_paths

        path = tables.quads["path"][first:last]
        return int(number_paths(self._keys, self._rows, hashes, 0, last - first, path))

    def number(
        self,
        executed: Callable[[], tuple[PathLogger, NDArray[np.float32], int]],
        tables: Tables,
        hashes: NDArray[np.uint64],
        first: int,
        last: int,
    ) -> None:
        """Fill ``quads.path`` for quads [first, last) of the tables.

        Parameters
        ----------
        executed : asked for where paths are new: the draw's fragment stage, its plane equations (E, words), and the
            row of ``emitted`` that has the first ones
        hashes : of the quads from ``first`` on
        """
        quads = tables.quads
        if self.is_straight:
            self.number_new_straight(tables, first, last)
            return

        known: list[tuple[PathLogger, NDArray[np.float32], int]] = []

        def log(rows: NDArray[np.int64], capacity: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
            if not known:
                known.append(executed())
            run, planes, emitted_first = known[0]
            picked = rows + first
            missing = -len(picked) % QUADS
            whole = np.concatenate([picked, picked[-1:].repeat(missing)]) if missing else picked
            keys = ("coverage", "emitted", "x", "y", *["raster_samples"] * ("raster_samples" in quads))
            gathered = {key: quads[key][whole] for key in keys}
            gathered["coverage"][len(picked) :] = 0
            return run.log_quads(gathered, planes, emitted_first, capacity)

        self._number(hashes[: last - first], quads["path"][first:last], log)

    def _number(
        self,
        hashes: NDArray[np.uint64],
        path: NDArray[np.uint32],
        log: Any,
        before_new: Callable[[], None] | None = None,
    ) -> None:
        from replay.engine.kernels.paths import find_new, number_paths

        done, length, room = 0, len(hashes), 1 << 6
        while True:
            # Where no path has a number yet, the first one has none.
            done = number_paths(self._keys, self._rows, hashes, done, length, path) if self._used else 0
            if done >= length:
                return
            if before_new is not None:
                before_new()
            # In the order in which they appear, so that rows do not depend on the values of hashes.
            while True:
                places = np.empty(room, np.int64)
                count = find_new(self._keys, self._rows, hashes[done:], places, np.full(2 * room, -1, np.int64))
                if count < room:
                    break
                room *= 8
            at = places[:count] + done
            keys = hashes[at]
            self._learn(keys, at, log)
            rows = self._add(self._known.take(keys))
            if isinstance(rows, range):
                rows = np.arange(rows.start, rows.stop, dtype=np.uint32)
            self._enter(keys, np.asarray(rows, np.uint32))

    def _learn(self, keys: NDArray[np.uint64], places: NDArray[np.int64], log: Any) -> None:
        """Log the steps of paths that this program has not taken before."""
        if len(self._known) > _MAX_KNOWN:
            # A shader that never repeats itself: what was learnt is of no use again.
            self._known = KnownPaths()
        unknown = self._known.missing(keys)
        if not len(unknown):
            return
        lengths = np.full(len(keys), _FIRST_STEPS_IN_LOOPS if self.has_loops else _FIRST_STEPS)
        self._known.expect(min(int(lengths[unknown].sum()), _MAX_EXPECTED_STEPS))
        while len(unknown):
            # The longest ones first; the log says how long those are that it had no room for.
            capacity = int(lengths[unknown[0]])
            part, unknown = np.split(unknown, [max(_LOG_WORDS // capacity, 2)])
            steps, counts = log(places[part], capacity)
            lengths[part] = np.minimum(counts[: len(part)], MAX_STEPS)
            is_whole = lengths[part] <= capacity
            rows = np.flatnonzero(is_whole)
            self._known.add(keys[part[rows]], steps, counts, rows, self._kinds)
            unknown = np.concatenate([part[~is_whole], unknown])
            unknown = unknown[np.argsort(-lengths[unknown], kind="stable")]

    # ------------------------------------------------------------------ vertices
    def number_vertices(
        self,
        run: PathLogger,
        hashes: NDArray[np.uint64] | None,
        lanes: int,
        drain: Callable[[], None] | None = None,
    ) -> NDArray[np.uint32]:
        """Paths of shaded vertices, (lanes,) uint32; ``drain`` makes sure that earlier draws have theirs."""
        path = np.empty(lanes, np.uint32)
        if self.is_straight or hashes is None:
            if drain is not None:
                drain()
            path[:] = self.straight_vertex_path()
            return path
        self._number(hashes[:lanes], path, run.log_vertices, drain)
        return path

    def known_vertices(self, hashes: NDArray[np.uint64], lanes: int) -> NDArray[np.uint32] | None:
        """As :meth:`number_vertices`; None where a path has no number in the frame yet."""
        from replay.engine.kernels.paths import number_paths

        path = np.empty(lanes, np.uint32)
        return path if number_paths(self._keys, self._rows, hashes[:lanes], 0, lanes, path) >= lanes else None

    def straight_vertex_path(self) -> int:
        """Path of all vertices of a stage without control flow; paths of earlier draws have numbers."""
        self.enter_straight(1 << 1)
        return int(self._straight_rows[1])

    def known_vertex_path(self, frame: FramePaths) -> int:
        """The same, -1 while it has no number in the frame."""
        return int(self._straight_rows[1]) if self._frame is frame and self._entered & 2 else -1


@lru_cache(1 << 10)
def _masks(coverages: int) -> tuple[int, ...]:
    """Coverages whose bits are set, in ascending order."""
    return tuple([mask for mask in range(16) if coverages >> mask & 1])
