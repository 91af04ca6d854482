"""Lines of the source that machine instructions belong to."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from replay.glsl.compiler import CompileOptions, Program, compile_shader, link_program, link_stage
from replay.glsl.serialize import decode_program, encode_program

FRAGMENT = """#version 300 es
precision highp float;
in vec2 uv; out vec4 c;
uniform sampler2D s; uniform int n;
float wave(float x)
{
    return sin(x) * 2.0
         + cos(x);
}
void main() {
    vec4 sum = vec4(0.0);
    for (int i = 0; i < n; i++) {
        sum += texture(s, uv + vec2(float(i), 0.0));
    }
    if (sum.x > 0.5)
        discard;
    else
        sum *= wave(uv.x);
    c = sum;
}
"""


def counted(program: Program) -> Counter[int]:
    """Machine instructions by line."""
    assert program.fragment is not None
    assert all(len(block.lines) == len(block.kinds) for block in program.fragment.blocks)
    return Counter(line for block in program.fragment.blocks for line in block.lines)


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(FRAGMENT.splitlines(), 1) if text in line)


def test_instructions_belong_to_the_line_that_asks_for_them() -> None:
    lines = counted(link_stage(compile_shader(FRAGMENT, "fragment")))
    # sin; cos and the fused sum; what a function does belongs to its own lines, whoever calls it.
    assert lines[line_of("sin(x)")] == 1
    assert lines[line_of("cos(x)")] == 2
    # The comparison, its jump, the increment, the way back, the counter's first value.
    assert lines[line_of("for (")] >= 4
    assert lines[line_of("texture(s")] >= 3
    assert lines[line_of("sum.x > 0.5")] >= 2
    assert lines[line_of("sum *= wave")] == 1
    used = ("sin(x)", "cos(x)", "vec4 sum", "for (", "texture(s", "sum.x > 0.5", "sum *= wave", "c = sum;")
    assert set(lines) <= {line_of(text) for text in used}


@pytest.mark.parametrize(
    ("strings", "expected"),
    [
        # Strings are joined; a continued line and a #line directive change no physical line.
        (["#version 300 es\nprecision highp float; in vec4 v; out vec4 c;\n", "void main() {\n c = sin(v);\n}\n"], 4),
        (["#version 300 es\nprecision highp float; in vec4 v; \\\nout vec4 c;\nvoid main() {\n c = sin(v);\n}\n"], 5),
        (
            ["#version 300 es\n#line 90\nprecision highp float; in vec4 v; out vec4 c;\nvoid main() { c = sin(v); }\n"],
            4,
        ),
        (["#version 300 es\r\nprecision highp float; in vec4 v; out vec4 c;\r\nvoid main() { c = sin(v); }\r\n"], 3),
    ],
)
def test_lines_are_those_of_the_joined_text(strings: list[str], expected: int) -> None:
    assert counted(link_stage(compile_shader(strings, "fragment"))) == {expected: 4}


def test_a_macro_counts_where_it_is_used() -> None:
    source = "precision highp float; varying vec4 v;\n#define WAVE sin(v)\nvoid main() {\n gl_FragColor = WAVE;\n}\n"
    assert counted(link_stage(compile_shader(source, "fragment"))) == {4: 4}


def test_linked_programs_keep_lines_and_texts_through_the_cache() -> None:
    vertex = "#version 300 es\nin vec4 p; out vec2 uv; void main() { uv = p.xy; gl_Position = p; }"
    shaders = [
        compile_shader(text, stage, CompileOptions()) for text, stage in ((vertex, "vertex"), (FRAGMENT, "fragment"))
    ]
    program = link_program(shaders)
    assert program.ok, program.log
    assert program.sources == {"vertex": vertex, "fragment": FRAGMENT}
    again = decode_program(json.loads(json.dumps(encode_program(program))))
    assert again.fragment is not None
    assert program.fragment is not None
    assert [block.lines for block in again.fragment.blocks] == [block.lines for block in program.fragment.blocks]
