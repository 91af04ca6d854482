"""How fast a trace is read: as columns, as calls, at random, and by ``gputrace info``.

usage: python benchmarks/bench_reading.py TRACE [--calls N]

Processor time, best of three; a trace is read from the page cache.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from pathlib import Path

import traceformat
from traceformat.gltrace.reader import TraceReader


def best(work: Callable[[], int]) -> tuple[int, float]:
    """Result and processor seconds of the fastest of three runs."""
    found = []
    for _ in range(3):
        start = time.process_time()
        count = work()
        found.append((time.process_time() - start, count))
    seconds, count = min(found)
    return count, seconds


def columns(trace: TraceReader, stop: int) -> int:
    """Decode every chunk to one structured array for each kind of call."""
    return sum(len(chunk.table(shape)) for chunk in trace.chunks(0, stop) for shape in range(len(chunk.shapes)))


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description="How fast a trace is read.")
    parser.add_argument("trace", type=Path)
    parser.add_argument("--calls", type=int, default=1_000_000, help="calls to read at most")
    args = parser.parse_args()
    start = time.process_time()
    trace = traceformat.open(args.trace)
    print(f"{args.trace.stat().st_size / 1e6:.1f} MB, {len(trace):,} calls in {len(trace.frames):,} frames")
    print(f"open (all check sums)   {time.process_time() - start:8.2f} s")
    stop = min(args.calls, len(trace))
    count, seconds = best(lambda: columns(trace, stop))
    print(f"structured arrays       {count / seconds / 1e6:8.2f} million calls/s")
    objects = min(stop, 200_000)
    count, seconds = best(lambda: sum(1 for _ in trace.calls(stop=objects)))
    print(f"Call objects            {count / seconds / 1e6:8.2f} million calls/s")
    places = random.Random(1).choices(range(len(trace)), k=20)
    _, seconds = best(lambda: len([trace[place] for place in places]))
    print(f"a call at random        {seconds / len(places) * 1e3:8.2f} ms")
    start = time.process_time()
    trace.info()
    print(f"info                    {time.process_time() - start:8.2f} s")


if __name__ == "__main__":
    main()
