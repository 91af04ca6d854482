"""ESSL 3.10 and 3.20, GLSL 4.00 to 4.60: what of them is known, and that the rest is refused by name."""

from __future__ import annotations

import pytest

from replay.glsl import CompileOptions, Program, compile_shader, link_program

#: Head, context, and whether it has uniform locations, bindings and varying locations.
HEADS = {
    "300 es": ("#version 300 es\nprecision highp float;\n", True, 320, (False, False, False)),
    "310 es": ("#version 310 es\nprecision highp float;\n", True, 320, (True, True, True)),
    "320 es": ("#version 320 es\nprecision highp float;\n", True, 320, (True, True, True)),
    "330": ("#version 330\n", False, 460, (False, False, False)),
    "410": ("#version 410 core\n", False, 460, (False, False, True)),
    "420": ("#version 420\n", False, 460, (False, True, True)),
    "460": ("#version 460 core\n", False, 460, (True, True, True)),
}
DECLARATIONS = (
    "layout(location = 3) uniform float u; out vec4 o; void main() { o = vec4(u); }",
    "layout(binding = 3) uniform sampler2D s; out vec4 o; void main() { o = texture(s, vec2(0.0)); }",
    "layout(location = 3) in float v; out vec4 o; void main() { o = vec4(v); }",
)


def compiled(source: str, stage: str, es: bool, newest: int) -> bool:
    return compile_shader(source, stage, CompileOptions(es=es, max_version=newest)).ok


@pytest.mark.parametrize("name", HEADS)
def test_what_a_version_has(name: str) -> None:
    head, es, newest, has = HEADS[name]
    assert tuple(compiled(head + text, "fragment", es, newest) for text in DECLARATIONS) == has


def test_a_context_takes_its_own_versions() -> None:
    for source, es, newest, accepted in (
        ("#version 310 es\nvoid main() { }", True, None, False),
        ("#version 310 es\nvoid main() { }", True, 310, True),
        ("#version 320 es\nvoid main() { }", True, 310, False),
        ("#version 310\nvoid main() { }", True, 320, False),
        ("#version 400\nvoid main() { }", False, None, False),
        ("#version 400\nvoid main() { }", False, 400, True),
        ("#version 310 es\nvoid main() { }", False, 450, True),
        ("#version 450\nvoid main() { }", True, 320, False),
    ):
        options = CompileOptions(es=es, max_version=newest)
        assert compile_shader(source, "vertex", options).ok == accepted, (source, es, newest)


def linked(vertex: str, fragment: str) -> Program:
    options = CompileOptions(max_version=310)
    head = HEADS["310 es"][0]
    shaders = [compile_shader(head + vertex, "vertex", options), compile_shader(head + fragment, "fragment", options)]
    assert all(shader.ok for shader in shaders), [shader.log for shader in shaders]
    return link_program(shaders)


def test_locations_and_bindings() -> None:
    program = linked(
        "uniform float a; layout(location = 1) uniform float b[2]; uniform float c; layout(binding = 4) uniform B "
        "{ float k; } blocks[2]; void main() { gl_Position = vec4(a, b[0] + b[1], c, blocks[0].k + blocks[1].k); }",
        "layout(location = 0) uniform float c; layout(binding = 6) uniform sampler2D s[2]; out vec4 o;"
        "void main() { o = vec4(c) + texture(s[0], vec2(0.0)) + texture(s[1], vec2(0.0)); }",
    )
    assert program.ok, program.log
    assert {u.name: u.location for u in program.reflection.uniforms if u.block < 0} == {
        "a": 3, "b[0]": 1, "c": 0, "s[0]": 4,
    }  # fmt: skip
    assert next(u.initial for u in program.reflection.uniforms if u.name == "s[0]") == (6, 7)
    assert [block.binding for block in program.reflection.blocks] == [4, 5]


@pytest.mark.parametrize(
    ("vertex", "fragment", "message"),
    [
        ("layout(location = 1) out vec2 a; void main() { a = vec2(0.0); }",
         "layout(location = 1) in vec3 b; out vec4 o; void main() { o = b.xyzz; }", "'location 1' is vec2"),
        ("layout(location = 1) out vec2 a; void main() { a = vec2(0.0); }",
         "layout(location = 2) in vec2 a; out vec4 o; void main() { o = a.xyxy; }", "no output of the vertex shader"),
        ("layout(location = 1) out vec2 a; layout(location = 1) out vec2 b; void main() { a = b = vec2(0.0); }",
         "out vec4 o; void main() { o = vec4(0.0); }", "the same location"),
        ("layout(location = 1) uniform float u; void main() { gl_Position = vec4(u); }",
         "layout(location = 2) uniform float u; out vec4 o; void main() { o = vec4(u); }", "a different location"),
        ("layout(location = 1) uniform float u[2]; void main() { gl_Position = vec4(u[0] + u[1]); }",
         "layout(location = 2) uniform float w; out vec4 o; void main() { o = vec4(w); }", "location of another"),
        ("layout(location = 5000) uniform float u; void main() { gl_Position = vec4(u); }",
         "out vec4 o; void main() { o = vec4(0.0); }", "there are 4096"),
    ],
)  # fmt: skip
def test_what_does_not_link(vertex: str, fragment: str, message: str) -> None:
    program = linked(vertex, fragment)
    assert not program.ok
    assert message in program.log


@pytest.mark.parametrize("word", ["image2D", "atomic_uint", "buffer", "textureGather", "bitfieldExtract"])
def test_what_is_missing_is_named(word: str) -> None:
    use = f"vec4 v = vec4({word}(1));" if word[0] in "tb" and word != "buffer" else f"{word} x;"
    shader = compile_shader(f"#version 310 es\nvoid main() {{ {use} }}", "vertex", CompileOptions(max_version=310))
    assert not shader.ok
    assert f"'{word}" in shader.log
