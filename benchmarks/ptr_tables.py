"""Markdown tables of what ``ptr_measure.py`` has written.

python benchmarks/ptr_tables.py OUT_DIR > docs/ptr_tables.md
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from gpumodel import load_config
from gpumodel.energy.bill import Prices, bill
from gpumodel.quad_maps import MAPPINGS
from gpumodel.techniques.ptr import ParallelTileRendering
from gpumodel.techniques.ptr.config import PtrConfig
from gpumodel.techniques.ptr_shared import SharedTextures

Run = dict[str, Any]
Trace = dict[str, Any]
#: Leakage against the preset's: all gates are HP devices, see MODEL.md, "Static share".
HP_DEVICES = 4.0
TRAFFIC = ("vertex", "texture", "parameter", "color", "other", "graph")


def load(folder: Path, study: str) -> list[Trace]:
    """Traces of a study, the largest pictures first."""
    found = [json.loads(path.read_text()) for path in sorted(folder.glob(f"{study}-*.json"))]
    return sorted(found, key=lambda trace: (-trace["width"] * trace["height"], trace["trace"]))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table, its first column text."""
    lines = [" | ".join(head), "|".join(["---"] + ["--:"] * (len(head) - 1)), *(" | ".join(row) for row in rows)]
    return "".join(f"| {line} |\n" if k != 1 else f"|{line}|\n" for k, line in enumerate(lines)) + "\n"


def with_mean(
    traces: list[Trace], columns: Sequence[tuple[str, Callable[[Trace], float], str]], label: str = "mean"
) -> str:
    """A row a trace and their mean; columns are head, value and format."""
    values = [[value(trace) for _, value, _ in columns] for trace in traces]
    rows = [
        [trace["trace"], *(form.format(v) for v, (_, _, form) in zip(row, columns, strict=True))]
        for trace, row in zip(traces, values, strict=True)
    ]
    means = [fmean(row[k] for row in values) for k in range(len(columns))]
    rows.append([f"**{label}**", *(form.format(v) for v, (_, _, form) in zip(means, columns, strict=True))])
    return table(["trace", *(head for head, _, _ in columns)], rows)


def ratio(trace: Trace, slow: str, fast: str, phase: str = "raster") -> float:
    """Speed-up of ``fast`` over ``slow``."""
    runs = trace["runs"]
    return float(runs[slow]["cycles"][phase]) / max(float(runs[fast]["cycles"][phase]), 1)


def energy(run: Run, leakage: float = 1.0) -> float:
    """All of it, with the GPU's leakage times a factor."""
    return float(run["energy_pj"]["total"]) + (leakage - 1) * float(run["energy_pj"]["gpu_static"])


def change(trace: Trace, before: str, after: str, leakage: float = 1.0) -> float:
    """Change of energy, percent."""
    return 100 * (energy(trace["runs"][after], leakage) / energy(trace["runs"][before], leakage) - 1)


def static_change(trace: Trace, before: str, after: str) -> float:
    """Change of energy, percent, if dynamic energy stayed as it is before (thesis §6.4: it "remains unchanged")."""
    old, new = (trace["runs"][name]["energy_pj"] for name in (before, after))
    return 100 * sum(float(new[kind] - old[kind]) for kind in ("gpu_static", "dram_static")) / float(old["total"])


def l1_mpki(run: Run) -> float:
    """Texture Cache misses per 1,000 instructions, the first of a line alone."""
    return float(run["counters"]["cache.texture.mpki"])


def l1_mpki_merged(run: Run) -> float:
    """The same with merged misses."""
    return float(run["counters"]["cache.texture.mpki_merged"])


def l2_mpki(run: Run) -> float:
    """L2 misses of textures (lines read from memory) per 1,000 instructions."""
    return float(run["counters"]["cache.l2.texture_mpki"])


