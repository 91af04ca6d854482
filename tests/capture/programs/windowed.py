"""moderngl-window, headless or on glfw by its own argument."""

import struct

import moderngl_window


class App(moderngl_window.WindowConfig):
    gl_version = (3, 3)
    window_size = (64, 48)
    aspect_ratio = None
    frames = 0

    def __init__(self, **options):
        super().__init__(**options)
        program = self.ctx.program(
            vertex_shader="#version 330\nin vec2 place; void main() { gl_Position = vec4(place, 0.0, 1.0); }",
            fragment_shader="#version 330\nout vec4 color; void main() { color = vec4(1.0, 0.0, 0.0, 1.0); }",
        )
        corners = self.ctx.buffer(struct.pack("6f", -1, -1, 1, -1, 0, 1))
        self.array = self.ctx.vertex_array(program, [(corners, "2f", "place")])

    def on_render(self, time, frame_time):
        self.ctx.clear(0, 0, 1, 1)
        self.array.render()
        self.frames += 1
        if self.frames == 3:
            self.wnd.close()


moderngl_window.run_window_config(App)
