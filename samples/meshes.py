"""Triangle meshes for the samples: interleaved position (3), normal (3), texture coordinate (2) as float32."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["VERTEX_BYTES", "Mesh", "box", "cylinder", "grid", "sphere", "torus"]

#: Bytes of one vertex: eight float32.
VERTEX_BYTES = 32


@dataclass(frozen=True)
class Mesh:
    """Vertices ``(V, 8)`` float32 and triangle indices ``(3 T,)`` uint16, counter-clockwise seen from outside."""

    vertices: NDArray[np.float32]
    indices: NDArray[np.uint16]


def _surface(positions: NDArray[np.float64], normals: NDArray[np.float64], uv: NDArray[np.float64]) -> Mesh:
    """Mesh of a parametric surface sampled on a ``(rows, columns)`` lattice."""
    rows, columns = positions.shape[:2]
    vertices = np.concatenate([positions, normals, uv], axis=2).reshape(-1, 8).astype(np.float32)
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).reshape(-1)
    quads = np.stack([corner, corner + 1, corner + columns + 1, corner, corner + columns + 1, corner + columns], axis=1)
    return Mesh(vertices, quads.reshape(-1).astype(np.uint16))


def box(tiles: float = 1.0) -> Mesh:
    """Cube from -1 to 1; each face shows the texture ``tiles`` times in both directions."""
    vertices = []
    indices: list[int] = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal = np.zeros(3)
            normal[axis] = sign
            u = np.roll(normal, 1) * sign
            v = np.cross(normal, u)
            first = len(vertices)
            for across, along in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                texture = ((across + 1) / 2 * tiles, (along + 1) / 2 * tiles)
                vertices.append([*(normal + across * u + along * v), *normal, *texture])
            indices += [first + k for k in (0, 1, 2, 0, 2, 3)]
    return Mesh(np.array(vertices, np.float32), np.array(indices, np.uint16))


def sphere(rings: int = 16, segments: int = 24) -> Mesh:
    """Unit sphere."""
    latitude = np.linspace(-np.pi / 2, np.pi / 2, rings + 1)[:, None]
    longitude = np.linspace(0, 2 * np.pi, segments + 1)[None, :]
    points = np.stack(
        [
            np.cos(latitude) * np.sin(longitude),
            np.sin(latitude) + 0 * longitude,
            np.cos(latitude) * np.cos(longitude),
        ],
        axis=2,
    )
    uv = np.stack(np.broadcast_arrays(longitude / np.pi * 2, latitude / np.pi * 2 + 1), axis=2)
    return _surface(points, points, uv)


def torus(radius: float = 0.35, rings: int = 32, segments: int = 16) -> Mesh:
    """Ring of radius 1 about the y axis with a tube of the given radius."""
    around = np.linspace(0, 2 * np.pi, rings + 1)[:, None]
    tube = np.linspace(0, 2 * np.pi, segments + 1)[None, :]
    normal = np.stack([np.cos(tube) * np.cos(around), np.sin(tube) + 0 * around, np.cos(tube) * np.sin(around)], axis=2)
    centre = np.stack([np.cos(around) + 0 * tube, 0 * (around + tube), np.sin(around) + 0 * tube], axis=2)
    uv = np.stack(np.broadcast_arrays(around / np.pi * 3, tube / np.pi), axis=2)
    return _surface(centre + radius * normal, normal, uv)


def cylinder(segments: int = 20, taper: float = 1.0) -> Mesh:
    """Cylinder (or cone) about the y axis from -1 to 1 with a cap on top; ``taper`` is the upper radius."""
    angle = np.linspace(0, 2 * np.pi, segments + 1)[None, :]
    profile = np.array([[1.0, -1.0], [taper, 1.0], [0.0, 1.0]])
    radius, height = profile[:, :1], profile[:, 1:]
    points = np.stack([radius * np.sin(angle), height + 0 * angle, radius * np.cos(angle)], axis=2)
    side = np.stack([np.sin(angle), 0 * angle + (1 - taper) / 2, np.cos(angle)], axis=2)
    side = side / np.linalg.norm(side, axis=2, keepdims=True)
    up = np.broadcast_to(np.array([0.0, 1.0, 0.0]), side.shape)
    rows = np.concatenate([points[:2], points[1:2], points[2:]], axis=0)
    normals = np.concatenate([side, side, up, up], axis=0)
    along = np.array([0.0, 1.0, 1.0, 1.3])[:, None]
    uv = np.stack(np.broadcast_arrays(angle / np.pi, along), axis=2)
    return _surface(rows, normals, uv)


def grid(cells: int, tiles: float) -> Mesh:
    """Horizontal square from -1 to 1 at y = 0, facing up, of ``cells`` x ``cells`` squares."""
    z = np.linspace(1, -1, cells + 1)[:, None]
    x = np.linspace(-1, 1, cells + 1)[None, :]
    points = np.stack([x + 0 * z, 0 * x + 0 * z, z + 0 * x], axis=2)
    uv = np.stack(np.broadcast_arrays((x + 1) / 2 * tiles, (1 - z) / 2 * tiles), axis=2)
    return _surface(points, np.broadcast_to(np.array([0.0, 1.0, 0.0]), points.shape), uv)
