"""Disturb studies at random, and compare their tables with the undisturbed ones, byte by byte.

    python tests/fuzz/run_sweep_faults.py [--kills 50] [--interrupts 10] [--seed 1]

Workers are killed (SIGKILL), commands are interrupted and taken up again, two schedulers that were started by hand do
the same study, a scheduler dies in the middle and another one goes on, the disk is full. Takes some ten minutes.
"""

from __future__ import annotations

import argparse
import random
import resource
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / "support")]

from sweep_faults import by_hand, command, interrupted, killed, make_study, undisturbed  # noqa: E402

#: Bytes that a file may have on the full disk: less than a run needs.
_FULL = 2000


def _port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _compare(found: dict[str, bytes], wanted: dict[str, bytes]) -> None:
    differ = [name for name in {*found, *wanted} if found.get(name) != wanted.get(name)]
    assert not differ, f"other bytes in {differ}"


def schedulers_agree(study: Path, wanted: dict[str, bytes]) -> str:
    """Run the study over two schedulers that were started by hand, with other numbers of workers."""
    for workers in (1, 3):
        with by_hand(workers, _port()) as (address, _):
            _compare(undisturbed(study, f"by-hand{workers}", "--scheduler", address), wanted)
    return "over two schedulers that were started by hand, of one worker and of three"


def scheduler_dies(study: Path, wanted: dict[str, bytes]) -> str:
    """Kill the scheduler once a run is done; another scheduler goes on."""
    with by_hand(2, _port()) as (address, scheduler):
        line = command(study, "lost", "--scheduler", address)
        process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        store = study.parent / "lost-store"
        while process.poll() is None and not list(store.rglob("*.run")):
            time.sleep(0.02)
        scheduler.kill()
        errors = process.communicate(timeout=300)[1]
    done = len(list(store.rglob("*.run")))
    assert process.returncode == 4, errors
    assert "the scheduler" in errors.splitlines()[-1], errors
    assert "Traceback" not in errors, errors
    with by_hand(2, _port()) as (address, _):
        assert undisturbed(study, "lost", "--scheduler", address) == wanted
    return f"the scheduler dies with {done} runs done: {errors.splitlines()[-1]}"


def disk_is_full(study: Path, wanted: dict[str, bytes]) -> str:
    """Allow files of a few bytes, then let it go on."""
    done = subprocess.run(
        command(study, "full", "--workers", "1"), capture_output=True, text=True, timeout=600, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (_FULL, _FULL)),
    )  # fmt: skip
    assert done.returncode == 4, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    assert not list(study.parent.rglob("*.part"))
    assert undisturbed(study, "full", "--workers", "0") == wanted
    return f"the disk is full: {done.stderr.splitlines()[-1]}"


def main() -> int:
    """Run all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--interrupts", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        study = make_study(Path(folder), 3, 20, ("32K", "64K", "128K"))
        wanted = undisturbed(study, "wanted", "--workers", "0")
        print(f"{len(wanted)} files of the undisturbed study", flush=True)
        kills = number = 0
        while kills < given.kills:
            number += 1
            found = killed(study, f"killed{number}", kills=given.kills - kills, seconds=4, chance=chance)
            kills += found.num_faults
            print(f"{found.num_faults} workers killed: status {found.status}", flush=True)
            assert found.status == 0, found.errors
            _compare(found.tables, wanted)
        if given.interrupts:
            found = interrupted(study, "interrupted", times=given.interrupts, seconds=12, chance=chance)
            print(f"interrupted {found.num_faults} times", flush=True)
            _compare(found.tables, wanted)
        print(schedulers_agree(study, wanted), flush=True)
        print(scheduler_dies(study, wanted), flush=True)
        print(disk_is_full(study, wanted), flush=True)
    print("all tables are equal")
    return 0


if __name__ == "__main__":
    sys.exit(main())
