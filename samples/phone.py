"""What the programs for a telephone of 2003 share: one small lit shader, one blended shader without depth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samples.gles import GL, GpuMesh, Program
from samples.maths import Matrix

__all__ = ["Flat", "Solid"]

SOLID_VERTEX = """
attribute vec3 position;
attribute vec3 normal;
attribute vec2 uv;
uniform mat4 camera;
uniform mat4 model;
uniform vec2 drift;
varying vec2 texture_uv;
varying float light;
void main() {
    gl_Position = camera * model * vec4(position, 1.0);
    texture_uv = uv + drift;
    vec3 facing = normalize((model * vec4(normal, 0.0)).xyz);
    light = 0.45 + 0.55 * max(dot(facing, vec3(0.37, 0.74, 0.56)), 0.0);
}
"""

SOLID_FRAGMENT = """
precision mediump float;
uniform sampler2D image;
uniform vec3 tint;
varying vec2 texture_uv;
varying float light;
void main() { gl_FragColor = vec4(texture2D(image, texture_uv).rgb * tint * light, 1.0); }
"""

FLAT_VERTEX = """
attribute vec3 position;
attribute vec3 normal;
attribute vec2 uv;
uniform mat4 camera;
varying vec2 texture_uv;
varying vec3 colour;
void main() {
    gl_Position = camera * vec4(position, 1.0);
    texture_uv = uv;
    colour = normal;
}
"""

FLAT_FRAGMENT = """
precision mediump float;
uniform sampler2D image;
varying vec2 texture_uv;
varying vec3 colour;
void main() {
    vec4 texel = texture2D(image, texture_uv);
    gl_FragColor = vec4(texel.rgb * colour, texel.a);
}
"""


class Solid:
    """Lit, textured meshes with depth."""

    def __init__(self) -> None:
        self._program = Program(SOLID_VERTEX, SOLID_FRAGMENT)

    def begin(self, camera: Matrix) -> None:
        """Make it current for a frame."""
        self._program.use()
        self._program.matrix("camera", camera)
        GL.glUniform1i(self._program["image"], 0)

    def draw(
        self,
        mesh: GpuMesh,
        image: int,
        model: Matrix,
        *,
        tint: tuple[float, float, float] = (1.0, 1.0, 1.0),
        drift: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """Draw a mesh; ``drift`` moves its texture."""
        self._program.matrix("model", model)
        GL.glUniform3f(self._program["tint"], *tint)
        GL.glUniform2f(self._program["drift"], *drift)
        GL.glBindTexture(GL.GL_TEXTURE_2D, image)
        mesh.bind()
        mesh.draw()


class Flat:
    """Blended triangles from the program's memory, rows of position, colour and texture coordinate: (V, 8) float32."""

    def __init__(self) -> None:
        self._program = Program(FLAT_VERTEX, FLAT_FRAGMENT)

    def draw(self, vertices: NDArray[np.float32], image: int, camera: Matrix) -> None:
        """Draw triangles."""
        self._program.use()
        self._program.matrix("camera", camera)
        GL.glUniform1i(self._program["image"], 0)
        GL.glBindTexture(GL.GL_TEXTURE_2D, image)
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, 0)
        flat = np.ascontiguousarray(vertices, np.float32)
        for location, (first, size) in enumerate(((0, 3), (3, 3), (6, 2))):
            GL.glEnableVertexAttribArray(location)
            GL.glVertexAttribPointer(location, size, GL.GL_FLOAT, False, 32, flat.reshape(-1)[first:])
        GL.glDrawArrays(GL.GL_TRIANGLES, 0, len(flat))
