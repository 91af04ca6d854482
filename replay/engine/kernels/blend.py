"""Blending and colour output: quads in primitive order into the storage of one attachment.

Arithmetic on 8-bit targets is that of Mesa's llvmpipe, measured exhaustively: a product of normalized bytes is
``(ab + (ab >> 8) + 128) >> 8``, sums saturate, and the source colour is rounded to a byte before blending. Wider
normalized channels are blended so in sixteen bits, of which a channel of ten keeps the first; two are rounded. Usual
states of bytes have machine code of their own (:mod:`replay.engine.merge_code`), of which this is the plain twin; it
does what there is none for. Of one channel a sum of two shares is a mixture, which llvmpipe computes by one product.

Texels are walked as words: one of four bytes, or four numbers.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from replay.engine.kernels.access import blend_at, pixels_at
from replay.engine.kernels.advanced import blend_advanced
from replay.engine.kernels.records import (
    STORE_BYTES,
    STORE_FLOAT,
    STORE_INT,
    STORE_SNORM,
    STORE_SRGB,
    STORE_UFLOAT,
    STORE_UNORM,
)
from replay.kernels import Array, Bool, Float, Int, entry, inner
from traceformat.gles.blend_codes import FIRST_ADVANCED
from traceformat.native.access import array_at

__all__ = ["blend_quads", "source_colors"]

_CODES: Final = np.arange(256) / 255.0
_MIDDLES: Final = (np.arange(255) + 0.5) / 255.0


def _linear(codes: Array) -> Array:
    return np.where(codes <= 0.04045, codes / 12.92, ((codes + 0.055) / 1.055) ** 2.4).astype(np.float32)


#: Linear value of each non-linear byte, and those between neighbouring bytes.
_SRGB_DECODE: Final = _linear(_CODES)
_SRGB_BORDERS: Final = _linear(_MIDDLES)


# ---------------------------------------------------------------------- source colours
@inner("float32(int64, int64, int64)")
def _output(pixels_address: Int, lane: Int, channel: Int) -> Float:
    """What the fragment stage gave for a channel."""
    pixels = pixels_at(pixels_address)
    row = array_at(pixels.rows, 4, np.int64)[channel]
    if row < 0:
        return np.float32(-1 - row)
    return array_at(pixels.outputs + row * pixels.output_stride, lane + 1, np.float32)[lane]


@inner("uint32(int64, int64, int64)")
def _output_bits(pixels_address: Int, lane: Int, channel: Int) -> Int:
    """As :func:`_output`, of an integer output."""
    pixels = pixels_at(pixels_address)
    row = array_at(pixels.rows, 4, np.int64)[channel]
    if row < 0:
        return np.uint32(-1 - row)
    return array_at(pixels.outputs + row * pixels.output_stride, lane + 1, np.uint32)[lane]


@inner("float32(float32, float32)")
def _clamped(value: Float, low: Float) -> Float:
    """A number within ``low`` and 1."""
    if value != value:
        return np.float32(0.0)
    raised = value if value > low else low
    return raised if raised < np.float32(1.0) else np.float32(1.0)


@inner("float32(float32)")
def _wide(value: Float) -> Float:
    """Sixteen bits of a number, a whole one: rounded by adding a number whose last bit is a step, as llvmpipe does."""
    scaled = _clamped(value, np.float32(0.0)) * np.float32(65535.0 / 65536.0)
    return ((scaled + np.float32(128.0)) - np.float32(128.0)) * np.float32(65536.0)


@inner("int64(int64, int64)")
def _cut(code: Int, bits: Int) -> Int:
    """What a normalized channel keeps of sixteen bits."""
    lost = 16 - bits
    if lost <= bits:
        return code >> lost
    return ((code >> bits) * ((1 << bits) - 1) + (1 << (lost - 1))) >> lost


@inner("float32(int64, int64)")
def _normalized(code: Int, bits: Int) -> Float:
    """Value of a normalized channel's code; twin of formats.normalized."""
    return np.float32(code) * (np.float32(1.0) / np.float32((1 << bits) - 1))


