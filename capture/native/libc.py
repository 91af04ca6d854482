"""Functions of C's library, found before anything is redirected. They keep the GIL."""

from __future__ import annotations

import ctypes
from typing import Final

__all__ = ["LIBC", "MAP", "PROTECT"]

LIBC: Final = ctypes.PyDLL(None)

PROTECT: Final = LIBC.mprotect
PROTECT.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
MAP: Final = LIBC.mmap
MAP.restype = ctypes.c_void_p
MAP.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_int64)
