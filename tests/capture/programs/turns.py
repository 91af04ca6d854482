"""A context that two threads have in turn, and one that shares its objects; what one draws the other reads."""

import ctypes
import ctypes.util
import threading

names = ("GL", "GLX", "EGL", "GLESv2")
assert all(ctypes.util.find_library(name) for name in names), "every library is found by its name"
egl, gles = ctypes.CDLL(ctypes.util.find_library("EGL")), ctypes.CDLL("libGLESv2.so.2")
pointer = ctypes.c_void_p


def integers(*values):
    return (ctypes.c_int * len(values))(*values)


for name in ("eglGetPlatformDisplay", "eglCreateContext", "eglCreatePbufferSurface"):
    getattr(egl, name).restype = pointer
egl.eglGetPlatformDisplay.argtypes = [ctypes.c_uint, pointer, pointer]
gles.glClearColor.argtypes = [ctypes.c_float] * 4
display = pointer(egl.eglGetPlatformDisplay(0x31DD, None, None))
egl.eglInitialize(display, None, None)
config, count = pointer(), ctypes.c_int()
wanted = integers(0x3040, 4, 0x3033, 1, 0x3024, 8, 0x3023, 8, 0x3022, 8, 0x3021, 8, 0x3038)
egl.eglChooseConfig(display, wanted, ctypes.byref(config), 1, ctypes.byref(count))
egl.eglBindAPI(0x30A0)
size = integers(0x3057, 8, 0x3056, 8, 0x3038)
surfaces = [pointer(egl.eglCreatePbufferSurface(display, config, size)) for _ in range(2)]
first = pointer(egl.eglCreateContext(display, config, None, integers(0x3098, 2, 0x3038)))
second = pointer(egl.eglCreateContext(display, config, first, integers(0x3098, 2, 0x3038)))
texture = ctypes.c_uint()


def pixel():
    found = (ctypes.c_ubyte * 4)()
    gles.glReadPixels(1, 1, 1, 1, 0x1908, 0x1401, found)
    return list(found)


def in_thread(work):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def draw():
    egl.eglBindAPI(0x30A0)
    assert egl.eglMakeCurrent(display, surfaces[0], surfaces[0], first)
    gles.glClearColor(0.0, 1.0, 0.0, 1.0)
    gles.glClear(0x4000)
    gles.glGenTextures(1, ctypes.byref(texture))
    gles.glBindTexture(0x0DE1, texture)
    gles.glCopyTexImage2D(0x0DE1, 0, 0x1908, 0, 0, 8, 8, 0)
    gles.glFinish()
    egl.eglMakeCurrent(display, None, None, None)


in_thread(draw)
# The same context here, then its thread is another again, and the one that shares reads the texture.
assert egl.eglMakeCurrent(display, surfaces[0], surfaces[0], first)
print("same context", pixel())
gles.glClearColor(1.0, 0.0, 0.0, 1.0)
gles.glClear(0x4000)
egl.eglMakeCurrent(display, None, None, None)


def read():
    egl.eglBindAPI(0x30A0)
    assert egl.eglMakeCurrent(display, surfaces[1], surfaces[1], second)
    framebuffer = ctypes.c_uint()
    gles.glGenFramebuffers(1, ctypes.byref(framebuffer))
    gles.glBindFramebuffer(0x8D40, framebuffer)
    gles.glFramebufferTexture2D(0x8D40, 0x8CE0, 0x0DE1, texture, 0)
    print("shared texture", pixel())
    egl.eglMakeCurrent(display, surfaces[0], surfaces[0], first)
    print("other thread", pixel())
    egl.eglSwapBuffers(display, surfaces[0])


in_thread(read)
