"""A flight instrument panel: text and dials over a 3D scene.

moderngl on a glfw window, OpenGL 3.3: the panel is drawn
over the scene without depth test, and the head-up display is blended on top.
"""

from __future__ import annotations

import glfw
import moderngl
import numpy as np
from numpy.typing import NDArray

from samples import app, font, textures
from samples.gl33 import mesh_array, set_matrix, texture
from samples.maths import look_at, orthographic, perspective, rotate, scale, translate
from samples.meshes import cylinder, grid

WORLD_VERTEX = """#version 330
in vec3 position;
in vec3 normal;
in vec2 uv;
uniform mat4 camera;
uniform mat4 model;
out float light;
out vec2 texture_uv;
void main() {
    gl_Position = camera * model * vec4(position, 1.0);
    light = 0.45 + 0.55 * max(dot(normalize(mat3(model) * normal), vec3(0.48, 0.8, 0.36)), 0.0);
    texture_uv = uv;
}
"""

WORLD_FRAGMENT = """#version 330
uniform sampler2D image;
in float light;
in vec2 texture_uv;
out vec4 result;
void main() { result = vec4(texture(image, texture_uv).rgb * light, 1.0); }
"""

FLAT_VERTEX = """#version 330
in vec2 position;
in vec2 uv;
uniform mat4 place;
out vec2 texture_uv;
void main() { gl_Position = place * vec4(position, 0.0, 1.0); texture_uv = uv; }
"""

FLAT_FRAGMENT = """#version 330
uniform sampler2D image;
uniform vec4 tint;
in vec2 texture_uv;
out vec4 result;
void main() { result = texture(image, texture_uv) * tint; }
"""


def dial(size: int = 128) -> NDArray[np.uint8]:
    """Face of an instrument with marks; transparent around."""
    y, x = (np.mgrid[0:size, 0:size] + 0.5) / size * 2 - 1
    radius, angle = np.hypot(x, y), np.arctan2(y, x)
    tone = np.where(radius > 0.9, 150, 24) + 0 * angle
    mark = (np.abs((angle / np.pi * 12 + 0.5) % 1 - 0.5) < 0.07) & (radius > 0.68) & (radius < 0.86)
    out = np.zeros((size, size, 4), np.uint8)
    out[..., :3] = np.where(mark, 235, tone).astype(np.uint8)[..., None]
    out[..., 3] = (np.clip((0.98 - radius) * size / 2, 0, 1) * 255).astype(np.uint8)
    return out


class Panel:
    """Draws flat rectangles, needles and text in 1200 x 768 units."""

    def __init__(self, context: moderngl.Context) -> None:
        self.program = context.program(FLAT_VERTEX, FLAT_FRAGMENT)
        self._projection = orthographic(0, 1200, 0, 768)
        square = np.array([[-1, -1, 0, 0], [1, -1, 1, 0], [-1, 1, 0, 1], [1, 1, 1, 1]], np.float32)
        self._square = context.vertex_array(
            self.program, [(context.buffer(square.tobytes()), "2f 2f", "position", "uv")]
        )
        self._buffer = context.buffer(reserve=64 * 96, dynamic=True)
        self._text = context.vertex_array(self.program, [(self._buffer, "2f 2f", "position", "uv")])
        self._letters = texture(context, font.atlas())

    def rectangle(
        self,
        image: moderngl.Texture,
        centre: tuple[float, float],
        half: tuple[float, float],
        tint: tuple[float, float, float, float] = (1, 1, 1, 1),
        degrees: float = 0.0,
    ) -> None:
        """Draw an image, turned about its centre."""
        image.use()
        self.program["tint"].value = tint
        place = translate(*centre, 0) @ rotate(degrees, 0, 0, 1) @ scale(*half, 1)
        set_matrix(self.program, "place", self._projection @ place)
        self._square.render(moderngl.TRIANGLE_STRIP)

    def text(self, text: str, x: float, y: float, height: float, tint: tuple[float, float, float, float]) -> None:
        """Draw a line of text of at most 64 characters."""
        quads = font.text_quads(text, x, y, height)
        self._buffer.write(quads.tobytes())
        self._letters.use()
        self.program["tint"].value = tint
        set_matrix(self.program, "place", self._projection)
        self._text.render(moderngl.TRIANGLES, vertices=len(quads))


def main() -> None:
    """Draw the frames."""
    wanted = app.options(__doc__)
    window = app.gl_window("cockpit", wanted)
    context = moderngl.create_context()
    world = context.program(WORLD_VERTEX, WORLD_FRAGMENT)
    panel = Panel(context)
    meadow, steel, face, sky = (
        texture(context, image) for image in (textures.grass(), textures.metal(), dial(), textures.clouds())
    )
    ground, tower = (mesh_array(context, world, mesh) for mesh in (grid(20, 80.0), cylinder(16, 0.7)))
    towers = np.random.default_rng(17).uniform((-60, -200), (60, -10), (30, 2))
    green, white = (0.35, 1.0, 0.45, 0.9), (1.0, 1.0, 1.0, 1.0)
    projection = perspective(60, wanted.aspect, 0.5, 400)

    for frame in range(wanted.frames):
        context.clear(0.4, 0.6, 0.85, 1.0, depth=1.0)
        height, bank = 14 + 3 * np.sin(frame * 0.04), 12 * np.sin(frame * 0.05)
        eye = (3 * np.sin(frame * 0.03), height, 20 - frame * 1.2)
        view = rotate(bank, 0, 0, 1) @ look_at(eye, (0, height - 2, eye[2] - 20))
        with context.debug_scope("sky"):
            panel.rectangle(sky, (600, 560), (900, 420), white, bank)
        context.enable(moderngl.DEPTH_TEST)
        set_matrix(world, "camera", projection @ view)
        with context.debug_scope("ground"):
            meadow.use()
            set_matrix(world, "model", translate(0, 0, -150) @ scale(260, 1, 260))
            ground.render()
        steel.use()
        for number, (x, z) in enumerate(towers):
            with context.debug_scope(f"tower {number}"):
                tall = 4 + number % 7
                set_matrix(world, "model", translate(x, tall, z) @ scale(2, tall, 2))
                tower.render()
        context.disable(moderngl.DEPTH_TEST)
        context.enable(moderngl.BLEND)
        context.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA
        with context.debug_scope("panel"):
            panel.rectangle(steel, (600, 110), (600, 110), (0.35, 0.37, 0.4, 1))
            for number, (name, value) in enumerate(
                (
                    ("SPEED", 180 + 20 * np.sin(frame * 0.07)),
                    ("ALT", height * 12),
                    ("TURN", 90 + bank * 3),
                    ("RPM", 240),
                )
            ):
                x = 180 + number * 280
                panel.rectangle(face, (x, 115), (95, 95))
                panel.rectangle(steel, (x, 115), (3, 70), (1, 0.4, 0.2, 1), -value * 0.7)
                panel.text(name, x - 40, 8, 20, white)
        with context.debug_scope("head-up display"):
            panel.text(f"HDG {int(90 + bank) % 360:03d}", 520, 700, 32, green)
            panel.text(f"ALT {int(height * 100):05d}", 900, 480, 28, green)
            panel.text(f"SPD {int(180 + 20 * np.sin(frame * 0.07)):03d}", 120, 480, 28, green)
            for line in range(-2, 3):
                panel.rectangle(face, (600, 480 + line * 50), (90 if line == 0 else 45, 1.5), green, bank)
        context.disable(moderngl.BLEND)
        glfw.swap_buffers(window)
        glfw.poll_events()
    context.release()
    glfw.terminate()


if __name__ == "__main__":
    main()
