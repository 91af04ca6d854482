"""Linked programs on disk: the same program back, damage found, every input in the key."""

# ruff: noqa: E501  (a shader reads best as one string)
from __future__ import annotations

from pathlib import Path

import pytest

from replay.glsl import CompileOptions, Program, compile_shader, link_program
from replay.glsl.llvm.fingerprint import stage_fingerprint
from replay.glsl.printer import format_stage
from replay.glsl.program_cache import ProgramCache
from replay.glsl.verifier import verify

VERTEX = "#version 300 es\nin vec4 p; in mat2 q; out vec2 v; flat out int i; uniform mat4 m; void main() { v = q[0]; i = 3; gl_Position = m * p; }"
FRAGMENT = """#version 300 es
precision highp float;
in vec2 v; flat in int i; out vec4 o;
uniform sampler2D t[2]; uniform lowp isampler2D s; uniform vec4 c[3];
layout(std140) uniform B { mat3 m; vec4 l[4]; } b;
void main() {
  float a[3]; for (int k = 0; k < 3; k++) a[k] = v.x * 1e30 * 1e30;
  if (v.y > 0.5) discard;
  float n = 0.0; for (int k = 0; k < i; k++) { n += a[k]; if (n > 4.0) break; }
  o = texture(t[1], v) * c[i] + b.l[i] + vec4(texelFetch(s, ivec2(i), 0)) + vec4(b.m[1], n) + dFdx(v).xyxy;
}
"""


def build(folder: Path, **inputs: object) -> Program:
    shaders = [compile_shader(VERTEX, "vertex"), compile_shader(FRAGMENT, "fragment")]
    return link_program(shaders, cache=ProgramCache(folder), **inputs)  # type: ignore[arg-type]


def text(program: Program) -> str:
    assert program.ok, program.log
    assert program.vertex is not None
    assert program.fragment is not None
    for ir in (program.vertex, program.fragment):
        verify(ir.body, ir.variables)
    blocks = [[b.kinds for b in ir.blocks] for ir in (program.vertex, program.fragment)]
    flags = [(ir.discards, ir.uses_derivatives, ir.num_values) for ir in (program.vertex, program.fragment)]
    parts = [format_stage(program.vertex), format_stage(program.fragment), program.reflection, program.samplers]
    return "\n".join(map(str, [*parts, blocks, flags, program.fragment.textures]))


def test_cached_program_is_the_linked_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = text(build(tmp_path))
    assert len(list(tmp_path.iterdir())) == 1
    monkeypatch.setattr("replay.glsl.linking.linker.link", None)  # a second link would fail
    assert text(build(tmp_path)) == first


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "text"])
def test_damaged_entries_are_rebuilt(tmp_path: Path, damage: str) -> None:
    first = text(build(tmp_path))
    (entry,) = tmp_path.iterdir()
    content = bytearray(entry.read_bytes())
    if damage == "cut":
        content = content[:-7]
    elif damage == "flipped":
        content[len(content) // 2] ^= 4
    else:
        content = bytearray(b"" if damage == "empty" else b"hello" * 20)
    entry.write_bytes(content)
    assert text(build(tmp_path)) == first
    assert entry.read_bytes() != bytes(content)


def test_every_input_is_in_the_key(tmp_path: Path) -> None:
    build(tmp_path)
    build(tmp_path, attribute_bindings={"p": 5})
    build(tmp_path, transform_feedback=["v"])
    build(tmp_path, frag_data_bindings={"o": 0})
    changed = [compile_shader(VERTEX + " ", "vertex"), compile_shader(FRAGMENT, "fragment")]
    link_program(changed, cache=ProgramCache(tmp_path))
    options = CompileOptions(extensions=frozenset())
    other = [compile_shader(VERTEX, "vertex", options), compile_shader(FRAGMENT, "fragment", options)]
    link_program(other, cache=ProgramCache(tmp_path))
    assert len(list(tmp_path.iterdir())) == 6


def test_unwritable_folder_is_no_error() -> None:
    assert build(Path("/proc/nowhere")).ok


def test_shaders_that_were_right_are_compiled_only_to_be_linked_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, sources = ProgramCache(tmp_path), ((VERTEX, "vertex"), (FRAGMENT, "fragment"))
    plain = [compile_shader(source, stage) for source, stage in sources]
    first = [compile_shader(source, stage, cache=cache) for source, stage in sources]
    linked = text(link_program(first, cache=cache))
    with monkeypatch.context() as without:
        without.setattr("replay.glsl.parser.Parser", None)  # a second look at the source would fail
        again = [compile_shader(source, stage, cache=cache) for source, stage in sources]
        assert text(link_program(again, cache=cache)) == linked
        with pytest.raises(TypeError):
            again[0].checked  # noqa: B018
    for shaders in (first, again):
        assert [(s.ok, s.log, s.key, s.text, s.es) for s in shaders] == [
            (s.ok, s.log, s.key, s.text, s.es) for s in plain
        ]
    moved = link_program(again, attribute_bindings={"p": 5}, cache=cache)
    assert text(moved) == text(link_program(plain, attribute_bindings={"p": 5}))


def test_shaders_that_are_wrong_are_said_to_be_each_time(tmp_path: Path) -> None:
    cache = ProgramCache(tmp_path)
    logs = {compile_shader("#version 300 es\nvoid main() { x = 1; }", "vertex", cache=cache).log for _ in range(2)}
    assert len(logs) == 1
    assert "x" in logs.pop()
    warned = [
        compile_shader("#version 100\n#extension GL_x : warn\nvoid main() {}", "vertex", cache=cache) for _ in "12"
    ]
    assert [s.ok for s in warned] == [True, True]
    assert warned[0].log == warned[1].log != ""


def test_fingerprints_of_stages_are_kept_with_the_program(tmp_path: Path) -> None:
    linked, known = build(tmp_path), build(tmp_path)
    for program in (linked, known):
        assert program.vertex is not None
        assert program.fragment is not None
        assert program.fingerprints == {
            "vertex": stage_fingerprint(program.vertex),
            "fragment": stage_fingerprint(program.fragment),
        }
