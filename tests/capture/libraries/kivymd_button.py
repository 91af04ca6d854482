"""KivyMD: a button and a card in an application of Kivy, three frames; prints whether the last shows something."""

import os
import tempfile

os.environ |= {"KIVY_NO_ARGS": "1", "KIVY_NO_CONSOLELOG": "1", "KIVY_HOME": tempfile.mkdtemp()}
os.environ.setdefault("SDL_VIDEODRIVER", "offscreen")
from kivy.config import Config

Config.set("graphics", "width", "160")
Config.set("graphics", "height", "120")
Config.set("graphics", "multisamples", "0")
from kivy.core.window import Window  # noqa: E402
from kivy.graphics.opengl import GL_RGBA, GL_UNSIGNED_BYTE, glReadPixels  # noqa: E402
from kivymd.app import MDApp  # noqa: E402
from kivymd.uix.button import MDRaisedButton  # noqa: E402
from kivymd.uix.screen import MDScreen  # noqa: E402


class App(MDApp):
    frames = 0

    def build(self):
        screen = MDScreen()
        screen.add_widget(MDRaisedButton(text="button", pos_hint={"center_x": 0.5, "center_y": 0.5}))
        Window.bind(on_flip=self.flipped)
        return screen

    def flipped(self, window):
        pixels = bytes(glReadPixels(0, 0, 160, 120, GL_RGBA, GL_UNSIGNED_BYTE))
        print(pixels[4 * (60 * 160 + 80 - 30) :][:3].hex(), flush=True)
        self.frames += 1
        if self.frames == 3:
            self.stop()
        Window.canvas.ask_update()


App().run()
