"""Internal formats, client pixel formats and types, and which go together (ES 3.0.6 tables 3.2, 3.3, 3.13; desktop GL 3.3 table 3.12).

Sized formats only live in :data:`FORMATS`; :func:`sized_format` turns what glTexImage2D was given into one of them.
"""

# ruff: noqa: E501
from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from traceformat.gles import enums as gl
from traceformat.gles.blend_codes import ADVANCED_EQUATIONS
from traceformat.gles.gltypes import COMPONENT_BYTES

__all__ = [
    "FORMATS",
    "Format",
    "client_pixels",
    "memory_bytes",
    "packed_bytes",
    "pixel_bytes",
    "sized_format",
    "source_bytes",
    "unpack_problem",
    "uploads",
]


@dataclass(frozen=True, slots=True)
class Format:
    """A sized internal format.

    Parameters
    ----------
    name : GL value
    base : GL_RED, GL_RG, GL_RGB, GL_RGBA, GL_ALPHA, GL_LUMINANCE, GL_LUMINANCE_ALPHA, GL_DEPTH_COMPONENT, GL_DEPTH_STENCIL, GL_STENCIL_INDEX
    kind : unorm, snorm, float, int, uint, srgb, depth, depth_float or stencil
    bits : red, green, blue, alpha, depth, stencil (luminance counts as red)
    bytes : bytes of a texel, or of a block
    renderable : may be attached to a framebuffer in ES 3.0 (with EXT_color_buffer_float)
    filterable : may be filtered linearly in ES 3.0 (with OES_texture_float_linear)
    block : width and height of a compressed block, (1, 1) otherwise
    """

    name: int
    base: int
    kind: str
    bits: tuple[int, int, int, int, int, int]
    bytes: int
    renderable: bool
    filterable: bool
    block: tuple[int, int] = (1, 1)

    @property
    def compressed(self) -> bool:
        """True for block-compressed formats."""
        return self.block != (1, 1)

    @property
    def is_integer(self) -> bool:
        """True for unnormalised integer formats."""
        return self.kind in ("int", "uint")

    @property
    def is_color(self) -> bool:
        """True for what is neither depth nor stencil."""
        return self.kind not in ("depth", "depth_float", "stencil")

    def image_bytes(self, width: int, height: int, depth: int = 1) -> int:
        """Bytes of a tightly packed image in this format."""
        columns = -(-width // self.block[0])
        rows = -(-height // self.block[1])
        return columns * rows * depth * self.bytes


# name base kind bits(r,g,b,a,d,s) bytes flags; flags: r = renderable, f = filterable. Signed normalized formats and
# RGB16F are renderable by extensions that Mesa has (EXT_render_snorm, EXT_color_buffer_half_float).
_TABLE = """
R8 RED unorm 8 1 rf|R8_SNORM RED snorm 8 1 rf|RG8 RG unorm 8,8 2 rf|RG8_SNORM RG snorm 8,8 2 rf
RGB8 RGB unorm 8,8,8 3 rf|RGB8_SNORM RGB snorm 8,8,8 3 f|RGBA8 RGBA unorm 8,8,8,8 4 rf|RGBA8_SNORM RGBA snorm 8,8,8,8 4 rf
RGB565 RGB unorm 5,6,5 2 rf|RGBA4 RGBA unorm 4,4,4,4 2 rf|RGB5_A1 RGBA unorm 5,5,5,1 2 rf
RGB10_A2 RGBA unorm 10,10,10,2 4 rf|RGB10_A2UI RGBA uint 10,10,10,2 4 r|SRGB8 RGB srgb 8,8,8 3 f|SRGB8_ALPHA8 RGBA srgb 8,8,8,8 4 rf
R16F RED float 16 2 rf|RG16F RG float 16,16 4 rf|RGB16F RGB float 16,16,16 6 rf|RGBA16F RGBA float 16,16,16,16 8 rf
R32F RED float 32 4 rf|RG32F RG float 32,32 8 rf|RGB32F RGB float 32,32,32 12 f|RGBA32F RGBA float 32,32,32,32 16 rf
R11F_G11F_B10F RGB float 11,11,10 4 rf|RGB9_E5 RGB float 9,9,9 4 f
R8I RED int 8 1 r|R8UI RED uint 8 1 r|R16I RED int 16 2 r|R16UI RED uint 16 2 r|R32I RED int 32 4 r|R32UI RED uint 32 4 r
RG8I RG int 8,8 2 r|RG8UI RG uint 8,8 2 r|RG16I RG int 16,16 4 r|RG16UI RG uint 16,16 4 r
RG32I RG int 32,32 8 r|RG32UI RG uint 32,32 8 r
RGB8I RGB int 8,8,8 3 -|RGB8UI RGB uint 8,8,8 3 -|RGB16I RGB int 16,16,16 6 -|RGB16UI RGB uint 16,16,16 6 -
RGB32I RGB int 32,32,32 12 -|RGB32UI RGB uint 32,32,32 12 -
RGBA8I RGBA int 8,8,8,8 4 r|RGBA8UI RGBA uint 8,8,8,8 4 r|RGBA16I RGBA int 16,16,16,16 8 r|RGBA16UI RGBA uint 16,16,16,16 8 r
RGBA32I RGBA int 32,32,32,32 16 r|RGBA32UI RGBA uint 32,32,32,32 16 r
R16 RED unorm 16 2 rf|RG16 RG unorm 16,16 4 rf|RGB16 RGB unorm 16,16,16 6 rf|RGBA16 RGBA unorm 16,16,16,16 8 rf
R16_SNORM RED snorm 16 2 rf|RG16_SNORM RG snorm 16,16 4 rf|RGB16_SNORM RGB snorm 16,16,16 6 f|RGBA16_SNORM RGBA snorm 16,16,16,16 8 rf
ALPHA8_EXT ALPHA unorm 0,0,0,8 1 f|LUMINANCE8_EXT LUMINANCE unorm 8 1 f|LUMINANCE8_ALPHA8_EXT LUMINANCE_ALPHA unorm 8,0,0,8 2 f
ALPHA16F_EXT ALPHA float 0,0,0,16 2 f|LUMINANCE16F_EXT LUMINANCE float 16 2 f|LUMINANCE_ALPHA16F_EXT LUMINANCE_ALPHA float 16,0,0,16 4 f
ALPHA32F_EXT ALPHA float 0,0,0,32 4 f|LUMINANCE32F_EXT LUMINANCE float 32 4 f|LUMINANCE_ALPHA32F_EXT LUMINANCE_ALPHA float 32,0,0,32 8 f
BGRA8_EXT RGBA unorm 8,8,8,8 4 rf
DEPTH_COMPONENT16 DEPTH_COMPONENT depth 0,0,0,0,16 2 r|DEPTH_COMPONENT24 DEPTH_COMPONENT depth 0,0,0,0,24 4 r
DEPTH_COMPONENT32 DEPTH_COMPONENT depth 0,0,0,0,32 4 r|DEPTH_COMPONENT32F DEPTH_COMPONENT depth_float 0,0,0,0,32 4 r
DEPTH24_STENCIL8 DEPTH_STENCIL depth 0,0,0,0,24,8 4 r|DEPTH32F_STENCIL8 DEPTH_STENCIL depth_float 0,0,0,0,32,8 8 r
STENCIL_INDEX8 STENCIL_INDEX stencil 0,0,0,0,0,8 1 r
"""
# name base kind block-bytes block-width x height
_COMPRESSED = """
ETC1_RGB8_OES RGB unorm 8 4x4|COMPRESSED_RGB8_ETC2 RGB unorm 8 4x4|COMPRESSED_SRGB8_ETC2 RGB srgb 8 4x4
COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2 RGBA unorm 8 4x4|COMPRESSED_SRGB8_PUNCHTHROUGH_ALPHA1_ETC2 RGBA srgb 8 4x4
COMPRESSED_RGBA8_ETC2_EAC RGBA unorm 16 4x4|COMPRESSED_SRGB8_ALPHA8_ETC2_EAC RGBA srgb 16 4x4
COMPRESSED_R11_EAC RED unorm 8 4x4|COMPRESSED_SIGNED_R11_EAC RED snorm 8 4x4
COMPRESSED_RG11_EAC RG unorm 16 4x4|COMPRESSED_SIGNED_RG11_EAC RG snorm 16 4x4
COMPRESSED_RGB_S3TC_DXT1_EXT RGB unorm 8 4x4|COMPRESSED_RGBA_S3TC_DXT1_EXT RGBA unorm 8 4x4
COMPRESSED_RGBA_S3TC_DXT3_EXT RGBA unorm 16 4x4|COMPRESSED_RGBA_S3TC_DXT5_EXT RGBA unorm 16 4x4
COMPRESSED_SRGB_S3TC_DXT1_EXT RGB srgb 8 4x4|COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT RGBA srgb 8 4x4
COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT RGBA srgb 16 4x4|COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT RGBA srgb 16 4x4
COMPRESSED_RED_RGTC1 RED unorm 8 4x4|COMPRESSED_SIGNED_RED_RGTC1 RED snorm 8 4x4
COMPRESSED_RG_RGTC2 RG unorm 16 4x4|COMPRESSED_SIGNED_RG_RGTC2 RG snorm 16 4x4
"""
_ASTC_BLOCKS = "4x4 5x4 5x5 6x5 6x6 8x5 8x6 8x8 10x5 10x6 10x8 10x10 12x10 12x12"


def _enum(name: str) -> int:
    value: int = getattr(gl, f"GL_{name}")
    return value


def _build_formats() -> dict[int, Format]:
    formats: dict[int, Format] = {}

    def add(name: str, base: str, kind: str, bits: str, size: str, flags: str, block: str = "1x1") -> None:
        parts = [int(part) for part in bits.split(",")]
        parts += [0] * (6 - len(parts))
        width, height = block.split("x")
        formats[_enum(name)] = Format(
            _enum(name),
            _enum(base),
            kind,
            (parts[0], parts[1], parts[2], parts[3], parts[4], parts[5]),
            int(size),
            "r" in flags,
            "f" in flags,
            (int(width), int(height)),
        )

    bits_of_base = {"RED": "8", "RG": "8,8", "RGB": "8,8,8", "RGBA": "8,8,8,8"}
    for entry in _TABLE.replace("\n", "|").strip("|").split("|"):
        add(*entry.split())
    for entry in _COMPRESSED.replace("\n", "|").strip("|").split("|"):
        name, base, kind, size, block = entry.split()
        add(name, base, kind, bits_of_base[base], size, "f", block)
    for block in _ASTC_BLOCKS.split():
        add(f"COMPRESSED_RGBA_ASTC_{block}_KHR", "RGBA", "unorm", "8,8,8,8", "16", "f", block)
        add(f"COMPRESSED_SRGB8_ALPHA8_ASTC_{block}_KHR", "RGBA", "srgb", "8,8,8,8", "16", "f", block)
    return formats


FORMATS: Final[dict[int, Format]] = _build_formats()


def memory_bytes(format: Format) -> int:
    """Bytes of a texel in the modelled memory: the next power of two, so that none straddles a line."""
    return 1 << (format.bytes - 1).bit_length()


def source_bytes(format: Format, *, converts: bool, equation: int = gl.GL_FUNC_ADD) -> int:
    """Bytes of a fragment's colour in FrameTrace's ``color_data``: everything that blending reads of it.

    4 are R8 G8 B8 A8, for formats of at most 8 bits a channel; 16 are float32 RGBA, for those of more and for sRGB
    formats that convert (alpha counts also where it is not stored); integer formats have their own bytes.

    Parameters
    ----------
    converts : the draw's linear colours are converted to this sRGB format
    equation : of the draw's blending, whether it is enabled or not; advanced ones take float32 RGBA for all formats
        but those of integers
    """
    if equation in ADVANCED_EQUATIONS and not format.is_integer:
        return 16
    if converts and format.kind == "srgb":
        return 16
    if format.is_integer:
        return memory_bytes(format)
    return 4 if format.kind in ("unorm", "srgb") and max(format.bits[:4]) <= 8 else 16


#: Components of client pixel formats.
COMPONENTS: Final[dict[int, int]] = {
    gl.GL_RED: 1,
    gl.GL_GREEN: 1,
    gl.GL_BLUE: 1,
    gl.GL_RED_INTEGER: 1,
    gl.GL_ALPHA: 1,
    gl.GL_LUMINANCE: 1,
    gl.GL_DEPTH_COMPONENT: 1,
    gl.GL_STENCIL_INDEX: 1,
    gl.GL_RG: 2,
    gl.GL_RG_INTEGER: 2,
    gl.GL_LUMINANCE_ALPHA: 2,
    gl.GL_DEPTH_STENCIL: 2,
    gl.GL_RGB: 3,
    gl.GL_BGR: 3,
    gl.GL_RGB_INTEGER: 3,
    gl.GL_BGR_INTEGER: 3,
    gl.GL_RGBA: 4,
    gl.GL_BGRA: 4,
    gl.GL_RGBA_INTEGER: 4,
    gl.GL_BGRA_INTEGER: 4,
}
INTEGER_FORMATS: Final = frozenset(
    {
        gl.GL_RED_INTEGER,
        gl.GL_RG_INTEGER,
        gl.GL_RGB_INTEGER,
        gl.GL_RGBA_INTEGER,
        gl.GL_BGR_INTEGER,
        gl.GL_BGRA_INTEGER,
    }
)
#: Bytes of a component for types with a value a component.
TYPE_BYTES: Final = {kind: size for kind, size in COMPONENT_BYTES.items() if kind not in (gl.GL_FIXED, gl.GL_DOUBLE)}
#: Packed types: bytes of a pixel, and the number of components they hold.
PACKED_TYPES: Final[dict[int, tuple[int, int]]] = {
    gl.GL_UNSIGNED_BYTE_3_3_2: (1, 3),
    gl.GL_UNSIGNED_BYTE_2_3_3_REV: (1, 3),
    gl.GL_UNSIGNED_SHORT_5_6_5: (2, 3),
    gl.GL_UNSIGNED_SHORT_5_6_5_REV: (2, 3),
    gl.GL_UNSIGNED_SHORT_4_4_4_4: (2, 4),
    gl.GL_UNSIGNED_SHORT_4_4_4_4_REV: (2, 4),
    gl.GL_UNSIGNED_SHORT_5_5_5_1: (2, 4),
    gl.GL_UNSIGNED_SHORT_1_5_5_5_REV: (2, 4),
    gl.GL_UNSIGNED_INT_8_8_8_8: (4, 4),
    gl.GL_UNSIGNED_INT_8_8_8_8_REV: (4, 4),
    gl.GL_UNSIGNED_INT_10_10_10_2: (4, 4),
    gl.GL_UNSIGNED_INT_2_10_10_10_REV: (4, 4),
    gl.GL_UNSIGNED_INT_10F_11F_11F_REV: (4, 3),
    gl.GL_UNSIGNED_INT_5_9_9_9_REV: (4, 3),
    gl.GL_UNSIGNED_INT_24_8: (4, 2),
    gl.GL_FLOAT_32_UNSIGNED_INT_24_8_REV: (8, 2),
}


def pixel_bytes(format: int, type: int) -> int:
    """Bytes of one client pixel, 0 if format or type are unknown or do not go together."""
    components = COMPONENTS.get(format, 0)
    packed = PACKED_TYPES.get(type)
    if packed is not None:
        return packed[0] if packed[1] == components else 0
    if format == gl.GL_DEPTH_STENCIL:
        return 0
    return components * TYPE_BYTES.get(type, 0)


def packed_bytes(format: int, type: int, width: int, height: int, depth: int = 1) -> int:
    """Bytes of a tightly packed client image; 0 for unknown formats."""
    return pixel_bytes(format, type) * width * height * depth


# Client format, types and what they may become (ES 3.0.6 table 3.2).
_UPLOADS = """
RGBA UNSIGNED_BYTE RGBA8 RGB5_A1 RGBA4 SRGB8_ALPHA8|RGBA BYTE RGBA8_SNORM|RGBA UNSIGNED_SHORT_4_4_4_4 RGBA4|RGBA UNSIGNED_SHORT_5_5_5_1 RGB5_A1
RGBA UNSIGNED_INT_2_10_10_10_REV RGB10_A2 RGB5_A1|RGBA HALF_FLOAT RGBA16F|RGBA FLOAT RGBA32F RGBA16F
RGBA_INTEGER UNSIGNED_BYTE RGBA8UI|RGBA_INTEGER BYTE RGBA8I|RGBA_INTEGER UNSIGNED_SHORT RGBA16UI|RGBA_INTEGER SHORT RGBA16I
RGBA_INTEGER UNSIGNED_INT RGBA32UI|RGBA_INTEGER INT RGBA32I|RGBA_INTEGER UNSIGNED_INT_2_10_10_10_REV RGB10_A2UI
RGB UNSIGNED_BYTE RGB8 RGB565 SRGB8|RGB BYTE RGB8_SNORM|RGB UNSIGNED_SHORT_5_6_5 RGB565
RGB UNSIGNED_INT_10F_11F_11F_REV R11F_G11F_B10F|RGB UNSIGNED_INT_5_9_9_9_REV RGB9_E5
RGB HALF_FLOAT RGB16F R11F_G11F_B10F RGB9_E5|RGB FLOAT RGB32F RGB16F R11F_G11F_B10F RGB9_E5
RGB_INTEGER UNSIGNED_BYTE RGB8UI|RGB_INTEGER BYTE RGB8I|RGB_INTEGER UNSIGNED_SHORT RGB16UI|RGB_INTEGER SHORT RGB16I
RGB_INTEGER UNSIGNED_INT RGB32UI|RGB_INTEGER INT RGB32I
RG UNSIGNED_BYTE RG8|RG BYTE RG8_SNORM|RG HALF_FLOAT RG16F|RG FLOAT RG32F RG16F
RG_INTEGER UNSIGNED_BYTE RG8UI|RG_INTEGER BYTE RG8I|RG_INTEGER UNSIGNED_SHORT RG16UI|RG_INTEGER SHORT RG16I
RG_INTEGER UNSIGNED_INT RG32UI|RG_INTEGER INT RG32I
RED UNSIGNED_BYTE R8|RED BYTE R8_SNORM|RED HALF_FLOAT R16F|RED FLOAT R32F R16F
RED_INTEGER UNSIGNED_BYTE R8UI|RED_INTEGER BYTE R8I|RED_INTEGER UNSIGNED_SHORT R16UI|RED_INTEGER SHORT R16I
RED_INTEGER UNSIGNED_INT R32UI|RED_INTEGER INT R32I
DEPTH_COMPONENT UNSIGNED_SHORT DEPTH_COMPONENT16|DEPTH_COMPONENT UNSIGNED_INT DEPTH_COMPONENT24 DEPTH_COMPONENT16
DEPTH_COMPONENT FLOAT DEPTH_COMPONENT32F|DEPTH_STENCIL UNSIGNED_INT_24_8 DEPTH24_STENCIL8
DEPTH_STENCIL FLOAT_32_UNSIGNED_INT_24_8_REV DEPTH32F_STENCIL8
BGRA UNSIGNED_BYTE BGRA8_EXT
ALPHA UNSIGNED_BYTE ALPHA8_EXT|ALPHA HALF_FLOAT_OES ALPHA16F_EXT|ALPHA HALF_FLOAT ALPHA16F_EXT|ALPHA FLOAT ALPHA32F_EXT ALPHA16F_EXT
LUMINANCE UNSIGNED_BYTE LUMINANCE8_EXT|LUMINANCE HALF_FLOAT_OES LUMINANCE16F_EXT|LUMINANCE HALF_FLOAT LUMINANCE16F_EXT
LUMINANCE FLOAT LUMINANCE32F_EXT LUMINANCE16F_EXT
LUMINANCE_ALPHA UNSIGNED_BYTE LUMINANCE8_ALPHA8_EXT|LUMINANCE_ALPHA HALF_FLOAT_OES LUMINANCE_ALPHA16F_EXT
LUMINANCE_ALPHA HALF_FLOAT LUMINANCE_ALPHA16F_EXT|LUMINANCE_ALPHA FLOAT LUMINANCE_ALPHA32F_EXT LUMINANCE_ALPHA16F_EXT
RED UNSIGNED_SHORT R16|RG UNSIGNED_SHORT RG16|RGB UNSIGNED_SHORT RGB16|RGBA UNSIGNED_SHORT RGBA16
RED SHORT R16_SNORM|RG SHORT RG16_SNORM|RGB SHORT RGB16_SNORM|RGBA SHORT RGBA16_SNORM
"""
# What an unsized internal format with (client format, type) stands for in ES (ES 3.0.6 table 3.3 and extensions).
_UNSIZED = """
RGBA RGBA UNSIGNED_BYTE RGBA8|RGBA RGBA UNSIGNED_SHORT_4_4_4_4 RGBA4|RGBA RGBA UNSIGNED_SHORT_5_5_5_1 RGB5_A1
RGBA RGBA UNSIGNED_INT_2_10_10_10_REV RGB10_A2|RGBA RGBA FLOAT RGBA32F|RGBA RGBA HALF_FLOAT_OES RGBA16F
RGB RGB UNSIGNED_BYTE RGB8|RGB RGB UNSIGNED_SHORT_5_6_5 RGB565|RGB RGB FLOAT RGB32F|RGB RGB HALF_FLOAT_OES RGB16F
LUMINANCE_ALPHA LUMINANCE_ALPHA UNSIGNED_BYTE LUMINANCE8_ALPHA8_EXT|LUMINANCE_ALPHA LUMINANCE_ALPHA FLOAT LUMINANCE_ALPHA32F_EXT
LUMINANCE_ALPHA LUMINANCE_ALPHA HALF_FLOAT_OES LUMINANCE_ALPHA16F_EXT
LUMINANCE LUMINANCE UNSIGNED_BYTE LUMINANCE8_EXT|LUMINANCE LUMINANCE FLOAT LUMINANCE32F_EXT|LUMINANCE LUMINANCE HALF_FLOAT_OES LUMINANCE16F_EXT
ALPHA ALPHA UNSIGNED_BYTE ALPHA8_EXT|ALPHA ALPHA FLOAT ALPHA32F_EXT|ALPHA ALPHA HALF_FLOAT_OES ALPHA16F_EXT
BGRA BGRA UNSIGNED_BYTE BGRA8_EXT|RGBA BGRA UNSIGNED_BYTE BGRA8_EXT
RED RED UNSIGNED_BYTE R8|RED RED FLOAT R32F|RED RED HALF_FLOAT_OES R16F
RG RG UNSIGNED_BYTE RG8|RG RG FLOAT RG32F|RG RG HALF_FLOAT_OES RG16F
DEPTH_COMPONENT DEPTH_COMPONENT UNSIGNED_SHORT DEPTH_COMPONENT16|DEPTH_COMPONENT DEPTH_COMPONENT UNSIGNED_INT DEPTH_COMPONENT24
DEPTH_STENCIL DEPTH_STENCIL UNSIGNED_INT_24_8 DEPTH24_STENCIL8
SRGB_EXT SRGB_EXT UNSIGNED_BYTE SRGB8|SRGB_ALPHA_EXT SRGB_ALPHA_EXT UNSIGNED_BYTE SRGB8_ALPHA8
"""
# Desktop GL: internal formats without a size, or with one that no device keeps, and what is kept instead.
_DESKTOP = """
RED R8|RG RG8|RGB RGB8|RGBA RGBA8|ALPHA ALPHA8_EXT|LUMINANCE LUMINANCE8_EXT|LUMINANCE_ALPHA LUMINANCE8_ALPHA8_EXT
SRGB SRGB8|SRGB_ALPHA SRGB8_ALPHA8|DEPTH_COMPONENT DEPTH_COMPONENT24|DEPTH_STENCIL DEPTH24_STENCIL8|BGRA RGBA8
R3_G3_B2 RGB8|RGB4 RGB8|RGB5 RGB565|RGB10 RGB16|RGB12 RGB16|RGBA2 RGBA4|RGBA12 RGBA16
COMPRESSED_RED R8|COMPRESSED_RG RG8|COMPRESSED_RGB RGB8|COMPRESSED_RGBA RGBA8|COMPRESSED_SRGB SRGB8|COMPRESSED_SRGB_ALPHA SRGB8_ALPHA8
"""

# Desktop GL: formats of blocks that a driver compresses pixels into. The pixels are kept as they are: what is lost
# differs from driver to driver.
_COMPRESSING = """
COMPRESSED_RGB_S3TC_DXT1_EXT RGB8|COMPRESSED_RGBA_S3TC_DXT1_EXT RGBA8|COMPRESSED_RGBA_S3TC_DXT3_EXT RGBA8
COMPRESSED_RGBA_S3TC_DXT5_EXT RGBA8|COMPRESSED_SRGB_S3TC_DXT1_EXT SRGB8|COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT SRGB8_ALPHA8
COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT SRGB8_ALPHA8|COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT SRGB8_ALPHA8
COMPRESSED_RED_RGTC1 R8|COMPRESSED_SIGNED_RED_RGTC1 R8_SNORM|COMPRESSED_RG_RGTC2 RG8|COMPRESSED_SIGNED_RG_RGTC2 RG8_SNORM
COMPRESSED_RGBA_BPTC_UNORM RGBA8|COMPRESSED_SRGB_ALPHA_BPTC_UNORM SRGB8_ALPHA8
COMPRESSED_RGB_BPTC_SIGNED_FLOAT RGB16F|COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT RGB16F
"""


def _entries(table: str) -> list[list[int]]:
    return [[_enum(word) for word in entry.split()] for entry in table.replace("\n", "|").strip("|").split("|")]


_ALLOWED: Final = {(entry[0], entry[1], sized) for entry in _entries(_UPLOADS) for sized in entry[2:]}
_UNSIZED_ES: Final = {(entry[0], entry[1], entry[2]): entry[3] for entry in _entries(_UNSIZED)}
_UNSIZED_DESKTOP: Final = {entry[0]: entry[1] for entry in _entries(_DESKTOP)} | {
    1: gl.GL_LUMINANCE8_EXT,
    2: gl.GL_LUMINANCE8_ALPHA8_EXT,
    3: gl.GL_RGB8,
    4: gl.GL_RGBA8,
}
_COMPRESSED_TO: Final = {entry[0]: entry[1] for entry in _entries(_COMPRESSING)}
UNSIZED: Final = frozenset(entry[0] for entry in _entries(_UNSIZED))


def uploads(format: int, type: int, internal: int) -> bool:
    """Whether ES 3.0 lets this client format and type be uploaded into a sized internal format."""
    return (format, type, internal) in _ALLOWED


def unpack_problem(format: int, type: int, gles: bool) -> int:
    """GL error of a client format and type by themselves: GL_INVALID_ENUM, GL_INVALID_OPERATION or GL_NO_ERROR."""
    if format not in COMPONENTS or (type not in TYPE_BYTES and type not in PACKED_TYPES):
        return gl.GL_INVALID_ENUM
    if gles and format in (gl.GL_GREEN, gl.GL_BLUE, gl.GL_BGR, gl.GL_BGR_INTEGER, gl.GL_BGRA_INTEGER):
        return gl.GL_INVALID_ENUM
    return gl.GL_NO_ERROR if pixel_bytes(format, type) else gl.GL_INVALID_OPERATION


def sized_format(internal: int, format: int, type: int, *, gles: bool) -> int:
    """Sized internal format that an image gets, 0 if the combination is not allowed.

    Parameters
    ----------
    internal : what the program asked for, sized or not
    format, type : client format and type of the same call
    gles : ES rules (combinations of table 3.2) or desktop ones (any combination of one class)
    """
    if gles:
        if internal in FORMATS:
            return internal if (format, type, internal) in _ALLOWED else 0
        return _UNSIZED_ES.get((internal, format, type), 0)
    sized = _COMPRESSED_TO.get(internal, internal if internal in FORMATS else _UNSIZED_DESKTOP.get(internal, 0))
    if not sized:
        return 0
    kept = FORMATS[sized]
    if kept.base in (gl.GL_DEPTH_COMPONENT, gl.GL_DEPTH_STENCIL):
        return sized if format in (gl.GL_DEPTH_COMPONENT, gl.GL_DEPTH_STENCIL) else 0
    if format in (gl.GL_DEPTH_COMPONENT, gl.GL_DEPTH_STENCIL) or kept.is_integer != (format in INTEGER_FORMATS):
        return 0
    return sized


def client_pixels(requested: int, sized: int, *, gles: bool) -> tuple[int, int, int]:
    """How to ask glTexImage2D for an image of a sized format.

    Parameters
    ----------
    requested : internal format that a program asked for, 0 if that is not known
    sized : format that the image has
    gles : ES rules or desktop ones

    Returns
    -------
    internal format, client format and client type that :func:`sized_format` turns into ``sized``
    """
    if gles:
        for (internal, format, type), kept in _UNSIZED_ES.items():
            if kept == sized and internal == requested:
                return internal, format, type
        for format, type, kept in sorted(_ALLOWED):
            if kept == sized:
                return sized, format, type
    internal = requested if _UNSIZED_DESKTOP.get(requested) == sized else sized
    kept_format = FORMATS[sized]
    if kept_format.base == gl.GL_DEPTH_COMPONENT:
        return internal, gl.GL_DEPTH_COMPONENT, gl.GL_FLOAT
    if kept_format.base == gl.GL_DEPTH_STENCIL:
        return internal, gl.GL_DEPTH_STENCIL, gl.GL_UNSIGNED_INT_24_8
    if kept_format.is_integer:
        return internal, gl.GL_RGBA_INTEGER, gl.GL_INT
    return internal, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE
