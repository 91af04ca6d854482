"""EGL 1.5 without any EGL library: displays, configs, contexts and surfaces that exist in this process only.

One display, some configs (with and without depth and stencil, with and without four samples, 565), contexts of
OpenGL ES and of desktop OpenGL, pbuffers of any size, and windows, as large as X11 says, or where the display is none
of X11's as Qt's screen, most often ``WINDOW_SIZE``. Errors are those of the specification; arguments are checked as far
as a program can tell.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from capture.windowsystem import x11
from capture.windowsystem.memory import read_attributes, write_integers, write_pointers
from traceformat.gles import egl_enums as egl
from traceformat.gles.entry_points import COMMANDS

__all__ = ["CONFIGS", "DISPLAY", "NullEgl"]

#: Size of a window surface in pixels.
WINDOW_SIZE: Final = (800, 600)

_DEVICE: Final = 1

_ALL_APIS: Final = egl.OPENGL_ES_BIT | egl.OPENGL_ES2_BIT | egl.OPENGL_ES3_BIT | egl.OPENGL_BIT
_STRINGS: Final = {
    egl.VENDOR: b"gpureplay",
    egl.VERSION: b"1.5 gpureplay null driver",
    egl.CLIENT_APIS: b"OpenGL OpenGL_ES",
    egl.EXTENSIONS: (
        b"EGL_KHR_create_context EGL_KHR_surfaceless_context EGL_KHR_no_config_context EGL_KHR_get_all_proc_addresses"
    ),
}
_CLIENT_EXTENSIONS: Final = (
    b"EGL_EXT_client_extensions EGL_EXT_platform_base EGL_KHR_client_get_all_proc_addresses"
    b" EGL_EXT_device_base EGL_EXT_device_enumeration EGL_EXT_device_query EGL_EXT_platform_device"
    b" EGL_EXT_platform_x11 EGL_KHR_platform_x11 EGL_MESA_platform_surfaceless"
)
#: The one display.
DISPLAY: Final = 1


def _make_config(
    number: int, color: tuple[int, int, int, int], depth: int, stencil: int, samples: int
) -> dict[int, int]:
    red, green, blue, alpha = color
    return {
        egl.BUFFER_SIZE: sum(color),
        egl.RED_SIZE: red,
        egl.GREEN_SIZE: green,
        egl.BLUE_SIZE: blue,
        egl.ALPHA_SIZE: alpha,
        egl.DEPTH_SIZE: depth,
        egl.STENCIL_SIZE: stencil,
        egl.SAMPLES: samples,
        egl.SAMPLE_BUFFERS: int(samples > 0),
        egl.CONFIG_ID: number,
        egl.CONFIG_CAVEAT: egl.NONE,
        egl.LEVEL: 0,
        egl.LUMINANCE_SIZE: 0,
        egl.ALPHA_MASK_SIZE: 0,
        egl.COLOR_BUFFER_TYPE: egl.RGB_BUFFER,
        egl.SURFACE_TYPE: egl.PBUFFER_BIT | egl.WINDOW_BIT,
        egl.RENDERABLE_TYPE: _ALL_APIS,
        egl.CONFORMANT: _ALL_APIS,
        egl.NATIVE_RENDERABLE: 0,
        egl.NATIVE_VISUAL_ID: 0,
        egl.NATIVE_VISUAL_TYPE: egl.NONE,
        egl.TRANSPARENT_TYPE: egl.NONE,
        egl.BIND_TO_TEXTURE_RGB: 0,
        egl.BIND_TO_TEXTURE_RGBA: 0,
        egl.MIN_SWAP_INTERVAL: 0,
        egl.MAX_SWAP_INTERVAL: 1,
        egl.MAX_PBUFFER_WIDTH: 16384,
        egl.MAX_PBUFFER_HEIGHT: 16384,
        egl.MAX_PBUFFER_PIXELS: 16384 * 16384,
    }


#: In the order in which eglChooseConfig prefers them where colours don't decide: fewer samples, smaller buffers.
CONFIGS: Final = {
    number: _make_config(number, *what)
    for number, what in enumerate(
        [
            (color, depth, stencil, samples)
            for samples in (0, 4)
            for color in ((8, 8, 8, 8), (8, 8, 8, 0), (5, 6, 5, 0))
            for depth, stencil in ((0, 0), (16, 0), (24, 0), (24, 8))
        ],
        start=1,
    )
}
#: Attributes that must be equal; masks must contain; all others are minima.
_EXACT: Final = frozenset(
    {
        egl.CONFIG_CAVEAT,
        egl.CONFIG_ID,
        egl.LEVEL,
        egl.COLOR_BUFFER_TYPE,
        egl.NATIVE_RENDERABLE,
        egl.NATIVE_VISUAL_TYPE,
        egl.TRANSPARENT_TYPE,
        egl.BIND_TO_TEXTURE_RGB,
        egl.BIND_TO_TEXTURE_RGBA,
        egl.MAX_SWAP_INTERVAL,
        egl.MIN_SWAP_INTERVAL,
    }
)
_MASKS: Final = frozenset({egl.SURFACE_TYPE, egl.RENDERABLE_TYPE, egl.CONFORMANT})
_IGNORED: Final = frozenset(
    {
        egl.MATCH_NATIVE_PIXMAP,
        egl.MAX_PBUFFER_WIDTH,
        egl.MAX_PBUFFER_HEIGHT,
        egl.MAX_PBUFFER_PIXELS,
        egl.NATIVE_VISUAL_ID,
    }
)


@dataclass(slots=True)
class _Surface:
    width: int
    height: int
    config: int
    is_window: bool
    native: int = 0

    def attributes(self) -> dict[int, int]:
        """What can be asked of it."""
        return {
            egl.WIDTH: self.width,
            egl.HEIGHT: self.height,
            egl.CONFIG_ID: self.config,
            egl.RENDER_BUFFER: egl.BACK_BUFFER,
            egl.SWAP_BEHAVIOR: egl.BUFFER_DESTROYED,
            egl.LARGEST_PBUFFER: 0,
        }


@dataclass(slots=True)
class _Context:
    api: int
    version: int
    config: int

    def attributes(self) -> dict[int, int]:
        """What can be asked of it."""
        return {
            egl.CONFIG_ID: self.config,
            egl.CONTEXT_CLIENT_TYPE: self.api,
            egl.CONTEXT_MAJOR_VERSION: self.version,
            egl.RENDER_BUFFER: egl.BACK_BUFFER,
        }


class NullEgl:
    """The EGL entry points; call them by name with C values, as the functions of libEGL."""

    def __init__(self) -> None:
        self._local = threading.local()
        self._initialized = False
        self._next_handle = 0x1000
        self._surfaces: dict[int, _Surface] = {}
        self._contexts: dict[int, _Context] = {}
        self._strings = {name: ctypes.create_string_buffer(text) for name, text in _STRINGS.items()}
        self._nothing = ctypes.create_string_buffer(b"")
        self._x11_display = 0
        self._client_extensions = ctypes.create_string_buffer(_CLIENT_EXTENSIONS)

    def function(self, name: str) -> Callable[..., Any] | None:
        """Give an entry point by name; None for one that does not exist here."""
        if name in ("eglGetPlatformDisplay", "eglGetPlatformDisplayEXT"):
            return self._platform_display
        if name in ("eglCreatePlatformWindowSurface", "eglCreatePlatformWindowSurfaceEXT"):
            return self._platform_window
        if name in ("eglSwapBuffersWithDamageKHR", "eglSwapBuffersWithDamageEXT"):
            return lambda display, surface, rectangles, count: self.eglSwapBuffers(display, surface)
        if not name.startswith("egl") or name not in COMMANDS:
            return None
        function: Callable[..., Any] | None = getattr(self, name, None)
        if function is None and "egl" in COMMANDS[name].versions:
            # Every EGL library exports all of EGL: what is not done here fails when it is called.
            return lambda *arguments: self._fail(egl.BAD_PARAMETER)
        return function

    # -- displays ---------------------------------------------------------------------------------------------------

    def eglGetDisplay(self, native: int | None) -> int:
        """There is one display; what it is asked for by is X11's, where that is what the program has."""
        return self._platform_display(egl.PLATFORM_X11 if os.environ.get("DISPLAY") else 0, native, None)

    def _platform_display(self, platform: int, native: int | None, attributes: int | None) -> int:
        """Windows are those of X11 from here on, if this is a connection to it."""
        if platform == egl.PLATFORM_X11 and native and "WAYLAND_DISPLAY" not in os.environ:
            self._x11_display = native
        return DISPLAY

    def eglInitialize(self, display: int | None, major: int | None, minor: int | None) -> int:
        """Version 1.5."""
        if display != DISPLAY:
            return self._fail(egl.BAD_DISPLAY)
        self._initialized = True
        write_integers(major, 1)
        write_integers(minor, 5)
        return self._done()

    def eglTerminate(self, display: int | None) -> int:
        """Forget surfaces and contexts."""
        if display != DISPLAY:
            return self._fail(egl.BAD_DISPLAY)
        self._initialized = False
        self._surfaces.clear()
        self._contexts.clear()
        return self._done()

    def eglQueryString(self, display: int | None, name: int) -> int:
        """Vendor, version, extensions; client extensions without a display."""
        if not display and name == egl.EXTENSIONS:
            return ctypes.addressof(self._client_extensions)
        if display != DISPLAY:
            return self._fail(egl.BAD_DISPLAY)
        if name not in self._strings:
            return self._fail(egl.BAD_PARAMETER)
        self._done()
        return ctypes.addressof(self._strings[name])

    def eglQueryDevicesEXT(self, size: int, devices: int | None, count: int | None) -> int:
        """There is one device."""
        if not count or (devices and size <= 0):
            return self._fail(egl.BAD_PARAMETER)
        if devices:
            write_pointers(devices, _DEVICE)
        write_integers(count, 1)
        return self._done()

    def eglQueryDeviceStringEXT(self, device: int | None, name: int) -> int:
        """The device has no extensions, and nothing else to say."""
        return ctypes.addressof(self._nothing) if name == egl.EXTENSIONS else self._fail(egl.BAD_PARAMETER)

    def eglGetError(self) -> int:
        """The last error of this thread."""
        error = int(getattr(self._local, "error", egl.SUCCESS))
        self._local.error = egl.SUCCESS
        return error

    def eglGetProcAddress(self, name: int | None) -> int:
        """Nothing of our own: the hook in front of this one answers."""
        return 0

    # -- configs ----------------------------------------------------------------------------------------------------

    def eglGetConfigs(self, display: int | None, configs: int | None, size: int, count: int | None) -> int:
        """All configs."""
        return self._give_configs(list(CONFIGS), display, configs, size, count)

    def eglChooseConfig(
        self, display: int | None, attributes: int | None, configs: int | None, size: int, count: int | None
    ) -> int:
        """The configs that fit, best first: deeper requested colours, then fewer samples, then smaller buffers."""
        wanted = read_attributes(attributes, egl.NONE, ctypes.c_int)
        fitting = []
        for number, config in CONFIGS.items():
            for name, value in wanted.items():
                if name not in config and name not in _IGNORED:
                    return self._fail(egl.BAD_ATTRIBUTE)
                if value == egl.DONT_CARE or name in _IGNORED:
                    continue
                if name in _EXACT:
                    fits = config[name] == value
                elif name in _MASKS:
                    fits = config[name] & value == value
                else:
                    fits = config[name] >= value
                if not fits:
                    break
            else:
                fitting.append(number)
        colors = [
            name
            for name in (egl.RED_SIZE, egl.GREEN_SIZE, egl.BLUE_SIZE, egl.ALPHA_SIZE)
            if wanted.get(name, 0) not in (0, egl.DONT_CARE)
        ]
        fitting.sort(key=lambda number: -sum(CONFIGS[number][name] for name in colors))
        return self._give_configs(fitting, display, configs, size, count)

    def eglGetConfigAttrib(self, display: int | None, config: int | None, attribute: int, value: int | None) -> int:
        """One attribute of a config."""
        found = CONFIGS.get(config or 0)
        if found is None:
            return self._fail(egl.BAD_CONFIG)
        if attribute not in found:
            return self._fail(egl.BAD_ATTRIBUTE)
        has_visual = attribute == egl.NATIVE_VISUAL_ID and self._x11_display
        write_integers(value, x11.visual_number(self._x11_display) if has_visual else found[attribute])
        return self._done()

    # -- contexts ---------------------------------------------------------------------------------------------------

    def eglBindAPI(self, api: int) -> int:
        """Choose OpenGL ES or OpenGL for this thread's next contexts."""
        if api not in (egl.OPENGL_ES_API, egl.OPENGL_API):
            return self._fail(egl.BAD_PARAMETER)
        self._local.api = api
        return self._done()

    def eglQueryAPI(self) -> int:
        """The API that this thread bound."""
        return int(getattr(self._local, "api", egl.OPENGL_ES_API))

    def eglCreateContext(
        self, display: int | None, config: int | None, share: int | None, attributes: int | None
    ) -> int:
        """Make a context."""
        if not self._usable(display):
            return 0
        if config and config not in CONFIGS:
            return self._fail(egl.BAD_CONFIG)
        if share and share not in self._contexts:
            return self._fail(egl.BAD_CONTEXT)
        wanted = read_attributes(attributes, egl.NONE, ctypes.c_int)
        handle = self._new_handle()
        self._contexts[handle] = _Context(self.eglQueryAPI(), wanted.get(egl.CONTEXT_MAJOR_VERSION, 1), config or 0)
        self._done()
        return handle

    def _remove(self, table: dict[int, Any], handle: int | None, error: int) -> int:
        return self._fail(error) if table.pop(handle or 0, None) is None else self._done()

    def _query(self, found: _Context | _Surface | None, error: int, attribute: int, value: int | None) -> int:
        """Write the answer to a query of an attribute."""
        if found is None:
            return self._fail(error)
        answers = found.attributes()
        if attribute not in answers:
            return self._fail(egl.BAD_ATTRIBUTE)
        write_integers(value, answers[attribute])
        return self._done()

    def eglDestroyContext(self, display: int | None, context: int | None) -> int:
        """Destroy a context."""
        return self._remove(self._contexts, context, egl.BAD_CONTEXT)

    def eglQueryContext(self, display: int | None, context: int | None, attribute: int, value: int | None) -> int:
        """API, version and config of a context."""
        return self._query(self._contexts.get(context or 0), egl.BAD_CONTEXT, attribute, value)

    def eglMakeCurrent(self, display: int | None, draw: int | None, read: int | None, context: int | None) -> int:
        """Make a context current, with two surfaces or with none."""
        if not context:
            if draw or read:
                return self._fail(egl.BAD_MATCH)
            self._local.current = (0, 0, 0)
            return self._done()
        if context not in self._contexts:
            return self._fail(egl.BAD_CONTEXT)
        if bool(draw) != bool(read):
            return self._fail(egl.BAD_MATCH)
        if any(surface and surface not in self._surfaces for surface in (draw, read)):
            return self._fail(egl.BAD_SURFACE)
        self._local.current = (context, draw or 0, read or 0)
        return self._done()

    def eglGetCurrentContext(self) -> int:
        """The context that is current in this thread."""
        return self._current()[0]

    def eglGetCurrentSurface(self, which: int) -> int:
        """The surface that is current in this thread."""
        return self._current()[1 if which == egl.DRAW else 2]

    def eglGetCurrentDisplay(self) -> int:
        """The display, where a context is current."""
        return DISPLAY if self._current()[0] else 0

    def eglReleaseThread(self) -> int:
        """Nothing is current any more."""
        self._local.current = (0, 0, 0)
        self._local.api = egl.OPENGL_ES_API
        return self._done()

    def create(self, size: tuple[int, int] | None) -> tuple[int, int]:
        """Make a context, and a surface where a size is given, without asking for attributes.

        Returns
        -------
        handles of the context and of the surface (0 without one)
        """
        context = self._new_handle()
        self._contexts[context] = _Context(egl.OPENGL_API, 0, 0)
        surface = 0
        if size is not None:
            surface = self._new_handle()
            self._surfaces[surface] = _Surface(*size, 0, is_window=True)
        return context, surface

    def resize(self, surface: int, size: tuple[int, int]) -> None:
        """Give a surface another size, in pixels."""
        self._surfaces[surface].width, self._surfaces[surface].height = size

    # -- surfaces ---------------------------------------------------------------------------------------------------

    def eglCreateWindowSurface(
        self, display: int | None, config: int | None, window: int | None, attributes: int | None
    ) -> int:
        """A window of X11, or one as large as the screen."""
        handle = self._new_surface(display, config, *_screen_size(), is_window=True)
        if handle:
            self._surfaces[handle].native = window or 0
        return handle

    def _platform_window(
        self, display: int | None, config: int | None, window: int | None, attributes: int | None
    ) -> int:
        """The same, where the number of a window of X11 lies behind a pointer."""
        if window and self._x11_display:
            window = ctypes.c_ulong.from_address(window).value
        return self.eglCreateWindowSurface(display, config, window, attributes)

    def eglCreatePbufferSurface(self, display: int | None, config: int | None, attributes: int | None) -> int:
        """An off-screen surface of the size asked for."""
        wanted = read_attributes(attributes, egl.NONE, ctypes.c_int)
        width, height = wanted.get(egl.WIDTH, 0), wanted.get(egl.HEIGHT, 0)
        if width < 0 or height < 0:
            return self._fail(egl.BAD_PARAMETER)
        return self._new_surface(display, config, width, height, is_window=False)

    def eglDestroySurface(self, display: int | None, surface: int | None) -> int:
        """Destroy a surface."""
        return self._remove(self._surfaces, surface, egl.BAD_SURFACE)

    def eglQuerySurface(self, display: int | None, surface: int | None, attribute: int, value: int | None) -> int:
        """Size and properties of a surface."""
        found = self._surfaces.get(surface or 0)
        if found is not None and found.native and self._x11_display and attribute in (egl.WIDTH, egl.HEIGHT):
            found.width, found.height = x11.size_of(self._x11_display, found.native)
        return self._query(found, egl.BAD_SURFACE, attribute, value)

    def eglSurfaceAttrib(self, display: int | None, surface: int | None, attribute: int, value: int) -> int:
        """Accepted: no attribute of a surface matters here."""
        return self._done() if surface in self._surfaces else self._fail(egl.BAD_SURFACE)

    def eglSwapBuffers(self, display: int | None, surface: int | None) -> int:
        """Nothing to show."""
        return self._done() if surface in self._surfaces else self._fail(egl.BAD_SURFACE)

    def eglSwapInterval(self, display: int | None, interval: int) -> int:
        """Accepted: nothing waits."""
        return self._done()

    def eglWaitGL(self) -> int:
        """Everything is done already."""
        return self._done()

    def eglWaitClient(self) -> int:
        """Everything is done already."""
        return self._done()

    def eglWaitNative(self, engine: int) -> int:
        """Everything is done already."""
        return self._done()

    # -- helpers ----------------------------------------------------------------------------------------------------

    def _current(self) -> tuple[int, int, int]:
        current: tuple[int, int, int] = getattr(self._local, "current", (0, 0, 0))
        return current

    def _new_handle(self) -> int:
        self._next_handle += 0x10
        return self._next_handle

    def _new_surface(self, display: int | None, config: int | None, width: int, height: int, *, is_window: bool) -> int:
        if not self._usable(display):
            return 0
        if config not in CONFIGS:
            return self._fail(egl.BAD_CONFIG)
        handle = self._new_handle()
        self._surfaces[handle] = _Surface(width, height, config, is_window)
        self._done()
        return handle

    def _usable(self, display: int | None) -> bool:
        if display != DISPLAY:
            self._fail(egl.BAD_DISPLAY)
            return False
        if not self._initialized:
            self._fail(egl.NOT_INITIALIZED)
            return False
        return True

    def _give_configs(
        self, numbers: list[int], display: int | None, configs: int | None, size: int, count: int | None
    ) -> int:
        if not self._usable(display):
            return 0
        if not count:
            return self._fail(egl.BAD_PARAMETER)
        if configs:
            numbers = numbers[: max(size, 0)]
            write_pointers(configs, *numbers)
        write_integers(count, len(numbers))
        return self._done()

    def _fail(self, error: int) -> int:
        self._local.error = error
        return 0

    def _done(self) -> int:
        self._local.error = egl.SUCCESS
        return 1


def _screen_size() -> tuple[int, int]:
    """Size of the screen that Qt has been told of, which its windows without a window system fill."""
    told = [os.environ.get(f"QT_QPA_EGLFS_{side}", "") for side in ("WIDTH", "HEIGHT")]
    width, height = (int(size) if size.isdecimal() else 0 for size in told)
    return (width, height) if width and height else WINDOW_SIZE
