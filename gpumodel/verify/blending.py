"""Blending in the order of the log: retired quads and clears onto the working values of one attachment.

An implementation of its own of what GLES 3.0 §4.1.7 and Mesa's arithmetic ask for; tests compare it with the replay
engine's, bit by bit. On bytes a product of two normalized values is ``(ab + (ab >> 8) + 128) >> 8`` and the source is
rounded to a byte before; wider normalized values are blended so in 16 bits, and what a channel has not of them is cut
off; floats are blended in float32 and rounded to their format when they are stored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import numba
import numpy as np

from gpumodel.verify.advanced import blend_advanced
from gpumodel.verify.kernels import Array, Number, Record, inner, kernel
from traceformat.gles.blend_codes import FIRST_ADVANCED

__all__ = [
    "ENTRY", "STATE", "compose_advanced", "compose_bytes", "compose_floats", "compose_integers", "compose_sources",
    "compose_srgb", "round_values", "rounding_rules",
]  # fmt: skip

#: One step of the log: a quad, or a clear of a rectangle (``clear`` >= 0).
ENTRY: Final = np.dtype(
    [
        ("clear", "<i4"),
        ("x", "<i4"),  # of the quad's first fragment
        ("y", "<i4"),
        ("mask", "<i4"),  # fragments that were written
        ("state", "<i4"),  # row of the blend states
        ("source", "<i8"),  # first byte (compose_bytes) or row of four fragments of its colours
        ("rect", "<i4", 4),  # x0, y0, x1, y1 of a clear
    ],
    align=True,
)
#: Blend state of a draw; pairs are RGB, alpha.
STATE: Final = np.dtype(
    [
        ("blend", "<i4"),
        ("equation", "<i4", 2),  # number in traceformat.gles.blend_codes
        ("source", "<i4", 2),  # see _whole_factor
        ("destination", "<i4", 2),
        ("mask", "<i4"),  # channels to write, bit 0 = red
        ("constant", "<f4", 4),
    ],
    align=True,
)

F = TypeVar("F", bound=Callable[..., Any])
_entries = numba.from_dtype(ENTRY)[::1]
_states = numba.from_dtype(STATE)[::1]
_state = numba.from_dtype(STATE)
_rect = numba.types.NestedArray(numba.int32, (4,))


@kernel(
    numba.void(_rect, numba.uint8[::1], numba.int64, numba.uint8[:, :, ::1]),
    numba.void(_rect, numba.uint32[::1], numba.int64, numba.uint32[:, :, ::1]),
    numba.void(_rect, numba.float32[::1], numba.int64, numba.float32[:, :, ::1]),
)
def _clear(rect: Array, value: Array, mask: Number, plane: Array) -> None:
    """Set the channels of a mask in a rectangle."""
    for y in range(rect[1], rect[3]):
        for x in range(rect[0], rect[2]):
            for channel in range(4):
                if mask >> channel & 1:
                    plane[y, x, channel] = value[channel]


@kernel("int64(int64, int64, int64)")
def _complement(value: Number, one: Number, invert: Number) -> Number:
    """The value, or one minus the value."""
    return one - value if invert else value


@kernel("int64(float32)")
def _sixteen_bits(value: Number) -> Number:
    """A number in 16 bits: where float32 rounds what lies behind 128, of which 1/65536 is the last bit; NaN is 0."""
    value = (value if value < np.float32(1.0) else np.float32(1.0)) if value > 0 else np.float32(0.0)
    moved = np.float32(128.0) + value * np.float32(1.0 - 2.0**-16)
    return np.int64(65536.0 * (np.float64(moved) - 128.0))


@kernel("int64(int64, int64)")
def _narrowed(value: Number, bits: Number) -> Number:
    """What a channel of so many bits keeps of 16: the first ones, or where most are lost the nearest."""
    if 2 * bits >= 16:
        return value >> (16 - bits)
    return ((value >> bits) * ((1 << bits) - 1) + (1 << (15 - bits))) >> (16 - bits)


@kernel("int64(int64, int64)")
def _repeated(code: Number, bits: Number) -> Number:
    """A channel's bits over and over, 16 of them."""
    value = code
    while bits < 16:
        value = value << bits | value
        bits *= 2
    return value >> (bits - 16)


