"""Seen from the side, the way goes to the right: a race of toy cars over hills and loops, or a fight before houses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samples.twins import shapes
from samples.twins.scenes import parts
from samples.twins.shapes import Shape
from samples.twins.world import Group, Moment, Scene, chance, models, turned, wrapped

__all__ = ["sideways"]

Floats = NDArray[Any]
_SPEED, _PIECE, _PIECES = 0.22, 16.0, 5
_LENGTH = _PIECE * _PIECES


def _tilted(slopes: ArrayLike) -> Floats:
    """(N, 3, 3) turns that lead along x with these slopes, of what looks along z."""
    angle = np.arctan(np.asarray(slopes, np.float32))
    out = np.zeros((len(angle), 3, 3), np.float32)
    out[:, 0, 0] = out[:, 1, 1] = np.cos(angle)
    out[:, 1, 0], out[:, 0, 1] = np.sin(angle), -np.sin(angle)
    out[:, 2, 2] = 1
    return np.asarray(out @ turned(np.full(len(angle), np.pi / 2)), np.float32)


def _loop(triangles: float, kind: int) -> Shape:
    """A hoop of the track, upright along the way."""
    angles = np.arange(14) / 14 * 2 * np.pi
    return shapes.joined(
        [
            # Every other one is narrower, so that no two that overlap have faces in one plane.
            shapes.moved(shapes.box(triangles / 14), (2 * np.sin(at), 2.2 + 2 * np.cos(at), 0), (0.42, 0.42, half))
            for at, half in zip(angles, np.tile([0.8, 0.77], 7), strict=True)
        ]
    )


def _crate(triangles: float, kind: int) -> Shape:
    return shapes.moved(shapes.box(triangles), (0, 1, 0))


def _house(triangles: float, kind: int) -> Shape:
    return shapes.moved(shapes.box(triangles, 2.0), (0, 1, 0), (1, 1 + 0.3 * kind, 1))


def _hill(triangles: float, kind: int) -> Shape:
    return shapes.moved(shapes.ball(triangles), size=(1.6, 0.8 + 0.2 * kind, 0.6))


def sideways(look: Mapping[str, float]) -> Scene:
    """Build it; ``look``: ``race`` 1 for cars, 0 for a fight; ``figures`` that drive or fight."""
    is_race, figures = look["race"] >= 0.5, int(look["figures"])
    high = 1.3 if is_race else 0.0

    def height(x: ArrayLike, at: Moment) -> Floats:
        return np.asarray(high * np.sin((np.asarray(x) + at.way * _SPEED) / _PIECE * 2 * np.pi), np.float32)

    def ground(half: float, low: float) -> Callable[[int, Moment], Floats]:
        def place(count: int, at: Moment) -> Floats:
            x = wrapped(np.arange(count) * _PIECE - at.way * _SPEED, -_LENGTH / 2, _LENGTH) + _PIECE / 2
            return models(np.stack([x, 0 * x + low, 0 * x], axis=1), np.array([[_PIECE / 2, 1, half]] * count))

        return place

    def row(far: float, low: float, size: float, seed: int) -> Callable[[int, Moment], Floats]:
        """Things that pass by at a distance behind the way."""

        def place(count: int, at: Moment) -> Floats:
            even = (np.arange(count) + 0.7 * chance(count, seed)) / max(count, 1) * _LENGTH
            x = wrapped(even - at.way * _SPEED, -_LENGTH / 2, _LENGTH)
            sway = 0.03 * np.sin(at.phases(count, 80.0))
            spot = np.stack([x, 0 * x + low, -far - 0.3 * far * chance(count, seed + 1)], axis=1)
            return models(spot, size * at.sizes(count, seed + 2), turned(sway))

        return place

    def actors(count: int, at: Moment) -> Floats:
        number = np.arange(count)
        x = -3.0 + 3.1 * number + 0.9 * np.sin(at.frame / 41 + 2.3 * number)
        slope = height(x + 0.1, at) - height(x - 0.1, at)
        turn = _tilted(5 * slope) if is_race else turned(np.where(number % 2, -1.0, 1.0) * np.pi / 2)
        return models(np.stack([x, height(x, at) + 0.1, 1.2 * np.sin(number * 2.1)], axis=1), 1.5, turn)

    def blows(count: int, at: Moment) -> Floats:
        return parts.gait(at.way / 11 + 2.0 * np.arange(count), 1.1)

    def dust(count: int, at: Moment) -> Floats:
        x = -4.6 + 3.1 * np.arange(count)
        return np.stack([x, height(x, at) + 0.4, 0 * x + 0.6], axis=1)

    def sheet(triangles: float, kind: int) -> Shape:
        return shapes.sheet(triangles, lambda x, z: high * np.sin(np.pi * (x + 1)), 4.0)

    groups = [
        parts.dome(tint=(1.1, 1.1, 1.1) if is_race else (0.75, 0.72, 0.8)),
        Group("ground", "grass" if is_race else "marble", ground(30.0, 0.0), sheet, number=_PIECES, kinds=1,
              detail=0.7),
        *([Group("track", "road", ground(2.0, 0.06), sheet, number=_PIECES, kinds=1, detail=0.7,
                 tints=((1.3, 0.65, 0.25, 1),))] if is_race else []),
        Group(
            "far hill" if is_race else "tower", "grass" if is_race else "windows",
            row(22.0, -1.0, 6.0, 3), _hill if is_race else _house, share=0.3,
            tints=((0.75, 0.85, 0.95, 1),),
        ),
        Group(
            "tree" if is_race else "house", "grass" if is_race else "bricks",
            row(7.0, -0.5, 5.0 if is_race else 3.4, 13), shapes.tree if is_race else _house, share=0.45,
        ),
        Group(
            "loop" if is_race else "crate", "metal" if is_race else "planks",
            row(2.4, 0.0, 1.0 if is_race else 0.7, 23), _loop if is_race else _crate, share=0.2,
            tints=((1.2, 0.5, 0.2, 1), (0.3, 0.5, 1.2, 1)) if is_race else ((1, 0.9, 0.8, 1),),
        ),
        Group("car", "cloth", actors, lambda n, k: shapes.car(n, parts.PAINTS[k % 6]), number=figures, kinds=6,
              detail=4.0, is_painted=True)
        if is_race
        else parts.crowd("fighter", actors, blows, number=figures, kinds=3, detail=3.0,
                         shirts=((0.2, 0.3, 0.8), (0.35, 0.35, 0.3), (0.5, 0.2, 0.2))),
        parts.puffs("dust", dust, spread=0.5, size=0.7, colour=(0.9, 0.85, 0.75), strength=0.3, number=1, detail=0.3),
        parts.screen("buttons", "panel", [(-0.85, -0.75), (0.85, -0.75), (0.65, -0.82)], (0.09, 0.15)),
        parts.screen("bars", "panel", [(-0.6, 0.88), (0.6, 0.88)], (0.3, 0.05), tint=(0.95, 0.5, 0.3, 0.95)),
        parts.screen("numbers", "letters", [(-0.1, 0.86)], (0.02, 0.045), is_letters=True, triangles=20),
    ]  # fmt: skip

    def camera(at: Moment) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        return (0.4 * float(np.sin(at.way / 70)), 3.4, 10.5), (0.0, 2.2, 0.0)

    return Scene(groups, camera, 52.0, air=(0.7, 0.78, 0.9) if is_race else (0.5, 0.52, 0.6))
