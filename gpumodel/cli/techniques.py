"""``gpureplay techniques``, and the option that names techniques."""

from __future__ import annotations

from typing import Any

import click

from traceformat.cli.door import Command
from traceformat.cli.options import examples

__all__ = ["TechniqueOption", "techniques"]


class TechniqueOption(click.Option):
    """``-t``: its help names the techniques that there are, those of installed packages among them."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Say what is known when help is asked for."""
        from gpumodel.technique_names import technique_names

        record = super().get_help_record(ctx)
        return record and (record[0], f"{record[1]}  [{', '.join(technique_names())}]")


@click.command(cls=Command, epilog=examples("gpureplay techniques", "gpureplay techniques re vro"))
@click.argument("names", metavar="[ID]...", nargs=-1)
@click.option("--markdown", is_flag=True, help="The whole reference as a Markdown page.")
def techniques(names: tuple[str, ...], markdown: bool) -> None:
    """List the techniques, or say of some which parameters and counters they have."""
    from gpumodel.techniques import known_techniques, parse_techniques
    from gpumodel.techniques.reference import reference_page, summary_of, technique_reference

    known: dict[str, Any] = known_techniques()
    for name in names:
        parse_techniques([name])
    if markdown:
        click.echo(reference_page({name: known[name] for name in names or known}), nl=False)
    elif names:
        click.echo("\n".join(technique_reference(known[name]) for name in names), nl=False)
    else:
        width = max(map(len, known))
        for name in sorted(known):
            click.echo(f"{name:<{width}}  {summary_of(known[name])} ({known[name].source})")
