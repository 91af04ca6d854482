"""Draws scaled copies with nearest filters on the replay and on Mesa and counts ties between texels.

usage: python tests/fuzz/run_scaled_copies.py --ties 10000 --seed 1 [--outside]

Exit status 1 when a pixel differs. With --outside copies reach over the target's edges, where Mesa clips.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Compare scaled copies with Mesa's.")
    parser.add_argument("--ties", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--outside", action="store_true")
    args = parser.parse_args()
    sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "support")]
    from scaled_copies import run

    ties = scenes = wrong = pixels = 0
    while ties < args.ties:
        outcome = run(args.seed + scenes, outside=args.outside)
        ties += outcome.ties
        scenes += 1
        wrong += bool(outcome.differences)
        pixels += sum(difference.pixels for difference in outcome.differences)
        for difference in outcome.differences:
            print(f"seed {args.seed + scenes - 1}: {difference.name}: {difference.text}", flush=True)
    print(f"{ties} rows and columns of ties in {scenes} scenes; {wrong} scenes differ, in {pixels} pixels")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
