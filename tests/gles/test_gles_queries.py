"""Query and sync objects, debug groups and labels, strings, glGet conversions, the null driver."""

from __future__ import annotations

import struct
import threading
from typing import Any

import pytest

from capture.drivers.null import NullDriver
from traceformat.calls import Call, CallFlags
from traceformat.errors import UnsupportedCallError
from traceformat.gles import enums as gl
from traceformat.gles.backend import Backend
from traceformat.gles.dispatch import find_entry
from traceformat.gles.entry_points import COMMANDS
from traceformat.gles.limits import GLES_LIMITS, Limits


def test_occlusion_queries(es: Any) -> None:
    es.backend.query_result = lambda *_: 42
    name = es.gen("glGenQueries", 2)
    assert es.glIsQuery(name) == 0
    es.glBeginQuery(gl.GL_ANY_SAMPLES_PASSED, name)
    es.glBeginQuery(gl.GL_ANY_SAMPLES_PASSED_CONSERVATIVE, name + 1)
    assert es.error() == gl.GL_INVALID_OPERATION
    es.glGetQueryObjectuiv(name, gl.GL_QUERY_RESULT, None)
    assert es.error() == gl.GL_INVALID_OPERATION
    es.glEndQuery(gl.GL_ANY_SAMPLES_PASSED)
    es.glGetQueryObjectuiv(name, gl.GL_QUERY_RESULT, None)
    assert struct.unpack("<I", es.outputs["params"]) == (1,)
    es.glBeginQuery(gl.GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, name)
    assert es.error() == gl.GL_INVALID_OPERATION
    es.glBeginQuery(gl.GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, name + 1)
    es.glEndQuery(gl.GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN)
    es.glGetQueryObjectui64vEXT(name + 1, gl.GL_QUERY_RESULT, None)
    assert struct.unpack("<Q", es.outputs["params"]) == (42,)
    es.glEndQuery(gl.GL_ANY_SAMPLES_PASSED)
    assert es.error() == gl.GL_INVALID_OPERATION


def test_syncs_are_signalled(es: Any) -> None:
    sync = es.glFenceSync(gl.GL_SYNC_GPU_COMMANDS_COMPLETE, 0)
    assert sync > 0
    assert es.glClientWaitSync(sync, gl.GL_SYNC_FLUSH_COMMANDS_BIT, 0) == gl.GL_ALREADY_SIGNALED
    es.glWaitSync(sync, 0, gl.GL_TIMEOUT_IGNORED)
    assert es.error() == 0
    es.glGetSynciv(sync, gl.GL_SYNC_STATUS, 1, None, None)
    assert struct.unpack("<i", es.outputs["values"]) == (gl.GL_SIGNALED,)
    es.glDeleteSync(sync)
    assert es.glIsSync(sync) == 0
    es.glClientWaitSync(sync, 0, 0)
    assert es.error() == gl.GL_INVALID_VALUE


def test_debug_groups(es: Any) -> None:
    app = gl.GL_DEBUG_SOURCE_APPLICATION
    es.glPushDebugGroupKHR(app, 3, -1, "scene")
    es.glPushGroupMarkerEXT(0, "car")
    es.glPushDebugGroup(app, 4, 2, "wheels")
    assert [(group.label, group.marker) for group in es.context.debug_groups] == [
        ("scene", False),
        ("car", True),
        ("wh", False),
    ]
    es.glPopDebugGroupKHR()
    es.glPopGroupMarkerEXT()
    es.glPopDebugGroup()
    assert es.error() == 0
    es.glPopDebugGroup()
    assert es.error() == gl.GL_STACK_UNDERFLOW
    for _ in range(64):
        es.glPushDebugGroup(app, 0, -1, "deep")
    assert es.error() == gl.GL_STACK_OVERFLOW
    assert es.get(gl.GL_DEBUG_GROUP_STACK_DEPTH) == 64
    es.glPushDebugGroup(gl.GL_DEBUG_SOURCE_API, 0, -1, "not ours")
    assert es.error() == gl.GL_INVALID_ENUM


def test_labels(es: Any) -> None:
    name = es.texture()
    es.glObjectLabel(gl.GL_TEXTURE, name, -1, "bricks")
    assert es.context.group.textures.get(name).label == "bricks"
    es.glGetObjectLabel(gl.GL_TEXTURE, name, 4, None, None)
    assert es.outputs == {"length": struct.pack("<i", 3), "label": b"bri\0"}
    es.glObjectLabel(gl.GL_TEXTURE, 99, -1, "nothing")
    assert es.error() == gl.GL_INVALID_VALUE
    es.glObjectLabel(gl.GL_BLEND, name, -1, "nothing")
    assert es.error() == gl.GL_INVALID_ENUM
    es.glObjectLabel(gl.GL_TEXTURE, name, -1, "x" * 256)
    assert es.error() == gl.GL_INVALID_VALUE
    program = es.glCreateProgram()
    es.glLabelObjectEXT(gl.GL_PROGRAM_OBJECT_EXT, program, 0, "sky")
    assert es.context.group.programs.get(program).label == "sky"


