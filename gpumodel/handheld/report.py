"""The terminal's table of runs on a handheld rasterizer, side by side, and the pictures of a frame."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.handheld.run import HandheldRun
from gpumodel.report.maps import map_picture
from gpumodel.report.png import picture_png
from gpumodel.report.table import frame_count
from gpumodel.results import measured
from traceformat.gputrace.accessstream import AccessFrame
from traceformat.output import write_output

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["handheld_rows", "print_handheld", "write_handheld_pictures"]

_KINDS: Final = (
    ("depth read", "z_read"),
    ("depth write", "z_write"),
    ("colour read", "color_read"),
    ("colour write", "color_write"),
    ("texture", "texture"),
    ("z-min/z-max read", "tile_read"),
    ("z-min/z-max write", "tile_write"),
    ("z-max update", "tile_update"),
    ("stencil read", "stencil_read"),
    ("stencil write", "stencil_write"),
)


def handheld_rows(runs: Sequence[HandheldRun]) -> list[tuple[str, list[str]]]:
    """Rows of the table: what it is, and a value for each run; means a frame."""
    totals = [run.total for run in runs]
    counts = [max(len(measured(run.frames)), 1) for run in runs]
    tables = [total.counters for total in totals]
    first = tables[0]

    def row(name: str, values: list[str]) -> None:
        rows.append((name, values))

    def accesses(counter: str) -> list[str]:
        return [f"{table[counter] / count:,.0f}" for table, count in zip(tables, counts, strict=True)]

    rows: list[tuple[str, list[str]]] = []
    row("MB a frame, no clears, no filter", [f"{table['mb']:.3f}" for table in tables])
    row("  against the baseline", ["" if table is first else f"{table['mb'] / first['mb'] - 1:+.0%}"
        for table in tables] if first["mb"] else ["" for _ in tables])  # fmt: skip
    row("  two values a word always", [f"{table['mb_ideal']:.3f}" for table in tables])
    row("  with the filter pass", [f"{table['mb_with_filter']:.3f}" for table in tables])
    for name, kind in _KINDS:
        if any(table[f"access.{kind}"] for table in tables):
            row(f"  {name} accesses", accesses(f"access.{kind}"))
    row("  filter pass accesses", [
        f"{(table['access.filter_read'] + table['access.filter_write']) / count:,.0f}"
        for table, count in zip(tables, counts, strict=True)
    ])  # fmt: skip
    row("  clear accesses", accesses("access.clear"))
    clock = runs[0].config.tech.clock_mhz
    milliseconds = [total.cycles / count / clock / 1e3 for total, count in zip(totals, counts, strict=True)]
    row(f"ms a frame at {clock:g} MHz", [f"{value:.2f}" for value in milliseconds])
    row(
        "energy, mJ a frame",
        [f"{total.energy.total / count / 1e9:.3f}" for total, count in zip(totals, counts, strict=True)],
    )
    row(
        "  on-chip",
        [f"{total.energy.gpu_dynamic / count / 1e9:.3f}" for total, count in zip(totals, counts, strict=True)],
    )
    row("on-chip accesses", [f"{(table['onchip.reads'] + table['onchip.writes']) / count:,.0f}" for table, count in
                             zip(tables, counts, strict=True)])  # fmt: skip
    row("on-chip bytes", [f"{table['onchip.bytes']:g}" for table in tables])
    row("depth complexity", [f"{table['depth_complexity']:.3f}" for table in tables])
    row("overdraw", [f"{table['overdraw']:.3f}" for table in tables])
    row("alpha, beta", [f"{table['alpha']:.3f}, {table['beta']:.3f}" for table in tables])
    row("accesses a look-up", [f"{table['texture.accesses_per_lookup']:.3f}" for table in tables])
    row("textures, KiB", [f"{table['texture.bytes'] / 1024:,.0f}" for table in tables])
    return rows


#: Columns of the label and of a run.
_LABEL_COLUMNS: Final = 38
_RUN_COLUMNS: Final = 13


def print_handheld(console: Console, runs: Sequence[HandheldRun], *, title: str) -> None:
    """Print all runs side by side, as many to a table as fit, each against the first one (the baseline)."""
    from rich.table import Table

    count = frame_count(runs[0].frames)
    screen = runs[0].config.screen
    rows = handheld_rows(runs)
    fitting = max((console.width - _LABEL_COLUMNS) // _RUN_COLUMNS, 1)
    for first in range(0, len(runs), fitting):
        shown = range(first, min(first + fitting, len(runs)))
        table = Table(
            title=f"{title} on {runs[0].config.name} at {screen.width}x{screen.height}, {count}", title_justify="left"
        )
        table.add_column("a frame", no_wrap=True)
        for number in shown:
            table.add_column(runs[number].technique.replace("+", "+\n"), justify="right", no_wrap=True)
        for name, values in rows:
            table.add_row(name, *(values[number] for number in shown))
        console.print(table, highlight=False)


def write_handheld_pictures(folder: Path, frame: AccessFrame, *, suffix: str = "") -> None:
    """Write frame_NNNN.png, and frame_NNNN_overdraw.png: fragments that cover each pixel.

    Parameters
    ----------
    suffix : of the names, for runs with techniques
    """
    if frame.picture is None or frame.covered is None:
        return
    stem = f"frame_{frame.frame:04d}"
    write_output(folder / f"{stem}{suffix}.png", picture_png(frame.picture))
    covered: NDArray[np.uint32] = frame.covered
    png = map_picture(covered, cell=(1, 1), title="fragments", unit="a pixel", width=frame.width, height=frame.height)
    write_output(folder / f"{stem}{suffix}_overdraw.png", png)
