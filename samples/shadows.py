"""Columns and spheres that cast shadows through a shadow map.

OpenGL ES 3.0 through PyOpenGL in a glfw window: a depth texture is rendered first from the sun's side, then
the scene looks up each fragment in it with a comparing sampler.
"""

from __future__ import annotations

import glfw
import numpy as np

from samples import app, textures
from samples.gles import GpuMesh, Program, texture
from samples.maths import Matrix, look_at, orthographic, perspective, rotate, scale, translate
from samples.meshes import box, cylinder, grid, sphere, torus

from OpenGL import GLES3 as GL  # isort: skip  (after samples.gles, which chooses PyOpenGL's platform)

DEPTH_VERTEX = """#version 300 es
layout(location = 0) in vec3 position;
uniform mat4 transform;
void main() { gl_Position = transform * vec4(position, 1.0); }
"""

DEPTH_FRAGMENT = """#version 300 es
precision mediump float;
void main() { }
"""

VERTEX = """#version 300 es
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
uniform mat4 camera;
uniform mat4 model;
uniform mat4 to_shadow;
out vec3 facing;
out vec2 texture_uv;
out vec4 in_shadow_map;
void main() {
    vec4 place = model * vec4(position, 1.0);
    gl_Position = camera * place;
    facing = mat3(model) * normal;
    texture_uv = uv;
    in_shadow_map = to_shadow * place;
}
"""

FRAGMENT = """#version 300 es
precision highp float;
precision highp sampler2DShadow;
in vec3 facing;
in vec2 texture_uv;
in vec4 in_shadow_map;
uniform sampler2D image;
uniform sampler2DShadow shadow_map;
uniform vec3 sun;
layout(location = 0) out vec4 colour;
void main() {
    vec3 n = normalize(facing);
    float diffuse = max(dot(n, sun), 0.0);
    vec3 at = in_shadow_map.xyz / in_shadow_map.w * 0.5 + 0.5;
    float lit = 0.0;
    for (int i = 0; i < 4; ++i) {
        vec2 offset = vec2(float(i & 1), float(i >> 1)) * (1.0 / 512.0) - 0.5 / 512.0;
        lit += texture(shadow_map, vec3(at.xy + offset, at.z - 0.004));
    }
    vec3 base = texture(image, texture_uv).rgb;
    colour = vec4(base * (vec3(0.28, 0.3, 0.36) + vec3(0.9, 0.85, 0.75) * diffuse * lit * 0.25), 1.0);
}
"""

MAP_SIZE = 512


def shadow_map() -> tuple[int, int]:
    """Make a depth texture and a framebuffer that renders to it."""
    name = int(GL.glGenTextures(1))
    GL.glBindTexture(GL.GL_TEXTURE_2D, name)
    GL.glTexStorage2D(GL.GL_TEXTURE_2D, 1, GL.GL_DEPTH_COMPONENT24, MAP_SIZE, MAP_SIZE)
    for parameter, value in (
        (GL.GL_TEXTURE_MIN_FILTER, GL.GL_LINEAR),
        (GL.GL_TEXTURE_MAG_FILTER, GL.GL_LINEAR),
        (GL.GL_TEXTURE_WRAP_S, GL.GL_CLAMP_TO_EDGE),
        (GL.GL_TEXTURE_WRAP_T, GL.GL_CLAMP_TO_EDGE),
        (GL.GL_TEXTURE_COMPARE_MODE, GL.GL_COMPARE_REF_TO_TEXTURE),
        (GL.GL_TEXTURE_COMPARE_FUNC, GL.GL_LEQUAL),
    ):
        GL.glTexParameteri(GL.GL_TEXTURE_2D, parameter, value)
    framebuffer = int(GL.glGenFramebuffers(1))
    GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, framebuffer)
    GL.glFramebufferTexture2D(GL.GL_FRAMEBUFFER, GL.GL_DEPTH_ATTACHMENT, GL.GL_TEXTURE_2D, name, 0)
    return name, framebuffer