@kernel(numba.int64(_state, numba.int64, numba.int64, numba.int64[::1], numba.int64[::1], numba.int64))
def _whole_factor(state: Record, code: Number, channel: Number, source: Array, target: Array, one: Number) -> Number:
    """Blend factor of ``channel`` as a byte or 16 bits: codes in pairs, the second is one minus the first."""
    if code < 2:
        return one * code
    if code == 10:
        return one if channel == 3 else min(source[3], one - target[3])
    if code > 10:
        constant = state.constant[channel if code < 13 else 3]
        if one > 255:
            return _complement(_sixteen_bits(constant), one, (code - 11) & 1)
        constant = min(max(constant, np.float32(0.0)), np.float32(1.0))
        return _complement(np.int64(np.rint(constant * np.float32(255.0))), 255, (code - 11) & 1)
    pair = code >> 1
    if pair == 1:
        value = source[channel]
    elif pair == 2:
        value = source[3]
    elif pair == 3:
        value = target[3]
    else:
        value = target[channel]
    return _complement(value, one, code & 1)


@kernel("int64(int64, int64)")
def _byte_product(a: Number, b: Number) -> Number:
    product = a * b
    return (product + (product >> 8) + 128) >> 8


@kernel("int64(int64, int64, int64)")
def _whole_product(a: Number, b: Number, one: Number) -> Number:
    product = a * b
    return _byte_product(a, b) if one == 255 else (product + (product >> 16) + 32768) >> 16


@kernel(numba.boolean(_state))
def _shares(state: Record) -> Number:
    """Whether one channel's source and target have factors of the same pair, the sum of which is 1."""
    first, second = np.int64(state.source[0]), np.int64(state.destination[0])
    if state.equation[0] != 0 or abs(first - second) != 1:
        return False
    low = min(first, second)
    return low % 2 == 0 if low < 10 else low == 11 or low == 13


@kernel(numba.void(_state, numba.int64[::1], numba.int64[::1], numba.int64[::1], numba.int64, numba.int64))
def _blend_whole(state: Record, source: Array, target: Array, result: Array, one: Number, channels: Number) -> None:
    """Blend one pixel's bytes, or its numbers of 16 bits; ``one`` is the largest, ``channels`` those that there are.

    Where red alone is there, shares of source and target are one product: bytes rounded, 16 bits not.
    """
    if channels == 1 and _shares(state):
        low = min(np.int64(state.source[0]), np.int64(state.destination[0]))
        share = _whole_factor(state, low, 0, source, target, one)
        share += 2 * share > one
        start, end = (target[0], source[0]) if low == state.source[0] else (source[0], target[0])
        half = 128 if one == 255 else 0
        result[0] = start + (share * (end - start) + half) // (one + 1)
        return
    for channel in range(4):
        alpha = 1 if channel == 3 else 0
        equation = state.equation[alpha]
        if equation > 2:
            result[channel] = (
                min(source[channel], target[channel]) if equation == 3 else max(source[channel], target[channel])
            )
            continue
        by_source = _whole_factor(state, np.int64(state.source[alpha]), channel, source, target, one)
        by_target = _whole_factor(state, np.int64(state.destination[alpha]), channel, source, target, one)
        from_source = _whole_product(source[channel], by_source, one)
        from_target = _whole_product(target[channel], by_target, one)
        if equation == 0:
            result[channel] = min(from_source + from_target, one)
        elif equation == 1:
            result[channel] = max(from_source - from_target, 0)
        else:
            result[channel] = max(from_target - from_source, 0)


@inner("int64(int64[:])")
def _present(bits: Array) -> Number:
    """Mask of the channels that have bits, or levels."""
    mask = 0
    for channel in range(4):
        mask += (1 << channel) if bits[channel] > 0 else 0
    return mask


@kernel("int64(int64, int64, int64)")
def _alpha_factor(code: Number, source_alpha: Number, target_alpha: Number) -> Number:
    """Blend factor that is the same for all channels, as a byte: those of :func:`_sums_by_alpha`."""
    if code < 2:
        return 255 * code
    return _complement(source_alpha if code < 6 else target_alpha, 255, code & 1)


