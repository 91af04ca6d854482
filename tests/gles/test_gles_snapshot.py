"""State snapshots: a new tracker that executes one is in the state of the tracker that it was taken from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fuzz_scenes import SCENES
from gl_state import SKIPPED, differences, state_of

from replay.reflect import compile_shader, link_program, reflect
from traceformat.calls import Call, Offset
from traceformat.errors import ReplayError
from traceformat.gles import enums as gl
from traceformat.gles.backend import Backend
from traceformat.gles.objects import ProgramObject, Shader
from traceformat.gles.reflection import CompileResult, LinkResult
from traceformat.gles.snapshot import snapshot_calls
from traceformat.gles.state import Context
from traceformat.gles.tracker import Tracker

#: Fields of Context that a snapshot need not read, and why.
ELSEWHERE = {
    "program": "follows from the program in use, or the pipeline",
    "has_advanced_equation": "follows from the equations of the draw buffers",
    "current_queries": "queries know whether they are active",
    "skips_rendering": "follows from the condition",
}


class Reflecting(Backend):
    """Compiles shaders, draws nothing."""

    def compile_shader(self, context: Context, shader: Shader) -> CompileResult:
        return compile_shader(context, shader)

    def link_program(self, context: Context, program: ProgramObject) -> LinkResult:
        linked = link_program(program)
        return LinkResult(linked.ok, linked.log, reflect(linked), linked)


def restored(tracker: Tracker, backend: Backend) -> Tracker:
    """A new tracker in the state of another, by a snapshot."""
    copy = Tracker(backend, remap=True)
    for call in snapshot_calls(tracker):
        copy.execute(call)
        assert copy.failure is None, (call.name, call.args, copy.failure)
    return copy


def check(tracker: Tracker, backend: Backend | None = None) -> Tracker:
    copy = restored(tracker, backend or Reflecting())
    assert differences(state_of(tracker), state_of(copy)) == []
    return copy


@pytest.mark.parametrize("scene", ["es2", "es3", "gl33"])
def test_state_is_the_same_at_any_call(scene: str) -> None:
    tracker = Tracker(Reflecting(), remap=True)
    steps = list(SCENES[scene]())
    every = max(1, len(steps) // 12)
    for number, (name, args, outputs, result) in enumerate(steps):
        tracker.execute(Call(number, name, 1, 1, 0, args, dict(outputs or {}), result))
        if number % every == 0 and not any(c.transform_feedback.active for c in tracker.contexts.values()):
            check(tracker)


def test_every_piece_of_a_context_s_state_is_looked_at(
    session: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A field of Context that no snapshot reads is lost when a replay starts in the middle."""
    seen = set()

    def look(self: Context, name: str) -> Any:
        seen.add(name)
        return object.__getattribute__(self, name)

    trackers = [session().tracker, session(api=1, version=(3, 3)).tracker]
    monkeypatch.setattr(Context, "__getattribute__", look)
    for tracker in trackers:
        snapshot_calls(tracker)
    monkeypatch.undo()
    unseen = set(Context.__slots__) - seen - SKIPPED - ELSEWHERE.keys()
    assert unseen == set(), f"traceformat/gles/snapshot/state.py writes no {', '.join(sorted(unseen))}"


@pytest.mark.parametrize("scene", ["es3", "msaa"])
def test_what_was_drawn_is_the_same(scene: str) -> None:
    from replay.engine.engine import Engine
    from traceformat.gputrace.frametrace import ColumnSet, FrameRule

    def engine() -> Engine:
        return Engine(ColumnSet(()))

    tracker = Tracker(engine(), remap=True)
    steps = list(SCENES[scene]())
    middle = next(k for k, step in enumerate(steps) if step[0] == "traceSwap") + 1
    copy: Tracker | None = None
    for number, (name, args, outputs, result) in enumerate(steps):
        if number == middle:
            tracker.backend.end_frame(0, FrameRule.SWAP)  # type: ignore[attr-defined]
            copy = check(tracker, engine())
        for each in (tracker, copy):
            if each is not None:
                each.execute(Call(number, name, 1, 1, 0, args, dict(outputs or {}), result))
    assert copy is not None
    assert differences(state_of(tracker), state_of(copy)) == []
    pictures = [each.backend.end_frame(1, FrameRule.SWAP).picture for each in (tracker, copy)]  # type: ignore[attr-defined]
    assert pictures[0] is not None
    assert pictures[0].max() > 0
    assert (pictures[0] == pictures[1]).all()


