"""What the window-system hooks need of the resolver."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from capture.trampoline import CFunction

__all__ = ["Functions"]


class Functions(Protocol):
    """Gives functions by name; the resolver is one."""

    def window_function(self, name: str) -> CFunction:
        """Give an EGL or GLX function, unrecorded; one that does not exist answers 0."""

    def get_proc(self, name: str, real: Callable[[], int] | None = None) -> int:
        """Answer a program's eglGetProcAddress or glXGetProcAddress; ``real`` asks the driver."""
