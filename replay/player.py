"""Playing a trace: from a ``.gltrace`` to pictures and FrameTraces, frame by frame."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from traceformat.errors import FindingError, ReplayError, UsageError
from traceformat.frame_numbers import check_frame
from traceformat.gles.roles import is_draw
from traceformat.gputrace.frametrace import MODEL_COLUMNS, ColumnSet, FrameRole, FrameRule, FrameTrace
from traceformat.guards import VARIABLE, Budget, guards

if TYPE_CHECKING:
    from replay.engine.engine import Engine
    from traceformat.calls import Call
    from traceformat.gles.tracker import Tracker
    from traceformat.gltrace.reader import TraceReader
    from traceformat.tools.callset import CallSet
    from traceformat.tools.trim.index import NeededCalls

__all__ = ["CallPlace", "PlayedFrames", "attachments", "attachments_behind", "frames", "pictures"]

#: Calls between two looks at time and memory.
_CALLS_OF_A_CHECK: Final = 64


@dataclass(slots=True)
class _Range:
    first: int
    last: int


def _range(frames: tuple[int, int] | None, count: int) -> _Range:
    first, last = frames if frames is not None else (0, count - 1)
    if first < 0 or last < first:
        raise UsageError(f"frames {first}-{last} are no range")
    check_frame(first, count)
    return _Range(first, min(last, count - 1))


class PlayedFrames(Iterator[FrameTrace]):
    """Frames of a trace, in order; see :func:`frames`.

    Attributes
    ----------
    reader : the trace
    partial : the trace is damaged, and frames that were asked for were left out
    executed : frames executed so far, those before the range among them
    """

    def __init__(
        self,
        trace: str | os.PathLike[str] | TraceReader,
        columns: ColumnSet,
        frames: tuple[int, int] | None,
        threads: int,
        executor: str = "llvm",
        watch: Callable[[Engine, Tracker, Call, bool], None] | None = None,
        *,
        only_pictures: bool = False,
        parts: Sequence[range] | None = None,
    ) -> None:
        from traceformat.gltrace.reader import TraceReader, open_trace

        self._owns_reader = not isinstance(trace, TraceReader)
        self.reader = trace if isinstance(trace, TraceReader) else open_trace(trace)
        self._threads = threads
        self._executor = executor
        self._columns = columns
        self._watch = watch
        #: Of the frames before the range only what its pictures depend on is executed: rows, ids and addresses differ.
        self._only_pictures = only_pictures
        self._wanted = _range(frames, max(len(self.reader.frames), 1))
        self._parts = parts
        #: What frames depend on, with and without what the file says of it.
        self._needs: dict[bool, NeededCalls] = {}
        damage = [damaged.first_frame for damaged in self.reader.damage if damaged.first_frame is not None]
        self._stop_frame = min(damage) if damage else None
        # Of a trace whose end is unknown, "all frames" are more than those that are there.
        self.partial = self._stop_frame is not None and (frames is None or self._stop_frame <= self._wanted.last)
        if self._stop_frame is not None and self._stop_frame <= self._wanted.first:
            raise ReplayError(
                f"frame {self._wanted.first} cannot be replayed: {self.reader.damage[0]}",
                hint=f"frames before {self._stop_frame} can be" if self._stop_frame else "",
            )
        #: What limits refused, and programs that cannot be used.
        self._refused: dict[str, str] = {}
        self._unusable: dict[int, str] = {}
        self.executed = 0
        self._steps = self._play()

    @property
    def missing(self) -> list[str]:
        """What the frames so far lack, a line each: what a limit refused, programs that this engine cannot use."""
        refused = [f"{reason}; what needs it is missing" for reason in self._refused.values()]
        return refused + [f"{reason}; what it draws is missing" for reason in self._unusable.values()]

    def __next__(self) -> FrameTrace:
        return next(self._steps)

    def close(self) -> None:
        """Stop playing and release everything."""
        self._steps.close()

    def __enter__(self) -> PlayedFrames:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _make_engine(self, max_image_bytes: int) -> Engine:
        from replay.engine.engine import Engine

        return Engine(self._columns, threads=self._threads, executor=self._executor, max_image_bytes=max_image_bytes)

    def _play(self) -> Generator[FrameTrace, None, None]:
        from traceformat.gles.limits import DESKTOP_LIMITS, GLES_LIMITS, guarded, recorded
        from traceformat.gles.tracker import Tracker

        last = self._wanted.last
        if self._stop_frame is not None:
            last = min(last, self._stop_frame - 1)
        memory = guards().memory
        engine = self._make_engine(memory + memory // 2)
        gles, desktop = guarded(recorded(GLES_LIMITS)), guarded(recorded(DESKTOP_LIMITS))
        tracker = Tracker(engine, gles_limits=gles, desktop_limits=desktop, remap=True)
        self._refused, self._unusable = tracker.refused, tracker.unusable
        number, is_whole = -1, False
        try:
            boundaries = [
                (frame.end_call, frame.number, frame.rule) for frame in self.reader.frames if frame.number <= last
            ]
            while boundaries and not self._is_shown(boundaries[-1][1]):
                boundaries.pop()
            if not boundaries:
                return
            skipped = self._skip(engine, tracker)
            start = boundaries[skipped - 1][0] if skipped else 0
            play = self._player(engine, tracker, start, boundaries[-1][0])
            behind = boundaries[skipped:]
            for is_shown, part in groupby(behind, lambda boundary: self._is_shown(boundary[1])):
                if not is_shown:
                    self._play_ahead(engine, play, list(part))
                    continue
                for end, number, rule in part:
                    play(end)
                    frame = engine.end_frame(number, rule)
                    if number < self.reader.set_up_frames:
                        frame.role = FrameRole.SET_UP
                    self.executed += 1
                    # Whoever takes the frame has it alone, and its memory comes back when they let go of it.
                    done = [frame]
                    del frame
                    is_whole = True
                    yield done.pop()
                    is_whole = False
            is_whole = True
        except ReplayError as error:
            # What a call needs may be what a limit has refused before.
            error.hint = error.hint or next(iter(self._refused.values()), "")
            raise
        except MemoryError as error:
            raise ReplayError(
                f"frame {number}: this machine has too little memory", hint=f"{VARIABLE} lowers what a trace may use"
            ) from error
        finally:
            engine.close(is_whole=is_whole)
            if self._owns_reader:
                self.reader.close()

    def _is_shown(self, frame: int) -> bool:
        """Whether somebody asked for a frame; others are executed for what they leave to later ones."""
        return frame >= self._wanted.first and (self._parts is None or any(frame in part for part in self._parts))

    def _play_ahead(
        self, engine: Engine, play: Callable[[int], None], boundaries: Sequence[tuple[int, int, FrameRule]]
    ) -> None:
        """Execute all calls of frames before one that was asked for, with the pixels that later ones look at."""
        engine.begin_ahead(self._needed_before(boundaries[-1][1] + 1, trust_file=True))
        for end, _, _ in boundaries:
            play(end)
            engine.end_frame_ahead()
            self.executed += 1
        engine.end_ahead()

    def _player(self, engine: Engine, tracker: Tracker, start: int, stop: int) -> Callable[[int], None]:
        """What executes the calls from ``start`` on, up to the end that it is given."""
        from replay.engine.interpreter import FEW_COLLECTIONS
        from traceformat.gles.playing import TracePlayer

        budget = Budget()

        def check(number: int) -> None:
            budget.check(f"call {number}")

        if self._watch is None:
            player = TracePlayer(tracker, self.reader, start, stop)

            def play_rows(end: int) -> None:
                with FEW_COLLECTIONS:
                    player.play(end, _CALLS_OF_A_CHECK, check)

            return play_rows
        calls, watch = self.reader.calls(start=start, stop=stop), self._watch

        def play(end: int) -> None:
            for call in calls:
                if not call.number % _CALLS_OF_A_CHECK:
                    check(call.number)
                tracker.execute(call)
                watch(engine, tracker, call, call.number + 1 >= end)
                if call.number + 1 >= end:
                    break

        return play

    def _skip(self, engine: Engine, tracker: Tracker) -> int:
        """Execute what the range depends on, where that is known; gives the number of frames that are done."""
        first = self._wanted.first
        needed = self._needed_before(first, trust_file=False) if self._only_pictures and first else None
        if needed is None:
            return 0
        ends = [frame.end_call for frame in self.reader.frames[:first]]
        for call in self.reader.selected(np.array(sorted(needed), np.int64)):
            while call.number >= ends[self.executed]:
                self.executed += 1
            tracker.execute(call)
        self.executed = first - 1
        engine.end_frame(self.executed, self.reader.frame_rule)
        self.executed = first
        return first

    def _needed_before(self, frame: int, *, trust_file: bool) -> frozenset[int] | None:
        """Calls before a frame that it and later ones depend on; None where that is not known."""
        from replay.reflect import ReflectingBackend
        from traceformat.tools.trim.index import NeededCalls

        if trust_file not in self._needs:
            self._needs[trust_file] = NeededCalls(self.reader, ReflectingBackend(), trust_file=trust_file)
        try:
            needed = self._needs[trust_file].before(frame)
        except FindingError:
            return None
        return None if needed is None else frozenset(needed)


def frames(
    trace: str | os.PathLike[str] | TraceReader,
    *,
    columns: ColumnSet = MODEL_COLUMNS,
    frames: tuple[int, int] | None = None,
    threads: int = 1,
    executor: str = "llvm",
    only_pictures: bool = False,
    parts: Sequence[range] | None = None,
) -> PlayedFrames:
    """Replay a trace and yield its frames.

    Frames before the range are executed too: state and contents of the ones asked for depend on them. A frame's
    columns stay valid as long as the frame is held; its memory is used again afterwards.

    Parameters
    ----------
    trace : path of a ``.gltrace``, or an open reader (which stays open)
    columns : columns to produce
    frames : first and last frame, both included; None = all
    threads : 1 or 2; results do not depend on it
    only_pictures : nothing but the frames' pictures is looked at: of a long trace that has an index of state only those
        calls before the range are executed that its pictures depend on
    executor : "llvm", or "numpy" for the slow reference with the same results
    parts : of these frames only those are given; what lies between is executed as what lies before the first is

    Raises
    ------
    ReplayError : the trace cannot be replayed, or is damaged before the first frame asked for
    UsageError : no such frames
    """
    return PlayedFrames(trace, columns, frames, threads, executor, only_pictures=only_pictures, parts=parts)


def pictures(
    trace: str | os.PathLike[str] | TraceReader,
    *,
    frames: tuple[int, int] | None = None,
    threads: int = 1,
) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Replay a trace and yield (frame, picture): (height, width, 4) uint8 RGBA, row 0 at the bottom, read-only.

    Frames without any picture (nothing was ever drawn) are left out.
    """
    with PlayedFrames(trace, ColumnSet(()), frames, threads, only_pictures=True) as played:
        for frame in played:
            if frame.picture is not None:
                yield frame.frame, frame.picture


