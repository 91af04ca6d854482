"""``gpucapture run``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from capture.cli.options import (
    captured,
    clock_option,
    device_option,
    driver_option,
    output_option,
    parse_frames,
    readback_option,
)
from traceformat.cli.door import Command
from traceformat.cli.options import examples
from traceformat.cli.paths import InputFile
from traceformat.errors import UsageError

if TYPE_CHECKING:
    from fractions import Fraction

    from capture.drivers.base import DriverName, ReadbackName

__all__ = ["run"]


@click.command(
    cls=Command,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    epilog=examples(
        "echo 'import moderngl as m; m.create_standalone_context().simple_framebuffer((9, 9)).clear()' > clear.py",
        "gpucapture run -o clear.gltrace clear.py",
        "gpucapture run -o clear.gltrace -m clear",
        "gpucapture run -o clear.gltrace --clock fixed --seed 1 clear.py",
    ),
)
@output_option(lambda given: given["script"] if given["module"] else Path(given["script"]).resolve().stem)
@driver_option
@readback_option
@device_option
@click.option("--frames", metavar="A-B", help="Record frames A to B, then end the program.")
@click.option("--paused", is_flag=True, help="Record nothing before the program calls capture.start().")
@click.option("--source", is_flag=True, help="Record file and line of each call.")
@clock_option
@click.option(
    "--seed", type=click.IntRange(0), metavar="N", help="Seed random and numpy.random, also what is unseeded."
)
@click.option("--seed-secrets", is_flag=True, help="With --seed: os.urandom, secrets and uuid4, too.")
@click.option("-m", "module", is_flag=True, help="SCRIPT is the name of a module or package, as in python -m.")
@click.argument("script", type=InputFile())
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(
    output: str,
    driver: DriverName,
    readback: ReadbackName,
    device: str | None,
    frames: str | None,
    paused: bool,
    source: bool,
    clock: Fraction | None,
    seed: int | None,
    seed_secrets: bool,
    module: bool,
    script: str,
    arguments: tuple[str, ...],
) -> int:
    """Run SCRIPT with its ARGUMENTS, unmodified, and write its trace."""
    first, last = parse_frames(frames)
    if seed_secrets and seed is None:
        raise UsageError("--seed-secrets has no seed", hint="give --seed N, too")
    from capture.options import CaptureOptions
    from capture.program import Program
    from traceformat.output import Target, refuse_collisions

    program = Program.from_module(script, arguments) if module else Program.from_script(Path(script), arguments)
    refuse_collisions([program.path], [Target.of(output)])
    options = CaptureOptions(
        Path(output), driver, readback, Path(device) if device else None, first, last, paused, source,
        clock, seed, seed_secrets,
    )  # fmt: skip
    return captured(options, program)
