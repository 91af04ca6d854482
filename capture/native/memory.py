"""The memory that machine code writes into: that of a file beside the trace, so that it survives the process.

Machine code has its addresses, so it stays where it is for the life of the process; what changes is what lies behind
it. Where no file can be mapped (streams, full disks, file systems without shared mappings) it is the process's own, and
:attr:`RingMemory.is_kept` says so. A forked child has zeros there before anything else of it runs.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from pathlib import Path
from typing import Any, Final

from capture.native.code import load_code
from capture.native.libc import LIBC, MAP

__all__ = ["RingMemory"]

#: Addresses that are set aside; memory is taken as it is used.
_BYTES: Final = 1 << 28
_FIXED: Final = 1 << 4
_NO_RESERVE: Final = 1 << 14
_FAILED: Final = ctypes.c_void_p(-1).value
_OWN: Final = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
_RIGHTS: Final = mmap.PROT_READ | mmap.PROT_WRITE
_IN_CHILD: Final = """
define void @zero() {{
  %none = call ptr inttoptr (i64 {mmap} to ptr)(ptr inttoptr (i64 {start} to ptr), i64 {size}, i32 {rights}, i32 {how},
                                                i32 -1, i64 0)
  ret void
}}
"""
#: What the process calls in children is never taken back.
_alive: Final[list[Any]] = []


class RingMemory:
    """Memory at an address that stays.

    Parameters
    ----------
    num_bytes : of its beginning that are used from the start

    Raises
    ------
    MemoryError : the process has no addresses left

    Attributes
    ----------
    start : its address
    is_kept : it is a file's, which outlives the process
    """

    def __init__(self, num_bytes: int) -> None:
        found = MAP(None, _BYTES, _RIGHTS, _OWN, -1, 0)
        if found is None or found == _FAILED:
            raise MemoryError("no addresses for the recorder's buffer")
        self.start = int(found)
        self.is_kept = False
        self._used = num_bytes
        self._path: Path | None = None
        self._watch_forks()

    def _watch_forks(self) -> None:
        """Let children have memory of their own, also those that native code forks: the file is the parent's."""
        address = ctypes.cast(MAP, ctypes.c_void_p).value
        text = _IN_CHILD.format(mmap=address, start=self.start, size=_BYTES, rights=_RIGHTS, how=_OWN | _FIXED)
        code = load_code(text, "zero")
        _alive.append(code)
        register = getattr(LIBC, "__register_atfork", None) or LIBC.pthread_atfork
        register(None, None, ctypes.c_void_p(code.address), None)

    def keep(self, path: Path | None) -> None:
        """Let the memory be that of a new file, as far as that goes; whatever it held is gone.

        Parameters
        ----------
        path : of the file; None for memory of the process's own
        """
        self.drop()
        if path is None:
            return
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except OSError:
            return
        self._path = path
        try:
            # Room that is not there would end the program in the moment in which it is written to.
            os.posix_fallocate(handle, 0, self._used)
            found = MAP(self.start, _BYTES, _RIGHTS, mmap.MAP_SHARED | _FIXED, handle, 0)
            self.is_kept = found == self.start
        except OSError:
            self.is_kept = False
        finally:
            os.close(handle)
        if not self.is_kept:
            path.unlink(missing_ok=True)
            self._path = None

    def take(self, num_bytes: int) -> int:
        """Set memory aside, zeros.

        Returns
        -------
        its place behind :attr:`start`

        Raises
        ------
        OSError, MemoryError : there is no room
        """
        place = -(-self._used // mmap.PAGESIZE) * mmap.PAGESIZE
        end = place + num_bytes
        if end > _BYTES:
            raise MemoryError("the recorder's buffer is full of entry points")
        if self._path is not None:
            # Opened anew: a program that closes every descriptor would have closed ours.
            handle = os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
            try:
                os.posix_fallocate(handle, place, max(num_bytes, 1))
            finally:
                os.close(handle)
        self._used = end
        return place

    def drop(self) -> None:
        """Let the file go; what machine code still writes goes nowhere."""
        if self._path is not None:
            MAP(self.start, _BYTES, _RIGHTS, _OWN | _FIXED, -1, 0)
            self._path.unlink(missing_ok=True)
            self._path, self.is_kept = None, False

    def forget(self) -> None:
        """After a fork: the file is the parent's."""
        self._path, self.is_kept = None, False
