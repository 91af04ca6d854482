"""A test card: edges at slow angles, thin features, and textures far away, one to a frame.

OpenGL ES 2.0 through PyOpenGL in a glfw window. Frames: a picture on a receding plane, a triangle, edges
through the worst places of sampling patterns, a checkerboard on the plane, thin features, bars of all slopes; then
again. Cards are ``w`` pixels wide and ``h`` high.
"""

from __future__ import annotations

import glfw
import numpy as np
from numpy.typing import NDArray

from samples import app, textures
from samples.gles import GL, GpuMesh, Program, texture
from samples.maths import look_at, orthographic, perspective, scale
from samples.meshes import Mesh, grid

VERTEX = """
attribute vec3 position;
attribute vec3 normal;
attribute vec2 uv;
uniform mat4 camera;
varying vec2 texture_uv;
void main() {
    gl_Position = camera * vec4(position, 1.0);
    texture_uv = uv;
}
"""

FRAGMENT = """
precision mediump float;
uniform sampler2D image;
varying vec2 texture_uv;
void main() { gl_FragColor = vec4(texture2D(image, texture_uv).rgb, 1.0); }
"""
CARDS = 6


def scenery(size: int = 256) -> NDArray[np.uint8]:
    """A house and a tree before a sky: smooth areas, edges, small detail."""
    out = textures.clouds(size)
    y, x = np.mgrid[0:size, 0:size] / size
    out[y < 0.3] = textures.grass(size)[y < 0.3]
    house = (np.abs(x - 0.3) < 0.18) & (y > 0.18) & (y < 0.5)
    out[house] = textures.bricks(size)[house]
    roof = (y >= 0.5) & (y < 0.72) & (np.abs(x - 0.3) < 0.22 * (0.72 - y) / 0.22)
    out[roof] = textures.planks(size)[roof]
    for cx, cy in ((0.22, 0.36), (0.38, 0.36)):
        pane = (np.abs(x - cx) < 0.04) & (np.abs(y - cy) < 0.05)
        out[pane] = (240, 220, 140, 255)
        out[pane & ((np.abs(x - cx) < 0.006) | (np.abs(y - cy) < 0.006))] = (40, 30, 20, 255)
    trunk = (np.abs(x - 0.74) < 0.03) & (y > 0.15) & (y < 0.5)
    out[trunk] = textures.planks(size, 9)[trunk]
    leaves = (x - 0.74) ** 2 + (y - 0.62) ** 2 < 0.03 * (0.6 + textures.fractal(size, 11, 6))
    out[leaves] = (textures.grass(size, 3)[leaves] * np.array([0.7, 0.9, 0.6, 1])).astype(np.uint8)
    return out


def checkerboard(size: int = 128) -> NDArray[np.uint8]:
    """Squares of eight texels."""
    y, x = np.mgrid[0:size, 0:size] // 8
    out = np.full((size, size, 4), 255, np.uint8)
    out[..., :3] = np.where((x + y) % 2, 255, 20)[..., None]
    return out


def polygons(corners: list[list[tuple[float, float]]]) -> GpuMesh:
    """Convex polygons as one mesh."""
    rows, indices = [], []
    for polygon in corners:
        first = len(rows)
        rows += [(x, y, 0, 0, 0, 1, 0.5, 0.5) for x, y in polygon]
        for k in range(1, len(polygon) - 1):
            indices += [first, first + k, first + k + 1]
    return GpuMesh(Mesh(np.array(rows, np.float32), np.array(indices, np.uint16)))


def cards(width: int, height: int) -> list[GpuMesh]:
    """Cards of plain white, in pixels."""
    w, h = width, height
    triangle = [[(0.07 * w, 0.1 * h), (0.95 * w, 0.17 * h), (0.14 * w, 0.93 * h)]]
    # FLIPQUAD's worst edges run through two samples of each pixel: along (1/3, 0) to (0, 2/3), a slope of 2.
    worst = [
        [(0.1 * w + 9 * k, 0.1 * h), (0.1 * w + 9 * k + 4, 0.1 * h), (0.1 * w + 9 * k + 4 + 0.4 * h, 0.9 * h),
         (0.1 * w + 9 * k + 0.4 * h, 0.9 * h)] for k in range(6)
    ]  # fmt: skip
    thin, bars = [], []
    for k in range(15):
        angle = np.pi / 2 * k / 14
        along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        start, end = along * 0.12 * h + 3, along * 0.97 * h + 3
        reach = 0.35
        thin.append([tuple(start - reach * across), tuple(end - reach * across), tuple(end + reach * across),
                     tuple(start + reach * across)])  # fmt: skip
    for k in range(9):
        low = 0.08 * h + k * 0.1 * h
        rise = low + 0.6 * k
        thick = 0.04 * h
        bars.append([(0.05 * w, low), (0.95 * w, rise), (0.95 * w, rise + thick), (0.05 * w, low + thick)])
    return [polygons(triangle), polygons(worst), polygons(thin), polygons(bars)]


def main() -> None:
    """Draw the frames."""
    wanted = app.options(__doc__)
    window = app.es_window("testcard", wanted, major=2)
    groups = app.DebugGroups()
    program = Program(VERTEX, FRAGMENT)
    white = texture(np.full((4, 4, 4), 255, np.uint8))
    picture, board = texture(scenery()), texture(checkerboard())
    plane = GpuMesh(grid(2, 12.0))
    triangle, worst, thin, bars = cards(wanted.width, wanted.height)
    flat = orthographic(0, wanted.width, 0, wanted.height)
    far = perspective(50, wanted.aspect, 0.5, 120) @ look_at((0.4, 3, 2), (0, 0, -8)) @ scale(40, 1, 40)
    order = [
        (plane, picture, far),
        (triangle, white, flat),
        (worst, white, flat),
        (plane, board, far),
        (thin, white, flat),
        (bars, white, flat),
    ]
    GL.glEnable(GL.GL_DEPTH_TEST)
    GL.glViewport(0, 0, wanted.width, wanted.height)
    for frame in range(wanted.frames):
        GL.glClearColor(0, 0, 0, 1)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
        mesh, image, camera = order[frame % CARDS]
        program.use()
        program.matrix("camera", camera)
        GL.glUniform1i(program["image"], 0)
        GL.glBindTexture(GL.GL_TEXTURE_2D, image)
        with groups(f"card {frame % CARDS}"):
            mesh.bind()
            mesh.draw()
        glfw.swap_buffers(window)
        glfw.poll_events()
    glfw.terminate()


if __name__ == "__main__":
    main()
