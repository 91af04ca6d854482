"""What the assumptions weigh: each ASSUMED constant at both ends of its range, and the whole space by chance.

``python benchmarks/assumptions.py screen TRACE... --out FILE`` runs every machine with its techniques once as the
preset says and twice a constant (both ends), ``sample TRACE... --out FILE --samples N`` draws a Latin hypercube over
all constants together (a published seed). Each line of FILE is a run that is done: an interrupted command goes on.
``show FILE`` prints what each constant does to each headline, and how the headlines are distributed; ``plot FILE
OUT.svg`` draws both.

A trace's ratio is total over total of its frames behind ``--warm-up``, the mean over traces is geometric, as in
``headline_table.py``, whose headlines these are. Frames are small: what is compared is how much a ratio moves, not
where it is. Energies are taken with the leakage that ``energy.static_scale`` says, which needs no run of its own.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

SEED: Final = 20261123
BASELINE: Final = "baseline"
TECHNIQUES: Final = {"mali450-vro": ("vro", "dr"), "mali450-re": ("re", "te"), "tbr-fhd": ("ptr",)}
#: Machine, technique, quantity.
HEADLINES: Final = (
    ("mali450-vro", "vro", "speed"), ("mali450-vro", "vro", "energy"), ("mali450-vro", "dr", "speed"),
    ("mali450-vro", "dr", "energy"), ("mali450-re", "re", "speed"), ("mali450-re", "re", "energy"),
    ("mali450-re", "te", "energy"), ("tbr-fhd", "ptr", "speed"), ("tbr-fhd", "ptr", "energy"),
    ("mali450-vro", "vro", "area"), ("mali450-vro", "dr", "area"), ("mali450-re", "re", "area"),
    ("mali450-re", "te", "area"), ("tbr-fhd", "ptr", "area"),
)  # fmt: skip
#: Pairs of headlines of one machine of which the papers say which one is ahead.
PAIRS: Final = (("vro speed", "dr speed"), ("dr energy", "vro energy"), ("te energy", "re energy"))
STATIC: Final = "energy.static_scale"


@dataclass(frozen=True, slots=True)
class Constant:
    """An assumed value.

    Parameters
    ----------
    key : of the configuration
    ends : what it is set to, least and most
    source : of the range
    steps : how values between the ends are drawn: powers of two, whole numbers, by ratio, or one of the two ends
    only : machine that has it, empty for all
    """

    key: str
    ends: tuple[Any, Any]
    source: str
    steps: str = "powers"
    only: str = ""

    def at(self, place: float) -> Any:
        """Value at a place from 0 up to 1."""
        low, high = self.ends
        if self.steps == "ends":
            return self.ends[int(2 * place)]
        if self.steps == "whole":
            return low + int(place * (high - low + 1))
        if self.steps == "ratio":
            return round(low * (high / low) ** place, 5)
        return 1 << math.floor(math.log2(low) + place * (math.log2(high / low) + 1))


_HALF = "halved and doubled"
CONSTANTS: Final = (
    Constant("fragment.issue_cycles.alu", (1, 2), "a vec4 instruction on four or two multiply-adds", "whole"),
    Constant("fragment.issue_cycles.transcendental", (1, 4), "Utgard: 1; a quarter-rate unit: 4"),
    Constant("fragment.issue_cycles.move", (0, 1), "routed with the operands, or an instruction", "whole"),
    Constant("fragment.issue_cycles.control", (1, 2), "a bubble behind a branch", "whole"),
    Constant("vertex.issue_cycles.alu", (1, 2), "as in the fragment stage", "whole"),
    Constant("vertex.issue_cycles.transcendental", (1, 4), "as in the fragment stage"),
    Constant("vertex.reuse_entries", (8, 32), _HALF),
    Constant("fragment.lanes", (1, 4), "MODEL.md: a fragment a cycle, or a quad: both are priced", "ends"),
    Constant("fragment.threads", (8, 32), _HALF),
    Constant("fragment.texels_per_cycle", (2, 8), _HALF),
    Constant("fragment.quad_map", ("interleaved", "rows"), "thesis §4.1.1: by tile coordinates", "ends"),
    Constant("binning.test", ("exact", "bounding-box"), "both are built", "ends"),
    Constant("binning.overlap", ("none", "frame"), "papers; drivers", "ends"),
    Constant("early_z.latency_cycles", (1, 4), _HALF),
    Constant("queues.color", (32, 128), _HALF),
    Constant("command.cycles_per_draw", (8, 32), _HALF),
    Constant("command.bytes_per_draw", (32, 128), _HALF),
    Constant("caches.texture.mshrs", (4, 16), _HALF),
    Constant("caches.tile.mshrs", (4, 16), _HALF),
    Constant("caches.vertex.mshrs", (4, 16), _HALF),
    Constant("caches.l2.mshrs", (16, 64), _HALF),
    Constant("caches.texture.request_queue", (4, 16), _HALF),
    Constant("memory.mode", ("paper", "dram"), "the papers' latencies; their simulators' devices", "ends"),
    Constant("memory.paper.row_hit_cycles", (50, 100), "tables of all papers: 50-100 cycles", "whole"),
    Constant("memory.paper.row_miss_cycles", (100, 200), "the upper end, doubled", "whole"),
    Constant("memory.paper.row_bytes", (1024, 4096), _HALF),
    Constant("memory.paper.write_queue", (16, 64), _HALF),
    Constant("memory.dram.request_queue", (4, 16), _HALF),
    Constant("tile_fetcher.primitive_table", (8, 32), _HALF, only="tbr-fhd"),
    Constant("vro.searches_per_cycle", (1, 2), _HALF, "whole", "mali450-vro"),
    Constant("vro.record_cycles", (0, 4), "MODEL.md", "whole", "mali450-vro"),
    Constant("re.ot_queue", (8, 32), _HALF, only="mali450-re"),
    Constant("re.check_cycles", (1, 4), _HALF, only="mali450-re"),
    Constant("energy.flavor", ("HP", "LSTP"), "McPAT takes either", "ends"),
    Constant(STATIC, (0.003, 1.0), "all LSTP at 22 nm (1/320 of HP); all HP: table notes", "ratio"),
)  # fmt: skip


def frames_of(path: Path) -> list[Any]:
    """All frames of a trace, in memory."""
    import replay
    from gpumodel.columns import REQUIRED_COLUMNS
    from gpumodel.techniques.registry import technique_columns
    from traceformat.gputrace.frametrace import ColumnSet

    names = [name for own in TECHNIQUES.values() for name in own]
    with replay.frames(path, columns=ColumnSet([*REQUIRED_COLUMNS, *technique_columns(names)])) as played:
        return list(played)


def measure(frames: Sequence[Any], machine: str, settings: Mapping[str, Any], warm_up: int) -> dict[str, Any]:
    """Totals of the baseline and each technique; ``static`` is the leakage at a scale of 1."""
    from gpumodel import Run, load_config, run_all
    from gpumodel.energy import area_mm2
    from gpumodel.results import total_of

    lines = [f"{key}={json.dumps(value)}" for key, value in settings.items() if key != STATIC]
    config = load_config(machine, [*lines, f"{STATIC}=1.0"])
    runs = {name: Run(config, () if name == BASELINE else (name,), keep_passes=False)
            for name in (BASELINE, *TECHNIQUES[machine])}  # fmt: skip
    for _ in run_all(frames, list(runs.values())):
        pass
    out = {}
    for name, run in runs.items():
        total = total_of(run.result.frames[warm_up:])
        area = area_mm2(run.machine.config) + sum(structure.area_mm2 for structure in run.result.hardware)
        out[name] = {"cycles": total.cycles, "static": total.energy.gpu_static,
                     "rest": total.energy.total - total.energy.gpu_static, "area": area}  # fmt: skip
        run.close()
    return out


def headline(runs: Mapping[str, Mapping[str, float]], technique: str, quantity: str, scale: float) -> float:
    """A ratio: speed-ups are baseline over technique, the rest technique over baseline."""
    base, mine = runs[BASELINE], runs[technique]
    if quantity == "speed":
        return base["cycles"] / mine["cycles"]
    if quantity == "area":
        return mine["area"] / base["area"]
    return (mine["rest"] + scale * mine["static"]) / (base["rest"] + scale * base["static"])


def plans(options: argparse.Namespace) -> Iterator[tuple[str, dict[str, Any]]]:
    """Names and settings of the runs that a command wants."""
    if options.command == "screen":
        yield "preset", {}
        for constant in CONSTANTS:
            for side, value in zip(("low", "high"), constant.ends, strict=True):
                yield f"{constant.key} {side}", {constant.key: value}
        return
    rng = np.random.default_rng(SEED)
    # Each constant's range is cut in as many parts as there are samples, and each part is taken once.
    places = np.stack([(rng.permutation(options.samples) + rng.random(options.samples)) / options.samples
                       for _ in CONSTANTS])  # fmt: skip
    for sample in range(options.samples):
        drawn = {constant.key: constant.at(places[k, sample]) for k, constant in enumerate(CONSTANTS)}
        yield f"sample {sample} of {options.samples}", drawn


def run(options: argparse.Namespace) -> None:
    """Measure what is missing."""
    begin = time.monotonic()
    done = {line["name"] for line in read(options.out)}
    films = {path.stem: frames_of(path) for path in options.traces}
    only = {constant.key: constant.only for constant in CONSTANTS}
    for name, settings in plans(options):
        if name in done or time.monotonic() - begin > 60 * options.minutes:
            continue
        cells = {
            trace: {
                machine: measure(
                    frames, machine, {k: v for k, v in settings.items() if only[k] in ("", machine)}, options.warm_up
                )
                for machine in TECHNIQUES
            }
            for trace, frames in films.items()
        }
        with options.out.open("a") as file:
            file.write(json.dumps({"name": name, "settings": settings, "cells": cells}) + "\n")


def read(path: Path) -> list[dict[str, Any]]:
    """Runs that are done."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def ratios(line: Mapping[str, Any], preset_scale: float) -> dict[str, float]:
    """Headlines of a run, geometric means over its traces."""
    scale = line["settings"].get(STATIC, preset_scale)
    return {
        f"{technique} {quantity}": math.exp(
            float(np.mean([math.log(headline(cells[machine], technique, quantity, scale))
                           for cells in line["cells"].values()]))
        )
        for machine, technique, quantity in HEADLINES
    }  # fmt: skip


