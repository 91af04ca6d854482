"""A village or a realm seen from above at a slant, as strategy games show it.

Sprites of houses and trees are drawn from far to near over ground and paths; panels lie around.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samples.twins import shapes
from samples.twins.scenes import parts
from samples.twins.shapes import Shape
from samples.twins.world import Group, Layer, Moment, Scene, chance, models

__all__ = ["isle"]

Floats = NDArray[Any]


def isle(look: Mapping[str, float]) -> Scene:
    """Build it; ``look``: ``batch`` sprites of a draw, ``houses`` size of a house, ``fields`` layers of ground."""
    batch, house = int(look["batch"]), look["houses"]

    def pan(at: Moment) -> tuple[float, float]:
        return 0.25 * np.sin(at.way / 160), 0.18 * np.sin(at.way / 210 + 1)

    def ground(count: int, at: Moment) -> Floats:
        x, y = pan(at)
        number = np.arange(count)
        spot = np.stack([x + 0.1 * np.sin(2.0 * number), y + 0.1 * np.cos(3.1 * number), 0 * number], axis=1)
        return models(spot, np.stack([2.2 - 0.12 * number, 1.5 - 0.1 * number, 1 + 0 * number], axis=1))

    def rows(seed: int) -> Floats:
        """Fields of a ground that is seen at a slant, (64, 3), the far ones first; two sets lie apart."""
        number = np.arange(64)
        across, along = number % 8 - 3.5, number // 8 - 3.5
        apart = chance(2, seed) - 0.5
        spots = np.stack([0.25 * (across - along + apart[0]), 0.14 * (across + along + apart[1]), 0.0 * number], axis=1)
        return spots[np.argsort(-spots[:, 1], kind="stable")].astype(np.float32)

    def placed(seed: int, size: float) -> Any:
        def place(count: int, at: Moment) -> Floats:
            x, y = pan(at)
            spots = rows(seed)[np.linspace(0, 63, max(count, 1)).astype(int)[:count]]
            sway = 0.006 * np.sin(at.phases(count, 70.0))
            return models(spots + np.stack([x + sway, y + 0 * sway, 0 * sway], axis=1), size * at.sizes(count, seed))

        return place

    def sprites(picture_corners: int, seed: int) -> Any:
        def shape(triangles: float, kind: int) -> Shape:
            # Fields again, those that chance picks.
            chosen = np.argsort(chance(16, seed + kind), kind="stable")[:batch] if batch <= 16 else np.arange(batch)
            across, along = chosen % 4 - 1.5, chosen // 4 - 1.5
            spots = np.stack([0.62 * (across - along), 0.35 * (across + along), 0.0 * chosen], axis=1)
            spots = spots[np.argsort(-spots[:, 1], kind="stable")].astype(np.float32)
            corners = max(round(triangles / batch) + 2, picture_corners)
            uv = np.tile(np.array([[0, 0, 1, 1]], np.float32), (batch, 1))
            colours = np.full((batch, 4), 255, np.uint8)
            colours[:, :3] = 225 + 30 * chance(3 * batch, seed + 5).reshape(-1, 3)
            return shapes.polygon_board(spots, np.full((batch, 2), 0.5, np.float32), uv, colours, corners)

        return shape

    flat: dict[str, Any] = {"layer": Layer.SCREEN}
    groups = [
        parts.backdrop("grass", 2.0, number=6, tints=((0.75, 0.85, 0.7, 1),)),
        Group(
            "field",
            "grass",
            ground,
            lambda n, k: shapes.plate(n, 3.0),
            number=int(look["fields"]),
            detail=0.2,
            tints=((0.8, 0.95, 0.6, 1), (1, 0.9, 0.6, 0.7)),
            **flat,
        ),
        Group(
            "path",
            "sand",
            placed(3, 0.1),
            lambda n, k: shapes.moved(shapes.plate(n, 2.0), size=(1.8, 0.3, 1)),
            share=0.1,
            detail=0.3,
            **flat,
        ),
        Group("trees behind", "leaves", placed(11, 0.22), sprites(6, 31), share=0.15, **flat),
        Group("house", "house", placed(23, house), sprites(4, 41), share=0.55, kinds=7, **flat),
        Group("trees", "leaves", placed(37, 0.16), sprites(6, 51), share=0.1, tints=((0.6, 0.9, 0.5, 1),), **flat),
        Group(
            "people", "gem", placed(43, 0.05), sprites(4, 61), share=0.1, detail=0.6, tints=((1, 0.8, 0.6, 1),), **flat
        ),
        parts.screen(
            "bars", "panel", [(0.72, 0.88), (0.72, 0.72), (-0.8, 0.88)], (0.17, 0.055), tint=(0.9, 0.8, 0.4, 1)
        ),
        parts.screen("buttons", "panel", [(-0.85, -0.75), (0.85, -0.75), (0.85, -0.4)], (0.1, 0.15)),
        parts.screen(
            "names", "letters", [(0.6, 0.85), (0.6, 0.69), (-0.92, 0.85)], (0.018, 0.035), is_letters=True, triangles=48
        ),
    ]
    return Scene(groups, lambda at: ((0, 0, 1), (0, 0, 0)), 60.0)
