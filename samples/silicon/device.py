"""The GPU: a context without a window, the functions of its driver, and what can be said about both and the host."""

from __future__ import annotations

import ctypes
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from . import numbers

__all__ = ["Device", "NoDevice", "host_facts", "sensors"]

_DESKTOP_VERSIONS: Final = ((4, 6), (4, 5), (4, 3))


class NoDevice(Exception):
    """There is no GPU that the kit can use; the message says what was tried."""


class Device:
    """A current context.

    Parameters
    ----------
    api : ``gles`` (OpenGL ES 3.0 or later), or ``gl`` (desktop OpenGL 4.3 or later, which takes the same shaders)

    Attributes
    ----------
    gl : functions and constants of OpenGL ES 3.0, as PyOpenGL has them
    extensions : names that the driver announces

    Raises
    ------
    NoDevice : no PyOpenGL, no EGL, no context
    """

    def __init__(self, api: str = "gles") -> None:
        self.api = api
        os.environ.setdefault("PYOPENGL_PLATFORM", "egl")
        if not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
            os.environ.setdefault("EGL_PLATFORM", "surfaceless")
        try:
            import OpenGL
            from OpenGL import EGL

            # Errors of GL are asked for after each benchmark; a question a call would be measured, too.
            OpenGL.ERROR_CHECKING = False
            from OpenGL import GLES3
        except ImportError as error:
            raise NoDevice(f"no OpenGL for Python: {error} (pip install PyOpenGL, and a GL driver)") from None
        self._egl = EGL
        self.gl: Any = GLES3
        try:
            self._open()
        except NoDevice:
            raise
        except Exception as error:
            raise NoDevice(f"EGL refuses a context: {' '.join(str(error).split())[:200]}") from None
        count = (ctypes.c_int * 1)()
        GLES3.glGetIntegerv(GLES3.GL_NUM_EXTENSIONS, count)
        self.extensions = frozenset(_text(GLES3.glGetStringi(GLES3.GL_EXTENSIONS, k)) for k in range(count[0]))

    def _open(self) -> None:
        from OpenGL.raw.EGL._errors import EGLError

        egl = self._egl
        display = egl.eglGetDisplay(egl.EGL_DEFAULT_DISPLAY)
        major, minor = ctypes.c_int(), ctypes.c_int()
        if not egl.eglInitialize(display, major, minor):
            raise NoDevice("EGL does not initialise: no driver, or no right to use the device (group render or video?)")
        is_desktop = self.api == "gl"
        egl.eglBindAPI(egl.EGL_OPENGL_API if is_desktop else egl.EGL_OPENGL_ES_API)
        kind = egl.EGL_OPENGL_BIT if is_desktop else numbers.EGL_OPENGL_ES3_BIT
        wanted = [egl.EGL_SURFACE_TYPE, egl.EGL_PBUFFER_BIT, egl.EGL_RENDERABLE_TYPE, kind, egl.EGL_NONE]
        configs, found = (egl.EGLConfig * 1)(), ctypes.c_int()
        if not egl.eglChooseConfig(display, _ints(wanted), configs, 1, found) or not found.value:
            raise NoDevice(f"EGL has no configuration for {'OpenGL' if is_desktop else 'OpenGL ES 3'}")
        size = _ints([egl.EGL_WIDTH, 16, egl.EGL_HEIGHT, 16, egl.EGL_NONE])
        surface = egl.eglCreatePbufferSurface(display, configs[0], size)
        context = None
        for version in _DESKTOP_VERSIONS if is_desktop else ((3, 0),):
            asked = [numbers.EGL_CONTEXT_MAJOR_VERSION, version[0], numbers.EGL_CONTEXT_MINOR_VERSION, version[1]]
            if is_desktop:
                asked += [numbers.EGL_CONTEXT_OPENGL_PROFILE_MASK, numbers.EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT]
            try:
                context = egl.eglCreateContext(display, configs[0], egl.EGL_NO_CONTEXT, _ints([*asked, egl.EGL_NONE]))
            except EGLError:
                continue
            if context:
                break
        if not context:
            raise NoDevice(
                "EGL gives no context of OpenGL 4.3" if is_desktop else "EGL gives no context of OpenGL ES 3.0"
            )
        if not egl.eglMakeCurrent(display, surface, surface, context):
            raise NoDevice("EGL does not make its context current")
        self._kept = (display, surface, context)

    def function(self, name: str, result: Any, *arguments: Any) -> Any:
        """Function of an extension.

        Raises
        ------
        KeyError : the driver has none of this name
        """
        address = self._egl.eglGetProcAddress(name.encode())
        place = ctypes.cast(address, ctypes.c_void_p).value if address else None
        if not place:
            raise KeyError(name)
        return ctypes.CFUNCTYPE(result, *arguments)(place)

    def error(self) -> int:
        """The GL error since the last call, 0 for none."""
        return int(self.gl.glGetError())

    def facts(self) -> dict[str, Any]:
        """What the driver says about itself."""
        gl = self.gl
        strings = {
            "vendor": gl.GL_VENDOR, "renderer": gl.GL_RENDERER, "version": gl.GL_VERSION,
            "shading_language": gl.GL_SHADING_LANGUAGE_VERSION,
        }  # fmt: skip
        return {
            "api": self.api,
            **{name: _text(gl.glGetString(number)) for name, number in strings.items()},
            "extensions": sorted(self.extensions),
        }


def _ints(values: Sequence[int]) -> Any:
    return (ctypes.c_int * len(values))(*values)


def _text(value: Any) -> str:
    """A string of GL, which PyOpenGL gives as bytes, or as a pointer to them."""
    data = value if isinstance(value, bytes) else ctypes.cast(value, ctypes.c_char_p).value if value else b""
    return (data or b"").decode("utf-8", "replace")


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip("\0\n ")
    except OSError:
        return ""


def host_facts() -> dict[str, Any]:
    """Machine and kernel, without names of people or hosts."""
    return {
        "system": platform.system(),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "board": _read(Path("/proc/device-tree/model")),
        "cpus": os.cpu_count() or 0,
    }


def sensors() -> dict[str, float]:
    """Temperatures in degrees Celsius and clocks of devices in MHz, where Linux shows them."""
    found = {}
    for zone in sorted(Path("/sys/class/thermal").glob("thermal_zone*")):
        text = _read(zone / "temp")
        if text.lstrip("-").isdigit():
            found[f"{zone.name} {_read(zone / 'type')} C"] = int(text) / 1000
    for device in sorted(Path("/sys/class/devfreq").glob("*")):
        text = _read(device / "cur_freq")
        if text.isdigit():
            found[f"{device.name} MHz"] = int(text) / 1e6
    return found
