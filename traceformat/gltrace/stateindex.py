"""The index of state along a .gltrace: at points of the trace, the calls before them that later ones can depend on.

Where only a part of a long trace is wanted, everything else before it need not even be read. The index is derived from
the calls, so that a file may have none, and none of what is in a file is believed without proof: see
:mod:`traceformat.tools.trim.index`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.errors import TraceFormatError
from traceformat.framing.filters import Filter, apply_filter, undo_filter
from traceformat.framing.headers import STATE_HEADER, STATE_POINT, dtype_of, struct_of

__all__ = ["MAX_STATE_BYTES", "RULES", "StateIndex", "StatePoint", "thin_out"]

#: Version of the rules by which calls depend on each other; raised with every change of ``trim`` that finds more
#: dependencies than before, so that no index made by older rules is used.
RULES: Final = 1
#: Largest payload of an index of state, uncompressed.
MAX_STATE_BYTES: Final = 1 << 26

_HEADER: Final = struct_of(STATE_HEADER)
_POINT: Final = dtype_of(STATE_POINT)


@dataclass(frozen=True, slots=True)
class StatePoint:
    """A point of a trace.

    Parameters
    ----------
    call : number of the first call behind it
    needed : (N,) int64, ascending; calls before it that calls behind it can depend on. What the others did cannot be
        read any more: no call behind the point does, gives or draws anything else when they are left out
    """

    call: int
    needed: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class StateIndex:
    """Points along one trace, ascending.

    Parameters
    ----------
    content_sha256 : content hash of the trace, 64 hex digits
    points : at least one
    """

    content_sha256: str
    points: tuple[StatePoint, ...]

    def before(self, call: int) -> StatePoint | None:
        """Last point that no call before ``call`` lies behind, or None."""
        return max((point for point in self.points if point.call <= call), key=lambda each: each.call, default=None)

    def pack(self) -> bytes:
        """Give the payload of a STATE chunk."""
        table = np.zeros(len(self.points), _POINT)
        added, removed = [], []
        before: NDArray[np.int64] = np.zeros(0, np.int64)
        for row, point in zip(table, self.points, strict=True):
            new = np.setdiff1d(point.needed, before, assume_unique=True)
            gone = np.flatnonzero(~np.isin(before, point.needed, assume_unique=True))
            row["call"], row["num_added"], row["num_removed"] = point.call, len(new), len(gone)
            added.append(new)
            removed.append(gone)
            before = point.needed
        head = _HEADER.pack(bytes.fromhex(self.content_sha256), RULES, len(self.points))
        return head + table.tobytes() + _packed(added, "<u8") + _packed(removed, "<u4")

    @classmethod
    def unpack(cls, payload: bytes, num_calls: int) -> StateIndex | None:
        """Read a payload; None where other rules made it.

        Raises
        ------
        TraceFormatError : it contradicts itself, or the number of calls
        """
        if len(payload) < _HEADER.size:
            raise _contradiction("it is too short")
        sha256, rules, num_points = _HEADER.unpack_from(payload)
        if rules != RULES:
            return None
        start = _HEADER.size + num_points * _POINT.itemsize
        if not num_points or start > len(payload):
            raise _contradiction(f"it has {num_points} points")
        table = np.frombuffer(payload, _POINT, num_points, _HEADER.size)
        num_added, num_removed = (table[name].astype(np.int64) for name in ("num_added", "num_removed"))
        if start + 8 * num_added.sum() + 4 * num_removed.sum() != len(payload):
            raise _contradiction("its lists have other lengths than its points say")
        middle = start + 8 * int(num_added.sum())
        added = np.split(_unpacked(payload[start:middle], "<u8"), np.cumsum(num_added)[:-1])
        removed = np.split(_unpacked(payload[middle:], "<u4"), np.cumsum(num_removed)[:-1])
        points: list[StatePoint] = []
        before, last = np.zeros(0, np.int64), 0
        for call, new, gone in zip(table["call"].tolist(), added, removed, strict=True):
            if not last < call <= num_calls:
                raise _contradiction(f"the point at call {call} is out of order")
            if len(new) and (new[0] < last or new[-1] >= call or (np.diff(new) <= 0).any()):
                raise _contradiction(f"the calls of the point at call {call} are out of order")
            if len(gone) and (gone[0] < 0 or gone[-1] >= len(before) or (np.diff(gone) <= 0).any()):
                raise _contradiction(f"the point at call {call} removes calls that it does not have")
            before = np.concatenate((np.delete(before, gone), new))
            points.append(StatePoint(call, before))
            last = call
        return cls(sha256.hex(), tuple(points))

    @property
    def digest(self) -> str:
        """Digest of the payload, 32 hex digits."""
        return blake2b(self.pack(), digest_size=16).hexdigest()


def thin_out(index: StateIndex) -> StateIndex | None:
    """Leave out every other point, the first one first; None where there is none left."""
    points = index.points[1::2]
    return StateIndex(index.content_sha256, points) if points else None


def _packed(lists: Sequence[NDArray[Any]], dtype: str) -> bytes:
    numbers = np.concatenate(lists).astype(dtype)
    return apply_filter(numbers.tobytes(), Filter.DELTA_SHUFFLE, numbers.itemsize, numbers.itemsize)


def _unpacked(data: bytes, dtype: str) -> NDArray[np.int64]:
    size = np.dtype(dtype).itemsize
    plain: NDArray[np.int64] = undo_filter(data, Filter.DELTA_SHUFFLE, size, size).view(dtype).astype(np.int64)
    return plain


def _contradiction(what: str) -> TraceFormatError:
    return TraceFormatError(f"the index of state is wrong: {what}")
