"""Where tasks run: in this process, or on the workers of a Dask scheduler, ours or any other."""

from __future__ import annotations

import logging
import os
import re
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import count
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Final, Protocol

from gpumodel.study.source import StudyTraces
from gpumodel.study.work import Failure, Outcome, Task, run_task
from traceformat.errors import MissingEnvironmentError, StorageError, UsageError
from traceformat.process_memory import machine_bytes
from traceformat.workers import interrupts_held

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

__all__ = ["DaskEngine", "Engine", "InProcess", "cluster_engine", "scheduler_engine"]

#: What a process needs for a trace of 1920x1080 and the kernels, and for each run beside it; measured, rounded up.
_TRACE_BYTES: Final = 1536 << 20
_RUN_BYTES: Final = 32 << 20
#: Runs of a task at the most: what a worker that dies takes with it.
_MOST_RUNS: Final = 64
#: Times that a single run is given to workers again, each time after the scheduler has given up.
_ATTEMPTS: Final = 3
_ADDRESS: Final = re.compile(r"(tcp|tls|ws|wss)://(?P<host>[^/]+):(?P<port>\d{1,5})")
_TOPIC: Final = "gpureplay-sweep"
_CONNECT_SECONDS: Final = 15
_CLOSE_SECONDS: Final = 3
#: Between two looks at the workers, and how long none of them may be there.
_HEAL_SECONDS: Final = 1.0
_START_SECONDS: Final = 300.0
#: Between two looks at what workers say.
_LOOK_SECONDS: Final = 0.2
#: Dask's own looks at its processes, for tasks that take minutes: as it sets them, they cost a twenty-fifth of a core.
_DASK_SETTINGS: Final = {
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.worker.memory.monitor-interval": "500ms",
    "distributed.worker.profile.enabled": False,
}

#: Called with a task's number and the frames of it that have been modelled.
Watch = Callable[[int, int], None]


class Engine(Protocol):
    """Runs tasks."""

    @property
    def name(self) -> str:
        """What it is, for people."""

    @property
    def workers(self) -> int:
        """Tasks at a time."""

    @property
    def runs_at_once(self) -> int:
        """Runs that fit into the memory of a worker beside a trace."""

    def outcomes(self, tasks: Sequence[Task], traces: StudyTraces, watch: Watch) -> Iterator[tuple[Task, Outcome]]:
        """Run tasks and give what becomes of each, as soon as it is known; a task may come back in parts."""


class InProcess:
    """Tasks one after the other in this process."""

    name = "this process"
    workers = 1
    runs_at_once = _MOST_RUNS

    def outcomes(self, tasks: Sequence[Task], traces: StudyTraces, watch: Watch) -> Iterator[tuple[Task, Outcome]]:
        """See :class:`Engine`."""
        for number, task in enumerate(tasks):
            yield task, run_task(task, traces, partial(watch, number))


class DaskEngine:
    """Tasks on the workers of a scheduler.

    Parameters
    ----------
    client : connected
    name : of the scheduler, for people
    workers : tasks at a time
    worker_bytes : memory that a task may use
    heal : called now and then while tasks are under way: replaces what has died
    """

    def __init__(
        self, client: Client, name: str, workers: int, worker_bytes: int, heal: Callable[[], None] = lambda: None
    ) -> None:
        self._client, self._heal = client, heal
        self.name, self.workers = name, workers
        self.runs_at_once = max(1, min(_MOST_RUNS, (worker_bytes - _TRACE_BYTES) // _RUN_BYTES))

    def outcomes(self, tasks: Sequence[Task], traces: StudyTraces, watch: Watch) -> Iterator[tuple[Task, Outcome]]:
        """See :class:`Engine`.

        Raises
        ------
        MissingEnvironmentError : the scheduler has gone
        """
        with _losing_the_scheduler(self.name):
            yield from _Submissions(self._client, traces, watch, self._heal).run(tasks)


class _Submissions:
    """Tasks under way on a scheduler."""

    def __init__(self, client: Client, traces: StudyTraces, watch: Watch, heal: Callable[[], None]) -> None:
        self._client, self._traces, self._heal = client, traces, heal
        self._numbers = count()
        self._ended: SimpleQueue[Future] = SimpleQueue()
        self._open: dict[str, tuple[Future, Task, int]] = {}
        self._topic = f"{_TOPIC}-{os.getpid()}-{id(self)}"
        client.subscribe_topic(self._topic, lambda event: watch(*event[1]))

    def _submit(self, task: Task, attempt: int = 0) -> None:
        number = next(self._numbers)
        future = self._client.submit(
            _on_worker, task, self._traces, (self._topic, number), pure=False, key=f"{self._topic}-{number}",
            priority=-number,
        )  # fmt: skip
        self._open[future.key] = future, task, attempt
        future.add_done_callback(self._ended.put)

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, Outcome]]:
        from distributed import KilledWorker

        try:
            for task in tasks:
                self._submit(task)
            while self._open:
                ended = self._next()
                future, task, attempt = self._open.pop(ended.key)
                try:
                    yield task, future.result()
                except KilledWorker:
                    yield from self._again(task, attempt)
                future.release()
        finally:
            with suppress(Exception):
                self._client.unsubscribe_topic(self._topic)
                self._client.cancel([future for future, *_ in self._open.values()], force=True)

    def _next(self) -> Future:
        """The next one that has ended; a person can interrupt the waiting."""
        while True:
            with suppress(Empty):
                return self._ended.get(timeout=_LOOK_SECONDS)
            self._heal()
            if self._client.status not in ("running", "connecting"):
                raise CancelledError

    def _again(self, task: Task, attempt: int) -> Iterator[tuple[Task, Outcome]]:
        """Workers have died of a task, or with it: try its halves, and at last each run some times."""
        half = len(task.runs) // 2
        if half:
            for runs in (task.runs[:half], task.runs[half:]):
                self._submit(replace(task, runs=runs))
        elif attempt + 1 < _ATTEMPTS:
            self._submit(task, attempt + 1)
        else:
            message = "its workers have died, again and again (too little memory, or something has killed them)"
            yield task, Outcome(failures=[Failure(task.runs[0].key, message, MissingEnvironmentError.exit_code)])


