"""Real programs on every library, under both drivers: what is recorded, and that both say the same."""

from __future__ import annotations

import importlib.util
import json
import struct

import numpy as np
import pytest
from native_objects import WITHOUT_HOOKS

import replay
from traceformat.calls import CallFlags, Offset

DRIVERS = ["null", pytest.param("system", marks=pytest.mark.gl)]
NEEDS_WINDOW = pytest.mark.skipif(
    importlib.util.find_spec("moderngl_window") is None, reason="moderngl-window is not installed"
)
PROGRAMS = [
    pytest.param("gles2_glfw", (), 3, id="gles2-glfw"),
    pytest.param("gles3_egl", (), 2, id="gles3-egl"),
    pytest.param("direct_state", (), 2, id="direct-state"),
    pytest.param("cube_arrays", (), 1, id="cube-arrays"),
    pytest.param("moderngl_standalone", (), 3, id="moderngl-standalone"),
    pytest.param("moderngl_compute", (), 3, id="moderngl-compute"),
    pytest.param("moderngl_glfw", (), 3, id="moderngl-glfw"),
    pytest.param("windowed", ("--window", "headless"), 4, id="moderngl-window-headless", marks=NEEDS_WINDOW),
    pytest.param("windowed", ("--window", "glfw"), 4, id="moderngl-window-glfw", marks=NEEDS_WINDOW),
    pytest.param("raw_ctypes", (), 2, id="raw-ctypes"),
    pytest.param("two_windows", (), 6, id="two-windows"),
]


@pytest.mark.parametrize(("program", "arguments", "frames"), PROGRAMS)
def test_null_driver_needs_no_gl_library(captured, program, arguments, frames):
    done = captured(program, *arguments)
    assert (done.status, done.stderr.count("Traceback")) == (0, 0), done.stderr
    assert "MAPPED []" in done.stdout
    assert done.num_frames() == frames


@pytest.mark.gl
@pytest.mark.parametrize(("program", "arguments", "frames"), PROGRAMS)
def test_null_and_system_say_the_same(captured, program, arguments, frames):
    null, system = captured(program, *arguments), captured(program, *arguments, driver="system")
    assert (null.status, system.status) == (0, 0), null.stderr + system.stderr
    assert system.num_frames() == frames
    assert null.canonical() == system.canonical()


@pytest.mark.parametrize("driver", DRIVERS)
def test_client_memory_is_recorded_before_the_draw(captured, driver):
    done = captured("gles2_glfw", driver=driver)
    calls = done.calls()
    draws = [i for i, call in enumerate(calls) if call.name in ("glDrawElements", "glDrawArrays")][:2]
    assert [calls[i].name for i in draws] == ["glDrawElements", "glDrawArrays"]
    indexed, plain = (calls[i - 1] for i in draws)
    assert indexed.name == plain.name == "traceClientArray"
    assert indexed.flags & CallFlags.SYNTHETIC
    # Vertices 0..2 of four; then two, from the first one of the draw on.
    assert (indexed.args[1], struct.unpack("6f", indexed.args[2])) == (0, (-1, -1, 1, -1, 0, 1))
    assert (plain.args[1], struct.unpack("4f", plain.args[2])) == (1, (1, -1, 0, 1))
    assert calls[draws[0]].args[3] == struct.pack("3H", 0, 1, 2)
    pointer = next(call for call in calls if call.name == "glVertexAttribPointer")
    assert pointer.args[5] is None


@pytest.mark.parametrize("driver", DRIVERS)
def test_markers_are_recorded(captured, driver):
    calls = captured("gles2_glfw", driver=driver).calls()
    groups = [(call.name, *call.args) for call in calls if "Debug" in call.name or "Marker" in call.name]
    of_a_frame = [
        ("glPushGroupMarkerEXT", 0, "triangle"),
        ("glPushDebugGroupKHR", 0x824A, 0, -1, "inner"),
        ("glPopDebugGroupKHR",),
        ("glInsertEventMarkerEXT", 0, "done"),
        ("glPopGroupMarkerEXT",),
    ]
    assert groups == of_a_frame * 3


@pytest.mark.parametrize("driver", DRIVERS)
def test_contexts_drawables_and_swaps(captured, driver):
    calls = captured("gles3_egl", driver=driver).calls()
    context = calls[0]
    assert context.name == "traceContext"
    assert context.args[:2] == (1, 0)
    assert context.args[2] == 3
    assert all(bits >= 8 for bits in context.args[5:8])
    assert [call.args for call in calls if call.name == "traceDrawable"] == [(1, 40, 30, 1)]
    assert [call.args for call in calls if call.name == "traceMakeCurrent"] == [(1, 1, 1), (0, 0, 0)]
    assert [call.args for call in calls if call.name == "traceSwap"] == [(1, "eglSwapBuffers")] * 2
    assert calls[-1].name == "traceDestroyContext"


