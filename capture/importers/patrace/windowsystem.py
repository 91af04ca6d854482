"""EGL as PATrace records it: handles are the low 32 bits of pointers, and the JSON header has what calls do not say."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from typing import Any, Final

from capture.importers.patrace.decoding import PatValue
from capture.importers.windows import DEFAULT_BITS, SWAP, ContextFacts, TraceCommand, Windows, attributes_of
from traceformat.errors import UnsupportedCallError
from traceformat.gles import egl_enums as egl

__all__ = ["WindowSystem"]

_HANDLE: Final = 0xFFFFFFFF
_CONFIG_KEYS: Final = ("red", "green", "blue", "alpha", "depth", "stencil", "msaaSamples")
_WINDOWS: Final = ("eglCreateWindowSurface", "eglCreateWindowSurface2", "eglCreatePlatformWindowSurface")
#: What a size or a number of bits is at most: the header is untrusted.
_MAX_SIZE: Final = 1 << 15
_MAX_BITS: Final = 64


def _number(value: object, limit: int = _MAX_SIZE) -> int:
    """A non-negative integer of the JSON header, 0 for anything else."""
    return value if isinstance(value, int) and 0 <= value <= limit else 0


def _objects(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _attributes(value: PatValue) -> dict[int, int]:
    data = value if isinstance(value, bytes) else b""
    return attributes_of(struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4]))


class WindowSystem:
    """What the EGL calls of a file do.

    Parameters
    ----------
    meta : JSON header
    """

    def __init__(self, meta: dict[str, Any]) -> None:
        self.windows = Windows(self._size)
        self._gles = _number(meta.get("glesVersion")) or 2
        self._contexts = _objects(meta.get("contexts"))
        self._surfaces = _objects(meta.get("surfaces"))
        threads = _objects(meta.get("threads"))
        self._thread: dict[str, Any] = threads[0] if threads else {}
        answered = re.search(r"(\d+)\.(\d+)", str(meta.get("capture_device_version", "")))
        self._answered = (int(answered[1]), int(answered[2])) if answered else (0, 0)
        self._sizes: dict[int, tuple[int, int]] = {}

    def execute(self, name: str, thread: int, values: Sequence[PatValue], result: PatValue) -> list[TraceCommand]:
        """Trace commands that stand for a call; none for one without effect or that failed."""
        windows = self.windows
        args = [value & _HANDLE if isinstance(value, int) else 0 for value in values]
        handle = result & _HANDLE if isinstance(result, int) else 0
        if name == "eglReleaseThread":
            return windows.make_current(thread, 0, 0, 0)
        if not handle:
            return []
        if name == "eglCreateContext":
            return windows.create_context(handle, self._facts(handle, args[2], _attributes(values[3])))
        if name == "eglDestroyContext":
            return windows.destroy_context(args[1])
        if name in _WINDOWS:
            self._sizes[handle] = self._window_size(handle, args[6:8])
        elif name == "eglCreatePbufferSurface":
            attributes = _attributes(values[2])
            return windows.create_pbuffer(handle, *(attributes.get(key, 0) for key in (egl.WIDTH, egl.HEIGHT)))
        elif name == "eglDestroySurface":
            windows.destroy_surface(args[1])
        elif name == "eglMakeCurrent":
            return windows.make_current(thread, args[3], args[1], args[2])
        elif name in SWAP and windows.is_window(args[1]):
            return windows.swap(args[1], name)
        return []

    def _size(self, surface: int) -> tuple[int, int]:
        return self._sizes.get(surface) or self._window_size(surface, ())

    def _window_size(self, surface: int, given: Sequence[int]) -> tuple[int, int]:
        """Size that the call gives, else the header's for the surface, else that of the largest window."""
        named = [known for known in self._surfaces if _number(known.get("id"), 1 << 64) & _HANDLE == surface]
        sizes = [tuple(given)] if given else []
        sizes += [(_number(known.get("width")), _number(known.get("height"))) for known in named]
        sizes.append((_number(self._thread.get("winW")), _number(self._thread.get("winH"))))
        return next(
            ((width, height) for width, height in sizes if 0 < width <= _MAX_SIZE and 0 < height <= _MAX_SIZE), (1, 1)
        )

    def _facts(self, handle: int, share: int, attributes: dict[int, int]) -> ContextFacts:
        # The header lists contexts as they were made; a handle may come again.
        named = [known for known in self._contexts if _number(known.get("id"), 1 << 64) & _HANDLE == handle]
        known = named[0] if named else {}
        if named:
            self._contexts.remove(known)
        major = max(attributes.get(egl.CONTEXT_MAJOR_VERSION, 1), _number(known.get("glesVersion")) or self._gles)
        if major == 1:
            raise UnsupportedCallError("a context of OpenGL ES 1 was made", hint="OpenGL ES 2.0 to 3.2 are supported")
        minor = (
            attributes.get(egl.CONTEXT_MINOR_VERSION, 0) if attributes.get(egl.CONTEXT_MAJOR_VERSION) == major else 0
        )
        # A driver gives the highest version that it has, and programs use it.
        version = max((major, minor), self._answered)
        config = known.get("EGLConfig") or self._thread.get("EGLConfig")
        bits: tuple[int, ...] = DEFAULT_BITS
        if isinstance(config, dict):
            bits = tuple(_number(config.get(key), _MAX_BITS) for key in _CONFIG_KEYS)
        return ContextFacts(0, *version, 0, bits, share)
