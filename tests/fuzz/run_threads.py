"""Random films with one thread and with many, under switches that are forced: all results are equal.

usage: python tests/fuzz/run_threads.py [--films 0-199] [--rounds 3]

Each film is played with one thread, then so many times with one to eight, chosen at random as is how often threads
are made to switch. A thread that never rests contends for the interpreter, batches are of few draws and all are shared,
and pictures are large enough for many chunks, so that threads meet where they seldom do. Pictures, all columns and what
calls read back have to be those of one thread. Exit status 1 when any differs or fails.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

_ROOT: Final = Path(__file__).resolve().parents[2]
#: Pixels of a film: sixteen chunks of fragments for what covers it.
SIZE: Final = (320, 200)
_THREADS: Final = (1, 2, 2, 3, 5, 8, 8)
_SWITCH_SECONDS: Final = (1e-6, 1e-5, 1e-4, 5e-3)
#: Draws of a batch.
_DRAWS: Final = (1, 2, 5, 256)


@contextmanager
def _restless() -> Iterator[None]:
    """A thread that asks for the interpreter all the time."""
    over = threading.Event()

    def spin() -> None:
        while not over.is_set():
            pass

    thread = threading.Thread(target=spin, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def film_findings(trace: Path, rng: random.Random, rounds: int) -> list[str]:
    """Play a trace so many times; says which times differ from one thread, and where."""
    from engine_digests import digests

    from replay.engine import batch, interpreter
    from traceformat.gputrace.frametrace import ALL_COLUMNS, ColumnSet

    findings = []
    for columns in (ALL_COLUMNS, ColumnSet(())):
        wanted = digests(trace, columns, 1, sys.maxsize)
        for _ in range(rounds):
            threads, seconds, draws = rng.choice(_THREADS), rng.choice(_SWITCH_SECONDS), rng.choice(_DRAWS)
            found: dict[str, Any]
            with (
                patch.object(interpreter, "_SWITCH_SECONDS", seconds), patch.object(batch, "_MAX_HANDED_DRAWS", draws),
                patch.object(batch, "SHARED_QUADS", 0), _restless(),
            ):  # fmt: skip
                try:
                    found = digests(trace, columns, threads, sys.maxsize)
                except Exception as error:
                    found = {f"{type(error).__name__}: {error}": ""}
            different = sorted(key for key in wanted.keys() | found.keys() if wanted.get(key) != found.get(key))
            if different:
                how = f"{threads} threads, switches after {seconds} s, batches of {draws}"
                findings.append(f"{trace.stem}, {how}: {len(different)} differ: {different[:4]}")
    return findings


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Random films with many threads under forced switches.")
    parser.add_argument("--films", default="0-199", metavar="FIRST-LAST", help="seeds")
    parser.add_argument("--rounds", type=int, default=3, help="times that each is played with many threads")
    options = parser.parse_args()
    sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "support")]
    import random_films

    first, _, last = options.films.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    count, begin = 0, time.monotonic()
    with tempfile.TemporaryDirectory() as scratch, patch.multiple(random_films, WIDTH=SIZE[0], HEIGHT=SIZE[1]):
        for seed in seeds:
            trace = random_films.RandomFilm(seed).record(Path(scratch) / f"film-{seed}.gltrace")
            for finding in film_findings(trace, random.Random(seed), options.rounds):
                count += 1
                print(finding, flush=True)
            trace.unlink()
            if seed % 25 == 24:
                print(f"film {seed}: {count} findings, {time.monotonic() - begin:.0f} s", flush=True)
    print(f"{len(seeds)} films, {2 * options.rounds} times each with many threads: {count} findings")
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main())
