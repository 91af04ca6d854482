"""manim: its OpenGL renderer draws a square; prints pixels of the last picture."""

from manim import BLUE, RED, Circle, Scene, Square, config
from manim.renderer.opengl_renderer import OpenGLRenderer

config.renderer = "opengl"
config.pixel_width, config.pixel_height, config.frame_rate = 160, 90, 5
config.write_to_movie = False
config.preview = False
config.disable_caching = True
config.verbosity, config.progress_bar = "ERROR", "none"


class Shapes(Scene):
    def construct(self):
        self.add(Square(color=RED, fill_opacity=1), Circle(color=BLUE).shift([2, 0, 0]))
        self.wait(0.4)


renderer = OpenGLRenderer()
scene = Shapes(renderer)
scene.render()
picture = renderer.get_frame()
print(picture.shape, (picture[45, 80] // 8).tolist(), picture[2, 2].tolist())
