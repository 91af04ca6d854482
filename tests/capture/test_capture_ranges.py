"""Ranges of frames, and what a program says to its capture: parts of a trace that replay alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import replay
from capture.dead_draws import DeadDraws
from traceformat.calls import Call
from traceformat.gles import enums as gl
from traceformat.gltrace.reader import open_trace


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


def test_the_last_frame_ends_the_program_at_once(tmp_path: Path) -> None:
    """Whatever a thread that sends a signal waits for: here it never sends one."""
    code = "import capture.interrupts as ours; ours.interrupt_later = print; from capture.cli import main; main()"
    program = Path(__file__).parent / "programs" / "frames.py"
    words = [
        sys.executable,
        "-c",
        code,
        "run",
        "--driver",
        "null",
        "--frames",
        "0-5",
        "-o",
        str(tmp_path / "a.gltrace"),
    ]
    done = subprocess.run([*words, str(program)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert ": 6 frames, " in done.stderr


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


def _window(*steps: tuple[Any, ...]) -> list[Call]:
    """Calls in a window with depth and stencil, numbered from 0 behind three that make it."""
    bits = (8, 8, 8, 8, 24, 8, 0)
    begin = [("traceContext", 1, 0, 3, 0, 0, *bits, 0), ("traceDrawable", 1, 8, 8, 0), ("traceMakeCurrent", 1, 1, 1)]
    return [Call(k - 3, name, 1, 1, 0, args) for k, (name, *args) in enumerate([*begin, *steps])]  # type: ignore[misc]


CLEAR_ALL = ("glClear", gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT | gl.GL_STENCIL_BUFFER_BIT)
CLEAR_COLOR = ("glClear", gl.GL_COLOR_BUFFER_BIT)
READ = ("glReadPixels", 0, 0, 1, 1, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)


@pytest.mark.parametrize(
    ("steps", "dead"),
    [
        ([CLEAR_ALL, CLEAR_ALL], {0}),
        ([CLEAR_ALL, CLEAR_COLOR], set()),
        ([CLEAR_COLOR, CLEAR_ALL, CLEAR_COLOR], {0}),
        ([CLEAR_COLOR, CLEAR_COLOR], {0}),
        ([CLEAR_ALL, ("glEnable", gl.GL_SCISSOR_TEST), CLEAR_ALL], set()),
        ([CLEAR_COLOR, ("glColorMask", 1, 1, 1, 0), CLEAR_COLOR], set()),
        ([CLEAR_ALL, READ, CLEAR_ALL], set()),
        ([CLEAR_ALL, ("glBlitFramebuffer", 0, 0, 4, 4, 4, 4, 8, 8, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)], set()),
        ([CLEAR_ALL, ("glStencilMask", 0x0F), CLEAR_ALL], set()),
        ([CLEAR_ALL, ("traceResize", 1, 9, 9), CLEAR_ALL], {0}),
    ],
)
def test_draws_that_nobody_sees(steps: list[tuple[Any, ...]], dead: set[int]) -> None:
    assert DeadDraws().find(_window(*steps)) == dead


def test_a_range_is_reached_without_drawing_what_is_gone(captured: Any) -> None:
    calls = captured("frames").calls()
    draws = [call.number for call in calls if call.name == "glDrawArraysInstanced"]
    clears = [call.number for call in calls if call.name == "glClear"]
    dead = DeadDraws().find(calls)
    # All but the last frame's, and the one into the texture that later frames show.
    assert dead & set(draws) == {*draws[:1], *draws[2:-1]}
    assert dead & set(clears) == {clears[0], *clears[2:-1]}


def test_without_a_capture_nothing_happens() -> None:
    code = (
        "import capture\nwith capture.group('x'): capture.start(); capture.stop(); capture.frame(); capture.marker('y')"
    )
    code += "\nprint(capture.is_capturing())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
