"""PyOpenGL: a platform of our own, so that every function that it makes comes from the resolver.

PyOpenGL resolves an entry point at its first call, by the platform's ``constructFunction`` (or, for the pointer of an
extension, ``getExtensionProcedure``). A platform plug-in is its documented way to replace both; it needs no GL library.

Defects of PyOpenGL 3.1.10 that are worked round here, because a program cannot be captured with them:

* ``OpenGL.GLES2.glGetString`` returns an array object, and raises with the accelerator: it is given a text result.
* Extensions of GLES are called ``GLES2_KHR_debug``, which its extension query knows by ``GL_`` names only, so that
  every such function is NULL: the prefix is corrected.
* Without ``PYOPENGL_PLATFORM=egl`` a context of EGL is not seen as current: the registry says what is current.
"""

from __future__ import annotations

import ctypes
import os
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from capture.adapters.base import Capture
    from capture.adapters.ctypes_libraries import CtypesAdapter

__all__ = ["PyOpenGLAdapter"]

_PLATFORM_NAME: Final = "gpureplay"
_VARIABLE: Final = "PYOPENGL_PLATFORM"
_TEXT_QUERIES: Final = frozenset({"glGetString", "glGetStringi"})


def _correct_extension(name: str | None) -> str | None:
    """``GLES2_KHR_debug`` -> ``GL_KHR_debug``; versions (``GLES2_VERSION_GLES2_2_0``) stay."""
    if name is None:
        return None
    api, _, rest = name.partition("_")
    if api.startswith("GLES") and not rest.startswith("VERSION"):
        return f"GL_{rest}"
    return name


class PyOpenGLAdapter:
    """Lets PyOpenGL choose our platform.

    Parameters
    ----------
    capture : resolver, registry and what is current
    libraries : makes library objects
    """

    module = "OpenGL.platform"

    def __init__(self, capture: Capture, libraries: CtypesAdapter) -> None:
        self._capture = capture
        self._libraries = libraries
        self._wanted: str | None = None

    def before(self) -> None:
        """Register the platform and ask for it; the program's own choice is put back afterwards."""
        from OpenGL.plugins import PlatformPlugin

        adapter = self

        class TracePlugin(PlatformPlugin):  # type: ignore[misc, unused-ignore]
            """A plug-in that is here already, and need not be imported by name."""

            def load(self) -> Any:
                return adapter._platform_class()

        TracePlugin(_PLATFORM_NAME, _PLATFORM_NAME)
        self._wanted = os.environ.get(_VARIABLE)
        os.environ[_VARIABLE] = _PLATFORM_NAME

    def after(self, module: ModuleType) -> None:
        """Resolve core functions by address; PyOpenGL would look them up in C."""
        if self._wanted is None:
            os.environ.pop(_VARIABLE, None)
        else:
            os.environ[_VARIABLE] = self._wanted
        from OpenGL.platform import ctypesloader

        resolver = self._capture.resolver
        build = ctypesloader.buildFunction

        def build_function(function_type: Any, name: str, dll: Any) -> Any:
            address = resolver.get_proc(name)
            if address:
                return function_type(address)
            if "is_pseudo_library" in dll.__dict__:
                raise AttributeError(f"no function {name}")
            return build(function_type, name, dll)

        ctypesloader.buildFunction = build_function

    def _platform_class(self) -> Any:
        """The platform; its base class exists only while PyOpenGL is being imported."""
        from OpenGL.platform import baseplatform, ctypesloader

        resolver, registry, current = self._capture.resolver, self._capture.registry, self._capture.current
        library = self._libraries.library

        def load_helper(name: str) -> Any:
            """Load a library that stands on GL: its own GL calls are made in C, where they are not seen."""
            try:
                return ctypesloader.loadLibrary(ctypes.cdll, name, mode=ctypes.RTLD_GLOBAL)
            except OSError:
                return None

        class TracePlatform(baseplatform.BasePlatform):  # type: ignore[misc, unused-ignore]
            """Every library of GL, from the resolver."""

            DEFAULT_FUNCTION_TYPE = staticmethod(ctypes.CFUNCTYPE)
            GL = library("GL")
            GLES1 = GLES2 = GLES3 = library("GLESv2")
            EGL = library("EGL")
            GLX = GL
            GLU = property(lambda self: load_helper("GLU"))
            GLUT = property(lambda self: load_helper("glut"))
            GLE = property(lambda self: load_helper("gle"))
            OSMesa = None
            HAS_DYNAMIC_EXT = True

            def getExtensionProcedure(self, name: bytes | str) -> int:
                return resolver.get_proc(name.decode() if isinstance(name, bytes) else name)

            def GetCurrentContext(self) -> int:
                number = registry.thread().context_number
                if number == 0 and current.handle() is not None:
                    current.note()
                    number = registry.thread().context_number
                return number

            def constructFunction(self, functionName: str, dll: Any, *arguments: Any, **options: Any) -> Any:
                if "extension" in options:
                    options["extension"] = _correct_extension(options["extension"])
                if functionName in _TEXT_QUERIES:
                    options["resultType"] = ctypes.c_char_p
                return super().constructFunction(functionName, dll, *arguments, **options)

        return TracePlatform
