"""Labelled crates, barrels and shelves that hide each other.

OpenGL ES 2.0 through PyOpenGL in a glfw window. A hall full of opaque objects, drawn in the order in which the
level's file would list them, not front to back; each object is a debug group of its own. The camera walks.
"""

from __future__ import annotations

from dataclasses import dataclass

import glfw
import numpy as np

from samples import app, textures
from samples.gles import GL, GpuMesh, Program, texture
from samples.maths import Matrix, look_at, perspective, rotate, scale, translate
from samples.meshes import box, cylinder, grid, sphere, torus
from samples.solids import VERTEX

FRAGMENT = """
precision highp float;
uniform sampler2D image;
uniform vec3 eye;
uniform vec3 lamps[3];
uniform float gloss;
varying vec3 world;
varying vec3 facing;
varying vec2 texture_uv;
void main() {
    vec3 base = texture2D(image, texture_uv).rgb;
    vec3 n = normalize(facing);
    vec3 to_eye = normalize(eye - world);
    vec3 sum = base * 0.25;
    for (int i = 0; i < 3; ++i) {
        vec3 to_lamp = lamps[i] - world;
        float fade = 1.0 / (1.0 + 0.03 * dot(to_lamp, to_lamp));
        to_lamp = normalize(to_lamp);
        float diffuse = max(dot(n, to_lamp), 0.0);
        float highlight = gloss * pow(max(dot(n, normalize(to_lamp + to_eye)), 0.0), 24.0);
        sum += fade * (base * diffuse * 1.3 + vec3(highlight));
    }
    gl_FragColor = vec4(sum, 1.0);
}
"""


@dataclass(frozen=True)
class Thing:
    """One object of the level."""

    label: str
    mesh: GpuMesh
    image: int
    gloss: float
    model: Matrix


def level() -> list[Thing]:
    """Make all objects."""
    wood, stone, steel, brick = (
        texture(make()) for make in (textures.planks, textures.marble, textures.metal, textures.bricks)
    )
    crate, barrel, ball, ring = (GpuMesh(mesh) for mesh in (box(), cylinder(28), sphere(20, 32), torus(0.3, 40, 20)))
    floor, wall = GpuMesh(grid(16, 20.0)), GpuMesh(box(8.0))
    random = np.random.default_rng(5)
    things = []
    for number in range(26):
        x, z = random.uniform(-9, 9), random.uniform(-16, 4)
        size = random.uniform(0.6, 1.3)
        place = translate(x, size, z) @ rotate(random.uniform(0, 90), 0, 1, 0) @ scale(size, size, size)
        things.append(Thing(f"crate {number}", crate, wood, 0.1, place))
    for number in range(16):
        x, z = random.uniform(-9, 9), random.uniform(-16, 4)
        things.append(Thing(f"barrel {number}", barrel, steel, 0.8, translate(x, 1.1, z) @ scale(0.7, 1.1, 0.7)))
    for row in range(3):
        for level_number in range(4):
            place = translate(-7 + row * 7, 0.9 + level_number * 1.5, -9) @ scale(2.6, 0.08, 1.2)
            things.append(Thing(f"shelf {row}.{level_number}", crate, wood, 0.1, place))
    for number in range(10):
        x, z = random.uniform(-8, 8), random.uniform(-14, 2)
        things.append(Thing(f"globe {number}", ball, stone, 0.9, translate(x, 3.2, z)))
    for number in range(4):
        place = translate(-6 + number * 4, 4.2, -4) @ rotate(70, 1, 0, 0.2)
        things.append(Thing(f"ring {number}", ring, steel, 1.0, place))
    things.append(Thing("floor", floor, stone, 0.3, scale(20, 1, 20)))
    things.append(Thing("back wall", wall, brick, 0.05, translate(0, 6, -19) @ scale(20, 7, 1)))
    things.append(Thing("left wall", wall, brick, 0.05, translate(-13, 6, -6) @ scale(1, 7, 20)))
    things.append(Thing("right wall", wall, brick, 0.05, translate(13, 6, -6) @ scale(1, 7, 20)))
    return things


def main() -> None:
    """Draw the frames."""
    wanted = app.options(__doc__)
    window = app.es_window("warehouse", wanted, major=2)
    groups = app.DebugGroups()
    program = Program(VERTEX, FRAGMENT)
    things = level()
    lamps = np.array([[-6, 7, 2], [5, 8, -6], [0, 6, -14]], np.float32)
    projection = perspective(60, wanted.aspect, 0.3, 80)

    GL.glEnable(GL.GL_DEPTH_TEST)
    GL.glEnable(GL.GL_CULL_FACE)
    GL.glViewport(0, 0, wanted.width, wanted.height)
    for frame in range(wanted.frames):
        angle = frame * 0.02
        eye = (7 * np.sin(angle), 2.6 + 0.6 * np.sin(frame * 0.05), 7.5 - 0.04 * frame)
        GL.glClearColor(0.02, 0.02, 0.03, 1)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
        program.use()
        program.matrix("camera", projection @ look_at(eye, (0, 1.6, -6)))
        GL.glUniform3f(program["eye"], *eye)
        GL.glUniform3fv(program["lamps"], 3, lamps)
        GL.glUniform1i(program["image"], 0)
        for thing in things:
            with groups(thing.label):
                program.matrix("model", thing.model)
                GL.glUniform1f(program["gloss"], thing.gloss)
                GL.glBindTexture(GL.GL_TEXTURE_2D, thing.image)
                thing.mesh.bind()
                thing.mesh.draw()
        glfw.swap_buffers(window)
        glfw.poll_events()
    glfw.terminate()


if __name__ == "__main__":
    main()
