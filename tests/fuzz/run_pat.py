"""Damages PATrace files and checks that every import ends in a trace or in one clear error.

usage: python tests/fuzz/run_pat.py --cases 20000 --seed 1 [FILE.pat ...]

Exit status 1 when a case raised anything else, hung, or gave a trace that cannot be read.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Damage PATrace files and import them.")
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("files", nargs="*", type=Path, help="files beside the small one that is generated")
    args = parser.parse_args()
    sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "support")]
    from pat_fuzz import damaged, outcome, small_file

    originals = [small_file(), *(path.read_bytes() for path in args.files)]
    counts: Counter[str] = Counter()
    findings = 0
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(args.cases):
            try:
                counts[outcome(damaged(args.seed, number, originals), Path(folder))] += 1
            except Exception as error:
                findings += 1
                counts[f"FINDING {type(error).__name__}"] += 1
                print(f"case {number}: {type(error).__name__}: {str(error)[:200]}", flush=True)
            if number and number % 5000 == 0:
                print(f"{number}, {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    for what, count in sorted(counts.items()):
        print(f"{what:24} {count}")
    print(f"{args.cases} cases, {findings} findings, {time.monotonic() - start:.0f} s")
    return int(findings > 0)


if __name__ == "__main__":
    sys.exit(main())
