"""What passes know of images: it begins anew with each frame, and ends with the images."""

import gc

from gl_program import Program

from replay.engine import passes
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import MODEL_COLUMNS


def draw_to_new_textures(p, first, count):
    """Clear as many new textures, each by a framebuffer of its own, and delete both."""
    for name in range(first, first + count):
        p("glBindTexture", gl.GL_TEXTURE_2D, name)
        p("glTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 8, 8, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
        p("glBindFramebuffer", gl.GL_FRAMEBUFFER, name)
        p("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, name, 0)
        p.clear(0.1, 0.2, 0.3, 1.0)
    names = b"".join(name.to_bytes(4, "little") for name in range(first, first + count))
    p("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
    p("glBindTexture", gl.GL_TEXTURE_2D, 0)
    p("glDeleteFramebuffers", count, names)
    p("glDeleteTextures", count, names)


def test_images_that_are_gone_are_forgotten():
    p = Program(MODEL_COLUMNS)
    known = p.engine.recorder.passes._contents
    most = []
    for frame in range(3 * passes._PATIENCE):
        draw_to_new_textures(p, 1, 20)
        p.clear(0.0, 0.0, 0.0, 1.0)
        p.swap(frame)
        gc.collect()
        most.append(len(known))
    p.engine.close()
    # Those of a frame may be held by what was drawn last.
    assert max(most) <= passes._FEW_IMAGES + 20 * passes._PATIENCE
    assert min(most[passes._PATIENCE :]) <= 24


def test_who_wrote_an_image_is_known_within_a_frame_alone():
    p = Program(MODEL_COLUMNS)
    draw_to_new_textures(p, 1, 3)
    states = list(p.engine.recorder.passes._contents.values())
    assert {state.written_by for state in states} - {-1}
    p.swap(0)
    assert {state.written_by for state in states} == {-1}
    p.engine.close()
