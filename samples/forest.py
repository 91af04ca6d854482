"""A walk through a wood: rocks, trunks, crowns and ferns in front of each other.

OpenGL ES 2.0 through PyOpenGL in a glfw window. As an engine that sorts by material draws it: the
ground, then all crowns, all trunks, all rocks, and the ferns (alpha-tested) last; nothing is sorted by distance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from samples import textures
from samples.gles import GpuMesh, texture
from samples.maths import rotate, scale, translate
from samples.meshes import box, cylinder, grid, sphere
from samples.solids import Eye, Solid, play


def _fern() -> np.ndarray:
    """Blades that are wide at the bottom and thin out upwards."""
    image = textures.grass()
    y, x = np.mgrid[0:256, 0:256] / 255.0
    blades = np.abs(np.sin(38 * x + 2.5 * y * np.sin(9 * x)))
    image[..., 3] = np.where(blades > y**0.7, 255, 0)
    return image


def build() -> Callable[[int], tuple[Eye, Eye, Iterator[Solid]]]:
    """Make the wood."""
    bark, moss, leaves, stone = (
        texture(make()) for make in (textures.planks, textures.grass, textures.grass, textures.marble)
    )
    fern = texture(_fern())
    trunk, crown, rock = GpuMesh(cylinder(14, 0.6)), GpuMesh(cylinder(18, 0.02)), GpuMesh(sphere(9, 12))
    ground, card = GpuMesh(grid(12, 30.0)), GpuMesh(box())
    random = np.random.default_rng(12)
    solids = [Solid("ground", ground, moss, scale(45, 1, 45), (0.5, 0.55, 0.4))]
    trees = [(random.uniform(-16, 16), random.uniform(-34, 4), random.uniform(0.8, 1.5)) for _ in range(42)]
    trees = [(x + 2.5 * np.sign(x), z, size) for x, z, size in trees]
    for number, (x, z, size) in enumerate(trees):
        for storey in range(3):
            place = translate(x, (4.0 + 1.7 * storey) * size, z) @ scale(
                (2.4 - 0.6 * storey) * size, 1.6 * size, (2.4 - 0.6 * storey) * size
            )
            tint = (0.45 + 0.1 * storey, 0.7, 0.4)
            solids.append(Solid(f"crown {number}.{storey}", crown, leaves, place, tint))
    for number, (x, z, size) in enumerate(trees):
        place = translate(x, 1.6 * size, z) @ scale(0.38 * size, 1.7 * size, 0.38 * size)
        solids.append(Solid(f"trunk {number}", trunk, bark, place, (0.7, 0.6, 0.5)))
    for number in range(16):
        x, z, size = random.uniform(-12, 12), random.uniform(-28, 5), random.uniform(0.5, 1.4)
        place = (
            translate(x, 0.3 * size, z) @ rotate(random.uniform(0, 360), 0.3, 1, 0.2) @ scale(1.3 * size, size, size)
        )
        solids.append(Solid(f"rock {number}", rock, stone, place, (0.6, 0.62, 0.6)))
    for number in range(14):
        x, z = random.uniform(-9, 9), random.uniform(-18, 5)
        place = translate(x, 0.6, z) @ rotate(random.uniform(0, 180), 0, 1, 0) @ scale(0.9, 0.6, 0.02)
        solids.append(Solid(f"fern {number}", card, fern, place, (0.7, 1.0, 0.6), holes=True))

    def scene(frame: int) -> tuple[Eye, Eye, Iterator[Solid]]:
        walked = 0.06 * frame
        eye = (1.2 * np.sin(0.05 * frame), 2.1 + 0.08 * np.sin(0.5 * frame), 9.0 - walked)
        return eye, (0.0, 2.4, -12.0 - walked), iter(solids)

    return scene


if __name__ == "__main__":
    play("forest", __doc__, build, air=(0.62, 0.72, 0.78), thickness=0.035)
