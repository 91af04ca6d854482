"""A camera flight over hills, water and trees.

moderngl-window with its glfw window, OpenGL 3.3: hills in patches with two blended ground textures, clumps of trees,
and translucent water drawn last.
"""

from __future__ import annotations

import sys

import moderngl
import numpy as np
from numpy.typing import NDArray

from samples import app, textures
from samples.gl33 import mesh_array, set_matrix, texture
from samples.maths import look_at, perspective, scale, translate
from samples.meshes import Mesh, box, cylinder, grid

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
    facing = normal;
    texture_uv = uv;
}
"""

GROUND_FRAGMENT = """#version 330
uniform sampler2D low;
uniform sampler2D high;
uniform sampler2D detail;
uniform vec3 eye;
in vec3 world;
in vec3 facing;
in vec2 texture_uv;
out vec4 result;
void main() {
    vec3 n = normalize(facing);
    float rock = smoothstep(2.0, 6.0, world.y) * 0.7 + (1.0 - smoothstep(0.6, 0.85, n.y)) * 0.6;
    vec3 base = mix(texture(low, texture_uv).rgb, texture(high, texture_uv * 0.5).rgb, clamp(rock, 0.0, 1.0));
    base *= 0.6 + 0.5 * texture(detail, texture_uv * 6.0).g;
    float light = 0.3 + 0.8 * max(dot(n, normalize(vec3(0.5, 0.7, 0.3))), 0.0);
    float fog = clamp(distance(world, eye) / 110.0, 0.0, 1.0);
    result = vec4(mix(base * light, vec3(0.66, 0.76, 0.88), fog * fog), 1.0);
}
"""

PLAIN_FRAGMENT = """#version 330
uniform sampler2D low;
uniform vec4 tint;
uniform vec3 eye;
in vec3 world;
in vec3 facing;
in vec2 texture_uv;
out vec4 result;
void main() {
    float light = 0.45 + 0.6 * max(dot(normalize(facing), normalize(vec3(0.5, 0.7, 0.3))), 0.0);
    float fog = clamp(distance(world, eye) / 110.0, 0.0, 1.0);
    vec4 base = texture(low, texture_uv) * tint;
    result = vec4(mix(base.rgb * light, vec3(0.66, 0.76, 0.88), fog * fog), base.a);
}
"""

SKY_FRAGMENT = """#version 330
uniform sampler2D low;
uniform vec3 eye;
in vec3 world;
in vec3 facing;
in vec2 texture_uv;
out vec4 result;
void main() {
    vec3 direction = normalize(world - eye);
    vec3 cloud = texture(low, direction.xz / (0.3 + max(direction.y, 0.0)) * 0.2).rgb;
    result = vec4(mix(vec3(0.66, 0.76, 0.88), cloud, smoothstep(0.0, 0.3, direction.y)), 1.0);
}
"""

PATCHES, CELLS, PATCH_SIZE = 7, 16, 20.0


def height_at(x: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Height of the hills."""
    return (
        3.2 * np.sin(x * 0.11 + 0.6) * np.cos(z * 0.09)
        + 1.7 * np.sin(x * 0.23 + z * 0.17)
        + 0.6 * np.cos(x * 0.6 - z * 0.4)
        + 0.9
    )