def test_deleted_objects_that_are_still_held(session: Callable[..., Any]) -> None:
    """A vertex array keeps a deleted buffer, a framebuffer a deleted texture, whose names are others' by now."""
    es = session()
    buffer, array = es.gen("glGenBuffers"), es.gen("glGenVertexArrays")
    es.glBindVertexArray(array)
    es.glBindBuffer(gl.GL_ARRAY_BUFFER, buffer)
    es.glBufferData(gl.GL_ARRAY_BUFFER, 4, b"held", gl.GL_STATIC_DRAW)
    es.glVertexAttribPointer(2, 4, gl.GL_UNSIGNED_BYTE, 1, 0, Offset(0))
    es.glBindVertexArray(0)
    es.complete_framebuffer()
    texture = es.texture()
    es.glTexImage2D(gl.GL_TEXTURE_2D, 0, gl.GL_RGBA8, 4, 4, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
    es.glFramebufferTexture2D(gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, texture, 0)
    es.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
    es.glDeleteBuffers(1, buffer.to_bytes(4, "little"))
    es.glDeleteTextures(1, texture.to_bytes(4, "little"))
    assert es.gen("glGenBuffers") == buffer
    es.glBindBuffer(gl.GL_ARRAY_BUFFER, buffer)
    es.glBufferData(gl.GL_ARRAY_BUFFER, 3, b"new", gl.GL_STATIC_DRAW)
    copy = check(es.tracker)
    held = copy.contexts[1].vertex_arrays.get(array).attribs[2].buffer
    assert bytes(held.store) == b"held"
    assert held.deleted
    assert bytes(copy.contexts[1].buffers[gl.GL_ARRAY_BUFFER].store) == b"new"


def test_programs_whose_shaders_have_changed(session: Callable[..., Any]) -> None:
    """What a program was linked from counts, not what its shaders say now."""
    es = session()
    es.tracker.backend = Reflecting()
    program = es.glCreateProgram()
    vertex = es.glCreateShader(gl.GL_VERTEX_SHADER)
    fragment = es.glCreateShader(gl.GL_FRAGMENT_SHADER)
    es.glShaderSource(vertex, 1, ("attribute vec4 p; void main() { gl_Position = p; }",), None)
    es.glShaderSource(
        fragment, 1, ("precision highp float; uniform vec4 c[3]; void main() { gl_FragColor = c[1] + c[2]; }",), None
    )
    for shader in (vertex, fragment):
        es.glCompileShader(shader)
        es.glAttachShader(program, shader)
    es.glBindAttribLocation(program, 3, "p")
    es.glLinkProgram(program)
    es.glUseProgram(program)
    location = es.glGetUniformLocation(program, "c[1]")
    es.glUniform4f(location, 1.0, 2.0, 3.0, 4.0)
    es.glDetachShader(program, fragment)
    es.glDeleteShader(fragment)
    es.glShaderSource(vertex, 1, ("not compiled",), None)
    es.glBindAttribLocation(program, 5, "p")
    copy = check(es.tracker)
    executable = copy.contexts[1].program.executable
    assert executable.reflection.attributes[0].location == 3
    assert executable.locations[location][1] == 1


def test_several_contexts_threads_and_share_groups(session: Callable[..., Any]) -> None:
    es = session()
    es.traceContext(2, 0, 3, 0, 0, 8, 8, 8, 8, 24, 8, 0, 1)
    es.traceContext(3, 1, 3, 3, 1, 8, 8, 8, 8, 24, 8, 0, 0)
    es.traceContext(4, 1, 3, 3, 1, 8, 8, 8, 8, 24, 8, 0, 3)
    es.traceDrawable(2, 30, 20, 1)
    texture = es.texture()
    es.glTexStorage2D(gl.GL_TEXTURE_2D, 3, gl.GL_RGBA8, 8, 8)
    es.glObjectLabel(gl.GL_TEXTURE, texture, -1, "shared")
    es.glPushDebugGroup(gl.GL_DEBUG_SOURCE_APPLICATION, 7, -1, "frame")
    es.thread = 2
    es.traceMakeCurrent(2, 2, 2)
    es.glActiveTexture(gl.GL_TEXTURE3)
    es.glBindTexture(gl.GL_TEXTURE_2D, texture)
    es.glEnable(gl.GL_DEPTH_TEST)
    es.thread = 3
    es.traceMakeCurrent(3, 0, 0)
    es.glPolygonOffset(1.0, 2.0)
    es.traceDestroyContext(3)
    copy = check(es.tracker)
    assert copy.current[2].units[3].textures[gl.GL_TEXTURE_2D].label == "shared"
    assert copy.current[1].group is copy.current[2].group
    assert 3 not in copy.contexts
    assert copy.current[3].polygon_offset_units == 2.0


def test_mappings_queries_and_indexed_bindings(session: Callable[..., Any]) -> None:
    es = session()
    buffer, query = es.gen("glGenBuffers"), es.gen("glGenQueries")
    es.glBindBuffer(gl.GL_UNIFORM_BUFFER, buffer)
    es.glBufferData(gl.GL_UNIFORM_BUFFER, 1024, bytes(1024), gl.GL_DYNAMIC_DRAW)
    es.glBindBufferRange(gl.GL_UNIFORM_BUFFER, 2, buffer, 256, 512)
    es.glMapBufferRange(gl.GL_UNIFORM_BUFFER, 16, 32, gl.GL_MAP_WRITE_BIT | gl.GL_MAP_FLUSH_EXPLICIT_BIT)
    es.glBindBuffer(gl.GL_UNIFORM_BUFFER, 0)
    es.glBeginQuery(gl.GL_ANY_SAMPLES_PASSED, query)
    es.glEndQuery(gl.GL_ANY_SAMPLES_PASSED)
    es.context.queries.get(query).result = 1
    es.glEnable(gl.GL_BLEND)
    es.glPixelStorei(gl.GL_UNPACK_ROW_LENGTH, 7)
    copy = check(es.tracker)
    assert copy.num_mapped == 1
    assert copy.contexts[1].queries.get(query).result == 1


@pytest.mark.parametrize("count", [0, 3])
def test_conditional_rendering_goes_on(count: int) -> None:
    """In progress, or begun behind the snapshot with a query from before it."""
    from replay.engine.engine import Engine
    from traceformat.gputrace.frametrace import ColumnSet

    def execute(tracker: Tracker, name: str, *args: Any, outputs: dict[str, Any] | None = None) -> None:
        tracker.execute(Call(0, name, 1, 1, 0, args, outputs or {}, None))
        assert tracker.failure is None, (name, tracker.failure)

    backend = Engine(ColumnSet(()))
    tracker = Tracker(backend, remap=True)
    execute(tracker, "traceContext", 1, 1, 3, 3, 1, 8, 8, 8, 8, 24, 8, 0, 0)
    execute(tracker, "traceDrawable", 1, 8, 8, 0)
    execute(tracker, "traceMakeCurrent", 1, 1, 1)
    execute(tracker, "glGenQueries", 1, None, outputs={"ids": (1).to_bytes(4, "little")})
    execute(tracker, "glBeginQuery", gl.GL_SAMPLES_PASSED, 1)
    tracker.contexts[1].queries.get(1).backing = count
    execute(tracker, "glEndQuery", gl.GL_SAMPLES_PASSED)
    after = check(tracker, Engine(ColumnSet(())))
    for each in (tracker, after):
        execute(each, "glBeginConditionalRender", 1, gl.GL_QUERY_WAIT)
        assert each.contexts[1].skips_rendering == (count == 0)
    copy = check(tracker, Engine(ColumnSet(())))
    execute(copy, "glEndConditionalRender")
    assert not copy.contexts[1].skips_rendering


def test_a_condition_that_is_gone_is_refused(session: Callable[..., Any]) -> None:
    desktop = session(api=1, version=(3, 3))
    query = desktop.gen("glGenQueries")
    desktop.glBeginQuery(gl.GL_SAMPLES_PASSED, query)
    desktop.glEndQuery(gl.GL_SAMPLES_PASSED)
    desktop.glBeginConditionalRender(query, gl.GL_QUERY_WAIT)
    desktop.glDeleteQueries(1, query.to_bytes(4, "little"))
    with pytest.raises(ReplayError, match="conditional rendering"):
        snapshot_calls(desktop.tracker)


def test_transform_feedback_in_progress_is_refused(session: Callable[..., Any]) -> None:
    es = session()
    es.context.transform_feedback.active = True
    with pytest.raises(ReplayError, match="transform feedback is active"):
        snapshot_calls(es.tracker)


def test_damaged_contents_are_refused() -> None:
    from replay.engine.engine import Engine
    from traceformat.gputrace.frametrace import ColumnSet

    tracker = Tracker(Engine(ColumnSet(())), remap=True)
    bits = (8, 8, 8, 8, 24, 8, 0)
    calls = [
        ("traceContext", (1, 0, 3, 0, 0, *bits, 0)),
        ("traceDrawable", (1, 8, 8, 0)),
        ("traceMakeCurrent", (1, 1, 1)),
    ]
    for number, (name, args) in enumerate(calls):
        tracker.execute(Call(number, name, 1, 1, 0, args))
    for args in (
        (gl.GL_COLOR, 1, 0, 0, bytes(5)),
        (gl.GL_COLOR, 2, 0, 0, bytes(256)),
        (gl.GL_TEXTURE_2D, 9, 0, 0, bytes(4)),
        (gl.GL_RENDERBUFFER, 9, 0, 0, bytes(4)),
        (gl.GL_QUERY, 9, 0, 0, bytes(8)),
        (gl.GL_COLOR, 1, 0, 0, None),
    ):
        with pytest.raises(ReplayError):
            tracker.execute(Call(9, "traceContents", 1, 1, 0, args))
    tracker.execute(Call(9, "traceContents", 1, 1, 0, (gl.GL_COLOR, 1, 0, 0, bytes(range(256)))))
    assert tracker.backend.image_contents(tracker.drawables[1].color) == bytes(range(256))