class CallPlace(NamedTuple):
    """Where a call stands: its frame, its number, and how many draw calls of its frame come before it if it draws."""

    frame: int
    call: int
    draw: int | None


def attachments(
    trace: str | os.PathLike[str] | TraceReader,
    name: str,
    *,
    frames: tuple[int, int] | None = None,
    threads: int = 1,
) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Replay a trace and yield what an attachment holds at the end of frames.

    Parameters
    ----------
    trace : path of a ``.gltrace``, or an open reader (which stays open)
    name : ``color0`` to ``color7``, ``depth`` or ``stencil`` of the framebuffer that a frame's picture shows. ``read``:
        as much as that is large of what glReadPixels would read there, which is another picture where another
        framebuffer is bound for reading
    frames : first and last frame, both included; None = all

    Yields
    ------
    (number of the frame, (height, width, 4) uint8 RGBA, row 0 at the bottom); nothing where there is no such
    attachment
    """
    for place, picture in _attachments(trace, name, None, frames, threads):
        yield place.frame, picture


def attachments_behind(
    trace: str | os.PathLike[str] | TraceReader,
    name: str,
    calls: CallSet,
    *,
    frames: tuple[int, int] | None = None,
    threads: int = 1,
) -> Iterator[tuple[CallPlace, NDArray[np.uint8]]]:
    """Replay a trace and yield what an attachment of the draw framebuffer holds behind calls.

    Parameters
    ----------
    trace, name, threads : as of :func:`attachments`; the framebuffer is the one that is bound behind a call
    calls : calls to look behind
    frames : of these calls those of the frames from the first to the last, both included; None = all
    """
    return _attachments(trace, name, calls, frames, threads)


def _attachments(
    trace: str | os.PathLike[str] | TraceReader,
    name: str,
    calls: CallSet | None,
    frames: tuple[int, int] | None,
    threads: int,
) -> Iterator[tuple[CallPlace, NDArray[np.uint8]]]:
    from replay.engine.pictures import READ, attachment_picture
    from replay.engine.targets import resolve_targets

    found: list[tuple[CallPlace, NDArray[np.uint8]]] = []
    first = frames[0] if frames is not None else 0
    frame = draws = 0

    def watch(engine: Engine, tracker: Tracker, call: Call, ends_frame: bool) -> None:
        nonlocal frame, draws
        draws_now = is_draw(call.name)
        place = CallPlace(frame, call.number, draws if draws_now else None)
        draws, frame = (0, frame + 1) if ends_frame else (draws + draws_now, frame)
        wanted = ends_frame if calls is None else calls.has(call.number, call.name, ends_frame)
        if place.frame < first or not wanted:
            return
        engine.finish_draws()
        context = tracker.current.get(call.thread)
        targets = engine.frame_targets
        if calls is not None:
            targets = resolve_targets(context.draw_framebuffer, context.name) if context is not None else None
        if name == READ:
            picture = None if context is None or targets is None else engine.read_picture(context, targets)
        else:
            picture = attachment_picture(targets, name)
        if picture is not None:
            found.append((place, picture.copy()))

    with PlayedFrames(trace, ColumnSet(()), frames, threads, watch=watch) as played:
        for _ in played:
            yield from found
            found.clear()
