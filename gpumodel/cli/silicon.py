"""``gpureplay silicon``."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median
from typing import Any, Final

import click

from gpumodel.cli.options import ConfigSource, Setting
from traceformat.cli.door import Command
from traceformat.cli.options import examples
from traceformat.cli.paths import CSV, HTML, JSON, InputFile, OutputFile
from traceformat.cli.terminal import Progress, listing
from traceformat.output import FileKind, Output, leads_to_stdout, write_output

__all__ = ["silicon"]

_RESULTS: Final = FileKind("results of the kit", (".json", ".gz"))
config_option = click.option(
    "-c", "--config", type=ConfigSource(), default="v3d42", show_default=True, metavar="PRESET|FILE", help="The GPU."
)
settings_option = click.option(
    "--set", "settings", type=Setting(), multiple=True, metavar="KEY=VALUE", help="Change a value of the configuration."
)


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
        # The same file again and again, whole each time.
        with Output(output) as file:
            file.stream.write(packed(text_of(document).encode(), Path(output)))

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


@silicon.command(
    "validate",
    cls=Command,
    epilog=examples("gpureplay silicon validate board.json.gz -c v3d42 --html board.html"),
)
@click.argument("results", type=InputFile())
@config_option
@settings_option
@click.option("--html", "html_path", type=OutputFile(HTML), metavar="OUT.html", help="A page with scatter plots.")
@click.option("--csv", "csv_path", type=OutputFile(CSV), metavar="OUT.csv", help="A line a counter and benchmark.")
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True, help="Of the replay.")
def validate_results(
    results: str, config: str, settings: tuple[str, ...], html_path: str | None, csv_path: str | None, threads: int
) -> int:
    """Hold the model against RESULTS; exit status 1 where a functional count differs."""
    document = _read(results)
    from gpumodel.config.load import load_config
    from gpureplay.silicon.mapping import mapping_for
    from gpureplay.silicon.modelled import model_results
    from gpureplay.silicon.page import counter_rows, time_lines, validation_page
    from gpureplay.silicon.validation import csv_text, validate

    gpu = load_config(config, settings)
    mapping = mapping_for(document["device"]["renderer"])
    with Progress("capturing and modelling", unit=""):
        ours = model_results(document, gpu, threads)
    found = validate(document, ours, gpu.name, gpu.tech.clock_mhz, mapping)
    if csv_path is not None:
        write_output(csv_path, csv_text(found))
    if html_path is not None:
        write_output(html_path, validation_page(found))
    if not leads_to_stdout(csv_path) and not leads_to_stdout(html_path):
        if found.counters:
            listing(counter_rows(found), ["theirs", "ours", "relation", "agree", "median error", "rank correlation"])
        else:
            click.echo("no counter is one of ours (Mesa's drivers have pipeline statistics with silicon run --api gl)")
        doubts = [f"not to be trusted: {line}" for line in found.doubts]
        if found.not_captured:
            doubts.append(f"not ours, or another version of the program: {', '.join(found.not_captured)}")
        click.echo("\n".join([*time_lines(found), *found.findings, *doubts]))
    return int(bool(found.findings))


@silicon.command("fit", cls=Command, epilog=examples("gpureplay silicon fit board.json.gz -c v3d42 --json fit.json"))
@click.argument("results", type=InputFile())
@config_option
@settings_option
@click.option("--json", "json_path", type=OutputFile(JSON), metavar="OUT.json", help="Parameters, settings, errors.")
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True, help="Of the replay.")
def fit_results(results: str, config: str, settings: tuple[str, ...], json_path: str | None, threads: int) -> None:
    """Fit parameters of a configuration to RESULTS, one by one, from microbenchmarks alone.

    What cannot be told keeps its value, with the benchmark that would be needed. The error is of benchmarks and twins
    that were not fitted.
    """
    document = _read(results)
    from gpumodel.config.load import load_config
    from gpureplay.silicon.bench import ReplayedBench
    from gpureplay.silicon.fitting import fit, fit_document, held_out_errors
    from gpureplay.silicon.mapping import mapping_for
    from gpureplay.silicon.modelled import our_benchmarks
    from gpureplay.silicon.parameters import benchmarks_needed

    needed = benchmarks_needed()
    ours = our_benchmarks(document)
    document = {**document, "benchmarks": {name: document["benchmarks"][name] for name in ours}}
    names = [name for name in ours if name in needed]
    base = load_config(config, settings)
    mapping = mapping_for(document["device"]["renderer"])
    with Progress("capturing and fitting", unit=""):
        with ReplayedBench(names, threads) as bench:
            found = fit(document, mapping, base, bench)
        held_out = held_out_errors(document, base, found, threads)
    if json_path is not None:
        write_output(json_path, json.dumps(fit_document(found, held_out), indent=1) + "\n")
    if leads_to_stdout(json_path):
        return
    listing(
        [
            [one.key, f"{one.before:g}", "-" if one.value is None else f"{one.value:g}", f"{one.low:g} to {one.high:g}",
             "yes" if one.is_identified else "no", one.remark]
            for one in found.parameters
        ],
        ["parameter", "before", "best", "interval", "identified", ""],
    )  # fmt: skip
    if held_out:
        before, after = (median(errors[k] for errors in held_out.values()) for k in (0, 1))
        click.echo(f"held out, {len(held_out)} benchmarks: median deviation {before:.1%} before, {after:.1%} after")
