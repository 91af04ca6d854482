"""moderngl without a window: a framebuffer, a debug scope, a uniform block, instances, read-back."""

import struct

import moderngl

context = moderngl.create_standalone_context()
program = context.program(
    vertex_shader="""
        #version 330
        layout(std140) uniform Place { vec2 offset; float scale; };
        in vec2 corner;
        in float shade;
        out float tone;
        void main() { tone = shade; gl_Position = vec4(corner * scale + offset, 0.0, 1.0); }
    """,
    fragment_shader="""
        #version 330
        uniform vec4 colors[2];
        in float tone;
        out vec4 color;
        void main() { color = colors[0] * tone + colors[1]; }
    """,
)
program["colors"].value = [(1, 0, 0, 1), (0, 0, 0.5, 0)]
block = context.buffer(struct.pack("4f", 0.25, 0, 0.5, 0))
block.bind_to_uniform_block(0)
corners = context.buffer(struct.pack("6f", -1, -1, 1, -1, 0, 1))
shades = context.buffer(struct.pack("2f", 1, 0.5))
array = context.vertex_array(program, [(corners, "2f", "corner"), (shades, "1f/i", "shade")])
target = context.framebuffer([context.texture((32, 32), 4)], context.depth_renderbuffer((32, 32)))
target.use()
for _ in range(3):
    with context.debug_scope("frame"):
        context.clear(0, 0, 1, 1)
        array.render(instances=2)
    context.finish()
print(len(target.read()), corners.read() == struct.pack("6f", -1, -1, 1, -1, 0, 1))
