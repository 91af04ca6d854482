"""Frame boundaries by the rule of DESIGN §3.2, for whole and damaged traces."""

from __future__ import annotations

import pytest

from traceformat.gltrace.frames import role_of
from traceformat.gltrace.reader import open_trace
from traceformat.gltrace.writer import TraceWriter
from traceformat.gputrace.frametrace import FrameRule

CALLS = {
    "c": ("glClear", (0x4000,)),
    "d": ("glDrawArrays", (4, 0, 3)),
    "s": ("traceSwap", (1, "swap")),
    "f": ("glFinish", ()),
    "r": ("glReadPixels", (0, 0, 1, 1, 0x1908, 0x1401, None)),
    "m": ("traceFrame", ("end",)),
}


def frames_of(tmp_path, text, *, cut=False):
    """Frames of the calls that the letters stand for; each blank begins a new chunk."""
    path = tmp_path / "a.gltrace"
    with TraceWriter(path) as trace:
        for letter in text:
            if letter == " ":
                trace.flush()
            else:
                trace.write(*CALLS[letter])
        if cut:
            trace.flush()
    if cut:
        data = path.read_bytes()
        with open_trace(path) as reader:
            index = reader.info()["chunks"]["index"]["stored_bytes"]
        path.write_bytes(data[: len(data) - index - 24])
    with open_trace(path) as reader:
        return reader.frame_rule, [(frame.first_call, frame.end_call, frame.rule) for frame in reader.frames]


S, F, R, M, E = FrameRule.SWAP, FrameRule.FINISH, FrameRule.READ_PIXELS, FrameRule.MARKER, FrameRule.PROGRAM_END


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize(
    ("text", "rule", "frames"),
    [
        ("c", E, [(0, 1, E)]),
        ("cdcd", E, [(0, 4, E)]),
        ("dsds", S, [(0, 2, S), (2, 4, S)]),
        ("ds dsc", S, [(0, 2, S), (2, 4, S)]),
        ("ds dsd", S, [(0, 2, S), (2, 4, S), (4, 5, E)]),
        ("dfs df", S, [(0, 3, S), (3, 5, E)]),
        ("df df", F, [(0, 2, F), (2, 4, F)]),
        ("drr dr", R, [(0, 2, R), (2, 5, R)]),
        ("r drf", F, [(0, 4, F)]),
        ("dr ds dm dsd", M, [(0, 6, M), (6, 9, E)]),
        ("rr", E, [(0, 2, E)]),
    ],
)
def test_rule(tmp_path, text, rule, frames, cut):
    assert frames_of(tmp_path, text, cut=cut) == (rule, frames)


def test_empty_trace(tmp_path):
    assert frames_of(tmp_path, "") == (E, [])


def test_failed_calls_end_nothing(tmp_path):
    path = tmp_path / "a.gltrace"
    with TraceWriter(path) as trace:
        trace.write("glDrawArrays", (4, 0, 3), flags=2)
        trace.write(*CALLS["r"])
        trace.write("glDrawArrays", (4, 0, 3))
        trace.write("glReadPixels", CALLS["r"][1], flags=2)
        trace.write(*CALLS["r"])
    with open_trace(path) as reader:
        assert [frame.end_call for frame in reader.frames] == [5]
        assert reader.frame_rule is R


@pytest.mark.parametrize(
    "name",
    ["glDrawArrays", "glDrawElementsInstancedBaseVertexBaseInstance", "glMultiDrawElements", "glDrawRangeElements"],
)
def test_draws(name):
    assert role_of(name) == 100


@pytest.mark.parametrize("name", ["glDrawBuffers", "glDrawBuffer", "glClear", "glBlitFramebuffer", "glDrawPixels"])
def test_no_draws(name):
    assert role_of(name) is None
