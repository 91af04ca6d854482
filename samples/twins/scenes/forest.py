"""A walk through a dense wood at dusk: trees, ferns, rocks, a few deer-like shadows of people, leaves in the air."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samples.twins import shapes
from samples.twins.scenes import parts
from samples.twins.shapes import Shape
from samples.twins.world import Moment, Scene, models, turned

__all__ = ["forest"]

Floats = NDArray[Any]
_SPEED, _LENGTH = 0.09, 52.0
_path = parts.winding(1.6, 9, _SPEED)


def _fern(triangles: float, kind: int) -> Shape:
    return shapes.moved(shapes.ball(triangles, 0.5, kind), (0, 0.35, 0), (0.5, 0.5, 0.5))


def _rock(triangles: float, kind: int) -> Shape:
    return shapes.moved(shapes.ball(triangles, 0.5, kind), (0, 0.2, 0), (0.9, 0.6, 0.7))


def forest(look: Mapping[str, float]) -> Scene:
    """Build it; ``look``: ``people`` that wander."""
    way = parts.Way(_path, _LENGTH, _SPEED)

    def wander(count: int, at: Moment) -> Floats:
        distance = 9 + 9.0 * np.arange(count)
        x = _path(distance, at) + 1.5 * np.sin(np.arange(count) + at.frame / 90)
        return models(np.stack([x, 0 * x, -distance], axis=1), 1.0, turned(at.phases(count, 300.0)))

    groups = [
        parts.dome(tint=(0.6, 0.62, 0.75)),
        way.lane(
            "ground",
            "grass",
            half_width=38,
            repeat=18,
            share=0.03,
            detail=1.5,
            height=lambda x, z: 3.0 * np.maximum(np.abs(x) - 0.08, 0) ** 2 + 0.2 * np.sin(9 * x) * np.cos(3.1416 * z),
        ),
        way.beside(
            "trees", "grass", parts.together(shapes.tree, 3, 0.5, 0.3), off=(4.0, 12), size=7.0, half=0.7, seed=3,
            share=0.6, kinds=6, detail=1.2,
        ),
        way.beside(
            "ferns", "grass", parts.together(_fern, 4, 1.2, 0.4), off=(2.8, 8), size=0.8, half=1.6, seed=13, share=0.25,
            detail=0.7, tints=((0.7, 0.95, 0.6, 1), (0.9, 0.85, 0.5, 1)),
        ),
        way.beside(
            "rock", "marble", _rock, off=(2.2, 9), size=0.5, half=1.2, seed=23, share=0.07, detail=0.5,
            tints=((0.6, 0.62, 0.6, 1),),
        ),
        parts.crowd(
            "wanderer",
            wander,
            lambda n, at: parts.gait(at.phases(n, 30.0), 0.5),
            number=int(look["people"]),
            detail=2.0,
            shirts=((0.3, 0.3, 0.35), (0.4, 0.3, 0.2)),
        ),
        parts.puffs(
            "mist",
            lambda n, at: np.stack(
                [6 * np.sin(np.arange(n) * 2.0 + at.way / 200), 1.2 + 0 * np.arange(n), -6.0 - 4 * np.arange(n)], axis=1
            ),
            spread=2.0,
            size=1.8,
            colour=(0.7, 0.75, 0.85),
            strength=0.1,
            share=0.03,
            detail=0.2,
        ),
        parts.screen("bars", "panel", [(-0.78, 0.88), (-0.78, 0.78)], (0.16, 0.035), tint=(0.9, 0.4, 0.3, 0.9)),
        parts.screen("sight", "panel", [(0, 0)], (0.008, 0.014), tint=(1, 1, 1, 0.7)),
        parts.screen("words", "letters", [(0.5, -0.88)], (0.02, 0.04), is_letters=True, triangles=20),
    ]  # fmt: skip

    def camera(at: Moment) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        turn = 0.25 * np.sin(at.way / 90)
        return (0.0, 1.7 + 0.05 * np.sin(at.way / 6), 0.0), (10 * np.sin(turn), 1.9, -10 * np.cos(turn))

    return Scene(groups, camera, 65.0, air=(0.42, 0.46, 0.52), haze=0.012)
