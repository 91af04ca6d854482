"""Read and write the C memory behind the pointers of window-system calls."""

from __future__ import annotations

import ctypes

__all__ = ["read_attributes", "read_string", "write_integers", "write_pointers"]

#: Longest attribute list that is read; real ones have about twenty pairs.
MAX_ATTRIBUTES = 256


def read_attributes(
    address: int | None, end: int, c_type: type[ctypes.c_int] | type[ctypes.c_ssize_t]
) -> dict[int, int]:
    """Read a list of (name, value) pairs that ends with ``end``; a NULL list is empty."""
    attributes: dict[int, int] = {}
    if not address:
        return attributes
    values = ctypes.cast(address, ctypes.POINTER(c_type))
    for i in range(0, 2 * MAX_ATTRIBUTES, 2):
        if int(values[i]) == end:
            break
        attributes[int(values[i])] = int(values[i + 1])
    return attributes


def read_string(address: int | None) -> str:
    """Read NUL-terminated text; NULL is empty."""
    return ctypes.string_at(address).decode("utf-8", "surrogateescape") if address else ""


def write_integers(address: int | None, *values: int) -> None:
    """Write C ints; a NULL address takes nothing."""
    if address:
        ctypes.memmove(address, (ctypes.c_int * len(values))(*values), 4 * len(values))


def write_pointers(address: int | None, *values: int) -> None:
    """Write addresses or opaque handles; a NULL address takes nothing."""
    if address:
        array = (ctypes.c_void_p * len(values))(*values)
        ctypes.memmove(address, array, ctypes.sizeof(array))
