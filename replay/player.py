"""Playing a trace: from a ``.gltrace`` to pictures and FrameTraces, frame by frame."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from traceformat.errors import ReplayError, UsageError
from traceformat.frametrace import MODEL_COLUMNS, ColumnSet, FrameTrace
from traceformat.guards import VARIABLE, guards

if TYPE_CHECKING:
    from replay.engine.engine import Engine
    from traceformat.reader import TraceReader

__all__ = ["PlayedFrames", "frames", "pictures"]


@dataclass(slots=True)
class _Range:
    first: int
    last: int


def _range(frames: tuple[int, int] | None, count: int) -> _Range:
    first, last = frames if frames is not None else (0, count - 1)
    if first < 0 or last < first:
        raise UsageError(f"frames {first}-{last} are no range")
    if first >= count:
        raise UsageError(f"the trace has {count} frames; there is no frame {first}")
    return _Range(first, min(last, count - 1))


class PlayedFrames(Iterator[FrameTrace]):
    """Frames of a trace, in order; see :func:`frames`.

    Attributes
    ----------
    reader : the trace
    partial : the trace is damaged, and frames that were asked for were left out
    """

    def __init__(
        self,
        trace: str | os.PathLike[str] | TraceReader,
        columns: ColumnSet,
        frames: tuple[int, int] | None,
        threads: int,
        executor: str = "llvm",
    ) -> None:
        from traceformat.reader import TraceReader, open_trace

        self._owns_reader = not isinstance(trace, TraceReader)
        self.reader = trace if isinstance(trace, TraceReader) else open_trace(trace)
        self._threads = threads
        self._executor = executor
        self._columns = columns
        self._wanted = _range(frames, max(len(self.reader.frames), 1))
        damage = [d.first_frame for d in self.reader.damage if d.first_frame is not None]
        self._stop_frame = min(damage) if damage else None
        # Of a trace whose end is unknown, "all frames" are more than those that are there.
        self.partial = self._stop_frame is not None and (frames is None or self._stop_frame <= self._wanted.last)
        if self._stop_frame is not None and self._stop_frame <= self._wanted.first:
            raise ReplayError(
                f"frame {self._wanted.first} cannot be replayed: {self.reader.damage[0]}",
                hint=f"frames before {self._stop_frame} can be" if self._stop_frame else "",
            )
        self._steps = self._play()

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
        from traceformat.gles.limits import DESKTOP_LIMITS, GLES_LIMITS, guarded
        from traceformat.gles.tracker import Tracker

        last = self._wanted.last
        if self._stop_frame is not None:
            last = min(last, self._stop_frame - 1)
        memory = guards().memory
        engine = self._make_engine(memory + memory // 2)
        tracker = Tracker(engine, gles_limits=guarded(GLES_LIMITS), desktop_limits=guarded(DESKTOP_LIMITS), remap=True)
        number = -1
        try:
            boundaries = [(f.end_call, f.number, f.rule) for f in self.reader.frames if f.number <= last]
            if not boundaries:
                return
            calls = iter(self.reader.calls(stop=boundaries[-1][0]))
            for end, number, rule in boundaries:
                for call in calls:
                    tracker.execute(call)
                    if call.number + 1 >= end:
                        break
                frame = engine.end_frame(number, rule)
                if number >= self._wanted.first:
                    yield frame
                    del frame
        except MemoryError as error:
            raise ReplayError(
                f"frame {number}: this machine has too little memory", hint=f"{VARIABLE} lowers what a trace may use"
            ) from error
        finally:
            engine.close()
            if self._owns_reader:
                self.reader.close()


def frames(
    trace: str | os.PathLike[str] | TraceReader,
    *,
    columns: ColumnSet = MODEL_COLUMNS,
    frames: tuple[int, int] | None = None,
    threads: int = 1,
    executor: str = "llvm",
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
    executor : "llvm", or "numpy" for the slow reference with the same results

    Raises
    ------
    ReplayError : the trace cannot be replayed, or is damaged before the first frame asked for
    UsageError : no such frames
    """
    return PlayedFrames(trace, columns, frames, threads, executor)


def pictures(
    trace: str | os.PathLike[str] | TraceReader,
    *,
    frames: tuple[int, int] | None = None,
    threads: int = 1,
) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Replay a trace and yield (frame, picture): (height, width, 4) uint8 RGBA, row 0 at the bottom.

    Frames without any picture (nothing was ever drawn) are left out.
    """
    with PlayedFrames(trace, ColumnSet(()), frames, threads) as played:
        for frame in played:
            if frame.picture is not None:
                yield frame.frame, frame.picture
