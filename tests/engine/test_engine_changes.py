"""What draws keep of the state from one to the next: never more than what is still so."""

import contextlib

import numpy as np
import pytest
from gl_program import COLOR_VS, H, Program, W, triangles

from replay.engine import batch, draws, targets
from traceformat.calls import Offset
from traceformat.gles import enums as gl
from traceformat.gles.state import Changes
from traceformat.gputrace.frametrace import MODEL_COLUMNS

TEXTURED = """precision highp float; varying vec4 v; uniform sampler2D t; uniform vec4 tint;
void main() { gl_FragColor = texture2D(t, v.xy * 3.0) * tint + v * 0.2; }"""
PLAIN = "precision highp float; varying vec4 v; uniform float far; void main() { gl_FragColor = v * far; }"
FLOATS = np.random.default_rng(5).random((64, 8), np.float32)

#: Calls of all families between draws; ``{}`` stands for a number that is rolled.
CALLS = [
    *[("glEnable", cap) for cap in (gl.GL_DEPTH_TEST, gl.GL_BLEND, gl.GL_CULL_FACE, gl.GL_SCISSOR_TEST)],
    *[("glDisable", cap) for cap in (gl.GL_DEPTH_TEST, gl.GL_BLEND, gl.GL_CULL_FACE, gl.GL_SCISSOR_TEST)],
    ("glEnable", gl.GL_STENCIL_TEST),
    ("glDisable", gl.GL_STENCIL_TEST),
    ("glStencilFunc", gl.GL_GEQUAL, "{}", 255),
    ("glStencilOp", gl.GL_INCR, gl.GL_INVERT, gl.GL_DECR_WRAP),
    ("glDepthFunc", gl.GL_ALWAYS),
    ("glDepthFunc", gl.GL_LESS),
    ("glDepthMask", "{}"),
    ("glDepthRangef", 0.25, 0.75),
    ("glBlendFunc", gl.GL_SRC_ALPHA, gl.GL_ONE),
    ("glBlendEquation", gl.GL_FUNC_REVERSE_SUBTRACT),
    ("glBlendColor", 0.1, 0.2, 0.3, 0.4),
    ("glColorMask", 1, "{}", 1, "{}"),
    ("glViewport", "{}", "{}", W, H),
    ("glScissor", "{}", "{}", 20, 20),
    ("glCullFace", gl.GL_FRONT),
    ("glFrontFace", gl.GL_CW),
    ("glPolygonOffset", 1.0, 3.0),
    ("glLineWidth", 3.0),
    ("glUseProgram", 1),
    ("glUseProgram", 2),
    ("glBindTexture", gl.GL_TEXTURE_2D, 1),
    ("glBindTexture", gl.GL_TEXTURE_2D, 2),
    ("glBindTexture", gl.GL_TEXTURE_2D, 3),
    ("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MAG_FILTER, gl.GL_NEAREST),
    ("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_WRAP_S, gl.GL_CLAMP_TO_EDGE),
    ("glTexSubImage2D", gl.GL_TEXTURE_2D, 0, 1, 1, 2, 2, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, bytes(range(16))),
    ("glTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 4, 4, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, bytes(range(64))),
    ("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_BASE_LEVEL, "{}"),
    ("glGenerateMipmap", gl.GL_TEXTURE_2D),
    ("glCopyTexSubImage2D", gl.GL_TEXTURE_2D, 0, 0, 0, "{}", 0, 4, 4),
    ("glCopyTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 3, 2, 8, 8, 0),
    ("glReadPixels", 0, 0, 2, 2, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, Offset(80)),
    ("glBindSampler", 0, 1),
    ("glBindSampler", 0, 0),
    ("glSamplerParameteri", 1, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST),
    ("glVertexAttrib4f", 1, "{}", "{}", 0.5, 1.0),
    ("glVertexAttrib4f", 1, 0.9, "{}", "{}", 1.0),
    ("glDisableVertexAttribArray", 1),
    ("glEnableVertexAttribArray", 1),
    ("glVertexAttribDivisor", 1, "{}"),
    ("glBindVertexArray", "{}"),
    ("glBindVertexArray", "{}"),
    ("glBindVertexArray", 1),
    ("glBufferSubData", gl.GL_ARRAY_BUFFER, 32, 64, FLOATS[:2].tobytes()),
    ("glBufferData", gl.GL_ARRAY_BUFFER, FLOATS.nbytes, FLOATS.tobytes(), gl.GL_STATIC_DRAW),
    ("glCopyBufferSubData", gl.GL_COPY_READ_BUFFER, gl.GL_ARRAY_BUFFER, 0, 96, 640),
    ("glBufferSubData", gl.GL_ELEMENT_ARRAY_BUFFER, 0, 6, bytes([9, 0, 40, 0, 3, 0])),
    ("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0),
    ("glBindFramebuffer", gl.GL_FRAMEBUFFER, 1),
    ("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, 3, 0),
    ("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, 1, 0),
    ("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, 4, 0),
    ("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, 4, 1),
    ("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, 5, 0),
    ("glFramebufferRenderbuffer", gl.GL_FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, gl.GL_RENDERBUFFER, "{}"),
    ("glRenderbufferStorage", gl.GL_RENDERBUFFER, gl.GL_DEPTH_COMPONENT16, 32, 32),
    ("glRenderbufferStorage", gl.GL_RENDERBUFFER, gl.GL_DEPTH24_STENCIL8, 40, 32),
    ("glClear", gl.GL_COLOR_BUFFER_BIT),
    ("glFlush",),
    ("glFinish",),
    ("glGetError",),
    ("glCheckFramebufferStatus", gl.GL_FRAMEBUFFER),
    ("glObjectLabel", gl.GL_BUFFER, 1, 3, "box"),
    ("glPushGroupMarkerEXT", 0, "group"),
    ("glPopGroupMarkerEXT",),
]


def play(seed, threads=1):
    """Random changes between draws: frames."""
    rng = np.random.default_rng(seed)
    p = Program(MODEL_COLUMNS, threads=threads)
    names = [p.program(COLOR_VS, source, p=0, c=1) for source in (TEXTURED, PLAIN)]
    assert len(set(names)) == 2
    p.buffer(triangles(rng, 20))
    p.attribute(0, 4, 32, 0)
    p.attribute(1, 4, 32, 16)
    for name in (1, 2):
        p.texture(rng.integers(0, 256, (8 * name, 8, 4)), name=name, mipmaps=True)
    p("glBindTexture", gl.GL_TEXTURE_2D, 3)
    p("glTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 32, 32, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
    p("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, gl.GL_LINEAR)
    # Targets: one of the kind of another, and one of another kind.
    for name, inner in ((4, gl.GL_RGBA), (5, gl.GL_RGB)):
        p("glBindTexture", gl.GL_TEXTURE_2D, name)
        p("glTexImage2D", gl.GL_TEXTURE_2D, 0, inner, 32, 32, 0, inner, gl.GL_UNSIGNED_BYTE, None)
        p("glGenerateMipmap", gl.GL_TEXTURE_2D)
    p("glBindRenderbuffer", gl.GL_RENDERBUFFER, 1)
    p("glRenderbufferStorage", gl.GL_RENDERBUFFER, gl.GL_DEPTH_COMPONENT16, 32, 32)
    p("glBindTexture", gl.GL_TEXTURE_2D, 3)
    p("glBindBuffer", gl.GL_PIXEL_PACK_BUFFER, 1)
    p("glGenSamplers", 1, None)
    p("glGenQueries", 1, None)
    p("glBindFramebuffer", gl.GL_FRAMEBUFFER, 1)
    p("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, 3, 0)
    p("glUseProgram", names[0])
    p("glBindBuffer", gl.GL_COPY_READ_BUFFER, 2)
    p("glBufferData", gl.GL_COPY_READ_BUFFER, 640, triangles(rng, 7)[:160].astype(np.float32).tobytes()[:640], 0x88E4)
    p("glBindBuffer", gl.GL_ELEMENT_ARRAY_BUFFER, 3)
    p("glBufferData", gl.GL_ELEMENT_ARRAY_BUFFER, 96, rng.integers(0, 60, 48).astype(np.uint16).tobytes(), 0x88E4)
    p("glGenVertexArrays", 1, None)
    p("glBindVertexArray", 1)
    p.attribute(0, 4, 32, 64)
    p.attribute(1, 4, 32, 32)
    p("glBindBuffer", gl.GL_ELEMENT_ARRAY_BUFFER, 3)
    p("glBindVertexArray", 0)
    calls = [(call[0], names[call[1] - 1]) if call[0] == "glUseProgram" else call for call in CALLS]
    frames = []
    for frame in range(3):
        if frame != 1:  # which begins with what the frame before has left
            p("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
            p.clear(0.2, 0.4, 0.6, 1.0)
        for _ in range(30):
            for number in rng.integers(0, len(calls), rng.integers(0, 4)):
                name, *args = calls[number]
                arguments = [int(rng.integers(0, 2)) if arg == "{}" else arg for arg in args]
                with contextlib.suppress(AssertionError):  # what is an error in the default framebuffer
                    p(name, *arguments)
            for program in names:
                if rng.random() < 0.3:
                    uniform = "tint" if program == names[0] else "far"
                    size = 4 if uniform == "tint" else 1
                    p(f"glProgramUniform{size}f", program, p.uniform(program, uniform), *rng.random(size).tolist())
            if rng.random() < 0.3:
                p("glBindTexture", gl.GL_TEXTURE_2D, int(rng.integers(1, 4)))
            if rng.random() < 0.3:
                p("glUseProgram", names[int(rng.integers(0, 2))])
            rolled = rng.random()
            if rolled < 0.1:  # written through a mapping
                access = gl.GL_MAP_WRITE_BIT
                p("glMapBufferRange", gl.GL_ARRAY_BUFFER, 64, 64, access)
                p("traceMappedWrite", gl.GL_ARRAY_BUFFER, 64, rng.random(16, np.float32).tobytes())
                p("glUnmapBuffer", gl.GL_ARRAY_BUFFER)
            elif rolled < 0.2:  # colours in client memory
                p("glBindBuffer", gl.GL_ARRAY_BUFFER, 0)
                p("glVertexAttribPointer", 1, 4, gl.GL_FLOAT, 0, 0, None)
                p("glBindBuffer", gl.GL_ARRAY_BUFFER, 1)
            elif rolled < 0.3:
                p.attribute(1, 4, 32, 16)
            if p.tracker.current[1].vertex_array.attribs[1].buffer is None:
                p("traceClientArray", 1, 0, rng.random((60, 4), np.float32).tobytes())
            mode = [gl.GL_TRIANGLES, gl.GL_LINES, gl.GL_POINTS][int(rng.choice(3, p=[0.7, 0.2, 0.1]))]
            counts = rng.random() < 0.1  # by a query: such a draw cannot wait
            if counts:
                p("glBeginQuery", gl.GL_ANY_SAMPLES_PASSED, 1)
            has_client = p.tracker.current[1].vertex_array.attribs[1].buffer is None
            for _ in range(
                1 if has_client else int(rng.choice([1, 2, 3], p=[0.8, 0.1, 0.1]))
            ):  # right behind each other
                if rng.random() < 0.3:
                    p("glDrawElements", mode, 24, gl.GL_UNSIGNED_SHORT, Offset(2 * int(rng.integers(0, 24))))
                else:
                    p("glDrawArrays", mode, int(rng.integers(0, 20)), 24)
            if counts:
                p("glEndQuery", gl.GL_ANY_SAMPLES_PASSED)
        frames.append(p.swap(frame))
    return frames


def at_once(monkeypatch):
    """Have no draw wait, and none take over what the last one found."""
    monkeypatch.setattr(draws, "_MIN_FOLD", 1000)
    execute = draws.DrawPipeline.execute

    def alone(own, *rest):
        own._setting = None
        execute(own, *rest)
        own.pipeline.drain()

    monkeypatch.setattr(draws.DrawPipeline, "execute", alone)


@pytest.mark.parametrize(
    ("seed", "threads", "min_fold"), [(0, 1, 1), (1, 1, 4), (2, 1, 1), (3, 2, 2), (4, 1, 1000), (5, 2, 1), (6, 1, 3)]
)
def test_kept_state_is_that_of_a_fresh_look(monkeypatch, seed, threads, min_fold):
    """Frames are those of an engine that looks at everything anew for each draw, and executes it at once: be draws
    written down one by one, or together from so many on.
    """
    monkeypatch.setattr(draws, "_MIN_FOLD", min_fold)
    sizes = []
    run = batch.DrawBatch.run
    monkeypatch.setattr(batch.DrawBatch, "run", lambda own, scratch: (sizes.append(own.count), run(own, scratch)))
    nexts = []
    execute_next = draws.DrawPipeline.execute_next
    monkeypatch.setattr(
        draws.DrawPipeline,
        "execute_next",
        lambda own, *rest: (found := execute_next(own, *rest), nexts.append(found))[0],
    )
    kept = play(seed, threads)
    assert max(sizes) > 2
    assert sum(nexts) > 2
    state = draws.DrawPipeline._state

    def forgetful(self, context, into, *rest):
        context.changes.bits = Changes.ALL
        into.states.clear()
        rest[0].states.clear()
        self._source = None
        for kept_ones in (self._fixed, self._bound, self._sources):
            kept_ones.clear()
        for linked in rest[:1]:
            linked.bounds.clear()
            linked._constants.clear()
            linked._settled = None
            linked.stages.pop("sources", None)
        return state(self, context, into, *rest)

    resolve = targets.TargetCache.resolve
    monkeypatch.setattr(targets.TargetCache, "resolve", lambda own, *rest: (own._known.clear(), resolve(own, *rest))[1])
    monkeypatch.setattr(draws.DrawPipeline, "_state", forgetful)
    at_once(monkeypatch)
    fresh = play(seed)
    assert sum(len(frame["draws"]["call"]) for frame in fresh) > 30
    for ours, want in zip(kept, fresh, strict=True):
        assert np.array_equal(ours.picture, want.picture)
        for table in want.tables:
            for column, expected in want[table].items():
                same = np.array_equal(ours[table][column], expected, equal_nan=expected.dtype.kind == "f")
                assert same, (table, column)


def draw_twice(waits, change):
    """A draw, what changes something that it reads or reads what it draws, and another draw: picture, what was read."""
    p = Program(MODEL_COLUMNS)
    p.program(COLOR_VS, TEXTURED, p=0, c=1)
    p("glUniform4f", p.uniform(1, "tint"), 1.0, 1.0, 1.0, 1.0)
    rng = np.random.default_rng(3)
    p.texture(rng.integers(0, 256, (16, 16, 4)), name=2)
    p.texture(rng.integers(0, 256, (8, 8, 4)), mipmaps=True)
    p("glTexSubImage2D", gl.GL_TEXTURE_2D, 0, 0, 0, 4, 4, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, bytes(64))
    p.buffer(triangles(rng, 8))
    p.attribute(0, 4, 32, 0)
    p.attribute(1, 4, 32, 16)
    p.clear(0.5, 0.5, 0.5, 1.0)
    p("glDrawArrays", gl.GL_TRIANGLES, 0, 12)
    waiting = p.engine._draws
    assert bool(waiting._joined or waiting.pipeline._open) == waits
    for name, *args in change:
        p(name, *args)
    read = dict(p.tracker.outputs)
    p("glDrawArrays", gl.GL_TRIANGLES, 12, 12)
    return p.swap(), read


@pytest.mark.parametrize(
    "change",
    [
        [("glGenerateMipmap", gl.GL_TEXTURE_2D)],
        [("glTexSubImage2D", gl.GL_TEXTURE_2D, 0, 2, 2, 4, 4, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, bytes(range(64)))],
        [("glCopyTexSubImage2D", gl.GL_TEXTURE_2D, 0, 0, 0, 20, 20, 8, 8)],
        [("glReadPixels", 0, 0, W, H, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)],
        [("glCopyImageSubData", 2, gl.GL_TEXTURE_2D, 0, 0, 0, 0, 1, gl.GL_TEXTURE_2D, 0, 0, 0, 0, 8, 8, 1)],
        [("glBufferSubData", gl.GL_ARRAY_BUFFER, 0, 32, FLOATS[0].tobytes())],
        [("glBufferData", gl.GL_ARRAY_BUFFER, FLOATS.nbytes, FLOATS.tobytes(), gl.GL_STATIC_DRAW)],
        [("glDeleteBuffers", 1, np.array([1], np.uint32).tobytes())],
        [("glDeleteTextures", 1, np.array([1], np.uint32).tobytes())],
        [
            ("glBindFramebuffer", gl.GL_FRAMEBUFFER, 1),
            ("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, 1, 0),
            ("glClear", gl.GL_COLOR_BUFFER_BIT),
            ("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0),
        ],
    ],
    ids=lambda change: change[0][0],
)
def test_draws_that_wait_see_what_was_there(monkeypatch, change):
    """What happens behind a draw does not reach into it, and sees what it has drawn."""
    monkeypatch.setattr(draws, "_MIN_FOLD", 1)
    ours, read = draw_twice(True, change)
    at_once(monkeypatch)
    want, expected = draw_twice(False, change)
    assert read == expected
    assert np.array_equal(ours.picture, want.picture)
    for column in ("line", "lanes"):
        assert np.array_equal(ours["texture_lines"][column], want["texture_lines"][column])


def test_draws_of_several_programs_share_a_batch(monkeypatch):
    """Paths of vertices, which are numbered in the order of draws, are numbered behind it."""
    sizes = []
    run = batch.DrawBatch.run
    monkeypatch.setattr(batch.DrawBatch, "run", lambda own, scratch: (sizes.append(own.count), run(own, scratch)))
    p = Program(MODEL_COLUMNS)
    names = [p.program(COLOR_VS, f"void main() {{ gl_FragColor = vec4({k}.0); }}", p=0) for k in range(2)]
    p.buffer(triangles(np.random.default_rng(1), 4))
    p.attribute(0, 4, 32, 0)
    for draw in range(6):
        p("glUseProgram", names[draw & 1])
        p("glDrawArrays", gl.GL_TRIANGLES, 0, 3 + 3 * (draw // 2))
    frame = p.swap()
    assert sizes == [6]
    # Of each program the vertices' path comes first, then those of its fragments.
    first = [int(frame["vertices"]["path"][row]) for row in frame["draws"]["vertex_first"]]
    assert first == first[:2] * 3
    assert frame["paths"]["program"][first].tolist() == frame["draws"]["vertex_program"].tolist()
    own = frame["quads"]["path"][frame["draws"]["quad_first"][:2]].tolist()
    assert first[0] == 0 < own[0] < first[1] < own[1]
    p.engine.close()


BRANCHING_VS = """attribute vec4 p; attribute vec4 c; varying vec4 v; uniform float far;
void main() {
    v = c;
    for (int i = 0; i < 6; i++) { if (float(i) > (c.x + far) * 3.0) break; v = v.yzwx * 0.9; }
    gl_Position = p;
}"""


def draw_branching():
    """Draws of two programs whose vertices take different paths: a frame, and the draws of each batch."""
    p = Program(MODEL_COLUMNS)
    names = [p.program(BRANCHING_VS, TEXTURED, p=0, c=1), p.program(COLOR_VS, PLAIN, p=0, c=1)]
    p.texture(np.random.default_rng(3).integers(0, 256, (8, 8, 4)))
    p.buffer(triangles(np.random.default_rng(1), 40))
    p.attribute(0, 4, 32, 0)
    p.attribute(1, 4, 32, 16)
    for draw in range(8):
        name = names[draw % 3 == 2]
        p("glUseProgram", name)
        p("glUniform1f", p.uniform(name, "far"), [2.0, -0.3, 0.0, 0.4][draw % 4])
        p("glDrawArrays", gl.GL_TRIANGLES, 6 * draw, 6 + 3 * draw)
    frame = p.swap()
    p.engine.close()
    return frame


def test_draws_whose_vertices_branch_share_a_batch(monkeypatch):
    """Their paths get numbers behind the batch, in the order of draws, as if each were executed at once."""
    sizes = []
    run = batch.DrawBatch.run
    with monkeypatch.context() as patch:
        patch.setattr(batch.DrawBatch, "run", lambda own, scratch: (sizes.append(own.count), run(own, scratch)))
        ours = draw_branching()
    assert sizes == [8]
    at_once(monkeypatch)
    want = draw_branching()
    assert len(set(want["vertices"]["path"].tolist())) > 3
    assert np.array_equal(ours.picture, want.picture)
    for table in want.tables:
        for column, expected in want[table].items():
            assert np.array_equal(ours[table][column], expected, equal_nan=expected.dtype.kind == "f"), (table, column)
