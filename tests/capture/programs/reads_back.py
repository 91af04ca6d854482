"""moderngl: reads back what it has drawn, in every way that there is, and prints it."""

import moderngl
import numpy as np

context = moderngl.create_standalone_context()
program = context.program(
    vertex_shader="""#version 330
in vec2 position; out vec2 place;
void main() { place = position; gl_Position = vec4(position, 0.0, 1.0); }""",
    fragment_shader="""#version 330
in vec2 place; out vec4 color;
void main() { color = vec4(place * 0.5 + 0.5, 0.25, 1.0); }""",
)
corners = context.buffer(np.array([-1, -1, 1, -1, -1, 1, 1, 1], "f4"))
quad = context.simple_vertex_array(program, corners, "position")
target = context.simple_framebuffer((64, 64))
target.use()
target.clear()
query = context.query(samples=True, primitives=True)
with query:
    quad.render(moderngl.TRIANGLE_STRIP)
pixels = np.frombuffer(target.read(components=4), "u1").reshape(64, 64, 4)
print("pixels", pixels[0, 0].tolist(), pixels[63, 63].tolist())
print("queries", query.samples, query.primitives)
texture = context.texture((8, 8), 4)
second = context.framebuffer([texture])
second.clear(1.0, 0.5, 0.0, 1.0)
print("texture", list(texture.read()[:4]))
copy = context.buffer(reserve=256)
second.read_into(copy)
print("buffer", list(copy.read()[:4]))
feedback = context.program(
    vertex_shader="#version 330\nin vec2 position; out vec2 w;\nvoid main() { w = position * 3.0; }", varyings=["w"]
)
captured = context.buffer(reserve=32)
context.simple_vertex_array(feedback, corners, "position").transform(captured, moderngl.POINTS)
print("feedback", np.frombuffer(captured.read(), "f4").tolist())
