"""Techniques with other configurations, side by side: which cause a difference has.

usage: python benchmarks/what_if.py TRACE... --run base --run vro --run "dr:dr.hsr_attributes='position',raster.units=1"
       [--frames 2] [--preset mali450-vro] [--set KEY=VALUE]... [--instructions 11.7]

A run is a technique (``base`` for none, several with +) and settings behind a colon. Figures are of the last frame;
speed, energy, fetching (cycles of all fetches) and misses are against the first run. ``--set`` holds for all runs.
``--instructions`` shortens the fragment programs of frames whose fragments have more on average.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import replay
from benchmarks.short_shaders import instructions_per_fragment, shorten
from gpumodel.columns import REQUIRED_COLUMNS
from gpumodel.config import load_config
from gpumodel.runs import Run

SETTINGS = ("screen.scale_to_trace=true", "binning.parameter_buffer_mib=1024")
COLUMNS = (
    "trace", "run", "Mcycles", "speed", "energy", "shaded a pixel", "instructions", "fetch cycles", "fetching",
    "misses", "raster speed",
)  # fmt: skip


def make(preset: str, common: list[str], text: str) -> Run:
    """Run that a text asks for."""
    technique, _, settings = text.partition(":")
    ids = [] if technique == "base" else technique.split("+")
    return Run(load_config(preset, [*SETTINGS, *common, *(part for part in settings.split(",") if part)]), ids)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", nargs="+", type=Path)
    parser.add_argument("--run", action="append", required=True)
    parser.add_argument("--frames", type=int, default=2)
    parser.add_argument("--preset", default="mali450-vro")
    parser.add_argument("--set", action="append", default=[], dest="settings")
    parser.add_argument("--instructions", type=float, help="a fragment, at most")
    wanted = parser.parse_args()
    print("| " + " | ".join(COLUMNS) + " |\n|---|---|" + "--:|" * (len(COLUMNS) - 2))
    for path in wanted.traces:
        runs = [make(wanted.preset, wanted.settings, text) for text in wanted.run]
        pixels = 1
        with replay.frames(path, columns=REQUIRED_COLUMNS) as source:
            for number, trace in enumerate(source):
                if number == wanted.frames:
                    break
                pixels = trace.width * trace.height
                mean, work = instructions_per_fragment(trace)
                if wanted.instructions is not None and mean > wanted.instructions:
                    trace = shorten(trace, max(wanted.instructions - (mean - work), 0.0) / work)
                for run in runs:
                    run.add(trace)
        base = runs[0].result.frames[-1]
        for text, run in zip(wanted.run, runs, strict=True):
            frame = run.result.frames[-1]
            c = frame.counters
            misses, fetching = (base.counters[name] for name in ("cache.tile.primary_misses", "tile_fetch.cycles"))
            figures = (
                frame.cycles / 1e6, base.cycles / frame.cycles, frame.energy.total / base.energy.total,
                c["fragments.shaded"] / pixels,
                (c["fs.alu_instructions"] + c["fs.tex_instructions"]) / max(c["fragments.shaded"], 1),
                c["tile_fetch.cycles_per_primitive"], c["tile_fetch.cycles"] / max(fetching, 1),
                c["cache.tile.primary_misses"] / max(misses, 1), base.raster_cycles / max(frame.raster_cycles, 1),
            )  # fmt: skip
            print(f"| {path.stem} | `{text}` | " + " | ".join(f"{value:.3f}" for value in figures) + " |", flush=True)


if __name__ == "__main__":
    main()
