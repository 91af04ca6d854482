"""Direct state access: what is done to an object by its name is what is done to it where it is bound."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from tests.gles.conftest import RecordingBackend, Session
from traceformat.gles import enums as gl
from traceformat.gles.direct_state import DIRECT
from traceformat.gles.dispatch import find_entry
from traceformat.gles.entry_points import COMMANDS


@pytest.fixture
def session() -> Session:
    return Session(RecordingBackend(), api=1, version=(4, 5))


def created(session: Session, name: str, *args: Any) -> int:
    session.call(name, *args, 1, None)
    (data,) = session.outputs.values()
    return int(struct.unpack("<I", data)[0])


def test_each_stands_for_calls_that_are_handled():
    for name in DIRECT:
        assert COMMANDS[name].versions["gl"] >= (4, 4)
        assert find_entry(name) is not None
    assert find_entry("glTextureStorage2DEXT") is None, "it has a parameter more"


def test_buffers(session):
    first, second = created(session, "glCreateBuffers"), created(session, "glCreateBuffers")
    session.glBindBuffer(gl.GL_COPY_WRITE_BUFFER, second)
    session.glNamedBufferData(first, 8, b"abcdefgh", gl.GL_STATIC_DRAW)
    session.glNamedBufferStorage(second, 8, None, gl.GL_DYNAMIC_STORAGE_BIT | gl.GL_MAP_WRITE_BIT)
    session.glNamedBufferSubData(first, 2, 2, b"XY")
    session.glCopyNamedBufferSubData(first, second, 1, 0, 4)
    session.glGetNamedBufferSubData(second, 0, 8, None)
    assert session.outputs == {"data": b"bXYe\0\0\0\0"}
    assert session.glMapNamedBufferRange(second, 4, 4, gl.GL_MAP_WRITE_BIT) == 1
    assert session.outputs["result"] == bytes(4)
    session.traceMappedWrite(gl.GL_COPY_WRITE_BUFFER, 4, b"wxyz")
    assert session.glUnmapNamedBuffer(second) == 1
    session.glGetNamedBufferParameteriv(second, gl.GL_BUFFER_IMMUTABLE_STORAGE, None)
    assert session.outputs == {"params": struct.pack("<i", 1)}
    buffers = session.context.group.buffers
    assert bytes(buffers.get(second).store) == b"bXYewxyz"
    assert session.context.buffers[gl.GL_COPY_WRITE_BUFFER] is buffers.get(second)
    assert session.context.buffers.get(gl.GL_COPY_READ_BUFFER) is None
    session.glNamedBufferData(99, 4, None, gl.GL_STATIC_DRAW)
    assert session.error() == gl.GL_INVALID_OPERATION
    session.glBindBuffersRange(
        gl.GL_UNIFORM_BUFFER, 1, 2, struct.pack("<2I", first, 0), struct.pack("<2q", 0, 0), struct.pack("<2q", 8, 0)
    )
    point = session.context.uniform_buffers[1]
    assert (point.buffer, point.size) == (buffers.get(first), 8)
    assert session.context.buffers.get(gl.GL_UNIFORM_BUFFER) is None


def test_textures(session):
    flat, cube = (created(session, "glCreateTextures", target) for target in (gl.GL_TEXTURE_2D, gl.GL_TEXTURE_CUBE_MAP))
    assert session.glIsTexture(flat) == 1
    session.glTextureStorage2D(flat, 2, gl.GL_RGBA8, 4, 4)
    session.glTextureParameteri(flat, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST)
    session.glTextureSubImage2D(flat, 0, 0, 0, 4, 4, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, bytes(range(64)))
    session.glGenerateTextureMipmap(flat)
    session.glGetTextureParameteriv(flat, gl.GL_TEXTURE_MIN_FILTER, None)
    assert session.outputs == {"params": struct.pack("<i", gl.GL_NEAREST)}
    session.glGetTextureLevelParameteriv(flat, 1, gl.GL_TEXTURE_WIDTH, None)
    assert session.outputs == {"params": struct.pack("<i", 2)}
    session.glTextureStorage2D(cube, 1, gl.GL_R8, 4, 1)
    assert session.error() == gl.GL_INVALID_VALUE
    session.glTextureStorage2D(cube, 1, gl.GL_R8, 4, 4)
    session.glTextureSubImage3D(cube, 0, 0, 0, 2, 4, 4, 3, gl.GL_RED, gl.GL_UNSIGNED_BYTE, bytes(range(48)))
    uploads = [args for name, args in session.backend.seen if name == "update_image"]
    assert len(uploads) == 4
    assert session.context.units[0].textures[gl.GL_TEXTURE_2D].name == 0
    session.glBindTextureUnit(3, cube)
    session.glBindTextures(4, 2, struct.pack("<2I", flat, cube))
    units = session.context.units
    assert [units[unit].textures[gl.GL_TEXTURE_CUBE_MAP].name for unit in (3, 4, 5)] == [cube, 0, cube]
    assert units[4].textures[gl.GL_TEXTURE_2D].name == flat
    assert session.context.active_unit == 0
    session.glBindTextureUnit(3, 0)
    assert units[3].textures[gl.GL_TEXTURE_CUBE_MAP].name == 0
    assert session.error() == gl.GL_NO_ERROR
    session.glTextureParameteri(99, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST)
    assert session.error() == gl.GL_INVALID_OPERATION


def test_framebuffers(session):
    framebuffer = created(session, "glCreateFramebuffers")
    texture = created(session, "glCreateTextures", gl.GL_TEXTURE_2D)
    depth = created(session, "glCreateRenderbuffers")
    session.glTextureStorage2D(texture, 1, gl.GL_RGBA8, 8, 8)
    session.glNamedRenderbufferStorage(depth, gl.GL_DEPTH_COMPONENT24, 8, 8)
    session.glNamedFramebufferTexture(framebuffer, gl.GL_COLOR_ATTACHMENT0, texture, 0)
    session.glNamedFramebufferRenderbuffer(framebuffer, gl.GL_DEPTH_ATTACHMENT, gl.GL_RENDERBUFFER, depth)
    session.glNamedFramebufferDrawBuffers(framebuffer, 1, struct.pack("<I", gl.GL_COLOR_ATTACHMENT0))
    session.glNamedFramebufferReadBuffer(framebuffer, gl.GL_COLOR_ATTACHMENT0)
    assert session.glCheckNamedFramebufferStatus(framebuffer, gl.GL_FRAMEBUFFER) == gl.GL_FRAMEBUFFER_COMPLETE
    session.glClearNamedFramebufferfv(framebuffer, gl.GL_COLOR, 0, struct.pack("<4f", 1, 0, 0, 1))
    assert "clear_buffer" in session.backend.names()
    session.glBlitNamedFramebuffer(framebuffer, 0, 0, 0, 8, 8, 0, 0, 8, 8, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)
    assert session.error() == gl.GL_NO_ERROR
    assert "blit" in session.backend.names()
    assert session.context.draw_framebuffer.name == session.context.read_framebuffer.name == 0
    assert session.context.renderbuffer is None


def test_vertex_arrays(session):
    array, buffer = created(session, "glCreateVertexArrays"), created(session, "glCreateBuffers")
    session.glNamedBufferData(buffer, 64, None, gl.GL_STATIC_DRAW)
    session.glEnableVertexArrayAttrib(array, 2)
    session.glVertexArrayAttribFormat(array, 2, 3, gl.GL_FLOAT, 0, 4)
    session.glVertexArrayAttribBinding(array, 2, 1)
    session.glVertexArrayVertexBuffer(array, 1, buffer, 8, 20)
    session.glVertexArrayBindingDivisor(array, 1, 2)
    session.glVertexArrayElementBuffer(array, buffer)
    found = session.context.vertex_arrays.get(array)
    attrib = found.attribs[2]
    assert (attrib.enabled, attrib.size, attrib.offset, attrib.effective_stride, attrib.divisor) == (True, 3, 12, 20, 2)
    assert found.element_buffer is attrib.buffer is session.context.group.buffers.get(buffer)
    assert session.context.vertex_array.name == 0
    assert session.error() == gl.GL_NO_ERROR
