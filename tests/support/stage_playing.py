"""Recorded scenes of the stages between vertices and fragments, played by the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from gl_twin import Recording
from recorded_scenes import recorded_or_skipped

from replay.engine.engine import Engine
from traceformat.calls import Call
from traceformat.gles.tracker import Tracker
from traceformat.gputrace.frametrace import MODEL_COLUMNS, VERIFY_COLUMNS, ColumnSet, FrameRule, FrameTrace

__all__ = ["endless", "frames_of", "play"]


def play(calls: Iterable[Call]) -> None:
    """Execute calls."""
    tracker = Tracker(Engine(ColumnSet(())), remap=True)
    for call in calls:
        tracker.execute(call)


def endless(calls: Iterable[Call], shader: str, condition: str, holds: str) -> list[Call]:
    """The calls with a loop that never ends, in the shader that has a word in its text; ``holds`` is always true."""
    found = []
    for call in calls:
        if call.name == "glShaderSource" and shader in str(call.args[2]):
            (text,) = call.args[2]
            text = text.replace(condition, f"{condition} || {holds}")
            call = replace(call, args=(*call.args[:2], (text,), None))
        found.append(call)
    return found


def frames_of(record: Callable[[str, bool], Recording], name: str, count: int = 2) -> list[FrameTrace]:
    """Frames of a scene in GLES, the same so many times, with the columns of verified runs."""
    calls = recorded_or_skipped(record, name, True).calls
    engine = Engine(ColumnSet(MODEL_COLUMNS | VERIFY_COLUMNS))
    tracker = Tracker(engine, remap=True)
    for call in calls:
        tracker.execute(call)
    frames = [engine.end_frame(0, FrameRule.READ_PIXELS)]
    draws = [call for call in calls if call.name in ("glClear", "glDrawArrays", "glDrawElements")]
    for number in range(1, count):
        for call in draws:
            tracker.execute(call)
        frames.append(engine.end_frame(number, FrameRule.READ_PIXELS))
    return frames
