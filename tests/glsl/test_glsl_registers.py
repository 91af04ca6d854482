"""Registers that a stage needs: values and variables that are live at once, by hand and against a count by sets."""

from __future__ import annotations

from itertools import pairwise

import pytest

from replay.glsl import compile_shader, link_program
from replay.glsl.compiler import link_stage
from replay.glsl.ir import Region
from replay.glsl.registers import count_registers

HEAD = "precision highp float; varying vec4 v; uniform vec4 u; uniform int n; uniform sampler2D s;"


def registers(body: str) -> int:
    fragment = compile_shader(f"{HEAD} void main() {{ {body} }}", "fragment")
    assert fragment.ok, fragment.log
    program = link_stage(fragment)
    assert program.ok
    assert program.fragment is not None
    return count_registers(program.fragment)


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        # Inputs and uniforms are read where they lie: the output alone.
        ("gl_FragColor = v * u;", 1),
        ("gl_FragColor = -v.wzyx;", 1),
        # sqrt(v) waits for exp2(u).
        ("gl_FragColor = sqrt(v) + exp2(u);", 2),
        # Three wait for each other, and are summed one by one.
        ("vec4 a = sqrt(v), b = exp2(v), c = log2(v); gl_FragColor = a * b * c + a + b + c;", 4),
        # Which branch is taken does not matter: the longer one counts.
        ("vec4 a = sqrt(v); if (u.x > 0.5) { a = a * exp2(v) * (a + log2(v)); discard; } gl_FragColor = a;", 3),
        # The sum, the counter, and what is added.
        ("vec4 a = vec4(0.0); for (int i = 0; i < n; i++) a += texture2D(s, v.xy * float(i)); gl_FragColor = a;", 3),
        # What a loop does not change waits beside it.
        (
            "vec4 k = sqrt(v), a = vec4(0.0); for (int i = 0; i < n; i++) a += texture2D(s, v.xy * float(i)) * k;"
            " gl_FragColor = a;",
            4,
        ),
    ],
)
def test_by_hand(body: str, wanted: int) -> None:
    assert registers(body) == wanted


def test_an_array_that_is_indexed_lies_in_registers_whole() -> None:
    filled = "vec4 a[8]; for (int i = 0; i < 8; i++) a[i] = v * float(i * n);"
    assert 8 <= registers(filled + " gl_FragColor = a[n];") <= 11


def test_more_that_waits_needs_more() -> None:
    def waiting(count: int) -> str:
        values = "".join(f"vec4 a{k} = sqrt(v + {k}.0);" for k in range(count))
        return values + "gl_FragColor = vec4(0.0);" + "".join(
            f"gl_FragColor += a{k} * a{count - 1 - k};" for k in range(count)
        )  # fmt: skip

    found = [registers(waiting(count)) for count in (4, 8, 16)]
    assert [b - a for a, b in pairwise(found)] == [4, 8]


def test_loops_in_loops_are_walked_in_bounded_time() -> None:
    depth = 12
    loops = "".join(f"for (int i{k} = 0; i{k} < n; i{k}++) {{" for k in range(depth))
    used = "+".join(f"float(i{k})" for k in range(depth))
    assert registers(f"vec4 a = v; {loops} a = sqrt(a) * ({used}); {'}' * depth} gl_FragColor = a;") >= depth


def test_vertex_outputs_wait_for_the_end() -> None:
    vertex = compile_shader(
        "attribute vec4 p; varying vec4 a, b; void main() { a = p * 2.0; b = p + a; gl_Position = p; }", "vertex"
    )
    fragment = compile_shader("precision highp float; varying vec4 a, b; void main() { gl_FragColor = a + b; }",
                              "fragment")  # fmt: skip
    program = link_program([vertex, fragment])
    assert program.ok
    assert program.vertex is not None
    assert count_registers(program.vertex) == 3
    assert isinstance(program.vertex.body, Region)
