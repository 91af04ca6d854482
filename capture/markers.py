"""GL_KHR_debug and GL_EXT_debug_marker, whether the driver has them or not.

Debug groups are where object ids come from, so the capture layer advertises both extensions in every context and
records their calls; it forwards a call only to a driver that has the extension (or the version that made it core).
The null driver has both itself; this stands in front of the system's GL. Extensions that a replay cannot do are
hidden here, so that programs draw without them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from traceformat.gles import enums as gl

if TYPE_CHECKING:
    from capture.drivers.base import ForwardingDriver
    from capture.trampoline import CFunction
    from traceformat.gles.entry_points import Command

__all__ = ["OWN_EXTENSIONS", "Markers"]

OWN_EXTENSIONS: Final = ("GL_EXT_debug_marker", "GL_KHR_debug")
#: What a replay cannot do, and programs (browsers, Skia) do in other ways where the driver has it not.
_HIDDEN_EXTENSIONS: Final = frozenset(
    {
        "GL_ARM_shader_framebuffer_fetch",
        "GL_ARM_shader_framebuffer_fetch_depth_stencil",
        "GL_EXT_blend_func_extended",
        "GL_EXT_shader_framebuffer_fetch",
        "GL_EXT_shader_framebuffer_fetch_non_coherent",
        "GL_EXT_texture_view",
        "GL_OES_texture_view",
        "GL_OES_viewport_array",
    }
)


class Markers:
    """Advertises the extensions and keeps their calls from drivers that lack them.

    Parameters
    ----------
    driver : the system's GL
    context : gives the number of the context that is current in the calling thread
    """

    def __init__(self, driver: ForwardingDriver, context: Callable[[], int]) -> None:
        self._driver = driver
        self._context = context
        self._extensions: dict[int, list[str]] = {}
        self._strings: dict[str, ctypes.Array[ctypes.c_char]] = {}

    def is_own(self, command: Command) -> bool:
        """Tell an entry point of the two extensions."""
        return any(name in OWN_EXTENSIONS for name in command.extensions)

    def guard(self, command: Command, real: CFunction | None) -> CFunction:
        """Give a function that forwards only where the driver has the extension of the command."""
        extension = next(name for name in OWN_EXTENSIONS if name in command.extensions)

        def guarded(*raw: Any) -> Any:
            return real(*raw) if real is not None and extension in self._driver_extensions() else 0

        return guarded

    def get_string(self, which: int, address: int | None) -> int:
        """Answer glGetString: the driver's, with our extensions in the list of extensions."""
        if which != gl.GL_EXTENSIONS or not address:
            return address or 0
        names = ctypes.string_at(address).decode("utf-8", "replace").split()
        shown = [name for name in names if name not in _HIDDEN_EXTENSIONS]
        return self._intern(" ".join([*shown, *self._missing()]) + " ")

    def get_string_at(self, which: int, index: int, real: CFunction) -> int:
        """Answer glGetStringi: ours come behind the driver's extensions."""
        if which == gl.GL_EXTENSIONS:
            names = self._shown() + self._missing()
            if 0 <= index < len(names):
                return self._intern(names[index])
            index = -1  # no index of the driver's either: an error, as it should be
        return real(which, index & 0xFFFFFFFF) or 0

    def count_extensions(self, name: int, values: int | None) -> None:
        """Correct the answer of glGetIntegerv(GL_NUM_EXTENSIONS), at the address ``values``."""
        if name == gl.GL_NUM_EXTENSIONS and values:
            count = ctypes.c_int.from_address(values)
            count.value += len(self._missing()) - len(self._driver_extensions()) + len(self._shown())

    def _shown(self) -> list[str]:
        return [name for name in self._driver_extensions() if name not in _HIDDEN_EXTENSIONS]

    def _missing(self) -> list[str]:
        present = self._driver_extensions()
        return [name for name in OWN_EXTENSIONS if name not in present]

    def _driver_extensions(self) -> list[str]:
        context = self._context()
        if not context:
            return []
        names = self._extensions.get(context)
        if names is None:
            names = self._extensions[context] = self._driver.extensions()
        return names

    def _intern(self, text: str) -> int:
        """A C string that lives as long as the process, as GL promises."""
        buffer = self._strings.get(text)
        if buffer is None:
            buffer = self._strings[text] = ctypes.create_string_buffer(text.encode("utf-8", "surrogateescape"))
        return ctypes.addressof(buffer)
