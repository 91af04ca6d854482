"""Scenes that Mesa has drawn and read back, through the engine: what tests of newer draws have in common."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from gl_twin import NoDriver, Recording, compare

from replay.engine.engine import Engine
from replay.reflect import ReflectingBackend
from traceformat.calls import Call
from traceformat.gles.snapshot import snapshot_calls
from traceformat.gles.tracker import Tracker
from traceformat.gltrace.reader import open_trace
from traceformat.gltrace.writer import TraceWriter
from traceformat.gputrace.frametrace import ALL_COLUMNS, SAMPLE_COLUMNS, ColumnSet, FrameRule, FrameTrace
from traceformat.gputrace.passes import passes_of
from traceformat.tools.callset import parse_call_set
from traceformat.tools.trim.writing import trim

__all__ = [
    "COLUMNS",
    "agree",
    "check_picture",
    "frame_of",
    "in_one_pass",
    "record_scene",
    "recorded_or_skipped",
    "resumed_at_last",
    "trimmed",
]

#: What both executors know of a frame.
COLUMNS: Final = ColumnSet(
    (ALL_COLUMNS - {"quads.identity", "quads.identity_excluded"}) | {f"quads.{key}" for key in SAMPLE_COLUMNS}
)


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


def check_picture(calls: list[Call], tolerance: float = 1.0, *, colors: int = 2) -> None:
    """What is read back first has so many colours at least, and the engine's is the same."""
    picture = next(call for call in calls if call.name == "glReadPixels").outputs["pixels"]
    assert isinstance(picture, bytes)
    assert len(np.unique(np.frombuffer(picture, np.uint32))) >= colors
    assert compare(calls, tolerance) == []


def in_one_pass(recording: Recording) -> Recording:
    """The recording without its barriers, which end passes: the engine executes in order anyway."""
    recording.calls[:] = [call for call in recording.calls if call.name != "glMemoryBarrier"]
    return recording


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
    frames = [list(passes_of(frame_of(recording, executor=executor))) for executor in ("llvm", "numpy")]
    for ours, theirs in zip(*frames, strict=True):
        for table in ours.tables:
            for key, column in ours[table].items():
                assert column.tobytes() == theirs[table][key].tobytes(), f"{table}.{key}"


def resumed_at_last(recording: Recording, name: str) -> list[Call]:
    """A snapshot of the state before the last call whose name begins so, and the calls from there on."""
    calls = recording.calls
    last = max(k for k, call in enumerate(calls) if call.name.startswith(name))
    tracker = Tracker(Engine(ColumnSet(())), remap=True)
    for call in calls[:last]:
        tracker.execute(call)
    return [*snapshot_calls(tracker), *calls[last:]]


def trimmed(recording: Recording, folder: Path, calls: str) -> list[Call]:
    """What trimming to a set of calls leaves of a recording."""
    whole, part = folder / "whole.gltrace", folder / "part.gltrace"
    with TraceWriter(whole, {}) as writer:
        for call in recording.calls:
            writer.write_call(call)
    with open_trace(whole) as reader:
        trim(reader, part, calls=parse_call_set(calls), backend=ReflectingBackend())
    with open_trace(part) as reader:
        return list(reader)
