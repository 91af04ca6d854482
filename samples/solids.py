"""What the scenes of solids have in common: named objects with one lit, textured, fogged shader (OpenGL ES 2.0)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import glfw

from samples import app
from samples.gles import GL, GpuMesh, Program
from samples.maths import Matrix, look_at, perspective

__all__ = ["VERTEX", "Eye", "Solid", "play"]

Eye = tuple[float, float, float]

VERTEX = """
attribute vec3 position;
attribute vec3 normal;
attribute vec2 uv;
uniform mat4 camera;
uniform mat4 model;
varying vec3 world;
varying vec3 facing;
varying vec2 texture_uv;
void main() {
    vec4 place = model * vec4(position, 1.0);
    gl_Position = camera * place;
    world = place.xyz;
    facing = (model * vec4(normal, 0.0)).xyz;
    texture_uv = uv;
}
"""

FRAGMENT = """
precision highp float;
uniform sampler2D image;
uniform vec3 eye;
uniform vec3 sun;
uniform vec3 air;
uniform vec4 tint;
uniform float thickness;
varying vec3 world;
varying vec3 facing;
varying vec2 texture_uv;
void main() {
    vec4 texel = texture2D(image, texture_uv) * tint;
    CUT
    vec3 n = normalize(facing);
    vec3 view = eye - world;
    float far = length(view);
    vec3 middle = normalize(sun + view / far);
    float light = 0.3 + 0.8 * max(dot(n, sun), 0.0);
    float shine = 0.35 * pow(max(dot(n, middle), 0.0), 20.0);
    vec3 color = texel.rgb * light + vec3(shine);
    gl_FragColor = vec4(mix(air, color, exp(-thickness * far)), 1.0);
}
"""
CUT = "if (texel.a < 0.5) discard;"


@dataclass(frozen=True)
class Solid:
    """One object: what it is called, made of and coloured like; ``holes`` leaves out where the texture is clear."""

    label: str
    mesh: GpuMesh
    image: int
    model: Matrix
    tint: Eye = (1.0, 1.0, 1.0)
    holes: bool = False


def play(
    name: str,
    description: str | None,
    build: Callable[[], Callable[[int], tuple[Eye, Eye, Iterator[Solid]]]],
    *,
    air: Eye,
    thickness: float,
    sun: Eye = (0.45, 0.77, 0.45),
) -> None:
    """Open a window and draw the frames.

    ``build`` makes the scene once the window is there; what it gives tells for each frame where the eye is, what it
    looks at, and the objects in the order in which they are drawn.
    """
    wanted = app.options(description)
    window = app.es_window(name, wanted, major=2)
    groups = app.DebugGroups()
    programs = [Program(VERTEX, FRAGMENT.replace("CUT", cut)) for cut in ("", CUT)]
    scene = build()
    projection = perspective(60, wanted.aspect, 0.3, 120)
    GL.glEnable(GL.GL_DEPTH_TEST)
    GL.glEnable(GL.GL_CULL_FACE)
    GL.glViewport(0, 0, wanted.width, wanted.height)
    for frame in range(wanted.frames):
        eye, target, solids = scene(frame)
        camera = projection @ look_at(eye, target)
        GL.glClearColor(*air, 1)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
        for program in programs:
            program.use()
            program.matrix("camera", camera)
            for uniform, value in (("eye", eye), ("sun", sun), ("air", air)):
                GL.glUniform3f(program[uniform], *value)
            GL.glUniform1f(program["thickness"], thickness)
            GL.glUniform1i(program["image"], 0)
        for solid in solids:
            with groups(solid.label):
                program = programs[int(solid.holes)]
                program.use()
                program.matrix("model", solid.model)
                GL.glUniform4f(program["tint"], *solid.tint, 1.0)
                GL.glBindTexture(GL.GL_TEXTURE_2D, solid.image)
                solid.mesh.bind()
                solid.mesh.draw()
        glfw.swap_buffers(window)
        glfw.poll_events()
    glfw.terminate()
