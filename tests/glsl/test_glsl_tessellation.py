"""Tessellation shaders: what the language takes, and what must fit between the stages."""

from __future__ import annotations

import json

import pytest
from mesa_glsl import MesaProcess

from replay.glsl.compiler import CompileOptions, Shader, compile_shader, link_program, link_stage
from replay.glsl.serialize import decode_program, encode_program

_ES, _GL = "#version 320 es\nprecision highp float;\n", "#version 400\n"
_C, _I = "layout(vertices = 3) out; ", "gl_InvocationID"
_T = "layout(triangles) in; "
#: Verdict in ESSL 3.20 and in GLSL 4.00 (A accepted, R rejected; small where Mesa 22.3 differs), and the shader.
_CONTROL = [
    ("AA", _C + f"void main() {{ gl_out[{_I}].gl_Position = gl_in[{_I}].gl_Position; }}"),
    ("RR", "layout(vertices = 0) out; void main() { }"),
    ("AA", "layout(vertices = 32) out; void main() { }"),
    ("RR", "layout(vertices = 33) out; void main() { }"),
    ("RR", _C + "layout(vertices = 4) out; void main() { }"),
    ("AA", _C + "layout(vertices = 3) out; void main() { }"),
    ("RR", _C + "layout(triangles) in; void main() { }"),
    ("RR", _C + "in vec4 a; void main() { }"),
    ("AA", _C + "in vec4 a[]; in vec4 b[gl_MaxPatchVertices]; in vec4 c[32]; void main() { vec4 x = a[1] + b[31]; }"),
    ("RR", _C + "in vec4 a[3]; void main() { }"),
    ("RR", _C + "in vec4 a[]; void main() { vec4 x = a[32]; }"),
    ("RR", _C + "out vec4 a; void main() { }"),
    ("AA", _C + f"out vec4 a[]; out vec4 b[3]; void main() {{ a[{_I}] = vec4(1); b[{_I}].x = a[2].x; }}"),
    ("RR", _C + "out vec4 a[4]; void main() { }"),
    ("AA", f"out vec4 a[]; {_C} void main() {{ a[{_I}] = vec4(1); }}"),
    ("RR", _C + "out vec4 a[]; void main() { a[0] = vec4(1); }"),
    ("RR", _C + f"out vec4 a[]; void main() {{ a[{_I} + 0] = vec4(1); }}"),
    ("RR", _C + f"out vec4 a[]; void main() {{ int i = {_I}; a[i] = vec4(1); }}"),
    ("RR", _C + "void main() { gl_out[1].gl_Position = vec4(1); }"),
    ("RR", _C + "out vec4 a[]; void main() { vec4 x = a[3]; }"),
    ("AA", _C + "patch out vec4 a; void main() { a = vec4(1); a.x += a.y; }"),
    ("AA", _C + "patch out vec4 a[2]; void main() { a[1] = vec4(1); }"),
    ("RR", _C + "patch in vec4 a[]; void main() { }"),
    ("rr", _C + "patch uniform vec4 a; void main() { }"),
    ("AA", _C + "patch out B { vec4 a; float f[2]; } b; void main() { b.a = vec4(1); b.f[1] = 2.0; }"),
    ("AA", _C + f"in B {{ vec4 a; }} b[]; out D {{ vec4 a; }} d[]; void main() {{ d[{_I}].a = b[0].a; }}"),
    ("RR", _C + "in B { vec4 a; }; void main() { }"),
    ("RR", _C + "out B { vec4 a; } b; void main() { }"),
    ("RR", _C + "out B { vec4 a; } b[]; void main() { b[0].a = vec4(1); }"),
    ("AA", _C + "void main() { gl_TessLevelOuter[3] = 1.0; gl_TessLevelInner[1] = gl_TessLevelOuter[0]; }"),
    ("RR", _C + "void main() { gl_TessLevelOuter[4] = 1.0; }"),
    ("RR", _C + "void main() { gl_TessLevelInner[2] = 1.0; }"),
    ("RR", _C + "void main() { vec3 a = gl_TessCoord; }"),
    ("RR", _C + "void main() { gl_PrimitiveID = 1; }"),
    ("AA", _C + "void main() { int a = gl_PrimitiveID + gl_InvocationID + gl_PatchVerticesIn + gl_in.length(); }"),
    ("AA", _C + "void main() { int a = gl_out.length() + gl_MaxTessGenLevel + gl_MaxPatchVertices; }"),
    ("RA", _C + f"void main() {{ gl_out[{_I}].gl_PointSize = gl_in[0].gl_PointSize; }}"),
    ("AA", _C + "void main() { barrier(); { barrier(); } }"),
    ("RR", _C + "void f() { barrier(); } void main() { f(); }"),
    ("RR", _C + "void main() { if (gl_PrimitiveID == 0) barrier(); }"),
    ("RR", _C + "void main() { for (int i = 0; i < 2; i++) { barrier(); } }"),
    ("RR", _C + "void main() { switch (gl_PrimitiveID) { case 0: barrier(); } }"),
    ("RR", _C + "void main() { if (gl_PrimitiveID == 0) return; barrier(); }"),
    ("RR", _C + "void main() { discard; }"),
    ("RR", _C + "void main() { EmitVertex(); }"),
    ("RR", _C + "void main() { gl_Position = vec4(1); }"),
    ("RR", _C + "in bool a[]; void main() { }"),
    ("AA", _C + f"flat in int a[]; flat out ivec2 b[]; void main() {{ b[{_I}] = ivec2(a[0]); }}"),
    ("AA", _C + "in gl_PerVertex { vec4 gl_Position; } gl_in[]; out gl_PerVertex { vec4 gl_Position; } gl_out[];"
           f"void main() {{ gl_out[{_I}].gl_Position = gl_in[0].gl_Position; }}"),
    ("RR", _C + "void main() { int patch = 1; }"),
]  # fmt: skip
_EVALUATION = [
    ("AA", _T + "void main() { gl_Position = gl_in[0].gl_Position * gl_TessCoord.x; }"),
    ("AA", "layout(quads, fractional_even_spacing, cw, point_mode) in; void main() { }"),
    ("AA", "layout(isolines) in; layout(equal_spacing) in; layout(ccw) in; layout(isolines) in; void main() { }"),
    ("RR", _T + "layout(quads) in; void main() { }"),
    ("RR", _T + "layout(cw) in; layout(ccw) in; void main() { }"),
    ("RR", _T + "layout(equal_spacing) in; layout(fractional_odd_spacing) in; void main() { }"),
    ("RR", "layout(points) in; void main() { }"),
    ("RR", "layout(triangles) out; void main() { }"),
    ("RR", _T + "layout(vertices = 3) out; void main() { }"),
    ("AA", _T + "in vec4 a[]; patch in vec4 b; out vec4 c; void main() { c = a[2] + b; }"),
    ("RR", _T + "in vec4 a; void main() { }"),
    ("RR", _T + "in vec4 a[4]; void main() { }"),
    ("RR", _T + "patch out vec4 a; void main() { }"),
    ("AA", _T + "patch in B { vec4 a; } b; in D { vec4 a; } d[]; out E { vec4 a; } e; void main() {"
           "e.a = b.a + d[1].a; }"),
    ("RR", _T + "in B { vec4 a; } b; void main() { }"),
    ("AA", _T + "void main() { float a = gl_TessLevelOuter[0] + gl_TessLevelInner[1]; int b = gl_PatchVerticesIn; }"),
    ("RR", _T + "void main() { gl_TessLevelOuter[0] = 1.0; }"),
    ("RR", _T + "void main() { gl_TessCoord.x = 1.0; }"),
    ("RR", _T + "void main() { gl_in[0].gl_Position = vec4(1); }"),
    ("RR", _T + "void main() { int a = gl_InvocationID; }"),
    ("RR", _T + "void main() { barrier(); }"),
    ("RA", _T + "void main() { gl_PointSize = gl_in[0].gl_PointSize; }"),
    ("AA", _T + "out gl_PerVertex { vec4 gl_Position; }; void main() { gl_Position = vec4(1); }"),
    ("RR", _T + "void main() { float a = dFdx(1.0); }"),
    ("RR", _T + "in bool a[]; void main() { }"),
    ("AA", _T + "flat in int a[]; flat out int b; void main() { b = a[0]; }"),
]  # fmt: skip
_RULES = [*(("tess_control", *rule) for rule in _CONTROL), *(("tess_evaluation", *rule) for rule in _EVALUATION)]


