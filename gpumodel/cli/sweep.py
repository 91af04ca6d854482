"""``gpureplay sweep``."""

from __future__ import annotations

from pathlib import Path

import click

from gpumodel.cli.options import opened_store, trace_store_options
from traceformat.cli.door import Command
from traceformat.cli.options import examples
from traceformat.cli.paths import InputFile, OutputFolder

__all__ = ["sweep"]

_EXAMPLES = examples(
    "gpureplay sweep study.toml -o out/",
    "gpureplay sweep study.toml -o out/ --scheduler tcp://127.0.0.1:8786",
    "gpureplay results out/ --pivot speedup",
)


@click.command(cls=Command, epilog=_EXAMPLES)
@click.argument("study", type=InputFile(), metavar="STUDY.toml")
@click.option("-o", "--output", type=OutputFolder(), metavar="DIR", required=True, help="Folder of the tables.")
@click.option(
    "--workers", type=click.IntRange(0, 1024), metavar="N",
    help="Processes on this machine; 0 works in this one.  [default: one a processor]",
)  # fmt: skip
@click.option("--scheduler", metavar="ADDRESS", help="Dask's scheduler whose workers do it, such as tcp://host:8786.")
@click.option(
    "--store", type=OutputFolder(), metavar="DIR",
    help="Where runs that are done are kept, for all studies.  [default: the cache]",
)  # fmt: skip
@trace_store_options
@click.option("--fresh", is_flag=True, help="Run everything, also what is done.")
def sweep(
    study: str,
    output: str,
    workers: int | None,
    scheduler: str | None,
    store: str | None,
    trace_store: str | None,
    trace_store_gib: float,
    fresh: bool,
) -> int:
    """Run a study: many configurations and techniques on many traces, each trace replayed once for many of them.

    What is done is kept, for all studies: the same command goes on where it was stopped, and a changed study runs what
    is new in it.
    """
    from gpureplay.sweeping import ShownSweep, Stores, described, run_study

    file = described(study)
    stores = Stores.of(store, opened_store(trace_store, trace_store_gib))
    with ShownSweep() as shown:
        outcome = run_study(file, Path(output), shown, workers=workers, scheduler=scheduler, stores=stores, fresh=fresh)
    for name, lines in outcome.missing.items():
        for line in lines:
            click.echo(f"warning: {name}: {line}", err=True)
    for name, text, _ in outcome.failures:
        click.echo(f"failed: {name}: {text}", err=True)
    click.echo(f"{output}: {outcome.num_recorded} of {len(outcome.plan.runs)} runs")
    return max((code for *_, code in outcome.failures), default=0)
