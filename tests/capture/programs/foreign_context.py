"""A context that C code makes: no hook sees it, but GL is called in it."""

import _ctypes
import ctypes

handle = _ctypes.dlopen("libEGL.so.1", ctypes.RTLD_GLOBAL)
pointer, integer = ctypes.c_void_p, ctypes.c_int


def function(name, result, *arguments):
    return ctypes.CFUNCTYPE(result, *arguments)(_ctypes.dlsym(handle, name))


def integers(*values):
    return ctypes.addressof(integers.alive.append((integer * len(values))(*values)) or integers.alive[-1])


integers.alive = []
display = function("eglGetPlatformDisplay", pointer, integer, pointer, pointer)(0x31DD, None, None)
function("eglInitialize", integer, pointer, pointer, pointer)(display, None, None)
config, count = pointer(), integer()
function("eglChooseConfig", integer, pointer, pointer, pointer, integer, pointer)(
    display, integers(0x3040, 4, 0x3033, 1, 0x3038), ctypes.addressof(config), 1, ctypes.addressof(count)
)
context = function("eglCreateContext", pointer, pointer, pointer, pointer, pointer)(
    display, config, None, integers(0x3098, 2, 0x3038)
)
surface = function("eglCreatePbufferSurface", pointer, pointer, pointer, pointer)(
    display, config, integers(0x3057, 24, 0x3056, 16, 0x3038)
)
assert function("eglMakeCurrent", integer, *[pointer] * 4)(display, surface, surface, context)
gles = ctypes.CDLL("libGLESv2.so.2")
gles.glClear(0x4000)
gles.glFinish()
