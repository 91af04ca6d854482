"""Framebuffers, clears, reads and blits."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from traceformat.gles import enums as gl

FB, RB = gl.GL_FRAMEBUFFER, gl.GL_RENDERBUFFER


def _renderbuffer(es: Any, point: int, internal: int, size: tuple[int, int] = (8, 8), samples: int = 0) -> int:
    name: int = es.gen("glGenRenderbuffers")
    es.glBindRenderbuffer(RB, name)
    es.glRenderbufferStorageMultisample(RB, samples, internal, *size)
    es.glFramebufferRenderbuffer(FB, point, RB, name)
    return name


@pytest.mark.parametrize(
    ("internal", "status"),
    [
        (gl.GL_RGBA8, gl.GL_FRAMEBUFFER_COMPLETE),
        (gl.GL_RGBA32F, gl.GL_FRAMEBUFFER_COMPLETE),
        (gl.GL_RGB9_E5, gl.GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT),
        (gl.GL_SRGB8, gl.GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT),
        (gl.GL_DEPTH_COMPONENT16, gl.GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT),
        (gl.GL_COMPRESSED_RGB8_ETC2, gl.GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT),
    ],
)
def test_color_formats(es: Any, internal: int, status: int) -> None:
    es.glBindFramebuffer(FB, es.gen("glGenFramebuffers"))
    name = es.texture()
    es.glTexStorage2D(gl.GL_TEXTURE_2D, 1, internal, 8, 8)
    es.glFramebufferTexture2D(FB, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, name, 0)
    assert es.glCheckFramebufferStatus(FB) == status
    es.glClear(gl.GL_COLOR_BUFFER_BIT)
    expected = 0 if status == gl.GL_FRAMEBUFFER_COMPLETE else gl.GL_INVALID_FRAMEBUFFER_OPERATION
    assert es.error() == expected


def test_completeness(es: Any) -> None:
    es.glBindFramebuffer(FB, es.gen("glGenFramebuffers"))
    assert es.glCheckFramebufferStatus(FB) == gl.GL_FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT
    _renderbuffer(es, gl.GL_COLOR_ATTACHMENT0, gl.GL_RGBA8)
    depth = _renderbuffer(es, gl.GL_DEPTH_ATTACHMENT, gl.GL_DEPTH24_STENCIL8)
    assert es.glCheckFramebufferStatus(FB) == gl.GL_FRAMEBUFFER_COMPLETE
    _renderbuffer(es, gl.GL_STENCIL_ATTACHMENT, gl.GL_DEPTH24_STENCIL8)
    assert es.glCheckFramebufferStatus(FB) == gl.GL_FRAMEBUFFER_UNSUPPORTED
    es.glFramebufferRenderbuffer(FB, gl.GL_STENCIL_ATTACHMENT, RB, depth)
    assert es.glCheckFramebufferStatus(FB) == gl.GL_FRAMEBUFFER_COMPLETE
    _renderbuffer(es, gl.GL_COLOR_ATTACHMENT1, gl.GL_RGBA8, samples=4)
    assert es.glCheckFramebufferStatus(FB) == gl.GL_FRAMEBUFFER_INCOMPLETE_MULTISAMPLE


def test_layers(es: Any) -> None:
    es.glBindFramebuffer(FB, es.gen("glGenFramebuffers"))
    name = es.texture(gl.GL_TEXTURE_2D_ARRAY)
    es.glTexStorage3D(gl.GL_TEXTURE_2D_ARRAY, 1, gl.GL_RGBA8, 4, 4, 2)
    es.glFramebufferTextureLayer(FB, gl.GL_COLOR_ATTACHMENT0, name, 0, 1)
    assert es.glCheckFramebufferStatus(FB) == gl.GL_FRAMEBUFFER_COMPLETE
    es.glFramebufferTextureLayer(FB, gl.GL_COLOR_ATTACHMENT0, name, 0, 2)
    assert es.glCheckFramebufferStatus(FB) == gl.GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT
    es.glFramebufferTexture2D(FB, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, name, 0)
    assert es.error() == gl.GL_INVALID_OPERATION


def test_slices_of_volumes(es: Any) -> None:
    es.glBindFramebuffer(FB, es.gen("glGenFramebuffers"))
    name, layers = es.texture(gl.GL_TEXTURE_3D), es.texture(gl.GL_TEXTURE_2D_ARRAY)
    es.glBindTexture(gl.GL_TEXTURE_3D, name)
    es.glTexStorage3D(gl.GL_TEXTURE_3D, 1, gl.GL_RGBA8, 4, 4, 2)
    es.glFramebufferTexture3D(FB, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_3D, name, 0, 1)
    assert es.glCheckFramebufferStatus(FB) == gl.GL_FRAMEBUFFER_COMPLETE
    es.glFramebufferTexture3D(FB, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, name, 0, 1)
    assert es.error() == gl.GL_INVALID_ENUM
    es.glFramebufferTexture3D(FB, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_3D, layers, 0, 1)
    assert es.error() == gl.GL_INVALID_OPERATION
    es.glFramebufferTexture3D(FB, gl.GL_COLOR_ATTACHMENT0, 0, 0, 0, 0)
    assert es.glCheckFramebufferStatus(FB) == gl.GL_FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT


def test_clears(es: Any) -> None:
    es.complete_framebuffer()
    es.glClear(gl.GL_COLOR_BUFFER_BIT | 1)
    assert es.error() == gl.GL_INVALID_VALUE
    es.glClearBufferfv(gl.GL_COLOR, 0, struct.pack("<4f", 0.5, 0, 0, 1))
    assert es.backend.last("clear_buffer") == (gl.GL_COLOR, 0, (0.5, 0.0, 0.0, 1.0), gl.GL_FLOAT, 0.0, 0)
    es.backend.seen.clear()
    es.glClearBufferiv(gl.GL_COLOR, 0, bytes(16))
    es.glClearBufferfv(gl.GL_COLOR, 1, bytes(16))
    es.glEnable(gl.GL_RASTERIZER_DISCARD)
    es.glClear(gl.GL_COLOR_BUFFER_BIT)
    assert es.error() == 0
    assert es.backend.names() == []
    es.glClearBufferfv(gl.GL_COLOR, 99, bytes(16))
    assert es.error() == gl.GL_INVALID_VALUE
    es.glClearBufferfi(gl.GL_DEPTH, 0, 1.0, 0)
    assert es.error() == gl.GL_INVALID_ENUM


def test_depth_clears_are_clamped(es: Any) -> None:
    es.glClearBufferfi(gl.GL_DEPTH_STENCIL, 0, 3.0, 7)
    assert es.backend.last("clear_buffer")[-2:] == (1.0, 7)


def test_invalidate_names_attachment_points(es: Any) -> None:
    es.glInvalidateFramebuffer(FB, 2, struct.pack("<2I", gl.GL_COLOR, gl.GL_DEPTH))
    assert es.backend.last("invalidate")[1] == (gl.GL_COLOR_ATTACHMENT0, gl.GL_DEPTH_ATTACHMENT)
    es.complete_framebuffer()
    es.glDiscardFramebufferEXT(FB, 1, struct.pack("<I", gl.GL_DEPTH_STENCIL_ATTACHMENT))
    assert es.backend.last("invalidate")[1] == (gl.GL_DEPTH_ATTACHMENT, gl.GL_STENCIL_ATTACHMENT)
    es.glInvalidateFramebuffer(FB, 1, struct.pack("<I", gl.GL_COLOR))
    assert es.error() == gl.GL_INVALID_ENUM


def test_draw_buffers(es: Any) -> None:
    es.complete_framebuffer()
    two = (gl.GL_NONE, gl.GL_COLOR_ATTACHMENT1)
    es.glDrawBuffers(2, struct.pack("<2I", *two))
    assert es.error() == 0
    assert es.get(gl.GL_DRAW_BUFFER1) == gl.GL_COLOR_ATTACHMENT1
    assert es.context.draw_framebuffer.draw_attachments() == [None, None]
    es.glDrawBuffers(1, struct.pack("<I", gl.GL_COLOR_ATTACHMENT1))
    assert es.error() == gl.GL_INVALID_OPERATION
    es.glBindFramebuffer(FB, 0)
    assert es.get(gl.GL_DRAW_BUFFER0) == gl.GL_BACK


@pytest.mark.parametrize(
    ("internal", "format", "type", "error"),
    [
        (gl.GL_RGBA8, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, 0),
        (gl.GL_RGB565, gl.GL_RGB, gl.GL_UNSIGNED_SHORT_5_6_5, 0),
        (gl.GL_RGBA8, gl.GL_RGBA_INTEGER, gl.GL_INT, gl.GL_INVALID_OPERATION),
        (gl.GL_RGBA32I, gl.GL_RGBA_INTEGER, gl.GL_INT, 0),
        (gl.GL_RGBA32I, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, gl.GL_INVALID_OPERATION),
        (gl.GL_RGBA16F, gl.GL_RGBA, gl.GL_FLOAT, 0),
        (gl.GL_RGBA8, gl.GL_BLEND, gl.GL_UNSIGNED_BYTE, gl.GL_INVALID_ENUM),
        (gl.GL_RGBA8, gl.GL_DEPTH_COMPONENT, gl.GL_UNSIGNED_INT, gl.GL_INVALID_OPERATION),
    ],
)
def test_read_formats(es: Any, internal: int, format: int, type: int, error: int) -> None:
    es.complete_framebuffer(internal)
    es.glReadPixels(0, 0, 2, 2, format, type, None)
    assert es.error() == error
    assert ("read_pixels" in es.backend.names()) == (error == 0)


def test_reads_of_nothing(es: Any) -> None:
    es.glReadPixels(0, 0, -1, 2, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
    assert es.error() == gl.GL_INVALID_VALUE
    es.glReadBuffer(gl.GL_NONE)
    es.glReadPixels(0, 0, 1, 1, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
    assert es.error() == gl.GL_INVALID_OPERATION


def test_reads_beyond_the_limits_are_out_of_memory(es: Any) -> None:
    es.glPixelStorei(gl.GL_PACK_ROW_LENGTH, 0x7FFFFFFF)
    es.glReadPixels(0, 0, 1, 2, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
    assert es.error() == gl.GL_OUT_OF_MEMORY
    assert "read_pixels" not in es.backend.names()


def test_multisampled_reads_and_resolves(es: Any) -> None:
    source = es.gen("glGenFramebuffers")
    es.glBindFramebuffer(FB, source)
    _renderbuffer(es, gl.GL_COLOR_ATTACHMENT0, gl.GL_RGBA8, samples=3)
    assert es.context.renderbuffer.image.samples == 4
    es.glReadPixels(0, 0, 1, 1, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
    assert es.error() == gl.GL_INVALID_OPERATION
    es.complete_framebuffer()
    es.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, source)
    bits = gl.GL_COLOR_BUFFER_BIT
    es.glBlitFramebuffer(0, 0, 8, 8, 0, 0, 4, 4, bits, gl.GL_NEAREST)
    assert es.error() == gl.GL_INVALID_OPERATION
    es.glBlitFramebuffer(0, 0, 8, 8, 0, 0, 8, 8, bits, gl.GL_NEAREST)
    assert es.error() == 0
    assert es.backend.last("blit") == ((0, 0, 8, 8), (0, 0, 8, 8), bits, gl.GL_NEAREST)


def test_blit_errors(es: Any) -> None:
    es.complete_framebuffer(gl.GL_RGBA8UI)
    rect = (0, 0, 4, 4)
    es.glBlitFramebuffer(*rect, *rect, gl.GL_COLOR_BUFFER_BIT, gl.GL_LINEAR)
    assert es.error() == gl.GL_INVALID_OPERATION
    es.glBlitFramebuffer(*rect, *rect, 1, gl.GL_NEAREST)
    assert es.error() == gl.GL_INVALID_VALUE
    es.glBlitFramebuffer(*rect, *rect, gl.GL_DEPTH_BUFFER_BIT, gl.GL_LINEAR)
    assert es.error() == gl.GL_INVALID_OPERATION
    es.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, 0)
    es.glBlitFramebuffer(*rect, *rect, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)
    assert es.error() == gl.GL_INVALID_OPERATION
    assert "blit" not in es.backend.names()


def test_copies_into_textures(es: Any) -> None:
    es.texture()
    es.glCopyTexImage2D(gl.GL_TEXTURE_2D, 0, gl.GL_RGB, 2, 3, 4, 5, 0)
    *_, image, box, x, y = es.backend.last("copy_to_image")
    assert (image.format, box.width, box.height, x, y) == (gl.GL_RGB8, 4, 5, 2, 3)
    es.glCopyTexSubImage2D(gl.GL_TEXTURE_2D, 0, 1, 1, 0, 0, 4, 5)
    assert es.error() == gl.GL_INVALID_VALUE
    es.complete_framebuffer(gl.GL_RGB565)
    es.glCopyTexImage2D(gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 0, 0, 4, 4, 0)
    assert es.error() == gl.GL_INVALID_OPERATION


def test_attachment_queries(es: Any) -> None:
    es.complete_framebuffer(gl.GL_SRGB8_ALPHA8)
    for pname, expected in (
        (gl.GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE, RB),
        (gl.GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME, 1),
        (gl.GL_FRAMEBUFFER_ATTACHMENT_ALPHA_SIZE, 8),
        (gl.GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING, gl.GL_SRGB),
        (gl.GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE, gl.GL_UNSIGNED_NORMALIZED),
    ):
        es.glGetFramebufferAttachmentParameteriv(FB, gl.GL_COLOR_ATTACHMENT0, pname, None)
        assert struct.unpack("<i", es.outputs["params"]) == (expected,)
    es.glBindFramebuffer(FB, 0)
    pname = gl.GL_FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE
    es.glGetFramebufferAttachmentParameteriv(FB, gl.GL_DEPTH, pname, None)
    assert struct.unpack("<i", es.outputs["params"]) == (24,)


def test_deleted_framebuffers_are_unbound(es: Any) -> None:
    name = es.complete_framebuffer()
    es.glDeleteFramebuffers(1, struct.pack("<I", name))
    assert es.get(gl.GL_DRAW_FRAMEBUFFER_BINDING) == 0
    assert es.get(gl.GL_READ_FRAMEBUFFER_BINDING) == 0
    es.glDeleteFramebuffers(-1, b"")
    assert es.error() == gl.GL_INVALID_VALUE
