"""Growing columns of FrameTrace's tables, in memory that is used again once nobody holds it.

Page faults on fresh memory cost as much as filling it, so large blocks are kept in a pool. A block is free when no
array refers to it any more: a frame's columns stay valid for as long as the frame (or a view of it) lives, and its
memory comes back by itself when it goes.
"""

from __future__ import annotations

import math
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine.finished import FinishedTable, Layout, packed
from replay.engine.left import drop_blocks, leave_blocks, take_block
from replay.engine.pass_memory import COLUMN_ALIGNMENT, PassMemory, Placed
from replay.texture.filled import Area, Filled, joined
from traceformat.errors import ReplayError
from traceformat.gputrace.frametrace import SCHEMA, Table
from traceformat.guards import check_process_memory, exceeded, guards
from traceformat.native.records import address_of
from traceformat.spill import mapped_octets

__all__ = ["ColumnPool", "GrowingTable", "PixelMemory"]

_MIN_BLOCK: Final = 1 << 16
#: Blocks of at least so many bytes wait in files once so much is held, or this part of what the process may hold.
_MAPPED_BLOCK: Final = 1 << 25
_RESIDENT_BYTES: Final = 1 << 30
_RESIDENT_SHARE: Final = 4
#: Bytes of small blocks before the process's memory is looked at.
_CHECKED_BYTES: Final = 1 << 22
#: Memory of pictures from which on idle blocks are given back.
_IDLE_PIXEL_BYTES: Final = 1 << 28
#: Blocks of pictures of which is known what most of them holds.
_MAX_FILLED: Final = 64
#: References to an unused block while :meth:`ColumnPool.take` looks at it: the list, the loop variable, the argument.
_IDLE_REFERENCES: Final = 3


