"""Calls that machine code has recorded, until Python takes them into the trace.

One buffer, which belongs to one thread at a time: the one that made the last call through Python. Only that thread's
calls are recorded by machine code; any other thread's go through Python, which first takes what waits, and then gives
the buffer to the thread that it runs in. So calls come into the trace in the order in which they were made, all that
wait are of one thread and one context, and what is current changes only while nothing waits.

The control block, words of 64 bits: lock, owner (a thread pointer; 0 while Python is at work), number of calls, bytes
used, flags (``ARRAYS``, ``INDICES``). A call is a word of the index, its number and where its values begin, and its
values: a cell of 8 bytes each, then the content that one of them points at.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from capture.native.code import load_code
from capture.native.commands import ARRAYS, CELL_BYTES, INDICES
from traceformat.calls import Offset
from traceformat.framing.headers import VALUE_LAYOUTS, ValueKind, dtype_of
from traceformat.gltrace.callbuilder import CallBatch, CallColumns

if TYPE_CHECKING:
    from capture.native.commands import NativeCommand
    from capture.sink import TraceFile
    from capture.threads import ThreadState

__all__ = ["CALLS", "DATA_BYTES", "THREAD", "Ring"]

CALLS: Final = 8192
DATA_BYTES: Final = 1 << 20
#: Fewer calls than this are written one by one.
_FEW: Final = 24
_DTYPES: Final = {kind: dtype_of(layout) for kind, layout in VALUE_LAYOUTS.items()}
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

define void @give(i64 %flags) {{
  {thread}
  store i64 0, ptr inttoptr (i64 {count} to ptr)
  store i64 0, ptr inttoptr (i64 {used} to ptr)
  store i64 %flags, ptr inttoptr (i64 {flags} to ptr)
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
    words : addresses of the control block's words, of the index and of the values
    """

    def __init__(self, trace: TraceFile, drawn: Callable[[], None]) -> None:
        self._trace = trace
        self._drawn = drawn
        self.is_used = False
        self.commands: list[NativeCommand] = []
        self._control = np.zeros(8, np.uint64)
        self._index = np.zeros(CALLS, np.uint64)
        self._data = np.zeros(DATA_BYTES, np.uint8)
        self._bytes = self._data.data
        start = self._control.ctypes.data
        names = ("lock", "owner", "count", "used", "flags")
        self.words = {name: start + 8 * place for place, name in enumerate(names)}
        self.words |= {"index": self._index.ctypes.data, "data": self._data.ctypes.data}
        self._thread = self._context = 0
        self._code: list[Any] = []
        self._take: Callable[[], int] = int
        self._give: Callable[[int], object] = abs

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
        self._give = ctypes.PYFUNCTYPE(None, ctypes.c_int64)(give)
        self.is_used = True

    def restart_in_child(self) -> None:
        """Forget what another thread was at when the process forked: here nobody would give the lock back."""
        self._control[:] = 0

    def settle(self) -> None:
        """Take what waits into the trace; from here on nothing is recorded by machine code until :meth:`give`."""
        if not self.is_used:
            return
        with self._trace.lock:
            count = self._take()
            if count:
                self._drain(count)
                self._control[2] = self._control[3] = 0

    def give(self, state: ThreadState) -> None:
        """Let the calling thread's calls be recorded by machine code, if all that they need is known."""
        if not state.context_number or not self._trace.is_open:
            return
        shadow = state.shadow
        array = shadow.vertex_array
        flags = ARRAYS if array.client or shadow.share.persistent else 0
        with self._trace.lock:
            if self._take():
                # Another thread has been given it meanwhile, and has used it.
                self.settle()
            self._thread, self._context = state.number, state.context_number
            self._give(flags if array.element_buffer else flags | INDICES)

    def _drain(self, count: int) -> None:
        if not self._trace.is_open:
            return
        index = self._index[:count]
        numbers, places = (index >> np.uint64(32)).astype(np.int64), (index & np.uint64(0xFFFFFFFF)).astype(np.int64)
        if count < _FEW:
            for number, place in zip(numbers.tolist(), places.tolist(), strict=True):
                self._write(self.commands[number], place)
            return
        groups = []
        for number in np.unique(numbers).tolist():
            command = self.commands[number]
            chosen = np.flatnonzero(numbers == number)
            columns = self._columns(command, places[chosen])
            groups.append(CallColumns(command.name, 0, command.kinds, ValueKind.NONE, chosen, columns))
            for _ in range(len(chosen) if command.is_draw else 0):
                self._drawn()
        threads, contexts = (np.full(count, each, np.uint32) for each in (self._thread, self._context))
        self._trace.write_batch(CallBatch(groups, [], threads, contexts))

    def _write(self, command: NativeCommand, place: int) -> None:
        """Write one call."""
        values = list(command.cells.unpack_from(self._bytes, place))
        if command.content is not None:
            start = place + command.cells.size
            size = values[command.content[0]]
            values[command.content[0]] = self._bytes[start : start + size].tobytes()
        for argument, kind in enumerate(command.kinds):
            if kind is ValueKind.OFFSET:
                values[argument] = Offset(values[argument])
        self._trace.write(command.name, tuple(values), None, None, self._thread, self._context)
        if command.is_draw:
            self._drawn()

    def _columns(self, command: NativeCommand, places: Any) -> list[Any]:
        """Values of like calls, by parameter."""
        width = len(command.kinds) * CELL_BYTES
        cells = self._data[places[:, None] + np.arange(width)].reshape(len(places), -1, CELL_BYTES)
        columns: list[Any] = []
        for argument, kind in enumerate(command.kinds):
            cell = np.ascontiguousarray(cells[:, argument])
            if kind is not ValueKind.BYTES:
                dtype = _DTYPES[kind]
                columns.append(cell[:, : dtype.itemsize].copy().view(dtype)[:, 0])
                continue
            sizes = cell.view("<i8")[:, 0].tolist()
            starts = (places + width).tolist()
            columns.append(
                [self._data[start : start + size].tobytes() for start, size in zip(starts, sizes, strict=True)]
            )
        return columns
