"""Assembly, clipping and rasterization against plain twins and against Mesa."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from replay.engine.kernels.assembly import assemble
from replay.engine.kernels.depths import depth_code, depth_codes
from replay.glsl.llvm.abi import SPARE_QUADS
from traceformat.gputrace.frametrace import Outcome, quantize_depth
from traceformat.native.records import address_of

POINTS, LINES, LINE_LOOP, LINE_STRIP, TRIANGLES, STRIP, FAN = range(7)


def naive_assembly(mode, n):
    i = range(n)
    if mode == POINTS:
        return [(k, k, k) for k in i]
    if mode == LINES:
        return [(k, k + 1, k + 1) for k in range(0, n - 1, 2)]
    if mode in (LINE_STRIP, LINE_LOOP):
        rows = [(k, k + 1, k + 1) for k in range(n - 1)]
        return [*rows, (n - 1, 0, 0)] if mode == LINE_LOOP and n > 1 else rows
    if mode == TRIANGLES:
        return [(k, k + 1, k + 2) for k in range(0, n - 2, 3)]
    if mode == STRIP:
        return [(k + 1, k, k + 2) if k % 2 else (k, k + 1, k + 2) for k in range(n - 2)]
    return [(0, k + 1, k + 2) for k in range(n - 2)]


@pytest.mark.parametrize("mode", range(7))
@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 7, 12])
def test_assembly_follows_the_specification(mode, n):
    out = np.zeros((2 * n + 2, 3), np.uint32)
    count = assemble(mode, np.array([0, n]), np.array([n, n]), out)
    one = naive_assembly(mode, n)
    shifted = [tuple(v + n for v in row) for row in one]
    assert [tuple(row) for row in out[:count].tolist()] == one + shifted


def naive_coverage(x, y, width, height):
    """Pixel centres inside a triangle by exact edge functions; left and bottom edges own theirs (y upwards)."""
    v = [(int(a), int(b)) for a, b in zip(x, y, strict=True)]
    area = (v[1][0] - v[0][0]) * (v[2][1] - v[0][1]) - (v[2][0] - v[0][0]) * (v[1][1] - v[0][1])
    if area < 0:
        v = v[::-1]
    px, py = np.meshgrid(np.arange(width) * 256 + 128, np.arange(height) * 256 + 128)
    inside = np.full((height, width), area != 0)
    for i in range(3):
        (ax, ay), (bx, by) = v[i], v[(i + 1) % 3]
        edge = (bx - ax) * (py - ay) - (by - ay) * (px - ax)
        owns = by < ay or (by == ay and bx > ax)
        inside &= edge >= 0 if owns else edge > 0
    return inside


def soup(rng, n, scale):
    clip = np.zeros((n, 4))
    clip[:, :2] = rng.uniform(-scale, scale, (n, 2))
    clip[:, 2] = rng.uniform(-0.9, 0.9, n)
    clip[:, 3] = 1
    return clip


def test_without_room_quads_are_counted_alone(geometry):
    emitted = geometry.emit(soup(np.random.default_rng(3), 60, 1.0))
    quads = geometry.quads(emitted)
    total = len(quads[0])
    for room in (1, total // 2, total):
        assert geometry.quads(emitted, room=room) == total + SPARE_QUADS
    for own, other in zip(quads, geometry.quads(emitted, room=total + SPARE_QUADS), strict=True):
        assert (own == other).all()


@pytest.mark.parametrize("scale", [0.05, 1.0, 4.0])
def test_coverage_is_exact(geometry, scale):
    emitted = geometry.emit(soup(np.random.default_rng(3), 60, scale))
    expected = np.zeros((geometry.height, geometry.width), np.int64)
    for x, y in zip(emitted.x, emitted.y, strict=True):
        expected += naive_coverage(x, y, geometry.width, geometry.height)
    assert (geometry.counts(emitted) == expected).all()


def test_centres_on_edges_belong_to_left_and_bottom_edges(geometry):
    """Corners on pixel centres, so that many centres lie exactly on edges, horizontal and vertical ones too."""
    rng = np.random.default_rng(11)
    size = np.array([geometry.width, geometry.height])
    clip = np.zeros((90, 4))
    clip[:, :2] = (rng.integers(0, size // 4, (90, 2)) * 4 + 0.5) / (size / 2) - 1
    clip[1::3, 1] = clip[0::3, 1]
    clip[:, 3] = 1
    emitted = geometry.emit(clip)
    expected = np.zeros((geometry.height, geometry.width), np.int64)
    for x, y in zip(emitted.x, emitted.y, strict=True):
        expected += naive_coverage(x, y, geometry.width, geometry.height)
    assert expected.sum() > 1000
    assert (geometry.counts(emitted) == expected).all()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_shared_edges_are_covered_once(geometry, seed):
    """A mesh of random inner vertices covers each pixel of the screen exactly once."""
    rng = np.random.default_rng(seed)
    grid = np.stack(np.meshgrid(np.linspace(-1, 1, 6), np.linspace(-1, 1, 5)), -1)
    # Moved by so little that no triangle turns over: a folded mesh covers pixels twice.
    grid[1:-1, 1:-1] += rng.uniform(-0.09, 0.09, grid[1:-1, 1:-1].shape)
    corners = []
    for i in range(4):
        for j in range(5):
            a, b, c, d = grid[i, j], grid[i, j + 1], grid[i + 1, j], grid[i + 1, j + 1]
            corners += [a, b, c, c, b, d] if rng.random() < 0.5 else [a, b, d, a, d, c]
    clip = np.zeros((len(corners), 4))
    clip[:, :2] = corners
    clip[:, 3] = 1
    assert (geometry.counts(geometry.emit(clip)) == 1).all()


@pytest.mark.parametrize(("bits", "format"), [(16, 0x81A5), (24, 0x81A6), (32, 0x81A7), (0, 0x8CAC)])
def test_depth_is_quantized_as_the_schema_says(geometry, bits, format):
    e = geometry.emit(soup(np.random.default_rng(6), 30, 1.2))
    number, x, y, _, depth = geometry.quads(e, bits)
    plane = e.depth_plane[number]
    for f in range(4):
        z = plane[:, 0] + plane[:, 1] * (2.0 * x) + plane[:, 2] * (2.0 * y)
        z = z + np.where(f & 1, plane[:, 1], 0) + np.where(f & 2, plane[:, 2], 0)
        expected = quantize_depth(z.astype(np.float32), format).astype(np.int64)
        # The order of the additions may differ by a rounding of the float64 value.
        slack = 1 if bits in (16, 24) else 1 << 10
        assert np.abs(depth[:, f].astype(np.int64) - expected).max() <= slack


@njit("void(float64[:, ::1], int64, uint32[:, ::1], int64)", error_model="numpy")
def _depths_of_quads(planes, bits, each, at_once):
    steps = np.float64((1 << bits) - 1) if bits else 0.0
    for k in range(len(planes)):
        z, dzdx, dzdy = planes[k]
        depth_codes(at_once + 16 * k, z, dzdx, dzdy, steps)
        for f in range(4):
            each[k, f] = depth_code(z + (dzdx if f & 1 else 0.0) + (dzdy if f & 2 else 0.0), bits)


@pytest.mark.parametrize("bits", [16, 24, 32, 0])
def test_depths_of_a_quad_are_those_of_its_fragments(bits):
    rng = np.random.default_rng(bits)
    planes = rng.uniform(-0.3, 1.3, (4000, 3)) * rng.choice([0.0, 1e-30, 1e-5, 1.0], (4000, 3))
    special = np.array(np.meshgrid([0.0, -0.0, 1.0, np.inf, -np.inf, 1e300], [0.0, -0.0, 0.5, -1e9], [0.0, 1e9]))
    planes = np.concatenate([planes, special.reshape(3, -1).T])
    each, at_once = np.empty((2, len(planes), 4), np.uint32)
    _depths_of_quads(planes, bits, each, address_of(at_once))
    assert np.array_equal(each, at_once)
    assert len(np.unique(each)) > 100


def test_depth_passes_through_the_vertices(geometry):
    clip = np.array([[-1, -1, -1, 1], [1, -1, 0, 1], [-1, 1, 1, 1]], float)
    e = geometry.emit(clip)
    z0, dzdx, dzdy = e.depth_plane[0]
    corner = z0 - 0.5 * (dzdx + dzdy)
    assert corner == pytest.approx(0.0, abs=1e-6)
    assert corner + dzdx * geometry.width == pytest.approx(0.5, abs=1e-6)
    assert corner + dzdy * geometry.height == pytest.approx(1.0, abs=1e-6)


def test_outcomes(geometry):
    def one(*vertices, **state):
        return int(geometry.emit(np.array(vertices, float), **state).outcome[0])

    a, b, c = [-0.5, -0.5, 0, 1], [0.5, -0.5, 0, 1], [0, 0.5, 0, 1]
    assert one(a, b, c) == Outcome.EMITTED
    assert one(a, b, c, cull=2) == Outcome.EMITTED
    assert one(a, c, b, cull=2) == Outcome.CULLED_FACE
    assert one(a, b, c, cull=1) == Outcome.CULLED_FACE
    assert one(a, b, c, cull=1, front_is_clockwise=1) == Outcome.EMITTED
    assert one(a, b, a) == Outcome.CULLED_ZERO_AREA
    assert one(*([x + 3, y, z, w] for x, y, z, w in (a, b, c))) == Outcome.CULLED_FRUSTUM
    assert one(*([x, y, 2, w] for x, y, z, w in (a, b, c))) == Outcome.CULLED_FRUSTUM
    assert one(a, b, [np.nan, 0, 0, 1]) == Outcome.CULLED_NOT_FINITE
    assert one(a, b, c, discard=1) == Outcome.RASTERIZER_DISCARD
    assert one(*([x, y, z, -1] for x, y, z, w in (a, b, c))) == Outcome.CULLED_FRUSTUM


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True, width=32), min_size=12, max_size=12))
@settings(max_examples=200, deadline=None)
def test_any_clip_position_is_safe(geometry, values):
    """Whatever a vertex shader writes, quads lie inside the target."""
    g = geometry
    _, x, y, coverage, _ = g.quads(g.emit(np.array(values, np.float32).reshape(3, 4)))
    for f in range(4):
        hit = (coverage >> f) & 1 != 0
        assert (2 * x[hit].astype(int) + (f & 1) < g.width).all()
        assert (2 * y[hit].astype(int) + (f >> 1) < g.height).all()


def test_varyings_are_cut_like_the_positions(geometry):
    rng = np.random.default_rng(8)
    e = geometry.emit(rng.uniform(-2, 2, (90, 4)).astype(np.float32))
    cut = e.attributes[:, 1].astype(np.float64)
    assert e.nodes.max() > 2
    assert np.allclose(1 / cut[..., 3], e.window[..., 3], rtol=1e-6)
    assert (cut[..., 3] > 0).all()
    assert (np.abs(cut[..., 2]) <= cut[..., 3] * (1 + 1e-4) + 1e-5).all()


@pytest.mark.gl
@pytest.mark.parametrize(
    ("mode", "scale"), [(TRIANGLES, 1.0), (STRIP, 1.0), (FAN, 1.0), (TRIANGLES, 3.0), (LINES, 1.5), (LINE_STRIP, 0.95)]
)
def test_coverage_equals_mesa(geometry, mesa, mode, scale):
    clip = soup(np.random.default_rng(11), 99, scale)
    reference = mesa.counts(clip, mode, np.ones(len(clip)), geometry.width, geometry.height)
    ours = geometry.counts(geometry.emit(clip, mode, guard=(1, 1)))
    assert reference.sum() > 1000
    assert (np.minimum(ours, 255) == reference).all()


@pytest.mark.gl
def test_points_equal_mesa(geometry, mesa):
    rng = np.random.default_rng(12)
    clip = soup(rng, 150, 0.98)
    # No point on a pixel's border: there Mesa's rule depends on the orientation of the framebuffer.
    clip[:, 0] = (rng.integers(0, geometry.width, 150) + rng.uniform(0.3, 0.4, 150)) / geometry.width * 2 - 1
    clip[:, 1] = (rng.integers(0, geometry.height, 150) + rng.uniform(0.3, 0.4, 150)) / geometry.height * 2 - 1
    sizes = rng.integers(1, 12, 150).astype(float)
    reference = mesa.counts(clip, POINTS, sizes, geometry.width, geometry.height)
    ours = geometry.counts(geometry.emit(clip, POINTS, sizes))
    assert (ours == reference).all()


@pytest.mark.parametrize("whole", [1, 0])
def test_points_whose_centre_is_outside(geometry, whole):
    """GLES clips points by near and far only (GLES 2.0.25 §2.13); desktop GL discards them by their centre."""
    left = -1 - 2 / geometry.width  # one pixel outside: a point of six pixels still covers two columns
    clip = np.array([[left, 0.0, 0.0, 1.0], [0.0, 0.0, 1.5, 1.0], [left, 0.0, -1.5, 1.0]])
    emitted = geometry.emit(clip, POINTS, np.full(3, 6.0, np.float32), whole_points=whole)
    covered = geometry.counts(emitted)
    assert len(emitted.primitive) == (1 if whole else 0)
    assert (covered.sum(axis=0) > 0).sum() == (2 if whole else 0)


def wild(rng, n, width, height):
    """Clip positions inside, at the borders and outside, some behind the eye, some not finite."""
    clip = soup(rng, n, 1.5).astype(np.float32)
    clip[:, 3] = rng.uniform(-0.2, 2, n)
    clip[:, :3] *= clip[:, 3:]
    border = rng.integers(0, 3, (n, 3)) == 0
    sides = rng.choice([-1, 1, 0, 1 + 2 / width, -1 - 2 / height], (n, 3)).astype(np.float32) * clip[:, 3:]
    clip[:, :3] = np.where(border, sides, clip[:, :3])
    odd = rng.choice([np.nan, np.inf, -np.inf, 1e38, -1e30, 1e-38, 0.0, -0.0], (n, 4)).astype(np.float32)
    return np.where(rng.integers(0, 20, (n, 4)) == 0, odd, clip)


@pytest.mark.parametrize("mode", [POINTS, TRIANGLES, STRIP])
@pytest.mark.parametrize("state", range(32))
def test_placed_vertices_give_what_the_clipper_gives(geometry, mode, state):
    """A clip distance that nothing is outside of has all go through the clipper."""
    rng = np.random.default_rng(state)
    clip = wild(rng, 999, geometry.width, geometry.height)
    sizes = rng.choice([1.0, 1.5, 2.0, 7.25, 300.0], len(clip)).astype(np.float32)
    names = ("whole_points", "multisample", "depth_clamp", "zero_to_one")
    flags = {name: state >> bit & 1 for bit, name in enumerate(names)}
    flags["from_top"] = geometry.height if state & 16 else 0
    straight = geometry.emit(clip, mode, sizes, **flags)
    general = geometry.emit(clip, mode, sizes, np.zeros((len(clip), 1), np.float32), **flags)
    assert {Outcome.EMITTED, Outcome.CULLED_FRUSTUM, Outcome.CULLED_NOT_FINITE} <= set(straight.outcome)
    assert len(straight.primitive) == len(general.primitive) > 100
    for name in ("primitive", "window", "nodes", "depth_plane"):
        assert getattr(straight, name).tobytes() == getattr(general, name).tobytes(), name
    for name, column in straight.columns.items():
        assert column.tobytes() == general.columns[name].tobytes(), name


def test_points_cover_the_centres_inside_their_squares(geometry):
    rng = np.random.default_rng(13)
    sizes = rng.choice([1.0, 1.5, 2.0, 7.25], 500).astype(np.float32)
    for number, size in enumerate(sizes):
        emitted = geometry.emit(soup(rng, 1, 1.1), POINTS, sizes[number : number + 1], whole_points=1)
        counts = geometry.counts(emitted)
        covered = np.zeros_like(counts)
        for x, y in zip(emitted.x[:, 0], emitted.y[:, 0], strict=True):
            width = round(float(size) * 256)
            left, low = x - width // 2, y - width // 2
            columns, rows = (np.arange(length) * 256 + 128 for length in (geometry.width, geometry.height))
            covered += np.outer((low <= rows) & (rows < low + width), (left <= columns) & (columns < left + width))
        assert (counts == covered).all()
