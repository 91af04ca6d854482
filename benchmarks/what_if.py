"""Techniques with other configurations, side by side: which cause a difference has.

usage: python benchmarks/what_if.py TRACE... --run base --run vro --run "dr:dr.hsr_attributes='position',raster.units=1"
       [--frames 2] [--preset mali450-vro]

A run is a technique (``base`` for none, several with +) and settings behind a colon. Figures are of the last frame;
speed, energy and misses are against the first run.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import replay
from gpumodel.columns import REQUIRED_COLUMNS
from gpumodel.config import load_config
from gpumodel.run import Run

SETTINGS = ("screen.scale_to_trace=true", "binning.parameter_buffer_mib=1024")
COLUMNS = ("trace", "run", "Mcycles", "speed", "energy", "shaded a pixel", "fetch cycles", "misses", "raster speed")


def make(preset: str, text: str) -> Run:
    """Run that a text asks for."""
    technique, _, settings = text.partition(":")
    ids = [] if technique == "base" else technique.split("+")
    return Run(load_config(preset, [*SETTINGS, *(part for part in settings.split(",") if part)]), ids)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", nargs="+", type=Path)
    parser.add_argument("--run", action="append", required=True)
    parser.add_argument("--frames", type=int, default=2)
    parser.add_argument("--preset", default="mali450-vro")
    wanted = parser.parse_args()
    print("| " + " | ".join(COLUMNS) + " |\n|---|---|" + "--:|" * (len(COLUMNS) - 2))
    for path in wanted.traces:
        runs = [make(wanted.preset, text) for text in wanted.run]
        pixels = 1
        with replay.frames(path, columns=REQUIRED_COLUMNS) as source:
            for number, trace in enumerate(source):
                if number == wanted.frames:
                    break
                pixels = trace.width * trace.height
                for run in runs:
                    run.add(trace)
        base = runs[0].result.frames[-1]
        for text, run in zip(wanted.run, runs, strict=True):
            frame = run.result.frames[-1]
            c = frame.counters
            misses = base.counters["cache.tile.primary_misses"]
            figures = (
                frame.cycles / 1e6, base.cycles / frame.cycles, frame.energy.total / base.energy.total,
                c["fragments.shaded"] / pixels, c["tile_fetch.cycles_per_primitive"],
                c["cache.tile.primary_misses"] / max(misses, 1), base.raster_cycles / max(frame.raster_cycles, 1),
            )  # fmt: skip
            print(f"| {path.stem} | `{text}` | " + " | ".join(f"{value:.3f}" for value in figures) + " |", flush=True)


if __name__ == "__main__":
    main()
