"""Pyxel: a game of shapes and text, five frames."""

import pyxel

pyxel.init(80, 60, title="window", fps=60, display_scale=2)


def update():
    if pyxel.frame_count == 5:
        print("frames 5")
        pyxel.quit()


def draw():
    pyxel.cls(1)
    pyxel.rect(10 + pyxel.frame_count, 10, 20, 20, 8)
    pyxel.text(10, 40, "text", 7)


pyxel.run(update, draw)
