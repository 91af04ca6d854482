"""Golden counters: the baseline's cycles, counters and states of twelve frames, presets and memories, committed.

usage: python tests/support/golden_counters.py --reason "why the baseline changed"
       (captures the samples with the null driver, writes tests/samples/golden_counters/*.json)

The test compares exactly. Whoever changes the baseline on purpose runs this and says why, here and in the commit.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sample_goldens

__all__ = ["FOLDER", "FRAMES", "load", "measure", "runs"]

FOLDER = Path(__file__).parents[1] / "samples" / "golden_counters"
#: Frames of each sample (320x208, null driver): a first and a later one where the scene moves most.
FRAMES: dict[str, tuple[int, ...]] = {
    "city": (0, 3), "cockpit": (1,), "cube": (1,), "materials": (1,), "particles": (1, 3), "shadows": (0, 3),
    "sprites": (1,), "terrain": (1,), "warehouse": (1,),
}  # fmt: skip
PRESETS = ("mali450-vro", "mali450-re", "tbr-fhd")
MEMORIES = ("paper", "dram")


def runs() -> Iterator[tuple[str, str]]:
    """Presets with memories."""
    for preset in PRESETS:
        for memory in MEMORIES:
            yield preset, memory


def measure(trace: Path, frames: tuple[int, ...]) -> dict[str, dict[str, Any]]:
    """Figures of each frame and run: ``"FRAME PRESET MEMORY"`` -> cycles, counters and states that are not 0.

    Each frame is the first one of its machine: what came before does not count.
    """
    import replay
    from gpumodel import REQUIRED_COLUMNS, Run, load_config

    out: dict[str, dict[str, Any]] = {}
    for number in frames:
        with replay.frames(trace, columns=REQUIRED_COLUMNS, frames=(number, number)) as played:
            for frame in played:
                for preset, memory in runs():
                    result, _ = Run(load_config(preset, (f"memory.mode={memory}",))).add(frame)
                    out[f"{number} {preset} {memory}"] = {
                        "cycles": [result.geometry_cycles, result.raster_cycles],
                        "counters": {name: value for name, value in sorted(result.counters.items()) if value},
                        "states": {
                            unit: {state: cycles for state, cycles in states.items() if cycles}
                            for unit, states in result.stalls.items()
                        },
                    }
    return out


def load(name: str) -> dict[str, Any]:
    """Golden figures of a sample."""
    document: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    return document


def main() -> None:
    """Measure and write."""
    sys.path.insert(0, str(sample_goldens.ROOT))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reason", required=True, help="why the baseline changed; kept in the files")
    reason = parser.parse_args().reason.strip()
    if not reason:
        parser.error("a reason is needed")
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, frames in FRAMES.items():
            trace = Path(folder) / f"{name}.gltrace"
            sample_goldens.capture(name, trace, "null")
            figures = json.loads(json.dumps(measure(trace, frames)))
            path = FOLDER / f"{name}.json"
            if path.exists() and load(name)["figures"] == figures:
                continue
            reasons = [*(load(name)["reasons"] if path.exists() else []), reason]
            rows = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in figures.items())
            path.write_text(f'{{"reasons": {json.dumps(reasons)},\n"figures": {{\n{rows}\n}}}}\n')
            print(f"{name}: written")


if __name__ == "__main__":
    main()
