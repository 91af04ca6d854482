"""Calls with arguments that no program would pass end in a GL error or a ToolError, whatever the state is."""

# ruff: noqa: SIM905 - lists of names read best as text
from __future__ import annotations

import random
import struct
from typing import Any

import pytest

from traceformat.calls import Call, Offset
from traceformat.errors import ToolError
from traceformat.gles import dispatch, enums
from traceformat.gles.entry_points import COMMANDS, Direction, Param, ParamKind

_ENUMS = sorted({value for name, value in vars(enums).items() if name.startswith("GL_") and isinstance(value, int)})
_COMMON = [
    enums.GL_TEXTURE_2D, enums.GL_TEXTURE_3D, enums.GL_TEXTURE_CUBE_MAP_POSITIVE_X, enums.GL_ARRAY_BUFFER,
    enums.GL_ELEMENT_ARRAY_BUFFER, enums.GL_UNIFORM_BUFFER, enums.GL_PIXEL_UNPACK_BUFFER, enums.GL_PIXEL_PACK_BUFFER,
    enums.GL_FRAMEBUFFER, enums.GL_RENDERBUFFER, enums.GL_COLOR_ATTACHMENT0, enums.GL_DEPTH_ATTACHMENT, enums.GL_RGBA,
    enums.GL_RGBA8, enums.GL_UNSIGNED_BYTE, enums.GL_FLOAT, enums.GL_RGBA_INTEGER, enums.GL_R32UI, enums.GL_TRIANGLES,
    enums.GL_UNSIGNED_SHORT, enums.GL_STATIC_DRAW, enums.GL_NEAREST, enums.GL_COLOR, enums.GL_VERTEX_SHADER,
    enums.GL_DEPTH24_STENCIL8, enums.GL_DEPTH_STENCIL, enums.GL_UNSIGNED_INT_24_8, enums.GL_COLOR_BUFFER_BIT,
    enums.GL_COMPRESSED_RGB8_ETC2, enums.GL_FRAGMENT_SHADER, enums.GL_TEXTURE0, enums.GL_TRANSFORM_FEEDBACK,
]  # fmt: skip
_INTEGERS = [0, 0, 1, 1, 2, 3, 4, 8, 16, 64, -1, -5, 0x7FFFFFFF, -0x80000000, 1 << 20]
_FLOATS = [0.0, 1.0, -1.0, 0.5, 1e30, float("inf"), float("-inf"), float("nan")]


def _value(rng: random.Random, param: Param) -> Any:
    if param.direction is Direction.OUT:
        return None
    # Readers decode numbers by the table of entry points; only content can be of the wrong kind.
    if rng.random() < 0.03 and param.kind in (ParamKind.DATA, ParamKind.STRING, ParamKind.STRINGS):
        return rng.choice([None, "text", b"bytes", Offset(4), ("a", "b")])
    if param.kind in (ParamKind.ENUM, ParamKind.BITFIELD):
        return rng.choice(_COMMON) if rng.random() < 0.7 else rng.choice(_ENUMS)
    if param.kind is ParamKind.BOOLEAN:
        return rng.choice([0, 1])
    if param.kind in (ParamKind.INTEGER, ParamKind.HANDLE):
        unsigned = param.c_type.startswith("GLu")
        return abs(rng.choice(_INTEGERS)) if unsigned else rng.choice(_INTEGERS)
    if param.kind in (ParamKind.FLOAT, ParamKind.DOUBLE):
        return rng.choice(_FLOATS)
    if param.kind is ParamKind.STRING:
        return rng.choice(["", "a[0]", "a[999999999999]", "gl_Position", "x" * 5000])
    if param.kind is ParamKind.STRINGS:
        return rng.choice([(), ("void main() {}",), ("a", "b")])
    if param.kind is ParamKind.DATA:
        words = struct.pack("<8I", *(rng.choice([0, 1, 2, 3, rng.choice(_COMMON)]) for _ in range(8)))
        return rng.choice([None, b"", words, words * 16, Offset(0), Offset(4), Offset(1 << 33), Offset(-8)])
    return None


def _names() -> list[str]:
    return sorted(name for name in dispatch._HANDLERS if name in COMMANDS and name not in _LEAVING)


_LEAVING = ("traceMakeCurrent", "traceDestroyContext", "traceContext")
_BUSY = """
glBindBuffer glBufferData glBindTexture glTexImage2D glTexStorage2D glBindFramebuffer glBindRenderbuffer glReadPixels
glRenderbufferStorage glFramebufferTexture2D glFramebufferRenderbuffer glMapBufferRange glLinkProgram glUseProgram
glAttachShader glCreateShader glCreateProgram glBindVertexArray glDrawArrays glDrawElements glCompileShader
""".split()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("api", [0, 1])
def test_random_arguments(session: Any, seed: int, api: int) -> None:
    rng = random.Random(f"{api}.{seed}")
    es = session(api=api, version=(3, 3) if api else (3, 0))
    names = _names()
    failures = 0
    for number in range(1500):
        name = rng.choice(_BUSY) if rng.random() < 0.3 else rng.choice(names)
        args = tuple(_value(rng, param) for param in COMMANDS[name].params)
        call = Call(number, name, 1, 1, 0, args)
        try:
            result = es.tracker.execute(call)
        except ToolError:
            continue
        failures += es.tracker.failure is not None
        assert result is None or isinstance(result, (int, str))
        assert all(isinstance(output, bytes) for output in es.tracker.outputs.values())
        if es.tracker.failure is not None:
            assert es.tracker.outputs == {}
    assert failures > 500


def test_wrong_number_of_arguments_is_a_bad_trace(es: Any) -> None:
    with pytest.raises(ToolError, match=r"glViewport: 3 arguments, expected 4"):
        es.glViewport(0, 0, 1)


def test_wrong_type_of_argument_is_a_bad_trace(es: Any) -> None:
    with pytest.raises(ToolError, match=r"glViewport: argument width is of type str"):
        es.glViewport(0, 0, "wide", 1)


def test_an_exception_of_ours_is_not_blamed_on_the_trace(es: Any) -> None:
    es.backend.clear = lambda *_: [][0]
    with pytest.raises(IndexError):
        es.glClear(enums.GL_COLOR_BUFFER_BIT)


def test_unknown_entry_points_are_named(es: Any) -> None:
    with pytest.raises(ToolError, match=r"call \d+: glTextureView is not supported"):
        es.glTextureView(1, enums.GL_TEXTURE_2D, 2, enums.GL_RGBA8, 0, 1, 0, 1)
