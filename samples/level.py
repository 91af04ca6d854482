"""A walk through a level of a game: textured halls with columns, crates and doorways.

OpenGL ES 2.0 through PyOpenGL in a glfw window; made for a telephone's display, as --size 320x240 shows it. The walk
takes 600 frames, then it begins again.
"""

from __future__ import annotations

import glfw
import numpy as np

from samples import app, textures
from samples.gles import GL, GpuMesh, texture
from samples.maths import look_at, perspective, rotate, scale, translate
from samples.meshes import Mesh, box, cylinder
from samples.phone import Solid

#: Places of the walk: x, z; it goes around through four halls.
WALK = np.array([(2, 11), (2, 1), (2, -4), (6, -6), (12, -6), (16, -4), (16, 3), (15, 8), (6, 8), (2, 11)], np.float64)
PERIOD = 600


def hall(width: float, depth: float, height: float, tiles: float) -> tuple[Mesh, Mesh, Mesh]:
    """Floor, ceiling and walls of a room seen from inside, with doorways in the middle of each wall."""
    half = np.array([width, depth]) / 2
    floor = _rectangle((-half[0], 0, half[1]), (2 * half[0], 0, 0), (0, 0, -2 * half[1]), tiles)
    ceiling = _rectangle((-half[0], height, -half[1]), (2 * half[0], 0, 0), (0, 0, 2 * half[1]), tiles)
    door, lintel = 1.6, 2.6
    parts = []
    for turn in range(4):
        along, across = (half[0], half[1]) if turn % 2 == 0 else (half[1], half[0])
        matrix = rotate(90 * turn, 0, 1, 0)
        for start, end, low in ((-along, -door, 0.0), (door, along, 0.0), (-door, door, lintel)):
            corner = matrix[:3, :3] @ np.array([start, low, -across])
            side = matrix[:3, :3] @ np.array([end - start, 0, 0])
            parts.append(_rectangle(tuple(corner), tuple(side), (0, height - low, 0), tiles * (end - start) / width))
    return floor, ceiling, _joined(parts)


def _rectangle(
    corner: tuple[float, ...], u: tuple[float, ...], v: tuple[float, ...], tiles: float, cells: int = 4
) -> Mesh:
    """Rectangle of cells x cells squares, facing u x v."""
    normal = np.cross(u, v)
    normal = normal / np.linalg.norm(normal)
    ratio = np.linalg.norm(v) / np.linalg.norm(u)
    rows = []
    for j in range(cells + 1):
        for i in range(cells + 1):
            a, b = i / cells, j / cells
            place = np.asarray(corner) + a * np.asarray(u) + b * np.asarray(v)
            rows.append([*place, *normal, a * tiles, b * tiles * ratio])
    at = np.array([j * (cells + 1) + i for j in range(cells) for i in range(cells)])
    across = cells + 1
    indices = np.stack([at, at + 1, at + across + 1, at, at + across + 1, at + across], axis=1).reshape(-1)
    return Mesh(np.array(rows, np.float32), indices.astype(np.uint16))


def _joined(parts: list[Mesh]) -> Mesh:
    first = np.cumsum([0] + [len(part.vertices) for part in parts[:-1]])
    indices = np.concatenate([part.indices + start for part, start in zip(parts, first, strict=True)])
    return Mesh(np.concatenate([part.vertices for part in parts]), indices.astype(np.uint16))


def main() -> None:
    """Draw the frames."""
    wanted = app.options(__doc__)
    window = app.es_window("level", wanted, major=2)
    groups = app.DebugGroups()
    solid = Solid()
    brick, stone, wood, steel, front = (
        texture(make(128))
        for make in (textures.bricks, textures.marble, textures.planks, textures.metal, textures.windows)
    )
    floor, ceiling, walls = (GpuMesh(mesh) for mesh in hall(14, 14, 5, 4))
    column, crate = GpuMesh(cylinder(14)), GpuMesh(box())
    halls = [(2, 8, brick), (2, -6, front), (16, -6, brick), (16, 8, stone)]
    random = np.random.default_rng(8)
    things = []
    for x, z, _ in halls:
        for sx, sz in ((-4, -4), (4, -4), (-4, 4), (4, 4)):
            things.append((column, stone, translate(x + sx, 2.5, z + sz) @ scale(0.75, 2.5, 0.75)))
        for _ in range(6):
            dx, dz = random.uniform(-6, 6, 2)
            size = random.uniform(0.6, 1.0)
            if abs(dx) > 2.4 or abs(dz) > 2.4:
                turn = rotate(random.uniform(0, 90), 0, 1, 0)
                image = wood if random.random() < 0.6 else steel
                things.append((crate, image, translate(x + dx, size, z + dz) @ turn @ scale(size, size, size)))
    projection = perspective(60, wanted.aspect, 0.4, 60)

    GL.glEnable(GL.GL_DEPTH_TEST)
    GL.glEnable(GL.GL_CULL_FACE)
    GL.glViewport(0, 0, wanted.width, wanted.height)
    for frame in range(wanted.frames):
        along = frame % PERIOD / PERIOD * (len(WALK) - 1)
        here, ahead = (
            np.array([np.interp(place, range(len(WALK)), WALK[:, k]) for k in (0, 1)])
            for place in (along, (along + 0.45) % (len(WALK) - 1))
        )
        bob = 1.7 + 0.06 * np.sin(frame * 0.5)
        eye, target = (here[0], bob, here[1]), (ahead[0], 1.6, ahead[1])
        GL.glClearColor(0.32, 0.38, 0.5, 1)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
        solid.begin(projection @ look_at(eye, target))
        forward = np.array([target[0] - eye[0], target[2] - eye[2]])
        # As games do it: nearest first, and nothing that lies behind.
        order = sorted(things, key=lambda thing: float(np.hypot(thing[2][0, 3] - eye[0], thing[2][2, 3] - eye[2])))
        for number, (mesh, image, model) in enumerate(order):
            away = np.array([model[0, 3] - eye[0], model[2, 3] - eye[2]])
            if np.dot(away, forward) > -1.5 * np.linalg.norm(forward) and np.hypot(*away) < 16:
                with groups(f"thing {number}"):
                    solid.draw(mesh, image, model)
        near = sorted(halls, key=lambda room: float(np.hypot(room[0] - eye[0], room[1] - eye[2])))
        for number, (x, z, wall) in enumerate(near[:3]):
            with groups(f"hall {number}"):
                place = translate(x, 0, z)
                solid.draw(walls, wall, place)
                solid.draw(floor, stone, place, tint=(0.8, 0.75, 0.7))
                solid.draw(ceiling, wood, place, tint=(1.1, 1.1, 1.15))
        glfw.swap_buffers(window)
        glfw.poll_events()
    glfw.terminate()


if __name__ == "__main__":
    main()
