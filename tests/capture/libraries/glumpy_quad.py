"""glumpy: a coloured quad in a window of GLFW, three frames; prints a pixel."""

import numpy as np
from glumpy import app, gl, gloo

app.use("glfw")
window = app.Window(width=160, height=120, color=(0.0, 0.0, 0.5, 1.0), visible=False)
quad = gloo.Program(
    "attribute vec2 position; void main() { gl_Position = vec4(position, 0.0, 1.0); }",
    "void main() { gl_FragColor = vec4(1.0, 0.5, 0.0, 1.0); }",
    count=4,
)
quad["position"] = [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)]
pixels = np.zeros((120, 160, 4), np.uint8)


@window.event
def on_draw(dt):
    window.clear()
    quad.draw(gl.GL_TRIANGLE_STRIP)
    gl.glReadPixels(0, 0, 160, 120, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, pixels)


app.run(framecount=2)
print(pixels[60, 80].tolist(), pixels[2, 2].tolist())
