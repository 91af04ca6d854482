"""Deferred Rendering, Z-prepass and Visibility Rendering Order side by side, next to the paper's figures.

usage: python benchmarks/overshading_tables.py TRACE... [--frames 3] [--preset NAME] [-o docs/overshading_tables.md]

Each trace is replayed once a memory mode; figures are those of its last frame, by which ``vro`` knows its order. "two
in flight" is the plain machine with two primitives in flight, as ``vro`` has them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import replay
from gpumodel.columns import REQUIRED_COLUMNS, VERIFIED_COLUMNS
from gpumodel.config import load_config
from gpumodel.report.overshading import graph_buffer_bytes
from gpumodel.results import FrameResult, dram_bytes
from gpumodel.runs import Run

SETTINGS = ("screen.scale_to_trace=true", "binning.parameter_buffer_mib=1024")
TWO = ("tile_fetcher.design='pipelined'", "tile_fetcher.primitive_table=2")
#: What runs: title, techniques, settings.
RUNS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "base": ((), ()),
    "two in flight": ((), TWO),
    "vro": (("vro",), ()),
    "dr": (("dr",), ()),
    "dr, positions": (("dr",), ("dr.hsr_attributes='position'",)),
    "dr-seq": (("dr-seq",), ()),
    "dr-seq, positions": (("dr-seq",), ("dr.hsr_attributes='position'",)),
    "zprepass": (("zprepass",), ()),
    "ideal-order": (("ideal-order",), ()),
    "no-early-z": (("no-early-z",), ()),
}
#: Machines of Figure 2, which the first memory alone is asked for.
STUDY = ("ideal-order", "no-early-z")
#: The columns of the tables of cycles and energy.
SHOWN = ("two in flight", "vro", "dr", "dr, positions", "dr-seq", "dr-seq, positions", "zprepass")
#: VRO's figures: means over its games.
PAPER = {
    "speed": {"vro": "1.27", "dr": "1.17", "dr-seq": "0.81"},
    "energy": {"vro": "0.84", "dr": "0.88", "dr-seq": "1.06"},
    "traffic": {"vro": "0.98", "dr": "0.96"},
    "fetch": {"vro": "50", "dr": "68"},
    "shaded": {"vro": "0.81", "dr": "0.7"},
}
#: An input is unordered where the ideal order saves at least this much (VRO §1).
UNORDERED = 0.005
Frame = dict[str, FrameResult]


def play(
    path: Path, preset: str, memories: Sequence[str], frames: int, verify: bool
) -> tuple[dict[str, Frame], int, list[str]]:
    """Figures of the last frame of each run by memory, the pixels of the frame's picture, and runs that differ."""
    runs = {
        (memory, name): Run(
            load_config(preset, [*SETTINGS, *settings, f"memory.mode={memory}"]), techniques,
            verify=verify and memory == memories[0],
        )
        for memory in memories
        for name, (techniques, settings) in RUNS.items()
        if memory == memories[0] or name not in STUDY
    }  # fmt: skip
    out: dict[str, Frame] = {memory: {} for memory in memories}
    pixels = 1
    with replay.frames(path, columns=VERIFIED_COLUMNS if verify else REQUIRED_COLUMNS) as source:
        for number, trace in enumerate(source):
            if number == frames:
                break
            pixels = trace.width * trace.height
            for (memory, name), run in runs.items():
                out[memory][name] = run.add(trace)[0]
    checked = {name: run.result.verification for name, run in runs.items()}
    return out, pixels, [f"{name[1]}" for name, found in checked.items() if found is not None and not found.identical]


def ratio(of: float, to: float) -> str:
    return f"{of / to:.2f}" if to else "-"


def row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def head(*cells: str) -> list[str]:
    return [row(list(cells)), "|---|" + "--:|" * (len(cells) - 1)]


def mean_row(title: str, values: list[list[float]]) -> str:
    columns = list(zip(*values, strict=True))
    return row([f"*{title}*", *(f"{sum(column) / len(column):.2f}" for column in columns)])


def saved_by_order(frame: Frame) -> float:
    """Share of the plain machine's shaded fragments that the perfect order of objects saves (VRO §1)."""
    shaded = {run: frame[run].counters["fragments.shaded"] for run in ("base", "ideal-order")}
    return 1 - shaded["ideal-order"] / max(shaded["base"], 1)


