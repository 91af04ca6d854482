"""pygame-ce: SDL's renderer, by OpenGL ES 2, with a texture; three frames."""

import pygame
from pygame._sdl2 import video

pygame.display.init()
renderers = [each.name for each in video.get_drivers()]
window = video.Window("renderer", (160, 120))
renderer = video.Renderer(window, index=renderers.index("opengles2"))
surface = pygame.Surface((32, 32))
surface.fill((200, 100, 50))
texture = video.Texture.from_surface(renderer, surface)
for number in range(3):
    renderer.draw_color = (0, 0, 128, 255)
    renderer.clear()
    renderer.draw_color = (0, 255, 0, 255)
    renderer.fill_rect((10 * number, 10, 20, 20))
    renderer.blit(texture, pygame.Rect(80 + 5 * number, 60, 48, 48))
    print(renderer.to_surface().get_at((10 * number + 5, 15)))
    renderer.present()
