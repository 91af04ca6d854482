"""What all tests have in common."""

from __future__ import annotations

import ctypes
import gc
import importlib
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

# Workers of xdist are told a width, and everybody who asks how wide a line is would believe it.
for name in ("COLUMNS", "LINES"):
    os.environ.pop(name, None)
# Kernels that are compiled while a test runs are not what it looks at on standard error.
os.environ.setdefault("GPUREPLAY_PROGRESS", "0")
# Tests start hundreds of commands: where no bytecode is kept, each compiles all that it imports, a third of its time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# A shell's background jobs, such as this suite may be one, ignore SIGINT and hand that on to the commands.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

#: What one of two workers compiles first, where nothing is compiled yet, while the other does what else there is: both
#: need all of it to collect the tests, and who comes second to a kernel waits.
COMPILED_FIRST = (
    ("replay.engine.engine", "gpumodel.verify.blending", "replay.handheld.kernels.pooma"),
    ("gpumodel.units.arrange", "gpumodel.units.loop", "gpumodel.memory.dram.replay"),
)


def pytest_configure(config: pytest.Config) -> None:
    """Share the compilation of kernels among the workers."""
    worker = getattr(config, "workerinput", {}).get("workerid", "")
    if worker:
        for name in COMPILED_FIRST[int(worker.removeprefix("gw")) % len(COMPILED_FIRST)]:
            importlib.import_module(name)


#: How much a worker may have grown since it gave memory back.
GROWTH_BYTES = 300 << 20
_held = 0


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def pytest_runtest_logfinish() -> None:
    """Give back what tests leave: the C library keeps what compilers and replays let go of, gigabytes in the end."""
    global _held
    if _resident_bytes() > _held + GROWTH_BYTES:
        gc.collect()
        if hasattr(libc := ctypes.CDLL(None), "malloc_trim"):
            libc.malloc_trim(0)
        _held = _resident_bytes()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each worker tests that stand together: what a module makes for its tests is then made once."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)
