"""Native code of a program: small libraries in C that draw by every way in which native code finds GL."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

__all__ = ["CHECK_MAPS", "FLAGS", "WITHOUT_HOOKS", "build", "build_wrapper"]

#: Systems whose linker is not understood: only the adapters record.
WITHOUT_HOOKS = "from capture.native.hooks import LinkerHooks; LinkerHooks.are_available = staticmethod(lambda: False)"

#: Prints the pages of files that have rights that they had not before the session, or before slots in them were set.
CHECK_MAPS = """
import os
def _rights():
    found = {}
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            span, bits, offset, _, _, *path = line.split(None, 5)
            if path and path[0].startswith("/"):
                start, end = (int(word, 16) >> 12 for word in span.split("-"))
                first = int(offset, 16) >> 12
                found.update({(path[0], page, first + page - start): bits for page in range(start, end)})
    return found
_before = _rights()
import capture.native.slots
import capture.session
_put, _finish = capture.native.slots.Patches.put, capture.session.Session.run
def _note_and_put(self, slots):
    for page, bits in _rights().items():
        _before.setdefault(page, bits)
    _put(self, slots)
def _run(self):
    result = _finish(self)
    now = _rights()
    # While another thread loads an object, pages are still writable that will not be.
    gained = ((*page, bits, now[page]) for page, bits in _before.items() if {*now.get(page, "")} - {*bits})
    print("CHANGED", sorted(gained))
    return result
capture.native.slots.Patches.put = _note_and_put
capture.session.Session.run = _run
"""

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
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
    if (!getenv("SAY_DISPLAY_AT_END")) return;
    P display = eglGetPlatformDisplay(0x31DD, NULL, NULL);
    printf("END %d %u\n", display != NULL, eglMakeCurrent(display, NULL, NULL, NULL));
}
typedef struct { int way, frames; float red; int result; } Work;
static void *work(void *place)
{
    Work *todo = place;
    todo->result = draw(todo->way, todo->frames, todo->red);
    return NULL;
}
static int hooked_calls;
static void (*hooked)(U);
static void hook(U mask) { __atomic_add_fetch(&hooked_calls, 1, __ATOMIC_RELAXED); hooked(mask); }
static int rights_at(unsigned long place)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    unsigned long start, end; char line[4096], rights[5]; int found = -1;
    while (found < 0 && maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %4s", &start, &end, rights) == 3 && start <= place && place < end)
            found = (rights[0] == 'r') | (rights[1] == 'w') << 1 | (rights[2] == 'x') << 2;
    if (maps) fclose(maps);
    return found;
}
/* Puts a function into its slot of glClear, as tools do that hook programs; gives what was there, NULL if not found. */
static P set_slot(P function)
{
    P old = NULL;
    Dl_info info; struct link_map *map; ElfW(Rela) *tables[2] = {0}; size_t sizes[2] = {0};
    const char *strings = NULL; ElfW(Sym) *symbols = NULL;
    if (!dladdr1((P)set_slot, &info, (P *)&map, RTLD_DL_LINKMAP)) return NULL;
    for (ElfW(Dyn) *d = map->l_ld; d->d_tag; d++) {
        if (d->d_tag == DT_STRTAB) strings = (P)d->d_un.d_ptr;
        if (d->d_tag == DT_SYMTAB) symbols = (P)d->d_un.d_ptr;
        if (d->d_tag == DT_RELA) tables[0] = (P)d->d_un.d_ptr;
        if (d->d_tag == DT_RELASZ) sizes[0] = d->d_un.d_val;
        if (d->d_tag == DT_JMPREL) tables[1] = (P)d->d_un.d_ptr;
        if (d->d_tag == DT_PLTRELSZ) sizes[1] = d->d_un.d_val;
    }
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < sizes[k] / sizeof(ElfW(Rela)); i++) {
            unsigned long type = ELF64_R_TYPE(tables[k][i].r_info);
            ElfW(Sym) *symbol = symbols + ELF64_R_SYM(tables[k][i].r_info);
            if (type != 6 && type != 7 && type != 1025 && type != 1026) continue;
            if (strcmp(strings + symbol->st_name, "glClear")) continue;
            P *slot = (P *)(map->l_addr + tables[k][i].r_offset), page = (P)((unsigned long)slot & -4096ul);
            int rights = rights_at((unsigned long)slot);
            if (rights < 0 || mprotect(page, 4096, PROT_READ | PROT_WRITE)) return NULL;
            old = *slot; *slot = function;
            if (mprotect(page, 4096, rights)) return NULL;
        }
    return old;
}
int hook_self(void)
{
    if (hooked) return 0;
    hooked = (void (*)(U))set_slot((P)hook);
    return hooked != NULL;
}
int unhook_self(void)
{
    if (!hooked) return 0;
    int was_mine = set_slot((P)hooked) == (P)hook;
    hooked = NULL;
    return was_mine;
}
int num_hooked(void) { return hooked_calls; }
int draw_in_thread(int way, int frames, float red)
{
    Work todo = {way, frames, red, 0};
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, &todo)) return -6;
    pthread_join(thread, NULL);
    return todo.result;
}
"""
#: To be preloaded: stands in front of GL, counts, and calls what comes next.
_WRAPPER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
static int calls;
int num_wrapped(void) { return calls; }
void glClear(unsigned mask)
{
    void (*real)(unsigned) = (void (*)(unsigned))dlsym(RTLD_NEXT, "glClear");
    calls++; real(mask);
}
unsigned eglSwapBuffers(void *display, void *surface)
{
    static unsigned (*real)(void *, void *);
    if (!real) real = (unsigned (*)(void *, void *))dlsym(RTLD_NEXT, "eglSwapBuffers");
    calls++; return real(display, surface);
}
"""


def build_wrapper(folder: Path) -> Path:
    """Compile what programs are preloaded with; skips the test where there is no compiler."""
    return _compile(folder, "wrapper", _WRAPPER, ("-ldl",))


def build(folder: Path, flags: tuple[str, ...] = (), name: str = "drawing") -> Path:
    """Compile the library; skips the test where there is no compiler, or no GL to link with."""
    return _compile(folder, name, _SOURCE, ("-pthread", *flags), ("-lEGL", "-lGLESv2", "-ldl"))


def _compile(folder: Path, name: str, text: str, flags: tuple[str, ...], linked: tuple[str, ...] = ()) -> Path:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler: install gcc to run this test")
    source, library = folder / f"{name}.c", folder / f"lib{name}.so"
    source.write_text(text)
    command = [compiler, "-shared", "-fPIC", "-O1", *flags, str(source), "-o", str(library), *linked]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no GL to link with: {done.stderr.splitlines()[-1]}")
    return library
