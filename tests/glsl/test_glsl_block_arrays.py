"""Arrays of blocks by an index that is no constant: who takes them, what they give, where an index ends."""

from __future__ import annotations

import numpy as np
import pytest
from compute_twin import HEAD, build, run

from replay.glsl import CompileOptions, compile_shader

_UNIFORM = "uniform B { float a[3]; } b[3]; out vec4 o; uniform int i; void main() { o = vec4(b[i].a[i]); }"
_STORAGE = (
    "buffer B { float a[3]; } b[3]; out vec4 o; uniform int i; void main() { o = vec4(b[i].a[i]); b[i].a[0] = 1.0; }"
)
_LENGTH = "buffer B { float a[]; } b[3]; out vec4 o; uniform int i; void main() { o = vec4(b[i].a.length()); }"
_DESKTOP = "#version 450\n"


@pytest.mark.parametrize(("version", "extension", "accepted"), [
    ("300 es", "", (False, False, False)),
    ("310 es", "", (False, False, False)),
    ("310 es", "GL_EXT_gpu_shader5", (True, False, False)),
    ("310 es", "GL_OES_gpu_shader5", (True, False, False)),
    ("320 es", "", (True, False, False)),
    ("330", "", (False, False, False)),
    ("400", "", (True, False, False)),
    ("430", "", (True, True, True)),
    ("450", "", (True, True, True)),
])  # fmt: skip
def test_who_takes_them(version: str, extension: str, accepted: tuple[bool, ...]) -> None:
    """As Mesa 22.3; ESSL 3.20 §4.3.9 wants constants for blocks of storage."""
    head = f"#version {version}\n" + (f"#extension {extension} : require\n" if extension else "")
    options = CompileOptions(es=version.endswith("es"), max_version=320 if version.endswith("es") else 460)
    shaders = [
        compile_shader(f"{head}precision highp float;\n{text}", "fragment", options)
        for text in (_UNIFORM, _STORAGE, _LENGTH)
    ]
    assert tuple(shader.ok for shader in shaders) == accepted


def test_a_version_without_them_says_so() -> None:
    for version, es, text in (("300 es", True, _UNIFORM), ("320 es", True, _STORAGE)):
        source = f"#version {version}\nprecision highp float;\n{text}"
        shader = compile_shader(source, "fragment", CompileOptions(es=es, max_version=320))
        assert "arrays of blocks need constant indices" in shader.log


def bound(index: int, count: int) -> int:
    """The element that an index means: one outside, of whichever sign, is the last one, as in Mesa."""
    return min(index & 0xFFFFFFFF, count - 1)


INDICES = np.array([0, 1, 2, 2, 1, 0, 3, -1, 1 << 30, -(1 << 31), 2, 0, 1, 7, -3, 2], np.int32)


def test_uniform_blocks() -> None:
    """Members of every kind, in each of 16 lanes of another block."""
    source = (
        HEAD + "layout(local_size_x = 16) in; struct S { vec3 v; float f[2]; };"
        "layout(std140, binding = 1) uniform B { mat2x3 m; layout(row_major) mat3x2 r; S s[2]; ivec4 n; } b[3];"
        "layout(std430, binding = 9) buffer I { int at[16]; }; layout(std430, binding = 10) buffer O { float o[]; };"
        "S whole(S s) { s.f[1] += 1.0; return s; }"
        "void main() { int k = int(gl_LocalInvocationIndex), i = at[k], at = 12 * k; uint u = uint(i);"
        "S s = whole(b[i].s[k & 1]);"
        "o[at] = b[i].m[1].y; o[at + 1] = b[u].m[k & 1][k % 3]; o[at + 2] = b[i].r[2].y; o[at + 3] = b[i].r[k % 3].x;"
        "o[at + 4] = b[i].s[k & 1].v.z; o[at + 5] = float(b[u].n.zyx.y); o[at + 6] = b[i].s[1].f[k >> 3];"
        "o[at + 7] = s.v.y; o[at + 8] = s.f[1]; o[at + 9] = float(b[i].n[k & 3]); o[at + 10] = b[b[i].n.x & 1].m[0].x;"
        "o[at + 11] = float(b[i].m == b[2].m); }"
    )
    rng = np.random.default_rng(5)
    words = [rng.integers(-99, 99, 60).astype(np.float32) for _ in range(3)]
    for block in words:
        block[40:44] = rng.integers(-9, 9, 4).astype(np.int32).view(np.float32)
    buffers = {k + 1: block for k, block in enumerate(words)} | {9: INDICES, 10: np.zeros(12 * 16, np.float32)}
    found = run(build(source), (1, 1, 1), buffers)[0][10].view(np.float32).reshape(16, 12)
    for k, index in enumerate(INDICES):
        block = words[bound(int(index), 3)]
        numbers = block[40:44].view(np.int32)
        struct, first = block[16 + 12 * (k & 1) :], words[numbers[0] & 1]
        assert found[k].tolist() == [
            block[5], block[4 * (k & 1) + k % 3], block[14], block[8 + k % 3], struct[2], numbers[1],
            block[28 + 4 + 4 * (k >> 3)], struct[1], struct[8] + 1, numbers[k & 3], first[0],
            float(bound(int(index), 3) == 2),
        ]  # fmt: skip


