"""A telephone's menu: icons on a circle that turns, particles around the active one, and a phone book that scrolls.

OpenGL ES 2.0 through PyOpenGL in a glfw window; made for a telephone's display, as --size 320x240 shows it. A round of
240 frames: the circle turns from icon to icon, then the phone book opens.
"""

from __future__ import annotations

import glfw
import numpy as np
from numpy.typing import NDArray

from samples import app, font, textures
from samples.gles import GL, GpuMesh, texture
from samples.maths import look_at, orthographic, perspective, rotate, scale, translate
from samples.meshes import box, cylinder, sphere, torus
from samples.phone import Flat, Solid

NAMES = (
    "ADA", "BABBAGE", "CURIE", "DIJKSTRA", "EULER", "FOURIER", "GAUSS", "HOPPER", "ISING", "JACOBI", "KEPLER",
    "LOVELACE", "MEITNER", "NEWTON", "OHM", "PASCAL", "QUETELET", "RIEMANN", "SHANNON", "TURING", "ULAM", "VOLTA",
    "WEIL", "YOUNG", "ZUSE",
)  # fmt: skip
ROUND, BOOK_FROM, STEP = 240, 150, 25
ICONS, PARTICLES = 6, 40


def coloured(quads: NDArray[np.float32], colour: tuple[float, float, float]) -> NDArray[np.float32]:
    """Rows of text (x, y, u, v) as rows of the flat program."""
    out = np.zeros((len(quads), 8), np.float32)
    out[:, :2], out[:, 3:6], out[:, 6:] = quads[:, :2], colour, quads[:, 2:]
    return out


def particles(frame: int, centre: NDArray[np.float64]) -> NDArray[np.float32]:
    """Sparks that rise around a place, as squares."""
    random = np.random.default_rng(4)
    phase, angle, speed = (random.uniform(low, high, PARTICLES) for low, high in ((0, 1), (0, 7), (1, 2)))
    age = (phase + frame * 0.02 * speed) % 1.0
    places = centre + np.stack(
        [np.cos(angle + age * 3) * (1.0 + 0.7 * age), -1.0 + age * 2.6, np.sin(angle + age * 3) * (1.0 + 0.7 * age)],
        axis=1,
    )
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, -1), (1, 1), (-1, 1)])
    out = np.zeros((PARTICLES, 6, 8), np.float32)
    size = 0.3 * (1 - age)
    out[:, :, :2] = places[:, None, :2] + corners * size[:, None, None]
    out[:, :, 2] = places[:, None, 2]
    out[:, :, 3:6] = np.array([0.4, 0.65, 1.0]) * (1 - 0.5 * age)[:, None, None]
    out[:, :, 6:] = corners * 0.5 + 0.5
    return out.reshape(-1, 8)


def main() -> None:
    """Draw the frames."""
    wanted = app.options(__doc__)
    window = app.es_window("menu", wanted, major=2)
    groups = app.DebugGroups()
    solid, flat = Solid(), Flat()
    letters = texture(font.atlas(), clamp=True)
    spark = texture(textures.disc(32), clamp=True)
    faces = [
        texture(make(64)) for make in (textures.planks, textures.metal, textures.marble, textures.bricks,
                                       textures.clouds, textures.grass)
    ]  # fmt: skip
    forms = (box(), sphere(12, 18), cylinder(18), torus(0.38, 24, 12), box(), cylinder(6, 0.1))
    shapes = [GpuMesh(mesh) for mesh in forms]
    page = GpuMesh(box())
    camera = perspective(45, wanted.aspect, 1.0, 30) @ look_at((0, 2.4, 8.2), (0, 0.2, 0))
    screen = orthographic(0, 10 * wanted.aspect, 0, 10)

    GL.glEnable(GL.GL_CULL_FACE)
    GL.glBlendFunc(GL.GL_SRC_ALPHA, GL.GL_ONE_MINUS_SRC_ALPHA)
    GL.glViewport(0, 0, wanted.width, wanted.height)
    for frame in range(wanted.frames):
        at = frame % ROUND
        GL.glClearColor(0.05, 0.08, 0.2, 1)
        GL.glDepthMask(True)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
        GL.glEnable(GL.GL_DEPTH_TEST)
        solid.begin(camera)
        opening = min(max((at - BOOK_FROM) / 20, 0.0), 1.0)
        step, moved = divmod(min(at, BOOK_FROM), STEP)
        turned = (step + min(moved / 12, 1.0)) * 2 * np.pi / ICONS
        active = int(step + 1) % ICONS
        centre = np.zeros(3)
        for number in range(ICONS):
            angle = turned - (number + 1) * 2 * np.pi / ICONS + 2 * np.pi / ICONS
            place = np.array([3.2 * np.sin(angle), -0.2 - 3 * opening, 3.2 * np.cos(angle)])
            size = 1.15 if number == active else 0.85
            if number == active:
                centre = place
            with groups(f"icon {number}"):
                model = translate(*place) @ rotate(frame * 2.5 if number == active else 25, 0.2, 1, 0)
                solid.draw(shapes[number], faces[number], model @ scale(size, size, size))
        if opening > 0:
            with groups("phone book"):
                model = translate(0, 0.5, -0.5) @ rotate(90 - 90 * opening, 1, 0, 0) @ scale(3.6, 2.7, 0.15)
                solid.draw(page, faces[2], model, tint=(1.2, 1.25, 1.35))
        GL.glEnable(GL.GL_BLEND)
        GL.glDepthMask(False)
        with groups("sparks"):
            flat.draw(particles(frame, centre), spark, camera)
        GL.glDisable(GL.GL_DEPTH_TEST)
        with groups("text"):
            if opening < 1:
                rows = [coloured(font.text_quads(f"MENU {active + 1}/6", 0.6, 8.6, 0.9), (1, 1, 1))]
            else:
                scroll = (at - BOOK_FROM - 20) * 0.11
                first = int(scroll)
                rows = []
                for line in range(6):
                    name = NAMES[(first + line) % len(NAMES)]
                    height = 6.9 - (line - (scroll - first)) * 0.85
                    tint = (0.75, 0.1, 0.05) if line == 3 else (0.05, 0.06, 0.12)
                    number = 5550100 + 37 * ((first + line) % len(NAMES))
                    rows.append(coloured(font.text_quads(f"{name:<9} {number}", 2.2, height, 0.6), tint))
            flat.draw(np.concatenate(rows), letters, screen)
        GL.glDisable(GL.GL_BLEND)
        glfw.swap_buffers(window)
        glfw.poll_events()
    glfw.terminate()


if __name__ == "__main__":
    main()
