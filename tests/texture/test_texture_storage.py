"""Texture storage: definition and redefinition, addresses, updates, mipmap generation, limits, completeness."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from replay import formats
from replay.texture.binding import Rules, bind
from replay.texture.mipmaps import reduce_level
from replay.texture.storage import TextureMemory, storage_of
from traceformat.errors import ReplayError
from traceformat.gles import enums as gl
from traceformat.gles.backend import Box, Pixels
from traceformat.gles.objects import Image, Sampling, Texture
from traceformat.gputrace.frametrace import MemoryMap


def define(memory, texture, level, width, height, pixels=None, internal=gl.GL_RGBA8, face=0):
    image = texture.images[face, level] = Image(width, height, 1, internal)
    texture.state_version += 1
    data = None if pixels is None else Pixels(gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, memoryview(pixels))
    memory.define_image(texture, face, level, image, data)
    return image


def test_levels_share_one_allocation_and_redefinition_keeps_it():
    memory, texture = TextureMemory(), Texture(1, 1, gl.GL_TEXTURE_2D)
    base = define(memory, texture, 0, 4, 4, bytes(range(64)))
    small = define(memory, texture, 1, 2, 2)
    chain = texture.backing
    assert small.backing.chain is base.backing.chain is chain
    assert base.backing.address == MemoryMap.TEXTURES
    assert small.backing.address > base.backing.address
    assert base.backing.texels.view(np.uint8).reshape(-1).tolist() == list(range(64))
    again = define(memory, texture, 0, 4, 4, bytes(64))
    assert again.backing.chain is chain
    assert not again.backing.texels.any()
    larger = define(memory, texture, 0, 8, 8)
    assert larger.backing.address == MemoryMap.TEXTURES + 4096


def test_levels_in_any_order_are_collected():
    memory, texture = TextureMemory(), Texture(1, 1, gl.GL_TEXTURE_2D)
    sampling = Sampling(min_filter=gl.GL_NEAREST_MIPMAP_NEAREST)
    for level in (2, 1, 0):
        size = 4 >> level
        define(memory, texture, level, size, size, bytes([level + 1]) * (4 * size * size))
    binding = bind(memory, texture, sampling, Rules())
    assert binding.complete
    assert binding.levels == 3
    for level in range(3):
        storage = storage_of(texture.images[0, level])
        assert storage.chain is texture.backing
        assert (storage.texels == 0x01010101 * (level + 1)).all()
    assert bind(memory, texture, sampling, Rules()) is binding


def test_inconsistent_textures_are_incomplete():
    memory, texture = TextureMemory(), Texture(1, 1, gl.GL_TEXTURE_2D)
    define(memory, texture, 0, 4, 4)
    define(memory, texture, 1, 3, 2)
    define(memory, texture, 2, 1, 1)
    assert not bind(memory, texture, Sampling(), Rules()).complete
    define(memory, texture, 1, 2, 2)
    assert bind(memory, texture, Sampling(), Rules()).complete
    define(memory, texture, 2, 1, 1, internal=gl.GL_RGB8)
    assert not bind(memory, texture, Sampling(), Rules()).complete
    texture.max_level = 1
    texture.state_version += 1
    assert bind(memory, texture, Sampling(), Rules()).complete
    texture.base_level = 3
    texture.state_version += 1
    assert not bind(memory, texture, Sampling(), Rules()).complete


def test_cubes_need_six_equal_faces():
    memory, texture = TextureMemory(), Texture(1, 1, gl.GL_TEXTURE_CUBE_MAP)
    sampling = Sampling(min_filter=gl.GL_LINEAR)
    for face in range(6):
        assert not bind(memory, texture, sampling, Rules()).complete
        define(memory, texture, 0, 4, 4, bytes([face]) * 64, face=face)
    binding = bind(memory, texture, sampling, Rules())
    assert binding.complete
    texels = binding.words[:96].reshape(6, 16)
    assert (texels == np.arange(6)[:, None] * 0x01010101).all()
    lines = [storage_of(texture.images[face, 0]).address for face in range(6)]
    assert np.diff(lines).tolist() == [8 * 64] * 5


def test_sub_images_and_copies():
    memory, texture = TextureMemory(), Texture(1, 1, gl.GL_TEXTURE_2D)
    image = define(memory, texture, 0, 5, 4)
    memory.update_image(
        image, Box(1, 2, 0, 2, 1, 1), Pixels(gl.GL_RGB, gl.GL_UNSIGNED_BYTE, memoryview(bytes([1, 2, 3, 4, 5, 6])))
    )
    texels = storage_of(image).texels[0]
    assert texels[2, 1:3].tolist() == [0xFF030201, 0xFF060504]
    assert np.count_nonzero(texels) == 2
    source = formats.format_of(gl.GL_RGBA32F)
    memory.write_texels(image, 4, 3, 0, source, np.ones((1, 1, 1, 4), np.float32))
    assert texels[3, 4] == 0xFFFFFFFF
    assert memory.read_image(image, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE) == texels.tobytes()
    with pytest.raises(ReplayError, match="does not fill"):
        memory.update_image(
            image, Box(0, 0, 0, 5, 4, 1), Pixels(gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, memoryview(b"12345678"))
        )


def test_immutable_storage_and_planes():
    memory, texture = TextureMemory(), Texture(1, 1, gl.GL_TEXTURE_2D_ARRAY)
    for level in range(3):
        texture.images[0, level] = Image(4 >> level, 4 >> level, 6, gl.GL_RGBA16F)
    texture.immutable_levels = 3
    memory.define_storage(texture)
    assert storage_of(texture.images[0, 2]).texels.shape == (6, 1, 1, 4)
    plane = Image(7, 5, 1, gl.GL_DEPTH24_STENCIL8, samples=4)
    memory.define_plane(plane)
    storage = storage_of(plane)
    assert storage.texels.shape == storage.stencil.shape == (4, 5, 7)
    assert storage.address == MemoryMap.RENDER_TARGETS
    with pytest.raises(ReplayError, match="without storage"):
        storage_of(Image(1, 1, 1, gl.GL_RGBA8))


def test_memory_is_limited_and_given_back():
    memory = TextureMemory(max_bytes=1 << 20)
    texture = Texture(1, 1, gl.GL_TEXTURE_2D)
    with pytest.raises(ReplayError, match="limit of 1 MiB"):
        define(memory, texture, 0, 1024, 1024)
    for _ in range(20):
        texture = Texture(1, 1, gl.GL_TEXTURE_2D)
        define(memory, texture, 0, 256, 256)
    del texture
    gc.collect()
    assert memory.live_bytes == 0
    with pytest.raises(ReplayError, match="larger than"):
        define(memory, Texture(1, 1, gl.GL_TEXTURE_2D), 0, 1 << 20, 1)


def test_memory_of_images_that_are_gone_is_used_again():
    """Zeroed, and never while anything refers to it."""
    memory = TextureMemory()
    textures = [Texture(1, 1, gl.GL_TEXTURE_2D) for _ in range(3)]
    for texture in textures[:2]:
        define(memory, texture, 0, 256, 256)
    texels = storage_of(textures[0].images[0, 0]).texels
    place = texels.ctypes.data
    texels[...] = 7
    part = texels[0, 3:5]
    textures[0].images.clear()
    textures[0].backing = None
    del texels
    define(memory, textures[1], 0, 128, 256)
    define(memory, textures[2], 0, 256, 256)
    assert storage_of(textures[2].images[0, 0]).texels.ctypes.data != place
    assert (part == 7).all()
    del part
    textures[2] = Texture(1, 1, gl.GL_TEXTURE_2D)
    found = []
    for _ in range(2):
        texture = Texture(1, 1, gl.GL_TEXTURE_2D)
        define(memory, texture, 0, 256, 256)
        own = storage_of(texture.images[0, 0]).texels
        found.append(own.ctypes.data)
        assert (own == 0).all()
        textures.append(texture)
    assert place in found
    assert len(set(found)) == 2


@pytest.mark.parametrize("internal", [gl.GL_RGBA8, gl.GL_RGBA32F, gl.GL_SRGB8_ALPHA8, gl.GL_R16F, gl.GL_RGB565])
def test_even_mipmaps_are_boxes(internal):
    entry = formats.format_of(internal)
    rng = np.random.default_rng(4)
    texels = formats.quantize(entry, rng.random((1, 8, 6, 4)).astype(np.float32))
    found = formats.expand(entry, reduce_level(entry, texels, (1, 4, 3))).astype(np.float64)
    box = formats.expand(entry, texels).astype(np.float64).reshape(1, 4, 2, 3, 2, 4).mean(axis=(2, 4))
    tolerance = {gl.GL_RGBA32F: 1e-6, gl.GL_R16F: 1e-3, gl.GL_RGB565: 1.1 / 31}.get(internal, 1.3 / 255)
    assert np.abs(found - box).max() < tolerance


@pytest.mark.parametrize("internal", [gl.GL_RGBA8, gl.GL_RGBA32F])
@pytest.mark.parametrize("size", [(5, 7), (3, 1), (1, 9), (7, 4)])
def test_odd_mipmaps_sample_at_texel_centres(internal, size):
    entry = formats.format_of(internal)
    width, height = size
    texels = formats.quantize(entry, np.random.default_rng(1).random((1, height, width, 4)).astype(np.float32))
    extent = (1, max(height // 2, 1), max(width // 2, 1))
    found = formats.expand(entry, reduce_level(entry, texels, extent)).astype(np.float64)
    values = formats.expand(entry, texels).astype(np.float64)[0]

    def axis(number, count, old):
        position = (number + 0.5) * old / count - 0.5
        low = int(np.floor(position))
        return max(low, 0), min(low + 1, old - 1), position - low

    for y in range(extent[1]):
        for x in range(extent[2]):
            x0, x1, wx = axis(x, extent[2], width)
            y0, y1, wy = axis(y, extent[1], height)
            lower = values[y0, x0] * (1 - wx) + values[y0, x1] * wx
            upper = values[y1, x0] * (1 - wx) + values[y1, x1] * wx
            assert np.abs(found[0, y, x] - (lower * (1 - wy) + upper * wy)).max() < 2.5 / 255


def test_generated_levels_of_a_volume_halve_in_depth(workbench):
    pixels = np.repeat(np.arange(4, dtype=np.uint8) * 64, 4 * 4 * 4).tobytes()
    texture = workbench.texture(
        gl.GL_TEXTURE_3D, gl.GL_RGBA8, 4, 4, 4, pixels=pixels, format=gl.GL_RGBA, type=gl.GL_UNSIGNED_BYTE
    )
    half = storage_of(texture.images[0, 1]).texels
    assert half.shape == (2, 2, 2)
    assert (half[0] == 0x20202020).all()
    assert (half[1] == 0xA0A0A0A0).all()
