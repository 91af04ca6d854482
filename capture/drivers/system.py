"""The system's own GL: functions of libEGL, libGL, libGLESv2 and what they resolve."""

from __future__ import annotations

import _ctypes
import ctypes
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from capture.context_records import API_GL, API_GLES, ContextAttributes
from capture.trampoline import CFunction, prototype
from traceformat.errors import MissingEnvironmentError
from traceformat.gles import egl_enums as egl
from traceformat.gles import enums as gl
from traceformat.gles.entry_points import COMMANDS

__all__ = ["SystemDriver"]

_LIBRARIES: Final = {
    "egl": ("libEGL.so.1", "libEGL.so"),
    "gles": ("libGLESv2.so.2", "libGLESv2.so"),
    "gl": ("libGL.so.1", "libOpenGL.so.0", "libGL.so"),
    "glx": ("libGL.so.1", "libGLX.so.0"),
}
_DEFAULT_FRAMEBUFFER_BITS: Final = {
    "red": (gl.GL_BACK_LEFT, gl.GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE, gl.GL_RED_BITS),
    "green": (gl.GL_BACK_LEFT, gl.GL_FRAMEBUFFER_ATTACHMENT_GREEN_SIZE, gl.GL_GREEN_BITS),
    "blue": (gl.GL_BACK_LEFT, gl.GL_FRAMEBUFFER_ATTACHMENT_BLUE_SIZE, gl.GL_BLUE_BITS),
    "alpha": (gl.GL_BACK_LEFT, gl.GL_FRAMEBUFFER_ATTACHMENT_ALPHA_SIZE, gl.GL_ALPHA_BITS),
    "depth": (gl.GL_DEPTH, gl.GL_FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE, gl.GL_DEPTH_BITS),
    "stencil": (gl.GL_STENCIL, gl.GL_FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE, gl.GL_STENCIL_BITS),
}


