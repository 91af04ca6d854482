"""ASTC LDR blocks (KHR_texture_compression_astc_ldr; Khronos Data Format Specification 1.3, chapter 23),
two-dimensional.

Blocks that are reserved, and partitions with HDR end points, decode to opaque magenta, the error colour. Results are
the eight high bits of the 16-bit interpolated values, as the decode mode unorm8 has them. The kernel compiles on
first use. The hash that finds a texel's partition keeps the specification's letters: its scrambled seed is ``p``,
the weights of the partitions are ``a``, ``b``, ``c`` and ``d``.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.kernels import Array, Bool, Int, kernel

__all__ = ["decode"]

#: Quantisation levels with their (trits, quints, bits), by rising number of levels.
_RANGES: Final = np.array(
    [
        (2, 0, 0, 1), (3, 1, 0, 0), (4, 0, 0, 2), (5, 0, 1, 0), (6, 1, 0, 1), (8, 0, 0, 3), (10, 0, 1, 1),
        (12, 1, 0, 2), (16, 0, 0, 4), (20, 0, 1, 2), (24, 1, 0, 3), (32, 0, 0, 5), (40, 0, 1, 3), (48, 1, 0, 4),
        (64, 0, 0, 6), (80, 0, 1, 4), (96, 1, 0, 5), (128, 0, 0, 7), (160, 0, 1, 5), (192, 1, 0, 6), (256, 0, 0, 8),
    ],
    np.int64,
)  # fmt: skip
#: Index of the smallest range that colours may use (six levels).
_SMALLEST_COLOR_RANGE: Final = 4
_TRIT, _QUINT, _BITS = 1, 2, 3


def _bit_pattern(pattern: str, bits: int) -> int:
    """Value of the digits of a B pattern: letters name bits of the value from b on, digits stand for themselves."""
    value = 0
    for character in pattern:
        bit = 0 if character == "0" else bits >> (ord(character) - ord("a")) & 1
        value = value << 1 | bit
    return value


def _color_table() -> NDArray[np.int64]:
    """Unquantised colour (0..255) of each value of each range; values are trit or quint above the bits."""
    patterns = {
        (1, 1): ("000000000", 204), (1, 2): ("b000b0bb0", 93), (1, 3): ("cb000cbcb", 44), (1, 4): ("dcb000dcb", 22),
        (1, 5): ("edcb000ed", 11), (1, 6): ("fedcb000f", 5), (2, 1): ("000000000", 113), (2, 2): ("b0000bb00", 54),
        (2, 3): ("cb0000cbc", 26), (2, 4): ("dcb0000dc", 13), (2, 5): ("edcb0000e", 6),
    }  # fmt: skip
    table = np.zeros((len(_RANGES), 256), np.int64)
    for row, (levels, trits, quints, bits) in enumerate(_RANGES.tolist()):
        for value in range(levels):
            if trits or quints:
                if bits == 0:
                    continue
                low, digit = value & ((1 << bits) - 1), value >> bits
                pattern, scale = patterns[(1 if trits else 2, bits)]
                flip = 511 if low & 1 else 0
                mixed = (digit * scale + _bit_pattern(pattern, low)) ^ flip
                table[row, value] = (flip & 0x80) | mixed >> 2
            else:
                table[row, value] = int("".join([format(value, f"0{bits}b")] * 8)[:8], 2)
    return table


def _weight_table() -> NDArray[np.int64]:
    """Unquantised weight (0..64) of each value of each range up to 32 levels."""
    patterns = {
        (1, 1): ("0000000", 50), (1, 2): ("b000b0b", 23), (1, 3): ("cb000cb", 11),
        (2, 1): ("0000000", 28), (2, 2): ("b0000b0", 13),
    }  # fmt: skip
    table = np.zeros((len(_RANGES), 32), np.int64)
    for row, (levels, trits, quints, bits) in enumerate(_RANGES.tolist()):
        if levels > 32:
            break
        for value in range(levels):
            if bits == 0:
                weight = (0, 32, 63)[value] if trits else (0, 16, 32, 47, 63)[value]
            elif trits or quints:
                low, digit = value & ((1 << bits) - 1), value >> bits
                pattern, scale = patterns[(1 if trits else 2, bits)]
                flip = 127 if low & 1 else 0
                mixed = (digit * scale + _bit_pattern(pattern, low)) ^ flip
                weight = (flip & 0x20) | mixed >> 2
            else:
                weight = int("".join([format(value, f"0{bits}b")] * 6)[:6], 2)
            table[row, value] = weight + (weight > 32)
    return table


_COLORS: Final = _color_table()
_WEIGHTS: Final = _weight_table()


@kernel()
def _sequence_bits(count: Int, row: Int, ranges: Array) -> Int:
    """Bits of an integer sequence of ``count`` values."""
    total = count * ranges[row, _BITS]
    if ranges[row, _TRIT]:
        total += (8 * count + 4) // 5
    if ranges[row, _QUINT]:
        total += (7 * count + 2) // 3
    return total


@kernel()
def _bits_at(words: Array, position: Int, count: Int) -> Int:
    """``count`` bits (at most 32) from ``position`` on of a block as four 32-bit words; past the end they are zero."""
    if count <= 0 or position > 127:
        return 0
    index, shift = position >> 5, position & 31
    value = words[index] >> shift
    if index < 3:
        value |= words[index + 1] << (32 - shift)
    return value & ((1 << count) - 1)


@kernel()
def _sequence(words: Array, position: Int, end: Int, count: Int, row: Int, ranges: Array, out: Array) -> None:
    """Decode an integer sequence; bits from ``end`` on read as zero."""
    width = ranges[row, _BITS]
    low = np.zeros(5, np.int64)
    group = 5 if ranges[row, _TRIT] else (3 if ranges[row, _QUINT] else 1)
    done = 0
    while done < count:
        packed = 0
        taken = 0
        for member in range(group):
            low[member] = _bits_at(words, position, min(width, end - position))
            position += width
            extra = 0
            if group == 5:
                extra = 2 if member == 0 or member == 1 or member == 3 else 1
            elif group == 3:
                extra = 3 if member == 0 else 2
            packed |= _bits_at(words, position, min(extra, end - position)) << taken
            position += extra
            taken += extra
        if group == 5:
            if packed >> 2 & 7 == 7:
                trits = (packed >> 5 & 7) << 2 | (packed & 3)
                d4, d3 = 2, 2
            else:
                trits = packed & 31
                if packed >> 5 & 3 == 3:
                    d4, d3 = 2, packed >> 7 & 1
                else:
                    d4, d3 = packed >> 7 & 1, packed >> 5 & 3
            if trits & 3 == 3:
                d2, d1 = 2, trits >> 4 & 1
                d0 = (trits >> 3 & 1) << 1 | ((trits >> 2 & 1) & (1 - (trits >> 3 & 1)))
            elif trits >> 2 & 3 == 3:
                d2, d1, d0 = 2, 2, trits & 3
            else:
                d2, d1 = trits >> 4 & 1, trits >> 2 & 3
                d0 = (trits >> 1 & 1) << 1 | ((trits & 1) & (1 - (trits >> 1 & 1)))
        elif group == 3:
            d3 = d4 = 0
            if packed >> 1 & 3 == 3 and packed >> 5 & 3 == 0:
                first = packed & 1
                d2 = first << 2 | ((packed >> 4 & 1) & (1 - first)) << 1 | ((packed >> 3 & 1) & (1 - first))
                d1 = d0 = 4
            else:
                if packed >> 1 & 3 == 3:
                    d2 = 4
                    trits = (packed >> 3 & 3) << 3 | (3 - (packed >> 5 & 3)) << 1 | (packed & 1)
                else:
                    d2 = packed >> 5 & 3
                    trits = packed & 31
                if trits & 7 == 5:
                    d1, d0 = 4, trits >> 3 & 3
                else:
                    d1, d0 = trits >> 3 & 3, trits & 7
        else:
            d0 = d1 = d2 = d3 = d4 = 0
        for member in range(group):
            if done < count:
                digit = d0
                if member == 1:
                    digit = d1
                elif member == 2:
                    digit = d2
                elif member == 3:
                    digit = d3
                elif member == 4:
                    digit = d4
                out[done] = digit << width | low[member]
                done += 1


@kernel()
def _partition(seed: Int, x: Int, y: Int, count: Int, small: Bool) -> Int:
    """Partition of a texel: the specification's select_partition, in 32-bit arithmetic."""
    mask = 0xFFFFFFFF
    if small:
        x, y = x << 1, y << 1
    seed += (count - 1) * 1024
    p = seed
    p ^= p >> 15
    p = (p - (p << 17)) & mask
    p = (p + (p << 7)) & mask
    p = (p + (p << 4)) & mask
    p ^= p >> 5
    p = (p + (p << 16)) & mask
    p ^= p >> 7
    p ^= p >> 3
    p = (p ^ (p << 6)) & mask
    p ^= p >> 17
    if seed & 1:
        sh1 = 4 if seed & 2 else 5
        sh2 = 6 if count == 3 else 5
    else:
        sh1 = 6 if count == 3 else 5
        sh2 = 4 if seed & 2 else 5
    s1 = (p & 15) * (p & 15) >> sh1
    s2 = (p >> 4 & 15) * (p >> 4 & 15) >> sh2
    s3 = (p >> 8 & 15) * (p >> 8 & 15) >> sh1
    s4 = (p >> 12 & 15) * (p >> 12 & 15) >> sh2
    s5 = (p >> 16 & 15) * (p >> 16 & 15) >> sh1
    s6 = (p >> 20 & 15) * (p >> 20 & 15) >> sh2
    s7 = (p >> 24 & 15) * (p >> 24 & 15) >> sh1
    s8 = (p >> 28 & 15) * (p >> 28 & 15) >> sh2
    a = s1 * x + s2 * y + (p >> 14) & 63
    b = s3 * x + s4 * y + (p >> 10) & 63
    c = s5 * x + s6 * y + (p >> 6) & 63 if count >= 3 else 0
    d = s7 * x + s8 * y + (p >> 2) & 63 if count >= 4 else 0
    if a >= b and a >= c and a >= d:
        return 0
    if b >= c and b >= d:
        return 1
    return 2 if c >= d else 3


