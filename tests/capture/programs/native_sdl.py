"""SDL's renderer through pygame-ce: three frames; prints pixels of each."""

import os

os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
os.environ.setdefault("SDL_VIDEODRIVER", "offscreen")
import pygame
from pygame._sdl2 import video

pygame.display.init()
renderers = [each.name for each in video.get_drivers()]
window = video.Window("renderer", (96, 64))
renderer = video.Renderer(window, index=renderers.index("opengles2"))
for number in range(3):
    renderer.draw_color = (255, 0, 0, 255)
    renderer.clear()
    renderer.draw_color = (0, 255, 0, 255)
    renderer.fill_rect((10 * number, 10, 20, 20))
    picture = renderer.to_surface()
    print([tuple(picture.get_at((10 * number + x, 15))) for x in (5, 40)], flush=True)
    renderer.present()
