"""Compiles hostile shaders and counts how they end.

usage: python tests/glsl/fuzz_shaders.py --cases 100000 --seed 1 [--first N] [--jobs 2] [--seconds-per-case 10]

Exit status 1 when a case crashed, took too long, or was rejected without a located message.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "support")]


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Compile hostile shaders and count how they end.")
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--seconds-per-case", type=float, default=10.0)
    args = parser.parse_args()
    from shader_fuzz import make_case, run_cases

    counts: Counter[tuple[str, str]] = Counter()
    slowest, slowest_number, findings = 0.0, args.first, 0
    start = time.monotonic()
    numbers = range(args.first, args.first + args.cases)
    for done, outcome in enumerate(run_cases(args.seed, numbers, args.jobs, args.seconds_per_case), 1):
        counts[outcome.kind, outcome.what] += 1
        if outcome.seconds > slowest:
            slowest, slowest_number = outcome.seconds, outcome.number
        if outcome.is_finding:
            findings += 1
            if findings <= 20:
                print(f"case {outcome.number}: {outcome.what}\n{outcome.detail[-1500:]}")
                print(make_case(args.seed, outcome.number)[2].encode("utf-8", "backslashreplace").decode()[:2000])
        if done % 5000 == 0:
            print(f"{done} cases, {time.monotonic() - start:.0f} s, {findings} findings", file=sys.stderr, flush=True)
    print(f"seed {args.seed}, cases {args.first} to {args.first + args.cases - 1}: {findings} findings")
    for (kind, what), number in sorted(counts.items()):
        print(f"  {kind or '?':8} {what:12} {number}")
    seconds = time.monotonic() - start
    print(f"{seconds:.0f} s; slowest case {slowest_number}: {slowest:.2f} s of processor time")
    return int(findings > 0)


if __name__ == "__main__":
    sys.exit(main())