@inner("float32(int64, float32)")
def _widened(bits: Int, value: Float) -> Float:
    """Sixteen bits of what a normalized channel keeps: its bits, repeated; of no bits, 0 or 1 as it is."""
    if bits == 0:
        return value * np.float32(65535.0)
    wide = np.int64(np.rint(np.float64(value) * np.float64((1 << bits) - 1))) << (16 - bits)
    filled = bits
    while filled < 16:
        wide |= wide >> filled
        filled *= 2
    return np.float32(wide)


@inner("float32(int64, int64, float32)")
def _stored(store: Int, bits: Int, value: Float) -> Float:
    """Value that a channel of a target of floats keeps; twin of formats.rendered."""
    if store == STORE_FLOAT:
        return value
    if store == STORE_UNORM:
        return _normalized(_cut(np.int64(_wide(value)), bits), bits)
    if store == STORE_SNORM:
        clamped = _clamped(value, np.float32(-1.0))
        levels = np.float64((1 << bits) - 1)
        return np.float32(np.rint(np.float64(clamped) * levels) / levels)
    if store == STORE_UFLOAT and value <= 0:
        return np.float32(0.0)
    size: Float = np.float64(abs(value))
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
    return np.float32(np.copysign(kept, value))


@inner("uint32(int64, int64, uint32)")
def _limited(store: Int, bits: Int, value: Int) -> Int:
    """Value that a channel of a target of integers keeps."""
    if store == STORE_INT:
        top = (1 << (bits - 1)) - 1
        return np.uint32(np.int32(min(max(np.int64(np.int32(value)), -top - 1), top)))
    return np.uint32(min(np.int64(value), (1 << bits) - 1))


@inner("void(int64, int64, uint32[::1], float32[::1])")
def _source(pixels: Int, lane: Int, words: Array, floats: Array) -> None:
    """A fragment's colour as blending takes it: in one word of bytes, or in four words, which ``floats`` has, too.

    Where nothing is blended, colours of targets of floats are values of the format. Advanced equations take colours
    for bytes as they are, within 0 to 1.
    """
    blend = blend_at(pixels_at(pixels).blend)
    store = np.int64(blend.store)
    if store == STORE_BYTES and blend.equation[0] >= FIRST_ADVANCED:
        for channel in range(4):
            floats[channel] = _clamped(_output(pixels, lane, channel), np.float32(0.0))
        return
    if store == STORE_BYTES:
        words[0] = 0
        for channel in range(4):
            octet = np.rint(_clamped(_output(pixels, lane, channel), np.float32(0.0)) * np.float32(255.0))
            words[0] |= np.uint32(np.int32(octet)) << np.uint32(8 * channel)
        return
    for channel in range(4):
        bits = np.int64(blend.bits[channel])
        if store >= STORE_INT:
            here = _limited(store, bits, _output_bits(pixels, lane, channel)) if bits != 0 else np.uint32(channel == 3)
            words[channel] = here
            continue
        shown = _output(pixels, lane, channel)
        if store == STORE_SRGB:
            shown = _clamped(shown, np.float32(0.0))
        elif blend.blend != 0:
            # Blended as the shader gave it, but within the range of normalized formats; of sixteen bits, unless the
            # equation is an advanced one.
            if store == STORE_SNORM and shown == shown:
                shown = _clamped(shown, np.float32(-1.0))
            elif store == STORE_UNORM and blend.equation[0] < FIRST_ADVANCED:
                shown = _wide(shown) / np.float32(65535.0)
            elif store == STORE_UNORM and shown == shown:
                shown = _clamped(shown, np.float32(0.0))
        else:
            shown = _stored(store, bits, shown) if bits != 0 else np.float32(channel == 3)
        floats[channel] = shown


# ---------------------------------------------------------------------- blending
@inner("float32(int64, int64, float32[::1], float32[::1], float32[::1], float32)")
def _factor(code: Int, channel: Int, source: Array, target: Array, constant: Array, one: Float) -> Float:
    """Blend factor of a channel: the codes of GLES 3.0 table 4.2 in its order."""
    if code == 10:
        return one if channel == 3 else min(source[3], one - target[3])
    value = np.float32(0.0)
    if code >= 13:
        value = constant[3]
    elif code >= 11:
        value = constant[channel]
    elif code >= 8:
        value = target[channel]
    elif code >= 6:
        value = target[3]
    elif code >= 4:
        value = source[3]
    elif code >= 2:
        value = source[channel]
    # Codes come in pairs: a value, and what it lacks to 1; the first is 0.
    is_inverse = (code & 1 != 0) != (code > 10)
    return one - value if is_inverse else value


