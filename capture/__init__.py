"""Capture of OpenGL and OpenGL ES programs: interception, drivers, importers.

``capture_program`` runs a script under capture in this process; the command is ``gpucapture``. A program that runs
under capture can say what is to be recorded, by ``start()``, ``stop()``, ``frame()``, ``marker()`` and ``group()``;
without a capture they do nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capture.control import frame, group, is_capturing, marker, start, stop

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


def __getattr__(name: str) -> Any:
    """Import what is asked for only then: the command's ``--help`` needs none of it."""
    if name in __all__:
        import importlib

        return getattr(importlib.import_module("capture.session"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
