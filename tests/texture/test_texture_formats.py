"""Formats: conversions against plain per-value arithmetic, and round trips of every format."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replay import formats
from replay.formats import FORMATS, Kind, Storage, smallfloat
from traceformat.gles import enums as gl
from traceformat.gles.formats import COMPONENTS, PACKED_TYPES, TYPE_BYTES, pixel_bytes, uploads

COLOR_FORMATS = [entry for entry in FORMATS.values() if entry.codec is None and not entry.is_depth]
DEPTH_FORMATS = [entry for entry in FORMATS.values() if entry.is_depth and entry.base != "S"]
UPLOADS = [
    (entry, format, type)
    for entry in COLOR_FORMATS
    for format in COMPONENTS
    for type in [*TYPE_BYTES, *PACKED_TYPES]
    if uploads(format, type, entry.internal)
]


def test_every_upload_of_gles_3_is_covered():
    assert len(UPLOADS) > 80


@pytest.mark.parametrize("entry", COLOR_FORMATS, ids=lambda entry: hex(entry.internal))
def test_quantize_is_idempotent_and_native_has_its_size(entry):
    rng = np.random.default_rng(entry.internal)
    if entry.is_integer:
        colors = rng.integers(-(1 << 33), 1 << 33, (5, 7, 4))
    else:
        colors = rng.normal(0.3, 0.8, (5, 7, 4)).astype(np.float32)
        colors[0, 0] = np.nan
        colors[0, 1] = np.inf
        colors[0, 2] = -np.inf
    texels = formats.quantize(entry, colors)
    assert texels.shape == entry.shape(5, 7)
    assert texels.dtype == entry.storage.dtype
    np.testing.assert_array_equal(formats.quantize(entry, formats.expand(entry, texels)), texels)
    assert formats.native(entry, texels).shape == (5, 7, entry.texel_bytes)
    present = entry.channels
    values = formats.raw(entry, texels)
    for channel in range(4):
        if not present[channel]:
            assert (values[..., channel] == (1 if channel == 3 else 0)).all()


@pytest.mark.parametrize("entry", COLOR_FORMATS, ids=lambda entry: hex(entry.internal))
def test_native_bytes_distinguish_texels(entry):
    """Equal bytes in memory if and only if equal texels: techniques compare bytes."""
    rng = np.random.default_rng(1)
    colors = rng.integers(-99, 99, (400, 4)) if entry.is_integer else rng.normal(0.4, 0.5, (400, 4)).astype(np.float32)
    texels = formats.quantize(entry, colors).reshape(400, -1)
    octets = formats.native(entry, formats.quantize(entry, colors))
    same_texel = {row.tobytes() for row in texels}
    pairs = {(row.tobytes(), octet.tobytes()) for row, octet in zip(texels, octets, strict=True)}
    assert len(pairs) == len(same_texel) == len({octet.tobytes() for octet in octets})


def plain_client_pixel(data, format, type):
    """One client pixel as RGBA, component by component."""
    names = {
        gl.GL_UNSIGNED_BYTE: "B", gl.GL_BYTE: "b", gl.GL_UNSIGNED_SHORT: "H", gl.GL_SHORT: "h", gl.GL_UNSIGNED_INT: "I",
        gl.GL_INT: "i", gl.GL_HALF_FLOAT: "e", gl.GL_HALF_FLOAT_OES: "e", gl.GL_FLOAT: "f",
    }  # fmt: skip
    integer = "INTEGER" in {value: name for name, value in vars(gl).items() if name.endswith("INTEGER")}.get(format, "")
    if type in names:
        values = struct.unpack(f"<{COMPONENTS[format]}{names[type]}", data)
        if not integer and names[type] not in "ef":
            bits = 8 * struct.calcsize(names[type])
            top = (1 << (bits - names[type].islower())) - 1
            values = [max(value / top, -1.0) for value in values]
    else:
        word = int.from_bytes(data, "little")
        widths, reverse = {
            gl.GL_UNSIGNED_SHORT_5_6_5: ((5, 6, 5), False),
            gl.GL_UNSIGNED_SHORT_4_4_4_4: ((4, 4, 4, 4), False),
            gl.GL_UNSIGNED_SHORT_5_5_5_1: ((5, 5, 5, 1), False),
            gl.GL_UNSIGNED_INT_2_10_10_10_REV: ((10, 10, 10, 2), True),
            gl.GL_UNSIGNED_INT_10F_11F_11F_REV: ((11, 11, 10), True),
            gl.GL_UNSIGNED_INT_5_9_9_9_REV: ((9, 9, 9, 5), True),
        }[type]
        position = 0 if reverse else sum(widths)
        fields = []
        for width in widths:
            if not reverse:
                position -= width
            fields.append(word >> position & (1 << width) - 1)
            if reverse:
                position += width
        if type == gl.GL_UNSIGNED_INT_5_9_9_9_REV:
            values = [field * 2.0 ** (fields[3] - 24) for field in fields[:3]]
        elif type == gl.GL_UNSIGNED_INT_10F_11F_11F_REV:
            values = []
            for field, width in zip(fields, widths, strict=True):
                mantissa, exponent = field & (1 << width - 5) - 1, field >> width - 5
                scale = 1 << width - 5
                if exponent == 31:
                    values.append(float("inf") if mantissa == 0 else float("nan"))
                elif exponent == 0:
                    values.append(mantissa / scale * 2.0**-14)
                else:
                    values.append((1 + mantissa / scale) * 2.0 ** (exponent - 15))
        else:
            values = [f if integer else f / ((1 << w) - 1) for f, w in zip(fields, widths, strict=True)]
    rgba = [0, 0, 0, 1]
    base = COMPONENTS[format]
    if format == gl.GL_BGRA:
        values = [values[2], values[1], values[0], values[3]]
    if format in (gl.GL_LUMINANCE, gl.GL_LUMINANCE_ALPHA):
        rgba[:3] = [values[0]] * 3
        if base == 2:
            rgba[3] = values[1]
    elif format == gl.GL_ALPHA:
        rgba[3] = values[0]
    else:
        rgba[:base] = values[:base]
    return rgba


@pytest.mark.parametrize(("entry", "format", "type"), UPLOADS, ids=lambda value: getattr(value, "internal", value))
def test_unpack_against_plain_arithmetic(entry, format, type):
    rng = np.random.default_rng(entry.internal ^ format ^ type)
    size = pixel_bytes(format, type)
    data = rng.integers(0, 256, 12 * size, dtype=np.uint8)
    if type in (gl.GL_FLOAT, gl.GL_HALF_FLOAT, gl.GL_HALF_FLOAT_OES):
        kind = "<f4" if type == gl.GL_FLOAT else "<f2"
        data = rng.normal(0.5, 1, 12 * COMPONENTS[format]).astype(kind).view(np.uint8)
    texels = formats.unpack(entry, data.tobytes(), format, type, (2, 2, 3))
    found = formats.raw(entry, texels).reshape(12, 4)
    for number in range(12):
        wanted = plain_client_pixel(data[number * size : (number + 1) * size].tobytes(), format, type)
        for channel, present in enumerate(entry.channels):
            if not present:
                continue
            value, bits = float(found[number, channel]), entry.bits[channel]
            target = wanted[channel]
            if entry.is_integer:
                assert value == np.float32(target)
            elif entry.kind is Kind.FLOAT:
                if not np.isfinite(target):
                    assert value == target or (np.isnan(value) and np.isnan(target))
                    continue
                target = max(target, 0.0) if bits in (9, 10, 11) else target
                step = {32: 2.0**-23, 16: 2.0**-10, 11: 2.0**-6, 10: 2.0**-5, 9: 2.0**-8}[bits]
                peak = max(abs(number) for number in wanted[:3]) if bits == 9 else abs(target)
                assert abs(value - target) <= max(peak, 2.0**-14) * step
            else:
                low = -1.0 if entry.kind is Kind.SNORM else 0.0
                levels = (1 << bits - (entry.kind is Kind.SNORM)) - 1
                steps = round(min(max(target, low), 1.0) * levels, 6)
                # Channels of less than eight bits are kept as eight: within half an eight-bit step.
                slack = 0.5 / 255 if entry.storage is Storage.UNORM8 and bits < 8 else 1e-6
                assert abs(value - steps / levels) <= 0.5 / levels + slack


@pytest.mark.parametrize("entry", COLOR_FORMATS, ids=lambda entry: hex(entry.internal))
def test_pack_then_unpack_is_the_identity(entry):
    rng = np.random.default_rng(7)
    colors = (
        rng.integers(-99, 99, (1, 9, 4)) if entry.is_integer else rng.normal(0.4, 0.4, (1, 9, 4)).astype(np.float32)
    )
    texels = formats.quantize(entry, colors).reshape(entry.shape(1, 1, 9))
    if entry.is_integer:
        format, type = gl.GL_RGBA_INTEGER, gl.GL_UNSIGNED_INT if entry.storage is Storage.UINT else gl.GL_INT
    else:
        format, type = gl.GL_RGBA, gl.GL_FLOAT
    data = formats.pack(entry, texels, format, type)
    np.testing.assert_array_equal(formats.unpack(entry, data, format, type, (1, 1, 9)), texels)


@pytest.mark.parametrize("entry", DEPTH_FORMATS, ids=lambda entry: hex(entry.internal))
@pytest.mark.parametrize("type", [gl.GL_UNSIGNED_SHORT, gl.GL_UNSIGNED_INT, gl.GL_FLOAT])
def test_depth_round_trip(entry, type):
    codes = np.array([0, 1, 2, 32767, 65534, 65535], np.uint64)
    depth = (codes / 65535).astype(np.float32)
    texels = formats.unpack(entry, depth.tobytes(), gl.GL_DEPTH_COMPONENT, gl.GL_FLOAT, (1, 2, 3))
    assert texels.dtype == np.uint32
    assert (np.diff(texels.reshape(-1).astype(np.int64)) > 0).all()
    again = formats.unpack(
        entry, formats.pack(entry, texels, gl.GL_DEPTH_COMPONENT, type), gl.GL_DEPTH_COMPONENT, type, (1, 2, 3)
    )
    difference = np.abs(formats.depth_values(entry, texels) - formats.depth_values(entry, again))
    assert difference.max() <= (0.5 / 65535 + 1e-9 if type == gl.GL_UNSIGNED_SHORT else 1e-7)


def test_packed_depth_stencil():
    entry = FORMATS[gl.GL_DEPTH24_STENCIL8]
    words = np.array([0xABCDEF12, 0x00000034, 0xFFFFFF56], "<u4")
    arguments = (words.tobytes(), gl.GL_DEPTH_STENCIL, gl.GL_UNSIGNED_INT_24_8, (1, 1, 3))
    texels, stencil = formats.unpack(entry, *arguments), formats.unpack_stencil(entry, *arguments)
    assert texels.reshape(-1).tolist() == [0xABCDEF, 0, 0xFFFFFF]
    assert stencil.reshape(-1).tolist() == [0x12, 0x34, 0x56]
    assert formats.pack(entry, texels, gl.GL_DEPTH_STENCIL, gl.GL_UNSIGNED_INT_24_8, stencil) == words.tobytes()


@pytest.mark.parametrize("mantissa", [5, 6])
def test_all_unsigned_small_floats_survive(mantissa):
    codes = np.arange(1 << 5 + mantissa, dtype=np.uint32)
    values = smallfloat.decode_ufloat(codes, mantissa)
    number = ~np.isnan(values)
    np.testing.assert_array_equal(smallfloat.encode_ufloat(values, mantissa)[number], codes[number])
    # Truncation: everything up to the next representable value maps to the same code.
    finite = np.isfinite(values)
    between = np.nextafter(values[finite][1:], np.float32(0))
    np.testing.assert_array_equal(smallfloat.encode_ufloat(between, mantissa), codes[finite][:-1])


@settings(max_examples=200, deadline=None)
@given(st.floats(width=32, allow_nan=False))
def test_halves_are_truncated(value):
    half = smallfloat.truncate_to_half(np.float32([value]))[0]
    assert abs(float(half)) <= abs(value)
    if abs(value) < 65504:
        following = np.nextafter(np.float16(half), np.float16(np.inf if value > 0 else -np.inf))
        assert abs(value) < abs(float(following)) or value == float(half)


@settings(max_examples=200, deadline=None)
@given(st.tuples(*[st.floats(0, 70000, width=32)] * 3))
def test_shared_exponent_is_the_nearest_of_its_exponent(rgb):
    word = smallfloat.encode_rgb9e5(np.float32([rgb]))
    back = smallfloat.decode_rgb9e5(word)[0]
    step = 2.0 ** (int(word[0]) >> 27) * 2.0**-24
    for given_value, value in zip(rgb, back, strict=True):
        assert abs(min(given_value, 65408.0) - float(value)) <= step / 2
    assert word[0] == smallfloat.encode_rgb9e5(back[None])[0] or max(back) == 0 or min(back) >= 0


def test_unorm8_rounding_is_exact_for_all_float_neighbours():
    codes = np.arange(255)
    middle = ((codes + 0.5) / 255).astype(np.float32)
    for shift in (-1, 1):
        moved = np.nextafter(middle, np.float32(2 * shift))
        moved = np.nextafter(moved, np.float32(2 * shift))
        rgba = np.repeat(moved[:, None], 4, axis=1)
        words = formats.quantize(FORMATS[gl.GL_RGBA8], rgba)
        assert ((words & 255) == codes + (shift > 0)).all()


def test_convert_between_formats():
    source, target = FORMATS[gl.GL_RGBA8], FORMATS[gl.GL_RGB565]
    texels = np.array([0x80FF7F10], np.uint32)
    converted = formats.convert(target, source, texels)
    assert int(converted[0]) >> 24 == 255
    assert formats.convert(source, source, texels) is texels
    grey = formats.convert(FORMATS[gl.GL_LUMINANCE8_EXT], source, texels)
    assert int(grey[0]) == 0xFF101010
    linear = formats.convert(FORMATS[gl.GL_RGBA32F], FORMATS[gl.GL_SRGB8_ALPHA8], np.array([0xFF808080], np.uint32))
    assert linear[0, 0] == pytest.approx(0.2158605, abs=1e-6)


@pytest.mark.parametrize(("format", "channels"), [
    (gl.GL_RGBA, (0, 1, 2, 3)), (gl.GL_BGRA, (2, 1, 0, 3)), (gl.GL_RGB, (0, 1, 2)), (gl.GL_RED, (0,)),
    (gl.GL_ALPHA, (3,)),
])  # fmt: skip
def test_octets_are_read_back_as_they_are(format, channels):
    texels = np.random.default_rng(0).integers(0, 1 << 32, (1, 3, 5), dtype=np.uint32)
    octets = texels.view(np.uint8).reshape(-1, 4)
    data = formats.pack(FORMATS[gl.GL_RGBA8], texels, format, gl.GL_UNSIGNED_BYTE)
    assert data == octets[:, list(channels)].tobytes()


def test_plain_words_are_native_bytes():
    words = np.random.default_rng(2).integers(0, 1 << 32, (3, 5), np.uint32)
    plain = [name for name, format in FORMATS.items() if formats.has_plain_words(format)]
    assert gl.GL_RGBA8 in plain
    assert gl.GL_RGB565 not in plain
    for name in plain:
        assert formats.native(FORMATS[name], words).tobytes() == words.tobytes()


CLASSES = [
    [gl.GL_RGBA32F, gl.GL_RGBA32UI, gl.GL_RGBA32I],
    [gl.GL_RGB32F, gl.GL_RGB32UI, gl.GL_RGB32I],
    [gl.GL_RGBA16F, gl.GL_RG32F, gl.GL_RGBA16UI, gl.GL_RG32UI, gl.GL_RGBA16I, gl.GL_RG32I],
    [gl.GL_RGB16F, gl.GL_RGB16UI, gl.GL_RGB16I],
    [gl.GL_RG16F, gl.GL_R32F, gl.GL_RGB10_A2UI, gl.GL_RGBA8UI, gl.GL_RG16UI, gl.GL_R32UI, gl.GL_RGBA8I, gl.GL_RG16I,
     gl.GL_R32I, gl.GL_RGB10_A2, gl.GL_RGBA8, gl.GL_SRGB8_ALPHA8, gl.GL_R11F_G11F_B10F],
    [gl.GL_RGB8, gl.GL_RGB8UI, gl.GL_RGB8I, gl.GL_SRGB8],
    [gl.GL_R16F, gl.GL_RG8UI, gl.GL_R16UI, gl.GL_RG8I, gl.GL_R16I, gl.GL_RG8],
    [gl.GL_R8, gl.GL_R8UI, gl.GL_R8I],
]  # fmt: skip


@pytest.mark.parametrize("names", CLASSES, ids=lambda names: str(FORMATS[names[0]].texel_bytes))
def test_formats_of_a_class_share_their_bytes(names):
    rng = np.random.default_rng(len(names))
    for name in names:
        source = FORMATS[name]
        channels = rng.integers(0, 1 << 31, (2, 5, 4)) if source.is_integer else rng.uniform(0, 1, (2, 5, 4))
        texels = formats.quantize(source, channels)
        data = formats.native(source, texels)
        for other in names:
            target = FORMATS[other]
            seen = formats.reinterpret(target, source, texels)
            assert seen.shape == target.shape(2, 5)
            assert seen.dtype == target.storage.dtype
            if target.kind is Kind.FLOAT and target.bits[0] < 32:
                continue  # not every pattern is a number; test_patterns_are_kept_through_floats has some that are
            back = formats.reinterpret(source, target, seen)
            assert formats.native(source, back).tobytes() == data.tobytes(), (hex(name), hex(other))


def test_patterns_are_kept_through_floats():
    patterns = np.array([0x7F800001, 0xFFC0FFEE, 0xFF8123AB, 1, 0x80000000], np.uint32).reshape(1, 1, 5)
    channels = np.zeros((1, 1, 5, 4), np.uint32)
    channels[..., 0] = patterns
    floats = formats.reinterpret(FORMATS[gl.GL_R32F], FORMATS[gl.GL_R32UI], channels)
    assert floats.view(np.uint32)[..., 0].tolist() == patterns.tolist()
    back = formats.reinterpret(FORMATS[gl.GL_R32UI], FORMATS[gl.GL_R32F], floats)
    assert back[..., 0].tolist() == patterns.tolist()
    octets = formats.reinterpret(FORMATS[gl.GL_RGBA8], FORMATS[gl.GL_R32F], floats)
    assert octets.tolist() == patterns.tolist()
    halves = np.array([0x3C00, 0xC000, 0x7C00, 0x0001], np.uint32).reshape(1, 4)
    sixteen = np.zeros((1, 4, 4), np.uint32)
    sixteen[..., 0] = halves
    seen = formats.reinterpret(FORMATS[gl.GL_R16F], FORMATS[gl.GL_R16UI], sixteen)
    assert seen[..., 0].tolist() == [[1.0, -2.0, np.inf, 2.0**-24]]


def test_only_the_bytes_of_colours_are_taken_for_others():
    coded = np.array([0xFF80407F], np.uint32)
    assert formats.reinterpret(FORMATS[gl.GL_SRGB8_ALPHA8], FORMATS[gl.GL_RGBA8], coded).tolist() == coded.tolist()
    etc, srgb = FORMATS[gl.GL_COMPRESSED_RGB8_ETC2], FORMATS[gl.GL_COMPRESSED_SRGB8_ETC2]
    assert formats.reinterpret(srgb, etc, coded).tolist() == coded.tolist()
