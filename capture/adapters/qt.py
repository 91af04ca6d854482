"""Qt: what of it cannot be seen where native code is not, said when a program imports it."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

from traceformat.voice import say

if TYPE_CHECKING:
    from capture.adapters.base import Adapter, Capture

__all__ = ["QtAdapter", "qt_adapters"]

_BINDINGS = ("PyQt5", "PyQt6", "PySide2", "PySide6")


class QtAdapter:
    """Says once what the capture of a Qt program lacks; Qt makes contexts, swaps and its own calls in C++.

    Parameters
    ----------
    capture : has the driver
    module : package of the binding
    """

    def __init__(self, capture: Capture, module: str) -> None:
        self.module = module
        self._is_null = capture.driver.name == "null"

    def before(self) -> None:
        """Nothing has to be there before."""

    def after(self, module: ModuleType) -> None:
        """Say it."""
        if self._is_null:
            limit = "its OpenGL windows need a GL library, use --driver system"
        else:
            limit = "its own drawing and its swaps are not recorded; end frames by capture.frame()"
        say(f"gpucapture: {self.module} calls GL from C++: {limit}")


def qt_adapters(capture: Capture) -> list[Adapter]:
    """Adapters of all bindings."""
    return [QtAdapter(capture, name) for name in _BINDINGS]
