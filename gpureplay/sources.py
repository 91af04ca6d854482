"""Where frames come from: a command trace that is replayed, or a GPU trace from disk; identical from here on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gpumodel.columns import REQUIRED_COLUMNS
from traceformat.errors import ReplayError, UsageError
from traceformat.frame_numbers import check_frames, warn_of_frames
from traceformat.gputrace.frametrace import ColumnSet, FrameRole, FrameTrace

if TYPE_CHECKING:
    from gpureplay.trace_store import KeptFrames, TraceStore
    from replay.player import PlayedFrames

__all__ = ["Ahead", "Source", "open_source"]

#: Properties of a .gputrace that describe the command trace it was made from.
_NAME, _SHA256, _FRAMES = "trace_name", "trace_sha256", "trace_frames"
#: First and last of the frames that were asked for, where others are there for the history of these.
_ASKED: Final = "asked"
#: Every frame that a trace can have.
_ALL: Final = range(1 << 62)


class Ahead:
    """Frames that are executed before the first one that was asked for."""

    def __init__(self, played: PlayedFrames, first: int) -> None:
        self._played = played
        self.total = first

    @property
    def done(self) -> int:
        """Frames executed so far."""
        return min(self._played.executed, self.total)

    @property
    def what(self) -> str:
        """Empty once they are done."""
        return f"replaying what comes before frame {self.total}" if self.done < self.total else ""


@dataclass(slots=True)
class Source:
    """Frames of a trace.

    Parameters
    ----------
    name, sha256 : of the command trace, also where a GPU trace made from it is read
    num_frames : of the whole trace
    wanted : frames that will come, if they are known
    frames : the frames
    partial : frames that were asked for are left out, because the trace is damaged
    asked : the frames that were asked for; others that come are there for the history of these
    ahead : frames before those that were asked for, as far as they have to be executed too
    """

    name: str
    sha256: str
    num_frames: int
    wanted: int
    frames: Iterator[FrameTrace]
    partial: bool = False
    asked: range = _ALL
    ahead: Ahead | None = None

    def properties(self) -> dict[str, Any]:
        """What a .gputrace of these frames says about their origin."""
        about: dict[str, Any] = {_NAME: self.name, _SHA256: self.sha256, _FRAMES: self.num_frames}
        return about if self.asked == _ALL else about | {_ASKED: [self.asked.start, self.asked.stop - 1]}


@contextmanager
def open_source(
    path: str,
    frames: range | None,
    threads: int,
    columns: ColumnSet = REQUIRED_COLUMNS,
    modelled: range | None = None,
    tell_missing: Callable[[str, PlayedFrames], None] | None = None,
    store: TraceStore | None = None,
    parts: Sequence[range] | None = None,
) -> Iterator[Source]:
    """Open a .gltrace or .gputrace.

    Parameters
    ----------
    frames : frame numbers wanted; None = all
    threads : of the replay; results do not depend on it
    columns : of the frames
    modelled : frames around those wanted that come too, as far as there are any, with the role that says so
    tell_missing : called at the end with the path and a replay that had to leave something out
    store : gives frames that have been replayed before, and keeps those that are replayed now
    parts : of the frames that would come these, apart and ascending; all by default

    Raises
    ------
    UsageError : no such file or frames
    TraceFormatError, ReplayError : the trace is bad
    """
    from traceformat.gputrace.reader import is_gputrace

    opened = (
        _open_gpu_trace(path, frames, columns, modelled, parts)
        if is_gputrace(path)
        else _open_command_trace(path, frames, threads, columns, modelled, tell_missing, store, parts)
    )
    with opened as source:
        yield source


@contextmanager
def _open_command_trace(
    path: str,
    frames: range | None,
    threads: int,
    columns: ColumnSet,
    modelled: range | None,
    tell_missing: Callable[[str, PlayedFrames], None] | None,
    store: TraceStore | None,
    parts: Sequence[range] | None,
) -> Iterator[Source]:
    import replay
    from traceformat.gltrace.reader import open_trace

    with ExitStack() as stack:
        reader = stack.enter_context(open_trace(path))
        count = len(reader.frames)
        asked = _ALL if frames is None else frames
        if count:
            check_frames(path, asked, count)
        around = modelled or frames
        limits = None if around is None else (max(around.start, 0), min(around.stop, 1 << 31) - 1)
        first, last = limits or (0, count - 1)
        last = min(last, count - 1)
        shown = _within(range(first, last + 1), parts)
        source = Source(Path(path).name, reader.content_hash, count, sum(map(len, shown)), iter(()), asked=asked)
        wanted = [] if store is None or reader.damage else _kept(reader.content_hash, shown, columns)
        if store is not None and wanted:
            kept = stack.enter_context(store.reading(wanted))
            if kept is not None:
                source.frames = _with_roles(kept, asked)
                yield source
                return
        played = stack.enter_context(
            replay.frames(
                reader, columns=columns, frames=limits, threads=threads, parts=None if parts is None else shown
            )
        )
        source.partial, source.ahead = played.partial, Ahead(played, first)
        given: Iterable[FrameTrace] = played
        if store is not None and wanted and wanted[0].is_for_runs:
            given = store.keeping(wanted, played)
        source.frames = _with_roles(given, asked)
        yield source
        if tell_missing is not None and played.missing:
            tell_missing(path, played)


def _within(frames: range, parts: Sequence[range] | None) -> list[range]:
    """Parts of a range, as far as they lie in it."""
    if parts is None:
        return [frames]
    cut = (range(max(part.start, frames.start), min(part.stop, frames.stop)) for part in parts)
    return [part for part in cut if part]


def _kept(sha256: str, shown: Sequence[range], columns: ColumnSet) -> list[KeptFrames]:
    from gpureplay.trace_store import KeptFrames

    return [KeptFrames(sha256, part.start, part.stop - 1, columns) for part in shown]


@contextmanager
def _open_gpu_trace(
    path: str,
    frames: range | None,
    columns: ColumnSet,
    modelled: range | None,
    parts: Sequence[range] | None,
) -> Iterator[Source]:
    from traceformat.gputrace.reader import open_gputrace

    with open_gputrace(path, columns) as reader:
        lost = [loss.first_frame for loss in reader.damage if loss.first_frame is not None]
        whole = min([len(reader), *lost])
        properties = reader.properties
        asked = _stored_range(properties.get(_ASKED)) if frames is None else frames
        chosen = modelled or frames

        if frames is not None and not lost and (there := reader.numbers().values()):
            warn_of_frames(path, frames, range(min(there), max(there) + 1))

        def is_shown(number: int) -> bool:
            is_part = parts is None or any(number in part for part in parts)
            return is_part and (chosen is None or number in chosen)

        def read() -> Iterator[FrameTrace]:
            found = False
            for place in range(whole):
                frame = reader.frame(place)
                if is_shown(frame.frame):
                    found |= frame.frame in asked
                    yield frame
            if not found and lost:
                raise ReplayError(f"{path}: no frame before the damage: {reader.damage[0]}")
            if not found:
                raise UsageError(f"{path}: none of its {whole} frames was asked for")

        yield Source(
            str(properties.get(_NAME, Path(path).name)),
            str(properties.get(_SHA256, "")),
            int(properties.get(_FRAMES, len(reader))),
            whole if chosen is None else min(whole, len(chosen)),
            _with_roles(read(), asked),
            bool(lost),
            asked,
        )


def _stored_range(value: object) -> range:
    """Frames that a .gputrace says were asked for; all where it says nothing that makes sense."""
    if isinstance(value, list) and len(value) == 2 and all(isinstance(number, int) for number in value):
        return range(value[0], value[1] + 1)
    return _ALL


def _with_roles(frames: Iterable[FrameTrace], asked: range) -> Iterator[FrameTrace]:
    """Give frames their role: what was not asked for warms up, unless it sets up."""
    for frame in frames:
        if frame.role is not FrameRole.SET_UP:
            frame.role = FrameRole.MEASURED if frame.frame in asked else FrameRole.WARM_UP
        yield frame
