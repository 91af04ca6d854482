"""Four threads, each with a context and a surface of its own, at the same time."""

import ctypes
import threading

egl, gles = ctypes.CDLL("libEGL.so.1"), ctypes.CDLL("libGLESv2.so.2")
pointer = ctypes.c_void_p


def integers(*values):
    return (ctypes.c_int * len(values))(*values)


for name in ("eglGetPlatformDisplay", "eglCreateContext", "eglCreatePbufferSurface"):
    getattr(egl, name).restype = pointer
egl.eglGetPlatformDisplay.argtypes = [ctypes.c_uint, pointer, pointer]
display = pointer(egl.eglGetPlatformDisplay(0x31DD, None, None))
egl.eglInitialize(display, None, None)
config, count = pointer(), ctypes.c_int()
egl.eglChooseConfig(display, integers(0x3040, 4, 0x3033, 1, 0x3038), ctypes.byref(config), 1, ctypes.byref(count))
start = threading.Barrier(4)


def work(number):
    egl.eglBindAPI(0x30A0)
    context = pointer(egl.eglCreateContext(display, config, None, integers(0x3098, 2, 0x3038)))
    surface = pointer(egl.eglCreatePbufferSurface(display, config, integers(0x3057, 8, 0x3056, 8, 0x3038)))
    assert egl.eglMakeCurrent(display, surface, surface, context)
    start.wait()
    for _ in range(500):
        gles.glViewport(0, 0, number + 1, 1)
    gles.glClear(0x4000)


threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
