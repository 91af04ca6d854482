"""A derby in an arena of sand: dented cars that run into each other, heaps of tyres, a wall, stands full of people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samples.twins import shapes
from samples.twins.scenes import parts
from samples.twins.shapes import Shape
from samples.twins.world import Group, Moment, Scene, chance, models, turned

__all__ = ["arena"]

Floats = NDArray[Any]
_RADIUS = 34.0


def _tyres(triangles: float, kind: int) -> Shape:
    return shapes.joined(
        [shapes.moved(shapes.cylinder(triangles / 3), (0, 0.2 + 0.4 * k, 0), (0.5, 0.19, 0.5)) for k in range(3)]
    )


def _wreck(triangles: float, kind: int) -> Shape:
    """A car that has been hit: shorter, higher on one side."""
    dent = 0.75 + 0.08 * (kind % 4)
    return shapes.moved(shapes.car(triangles, parts.PAINTS[kind % 6]), size=(1.1, 1.0, dent))


def _board(triangles: float, kind: int) -> Shape:
    return shapes.moved(shapes.box(triangles, 2.0), (0, 1, 0))


def arena(look: Mapping[str, float]) -> Scene:
    """Build it; ``look``: ``cars``."""

    def heading(at: Moment) -> float:
        return at.way / 75

    def own_spot(at: Moment) -> Floats:
        angle = heading(at)
        return np.array([15 * np.sin(angle), 0.0, 15 * np.cos(angle)], np.float32)

    def own(count: int, at: Moment) -> Floats:
        return models([own_spot(at)] * count, 1.6, turned(np.full(count, heading(at) + np.pi / 2)))

    def cars(count: int, at: Moment) -> Floats:
        number = np.arange(count)
        angle = number * 2.399 + np.sin(at.frame / 47 + number) * 0.3 - at.way / 190
        away = 5 + (_RADIUS - 9) * chance(count, 3)
        spot = np.stack([away * np.sin(angle), 0 * angle, away * np.cos(angle)], axis=1)
        return models(spot, 1.5 * at.sizes(count, 5) / at.scale**0.8, turned(angle * 1.7 + at.phases(count, 130.0)))

    def circle(radius: float, seed: int, size: Callable[[int], ArrayLike]) -> Callable[[int, Moment], Floats]:
        """Things side by side all around, looking inwards; ``size`` of each follows from their number."""

        def place(count: int, at: Moment) -> Floats:
            angle = np.arange(count) / max(count, 1) * 2 * np.pi
            spot = np.stack([radius * np.sin(angle), 0 * angle, radius * np.cos(angle)], axis=1)
            high = at.scale**0.5 * (1 + 0.1 * chance(count, seed))
            sizes = np.stack([0 * high + 1, high, 0 * high + 1], axis=1) * np.asarray(size(count), np.float32)
            return models(spot, sizes, turned(angle + np.pi))

        return place

    def closed(radius: float, high: float) -> Callable[[int], ArrayLike]:
        return lambda count: (1.03 * np.pi * radius / max(count, 1), high, 0.4)

    def heaps(count: int, at: Moment) -> Floats:
        # Where the camera does not go.
        angle, away = 6.28 * chance(count, 13), 21 + (_RADIUS - 23) * chance(count, 14)
        spot = np.stack([away * np.sin(angle), 0 * angle, away * np.cos(angle)], axis=1)
        return models(spot, at.sizes(count, 15) / at.scale**0.4)

    def smoke(count: int, at: Moment) -> Floats:
        return np.asarray(cars(count, at)[:, :3, 3] + np.array([0, 1.4, 0]), np.float32)

    groups = [
        parts.dome(),
        parts.floor("sand", "sand", 60.0, 0.0, 14.0, number=4),
        Group("wall", "bricks", circle(_RADIUS, 7, closed(_RADIUS, 1.1)), _board, share=0.2, detail=0.5),
        Group("stand", "cloth", circle(_RADIUS + 7, 9, lambda count: (2.4, 2.4, 2.4)), parts.seated, share=0.26,
              detail=1.6, kinds=4, is_painted=True),
        Group("banner", "planks", circle(_RADIUS + 18, 11, closed(_RADIUS + 18, 6.0)), _board, share=0.14, detail=0.4,
              tints=((0.9, 0.3, 0.25, 1), (0.95, 0.85, 0.4, 1), (0.3, 0.45, 0.9, 1))),
        Group("tyres", "cloth", heaps, _tyres, share=0.3, detail=0.6, tints=((0.22, 0.22, 0.24, 1),)),
        Group("car", "metal", cars, _wreck, number=int(look["cars"]), kinds=6, detail=3.0, is_painted=True),
        Group("own car", "metal", own, lambda n, k: shapes.car(n, (0.95, 0.75, 0.1)), number=1, detail=6.0,
              is_painted=True),
        parts.puffs("smoke", smoke, spread=0.7, size=1.1, colour=(0.35, 0.35, 0.37), strength=0.4, share=0.1,
                    detail=0.5),
        parts.screen("damage", "panel", [(-0.7, 0.88), (0.7, 0.88)], (0.22, 0.05), tint=(0.95, 0.35, 0.25, 0.95)),
        parts.screen("pedals", "panel", [(-0.86, -0.76), (0.86, -0.76), (0.68, -0.8)], (0.09, 0.16)),
        parts.screen("numbers", "letters", [(-0.2, 0.86)], (0.022, 0.05), is_letters=True, triangles=24),
    ]  # fmt: skip

    def camera(at: Moment) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        angle = heading(at)
        ahead = np.array([np.cos(angle), 0, -np.sin(angle)])
        x, _, z = own_spot(at) - 5.5 * ahead
        to_x, _, to_z = own_spot(at) + 6 * ahead
        return (float(x), 2.9, float(z)), (float(to_x), 1.0, float(to_z))

    return Scene(groups, camera, 62.0, air=(0.82, 0.78, 0.7))
