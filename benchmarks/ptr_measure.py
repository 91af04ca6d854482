"""Measures Parallel Tile Rendering, its rival, shared Texture Caches, and the thesis's baseline steps on traces.

    python benchmarks/ptr_measure.py OUT_DIR TRACE.gltrace... --study STUDY [--frame N] [--warm N] [--threads N]

Studies: ``main`` (assignments and ``double`` in both memory modes), ``maps`` (the 17 quad maps), ``what-if`` (other
memories), ``deep`` (and longer Tile Queues), ``rival`` (what ``double`` has that ``ptr`` has not), ``scaling`` (1 to 8
Raster Units), ``sensitivity``, ``baseline`` (thesis ch. 4), ``combinations``, ``speed`` (of the simulator). One replay
feeds all runs of a study; a JSON file a trace and study holds every counter. ``ptr_tables.py`` makes the tables from
these files.
A trace whose file exists is not measured again.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import replay
from gpumodel import REQUIRED_COLUMNS, Run, load_config, run_all
from gpumodel.machine import MachineFrame
from gpumodel.quad_maps import MAPPINGS
from gpumodel.report.tile_work import TextureReuse, imbalance, processor_work, texture_reuse
from traceformat.errors import ToolError

PRESET = "tbr-fhd"
PAPER = "memory.mode='paper'"
DRAM = "memory.mode='dram'"
#: Without the limit of memory's bandwidth: sixteen times the preset's.
WIDE = "memory.paper.bytes_per_cycle=64"
#: And without most of its latency, and that of the L2.
NEAR = ("memory.paper.row_hit_cycles=4", "memory.paper.row_miss_cycles=4", "caches.l2.latency_cycles=1")
Z_ORDER = "Z-order alone"
#: Maps that are also run with private caches, and with the command-level memory.
SOME_MAPS = ("1-quadrant", "5-UD-Q", "10-UD-L-x4-zorder", "11-blocking", "12-snake")
OLD_FETCHER = ("tile_fetcher.design='simple'", "tile_fetcher.tile_pipelining=false")
ONE_QUAD = ("raster.quads_per_cycle=1", "raster.attributes_per_cycle=4")
ONE_QUEUE = ("fragment.queues='shared'", "queues.fragment=512")

#: Name of a run: techniques and settings.
RunOf = tuple[tuple[str, ...], tuple[str, ...]]


def _main() -> dict[str, RunOf]:
    runs: dict[str, RunOf] = {}
    for mode, settings in (("paper", ()), ("dram", (DRAM,))):
        runs[f"{mode} baseline"] = ((), settings)
        for policy in ("static", "dynamic", "mixed"):
            runs[f"{mode} ptr {policy}"] = (("ptr",), (*settings, f"ptr.assignment='{policy}'"))
        runs[f"{mode} double"] = (("double",), settings)
    return runs


def _maps() -> dict[str, RunOf]:
    runs: dict[str, RunOf] = {"paper ptr": (("ptr",), ())}
    for name in MAPPINGS:
        runs[f"paper {name}"] = (("ptr-shared",), (f"ptr_shared.quad_map='{name}'",))
    runs["dram ptr"] = (("ptr",), (DRAM,))
    for name in SOME_MAPS:
        runs[f"dram {name}"] = (("ptr-shared",), (f"ptr_shared.quad_map='{name}'", DRAM))
    # What the order of tiles, the map without sharing, and the port do each.
    for mode, settings in (("paper", ()), ("dram", (DRAM,))):
        runs[f"{mode} {Z_ORDER}"] = (("ptr",), ("tile.order='z-order'", *settings))
        for name in SOME_MAPS:
            private = (f"fragment.quad_map='{name}'", f"tile.order='{MAPPINGS[name].order}'")
            runs[f"{mode} {name} private"] = (("ptr",), (*private, *settings))
    runs["paper 11-blocking two ports"] = (("ptr-shared",), ("ptr_shared.quad_map='11-blocking'", "ptr_shared.ports=2"))
    return runs


def _rival() -> dict[str, RunOf]:
    """Resources of ``double`` given to ``ptr`` one at a time, and Tile Queues of other depths for both."""
    runs: dict[str, RunOf] = {"baseline": ((), ()), "ptr": (("ptr",), ()), "double": (("double",), ())}
    for name, settings in (
        ("8 quads, 32 attributes a cycle", ("raster.quads_per_cycle=8", "raster.attributes_per_cycle=32")),
        ("40 quads in Early-Z", ("early_z.in_flight_quads=40",)),
        ("fragment queues of 256", ("queues.fragment=256",)),
        ("dynamic assignment", ("ptr.assignment='dynamic'",)),
    ):
        runs[f"ptr, {name}"] = (("ptr",), settings)
    memories: dict[str, tuple[str, ...]] = {"": (), " in dram": (DRAM,), " at 16 x bandwidth": (WIDE,)}
    for memory, mode in memories.items():
        for depth in (32, 1024) if memory else (64, 128, 256, 1024):
            for technique in ("ptr", "double"):
                name = f"{technique}, Tile Queues of {depth}{memory}"
                runs[name] = ((technique,), (f"queues.tile={depth}", *mode))
    return runs


def _what_if() -> dict[str, RunOf]:
    return {
        f"{name} {'+'.join(technique) or 'baseline'}": (technique, settings)
        for name, settings in (("wide", (WIDE,)), ("near", (WIDE, *NEAR)))
        for technique in ((), ("ptr",), ("double",))
    }


def _deep() -> dict[str, RunOf]:
    """Sixteen times the bandwidth, and Tile Queues that hold whole tiles."""
    settings = (WIDE, "queues.tile=1024")
    return {f"deep {'+'.join(ids) or 'baseline'}": (ids, settings) for ids in ((), ("ptr",), ("double",))}


def _speed() -> dict[str, RunOf]:
    """The same runs three times, in turn: the simulator's own speed, from the best of them."""
    kinds: tuple[tuple[str, tuple[str, ...]], ...] = (("baseline", ()), ("ptr", ("ptr",)), ("double", ("double",)))
    return {
        f"{mode} {name} {turn}": (technique, settings)
        for turn in range(3)
        for mode, settings in (("paper", ()), ("dram", (DRAM,)))
        for name, technique in kinds
    }