def test_get_conversions(es: Any) -> None:
    es.glClearColor(1.0, 0.0, -1.0, 0.5)
    assert es.ints(gl.GL_COLOR_CLEAR_VALUE) == (0x7FFFFFFF, 0, -0x7FFFFFFF, 0x40000000)
    es.glGetFloatv(gl.GL_COLOR_CLEAR_VALUE, None)
    assert struct.unpack("<4f", es.outputs["data"]) == (1.0, 0.0, -1.0, 0.5)
    es.glGetBooleanv(gl.GL_COLOR_CLEAR_VALUE, None)
    assert es.outputs["data"] == b"\1\0\1\1"
    es.glLineWidth(2.5)
    assert es.get(gl.GL_LINE_WIDTH) == 2
    es.glGetInteger64v(gl.GL_MAX_ELEMENT_INDEX, None)
    assert struct.unpack("<q", es.outputs["data"]) == (0xFFFFFFFF,)
    es.glGetFloatv(gl.GL_DEPTH_TEST, None)
    assert struct.unpack("<f", es.outputs["data"]) == (0.0,)


@pytest.mark.parametrize(
    ("pname", "minimum"),
    [
        (gl.GL_MAX_TEXTURE_SIZE, 2048),
        (gl.GL_MAX_3D_TEXTURE_SIZE, 256),
        (gl.GL_MAX_ARRAY_TEXTURE_LAYERS, 256),
        (gl.GL_MAX_VERTEX_ATTRIBS, 16),
        (gl.GL_MAX_VERTEX_UNIFORM_COMPONENTS, 1024),
        (gl.GL_MAX_FRAGMENT_UNIFORM_COMPONENTS, 896),
        (gl.GL_MAX_VARYING_VECTORS, 15),
        (gl.GL_MAX_TEXTURE_IMAGE_UNITS, 16),
        (gl.GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, 32),
        (gl.GL_MAX_UNIFORM_BUFFER_BINDINGS, 24),
        (gl.GL_MAX_UNIFORM_BLOCK_SIZE, 16384),
        (gl.GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS, 64),
        (gl.GL_MAX_DRAW_BUFFERS, 4),
        (gl.GL_MAX_COLOR_ATTACHMENTS, 4),
        (gl.GL_MAX_SAMPLES, 4),
        (gl.GL_SUBPIXEL_BITS, 4),
    ],
)
def test_limits_are_at_least_those_of_es_3(es: Any, pname: int, minimum: int) -> None:
    assert es.get(pname) >= minimum


def test_strings(es: Any, desktop: Any) -> None:
    assert es.glGetString(gl.GL_VERSION).startswith("OpenGL ES 3.0 ")
    assert es.glGetString(gl.GL_SHADING_LANGUAGE_VERSION) == "OpenGL ES GLSL ES 3.00"
    names = es.glGetString(gl.GL_EXTENSIONS).split()
    assert {"GL_KHR_debug", "GL_EXT_debug_marker"} <= set(names)
    assert [es.glGetStringi(gl.GL_EXTENSIONS, i) for i in range(es.get(gl.GL_NUM_EXTENSIONS))] == names
    es.glGetStringi(gl.GL_EXTENSIONS, len(names))
    assert es.error() == gl.GL_INVALID_VALUE
    assert desktop.glGetString(gl.GL_VERSION).startswith("3.3 (Core Profile) ")
    assert desktop.glGetString(gl.GL_EXTENSIONS) is None
    assert desktop.error() == gl.GL_INVALID_ENUM


def test_extensions_that_versions_brought(session: Any) -> None:
    """Taichi and others ask for the names of what the version has anyway; of older versions they would be more."""

    def shown(*version: int) -> set[str]:
        context = session(api=1, version=version)
        return {context.glGetStringi(gl.GL_EXTENSIONS, k) for k in range(context.get(gl.GL_NUM_EXTENSIONS))}

    of_3_3, of_4_3, of_4_6 = shown(3, 3), shown(4, 3), shown(4, 6)
    wanted = {"GL_ARB_compute_shader", "GL_ARB_shader_storage_buffer_object", "GL_ARB_shader_image_load_store"}
    assert wanted <= of_4_3 < of_4_6
    assert "GL_ARB_multi_bind" in of_4_6 - of_4_3
    assert of_3_3 < of_4_3
    assert not wanted & of_3_3
    of_versions = [command for command in COMMANDS.values() if (of_4_6 - of_3_3) & set(command.extensions)]
    assert len(of_versions) > 20
    assert [command.name for command in of_versions if find_entry(command.name) is None] == []


