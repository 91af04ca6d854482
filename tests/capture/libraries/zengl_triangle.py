"""zengl: a triangle in a headless context; prints pixels of the picture."""

import numpy as np
import zengl
from zengl import loader  # noqa: F401

zengl.init(zengl.loader(headless=True))
context = zengl.context()
image = context.image((160, 120), "rgba8unorm", texture=False)
image.clear_value = (0.0, 0.0, 0.5, 1.0)
pipeline = context.pipeline(
    vertex_shader="""
        #version 330 core
        vec2 p[3] = vec2[](vec2(-0.5, -0.5), vec2(0.5, -0.5), vec2(0.0, 0.5));
        void main() { gl_Position = vec4(p[gl_VertexID], 0.0, 1.0); }
    """,
    fragment_shader="#version 330 core\nlayout(location = 0) out vec4 o; void main() { o = vec4(1.0, 0.5, 0.0, 1.0); }",
    framebuffer=[image],
    topology="triangles",
    vertex_count=3,
)
for _ in range(3):
    context.new_frame()
    image.clear()
    pipeline.render()
    context.end_frame()
picture = np.frombuffer(image.read(), np.uint8).reshape(120, 160, 4)
print(picture[55, 80].tolist(), picture[2, 2].tolist())
