"""Traces through all presets: cycles, energy, what bounds them, host seconds, and where the model's time goes.

    python benchmarks/model_corpus.py TRACE.gltrace... [--frames N] [--verify] [--csv OUT.csv] [--plot OUT.svg]

One replay feeds all presets. The table has means a frame over the first N frames of each trace, host seconds of the
timing model alone (CPU time, one thread). The plot shows host time of each frame against its primitives, its quads
and its cache misses.
"""

from __future__ import annotations

import argparse
import csv
import math
from dataclasses import dataclass, fields
from pathlib import Path

import replay
from gpumodel import REQUIRED_COLUMNS, VERIFIED_COLUMNS, Run, load_config, preset_names, run_all
from gpumodel.report.verdict import verdict
from gpumodel.results import total_of
from traceformat.errors import ToolError


@dataclass(slots=True)
class FrameRow:
    """A frame on one preset."""

    trace: str
    frame: int
    preset: str
    cycles: int
    primitives: int
    quads: int
    misses: int
    host_seconds: float


def measure(path: Path, presets: list[str], frames: int, *, verify: bool) -> tuple[list[FrameRow], list[str]]:
    """Run a trace; gives its frames and its lines of the table."""
    runs = [Run(load_config(name), verify=verify, keep_passes=False) for name in presets]
    rows: list[FrameRow] = []
    columns = VERIFIED_COLUMNS if verify else REQUIRED_COLUMNS
    with replay.frames(path, columns=columns, frames=(0, frames - 1)) as played:
        for trace, raws in run_all(played, runs):
            for name, run, raw in zip(presets, runs, raws, strict=True):
                result = run.result.frames[-1]
                c = result.counters
                misses = sum(int(c[f"cache.{cache}.misses"]) for cache in ("vertex", "tile", "texture", "l2"))
                rows.append(
                    FrameRow(
                        path.stem, trace.frame, name, result.cycles, int(c["primitives.in"]),
                        int(c["quads.rasterized"]), misses, raw.host_seconds,
                    )
                )  # fmt: skip
    lines = []
    for name, run in zip(presets, runs, strict=True):
        count = max(len(run.result.frames), 1)
        total = total_of(run.result.frames)
        seconds = sum(row.host_seconds for row in rows if row.preset == name) / count
        same = ""
        if run.result.verification is not None:
            checked = run.result.verification
            same = " yes |" if checked.identical else f" {checked.mismatched_pixels} differ |"
        bound = verdict(total).partition(":")[0].partition(" bound")[0]
        lines.append(
            f"| {path.stem} | {name} | {count} | {total.cycles / count / 1e6:.3f} | "
            f"{total.energy.total / count / 1e9:.3f} | {bound} | {seconds:.3f} |{same}"
        )
    return rows, lines


def scatter(rows: list[FrameRow]) -> str:
    """SVG of host milliseconds against three sizes of a frame, both axes logarithmic."""
    width, height, margin = 360, 300, 50
    colors = {"mali450-vro": "#3b6ea5", "mali450-re": "#c96a2b", "tbr-fhd": "#4a9a5b"}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{3 * width}" height="{height + 40}" '
        'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>'
    ]
    top = max(row.host_seconds for row in rows) * 1e3

    def place(value: float, largest: float, length: float) -> float:
        decades = math.log10(max(largest, 10))
        return max(math.log10(max(value, 1)), 0) / decades * length

    for k, name in enumerate(("primitives", "quads", "misses")):
        left = k * width + margin
        span, rise = width - margin - 20, height - margin
        largest = max(max(getattr(row, name) for row in rows), 10)
        parts.append(f'<path d="M{left} 20V{20 + rise}H{left + span}" fill="none" stroke="black"/>')
        for power in range(int(math.log10(largest)) + 1):
            x = left + place(10**power, largest, span)
            parts.append(f'<text x="{x:.0f}" y="{36 + rise}" text-anchor="middle">1e{power}</text>')
        for power in range(int(math.log10(max(top, 10))) + 1):
            y = 20 + rise - place(10**power, top, rise)
            parts.append(f'<text x="{left - 4}" y="{y:.0f}" text-anchor="end">{10**power} ms</text>')
        parts.append(f'<text x="{left + span / 2:.0f}" y="{54 + rise}" text-anchor="middle">{name} of a frame</text>')
        for row in rows:
            x = left + place(getattr(row, name), largest, span)
            y = 20 + rise - place(row.host_seconds * 1e3, top, rise)
            color = colors.get(row.preset, "#666")
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{color}" fill-opacity="0.6"/>')
    for k, (name, color) in enumerate(colors.items()):
        parts.append(f'<circle cx="{70 + 140 * k}" cy="{height + 28}" r="4" fill="{color}"/>')
        parts.append(f'<text x="{80 + 140 * k}" y="{height + 32}">{name}</text>')
    return "".join([*parts, "</svg>\n"])


def main() -> None:
    """Measure the traces and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", nargs="+", type=Path)
    parser.add_argument("--frames", type=int, default=3, help="of each trace, from the first one")
    parser.add_argument("--verify", action="store_true", help="recompose and compare the pixels, too")
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--plot", type=Path)
    arguments = parser.parse_args()
    presets = [name for name in preset_names() if name != "handheld-2003"]
    print(f"| trace | preset | frames | Mcycles | mJ | bound by | host s |{' verified |' if arguments.verify else ''}")
    print(f"|---|---|--:|--:|--:|---|--:|{'---|' if arguments.verify else ''}")
    every: list[FrameRow] = []
    for path in arguments.traces:
        try:
            rows, lines = measure(path, presets, arguments.frames, verify=arguments.verify)
        except ToolError as error:
            print(f"| {path.stem} | {error} |", flush=True)
            continue
        every += rows
        print("\n".join(lines), flush=True)
    if arguments.csv:
        with arguments.csv.open("w", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            names = [field.name for field in fields(FrameRow)]
            writer.writerow(names)
            writer.writerows([getattr(row, name) for name in names] for row in every)
    if arguments.plot and every:
        arguments.plot.write_text(scatter(every))


if __name__ == "__main__":
    main()
