"""Capture of OpenGL and OpenGL ES programs: interception, drivers, importers.

``capture_program`` runs a script under capture in this process; the command is ``gpucapture``. A program that runs
under capture can say what is to be recorded, by ``start()``, ``stop()``, ``frame()``, ``marker()`` and ``group()``;
without a capture they do nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

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


#: Names that the command's ``--help`` does not need.
_LAZY: Final = {"CaptureOptions": "session", "CaptureResult": "session", "capture_program": "session"}


def __getattr__(name: str) -> Any:
    # Not at the top: a captured program can import this package, and finds nothing else of ours.
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from traceformat.lazy import lazy_names

    return lazy_names(__name__, _LAZY)[0](name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
