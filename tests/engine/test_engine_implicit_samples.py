"""EXT_multisampled_render_to_texture: as a renderbuffer of samples that is resolved into the texture."""

import numpy as np
import pytest
from gl_program import COLOR_FS, COLOR_VS, Program, triangles
from implicit_samples import SIZE, attach, draw, show, texture

from replay.engine import targets
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import ALL_COLUMNS, ColumnSet, LoadOp


def resolved(p, *, implicit):
    if not implicit:
        p("glBindFramebuffer", gl.GL_READ_FRAMEBUFFER, 1)
        p("glBindFramebuffer", gl.GL_DRAW_FRAMEBUFFER, 2)
        p("glBlitFramebuffer", 0, 0, *SIZE, 0, 0, *SIZE, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)
    p("glBindFramebuffer", gl.GL_FRAMEBUFFER, 1 if implicit else 2)
    p("glReadPixels", 0, 0, *SIZE, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
    return p.tracker.outputs["pixels"]


def scene(p, implicit, draw):
    rng = np.random.default_rng(3)
    texture(p)
    attach(p, implicit=implicit)
    p.program(COLOR_VS, COLOR_FS, p=0, c=1)
    p.buffer(triangles(rng, 40))
    p.attribute(0, 4, 32, 0)
    p.attribute(1, 4, 32, 16)
    p("glViewport", 0, 0, *SIZE)
    p("glEnable", gl.GL_DEPTH_TEST)
    p("glEnable", gl.GL_STENCIL_TEST)
    p("glStencilOp", gl.GL_KEEP, gl.GL_INVERT, gl.GL_INCR)
    p.clear(0.25, 0.5, 0.75, 1.0)
    draw(p, 0, 60)
    draw(p, 60, 60)


@pytest.mark.parametrize("executor", ["llvm", "numpy"])
def test_it_is_a_renderbuffer_that_is_resolved(executor):
    read = []
    for implicit in (False, True):
        p = Program(ALL_COLUMNS, size=SIZE, executor=executor)
        scene(p, implicit, draw)
        read.append(resolved(p, implicit=implicit))
        p.engine.close()
    assert len(np.unique(np.frombuffer(read[0], np.uint32))) > 200
    assert read[0] == read[1]


def test_what_samples_the_texture_finds_it_resolved():
    p = Program(ColumnSet(()), size=SIZE)
    scene(p, True, draw)
    show(p)
    frame = p.swap()
    wanted = resolved(p, implicit=True)
    assert frame.picture.tobytes() == wanted


def test_what_looks_at_the_texture_within_the_pass_finds_it_resolved():
    p = Program(ColumnSet(()), size=SIZE)
    scene(p, True, draw)
    image = p.tracker.contexts[1].group.textures.get(1).images[0, 0]
    assert p.engine.image_contents(image) == resolved(p, implicit=True)


def test_a_pass_that_follows_finds_the_resolved_pixels_in_all_samples():
    """After a resolve the samples are gone: a flush between two draws leaves edges that are drawn over smooth ones."""
    p = Program(ALL_COLUMNS, size=SIZE)
    scene(p, True, lambda p, first, count: (p("glFlush"), draw(p, first, count)))
    found = np.frombuffer(resolved(p, implicit=True), np.uint8).reshape(*SIZE[::-1], 4)
    one = Program(ALL_COLUMNS, size=SIZE)
    scene(one, True, draw)
    whole = np.frombuffer(resolved(one, implicit=True), np.uint8).reshape(*SIZE[::-1], 4)
    differs = (found != whole).any(axis=2)
    assert 0 < differs.mean() < 0.2, "only edges"
    row = p.swap()["passes"]
    assert list(row["samples"][:3]) == [4, 4, 4]
    assert int(row["color_load"][1][0]) == LoadOp.LOAD
    assert int(row["color_address"][0][0]) == int(row["color_address"][1][0])


def test_what_the_texture_is_given_is_what_a_pass_begins_with():
    p = Program(ColumnSet(()), size=SIZE)
    content = np.random.default_rng(4).integers(0, 256, (*SIZE[::-1], 4)).astype(np.uint8)
    texture(p, content)
    attach(p, implicit=True)
    p("glEnable", gl.GL_SCISSOR_TEST)
    p("glScissor", 10, 8, 5, 5)
    p("glClearColor", 1.0, 0.0, 0.0, 1.0)
    p("glClear", gl.GL_COLOR_BUFFER_BIT)
    p("glBindTexture", gl.GL_TEXTURE_2D, 1)
    p("glTexSubImage2D", gl.GL_TEXTURE_2D, 0, 0, 0, 3, 1, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, bytes(range(12)))
    p("glScissor", 30, 8, 5, 5)
    p("glClear", gl.GL_COLOR_BUFFER_BIT)
    for x in (10, 30):
        content[8:13, x : x + 5] = (255, 0, 0, 255)
    content[0, :3] = np.arange(12).reshape(3, 4)
    assert resolved(p, implicit=True) == content.tobytes()


def test_samples_that_nobody_asked_for_by_name_are_memory_too(monkeypatch):
    asked = []
    monkeypatch.setattr(targets, "check_process_memory", asked.append)
    scene(Program(ColumnSet(()), size=SIZE), implicit=True, draw=draw)
    assert asked == [4 * 4 * SIZE[0] * SIZE[1]]
