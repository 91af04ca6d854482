"""Redirects what native code of the program imports and looks up of GL, for as long as a session lasts."""

from __future__ import annotations

import os
import re
import threading
from typing import TYPE_CHECKING, Final

from capture.native.elf import LoadedObject, imports_of, is_supported_machine, num_loads, visit_objects
from capture.native.jumps import can_make_jumps
from capture.native.lookup import Lookup, is_driver
from capture.native.shims import INITIALS
from capture.native.slots import Patches
from traceformat.gles.entry_points import COMMANDS

if TYPE_CHECKING:
    from capture.interrupts import Faults
    from capture.native.jumps import Jumps
    from capture.resolver import Resolver

__all__ = ["LinkerHooks"]

#: The linker itself and C's library, which call each other by ways of their own.
_SYSTEM: Final = re.compile(r"(ld-|ld64|libc\.|libdl\.|libpthread\.|linux-vdso)")
#: ctypes finds functions for the adapters and for ourselves; only what it loads has to be seen.
_CTYPES: Final = re.compile(r"_ctypes\.")


class LinkerHooks:
    """Hooks of one process.

    Parameters
    ----------
    resolver : has the addresses that are given out
    jumps : through which native code reaches it
    faults : takes what goes wrong
    is_null : there is no library behind the resolver
    """

    def __init__(self, resolver: Resolver, jumps: Jumps, faults: Faults, *, is_null: bool) -> None:
        self._resolver = resolver
        self._is_null = is_null
        self._lock = threading.RLock()
        self._patches = Patches()
        self._num_loads = -1
        self._jumps = jumps
        self._lookup = Lookup(resolver, jumps, faults, self.look, is_null=is_null)

    @staticmethod
    def are_available() -> bool:
        """Tell whether this system's linker is understood, and lets memory become executable."""
        return is_supported_machine() and can_make_jumps()

    def look(self) -> None:
        """Redirect objects that have been loaded since the last look."""
        loads = num_loads()
        with self._lock:
            if loads == self._num_loads:
                return
            self._num_loads = loads
            loaded: set[LoadedObject] = set()
            found: dict[LoadedObject, list[tuple[int, str]]] = {}

            def read(each: LoadedObject) -> None:
                loaded.add(each)
                if not self._patches.has(each):
                    found[each] = [] if _is_left_alone(each) else imports_of(each, INITIALS)

            # Making trampolines may load libraries of the driver: not while objects are visited.
            visit_objects(read)
            slots = {each: self._wanted(each, imports) for each, imports in found.items()}
            self._patches.keep_only(loaded)
            self._patches.put(slots)

    def remove(self) -> None:
        """Set everything back; what was given out leads to the driver's own functions.

        Where there is no driver, it goes on to answer nothing: a library of GL that is there, and was not called until
        now, knows none of the program's contexts.
        """
        with self._lock:
            if not self._is_null:
                self._patches.undo()
            self._jumps.end()

    def _wanted(self, loaded: LoadedObject, imports: list[tuple[int, str]]) -> dict[int, int]:
        """What to put into which slot of an object."""
        slots = {}
        for slot, name in imports:
            address = self._lookup.addresses.get(name, 0)
            if address and _CTYPES.match(os.path.basename(loaded.name)) and name != "dlopen":
                continue
            if name in COMMANDS and not self._lookup.is_wrapped(name):
                address = self._resolver.address(name)
            if address:
                slots[slot] = address
        return slots


def _is_left_alone(loaded: LoadedObject) -> bool:
    return is_driver(loaded.name) or _SYSTEM.match(os.path.basename(loaded.name)) is not None
