"""glcontext, which makes moderngl's contexts: its C code looks functions up where ctypes cannot see it.

moderngl asks ``glcontext.default_backend()`` or ``get_backend_by_name(name)`` for a function that makes a context, and
that context for 669 function pointers. Both functions are replaced: under the system's GL the context is a proxy that
answers with trampolines, under the null driver it is one of the driver's own. Where there is no display, the default
backend (X11) cannot work, and EGL stands in for it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any

from capture.context_records import API_GL, SURFACELESS, ContextAttributes

if TYPE_CHECKING:
    from capture.adapters.base import Capture
    from capture.context_records import Handle

__all__ = ["GlcontextAdapter"]


def _requested(options: dict[str, Any]) -> ContextAttributes:
    version = int(os.environ.get("GLCONTEXT_GLVERSION") or options.get("glversion") or 330)
    major, minor = version // 100, version // 10 % 10
    profile = 1 if version >= 320 else 2
    # There is no surface, and so no default framebuffer.
    return ContextAttributes(API_GL, major, minor, profile, red=0, green=0, blue=0, alpha=0, depth=0, stencil=0)


class GlcontextAdapter:
    """Wraps the functions that give backends.

    Parameters
    ----------
    capture : driver, resolver and registry
    """

    module = "glcontext"

    def __init__(self, capture: Capture) -> None:
        self._capture = capture

    def before(self) -> None:
        """Nothing has to be there before."""

    def after(self, module: ModuleType) -> None:
        """Replace ``default_backend`` and ``get_backend_by_name``."""
        default_backend: Callable[[], Any] = module.default_backend
        get_backend_by_name: Callable[[str], Any] = module.get_backend_by_name
        is_null = self._capture.driver.name == "null"

        def replaced_default() -> Any:
            if is_null:
                return self._create_null
            if not os.environ.get("DISPLAY"):
                return self._wrap(get_backend_by_name("egl"))
            return self._wrap(default_backend())

        def replaced_by_name(name: str) -> Any:
            if is_null and name in ("egl", "x11"):
                return self._create_null
            return self._wrap(get_backend_by_name(name))

        module.default_backend = replaced_default  # type: ignore[attr-defined]
        module.get_backend_by_name = replaced_by_name  # type: ignore[attr-defined]

    def _wrap(self, backend: Callable[..., Any]) -> Callable[..., Any]:
        def create(*arguments: Any, **options: Any) -> _SystemContext:
            context = backend(*arguments, **options)
            self._capture.current.note(_requested(options))
            return _SystemContext(self._capture, context)

        return create

    def _create_null(self, *arguments: Any, **options: Any) -> _NullContext:
        mode = options.get("mode", "detect")
        if mode == "detect":
            if self._capture.registry.current_handle() is None:
                raise RuntimeError("(detect) glXGetCurrentContext: cannot detect OpenGL context")
            return _NullContext(self._capture, None)
        share = self._capture.registry.current_handle() if mode == "share" else None
        return _NullContext(self._capture, _requested(options), share)


class _Context:
    """What moderngl expects of a context object."""

    def __init__(self, capture: Capture) -> None:
        self._capture = capture

    def load_opengl_function(self, name: str) -> int:
        """Address of a function, 0 for one that does not exist."""
        return self._capture.resolver.get_proc(name)

    #: Older name of the same.
    load = load_opengl_function


class _SystemContext(_Context):
    """A context of glcontext, with trampolines for functions."""

    def __init__(self, capture: Capture, context: Any) -> None:
        super().__init__(capture)
        self._context = context
        self._handle = capture.registry.current_handle()

    def load_opengl_function(self, name: str) -> int:
        """Address of a function, 0 for one that does not exist."""
        return self._capture.resolver.get_proc(name, lambda: self._context.load_opengl_function(name))

    load = load_opengl_function

    def __enter__(self) -> _SystemContext:
        self._context.__enter__()
        self._capture.current.note()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._context.__exit__(kind, error, trace)
        self._capture.current.note()

    def release(self) -> None:
        """Destroy the context."""
        # What it does of EGL is told here, in the order that the null driver's contexts have, too.
        self._capture.recorder.threads.unrecorded(self._context.release)()
        if self._handle is not None:
            if self._capture.registry.current_handle() == self._handle:
                self._capture.registry.make_current(None)
            self._capture.registry.destroy_context(self._handle)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)


class _NullContext(_Context):
    """A context of the null driver without a surface; or, where nothing is requested, the one that is current."""

    def __init__(self, capture: Capture, requested: ContextAttributes | None, share: Handle | None = None) -> None:
        super().__init__(capture)
        self._context = 0
        self._before: list[tuple[Handle | None, Handle | None, Handle | None]] = []
        if requested is None:
            self._handle = capture.registry.current_handle()
            self._drawable = capture.registry.thread().draw
            return
        self._context, _ = capture.driver.create_context(requested, 0, None)
        self._handle = ("egl", self._context)
        self._drawable = ("egl surfaceless", self._context)
        capture.registry.create_context(self._handle, requested, share)
        capture.registry.create_drawable(self._drawable, 0, 0, SURFACELESS)
        self._make_current()

    def _make_current(self) -> None:
        if self._context:
            self._capture.driver.make_current(self._context, 0)
        self._capture.registry.make_current(self._handle, self._drawable, self._drawable)

    def __enter__(self) -> _NullContext:
        state = self._capture.registry.thread()
        self._before.append((state.handle, state.draw, state.read))
        self._make_current()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        handle, draw, read = self._before.pop()
        if handle is None or handle[0] == "egl":
            has_surface = draw is not None and draw[0] == "egl"
            self._capture.driver.make_current(handle[1] if handle else 0, draw[1] if draw and has_surface else 0)
        self._capture.registry.make_current(handle, draw, read)

    def release(self) -> None:
        """Destroy the context."""
        if not self._context:
            return
        if self._capture.registry.current_handle() == self._handle:
            self._capture.driver.make_current(0, 0)
            self._capture.registry.make_current(None)
        self._capture.driver.destroy_context(self._context, 0)
        if self._handle is not None:
            self._capture.registry.destroy_context(self._handle)
        self._context = 0
