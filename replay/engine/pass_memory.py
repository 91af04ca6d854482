"""Memory of the tables of a pass: one block for all of them, as large as the frame before needed it.

Frames resemble each other, and growing copies: a pass is expected to need what the last one with its target did, and
the one that came as late in the frame before. Most of what it takes to set up a table is alike for all of them, and the
same blocks come again and again: where columns lie in a block is kept with it.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from operator import le
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from replay.engine.left import leave_rows, rows_before
from traceformat.gputrace.frametrace import Table
from traceformat.native.records import address_of

__all__ = ["COLUMN_ALIGNMENT", "Blocks", "PassMemory", "PassTable", "Placed"]

COLUMN_ALIGNMENT: Final = 64
#: Rows of a table whose pass has had few in the frame before, and of a pass that is not known.
_LEAST_ROWS: Final = 256
_FIRST_ROWS: Final = {"tex_ops": 1 << 14, "texture_lines": 1 << 16}
#: Room that a table takes at once because the frame before needed it; one great frame must not weigh on the next.
_MAX_EXPECTED_ROWS: Final = 1 << 22
#: Frames of a replay that take the one before as a hint of how many rows they will have.
_FIRST_FRAMES: Final = 4
#: Passes of a frame of which is kept how many rows they had.
_MAX_KNOWN_PASSES: Final = 1 << 10
#: Bytes that tables share; larger ones have memory of their own.
_MAX_SHARED_BYTES: Final = 1 << 25
#: Passes that fill less than this part of their block are copied, and those of few bytes that fill less than the other.
_SPARSE: Final = 8
_COPIED_BYTES: Final = 1 << 15
_SPARSE_FEW: Final = 3
#: Memory that may be much too large.
_SMALL_BYTES: Final = 1 << 16
#: Passes, and blocks of each, of which is kept where columns lie.
_MAX_PLANS: Final = 256
_MAX_PLACED: Final = 64


class Placed(NamedTuple):
    """Where the columns of a table lie.

    Parameters
    ----------
    capacity : rows
    places : where each column begins in the block
    addresses : and in memory
    """

    capacity: int
    places: dict[str, int]
    addresses: dict[str, int]


class Blocks(Protocol):
    """Where memory comes from: see :class:`~replay.engine.columns.ColumnPool`."""

    def take(self, rows: int, dtype: np.dtype[Any], shape: tuple[int, ...] = ()) -> NDArray[Any]:
        """Give an array of at least so many rows."""

    def take_octets(self, num_bytes: int) -> NDArray[np.uint8]:
        """Give a block of at least so many bytes."""


class PassTable(Protocol):
    """A table that shares memory: see :class:`~replay.engine.columns.GrowingTable`."""

    name: str
    num_rows: int
    asked_rows: int
    row_bytes: int
    gap_bytes: int
    block: NDArray[np.uint8] | None

    @property
    def has_columns(self) -> bool:
        """Whether any column is kept."""

    def lay_out(self, base: int, at: int, rows: int) -> tuple[Placed, int]:
        """Where so many rows lie from byte ``at`` on, and what lies behind them."""

    def place(self, block: NDArray[np.uint8], placed: Placed) -> None:
        """Lie there from now on."""

    def take(self, rows: int) -> None:
        """Lie in memory of its own from now on."""

    def hand_over(self, *, is_copied: bool, stays: bool) -> Table:
        """Give what there is, and start anew."""

    def release(self) -> None:
        """Let go of the memory."""


class _Plan:
    """How tables of so many rows share a block.

    Parameters
    ----------
    tables : that have columns
    rows : of each
    """

    def __init__(self, tables: list[PassTable], rows: tuple[int, ...]) -> None:
        self._tables, self.rows = tables, rows
        self.row_bytes = sum([count * table.row_bytes for count, table in zip(rows, tables, strict=True)])
        self._gap_bytes = sum([table.gap_bytes for table in tables])
        self._known: dict[tuple[int, int], list[Placed]] = {}

    @property
    def num_bytes(self) -> int:
        """Bytes that it takes."""
        return self.row_bytes + self._gap_bytes

    def suits(self, rows: tuple[int, ...]) -> bool:
        """Whether so many rows fit, and it is not much too large for them."""
        is_near = self.num_bytes <= _SMALL_BYTES or _SPARSE * sum(rows) >= sum(self.rows)
        return is_near and all(map(le, rows, self.rows))

    def placed(self, block: NDArray[np.uint8]) -> list[Placed]:
        """Where each table's columns lie in a block, all of which they take."""
        base, size = address_of(block), len(block)
        known = self._known.get((base, size))
        if known is None:
            if len(self._known) >= _MAX_PLACED:
                self._known.clear()
            known = self._known[base, size] = []
            room, at = size - self._gap_bytes, -base % COLUMN_ALIGNMENT
            for count, table in zip(self.rows, self._tables, strict=True):
                placed, at = table.lay_out(base, at, count * room // self.row_bytes)
                known.append(placed)
        return known


def _nothing() -> None:
    """Nobody knows what the pass in progress renders to."""


class PassMemory:
    """Gives tables their memory, one pass after the other.

    Parameters
    ----------
    pool : where it comes from
    find_target : gives what the pass in progress renders to: equal ones are the same, None is not known

    Attributes
    ----------
    held_bytes : of the memory that what was handed over last lies in
    """

    def __init__(self, pool: Blocks, find_target: Callable[[], object] = _nothing) -> None:
        self.pool = pool
        self._find_target = find_target
        self.held_bytes = 0
        self._all: list[PassTable] = []
        #: Those that have columns.
        self._tables: list[PassTable] = []
        self._blank: dict[str, Table] = {}
        #: Block that the tables share, None where there is none.
        self._block: NDArray[np.uint8] | None = None
        #: Passes of the frame in progress that have ended, and rows of each pass of the frame before.
        self._num_passes = 0
        self._known_rows: list[tuple[int, ...]] = []
        #: Passes of the frame by their target, and rows of the last pass that was the n-th of its target.
        self._num_of_target: Counter[object] = Counter()
        self._of_target: dict[tuple[object, int], tuple[int, ...]] = {}
        #: Frames that have begun, and rows of the passes of the last frame of the replay before, for the first ones.
        self._num_frames = 0
        self._rows_before: list[tuple[int, ...]] = []
        #: Of the passes of a frame, and all of them, by their rows.
        self._plans: dict[int, _Plan] = {}
        self._rounded: dict[tuple[int, ...], _Plan] = {}
        #: Two threads ask for memory.
        self._lock = threading.Lock()

    def join(self, table: PassTable) -> None:
        """Have a table from now on, which has no memory yet."""
        self._all.append(table)
        self._blank[table.name] = Table(table.name, {})
        self.forget_layout()

    def forget_layout(self) -> None:
        """Columns of a table are others from now on."""
        self._tables = [table for table in self._all if table.has_columns]
        self._rows_before = rows_before(self._names)
        self._plans, self._rounded = {}, {}

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple([table.name for table in self._tables])

    # ------------------------------------------------------------------ room
    def provide(self, asking: PassTable, needed: int) -> None:
        """Give memory to all tables, none of which has any; at least so many rows to the one that asks."""
        with self._lock:
            if asking.block is not None:
                return  # by another thread, meanwhile
            rows = self._expected()
            number = self._tables.index(asking)
            if needed > rows[number]:
                rows = (*rows[:number], needed, *rows[number + 1 :])
            plan = self._plan(rows)
            if plan.num_bytes > _MAX_SHARED_BYTES:
                for table, count in zip(self._tables, rows, strict=True):
                    table.take(max(count if table is asking else min(count, _MAX_EXPECTED_ROWS), _LEAST_ROWS))
                return
            block = self._block = self.pool.take_octets(plan.num_bytes)
            for table, placed in zip(self._tables, plan.placed(block), strict=True):
                table.place(block, placed)

    def _plan(self, rows: tuple[int, ...]) -> _Plan:
        """How the tables share a block, for at least so many rows of each."""
        number = self._num_passes % _MAX_PLANS
        plan = self._plans.get(number)
        if plan is None or not plan.suits(rows):
            if len(self._rounded) >= _MAX_PLANS:
                self._rounded.clear()
            rounded = tuple(map(_rounded, rows))
            plan = self._rounded.get(rounded)
            if plan is None:
                plan = self._rounded[rounded] = _Plan(self._tables, rounded)
            self._plans[number] = plan
        return plan

    def _expected(self) -> tuple[int, ...]:
        """About as many rows as the pass in progress will have."""
        target = self._find_target()
        like = self._of_target.get((target, self._num_of_target[target]))
        by_number = self._expected_by_number()
        return by_number if like is None else tuple(map(max, like, by_number))

    def _expected_by_number(self) -> tuple[int, ...]:
        known, before = self._known_rows, self._rows_before
        if before and self._num_frames < _FIRST_FRAMES:
            hint = before[min(self._num_passes, len(before) - 1)]
            return hint if not known else tuple(map(max, hint, known[min(self._num_passes, len(known) - 1)]))
        if known:
            return known[min(self._num_passes, len(known) - 1)]
        return tuple([_FIRST_ROWS.get(table.name, 0) for table in self._tables])

    # ------------------------------------------------------------------ ends
    def finish(self, target: object = None) -> dict[str, Table]:
        """Hand over what the pass that has ended has in all tables, and start anew; ``target``: what it rendered to."""
        rows, used, block, is_shared = [], 0, self._block, True
        for table in self._tables:
            rows.append(max(table.num_rows, table.asked_rows))
            used += table.num_rows * table.row_bytes
            is_shared &= table.block is block
        self._note(tuple(rows), target)
        # A small pass behind a large one does not hold what that one needed.
        sparse = _SPARSE_FEW if used <= _COPIED_BYTES else _SPARSE
        is_copied = block is not None and sparse * used < len(block)
        stays = is_shared and is_copied and block is not None and self._is_next_within(len(block))
        done = self._blank.copy()
        self.held_bytes = 0 if block is None else used if is_copied else len(block)
        for table in self._tables:
            own, copies = table.block, is_copied
            if own is not block and own is not None:
                copies = _SPARSE * table.num_rows * table.row_bytes < len(own)
                self.held_bytes += 0 if copies else len(own)
            done[table.name] = table.hand_over(is_copied=copies, stays=stays)
        if not stays:
            self._block = None
        return done

    def _is_next_within(self, num_bytes: int) -> bool:
        """Whether the next pass, or the next frame's first, will need no more memory."""
        rows = self._known_rows[self._num_passes % len(self._known_rows)]
        return _Plan(self._tables, rows).num_bytes <= num_bytes

    def _note(self, rows: tuple[int, ...], target: object) -> None:
        """Keep how many rows the pass that has ended had."""
        if target is not None:
            if len(self._of_target) >= _MAX_KNOWN_PASSES:
                self._of_target.clear()
            self._of_target[target, self._num_of_target[target]] = rows
            self._num_of_target[target] += 1
        if self._num_passes < len(self._known_rows):
            self._known_rows[self._num_passes] = rows
        elif len(self._known_rows) < _MAX_KNOWN_PASSES:
            self._known_rows.append(rows)
        self._num_passes += 1

    def clear(self) -> None:
        """Begin another frame: forget the rows that are there, but not how many passes had; keep the memory."""
        for table in self._all:
            table.num_rows = table.asked_rows = 0
        self._num_passes = 0
        self._num_of_target.clear()
        self._num_frames += 1

    def leave(self) -> None:
        """Let go of the memory, and leave to the next replay how many rows passes have."""
        for table in self._all:
            table.release()
        leave_rows(self._names, self._known_rows)
        self._block = None
        # These refer back to it.
        self._all, self._tables, self._plans, self._rounded = [], [], {}, {}
        self._find_target = _nothing


def _rounded(rows: int) -> int:
    """Passes that resemble each other have the same layout."""
    return max(1 << (rows - 1).bit_length(), _LEAST_ROWS) if rows else _LEAST_ROWS
