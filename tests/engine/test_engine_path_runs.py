"""Paths of draws that follow each other are looked up together: numbers are those of one draw after the other."""

import numpy as np
from gl_program import COLOR_VS, Program, triangles

from replay.engine.batch import DrawBatch
from replay.engine.paths import PathBook
from traceformat.gputrace.frametrace import ALL_COLUMNS

#: Too much to be executed by all: branches, that is.
MUCH = " ".join(f"x += sin(x.yzwx * {k}.5) * cos(x.zwxy + {k}.1);" for k in range(1, 12))
HEAD = "precision highp float; varying vec4 v; uniform float far; void main() { vec4 x = v;"
BRANCHES = HEAD + "if (v.x > far) {" + MUCH + "} if (v.y > far) {" + MUCH + "} gl_FragColor = x; }"
OTHERS = HEAD + "if (v.z > far) {" + MUCH + "} else {" + MUCH.replace("sin", "exp2") + "} gl_FragColor = x; }"
STRAIGHT = "precision highp float; varying vec4 v; uniform float far; void main() { gl_FragColor = v * far; }"


def play(seed):
    """Three frames of draws with programs with and without control flow."""
    rng = np.random.default_rng(seed)
    p = Program(ALL_COLUMNS)
    names = [p.program(COLOR_VS, source, p=0, c=1) for source in (BRANCHES, OTHERS, STRAIGHT)]
    p.buffer(triangles(rng, 40))
    p.attribute(0, 4, 32, 0)
    p.attribute(1, 4, 32, 16)
    found = []
    for frame in range(3):
        p.clear(0.0, 0.0, 0.0, 1.0)
        for _ in range(8):
            name = names[int(rng.integers(0, 3))]
            p("glUseProgram", name)
            for _ in range(int(rng.integers(1, 9))):
                p("glUniform1f", p.uniform(name, "far"), float(rng.integers(0, 3)) / 2)
                p("glDrawArrays", 4, 3 * int(rng.integers(0, 30)), 3 * int(rng.integers(1, 10)))
        trace = p.swap(frame)
        tables = ("paths", "path_steps", "quads", "draws")
        found.append({(name, key): trace[name][key].tobytes() for name in tables for key in trace[name]})
    p.engine.close()
    return found


def test_numbers_are_those_of_one_draw_after_the_other(monkeypatch):
    looked_up, known = [], PathBook.number_known

    def counting(self, tables, hashes, first, last):
        done = known(self, tables, hashes, first, last)
        looked_up.append((done, last - first))
        return done

    monkeypatch.setattr(PathBook, "number_known", counting)
    together = [play(seed) for seed in range(6)]
    assert any(done == length for done, length in looked_up), "some runs were known"
    assert any(0 < done < length for done, length in looked_up), "some were in part"
    monkeypatch.setattr(DrawBatch, "_number_known", lambda own, setting, first, *_: first)
    assert [play(seed) for seed in range(6)] == together