@pytest.mark.parametrize("driver", DRIVERS)
def test_buffers_mappings_textures_and_handles(captured, driver):
    calls = captured("gles3_egl", driver=driver).calls()
    named = {call.name: call for call in calls}
    written = named["traceMappedWrite"]
    assert written.flags & CallFlags.SYNTHETIC
    assert (written.args[1], struct.unpack("4f", written.args[2])) == (8, (1, -1, 0, 1))
    assert calls[calls.index(written) + 1].name == "glUnmapBuffer"
    assert named["glMapBufferRange"].result is None
    assert isinstance(named["glDrawElements"].args[3], Offset)
    assert isinstance(named["glVertexAttribPointer"].args[5], Offset)
    assert named["glTexImage2D"].args[8] == bytes(range(18))
    assert named["glShaderSource"].args[2][0].startswith("#version 300 es")
    fences = [call.result for call in calls if call.name == "glFenceSync"]
    assert all(isinstance(fence, int) and 0 < fence < 10 for fence in fences)
    assert len(struct.unpack("2I", named["glGenBuffers"].outputs["buffers"])) == 2


@pytest.mark.parametrize("driver", DRIVERS)
def test_threads_lose_no_call(captured, driver):
    calls = captured("threads", driver=driver).calls()
    by_thread = {
        thread: [call.args[2] for call in calls if call.name == "glViewport" and call.thread == thread]
        for thread in {call.thread for call in calls}
    }
    lists = [widths for widths in by_thread.values() if widths]
    assert sorted(len(widths) for widths in lists) == [500] * 4
    assert all(len(set(widths)) == 1 for widths in lists)
    assert len({call.context for call in calls if call.name == "glClear"}) == 4


@pytest.mark.parametrize("driver", DRIVERS)
def test_share_groups_and_resizes(captured, driver):
    calls = captured("two_windows", driver=driver).calls()
    contexts = [(call.args[0], call.args[12]) for call in calls if call.name == "traceContext"]
    assert contexts == [(1, 0), (2, 1)], "the window that is never current leaves no mark"
    assert [call.args[:3] for call in calls if call.name == "traceDrawable"] == [(1, 60, 40), (2, 30, 20)]
    assert [call.args for call in calls if call.name == "traceResize"] == [(1, 80, 50)]
    assert [call.args[0] for call in calls if call.name == "traceSwap"] == [1, 2] * 3


@pytest.mark.gl
def test_a_context_made_in_c_is_noticed(captured):
    calls = captured("foreign_context", driver="system").calls()
    assert [call.name for call in calls] == ["traceContext", "traceDrawable", "traceMakeCurrent", "glClear", "glFinish"]
    assert calls[0].args[:2] == (1, 0)
    assert calls[1].args[1:3] == (24, 16)
    assert [call.context for call in calls[-2:]] == [1, 1]


@pytest.mark.gl
def test_programs_that_compute_see_the_pixels_that_mesa_gives(captured):
    """The null driver has the version that is asked for, and answers reads by the engine."""
    null, system = (int(captured("moderngl_compute", driver=one).stdout.splitlines()[0]) for one in ("null", "system"))
    assert null == system > 1_000_000


def test_queries_that_describe_the_driver_are_dropped(captured):
    names = captured("moderngl_standalone").names()
    assert "glGetStringi" not in names
    assert "glGetError" not in names
    assert "glGetIntegerv" in names


def test_reads_of_buffers_are_the_programs_own(captured):
    assert captured("moderngl_standalone").stdout.splitlines()[0] == "3072 True"


BUFFERS = [
    [[255, 0], [255, 64], [255, 128], [255, 191], *[[0, 0]] * 12],
    [[0, 255], *[[0, 0]] * 4, [0, 255], [0, 255], *[[0, 0]] * 5, [255, 0], [0, 0], [0, 0], [255, 0]],
]


@pytest.mark.parametrize("driver", ["null", pytest.param("system", marks=pytest.mark.gl)])
def test_persistent_mappings_and_several_draws_of_client_memory(captured, driver):
    result = captured("buffers", driver=driver)
    assert result.status == 0, result.stderr
    assert [json.loads(line) for line in result.stdout.splitlines()[:2]] == BUFFERS
    shown = [
        [[int(value) for value in picture[16 * y + 8, 16 * x + 8, :2]] for y in range(4) for x in range(4)]
        for _, picture in replay.pictures(result.trace)
    ]
    assert shown == BUFFERS


