"""Plays hostile traces and counts how they end.

usage: python tests/fuzz/run_traces.py --cases 20000 --seed 1 [--jobs 2] [--first N] [--bounds] [--save FOLDER]

Exit status 1 when a case ended in anything but frames, a GL error or a clear error of the tool.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Play hostile traces and count how they end.")
    parser.add_argument("--cases", type=int, default=1000, help="number of cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--bounds", action="store_true", help="kernels with bounds checks (compiles them first)")
    parser.add_argument("--save", type=Path, default=Path("fuzz-findings"), help="folder for inputs of findings")
    args = parser.parse_args()
    if args.bounds:
        os.environ["NUMBA_BOUNDSCHECK"] = "1"
    sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "support")]
    from trace_fuzz import run_cases, save_finding

    counts: Counter[str] = Counter()
    kinds: Counter[tuple[str, str]] = Counter()
    start = time.monotonic()
    slowest = 0.0
    with tempfile.TemporaryDirectory() as scratch:
        numbers = range(args.first, args.first + args.cases)
        for done, outcome in enumerate(run_cases(args.seed, numbers, Path(scratch), args.jobs), 1):
            counts[outcome.what] += 1
            kinds[outcome.kind, outcome.what] += 1
            slowest = max(slowest, outcome.seconds)
            if outcome.is_finding:
                saved = save_finding(args.seed, outcome, args.save)
                last = outcome.detail.strip().splitlines()[-1:] or [""]
                print(f"case {outcome.number}: {outcome.what}: {last[0][:200]} -> {saved}", flush=True)
            if done % 500 == 0:
                print(f"{done} cases, {time.monotonic() - start:.0f} s: {dict(counts)}", file=sys.stderr, flush=True)
    print(f"seed {args.seed}, cases {args.first} to {args.first + args.cases - 1}: {dict(sorted(counts.items()))}")
    for (kind, what), number in sorted(kinds.items()):
        print(f"  {kind or '?':9} {what:16} {number}")
    print(f"{time.monotonic() - start:.0f} s; slowest case {slowest:.1f} s of processor time")
    return int(any(what not in ("frames", "gl error", "tool error") for what in counts))


if __name__ == "__main__":
    sys.exit(main())
