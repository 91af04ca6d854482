"""The player: traces from files, frame ranges, damage, hostile content, steady memory."""

import contextlib
import gc
import resource
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from fuzz_scenes import SCENES
from trace_fuzz import write_trace

import replay
from replay.engine.engine import Engine
from replay.glsl.compiler import CompileOptions, compile_shader
from traceformat.calls import Call, Offset
from traceformat.errors import ReplayError, ToolError, UsageError
from traceformat.gles import enums as gl
from traceformat.gles.tracker import Tracker
from traceformat.gltrace.writer import TraceWriter
from traceformat.gputrace.frametrace import ALL_COLUMNS, MODEL_COLUMNS, ColumnSet, FrameRule

W, H = 64, 48
VERTEX = """attribute vec4 p; uniform float shift; varying vec4 v;
void main() { gl_Position = p + vec4(shift, 0.0, 0.0, 0.0); v = p; }"""
FRAGMENT = "precision highp float; varying vec4 v; void main() { gl_FragColor = abs(v); }"


def calls(frames=3, *, swap=True):
    """A small program: a triangle that moves, one step a frame."""
    yield "traceContext", (1, 0, 2, 0, 0, 8, 8, 8, 8, 24, 8, 0, 0), None
    yield "traceDrawable", (1, W, H, 0), None
    yield "traceMakeCurrent", (1, 1, 1), None
    yield "glCreateProgram", (), 1
    for number, (kind, source) in enumerate(((gl.GL_VERTEX_SHADER, VERTEX), (gl.GL_FRAGMENT_SHADER, FRAGMENT)), 2):
        yield "glCreateShader", (kind,), number
        yield "glShaderSource", (number, 1, (source,), None), None
        yield "glCompileShader", (number,), None
        yield "glAttachShader", (1, number), None
    yield "glBindAttribLocation", (1, 0, "p"), None
    yield "glLinkProgram", (1,), None
    yield "glUseProgram", (1,), None
    yield "glGetUniformLocation", (1, "shift"), 0
    data = np.array([[-1, -1, 0, 1], [1, -1, 0, 1], [0, 1, 0, 1]], np.float32)
    yield "glBindBuffer", (gl.GL_ARRAY_BUFFER, 1), None
    yield "glBufferData", (gl.GL_ARRAY_BUFFER, data.nbytes, data.tobytes(), gl.GL_STATIC_DRAW), None
    yield "glVertexAttribPointer", (0, 4, gl.GL_FLOAT, 0, 0, Offset(0)), None
    yield "glEnableVertexAttribArray", (0,), None
    yield "glViewport", (0, 0, W, H), None
    for frame in range(frames):
        yield "glClear", (gl.GL_COLOR_BUFFER_BIT,), None
        yield "glUniform1f", (0, 0.1 * (frame % 5)), None
        yield "glDrawArrays", (gl.GL_TRIANGLES, 0, 3), None
        if swap:
            yield "traceSwap", (1, "eglSwapBuffers"), None


def write(path, program):
    with TraceWriter(path) as writer:
        for name, args, result in program:
            writer.write(name, args, None, result, thread=1, context=1)
    return path


@pytest.fixture
def trace(tmp_path):
    return write(tmp_path / "t.gltrace", calls())


def test_frames_and_pictures(trace):
    frames = list(replay.frames(trace, columns=ALL_COLUMNS))
    assert [f.frame for f in frames] == [0, 1, 2]
    assert all(f.rule is FrameRule.SWAP for f in frames)
    assert [f["draws"].num_rows for f in frames] == [1, 1, 1]
    pictures = dict(replay.pictures(trace))
    assert all((pictures[f.frame] == f.picture).all() for f in frames)
    moved = [int(np.flatnonzero(picture.any(axis=(0, 2))).min()) for picture in pictures.values()]
    assert moved[0] < moved[1] < moved[2]
    assert (frames[0].width, frames[0].height) == (W, H)


def test_ranges_equal_the_whole(trace):
    whole = list(replay.frames(trace, columns=ALL_COLUMNS))
    part = list(replay.frames(trace, columns=ALL_COLUMNS, frames=(1, 2)))
    assert [f.frame for f in part] == [1, 2]
    for a, b in zip(whole[1:], part, strict=True):
        assert (a.picture == b.picture).all()
        assert all((a[t][c] == b[t][c]).all() for t in a.tables for c in a[t])
    assert [f.frame for f in replay.frames(trace, frames=(2, 99))] == [2]
    with pytest.raises(UsageError, match="no frame 3"):
        replay.frames(trace, frames=(3, 4))
    with pytest.raises(UsageError, match="no range"):
        replay.frames(trace, frames=(2, 1))


def test_whoever_takes_a_frame_has_it_alone(trace):
    """Its memory comes back when they let go of it, not when the next one is asked for."""
    with replay.frames(trace, columns=MODEL_COLUMNS) as played:
        frame = next(played)
        assert sys.getrefcount(frame) == 2


