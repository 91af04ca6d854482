"""The file that a process writes its calls into."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from traceformat.calls import Call
from traceformat.errors import ToolError
from traceformat.gltrace.callbuilder import PackedCalls
from traceformat.gltrace.reader import open_trace
from traceformat.gltrace.ringfile import ring_path
from traceformat.gltrace.writer import TraceWriter

__all__ = ["SAVE_SECONDS", "TraceFile"]

#: How long a call may be without being saved while others follow it. Who records them looks at the clock: to a thread
#: that waits for the interpreter Python gives a turn only where nobody lets it go in between, as each call of GL does.
SAVE_SECONDS: Final = 0.005
#: Longer than any call takes to write.
_PATIENCE_SECONDS: Final = 0.02


class TraceFile:
    """One trace file a process: a forked child gets its own, named after its process id, when it first calls GL.

    Parameters
    ----------
    path : file of the process that the capture started in; opened at once, so that an unwritable one is found early
    properties : of the trace
    unsaved : called where a call has to be saved that may be the last one for long

    Attributes
    ----------
    lock : to be held while ``write`` runs
    write : appends a call, as TraceWriter.append does; nothing happens once recording has stopped
    is_recording : False from ``stop`` on
    """

    def __init__(
        self, path: Path, properties: Mapping[str, str | int], unsaved: Callable[[], None] | None = None
    ) -> None:
        self.path = path
        self.lock = threading.RLock()
        self.is_recording = True
        self._root = path
        self._properties = dict(properties)
        self._unsaved = unsaved
        self._writer: TraceWriter | None = self._open()
        self.write: Callable[..., None] = self._writer.append

    def _open(self) -> TraceWriter:
        return TraceWriter(self.path, self._properties, save_seconds=SAVE_SECONDS, unsaved=self._unsaved)

    @property
    def ring_path(self) -> Path | None:
        """Where machine code may record into, to be read with the trace; None where that is no file."""
        return ring_path(self._writer.part_path) if self._writer is not None and self._writer.can_save else None

    @property
    def num_calls(self) -> int:
        """Calls written so far by this process."""
        return self._writer.num_calls if self._writer is not None else 0

    @property
    def is_open(self) -> bool:
        """Calls are recorded, and there is a file for them."""
        return self.is_recording and self._writer is not None

    def make_room(self, count: int) -> tuple[int, int]:
        """Do as :meth:`TraceWriter.make_room` does; ``lock`` is to be held until the calls are written."""
        return self._writer.make_room(count) if self._writer is not None else (0, 0)

    def write_packed(self, calls: PackedCalls) -> None:
        """Append calls as :meth:`TraceWriter.append_packed` does; ``lock`` is to be held."""
        if self.is_open and self._writer is not None:
            self._writer.append_packed(calls)

    def stop(self) -> None:
        """End recording."""
        self.is_recording = False
        self.write = _drop

    def restart_in_child(self, begin: Callable[[], None]) -> None:
        """After a fork: the parent's file is the parent's.

        Parameters
        ----------
        begin : writes what the child's trace must begin with, once the child makes its first call
        """
        self.lock = threading.RLock()
        self._writer = None
        self.path = self._root.with_name(f"{self._root.stem}.{os.getpid()}{self._root.suffix}")
        if not self.is_recording:
            return

        def open_and_write(*arguments: Any, **options: Any) -> None:
            self._writer = self._open()
            self.write = self._writer.append
            begin()
            self.write(*arguments, **options)

        self.write = open_and_write

    def recorded(self, start: int) -> Iterator[Call]:
        """Give the calls from ``start`` on that were written so far, while more may follow."""
        if self._writer is None:
            return
        with self.lock:
            self._writer.flush()
            # Before anything is written that is taken away again.
            reader = open_trace(self._writer.part_path)
        with reader:
            yield from reader.calls(start=start)

    def flush(self) -> None:
        """Let what was written survive the end of the process."""
        with self.lock:
            if self._writer is not None:
                self._writer.flush()

    def save_now(self) -> None:
        """Let what was written survive a sudden end; ``lock`` is to be held. A failure is told when the trace ends."""
        if self._writer is not None:
            with suppress(ToolError):
                self._writer.save()

    def save(self, settle: Callable[[], None]) -> None:
        """Let what was recorded survive a sudden end, without a trace of it in the file.

        Nothing happens where another thread goes on writing for long: it may be one that waits for us.

        Parameters
        ----------
        settle : takes in what is recorded and not written yet
        """
        if not self.lock.acquire(timeout=_PATIENCE_SECONDS):
            return
        try:
            if self.is_open and self._writer is not None:
                settle()
                self._writer.save()
        finally:
            self.lock.release()

    def close(self) -> None:
        """Give the file its name."""
        self.stop()
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def abort(self) -> None:
        """Leave no file behind."""
        self.stop()
        if self._writer is not None:
            self._writer.abort()
            self._writer = None


def _drop(*arguments: Any, **options: Any) -> None:
    """Take a call that is not recorded any more."""
