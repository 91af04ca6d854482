"""ESSL 3.10 and 3.20, GLSL 4.00 to 4.60: what of them is known, and that the rest is refused by name."""

# ruff: noqa: E501  (a shader reads best as one string)

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from mesa_glsl import MesaProcess

from replay.glsl import CompileOptions, Program, compile_shader, link_program
from replay.glsl.conformance.pipeline import fill_constants
from replay.glsl.numpy_executor import NumpyStage
from replay.glsl.serialize import decode_program, encode_program
from replay.glsl.texturing import Lookup, LookupKind

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


@pytest.mark.parametrize("word", ["samplerCubeArray", "imageBuffer", "textureQueryLod", "interpolateAtOffset"])
def test_what_is_missing_is_named(word: str) -> None:
    use = f"vec4 v = vec4({word}(1));" if word in ("textureQueryLod", "interpolateAtOffset") else f"{word} x;"
    shader = compile_shader(f"#version 310 es\nvoid main() {{ {use} }}", "vertex", CompileOptions(max_version=310))
    assert not shader.ok
    assert f"'{word}" in shader.log


def signed(value: int) -> int:
    return (value & 0xFFFFFFFF) - ((value & 0x80000000) << 1)


def extracted(value: int, offset: int, bits: int, *, is_signed: bool) -> int:
    field = (value >> offset) & ((1 << bits) - 1)
    return field - (1 << bits) if is_signed and bits and field >> (bits - 1) else field


def inserted(value: int, new: int, offset: int, bits: int) -> int:
    mask = ((1 << bits) - 1) << offset
    return (value & ~mask) | ((new << offset) & mask)


NUMBERS = (0, 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0x00FF1200, 0xDEADBEEF, 6)
FIELDS = ((0, 0), (0, 32), (3, 7), (31, 1), (8, 24), (16, 0))


def bit_cases() -> Iterator[tuple[str, int]]:
    """Expressions of type int, and their values."""
    for x in NUMBERS:
        bits = f"{x:032b}"
        u, i = f"(zero ^ {x}u)", f"int(zero ^ {x}u)"
        yield f"int(bitfieldReverse({u}))", int(bits[::-1], 2)
        yield f"bitCount({i})", bits.count("1")
        yield f"findLSB({u})", 31 - bits.rindex("1") if x else -1
        yield f"findMSB({u})", x.bit_length() - 1
        yield f"findMSB({i})", (signed(x) if signed(x) >= 0 else ~signed(x)).bit_length() - 1
        for offset, count in FIELDS:
            yield f"int(bitfieldExtract({u}, {offset}, {count}))", extracted(x, offset, count, is_signed=False)
            yield f"bitfieldExtract({i}, {offset}, {count})", extracted(x, offset, count, is_signed=True)
            yield (
                f"int(bitfieldInsert({u}, 0x5A5AA5A5u, {offset}, {count}))", inserted(x, 0x5A5AA5A5, offset, count)
            )  # fmt: skip
    for x, e in ((1.5, 3), (-3.0, -5), (1.0, 127), (1.0, -126), (0.0, 9), (2.0, -130)):
        yield f"floatBitsToInt(ldexp({x} + float(zero), {e}))", int(np.float32(x * 2.0**e).view(np.uint32))
    yield "int(fma(vec2(2.0, 3.0), vec2(4.0), vec2(5.0, float(zero))).x)", 13
    yield "int(packUnorm4x8(vec4(1.0, 0.0, 0.5, float(zero))))", 0x008000FF


def test_functions_on_bits() -> None:
    """Each at run time and folded, beside arithmetic on Python's integers."""
    cases = list(bit_cases())
    options = CompileOptions(max_version=320)
    head = HEADS["320 es"][0]
    vertex = compile_shader(head + "void main() { gl_Position = vec4(0.0); }", "vertex", options)
    for declared in ("uniform uint zero;", "const uint zero = 0u;"):
        for start in range(0, len(cases), 4):
            some = cases[start : start + 4]
            texts = [text for text, _ in some] + ["0"] * (4 - len(some))
            source = f"{head}{declared} out ivec4 o; void main() {{ o = ivec4({', '.join(texts)}); }}"
            program = link_program([vertex, compile_shader(source, "fragment", options)])
            assert program.ok, program.log
            ir = program.fragment
            assert ir is not None
            areas = [area[:, 0] for area in fill_constants(program, ir, {"zero": np.zeros((1, 1))}, 1)]
            values = NumpyStage(ir).run(4, [], areas, None).outputs[0][:, 0]
            for (text, wanted), value in zip(some, np.asarray(values).view(np.int32), strict=False):
                assert value == signed(wanted), text


def test_functions_on_bits_of_older_versions_are_unknown() -> None:
    for name, function, known in (
        ("300 es", "bitCount(1)", False), ("310 es", "bitCount(1)", True), ("330", "bitCount(1)", False),
        ("310 es", "int(fma(1.0, 1.0, 1.0))", False), ("320 es", "int(fma(1.0, 1.0, 1.0))", True),
        ("410", "int(fma(1.0, 1.0, 1.0))", True),
    ):  # fmt: skip
        head, es, newest, _ = HEADS[name]
        assert compiled(f"{head}out ivec4 o; void main() {{ o = ivec4({function}); }}", "fragment", es, newest) == known


