"""What the objects of the process import, and at which slots.

Everything is read from memory, where the linker has put it: files may have been replaced, and packed libraries have no
section headers. (ELF-64; gABI 4.2 chapter 5, the psABIs of x86-64 and AArch64.)
"""

from __future__ import annotations

import ctypes
import os
import platform
from typing import Any, Final

import numpy as np

from capture.native.objects import LoadedObject, list_objects

__all__ = ["imports_of", "is_supported_machine", "search_path_of"]

_DT_STRTAB, _DT_SYMTAB, _DT_RELA, _DT_RELASZ, _DT_STRSZ = 5, 6, 7, 8, 10
_DT_RPATH, _DT_PLTRELSZ, _DT_JMPREL, _DT_RUNPATH = 15, 2, 23, 29
#: Relocations that put the address of a function into a slot: GLOB_DAT, JUMP_SLOT and a plain 64-bit address.
_SLOT_RELOCATIONS: Final = {"x86_64": (6, 7, 1), "aarch64": (1025, 1026, 257)}
_RELOCATION: Final = np.dtype([("offset", "<u8"), ("kind", "<u4"), ("symbol", "<u4"), ("addend", "<i8")])
_SYMBOL: Final = np.dtype(
    [("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"), ("value", "<u8"), ("size", "<u8")]
)


def is_supported_machine() -> bool:
    """Tell whether this process has objects of a kind that is understood here."""
    return os.name == "posix" and platform.system() == "Linux" and platform.machine() in _SLOT_RELOCATIONS


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
    """Folders where an object that is being executed says that its libraries are (DT_RUNPATH, or else DT_RPATH)."""
    found: list[str] = []
    for loaded in list_objects().objects:
        if loaded.name != file:
            continue
        section = _dynamic_section(loaded)
        place = section.get(_DT_RUNPATH, section.get(_DT_RPATH))
        if place is not None:
            text = ctypes.string_at(section[_DT_STRTAB] + place).decode("utf-8", "surrogateescape")
            origin = os.path.dirname(os.path.realpath(file))
            found += (part.replace("${ORIGIN}", origin).replace("$ORIGIN", origin) for part in text.split(":") if part)
    return found
