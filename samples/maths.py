"""4x4 matrices for the samples, float32, for column vectors; ``.T.tobytes()`` order is what GL takes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Matrix", "look_at", "orthographic", "perspective", "rotate", "scale", "translate"]

Matrix = NDArray[np.float32]


def perspective(field_of_view_degrees: float, aspect: float, near: float, far: float) -> Matrix:
    """Projection with a vertical field of view."""
    focal = 1.0 / np.tan(np.radians(field_of_view_degrees) / 2)
    out = np.zeros((4, 4), np.float32)
    out[0, 0], out[1, 1] = focal / aspect, focal
    out[2, 2], out[2, 3] = (far + near) / (near - far), 2 * far * near / (near - far)
    out[3, 2] = -1
    return out


def orthographic(left: float, right: float, bottom: float, top: float, near: float = -1, far: float = 1) -> Matrix:
    """Parallel projection of a box."""
    out = np.eye(4, dtype=np.float32)
    out[0, 0], out[1, 1], out[2, 2] = 2 / (right - left), 2 / (top - bottom), -2 / (far - near)
    out[:3, 3] = (
        -(right + left) / (right - left),
        -(top + bottom) / (top - bottom),
        -(far + near) / (far - near),
    )
    return out


def look_at(eye: tuple[float, float, float], target: tuple[float, float, float]) -> Matrix:
    """View from a point to another with y up."""
    forward = np.subtract(target, eye).astype(np.float64)
    forward /= np.linalg.norm(forward)
    side = np.cross(forward, (0.0, 1.0, 0.0))
    side /= np.linalg.norm(side)
    out = np.eye(4)
    out[0, :3], out[1, :3], out[2, :3] = side, np.cross(side, forward), -forward
    out[:3, 3] = -out[:3, :3] @ np.asarray(eye, np.float64)
    return out.astype(np.float32)


def translate(x: float, y: float, z: float) -> Matrix:
    """Move."""
    out = np.eye(4, dtype=np.float32)
    out[:3, 3] = x, y, z
    return out


def scale(x: float, y: float, z: float) -> Matrix:
    """Stretch along the axes."""
    return np.diag([x, y, z, 1]).astype(np.float32)


def rotate(degrees: float, x: float, y: float, z: float) -> Matrix:
    """Turn about an axis through the origin (Rodrigues' formula)."""
    axis = np.array([x, y, z], np.float64)
    axis /= np.linalg.norm(axis)
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    angle = np.radians(degrees)
    out = np.eye(4)
    out[:3, :3] += np.sin(angle) * cross + (1 - np.cos(angle)) * (cross @ cross)
    return out.astype(np.float32)
