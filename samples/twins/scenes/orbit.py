"""Adrift above a planet: an astronaut among the pieces of a station and rocks, stars all around."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samples.twins import shapes
from samples.twins.scenes import parts
from samples.twins.shapes import Shape
from samples.twins.world import Group, Moment, Scene, chance, models, turned

__all__ = ["orbit"]

Floats = NDArray[Any]
_SPEED, _LENGTH = 0.16, 60.0
_PANEL = (0.2, 0.3, 0.75)


def _module(triangles: float, kind: int) -> Shape:
    """A part of the station: a barrel with two wings of solar panels."""
    barrel = shapes.moved(shapes.cylinder(0.6 * triangles, 0.8), size=(0.5, 1.1, 0.5))
    wing = shapes.tinted(shapes.box(0.2 * triangles), *_PANEL)
    return shapes.joined([barrel, *(shapes.moved(wing, (x, 0.2, 0), (0.9, 0.35, 0.03)) for x in (-1.5, 1.5))])


def orbit(look: Mapping[str, float]) -> Scene:
    """Build it; ``look``: ``planet`` its size."""

    def adrift(seed: int, size: float, off: float) -> Any:
        """Things that pass on all sides, each turning by itself."""

        def place(count: int, at: Moment) -> Floats:
            distance = parts.ahead(count, at, seed, _LENGTH, _SPEED)
            angle, away = 6.28 * chance(count, seed + 1), off + 9 * chance(count, seed + 2)
            sizes = size * at.sizes(count, seed + 3)
            spot = np.stack([(away + sizes) * np.cos(angle), (away + sizes) * np.sin(angle), -distance], axis=1)
            return models(spot, sizes, turned(6.28 * chance(count, seed + 4) + at.phases(count, 200.0)))

        return place

    def planet(count: int, at: Moment) -> Floats:
        size = 60.0 * look["planet"]
        return models([[-30.0, -size - 14, -110.0]] * count, size, turned(np.full(count, at.frame * 0.002)))

    def float_about(count: int, at: Moment) -> Floats:
        spot = [0.8 * np.sin(at.frame / 45), -1.3 + 0.5 * np.sin(at.frame / 31), -4.2]
        return models([spot] * count, 1.0, turned(np.full(count, np.pi + 0.7 * np.sin(at.frame / 70))))

    def limbs(count: int, at: Moment) -> Floats:
        return parts.gait(np.full(count, at.frame / 26, np.float32), 0.5)

    groups = [
        parts.dome("stars", detail=0.6),
        Group("planet", "clouds", planet, lambda n, k: shapes.ball(n), number=1, detail=3.0,
              tints=((0.45, 0.65, 1.0, 1),)),
        Group("module", "metal", adrift(3, 1.3, 2.6), _module, share=0.4, detail=1.2, kinds=4),
        Group("rock", "marble", adrift(13, 0.7, 2.2), lambda n, k: shapes.ball(n, 0.6, k), share=0.35, detail=0.8,
              kinds=5, tints=((0.65, 0.6, 0.55, 1),)),
        Group("plate", "metal", adrift(23, 0.5, 1.8), lambda n, k: shapes.moved(shapes.box(n), size=(1, 0.6, 0.05)),
              share=0.25, detail=0.5, tints=((0.3, 0.45, 0.95, 1), (0.9, 0.9, 0.85, 1))),
        parts.crowd("astronaut", float_about, limbs, number=1, detail=4.0, shirts=((0.95, 0.95, 0.97),)),
        parts.puffs("jet", lambda n, at: float_about(n, at)[:, :3, 3] + np.array([0, 0.9, 0.4]), spread=0.3, size=0.4,
                    colour=(0.9, 0.95, 1.0), strength=0.4, number=1, detail=0.4),
        parts.screen("air", "panel", [(-0.74, 0.88), (0.74, 0.88)], (0.2, 0.045), tint=(0.4, 0.8, 1.0, 0.9)),
        parts.screen("buttons", "panel", [(-0.86, -0.78), (0.86, -0.78)], (0.1, 0.15)),
        parts.screen("numbers", "letters", [(-0.2, 0.86)], (0.022, 0.05), is_letters=True, triangles=24),
    ]  # fmt: skip

    def camera(at: Moment) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        return (0.0, 0.0, 0.0), (1.2 * float(np.sin(at.way / 90)), 0.4 * float(np.sin(at.way / 70)) - 0.6, -10.0)

    return Scene(groups, camera, 60.0, air=(0.02, 0.03, 0.06), haze=0.002)
