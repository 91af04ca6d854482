"""Slots of the dynamic linker: the words through which an object calls others, set and set back.

A slot often lies in memory that the linker has made read-only (RELRO); its page is made writable for the moment of the
write, and gets back exactly the protection that it had, as ``/proc/self/maps`` tells it.
"""

from __future__ import annotations

import ctypes
import mmap
import threading
from bisect import bisect_right
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from capture.native.libc import PROTECT
from capture.native.lookup import is_driver
from capture.native.objects import LoadedObject, object_at

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


@dataclass(frozen=True, slots=True)
class _Patched:
    """Slots of one object: what stands there now, and what stood there before."""

    new: dict[int, int]
    old: dict[int, int]


class Patches:
    """What was set in which object, to be taken back. All that is read and written has to be kept loaded meanwhile."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._objects: dict[LoadedObject, _Patched] = {}

    def is_empty(self, loaded: LoadedObject) -> bool:
        """Tell whether an object is known to have no slots."""
        patched = self._objects.get(loaded)
        return patched is not None and not patched.new

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
        with self._lock:
            ranges = protections() if any(slots.values()) else []
            for loaded, mine in slots.items():
                known = self._objects.get(loaded)
                now = {slot: _word(slot).value for slot in mine}
                # What another thread has set meanwhile was not there before.
                old = {
                    slot: known.old[slot] if known is not None and known.new.get(slot) == value else value
                    for slot, value in now.items()
                }
                self._objects[loaded] = _Patched(dict(mine), old)
                changing = [slot for slot, value in mine.items() if now[slot] != value]
                with _writable(changing, ranges):
                    for slot in changing:
                        _word(slot).value = mine[slot]

    def keep_only(self, loaded: Container[LoadedObject]) -> None:
        """Forget objects that are not loaded any more."""
        with self._lock:
            self._objects = {each: patched for each, patched in self._objects.items() if each in loaded}

    def undo(self, loaded: Sequence[LoadedObject]) -> None:
        """Set back in these objects what still stands as it was set."""
        with self._lock:
            ranges = protections()
            for each in loaded:
                patched = self._objects.pop(each, None)
                if patched is None:
                    continue
                mine = [slot for slot, value in patched.new.items() if _word(slot).value == value]
                with _writable(mine, ranges):
                    for slot in mine:
                        _word(slot).value = patched.old[slot]