def processors(run: Run, unit: int | None = None, each: int = 4) -> dict[str, float]:
    """Cycles by state of the Fragment Processors of a Raster Unit, or of all."""
    out: dict[str, float] = {}
    for name, states in run["stalls"].items():
        kind, _, number = name.partition(".")
        if kind == "fragment_processor" and (unit is None or int(number) // each == unit):
            for state, cycles in states.items():
                out[state] = out.get(state, 0) + cycles
    return out


def memory_share(run: Run) -> float:
    """Percent of the processors' working time that waits for memory."""
    states = processors(run)
    waits = states["data"] + states["resource"]
    return 100 * waits / max(waits + states["busy"], 1)


def busy(run: Run, unit: str) -> float:
    """Percent of the frame in which a unit is busy (of several, the mean)."""
    found = [states["busy"] for name, states in run["stalls"].items() if name.partition(".")[0] == unit]
    return 100 * fmean(found) / max(float(run["cycles"]["total"]), 1)


def speed_table(traces: list[Trace], mode: str) -> str:
    """Figures 5.3 and 5.5 to 5.7 in a memory mode."""
    base, double, ptr = f"{mode} baseline", f"{mode} double", f"{mode} ptr static"
    columns: list[tuple[str, Callable[[Trace], float], str]] = [
        ("size", lambda t: t["width"] * t["height"] / 1e6, "{:.2f} MP"),
        ("raster Mcycles", lambda t: t["runs"][base]["cycles"]["raster"] / 1e6, "{:.3f}"),
        ("`ptr` static", lambda t: ratio(t, base, ptr), "{:.2f}x"),
        ("dynamic", lambda t: ratio(t, base, f"{mode} ptr dynamic"), "{:.2f}x"),
        ("mixed", lambda t: ratio(t, base, f"{mode} ptr mixed"), "{:.2f}x"),
        ("frame", lambda t: ratio(t, base, ptr, "total"), "{:.2f}x"),
        ("energy", lambda t: change(t, base, ptr), "{:+.1f} %"),
        ("`double`", lambda t: ratio(t, base, double), "{:.2f}x"),
        ("`ptr` over `double`", lambda t: 100 * (ratio(t, double, ptr) - 1), "{:+.1f} %"),
        ("memory busy, baseline", lambda t: busy(t["runs"][base], "dram"), "{:.0f} %"),
        ("with `ptr`", lambda t: busy(t["runs"][ptr], "dram"), "{:.0f} %"),
    ]
    return with_mean(traces, columns)


def main_tables(traces: list[Trace]) -> str:
    """Figures 4.1, 4.2, 5.1 and 5.3 to 5.12."""
    out = []
    for mode in ("paper", "dram"):
        out.append(f"### Speed and energy, `memory.mode={mode}` (Fig. 5.3, 5.5 to 5.7)\n\n")
        out.append(speed_table(traces, mode))
    area = traces[0]["runs"]["paper ptr static"]["hardware"]["area_share"]
    doubled = traces[0]["runs"]["paper double"]["hardware"]["area_share"]
    out.append(f"Area: `ptr` {100 * area:+.1f} %, `double` {100 * doubled:+.1f} %.\n\n")
    base, ptr = "paper baseline", "paper ptr static"
    out.append("### Workload (Fig. 4.1, 4.2, 5.1, 5.4, 5.8 to 5.10; `memory.mode=paper`)\n\n")

    def per(run: str, above: str, below: str) -> Callable[[Trace], float]:
        return lambda t: t["runs"][run]["counters"][above] / max(t["runs"][run]["counters"][below], 1)

    out.append(with_mean(traces, [
        ("attributes a primitive", per(base, "binning.attributes", "primitives.binned"), "{:.2f}"),
        ("primitives a tile", per(base, "primitive_tile_pairs", "tiles.rendered"), "{:.1f}"),
        ("fragments a tile", per(base, "fragments.shaded", "tiles.rendered"), "{:.0f}"),
        ("geometry", lambda t: 100 * t["runs"][base]["cycles"]["geometry"] / t["runs"][base]["cycles"]["total"],
         "{:.1f} %"),
        ("active unit 0", lambda t: 100 * unit_share(t["runs"][ptr]), "{:.1f} %"),
        ("waits for memory, baseline", lambda t: memory_share(t["runs"][base]), "{:.0f} %"),
        ("with `ptr`", lambda t: memory_share(t["runs"][ptr]), "{:.0f} %"),
        ("L1 MPKI", lambda t: l1_mpki(t["runs"][ptr]), "{:.1f}"),
        ("with merged misses", lambda t: l1_mpki_merged(t["runs"][ptr]), "{:.1f}"),
        ("L2 MPKI", lambda t: l2_mpki(t["runs"][ptr]), "{:.2f}"),
    ]))  # fmt: skip
    out.append("### Traffic by client (Fig. 5.11; `ptr`, percent of bytes)\n\n")

    def traffic(kind: str) -> Callable[[Trace], float]:
        def share(trace: Trace) -> float:
            c = trace["runs"][ptr]["counters"]
            total = sum(float(c[f"dram.{way}_bytes.{k}"]) for way in ("read", "write") for k in TRAFFIC)
            return 100 * float(c[f"dram.read_bytes.{kind}"] + c[f"dram.write_bytes.{kind}"]) / max(total, 1)

        return share

    out.append(with_mean(traces, [(kind, traffic(kind), "{:.1f}") for kind in TRAFFIC]))
    out.append(
        "### Texture blocks that tiles share (Fig. 5.12; percent of blocks, by the smallest distance of two tiles)\n\n"
    )
    textured = [t for t in traces if t["reuse"][0]]

    def blocks(first: int, end: int) -> Callable[[Trace], float]:
        return lambda t: 100 * float(sum(t["reuse"][first:end])) / float(t["reuse"][0])

    columns: list[tuple[str, Callable[[Trace], float], str]] = [
        ("blocks", lambda t: t["reuse"][0], "{:.0f}"),
        *((head, blocks(k, k + 1), "{:.1f}") for k, head in ((1, "next tile"), (2, "the one after"), (3, "further"))),
        ("all shared", blocks(1, 4), "{:.1f}"),
    ]
    out.append(with_mean(textured, columns))
    return "".join(out)


def thesis_table(main: list[Trace], wide: list[Trace], maps: list[Trace]) -> str:
    """Its averages beside ours, in three memories, of all traces and of those of its screen."""
    groups = [
        (label, mode, suffix, traces)
        for label, mode, suffix, found in (
            ("`paper`", "paper", " static", main),
            ("`dram`", "dram", " static", main),
            ("16 x bandwidth", "wide", "", wide),
        )
        for traces in (found, [t for t in found if (t["width"], t["height"]) == (1920, 1080)])
    ]

    def row(label: str, theirs: str, value: Callable[[Trace, str, str], float], form: str) -> list[str]:
        return [
            label, theirs,
            *(form.format(fmean(value(t, f"{mode} baseline", f"{mode} ptr{end}") for t in traces))
              for _, mode, end, traces in groups),
        ]  # fmt: skip

    def over_double(t: Trace, base: str, ptr: str) -> float:
        return 100 * (ratio(t, base.replace("baseline", "double"), ptr) - 1)

    def shared(t: Trace, base: str, ptr: str) -> float:
        blocks = next(m["reuse"] for m in main if m["trace"] == t["trace"])
        return 100 * float(sum(blocks[1:])) / max(float(blocks[0]), 1)

    rows = [
        row("raster speed-up of `ptr`", "1.83x", ratio, "{:.2f}x"),
        row("energy", "-9.86 %", change, "{:+.2f} %"),
        row("energy with HP devices alone", "", lambda t, base, ptr: change(t, base, ptr, HP_DEVICES), "{:+.2f} %"),
        row("area", "+40 %", lambda t, base, ptr: 100 * t["runs"][ptr]["hardware"]["area_share"], "{:+.1f} %"),
        row("over `double`", "+8.3 %", over_double, "{:+.1f} %"),
        row("texture blocks that tiles share", "50 %", shared, "{:.0f} %"),
    ]
    for label, mode in (("`paper`", "paper"), ("`dram`", "dram")):
        names = [name for name in MAPPINGS if f"{mode} {name}" in maps[0]["runs"]]
        speeds = {name: fmean(ratio(t, f"{mode} ptr", f"{mode} {name}") for t in maps) for name in names}
        best = max(names, key=lambda name: speeds[name])
        cell = f"{speeds[best]:.3f}x ({best}), {len(maps)} traces"
        rows.append([f"best quad map over `ptr`, {label}", "1.0x at most", cell, *[""] * (len(groups) - 1)])
    heads = [f"{label}, {len(traces)} traces" for label, _, _, traces in groups]
    return table(["mean", "thesis", *heads], rows)


def unit_share(run: Run) -> float:
    """Share of Raster Unit 0 in the busy cycles of the Fragment Processors of two."""
    first, both = processors(run, 0)["busy"], processors(run)["busy"]
    return first / max(both, 1)


def map_tables(traces: list[Trace]) -> str:
    """Figures 6.4 to 6.6 and 6.8, means over the traces."""

    def row(name: str) -> list[str]:
        base = f"{name.partition(' ')[0]} ptr"
        speeds = [ratio(t, base, name) for t in traces]
        runs = [t["runs"][name] for t in traces]
        private = fmean(l1_mpki(t["runs"][base]) for t in traces)

        def waits(kind: str) -> str:
            lookups = [max(run["counters"]["cache.texture.accesses"], 1) for run in runs]
            waited = [run["counters"].get(f"ptr-shared.{kind}", 0) for run in runs]
            return f"{fmean(100 * a / b for a, b in zip(waited, lookups, strict=True)):.1f} %"

        area = runs[0]["hardware"]["area_mm2"] / traces[0]["runs"][base]["hardware"]["area_mm2"] - 1
        return [
            name.partition(" ")[2], f"{fmean(speeds):.3f}x", f"{min(speeds):.3f} to {max(speeds):.3f}",
            f"{fmean(run['imbalance'] for run in runs):.3f}", f"{fmean(change(t, base, name) for t in traces):+.2f} %",
            f"{fmean(static_change(t, base, name) for t in traces):+.2f} %",
            f"{fmean(l1_mpki(run) for run in runs) - private:+.2f}", waits("port_conflicts"), waits("register_waits"),
            f"{100 * area:+.1f} %",
        ]  # fmt: skip

    out = []
    for mode in ("paper", "dram"):
        mpki = fmean(l1_mpki(t["runs"][f"{mode} ptr"]) for t in traces)
        out.append(f"`memory.mode={mode}`; `ptr` has {mpki:.2f} L1 misses per 1,000 instructions.\n\n")
        head = [
            f"mean of {len(traces)} traces", "raster speed-up over `ptr`", "range", "deviation / mean", "energy",
            "if dynamic energy stayed", "L1 MPKI", "port conflicts a look-up", "waits for registers", "area",
        ]  # fmt: skip
        out.append(table(head, [row(name) for name in traces[0]["runs"] if name.startswith(mode)]))
    out.append("### 11-blocking by trace (Fig. 6.7, 6.8)\n\n")
    ptr, best = "paper ptr", "paper 11-blocking"
    out.append(with_mean(traces, [
        ("over `ptr`, paper", lambda t: ratio(t, ptr, best), "{:.3f}x"),
        ("over `ptr`, dram", lambda t: ratio(t, "dram ptr", "dram 11-blocking"), "{:.3f}x"),
        ("two ports, paper", lambda t: ratio(t, ptr, "paper 11-blocking two ports"), "{:.3f}x"),
        ("private caches, paper", lambda t: ratio(t, ptr, "paper 11-blocking private"), "{:.3f}x"),
        ("L1 MPKI of `ptr`", lambda t: l1_mpki(t["runs"][ptr]), "{:.1f}"),
        ("shared", lambda t: l1_mpki(t["runs"][best]), "{:.1f}"),
        ("energy", lambda t: change(t, ptr, best), "{:+.2f} %"),
        ("against the same map, private", lambda t: change(t, "paper 11-blocking private", best), "{:+.2f} %"),
    ]))  # fmt: skip
    out.append("### Maps ahead of `ptr` by more than 0.5 %\n\n")
    out.append(above_one(traces))
    out.append(area_note())
    return "".join(out)


def above_one(traces: list[Trace]) -> str:
    """Maps that are more than 0.5 % faster than ``ptr`` somewhere, beside what may be the cause alone."""
    rows = []
    for t in traces:
        for mode in ("paper", "dram"):
            for name in MAPPINGS:
                run, base = f"{mode} {name}", f"{mode} ptr"
                if run not in t["runs"] or ratio(t, base, run) <= 1.005:
                    continue
                order = f"{mode} Z-order alone" if MAPPINGS[name].order == "z-order" else ""
                private = f"{mode} {name} private"
                rows.append([
                    t["trace"], mode, name, f"{ratio(t, base, run):.3f}x",
                    f"{ratio(t, base, order):.3f}x" if order else "",
                    f"{ratio(t, base, private):.3f}x" if private in t["runs"] else "",
                ])  # fmt: skip
    return table(["trace", "memory", "map", "over `ptr`", "its order of tiles alone", "its map, private caches"], rows)


def area_note() -> str:
    """What sharing saves of the area, as billed and if a Texture Cache were McPAT's load-store unit."""
    config = load_config("tbr-fhd")
    private, shared = (bill(technique.configure(config)) for technique in (ParallelTileRendering(), SharedTextures()))
    total = sum(part.area_mm2 for part in private)
    saved = total - sum(part.area_mm2 for part in shared)
    caches = sum(part.area_mm2 for part in private if part.name in ("texture.cache", "texture.mshr"))
    count = PtrConfig.of(config).units * config.fragment.processors
    unit = Prices(config).static("mcpat_lsu").area_mm2
    other = total - caches
    return (
        f"Area: {count} Texture Caches with their miss registers are {100 * caches / total:.1f} % of `ptr`, half of "
        f"them {100 * saved / total:.1f} %. As McPAT's load-store unit each (a core's data cache with its buffers, "
        f"{unit:.4f} mm² instead of {caches / count:.4f}) half of them would be "
        f"{100 * count / 2 * unit / (other + count * unit):.1f} %.\n\n"
    )


def what_if_tables(traces: list[Trace], main: list[Trace], deep: list[Trace]) -> str:
    """Speed-ups as they are, with sixteen times the bandwidth, with a memory that is near, or long Tile Queues, too."""
    by_name = {trace["trace"]: trace for trace in main}
    long = {trace["trace"]: trace for trace in deep}
    traces = [trace for trace in traces if trace["trace"] in by_name and trace["trace"] in long]

    def plain(t: Trace, slow: str, fast: str) -> float:
        return ratio(by_name[t["trace"]], f"paper {slow}", f"paper {fast}")

    columns: list[tuple[str, Callable[[Trace], float], str]] = [
        ("`ptr`", lambda t: plain(t, "baseline", "ptr static"), "{:.2f}x"),
        ("16 x bandwidth", lambda t: ratio(t, "wide baseline", "wide ptr"), "{:.2f}x"),
        ("and near", lambda t: ratio(t, "near baseline", "near ptr"), "{:.2f}x"),
        ("or long queues", lambda t: ratio(long[t["trace"]], "deep baseline", "deep ptr"), "{:.2f}x"),
        ("energy", lambda t: change(by_name[t["trace"]], "paper baseline", "paper ptr static"), "{:+.1f} %"),
        ("16 x bandwidth", lambda t: change(t, "wide baseline", "wide ptr"), "{:+.1f} %"),
        ("and near", lambda t: change(t, "near baseline", "near ptr"), "{:+.1f} %"),
        ("or long queues", lambda t: change(long[t["trace"]], "deep baseline", "deep ptr"), "{:+.1f} %"),
        ("`ptr` over `double`", lambda t: 100 * (plain(t, "double", "ptr static") - 1), "{:+.1f} %"),
        ("16 x bandwidth", lambda t: 100 * (ratio(t, "wide double", "wide ptr") - 1), "{:+.1f} %"),
        ("and near", lambda t: 100 * (ratio(t, "near double", "near ptr") - 1), "{:+.1f} %"),
        ("or long queues", lambda t: 100 * (ratio(long[t["trace"]], "deep double", "deep ptr") - 1), "{:+.1f} %"),
    ]
    return with_mean(traces, columns)


def scaling_tables(traces: list[Trace]) -> str:
    """Raster speed-up by number of units, and what is busy where it ends."""
    counts = range(1, 9)

    def row(t: Trace) -> list[str]:
        eight = t["runs"]["paper 8"]
        shares = {unit: busy(eight, unit) for unit in ("dram", "l2", "tile_fetcher", "flush", "fragment_processor")}
        tiles = [eight["counters"].get(f"ptr.tiles.{k}", 0) for k in range(8)]
        reason = max(shares, key=lambda unit: shares[unit])
        return [
            t["trace"], *(f"{ratio(t, 'paper 1', f'paper {n}'):.2f}" for n in counts),
            f"{reason} {shares[reason]:.0f} %", f"{shares['tile_fetcher']:.0f} %", f"{min(tiles)} to {max(tiles)}",
            *(f"{ratio(t, 'wide 1', f'wide {n}'):.2f}" for n in (2, 4, 8)),
        ]  # fmt: skip

    head = [
        "trace", *(f"N = {n}" for n in counts), "busiest at 8", "Tile Fetcher", "tiles a unit",
        *(f"wide, N = {n}" for n in (2, 4, 8)),
    ]  # fmt: skip
    return table(head, map(row, traces))


def sensitivity_tables(traces: list[Trace]) -> str:
    """Raster speed-up of ``ptr`` over the baseline with the same value."""
    names = [name.removesuffix(" baseline") for name in traces[0]["runs"] if name.endswith("baseline")]
    rows = []
    for name in names:
        speeds = [ratio(t, f"{name} baseline", f"{name} ptr") for t in traces]
        rows.append([f"`{name}`", *(f"{speed:.2f}" for speed in speeds), f"{fmean(speeds):.2f}"])
    return table(["value", *(t["trace"] for t in traces), "mean"], rows)


def baseline_tables(traces: list[Trace]) -> str:
    """What each step of thesis chapter 4 brings: raster cycles against the one before."""
    steps = [name for name in traces[0]["runs"] if name == "old" or name.startswith("+")]
    rows = []
    for before, name in zip([steps[0], *steps], steps, strict=False):
        speeds = [ratio(t, before, name) for t in traces]
        rows.append([name, *(f"{speed:.3f}" for speed in speeds), f"{fmean(speeds):.3f}"])
    full = "+ tile pipelining (tbr-fhd)"
    for name in [name for name in traces[0]["runs"] if name not in steps]:
        speeds = [ratio(t, full, name) for t in traces]
        rows.append([f"{name}, against tbr-fhd", *(f"{speed:.3f}" for speed in speeds), f"{fmean(speeds):.3f}"])
    shares = []
    for t in traces:
        run = t["runs"][full]
        part = run["energy_pj"]["structures"]["tile_fetcher.primitive_table"]
        shares.append(100 * (part["dynamic"] + part["static"]) / energy(run))
    rows.append(
        ["Primitive Table, share of energy (Fig. 4.6)", *(f"{s:.2f} %" for s in shares), f"{fmean(shares):.2f} %"]
    )
    return table(["raster speed-up over the step before", *(t["trace"] for t in traces), "mean"], rows)


def combination_tables(traces: list[Trace]) -> str:
    """Frame speed-up over the baseline and energy against it, ``memory.mode=dram``."""
    rows = []
    for name in traces[0]["runs"]:
        cells = [
            f"{ratio(t, 'baseline', name, 'total'):.2f}x, {change(t, 'baseline', name):+.1f} %"
            for t in traces
        ]  # fmt: skip
        rows.append([f"`{name}`", *cells])
    return table(["frame speed-up, energy", *(t["trace"] for t in traces)], rows)


def rival_tables(traces: list[Trace]) -> str:
    """Raster cycles of ``ptr`` and ``double`` with one resource changed, and the gap between them."""
    rows = []
    for name in traces[0]["runs"]:
        technique, _, changed = name.partition(", ")
        if technique != "ptr":
            continue
        other = f"double, {changed}" if f"double, {changed}" in traces[0]["runs"] else "double"
        cells = []
        for t in traces:
            idle = 100 * processors(t["runs"][name])["idle"] / sum(processors(t["runs"][name]).values())
            cells += [
                f"{t['runs'][name]['cycles']['raster'] / 1e6:.3f}", f"{t['runs'][other]['cycles']['raster'] / 1e6:.3f}",
                f"{100 * (ratio(t, other, name) - 1):+.1f} %", f"{idle:.1f} %",
            ]  # fmt: skip
        rows.append([changed or "as it is", *cells])
    head = ["changed"]
    for t in traces:
        head += [f"`ptr`, Mcycles ({t['trace']})", "`double`", "`ptr` over `double`", "its processors without quads"]
    return table(head, rows)


def speed_tables(traces: list[Trace]) -> str:
    """Simulated cycles a second of CPU, best of three."""

    def rate(mode: str, name: str) -> Callable[[Trace], float]:
        def value(t: Trace) -> float:
            runs = [t["runs"][f"{mode} {name} {turn}"] for turn in range(3)]
            return float(runs[0]["cycles"]["total"]) / min(float(run["host_seconds"]) for run in runs) / 1e6

        return value

    columns: list[tuple[str, Callable[[Trace], float], str]] = []
    for mode in ("paper", "dram"):
        base = rate(mode, "baseline")
        columns.append((f"baseline, {mode}", base, "{:.1f} M/s"))
        for name in ("ptr", "double"):
            other = rate(mode, name)
            columns.append((f"`{name}`", lambda t, other=other, base=base: other(t) / base(t), "{:.2f}"))  # type: ignore[misc]
    return with_mean(traces, columns)


SECTIONS: list[tuple[str, str, Callable[[list[Trace]], str]]] = [
    ("main", "Parallel Tile Rendering", main_tables),
    ("maps", "Shared Texture Caches (Fig. 6.4 to 6.6, 6.8)", map_tables),
    ("scaling", "One to eight Raster Units", scaling_tables),
    ("sensitivity", "Sensitivity of the speed-up", sensitivity_tables),
    ("baseline", "Steps of chapter 4", baseline_tables),
    ("speed", "Speed of the simulator (cycles a second; `ptr` and `double` against the baseline)", speed_tables),
    ("combinations", "Together with other techniques (`memory.mode=dram`)", combination_tables),
]


def main() -> None:
    """Print what is there."""
    folder = Path(sys.argv[1])
    print(
        f"## Beside the thesis\n\n{thesis_table(*(load(folder, name) for name in ('main', 'what-if', 'maps')))}", end=""
    )
    for study, title, section in SECTIONS:
        traces = load(folder, study)
        if traces:
            print(f"## {title}\n\n{section(traces)}", end="")
        if study == "main" and (asked := load(folder, "what-if")):
            print(f"### What if\n\n{what_if_tables(asked, traces, load(folder, 'deep'))}", end="")
        if study == "main" and (rivals := load(folder, "rival")):
            print(f"### What `double` has and `ptr` has not\n\n{rival_tables(rivals)}", end="")


if __name__ == "__main__":
    main()
