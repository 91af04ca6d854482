"""The streets of a town by the sea, behind somebody who walks them: houses, palms, cars, people, lamps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samples.twins import shapes
from samples.twins.scenes import parts
from samples.twins.shapes import Shape
from samples.twins.world import Group, Moment, Scene, chance, models, turned

__all__ = ["town"]

Floats = NDArray[Any]
_SPEED, _LENGTH = 0.11, 85.0


def _straight(distance: Floats, at: Moment) -> Floats:
    return 0 * distance


def _house(triangles: float, kind: int) -> Shape:
    return shapes.moved(shapes.box(triangles, 2.0), (0, 1, 0), (1, 0.8 + 0.4 * kind, 1.2))


def _palm(triangles: float, kind: int) -> Shape:
    """A bare trunk with leaves that hang from its top."""
    trunk = shapes.moved(shapes.cylinder(0.4 * triangles, 0.7), (0, 0.45, 0), (0.035, 0.45, 0.035))
    turns = [(0.22, 0), (-0.22, 0), (0, 0.22), (0, -0.22)]
    leaf = shapes.tinted(shapes.ball(0.15 * triangles), 0.3, 0.75, 0.3)
    leaves = [shapes.moved(leaf, (x, 0.9, z), (0.06 + abs(x), 0.04, 0.06 + abs(z))) for x, z in turns]
    return shapes.joined([shapes.tinted(trunk, 0.6, 0.5, 0.35), *leaves])


def town(look: Mapping[str, float]) -> Scene:
    """Build it; ``look``: ``people`` and ``cars``."""
    way = parts.Way(_straight, _LENGTH, _SPEED)

    def hero(count: int, at: Moment) -> Floats:
        return models([[0.25 * np.sin(at.frame / 60), 0, -3.4]] * count, 1.0, turned(np.full(count, np.pi)))

    def stride(count: int, at: Moment) -> Floats:
        return parts.gait(np.full(count, at.frame * 0.2, np.float32), 0.7)

    def crossing(count: int, at: Moment) -> Floats:
        number = np.arange(count)
        distance = parts.ahead(count, at, 51, 40.0, _SPEED) + 3
        x = np.where(number % 2, 4.3, -4.3) + np.sin(number * 2.7 + at.phases(count, 150.0))
        return models(np.stack([x, 0 * x, -distance], axis=1), 1.0, turned(number * 1.3))

    def traffic(count: int, at: Moment) -> Floats:
        number = np.arange(count)
        comes = number % 2 == 1
        distance = parts.ahead(count, at, 61, _LENGTH, _SPEED * 1.6)
        x = np.where(comes, -1.9, 1.9)
        return models(np.stack([x, 0 * x, -distance - 5], axis=1), 1.6, turned(np.where(comes, 0.0, np.pi)))

    groups = [
        parts.dome(tint=(1.1, 1.0, 0.95)),
        way.lane("ground", "marble", half_width=46, low=-0.05, repeat=16, share=0.05),
        way.lane("street", "road", half_width=3.8, repeat=3, share=0.05, detail=0.6),
        way.beside("house", "windows", _house, off=(9.0, 12), size=4.2, seed=3, turn=False, share=0.34, kinds=5,
                   detail=0.6, tints=((1, 0.85, 0.8, 1), (0.85, 1, 1, 1), (1, 1, 0.85, 1))),
        way.beside("palm", "grass", _palm, off=(5.2, 1.5), size=5.0, seed=13, share=0.16, kinds=2,
                   is_painted=True),
        way.beside("lamp", "metal", lambda n, k: shapes.moved(shapes.cylinder(n, 0.5), (0, 1, 0), (0.05, 1, 0.05)),
                   off=(4.4, 0.3), size=2.2, seed=23, share=0.12, detail=0.4),
        way.beside("crate", "planks", lambda n, k: shapes.moved(shapes.box(n), (0, 1, 0)), off=(5.0, 2), size=0.5,
                   seed=33, share=0.14, detail=0.4),
        Group("car", "cloth", traffic, lambda n, k: shapes.car(n, parts.PAINTS[k % 6]), number=int(look["cars"]),
              kinds=6, detail=3.0, is_painted=True),
        parts.crowd("passer-by", crossing, lambda n, at: parts.gait(at.phases(n, 26.0), 0.6),
                    number=int(look["people"]), kinds=5, detail=3.0),
        parts.crowd("hero", hero, stride, number=1, detail=5.0, shirts=((0.15, 0.15, 0.18),)),
        parts.puffs(
            "smoke",
            lambda n, at: np.stack([4 * (chance(n, 3) - 0.5), 0.6 + 0 * np.arange(n), -6 - 4.0 * np.arange(n)], axis=1),
            spread=0.8, size=0.9, colour=(0.8, 0.8, 0.8), strength=0.25, share=0.06, detail=0.4,
        ),
        parts.screen("map", "smoke", [(-0.82, 0.7)], (0.15, 0.26), tint=(0.15, 0.3, 0.2, 0.85)),
        parts.screen("buttons", "panel", [(-0.84, -0.74), (0.84, -0.74), (0.64, -0.82), (0.84, -0.4)], (0.09, 0.15)),
        parts.screen("money", "letters", [(0.55, 0.84), (0.55, 0.7)], (0.022, 0.045), is_letters=True, triangles=28),
    ]  # fmt: skip

    def camera(at: Moment) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        turn = 0.12 * np.sin(at.way / 80)
        return (0.5, 2.3, 0.0), (10 * float(np.sin(turn)), 1.3, -10 * float(np.cos(turn)))

    return Scene(groups, camera, 62.0, air=(0.85, 0.8, 0.78), haze=0.007)
