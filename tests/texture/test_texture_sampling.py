"""Sampling: both executors against each other bit by bit, and against a naive sampler of one fragment at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest

from replay.formats import FORMATS, expand
from replay.glsl.texturing import MAX_LINES, NO_LINE, Dimension, Lookup, LookupKind, ResultKind
from replay.texture.binding import Rules, unbound
from replay.texture.emit import SamplerEmitter
from replay.texture.texels import is_packed
from traceformat.gles import enums as gl
from traceformat.gles.objects import Image, Texture
from traceformat.gputrace.frametrace import MemoryMap

IMPLICIT = Lookup(0, 0, LookupKind.IMPLICIT, Dimension.D2)
EXPLICIT = Lookup(0, 0, LookupKind.LOD, Dimension.D2)
SPECIALS = [
    0.0,
    1.0,
    -1.0,
    0.5,
    0.25,
    1e-30,
    -1e-30,
    1e9,
    -1e9,
    3e38,
    math.inf,
    -math.inf,
    math.nan,
    0.999999,
    1.000001,
]
FILTERS = {
    gl.GL_NEAREST: (False, None),
    gl.GL_LINEAR: (True, None),
    gl.GL_NEAREST_MIPMAP_NEAREST: (False, "nearest"),
    gl.GL_LINEAR_MIPMAP_NEAREST: (True, "nearest"),
    gl.GL_NEAREST_MIPMAP_LINEAR: (False, "linear"),
    gl.GL_LINEAR_MIPMAP_LINEAR: (True, "linear"),
}
WRAPS = [
    gl.GL_REPEAT, gl.GL_CLAMP_TO_EDGE, gl.GL_MIRRORED_REPEAT, gl.GL_CLAMP_TO_BORDER, gl.GL_MIRROR_CLAMP_TO_EDGE_EXT,
]  # fmt: skip
BORDER = (0.1, 0.9, 0.3, 0.7)


def wrap_texel(number, size, wrap):
    """Texel number after wrapping, None for the border (ES 3.0.6 table 3.19)."""
    if wrap == gl.GL_REPEAT:
        return number % size
    if wrap == gl.GL_MIRRORED_REPEAT:
        number %= 2 * size
        return number if number < size else 2 * size - 1 - number
    if wrap == gl.GL_CLAMP_TO_BORDER:
        return number if 0 <= number < size else None
    if wrap == gl.GL_MIRROR_CLAMP_TO_EDGE_EXT:
        number = number if number >= 0 else -1 - number
    return min(max(number, 0), size - 1)


def naive_level(levels, level, coords, linear, wraps, border):
    """Filter one level of RGBA values [z][y][x], in float64."""
    image = levels[level]
    extent = image.shape[2::-1][: len(coords)]
    axes = []
    for coordinate, size, wrap in zip(coords, extent, wraps, strict=False):
        position = coordinate * size
        if linear:
            low = math.floor(position - 0.5)
            weight = position - 0.5 - low
            axes.append([(wrap_texel(low, size, wrap), 1 - weight), (wrap_texel(low + 1, size, wrap), weight)])
        else:
            axes.append([(wrap_texel(math.floor(position), size, wrap), 1.0)])
    total = np.zeros(4)
    for z, wz in axes[2] if len(axes) > 2 else [(0, 1.0)]:
        for y, wy in axes[1]:
            for x, wx in axes[0]:
                value = border if None in (x, y, z) else image[z, y, x]
                total += wx * wy * wz * np.asarray(value, np.float64)
    return total


def naive(levels, coords, detail, min_filter, mag_filter, wraps, border=BORDER):
    """Whole filter for a given level of detail."""
    if detail <= 0:
        return naive_level(levels, 0, coords, mag_filter == gl.GL_LINEAR, wraps, border)
    linear, mip = FILTERS[min_filter]
    last = len(levels) - 1
    if mip is None:
        return naive_level(levels, 0, coords, linear, wraps, border)
    if mip == "nearest":
        return naive_level(levels, min(max(math.ceil(detail + 0.5) - 1, 0), last), coords, linear, wraps, border)
    below = min(math.floor(detail), last)
    part = min(detail, last) - below
    low = naive_level(levels, below, coords, linear, wraps, border)
    high = naive_level(levels, min(below + 1, last), coords, linear, wraps, border)
    return low + part * (high - low)


def levels_of(texture, face=0):
    """RGBA values of all levels of a texture."""
    found = []
    while (face, len(found)) in texture.images:
        storage = texture.images[face, len(found)].backing
        found.append(expand(storage.format, storage.texels).astype(np.float64))
    return found


def distinct_lines(lines):
    """(line, lanes) of a quad's taps (taps, 4), each line once."""
    found = {}
    for tap in lines.tolist():
        for lane, line in enumerate(tap):
            if line != NO_LINE:
                found[line] = found.get(line, 0) | 1 << lane
    return list(found.items())


