"""Capture of OpenGL and OpenGL ES programs: interception, drivers, importers.

``capture_program`` runs a script under capture in this process; the command is ``gpucapture``. A program that runs
under capture can say what is to be recorded, by ``start()``, ``stop()``, ``frame()``, ``marker()`` and ``group()``;
without a capture they do nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture.control import frame, group, is_capturing, marker, start, stop
from traceformat.lazy import lazy_names

if TYPE_CHECKING:
    from capture.options import CaptureOptions
    from capture.session import CaptureResult, capture_program

__all__ = [
    "CaptureOptions",
    "CaptureResult",
    "capture_program",
    "frame",
    "group",
    "is_capturing",
    "marker",
    "start",
    "stop",
]


# The command's ``--help`` needs none of these.
__getattr__, __dir__ = lazy_names(
    __name__, {"CaptureOptions": "session", "CaptureResult": "session", "capture_program": "session"}
)
