"""``gpucapture``: run a program and record what it says to GL."""

from __future__ import annotations

import click

from traceformat.cli.door import LazyGroup, door, version_option

__all__ = ["cli", "main"]


@click.group(
    cls=LazyGroup,
    subcommands={
        "run": ("capture.cli.run:run", "Run a Python program and write its trace."),
        "exec": ("capture.cli.execute:execute_command", "Run a program of any language and write its trace."),
        "sample": ("capture.cli.sample:sample", "Run one of the demo programs and write its trace."),
        "samples": ("capture.cli.samples:samples", "List the demo programs."),
        "device": ("capture.cli.device:device", "Print the null driver's device."),
        "import": ("capture.cli.import_trace:import_command", "Convert an apitrace file."),
    },
    context_settings={"help_option_names": ["-h", "--help"]},
)
@version_option()
def cli() -> None:
    """Record the OpenGL and OpenGL ES calls of Python programs, and of others.

    Exit status of run, exec and sample: the program's own; after a program's 0: 1 it drew nothing or called what is not
    supported, 70 a bug of the recorder. Before it starts: 2 usage, 4 no GL with --driver system.
    """


main = door(cli, "gpucapture", takes_signals=False)
