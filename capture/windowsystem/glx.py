"""GLX: what of it makes contexts, drawables and swaps is noted; everything else goes through untouched."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from capture.context_records import API_GL, API_GLES, WINDOW, ContextAttributes
from capture.trampoline import CFunction
from capture.windowsystem.memory import read_attributes, read_string
from traceformat.gles import glx_enums as glx

if TYPE_CHECKING:
    from capture.contexts import ContextRegistry
    from capture.windowsystem.functions import Functions

__all__ = ["GlxHooks"]

_CONFIG_BITS: Final = {
    "red": glx.RED_SIZE,
    "green": glx.GREEN_SIZE,
    "blue": glx.BLUE_SIZE,
    "alpha": glx.ALPHA_SIZE,
    "depth": glx.DEPTH_SIZE,
    "stencil": glx.STENCIL_SIZE,
    "samples": glx.SAMPLES,
}


class GlxHooks:
    """Hooks of the GLX entry points that matter; each is called as ``hook(real, *C values)``.

    Parameters
    ----------
    registry : who is told
    functions : give the addresses that glXGetProcAddress answers, and the other GLX functions
    """

    def __init__(self, registry: ContextRegistry, functions: Functions) -> None:
        self._registry = registry
        self._functions = functions

    def table(self) -> dict[str, Callable[..., object]]:
        """The hooks by entry point."""
        return {
            "glXGetProcAddress": self.get_proc_address,
            "glXGetProcAddressARB": self.get_proc_address,
            "glXCreateContext": self.create_context,
            "glXCreateNewContext": self.create_new_context,
            "glXCreateContextAttribsARB": self.create_context_attribs,
            "glXDestroyContext": self.destroy_context,
            "glXMakeCurrent": self.make_current,
            "glXMakeContextCurrent": self.make_context_current,
            "glXSwapBuffers": self.swap_buffers,
        }

    def get_proc_address(self, real: CFunction, name: int | None) -> int:
        """Answer with a trampoline where there is one."""
        return self._functions.get_proc(read_string(name), lambda: real(name) or 0)

    def create_context(
        self, real: CFunction, display: int | None, visual: int | None, share: int | None, direct: int
    ) -> int | None:
        """Note an old-style context."""
        return self._created(real(display, visual, share, direct), share, ContextAttributes(API_GL, 2, 1, 2))

    def create_new_context(
        self, real: CFunction, display: int | None, config: int | None, kind: int, share: int | None, direct: int
    ) -> int | None:
        """Note a GLX 1.3 context."""
        request = ContextAttributes(API_GL, 2, 1, 2, **self._config_bits(display, config))
        return self._created(real(display, config, kind, share, direct), share, request)

    def create_context_attribs(
        self,
        real: CFunction,
        display: int | None,
        config: int | None,
        share: int | None,
        direct: int,
        attributes: int | None,
    ) -> int | None:
        """Note a context of a version and profile."""
        context: int | None = real(display, config, share, direct, attributes)
        wanted = read_attributes(attributes, 0, ctypes.c_int)
        mask = wanted.get(glx.CONTEXT_PROFILE_MASK, glx.CONTEXT_CORE_PROFILE_BIT)
        version = wanted.get(glx.CONTEXT_MAJOR_VERSION, 1), wanted.get(glx.CONTEXT_MINOR_VERSION, 0)
        bits = self._config_bits(display, config)
        if mask & glx.CONTEXT_ES_PROFILE_BIT:
            request = ContextAttributes(API_GLES, *version, **bits)
        else:
            profile = 0 if version < (3, 2) else 1 if mask & glx.CONTEXT_CORE_PROFILE_BIT else 2
            request = ContextAttributes(API_GL, *version, profile, **bits)
        return self._created(context, share, request)

    def destroy_context(self, real: CFunction, display: int | None, context: int | None) -> None:
        """Note the end of a context."""
        real(display, context)
        self._registry.destroy_context(("glx", context or 0))

    def make_current(self, real: CFunction, display: int | None, drawable: int, context: int | None) -> int:
        """Note what became current."""
        result: int = real(display, drawable, context)
        if result:
            self.note_current(display, drawable, drawable, context)
        return result

    def make_context_current(
        self, real: CFunction, display: int | None, draw: int, read: int, context: int | None
    ) -> int:
        """Note what became current."""
        result: int = real(display, draw, read, context)
        if result:
            self.note_current(display, draw, read, context)
        return result

    def swap_buffers(self, real: CFunction, display: int | None, drawable: int) -> None:
        """Note the end of a frame, and the size of the next one."""
        real(display, drawable)
        self._registry.swap(("glx", drawable), "glXSwapBuffers")
        self._registry.resize(("glx", drawable), *self._size(display, drawable))

    def _created(self, context: int | None, share: int | None, request: ContextAttributes) -> int | None:
        if context:
            self._registry.create_context(("glx", context), request, ("glx", share) if share else None)
        return context

    def note_current(self, display: int | None, draw: int, read: int, context: int | None) -> None:
        """Note what is current in this thread."""
        if not context:
            self._registry.make_current(None)
            return
        for drawable in (draw, read):
            if drawable and not self._registry.knows_drawable(("glx", drawable)):
                self._registry.create_drawable(("glx", drawable), *self._size(display, drawable), WINDOW)
        self._registry.make_current(("glx", context), ("glx", draw), ("glx", read))
        self._registry.resize(("glx", draw), *self._size(display, draw))

    def _config_bits(self, display: int | None, config: int | None) -> dict[str, int]:
        query, value, bits = self._functions.window_function("glXGetFBConfigAttrib"), ctypes.c_int(), {}
        for name, attribute in _CONFIG_BITS.items() if config else ():
            query(display, config, attribute, ctypes.addressof(value))
            bits[name] = value.value
        return bits

    def _size(self, display: int | None, drawable: int) -> tuple[int, int]:
        query = self._functions.window_function("glXQueryDrawable")
        value = ctypes.c_uint()
        size = []
        for attribute in (glx.WIDTH, glx.HEIGHT):
            query(display, drawable, attribute, ctypes.addressof(value))
            size.append(value.value)
        return size[0], size[1]
