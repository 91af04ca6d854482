"""``gpucapture device``."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["device"]


@click.command()
@click.argument("file", type=click.Path(path_type=Path), required=False, metavar="[FILE.toml]")
def device(file: Path | None) -> None:
    """Print the device that the null driver answers for, as the TOML that --device reads.

    With a FILE, that device, with everything that the file leaves as it is.

    Example: gpucapture device > device.toml && gpucapture sample cube --driver null --device device.toml
    """
    from capture.drivers.device import Device, describe_device, read_device

    click.echo(describe_device(Device() if file is None else read_device(file)), nl=False)