@inner("float32(float32, float32, float32)")
def _product(value: Float, factor: Float, one: Float) -> Float:
    """Product of a colour and a factor; of whole numbers, the largest of which is ``one``, as llvmpipe rounds it."""
    product = value * factor
    if one == np.float32(1.0):
        return product
    if one > np.float32(255.0):
        whole = np.int64(value) * np.int64(factor)
        return np.float32((whole + (whole >> 16) + 32768) >> 16)
    scale = np.float32(1.0 / 256.0)
    return np.floor((product + np.floor(product * scale) + np.float32(128.0)) * scale)


@inner("boolean(int64)")
def _mixes(blend_address: Int) -> Bool:
    """Whether the one channel that there is adds up by a factor and what that lacks to 1."""
    blend = blend_at(blend_address)
    source, destination = np.int64(blend.source[0]), np.int64(blend.destination[0])
    others = blend.bits[1] + blend.bits[2] + blend.bits[3]
    if blend.equation[0] != 0 or others != 0 or blend.bits[0] == 0 or source == destination:
        return False
    pairs = (source - (source > 10)) >> 1 == (destination - (destination > 10)) >> 1
    return pairs and source != 10 and destination != 10


@inner("float32(float32, float32, float32, float32)")
def _mixed(first: Float, second: Float, share: Float, one: Float) -> Float:
    """From the first whole number to the second by a share, as llvmpipe mixes them: bytes rounded, others cut off."""
    if one > np.float32(255.0):
        part = np.int64(share)
        return first + np.float32(((part + (part >> 15)) * np.int64(second - first)) >> 16)
    part = np.int64(share)
    return first + np.float32(((part + (part >> 7)) * np.int64(second - first) + 128) >> 8)


@inner("void(int64, float32[::1], float32[::1], float32[::1], float32[::1])")
def _blend(blend_address: Int, source: Array, target: Array, constant: Array, result: Array) -> None:
    """Blend a pixel in float32; of targets of bytes, and wider normalized ones, all are whole: up to 255, or 65535."""
    blend = blend_at(blend_address)
    if blend.equation[0] >= FIRST_ADVANCED:
        blend_advanced(np.int64(blend.equation[0]), source, target, result)
        return
    one = np.float32(1.0)
    if blend.store == STORE_BYTES:
        one = np.float32(255.0)
    elif blend.store == STORE_UNORM:
        one = np.float32(65535.0)
    if one > np.float32(1.0) and _mixes(blend_address):
        by_source, by_target = np.int64(blend.source[0]), np.int64(blend.destination[0])
        share = _factor(min(by_source, by_target), 0, source, target, constant, one)
        sv, dv = source[0], target[0]
        result[0] = _mixed(dv, sv, share, one) if by_source < by_target else _mixed(sv, dv, share, one)
        return
    for channel in range(4):
        is_alpha = 1 if channel == 3 else 0
        equation = blend.equation[is_alpha]
        sv, dv = source[channel], target[channel]
        if equation == 3:
            result[channel] = min(sv, dv)
            continue
        if equation == 4:
            result[channel] = max(sv, dv)
            continue
        st = _product(sv, _factor(np.int64(blend.source[is_alpha]), channel, source, target, constant, one), one)
        dt = _product(dv, _factor(np.int64(blend.destination[is_alpha]), channel, source, target, constant, one), one)
        blended = st + dt if equation == 0 else (st - dt if equation == 1 else dt - st)
        result[channel] = min(max(blended, np.float32(0.0)), one) if one > np.float32(1.0) else blended


@inner("int64(float32)")
def _srgb_byte(value: Float) -> Int:
    """Non-linear byte of a linear value: how many borders are not above it."""
    low, high = 0, 255
    while low < high:
        middle = (low + high) >> 1
        if value < _SRGB_BORDERS[middle]:
            high = middle
        else:
            low = middle + 1
    return low