class SystemDriver:
    """Forwards to the GL that is installed.

    Raises
    ------
    MissingEnvironmentError : no GL library loads
    """

    name = "system"

    def __init__(self) -> None:
        self._handles: dict[str, int] = {}
        self._functions: dict[str, CFunction | None] = {}
        self._configs: dict[int, int] = {}
        for kind, names in _LIBRARIES.items():
            for library in names:
                try:
                    # Not ctypes.CDLL: the adapters replace that.
                    self._handles[kind] = _ctypes.dlopen(library, ctypes.RTLD_GLOBAL)
                except OSError:
                    continue
                break
        if "egl" not in self._handles:
            raise MissingEnvironmentError("no GL: libEGL.so.1 does not load", hint="install a GL driver such as Mesa")

    # -- functions --------------------------------------------------------------------------------------------------

    def address(self, name: str) -> int:
        """Address of a GL, EGL or GLX function; 0 where the driver does not have it."""
        if name.startswith(("egl", "glX")):
            return _address_of(self.window_function(name))
        for kind in ("gles", "gl"):
            address = self._symbol(kind, name)
            if address:
                return address
        return int(self._call("eglGetProcAddress", name.encode()) or 0)

    def window_function(self, name: str) -> CFunction | None:
        """Give an EGL or GLX function; None where it does not exist."""
        if name not in self._functions:
            address = self._symbol("egl" if name.startswith("egl") else "glx", name)
            if not address and name not in ("eglGetProcAddress", "glXGetProcAddress"):
                resolver = "eglGetProcAddress" if name.startswith("egl") else "glXGetProcAddress"
                address = int(self._call(resolver, name.encode()) or 0)
            self._functions[name] = prototype(COMMANDS[name])(address) if address and name in COMMANDS else None
        return self._functions[name]

    def gl_function(self, name: str) -> CFunction:
        """Give a GL function to be called without recording."""
        function = self._functions.get(name)
        if function is None:
            function = self._functions[name] = prototype(COMMANDS[name])(self.address(name))
        return function

    def extensions(self) -> list[str]:
        """Extensions of the context that is current in this thread, in the driver's order."""
        version = _string(self.gl_function("glGetString")(gl.GL_VERSION))
        if not version:
            return []
        if _version(version)[1] < (3, 0):
            return _string(self.gl_function("glGetString")(gl.GL_EXTENSIONS)).split()
        get = self.gl_function("glGetStringi")
        return [_string(get(gl.GL_EXTENSIONS, i)) for i in range(self._integer(gl.GL_NUM_EXTENSIONS))]

    # -- contexts ---------------------------------------------------------------------------------------------------

    def describe_context(self, requested: ContextAttributes) -> ContextAttributes:
        """Ask GL for version, profile and bits of the current context and its default framebuffer."""
        api, version = _version(_string(self.gl_function("glGetString")(gl.GL_VERSION)))
        profile = 0
        if api == API_GL and version >= (3, 2):
            profile = 1 if self._integer(gl.GL_CONTEXT_PROFILE_MASK) & 1 else 2
        bits: dict[str, int] = {}
        has_attachment_query = version >= (3, 0)
        for name, (attachment, attribute, old_query) in _DEFAULT_FRAMEBUFFER_BITS.items():
            if has_attachment_query:
                place = gl.GL_BACK if api == API_GLES and attachment == gl.GL_BACK_LEFT else attachment
                bits[name] = self._attachment(place, attribute)
            else:
                bits[name] = self._integer(old_query)
        samples = self._integer(gl.GL_SAMPLES)
        # Whatever these queries may have raised is not the program's error.
        while self.gl_function("glGetError")():
            pass
        return replace(requested, api=api, major=version[0], minor=version[1], profile=profile, samples=samples, **bits)

    def create_context(self, requested: ContextAttributes, share: int, size: tuple[int, int] | None) -> tuple[int, int]:
        """Create a context without a display; see :class:`~capture.drivers.Driver`."""
        is_gles = requested.api == API_GLES
        renderable = egl.OPENGL_BIT if not is_gles else egl.OPENGL_ES2_BIT
        config = self._choose_config(
            {
                egl.SURFACE_TYPE: egl.PBUFFER_BIT,
                egl.RENDERABLE_TYPE: renderable,
                egl.RED_SIZE: requested.red,
                egl.GREEN_SIZE: requested.green,
                egl.BLUE_SIZE: requested.blue,
                egl.ALPHA_SIZE: requested.alpha,
                egl.DEPTH_SIZE: requested.depth,
                egl.STENCIL_SIZE: requested.stencil,
                egl.SAMPLES: requested.samples,
            }
        )
        bound = self._call("eglQueryAPI")
        self._call("eglBindAPI", egl.OPENGL_ES_API if is_gles else egl.OPENGL_API)
        attributes = {egl.CONTEXT_MAJOR_VERSION: requested.major, egl.CONTEXT_MINOR_VERSION: requested.minor}
        if not is_gles and (requested.major, requested.minor) >= (3, 2):
            attributes[egl.CONTEXT_OPENGL_PROFILE_MASK] = requested.profile or egl.CONTEXT_OPENGL_CORE_PROFILE_BIT
        context = self._call("eglCreateContext", self.display, config, share or None, _attribute_list(attributes))
        # The program's own choice for this thread stands.
        self._call("eglBindAPI", bound)
        if not context:
            raise MissingEnvironmentError(
                f"EGL gives no {'OpenGL ES' if is_gles else 'OpenGL'} {requested.major}.{requested.minor} context"
            )
        self._configs[int(context)] = config
        return int(context), self._create_surface(config, size) if size is not None else 0

    def replace_surface(self, context: int, surface: int, size: tuple[int, int]) -> int:
        """Give a context of ``create_context`` a surface of another size; what was in the old one is lost."""
        new = self._create_surface(self._configs[context], size)
        if self._call("eglGetCurrentContext") == context:
            self.make_current(context, new)
        self._call("eglDestroySurface", self.display, surface)
        return new

    def _create_surface(self, config: int, size: tuple[int, int]) -> int:
        width, height = size
        wanted = _attribute_list({egl.WIDTH: width, egl.HEIGHT: height})
        surface = self._call("eglCreatePbufferSurface", self.display, config, wanted)
        if not surface:
            raise MissingEnvironmentError(f"EGL gives no off-screen surface of {width} x {height} pixels")
        return int(surface)

    def make_current(self, context: int, surface: int) -> bool:
        """Make a context of ``create_context`` current in this thread; 0 releases."""
        return bool(self._call("eglMakeCurrent", self.display, surface or None, surface or None, context or None))

    def destroy_context(self, context: int, surface: int) -> None:
        """Destroy a context of ``create_context``, and its surface."""
        if surface:
            self._call("eglDestroySurface", self.display, surface)
        self._call("eglDestroyContext", self.display, context)

    # -- helpers ----------------------------------------------------------------------------------------------------

    @cached_property
    def display(self) -> int:
        """An EGL display of our own that gives a context, tried by making one and dropping it.

        Raises
        ------
        MissingEnvironmentError : none of EGL's platforms gives one
        """
        candidates: list[Any] = []
        for platform, native in self._platforms():
            candidates.append(lambda platform=platform, native=native: self._platform_display(platform, native))
        candidates.append(lambda: self._call("eglGetDisplay", None))
        for candidate in candidates:
            display = candidate()
            if not display or not self._call("eglInitialize", display, None, None):
                continue
            self.display = display
            try:
                context, _ = self.create_context(ContextAttributes(depth=0, stencil=0, alpha=0), 0, None)
            except MissingEnvironmentError:
                continue
            self._call("eglDestroyContext", display, context)
            return int(display)
        raise MissingEnvironmentError("no GL: EGL gives no context", hint="is a GL driver such as Mesa installed?")

    def try_out(self) -> None:
        """See that there is a context to be had, and leave nothing of it: drivers' threads would not survive a fork.

        Raises
        ------
        MissingEnvironmentError : none of EGL's platforms gives one
        """
        self._call("eglTerminate", self.display)
        del self.display

    def _platforms(self) -> list[tuple[int, int]]:
        text = _string(self._call("eglQueryString", None, egl.EXTENSIONS))
        found = []
        if "EGL_MESA_platform_surfaceless" in text:
            found.append((egl.PLATFORM_SURFACELESS_MESA, 0))
        query = self.window_function("eglQueryDevicesEXT") if "EGL_EXT_platform_device" in text else None
        if query is not None:
            devices, count = (ctypes.c_void_p * 16)(), ctypes.c_int()
            if query(16, ctypes.addressof(devices), ctypes.addressof(count)):
                found += [(egl.PLATFORM_DEVICE_EXT, devices[i] or 0) for i in range(count.value)]
        return found

    def _platform_display(self, platform: int, native: int) -> int:
        function = self.window_function("eglGetPlatformDisplayEXT")
        return int(function(platform, native or None, None) or 0) if function is not None else 0

    def _choose_config(self, attributes: dict[int, int]) -> int:
        config, count = ctypes.c_void_p(), ctypes.c_int()
        wanted = _attribute_list(attributes)
        found = self._call(
            "eglChooseConfig", self.display, wanted, ctypes.addressof(config), 1, ctypes.addressof(count)
        )
        if not found or count.value == 0 or config.value is None:
            raise MissingEnvironmentError("EGL has no framebuffer configuration with the bits that the window asks for")
        return config.value

    def _call(self, name: str, *arguments: Any) -> Any:
        function = self.window_function(name)
        if function is None:
            return 0
        return function(*(_address(argument) for argument in arguments))

    def _symbol(self, kind: str, name: str) -> int:
        handle = self._handles.get(kind)
        if handle is None:
            return 0
        try:
            return int(_ctypes.dlsym(handle, name))
        except OSError:
            return 0

    def _integer(self, name: int) -> int:
        value = (ctypes.c_int * 16)()
        self.gl_function("glGetIntegerv")(name, ctypes.addressof(value))
        return value[0]

    def _attachment(self, attachment: int, attribute: int) -> int:
        value = ctypes.c_int()
        get = self.gl_function("glGetFramebufferAttachmentParameteriv")
        get(gl.GL_DRAW_FRAMEBUFFER, attachment, attribute, ctypes.addressof(value))
        return value.value


