"""Calls that machine code has recorded, until Python takes them into the trace.

One buffer, which belongs to one thread at a time: the one that made the last call through Python. Only that thread's
calls are recorded by machine code; any other thread's go through Python, which first takes what waits, and then gives
the buffer to the thread that it runs in. So calls come into the trace in the order in which they were made, all that
wait are of one thread and one context, and what is current changes only while nothing waits.

Its memory is that of a file beside the trace (``traceformat.gltrace.ringfile`` has the places in it), so that it
survives a sudden end of the process without anybody's work. The control block, words of 64 bits: lock, owner (a thread
pointer; 0 while Python is at work), number of calls, bytes of content used, flags (``ARRAYS`` ...), address of what is
known of vertex arrays; then number of the first call in the trace, thread and context of all. The index has each call's
number of its entry point. Each entry point has rows of its own, laid out as in the trace, but for references: there it
says where the content begins among the contents of all.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from capture.native.code import load_code
from capture.native.commands import ARRAYS, INDICES, IS_KNOWN, PERSISTENT
from capture.native.drain import Drain, Drained
from capture.native.effects import BUFFER_TARGETS, NAME_PLACES
from capture.native.memory import RingMemory
from capture.rules import AFTER
from capture.shadow import NUM_ARRAYS, bind_vertex_array
from capture.sink import SAVE_SECONDS
from traceformat.framing.headers import RING_HEADER, dtype_of
from traceformat.gltrace.callbuilder import LargeContent, PackedCalls, PackedGroup
from traceformat.gltrace.ringfile import COMMANDS_AT, CONTENT_BYTES, CONTENTS_AT, INDEX_AT, MAGIC, ROWS_AT
from traceformat.gltrace.writer import MAX_CALLS

if TYPE_CHECKING:
    from capture.native.commands import NativeCommand
    from capture.shadow import ContextShadow
    from capture.sink import TraceFile
    from capture.threads import ThreadState

__all__ = ["CALLS", "DATA_BYTES", "THREAD", "Ring", "control_assembly"]

#: As many as a chunk can have; with their contents they are less than a reader accepts of one.
CALLS: Final = MAX_CALLS
DATA_BYTES: Final = CONTENT_BYTES
#: Fewer calls than this are written one by one.
_FEW: Final = 24
#: How long calls that survive by themselves may wait: what is beside the trace stays little.
_WAIT_SECONDS: Final = 0.25
_CONTROL: Final = dtype_of(RING_HEADER)
#: Words of the control block whose names mean something else in assembly.
_WORDS: Final = {"thread": "number"}
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

define void @give(i64 %flags, i64 %arrays, i64 %first, i64 %number, i64 %context) {{
  {thread}
  store i64 %first, ptr inttoptr (i64 {first_call} to ptr)
  store i64 %number, ptr inttoptr (i64 {number} to ptr)
  store i64 %context, ptr inttoptr (i64 {context} to ptr)
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
        self.words: dict[str, int] = {}
        self._rows: list[_Rows] = []
        self._thread = self._context = 0
        self._given = 0.0
        self._shadow: ContextShadow | None = None
        self._code: list[Any] = []
        self._take: Callable[[], int] = int
        self._give: Callable[[int, int, int, int, int], object] = max

    def add(self, command: NativeCommand) -> tuple[int, dict[str, int]]:
        """Make room for an entry point's calls; gives its number, and the addresses that its machine code needs.

        Raises
        ------
        OSError, MemoryError : there is no room
        """
        place = self._memory.take(CALLS * command.row.itemsize)
        rows = _Rows(command, place, self._array(place, CALLS * command.row.itemsize, np.uint8))
        self._rows.append(rows)
        number, used = self._prepare.add(command, self._memory.start + place)
        self._describe()
        return number, self.words | {"rows": self._memory.start + place, "rows_used": used}

    def use(self) -> None:
        """Get ready for machine code; to be called before the first of it is made."""
        if self.is_used:
            return
        self._memory = RingMemory(ROWS_AT)
        start = self._memory.start
        self._control = self._array(0, _CONTROL.itemsize, _CONTROL)
        self._index = self._array(INDEX_AT, 2 * CALLS, np.uint16)
        self._data = self._array(CONTENTS_AT, DATA_BYTES, np.uint8)
        self._commands = self._array(COMMANDS_AT, ROWS_AT - COMMANDS_AT, np.uint8)
        self._prepare = Drain(self._index, self._data)
        fields = {name: field[1] for name, field in (_CONTROL.fields or {}).items()}
        self.words = {_WORDS.get(name, name): start + at for name, at in fields.items()}
        self.words |= {"index": start + INDEX_AT, "data": start + CONTENTS_AT}
        for name, assembly in control_assembly(self.words).items():
            self._code.append(load_code(assembly, name))
        self._prepare.compile()
        take, give = (code.address for code in self._code)
        # They keep the GIL: they do not wait for anybody who needs it.
        self._take = ctypes.PYFUNCTYPE(ctypes.c_int64)(take)
        self._give = ctypes.PYFUNCTYPE(None, *[ctypes.c_int64] * 5)(give)
        self.is_used = True
        self.keep()

    def _array(self, place: int, num_bytes: int, dtype: Any) -> NDArray[Any]:
        """Give an array of the memory's own."""
        memory = memoryview((ctypes.c_uint8 * num_bytes).from_address(self._memory.start + place))
        return np.frombuffer(memory, np.dtype(dtype))

    @property
    def is_kept(self) -> bool:
        """What waits survives a sudden end, or there is nothing that could."""
        return not self.is_used or self._memory.is_kept

    def keep(self) -> None:
        """Let what is recorded from here on survive a sudden end; to be called while nothing waits."""
        if self.is_used:
            self._memory.keep(self._trace.ring_path)
            self._describe()

    def drop(self) -> None:
        """Nothing more is recorded: let the file beside the trace go."""
        if self.is_used:
            self._memory.drop()

    def _describe(self) -> None:
        """Say in the memory how it is to be read."""
        packed = b"".join(rows.command.recorded.pack(rows.place) for rows in self._rows)
        self._commands[: len(packed)] = np.frombuffer(packed, np.uint8)
        self._control["num_commands"] = len(self._rows)
        self._control["magic"] = np.frombuffer(MAGIC, np.uint8)

    def restart_in_child(self) -> None:
        """Forget the parent's file, and what another thread was at when the process forked."""
        if self.is_used:
            self._memory.forget()
            self._control["lock"] = 0
            self._empty()
            self._prepare.forget()

    def _empty(self) -> None:
        self._control["count"] = self._control["used"] = 0
        self._prepare.empty()

    def settle_in_time(self) -> None:
        """Do as :meth:`settle` does where what waits would not survive, or has waited for long."""
        if self.is_used and not (self.is_kept and monotonic() < self._given + _WAIT_SECONDS):
            self.settle()

    def settle(self) -> None:
        """Take what waits into the trace; from here on nothing is recorded by machine code until :meth:`give`."""
        if not self.is_used:
            return
        with self._trace.lock:
            count = self._take()
            if count:
                try:
                    self._drain(count)
                    if monotonic() >= self._given + SAVE_SECONDS:
                        # Some of them are old, whenever the trace was saved last.
                        self._trace.save_now()
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
            self._given = monotonic()
            self._give(flags, ctypes.addressof(shadow.array_flags), self._trace.num_calls, self._thread, self._context)

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
        row = rows.table(used)[at].tolist()
        start = row[command.content[0]] if command.content is not None else 0
        content = self._data[start : start + command.recorded.content_bytes(row)].tobytes()
        values = command.recorded.values(row, content)
        self._trace.write(command.name, values, None, None, self._thread, self._context)
        if command.effect is not None and self._shadow is not None:
            AFTER[command.effect](self._shadow, values, values, None)
        if command.is_draw:
            self._drawn()


class _Rows(NamedTuple):
    """Recorded calls of an entry point.

    Parameters
    ----------
    command : the entry point
    place : in the memory, of its rows
    data : (bytes,) uint8    CALLS rows
    """

    command: NativeCommand
    place: int
    data: NDArray[np.uint8]

    def table(self, used: int) -> NDArray[Any]:
        """Give the recorded rows, of so many bytes; of calls without arguments as many as there can be."""
        if not self.command.row.itemsize:
            return np.zeros(CALLS, self.command.row)
        return self.data[:used].view(self.command.row)
