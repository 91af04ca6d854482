"""Mutated sources: never an exception, every rejection has a located message."""

# ruff: noqa: E501  (a shader reads best as one string)

from __future__ import annotations

import random

import pytest

from replay.glsl import compile_shader, link_program
from replay.glsl.verifier import verify

VERTEX = "attribute vec4 p; varying vec2 v; uniform mat4 m; void main() { v = p.xy * 0.5 + 0.5; gl_Position = m * p; }"
SEEDS = [
    "precision highp float;\nvarying vec2 v;\nuniform sampler2D t[2]; uniform vec4 c[3]; uniform int k;\nstruct S { vec3 a; float b[2]; };\n"
    "float f(in vec2 x, inout float y) { for (int i = 0; i < 3; i++) { y += x.x; if (y > 2.0) return y; } return -y; }\n"
    "void main() {\n  S s; s.a = vec3(v, 1.0); s.b[1] = f(v, s.a.z);\n  vec4 r = texture2D(t[1], v) * c[k];\n"
    "  r.xy += s.a.zy; if (r.a < 0.5) discard;\n  gl_FragColor = r + vec4(s.b[1]);\n}\n",
    "#version 300 es\nprecision mediump float;\nin vec2 v; out vec4 o;\nlayout(std140) uniform B { mat3 m; vec4 l[4]; } b;\n"
    "#define SQ(x) ((x) * (x))\n#if defined(SQ) && __VERSION__ >= 300\nconst int N = 3;\n#else\nconst int N = 2;\n#endif\n"
    "void main() {\n  vec3 s = b.m * vec3(v, 1.0);\n  switch (int(v.x * 4.0)) { case 0: s.x = 1.0; break; case 1: s.y = SQ(v.y); default: s.z -= 1.0; }\n"
    "  float a[N]; for (int i = 0; i < N; ++i) a[i] = float(i) * s.x; uint u = uint(v.y) << 2u;\n"
    "  o = vec4(s, a[int(u) % N]) + b.l[N - 1];\n}\n",
]
TOKENS = [
    ";",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    ".",
    "=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "<",
    ">",
    "!",
    "&",
    "|",
    "^",
    "?",
    ":",
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "return",
    "discard",
    "int",
    "uint",
    "float",
    "bool",
    "vec2",
    "vec3",
    "vec4",
    "mat2",
    "mat3",
    "ivec2",
    "bvec3",
    "sampler2D",
    "void",
    "struct",
    "const",
    "uniform",
    "in",
    "out",
    "inout",
    "varying",
    "flat",
    "0",
    "1",
    "-1",
    "2147483647",
    "4294967295u",
    "1.0",
    "1e38",
    "0.0",
    ".5",
    "true",
    "false",
    "v",
    "s",
    "r",
    "x",
    "main",
    "f",
    "gl_FragColor",
    "gl_Position",
    "#define",
    "#if",
    "#endif",
    "#else",
    "\n",
]


def mutate(source: str, rng: random.Random) -> str:
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at = rng.randrange(len(source))
        kind = rng.randrange(5)
        if kind == 0:
            source = source[:at] + source[at + rng.randint(1, 12) :]
        elif kind == 1:
            source = source[:at] + " " + rng.choice(TOKENS) + " " + source[at:]
        elif kind == 2:
            other = rng.randrange(len(source))
            source = source[:at] + source[other : other + rng.randint(1, 60)] + source[at:]
        elif kind == 3:
            source = source[:at] + chr(rng.randrange(256)) + source[at + 1 :]
        else:
            words = source.split(" ")
            words[rng.randrange(len(words))] = rng.choice(TOKENS)
            source = " ".join(words)
        source = source or ";"
    return source


@pytest.mark.parametrize("seed", range(4))
def test_mutated_shaders(seed: int) -> None:
    rng = random.Random(seed)
    vertex = compile_shader(VERTEX, "vertex")
    vertex3 = compile_shader(
        "#version 300 es\nin vec4 p; out vec2 v; void main() { v = p.xy; gl_Position = p; }", "vertex"
    )
    accepted = 0
    for k in range(300):
        source = mutate(SEEDS[k % 2], rng)
        shader = compile_shader(source, "fragment")
        if not shader.ok:
            assert any(m.severity == "error" and m.line >= 0 for m in shader.diagnostics), source
            continue
        accepted += 1
        program = link_program([vertex3 if k % 2 else vertex, shader])
        if program.ok:
            assert program.fragment is not None
            verify(program.fragment.body, program.fragment.variables)
        else:
            assert program.log
    assert accepted > 2


def test_random_bytes() -> None:
    rng = random.Random(5)
    for _ in range(300):
        text = "".join(chr(rng.randrange(256)) for _ in range(rng.randrange(200)))
        shader = compile_shader(text, "vertex")
        assert shader.ok or "error" in shader.log