def run_both(workbench, binding, lookup, coords, **more):
    """LLVM result, checked bit for bit (values, lines, texels) against NumPy's."""
    rgba, quads = workbench.llvm(binding, lookup, coords, **more)
    reference = workbench.numpy(binding, lookup, coords, **more)
    for ours, theirs in zip(rgba, reference.rgba, strict=True):
        same = (np.asarray(ours).view(np.int32) == np.asarray(theirs).view(np.int32)) | (ours != ours) & (
            theirs != theirs
        )
        assert same.all()
    assert [texels for ((_, texels, _),) in quads] == reference.texels.reshape(-1, 4).tolist()
    assert [lines for ((_, _, lines),) in quads] == [
        distinct_lines(reference.lines[:, at : at + 4])[:MAX_LINES] for at in range(0, reference.lines.shape[1], 4)
    ]
    return np.stack(rgba, axis=-1), reference


def float_texture(workbench, width, height, target=gl.GL_TEXTURE_2D, depth=1, levels=None):
    rng = np.random.default_rng(width * 1000 + height)
    faces = 6 if target == gl.GL_TEXTURE_CUBE_MAP else 1
    pixels = rng.random((faces * depth * height * width, 4)).astype("<f4").tobytes()
    return workbench.texture(
        target, gl.GL_RGBA32F, width, height, depth, pixels=pixels, format=gl.GL_RGBA, type=gl.GL_FLOAT, levels=levels
    )


def octet_texture(workbench, width, height, target=gl.GL_TEXTURE_2D, depth=1, levels=None):
    rng = np.random.default_rng(width * 1000 + height)
    faces = 6 if target == gl.GL_TEXTURE_CUBE_MAP else 1
    pixels = rng.integers(0, 256, faces * depth * height * width * 4, dtype=np.uint8).tobytes()
    return workbench.texture(
        target, gl.GL_RGBA8, width, height, depth,
        pixels=pixels, format=gl.GL_RGBA, type=gl.GL_UNSIGNED_BYTE, levels=levels,
    )  # fmt: skip


def random_coords(count, axes, seed=0):
    rng = np.random.default_rng(seed)
    return tuple(rng.uniform(-2.2, 3.1, count).astype(np.float32) for _ in range(axes))


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("size", [(8, 4), (7, 5), (1, 1)])
@pytest.mark.parametrize("texture_of", [float_texture, octet_texture])
def test_wraps_against_naive(workbench, wrap, size, texture_of):
    texture = texture_of(workbench, *size)
    for filter in (gl.GL_NEAREST, gl.GL_LINEAR):
        binding = workbench.bind(
            texture, min_filter=filter, mag_filter=filter, wrap_s=wrap, wrap_t=wrap, border_color=BORDER
        )
        coords = random_coords(96, 2)
        found, _ = run_both(workbench, binding, IMPLICIT, coords)
        levels = levels_of(texture)
        tolerance = 2.6 / 255 if is_packed(binding.key, IMPLICIT) and filter == gl.GL_LINEAR else 2e-5
        for number in range(96):
            point = [float(axis[number]) for axis in coords]
            if filter == gl.GL_NEAREST and any(
                abs(p * n - round(p * n)) < 1e-5 for p, n in zip(point, size, strict=True)
            ):
                continue
            wanted = naive(levels, point, 0.0, filter, filter, (wrap, wrap))
            assert np.abs(found[number] - wanted).max() < tolerance


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("texture_of", [float_texture, octet_texture])
def test_gathers_against_naive(workbench, wrap, texture_of):
    """The four texels around a place, lower row last, each wrapped for itself; the same in both executors."""
    width, height = 7, 5
    texture = texture_of(workbench, width, height)
    binding = workbench.bind(texture, wrap_s=wrap, wrap_t=wrap, border_color=BORDER)
    coords = random_coords(96, 2)
    image = levels_of(texture)[0][0]
    for component in (0, 3):
        lookup = Lookup(0, 0, LookupKind.GATHER, Dimension.D2, component=component)
        found, _ = run_both(workbench, binding, lookup, coords)
        for number in range(96):
            s, t = (float(axis[number]) * size - 0.5 for axis, size in zip(coords, (width, height), strict=True))
            if any(abs(place - round(place)) < 1e-4 for place in (s, t)):
                continue
            for k, (dx, dy) in enumerate(((0, 1), (1, 1), (1, 0), (0, 0))):
                x, y = wrap_texel(math.floor(s) + dx, width, wrap), wrap_texel(math.floor(t) + dy, height, wrap)
                wanted = BORDER if x is None or y is None else image[y, x]
                assert found[number, k] == pytest.approx(wanted[component], abs=1e-6)


def test_gathers_on_cubes(workbench):
    """Away from edges the texels of one face; integer textures and missing channels, too."""
    texture = float_texture(workbench, 16, 16, gl.GL_TEXTURE_CUBE_MAP)
    lookup = Lookup(0, 0, LookupKind.GATHER, Dimension.CUBE, component=1)
    rng = np.random.default_rng(5)
    coords = tuple(rng.normal(0, 1, 160).astype(np.float32) for _ in range(3))
    found, _ = run_both(workbench, workbench.bind(texture), lookup, coords)
    faces = [levels_of(texture, face)[0][0] for face in range(6)]
    tried = 0
    for number in range(160):
        face, sc, tc, ma = naive_face(*(float(axis[number]) for axis in coords))
        x, y = ((c / ma + 1) / 2 * 16 - 0.5 for c in (sc, tc))
        if not (0.01 < x < 14.99 and 0.01 < y < 14.99) or min(x % 1, y % 1) < 1e-3 or max(x % 1, y % 1) > 0.999:
            continue
        tried += 1
        i, j = int(x), int(y)
        wanted = [faces[face][row, column][1] for column, row in ((i, j + 1), (i + 1, j + 1), (i + 1, j), (i, j))]
        assert found[number] == pytest.approx(wanted, abs=1e-6)
    assert tried > 100


