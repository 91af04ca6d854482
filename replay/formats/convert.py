"""Conversions between canonical texels, client pixels, shader colours and bytes in memory.

Rounding: normalised channels are rounded to nearest, ties to even (ES 3.0.6 §2.1.6.1 asks for nearest; llvmpipe does
the same); half and packed floats are truncated, as llvmpipe does and the specification allows. Channels of less than
eight bits are widened by repeating their high bits; wider ones are codes times the reciprocal of the largest, as
llvmpipe has them. All functions are pure and vectorised; the engine's output merger has kernels of its own, for which
:func:`rendered` is the twin.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.formats import client, smallfloat
from replay.formats.table import Format, Kind, Storage
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import quantize_depth

__all__ = [
    "INVERSE_255",
    "SRGB_TO_LINEAR",
    "blank",
    "convert",
    "depth_values",
    "expand",
    "narrowed",
    "native",
    "pack",
    "quantize",
    "raw",
    "reinterpret",
    "rendered",
    "unpack",
    "unpack_stencil",
]

#: What an eight-bit channel is multiplied by; 255 * INVERSE_255 is exactly 1.
INVERSE_255: Final = np.float32(1.0 / 255.0)
_CODES: Final = np.arange(256) / 255.0
#: Linear value of each eight-bit sRGB code (ES 3.0.6 equation 3.22), rounded to float32.
SRGB_TO_LINEAR: Final[NDArray[np.float32]] = np.where(
    _CODES <= 0.04045, _CODES / 12.92, ((_CODES + 0.055) / 1.055) ** 2.4
).astype(np.float32)
_OPAQUE: Final = np.uint32(0xFF000000)


def _srgb_codes(linear: NDArray[Any]) -> NDArray[np.float64]:
    values = np.clip(np.where(np.isnan(linear), 0.0, linear), 0.0, 1.0).astype(np.float64)
    return np.where(values < 0.0031308, values * 12.92, 1.055 * values ** (1 / 2.4) - 0.055)


def blank(format: Format, *extent: int) -> NDArray[Any]:
    """Storage whose texels are zero (alpha one where the format has none), shape ``format.shape(*extent)``."""
    texels = np.zeros(format.shape(*extent), format.storage.dtype)
    if not format.channels[3] and not format.is_depth:
        if format.storage in (Storage.UNORM8, Storage.SRGB8):
            texels[...] = _OPAQUE
        else:
            texels[..., 3] = 1
    return texels


def _store_unorm8(format: Format, rgba: NDArray[Any]) -> NDArray[np.uint32]:
    """Codes 0..1 of each channel, as they are (sRGB codes stay codes), to packed words."""
    word = np.zeros(rgba.shape[:-1], np.uint32)
    for channel, present in enumerate(format.channels):
        if not present:
            continue
        source = 0 if format.base in ("L", "LA") and channel < 3 else channel
        bits = format.bits[channel]
        values = rgba[..., source]
        clamped = np.clip(np.where(np.isnan(values), 0.0, values), 0.0, 1.0)
        codes = np.rint(clamped * float((1 << bits) - 1)).astype(np.uint32)
        word |= _widened(codes, bits) << np.uint32(8 * channel)
    return word if format.channels[3] else word | _OPAQUE


def _widened(codes: NDArray[np.uint32], bits: int) -> NDArray[np.uint32]:
    """Codes of 1 to 8 bits as eight bits, by repeating them: within half a step of the exact ratio."""
    wide = codes << np.uint32(8 - bits)
    filled = bits
    while filled < 8:
        wide = wide | wide >> np.uint32(filled)
        filled *= 2
    return wide


def narrowed(format: Format, words: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Eight-bit colours as a target of narrower channels keeps what is rendered to it.

    llvmpipe blends in eight bits and stores five and six bits by cutting the rest off; four bits and one are rounded.
    """
    if format.is_exact_unorm8 or format.storage is not Storage.UNORM8:
        return words
    out = np.zeros(words.shape, np.uint32)
    for channel, bits in enumerate(format.bits):
        if not format.channels[channel]:
            continue
        octet = words >> np.uint32(8 * channel) & np.uint32(255)
        if bits in (5, 6):
            octet = _widened(octet >> np.uint32(8 - bits), bits)
        elif bits < 8:
            octet = _widened(np.rint(octet * (((1 << bits) - 1) / 255.0)).astype(np.uint32), bits)
        out |= octet << np.uint32(8 * channel)
    return out if format.channels[3] else out | _OPAQUE


