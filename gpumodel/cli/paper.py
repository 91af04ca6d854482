"""``gpureplay paper``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpumodel.cli.options import Setting
from traceformat.cli.door import Command
from traceformat.cli.options import examples
from traceformat.cli.paths import OutputFolder
from traceformat.cli.terminal import listing
from traceformat.output import make_folder, write_output

if TYPE_CHECKING:
    from gpumodel.papers.reading import Ran

__all__ = ["paper"]


@click.group()
def paper() -> None:
    """Repeat the figures and tables of the four papers on programs that are free to use."""


@paper.command("list", cls=Command, epilog=examples("gpureplay paper list"))
def list_experiments() -> None:
    """List every figure and table that the model can speak to, with its state."""
    from gpumodel.papers.description import experiments

    rows = [[one.id, "runs" if one.can_run else one.state, one.title] for one in experiments()]
    listing(rows, ["id", "state", "what"])


@paper.command(cls=Command, epilog=examples("gpureplay paper show thesis:5.3"))
@click.argument("identity", metavar="ID")
def show(identity: str) -> None:
    """Show what an experiment is: its source, what it runs, what the paper prints."""
    from gpumodel.papers.description import experiment

    one = experiment(identity)
    click.echo(f"{one.id}: {one.title}\nsource: {one.source}\nstate: {one.state}")
    if one.reason:
        click.echo(f"reason: {one.reason}")
    if one.has_twins:
        click.echo(f"variants of each twin: {one.variants}")
    if one.can_run:
        click.echo(f"machine: {one.machine}")
    if one.handheld is not None:
        of = f"{', '.join(one.handheld.scenes)} from frame {one.handheld.first} on" if one.handheld.scenes else "twins"
        click.echo(f"plays: {one.handheld.count} frames of {of}")
        click.echo(f"runs: baseline, {', '.join(one.handheld.techniques)}")
    if one.study is not None:
        click.echo(f"frames: {', '.join(one.study.frames)} of {one.study.length}")
        click.echo(f"runs: baseline, {', '.join(one.study.techniques) or 'nothing else'}")
        for number, values in enumerate(one.study.settings):
            click.echo(f"settings {number}: {', '.join(f'{key} = {value}' for key, value in values.items())}")
    for series in one.series:
        against = f" of {series.technique} against {series.against}" if series.against else ""
        click.echo(f"bars: {series.name}: {series.reading} of {series.figure}{against}")
        for printed in series.printed:
            click.echo(f'  {printed.of}: {printed.value:g}: "{printed.sentence}"')


@paper.command(
    cls=Command, epilog=examples("gpureplay paper run thesis:5.3 -o out/", "gpureplay paper run all --quick -o out/")
)
@click.argument("identities", metavar="ID|PAPER|all...", nargs=-1, required=True)
@click.option("-o", "--output", type=OutputFolder(), metavar="DIR", required=True, help="Folder of tables and plots.")
@click.option("--workload", "workloads", multiple=True, metavar="TWIN", help="Which; all of the paper's by default.")
@click.option("--quick", "is_quick", is_flag=True, help="One frame of each workload, half as wide and high.")
@click.option(
    "--variant", "letters", multiple=True, type=click.Choice(("a", "b", "c")),
    help="Of the workloads, which.  [default: all for means that the paper prints, else the first, as `paper show` "
    "tells; with --quick the first]",
)  # fmt: skip
@click.option(
    "--set", "settings", multiple=True, type=Setting(), metavar="KEY=VALUE",
    help="Change a value of all GPUs; an experiment's own settings stay.",
)  # fmt: skip
@click.option(
    "--workers",
    type=click.IntRange(0, 1024),
    metavar="N",
    help="Processes on this machine; 0 works in this one.  [default: one a processor]",
)
@click.option(
    "--store", type=OutputFolder(), metavar="DIR", help="Where runs that are done are kept.  [default: the cache]"
)
def run(
    identities: tuple[str, ...], output: str, workloads: tuple[str, ...], is_quick: bool, letters: tuple[str, ...],
    settings: tuple[str, ...], workers: int | None, store: str | None,
) -> int:  # fmt: skip
    """Run experiments and write their tables, plots, CSV and a page; `all` runs every one that can be run, a paper's
    name every one of that paper.

    What is done is kept: the same command goes on where it was stopped. The page grows part by part, headlines first.
    """
    from gpumodel.config.load import setting_values
    from gpumodel.papers.description import in_parts, wanted_experiments
    from gpumodel.papers.drawing import picture
    from gpumodel.papers.page import page
    from gpumodel.papers.reading import bars_csv, headlines_csv
    from gpureplay.papers import Asked, check_experiments, run_experiments

    asked = Asked(workloads, is_quick, letters, setting_values(settings), Path(store) if store else None, workers)
    wanted = wanted_experiments(identities, workloads)
    check_experiments(wanted, asked)
    folder = make_folder(Path(output))
    done: list[Ran] = []
    for part in in_parts(wanted):
        new = run_experiments(part, folder, asked)
        for ran in new:
            name = ran.experiment.id.replace(":", "-")
            write_output(folder / f"{name}.csv", bars_csv(ran.bars))
            for suffix in (".svg", ".png") if ran.bars and ran.experiment.is_plotted else ():
                write_output(folder / f"{name}{suffix}", picture(ran.experiment, ran.bars, suffix))
            _tell(ran)
        done += new
        write_output(folder / "headlines.csv", headlines_csv(done), grows=True)
        write_output(folder / "index.html", page(done, is_quick=is_quick), grows=True)
    failures = list(dict.fromkeys(failure for ran in done for failure in ran.failures))
    for failure in failures:
        click.echo(f"failed: {failure}", err=True)
    return int(bool(failures))


def _tell(ran: Ran) -> None:
    """Print the table of an experiment."""
    unit = f" ({ran.experiment.unit})" if ran.experiment.unit else ""
    click.echo(f"{ran.experiment.id}: {ran.experiment.title}{unit}")
    if ran.experiment.pictures:
        click.echo(f"pictures/{ran.experiment.pictures} shows it")
    rows = [
        [
            bar.series,
            bar.workload,
            f"{bar.ours:.4g}",
            f"{bar.low:.4g} to {bar.high:.4g}",
            "" if bar.paper is None else f"{bar.paper:.4g}",
            "" if bar.ratio is None else f"{bar.ratio:.2f}",
        ]
        for bar in ran.bars
    ]
    if rows:
        listing(rows, ["bars", "workload", "ours", "from, to", "paper", "ours/paper"])
    if ran.missing:
        click.echo(f"no twin yet: {', '.join(ran.missing)}", err=True)
