"""What the front end accepts and rejects: tables of small shaders, one rule each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from replay.glsl import CompileOptions, compile_shader
from replay.glsl.ir import Loop

DATA = Path(__file__).parent / "data"
TABLES = (
    "rules.txt",
    "rules_declarations.txt",
    "rules_blocks.txt",
    "rules_directives.txt",
    "rules_interface_blocks.txt",
)
HEADERS = {
    100: "precision mediump float;\n",
    300: "#version 300 es\nprecision mediump float;\n",
    120: "#version 120\n",
    150: "#version 150\n",
    330: "#version 330\n",
}


def rows(name: str) -> list[tuple[str, str]]:
    lines = (DATA / name).read_text().splitlines()
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize("version", HEADERS)
def test_rules_of_each_version(version: int) -> None:
    wrong = []
    for codes, row in (row for table in TABLES for row in rows(table)):
        source = row.replace("\\n", "\n") + "\n"
        for k, stage in enumerate(("vertex", "fragment")):
            wanted = codes[2 * list(HEADERS).index(version) + k] in "Aa"
            shader = compile_shader(HEADERS[version] + source, stage, CompileOptions(es=version in (100, 300)))
            if shader.ok != wanted:
                wrong.append((stage, source, shader.log))
            if not shader.ok:
                assert "error: " in shader.log
    assert not wrong


@pytest.mark.parametrize("column", range(4))
def test_preprocessor_of_each_version(column: int) -> None:
    version = (100, 300, 120, 330)[column]
    es = version in (100, 300)
    header = {100: "", 300: "#version 300 es\n", 120: "#version 120\n", 330: "#version 330\n"}[version]
    header += "precision mediump float;\n" if es else ""
    wrong = []
    for codes, text in rows("preprocessor.txt"):
        source = header + json.loads(text) + "\nvoid main(){}\n"
        if compile_shader(source, "vertex", CompileOptions(es=es)).ok != (codes[column] in "Aa"):
            wrong.append(text)
    assert not wrong


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("void main() {\n  int a = 1.0;\n}", "0:2: error: 'a' is int, not float\n      int a = 1.0;\n              ^"),
        ("#line 40\nvoid main() { x; }", "0:40: error: 'x' is not declared"),
        ("#line 40 7\nvoid main() { x; }", "7:40: error: 'x' is not declared"),
        ("void main() { gl_Foo = 1; }", "'gl_Foo' is not declared"),
        ("#extension GL_EXT_shader_framebuffer_fetch : require\nvoid main() {}", "'GL_EXT_shader_framebuffer_fetch'"),
        ("void main() { for (;;) { break }", "expected ';'"),
    ],
)
def test_messages_say_where_and_what(source: str, message: str) -> None:
    assert message in compile_shader(source, "vertex").log


def test_string_numbers_count_source_strings() -> None:
    shader = compile_shader(["void f() {}\n", "\nvoid main() { x; }"], "vertex")
    assert shader.log.startswith("1:2: error: 'x'")


def test_several_errors_in_one_run_up_to_a_limit() -> None:
    source = "void main() {\n" + "\n".join(f"  x{k};" for k in range(100)) + "\n}"
    shader = compile_shader(source, "vertex")
    assert 5 < len(shader.diagnostics) <= 20


def test_fixed_function_names_are_called_unsupported() -> None:
    shader = compile_shader(
        "#version 120\nvoid main() { gl_Position = gl_Vertex; }", "vertex", CompileOptions(es=False)
    )
    assert "'gl_Vertex' belongs to the fixed-function pipeline" in shader.log


def test_context_limits_versions_and_extensions() -> None:
    assert not compile_shader("#version 300 es\nvoid main(){}", "vertex", CompileOptions(max_version=100)).ok
    source = "#extension GL_OES_standard_derivatives : require\nvoid main(){}"
    assert compile_shader(source, "fragment").ok
    assert not compile_shader(source, "fragment", CompileOptions(extensions=frozenset())).ok


@pytest.mark.parametrize(
    "source",
    [
        "void main() { float a = " + "(" * 5000 + "1.0" + ")" * 5000 + "; }",
        "void main() { float a = " + "-" * 5000 + "1.0; }",
        "void main() { float a = 1.0" + "+1.0" * 5000 + "; }",
        "void main() " + "{" * 5000 + "}" * 5000,
        "#define A0 1\n" + "".join(f"#define A{k + 1} A{k} A{k}\n" for k in range(40)) + "int a = A40;",
        "#define f(x) x x\nint a = " + "f(" * 60 + "1" + ")" * 60 + ";",
        "#if 1\n" * 5000,
        "void main() { vec4 v; v" + ".xyzw" * 5000 + "; }",
        "void main() { int a[1000000000]; }",
        "int a = " + "9" * 100000 + ";",
        "#if " + "(" * 5000 + "1\n#endif\nvoid main(){}",
        "x" * (1 << 21),
        "\0\1\2\xff" * 100,
        "/*",
        "",
    ],
)
def test_hostile_sources_end_in_a_message(source: str) -> None:
    shader = compile_shader(source, "vertex")
    assert not shader.ok
    assert all(message.line > 0 for message in shader.diagnostics)


def test_loops_that_multiply_are_not_unrolled(link: object) -> None:
    loops = "".join(f"for (int i{k} = 0; i{k} < 60; i{k}++) " for k in range(8))
    program = link(  # type: ignore[operator]
        "attribute vec4 p; void main() { gl_Position = p; }",
        "precision highp float; uniform float u; void main() { float s = u; " + loops + "s = s * 0.5 + 1.0;"
        " gl_FragColor = vec4(s); }",
    )
    assert program.ok, program.log
    assert len(list(program.fragment.body.instructions())) < 6000


def test_functions_that_multiply_are_stopped_when_linking(link: object) -> None:
    body = "float f0(float x) { return x * 1.5 + 1.0; }\n" + "".join(
        f"float f{k + 1}(float x) {{ return f{k}(x) + f{k}(x + {k}.0); }}\n" for k in range(24)
    )
    program = link(  # type: ignore[operator]
        "attribute float a; varying float v;\n" + body + "void main() { v = f24(a); gl_Position = vec4(v); }",
        "precision mediump float; varying float v; void main() { gl_FragColor = vec4(v); }",
    )
    assert not program.ok
    assert "too large" in program.log


def test_calls_that_leave_no_instructions_are_stopped_too(link: object) -> None:
    """Constants are folded, so that 2 to the power of 24 calls would give a single one."""
    body = "float f0(float x) { return x; }\n" + "".join(
        f"float f{k + 1}(float x) {{ return f{k}(x) + f{k}(x * 2.0); }}\n" for k in range(24)
    )
    program = link(  # type: ignore[operator]
        "attribute vec4 p;\n" + body + "void main() { gl_Position = p * f24(1.0); }",
        "precision mediump float; void main() { gl_FragColor = vec4(1.0); }",
    )
    assert not program.ok
    assert "too large" in program.log


def test_regions_that_nest_are_stopped_when_linking(link: object) -> None:
    calls = "float f0(float x) { return x * 2.0; }\n" + "".join(
        f"float f{k + 1}(float x) {{ {'if (x > u) { ' * 50} x = f{k}(x); {'}' * 50} return x; }}\n" for k in range(40)
    )
    program = link(  # type: ignore[operator]
        "attribute vec4 p; void main() { gl_Position = p; }",
        "precision highp float; uniform float u;\n" + calls + "void main() { gl_FragColor = vec4(f40(u)); }",
    )
    assert not program.ok
    assert "too large" in program.log


def test_loops_stay_where_unrolling_makes_the_program_too_large(link: object) -> None:
    loops = "for (int i = 0; i < 60; i++) s = sin(s * u + float(i)) + cos(s) * s - u / s;\n" * 60
    program = link(  # type: ignore[operator]
        "attribute vec4 p; void main() { gl_Position = p; }",
        "precision highp float; uniform float u; void main() { float s = u;\n" + loops + "gl_FragColor = vec4(s); }",
    )
    assert program.ok, program.log
    assert sum(isinstance(node, Loop) for node in program.fragment.body.walk()) == 60
