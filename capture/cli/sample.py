"""``gpucapture sample``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from capture.cli.options import (
    captured,
    device_option,
    driver_option,
    output_option,
    readback_option,
)
from traceformat.cli.door import Command
from traceformat.cli.options import examples
from traceformat.errors import UsageError

if TYPE_CHECKING:
    from capture.drivers.base import DriverName, ReadbackName

__all__ = ["sample"]


def _names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Samples, for the shell's completion."""
    from samples import PROGRAMS

    return [name for name in PROGRAMS if name.startswith(incomplete)]


@click.command(cls=Command, epilog=examples("gpucapture sample cube -o cube.gltrace --frames 10"))
@output_option(lambda given: str(given["name"]))
@driver_option
@readback_option
@device_option
@click.option("--frames", type=click.IntRange(min=1), metavar="N", help="Frames that the sample draws.")
@click.option("--size", metavar="WxH", help="Size of its picture in pixels.")
@click.argument("name", shell_complete=_names)
def sample(
    output: str,
    driver: DriverName,
    readback: ReadbackName,
    device: str | None,
    frames: int | None,
    size: str | None,
    name: str,
) -> int:
    """Run the demo program NAME and write its trace."""
    from difflib import get_close_matches

    from capture.options import CaptureOptions
    from capture.program import Program
    from samples import PROGRAMS

    if name not in PROGRAMS:
        near = get_close_matches(name, PROGRAMS, 1)
        raise UsageError(
            f"there is no sample {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""),
            hint="gpucapture samples lists them",
        )
    arguments = [*(("--frames", str(frames)) if frames else ()), *(("--size", size) if size else ())]
    chosen = PROGRAMS[name]
    program = Program.from_sample(chosen.module or name, [*chosen.arguments, *arguments])
    options = CaptureOptions(Path(output), driver, readback, Path(device) if device else None)
    return captured(options, program)
