"""slimgui: a window of widgets by its integration for glfw, three frames; prints whether the last shows something."""

import glfw
from OpenGL import GL
from slimgui import imgui
from slimgui.integrations.glfw import GlfwRenderer

glfw.init()
for hint, value in ((glfw.CONTEXT_VERSION_MAJOR, 3), (glfw.CONTEXT_VERSION_MINOR, 3), (glfw.VISIBLE, False)):
    glfw.window_hint(hint, value)
glfw.window_hint(glfw.OPENGL_PROFILE, glfw.OPENGL_CORE_PROFILE)
window = glfw.create_window(320, 240, "slimgui", None, None)
glfw.make_context_current(window)
imgui.create_context()
imgui.get_io().ini_filename = None
renderer = GlfwRenderer(window, prev_key_callback=None)
for number in range(3):
    glfw.poll_events()
    renderer.new_frame()
    imgui.new_frame()
    imgui.set_next_window_pos((20, 20))
    imgui.begin("widgets")
    imgui.text(f"frame {number}")
    imgui.button("button")
    imgui.end()
    GL.glClearColor(0.1, 0.2, 0.3, 1.0)
    GL.glClear(GL.GL_COLOR_BUFFER_BIT)
    imgui.render()
    renderer.render(imgui.get_draw_data())
    pixels = bytes(GL.glReadPixels(0, 0, 320, 240, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE))
    glfw.swap_buffers(window)
print(pixels[:4].hex(), len(set(pixels)) > 20)
renderer.shutdown()
glfw.terminate()
