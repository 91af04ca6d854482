"""Speed of the timing model on frames of the samples: simulated cycles a second over presets and memories.

    python benchmarks/bench_frames.py [--samples city,forest] [--size 1200x768] [--keep FOLDER] [--json OUT]

Frames are the third of each sample. Figures are of one thread in processor time, after the kernels are compiled:
``Mcycles/s`` of the compiled loop alone, ``arrange`` the time for a frame's tables and streams as a share of the
loop's, ``ns/tick`` the loop's time by tick of a unit, ``ticks/cycle`` how many units work in a cycle. ``ptr`` is two
Raster Units.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import replay
from gpumodel import REQUIRED_COLUMNS, Run, load_config
from gpureplay.capturing import capture_sample
from samples import SAMPLES
from traceformat.gputrace.frametrace import FrameTrace

PRESETS = ("mali450-vro", "mali450-re", "tbr-fhd")
MEMORIES = ("paper", "dram")
#: Which frame of a sample: the first ones upload.
_FRAME = 2


def frame_of(sample: str, folder: Path, size: str) -> FrameTrace:
    """Give a frame of a sample that has been captured into the folder, or is now."""
    trace = folder / f"{sample}-{size}.gltrace"
    if not trace.exists():
        capture_sample(sample, trace, frames=_FRAME + 1, size=size)
    with replay.frames(trace, columns=REQUIRED_COLUMNS, frames=(_FRAME, _FRAME)) as played:
        return next(iter(played))


def machines(presets: list[str], techniques: list[str]) -> Iterator[tuple[str, str, str]]:
    """Presets with memories, and techniques on each."""
    for preset in presets:
        for memory in MEMORIES:
            for technique in ["", *techniques]:
                yield preset, memory, technique


def measure(frame: FrameTrace, preset: str, memory: str, technique: str, repeat: int) -> dict[str, Any]:
    """Run a frame through a new machine, some times; the fastest counts."""
    best: dict[str, Any] = {}
    config = load_config(preset, (f"memory.mode={memory}", "screen.scale_to_trace=true"))
    for _ in range(repeat):
        one = Run(config, [technique] if technique else [], keep_passes=False)
        began = time.process_time()
        raws = one.feed(frame) or one.finish()
        spent = time.process_time() - began
        kernel = sum(raw.host_seconds for raw in raws)
        cycles = sum(raw.geometry_cycles + raw.raster_cycles for raw in raws)
        if not best or kernel < best["seconds"]:
            best = {
                "cycles": cycles, "seconds": kernel, "rest": spent - kernel, "ticks": int(one.machine.system["ticks"]),
            }  # fmt: skip
        one.close()
    return best


def mean(values: list[float]) -> float:
    """Geometric mean."""
    return statistics.geometric_mean(values) if values else 0.0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", default=",".join(SAMPLES))
    parser.add_argument("--presets", default=",".join(PRESETS))
    parser.add_argument("--techniques", default="ptr")
    parser.add_argument("--size", default="1200x768")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="folder for the traces")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rates: dict[tuple[str, str, str], list[float]] = {}
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = given.keep or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        print(
            f"{'sample':12} {'preset':12} {'memory':6} {'':4} {'Mcycles':>8} {'s':>7} {'Mcycles/s':>9} {'arrange':>8}"
        )
        for sample in given.samples.split(","):
            frame = frame_of(sample, folder, given.size)
            for which in machines(given.presets.split(","), [one for one in given.techniques.split(",") if one]):
                found = measure(frame, *which, given.repeat)
                rate = found["cycles"] / found["seconds"] / 1e6
                rates.setdefault(which, []).append(rate)
                rows.append({"sample": sample, "machine": which, **found})
                print(
                    f"{sample:12} {which[0]:12} {which[1]:6} {which[2]:4} {found['cycles'] / 1e6:8.3f} "
                    f"{found['seconds']:7.3f} {rate:9.2f} {found['rest'] / found['seconds']:8.0%}",
                    flush=True,
                )
    for which, values in rates.items():
        print(f"geometric mean {' '.join(which):24} {mean(values):8.2f} Mcycles/s")
    plain = [value for which, values in rates.items() if not which[2] for value in values]
    print(f"geometric mean of all without techniques: {mean(plain):.2f} Mcycles/s")
    for technique in {which[2] for which in rates if which[2]}:
        ratios = [
            mean(values) / mean(rates[which[0], which[1], ""])
            for which, values in rates.items()
            if which[2] == technique
        ]
        print(f"{technique} against the same machine without: {mean(ratios):.2f}")
    if given.json:
        given.json.write_text(json.dumps(rows))


if __name__ == "__main__":
    main()
