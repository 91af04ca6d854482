"""ctypes: GL libraries that a program loads itself, and with them pyglet, vispy and everything else built on ctypes.

``CDLL.__getattr__`` asks the resolver first. Under the null driver a GL library need not exist: loading one gives a
pseudo-library whose functions are those of the resolver, and ``ctypes.util.find_library`` finds it.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from capture.adapters.base import Capture

__all__ = ["CtypesAdapter"]

_GL_LIBRARY: Final = re.compile(r"(lib)?(GL|OpenGL|GLX|EGL|GLESv2|GLESv3)(\.so|\.dylib|\.dll|-?\d|$)")
_SONAMES: Final = {
    "GL": "libGL.so.1",
    "OpenGL": "libOpenGL.so.0",
    "GLX": "libGLX.so.0",
    "EGL": "libEGL.so.1",
    "GLESv2": "libGLESv2.so.2",
}


class CtypesAdapter:
    """Replaces what ctypes does for GL libraries.

    Parameters
    ----------
    capture : resolver and driver
    """

    def __init__(self, capture: Capture) -> None:
        self._resolver = capture.resolver
        self._is_null = capture.driver.name == "null"

    def install(self) -> None:
        """Patch ctypes."""
        load, get_item = ctypes.CDLL.__init__, ctypes.CDLL.__getitem__
        adapter = self

        def initialize(self: ctypes.CDLL, name: Any, *arguments: Any, **options: Any) -> None:
            if adapter._is_null and adapter._is_gl(name):
                # A handle that exists: that of the process itself.
                load(self, None)
                self._name = os.fspath(name)
                self.__dict__["is_pseudo_library"] = True
                return
            load(self, name, *arguments, **options)

        def look_up(self: ctypes.CDLL, name_or_ordinal: Any) -> Any:
            if not isinstance(name_or_ordinal, str) or not adapter._is_gl(self._name):
                return get_item(self, name_or_ordinal)
            address = adapter._resolver.address(name_or_ordinal)
            is_pseudo = "is_pseudo_library" in self.__dict__
            if not address and not is_pseudo and name_or_ordinal.startswith("gl"):
                original = ctypes.cast(get_item(self, name_or_ordinal), ctypes.c_void_p).value or 0
                address = adapter._resolver.get_proc(name_or_ordinal, lambda: original)
            if address:
                function = self._FuncPtr(address)
                function.__name__ = name_or_ordinal  # type: ignore[attr-defined]
                return function
            if is_pseudo:
                raise AttributeError(f"{self._name}: undefined symbol: {name_or_ordinal}")
            return get_item(self, name_or_ordinal)

        ctypes.CDLL.__init__ = initialize  # type: ignore[method-assign]
        ctypes.CDLL.__getitem__ = look_up  # type: ignore[method-assign]
        if self._is_null:
            find = ctypes.util.find_library

            def find_library(name: str) -> str | None:
                return _SONAMES.get(name) or find(name)

            ctypes.util.find_library = find_library

    def library(self, name: str) -> ctypes.CDLL:
        """A library object whose functions come from the resolver alone, whether such a file exists or not."""
        library = ctypes.CDLL(None)
        library._name = _SONAMES[name]
        library.__dict__["is_pseudo_library"] = True
        return library

    @staticmethod
    def _is_gl(name: object) -> bool:
        if not isinstance(name, (str, os.PathLike)):
            return False
        return _GL_LIBRARY.match(os.path.basename(os.fspath(name))) is not None
