"""A run along a raised path through the arches of a temple.

OpenGL ES 2.0 through PyOpenGL in a glfw window. The path's segments are drawn as they were made, the farthest first,
each with its slab, walls, pillars and arch; the idols that chase the runner come before everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from samples import textures
from samples.gles import GpuMesh, texture
from samples.maths import rotate, scale, translate
from samples.meshes import box, cylinder, sphere, torus
from samples.solids import Eye, Solid, play

#: Length of a segment, and how many are in sight.
LENGTH, SEGMENTS = 6.0, 12


def build() -> Callable[[int], tuple[Eye, Eye, Iterator[Solid]]]:
    """Make meshes and textures; the segments come and go."""
    stone, brick, gold = (texture(make()) for make in (textures.marble, textures.bricks, textures.metal))
    block, wall = GpuMesh(box()), GpuMesh(box(3.0))
    pillar, arch, idol = GpuMesh(cylinder(20)), GpuMesh(torus(0.16, 28, 12)), GpuMesh(sphere(16, 22))

    def segment(number: int) -> Iterator[Solid]:
        z = -LENGTH * number
        bend = 1.6 * np.sin(0.35 * number)
        yield Solid(f"wall {number} left", wall, brick, translate(bend - 4.6, 2.0, z) @ scale(0.5, 3.2, LENGTH / 2))
        yield Solid(f"wall {number} right", wall, brick, translate(bend + 4.6, 2.0, z) @ scale(0.5, 3.2, LENGTH / 2))
        yield Solid(f"slab {number}", wall, stone, translate(bend, -0.4, z) @ scale(4.2, 0.4, LENGTH / 2))
        for side in (-1, 1):
            place = translate(bend + 3.1 * side, 2.3, z) @ scale(0.5, 2.4, 0.5)
            yield Solid(f"pillar {number} {side}", pillar, stone, place, (0.9, 0.85, 0.7))
        place = translate(bend, 1.0, z) @ rotate(90, 1, 0, 0) @ scale(3.2, 1.0, 4.6)
        yield Solid(f"arch {number}", arch, stone, place, (0.85, 0.8, 0.65))
        if number % 3 == 1:
            yield Solid(
                f"gate {number}", block, gold, translate(bend, 1.0, z - 2) @ scale(2.2, 1.0, 0.3), (1.0, 0.8, 0.4)
            )

    def scene(frame: int) -> tuple[Eye, Eye, Iterator[Solid]]:
        run = 0.25 * frame
        first = int(run // LENGTH)

        def solids() -> Iterator[Solid]:
            for number in range(3):
                turn = rotate(4.0 * frame + 40 * number, 0, 1, 0.4)
                hop = 0.4 * abs(np.sin(0.3 * frame + number))
                place = translate(-2.0 + 2.0 * number, 1.1 + hop, 2.0 - run - 9.0 - 2.0 * number) @ turn
                yield Solid(f"idol {number}", idol, gold, place, (1.0, 0.75, 0.3))
            for number in reversed(range(first, first + SEGMENTS)):
                yield from segment(number)

        eye = (0.6 * np.sin(0.1 * frame), 2.9 + 0.1 * np.sin(0.6 * frame), 4.0 - run)
        return eye, (0.0, 1.9, -9.0 - run), solids()

    return scene


if __name__ == "__main__":
    play("temple", __doc__, build, air=(0.75, 0.6, 0.42), thickness=0.02, sun=(-0.4, 0.7, 0.59))
