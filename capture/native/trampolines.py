"""Machine code that records a call without entering Python, made for entry points that a program calls often.

It writes the call's values, and the content behind a pointer whose size follows from the arguments alone, into the
:class:`~capture.native.ring.Ring`, and goes on to the driver by a jump. Where it cannot (another thread's turn, a full
buffer, a draw of client memory) it jumps to the trampoline in Python, which records the call as ever.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Final

from capture.native.code import load_code
from capture.native.commands import IS_KNOWN, LLVM_TYPES, PERSISTENT
from capture.native.ring import CALLS, DATA_BYTES, THREAD
from capture.shadow import NUM_ARRAYS
from traceformat.framing.headers import ValueKind

if TYPE_CHECKING:
    from capture.interrupts import Faults
    from capture.native.commands import NativeCommand
    from capture.native.jumps import Jumps
    from capture.native.ring import Ring

__all__ = ["HOT_CALLS", "NativeTrampolines"]

#: Calls of an entry point through Python after which machine code is worth making; that takes some 15 ms.
HOT_CALLS: Final = 1000
#: Content larger than this goes through Python.
_MAX_CONTENT_BYTES: Final = 1 << 16


class NativeTrampolines:
    """Makes machine code for what has become hot.

    Parameters
    ----------
    ring : where it records
    jumps : through which programs reach it
    faults : takes what goes wrong; the call goes on through Python then
    """

    def __init__(self, ring: Ring, jumps: Jumps, faults: Faults) -> None:
        self._lock = threading.Lock()
        self._faults = faults
        self._ring = ring
        self._jumps = jumps
        self._places: dict[str, tuple[int, int, int]] = {}
        self._code: list[Any] = []

    def place(self, name: str, jump: int, python: int, real: int) -> None:
        """Note where a program reaches an entry point: the jump, the trampoline in Python, the driver's function."""
        self._places[name] = (jump, python, real)

    def promote(self, command: NativeCommand) -> None:
        """Let an entry point be recorded by machine code from its next call on."""
        jump, python, real = self._places.get(command.name, (0, 0, 0))
        if not real:
            return
        with self._lock:
            try:
                self._ring.use()
                number, words = self._ring.add(command)
            except (OSError, MemoryError):
                # No room for its calls: it stays with Python.
                return
            except Exception as error:
                self._faults.handle(error, "machine code")
                return
            self._lead(jump, trampoline_assembly(command, number, python, real, words))

    def promote_error(self, noter: int) -> None:
        """Let glGetError enter Python only where there is an error; ``noter`` is a C function that gets it."""
        jump, _, real = self._places.get("glGetError", (0, 0, 0))
        if real:
            with self._lock:
                self._lead(jump, error_assembly(noter, real))

    def _lead(self, jump: int, assembly: str) -> None:
        try:
            code = load_code(assembly, "record")
        except Exception as error:
            self._faults.handle(error, "machine code")
            return
        self._code.append(code)
        self._jumps.lead(jump, code.address)


def trampoline_assembly(command: NativeCommand, number: int, python: int, real: int, words: dict[str, int]) -> str:
    """LLVM assembly of a trampoline; see the module's head for what it does."""
    types = [LLVM_TYPES[kind] for kind in command.kinds]
    parameters = ", ".join(f"{kind} %a{i}" for i, kind in enumerate(types))
    at = {name: f"ptr inttoptr (i64 {address} to ptr)" for name, address in words.items()}
    lines = [
        "declare ptr @llvm.thread.pointer.p0()",
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
        f"define void @record({parameters}) {{",
        THREAD,
        *([] if command.content else ["  %size = add i64 0, 0"]),
        f"  %owner = load atomic i64, {at['owner']} monotonic, align 8",
        "  %mine = icmp eq i64 %owner, %thread",
        *_checked(_conditions(command, at)),
        *_locked(at),
        *_stored(command, types, at),
        f"  %entry = getelementptr i16, {at['index']}, i64 %count",
        f"  store i16 {number}, ptr %entry",
        "  %next = add i64 %count, 1",
        f"  store i64 %end, {at['used']}",
        # Behind everything else: what is counted is whole, whenever the process ends.
        f"  store atomic i64 %next, {at['count']} release, align 8",
        f"  store atomic i64 0, {at['lock']} release, align 8",
        f"  musttail call void inttoptr (i64 {real} to ptr)({parameters})",
        "  ret void",
        "python:",
        f"  musttail call void inttoptr (i64 {python} to ptr)({parameters})",
        "  ret void",
        "}",
    ]
    return "\n".join(lines)


