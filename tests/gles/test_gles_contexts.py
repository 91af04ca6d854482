"""Contexts, share groups, drawables, threads and frames."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from traceformat.errors import ReplayError
from traceformat.gles import enums as gl
from traceformat.gles.limits import Limits


def _context(es: Any, name: int, share: int = 0, bits: tuple[int, ...] = (8, 8, 8, 8, 24, 8), samples: int = 0) -> None:
    es.traceContext(name, 0, 3, 0, 0, *bits, samples, share)


def test_first_current_sets_viewport_and_scissor(es: Any) -> None:
    assert es.ints(gl.GL_VIEWPORT) == (0, 0, 64, 48)
    assert es.ints(gl.GL_SCISSOR_BOX) == (0, 0, 64, 48)
    es.glViewport(1, 2, 3, 4)
    es.traceDrawable(2, 10, 10, 1)
    es.traceMakeCurrent(1, 2, 2)
    assert es.ints(gl.GL_VIEWPORT) == (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("bits", "formats"),
    [
        ((8, 8, 8, 8, 24, 8), (gl.GL_RGBA8, gl.GL_DEPTH24_STENCIL8, gl.GL_DEPTH24_STENCIL8)),
        ((5, 6, 5, 0, 16, 0), (gl.GL_RGB565, gl.GL_DEPTH_COMPONENT16, None)),
        ((8, 8, 8, 0, 0, 0), (gl.GL_RGB8, None, None)),
        ((8, 8, 8, 8, 16, 8), (gl.GL_RGBA8, gl.GL_DEPTH_COMPONENT16, gl.GL_STENCIL_INDEX8)),
    ],
)
def test_planes_follow_the_configuration(es: Any, bits: tuple[int, ...], formats: tuple[int | None, ...]) -> None:
    _context(es, 2, bits=bits, samples=4)
    es.traceDrawable(2, 10, 20, 0)
    es.traceMakeCurrent(2, 2, 2)
    (drawable,) = es.backend.last("define_drawable")
    planes = (drawable.color, drawable.depth, drawable.stencil)
    assert tuple(plane.format if plane else None for plane in planes) == formats
    assert (drawable.color.width, drawable.color.height, drawable.color.samples) == (10, 20, 4)
    assert es.get(gl.GL_SAMPLES) == 4
    assert (drawable.depth is drawable.stencil) == (formats[1] == formats[2])


def test_surfaceless_contexts_have_no_default_framebuffer(es: Any) -> None:
    es.traceMakeCurrent(1, 0, 0)
    assert es.glCheckFramebufferStatus(gl.GL_FRAMEBUFFER) == gl.GL_FRAMEBUFFER_UNDEFINED
    es.glClear(gl.GL_COLOR_BUFFER_BIT)
    assert es.error() == gl.GL_INVALID_FRAMEBUFFER_OPERATION


def test_resize_makes_new_planes(es: Any) -> None:
    old = es.context.default_framebuffer.color[0].image
    used = es.tracker.allocated_bytes
    es.traceResize(1, 32, 24)
    new = es.context.default_framebuffer.color[0].image
    assert (new.width, new.height) == (32, 24)
    assert new is not old
    assert es.tracker.allocated_bytes == used // 4
    assert es.ints(gl.GL_VIEWPORT) == (0, 0, 64, 48)
    es.backend.seen.clear()
    es.traceResize(1, 32, 24)
    assert es.backend.names() == []


def test_share_groups(es: Any) -> None:
    texture = es.texture()
    array = es.gen("glGenVertexArrays")
    es.glBindVertexArray(array)
    _context(es, 2, share=1)
    _context(es, 3)
    es.traceMakeCurrent(2, 1, 1)
    assert es.glIsTexture(texture) == 1
    # Containers are never shared.
    assert es.glIsVertexArray(array) == 0
    es.traceMakeCurrent(3, 1, 1)
    assert es.glIsTexture(texture) == 0


def test_state_belongs_to_the_context(es: Any) -> None:
    es.glEnable(gl.GL_BLEND)
    _context(es, 2)
    es.traceMakeCurrent(2, 1, 1)
    assert es.glIsEnabled(gl.GL_BLEND) == 0
    es.traceMakeCurrent(1, 1, 1)
    assert es.glIsEnabled(gl.GL_BLEND) == 1


def test_threads(es: Any) -> None:
    _context(es, 2)
    es.thread = 2
    es.glEnable(gl.GL_BLEND)
    es.traceMakeCurrent(2, 1, 1)
    assert es.glIsEnabled(gl.GL_BLEND) == 0
    es.glEnable(gl.GL_CULL_FACE)
    es.thread = 1
    assert es.glIsEnabled(gl.GL_CULL_FACE) == 0
    # A context is current in one thread only.
    es.traceMakeCurrent(2, 1, 1)
    es.thread = 2
    assert es.glIsEnabled(gl.GL_CULL_FACE) is None


def test_draw_and_read_drawables_may_differ(es: Any) -> None:
    es.traceDrawable(2, 10, 10, 1)
    es.traceMakeCurrent(1, 1, 2)
    c = es.context
    assert c.draw_framebuffer.color[0].image.width == 64
    assert c.read_framebuffer.color[0].image.width == 10
    es.complete_framebuffer()
    es.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
    assert c.read_framebuffer.color[0].image.width == 10
    es.traceMakeCurrent(1, 1, 1)
    assert c.read_framebuffer is c.draw_framebuffer


def test_frames(es: Any) -> None:
    es.traceSwap(1, "glfwSwapBuffers")
    es.traceFrame("menu")
    es.glFinish()
    assert es.context.draw_drawable.frame == 1
    assert es.backend.last("frame") == ("menu",)
    assert es.backend.names()[-3:] == ["swap", "frame", "finish"]


def test_a_destroyed_context_lasts_while_it_is_current(es: Any) -> None:
    es.traceDestroyContext(1)
    es.glEnable(gl.GL_BLEND)
    assert es.glIsEnabled(gl.GL_BLEND) == 1
    with pytest.raises(ReplayError, match="context 1 does not exist"):
        es.traceMakeCurrent(1, 1, 1)


def test_the_last_context_of_a_group_takes_its_objects_with_it(es: Any) -> None:
    before = es.tracker.allocated_bytes
    for name in range(2, 40):
        _context(es, name)
        es.traceMakeCurrent(name, 1, 1)
        es.texture()
        es.glTexStorage2D(gl.GL_TEXTURE_2D, 1, gl.GL_RGBA8, 100, 100)
        es.complete_framebuffer()
        es.glBindBuffer(gl.GL_ARRAY_BUFFER, es.gen("glGenBuffers"))
        es.glBufferData(gl.GL_ARRAY_BUFFER, 1000, None, gl.GL_STATIC_DRAW)
        assert es.tracker.allocated_bytes == before + 41000 + 256
        es.traceDestroyContext(name)
        # It lasts while it is current.
        assert es.tracker.allocated_bytes == before + 41000 + 256
        es.traceMakeCurrent(1, 1, 1)
        assert es.tracker.allocated_bytes == before


@pytest.mark.parametrize(
    ("name", "args", "message"),
    [
        ("traceMakeCurrent", (7, 1, 1), "context 7 does not exist"),
        ("traceMakeCurrent", (1, 7, 1), "drawable 7 does not exist"),
        ("traceSwap", (7, "x"), "drawable 7 does not exist"),
        ("traceResize", (7, 1, 1), "drawable 7 does not exist"),
        ("traceDrawable", (2, 1 << 30, 1, 0), "drawable of 1073741824 x 1 pixels"),
        ("traceDrawable", (2, -1, 1, 0), "drawable of -1 x 1 pixels"),
        ("traceContext", (2, 0, 3, 0, 0, 8, 8, 8, 8, 24, 8, 0, 9), "context 9, which does not exist"),
        ("traceContext", (2, 5, 3, 0, 0, 8, 8, 8, 8, 24, 8, 0, 0), "unknown API 5"),
        ("traceClientArray", (99, 0, b""), "client-side array 99"),
    ],
)
def test_bad_trace_commands(es: Any, name: str, args: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ReplayError, match=message):
        es.call(name, *args)


def test_number_of_contexts_is_limited(session: Any) -> None:
    es = session(gles_limits=Limits(max_contexts=3))
    _context(es, 2)
    _context(es, 3)
    with pytest.raises(ReplayError, match="4 contexts, more than the limit contexts=3"):
        _context(es, 4)


def test_a_drawable_over_the_limit_of_memory_is_no_gl_error(session: Any) -> None:
    es = session(gles_limits=Limits(max_total_bytes=1 << 20))
    es.traceMakeCurrent(0, 0, 0)
    es.traceDrawable(2, 2048, 2048, 1)
    with pytest.raises(ReplayError, match="2048 x 2048 pixels takes too much, more than the limit memory="):
        es.traceMakeCurrent(1, 2, 2)
    es.traceMakeCurrent(1, 1, 1)
    with pytest.raises(ReplayError, match="limit memory="):
        es.traceResize(1, 4096, 64)


def test_errors_stick_until_asked_for(es: Any) -> None:
    es.glEnable(gl.GL_RGBA)
    es.glViewport(0, 0, -1, 0)
    assert es.context.error_message.startswith("capability")
    assert es.error() == gl.GL_INVALID_ENUM
    assert es.error() == gl.GL_NO_ERROR
    assert es.tracker.failure is None


def test_lowest_free_names_are_given(es: Any) -> None:
    assert [es.gen("glGenTextures"), es.gen("glGenTextures"), es.gen("glGenTextures")] == [1, 2, 3]
    es.glDeleteTextures(1, struct.pack("<I", 2))
    assert [es.gen("glGenTextures"), es.gen("glGenTextures")] == [2, 4]
    es.glBindTexture(gl.GL_TEXTURE_2D, 6)
    assert es.gen("glGenTextures", 2) == 5