@kernel(numba.boolean(_state))
def _sums_by_alpha(state: Record) -> Number:
    """Whether a state adds all channels, and its factors are constant or alphas: most of what programs do."""
    for alpha in range(2):
        if state.equation[alpha] != 0:
            return False
        for code in (state.source[alpha], state.destination[alpha]):
            if code > 7 or code >> 1 == 1:
                return False
    return state.mask == 15


def _composer(name: str, write: Any, colors: Any, rules: Any, element: Any, scratch: Any) -> Any:
    """Make the kernel that composes steps of the log onto a plane.

    The kernel's parameters:

    entries : ENTRY rows
    states : STATE rows
    colors : source colours
    rules : what ``write`` needs of the format
    clears, clear_masks : (C, 4) values and (C,) channels of each clear
    plane : (H, W, 4), in and out

    Parameters
    ----------
    name : of the kernel
    write : does one fragment: (state, colors, the quad's ``source``, fragment, rules, pixel, scratch)
    colors, rules : their types
    element : type of a channel in the plane
    scratch : type of the three pixels that ``write`` works in
    """
    scratch_type = np.dtype(str(scratch))

    def compose(
        entries: Array, states: Array, colors: Array, rules: Any, clears: Array, clear_masks: Array, plane: Array
    ) -> None:
        work = np.empty((3, 4), scratch_type)
        for row in range(entries.size):
            entry = entries[row]
            if entry.clear >= 0:
                _clear(entry.rect, clears[entry.clear], clear_masks[entry.clear], plane)
                continue
            state = states[entry.state]
            for fragment in range(4):
                if entry.mask >> fragment & 1:
                    pixel = plane[entry.y + (fragment >> 1), entry.x + (fragment & 1)]
                    write(state, colors, entry.source, fragment, rules, pixel, work)

    compose.__name__ = compose.__qualname__ = name
    rows = (_entries, _states, colors, rules, element[:, ::1], numba.int64[::1], element[:, :, ::1])
    return kernel(numba.void(*rows))(compose)


def _writer(colors: Any, rules: Any, element: Any, scratch: Any) -> Callable[[F], F]:
    """Declare a function that does one fragment, see :func:`_composer`."""
    return inner(
        numba.void(_state, colors, numba.int64, numba.int64, rules, element[::1], scratch[:, ::1])
    )  # fmt: skip


_BYTES: Final = (numba.uint8[::1], numba.types.Tuple((numba.int64[::1],)), numba.uint8, numba.int64)


@_writer(*_BYTES)
def _write_bytes(
    state: Record, colors: Array, first: Number, fragment: Number, rules: Any, pixel: Array, work: Array
) -> None:
    first += 4 * fragment
    if min(rules[0][0], rules[0][1], rules[0][2], rules[0][3]) >= 8:
        if not state.blend and state.mask == 15:
            for channel in range(4):
                pixel[channel] = colors[first + channel]
            return
        if state.blend and _sums_by_alpha(state):
            source_alpha, target_alpha = np.int64(colors[first + 3]), np.int64(pixel[3])
            for channel in range(4):
                alpha = channel // 3
                by_source = _alpha_factor(np.int64(state.source[alpha]), source_alpha, target_alpha)
                by_target = _alpha_factor(np.int64(state.destination[alpha]), source_alpha, target_alpha)
                from_source = _byte_product(np.int64(colors[first + channel]), by_source)
                pixel[channel] = min(from_source + _byte_product(np.int64(pixel[channel]), by_target), 255)
            return
    source, target, result = work[0], work[1], work[2]
    for channel in range(4):
        source[channel] = colors[first + channel]
        target[channel] = pixel[channel]
        result[channel] = source[channel]
    if state.blend:
        _blend_whole(state, source, target, result, 255, _present(rules[0]))
    for channel in range(4):
        if state.mask >> channel & 1:
            pixel[channel] = _stored_byte(result[channel], rules[0][channel])


@kernel("int64(int64, int64)")
def _stored_byte(value: Number, bits: Number) -> Number:
    """A byte as a channel of so many bits keeps it."""
    if bits >= 8:
        return value
    # Five and six bits are cut off, four and one rounded (llvmpipe); then repeated up to a byte.
    levels = (1 << bits) - 1
    code = value >> (8 - bits) if bits > 4 else (2 * value * levels + 255) // 510
    value = code << (8 - bits)
    filled = bits
    while filled < 8:
        value |= value >> filled
        filled *= 2
    return value


