"""Calls that machine code has recorded, until Python takes them into the trace.

One buffer, which belongs to one thread at a time: the one that made the last call through Python. Only that thread's
calls are recorded by machine code; any other thread's go through Python, which first takes what waits, and then gives
the buffer to the thread that it runs in. So calls come into the trace in the order in which they were made, all that
wait are of one thread and one context, and what is current changes only while nothing waits.

The control block, words of 64 bits: lock, owner (a thread pointer; 0 while Python is at work), number of calls, bytes
of content used, flags (``ARRAYS`` ...), address of what is known of vertex arrays. The index has each call's number of
its entry point. Each entry point has rows of its own, laid out as in the trace, but for references: there it says where
the content begins among the contents of all.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from capture.native.code import load_code
from capture.native.commands import ARRAYS, INDICES, IS_KNOWN, PERSISTENT
from capture.native.effects import change_shadow
from capture.rules import AFTER
from capture.shadow import NUM_ARRAYS
from traceformat.calls import Offset
from traceformat.framing.headers import ValueKind
from traceformat.gltrace.callbuilder import CallBatch, CallColumns

if TYPE_CHECKING:
    from capture.native.commands import NativeCommand
    from capture.shadow import ContextShadow
    from capture.sink import TraceFile
    from capture.threads import ThreadState

__all__ = ["CALLS", "DATA_BYTES", "THREAD", "Ring"]

CALLS: Final = 8192
DATA_BYTES: Final = 1 << 20
#: Fewer calls than this are written one by one.
_FEW: Final = 24
#: What no two threads have in common, as ``%thread``.
THREAD: Final = """
  %place = call ptr @llvm.thread.pointer.p0()
  %thread = ptrtoint ptr %place to i64
"""
_FUNCTIONS: Final = """
define i64 @take() {{
  br label %spin
spin:
  %busy = atomicrmw xchg ptr inttoptr (i64 {lock} to ptr), i64 1 acquire
  %is_busy = icmp ne i64 %busy, 0
  br i1 %is_busy, label %spin, label %have
have:
  store i64 0, ptr inttoptr (i64 {owner} to ptr)
  %count = load i64, ptr inttoptr (i64 {count} to ptr)
  store atomic i64 0, ptr inttoptr (i64 {lock} to ptr) release, align 8
  ret i64 %count
}}
"""
_GIVE: Final = """
declare ptr @llvm.thread.pointer.p0()

