"""``gpucapture run``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from capture.cli.options import (
    device_option,
    driver_option,
    output_option,
    parse_frames,
    progress,
    readback_option,
    report,
)
from traceformat.errors import UsageError

if TYPE_CHECKING:
    from capture.drivers.base import DriverName, ReadbackName

__all__ = ["run"]


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@output_option
@driver_option
@readback_option
@device_option
@click.option("--frames", metavar="A-B", help="Record frames A to B, then end the program.")
@click.option("--paused", is_flag=True, help="Record nothing before the program calls capture.start().")
@click.option("--source", is_flag=True, help="Record file and line of each call.")
@click.argument("script", type=click.Path(path_type=Path))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(
    output: Path | None,
    driver: DriverName,
    readback: ReadbackName,
    device: Path | None,
    frames: str | None,
    paused: bool,
    source: bool,
    script: Path,
    arguments: tuple[str, ...],
) -> int:
    """Run SCRIPT with its ARGUMENTS, unmodified, and write its trace.

    Example:

    \b
      echo 'import moderngl as m; m.create_standalone_context().simple_framebuffer((9, 9)).clear()' > clear.py
      gpucapture run -o clear.gltrace clear.py
    """  # noqa: D301 - click's mark for lines that it must not join
    first, last = parse_frames(frames)
    from capture.options import CaptureOptions
    from capture.program import Program
    from capture.session import Session

    program = Program.from_script(script, arguments)
    target = output or Path(script.resolve().stem + ".gltrace")
    if target.resolve() == program.path.resolve():
        raise UsageError(f"{target}: the trace would replace the script itself", hint="choose another -o")
    options = CaptureOptions(target, driver, readback, device, first, last, paused, source, progress())
    return report(options, Session(options, program).run())
