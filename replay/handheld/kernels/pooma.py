"""POOMA's texture blocks (§4.2): 3x2 texels in 32 bits, two reference colours of 4-4-3 bits and two ternary maps.

Bits of a block, from the lowest: reference colour a (red 4, green 4, blue 3), b, map of the lower row, map of the upper
row. The third colour c is the mean of a and b. A map value is 9 t0 + 3 t1 + t2 with the texels' ternary digits a = 0,
b = 1, c = 2: the paper's table, of which entry 9 is misprinted ("bba"; its pattern gives "baa"). Values 27 to 31 do not
occur; they decode as 26.
"""

from __future__ import annotations

import numpy as np

from replay.kernels import Array, Bool, Float, Int, kernel

__all__ = ["decode_blocks", "diffuse", "encode_blocks", "expand_color", "quantize_color"]


@kernel("void(int64, int64[::1])")
def expand_color(packed: Int, rgb: Array) -> None:
    """Bytes of a 4-4-3 colour."""
    blue = packed >> 8 & 7
    rgb[0] = (packed & 15) * 17
    rgb[1] = (packed >> 4 & 15) * 17
    rgb[2] = blue << 5 | blue << 2 | blue >> 1


@kernel("int64(float64, float64, float64)")
def quantize_color(red: Float, green: Float, blue: Float) -> Int:
    """Nearest 4-4-3 colour of byte values."""
    red_bits: Int = min(max(np.int64(np.rint(red * 15.0 / 255.0)), 0), 15)
    green_bits: Int = min(max(np.int64(np.rint(green * 15.0 / 255.0)), 0), 15)
    blue_bits: Int = min(max(np.int64(np.rint(blue * 7.0 / 255.0)), 0), 7)
    return red_bits | green_bits << 4 | blue_bits << 8


@kernel("int64(int64, int64, int64[:, ::1], int64[:, ::1], int64[::1])")
def _assign(a: Int, b: Int, texels: Array, palette: Array, choice: Array) -> Int:
    """Nearest of the three colours for each texel; returns the squared error."""
    expand_color(a, palette[0])
    expand_color(b, palette[1])
    for channel in range(3):
        palette[2, channel] = (palette[0, channel] + palette[1, channel]) >> 1
    total: Int = 0
    for texel in range(6):
        best: Int = np.int64(1) << 40
        for k in range(3):
            d0 = texels[texel, 0] - palette[k, 0]
            d1 = texels[texel, 1] - palette[k, 1]
            d2 = texels[texel, 2] - palette[k, 2]
            error = d0 * d0 + d1 * d1 + d2 * d2
            if error < best:
                best = error
                choice[texel] = k
        total += best
    return total


@kernel("UniTuple(int64, 2)(int64[:, ::1])")
def _extremes(texels: Array) -> tuple[Int, ...]:
    """The two texels that are farthest apart, quantized: what a simple compressor picks."""
    best = -1
    first = 0
    second = 0
    for i in range(6):
        for j in range(i + 1, 6):
            error = 0
            for channel in range(3):
                apart = texels[i, channel] - texels[j, channel]
                error += apart * apart
            if error > best:
                best = error
                first = i
                second = j
    a = quantize_color(np.float64(texels[first, 0]), np.float64(texels[first, 1]), np.float64(texels[first, 2]))
    b = quantize_color(np.float64(texels[second, 0]), np.float64(texels[second, 1]), np.float64(texels[second, 2]))
    return a, b


@kernel("UniTuple(int64, 2)(int64[:, ::1], int64[::1])")
def _fitted(texels: Array, choice: Array) -> tuple[Int, ...]:
    """Reference colours of least squared error for given choices; -1, -1 where they do not determine both."""
    aa = 0.0
    ab = 0.0
    bb = 0.0
    ra = np.zeros(3)
    rb = np.zeros(3)
    for texel in range(6):
        wa = 1.0 if choice[texel] == 0 else (0.0 if choice[texel] == 1 else 0.5)
        wb = 1.0 - wa
        aa += wa * wa
        ab += wa * wb
        bb += wb * wb
        for channel in range(3):
            ra[channel] += wa * texels[texel, channel]
            rb[channel] += wb * texels[texel, channel]
    det = aa * bb - ab * ab
    if det < 1e-9:
        return -1, -1
    a = np.empty(3)
    b = np.empty(3)
    for channel in range(3):
        a[channel] = (ra[channel] * bb - rb[channel] * ab) / det
        b[channel] = (rb[channel] * aa - ra[channel] * ab) / det
    return quantize_color(a[0], a[1], a[2]), quantize_color(b[0], b[1], b[2])


@kernel("int64(int64, int64, int64)", inline="always")
def _stepped(color: Int, channel: Int, step: Int) -> Int:
    """Colour with one channel a step up or down, -1 where there is none."""
    shift = 4 * channel
    most = 7 if channel == 2 else 15
    value = (color >> shift & most) + step
    if value < 0 or value > most:
        return -1
    return (color & ~(most << shift)) | value << shift


