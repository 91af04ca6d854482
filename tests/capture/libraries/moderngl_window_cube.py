"""moderngl-window: a cube in a headless window, three frames; prints pixels."""

import moderngl_window
from moderngl_window import geometry


class Cube(moderngl_window.WindowConfig):
    gl_version = (3, 3)
    window_size = (160, 120)
    aspect_ratio = None
    frames = 0

    def __init__(self, **options):
        super().__init__(**options)
        self.cube = geometry.cube(size=(1, 1, 1))
        self.program = self.ctx.program(
            vertex_shader="#version 330\nin vec3 in_position; in vec3 in_normal; out vec3 n;"
            "void main() { n = in_normal; gl_Position = vec4(in_position.xy, in_position.z * 0.5, 1.0); }",
            fragment_shader="#version 330\nin vec3 n; out vec4 o; void main() { o = vec4(abs(n), 1.0); }",
        )

    def on_render(self, time, frame_time):
        self.ctx.clear(0.0, 0.0, 0.5)
        self.ctx.enable(self.ctx.DEPTH_TEST)
        self.cube.render(self.program)
        pixels = self.wnd.fbo.read(components=4)
        print([tuple(pixels[4 * (y * 160 + x) :][:4]) for x, y in ((80, 60), (2, 2))])
        self.frames += 1
        if self.frames == 3:
            self.wnd.close()


moderngl_window.run_window_config(Cube, args=["--window", "headless"])