def compiled(source: str, es: bool, stage: str) -> Shader:
    return compile_shader((_ES if es else _GL) + source, stage, CompileOptions(es=es, max_version=320 if es else 400))


@pytest.mark.parametrize(("stage", "verdicts", "source"), _RULES)
def test_rules(stage: str, verdicts: str, source: str) -> None:
    found = "".join("A" if compiled(source, es, stage).ok else "R" for es in (True, False))
    assert found == verdicts.upper()


@pytest.mark.gl
def test_rules_are_those_of_mesa() -> None:
    different = []
    for es, profile in ((True, "es"), (False, "core")):
        mesa = MesaProcess()
        for stage, verdicts, source in _RULES:
            answer = mesa.ask(profile, "compile", (_ES if es else _GL) + source, stage)
            if answer is None:
                pytest.skip("no Mesa")
            verdict = verdicts[0 if es else 1]
            if (answer[0] == verdict.isupper()) != (verdict.upper() == "A"):
                different.append((profile, source, answer))
    assert different == []


@pytest.mark.parametrize(
    ("version", "extension", "ok"),
    [
        ("310 es", "GL_EXT_tessellation_shader", True),
        ("310 es", "GL_OES_tessellation_shader", True),
        ("310 es", "", False),
        ("150", "GL_ARB_tessellation_shader", True),
        ("330", "", False),
    ],
)
def test_versions_and_extensions(version: str, extension: str, ok: bool) -> None:
    enabled = f"#extension {extension} : require\n" if extension else ""
    source = f"#version {version}\n{enabled}{_C}void main() {{ gl_TessLevelOuter[0] = 1.0; }}"
    is_es = version.endswith("es")
    shader = compile_shader(source, "tess_control", CompileOptions(es=is_es, max_version=320 if is_es else 460))
    assert shader.ok == ok
    assert ("there are no tessellation shaders" in shader.log) == (not ok)