def _on_worker(task: Task, traces: StudyTraces, sign: tuple[str, int]) -> Outcome:
    """Run a task, and say how far it is."""
    from distributed import get_worker

    topic, number = sign
    worker = get_worker()
    last = 0.0

    def tell(done: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last > _LOOK_SECONDS or done == task.num_frames:
            last = now
            worker.log_event(topic, (number, done))

    return run_task(task, traces, tell)


@contextmanager
def _losing_the_scheduler(name: str) -> Iterator[None]:
    from distributed.comm.core import CommClosedError

    try:
        yield
    except (CancelledError, CommClosedError, TimeoutError) as error:
        raise MissingEnvironmentError(
            f"the scheduler ({name}) has gone", hint="what is done is kept; the same command goes on"
        ) from error


@contextmanager
def cluster_engine(workers: int) -> Iterator[DaskEngine]:
    """Workers of our own on this machine, as long as the block lasts.

    Raises
    ------
    MissingEnvironmentError : Dask is not installed
    StorageError : they cannot be started for want of room
    """
    _need_dask()
    import dask
    from distributed import Client, LocalCluster

    share = machine_bytes() // workers
    with _quiet(), dask.config.set(_DASK_SETTINGS):
        try:
            with interrupts_held():
                cluster = LocalCluster(
                    n_workers=0, threads_per_worker=1, processes=True, memory_limit=share, dashboard_address=":0",
                    silence_logs=logging.CRITICAL, host="127.0.0.1",
                )  # fmt: skip
        except OSError as error:
            raise StorageError(f"the workers cannot be started: {error}") from None
        nurse = _Nurse(cluster, workers)
        with cluster, Client(cluster, set_as_default=False) as client:
            nurse.heal()
            name = f"{workers} worker{'s' * (workers > 1)} of this machine"
            yield DaskEngine(client, name, workers, share, nurse.heal)


class _Nurse:
    """Keeps so many workers alive: Dask gives up one that dies while it starts.

    Raises
    ------
    MissingEnvironmentError : from :meth:`heal`, where none has started for long
    """

    def __init__(self, cluster: LocalCluster, workers: int) -> None:
        self._cluster, self._workers = cluster, workers
        self._healed, self._alive = -_HEAL_SECONDS, time.monotonic()

    def heal(self) -> None:
        """Start what is not there, if it is time to look."""
        now = time.monotonic()
        if now - self._healed < _HEAL_SECONDS:
            return
        self._healed = now
        if self._cluster.scheduler_info["workers"]:
            self._alive = now
        if now - self._alive > _START_SECONDS:
            raise MissingEnvironmentError("the workers do not start, or die at once")
        self._cluster.loop.add_callback(self._replace)

    def _replace(self) -> None:
        from distributed.core import Status

        for name, worker in list(self._cluster.workers.items()):
            if worker.status in (Status.closed, Status.failed):
                del self._cluster.workers[name]
        self._cluster.scale(self._workers)


@contextmanager
def scheduler_engine(address: str) -> Iterator[DaskEngine]:
    """Workers of a scheduler that runs already.

    Raises
    ------
    MissingEnvironmentError : Dask is not installed, or nobody answers
    UsageError : no address
    """
    _need_dask()
    from distributed import Client

    where = _ADDRESS.fullmatch(address)
    if where is None:
        raise UsageError(f"{address}: no address of a scheduler", hint="such as tcp://host:8786")
    with _quiet():
        try:
            # Dask's client would go on trying behind our back.
            socket.create_connection((where["host"].strip("[]"), int(where["port"])), _CONNECT_SECONDS).close()
            client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, OverflowError):
            raise MissingEnvironmentError(f"{address}: no scheduler answers") from None
        try:
            known = list(client.scheduler_info(n_workers=-1)["workers"].values())
            shares = [one["memory_limit"] // one["nthreads"] for one in known if one["memory_limit"]]
            threads = max(sum(one["nthreads"] for one in known), 1)
            yield DaskEngine(client, address, threads, min(shares, default=1 << 62))
        finally:
            # One that has gone is not waited for.
            client.close(timeout=_CLOSE_SECONDS)


def _need_dask() -> None:
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise MissingEnvironmentError("Dask is not installed", hint="pip install 'gpureplay[sweep]'") from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask's log from standard error: what matters of it is told as a line of ours."""
    # Each of Dask's loggers has a level of its own.
    roots = ("distributed", "tornado", "asyncio")
    known = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in roots]
    loggers = [logging.getLogger(name) for name in known]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
