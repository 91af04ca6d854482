"""The recorder inside a program that is not Python's; ``native/preload.c`` starts it and tells it of the end.

What went wrong before the program ends is left in a file for the process that started it, see ``execution``.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Final

from capture.options import CaptureOptions
from capture.program import Program
from capture.session import Session
from traceformat.errors import ToolError
from traceformat.voice import say

__all__ = ["SETTINGS", "begin", "end"]

#: Variable that holds what the process that started the program wants of it, as JSON.
SETTINGS: Final = "GPUCAPTURE_SETTINGS"
_sessions: list[Session] = []


def begin() -> None:
    """Record this process from now on; a failure is said, and the program runs as it would without us."""
    settings = json.loads(os.environ[SETTINGS])
    output, device = Path(settings.pop("output")), settings.pop("device")
    if os.getppid() != settings.pop("parent"):
        # A process that the program has started.
        output = output.with_name(f"{output.stem}.{os.getpid()}{output.suffix}")
    name = Path(os.readlink("/proc/self/exe"))
    try:
        options = CaptureOptions(output=output, device=Path(device) if device else None, **settings)
        session = Session(options, Program(name, (str(name),), name.parent), leave=lambda: os._exit(0))
    except ToolError as error:
        say(f"gpucapture: {name.name}: {error}")
        sys.exit(error.exit_code)
    session.begin()
    _sessions.append(session)


def end(status: int) -> None:
    """End the trace; the program ends with this status."""
    for session in _sessions:
        result = session.finish(status)
        if not result.calls:
            session.path.unlink(missing_ok=True)
        elif result.finding is not None:
            say(f"gpucapture: {session.path}: {result.finding}")
