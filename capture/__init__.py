"""Capture of OpenGL and OpenGL ES programs: interception, drivers, importers.

``capture_program`` runs a script under capture in this process; the command is ``gpucapture``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from capture.session import CaptureOptions, CaptureResult, capture_program

__all__ = ["CaptureOptions", "CaptureResult", "capture_program"]


def __getattr__(name: str) -> Any:
    """Import what is asked for only then: the command's ``--help`` needs none of it."""
    if name in __all__:
        import importlib

        return getattr(importlib.import_module("capture.session"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
