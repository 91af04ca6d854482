"""A ride down a slope of snow: a rider on a board seen from behind, firs, flags, rocks, mountains all around."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samples.twins import shapes
from samples.twins.scenes import parts
from samples.twins.shapes import JOINTS, Shape
from samples.twins.world import Group, Moment, Scene, models, turned

__all__ = ["slope"]

Floats = NDArray[Any]
_SPEED, _LENGTH = 0.4, 90.0
_bend = parts.winding(3.5, 21, _SPEED)


def _firs(triangles: float, kind: int) -> Shape:
    """Three firs of three cones each, one above the other, with snow on them."""
    cone = shapes.cone(triangles / 9)
    fir = shapes.joined(
        [
            shapes.tinted(
                shapes.moved(cone, (0, 0.3 + 0.22 * k, 0), np.array([0.24, 0.2, 0.24]) * (1 - 0.2 * k)),
                0.25 + 0.1 * k, 0.5 + 0.1 * k, 0.4 + 0.1 * k,
            )
            for k in range(3)
        ]
    )  # fmt: skip
    places = ((0, 0, 0), (0.5, -0.02, 0.35 - 0.1 * kind), (-0.35, -0.02, -0.55))
    return shapes.joined([shapes.moved(fir, at, (1, 1 - 0.15 * k, 1)) for k, at in enumerate(places)])


def _flag(triangles: float, kind: int) -> Shape:
    pole = shapes.moved(shapes.cylinder(0.5 * triangles), (0, 1, 0), (0.04, 1, 0.04))
    return shapes.joined([pole, shapes.moved(shapes.box(0.5 * triangles), (0.4, 1.6, 0), (0.4, 0.3, 0.02))])


def slope(look: Mapping[str, float]) -> Scene:
    """Build it; ``look``: ``riders``."""
    way = parts.Way(_bend, _LENGTH, _SPEED)

    def ride(count: int, at: Moment) -> Floats:
        number = np.arange(count)
        x = 1.6 * np.sin(at.frame / 33 + 2.2 * number)
        jump = np.maximum(np.sin(at.frame / 27 + number), 0) ** 3
        lean = 0.6 * np.cos(at.frame / 33 + 2.2 * number)
        return models(np.stack([x, 0.15 + jump, -4.6 - 6.0 * number], axis=1), 1.0, turned(np.pi / 2 + lean))

    def crouch(count: int, at: Moment) -> Floats:
        out = np.zeros((count, len(JOINTS)), np.float32)
        bend = 0.5 + 0.25 * np.sin(at.frame / 27 + np.arange(count))
        for name, turn in (("upper leg", -1.0), ("lower leg", 1.6), ("upper arm", -0.9), ("chest", 0.7)):
            for place, joint in enumerate(JOINTS):
                if joint.startswith(name):
                    out[:, place] = turn * bend
        return out

    def board(count: int, at: Moment) -> Floats:
        out = ride(count, at)
        out[:, 1, 3] -= 0.1
        return out

    def mountains(count: int, at: Moment) -> Floats:
        angle = np.linspace(-1.6, 1.6, count)
        spot = np.stack([190 * np.sin(angle), 0 * angle - 12, -190 * np.cos(angle)], axis=1)
        return models(spot, 42.0 * at.sizes(count, 9) / at.scale)

    riders = int(look["riders"])
    groups = [
        parts.dome(tint=(0.85, 0.95, 1.15)),
        way.lane(
            "snow", "snow", half_width=36, repeat=16, number=4, detail=1.2,
            height=lambda x, z: 9.0 * np.maximum(np.abs(x) - 0.16, 0) ** 1.6
            + 0.15 * np.sin(12 * x) * np.cos(3.1416 * z),
        ),
        Group("mountain", "snow", mountains, lambda n, k: shapes.ball(n, 0.6, k), number=2, detail=0.7,
              tints=((0.7, 0.78, 0.95, 1),)),
        way.beside("firs", "snow", _firs, off=(4.5, 12), size=5.5, seed=3, share=0.55, is_painted=True),
        way.beside("flag", "cloth", _flag, off=(2.6, 0.6), size=0.9, seed=13, turn=False, share=0.25, detail=0.4,
                   tints=((1, 0.2, 0.2, 1), (0.2, 0.4, 1, 1))),
        way.beside("rock", "marble", lambda n, k: shapes.ball(n, 0.5, k), off=(3.4, 6), size=0.8, seed=23, share=0.2,
                   detail=0.5),
        parts.crowd("rider", ride, crouch, number=riders, kinds=3, detail=4.0,
                    shirts=((0.95, 0.4, 0.1), (0.2, 0.5, 0.9))),
        Group("board", "planks", board, lambda n, k: shapes.moved(shapes.ball(n), size=(0.2, 0.04, 0.85)),
              number=riders, detail=0.5, tints=((0.9, 0.2, 0.5, 1),)),
        parts.puffs("powder", lambda n, at: ride(n, at)[:, :3, 3] + np.array([0, -0.1, 0.6]), spread=0.5, size=0.6,
                    colour=(1.0, 1.0, 1.0), strength=0.5, number=1, detail=0.4),
        parts.screen("buttons", "panel", [(-0.86, 0.84), (0.86, 0.84)], (0.08, 0.12)),
        parts.screen("score", "letters", [(-0.12, 0.84)], (0.03, 0.055), is_letters=True, triangles=18),
    ]  # fmt: skip

    def camera(at: Moment) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        ahead = float(_bend(np.array([10.0], np.float32), at)[0])
        return (0.0, 2.9, 0.0), (0.6 * ahead, 0.4, -10.0)

    return Scene(groups, camera, 62.0, air=(0.86, 0.92, 1.0), haze=0.008)
