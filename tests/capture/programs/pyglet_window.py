"""pyglet: a window with a shader program, three frames, then closed; prints a pixel of each frame."""

import pyglet
from pyglet.gl import GL_RGBA, GL_TRIANGLES, GL_UNSIGNED_BYTE, GLubyte, glClearColor, glReadPixels

window = pyglet.window.Window(64, 48, vsync=False)
program = pyglet.graphics.shader.ShaderProgram(
    pyglet.graphics.shader.Shader(
        "#version 330 core\nin vec2 position;\nvoid main() { gl_Position = vec4(position, 0.0, 1.0); }", "vertex"
    ),
    pyglet.graphics.shader.Shader(
        "#version 330 core\nuniform vec4 tint; out vec4 color;\nvoid main() { color = tint; }", "fragment"
    ),
)
batch = pyglet.graphics.Batch()
triangle = program.vertex_list(3, GL_TRIANGLES, batch=batch, position=("f", (-1.0, -1.0, 1.0, -1.0, -1.0, 1.0)))
frames = 0


@window.event
def on_draw():
    glClearColor(0.0, 0.0, 1.0, 1.0)
    window.clear()
    program.use()
    program["tint"] = (1.0, frames / 4, 0.0, 1.0)
    batch.draw()
    for x, y in ((4, 4), (60, 44)):
        pixel = (GLubyte * 4)()
        glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel)
        print(list(pixel))


def step(_):
    global frames
    window.switch_to()
    window.dispatch_event("on_draw")
    window.flip()
    frames += 1
    if frames == 3:
        window.close()
        pyglet.app.exit()


pyglet.clock.schedule(step)
pyglet.app.run(None)
