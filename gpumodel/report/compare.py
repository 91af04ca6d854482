"""Runs side by side: each technique against the baseline of its configuration and memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from gpumodel.report.labels import run_labels
from gpumodel.report.overshading import order_verdicts
from gpumodel.results import RunResult, dram_bytes, total_of
from gpumodel.techniques.registry import BASELINE

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["comparison_rows", "print_comparison"]

COLUMNS: Final = ("run", "Mcycles", "speed", "mJ", "of", "MB", "of", "shaded", "area", "same")


def comparison_rows(runs: Sequence[RunResult]) -> list[tuple[str, ...]]:
    """Rows of COLUMNS, means a frame: cycles, energy, memory traffic, shaded fragments, extra area, and whether the
    pixels were the same.

    Speed is how many times faster than the baseline of the same configuration and memory; "of" is the share of its
    figure, and so is what is shaded.
    """
    rows: list[tuple[str, ...]] = []
    base = runs[0]
    for run, label in zip(runs, run_labels(runs), strict=True):
        if run.technique == BASELINE:
            base = run
        frames = max(len(run.measured), 1)
        total, basis = total_of(run.measured), total_of(base.measured)
        moved, basis_moved = (sum(dram_bytes(t.counters).values()) for t in (total, basis))
        shaded, basis_shaded = (t.counters.get("fragments.shaded", 0.0) for t in (total, basis))
        is_base = run is base

        def ratio(value: float, of: float, is_base: bool = is_base) -> str:
            return f"{value / of:.3f}" if of and not is_base else "-"

        rows.append(
            (
                label,
                f"{total.cycles / frames / 1e6:.3f}",
                ratio(basis.cycles, total.cycles),
                f"{total.energy.total / frames / 1e9:.3f}",
                ratio(total.energy.total, basis.energy.total),
                f"{moved / frames / 1e6:.2f}",
                ratio(moved, basis_moved),
                ratio(shaded, basis_shaded),
                f"+{run.area_share:.1%}" if not is_base else "-",
                "-" if run.verification is None else ("yes" if run.verification.identical else "NO"),
            )
        )
    return rows


def print_comparison(console: Console, runs: Sequence[RunResult]) -> None:
    """Print the runs side by side."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    title = "Means a frame, and how they compare with the baseline's"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    rows = comparison_rows(runs)
    for number, name in enumerate(COLUMNS):
        # Where the terminal is narrow a run's name breaks, never a figure.
        figures = number > 0
        width = max(len(row[number]) for row in [COLUMNS, *rows]) if figures else None
        table.add_column(
            name, justify="right" if figures else "left", no_wrap=figures, min_width=width, overflow="fold"
        )
    for row in rows:
        table.add_row(*row)
    console.print(table, highlight=False)
    for line in order_verdicts(runs):
        console.print(line, highlight=False)
