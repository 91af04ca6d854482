"""glfw: windows, their contexts, and swaps; with windows that need no display where there is none.

The functions of ``glfw._glfw`` (a CDLL instance) are replaced by attributes, which every spelling of the module
looks up at each call. Where a display is there and the system's GL answers, GLFW does everything itself and is only
watched. Otherwise GLFW runs on its null platform, whose windows have no contexts: the contexts are the driver's
own.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from capture.adapters.glfw_time import timed_functions
from capture.context_records import API_GL, API_GLES, WINDOW, ContextAttributes

if TYPE_CHECKING:
    from capture.adapters.base import Capture

__all__ = ["GlfwAdapter"]

_PLATFORM: Final = 0x00050003
_PLATFORM_NULL: Final = 0x00060005
_CLIENT_API: Final = 0x00022001
_NO_API: Final = 0
_OPENGL_API: Final = 0x00030001
_OPENGL_ES_API: Final = 0x00030002
_VERSION_MAJOR: Final = 0x00022002
_VERSION_MINOR: Final = 0x00022003
_REVISION: Final = 0x00022004
_PROFILE: Final = 0x00022008
_CREATION_API: Final = 0x0002200B
_EGL_CONTEXT_API: Final = 0x00036002
_CORE_PROFILE: Final = 0x00032001
_COMPAT_PROFILE: Final = 0x00032002
_SAMPLES: Final = 0x0002100D
_BITS: Final = {
    "red": 0x00021001,
    "green": 0x00021002,
    "blue": 0x00021003,
    "alpha": 0x00021004,
    "depth": 0x00021005,
    "stencil": 0x00021006,
}
#: Functions that call GL, EGL or GLX themselves.
_CALLING_GL: Final = frozenset(
    {"glfwCreateWindow", "glfwDestroyWindow", "glfwTerminate", "glfwMakeContextCurrent", "glfwSwapBuffers"}
)
#: Hints that decide a context, with GLFW's defaults.
_DEFAULTS: Final = {
    _CLIENT_API: _OPENGL_API,
    _VERSION_MAJOR: 1,
    _VERSION_MINOR: 0,
    _PROFILE: 0,
    _SAMPLES: 0,
    **{hint: 8 for hint in _BITS.values()},
    _BITS["depth"]: 24,
}


@dataclass(slots=True)
class _Window:
    """A window that has a context.

    Parameters
    ----------
    requested : what its hints asked for
    size : of its framebuffer in pixels
    context, surface : handles of the driver's own context, 0 where GLFW has made it
    """

    requested: ContextAttributes
    size: tuple[int, int]
    context: int = 0
    surface: int = 0
    share: int = 0


def _address(window: Any) -> int:
    """Address of a window given as pointer, number or None."""
    if window is None:
        return 0
    if isinstance(window, int):
        return window
    return ctypes.cast(window, ctypes.c_void_p).value or 0


class GlfwAdapter:
    """Watches GLFW, or gives its windows contexts.

    Parameters
    ----------
    capture : driver, resolver and registry
    """

    module = "glfw"

    def __init__(self, capture: Capture) -> None:
        self._capture = capture
        self._hints = dict(_DEFAULTS)
        self._windows: dict[int, _Window] = {}
        self._real: dict[str, Callable[..., Any]] = {}
        self._current: dict[int, int] = {}
        self._is_headless = capture.is_headless

    def before(self) -> None:
        """Nothing has to be there before."""

    def after(self, module: ModuleType) -> None:
        """Replace the functions of the library object."""
        library = getattr(module, "_glfw", None)
        if library is None:
            return
        for name, function in self._functions().items():
            if not hasattr(library, name):
                continue
            real = getattr(library, name)
            self._real[name] = self._capture.recorder.threads.unrecorded(real) if name in _CALLING_GL else real
            setattr(library, name, function)
        for name in ("glfwGetFramebufferSize", "glfwInitHint", "glfwPollEvents"):
            self._real[name] = getattr(library, name)

    def _functions(self) -> dict[str, Callable[..., Any]]:
        common: dict[str, Callable[..., Any]] = {
            "glfwDefaultWindowHints": self._default_hints,
            "glfwWindowHint": self._hint,
            "glfwCreateWindow": self._create_window,
            "glfwDestroyWindow": self._destroy_window,
            "glfwTerminate": self._terminate,
            "glfwMakeContextCurrent": self._make_current,
            "glfwSwapBuffers": self._swap_buffers,
            "glfwGetProcAddress": self._get_proc_address,
        }
        clock = self._capture.clock
        if clock is not None:
            common |= timed_functions(clock, lambda: self._real["glfwPollEvents"]())
        if not self._is_headless:
            return common
        return common | {
            "glfwInit": self._init,
            "glfwGetCurrentContext": self._get_current,
            "glfwSwapInterval": lambda interval: None,
            "glfwExtensionSupported": self._extension_supported,
            "glfwGetWindowAttrib": self._get_attribute,
        }

    # -- windows ----------------------------------------------------------------------------------------------------

    def _init(self) -> int:
        self._real["glfwInitHint"](_PLATFORM, _PLATFORM_NULL)
        return int(self._real["glfwInit"]())

    def _default_hints(self) -> None:
        self._hints = dict(_DEFAULTS)
        self._real["glfwDefaultWindowHints"]()

    def _hint(self, hint: int, value: int) -> None:
        self._hints[hint] = value
        self._real["glfwWindowHint"](hint, value)

    def _create_window(self, width: int, height: int, title: Any, monitor: Any, share: Any) -> Any:
        has_context = self._hints[_CLIENT_API] != _NO_API
        if has_context and self._is_headless:
            self._real["glfwWindowHint"](_CLIENT_API, _NO_API)
            try:
                window = self._real["glfwCreateWindow"](width, height, title, monitor, None)
            finally:
                self._real["glfwWindowHint"](_CLIENT_API, self._hints[_CLIENT_API])
        else:
            window = self._real["glfwCreateWindow"](width, height, title, monitor, share)
        address = _address(window)
        if not address or not has_context:
            return window
        other = self._windows.get(_address(share))
        size = self._framebuffer_size(address)
        record = _Window(self._requested(), size, share=other.context if other is not None else 0)
        if self._is_headless:
            record.context, record.surface = self._capture.driver.create_context(record.requested, record.share, size)
        self._windows[address] = record
        registry = self._capture.registry
        registry.create_context(("glfw", address), record.requested, ("glfw", _address(share)) if other else None)
        registry.create_drawable(("glfw", address), *size, WINDOW)
        return window

    def _requested(self) -> ContextAttributes:
        hints = self._hints
        bits = {name: hints[hint] if hints[hint] >= 0 else _DEFAULTS[hint] for name, hint in _BITS.items()}
        bits["samples"] = max(hints[_SAMPLES], 0)
        version = hints[_VERSION_MAJOR], hints[_VERSION_MINOR]
        if hints[_CLIENT_API] == _OPENGL_ES_API:
            return ContextAttributes(API_GLES, *version, 0, **bits)
        profile = 1 if version >= (3, 2) and hints[_PROFILE] != _COMPAT_PROFILE else 2
        return ContextAttributes(API_GL, *version, profile, **bits)

    def _destroy_window(self, window: Any) -> None:
        self._forget(_address(window))
        self._real["glfwDestroyWindow"](window)

    def _terminate(self) -> None:
        for address in list(self._windows):
            self._forget(address)
        self._real["glfwTerminate"]()

    def _forget(self, address: int) -> None:
        record = self._windows.pop(address, None)
        if record is None:
            return
        registry = self._capture.registry
        if registry.current_handle() == ("glfw", address):
            if record.context:
                self._capture.driver.make_current(0, 0)
            registry.make_current(None)
        registry.destroy_context(("glfw", address))
        registry.destroy_drawable(("glfw", address))
        if record.context:
            self._capture.driver.destroy_context(record.context, record.surface)

    def _framebuffer_size(self, address: int) -> tuple[int, int]:
        width, height = ctypes.c_int(), ctypes.c_int()
        function = self._real["glfwGetFramebufferSize"]
        window = ctypes.cast(address, function.argtypes[0])  # type: ignore[attr-defined]
        function(window, ctypes.byref(width), ctypes.byref(height))
        return width.value, height.value

    # -- contexts ---------------------------------------------------------------------------------------------------

    def _make_current(self, window: Any) -> None:
        address = _address(window)
        record = self._windows.get(address)
        if not self._is_headless:
            self._real["glfwMakeContextCurrent"](window)
        elif record is None:
            self._capture.driver.make_current(0, 0)
        else:
            self._capture.driver.make_current(record.context, record.surface)
        registry = self._capture.registry
        if record is None:
            registry.make_current(None)
            return
        handle = ("glfw", address)
        registry.make_current(handle, handle, handle)
        # moderngl and PyOpenGL ask EGL or GLX for the context, not GLFW.
        self._capture.current.name_again(handle)
        self._follow_size(address, record)

    def _get_current(self) -> Any:
        handle = self._capture.registry.current_handle()
        address = handle[1] if handle is not None and handle[0] == "glfw" else 0
        return ctypes.cast(address, self._real["glfwGetCurrentContext"].restype)  # type: ignore[attr-defined]

    def _swap_buffers(self, window: Any) -> None:
        address = _address(window)
        if not self._is_headless:
            self._real["glfwSwapBuffers"](window)
        record = self._windows.get(address)
        if record is not None:
            self._capture.registry.swap(("glfw", address), "glfwSwapBuffers")
            self._follow_size(address, record)

    def _follow_size(self, address: int, record: _Window) -> None:
        """The program may have resized the window; an off-screen surface cannot follow, it is made anew."""
        size = self._framebuffer_size(address)
        if size == record.size:
            return
        if self._is_headless:
            record.surface = self._capture.driver.replace_surface(record.context, record.surface, size)
        record.size = size
        self._capture.registry.resize(("glfw", address), *size)

    def _get_proc_address(self, name: bytes) -> int:
        if self._is_headless:
            return self._capture.resolver.get_proc(name.decode())
        real = self._real["glfwGetProcAddress"]
        return self._capture.resolver.get_proc(name.decode(), lambda: real(name) or 0)

    def _extension_supported(self, name: bytes) -> int:
        from traceformat.gles import enums as gl

        function = self._capture.resolver.function("glGetStringi")
        count = ctypes.c_int()
        self._capture.resolver.function("glGetIntegerv")(gl.GL_NUM_EXTENSIONS, ctypes.addressof(count))
        return int(any(ctypes.string_at(function(gl.GL_EXTENSIONS, i)) == name for i in range(count.value)))

    def _get_attribute(self, window: Any, attribute: int) -> int:
        record = self._windows.get(_address(window))
        if record is None:
            return int(self._real["glfwGetWindowAttrib"](window, attribute))
        requested = record.requested
        answers = {
            _CLIENT_API: _OPENGL_ES_API if requested.api == API_GLES else _OPENGL_API,
            _VERSION_MAJOR: requested.major,
            _VERSION_MINOR: requested.minor,
            _REVISION: 0,
            _PROFILE: {0: 0, 1: _CORE_PROFILE, 2: _COMPAT_PROFILE}[requested.profile],
            _CREATION_API: _EGL_CONTEXT_API,
        }
        if attribute in answers:
            return answers[attribute]
        return int(self._real["glfwGetWindowAttrib"](window, attribute))
