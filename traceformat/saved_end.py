"""What stands behind a file's bytes until more is written, whole at every moment."""

from __future__ import annotations

import os

__all__ = ["SavedEnd"]


class SavedEnd:
    """The end of a file that a reader is to find where nothing more is written.

    A process can be killed within any write. What has been put is therefore not written over before something newer
    stands whole behind it, and goes by a change of the file's length, which happens or does not. The reader takes the
    last one that is whole (chunks SAVED of FORMAT.md).

    Parameters
    ----------
    descriptor : of the file, open for writing
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._newest = b""
        self._start = 0

    @property
    def is_there(self) -> bool:
        """Whether the file ends with one."""
        return bool(self._newest)

    def put(self, place: int, settled: bytes, end: bytes) -> None:
        """Write bytes that stay, and behind them what is there until the next call.

        Parameters
        ----------
        place : bytes of the file that stay already
        settled : come behind them; may be empty
        end : comes behind ``settled``; empty = nothing

        Raises
        ------
        OSError : that failed; what was put before is there
        """
        data = settled + end
        if self._newest and self._start - place < len(data):
            # No room before it: it, or what takes its place, goes behind everything first.
            self._append(self._newest if settled else end, place + len(data))
            if not settled:
                return
        self._write(data, place)
        os.ftruncate(self._descriptor, place + len(data))
        self._newest, self._start = end, place + len(settled)

    def _append(self, newest: bytes, lowest: int) -> None:
        start = self._start + len(self._newest)
        if start < lowest:
            start = lowest
        self._write(newest, start)
        self._newest, self._start = newest, start

    def _write(self, data: bytes, place: int) -> None:
        left = memoryview(data)
        while left:
            done = os.pwrite(self._descriptor, left, place)
            left, place = left[done:], place + done