def test_legacy_clamp_mixes_with_the_border(workbench):
    texture = float_texture(workbench, 8, 4)
    legacy = 0x2900
    binding = workbench.bind(
        texture, min_filter=gl.GL_LINEAR, mag_filter=gl.GL_LINEAR, wrap_s=legacy, wrap_t=legacy, border_color=BORDER
    )
    coords = random_coords(64, 2)
    found, _ = run_both(workbench, binding, IMPLICIT, coords)
    for number in range(64):
        point = [min(max(float(axis[number]), 0.0), 1.0) for axis in coords]
        wanted = naive_level(levels_of(texture), 0, point, True, (gl.GL_CLAMP_TO_BORDER,) * 2, BORDER)
        assert np.abs(found[number] - wanted).max() < 2e-5
    nearest = {"min_filter": gl.GL_NEAREST, "mag_filter": gl.GL_NEAREST}
    key = workbench.bind(texture, **nearest, wrap_s=legacy, wrap_t=legacy).key
    assert key == workbench.bind(texture, **nearest, wrap_s=gl.GL_CLAMP_TO_EDGE, wrap_t=gl.GL_CLAMP_TO_EDGE).key


@pytest.mark.parametrize("min_filter", FILTERS)
@pytest.mark.parametrize("mag_filter", [gl.GL_NEAREST, gl.GL_LINEAR])
def test_levels_against_naive(workbench, min_filter, mag_filter):
    texture = float_texture(workbench, 16, 12)
    binding = workbench.bind(texture, min_filter=min_filter, mag_filter=mag_filter)
    coords = random_coords(64, 2, 3)
    detail = np.linspace(-1.13, 6.1, 64).astype(np.float32)
    found, reference = run_both(workbench, binding, EXPLICIT, coords, lod=detail)
    levels = levels_of(texture)
    for number in range(64):
        point = [float(axis[number]) for axis in coords]
        wanted = naive(levels, point, float(detail[number]), min_filter, mag_filter, (gl.GL_REPEAT,) * 2)
        assert np.abs(found[number] - wanted).max() < 3e-5
        linear, mip = FILTERS[min_filter]
        inside = 0 < detail[number] < 4 and detail[number] % 1 != 0
        texels = (4 if linear else 1) * (2 if mip == "linear" and inside else 1)
        if detail[number] <= 0:
            texels = 4 if mag_filter == gl.GL_LINEAR else 1
        assert reference.texels[number] == texels


@pytest.mark.parametrize("step", [0.2, 0.9, 1.0, 1.4, 2.0, 3.3, 7.9, 64.0])
def test_implicit_level_of_detail(workbench, step):
    """The levels have one colour each, so that the result tells the level of detail."""
    texture = float_texture(workbench, 64, 64)
    for level in range(7):
        texture.images[0, level].backing.texels[...] = level
    binding = workbench.bind(texture, min_filter=gl.GL_LINEAR_MIPMAP_LINEAR, mag_filter=gl.GL_LINEAR)
    x = np.tile(np.float32([0, 1, 0, 1, 2, 3, 2, 3]), 4)
    y = np.tile(np.float32([0, 0, 1, 1, 0, 0, 1, 1]), 4)
    angle = 0.6
    s = np.float32((math.cos(angle) * x - math.sin(angle) * y * 0.5) * step / 64)
    t = np.float32((math.sin(angle) * x + math.cos(angle) * y * 0.5) * step / 64)
    found, _ = run_both(workbench, binding, IMPLICIT, (s, t))
    # log2 is linear between powers of two of rho squared: at most 0.0431 below the true value.
    wanted = min(max(math.log2(step), 0.0), 6.0)
    assert wanted - 0.0432 <= found[0, 0] <= wanted + 1e-4


def test_bias_limits_and_sampler_bias(workbench):
    texture = float_texture(workbench, 64, 64)
    for level in range(7):
        texture.images[0, level].backing.texels[...] = level
    coords = random_coords(8, 2)
    lod = np.full(8, 2.5, np.float32)
    filters = {"min_filter": gl.GL_LINEAR_MIPMAP_LINEAR, "mag_filter": gl.GL_LINEAR}
    for sampling, wanted in (
        ({}, 2.5),
        ({"lod_bias": 1.0}, 3.5),
        ({"max_lod": 1.25}, 1.25),
        ({"min_lod": 4.0}, 4.0),
        ({"lod_bias": 9.0}, 6.0),
    ):
        found, _ = run_both(workbench, workbench.bind(texture, **filters, **sampling), EXPLICIT, coords, lod=lod)
        assert found[:, 0] == pytest.approx(wanted)
    texture.base_level, texture.max_level = 1, 3
    texture.state_version += 1
    found, _ = run_both(workbench, workbench.bind(texture, **filters), EXPLICIT, coords, lod=lod)
    assert found[:, 0] == pytest.approx(3.0)


