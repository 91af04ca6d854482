"""A 2D puzzle board with sprites and buttons, static camera.

OpenGL ES 2.0 through PyOpenGL in a glfw window. Most of the picture stays as it is from frame to frame: the
background, the board and the buttons; only the gems that fall, the selection and the score change.
"""

from __future__ import annotations

import ctypes

import glfw
import numpy as np
from numpy.typing import NDArray

from samples import app, font, textures
from samples.gles import GL, Program, texture
from samples.maths import orthographic

VERTEX = """
attribute vec2 position;
attribute vec2 uv;
uniform mat4 projection;
uniform vec4 place;
varying vec2 texture_uv;
void main() {
    gl_Position = projection * vec4(position * place.zw + place.xy, 0.0, 1.0);
    texture_uv = uv;
}
"""

FRAGMENT = """
precision mediump float;
uniform sampler2D image;
uniform vec4 tint;
varying vec2 texture_uv;
void main() {
    gl_FragColor = texture2D(image, texture_uv) * tint;
}
"""

COLUMNS, ROWS = 8, 7
GEM_TINTS = ((0.95, 0.25, 0.25), (0.25, 0.8, 0.35), (0.3, 0.5, 1.0), (1.0, 0.8, 0.2), (0.8, 0.35, 0.9))
QUAD = np.array([[0, 0, 0, 0], [1, 0, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 1]], np.float32)


def gem(size: int = 64) -> NDArray[np.uint8]:
    """Cut stone, white, to be tinted; transparent around."""
    y, x = (np.mgrid[0:size, 0:size] + 0.5) / size * 2 - 1
    edge = np.maximum(np.abs(x), np.abs(y)) + 0.45 * np.minimum(np.abs(x), np.abs(y))
    facet = 0.62 + 0.2 * np.sign(x + y) * (edge > 0.55) + 0.12 * (np.abs(x) > np.abs(y)) + 0.15 * y
    out = np.zeros((size, size, 4), np.uint8)
    out[..., :3] = (np.clip(facet, 0, 1) * 255).astype(np.uint8)[..., None]
    out[..., 3] = (np.clip((0.95 - edge) * size / 4, 0, 1) * 255).astype(np.uint8)
    return out


class Board:
    """Draws rectangles in a coordinate system of 1200 x 768 units whatever the window's size."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._buffer, self._text = (int(name) for name in GL.glGenBuffers(2))
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._buffer)
        GL.glBufferData(GL.GL_ARRAY_BUFFER, QUAD.nbytes, QUAD, GL.GL_STATIC_DRAW)

    def _attributes(self, buffer: int) -> None:
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, buffer)
        GL.glVertexAttribPointer(0, 2, GL.GL_FLOAT, False, 16, ctypes.c_void_p(0))
        GL.glVertexAttribPointer(1, 2, GL.GL_FLOAT, False, 16, ctypes.c_void_p(8))

    def rectangle(
        self, image: int, x: float, y: float, width: float, height: float, tint: tuple[float, float, float, float]
    ) -> None:
        """Draw one sprite."""
        self._attributes(self._buffer)
        GL.glBindTexture(GL.GL_TEXTURE_2D, image)
        GL.glUniform4f(self._program["place"], x, y, width, height)
        GL.glUniform4f(self._program["tint"], *tint)
        GL.glDrawArrays(GL.GL_TRIANGLES, 0, 6)

    def text(self, image: int, text: str, x: float, y: float, height: float) -> None:
        """Draw a line of text."""
        quads = font.text_quads(text, x, y, height)
        self._attributes(self._text)
        GL.glBufferData(GL.GL_ARRAY_BUFFER, quads.nbytes, quads, GL.GL_STREAM_DRAW)
        GL.glBindTexture(GL.GL_TEXTURE_2D, image)
        GL.glUniform4f(self._program["place"], 0, 0, 1, 1)
        GL.glUniform4f(self._program["tint"], 1, 1, 1, 1)
        GL.glDrawArrays(GL.GL_TRIANGLES, 0, len(quads))


def main() -> None:
    """Draw the frames."""
    wanted = app.options(__doc__)
    window = app.es_window("sprites", wanted, major=2)
    groups = app.DebugGroups()
    program = Program(VERTEX, FRAGMENT, ("position", "uv"))
    board = Board(program)
    background, stone, wood = (texture(make()) for make in (textures.clouds, textures.marble, textures.planks))
    gems, letters = texture(gem(), clamp=True), texture(font.atlas(), mipmaps=False, clamp=True)
    kinds = np.random.default_rng(11).integers(0, len(GEM_TINTS), (ROWS, COLUMNS))

    GL.glEnable(GL.GL_BLEND)
    GL.glBlendFunc(GL.GL_SRC_ALPHA, GL.GL_ONE_MINUS_SRC_ALPHA)
    GL.glEnableVertexAttribArray(0)
    GL.glEnableVertexAttribArray(1)
    GL.glViewport(0, 0, wanted.width, wanted.height)
    for frame in range(wanted.frames):
        GL.glClearColor(0, 0, 0, 1)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT)
        program.use()
        program.matrix("projection", orthographic(0, 1200, 0, 768))
        GL.glUniform1i(program["image"], 0)
        with groups("background"):
            board.rectangle(background, 0, 0, 1200, 768, (1, 1, 1, 1))
        with groups("board"):
            board.rectangle(wood, 60, 44, 680, 680, (0.6, 0.6, 0.62, 1))
            for row in range(ROWS):
                for column in range(COLUMNS):
                    shade = 0.75 if (row + column) % 2 else 0.9
                    board.rectangle(stone, 80 + column * 80, 64 + row * 90, 78, 88, (shade, shade, shade, 0.85))
        with groups("gems"):
            falling = frame // 12 % COLUMNS
            drop = max(0.0, 1 - (frame % 12) / 8) ** 2
            for row in range(ROWS):
                for column in range(COLUMNS):
                    tint = GEM_TINTS[(kinds[row, column] + (frame // 12 + COLUMNS - 1 - column) // COLUMNS) % 5]
                    lift = drop * 90 if column == falling else 0.0
                    board.rectangle(gems, 86 + column * 80, 74 + row * 90 + lift, 66, 66, (*tint, 1))
        with groups("panel"):
            board.rectangle(stone, 790, 44, 350, 680, (0.25, 0.3, 0.42, 0.92))
            for number, label in enumerate(("NEW GAME", "HINT", "SHUFFLE", "QUIT")):
                board.rectangle(wood, 830, 90 + number * 90, 270, 64, (0.95, 0.85, 0.7, 1))
                board.text(letters, label, 860, 108 + number * 90, 30)
        with groups("score"):
            board.text(letters, "SCORE", 830, 620, 48)
            board.text(letters, f"{1250 + frame // 6 * 40:06d}", 830, 550, 56)
        glfw.swap_buffers(window)
        glfw.poll_events()
    glfw.terminate()


if __name__ == "__main__":
    main()