def _scaling() -> dict[str, RunOf]:
    counts = (1, 2, 3, 4, 5, 6, 7, 8)
    runs: dict[str, RunOf] = {f"paper {n}": (("ptr",), (f"ptr.units={n}",)) for n in counts}
    runs |= {f"wide {n}": (("ptr",), (f"ptr.units={n}", WIDE)) for n in (1, 2, 4, 8)}
    return runs


def _sensitivity() -> dict[str, RunOf]:
    runs: dict[str, RunOf] = {}
    for key, values in (
        ("caches.l2.size_bytes", (262144, 1048576, 2097152, 4194304)),
        ("memory.paper.bytes_per_cycle", (2, 4, 8, 16)),
        ("fragment.threads", (4, 8, 16, 32)),
    ):
        for value in values:
            for technique in ((), ("ptr",)):
                name = f"{key}={value} {'+'.join(technique) or 'baseline'}"
                runs[name] = (technique, (f"{key}={value}",))
    return runs


def _baseline() -> dict[str, RunOf]:
    runs: dict[str, RunOf] = {
        "old": ((), (*ONE_QUAD, *ONE_QUEUE, *OLD_FETCHER)),
        "+ 4 quads a cycle": ((), (*ONE_QUEUE, *OLD_FETCHER)),
        "+ four fragment queues": ((), OLD_FETCHER),
        "+ pipelined Tile Fetcher": ((), ("tile_fetcher.tile_pipelining=false",)),
        "+ tile pipelining (tbr-fhd)": ((), ()),
        "+ command-level DRAM": ((), (DRAM,)),
        "without 4 quads a cycle": ((), ONE_QUAD),
        "without four queues": ((), ONE_QUEUE),
        "without the pipelined fetcher": ((), ("tile_fetcher.design='simple'",)),
    }
    for entries in (1, 2, 4, 8, 32):
        runs[f"Primitive Table of {entries}"] = ((), (f"tile_fetcher.primitive_table={entries}",))
    return runs