def test_desktop_calls_that_mean_the_same(desktop: Any) -> None:
    desktop.glClearDepth(0.25)
    desktop.glDepthRange(-1.0, 0.5)
    desktop.glPolygonMode(gl.GL_FRONT_AND_BACK, gl.GL_LINE)
    desktop.glEnable(gl.GL_TEXTURE_CUBE_MAP_SEAMLESS)
    desktop.glDrawBuffer(gl.GL_BACK_LEFT)
    assert desktop.error() == 0
    c = desktop.context
    assert (c.clear_depth, c.depth_range, c.draw_framebuffer.draw_buffers) == (0.25, (0.0, 0.5), [gl.GL_BACK_LEFT])
    assert len(c.draw_framebuffer.draw_attachments()) == 1
    assert c.polygon_mode == gl.GL_LINE
    desktop.glEnable(gl.GL_LIGHTING)
    assert desktop.error() == gl.GL_INVALID_ENUM


def test_fixed_function_is_named(session: Any) -> None:
    gl2 = session(api=1, version=(2, 1))
    gl2.context.config.profile = 0
    gl2.glEnable(gl.GL_TEXTURE_2D)
    gl2.glDisable(gl.GL_LIGHTING)
    with pytest.raises(UnsupportedCallError, match="glPolygonMode of one face"):
        gl2.glPolygonMode(gl.GL_FRONT, gl.GL_LINE)
    with pytest.raises(UnsupportedCallError, match=r"glEnable\(GL_LIGHTING\) is fixed function"):
        gl2.glEnable(gl.GL_LIGHTING)
    with pytest.raises(UnsupportedCallError, match="glBegin"):
        gl2.glBegin(gl.GL_TRIANGLES)


class Driver:
    """A null driver with one context a thread."""

    def __init__(self, **options: Any) -> None:
        self.driver = NullDriver(Backend(), **options)
        self.start(1)

    def start(self, thread: int) -> None:
        self.call("traceContext", thread, 0, 3, 0, 0, 8, 8, 8, 8, 24, 8, 0, 0, thread=thread)
        self.call("traceDrawable", thread, 4, 4, 0, thread=thread)
        self.call("traceMakeCurrent", thread, thread, thread, thread=thread)

    def call(self, name: str, *args: Any, thread: int = 1) -> Call:
        call = Call(0, name, thread, thread, 0, args)
        self.driver.execute(call)
        return call


def test_null_driver_fills_calls_in() -> None:
    driver = Driver()
    assert driver.call("glGenBuffers", 2, None).outputs == {"buffers": struct.pack("<2I", 1, 2)}
    assert driver.call("glReadPixels", 0, 0, 2, 2, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None).outputs == {
        "pixels": bytes(16)
    }
    assert driver.call("glCreateShader", gl.GL_VERTEX_SHADER).result == 1
    driver.call("glBindBuffer", gl.GL_ARRAY_BUFFER, 1)
    driver.call("glBufferData", gl.GL_ARRAY_BUFFER, 4, b"data", gl.GL_STATIC_DRAW)
    mapped = driver.call("glMapBufferRange", gl.GL_ARRAY_BUFFER, 1, 2, gl.GL_MAP_READ_BIT)
    assert mapped.outputs == {"result": b"at"}


@pytest.mark.parametrize(
    ("name", "args", "result"),
    [
        ("glGetUniformLocation", (99, "x"), -1),
        ("glGetAttribLocation", (99, "x"), -1),
        ("glGetUniformBlockIndex", (99, "x"), gl.GL_INVALID_INDEX),
        ("glClientWaitSync", (99, 0, 0), gl.GL_WAIT_FAILED),
        ("glCheckFramebufferStatus", (0,), 0),
        ("glGetString", (0,), None),
        ("glEnable", (0,), None),
    ],
)
def test_null_driver_results_of_failed_calls(name: str, args: tuple[Any, ...], result: int | None) -> None:
    call = Driver().call(name, *args)
    assert call.result == result
    assert call.flags & CallFlags.FAILED
    assert call.outputs == {}


def test_null_driver_without_context() -> None:
    call = Call(0, "glGetError", 9, 0, 0, ())
    NullDriver().execute(call)
    assert call.result == 0


def test_null_driver_limits_can_be_set() -> None:
    driver = Driver(gles_limits=Limits(max_texture_size=256, renderer="tiny"))
    assert "tiny" in str(driver.call("glGetString", gl.GL_RENDERER).result)
    assert struct.unpack("<i", driver.call("glGetIntegerv", gl.GL_MAX_TEXTURE_SIZE, None).outputs["data"]) == (256,)
    assert GLES_LIMITS.max_texture_size != 256


def test_null_driver_from_several_threads() -> None:
    driver = Driver()
    wrong: list[Any] = []

    def work(thread: int) -> None:
        driver.start(thread)
        for number in range(400):
            driver.call("glViewport", thread, number, 1, 1, thread=thread)
            box = driver.call("glGetIntegerv", gl.GL_VIEWPORT, None, thread=thread).outputs["data"]
            if struct.unpack("<4i", box) != (thread, number, 1, 1):
                wrong.append(box)

    threads = [threading.Thread(target=work, args=(number,)) for number in (2, 3, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
