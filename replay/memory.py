"""Where things lie in the modelled memory: addresses as a function of the trace alone
(:class:`~traceformat.gputrace.frametrace.MemoryMap`).

A buffer object gets its place when a draw first reads it, in the region of what it is read as, and keeps it until it
outgrows it. Client-side arrays are copied by a driver into a ring, and so they are here.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.frametrace import MemoryMap

__all__ = ["ALIGNMENT_BYTES", "AddressSpace", "Region"]

ALIGNMENT_BYTES: Final = 4096
#: Size of the rings into which client-side vertices and indices are copied.
RING_BYTES: Final = 16 << 20
#: Bytes of one instruction in ``MemoryMap.CODE``.
INSTRUCTION_BYTES: Final = 8

#: Buffers whose addresses are looked up together.
_FIRST_COLUMN: Final = 1 << 10
_MAX_COLUMN: Final = 1 << 20


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

    def allocate_all(self, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """As :meth:`allocate`, of many."""
        blocks = np.maximum(-(-sizes // ALIGNMENT_BYTES), 1) * ALIGNMENT_BYTES
        ends = self._next + np.cumsum(blocks)
        if int(ends[-1]) > self._end:
            return np.array(list(map(self.allocate, sizes.tolist())))
        self._next = int(ends[-1])
        addresses: NDArray[np.int64] = ends - blocks
        return addresses


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

    def allocate_all(self, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """As :meth:`allocate`, of many."""
        blocks = (sizes + 63) & ~63
        ends = self._offset + np.cumsum(blocks)
        if int(ends[-1]) > RING_BYTES:
            return np.array(list(map(self.allocate, sizes.tolist())))
        self._offset = int(ends[-1])
        addresses: NDArray[np.int64] = self._base + ends - blocks
        return addresses


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
        #: Addresses and bytes of buffers of large numbers; those of others, by these.
        self._placed: dict[tuple[str, int, int], tuple[int, int]] = {}
        self._columns: dict[tuple[str, int], NDArray[np.int64]] = {}

    def buffer(self, use: str, group: int, serial: int, num_bytes: int) -> int:
        """Return the address of a buffer object.

        Parameters
        ----------
        use : "vertex" or "index"
        group, serial : share group and number of the buffer
        num_bytes : its present size
        """
        address: int
        if serial < _MAX_COLUMN:
            known = self._column(use, group, serial)
            address, size = known[:, serial].tolist()
        else:
            address, size = self._placed.get((use, group, serial), (0, 0))
        if num_bytes > size:
            region = self._vertex if use == "vertex" else self._index
            address = region.allocate(num_bytes)
            place = address, -(-num_bytes // ALIGNMENT_BYTES) * ALIGNMENT_BYTES
            if serial < _MAX_COLUMN:
                known[:, serial] = place
            else:
                self._placed[use, group, serial] = place
        return address

    def _column(self, use: str, group: int, serial: int) -> NDArray[np.int64]:
        """Addresses and bytes by the numbers of buffers, this one among them."""
        known = self._columns.get((use, group))
        count = 0 if known is None else known.shape[1]
        if known is None or serial >= count:
            grown = np.zeros((2, max(2 * count, serial + 1, _FIRST_COLUMN)), np.int64)
            if known is not None:
                grown[:, :count] = known
            known = self._columns[use, group] = grown
        return known

    def buffers(self, use: str, group: int, serials: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """As :meth:`buffer`, of many: their numbers and sizes, for equal numbers equal ones."""
        most = int(serials.max())
        if most >= _MAX_COLUMN:
            pairs = zip(serials.tolist(), sizes.tolist(), strict=True)
            return np.array([self.buffer(use, group, serial, size) for serial, size in pairs])
        found: NDArray[np.int64] = self._column(use, group, most)[:, serials]
        new = np.flatnonzero(sizes > found[1])
        if len(new):
            _, firsts = np.unique(serials[new], return_index=True)
            self._place_all(use, group, *(values[new[np.sort(firsts)]] for values in (serials, sizes)))
            found = self._column(use, group, most)[:, serials]
        addresses: NDArray[np.int64] = found[0]
        return addresses

    def _place_all(self, use: str, group: int, serials: NDArray[np.int64], sizes: NDArray[np.int64]) -> None:
        """Give places to different buffers that have none, or have outgrown it."""
        region = self._vertex if use == "vertex" else self._index
        places = np.stack([region.allocate_all(sizes), -(-sizes // ALIGNMENT_BYTES) * ALIGNMENT_BYTES])
        self._column(use, group, int(serials.max()))[:, serials] = places

    def clients(self, use: str, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """As :meth:`client`, of many."""
        return self._client[use].allocate_all(sizes)

    def client(self, use: str, num_bytes: int) -> int:
        """Return the address to which a driver would have copied a client-side array."""
        return self._client[use].allocate(num_bytes)

    def code(self, num_instructions: int) -> int:
        """Return the address of a newly linked stage's code."""
        return self._code.allocate(num_instructions * INSTRUCTION_BYTES)
