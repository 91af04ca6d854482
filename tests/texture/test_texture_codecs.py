"""Block codecs against plain decoders of one texel at a time, written from the specifications' bit numbers."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

import replay.formats.etc as etc
import replay.formats.s3tc as s3tc
from replay.formats import FORMATS, Codec
from replay.formats.compressed import decode_blocks
from traceformat.gles import enums as gl

INTENSITY = [(2, 8), (5, 17), (9, 29), (13, 42), (18, 60), (24, 80), (33, 106), (47, 183)]
DISTANCE = [3, 6, 11, 16, 23, 32, 41, 64]
EAC = [
    "-3 -6 -9 -15 2 5 8 14", "-3 -7 -10 -13 2 6 9 12", "-2 -5 -8 -13 1 4 7 12", "-2 -4 -6 -13 1 3 5 12",
    "-3 -6 -8 -12 2 5 7 11", "-3 -7 -9 -11 2 6 8 10", "-4 -7 -8 -11 3 6 7 10", "-3 -5 -8 -11 2 4 7 10",
    "-2 -6 -8 -10 1 5 7 9", "-2 -5 -8 -10 1 4 7 9", "-2 -4 -8 -10 1 3 7 9", "-2 -5 -7 -10 1 4 6 9",
    "-3 -4 -7 -10 2 3 6 9", "-1 -2 -3 -10 0 1 2 9", "-4 -6 -8 -9 3 5 7 8", "-3 -5 -7 -9 2 4 6 8",
]  # fmt: skip


def field(word, high, low):
    """Bits high..low of a 64-bit block."""
    return word >> low & (1 << high - low + 1) - 1


def signed3(value):
    return value - 8 if value >= 4 else value


def widen(value, bits):
    text = format(value, f"0{bits}b")
    return int((text * 8)[:8], 2)


def clamp(value):
    return min(max(value, 0), 255)


def etc_texel(word, x, y, *, etc2, punch):
    """RGBA of one texel of an ETC block (OpenGL ES 3.0.6 tables C.3 to C.12)."""
    pixel = 4 * x + y
    index = field(word, 16 + pixel, 16 + pixel) << 1 | field(word, pixel, pixel)
    diff, flip = field(word, 33, 33), field(word, 32, 32)
    opaque = diff or not punch
    if not diff and not punch:
        tops = [(63, 60), (55, 52), (47, 44)]
        first = [17 * field(word, *top) for top in tops]
        second = [17 * field(word, top[1] - 1, top[1] - 4) for top in tops]
    else:
        base = [field(word, high, high - 4) for high in (63, 55, 47)]
        total = [b + signed3(field(word, high, high - 2)) for b, high in zip(base, (58, 50, 42), strict=True)]
        if etc2 and not 0 <= total[0] <= 31:
            one = [field(word, 60, 59) << 2 | field(word, 57, 56), field(word, 55, 52), field(word, 51, 48)]
            two = [field(word, 47, 44), field(word, 43, 40), field(word, 39, 36)]
            distance = DISTANCE[field(word, 35, 34) << 1 | field(word, 32, 32)]
            one, two = [17 * v for v in one], [17 * v for v in two]
            paint = [one, [v + distance for v in two], two, [v - distance for v in two]]
        elif etc2 and not 0 <= total[1] <= 31:
            one = [field(word, 62, 59), field(word, 58, 56) << 1 | field(word, 52, 52),
                   field(word, 51, 51) << 3 | field(word, 49, 47)]  # fmt: skip
            two = [field(word, 46, 43), field(word, 42, 39), field(word, 38, 35)]
            rank = [v[0] << 8 | v[1] << 4 | v[2] for v in (one, two)]
            distance = DISTANCE[field(word, 34, 34) << 2 | field(word, 32, 32) << 1 | (rank[0] >= rank[1])]
            one, two = [17 * v for v in one], [17 * v for v in two]
            paint = [[v + s * distance for v in color] for color in (one, two) for s in (1, -1)]
        elif etc2 and not 0 <= total[2] <= 31:
            o = [field(word, 62, 57), field(word, 56, 56) << 6 | field(word, 54, 49),
                 field(word, 48, 48) << 5 | field(word, 44, 43) << 3 | field(word, 41, 39)]  # fmt: skip
            h = [field(word, 38, 34) << 1 | field(word, 32, 32), field(word, 31, 25), field(word, 24, 19)]
            v = [field(word, 18, 13), field(word, 12, 6), field(word, 5, 0)]
            o, h, v = ([widen(part, bits) for part, bits in zip(color, (6, 7, 6), strict=True)] for color in (o, h, v))
            planar = [clamp((x * (b - a) + y * (c - a) + 4 * a + 2) >> 2) for a, b, c in zip(o, h, v, strict=True)]
            return [*planar, 255]
        else:
            paint = None
            first, second = [widen(b, 5) for b in base], [widen(t & 31, 5) for t in total]
        if paint is not None:
            if not opaque and index == 2:
                return [0, 0, 0, 0]
            return [*(clamp(value) for value in paint[index]), 255]
    later = y >= 2 if flip else x >= 2
    small, large = INTENSITY[field(word, 36, 34) if later else field(word, 39, 37)]
    if not opaque:
        if index == 2:
            return [0, 0, 0, 0]
        small = 0
    modifier = [small, large, -small, -large][index]
    return [*(clamp(value + modifier) for value in (second if later else first)), 255]


def eac_value(word, x, y):
    table = [int(text) for text in EAC[field(word, 51, 48)].split()]
    shift = 45 - 3 * (4 * x + y)
    return table[field(word, shift + 2, shift)]


def big_endian(block):
    return int.from_bytes(bytes(block), "big")


def blocks_of(count, size, seed=3):
    rng = np.random.default_rng(seed)
    blocks = rng.integers(0, 256, (count, size), dtype=np.uint8)
    blocks[0], blocks[1] = 0, 255
    return blocks


def assert_texels(decoded, wanted):
    """Compare with ``wanted(number, x, y)``, [block, y, x, channel]."""
    for number in range(len(decoded)):
        for y in range(4):
            for x in range(4):
                assert decoded[number, y, x].tolist() == pytest.approx(wanted(number, x, y), abs=1e-6), (number, x, y)


@pytest.mark.parametrize(("etc2", "punch"), [(False, False), (True, False), (True, True)])
def test_etc_colors(etc2, punch):
    blocks = blocks_of(300, 8)
    # T, H and planar mode are rare among random blocks: force some overflows.
    blocks[100:150, 0] = blocks[100:150, 0] & 0x07 | 0xF8
    blocks[150:200, 1] = blocks[150:200, 1] & 0x07 | 0xF8
    blocks[200:250, 2] = blocks[200:250, 2] & 0x07
    blocks[200:250, 2] |= 0x04
    decoded = etc.decode_punch_through(blocks) if punch else etc.decode_rgb(blocks, etc1=not etc2)
    words = [big_endian(block) for block in blocks]
    assert_texels(decoded, lambda number, x, y: etc_texel(words[number], x, y, etc2=etc2, punch=punch))


def test_eac_alpha_and_red():
    blocks = blocks_of(120, 16)
    words = [big_endian(block[:8]) for block in blocks]
    alpha = etc.decode_rgba(blocks)[..., 3:]
    assert_texels(
        alpha, lambda n, x, y: [clamp(field(words[n], 63, 56) + field(words[n], 55, 52) * eac_value(words[n], x, y))]
    )

    def red(number, x, y, signed):
        word = words[number]
        base, multiplier = field(word, 63, 56), field(word, 55, 52)
        if signed:
            base = max(base - 256 if base > 127 else base, -127)
        change = eac_value(word, x, y) * (8 * multiplier if multiplier else 1)
        if signed:
            return [min(max(8 * base + change, -1023), 1023) / 1023]
        return [min(max(8 * base + 4 + change, 0), 2047) / 2047]

    for signed in (False, True):
        assert_texels(etc.decode_eac(blocks[:, :8], 1, signed=signed), lambda n, x, y, s=signed: red(n, x, y, s))
    pair = etc.decode_eac(blocks, 2, signed=False)
    np.testing.assert_array_equal(pair[..., :1], etc.decode_eac(blocks[:, :8], 1, signed=False))
    np.testing.assert_array_equal(pair[..., 1:], etc.decode_eac(blocks[:, 8:], 1, signed=False))


def bc1_texel(block, x, y, *, alpha, four_only=False):
    """Exact colour (real weights) and whether it is exact by definition."""
    ends = [int.from_bytes(bytes(block[i : i + 2]), "little") for i in (0, 2)]
    colors = [[widen(e >> 11, 5), widen(e >> 5 & 63, 6), widen(e & 31, 5)] for e in ends]
    index = int.from_bytes(bytes(block[4:8]), "little") >> 2 * (4 * y + x) & 3
    if index < 2:
        return [*colors[index], 255]
    if four_only or ends[0] > ends[1]:
        weight = (index - 1) / 3
        return [*(a + (b - a) * weight for a, b in zip(*colors, strict=True)), 255]
    if index == 2:
        return [*((a + b) / 2 for a, b in zip(*colors, strict=True)), 255]
    return [0, 0, 0, 0 if alpha else 255]


def interpolated(ends, index, low, high):
    a, b = ends
    if index < 2:
        return ends[index]
    if a > b:
        return a + (b - a) * (index - 1) / 7
    return (low, high)[index - 6] if index >= 6 else a + (b - a) * (index - 1) / 5


def index48(block, x, y):
    return int.from_bytes(bytes(block[2:8]), "little") >> 3 * (4 * y + x) & 7


@pytest.mark.parametrize("kind", ["bc1", "bc1a", "bc2", "bc3"])
def test_s3tc_is_within_two_of_the_exact_value(kind):
    blocks = blocks_of(200, 8 if kind.startswith("bc1") else 16)
    color = blocks if kind.startswith("bc1") else blocks[:, 8:]
    decoded = {
        "bc1": lambda: s3tc.decode_bc1(blocks, alpha=False), "bc1a": lambda: s3tc.decode_bc1(blocks, alpha=True),
        "bc2": lambda: s3tc.decode_bc2(blocks), "bc3": lambda: s3tc.decode_bc3(blocks),
    }[kind]()  # fmt: skip
    for number in range(200):
        for y in range(4):
            for x in range(4):
                wanted = bc1_texel(color[number], x, y, alpha=kind == "bc1a", four_only=kind in ("bc2", "bc3"))
                if kind == "bc2":
                    wanted[3] = 17 * (int.from_bytes(bytes(blocks[number, :8]), "little") >> 4 * (4 * y + x) & 15)
                if kind == "bc3":
                    ends = [int(blocks[number, 0]), int(blocks[number, 1])]
                    wanted[3] = interpolated(ends, index48(blocks[number], x, y), 0, 255)
                found = decoded[number, y, x].astype(float)
                assert np.abs(found - wanted).max() <= 2.0, (number, x, y)
                if all(value == int(value) for value in wanted) and kind == "bc2":
                    assert found[3] == wanted[3]


@pytest.mark.parametrize("signed", [False, True])
def test_rgtc(signed):
    blocks = blocks_of(150, 16)
    decoded = s3tc.decode_rgtc(blocks, 2, signed=signed)
    for number in range(150):
        for channel in range(2):
            block = blocks[number, 8 * channel :][:8]
            ends = [int(value) for value in (block[:2].view(np.int8) if signed else block[:2])]
            for y in range(4):
                for x in range(4):
                    exact = interpolated(ends, index48(block, x, y), -127 if signed else 0, 127 if signed else 255)
                    wanted = max(exact / (127 if signed else 255), -1.0)
                    assert abs(decoded[number, y, x, channel] - wanted) <= (2.0 / 127 if signed else 2.0 / 255)


def astc_block(**fields):
    """Assemble an ASTC block from (position, bits, value) fields."""
    word = 0
    for position, bits, value in fields.values():
        word |= (value & (1 << bits) - 1) << position
    return np.frombuffer(word.to_bytes(16, "little"), np.uint8)


def test_astc_by_hand():
    """Blocks whose result follows from the specification by hand."""
    entry = FORMATS[gl.GL_COMPRESSED_RGBA_ASTC_4x4_KHR]
    void = astc_block(
        mode=(0, 12, 0xDFC), coords=(12, 52, (1 << 52) - 1),
        r=(64, 16, 0x1234), g=(80, 16, 0xABCD), b=(96, 16, 0xFFFF), a=(112, 16, 0x8000),
    )  # fmt: skip
    texels = decode_blocks(entry, void.tobytes(), (1, 4, 4))
    assert (texels == 0x80FFAB12).all()
    # Weight grid 4x4 of two levels is too small (16 bits); 4x4 of four levels: 32 bits of weights. Luminance
    # end points 0 and 255 with eight bits each: texel (x, y) has weight 0, 21, 43 or 64.
    weights = [0, 1, 2, 3] * 4
    reverse = sum((weight & 1) << (127 - 2 * i) | (weight >> 1) << (126 - 2 * i) for i, weight in enumerate(weights))
    mode = 0b00001000010 | 0  # width 4 (B=0), height 4 (A=2), R = 100: four levels
    block = astc_block(mode=(0, 11, mode), cem=(13, 4, 0), low=(17, 8, 0), high=(25, 8, 255))
    word = int.from_bytes(block.tobytes(), "little") | reverse
    texels = decode_blocks(entry, word.to_bytes(16, "little"), (1, 4, 4))[0]
    wanted = [(255 * 257 * weight + 32 >> 6) >> 8 for weight in (0, 21, 43, 64)]
    assert [int(value) & 255 for value in texels[0]] == wanted
    assert (texels == texels[0]).all()
    # A reserved block mode is the error colour.
    assert (decode_blocks(entry, bytes(16), (1, 4, 4)) == 0xFFFF00FF).all()


def test_astc_decodes_as_recorded():
    """Random blocks of all sizes; test_texture_mesa.py compares the same blocks with Mesa's decoder."""
    whole = hashlib.sha256()
    valid = 0
    for entry in FORMATS.values():
        if entry.codec is not Codec.ASTC:
            continue
        blocks = np.random.default_rng(entry.internal).integers(0, 256, 256 * 16, dtype=np.uint8)
        texels = decode_blocks(entry, blocks.tobytes(), (1, 16 * entry.block[1], 16 * entry.block[0]))
        valid += int((texels != 0xFFFF00FF).sum())
        whole.update(np.ascontiguousarray(texels).tobytes())
    assert valid > 40000
    assert whole.hexdigest()[:16] == "b7fdf9bebad78781"


@pytest.mark.parametrize("entry", [e for e in FORMATS.values() if e.codec is not None], ids=lambda e: hex(e.internal))
def test_images_of_any_size(entry):
    """Edges cut blocks; layers follow each other; too little data is refused."""
    width, height = entry.block[0] * 2 + 1, entry.block[1] + 1
    rng = np.random.default_rng(0)
    data = rng.integers(0, 256, 2 * 3 * 2 * entry.block_bytes, dtype=np.uint8).tobytes()
    texels = decode_blocks(entry, data, (2, height, width))
    assert texels.shape == entry.shape(2, height, width)
    assert texels.dtype == entry.storage.dtype
    half = decode_blocks(entry, data[len(data) // 2 :], (1, height, width))
    np.testing.assert_array_equal(texels[1:], half)
    with pytest.raises(ValueError, match="blocks"):
        decode_blocks(entry, data[:-1], (2, height, width))
