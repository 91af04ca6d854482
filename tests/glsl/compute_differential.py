"""Random compute programs: NumPy against machine code, and against Mesa, in every bit.

usage: python tests/glsl/compute_differential.py FIRST LAST [--mesa]
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "support")]

from compute_programs import check  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--mesa", action="store_true")
    arguments = parser.parse_args()
    mesa = None
    if arguments.mesa:
        from mesa_glsl import MesaProcess

        mesa = MesaProcess(60.0)
    start, wrong = time.monotonic(), 0
    for seed in range(arguments.first, arguments.last + 1):
        problem = check(seed, mesa)
        wrong += bool(problem)
        if problem:
            print(problem[:600], flush=True)
    print(f"{arguments.last - arguments.first + 1} programs, {wrong} differ, {time.monotonic() - start:.0f} s")
    if mesa is not None:
        mesa.close()
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
