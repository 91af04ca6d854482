"""Bytes that wait in a file because memory is dear: it has no name, and is gone with its last holder, whatever happens.

``TMPDIR`` says where it lies.
"""

from __future__ import annotations

import os
import tempfile
import threading
from typing import IO, Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.errors import StorageError
from traceformat.guards import check_process_memory

__all__ = ["SpillFile"]

_ALIGNMENT: Final = 64


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
            begin = self._end
            self._end += -(-len(data) // _ALIGNMENT) * _ALIGNMENT
        written = 0
        try:
            while written < len(data):
                written += os.pwrite(self._file.fileno(), data[written:], begin + written)
        except OSError as error:
            raise StorageError(
                f"{tempfile.gettempdir()}: {self._what} do not fit: {error.strerror}",
                hint="TMPDIR names another folder",
            ) from error
        return begin

    def read(self, offset: int, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
        """Read an array that was put there.

        Raises
        ------
        ReplayError : the process may not hold it
        StorageError : the file is shorter than it was
        """
        assert self._file is not None
        array = np.empty(shape, dtype)
        check_process_memory(array.nbytes)
        data = array.reshape(-1).view(np.uint8).data
        done = 0
        while done < len(data):
            count = os.preadv(self._file.fileno(), [data[done:]], offset + done)
            if count == 0:
                raise StorageError(f"{self._what} are gone from their file")
            done += count
        return array
