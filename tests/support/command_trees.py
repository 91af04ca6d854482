"""All commands that there are, found by walking."""

from __future__ import annotations

from collections.abc import Iterator

import click

from capture.cli import cli as gpucapture
from gpumodel.cli import cli as gpureplay
from gpumodel.memory.dram_check import dram_check
from replay.glsl.conformance.__main__ import conformance
from traceformat.cli import cli as gputrace

PROGRAMS = {
    "gpucapture": gpucapture, "gputrace": gputrace, "gpureplay": gpureplay, "dram_check": dram_check,
    "conformance": conformance,
}  # fmt: skip


def _leaves(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield name, command
        return
    context = click.Context(command)
    for child in command.list_commands(context):
        found = command.get_command(context, child)
        assert found is not None
        yield from _leaves(f"{name} {child}", found)


#: Name and command of each subcommand.
ALL = [leaf for name, program in PROGRAMS.items() for leaf in _leaves(name, program)]