def main() -> None:
    """Draw the frames."""
    wanted = app.options(__doc__)
    window = app.es_window("shadows", wanted, major=3)
    groups = app.DebugGroups()
    depth_program = Program(DEPTH_VERTEX, DEPTH_FRAGMENT, ("position",))
    program = Program(VERTEX, FRAGMENT)
    images = {
        name: texture(make())
        for name, make in (
            ("marble", textures.marble),
            ("bricks", textures.bricks),
            ("planks", textures.planks),
            ("metal", textures.metal),
        )
    }
    meshes = {
        name: GpuMesh(mesh)
        for name, mesh in (
            ("floor", grid(32, 14.0)),
            ("column", cylinder(32, 0.85)),
            ("ball", sphere(24, 36)),
            ("block", box()),
            ("ring", torus(0.28, 40, 20)),
        )
    }
    depth_texture, framebuffer = shadow_map()
    projection = perspective(55, wanted.aspect, 0.5, 60)
    sun_at = (7.0, 11.0, 5.0)
    sun = np.array(sun_at, np.float32) / np.linalg.norm(sun_at)

    def scene(frame: int) -> list[tuple[str, str, str, Matrix]]:
        things = [("floor", "floor", "marble", scale(9, 1, 9))]
        for number in range(10):
            x, z = 6.5 * np.cos(number * 0.628), 6.5 * np.sin(number * 0.628)
            things.append((f"plinth {number}", "block", "bricks", translate(x, 0.3, z) @ scale(0.9, 0.3, 0.9)))
            things.append((f"column {number}", "column", "marble", translate(x, 2.4, z) @ scale(0.55, 1.9, 0.55)))
            things.append((f"capital {number}", "block", "planks", translate(x, 4.5, z) @ scale(0.8, 0.2, 0.8)))
        for number in range(6):
            angle = number * 1.047 + frame * 0.04
            bounce = abs(np.sin(frame * 0.1 + number))
            place = translate(3.2 * np.cos(angle), 0.9 + 1.5 * bounce, 3.2 * np.sin(angle)) @ scale(0.8, 0.8, 0.8)
            things.append((f"ball {number}", "ball", "metal", place))
        things.append(("ring", "ring", "metal", translate(0, 2.6, 0) @ rotate(frame * 4.0, 1, 0.4, 0)))
        return things

    GL.glEnable(GL.GL_DEPTH_TEST)
    GL.glEnable(GL.GL_CULL_FACE)
    sun_projection = orthographic(-12.5, 12.5, -12.5, 12.5, 1, 34) @ look_at(sun_at, (0, 0, 0))
    for frame in range(wanted.frames):
        things = scene(frame)
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, framebuffer)
        GL.glViewport(0, 0, MAP_SIZE, MAP_SIZE)
        GL.glClear(GL.GL_DEPTH_BUFFER_BIT)
        depth_program.use()
        with groups("shadow map"):
            for _, mesh, _, model in things:
                depth_program.matrix("transform", sun_projection @ model)
                meshes[mesh].bind()
                meshes[mesh].draw()

        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, 0)
        GL.glViewport(0, 0, wanted.width, wanted.height)
        GL.glClearColor(0.55, 0.68, 0.85, 1)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
        program.use()
        angle = 0.5 + frame * 0.02
        eye = (10.5 * np.sin(angle), 5.5, 10.5 * np.cos(angle))
        program.matrix("camera", projection @ look_at(eye, (0, 1.6, 0)))
        program.matrix("to_shadow", sun_projection)
        GL.glUniform3f(program["sun"], *sun)
        GL.glUniform1i(program["image"], 0)
        GL.glUniform1i(program["shadow_map"], 1)
        GL.glActiveTexture(GL.GL_TEXTURE1)
        GL.glBindTexture(GL.GL_TEXTURE_2D, depth_texture)
        GL.glActiveTexture(GL.GL_TEXTURE0)
        for label, mesh, image, model in things:
            with groups(label):
                program.matrix("model", model)
                GL.glBindTexture(GL.GL_TEXTURE_2D, images[image])
                meshes[mesh].bind()
                meshes[mesh].draw()
        glfw.swap_buffers(window)
        glfw.poll_events()
    glfw.terminate()


if __name__ == "__main__":
    main()
