"""A small scene that can be made slow in eight known ways, each by itself: ``--slow NAME``, none or several times.

OpenGL ES 3.0 through PyOpenGL in a glfw window, as the samples. Every culprit has a debug group of its own.
"""

from __future__ import annotations

import argparse
import sys

import glfw
import numpy as np

from samples import app, textures
from samples.gles import GpuMesh, Program, texture
from samples.maths import look_at, perspective, rotate, scale, translate
from samples.meshes import box, grid, sphere

from OpenGL import GLES3 as GL  # isort: skip  (after samples.gles, which chooses PyOpenGL's platform)

#: What each does: an overlong blur, 40 blended sprites, a texture without mipmaps, opaque draws the farthest first, a
#: huge texture that is not compressed, a discard without need, a framebuffer switch in mid-frame, tiny triangles.
CULPRITS = ("blur", "sprites", "floor", "crates", "poster", "fence", "map", "statue")

VERTEX = """#version 300 es
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
uniform mat4 transform;
uniform vec2 tiles;
out vec3 facing;
out vec2 at;
void main() { gl_Position = transform * vec4(position, 1.0); facing = normal; at = uv * tiles; }
"""

FRAGMENT = """#version 300 es
precision mediump float;
in vec3 facing;
in vec2 at;
uniform sampler2D image;
layout(location = 0) out vec4 colour;
void main() {
    vec3 light = vec3(0.4 + 0.6 * max(dot(normalize(facing), vec3(0.3, 0.8, 0.52)), 0.0));
    colour = vec4(texture(image, at).rgb * light, 1.0);
}
"""

#: Light that is worth computing once a pixel.
RICH = """#version 300 es
precision mediump float;
in vec3 facing;
in vec2 at;
uniform sampler2D image;
layout(location = 0) out vec4 colour;
void main() {
    vec3 n = normalize(facing), light = vec3(0.2);
    for (int i = 0; i < 6; ++i) {
        vec3 to = normalize(vec3(sin(float(i)), 1.0, cos(float(i))));
        light += 0.12 * max(dot(n, to), 0.0) + 0.03 * pow(max(dot(reflect(-to, n), vec3(0.0, 0.0, 1.0)), 0.0), 8.0);
    }
    vec4 texel = texture(image, at);
    CUT
    colour = vec4(texel.rgb * light, 1.0);
}
"""

SPRITE = """#version 300 es
precision mediump float;
in vec2 at;
uniform sampler2D image;
layout(location = 0) out vec4 colour;
void main() { colour = texture(image, at) * vec4(1.0, 0.9, 0.7, 0.2); }
"""

POST_VERTEX = """#version 300 es
layout(location = 0) in vec3 position;
out vec2 at;
void main() { at = position.xy * 0.5 + 0.5; gl_Position = vec4(position.xy, 0.0, 1.0); }
"""

BLUR = """#version 300 es
precision mediump float;
in vec2 at;
uniform sampler2D image;
layout(location = 0) out vec4 colour;
void main() {
    vec3 sum = vec3(0.0);
    for (int i = -TAPS; i <= TAPS; ++i) sum += texture(image, at + vec2(float(i) * 0.002, 0.0)).rgb;
    colour = vec4(sum / float(2 * TAPS + 1), 1.0);
}
"""

QUAD = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, -1, 0], [1, 1, 0], [-1, 1, 0]], np.float32)


def target(width: int, height: int) -> tuple[int, int]:
    """A framebuffer with a colour texture and a depth buffer."""
    image = int(GL.glGenTextures(1))
    GL.glBindTexture(GL.GL_TEXTURE_2D, image)
    GL.glTexStorage2D(GL.GL_TEXTURE_2D, 1, GL.GL_RGBA8, width, height)
    for name, value in (
        (GL.GL_TEXTURE_MIN_FILTER, GL.GL_LINEAR),
        (GL.GL_TEXTURE_WRAP_S, GL.GL_CLAMP_TO_EDGE),
        (GL.GL_TEXTURE_WRAP_T, GL.GL_CLAMP_TO_EDGE),
    ):
        GL.glTexParameteri(GL.GL_TEXTURE_2D, name, value)
    depth = int(GL.glGenRenderbuffers(1))
    GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, depth)
    GL.glRenderbufferStorage(GL.GL_RENDERBUFFER, GL.GL_DEPTH_COMPONENT24, width, height)
    framebuffer = int(GL.glGenFramebuffers(1))
    GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, framebuffer)
    GL.glFramebufferTexture2D(GL.GL_FRAMEBUFFER, GL.GL_COLOR_ATTACHMENT0, GL.GL_TEXTURE_2D, image, 0)
    GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, GL.GL_DEPTH_ATTACHMENT, GL.GL_RENDERBUFFER, depth)
    return framebuffer, image


