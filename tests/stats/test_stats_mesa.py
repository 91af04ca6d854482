"""An independent count: fragments, vertices and primitives of single draws, as Mesa's queries have them.

Each trace is played on the driver; around every draw call the depth and stencil tests are switched off, and queries
count the samples that pass, the vertices and the primitives. Without those tests a sample passes if it is covered and
the shader does not discard it. Exact counts need desktop GL, which runs GLES programs through ARB_ES2_compatibility
and ARB_ES3_compatibility.
"""

from __future__ import annotations

import ctypes
import dataclasses
import os
from pathlib import Path

import numpy as np
import pytest

from gpumodel.config import load_config
from gpumodel.report.stats.columns import COUNT_INDEX
from gpumodel.report.stats.frame import FrameCounter
from traceformat.errors import MissingEnvironmentError
from traceformat.gles import enums as gl
from traceformat.gltrace.reader import open_trace

pytestmark = pytest.mark.gl

SAMPLES_PASSED, VERTICES_SUBMITTED, PRIMITIVES_SUBMITTED = 0x8914, 0x82EE, 0x82EF
QUERIES = (SAMPLES_PASSED, VERTICES_SUBMITTED, PRIMITIVES_SUBMITTED)
PROGRAM_POINT_SIZE, POINT_SPRITE = 0x8642, 0x8861
COMPATIBILITY = 2
SHARED = Path(os.environ.get("GPUREPLAY_SHARED") or Path(__file__).resolve().parents[3] / "shared")
#: Of real applications, so many frames are enough.
LAST_FRAME = 2


def as_desktop(call):
    """The same call for desktop GL 4.5; shaders of GLES 2.0 name their version only there."""
    if call.name == "traceContext" and call.args[1] == 0:
        return dataclasses.replace(call, args=(call.args[0], 1, 4, 5, COMPATIBILITY, *call.args[5:]))
    if call.name == "glShaderSource" and "#version" not in "".join(call.args[2]):
        return dataclasses.replace(
            call, args=(call.args[0], call.args[1], ("#version 100\n" + call.args[2][0], *call.args[2][1:]), None)
        )
    return call


class Counting:
    """Plays calls and counts each draw call: {call number: (samples, vertices, primitives)}."""

    def __init__(self, calls):
        from capture.playback import Playback

        os.environ.setdefault("EGL_PLATFORM", "surfaceless")
        self.playback = Playback(calls)
        self.counts = {}
        #: Contexts that were GLES before as_desktop.
        self.gles = {call.args[0] for call in calls if call.name == "traceContext" and call.args[4] == COMPATIBILITY}

    def gl(self, name, *args):
        return self.playback._function(name)(*args)

    def execute(self, call):
        if not call.name.startswith("glDraw") or call.name == "glDrawBuffers":
            self.playback.execute(call)
            if call.name == "traceMakeCurrent" and call.args[0] in self.gles:
                # Always on in GLES; without sprites, desktop GL rounds the size of points.
                self.gl("glEnable", PROGRAM_POINT_SIZE)
                self.gl("glEnable", POINT_SPRITE)
            return
        tests = [test for test in (gl.GL_DEPTH_TEST, gl.GL_STENCIL_TEST) if self.gl("glIsEnabled", test)]
        for test in tests:
            self.gl("glDisable", test)
        names = (ctypes.c_uint * len(QUERIES))()
        self.gl("glGenQueries", len(QUERIES), ctypes.cast(names, ctypes.c_void_p))
        for target, name in zip(QUERIES, names, strict=True):
            self.gl("glBeginQuery", target, name)
        self.playback.execute(call)
        values = []
        for target, name in zip(QUERIES, names, strict=True):
            self.gl("glEndQuery", target)
            value = ctypes.c_uint()
            self.gl("glGetQueryObjectuiv", name, gl.GL_QUERY_RESULT, ctypes.cast(ctypes.byref(value), ctypes.c_void_p))
            values.append(value.value)
        self.gl("glDeleteQueries", len(QUERIES), ctypes.cast(names, ctypes.c_void_p))
        for test in tests:
            self.gl("glEnable", test)
        self.counts[call.number] = tuple(values)


