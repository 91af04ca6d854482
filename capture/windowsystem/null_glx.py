"""GLX 1.4 without any library of GL: for programs that make windows of X11 themselves.

The X server knows nothing of it: windows have its default visual, and contexts and pbuffers exist in this process
only. Nothing is shown. The configurations are those of :mod:`~capture.windowsystem.null_egl`.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any, Final

from capture.native.libc import LIBC
from capture.windowsystem import x11
from capture.windowsystem.memory import read_attributes, write_integers, write_pointers
from capture.windowsystem.null_egl import CONFIGS
from traceformat.gles import egl_enums as egl
from traceformat.gles import glx_enums as glx
from traceformat.gles.entry_points import COMMANDS

__all__ = ["NullGlx"]

_allocate: Final = LIBC.malloc
_allocate.restype = ctypes.c_void_p
_allocate.argtypes = (ctypes.c_size_t,)

_STRINGS: Final = {
    glx.VENDOR: b"gpureplay",
    glx.VERSION: b"1.4 gpureplay null driver",
    glx.EXTENSIONS: (
        b"GLX_ARB_create_context GLX_ARB_create_context_profile GLX_ARB_get_proc_address GLX_ARB_multisample"
        b" GLX_EXT_create_context_es2_profile GLX_EXT_create_context_es_profile GLX_EXT_swap_control"
        b" GLX_MESA_swap_control GLX_SGI_swap_control"
    ),
}
#: Of extensions: nothing waits for a display, and the hook in front of this one answers look-ups.
_NOTHING_TO_DO: Final = ("glXSwapIntervalEXT", "glXSwapIntervalMESA", "glXSwapIntervalSGI", "glXGetProcAddressARB")
#: Attributes of a visual that stand without a value in the list of glXChooseVisual.
_SWITCHES: Final = frozenset({glx.USE_GL, glx.RGBA, glx.DOUBLEBUFFER, glx.STEREO})
#: What GLX and EGL say of a configuration alike.
_SIZES: Final = {
    getattr(glx, name): getattr(egl, name)
    for name in (
        "BUFFER_SIZE", "RED_SIZE", "GREEN_SIZE", "BLUE_SIZE", "ALPHA_SIZE", "DEPTH_SIZE", "STENCIL_SIZE",
        "SAMPLE_BUFFERS", "SAMPLES",
    )
}  # fmt: skip
#: What all configurations are.
_FIXED: Final = {
    glx.USE_GL: 1, glx.RGBA: 1, glx.DOUBLEBUFFER: 1, glx.STEREO: 0, glx.LEVEL: 0, glx.AUX_BUFFERS: 0,
    glx.ACCUM_RED_SIZE: 0, glx.ACCUM_GREEN_SIZE: 0, glx.ACCUM_BLUE_SIZE: 0, glx.ACCUM_ALPHA_SIZE: 0,
    glx.CONFIG_CAVEAT: glx.NONE, glx.X_VISUAL_TYPE: glx.TRUE_COLOR, glx.TRANSPARENT_TYPE: glx.NONE, glx.SCREEN: 0,
    glx.DRAWABLE_TYPE: glx.WINDOW_BIT | glx.PBUFFER_BIT, glx.RENDER_TYPE: glx.RGBA_BIT, glx.X_RENDERABLE: 1,
    glx.MAX_PBUFFER_WIDTH: 16384, glx.MAX_PBUFFER_HEIGHT: 16384, glx.MAX_PBUFFER_PIXELS: 16384 * 16384,
    glx.FRAMEBUFFER_SRGB_CAPABLE: 1,
}  # fmt: skip
_MASKS: Final = frozenset({glx.DRAWABLE_TYPE, glx.RENDER_TYPE})
#: Windows have 24 bits of colour.
_CONFIGS: Final = {number: config for number, config in CONFIGS.items() if config[egl.GREEN_SIZE] == 8}
#: Of windows whose context was made from a visual.
_ANY_CONFIG: Final = max(number for number, config in _CONFIGS.items() if not config[egl.SAMPLES])


class NullGlx:
    """The GLX entry points; call them by name with C values, as the functions of libGLX.

    Parameters
    ----------
    other_context : gives the context that adapters have made current for a library whose own would be GLX's; 0 if none
    """

    def __init__(self, other_context: Callable[[], int]) -> None:
        self._other_context = other_context
        self._local = threading.local()
        self._next_handle = 0x7F00_0000
        self._contexts: dict[int, int] = {}
        self._pbuffers: dict[int, tuple[int, int]] = {}
        self._strings = {name: ctypes.create_string_buffer(text) for name, text in _STRINGS.items()}

    def function(self, name: str) -> Callable[..., Any] | None:
        """Give an entry point by name; None for one that does not exist here."""
        if not name.startswith("glX") or name not in COMMANDS:
            return None
        function: Callable[..., Any] | None = getattr(self, name, None)
        if function is None and ("glx" in COMMANDS[name].versions or name in _NOTHING_TO_DO):
            # Every library of GLX exports all of it.
            return lambda *arguments: 0
        return function

    def glXQueryExtensionsString(self, display: int, screen: int) -> int:
        """Extensions."""
        return ctypes.addressof(self._strings[glx.EXTENSIONS])

    def glXQueryServerString(self, display: int, screen: int, name: int) -> int:
        """Vendor, version or extensions."""
        return self.glXGetClientString(display, name)

    def glXGetClientString(self, display: int, name: int) -> int:
        """Vendor, version or extensions."""
        return ctypes.addressof(self._strings[name]) if name in self._strings else 0

    def glXQueryExtension(self, display: int, error: int | None, event: int | None) -> int:
        """It is there."""
        write_integers(error, 0)
        write_integers(event, 0)
        return 1

    def glXQueryVersion(self, display: int, major: int | None, minor: int | None) -> int:
        """Version 1.4."""
        write_integers(major, 1)
        write_integers(minor, 4)
        return 1

    # -- configurations ---------------------------------------------------------------------------------------------

    def glXGetFBConfigs(self, display: int, screen: int, count: int | None) -> int:
        """All of them."""
        return self._list(list(_CONFIGS), count)

    def glXChooseFBConfig(self, display: int, screen: int, attributes: int | None, count: int | None) -> int:
        """Those that fit, fewer samples and smaller buffers first."""
        return self._list(self._fitting(read_attributes(attributes, 0, ctypes.c_int)), count)

    def glXGetFBConfigAttrib(self, display: int, config: int | None, attribute: int, value: int | None) -> int:
        """One attribute."""
        found = _CONFIGS.get(config or 0)
        if found is None:
            return glx.BAD_ATTRIBUTE
        if attribute == glx.VISUAL_ID:
            write_integers(value, x11.visual_number(display))
        elif attribute == glx.FBCONFIG_ID:
            write_integers(value, found[egl.CONFIG_ID])
        elif attribute in _SIZES:
            write_integers(value, found[_SIZES[attribute]])
        elif attribute in _FIXED:
            write_integers(value, _FIXED[attribute])
        else:
            return glx.BAD_ATTRIBUTE
        return 0

    def glXGetVisualFromFBConfig(self, display: int, config: int | None) -> int:
        """The default visual."""
        return x11.visual_info(display)

    def glXChooseVisual(self, display: int, screen: int, attributes: int | None) -> int:
        """The default visual, where a configuration of it fits."""
        wanted: dict[int, int] = {}
        values = ctypes.cast(attributes or 0, ctypes.POINTER(ctypes.c_int))
        place = 0
        while attributes and values[place]:
            name = values[place]
            is_switch = name in _SWITCHES
            wanted[name] = 1 if is_switch else values[place + 1]
            place += 1 if is_switch else 2
        return x11.visual_info(display) if self._fitting(wanted) else 0

    def glXGetConfig(self, display: int, visual: int | None, attribute: int, value: int | None) -> int:
        """One attribute of the default visual."""
        return self.glXGetFBConfigAttrib(display, _ANY_CONFIG, attribute, value)

    # -- contexts ---------------------------------------------------------------------------------------------------

    def glXCreateContext(self, display: int, visual: int | None, share: int | None, direct: int) -> int:
        """Make a context."""
        return self._new_context(_ANY_CONFIG)

    def glXCreateNewContext(self, display: int, config: int | None, kind: int, share: int | None, direct: int) -> int:
        """Make a context."""
        return self._new_context(config or 0)

    def glXCreateContextAttribsARB(
        self, display: int, config: int | None, share: int | None, direct: int, attributes: int | None
    ) -> int:
        """Make a context of a version and profile."""
        return self._new_context(config or 0)

    def glXDestroyContext(self, display: int, context: int | None) -> None:
        """Destroy a context."""
        self._contexts.pop(context or 0, None)

    def glXQueryContext(self, display: int, context: int | None, attribute: int, value: int | None) -> int:
        """Configuration, kind and screen of a context."""
        answers = {glx.FBCONFIG_ID: self._contexts.get(context or 0, 0), glx.RENDER_TYPE: glx.RGBA_TYPE, glx.SCREEN: 0}
        if attribute not in answers:
            return glx.BAD_ATTRIBUTE
        write_integers(value, answers[attribute])
        return 0

    def glXIsDirect(self, display: int, context: int | None) -> int:
        """Nothing goes through the server."""
        return 1

    def glXMakeCurrent(self, display: int, drawable: int, context: int | None) -> int:
        """Make a context current."""
        return self.glXMakeContextCurrent(display, drawable, drawable, context)

    def glXMakeContextCurrent(self, display: int, draw: int, read: int, context: int | None) -> int:
        """Make a context current, or none."""
        if context and context not in self._contexts:
            return 0
        self._local.current = (context, draw, read, display) if context else (0, 0, 0, 0)
        return 1

    def glXGetCurrentContext(self) -> int:
        """The context that is current in this thread."""
        return self._current(0) or self._other_context()

    def glXGetCurrentDrawable(self) -> int:
        """What this thread draws into."""
        return self._current(1)

    def glXGetCurrentReadDrawable(self) -> int:
        """What this thread reads from."""
        return self._current(2)

    def glXGetCurrentDisplay(self) -> int:
        """The display, where a context is current."""
        return self._current(3)

    # -- drawables --------------------------------------------------------------------------------------------------

    def glXCreateWindow(self, display: int, config: int | None, window: int, attributes: int | None) -> int:
        """A window is called as X11 calls it."""
        return window

    def glXCreatePbuffer(self, display: int, config: int | None, attributes: int | None) -> int:
        """An off-screen surface of the size asked for."""
        wanted = read_attributes(attributes, 0, ctypes.c_int)
        handle = self._new_handle()
        self._pbuffers[handle] = (wanted.get(glx.PBUFFER_WIDTH, 0), wanted.get(glx.PBUFFER_HEIGHT, 0))
        return handle

    def glXDestroyPbuffer(self, display: int, pbuffer: int) -> None:
        """Destroy an off-screen surface."""
        self._pbuffers.pop(pbuffer, None)

    def glXQueryDrawable(self, display: int, drawable: int, attribute: int, value: int | None) -> None:
        """Size of a window, which X11 is asked for, or of a pbuffer."""
        size = self._pbuffers.get(drawable) or x11.size_of(display, drawable)
        write_integers(value, {glx.WIDTH: size[0], glx.HEIGHT: size[1]}.get(attribute, 0))

    def glXSwapBuffers(self, display: int, drawable: int) -> None:
        """Nothing to show."""

    # -- helpers ----------------------------------------------------------------------------------------------------

    def _current(self, place: int) -> int:
        current: tuple[int, int, int, int] = getattr(self._local, "current", (0, 0, 0, 0))
        return current[place]

    def _new_handle(self) -> int:
        self._next_handle += 0x10
        return self._next_handle

    def _new_context(self, config: int) -> int:
        handle = self._new_handle()
        self._contexts[handle] = config
        return handle

    @staticmethod
    def _fitting(wanted: dict[int, int]) -> list[int]:
        def fits(config: dict[int, int]) -> bool:
            for name, value in wanted.items():
                if value == glx.DONT_CARE:
                    continue
                if name in _SIZES:
                    good = config[_SIZES[name]] >= value
                elif name in _MASKS:
                    good = _FIXED[name] & value == value
                elif name == glx.FBCONFIG_ID:
                    good = config[egl.CONFIG_ID] == value
                else:
                    good = _FIXED.get(name, value) == value
                if not good:
                    return False
            return True

        return [number for number, config in _CONFIGS.items() if fits(config)]

    @staticmethod
    def _list(numbers: list[int], count: int | None) -> int:
        """A list that the program frees with XFree, which is C's free."""
        write_integers(count, len(numbers))
        if not numbers:
            return 0
        address = int(_allocate(8 * len(numbers)))
        write_pointers(address, *numbers)
        return address
