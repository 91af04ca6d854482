# ruff: noqa: PT018
"""ctypes alone: libEGL and libGLESv2 by name, one function by eglGetProcAddress."""

import ctypes
import ctypes.util

egl = ctypes.CDLL(ctypes.util.find_library("EGL"))
gles = ctypes.CDLL("libGLESv2.so.2")
pointer = ctypes.c_void_p


def integers(*values):
    return (ctypes.c_int * len(values))(*values)


for name in ("eglGetPlatformDisplay", "eglCreateContext", "eglCreatePbufferSurface", "eglGetProcAddress"):
    getattr(egl, name).restype = pointer
egl.eglGetPlatformDisplay.argtypes = [ctypes.c_uint, pointer, pointer]
egl.eglGetProcAddress.argtypes = [ctypes.c_char_p]
display = pointer(egl.eglGetPlatformDisplay(0x31DD, None, None))
assert egl.eglInitialize(display, None, None)
config, count = pointer(), ctypes.c_int()
wanted = integers(0x3040, 4, 0x3033, 1, 0x3024, 8, 0x3025, 16, 0x3038)
assert egl.eglChooseConfig(display, wanted, ctypes.byref(config), 1, ctypes.byref(count)) and count.value == 1
egl.eglBindAPI(0x30A0)
context = pointer(egl.eglCreateContext(display, config, None, integers(0x3098, 2, 0x3038)))
surface = pointer(egl.eglCreatePbufferSurface(display, config, integers(0x3057, 40, 0x3056, 30, 0x3038)))
assert egl.eglMakeCurrent(display, surface, surface, context)
clear_color = ctypes.CFUNCTYPE(None, *[ctypes.c_float] * 4)(egl.eglGetProcAddress(b"glClearColor"))
for _ in range(2):
    clear_color(0.5, 0, 0, 1)
    gles.glClear(0x4000)
    egl.eglSwapBuffers(display, surface)
gles.glGetString.restype = ctypes.c_char_p
assert gles.glGetString(0x1F02).startswith(b"OpenGL ES")
