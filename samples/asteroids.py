"""A flight through a field of asteroids towards a station.

OpenGL ES 2.0 through PyOpenGL in a glfw window. The sky is a sphere that is drawn first; the rocks follow in the order
in which they were scattered, large and small, near and far; the station's parts come last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from samples import textures
from samples.gles import GpuMesh, texture
from samples.maths import rotate, scale, translate
from samples.meshes import Mesh, box, cylinder, sphere, torus
from samples.solids import Eye, Solid, play


def _rock(seed: int) -> Mesh:
    """A sphere with dents."""
    ball = sphere(14, 20)
    vertices = ball.vertices.copy()
    waves = np.random.default_rng(seed).normal(0, 2.2, (6, 3))
    swell = 1 + 0.09 * np.sin(vertices[:, :3] @ waves.T).sum(axis=1)
    vertices[:, :3] *= swell[:, None]
    return Mesh(vertices.astype(np.float32), ball.indices)


def build() -> Callable[[int], tuple[Eye, Eye, Iterator[Solid]]]:
    """Scatter the rocks."""
    dust, steel, sky = (texture(make()) for make in (textures.marble, textures.metal, textures.clouds))
    rocks = [GpuMesh(_rock(seed)) for seed in range(4)]
    dome, hull, ring, spoke = (
        GpuMesh(sphere(12, 18)),
        GpuMesh(cylinder(24)),
        GpuMesh(torus(0.12, 44, 14)),
        GpuMesh(box()),
    )
    random = np.random.default_rng(31)
    scattered = []
    for number in range(64):
        place = random.uniform(-13, 13), random.uniform(-7, 7), random.uniform(-42, 1)
        size, speed = random.uniform(0.6, 2.4), random.uniform(-2, 2)
        scattered.append((number, place, size, speed, random.normal(0, 1, 3)))

    def scene(frame: int) -> tuple[Eye, Eye, Iterator[Solid]]:
        eye = (0.8 * np.sin(0.06 * frame), 0.5 * np.cos(0.05 * frame), 11.0 - 0.08 * frame)

        def solids() -> Iterator[Solid]:
            # Seen from inside: turned inside out.
            yield Solid("sky", dome, sky, translate(*eye) @ scale(-70, 70, 70), (0.12, 0.1, 0.2))
            for number, place, size, speed, axis in scattered:
                turn = rotate(speed * frame + 31 * number, *axis)
                model = translate(*place) @ turn @ scale(size, 0.8 * size, size)
                tint = (0.75, 0.68 - 0.05 * (number % 4), 0.6)
                yield Solid(f"rock {number}", rocks[number % 4], dust, model, tint)
            centre = translate(3, 1, -26) @ rotate(20 + frame, 0.2, 0.1, 1) @ rotate(70, 1, 0, 0)
            yield Solid("ring", ring, steel, centre @ scale(7, 7, 7))
            yield Solid("hull", hull, steel, centre @ scale(1.4, 3, 1.4))
            for number in range(4):
                yield Solid(
                    f"spoke {number}",
                    spoke,
                    steel,
                    centre @ rotate(90 * number, 0, 1, 0) @ translate(4, 0, 0) @ scale(3, 0.2, 0.3),
                )

        return eye, (0.0, 0.0, -12.0), solids()

    return scene


if __name__ == "__main__":
    play("asteroids", __doc__, build, air=(0.01, 0.01, 0.03), thickness=0.004)
