"""How two traces differ: calls side by side, then state, frame by frame.

Calls are aligned by the names of their functions: at a difference both sides are searched for the nearest place where
several calls agree again. That takes a bounded number of steps for each difference and little memory, whatever the size
of the traces.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, Protocol, TypeVar

from traceformat.calls import Call
from traceformat.errors import ToolError
from traceformat.gles.parameters import parameters_of

if TYPE_CHECKING:
    from traceformat.gles.backend import Backend
    from traceformat.gltrace.reader import TraceReader

__all__ = ["CallItem", "Difference", "LineItem", "StateDifference", "compare", "compare_states"]

#: How far ahead agreement is looked for, and how many calls must agree.
WINDOW: Final = 256
RUN: Final = 4
#: Calls of the same function with other arguments: how many may have been put in between.
NEAR: Final = 4


class Item(Protocol):
    """Something that is aligned: ``key`` must agree, ``exact`` tells whether it is the same."""

    @property
    def key(self) -> str:
        """What calls are aligned by."""
        ...

    @property
    def exact(self) -> Any:
        """What is compared."""
        ...


T = TypeVar("T", bound=Item)


class CallItem(NamedTuple):
    """A call; ``exact`` leaves out its number and source, and its answers if they are not wanted."""

    key: str
    exact: Any
    call: Call

    @classmethod
    def of(cls, call: Call, *, answers: bool) -> CallItem:
        """Make an item of a call."""
        answered = (tuple(sorted(call.outputs.items(), key=lambda pair: pair[0])), call.result) if answers else ()
        return cls(call.name, (call.name, call.args, call.thread, call.context, answered), call)


class LineItem(NamedTuple):
    """A line of the canonical form."""

    key: str
    exact: str
    number: int

    @classmethod
    def of(cls, number: int, line: str) -> LineItem:
        """Make an item of a line, which begins with the thread and the function."""
        return cls(" ".join(line.partition("(")[0].split()[:2]), line, number)


@dataclass(frozen=True, slots=True)
class Difference(Generic[T]):
    """Calls that are not the same; one of them is None where the other trace has no such call."""

    first: T | None
    second: T | None

    def changed(self) -> list[str]:
        """Names of the arguments and answers that differ between two calls of one function."""
        a, b = self.first, self.second
        if not (isinstance(a, CallItem) and isinstance(b, CallItem)):
            return []
        names = parameters_of(a.call.name).names
        longest = max(len(a.call.args), len(b.call.args))
        found = [
            names[place] if place < len(names) else f"arg{place}"
            for place in range(longest)
            if a.call.args[place : place + 1] != b.call.args[place : place + 1]
        ]
        found += [what for what in ("thread", "context") if getattr(a.call, what) != getattr(b.call, what)]
        if a.exact[4] != b.exact[4]:
            found.append("answer")
        return found


class _Stream(Generic[T]):
    """Items with a look ahead."""

    def __init__(self, items: Iterable[T]) -> None:
        self._items = iter(items)
        self._ahead: deque[T] = deque()

    def peek(self, place: int) -> T | None:
        missing = place + 1 - len(self._ahead)
        if missing > 0:
            self._ahead.extend(islice(self._items, missing))
        return self._ahead[place] if place < len(self._ahead) else None

    def take(self) -> T | None:
        found = self.peek(0)
        if found is not None:
            self._ahead.popleft()
        return found


def compare(first: Iterable[T], second: Iterable[T]) -> Iterator[Difference[T]]:
    """Align two sequences and give what differs.

    Parameters
    ----------
    first, second : items of the traces, in order
    """
    a, b = _Stream(first), _Stream(second)
    while True:
        x, y = a.peek(0), b.peek(0)
        if x is None and y is None:
            return
        if x is not None and y is not None and x.exact == y.exact:
            a.take()
            b.take()
            continue
        skip_a, skip_b = _meeting(a, b)
        if x is not None and y is not None and x.key == y.key and not (skip_a or skip_b):
            yield Difference(a.take(), b.take())
            continue
        for _ in range(skip_a):
            yield Difference(a.take(), None)
        for _ in range(skip_b):
            yield Difference(None, b.take())


def _meeting(a: _Stream[T], b: _Stream[T]) -> tuple[int, int]:
    """How many items to skip on either side until both agree again; none where one call has other arguments."""
    x, y = a.peek(0), b.peek(0)
    if x is None or y is None:
        return int(x is not None), int(y is not None)
    if x.key == y.key:
        for distance in range(1, NEAR + 1):
            for skips in ((distance, 0), (0, distance)):
                if _agree(a, b, *skips, exact=True) and not _agree(a, b, 1, 1, exact=True, run=1):
                    return skips
        return 0, 0
    for total in range(1, WINDOW):
        for skip in range(total + 1):
            if _agree(a, b, skip, total - skip, exact=False):
                return skip, total - skip
    return 1, 1


def _agree(a: _Stream[T], b: _Stream[T], skip_a: int, skip_b: int, *, exact: bool, run: int = RUN) -> bool:
    for place in range(run):
        x, y = a.peek(skip_a + place), b.peek(skip_b + place)
        if x is None or y is None:
            # Both end together: that is agreement too.
            return x is None and y is None and place > 0
        if x.key != y.key or (exact and x.exact != y.exact):
            return False
    return True


class StateDifference(NamedTuple):
    """Piece of state that differs at the end of a frame; None where a trace does not have it."""

    frame: int
    where: str
    first: str | None
    second: str | None


def compare_states(
    first: TraceReader, second: TraceReader, backends: tuple[Backend, Backend]
) -> Iterator[StateDifference]:
    """Execute two traces and give what differs in GL state at the end of the first frame where anything does.

    Parameters
    ----------
    first, second : open traces
    backends : of the trackers

    Raises
    ------
    ReplayError, UnsupportedCallError : a trace cannot be executed
    """
    from traceformat.gles.tracker import Tracker
    from traceformat.tools.statedump import state_of

    trackers = [Tracker(backend, remap=True) for backend in backends]
    frames = zip(first.frames, second.frames, strict=False)
    for one, other in frames:
        for reader, tracker, frame in zip((first, second), trackers, (one, other), strict=True):
            for call in reader.calls(start=frame.first_call, stop=frame.end_call):
                try:
                    tracker.execute(call)
                except ToolError as error:
                    raise type(error)(f"{reader.path}: {error.message}", hint=error.hint) from None
        a, b = state_of(trackers[0]), state_of(trackers[1])
        if a != b:
            for where in sorted({*a, *b}):
                if a.get(where) != b.get(where):
                    yield StateDifference(one.number, where, a.get(where), b.get(where))
            return
