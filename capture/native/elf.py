"""The objects of the process as the dynamic linker sees them: where they lie, what they import, and at which slots.

Everything is read from memory, where the linker has put it: files may have been replaced, and packed libraries have no
section headers. (ELF-64; gABI 4.2 chapter 5, the psABIs of x86-64 and AArch64.)
"""

from __future__ import annotations

import ctypes
import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

from capture.native.libc import LIBC

__all__ = [
    "LoadedObject",
    "imports_of",
    "is_supported_machine",
    "num_loads",
    "object_at",
    "search_path_of",
    "visit_objects",
]

_PT_DYNAMIC: Final = 2
_DT_STRTAB, _DT_SYMTAB, _DT_RELA, _DT_RELASZ, _DT_STRSZ = 5, 6, 7, 8, 10
_DT_RPATH, _DT_PLTRELSZ, _DT_JMPREL, _DT_RUNPATH = 15, 2, 23, 29
#: Relocations that put the address of a function into a slot: GLOB_DAT, JUMP_SLOT and a plain 64-bit address.
_SLOT_RELOCATIONS: Final = {"x86_64": (6, 7, 1), "aarch64": (1025, 1026, 257)}
_RELOCATION: Final = np.dtype([("offset", "<u8"), ("kind", "<u4"), ("symbol", "<u4"), ("addend", "<i8")])
_SYMBOL: Final = np.dtype(
    [("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"), ("value", "<u8"), ("size", "<u8")]
)
_SEGMENT: Final = np.dtype(
    [("kind", "<u4"), ("flags", "<u4"), ("offset", "<u8"), ("address", "<u8"), ("physical", "<u8"),
     ("file_bytes", "<u8"), ("memory_bytes", "<u8"), ("alignment", "<u8")]
)  # fmt: skip


class _PhdrInfo(ctypes.Structure):
    _fields_ = (
        ("base", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("segments", ctypes.c_void_p),
        ("num_segments", ctypes.c_uint16),
        ("loads", ctypes.c_ulonglong),
    )


class _DlInfo(ctypes.Structure):
    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("symbol", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


_iterate: Final = LIBC.dl_iterate_phdr
_find_object: Final = LIBC.dladdr
_Visitor = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_PhdrInfo), ctypes.c_size_t, ctypes.c_void_p)


@dataclass(frozen=True, slots=True)
class LoadedObject:
    """An object of the process.

    Parameters
    ----------
    base : what its own addresses count from
    name : path as the linker knows it; empty for the main program
    dynamic : address of its dynamic section
    """

    base: int
    name: str
    dynamic: int


def is_supported_machine() -> bool:
    """Tell whether this process has objects of a kind that is understood here."""
    return os.name == "posix" and platform.system() == "Linux" and platform.machine() in _SLOT_RELOCATIONS


def visit_objects(visit: Callable[[LoadedObject], None]) -> None:
    """Call ``visit`` with every object that has a dynamic section; none can be unloaded meanwhile."""
    failed: list[Exception] = []

    def each(info: Any, size: int, data: int | None) -> int:
        try:
            found = _loaded_object(info.contents)
            if found is not None:
                visit(found)
        except Exception as error:
            # ctypes would drop it.
            failed.append(error)
            return 1
        return 0

    _iterate(_Visitor(each), None)
    if failed:
        raise failed[0]


def num_loads() -> int:
    """How many objects this process has loaded since it began."""
    counts: list[int] = []

    def first(info: Any, size: int, data: int | None) -> int:
        counts.append(info.contents.loads)
        return 1

    _iterate(_Visitor(first), None)
    return counts[0]


def _loaded_object(info: _PhdrInfo) -> LoadedObject | None:
    return _object_of(info.base, info.name or b"", info.segments or 0, info.num_segments)


