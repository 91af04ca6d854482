"""Runs side by side: each technique against the baseline of its configuration and memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from gpumodel.report.labels import run_labels
from gpumodel.report.overshading import order_verdicts
from gpumodel.report.table import dearest_of, frame_count
from gpumodel.report.verdict import verdict
from gpumodel.results import RunResult, dram_bytes, total_of
from gpumodel.techniques.registry import BASELINE

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["COLUMNS", "comparison_rows", "print_comparison"]

COLUMNS: Final = (
    "run", "million\ncycles", "ms", "speedup", "mJ", "energy\nratio", "MB", "traffic\nratio", "shading\nratio",
    "added\narea", "pixels",
)  # fmt: skip


#: Columns of a terminal that has room for all of these.
_WIDE: Final = 100


def comparison_rows(runs: Sequence[RunResult]) -> list[tuple[str, ...]]:
    """Rows of COLUMNS, means a frame: cycles, time, energy, memory traffic, shaded fragments, area of the technique's
    hardware, and whether the pixels were verified.

    Speedup and ratios are against the baseline of the same configuration and memory.
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
        cycles = total.cycles / frames

        def ratio(value: float, of: float, is_base: bool = is_base) -> str:
            return f"{value / of:.3f}" if of and not is_base else "-"

        rows.append(
            (
                label,
                f"{cycles / 1e6:.3f}",
                f"{cycles / run.config.tech.clock_mhz / 1e3:.3f}",
                ratio(basis.cycles, total.cycles),
                f"{total.energy.total / frames / 1e9:.3f}",
                ratio(total.energy.total, basis.energy.total),
                f"{moved / frames / 1e6:.2f}",
                ratio(moved, basis_moved),
                ratio(shaded, basis_shaded),
                f"+{run.area_share:.1%}" if not is_base else "-",
                "-" if run.verification is None else run.verification.word,
            )
        )
    return rows


def print_comparison(console: Console, runs: Sequence[RunResult], *, title: str) -> None:
    """Print the runs side by side, then what bounds each of them.

    Parameters
    ----------
    title : name of the trace
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    counted = frame_count(runs[0].frames)
    console.print(Text(f"{title}: {counted}; ratios to the baseline of the same GPU and memory"))
    for run, label in zip(runs, run_labels(runs), strict=True):
        if (own := frame_count(run.frames)) != counted:
            console.print(Text(f"{label}: {own}"))
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    rows = comparison_rows(runs)
    # Without --verify and techniques some columns have nothing to say.
    shown = [k for k in range(len(COLUMNS)) if k == 0 or any(row[k] != "-" for row in rows)]
    if console.width < _WIDE and len({run.config.tech.clock_mhz for run in runs}) == 1:
        # Cycles tell it.
        shown.remove(COLUMNS.index("ms"))
    for number in shown:
        # Where the terminal is narrow a run's name breaks, never a figure.
        figures = number > 0
        heading = COLUMNS[number]
        width = max(len(text) for text in [*heading.split("\n"), *(row[number] for row in rows)]) if figures else None
        table.add_column(
            heading, justify="right" if figures else "left", no_wrap=figures, min_width=width, overflow="fold",
            vertical="bottom",
        )  # fmt: skip
    for row in rows:
        table.add_row(*(Text(row[number]) for number in shown))
    console.print(table, highlight=False)
    said = [
        (label, " ".join(filter(None, (verdict(total_of(run.measured)), dearest_of(run)))))
        for run, label in zip(runs, run_labels(runs), strict=True)
    ]
    # What bounds several runs alike is said once.
    for text in dict.fromkeys(text for _, text in said):
        console.print(Text(f"{', '.join(label for label, own in said if own == text)}: {text}"))
    for line in order_verdicts(runs):
        console.print(line, highlight=False)
