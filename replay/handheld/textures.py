"""Textures as the handheld machine stores them: 16-bit texels, or blocks of 3x2 in one or two representations.

Opaque textures have 5-6-5 bits, those with alpha 5-5-5-1 or 4-4-4-4; one or two channels keep their 8 bits each. With
compression, opaque textures lie in blocks; those with alpha, and those that were rendered to, do not (§6.2: for
"render-to-textures ... compressed textures might not be feasible"). Rows begin with a memory word.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.formats import Format, Storage
from replay.glsl.texturing import Dimension
from replay.handheld.sampling import BLOCK_HEIGHT, BLOCK_WIDTH, HandheldKey
from replay.handheld.targets import MemoryPlaces
from replay.texture.binding import Binding, Rules, SamplerKey, bind
from replay.texture.storage import TextureMemory
from traceformat.gles import enums as gl
from traceformat.gles.objects import Sampling, Texture
from traceformat.gputrace.accessstream import HandheldMode

__all__ = ["HandheldTextures", "compressed", "quantize_texels"]

_MIPMAPPED: Final = (
    gl.GL_NEAREST_MIPMAP_NEAREST,
    gl.GL_LINEAR_MIPMAP_NEAREST,
    gl.GL_NEAREST_MIPMAP_LINEAR,
    gl.GL_LINEAR_MIPMAP_LINEAR,
)
_NEAREST: Final = (gl.GL_NEAREST, gl.GL_NEAREST_MIPMAP_NEAREST, gl.GL_NEAREST_MIPMAP_LINEAR)
#: Most converted textures that are kept.
_MOST: Final = 256


def _narrow(octets: NDArray[np.uint8], bits: int) -> NDArray[np.uint8]:
    """Nearest values of fewer bits, as bytes again."""
    most = (1 << bits) - 1
    codes = np.rint(octets * (most / 255.0))
    return np.asarray(np.rint(codes * (255.0 / most)), np.uint8)


def quantize_texels(texels: NDArray[np.uint32], format: Format) -> NDArray[np.uint32]:
    """Texels in 16 bits, as bytes again.

    Parameters
    ----------
    texels : any shape, bytes R, G, B, A
    format : of the texture: formats of one or two channels fit as they are
    """
    if sum(format.channels) <= 2 or format.base in ("L", "A", "LA", "R", "RG"):
        return texels
    octets = np.ascontiguousarray(texels).view(np.uint8).reshape(*texels.shape, 4).copy()
    alpha = octets[..., 3]
    widths = (5, 6, 5, 8)
    if not (alpha == 255).all():
        widths = (5, 5, 5, 1) if np.isin(alpha, (0, 255)).all() else (4, 4, 4, 4)
    for channel, bits in enumerate(widths):
        if bits < 8:
            octets[..., channel] = _narrow(octets[..., channel], bits)
    return octets.view(np.uint32)[..., 0]


def compressed(
    texels: NDArray[np.uint32], mode: HandheldMode
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], list[NDArray[np.uint32]]]:
    """Compress an image to blocks and back.

    Parameters
    ----------
    texels : (H, W) uint32, bytes R, G, B, A
    mode : compressor, dithering; overlapping blocks are always made

    Returns
    -------
    first and second representation as texels, and their blocks
    """
    from replay.handheld.kernels.pooma import decode_blocks, diffuse, encode_blocks

    height, width = texels.shape
    source = np.ascontiguousarray(texels)
    if mode.dither:
        dithered = np.empty_like(source)
        diffuse(source, dithered)
        source = dithered
    columns = -(-width // BLOCK_WIDTH)
    images, blocks = [], []
    for first_row in range(BLOCK_HEIGHT):
        rows = -(-height // BLOCK_HEIGHT) if first_row == 0 else height // BLOCK_HEIGHT
        packed = np.zeros((rows, columns), np.uint32)
        # Rows that no block of the second representation covers are never looked up there.
        image = np.zeros((height, width), np.uint32)
        if rows and (first_row == 0 or height > 1):
            encode_blocks(source, first_row, mode.compressor == "search", packed)
            decode_blocks(packed, first_row, image)
        images.append(image)
        blocks.append(packed)
    return images[0], images[1], blocks


@dataclass(slots=True, eq=False)
class _Content:
    """A converted texture: texels of its representations, words of memory, and where levels begin there."""

    words: NDArray[np.uint32]
    second: int
    blocks: bool
    texel_words: int
    line: list[int]
    pitch: list[int]
    step: list[int]
    num_bytes: int


class HandheldTextures:
    """Binds textures for the handheld machine.

    Parameters
    ----------
    memory : the engine's textures
    mode : of the machine
    places : of the machine's memory
    lod_bias : of the sampling pattern
    """

    def __init__(self, memory: TextureMemory, mode: HandheldMode, places: MemoryPlaces, lod_bias: float) -> None:
        self._memory = memory
        self._mode = mode
        self._places = places
        self._lod_bias = lod_bias
        self._contents: dict[int, tuple[Any, _Content]] = {}
        self._bindings: dict[Any, tuple[Any, Binding]] = {}
        #: Textures that were rendered to, by serial.
        self.rendered: set[int] = set()
        #: Bytes of the textures that were bound since the frame began, by serial.
        self.bound_bytes: dict[int, int] = {}

    def bind(self, texture: Texture, sampling: Sampling, rules: Rules) -> Binding:
        """Bind a texture with the machine's filter in place of the sampler's."""
        base = bind(self._memory, texture, self._sampling(texture, sampling), rules)
        if not base.complete or base.format is None or base.key.dimension in (None, Dimension.MULTISAMPLE):
            return base
        version = (texture.version, texture.state_version, base.words.ctypes.data, base.levels)
        content = self._content(texture, base, version)
        self.bound_bytes[texture.serial] = content.num_bytes
        key = (texture.serial, base.key, base.descriptor.tobytes())
        known = self._bindings.get(key)
        if known is not None and known[0] == version:
            return known[1]
        if len(self._bindings) >= _MOST:
            self._bindings.clear()
        binding = self._bound(base, content)
        self._bindings[key] = (version, binding)
        return binding

    def _replaces_filters(self, texture: Texture, sampling: Sampling) -> bool:
        """Whether look-ups are filtered as the machine does it: not those of data, which ask for nearest texels."""
        image = texture.images.get((0, texture.base_level))
        if image is None or image.backing is None:
            return False
        storage = image.backing.format.storage
        if storage not in (Storage.UNORM8, Storage.SRGB8):
            return False
        return not (sampling.min_filter in _NEAREST and sampling.mag_filter == gl.GL_NEAREST)

    def _sampling(self, texture: Texture, sampling: Sampling) -> Sampling:
        wanted = replace(sampling, max_anisotropy=1.0, lod_bias=sampling.lod_bias + self._lod_bias)
        if not self._replaces_filters(texture, sampling):
            return wanted
        if self._mode.texture_filter == "nearest":
            return replace(wanted, min_filter=gl.GL_NEAREST, mag_filter=gl.GL_NEAREST)
        least = gl.GL_LINEAR
        if sampling.min_filter in _MIPMAPPED:
            is_single = self._mode.texture_filter == "bilinear"
            least = gl.GL_LINEAR_MIPMAP_NEAREST if is_single else gl.GL_LINEAR_MIPMAP_LINEAR
        return replace(wanted, min_filter=least, mag_filter=gl.GL_LINEAR)

    # ------------------------------------------------------------------ contents
    def _content(self, texture: Texture, base: Binding, version: Any) -> _Content:
        known = self._contents.get(texture.serial)
        if known is not None and known[0] == version:
            return known[1]
        if len(self._contents) >= _MOST:
            self._contents.clear()
        content = self._convert(texture, base, known[1].line[0] if known is not None else None)
        self._contents[texture.serial] = (version, content)
        return content

    def _convert(self, texture: Texture, base: Binding, old_place: int | None) -> _Content:
        format = base.format
        assert format is not None
        sizes = _level_sizes(texture, base)
        is_color = format.storage in (Storage.UNORM8, Storage.SRGB8)
        words = base.words
        second = 0
        blocks = False
        record = base.descriptor[0]
        skip = (int(record["words"]) - int(words.ctypes.data)) // 4
        if is_color and not self._mode.precise:
            offsets = [skip + int(record["offset"][step]) for step in range(len(sizes))]
            images = [
                words[at : at + width * height * depth].reshape(depth, height, width)
                for at, (width, height, depth) in zip(offsets, sizes, strict=True)
            ]
            opaque = not format.channels[3] or all((image >> np.uint32(24) == 255).all() for image in images)
            blocks = (
                self._mode.compression
                and opaque
                and texture.serial not in self.rendered
                and base.key.dimension is Dimension.D2
                and not base.key.is_array
                and sum(format.channels) > 2
            )
            second = len(words) - skip
            out = np.zeros(2 * second if blocks else second, np.uint32)
            for at, image in zip(offsets, images, strict=True):
                first = at - skip
                if blocks:
                    even, odd, _ = compressed(image[0], self._mode)
                    out[first : first + even.size] = even.ravel()
                    out[second + first : second + first + odd.size] = odd.ravel()
                else:
                    out[first : first + image.size] = quantize_texels(image, format).ravel()
            words = out
        elif skip:
            words = words[skip:]
        texel_words = 0 if is_color or format.texel_bytes <= 2 else -(-format.texel_bytes // 4)
        line, pitch, step_words, total = _places(sizes, blocks, self._mode.overlap, texel_words)
        # A texture that is defined again keeps its place: it is as large as before, or not this machine's concern.
        start = old_place if old_place is not None else self._places.take(2 * total) // 2
        return _Content(words, second, blocks, texel_words, [start + at for at in line], pitch, step_words, 4 * total)

    def _bound(self, base: Binding, content: _Content) -> Binding:
        values = {field.name: getattr(base.key, field.name) for field in fields(SamplerKey)}
        average = (
            self._mode.texture_filter == "bilinear-average"
            and base.key.min_linear
            and base.key.storage in (Storage.UNORM8, Storage.SRGB8)
            and base.key.dimension is Dimension.D2
        )
        key = HandheldKey(
            **values,
            average=average,
            blocks=content.blocks,
            overlap=content.blocks and self._mode.overlap,
            texel_words=content.texel_words,
        )
        descriptor = base.descriptor.copy()
        record = descriptor[0]
        record["words"] = content.words.ctypes.data
        record["second"] = content.second
        for level in range(base.levels):
            record["line"][level] = content.line[level]
            record["strip_lines"][level] = content.pitch[level]
            record["layer_lines"][level] = content.step[level]
        return Binding(key, descriptor, content.words, True, base.address, base.levels, base.format)


def _level_sizes(texture: Texture, base: Binding) -> list[tuple[int, int, int]]:
    """Width, height and layers (faces among them) of the levels that can be sampled."""
    record = base.descriptor[0]
    width, height, depth = (int(record[name]) for name in ("width", "height", "depth"))
    faces = 6 if base.key.dimension is Dimension.CUBE else 1
    sizes = []
    for step in range(base.levels):
        layers = max(depth >> step, 1) if base.key.dimension is Dimension.D3 else depth
        rows = 1 if base.key.dimension is Dimension.D1 else max(height >> step, 1)
        sizes.append((max(width >> step, 1), rows, layers * faces))
    return sizes


def _places(
    sizes: list[tuple[int, int, int]], blocks: bool, overlap: bool, texel_words: int
) -> tuple[list[int], list[int], list[int], int]:
    """First word of each level, words of a row, words from a layer (or representation) to the next, and all words."""
    line, pitch, step = [], [], []
    total = 0
    for width, height, layers in sizes:
        if blocks:
            columns = -(-width // BLOCK_WIDTH)
            rows = -(-height // BLOCK_HEIGHT)
            size = columns * rows
            count = 2 if overlap else 1
        else:
            columns = -(-width // 2) if texel_words == 0 else width * texel_words
            size, count = columns * height, layers
        line.append(total)
        pitch.append(columns)
        step.append(size)
        total += size * count
    return line, pitch, step, total
