"""A camera flight through the streets of a city.

OpenGL ES 3.0 through PyOpenGL in a glfw window: vertex array objects, a uniform block for the camera, instanced
trees and lamps, fog, and a sky that is drawn first.
"""

from __future__ import annotations

import ctypes

import glfw
import numpy as np
from numpy.typing import NDArray

from samples import app, textures
from samples.gles import GpuMesh, Program, texture
from samples.maths import look_at, perspective, rotate, scale, translate
from samples.meshes import box, cylinder, grid, sphere

from OpenGL import GLES3 as GL  # isort: skip  (after samples.gles, which chooses PyOpenGL's platform)

CAMERA_BLOCK = """
layout(std140) uniform Camera {
    mat4 view_projection;
    vec4 eye;
    vec4 sun;
};
"""

VERTEX = (
    """#version 300 es
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 3) in vec4 instance;
"""
    + CAMERA_BLOCK
    + """
uniform mat4 model;
uniform vec2 tiling;
out vec3 world;
out vec3 facing;
out vec2 texture_uv;
void main() {
    vec4 place = model * vec4(position * instance.w, 1.0);
    place.xyz += instance.xyz;
    gl_Position = view_projection * place;
    world = place.xyz;
    facing = mat3(model) * normal;
    texture_uv = uv * tiling;
}
"""
)

FRAGMENT = (
    """#version 300 es
precision highp float;
in vec3 world;
in vec3 facing;
in vec2 texture_uv;
uniform sampler2D image;
uniform vec3 tint;
"""
    + CAMERA_BLOCK
    + """
layout(location = 0) out vec4 colour;
void main() {
    vec3 base = texture(image, texture_uv).rgb * tint;
    float light = 0.4 + 0.7 * max(dot(normalize(facing), sun.xyz), 0.0);
    float distance_to_eye = distance(world, eye.xyz);
    float fog = 1.0 - exp(-distance_to_eye * 0.012);
    colour = vec4(mix(base * light, vec3(0.62, 0.7, 0.8), fog), 1.0);
}
"""
)

SKY_FRAGMENT = (
    """#version 300 es
precision highp float;
in vec3 world;
in vec3 facing;
in vec2 texture_uv;
uniform sampler2D image;
uniform vec3 tint;
"""
    + CAMERA_BLOCK
    + """
layout(location = 0) out vec4 colour;
void main() {
    vec3 direction = normalize(world - eye.xyz);
    vec2 dome = direction.xz / (0.25 + max(direction.y, 0.0));
    vec3 cloud = texture(image, dome * 0.12).rgb * tint;
    colour = vec4(mix(vec3(0.62, 0.7, 0.8), cloud, smoothstep(0.0, 0.35, direction.y)), 1.0);
}
"""
)

ATTRIBUTES = ("position", "normal", "uv", "instance")


class Model:
    """A mesh in a vertex array object with one vec4 an instance: offset and size."""

    def __init__(self, mesh: GpuMesh, instances: NDArray[np.float32]) -> None:
        self._mesh = mesh
        self._instances = len(instances)
        self._array = int(GL.glGenVertexArrays(1))
        GL.glBindVertexArray(self._array)
        mesh.bind()
        buffer = int(GL.glGenBuffers(1))
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, buffer)
        GL.glBufferData(GL.GL_ARRAY_BUFFER, instances.nbytes, instances, GL.GL_STATIC_DRAW)
        GL.glEnableVertexAttribArray(3)
        GL.glVertexAttribPointer(3, 4, GL.GL_FLOAT, False, 16, ctypes.c_void_p(0))
        GL.glVertexAttribDivisor(3, 1)
        # The index buffer belongs to the array: leave it before the next mesh binds its own.
        GL.glBindVertexArray(0)

    def draw(self) -> None:
        """Draw all instances."""
        GL.glBindVertexArray(self._array)
        GL.glDrawElementsInstanced(
            GL.GL_TRIANGLES, self._mesh.count, GL.GL_UNSIGNED_SHORT, ctypes.c_void_p(0), self._instances
        )


