# mypy: ignore-errors
# Numba's signatures type what is compiled.
"""Blending and colour output: quads in primitive order into the storage of one attachment.

Arithmetic on 8-bit targets is that of Mesa's llvmpipe, measured exhaustively: a product of normalized bytes is
``(ab + (ab >> 8) + 128) >> 8``, sums saturate, and the source colour is rounded to a byte before blending. Bands are
those of :mod:`replay.engine.kernels.fragment_tests`.
"""

from __future__ import annotations

from typing import Final

import numba
import numpy as np

from replay.engine.kernels.fragment_tests import BAND_SHIFT, QUAD_COLUMNS
from replay.kernels import kernel

__all__ = [
    "BLEND_DTYPE",
    "blend_float",
    "blend_srgb8",
    "blend_type",
    "blend_unorm8",
    "quantize_unorm8",
    "write_integer",
]

#: Blend state of one colour attachment; pairs are RGB, alpha.
BLEND_DTYPE: Final = np.dtype(
    [
        ("blend", "<i4"),
        ("equation", "<i4", 2),  # 0 add, 1 subtract, 2 reverse subtract, 3 min, 4 max
        ("source", "<i4", 2),  # factor codes, see _factor
        ("destination", "<i4", 2),
        ("constant", "<f4", 4),
        ("write_mask", "<i4"),  # bit c: channel c is written
        ("requantize", "<i4"),  # the format has channels of fewer than 8 bits
        ("store", "<i4"),  # targets kept as floats: 0 float32, 1 half, 2 unorm, 3 snorm, 4 float without sign
        ("bits", "<i4", 4),  # bits of a normalized channel, of the mantissa of a float one
    ]
)

blend_type = numba.from_dtype(BLEND_DTYPE)

_8: Final = np.uint64(8)
_16: Final = np.uint64(16)
_24: Final = np.uint64(24)
_255: Final = np.uint64(255)
#: Masks of four octets in 16 bits each: all, the lowest bits, halves, colour, alpha; and of two pairs in 32 bits each.
_OCTETS: Final = np.uint64(0x00FF00FF00FF00FF)
_ONES: Final = np.uint64(0x0001000100010001)
_HALVES: Final = np.uint64(0x0080008000800080)
_COLOR: Final = np.uint64(0x000000FF00FF00FF)
_ALPHA: Final = np.uint64(0x00FF000000000000)
_PAIRS: Final = np.uint64(0x0000FFFF0000FFFF)


@kernel("void(float32[:, ::1], int64[::1], int64, uint32[::1])")
def quantize_unorm8(outputs, rows, lanes, colors):
    """Round float colours to bytes as blending takes them.

    Parameters
    ----------
    outputs : (R, lanes) float32 outputs of the fragment stage
    rows : (4,) row of each channel; -1 = 0, -2 = 1
    lanes : how many lanes to convert
    colors : (lanes,) uint32, out: bytes R, G, B, A from the low end
    """
    one = np.float32(1.0)
    zero = np.float32(0.0)
    scale = np.float32(255.0)
    for i in range(lanes):
        colors[i] = 0
    for c in range(4):
        row = rows[c]
        shift = np.uint32(8 * c)
        if row < 0:
            if row == -2:
                for i in range(lanes):
                    colors[i] |= np.uint32(255) << shift
            continue
        for i in range(lanes):
            v = outputs[row, i]
            # A NaN fails both comparisons and becomes 0.
            v = (v if v < one else one) if v > zero else zero
            colors[i] |= np.uint32(np.int32(np.rint(v * scale))) << shift


@kernel("int64(int64, int64)", inline="always")
def _multiply(a, b):
    """Product of two normalized bytes, as llvmpipe rounds it."""
    ab = a * b
    return (ab + (ab >> 8) + 128) >> 8


