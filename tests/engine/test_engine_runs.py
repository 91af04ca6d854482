"""Runs of draws that repeat a pattern of calls leave the frames that the same draws leave one by one."""

import contextlib
import gc
import weakref

import numpy as np
import pytest
from gl_program import COLOR_VS, Program, triangles

import replay
from replay.engine import batch, draw_runs, draws
from replay.engine.batch import DrawBatch
from traceformat.calls import Call, Offset
from traceformat.gles import enums as gl
from traceformat.gles import playing, runs
from traceformat.gltrace.writer import TraceWriter
from traceformat.gputrace.frametrace import ALL_COLUMNS, MODEL_COLUMNS

STRAIGHT = """precision highp float; varying vec4 v; uniform sampler2D t; uniform vec4 tint;
void main() { gl_FragColor = texture2D(t, v.xy * 3.0) * tint + v * 0.2; }"""
BRANCHES = """precision highp float; varying vec4 v; uniform vec4 tint;
void main() { if (v.x > 0.5) gl_FragColor = v * tint; else gl_FragColor = tint; }"""
BUFFERS = (1, 2, 3)
INDICES = (4, 5, 6)


@pytest.fixture(autouse=True)
def short_runs(monkeypatch):
    """Patterns count as runs that are repeated a few times."""
    monkeypatch.setattr(runs, "MIN_REPEATS", 8)


def set_up(p, rng):
    """Two programs, buffers of vertices and indices, textures: names of the programs, and their uniform."""
    names = [p.program(COLOR_VS, source, p=0, c=1) for source in (STRAIGHT, BRANCHES)]
    for name in BUFFERS:
        p.buffer(triangles(rng, 12), name=name)
    for name in INDICES:
        p.buffer(rng.integers(0, 30, 60).astype(np.uint16), gl.GL_ELEMENT_ARRAY_BUFFER, name)
    p.texture(rng.integers(0, 256, (8, 8, 4)), mipmaps=True)
    p("glEnableVertexAttribArray", 0)
    p("glEnableVertexAttribArray", 1)
    return [(name, p.uniform(name, "tint")) for name in names]


def say(p, rng, tint, *, count):
    """One pattern, so often."""
    program, location = tint
    p("glUseProgram", program)
    mode = int(rng.choice([gl.GL_TRIANGLES, gl.GL_TRIANGLE_FAN, gl.GL_LINES, gl.GL_POINTS], p=[0.6, 0.2, 0.1, 0.1]))
    has_tint, binds, points, is_indexed, has_clients = rng.random(5) < (0.7, 0.7, 0.8, 0.5, 0.3)
    p("glBindBuffer", gl.GL_ARRAY_BUFFER, 1)
    p("glVertexAttribPointer", 0, 4, gl.GL_FLOAT, 0, 32, Offset(0))
    p("glBindBuffer", gl.GL_ARRAY_BUFFER, 0 if has_clients else 1)
    p("glVertexAttribPointer", 1, 4, gl.GL_FLOAT, 0, 0 if has_clients else 32, None if has_clients else Offset(16))
    p("glBindBuffer", gl.GL_ELEMENT_ARRAY_BUFFER, 4)
    same = int(rng.choice(BUFFERS))
    vertices = int(rng.choice((3, 6)))
    for _ in range(count):
        if has_tint:
            p("glUniform4f", location, *rng.random(4).tolist())
        if rng.random() < 0.01:
            p("glProgramUniform4f", program, location, 1.0, 0.5, 0.25, 1.0)  # ends a run
        if binds:
            p("glBindBuffer", gl.GL_ARRAY_BUFFER, int(rng.choice(BUFFERS)) if binds else same)
        if points:
            p("glBindBuffer", gl.GL_ARRAY_BUFFER, same) if not binds else None
            p("glVertexAttribPointer", 0, 4, gl.GL_FLOAT, 0, 32, Offset(32 * int(rng.integers(0, 3))))
        if has_clients:
            p("traceClientArray", 1, int(rng.integers(0, 2)), rng.random((40, 4), np.float32).tobytes())
        first, size = int(rng.integers(0, 4)), vertices if rng.random() < 0.9 else 12
        if is_indexed:
            p("glBindBuffer", gl.GL_ELEMENT_ARRAY_BUFFER, int(rng.choice(INDICES)))
            p("glDrawElements", mode, size, gl.GL_UNSIGNED_SHORT, Offset(2 * first))
        else:
            p("glDrawArrays", mode, first, size)


def record(path, seed):
    """Two frames of patterns, with what may change between them."""
    rng = np.random.default_rng(seed)
    p = Program(MODEL_COLUMNS)
    tints = set_up(p, rng)
    for frame in range(2):
        p.clear(0.2, 0.4, 0.6, 1.0)
        for number in range(6):
            count = int(rng.integers(5, 40)) if seed or number != 3 else 300
            say(p, rng, tints[int(rng.integers(0, 2))], count=count)
            rolled = rng.random()
            if rolled < 0.3:  # what draws that wait read
                p("glBindBuffer", gl.GL_ARRAY_BUFFER, int(rng.choice(BUFFERS)))
                p("glBufferSubData", gl.GL_ARRAY_BUFFER, 0, 320, rng.random(80, np.float32).tobytes())
            elif rolled < 0.4:
                p.buffer(rng.integers(0, 30, 60).astype(np.uint16), gl.GL_ELEMENT_ARRAY_BUFFER, 5)
            elif rolled < 0.5:
                p("glEnable", gl.GL_BLEND)
            elif rolled < 0.55:
                p("glObjectLabel", gl.GL_BUFFER, 2, 3, "box")
        p.swap(frame)
    write(path, p)


