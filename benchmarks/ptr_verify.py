"""Checks several Raster Units, doubled ones, shared Texture Caches and their combinations on real traces.

    python benchmarks/ptr_verify.py TRACE... [--frames N] [--set SET]... [--part K/N] [--loops]

Sets: ``units`` (2, 3, 4 units, all assignments, ``double``), ``many`` (5 to 8 units), ``maps`` (the 17 quad maps),
``combinations`` (with ``re``, ``te`` and ``vro``). ``--part 2/4`` takes the second quarter of the runs. Pixels of
every run are recomposed and compared with the replay's; ``--loops`` also compares the wake-up loop with the loop of
every cycle, in all counters, cycles and states. Exit status 1 when something differs.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import replay
from gpumodel import VERIFIED_COLUMNS, Run, load_config, run_all
from gpumodel.quad_maps import MAPPINGS
from traceformat.errors import ToolError

#: Techniques and settings by set.
SETS: dict[str, list[tuple[str, tuple[str, ...]]]] = {
    "units": [
        *(
            ("ptr", (f"ptr.units={n}", f"ptr.assignment='{policy}'"))
            for n in (2, 3, 4)
            for policy in ("static", "dynamic", "mixed")
        ),
        ("double", ()),
    ],
    "many": [
        ("ptr", (f"ptr.units={n}", f"ptr.assignment='{policy}'"))
        for n, policy in ((5, "dynamic"), (6, "mixed"), (7, "dynamic"), (8, "static"), (8, "mixed"))
    ],
    "maps": [("ptr-shared", (f"ptr_shared.quad_map='{name}'",)) for name in MAPPINGS],
    "combinations": [
        ("ptr+re", ()), ("ptr+te", ()), ("ptr+vro", ()), ("ptr+vro", ("ptr.units=4", "ptr.assignment='dynamic'")),
        ("double+re+vro", ()), ("ptr-shared+re+te+vro", ()),
    ],
}  # fmt: skip


def check(path: Path, asked: list[tuple[str, tuple[str, ...]]], frames: int, *, loops: bool) -> tuple[int, int]:
    """Run a trace; gives the number of runs and of those that are wrong."""
    runs = [Run(load_config("tbr-fhd", settings), text.split("+"), verify=True) for text, settings in asked]
    every: list[Run] = []
    if loops:
        every = [Run(load_config("tbr-fhd", settings), text.split("+"), every_cycle=True) for text, settings in asked]
    with replay.frames(path, columns=VERIFIED_COLUMNS, frames=(0, frames - 1)) as played:
        for _ in run_all(played, [*runs, *every]):
            pass
    wrong = 0
    for k, ((text, settings), run) in enumerate(zip(asked, runs, strict=True)):
        name = f"{path.stem} {text} {' '.join(settings)}"
        checked = run.result.verification
        assert checked is not None
        if not checked.identical:
            print(f"{name}: {checked.mismatched_pixels} pixels differ", flush=True)
            wrong += 1
        if loops:
            for a, b in zip(run.result.frames, every[k].result.frames, strict=True):
                if (a.cycles, a.counters, a.stalls) != (b.cycles, b.counters, b.stalls):
                    print(f"{name}: frame {a.frame}: the loops differ", flush=True)
                    wrong += 1
    return len(runs), wrong


def main() -> int:
    """Check the traces."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", nargs="+", type=Path)
    parser.add_argument("--frames", type=int, default=1)
    parser.add_argument("--set", dest="sets", action="append", choices=sorted(SETS))
    parser.add_argument("--part", default="1/1", help="K/N: the K-th of N parts of the runs")
    parser.add_argument("--loops", action="store_true")
    options = parser.parse_args()
    part, parts = (int(number) for number in options.part.split("/"))
    asked = [one for name in options.sets or SETS for one in SETS[name]][part - 1 :: parts]
    total = failed = 0
    for path in options.traces:
        try:
            runs, wrong = check(path, asked, options.frames, loops=options.loops)
        except ToolError as error:
            print(f"{path.stem}: {error}", flush=True)
            failed += 1
            continue
        total, failed = total + runs, failed + wrong
        print(f"{path.stem}: {runs} runs, {wrong} wrong", flush=True)
    print(f"{total} runs, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