#: Targets of at most 8 bits a channel: ``source`` is the quad's first byte in ``colors`` (R G B A of each fragment),
#: ``rules`` the (4,) bits of each channel, 0 = absent.
compose_bytes: Final = _composer("compose_bytes", _write_bytes, *_BYTES)


@kernel(numba.float32(_state, numba.int64, numba.int64, numba.float32[::1], numba.float32[::1]))
def _float_factor(state: Record, code: Number, channel: Number, source: Array, target: Array) -> Number:
    """Blend factor of ``channel``; codes as in :func:`_whole_factor`."""
    one = np.float32(1.0)
    if code < 2:
        return np.float32(code)
    if code == 10:
        return one if channel == 3 else min(source[3], one - target[3])
    if code > 10:
        constant = state.constant[channel if code < 13 else 3]
        return one - constant if (code - 11) & 1 else constant
    pair = code >> 1
    if pair == 1:
        value = source[channel]
    elif pair == 2:
        value = source[3]
    elif pair == 3:
        value = target[3]
    else:
        value = target[channel]
    return one - value if code & 1 else value


@kernel(numba.void(_state, numba.float32[::1], numba.float32[::1], numba.float32[::1]))
def _blend_floats(state: Record, source: Array, target: Array, result: Array) -> None:
    """Blend one pixel in float32."""
    if state.equation[0] >= FIRST_ADVANCED:
        blend_advanced(np.int64(state.equation[0]), source, target, result)
        return
    for channel in range(4):
        alpha = 1 if channel == 3 else 0
        equation = state.equation[alpha]
        if equation == 3:
            result[channel] = min(source[channel], target[channel])
        elif equation == 4:
            result[channel] = max(source[channel], target[channel])
        else:
            from_source = source[channel] * _float_factor(state, np.int64(state.source[alpha]), channel, source, target)
            from_target = target[channel] * _float_factor(
                state, np.int64(state.destination[alpha]), channel, source, target
            )
            if equation == 0:
                result[channel] = from_source + from_target
            elif equation == 1:
                result[channel] = from_source - from_target
            else:
                result[channel] = from_target - from_source


_ADVANCED: Final = (numba.float32[:, :, ::1], numba.types.Tuple((numba.int64[::1],)), numba.uint8, numba.float32)


@_writer(*_ADVANCED)
def _write_advanced(
    state: Record, colors: Array, row: Number, fragment: Number, rules: Any, pixel: Array, work: Array
) -> None:
    source, target, result = colors[row, fragment], work[1], work[2]
    for channel in range(4):
        result[channel] = source[channel]
        bits = rules[0][channel] if 0 < rules[0][channel] < 8 else 8
        levels = np.float64((1 << bits) - 1)
        target[channel] = np.float32(np.int64(pixel[channel]) >> (8 - bits)) * np.float32(1.0 / levels)
    if state.blend:
        _blend_floats(state, source, target, result)
    for channel in range(4):
        value = result[channel]
        # What is no number fails both comparisons and becomes 0.
        value = (value if value < np.float32(1.0) else np.float32(1.0)) if value > 0 else np.float32(0.0)
        if state.mask >> channel & 1:
            pixel[channel] = _stored_byte(np.int64(np.rint(value * np.float32(255.0))), rules[0][channel])


#: As :data:`compose_bytes`, by advanced equations, whose sources are floats: ``source`` is the quad's row of ``colors``
#: (Q, 4, 4).
compose_advanced: Final = _composer("compose_advanced", _write_advanced, *_ADVANCED)

_SRGB: Final = (
    numba.float32[:, :, ::1], numba.types.UniTuple(numba.float32[::1], 2), numba.uint8, numba.float32
)  # fmt: skip


