"""Geometry shaders: what the language takes, what must fit between the stages, and limits."""

from __future__ import annotations

import json

import pytest
from mesa_glsl import MesaProcess

from replay.glsl.compiler import CompileOptions, Shader, compile_shader, link_program, link_stage
from replay.glsl.serialize import decode_program, encode_program

_ES, _GL = "#version 320 es\nprecision highp float;\n", "#version 330\n"
_IO = "layout(points) in; layout(triangle_strip, max_vertices = 3) out; "
_END = " gl_Position = gl_in[0].gl_Position; EmitVertex(); EndPrimitive(); }"
#: Verdict in ESSL 3.20 and in GLSL 3.30 (A accepted, R rejected; small where Mesa 22.3 differs), and the shader.
_RULES = [
    ("AA", _IO + "void main() {" + _END),
    ("RR", "layout(triangle_strip, max_vertices = 3) out; layout(points) out; layout(points) in; void main() { }"),
    ("RR", _IO + "layout(lines) in; void main() {" + _END),
    ("RR", _IO + "layout(max_vertices = 4) out; void main() {" + _END),
    ("RR", "layout(points) in; layout(triangles, max_vertices = 3) out; void main() { }"),
    ("rr", "layout(points) in; layout(points, max_vertices = 257) out; void main() { }"),
    ("AR", "layout(points, invocations = 32) in; layout(points, max_vertices = 3) out; void main() {" + _END),
    ("RR", "layout(points, invocations = 33) in; layout(points, max_vertices = 3) out; void main() {" + _END),
    ("RR", "layout(points, invocations = 0) in; layout(points, max_vertices = 3) out; void main() {" + _END),
    ("RR", _IO + "in vec4 a; void main() {" + _END),
    ("AA", _IO + "in vec4 a[]; in vec4 b[1]; out vec4 c; void main() { c = a[0] + b[0];" + _END),
    ("RR", _IO + "in vec4 a[2]; void main() {" + _END),
    ("AA", "in vec4 a[2]; layout(lines) in; layout(points, max_vertices = 1) out; out vec4 c; "
           "void main() { c = a[1];" + _END),
    ("RR", "in vec4 a[3]; layout(lines) in; layout(points, max_vertices = 1) out; void main() {" + _END),
    ("RR", _IO + "in vec4 a[]; void main() { gl_Position = a[1]; }"),
    ("AA", _IO + "void main() { int n = gl_in.length() + gl_PrimitiveIDIn; gl_PrimitiveID = n; gl_Layer = 0;" + _END),
    ("RR", _IO + "void main() { gl_PrimitiveIDIn = 1; }"),
    ("RR", _IO + "void main() { gl_in[0].gl_Position = vec4(1); }"),
    ("RA", _IO + "void main() { gl_PointSize = gl_in[0].gl_PointSize;" + _END),
    ("AR", _IO + "void main() { gl_PrimitiveID = gl_InvocationID;" + _END),
    ("AA", _IO + "in B { vec4 a; } b[]; out C { vec4 a; } c; void main() { c.a = b[0].a;" + _END),
    ("RR", _IO + "in B { vec4 a; }; void main() {" + _END),
    ("RR", _IO + "in B { vec4 a; } b; void main() {" + _END),
    ("AA", _IO + "in gl_PerVertex { vec4 gl_Position; } gl_in[]; out gl_PerVertex { vec4 gl_Position; };"
           "void main() {" + _END),
    ("RR", _IO + "void f() { discard; } void main() { f(); }"),
    ("RR", _IO + "void main() { float a = dFdx(1.0); }"),
    ("RR", _IO + "void main() { EmitVertex(1); }"),
    ("RR", _IO + "void main() { gl_FragCoord; }"),
    ("RR", _IO + "in bool a[]; void main() {" + _END),
    ("AA", _IO + "flat in int a[]; flat out ivec2 c; void main() { c = ivec2(a[0]);" + _END),
]  # fmt: skip


def compiled(source: str, es: bool, stage: str = "geometry") -> Shader:
    return compile_shader((_ES if es else _GL) + source, stage, CompileOptions(es=es, max_version=320 if es else 330))


