"""Textures: images, storage, parameters, and the way of pixels through unpack and pack state."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from traceformat.calls import Offset
from traceformat.errors import ReplayError
from traceformat.gles import enums as gl
from traceformat.gles.backend import Box
from traceformat.gles.formats import FORMATS, pixel_bytes, sized_format

RGBA, UBYTE = gl.GL_RGBA, gl.GL_UNSIGNED_BYTE


def _image_2d(es: Any, width: int, height: int, pixels: Any, format: int = RGBA, type: int = UBYTE) -> None:
    es.glTexImage2D(gl.GL_TEXTURE_2D, 0, format, width, height, 0, format, type, pixels)


def _rows(data: bytes, width: int, height: int, size: int, row: int, align: int, skip: tuple[int, int]) -> bytes:
    """Pick pixels one by one, as ES 3.0.6 §3.7.1 describes the layout."""
    stride = (row or width) * size
    stride += -stride % align
    picked = b""
    for y in range(height):
        for x in range(width):
            start = (skip[0] + y) * stride + (skip[1] + x) * size
            picked += data[start : start + size]
    return picked


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    width=st.integers(1, 9),
    height=st.integers(1, 5),
    format=st.sampled_from([(gl.GL_RGB, UBYTE), (RGBA, UBYTE), (gl.GL_LUMINANCE, UBYTE), (gl.GL_RGB, gl.GL_FLOAT)]),
    extra=st.integers(0, 4),
    align=st.sampled_from([1, 2, 4, 8]),
    skip=st.tuples(st.integers(0, 3), st.integers(0, 3)),
    from_buffer=st.booleans(),
    seed=st.binary(min_size=4, max_size=4),
)
def test_unpack_state(
    session: Any,
    width: int,
    height: int,
    format: tuple[int, int],
    extra: int,
    align: int,
    skip: tuple[int, int],
    from_buffer: bool,
    seed: bytes,
) -> None:
    es = session()
    row = width + extra + skip[1] if extra or skip[1] else 0
    size = pixel_bytes(*format)
    data = bytes((seed[i % 4] + 7 * i) & 0xFF for i in range((height + skip[0]) * ((row or width) * size + 8) + 64))
    for pname, value in (
        (gl.GL_UNPACK_ALIGNMENT, align),
        (gl.GL_UNPACK_ROW_LENGTH, row),
        (gl.GL_UNPACK_SKIP_ROWS, skip[0]),
        (gl.GL_UNPACK_SKIP_PIXELS, skip[1]),
    ):
        es.glPixelStorei(pname, value)
    es.texture()
    pixels: Any = data
    if from_buffer:
        es.glBindBuffer(gl.GL_PIXEL_UNPACK_BUFFER, es.gen("glGenBuffers"))
        es.glBufferData(gl.GL_PIXEL_UNPACK_BUFFER, len(data) + 4, b"head" + data, gl.GL_STATIC_DRAW)
        pixels = Offset(4)
    _image_2d(es, width, height, pixels, *format)
    assert es.error() == 0
    *_, image, passed = es.backend.last("define_image")
    assert (image.width, image.height) == (width, height)
    assert bytes(passed.data) == _rows(data, width, height, size, row, align, skip)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    width=st.integers(1, 9),
    height=st.integers(1, 5),
    extra=st.integers(0, 4),
    align=st.sampled_from([1, 2, 4, 8]),
    skip=st.tuples(st.integers(0, 3), st.integers(0, 3)),
    into_buffer=st.booleans(),
)
def test_pack_state(
    session: Any, width: int, height: int, extra: int, align: int, skip: tuple[int, int], into_buffer: bool
) -> None:
    es = session()
    row = width + extra + skip[1] if extra or skip[1] else 0
    drawn = bytes((3 * i + 1) & 0xFF for i in range(width * height * 3))
    es.backend.read_pixels = lambda *_: drawn
    for pname, value in (
        (gl.GL_PACK_ALIGNMENT, align),
        (gl.GL_PACK_ROW_LENGTH, row),
        (gl.GL_PACK_SKIP_ROWS, skip[0]),
        (gl.GL_PACK_SKIP_PIXELS, skip[1]),
    ):
        es.glPixelStorei(pname, value)
    if into_buffer:
        es.glBindBuffer(gl.GL_PIXEL_PACK_BUFFER, es.gen("glGenBuffers"))
        es.glBufferData(gl.GL_PIXEL_PACK_BUFFER, 4096, None, gl.GL_STATIC_READ)
        es.glReadPixels(0, 0, width, height, gl.GL_RGB, UBYTE, Offset(8))
        assert es.outputs == {}
        read = bytes(es.context.buffers[gl.GL_PIXEL_PACK_BUFFER].store[8:])
    else:
        es.glReadPixels(0, 0, width, height, gl.GL_RGB, UBYTE, None)
        read = es.outputs["pixels"]
    assert es.error() == 0
    assert _rows(read, width, height, 3, row, align, skip) == drawn


def test_volume_unpack_state(es: Any) -> None:
    es.texture(gl.GL_TEXTURE_3D)
    es.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
    es.glPixelStorei(gl.GL_UNPACK_IMAGE_HEIGHT, 3)
    es.glPixelStorei(gl.GL_UNPACK_SKIP_IMAGES, 1)
    data = bytes(range(2 * 3 * 3))
    es.glTexImage3D(gl.GL_TEXTURE_3D, 0, gl.GL_R8, 2, 2, 2, 0, gl.GL_RED, UBYTE, data)
    passed = es.backend.last("define_image")[-1]
    assert bytes(passed.data) == bytes([6, 7, 8, 9, 12, 13, 14, 15])


@pytest.mark.parametrize(("offset", "size"), [(0, 63), (4, 64), (2, 100), (-4, 100)])
def test_pixel_buffers_are_checked(es: Any, offset: int, size: int) -> None:
    es.texture()
    es.glBindBuffer(gl.GL_PIXEL_UNPACK_BUFFER, es.gen("glGenBuffers"))
    es.glBufferData(gl.GL_PIXEL_UNPACK_BUFFER, size, None, gl.GL_STATIC_DRAW)
    es.glTexImage2D(gl.GL_TEXTURE_2D, 0, gl.GL_R32F, 4, 4, 0, gl.GL_RED, gl.GL_FLOAT, Offset(offset))
    assert es.error() == gl.GL_INVALID_OPERATION
    assert not es.context.units[0].textures[gl.GL_TEXTURE_2D].images


def test_upload_larger_than_its_data(es: Any) -> None:
    es.texture()
    with pytest.raises(ReplayError, match="content has 10 bytes, the call reads 64"):
        _image_2d(es, 4, 4, bytes(10))


@pytest.mark.parametrize(
    ("target", "level", "internal", "size", "border", "format", "type", "error"),
    [
        (gl.GL_TEXTURE_2D, 0, gl.GL_RGBA8, (4, 4), 0, RGBA, UBYTE, 0),
        (gl.GL_TEXTURE_2D, 0, gl.GL_RGB565, (4, 4), 0, gl.GL_RGB, UBYTE, 0),
        (gl.GL_TEXTURE_2D, 0, gl.GL_R11F_G11F_B10F, (4, 4), 0, gl.GL_RGB, gl.GL_HALF_FLOAT, 0),
        (gl.GL_TEXTURE_2D, 0, RGBA, (4, 4), 0, RGBA, gl.GL_HALF_FLOAT_OES, 0),
        (gl.GL_TEXTURE_CUBE_MAP, 0, RGBA, (4, 4), 0, RGBA, UBYTE, gl.GL_INVALID_ENUM),
        (gl.GL_TEXTURE_CUBE_MAP_NEGATIVE_Y, 0, RGBA, (4, 2), 0, RGBA, UBYTE, gl.GL_INVALID_VALUE),
        (gl.GL_TEXTURE_2D, 14, RGBA, (1, 1), 0, RGBA, UBYTE, gl.GL_INVALID_VALUE),
        (gl.GL_TEXTURE_2D, 13, RGBA, (1, 1), 0, RGBA, UBYTE, 0),
        (gl.GL_TEXTURE_2D, 13, RGBA, (2, 1), 0, RGBA, UBYTE, gl.GL_INVALID_VALUE),
        (gl.GL_TEXTURE_2D, 0, RGBA, (8193, 1), 0, RGBA, UBYTE, gl.GL_INVALID_VALUE),
        (gl.GL_TEXTURE_2D, 0, RGBA, (4, 4), 1, RGBA, UBYTE, gl.GL_INVALID_VALUE),
        (gl.GL_TEXTURE_2D, 0, RGBA, (4, 4), 0, gl.GL_RGB, UBYTE, gl.GL_INVALID_OPERATION),
        (gl.GL_TEXTURE_2D, 0, gl.GL_RGBA8UI, (4, 4), 0, RGBA, UBYTE, gl.GL_INVALID_OPERATION),
        (gl.GL_TEXTURE_2D, 0, gl.GL_RGBA8, (4, 4), 0, RGBA, gl.GL_FLOAT, gl.GL_INVALID_OPERATION),
        (gl.GL_TEXTURE_2D, 0, gl.GL_BLEND, (4, 4), 0, RGBA, UBYTE, gl.GL_INVALID_VALUE),
        (gl.GL_TEXTURE_2D, 0, RGBA, (4, 4), 0, gl.GL_BLEND, UBYTE, gl.GL_INVALID_ENUM),
        (gl.GL_TEXTURE_2D, 0, RGBA, (4, 4), 0, RGBA, gl.GL_BLEND, gl.GL_INVALID_ENUM),
    ],
)
def test_tex_image_errors(
    es: Any,
    target: int,
    level: int,
    internal: int,
    size: tuple[int, int],
    border: int,
    format: int,
    type: int,
    error: int,
) -> None:
    es.glTexImage2D(target, level, internal, *size, border, format, type, None)
    assert es.error() == error
    assert ("define_image" in es.backend.names()) == (error == 0)


def test_sub_images(es: Any) -> None:
    es.texture()
    _image_2d(es, 4, 4, None)
    texture = es.context.units[0].textures[gl.GL_TEXTURE_2D]
    version = texture.version
    es.glTexSubImage2D(gl.GL_TEXTURE_2D, 0, 1, 2, 2, 1, RGBA, UBYTE, b"abcdefgh")
    *_, box, passed = es.backend.last("update_image")
    assert box == Box(1, 2, 0, 2, 1, 1)
    assert bytes(passed.data) == b"abcdefgh"
    assert texture.version == version + 1
    for args, error in (
        ((0, 3, 0, 2, 1, RGBA, UBYTE, bytes(8)), gl.GL_INVALID_VALUE),
        ((0, -1, 0, 1, 1, RGBA, UBYTE, bytes(4)), gl.GL_INVALID_VALUE),
        ((1, 0, 0, 1, 1, RGBA, UBYTE, bytes(4)), gl.GL_INVALID_OPERATION),
        ((0, 0, 0, 1, 1, gl.GL_RGB, UBYTE, bytes(4)), gl.GL_INVALID_OPERATION),
    ):
        es.glTexSubImage2D(gl.GL_TEXTURE_2D, *args)
        assert es.error() == error
    assert texture.version == version + 1


def test_compressed_images(es: Any) -> None:
    es.texture()
    etc2, target = gl.GL_COMPRESSED_RGB8_ETC2, gl.GL_TEXTURE_2D
    es.glCompressedTexImage2D(target, 0, etc2, 10, 6, 0, 48, bytes(48))
    assert es.error() == 0
    es.glCompressedTexSubImage2D(target, 0, 8, 4, 2, 2, etc2, 8, bytes(8))
    assert es.error() == 0
    es.glCompressedTexSubImage2D(target, 0, 2, 0, 4, 4, etc2, 8, bytes(8))
    assert es.error() == gl.GL_INVALID_OPERATION
    es.glCompressedTexImage2D(target, 0, etc2, 10, 6, 0, 47, bytes(47))
    assert es.error() == gl.GL_INVALID_VALUE
    es.glCompressedTexImage2D(target, 0, gl.GL_RGBA8, 4, 4, 0, 64, bytes(64))
    assert es.error() == gl.GL_INVALID_ENUM
    es.glGenerateMipmap(target)
    assert es.error() == gl.GL_INVALID_OPERATION


def test_storage_makes_all_levels_for_ever(es: Any) -> None:
    es.texture(gl.GL_TEXTURE_CUBE_MAP)
    es.glTexStorage2D(gl.GL_TEXTURE_CUBE_MAP, 3, gl.GL_RGBA16F, 8, 8)
    (texture,) = es.backend.last("define_storage")
    assert {key: image.width for key, image in texture.images.items()} == {
        (face, level): 8 >> level for face in range(6) for level in range(3)
    }
    es.glTexImage2D(gl.GL_TEXTURE_CUBE_MAP_POSITIVE_X, 0, gl.GL_RGBA8, 8, 8, 0, RGBA, UBYTE, None)
    assert es.error() == gl.GL_INVALID_OPERATION
    es.texture(gl.GL_TEXTURE_3D)
    es.glTexStorage3D(gl.GL_TEXTURE_3D, 2, gl.GL_R8, 4, 2, 2)
    (texture,) = es.backend.last("define_storage")
    image = texture.images[(0, 1)]
    assert (image.width, image.height, image.depth) == (2, 1, 1)


def test_mipmaps(es: Any) -> None:
    es.texture()
    _image_2d(es, 5, 3, None)
    es.glGenerateMipmap(gl.GL_TEXTURE_2D)
    texture = es.context.units[0].textures[gl.GL_TEXTURE_2D]
    assert [(i.width, i.height) for _, i in sorted(texture.images.items())] == [(5, 3), (2, 1), (1, 1)]
    kept = texture.images[(0, 1)]
    es.glGenerateMipmap(gl.GL_TEXTURE_2D)
    assert texture.images[(0, 1)] is kept


@pytest.mark.parametrize(
    ("pname", "value", "error"),
    [
        (gl.GL_TEXTURE_MIN_FILTER, gl.GL_LINEAR, 0),
        (gl.GL_TEXTURE_MAG_FILTER, gl.GL_LINEAR_MIPMAP_LINEAR, gl.GL_INVALID_ENUM),
        (gl.GL_TEXTURE_WRAP_S, gl.GL_CLAMP, gl.GL_INVALID_ENUM),
        (gl.GL_TEXTURE_BASE_LEVEL, -1, gl.GL_INVALID_VALUE),
        (gl.GL_TEXTURE_MAX_ANISOTROPY_EXT, 0, gl.GL_INVALID_VALUE),
        (gl.GL_TEXTURE_SWIZZLE_G, gl.GL_ONE, 0),
        (gl.GL_TEXTURE_SWIZZLE_RGBA, gl.GL_ONE, gl.GL_INVALID_ENUM),
        (gl.GL_TEXTURE_LOD_BIAS, 1, gl.GL_INVALID_ENUM),
        (gl.GL_BLEND, 1, gl.GL_INVALID_ENUM),
    ],
)
def test_parameters(es: Any, pname: int, value: int, error: int) -> None:
    es.texture()
    es.glTexParameteri(gl.GL_TEXTURE_2D, pname, value)
    assert es.error() == error
    if not error:
        es.glGetTexParameteriv(gl.GL_TEXTURE_2D, pname, None)
        assert struct.unpack("<i", es.outputs["params"]) == (value,)


def test_samplers(es: Any) -> None:
    name = es.gen("glGenSamplers")
    es.glSamplerParameterf(name, gl.GL_TEXTURE_MAX_ANISOTROPY_EXT, 64.0)
    es.glGetSamplerParameterfv(name, gl.GL_TEXTURE_MAX_ANISOTROPY_EXT, None)
    assert struct.unpack("<f", es.outputs["params"]) == (16.0,)
    es.glBindSampler(3, name)
    assert es.context.units[3].sampler.name == name
    es.glDeleteSamplers(1, struct.pack("<I", name))
    assert es.context.units[3].sampler is None
    es.glBindSampler(3, name)
    assert es.error() == gl.GL_INVALID_OPERATION


def test_a_texture_keeps_its_target(es: Any) -> None:
    name = es.texture()
    es.glBindTexture(gl.GL_TEXTURE_CUBE_MAP, name)
    assert es.error() == gl.GL_INVALID_OPERATION


def test_deletion_unbinds_and_detaches(es: Any) -> None:
    es.complete_framebuffer()
    name = es.texture()
    _image_2d(es, 8, 8, None)
    es.glFramebufferTexture2D(gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, name, 0)
    assert es.glCheckFramebufferStatus(gl.GL_FRAMEBUFFER) == gl.GL_FRAMEBUFFER_COMPLETE
    used = es.tracker.allocated_bytes
    es.glDeleteTextures(1, struct.pack("<I", name))
    assert es.get(gl.GL_TEXTURE_BINDING_2D) == 0
    assert es.glCheckFramebufferStatus(gl.GL_FRAMEBUFFER) == gl.GL_FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT
    assert es.tracker.allocated_bytes == used - 8 * 8 * 4


def test_images_beyond_the_limits_are_out_of_memory(es: Any) -> None:
    es.texture(gl.GL_TEXTURE_2D_ARRAY)
    es.glTexStorage3D(gl.GL_TEXTURE_2D_ARRAY, 1, gl.GL_RGBA32F, 8192, 8192, 2048)
    assert es.error() == gl.GL_OUT_OF_MEMORY
    assert "define_storage" not in es.backend.names()


def test_desktop_formats(desktop: Any) -> None:
    desktop.texture()
    desktop.glTexImage2D(gl.GL_TEXTURE_2D, 0, RGBA, 2, 2, 0, gl.GL_BGRA, gl.GL_UNSIGNED_INT_8_8_8_8_REV, None)
    assert desktop.error() == 0
    image = desktop.context.units[0].textures[gl.GL_TEXTURE_2D].images[(0, 0)]
    assert (image.format, image.requested_format) == (gl.GL_RGBA8, RGBA)
    swizzle = struct.pack("<4i", gl.GL_RED, gl.GL_RED, gl.GL_RED, gl.GL_ONE)
    desktop.glTexParameteriv(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_SWIZZLE_RGBA, swizzle)
    assert desktop.error() == 0
    desktop.backend.read_image = lambda *_: bytes(range(16))
    desktop.glGetTexImage(gl.GL_TEXTURE_2D, 0, RGBA, UBYTE, None)
    assert desktop.outputs["pixels"] == bytes(range(16))


def test_pixels_that_a_driver_would_compress_are_kept(desktop: Any) -> None:
    asked = {gl.GL_COMPRESSED_RGBA_S3TC_DXT5_EXT: gl.GL_RGBA8, gl.GL_COMPRESSED_RGBA_BPTC_UNORM: gl.GL_RGBA8,
             gl.GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT: gl.GL_SRGB8_ALPHA8}  # fmt: skip
    desktop.texture()
    for internal, kept in asked.items():
        desktop.glTexImage2D(gl.GL_TEXTURE_2D, 0, internal, 4, 4, 0, RGBA, UBYTE, bytes(64))
        image = desktop.context.units[0].textures[gl.GL_TEXTURE_2D].images[(0, 0)]
        assert (image.format, image.requested_format) == (kept, internal)
    desktop.glTexImage2D(gl.GL_TEXTURE_2D, 0, gl.GL_COMPRESSED_RGBA8_ETC2_EAC, 4, 4, 0, RGBA, UBYTE, bytes(64))
    assert desktop.error() == gl.GL_INVALID_OPERATION


def test_format_table_is_consistent() -> None:
    for format in FORMATS.values():
        if not format.compressed and format.kind not in ("depth", "depth_float", "stencil"):
            stored = sum(format.bits[:4]) + (5 if format.name == gl.GL_RGB9_E5 else 0)
            assert stored == 8 * format.bytes, hex(format.name)
        if format.base != gl.GL_STENCIL_INDEX and not format.compressed:
            assert sized_format(format.name, 0, 0, gles=True) == 0


def test_parameters_that_are_set_again_are_no_change(es: Any) -> None:
    name = es.gen("glGenTextures")
    es.glBindTexture(gl.GL_TEXTURE_2D, name)
    es.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, gl.GL_LINEAR)
    texture, epoch = es.tracker.current[es.thread].group.textures.objects[name], es.tracker.epoch
    version = texture.state_version
    es.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, gl.GL_LINEAR)
    es.glTexParameterf(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_BASE_LEVEL, 0.0)
    assert (texture.state_version, es.tracker.epoch) == (version, epoch)
    for number, (pname, value) in enumerate(
        (
            (gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST),
            (gl.GL_TEXTURE_MAX_LEVEL, 3),
            (gl.GL_TEXTURE_SWIZZLE_G, gl.GL_ONE),
        ),
        1,
    ):
        es.glTexParameteri(gl.GL_TEXTURE_2D, pname, value)
        assert (texture.state_version, es.tracker.epoch) == (version + number, epoch + number)


def test_proxies_tell_whether_there_can_be_an_image(desktop: Any) -> None:
    """pyqtgraph asks before it makes a volume."""

    def width_of(target: int, level: int = 0) -> int:
        desktop.glGetTexLevelParameteriv(target, level, gl.GL_TEXTURE_WIDTH, None)
        found = int(struct.unpack("<i", desktop.outputs["params"])[0])
        assert desktop.error() == gl.GL_NO_ERROR
        return found

    proxy, kind = gl.GL_PROXY_TEXTURE_3D, (gl.GL_RGBA, gl.GL_UNSIGNED_BYTE)
    assert width_of(proxy) == 0
    desktop.glTexImage3D(proxy, 0, gl.GL_RGBA, 40, 50, 60, 0, *kind, None)
    desktop.glTexImage3D(proxy, 1, gl.GL_RGBA, 20, 25, 30, 0, *kind, None)
    assert (width_of(proxy), width_of(proxy, 1), width_of(gl.GL_TEXTURE_3D)) == (40, 20, 0)
    desktop.glTexImage3D(proxy, 0, gl.GL_RGBA, 40, 1 << 20, 60, 0, *kind, None)
    assert (width_of(proxy), width_of(proxy, 1)) == (0, 20)
    desktop.glTexImage2D(gl.GL_PROXY_TEXTURE_2D, 0, gl.GL_RGBA8, 1, 1, 0, gl.GL_RGBA, 7, None)
    assert desktop.error() == gl.GL_INVALID_ENUM
