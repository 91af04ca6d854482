"""Kivy: a canvas with a rectangle and an ellipse, three frames; prints pixels of each."""

import os
import tempfile

os.environ |= {"KIVY_NO_ARGS": "1", "KIVY_NO_CONSOLELOG": "1", "KIVY_HOME": tempfile.mkdtemp()}
os.environ.setdefault("SDL_VIDEODRIVER", "offscreen")
from kivy.config import Config

Config.set("graphics", "width", "160")
Config.set("graphics", "height", "120")
Config.set("graphics", "multisamples", "0")
from kivy.app import App  # noqa: E402
from kivy.clock import Clock  # noqa: E402
from kivy.core.window import Window  # noqa: E402
from kivy.graphics import Color, Ellipse, Rectangle  # noqa: E402
from kivy.graphics.opengl import GL_RGBA, GL_UNSIGNED_BYTE, glReadPixels  # noqa: E402
from kivy.uix.widget import Widget  # noqa: E402


class Canvas(App):
    frames = 0

    def build(self):
        widget = Widget()
        with widget.canvas:
            Color(1, 0, 0)
            self.box = Rectangle(pos=(10, 10), size=(60, 40))
            Color(0, 1, 0)
            Ellipse(pos=(90, 50), size=(40, 40))
        Window.bind(on_flip=self.flipped)
        Clock.schedule_interval(lambda seconds: setattr(self.box, "pos", (10 + self.frames, 10)), 0)
        return widget

    def flipped(self, window):
        pixels = bytes(glReadPixels(0, 0, 160, 120, GL_RGBA, GL_UNSIGNED_BYTE))
        print([list(pixels[4 * (y * 160 + x) :][:3]) for x, y in ((40, 30), (110, 70), (5, 5))], flush=True)
        self.frames += 1
        if self.frames == 3:
            self.stop()


Canvas().run()
