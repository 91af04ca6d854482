"""The next pass, checked and arranged on another thread while the machine is busy with this one.

What is arranged ahead follows from the pass and the configuration alone; gates and hooks of techniques have their say
when the pass's turn comes. One pass waits at the most, and no large one: it would need the memory of a second pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from typing import Final, TypeAlias

from gpumodel.streams import PassStreams, PassTables
from traceformat.gputrace.frametrace import MODEL_COLUMNS, PASS_TABLES, FrameTrace
from traceformat.gputrace.passes import passes_of
from traceformat.guards import guards

__all__ = ["ArrangedPass", "PassOrder", "PassesAhead", "bytes_of_pass"]

#: Bytes of a pass that may wait, and at most this part of what the process may hold, as of passes of a replay.
_WAITING_BYTES: Final = 1 << 28
_WAITING_SHARE: Final = 16

#: A pass as it was given; its tables and streams, where they are arranged already.
ArrangedPass: TypeAlias = "tuple[FrameTrace, tuple[PassTables, PassStreams] | None]"


def bytes_of_pass(given: FrameTrace) -> int:
    """Bytes of a pass's own tables; arranged, it has about as many again."""
    return sum(column.nbytes for name in PASS_TABLES for column in given[name].values())


class PassOrder:
    """Gives the passes of a frame when their turn comes."""

    def passes(self, trace: FrameTrace) -> Sequence[FrameTrace]:
        """Passes of the frame that is next; raises TraceFormatError where its tables do not fit together."""
        return passes_of(trace, MODEL_COLUMNS)

    def take(self, passes: Sequence[FrameTrace], index: int) -> ArrangedPass:
        """Give a pass; they are asked for in order."""
        return passes[index], None


class PassesAhead(PassOrder):
    """Arranges the next pass beside the machine's work.

    Parameters
    ----------
    tables : arranges the tables of a pass
    pool : whose threads do it; what none of them has begun in time is done by who asks
    """

    def __init__(self, tables: Callable[[FrameTrace], PassTables], pool: Executor) -> None:
        self._tables = tables
        self._pool = pool
        self._limit = min(_WAITING_BYTES, guards().process_memory // _WAITING_SHARE)
        self._expected: tuple[FrameTrace, Future[tuple[Sequence[FrameTrace], ArrangedPass | None]]] | None = None
        self._next: Future[ArrangedPass] | None = None
        self._first: ArrangedPass | None = None

    def expect(self, trace: FrameTrace) -> None:
        """Take the frame that comes next, while the machine may still be busy with the one before."""
        self._expected = trace, self._pool.submit(self._begin, trace)

    def _begin(self, trace: FrameTrace) -> tuple[Sequence[FrameTrace], ArrangedPass | None]:
        passes = passes_of(trace, MODEL_COLUMNS)
        return passes, self._arrange(passes, 0) if len(passes) else None

    def _arrange(self, passes: Sequence[FrameTrace], index: int) -> ArrangedPass:
        given = passes[index]
        if bytes_of_pass(given) > self._limit:
            return given, None
        tables = self._tables(given)
        return given, (tables, tables.arrange(index))

    def passes(self, trace: FrameTrace) -> Sequence[FrameTrace]:
        """See :class:`PassOrder`."""
        expected, self._expected = self._expected, None
        self._next = self._first = None
        if expected is None or expected[0] is not trace or expected[1].cancel():
            return super().passes(trace)
        passes, self._first = expected[1].result()
        return passes

    def take(self, passes: Sequence[FrameTrace], index: int) -> ArrangedPass:
        """See :class:`PassOrder`."""
        found, self._first = self._first, None
        waiting, self._next = self._next, None
        if waiting is not None and not waiting.cancel():
            found = waiting.result()
        if index + 1 < len(passes):
            self._next = self._pool.submit(self._arrange, passes, index + 1)
        return found or (passes[index], None)