@kernel()
def _clamped(value: Int) -> Int:
    return min(max(value, 0), 255)


@kernel()
def _end_points(mode: Int, values: Array, ends: Array) -> Bool:
    """End points (2, 4) of one partition from its colour values; False for HDR modes."""
    alpha0, alpha1 = 255, 255
    swap = False
    if mode == 0 or mode == 1:
        low, high = values[0], values[1]
        if mode == 1:
            low = values[0] >> 2 | (values[1] & 0xC0)
            high = min(low + (values[1] & 0x3F), 255)
        for channel in range(3):
            ends[0, channel], ends[1, channel] = low, high
    elif mode == 4:
        for channel in range(3):
            ends[0, channel], ends[1, channel] = values[0], values[1]
        alpha0, alpha1 = values[2], values[3]
    elif mode == 6 or mode == 10:
        for channel in range(3):
            ends[0, channel], ends[1, channel] = values[channel] * values[3] >> 8, values[channel]
        if mode == 10:
            alpha0, alpha1 = values[4], values[5]
    elif mode == 8 or mode == 12:
        for channel in range(3):
            ends[0, channel], ends[1, channel] = values[2 * channel], values[2 * channel + 1]
        if mode == 12:
            alpha0, alpha1 = values[6], values[7]
        swap = values[1] + values[3] + values[5] < values[0] + values[2] + values[4]
    elif mode == 5 or mode == 9 or mode == 13:
        pairs = 2 if mode == 5 else (3 if mode == 9 else 4)
        total = 0
        for pair in range(pairs):
            # bit_transfer_signed: the offset lends its top bit to the base.
            offset, base = values[2 * pair + 1], values[2 * pair]
            base = base >> 1 | (offset & 0x80)
            offset = offset >> 1 & 0x3F
            if offset & 0x20:
                offset -= 0x40
            if mode == 5 and pair == 0:
                for channel in range(3):
                    ends[0, channel], ends[1, channel] = base, base + offset
            elif pair == 3 or mode == 5:
                alpha0, alpha1 = base, base + offset
            else:
                ends[0, pair], ends[1, pair] = base, base + offset
                total += offset
        swap = mode != 5 and total < 0
    else:
        return False
    ends[0, 3], ends[1, 3] = alpha0, alpha1
    if swap:
        # Blue contraction of the exchanged end points.
        for channel in range(4):
            ends[0, channel], ends[1, channel] = ends[1, channel], ends[0, channel]
        for end in range(2):
            ends[end, 0] = ends[end, 0] + ends[end, 2] >> 1
            ends[end, 1] = ends[end, 1] + ends[end, 2] >> 1
    for end in range(2):
        for channel in range(4):
            ends[end, channel] = _clamped(ends[end, channel])
    return True