@_writer(*_SRGB)
def _write_srgb(
    state: Record, colors: Array, row: Number, fragment: Number, rules: Any, pixel: Array, work: Array
) -> None:
    decode, borders = rules
    source, target, result = work[0], work[1], work[2]
    for channel in range(4):
        source[channel] = colors[row, fragment, channel]
        result[channel] = source[channel]
        target[channel] = decode[pixel[channel]]
    target[3] = np.float32(pixel[3]) / np.float32(255.0)
    if state.blend:
        _blend_floats(state, source, target, result)
    for channel in range(4):
        if state.mask >> channel & 1 == 0:
            continue
        value = result[channel]
        # What is no number fails both comparisons and becomes 0.
        value = (value if value < np.float32(1.0) else np.float32(1.0)) if value > 0 else np.float32(0.0)
        if channel == 3:
            pixel[channel] = np.uint8(np.rint(value * np.float32(255.0)))
        else:
            low = 0
            high = 255
            while low < high:
                middle = (low + high) // 2
                if borders[middle] <= value:
                    low = middle + 1
                else:
                    high = middle
            pixel[channel] = low


#: sRGB targets, in linear light: ``source`` is the quad's row of ``colors`` (Q, 4, 4), ``rules`` the (256,) linear
#: value of each byte and the (255,) linear values between neighbouring bytes.
compose_srgb: Final = _composer("compose_srgb", _write_srgb, *_SRGB)


@kernel("int64(int64)")
def _bits_of(levels: Number) -> Number:
    """How many bits a channel of these levels has."""
    bits = 0
    while levels >> bits:
        bits += 1
    return bits


@kernel("float32(int64)")
def _step(levels: Number) -> Number:
    """Difference of neighbouring normalized values."""
    return np.float32(1.0) / np.float32(levels)


@kernel("float32(float32, uint32[::1], float32[::1], int64, int64)")
def _rounded(value: Number, bits: Array, as_float: Array, mode: Number, detail: Number) -> Number:
    """A channel as its format holds it: 1 half float towards zero, 2 unorm, 3 snorm, 4 unsigned float downwards,
    5 unorm of sixteen bits.

    ``bits`` and ``as_float`` are one element seen both ways.
    """
    if mode == 0:
        return value
    if mode == 2 or mode == 3:
        if np.isnan(value):
            return np.float32(0.0)
        limited = min(max(np.float64(value), 0.0 if mode == 2 else -1.0), 1.0)
        code = np.rint(limited * detail)
        return np.float32(code / detail) if mode == 3 else np.float32(code) * _step(detail)
    if mode == 5:
        return np.float32(_narrowed(_sixteen_bits(value), _bits_of(detail))) * _step(detail)
    as_float[0] = value
    word = np.int64(bits[0])
    exponent = word >> 23 & 255
    mantissa_bits = 10
    if mode == 4:
        mantissa_bits = detail
        if exponent == 255 and word & 0x7FFFFF:
            return value
        if word >> 31 or value <= np.float32(0.0):
            return np.float32(0.0)
    if exponent == 255:
        return value
    sign = word & 0x80000000
    if exponent >= 127 + 16:
        # The largest finite value: exponent 15, all mantissa bits.
        word = sign | (127 + 15) << 23 | ((1 << mantissa_bits) - 1) << (23 - mantissa_bits)
    elif exponent < 127 - 14:
        # A multiple of the smallest denormal value.
        smallest = 2.0 ** (-14 - mantissa_bits)
        size = np.floor(abs(np.float64(value)) / smallest) * smallest
        return np.float32(-size if sign else size)
    else:
        word = word >> (23 - mantissa_bits) << (23 - mantissa_bits)
    bits[0] = np.uint32(word)
    return as_float[0]


@kernel("void(float32[:, ::1], int64[:, ::1])")
def round_values(values: Array, rounding: Array) -> None:
    """Round (N, 4) working values to a float format, see :meth:`gpumodel.verify.texels.Texels.rounding`."""
    bits = np.empty(1, np.uint32)
    as_float = bits.view(np.float32)
    for i in range(values.shape[0]):
        for channel in range(4):
            values[i, channel] = _rounded(
                values[i, channel], bits, as_float, rounding[channel, 0], rounding[channel, 1]
            )


_FLOATS: Final = (
    numba.float32[:, :, ::1],
    numba.types.Tuple((numba.int64[:, ::1], numba.uint32[::1], numba.float32[::1], numba.int64[:, ::1])),
    numba.float32,
    numba.float32,
)


