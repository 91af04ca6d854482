"""The table of entry points says what the specifications say, and the size rules what programs must provide."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traceformat.gles import commands_table, enums_table, generate
from traceformat.gles import enums as gl
from traceformat.gles.entry_points import COMMANDS, Direction, ParamKind, canonical_name
from traceformat.gles.enum_names import bitfield_names, enum_name
from traceformat.gles.sizes import Extent, client_pixel_bytes, image_bytes, input_bytes, output_bytes

DEFAULTS = {gl.GL_UNPACK_ALIGNMENT: 4, gl.GL_PACK_ALIGNMENT: 4}


def lookup(**state):
    values = DEFAULTS | {getattr(gl, name): value for name, value in state.items()}
    return lambda name: values.get(name, 0)


def size(name, param, *args, output=False, **state):
    command = COMMANDS[name]
    rule = output_bytes if output else input_bytes
    return rule(command, command.index(param), args, lookup(**state))


@pytest.mark.parametrize(("version", "count"), [((2, 0), 142), ((3, 0), 246), ((3, 1), 314), ((3, 2), 358)])
def test_gles_versions_are_complete(version, count):
    """Numbers of commands of the GLES registry, facts/capture.md B5."""
    assert sum(command.versions.get("gles2", (9, 9)) <= version for command in COMMANDS.values()) == count


def test_parameters_are_classified():
    image = COMMANDS["glTexImage2D"]
    assert [param.kind for param in image.params] == [
        *(ParamKind.ENUM, ParamKind.INTEGER, ParamKind.INTEGER, ParamKind.INTEGER, ParamKind.INTEGER),
        *(ParamKind.INTEGER, ParamKind.ENUM, ParamKind.ENUM, ParamKind.DATA),
    ]
    assert image.params[0].group == "TextureTarget"
    assert image.params[8].element == "void"
    assert COMMANDS["glGenTextures"].params[1].direction is Direction.OUT
    assert COMMANDS["glGenTextures"].params[1].object_class == "texture"
    assert COMMANDS["glShaderSource"].params[2].kind is ParamKind.STRINGS
    assert COMMANDS["glFenceSync"].result.kind is ParamKind.HANDLE
    assert COMMANDS["glGetString"].result.kind is ParamKind.STRING
    assert COMMANDS["glGetError"].result.group == "ErrorCode"
    assert COMMANDS["glBegin"].compatibility_only
    assert not COMMANDS["glDrawArrays"].compatibility_only


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("glBindVertexArrayOES", "glBindVertexArray"),
        ("glMapBufferRangeEXT", "glMapBufferRange"),
        ("glPushDebugGroupKHR", "glPushDebugGroup"),
        ("glDrawArraysInstancedANGLE", "glDrawArraysInstanced"),
        ("glVertexAttribDivisorEXT", "glVertexAttribDivisor"),
        ("glDrawBuffersEXT", "glDrawBuffers"),
        ("glTexStorage2DEXT", "glTexStorage2D"),
        ("glBufferDataARB", "glBufferData"),
        ("glDrawArrays", "glDrawArrays"),
        ("glUnheardOf", "glUnheardOf"),
    ],
)
def test_aliases(alias, name):
    assert canonical_name(alias) == name


def test_every_command_parses_and_aliases_agree():
    for name in COMMANDS:
        command = COMMANDS[name]
        assert command.name == name
        if command.alias:
            other = COMMANDS[canonical_name(name)]
            assert len(other.params) == len(command.params), name
            assert not command.versions


@pytest.mark.parametrize(
    "name", ["traceContext", "traceMakeCurrent", "glPushGroupMarkerEXT", "glDiscardFramebufferEXT"]
)
def test_needed_commands_are_there(name):
    assert name in COMMANDS


def test_window_system_commands_are_there():
    for name in ("eglSwapBuffersWithDamageKHR", "eglGetProcAddress", "glXSwapBuffers", "glXCreateContextAttribsARB"):
        assert name in COMMANDS


def test_enum_names():
    assert enum_name(0x0DE1, "TextureTarget") == "GL_TEXTURE_2D"
    assert enum_name(4, "PrimitiveType") == "GL_TRIANGLES"
    assert enum_name(4) is None
    assert enum_name(0x8892, "") == "GL_ARRAY_BUFFER"
    assert bitfield_names(0x4500, "ClearBufferMask") == "GL_DEPTH_BUFFER_BIT|GL_STENCIL_BUFFER_BIT|GL_COLOR_BUFFER_BIT"
    assert bitfield_names(0, "ClearBufferMask") == "0"
    assert gl.GL_RGBA8 == 0x8058
    with pytest.raises(AttributeError, match="GL_RGBA9"):
        _ = gl.GL_RGBA9


def test_generated_files_are_what_the_generator_writes(tmp_path):
    spec = importlib.util.find_spec("glad")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("the registry (PyPI package glad2) is not installed")
    generate.generate(Path(spec.submodule_search_locations[0]) / "files", tmp_path)
    for module in (commands_table, enums_table):
        path = Path(str(module.__file__))
        assert (tmp_path / path.name).read_text() == path.read_text()


IMAGE = (gl.GL_TEXTURE_2D, 0, gl.GL_RGB)


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ({}, 3 * 2 + 8),  # rows of 6 bytes padded to 8, the last one not
        ({"GL_UNPACK_ALIGNMENT": 1}, 12),
        ({"GL_UNPACK_ROW_LENGTH": 10}, 32 + 6),
        ({"GL_UNPACK_SKIP_ROWS": 2, "GL_UNPACK_SKIP_PIXELS": 1}, 2 * 8 + 3 + 8 + 6),
        ({"GL_PIXEL_UNPACK_BUFFER_BINDING": 7}, Extent.OFFSET),
        ({"GL_UNPACK_SKIP_IMAGES": 5, "GL_UNPACK_IMAGE_HEIGHT": 9}, 14),
    ],
)
def test_images(state, expected):
    assert size("glTexImage2D", "pixels", *IMAGE, 2, 2, 0, gl.GL_RGB, gl.GL_UNSIGNED_BYTE, None, **state) == expected


def test_images_of_three_dimensions():
    args = (gl.GL_TEXTURE_3D, 0, 0, 0, 0, 3, 2, 4, gl.GL_RGBA, gl.GL_UNSIGNED_SHORT_4_4_4_4, None)
    assert size("glTexSubImage3D", "pixels", *args) == 3 * 16 + 8 + 6
    state = {"GL_UNPACK_IMAGE_HEIGHT": 5, "GL_UNPACK_SKIP_IMAGES": 1}
    assert size("glTexSubImage3D", "pixels", *args, **state) == 40 + 3 * 40 + 8 + 6
    assert size("glTexSubImage3DOES", "pixels", *args, **state) == 40 + 3 * 40 + 8 + 6


@given(
    st.integers(-1, 9), st.integers(-1, 9), st.integers(0, 4), st.sampled_from([1, 2, 4, 8]), st.integers(0, 3),
    st.integers(0, 3), st.sampled_from([gl.GL_RED, gl.GL_RG, gl.GL_RGB, gl.GL_RGBA]),
    st.sampled_from([gl.GL_UNSIGNED_BYTE, gl.GL_UNSIGNED_SHORT, gl.GL_FLOAT]),
)  # fmt: skip
def test_images_end_with_their_last_pixel(width, height, extra, alignment, skip_rows, skip_pixels, form, kind):
    """The size is the highest byte that a naive walk over all pixels touches."""
    state = {
        "GL_PACK_ALIGNMENT": alignment,
        "GL_PACK_ROW_LENGTH": width + extra if extra and width > 0 else 0,
        "GL_PACK_SKIP_ROWS": skip_rows,
        "GL_PACK_SKIP_PIXELS": skip_pixels,
    }
    row = (state["GL_PACK_ROW_LENGTH"] or width) * client_pixel_bytes(form, kind)
    while row % alignment:
        row += 1
    touched = 0
    for y in range(height):
        for x in range(width):
            touched = max(touched, (y + skip_rows) * row + (x + skip_pixels + 1) * client_pixel_bytes(form, kind))
    assert image_bytes((width, height), form, kind, lookup(**state), pack=True) == touched


@pytest.mark.parametrize(
    ("name", "param", "args", "expected"),
    [
        ("glUniform3fv", "value", (1, 5, None), 60),
        ("glUniformMatrix4fv", "value", (1, 2, 0, None), 128),
        ("glBufferData", "data", (0x8892, 100, None, 0x88E4), 100),
        ("glBufferData", "data", (0x8892, -1, None, 0x88E4), 0),
        ("glDeleteTextures", "textures", (3, None), 12),
        ("glDrawElements", "indices", (4, 6, gl.GL_UNSIGNED_SHORT, None), 12),
        ("glDrawRangeElements", "indices", (4, 0, 9, 6, gl.GL_UNSIGNED_INT, None), 24),
        ("glTexParameterfv", "params", (0x0DE1, gl.GL_TEXTURE_BORDER_COLOR, None), 16),
        ("glTexParameteriv", "params", (0x0DE1, gl.GL_TEXTURE_WRAP_S, None), 4),
        ("glClearBufferfv", "value", (gl.GL_COLOR, 0, None), 16),
        ("glClearBufferfv", "value", (gl.GL_DEPTH, 0, None), 4),
        ("glCompressedTexImage2D", "data", (0x0DE1, 0, 1, 8, 8, 0, 64, None), 64),
        ("glVertexAttribPointer", "pointer", (0, 4, gl.GL_FLOAT, 0, 0, None), Extent.CLIENT_ARRAY),
        ("glBindAttribLocation", "name", (1, 0, None), Extent.TEXT),
        ("glPushDebugGroup", "message", (0, 0, -1, None), Extent.TEXT),
        ("glPushDebugGroupKHR", "message", (0, 0, 5, None), 5),
        ("glPushDebugGroup", "message", (0, 0, 0, None), 0),
        ("glPushGroupMarkerEXT", "marker", (0, None), Extent.TEXT),
        ("glPushGroupMarkerEXT", "marker", (5, None), 5),
        ("glDrawArraysIndirect", "indirect", (4, None), 16),
        ("glDrawBuffers", "bufs", (2, None), 8),
        ("glDebugMessageCallback", "userParam", (None, None), Extent.IGNORED),
    ],
)
def test_inputs(name, param, args, expected):
    assert size(name, param, *args) == expected


@pytest.mark.parametrize(
    ("name", "param", "args", "expected"),
    [
        ("glGenTextures", "textures", (3, None), 12),
        ("glGetIntegerv", "data", (gl.GL_VIEWPORT, None), 16),
        ("glGetIntegerv", "data", (gl.GL_MAX_TEXTURE_SIZE, None), 4),
        ("glGetFloatv", "data", (gl.GL_DEPTH_RANGE, None), 8),
        ("glGetBooleanv", "data", (gl.GL_COLOR_WRITEMASK, None), 4),
        ("glGetIntegerv", "data", (gl.GL_COMPRESSED_TEXTURE_FORMATS, None), 20),
        ("glReadPixels", "pixels", (0, 0, 3, 2, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None), 24),
        ("glGetShaderInfoLog", "infoLog", (1, 100, None, None), 100),
        ("glGetShaderInfoLog", "length", (1, 100, None, None), 4),
        ("glGetUniformfv", "params", (1, 2, None), Extent.BY_OBJECT),
        ("glGetVertexAttribfv", "params", (0, gl.GL_CURRENT_VERTEX_ATTRIB, None), 16),
        ("glGetVertexAttribiv", "params", (0, gl.GL_VERTEX_ATTRIB_ARRAY_SIZE, None), 4),
        ("glGetBufferSubData", "data", (0x8892, 0, 33, None), 33),
        ("glGetActiveUniformsiv", "params", (1, 7, None, 0x8A37, None), 28),
        ("glGetInteger64v", "data", (gl.GL_MAX_ELEMENT_INDEX, None), 8),
    ],
)
def test_outputs(name, param, args, expected):
    assert size(name, param, *args, output=True, GL_NUM_COMPRESSED_TEXTURE_FORMATS=5) == expected


def test_bound_buffers_make_offsets():
    elements = (4, 6, gl.GL_UNSIGNED_SHORT, 12)
    assert size("glDrawElements", "indices", *elements, GL_ELEMENT_ARRAY_BUFFER_BINDING=3) is Extent.OFFSET
    pointer = (0, 4, gl.GL_FLOAT, 0, 0, 0)
    assert size("glVertexAttribPointer", "pointer", *pointer, GL_ARRAY_BUFFER_BINDING=1) is Extent.OFFSET
    pixels = (0, 0, 3, 2, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, 0)
    assert size("glReadPixels", "pixels", *pixels, GL_PIXEL_PACK_BUFFER_BINDING=1) is Extent.OFFSET


def test_every_gles_pointer_has_a_size():
    """No rule fails, and only what really depends on objects is left to them."""
    by_object = set()
    for name, command in COMMANDS.items():
        if "gles2" not in command.versions:
            continue
        for position, param in enumerate(command.params):
            if param.is_pointer:
                extent = input_bytes(command, position, [2] * len(command.params), lookup())
                assert isinstance(extent, (int, Extent))
                if extent is Extent.BY_OBJECT:
                    by_object.add(name)
    assert by_object == {"glGetUniformfv", "glGetUniformiv", "glGetUniformuiv"}