@kernel()
def _grid(mode: Int) -> tuple[Int, Int, Int, Int]:
    """Weight grid of a block mode: width (0 = reserved), height, range, dual plane."""
    a, b = mode >> 5 & 3, mode >> 7 & 3
    dual, high = mode >> 10 & 1, mode >> 9 & 1
    if mode & 3:
        range_bits = (mode & 3) << 1 | (mode >> 4 & 1)
        shape = mode >> 2 & 3
        if shape == 0:
            width, height = b + 4, a + 2
        elif shape == 1:
            width, height = b + 8, a + 2
        elif shape == 2:
            width, height = a + 2, b + 8
        elif mode >> 8 & 1:
            width, height = (b & 1) + 2, a + 2
        else:
            width, height = a + 2, (b & 1) + 6
    else:
        range_bits = (mode >> 2 & 3) << 1 | (mode >> 4 & 1)
        if mode >> 2 & 3 == 0:
            return 0, 0, 0, 0
        if b == 0:
            width, height = 12, a + 2
        elif b == 1:
            width, height = a + 2, 12
        elif b == 2:
            width, height = a + 6, (mode >> 9 & 3) + 6
            dual, high = 0, 0
        elif a == 0:
            width, height = 6, 10
        elif a == 1:
            width, height = 10, 6
        else:
            return 0, 0, 0, 0
    return width, height, range_bits - 2 + 6 * high, dual


