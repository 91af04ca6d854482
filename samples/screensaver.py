"""A screen saver: knots of rings and spheres that turn in front of drifting clouds.

OpenGL ES 2.0 through PyOpenGL in a glfw window; made for a telephone's display, as --size 320x240 shows it.
"""

from __future__ import annotations

import glfw
import numpy as np

from samples import app, textures
from samples.gles import GL, GpuMesh, texture
from samples.maths import look_at, perspective, rotate, scale, translate
from samples.meshes import box, grid, sphere, torus
from samples.phone import Solid


def main() -> None:
    """Draw the frames."""
    wanted = app.options(__doc__)
    window = app.es_window("screensaver", wanted, major=2)
    groups = app.DebugGroups()
    solid = Solid()
    sky, steel, stone, wood = (
        texture(make(128)) for make in (textures.clouds, textures.metal, textures.marble, textures.planks)
    )
    backdrop, ring, ball, cube = (GpuMesh(mesh) for mesh in (grid(1, 1.5), torus(0.33, 40, 16), sphere(14, 20), box()))
    camera = perspective(50, wanted.aspect, 1.0, 30) @ look_at((0, 0, 8), (0, 0, 0))
    behind = translate(0, 0, -6) @ rotate(90, 1, 0, 0) @ scale(10, 1, 8)

    GL.glEnable(GL.GL_DEPTH_TEST)
    GL.glEnable(GL.GL_CULL_FACE)
    GL.glViewport(0, 0, wanted.width, wanted.height)
    for frame in range(wanted.frames):
        GL.glClearColor(0.1, 0.15, 0.3, 1)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
        solid.begin(camera)
        moment = frame * 0.025
        with groups("clouds"):
            solid.draw(backdrop, sky, behind, drift=(moment * 0.05, moment * 0.02))
        for number in range(3):
            with groups(f"ring {number}"):
                turn = rotate(frame * (1.1 + 0.4 * number), np.sin(number), 1, np.cos(2 * number))
                size = 2.9 - 0.45 * number
                solid.draw(ring, (steel, stone, wood)[number], turn @ scale(size, size, size))
        with groups("heart"):
            beat = 1.0 + 0.1 * np.sin(moment * 4)
            solid.draw(cube, wood, rotate(frame * 2.0, 0.4, 1, 0.2) @ scale(beat, beat, beat), tint=(1.0, 0.7, 0.6))
        for number in range(6):
            with groups(f"sphere {number}"):
                angle = moment + number * 2 * np.pi / 6
                place = translate(3.4 * np.cos(angle), 1.6 * np.sin(angle * 1.5), 2.2 * np.sin(angle))
                solid.draw(
                    ball,
                    stone,
                    place @ rotate(frame * 3, 0, 1, 0.3) @ scale(1.1, 1.1, 1.1),
                    tint=(0.6, 0.8 + 0.04 * number, 1.0),
                )
        glfw.swap_buffers(window)
        glfw.poll_events()
    glfw.terminate()


if __name__ == "__main__":
    main()
