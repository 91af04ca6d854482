"""Depth, stencil and blending kernels against plain twins, and 8-bit blending against Mesa."""

import itertools

import numpy as np
import pytest
from gl_twin import Recording, compare
from merge_twins import IDENTITY, colors_of, run_blending, run_tests
from recorded_scenes import recorded_or_skipped

from replay import formats
from replay.engine.kernels import records
from replay.engine.kernels.records import BLEND_DTYPE, TEST_DTYPE
from replay.engine.merge_state import _store
from traceformat.gles import blend_codes
from traceformat.gles import enums as gl
from traceformat.gles.formats import FORMATS, source_bytes

W, H = 12, 10
FACTORS = range(len(blend_codes.FACTORS))


def random_quads(rng, n, size=(W, H)):
    """Quads all over a small target, many on top of each other; fragments outside are not covered."""
    x = rng.integers(0, (size[0] + 1) // 2, n).astype(np.uint16)
    y = rng.integers(0, (size[1] + 1) // 2, n).astype(np.uint16)
    mask = rng.integers(0, 16, n).astype(np.uint8)
    for f in range(4):
        out = (2 * x.astype(int) + (f & 1) >= size[0]) | (2 * y.astype(int) + (f >> 1) >= size[1])
        mask[out] &= ~np.uint8(1 << f)
    return x, y, mask


def fragments(x, y, mask):
    for q in range(len(x)):
        for f in range(4):
            if mask[q] >> f & 1:
                yield q, f, 2 * int(y[q]) + (f >> 1), 2 * int(x[q]) + (f & 1)


COMPARE = [
    lambda a, b: False,
    lambda a, b: a < b,
    lambda a, b: a == b,
    lambda a, b: a <= b,
    lambda a, b: a > b,
    lambda a, b: a != b,
    lambda a, b: a >= b,
    lambda a, b: True,
]
STENCIL = [
    lambda v, r: v,
    lambda v, r: 0,
    lambda v, r: r,
    lambda v, r: min(v + 1, 255),
    lambda v, r: max(v - 1, 0),
    lambda v, r: ~v & 255,
    lambda v, r: (v + 1) & 255,
    lambda v, r: (v - 1) & 255,
]


def naive_test(s, x, y, mask, emitted, front, depth, plane, stencil):
    passed = np.zeros(len(x), np.uint8)
    for q, f, py, px in fragments(x, y, mask):
        side = 0 if front[emitted[q]] else 1
        depth_ok = not s["depth_test"] or COMPARE[s["depth_func"]](depth[q, f], plane[py, px])
        if s["stencil_test"]:
            value, ref = int(stencil[py, px]), int(s["stencil_ref"][side])
            read = int(s["stencil_read_mask"][side])
            ok = COMPARE[s["stencil_func"][side]](ref & read, value & read)
            key = "stencil_fail" if not ok else "stencil_depth_pass" if depth_ok else "stencil_depth_fail"
            new = STENCIL[s[key][side]](value, ref)
            write = int(s["stencil_write_mask"][side])
            stencil[py, px] = (value & ~write) | (new & write)
            if not ok:
                continue
        if depth_ok:
            passed[q] |= 1 << f
            if s["depth_test"] and s["depth_write"]:
                plane[py, px] = depth[q, f]
    return passed


@pytest.mark.parametrize("seed", range(40))
def test_depth_and_stencil_follow_the_twin(seed):
    rng = np.random.default_rng(seed)
    n = 200
    x, y, mask = random_quads(rng, n)
    state = np.zeros(1, TEST_DTYPE)
    s = state[0]
    s["depth_test"], s["depth_write"] = rng.random() < 0.8, rng.random() < 0.8
    s["stencil_test"] = seed % 2
    s["depth_func"] = rng.integers(0, 8)
    for key in ("stencil_func", "stencil_fail", "stencil_depth_fail", "stencil_depth_pass"):
        s[key] = rng.integers(0, 8, 2)
    for key in ("stencil_ref", "stencil_read_mask", "stencil_write_mask"):
        s[key] = rng.integers(0, 256, 2)
    front = rng.integers(0, 2, 5).astype(np.uint8)
    emitted = rng.integers(0, 5, n).astype(np.uint32)
    depth = rng.integers(0, 6, (n, 4)).astype(np.uint32)
    plane = rng.integers(0, 6, (H, W)).astype(np.uint32)
    stencil = rng.integers(0, 256, (H, W)).astype(np.uint8)
    expected_plane, expected_stencil = plane.copy(), stencil.copy()
    expected = naive_test(s, x, y, mask, emitted, front, depth, expected_plane, expected_stencil)
    facing = emitted + np.uint32(7), 7, front
    passed = run_tests(state, (x, y, mask), depth, plane, stencil, facing)
    assert (passed == expected).all()
    assert (plane == expected_plane).all()
    assert (stencil == expected_stencil).all()


def blend_state(**fields):
    state = np.zeros(1, BLEND_DTYPE)
    state[0]["blend"] = 1
    state[0]["write_mask"] = 15
    for key, value in fields.items():
        state[0][key] = value
    return state


def rows_of(colors):
    """Outputs (channels, lanes) of a stage that gives these colours, (..., 4)."""
    return np.ascontiguousarray(colors.reshape(-1, 4).T)


def bytes_of(colors):
    """As :func:`rows_of`, of words of four bytes."""
    return rows_of(np.ascontiguousarray(colors).view(np.uint8).astype(np.float32) / np.float32(255.0))


def factor(code, channel, s, d, k):
    """Blend factors of GLES 3.0 table 4.2, in float64."""
    table = [
        0.0, 1.0, s[channel], 1 - s[channel], s[3], 1 - s[3], d[3], 1 - d[3], d[channel], 1 - d[channel],
        1.0 if channel == 3 else min(s[3], 1 - d[3]), k[channel], 1 - k[channel], k[3], 1 - k[3],
    ]  # fmt: skip
    return table[code]


def naive_blend(state, s, d):
    k = np.clip(state["constant"].astype(float), 0, 1)
    out = np.empty(4)
    for c in range(4):
        i = 1 if c == 3 else 0
        e = state["equation"][i]
        if e >= 3:
            out[c] = min(s[c], d[c]) if e == 3 else max(s[c], d[c])
            continue
        st = s[c] * factor(state["source"][i], c, s, d, k)
        dt = d[c] * factor(state["destination"][i], c, s, d, k)
        out[c] = st + dt if e == 0 else st - dt if e == 1 else dt - st
    return out


@pytest.mark.parametrize("equation", range(len(blend_codes.EQUATIONS)))
def test_byte_blending_is_within_a_step_of_float64(equation):
    """Every pair of factors: two products and a sum of rounded bytes are off by at most 1.5 steps."""
    rng = np.random.default_rng(equation)
    for source, destination in itertools.product(FACTORS, FACTORS):
        state = blend_state(
            equation=(equation, equation),
            source=(source, source),
            destination=(destination, destination),
            constant=rng.random(4),
        )
        colors = rng.integers(0, 2**32, (8, 4), dtype=np.uint64).astype(np.uint32)
        plane = rng.integers(0, 2**32, (2, 16), dtype=np.uint64).astype(np.uint32)
        before = plane.copy()
        x, y = np.arange(8, dtype=np.uint16), np.zeros(8, np.uint16)
        full = np.full(8, 15, np.uint8)
        run_blending(state, (x, y, full), bytes_of(colors), plane)
        for q, f, py, px in fragments(x, y, full):
            s = colors[q, f : f + 1].view(np.uint8) / 255.0
            d = before[py, px : px + 1].view(np.uint8) / 255.0
            expected = np.clip(naive_blend(state[0], s, d), 0, 1) * 255
            assert np.abs(plane[py, px : px + 1].view(np.uint8) - expected).max() <= 2.01


@pytest.mark.parametrize("equation", range(len(blend_codes.EQUATIONS)))
def test_float_blending_follows_the_twin(equation):
    rng = np.random.default_rng(10 + equation)
    for source, destination in itertools.product(FACTORS, FACTORS):
        state = blend_state(
            equation=(equation, equation), source=(source, source), destination=(destination, destination),
            constant=rng.random(4), write_mask=11, store=records.STORE_FLOAT,
        )  # fmt: skip
        colors = rng.random((3, 4, 4), np.float32)
        plane = rng.random((2, 6, 4), np.float32)
        before = plane.copy()
        x, y = np.arange(3, dtype=np.uint16), np.zeros(3, np.uint16)
        full = np.full(3, 15, np.uint8)
        run_blending(state, (x, y, full), rows_of(colors), plane)
        for q, f, py, px in fragments(x, y, full):
            expected = naive_blend(state[0], colors[q, f].astype(float), before[py, px].astype(float))
            expected[2] = before[py, px, 2]
            assert np.allclose(plane[py, px], expected, atol=1e-6)


def wide_of(values):
    """Floats in sixteen bits, as llvmpipe rounds them: by adding a number whose last bit is a step."""
    inside = np.clip(np.nan_to_num(np.asarray(values, np.float32), nan=0.0), 0, 1).astype(np.float32)
    return ((inside * np.float32(65535 / 65536) + np.float32(128)).view(np.uint32) & 0xFFFF).astype(np.int64)


def kept_of(wide, bits):
    """What a channel keeps of sixteen bits."""
    if bits == 2:
        return ((wide >> 2) * 3 + (1 << 13)) >> 14
    return wide >> (16 - bits)


def widened(code, bits):
    """Sixteen bits of a channel: its own, over and over."""
    text = f"{int(code):0{bits}b}" * (16 // bits + 1)
    return int(text[:16], 2)


def naive_wide(state, s, d, k):
    """Blending in sixteen bits: products rounded as those of bytes, sums within the range."""
    one, out = 65535, []
    for c in range(4):
        i = 1 if c == 3 else 0
        e = state["equation"][i]
        if e >= 3:
            out.append(min(s[c], d[c]) if e == 3 else max(s[c], d[c]))
            continue
        parts = []
        for value, code in ((s[c], state["source"][i]), (d[c], state["destination"][i])):
            table = [
                0, one, s[c], one - s[c], s[3], one - s[3], d[3], one - d[3], d[c], one - d[c],
                one if c == 3 else min(s[3], one - d[3]), k[c], one - k[c], k[3], one - k[3],
            ]  # fmt: skip
            product = int(value) * int(table[code])
            parts.append((product + (product >> 16) + 32768) >> 16)
        blended = (parts[0] + parts[1], parts[0] - parts[1], parts[1] - parts[0])[e]
        out.append(min(max(blended, 0), one))
    return out


@pytest.mark.parametrize("bits", [(10, 10, 10, 2), (16, 16, 16, 16)])
@pytest.mark.parametrize("equation", range(len(blend_codes.EQUATIONS)))
def test_wide_blending_follows_the_twin(equation, bits):
    rng = np.random.default_rng(equation)
    levels = np.array([(1 << n) - 1 for n in bits])
    for source, destination in itertools.product(FACTORS, FACTORS):
        state = blend_state(
            equation=(equation, equation), source=(source, source), destination=(destination, destination),
            constant=rng.uniform(-0.1, 1.1, 4), store=records.STORE_UNORM, bits=bits,
        )  # fmt: skip
        colors = rng.uniform(-0.1, 1.1, (1, 4, 4)).astype(np.float32)
        codes = rng.integers(0, levels + 1, (2, 2, 4))
        plane = (codes / levels).astype(np.float32)
        x, y, full = np.zeros(1, np.uint16), np.zeros(1, np.uint16), np.full(1, 15, np.uint8)
        run_blending(state, (x, y, full), rows_of(colors), plane)
        constant = wide_of(state[0]["constant"])
        for q, f, py, px in fragments(x, y, full):
            target = [widened(code, n) for code, n in zip(codes[py, px], bits, strict=True)]
            expected = naive_wide(state[0], wide_of(colors[q, f]).tolist(), target, constant.tolist())
            expected = [kept_of(code, n) for code, n in zip(expected, bits, strict=True)]
            assert np.rint(plane[py, px] * levels).tolist() == expected
            assert (plane[py, px] == np.float32(expected) * (np.float32(1) / levels.astype(np.float32))).all()


@pytest.mark.parametrize("name", ["RGB10_A2", "RG16", "RGBA16"])
def test_drawn_colours_are_kept_as_by_the_twin(name):
    format = formats.format_of(getattr(gl, f"GL_{name}"))
    rgba = numbers(np.random.default_rng(1), True).reshape(-1, 4)
    found = formats.rendered(format, rgba)
    for channel, bits in enumerate(format.bits):
        if bits:
            codes = kept_of(wide_of(rgba[:, channel]), bits)
            assert (np.rint(found[:, channel] * float((1 << bits) - 1)) == codes).all()


@pytest.mark.parametrize("bits", [8, 16])
def test_one_channel_is_mixed_by_one_product(bits):
    """Shares that add up to 1; all other states blend as those of more channels."""
    rng = np.random.default_rng(bits)
    one, store = (1 << bits) - 1, records.STORE_BYTES if bits == 8 else records.STORE_UNORM
    x, y, full = np.zeros(1, np.uint16), np.zeros(1, np.uint16), np.full(1, 15, np.uint8)
    mixed = 0
    for source, destination, equation in itertools.product(FACTORS, FACTORS, range(3)):
        state = blend_state(
            equation=(equation, 0), source=(source, 1), destination=(destination, 0), write_mask=1,
            constant=rng.random(4), store=store, bits=(bits, 0, 0, 0),
        )  # fmt: skip
        colors = rng.random((1, 4, 4), np.float32)
        codes = rng.integers(0, one + 1, (2, 2))
        if bits == 8:
            plane = (codes + (255 << 24)).astype(np.uint32)
        else:
            plane = np.zeros((2, 2, 4), np.float32)
            plane[:, :, 0], plane[:, :, 3] = codes.astype(np.float32) * (np.float32(1) / np.float32(one)), 1
        run_blending(state, (x, y, full), rows_of(colors), plane)
        found = plane & 255 if bits == 8 else np.rint(plane[:, :, 0].astype(float) * one)
        for q, f, py, px in fragments(x, y, full):
            s = np.rint(colors[q, f] * np.float32(255)).astype(int) if bits == 8 else wide_of(colors[q, f])
            k = state[0]["constant"]
            k = np.rint(k * np.float32(255)).astype(int) if bits == 8 else wide_of(k)
            d = [int(codes[py, px]), 0, 0, one]
            table = [
                0, one, s[0], one - s[0], s[3], one - s[3], d[3], one - d[3], d[0], one - d[0],
                min(s[3], one - d[3]), k[0], one - k[0], k[3], one - k[3],
            ]  # fmt: skip
            pairs = [{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {11, 12}, {13, 14}]
            if {source, destination} in pairs and equation == 0:
                share = int(table[min(source, destination)])
                share += share >> (bits - 1)
                a, b = (d[0], int(s[0])) if source < destination else (int(s[0]), d[0])
                expected = a + ((share * (b - a) + (128 if bits == 8 else 0)) >> bits)
                mixed += 1
            else:
                st, dt = ((p + (p >> bits) + (1 << (bits - 1))) >> bits
                          for p in (int(s[0]) * int(table[source]), d[0] * int(table[destination])))  # fmt: skip
                expected = min(max((st + dt, st - dt, dt - st)[equation], 0), one)
            assert found[py, px] == expected
    assert mixed == 4 * 14


def wide_scene(name, desktop):
    """Textures of random numbers, blended in all ways into a target, which is read after each draw."""
    r = Recording(1, desktop) if desktop else Recording()
    head = "#version 330\n" if desktop else "#version 300 es\nprecision highp float;\n"
    if desktop:
        r("glBindVertexArray", r.generate("VertexArrays"))
    r.program(
        head + "in vec2 p; void main() { gl_Position = vec4(p, 0.0, 1.0); }",
        head + "uniform highp sampler2D s; out vec4 o; void main() { o = texelFetch(s, ivec2(gl_FragCoord.xy), 0); }",
        p=0,
    )
    r.vertices(p=(0, [(-1, -1), (1, -1), (-1, 1), (1, 1)]))
    rng = np.random.default_rng(3)
    textures = []
    for _ in range(2):
        textures.append(r.generate("Textures"))
        r("glBindTexture", gl.GL_TEXTURE_2D, textures[-1])
        texels = rng.uniform(-0.1, 1.1, (64, 64, 4)).astype(np.float32).tobytes()
        r("glTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGBA32F, 64, 64, 0, gl.GL_RGBA, gl.GL_FLOAT, texels)
        for pname in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
            r("glTexParameteri", gl.GL_TEXTURE_2D, pname, gl.GL_NEAREST)
    r.framebuffer()
    r.target(getattr(gl, f"GL_{name}"), 64, 64)
    r("glBlendColor", 0.3, 0.77, 0.123, 0.61)
    types = {"RGB10_A2": gl.GL_UNSIGNED_INT_2_10_10_10_REV, "R8": gl.GL_UNSIGNED_BYTE}
    type = types.get(name, gl.GL_UNSIGNED_SHORT)
    words = ("SRC_COLOR", "SRC_ALPHA", "DST_ALPHA", "DST_COLOR", "CONSTANT_COLOR", "CONSTANT_ALPHA")
    pairs = [(word, f"ONE_MINUS_{word}") for word in words]
    format = gl.GL_RED if name in ("R8", "R16") else gl.GL_RGBA
    for number in range(40):
        for texture, cap in zip(textures, ("glDisable", "glEnable"), strict=True):
            r(cap, gl.GL_BLEND)
            r("glBindTexture", gl.GL_TEXTURE_2D, texture)
            r("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)
            r.read(format, type)
        if number % 2 and format == gl.GL_RED:
            pair = [getattr(gl, f"GL_{word}") for word in pairs[number // 2 % len(pairs)]]
            r("glBlendEquation", gl.GL_FUNC_ADD)
            r("glBlendFunc", *(pair if number % 4 == 1 else pair[::-1]))
            continue
        r("glBlendEquationSeparate", *(int(rng.choice(list(blend_codes.EQUATIONS))) for _ in range(2)))
        r("glBlendFuncSeparate", *(int(rng.choice(list(blend_codes.FACTORS))) for _ in range(4)))
    r.close()
    return r


@pytest.mark.gl
@pytest.mark.parametrize(("name", "desktop"), [
    ("RGB10_A2", None), ("RGB10_A2", (3, 3)), ("RG16", (3, 3)), ("RGBA16", (3, 3)), ("R16", (3, 3)), ("R8", (3, 3)),
    ("R8", None),
])  # fmt: skip
def test_wide_blending_equals_mesa(name, desktop):
    recording = recorded_or_skipped(wide_scene, name, desktop)
    assert sum(call.name == "glReadPixels" for call in recording.calls) == 80
    assert compare(recording.calls, 0.0) == []


def naive_luminosity(c):
    return 0.30 * c[0] + 0.59 * c[1] + 0.11 * c[2]


def naive_clipped(c):
    """ClipColor of GLES 3.2 §15.1.5.2."""
    lum, low, high = naive_luminosity(c), min(c), max(c)
    if low < 0.0:
        c = lum + (c - lum) * lum / (lum - low)
    elif high > 1.0:
        c = lum + (c - lum) * (1 - lum) / (high - lum)
    return c


def naive_set(base, saturation_of, luminosity_of):
    """SetLum, and SetLumSat where a colour gives the saturation."""
    if saturation_of is not None:
        span = max(base) - min(base)
        base = (base - min(base)) * np.ptp(saturation_of) / span if span > 0 else np.zeros(3)
    return naive_clipped(base + naive_luminosity(luminosity_of) - naive_luminosity(base))


def naive_soft_light(s, d):
    if s <= 0.5:
        return d - (1 - 2 * s) * d * (1 - d)
    return d + (2 * s - 1) * (d * ((16 * d - 12) * d + 3) if d <= 0.25 else d**0.5 - d)


#: f(Cs, Cd) of the separable equations, as the tables of GLES 3.2 §15.1.5.2 have them.
NAIVE_ADVANCED = {
    gl.GL_MULTIPLY: lambda s, d: s * d,
    gl.GL_SCREEN: lambda s, d: s + d - s * d,
    gl.GL_OVERLAY: lambda s, d: 2 * s * d if d <= 0.5 else 1 - 2 * (1 - s) * (1 - d),
    gl.GL_DARKEN: min,
    gl.GL_LIGHTEN: max,
    gl.GL_COLORDODGE: lambda s, d: 0 if d <= 0 else min(1, d / (1 - s)) if s < 1 else 1,
    gl.GL_COLORBURN: lambda s, d: 1 if d >= 1 else 1 - min(1, (1 - d) / s) if s > 0 else 0,
    gl.GL_HARDLIGHT: lambda s, d: 2 * s * d if s <= 0.5 else 1 - 2 * (1 - s) * (1 - d),
    gl.GL_SOFTLIGHT: naive_soft_light,
    gl.GL_DIFFERENCE: lambda s, d: abs(d - s),
    gl.GL_EXCLUSION: lambda s, d: s + d - 2 * s * d,
}
NAIVE_HSL = {
    gl.GL_HSL_HUE: lambda s, d: naive_set(s, d, d),
    gl.GL_HSL_SATURATION: lambda s, d: naive_set(d, s, d),
    gl.GL_HSL_COLOR: lambda s, d: naive_set(s, None, d),
    gl.GL_HSL_LUMINOSITY: lambda s, d: naive_set(d, None, s),
}


def naive_advanced(equation, s, d):
    """A pixel in float64."""
    source, target = (c[:3] / c[3] if c[3] else np.zeros(3) for c in (s, d))
    if equation in NAIVE_HSL:
        mixed = NAIVE_HSL[equation](source, target)
    else:
        mixed = np.array([NAIVE_ADVANCED[equation](a, b) for a, b in zip(source, target, strict=True)])
    parts = s[3] * d[3], s[3] * (1 - d[3]), d[3] * (1 - s[3])
    return np.append(parts[0] * mixed + parts[1] * source + parts[2] * target, sum(parts))


@pytest.mark.parametrize("store", ["FLOAT", "UNORM", "BYTES", "SRGB"])
@pytest.mark.parametrize("equation", blend_codes.ADVANCED_EQUATIONS)
def test_advanced_equations_follow_the_twin(equation, store):
    rng = np.random.default_rng(equation)
    number = blend_codes.ADVANCED_EQUATIONS[equation]
    state = blend_state(equation=(number, number), store=getattr(records, f"STORE_{store}"), bits=(16,) * 4)
    alphas = rng.choice([0.25, 0.6, 1.0], (8, 8, 1))
    colors = np.concatenate([rng.random((8, 8, 3)) * alphas, alphas], axis=2).astype(np.float32)[:, :4]
    colors[0, 0] = 0
    before = np.concatenate([rng.random((2, 16, 3)) * 0.75, np.full((2, 16, 1), 0.8)], axis=2).astype(np.float32)
    before[0, 2] = 0
    plane = before.copy()
    if store in ("BYTES", "SRGB"):
        octets = np.rint(before * 255).astype(np.uint8)
        plane = octets.view(np.uint32)[:, :, 0].copy()
        before = octets / 255.0
        if store == "SRGB":
            before[:, :, :3] = np.where(before <= 0.04045, before / 12.92, ((before + 0.055) / 1.055) ** 2.4)[:, :, :3]
    x, y = np.arange(8, dtype=np.uint16), np.zeros(8, np.uint16)
    full = np.full(8, 15, np.uint8)
    run_blending(state, (x, y, full), rows_of(colors), plane)
    for q, f, py, px in fragments(x, y, full):
        expected = naive_advanced(equation, colors[q, f].astype(float), before[py, px].astype(float))
        if store in ("FLOAT", "UNORM"):
            expected = np.clip(expected, 0, 1) if store == "UNORM" else expected
            assert np.allclose(plane[py, px], expected, atol=1e-5)
            continue
        if store == "SRGB":
            light = np.clip(expected[:3], 0, 1)
            expected[:3] = np.where(light < 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
        found = plane[py, px : px + 1].view(np.uint8)
        assert np.abs(found - np.clip(expected, 0, 1) * 255).max() <= 0.51


def test_colours_of_advanced_equations_are_kept_as_floats():
    """Whether blending is enabled or not, so that changed frames keep what they have."""
    colors = np.array([[[1.5, 0.3, -0.5, 0.7]] * 4], np.float32)
    number = blend_codes.ADVANCED_EQUATIONS[gl.GL_COLORBURN]
    for blend in (0, 1):
        state = blend_state(equation=(number, number), blend=blend)
        kept = colors_of(state, rows_of(colors), color_bytes=16).view(np.float32)
        assert kept.tolist() == np.clip(colors[0], 0, 1).tolist()
    plane = np.zeros((2, 2), np.uint32)
    zero = np.zeros(1, np.uint16)
    run_blending(
        blend_state(equation=(number, number), blend=0), (zero, zero, np.full(1, 15, np.uint8)), rows_of(colors), plane
    )
    assert plane.view(np.uint8).reshape(-1, 4).tolist() == [[255, 76, 0, 178]] * 4


def test_masks_and_narrow_channels():
    state = blend_state(blend=0, write_mask=5, requantize=1)
    table = IDENTITY.copy()
    table[0] = np.rint(np.rint(np.arange(256) * 31 / 255) * 255 / 31)
    plane = np.full((2, 2), 0x11223344, np.uint32)
    colors = np.full((1, 4), 0xAABBCCDD, np.uint32)
    zero = np.zeros(1, np.uint16)
    run_blending(state, (zero, zero, np.array([9], np.uint8)), bytes_of(colors), plane, table=table)
    expected = (0x11223344 & 0xFF00FF00) | (0xBB << 16) | int(table[0, 0xDD])
    assert plane.tolist() == [[expected, 0x11223344], [0x11223344, expected]]


def test_srgb_writes_are_encoded():
    values = np.linspace(0, 1, 64, dtype=np.float32)
    colors = np.repeat(values, 4).reshape(16, 4, 4).copy()
    plane = np.zeros((2, 32), np.uint32)
    x, y = np.arange(16, dtype=np.uint16), np.zeros(16, np.uint16)
    state = blend_state(blend=0, store=records.STORE_SRGB)
    full = np.full(16, 15, np.uint8)
    run_blending(state, (x, y, full), rows_of(colors), plane)
    for q, f, py, px in fragments(x, y, full):
        linear = float(colors[q, f, 0])
        coded = 12.92 * linear if linear < 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055
        octets = plane[py, px : px + 1].view(np.uint8)
        assert abs(octets[0] - coded * 255) <= 0.51
        assert octets[3] == np.rint(linear * 255)


def test_integers_are_written_whole():
    state = blend_state(blend=0, write_mask=7, store=records.STORE_UINT, bits=(32,) * 4)
    plane = np.zeros((2, 2, 4), np.uint32)
    colors = np.arange(16, dtype=np.uint32).reshape(1, 4, 4) + 2**31
    zero = np.zeros(1, np.uint16)
    run_blending(state, (zero, zero, np.array([15], np.uint8)), rows_of(colors).view(np.float32), plane)
    expected = colors.reshape(2, 2, 4).copy()
    expected[..., 3] = 0
    assert (plane == expected).all()


def test_quantize_rounds_and_clamps():
    values = np.array([[-1, 0, 0.5, 1, 2, np.nan, np.inf, 0.1]], np.float32)
    outputs = np.ascontiguousarray(np.repeat(values, 2, axis=0))
    octets = colors_of(blend_state(), outputs, (1, -1, -2, 0))
    expected = [0, 0, 128, 255, 255, 0, 255, 26]
    assert octets[:, 0].tolist() == expected
    assert octets[:, 3].tolist() == expected
    assert (octets[:, 1] == 0).all()
    assert (octets[:, 2] == 255).all()


def numbers(rng, signed):
    """Floats of all magnitudes, exact and not, and what is special."""
    found = rng.normal(0, 1, 4000) * 10.0 ** rng.integers(-9, 7, 4000)
    special = [0.0, -0.0, 1.0, -1.0, 65504.0, 65519.9, 65520.0, 1e9, np.inf, 2.0**-14, 2.0**-24, 2.0**-25, 0.5, 2.0]
    both = np.concatenate([found, special, np.negative(special) if signed else special, rng.random(68)])
    return both[: len(both) // 4 * 4].astype(np.float32)


RENDERABLE = [f for f in formats.FORMATS.values() if f.renderable and not f.is_depth and f.storage.channels]


@pytest.mark.parametrize("format", RENDERABLE, ids=lambda f: f"{f.internal:#x}")
def test_colors_are_kept_as_the_format_keeps_them(format):
    """What is not blended is what a conversion to the target gives."""
    values = numbers(np.random.default_rng(format.internal), True)
    if format.is_integer:
        values = np.random.default_rng(1).integers(0, 1 << 32, 4096, np.uint64).astype(np.uint32).view(np.float32)
    state = blend_state(blend=0)
    state["store"], state["bits"] = _store(format, False)
    outputs = np.stack([values, values[::-1], np.roll(values, 7), np.roll(values, 31)])
    rgba = np.ascontiguousarray(outputs.T)
    if format.is_integer:
        rgba = rgba.view(np.int32 if format.storage is formats.Storage.INT else np.uint32)
    expected = np.ascontiguousarray(formats.rendered(format, rgba))
    if format.is_integer:
        expected = formats.native(format, expected)
    size = source_bytes(FORMATS[format.internal], converts=False)
    found = colors_of(state, np.ascontiguousarray(outputs), color_bytes=size)
    assert (found.view(expected.dtype) == expected).all()


BLENDS = [("SRC_ALPHA", 4, "ONE_MINUS_SRC_ALPHA", 5), ("ONE", 1, "ONE_MINUS_SRC_ALPHA", 5), ("SRC_ALPHA", 4, "ONE", 1),
          ("DST_COLOR", 8, "ZERO", 0), ("ONE", 1, "ONE", 1), ("ONE_MINUS_DST_ALPHA", 7, "SRC_COLOR", 2)]  # fmt: skip


@pytest.mark.gl
@pytest.mark.parametrize("factors", BLENDS, ids=lambda b: f"{b[0]}-{b[2]}")
@pytest.mark.parametrize("alpha", [0, 1, 77, 128, 254, 255])
def test_byte_blending_equals_mesa(mesa, factors, alpha):
    """All 65,536 pairs of source and destination bytes."""
    gl, context = mesa.gl, mesa.context
    program = context.program(
        vertex_shader="""#version 330
        void main() {
            gl_Position = vec4(float(gl_VertexID & 1) * 4.0 - 1.0, float(gl_VertexID >> 1) * 4.0 - 1.0, 0, 1);
        }""",
        fragment_shader="""#version 330
        uniform vec4 a, b, k; out vec4 c;
        void main() { vec4 p = floor(gl_FragCoord) / 255.0; c = a * p.x + b * p.y + k; }""",
    )
    target = context.framebuffer(context.texture((256, 256), 4))
    target.use()
    quad = context.vertex_array(program, [])
    byte = np.arange(256, dtype=np.uint32)
    for values, is_blended in (
        (((1,) * 4, (0,) * 4, (0,) * 4), False),
        (((0,) * 4, (1, 1, 1, 0), (0, 0, 0, alpha / 255)), True),
    ):
        for name, value in zip("abk", values, strict=True):
            program[name].value = value
        if is_blended:
            context.enable(gl.BLEND)
            context.blend_func = (getattr(gl, factors[0]), getattr(gl, factors[2]))
        else:
            context.disable(gl.BLEND)
        quad.render(vertices=3)
    reference = np.frombuffer(target.read(components=4), "<u4").reshape(256, 256)
    plane = np.tile(byte * 0x01010101, (256, 1)).astype(np.uint32)
    qx, qy = (grid.ravel().astype(np.uint16) for grid in np.meshgrid(np.arange(128), np.arange(128)))
    rows = 2 * qy[:, None].astype(np.uint32) + np.array([0, 0, 1, 1], np.uint32)
    colors = np.ascontiguousarray((rows * 0x010101 | np.uint32(alpha << 24)).astype(np.uint32))
    state = blend_state(source=(factors[1], factors[1]), destination=(factors[3], factors[3]))
    run_blending(state, (qx, qy, np.full(len(qx), 15, np.uint8)), bytes_of(colors), plane)
    assert (plane == reference).all()
