"""PySDL2: a hidden window with a context of OpenGL ES 2 whose functions come from SDL; three frames."""

import ctypes

import sdl2

sdl2.SDL_Init(sdl2.SDL_INIT_VIDEO)
for name, value in (
    (sdl2.SDL_GL_CONTEXT_PROFILE_MASK, sdl2.SDL_GL_CONTEXT_PROFILE_ES),
    (sdl2.SDL_GL_CONTEXT_MAJOR_VERSION, 2),
    (sdl2.SDL_GL_CONTEXT_MINOR_VERSION, 0),
):
    sdl2.SDL_GL_SetAttribute(name, value)
window = sdl2.SDL_CreateWindow(b"context", 0, 0, 160, 120, sdl2.SDL_WINDOW_OPENGL | sdl2.SDL_WINDOW_HIDDEN)
context = sdl2.SDL_GL_CreateContext(window)
assert context, sdl2.SDL_GetError()


def function(name, *arguments):
    return ctypes.CFUNCTYPE(None, *arguments)(sdl2.SDL_GL_GetProcAddress(name))


clear_color, clear = function(b"glClearColor", *[ctypes.c_float] * 4), function(b"glClear", ctypes.c_uint)
read = function(b"glReadPixels", *[ctypes.c_int] * 6, ctypes.c_void_p)
for number in range(3):
    clear_color(0.2 * number, 0.4, 0.6, 1.0)
    clear(0x4000)
    pixel = (ctypes.c_ubyte * 4)()
    read(5, 5, 1, 1, 0x1908, 0x1401, pixel)
    print(list(pixel))
    sdl2.SDL_GL_SwapWindow(window)
sdl2.SDL_Quit()