def normalized(codes: NDArray[Any], bits: int) -> NDArray[np.float32]:
    """Values of codes of a channel of more than eight bits, or beside one."""
    return np.asarray(codes, np.float32) * (np.float32(1.0) / np.float32((1 << bits) - 1))


def _wide_codes(values: NDArray[Any]) -> NDArray[np.int64]:
    """Floats in sixteen bits: rounded by adding a number whose last bit is a step, as llvmpipe does."""
    inside = np.clip(np.where(np.isnan(values), 0.0, values), 0.0, 1.0).astype(np.float32)
    moved = inside * np.float32(65535.0 / 65536.0) + np.float32(128.0)
    return np.asarray((moved - np.float32(128.0)) * np.float32(65536.0), np.int64)


def rendered(format: Format, rgba: NDArray[Any]) -> NDArray[Any]:
    """Colours to canonical texels as a target keeps what is drawn to it.

    As :func:`quantize`, but as llvmpipe rounds: colours of fewer bits than eight are bytes before
    (:func:`narrowed`), normalized ones of more are sixteen bits, of which ten are the first and two are rounded.
    """
    if format.storage is Storage.UNORM8 and not format.is_exact_unorm8:
        octets = np.rint(np.clip(np.where(np.isnan(rgba), 0.0, rgba), 0.0, 1.0).astype(np.float32) * np.float32(255.0))
        words = np.ascontiguousarray(octets.astype(np.uint8)).view("<u4")[..., 0]
        return narrowed(format, words)
    if format.storage is not Storage.FLOAT or format.kind is not Kind.UNORM:
        return quantize(format, rgba)
    out = blank(format, *rgba.shape[:-1])
    for channel, bits in enumerate(format.bits):
        if format.channels[channel]:
            codes, lost = _wide_codes(rgba[..., channel]), 16 - bits
            if lost > bits:
                codes = (codes >> bits) * ((1 << bits) - 1) + (1 << (lost - 1))
            out[..., channel] = normalized(codes >> lost, bits)
    return out


def _quantize_float(format: Format, rgba: NDArray[Any]) -> NDArray[np.float32]:
    out = np.zeros((*rgba.shape[:-1], 4), np.float32)
    out[..., 3] = 1.0
    if format.internal == gl.GL_RGB9_E5:
        out[..., :3] = smallfloat.decode_rgb9e5(smallfloat.encode_rgb9e5(rgba))
        return out
    for channel, present in enumerate(format.channels):
        if not present:
            continue
        values = rgba[..., 0 if format.base in ("L", "LA") and channel < 3 else channel]
        bits = format.bits[channel]
        if format.kind is not Kind.FLOAT:
            signed = format.kind is Kind.SNORM
            levels = float((1 << (bits - signed)) - 1)
            low = -1.0 if signed else 0.0
            clamped = np.clip(np.where(np.isnan(values), 0.0, values).astype(np.float64), low, 1.0)
            codes = np.rint(clamped * levels)
            out[..., channel] = codes / levels if signed else normalized(codes, bits)
        elif bits == 32:
            out[..., channel] = values
        elif bits == 16:
            out[..., channel] = smallfloat.truncate_to_half(values)
        else:
            out[..., channel] = smallfloat.decode_ufloat(smallfloat.encode_ufloat(values, bits - 5), bits - 5)
    return out


