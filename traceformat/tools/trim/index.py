"""Making, keeping and finding the index of state of a trace (:mod:`traceformat.gltrace.stateindex`).

An index decides which calls are left out, so a wrong one gives wrong pictures, and whether one is right can only be
told by making it again. What a file holds is therefore used only where the user says so, and where no call is left out
but the pixels of some: then a lie costs those of its own trace. By default an index comes from the user's cache folder,
where those lie that were made here, by the true content of their trace.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from traceformat.errors import FindingError, TraceFormatError
from traceformat.framing.codecs import DEFAULT_LEVEL, compress
from traceformat.gles.backend import Backend
from traceformat.gles.tracker import Tracker
from traceformat.gltrace.stateindex import RULES, StateIndex, StatePoint, thin_out
from traceformat.kernels import cache_root
from traceformat.tools.trim.slicing import Slicer

if TYPE_CHECKING:
    from traceformat.calls import Call
    from traceformat.gltrace.reader import TraceReader

__all__ = ["MIN_CALLS", "NeededCalls", "build_index", "calls_to_follow", "find_index", "index_file"]

#: Traces of fewer calls have no index: they are followed from their beginning in a few seconds.
MIN_CALLS: Final = 1 << 17
#: Pixels of the window a call of which frames before a range are followed rather than executed: to follow costs about
#: 25 us a call, to execute 5 us a call and 20 to 65 ns a pixel of the window (docs/PERFORMANCE.md).
MIN_PIXELS: Final = 512
#: Calls after which that is decided: the windows are known by then.
FEW_CALLS: Final = 256
#: Calls between two points; the lists are made once more half as often while they take too much room.
POINT_CALLS: Final = 1 << 15
#: Of points that list more calls together every other one goes, and from then on half as many are made.
MAX_LISTED: Final = 1 << 24
#: Calls that one point lists; where there are more an index saves little, and ends.
MAX_NEEDED: Final = 1 << 19
#: Largest share of a file that its index takes.
MAX_SHARE: Final = 0.05
#: Indices that are kept in the cache folder.
KEPT_INDICES: Final = 256
#: What a chunk costs beside its payload, and its entry in the index of chunks.
_FRAMING_BYTES: Final = 256
_PROGRESS_CALLS: Final = 1 << 14


def build_index(
    reader: TraceReader, backend: Backend, progress: Callable[[int, int], None] | None = None
) -> StateIndex | None:
    """Follow a trace from its beginning to its end and make its index.

    Parameters
    ----------
    reader : a whole trace
    backend : of the tracker that follows the calls; one that reflects programs
    progress : told the calls followed so far and all calls, now and then

    Returns
    -------
    the index, not larger than MAX_SHARE of the file; None where there is none so small, or no point
    """
    slicer = Slicer(Tracker(backend, remap=True))
    points: list[StatePoint] = []
    num_listed, distance = 0, POINT_CALLS
    # Behind a call of which nothing is known no frame can be trimmed; those before it can.
    with contextlib.suppress(FindingError):
        for call in reader.calls():
            if call.number and call.number % POINT_CALLS == 0:
                needed = slicer.fold()
                if len(needed) > MAX_NEEDED:
                    break
                if call.number % distance == 0:
                    points.append(StatePoint(call.number, np.array(needed, np.int64)))
                    num_listed += len(needed)
                if num_listed > MAX_LISTED:
                    points, distance = points[1::2], 2 * distance
                    num_listed = sum(len(point.needed) for point in points)
            if progress is not None and call.number % _PROGRESS_CALLS == 0:
                progress(call.number, reader.num_calls)
            slicer.follow(call, is_kept=False)
    index: StateIndex | None = StateIndex(reader.compute_hash(), tuple(points)) if points else None
    while (
        index is not None
        and len(compress(index.pack(), DEFAULT_LEVEL)[1]) > MAX_SHARE * reader.num_bytes - _FRAMING_BYTES
    ):
        index = thin_out(index)
    return index


def find_index(
    reader: TraceReader,
    backend: Backend,
    *,
    trust_file: bool = False,
    make: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> StateIndex | None:
    """Give the index of a trace: from the cache folder, else made now and kept there.

    Parameters
    ----------
    reader : open trace
    backend, progress : see :func:`build_index`
    trust_file : take the index that the file holds, if it does, as it is

    make : make one where there is none yet

    Returns
    -------
    None for damaged and short traces, without ``make``, and where :func:`build_index` gives none

    Raises
    ------
    TraceFormatError : ``trust_file``, and what the file holds is of another trace or contradicts itself
    """
    if reader.damage or reader.num_calls < MIN_CALLS:
        return None
    if trust_file:
        index = reader.state_index()
        if index is not None:
            return index
    content = reader.compute_hash()
    path = _cached_path(content)
    index = _load(path, content, reader.num_calls)
    if index is None and make:
        index = build_index(reader, backend, progress)
        if index is not None:
            _store(path, index)
    return index


def index_file(
    path: str | os.PathLike[str],
    backend: Backend,
    output: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> bool:
    """Write the index of a trace into its file; short traces stay as they are.

    Parameters
    ----------
    path : of a whole trace
    backend, progress : see :func:`build_index`
    output : file to write; None = the trace itself, once it is whole

    Returns
    -------
    whether the file has an index now
    """
    from traceformat.gltrace.reader import open_trace
    from traceformat.gltrace.statewriting import write_with_state

    with open_trace(path) as reader:
        index = find_index(reader, backend, progress=progress)
    if index is None:
        return False
    write_with_state(path, index, output if output is not None else path)
    return True


def calls_to_follow(
    reader: TraceReader,
    first: int,
    stop: int,
    backend: Backend,
    *,
    trust_file: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Call]:
    """Iterate over the calls before ``stop`` that must be followed to know what those from ``first`` on need.

    These are all calls, or, of a long trace, those that the last point before ``first`` lists and all behind it.
    """
    index = None
    if first >= MIN_CALLS:
        index = find_index(reader, backend, trust_file=trust_file, progress=progress)
    return reader.calls_from(index.before(first) if index is not None else None, stop)


class NeededCalls:
    """Tells what must be executed before frames, one after another: what has been followed is not followed again.

    Parameters
    ----------
    reader : a whole trace
    backend : see :func:`build_index`
    trust_file : take the index that the file holds, too, where there is none that was made here
    """

    def __init__(self, reader: TraceReader, backend: Backend, *, trust_file: bool = False) -> None:
        self._reader = reader
        self._backend = backend
        self._trust_file = trust_file
        self._tracker = Tracker(backend, remap=True)
        self._slicer = Slicer(self._tracker)
        #: Calls before this one are followed.
        self._next = 0

    def before(self, frame: int) -> list[int] | None:
        """Tell what must be executed before a frame; frames come in ascending order.

        Returns
        -------
        None where there is no index of a long trace, or no point of it before the frame: executing everything is as
        fast as making one. Short traces have none and are followed from their beginning, if their frames have many
        pixels a call: to execute small ones costs less than to follow them. Else numbers of calls, ascending: executing
        these alone, in this order, and then everything from the first call of the frame on gives every later call the
        state, the contents and the errors that it had in the whole trace. A draw, clear or copy that is not among them
        draws nothing that is read later: it may be executed without its pixels. Names are those of the trace; what
        counts objects in order of their making (serial numbers, addresses, object ids of FrameTraces) differs where
        calls are left out, and does not where they run without pixels

        Raises
        ------
        FindingError : the trace holds a call that nothing is known of
        """
        first = self._reader.frames[frame].first_call
        point = self._index.before(first) if first >= MIN_CALLS and self._index is not None else None
        if point is None and first >= MIN_CALLS:
            return None
        if point is not None and len(point.needed) < point.call - self._next:
            # Fewer calls than to go on from where it is.
            self._tracker = Tracker(self._backend, remap=True)
            self._slicer = Slicer(self._tracker)
            self._follow(self._reader.selected(point.needed))
            self._next = point.call
        elif self._next <= FEW_CALLS < first:
            self._follow(self._reader.calls(start=self._next, stop=FEW_CALLS))
            self._next = FEW_CALLS
        if point is None and first > FEW_CALLS:
            pixels = max((each.width * each.height for each in self._tracker.drawables.values()), default=0)
            if pixels * frame < MIN_PIXELS * first:
                return None
        self._follow(self._reader.calls(start=self._next, stop=first))
        self._next = first
        return self._slicer.fold()

    def _follow(self, calls: Iterable[Call]) -> None:
        for call in calls:
            self._slicer.follow(call, is_kept=False)

    @cached_property
    def _index(self) -> StateIndex | None:
        """The trace's, where it lies ready."""
        found = find_index(self._reader, self._backend, make=False)
        if found is None and self._trust_file and not self._reader.damage:
            with contextlib.suppress(TraceFormatError):  # an index of another trace: as if there were none
                found = self._reader.state_index()
        return found


def _cached_path(content: str) -> Path:
    return cache_root() / "state" / f"{content}-{RULES}.index"


def _load(path: Path, content: str, num_calls: int) -> StateIndex | None:
    """Index in the cache, None where there is none that is whole."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    payload = data[16:]
    if blake2b(payload, digest_size=16).digest() != data[:16]:
        return None
    try:
        index = StateIndex.unpack(payload, num_calls)
    except TraceFormatError:
        return None
    return index if index is not None and index.content_sha256 == content else None


def _store(path: Path, index: StateIndex) -> None:
    """Keep an index in the cache; without a word where that cannot be written."""
    payload = index.pack()
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(blake2b(payload, digest_size=16).digest() + payload)
        Path(name).replace(path)
        kept = sorted(path.parent.glob("*.index"), key=lambda each: each.stat().st_mtime)
        for old in kept[:-KEPT_INDICES]:
            old.unlink(missing_ok=True)