def ratios(
    title: str, kind: str, frames: dict[str, Frame], unordered: Sequence[str], invert: bool = False
) -> Iterator[str]:
    """Table of a figure against the plain machine's, with the mean of the unordered inputs and the paper's."""

    def figure(frame: FrameResult) -> float:
        if kind == "speed":
            return float(frame.cycles)
        if kind == "energy":
            return frame.energy.total
        if kind == "traffic":
            return sum(dram_bytes(frame.counters).values())
        return frame.counters["fragments.shaded"]

    yield f"\n{title}\n"
    yield from head("", *SHOWN)
    averaged: list[list[float]] = []
    for name, frame in frames.items():
        base = figure(frame["base"])
        values = [
            (base / figure(frame[run]) if invert else figure(frame[run]) / base) if base else 1.0 for run in SHOWN
        ]
        yield row([name, *(f"{value:.2f}" for value in values)])
        if name in unordered:
            averaged.append(values)
    if averaged:
        yield mean_row("mean of the unordered", averaged)
    yield row(["*VRO (paper)*", *(PAPER[kind].get(run, "") for run in SHOWN)])


def overshading(frames: dict[str, Frame], pixels: dict[str, int]) -> Iterator[str]:
    """Fragments shaded a pixel (Fig. 2, 16), and which inputs are unordered by the paper's rule."""
    shown = ("no-early-z", "base", "ideal-order", "vro", "dr", "zprepass")
    yield "\n## Overshading\n"
    yield (
        "Fragments shaded a pixel (Fig. 2, 16). An input is *unordered* where the ideal order saves at least 0.5 % of"
        " the base's (VRO §1).\n"
    )
    yield from head("", *shown, "saved by the ideal order", "", "nodes", "hidden by others", "by their own object")
    for name, frame in frames.items():
        shaded = {run: frame[run].counters["fragments.shaded"] for run in shown}
        saved = saved_by_order(frame)
        ideal = frame["ideal-order"].counters
        total = max(sum(ideal[f"ideal-order.{k}"] for k in ("visible", "inter_object", "intra_object")), 1)
        yield row(
            [
                name, *(f"{shaded[run] / pixels[name]:.2f}" for run in shown), f"{100 * saved:.1f} %",
                "unordered" if saved >= UNORDERED else "ordered", f"{frame['vro'].counters['vro.movable_nodes']:.0f}",
                f"{100 * ideal['ideal-order.inter_object'] / total:.0f} %",
                f"{100 * ideal['ideal-order.intra_object'] / total:.0f} %",
            ]
        )  # fmt: skip


def fetching(frames: dict[str, Frame]) -> Iterator[str]:
    """Fetch cycles and Tile Cache misses (Fig. 18, 19)."""
    shown = ("base", *SHOWN)
    yield (
        "\nFetch cycles a primitive (Fig. 18; HSR's are in the mean; two in flight, and `vro`, count from the"
        " reservation of the entry)\n"
    )
    yield from head("", *shown)
    for name, frame in frames.items():
        yield row([name, *(f"{frame[run].counters['tile_fetch.cycles_per_primitive']:.1f}" for run in shown)])
    yield row(["*VRO (paper)*", *(PAPER["fetch"].get(run, "") for run in shown)])
    yield (
        "\nPrimary misses of the Tile Cache against the base's (paper: `dr` has 11 % more than `vro`), and cycles of"
        " fetching in all against the base's (Fig. 19)\n"
    )
    fetched = ("vro", "dr", "dr, positions")
    misses, cycles = "cache.tile.primary_misses", "tile_fetch.cycles"
    yield from head("", *shown, *(f"cycles, {run}" for run in fetched))
    for name, frame in frames.items():
        base = frame["base"].counters
        yield row(
            [
                name,
                *(ratio(frame[run].counters[misses], base[misses]) for run in shown),
                *(ratio(frame[run].counters[cycles], base[cycles]) for run in fetched),
            ]
        )  # fmt: skip


def visibility(frames: dict[str, Frame]) -> Iterator[str]:
    """The graph of ``vro`` (Fig. 11) and the work of its units.

    The graph's part of the memory traffic is what ``vro`` moves more than two primitives in flight beside vertices,
    textures, lists and colours.
    """
    yield "\n## The Visibility Graph\n"
    yield from head(
        "", "nodes", "edges", "longest list", "P75", "P85", "P95", "picks of the heuristic", "edges in order",
        "pairs as in the frame before",
        "sort / geometry cycles", "Graph Cache accesses a 1,000 fragments", "of the Edge Inserter",
        "Graph Cache to L2 / memory traffic",
        "graph / memory traffic",
    )  # fmt: skip
    for name, frame in frames.items():
        keys = ("nodes", "edges", "list_max", "list_p75", "list_p85", "list_p95")
        c, geometry = frame["vro"].counters, frame["vro"].geometry_cycles
        plain = frame["two in flight"].counters
        moved = max(sum(dram_bytes(c).values()), 1)
        yield row(
            [
                name, *(f"{c[f'vro.{key}']:.0f}" for key in keys),
                f"{100 * c['vro.heuristic_picks'] / max(c['vro.nodes_sorted'], 1):.0f} %",
                f"{100 * c['vro.edges_right'] / max(c['vro.edges'], 1):.1f} %",
                f"{100 * c['vro.order_kept'] / max(c['vro.order_pairs'], 1):.1f} %",
                f"{100 * c['vro.sort_cycles'] / max(geometry, 1):.2f} %",
                f"{1000 * c['vro.graph_cache.accesses'] / max(c['fragments.rasterized'], 1):.2f}",
                f"{1000 * c['vro.inserter_accesses'] / max(c['fragments.rasterized'], 1):.2f}",
                f"{100 * c['vro.graph_cache.bytes'] / moved:.4f} %",
                f"{100 * (dram_bytes(c)['other'] - dram_bytes(plain)['other']) / moved:.4f} %",
            ]
        )  # fmt: skip
    yield row(
        [
            "*VRO (paper)*", "below 256", "", "", "", "", "35 in the worst case", "13 %", "", "over 99 %", "about 1 %",
            "", "below 1", "", "below 0.005 %",
        ]
    )  # fmt: skip