@pytest.mark.gl
def test_buffers_are_the_same_under_both_drivers(captured):
    assert captured("buffers").canonical() == captured("buffers", driver="system").canonical()


NEEDS_PYGLET = pytest.mark.skipif(importlib.util.find_spec("pyglet") is None, reason="pyglet is not installed")
NEEDS_VISPY = pytest.mark.skipif(importlib.util.find_spec("vispy") is None, reason="vispy is not installed")
NEEDS_PYGAME = pytest.mark.skipif(importlib.util.find_spec("pygame") is None, reason="pygame is not installed")
OTHERS = [
    pytest.param("pygame_window", (), id="pygame", marks=NEEDS_PYGAME),
    pytest.param("pyglet_window", (), id="pyglet", marks=NEEDS_PYGLET),
    pytest.param("vispy_gloo", ("gl2", "glfw"), id="vispy-gl2", marks=NEEDS_VISPY),
    pytest.param("vispy_gloo", ("es2", "egl"), id="vispy-es2", marks=NEEDS_VISPY),
    pytest.param("vispy_gloo", ("gl+", "glfw"), id="vispy-gl+", marks=NEEDS_VISPY),
]


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize(("program", "arguments"), OTHERS)
def test_other_libraries_draw_and_read_back(captured, program, arguments, driver):
    result = captured(program, *arguments, driver=driver)
    assert result.status == 0, result.stderr
    assert result.num_frames() == 3
    pixels = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("[")]
    triangles = pixels[::2] if program == "pyglet_window" else pixels
    # Mesa gives pyglet a window with fewer bits than eight.
    assert all(abs(pixel[1] - 64 * number) <= 3 for number, pixel in enumerate(triangles))
    assert [pixel[0] for pixel in triangles] == [255] * 3
    if driver == "null":
        assert "MAPPED []" in result.stdout


@pytest.mark.skipif(importlib.util.find_spec("arcade") is None, reason="arcade is not installed")
@pytest.mark.parametrize("driver", DRIVERS)
def test_arcade_draws_with_geometry_shaders(captured, driver):
    """What both drivers record gives the same pictures."""
    result = captured("arcade_window", driver=driver)
    assert result.status == 0, result.stderr
    pictures = [picture for _, picture in replay.pictures(result.trace)]
    assert len(pictures) == 2
    for frame, picture in enumerate(pictures):
        red = (picture[..., :3] == (255, 0, 0)).all(axis=-1)
        assert abs(np.nonzero(red)[1].mean() - (30 + 10 * frame)) < 4
        assert 300 < red.sum() < 700
    if driver != "null":
        theirs = [picture for _, picture in replay.pictures(captured("arcade_window").trace)]
        assert all((ours == their).all() for ours, their in zip(pictures, theirs, strict=True))


def test_pyopengl_without_its_accelerator(capture):
    result = capture("gles2_glfw", prelude="import sys; sys.modules['OpenGL_accelerate'] = None")
    assert result.status == 0, result.stderr
    assert result.num_frames() == 3


def test_what_qt_hides_is_said_where_native_code_is_not_seen(capture, tmp_path):
    (tmp_path / "PySide6.py").write_text("")
    program = "import PySide6, moderngl\nmoderngl.create_standalone_context().simple_framebuffer((4, 4)).clear()\n"
    result = capture(program, prelude=WITHOUT_HOOKS)
    assert result.status == 0, result.stderr
    assert "gpucapture: PySide6 calls GL from C++" in result.stderr


@pytest.mark.parametrize("driver", DRIVERS)
def test_contexts_of_several_threads_in_turn_and_shared(captured, driver):
    result = captured("turns", driver=driver)
    assert result.status == 0, result.stderr
    assert result.stdout.splitlines()[:3] == [
        "same context [0, 255, 0, 255]",
        "shared texture [0, 255, 0, 255]",
        "other thread [255, 0, 0, 255]",
    ]
    made = [call for call in result.calls() if call.name == "traceContext"]
    assert [call.args[-1] for call in made] == [0, 1]
    assert len({call.thread for call in result.calls()}) == 3


@pytest.mark.gl
def test_turns_are_the_same_under_both_drivers(captured):
    assert captured("turns").canonical() == captured("turns", driver="system").canonical()