@kernel(numba.void(_state, numba.float32[::1], numba.float32[::1], numba.int64[:, ::1], numba.int64[:, ::1]))
def _blend_wide(state: Record, color: Array, pixel: Array, rounding: Array, whole: Array) -> None:
    """Blend one pixel's normalized values of more than 8 bits in 16; ``whole`` takes source, target and result."""
    for channel in range(4):
        levels = rounding[channel, 1]
        whole[0, channel] = _sixteen_bits(color[channel])
        whole[1, channel] = np.int64(np.rint(np.float64(pixel[channel]) * max(levels, 1)))
        whole[1, channel] = _repeated(whole[1, channel], _bits_of(levels)) if levels else 65535 * whole[1, channel]
    _blend_whole(state, whole[0], whole[1], whole[2], 65535, _present(rounding[:, 1]))


@_writer(*_FLOATS)
def _write_floats(
    state: Record, colors: Array, row: Number, fragment: Number, rules: Any, pixel: Array, work: Array
) -> None:
    rounding, bits, as_float, whole = rules
    result = work[0]
    if state.blend and rounding[:, 0].max() == 5 and state.equation[0] < FIRST_ADVANCED:
        _blend_wide(state, colors[row, fragment], pixel, rounding, whole)
        for channel in range(4):
            levels = max(rounding[channel, 1], 1)
            result[channel] = np.float32(_narrowed(whole[2, channel], _bits_of(levels))) * _step(levels)
    elif state.blend:
        _blend_floats(state, colors[row, fragment], pixel, result)
        for channel in range(4):
            result[channel] = _rounded(result[channel], bits, as_float, rounding[channel, 0], rounding[channel, 1])
    else:
        for channel in range(4):
            result[channel] = colors[row, fragment, channel]
    for channel in range(4):
        if state.mask >> channel & 1:
            pixel[channel] = result[channel]


def rounding_rules(rounding: Array) -> tuple[Array, Array, Array, Array]:
    """``rules`` of :data:`compose_floats` from a (4, 2) int64 ``rounding``, see :func:`round_values`."""
    bits = np.empty(1, np.uint32)
    return rounding, bits, bits.view(np.float32), np.empty((3, 4), np.int64)


#: Targets of more than 8 bits a channel: ``source`` is the quad's row of ``colors`` (Q, 4, 4), values of the format
#: where nothing is blended.
compose_floats: Final = _composer("compose_floats", _write_floats, *_FLOATS)

_INTEGERS: Final = (numba.uint32[:, :, ::1], numba.types.Tuple(()), numba.uint32, numba.int64)


@_writer(*_INTEGERS)
def _write_integers(
    state: Record, colors: Array, row: Number, fragment: Number, rules: Any, pixel: Array, work: Array
) -> None:
    for channel in range(4):
        if state.mask >> channel & 1:
            pixel[channel] = colors[row, fragment, channel]


#: Integer targets, to which blending does not apply; no ``rules``.
compose_integers: Final = _composer("compose_integers", _write_integers, *_INTEGERS)


@kernel(
    numba.void(
        _entries, numba.uint8[::1], _states, numba.int64, numba.int64[::1], numba.uint8[:, ::1]
    )
)  # fmt: skip
def compose_sources(
    entries: Array, lacking: Array, states: Array, present: Number, clear_masks: Array, sourced: Array
) -> None:
    """Compose what is known of the sources of a target's pixels: what blends with a colour without one has none.

    Parameters
    ----------
    lacking : (entries,) fragments that are written and have no source
    present : mask of the channels that the target has
    sourced : (H, W), in and out, see :class:`gpumodel.verify.surfaces.Buffer`
    others : as :func:`compose_bytes`
    """
    for row in range(entries.size):
        entry = entries[row]
        if entry.clear >= 0:
            if clear_masks[entry.clear] & present == present:
                for y in range(entry.rect[1], entry.rect[3]):
                    for x in range(entry.rect[0], entry.rect[2]):
                        sourced[y, x] = 1
            continue
        state = states[entry.state]
        if state.mask == 0:
            continue
        for fragment in range(4):
            if entry.mask >> fragment & 1 == 0:
                continue
            if lacking[row] >> fragment & 1:
                sourced[entry.y + (fragment >> 1), entry.x + (fragment & 1)] = 0
            elif state.blend == 0 and state.mask & present == present:
                sourced[entry.y + (fragment >> 1), entry.x + (fragment & 1)] = 1
