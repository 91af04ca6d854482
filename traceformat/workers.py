"""Worker processes of the commands."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context

from traceformat.errors import MissingEnvironmentError

__all__ = ["worker_processes"]


@contextmanager
def worker_processes(count: int) -> Iterator[ProcessPoolExecutor]:
    """So many fresh processes; the work they get is a function of a module other than ``__main__``.

    Of a package that runs as ``python -m``, ``__main__`` is not there in them.

    Raises
    ------
    MissingEnvironmentError : one of them has died
    """
    pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"))
    try:
        yield pool
    except BrokenProcessPool:
        raise MissingEnvironmentError(
            "a worker process has died", hint="something has killed it, or the machine has too little memory"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)
