"""Textures that are drawn to with several samples (EXT_multisampled_render_to_texture), and films of them."""

import numpy as np
from gl_program import COLOR_FS, COLOR_VS, Program, triangles

from gpumodel import VERIFIED_COLUMNS
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import ColumnSet

SIZE = (61, 43)
SHOW_VS = "attribute vec4 p; varying vec2 v; void main() { gl_Position = p; v = p.xy * 0.5 + 0.5; }"
SHOW_FS = "precision highp float; varying vec2 v; uniform sampler2D t; void main() { gl_FragColor = texture2D(t, v); }"
PLACE = (gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0)


def texture(p, content=None):
    p("glBindTexture", gl.GL_TEXTURE_2D, 1)
    data = None if content is None else content.tobytes()
    p("glTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, *SIZE, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, data)
    for name in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
        p("glTexParameteri", gl.GL_TEXTURE_2D, name, gl.GL_NEAREST)
    for name in (gl.GL_TEXTURE_WRAP_S, gl.GL_TEXTURE_WRAP_T):
        p("glTexParameteri", gl.GL_TEXTURE_2D, name, gl.GL_CLAMP_TO_EDGE)


def attach(p, *, implicit):
    """Framebuffer 1 draws to texture 1 with four samples, at once or by a renderbuffer; 2 has the texture."""
    p("glBindFramebuffer", gl.GL_FRAMEBUFFER, 2)
    p("glFramebufferTexture2D", *PLACE, gl.GL_TEXTURE_2D, 1, 0)
    p("glBindFramebuffer", gl.GL_FRAMEBUFFER, 1)
    for number, format in ((1, gl.GL_DEPTH24_STENCIL8), (2, gl.GL_RGBA8)):
        p("glBindRenderbuffer", gl.GL_RENDERBUFFER, number)
        p("glRenderbufferStorageMultisample", gl.GL_RENDERBUFFER, 4, format, *SIZE)
    if implicit:
        p("glFramebufferTexture2DMultisampleEXT", *PLACE, gl.GL_TEXTURE_2D, 1, 0, 4)
    else:
        p("glFramebufferRenderbuffer", *PLACE, gl.GL_RENDERBUFFER, 2)
    p("glFramebufferRenderbuffer", gl.GL_FRAMEBUFFER, gl.GL_DEPTH_STENCIL_ATTACHMENT, gl.GL_RENDERBUFFER, 1)
    assert p("glCheckFramebufferStatus", gl.GL_FRAMEBUFFER) == gl.GL_FRAMEBUFFER_COMPLETE


def draw(p, first, count):
    p("glDrawArrays", gl.GL_TRIANGLES, first, count)


def show(p):
    """Draw the texture into the window."""
    p("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
    for capability in (gl.GL_DEPTH_TEST, gl.GL_STENCIL_TEST):
        p("glDisable", capability)
    p.program(SHOW_VS, SHOW_FS, p=0)
    corners = np.array([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]], np.float32)
    p.buffer(corners, name=2)
    p.attribute(0, 4, 16, 0)
    p("glDisableVertexAttribArray", 1)
    p("glDrawArrays", gl.GL_TRIANGLES, 0, 3)


def film(kind, count=4):
    """Frames that draw to the texture with four samples, then the texture into the window.

    ``kind``: plain, blended; loaded: from the second frame on over what the texture holds; split: a flush between the
    draws, so that a pass goes on from a resolved texture; invalidated: depths are given up.
    """
    p = Program(ColumnSet(VERIFIED_COLUMNS | {"quads.identity", "quads.identity_excluded"}), size=SIZE)
    rng = np.random.default_rng(3)
    texture(p)
    attach(p, implicit=True)
    data = triangles(rng, 40)
    frames = []
    for number in range(count):
        p("glBindFramebuffer", gl.GL_FRAMEBUFFER, 1)
        p.program(COLOR_VS, COLOR_FS, p=0, c=1)
        if number != 2:
            data[..., 0] += 0.01
        p.buffer(data)
        p.attribute(0, 4, 32, 0)
        p.attribute(1, 4, 32, 16)
        p("glViewport", 0, 0, *SIZE)
        p("glEnable", gl.GL_DEPTH_TEST)
        if kind == "loaded" and number:
            p("glClear", gl.GL_DEPTH_BUFFER_BIT)
        else:
            p.clear(0.25, 0.5, 0.75, 1.0)
        if kind == "blended":
            p("glEnable", gl.GL_BLEND)
            p("glBlendFunc", gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        draw(p, 0, 60)
        if kind == "split":
            p("glFlush")
        draw(p, 60, 60)
        if kind == "invalidated":
            depths = np.array([gl.GL_DEPTH_STENCIL_ATTACHMENT], np.uint32).tobytes()
            p("glInvalidateFramebuffer", gl.GL_FRAMEBUFFER, 1, depths)
        p("glDisable", gl.GL_BLEND)
        show(p)
        frames.append(p.swap(number))
    p.engine.close()
    return frames
