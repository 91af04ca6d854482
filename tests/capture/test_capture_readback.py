"""What a program reads of what it has drawn, without any GL."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest

from capture.drivers import readback
from capture.drivers.null import NullDriver
from capture.drivers.readback import Readback
from traceformat.calls import Call
from traceformat.errors import ReplayError, ToolError
from traceformat.gles import enums as gl
from traceformat.gles.limits import DESKTOP_LIMITS, GLES_LIMITS

EXPECTED = [
    "pixels [2, 2, 64, 255] [253, 253, 64, 255]",
    "queries 4096 2",
    "texture [255, 128, 0, 255]",
    "buffer [255, 128, 0, 255]",
    "feedback [-3.0, -3.0, 3.0, -3.0, -3.0, 3.0, 3.0, 3.0]",
]


def test_reads_are_answered_without_gl(captured: Any) -> None:
    result = captured("reads_back")
    assert result.status == 0, result.stderr
    assert result.stdout.splitlines() == [*EXPECTED, "MAPPED []"]


@pytest.mark.gl
def test_mesa_answers_the_same(captured: Any) -> None:
    assert captured("reads_back", driver="system").stdout.splitlines() == EXPECTED


def test_zeros_when_asked_for(capture: Any) -> None:
    result = capture("reads_back", options=["--readback", "zero"])
    assert result.status == 0, result.stderr
    assert result.stdout.splitlines()[0] == "pixels [0, 0, 0, 0] [0, 0, 0, 0]"


class _Session:
    """Calls on a null driver that reads back; ``written`` is what its trace would hold."""

    def __init__(self) -> None:
        self.written: list[Call] = []
        self.errors: list[ToolError] = []
        self.asked: list[int] = []

        def recorded(start: int) -> list[Call]:
            self.asked.append(start)
            return self.written[start:]

        limits = GLES_LIMITS, DESKTOP_LIMITS
        self.driver = NullDriver(readback=Readback(recorded, self.errors.append, nullcontext, *limits))
        self("traceContext", 1, 0, 3, 0, 0, 8, 8, 8, 8, 24, 8, 0, 0)
        self("traceDrawable", 1, 4, 4, 1)
        self("traceMakeCurrent", 1, 1, 1)

    def __call__(self, name: str, *args: Any) -> Call:
        call = Call(len(self.written), name, 1, 1, 0, args)
        self.driver.execute(call)
        self.written.append(call)
        return call

    def read(self) -> bytes:
        call = self("glReadPixels", 0, 0, 1, 1, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
        pixels = call.outputs["pixels"]
        assert isinstance(pixels, bytes)
        return pixels


def test_calls_that_are_too_many_to_wait_come_from_the_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readback, "MAX_WAITING_CALLS", 8)
    session = _Session()
    session("glClearColor", 1.0, 0.0, 0.0, 1.0)
    for _ in range(10):
        session("glClear", gl.GL_COLOR_BUFFER_BIT)
    assert session.read() == b"\xff\0\0\xff"
    assert session.asked == [0]
    session("glClearColor", 0.0, 1.0, 0.0, 1.0)
    session("glClear", gl.GL_COLOR_BUFFER_BIT)
    assert session.read() == b"\0\xff\0\xff"
    assert session.asked == [0], "few calls wait in memory"
    for _ in range(10):
        session("glClear", gl.GL_COLOR_BUFFER_BIT)
    assert session.read() == b"\0\xff\0\xff"
    assert session.asked == [0, 18]


def test_what_the_engine_cannot_do_is_said_and_answered_with_zeros(monkeypatch: pytest.MonkeyPatch) -> None:
    session = _Session()
    session("glClearColor", 1.0, 1.0, 1.0, 1.0)
    session("glClear", gl.GL_COLOR_BUFFER_BIT)

    def refuse(player: object, call: Call) -> None:
        raise ReplayError("out of order")

    monkeypatch.setattr(readback._Player, "execute", refuse)
    assert session.read() == bytes(4)
    assert session.read() == bytes(4)
    assert [str(error) for error in session.errors] == ["out of order"]