def test_a_program_without_swaps_is_one_frame(tmp_path):
    path = write(tmp_path / "t.gltrace", calls(2, swap=False))
    frames = list(replay.frames(path))
    assert [(f.frame, f.rule) for f in frames] == [(0, FrameRule.PROGRAM_END)]
    assert frames[0]["draws"].num_rows == 2


def test_a_cut_trace_yields_the_whole_frames(tmp_path):
    path = write(tmp_path / "t.gltrace", calls(400))
    data = path.read_bytes()
    cut = tmp_path / "cut.gltrace"
    cut.write_bytes(data[: len(data) * 3 // 5])
    try:
        played = replay.frames(cut, columns=ColumnSet(()))
    except ToolError:
        return  # nothing whole is left of so small a trace: said so
    numbers = [f.frame for f in played]
    assert played.partial
    assert numbers == list(range(len(numbers)))
    assert len(numbers) < 400


HOSTILE = [
    ("glDrawArrays", (gl.GL_TRIANGLES, 0, 2**31 - 1)),
    ("glDrawArrays", (gl.GL_TRIANGLES, 2**31 - 4, 3)),
    ("glDrawArrays", (gl.GL_TRIANGLES, 1000, 3)),
    ("glDrawElements", (gl.GL_TRIANGLES, 6, gl.GL_UNSIGNED_INT, b"\xff" * 24)),
    ("glDrawElements", (gl.GL_TRIANGLES, 6, gl.GL_UNSIGNED_SHORT, b"")),
    ("glDrawArraysInstanced", (gl.GL_TRIANGLES, 0, 3, 2**31 - 1)),
    ("glViewport", (-(2**31), -(2**31), 2**31 - 1, 2**31 - 1)),
    ("glViewport", (2**31 - 1, 2**31 - 1, 1, 1)),
    ("glViewport", (2**31 - 1, 0, 2**31 - 1, 2**31 - 1)),
    ("glScissor", (2**31 - 1, 0, 2**32 - 1, 8)),
    ("glScissor", (2**31 - 1, 2**31 - 1, 2**31 - 1, 2**31 - 1)),
    ("glDepthRangef", (float("nan"), float("inf"))),
    ("glPolygonOffset", (float("inf"), float("nan"))),
    ("glScissor", (2**31 - 1, -(2**31), 0, 0)),
    ("glStencilFunc", (gl.GL_ALWAYS, 2**40, 2**40)),
    ("glLineWidth", (1e30,)),
    ("glLineWidth", (float("inf"),)),
    ("glLineWidth", (float("nan"),)),
    ("glUniform1f", (0, float("nan"))),
    ("glUniform1f", (0, 1e38)),
    ("glBlendColor", (float("nan"),) * 4),
    ("glReadPixels", (2**31 - 8, 0, 8, 8, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)),
    ("glCopyTexImage2D", (gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, -5, -5, 2**15, 4, 0)),
    ("glTexImage2D", (gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 8, 8, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, b"short")),
    ("glVertexAttribPointer", (0, 4, gl.GL_FLOAT, 0, 2**31 - 1, Offset(2**40))),
    ("glVertexAttribPointer", (0, 4, gl.GL_FLOAT, 0, 1, Offset(47))),
    ("glBufferData", (gl.GL_ARRAY_BUFFER, 0, None, gl.GL_STATIC_DRAW)),
]


@pytest.mark.parametrize("name_args", HOSTILE, ids=lambda c: c[0])
def test_hostile_calls_end_in_an_error_or_a_picture(name_args):
    from replay.engine.engine import Engine
    from traceformat.gles.tracker import Tracker

    engine = Engine(ALL_COLUMNS)
    tracker = Tracker(engine, remap=True)
    program = [*calls(1, swap=False), (*name_args, None)]
    program += [("glEnable", (cap,), None) for cap in (gl.GL_SCISSOR_TEST, gl.GL_BLEND, gl.GL_POLYGON_OFFSET_FILL)]
    program += [("glDrawArrays", (mode, 0, 3), None) for mode in (gl.GL_TRIANGLES, gl.GL_LINES, gl.GL_POINTS)]
    try:
        for number, (name, args, result) in enumerate(program):
            tracker.execute(Call(number, name, 1, 1, 0, args, result=result))
        frame = engine.end_frame(0, FrameRule.SWAP)
    except ToolError:
        return
    q = frame["quads"]
    assert (q["x"].astype(int) * 2 < W).all()
    assert (q["y"].astype(int) * 2 < H).all()


def test_endless_loops_are_stopped():
    from replay.engine.engine import Engine
    from traceformat.gles.tracker import Tracker

    program = list(calls(1))
    at = next(i for i, c in enumerate(program) if c[0] == "glShaderSource" and c[1][0] == 3)
    source = """precision highp float; varying vec4 v;
    void main() { float s = v.x; while (s < 9.0) s *= 1.0; gl_FragColor = vec4(s); }"""
    program[at] = ("glShaderSource", (3, 1, (source,), None), None)
    tracker = Tracker(Engine(ColumnSet(())), remap=True)

    def play():
        for number, (name, args, result) in enumerate(program):
            tracker.execute(Call(number, name, 1, 1, 0, args, result=result))

    with pytest.raises(ReplayError, match="loop"):
        play()


def test_memory_stays_flat(tmp_path):
    """Columns of released frames are used again."""
    from replay.engine.columns import ColumnPool

    held = []
    original = ColumnPool.take_octets

    def counting(self, num_bytes):
        block = original(self, num_bytes)
        held.append(sum(size * len(blocks) for size, blocks in self._blocks.items()))
        return block

    path = write(tmp_path / "t.gltrace", calls(60))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ColumnPool, "take_octets", counting)
        marks = []
        for frame in replay.frames(path, columns=ALL_COLUMNS):
            marks.append(held[-1])
            del frame
    assert marks[-1] == marks[10], marks


@pytest.mark.parametrize("threads", [1, 2])
def test_resident_memory_is_flat_over_a_thousand_frames(threads):
    """A looped trace: what the tenth frame left is all that there will be, but for what the allocator rounds up."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        pytest.skip("no /proc/self/statm")
    program = [(name, args, result) for name, args, result in calls(5)]
    start = next(at for at, (name, _, _) in enumerate(program) if name == "glClear")
    engine = Engine(MODEL_COLUMNS, threads=threads)
    tracker = Tracker(engine, remap=True)
    marks, number, frame = {}, 0, 0
    while frame < 1000:
        for name, args, result in program if number == 0 else program[start:]:
            tracker.execute(Call(number, name, 1, 1, 0, args, result=result))
            number += 1
            if name == "traceSwap":
                trace = engine.end_frame(frame, FrameRule.SWAP)
                assert len(trace["quads"]["x"]) > 100
                del trace
                frame += 1
                if frame in (10, 1000):
                    gc.collect()
                    marks[frame] = int(statm.read_text().split()[1]) * resource.getpagesize()
    engine.close()
    assert marks[1000] - marks[10] < 2 << 20, marks


@pytest.mark.parametrize("threads", [1, 2])
def test_a_closed_engine_leaves_nothing_to_the_collector(tmp_path, threads):
    """Its memory is free at once: a cycle would keep it until Python looks for cycles, which tables of numbers never
    make it do."""
    path = write(tmp_path / "t.gltrace", calls(3))
    large = ("DrawBatch", "DrawPipeline", "Engine", "LinkedProgram", "Pipeline", "Tables", "TextureMemory", "Tracker")

    def play():
        return sum(len(frame["quads"]["x"]) for frame in replay.frames(path, columns=MODEL_COLUMNS, threads=threads))

    def alive():
        return sorted(type(item).__name__ for item in gc.get_objects() if type(item).__name__ in large)

    play()
    gc.collect()
    gc.disable()
    try:
        others = alive()  # what other tests still hold
        assert play() > 300
        assert alive() == others
    finally:
        gc.enable()


def unreachable(work):
    """Types of the objects that a piece of work leaves for the collector to find."""
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        work()
        gc.collect()
        return Counter(type(item).__qualname__ for item in gc.garbage)
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


@pytest.mark.parametrize("scene", SCENES)
def test_a_replay_leaves_no_rings(tmp_path, scene):
    """Small ones count, too: between two looks of the collector those of hundreds of replays tear memory to pieces,
    and a process grows for as long as it replays."""
    path = tmp_path / "t.gltrace"
    write_trace(path, SCENES[scene]())

    def play():
        assert len(list(replay.frames(path, columns=MODEL_COLUMNS, threads=1))) > 1

    play()  # what is compiled first leaves rings of its own
    assert not unreachable(play)


@pytest.mark.parametrize("wrong", [("glDeleteSync", (16,), None), ("glUniform1f", (1234, 1.0), None)])
def test_a_replay_that_ends_after_a_gl_error_leaves_no_rings(tmp_path, wrong):
    """An error knows the frames that it went through, and those the tracker with all buffers."""
    impossible = ("glViewport", (1 << 40, 0, 1, 1), None)
    path = write(tmp_path / "t.gltrace", [*calls(1), wrong, impossible, ("traceSwap", (1, "eglSwapBuffers"), None)])

    def play():
        with contextlib.suppress(ReplayError):
            list(replay.frames(path, threads=1))

    with pytest.raises(ReplayError):
        list(replay.frames(path, threads=1))
    assert not unreachable(play)


def test_compiling_a_shader_leaves_no_rings():
    source = "precision highp float; float f() { return 1.0; } void main() { gl_FragColor = vec4(f()); }"

    def compiled():
        assert compile_shader(source, "fragment", CompileOptions(es=True)).ok

    compiled()
    assert not unreachable(compiled)


def test_import_is_light():
    code = "import sys, replay; sys.exit(any(m in sys.modules for m in ('numba', 'llvmlite', 'numpy')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
