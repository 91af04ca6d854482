"""Batches of draws beside the rest: other threads execute what waits while further draws are prepared.

Batches run one after the other in the order of draws, so whatever depends on order (pixels, tables, numbers of paths)
is as with one thread. Of a batch that is worth it several threads shade the fragments together, and the thread that
prepares draws helps when the others fall behind, and when it has to wait. Whoever reads or replaces what batches use
(pixels, textures, tables) drains the pipeline first.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Final, TypeAlias

from replay.engine.batch import DrawBatch
from replay.engine.left import leave_working, take_working
from replay.engine.thread_memory import ThreadMemory

__all__ = ["Pipeline"]

#: Batches in the queue beyond which the preparing thread helps.
_BACKLOG: Final = 2
_PAUSE_SECONDS: Final = 1e-5
#: How often a thread looks for something to help with where each has a processor: a fifth of a millisecond or so.
_LOOKS: Final = 1 << 12
#: A batch to run, or one to help with and which of its turns that is; None ends the thread.
_Task: TypeAlias = tuple[DrawBatch, int | None] | None


class Pipeline:
    """Batches in progress, and the one that is being filled.

    Parameters
    ----------
    threads : that work, the preparing one included; with one, each batch is executed at once
    before_drain : adds draws to a batch that are not yet in one
    """

    def __init__(self, threads: int, before_drain: Callable[[], None]) -> None:
        self._before_drain: Callable[[], None] | None = before_drain
        self._running: deque[DrawBatch] = deque()
        self._has_run = False
        self._own = take_working(ThreadMemory) or ThreadMemory()
        #: Draws that nobody has begun to execute.
        self._open: DrawBatch | None = None
        self._idle: list[DrawBatch] = []
        #: The batch that was finished last: results of its draws are there until the next one runs.
        self._last: DrawBatch | None = None
        # With more threads than processors those that only look take time from those that work.
        self._looks = _LOOKS if threads <= (os.cpu_count() or 1) else 1
        self._tasks: list[SimpleQueue[_Task]] = []
        self._threads: list[threading.Thread] = []
        for number in range(1, threads):
            tasks: SimpleQueue[_Task] = SimpleQueue()
            thread = threading.Thread(target=_work, args=(tasks, self._looks), name=f"engine-{number}", daemon=True)
            self._tasks.append(tasks)
            self._threads.append(thread)
            thread.start()

    def close(self) -> None:
        """End the threads."""
        for tasks in self._tasks:
            tasks.put(None)
        for thread in self._threads:
            thread.join()
        self._tasks, self._threads = [], []
        if self._before_drain is not None:
            leave_working(self._own)  # once
        self._idle.clear()
        self._open = self._last = self._before_drain = None

    def get_ready(self, make: Callable[[], DrawBatch]) -> None:
        """Have a batch for the draws to come; ``make`` as of :meth:`batch`."""
        if self._open is None and not self._idle and not self._running:
            batch = make()
            batch.provide(self._own)
            self._idle.append(batch)

    @property
    def last(self) -> DrawBatch:
        """The batch that was finished last."""
        assert self._last is not None
        return self._last

    def batch(self, make: Callable[[], DrawBatch], num_draws: int = 1) -> DrawBatch:
        """The batch to which the next draws go; ``make`` gives an empty one."""
        batch = self._open
        if batch is not None and not batch.is_full and batch.room >= num_draws:
            return batch
        if batch is not None:
            self._open = None
            self._submit(batch)
        batch = self._open = self._idle.pop() if self._idle else make()
        return batch

    @property
    def is_free(self) -> bool:
        """Whether another thread has nothing to do."""
        return bool(self._tasks) and self._has_run and (not self._running or self._running[-1].is_done)

    def hand_over(self) -> None:
        """Have another thread execute what is there, while further draws are prepared."""
        batch, self._open = self._open, None
        if batch is not None:
            self._submit(batch)

    def wait(self) -> None:
        """Wait for all batches that have begun; not for draws that nobody has begun to execute."""
        if not self._running or threading.current_thread() in self._threads:
            return  # asked for by a batch itself
        while self._running:
            self._help_first()

    def drain(self) -> None:
        """Have everything done; raises what a batch raised."""
        if self._before_drain is not None:
            self._before_drain()
        batch, self._open = self._open, None
        if batch is not None:
            if self._running:
                self._submit(batch)
            else:
                # Nothing is left to prepare meanwhile: to hand it over would only cost time.
                self._run_here(batch)
        self.wait()

    # ------------------------------------------------------------------ execution
    def _submit(self, batch: DrawBatch) -> None:
        if not self._tasks or not self._has_run:
            # The first one loads compiled code, which two threads may not do at once.
            self.wait()
            self._run_here(batch)
            return
        if not self._running:
            batch.number_on()
        self._running.append(batch)
        self._tasks[0].put((batch, None))
        self._call_helpers(batch, self._tasks[1:])
        while self._running and self._running[0].is_done:
            self._finish(self._running.popleft())
        while len(self._running) > _BACKLOG:
            self._help_first()

    def _call_helpers(self, batch: DrawBatch, tasks: list[SimpleQueue[_Task]]) -> None:
        if batch.is_large:
            for queue in tasks:
                queue.put((batch, batch.turn))

    def _run_here(self, batch: DrawBatch) -> None:
        self._call_helpers(batch, self._tasks)
        batch.number_on()
        try:
            batch.run(self._own)
        except BaseException as error:
            batch.error = error
        batch.is_done = True
        self._has_run = True
        self._finish(batch)

    def _finish(self, batch: DrawBatch) -> None:
        self._last = batch
        try:
            batch.finish()
        finally:
            self._idle.append(batch)

    def _help_first(self) -> None:
        batch = self._running[0]
        while not batch.is_done:
            batch.help(self._own, self._looks)
            if not batch.is_done:
                time.sleep(_PAUSE_SECONDS)
        self._running.popleft()
        self._finish(batch)


def _work(tasks: SimpleQueue[_Task], looks: int) -> None:
    """Run batches and help with others, until there is a None among the tasks; ``looks`` as of ``DrawBatch.help``."""
    own = ThreadMemory()
    while True:
        task = tasks.get()
        if task is None:
            return
        batch, turn = task
        if turn is not None:
            # It may be over by now, and the batch have others draws already, which this thread is to run.
            while batch.turn == turn and not batch.is_done:
                batch.help(own, looks)
                time.sleep(_PAUSE_SECONDS)
            continue
        try:
            batch.run(own)
        except BaseException as error:
            batch.error = error
        batch.is_done = True
        del batch, task
