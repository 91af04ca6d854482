"""The fixed-function tessellator (GLES 3.2 §11.2.2): from levels of tessellation to points and primitives.

The specifications leave the order of points, and which way the diagonals go, to implementations. Here they are those of
the reference tessellator of Direct3D 11, which Mesa uses, too: coordinates in 16.16 fixed point, rings of points from
the outside to the centre, and edges whose points appear in the order of the ruler function as levels grow. Levels are
those of an equal or fractional spacing; vertices come out in clockwise or counterclockwise order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["MAX_LEVEL", "Tessellated", "tessellate"]

MAX_LEVEL: Final = 64
_BITS: Final = 16
_ONE: Final = 1 << _BITS
_HALF: Final = _ONE // 2
_ONE_THIRD: Final = 0x5555
_TWO_THIRDS: Final = 0xAAAA
_EPSILON: Final = 1.0 / _ONE
_RECIPROCALS: Final = (0, *((2 * _ONE + count) // (2 * count) for count in range(1, MAX_LEVEL + 2)))
#: Shapes of patches that are kept.
_MAX_KNOWN: Final = 4096

Triangle = tuple[int, int, int]


class Tessellated(NamedTuple):
    """A patch in pieces.

    Parameters
    ----------
    coordinates : (N, 3) float32, gl_TessCoord of each point
    primitives : (P, k) int32 points of each primitive: triangles, lines or points
    """

    coordinates: NDArray[np.float32]
    primitives: NDArray[np.int32]


def _ruler() -> list[int]:
    """For each place on half of an edge with all its points: at how many points before it a point appears there."""
    places = [0, 32] + [0] * 31
    number, step = 1, 32
    while step > 1:
        for place in range(1 + step // 2, 33, step):
            places[place] = number
            number += 1
        step //= 2
    return places


_RULER: Final = _ruler()


class _Edge:
    """How an edge is divided.

    Parameters
    ----------
    level : of tessellation, 16.16
    is_odd : into an odd number of segments
    """

    def __init__(self, level: int, is_odd: bool) -> None:
        self.is_odd = is_odd
        half = (level + 1) // 2
        whole = half + (_HALF if is_odd else 0)
        self.num_points = (-(-whole // _ONE) * 2) + (0 if is_odd else 1)
        if is_odd or half == _HALF:
            # A level of 1 that counts as even is divided in two.
            half += _HALF
        floor, ceil = half >> _BITS, -(-half // _ONE)
        self._fraction = half - (floor << _BITS)
        self.num_half_points = ceil
        if floor == ceil:
            self._split = ceil + 1
        elif is_odd:
            self._split = 0 if floor == 1 else (_without_first_bit(floor - 1) << 1) + 1
        else:
            self._split = (_without_first_bit(floor) << 1) + 1
        less = 1 if is_odd else 0
        self._of_floor, self._of_ceil = _RECIPROCALS[2 * floor - less], _RECIPROCALS[2 * ceil - less]

    def place(self, point: int) -> int:
        """Where a point lies, 16.16."""
        is_mirrored = point >= self.num_half_points
        if is_mirrored:
            point = 2 * self.num_half_points - point - (1 if self.is_odd else 0)
        if point == self.num_half_points:
            return _HALF
        on_floor = (point - 1 if point > self._split else point) * self._of_floor
        on_ceil = point * self._of_ceil
        where = (on_floor * (_ONE - self._fraction) + on_ceil * self._fraction + _HALF) >> _BITS
        return _ONE - where if is_mirrored else where


def _without_first_bit(value: int) -> int:
    return value & ~(1 << (value.bit_length() - 1)) if value else 0


# Stitching: two rows of points become a strip of triangles --------------------------------------------------------
def _regular(is_trapezoid: bool, diagonals: str, count: int, inside: list[int], outside: list[int]) -> list[Triangle]:
    """Between two rows with the same distances.

    Parameters
    ----------
    diagonals : "mirrored", "outward", or "outward but the middle"
    count : points of the inner row
    """
    out: list[Triangle] = []
    near = far = 0

    def from_outside() -> None:
        out.append((outside[far], inside[near + 1], inside[near]))
        out.append((outside[far], outside[far + 1], inside[near + 1]))

    def from_inside() -> None:
        # The same triangle, but another vertex of it comes first around a middle.
        first = (inside[near], outside[far], outside[far + 1])
        out.append((*first[1:], first[0]) if diagonals == "outward but the middle" else first)
        out.append((inside[near], outside[far + 1], inside[near + 1]))

    if is_trapezoid:
        out.append((outside[0], outside[1], inside[0]))
        far = 1
    if diagonals == "mirrored":
        kinds = [from_outside] * (count // 2) + [from_inside] * (count - 1 - count // 2)
    elif diagonals == "outward":
        kinds = [from_inside] * (count - 1)
    else:
        half = count // 2 - 1
        kinds = [from_inside] * half + [from_outside] + [from_inside] * half
    for kind in kinds[: count - 1]:
        kind()
        near, far = near + 1, far + 1
    if is_trapezoid:
        out.append((outside[far], outside[far + 1], inside[near]))
    return out


def _transition(inner: _Edge, outer: _Edge, inside: list[int], outside: list[int]) -> list[Triangle]:
    """Between the outermost ring and the next one, whose rows may be divided in different ways."""
    out: list[Triangle] = []
    near = far = 0
    # Segments on half of an edge, beside the middle one of an odd number.
    inner_half, outer_half = (edge.num_half_points - (1 if edge.is_odd else 0) for edge in (inner, outer))

    def advance_inside() -> None:
        nonlocal near
        out.append((inside[near], outside[far], inside[near + 1]))
        near += 1

    def advance_outside() -> None:
        nonlocal far
        out.append((outside[far], outside[far + 1], inside[near]))
        far += 1

    if outer_half > 0:
        advance_outside()
    for place in range(1, 33):
        if _RULER[place] < inner_half:
            advance_inside()
        if _RULER[place] < outer_half:
            advance_outside()
    if inner.is_odd and outer.is_odd:
        out.append((inside[near], outside[far], inside[near + 1]))
        out.append((inside[near + 1], outside[far], outside[far + 1]))
        near, far = near + 1, far + 1
    elif outer.is_odd:
        out.append((inside[near], outside[far], outside[far + 1]))
        far += 1
    elif inner.is_odd:
        advance_inside()
    for place in range(32, 0, -1):
        if _RULER[place] < outer_half:
            advance_outside()
        if _RULER[place] < inner_half:
            advance_inside()
    if outer_half > 0:
        advance_outside()
    return out


# Levels ------------------------------------------------------------------------------------------------------------
def _clamped(level: float, spacing: str) -> float:
    """A level within the range of its spacing; what is no number becomes the least one."""
    low, high = {"fractional_even_spacing": (2.0, 64.0), "fractional_odd_spacing": (1.0, 63.0)}.get(
        spacing, (1.0, float(MAX_LEVEL))
    )
    bounded = min(max(level, low), high) if level == level else low
    return bounded if spacing.startswith("fractional") else float(math.ceil(bounded))


def _fixed(level: float) -> int:
    return round(level * _ONE)


def _edge(level: float, spacing: str, *, is_inside: bool = False) -> _Edge:
    if spacing.startswith("fractional"):
        is_odd = spacing == "fractional_odd_spacing"
    else:
        is_odd = int(level) % 2 == 1 and not (is_inside and level == 1.0)
    return _Edge(_fixed(level), is_odd)


def _levels(outer: Sequence[float], inner: Sequence[float], spacing: str) -> tuple[list[float], list[float]]:
    """Levels that the patch is divided by."""
    outside = [_clamped(level, spacing) for level in outer]
    inside = [*inner]
    if spacing == "fractional_odd_spacing":
        clamped = [_clamped(level, spacing) for level in inner]
        if any(level > 1.0 + _EPSILON / 2 for level in (*outside, *clamped)):
            # There is a ring inside where anything is divided.
            inside = [max(level, 1.0 + _EPSILON) if level == level else 1.0 + _EPSILON for level in inner]
    return outside, [_clamped(level, spacing) for level in inside]


# Patches -----------------------------------------------------------------------------------------------------------
def tessellate(
    primitive: str, spacing: str, *, clockwise: bool, point_mode: bool, outer: Sequence[float], inner: Sequence[float]
) -> Tessellated:
    """Divide a patch.

    Parameters
    ----------
    primitive : "triangles", "quads" or "isolines"
    spacing : "equal_spacing", "fractional_even_spacing" or "fractional_odd_spacing"
    clockwise, point_mode : as the layout of the evaluation stage says
    outer, inner : four and two levels of tessellation

    Returns
    -------
    Tessellated ; empty where an outer level that counts is not above 0
    """
    num_outer, num_inner = {"triangles": (3, 1), "quads": (4, 2), "isolines": (2, 0)}[primitive]
    used = [float(level) for level in outer[:num_outer]]
    if not all(level > 0.0 for level in used):
        return _result([], np.zeros((0, 3), np.int32), primitive)
    if primitive == "isolines":
        return _isolines(math.ceil(_clamped(used[0], "equal_spacing")), _clamped(used[1], spacing), spacing, point_mode)
    outside, inside = _levels(used, [float(level) for level in inner[:num_inner]], spacing)
    return _surface(primitive, spacing, clockwise, point_mode, tuple(outside), tuple(inside))


def _result(points: list[tuple[int, int]], primitives: NDArray[np.int32], primitive: str) -> Tessellated:
    coordinates = np.zeros((len(points), 3), np.float32)
    if points:
        coordinates[:, :2] = np.array(points, np.float32) * np.float32(1.0 / _ONE)
        if primitive == "triangles":
            coordinates[:, 2] = np.float32(1.0) - coordinates[:, 0] - coordinates[:, 1]
    return Tessellated(coordinates, primitives)


@lru_cache(_MAX_KNOWN)
def _isolines(lines: int, level: float, spacing: str, point_mode: bool) -> Tessellated:
    density, detail = _Edge(_fixed(float(lines)), lines % 2 == 1), _edge(level, spacing)
    count = detail.num_points
    points = [(detail.place(k), density.place(line)) for line in range(lines) for k in range(count)]
    number = np.arange(len(points), dtype=np.int32).reshape(lines, count)
    if point_mode:
        return _result(points, number.reshape(-1, 1), "isolines")
    return _result(points, np.stack([number[:, :-1], number[:, 1:]], 2).reshape(-1, 2), "isolines")


@lru_cache(_MAX_KNOWN)
def _surface(
    primitive: str,
    spacing: str,
    clockwise: bool,
    point_mode: bool,
    outer: tuple[float, ...],
    inner: tuple[float, ...],
) -> Tessellated:
    is_quad = primitive == "quads"
    outside = [_edge(level, spacing) for level in outer]
    inside = [_edge(level, spacing, is_inside=True) for level in inner]
    if spacing != "fractional_even_spacing" and all(_fixed(level) == _ONE for level in (*outer, *inner)):
        corners = [(0, 0), (_ONE, 0), (_ONE, _ONE), (0, _ONE)] if is_quad else [(0, _ONE), (0, 0), (_ONE, 0)]
        points, triangles = corners, [(0, 1, 3), (1, 2, 3)] if is_quad else [(0, 1, 2)]
    elif is_quad:
        points, triangles = _quad(outside, inside)
    else:
        points, triangles = _triangle(outside, inside[0])
    if point_mode:
        return _result(points, np.arange(len(points), dtype=np.int32)[:, None], primitive)
    rows = np.array(triangles, np.int32).reshape(-1, 3)
    return _result(points, rows[:, [0, 2, 1]] if clockwise else rows, primitive)


def _ring_points(edge: _Edge) -> int:
    """Points of an inner edge: enough for a ring, even where that is degenerate."""
    return max(edge.num_points, 4 if edge.is_odd else 3)


def _triangle(outside: list[_Edge], inside: _Edge) -> tuple[list[tuple[int, int]], list[Triangle]]:
    """Points and triangles of a triangular patch."""
    points: list[tuple[int, int]] = []
    for number, edge in enumerate(outside):
        last = edge.num_points - 1
        for k in range(last):
            at = edge.place(k if number == 1 else last - k)
            points.append((0, at) if number == 0 else (at, 0) if number == 1 else (at, _ONE - at))
    count = _ring_points(inside)
    for ring in range(1, count // 2):
        last = count - 1 - ring
        height = (inside.place(ring) * _TWO_THIRDS + _HALF) >> _BITS
        for number in range(3):
            for k in range(ring, last):
                at = inside.place(k if number == 1 else last - (k - ring)) - (height + 1) // 2
                own = {0: (height, at), 1: (at, height), 2: (at, _ONE - at - height)}
                points.append(own[number])
    if not inside.is_odd:
        points.append((_ONE_THIRD, _ONE_THIRD))
    first, base = sum(edge.num_points - 1 for edge in outside), 0
    rows = [edge.num_points for edge in outside]
    triangles: list[Triangle] = []
    for ring in range(1, (count + 1) // 2):
        length = count - 2 * ring
        inner_rows, outer_rows = _closed(first, [length] * 3), _closed(base, rows)
        for number in range(3):
            if ring == 1:
                triangles += _transition(inside, outside[number], inner_rows[number], outer_rows[number])
            else:
                triangles += _regular(True, "mirrored", length, inner_rows[number], outer_rows[number])
        base, first = first, first + 3 * (length - 1)
        rows = [length] * 3
    if inside.is_odd:
        triangles.append((base, base + 1, base + 2))
    return points, triangles


def _closed(first: int, lengths: list[int]) -> list[list[int]]:
    """Numbers of the points of each edge of a ring, which ends where it began."""
    rows, at = [], first
    for length in lengths:
        rows.append([*range(at, at + length)])
        at += length - 1
    rows[-1][-1] = first
    return rows


def _quad(outside: list[_Edge], inside: list[_Edge]) -> tuple[list[tuple[int, int]], list[Triangle]]:
    """Points and triangles of a quadrilateral patch; inner edges along u and v."""
    points: list[tuple[int, int]] = []
    for number, edge in enumerate(outside):
        last = edge.num_points - 1
        for k in range(last):
            at = edge.place(k if number in (1, 2) else last - k)
            points.append([(0, at), (at, 0), (_ONE, at), (at, _ONE)][number])
    counts = [_ring_points(edge) for edge in inside]
    num_rings = min(counts) // 2
    for ring in range(1, num_rings):
        for number in range(4):
            along, across = (number + 1) % 2, number % 2
            last = counts[along] - 1 - ring
            level = inside[across].place(ring if number < 2 else counts[across] - 1 - ring)
            for k in range(ring, last):
                at = inside[along].place(k if number in (1, 2) else last - (k - ring))
                points.append((level, at) if along else (at, level))
    if counts[0] > counts[1] and not inside[1].is_odd:
        points += [(inside[0].place(k), _HALF) for k in range(num_rings, counts[0] - num_rings)]
    elif counts[1] >= counts[0] and not inside[0].is_odd:
        points += [(_HALF, inside[1].place(k)) for k in range(counts[1] - 1 - num_rings, num_rings - 1, -1)]
    return points, _quad_triangles(outside, inside, counts)


def _quad_triangles(outside: list[_Edge], inside: list[_Edge], counts: list[int]) -> list[Triangle]:
    triangles: list[Triangle] = []
    first, base = sum(edge.num_points - 1 for edge in outside), 0
    rows = [edge.num_points for edge in outside]
    to_center = [(count + 1) // 2 for count in counts]
    for ring in range(1, min(to_center)):
        lengths = [counts[(number + 1) % 2] - 2 * ring for number in range(4)]
        if 1 in lengths:
            inner_rows = _there_and_back(first, lengths)
        else:
            inner_rows = _closed(first, lengths)
        outer_rows = _closed(base, rows)
        for number in range(4):
            if ring == 1:
                inner, outer = inside[(number + 1) % 2], outside[number]
                triangles += _transition(inner, outer, inner_rows[number], outer_rows[number])
            else:
                triangles += _regular(True, "mirrored", lengths[number], inner_rows[number], outer_rows[number])
        base, first = first, first + sum(length - 1 for length in lengths)
        rows = lengths
    return triangles + _center(inside, counts, base)


def _there_and_back(first: int, lengths: list[int]) -> list[list[int]]:
    """Numbers of the points of each edge of a ring that is a row of points."""
    length = max(lengths)
    row = [*range(first, first + length)]
    if lengths[0] == 1:
        return [row[:1], row, row[-1:], row[::-1]]
    return [row, row[-1:], row[::-1], row[:1]]


def _center(inside: list[_Edge], counts: list[int], base: int) -> list[Triangle]:
    """A row of quadrilaterals in the middle, where the shorter side is odd; its ring begins with the point ``base``."""
    short = 1 if counts[0] > counts[1] else 0
    if not inside[short].is_odd:
        return []
    long = 1 - short
    quads = 2 * (counts[long] // 2 - counts[short] // 2) + (1 if inside[long].is_odd else 2)
    ring = 2 * (quads + 1)
    if short == 1:
        # The ring begins in a corner and goes down the short side first.
        outer = [base + 1 + k for k in range(quads + 1)]
        inner = [base, *(base + ring - 1 - k for k in range(quads))]
        return _regular(False, "outward", quads + 1, inner, outer)
    outer = [base + k for k in range(quads + 1)]
    inner = [base + ring - 1 - k for k in range(quads + 1)]
    return _regular(False, "outward but the middle" if inside[long].is_odd else "outward", quads + 1, inner, outer)
