"""pygame and PyOpenGL: a window, three frames; prints a pixel of each."""

import os

os.environ["SDL_AUDIODRIVER"] = "dummy"
os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
import pygame
from OpenGL import GL

pygame.init()
pygame.display.gl_set_attribute(pygame.GL_DEPTH_SIZE, 16)
pygame.display.set_mode((64, 48), pygame.OPENGL | pygame.DOUBLEBUF)
for number in range(3):
    GL.glClearColor(1.0, number / 4, 0.0, 1.0)
    GL.glClear(GL.GL_COLOR_BUFFER_BIT)
    print(list(GL.glReadPixels(3, 3, 1, 1, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE)))
    pygame.display.flip()
pygame.quit()
