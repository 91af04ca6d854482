"""Judges every technique over random films and traces: each pixel must be the replay's, and come from somewhere.

usage: python tests/verify/run_techniques.py [--films FIRST-LAST] [--traces FILE... [--frames N]] [--techniques A,B+C]

A seed makes two films: one in which any state may change (``random_films``), one of objects that hide each other
(``object_films``). Exit status 1 when a run differs or fails; proved collisions of a table's hash are listed, too, and
are no finding.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[2]
#: Techniques by the preset that they run on.
TECHNIQUES = {
    "mali450-vro": (
        "vro", "dr", "dr-seq", "zprepass", "no-early-z", "ideal-order", "list-prefetch", "frame-reverse", "fpk", "lrz",
        "tcor-like", "frag-prepass", "fpk+frag-prepass+lrz", "fpk+vro", "dr+fpk+lrz", "lrz+vro",
    ),
    "mali450-re": (
        "re", "te", "re+te", "pfr", "memo", "vro+re", "dr+re", "vro+re+te", "frame-reverse+re+te", "frag-prepass+re+te",
        "evr-like", "evr-like+lrz+te",
        "fpk+lrz+re+te",
        "lrz+re+tcor-like", "afbc", "afbc+re+te", "omega-like", "omega-like+re+te", "fpk+omega-like",
        "triangle-dropping-like", "lrz+te+triangle-dropping-like",
    ),
    "tbr-fhd": (
        "ptr", "ptr-shared", "double", "ptr+re", "ptr+te", "ptr+vro", "double+re+vro", "ptr-shared+re+te+vro",
        "lrz+ptr", "evr-like+ptr", "dtexl-like", "dtexl-like+ptr+te", "omega-like+ptr", "libra-like+lrz+omega-like",
        "fpk+lrz+tcor-like+frame-reverse", "afbc+ptr", "libra-like", "libra-like+re+te", "evr-like+fpk+libra-like",
    ),
}  # fmt: skip


def judge(frames: Iterable[Any], wanted: Sequence[str]) -> dict[str, Any]:
    """Run frames through the techniques, all of them beside one replay; gives what verification says of each."""
    from gpumodel import Run, load_config, run_all

    runs = {
        technique: Run(
            load_config(preset, ["screen.scale_to_trace=true"]), technique.split("+"), verify=True, keep_passes=False
        )
        for preset, techniques in TECHNIQUES.items()
        for technique in techniques
        if not wanted or technique in wanted
    }
    for _ in run_all(frames, list(runs.values())):
        pass
    for run in runs.values():
        run.close()
    return {technique: run.result.verification for technique, run in runs.items()}


def films(seed: int, folder: Path) -> Iterable[tuple[str, list[Any]]]:
    """The films of a seed."""
    import numpy as np
    from hidden_films import random_states
    from object_films import object_film, random_things
    from random_films import random_film

    from gpumodel.techniques.registry import technique_columns

    yield f"film {seed}", random_film(folder / "a.gltrace", seed)
    rng = np.random.default_rng(seed)
    make = random_states if seed % 2 else random_things
    things = [make(rng, 8) for _ in range(2)]
    columns = sorted(technique_columns(["memo"]))
    yield f"objects {seed}", object_film(folder / "b.gltrace", [*things, *things], columns=columns)


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Judge every technique over random films and traces.")
    parser.add_argument("--films", metavar="FIRST-LAST", help="seeds")
    parser.add_argument("--traces", nargs="*", type=Path, default=[])
    parser.add_argument("--frames", type=int, default=3, help="of each trace, from the first one")
    parser.add_argument("--techniques", default="", help="some of them, with commas")
    options = parser.parse_args()
    sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "support")]
    import replay
    from gpumodel import VERIFIED_COLUMNS
    from gpumodel.techniques.registry import technique_columns
    from traceformat.gputrace.frametrace import ColumnSet

    wanted = [name for name in options.techniques.split(",") if name]
    counts: Counter[str] = Counter()
    start = time.monotonic()

    def one(name: str, frames: Iterable[Any]) -> None:
        try:
            found = judge(frames, wanted)
        except Exception as error:
            counts["findings"] += 1
            print(f"{name}: {type(error).__name__}: {error}", flush=True)
            return
        counts["runs"] += len(found)
        for technique, checked in found.items():
            counts["pixels"] += checked.pixels
            counts["collision pixels"] += checked.collision_pixels
            if not checked.passed:
                counts["findings"] += 1
                wrong = checked.mismatched_pixels - checked.collision_pixels
                print(f"{name} {technique}: {wrong} pixels: {checked.located[0]}", flush=True)
            for mismatch in checked.collisions:
                print(f"{name} {technique}, no finding: {mismatch}", flush=True)

    first, _, last = (options.films or "1-0").partition("-")
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(int(first), int(last or first) + 1):
            for name, frames in films(seed, Path(scratch)):
                one(name, frames)
                counts["films"] += 1
            if seed % 25 == 24:
                print(f"seed {seed}: {dict(counts)}, {time.monotonic() - start:.0f} s", flush=True)
    columns = ColumnSet([*VERIFIED_COLUMNS, *technique_columns(["memo"])])
    for path in options.traces:
        before, begun = counts["findings"], time.monotonic()
        try:
            with replay.frames(path, columns=columns, frames=(0, options.frames - 1)) as played:
                one(path.stem, played)
            counts["traces"] += 1
        except Exception as error:
            counts["findings"] += 1
            print(f"{path.stem}: {type(error).__name__}: {error}", flush=True)
        print(f"{path.stem}: {counts['findings'] - before} findings, {time.monotonic() - begun:.0f} s", flush=True)
    print(f"{dict(counts)}, {time.monotonic() - start:.0f} s")
    return int(counts["findings"] > 0)


if __name__ == "__main__":
    sys.exit(main())
