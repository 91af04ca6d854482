"""Pixels as programs give and take them: (format, type) pairs of glTexImage and glReadPixels, tightly packed.

``decode`` turns client pixels into RGBA in floating point (or 64-bit integers for the ``_INTEGER`` formats),
``encode`` goes back, by the conversions of ES 3.0.6 §2.1.6, §3.7.1 and §4.3.2.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from replay.formats import smallfloat
from traceformat.gles import enums as gl
from traceformat.gles.formats import COMPONENTS, INTEGER_FORMATS

__all__ = ["CHANNELS", "decode", "decode_depth", "encode", "encode_depth"]

#: Where the components of a client format go: 0-3 red, green, blue, alpha; -1 all of red, green and blue.
CHANNELS: Final[dict[int, tuple[int, ...]]] = {
    gl.GL_RED: (0,),
    gl.GL_GREEN: (1,),
    gl.GL_BLUE: (2,),
    gl.GL_RED_INTEGER: (0,),
    gl.GL_RG: (0, 1),
    gl.GL_RG_INTEGER: (0, 1),
    gl.GL_RGB: (0, 1, 2),
    gl.GL_RGB_INTEGER: (0, 1, 2),
    gl.GL_BGR: (2, 1, 0),
    gl.GL_BGR_INTEGER: (2, 1, 0),
    gl.GL_RGBA: (0, 1, 2, 3),
    gl.GL_RGBA_INTEGER: (0, 1, 2, 3),
    gl.GL_BGRA: (2, 1, 0, 3),
    gl.GL_BGRA_INTEGER: (2, 1, 0, 3),
    gl.GL_ALPHA: (3,),
    gl.GL_LUMINANCE: (-1,),
    gl.GL_LUMINANCE_ALPHA: (-1, 3),
    gl.GL_STENCIL_INDEX: (0,),
    gl.GL_DEPTH_COMPONENT: (0,),
}
_PLAIN: Final = {
    gl.GL_UNSIGNED_BYTE: "<u1",
    gl.GL_BYTE: "<i1",
    gl.GL_UNSIGNED_SHORT: "<u2",
    gl.GL_SHORT: "<i2",
    gl.GL_UNSIGNED_INT: "<u4",
    gl.GL_INT: "<i4",
    gl.GL_HALF_FLOAT: "<f2",
    gl.GL_HALF_FLOAT_OES: "<f2",
    gl.GL_FLOAT: "<f4",
}


class _Packed(NamedTuple):
    """Word type, and (shift, bits) of each component in the order of the client format."""

    dtype: str
    fields: tuple[tuple[int, int], ...]


_PACKED: Final = {
    gl.GL_UNSIGNED_BYTE_3_3_2: _Packed("<u1", ((5, 3), (2, 3), (0, 2))),
    gl.GL_UNSIGNED_BYTE_2_3_3_REV: _Packed("<u1", ((0, 3), (3, 3), (6, 2))),
    gl.GL_UNSIGNED_SHORT_5_6_5: _Packed("<u2", ((11, 5), (5, 6), (0, 5))),
    gl.GL_UNSIGNED_SHORT_5_6_5_REV: _Packed("<u2", ((0, 5), (5, 6), (11, 5))),
    gl.GL_UNSIGNED_SHORT_4_4_4_4: _Packed("<u2", ((12, 4), (8, 4), (4, 4), (0, 4))),
    gl.GL_UNSIGNED_SHORT_4_4_4_4_REV: _Packed("<u2", ((0, 4), (4, 4), (8, 4), (12, 4))),
    gl.GL_UNSIGNED_SHORT_5_5_5_1: _Packed("<u2", ((11, 5), (6, 5), (1, 5), (0, 1))),
    gl.GL_UNSIGNED_SHORT_1_5_5_5_REV: _Packed("<u2", ((0, 5), (5, 5), (10, 5), (15, 1))),
    gl.GL_UNSIGNED_INT_8_8_8_8: _Packed("<u4", ((24, 8), (16, 8), (8, 8), (0, 8))),
    gl.GL_UNSIGNED_INT_8_8_8_8_REV: _Packed("<u4", ((0, 8), (8, 8), (16, 8), (24, 8))),
    gl.GL_UNSIGNED_INT_10_10_10_2: _Packed("<u4", ((22, 10), (12, 10), (2, 10), (0, 2))),
    gl.GL_UNSIGNED_INT_2_10_10_10_REV: _Packed("<u4", ((0, 10), (10, 10), (20, 10), (30, 2))),
}


def _place(parts: list[NDArray[Any]], format: int, one: Any) -> NDArray[Any]:
    rgba = np.zeros((len(parts[0]), 4), parts[0].dtype)
    rgba[:, 3] = one
    for part, channel in zip(parts, CHANNELS[format], strict=True):
        if channel < 0:
            rgba[:, :3] = part[:, None]
        else:
            rgba[:, channel] = part
    return rgba


def _normalized(values: NDArray[Any]) -> NDArray[np.float64]:
    if values.dtype.kind == "f":
        return values.astype(np.float64)
    largest = float(np.iinfo(values.dtype).max)
    return np.maximum(values.astype(np.float64) / largest, -1.0)


def decode(data: Any, format: int, type: int) -> NDArray[Any]:
    """Client pixels as RGBA.

    Parameters
    ----------
    data : bytes-like, tightly packed
    format, type : a valid colour or stencil pair (``traceformat.gles.formats.pixel_bytes`` is not 0)

    Returns
    -------
    (n, 4) float64, normalised types in 0..1 or -1..1; int64 for integer formats and stencil. Missing colours are 0,
    alpha 1.
    """
    integer = format in INTEGER_FORMATS or format == gl.GL_STENCIL_INDEX
    if type in _PLAIN:
        values = np.frombuffer(data, _PLAIN[type]).reshape(-1, COMPONENTS[format])
        columns = [values[:, index] for index in range(values.shape[1])]
        if integer:
            return _place([column.astype(np.int64) for column in columns], format, 1)
        return _place([_normalized(column) for column in columns], format, 1.0)
    if type in _PACKED:
        packed = _PACKED[type]
        words = np.frombuffer(data, packed.dtype).astype(np.int64)
        fields = [(words >> shift) & ((1 << bits) - 1) for shift, bits in packed.fields]
        if integer:
            return _place(fields, format, 1)
        scales = [(1 << bits) - 1 for _, bits in packed.fields]
        return _place([field / scale for field, scale in zip(fields, scales, strict=True)], format, 1.0)
    words32 = np.frombuffer(data, "<u4")
    if type == gl.GL_UNSIGNED_INT_10F_11F_11F_REV:
        rgb = smallfloat.decode_r11g11b10(words32)
    elif type == gl.GL_UNSIGNED_INT_5_9_9_9_REV:
        rgb = smallfloat.decode_rgb9e5(words32)
    else:
        raise ValueError(f"client type {type:#06x} has no colours")
    return _place([rgb[:, index].astype(np.float64) for index in range(3)], format, 1.0)


def _integers(values: NDArray[Any], dtype: str) -> NDArray[Any]:
    limits = np.iinfo(dtype)
    clamped: NDArray[Any] = np.clip(values, limits.min, limits.max).astype(dtype)
    return clamped


def _fixed(values: NDArray[Any], low: float, scale: float, dtype: str) -> NDArray[Any]:
    finite = np.where(np.isnan(values), 0.0, values)
    codes: NDArray[Any] = np.rint(np.clip(finite, low, 1.0) * scale).astype(dtype)
    return codes


def encode(rgba: NDArray[Any], format: int, type: int) -> bytes:
    """RGBA as client pixels, tightly packed; the inverse of :func:`decode`.

    Luminance is red. Floats are clamped for normalised types, integers to the range of the type.
    """
    columns = [rgba[:, max(channel, 0)] for channel in CHANNELS[format]]
    integer = rgba.dtype.kind != "f"
    if type in _PLAIN:
        dtype = _PLAIN[type]
        out = np.empty((len(rgba), len(columns)), dtype)
        for index, column in enumerate(columns):
            if dtype[1] == "f":
                with np.errstate(over="ignore", invalid="ignore"):
                    out[:, index] = column
            elif integer:
                out[:, index] = _integers(column, dtype)
            else:
                signed = dtype[1] == "i"
                out[:, index] = _fixed(column, -1.0 if signed else 0.0, float(np.iinfo(dtype).max), dtype)
        return out.tobytes()
    if type in _PACKED:
        packed = _PACKED[type]
        words = np.zeros(len(rgba), np.int64)
        for column, (shift, bits) in zip(columns, packed.fields, strict=True):
            limit = (1 << bits) - 1
            field = np.clip(column, 0, limit).astype(np.int64) if integer else _fixed(column, 0.0, limit, "i8")
            words |= field << shift
        return words.astype(packed.dtype).tobytes()
    rgb = np.stack(columns, axis=-1)
    if type == gl.GL_UNSIGNED_INT_10F_11F_11F_REV:
        return smallfloat.encode_r11g11b10(rgb).astype("<u4").tobytes()
    if type == gl.GL_UNSIGNED_INT_5_9_9_9_REV:
        return smallfloat.encode_rgb9e5(rgb).astype("<u4").tobytes()
    raise ValueError(f"client type {type:#06x} has no colours")


def decode_depth(data: Any, format: int, type: int) -> tuple[NDArray[np.float64] | None, NDArray[np.uint8] | None]:
    """Depth (float64, as given) and stencil of client pixels; None for what the pair does not carry."""
    if format == gl.GL_STENCIL_INDEX:
        return None, (decode(data, format, type)[:, 0] & 0xFF).astype(np.uint8)
    if type == gl.GL_UNSIGNED_INT_24_8:
        words = np.frombuffer(data, "<u4")
        return (words >> np.uint32(8)) / float((1 << 24) - 1), (words & np.uint32(0xFF)).astype(np.uint8)
    if type == gl.GL_FLOAT_32_UNSIGNED_INT_24_8_REV:
        pairs = np.frombuffer(data, "<u4").reshape(-1, 2)
        depth = np.ascontiguousarray(pairs[:, 0]).view("<f4").astype(np.float64)
        return depth, (pairs[:, 1] & np.uint32(0xFF)).astype(np.uint8)
    return decode(data, gl.GL_RED, type)[:, 0], None


def encode_depth(depth: NDArray[Any], stencil: NDArray[np.uint8] | None, format: int, type: int) -> bytes:
    """Client pixels of depth (0..1) and stencil (zero where there is none)."""
    indices = np.zeros(depth.shape, np.uint8) if stencil is None else stencil
    if format == gl.GL_STENCIL_INDEX:
        rgba = np.zeros((len(indices), 4), np.int64)
        rgba[:, 0] = indices
        return encode(rgba, format, type)
    if type == gl.GL_UNSIGNED_INT_24_8:
        fixed = _fixed(depth, 0.0, float((1 << 24) - 1), "<u4")
        return (fixed << np.uint32(8) | indices).astype("<u4").tobytes()
    if type == gl.GL_FLOAT_32_UNSIGNED_INT_24_8_REV:
        pairs = np.zeros((len(depth), 2), "<u4")
        pairs[:, 0] = depth.astype("<f4").view("<u4")
        pairs[:, 1] = indices
        return pairs.tobytes()
    rgba = np.zeros((len(depth), 4), np.float64)
    rgba[:, 0] = depth
    return encode(rgba, gl.GL_RED, type)