@kernel("int64(int64, int64, int64, int64, int64, int64, int64, int64)", inline="always")
def _factor8(code, alpha_channel, s, d, sa, da, k, ka):
    """Blend factor of one channel as a byte."""
    if code == 0:
        return 0
    if code == 1:
        return 255
    if code == 2:
        return s
    if code == 3:
        return 255 - s
    if code == 4:
        return sa
    if code == 5:
        return 255 - sa
    if code == 6:
        return da
    if code == 7:
        return 255 - da
    if code == 8:
        return d
    if code == 9:
        return 255 - d
    if code == 10:
        return 255 if alpha_channel != 0 else min(sa, 255 - da)
    if code == 11:
        return k
    if code == 12:
        return 255 - k
    if code == 13:
        return ka
    return 255 - ka


@kernel("boolean(int64)", inline="always")
def _of_alphas(code):
    """Whether a factor is 0, 1, or an alpha or what it lacks to 1."""
    return code <= 1 or 4 <= code <= 7


@kernel("UniTuple(uint64, 3)(int64)", inline="always")
def _linear(code):
    """Such a factor as c0 + c1 * source alpha + c2 * target alpha."""
    c0 = np.uint64(0)
    c1 = np.uint64(0)
    c2 = np.uint64(0)
    if code == 1 or code == 5 or code == 7:
        c0 = np.uint64(255)
    if code == 4 or code == 5:
        c1 = np.uint64(1)
    if code == 6 or code == 7:
        c2 = np.uint64(1)
    if code == 5:
        c1 = ~np.uint64(0)  # -1
    if code == 7:
        c2 = ~np.uint64(0)
    return c0, c1, c2


@kernel("uint64(uint64)", inline="always")
def _spread(color):
    """Four octets, each in 16 bits of its own."""
    pairs = (color | color << _16) & _PAIRS
    return (pairs | pairs << _8) & _OCTETS


@kernel("uint64(uint64, uint64)", inline="always")
def _scale(octets, factor):
    """Products of four normalized bytes with one, as :func:`_multiply` rounds them."""
    products = octets * factor
    return (products + (products >> _8 & _OCTETS) + _HALVES) >> _8 & _OCTETS