@kernel()
def _decode_block(
    words: Array, reversed_words: Array, srgb: Bool, ranges: Array, colors: Array, weight_values: Array, out: Array
) -> Bool:
    """Decode one block into ``out`` (down, across, 4); False for the error colour."""
    down, across = out.shape[0], out.shape[1]
    mode = _bits_at(words, 0, 11)
    if mode & 0x1FF == 0x1FC:
        if mode >> 9 & 1 or _bits_at(words, 10, 2) != 3:
            return False
        s0, s1 = _bits_at(words, 12, 13), _bits_at(words, 25, 13)
        t0, t1 = _bits_at(words, 38, 13), _bits_at(words, 51, 13)
        everywhere = s0 == 0x1FFF and s1 == 0x1FFF and t0 == 0x1FFF and t1 == 0x1FFF
        if not everywhere and (s0 >= s1 or t0 >= t1):
            return False
        for y in range(down):
            for x in range(across):
                for channel in range(4):
                    out[y, x, channel] = _bits_at(words, 64 + 16 * channel, 16) >> 8
        return True
    width, height, weight_row, dual = _grid(mode)
    count = width * height * (dual + 1)
    if width == 0 or width > across or height > down or count > 64:
        return False
    weight_bits = _sequence_bits(count, weight_row, ranges)
    if weight_bits < 24 or weight_bits > 96:
        return False
    partitions = _bits_at(words, 11, 2) + 1
    if partitions == 4 and dual:
        return False
    modes = np.zeros(4, np.int64)
    below = 128 - weight_bits
    if partitions == 1:
        start = 17
        modes[0] = _bits_at(words, 13, 4)
    else:
        start = 29
        selector = _bits_at(words, 23, 2)
        if selector == 0:
            for part in range(partitions):
                modes[part] = _bits_at(words, 25, 4)
        else:
            below -= 3 * partitions - 4
            packed = _bits_at(words, 25, 4) | _bits_at(words, below, 3 * partitions - 4) << 4
            for part in range(partitions):
                kind = selector - 1 + (packed >> part & 1)
                modes[part] = kind << 2 | (packed >> (partitions + 2 * part) & 3)
    plane2 = -1
    if dual:
        below -= 2
        plane2 = _bits_at(words, below, 2)
    num_values = 0
    for part in range(partitions):
        num_values += (modes[part] >> 2) * 2 + 2
    room = below - start
    if num_values > 18 or room < (13 * num_values + 4) // 5:
        return False
    row = len(ranges) - 1
    while row > _SMALLEST_COLOR_RANGE and _sequence_bits(num_values, row, ranges) > room:
        row -= 1
    values = np.zeros(18, np.int64)
    _sequence(words, start, start + _sequence_bits(num_values, row, ranges), num_values, row, ranges, values)
    for index in range(num_values):
        values[index] = colors[row, values[index]]
    ends = np.zeros((4, 2, 4), np.int64)
    usable = np.ones(4, np.bool_)
    used = 0
    for part in range(partitions):
        usable[part] = _end_points(modes[part], values[used:], ends[part])
        used += (modes[part] >> 2) * 2 + 2
    grid = np.zeros(192, np.int64)  # room for the neighbours of the last weights, which count with weight zero
    _sequence(reversed_words, 0, weight_bits, count, weight_row, ranges, grid)
    for index in range(count):
        grid[index] = weight_values[weight_row, grid[index]]
    planes = dual + 1
    scale_x = (1024 + across // 2) // (across - 1)
    scale_y = (1024 + down // 2) // (down - 1)
    seed = _bits_at(words, 13, 10)
    small = across * down < 31
    for y in range(down):
        gy = (scale_y * y * (height - 1) + 32) >> 6
        for x in range(across):
            gx = (scale_x * x * (width - 1) + 32) >> 6
            fx, fy = gx & 15, gy & 15
            first = (gx >> 4) + (gy >> 4) * width
            w11 = fx * fy + 8 >> 4
            part = 0 if partitions == 1 else _partition(seed, x, y, partitions, small)
            if not usable[part]:
                out[y, x, 0], out[y, x, 1], out[y, x, 2], out[y, x, 3] = 255, 0, 255, 255
                continue
            for channel in range(4):
                plane = 1 if channel == plane2 else 0
                weight = (
                    grid[first * planes + plane] * (16 - fx - fy + w11)
                    + grid[(first + 1) * planes + plane] * (fx - w11)
                    + grid[(first + width) * planes + plane] * (fy - w11)
                    + grid[(first + width + 1) * planes + plane] * w11
                    + 8
                ) >> 4
                c0, c1 = ends[part, 0, channel], ends[part, 1, channel]
                if srgb:
                    c0, c1 = c0 << 8 | 0x80, c1 << 8 | 0x80
                else:
                    c0, c1 = c0 << 8 | c0, c1 << 8 | c1
                out[y, x, channel] = (c0 * (64 - weight) + c1 * weight + 32 >> 6) >> 8
    return True


@kernel(
    "void(int64[:, :, ::1], int64, int64, boolean, int64[:, ::1], int64[:, ::1], int64[:, ::1], uint8[:, :, :, ::1])"
)
def _decode_blocks(
    words: Array, across: Int, down: Int, srgb: Bool, ranges: Array, colors: Array, weight_values: Array, out: Array
) -> None:
    for number in range(len(words)):
        forward, backward = words[number, 0], words[number, 1]
        if not _decode_block(forward, backward, srgb, ranges, colors, weight_values, out[number]):
            for y in range(down):
                for x in range(across):
                    out[number, y, x, 0] = 255
                    out[number, y, x, 1] = 0
                    out[number, y, x, 2] = 255
                    out[number, y, x, 3] = 255


def decode(blocks: NDArray[np.uint8], block: tuple[int, int], *, srgb: bool) -> NDArray[np.uint8]:
    """ASTC LDR blocks to RGBA.

    Parameters
    ----------
    blocks : (n, 16) uint8
    block : width and height of a block in texels
    srgb : whether channels are interpolated as those of sRGB formats

    Returns
    -------
    (n, height, width, 4) uint8
    """
    out: NDArray[Any] = np.empty((len(blocks), block[1], block[0], 4), np.uint8)
    # Weights are read from the other end of the block: the same words with all bits reversed.
    bits = np.unpackbits(blocks, axis=1, bitorder="little")
    both = np.stack([bits, bits[:, ::-1]], axis=1)
    words = np.packbits(both, axis=2, bitorder="little").view("<u4").astype(np.int64)
    _decode_blocks(words, block[0], block[1], srgb, _RANGES, _COLORS, _WEIGHTS, out)
    return out
