"""A match-three board: sweets on a board that fall when they are cleared, a garden behind, panels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samples.twins import shapes
from samples.twins.scenes import parts
from samples.twins.shapes import Shape
from samples.twins.world import Group, Layer, Moment, Scene, chance, models

__all__ = ["board"]

Floats = NDArray[Any]
_COLUMNS, _ROWS = 9, 9
_CELL = 0.19


def board(look: Mapping[str, float]) -> Scene:
    """Build it; ``look``: ``kinds`` of sweets, each a batch of its own."""
    kinds = int(look["kinds"])

    def place(count: int, at: Moment) -> Floats:
        return models(np.zeros((count, 3)), 1.0)

    def drop(count: int, at: Moment) -> Floats:
        """Kinds fall one after the other, swing where they move."""
        beat = at.way / 24
        falls = (np.arange(count) == int(beat) % max(count, 1)) * max(1 - 2.2 * (beat % 1), 0) ** 2
        sway = 0.004 * np.sin(at.phases(count, 60.0))
        return models(np.stack([sway, _CELL * falls, 0 * sway], axis=1), 1.0)

    cells = np.arange(_COLUMNS * _ROWS)
    middle = np.stack(
        [(cells % _COLUMNS - 4) * _CELL - 0.25, (cells // _COLUMNS - 4) * _CELL - 0.02, 0 * cells], axis=1
    )
    kind_of = (chance(len(cells), 4) * kinds).astype(int)

    def squares(triangles: float, kind: int) -> Shape:
        colours = np.full((len(cells), 4), 235, np.uint8)
        colours[cells % 2 == 0, :3] = 205
        corners = max(round(triangles / len(cells)) + 2, 4)
        uv = np.tile(np.array([[0, 0, 1, 1]], np.float32), (len(cells), 1))
        half = np.full((len(cells), 2), _CELL * 0.49, np.float32)
        return shapes.polygon_board(middle.astype(np.float32), half, uv, colours, corners)

    def sweets(triangles: float, kind: int) -> Shape:
        own = middle[kind_of == kind].astype(np.float32)
        corners = max(round(triangles / max(len(own), 1)) + 2, 4)
        uv = np.tile(np.array([[0, 0, 1, 1]], np.float32), (len(own), 1))
        colours = np.full((len(own), 4), 255, np.uint8)
        colours[:, :3] = (255 * np.array(parts.PAINTS[kind % 6])).astype(np.uint8)
        return shapes.polygon_board(own, np.full((len(own), 2), _CELL * 0.44, np.float32), uv, colours, corners)

    def layer(count: int, at: Moment) -> Floats:
        size = np.minimum(at.scale, 3.0) ** 0.5
        return models([[-0.25, -0.02, 0]] * count, np.array([[0.9 * size, 0.88 * size, 1]] * count))

    def glow(count: int, at: Moment) -> Floats:
        angle = np.arange(count) * 2.4 + at.way * 0.01
        spot = np.stack([-0.25 + 0.5 * np.sin(angle), 0.5 * np.cos(angle * 1.3), 0 * angle], axis=1)
        return models(spot, 0.7 * at.scale)

    flat: dict[str, Any] = {"layer": Layer.SCREEN, "kinds": 1}
    groups = [
        parts.backdrop("clouds", 1.0, tints=((1.0, 0.75, 0.85, 1),)),
        Group(
            "garden",
            "grass",
            lambda n, at: models([[0, -0.85, 0]] * n, np.array([[at.aspect, 0.3, 1]] * n)),
            lambda n, k: shapes.plate(n, 4.0),
            number=1,
            detail=0.3,
            **flat,
        ),
        Group(
            "board",
            "planks",
            layer,
            lambda n, k: shapes.plate(n, 2.0),
            number=1,
            detail=0.3,
            tints=((0.6, 0.5, 0.8, 0.8),),
            **flat,
        ),
        Group("squares", "panel", place, squares, number=1, detail=1.0, **flat),
        Group("sweets", "gem", drop, sweets, number=kinds, detail=1.6, layer=Layer.SCREEN, kinds=kinds),
        Group(
            "glow",
            "smoke",
            glow,
            lambda n, k: shapes.plate(n),
            share=1.0,
            detail=0.15,
            tints=((1, 1, 0.8, 0.35), (1, 0.7, 0.9, 0.3)),
            layer=Layer.SCREEN,
        ),
        parts.screen("panel", "panel", [(0.78, 0.0)], (0.24, 0.75), triangles=8),
        parts.screen(
            "buttons", "panel", [(0.78, -0.5), (0.78, -0.1)], (0.19, 0.12), tint=(1, 0.8, 0.4, 1), triangles=8
        ),
        parts.screen("score", "letters", [(0.6, 0.45), (0.6, 0.25)], (0.035, 0.06), is_letters=True, triangles=24),
    ]
    return Scene(groups, lambda at: ((0, 0, 1), (0, 0, 0)), 60.0)
