"""Fountains of blended particles rendered to a framebuffer.

moderngl on its own, without any window: the frames are drawn to a framebuffer object and end with ``finish()``.
"""

from __future__ import annotations

import moderngl
import numpy as np

from samples import app, textures
from samples.gl33 import set_matrix, texture
from samples.maths import look_at, perspective

PARTICLE_VERTEX = """#version 330
in vec2 corner;
in vec4 place;
in vec4 tint;
uniform mat4 view;
uniform mat4 projection;
out vec2 texture_uv;
out vec4 colour;
void main() {
    vec4 centre = view * vec4(place.xyz, 1.0);
    gl_Position = projection * (centre + vec4(corner * place.w, 0.0, 0.0));
    texture_uv = corner * 0.5 + 0.5;
    colour = tint;
}
"""

PARTICLE_FRAGMENT = """#version 330
uniform sampler2D image;
in vec2 texture_uv;
in vec4 colour;
out vec4 result;
void main() { result = vec4(colour.rgb, colour.a * texture(image, texture_uv).a); }
"""

BACKDROP_VERTEX = """#version 330
in vec2 corner;
out vec2 at;
void main() { gl_Position = vec4(corner, 0.999, 1.0); at = corner; }
"""

BACKDROP_FRAGMENT = """#version 330
uniform sampler2D image;
uniform float drift;
in vec2 at;
out vec4 result;
void main() {
    vec3 cloud = texture(image, at * vec2(0.7, 0.45) + vec2(drift, 0.0)).rgb;
    result = vec4(cloud * vec3(0.10, 0.09, 0.2) * (1.4 - length(at) * 0.6), 1.0);
}
"""

FOUNTAINS, PER_FOUNTAIN = 8, 120
CORNERS = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], np.float32)


def main() -> None:
    """Draw the frames."""
    wanted = app.options(__doc__)
    context = moderngl.create_context(standalone=True, backend="egl")
    target = context.framebuffer(
        [context.texture((wanted.width, wanted.height), 4)], context.depth_renderbuffer((wanted.width, wanted.height))
    )
    program = context.program(PARTICLE_VERTEX, PARTICLE_FRAGMENT)
    backdrop = context.program(BACKDROP_VERTEX, BACKDROP_FRAGMENT)
    spot, sky = texture(context, textures.disc()), texture(context, textures.clouds())
    corners = context.buffer(CORNERS.tobytes())
    instances = context.buffer(reserve=PER_FOUNTAIN * 32)
    particles = context.vertex_array(program, [(corners, "2f", "corner"), (instances, "4f 4f/i", "place", "tint")])
    whole = context.vertex_array(backdrop, [(corners, "2f", "corner")])
    set_matrix(program, "projection", perspective(55, wanted.aspect, 0.5, 60))

    random = np.random.default_rng(3)
    speed = random.normal((0, 7.5, 0), (0.9, 0.8, 0.9), (FOUNTAINS, PER_FOUNTAIN, 3))
    birth = random.uniform(0, 1.8, (FOUNTAINS, PER_FOUNTAIN))
    hue = random.uniform(0.35, 1.0, (FOUNTAINS, 3))
    ring = np.arange(FOUNTAINS) / FOUNTAINS * 2 * np.pi
    feet = np.stack([5 * np.cos(ring), 0 * ring - 2, 5 * np.sin(ring)], axis=1)

    context.enable(moderngl.BLEND)
    for frame in range(wanted.frames):
        target.use()
        target.clear(0, 0, 0, 1, depth=1.0)
        context.blend_func = moderngl.ONE, moderngl.ZERO
        with context.debug_scope("backdrop"):
            sky.use()
            backdrop["drift"].value = frame * 0.002
            whole.render(moderngl.TRIANGLE_STRIP)
        context.blend_func = moderngl.SRC_ALPHA, moderngl.ONE
        angle = frame * 0.015
        set_matrix(program, "view", look_at((11 * np.sin(angle), 3, 11 * np.cos(angle)), (0, 0.5, 0)))
        spot.use()
        for fountain in range(FOUNTAINS):
            age = (frame / 30 + birth[fountain]) % 1.8
            place = feet[fountain] + speed[fountain] * age[:, None]
            place[:, 1] -= 4.4 * age**2
            fade = 1 - age / 1.8
            data = np.concatenate(
                [
                    place,
                    (0.18 + 0.35 * age)[:, None],
                    hue[fountain] * np.ones((PER_FOUNTAIN, 1)),
                    (0.55 * fade)[:, None],
                ],
                axis=1,
            )
            instances.write(data.astype(np.float32).tobytes())
            with context.debug_scope(f"fountain {fountain}"):
                particles.render(moderngl.TRIANGLE_STRIP, instances=PER_FOUNTAIN)
        context.finish()
    context.release()


if __name__ == "__main__":
    main()