@inner("uint32(int64, uint32, float32[:, ::1])")
def _written_bytes(pixels_address: Int, old: Int, colors: Array) -> Int:
    """Texel of four bytes that ``colors[0]`` becomes."""
    pixels = pixels_at(pixels_address)
    blend = blend_at(pixels.blend)
    requantize = array_at(pixels.requantize, (4, 256), np.uint8)
    texel = np.uint32(0)
    for channel in range(4):
        octet = np.int64(old >> np.uint32(8 * channel)) & 255
        if blend.write_mask >> channel & 1 != 0:
            shown = colors[0, channel]
            if blend.store == STORE_BYTES:
                octet = np.int64(shown)
                if blend.requantize != 0:
                    octet = np.int64(requantize[channel, octet])
            elif channel < 3:
                octet = _srgb_byte(_clamped(shown, np.float32(0.0)))
            else:
                octet = np.int64(np.rint(_clamped(shown, np.float32(0.0)) * np.float32(255.0)))
        texel |= np.uint32(octet) << np.uint32(8 * channel)
    return texel


@inner("void(int64, uint32[::1], float32[:, ::1])")
def _put_advanced(pixels_address: Int, texel: Array, colors: Array) -> None:
    """Blend and write a texel of four bytes by an advanced equation; ``colors[0]`` is the source."""
    old = texel[0]
    blend = blend_at(pixels_at(pixels_address).blend)
    if blend.blend != 0:
        for channel in range(4):
            # Of the bits that the format has; where it lacks a channel, the byte says 0 or 1.
            bits = min(np.int64(blend.bits[channel]), np.int64(8))
            bits = bits if bits > 0 else np.int64(8)
            code = (np.int64(old >> np.uint32(8 * channel)) & 255) >> (8 - bits)
            colors[1, channel] = np.float32(code) * np.float32(1.0 / np.float64((1 << bits) - 1))
        blend_advanced(np.int64(blend.equation[0]), colors[0], colors[1], colors[0])
    for channel in range(4):
        colors[0, channel] = np.rint(_clamped(colors[0, channel], np.float32(0.0)) * np.float32(255.0))
    texel[0] = _written_bytes(pixels_address, old, colors)


@inner("void(int64, int64, uint32[::1], uint32[::1], float32[:, ::1])")
def _put_bytes(pixels: Int, lane: Int, texel: Array, words: Array, colors: Array) -> None:
    """Blend and write a texel of four bytes, linear ones or not; ``colors`` is source, target, constant."""
    blend = blend_at(pixels_at(pixels).blend)
    old = texel[0]
    _source(pixels, lane, words, colors[0])
    if blend.store == STORE_BYTES and blend.equation[0] >= FIRST_ADVANCED:
        _put_advanced(pixels, texel, colors)
        return
    if blend.store == STORE_BYTES:
        source = words[0]  # where colors[0] goes
        if blend.blend == 0 and blend.write_mask == 15 and blend.requantize == 0:
            texel[0] = source
            return
        for channel in range(4):
            colors[0, channel] = np.float32(source >> np.uint32(8 * channel) & np.uint32(255))
            colors[1, channel] = np.float32(old >> np.uint32(8 * channel) & np.uint32(255))
    else:
        for channel in range(3):
            colors[1, channel] = _SRGB_DECODE[np.int64(old >> np.uint32(8 * channel)) & 255]
        colors[1, 3] = np.float32(old >> np.uint32(24)) / np.float32(255.0)
    if blend.blend != 0:
        _blend(pixels_at(pixels).blend, colors[0], colors[1], colors[2], colors[0])
    texel[0] = _written_bytes(pixels, old, colors)


