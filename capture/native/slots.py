"""Slots of the dynamic linker: the words through which an object calls others, set and set back.

A slot often lies in memory that the linker has made read-only (RELRO); its page is made writable for the moment of the
write, and gets back exactly the protection that it had, as ``/proc/self/maps`` tells it.
"""

from __future__ import annotations

import ctypes
import mmap
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeAlias

from capture.native.elf import LoadedObject, object_at, visit_objects
from capture.native.libc import PROTECT
from capture.native.lookup import is_driver

__all__ = ["Patches", "protections"]

_BITS: Final = {"r": mmap.PROT_READ, "w": mmap.PROT_WRITE, "x": mmap.PROT_EXEC}


#: Start, end and protection of ranges of memory, ascending.
Ranges: TypeAlias = list[tuple[int, int, int]]


def protections() -> Ranges:
    """Start, end and protection (PROT_READ ...) of every range of the process, ascending."""
    ranges = []
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            span, rights = line.split(" ", 2)[:2]
            start, _, end = span.partition("-")
            ranges.append((int(start, 16), int(end, 16), sum(_BITS.get(letter, 0) for letter in rights[:3])))
    return ranges


@contextmanager
def _writable(addresses: Sequence[int], ranges: Ranges) -> Iterator[None]:
    """Let words be written; their pages' protection is as before afterwards."""
    starts = [start for start, _, _ in ranges]
    pages: dict[int, int] = {}
    for address in addresses:
        place = bisect_right(starts, address) - 1
        if place >= 0 and address < ranges[place][1] and not ranges[place][2] & mmap.PROT_WRITE:
            pages[address & -mmap.PAGESIZE] = ranges[place][2]
    changed = [page for page in pages if not PROTECT(page, mmap.PAGESIZE, pages[page] | mmap.PROT_WRITE)]
    if len(changed) < len(pages):
        for page in changed:
            PROTECT(page, mmap.PAGESIZE, pages[page])
        raise PermissionError("the slots of an object cannot be made writable")
    try:
        yield
    finally:
        for page in changed:
            PROTECT(page, mmap.PAGESIZE, pages[page])


def _word(address: int) -> Any:
    return ctypes.c_uint64.from_address(address)


@dataclass(slots=True)
class _Patched:
    """Slots of one object: what stands there now, and what stood there before."""

    new: dict[int, int]
    old: dict[int, int] = field(default_factory=dict)


class _Maps:
    """The process's ranges, read when an object has slots: large programs have thousands."""

    @cached_property
    def ranges(self) -> Ranges:
        return protections()


class Patches:
    """What was set in which object, to be taken back."""

    def __init__(self) -> None:
        self._objects: dict[LoadedObject, _Patched] = {}

    def has(self, loaded: LoadedObject) -> bool:
        """Tell whether an object is set; one that was unloaded, and loaded again to the same place, is not.

        A slot that has neither our value nor the linker's has one of the program, which hooks itself.
        """
        patched = self._objects.get(loaded)
        if patched is None:
            return False
        now = {slot: _word(slot).value for slot in patched.new}
        changed = [slot for slot, value in patched.new.items() if now[slot] != value]
        return not any(now[slot] == patched.old[slot] or is_driver(object_at(now[slot]) or "") for slot in changed)

    def put(self, slots: Mapping[LoadedObject, Mapping[int, int]]) -> None:
        """Set slots.

        Parameters
        ----------
        slots : what to call through them, by object and address

        Raises
        ------
        PermissionError : the system forbids it
        """
        maps = _Maps()

        def put(loaded: LoadedObject) -> None:
            mine = slots.get(loaded)
            if not mine:
                return
            patched = self._objects[loaded] = _Patched(dict(mine))
            with _writable(list(mine), maps.ranges):
                for slot, value in mine.items():
                    patched.old[slot] = _word(slot).value
                    _word(slot).value = value

        self._objects |= {loaded: _Patched({}) for loaded, mine in slots.items() if not mine}
        if any(slots.values()):
            visit_objects(put)

    def keep_only(self, loaded: set[LoadedObject]) -> None:
        """Forget objects that are not loaded any more."""
        for gone in self._objects.keys() - loaded:
            del self._objects[gone]

    def undo(self) -> None:
        """Set back what still stands as it was set."""
        maps = _Maps()

        def set_back(loaded: LoadedObject) -> None:
            patched = self._objects.get(loaded)
            if patched is None:
                return
            mine = [slot for slot, value in patched.new.items() if _word(slot).value == value]
            with _writable(mine, maps.ranges):
                for slot in mine:
                    _word(slot).value = patched.old[slot]

        visit_objects(set_back)
        self._objects.clear()
