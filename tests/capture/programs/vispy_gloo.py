"""vispy.gloo by the GL and the window system of its arguments: three frames; prints a pixel of each."""

import sys

import numpy as np
import vispy

vispy.use(sys.argv[2], gl=sys.argv[1])
from vispy import app, gloo  # noqa: E402


class Canvas(app.Canvas):
    def __init__(self):
        app.Canvas.__init__(self, size=(64, 48))
        self.program = gloo.Program(
            "attribute vec2 position; void main() { gl_Position = vec4(position, 0.0, 1.0); }",
            "uniform float green; void main() { gl_FragColor = vec4(1.0, green, 0.0, 1.0); }",
        )
        self.program["position"] = np.array([(-1, -1), (1, -1), (-1, 1)], "f4")

    def draw(self, number):
        self.set_current()
        gloo.clear("blue")
        self.program["green"] = number / 4
        self.program.draw("triangles")
        gloo.context.get_current_canvas().context.flush_commands()
        print(gloo.read_pixels((4, 4, 1, 1)).ravel().tolist())
        self.swap_buffers()


canvas = Canvas()
for number in range(3):
    canvas.draw(number)
canvas.close()
