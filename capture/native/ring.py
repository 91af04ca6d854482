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
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from capture.native.code import load_code
from capture.native.commands import ARRAYS, INDICES, IS_KNOWN, PERSISTENT
from capture.native.drain import Drain, Drained
from capture.native.effects import BUFFER_TARGETS, NAME_PLACES
from capture.rules import AFTER
from capture.shadow import NUM_ARRAYS, bind_vertex_array
from traceformat.calls import Offset
from traceformat.framing.headers import ValueKind
from traceformat.gltrace.callbuilder import LargeContent, PackedCalls, PackedGroup
from traceformat.gltrace.writer import MAX_CALLS

if TYPE_CHECKING:
    from capture.native.commands import NativeCommand
    from capture.shadow import ContextShadow
    from capture.sink import TraceFile
    from capture.threads import ThreadState

__all__ = ["CALLS", "DATA_BYTES", "THREAD", "Ring", "control_assembly"]

#: As many as a chunk can have; with their contents they are less than a reader accepts of one.
CALLS: Final = MAX_CALLS
DATA_BYTES: Final = 3 << 19
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


def control_assembly(words: dict[str, int]) -> dict[str, str]:
    """LLVM assembly by function: ``take`` ends a thread's turn and gives the number of calls, ``give`` begins one."""
    return {name: text.format(thread=THREAD, **words) for name, text in (("take", _FUNCTIONS), ("give", _GIVE))}


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
        self._prepare = Drain(self._index, self._data)
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
        rows = _Rows(command, np.zeros(CALLS * command.row.itemsize, np.uint8))
        self._rows.append(rows)
        place = rows.data.ctypes.data
        number, used = self._prepare.add(command, place)
        return number, self.words | {"rows": place, "rows_used": used}

    def use(self) -> None:
        """Get ready for machine code; to be called before the first of it is made."""
        if self.is_used:
            return
        for name, assembly in control_assembly(self.words).items():
            self._code.append(load_code(assembly, name))
        self._prepare.compile()
        take, give = (code.address for code in self._code)
        # They keep the GIL: they do not wait for anybody who needs it.
        self._take = ctypes.PYFUNCTYPE(ctypes.c_int64)(take)
        self._give = ctypes.PYFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)(give)
        self.is_used = True

    def restart_in_child(self) -> None:
        """Forget what another thread was at when the process forked: here nobody would give the lock back."""
        self._control[:] = 0
        self._prepare.forget()

    def _empty(self) -> None:
        self._control[2] = self._control[3] = 0
        self._prepare.empty()

    def settle(self) -> None:
        """Take what waits into the trace; from here on nothing is recorded by machine code until :meth:`give`."""
        if not self.is_used:
            return
        with self._trace.lock:
            count = self._take()
            if count:
                try:
                    self._drain(count)
                finally:
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
        if count < _FEW:
            used = self._prepare.used()
            at = [0] * len(self._rows)
            for number in self._index[:count].tolist():
                self._write(self._rows[number], used[number], at[number])
                at[number] += 1
            return
        shadow = self._shadow
        if shadow is not None:
            self._prepare.targets[:] = [shadow.bindings.get(target, 0) for target in BUFFER_TARGETS]
        if self._prepare.is_torn:
            self._trace.flush()
        # The contents' numbers are those of this chunk.
        found = self._prepare.run(count, *self._trace.make_room(count))
        groups: list[PackedGroup] = []
        places = np.zeros(len(self._rows), np.uint16)
        draws = 0
        for number, (calls, used_bytes) in enumerate(zip(found.calls, found.used, strict=True)):
            if calls:
                rows = self._rows[number]
                places[number] = len(groups)
                groups.append(PackedGroup(rows.command.name, rows.command.kinds, calls, rows.data[:used_bytes].data))
                draws += calls if rows.command.is_draw else 0
        large = []
        for number, row, size in found.large.tolist():
            cell = row + self._prepare.reference_at(number)
            start = int.from_bytes(self._rows[number].data[cell : cell + 4].tobytes(), "little")
            large.append(LargeContent(int(places[number]), cell, self._data[start : start + size].tobytes()))
        order = places.take(self._index[:count])
        self._trace.write_packed(
            PackedCalls(groups, order, found.lengths, found.contents, large, self._thread, self._context)
        )
        self._prepare.is_torn = False
        for _ in range(draws):
            self._drawn()
        if shadow is not None:
            self._change(shadow, found)

    def _change(self, shadow: ContextShadow, found: Drained) -> None:
        """Let the shadow be what the calls have made of it."""
        for number, calls in enumerate(found.calls):
            effect = self._rows[number].command.effect if calls else None
            if effect == "glBindVertexArray":
                # What is bound to a vertex array changes through Python alone, so that the last one is what counts.
                bind_vertex_array(shadow, int(self._rows[number].table(found.used[number])[-1][0]))
            elif effect in NAME_PLACES:
                bound = zip(BUFFER_TARGETS, self._prepare.targets.tolist(), strict=True)
                shadow.bindings.update((target, name) for target, name in bound if name or target in shadow.bindings)
        if found.num_writes:
            self._prepare.write(found.num_writes, shadow.buffer)

    def _write(self, rows: _Rows, used: int, at: int) -> None:
        """Write one call."""
        command = rows.command
        values: list[Any] = list(rows.table(used)[at].tolist())
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


class _Rows(NamedTuple):
    """Recorded calls of an entry point.

    Parameters
    ----------
    command : the entry point
    data : (bytes,) uint8    CALLS rows
    """

    command: NativeCommand
    data: NDArray[np.uint8]

    def table(self, used: int) -> NDArray[Any]:
        """Give the recorded rows, of so many bytes; of calls without arguments as many as there can be."""
        if not self.command.row.itemsize:
            return np.zeros(CALLS, self.command.row)
        return self.data[:used].view(self.command.row)
