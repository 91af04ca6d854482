"""The summary table of the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from gpumodel.report.costs import dearest
from gpumodel.report.labels import config_labels
from gpumodel.report.overshading import overshading_rows
from gpumodel.report.raster_units import raster_unit_rows
from gpumodel.report.redundancy_rows import picture_pixels, redundancy_rows
from gpumodel.report.verdict import utilization, verdict
from gpumodel.results import FrameResult, RunResult, dram_bytes, measured, total_of
from traceformat.gputrace.frametrace import FrameRole

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["dearest_of", "frame_count", "print_summary", "summary_rows"]

#: States of units in words: docs/MODEL.md.
_STATES: Final = {
    "queue": "next queue full", "data": "waits for memory", "resource": "waits for a resource",
    "dependency": "waits for another unit",
}  # fmt: skip


def summary_rows(run: RunResult) -> list[tuple[str, str, str]]:
    """What the table says of a run: quantity, value a frame, remark."""
    total = total_of(run.measured)
    frames = max(len(run.measured), 1)
    config = run.config
    cycles = total.cycles / frames
    c = total.counters
    energy = total.energy
    pixels = picture_pixels(total)
    traffic = dram_bytes(c)
    moved = sum(traffic.values())
    seconds = cycles / (config.tech.clock_mhz * 1e6)
    busy = utilization(total)

    def rate(cache: str) -> str:
        accesses = c[f"cache.{cache}.accesses"]
        return f"{c[f'cache.{cache}.hits'] / accesses:.1%}" if accesses else "-"

    def share(value: float) -> str:
        return f"{value / energy.total:.0%}" if energy.total else "-"

    traffic_text = ", ".join(f"{kind} {value / moved:.0%}" for kind, value in traffic.items() if moved and value)
    return [
        ("cycles", f"{cycles:,.0f}", f"{1e3 * seconds:.2f} ms at {config.tech.clock_mhz:g} MHz"),
        ("  geometry", f"{total.geometry_cycles / frames:,.0f}", f"{total.geometry_cycles / max(total.cycles, 1):.0%}"),
        ("  raster", f"{total.raster_cycles / frames:,.0f}", f"{total.raster_cycles / max(total.cycles, 1):.0%}"),
        (
            "energy",
            f"{energy.total / frames / 1e9:.3f} mJ",
            f"{energy.total / frames * 1e-9 / max(seconds, 1e-12):.0f} mW",
        ),
        (
            "  GPU dynamic / static",
            f"{energy.gpu_dynamic / frames / 1e9:.3f} / {energy.gpu_static / frames / 1e9:.3f} mJ",
            f"{share(energy.gpu_dynamic)} / {share(energy.gpu_static)}",
        ),
        (
            "  memory dynamic / static",
            f"{energy.dram_dynamic / frames / 1e9:.3f} / {energy.dram_static / frames / 1e9:.3f} mJ",
            f"{share(energy.dram_dynamic)} / {share(energy.dram_static)}",
        ),
        (
            "draws, primitives",
            f"{c['draws'] / frames:,.0f}, {c['primitives.in'] / frames:,.0f}",
            f"{c['primitives.culled'] / max(c['primitives.in'], 1):.0%} culled",
        ),
        ("vertices shaded", f"{c['vertices.shaded'] / frames:,.0f}", f"{c['vertices.in'] / frames:,.0f} indices"),
        (
            "primitives per tile",
            f"{c['primitive_tile_pairs'] / max(c['tiles.rendered'], 1):.1f}",
            f"fetch {c['tile_fetch.cycles_per_primitive']:.0f} cycles each,"
            f" {c['cache.tile.primary_misses'] / frames:,.0f} Tile Cache misses",
        ),
        (
            "fragments rasterized",
            f"{c['fragments.rasterized'] / frames:,.0f}",
            f"{c['fragments.rasterized'] / pixels:.2f} a pixel",
        ),
        (
            "  killed by Early-Z",
            f"{c['fragments.early_z_killed'] / frames:,.0f}",
            f"{c['fragments.early_z_killed'] / max(c['fragments.rasterized'], 1):.0%}",
        ),
        ("  shaded", f"{c['fragments.shaded'] / frames:,.0f}", f"{c['fragments.shaded'] / pixels:.2f} a pixel"),
        (
            "instructions a fragment",
            f"{c['fs.alu_instructions'] / max(c['fragments.shaded'], 1):.1f} ALU",
            f"{c['fs.tex_instructions'] / max(c['fragments.shaded'], 1):.1f} texture",
        ),
        ("cache hits", f"texture {rate('texture')}, L2 {rate('l2')}", f"tile {rate('tile')}, vertex {rate('vertex')}"),
        ("memory traffic", f"{moved / frames / 1e6:.2f} MB", traffic_text),
        ("busy", f"fragment processors {busy['fragment_processor']:.0%}", f"memory {busy['dram']:.0%}"),
        *overshading_rows(total, frames, run.config),
        *raster_unit_rows(total),
        *redundancy_rows(run),
    ]


def print_summary(console: Console, runs: Sequence[RunResult], *, title: str, units: bool = False) -> None:
    """Print the table and the verdict of each run, means a frame.

    Parameters
    ----------
    units : also what each unit did with its time
    """
    from rich.text import Text

    for run, config in zip(runs, config_labels([run.config for run in runs]), strict=True):
        if not run.measured:
            console.print(f"{title}: {frame_count(run.frames)}: nothing was measured", highlight=False)
            continue
        total = total_of(run.measured)
        console.print(Text(f"{title}: {run.technique} on {config}, {frame_count(run.frames)}"), style="bold")
        console.print(_table(("quantity", "a frame", ""), summary_rows(run)), highlight=False)
        if units:
            console.print(_table(("unit", "busy", "otherwise"), _unit_rows(total)), highlight=False)
        words = " ".join(filter(None, (verdict(total), dearest_of(run))))
        console.print(Text(f"{words}\n"), style="bold", highlight=False)


def dearest_of(run: RunResult) -> str:
    """Sentence about the dearest object of a run, where costs were counted."""
    if run.first_costs is not None:
        frames = run.measured
        return dearest([run.first_costs], f" in frame {frames[0].frame}" if len(frames) > 1 else "")
    return dearest([frame.attribution for frame in run.measured if frame.attribution is not None])


def _table(headings: tuple[str, str, str], rows: Sequence[tuple[str, str, str]]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(headings[0], no_wrap=True)
    table.add_column(headings[1], justify="right", no_wrap=True)
    table.add_column(headings[2], style="dim")
    for row in rows:
        table.add_row(*row)
    return table


def _unit_rows(total: FrameResult) -> list[tuple[str, str, str]]:
    """What each unit did, in shares of the cycles; reasons of less than half a percent are left out."""
    rows = []
    for unit, states in total.stalls.items():
        cycles = sum(states.values()) or 1
        others = sorted(((n, state) for state, n in states.items() if state != "busy"), reverse=True)
        text = ", ".join(f"{_STATES.get(state, state)} {n / cycles:.0%}" for n, state in others if n / cycles >= 0.005)
        rows.append((unit, f"{states['busy'] / cycles:.0%}", text))
    return rows


def frame_count(frames: Sequence[FrameResult]) -> str:
    """Say how many frames a mean is of, and which ones were left out of it."""
    counted = len(measured(frames))
    text = f"mean of {counted} frames" if counted != 1 else "1 frame"
    for role in (FrameRole.WARM_UP, FrameRole.SET_UP):
        others = [str(frame.frame) for frame in frames if frame.role is role]
        if others:
            text += f", without {role} frame{'s' * (len(others) > 1)} {', '.join(others)}"
    return text