def _quantize_integer(format: Format, rgba: NDArray[Any]) -> NDArray[Any]:
    out = blank(format, *rgba.shape[:-1])
    signed = format.storage is Storage.INT
    for channel, present in enumerate(format.channels):
        if present:
            bits = format.bits[channel]
            low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
            out[..., channel] = np.clip(rgba[..., channel], low, high)
    return out


def quantize(format: Format, rgba: NDArray[Any]) -> NDArray[Any]:
    """Colours to canonical texels of a colour format, as a fragment output is converted (ES 3.0.6 §4.1.7, §2.1.6).

    Parameters
    ----------
    rgba : (..., 4) floats, or integers for integer formats. sRGB formats are given linear colours.

    Returns
    -------
    (...) uint32 or (..., 4), see ``Format.shape``
    """
    if format.is_integer:
        return _quantize_integer(format, rgba)
    if format.storage is Storage.FLOAT:
        return _quantize_float(format, rgba)
    if format.srgb:
        coded = np.array(rgba, np.float64)
        coded[..., :3] = _srgb_codes(coded[..., :3])
        return _store_unorm8(format, coded)
    return _store_unorm8(format, rgba)


def raw(format: Format, texels: NDArray[Any]) -> NDArray[Any]:
    """Channels of canonical texels without sRGB decoding: (..., 4) float32, int32 or uint32."""
    if format.storage in (Storage.UNORM8, Storage.SRGB8):
        octets = np.ascontiguousarray(texels, "<u4").view(np.uint8).reshape(*texels.shape, 4)
        return octets.astype(np.float32) * INVERSE_255
    return texels


def expand(format: Format, texels: NDArray[Any]) -> NDArray[Any]:
    """Canonical texels as a shader or blender sees them: (..., 4) float32 (sRGB decoded), int32 or uint32."""
    if format.storage is not Storage.SRGB8:
        return raw(format, texels)
    octets = np.ascontiguousarray(texels, "<u4").view(np.uint8).reshape(*texels.shape, 4)
    out = octets.astype(np.float32) * INVERSE_255
    out[..., :3] = SRGB_TO_LINEAR[octets[..., :3]]
    return out