def compressed(size: int) -> int:
    """A texture of ETC2 blocks with all levels, as a build's texture tool makes them."""
    from replay.formats.etc_encode import encode_image

    name = int(GL.glGenTextures(1))
    GL.glBindTexture(GL.GL_TEXTURE_2D, name)
    image = textures.marble(size).astype(float)
    for level in range(size.bit_length()):
        blocks = encode_image(np.rint(image).astype(np.uint8), alpha=False)
        GL.glCompressedTexImage2D(
            GL.GL_TEXTURE_2D, level, GL.GL_COMPRESSED_RGB8_ETC2, len(image), len(image), 0, len(blocks), blocks
        )
        if len(image) > 1:
            image = image.reshape(len(image) // 2, 2, -1, 2, 4).mean(axis=(1, 3))
    GL.glTexParameteri(GL.GL_TEXTURE_2D, GL.GL_TEXTURE_MIN_FILTER, GL.GL_LINEAR_MIPMAP_LINEAR)
    return name


class Scene:
    """Everything that is drawn."""

    def __init__(self, wanted: app.Options, slow: set[str]) -> None:
        self.wanted, self.slow = wanted, slow
        self.groups = app.DebugGroups()
        self.plain = Program(VERTEX, FRAGMENT)
        self.rich = Program(VERTEX, RICH.replace("CUT", ""))
        self.cut = Program(VERTEX, RICH.replace("CUT", "if (texel.a < 0.5) discard;"))
        self.sprite = Program(VERTEX, SPRITE)
        self.blur = Program(POST_VERTEX, BLUR.replace("TAPS", "30" if "blur" in slow else "2"))
        self.box, self.grid = GpuMesh(box()), GpuMesh(grid(1, 1.0))
        self.statue = GpuMesh(sphere(100, 100) if "statue" in slow else sphere(8, 10))
        self.bricks = texture(textures.bricks())
        self.disc = texture(textures.disc(), clamp=True)
        self.grass = texture(textures.grass(512), mipmaps="floor" not in slow)
        self.marble = texture(textures.marble(512)) if "poster" in slow else compressed(512)
        self.quad = int(GL.glGenBuffers(1))
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self.quad)
        GL.glBufferData(GL.GL_ARRAY_BUFFER, QUAD.nbytes, QUAD, GL.GL_STATIC_DRAW)
        self.main, self.image = target(wanted.width, wanted.height)
        self.small, self.map = target(64, 64)
        self.camera = perspective(60, wanted.aspect, 0.5, 100) @ look_at((0, 3, 9), (0, 2, 0))

    def thing(self, program: Program, mesh: GpuMesh, image: int, place: np.ndarray, tiles: float = 1.0) -> None:
        """Draw a mesh."""
        program.use()
        program.matrix("transform", place)
        GL.glUniform2f(program["tiles"], tiles, tiles)
        GL.glBindTexture(GL.GL_TEXTURE_2D, image)
        mesh.bind()
        mesh.draw()

    @staticmethod
    def end_pass() -> None:
        """Nobody reads the depths."""
        GL.glInvalidateFramebuffer(GL.GL_FRAMEBUFFER, 1, [GL.GL_DEPTH_ATTACHMENT])

    def draw_map(self) -> None:
        """Render the little map, and go back to where the scene is drawn."""
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self.small)
        GL.glViewport(0, 0, 64, 64)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
        with self.groups("map"):
            self.thing(self.plain, self.box, self.bricks, scale(0.5, 0.5, 0.5) @ rotate(30, 0, 1, 0))
        self.end_pass()
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self.main)
        GL.glViewport(0, 0, self.wanted.width, self.wanted.height)

    def draw(self, frame: int) -> None:
        """Draw a frame."""
        groups, camera, slow = self.groups, self.camera @ rotate(0.5 * frame, 0, 1, 0), self.slow
        if "map" not in slow:
            self.draw_map()
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self.main)
        GL.glViewport(0, 0, self.wanted.width, self.wanted.height)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
        GL.glEnable(GL.GL_DEPTH_TEST)
        crates = [camera @ translate(0, 2, -2.5 * k) @ scale(2.5, 2.0, 1.0) for k in range(12)]
        with groups("crates"):
            for place in reversed(crates) if "crates" in slow else crates:
                self.thing(self.rich, self.box, self.bricks, place)
        with groups("fence"):
            for k in range(16):
                place = camera @ translate(-5.5, 3, 1 - 0.2 * k) @ scale(3.0, 3.0, 0.05)
                self.thing(self.cut if "fence" in slow else self.rich, self.box, self.bricks, place)
        with groups("poster"):
            wall = camera @ translate(0, 8, -12) @ rotate(90, 1, 0, 0) @ scale(30, 1, 14)
            self.thing(self.plain, self.grid, self.marble, wall)
        with groups("statue"):
            self.thing(self.plain, self.statue, self.bricks, camera @ translate(2.8, 0.6, 4.5) @ scale(0.4, 0.6, 0.4))
        if "map" in slow:
            self.draw_map()
        with groups("floor"):
            self.thing(self.plain, self.grid, self.grass, camera @ scale(40, 1, 40), 30.0)
        with groups("sign"):
            self.thing(self.plain, self.box, self.map, camera @ translate(-3, 4.6, 3) @ scale(0.6, 0.6, 0.1))
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendFunc(GL.GL_SRC_ALPHA, GL.GL_ONE)
        GL.glDepthMask(False)
        with groups("sprites"):
            for k in range(40 if "sprites" in slow else 2):
                place = camera @ translate(0.1 * k - 2, 3 + 0.03 * k, 4) @ rotate(90, 1, 0, 0) @ scale(2.2, 1, 2.2)
                self.thing(self.sprite, self.grid, self.disc, place)
        GL.glDepthMask(True)
        GL.glDisable(GL.GL_BLEND)
        self.end_pass()
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, 0)
        GL.glDisable(GL.GL_DEPTH_TEST)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
        self.blur.use()
        GL.glBindTexture(GL.GL_TEXTURE_2D, self.image)
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self.quad)
        GL.glVertexAttribPointer(0, 3, GL.GL_FLOAT, False, 0, None)
        with groups("blur"):
            GL.glDrawArrays(GL.GL_TRIANGLES, 0, 6)


def main() -> None:
    """Draw the frames."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--slow", action="append", default=[], choices=CULPRITS)
    given, rest = parser.parse_known_args()
    sys.argv[1:] = rest
    wanted = app.options(__doc__)
    window = app.es_window("slow", wanted, major=3)
    scene = Scene(wanted, set(given.slow))
    for frame in range(wanted.frames):
        scene.draw(frame)
        glfw.swap_buffers(window)
    glfw.terminate()


if __name__ == "__main__":
    main()
