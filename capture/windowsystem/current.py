"""What is current, asked of EGL and GLX themselves: for contexts that C code made where no hook could see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from capture.context_records import API_GL, ContextAttributes
from traceformat.gles import egl_enums as egl

if TYPE_CHECKING:
    from capture.context_records import Handle
    from capture.contexts import ContextRegistry
    from capture.windowsystem.egl import EglHooks
    from capture.windowsystem.functions import Functions
    from capture.windowsystem.glx import GlxHooks

__all__ = ["CurrentContext"]

_SYSTEMS: Final = (("egl", "eglGetCurrentContext"), ("glx", "glXGetCurrentContext"))


class CurrentContext:
    """Looks at the calling thread's context.

    Parameters
    ----------
    registry : who is told
    functions : of the window systems
    egl_hooks, glx_hooks : are told which drawables are current
    """

    def __init__(
        self, registry: ContextRegistry, functions: Functions, egl_hooks: EglHooks, glx_hooks: GlxHooks
    ) -> None:
        self._registry = registry
        self._functions = functions
        self._egl = egl_hooks
        self._glx = glx_hooks

    def handle(self) -> Handle | None:
        """Handle of the context that EGL or GLX says is current."""
        for system, function in _SYSTEMS:
            context = self._functions.window_function(function)()
            if context:
                return (system, context)
        return None

    def name_again(self, known: Handle) -> None:
        """Note what EGL or GLX calls a context that a window library has just made current."""
        handle = self.handle()
        if handle is not None:
            self._registry.alias(handle, known)

    def note(self, requested: ContextAttributes | None = None) -> None:
        """Tell the registry what is current, if it does not know.

        Parameters
        ----------
        requested : what the program asked for, if that is known
        """
        handle = self.handle()
        if handle is None:
            self._registry.make_current(None)
            return
        if self._registry.is_current(handle):
            return
        if not self._registry.knows_context(handle):
            self._registry.create_context(handle, requested or ContextAttributes(API_GL))
        call = self._functions.window_function
        system, context = handle
        if system == "egl":
            draw, read = (call("eglGetCurrentSurface")(which) for which in (egl.DRAW, egl.READ))
            self._egl.note_current(call("eglGetCurrentDisplay")(), draw, read, context)
        else:
            draw, read = call("glXGetCurrentDrawable")(), call("glXGetCurrentReadDrawable")()
            self._glx.note_current(call("glXGetCurrentDisplay")(), draw, read, context)
