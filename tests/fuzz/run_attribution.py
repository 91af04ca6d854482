"""Sums of attributions over traces: every counter's rows against the frame's figure, with and without techniques.

    python tests/fuzz/run_attribution.py TRACE.gltrace... [--frames 2] [--first 0] [--preset NAME]... [-t TECHNIQUE]...

Each trace is replayed once; its frames go through every preset, memory and technique, as do those of a run without
attribution, whose counters have to be equal. Exit status 1 when something does not add up.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from cost_sums import check_sums

import replay
from gpumodel import REQUIRED_COLUMNS, Run, load_config, preset_names, run_all
from gpumodel.techniques.registry import parse_techniques, technique_columns
from traceformat.errors import ConfigError, ToolError
from traceformat.gputrace.frametrace import ColumnSet


def check(path: Path, presets: list[str], techniques: list[str], first: int, count: int) -> tuple[int, list[str]]:
    """Frames checked, and what is wrong with them."""
    combinations = parse_techniques(techniques)
    names = {name for ids in combinations for name in ids}
    columns = ColumnSet([*REQUIRED_COLUMNS, *sorted(technique_columns(sorted(names)))])
    runs: list[Run] = []
    for preset in presets:
        for ids in combinations:
            try:
                runs.append(Run(load_config(preset), ids, attribution=True, keep_passes=False))
            except ConfigError:
                continue  # the technique does not go with the preset
        runs.append(Run(load_config(preset), keep_passes=False))
    wrong: list[str] = []
    with replay.frames(path, columns=columns, frames=(first, first + count - 1)) as played:
        for _ in run_all(played, runs):
            pass
    checked = 0
    for run in runs:
        for frame in run.result.frames:
            if frame.attribution is None:
                continue
            checked += 1
            try:
                check_sums(frame)
            except AssertionError as error:
                wrong.append(
                    f"{path.stem} frame {frame.frame} {run.result.config.name} {run.result.technique}: {error}"
                )
    for run in runs:
        if run.result.technique == "baseline" and run.result.frames[0].attribution is not None:
            plain = next(
                r for r in runs if r.result.config == run.result.config and r.result.frames[0].attribution is None
            )
            for one, other in zip(run.result.frames, plain.result.frames, strict=True):
                if (one.cycles, one.counters, one.stalls) != (other.cycles, other.counters, other.stalls):
                    wrong.append(
                        f"{path.stem} frame {one.frame} {run.result.config.name}: counting changes the figures"
                    )
    return checked, wrong


def main() -> int:
    """Run the checks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", nargs="+", type=Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--frames", type=int, default=2)
    parser.add_argument("--preset", action="append")
    parser.add_argument("-t", "--technique", action="append", default=[])
    arguments = parser.parse_args()
    checked, failures = 0, 0
    for path in arguments.traces:
        try:
            number, wrong = check(
                path, arguments.preset or preset_names(), arguments.technique, arguments.first, arguments.frames
            )
        except ToolError as error:
            number, wrong = 0, [f"{path.stem}: {error}"]
        checked, failures = checked + number, failures + len(wrong)
        print(f"{path.stem}: {number} frames, {len(wrong)} wrong", *wrong, sep="\n  ", flush=True)
    print(f"{checked} frames of {len(arguments.traces)} traces: {failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
