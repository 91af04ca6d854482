"""Redundancy over frames: Rendering Elimination, Transaction Elimination and Fragment Memoization beside the paper.

``python benchmarks/redundancy_table.py KIND=TRACE ... [--frames N] [--memory paper --memory dram] [-t re -t te ...]``
prints Markdown tables: cycles split into geometry and raster (RE Fig. 14a), energy of GPU and memory (14b), classes of
tiles (15a), traffic of the raster pipeline by kind (15b), fragments shaded (16). KIND says how the camera moves. The
first four frames are left out: they load, and have no frame before them in their buffer.

A technique followed by settings is a what-if run: ``-t "re re.signing=free"``. ``--set`` holds for the baseline too.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import replay
from gpumodel import load_config
from gpumodel.columns import REQUIRED_COLUMNS
from gpumodel.results import FrameResult, total_of
from gpumodel.runs import Run, run_all
from gpumodel.techniques.registry import technique_columns
from traceformat.gputrace.frametrace import ColumnSet

#: Frames at the beginning that are not counted.
WARM_UP = 4
BASELINE = "baseline"
TECHNIQUES = ("re", "te", "re+te", "pfr", "memo")
#: What RE says, as ratios to its baseline: averages over its ten games (Figures 14 to 17, text of §V).
PAPER = {
    "re": {"cycles": "0.58", "GPU energy": "0.62", "memory energy": "0.52", "energy": "0.57", "raster traffic": "0.52"},
    "te": {"energy": "0.91"},
}


def measure(
    path: str, frames: int, memory: str, techniques: Sequence[str], settings: Sequence[str], *, warm_up: int = WARM_UP
) -> dict[str, FrameResult]:
    """Sums over the counted frames of each run."""
    runs = []
    for text in (BASELINE, *techniques):
        name, *own = text.split()
        config = load_config("mali450-re", [f"memory.mode={memory}", *settings, *own])
        runs.append(Run(config, () if name == BASELINE else tuple(name.split("+"))))
    ids = [one for text in techniques for one in text.split()[0].split("+") if one != BASELINE]
    columns = ColumnSet([*REQUIRED_COLUMNS, *technique_columns(ids)])
    with replay.frames(path, columns=columns, frames=(0, frames - 1)) as played:
        for _ in run_all(played, runs):
            pass
    if len(runs[0].result.frames) <= warm_up:
        raise SystemExit(f"{path}: no frame behind the first {warm_up}")
    return {
        name: total_of(run.result.frames[warm_up:]) for name, run in zip((BASELINE, *techniques), runs, strict=True)
    }


def ratios(base: FrameResult, mine: FrameResult) -> dict[str, float]:
    """Quantities of the paper's figures, as ratios to the baseline."""
    a, b = base, mine

    def traffic(result: FrameResult, kind: str) -> float:
        return result.counters[f"dram.read_bytes.{kind}"] + result.counters[f"dram.write_bytes.{kind}"]

    raster = [sum(traffic(result, kind) for kind in ("parameter", "texture", "color")) for result in (a, b)]
    gpu = [result.energy.gpu_dynamic + result.energy.gpu_static for result in (a, b)]
    memory = [result.energy.dram_dynamic + result.energy.dram_static for result in (a, b)]
    out = {
        "cycles": b.cycles / a.cycles,
        "geometry": b.geometry_cycles / a.cycles,
        "raster": b.raster_cycles / a.cycles,
        "energy": b.energy.total / a.energy.total,
        "GPU energy": gpu[1] / gpu[0],
        "memory energy": memory[1] / memory[0],
        "raster traffic": raster[1] / max(raster[0], 1),
        **{kind: traffic(b, kind) / max(raster[0], 1) for kind in ("parameter", "texture", "color")},
        "shaded": b.counters["fragments.shaded"] / max(a.counters["fragments.shaded"], 1),
    }
    return out


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("traces", nargs="+", metavar="KIND=TRACE")
    parser.add_argument("--frames", type=int, default=8)
    parser.add_argument("--warm-up", type=int, default=WARM_UP, help="frames at the beginning that are not counted")
    parser.add_argument("--memory", action="append", choices=("paper", "dram"))
    parser.add_argument("-t", "--technique", action="append")
    parser.add_argument("--set", action="append", default=[], dest="settings", metavar="KEY=VALUE")
    given = parser.parse_args()
    techniques = tuple(given.technique or TECHNIQUES)
    for memory in given.memory or ("paper", "dram"):
        rows: list[tuple[str, str, dict[str, FrameResult]]] = []
        for text in given.traces:
            kind, _, path = text.partition("=")
            name = path.rpartition("/")[2].removesuffix(".gltrace")
            found = measure(path, given.frames, memory, techniques, given.settings, warm_up=given.warm_up)
            rows.append((kind, name, found))
        _print(memory, techniques, rows)


