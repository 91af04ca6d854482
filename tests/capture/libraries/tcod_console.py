"""tcod: a console drawn by SDL's renderer, by OpenGL ES 2, three frames."""

import os

os.environ["SDL_RENDER_DRIVER"] = "opengles2"
import tcod.console
import tcod.context

console = tcod.console.Console(20, 12, order="F")
with tcod.context.new(console=console, width=320, height=192, vsync=False) as context:
    for number in range(3):
        console.clear(bg=(0, 0, 64))
        console.print(2, 2 + number, "@ text", fg=(255, 255, 0))
        console.draw_rect(8, 6, 4, 3, ch=ord("#"), fg=(255, 0, 0))
        context.present(console)
    print("frames", number + 1)
