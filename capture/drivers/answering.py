"""The null driver as a whole platform: the tracker answers GL, a table in this process EGL; there is no library."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from capture.context_records import API_GL, ContextAttributes
from capture.drivers.device import Device
from capture.windowsystem.null_egl import DISPLAY, NullEgl
from capture.windowsystem.null_glx import NullGlx

if TYPE_CHECKING:
    from capture.drivers.base import Aside, ReadSource
    from capture.trampoline import CFunction
    from traceformat.calls import Call

__all__ = ["NullPlatform"]

#: Versions of who asks for no newer one.
GLES_VERSION: Final = (3, 0)
GL_VERSION: Final = (3, 3)
_NEWEST_GLES: Final = (3, 2)
_NEWEST_GL: Final = (4, 6)
#: What Mesa gives to who asks for no version, or for one that knows no profiles.
_COMPATIBILITY: Final = (4, 5)
_FIRST_WITH_PROFILES: Final = (3, 2)


class NullPlatform:
    """Answers calls without any GL library.

    Parameters
    ----------
    device : strings and limits; None for the usual ones
    """

    name = "null"

    def __init__(self, device: Device | None = None) -> None:
        # Shaders are compiled by the replay's front end. It is needed for sure, and is cheaper to import before the
        # program runs than behind its back.
        import replay.reflect  # noqa: F401
        from capture.drivers.null import NullDriver

        self._limits = device or Device()
        self._driver = NullDriver(gles_limits=self._limits.gles, desktop_limits=self._limits.desktop)
        self._egl = NullEgl()
        self._glx = NullGlx(self._egl.eglGetCurrentContext)

    def prepare(self, aside: Aside, reads: ReadSource | None) -> None:
        """Get ready for a program, before it makes its first call.

        Parameters
        ----------
        aside : keeps the program's modules out of the way while ours run
        reads : lets the replay engine answer what depends on pixels; None leaves that zero
        """
        from capture.drivers.null import NullDriver
        from replay.reflect import ReflectingBackend

        gles, desktop = self._limits
        readback = None
        if reads is not None:
            from capture.drivers.readback import Readback

            readback = Readback(*reads, aside, gles, desktop)
        self._driver = NullDriver(ReflectingBackend(aside), readback, gles_limits=gles, desktop_limits=desktop)

    def window_function(self, name: str) -> CFunction | None:
        """Give an EGL or GLX function."""
        return self._egl.function(name) or self._glx.function(name)

    def address(self, name: str) -> int:
        """There is no library."""
        return 0

    def describe_context(self, requested: ContextAttributes) -> ContextAttributes:
        """A context of the version that is asked for, if the null driver has it, and no older one than usual.

        As drivers do: who asks for less than 3.2 gets the newest compatibility profile.
        """
        asked = requested.major, requested.minor
        if requested.api == API_GL:
            if asked < _FIRST_WITH_PROFILES:
                asked = _COMPATIBILITY
            major, minor = max(GL_VERSION, min(asked, _NEWEST_GL))
            return replace(requested, major=major, minor=minor, profile=requested.profile or 2)
        major, minor = max(GLES_VERSION, min(asked, _NEWEST_GLES))
        return replace(requested, major=major, minor=minor, profile=0)

    def create_context(self, requested: ContextAttributes, share: int, size: tuple[int, int] | None) -> tuple[int, int]:
        """Create a context without a display; see :class:`~capture.drivers.Driver`."""
        return self._egl.create(size)

    def replace_surface(self, context: int, surface: int, size: tuple[int, int]) -> int:
        """Give a context of ``create_context`` a surface of another size."""
        self._egl.resize(surface, size)
        return surface

    def make_current(self, context: int, surface: int) -> bool:
        """Make a context of ``create_context`` current in this thread; 0 releases."""
        return bool(self._egl.eglMakeCurrent(DISPLAY, surface, surface, context))

    def destroy_context(self, context: int, surface: int) -> None:
        """Destroy a context of ``create_context``, and its surface."""
        self._egl.eglDestroySurface(DISPLAY, surface)
        self._egl.eglDestroyContext(DISPLAY, context)

    def execute(self, call: Call) -> None:
        """Execute a call: fills its outputs and its result."""
        self._driver.execute(call)

    def close(self) -> None:
        """Nothing is open."""
        self._driver.close()
