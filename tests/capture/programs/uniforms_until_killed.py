"""Sets a uniform until it is killed, a byte of a file for each time; nothing else is recorded meanwhile."""

import sys

import moderngl

context = moderngl.create_standalone_context()
program = context.program(
    vertex_shader="#version 330\nvoid main() { gl_Position = vec4(0.0); }",
    fragment_shader="#version 330\nuniform float f; out vec4 o; void main() { o = vec4(f); }",
)
with open(sys.argv[1], "wb", buffering=0) as progress:
    uniform, number = program["f"], 0
    while True:
        uniform.value = float(number)
        number += 1
        progress.write(b".")