class ColumnPool:
    """Blocks of memory for columns.

    Parameters
    ----------
    limit_bytes : memory from which on idle blocks are given back
    max_bytes : most memory in use; by default the guard ``frame_memory``
    """

    def __init__(self, limit_bytes: int = 1 << 30, max_bytes: int | None = None) -> None:
        self._blocks: dict[int, list[NDArray[np.uint8]]] = {}
        self._limit_bytes = limit_bytes
        #: Bytes of blocks that were made since the process's memory was looked at.
        self._unchecked = 0
        #: Two threads take blocks.
        self._lock = threading.Lock()
        self._max_bytes = guards().frame_memory if max_bytes is None else max_bytes

    def take(self, rows: int, dtype: np.dtype[Any], shape: tuple[int, ...] = ()) -> NDArray[Any]:
        """Give an array of at least ``rows`` rows, content undefined.

        Raises
        ------
        ReplayError : more memory in use than the guard allows
        """
        row_bytes = dtype.itemsize * math.prod(shape)
        block = self.take_octets(rows * row_bytes)
        capacity = len(block) // row_bytes
        return block[: capacity * row_bytes].view(dtype).reshape(capacity, *shape)

    def take_octets(self, num_bytes: int) -> NDArray[np.uint8]:
        """Give a whole block of at least so many bytes, content undefined; raises as :meth:`take`."""
        size = max(1 << (num_bytes - 1).bit_length(), _MIN_BLOCK) if num_bytes else _MIN_BLOCK
        with self._lock:
            blocks = self._blocks.setdefault(size, [])
            for block in blocks:
                if sys.getrefcount(block) <= _IDLE_REFERENCES:
                    return block
            if self._held_bytes() + size > min(self._limit_bytes, self._max_bytes):
                self._drop_idle()
            held = self._held_bytes() + size
            if held > self._max_bytes:
                raise exceeded(f"{held} bytes are needed to record a frame", "frame_memory")
            block = self._new(size)
            blocks.append(block)
            return block

    def _new(self, size: int) -> NDArray[np.uint8]:
        """A block: a large one beyond what a frame may hold in memory is such as the system can put away."""
        if size >= _MAPPED_BLOCK:
            room = min(_RESIDENT_BYTES, guards().process_memory // _RESIDENT_SHARE)
            if self._held_bytes() + size > room:
                return mapped_octets(size, "the rows of a pass")
        left = take_block(size)
        if left is not None:
            return left
        self._unchecked += size
        if self._unchecked < _CHECKED_BYTES:
            return np.empty(size, np.uint8)
        self._unchecked = 0
        try:
            check_process_memory(size)
        except ReplayError:
            # What is idle is held for speed alone.
            self._drop_idle()
            drop_blocks()
            check_process_memory(size)
        return np.empty(size, np.uint8)

    def _held_bytes(self) -> int:
        return sum(size * len(held) for size, held in self._blocks.items())

    def _drop_idle(self) -> None:
        for held in self._blocks.values():
            held[:] = [block for block in held if sys.getrefcount(block) > _IDLE_REFERENCES]

    def leave(self) -> None:
        """Leave what is idle to the next replay of this process, and let go of the rest."""
        with self._lock:
            idle = [
                block
                for blocks in self._blocks.values()
                for block in blocks
                if sys.getrefcount(block) <= _IDLE_REFERENCES and block.flags.owndata
            ]
            self._blocks.clear()
        leave_blocks(idle)


class PixelMemory:
    """Copies of pixels, in memory that is used again once nobody holds the copy."""

    def __init__(self) -> None:
        self._pool = ColumnPool(_IDLE_PIXEL_BYTES, sys.maxsize)
        #: Blocks that hold copies of filled planes: shape, value, and where something else may lie.
        self._filled: dict[int, tuple[weakref.ref[NDArray[np.uint8]], tuple[int, ...], object, Area]] = {}

    def leave(self) -> None:
        """Leave what is idle to the next replay of this process."""
        self._pool.leave()

    def copy(self, words: NDArray[np.uint32], filled: Filled | None = None) -> NDArray[np.uint8]:
        """Copy (height, width) texels of four bytes, or (height, width, samples): (height, width, bytes) uint8.

        Nobody may write to a copy: the memory's next one may be of what differs alone.

        Parameters
        ----------
        filled : what most of the texels hold, if that is known
        """
        height, width = words.shape[:2]
        num_bytes = 4 * math.prod(words.shape[2:])
        if not words.size:
            return np.zeros((height, width, num_bytes), np.uint8)
        block = self._pool.take_octets(4 * words.size)
        copied = block[: 4 * words.size].view(np.uint32).reshape(words.shape)
        x0, y0, x1, y1 = self._differing(block, words.shape, filled)
        if words.ndim == 2:
            copied[y0:y1, x0:x1] = words[y0:y1, x0:x1]
        else:
            for sample in range(words.shape[2]):  # all at once would take half as long again
                copied[y0:y1, x0:x1, sample] = words[y0:y1, x0:x1, sample]
        copied.flags.writeable = False
        return copied.view(np.uint8).reshape(height, width, num_bytes)

    def _differing(self, block: NDArray[np.uint8], shape: tuple[int, ...], filled: Filled | None) -> Area:
        """Where a block does not hold what a copy of this shape will; it is noted that it does."""
        before = self._filled.pop(id(block), None)
        whole = (0, 0, shape[1], shape[0])
        if filled is None:
            return whole
        if len(self._filled) >= _MAX_FILLED:
            self._filled.clear()
        self._filled[id(block)] = (weakref.ref(block), shape, filled.value, filled.area)
        if before is None or before[0]() is not block or before[1] != shape or before[2] != filled.value:
            return whole
        return joined(before[3], filled.area)


class GrowingTable:
    """Columns of one table under construction.

    Parameters
    ----------
    name : of the table in SCHEMA
    memory : where memory comes from, and who hands the columns over in the end
    columns : which columns to keep; default all required ones
    wanted : which of them to hand over, in the schema's order; default all

    Attributes
    ----------
    row_bytes, gap_bytes : of all columns: bytes of a row, and what their alignment takes at most
    """

    def __init__(
        self,
        name: str,
        memory: PassMemory,
        columns: frozenset[str] | None = None,
        wanted: Sequence[str] | None = None,
    ) -> None:
        spec = SCHEMA[name]
        kept = columns if columns is not None else frozenset(k for k, column in spec.items() if not column.optional)
        self.name = name
        self.num_rows = 0
        #: Most rows that :meth:`ensure` has been asked for in this pass.
        self.asked_rows = 0
        #: Rows that there is memory for.
        self.capacity = 0
        #: Called before columns move: others may be writing into them.
        self.before_growth: Callable[[], None] | None = None
        #: Held while columns move, and by who writes into rows beside a thread that may move them.
        self.moving = threading.RLock()
        self._memory = memory
        self._spec = {key: (np.dtype(spec[key].dtype), spec[key].shape) for key in spec if key in kept}
        self._wanted = tuple(spec) if wanted is None else tuple(wanted)
        #: The columns that are handed over, bytes of a row of them, and the table without rows.
        self._handed: Layout = {}
        self._handed_bytes = 0
        self._empty = Table(name, {})
        self.row_bytes = self.gap_bytes = 0
        #: Memory of all columns, None as long as there is none, and where each begins.
        self.block: NDArray[np.uint8] | None = None
        self._places: dict[str, int] = {}
        #: Columns that somebody has asked for, or that have memory of their own.
        self._columns: dict[str, NDArray[Any]] = {}
        #: Where columns lie that are kept; another dictionary when they move.
        self.addresses: dict[str, int] = {}
        self._note_columns()
        memory.join(self)

    def _note_columns(self) -> None:
        """What follows from which columns there are."""
        self.row_bytes = sum([dtype.itemsize * math.prod(shape) for dtype, shape in self._spec.values()])
        self.gap_bytes = COLUMN_ALIGNMENT * (len(self._spec) + 1)
        specs = ((key, *self._spec[key]) for key in self._wanted if key in self._spec)
        handed = {key: (dtype, shape, dtype.itemsize * math.prod(shape)) for key, dtype, shape in specs}
        self._handed, self._handed_bytes = handed, sum([size for _, _, size in handed.values()])
        self._empty = FinishedTable(self.name, 0, handed, self._handed_bytes, bytearray(), None)

    @property
    def has_columns(self) -> bool:
        """Whether any column is kept."""
        return bool(self._spec)

    @property
    def room(self) -> int:
        """Rows behind the last one that can be written without growing."""
        return self.capacity - self.num_rows

    def address(self, column: str) -> int:
        """Where a column lies, 0 if it is not kept."""
        return self.addresses.get(column, 0)

    def ensure(self, rows: int) -> None:
        """Make room for ``rows`` more rows without adding them."""
        needed = self.num_rows + rows
        if needed > self.asked_rows:
            self.asked_rows = needed
        if needed > self.capacity or self.block is None:
            self.reserve(rows)
            self.num_rows -= rows

    def __contains__(self, column: str) -> bool:
        return column in self._spec

    def __getitem__(self, column: str) -> NDArray[Any]:
        """Give the column with its spare capacity."""
        found = self._columns.get(column)
        if found is None:
            found = self._columns[column] = self._column(column, self.capacity)
        return found

    def _column(self, key: str, rows: int) -> NDArray[Any]:
        """So many rows of a column from the first on."""
        own = self._columns.get(key)
        if own is not None:
            return own[:rows]
        dtype, shape = self._spec[key]
        return np.ndarray((rows, *shape), dtype, self.block, self._places[key])

    def include(self, *columns: str) -> None:
        """Keep further (optional) columns from now on; rows that exist already read 0 in them."""
        for key in columns:
            if key in self._spec:
                continue
            column = SCHEMA[self.name][key]
            self._spec[key] = (np.dtype(column.dtype), column.shape)
            self._forget_layout()
            if self.block is not None:
                array = self._memory.pool.take(self.capacity, *self._spec[key])
                array[: self.num_rows] = 0
                self._columns[key] = array
                self.addresses = {**self.addresses, key: address_of(array)}

    def exclude(self, *columns: str) -> None:
        """Stop keeping columns."""
        for key in columns:
            if key not in self._spec:
                continue
            del self._spec[key]
            self._forget_layout()
            self._columns.pop(key, None)
            if key in self.addresses:
                self.addresses = {name: at for name, at in self.addresses.items() if name != key}
            if key in self._places:
                self._places = {name: at for name, at in self._places.items() if name != key}

    def _forget_layout(self) -> None:
        """The columns are others from now on."""
        self._note_columns()
        self._memory.forget_layout()

    def reserve(self, rows: int) -> int:
        """Make room for ``rows`` more rows and return the number of the first; content is undefined until written."""
        first = self.num_rows
        needed = first + rows
        if needed > self.capacity or (self.block is None and self._spec):
            self._grow(needed)
        self.num_rows = needed
        return first

    def _grow(self, needed: int) -> None:
        """Take memory for so many rows, and perhaps more, with the rows that there are."""
        if not self._spec:
            self.capacity = max(needed, 2 * self.capacity)
            return
        if self.block is None:
            # Nobody can be writing where there is nothing.
            self._memory.provide(self, needed)
            return
        first = self.num_rows
        if self.before_growth is not None:
            self.before_growth()
        with self.moving:
            known = {key: self._column(key, first) for key in self._spec} if first else {}
            self.take(max(needed, 2 * self.capacity))
            for key, array in known.items():
                self._column(key, first)[...] = array

    def take(self, rows: int) -> None:
        """Lie in memory of its own from now on, for at least so many rows."""
        block = self._memory.pool.take_octets(rows * self.row_bytes + self.gap_bytes)
        base = address_of(block)
        placed, _ = self.lay_out(base, -base % COLUMN_ALIGNMENT, (len(block) - self.gap_bytes) // self.row_bytes)
        self.place(block, placed)

    def lay_out(self, base: int, at: int, rows: int) -> tuple[Placed, int]:
        """Where so many rows of each column lie from byte ``at`` of a block on, and what lies behind them."""
        places = {}
        for key, (dtype, shape) in self._spec.items():
            places[key] = at
            at += -(-rows * dtype.itemsize * math.prod(shape) // COLUMN_ALIGNMENT) * COLUMN_ALIGNMENT
        return Placed(rows, places, {key: base + place for key, place in places.items()}), at

    def place(self, block: NDArray[np.uint8], placed: Placed) -> None:
        """Lie there from now on."""
        self._columns = {}
        self.capacity, self._places, self.addresses = placed
        self.block = block

    def release(self) -> None:
        """Let go of the memory."""
        self.block, self._columns, self._places, self.addresses = None, {}, {}, {}
        self.capacity = 0

    def append(self, **values: Any) -> int:
        """Append equally long arrays, one a column (those not kept are ignored); returns the first new row."""
        rows = len(next(iter(values.values())))
        first = self.reserve(rows)
        for key in self._spec:
            self[key][first : first + rows] = values[key]
        return first

    def hand_over(self, *, is_copied: bool, stays: bool) -> Table:
        """Give the wanted columns, or a copy of them, and start anew.

        Parameters
        ----------
        stays : the memory, for the next pass
        """
        rows, handed, done = self.num_rows, self._handed, self._empty
        if rows:
            block, places = self.block, self._places
            if block is None or not handed.keys() <= places.keys():
                # Columns that were added late have memory of their own.
                columns = {key: self._column(key, rows) for key in handed}
                done = Table(self.name, {key: array.copy() for key, array in columns.items()} if is_copied else columns)
            elif is_copied:
                copied = packed(block, rows, handed, places)
                done = FinishedTable(self.name, rows, handed, self._handed_bytes, copied, None)
            else:
                done = FinishedTable(self.name, rows, handed, self._handed_bytes, block, places)
            self.num_rows = 0
        self.asked_rows = 0
        if not stays:
            self.release()
        return done
