"""Where things lie in the modelled memory: addresses as a function of the trace alone
(:class:`~traceformat.gputrace.frametrace.MemoryMap`).

A buffer object gets its place when a draw first reads it, in the region of what it is read as, and keeps it until it
outgrows it. Client-side arrays are copied by a driver into a ring, and so they are here.
"""

from __future__ import annotations

from typing import Final

from traceformat.gputrace.frametrace import MemoryMap

__all__ = ["ALIGNMENT_BYTES", "AddressSpace", "Region"]

ALIGNMENT_BYTES: Final = 4096
#: Size of the rings into which client-side vertices and indices are copied.
RING_BYTES: Final = 16 << 20
#: Bytes of one instruction in ``MemoryMap.CODE``.
INSTRUCTION_BYTES: Final = 8


class Region:
    """Hands out addresses of one region in order."""

    def __init__(self, base: int) -> None:
        self._next = base
        self._end = base + MemoryMap.REGION_BYTES

    def allocate(self, num_bytes: int) -> int:
        """Return the address of a new block; wraps to the region's start when a (hostile) trace exhausts it."""
        size = max(-(-num_bytes // ALIGNMENT_BYTES), 1) * ALIGNMENT_BYTES
        if self._next + size > self._end:
            self._next = self._end - MemoryMap.REGION_BYTES
        address = self._next
        self._next += size
        return address


class _Ring:
    """A region that is written round and round."""

    def __init__(self, base: int) -> None:
        self._base = base
        self._offset = 0

    def allocate(self, num_bytes: int) -> int:
        size = (num_bytes + 63) & ~63
        if self._offset + size > RING_BYTES:
            self._offset = 0
        address = self._base + self._offset
        self._offset += size
        return address


class AddressSpace:
    """Addresses of buffers, client arrays and code of one replay."""

    def __init__(self) -> None:
        self._vertex = Region(MemoryMap.VERTEX)
        self._index = Region(MemoryMap.INDEX)
        self._code = Region(MemoryMap.CODE)
        self._client = {
            "vertex": _Ring(self._vertex.allocate(RING_BYTES)),
            "index": _Ring(self._index.allocate(RING_BYTES)),
        }
        self._placed: dict[tuple[str, int, int], tuple[int, int]] = {}

    def buffer(self, use: str, group: int, serial: int, num_bytes: int) -> int:
        """Return the address of a buffer object.

        Parameters
        ----------
        use : "vertex" or "index"
        group, serial : share group and number of the buffer
        num_bytes : its present size
        """
        key = (use, group, serial)
        address, size = self._placed.get(key, (0, 0))
        if num_bytes > size:
            region = self._vertex if use == "vertex" else self._index
            address = region.allocate(num_bytes)
            self._placed[key] = (address, -(-num_bytes // ALIGNMENT_BYTES) * ALIGNMENT_BYTES)
        return address

    def buffers(self, use: str, group: int, sizes: list[tuple[int, int]]) -> list[int]:
        """As :meth:`buffer`, of many: number and size of each."""
        placed, found = self._placed, []
        for serial, num_bytes in sizes:
            known = placed.get((use, group, serial))
            found.append(
                known[0] if known is not None and num_bytes <= known[1] else self.buffer(use, group, serial, num_bytes)
            )
        return found

    def clients(self, use: str, sizes: list[int]) -> list[int]:
        """As :meth:`client`, of many."""
        return list(map(self._client[use].allocate, sizes))

    def client(self, use: str, num_bytes: int) -> int:
        """Return the address to which a driver would have copied a client-side array."""
        return self._client[use].allocate(num_bytes)

    def code(self, num_instructions: int) -> int:
        """Return the address of a newly linked stage's code."""
        return self._code.allocate(num_instructions * INSTRUCTION_BYTES)
