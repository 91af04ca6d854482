"""A race along a winding road: cars, trees, houses and stands beside it, dust, a dashboard of boards and letters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samples.twins import shapes
from samples.twins.scenes import parts
from samples.twins.world import Group, Moment, Scene, chance, models, turned

__all__ = ["racing"]

Floats = NDArray[Any]
_SPEED, _LENGTH = 0.55, 170.0


def _bend(distance: Floats, at: Moment) -> Floats:
    """How far the road lies to the right of the camera at a distance before it."""
    here = at.way * _SPEED
    bend = 9.0 * (np.sin((distance + here) / 47) - np.sin(here / 47)) - 9.0 / 47 * np.cos(here / 47) * distance * 0.8
    return np.asarray(bend, np.float32)


def _barrier(triangles: float, kind: int) -> shapes.Shape:
    return shapes.moved(shapes.box(triangles, 2.0), (0, 0.5, 0), (0.2, 0.4, 2.4))


def _lamp(triangles: float, kind: int) -> shapes.Shape:
    return shapes.moved(shapes.cylinder(triangles, 0.5), (0, 1, 0), (0.04, 1, 0.04))


def racing(look: Mapping[str, float]) -> Scene:
    """Build it; ``look``: ``rivals`` cars, ``city`` 0 for country and 1 for town."""
    rivals, city = int(look["rivals"]), look["city"]

    def cars(count: int, at: Moment) -> Floats:
        number = np.arange(count)
        distance = 6.0 + 7.5 * number + 2.5 * np.sin(at.frame / 37 + 2.1 * number)
        x = _bend(distance, at) + 2.2 * np.sin(number * 2.4 + at.frame / 61)
        lean = 0.1 * np.sin(at.frame / 23 + number)
        return models(np.stack([x, 0 * x, -distance], axis=1), 1.7, turned(np.pi + lean))

    def own(count: int, at: Moment) -> Floats:
        lean = 0.12 * np.sin(at.frame / 29)
        return models([[0.5 * np.sin(at.frame / 43), 0, -5.2]] * count, 1.5, turned(np.full(count, np.pi + lean)))

    def dust(count: int, at: Moment) -> Floats:
        distance = 4.5 + 6.0 * np.arange(count)
        return np.stack(
            [_bend(distance, at) + 1.5 * np.sin(np.arange(count) * 2.1), 0 * distance + 0.5, -distance], axis=1
        )

    way = parts.Way(_bend, _LENGTH, _SPEED)
    groups: list[Group] = [
        parts.dome(),
        way.lane(
            "ground",
            "grass" if city < 0.5 else "marble",
            half_width=70,
            low=-0.05,
            repeat=24,
            share=0.06,
            height=lambda x, z: 5.5 * np.maximum(np.abs(x) - 0.25, 0) ** 2 * (1.3 + np.sin(5 * z)),
        ),
        way.lane("road", "road", half_width=6, repeat=2, share=0.07),
        way.beside("tree", "grass", shapes.tree, off=(8, 16), size=7.0, seed=3, share=0.34 * (1 - 0.6 * city)),
        way.beside(
            "house",
            "windows",
            lambda n, k: shapes.moved(shapes.box(n, 2.0), (0, 1, 0), (1, 1 + 0.5 * k, 1)),
            off=(12, 14),
            size=3.6,
            seed=21,
            turn=False,
            share=0.14 + 0.22 * city,
            detail=0.5,
        ),
        way.beside("barrier", "metal", _barrier, off=(6.4, 0.4), size=1.0, seed=31, turn=False, share=0.14, detail=0.4),
        way.beside("lamp", "metal", _lamp, off=(6.8, 0.5), size=3.0, seed=41, share=0.1, detail=0.4),
        Group(
            "car",
            "cloth",
            cars,
            lambda n, k: shapes.car(n, parts.PAINTS[k % 6]),
            number=rivals,
            kinds=6,
            detail=4.0,
            is_painted=True,
        ),
        Group(
            "own car",
            "metal",
            own,
            lambda n, k: shapes.car(n, (0.95, 0.55, 0.1)),
            number=1,
            detail=8.0,
            is_painted=True,
        ),
        parts.puffs("dust", dust, spread=0.6, size=0.8, colour=(0.85, 0.8, 0.7), strength=0.35, share=0.05, detail=0.5),
        parts.screen("buttons", "panel", [(-0.86, -0.78), (0.86, -0.78), (0.66, -0.84), (-0.88, 0.84)], (0.09, 0.15)),
        parts.screen("map", "smoke", [(0.84, 0.72)], (0.13, 0.23), tint=(0.2, 0.25, 0.3, 0.8)),
        parts.screen("numbers", "letters", [(-0.2, 0.86), (0.3, 0.86)], (0.02, 0.045), is_letters=True, triangles=32),
    ]

    def camera(at: Moment) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        ahead = float(_bend(np.array([14.0], np.float32), at)[0])
        return (0.0, 2.6 + 0.06 * float(chance(1, at.frame)[0]), 0.0), (ahead, 1.0, -14.0)

    return Scene(groups, camera, 62.0)
