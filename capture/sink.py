"""The file that a process writes its calls into."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from traceformat.writer import TraceWriter

__all__ = ["TraceFile"]


class TraceFile:
    """One trace file a process: a forked child gets its own, named after its process id, when it first calls GL.

    Parameters
    ----------
    path : file of the process that the capture started in; opened at once, so that an unwritable one is found early
    properties : of the trace
    """

    def __init__(self, path: Path, properties: Mapping[str, str | int]) -> None:
        self.path = path
        self._root = path
        self._properties = dict(properties)
        self._writer: TraceWriter | None = TraceWriter(path, self._properties)

    @property
    def num_calls(self) -> int:
        """Calls written so far by this process."""
        return self._writer.num_calls if self._writer is not None else 0

    def writer(self) -> TraceWriter:
        """The writer of this process."""
        if self._writer is None:
            self._writer = TraceWriter(self.path, self._properties)
        return self._writer

    def restart_in_child(self) -> None:
        """After a fork: the parent's file is the parent's."""
        self._writer = None
        self.path = self._root.with_name(f"{self._root.stem}.{os.getpid()}{self._root.suffix}")

    def flush(self) -> None:
        """Let what was written survive the end of the process."""
        if self._writer is not None:
            self._writer.flush()

    def close(self) -> None:
        """Give the file its name."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def abort(self) -> None:
        """Leave no file behind."""
        if self._writer is not None:
            self._writer.abort()
            self._writer = None
