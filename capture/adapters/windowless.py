"""SDL and Qt without a display: told by their environment to make windows of EGL that nobody sees.

Both load EGL in native code, where the linker's hooks stand. What a program has chosen itself is left.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from capture.windowsystem.null_egl import WINDOW_SIZE

if TYPE_CHECKING:
    from capture.adapters.base import Capture

__all__ = ["SDL_DRIVERS", "prepare_windows"]

#: SDL's off-screen windows have contexts of EGL, but not every build has them.
SDL_DRIVERS: Final = "offscreen,dummy"
_WIDTH, _HEIGHT = WINDOW_SIZE
_MILLIMETRES_A_PIXEL: Final = 25.4 / 96
#: Qt's platform for EGL without a window system. It asks for a frame buffer's size where it is not told, and opens the
#: device all the same.
_QT: Final = {
    "QT_QPA_PLATFORM": "eglfs",
    "QT_QPA_EGLFS_INTEGRATION": "none",
    "QT_QPA_EGLFS_FB": os.devnull,
    "QT_QPA_EGLFS_WIDTH": str(_WIDTH),
    "QT_QPA_EGLFS_HEIGHT": str(_HEIGHT),
    "QT_QPA_EGLFS_PHYSICAL_WIDTH": str(round(_WIDTH * _MILLIMETRES_A_PIXEL)),
    "QT_QPA_EGLFS_PHYSICAL_HEIGHT": str(round(_HEIGHT * _MILLIMETRES_A_PIXEL)),
}


def prepare_windows(capture: Capture) -> None:
    """Set the environment of a program that has no display."""
    if not capture.is_headless or not capture.sees_native:
        return
    wanted = {"SDL_VIDEODRIVER": SDL_DRIVERS}
    if capture.driver.name == "null" and not capture.has_display:
        # A system's EGL has no configurations for windows where it has no display. Qt's windows on a display are as
        # large as the program wants them; these are as large as the screen.
        wanted |= _QT
    for name, value in wanted.items():
        os.environ.setdefault(name, value)
