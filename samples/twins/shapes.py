"""Shapes of the twins, each made of about as many triangles as it may have: surfaces over lattices, and what they add
up to. Lengths in metres, y up; texture coordinates count repetitions of the picture.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "JOINTS",
    "Shape",
    "ball",
    "box",
    "car",
    "cone",
    "cylinder",
    "figure",
    "joined",
    "moved",
    "plate",
    "polygon_board",
    "sheet",
    "tinted",
    "tree",
]

Floats = NDArray[Any]


@dataclass(frozen=True)
class Shape:
    """Triangles.

    Parameters
    ----------
    vertices : (V, 8) float32, position, normal, texture coordinate
    colours : (V, 4) uint8
    indices : (3 T,) uint16
    joints : (V, 3) float32, two joints and the share of the second; None where nothing bends
    """

    vertices: Floats
    colours: NDArray[np.uint8]
    indices: NDArray[np.uint16]
    joints: Floats | None = None


def _lattice(triangles: float, ratio: float = 1.0, least: tuple[int, int] = (1, 1)) -> tuple[int, int]:
    """Rows and columns of squares that make about so many triangles; ``ratio``: columns to a row."""
    squares = max(triangles / 2, least[0] * least[1])
    around = max(round((squares / ratio) ** 0.5), least[0])
    # Of the rows near the wanted ones, those that meet the number best.
    rows = min(
        range(max(around * 3 // 4, least[0]), around * 4 // 3 + 2),
        key=lambda n: (abs(n * max(round(squares / n), least[1]) - squares), abs(n - around)),
    )
    return rows, max(round(squares / rows), least[1])


def _surface(points: ArrayLike, normals: ArrayLike, uv: ArrayLike) -> Shape:
    """Shape of points on a lattice, (R, C, 3), counter-clockwise where v grows upwards and u to the right."""
    place = np.asarray(points, np.float32)
    rows, columns = place.shape[:2]
    vertices = np.concatenate(
        [place, np.broadcast_to(np.asarray(normals, np.float32), place.shape), np.asarray(uv, np.float32)], axis=2
    ).reshape(-1, 8)
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).reshape(-1)
    quads = np.stack([corner, corner + 1, corner + columns + 1, corner, corner + columns + 1, corner + columns], axis=1)
    colours = np.full((len(vertices), 4), 255, np.uint8)
    return Shape(np.ascontiguousarray(vertices), colours, quads.reshape(-1).astype(np.uint16))


def joined(shapes: Sequence[Shape]) -> Shape:
    """One shape of several."""
    first = np.cumsum([0, *(len(one.vertices) for one in shapes)])
    joints = [one.joints for one in shapes]
    return Shape(
        np.concatenate([one.vertices for one in shapes]),
        np.concatenate([one.colours for one in shapes]),
        np.concatenate([one.indices + np.uint16(start) for one, start in zip(shapes, first[:-1], strict=True)]),
        np.concatenate([one for one in joints if one is not None]) if joints[0] is not None else None,
    )


def moved(shape: Shape, offset: ArrayLike = (0, 0, 0), size: ArrayLike = (1, 1, 1), repeat: float = 1.0) -> Shape:
    """A shape elsewhere, of another size, its picture repeated so often."""
    vertices = shape.vertices.copy()
    vertices[:, :3] = vertices[:, :3] * np.asarray(size, np.float32) + np.asarray(offset, np.float32)
    normals = vertices[:, 3:6] / np.asarray(size, np.float32)
    vertices[:, 3:6] = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
    vertices[:, 6:] *= repeat
    return replace(shape, vertices=vertices)


def tinted(shape: Shape, red: float, green: float, blue: float) -> Shape:
    """A shape in another colour, 0 to 1 each."""
    colours = shape.colours.copy()
    colours[:, :3] = np.clip(255 * np.array([red, green, blue]), 0, 255).astype(np.uint8)
    return replace(shape, colours=colours)


def sheet(triangles: float, height: Callable[[Floats, Floats], ArrayLike] | None = None, repeat: float = 1.0) -> Shape:
    """Ground from -1 to 1 in x and z, facing up; ``height`` of its points over x and z."""
    rows, columns = _lattice(triangles)
    x, z = np.meshgrid(np.linspace(-1, 1, columns + 1), np.linspace(1, -1, rows + 1))
    y = np.zeros_like(x) if height is None else np.asarray(height(x, z), np.float64)
    slope_x, slope_z = (np.gradient(y, axis=1) * columns / 2, -np.gradient(y, axis=0) * rows / 2)
    normals = np.stack([-slope_x, np.ones_like(x), -slope_z], axis=2)
    normals /= np.linalg.norm(normals, axis=2, keepdims=True)
    return _surface(np.stack([x, y, z], axis=2), normals, np.stack([(x + 1) / 2, (1 - z) / 2], axis=2) * repeat)


def plate(triangles: float = 2, repeat: float = 1.0) -> Shape:
    """Upright rectangle from -1 to 1 in x and y, facing z."""
    rows, columns = _lattice(triangles)
    x, y = np.meshgrid(np.linspace(-1, 1, columns + 1), np.linspace(-1, 1, rows + 1))
    uv = np.stack([(x + 1) / 2, (y + 1) / 2], axis=2) * repeat
    return _surface(np.stack([x, y, 0 * x], axis=2), (0, 0, 1), uv)


def _turned(profile: ArrayLike, columns: int, repeat: float = 1.0) -> Shape:
    """Surface of revolution about y; ``profile``: (R, 2) radius and height, from below."""
    radius, height = np.asarray(profile, np.float64).T
    angle = np.linspace(0, 2 * np.pi, columns + 1)
    ring = np.stack([np.sin(angle), 0 * angle, np.cos(angle)], axis=1)
    points = radius[:, None, None] * ring + height[:, None, None] * np.array([0, 1, 0])
    along = np.stack([np.gradient(height), -np.gradient(radius)], axis=1)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
    normals = along[:, :1, None] * ring + along[:, 1:, None] * np.array([0, 1, 0])
    share = np.linspace(0, 1, len(radius))
    return _surface(points, normals, np.stack(np.meshgrid(angle / 2 / np.pi * 2, share), axis=2) * repeat)


def ball(triangles: float, roughness: float = 0.0, seed: int = 0) -> Shape:
    """Sphere of radius 1; a rough one is a rock."""
    rows, columns = _lattice(triangles, 1.6, (3, 5))
    latitude = np.linspace(-np.pi / 2, np.pi / 2, rows + 1)
    shape = _turned(np.stack([np.cos(latitude), np.sin(latitude)], axis=1), columns)
    if roughness == 0:
        return shape
    vertices = shape.vertices.copy()
    wave = np.random.default_rng(seed).normal(size=(6, 3)) * 2.4
    vertices[:, :3] *= 1 + roughness * np.sin(vertices[:, :3] @ wave.T.astype(np.float32)).mean(axis=1, keepdims=True)
    return replace(shape, vertices=vertices)


def cylinder(triangles: float, taper: float = 1.0) -> Shape:
    """Cylinder about y from -1 to 1 with a closed top; ``taper``: radius of the top."""
    rows, columns = _lattice(triangles, 4.0, (2, 5))
    height = np.linspace(-1, 1, rows)
    profile = [*zip(1 + (taper - 1) * (height + 1) / 2, height, strict=True), (0.0, 1.0)]
    return _turned(profile, columns)


def cone(triangles: float) -> Shape:
    """Cone about y from -1 to 1."""
    return cylinder(triangles, 0.02)


_SIDES: Final = ((0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0))


def box(triangles: float = 12, repeat: float = 1.0) -> Shape:
    """Cube from -1 to 1, its faces parted into squares."""
    faces = []
    for axis, sign in _SIDES:
        face = plate(triangles / 6, repeat)
        turn = np.zeros((3, 3), np.float32)
        turn[axis, 2] = sign
        turn[(1, 2, 1)[axis], 1] = 1
        turn[:, 0] = np.cross(turn[:, 1], turn[:, 2])
        vertices = face.vertices.copy()
        vertices[:, :3] = (vertices[:, :3] + (0, 0, 1)) @ turn.T
        vertices[:, 3:6] = vertices[:, 3:6] @ turn.T
        faces.append(replace(face, vertices=vertices))
    return joined(faces)


def tree(triangles: float, seed: int = 0) -> Shape:
    """A trunk and three storeys of leaves; stands on 0, about 1 high and 0.5 wide."""
    trunk = tinted(moved(cylinder(0.2 * triangles), (0, 0.25, 0), (0.05, 0.25, 0.05)), 0.5, 0.36, 0.24)
    crown = [
        tinted(
            moved(
                ball(0.8 / 3 * triangles, 0.25, seed + k),
                (0.06 * (k - 1), 0.45 + 0.2 * k, 0),
                np.array([0.27, 0.2, 0.27]) * (1 - 0.2 * k),
            ),
            0.5 + 0.1 * k,
            0.8,
            0.4,
        )
        for k in range(3)
    ]
    return joined([trunk, *crown])


def car(triangles: float, paint: tuple[float, float, float] = (0.9, 0.2, 0.15)) -> Shape:
    """A car of length 2 along z: body, cabin, four wheels; stands on 0."""
    rows, columns = _lattice(0.4 * triangles, 1.0, (4, 6))
    # The ends come twice: the second time as the middle of the faces that close the hull.
    z = np.concatenate([[-1.0], np.linspace(-1, 1, columns - 1), [1.0]])
    open_ = np.concatenate([[0.0], np.ones(columns - 1), [0.0]])
    around = np.linspace(-0.15 * np.pi, 1.15 * np.pi, rows + 1)[::-1]
    high = open_ * (0.3 + 0.12 * np.cos(z * 2.1))
    wide = open_ * (0.46 - 0.08 * z**4)

    def hull(high: Floats, wide: Floats, low: float) -> Shape:
        points = np.stack(
            [
                np.sign(np.cos(around))[:, None] * np.abs(np.cos(around))[:, None] ** 0.5 * wide,
                low + np.maximum(np.sin(around), -0.3)[:, None] * high,
                np.broadcast_to(z, (rows + 1, columns + 1)),
            ],
            axis=2,
        )
        normals = np.stack(
            [np.cos(around)[:, None] * open_, np.sin(around)[:, None] * open_, 0 * points[..., 0] + (1 - open_) * z],
            axis=2,
        )
        uv = np.stack(np.meshgrid(z, around), axis=2)
        return _surface(points, normals, uv)

    body = tinted(hull(high, wide, 0.2), *paint)
    cabin = tinted(moved(hull(0.34 * np.cos(z * 1.4), 0.8 * wide, 0.0), (0, 0.42, -0.12), (1, 1, 0.5)), 0.25, 0.3, 0.36)
    wheels = []
    for x in (-0.44, 0.44):
        for at in (-0.62, 0.62):
            wheel = moved(cylinder(0.05 * triangles), (0, 0, 0), (0.18, 0.07, 0.18))
            vertices = wheel.vertices.copy()
            turn = np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]], np.float32) * np.sign(x)
            turn[2, 2] = 1
            vertices[:, :3] = vertices[:, :3] @ turn.T + np.array([x, 0.18, at], np.float32)
            vertices[:, 3:6] = vertices[:, 3:6] @ turn.T
            wheels.append(tinted(replace(wheel, vertices=vertices), 0.15, 0.15, 0.16))
    return joined([body, cabin, *wheels])


#: Joints of a figure: from, to, thickness, share of the triangles. Feet on 0, about 1.8 high, looks along z.
JOINTS: Final[dict[str, tuple[tuple[float, float, float], tuple[float, float, float], float, float]]] = {
    "hips": ((0, 0.95, 0), (0, 1.12, 0), 0.17, 0.10),
    "chest": ((0, 1.12, 0), (0, 1.46, 0), 0.19, 0.16),
    "head": ((0, 1.54, 0), (0, 1.80, 0.01), 0.13, 0.18),
    "upper arm l": ((0.2, 1.44, 0), (0.26, 1.16, 0), 0.065, 0.07),
    "lower arm l": ((0.26, 1.16, 0), (0.28, 0.88, 0.06), 0.06, 0.07),
    "upper arm r": ((-0.2, 1.44, 0), (-0.26, 1.16, 0), 0.065, 0.07),
    "lower arm r": ((-0.26, 1.16, 0), (-0.28, 0.88, 0.06), 0.06, 0.07),
    "upper leg l": ((0.1, 0.95, 0), (0.11, 0.5, 0.02), 0.095, 0.07),
    "lower leg l": ((0.11, 0.5, 0.02), (0.11, 0.06, 0), 0.08, 0.07),
    "upper leg r": ((-0.1, 0.95, 0), (-0.11, 0.5, 0.02), 0.095, 0.07),
    "lower leg r": ((-0.11, 0.5, 0.02), (-0.11, 0.06, 0), 0.08, 0.07),
}


def figure(triangles: float, palette: Sequence[tuple[float, float, float]], *, is_robot: bool = False) -> Shape:
    """A person of eleven limbs that bend; ``palette``: skin, shirt, trousers. A robot's limbs are boxes."""
    limbs = []
    for number, (name, (start, end, thickness, share)) in enumerate(JOINTS.items()):
        a, b = np.array(start), np.array(end)
        middle, half = (a + b) / 2, float(np.linalg.norm(b - a)) / 2
        form = box if is_robot else ball
        limb = moved(form(share * triangles), (0, 0, 0), (thickness, half + 0.6 * thickness, thickness))
        limb = moved(limb, middle)
        skin = name == "head" or name.startswith("lower arm")
        colour = palette[0] if skin else palette[2] if "leg" in name or name == "hips" else palette[1]
        # Towards its start a limb follows the one that it hangs on.
        above = {"upper": 1, "lower": number - 1}.get(name.split()[0], max(number - 1, 0))
        if "upper leg" in name:
            above = 0
        along = np.clip((limb.vertices[:, :3] - a) @ (b - a) / (2 * half) ** 2, 0, 1)
        own = np.clip(0.5 + 2 * along, 0, 1)
        joints = np.stack([np.full(len(own), above), np.full(len(own), number), own], axis=1).astype(np.float32)
        limbs.append(replace(tinted(limb, *colour), joints=joints))
    return joined(limbs)


