"""Calls that are made often, from two threads in turn, with errors, content and draws between them."""

import struct
import threading

import moderngl
from OpenGL import GL

context = moderngl.create_standalone_context(backend="egl")
program = context.program(
    vertex_shader="#version 330\nin vec2 a; uniform mat4 m; void main() { gl_Position = m * vec4(a, 0.0, 1.0); }",
    fragment_shader="#version 330\nuniform vec4 c; out vec4 o; void main() { o = c; }",
)
target = context.simple_framebuffer((16, 16))
target.use()
corners = context.buffer(struct.pack("8f", -1, -1, 1, -1, -1, 1, 1, 1))
indices = context.buffer(struct.pack("6I", 0, 1, 2, 1, 3, 2))
array = context.vertex_array(program, [(corners, "2f", "a")], indices)
matrix, color = program["m"], program["c"]
other = context.vertex_array(program, [(context.buffer(corners.read()), "2f", "a")])


def idle() -> None:
    """Call GL in a thread that has no context: ignored by GL, but recorded."""
    for _ in range(70):
        GL.glDepthMask(True)


for number in range(240):
    matrix.write(struct.pack("16f", *(1 if i % 5 == 0 else number / 5e3 for i in range(16))))
    color.value = (number / 240, 1, 0, 1)
    if number % 2:
        corners.write(struct.pack("2f", number / -240, -1), 8 * (number % 4))
    array.render()
    if number % 5 == 0:
        other.render(moderngl.TRIANGLES, 3)
    GL.glDepthFunc(GL.GL_LESS if number % 3 else GL.GL_ALWAYS)
    if number % 60 == 0:
        context.clear()
        context.finish()
        try:
            GL.glEnable(0x1234)
        except GL.GLError as error:
            print("error", error.err)
    if number in (100, 200):
        thread = threading.Thread(target=idle)
        thread.start()
        thread.join()
print(struct.unpack("4B", target.read((0, 0, 1, 1), components=4)[:4]))