def depth_values(format: Format, texels: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Depth 0..1 of canonical depth texels."""
    if format.bits[0] == 32 and format.internal != gl.GL_DEPTH_COMPONENT32:
        return np.ascontiguousarray(texels, "<u4").view("<f4").astype(np.float64)
    return texels / float((1 << max(format.bits[0], 1)) - 1)


_OCTET_LAYOUTS: Final = {
    gl.GL_RGBA: (0, 1, 2, 3),
    gl.GL_BGRA: (2, 1, 0, 3),
    gl.GL_RGB: (0, 1, 2),
    gl.GL_BGR: (2, 1, 0),
    gl.GL_RED: (0,),
    gl.GL_RG: (0, 1),
    gl.GL_ALPHA: (3,),
}


def unpack(format: Format, data: Any, client_format: int, client_type: int, extent: tuple[int, ...]) -> NDArray[Any]:
    """Uploaded pixels as canonical texels.

    Parameters
    ----------
    format : of the image
    data : bytes-like, tightly packed client pixels, exactly as many as ``extent`` has
    client_format, client_type : valid pair for the format
    extent : (depth, height, width)

    Raises
    ------
    ValueError : fewer bytes than the extent needs
    """
    if format.is_depth:
        depth, _ = client.decode_depth(data, client_format, client_type)
        if depth is None:
            return blank(format, *extent)
        return _quantize_depth64(format, depth).reshape(extent)
    texels = _unpack_octets(format, data, client_format, client_type)
    if texels is None:
        rgba = client.decode(data, client_format, client_type)
        if format.is_integer:
            texels = _quantize_integer(format, rgba)
        elif format.storage is Storage.FLOAT:
            texels = _quantize_float(format, rgba)
            if (client_format, client_type) == (gl.GL_RGBA, gl.GL_UNSIGNED_BYTE) and format.kind is Kind.UNORM:
                _repeat_bits(format, rgba, texels)
        else:
            texels = _store_unorm8(format, rgba)
    return texels.reshape(format.shape(*extent))


def _repeat_bits(format: Format, rgba: NDArray[np.float64], texels: NDArray[np.float32]) -> None:
    """Have channels of nine bits and more hold the bits of bytes, repeated, as Mesa uploads RGBA of bytes."""
    for channel, bits in enumerate(format.bits):
        if 8 < bits < 16:
            codes = np.rint(rgba[:, channel] * 255.0).astype(np.int64)
            texels[:, channel] = normalized(codes << (bits - 8) | codes >> (16 - bits), bits)


def _unpack_octets(format: Format, data: Any, client_format: int, client_type: int) -> NDArray[Any] | None:
    """Texels of eight-bit and float uploads that need no arithmetic; None for all others."""
    layout = _OCTET_LAYOUTS.get(client_format)
    if client_type == gl.GL_FLOAT and client_format == gl.GL_RGBA and format.internal == gl.GL_RGBA32F:
        return np.frombuffer(data, "<f4").reshape(-1, 4).copy()
    if client_type != gl.GL_UNSIGNED_BYTE or not format.is_exact_unorm8:
        return None
    octets = np.frombuffer(data, np.uint8)
    present = format.channels
    if client_format == gl.GL_RGBA and all(present) and format.base == "RGBA":
        return octets.view("<u4").copy()
    if client_format in (gl.GL_LUMINANCE, gl.GL_LUMINANCE_ALPHA) and format.base in ("L", "LA"):
        count = 1 if client_format == gl.GL_LUMINANCE else 2
        pairs = octets.reshape(-1, count)
        grey = pairs[:, 0].astype(np.uint32) * np.uint32(0x010101)
        if format.base == "L" or count == 1:
            return grey | _OPAQUE
        return grey | pairs[:, 1].astype(np.uint32) << np.uint32(24)
    if layout is None or format.base in ("L", "LA"):
        return None
    out = np.zeros((len(octets) // len(layout), 4), np.uint8)
    out[:, 3] = 255
    pixels = octets.reshape(-1, len(layout))
    for index, channel in enumerate(layout):
        if present[channel]:
            out[:, channel] = pixels[:, index]
    return out.view("<u4")[:, 0]


def _quantize_depth64(format: Format, depth: NDArray[np.float64]) -> NDArray[np.uint32]:
    # Client depth has more bits than float32, so fixed-point targets are rounded from float64.
    if format.bits[0] == 32 and format.internal != gl.GL_DEPTH_COMPONENT32:
        return quantize_depth(depth.astype(np.float32), format.internal)
    clean = np.clip(np.where(np.isnan(depth), 0.0, depth), 0.0, 1.0)
    return np.rint(clean * float((1 << max(format.bits[0], 1)) - 1)).astype(np.uint32)


def unpack_stencil(
    format: Format, data: Any, client_format: int, client_type: int, extent: tuple[int, ...]
) -> NDArray[np.uint8] | None:
    """Stencil of uploaded pixels, None where the format or the client pixels have none."""
    if not format.has_stencil:
        return None
    _, stencil = client.decode_depth(data, client_format, client_type)
    return None if stencil is None else stencil.reshape(extent)


def pack(
    format: Format,
    texels: NDArray[Any],
    client_format: int,
    client_type: int,
    stencil: NDArray[np.uint8] | None = None,
) -> bytes:
    """Canonical texels (any extent) as tightly packed client pixels, for glReadPixels and glGetTexImage."""
    if format.is_depth:
        flat = depth_values(format, texels.reshape(-1))
        return client.encode_depth(flat, None if stencil is None else stencil.reshape(-1), client_format, client_type)
    layout = _OCTET_LAYOUTS.get(client_format)
    if layout is not None and client_type == gl.GL_UNSIGNED_BYTE and format.storage in (Storage.UNORM8, Storage.SRGB8):
        words = np.ascontiguousarray(texels, "<u4")
        if client_format == gl.GL_RGBA:
            return words.tobytes()
        return words.view(np.uint8).reshape(-1, 4)[:, list(layout)].tobytes()
    channels = raw(format, texels).reshape(-1, 4)
    if format.is_integer:
        return client.encode(channels.astype(np.int64), client_format, client_type)
    with np.errstate(invalid="ignore"):  # signalling NaN
        wide = channels.astype(np.float64)
    return client.encode(wide, client_format, client_type)


def native(format: Format, texels: NDArray[Any]) -> NDArray[np.uint8]:
    """Texels as the bytes that they have in the modelled memory: (..., texel_bytes) uint8.

    Channels follow each other from the lowest byte; RGB565, RGBA4 and RGB5_A1 are packed as their
    GL_UNSIGNED_SHORT type has them, 10-bit and packed float formats as their ``_REV`` type.
    """
    extent = texels.shape if format.storage.channels == 0 else texels.shape[:-1]
    count = int(np.prod(extent, dtype=np.int64))
    if format.is_depth:
        words = np.ascontiguousarray(texels, "<u4").view(np.uint8).reshape(count, 4)
        out = np.zeros((count, format.texel_bytes), np.uint8)
        used = min(4, format.texel_bytes)
        out[:, :used] = words[:, :used]
        return out.reshape(*extent, format.texel_bytes)
    data = np.frombuffer(pack(format, texels, *_NATIVE_PAIRS[format.internal]), np.uint8).reshape(count, -1)
    if data.shape[1] < format.texel_bytes:
        data = np.pad(data, ((0, 0), (0, format.texel_bytes - data.shape[1])))
    return data.reshape(*extent, format.texel_bytes)


def of_native(format: Format, data: Any) -> NDArray[Any]:
    """Canonical texels, ``format.shape(count)``, from the tightly packed channels of a buffer texture.

    Parameters
    ----------
    format : whose channels are 8, 16 or 32 bits each
    data : bytes-like, whole texels
    """
    bits = format.bits[0]
    kind = {Kind.FLOAT: "f", Kind.INT: "i"}.get(format.kind, "u")
    present = sum(format.channels)
    channels = np.frombuffer(data, f"<{kind}{bits // 8}").reshape(-1, present)
    if format.storage is Storage.UNORM8:
        octets = np.zeros((len(channels), 4), np.uint8)
        octets[:, 3] = 255
        octets[:, :present] = channels
        return octets.view("<u4")[:, 0]
    texels = np.zeros((len(channels), 4), format.storage.dtype)
    texels[:, :present] = channels / ((1 << bits) - 1) if format.kind is Kind.UNORM else channels
    return texels


def has_plain_words(format: Format) -> bool:
    """Whether :func:`native` gives the four bytes of each texel as they are kept."""
    return (
        format.codec is None
        and format.storage in (Storage.UNORM8, Storage.SRGB8)
        and format.texel_bytes == 4
        and _NATIVE_PAIRS[format.internal] == (gl.GL_RGBA, gl.GL_UNSIGNED_BYTE)
    )


def _native_pair(format: Format) -> tuple[int, int]:
    special = {
        gl.GL_RGB565: (gl.GL_RGB, gl.GL_UNSIGNED_SHORT_5_6_5),
        gl.GL_RGBA4: (gl.GL_RGBA, gl.GL_UNSIGNED_SHORT_4_4_4_4),
        gl.GL_RGB5_A1: (gl.GL_RGBA, gl.GL_UNSIGNED_SHORT_5_5_5_1),
        gl.GL_RGB10_A2: (gl.GL_RGBA, gl.GL_UNSIGNED_INT_2_10_10_10_REV),
        gl.GL_RGB10_A2UI: (gl.GL_RGBA_INTEGER, gl.GL_UNSIGNED_INT_2_10_10_10_REV),
        gl.GL_R11F_G11F_B10F: (gl.GL_RGB, gl.GL_UNSIGNED_INT_10F_11F_11F_REV),
        gl.GL_RGB9_E5: (gl.GL_RGB, gl.GL_UNSIGNED_INT_5_9_9_9_REV),
    }
    if format.internal in special:
        return special[format.internal]
    plain = {"R": gl.GL_RED, "RG": gl.GL_RG, "RGB": gl.GL_RGBA, "RGBA": gl.GL_RGBA}
    integer = {
        "R": gl.GL_RED_INTEGER,
        "RG": gl.GL_RG_INTEGER,
        "RGB": gl.GL_RGBA_INTEGER,
        "RGBA": gl.GL_RGBA_INTEGER,
    }
    grey = {"A": gl.GL_ALPHA, "L": gl.GL_RED, "LA": gl.GL_LUMINANCE_ALPHA}
    channels = integer[format.base] if format.is_integer else (plain | grey)[format.base]
    bits = max(format.bits)
    types = {
        Kind.UNORM: {8: gl.GL_UNSIGNED_BYTE, 16: gl.GL_UNSIGNED_SHORT},
        Kind.SNORM: {8: gl.GL_BYTE, 16: gl.GL_SHORT},
        Kind.FLOAT: {16: gl.GL_HALF_FLOAT, 32: gl.GL_FLOAT},
        Kind.UINT: {8: gl.GL_UNSIGNED_BYTE, 16: gl.GL_UNSIGNED_SHORT, 32: gl.GL_UNSIGNED_INT},
        Kind.INT: {8: gl.GL_BYTE, 16: gl.GL_SHORT, 32: gl.GL_INT},
    }
    return channels, types[format.kind][bits]


def _native_pairs() -> dict[int, tuple[int, int]]:
    from replay.formats.table import FORMATS

    return {name: _native_pair(entry) for name, entry in FORMATS.items() if entry.codec is None and not entry.is_depth}


_NATIVE_PAIRS: Final = _native_pairs()


def convert(target: Format, source: Format, texels: NDArray[Any]) -> NDArray[Any]:
    """Canonical texels of one format as those of another (copies, blits); sRGB is decoded and encoded."""
    if target.internal == source.internal or (target.is_depth and target.bits[0] == source.bits[0]):
        return texels
    if target.is_depth:
        return _quantize_depth64(target, depth_values(source, texels))
    if target.srgb and source.srgb:
        return _store_unorm8(target, raw(source, texels))
    return rendered(target, expand(source, texels))


def reinterpret(target: Format, source: Format, texels: NDArray[Any]) -> NDArray[Any]:
    """Canonical texels of one format as those of another that have the same bytes (ES 3.2 §16.2.2).

    Formats of one size a texel. What is kept decoded (blocks of one kind, linear or not) is kept as it is; other blocks
    and depth give what :func:`convert` does.
    """
    if source.codec is not None and source.codec is target.codec:
        return texels
    if target.internal == source.internal or source.codec or target.codec or source.is_depth or target.is_depth:
        return convert(target, source, texels)
    extent = texels.shape[: -1 if source.storage.channels else None]
    if max(source.bits) == 32:
        # Bits, not numbers: a signalling NaN stays one.
        data = np.ascontiguousarray(texels[..., list(source.channels)]).view(np.uint8)
    else:
        data = native(source, texels)
    if max(target.bits) < 32:
        with np.errstate(invalid="ignore"):  # patterns that are no number
            return unpack(target, data, *_NATIVE_PAIRS[target.internal], extent)
    out = blank(target, *extent)
    out[..., list(target.channels)] = np.frombuffer(data, out.dtype).reshape(*extent, -1)
    return out
