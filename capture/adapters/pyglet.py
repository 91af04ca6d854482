"""pyglet: windows that need no display where there is none.

pyglet loads GL through ctypes, so its calls are seen without any help. Its windows are X11's, though; where there is no
display, and under the null driver, pyglet is switched to its own headless windows, which are EGL's.
"""

from __future__ import annotations

import os
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from capture.adapters.base import Capture

__all__ = ["PygletAdapter"]


class PygletAdapter:
    """Switches pyglet to headless windows where it has to be.

    Parameters
    ----------
    capture : has the driver
    """

    module = "pyglet"

    def __init__(self, capture: Capture) -> None:
        self._is_headless = capture.driver.name == "null" or not os.environ.get("DISPLAY")

    def before(self) -> None:
        """Nothing has to be there before."""

    def after(self, module: ModuleType) -> None:
        """Set the option before any window is made; pyglet reads it when ``pyglet.window`` is imported."""
        options = getattr(module, "options", None)
        if self._is_headless and options is not None:
            options["headless"] = True
