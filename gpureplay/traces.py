"""Opening traces: command traces and GPU traces alike."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gpureplay.frames import Frames
from traceformat.errors import UsageError
from traceformat.gputrace.frametrace import ALL_COLUMNS, FrameTrace

if TYPE_CHECKING:
    from traceformat.gltrace.reader import TraceReader
    from traceformat.gputrace.reader import GpuTraceReader

__all__ = ["Trace", "open_trace"]


class Trace:
    """A ``.gltrace`` or ``.gputrace``.

    Parameters
    ----------
    path : file
    threads : of the replay; results do not depend on it

    Attributes
    ----------
    path : file

    Raises
    ------
    UsageError : the file cannot be read
    TraceFormatError : it is no trace
    """

    def __init__(self, path: str | os.PathLike[str], *, threads: int = 1) -> None:
        from traceformat.gltrace.reader import open_trace
        from traceformat.gputrace.reader import GpuTraceReader, is_gputrace

        self.path = Path(path)
        self._threads = threads
        self._commands: TraceReader | None = None
        self._stored: GpuTraceReader | None = None
        if is_gputrace(path):
            self._stored = GpuTraceReader(path)
            self._frames = Frames(sorted(self._stored.numbers().values()), self._read, self._shown)
        else:
            self._commands = open_trace(path)
            self._frames = Frames(range(len(self._commands.frames)), self._replay, self._drawn)

    @property
    def frames(self) -> Frames:
        """Its frames; ``frames[3]``, ``frames[10:20]``, ``for frame in frames``."""
        return self._frames

    @property
    def calls(self) -> TraceReader:
        """The calls of a command trace, as ``traceformat.open`` gives them.

        Raises
        ------
        UsageError : a GPU trace has none
        """
        if self._commands is None:
            raise UsageError(f"{self.path}: a GPU trace holds no calls", hint="open the .gltrace that it was made from")
        return self._commands

    def info(self) -> dict[str, Any]:
        """What ``gputrace info --json`` says of a command trace; the properties of a GPU trace."""
        return self._commands.info() if self._commands is not None else dict(self._stored_file.properties)

    @property
    def _stored_file(self) -> GpuTraceReader:
        assert self._stored is not None
        return self._stored

    def _replay(self, first: int, last: int) -> Iterator[FrameTrace]:
        import replay

        with replay.frames(self.calls, columns=ALL_COLUMNS, frames=(first, last), threads=self._threads) as played:
            yield from played

    def _drawn(self, number: int) -> NDArray[np.uint8]:
        import replay

        for _, picture in replay.pictures(self.calls, frames=(number, number), threads=self._threads):
            return picture
        raise UsageError(f"{self.path}: frame {number} has no picture: nothing was ever drawn")

    def _read(self, first: int, last: int) -> Iterator[FrameTrace]:
        reader = self._stored_file
        for place, number in reader.numbers().items():
            if first <= number <= last:
                yield reader.frame(place)

    def _shown(self, number: int) -> NDArray[np.uint8]:
        (frame,) = self._read(number, number)
        if frame.picture is None:
            raise UsageError(f"{self.path}: frame {number} was stored without its picture")
        return frame.picture

    def close(self) -> None:
        """Let go of the file."""
        for reader in (self._commands, self._stored):
            if reader is not None:
                reader.close()

    def __enter__(self) -> Trace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        """Give its name and size."""
        calls = f"{len(self._commands):,} calls, " if self._commands is not None else ""
        return f"<{self.path.name}: {calls}{len(self.frames)} frames>"


def open_trace(path: str | os.PathLike[str], *, threads: int = 1) -> Trace:
    """Open a ``.gltrace`` or ``.gputrace``; see :class:`Trace`."""
    return Trace(path, threads=threads)