@kernel(
    numba.void(
        blend_type[:],
        *QUAD_COLUMNS,
        numba.uint32[:, ::1],
        numba.uint32[:, ::1],
        numba.uint8[:, ::1],
        numba.int64,
        numba.int64,
    )
)
def blend_unorm8(state_rows, first, last, quad_x, quad_y, mask, colors, plane, requantize, band, num_bands):
    """Blend and write colours of a target with at most 8 bits a channel.

    Parameters
    ----------
    state_rows : (1,) BLEND_DTYPE
    first, last, quad_x, quad_y : quads
    mask : (Q,) uint8 fragments to write, bit f
    colors : (Q, 4) uint32 source colours as bytes
    plane : (H, W) uint32 target
    requantize : (4, 256) uint8 nearest value of each channel's own width, as a byte
    band, num_bands : which rows to process
    """
    s = state_rows[0]
    keep = np.uint32(0)
    for c in range(4):
        if s.write_mask >> c & 1 == 0:
            keep |= np.uint32(255) << np.uint32(8 * c)
    blend = s.blend != 0
    # Sums whose factors depend on alphas alone, which nearly every program uses, have straight code: a factor is
    # c0 + c1 * source alpha + c2 * target alpha, and the four channels of a pixel are computed in one 64-bit word.
    simple = (
        blend
        and s.equation[0] == 0
        and s.equation[1] == 0
        and s.requantize == 0
        and _of_alphas(np.int64(s.source[0]))
        and _of_alphas(np.int64(s.source[1]))
        and _of_alphas(np.int64(s.destination[0]))
        and _of_alphas(np.int64(s.destination[1]))
    )
    sc0, sc1, sc2 = _linear(np.int64(s.source[0]))
    sa0, sa1, sa2 = _linear(np.int64(s.source[1]))
    dc0, dc1, dc2 = _linear(np.int64(s.destination[0]))
    da0, da1, da2 = _linear(np.int64(s.destination[1]))
    k0 = np.empty(4, np.int64)
    for c in range(4):
        v = min(max(s.constant[c], np.float32(0.0)), np.float32(1.0))
        k0[c] = np.int64(np.rint(v * np.float32(255.0)))
    copies = not blend and s.requantize == 0 and keep == 0
    for q in range(first, last):
        m = np.int64(mask[q])
        if m == 0:
            continue
        qy = np.int64(quad_y[q])
        if num_bands > 1 and (qy >> BAND_SHIFT) % num_bands != band:
            continue
        qx = np.int64(quad_x[q])
        if copies and m == 15:
            for f in range(4):
                plane[2 * qy + (f >> 1), 2 * qx + (f & 1)] = colors[q, f]
            continue
        if simple:
            for f in range(4):
                if m >> f & 1 == 0:
                    continue
                y = 2 * qy + (f >> 1)
                x = 2 * qx + (f & 1)
                source = np.uint64(colors[q, f])
                target = np.uint64(plane[y, x])
                sa = source >> _24
                da = target >> _24
                sp = _spread(source)
                dp = _spread(target)
                color = _scale(sp, sc0 + sc1 * sa + sc2 * da) & _COLOR
                alpha = _scale(sp, sa0 + sa1 * sa + sa2 * da) & _ALPHA
                total = color | alpha
                color = _scale(dp, dc0 + dc1 * sa + dc2 * da) & _COLOR
                alpha = _scale(dp, da0 + da1 * sa + da2 * da) & _ALPHA
                total += color | alpha
                # Saturate: a sum above 255 has bit 8 set.
                over = total >> _8 & _ONES
                total = (total | over * _255) & _OCTETS
                total = (total | total >> _8) & _PAIRS
                plane[y, x] = (np.uint32(total | total >> _16) & ~keep) | (np.uint32(target) & keep)
            continue
        for f in range(4):
            if m >> f & 1 == 0:
                continue
            y = 2 * qy + (f >> 1)
            x = 2 * qx + (f & 1)
            source = colors[q, f]
            if blend:
                target = plane[y, x]
                sa = np.int64(source >> np.uint32(24))
                da = np.int64(target >> np.uint32(24))
                result = np.uint32(0)
                for c in range(4):
                    i = 1 if c == 3 else 0
                    sv = np.int64(source >> np.uint32(8 * c)) & 255
                    dv = np.int64(target >> np.uint32(8 * c)) & 255
                    equation = s.equation[i]
                    if equation == 3:
                        v = min(sv, dv)
                    elif equation == 4:
                        v = max(sv, dv)
                    else:
                        st = _multiply(sv, _factor8(np.int64(s.source[i]), i, sv, dv, sa, da, k0[c], k0[3]))
                        dt = _multiply(dv, _factor8(np.int64(s.destination[i]), i, sv, dv, sa, da, k0[c], k0[3]))
                        if equation == 0:
                            v = min(st + dt, 255)
                        elif equation == 1:
                            v = max(st - dt, 0)
                        else:
                            v = max(dt - st, 0)
                    result |= np.uint32(v) << np.uint32(8 * c)
                source = result
            if s.requantize != 0:
                result = np.uint32(0)
                for c in range(4):
                    result |= np.uint32(requantize[c, np.int64(source >> np.uint32(8 * c)) & 255]) << np.uint32(8 * c)
                source = result
            if keep != 0:
                source = (source & ~keep) | (plane[y, x] & keep)
            plane[y, x] = source