define void @give(i64 %flags, i64 %arrays) {{
  {thread}
  store i64 %flags, ptr inttoptr (i64 {flags} to ptr)
  store i64 %arrays, ptr inttoptr (i64 {arrays} to ptr)
  store atomic i64 %thread, ptr inttoptr (i64 {owner} to ptr) release, align 8
  ret void
}}
"""


class Ring:
    """The buffer, and the way from it into a trace.

    Parameters
    ----------
    trace : where calls are written
    drawn : counts draws

    Attributes
    ----------
    is_used : machine code has been made; until then there is nothing to take
    words : addresses of the control block's words, of the index and of the contents
    """

    def __init__(self, trace: TraceFile, drawn: Callable[[], None]) -> None:
        self._trace = trace
        self._drawn = drawn
        self.is_used = False
        self._rows: list[_Rows] = []
        self._control = np.zeros(8, np.uint64)
        self._index = np.zeros(CALLS, np.uint16)
        self._data = np.zeros(DATA_BYTES, np.uint8)
        start = self._control.ctypes.data
        names = ("lock", "owner", "count", "used", "flags", "arrays")
        self.words = {name: start + 8 * place for place, name in enumerate(names)}
        self.words |= {"index": self._index.ctypes.data, "data": self._data.ctypes.data}
        self._thread = self._context = 0
        self._shadow: ContextShadow | None = None
        self._code: list[Any] = []
        self._take: Callable[[], int] = int
        self._give: Callable[[int, int], object] = max

    def add(self, command: NativeCommand) -> tuple[int, dict[str, int]]:
        """Make room for an entry point's calls; gives its number, and the addresses that its machine code needs."""
        rows = _Rows(command, np.zeros(CALLS * command.row.itemsize, np.uint8), np.zeros(1, np.uint64))
        self._rows.append(rows)
        own = {"rows": rows.data.ctypes.data, "rows_used": rows.used.ctypes.data}
        return len(self._rows) - 1, self.words | own

    def use(self) -> None:
        """Get ready for machine code; to be called before the first of it is made."""
        if self.is_used:
            return
        for name, text in (("take", _FUNCTIONS), ("give", _GIVE)):
            assembly = text.format(thread=THREAD, **self.words)
            self._code.append(load_code(assembly, name))
        take, give = (code.address for code in self._code)
        # They keep the GIL: they do not wait for anybody who needs it.
        self._take = ctypes.PYFUNCTYPE(ctypes.c_int64)(take)
        self._give = ctypes.PYFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)(give)
        self.is_used = True

    def restart_in_child(self) -> None:
        """Forget what another thread was at when the process forked: here nobody would give the lock back."""
        self._control[:] = 0
        self._empty()

    def _empty(self) -> None:
        self._control[2] = self._control[3] = 0
        for rows in self._rows:
            rows.used[0] = 0

    def settle(self) -> None:
        """Take what waits into the trace; from here on nothing is recorded by machine code until :meth:`give`."""
        if not self.is_used:
            return
        with self._trace.lock:
            count = self._take()
            if count:
                self._drain(count)
                self._empty()

    def give(self, state: ThreadState) -> None:
        """Let the calling thread's calls be recorded by machine code, if all that they need is known."""
        if not state.context_number or not self._trace.is_open:
            return
        shadow = state.shadow
        array = shadow.vertex_array
        flags = ARRAYS if array.client else 0
        if not array.element_buffer:
            flags |= INDICES
        if shadow.bound_array < NUM_ARRAYS:
            shadow.array_flags[shadow.bound_array] = flags | IS_KNOWN
        if shadow.share.persistent:
            flags |= PERSISTENT
        with self._trace.lock:
            if self._take():
                # Another thread has been given it meanwhile, and has used it.
                self.settle()
            self._thread, self._context, self._shadow = state.number, state.context_number, shadow
            self._give(flags, ctypes.addressof(shadow.array_flags))

    def _drain(self, count: int) -> None:
        if not self._trace.is_open:
            return
        numbers = self._index[:count]
        if count < _FEW:
            at = [0] * len(self._rows)
            for number in numbers.tolist():
                self._write(self._rows[number], at[number])
                at[number] += 1
            return
        groups, changes = [], []
        # By the index: calls without arguments have no rows.
        for number in np.flatnonzero(np.bincount(numbers)).tolist():
            rows, places = self._rows[number], np.flatnonzero(numbers == number)
            command = rows.command
            for group in self._groups(rows, places):
                groups.append(group)
                if command.effect is not None:
                    changes.append((command.effect, group))
            for _ in range(len(places) if command.is_draw else 0):
                self._drawn()
        threads, contexts = (np.full(count, each, np.uint32) for each in (self._thread, self._context))
        self._trace.write_batch(CallBatch(groups, [], threads, contexts))
        if changes and self._shadow is not None:
            change_shadow(self._shadow, changes)

    def _write(self, rows: _Rows, at: int) -> None:
        """Write one call."""
        command = rows.command
        values: list[Any] = list(rows.table[at].tolist())
        if command.content is not None:
            pointer, item_bytes, counter = command.content
            start = values[pointer]
            values[pointer] = self._data[start : start + item_bytes * values[counter]].tobytes()
        for argument, kind in enumerate(command.kinds):
            if kind is ValueKind.OFFSET:
                values[argument] = Offset(values[argument])
        self._trace.write(command.name, tuple(values), None, None, self._thread, self._context)
        if command.effect is not None and self._shadow is not None:
            AFTER[command.effect](self._shadow, values, values, None)
        if command.is_draw:
            self._drawn()

    def _groups(self, rows: _Rows, places: NDArray[np.int64]) -> Iterator[CallColumns]:
        """Like calls, those with content by its size."""
        command, table = rows.command, rows.table
        columns = [table[name] for name in table.dtype.names or ()]
        if command.content is None:
            yield CallColumns(command.name, 0, command.kinds, ValueKind.NONE, places, columns)
            return
        pointer, item_bytes, counter = command.content
        sizes = columns[counter].astype(np.int64) * item_bytes
        same = (sizes == sizes[0]).all()
        for size in [int(sizes[0])] if same else np.unique(sizes).tolist():
            chosen = slice(None) if same else np.flatnonzero(sizes == size)
            values: list[Any] = [column[chosen] for column in columns]
            # Every place where a content of this size can begin.
            contents = np.ndarray(DATA_BYTES - size + 1, f"V{size}", self._data, 0, (1,))
            values[pointer] = contents[values[pointer]].view(np.uint8).reshape(-1, size)
            yield CallColumns(command.name, 0, command.kinds, ValueKind.NONE, places[chosen], values)


class _Rows(NamedTuple):
    """Recorded calls of an entry point.

    Parameters
    ----------
    command : the entry point
    data : (bytes,) uint8    CALLS rows
    used : (1,) uint64    bytes of them that are recorded
    """

    command: NativeCommand
    data: NDArray[np.uint8]
    used: NDArray[np.uint64]

    @property
    def table(self) -> NDArray[Any]:
        """The recorded rows; of calls without arguments as many as there can be."""
        if not self.command.row.itemsize:
            return np.zeros(CALLS, self.command.row)
        return self.data[: int(self.used[0])].view(self.command.row)
