"""``gpureplay silicon``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click

from traceformat.cli.door import Command
from traceformat.cli.options import examples
from traceformat.cli.paths import InputFile, OutputFile
from traceformat.cli.terminal import listing
from traceformat.output import FileKind, write_output

__all__ = ["silicon"]

_RESULTS: Final = FileKind("results of the kit", (".json", ".gz"))


@click.group()
def silicon() -> None:
    """Measure a GPU with programs of known work, and hold the model against it: docs/SILICON.md."""


@silicon.command(
    "run",
    cls=Command,
    epilog=examples("gpureplay silicon run -o board.json.gz", "gpureplay silicon run --quick fill alu -o some.json"),
)
@click.argument("names", nargs=-1, metavar="[BENCHMARK...]")
@click.option(
    "-o", "--output", type=OutputFile(_RESULTS, only_files=True), metavar="RESULTS.json[.gz]", required=True,
    help="The results; the same command goes on after an interruption.",
)  # fmt: skip
@click.option("--api", type=click.Choice(["gles", "gl"]), default="gles", show_default=True, help="Kind of context.")
@click.option("--quick", is_flag=True, help="Few and short samples.")
@click.option("--seed", type=click.IntRange(0), metavar="N", help="Of the order.  [default: drawn, and kept]")
@click.option("--seconds", type=float, default=900.0, show_default=True, help="Begin no benchmark after so long.")
def run_kit(names: tuple[str, ...], output: str, api: str, quick: bool, seed: int | None, seconds: float) -> None:
    """Measure this machine's GPU: times and all counters that its driver offers, for every benchmark or those named.

    The kit needs Python, numpy and PyOpenGL alone: the folder samples/silicon can be copied to a board.
    """
    from samples.silicon.command import Asked, measured, summary
    from samples.silicon.device import NoDevice
    from samples.silicon.results import ResultsError, packed, text_of
    from traceformat.errors import MissingEnvironmentError, UsageError

    def save(document: dict[str, Any]) -> None:
        write_output(output, packed(text_of(document).encode(), Path(output)))

    try:
        document = measured(
            Path(output), Asked(names, api, seed, quick, seconds), save, lambda text: click.echo(text, err=True)
        )
    except ResultsError as error:
        raise UsageError(str(error)) from None
    except NoDevice as error:
        raise MissingEnvironmentError(str(error), hint="gpureplay doctor tells what this machine has") from None
    click.echo("\n".join(summary(document)), err=True)


@silicon.command("list", cls=Command, epilog=examples("gpureplay silicon list"))
def list_benchmarks() -> None:
    """List the benchmarks, with what each identifies."""
    from samples.silicon.measuring import chosen

    listing(
        [[one.name, one.family, one.identifies] for one in chosen().values()], ["benchmark", "family", "identifies"]
    )


@silicon.command("check", cls=Command, epilog=examples("gpureplay silicon check board.json.gz"))
@click.argument("results", type=InputFile())
def check(results: str) -> None:
    """Look whether a file has the form of results, and what in it cannot be true."""
    from samples.silicon.command import summary

    click.echo("\n".join(summary(_read(results))))


def _read(results: str) -> dict[str, Any]:
    from samples.silicon.results import ResultsError, read
    from traceformat.errors import UsageError

    try:
        return read(results)
    except ResultsError as error:
        raise UsageError(str(error)) from None
