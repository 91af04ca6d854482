"""Worker processes: what they raise arrives, and their death is noticed."""

from __future__ import annotations

import os
import time

import pytest

from traceformat.errors import MissingEnvironmentError, UsageError
from traceformat.workers import worker_processes


def test_work_is_done() -> None:
    with worker_processes(2) as pool:
        assert list(pool.map(abs, [-1, 2, -3])) == [1, 2, 3]


def _lose_one() -> None:
    with worker_processes(2) as pool:
        waiting = [pool.submit(time.sleep, 0.05) for _ in range(20)]
        pool.submit(os._exit, 3)
        for one in waiting:
            one.result()
        time.sleep(0.2)
        pool.submit(abs, 1).result()


def test_the_death_of_a_worker_is_noticed() -> None:
    start = time.monotonic()
    with pytest.raises(MissingEnvironmentError, match="a worker process has died"):
        _lose_one()
    assert time.monotonic() - start < 60


def _give_up() -> None:
    with worker_processes(1) as pool:
        for _ in range(100):
            pool.submit(time.sleep, 1)
        raise UsageError("no more")


def test_what_waits_is_dropped_when_the_command_ends() -> None:
    start = time.monotonic()
    with pytest.raises(UsageError, match="no more"):
        _give_up()
    assert time.monotonic() - start < 30