def weights(lines: Sequence[Mapping[str, Any]], scale: float) -> dict[str, dict[str, tuple[float, float]]]:
    """Of each constant and headline the change at both ends of the range, a share of the preset's ratio."""
    found = {line["name"]: ratios(line, scale) for line in lines}
    base = found["preset"]
    return {
        constant.key: {
            name: (found[f"{constant.key} low"][name] / value - 1, found[f"{constant.key} high"][name] / value - 1)
            for name, value in base.items()
        }
        for constant in CONSTANTS
        if f"{constant.key} high" in found
    }


def show(options: argparse.Namespace) -> None:
    """Print the tables."""
    lines = read(options.out)
    names = [f"{technique} {quantity}" for _, technique, quantity in HEADLINES]
    base = next((ratios(line, options.scale) for line in lines if line["name"] == "preset"), None)
    if base:
        print(f"| | range | {' | '.join(names)} |\n|---|---|{'--:|' * len(names)}")
        print(f"| *preset* | | {' | '.join(f'{base[name]:.3f}' for name in names)} |")
        changes = weights(lines, options.scale)
        ends = {constant.key: constant.ends for constant in CONSTANTS}
        for key in sorted(changes, key=lambda key: -max(abs(x) for pair in changes[key].values() for x in pair)):
            cells = [
                " ".join(f"{100 * x:+.1f}" if abs(x) >= 5e-4 else "." for x in changes[key][name]) for name in names
            ]
            print(f"| `{key}` | {ends[key][0]}, {ends[key][1]} | {' | '.join(cells)} |")
    samples = [ratios(line, options.scale) for line in lines if line["name"].startswith("sample")]
    if samples:
        print(f"\n{len(samples)} samples\n\n| headline | 5 % | median | 95 % | keeps its sign |\n|---|--:|--:|--:|--:|")
        for name in names:
            values = np.array([sample[name] for sample in samples])
            low, middle, high = np.percentile(values, (5, 50, 95))
            sign = np.mean((values > 1) == (base[name] > 1)) if base else math.nan
            print(f"| {name} | {low:.3f} | {middle:.3f} | {high:.3f} | {sign:.0%} |")
        for first, second in PAIRS:
            swapped = np.mean([sample[first] < sample[second] for sample in samples])
            print(f"\n{first} is below {second} in {swapped:.0%} of the samples")


