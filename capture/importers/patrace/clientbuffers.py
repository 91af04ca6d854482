"""Client side buffers: the file's store of what lay in the program's memory."""

from __future__ import annotations

import tempfile
from typing import IO, Final

__all__ = ["ClientBuffers"]

#: Contents kept in memory; a file may hold gigabytes, any of which may be used again at any time.
MEMORY_BYTES: Final = 256 << 20


class ClientBuffers:
    """Named contents, each thread's by its own names; the oldest go to a temporary file when there are too many.

    A tracer looks a content up before it stores it, so a name may be used again hours later.
    """

    def __init__(self, memory_bytes: int = MEMORY_BYTES) -> None:
        self._limit = memory_bytes
        self._held: dict[tuple[int, int], bytes] = {}
        self._held_bytes = 0
        self._spilled: dict[tuple[int, int], tuple[int, int]] = {}
        self._file: IO[bytes] | None = None

    def __getitem__(self, key: tuple[int, int]) -> bytes:
        """Content of a buffer by thread and name; empty where there is none."""
        held = self._held.get(key)
        if held is not None:
            return held
        place = self._spilled.get(key)
        if place is None or self._file is None:
            return b""
        self._file.seek(place[0])
        return self._file.read(place[1])

    def __setitem__(self, key: tuple[int, int], data: bytes) -> None:
        del self[key]
        self._held[key] = data
        self._held_bytes += len(data)
        while self._held_bytes > self._limit and len(self._held) > 1:
            oldest = next(iter(self._held))
            self._spill(oldest, self._held.pop(oldest))

    def __delitem__(self, key: tuple[int, int]) -> None:
        """Forget a buffer, if there is one."""
        self._held_bytes -= len(self._held.pop(key, b""))
        self._spilled.pop(key, None)

    def _spill(self, key: tuple[int, int], data: bytes) -> None:
        self._held_bytes -= len(data)
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the import
        self._spilled[key] = self._file.seek(0, 2), len(data)
        self._file.write(data)