def _combinations() -> dict[str, RunOf]:
    alone = ("re", "te", "vro")
    names = ("baseline", "ptr", *alone, *(f"ptr+{name}" for name in alone), "ptr-shared+re+te+vro")
    return {name: ((() if name == "baseline" else tuple(name.split("+"))), (DRAM,)) for name in names}


STUDIES = {
    "main": _main, "maps": _maps, "what-if": _what_if, "deep": _deep, "rival": _rival, "scaling": _scaling,
    "sensitivity": _sensitivity, "baseline": _baseline, "combinations": _combinations, "speed": _speed,
}  # fmt: skip


def balance(raw: MachineFrame) -> list[float]:
    """Mean deviation over mean of the processors' work of each tile that has work."""
    return [float(v) for done in raw.passes for v in imbalance(processor_work(done))]


def measure(path: Path, study: str, first: int, warm: int, threads: int) -> dict[str, Any]:
    """Run a trace through a study; gives what is written."""
    asked = STUDIES[study]()
    runs = {
        name: Run(load_config(PRESET, (PAPER, *settings)), technique) for name, (technique, settings) in asked.items()
    }
    deviation: dict[str, list[float]] = {name: [] for name in runs}
    host_seconds = dict.fromkeys(runs, 0.0)
    reuse = TextureReuse(0, 0, 0, 0)
    size = (0, 0)
    with replay.frames(path, columns=REQUIRED_COLUMNS, frames=(first - warm, first)) as played:
        for trace, raws in run_all(played, list(runs.values()), threads=threads):
            if trace.frame != first:
                continue
            size = trace.width, trace.height
            for name, raw in zip(runs, raws, strict=True):
                deviation[name] += balance(raw)
                host_seconds[name] = raw.host_seconds
            if study == "main":
                for done in raws[0].passes:
                    reuse += texture_reuse(done)
    out: dict[str, Any] = {"trace": path.stem, "width": size[0], "height": size[1], "warm": warm, "runs": {}}
    out["reuse"] = [reuse.blocks, reuse.next_tile, reuse.after_next, reuse.further]
    for name, run in runs.items():
        entry = run.result.frames[-1].as_json() | {"hardware": run.result.as_json()["hardware"]}
        entry["imbalance"] = float(np.mean(deviation[name])) if deviation[name] else 0.0
        # Of the kernels, in CPU time; meaningful with one thread.
        entry["host_seconds"] = host_seconds[name]
        out["runs"][name] = entry
    return out


def main() -> int:
    """Measure what has not been measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("traces", nargs="+", type=Path)
    parser.add_argument("--study", choices=sorted(STUDIES), action="append", required=True)
    parser.add_argument("--frame", type=int, default=1, help="the frame that is measured")
    parser.add_argument("--warm", type=int, default=0, help="frames that are run before it, to warm the caches")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    failed = 0
    for study in options.study:
        for path in options.traces:
            target = options.out / f"{study}-{path.stem}.json"
            if target.exists():
                continue
            clock = time.process_time()
            try:
                found = measure(path, study, options.frame, options.warm, options.threads)
            except ToolError as error:
                print(f"{study} {path.stem}: {error}", flush=True)
                failed += 1
                continue
            target.write_text(json.dumps(found, indent=1) + "\n")
            print(f"{study} {path.stem}: {time.process_time() - clock:.1f} s of CPU", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