def _print(memory: str, techniques: Sequence[str], rows: Sequence[tuple[str, str, dict[str, FrameResult]]]) -> None:
    names = list(ratios(rows[0][2][BASELINE], rows[0][2][BASELINE]))
    print(f"\nmemory {memory}, of the baseline:\n")
    print("| camera | trace | technique | " + " | ".join(names) + " |")
    print("|---|---|---|" + "--:|" * len(names))
    for kind, name, results in rows:
        for technique in (BASELINE, *techniques):
            values = ratios(results[BASELINE], results[technique])
            label = ", ".join(technique.split())
            print(
                f"| {kind} | {name} | {label} | " + " | ".join(f"{values[key]:.3f}" for key in names) + " |", flush=True
            )
    for technique, said in PAPER.items():
        if technique in techniques:
            print(
                f"| paper | mean of ten games | {technique} | " + " | ".join(said.get(key, "") for key in names) + " |"
            )
    signing = [text for text in techniques if text.split()[0] == "re"]
    if signing:
        print(
            "\n| camera | trace | technique | against | equal inputs | equal colours | different | skipped | stalls"
            " | tiles a primitive | sub-blocks a tile |"
        )
        print("|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|")
    for kind, name, results in rows:
        for text in signing:
            c = results[text].counters
            pointers = c["binning.pointer_writes"]
            means = pointers / max(c["primitives.binned"], 1), c["re.accumulate_sub_blocks"] / max(pointers, 1)
            # Figures 2 and 15a are of the frame before; what the back buffer holds, which skips, is two back.
            for back in ("one_back", "two_back"):
                tiles = [c[f"re.{back}.{what}"] for what in ("equal_inputs", "equal_colors", "different")]
                total = max(sum(tiles), 1)
                shares = [value / total for value in (*tiles, c["re.tiles_skipped"])]
                shares.append(c["re.stall_cycles"] / max(results[BASELINE].geometry_cycles, 1))
                cells = [*(f"{share:.1%}" for share in shares), *(f"{mean:.1f}" for mean in means)]
                head = f"| {kind} | {name} | {', '.join(text.split())} | {back.replace('_', ' ')} | "
                print(head + " | ".join(cells) + " |")
    tables = [text for text in techniques if text.split()[0] == "memo"]
    if tables:
        print("\n| camera | trace | technique | side by side | looked up | hits | potential |")
        print("|---|---|---|--:|--:|--:|--:|")
    for kind, name, results in rows:
        for text in tables:
            c = results[text].counters
            live = max(c["fragments.shaded"] + c["memo.hits"], 1)
            shares = [c[f"memo.{what}"] / live for what in ("lookups", "hits", "unlimited_hits")]
            label = ", ".join(text.split())
            print(
                f"| {kind} | {name} | {label} | {c['pfr.side_by_side']:.0f} frames | "
                + " | ".join(f"{share:.1%}" for share in shares)
                + " |"
            )


if __name__ == "__main__":
    main()
