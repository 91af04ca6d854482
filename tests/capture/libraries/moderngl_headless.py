"""moderngl: an instanced triangle in a standalone context with several targets; prints pixels of both."""

import moderngl
import numpy as np

context = moderngl.create_context(standalone=True, backend="egl")
program = context.program(
    vertex_shader="#version 330\nin vec2 a; uniform vec2 d;"
    "void main() { gl_Position = vec4(a + d * gl_InstanceID, 0, 1); }",
    fragment_shader="#version 330\nlayout(location=0) out vec4 o; layout(location=1) out vec4 p;"
    "void main() { o = vec4(1, 0.5, 0, 1); p = gl_FragCoord / 256.0; }",
)
textures = [context.texture((160, 120), 4), context.texture((160, 120), 4, dtype="f4")]
target = context.framebuffer(textures)
target.use()
vertices = context.buffer(np.array([-0.9, -0.9, -0.1, -0.9, -0.5, 0.0], "f4"))
program["d"] = (0.9, 0.6)
array = context.vertex_array(program, [(vertices, "2f", "a")])
for _ in range(3):
    target.clear(0.0, 0.0, 0.5, 1.0)
    array.render(instances=2)
    context.finish()
first = np.frombuffer(textures[0].read(), "u1").reshape(120, 160, 4)
second = np.frombuffer(textures[1].read(), "f4").reshape(120, 160, 4)
print(first[30, 40].tolist(), first[2, 2].tolist(), second[30, 40].round(3).tolist())
