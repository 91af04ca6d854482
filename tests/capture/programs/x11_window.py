"""Xlib and GLX by themselves, and EGL on a window of X11: a window of 64 x 48 that grows, two frames of each."""

import ctypes

x11, gl, egl = (ctypes.CDLL(name) for name in ("libX11.so.6", "libGL.so.1", "libEGL.so.1"))
POINTER, NUMBER = ctypes.c_void_p, ctypes.c_ulong
for library, name, result, *arguments in (
    (x11, "XOpenDisplay", POINTER, POINTER),
    (x11, "XDefaultRootWindow", NUMBER, POINTER),
    (x11, "XCreateSimpleWindow", NUMBER, POINTER, NUMBER, *[ctypes.c_int] * 2, *[ctypes.c_uint] * 3, NUMBER, NUMBER),
    (x11, "XResizeWindow", ctypes.c_int, POINTER, NUMBER, ctypes.c_uint, ctypes.c_uint),
    (x11, "XSync", ctypes.c_int, POINTER, ctypes.c_int),
    (x11, "XFree", ctypes.c_int, POINTER),
    (x11, "XVisualIDFromVisual", NUMBER, POINTER),
    (gl, "glXChooseFBConfig", ctypes.POINTER(POINTER), POINTER, ctypes.c_int, POINTER, POINTER),
    (gl, "glXGetVisualFromFBConfig", ctypes.POINTER(POINTER), POINTER, POINTER),
    (gl, "glXCreateContextAttribsARB", POINTER, POINTER, POINTER, POINTER, ctypes.c_int, POINTER),
    (gl, "glXMakeCurrent", ctypes.c_int, POINTER, NUMBER, POINTER),
    (gl, "glXSwapBuffers", None, POINTER, NUMBER),
    (gl, "glXDestroyContext", None, POINTER, POINTER),
    (gl, "glClearColor", None, *[ctypes.c_float] * 4),
    (gl, "glClear", None, ctypes.c_uint),
    (gl, "glReadPixels", None, *[ctypes.c_int] * 6, POINTER),
    (egl, "eglGetPlatformDisplay", POINTER, ctypes.c_uint, POINTER, POINTER),
    (egl, "eglInitialize", ctypes.c_uint, POINTER, POINTER, POINTER),
    (egl, "eglBindAPI", ctypes.c_uint, ctypes.c_uint),
    (egl, "eglChooseConfig", ctypes.c_uint, POINTER, POINTER, POINTER, ctypes.c_int, POINTER),
    (egl, "eglGetConfigAttrib", ctypes.c_uint, POINTER, POINTER, ctypes.c_int, POINTER),
    (egl, "eglCreateWindowSurface", POINTER, POINTER, POINTER, NUMBER, POINTER),
    (egl, "eglCreateContext", POINTER, POINTER, POINTER, POINTER, POINTER),
    (egl, "eglMakeCurrent", ctypes.c_uint, *[POINTER] * 4),
    (egl, "eglSwapBuffers", ctypes.c_uint, POINTER, POINTER),
):
    getattr(library, name).restype, getattr(library, name).argtypes = result, arguments


def integers(*values):
    return (ctypes.c_int * len(values))(*values)


def draw(red, swap):
    for number in range(2):
        gl.glClearColor(red, 0.0, 1.0, 1.0)
        gl.glClear(0x4000)
        pixel = (ctypes.c_ubyte * 4)()
        gl.glReadPixels(3, 3, 1, 1, 0x1908, 0x1401, pixel)
        print(list(pixel)[:3])
        x11.XResizeWindow(display, window, 64 + 16 * number, 48)
        x11.XSync(display, 0)
        swap()


display = x11.XOpenDisplay(None)
window = x11.XCreateSimpleWindow(display, x11.XDefaultRootWindow(display), 0, 0, 64, 48, 0, 0, 0)
count = ctypes.c_int()
found = gl.glXChooseFBConfig(display, 0, integers(8, 8, 12, 24, 5, 1, 0), ctypes.byref(count))
config, visual = found[0], gl.glXGetVisualFromFBConfig(display, found[0])
number = x11.XVisualIDFromVisual(visual[0])
context = gl.glXCreateContextAttribsARB(display, config, None, 1, integers(0x2091, 3, 0x2092, 3, 0x9126, 1, 0))
print(count.value > 0, gl.glXMakeCurrent(display, window, context))
draw(1.0, lambda: gl.glXSwapBuffers(display, window))
gl.glXMakeCurrent(display, 0, None)
gl.glXDestroyContext(display, context)
for address in (found, visual):
    x11.XFree(address)

screen = egl.eglGetPlatformDisplay(0x31D5, display, None)
print(egl.eglInitialize(screen, None, None), egl.eglBindAPI(0x30A2))
chosen, value = POINTER(), ctypes.c_int()
egl.eglChooseConfig(screen, integers(0x3024, 8, 0x3040, 8, 0x3038), ctypes.byref(chosen), 1, ctypes.byref(count))
egl.eglGetConfigAttrib(screen, chosen, 0x302E, ctypes.byref(value))
surface = egl.eglCreateWindowSurface(screen, chosen, window, None)
context = egl.eglCreateContext(screen, chosen, None, integers(0x3098, 3, 0x3038))
print(value.value > 0 < number, egl.eglMakeCurrent(screen, surface, surface, context))
draw(0.0, lambda: egl.eglSwapBuffers(screen, surface))
