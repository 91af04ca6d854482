"""``gpucapture device``."""

from __future__ import annotations

from pathlib import Path

import click

from traceformat.cli.door import Command
from traceformat.cli.options import examples
from traceformat.cli.paths import InputFile

__all__ = ["device"]


@click.command(
    cls=Command,
    epilog=examples("gpucapture device > device.toml", "gpucapture sample cube --driver null --device device.toml"),
)
@click.argument("file", type=InputFile(), required=False, metavar="[FILE.toml]")
def device(file: str | None) -> None:
    """Print the device that the null driver answers for, as the TOML that --device reads.

    With a FILE, that device, with everything that the file leaves as it is.
    """
    from capture.drivers.device import Device, describe_device, read_device

    click.echo(describe_device(Device() if file is None else read_device(Path(file))), nl=False)
