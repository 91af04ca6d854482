"""Native code of a program: small libraries in C that draw by every way in which native code finds GL."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

__all__ = ["FLAGS", "WITHOUT_HOOKS", "build"]

#: Systems whose linker is not understood: only the adapters record.
WITHOUT_HOOKS = "from capture.native.hooks import LinkerHooks; LinkerHooks.are_available = staticmethod(lambda: False)"

#: How libraries are linked; what of it the hooks have to bear.
FLAGS = {
    "lazy": ("-Wl,-z,lazy",),
    "now": ("-Wl,-z,now", "-Wl,-z,relro"),
    "no_plt": ("-fno-plt", "-Wl,-z,now", "-Wl,-z,relro"),
    "lazy_relro": ("-Wl,-z,lazy", "-Wl,-z,relro"),
}

#: ``draw(way, frames, red)`` makes a context and draws; ways: 0 linked, 1 dlopen and dlsym, 2 eglGetProcAddress of what
#: dlsym gave, 3 a table of functions in data. Gives the red of the last frame's pixel. ``draw_in_thread`` does it in a
#: thread that Python knows nothing of.
_SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
typedef void *P; typedef unsigned U;
extern P eglGetDisplay(P); extern U eglInitialize(P, int *, int *); extern U eglBindAPI(U);
extern U eglChooseConfig(P, const int *, P *, int, int *); extern P eglCreateContext(P, P, P, const int *);
extern P eglCreatePbufferSurface(P, P, const int *); extern U eglMakeCurrent(P, P, P, P);
extern U eglSwapBuffers(P, P); extern U eglDestroyContext(P, P); extern U eglDestroySurface(P, P);
extern P eglGetPlatformDisplay(U, P, const long *); extern P eglGetProcAddress(const char *);
extern void glClearColor(float, float, float, float); extern void glClear(U);
extern void glReadPixels(int, int, int, int, U, U, P);
typedef struct {
    void (*clear_color)(float, float, float, float); void (*clear)(U);
    void (*read)(int, int, int, int, U, U, P); U (*swap)(P, P);
} Functions;
static Functions table = {glClearColor, glClear, glReadPixels, eglSwapBuffers};
int draw(int way, int frames, float red)
{
    static const int wanted[] = {0x3033, 1, 0x3040, 4, 0x3024, 8, 0x3038}, size[] = {0x3057, 8, 0x3056, 8, 0x3038};
    static const int version[] = {0x3098, 2, 0x3038};
    Functions f = {glClearColor, glClear, glReadPixels, eglSwapBuffers};
    P library = NULL, egl = NULL, config = NULL;
    unsigned char pixel[4] = {0};
    int count = 0;
    if (way == 1 || way == 2) {
        library = dlopen("libGLESv2.so.2", RTLD_LAZY | RTLD_LOCAL); egl = dlopen("libEGL.so.1", RTLD_NOW);
        if (!library || !egl) return -1;
        P (*get)(const char *) = (P (*)(const char *))dlsym(egl, "eglGetProcAddress");
        f.clear_color = way == 1 ? dlsym(library, "glClearColor") : get("glClearColor");
        f.clear = way == 1 ? dlsym(library, "glClear") : get("glClear");
        f.read = way == 1 ? dlsym(library, "glReadPixels") : get("glReadPixels");
        f.swap = dlsym(egl, "eglSwapBuffers");
        if (!f.clear_color || !f.clear || !f.read || !f.swap) return -2;
    } else if (way == 3) {
        f = table;
    }
    P display = eglGetPlatformDisplay(0x31DD, NULL, NULL);
    if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(0x30A0)) return -3;
    if (!eglChooseConfig(display, wanted, &config, 1, &count) || count < 1) return -4;
    P surface = eglCreatePbufferSurface(display, config, size);
    P context = eglCreateContext(display, config, NULL, version);
    if (!surface || !context || !eglMakeCurrent(display, surface, surface, context)) return -5;
    for (int i = 0; i < frames; i++) {
        f.clear_color(red, 0.0f, 0.5f, 1.0f); f.clear(0x4000);
        if (i == frames - 1) f.read(0, 0, 1, 1, 0x1908, 0x1401, pixel);
        f.swap(display, surface);
    }
    eglMakeCurrent(display, NULL, NULL, NULL); eglDestroyContext(display, context);
    eglDestroySurface(display, surface);
    if (library) { dlclose(library); dlclose(egl); }
    return pixel[0];
}
__attribute__((destructor)) static void end(void)
{
    if (getenv("SAY_DISPLAY_AT_END")) printf("END %d\n", eglGetPlatformDisplay(0x31DD, NULL, NULL) != NULL);
}
typedef struct { int way, frames; float red; int result; } Work;
static void *work(void *place)
{
    Work *todo = place;
    todo->result = draw(todo->way, todo->frames, todo->red);
    return NULL;
}
int draw_in_thread(int way, int frames, float red)
{
    Work todo = {way, frames, red, 0};
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, &todo)) return -6;
    pthread_join(thread, NULL);
    return todo.result;
}
"""


def build(folder: Path, flags: tuple[str, ...] = (), name: str = "drawing") -> Path:
    """Compile the library; skips the test where there is no compiler, or no GL to link with."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler: install gcc to run this test")
    source, library = folder / f"{name}.c", folder / f"lib{name}.so"
    source.write_text(_SOURCE)
    linked = ["-lEGL", "-lGLESv2", "-ldl"]
    command = [compiler, "-shared", "-fPIC", "-O1", "-pthread", *flags, str(source), "-o", str(library), *linked]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no GL to link with: {done.stderr.splitlines()[-1]}")
    return library