def counted_by_mesa(path, last_frame=None):
    """Counts of a trace's draw calls, and the driver's first error."""
    with open_trace(path) as reader:
        limit = None if last_frame is None else reader.frames[last_frame].end_call
        calls = [as_desktop(call) for call in reader if limit is None or call.number < limit]
    try:
        counting = Counting(calls)
        for call in calls:
            counting.execute(call)
    except MissingEnvironmentError as error:
        pytest.skip(f"no GL driver: {error}")
    return counting.counts, counting.playback.error()


def counted_by_us(frames):
    """{call number: (fragments without the discarded ones, vertices, primitives, all fragments, primitive mode)}."""
    counter = FrameCounter(load_config("mali450-vro", ()))
    out = {}
    for frame in frames:
        draws = counter.count(frame).draws
        quads, owner = frame["quads"], frame["emitted"]["draw"][frame["quads"]["emitted"]]
        bits = np.array([bin(k).count("1") for k in range(16)])
        discarded = np.bincount(owner, weights=bits[quads["coverage"] & ~quads["survives"] & 15], minlength=len(draws))
        for row, call in enumerate(frame["draws"]["call"]):
            fragments = int(draws[row, COUNT_INDEX["fragments.rasterized"]])
            out[int(call)] = (
                fragments - int(discarded[row]),
                int(draws[row, COUNT_INDEX["vertices.in"]]),
                int(draws[row, COUNT_INDEX["primitives.in"]]),
                fragments,
                int(frame["draws"]["mode"][row]),
            )
    return out


@pytest.mark.parametrize("name", ["overlapping", "shapes", "late"])
def test_own_traces(scene, frames, name):
    (mesa, error), ours = counted_by_mesa(scene(name)), counted_by_us(frames(name))
    assert error == 0
    assert mesa.keys() == ours.keys()
    assert len(mesa) >= 6
    for call, counts in mesa.items():
        agree(counts, ours[call], f"{name} call {call}")
    filled = [call for call, counts in ours.items() if counts[4] != gl.GL_POINTS]
    total = sum(mesa[call][0] for call in filled)
    assert total > 20_000
    assert abs(sum(ours[call][0] for call in filled) - total) <= 5e-4 * total


@pytest.mark.parametrize("name", ["es2gears", "kivy_3d", "sdl_testgeometry"])
def test_real_applications(tmp_path, name):
    import replay
    from capture.importers import import_trace
    from gpumodel.runs import REQUIRED_COLUMNS

    source = SHARED / "corpus" / f"{name}.trace"
    if not source.exists():
        pytest.skip(f"no {source}: set GPUREPLAY_SHARED to the folder with the corpus")
    import_trace(source, tmp_path / "app.gltrace")
    with replay.frames(tmp_path / "app.gltrace", columns=REQUIRED_COLUMNS, frames=(0, LAST_FRAME)) as played:
        ours = counted_by_us(played)
    mesa, _ = counted_by_mesa(tmp_path / "app.gltrace", LAST_FRAME)
    assert mesa.keys() == ours.keys()
    assert sum(counts[0] for counts in mesa.values()) > 5000
    for call, counts in mesa.items():
        agree(counts, ours[call], f"{name} call {call}")


def agree(mesa, ours, where):
    """Vertices and primitives exactly; fragments but for single ones where clipping rounds otherwise.

    Only desktop GL counts samples, and it rasterizes points by its own rules (sizes and centres are rounded), so
    their fragments agree within 2 %; their pictures are compared with GLES's in the engine's tests.
    """
    assert ours[1:3] == mesa[1:3], where
    slack = 0.02 * mesa[0] if ours[4] == gl.GL_POINTS else max(1, 0.001 * mesa[0])
    assert abs(ours[0] - mesa[0]) <= slack, f"{where}: {ours[0]} and {mesa[0]} fragments"