@pytest.mark.parametrize(("verdicts", "source"), _RULES)
def test_rules(verdicts: str, source: str) -> None:
    found = "".join("A" if compiled(source, es).ok else "R" for es in (True, False))
    assert found == verdicts.upper()


@pytest.mark.gl
def test_rules_are_those_of_mesa() -> None:
    different = []
    for es, profile in ((True, "es"), (False, "core")):
        mesa = MesaProcess()
        for verdicts, source in _RULES:
            answer = mesa.ask(profile, "compile", (_ES if es else _GL) + source, "geometry")
            if answer is None:
                pytest.skip("no Mesa")
            verdict = verdicts[0 if es else 1]
            if (answer[0] == verdict.isupper()) != (verdict.upper() == "A"):
                different.append((profile, source, answer))
    assert different == []


_VS = "in vec4 p; out vec4 a; flat out int n; void main() { gl_Position = p; a = p; n = 1; }"
_GS = _IO + "in vec4 a[]; out vec4 c; void main() { c = a[0];" + _END
_FS = "in vec4 c; out vec4 o; void main() { o = c; }"


@pytest.mark.parametrize(
    ("vertex", "geometry", "fragment", "message"),
    [
        (_VS, _GS, _FS, ""),
        (_VS, _GS.replace("in vec4 a[]", "in vec3 a[]").replace("c = a[0]", "c = a[0].xyzz"), _FS, "'a' is vec4"),
        (_VS, _GS.replace(" a[", " b["), _FS, "input 'b' of the geometry shader is no output of the vertex shader"),
        (_VS, _GS, _FS.replace(" c;", " d;").replace("= c", "= d"),
         "input 'd' of the fragment shader is no output of the geometry shader"),
        (_VS, _GS, _FS.replace("in vec4 c", "flat in vec4 c"), "'c' is smooth in the geometry shader and flat"),
        (_VS.replace("in vec4 p;", "in vec4 p; uniform int u;").replace("n = 1", "n = u"), _GS,
         _FS.replace("in vec4 c;", "in vec4 c; uniform float u;").replace("= c", "= c * u"), "uniform 'u' is int"),
        (_VS, _GS.replace("max_vertices = 3", "max_vertices = 256"), _FS, "2048 in all; there are 128 and 1024"),
    ],
)  # fmt: skip
def test_linking(vertex: str, geometry: str, fragment: str, message: str) -> None:
    stages = (("vertex", vertex), ("geometry", geometry), ("fragment", fragment))
    program = link_program([compiled(source, False, stage) for stage, source in stages])
    assert program.ok == (not message)
    assert message in program.log
    if program.ok:
        again = decode_program(json.loads(json.dumps(encode_program(program))))
        assert json.dumps(encode_program(again)) == json.dumps(encode_program(program))


def test_a_geometry_shader_is_looked_at_alone() -> None:
    program = link_stage(compiled(_GS, False))
    assert program.geometry is not None
    assert program.geometry.geometry is not None
    assert program.geometry.geometry.words == 9


def test_outputs_that_nobody_reads_are_not_emitted() -> None:
    source = _IO + "out vec4 c; out mat4 unused; void main() { c = vec4(1); unused = mat4(2);" + _END
    program = link_program(
        [compiled(source, False, stage) for stage, source in (("vertex", _VS), ("geometry", source), ("fragment", _FS))]
    )
    assert program.geometry is not None
    assert program.geometry.geometry is not None
    assert program.geometry.geometry.words == 9


def test_arrays_of_outputs_stay_whole() -> None:
    source = _IO + "out vec4 c, e[3]; void main() { c = vec4(1); for (int i = 0; i < 3; i++) e[i] = vec4(i);" + _END
    fragment = "in vec4 c, e[3]; out vec4 o; void main() { o = c + e[1] + e[2]; }"
    stages = (("vertex", _VS), ("geometry", source), ("fragment", fragment))
    program = link_program([compiled(text, False, stage) for stage, text in stages])
    assert program.geometry is not None, program.log
    assert all(output.variable in program.geometry.variables for output in program.geometry.outputs)
