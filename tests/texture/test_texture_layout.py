"""Address layout: every texel has its place, lines hold what they should, addresses are handed out in order."""

from __future__ import annotations

import numpy as np
import pytest

from replay.formats import FORMATS
from replay.texture.layout import AddressAllocator, TextureLayout, line_extent
from traceformat.errors import ReplayError
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import MemoryMap


@pytest.mark.parametrize("entry", FORMATS.values(), ids=lambda entry: hex(entry.internal))
def test_a_line_holds_64_bytes(entry):
    width, height = line_extent(entry)
    if entry.codec is None:
        assert width * height * entry.texel_bytes in (64, 16 * 4)
    else:
        assert width * height // (entry.block[0] * entry.block[1]) * entry.block_bytes == 64


@pytest.mark.parametrize("internal", [gl.GL_R8, gl.GL_RGB565, gl.GL_RGBA8, gl.GL_RGBA16F, gl.GL_RGBA32F])
@pytest.mark.parametrize("size", [(1, 1), (7, 5), (64, 64), (100, 30), (130, 9)])
def test_lines_are_disjoint_rectangles(internal, size):
    entry = FORMATS[internal]
    width, height = size
    sizes = [(width, height, 3), (max(width // 2, 1), max(height // 2, 1), 3)]
    layout = TextureLayout.of(entry, sizes)
    across, down = line_extent(entry)
    owner = {}
    for level, (w, h, layers) in enumerate(sizes):
        for layer in range(layers):
            for y in range(h):
                for x in range(w):
                    line = layout.line_of(level, x, y, layer)
                    assert 0 <= line < layout.num_bytes // 64
                    rectangle = (level, layer, x // across, y // down)
                    assert owner.setdefault(line, rectangle) == rectangle
    assert len(set(owner.values())) == len(owner)


def test_eight_by_eight_lines_are_a_page():
    layout = TextureLayout.of(FORMATS[gl.GL_RGBA8], [(256, 256, 1)])
    lines = {layout.line_of(0, x, y) for x in range(32, 64, 4) for y in range(64, 96, 4)}
    assert len(lines) == 64
    assert max(lines) - min(lines) == 63


def test_compressed_blocks_share_lines():
    layout = TextureLayout.of(FORMATS[gl.GL_ETC1_RGB8_OES], [(64, 64, 1)])
    assert layout.line_of(0, 0, 0) == layout.line_of(0, 15, 7)
    assert layout.line_of(0, 16, 0) != layout.line_of(0, 15, 0)
    lines = {layout.line_of(0, x, y) for x in range(64) for y in range(64)}
    assert len(lines) * 64 == FORMATS[gl.GL_ETC1_RGB8_OES].block_bytes * 16 * 16


def test_addresses_are_in_order_and_aligned():
    allocator = AddressAllocator(MemoryMap.TEXTURES)
    sizes = [1, 4096, 4097, 100]
    addresses = [allocator.allocate(size) for size in sizes]
    assert addresses[0] == MemoryMap.TEXTURES
    assert np.diff(addresses).tolist() == [4096, 4096, 8192]


def test_a_full_region_starts_again():
    allocator = AddressAllocator(MemoryMap.TEXTURES)
    big = MemoryMap.REGION_BYTES - 4096
    assert allocator.allocate(big) == MemoryMap.TEXTURES
    assert allocator.allocate(4096) == MemoryMap.TEXTURES + big
    assert allocator.allocate(1) == MemoryMap.TEXTURES
    with pytest.raises(ReplayError, match="64 GiB"):
        allocator.allocate(MemoryMap.REGION_BYTES + 1)
