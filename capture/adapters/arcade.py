"""arcade: its own headless mode where pyglet's windows are headless ones.

arcade looks for game controllers as soon as it is imported, which needs X11, unless ``ARCADE_HEADLESS`` is set; it then
leaves out the functions that look for them. Programs that call those find that there are none.
"""

from __future__ import annotations

import os
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from capture.adapters.base import Capture

__all__ = ["ArcadeAdapter"]

_LISTS = ("get_controllers", "get_game_controllers", "get_joysticks")


class ArcadeAdapter:
    """Sets arcade's headless mode where there is no display.

    Parameters
    ----------
    capture : has the driver
    """

    module = "arcade"

    def __init__(self, capture: Capture) -> None:
        self._is_headless = capture.driver.name == "null" or not os.environ.get("DISPLAY")

    def before(self) -> None:
        """Say so in the environment, where arcade looks."""
        if self._is_headless:
            os.environ.setdefault("ARCADE_HEADLESS", "True")

    def after(self, module: ModuleType) -> None:
        """Have no controllers instead of no functions."""
        for name in _LISTS if self._is_headless else ():
            if not hasattr(module, name):
                setattr(module, name, _nothing)


def _nothing(*_args: Any, **_options: Any) -> list[Any]:
    return []