def graph_buffer() -> Iterator[str]:
    """Size of the Graph Buffer (Fig. 10): an entry has a valid bit, in-degree, length and the next entry."""
    widths = (4, 12, 20, 28, 36, 44)
    yield (
        "\nSize of the Graph Buffer in MB against the children an entry W and the nodes (Fig. 10): an entry is 1 + 13"
        " + 6 + 13 bits and W node numbers (13 bits for 8,192 nodes, one more each time they double)\n"
    )
    yield from head("nodes", *(f"W = {width}" for width in widths))
    for nodes in (8192, 16384, 32768, 65536, 131072):
        sizes = (graph_buffer_bytes(nodes, width) / 1e6 for width in widths)
        yield row([f"{nodes:,}", *(f"{size:.2f}" for size in sizes)])


def removal(frames: dict[str, Frame], pixels: dict[str, int]) -> Iterator[str]:
    """What ``dr`` still shades and why, and what its tiles waited for."""
    yield "\n## What Deferred Rendering shades, a pixel, and waits for\n"
    keys = ("visible", "other", "behind_discard", "behind_state")
    yield from head("", *keys, "HSR wait / raster cycles, dr", "dr, positions", "dr-seq")
    for name, frame in frames.items():
        waits = [
            100 * frame[run].counters[f"{technique}.hsr_wait_cycles"] / max(frame[run].raster_cycles, 1)
            for run, technique in (("dr", "dr"), ("dr, positions", "dr"), ("dr-seq", "dr-seq"))
        ]
        shaded = (frame["dr"].counters[f"dr.{key}"] / pixels[name] for key in keys)
        yield row([name, *(f"{value:.2f}" for value in shaded), *(f"{wait:.0f} %" for wait in waits)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", nargs="+", type=Path)
    parser.add_argument("--frames", type=int, default=3)
    parser.add_argument("--preset", default="mali450-vro")
    parser.add_argument("--memory", action="append", choices=("paper", "dram"))
    parser.add_argument("--verify", action="store_true", help="compare the pixels of every run of the first memory")
    parser.add_argument("-o", "--output", type=Path)
    wanted = parser.parse_args()
    lines = ["# Overshading: VRO, Deferred Rendering and Z-prepass side by side\n"]
    lines.append(
        f"`python benchmarks/overshading_tables.py TRACES --frames {wanted.frames} --preset {wanted.preset}`: figures"
        " of the last frame of each trace; ratios against the plain machine."
    )
    memories = wanted.memory or ["paper", "dram"]
    figures: dict[str, dict[str, Frame]] = {memory: {} for memory in memories}
    pixels: dict[str, int] = {}
    for path in wanted.traces:
        found, pixels[path.stem], different = play(path, wanted.preset, memories, wanted.frames, wanted.verify)
        for memory in memories:
            figures[memory][path.stem] = found[memory]
        print(path.stem, f"differs: {different}" if different else "", file=sys.stderr, flush=True)
    unordered = [name for name, frame in figures[memories[0]].items() if saved_by_order(frame) >= UNORDERED]
    for number, (memory, frames) in enumerate(figures.items()):
        if number == 0:
            lines += [*overshading(frames, pixels), *removal(frames, pixels), *visibility(frames), *graph_buffer()]
        lines.append(f"\n## `{memory}` memory")
        lines += ratios("Speed-up (Fig. 14)", "speed", frames, unordered, invert=True)
        lines += ratios("Energy (Fig. 15)", "energy", frames, unordered)
        lines += ratios("Memory traffic (Fig. 17)", "traffic", frames, unordered)
        lines += ratios("Shaded fragments (Fig. 16)", "shaded", frames, unordered)
        lines += fetching(frames)
    text = "\n".join(lines) + "\n"
    if wanted.output:
        wanted.output.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
