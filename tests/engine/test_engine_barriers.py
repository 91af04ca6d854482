"""Barriers and render passes: a barrier behind draws that write memory ends the pass; dispatches alone are a pass."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from verified import verified_run

from gpumodel.whatif.needs import must_come_before
from replay.engine.engine import Engine
from traceformat.calls import Call
from traceformat.gles import enums as gl
from traceformat.gles.tracker import Tracker
from traceformat.gputrace.frametrace import MODEL_COLUMNS, VERIFY_COLUMNS, ColumnSet, EventKind, FrameRule, FrameTrace

_HEAD = "#version 310 es\nprecision highp float; precision highp int;\n"
_VERTEX = _HEAD + "void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0, 1); }"
_BLOCK = "layout(std430, binding = 0) buffer B { uint n[]; }; "
_AT = "uint(gl_FragCoord.y) * 64u + uint(gl_FragCoord.x)"
#: What fragments do: write memory, read what lies at their own place, nothing of both.
_WRITES = f"out vec4 o; {_BLOCK}void main() {{ atomicAdd(n[{_AT}], 3u); o = vec4(0.25); }}"
_READS = f"out vec4 o; {_BLOCK}void main() {{ o = vec4(float(n[{_AT}]) / 8.0); }}"
_PLAIN = "out vec4 o; void main() { o = vec4(0.5); }"


class Session:
    """A context of ES 3.1 with a window of 64 x 64 and a storage buffer."""

    def __init__(self) -> None:
        self.engine = Engine(ColumnSet(MODEL_COLUMNS | VERIFY_COLUMNS))
        self.tracker = Tracker(self.engine)
        self._numbers = itertools.count(1)
        self("traceContext", 1, 0, 3, 1, 0, 8, 8, 8, 8, 24, 8, 0, 0)
        self("traceDrawable", 1, 64, 64, 1)
        self("traceMakeCurrent", 1, 1, 1)
        self("glGenBuffers", 1, None)
        self("glBindBufferBase", gl.GL_SHADER_STORAGE_BUFFER, 0, 1)
        self("glBufferData", gl.GL_SHADER_STORAGE_BUFFER, 1 << 14, bytes(1 << 14), gl.GL_STATIC_DRAW)

    def __call__(self, name: str, *args: Any) -> Any:
        result = self.tracker.execute(Call(next(self._numbers), name, 1, 1, 0, args))
        assert self.tracker.failure is None, f"{name}: {self.tracker.failure}"
        return result

    def program(self, **stages: str) -> None:
        number = self("glCreateProgram")
        for stage, source in stages.items():
            shader = self("glCreateShader", getattr(gl, f"GL_{stage.upper()}_SHADER"))
            self("glShaderSource", shader, 1, (source,), None)
            self("glCompileShader", shader)
            self("glAttachShader", number, shader)
        self("glLinkProgram", number)
        self("glUseProgram", number)

    def draw(self, fragment: str) -> None:
        self.program(vertex=_VERTEX, fragment=_HEAD + fragment)
        self("glDrawArrays", gl.GL_TRIANGLES, 0, 3)

    def dispatch(self) -> None:
        """Write 1024 words."""
        source = _HEAD + f"layout(local_size_x = 64) in; {_BLOCK}void main() {{ n[gl_GlobalInvocationID.x] = 5u; }}"
        self.program(compute=source)
        self("glDispatchCompute", 16, 1, 1)

    def frame(self, number: int = 0) -> FrameTrace:
        return self.engine.end_frame(number, FrameRule.SWAP)


def draws_by_pass(barriers: Sequence[tuple[str, int] | str]) -> list[int]:
    """Draws of each pass of a frame of draws and barriers."""
    session = Session()
    session("glClear", gl.GL_COLOR_BUFFER_BIT)
    for one in barriers:
        session.draw(one) if isinstance(one, str) else session(*one)
    counts: list[int] = session.frame()["passes"]["draw_count"].tolist()
    return counts


ALL = ("glMemoryBarrier", gl.GL_ALL_BARRIER_BITS)
STORAGE = ("glMemoryBarrier", gl.GL_SHADER_STORAGE_BARRIER_BIT)
REGION = ("glMemoryBarrierByRegion", gl.GL_SHADER_STORAGE_BARRIER_BIT)


@pytest.mark.parametrize(
    ("calls", "counts"),
    [
        ([_PLAIN, _WRITES, STORAGE, _READS, _PLAIN], [2, 2]),
        ([_WRITES, ALL, _WRITES, ALL, ALL, _READS], [1, 1, 1]),
        ([_WRITES, REGION, _READS], [2]),
        ([_PLAIN, ALL, _PLAIN], [2]),
        ([_READS, ALL, _PLAIN], [2]),
        ([_WRITES, _READS], [2]),
        ([_WRITES, ALL, _PLAIN, ALL, _PLAIN], [1, 2]),
        ([_WRITES, ALL], [1]),
    ],
    ids=["reads", "twice", "by region", "plain", "reads first", "no barrier", "again", "last"],
)
def test_a_barrier_behind_writes_ends_the_pass(calls: list[tuple[str, int] | str], counts: list[int]) -> None:
    assert draws_by_pass(calls) == counts


def test_what_is_waited_for_is_checked() -> None:
    session = Session()
    for name, bits, error in (
        ("glMemoryBarrier", 0x10, gl.GL_INVALID_VALUE),
        ("glMemoryBarrier", gl.GL_COMMAND_BARRIER_BIT, gl.GL_NO_ERROR),
        ("glMemoryBarrierByRegion", gl.GL_COMMAND_BARRIER_BIT, gl.GL_INVALID_VALUE),
        ("glMemoryBarrierByRegion", gl.GL_ALL_BARRIER_BITS, gl.GL_NO_ERROR),
    ):
        session.tracker.execute(Call(1, name, 1, 1, 0, (bits,)))
        assert session("glGetError") == error


def test_the_second_pass_goes_on_where_the_first_ended() -> None:
    """Colours and traffic: what the first one stored is loaded, and read bytes are those of each draw."""
    session = Session()
    session("glClear", gl.GL_COLOR_BUFFER_BIT)
    session.draw(_WRITES)
    session(*ALL)
    session.draw(_READS)
    frame = session.frame()
    assert must_come_before(frame, 0, 1)
    assert frame["passes"]["transfer_write_bytes"].tolist() == [1 << 14, 0]
    assert frame["passes"]["transfer_read_bytes"].tolist() == [1 << 14, 1 << 14]
    assert frame.picture is not None
    assert np.unique(frame.picture[..., 0]).tolist() == [96]  # 3/8
    for techniques in ("re+te", "vro"):
        preset = "mali450-vro" if techniques == "vro" else "mali450-re"
        one, other = (verified_run([frame], preset, techniques, every_cycle=each) for each in (False, True))
        assert one.result.frames[0].counters == other.result.frames[0].counters


def test_dispatches_alone_are_billed_to_their_frame() -> None:
    session = Session()
    frames = []
    for number, has_draw in enumerate((True, False, True)):
        session.dispatch()
        if has_draw:
            session.draw(_PLAIN)
        frames.append(session.frame(number))
    written = [frame["passes"]["transfer_write_bytes"].tolist() for frame in frames]
    assert written == [[4096], [4096], [4096]]
    alone = frames[1]["passes"]
    assert (int(alone["width"][0]), int(alone["num_colors"][0]), int(alone["draw_count"][0])) == (1, 0, 0)
    assert int(alone["context"][0]) == 1
    assert frames[1]["events"]["kind"].tolist() == [EventKind.STORAGE]
    assert frames[1]["events"]["pass"].tolist() == [0]
    for techniques in ("re+te", "vro"):
        preset = "mali450-vro" if techniques == "vro" else "mali450-re"
        one, other = (verified_run(frames, preset, techniques, every_cycle=each) for each in (False, True))
        for k in range(3):
            assert one.result.frames[k].counters == other.result.frames[k].counters
            assert one.result.frames[k].counters["dram.write_bytes.other"] >= 4096


def test_frames_of_uploads_alone_have_no_pass() -> None:
    session = Session()
    session("glGenTextures", 1, None)
    session("glBindTexture", gl.GL_TEXTURE_2D, 1)
    session("glTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGBA8, 4, 4, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, bytes(64))
    assert session.frame()["passes"].num_rows == 0
