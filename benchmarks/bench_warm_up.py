"""How near the figures of a range of frames come to those of a run of all frames, by what is modelled before it.

    python benchmarks/bench_warm_up.py TRACE... [--frames A-B] [--config PRESET] [--techniques A,B+C]

One replay feeds all runs. For each technique: the largest difference of a frame's cycles without a warm-up and with the
technique's own, and the counters (all of them; for the others than ``re`` and ``te`` those that do not count time) that
differ with it. The range is the last two frames unless it is given.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import replay
from gpumodel import REQUIRED_COLUMNS, VERIFIED_COLUMNS, Run, load_config
from gpumodel.techniques.registry import technique_columns
from gpumodel.warm_up import modelled_frames
from traceformat.cli.options import parse_frames
from traceformat.errors import ToolError
from traceformat.gltrace.reader import open_trace
from traceformat.gputrace.frametrace import ColumnSet

#: What a technique does and an application draws: these are to be equal.
_WORK = ("re.", "te.", "memo.", "vro.", "tiles.", "fragments.", "primitives.", "vertices.", "quads.")


def compare(path: Path, config: str, techniques: list[str], asked: range | None) -> list[str]:
    """Run a trace; gives its lines of the table."""
    gpu = load_config(config, ["screen.scale_to_trace=true"])
    with open_trace(path) as reader:
        count = len(reader.frames)
        asked = asked or range(max(count - 2, 1), count)
        asked = range(asked.start, min(asked.stop, count))
        sets = {}
        for technique in techniques:
            ids = technique.split("+") if technique != "baseline" else []
            ranges = (None, range(asked.start, asked.stop), modelled_frames(gpu, ids, asked))
            sets[technique] = [Run(gpu, ids, keep_passes=False, frames=frames) for frames in ranges]
        extra = technique_columns([name for one in techniques if one != "baseline" for name in one.split("+")])
        signs = any(name in ("re", "te") for one in techniques for name in one.split("+"))
        columns = ColumnSet([*(VERIFIED_COLUMNS if signs else REQUIRED_COLUMNS), *sorted(extra)])
        runs = [run for group in sets.values() for run in group]
        with replay.frames(reader, columns=columns) as played:
            for trace in played:
                for run in runs:
                    run.feed(trace)
            for run in runs:
                run.finish()
    lines = []
    for technique, (whole, cold, warm) in sets.items():
        off = {"cold": 0.0, "warm": 0.0}
        differing: set[str] = set()
        for number in asked:
            truth = whole.result.frame(number)
            for name, run in (("cold", cold), ("warm", warm)):
                mine = run.result.frame(number)
                off[name] = max(off[name], abs(mine.cycles / max(truth.cycles, 1) - 1))
            counters = warm.result.frame(number).counters
            differing |= {
                name for name, value in truth.counters.items() if name.startswith(_WORK) and counters[name] != value
            }
        warmed = asked.start - max(warm.frames.start if warm.frames else 0, 0)
        lines.append(
            f"| {path.stem} | {asked.start}-{asked.stop - 1} of {count} | {technique} | {warmed} | {off['cold']:.2%} | "
            f"{off['warm']:.2%} | {', '.join(sorted(differing)) or 'none'} |"
        )
    return lines


def main() -> None:
    """Compare and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", nargs="+", type=Path)
    parser.add_argument("--frames", help="the range, A-B")
    parser.add_argument("--config", default="mali450-re")
    parser.add_argument("--techniques", default="baseline,re,te,re+te,vro,memo,pfr,dr")
    options = parser.parse_args()
    print("| trace | frames | technique | warm-up | cycles off, cold | cycles off, warmed up | counters that differ |")
    print("|---|---|---|--:|--:|--:|---|")
    for path in options.traces:
        try:
            lines = compare(path, options.config, options.techniques.split(","), parse_frames(options.frames))
        except ToolError as error:
            lines = [f"| {path.stem} | {error} |"]
        print("\n".join(lines), flush=True)


if __name__ == "__main__":
    main()
