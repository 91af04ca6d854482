"""First person: the aisles of a maze of hedges, the lanes of a town under fire, roofs through a scope."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samples.twins import shapes
from samples.twins.scenes import parts
from samples.twins.world import Group, Layer, Moment, Scene, chance, models, turned

__all__ = ["maze"]

Floats = NDArray[Any]
_SPEED, _LENGTH = 0.16, 80.0


def _straight(distance: Floats, at: Moment) -> Floats:
    return 0 * distance


def maze(look: Mapping[str, float]) -> Scene:
    """Build it; ``look``: ``hedges`` 1 for a maze, 0 for a town; ``people``; ``figures`` their triangles to those of
    other things; ``eye`` metres above the ground, looking ``down`` so much; ``scope``, ``weapon``, ``puffs``; ``view``
    in degrees.
    """
    hedges, people, eye = look["hedges"] >= 0.5, int(look["people"]), look["eye"]
    way = parts.Way(_straight, _LENGTH, _SPEED)

    def walls(count: int, at: Moment) -> Floats:
        """Blocks in rows across, with an aisle in the middle and gaps by chance."""
        number = np.arange(count)
        row, place = number // 6, number % 6
        # Not quite in line, so that no two of their faces lie in one plane.
        distance = -3.0 + (row * 5.0 + chance(count, 9) - at.way * _SPEED) % max(5.0 * np.ceil(count / 6), 5.0)
        sizes = at.sizes(count, 12)
        # The aisle stays free.
        first = np.maximum(3.2, block[0] * sizes + 1.0)
        side = np.where(place % 2, 1, -1) * (first + 4.6 * (place // 2) + 0.5 * chance(count, 8))
        return models(np.stack([side, 0 * side, -distance], axis=1), sizes)

    def stroll(count: int, at: Moment) -> Floats:
        distance = 6 + 6.5 * np.arange(count) + 2 * np.sin(at.frame / 80 + np.arange(count))
        x = 2.0 * np.sin(np.arange(count) * 2.7 + 0.5 + at.phases(count, 140.0))
        return models(np.stack([x, 0 * x, -distance], axis=1), 1.0, turned(0.7 * np.sin(np.arange(count)) + 0.2))

    def step(count: int, at: Moment) -> Floats:
        return parts.gait(at.phases(count, 24.0), 0.6)

    def hand(count: int, at: Moment) -> Floats:
        bob = 0.03 * np.sin(at.frame / 5)
        return models([[0.42, eye - 0.42 + bob, -1.0]] * count, 0.32, turned(np.full(count, 0.12)))

    block = (0.9, 1.6, 1.9) if hedges else (1.7, 2.3, 2.1)
    groups = [
        parts.dome(detail=0.4),
        way.lane("ground", "sand" if not hedges else "grass", half_width=34, low=0.0, repeat=16, share=0.1),
        Group(
            "hedge" if hedges else "house",
            "leaves" if hedges else "windows",
            walls,
            lambda n, k: shapes.moved(shapes.box(n, 2.0) if k else shapes.box(n, 3.0), (0, block[1], 0), block),
            share=0.5,
            kinds=3,
            tints=((1, 1, 1, 1), (0.9, 1, 0.9, 1), (1, 0.92, 0.85, 1)),
        ),
        way.beside(
            "statue" if hedges else "crate",
            "marble" if hedges else "planks",
            (lambda n, k: shapes.moved(shapes.ball(n, 0.3, k), (0, 1, 0)))
            if hedges
            else (lambda n, k: shapes.moved(shapes.box(n), (0, 1, 0))),
            off=(1.5, 1.1),
            size=0.5,
            seed=17,
            share=0.25,
            detail=0.8,
        ),
        way.beside("tree", "grass", shapes.tree, off=(5, 12), size=5.0, seed=27, share=0.15, detail=0.8),
    ]
    if people:
        groups.append(parts.crowd("fighter", stroll, step, number=people, kinds=4, detail=look["figures"]))
    if look["weapon"] >= 0.5:
        groups.append(
            Group(
                "weapon",
                "metal",
                hand,
                lambda n, k: shapes.tinted(
                    shapes.joined(
                        [
                            shapes.moved(shapes.box(n / 2), size=(0.16, 0.22, 1.1)),
                            shapes.moved(shapes.ball(n / 2), (0, -0.3, 0.6), (0.14, 0.35, 0.2)),
                        ]
                    ),
                    0.45,
                    0.45,
                    0.5,
                ),
                number=1,
                detail=2.0,
            )
        )
    if look["scope"] >= 0.5:
        groups.append(
            Group(
                "scope",
                "smoke",
                lambda n, at: models([[0, 0, 0]] * n, np.array([[1.25, 1.25, 1]] * n)),
                lambda n, k: shapes.plate(n),
                number=1,
                triangles=2,
                tints=((0.1, 0.15, 0.1, 0.6),),
                layer=Layer.SCREEN,
            )
        )
    groups += [
        parts.puffs(
            "dust",
            lambda n, at: np.stack(
                [2 * np.sin(np.arange(n) * 2.0), 0.4 + 0 * np.arange(n), -5.0 - 5 * np.arange(n)], axis=1
            ),
            spread=0.8,
            size=0.9,
            colour=(0.9, 0.85, 0.7),
            strength=0.25,
            number=int(look["puffs"]),
            detail=0.4,
        ),
        parts.screen(
            "sight", "panel", [(0, 0.05), (0, -0.05), (0.03, 0), (-0.03, 0)], (0.006, 0.012), tint=(0.3, 1, 0.4, 0.9)
        ),
        parts.screen(
            "bars", "panel", [(-0.75, -0.88), (0.8, -0.86), (0.86, 0.8)], (0.14, 0.06), tint=(0.9, 0.5, 0.4, 0.9)
        ),
        parts.screen("numbers", "letters", [(-0.86, -0.9), (0.7, -0.9)], (0.02, 0.045), is_letters=True, triangles=24),
    ]

    def camera(at: Moment) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        turn = 0.35 * np.sin(at.way / 70)
        return (0.0, eye + 0.04 * np.sin(at.way / 4), 0.0), (10 * np.sin(turn), eye - look["down"], -10 * np.cos(turn))

    return Scene(groups, camera, look["view"], air=(0.75, 0.76, 0.72))
