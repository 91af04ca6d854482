"""Worker processes of the commands.

Ctrl-C reaches every process of a terminal; the one that has started workers ends them.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context, resource_tracker

from traceformat.errors import MissingEnvironmentError

__all__ = ["interrupts_held", "worker_processes"]


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Let threads that start in the block, and all processes that these start, never see an interrupt."""
    # Python's tracker of shared resources lets them in again in the thread that starts it.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def worker_processes(count: int) -> Iterator[ProcessPoolExecutor]:
    """So many fresh processes; the work they get is a function of a module other than ``__main__``.

    Of a package that runs as ``python -m``, ``__main__`` is not there in them.

    Raises
    ------
    MissingEnvironmentError : one of them has died
    """
    others = active_children()
    pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"))
    try:
        with interrupts_held():
            # A process is started for each that finds no idle one, and none is idle so soon.
            for _ in range(count):
                pool.submit(os.getpid)
        yield pool
    except BrokenProcessPool:
        raise MissingEnvironmentError(
            "a worker process has died", hint="something has killed it, or the machine has too little memory"
        ) from None
    except (KeyboardInterrupt, SystemExit):
        for child in active_children():
            if child not in others:
                child.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