@inner("void(int64, int64, uint32[::1], uint32[::1], float32[:, ::1])")
def _put_words(pixels: Int, lane: Int, texel: Array, words: Array, colors: Array) -> None:
    """Blend and write a texel of four numbers; ``words`` is ``colors[0]``."""
    blend = blend_at(pixels_at(pixels).blend)
    _source(pixels, lane, words, colors[0])
    if blend.blend != 0:
        old = texel.view(np.float32)
        is_wide = blend.store == STORE_UNORM and blend.equation[0] < FIRST_ADVANCED
        for channel in range(4):
            colors[1, channel] = old[channel]
            if is_wide:
                colors[0, channel] = np.rint(colors[0, channel] * np.float32(65535.0))
                colors[1, channel] = _widened(np.int64(blend.bits[channel]), old[channel])
        _blend(pixels_at(pixels).blend, colors[0], colors[1], colors[2], colors[0])
        for channel in range(4):
            bits = np.int64(blend.bits[channel])
            if is_wide:
                kept = np.int64(colors[0, channel])
                colors[0, channel] = _normalized(_cut(kept, bits), bits) if bits != 0 else np.float32(channel == 3)
            else:
                colors[0, channel] = _stored(np.int64(blend.store), bits, colors[0, channel])
    for channel in range(4):
        if blend.write_mask >> channel & 1 != 0:
            texel[channel] = words[channel]


@entry
def blend_quads(address: Int) -> Int:
    """Blend and write the colours of a PIXELS where ``mask`` says so."""
    pixels = pixels_at(address)
    blend = blend_at(pixels.blend)
    quad_x = array_at(pixels.x, pixels.num_quads, np.uint16)
    quad_y = array_at(pixels.y, pixels.num_quads, np.uint16)
    mask = array_at(pixels.mask, pixels.num_quads, np.uint8)
    work = np.zeros((3, 4), np.uint32)
    colors = work.view(np.float32)
    for channel in range(4):
        colors[2, channel] = blend.constant[channel]
        if blend.store == STORE_BYTES:
            colors[2, channel] = np.rint(_clamped(blend.constant[channel], np.float32(0.0)) * np.float32(255.0))
        elif blend.store == STORE_UNORM:
            colors[2, channel] = _wide(blend.constant[channel])
    num_words = 1 if blend.store < STORE_FLOAT else 4
    for quad in range(pixels.num_quads):
        covered = np.int64(mask[quad])
        for fragment in range(4):
            if covered >> fragment & 1 == 0:
                continue
            at = (
                (2 * np.int64(quad_y[quad]) + (fragment >> 1)) * pixels.plane_width
                + 2 * np.int64(quad_x[quad])
                + (fragment & 1)
            )
            texel = array_at(pixels.plane + 4 * num_words * at, num_words, np.uint32)
            if num_words == 1:
                _put_bytes(address, 4 * quad + fragment, texel, work[0], colors)
            else:
                _put_words(address, 4 * quad + fragment, texel, work[0], colors)
    return 0


@inner("void(int64, int64, uint32[::1])")
def _put_integers(pixels_address: Int, at: Int, words: Array) -> None:
    """Write integers as the format has them: channels behind each other from the lowest byte."""
    pixels = pixels_at(pixels_address)
    blend = blend_at(pixels.blend)
    first_bits, last_bits = np.int64(blend.bits[0]), np.int64(blend.bits[3])
    if last_bits != 0 and last_bits != first_bits:
        packed = array_at(at, 1, np.uint32)
        packed[0] = words[0] | words[1] << np.uint32(10) | words[2] << np.uint32(20) | words[3] << np.uint32(30)
        return
    octets = array_at(at, pixels.color_bytes, np.uint8)
    size = first_bits >> 3
    for k in range(pixels.color_bytes):
        octets[k] = np.uint8(words[k // size] >> np.uint32(8 * (k % size)) & np.uint32(255))


@entry
def source_colors(address: Int) -> Int:
    """Write the colours of all fragments of a PIXELS, as blending takes them, to its ``plane``."""
    pixels = pixels_at(address)
    is_integer = blend_at(pixels.blend).store >= STORE_INT
    num_words = pixels.color_bytes >> 2
    work = np.zeros(4, np.uint32)
    floats = work.view(np.float32)
    for lane in range(4 * pixels.num_quads):
        _source(address, lane, work, floats)
        at = pixels.plane + pixels.color_bytes * lane
        if is_integer:
            _put_integers(address, at, work)
            continue
        found = array_at(at, num_words, np.uint32)
        for channel in range(num_words):
            found[channel] = work[channel]
    return 0