def _address(argument: Any) -> Any:
    """A ctypes array or bytes as an address; they outlive the call in their caller's frame."""
    if isinstance(argument, bytes):
        return ctypes.cast(ctypes.c_char_p(argument), ctypes.c_void_p).value
    if isinstance(argument, ctypes.Array):
        return ctypes.addressof(argument)
    return argument


def _address_of(function: CFunction | None) -> int:
    if function is None:
        return 0
    return ctypes.cast(function, ctypes.c_void_p).value or 0  # type: ignore[arg-type]


def _attribute_list(attributes: dict[int, int]) -> Any:
    flat = [value for pair in attributes.items() for value in pair]
    return (ctypes.c_int * (len(flat) + 1))(*flat, egl.NONE)


def _string(address: int | None) -> str:
    return ctypes.string_at(address).decode("utf-8", "replace") if address else ""


def _version(text: str) -> tuple[int, tuple[int, int]]:
    """API and version of a GL_VERSION string."""
    api = API_GLES if text.startswith("OpenGL ES") else API_GL
    words = text.replace("OpenGL ES-CM", "").replace("OpenGL ES", "").split()
    major, minor = (words[0] if words else "0.0").split(".")[:2]
    return api, (int(major), int("".join(digit for digit in minor if digit.isdigit()) or 0))
