"""Ranges of frames, and what a program says to its capture: parts of a trace that replay alone."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import replay
from traceformat.reader import open_trace


def pictures(trace: Any) -> list[NDArray[np.uint8]]:
    return [picture for _, picture in replay.pictures(trace.trace)]


def same(left: list[NDArray[np.uint8]], right: list[NDArray[np.uint8]]) -> bool:
    return len(left) == len(right) and all(map(np.array_equal, left, right))


@pytest.fixture(scope="module")
def whole(captured: Any) -> list[NDArray[np.uint8]]:
    result = captured("frames")
    assert result.status == 0, result.stderr
    assert "capturing True" in result.stdout
    found = pictures(result)
    assert len(found) == 8
    assert len({picture.tobytes() for picture in found}) == 8
    return found


@pytest.mark.parametrize("driver", ["null", pytest.param("system", marks=pytest.mark.gl)])
def test_a_range_of_frames_replays_alone(capture: Any, whole: list[NDArray[np.uint8]], driver: str) -> None:
    result = capture("frames", driver=driver, options=["--frames", "4-5"])
    assert result.status == 0, result.stderr
    assert ": 2 frames, " in result.stderr
    assert same(pictures(result), whole[4:6])
    with open_trace(result.trace) as reader:
        assert reader.properties["first_frame"] == 4
        assert not [call.name for call in reader if call.name.startswith("glDraw")][2:]


def test_parts_that_the_program_chooses(capture: Any, whole: list[NDArray[np.uint8]]) -> None:
    result = capture("frames", "--parts")
    assert result.status == 0, result.stderr
    assert same(pictures(result), whole[:2] + whole[5:])
    assert "glInsertEventMarkerEXT" in result.names()


def test_paused_until_the_program_says_so(capture: Any, whole: list[NDArray[np.uint8]]) -> None:
    result = capture("frames", "--parts", options=["--paused", "--frames", "0-6"])
    assert result.status == 0, result.stderr
    assert same(pictures(result), whole[5:7])


def test_nothing_was_recorded(capture: Any) -> None:
    result = capture("frames", options=["--paused"])
    assert result.status == 1
    assert "nothing was recorded (with --paused the program has to call capture.start())" in result.stderr
    late = capture("frames", options=["--frames", "20-30"])
    assert late.status == 1
    assert "the program ended after 8 frames, before frame 20" in late.stderr


def test_frames_and_groups_that_the_program_names(capture: Any) -> None:
    result = capture("frames", "--mark")
    calls = result.calls()
    assert [call.args[0] for call in calls if call.name == "traceFrame"] == [f"frame {k}" for k in range(8)]
    assert result.num_frames() == 8
    groups = [call for call in calls if call.name == "glPushGroupMarkerEXT"]
    assert [call.args for call in groups] == [(0, "quad")] * 8
    assert result.names().count("glPopGroupMarkerEXT") == 8


def test_without_a_capture_nothing_happens() -> None:
    code = (
        "import capture\nwith capture.group('x'): capture.start(); capture.stop(); capture.frame(); capture.marker('y')"
    )
    code += "\nprint(capture.is_capturing())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
