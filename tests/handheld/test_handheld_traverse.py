"""Traversal against a plain twin: exact coverage with rational arithmetic, order, and what is visited."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from replay.handheld.patterns import PATTERNS, SAMPLE_UNIT, Where
from traceformat.native.records import address_of

WIDTH, HEIGHT = 24, 20


def traverse(corners, name, keep_outside=False, width=WIDTH, height=HEIGHT):
    """Fragments of triangles with corners in 1/256 pixel: list of (primitive, x, y, mask); the WALK, and its memory."""
    from replay.handheld.kernels.traverse import traverse as kernel
    from replay.handheld.walk import Walk

    corners = np.asarray(corners, np.int32)
    n = len(corners)
    x, y = np.ascontiguousarray(corners[:, :, 0]), np.ascontiguousarray(corners[:, :, 1])
    bounds = np.zeros((n, 4), np.int16)
    bounds[:, 0] = np.maximum((x.min(1) - 1) >> 8, 0)
    bounds[:, 1] = np.maximum((y.min(1) - 1) >> 8, 0)
    bounds[:, 2] = np.minimum(x.max(1) >> 8, width - 1)
    bounds[:, 3] = np.minimum(y.max(1) >> 8, height - 1)
    bounds[(bounds[:, 2] < bounds[:, 0]) | (bounds[:, 3] < bounds[:, 1])] = (0, 0, -1, -1)
    walk = Walk(n * (width + 4) * (height + 2), PATTERNS[name])
    shape = {
        "num_vertices": np.full(n, 3, np.uint8), "size": np.zeros(n, np.float32), "x": x, "y": y, "bounds": bounds,
        "depth_plane": np.zeros((n, 3)),
    }  # fmt: skip
    record = walk.record
    for key, column in shape.items():
        setattr(record, key, address_of(column))
    record.end, record.width, record.height, record.depth_bits = n, width, height, 16
    record.keeps_outside = keep_outside
    assert kernel.ctypes(record.address) == n
    count = record.num_fragments
    columns = (walk.primitive, walk.fragment_x, walk.fragment_y, walk.mask)
    rows = list(zip(*(column[:count].tolist() for column in columns), strict=True))
    return rows, record, (walk, shape)


def covers(corners, px, py):
    """Whether a triangle covers a point: on an edge if it is its left or bottom one (y upwards)."""
    points = [(Fraction(int(a), 256), Fraction(int(b), 256)) for a, b in corners]
    area = (points[1][0] - points[0][0]) * (points[2][1] - points[0][1]) - (points[1][1] - points[0][1]) * (
        points[2][0] - points[0][0]
    )
    if area == 0:
        return False
    if area < 0:
        points.reverse()
    for i in range(3):
        (ax, ay), (bx, by) = points[i], points[(i + 1) % 3]
        value = (bx - ax) * (py - ay) - (by - ay) * (px - ax)
        is_left, is_bottom = by < ay, by == ay and bx > ax
        if value < 0 or (value == 0 and not (is_left or is_bottom)):
            return False
    return True


def plain(corners, name, width=WIDTH, height=HEIGHT):
    """Covered slots of each pixel: {(x, y): mask}."""
    pattern = PATTERNS[name]
    found = {}
    for y in range(height):
        for x in range(width):
            mask = 0
            for k, slot in enumerate(pattern.slots):
                here = {
                    Where.EVERYWHERE: True, Where.RIGHT_EDGE: x == width - 1, Where.BOTTOM_EDGE: y == 0,
                    Where.CORNER: x == width - 1 and y == 0,
                }[slot.where]  # fmt: skip
                sx, sy = slot.positions[(x + height - 1 - y) & 1]
                if here and covers(corners, x + Fraction(sx, SAMPLE_UNIT), y + Fraction(sy, SAMPLE_UNIT)):
                    mask |= 1 << k
            if mask:
                found[x, y] = mask
    return found


@pytest.mark.parametrize("name", list(PATTERNS))
def test_coverage_is_exact(name):
    rng = np.random.default_rng(7)
    triangles = rng.integers(-4 * 256, (WIDTH + 4) * 256, (14, 3, 2))
    # Corners on samples, edges through them, thin and degenerate ones.
    triangles[3:7] = triangles[3:7] // 256 * 256
    triangles[7:9] = triangles[7:9] // 128 * 128
    triangles[9, 1] = triangles[9, 0] + (600, 20)
    triangles[10, 2] = triangles[10, 1]
    rows, _, _ = traverse(triangles, name)
    for number, corners in enumerate(triangles):
        mine = {(x, y): mask for e, x, y, mask in rows if e == number}
        assert mine == plain(corners, name), number


@pytest.mark.parametrize("name", ["none", "flipquad", "quincunx"])
def test_neighbours_share_an_edge_without_gap_or_overlap(name):
    """Two triangles of a rectangle: every sample belongs to exactly one."""
    a, b, c, d = (256 * 2 + 77, 256 * 3 + 9), (256 * 19, 256 * 5), (256 * 21 + 50, 256 * 17), (256 * 4, 256 * 16 + 128)
    rows, _, _ = traverse([[a, b, c], [a, c, d]], name)
    first, second = ({(x, y): mask for e, x, y, mask in rows if e == k} for k in (0, 1))
    assert all(first[at] & second[at] == 0 for at in first.keys() & second.keys())
    whole = np.zeros((HEIGHT, WIDTH), int)
    for part in (first, second):
        for (x, y), mask in part.items():
            whole[y, x] |= mask
    assert (whole[6:15, 6:18] == 3 if name != "none" else whole[6:15, 6:18] == 1).all()


def test_rows_from_the_top_and_back_and_forth():
    rows, walk, _ = traverse([[(300, 300), (5000, 700), (2500, 4500)]], "none")
    ys = [y for _, _, y, _ in rows]
    assert ys == sorted(ys, reverse=True)
    for number, y in enumerate(dict.fromkeys(ys)):
        xs = [x for _, x, other, _ in rows if other == y]
        assert xs == sorted(xs, reverse=number % 2 == 1)
    assert walk.visited > len(rows)


def test_what_the_zigzag_visits():
    """An axis-aligned right triangle, its right side vertical: by hand."""
    # Rows 0..3 of pixels, x from 1; the left edge falls by one pixel a row, the right side is x = 6.
    corners = [[(256 * 1, 0), (256 * 6, 0), (256 * 6, 256 * 5)]]
    rows, walk, _ = traverse(corners, "none")
    spans = {}
    for _, x, y, _ in rows:
        low, high = spans.get(y, (99, -1))
        spans[y] = (min(low, x), max(high, x))
    order = sorted(spans, reverse=True)
    expected = 0
    for number, y in enumerate(order):
        rightwards = number % 2 == 0
        above, below = spans.get(order[number - 1] if number else y, spans[y]), spans.get(y - 1, spans[y])
        left = min(spans[y][0], (above if rightwards else below)[0]) - 1
        right = max(spans[y][1], (below if rightwards else above)[1]) + 1
        expected += min(right, 6) - max(left, 0) + 1
    assert walk.visited == expected


def test_outside_pixels_come_in_the_order_of_the_walk():
    corners = [[(300, 300), (5000, 700), (2500, 4500)]]
    inside, walk, _ = traverse(corners, "none")
    walked, _, _ = traverse(corners, "none", keep_outside=True)
    assert len(walked) == walk.visited
    assert [row for row in walked if row[3]] == inside
    steps = [(abs(b[1] - a[1]), a[2] - b[2]) for a, b in itertools.pairwise(walked)]
    assert all((dx == 1 and dy == 0) or (dx <= 1 and dy == 1) for dx, dy in steps), "a walk over neighbours"


def test_quads_hold_the_fragments():
    rng = np.random.default_rng(3)
    triangles = rng.integers(-500, (WIDTH + 2) * 256, (20, 3, 2))
    rows, record, (walk, _) = traverse(triangles, "flipquad")
    for k, (e, x, y, _) in enumerate(rows):
        quad, lane = divmod(int(walk.quad[k]), 4)
        assert (walk.quad_primitive[quad], walk.quad_x[quad], walk.quad_y[quad]) == (e, x >> 1, y >> 1)
        assert lane == (y & 1) * 2 + (x & 1)
        assert walk.cover[0, quad] >> lane & 1
    assert record.samples == sum(bin(mask).count("1") for _, _, _, mask in rows)