_VS = "in vec4 p; out vec4 a; void main() { gl_Position = p; a = p; }"
_CS = _C + f"in vec4 a[]; out vec4 b[]; patch out vec3 q; void main() {{ b[{_I}] = a[{_I}]; q = a[0].xyz; }}"
_ES_SHADER = _T + "in vec4 b[]; patch in vec3 q; out vec4 c; void main() { c = b[0] + q.xyzz; gl_Position = c; }"
_FS = "in vec4 c; out vec4 o; void main() { o = c; }"


@pytest.mark.parametrize(
    ("control", "evaluation", "es", "message"),
    [
        (_CS, _ES_SHADER, False, ""),
        (_CS, _ES_SHADER, True, ""),
        ("", _ES_SHADER.replace("patch in vec3 q;", "const vec3 q = vec3(1);").replace("b[", "a["), False, ""),
        ("", _ES_SHADER, True, "there is no tessellation control shader"),
        (_CS, "", False, "there is no tessellation evaluation shader"),
        ("void main() { }", _ES_SHADER, False, "needs layout(vertices = ...) out;"),
        (_CS, _ES_SHADER.replace(_T, ""), False, "needs layout(...) in; with its primitive"),
        (_CS, _ES_SHADER.replace("vec4 b[]", "vec3 b[]").replace("b[0]", "b[0].xyzz"), False, "'b' is vec4[3]"),
        (_CS, _ES_SHADER.replace("patch in vec3 q;", "in vec3 q[];").replace("q.x", "q[0].x"), False,
         "'q' is of a whole patch in the tess_control shader only"),
        (_CS, _ES_SHADER.replace("b[", "d["), False, "input 'd' of the tess_evaluation shader is no output"),
    ],
)  # fmt: skip
def test_linking(control: str, evaluation: str, es: bool, message: str) -> None:
    stages = {"vertex": _VS, "tess_control": control, "tess_evaluation": evaluation, "fragment": _FS}
    program = link_program([compiled(source, es, stage) for stage, source in stages.items() if source])
    assert program.ok == (not message)
    assert message in program.log
    if program.ok:
        again = decode_program(json.loads(json.dumps(encode_program(program))))
        assert json.dumps(encode_program(again)) == json.dumps(encode_program(program))


def test_a_stage_is_looked_at_alone() -> None:
    for stage, source in (("tess_control", _CS), ("tess_evaluation", _ES_SHADER)):
        program = link_stage(compiled(source, False, stage))
        assert program.ok, program.log
        assert getattr(program, stage).tessellation is not None
