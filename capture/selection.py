"""Which of a program's calls are wanted: a range of frames, and what the program itself says by ``capture.start()``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from capture.ranges import CallRange, frame_range
from traceformat.errors import FindingError

if TYPE_CHECKING:
    from capture.recorder import Recorder
    from capture.sink import TraceFile

__all__ = ["Selection"]

#: The end of a part that lasts as long as the program.
_OPEN = 1 << 62


class Selection:
    """What a program says through :mod:`capture.control`, and the parts of the trace that come of it.

    Parameters
    ----------
    trace : where calls are written
    recorder : notes markers
    frames : first and last frame that are wanted; None for the last means all that follow
    is_paused : nothing is wanted before the program says so
    """

    def __init__(
        self, trace: TraceFile, recorder: Recorder, frames: tuple[int, int | None], *, is_paused: bool
    ) -> None:
        self._trace = trace
        self._recorder = recorder
        self._frames = frames
        self._parts: list[CallRange] = [] if is_paused else [CallRange(0, _OPEN)]

    def start(self) -> None:
        """Record from here on."""
        self._recorder.settle()
        if not self._parts or self._parts[-1].stop != _OPEN:
            self._parts.append(CallRange(self._trace.num_calls, _OPEN))

    def stop(self) -> None:
        """Leave out what follows."""
        self._recorder.settle()
        if self._parts and self._parts[-1].stop == _OPEN:
            self._parts[-1] = CallRange(self._parts[-1].start, self._trace.num_calls)

    def frame(self, label: str) -> None:
        """End a frame."""
        self._recorder.command("traceFrame", label)

    def marker(self, label: str) -> None:
        """Note an event."""
        self._recorder.say("glInsertEventMarkerEXT", 0, label)

    def push(self, label: str) -> None:
        """Begin a group."""
        self._recorder.say("glPushGroupMarkerEXT", 0, label)

    def pop(self) -> None:
        """End a group."""
        self._recorder.say("glPopGroupMarkerEXT")

    def restart_in_child(self) -> None:
        """A forked child's trace is wanted whole."""
        self._parts = [CallRange(0, _OPEN)]
        self._frames = (0, None)

    def parts(self, path: Path) -> list[CallRange] | None:
        """Parts of the finished trace that are wanted; None if that is all of it.

        Raises
        ------
        FindingError : there is nothing that was wanted
        """
        first, last = self._frames
        if not self._parts:
            raise FindingError("nothing was recorded", hint="with --paused the program has to call capture.start()")
        parts = self._parts
        if first:
            wanted = frame_range(path, first, _OPEN if last is None else last)
            parts = [CallRange(max(part.start, wanted.start), min(part.stop, wanted.stop)) for part in parts]
            parts = [part for part in parts if part.start < part.stop]
            if not parts:
                raise FindingError(f"the program recorded nothing of the frames from {first} on")
        return None if parts == [CallRange(0, _OPEN)] else parts
