"""What runs of draws know of buffers, by the buffers' numbers: from frame to frame most stay as they are.

Toolkits draw hundreds of widgets with buffers of their own. What each look at a buffer would cost is spent on those
that have changed.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import addressof, c_char
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine.input_cache import DrawnRange
from traceformat.gles.backend import DrawRun
from traceformat.gles.gltypes import INDEX_BYTES
from traceformat.gles.objects import Buffer

__all__ = ["RunMemory", "Stores"]

_Ints = NDArray[np.int64]
#: Gives the range of a draw: index buffer, first byte, indices.
_Finder = Callable[[Buffer, int, int], DrawnRange]
_octet_of: Final = c_char.from_buffer
_FIRST_BUFFERS: Final = 1 << 10
#: Numbers of buffers that are known; others are looked at each time.
_MAX_BUFFERS: Final = 1 << 20
#: Kinds of indexed draws, and ranges and vertices of one, that are known.
_MAX_KINDS: Final = 8
_MAX_RANGES: Final = 1 << 12
_MAX_ROWS: Final = 1 << 20
#: Indices of a draw that are compared with those of others.
_FEW_INDEX_BYTES: Final = 256


@dataclass(frozen=True, slots=True)
class Stores:
    """Buffers of draws in their order: numbers, where the contents lie (0: nowhere), and bytes."""

    buffers: list[Buffer]
    serials: _Ints
    addresses: _Ints
    sizes: _Ints

    def part(self, draws: slice) -> Stores:
        """Of some of the draws."""
        return Stores(self.buffers[draws], self.serials[draws], self.addresses[draws], self.sizes[draws])


class _Columns:
    """Columns of numbers by the numbers of buffers.

    Parameters
    ----------
    initial : value of each column where nothing is known
    """

    def __init__(self, *initial: int) -> None:
        self._initial = np.array(initial)
        self.values = np.repeat(self._initial[:, None], _FIRST_BUFFERS, axis=1)

    def reach(self, serial: int) -> None:
        """Have a place for this buffer, and for all with lower numbers."""
        count = self.values.shape[1]
        if serial >= count:
            more = np.repeat(self._initial[:, None], max(count, serial + 1 - count), axis=1)
            self.values = np.concatenate([self.values, more], axis=1)


class _Ranges:
    """Ranges of indexed draws of one kind: by the number of the index buffer its version, where the indices lie, how
    many these are, and which range that is.
    """

    def __init__(self) -> None:
        self.columns = _Columns(-1, 0, 0, 0)
        self.ranges: list[DrawnRange] = []
        self._by_content: dict[Any, int] = {}
        self._rows = 0

    @property
    def is_full(self) -> bool:
        return len(self.ranges) > _MAX_RANGES or self._rows > _MAX_ROWS

    def find(self, buffers: list[Buffer], places: tuple[_Ints, _Ints, _Ints], find: _Finder) -> list[int]:
        """The ranges of draws; equal indices have the same. ``places``: first bytes, bytes behind, indices."""
        draws = list(zip(buffers, *[column.tolist() for column in places], strict=True))
        contents: list[Any] = [
            bytes(buffer.store[offset:end])
            if end - offset <= _FEW_INDEX_BYTES
            else (buffer.serial, buffer.version, offset, count)
            for buffer, offset, end, count in draws
        ]
        known = self._by_content
        for content, (buffer, offset, _, count) in zip(contents, draws, strict=True):
            if content not in known:
                known[content] = len(self.ranges)
                self.ranges.append(find(buffer, offset, count))
                self._rows += self.ranges[-1].cached.stream.num_rows
        return [known[content] for content in contents]


class RunMemory:
    """What runs of draws of one share group find again in the next frame."""

    def __init__(self) -> None:
        #: How often a buffer had been given memory, where that lies, and bytes.
        self._stores = _Columns(-1, 0, 0)
        self._kinds: dict[tuple[int, int, int | None], _Ranges] = {}

    def stores(self, buffers: list[Buffer]) -> Stores:
        """Where the contents of buffers lie."""
        serials = np.fromiter([buffer.serial for buffer in buffers], np.int64, len(buffers))
        most = int(serials.max())
        if most >= _MAX_BUFFERS:
            stores = [buffer.store for buffer in buffers]
            return Stores(buffers, serials, np.array(_addresses(stores)), np.array(list(map(len, stores))))
        self._stores.reach(most)
        values = self._stores.values
        definitions = np.fromiter([buffer.definitions for buffer in buffers], np.int64, len(buffers))
        new = values[0, serials] != definitions
        if new.any():
            fresh = [buffers[number].store for number in np.flatnonzero(new).tolist()]
            values[:, serials[new]] = definitions[new], _addresses(fresh), list(map(len, fresh))
        return Stores(buffers, serials, values[1, serials], values[2, serials])

    def ranges(self, run: DrawRun, serials: _Ints, find: _Finder) -> tuple[list[DrawnRange], NDArray[np.int64]]:
        """Vertices of indexed draws, and for each draw which these are.

        Parameters
        ----------
        serials : numbers of the index buffers
        find : gives the range of a draw
        """
        kind = run.mode, run.index_type, run.restart_index
        known = self._kinds.get(kind)
        if known is None or known.is_full:
            if len(self._kinds) >= _MAX_KINDS:
                self._kinds.clear()
            known = self._kinds[kind] = _Ranges()
        buffers, size = run.index_buffers, INDEX_BYTES[run.index_type]
        places = run.firsts, run.firsts + size * run.counts, run.counts
        most = int(serials.max())
        if most >= _MAX_BUFFERS:
            numbers = np.array(known.find(buffers, places, find))
        else:
            known.columns.reach(most)
            values = known.columns.values
            versions = np.fromiter([buffer.version for buffer in buffers], np.int64, len(buffers))
            rows = np.stack([versions, run.firsts, run.counts])
            new = np.flatnonzero((values[:3, serials] != rows).any(axis=0))
            if len(new):
                firsts, ends, counts = (column[new] for column in places)
                found = known.find([buffers[number] for number in new.tolist()], (firsts, ends, counts), find)
                values[:, serials[new]] = [*rows[:, new], found]
            numbers = values[3, serials]
            # A buffer of which draws take several ranges keeps the last one.
            if len(new) and (values[1:3, serials] != rows[1:]).any():
                numbers = np.array(known.find(buffers, places, find))
        # As np.unique, without sorting.
        is_drawn = np.zeros(len(known.ranges), bool)
        is_drawn[numbers] = True
        which = np.flatnonzero(is_drawn)
        return [known.ranges[number] for number in which.tolist()], (is_drawn.cumsum() - 1)[numbers]


def _addresses(stores: list[bytearray]) -> list[int]:
    """Where the contents of buffers lie."""
    return [addressof(_octet_of(store)) if store else 0 for store in stores]
