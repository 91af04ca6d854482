"""The soak: runs mutated inputs for hours, and goes on where it was when it is started again.

usage: nice -n 19 python tests/fuzz/run_soak.py --state FILE [--seconds N] [--cases N] [--only MODE] [--replays N]

FILE (outside the repository) keeps the seed, the next number of each mode and kind, how cases ended, by version of the
code, and every finding with its mode, kind and number; ``--repeat MODE KIND NUMBER`` runs one case again and prints
what it led to. Exit status 1 when this start found something.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

_ROOT: Final = Path(__file__).resolve().parents[2]
#: Cases that are wanted of each mode.
TARGETS: Final = {"parse": 800_000, "execute": 150_000, "entry": 50_000, "fresh": 3_000, "kill": 2_000}
#: Cases of one turn of a mode and kind.
TURN: Final = {"parse": 400, "execute": 60, "entry": 40, "fresh": 2, "kill": 6}
#: Processor seconds after which a case counts as hung; seconds by the clock, for one that waits for ever (a busy
#: machine may leave a case without a core for a while); and the memory that it may use.
HANG_SECONDS: Final = 10.0
WAIT_SECONDS: Final = 100.0
_MEMORY_BYTES: Final = 6 << 30
#: A process is replaced after so many cases, so that what one left behind is seen and does not add up.
_CASES_OF_A_PROCESS: Final = 4000
#: Growth of a process over its cases that is still no finding, bytes.
GROWTH_BYTES: Final = 600 << 20
_TICKS: Final = os.sysconf("SC_CLK_TCK")


def resident_bytes(process: int | str = "self") -> int:
    """Memory of a process."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _processor_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _serve(connection: Connection, other_end: Connection, folder: Path) -> None:
    from memory_limit import limit_new_memory
    from soak import run_case

    # Without it, this process sees that its parent has gone.
    other_end.close()
    # What the parent has not yet collected would hide, as it goes, that a case keeps memory.
    gc.freeze()
    limit_new_memory(_MEMORY_BYTES)
    folder.mkdir(exist_ok=True)
    with suppress(EOFError, BrokenPipeError):
        while True:
            mode, kind, seed, numbers = connection.recv()
            for number in numbers:
                found = run_case(mode, kind, seed, number, folder)
                connection.send((found.what, found.finding, resident_bytes()))


