"""moderngl in a glfw window: what later frames show was drawn in frame 1; tells the capture what to record."""

import sys

import glfw
import moderngl
import numpy as np

import capture

glfw.init()
window = glfw.create_window(80, 60, "frames", None, None)
glfw.make_context_current(window)
context = moderngl.create_context(require=330)
program = context.program(
    vertex_shader="""#version 330
in vec2 position; uniform float scale; out vec2 place;
void main() { place = position; gl_Position = vec4(position * scale, 0.0, 1.0); }""",
    fragment_shader="""#version 330
in vec2 place; uniform sampler2D image; out vec4 color;
void main() { color = texture(image, place * 0.5 + 0.5); }""",
)
corners = context.buffer(np.array([-1, -1, 1, -1, -1, 1, 1, 1], "f4"))
quad = context.simple_vertex_array(program, corners, "position")
texture = context.texture((32, 32), 4)
target = context.framebuffer([texture])
for number in range(8):
    if "--parts" in sys.argv and number == 2:
        capture.stop()
    if "--parts" in sys.argv and number == 5:
        capture.start()
        capture.marker("again")
    if number == 1:
        target.use()
        context.clear(0.2, 0.4, 0.6)
        program["scale"] = 0.3
        context.texture((1, 1), 4, b"\xff\0\0\xff").use(0)
        quad.render(moderngl.TRIANGLE_STRIP)
    context.screen.use()
    context.clear(0.0, number / 8, 0.0)
    program["scale"] = 0.1 * (number + 1)
    texture.use(0)
    with capture.group("quad"):
        quad.render(moderngl.TRIANGLE_STRIP)
    if "--mark" in sys.argv:
        capture.frame(f"frame {number}")
    glfw.swap_buffers(window)
print("capturing", capture.is_capturing())
