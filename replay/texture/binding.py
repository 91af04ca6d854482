"""Binding a texture with its sampler state: the static key that specialises code, and the run-time descriptor.

Completeness follows ES 3.0.6 §3.8.13 (and GL 3.3 §3.8.14): a texture that is not complete for its filters samples as
opaque black.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from replay import formats
from replay.formats import Format, Storage
from replay.formats.convert import SRGB_TO_LINEAR
from replay.glsl.texturing import Dimension
from replay.texture.layout import STRIP_LINES_LOG2, line_extent
from replay.texture.storage import MAX_LEVELS, Chain, TextureMemory, storage_of
from replay.texture.tables import ELLIPSE_WEIGHTS
from traceformat.gles import enums as gl
from traceformat.gles.formats import FORMATS
from traceformat.gles.objects import BufferTexels, Image, Sampling, Texture
from traceformat.gputrace.frametrace import LINE_BYTES, MemoryMap
from traceformat.native.records import address_of

__all__ = [
    "DESCRIPTOR_DTYPE",
    "Binding",
    "Mip",
    "Rules",
    "SamplerKey",
    "Wrap",
    "bind",
    "is_copied",
    "is_current",
    "unbound",
]


class Wrap(Enum):
    """Wrap modes (ES 3.0.6 table 3.19; border and mirrored clamps of desktop GL)."""

    REPEAT = "repeat"
    CLAMP_TO_EDGE = "clamp_to_edge"
    MIRRORED_REPEAT = "mirrored_repeat"
    CLAMP_TO_BORDER = "clamp_to_border"
    MIRROR_CLAMP_TO_EDGE = "mirror_clamp_to_edge"
    #: GL_CLAMP of compatibility contexts: linear filters mix with the border within half a texel of the edge.
    CLAMP = "clamp"


class Mip(Enum):
    """How levels are chosen."""

    NONE = "none"
    NEAREST = "nearest"
    LINEAR = "linear"


class Rules(NamedTuple):
    """What sampling depends on beside texture and sampler.

    Parameters
    ----------
    seamless_cubes : filters cross cube edges (always in GLES 3.0, an enable in desktop GL)
    npot_limited : GLES 2.0 without OES_texture_npot: other sizes than powers of two need clamping and no mipmaps. Mesa
        has no such limit, so this is off unless asked for.
    depth_is_luminance : depth textures read (d, d, d, 1) instead of (d, 0, 0, 1): desktop compatibility contexts
    unsized_depth_is_luminance : so do those of unsized depth formats: in GLES (OES_depth_texture), not in desktop core
        contexts
    from_upper : level of detail from the upper row of each quad: drawn to a window, see :mod:`replay.texture.lod`
    """

    seamless_cubes: bool = True
    npot_limited: bool = False
    depth_is_luminance: bool = False
    unsized_depth_is_luminance: bool = True
    from_upper: bool = False


@dataclass(frozen=True, slots=True)
class SamplerKey:
    """Everything about a bound texture that code is specialised for; hashable, with a stable ``repr``.

    Parameters
    ----------
    dimension, is_array : of the texture; ``dimension`` None stands for an incomplete texture
    storage : texel storage; sRGB textures whose decoding is off have UNORM8
    channels : channels that the storage holds; others are 0, 0, 0, 1
    min_linear, mag_linear, mip : filters
    wraps : along s, t, r; CLAMP_TO_EDGE where a coordinate does not exist
    compare : GL compare function, 0 when comparison is off
    depth_bits : of depth storage: 16, 24, 32, or 0 for float
    swizzle : source of each result component: 0-3 channels, 4 zero, 5 one
    seamless : cube filters cross edges
    normalized : coordinates are 0..1 (all but rectangle textures)
    clamps_lod, biases_lod : LOD limits or a bias matter
    anisotropy : most probes that the modelled hardware makes, 1 = isotropic
    elliptic : the picture is filtered by elliptical weights, see ellipse.py
    line_extent : texels in a 64-byte line of memory
    texel_bytes : of a buffer texture, whose texels lie one behind the other, 0 otherwise
    from_upper : as :class:`Rules` has it, where the level of detail matters
    """

    dimension: Dimension | None
    is_array: bool = False
    storage: Storage = Storage.UNORM8
    channels: tuple[bool, bool, bool, bool] = (True, True, True, True)
    min_linear: bool = False
    mag_linear: bool = False
    mip: Mip = Mip.NONE
    wraps: tuple[Wrap, Wrap, Wrap] = (Wrap.CLAMP_TO_EDGE,) * 3
    compare: int = 0
    depth_bits: int = 0
    swizzle: tuple[int, int, int, int] = (0, 1, 2, 3)
    seamless: bool = False
    normalized: bool = True
    clamps_lod: bool = False
    biases_lod: bool = False
    anisotropy: int = 1
    elliptic: bool = False
    line_extent: tuple[int, int] = (4, 4)
    texel_bytes: int = 0
    from_upper: bool = False

    def filter_class(self) -> Any:
        """Subclass of :class:`replay.texture.sampling.Filter` that executes look-ups; None for that class itself."""
        return None


#: Run-time half of a binding. ``words`` points at the texels; sizes are those of level 0 of the binding, which is the
#: texture's base level (``depth`` of an array of cubes: how many these are); tables have one entry a level from there,
#: ``last`` is the last level, of a multisample texture the last sample. Offsets count texels, lines 64 bytes.
#: ``second`` is how far behind a texel its other representation lies, where a texture has two
#: (:mod:`replay.handheld.sampling`).
DESCRIPTOR_DTYPE: Final = np.dtype(
    [
        ("words", "<u8"),
        ("srgb_table", "<u8"),
        ("ellipse_table", "<u8"),
        ("width", "<i4"),
        ("height", "<i4"),
        ("depth", "<i4"),
        ("last", "<i4"),
        ("min_lod", "<f4"),
        ("max_lod", "<f4"),
        ("lod_bias", "<f4"),
        ("second", "<i4"),
        ("border", "<u4", 4),
        ("offset", "<i4", MAX_LEVELS),
        ("line", "<i4", MAX_LEVELS),
        ("strip_lines", "<i4", MAX_LEVELS),
        ("layer_lines", "<i4", MAX_LEVELS),
    ]
)


#: Fields before those of the sampler, and those of the levels behind them.
_HEAD: Final = struct.Struct("<3Q4i")
_LEVELS: Final = struct.Struct(f"<{4 * MAX_LEVELS}i")


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """A texture as a shader sees it. Keep it alive while its descriptor's address is in use.

    Parameters
    ----------
    key : static half
    descriptor : (1,) of DESCRIPTOR_DTYPE
    words : the texels that the descriptor points at
    complete : False: samples as opaque black
    address : first byte of the base level in the modelled memory
    levels : levels that can be sampled
    format : of the texels, None when incomplete
    """

    key: SamplerKey
    descriptor: NDArray[Any]
    words: NDArray[np.uint32]
    complete: bool
    address: int
    levels: int
    format: Format | None

    @property
    def pointer(self) -> int:
        """Address of the descriptor in host memory."""
        return address_of(self.descriptor)


_DIMENSIONS: Final = {
    gl.GL_TEXTURE_1D: (Dimension.D1, False),
    gl.GL_TEXTURE_1D_ARRAY: (Dimension.D1, True),
    gl.GL_TEXTURE_2D: (Dimension.D2, False),
    gl.GL_TEXTURE_EXTERNAL_OES: (Dimension.D2, False),
    gl.GL_TEXTURE_2D_ARRAY: (Dimension.D2, True),
    gl.GL_TEXTURE_3D: (Dimension.D3, False),
    gl.GL_TEXTURE_CUBE_MAP: (Dimension.CUBE, False),
    gl.GL_TEXTURE_CUBE_MAP_ARRAY: (Dimension.CUBE, True),
    gl.GL_TEXTURE_RECTANGLE: (Dimension.RECT, False),
    gl.GL_TEXTURE_2D_MULTISAMPLE: (Dimension.MULTISAMPLE, False),
    gl.GL_TEXTURE_2D_MULTISAMPLE_ARRAY: (Dimension.MULTISAMPLE, True),
}
_FILTERS: Final = {
    gl.GL_NEAREST: (False, Mip.NONE),
    gl.GL_LINEAR: (True, Mip.NONE),
    gl.GL_NEAREST_MIPMAP_NEAREST: (False, Mip.NEAREST),
    gl.GL_LINEAR_MIPMAP_NEAREST: (True, Mip.NEAREST),
    gl.GL_NEAREST_MIPMAP_LINEAR: (False, Mip.LINEAR),
    gl.GL_LINEAR_MIPMAP_LINEAR: (True, Mip.LINEAR),
}
_WRAPS: Final = {
    gl.GL_REPEAT: Wrap.REPEAT,
    gl.GL_CLAMP_TO_EDGE: Wrap.CLAMP_TO_EDGE,
    gl.GL_MIRRORED_REPEAT: Wrap.MIRRORED_REPEAT,
    gl.GL_CLAMP_TO_BORDER: Wrap.CLAMP_TO_BORDER,
    gl.GL_MIRROR_CLAMP_TO_EDGE_EXT: Wrap.MIRROR_CLAMP_TO_EDGE,
    gl.GL_CLAMP: Wrap.CLAMP,
}
_SWIZZLES: Final = {gl.GL_RED: 0, gl.GL_GREEN: 1, gl.GL_BLUE: 2, gl.GL_ALPHA: 3, gl.GL_ZERO: 4, gl.GL_ONE: 5}
#: Texels of a buffer texture that shaders reach: as many as Mesa's.
_MAX_TEXELS: Final = 1 << 27
_BLACK_KEY: Final = SamplerKey(None)
#: What stands for a sampler where texels are only fetched.
_UNFILTERED: Final = Sampling(min_filter=gl.GL_NEAREST, mag_filter=gl.GL_NEAREST)


@cache
def _tables() -> tuple[int, int]:
    """Where the tables lie that look-ups read."""
    return address_of(SRGB_TO_LINEAR), address_of(ELLIPSE_WEIGHTS)


@cache
def unbound() -> Binding:
    """What an incomplete texture, or none at all, binds as: opaque black."""
    words = np.zeros(4, np.uint32)
    descriptor = np.zeros(1, DESCRIPTOR_DTYPE)
    descriptor["words"] = address_of(words)
    return Binding(_BLACK_KEY, descriptor, words, False, MemoryMap.TEXTURES, 0, None)


def bind(memory: TextureMemory, texture: Texture | None, sampling: Sampling, rules: Rules) -> Binding:
    """Bind a texture with the state of its sampler object, or its own (``texture.sampling``).

    The result is cached with the texture's storage; content may change under it, definitions and parameters may not.
    """
    if texture is None:
        return unbound()
    if texture.target == gl.GL_TEXTURE_BUFFER:
        return _bind_texels(memory, texture)
    parameters = (
        texture.state_version, sampling.min_filter, sampling.mag_filter, sampling.wrap_s, sampling.wrap_t,
        sampling.wrap_r, sampling.min_lod, sampling.max_lod, sampling.lod_bias, sampling.compare_mode,
        sampling.compare_func, sampling.max_anisotropy, sampling.border_color, sampling.srgb_decode, rules,
        texture.version if _shows_stencil(texture) else 0,
    )  # fmt: skip
    chain = texture.backing
    if isinstance(chain, Chain):
        cached: Binding | None = chain.bindings.get(parameters)
        if cached is not None:
            return cached
    binding = _bind(memory, texture, sampling, rules)
    if isinstance(texture.backing, Chain):
        bindings = texture.backing.bindings
        if len(bindings) >= 64:  # programs that animate sampler state
            bindings.clear()
        bindings[parameters] = binding
    return binding


@dataclass(frozen=True, slots=True, eq=False)
class _TexelStorage:
    """``Texture.backing`` of a buffer texture: its texels as they were when it was bound last.

    Parameters
    ----------
    texels : where they lie
    version : of the buffer's content
    binding : with a copy of them, so that draws that wait keep what they were given
    num_bytes : that the binding's address has room for
    """

    texels: BufferTexels
    version: tuple[int, int]
    binding: Binding
    num_bytes: int


def _version(texels: BufferTexels) -> tuple[int, int]:
    return texels.buffer.definitions, texels.buffer.version


def _shows_stencil(texture: Texture) -> bool:
    return texture.depth_stencil_mode == gl.GL_STENCIL_INDEX


def is_copied(texture: Texture) -> bool:
    """Whether what is bound of a texture is a copy of its texels: of buffers, and of stencil."""
    return texture.texels is not None or _shows_stencil(texture)


def is_current(texture: Texture) -> bool:
    """Whether what is bound of a texture is what it holds, where that is a copy."""
    known = texture.backing
    if isinstance(known, Chain):
        return not _shows_stencil(texture) or known.stencil_version == texture.version
    if texture.texels is None or not isinstance(known, _TexelStorage):
        return texture.texels is None
    return known.texels is texture.texels and known.version == _version(texture.texels)


def _bind_texels(memory: TextureMemory, texture: Texture) -> Binding:
    """Bind a buffer texture. Its texels lie one behind the other, at an address of their own."""
    texels, known = texture.texels, texture.backing
    if texels is None:
        return unbound()
    if isinstance(known, _TexelStorage):
        if is_current(texture):
            return known.binding
        texture.version += 1
    format = formats.format_of(texels.format)
    data = texels.bytes
    texel_bytes = FORMATS[texels.format].bytes
    count = min(len(data) // texel_bytes, _MAX_TEXELS)
    if not count:
        return unbound()
    num_bytes = count * texel_bytes
    words = memory.allocate_words(count * format.storage.words)
    words[...] = formats.of_native(format, data[:num_bytes]).reshape(-1).view(np.uint32)
    if isinstance(known, _TexelStorage) and num_bytes <= known.num_bytes:
        address, num_bytes = known.binding.address, known.num_bytes
    else:
        address = memory.texture_addresses.allocate(num_bytes)
    descriptor = np.zeros(1, DESCRIPTOR_DTYPE)
    record = descriptor[0]
    record["words"] = address_of(words)
    record["width"], record["height"], record["depth"] = count, 1, 1
    record["line"][0] = (address - MemoryMap.TEXTURES) // LINE_BYTES
    key = SamplerKey(
        Dimension.BUFFER,
        storage=format.storage,
        channels=format.channels,
        texel_bytes=texel_bytes,
    )
    binding = Binding(key, descriptor, words, True, address, 1, format)
    texture.backing = _TexelStorage(texels, _version(texels), binding, num_bytes)
    return binding


def _size(image: Image) -> tuple[int, int, int]:
    return image.width, image.height, image.depth


def _count_levels(texture: Texture, base_level: int) -> int:
    """Consecutive levels from the base level on that exist and fit together, 0 if the base itself does not."""
    faces = range(6 if texture.target == gl.GL_TEXTURE_CUBE_MAP else 1)
    base = texture.images.get((0, base_level))
    if base is None or base.backing is None or min(_size(base)) < 1:
        return 0
    if texture.target == gl.GL_TEXTURE_CUBE_MAP and base.width != base.height:
        return 0
    is_3d, is_layered_1d = texture.target == gl.GL_TEXTURE_3D, texture.target == gl.GL_TEXTURE_1D_ARRAY
    largest = max(_size(base)) if is_3d else max(base.width, 1 if is_layered_1d else base.height)
    count = 0
    for step in range(min(largest.bit_length(), max(texture.max_level - base_level, 0) + 1)):
        wanted = (
            max(base.width >> step, 1),
            base.height if is_layered_1d else max(base.height >> step, 1),
            max(base.depth >> step, 1) if is_3d else base.depth,
        )
        for face in faces:
            image = texture.images.get((face, base_level + step))
            if image is None or image.backing is None or _size(image) != wanted or image.format != base.format:
                return count
        count += 1
    return count


def _wanted_levels(texture: Texture, base_level: int) -> int:
    """Levels that a mipmap filter needs."""
    base = texture.images[0, base_level]
    extent = [base.width, base.height, base.depth]
    largest = max(extent if texture.target == gl.GL_TEXTURE_3D else extent[:2])
    if texture.target == gl.GL_TEXTURE_1D_ARRAY:
        largest = base.width
    if texture.immutable_levels:
        # Immutable textures are complete, with however many levels (ES 3.0.6 §3.8.10.6).
        return min(texture.immutable_levels, texture.max_level + 1) - base_level
    return min(largest.bit_length(), max(texture.max_level - base_level, 0) + 1)


def _bind(memory: TextureMemory, texture: Texture, sampling: Sampling, rules: Rules) -> Binding:
    place = _DIMENSIONS.get(texture.target)
    if place is None:
        return unbound()
    if place[0] is Dimension.MULTISAMPLE:
        return _bind_multisample(texture, rules)
    base_level = texture.base_level
    if texture.immutable_levels:
        base_level = min(base_level, texture.immutable_levels - 1)
    num_levels = _count_levels(texture, base_level)
    min_linear, mip = _FILTERS.get(sampling.min_filter, (True, Mip.NONE))
    mag_linear = sampling.mag_filter == gl.GL_LINEAR
    if num_levels == 0 or (mip is not Mip.NONE and num_levels < _wanted_levels(texture, base_level)):
        return unbound()
    base = texture.images[0, base_level]
    format = formats.format_of(base.format)
    shows_stencil = _shows_stencil(texture) and format.has_stencil
    if shows_stencil:
        format = formats.format_of(gl.GL_R8UI)
    if format.is_integer and (min_linear or mag_linear or mip is Mip.LINEAR):
        return unbound()
    if rules.npot_limited and any(size & (size - 1) for size in (base.width, base.height)):
        clamped = sampling.wrap_s == gl.GL_CLAMP_TO_EDGE and sampling.wrap_t == gl.GL_CLAMP_TO_EDGE
        if mip is not Mip.NONE or not clamped:
            return unbound()
    chain = memory.bind_chain(texture, base_level, num_levels)
    key = _key(texture, sampling, rules, format, num_levels)
    first = base_level - chain.first_level
    words, offsets = chain.words, chain.offsets[first:] // format.storage.words
    chain.stencil_version = texture.version
    if shows_stencil:
        # Texels lie where they lie with their depth.
        key = replace(key, line_extent=line_extent(chain.format))
        words, offsets = _stencil(memory, texture, format, range(base_level, base_level + num_levels))
    width, height, depth = _size(base)
    if texture.target == gl.GL_TEXTURE_1D_ARRAY:
        height, depth = 1, height
    elif texture.target == gl.GL_TEXTURE_CUBE_MAP_ARRAY:
        depth //= 6
    lines = (chain.address - MemoryMap.TEXTURES) // LINE_BYTES
    levels = chain.layout.levels[first : first + num_levels]
    rest = (0,) * (MAX_LEVELS - num_levels)
    color = np.array(sampling.border_color, np.float32).tobytes()
    # A program may bind dozens of textures for the first time in one frame: field by field it takes ten times as long.
    octets = bytearray(
        _HEAD.pack(address_of(words), *_tables(), width, height, depth, num_levels - 1)
        + _sampler_octets(sampling.min_lod, sampling.max_lod, sampling.lod_bias, color, format)
        + _LEVELS.pack(
            *offsets[:num_levels].tolist(), *rest,
            *[lines + level.line for level in levels], *rest,
            *[level.strip_lines for level in levels], *rest,
            *[level.layer_lines for level in levels], *rest,
        )
    )  # fmt: skip
    address = chain.address + chain.layout.levels[first].line * LINE_BYTES
    return Binding(key, np.frombuffer(octets, DESCRIPTOR_DTYPE), words, True, address, num_levels, format)


def _stencil(
    memory: TextureMemory, texture: Texture, format: Format, levels: range
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """A copy of the stencil of some levels as texels of an integer format, and the first texel of each level."""
    faces = range(6 if texture.target == gl.GL_TEXTURE_CUBE_MAP else 1)
    parts = [storage_of(texture.images[face, level]).stencil for level in levels for face in faces]
    octets = [np.ascontiguousarray(part).reshape(-1) for part in parts if part is not None]
    sizes = [sum(len(each) for each in octets[k : k + len(faces)]) for k in range(0, len(octets), len(faces))]
    texels = np.concatenate(octets)
    words = memory.allocate_words(len(texels) * format.storage.words)
    words[...] = formats.of_native(format, texels).reshape(-1).view(np.uint32)
    return words, np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])


# Most samplers of a format have the same.
@lru_cache(256)
def _sampler_octets(min_lod: float, max_lod: float, lod_bias: float, color: bytes, format: Format) -> bytes:
    """Fields of a descriptor from ``min_lod`` to ``border``."""
    limits = np.array([min_lod, max(max_lod, min_lod), lod_bias], np.float32)
    second = np.zeros(1, np.int32)
    return limits.tobytes() + second.tobytes() + _border(color, format).tobytes()


def _border(color: bytes, format: Format) -> NDArray[np.uint32]:
    border = np.frombuffer(color, np.float32).copy()
    if format.is_integer:
        return border.astype(np.int64).astype(np.uint32)
    if format.kind in (formats.Kind.UNORM, formats.Kind.DEPTH):
        border = np.clip(border, np.float32(0), np.float32(1))
    if format.base in ("L", "LA"):
        border[1:3] = border[0]
    border[[channel for channel, present in enumerate(format.channels) if not present]] = 0
    if not format.channels[3]:
        border[3] = 1
    return border.view(np.uint32)


def _key(texture: Texture, sampling: Sampling, rules: Rules, format: Format, num_levels: int) -> SamplerKey:
    dimension, is_array = _DIMENSIONS[texture.target]
    min_linear, mip = _FILTERS.get(sampling.min_filter, (True, Mip.NONE))
    mag_linear = sampling.mag_filter == gl.GL_LINEAR
    if num_levels == 1:
        mip = Mip.NONE
    wraps = [_WRAPS.get(wrap, Wrap.REPEAT) for wrap in (sampling.wrap_s, sampling.wrap_t, sampling.wrap_r)]
    if not (min_linear or mag_linear):
        wraps = [Wrap.CLAMP_TO_EDGE if wrap is Wrap.CLAMP else wrap for wrap in wraps]
    cube = dimension is Dimension.CUBE
    # Filters that stay on a face clamp to its edge whatever the wrap modes are, in llvmpipe; GL would have them wrap.
    used = 0 if cube or dimension is Dimension.RECT else dimension.num_coords
    for axis in range(used, 3):
        wraps[axis] = Wrap.CLAMP_TO_EDGE
    swizzle = [_SWIZZLES.get(source, 0) for source in texture.swizzle]
    if format.is_depth and _reads_luminance(texture, rules):
        swizzle = [0 if source < 3 else 5 if source == 3 else source for source in swizzle]
    storage = format.storage
    if storage is Storage.SRGB8 and sampling.srgb_decode == gl.GL_SKIP_DECODE_EXT:
        storage = Storage.UNORM8
    depth_bits = 0
    if format.is_depth and (format.bits[0] < 32 or format.internal == gl.GL_DEPTH_COMPONENT32):
        depth_bits = format.bits[0]
    last = num_levels - 1 if mip is not Mip.NONE else 0
    elliptic = sampling.max_anisotropy > 1.0 and not format.is_depth
    elliptic = elliptic and dimension in (Dimension.D2, Dimension.D3, Dimension.CUBE)
    probes = min(max(sampling.max_anisotropy, 1.0), 16.0) if elliptic and min_linear else 1.0
    return SamplerKey(
        dimension=dimension,
        is_array=is_array,
        storage=storage,
        channels=format.channels if storage.channels else (True, True, True, True),
        min_linear=min_linear,
        mag_linear=mag_linear,
        mip=mip,
        wraps=(wraps[0], wraps[1], wraps[2]),
        compare=sampling.compare_func
        if sampling.compare_mode == gl.GL_COMPARE_REF_TO_TEXTURE and format.is_depth
        else 0,
        depth_bits=depth_bits,
        swizzle=(swizzle[0], swizzle[1], swizzle[2], swizzle[3]),
        seamless=cube and rules.seamless_cubes,
        normalized=dimension is not Dimension.RECT,
        clamps_lod=sampling.min_lod > 0 or sampling.max_lod < max(last, 1e-6),
        biases_lod=sampling.lod_bias != 0.0,
        anisotropy=int(probes) if dimension is Dimension.D2 else 1,
        elliptic=elliptic,
        line_extent=line_extent(format),
        from_upper=rules.from_upper and (elliptic or (min_linear != mag_linear if mip is Mip.NONE else not cube)),
    )


def _reads_luminance(texture: Texture, rules: Rules) -> bool:
    requested = next(iter(texture.images.values())).requested_format
    is_unsized = requested in (gl.GL_DEPTH_COMPONENT, gl.GL_DEPTH_STENCIL)
    return rules.depth_is_luminance or (is_unsized and rules.unsized_depth_is_luminance)


def _bind_multisample(texture: Texture, rules: Rules) -> Binding:
    image = texture.images.get((0, 0))
    if image is None or image.backing is None:
        return unbound()
    storage = storage_of(image)
    words = storage.texels.reshape(-1).view(np.uint32)
    descriptor = np.zeros(1, DESCRIPTOR_DTYPE)
    record = descriptor[0]
    record["words"] = address_of(words)
    record["srgb_table"] = _tables()[0]
    _, height, width = storage.extent
    record["width"], record["height"], record["depth"] = width, height, image.depth
    record["last"] = max(image.samples, 1) - 1
    strips = -(-width // (line_extent(storage.format)[0] << STRIP_LINES_LOG2))
    record["line"][0] = (storage.address - MemoryMap.TEXTURES) // LINE_BYTES
    record["layer_lines"][0] = storage.layer_bytes // LINE_BYTES
    record["strip_lines"][0] = record["layer_lines"][0] // strips
    key = _key(texture, _UNFILTERED, rules, storage.format, 1)
    return Binding(key, descriptor, words, True, storage.address, 1, storage.format)
