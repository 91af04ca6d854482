"""A spinning textured cube: the smallest complete program.

OpenGL ES 2.0 through PyOpenGL in a glfw window, vertices straight from the program's memory.
"""

from __future__ import annotations

import glfw
import numpy as np

from samples import app, textures
from samples.gles import GL, Program, texture
from samples.maths import look_at, perspective, rotate
from samples.meshes import VERTEX_BYTES, box

VERTEX = """
attribute vec3 position;
attribute vec3 normal;
attribute vec2 uv;
uniform mat4 transform;
uniform mat4 turn;
varying vec2 texture_uv;
varying float light;
void main() {
    gl_Position = transform * vec4(position, 1.0);
    texture_uv = uv;
    light = 0.35 + 0.65 * max(dot((turn * vec4(normal, 0.0)).xyz, normalize(vec3(0.5, 0.8, 0.6))), 0.0);
}
"""

FRAGMENT = """
precision mediump float;
uniform sampler2D image;
varying vec2 texture_uv;
varying float light;
void main() {
    gl_FragColor = vec4(texture2D(image, texture_uv).rgb * light, 1.0);
}
"""


def main() -> None:
    """Draw the frames."""
    wanted = app.options(__doc__)
    window = app.es_window("cube", wanted, major=2)
    groups = app.DebugGroups()
    program = Program(VERTEX, FRAGMENT)
    image = texture(textures.planks())
    mesh = box()
    view = perspective(45, wanted.aspect, 0.5, 20) @ look_at((0, 0.8, 4.9), (0, 0, 0))

    GL.glEnable(GL.GL_DEPTH_TEST)
    GL.glEnable(GL.GL_CULL_FACE)
    GL.glClearColor(0.08, 0.1, 0.16, 1.0)
    GL.glViewport(0, 0, wanted.width, wanted.height)
    for frame in range(wanted.frames):
        GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
        program.use()
        turn = rotate(frame * 3.0, 0.3, 1.0, 0.1)
        program.matrix("transform", view @ turn)
        program.matrix("turn", turn)
        GL.glBindTexture(GL.GL_TEXTURE_2D, image)
        GL.glUniform1i(program["image"], 0)
        for location, (first, size) in enumerate(((0, 3), (3, 3), (6, 2))):
            GL.glEnableVertexAttribArray(location)
            # A client-side array: GL reads it from the program's memory when it draws.
            GL.glVertexAttribPointer(
                location, size, GL.GL_FLOAT, False, VERTEX_BYTES, mesh.vertices.reshape(-1)[first:]
            )
        with groups("cube"):
            GL.glDrawElements(
                GL.GL_TRIANGLES, len(mesh.indices), GL.GL_UNSIGNED_SHORT, np.ascontiguousarray(mesh.indices)
            )
        glfw.swap_buffers(window)
        glfw.poll_events()
    glfw.terminate()


if __name__ == "__main__":
    main()
