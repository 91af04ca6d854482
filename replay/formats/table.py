"""How the replay keeps each internal format: storage, bits a channel, bytes in the modelled memory, block codec.

Which formats exist, and what their channels are, is :data:`traceformat.gles.formats.FORMATS`'s to say; this table
adds what an engine needs. ``texel_bytes`` is the size in the modelled memory: three-channel formats are padded to
four, as GPUs and Mesa do, so that texels never straddle 64-byte lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Any, Final

import numpy as np

from traceformat.gles import enums as gl
from traceformat.gles import formats as client_formats

__all__ = ["FORMATS", "Codec", "Format", "Kind", "Storage", "format_of"]


class Kind(Enum):
    """What the bits of a channel mean."""

    UNORM = "unorm"
    SNORM = "snorm"
    FLOAT = "float"
    UINT = "uint"
    INT = "int"
    DEPTH = "depth"


class Storage(IntEnum):
    """How texels are kept; see :mod:`replay.texture`."""

    UNORM8 = 0
    SRGB8 = 1
    FLOAT = 2
    INT = 3
    UINT = 4
    DEPTH = 5

    @property
    def dtype(self) -> np.dtype[Any]:
        """Element type of the storage array."""
        return np.dtype(_STORAGE_DTYPES[self])

    @property
    def channels(self) -> int:
        """Length of the storage array's last axis; 0 where a texel is one element."""
        return 4 if self in (Storage.FLOAT, Storage.INT, Storage.UINT) else 0

    @property
    def words(self) -> int:
        """32-bit words a texel."""
        return max(self.channels, 1)


_STORAGE_DTYPES: Final = ("<u4", "<u4", "<f4", "<i4", "<u4", "<u4")


class Codec(Enum):
    """Families of block compression."""

    ETC1 = "etc1"
    ETC2_RGB = "etc2_rgb"
    ETC2_PUNCH = "etc2_punch_through"
    ETC2_RGBA = "etc2_rgba"
    EAC_R = "eac_r"
    EAC_RG = "eac_rg"
    BC1 = "bc1"
    BC1A = "bc1a"
    BC2 = "bc2"
    BC3 = "bc3"
    BC4 = "bc4"
    BC5 = "bc5"
    ASTC = "astc"


@dataclass(frozen=True, slots=True)
class Format:
    """One internal format.

    Parameters
    ----------
    internal : GL value of the sized format
    base : channels as the base internal format has them: R RG RGB RGBA A L LA D DS S
    kind : what the bits mean
    bits : bits of red, green, blue, alpha as stored (luminance counts as red, green and blue);
        depth, stencil, 0, 0 for D, DS and S
    texel_bytes : bytes a texel in the modelled memory; 0 for compressed formats
    storage : how the replay keeps texels
    srgb : RGB is kept non-linear
    renderable : may be a colour attachment
    filterable : may be filtered linearly
    codec, block, block_bytes : of compressed formats: family, texels of a block, bytes of a block
    """

    internal: int
    base: str
    kind: Kind
    bits: tuple[int, int, int, int]
    texel_bytes: int
    storage: Storage
    srgb: bool = False
    renderable: bool = True
    filterable: bool = True
    codec: Codec | None = None
    block: tuple[int, int] = (1, 1)
    block_bytes: int = 0

    def __hash__(self) -> int:
        """Quick: formats are looked up in each clear."""
        return self.internal

    @property
    def is_depth(self) -> bool:
        """Depth, depth-stencil or stencil format."""
        return self.base in ("D", "DS", "S")

    @property
    def is_integer(self) -> bool:
        """Unnormalised integer colour format."""
        return self.storage in (Storage.INT, Storage.UINT)

    @property
    def has_stencil(self) -> bool:
        """Whether texels carry eight bits of stencil."""
        return self.base in ("DS", "S")

    @property
    def channels(self) -> tuple[bool, bool, bool, bool]:
        """Channels of the storage that the format really has; the others are constant 0, 0, 0, 1."""
        return _CHANNELS[self.base]

    @property
    def channel_mask(self) -> int:
        """The same as bits, bit 0 = red."""
        return _CHANNEL_MASKS[self.base]

    @property
    def is_exact_unorm8(self) -> bool:
        """Whether every channel that exists has exactly eight unsigned normalised bits (sRGB included)."""
        return self.storage in (Storage.UNORM8, Storage.SRGB8) and all(bits in (0, 8) for bits in self.bits)

    def shape(self, *extent: int) -> tuple[int, ...]:
        """Shape of a storage array, slowest dimension first."""
        return (*extent, 4) if self.storage.channels else extent


