"""``gpureplay results``."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from traceformat.cli.door import Command
from traceformat.cli.options import examples
from traceformat.cli.paths import CSV, PLOT, InputFile, OutputFile
from traceformat.cli.terminal import listing
from traceformat.output import leads_to_stdout, write_output

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["results"]

#: Keys of QUESTIONS; a test holds both together.
_QUESTIONS = ("speedup", "best", "pareto")
#: Columns of the catalogue that are shown where no question is asked.
_SHOWN = ("trace", "config", "technique", "memory", "frames", "cycles", "ms", "energy_pj", "area_mm2")
_EXAMPLES = examples(
    "gpureplay results out/ --pivot speedup",
    "gpureplay results out/ --pivot best --area 12",
    "gpureplay results out/ --pivot pareto --plot front.svg",
)


@click.command(cls=Command, epilog=_EXAMPLES)
@click.argument("folder", type=InputFile(), metavar="DIR")
@click.option(
    "--pivot", type=click.Choice(_QUESTIONS),
    help="speedup: by technique; best: the fastest configurations; pareto: time against energy.",
)  # fmt: skip
@click.option("--area", type=click.FloatRange(0), metavar="MM2", help="Leave out what is larger.")
@click.option("--csv", "csv_path", type=OutputFile(CSV), metavar="OUT.csv", help="The table as CSV.")
@click.option("--plot", "plot_path", type=OutputFile(PLOT), metavar="OUT.svg", help="The answer as a picture.")
def results(folder: str, pivot: str | None, area: float | None, csv_path: str | None, plot_path: str | None) -> None:
    """Ask the results of a study; without a question, list its runs.

    Figures are geometric means over the traces. The tables themselves are Parquet: pandas, polars and DuckDB read them.
    """
    from gpumodel.study.questions import answer
    from gpumodel.study.tables import read_catalogue

    catalogue = read_catalogue(Path(folder)).to_pylist()
    rows: Sequence[dict[str, Any]]
    if pivot is None and plot_path is None:
        rows = [{name: row[name] for name in _SHOWN} for row in catalogue]
    else:
        found = answer(pivot or "speedup", catalogue, math.inf if area is None else area)
        rows = found.rows
        for trace in found.left_out:
            click.echo(f"{trace} is left out: not all configurations have run on it", err=True)
        if plot_path is not None:
            from gpumodel.study.plot import picture, suffix_of

            write_output(plot_path, picture(found, suffix_of(plot_path)))
    if csv_path is not None:
        write_output(csv_path, _csv(rows))
    if not leads_to_stdout(csv_path) and not leads_to_stdout(plot_path):
        listing([[_text(value) for value in row.values()] for row in rows], list(rows[0]) if rows else [])


def _csv(rows: Sequence[dict[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _text(value: Any) -> str:
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
