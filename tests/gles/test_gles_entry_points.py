"""Every entry point is handled, or refused by its name; what has pixels reaches an engine that has it."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from replay.engine.engine import Engine
from replay.engine.waiting import LEAVES_WAITING
from traceformat.errors import UnsupportedCallError
from traceformat.gles import enums as gl
from traceformat.gles.backend import Backend
from traceformat.gles.dispatch import find_entry, only_asks
from traceformat.gles.entry_points import COMMANDS, Command
from traceformat.gles.limits import DESKTOP_LIMITS, GLES_LIMITS

#: What an engine has nothing to do for, and why.
PASSIVE = {
    "make_current": "calls name their context",
    "end_query": "results are counted as draws finish",
    "end_transform_feedback": "captured primitives are in their buffers",
    "validate_program": "a program that links can be drawn with",
    "frame": "the player ends frames",
}
#: EXT_texture_storage has the first only beside EXT_direct_state_access; the others have no counterpart in GLES.
REFUSED_OF_EXTENSIONS = {
    *("glTextureStorage1DEXT", "glTextureStorage2DEXT", "glTextureStorage3DEXT"),
    *("glFramebufferTexture1D", "glMultiDrawElementsBaseVertex"),
}
GL_COMMANDS = [COMMANDS[name] for name in COMMANDS if name.startswith("gl") and not name.startswith("glX")]


def _since(command: Command, api: str, version: tuple[int, int]) -> bool:
    return command.versions.get(api, (99, 0)) <= version


def test_gles_2_and_3_are_handled() -> None:
    wanted = [c.name for c in GL_COMMANDS if _since(c, "gles2", (3, 0))]
    assert len(wanted) == 246  # 142 of ES 2.0, 104 of ES 3.0
    assert [name for name in wanted if find_entry(name) is None] == []


def test_gles_3_2_is_handled() -> None:
    assert [c.name for c in GL_COMMANDS if _since(c, "gles2", (3, 2)) and find_entry(c.name) is None] == []


@pytest.mark.parametrize("limits", [GLES_LIMITS, DESKTOP_LIMITS], ids=["gles", "desktop"])
def test_advertised_extensions_are_handled(limits: Any) -> None:
    """An extension that the device names has all of its entry points."""
    found = [c.name for c in GL_COMMANDS if set(c.extensions) & set(limits.extensions)]
    assert {name for name in found if find_entry(name) is None} <= REFUSED_OF_EXTENSIONS


def test_trace_commands_are_handled() -> None:
    assert [name for name in COMMANDS if name.startswith("trace") and find_entry(name) is None] == []


def test_all_others_are_refused_by_name(es: Any, desktop: Any) -> None:
    """No entry point is dropped silently, in whatever context it is called."""
    others = [c for c in GL_COMMANDS if find_entry(c.name) is None]
    assert len(others) > 1000
    for session in (es, desktop):
        for command in others:
            with pytest.raises(UnsupportedCallError, match=rf"\b{command.name}\b"):
                session.call(command.name, *[0] * len(command.params))


def test_the_engine_does_what_the_tracker_hands_on() -> None:
    """Every method of a backend that has pixels is the engine's own."""
    methods = {name for name, _ in inspect.getmembers(Backend, inspect.isfunction) if not name.startswith("_")}
    inherited = {name for name in methods if getattr(Engine, name) is getattr(Backend, name)}
    assert inherited <= PASSIVE.keys(), inherited


def test_draws_are_finished_before_what_may_not_overtake_them() -> None:
    """Every call of the engine has waiting draws executed first, but for those that are listed with their reason."""

    class Finished(Exception):
        pass

    class Counting(Engine):
        def finish_draws(self) -> None:
            raise Finished

    engine = Counting.__new__(Counting)
    methods = {name for name, value in vars(Backend).items() if callable(value) and not name.startswith("_")}
    assert LEAVES_WAITING.keys() <= methods
    assert not LEAVES_WAITING.keys() & PASSIVE.keys()
    for name in methods - LEAVES_WAITING.keys() - PASSIVE.keys():
        with pytest.raises(Finished):
            getattr(engine, name)()


def test_what_only_asks_is_passed_over_where_a_trace_has_the_answer(session: Any) -> None:
    """Drivers answer queries that the tracker does not know; a replay has no use for them."""
    unknown = [c for c in GL_COMMANDS if c.name.startswith(("glGet", "glIs")) and find_entry(c.name) is None]
    passed = [c.name for c in unknown if only_asks(c.name)]
    assert {"glGetInternalformati64v", "glGetFloati_v", "glGetVertexArrayiv"} <= set(passed)
    assert not [name for name in passed if "Tex" in name or "BufferObject" in name]
    replaying = session(remap=True)
    for command in unknown:
        arguments = [None if "*" in param.c_type else 0 for param in command.params]
        if only_asks(command.name):
            replaying.call(command.name, *arguments)
        else:
            with pytest.raises(UnsupportedCallError, match=rf"\b{command.name}\b"):
                replaying.call(command.name, *arguments)


def test_hints_and_invalidations_of_today_are_taken(es: Any, desktop: Any) -> None:
    es.call("glMaxShaderCompilerThreadsKHR", 0xFFFFFFFF)
    assert es.call("glGetError") == gl.GL_NO_ERROR
    buffer = desktop.gen("glGenBuffers")
    desktop.call("glBindBuffer", gl.GL_ARRAY_BUFFER, buffer)
    desktop.call("glBufferData", gl.GL_ARRAY_BUFFER, 16, None, gl.GL_STATIC_DRAW)
    for call, error in (
        (("glInvalidateBufferSubData", buffer, 4, 12), gl.GL_NO_ERROR),
        (("glInvalidateBufferSubData", buffer, 4, 13), gl.GL_INVALID_VALUE),
        (("glInvalidateBufferSubData", 9, 0, 0), gl.GL_INVALID_VALUE),
        (("glInvalidateTexImage", 9, 0), gl.GL_INVALID_VALUE),
    ):
        desktop.call(*call)
        assert desktop.call("glGetError") == error, call
    texture = desktop.texture()
    desktop.call("glInvalidateTexImage", texture, 0)
    desktop.call("glInvalidateTexSubImage", texture, 0, 0, 0, 0, 1, 1, 1)
    assert desktop.call("glGetError") == gl.GL_NO_ERROR