def _conditions(command: NativeCommand, at: dict[str, str]) -> list[tuple[list[str], str]]:
    """Lines, and the value that must be true behind them for machine code to go on."""
    found: list[tuple[list[str], str]] = [([], "%mine")]
    if command.refused:
        flags = [f"  %flags = load i64, {at['flags']}", f"  %bad = and i64 %flags, {command.refused}"]
        found.append(([*flags, "  %good = icmp eq i64 %bad, 0"], "%good"))
    for place, value in enumerate(command.left):
        found.append(([f"  %other{place} = icmp ne i32 %a0, {value}"], f"%other{place}"))
    if command.binds_array:
        found.append(([f"  %listed = icmp ult i32 %a0, {NUM_ARRAYS}"], "%listed"))
        array = ["  %name = zext i32 %a0 to i64", f"  %table = load ptr, {at['arrays']}"]
        array += ["  %array = getelementptr i8, ptr %table, i64 %name", "  %short = load i8, ptr %array"]
        array += ["  %its = zext i8 %short to i64", f"  %bit = and i64 %its, {IS_KNOWN}"]
        found.append(([*array, "  %is_known = icmp ne i64 %bit, 0"], "%is_known"))
    if command.content is not None:
        pointer, item_bytes, count = command.content
        found.append(([f"  %some = icmp ne ptr %a{pointer}, null"], "%some"))
        kind = LLVM_TYPES[command.kinds[count]]
        wide = f"sext i32 %a{count} to i64" if kind == "i32" else f"add i64 %a{count}, 0"
        # Of a size that is out of bounds the product may be within them again.
        found.append(([f"  %wide = {wide}", f"  %few = icmp sle i64 %wide, {_MAX_CONTENT_BYTES}"], "%few"))
        size = [f"  %size = mul i64 %wide, {item_bytes}"]
        found.append(([*size, "  %positive = icmp sgt i64 %size, 0"], "%positive"))
        found.append(([f"  %small = icmp sle i64 %size, {_MAX_CONTENT_BYTES}"], "%small"))
    return found


def _checked(conditions: list[tuple[list[str], str]]) -> list[str]:
    lines = []
    for place, (before, condition) in enumerate(conditions):
        lines += [*before, f"  br i1 {condition}, label %looked{place}, label %python", f"looked{place}:"]
    return lines


def _locked(at: dict[str, str]) -> list[str]:
    """Take the lock, and see whether there is room."""
    return [
        f"  %busy = atomicrmw xchg {at['lock']}, i64 1 acquire",
        "  %free = icmp eq i64 %busy, 0",
        "  br i1 %free, label %locked, label %python",
        "locked:",
        f"  %still = load i64, {at['owner']}",
        "  %still_mine = icmp eq i64 %still, %thread",
        f"  %count = load i64, {at['count']}",
        f"  %used = load i64, {at['used']}",
        f"  %room = icmp ult i64 %count, {CALLS}",
        "  %end = add i64 %used, %size",
        f"  %fits = icmp ule i64 %end, {DATA_BYTES}",
        "  %both = and i1 %room, %fits",
        "  %all = and i1 %both, %still_mine",
        "  br i1 %all, label %write, label %refuse",
        "refuse:",
        f"  store atomic i64 0, {at['lock']} release, align 8",
        "  br label %python",
        "write:",
    ]


def _stored(command: NativeCommand, types: list[str], at: dict[str, str]) -> list[str]:
    """Write values and content."""
    row = command.row
    offsets = [row.fields[where][1] for where in row.names or () if row.fields is not None]
    lines = [
        f"  %rows = load i64, {at['rows_used']}",
        f"  %more = add i64 %rows, {row.itemsize}",
        f"  store i64 %more, {at['rows_used']}",
        f"  %row = getelementptr i8, {at['rows']}, i64 %rows",
    ]
    for i, (kind, offset) in enumerate(zip(types, offsets, strict=True)):
        is_content = command.kinds[i] is ValueKind.BYTES
        lines += [
            f"  %cell{i} = getelementptr i8, ptr %row, i64 {offset}",
            f"  store {'i32 %start' if is_content else f'{kind} %a{i}'}, ptr %cell{i}, align 1",
        ]
    if command.content is not None:
        source = f"ptr %a{command.content[0]}"
        lines[:0] = ["  %start = trunc i64 %used to i32"]
        lines += [
            f"  %content = getelementptr i8, {at['data']}, i64 %used",
            f"  call void @llvm.memcpy.p0.p0.i64(ptr %content, {source}, i64 %size, i1 false)",
        ]
    if command.binds_array:
        lines += [
            f"  %flags = load i64, {at['flags']}",
            f"  %kept = and i64 %flags, {PERSISTENT}",
            "  %now = or i64 %kept, %its",
            f"  store i64 %now, {at['flags']}",
        ]
    return lines


def error_assembly(noter: int, real: int) -> str:
    """LLVM assembly of glGetError: only an error is worth entering Python."""
    return f"""
define i32 @record() {{
  %error = call i32 inttoptr (i64 {real} to ptr)()
  %none = icmp eq i32 %error, 0
  br i1 %none, label %done, label %note
note:
  call void inttoptr (i64 {noter} to ptr)(i32 %error)
  br label %done
done:
  ret i32 %error
}}
"""
