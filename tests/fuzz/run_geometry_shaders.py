"""Draws with random geometry shaders on Mesa and on both executors of the replay.

usage: python tests/fuzz/run_geometry_shaders.py --seeds 0 200

Exit status 1 when executors differ, or a picture from Mesa's by more than single pixels of lines.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Compare random geometry shaders with Mesa's.")
    parser.add_argument("--seeds", type=int, nargs=2, default=(0, 100), metavar=("FIRST", "END"))
    args = parser.parse_args()
    sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "support")]
    from geometry_programs import check

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
