"""Passes that several runs take alike: checked and arranged once, not by each of them.

How a pass is arranged does not depend on the memory, the caches' sizes or what else a study varies. A pass that a run
has taken has the machine's marks in it, so that each run takes a fresh one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Protocol

from gpumodel.ahead import ArrangedPass, PassOrder, bytes_of_pass
from gpumodel.streams import PassStreams, PassTables, arrangement
from traceformat.gputrace.frametrace import MODEL_COLUMNS, FrameTrace
from traceformat.gputrace.passes import passes_of
from traceformat.guards import guards

if TYPE_CHECKING:
    from gpumodel.machine import Machine

__all__ = ["SharedPasses", "share_passes"]

#: A frame's passes wait up to this part of what the process may hold; those beyond are arranged by each run.
_WAITING_SHARE: Final = 16


class _Run(Protocol):
    """What is asked of a :class:`gpumodel.runs.Run`."""

    machine: Machine

    @property
    def arranges_plainly(self) -> bool: ...


class SharedPasses(PassOrder):
    """Gives the passes of a frame to several runs, one after the other.

    Parameters
    ----------
    tables : arranges the tables of a pass
    num_runs : that take each frame; what the last of them has taken is let go of
    """

    def __init__(self, tables: Callable[[FrameTrace], PassTables], num_runs: int) -> None:
        self._tables = tables
        self._num_runs = num_runs
        self._frame: FrameTrace | None = None
        self._passes: Sequence[FrameTrace] = ()
        self._num_given = 0
        #: By pass, with the runs that have not taken it.
        self._arranged: dict[int, tuple[FrameTrace, PassTables, PassStreams, int]] = {}
        self._room = 0

    def passes(self, trace: FrameTrace) -> Sequence[FrameTrace]:
        """See :class:`.PassOrder`."""
        if self._frame is not trace:
            self._arranged = {}
            self._passes, self._frame = passes_of(trace, MODEL_COLUMNS), trace
            self._num_given = 0
            self._room = guards().process_memory // _WAITING_SHARE
        self._num_given += 1
        passes = self._passes
        if self._num_given == self._num_runs:
            self._frame, self._passes = None, ()
        return passes

    def take(self, passes: Sequence[FrameTrace], index: int) -> ArrangedPass:
        """See :class:`.PassOrder`."""
        found = self._arranged.pop(index, None)
        if found is None:
            given = passes[index]
            size = bytes_of_pass(given)
            if size > self._room or self._frame is None:
                return given, None
            self._room -= size
            tables = self._tables(given)
            found = given, tables, tables.arrange(index), self._num_runs
        given, tables, streams, left = found
        if left == 1:
            return given, (tables, streams)
        self._arranged[index] = given, tables, streams, left - 1
        return given, (tables, streams.fresh())


def share_passes(runs: Sequence[_Run]) -> None:
    """Let runs that take the same frames, one after the other, share the passes that they arrange alike."""
    alike: dict[str, list[_Run]] = {}
    for one in runs:
        if one.arranges_plainly:
            alike.setdefault(arrangement(one.machine.config), []).append(one)
    for group in alike.values():
        if len(group) > 1:
            order = SharedPasses(group[0].machine.tables, len(group))
            for one in group:
                one.machine.order = order