@kernel("float32(int64, int64, float32, float32, float32, float32, float32, float32)", inline="always")
def _factor(code, alpha_channel, s, d, sa, da, k, ka):
    """Blend factor of one channel: the codes of GLES 3.0 table 4.2 in its order."""
    one = np.float32(1.0)
    if code == 0:
        return np.float32(0.0)
    if code == 1:
        return one
    if code == 2:
        return s
    if code == 3:
        return one - s
    if code == 4:
        return sa
    if code == 5:
        return one - sa
    if code == 6:
        return da
    if code == 7:
        return one - da
    if code == 8:
        return d
    if code == 9:
        return one - d
    if code == 10:
        return one if alpha_channel != 0 else min(sa, one - da)
    if code == 11:
        return k
    if code == 12:
        return one - k
    if code == 13:
        return ka
    return one - ka


@kernel("float32(int64, int64, float32)", inline="never")
def _stored(store, bits, value):
    """Value that a channel of a target keeps; twin of formats.quantize."""
    if store == 2 or store == 3:
        low = np.float32(-1.0) if store == 3 else np.float32(0.0)
        v = (value if value < np.float32(1.0) else np.float32(1.0)) if value > low else low
        if value != value:
            v = np.float32(0.0)
        levels = np.float64((1 << bits) - 1)
        return np.float32(np.rint(np.float64(v) * levels) / levels)
    if store == 4 and value < 0:
        return np.float32(0.0)
    size = np.float64(abs(value))
    if not size < np.inf:
        return value
    # Five bits of exponent; towards zero, and no further than the largest finite number.
    exponent = max(np.floor(np.log2(size)), -14.0) if size > 0 else -14.0
    if 2.0**exponent > size and exponent > -14.0:
        exponent -= 1.0
    elif 2.0 ** (exponent + 1.0) <= size:
        exponent += 1.0
    if exponent > 15.0:
        exponent, size = 15.0, np.inf
    step = 2.0 ** (exponent - np.float64(bits))
    kept = min(np.floor(size / step), 2.0 ** (np.float64(bits) + 1.0) - 1.0) * step
    return np.float32(-kept if value < 0 else kept)


@kernel("void(float32[:], float32[:], int32[:], int32[:], int32[:], float32[:], float32[:])", inline="never")
def _blend_pixel(source, target, equation, source_factor, target_factor, constant, result):
    """Blend one pixel in float32."""
    for c in range(4):
        i = 1 if c == 3 else 0
        sv = source[c]
        dv = target[c]
        e = equation[i]
        if e == 3:
            result[c] = min(sv, dv)
        elif e == 4:
            result[c] = max(sv, dv)
        else:
            st = sv * _factor(np.int64(source_factor[i]), i, sv, dv, source[3], target[3], constant[c], constant[3])
            dt = dv * _factor(np.int64(target_factor[i]), i, sv, dv, source[3], target[3], constant[c], constant[3])
            if e == 0:
                result[c] = st + dt
            elif e == 1:
                result[c] = st - dt
            else:
                result[c] = dt - st


@kernel(
    numba.void(
        blend_type[:],
        *QUAD_COLUMNS,
        numba.float32[:, :, ::1],
        numba.float32[:, :, ::1],
        numba.int64,
        numba.int64,
    )
)
def blend_float(state_rows, first, last, quad_x, quad_y, mask, colors, plane, band, num_bands):
    """Blend and write colours of a target kept as float32.

    Parameters
    ----------
    colors : (Q, 4, 4) float32 source colours; where nothing is blended, values of the format
    plane : (H, W, 4) float32
    others : as :func:`blend_unorm8`
    """
    s = state_rows[0]
    result = np.empty(4, np.float32)
    for q in range(first, last):
        m = np.int64(mask[q])
        if m == 0:
            continue
        qy = np.int64(quad_y[q])
        if num_bands > 1 and (qy >> BAND_SHIFT) % num_bands != band:
            continue
        qx = np.int64(quad_x[q])
        for f in range(4):
            if m >> f & 1 == 0:
                continue
            y = 2 * qy + (f >> 1)
            x = 2 * qx + (f & 1)
            if s.blend != 0:
                _blend_pixel(colors[q, f], plane[y, x], s.equation, s.source, s.destination, s.constant, result)
                if s.store != 0:
                    for c in range(4):
                        result[c] = _stored(np.int64(s.store), np.int64(s.bits[c]), result[c])
            else:
                for c in range(4):
                    result[c] = colors[q, f, c]
            for c in range(4):
                if s.write_mask >> c & 1:
                    plane[y, x, c] = result[c]