def test_blocks_of_storage() -> None:
    """Read, written, added to, counted: each lane in a block and at a place of its own."""
    source = (
        _DESKTOP + "layout(local_size_x = 16) in;"
        "layout(std430, binding = 1) buffer B { uint count; vec2 two; uint a[]; } b[3];"
        "layout(std430, binding = 9) buffer I { int at[16]; }; layout(std430, binding = 10) buffer O { uint o[]; };"
        "void set(out uint x, uint y) { x = y; } void more(inout uint x) { x += 5u; }"
        "void main() { int k = int(gl_LocalInvocationIndex), i = at[k]; o[2 * k] = b[i].a[k]++;"
        "set(b[i].a[k + 16], uint(k) * 3u); more(b[i].a[k + 32]); o[2 * k + 1] = uint(b[i].a.length());"
        "atomicAdd(b[uint(i)].count, 1u << k); b[i].two[k & 1] = float(i + 1); b[i].a[k + 1000] = 7u; }"
    )
    start = [np.arange(52 + k, dtype=np.uint32) + 100 * k for k in range(3)]
    buffers = {k + 1: block.copy() for k, block in enumerate(start)}
    found = run(build(source, es=False), (1, 1, 1), buffers | {9: INDICES, 10: np.zeros(32, np.uint32)})[0]
    expected = {k + 1: block.copy() for k, block in enumerate(start)}
    out = []
    for k, index in enumerate(INDICES):
        block = expected[bound(int(index), 3) + 1]
        out += [int(block[4 + k]), block.size - 4]
        block[4 + k] += 1
        block[4 + k + 16] = 3 * k
        block[4 + k + 32] += 5
        block[0] += 1 << k
        block[2 + (k & 1)] = np.float32(int(np.int32(index)) + 1).view(np.uint32)
    for binding, block in expected.items():
        np.testing.assert_array_equal(found[binding].view(np.uint32), block)
    assert found[10].tolist() == out


def test_every_element_is_active_and_its_lines_are_those_that_lanes_reach() -> None:
    source = (
        _DESKTOP + "layout(local_size_x = 1) in; layout(std430, binding = 1) buffer B { uint a[64]; } b[3];"
        "uniform int i; void main() { b[i].a[20] = b[i + 1].a[40]; }"
    )
    program = build(source, es=False)
    assert [block.name for block in program.reflection.storage_blocks] == ["B[0]", "B[1]", "B[2]"]
    touched: dict[str, np.ndarray] = {}
    run(program, (1, 1, 1), {k: np.zeros(64, np.uint32) for k in (1, 2, 3)}, {"i": [1]}, touched=touched)
    marks = {name: np.flatnonzero(lines).tolist() for name, lines in touched.items()}
    assert marks == {"B[0]": [], "B[1]": [3], "B[2]": [4]}


def test_a_loop_that_is_unrolled_has_no_branch() -> None:
    """Indices that turn out to be constants reach their block alone."""
    head = HEAD + "layout(local_size_x = 1) in; uniform B { float a; } b[3]; buffer O { float o; };"
    looped = build(head + "void main() { float s = 0.0; for (int i = 0; i < 3; i++) s += b[i].a; o = s; }")
    written = build(head + "void main() { float s = 0.0; s += b[0].a; s += b[1].a; s += b[2].a; o = s; }")
    ours, plain = (program.compute for program in (looped, written))
    assert ours is not None
    assert plain is not None
    assert [one.op for one in ours.body.instructions()] == [one.op for one in plain.body.instructions()]
