"""Machine code that prepares recorded calls for the trace: one pass over them, whatever they are.

It counts the calls of each entry point, finds equal contents, sets what rows refer to, and follows which buffers are
bound and what is written into them. What is left for Python is a few operations on all calls of an entry point
together. The plain twin is what few calls go through, one by one: ``Ring._write``.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from capture.native.code import load_code
from capture.native.effects import BUFFER_TARGETS, NAME_PLACES
from traceformat.framing.chunks import CHUNK_BYTES
from traceformat.gles.entry_points import COMMANDS
from traceformat.gltrace.callbuilder import INLINE_BYTES
from traceformat.gltrace.writer import MAX_CALLS

if TYPE_CHECKING:
    from capture.native.commands import NativeCommand
    from capture.shadow import BufferShadow

__all__ = ["Drain", "Drained"]

#: What a row is looked at for.
_CONTENT: Final = 1
_BIND: Final = 2
_WRITE: Final = 4
_MAX_COMMANDS: Final = len(COMMANDS)
#: An entry point: its rows, bytes of them that are recorded and that have been read, calls; then where things lie in a
#: row: the reference to the content, its size in items, the buffer's name (of binds) or the offset (of writes).
_COMMAND: Final = np.dtype(
    [
        (name, "<u8")
        for name in (
            "rows", "used", "read", "calls", "row_bytes", "how", "content", "counter", "is_wide", "item_bytes", "where",
        )
    ]
)  # fmt: skip
_OFFSET_OF: Final = {name: field[1] for name, field in (_COMMAND.fields or {}).items()}
_ENTRY: Final = np.dtype([("tag", "<u4"), ("size", "<u4"), ("at", "<u4"), ("number", "<u4")])
_LARGE: Final = np.dtype([("command", "<u8"), ("row", "<u8"), ("size", "<u8")])
_WRITTEN: Final = np.dtype([("buffer", "<u4"), ("start", "<u4"), ("offset", "<i8"), ("size", "<i8")])
_TARGET: Final = np.dtype([("target", "<u4"), ("buffer", "<u4")])
_BUFFER: Final = np.dtype([("address", "<u8"), ("size", "<i8")])
_ARENA_BYTES_BESIDE_RING: Final = CHUNK_BYTES
_SLOT_BITS: Final = 15
#: Odd, and without a pattern; a product's upper bits depend on all bits of its factor.
_ODD: Final = 0x9E3779B97F4A7C15 - (1 << 64)

_TYPES: Final = """
%command = type { ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }
%entry = type { i32, i32, i32, i32 }
%large = type { i64, i64, i64 }
%write = type { i32, i32, i64, i64 }
%target = type { i32, i32 }
%buffer = type { ptr, i64 }
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i32 @memcmp(ptr, ptr, i64)
"""
_DRAIN: Final = """
define void @drain(i64 %count) {{
start:
  br label %next
next:
  %i = phi i64 [ 0, %start ], [ %following, %call ], [ %following, %bind ], [ %following, %unbound ],
           [ %following, %put_large ], [ %following, %known ], [ %following, %put_new ]
  %is_more = icmp ult i64 %i, %count
  %following = add i64 %i, 1
  br i1 %is_more, label %call, label %done
call:
  %index = getelementptr i16, {index}, i64 %i
  %short = load i16, ptr %index
  %number = zext i16 %short to i64
  %command = getelementptr %command, {commands}, i64 %number
  {calls}
  %calls.more = add i64 %calls, 1
  store i64 %calls.more, ptr %calls.at
  {how}
  %is_simple = icmp eq i64 %how, 0
  br i1 %is_simple, label %next, label %any_row
any_row:
  %rows = load ptr, ptr %command
  {read}
  {row_bytes}
  %read.more = add i64 %read, %row_bytes
  store i64 %read.more, ptr %read.at
  %row = getelementptr i8, ptr %rows, i64 %read
  {where}
  %argument = getelementptr i8, ptr %row, i64 %where
  %only_content = icmp eq i64 %how, {CONTENT}
  br i1 %only_content, label %its_content, label %look
look:
  %wanted = load i32, ptr %row, align 1
  br label %try_target
try_target:
  %t = phi i64 [ 0, %look ], [ %t.next, %other ]
  %target = getelementptr %target, {targets}, i64 %t
  %has = load i32, ptr %target
  %is_it = icmp eq i32 %has, %wanted
  br i1 %is_it, label %found, label %other
other:
  %t.next = add i64 %t, 1
  %is_last = icmp eq i64 %t.next, {num_targets}
  br i1 %is_last, label %unbound, label %try_target
unbound:
  %is_bind.u = icmp eq i64 %how, {BIND}
  br i1 %is_bind.u, label %next, label %its_content
found:
  %bound = getelementptr %target, ptr %target, i64 0, i32 1
  %is_bind = icmp eq i64 %how, {BIND}
  br i1 %is_bind, label %bind, label %owned
bind:
  %name = load i32, ptr %argument, align 1
  store i32 %name, ptr %bound
  br label %next
owned:
  %owner = load i32, ptr %bound
  br label %its_content

its_content:
  %buffer = phi i32 [ 0, %any_row ], [ 0, %unbound ], [ %owner, %owned ]
  {content}
  %cell = getelementptr i8, ptr %row, i64 %content
  %start.short = load i32, ptr %cell, align 1
  %begin = zext i32 %start.short to i64
  %source = getelementptr i8, {data}, i64 %begin
  {counter}
  %items.at = getelementptr i8, ptr %row, i64 %counter
  {is_wide}
  %is_narrow = icmp eq i64 %is_wide, 0
  br i1 %is_narrow, label %narrow, label %wide
narrow:
  %items.short = load i32, ptr %items.at, align 1
  %items.narrow = zext i32 %items.short to i64
  br label %sized
wide:
  %items.wide = load i64, ptr %items.at, align 1
  br label %sized
sized:
  %items = phi i64 [ %items.narrow, %narrow ], [ %items.wide, %wide ]
  {item_bytes}
  %size = mul i64 %items, %item_bytes
  %size.short = trunc i64 %size to i32
  %is_written = icmp ne i32 %buffer, 0
  br i1 %is_written, label %written, label %measured
written:
  %w = load i64, {num_writes}
  %w.more = add i64 %w, 1
  store i64 %w.more, {num_writes}
  %write = getelementptr %write, {writes}, i64 %w
  store i32 %buffer, ptr %write
  %write.start = getelementptr %write, ptr %write, i64 0, i32 1
  store i32 %start.short, ptr %write.start
  %write.offset = getelementptr %write, ptr %write, i64 0, i32 2
  %offset = load i64, ptr %argument, align 1
  store i64 %offset, ptr %write.offset
  %write.size = getelementptr %write, ptr %write, i64 0, i32 3
  store i64 %size, ptr %write.size
  br label %measured

measured:
  %is_large = icmp ugt i64 %size, {inline_bytes}
  br i1 %is_large, label %put_large, label %words
put_large:
  %l = load i64, {num_large}
  %l.more = add i64 %l, 1
  store i64 %l.more, {num_large}
  %large = getelementptr %large, {large}, i64 %l
  store i64 %number, ptr %large
  %large.row = getelementptr %large, ptr %large, i64 0, i32 1
  store i64 %read, ptr %large.row
  %large.size = getelementptr %large, ptr %large, i64 0, i32 2
  store i64 %size, ptr %large.size
  br label %next

words:
  %at = phi i64 [ 0, %measured ], [ %at.next, %add_word ]
  %sum = phi i64 [ %size, %measured ], [ %sum.next, %add_word ]
  %weight = phi i64 [ {odd}, %measured ], [ %weight.next, %add_word ]
  %at.next = add i64 %at, 8
  %is_whole = icmp ule i64 %at.next, %size
  br i1 %is_whole, label %add_word, label %bytes
add_word:
  %word.at = getelementptr i8, ptr %source, i64 %at
  %word = load i64, ptr %word.at, align 1
  %product = mul i64 %word, %weight
  %sum.next = add i64 %sum, %product
  %weight.next = add i64 %weight, {twice_odd}
  br label %words
bytes:
  %b = phi i64 [ %at, %words ], [ %b.next, %add_byte ]
  %total = phi i64 [ %sum, %words ], [ %total.next, %add_byte ]
  %factor = phi i64 [ %weight, %words ], [ %factor.next, %add_byte ]
  %has_byte = icmp ult i64 %b, %size
  br i1 %has_byte, label %add_byte, label %hashed
add_byte:
  %byte.at = getelementptr i8, ptr %source, i64 %b
  %byte = load i8, ptr %byte.at
  %byte.wide = zext i8 %byte to i64
  %byte.product = mul i64 %byte.wide, %factor
  %total.next = add i64 %total, %byte.product
  %factor.next = add i64 %factor, {twice_odd}
  %b.next = add i64 %b, 1
  br label %bytes
hashed:
  %mixed = mul i64 %total, {odd}
  %tag = trunc i64 %mixed to i32
  %slot = lshr i64 %mixed, {slot_shift}
  %slot.at = getelementptr i32, {slots}, i64 %slot
  %held = load i32, ptr %slot.at
  %is_free = icmp eq i32 %held, 0
  br i1 %is_free, label %put_new, label %held_by
held_by:
  %held.wide = zext i32 %held to i64
  %old = getelementptr %entry, {entries}, i64 %held.wide
  %old.tag = load i32, ptr %old
  %same_tag = icmp eq i32 %old.tag, %tag
  %old.size.at = getelementptr %entry, ptr %old, i64 0, i32 1
  %old.size = load i32, ptr %old.size.at
  %same_size = icmp eq i32 %old.size, %size.short
  %alike = and i1 %same_tag, %same_size
  br i1 %alike, label %compare, label %put_new
compare:
  %old.at.at = getelementptr %entry, ptr %old, i64 0, i32 2
  %old.at = load i32, ptr %old.at.at
  %old.wide = zext i32 %old.at to i64
  %old.content = getelementptr i8, {arena}, i64 %old.wide
  %difference = call i32 @memcmp(ptr %old.content, ptr %source, i64 %size)
  %is_same = icmp eq i32 %difference, 0
  br i1 %is_same, label %known, label %put_new
known:
  %old.number.at = getelementptr %entry, ptr %old, i64 0, i32 3
  %old.number = load i32, ptr %old.number.at
  %old.reference = shl i32 %old.number, 1
  store i32 %old.reference, ptr %cell, align 1
  br label %next
put_new:
  %e = load i64, {num_entries}
  %e.more = add i64 %e, 1
  store i64 %e.more, {num_entries}
  %e.short = trunc i64 %e.more to i32
  store i32 %e.short, ptr %slot.at
  %new = getelementptr %entry, {entries}, i64 %e.more
  store i32 %tag, ptr %new
  %new.size = getelementptr %entry, ptr %new, i64 0, i32 1
  store i32 %size.short, ptr %new.size
  %free = load i64, {arena_used}
  %free.more = add i64 %free, %size
  store i64 %free.more, {arena_used}
  %free.short = trunc i64 %free to i32
  %new.at = getelementptr %entry, ptr %new, i64 0, i32 2
  store i32 %free.short, ptr %new.at
  %c = load i64, {num_contents}
  %c.more = add i64 %c, 1
  store i64 %c.more, {num_contents}
  %first = load i64, {first_content}
  %content.number = add i64 %first, %c
  %content.short = trunc i64 %content.number to i32
  %new.number = getelementptr %entry, ptr %new, i64 0, i32 3
  store i32 %content.short, ptr %new.number
  %length.at = getelementptr i32, {lengths}, i64 %c
  store i32 %size.short, ptr %length.at
  %copy = getelementptr i8, {arena}, i64 %free
  call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %source, i64 %size, i1 false)
  %reference = shl i32 %content.short, 1
  store i32 %reference, ptr %cell, align 1
  br label %next
done:
  ret void
}}
"""
#: Writes into buffers, one after the other; what lies outside of its buffer is the driver's error and changes nothing.
_COPY: Final = """
define void @copy(i64 %count) {{
start:
  br label %next
next:
  %i = phi i64 [ 0, %start ], [ %following, %each_write ], [ %following, %inside ]
  %is_more = icmp ult i64 %i, %count
  %following = add i64 %i, 1
  br i1 %is_more, label %each_write, label %done
each_write:
  %write = getelementptr %write, {writes}, i64 %i
  %which.at = getelementptr i64, {which}, i64 %i
  %its = load i64, ptr %which.at
  %buffer = getelementptr %buffer, {buffers}, i64 %its
  %room.at = getelementptr %buffer, ptr %buffer, i64 0, i32 1
  %room = load i64, ptr %room.at
  %offset.at = getelementptr %write, ptr %write, i64 0, i32 2
  %offset = load i64, ptr %offset.at
  %size.at = getelementptr %write, ptr %write, i64 0, i32 3
  %size = load i64, ptr %size.at
  %last = sub i64 %room, %size
  %is_in = icmp sge i64 %offset, 0
  %ends_in = icmp sle i64 %offset, %last
  %fits = and i1 %is_in, %ends_in
  br i1 %fits, label %inside, label %next
inside:
  %address = load ptr, ptr %buffer
  %place = getelementptr i8, ptr %address, i64 %offset
  %start.at = getelementptr %write, ptr %write, i64 0, i32 1
  %begin = load i32, ptr %start.at
  %begin.wide = zext i32 %begin to i64
  %source = getelementptr i8, {data}, i64 %begin.wide
  call void @llvm.memcpy.p0.p0.i64(ptr %place, ptr %source, i64 %size, i1 false)
  br label %next
done:
  ret void
}}
"""


class Drained(NamedTuple):
    """What there was.

    Parameters
    ----------
    calls, used : of each entry point: its calls, and bytes of its rows
    lengths : (n,) uint32    of the contents that are new in the chunk
    contents : these contents, one after the other
    large : (k,) of the contents that belong into blobs: command, place of the row in bytes, size
    num_writes : into buffers that are bound
    """

    calls: list[int]
    used: list[int]
    lengths: NDArray[np.uint32]
    contents: memoryview
    large: NDArray[Any]
    num_writes: int


class Drain:
    """The code, and what it works on.

    Parameters
    ----------
    index, data : of the ring: each call's entry point, and all contents

    Attributes
    ----------
    targets : by place in ``effects.BUFFER_TARGETS``, the buffer that is bound: set before, changed by :meth:`run`
    is_torn : calls have not come into the trace for which contents got numbers: to be set to False when they have, and
        where it is True still, a new chunk is to be begun before :meth:`run`
    """

    def __init__(self, index: NDArray[np.uint16], data: NDArray[np.uint8]) -> None:
        calls = len(index)
        self._num_commands = 0
        self._chunk = -1
        self.is_torn = False
        self._commands = np.zeros(_MAX_COMMANDS, _COMMAND)
        # Of the calls of a ring: small contents' sizes, large contents, writes into buffers, which of the buffers each.
        self._lengths = np.zeros(calls, np.uint32)
        self._large = np.zeros(calls, _LARGE)
        self._writes = np.zeros(calls, _WRITTEN)
        self._buffers = np.zeros(calls, _BUFFER)
        self._which = np.zeros(calls, np.int64)
        # Of a chunk: its contents, and the last ones of each slot; place 0 stays free.
        self._entries = np.zeros(MAX_CALLS + 1, _ENTRY)
        self._slots = np.zeros(1 << _SLOT_BITS, np.uint32)
        self._arena = np.zeros(len(data) + _ARENA_BYTES_BESIDE_RING, np.uint8)
        self._targets = np.zeros(len(BUFFER_TARGETS), _TARGET)
        self._targets["target"] = BUFFER_TARGETS
        self.targets = self._targets["buffer"]
        counters = ("num_contents", "num_large", "num_writes", "num_entries", "arena_used", "first_content")
        self._counters = np.zeros(len(counters), np.int64)
        arrays: dict[str, NDArray[Any]] = {
            "index": index, "data": data, "commands": self._commands, "lengths": self._lengths, "large": self._large,
            "writes": self._writes, "entries": self._entries, "slots": self._slots, "arena": self._arena,
            "targets": self._targets, "buffers": self._buffers, "which": self._which,
        }  # fmt: skip
        start = self._counters.ctypes.data
        self._words = {name: array.ctypes.data for name, array in arrays.items()}
        self._words |= {name: start + 8 * place for place, name in enumerate(counters)}
        self._code: list[Any] = []

    def add(self, command: NativeCommand, rows: int) -> tuple[int, int]:
        """Take in an entry point.

        Parameters
        ----------
        command : the entry point
        rows : address of its rows

        Returns
        -------
        its number, and the address of the word that says how many bytes of its rows are recorded
        """
        number, own = self._num_commands, self._commands[self._num_commands]
        self._num_commands += 1
        fields = [field[1] for field in (command.row.fields or {}).values()]
        own["rows"], own["row_bytes"] = rows, command.row.itemsize
        if command.content is not None:
            pointer, item_bytes, counter = command.content
            own["how"], own["content"], own["counter"] = _CONTENT, fields[pointer], fields[counter]
            own["item_bytes"], own["is_wide"] = (
                item_bytes,
                command.row[counter].itemsize == ctypes.sizeof(ctypes.c_int64),
            )
        if command.effect in NAME_PLACES:
            own["how"], own["where"] = _BIND, fields[NAME_PLACES[command.effect]]
        elif command.effect == "glBufferSubData":
            own["how"], own["where"] = _CONTENT | _WRITE, fields[1]
        return number, self._commands.ctypes.data + number * _COMMAND.itemsize + _OFFSET_OF["used"]

    def compile(self) -> None:
        """Make the machine code."""
        at = {name: f"ptr inttoptr (i64 {address} to ptr)" for name, address in self._words.items()}
        fields = {
            name: f"%{name}.at = getelementptr i8, ptr %command, i64 {place}\n  %{name} = load i64, ptr %{name}.at"
            for name, place in _OFFSET_OF.items()
        }
        numbers = {
            "CONTENT": _CONTENT, "BIND": _BIND, "num_targets": len(BUFFER_TARGETS), "inline_bytes": INLINE_BYTES,
            "odd": _ODD, "twice_odd": 2 * _ODD, "slot_shift": 64 - _SLOT_BITS,
        }  # fmt: skip
        for name, text in (("drain", _DRAIN), ("copy", _COPY)):
            self._code.append(load_code(_TYPES + text.format(**at, **fields, **numbers), name))
        drain, copy = (code.address for code in self._code)
        # They keep the GIL: they do not wait for anybody who needs it.
        self._drain = ctypes.PYFUNCTYPE(None, ctypes.c_int64)(drain)
        self._copy = ctypes.PYFUNCTYPE(None, ctypes.c_int64)(copy)

    def run(self, count: int, chunk: int, first_content: int) -> Drained:
        """Go over the calls; contents of small size get numbers in the chunk, which rows refer to from here on.

        Parameters
        ----------
        count : calls
        chunk : anything that differs from chunk to chunk; contents of one chunk are told from each other
        first_content : number of the next content of the chunk
        """
        if chunk != self._chunk or self.is_torn:
            self._chunk = chunk
            self._slots[:] = 0
            self._counters[:] = 0
        self.is_torn = True
        counters = self._counters
        counters[:3] = 0
        counters[5] = first_content
        before = int(counters[4])
        self._drain(count)
        num_contents, num_large, num_writes, _, after, _ = counters.tolist()
        commands = self._commands[: self._num_commands]
        return Drained(
            commands["calls"].tolist(),
            commands["used"].tolist(),
            self._lengths[:num_contents],
            self._arena.data[before:after],
            self._large[:num_large],
            num_writes,
        )

    def reference_at(self, number: int) -> int:
        """Give the place of the reference to the content in a row of an entry point."""
        return int(self._commands["content"][number])

    def used(self) -> list[int]:
        """Give the bytes of each entry point's rows that are recorded."""
        used: list[int] = self._commands["used"][: self._num_commands].tolist()
        return used

    def write(self, num_writes: int, buffer: Callable[[int], BufferShadow]) -> None:
        """Write into the shadows of buffers what the calls of the last run have written.

        Parameters
        ----------
        num_writes : of these calls
        buffer : gives a buffer's shadow by name
        """
        names, which = self._writes["buffer"][:num_writes], self._which[:num_writes]
        if (names == names[0]).all():
            which[:] = 0
            distinct = names[:1]
        else:
            distinct, which[:] = np.unique(names, return_inverse=True)
        memory = [_writable(buffer(name)) for name in distinct.tolist()]
        self._buffers[: len(memory)] = [(ctypes.addressof(each), len(each)) for each in memory]
        self._copy(num_writes)

    def empty(self) -> None:
        """Forget the calls, which are in the trace."""
        for name in ("used", "read", "calls"):
            self._commands[name][: self._num_commands] = 0

    def forget(self) -> None:
        """Begin anew, in another file."""
        self.empty()
        self._chunk = -1


def _writable(buffer: BufferShadow) -> ctypes.Array[ctypes.c_char]:
    """Give the bytes of a buffer's shadow, to be changed at once."""
    if not isinstance(buffer.data, bytearray):
        buffer.data = bytearray(buffer.data)
    return (ctypes.c_char * len(buffer.data)).from_buffer(buffer.data)
