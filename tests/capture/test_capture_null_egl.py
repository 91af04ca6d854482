"""The null driver's EGL and GLX: what a program can ask of them."""

from __future__ import annotations

import ctypes

import pytest

from capture.windowsystem.null_egl import DISPLAY, NullEgl
from capture.windowsystem.null_glx import NullGlx
from traceformat.gles import egl_enums as egl


def attributes(*values: int) -> int:
    array = (ctypes.c_int * (len(values) + 1))(*values, egl.NONE)
    attributes.alive.append(array)
    return ctypes.addressof(array)


attributes.alive = []


@pytest.fixture
def null() -> NullEgl:
    null = NullEgl()
    assert null.eglInitialize(DISPLAY, None, None)
    return null


def choose(null: NullEgl, *wanted: int) -> list[dict[str, int]]:
    configs, count = (ctypes.c_void_p * 64)(), ctypes.c_int()
    assert null.eglChooseConfig(DISPLAY, attributes(*wanted), ctypes.addressof(configs), 64, ctypes.addressof(count))
    found = []
    for i in range(count.value):
        bits = {}
        for name in ("RED_SIZE", "ALPHA_SIZE", "DEPTH_SIZE", "STENCIL_SIZE", "SAMPLES"):
            value = ctypes.c_int()
            assert null.eglGetConfigAttrib(DISPLAY, configs[i], getattr(egl, name), ctypes.addressof(value))
            bits[name] = value.value
        found.append(bits)
    return found


def test_configs_are_minima_and_the_smallest_comes_first(null):
    found = choose(null, egl.RED_SIZE, 8, egl.DEPTH_SIZE, 16)
    assert found
    assert all(bits["RED_SIZE"] >= 8 and bits["DEPTH_SIZE"] >= 16 for bits in found)
    assert found[0]["SAMPLES"] == 0
    assert found[0]["DEPTH_SIZE"] == 16
    assert choose(null, egl.SAMPLES, 4)[0]["SAMPLES"] == 4
    assert choose(null, egl.SAMPLES, 64) == []


def test_unknown_attribute(null):
    count = ctypes.c_int()
    assert not null.eglChooseConfig(DISPLAY, attributes(0x1234, 1), None, 0, ctypes.addressof(count))
    assert null.eglGetError() == egl.BAD_ATTRIBUTE
    assert null.eglGetError() == egl.SUCCESS


def test_nothing_works_before_initialize():
    null = NullEgl()
    assert null.eglCreateContext(DISPLAY, 1, None, None) == 0
    assert null.eglGetError() == egl.NOT_INITIALIZED
    assert not null.eglInitialize(77, None, None)
    assert null.eglGetError() == egl.BAD_DISPLAY


def test_contexts_and_surfaces(null):
    surface = null.eglCreatePbufferSurface(DISPLAY, 1, attributes(egl.WIDTH, 30, egl.HEIGHT, 20))
    context = null.eglCreateContext(DISPLAY, 1, None, attributes(egl.CONTEXT_MAJOR_VERSION, 3))
    value = ctypes.c_int()
    assert null.eglQuerySurface(DISPLAY, surface, egl.HEIGHT, ctypes.addressof(value))
    assert value.value == 20
    assert null.eglMakeCurrent(DISPLAY, surface, surface, context)
    assert null.eglGetCurrentContext() == context
    assert null.eglGetCurrentSurface(egl.READ) == surface
    assert not null.eglMakeCurrent(DISPLAY, surface, None, context)
    assert null.eglGetError() == egl.BAD_MATCH
    assert not null.eglMakeCurrent(DISPLAY, 5, 5, context)
    assert null.eglGetError() == egl.BAD_SURFACE
    assert null.eglMakeCurrent(DISPLAY, None, None, None)
    assert null.eglGetCurrentContext() == 0
    assert null.eglDestroyContext(DISPLAY, context)
    assert not null.eglDestroyContext(DISPLAY, context)


@pytest.mark.parametrize(("width", "size"), [("160", (160, 120)), ("", (800, 600)), ("wide", (800, 600))])
def test_windows_without_a_window_system_fill_the_screen(null, monkeypatch, width, size):
    monkeypatch.setenv("QT_QPA_EGLFS_WIDTH", width)
    monkeypatch.setenv("QT_QPA_EGLFS_HEIGHT", "120")
    surface = null.eglCreateWindowSurface(DISPLAY, 1, 0, None)
    found = (ctypes.c_int * 2)()
    for place, name in enumerate((egl.WIDTH, egl.HEIGHT)):
        assert null.eglQuerySurface(DISPLAY, surface, name, ctypes.addressof(found) + 4 * place)
    assert tuple(found) == size


@pytest.mark.parametrize(("display", "is_told"), [("", True), (":99", False)])
def test_qt_is_told_of_a_screen_where_there_is_none(capture, monkeypatch, display, is_told):
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    done = capture("import os\nprint(os.environ.get('QT_QPA_PLATFORM'))", environment={"DISPLAY": display})
    assert ("eglfs" in done.stdout) == is_told


def test_only_entry_points_are_functions(null):
    assert null.function("eglSwapBuffers") is not None
    assert null.function("eglCreateImageKHR") is None
    assert not null.function("eglCopyBuffers")(DISPLAY, 1, 2)
    assert null.eglGetError() == egl.BAD_PARAMETER
    assert null.function("create") is None
    assert null.function("__init__") is None


def test_contexts_of_glx():
    glx, count, value = NullGlx(lambda: 5), ctypes.c_int(), ctypes.c_int()
    wanted = (ctypes.c_int * 5)(12, 24, 100001, 4, 0)
    found = glx.glXChooseFBConfig(0, 0, ctypes.addressof(wanted), ctypes.addressof(count))
    configs = list((ctypes.c_void_p * count.value).from_address(found))
    ctypes.CDLL(None).free(ctypes.c_void_p(found))
    for attribute, least in ((12, 24), (100001, 4), (8, 8), (5, 1), (0x8010, 1)):
        for config in configs:
            assert glx.glXGetFBConfigAttrib(0, config, attribute, ctypes.addressof(value)) == 0
            assert value.value >= least
    assert glx.glXGetFBConfigAttrib(0, configs[0], 0x1234, ctypes.addressof(value)) == 2
    wanted[3] = 64
    assert glx.glXChooseFBConfig(0, 0, ctypes.addressof(wanted), ctypes.addressof(count)) == count.value == 0
    size = (ctypes.c_int * 5)(0x8041, 30, 0x8040, 20, 0)
    pbuffer = glx.glXCreatePbuffer(0, configs[0], ctypes.addressof(size))
    glx.glXQueryDrawable(0, pbuffer, 0x801E, ctypes.addressof(value))
    assert value.value == 20
    context = glx.glXCreateNewContext(0, configs[0], 0x8014, 0, 1)
    assert glx.glXGetCurrentContext() == 5
    assert glx.glXMakeContextCurrent(0, pbuffer, pbuffer, context) == 1
    assert (glx.glXGetCurrentContext(), glx.glXGetCurrentReadDrawable()) == (context, pbuffer)
    assert glx.glXMakeCurrent(0, pbuffer, 0x1234) == 0
    assert b"GLX_ARB_create_context" in ctypes.string_at(glx.glXQueryExtensionsString(0, 1))
    assert glx.function("glXCreatePixmap")(0, 0, 0, 0) == 0
    assert glx.function("glXBindTexImageEXT") is glx.function("function") is None