def polygon_board(places: Floats, sizes: Floats, uv: Floats, colours: NDArray[np.uint8], corners: int) -> Shape:
    """Flat polygons in one shape, as tools cut sprites out along their outlines.

    Parameters
    ----------
    places : (N, 3) centres
    sizes : (N, 2) half widths and heights
    uv : (N, 4) first corner and extent in the picture
    colours : (N, 4) uint8
    corners : of each; 4 is a rectangle
    """
    angle = (np.arange(corners) + 0.5) / corners * 2 * np.pi + np.pi
    corner = np.stack([np.sin(angle), np.cos(angle)], axis=1)
    # Nearly rectangles with round corners: x^6 + y^6 = 1.
    corner /= (np.abs(corner) ** 6).sum(axis=1, keepdims=True) ** (1 / 6)
    corner = corner[::-1] / (np.abs(corner).max() if corners == 4 else 1.0)
    number = len(places)
    points = np.zeros((number, corners, 8), np.float32)
    points[..., :3] = places[:, None]
    points[..., :2] += corner * sizes[:, None]
    points[..., 5] = 1
    points[..., 6:] = uv[:, None, :2] + (corner * 0.5 + 0.5) * uv[:, None, 2:]
    fan = np.stack([np.zeros(corners - 2, int), np.arange(1, corners - 1), np.arange(2, corners)], axis=1).reshape(-1)
    indices = (np.arange(number)[:, None] * corners + fan).reshape(-1).astype(np.uint16)
    return Shape(points.reshape(-1, 8), np.repeat(colours, corners, axis=0), indices)
