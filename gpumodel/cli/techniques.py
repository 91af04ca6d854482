"""``gpureplay techniques``, and the option that names techniques."""

from __future__ import annotations

import json
from typing import Any

import click

from gpumodel.cli.options import TechniqueName
from traceformat.cli.door import Command
from traceformat.cli.options import examples
from traceformat.errors import UsageError

__all__ = ["TechniqueOption", "techniques"]


class TechniqueOption(click.Option):
    """``-t``: its help names the techniques that there are, those of installed packages among them."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Say what is known when help is asked for."""
        from gpumodel.technique_names import technique_names

        record = super().get_help_record(ctx)
        return record and (record[0], f"{record[1]}  [{', '.join(technique_names())}]")


@click.command(cls=Command, epilog=examples("gpureplay techniques", "gpureplay techniques re vro"))
@click.argument("names", metavar="[ID]...", nargs=-1, type=TechniqueName())
@click.option("--markdown", is_flag=True, help="The whole reference as a Markdown page.")
@click.option("--matrix", is_flag=True, help="Which go together, as a Markdown page: + or the rule that refuses.")
@click.option("--json", "as_json", is_flag=True, help="Parameters, counters and sources as JSON.")
def techniques(names: tuple[str, ...], markdown: bool, matrix: bool, as_json: bool) -> None:
    """List the techniques, or say of some which parameters and counters they have."""
    from gpumodel.techniques import known_techniques, parse_techniques
    from gpumodel.techniques.reference import reference_page, summary_of, technique_document, technique_reference
    from traceformat.cli.terminal import listing

    known: dict[str, Any] = known_techniques()
    for name in names:
        parse_techniques([name])
    if markdown + matrix + as_json > 1:
        raise UsageError("--markdown, --matrix and --json exclude each other")
    if matrix:
        from gpumodel.techniques.matrix import matrix_page

        click.echo(matrix_page(sorted(names or known), "mali450-vro"), nl=False)
    elif as_json:
        documents = [technique_document(known[name]) for name in names or sorted(known)]
        click.echo(json.dumps(documents, indent=2, ensure_ascii=False))
    elif markdown:
        click.echo(reference_page({name: known[name] for name in names or known}), nl=False)
    elif names:
        click.echo("\n".join(technique_reference(known[name]) for name in names), nl=False)
    else:
        listing([(name, summary_of(known[name]), known[name].source) for name in sorted(known)])