_CHANNELS: Final = {
    "R": (True, False, False, False),
    "RG": (True, True, False, False),
    "RGB": (True, True, True, False),
    "RGBA": (True, True, True, True),
    "A": (False, False, False, True),
    "L": (True, True, True, False),
    "LA": (True, True, True, True),
    "D": (True, False, False, False),
    "DS": (True, False, False, False),
    "S": (True, False, False, False),
}
_CHANNEL_MASKS: Final = {
    base: sum(1 << channel for channel, exists in enumerate(channels) if exists) for base, channels in _CHANNELS.items()
}
_BASES: Final = {
    gl.GL_RED: "R",
    gl.GL_RG: "RG",
    gl.GL_RGB: "RGB",
    gl.GL_RGBA: "RGBA",
    gl.GL_ALPHA: "A",
    gl.GL_LUMINANCE: "L",
    gl.GL_LUMINANCE_ALPHA: "LA",
    gl.GL_DEPTH_COMPONENT: "D",
    gl.GL_DEPTH_STENCIL: "DS",
    gl.GL_STENCIL_INDEX: "S",
}
_KINDS: Final = {
    "unorm": Kind.UNORM,
    "srgb": Kind.UNORM,
    "snorm": Kind.SNORM,
    "float": Kind.FLOAT,
    "uint": Kind.UINT,
    "int": Kind.INT,
    "depth": Kind.DEPTH,
    "depth_float": Kind.DEPTH,
    "stencil": Kind.DEPTH,
}
_CODECS: Final = {
    gl.GL_ETC1_RGB8_OES: Codec.ETC1,
    gl.GL_COMPRESSED_RGB8_ETC2: Codec.ETC2_RGB,
    gl.GL_COMPRESSED_SRGB8_ETC2: Codec.ETC2_RGB,
    gl.GL_COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2: Codec.ETC2_PUNCH,
    gl.GL_COMPRESSED_SRGB8_PUNCHTHROUGH_ALPHA1_ETC2: Codec.ETC2_PUNCH,
    gl.GL_COMPRESSED_RGBA8_ETC2_EAC: Codec.ETC2_RGBA,
    gl.GL_COMPRESSED_SRGB8_ALPHA8_ETC2_EAC: Codec.ETC2_RGBA,
    gl.GL_COMPRESSED_R11_EAC: Codec.EAC_R,
    gl.GL_COMPRESSED_SIGNED_R11_EAC: Codec.EAC_R,
    gl.GL_COMPRESSED_RG11_EAC: Codec.EAC_RG,
    gl.GL_COMPRESSED_SIGNED_RG11_EAC: Codec.EAC_RG,
    gl.GL_COMPRESSED_RGB_S3TC_DXT1_EXT: Codec.BC1,
    gl.GL_COMPRESSED_RGBA_S3TC_DXT1_EXT: Codec.BC1A,
    gl.GL_COMPRESSED_RGBA_S3TC_DXT3_EXT: Codec.BC2,
    gl.GL_COMPRESSED_RGBA_S3TC_DXT5_EXT: Codec.BC3,
    gl.GL_COMPRESSED_SRGB_S3TC_DXT1_EXT: Codec.BC1,
    gl.GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT: Codec.BC1A,
    gl.GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT: Codec.BC2,
    gl.GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT: Codec.BC3,
    gl.GL_COMPRESSED_RED_RGTC1: Codec.BC4,
    gl.GL_COMPRESSED_SIGNED_RED_RGTC1: Codec.BC4,
    gl.GL_COMPRESSED_RG_RGTC2: Codec.BC5,
    gl.GL_COMPRESSED_SIGNED_RG_RGTC2: Codec.BC5,
}


def _storage(kind: Kind, bits: tuple[int, int, int, int], srgb: bool, codec: Codec | None) -> Storage:
    if kind is Kind.DEPTH:
        return Storage.DEPTH
    if kind is Kind.UINT:
        return Storage.UINT
    if kind is Kind.INT:
        return Storage.INT
    if srgb:
        return Storage.SRGB8
    wide = codec in (Codec.EAC_R, Codec.EAC_RG, Codec.BC4, Codec.BC5)  # more than eight bits, or interpolated finer
    return Storage.UNORM8 if kind is Kind.UNORM and max(bits) <= 8 and not wide else Storage.FLOAT


def _build(entry: client_formats.Format) -> Format:
    base = _BASES[entry.base]
    kind = _KINDS[entry.kind]
    red, green, blue, alpha, depth, stencil = entry.bits
    if kind is Kind.DEPTH:
        bits = (depth, stencil, 0, 0)
    elif base in ("L", "LA"):
        bits = (red, red, red, alpha)
    else:
        bits = (red, green, blue, alpha)
    codec = _CODECS.get(entry.name)
    if entry.compressed and codec is None:
        codec = Codec.ASTC
    srgb = entry.kind == "srgb"
    size = 0
    if codec is None:
        size = client_formats.memory_bytes(entry)
    return Format(
        internal=entry.name,
        base=base,
        kind=kind,
        bits=bits,
        texel_bytes=size,
        storage=_storage(kind, bits, srgb, codec),
        srgb=srgb,
        renderable=entry.renderable and kind is not Kind.DEPTH,
        filterable=entry.filterable,
        codec=codec,
        block=entry.block,
        block_bytes=0 if codec is None else entry.bytes,
    )


#: Every sized format that an image can have, by its GL value.
FORMATS: Final[dict[int, Format]] = {name: _build(entry) for name, entry in client_formats.FORMATS.items()}


def format_of(internal: int) -> Format:
    """Format of a sized internal format; raises KeyError for what no image can have."""
    return FORMATS[internal]
