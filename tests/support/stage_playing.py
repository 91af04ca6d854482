"""Recorded scenes of the stages between vertices and fragments, played by the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

import numpy as np
import pytest
from gl_twin import NoDriver, Recording, compare

from replay.engine.engine import Engine
from traceformat.calls import Call
from traceformat.gles.tracker import Tracker
from traceformat.gputrace.frametrace import (
    ALL_COLUMNS,
    MODEL_COLUMNS,
    VERIFY_COLUMNS,
    ColumnSet,
    FrameRule,
    FrameTrace,
)

__all__ = ["check_both_executors", "check_mesas_picture", "endless", "frame_of", "frames_of", "play", "recorded"]

_COLUMNS: Final = ColumnSet(ALL_COLUMNS - {"quads.identity", "quads.identity_excluded"})


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


def recorded(record: Callable[[str, bool], Recording], name: str, is_es: bool) -> list[Call]:
    """Calls of a scene on Mesa."""
    try:
        return record(name, is_es).calls
    except NoDriver as missing:
        pytest.skip(str(missing))


def check_mesas_picture(calls: list[Call]) -> None:
    """The picture that is read back is more than one colour, and the engine's is the same."""
    picture = next(call for call in calls if call.name == "glReadPixels").outputs["pixels"]
    assert isinstance(picture, bytes)
    assert len(np.unique(np.frombuffer(picture, np.uint32))) > 1
    assert compare(calls) == []


def frame_of(calls: Iterable[Call], executor: str) -> FrameTrace:
    """One frame of calls without errors, with all columns."""
    engine = Engine(_COLUMNS, executor=executor)
    tracker = Tracker(engine, remap=True)
    for call in calls:
        tracker.execute(call)
        assert tracker.failure is None, f"{call.name}: {tracker.failure}"
    return engine.end_frame(0, FrameRule.READ_PIXELS)


def check_both_executors(calls: list[Call]) -> None:
    """Both executors record the same."""
    ours, theirs = (frame_of(calls, executor) for executor in ("llvm", "numpy"))
    for table in ours.tables:
        for key, column in ours[table].items():
            assert column.tobytes() == theirs[table][key].tobytes(), f"{table}.{key}"


def frames_of(record: Callable[[str, bool], Recording], name: str, count: int = 2) -> list[FrameTrace]:
    """Frames of a scene in GLES, the same so many times, with the columns of verified runs."""
    calls = recorded(record, name, True)
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
