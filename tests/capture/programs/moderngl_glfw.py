"""moderngl on a glfw window, found by moderngl itself."""

import struct

import glfw
import moderngl

glfw.init()
glfw.window_hint(glfw.CONTEXT_VERSION_MAJOR, 3)
glfw.window_hint(glfw.CONTEXT_VERSION_MINOR, 3)
glfw.window_hint(glfw.OPENGL_PROFILE, glfw.OPENGL_CORE_PROFILE)
window = glfw.create_window(64, 48, "moderngl", None, None)
glfw.make_context_current(window)
context = moderngl.create_context()
assert context.screen.size == (64, 48), context.screen.size
program = context.program(
    vertex_shader="#version 330\nin vec2 place; void main() { gl_Position = vec4(place, 0.0, 1.0); }",
    fragment_shader="#version 330\nuniform vec3 tint; out vec4 color; void main() { color = vec4(tint, 1.0); }",
)
array = context.vertex_array(program, [(context.buffer(struct.pack("6f", -1, -1, 1, -1, 0, 1)), "2f", "place")])
for frame in range(3):
    context.screen.use()
    context.clear(0, 0, 1, 1)
    program["tint"].value = (frame / 2, 1, 0)
    array.render()
    glfw.swap_buffers(window)
    glfw.poll_events()
glfw.terminate()
