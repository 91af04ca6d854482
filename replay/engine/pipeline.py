"""Fragment work of draws beside the rest: a second thread shades what has been rasterized while draws are prepared.

Jobs run one after the other in the order of draws, so whatever depends on order (pixels, tables, numbers of paths) is
as with one thread. A job's chunks are shared: the thread that prepares draws helps when the other one falls behind, and
when it has to wait. Whoever reads or replaces what jobs use (pixels, textures, tables) drains the pipeline first.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Final, Protocol

from replay.engine.batch import DrawBatch
from replay.engine.fragments import JOB_CHUNK_QUADS, Scratch

__all__ = ["Job", "Pipeline"]

#: Quads in the queue from which on the preparing thread helps.
_BACKLOG_QUADS: Final = 8 * JOB_CHUNK_QUADS
#: Batches in the queue beyond which it waits.
_BACKLOG_BATCHES: Final = 2


class Job(Protocol):
    """Work in the order of draws.

    Attributes
    ----------
    num_quads : quads to shade, as far as that is known
    is_done, error : set by the thread that ran it
    """

    is_done: bool
    error: BaseException | None

    @property
    def num_quads(self) -> int:
        """Quads to shade, as far as that is known."""

    def run(self, scratch: Scratch) -> None:
        """Do the work."""

    def help(self, scratch: Scratch) -> None:
        """Take a part of it while another thread does it."""

    def finish(self) -> None:
        """Do what has to be done by the thread that prepares draws."""


class Pipeline:
    """Jobs in progress, and the batch of draws that is being filled.

    Parameters
    ----------
    has_thread : run jobs on a second thread; without it, each at once
    """

    def __init__(self, *, has_thread: bool) -> None:
        self._jobs: deque[Job] = deque()
        self._has_run = False
        self._own = Scratch()
        self._queue: SimpleQueue[Job | None] | None = None
        self._thread: threading.Thread | None = None
        #: Draws that nobody has begun to execute.
        self._open: DrawBatch | None = None
        self._idle: list[DrawBatch] = []
        self._num_batches = 0
        if has_thread:
            self._queue = SimpleQueue()
            self._thread = threading.Thread(target=_work, args=(self._queue,), name="fragments", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """End the second thread."""
        if self._queue is not None and self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._queue = self._thread = None
        self._idle.clear()
        self._open = None

    # ------------------------------------------------------------------ batches
    def batch(self, make: Callable[[], DrawBatch]) -> DrawBatch:
        """The batch to which the next draw goes; ``make`` gives an empty one."""
        batch = self._open
        if batch is not None and not batch.is_full:
            return batch
        self._begin_batch()
        batch = self._open = self._idle.pop() if self._idle else make()
        return batch

    @property
    def has_batches(self) -> bool:
        """Whether there are draws in batches that are not done."""
        return self._open is not None or self._num_batches > 0

    def _begin_batch(self) -> None:
        """Have the draws of the open batch executed."""
        batch, self._open = self._open, None
        if batch is not None:
            self.submit(batch)

    def _finish(self, job: Job) -> None:
        try:
            job.finish()
        finally:
            if isinstance(job, DrawBatch):
                self._idle.append(job)
                self._num_batches -= 1

    # ------------------------------------------------------------------ jobs
    def submit(self, job: Job) -> None:
        """Queue a job, and help if there are many quads in the queue."""
        if isinstance(job, DrawBatch):
            self._num_batches += 1
        if self._queue is None or not self._has_run:
            # The first job has Numba learn the types of the kernels' arguments, which two threads may not do at once.
            self.wait()
            self._run_here(job)
            return
        self._jobs.append(job)
        self._queue.put(job)
        while self._jobs and self._jobs[0].is_done:
            self._finish(self._jobs.popleft())
        while self._num_batches > _BACKLOG_BATCHES and self._jobs:
            self._help_first()
        backlog = sum(queued.num_quads for queued in self._jobs)
        while backlog > _BACKLOG_QUADS and self._jobs:
            backlog -= self._jobs[0].num_quads
            self._help_first()

    def _run_here(self, job: Job) -> None:
        try:
            job.run(self._own)
        except BaseException as error:
            job.error = error
        self._finish(job)
        self._has_run = True

    def _help_first(self) -> None:
        job = self._jobs[0]
        while not job.is_done:
            job.help(self._own)
            if not job.is_done:
                time.sleep(1e-5)
        self._jobs.popleft()
        self._finish(job)

    def wait(self) -> None:
        """Wait for all jobs that have begun; not for draws that wait in a batch."""
        if self._thread is not None and threading.get_ident() == self._thread.ident:
            return  # asked for by a job itself
        while self._jobs:
            self._help_first()

    def drain(self) -> None:
        """Have everything done; raises what a job raised."""
        batch = self._open
        if batch is not None and not self._jobs:
            # Nothing is left to prepare meanwhile: to hand it over would only cost time.
            self._open = None
            self._num_batches += 1
            self._run_here(batch)
            return
        self._begin_batch()
        self.wait()


def _work(queue: SimpleQueue[Job | None]) -> None:
    """Run jobs until there is a None among them."""
    scratch = Scratch()
    while True:
        job = queue.get()
        if job is None:
            return
        try:
            job.run(scratch)
        except BaseException as error:
            job.error = error
        job.is_done = True
        del job
