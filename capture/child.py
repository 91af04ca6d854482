"""What runs in a Python program that a captured program started: see ``children``."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from capture.options import CaptureOptions
from capture.program import Program
from capture.session import Session
from traceformat.errors import ToolError
from traceformat.voice import say

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a script under capture as a child: quiet, with the script's own status, without a trace if it calls no GL."""
    settings, script, *rest = list(sys.argv[1:] if arguments is None else arguments)
    values = json.loads(settings)
    parent = Path(values.pop("output"))
    output = parent.with_name(f"{parent.stem}.{os.getpid()}{parent.suffix}")
    device, step = values.pop("device"), values.pop("clock_step")
    options = CaptureOptions(
        output=output, device=Path(device) if device else None, clock_step=Fraction(step) if step else None, **values
    )
    try:
        session = Session(options, Program.from_script(Path(script), rest))
    except ToolError as error:
        say(f"gpucapture: {script}: {error}")
        sys.exit(error.exit_code)
    result = session.run()
    if result.calls == 0:
        output.unlink(missing_ok=True)
    else:
        finding = f"; {result.finding}" if result.finding is not None else ""
        say(f"gpucapture: {output}: {result.frames:,} frames, {result.calls:,} calls{finding}")
    sys.exit(result.status)
