"""What native code of the program loads and looks up while it runs: ``dlopen``, ``dlsym`` and ``dlvsym``."""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from capture.native.elf import search_path_of
from capture.native.libc import LIBC
from capture.native.objects import list_objects, object_at
from capture.native.shims import NO_LOAD, load_shims

if TYPE_CHECKING:
    from capture.interrupts import Faults
    from capture.native.jumps import Jumps
    from capture.resolver import Resolver

__all__ = ["Lookup", "is_driver"]

#: Libraries that are GL, or parts of a driver of it: what they call of each other is not the program's.
_DRIVER: Final = re.compile(
    r"lib(GL|EGL|GLX|OpenGL|GLES\w*|GLdispatch|glapi|gallium|OSMesa|nvidia|cuda|vulkan|drm|gbm)([._-].*)?$|.*_dri\.so$"
)
#: Libraries that the null driver stands for, whatever their version and wherever they lie.
_PLATFORM: Final = re.compile(r"lib(GL|EGL|GLX|OpenGL|GLESv[23])\.so")
_LAZY: Final = 1
_close: Final = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(("dlclose", LIBC))
_FUNCTIONS: Final = ("dlopen", "dlsym", "dlvsym")


def is_driver(file: str) -> bool:
    """Tell whether a file is a library of GL or of a driver."""
    return _DRIVER.match(os.path.basename(file)) is not None


class Lookup:
    """Stands in front of the linker's functions.

    Parameters
    ----------
    resolver : has the addresses that are given out
    jumps : through which they are reached
    faults : takes what goes wrong
    loaded : called when an object may have been loaded
    is_null : libraries of GL need not exist, and are not loaded where they do

    Attributes
    ----------
    addresses : of the functions that stand in front, by name
    """

    def __init__(
        self, resolver: Resolver, jumps: Jumps, faults: Faults, loaded: Callable[[], None], *, is_null: bool
    ) -> None:
        self._is_null = is_null
        self._resolver = resolver
        self._faults = faults
        self._loaded = loaded
        real = {name: ctypes.cast(getattr(LIBC, name), ctypes.c_void_p).value or 0 for name in (*_FUNCTIONS, "dlclose")}
        address = ctypes.c_void_p
        types = {
            "dlopen": ctypes.CFUNCTYPE(address, address, ctypes.c_int),
            "dlsym": ctypes.CFUNCTYPE(address, address, address),
            "dlvsym": ctypes.CFUNCTYPE(address, address, address, address),
        }
        self._real: dict[str, Callable[..., int | None]] = {name: types[name](real[name]) for name in _FUNCTIONS}
        opened = ctypes.CFUNCTYPE(address, address, ctypes.c_int, address)(self._open)
        self._callbacks: dict[str, Any] = {
            "dlopen": opened,
            **{name: types[name](self._looker(name)) for name in _FUNCTIONS[1:]},
        }
        places = {name: ctypes.cast(callback, address).value or 0 for name, callback in self._callbacks.items()}
        self._follower = ctypes.CFUNCTYPE(address, address, address)(self._next)
        self._loading = ctypes.c_uint64()
        follower = ctypes.cast(self._follower, address).value or 0
        self._shims = load_shims(places, follower, real, ctypes.addressof(self._loading))
        self.addresses = {name: jumps.make(shim.address, real[name]) for name, shim in self._shims.items()}

    def _open(self, name: int | None, mode: int, caller: int | None) -> int | None:
        """Load a library for native code, and look at what has come with it."""
        handle: int | None = self._load(name, mode, caller)
        if handle:
            try:
                self._loaded()
            except Exception as error:
                self._faults.handle(error, "dlopen")
        return handle

    def _load(self, name: int | None, mode: int, caller: int | None) -> int | None:
        load = self._real["dlopen"]
        text = ctypes.string_at(name) if name else b""
        if self._is_null and _PLATFORM.match(os.path.basename(os.fsdecode(text))):
            # A handle that exists: that of the process itself.
            return load(None, mode)
        if text and b"/" not in text:
            # The linker would look where the caller's own file says; it takes us for the caller.
            known: int | None = load(name, mode | NO_LOAD)
            if known:
                return known
            file = object_at(caller or 0)
            for folder in search_path_of(file) if file else ():
                path = os.path.join(os.fsencode(folder), text)
                if os.path.exists(path):
                    return load(ctypes.cast(ctypes.c_char_p(path), ctypes.c_void_p), mode)
        return load(name, mode)

    def is_wrapped(self, name: str) -> bool:
        """Tell whether the linker binds an entry point to something else than a driver, which will call that itself."""
        found = self._real["dlsym"](None, ctypes.cast(ctypes.c_char_p(name.encode()), ctypes.c_void_p))
        file = object_at(found) if found else None
        return file is not None and not is_driver(file)

    def _next(self, name: int, caller: int) -> int | None:
        """Find the definition of a driver behind the caller's object, as RTLD_NEXT does; 0 for any other."""
        try:
            file = object_at(caller)
            if file is None or is_driver(file):
                return 0
            files = [each.name for each in list_objects().objects]
            for behind in files[files.index(file) + 1 :] if file in files else ():
                handle = self._real["dlopen"](
                    ctypes.cast(ctypes.c_char_p(os.fsencode(behind)), ctypes.c_void_p), _LAZY | NO_LOAD
                )
                found = self._real["dlsym"](handle, name) if handle else None
                if handle:
                    _close(handle)
                if found and object_at(found) == behind:
                    return self._ours(ctypes.string_at(name).decode("ascii", "replace"), found)
            return self._ours(ctypes.string_at(name).decode("ascii", "replace"), 0)
        except Exception as error:
            self._faults.handle(error, "dlsym")
            return 0

    def _looker(self, function: str) -> Callable[..., int | None]:
        real = self._real[function]

        def look_up(handle: int | None, name: int, *version: int) -> int | None:
            found: int | None = real(handle, name, *version)
            try:
                return self._ours(ctypes.string_at(name).decode("ascii", "replace"), found or 0)
            except Exception as error:
                self._faults.handle(error, function)
                return found

        return look_up

    def _ours(self, name: str, found: int) -> int:
        """What stands in front of a function that the linker has found; ``found`` is 0 if there is none."""
        own = self.addresses.get(name)
        if own is not None:
            return own
        if name.startswith("dl") or not (found or self._is_null):
            return found
        file = object_at(found) if found else None
        if found and (file is None or not is_driver(file)):
            return found
        return self._resolver.get_proc(name, lambda: found) or found
