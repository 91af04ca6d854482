"""``gpureplay presets``."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import click

from gpumodel.cli.options import PresetName
from traceformat.cli.door import Command
from traceformat.cli.options import examples

__all__ = ["list_presets", "presets"]


@click.command(cls=Command, epilog=examples("gpureplay presets", "gpureplay presets tbr-fhd"))
@click.argument("names", metavar="[NAME]...", nargs=-1, type=PresetName())
@click.option("--json", "as_json", is_flag=True, help="Presets with every value, its meaning, unit and source.")
def presets(names: tuple[str, ...], as_json: bool) -> None:
    """List the GPUs that -c names, or every value of some: what it is, its unit, and where it comes from."""
    from gpumodel.config.preset_values import preset_values
    from traceformat.cli.terminal import listing

    if not names:
        list_presets(as_json, values=True)
        return
    if as_json:
        found = {name: [asdict(value) for value in preset_values(name)] for name in names}
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    for name in names:
        rows = [(one.key, json.dumps(one.value), one.meaning, one.source) for one in preset_values(name)]
        listing(rows, ("key", "value", "meaning and unit", "source"), title=name if len(names) > 1 else "")


def list_presets(as_json: bool, *, values: bool = False) -> None:
    """Print all presets, one a line.

    Parameters
    ----------
    values : JSON has every value, too
    """
    from gpumodel.config import all_preset_names, load_machine
    from gpumodel.config.load import config_sha256
    from gpumodel.config.preset_values import preset_values
    from traceformat.cli.terminal import listing

    machines = [load_machine(name) for name in all_preset_names()]
    if not as_json:
        listing([(machine.name, machine.description) for machine in machines])
        return
    rows: list[dict[str, Any]] = [
        {"name": one.name, "description": one.description, "sha256": config_sha256(one)} for one in machines
    ]
    if values:
        rows = [row | {"values": [asdict(each) for each in preset_values(row["name"])]} for row in rows]
    click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
