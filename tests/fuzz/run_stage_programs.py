"""Draws with random programs of the newer stages on Mesa and on both executors of the replay.

usage: python tests/fuzz/run_stage_programs.py geometry --seeds 0 200

``geometry``: geometry shaders, pictures by more than single pixels of lines; ``memory``: storage, images and texels of
buffers in draws, programs apart in pipelines, in every bit. Exit status 1 when something differs.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Compare random programs with Mesa's.")
    parser.add_argument("kind", choices=("geometry", "memory"))
    parser.add_argument("--seeds", type=int, nargs=2, default=(0, 100), metavar=("FIRST", "END"))
    args = parser.parse_args()
    sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "support")]
    check = import_module(f"{args.kind}_programs").check

    wrong = 0
    for seed in range(*args.seeds):
        found = check(seed)
        wrong += bool(found)
        if found:
            print(f"seed {seed}: {found}", flush=True)
    print(f"{args.seeds[1] - args.seeds[0]} programs, {wrong} differ")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