def record_contexts(path):
    """Two contexts that share nothing: their buffers have the same numbers."""
    rng = np.random.default_rng(9)
    p = Program(MODEL_COLUMNS)
    tints = [set_up(p, rng)]
    p("traceContext", 2, 0, 3, 0, 0, 8, 8, 8, 8, 24, 8, 0, 0)
    p("traceMakeCurrent", 2, 1, 1)
    p("glViewport", 0, 0, 120, 90)
    tints.append(set_up(p, rng))
    for frame in range(2):
        p.clear(0.2, 0.4, 0.6, 1.0)
        for number in range(8):
            p("traceMakeCurrent", 1 + number % 2, 1, 1)
            say(p, rng, tints[number % 2][number // 4], count=30)
        p.swap(frame)
    write(path, p)


def write(path, p):
    """End a program, and write what it did."""
    p.engine.close()
    with TraceWriter(path) as writer:
        for call in p.calls:
            writer.write_call(Call(call.number, call.name, 1, 1, 0, call.args))


def watch(monkeypatch):
    """A list that will have the draws of each run that is offered; 0 where it goes draw by draw."""
    taken = []
    execute = draws.DrawPipeline.execute_run

    def execute_run(own, context, run, targets):
        done = execute(own, context, run, targets)
        taken.append(len(run.calls) * done)
        return done

    monkeypatch.setattr(draws.DrawPipeline, "execute_run", execute_run)
    return taken


def frames(path, columns):
    """Pictures and columns of all frames."""
    with contextlib.closing(replay.frames(path, columns=columns)) as played:
        found = []
        for frame in played:
            tables = {(t.name, key): array.copy() for t in frame.tables.values() for key, array in t.items()}
            found.append((frame.picture.copy(), tables, list(frame.labels)))
        return found


def test_runs_of_many_vertices_go_draw_by_draw(tmp_path, monkeypatch):
    path = tmp_path / "runs.gltrace"
    record(path, 1)
    taken = watch(monkeypatch)
    found = frames(path, MODEL_COLUMNS)
    assert sum(taken) > 20
    taken.clear()
    monkeypatch.setattr(draw_runs, "_MAX_RUN_ROWS", 10)
    for (picture, *_), (other, *_) in zip(found, frames(path, MODEL_COLUMNS), strict=True):
        np.testing.assert_array_equal(picture, other)
    assert len(taken) > 2
    assert not sum(taken)


@pytest.mark.parametrize("seed", range(5))
def test_runs_leave_what_single_draws_leave(tmp_path, monkeypatch, seed):
    path = tmp_path / "runs.gltrace"
    record(path, seed)
    # Runs of more draws, and of more vertices, than a batch takes.
    if not seed:
        monkeypatch.setattr(batch, "_MAX_DRAWS", 128)
    if seed == 1:
        monkeypatch.setattr(draw_runs, "MAX_ROWS", 50)
    compare(path, monkeypatch, seed)


def test_contexts_that_share_nothing_have_buffers_of_their_own(tmp_path, monkeypatch):
    path = tmp_path / "runs.gltrace"
    record_contexts(path)
    compare(path, monkeypatch, 0)


def test_rows_of_a_run_are_free_once_its_batch_is_done(tmp_path, monkeypatch):
    """Python's collector is asked to look seldom: nothing of a run may hold itself."""
    path = tmp_path / "runs.gltrace"
    record(path, 0)
    made, init = [], draw_runs.RunRows.__init__

    def noted(own, *args):
        init(own, *args)
        made.append(weakref.ref(own))

    monkeypatch.setattr(draw_runs.RunRows, "__init__", noted)
    gc.disable()
    try:
        frames(path, MODEL_COLUMNS)
        assert len(made) > 2
        assert not any([rows() for rows in made])
    finally:
        gc.enable()


def test_quads_of_plans_are_those_of_their_largest_draws(tmp_path, monkeypatch):
    path = tmp_path / "runs.gltrace"
    record(path, 2)
    seen, finish = [], DrawBatch._finish

    def finished(own):
        plans = [draw.setting.plan for draw in own._queued]
        before = {plan: plan.quads >> 1 for plan in plans}
        finish(own)
        for plan, quads in zip(plans, own._results["num_quads"][: own.count].tolist(), strict=True):
            before[plan] = max(before[plan], quads)
        assert {plan: plan.quads for plan in before} == before
        seen.append(len(before))

    monkeypatch.setattr(DrawBatch, "_finish", finished)
    frames(path, MODEL_COLUMNS)
    assert max(seen) > 1


def compare(path, monkeypatch, seed):
    """Frames of runs against those of single draws."""
    columns = ALL_COLUMNS if seed % 2 else MODEL_COLUMNS
    taken = watch(monkeypatch)
    found = frames(path, columns)
    assert sum(taken) > 20
    monkeypatch.setattr(playing, "find_runs", lambda *marks: [])
    for (picture, tables, labels), (other, expected, own) in zip(found, frames(path, columns), strict=True):
        np.testing.assert_array_equal(picture, other)
        assert labels == own
        assert tables.keys() == expected.keys()
        for key, column in tables.items():
            np.testing.assert_array_equal(column, expected[key], err_msg=str(key))