def main() -> None:
    """Draw the frames."""
    wanted = app.options(__doc__)
    window = app.es_window("city", wanted, major=3)
    groups = app.DebugGroups()
    program = Program(VERTEX, FRAGMENT, ATTRIBUTES)
    sky = Program(VERTEX, SKY_FRAGMENT, ATTRIBUTES)
    house_front, brick, asphalt, cloud, leaves = (
        texture(make())
        for make in (textures.windows, textures.bricks, textures.marble, textures.clouds, textures.grass)
    )
    one = np.array([[0, 0, 0, 1]], np.float32)
    cube_mesh, trunk_mesh, crown_mesh = GpuMesh(box()), GpuMesh(cylinder(12)), GpuMesh(sphere(10, 14))
    cube, ground = Model(cube_mesh, one), Model(GpuMesh(grid(24, 60.0)), one)
    along = np.arange(-120, 20, 10)
    kerb = np.array([[side, 0, z, 1] for z in along for side in (-5.5, 5.5)], np.float32)
    trunks, crowns = Model(trunk_mesh, kerb), Model(crown_mesh, kerb + np.array([0, 2.6, 0, 0], np.float32))
    random = np.random.default_rng(21)
    houses = []
    for block in range(15):
        for side in (-1, 1):
            for depth in range(2):
                height, width = random.uniform(4, 14), random.uniform(3.4, 4.4)
                place = translate(side * (11.5 + depth * 9), height, 8 - block * 9.5) @ scale(width, height, 4.3)
                tint = tuple(random.uniform(0.6, 1.0, 3))
                houses.append((f"house {block}.{side}.{depth}", place, height, tint, random.random() < 0.3))

    block_buffer = int(GL.glGenBuffers(1))
    GL.glBindBuffer(GL.GL_UNIFORM_BUFFER, block_buffer)
    GL.glBufferData(GL.GL_UNIFORM_BUFFER, 96, None, GL.GL_DYNAMIC_DRAW)
    GL.glBindBufferBase(GL.GL_UNIFORM_BUFFER, 0, block_buffer)
    for each in (program, sky):
        GL.glUniformBlockBinding(each.name, GL.glGetUniformBlockIndex(each.name, "Camera"), 0)
    projection = perspective(62, wanted.aspect, 0.3, 300)
    sun = np.array([0.4, 0.75, 0.5, 0], np.float32)
    sun /= np.linalg.norm(sun)
    identity = np.eye(4, dtype=np.float32)

    GL.glEnable(GL.GL_DEPTH_TEST)
    GL.glViewport(0, 0, wanted.width, wanted.height)
    for frame in range(wanted.frames):
        eye = (1.8 * np.sin(frame * 0.06), 3.2 + 1.2 * np.sin(frame * 0.045), 10 - frame * 0.9)
        target = (2.5 * np.sin(frame * 0.06 + 0.8), 3.6, eye[2] - 14)
        camera = projection @ look_at(eye, target)
        block = np.concatenate([camera.T.reshape(-1), np.array([*eye, 1], np.float32), sun]).astype(np.float32)
        GL.glBindBuffer(GL.GL_UNIFORM_BUFFER, block_buffer)
        GL.glBufferSubData(GL.GL_UNIFORM_BUFFER, 0, block.nbytes, block)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
        with groups("sky"):
            sky.use()
            GL.glDepthMask(False)
            sky.matrix("model", translate(*eye) @ rotate(frame * 0.1, 0, 1, 0) @ scale(100, 100, 100))
            GL.glUniform2f(sky["tiling"], 1, 1)
            GL.glUniform3f(sky["tint"], 1, 1, 1)
            GL.glBindTexture(GL.GL_TEXTURE_2D, cloud)
            cube.draw()
            GL.glDepthMask(True)
        program.use()
        GL.glUniform1i(program["image"], 0)
        with groups("ground"):
            program.matrix("model", translate(0, 0, -50) @ scale(90, 1, 90))
            GL.glUniform2f(program["tiling"], 1, 1)
            GL.glUniform3f(program["tint"], 0.5, 0.5, 0.52)
            GL.glBindTexture(GL.GL_TEXTURE_2D, asphalt)
            ground.draw()
        for label, place, height, tint, is_brick in reversed(houses):
            with groups(label):
                program.matrix("model", place)
                GL.glUniform2f(program["tiling"], 1, max(1.0, round(height / 5)))
                GL.glUniform3f(program["tint"], *tint)
                GL.glBindTexture(GL.GL_TEXTURE_2D, brick if is_brick else house_front)
                cube.draw()
        with groups("trees"):
            program.matrix("model", scale(0.18, 2.0, 0.18))
            GL.glUniform2f(program["tiling"], 1, 1)
            GL.glUniform3f(program["tint"], 0.5, 0.35, 0.25)
            GL.glBindTexture(GL.GL_TEXTURE_2D, brick)
            trunks.draw()
            program.matrix("model", identity @ scale(1.2, 1.5, 1.2))
            GL.glUniform3f(program["tint"], 0.9, 1.0, 0.8)
            GL.glBindTexture(GL.GL_TEXTURE_2D, leaves)
            crowns.draw()
        glfw.swap_buffers(window)
        glfw.poll_events()
    glfw.terminate()


if __name__ == "__main__":
    main()