@kernel(
    numba.void(
        blend_type[:],
        *QUAD_COLUMNS,
        numba.float32[:, :, ::1],
        numba.uint32[:, ::1],
        numba.float32[::1],
        numba.float32[::1],
        numba.int64,
        numba.int64,
    )
)
def blend_srgb8(state_rows, first, last, quad_x, quad_y, mask, colors, plane, decode, thresholds, band, num_bands):
    """Blend in linear light and write an sRGB target.

    Parameters
    ----------
    colors : (Q, 4, 4) float32 linear source colours in 0..1
    plane : (H, W) uint32 target, RGB non-linear
    decode : (256,) float32 linear value of each non-linear byte
    thresholds : (255,) float32 linear values between neighbouring bytes
    others : as :func:`blend_unorm8`
    """
    s = state_rows[0]
    target = np.empty(4, np.float32)
    result = np.empty(4, np.float32)
    for q in range(first, last):
        m = np.int64(mask[q])
        if m == 0:
            continue
        qy = np.int64(quad_y[q])
        if num_bands > 1 and (qy >> BAND_SHIFT) % num_bands != band:
            continue
        qx = np.int64(quad_x[q])
        for f in range(4):
            if m >> f & 1 == 0:
                continue
            y = 2 * qy + (f >> 1)
            x = 2 * qx + (f & 1)
            old = plane[y, x]
            if s.blend != 0:
                for c in range(3):
                    target[c] = decode[np.int64(old >> np.uint32(8 * c)) & 255]
                target[3] = np.float32(old >> np.uint32(24)) / np.float32(255.0)
                _blend_pixel(colors[q, f], target, s.equation, s.source, s.destination, s.constant, result)
            else:
                for c in range(4):
                    result[c] = colors[q, f, c]
            packed = np.uint32(0)
            for c in range(4):
                if s.write_mask >> c & 1:
                    v = result[c]
                    v = (v if v < np.float32(1.0) else np.float32(1.0)) if v > np.float32(0.0) else np.float32(0.0)
                    if c < 3:
                        byte = np.int64(np.searchsorted(thresholds, v, side="right"))
                    else:
                        byte = np.int64(np.rint(v * np.float32(255.0)))
                else:
                    byte = np.int64(old >> np.uint32(8 * c)) & 255
                packed |= np.uint32(byte) << np.uint32(8 * c)
            plane[y, x] = packed


@kernel(
    numba.void(
        blend_type[:],
        *QUAD_COLUMNS,
        numba.uint32[:, :, ::1],
        numba.uint32[:, :, ::1],
        numba.int64,
        numba.int64,
    )
)
def write_integer(state_rows, first, last, quad_x, quad_y, mask, colors, plane, band, num_bands):
    """Write colours of an integer target: blending does not apply.

    Parameters
    ----------
    colors : (Q, 4, 4) uint32 bit patterns, limited to the format's range
    plane : (H, W, 4) uint32
    others : as :func:`blend_unorm8`
    """
    s = state_rows[0]
    for q in range(first, last):
        m = np.int64(mask[q])
        if m == 0:
            continue
        qy = np.int64(quad_y[q])
        if num_bands > 1 and (qy >> BAND_SHIFT) % num_bands != band:
            continue
        qx = np.int64(quad_x[q])
        for f in range(4):
            if m >> f & 1:
                for c in range(4):
                    if s.write_mask >> c & 1:
                        plane[2 * qy + (f >> 1), 2 * qx + (f & 1), c] = colors[q, f, c]
