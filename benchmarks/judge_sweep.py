"""How long a study of nineteen traces takes: 50 frames, six configurations, on this machine and on more workers.

    python benchmarks/judge_sweep.py --keep FOLDER [--share 10] [--workers 2]

Runs ``sweep_of_nineteen.toml`` afresh, with traces captured and kernels compiled before the clock starts (the cache is
warm), and prints the time by the clock, processor time of the workers, and from the times of its tasks how long 4, 8
and 16 workers would take: each takes the next task of the list as soon as it is free, as Dask hands them out. With
``--share 10`` only every tenth frame's worth is run, the first ones of each trace, and all times are multiplied: what
is not proportional to frames (replays of first frames, the start of workers) counts tenfold then.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from heapq import heapreplace
from pathlib import Path

_STUDY = Path(__file__).with_name("sweep_of_nineteen.toml")
_FRAMES = 50


def makespan(seconds: list[float], workers: int) -> float:
    """Time until the last of tasks has ended that workers take in turn."""
    free = [0.0] * workers
    for one in seconds:
        heapreplace(free, free[0] + one)
    return max(free)


def _sweep(study: Path, out: Path, store: Path, workers: int) -> None:
    command = ["-o", str(out), "--store", str(store), "--fresh", "--workers", str(workers)]
    start = [sys.executable, "-P", "-c", "from gpumodel.cli import main; main()"]
    subprocess.run([*start, "sweep", str(study), *command], check=True)


def main() -> None:
    """Run, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, help="folder for traces and tables")
    parser.add_argument("--share", type=int, default=1, help="run a part of the frames only")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = given.keep or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        text = _STUDY.read_text()
        study, warm = folder / "study.toml", folder / "warm.toml"
        last = _FRAMES // given.share - 1
        study.write_text(text.replace('frames = "all"', f'frames = "0-{last}"'))
        # Captures what is not there, and compiles.
        warm.write_text(text.replace('frames = "all"', 'frames = "0-0"'))
        _sweep(warm, folder / "out", folder / "warm", given.workers)
        began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        _sweep(study, folder / "out", folder / "store", given.workers)
        wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        tasks = json.loads((folder / "out" / "host.json").read_text())["tasks"]
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    work = [task["processor_seconds"] for task in tasks]
    by_clock = wall * given.share / 60
    print(f"{sum(task['frames'] for task in tasks)} frames of runs in {len(tasks)} tasks, {given.workers} workers")
    print(f"by the clock {by_clock:.1f} min, processors {spent * given.share / 60:.1f} min")
    print(f"outside of tasks (start of workers, engine, tables): {(spent - sum(work)) / sum(work):.1%} of the work")
    for workers in (given.workers, 4, 8, 16):
        minutes = makespan(work, workers) * given.share / 60
        print(f"{workers} workers, simulated from the tasks' processor time: {minutes:.1f} min")


if __name__ == "__main__":
    main()
