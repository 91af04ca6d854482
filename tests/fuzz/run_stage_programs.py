"""Draws with random programs of the newer stages on Mesa and on both executors of the replay.

usage: python tests/fuzz/run_stage_programs.py geometry --seeds 0 200

``geometry``, ``tessellation``: these shaders, pictures by more than single pixels of lines; ``memory``: storage,
images and texels of buffers in draws, programs apart in pipelines, in every bit. Exit status 1 when something differs.
"""

from __future__ import annotations

import argparse
import os
import pickle
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[2]


def _recorded(record: Callable[[int], Any], seed: int) -> Any:
    """Calls of a program on Mesa, in a process of its own: geometry shaders spoil the memory of Mesa 22.3's.

    None where it died of that.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        with open(writing, "wb") as file:
            pickle.dump(record(seed).calls, file)
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as file:
        data = file.read()
    _, status = os.waitpid(child, 0)
    return pickle.loads(data) if status == 0 else None


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Compare random programs with Mesa's.")
    parser.add_argument("kind", choices=("geometry", "memory", "tessellation"))
    parser.add_argument("--seeds", type=int, nargs=2, default=(0, 100), metavar=("FIRST", "END"))
    args = parser.parse_args()
    sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "support")]
    programs = import_module(f"{args.kind}_programs")

    wrong = died = 0
    for seed in range(*args.seeds):
        calls = _recorded(programs.record, seed)
        if calls is None:
            died += 1
            continue
        found = programs.check(seed, calls)
        wrong += bool(found)
        if found:
            print(f"seed {seed}: {found}", flush=True)
    print(f"{args.seeds[1] - args.seeds[0]} programs, {wrong} differ; Mesa died of {died}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