@pytest.mark.parametrize("texture_of", [float_texture, octet_texture])
@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("min_filter", [gl.GL_NEAREST, gl.GL_LINEAR, gl.GL_LINEAR_MIPMAP_LINEAR])
def test_special_coordinates_stay_inside(workbench, texture_of, wrap, min_filter):
    texture = texture_of(workbench, 13, 6)
    binding = workbench.bind(texture, min_filter=min_filter, mag_filter=gl.GL_LINEAR, wrap_s=wrap, wrap_t=wrap)
    s, t = np.meshgrid(np.float32([*SPECIALS, 7.0]), np.float32([*SPECIALS, -3.0]))
    found, reference = run_both(workbench, binding, IMPLICIT, (s.reshape(-1), t.reshape(-1)))
    first = (binding.address - MemoryMap.TEXTURES) // 64
    touched = reference.lines[reference.lines != NO_LINE]
    assert ((touched >= first) & (touched < first + texture.backing.layout.num_bytes // 64)).all()
    finite = np.isfinite(found)
    assert finite[np.isfinite(s.reshape(-1)) & np.isfinite(t.reshape(-1))].all()


def test_recorded_lines_are_those_of_the_texels(workbench):
    texture = octet_texture(workbench, 40, 24)
    binding = workbench.bind(
        texture, min_filter=gl.GL_LINEAR_MIPMAP_LINEAR, mag_filter=gl.GL_LINEAR, wrap_t=gl.GL_CLAMP_TO_EDGE
    )
    coords = random_coords(64, 2, 9)
    detail = np.linspace(-0.5, 5.5, 64).astype(np.float32)
    _, reference = run_both(workbench, binding, EXPLICIT, coords, lod=detail)
    layout = texture.backing.layout
    first = (texture.backing.address - MemoryMap.TEXTURES) // 64
    for number in range(64):
        lod = min(max(float(detail[number]), 0.0), 5.0)
        steps = [math.floor(lod)]
        if math.floor((lod - steps[0]) * 256) > 0:
            steps.append(steps[0] + 1)
        wanted = set()
        for level in steps:
            width, height = max(40 >> level, 1), max(24 >> level, 1)
            u, v = float(coords[0][number]), min(max(float(coords[1][number]), 0.0), 1.0)
            x0 = (round((u - math.floor(u)) * width * 256) - 128) >> 8
            y0 = (round(v * height * 256) - 128) >> 8
            for x in (x0 % width, (x0 + 1) % width):
                for y in (max(y0, 0), min(y0 + 1, height - 1)):
                    wanted.add(first + layout.line_of(level, x, y))
        assert set(reference.lines[:, number].tolist()) - {NO_LINE} == wanted


@pytest.mark.parametrize("target", [gl.GL_TEXTURE_3D, gl.GL_TEXTURE_2D_ARRAY])
def test_volumes_and_arrays(workbench, target):
    texture = float_texture(workbench, 8, 6, target, 5)
    binding = workbench.bind(texture, min_filter=gl.GL_LINEAR, mag_filter=gl.GL_LINEAR)
    s, t, r = random_coords(64, 3)
    levels = levels_of(texture)
    if target == gl.GL_TEXTURE_3D:
        found, _ = run_both(workbench, binding, Lookup(0, 0, LookupKind.IMPLICIT, Dimension.D3), (s, t, r))
    else:
        found, _ = run_both(
            workbench, binding, Lookup(0, 0, LookupKind.IMPLICIT, Dimension.D2, True), (s, t), layer=r * 2
        )
    for number in range(64):
        point = [float(s[number]), float(t[number]), float(r[number])]
        if target == gl.GL_TEXTURE_3D:
            wanted = naive(levels, point, 0.0, gl.GL_LINEAR, gl.GL_LINEAR, (gl.GL_REPEAT,) * 3)
        else:
            layer = min(max(round(2 * point[2]), 0), 4)
            image = [levels[0][layer : layer + 1]]
            wanted = naive(image, point[:2], 0.0, gl.GL_LINEAR, gl.GL_LINEAR, (gl.GL_REPEAT,) * 2)
        assert np.abs(found[number] - wanted).max() < 2e-5


def naive_face(x, y, z):
    """Face and face coordinates of a direction (ES 3.0.6 table 3.20)."""
    ax, ay, az = abs(x), abs(y), abs(z)
    if az >= max(ax, ay):
        return (4, x, -y, az) if z >= 0 else (5, -x, -y, az)
    if ax >= ay:
        return (0, -z, -y, ax) if x >= 0 else (1, z, -y, ax)
    return (2, x, z, ay) if y >= 0 else (3, x, -z, ay)


def test_cube_faces(workbench):
    texture = float_texture(workbench, 16, 16, gl.GL_TEXTURE_CUBE_MAP)
    lookup = Lookup(0, 0, LookupKind.IMPLICIT, Dimension.CUBE)
    rng = np.random.default_rng(5)
    coords = tuple(rng.normal(0, 1, 160).astype(np.float32) for _ in range(3))
    binding = workbench.bind(texture, min_filter=gl.GL_NEAREST, mag_filter=gl.GL_NEAREST)
    found, _ = run_both(workbench, binding, lookup, coords)
    faces = [levels_of(texture, face)[0][0] for face in range(6)]
    for number in range(160):
        face, sc, tc, ma = naive_face(*(float(axis[number]) for axis in coords))
        x, y = (min(int((c / ma + 1) / 2 * 16), 15) for c in (sc, tc))
        assert found[number] == pytest.approx(faces[face][y, x], abs=1e-6)


def test_seamless_cubes_are_continuous(workbench):
    """A step over an edge changes a seamless filter's result by no more than the step inside a face does."""
    texture = float_texture(workbench, 4, 4, gl.GL_TEXTURE_CUBE_MAP)
    lookup = Lookup(0, 0, LookupKind.IMPLICIT, Dimension.CUBE)
    angle = np.linspace(0, 2 * math.pi, 4096, endpoint=False)
    worst = {}
    for seamless in (True, False):
        binding = workbench.bind(
            texture, Rules(seamless_cubes=seamless), min_filter=gl.GL_LINEAR, mag_filter=gl.GL_LINEAR,
            wrap_s=gl.GL_CLAMP_TO_EDGE, wrap_t=gl.GL_CLAMP_TO_EDGE,
        )  # fmt: skip
        around = (np.cos(angle), np.sin(angle), 0.4 * np.sin(3 * angle))
        found, _ = run_both(workbench, binding, lookup, tuple(axis.astype(np.float32) for axis in around))
        worst[seamless] = np.abs(np.diff(found, axis=0)).max()
    assert worst[True] < 0.02
    assert worst[False] > 5 * worst[True]


COMPARISONS = {
    gl.GL_LEQUAL: lambda r, d: r <= d, gl.GL_LESS: lambda r, d: r < d, gl.GL_GEQUAL: lambda r, d: r >= d,
    gl.GL_GREATER: lambda r, d: r > d, gl.GL_EQUAL: lambda r, d: r == d, gl.GL_NOTEQUAL: lambda r, d: r != d,
    gl.GL_ALWAYS: lambda r, d: True, gl.GL_NEVER: lambda r, d: False,
}  # fmt: skip


@pytest.mark.parametrize("function", COMPARISONS)
@pytest.mark.parametrize("internal", [gl.GL_DEPTH_COMPONENT16, gl.GL_DEPTH_COMPONENT24, gl.GL_DEPTH_COMPONENT32F])
def test_shadow_comparison(workbench, function, internal):
    depth = np.float32([[0.0, 0.25, 0.5, 1.0]])
    texture = workbench.texture(
        gl.GL_TEXTURE_2D, internal, 4, 1,
        pixels=depth.tobytes(), format=gl.GL_DEPTH_COMPONENT, type=gl.GL_FLOAT, levels=1,
    )  # fmt: skip
    binding = workbench.bind(
        texture, min_filter=gl.GL_NEAREST, mag_filter=gl.GL_NEAREST,
        compare_mode=gl.GL_COMPARE_REF_TO_TEXTURE, compare_func=function,
    )  # fmt: skip
    lookup = Lookup(0, 0, LookupKind.IMPLICIT, Dimension.D2, is_shadow=True)
    s = np.tile(np.float32([0.125, 0.375, 0.625, 0.875]), 6)
    reference = np.repeat(np.float32([-0.5, 0.0, 0.3, 0.5, 1.0, 1.5]), 4)
    found, _ = run_both(workbench, binding, lookup, (s, np.full_like(s, 0.5)), compare=reference)
    storage = texture.images[0, 0].backing
    bits = {gl.GL_DEPTH_COMPONENT16: 65535.0, gl.GL_DEPTH_COMPONENT24: 16777215.0}.get(internal)
    codes = storage.texels[0, 0]
    stored = codes.astype(np.float32) * np.float32(1 / bits) if bits else codes.view(np.float32)
    for number in range(24):
        ref = min(max(float(reference[number]), 0.0), 1.0) if bits else float(reference[number])
        assert found[number, 0] == float(COMPARISONS[function](ref, float(stored[number % 4])))


def test_fetch_and_size(workbench):
    texture = octet_texture(workbench, 12, 10)
    binding = workbench.bind(texture, min_filter=gl.GL_NEAREST_MIPMAP_NEAREST, mag_filter=gl.GL_NEAREST)
    rng = np.random.default_rng(2)
    x, y, lod = (rng.integers(low, high, 64).astype(np.int32) for low, high in ((-2, 14), (-2, 12), (-1, 6)))
    fetch = Lookup(0, 0, LookupKind.FETCH, Dimension.D2, offset=(1, -1, 0))
    found, reference = run_both(workbench, binding, fetch, (x, y), lod=lod)
    levels = levels_of(texture)
    for number in range(64):
        level, tx, ty = int(lod[number]), int(x[number]) + 1, int(y[number]) - 1
        inside = 0 <= level < 4 and 0 <= tx < levels[level].shape[2] and 0 <= ty < levels[level].shape[1]
        wanted = levels[level][0, ty, tx] if inside else np.zeros(4)
        assert found[number] == pytest.approx(wanted, abs=1e-6)
        assert reference.texels[number] == inside
    lod = np.arange(8, dtype=np.int32)
    sizes, _ = workbench.llvm(binding, Lookup(0, 0, LookupKind.SIZE, Dimension.D2), (lod,), lod=lod)
    assert sizes[0].tolist() == [12, 6, 3, 1, 1, 1, 1, 1]
    assert sizes[1].tolist() == [10, 5, 2, 1, 1, 1, 1, 1]


@pytest.mark.parametrize(("internal", "kind", "type"), [
    (gl.GL_RGBA8I, ResultKind.INT, gl.GL_BYTE), (gl.GL_RG16UI, ResultKind.UINT, gl.GL_UNSIGNED_SHORT),
])  # fmt: skip
def test_integer_textures(workbench, internal, kind, type):
    rng = np.random.default_rng(1)
    entry = FORMATS[internal]
    count = len(entry.base)
    dtype = {gl.GL_BYTE: "i1", gl.GL_UNSIGNED_SHORT: "<u2"}[type]
    values = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, (20, count)).astype(dtype)
    texture = workbench.texture(
        gl.GL_TEXTURE_2D, internal, 5, 4, pixels=values.tobytes(),
        format=gl.GL_RGBA_INTEGER if count == 4 else gl.GL_RG_INTEGER, type=type, levels=1,
    )  # fmt: skip
    binding = workbench.bind(texture, min_filter=gl.GL_NEAREST, mag_filter=gl.GL_NEAREST)
    x, y = (np.tile(np.arange(n), 40)[:40] for n in (5, 4))
    coords = (np.float32((x + 0.5) / 5), np.float32((y + 0.5) / 4))
    found, _ = run_both(workbench, binding, Lookup(0, 0, LookupKind.IMPLICIT, Dimension.D2, result=kind), coords)
    wanted = np.zeros((40, 4), np.int64)
    wanted[:, 3] = 1
    wanted[:, :count] = values[y * 5 + x]
    assert (found.astype(np.int64) == wanted).all()
    assert workbench.bind(texture, min_filter=gl.GL_LINEAR, mag_filter=gl.GL_NEAREST).complete is False


def test_swizzle_offset_and_srgb(workbench):
    pixels = bytes([10, 20, 30, 40, 50, 60, 70, 80])
    texture = workbench.texture(
        gl.GL_TEXTURE_2D, gl.GL_SRGB8_ALPHA8, 2, 1,
        pixels=pixels, format=gl.GL_RGBA, type=gl.GL_UNSIGNED_BYTE, levels=1,
    )  # fmt: skip
    texture.swizzle = [gl.GL_ALPHA, gl.GL_ONE, gl.GL_RED, gl.GL_ZERO]
    filters = {"min_filter": gl.GL_NEAREST, "mag_filter": gl.GL_NEAREST}
    lookup = Lookup(0, 0, LookupKind.IMPLICIT, Dimension.D2, offset=(1, 0, 0))
    coords = (np.full(8, 0.25, np.float32), np.full(8, 0.5, np.float32))
    found, _ = run_both(workbench, workbench.bind(texture, **filters), lookup, coords)
    assert found[0] == pytest.approx([80 / 255, 1, ((50 / 255 + 0.055) / 1.055) ** 2.4, 0], abs=1e-6)
    skipped = workbench.bind(texture, **filters, srgb_decode=gl.GL_SKIP_DECODE_EXT)
    found, _ = run_both(workbench, skipped, lookup, coords)
    assert found[0] == pytest.approx([80 / 255, 1, 50 / 255, 0], abs=1e-6)


def elliptical_average(image, s, t, ux, vx, uy, vy):
    """Weighted mean of the texels in the footprint of gradients in texels (Heckbert 1989, p. 59), repeating."""
    height, width = image.shape[:2]
    a, b, c = vx * vx + vy * vy + 1, -2 * (ux * vx + uy * vy), ux * ux + uy * uy + 1
    rim = a * c - b * b / 4
    u, v = s * width - 0.5, t * height - 0.5
    total, weights = np.zeros(4), 0.0
    for y in range(math.floor(v - math.sqrt(a)), math.ceil(v + math.sqrt(a)) + 1):
        for x in range(math.floor(u - math.sqrt(c)), math.ceil(u + math.sqrt(c)) + 1):
            distance = (a * (x - u) ** 2 + b * (x - u) * (y - v) + c * (y - v) ** 2) / rim
            if distance <= 1:
                weight = math.exp(-2 * distance)
                total += weight * image[y % height, x % width]
                weights += weight
    return total / weights


def test_anisotropic_filter(workbench):
    texture = float_texture(workbench, 64, 64)
    filters = {"min_filter": gl.GL_LINEAR_MIPMAP_LINEAR, "mag_filter": gl.GL_LINEAR}
    lane = np.arange(8)
    dx, dy = (lane & 1).astype(np.float32), (lane >> 1 & 1).astype(np.float32)
    levels = levels_of(texture)
    binding = workbench.bind(texture, **filters, max_anisotropy=16.0)
    for ux, vx, uy, vy in ((8, 1, 0, 1.1), (3, 2, -1.5, 2.5), (0.4, 0, 0, 0.4), (9, 0, 0, 4.6)):
        s = np.float32(0.2 + (ux * dx + uy * dy) / 64)
        t = np.float32(0.3 + (vx * dx + vy * dy) / 64)
        found, reference = run_both(workbench, binding, IMPLICIT, (s, t))
        shorter = math.sqrt(min(ux * ux + vx * vx, uy * uy + vy * vy))
        level = max(math.floor(math.log2(shorter)), 0)
        gradients = [part / 2**level for part in (ux, vx, uy, vy)]
        wanted = elliptical_average(levels[level][0], float(s[0]), float(t[0]), *gradients)
        assert found[0] == pytest.approx(wanted, abs=5e-3)
        # What hardware reads: as many probes as the footprint is longer than wide, of four or eight texels each.
        longer = math.sqrt(max(ux * ux + vx * vx, uy * uy + vy * vy))
        probes = math.ceil(longer / shorter - 1e-5)
        assert reference.texels[0] in (4 * probes, 8 * probes)
        assert (reference.lines[:, 0] != NO_LINE).sum() == reference.texels[0]
    special = tuple(np.float32(np.resize(np.roll(SPECIALS, shift), 64)) for shift in (0, 3))
    octets = workbench.bind(octet_texture(workbench, 32, 16), **filters, max_anisotropy=4.0)
    run_both(workbench, octets, IMPLICIT, special)


def test_incomplete_textures_are_opaque_black(workbench):
    coords = random_coords(8, 2)
    found, _ = workbench.llvm(unbound(), IMPLICIT, coords)
    assert [float(channel[0]) for channel in found] == [0.0, 0.0, 0.0, 1.0]
    texture = octet_texture(workbench, 8, 8, levels=1)
    assert not workbench.bind(texture).complete
    assert workbench.bind(texture, min_filter=gl.GL_LINEAR).complete
    texture.max_level = 0
    texture.state_version += 1
    assert workbench.bind(texture).complete
    odd = octet_texture(workbench, 7, 8)
    assert workbench.bind(odd).complete
    assert not workbench.bind(odd, Rules(npot_limited=True)).complete


def test_gradients_choose_the_level(workbench):
    texture = float_texture(workbench, 64, 32)
    for level in range(7):
        texture.images[0, level].backing.texels[...] = level
    binding = workbench.bind(texture, min_filter=gl.GL_LINEAR_MIPMAP_LINEAR, mag_filter=gl.GL_LINEAR)
    lookup = Lookup(0, 0, LookupKind.GRAD, Dimension.D2)
    coords = random_coords(8, 2)
    ddx = (np.float32([1 / 64] * 8) * np.float32([1, 2, 4, 8, 1, 1, 1, 1]), np.zeros(8, np.float32))
    ddy = (np.zeros(8, np.float32), np.float32([1 / 32] * 8) * np.float32([1, 1, 1, 1, 2, 4, 8, 16]))
    found, _ = run_both(workbench, binding, lookup, coords, ddx=ddx, ddy=ddy)
    assert found[:, 0].tolist() == pytest.approx([0, 1, 2, 3, 1, 2, 3, 4])


def test_one_dimension(workbench):
    rng = np.random.default_rng(8)
    pixels = rng.random((2 * 12, 4)).astype("<f4").tobytes()
    texture = workbench.texture(
        gl.GL_TEXTURE_1D_ARRAY, gl.GL_RGBA32F, 12, 2, pixels=pixels, format=gl.GL_RGBA, type=gl.GL_FLOAT, levels=1
    )
    binding = workbench.bind(texture, min_filter=gl.GL_LINEAR, mag_filter=gl.GL_LINEAR)
    (s,) = random_coords(32, 1)
    layer = np.tile(np.float32([0.0, 0.9, -3.0, 7.0]), 8)
    found, _ = run_both(workbench, binding, Lookup(0, 0, LookupKind.IMPLICIT, Dimension.D1, True), (s,), layer=layer)
    rows = levels_of(texture)[0][0]
    for number in range(32):
        position = float(s[number]) * 12 - 0.5
        low = math.floor(position)
        row = rows[min(max(round(float(layer[number])), 0), 1)]
        wanted = row[low % 12] * (1 - (position - low)) + row[(low + 1) % 12] * (position - low)
        assert found[number] == pytest.approx(wanted, abs=2e-5)


def test_rectangle_coordinates_are_texels(workbench):
    texture = float_texture(workbench, 10, 6, gl.GL_TEXTURE_RECTANGLE, levels=1)
    binding = workbench.bind(
        texture, min_filter=gl.GL_LINEAR, mag_filter=gl.GL_LINEAR,
        wrap_s=gl.GL_CLAMP_TO_EDGE, wrap_t=gl.GL_CLAMP_TO_EDGE,
    )  # fmt: skip
    s, t = (axis * np.float32(4) for axis in random_coords(64, 2))
    found, _ = run_both(workbench, binding, Lookup(0, 0, LookupKind.IMPLICIT, Dimension.RECT), (s, t))
    levels = levels_of(texture)
    for number in range(64):
        point = [float(s[number]) / 10, float(t[number]) / 6]
        wanted = naive_level(levels, 0, point, True, (gl.GL_CLAMP_TO_EDGE,) * 2, BORDER)
        assert np.abs(found[number] - wanted).max() < 2e-5


def test_samples_of_multisample_textures(workbench):
    texture = Texture(1, 1, gl.GL_TEXTURE_2D_MULTISAMPLE)
    image = texture.images[0, 0] = Image(6, 4, 1, gl.GL_RGBA8, samples=4)
    workbench.memory.define_storage(texture)
    texels = image.backing.texels
    texels[...] = np.random.default_rng(0).integers(0, 1 << 32, texels.shape, dtype=np.uint32)
    lookup = Lookup(0, 0, LookupKind.FETCH, Dimension.MULTISAMPLE)
    x, y, sample = (np.tile(np.arange(n), 24)[:24].astype(np.int32) for n in (6, 4, 4))
    found, reference = run_both(workbench, workbench.bind(texture), lookup, (x, y), lod=sample)
    wanted = texels[sample, y, x].view(np.uint8).reshape(24, 4) / 255
    assert found == pytest.approx(wanted, abs=1e-6)
    first = (image.backing.address - MemoryMap.TEXTURES) // 64
    assert reference.lines.min() == first


def test_channels_of_depth_textures(workbench):
    depth = np.float32([[0.25]])
    texture = workbench.texture(
        gl.GL_TEXTURE_2D, gl.GL_DEPTH_COMPONENT32F, 1, 1,
        pixels=depth.tobytes(), format=gl.GL_DEPTH_COMPONENT, type=gl.GL_FLOAT, levels=1,
    )  # fmt: skip
    filters = {"min_filter": gl.GL_NEAREST, "mag_filter": gl.GL_NEAREST}

    def read(rules):
        found, _ = run_both(workbench, workbench.bind(texture, rules, **filters), IMPLICIT, random_coords(8, 2))
        return found[0].tolist()

    assert read(Rules()) == [0.25, 0, 0, 1]
    assert read(Rules(depth_is_luminance=True)) == [0.25, 0.25, 0.25, 1]
    texture.images[0, 0].requested_format = gl.GL_DEPTH_COMPONENT
    texture.state_version += 1
    assert read(Rules()) == [0.25, 0.25, 0.25, 1]
    assert read(Rules(unsized_depth_is_luminance=False)) == [0.25, 0, 0, 1]


@pytest.mark.parametrize(
    ("target", "internal", "size"),
    [
        (gl.GL_TEXTURE_2D, gl.GL_R8, (100, 70, 1)),
        (gl.GL_TEXTURE_2D, gl.GL_RGB565, (65, 33, 1)),
        (gl.GL_TEXTURE_2D_ARRAY, gl.GL_RGBA16F, (40, 24, 5)),
        (gl.GL_TEXTURE_3D, gl.GL_RGBA8, (40, 24, 9)),
        (gl.GL_TEXTURE_2D, gl.GL_ETC1_RGB8_OES, (160, 96, 1)),
        (gl.GL_TEXTURE_2D, gl.GL_COMPRESSED_RGBA_ASTC_10x5_KHR, (333, 222, 1)),
        (gl.GL_TEXTURE_2D, gl.GL_COMPRESSED_RGBA_ASTC_12x12_KHR, (333, 222, 1)),
    ],
)
def test_lines_of_fetches_follow_the_layout(workbench, target, internal, size):
    texture = workbench.texture(target, internal, *size, levels=2)
    texture.max_level = 1
    binding = workbench.bind(texture, min_filter=gl.GL_NEAREST_MIPMAP_NEAREST, mag_filter=gl.GL_NEAREST)
    is_array, deep = target == gl.GL_TEXTURE_2D_ARRAY, target == gl.GL_TEXTURE_3D
    rng = np.random.default_rng(3)
    lod = rng.integers(0, 2, 128).astype(np.int32)
    x, y = (rng.integers(0, extent, 128).astype(np.int32) >> lod for extent in size[:2])
    z = rng.integers(0, size[2], 128).astype(np.int32) >> (lod if deep else 0)
    x, y = (np.minimum(axis, (extent >> lod) - 1) for axis, extent in ((x, size[0]), (y, size[1])))
    z = np.minimum(z, (size[2] >> lod) - 1) if deep else z
    lookup = Lookup(0, 0, LookupKind.FETCH, Dimension.D3 if deep else Dimension.D2, is_array)
    more = {"layer": z} if is_array else {}
    _, reference = run_both(workbench, binding, lookup, (x, y, z) if deep else (x, y), lod=lod, **more)
    layout = texture.backing.layout
    first = (texture.backing.address - MemoryMap.TEXTURES) // 64
    wanted = [first + layout.line_of(*(int(v) for v in place)) for place in zip(lod, x, y, z, strict=True)]
    assert reference.lines[0].tolist() == wanted


def test_lines_of_cube_faces_follow_the_layout(workbench):
    texture = octet_texture(workbench, 32, 32, gl.GL_TEXTURE_CUBE_MAP)
    binding = workbench.bind(texture, min_filter=gl.GL_NEAREST, mag_filter=gl.GL_NEAREST)
    coords = tuple(np.random.default_rng(6).normal(0, 1, 96).astype(np.float32) for _ in range(3))
    _, reference = run_both(workbench, binding, Lookup(0, 0, LookupKind.IMPLICIT, Dimension.CUBE), coords)
    first = (texture.backing.address - MemoryMap.TEXTURES) // 64
    for number in range(96):
        face, sc, tc, ma = naive_face(*(float(axis[number]) for axis in coords))
        x, y = (min(int((c / ma + 1) / 2 * 32), 31) for c in (sc, tc))
        assert reference.lines[0, number] == first + texture.backing.layout.line_of(0, x, y, face)


def test_keys_have_a_stable_text(workbench):
    texture = octet_texture(workbench, 4, 4)
    keys = [workbench.bind(texture, wrap_s=wrap).key for wrap in WRAPS]
    assert len({repr(key) for key in keys}) == len(set(keys)) == len(WRAPS)
    assert not any(" at 0x" in repr(key) for key in keys)
    assert SamplerEmitter().version == SamplerEmitter().version
