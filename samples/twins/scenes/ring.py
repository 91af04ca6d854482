"""A boxing match of two robots in a ring: ropes, posts, a hall with rows of people, lamps, bars of strength."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samples.twins import shapes
from samples.twins.scenes import parts
from samples.twins.shapes import JOINTS, Shape
from samples.twins.world import Group, Layer, Moment, Scene, models, turned

__all__ = ["ring"]

Floats = NDArray[Any]
_STEEL = ((0.75, 0.3, 0.25), (0.3, 0.45, 0.8))


def _shaft(triangles: float, kind: int) -> Shape:
    """The beam of a lamp: its light fades downwards."""
    beam = shapes.moved(shapes.cylinder(triangles, 0.25), size=(1.1, 3.2, 1.1))
    colours = beam.colours.copy()
    colours[:, 3] = (60 * np.clip(beam.vertices[:, 1] / 6.4 + 0.5, 0, 1)).astype(np.uint8)
    return replace(beam, colours=colours)


def ring(look: Mapping[str, float]) -> Scene:
    """Build it; ``look``: ``reach`` of the hall, metres; ``lights`` above the ring."""
    reach = look["reach"]

    def boxers(count: int, at: Moment) -> Floats:
        side = np.where(np.arange(count) % 2, 1.0, -1.0)
        x = side * (0.95 + 0.15 * np.sin(at.way / 17 + side))
        return models(np.stack([x, 0 * x, 0 * x], axis=1), 1.5, turned(-side * np.pi / 2))

    def punches(count: int, at: Moment) -> Floats:
        out = np.zeros((count, len(JOINTS)), np.float32)
        names = list(JOINTS)
        for number in range(count):
            beat = np.sin(at.way / 9 + 2.4 * number)
            for side, sign in (("l", 1.0), ("r", -1.0)):
                strike = max(sign * beat, 0) ** 3
                out[number, names.index(f"upper arm {side}")] = -0.7 - 0.9 * strike
                out[number, names.index(f"lower arm {side}")] = -1.8 + 1.6 * strike
                out[number, names.index(f"upper leg {side}")] = 0.25 * sign
            out[number, names.index("chest")] = 0.15 * beat
        return out

    def around(count: int, radius: float, height: float, scale: float, at: Moment, seed: int) -> Floats:
        angle = np.linspace(-1.9, 1.9, count) + 0.02 * np.sin(at.phases(count, 40.0))
        spot = np.stack([radius * np.sin(angle), np.full(count, height), -radius * np.cos(angle)], axis=1)
        return models(spot, scale * at.sizes(count, seed), turned(-angle))

    def rows(count: int, at: Moment) -> Floats:
        return around(count, reach, 0.2, 1.0, at, 5)

    def ropes(count: int, at: Moment) -> Floats:
        number = np.arange(count)
        side, row = number % 3 - 1, number // 3
        spot = np.stack([3.2 * side, 0.5 + 0.45 * row, np.where(side == 0, -3.2, 0.0)], axis=1)
        return models(
            spot, np.stack([np.where(side == 0, 3.2, 0.04), 0.04 + 0 * number, np.where(side == 0, 0.04, 3.2)], axis=1)
        )

    def posts(count: int, at: Moment) -> Floats:
        side = np.where(np.arange(count) % 2, 1.0, -1.0)
        return models(
            np.stack([3.2 * side, 0 * side, -3.2 + 6.0 * (np.arange(count) // 2)], axis=1),
            np.array([[0.14, 1.7, 0.14]] * count),
        )

    groups = [
        parts.dome("stars", (0.5, 0.5, 0.7)),
        parts.floor("hall", "metal", 40.0, -0.6, 14.0, number=2, tints=((0.35, 0.35, 0.45, 1),)),
        parts.floor("canvas", "cloth", 3.6, 0.0, 5.0, number=3, tints=((0.45, 0.5, 0.62, 1),)),
        Group("seats", "cloth", rows, parts.seated, share=0.45, detail=1.6, is_painted=True),
        Group(
            "lamp",
            "metal",
            lambda n, at: around(n, 9.0, 6.5, 0.6, at, 9),
            lambda n, k: shapes.ball(n),
            share=0.15,
            detail=0.4,
            tints=((1.5, 1.5, 1.2, 1),),
        ),
        Group(
            "rope",
            "cloth",
            ropes,
            lambda n, k: shapes.box(n),
            share=0.25,
            detail=0.4,
            tints=((1, 0.25, 0.2, 1), (1, 1, 1, 1), (0.3, 0.4, 1, 1)),
        ),
        Group(
            "post", "metal", posts, lambda n, k: shapes.moved(shapes.cylinder(n), (0, 0.5, 0)), share=0.15, detail=0.5
        ),
        parts.crowd(
            "boxer", boxers, punches, image="metal", is_robot=True, number=2, kinds=2, detail=5.0, shirts=_STEEL
        ),
        Group(
            "light",
            "cloth",
            lambda n, at: around(n, 3.0, 3.2, 1.0, at, 3),
            _shaft,
            number=int(look["lights"]),
            detail=0.6,
            textures=0.0,
            layer=Layer.BLENDED,
            tints=((0.8, 0.85, 1.0, 1),),
            is_painted=True,
        ),
        parts.screen("strength", "panel", [(-0.5, 0.86), (0.5, 0.86)], (0.4, 0.06), tint=(0.95, 0.75, 0.2, 1)),
        parts.screen(
            "buttons", "panel", [(-0.85, -0.75), (0.85, -0.75), (0.65, -0.82)], (0.1, 0.15), tint=(0.9, 0.9, 1, 0.75)
        ),
        parts.screen("names", "letters", [(-0.85, 0.7), (0.6, 0.7)], (0.02, 0.04), is_letters=True, triangles=24),
    ]

    def camera(at: Moment) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        angle = 0.25 * np.sin(at.way / 120)
        return (5.2 * np.sin(angle), 2.1, 5.2 * np.cos(angle)), (0.0, 1.45, 0.0)

    return Scene(groups, camera, 55.0, air=(0.12, 0.13, 0.2), haze=0.004)
