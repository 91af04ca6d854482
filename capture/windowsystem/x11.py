"""What the null driver's windows have to ask an X server, through the program's own connection to it."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

__all__ = ["size_of", "visual_info", "visual_number"]

_VISUAL_ID_MASK = 1


class _VisualInfo(ctypes.Structure):
    _fields_ = (
        ("visual", ctypes.c_void_p),
        ("number", ctypes.c_ulong),
        ("screen", ctypes.c_int),
        ("depth", ctypes.c_int),
        ("kind", ctypes.c_int),
        ("masks", ctypes.c_ulong * 3),
        ("colors", ctypes.c_int),
        ("bits", ctypes.c_int),
    )


@cache
def _library() -> Any:
    """The library of the process: whoever has a connection has loaded it."""
    library = ctypes.CDLL("libX11.so.6")
    library.XDefaultScreen.argtypes = (ctypes.c_void_p,)
    library.XDefaultVisual.argtypes = (ctypes.c_void_p, ctypes.c_int)
    library.XDefaultVisual.restype = ctypes.c_void_p
    library.XVisualIDFromVisual.argtypes = (ctypes.c_void_p,)
    library.XVisualIDFromVisual.restype = ctypes.c_ulong
    library.XGetVisualInfo.argtypes = (ctypes.c_void_p, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
    library.XGetVisualInfo.restype = ctypes.c_void_p
    library.XGetGeometry.argtypes = (ctypes.c_void_p, ctypes.c_ulong, *(ctypes.c_void_p,) * 7)
    return library


def visual_number(display: int) -> int:
    """Number of the visual that windows of a display have by default."""
    library = _library()
    visual = library.XDefaultVisual(display, library.XDefaultScreen(display))
    return int(library.XVisualIDFromVisual(visual))


def visual_info(display: int) -> int:
    """Address of an XVisualInfo of the default visual, which the program frees; 0 without one."""
    wanted, count = _VisualInfo(number=visual_number(display)), ctypes.c_int()
    found = _library().XGetVisualInfo(display, _VISUAL_ID_MASK, ctypes.addressof(wanted), ctypes.addressof(count))
    return int(found or 0)


def size_of(display: int, window: int) -> tuple[int, int]:
    """Width and height of a window in pixels; 0, 0 for one that has gone."""
    root, place, size = ctypes.c_ulong(), (ctypes.c_int * 2)(), (ctypes.c_uint * 4)()
    integers, unsigned = ctypes.addressof(place), ctypes.addressof(size)
    answers = (integers, integers + 4, *(unsigned + 4 * number for number in range(4)))
    found = _library().XGetGeometry(display, window, ctypes.addressof(root), *answers)
    return (size[0], size[1]) if found else (0, 0)
