"""Sampling patterns: places, sharing between neighbours, weights, and what edges look like."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from handheld_scenes import colored, quad

from replay.handheld.patterns import PATTERNS, SAMPLE_UNIT, Where

SHARED = ("flipquad", "quincunx")
SCHEMES = ("none", "ss2x2", "rgss", "flipquad", "quincunx")


def places(pattern, parity):
    """Samples that a pixel in the middle of the screen is made of: (x, y from the top, weight)."""
    found = []
    for tap in pattern.taps:
        neighbour = (parity + tap.right + tap.down) % 2
        x, up = pattern.slots[tap.slot].positions[neighbour]
        down = SAMPLE_UNIT - up
        found.append(
            (
                Fraction(x, SAMPLE_UNIT) + tap.right,
                Fraction(down, SAMPLE_UNIT) + tap.down,
                Fraction(tap.weight, pattern.total_weight),
            )
        )
    return found


@pytest.mark.parametrize("parity", [0, 1])
def test_flipquad_is_rgss_moved_to_the_border(parity):
    samples = places(PATTERNS["flipquad"], parity)
    assert [weight for _, _, weight in samples] == [Fraction(1, 4)] * 4
    third = {Fraction(k, 3) for k in range(4)}
    assert {x for x, _, _ in samples} == third, "a sample a column"
    assert {y for _, y, _ in samples} == third, "a sample a row"
    assert all(x in (0, 1) or y in (0, 1) for x, y, _ in samples), "all on the border"


def test_flipquad_flips_every_other_pixel():
    even, odd = (places(PATTERNS["flipquad"], parity) for parity in (0, 1))
    assert {(1 - x, y) for x, y, _ in even} == {(x, y) for x, y, _ in odd}


def test_quincunx_is_the_five_of_a_dice():
    half = Fraction(1, 2)
    samples = places(PATTERNS["quincunx"], 0)
    assert {(x, y): w for x, y, w in samples} == {
        (half, half): half, **{(Fraction(x), Fraction(y)): Fraction(1, 8) for x in (0, 1) for y in (0, 1)},
    }  # fmt: skip


def test_rgss_has_a_sample_in_every_row_and_column_of_4x4():
    samples = places(PATTERNS["rgss"], 0)
    assert {int(4 * x) for x, _, _ in samples} == {int(4 * y) for _, y, _ in samples} == {0, 1, 2, 3}


@pytest.mark.parametrize("name", SHARED)
@pytest.mark.parametrize("parity", [0, 1])
def test_edge_pixels_make_the_samples_that_neighbours_would_have_lent(name, parity):
    pattern = PATTERNS[name]
    for tap in pattern.taps:
        for edge, slot, right, down in (
            ((1, 0), tap.at_right, 0, tap.down), ((0, 1), tap.at_bottom, tap.right, 0), ((1, 1), tap.at_corner, 0, 0),
        ):  # fmt: skip
            if (tap.right and not edge[0] and not (tap.down and edge[1])) or (
                edge[0] > tap.right or edge[1] > tap.down
            ):
                continue
            if (edge == (1, 0) and not tap.right) or (edge == (0, 1) and not tap.down):
                continue
            wanted = pattern.slots[tap.slot].positions[(parity + tap.right + tap.down) % 2]
            found = pattern.slots[slot].positions[(parity + right + down) % 2]
            assert found[0] + right * SAMPLE_UNIT == wanted[0] + tap.right * SAMPLE_UNIT
            assert found[1] - down * SAMPLE_UNIT == wanted[1] - tap.down * SAMPLE_UNIT


@pytest.mark.parametrize("name", SHARED)
def test_two_samples_a_pixel_but_at_the_edges(name):
    assert sum(slot.where == Where.EVERYWHERE for slot in PATTERNS[name].slots) == 2


def test_shared_shading_is_at_a_quarter():
    assert PATTERNS["flipquad"].shading == ((SAMPLE_UNIT // 4, 3 * SAMPLE_UNIT // 4),), "y upwards here"
    assert PATTERNS["quincunx"].shading == ((SAMPLE_UNIT // 2, SAMPLE_UNIT // 2),)


def shades(play, tmp_path, name, data, size=(64, 48)):
    trace = colored(tmp_path / "edge.gltrace", data, size, depth=False)
    picture = play(trace, antialiasing=name).frames[0].picture
    return picture[..., 1]


def triangle(a, b, c, size=(64, 48)):
    rows = [(2 * x / size[0] - 1, 2 * y / size[1] - 1, 0, 1, 1, 1, 1, 1) for x, y in (a, b, c)]
    return np.array(rows, np.float32)


@pytest.mark.parametrize("name", SCHEMES)
def test_a_covered_screen_is_white_to_its_edges(play, tmp_path, name):
    assert (
        shades(
            play,
            tmp_path,
            name,
            quad(-1, -1, 1, 1) * np.float32([1.5, 1.5, 1, 1, 0, 0, 1, 1]) + np.float32([0, 0, 0, 0, 1, 1, 0, 0]),
            (33, 19),
        )
        == 255
    ).all()


@pytest.mark.parametrize(
    ("name", "column"), [("none", 255), ("ss2x2", 128), ("rgss", 128), ("flipquad", None), ("quincunx", None)]
)
def test_half_covered_pixels_of_a_vertical_edge(play, tmp_path, name, column):
    """An edge half a pixel right of x = 20: the pixels it halves get the weight of the samples left of it."""
    data = np.concatenate(
        [triangle((-100, -100), (20.5, -100), (20.5, 148)), triangle((-100, -100), (20.5, 148), (-100, 148))]
    )
    picture = shades(play, tmp_path, name, data)
    assert (picture[:, :20] == 255).all()
    assert (picture[:, 22:] == 0).all()
    edge = np.unique(picture[1:-1, 20])
    if name == "none":
        assert edge.tolist() == [0], "a centre on a right edge is outside"
    elif column is not None:
        # In 6 bits of green.
        assert abs(int(edge[0]) - column) <= 2
        assert len(edge) == 1
    elif name == "flipquad":
        # x = 0 and 1/3 of each pattern lie left of 1/2: two of four samples.
        assert abs(int(edge[0]) - 128) <= 2
        assert len(edge) == 1
    else:
        # The two left corners; the middle is on the edge.
        assert abs(int(edge[0]) - 64) <= 2
        assert len(edge) == 1


@pytest.mark.parametrize("horizontal", [False, True])
def test_shades_of_critical_edges(play, tmp_path, horizontal):
    """An edge that moves over a pixel: how many shades it goes through (§6.1)."""
    found = {}
    for name in SCHEMES:
        values = set()
        for step in range(12):
            at = 20.04 + step / 12
            far = [(-100, -100), (at, -100), (at, 148), (-100, 148)]
            a, b, c, d = [(y, x) for x, y in far] if horizontal else far
            data = np.concatenate([triangle(a, b, c), triangle(a, c, d)])
            picture = shades(play, tmp_path, name, data)
            values |= set(np.unique(picture[10:30, 10:30]).tolist())
        found[name] = sorted(round(value / 255, 2) for value in values)
    quarter = [0.0, 0.25, 0.5, 0.75, 1.0]
    assert found["none"] == [0.0, 1.0]
    assert np.allclose(found["ss2x2"], [0.0, 0.5, 1.0], atol=0.02)
    assert np.allclose(found["rgss"], quarter, atol=0.02)
    assert np.allclose(found["flipquad"], quarter, atol=0.02)
    # "the effective transition often becomes: 0, 0.25, 0.75, 1.0"
    assert np.allclose(found["quincunx"], [0.0, 0.25, 0.75, 1.0], atol=0.02)


def test_schemes_are_as_smooth_as_the_paper_says(play, tmp_path):
    """RGSS > FLIPQUAD > Quincunx: mean squared distance from exact coverage over many slow edges."""
    error = dict.fromkeys(("rgss", "flipquad", "quincunx", "none"), 0.0)
    width, height = 64, 48
    for slope in (0.03, 0.05, 0.08, -0.04, -0.07):
        for vertical in (False, True):
            a, b = (-10, 20.3), (100, 20.3 + 110 * slope)
            if vertical:
                a, b = (a[1] + 10, a[0]), (b[1] + 10, b[0])
                data = triangle(a, (-500, 24), b)
            else:
                data = triangle(a, (24, -500), b)
            exact = exact_coverage(data, width, height)
            for name in error:
                picture = shades(play, tmp_path, name, data)[2:-2, 2:-2] / 255
                error[name] += float(((picture - exact[2:-2, 2:-2]) ** 2).mean())
    assert error["rgss"] < error["flipquad"] < error["quincunx"] < error["none"]


def exact_coverage(data, width, height, side=16):
    """Share of each pixel that a triangle covers, from side x side points."""
    points = [((x + 1) / 2 * width, (y + 1) / 2 * height) for x, y in data[:, :2].astype(float)]
    y, x = (np.mgrid[0 : height * side, 0 : width * side] + 0.5) / side
    inside = np.ones(x.shape, bool)
    area = (points[1][0] - points[0][0]) * (points[2][1] - points[0][1]) - (points[1][1] - points[0][1]) * (
        points[2][0] - points[0][0]
    )
    for i in range(3):
        (ax, ay), (bx, by) = points[i], points[(i + 1) % 3]
        inside &= ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) * np.sign(area) > 0
    return inside.reshape(height, side, width, side).mean((1, 3))
