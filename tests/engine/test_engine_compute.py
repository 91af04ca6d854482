"""Compute shaders in contexts: what programs of today do with them gives Mesa's pictures."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from compute_scenes import DESKTOP_SCENES, SCENES, record, record_desktop
from gl_twin import NoDriver
from recorded_scenes import check_picture, frame_of, recorded_or_skipped, resumed_at_last

from replay.engine.engine import Engine
from replay.reflect import ReflectingBackend
from traceformat.calls import Call
from traceformat.errors import FindingError, ReplayError
from traceformat.gles import enums as gl
from traceformat.gles.tracker import Tracker
from traceformat.gltrace.reader import open_trace
from traceformat.gltrace.writer import TraceWriter
from traceformat.gputrace.frametrace import ColumnSet, EventKind
from traceformat.tools.trim.writing import trim

pytestmark = pytest.mark.gl


@pytest.mark.parametrize("version", [(3, 0), (3, 1)], ids=["asked for 3.0", "asked for 3.1"])
@pytest.mark.parametrize("name", SCENES)
def test_scenes_are_those_of_mesa(name: str, version: tuple[int, int]) -> None:
    check_picture(recorded_or_skipped(record, name, version).calls, 0.0)


@pytest.mark.parametrize("name", DESKTOP_SCENES)
def test_scenes_of_desktop_programs_are_those_of_mesa(name: str) -> None:
    calls = recorded_or_skipped(record_desktop, name).calls
    check_picture(calls, 0.0, colors=11)
    assert played(calls, "numpy") == played(calls, "llvm")


@pytest.mark.parametrize("name", SCENES)
def test_both_executors_compute_the_same(name: str) -> None:
    try:
        recorded = record(name)
    except NoDriver as missing:
        pytest.skip(str(missing))
    assert played(recorded.calls, "numpy") == played(recorded.calls, "llvm")


def test_what_dispatches_touch_is_memory_traffic_of_the_pass_behind_them() -> None:
    recording = recorded_or_skipped(record, "indirect_work")
    calls = recording.calls
    ours, theirs = (frame_of(recording, executor=executor)["events"] for executor in ("llvm", "numpy"))
    rows = ours["kind"] == EventKind.STORAGE
    dispatches = sum(call.name.startswith("glDispatch") for call in calls)
    assert rows.sum() >= dispatches > 0
    assert (ours["read_bytes"][rows] + ours["write_bytes"][rows] > 0).all()
    assert ours["write_bytes"][rows].sum() > 0
    for key, column in ours.items():
        np.testing.assert_array_equal(column, theirs[key])


def played(calls: Iterable[Call], executor: str) -> bytes:
    """What the last glReadPixels gives."""
    tracker = Tracker(Engine(ColumnSet(()), executor=executor), remap=True)
    pixels = b""
    for call in calls:
        tracker.execute(call)
        if call.name == "glReadPixels":
            pixels = tracker.outputs["pixels"]
    return pixels


def test_a_snapshot_in_front_of_a_dispatch_has_what_the_dispatch_reads() -> None:
    """Storage buffers, image units, counters and the program are put back."""
    try:
        recorded = record("indirect_work")
    except NoDriver as missing:
        pytest.skip(str(missing))
    again = resumed_at_last(recorded, "glDispatch")
    assert played(again, "llvm") == played(recorded.calls, "llvm")


def test_a_dispatch_is_not_trimmed_away(tmp_path: Path) -> None:
    try:
        recorded = record("particles")
    except NoDriver as missing:
        pytest.skip(str(missing))
    with TraceWriter(tmp_path / "in.gltrace", {}) as writer:
        for call in recorded.calls:
            writer.write_call(call)
    with open_trace(tmp_path / "in.gltrace") as reader, pytest.raises(FindingError, match="compute shaders"):
        trim(reader, tmp_path / "out.gltrace", frames=range(1), backend=ReflectingBackend())


def test_too_much_work_is_refused_by_its_guard() -> None:
    session = Tracker(Engine(ColumnSet(())))

    def call(name: str, *args: object) -> object:
        return session.execute(Call(0, name, 1, 1, 0, args))

    call("traceContext", 1, 0, 3, 1, 0, 8, 8, 8, 8, 24, 8, 0, 0)
    call("traceDrawable", 1, 8, 8, 0)
    call("traceMakeCurrent", 1, 1, 1)
    call("glDispatchCompute", 1, 1, 1)
    assert call("glGetError") == gl.GL_INVALID_OPERATION
    shader, program = call("glCreateShader", gl.GL_COMPUTE_SHADER), call("glCreateProgram")
    source = "#version 310 es\nlayout(local_size_x = 64) in; void main() {}"
    call("glShaderSource", shader, 1, (source,), None)
    for name, *args in (
        ("glCompileShader", shader),
        ("glAttachShader", program, shader),
        ("glLinkProgram", program),
        ("glUseProgram", program),
        ("glDispatchCompute", 65536, 1, 1),
    ):
        call(name, *args)
    assert call("glGetError") == gl.GL_INVALID_VALUE
    call("glGetProgramiv", program, gl.GL_COMPUTE_WORK_GROUP_SIZE, None)
    assert session.outputs["params"] == struct.pack("<3i", 64, 1, 1)
    with pytest.raises(ReplayError, match="draw_vertices"):
        call("glDispatchCompute", 65535, 65535, 65535)
    # A program of a compute stage draws nothing.
    call("glDrawArrays", gl.GL_TRIANGLES, 0, 3)
    assert call("glGetError") == gl.GL_NO_ERROR
