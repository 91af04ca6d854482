"""Whole frames: programs in GLSL, drawn by the engine, checked against invariants, twins and Mesa."""

import threading

import numpy as np
import pytest
from gl_program import COLOR_FS, COLOR_VS, H, Program, W, triangles

from replay.engine import batch, columns, draws, fixed_state, kernels, left, pass_memory, thread_memory
from replay.engine.draws import DrawPipeline
from replay.engine.paths import Numbering
from replay.engine.pipeline import Pipeline
from traceformat.calls import Offset
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import (
    ALL_COLUMNS,
    MODEL_COLUMNS,
    SCHEMA,
    Column,
    ColumnSet,
    DrawFlags,
    EventKind,
    LoadOp,
    ObjectRule,
    Outcome,
    StoreOp,
    quantize_depth,
)

EVERYTHING = ColumnSet(f"{table}.{column}" for table, columns in SCHEMA.items() for column in columns)


def scene(columns=MODEL_COLUMNS, threads=1, samples=0, count=60, executor="llvm"):
    """Blended and opaque, textured, branching and discarding draws into two framebuffers."""
    rng = np.random.default_rng(4)
    p = Program(columns, threads=threads, samples=samples, executor=executor)
    plain = p.program(COLOR_VS, COLOR_FS, p=0, c=1)
    fancy = p.program(
        COLOR_VS,
        """precision highp float; varying vec4 v; uniform sampler2D t; uniform float limit;
        void main() {
            if (v.a < limit) discard;
            vec4 sum = vec4(0.0);
            for (int i = 0; i < 4; i++) {
                if (float(i) > v.r * 4.0) break;
                sum += texture2D(t, v.xy * float(i + 1)) * 0.25;
            }
            gl_FragColor = sum + v * 0.25;
        }""",
        p=0,
        c=1,
    )
    p("glUniform1f", p.uniform(fancy, "limit"), 0.3)
    p.buffer(triangles(rng, count))
    p.attribute(0, 4, 32, 0)
    p.attribute(1, 4, 32, 16)
    p.texture(rng.integers(0, 256, (32, 32, 4)), mipmaps=True)
    p("glBindTexture", gl.GL_TEXTURE_2D, 2)
    p("glTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 64, 64, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
    p("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, gl.GL_LINEAR)
    p("glBindFramebuffer", gl.GL_FRAMEBUFFER, 1)
    p("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, 2, 0)
    frames = []
    for frame in range(2):
        p("glUseProgram", fancy)
        p("glBindTexture", gl.GL_TEXTURE_2D, 1)
        p("glBindFramebuffer", gl.GL_FRAMEBUFFER, 1)
        p("glViewport", 0, 0, 64, 64)
        p("glDisable", gl.GL_DEPTH_TEST)
        p("glDisable", gl.GL_BLEND)
        p.clear(0.2, 0.4, 0.6, 1.0, mask=gl.GL_COLOR_BUFFER_BIT)
        p("glDrawArrays", gl.GL_TRIANGLES, 0, 30)
        p("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
        p("glViewport", 0, 0, W, H)
        p("glEnable", gl.GL_DEPTH_TEST)
        p.clear()
        p("glUseProgram", plain)
        p("glPushDebugGroup", gl.GL_DEBUG_SOURCE_APPLICATION, 0, -1, "ground")
        p("glDrawArrays", gl.GL_TRIANGLES, 0, 90)
        p("glPopDebugGroup")
        p("glUseProgram", fancy)
        p("glBindTexture", gl.GL_TEXTURE_2D, 2)
        p("glEnable", gl.GL_BLEND)
        p("glBlendFunc", gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        p("glDrawArrays", gl.GL_TRIANGLES, 60, 3 * count - 60)
        frames.append(p.swap(frame))
    p.engine.close()
    return p, frames


def check(frame):
    """Invariants that any frame satisfies."""
    rows = {name: table.num_rows for name, table in frame.tables.items()}
    refers = [
        ("draws", "vertex", "vertices"), ("draws", "primitive", "primitives"), ("draws", "emitted", "emitted"),
        ("draws", "quad", "quads"), ("draws", "fetch", "vertex_fetches"), ("draws", "texture", "texture_bindings"),
        ("draws", "constant", "constants"), ("passes", "event", "events"), ("passes", "draw", "draws"),
        ("passes", "read", "pass_reads"), ("primitives", "emitted", "emitted"), ("programs", "block", "blocks"),
        ("blocks", "instruction", "instructions"), ("paths", "step", "path_steps"), ("quads", "tex", "tex_ops"),
        ("tex_ops", "line", "texture_lines"),
    ]  # fmt: skip
    for table, what, target in refers:
        first = frame[table][f"{what}_first"].astype(np.int64)
        count = frame[table][f"{what}_count"].astype(np.int64)
        assert ((count == 0) | (first + count <= rows[target])).all(), (table, what)
    for table, what, target in [
        ("draws", "pass", "passes"), ("draws", "object", "objects"), ("draws", "vertex_program", "programs"),
        ("draws", "fragment_program", "programs"), ("events", "pass", "passes"), ("primitives", "draw", "draws"),
        ("emitted", "draw", "draws"), ("emitted", "primitive", "primitives"), ("quads", "emitted", "emitted"),
        ("quads", "path", "paths"), ("vertices", "path", "paths"), ("paths", "program", "programs"),
        ("path_steps", "block", "blocks"), ("pass_reads", "pass", "passes"),
    ]:  # fmt: skip
        assert (frame[table][what] < rows[target]).all(), (table, what)
    q, e, d = frame["quads"], frame["emitted"], frame["draws"]
    assert (np.diff(q["emitted"].astype(np.int64)) >= 0).all()
    assert (q["survives"] & ~q["coverage"] == 0).all()
    assert (q["coverage"] > 0).all()
    assert d["quad_count"].sum() == rows["quads"]
    assert d["emitted_count"].sum() == rows["emitted"]
    assert d["primitive_count"].sum() == rows["primitives"]
    assert d["vertex_count"].sum() == rows["vertices"]
    primitives = frame["primitives"]
    assert primitives["emitted_count"].sum() == rows["emitted"]
    assert ((primitives["outcome"] == Outcome.EMITTED) == (primitives["emitted_count"] > 0)).all()
    own = q["emitted"]
    bounds = e["bounds"][own]
    for f in range(4):
        hit = q["coverage"] >> f & 1 != 0
        x, y = 2 * q["x"].astype(int) + (f & 1), 2 * q["y"].astype(int) + (f >> 1)
        assert ((x >= bounds[:, 0]) & (x <= bounds[:, 2]) & (y >= bounds[:, 1]) & (y <= bounds[:, 3]))[hit].all()
    assert (e["draw"] == primitives["draw"][e["primitive"]]).all()
    for row in range(rows["draws"]):
        span = slice(d["quad_first"][row], d["quad_first"][row] + d["quad_count"][row])
        assert (e["draw"][q["emitted"][span]] == row).all()
        quads_paths = frame["paths"]["program"][q["path"][span]]
        assert (quads_paths == d["fragment_program"][row]).all()
    # Paths: issued is what the steps' blocks hold, executed counts lanes that are no helpers.
    blocks, kinds = frame["blocks"], frame["instructions"]["kind"]
    for row in range(rows["paths"]):
        p = frame["paths"]
        span = slice(p["step_first"][row], p["step_first"][row] + p["step_count"][row])
        issued, executed = np.zeros(6, int), np.zeros(6, int)
        steps = frame["path_steps"]
        for block, active, helper in zip(
            *(steps[k][span].tolist() for k in ("block", "active", "helper")), strict=True
        ):
            own_kinds = kinds[blocks["instruction_first"][block] :][: blocks["instruction_count"][block]]
            count = np.bincount(own_kinds, minlength=6)
            issued += count
            executed += count * bin(active & ~helper).count("1")
        if p["step_count"][row]:
            assert issued.tolist() == p["issued"][row].tolist()
            assert executed.tolist() == p["executed"][row].tolist()
    # Texture instructions issued by a quad's path are those recorded, but for ones that no live lane executes.
    issued = frame["paths"]["issued"][q["path"], 3]
    executed = frame["paths"]["executed"][q["path"], 3]
    assert (q["tex_count"] <= issued).all()
    assert ((executed > 0) == (q["tex_count"] > 0)).all()
    assert q["tex_count"].sum() == rows["tex_ops"]
    assert frame["tex_ops"]["line_count"].sum() == rows["texture_lines"]


def recompose(frame):
    """Colours of the last pass from its quads alone, by a plain twin of the depth test and the blend of scene."""
    passes, d, q = frame["passes"], frame["draws"], frame["quads"]
    row = len(passes["width"]) - 1
    width, height = passes["width"][row], passes["height"][row]
    color = np.tile(np.rint(passes["clear_color"][row][0] * 255).astype(np.int64), (height, width, 1))
    depth = np.full((height, width), passes["clear_depth"][row], np.int64)
    first = passes["draw_first"][row]
    for k in range(first, first + passes["draw_count"][row]):
        for i in range(d["quad_first"][k], d["quad_first"][k] + d["quad_count"][k]):
            for f in range(4):
                if not q["survives"][i] >> f & 1:
                    continue
                x, y = 2 * int(q["x"][i]) + (f & 1), 2 * int(q["y"][i]) + (f >> 1)
                z = int(q["depth"][i, f])
                if not z < depth[y, x]:
                    continue
                depth[y, x] = z
                at = int(d["color_first"][k][0]) + ((i - int(d["quad_first"][k])) * 4 + f) * 4
                source = frame["color_data"]["byte"][at : at + 4].astype(np.int64)
                if d["blend"][k]:
                    a = source[3]
                    terms = source * a, color[y, x] * (255 - a)
                    source = np.minimum(sum((t + (t >> 8) + 128) >> 8 for t in terms), 255)
                color[y, x] = source
    return color.astype(np.uint8)


@pytest.mark.parametrize("samples", [0, 4])
def test_invariants_hold(samples):
    _, frames = scene(EVERYTHING, samples=samples)
    for frame in frames:
        check(frame)


def test_the_picture_follows_from_the_trace():
    """Everything a model needs is in the frame: pixels recomposed from quads equal the engine's."""
    _, frames = scene(ALL_COLUMNS, count=30)
    for frame in frames:
        assert (recompose(frame) == frame.picture).all()
        assert (frame.pixels[-1][0].reshape(H, W, 4) == frame.picture).all()


def test_results_do_not_depend_on_threads_or_repetition():
    def digest(threads):
        _, frames = scene(EVERYTHING, threads)
        return [[f.picture.tobytes()] + [f[t][c].tobytes() for t in SCHEMA for c in f[t]] for f in frames]

    one = digest(1)
    assert one == digest(1)
    assert one == digest(2)


def test_both_executors_give_the_same_frames():
    _, fast = scene(ALL_COLUMNS, count=25)
    _, slow = scene(ALL_COLUMNS, count=25, executor="numpy")
    for a, b in zip(fast, slow, strict=True):
        assert (a.picture == b.picture).all()
        for table in SCHEMA:
            for column in a[table]:
                assert a[table][column].tobytes() == b[table][column].tobytes(), (table, column)


LAYERED_FS = """precision highp float; varying vec4 v; uniform sampler2D t;
void main() {
    vec4 sum = v;
    for (int i = 0; i < 3; i++) {
        if (float(i) > v.r * 3.0) break;
        vec4 found = texture2D(t, v.xy * float(i + 1));
        if (found.r > 0.5) sum += texture2D(t, found.gb + v.zw) * 0.25;
        else sum.g += sin(v.b);
    }
    gl_FragColor = sum * 0.5;
}"""


@pytest.mark.parametrize("threads", [1, 2, 8])
@pytest.mark.parametrize("tight", [False, True], ids=["roomy", "tight"])
@pytest.mark.parametrize("waits", [False, True], ids=["at-once", "batches"])
def test_native_draws_are_those_of_the_general_path(monkeypatch, threads, tight, waits):
    """Whole draws in native code, on any number of threads, however often they lack room, against chunk by chunk."""
    _, expected = scene(EVERYTHING, count=400)
    if tight:
        monkeypatch.setattr(left, "_working", {})
        monkeypatch.setattr(thread_memory, "_FIRST_RECORD_ROWS", 20)
        monkeypatch.setattr(pass_memory, "_LEAST_ROWS", 4)
        monkeypatch.setattr(pass_memory, "_FIRST_ROWS", {})
        monkeypatch.setattr(columns, "_MIN_BLOCK", 64)
        monkeypatch.setattr(batch, "_FIRST_BYTES", 0)
        monkeypatch.setattr(batch, "_MAX_DRAWS", 3)
        monkeypatch.setattr(batch, "_MAX_HANDED_DRAWS", 3)
        monkeypatch.setattr(batch, "_NUMBERED_ROWS", 17)
    if not waits:
        execute = DrawPipeline.execute
        monkeypatch.setattr(DrawPipeline, "execute", lambda own, *rest: (execute(own, *rest), own.pipeline.drain()))
    lacking, shared = set(), set()
    provide, run = batch.DrawBatch._provide, batch.DrawBatch.run
    monkeypatch.setattr(
        batch.DrawBatch, "_provide", lambda own, what, *rest: (lacking.add(what), provide(own, what, *rest))
    )
    monkeypatch.setattr(batch.DrawBatch, "run", lambda own, thread: (shared.add(own.is_large), run(own, thread)))
    monkeypatch.setattr(batch, "SHARED_QUADS", 20)
    _, frames = scene(MODEL_COLUMNS, threads, count=400)
    assert True in shared
    assert max(frame["draws"]["quad_count"].max() for frame in frames) > 2 * kernels.records.CHUNK_QUADS
    if tight and waits:
        k = kernels.lacking
        assert {k.NEED_QUADS, k.NEED_ATTRIBUTES, k.NEED_ARENA, k.NEED_RECORD, k.NEED_TABLES} <= lacking
    for frame, want in zip(frames, expected, strict=True):
        assert np.array_equal(frame.picture, want.picture)
        for name, spec in SCHEMA.items():
            for key in spec:
                if f"{name}.{key}" in MODEL_COLUMNS and key != "color_first":
                    assert np.array_equal(frame[name][key], want[name][key], equal_nan=key in ("z", "inv_w")), (
                        name,
                        key,
                    )


def layers(columns, threads=1, depth_func=gl.GL_LESS):
    """Overdraw by straight and divergent, discarding and depth-only draws, with blending and stencil."""
    rng = np.random.default_rng(11)
    p = Program(columns, threads=threads)
    discarding = LAYERED_FS.replace("gl_FragColor", "if (sum.r < 0.7) discard; gl_FragColor")
    straight = "precision highp float; varying vec4 v; uniform sampler2D t; void main() { gl_FragColor = %s; }"
    sources = [LAYERED_FS, straight % "v", straight % "texture2D(t, v.xy * 4.0) * texture2D(t, v.zw)", discarding]
    programs = [p.program(COLOR_VS, source, p=0, c=1) for source in sources]
    p.buffer(triangles(rng, 100, size=0.9))
    p.attribute(0, 4, 32, 0)
    p.attribute(1, 4, 32, 16)
    p.texture(rng.integers(0, 256, (32, 32, 4)), mipmaps=True)
    p("glEnable", gl.GL_DEPTH_TEST)
    p("glDepthFunc", depth_func)
    p.clear()
    for number, program in enumerate(programs * 2):
        p("glUseProgram", program)
        p("glEnable" if number % 3 == 1 else "glDisable", gl.GL_BLEND)
        p("glBlendFunc", gl.GL_SRC_ALPHA, gl.GL_ONE)
        p("glEnable" if number % 4 >= 2 else "glDisable", gl.GL_STENCIL_TEST)
        p("glStencilFunc", gl.GL_GEQUAL, number // 2, 255)
        p("glStencilOp", gl.GL_INCR, gl.GL_INVERT, gl.GL_DECR_WRAP)
        p("glColorMask", *[number != 4] * 4)
        p("glDrawArrays", gl.GL_TRIANGLES, 36 * number, 48)
    frame = p.swap()
    p.engine.close()
    return frame


def test_a_large_draw_is_not_forgotten_for_the_small_ones_behind_it(monkeypatch):
    """A game draws its background, then its sprites: threads share the next frame's background."""
    shared, run = [], batch.DrawBatch.run
    monkeypatch.setattr(batch, "SHARED_QUADS", 200)
    monkeypatch.setattr(batch.DrawBatch, "run", lambda own, thread: (shared.append(own.is_large), run(own, thread)))
    p = Program(MODEL_COLUMNS, threads=2)
    p("glUseProgram", p.program(COLOR_VS, COLOR_FS, p=0, c=1))
    p.buffer(triangles(np.random.default_rng(3), 100, size=0.9))
    p.attribute(0, 4, 32, 0)
    p.attribute(1, 4, 32, 16)
    for _ in range(3):
        p.clear()
        for count in (300, 3, 3):
            p("glDrawArrays", gl.GL_TRIANGLES, 0, count)
        counts = p.swap()["draws"]["quad_count"]
        assert counts[0] > 800 > 200 > counts[1]
    p.engine.close()
    assert shared == [False, True, True]


def test_planes_that_are_kept_may_fill_their_memory(monkeypatch):
    """Draws of which paths are asked for later keep theirs, each from a boundary on: whatever their sizes."""
    monkeypatch.setattr(batch, "_FIRST_BYTES", 0)
    fragment = COLOR_FS.replace("v;", "v; uniform sampler2D t;", 1)
    fragment = fragment.replace("gl_FragColor = v;", "gl_FragColor = v.x > 0.5 ? texture2D(t, v.xy) : v;")
    corners = np.array([[-0.5, -0.5, 0, 1], [0.5, -0.5, 0, 1], [0, 0.5, 0, 1]], np.float32)
    data = np.tile(np.concatenate([corners, corners], axis=1), (40, 1))
    provide, lacking = batch.DrawBatch._provide, []
    monkeypatch.setattr(
        batch.DrawBatch, "_provide", lambda own, what, *rest: (lacking.append(what), provide(own, what, *rest))
    )
    for first in range(4, 14):
        for second in range(1, first - 1):
            p = Program(MODEL_COLUMNS)
            p("glUseProgram", p.program(COLOR_VS, fragment, p=0, c=1))
            p.buffer(data)
            p.attribute(0, 4, 32, 0)
            p.attribute(1, 4, 32, 16)
            p.clear()
            # The first has twice its size provided, which the next two may fill up.
            for number in (first, second, first - 1 - second, 40):
                p("glDrawArrays", gl.GL_TRIANGLES, 0, 3 * number)
            assert (p.swap()["draws"]["quad_count"] > 0).all()
            p.engine.close()
    assert lacking.count(kernels.lacking.NEED_ARENA) > 100


def test_a_thread_that_comes_late_to_help_runs_the_next_draws():
    """The batch that it was called to may be over, and have draws again that it is to run itself."""
    turns = []

    class Batch:
        is_done, is_large, turn, error = False, True, 0, None

        def number_on(self):
            pass

        def run(self, thread):
            gate.wait()
            turns.append(threading.current_thread().name)

        def help(self, thread, looks):
            pass

        def finish(self):
            self.turn, self.is_done = self.turn + 1, False

    gate, first, own = threading.Event(), Batch(), Batch()
    pipeline = Pipeline(2, lambda: None)
    pipeline._tasks[0].put((first, None))  # keeps the thread from helping
    pipeline._call_helpers(own, pipeline._tasks)
    own.finish()
    pipeline._has_run = True
    pipeline._submit(own)
    gate.set()
    waiting = threading.Thread(target=pipeline.wait, daemon=True)
    waiting.start()
    waiting.join(20)
    assert not waiting.is_alive()
    assert turns == ["engine-1", "engine-1"]
    pipeline.close()


@pytest.mark.parametrize("depth_func", [gl.GL_LESS, gl.GL_ALWAYS, gl.GL_NEVER])
def test_what_is_not_seen_is_recorded_all_the_same(depth_func):
    # With their colours wanted, all fragments are shaded; else those that fail the tests are not, but for their
    # paths and texture accesses.
    whole = layers(ColumnSet([*MODEL_COLUMNS, "color_data.byte"]), depth_func=depth_func)
    for threads in (1, 2):
        lean = layers(MODEL_COLUMNS, threads, depth_func)
        assert lean.tables["quads"].num_rows > 4096
        for name, table in lean.tables.items():
            for column in table:
                if column != "color_first":
                    assert np.array_equal(table[column], whole[name][column]), (name, column)
        assert np.array_equal(lean.picture, whole.picture)


@pytest.mark.parametrize("threads", [1, 2])
def test_batches_number_paths_as_python_does(monkeypatch, threads):
    """Straight stages before and behind divergent ones; what batches leave, Python numbers, which is the twin."""
    numbered, enter = [], Numbering.enter
    monkeypatch.setattr(Numbering, "enter", lambda own, rows: (numbered.append(len(rows)), enter(own, rows)))
    made = [layers(MODEL_COLUMNS, threads), *scene(MODEL_COLUMNS, threads, count=400)[1]]
    assert sum(numbered) > 16
    numbered.clear()
    monkeypatch.setattr(Numbering, "go_on", lambda own: None)
    plain = [layers(MODEL_COLUMNS, threads), *scene(MODEL_COLUMNS, threads, count=400)[1]]
    assert not numbered
    for frame, want in zip(made, plain, strict=True):
        for name in ("paths", "path_steps", "quads", "vertices"):
            for column in want.tables[name]:
                assert np.array_equal(frame[name][column], want[name][column], equal_nan=True), (name, column)


def test_too_many_paths_fall_back_to_counts(monkeypatch):
    def totals(frame):
        return [frame["paths"][key][frame["quads"]["path"]].sum(axis=0).tolist() for key in ("issued", "executed")]

    _, whole = scene()
    monkeypatch.setattr("replay.engine.paths.MAX_DRAW_PATHS", 3)
    _, counted = scene()
    flags = counted[0]["draws"]["flags"] & DrawFlags.PATHS_FALLBACK
    assert flags.any()
    assert not (whole[0]["draws"]["flags"] & DrawFlags.PATHS_FALLBACK).any()
    assert (counted[0]["paths"]["step_count"] == 0).any()
    assert totals(counted[0]) == totals(whole[0])
    check(counted[0])


def test_passes_say_what_is_loaded_and_stored():
    _, frames = scene()
    p = frames[0]["passes"]
    assert p["framebuffer"].tolist() == [1, 0]
    assert p["color_load"][:, 0].tolist() == [LoadOp.CLEAR, LoadOp.CLEAR]
    assert p["clear_color"][0, 0].tolist() == pytest.approx([0.2, 0.4, 0.6, 1.0])
    assert p["depth_load"].tolist() == [LoadOp.DONT_CARE, LoadOp.CLEAR]
    assert p["depth_store"].tolist() == [StoreOp.DONT_CARE, StoreOp.DONT_CARE]
    assert p["clear_depth"][1] == quantize_depth(1.0, int(p["depth_format"][1]))
    assert p["draw_count"].tolist() == [1, 2]
    assert frames[0]["pass_reads"]["pass"].tolist() == [0]
    kinds = frames[0]["events"]["kind"].tolist()
    drawing = [k for k in kinds if k in (EventKind.CLEAR, EventKind.DRAW)]
    assert drawing == [EventKind.CLEAR, EventKind.DRAW, EventKind.CLEAR, EventKind.DRAW, EventKind.DRAW]


def test_draws_carry_their_state():
    _, frames = scene()
    d = frames[0]["draws"]
    assert d["blend"].tolist() == [0, 0, 1]
    assert d["depth_test"].tolist() == [0, 1, 1]
    assert [bool(flags & DrawFlags.DISCARDS) for flags in d["flags"]] == [True, False, True]
    assert [bool(flags & DrawFlags.RELOADED) for flags in d["flags"]] == [True, False, False]
    assert not any(flags & DrawFlags.RELOADED for flags in frames[1]["draws"]["flags"])
    assert d["num_attributes"].tolist() == [2, 2, 2]
    bindings = frames[0]["texture_bindings"]
    assert bindings["texture"].tolist() == [1, 2]
    versions = [frame["texture_bindings"]["version"].tolist() for frame in frames]
    assert versions[0][0] == versions[1][0]
    assert versions[0][1] < versions[1][1]  # rendered to in between
    assert frames[0]["objects"]["rule"].tolist() == [ObjectRule.BINDINGS, ObjectRule.DEBUG_GROUP, ObjectRule.BINDINGS]
    assert frames[0]["objects"]["id"].tolist() == frames[1]["objects"]["id"].tolist()
    assert frames[0].labels[1] == "ground"
    # The limit was set before the first draw, and not again.
    assert d["constants_new_bytes"][0].tolist()[1] >= 4
    assert (frames[1]["draws"]["constants_new_bytes"] == 0).all()


def test_read_back_equals_the_picture():
    p, frames = scene()
    pixels = p.engine.read_pixels(p.tracker.contexts[1], 0, 0, W, H, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE)
    assert pixels == frames[-1].picture.tobytes()
    corner = p.engine.read_pixels(p.tracker.contexts[1], -2, -1, 4, 3, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE)
    block = np.frombuffer(corner, np.uint8).reshape(3, 4, 4)
    assert (block[1:, 2:] == frames[-1].picture[:2, :2]).all()
    assert not block[0].any()


def test_indexed_instances_share_vertices():
    p = Program()
    p.program(COLOR_VS, COLOR_FS, p=0, c=1)
    p.buffer(triangles(np.random.default_rng(1), 2).reshape(6, 8))
    p.attribute(0, 4, 32, 0)
    p.attribute(1, 4, 32, 16)
    p.buffer(np.array([0, 1, 2, 2, 1, 3], np.uint16), gl.GL_ELEMENT_ARRAY_BUFFER, 2)
    p("glDrawElementsInstanced", gl.GL_TRIANGLES, 6, gl.GL_UNSIGNED_SHORT, Offset(0), 2)
    frame = p.swap()
    v = frame["vertices"]
    assert v["index"].tolist() == [0, 1, 2, 2, 1, 3] * 2
    assert v["instance"].tolist() == [0] * 6 + [1] * 6
    assert np.diff(v["index_address"][:6].astype(np.int64)).tolist() == [2] * 5
    assert frame["draws"]["index_bytes"].tolist() == [2]
    fetches = frame["vertex_fetches"]
    assert np.diff(fetches["address"].astype(np.int64)).tolist() == [16]
    assert fetches["stride"].tolist() == [32, 32]


def test_what_is_fetched_does_not_depend_on_locations():
    """Drivers choose locations; the same buffer read through others is the same work."""
    fetched = []
    for position, color in ((0, 1), (1, 0)):
        p = Program()
        p.program(COLOR_VS, COLOR_FS, p=position, c=color)
        p.buffer(triangles(np.random.default_rng(1), 2).reshape(6, 8))
        p.attribute(position, 4, 32, 0)
        p.attribute(color, 4, 32, 16)
        p("glDrawArrays", gl.GL_TRIANGLES, 0, 6)
        fetches = p.swap()["vertex_fetches"]
        fetched.append({name: fetches[name].tolist() for name in ("address", "stride", "bytes", "divisor")})
    assert fetched[0] == fetched[1]


def test_changed_buffers_and_targets_are_seen():
    """Inputs and targets are kept between draws only while nothing about them has changed."""
    p = Program()
    p.program(COLOR_VS, COLOR_FS, p=0, c=1)
    one, two = (triangles(np.random.default_rng(seed), 4) for seed in (1, 2))
    pictures = []
    for change in ("none", "buffer", "stride", "none", "size"):
        if change == "none":
            p.buffer(one)
            p.attribute(0, 4, 32, 0)
            p.attribute(1, 4, 32, 16)
        elif change == "buffer":
            p("glBufferSubData", gl.GL_ARRAY_BUFFER, 0, two.nbytes, two.tobytes())
        elif change == "stride":
            p.attribute(0, 4, 64, 0)
        else:
            p("traceResize", 1, W // 2, H // 2)
        p.clear()
        p("glDrawArrays", gl.GL_TRIANGLES, 0, 6)
        pictures.append(p.swap().picture)
    assert (pictures[0] == pictures[3]).all()
    assert len({picture.tobytes() for picture in pictures}) == 4
    assert pictures[4].shape[:2] == (H // 2, W // 2)


def test_occlusion_queries_count_fragments():
    p = Program(api=1)
    p.program(
        "#version 330\nin vec4 p, c; out vec4 v; void main() { gl_Position = p; v = c; }",
        "#version 330\nin vec4 v; out vec4 o; void main() { o = v; }",
        p=0,
        c=1,
    )
    p("glGenVertexArrays", 1, None)
    p("glBindVertexArray", 1)
    p("glGenBuffers", 1, None)
    p.buffer(triangles(np.random.default_rng(2), 5))
    p.attribute(0, 4, 32, 0)
    p.attribute(1, 4, 32, 16)
    p("glGenQueries", 1, None)
    p("glBeginQuery", gl.GL_SAMPLES_PASSED, 1)
    p("glDrawArrays", gl.GL_TRIANGLES, 0, 15)
    query = p.tracker.contexts[1].current_queries[gl.GL_SAMPLES_PASSED]
    p("glEndQuery", gl.GL_SAMPLES_PASSED)
    frame = p.swap()
    coverage = frame["quads"]["coverage"]
    assert query.result == sum(int((coverage >> f & 1).sum()) for f in range(4)) > 0
    assert frame["draws"]["query_active"].tolist() == [1]


def test_wanted_columns_only():
    _, frames = scene(ColumnSet(["quads.depth", "draws.call"]), count=20)
    assert {f"{t}.{c}" for t in SCHEMA for c in frames[0][t]} == {"quads.depth", "draws.call"}
    with pytest.raises(KeyError, match=r"quads\.path"):
        frames[0]["quads"]["path"]
    _, pictures = scene(ColumnSet(()), count=20)
    assert (pictures[1].picture == frames[1].picture).all()


def test_frames_keep_their_memory():
    """A frame that is held is not overwritten by later ones."""
    _, frames = scene()
    _, again = scene()
    before = frames[0]["quads"]["depth"].copy()
    scene()
    assert (frames[0]["quads"]["depth"] == before).all()
    assert (again[0]["quads"]["depth"] == before).all()


def test_transform_feedback_captures_vertices():
    p = Program()
    number = p("glCreateProgram")
    vertex = "#version 300 es\nin vec4 p; out vec2 a; void main() { gl_Position = p; a = p.yx * 2.0; }"
    fragment = "#version 300 es\nprecision highp float; in vec2 a; out vec4 c; void main() { c = a.xyxy; }"
    for kind, source in ((gl.GL_VERTEX_SHADER, vertex), (gl.GL_FRAGMENT_SHADER, fragment)):
        shader = p("glCreateShader", kind)
        p("glShaderSource", shader, 1, (source,), None)
        p("glCompileShader", shader)
        p("glAttachShader", number, shader)
    p("glTransformFeedbackVaryings", number, 1, ("a",), gl.GL_INTERLEAVED_ATTRIBS)
    p("glLinkProgram", number)
    p("glUseProgram", number)
    data = np.random.default_rng(1).uniform(-1, 1, (3, 4)).astype(np.float32)
    p.buffer(data)
    p.attribute(p("glGetAttribLocation", number, "p"), 4, 16, 0)
    p.buffer(np.zeros(6, np.float32), gl.GL_TRANSFORM_FEEDBACK_BUFFER, 2)
    p("glBindBufferBase", gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, 2)
    p("glBeginTransformFeedback", gl.GL_TRIANGLES)
    p("glDrawArrays", gl.GL_TRIANGLES, 0, 3)
    p("glEndTransformFeedback")
    store = p.tracker.contexts[1].group.buffers.get(2).store
    assert (np.frombuffer(bytes(store), np.float32).reshape(3, 2) == data[:, 1::-1] * 2).all()


def test_blits_scale_and_mirror():
    p = Program()
    rng = np.random.default_rng(7)
    pixels = rng.integers(0, 256, (8, 8, 4)).astype(np.uint8)
    p.texture(pixels)
    p("glBindFramebuffer", gl.GL_READ_FRAMEBUFFER, 1)
    p("glFramebufferTexture2D", gl.GL_READ_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, 1, 0)
    p("glBlitFramebuffer", 0, 0, 8, 8, 32, 0, 0, 16, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)
    frame = p.swap()
    expected = pixels[:, ::-1].repeat(2, axis=0).repeat(4, axis=1)
    assert (frame.picture[:16, :32] == expected).all()
    event = frame["events"]["kind"].tolist().index(EventKind.BLIT)
    assert frame["events"]["write_bytes"][event] == 16 * 32 * 4


def test_stencil_masks_draws():
    p = Program()
    p.program(COLOR_VS, COLOR_FS, p=0, c=1)
    big = np.array([[-1, -1, 0, 1, 1, 0, 0, 1], [3, -1, 0, 1, 1, 0, 0, 1], [-1, 3, 0, 1, 1, 0, 0, 1]], np.float32)
    p.buffer(big)
    p.attribute(0, 4, 32, 0)
    p.attribute(1, 4, 32, 16)
    p.clear()
    p("glEnable", gl.GL_STENCIL_TEST)
    p("glEnable", gl.GL_SCISSOR_TEST)
    p("glScissor", 10, 20, 30, 40)
    p("glColorMask", 0, 0, 0, 0)
    p("glStencilFunc", gl.GL_ALWAYS, 1, 255)
    p("glStencilOp", gl.GL_KEEP, gl.GL_KEEP, gl.GL_REPLACE)
    p("glDrawArrays", gl.GL_TRIANGLES, 0, 3)
    p("glDisable", gl.GL_SCISSOR_TEST)
    p("glColorMask", 1, 1, 1, 1)
    p("glStencilFunc", gl.GL_EQUAL, 1, 255)
    p("glStencilOp", gl.GL_KEEP, gl.GL_KEEP, gl.GL_KEEP)
    p("glDrawArrays", gl.GL_TRIANGLES, 0, 3)
    frame = p.swap()
    expected = np.zeros((H, W), bool)
    expected[20:60, 10:40] = True
    assert ((frame.picture[..., 0] == 255) == expected).all()


def test_multisampled_edges_are_averaged():
    """The mean coverage of 4x samples is close to the exact area."""
    p = Program(samples=4)
    p.program(COLOR_VS, COLOR_FS, p=0, c=1)
    corners = np.array([[-0.83, -0.71], [0.77, -0.33], [-0.21, 0.9]])
    data = np.ones((3, 8), np.float32)
    data[:, :2] = corners
    data[:, 2] = 0
    p.buffer(data)
    p.attribute(0, 4, 32, 0)
    p.attribute(1, 4, 32, 16)
    p.clear()
    p("glDrawArrays", gl.GL_TRIANGLES, 0, 3)
    picture = p.swap().picture[..., 0].astype(float) / 255
    a, b = corners[1] - corners[0], corners[2] - corners[0]
    area = abs(a[0] * b[1] - a[1] * b[0]) / 2 * W * H / 4
    assert picture.sum() == pytest.approx(area, rel=0.003)
    assert {round(v * 4) for v in np.unique(picture)} == {0, 1, 2, 3, 4}


def test_a_column_of_a_draws_state_is_added_in_two_places(monkeypatch):
    """The schema, and its value: it is recorded where it is wanted, and nothing else changes."""

    def states(context, targets, real=fixed_state._state_columns):
        return {**real(context, targets), "line_width": [context.line_width, 1.0]}

    monkeypatch.setitem(SCHEMA["draws"], "line_width", Column("<f4", "in pixels; samples", (2,), optional=True))
    monkeypatch.setattr(fixed_state, "_state_columns", states)
    frames = [scene(wanted) for wanted in (MODEL_COLUMNS, ColumnSet([*MODEL_COLUMNS, "draws.line_width"]))]
    plain, wide = (found[1][0] for found in frames)
    assert "line_width" not in plain["draws"]
    assert (wide["draws"]["line_width"] == [1.0, 1.0]).all()
    for name, column in plain["draws"].items():
        np.testing.assert_array_equal(column, wide["draws"][name], err_msg=name)


def test_draws_that_are_handed_over_are_those_of_one_thread(monkeypatch):
    """Another thread executes what there is while further draws are prepared."""
    handed, hand_over = [], Pipeline.hand_over

    def count(own):
        handed.append(own)
        hand_over(own)

    monkeypatch.setattr(Pipeline, "hand_over", count)
    monkeypatch.setattr(draws, "_HANDED_QUADS", 50)
    monkeypatch.setattr(draws, "_LEAST_HANDED", 2)
    found = []
    for threads in (1, 2, 3):
        p = Program(MODEL_COLUMNS, threads=threads)
        p("glUseProgram", p.program(COLOR_VS, COLOR_FS, p=0, c=1))
        p.buffer(triangles(np.random.default_rng(3), 100, size=0.9))
        p.attribute(0, 4, 32, 0)
        p.attribute(1, 4, 32, 16)
        p("glEnable", gl.GL_BLEND)
        p("glBlendFunc", gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        for _ in range(4):
            p.clear()
            for number in range(30):
                p("glDrawArrays", gl.GL_TRIANGLES, 3 * (7 * number % 60), 3 * (1 + number % 5))
            frame = p.swap()
            found.append((frame.picture.copy(), {key: column.copy() for key, column in frame["quads"].items()}))
        p.engine.close()
        assert bool(handed) == (threads > 1)
    for number, (picture, quads) in enumerate(found):
        picture_of_one, quads_of_one = found[number % 4]
        assert np.array_equal(picture, picture_of_one)
        assert all(np.array_equal(column, quads_of_one[key]) for key, column in quads.items())