@lru_cache(4096)
def _object_of(base: int, name: bytes, start: int, num_segments: int) -> LoadedObject | None:
    segments = _table(start, num_segments, _SEGMENT)
    dynamic = segments[segments["kind"] == _PT_DYNAMIC]
    if not dynamic.size:
        return None
    return LoadedObject(base, name.decode("utf-8", "surrogateescape"), base + int(dynamic[0]["address"]))


def object_at(address: int) -> str | None:
    """File of the object that an address lies in; None for generated code."""
    info = _DlInfo()
    if not _find_object(ctypes.c_void_p(address), ctypes.byref(info)) or info.file is None:
        return None
    return os.fsdecode(info.file)


def _table(address: int, count: int, dtype: Any) -> Any:
    """An array over memory."""
    if not address or count <= 0:
        return np.empty(0, dtype)
    memory = (ctypes.c_char * (count * np.dtype(dtype).itemsize)).from_address(address)
    return np.frombuffer(memory, dtype)


def _dynamic_section(loaded: LoadedObject) -> dict[int, int]:
    """Entries by tag; addresses are those of this process."""
    entries: dict[int, int] = {}
    at = loaded.dynamic
    while True:
        tag, value = ctypes.c_int64.from_address(at).value, ctypes.c_uint64.from_address(at + 8).value
        if tag == 0:
            break
        if tag in (_DT_STRTAB, _DT_SYMTAB, _DT_RELA, _DT_JMPREL) and value < loaded.base:
            # glibc corrects them in place, where the section can be written.
            value += loaded.base
        entries.setdefault(tag, value)
        at += 16
    return entries


def imports_of(loaded: LoadedObject, initials: frozenset[bytes]) -> list[tuple[int, str]]:
    """Slots through which an object calls functions of others.

    Parameters
    ----------
    loaded : the object
    initials : the first two characters of the names that are asked for

    Returns
    -------
    address of the slot, name of the function that is bound there
    """
    section = _dynamic_section(loaded)
    strings, symbols = section.get(_DT_STRTAB, 0), section.get(_DT_SYMTAB, 0)
    if not strings or not symbols:
        return []
    names = _table(strings, section.get(_DT_STRSZ, 0), np.uint8)
    kinds = _SLOT_RELOCATIONS[platform.machine()]
    wanted = [int.from_bytes(text, "little") for text in initials]
    found: list[tuple[int, str]] = []
    for start, size in ((_DT_JMPREL, _DT_PLTRELSZ), (_DT_RELA, _DT_RELASZ)):
        rows = _table(section.get(start, 0), section.get(size, 0) // _RELOCATION.itemsize, _RELOCATION)
        rows = rows[np.isin(rows["kind"], kinds) & (rows["symbol"] != 0) & (rows["addend"] == 0)]
        if not rows.size:
            continue
        table = _table(symbols, int(rows["symbol"].max()) + 1, _SYMBOL)[rows["symbol"]]
        place = np.minimum(table["name"], max(len(names) - 2, 0))
        initial = names[place].astype(np.uint16) | names[place + 1].astype(np.uint16) << 8
        # What an object defines itself is its own.
        chosen = np.isin(initial, wanted) & (table["section"] == 0)
        found += (
            (loaded.base + int(offset), ctypes.string_at(strings + int(name)).decode("ascii", "replace"))
            for offset, name in zip(rows["offset"][chosen], table["name"][chosen], strict=True)
        )
    return found


def search_path_of(file: str) -> list[str]:
    """Folders where an object says that its libraries are (DT_RUNPATH, or else DT_RPATH)."""
    found: list[str] = []

    def look(loaded: LoadedObject) -> None:
        if loaded.name != file:
            return
        section = _dynamic_section(loaded)
        place = section.get(_DT_RUNPATH, section.get(_DT_RPATH))
        if place is not None:
            text = ctypes.string_at(section[_DT_STRTAB] + place).decode("utf-8", "surrogateescape")
            origin = os.path.dirname(os.path.realpath(file))
            found.extend(
                part.replace("${ORIGIN}", origin).replace("$ORIGIN", origin) for part in text.split(":") if part
            )

    visit_objects(look)
    return found
