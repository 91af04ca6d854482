"""``gputrace``: look into trace files."""

from __future__ import annotations

import click

from traceformat.cli.door import LazyGroup, door, version_option

__all__ = ["cli", "main"]


@click.group(
    cls=LazyGroup,
    subcommands={
        "info": ("traceformat.cli.info:info", "What a trace holds, and what of it is lost."),
        "dump": ("traceformat.cli.dump:dump", "The calls of a trace as text or JSON lines."),
        "validate": (
            "traceformat.cli.validate:validate",
            "Check structure, arguments, lifetimes of objects, GL errors.",
        ),
        "state": ("traceformat.cli.state:state", "What a draw works with: pipeline, textures, uniforms, vertices."),
        "extract": ("traceformat.cli.extract:extract", "Textures, shaders, buffers, meshes and thumbnails as files."),
        "diff": ("traceformat.cli.diff:diff", "How two traces differ: calls, state, pictures."),
        "convert": ("traceformat.cli.convert:convert", "A trace as text in the style of apitrace dump."),
        "repack": ("traceformat.cli.repack:repack", "Write a trace anew: compression, duplicates, source lines."),
        "trim": ("traceformat.cli.trim:trim", "Cut a trace down to frames or calls, and what they need."),
    },
    context_settings={"help_option_names": ["-h", "--help"]},
)
@version_option()
def cli() -> None:
    """Look into .gltrace and .gputrace files.

    Exit status: 0 ok, 1 a finding, 2 usage, 3 bad trace, 4 missing environment or full disk, 70 a bug.
    """


main = door(cli, "gputrace")
