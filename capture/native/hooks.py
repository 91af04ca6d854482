"""Redirects what native code of the program imports and looks up of GL, for as long as a session lasts."""

from __future__ import annotations

import os
import re
import threading
from typing import TYPE_CHECKING, Final

from capture.native.elf import imports_of, is_supported_machine
from capture.native.jumps import can_make_jumps
from capture.native.lookup import Lookup, is_driver
from capture.native.objects import LoadedObject, list_objects, pinned
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
        self._lock = threading.Lock()
        self._patches = Patches()
        #: How many objects had been loaded at the newest of the looks that are over, and that have begun.
        self._num_loads = self._newest_list = -1
        self._jumps = jumps
        self._lookup = Lookup(resolver, jumps, faults, self.look, is_null=is_null)

    @staticmethod
    def are_available() -> bool:
        """Tell whether this system's linker is understood, and lets memory become executable."""
        return is_supported_machine() and can_make_jumps()

    def look(self) -> None:
        """Redirect objects that have been loaded since the last look.

        A library that another thread is loading may ask for more from here, and has the linker's lock: so we have none
        when we wait for that.
        """
        listed = list_objects()
        if listed.loads <= self._num_loads:
            return
        with self._lock:
            if listed.loads > self._newest_list:
                self._newest_list = listed.loads
                self._patches.keep_only(frozenset(listed.objects))
        with pinned([each for each in listed.objects if not self._patches.is_empty(each)]) as loaded:
            found = {
                each: [] if _is_left_alone(each) else imports_of(each, INITIALS)
                for each in loaded
                if not self._patches.has(each)
            }
            slots = {each: self._wanted(each, imports) for each, imports in found.items()}
            self._patches.put(slots)
        with self._lock:
            self._num_loads = max(self._num_loads, listed.loads)

    def remove(self) -> None:
        """Set everything back; what was given out leads to the driver's own functions.

        Where there is no driver, it goes on to answer nothing: a library of GL that is there, and was not called until
        now, knows none of the program's contexts.
        """
        if not self._is_null:
            with pinned(list_objects().objects) as loaded:
                self._patches.undo(loaded)
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
