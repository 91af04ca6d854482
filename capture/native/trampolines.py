"""Machine code that records a call without entering Python, made for entry points that a program calls often.

It writes the call's values, and the content behind a pointer whose size follows from the arguments alone, into the
:class:`~capture.native.ring.Ring`, and goes on to the driver by a jump. Where it cannot (another thread's turn, a full
buffer, a draw of client memory) it jumps to the trampoline in Python, which records the call as ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from capture.native.code import load_code
from capture.native.commands import CELL_BYTES, LLVM_TYPES
from capture.native.ring import CALLS, DATA_BYTES, THREAD
from traceformat.gles import enums as gl

if TYPE_CHECKING:
    from capture.interrupts import Faults
    from capture.native.commands import NativeCommand
    from capture.native.jumps import Jumps
    from capture.native.ring import Ring

__all__ = ["HOT_CALLS", "NativeTrampolines"]

#: Calls of an entry point through Python after which machine code is worth making; that takes some 15 ms.
HOT_CALLS: Final = 1000
#: Content larger than this goes through Python.
_MAX_CONTENT_BYTES: Final = DATA_BYTES // 16
#: Switches that Python has to know of.
_KNOWN_SWITCHES: Final = (gl.GL_PRIMITIVE_RESTART, gl.GL_PRIMITIVE_RESTART_FIXED_INDEX)


class NativeTrampolines:
    """Makes machine code for what has become hot.

    Parameters
    ----------
    ring : where it records
    jumps : through which programs reach it
    faults : takes what goes wrong; the call goes on through Python then
    """

    def __init__(self, ring: Ring, jumps: Jumps, faults: Faults) -> None:
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
        number = len(self._ring.commands)
        self._ring.commands.append(command)
        self._lead(jump, trampoline_assembly(command, number, python, real, self._ring.words))

    def promote_error(self, noter: int) -> None:
        """Let glGetError enter Python only where there is an error; ``noter`` is a C function that gets it."""
        jump, _, real = self._places.get("glGetError", (0, 0, 0))
        if real:
            self._lead(jump, error_assembly(noter, real))

    def _lead(self, jump: int, assembly: str) -> None:
        try:
            self._ring.use()
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
        f"  %owner = load atomic i64, {at['owner']} monotonic, align 8",
        "  %mine = icmp eq i64 %owner, %thread",
        *_checked(_conditions(command, at)),
        *_locked(CELL_BYTES * len(types), at),
        *_stored(command, types, at),
        f"  %entry = getelementptr i64, {at['index']}, i64 %count",
        f"  %word = or i64 %used, {number << 32}",
        "  store i64 %word, ptr %entry",
        "  %next = add i64 %count, 1",
        f"  store i64 %next, {at['count']}",
        f"  store i64 %end, {at['used']}",
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
    for place, switch in enumerate(_KNOWN_SWITCHES if command.is_switch else ()):
        found.append(([f"  %other{place} = icmp ne i32 %a0, {switch}"], f"%other{place}"))
    if command.content is None:
        found.append((["  %size = add i64 0, 0", "  %none = icmp eq i64 %size, 0"], "%none"))
    else:
        pointer, item_bytes, count = command.content
        found.append(([f"  %some = icmp ne ptr %a{pointer}, null"], "%some"))
        size = [f"  %wide = sext i32 %a{count} to i64", f"  %size = mul i64 %wide, {item_bytes}"]
        found.append(([*size, "  %positive = icmp sgt i64 %size, 0"], "%positive"))
        found.append(([f"  %small = icmp sle i64 %size, {_MAX_CONTENT_BYTES}"], "%small"))
    return found


def _checked(conditions: list[tuple[list[str], str]]) -> list[str]:
    lines = []
    for place, (before, condition) in enumerate(conditions):
        lines += [*before, f"  br i1 {condition}, label %looked{place}, label %python", f"looked{place}:"]
    return lines


def _locked(width: int, at: dict[str, str]) -> list[str]:
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
        f"  %padded = add i64 %size, {width + CELL_BYTES - 1}",
        f"  %bytes = and i64 %padded, -{CELL_BYTES}",
        "  %end = add i64 %used, %bytes",
        f"  %fits = icmp ule i64 %end, {DATA_BYTES}",
        "  %both = and i1 %room, %fits",
        "  %all = and i1 %both, %still_mine",
        "  br i1 %all, label %write, label %refuse",
        "refuse:",
        f"  store atomic i64 0, {at['lock']} release, align 8",
        "  br label %python",
        "write:",
        f"  %row = getelementptr i8, {at['data']}, i64 %used",
    ]


def _stored(command: NativeCommand, types: list[str], at: dict[str, str]) -> list[str]:
    """Write values and content."""
    lines = []
    for i, kind in enumerate(types):
        is_content = command.content is not None and command.content[0] == i
        lines += [
            f"  %cell{i} = getelementptr i8, ptr %row, i64 {CELL_BYTES * i}",
            f"  store {'i64 %size' if is_content else f'{kind} %a{i}'}, ptr %cell{i}",
        ]
    if command.content is not None:
        source = f"ptr %a{command.content[0]}"
        lines += [
            f"  %content = getelementptr i8, ptr %row, i64 {CELL_BYTES * len(types)}",
            f"  call void @llvm.memcpy.p0.p0.i64(ptr %content, {source}, i64 %size, i1 false)",
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
