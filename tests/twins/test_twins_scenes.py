"""Scenes: ground lies under the camera all along its way, and nowhere twice at the same height."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from samples.twins import shapes
from samples.twins.scenes import parts
from samples.twins.world import Moment

LENGTH = 80.0


def pieces(count, way):
    """Corners of each piece of ground, nearest piece first: distance and height of its near and its far edge."""
    lane = parts.Way(parts.winding(2.0, 15, 0.3), LENGTH, 0.3).lane("ground", "grass", half_width=4)
    models = lane.place(count, Moment(0, way, 1.0, 0.0, 0.0, 1.6)).astype(np.float64)
    edges = np.array([[0, 0, 1, 1], [0, 0, -1, 1]], np.float64)
    corners = np.einsum("nij,ej->nei", models, edges)
    return corners[np.argsort(-corners[:, 0, 2])][:, :, 1:3] * (1, -1)


@pytest.mark.parametrize("count", [1, 2, 3, 9])
@pytest.mark.parametrize("way", [0.0, 1.0, 133.25, 266.5, 4000.0])
def test_ground_lies_all_along_and_nowhere_twice(count, way):
    found = pieces(count, way)
    assert found[0, 0, 1] <= 0
    assert found[-1, 1, 1] >= LENGTH - 1e-3
    for near, far in pairwise(found):
        # They reach over each other: which of two surfaces at the same place is seen, no implementation has to say.
        assert far[0, 1] < near[1, 1]
        assert near[1, 0] - far[0, 0] > 0.01


def test_a_car_is_closed_in_front_and_behind():
    car = shapes.car(400)
    corner = car.vertices[car.indices.reshape(-1, 3), :3].astype(np.float64)
    faces = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]) / 2
    # Faces of a closed surface add up to nothing; from below nobody looks.
    assert np.abs(faces.sum(axis=0)[[0, 2]]).max() < 1e-3
    assert faces[:, 2].clip(min=0).sum() > 0.1
