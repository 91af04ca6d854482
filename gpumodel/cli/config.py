"""``gpureplay config``."""

from __future__ import annotations

import click

from gpumodel.cli.options import ConfigSource, Setting
from gpumodel.machines import KINDS, TILE_BASED
from traceformat.cli.door import Command
from traceformat.cli.options import examples

__all__ = ["config"]


@click.group()
def config() -> None:
    """List, show and compare GPU configurations."""


@config.command("list", cls=Command, epilog=examples("gpureplay config list"))
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def list_presets(as_json: bool) -> None:
    """List the presets."""
    from gpumodel.cli.presets import list_presets as listed

    listed(as_json)


@config.command(
    cls=Command,
    epilog=examples(
        "gpureplay config show mali450-vro",
        "gpureplay config show tbr-fhd --set caches.l2.size_bytes=512K --resolved",
    ),
)
@click.argument("source", type=ConfigSource(), metavar="PRESET|FILE")
@click.option("--set", "settings", multiple=True, type=Setting(), metavar="KEY=VALUE", help="Change a value.")
@click.option(
    "--resolved", is_flag=True, help="Every value after files and --set, one dotted key a line, with its hash."
)
@click.option("--json", "as_json", is_flag=True, help="The resolved configuration as JSON.")
def show(source: str, settings: tuple[str, ...], resolved: bool, as_json: bool) -> None:
    """Show a configuration: a preset's own text with its sources and the techniques' parameters behind it, or the
    resolved values.
    """
    import json

    from gpumodel.config import GpuConfig, all_preset_names, load_machine, preset_text
    from gpumodel.config.load import config_sha256
    from gpumodel.config.origin import flatten

    gpu = load_machine(source, settings)
    if as_json:
        click.echo(json.dumps({"sha256": config_sha256(gpu), "config": gpu.model_dump(mode="json")}, indent=2))
    elif resolved or settings or source not in all_preset_names():
        click.echo(f"# sha256 {config_sha256(gpu)}")
        for key, value in flatten(gpu.model_dump(mode="json")).items():
            click.echo(f"{key} = {json.dumps(value)}")
    else:
        click.echo(preset_text(source), nl=False)
        if isinstance(gpu, GpuConfig):
            click.echo(technique_sections(), nl=False)


@config.command(cls=Command, epilog=examples("gpureplay config diff mali450-vro mali450-re"))
@click.argument("left", type=ConfigSource(), metavar="PRESET|FILE")
@click.argument("right", type=ConfigSource(), metavar="PRESET|FILE")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def diff(left: str, right: str, as_json: bool) -> int:
    """Show the values in which two configurations differ; exit status 1 when they do."""
    import json

    from gpumodel.config import load_machine
    from gpumodel.config.origin import flatten

    a, b = (flatten(load_machine(source).model_dump(mode="json")) for source in (left, right))
    changed = {key: [a.get(key), b.get(key)] for key in sorted({*a, *b}) if a.get(key) != b.get(key)}
    if as_json:
        click.echo(json.dumps(changed, indent=2))
    else:
        width = max((len(key) for key in changed), default=0)
        for key, (before, after) in changed.items():
            click.echo(f"{key:<{width}}  {json.dumps(before)} -> {json.dumps(after)}")
    return 1 if changed else 0


@config.command(cls=Command, epilog=examples("gpureplay config schema"))
@click.option(
    "--machine", type=click.Choice(list(KINDS)), default=TILE_BASED.name, show_default=True, help="Of which kind."
)
def schema(machine: str) -> None:
    """Print the schema of configurations: every key with range and unit, as JSON Schema."""
    import json

    click.echo(json.dumps(KINDS[machine].schema().model_json_schema(), indent=2))


def technique_sections() -> str:
    """Parameters of the known techniques as TOML, each with what it is and its source."""
    import json

    from gpumodel.techniques import known_techniques
    from gpumodel.techniques.reference import parameters_of

    rows = {row[0].strip("`"): row for technique in known_techniques().values() for row in parameters_of(technique)}
    lines: list[str] = []
    section = ""
    for place, name in sorted((key.rpartition(".")[0], key.rpartition(".")[2]) for key in rows):
        if place != section:
            section = place
            lines += ["", f"[{section}]"]
        _, default, limits, meaning, source = rows[f"{place}.{name}"]
        value = default if default.lstrip("-").replace(".", "").isdigit() else json.dumps(default)
        lines.append(f"{name} = {value}  # {meaning}{f' [{limits}]' if limits else ''}; {source}")
    return "\n".join(lines) + "\n"
