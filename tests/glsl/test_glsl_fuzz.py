"""1 % of the fuzz run (``fuzz_shaders.py``), with a fixed seed: no crash, no hang, every rejection has a place."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from shader_fuzz import GOOD, make_case, run_case, run_cases

from replay.glsl import compile_shader


@pytest.mark.parametrize("first", range(0, 1000, 250))
def test_mutated_and_generated_shaders(first: int) -> None:
    ends: Counter[str] = Counter()
    for number in range(first, first + 250):
        outcome = run_case(7, number)
        assert not outcome.is_finding, f"{outcome}\n{make_case(7, number)[2]!r}"
        ends[outcome.what] += 1
    assert ends["rejected"] > 100
    assert ends["ran"] > 5


def test_cases_follow_from_their_numbers() -> None:
    assert make_case(3, 17) == make_case(3, 17)
    assert len({make_case(3, number)[2] for number in range(40)}) == 40
    assert set(GOOD) == {100, 300, 330}


def test_worker_processes() -> None:
    outcomes = list(run_cases(7, range(40), 2, 20.0))
    assert sorted(outcome.number for outcome in outcomes) == list(range(40))
    assert not any(outcome.is_finding for outcome in outcomes)


def test_a_case_that_takes_too_long_is_found() -> None:
    # The kernel looks at a process's clock every few milliseconds: a single case may be done before.
    assert "hang" in {outcome.what for outcome in run_cases(7, range(40), 1, 1e-4)}


def test_random_bytes() -> None:
    rng = random.Random(5)
    for _ in range(300):
        text = "".join(chr(rng.randrange(256)) for _ in range(rng.randrange(200)))
        shader = compile_shader(text, "vertex")
        assert shader.ok or "error" in shader.log


@pytest.mark.parametrize("statement", ["t;", "a[1];", "s;", "s.b;", "if (v.x > 0.0) t;"])
def test_a_name_alone_is_a_statement(statement: str) -> None:
    from replay.glsl import link_program

    vertex = compile_shader("varying vec2 v; void main() { v = vec2(0.0); gl_Position = vec4(0.0); }", "vertex")
    head = "precision highp float; struct S { vec2 b; }; varying vec2 v; uniform sampler2D t, a[2]; uniform S s;"
    fragment = compile_shader(f"{head} void main() {{ {statement} gl_FragColor = vec4(v, v); }}", "fragment")
    assert fragment.ok, fragment.log
    assert link_program([vertex, fragment]).ok
