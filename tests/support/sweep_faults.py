"""Studies that are disturbed: workers and schedulers that are killed, commands that are interrupted."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil
from sample_goldens import ROOT
from study_films import films, table_bytes

__all__ = ["Disturbed", "by_hand", "command", "interrupted", "killed", "make_study", "undisturbed"]

_MAIN = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from gpumodel.cli import main; main()"
_LIMIT_SECONDS = 3600


def make_study(folder: Path, traces: int, frames: int, sizes: Sequence[str] = ("64K", "128K")) -> Path:
    """A study of films with several configurations."""
    films(folder, traces, frames)
    path = folder / "study.toml"
    path.write_text(
        "traces = 'film*.gltrace'\ntechniques = ['vro', 're']\n"
        f"[grid]\ncaches.l2.size_bytes = {list(sizes)}\nmemory.mode = ['paper', 'dram']\n"
    )
    return path


def command(study: Path, name: str, *more: str) -> list[str]:
    """Command line of a sweep with a store of its own."""
    folder = study.parent
    out = ["-o", str(folder / name), "--store", str(folder / f"{name}-store")]
    return [sys.executable, "-c", _MAIN, "sweep", str(study), *out, *more]


class Disturbed:
    """How a disturbed sweep ended."""

    def __init__(self, status: int, num_faults: int, errors: str, tables: dict[str, bytes]) -> None:
        self.status, self.num_faults, self.errors, self.tables = status, num_faults, errors, tables


def _start(line: Sequence[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)


def _workers(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """Processes that work for a command: its own children alone."""
    try:
        return [child for child in psutil.Process(process.pid).children() if "spawn_main" in " ".join(child.cmdline())]
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return []


def undisturbed(study: Path, name: str, *more: str) -> dict[str, bytes]:
    """Tables of a sweep."""
    done = subprocess.run(
        command(study, name, *more), capture_output=True, text=True, timeout=_LIMIT_SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr
    return table_bytes(study.parent / name)


def killed(study: Path, name: str, *, kills: int, seconds: float, chance: random.Random, workers: int = 2) -> Disturbed:
    """Kill workers at random while a study runs.

    Parameters
    ----------
    kills : of workers, at the most
    seconds : up to so many between two kills
    """
    process = _start(command(study, name, "--workers", str(workers)))
    begun = time.monotonic()
    done = 0
    while process.poll() is None and done < kills and time.monotonic() - begun < _LIMIT_SECONDS:
        time.sleep(chance.uniform(0, seconds))
        at_work = _workers(process)
        if at_work:
            try:
                chance.choice(at_work).kill()
                done += 1
            except psutil.NoSuchProcess:
                continue
    _, errors = process.communicate(timeout=_LIMIT_SECONDS)
    return Disturbed(process.returncode, done, errors, table_bytes(study.parent / name))


def interrupted(
    study: Path, name: str, *, times: int, seconds: float, chance: random.Random, workers: int = 2
) -> Disturbed:
    """Interrupt a study at random, as Ctrl-C does: every process of the group; go on after each time."""
    done = 0
    errors = ""
    for _ in range(times):
        process = _start(command(study, name, "--workers", str(workers)))
        assert process.stderr is not None
        # Before its first line it loads kernels; llvmlite says a word of its own where that is interrupted.
        errors = process.stderr.readline()
        try:
            process.wait(chance.uniform(0, seconds))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGINT)
            done += 1
            stopped = time.monotonic()
            process.wait(60)
            assert time.monotonic() - stopped < 20, "it ends at once"
        errors += process.communicate(timeout=_LIMIT_SECONDS)[1]
        assert process.returncode in (0, 130), errors
        assert "Traceback" not in errors, errors
        assert not [path for path in study.parent.rglob("*.part")]
    return Disturbed(0, done, errors, undisturbed(study, name, "--workers", "0"))


@contextmanager
def by_hand(workers: int, port: int) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A scheduler and workers that somebody has started; gives its address and its process."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment, "text": True}
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port)]
    address = f"tcp://127.0.0.1:{port}"
    worker = [
        sys.executable,
        "-m",
        "distributed.cli.dask_worker",
        address,
        "--nthreads",
        "1",
        "--no-dashboard",
        "--no-nanny",
    ]
    processes = [subprocess.Popen([*dask, "--no-dashboard"], **quiet)]  # type: ignore[call-overload]
    processes += [subprocess.Popen(worker, **quiet) for _ in range(workers)]  # type: ignore[call-overload]
    try:
        yield address, processes[0]
    finally:
        for process in processes:
            process.kill()
            process.wait()