@kernel("UniTuple(int64, 3)(int64[:, ::1], boolean, int64[:, ::1], int64[::1])")
def _references(texels: Array, searches: Bool, palette: Array, choice: Array) -> tuple[Int, ...]:
    """Reference colours of a block and the squared error; ``choice`` is theirs."""
    a, b = _extremes(texels)
    error = _assign(a, b, texels, palette, choice)
    if not searches or error == 0:
        return a, b, error
    # Starts: every pair of texels as references, and every pair of which one is the mean; the best start is fitted to
    # its choices by least squares, and each channel moved by steps.
    for i in range(6):
        first = quantize_color(np.float64(texels[i, 0]), np.float64(texels[i, 1]), np.float64(texels[i, 2]))
        for j in range(6):
            for reach in range(1, 3):
                if reach == 1 and j < i:
                    continue
                second = quantize_color(
                    np.float64(texels[i, 0] + reach * (texels[j, 0] - texels[i, 0])),
                    np.float64(texels[i, 1] + reach * (texels[j, 1] - texels[i, 1])),
                    np.float64(texels[i, 2] + reach * (texels[j, 2] - texels[i, 2])),
                )
                tried = _assign(first, second, texels, palette, choice)
                if tried < error:
                    a, b, error = first, second, tried
    for _ in range(8):
        _assign(a, b, texels, palette, choice)
        first, second = _fitted(texels, choice)
        improved = False
        if first >= 0:
            tried = _assign(first, second, texels, palette, choice)
            if tried < error:
                a, b, error = first, second, tried
                improved = True
        # Steps of one reference, and of both together or apart: a mean can lie between two quantized colours.
        for channel in range(3):
            for up in range(-1, 2):
                for down in range(-1, 2):
                    first = _stepped(a, channel, up)
                    second = _stepped(b, channel, down)
                    if first < 0 or second < 0:
                        continue
                    tried = _assign(first, second, texels, palette, choice)
                    if tried < error:
                        a, b, error = first, second, tried
                        improved = True
        if not improved or error == 0:
            break
    _assign(a, b, texels, palette, choice)
    return a, b, error


@kernel("void(uint32[:, ::1], int64, boolean, uint32[:, ::1])")
def encode_blocks(image: Array, first_row: Int, searches: Bool, blocks: Array) -> None:
    """Compress an image.

    Parameters
    ----------
    image : (H, W) uint32 colours, bytes R, G, B, A; alpha is dropped
    first_row : row that the blocks begin with, 0 or 1; rows and columns beyond the image are its first ones again
    searches : False picks the two extremes of each block
    blocks : (block rows, block columns) uint32, out
    """
    height, width = image.shape
    texels = np.empty((6, 3), np.int64)
    palette = np.empty((3, 3), np.int64)
    choice = np.zeros(6, np.int64)
    for row in range(blocks.shape[0]):
        for column in range(blocks.shape[1]):
            for texel in range(6):
                y = (first_row + 2 * row + texel // 3) % height
                x = (3 * column + texel % 3) % width
                word = np.int64(image[y, x])
                texels[texel, 0] = word & 255
                texels[texel, 1] = word >> 8 & 255
                texels[texel, 2] = word >> 16 & 255
            a, b, _ = _references(texels, searches, palette, choice)
            lower = 9 * choice[0] + 3 * choice[1] + choice[2]
            upper = 9 * choice[3] + 3 * choice[4] + choice[5]
            blocks[row, column] = np.uint32(a | b << 11 | lower << 22 | upper << 27)


@kernel("void(uint32[:, ::1], int64, uint32[:, ::1])")
def decode_blocks(blocks: Array, first_row: Int, image: Array) -> None:
    """Decompress blocks into the rows of an image that they cover.

    Parameters
    ----------
    blocks : (block rows, block columns) uint32
    first_row : as for :func:`encode_blocks`
    image : (H, W) uint32, out; alpha is 255
    """
    height, width = image.shape
    palette = np.empty((3, 3), np.int64)
    for row in range(blocks.shape[0]):
        for column in range(blocks.shape[1]):
            block = np.int64(blocks[row, column])
            expand_color(block & 0x7FF, palette[0])
            expand_color(block >> 11 & 0x7FF, palette[1])
            for channel in range(3):
                palette[2, channel] = (palette[0, channel] + palette[1, channel]) >> 1
            for line in range(2):
                y = first_row + 2 * row + line
                if y >= height:
                    if first_row == 0 or y > height:
                        continue
                    y = 0
                digits: Int = min(block >> (22 + 5 * line) & 31, 26)
                for texel in range(3):
                    x = 3 * column + texel
                    if x >= width:
                        continue
                    k = digits // 9 if texel == 0 else (digits // 3 % 3 if texel == 1 else digits % 3)
                    image[y, x] = np.uint32(palette[k, 0] | palette[k, 1] << 8 | palette[k, 2] << 16 | 255 << 24)


@kernel("void(uint32[:, ::1], uint32[:, ::1])")
def diffuse(image: Array, out: Array) -> None:
    """Dither an image to the colours of 4-4-3 bits by error diffusion (Floyd and Steinberg 1976).

    Parameters
    ----------
    image : (H, W) uint32, bytes R, G, B, A
    out : (H, W) uint32, colours that 4-4-3 bits can hold; alpha as it was
    """
    height, width = image.shape
    errors = np.zeros((2, width + 2, 3))
    rgb = np.empty(3, np.int64)
    wanted = np.empty(3)
    for row in range(height):
        now = row & 1
        errors[1 - now] = 0.0
        for column in range(width):
            word = np.int64(image[row, column])
            for channel in range(3):
                wanted[channel] = (word >> (8 * channel) & 255) + errors[now, column + 1, channel]
            expand_color(quantize_color(wanted[0], wanted[1], wanted[2]), rgb)
            for channel in range(3):
                # Kept within the range, so that saturated areas do not pile errors up.
                left = min(max(wanted[channel], 0.0), 255.0) - rgb[channel]
                errors[now, column + 2, channel] += left * 7.0 / 16.0
                errors[1 - now, column, channel] += left * 3.0 / 16.0
                errors[1 - now, column + 1, channel] += left * 5.0 / 16.0
                errors[1 - now, column + 2, channel] += left / 16.0
            out[row, column] = np.uint32(rgb[0] | rgb[1] << 8 | rgb[2] << 16 | (word >> 24) << 24)
