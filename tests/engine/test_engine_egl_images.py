"""EGLImages: siblings share what is drawn and uploaded."""

import struct

import numpy as np

from replay.engine.engine import Engine
from traceformat.calls import Call
from traceformat.gles import enums as gl
from traceformat.gles.tracker import Tracker
from traceformat.gputrace.frametrace import ColumnSet

EGL_GL_TEXTURE_2D, EGL_GL_RENDERBUFFER, EGL_LINUX_DMA_BUF = 0x30B1, 0x30B9, 0x3270
SIZE = 8


def player():
    tracker = Tracker(Engine(ColumnSet(())), remap=True)
    state = {"number": 0}

    def call(name, *args, result=None, outputs=None, context=1, thread=1):
        state["number"] += 1
        tracker.execute(Call(state["number"], name, thread, context, 0, args, outputs or {}, result))
        return tracker

    call("traceContext", 1, 0, 3, 0, 0, 8, 8, 8, 8, 24, 8, 0, 0)
    call("traceContext", 2, 0, 3, 0, 0, 8, 8, 8, 8, 24, 8, 0, 0)  # shares nothing
    call("traceDrawable", 1, SIZE, SIZE, 1)
    call("traceMakeCurrent", 1, 1, 1)
    return call


def texture(call, name, pixels=None):
    call("glBindTexture", gl.GL_TEXTURE_2D, name)
    if pixels is not None:
        size = (SIZE, SIZE, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, pixels)
        call("glTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, *size)


def read(call, name):
    call("glBindFramebuffer", gl.GL_FRAMEBUFFER, 9)
    attach = (gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, name, 0)
    call("glFramebufferTexture2D", *attach)
    tracker = call("glReadPixels", 0, 0, SIZE, SIZE, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
    return np.frombuffer(tracker.outputs["pixels"], np.uint8).reshape(SIZE, SIZE, 4)


def test_siblings_share_their_content_across_contexts():
    call = player()
    pixels = np.random.default_rng(1).integers(0, 256, (SIZE, SIZE, 4), np.uint8)
    texture(call, 5, pixels.tobytes())
    call("eglCreateImageKHR", 1, 1, EGL_GL_TEXTURE_2D, 5, None, result=7)
    call("traceMakeCurrent", 2, 1, 1)
    texture(call, 3)
    call("glEGLImageTargetTexture2DOES", gl.GL_TEXTURE_2D, 7)
    np.testing.assert_array_equal(read(call, 3), pixels)
    # What the second context draws is seen in the first one.
    call("glClearColor", 1.0, 0.0, 0.0, 1.0)
    call("glClear", gl.GL_COLOR_BUFFER_BIT)
    call("traceMakeCurrent", 1, 1, 1)
    assert (read(call, 5) == (255, 0, 0, 255)).all()
    call("eglDestroyImageKHR", 1, 7)
    assert call("glGetError").failure is None


def test_renderbuffers_and_images_from_outside():
    call = player()
    call("glBindRenderbuffer", gl.GL_RENDERBUFFER, 4)
    call("glRenderbufferStorage", gl.GL_RENDERBUFFER, gl.GL_RGBA8, SIZE, SIZE)
    call("glBindFramebuffer", gl.GL_FRAMEBUFFER, 2)
    where = (gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_RENDERBUFFER, 4)
    call("glFramebufferRenderbuffer", *where)
    call("glClearColor", 0.0, 1.0, 0.0, 1.0)
    call("glClear", gl.GL_COLOR_BUFFER_BIT)
    call("eglCreateImage", 1, 1, EGL_GL_RENDERBUFFER, 4, None, result=1)
    texture(call, 6)
    call("glEGLImageTargetTexture2DOES", gl.GL_TEXTURE_2D, 1)
    assert (read(call, 6) == (0, 255, 0, 255)).all()
    # An image from outside has a size, and what is uploaded to it.
    sizes = struct.pack("<5i", 0x3057, SIZE, 0x3056, SIZE, 0x3038)
    call("eglCreateImageKHR", 1, 0, EGL_LINUX_DMA_BUF, None, sizes, result=2)
    texture(call, 8)
    call("glEGLImageTargetTexture2DOES", gl.GL_TEXTURE_2D, 2)
    assert not read(call, 8)[..., :3].any()
    assert call("glEGLImageTargetTexture2DOES", gl.GL_TEXTURE_2D, 99).failure is not None
