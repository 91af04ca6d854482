"""Lit solids with colour, normal and gloss textures.

moderngl on a glfw window, OpenGL 3.3: three textures a fragment, a room around, and the solids turn and hide each
other.
"""

from __future__ import annotations

import glfw
import moderngl
import numpy as np

from samples import app, textures
from samples.gl33 import mesh_array, set_matrix, texture
from samples.maths import look_at, perspective, rotate, scale, translate
from samples.meshes import box, cylinder, sphere, torus

VERTEX = """#version 330
in vec3 position;
in vec3 normal;
in vec2 uv;
uniform mat4 camera;
uniform mat4 model;
out vec3 world;
out vec3 facing;
out vec2 texture_uv;
void main() {
    vec4 place = model * vec4(position, 1.0);
    gl_Position = camera * place;
    world = place.xyz;
    facing = mat3(model) * normal;
    texture_uv = uv;
}
"""

FRAGMENT = """#version 330
uniform sampler2D colour_map;
uniform sampler2D normal_map;
uniform sampler2D gloss_map;
uniform vec3 eye;
uniform vec3 lamp;
uniform float shine;
in vec3 world;
in vec3 facing;
in vec2 texture_uv;
out vec4 result;

vec3 bumped() {
    // Tangent frame from the derivatives of position and texture coordinate.
    vec3 dx = dFdx(world), dy = dFdy(world);
    vec2 du = dFdx(texture_uv), dv = dFdy(texture_uv);
    vec3 n = normalize(gl_FrontFacing ? facing : -facing);
    vec3 across = cross(dy, n), up = cross(n, dx);
    vec3 t = across * du.x + up * dv.x, b = across * du.y + up * dv.y;
    float size = inversesqrt(max(max(dot(t, t), dot(b, b)), 1e-20));
    vec3 bump = texture(normal_map, texture_uv).xyz * 2.0 - 1.0;
    return normalize(t * size * bump.x + b * size * bump.y + n * bump.z);
}

void main() {
    vec3 n = bumped();
    vec3 to_lamp = normalize(lamp - world), to_eye = normalize(eye - world);
    vec3 base = texture(colour_map, texture_uv).rgb;
    float gloss = texture(gloss_map, texture_uv * 0.5).r;
    float diffuse = max(dot(n, to_lamp), 0.0);
    float highlight = pow(max(dot(reflect(-to_lamp, n), to_eye), 0.0), 4.0 + 60.0 * gloss) * gloss * shine;
    result = vec4(base * (0.22 + 0.85 * diffuse) + vec3(highlight), 1.0);
}
"""


def main() -> None:
    """Draw the frames."""
    wanted = app.options(__doc__)
    window = app.gl_window("materials", wanted)
    context = moderngl.create_context()
    program = context.program(VERTEX, FRAGMENT)
    colours = [
        texture(context, make())
        for make in (textures.marble, textures.bricks, textures.planks, textures.metal, textures.grass)
    ]
    bumps = [texture(context, textures.normals(textures.fractal(256, seed))) for seed in (31, 32)]
    gloss = texture(context, textures.metal(seed=40))
    arrays = [mesh_array(context, program, mesh) for mesh in (sphere(20, 28), torus(), cylinder(24, 0.6), box())]
    room = mesh_array(context, program, box(6.0))
    random = np.random.default_rng(8)
    solids = []
    for number in range(60):
        place = (random.uniform(-7, 7), random.uniform(-2.6, 3.4), random.uniform(-9, 2))
        axis = random.normal(size=3)
        solids.append((number % 4, number % 5, place, axis, random.uniform(0.55, 1.0), random.uniform(-3, 3)))

    program["colour_map"].value, program["normal_map"].value, program["gloss_map"].value = 0, 1, 2
    program["lamp"].value = (3.0, 5.5, 4.0)
    projection = perspective(58, wanted.aspect, 0.3, 60)
    context.enable(moderngl.DEPTH_TEST)
    gloss.use(2)
    for frame in range(wanted.frames):
        context.clear(0.0, 0.0, 0.0, 1.0, depth=1.0)
        eye = (5 * np.sin(frame * 0.03), 1.2 + np.sin(frame * 0.05), 7.5)
        set_matrix(program, "camera", projection @ look_at(eye, (0, 0.2, -3)))
        program["eye"].value = eye
        with context.debug_scope("room"):
            program["shine"].value = 0.1
            set_matrix(program, "model", translate(0, 1.5, -2) @ scale(14, 5, 14))
            colours[1].use(0)
            bumps[1].use(1)
            room.render()
        program["shine"].value = 1.0
        for number, (shape, colour, place, axis, size, spin) in enumerate(solids):
            with context.debug_scope(f"solid {number}"):
                model = translate(*place) @ rotate(frame * spin, *axis) @ scale(size, size, size)
                set_matrix(program, "model", model)
                colours[colour].use(0)
                bumps[number % 2].use(1)
                arrays[shape].render()
        glfw.swap_buffers(window)
        glfw.poll_events()
    context.release()
    glfw.terminate()


if __name__ == "__main__":
    main()