class Worker:
    """A forked process that runs cases, replaced where it dies, hangs or has done its share."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: Any = None

    def run(self, mode: str, kind: str, seed: int, numbers: range) -> Iterator[tuple[int, str, str]]:
        """Run cases; gives for each its number, how it ended and what is wrong with that."""
        while numbers:
            if self._process is None:
                self._start()
            self._connection.send((mode, kind, seed, numbers))
            while numbers and self._process is not None:
                what, finding = self._next()
                yield numbers[0], what, finding
                numbers = numbers[1:]

    def _next(self) -> tuple[str, str]:
        before, start = _processor_seconds(self._process.pid), time.monotonic()
        while not self._connection.poll(0.5):
            if not self._process.is_alive():
                return self._died()
            if _processor_seconds(self._process.pid) - before > HANG_SECONDS:
                self._end()
                return "hang", f"more than {HANG_SECONDS} s of processor time"
            if time.monotonic() - start > WAIT_SECONDS:
                self._end()
                return "hang", f"no answer after {WAIT_SECONDS} s"
        try:
            what, finding, held = self._connection.recv()
        except (EOFError, ConnectionError):
            return self._died()
        self._cases += 1
        self._held = self._held or held
        growth = held - self._held
        if growth > GROWTH_BYTES and not finding:
            finding = f"the process grew by {growth >> 20} MB over {self._cases} cases"
        if self._cases >= _CASES_OF_A_PROCESS or growth > GROWTH_BYTES:
            self._end()
        return what, finding

    def _start(self) -> None:
        context = get_context("fork")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._connection, self._folder), daemon=False)
        self._process.start()
        theirs.close()
        self._cases = self._held = 0

    def _died(self) -> tuple[str, str]:
        self._process.join(5)
        status = self._process.exitcode
        self._end()
        return "crash", f"the process ended with status {status}"

    def _end(self) -> None:
        self._process.kill()
        self._process.join()
        self._connection.close()
        self._process = None

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._end()


def version() -> str:
    """Commit of the code, with a + where files differ from it."""
    say = ["git", "-C", str(_ROOT), "describe", "--always", "--dirty=+", "--exclude=*"]
    return subprocess.run(say, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


class State:
    """What was run so far."""

    def __init__(self, path: Path, seed: int) -> None:
        self._path = path
        self.data: dict[str, Any] = {"seed": seed, "rows": {}, "flat": [], "findings": []}
        if path.exists():
            self.data = json.loads(path.read_text(encoding="utf-8"))

    def row(self, mode: str, kind: str) -> dict[str, Any]:
        """Counts of a mode and kind."""
        fresh = {"next": 0, "outcomes": {}, "versions": {}, "seconds": 0.0}
        row: dict[str, Any] = self.data["rows"].setdefault(f"{mode} {kind}", fresh)
        return row

    def done(self, mode: str) -> int:
        """Cases of a mode."""
        return sum(row["next"] for name, row in self.data["rows"].items() if name.split()[0] == mode)

    def save(self) -> None:
        """Write it, whole."""
        part = self._path.with_suffix(".part")
        part.write_text(json.dumps(self.data, indent=1) + "\n", encoding="utf-8")
        part.replace(self._path)


def _turns(state: State, modes: list[str]) -> Iterator[tuple[str, str]]:
    """Modes and kinds in turn: what lacks most of its share comes next."""
    from soak import MODES

    while True:
        lacking = {mode: 1 - state.done(mode) / TARGETS[mode] for mode in modes}
        for mode in sorted(modes, key=lambda mode: -lacking[mode]):
            kind = min(MODES[mode], key=lambda kind: state.row(mode, kind)["next"] / MODES[mode][kind])
            yield mode, kind


def soak(state: State, folder: Path, *, seconds: float, cases: int, modes: list[str]) -> int:
    """Run cases until the time is over, so many are done, or all that is wanted; gives the number of findings."""
    code, start, findings, left = version(), time.monotonic(), 0, cases
    worker = Worker(folder / "work")
    try:
        for mode, kind in _turns(state, modes):
            if left <= 0 or time.monotonic() - start > seconds or all(state.done(m) >= TARGETS[m] for m in modes):
                break
            row, begin = state.row(mode, kind), time.monotonic()
            turn = range(row["next"], row["next"] + min(TURN[mode], left))
            for number, what, finding in worker.run(mode, kind, state.data["seed"], turn):
                row["next"] += 1
                row["outcomes"][what] = row["outcomes"].get(what, 0) + 1
                row["versions"][code] = row["versions"].get(code, 0) + 1
                left -= 1
                if finding:
                    findings += 1
                    known = {"mode": mode, "kind": kind, "number": number, "version": code, "finding": finding}
                    state.data["findings"].append(known)
                    print(f"{mode} {kind} {number}: {finding.strip().splitlines()[-1][:300]}", flush=True)
            row["seconds"] += time.monotonic() - begin
            state.save()
    finally:
        worker.close()
    return findings


def replays(folder: Path, count: int) -> tuple[list[int], str]:
    """Replay one trace so many times in this process: its memory along the way, and what is wrong with that."""
    import trace_fuzz
    from fuzz_scenes import SCENES

    from gpumodel.columns import REQUIRED_COLUMNS
    from replay.player import frames

    paths = [folder / f"flat-{name}.gltrace" for name in SCENES]
    for name, path in zip(SCENES, paths, strict=True):
        trace_fuzz.write_trace(path, SCENES[name]())
    held = []
    for number in range(count):
        with frames(paths[number % len(paths)], columns=REQUIRED_COLUMNS) as played:
            for _ in played:
                pass
        if number % max(count // 20, 1) == 0 or number == count - 1:
            held.append(resident_bytes())
    settled = held[len(held) // 4]
    growth = held[-1] - settled
    return held, f"grew by {growth} bytes over the last three quarters" if growth > settled // 20 else ""


def _tables(state: State) -> str:
    lines = [f"seed {state.data['seed']}"]
    for name, row in sorted(state.data["rows"].items()):
        lines.append(f"{name:16} {row['next']:8,} cases {row['seconds']:7.0f} s  {row['outcomes']}")
    lines += [f"{mode:16} {state.done(mode):8,} of {wanted:,}" for mode, wanted in TARGETS.items()]
    return "\n".join([*lines, f"{len(state.data['findings'])} findings"])


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Run mutated inputs for hours.")
    parser.add_argument("--state", type=Path, required=True, help="file of seeds and counts")
    parser.add_argument("--seed", type=int, default=1, help="of a new state file")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="wall-clock time to run for")
    parser.add_argument("--cases", type=int, default=sys.maxsize, help="cases to run at most")
    parser.add_argument("--only", action="append", choices=TARGETS, help="modes; all by default")
    parser.add_argument("--replays", type=int, default=0, help="replays in one process, for flat memory, and end")
    parser.add_argument("--repeat", nargs=3, metavar=("MODE", "KIND", "NUMBER"), help="run one case again")
    args = parser.parse_args()
    sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "support")]
    os.environ["NUMBA_DISABLE_PERFORMANCE_WARNINGS"] = "1"
    import soak as cases

    state = State(args.state, args.seed)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        cases.prepare(folder)
        if args.repeat:
            mode, kind, number = args.repeat
            for found in Worker(folder / "work").run(
                mode, kind, state.data["seed"], range(int(number), int(number) + 1)
            ):
                print(*found, sep="\n")
            return 0
        if args.replays:
            held, finding = replays(folder, args.replays)
            state.data["flat"].append(
                {"replays": args.replays, "version": version(), "bytes": held, "finding": finding}
            )
            state.save()
            print(f"{args.replays} replays: {held[0] >> 20} MB to {held[-1] >> 20} MB {finding}")
            return int(bool(finding))
        found = soak(state, folder, seconds=args.seconds, cases=args.cases, modes=args.only or list(TARGETS))
    print(_tables(state))
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
