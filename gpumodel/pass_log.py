"""Logs of a frame's passes that are looked at behind its end: in memory, or in a file where there are many.

What a log shares with its frame (the pass as it was given, the frame's head, the configuration) is referred to, and not
kept again.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final, overload

import numpy as np
from numpy.typing import NDArray

from gpumodel.pass_run import PassRun
from traceformat.gputrace.frametrace import PASS_TABLES
from traceformat.gputrace.passes import JoinedTables
from traceformat.guards import guards
from traceformat.spill import SpillFile

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["PassLog"]

#: Bytes of a frame's logs that stay in memory; several runs have one each.
_RESIDENT_BYTES: Final = 1 << 28
#: And at most this part of what the process may hold.
_RESIDENT_SHARE: Final = 64
_OCTET: Final = np.dtype(np.uint8)


@dataclass(frozen=True, slots=True)
class _Stored:
    """A log in the file: its structure, and where the bytes of its arrays lie and how many there are."""

    structure: bytes
    arrays: list[tuple[int, int]]


class PassLog(Sequence[PassRun]):
    """Logs of the passes of one frame, in order; each is loaded when it is asked for, and let go of with its holder.

    Parameters
    ----------
    config : of the machine
    frames : whose passes the logs are of, with those passes: one, or those that are rendered in parallel
    resident_bytes : that stay in memory
    """

    def __init__(
        self,
        config: GpuConfig | None = None,
        frames: Sequence[tuple[FrameTrace, Sequence[FrameTrace]]] = (),
        resident_bytes: int | None = None,
    ) -> None:
        self._room = min(_RESIDENT_BYTES, guards().process_memory // _RESIDENT_SHARE)
        if resident_bytes is not None:
            self._room = resident_bytes
        self._logs: list[PassRun | _Stored] = []
        self._file = SpillFile("the logs of a frame's passes")
        self._passes = [passes for _, passes in frames]
        #: What is referred to, by name, and the names by identity.
        self._shared: dict[Any, Any] = {"config": config}
        for number, (frame, _) in enumerate(frames):
            self._shared["frame", number] = frame
            head = frame.tables.head if isinstance(frame.tables, JoinedTables) else frame.tables
            for name, table in head.items():
                self._shared["table", number, name] = table
        self._names = {id(one): name for name, one in self._shared.items()}

    def add(self, done: PassRun, given: FrameTrace, number: int = 0) -> None:
        """Take the log of the next pass.

        Parameters
        ----------
        given : the pass as the frame gives it
        number : which of the frames it is of
        """
        names = self._names if given.index is None else {**self._names, id(given): ("pass", number, given.index)}
        stream = BytesIO()
        buffers: list[pickle.PickleBuffer] = []
        _Pickler(stream, buffers, names).dump(done)
        raw = [buffer.raw() for buffer in buffers]
        size = len(stream.getvalue()) + sum(part.nbytes for part in raw) + _own_bytes(given)
        if size <= self._room:
            self._room -= size
            self._logs.append(done)
            return
        self._room = 0
        arrays = [np.frombuffer(part, np.uint8) if part.nbytes else np.zeros(0, np.uint8) for part in raw]
        self._logs.append(_Stored(stream.getvalue(), [(self._file.put(array), len(array)) for array in arrays]))

    def __len__(self) -> int:
        return len(self._logs)

    @overload
    def __getitem__(self, index: int) -> PassRun: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[PassRun]: ...
    def __getitem__(self, index: int | slice) -> PassRun | Sequence[PassRun]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        kept = self._logs[index]
        if isinstance(kept, PassRun):
            return kept
        arrays: list[NDArray[np.uint8]] = [self._file.read(at, _OCTET, (size,)) for at, size in kept.arrays]
        found = _Unpickler(BytesIO(kept.structure), arrays, self._find).load()
        assert isinstance(found, PassRun)
        return found

    def _find(self, name: Any) -> Any:
        if name in self._shared:
            return self._shared[name]
        _, number, index = name
        return self._passes[number][index]


def _own_bytes(given: FrameTrace) -> int:
    """Bytes of a pass that travels alone, which whoever refers to it keeps."""
    if given.index is None:
        return 0
    return sum(column.nbytes for name in PASS_TABLES for column in given[name].values())


class _Pickler(pickle.Pickler):
    """Keeps arrays apart, and names what is shared."""

    def __init__(self, stream: BytesIO, buffers: list[pickle.PickleBuffer], names: dict[int, Any]) -> None:
        super().__init__(stream, 5, buffer_callback=buffers.append)
        self._names = names

    def persistent_id(self, obj: Any) -> Any:
        """Give the name of what is shared."""
        return self._names.get(id(obj))


class _Unpickler(pickle.Unpickler):
    """Its other half; it reads what this process has written into a file that nobody else can open."""

    def __init__(self, stream: BytesIO, arrays: list[NDArray[np.uint8]], find: Any) -> None:
        super().__init__(stream, buffers=arrays)
        self._find = find

    def persistent_load(self, pid: Any) -> Any:
        """Give what is shared."""
        return self._find(pid)