def patch(column: int, row: int) -> Mesh:
    """One square of the hills."""
    flat = grid(CELLS, 8.0)
    vertices = flat.vertices.astype(np.float64)
    x = vertices[:, 0] * PATCH_SIZE / 2 + (column - PATCHES // 2) * PATCH_SIZE
    z = vertices[:, 2] * PATCH_SIZE / 2 - row * PATCH_SIZE
    step = 0.1
    slope_x = (height_at(x + step, z) - height_at(x - step, z)) / (2 * step)
    slope_z = (height_at(x, z + step) - height_at(x, z - step)) / (2 * step)
    normal = np.stack([-slope_x, np.ones_like(x), -slope_z], axis=1)
    vertices[:, :3] = np.stack([x, height_at(x, z), z], axis=1)
    vertices[:, 3:6] = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    return Mesh(vertices.astype(np.float32), flat.indices)


def main() -> None:
    """Draw the frames."""
    wanted = app.options(__doc__)
    try:
        import moderngl_window
    except ImportError:
        sys.exit("terrain needs moderngl-window: pip install 'gpureplay[window]'")
    window_class = moderngl_window.get_local_window_cls("glfw")
    window = window_class(
        title="terrain", size=(wanted.width, wanted.height), gl_version=(3, 3), vsync=False, resizable=False, samples=0
    )
    context = window.ctx
    ground = context.program(VERTEX, GROUND_FRAGMENT)
    plain = context.program(VERTEX, PLAIN_FRAGMENT)
    sky = context.program(VERTEX, SKY_FRAGMENT)
    grass, rock, detail, cloud, bark = (
        texture(context, make())
        for make in (textures.grass, textures.marble, textures.metal, textures.clouds, textures.planks)
    )
    patches = [
        (f"hills {column}.{row}", mesh_array(context, ground, patch(column, row)))
        for row in range(PATCHES)
        for column in range(PATCHES)
    ]
    trunk, crown = (mesh_array(context, plain, mesh) for mesh in (cylinder(10, 0.7), cylinder(14, 0.05)))
    water, dome = mesh_array(context, plain, grid(4, 40.0)), mesh_array(context, sky, box())
    random = np.random.default_rng(29)
    trees = []
    while len(trees) < 40:
        x, z = random.uniform(-40, 40), random.uniform(-110, 5)
        ground_height = float(height_at(np.float64(x), np.float64(z)))
        if ground_height > 0.6:
            trees.append((x, ground_height, z, random.uniform(0.8, 1.5)))

    ground["low"].value, ground["high"].value, ground["detail"].value = 0, 1, 2
    projection = perspective(60, wanted.aspect, 0.5, 400)
    for frame in range(wanted.frames):
        window.use()
        context.clear(0.66, 0.76, 0.88, 1.0, depth=1.0)
        eye = (9 * np.sin(frame * 0.03), 8.5 + 1.5 * np.sin(frame * 0.06), 12 - frame * 0.8)
        target = (9 * np.sin(frame * 0.03 + 0.7), 4.0, eye[2] - 18)
        camera = projection @ look_at(eye, target)
        for program in (ground, plain, sky):
            set_matrix(program, "camera", camera)
            program["eye"].value = eye
        identity = np.eye(4, dtype=np.float32)
        context.disable(moderngl.DEPTH_TEST)
        with context.debug_scope("sky"):
            cloud.use(0)
            set_matrix(sky, "model", translate(*eye) @ scale(150, 150, 150))
            dome.render()
        context.enable(moderngl.DEPTH_TEST)
        grass.use(0)
        rock.use(1)
        detail.use(2)
        set_matrix(ground, "model", identity)
        # The far patches come first, as a level's file lists them.
        for label, array in reversed(patches):
            with context.debug_scope(label):
                array.render()
        for number, (x, y, z, size) in enumerate(trees):
            with context.debug_scope(f"tree {number}"):
                bark.use(0)
                plain["tint"].value = (0.8, 0.7, 0.6, 1.0)
                set_matrix(plain, "model", translate(x, y + size * 0.6, z) @ scale(0.22, size, 0.22))
                trunk.render()
                grass.use(0)
                plain["tint"].value = (0.7, 0.95, 0.7, 1.0)
                for storey in range(3):
                    place = translate(x, y + size * (1.9 + storey * 0.9), z)
                    width = size * (1.2 - storey * 0.28)
                    set_matrix(plain, "model", place @ scale(width, size * 0.8, width))
                    crown.render()
        context.enable(moderngl.BLEND)
        context.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA
        with context.debug_scope("water"):
            cloud.use(0)
            plain["tint"].value = (0.45, 0.65, 0.85, 0.6)
            set_matrix(plain, "model", translate(0, 0.2 + 0.1 * np.sin(frame * 0.2), -50) @ scale(120, 1, 120))
            water.render()
        context.disable(moderngl.BLEND)
        window.swap_buffers()
    window.destroy()


if __name__ == "__main__":
    main()
