"""Trims traces to their middle frames, compares the pictures, and prints a table.

usage: python benchmarks/bench_trim.py TRACE ...

Exit status 1 when a picture differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import traceformat
from replay.player import pictures
from traceformat.cli.playing import reflecting_backend
from traceformat.errors import ToolError
from traceformat.tools.trim.writing import trim


def row(path: Path, folder: Path) -> tuple[str, bool]:
    """Trim one trace; gives its row of the table and whether all pictures are the same."""
    output = folder / path.name
    with traceformat.open(path) as trace:
        count = len(trace.frames)
        first = count // 2 if count > 2 else count - 1
        last = min(first + 1, count - 1)
        start = time.process_time()
        try:
            done = trim(trace, output, frames=range(first, last + 1), backend=reflecting_backend())
        except ToolError as error:
            return f"| {path.stem} | {count} | {first}-{last} | {error} |", True
        seconds = time.process_time() - start
        expected = {dict(done.frames)[frame]: picture for frame, picture in pictures(trace, frames=(first, last))}
    found = {frame: picture.copy() for frame, picture in pictures(output)}
    same = all(frame in found and np.array_equal(found[frame], picture) for frame, picture in expected.items())
    before, after = path.stat().st_size, output.stat().st_size
    cells = (
        path.stem,
        str(count),
        f"{first}-{last}",
        f"{trace.num_calls:,}",
        f"{len(done.plan.needed):,} + {len(done.plan.wanted):,}",
        f"{before:,}",
        f"{after:,}",
        f"{seconds:.1f}",
        f"{len(expected)} same" if same else "DIFFERENT",
    )
    return "| " + " | ".join(cells) + " |", same


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description="Trim traces and compare pictures.")
    parser.add_argument("traces", nargs="+", type=Path)
    args = parser.parse_args()
    print("| trace | frames | kept | calls | needed + kept | bytes | bytes trimmed | CPU s | pictures |")
    print("|---|---|---|---|---|---|---|---|---|")
    all_same = True
    with tempfile.TemporaryDirectory() as folder:
        for path in args.traces:
            line, same = row(path, Path(folder))
            print(line, flush=True)
            all_same &= same
    return int(not all_same)


if __name__ == "__main__":
    sys.exit(main())
