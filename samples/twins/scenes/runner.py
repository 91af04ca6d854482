"""An endless run along three lanes: a runner seen from behind, coins or rings, trains and houses or hills and palms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samples.twins import shapes
from samples.twins.scenes import parts
from samples.twins.world import Group, Moment, Scene, models, turned

__all__ = ["runner"]

Floats = NDArray[Any]
_SPEED, _LENGTH = 0.42, 110.0


def _straight(distance: Floats, at: Moment) -> Floats:
    return 0 * distance


def _lane_of(at: Moment) -> float:
    """Where the runner is: between the lanes while it changes."""
    return 2.2 * float(np.sin(at.frame / 53)) ** 3


def runner(look: Mapping[str, float]) -> Scene:
    """Build it; ``look``: ``town`` 1 for rails and houses, 0 for hills."""
    is_town = look["town"] >= 0.5
    way = parts.Way(_straight, _LENGTH, _SPEED)

    def run(count: int, at: Moment) -> Floats:
        jump = 1.2 * max(float(np.sin(at.frame / 19)), 0) ** 2
        return models([[_lane_of(at), jump, -5.0]] * count, 1.1, turned(np.full(count, np.pi)))

    def step(count: int, at: Moment) -> Floats:
        return parts.gait(np.full(count, at.frame * 0.33, np.float32), 0.9)

    def coins(count: int, at: Moment) -> Floats:
        distance = parts.ahead(count, at, 61, _LENGTH * 0.6, _SPEED)
        x = 2.4 * (np.floor(np.arange(count) / 4) % 3 - 1)
        return models(
            np.stack([x, 0 * x + 1.1, -distance], axis=1), 0.4, turned(at.frame * 0.09 + np.arange(count) * 0.4)
        )

    def trains(count: int, at: Moment) -> Floats:
        distance = parts.ahead(count, at, 71, _LENGTH, _SPEED * (1 + 0.5 * at.moving))
        lane = 2.4 * ((np.arange(count) * 2 + 1) % 3 - 1)
        # Nobody runs into one: those near the runner's lane are let past.
        lane = np.where(
            (np.abs(lane - _lane_of(at)) < 1.6) & (distance < 16), lane + np.where(lane > 0, 4.8, -4.8), lane
        )
        return models(
            np.stack([lane, 0 * lane, -distance - 6], axis=1), np.array([1.0, 1.0, 5.0]) * np.ones((count, 1))
        )

    ring = shapes.box if is_town else shapes.ball
    groups = [
        parts.dome(tint=(1.15, 1.15, 1.1)),
        way.lane(
            "ground",
            "sand" if is_town else "grass",
            half_width=46,
            low=-0.04,
            repeat=14,
            share=0.06,
            detail=0.8,
            height=lambda x, z: (0.0 if is_town else 6.0) * np.maximum(np.abs(x) - 0.14, 0) ** 1.5,
        ),
        way.lane("track", "planks" if is_town else "marble", half_width=3.8, repeat=6, share=0.08),
        way.beside(
            "house" if is_town else "palm",
            "windows" if is_town else "grass",
            (lambda n, k: shapes.moved(shapes.box(n, 2.0), (0, 1, 0), (1, 1.1 + 0.5 * k, 1.3)))
            if is_town
            else shapes.tree,
            off=(8.5, 6),
            size=4.4 if is_town else 5.5,
            seed=5,
            turn=not is_town,
            share=0.36,
        ),
        way.beside(
            "wall",
            "bricks",
            lambda n, k: shapes.moved(shapes.box(n, 2.0), (0, 0.5, 0), (0.3, 0.9, 3.4)),
            off=(4.6, 0.3),
            seed=9,
            turn=False,
            share=0.16,
            detail=0.5,
        ),
        Group(
            "train" if is_town else "gate",
            "metal" if is_town else "planks",
            trains,
            lambda n, k: shapes.moved(
                shapes.tinted(shapes.box(n, 3.0), *parts.PAINTS[k]),
                (0, 1.5, 0),
                (1.05, 1.4, 1.0) if is_town else (1.1, 0.5, 0.1),
            ),
            share=0.1,
            detail=1.0,
            kinds=6,
            is_painted=True,
        ),
        Group(
            "coin",
            "cloth",
            coins,
            lambda n, k: shapes.tinted(shapes.moved(ring(n), size=(1, 1, 0.25)), 1.0, 0.8, 0.15),
            share=0.2,
            detail=0.3,
            kinds=1,
            is_painted=True,
        ),
        parts.crowd("runner", run, step, number=1, detail=6.0, shirts=((0.2, 0.45, 0.95),)),
        parts.puffs(
            "sparks",
            lambda n, at: np.array([[_lane_of(at), 0.3, -5.4]] * n, np.float32),
            spread=0.35,
            size=0.5,
            colour=(1.0, 0.9, 0.5),
            number=1,
            detail=0.5,
        ),
        parts.screen("buttons", "panel", [(-0.88, 0.86), (0.88, 0.86)], (0.07, 0.1)),
        parts.screen("score", "letters", [(0.35, 0.84), (0.35, 0.7)], (0.025, 0.05), is_letters=True, triangles=28),
    ]

    def camera(at: Moment) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        return (0.6 * _lane_of(at), 3.3, 0.0), (0.5 * _lane_of(at), 1.2, -11.0)

    return Scene(groups, camera, 64.0, air=(0.7, 0.8, 0.92))