TABLE = Path(__file__).parent / "data" / "rules_newer.txt"
TABLE_HEADS = {
    "300 es": "#version 300 es\nprecision mediump float;\n",
    "310 es": "#version 310 es\nprecision mediump float;\n",
    "320 es": "#version 320 es\nprecision mediump float;\n",
    "330": "#version 330\n",
    "450": "#version 450\n",
}


def test_rules_of_newer_versions() -> None:
    wrong = []
    for line in TABLE.read_text().splitlines():
        codes, _, source = line.partition(" ")
        if line.startswith("#"):
            continue
        for column, (name, head) in enumerate(TABLE_HEADS.items()):
            es = name.endswith("es")
            for k, stage in enumerate(("vertex", "fragment")):
                wanted = codes[2 * column + k] in "Aa"
                if compiled(head + source + "\n", stage, es, 320 if es else 460) != wanted:
                    wrong.append((name, stage, source))
    assert not wrong


STAGE_TABLE = TABLE.with_name("rules_stages.txt")
STAGE_HEADS = {name: TABLE_HEADS[name] for name in ("310 es", "320 es", "450")}
STAGE_NAMES = {
    "V": "vertex", "T": "tess_control", "E": "tess_evaluation", "G": "geometry", "F": "fragment", "C": "compute",
}  # fmt: skip


def stage_rules() -> Iterator[tuple[str, str, str]]:
    """Rows of the table of stages: stage, verdicts by version, source."""
    for line in STAGE_TABLE.read_text().splitlines():
        if not line.startswith("#"):
            letter, codes, source = line.split(" ", 2)
            yield STAGE_NAMES[letter], codes, source + "\n"


def test_rules_of_the_stages() -> None:
    wrong = [
        (name, stage, source)
        for stage, codes, source in stage_rules()
        for code, (name, head) in zip(codes, STAGE_HEADS.items(), strict=True)
        if compiled(head + source, stage, name.endswith("es"), 320 if name.endswith("es") else 460) != (code in "Aa")
    ]
    assert not wrong


@pytest.mark.parametrize("version", ["100", "300 es", "310 es", "320 es", "130", "330", "400", "450"])
def test_advanced_blending_by_extension(version: str) -> None:
    es = version == "100" or version.endswith("es")
    for head, accepted in (
        ("", version == "320 es"),
        ("#extension GL_KHR_blend_equation_advanced : require\n", True),
    ):
        text = f"#version {version}\n{head}layout(blend_support_all_equations) out;\nvoid main() {{ }}\n"
        assert compiled(text, "fragment", es, 320 if es else 460) == accepted
        text = text.replace("all_equations", "bogus")
        assert not compiled(text, "fragment", es, 320 if es else 460)


@pytest.mark.gl
def test_small_letters_are_where_mesa_differs() -> None:
    mesa = MesaProcess()
    column, head = 1, STAGE_HEADS["320 es"]
    wrong = []
    for stage, codes, source in list(stage_rules())[::3]:
        answer = mesa.ask("es", "compile", head + source, stage)
        if answer is None:
            pytest.skip("no EGL context")
        if answer[0] != (codes[column] in "Ar"):
            wrong.append((stage, source))
    mesa.close()
    assert not wrong


def gathers(source: str) -> list[Lookup]:
    program = linked("out vec4 v; void main() { gl_Position = v = vec4(0.5); }", source)
    assert program.ok, program.log
    assert program.fragment is not None
    again = decode_program(encode_program(program))
    assert again.fragment is not None
    assert [texture.lookup for texture in again.fragment.textures] == [t.lookup for t in program.fragment.textures]
    return [texture.lookup for texture in program.fragment.textures]


def test_gathers() -> None:
    head = "in vec4 v; out vec4 o; uniform highp sampler2D s; uniform highp sampler2DArrayShadow a;"
    first, second = gathers(
        head + "void main() { o = textureGather(s, v.xy, 2) + textureGatherOffset(a, v.xyz, v.w, ivec2(1, -2)); }"
    )
    assert (first.kind, first.component, first.offset, first.is_shadow) == (LookupKind.GATHER, 2, (0, 0, 0), False)
    assert (second.kind, second.offset, second.is_shadow, second.is_array) == (
        LookupKind.GATHER,
        (1, -2, 0),
        True,
        True,
    )


