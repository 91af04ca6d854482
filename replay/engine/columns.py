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
from replay.engine.left import drop_blocks, leave_blocks, leave_rows, rows_before, take_block
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
_MIN_ROWS: Final = 64
#: Room that a table takes at once because the frame before needed it; one great frame must not weigh on the next.
_MAX_EXPECTED_ROWS: Final = 1 << 22
#: Frames of a replay that take the one before as a hint of how many rows they will have.
_FIRST_FRAMES: Final = 4
#: Passes of a frame of which is kept how many rows they had.
_MAX_KNOWN_PASSES: Final = 1 << 10
#: Rows of which as many as this would fit are copied.
_SPARSE: Final = 3
#: References to an unused block while :meth:`ColumnPool.take` looks at it: the list, the loop variable, the argument.
_IDLE_REFERENCES: Final = 3
#: Rows that are copied when a pass ends, and rows of the memory that then stays.
_COPIED_ROWS: Final = 1 << 9
_KEPT_ROWS: Final = 1 << 13
_COLUMN_ALIGNMENT: Final = 64
#: Blocks of which a table keeps where its columns lie in them.
_MAX_LAYOUTS: Final = 64


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
    pool : where memory comes from
    columns : which columns to keep; default all required ones
    wanted : which of them to hand over in the end, in the schema's order; default all
    """

    def __init__(
        self,
        name: str,
        pool: ColumnPool,
        columns: frozenset[str] | None = None,
        wanted: Sequence[str] | None = None,
    ) -> None:
        spec = SCHEMA[name]
        kept = columns if columns is not None else frozenset(k for k, column in spec.items() if not column.optional)
        self.name = name
        self.num_rows = 0
        #: Rows that there is memory for.
        self.capacity = 0
        #: Passes of the frame in progress that have ended, and rows of each pass of the frame before: frames resemble
        #: each other, and growing copies.
        self._num_passes = 0
        self._known_rows: list[int] = []
        #: Frames that have begun, and rows of the passes of the last frame of the replay before, for the first ones.
        self._num_frames = 0
        self._rows_before = rows_before(name)
        #: Called before columns move: others may be writing into them.
        self.before_growth: Callable[[], None] | None = None
        #: Held while columns move, and by who writes into rows beside a thread that may move them.
        self.moving = threading.RLock()
        self._pool = pool
        self._spec = {key: (np.dtype(spec[key].dtype), spec[key].shape) for key in spec if key in kept}
        self._wanted = tuple(spec) if wanted is None else tuple(wanted)
        #: The columns that are handed over, bytes of a row of them, and the table without rows; None until needed.
        self._handed: Layout | None = None
        self._handed_bytes = 0
        self._empty: Table | None = None
        #: Bytes of a row of each column; None until they are needed.
        self._row_bytes: list[int] | None = None
        #: By where a block lies and its length: rows that it holds, where columns begin in it, and their addresses.
        self._layouts: dict[tuple[int, int], tuple[int, dict[str, int], dict[str, int]]] = {}
        #: Memory of all columns, None as long as there is none, and where each begins.
        self._block: NDArray[np.uint8] | None = None
        self._places: dict[str, int] = {}
        #: Columns that somebody has asked for, or that have memory of their own.
        self._columns: dict[str, NDArray[Any]] = {}
        #: Rises when columns move.
        self.version = 0
        #: Where columns lie that are kept.
        self.addresses: dict[str, int] = {}

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
        if self.num_rows + rows > self.capacity or self._block is None:
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
        return np.ndarray((rows, *shape), dtype, self._block, self._places[key])

    def include(self, *columns: str) -> None:
        """Keep further (optional) columns from now on; rows that exist already read 0 in them."""
        for key in columns:
            if key in self._spec:
                continue
            column = SCHEMA[self.name][key]
            self._spec[key] = (np.dtype(column.dtype), column.shape)
            self._forget_layout()
            if self._block is not None:
                array = self._pool.take(self.capacity, *self._spec[key])
                array[: self.num_rows] = 0
                self._columns[key] = array
                self.addresses = {**self.addresses, key: address_of(array)}
                self.version += 1

    def exclude(self, *columns: str) -> None:
        """Stop keeping columns."""
        for key in columns:
            if self._spec.pop(key, None) is not None:
                self._forget_layout()
            self._columns.pop(key, None)
            if key in self.addresses:
                self.addresses = {name: at for name, at in self.addresses.items() if name != key}
            if key in self._places:
                self._places = {name: at for name, at in self._places.items() if name != key}

    def _forget_layout(self) -> None:
        """The columns are others from now on."""
        self._handed = self._empty = self._row_bytes = None
        self._layouts = {}

    def reserve(self, rows: int) -> int:
        """Make room for ``rows`` more rows and return the number of the first; content is undefined until written."""
        first = self.num_rows
        needed = first + rows
        if needed > self.capacity or (self._block is None and self._spec):
            self._grow(needed)
        self.num_rows = needed
        return first

    def _grow(self, needed: int) -> None:
        """Take memory for so many rows, and perhaps more, with the rows that there are."""
        first, target = self.num_rows, max(needed, 2 * self.capacity, self._expected_rows())
        if self._block is None:
            # Nobody can be writing where there is nothing.
            self._provide(target)
            self.version += 1
            return
        if self.before_growth is not None:
            self.before_growth()
        with self.moving:
            known = {key: self._column(key, first) for key in self._spec} if first else {}
            self._provide(target)
            for key, array in known.items():
                self._column(key, first)[...] = array
            self.version += 1

    def _expected_rows(self) -> int:
        """About as many rows as the pass in progress will have."""
        known = self._known_rows
        rows = known[min(self._num_passes, len(known) - 1)] if known else 0
        before = self._rows_before
        if before and self._num_frames < _FIRST_FRAMES:
            rows = max(rows, before[min(self._num_passes, len(before) - 1)])
        return min(max(rows, _MIN_ROWS), _MAX_EXPECTED_ROWS)

    def _note_rows(self, rows: int) -> None:
        """Keep how many rows the pass that has ended had."""
        if self._num_passes < len(self._known_rows):
            self._known_rows[self._num_passes] = rows
        elif len(self._known_rows) < _MAX_KNOWN_PASSES:
            self._known_rows.append(rows)
        self._num_passes += 1

    def clear(self) -> None:
        """Begin another frame: forget the rows that are there, but not how many passes had; keep the memory."""
        self.num_rows = self._num_passes = 0
        self._num_frames += 1

    def leave(self) -> None:
        """Let go of the memory, and leave to the next replay how many rows passes have."""
        self._block, self._columns, self._places, self.addresses = None, {}, {}, {}
        self.capacity = 0
        leave_rows(self.name, self._known_rows)

    def _provide(self, rows: int) -> None:
        """Take memory for at least so many rows, columns one behind the other in one block."""
        self._columns, self._places, self.addresses = {}, {}, {}
        if not self._spec:
            self.capacity = rows
            return
        if self._row_bytes is None:
            self._row_bytes = [dtype.itemsize * math.prod(shape) for dtype, shape in self._spec.values()]
        row_bytes = self._row_bytes
        total, gaps = sum(row_bytes), _COLUMN_ALIGNMENT * (len(row_bytes) + 1)
        block = self._block = self._pool.take_octets(rows * total + gaps)
        base = address_of(block)
        known = self._layouts.get((base, len(block)))
        if known is None:
            known = self._lay_out(base, len(block), (len(block) - gaps) // total)
        self.capacity, self._places, self.addresses = known

    def _lay_out(self, base: int, size: int, capacity: int) -> tuple[int, dict[str, int], dict[str, int]]:
        """Where so many rows of each column go in a block; blocks come again."""
        assert self._row_bytes is not None
        at, places = -base % _COLUMN_ALIGNMENT, {}
        for key, row_bytes in zip(self._spec, self._row_bytes, strict=True):
            places[key] = at
            at += -(-capacity * row_bytes // _COLUMN_ALIGNMENT) * _COLUMN_ALIGNMENT
        if len(self._layouts) >= _MAX_LAYOUTS:
            self._layouts.clear()
        known = capacity, places, {key: base + place for key, place in places.items()}
        self._layouts[base, size] = known
        return known

    def append(self, **values: Any) -> int:
        """Append equally long arrays, one a column (those not kept are ignored); returns the first new row."""
        rows = len(next(iter(values.values())))
        first = self.reserve(rows)
        for key in self._spec:
            self[key][first : first + rows] = values[key]
        return first

    def finish(self) -> Table:
        """Hand over the wanted columns and start anew."""
        rows, block, places = self.num_rows, self._block, self._places
        handed = self._handed if self._handed is not None else self._lay_out_handed()
        self._note_rows(rows)
        if rows == 0:
            # The memory, if there is any, stays for what comes next.
            if self._empty is None:
                self._empty = FinishedTable(self.name, 0, handed, self._handed_bytes, bytearray(), None)
            return self._empty
        is_small = rows <= _COPIED_ROWS and self.capacity <= _KEPT_ROWS
        # A small pass behind a large one does not hold what that one needed.
        is_copied = is_small or _SPARSE * rows < self.capacity
        done: Table
        if block is None or not handed.keys() <= places.keys():
            # Columns that were added late have memory of their own.
            columns = {key: self._column(key, rows) for key in handed}
            done = Table(self.name, {key: array.copy() for key, array in columns.items()} if is_copied else columns)
        elif is_copied:
            block_of_rows = packed(block, rows, handed, places)
            done = FinishedTable(self.name, rows, handed, self._handed_bytes, block_of_rows, None)
        else:
            done = FinishedTable(self.name, rows, handed, self._handed_bytes, block, places)
        self.num_rows = 0
        if is_small:
            # To set up memory anew would cost more than the copies.
            return done
        self._block, self._columns, self._places, self.addresses = None, {}, {}, {}
        self.version += 1
        self.capacity = 0
        return done

    def _lay_out_handed(self) -> Layout:
        """The columns that are handed over."""
        specs = ((key, *self._spec[key]) for key in self._wanted if key in self._spec)
        handed = {key: (dtype, shape, dtype.itemsize * math.prod(shape)) for key, dtype, shape in specs}
        self._handed, self._handed_bytes = handed, sum([size for _, _, size in handed.values()])
        return handed
