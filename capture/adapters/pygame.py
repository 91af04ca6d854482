"""pygame: SDL makes contexts and swaps buffers in C, where no hook sees it; ``pygame.display`` says when.

With a display and the system's GL, SDL does everything itself: its context is found when it is first used, and
``flip`` tells the swaps. Otherwise SDL runs on its off-screen video driver where the calls of native code are seen, or
else on its dummy one, whose windows have no contexts: the context is the driver's own.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from capture.adapters.windowless import SDL_DRIVERS
from capture.context_records import API_GL, API_GLES, WINDOW, ContextAttributes

if TYPE_CHECKING:
    from capture.adapters.base import Capture
    from capture.context_records import Handle

__all__ = ["PygameAdapter"]

_OPENGL: Final = 2
_DOUBLEBUF: Final = 0x40000000
_ORIGIN: Final = "SDL_GL_SwapWindow"
# SDL_GLattr, which pygame's GL_* constants are.
_BITS: Final = {"red": 0, "green": 1, "blue": 2, "alpha": 3, "depth": 6, "stencil": 7}
_SAMPLES: Final = 14
_MAJOR: Final = 17
_MINOR: Final = 18
_PROFILE: Final = 21
_CORE: Final = 1
_ES: Final = 4
_DEFAULT_SIZE: Final = (640, 480)


class PygameAdapter:
    """Watches ``pygame.display``, or gives its window a context.

    Parameters
    ----------
    capture : driver, registry and what is current
    """

    module = "pygame.display"

    def __init__(self, capture: Capture) -> None:
        self._capture = capture
        self._is_headless = capture.is_headless
        self._attributes: dict[int, int] = {}
        self._real: dict[str, Callable[..., Any]] = {}
        self._handle: Handle | None = None
        self._surface = 0

    def before(self) -> None:
        """Let SDL open windows without a display."""
        if self._is_headless:
            os.environ["SDL_VIDEODRIVER"] = SDL_DRIVERS if self._capture.sees_native else "dummy"

    def after(self, module: ModuleType) -> None:
        """Replace the functions that concern contexts."""
        replaced: dict[str, Callable[..., Any]] = {"flip": self._flip, "set_mode": self._set_mode}
        if self._is_headless:
            replaced |= {
                "quit": self._quit,
                "gl_set_attribute": self._set_attribute,
                "gl_get_attribute": self._get_attribute,
            }
        for name, function in replaced.items():
            self._real[name] = getattr(module, name)
            setattr(module, name, function)
        self._real["get_driver"] = module.get_driver

    def _flip(self) -> None:
        registry = self._capture.registry
        if self._handle is not None:
            registry.swap(self._handle, _ORIGIN)
            return
        if self._capture.sees_native:
            self._real["flip"]()
            return
        self._capture.recorder.threads.unrecorded(self._real["flip"])()
        if not self._is_headless and self._capture.current.handle() is not None:
            self._capture.current.note()
            registry.swap(registry.thread().draw, _ORIGIN)

    def _set_attribute(self, attribute: int, value: int) -> None:
        self._attributes[attribute] = value
        self._real["gl_set_attribute"](attribute, value)

    def _get_attribute(self, attribute: int) -> int:
        if self._handle is None:
            return int(self._real["gl_get_attribute"](attribute))
        return self._attributes.get(attribute, 0)

    def _requested(self) -> ContextAttributes:
        wanted = self._attributes
        bits = {name: wanted.get(number, 24 if name == "depth" else 8) for name, number in _BITS.items()}
        bits["samples"] = wanted.get(_SAMPLES, 0)
        version = wanted.get(_MAJOR, 2), wanted.get(_MINOR, 1 if _MAJOR not in wanted else 0)
        if wanted.get(_PROFILE, 0) == _ES:
            return ContextAttributes(API_GLES, *version, 0, **bits)
        profile = 1 if version >= (3, 2) and wanted.get(_PROFILE, 0) == _CORE else 2
        return ContextAttributes(API_GL, *version, profile, **bits)

    def _set_mode(self, size: tuple[int, int] = (0, 0), flags: int = 0, *arguments: Any, **options: Any) -> Any:
        if not flags & _OPENGL or not self._is_headless or self._real["get_driver"]() != "dummy":
            # A new window is swapped once, to be black: that is no frame of the program.
            state = self._capture.registry.thread()
            state.is_opening = True
            try:
                return self._real["set_mode"](size, flags, *arguments, **options)
            finally:
                state.is_opening = False
        options.pop("vsync", None)
        chosen = (int(size[0]), int(size[1])) if all(size) else _DEFAULT_SIZE
        window = self._real["set_mode"](chosen, flags & ~(_OPENGL | _DOUBLEBUF), *arguments, **options)
        registry, driver = self._capture.registry, self._capture.driver
        if self._handle is not None:
            # A mode set again keeps the context, as SDL 2 does where it can.
            self._surface = driver.replace_surface(self._handle[1], self._surface, chosen)
            registry.resize(self._handle, *chosen)
            return window
        requested = self._requested()
        context, self._surface = driver.create_context(requested, 0, chosen)
        self._handle = ("sdl", context)
        registry.create_context(self._handle, requested, None)
        registry.create_drawable(self._handle, *chosen, WINDOW)
        driver.make_current(context, self._surface)
        registry.make_current(self._handle, self._handle, self._handle)
        # moderngl and PyOpenGL ask EGL for the context, not SDL.
        self._capture.current.name_again(self._handle)
        return window

    def _quit(self) -> None:
        if self._handle is not None:
            registry, driver = self._capture.registry, self._capture.driver
            if registry.current_handle() == self._handle:
                driver.make_current(0, 0)
                registry.make_current(None)
            registry.destroy_context(self._handle)
            registry.destroy_drawable(self._handle)
            driver.destroy_context(self._handle[1], self._surface)
            self._handle = None
        self._real["quit"]()
