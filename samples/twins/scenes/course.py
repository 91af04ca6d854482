"""A hole of golf: greens among trees, sand, water and rocks, players, a flag, and the ball that the camera follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samples.twins import shapes
from samples.twins.scenes import parts
from samples.twins.shapes import Shape
from samples.twins.world import Group, Moment, Scene, chance, models

__all__ = ["course"]

Floats = NDArray[Any]
_SPEED, _LENGTH = 0.12, 60.0
_bend = parts.winding(2.5, 17, _SPEED)


def _flag(triangles: float, kind: int) -> Shape:
    pole = shapes.moved(shapes.cylinder(0.4 * triangles), (0, 1.4, 0), (0.05, 1.4, 0.05))
    cloth = shapes.tinted(shapes.moved(shapes.box(0.6 * triangles), (0.5, 2.4, 0), (0.5, 0.3, 0.03)), 0.95, 0.15, 0.15)
    return shapes.joined([pole, cloth])


def _disc(triangles: float, kind: int) -> Shape:
    return shapes.moved(shapes.ball(triangles), size=(1.6, 0.03, 1.0 + 0.2 * kind))


def _bush(triangles: float, kind: int) -> Shape:
    return shapes.moved(shapes.ball(triangles, 0.35, kind), (0, 0.4, 0), (0.6, 0.6, 0.6))


def course(look: Mapping[str, float]) -> Scene:
    """Build it; ``look``: ``players``."""
    way = parts.Way(_bend, _LENGTH, _SPEED)

    def stand(count: int, at: Moment) -> Floats:
        distance = 7.0 + 5.0 * np.arange(count)
        side = np.where(np.arange(count) % 2, 2.2, -2.4)
        return models(np.stack([_bend(distance, at) + side, 0 * distance, -distance], axis=1), 1.0)

    def swing(count: int, at: Moment) -> Floats:
        return parts.gait(at.phases(count, 70.0), 0.8)

    def ball(count: int, at: Moment) -> Floats:
        hop = abs(float(np.sin(at.frame / 14)))
        return models([[0.3 * np.sin(at.frame / 31), 0.25 + 0.9 * hop, -4.5]] * count, 0.24)

    def goal(count: int, at: Moment) -> Floats:
        distance = 20.0 + 3 * np.sin(at.way / 60) + 0 * np.arange(count)
        return models(np.stack([_bend(distance, at), 0 * distance, -distance], axis=1), 1.6)

    groups = [
        parts.dome(tint=(1.1, 1.1, 1.05)),
        way.lane(
            "rough", "grass", half_width=44, repeat=20, share=0.05, detail=1.5,
            height=lambda x, z: 5.0 * np.maximum(np.abs(x) - 0.12, 0) ** 1.7 + 0.3 * np.sin(8 * x) * np.cos(3.1416 * z),
        ),
        way.lane("fairway", "grass", half_width=4.5, low=0.05, repeat=8, share=0.05, tints=((0.95, 1.35, 0.75, 1),)),
        way.beside("bunker", "sand", _disc, off=(4.8, 5), size=1.8, half=1.6, seed=3, share=0.1, detail=0.4),
        way.beside("pond", "clouds", _disc, off=(7.5, 5), size=2.6, half=1.6, seed=13, share=0.06, detail=0.4,
                   tints=((0.35, 0.6, 0.9, 1),)),
        way.beside("trees", "grass", parts.together(shapes.tree, 2, 0.3, 0.25), off=(4.8, 9), size=9.0, half=0.45,
                   seed=23, share=0.52, kinds=6, detail=1.4),
        way.beside("bushes", "grass", parts.together(_bush, 3, 0.9, 0.4), off=(5.0, 7), size=1.1, half=1.1, seed=33,
                   share=0.27, detail=0.7, tints=((0.7, 1.0, 0.5, 1), (0.95, 0.75, 0.6, 1))),
        Group("flag", "cloth", goal, _flag, number=1, detail=0.6, kinds=1, is_painted=True),
        Group("ball", "cloth", ball, lambda n, k: shapes.ball(n), number=1, detail=0.8, is_painted=True),
        parts.crowd("player", stand, swing, number=int(look["players"]), detail=2.0, kinds=3),
        parts.puffs(
            "leaves in the air",
            lambda n, at: np.stack([8 * (chance(n, 5) - 0.5), 1.5 + chance(n, 6), -5 - 3.0 * np.arange(n)], axis=1),
            spread=1.2, size=0.35, colour=(0.95, 0.95, 0.6), strength=0.5, share=0.02, detail=0.3,
        ),
        parts.screen("strength", "panel", [(0.86, 0.0)], (0.05, 0.5), tint=(0.95, 0.6, 0.2, 0.9)),
        parts.screen("buttons", "panel", [(-0.86, -0.78), (0.84, -0.8), (-0.86, 0.84)], (0.09, 0.13)),
        parts.screen("names", "letters", [(-0.75, 0.84), (0.45, 0.84)], (0.02, 0.04), is_letters=True, triangles=28),
    ]  # fmt: skip

    def camera(at: Moment) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        return (0.3 * float(np.sin(at.way / 50)), 3.4, 0.0), (0.2 * float(np.sin(at.way / 80)), 0.6, -10.0)

    return Scene(groups, camera, 60.0, air=(0.72, 0.84, 0.95), haze=0.007)
