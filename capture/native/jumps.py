"""Jumps: addresses that native code may keep for ever, each leading to wherever a word of a table says.

What a library has looked up it calls until the process ends, also from destructors that run after the interpreter has
gone. So it gets no callback of Python, but a jump through a word that is set to the driver's own function at the end.
"""

from __future__ import annotations

import ctypes
import mmap
import platform
import re
import threading
from typing import Final

from capture.native.libc import MAP, PROTECT
from traceformat.gles import egl_enums as egl

__all__ = ["Jumps", "answer_at_end", "answer_code", "can_make_jumps", "jump_code"]

_JUMP_BYTES: Final = 8
#: Jumps that are made at a time; with their words they fill 8 pages of 4 KiB.
_BLOCK: Final = 2048
#: What the last ones of a block answer.
_ANSWERS: Final = (0, 1, egl.SUCCESS)
#: Of what is let go at the end some libraries want to hear that it went well (wgpu ends the process otherwise).
_CANNOT_FAIL: Final = re.compile(
    r"egl(MakeCurrent|Destroy\w+|Terminate|ReleaseThread|Swap\w+|Wait(GL|Client|Native)|BindAPI)|glX(MakeCurrent|MakeContextCurrent)"
)


def jump_code(machine: str, distance: int) -> bytes:
    """Machine code that jumps to the address in a word.

    Parameters
    ----------
    machine : x86_64 or aarch64
    distance : bytes from the code to the word

    Returns
    -------
    _JUMP_BYTES bytes; only registers that calls may destroy are used
    """
    if machine == "x86_64":
        # jmp *distance(%rip), which counts from the instruction's end; int3 fills up.
        return b"\xff\x25" + (distance - 6).to_bytes(4, "little", signed=True) + b"\xcc\xcc"
    # ldr x16, distance; br x16
    load = 0x58000010 | (distance // 4 & 0x7FFFF) << 5
    return load.to_bytes(4, "little") + (0xD61F0200).to_bytes(4, "little")


class Jumps:
    """Makes jumps; their memory is kept for the life of the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next = self._end = 0
        self._ends: dict[int, int] = {}

    def make(self, target: int, at_end: int, answer: int = 0) -> int:
        """Give the address of a jump.

        Parameters
        ----------
        target : address where it leads
        at_end : address where it leads when recording has ended; 0 lets it return ``answer`` then
        answer : 0, 1 or EGL_SUCCESS
        """
        with self._lock:
            if self._next == self._end:
                self._next = _new_block()
                self._end = self._next + (_BLOCK - len(_ANSWERS)) * _JUMP_BYTES
            jump = self._next
            self._next += _JUMP_BYTES
            self._ends[jump] = at_end or self._end + _ANSWERS.index(answer) * _JUMP_BYTES
        self.lead(jump, target)
        return jump

    @staticmethod
    def lead(jump: int, target: int) -> None:
        """Let a jump lead elsewhere, at once for all threads: an aligned word is written whole."""
        ctypes.c_uint64.from_address(jump + _BLOCK * _JUMP_BYTES).value = target

    def end(self) -> None:
        """Let all jumps lead where they lead without us."""
        with self._lock:
            for jump, target in self._ends.items():
                self.lead(jump, target)


def can_make_jumps() -> bool:
    """Tell whether the system lets memory become executable."""
    try:
        Jumps().make(0, 0)
    except (MemoryError, PermissionError):
        return False
    return True


def answer_at_end(name: str) -> int:
    """What a function of a driver that is no library answers when recording has ended: what cannot fail has not."""
    if name == "eglGetError":
        return egl.SUCCESS
    return int(_CANNOT_FAIL.fullmatch(name) is not None)


def answer_code(machine: str, value: int) -> bytes:
    """Machine code that returns a number below 65536, _JUMP_BYTES bytes at most."""
    if machine == "x86_64":
        # mov $value, %eax; ret
        return b"\xb8" + value.to_bytes(4, "little") + b"\xc3"
    # mov w0, #value; ret
    return (0x52800000 | value << 5).to_bytes(4, "little") + b"\xc0\x03\x5f\xd6"


def _new_block() -> int:
    """Map a block of jumps, executable, and of their words behind it, writable; the last ones answer."""
    size = _BLOCK * _JUMP_BYTES
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    address = MAP(None, 2 * size, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
    if address is None or address == 2**64 - 1:
        raise MemoryError("no memory for jumps")
    machine = platform.machine()
    code = jump_code(machine, size) * (_BLOCK - len(_ANSWERS))
    code += b"".join(answer_code(machine, value).ljust(_JUMP_BYTES, b"\0") for value in _ANSWERS)
    ctypes.memmove(address, code, len(code))
    if PROTECT(address, size, mmap.PROT_READ | mmap.PROT_EXEC):
        raise PermissionError("the system does not let memory become executable")
    return int(address)
