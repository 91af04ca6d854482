"""Headlines of the techniques beside their papers, one row a version of the model: what each correction moved.

``python benchmarks/headline_table.py measure LABEL TRACE... --out DIR [--memory NAME=SETTING,...] [--tree FOLDER]``
measures the headlines of the model as it is (or of the source tree in FOLDER) and keeps a file a trace, machine and
memory in DIR; what is there already is not measured again, so an interrupted run goes on. ``print DIR`` prints the
table in Markdown: a row a label in the order in which they were measured first, a table a memory.

A trace's ratio is total over total of the measured frames; ``print`` gives geometric means over traces, and with
``--label`` of one version the arithmetic ones and each headline's interval (``gpumodel/papers/intervals.py``), too.
``--warm-up`` frames come before those that count. Traces are small here (their size stands in the table): ratios of
small frames are not those of the presets' own resolution.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

#: Machine, technique with settings, what is compared: the quantity, and what the paper says of it.
HEADLINES: tuple[tuple[str, str, str, str], ...] = (
    ("mali450-vro", "vro", "speed", "1.27"),
    ("mali450-vro", "vro", "energy", "0.84"),
    ("mali450-vro", "vro vro.match_ahead=false", "speed", "-"),
    ("mali450-vro", "dr", "speed", "1.17"),
    ("mali450-vro", "dr", "energy", "0.88"),
    ("mali450-vro", "dr-seq", "speed", "0.81"),
    ("mali450-vro", "zprepass", "speed", "-"),
    ("mali450-re", "re", "speed", "1.74"),
    ("mali450-re", "re", "energy", "0.57"),
    ("mali450-re", "te", "energy", "0.91"),
    ("mali450-re", "memo", "speed", "-"),
    ("mali450-re", "memo", "shaded", "-"),
    ("mali450-re", "memo pfr.tiles_behind=2", "shaded", "-"),
    ("tbr-fhd", "ptr", "raster speed", "1.83"),
    ("tbr-fhd", "ptr", "energy", "0.90"),
    ("tbr-fhd", "double", "raster speed", "1.69"),
    ("tbr-fhd", "ptr-shared", "raster speed", "1.8"),
)
TECHNIQUES: dict[str, tuple[str, ...]] = {
    machine: tuple(dict.fromkeys(row[1] for row in HEADLINES if row[0] == machine))
    for machine in dict.fromkeys(row[0] for row in HEADLINES)
}
BASELINE = "baseline"


def measure_cell(trace: Path, machine: str, settings: list[str], warm_up: int) -> dict[str, dict[str, list[float]]]:
    """Figures of the measured frames of a trace, of the baseline and of each technique; an earlier version of the model
    has not all of them.
    """
    import replay
    from gpumodel import load_config
    from gpumodel.columns import REQUIRED_COLUMNS
    from gpumodel.runs import Run, run_all
    from gpumodel.techniques.registry import technique_columns
    from traceformat.errors import ToolError
    from traceformat.gputrace.frametrace import ColumnSet

    runs: dict[str, Run] = {}
    for text in (BASELINE, *TECHNIQUES[machine]):
        name, *own = text.split()
        try:
            runs[text] = Run(load_config(machine, [*settings, *own]), () if name == BASELINE else (name,))
        except ToolError:
            continue
    names = [text.split()[0] for text in runs if text != BASELINE]
    with replay.frames(trace, columns=ColumnSet([*REQUIRED_COLUMNS, *technique_columns(names)])) as played:
        for _ in run_all(played, list(runs.values())):
            pass
    out: dict[str, dict[str, list[float]]] = {}
    for text, run in runs.items():
        frames = run.result.frames[warm_up:]
        out[text] = {
            "cycles": [frame.cycles for frame in frames],
            "raster_cycles": [frame.raster_cycles for frame in frames],
            "energy": [frame.energy.total for frame in frames],
            "shaded": [frame.counters["fragments.shaded"] for frame in frames],
            "area_share": [run.result.area_share] * len(frames),
        }
    return out


def measure(options: argparse.Namespace) -> None:
    """Measure what is missing, each cell in a process of its own, so that one can stop between two."""
    options.out.mkdir(parents=True, exist_ok=True)
    for memory in options.memory or ["paper=memory.mode=paper", "dram=memory.mode=dram"]:
        name, _, settings = memory.partition("=")
        for trace in options.traces:
            for machine in TECHNIQUES:
                target = options.out / f"{options.label}.{name}.{machine}.{trace.stem}.json"
                if target.exists():
                    continue
                arguments = [str(trace), machine, str(options.warm_up), str(target), *settings.split(",")]
                environment = dict(os.environ)
                if options.tree:
                    environment["PYTHONPATH"] = str(options.tree.resolve())
                command = [sys.executable, "-P", __file__, "cell", *arguments]
                done = subprocess.run(command, env=environment, check=False)
                if done.returncode:
                    raise SystemExit(f"{target.name}: failed with status {done.returncode}")


def cell(options: argparse.Namespace) -> None:
    """Measure one cell and write it whole."""
    figures = measure_cell(options.trace, options.machine, options.settings, options.warm_up)
    document = {"time": time.time(), "settings": options.settings, "runs": figures}
    part = options.target.with_suffix(".part")
    part.write_text(json.dumps(document, indent=1) + "\n")
    part.rename(options.target)


def parts_of(runs: dict[str, Any], technique: str, quantity: str) -> Any:
    """What a headline of a trace divides by what, frame by frame: (frames, 2)."""
    import numpy as np

    key = "raster_cycles" if quantity == "raster speed" else "cycles" if quantity == "speed" else quantity
    base, mine = runs[BASELINE][key], runs[technique][key]
    return np.array([base, mine] if "speed" in quantity else [mine, base], np.float64).T


def ratio_of(totals: Any) -> Any:
    """A headline of totals: speed-ups are baseline over technique, the rest technique over baseline."""
    return totals[..., 0] / totals[..., 1]


def show(options: argparse.Namespace) -> None:
    """Print a table a memory."""
    from gpumodel.papers.intervals import interval, mean_of

    cells: dict[tuple[str, str], dict[str, dict[str, dict[str, Any]]]] = {}
    since: dict[str, float] = {}
    for path in sorted(options.folder.glob("*.json")):
        label, memory, machine, trace = path.stem.split(".")
        document = json.loads(path.read_text())
        cells.setdefault((memory, label), {}).setdefault(machine, {})[trace] = document["runs"]
        since[label] = min(since.get(label, math.inf), document["time"])
    heads = [f"{technique} {quantity}" for _, technique, quantity, _ in HEADLINES]
    for memory in sorted({key[0] for key in cells}):
        rows: dict[str, list[str]] = {}
        for label in sorted(since, key=since.__getitem__):
            if (memory, label) not in cells or options.label not in ("", label):
                continue
            for machine, technique, quantity, _ in HEADLINES:
                measured = cells[memory, label].get(machine, {})
                # Rows are compared with each other, so they are of the traces that all have.
                of_rows = [set(own[machine]) for (one, _), own in cells.items() if one == memory and machine in own]
                shared = set[str]().union(*of_rows).intersection(*of_rows)
                parts = [parts_of(measured[k], technique, quantity) for k in sorted(shared & set(measured))
                         if technique in measured[k]]  # fmt: skip
                values = [float(ratio_of(own.sum(axis=0))) for own in parts]
                texts = ["", "", ""]
                if values:
                    texts = [f"{mean_of(values, kind):.3f}" for kind in ("geometric", "arithmetic")]
                    ends = interval([[own] for own in parts], ratio_of, "arithmetic")
                    texts.append(f"{ends.low:.3f} to {ends.high:.3f}")
                for what, text in zip(("geometric", "arithmetic", "interval"), texts, strict=True):
                    rows.setdefault(f"{label}, {what}", []).append(text)
        rows["*paper*"] = [row[3] for row in HEADLINES]
        if options.label:
            print(f"| `{memory}` | {' | '.join(rows)} |\n|---|{'--:|' * len(rows)}")
            for number, head in enumerate(heads):
                print(f"| {head} | {' | '.join(own[number] for own in rows.values())} |")
            print()
            continue
        print(f"| `{memory}` | {' | '.join(heads)} |\n|---|{'--:|' * len(heads)}")
        for name, texts in rows.items():
            if not name.endswith(("arithmetic", "interval")):
                print(f"| {name.removesuffix(', geometric')} | {' | '.join(texts)} |")
        print()


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("measure")
    one.add_argument("label")
    one.add_argument("traces", nargs="+", type=Path)
    one.add_argument("--out", type=Path, required=True)
    one.add_argument("--memory", action="append", help="NAME=SETTING,SETTING...; both modes by default")
    one.add_argument("--tree", type=Path, help="source tree of another version")
    one.add_argument("--warm-up", type=int, default=2)
    one.set_defaults(run=measure)
    one = commands.add_parser("cell")
    one.add_argument("trace", type=Path)
    one.add_argument("machine")
    one.add_argument("warm_up", type=int)
    one.add_argument("target", type=Path)
    one.add_argument("settings", nargs="*")
    one.set_defaults(run=cell)
    one = commands.add_parser("print")
    one.add_argument("folder", type=Path)
    one.add_argument("--label", default="", help="this version alone, with means of both kinds and intervals")
    one.set_defaults(run=show)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
