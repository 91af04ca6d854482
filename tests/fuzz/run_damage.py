"""Cuts a small trace at every byte and flips bits of traces, and checks that every loss is named.

usage: python tests/fuzz/run_damage.py --flips 100000 --seed 1 [TRACE ...]

Exit status 1 when a loss was not named, a call was not what it was, or a case raised anything but a clear error.
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
    parser = argparse.ArgumentParser(description="Damage traces and check that every loss is named.")
    parser.add_argument("--flips", type=int, default=1000, help="files with flipped bits, over all traces")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cut-all", action="store_true", help="cut the given traces at every byte too")
    parser.add_argument("traces", nargs="*", type=Path, help="traces beside the small one that is generated")
    args = parser.parse_args()
    sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "support")]
    from damage_fuzz import check_cut, check_flipped, flips, load, write_small

    counts: Counter[tuple[str, str]] = Counter()
    findings = 0
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        originals = [load(write_small(Path(scratch) / "small.gltrace")), *map(load, args.traces)]

    def run(what: str, check: object, *arguments: object) -> None:
        nonlocal findings
        try:
            counts[what, check(*arguments)] += 1  # type: ignore[operator]
        except Exception as error:
            findings += 1
            counts[what, f"FINDING {type(error).__name__}"] += 1
            print(f"{what}: {type(error).__name__}: {str(error)[:200]}", flush=True)

    for original in originals if args.cut_all else originals[:1]:
        for size in range(len(original.data)):
            run(f"{original.name} cut", check_cut, original, size)
    share = -(-args.flips // len(originals))
    for original in originals:
        for number, data in flips(original, args.seed, share):
            run(f"{original.name} flipped", check_flipped, original, data)
            if number and number % 5000 == 0:
                print(f"{original.name}: {number}, {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    for (what, outcome), number in sorted(counts.items()):
        print(f"{what:34} {outcome:16} {number}")
    print(f"{sum(counts.values())} cases, {findings} findings, {time.monotonic() - start:.0f} s")
    return int(findings > 0)


if __name__ == "__main__":
    sys.exit(main())
