"""EGL: what of it makes contexts, drawables and swaps is noted; everything else goes through untouched.

The hooks stand in front of the real libEGL or of :class:`~capture.windowsystem.null_egl.NullEgl`: they do not care.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from capture.context_records import API_GL, API_GLES, PBUFFER, SURFACELESS, WINDOW, ContextAttributes
from capture.trampoline import CFunction
from capture.windowsystem.memory import read_attributes, read_string
from traceformat.gles import egl_enums as egl

if TYPE_CHECKING:
    from capture.contexts import ContextRegistry
    from capture.windowsystem.functions import Functions

__all__ = ["EglHooks", "request_from_attributes"]

_CONFIG_BITS: Final = {
    "red": egl.RED_SIZE,
    "green": egl.GREEN_SIZE,
    "blue": egl.BLUE_SIZE,
    "alpha": egl.ALPHA_SIZE,
    "depth": egl.DEPTH_SIZE,
    "stencil": egl.STENCIL_SIZE,
    "samples": egl.SAMPLES,
}


def request_from_attributes(api: int, attributes: dict[int, int], bits: dict[str, int]) -> ContextAttributes:
    """What an eglCreateContext asks for.

    Parameters
    ----------
    api : EGL_OPENGL_API or EGL_OPENGL_ES_API, as bound in the thread
    attributes : of the context
    bits : of the config, by the fields of ContextAttributes
    """
    is_gl = api == egl.OPENGL_API
    major = attributes.get(egl.CONTEXT_MAJOR_VERSION, 1)
    minor = attributes.get(egl.CONTEXT_MINOR_VERSION, 0)
    profile = 0
    if is_gl and (major, minor) >= (3, 2):
        mask = attributes.get(egl.CONTEXT_OPENGL_PROFILE_MASK, egl.CONTEXT_OPENGL_CORE_PROFILE_BIT)
        profile = 1 if mask & egl.CONTEXT_OPENGL_CORE_PROFILE_BIT else 2
    return ContextAttributes(API_GL if is_gl else API_GLES, major, minor, profile, **bits)


class EglHooks:
    """Hooks of the EGL entry points that matter; each is called as ``hook(real, *C values)``.

    Parameters
    ----------
    registry : who is told
    functions : give the addresses that eglGetProcAddress answers, and the other EGL functions
    """

    def __init__(self, registry: ContextRegistry, functions: Functions) -> None:
        self._registry = registry
        self._functions = functions

    def table(self) -> dict[str, Callable[..., object]]:
        """The hooks by entry point."""
        swaps = ("eglSwapBuffersWithDamageKHR", "eglSwapBuffersWithDamageEXT")
        return {
            "eglGetProcAddress": self.get_proc_address,
            "eglCreateContext": self.create_context,
            "eglDestroyContext": self.destroy_context,
            "eglCreateWindowSurface": self.create_window,
            "eglCreatePlatformWindowSurface": self.create_window,
            "eglCreatePlatformWindowSurfaceEXT": self.create_window,
            "eglCreatePbufferSurface": self.create_pbuffer,
            "eglDestroySurface": self.destroy_surface,
            "eglMakeCurrent": self.make_current,
            "eglReleaseThread": self.release_thread,
            "eglSwapBuffers": lambda real, display, surface: self.swap("eglSwapBuffers", real, display, surface),
            **{name: self._damage_swap(name) for name in swaps},
        }

    def get_proc_address(self, real: CFunction, name: int | None) -> int:
        """Answer with a trampoline where there is one."""
        return self._functions.get_proc(read_string(name), lambda: real(name) or 0)

    def create_context(
        self, real: CFunction, display: int | None, config: int | None, share: int | None, attributes: int | None
    ) -> int | None:
        """Note what was asked for."""
        context: int | None = real(display, config, share, attributes)
        if context:
            api = self._functions.window_function("eglQueryAPI")()
            wanted = read_attributes(attributes, egl.NONE, ctypes.c_int)
            request = request_from_attributes(api, wanted, self._config_bits(display, config))
            self._registry.create_context(("egl", context), request, ("egl", share) if share else None)
        return context

    def destroy_context(self, real: CFunction, display: int | None, context: int | None) -> int:
        """Note the end of a context."""
        result: int = real(display, context)
        if result and context:
            self._registry.destroy_context(("egl", context))
        return result

    def create_window(
        self, real: CFunction, display: int | None, config: int | None, window: int | None, attributes: int | None
    ) -> int | None:
        """Note a window surface."""
        return self._surface(real(display, config, window, attributes), display, WINDOW)

    def create_pbuffer(
        self, real: CFunction, display: int | None, config: int | None, attributes: int | None
    ) -> int | None:
        """Note an off-screen surface."""
        return self._surface(real(display, config, attributes), display, PBUFFER)

    def destroy_surface(self, real: CFunction, display: int | None, surface: int | None) -> int:
        """Note the end of a surface."""
        result: int = real(display, surface)
        if result and surface:
            self._registry.destroy_drawable(("egl", surface))
        return result

    def make_current(
        self, real: CFunction, display: int | None, draw: int | None, read: int | None, context: int | None
    ) -> int:
        """Note what became current."""
        result: int = real(display, draw, read, context)
        if result:
            self.note_current(display, draw, read, context)
        return result

    def note_current(self, display: int | None, draw: int | None, read: int | None, context: int | None) -> None:
        """Note what is current in this thread."""
        if not context:
            self._registry.make_current(None)
            return
        if not draw:
            nothing = ("egl surfaceless", context)
            if not self._registry.knows_drawable(nothing):
                self._registry.create_drawable(nothing, 0, 0, SURFACELESS)
            self._registry.make_current(("egl", context), nothing, nothing)
            return
        for surface in (draw, read):
            if surface and not self._registry.knows_drawable(("egl", surface)):
                self._surface(surface, display, WINDOW)
        self._registry.make_current(("egl", context), ("egl", draw), ("egl", read or draw))
        self._registry.resize(("egl", draw), *self._size(display, draw))

    def release_thread(self, real: CFunction) -> int:
        """Note that nothing is current any more."""
        result: int = real()
        if result:
            self._registry.make_current(None)
        return result

    def swap(self, origin: str, real: CFunction, display: int | None, surface: int | None, *damage: object) -> int:
        """Note the end of a frame, and the size of the next one."""
        result: int = real(display, surface, *damage)
        if result and surface:
            self._registry.swap(("egl", surface), origin)
            self._registry.resize(("egl", surface), *self._size(display, surface))
        return result

    def _damage_swap(self, name: str) -> Callable[..., int]:
        return lambda real, display, surface, *damage: self.swap(name, real, display, surface, *damage)

    def _surface(self, surface: int | None, display: int | None, kind: int) -> int | None:
        if surface:
            self._registry.create_drawable(("egl", surface), *self._size(display, surface), kind)
        return surface

    def _size(self, display: int | None, surface: int) -> tuple[int, int]:
        query = self._functions.window_function("eglQuerySurface")
        value = ctypes.c_int()
        size = []
        for attribute in (egl.WIDTH, egl.HEIGHT):
            query(display, surface, attribute, ctypes.addressof(value))
            size.append(value.value)
        return size[0], size[1]

    def _config_bits(self, display: int | None, config: int | None) -> dict[str, int]:
        if not config:
            # No config, so no surface: there will be no default framebuffer.
            return dict.fromkeys(_CONFIG_BITS, 0)
        query = self._functions.window_function("eglGetConfigAttrib")
        bits = {}
        value = ctypes.c_int()
        for name, attribute in _CONFIG_BITS.items():
            query(display, config, attribute, ctypes.addressof(value))
            bits[name] = value.value
        return bits