EXTENSION_ROWS = (
    ("GL_EXT_gpu_shader5", "uniform highp sampler2D s[3]; uniform int k; void main() { precise vec4 a = texture(s[k], vec2(0)); float b = fma(1.0, 2.0, 3.0); }"),
    ("GL_OES_gpu_shader5", "uniform highp sampler2D s; void main() { vec4 a = textureGatherOffsets(s, vec2(0), ivec2[4](ivec2(0), ivec2(1), ivec2(2), ivec2(3))); }"),
    ("GL_EXT_shader_io_blocks", "in B { vec4 a; } b; void main() { vec4 c = b.a; }"),
    ("GL_OES_texture_buffer", "uniform highp samplerBuffer s; void main() { vec4 a = texelFetch(s, 3); int n = textureSize(s); }"),
    ("GL_EXT_texture_buffer", "layout(r32f) uniform highp imageBuffer i; void main() { imageStore(i, 3, vec4(1)); }"),
    ("GL_OES_texture_storage_multisample_2d_array", "uniform highp sampler2DMSArray s; void main() { vec4 a = texelFetch(s, ivec3(3), 1); ivec3 n = textureSize(s); }"),
    ("GL_OES_sample_variables", "void main() { gl_SampleMask[0] = gl_SampleMaskIn[0] >> gl_SampleID + gl_MaxSamples - gl_NumSamples; vec2 p = gl_SamplePosition; }"),
    ("GL_OES_shader_multisample_interpolation", "sample in vec4 a; in float b[2]; void main() { vec4 c = interpolateAtSample(a, 2) + interpolateAtOffset(b[1], vec2(0.25)); }"),
    ("GL_EXT_gpu_shader5", "uniform highp sampler2D s; uniform ivec2 k; void main() { vec4 a = textureGatherOffset(s, vec2(0), k); }"),
    ("GL_EXT_shader_io_blocks", "layout(location = 3) in B { vec4 a; } b; void main() { vec4 c = b.a; }"),
    ("GL_EXT_texture_cube_map_array", "uniform highp samplerCubeArray s; void main() { vec4 a = texture(s, vec4(0)); }"),
    ("GL_OES_texture_cube_map_array", "layout(rgba8) uniform highp writeonly imageCubeArray i; void main() { imageStore(i, ivec3(0), vec4(1)); }"),
    ("GL_OES_shader_image_atomic", "layout(r32ui) uniform highp uimage2D i; void main() { uint a = imageAtomicAdd(i, ivec2(0), 1u); }"),
)  # fmt: skip


@pytest.mark.parametrize(("extension", "text"), EXTENSION_ROWS)
def test_extensions_bring_what_a_later_version_has(extension: str, text: str) -> None:
    """In 3.10 only with the extension, in 3.20 without."""
    precision = "precision mediump float;\n"
    with_it = f"#version 310 es\n#extension {extension} : require\n{precision}{text}\n"
    assert compiled(with_it, "fragment", True, 320)
    assert not compiled(f"#version 310 es\n{precision}{text}\n", "fragment", True, 320)
    assert compiled(f"#version 320 es\n{precision}{text}\n", "fragment", True, 320)


def test_blocks_between_stages_in_es() -> None:
    options = CompileOptions(max_version=320)
    head = HEADS["320 es"][0]
    block = "B { vec4 a; flat ivec2 b[2]; }"
    vertex = f"out {block} o; void main() {{ o.a = vec4(1.0); o.b[1] = ivec2(2); gl_Position = vec4(0.0); }}"
    fragment = f"in {block} i; out vec4 c; void main() {{ c = i.a + vec4(i.b[1], 0, 0); }}"
    program = link_program(
        [compile_shader(head + vertex, "vertex", options), compile_shader(head + fragment, "fragment", options)]
    )
    assert program.ok, program.log
    assert program.fragment is not None
    assert [slot.name for slot in program.fragment.inputs] == ["B.a", "B.b"]


@pytest.mark.parametrize(
    ("vertex", "fragment", "message"),
    [
        ("layout(location = 2) out B { vec4 a; mat2 m; } o;", "layout(location = 2) in B { vec4 a; mat2 m; } i;", ""),
        (
            "out B { layout(location = 2) vec4 a; layout(location = 3) mat2 m; } o;",
            "layout(location = 2) in B { vec4 a; mat2 m; } i;",
            "",
        ),
        (
            "layout(location = 2) out B { vec4 a; mat2 m; } o;",
            "layout(location = 3) in B { vec4 a; mat2 m; } i;",
            "declared differently",
        ),
        ("layout(location = 2) out B { vec4 a; mat2 m; } o;", "in B { vec4 a; mat2 m; } i;", "declared differently"),
        (
            "layout(location = 2) out B { vec4 a; mat2 m; } o; layout(location = 4) out vec4 v;",
            "layout(location = 2) in B { vec4 a; mat2 m; } i;",
            "same location",
        ),
    ],
)
def test_locations_of_blocks_between_stages(vertex: str, fragment: str, message: str) -> None:
    options = CompileOptions(max_version=320)
    head = HEADS["320 es"][0]
    texts = (
        f"{vertex} void main() {{ o.a = vec4(1.0); o.m = mat2(2.0); gl_Position = vec4(0.0); }}",
        f"{fragment} out vec4 c; void main() {{ c = i.a + vec4(i.m[0], i.m[1]); }}",
    )
    program = link_program(
        [compile_shader(head + text, stage, options) for text, stage in zip(texts, ("vertex", "fragment"), strict=True)]
    )
    assert program.ok == (not message), program.log
    assert message in program.log
