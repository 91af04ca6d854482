"""layout(offset) and layout(align) of members of blocks (GLSL 4.40 §4.4.5), as mpv's renderer has them."""

from __future__ import annotations

import pytest

from replay.glsl import CompileOptions, Shader, compile_shader, link_program

OPTIONS = CompileOptions(es=False, max_version=460)


def fragment(block: str, version: int = 440) -> Shader:
    return compile_shader(
        f"#version {version}\n{block} out vec4 o; void main() {{ o = vec4(a) + vec4(b); }}", "fragment", OPTIONS
    )


def offsets(block: str) -> dict[str, int]:
    vertex = compile_shader("#version 440\nvoid main() { gl_Position = vec4(0.0); }", "vertex", OPTIONS)
    shader = fragment(block)
    assert shader.ok, shader.log
    program = link_program([vertex, shader])
    assert program.ok, program.log
    return {uniform.name: uniform.offset for uniform in program.reflection.uniforms}


@pytest.mark.parametrize(("members", "expected"), [
    ("float a; float b;", (0, 4)),
    ("layout(offset=0) float a; layout(offset=48) float b;", (0, 48)),
    ("layout(offset = 16 * 2) float a; float b;", (32, 36)),
    ("layout(align=32) float a; layout(align = 64) float b;", (0, 64)),
    ("layout(offset=4, align=16) float a; float b;", (16, 20)),
])  # fmt: skip
def test_members_lie_where_they_are_told(members: str, expected: tuple[int, int]) -> None:
    found = offsets(f"layout(std140, binding=0) uniform U {{ {members} }};")
    assert (found["a"], found["b"]) == expected


def test_the_block_aligns_all_its_members() -> None:
    found = offsets("layout(std140, align=64) uniform U { float a; float b; };")
    assert (found["a"], found["b"]) == (0, 64)


@pytest.mark.parametrize(("block", "said"), [
    ("layout(std140) uniform U { layout(offset=2) float a; float b; };", "is aligned to 4"),
    ("layout(std140) uniform U { vec4 a; layout(offset=8) float b; };", "ends at 16"),
    ("layout(std140) uniform U { layout(align=12) float a; float b; };", "no power of two"),
    ("layout(shared) uniform U { layout(offset=0) float a; float b; };", "need std140 or std430"),
])  # fmt: skip
def test_what_cannot_lie_so_is_an_error(block: str, said: str) -> None:
    shader = fragment(block)
    assert not shader.ok
    assert said in shader.log


def test_older_languages_have_none() -> None:
    shader = fragment("layout(std140) uniform U { layout(offset=0) float a; float b; };", 430)
    assert not shader.ok
    assert "layout 'offset' has no meaning" in shader.log
