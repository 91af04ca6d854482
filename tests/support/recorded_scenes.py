"""Scenes that Mesa has drawn and read back, through the engine: what tests of newer draws have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
from gl_twin import NoDriver, Recording

from replay.engine.engine import Engine
from traceformat.gles.tracker import Tracker
from traceformat.gputrace.frametrace import ALL_COLUMNS, ColumnSet, FrameRule, FrameTrace

__all__ = ["COLUMNS", "agree", "frame_of", "record_scene", "recorded_or_skipped"]

#: What both executors know of a frame.
COLUMNS: Final = ColumnSet(ALL_COLUMNS - {"quads.identity", "quads.identity_excluded"})


def record_scene(
    scene: Callable[[Recording], None], desktop: tuple[int, int] | None = None, version: tuple[int, int] = (3, 2)
) -> Recording:
    """Draw a scene on Mesa and read it back.

    Parameters
    ----------
    desktop : version of a desktop core context; None for ES
    version : of ES

    Raises
    ------
    NoDriver : there is no Mesa with such a context
    """
    recording = Recording(1, desktop) if desktop else Recording(version=version)
    if desktop:
        recording("glBindVertexArray", recording.generate("VertexArrays"))
    scene(recording)
    recording.read()
    recording.close()
    return recording


def recorded_or_skipped(record: Callable[..., Recording], *arguments: Any) -> Recording:
    """Record; the test is skipped where there is no driver."""
    try:
        return record(*arguments)
    except NoDriver as missing:
        pytest.skip(str(missing))


def frame_of(recording: Recording, columns: ColumnSet = COLUMNS, executor: str = "llvm") -> FrameTrace:
    """The engine's frame of a recording's calls, each of which has to succeed."""
    engine = Engine(columns, executor=executor)
    tracker = Tracker(engine, remap=True)
    for call in recording.calls:
        tracker.execute(call)
        assert tracker.failure is None, f"{call.name}: {tracker.failure}"
    return engine.end_frame(0, FrameRule.READ_PIXELS)


def agree(recording: Recording) -> None:
    """Both executors record the same."""
    ours, theirs = (frame_of(recording, executor=executor) for executor in ("llvm", "numpy"))
    for table in ours.tables:
        for key, column in ours[table].items():
            assert column.tobytes() == theirs[table][key].tobytes(), f"{table}.{key}"
