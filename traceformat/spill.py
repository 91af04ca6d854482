"""Bytes that wait in a file because memory is dear: it has no name, and is gone with its last holder, whatever happens.

``TMPDIR`` says where it lies. Large arrays are mapped, not read: the system loads pages that are looked at, and may put
them away again, so that they do not count as memory that the process needs (:mod:`.process_memory`).
"""

from __future__ import annotations

import math
import mmap
import os
import tempfile
import threading
from typing import IO, Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.errors import StorageError
from traceformat.guards import check_process_memory

__all__ = ["SpillFile", "mapped_octets"]

_ALIGNMENT: Final = 64
#: Bytes of an array from which on it is mapped.
_MAPPED_BYTES: Final = 1 << 20


def mapped_octets(size: int, what: str) -> NDArray[np.uint8]:
    """Memory that the system may put away into a file of its own.

    Parameters
    ----------
    what : is put there, in the plural, for the message

    Raises
    ------
    StorageError : there is no room for it
    """
    with tempfile.TemporaryFile(prefix="gpureplay-") as file:
        try:
            # A page that finds no room when it is written to would end the process.
            os.posix_fallocate(file.fileno(), 0, size)
        except OSError as error:
            raise _no_room(what, error) from error
        return np.frombuffer(mmap.mmap(file.fileno(), size), np.uint8)


def _no_room(what: str, error: OSError) -> StorageError:
    return StorageError(
        f"{tempfile.gettempdir()}: {what} do not fit: {error.strerror}", hint="TMPDIR names another folder"
    )


class SpillFile:
    """A file that is made when something is put into it.

    Parameters
    ----------
    what : is put into it, in the plural, for messages
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._file: IO[bytes] | None = None
        self._end = 0
        self._lock = threading.Lock()

    def put(self, array: NDArray[Any]) -> int:
        """Write the bytes of an array; gives where they lie.

        Raises
        ------
        StorageError : they do not fit
        """
        data = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
        with self._lock:
            if self._file is None:
                # Closed when its holder goes: it has no name that could be left behind.
                self._file = tempfile.TemporaryFile(prefix="gpureplay-")  # noqa: SIM115
            step = mmap.PAGESIZE if len(data) >= _MAPPED_BYTES else _ALIGNMENT
            begin = -(-self._end // step) * step
            self._end = begin + len(data)
        written = 0
        try:
            while written < len(data):
                written += os.pwrite(self._file.fileno(), data[written:], begin + written)
        except OSError as error:
            raise _no_room(self._what, error) from error
        return begin

    def read(self, offset: int, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
        """Give an array that was put there; what is written into it stays with the array.

        Raises
        ------
        ReplayError : the process may not hold it
        StorageError : the file is shorter than it was
        """
        assert self._file is not None
        size = math.prod(shape) * dtype.itemsize
        if size >= _MAPPED_BYTES:
            pages = mmap.mmap(self._file.fileno(), size, access=mmap.ACCESS_COPY, offset=offset)
            return np.frombuffer(pages, dtype).reshape(shape)
        check_process_memory(size)
        array = np.empty(shape, dtype)
        data = array.reshape(-1).view(np.uint8).data
        done = 0
        while done < len(data):
            count = os.preadv(self._file.fileno(), [data[done:]], offset + done)
            if count == 0:
                raise StorageError(f"{self._what} are gone from their file")
            done += count
        return array