def plot(options: argparse.Namespace) -> None:
    """Draw the ten constants that weigh most of each speed and energy, and the samples' distribution above."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"], matplotlib.rcParams["svg.fonttype"] = "assumptions", "none"
    from matplotlib import pyplot

    lines = read(options.out)
    changes = weights(lines, options.scale)
    samples = [ratios(line, options.scale) for line in lines if line["name"].startswith("sample")]
    base = next(ratios(line, options.scale) for line in lines if line["name"] == "preset")
    names = [f"{technique} {quantity}" for _, technique, quantity in HEADLINES if quantity != "area"]
    figure, axes = pyplot.subplots(3, 3, figsize=(14, 11), layout="constrained")
    for name, axis in zip(names, axes.flat, strict=True):
        most = sorted(changes, key=lambda key: -max(map(abs, changes[key][name])))[:8][::-1]
        for row, key in enumerate(most):
            low, high = (100 * x for x in changes[key][name])
            axis.barh(row, low, color="#4477aa", label="least" if row == 0 else None)
            axis.barh(row, high, color="#ee6677", alpha=0.8, label="most" if row == 0 else None)
        if samples:
            values = [100 * (sample[name] / base[name] - 1) for sample in samples]
            box = axis.boxplot(values, positions=[len(most)], orientation="horizontal", whis=(5, 95), showfliers=False)
            box["medians"][0].set_color("black")
            most = [*most, f"{len(samples)} samples"]
        axis.set_yticks(range(len(most)), most, fontsize=7)
        axis.set_title(f"{name}: {base[name]:.3f}", fontsize=10)
        axis.set_xlabel("change of the ratio, %", fontsize=8)
        axis.axvline(0, color="black", linewidth=0.5)
    axes.flat[0].legend(fontsize=7)
    figure.savefig(options.picture, metadata={"Date": None})


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("screen", "sample"):
        one = commands.add_parser(name)
        one.add_argument("traces", nargs="+", type=Path)
        one.add_argument("--out", type=Path, required=True)
        one.add_argument("--warm-up", type=int, default=2)
        one.add_argument("--samples", type=int, default=200)
        one.add_argument("--minutes", type=float, default=math.inf, help="begin no further run after so many")
        one.set_defaults(run=run)
    for name, function in (("show", show), ("plot", plot)):
        one = commands.add_parser(name)
        one.add_argument("out", type=Path)
        one.add_argument("--scale", type=float, default=0.25, help=f"{STATIC} where a run does not say")
        if name == "plot":
            one.add_argument("picture", type=Path)
        one.set_defaults(run=function)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
