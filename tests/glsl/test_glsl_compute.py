"""Compute shaders: memory, atomics, barriers, images and counters, in both executors, by values worked out by hand."""

# ruff: noqa: E501  (a shader reads best as one string)

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from compute_programs import check
from compute_twin import HEAD, build, run
from mesa_glsl import Mesa, MesaMissingError, MesaProcess

from replay.glsl import CompileOptions, compile_shader, link_program
from replay.glsl.memory import MemoryKind


@pytest.fixture(scope="module")
def mesa() -> Iterator[MesaProcess]:
    try:
        Mesa.probe()
    except MesaMissingError as error:
        pytest.skip(str(error))
    process = MesaProcess(60.0)
    yield process
    process.close()


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def test_layouts_of_storage_blocks() -> None:
    """std140 and std430, row-major, structures, vectors of three, booleans: each word where the rules put it."""
    source = (
        HEAD
        + """
    layout(local_size_x = 1) in;
    struct S { vec3 a; float b; bool c; mat2x3 m; };
    layout(std430, binding = 0) buffer A { float f; vec3 v; float g[3]; mat3 m; layout(row_major) mat2x3 r; S s[2]; uint tail[]; } a;
    layout(std140, binding = 1) buffer B { float f; vec3 v; float g[3]; mat3 m; layout(row_major) mat2x3 r; S s[2]; uint tail[]; } b;
    #define FILL(x) x.f = 1.0; x.v = vec3(2, 3, 4); x.g = float[3](5.0, 6.0, 7.0); x.m = mat3(8, 9, 10, 11, 12, 13, 14, 15, 16); \\
      x.r = mat2x3(17, 18, 19, 20, 21, 22); x.s[1] = S(vec3(23, 24, 25), 26.0, true, mat2x3(27, 28, 29, 30, 31, 32)); x.tail[x.tail.length() - 1] = 33u;
    void main() { FILL(a) FILL(b) }
    """
    )
    program = build(source)
    found, _ = run(program, (1, 1, 1), {0: np.zeros(66, np.int32), 1: np.zeros(84, np.int32)})
    for buffer, at in (
        (found[0], dict(f=0, v=4, g=7, gs=1, m=12, r=24, rs=2, s=48, tail=65)),
        (found[1], dict(f=0, v=4, g=8, gs=4, m=20, r=32, rs=4, s=60, tail=80)),
    ):
        number = buffer.view(np.float32)
        assert number[at["f"]] == 1
        assert number[at["v"] : at["v"] + 3].tolist() == [2, 3, 4]
        assert [number[at["g"] + k * at["gs"]] for k in range(3)] == [5, 6, 7]
        assert [number[at["m"] + 4 * c + r] for c in range(3) for r in range(3)] == list(range(8, 17))
        assert [number[at["r"] + at["rs"] * r + c] for c in range(2) for r in range(3)] == list(range(17, 23))
        assert number[at["s"] : at["s"] + 4].tolist() == [23, 24, 25, 26]
        assert buffer[at["s"] + 4] == 1
        assert [number[at["s"] + 8 + 4 * c + r] for c in range(2) for r in range(3)] == list(range(27, 33))
        assert buffer[at["tail"]] == 33


def test_reflection() -> None:
    source = (
        HEAD
        + """
    layout(local_size_x = 2, local_size_y = 3) in;
    struct P { vec2 at; uint k; };
    layout(std430, binding = 4) buffer Points { uint n; P points[]; } points;
    layout(std430, binding = 2) readonly buffer Numbers { float numbers[]; };
    layout(std430) buffer Unused { float u; };
    layout(binding = 1, offset = 8) uniform atomic_uint c[2];
    layout(binding = 3, rgba8) writeonly uniform highp image2D img;
    uniform uint k;
    void main() { points.points[k].k = atomicCounterIncrement(c[1]); imageStore(img, ivec2(k), vec4(numbers[k])); }
    """
    )
    program = build(source)
    assert program.compute is not None
    assert program.compute.local_size == (2, 3, 1)
    known = program.reflection
    assert [(b.name, b.size, b.binding, b.stages) for b in known.storage_blocks] == [
        ("Points", 24, 4, "compute"), ("Numbers", 4, 2, "compute"), ("Unused", 4, 0, ""),
    ] or [b.name for b in known.storage_blocks][:2] == ["Points", "Numbers"]  # fmt: skip
    assert [(v.name, v.size, v.offset, v.top_size, v.top_stride) for v in known.storage_variables[:4]] == [
        ("Points.n", 1, 0, 1, 0), ("Points.points[0].at", 1, 8, 0, 16), ("Points.points[0].k", 1, 16, 0, 16), ("numbers[0]", 0, 0, 1, 0),
    ]  # fmt: skip
    assert [(b.binding, b.size, b.stages) for b in known.counter_buffers] == [(1, 16, "compute")]
    uniforms = {u.name: u for u in known.uniforms}
    assert (uniforms["c[0]"].counter_buffer, uniforms["c[0]"].offset, uniforms["c[0]"].location) == (0, 8, -1)
    assert uniforms["img"].initial == (3,)
    assert uniforms["img"].is_image
    assert uniforms["k"].compute_offset >= 0
    assert {slot.kind for slot in program.compute.memories} == {
        MemoryKind.STORAGE,
        MemoryKind.COUNTERS,
        MemoryKind.IMAGE,
        MemoryKind.TOUCHED,
    }
    assert {slot.name for slot in program.compute.memories if slot.is_written} == {"Points", "1", "img", ""}


def test_lines_that_are_touched_are_marked() -> None:
    """Those of what lives read and write, each component for itself; what lies outside of a memory has no line."""
    source = """#version 310 es
    layout(local_size_x = 16) in;
    layout(std430, binding = 0) readonly buffer From { int from[]; };
    layout(std430, binding = 1) buffer To { mat2x3 columns[]; };
    layout(binding = 2, offset = 4) uniform atomic_uint count;
    void main() {
      int i = int(gl_GlobalInvocationID.x);
      if (i % 3 == 0) return;
      columns[i][1] = vec3(from[7 * i]);
      if (i > 40) atomicCounterIncrement(count);
    }"""
    touched: dict[str, np.ndarray] = {}
    buffers = {0: np.arange(300, dtype=np.int32), 1: np.zeros(8 * 50, np.int32), 2: np.zeros(40, np.int32)}
    run(build(source), (3, 1, 1), buffers, touched=touched)
    read, written = np.zeros(19, np.int32), np.zeros(25, np.int32)
    for i in (k for k in range(48) if k % 3):
        if 7 * i // 16 < len(read):
            read[7 * i // 16] = 1
        for component in range(3):
            written[(8 * i + 4 + component) // 16] = 1
    np.testing.assert_array_equal(touched["From"], np.stack([read, 0 * read], 1).reshape(-1))
    np.testing.assert_array_equal(touched["To"], np.stack([0 * written, written], 1).reshape(-1))
    assert touched["2"].tolist() == [1, 1, 0, 0, 0, 0]


def test_numbers_of_invocations() -> None:
    source = (
        HEAD
        + """
    layout(local_size_x = 3, local_size_y = 2, local_size_z = 2) in;
    layout(std430, binding = 0) buffer A { uvec4 a[]; };
    void main() {
      uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize;
      uint at = gl_GlobalInvocationID.x + size.x * (gl_GlobalInvocationID.y + size.y * gl_GlobalInvocationID.z);
      a[at] = uvec4(gl_WorkGroupID.x + 10u * gl_WorkGroupID.y + 100u * gl_WorkGroupID.z, gl_LocalInvocationID.x + 10u * gl_LocalInvocationID.y + 100u * gl_LocalInvocationID.z, gl_LocalInvocationIndex, size.x);
    }
    """
    )
    found, _ = run(build(source), (2, 3, 2), {0: np.zeros(4 * 144, np.int32)})
    rows = found[0].reshape(4, 6, 6, 4)
    for z, y, x in np.ndindex(4, 6, 6):
        group = x // 3 + 10 * (y // 2) + 100 * (z // 2)
        local = x % 3 + 10 * (y % 2) + 100 * (z % 2)
        assert rows[z, y, x].tolist() == [group, local, x % 3 + 3 * (y % 2) + 6 * (z % 2), 6]


def test_shared_memory_and_barriers() -> None:
    """A sum by halves in a loop with a barrier, of more lanes than a group has; a second phase reads other lanes."""
    source = (
        HEAD
        + """
    layout(local_size_x = 37) in;
    layout(std430, binding = 0) buffer A { int a[]; };
    layout(std430, binding = 1) buffer B { int b[]; };
    shared int part[64];
    shared struct { int first; ivec2 pair[3]; } extra;
    void main() {
      uint k = gl_LocalInvocationIndex;
      part[k] = a[gl_GlobalInvocationID.x];
      if (k < 27u) part[k + 37u] = 0;
      for (uint step = 32u; step > 0u; step >>= 1) {
        barrier();
        int other = 0;
        if (k < step) other = part[k + step];
        barrier();
        if (k < step) part[k] += other;
      }
      barrier();
      if (k == 36u) { extra.first = part[0]; extra.pair[2] = ivec2(part[0], 7); }
      barrier();
      b[gl_GlobalInvocationID.x] = extra.first + extra.pair[2].y + int(k);
    }
    """
    )
    values = np.arange(37 * 3, dtype=np.int32) ** 2 % 101
    found, _ = run(build(source), (3, 1, 1), {0: values, 1: np.zeros(111, np.int32)})
    sums = values.reshape(3, 37).sum(axis=1)
    assert found[1].reshape(3, 37).tolist() == [[int(s) + 7 + k for k in range(37)] for s in sums]


def test_barrier_in_branches_and_after_returns() -> None:
    source = (
        HEAD
        + """
    layout(local_size_x = 16) in;
    layout(std430, binding = 0) buffer A { int a[]; };
    uniform int mode;
    shared int s[16];
    int other(int k) { s[k] = k * mode; barrier(); return s[15 - k]; }
    void main() {
      int k = int(gl_LocalInvocationID.x);
      int r = -1;
      if (mode > 1) { r = other(k); if (mode > 5) { barrier(); r += other(k + 0) * 100; } } else { r = k; }
      if (k % 3 == 0) { a[k] = r; return; }
      a[k] = 1000 + r;
    }
    """
    )
    program = build(source)
    for mode in (0, 3, 7):
        found, _ = run(program, (1, 1, 1), {0: np.zeros(16, np.int32)}, {"mode": [mode]})
        r = [k if mode < 2 else (15 - k) * mode * (101 if mode > 5 else 1) for k in range(16)]
        assert found[0].tolist() == [v if k % 3 == 0 else 1000 + v for k, v in enumerate(r)]


def test_atomic_functions() -> None:
    source = (
        HEAD
        + """
    layout(local_size_x = 24) in;
    layout(std430, binding = 0) buffer A { uint add, umin_, umax_, and_, or_, xor_, swapped; int imin_, imax_, order[24]; } a;
    layout(std430, binding = 1) buffer B { uint old[24]; };
    shared uint total;
    void main() {
      uint k = gl_LocalInvocationIndex;
      if (k == 0u) total = 0u;
      barrier();
      old[k] = atomicAdd(a.add, k + 1u);
      atomicMin(a.umin_, 100u - k); atomicMax(a.umax_, k * 3u); atomicAnd(a.and_, ~(1u << k)); atomicOr(a.or_, 1u << k); atomicXor(a.xor_, k);
      atomicMin(a.imin_, -int(k)); atomicMax(a.imax_, int(k) - 5);
      atomicCompSwap(a.swapped, k, k + 1u);
      atomicExchange(a.order[k], int(k) + 7);
      atomicAdd(total, 2u);
      barrier();
      if (k == 3u) atomicAdd(a.add, total);
    }
    """
    )
    start = np.zeros(33, np.int32)
    start[1], start[3] = -1, -1
    found, _ = run(build(source), (1, 1, 1), {0: start, 1: np.zeros(24, np.int32)})
    sums = np.cumsum(np.arange(1, 25))
    a = found[0].view(np.uint32)
    assert a[:7].tolist() == [int(sums[-1]) + 48, 77, 69, 0xFF000000, 0x00FFFFFF, 0, 24]
    assert found[0][7:9].tolist() == [-23, 18]
    assert found[0][9:].tolist() == [k + 7 for k in range(24)]
    assert found[1].tolist() == [0, *sums[:-1].tolist()]


def test_bounds_and_helpers_do_no_harm() -> None:
    """What lies outside of a buffer reads as 0 and is not written; a small buffer has a short array."""
    source = (
        HEAD
        + """
    layout(local_size_x = 8) in;
    layout(std430, binding = 0) buffer A { int a[]; };
    layout(std430, binding = 1) buffer B { ivec4 b[]; };
    uniform int far;
    void main() {
      int k = int(gl_LocalInvocationID.x);
      a[k + far] = 5;
      b[k] = ivec4(a[k], a[k - 1000], a.length(), atomicAdd(a[k + 1 + far], 1));
    }
    """
    )
    found, _ = run(build(source), (1, 1, 1), {0: ints(1, 2, 3), 1: np.zeros(32, np.int32)}, {"far": [0x3FFFFFF0]})
    assert found[0].tolist() == [1, 2, 3]
    assert found[1].reshape(8, 4).tolist() == [[v, 0, 3, 0] for v in (1, 2, 3, 0, 0, 0, 0, 0)]


def test_constants_of_functions_with_values_of_the_run() -> None:
    """GLSL from 4.20 on (§4.3.3)."""
    source = """#version 450
    layout(local_size_x = 2) in; layout(std430, binding = 0) buffer B { int a[]; };
    void main() { const int n = a.length(), m = n * a[gl_LocalInvocationIndex]; a[gl_LocalInvocationIndex] = m + n; }"""
    found, _ = run(build(source, es=False), (1, 1, 1), {0: np.array([5, 7, 1], np.int32)})
    assert found[0].tolist() == [18, 24, 1]


def test_counters_by_default_offsets_and_indices_of_the_run() -> None:
    source = """#version 310 es
    layout(local_size_x = 2) in; layout(binding = 0, offset = 4) uniform atomic_uint;
    layout(binding = 0) uniform atomic_uint c[2];
    layout(std430, binding = 1) buffer B { uint a[]; };
    void main() { a[gl_LocalInvocationIndex] = atomicCounterIncrement(c[1u - gl_LocalInvocationIndex]); }"""
    program = build(source)
    assert [buffer.size for buffer in program.reflection.counter_buffers] == [12]
    found, _ = run(program, (1, 1, 1), {0: ints(1, 20, 30), 1: np.zeros(2, np.int32)})
    assert found[1].tolist() == [30, 20]
    assert found[0].tolist() == [1, 21, 31]


def test_atomic_counters() -> None:
    source = (
        HEAD
        + """
    layout(local_size_x = 10) in;
    layout(binding = 0, offset = 4) uniform atomic_uint up;
    layout(binding = 0) uniform atomic_uint down[2];
    layout(std430, binding = 1) buffer B { uvec4 b[]; };
    void main() { uint k = gl_LocalInvocationIndex; b[k].x = atomicCounterIncrement(up); b[k].y = atomicCounterDecrement(down[1]); b[k].z = atomicCounter(down[0]); }
    """
    )
    found, _ = run(build(source), (1, 1, 1), {0: ints(9, 100, 42, 50), 1: np.zeros(40, np.int32)})
    assert found[0].tolist() == [9, 110, 42, 40]
    assert found[1].reshape(10, 4).tolist() == [[100 + k, 49 - k, 42, 0] for k in range(10)]


FORMATS = {
    "rgba32f": ("", [1.5, -2.0, 1e30, 0.25], 4), "r32f": ("", [1.5, 0, 0, 1], 1), "rgba16f": ("", [1.5, -2.0, 0.25, 100.0], 2),
    "rgba8": ("", [0.0, 1.0, 0.2, 0.6], 1), "rgba8_snorm": ("", [0.0, 1.0, -1.0, 0.0], 1),
    "rgba32i": ("i", [1, -2, 3, -4], 4), "rgba16i": ("i", [1, -2, 32767, -32768], 2), "rgba8i": ("i", [1, -2, 127, -128], 1), "r32i": ("i", [-7, 0, 0, 1], 1),
    "rgba32ui": ("u", [1, 2, 3, 4], 4), "rgba16ui": ("u", [1, 2, 65535, 4], 2), "rgba8ui": ("u", [1, 2, 255, 4], 1), "r32ui": ("u", [7, 0, 0, 1], 1),
}  # fmt: skip


@pytest.mark.parametrize("format", FORMATS)
def test_image_formats(format: str) -> None:
    """What is stored is loaded again; texels outside read as 0 and are not written."""
    prefix, values, words = FORMATS[format]
    literals = ", ".join(repr(v) for v in values)
    source = (
        HEAD
        + f"""
    layout(local_size_x = 4, local_size_y = 4) in;
    layout({format}, binding = 1) writeonly uniform highp {prefix}image2D target;
    layout({format}, binding = 0) readonly uniform highp {prefix}image2D origin;
    layout(std430, binding = 0) buffer B {{ {prefix}vec4 b[]; }};
    void main() {{
      ivec2 at = ivec2(gl_LocalInvocationID.xy);
      imageStore(target, at, {prefix}vec4({literals}));
      b[at.x + 4 * at.y] = imageLoad(origin, at) + {prefix}vec4(imageSize(origin), 0, 0) * {prefix}vec4(at == ivec2(3) ? 1 : 0);
    }}
    """
    )
    program = build(source)
    blank = np.zeros((2, 3, words), np.int32)
    _, images = run(program, (1, 1, 1), {0: np.zeros(64, np.int32)}, images={0: blank, 1: blank})
    texel = images[1][0, 0]
    assert (images[1] == texel).all()
    found, _ = run(program, (1, 1, 1), {0: np.zeros(64, np.int32)}, images={0: images[1], 1: blank})
    rows = (found[0].view(np.float32) if not prefix else found[0]).reshape(4, 4, 4)
    for y, x in np.ndindex(4, 4):
        wanted = values if y < 2 and x < 3 else [3, 2, 0, 0] if (y, x) == (3, 3) else [0, 0, 0, 0]
        if not (y < 2 and x < 3) and words == 1 and format.startswith("r32"):
            wanted = [*wanted[:3], 1]
        np.testing.assert_allclose(rows[y, x], wanted, rtol=1e-6, atol=1 / 500 if "8" in format and not prefix else 0)


def test_image_atomics_layers_and_arrays() -> None:
    source = (
        HEAD
        + """
    layout(local_size_x = 8) in;
    layout(r32ui, binding = 0) uniform highp uimage2D sums[2];
    layout(r32i, binding = 2) uniform highp iimage3D deep;
    layout(r32f, binding = 3) uniform highp image2DArray layers;
    layout(std430, binding = 0) buffer B { int b[]; };
    void main() {
      int k = int(gl_LocalInvocationID.x);
      imageAtomicAdd(sums[1], ivec2(k & 1, 0), uint(k));
      imageAtomicMax(deep, ivec3(0, 1, k & 1), k);
      b[k] = int(imageAtomicExchange(layers, ivec3(k, 0, 1), float(k) + 0.5) * 2.0);
      b[k + 8] = int(imageAtomicCompSwap(deep, ivec3(1, 0, 0), k, k + 1)) + imageSize(deep).z + imageSize(layers).z * 100;
    }
    """
    )
    images = {0: np.zeros((1, 2, 1)), 1: np.zeros((1, 2, 1)), 2: np.zeros((2, 2, 2, 1)), 3: np.zeros((2, 1, 8, 1))}
    images = {unit: image.astype(np.int32) for unit, image in images.items()}
    images[3][1, 0, :, 0] = np.full(8, 3.5, np.float32).view(np.int32)
    found, shown = run(build(source), (1, 1, 1), {0: np.zeros(16, np.int32)}, images=images)
    assert shown[0].sum() == 0
    assert shown[1].reshape(-1).tolist() == [12, 16]
    assert shown[2][:, 1, 0, 0].tolist() == [6, 7]
    assert shown[2][0, 0, 1, 0] == 8
    assert shown[3][1, 0, :, 0].view(np.float32).tolist() == [k + 0.5 for k in range(8)]
    assert found[0].tolist() == [7] * 8 + [k + 2 + 200 for k in range(8)]


def test_functions_that_write_arguments() -> None:
    source = (
        HEAD
        + """
    layout(local_size_x = 8) in;
    layout(std430, binding = 0) buffer A { uint a[]; };
    layout(std430, binding = 1) buffer B { uvec4 b[]; };
    layout(std430, binding = 2) buffer C { vec2 c[]; };
    void main() {
      uint k = gl_LocalInvocationIndex, carry, borrow, high, low; int ihigh, ilow, power;
      uint x = a[k], y = a[7u - k];
      uint sum = uaddCarry(x, y, carry), difference = usubBorrow(x, y, borrow);
      umulExtended(x, y, high, low); imulExtended(int(x), int(y), ihigh, ilow);
      b[2u * k] = uvec4(sum, carry, difference, borrow); b[2u * k + 1u] = uvec4(high, low, ihigh, ilow);
      float part = frexp(c[k].x, power); c[k] = vec2(part, float(power));
      a[k] = uint(mix(ivec2(1, 2), ivec2(3, 4), bvec2(k > 3u, true)).x);
    }
    """
    )
    a = np.array([0, 1, 0xFFFFFFFF, 0x80000000, 12345, 0x12345678, 0xFFFF0000, 77], np.uint32)
    c = np.array([0.0, 1.0, -3.0, 0.1, 1e-40, -1e30, np.inf, 8.0], np.float32)
    buffers = {0: a, 1: np.zeros(64, np.int32), 2: np.stack([c, c], axis=1).reshape(-1)}
    found, _ = run(build(source), (1, 1, 1), buffers)
    rows = found[1].view(np.uint32).reshape(8, 2, 4).astype(np.int64)
    for k in range(8):
        x, y = int(a[k]), int(a[7 - k])
        product, signed = x * y, (x - (x >> 31 << 32)) * (y - (y >> 31 << 32))
        assert rows[k, 0].tolist() == [(x + y) & 0xFFFFFFFF, (x + y) >> 32, (x - y) & 0xFFFFFFFF, int(x < y)]
        assert rows[k, 1].tolist() == [
            product >> 32,
            product & 0xFFFFFFFF,
            (signed >> 32) & 0xFFFFFFFF,
            signed & 0xFFFFFFFF,
        ]
    parts = found[2].view(np.float32).reshape(8, 2)
    for k in (0, 1, 2, 3, 4, 5, 7):
        mantissa, exponent = np.frexp(c[k])
        assert parts[k].tolist() == [mantissa, exponent]
    assert found[0].tolist() == [1] * 4 + [3] * 4


def test_arrays_of_arrays() -> None:
    source = (
        HEAD
        + """
    layout(local_size_x = 4) in;
    layout(std430, binding = 0) buffer A { int a[3][2]; ivec2 v[2][2][2]; };
    layout(std140, binding = 1) buffer B { int b[3][2]; };
    struct S { int x[2][3]; };
    uniform int u[2][3];
    shared int sh[4][2];
    int f(int p[2][3]) { return p[1][2] * 100 + p[0][1]; }
    int[2][3] g(int k) { int r[2][3] = int[2][3](int[3](k, k + 1, k + 2), int[3](7, 8, 9)); r[k & 1][2] = 55; return r; }
    void main() {
      int k = int(gl_LocalInvocationID.x);
      S s; s.x = g(k); int[3] t[2] = s.x; int[][3] w = int[][](int[](1, 2, 3), int[](4, 5, 6));
      sh[k][1] = f(t); barrier();
      if (k < 3) { a[k][k & 1] = sh[3 - k][1]; b[k] = int[2](k, t[k & 1][k]); }
      v[k & 1][k >> 1][1] = ivec2(u[k & 1][2], w[1][k % 3]);
      if (t == g(k) && k == 3) a[0][1] = 77 + w.length() * 10 + w[0].length();
    }
    """
    )
    program = build(source)
    assert [(v.name, v.size, v.offset) for v in program.reflection.storage_variables] == [
        ("a[0][0]", 2, 0), ("v[0][0][0]", 2, 24), ("v[0][1][0]", 2, 40), ("b[0][0]", 2, 0),
    ]  # fmt: skip
    uniforms = {"u[0][0]": [1, 2, 3], "u[1][0]": [4, 5, 6]}
    found, _ = run(program, (1, 1, 1), {0: np.zeros(22, np.int32), 1: np.zeros(24, np.int32)}, uniforms)
    assert found[0].tolist() == [5504, 100, 0, 903, 5502, 0, *(0, 0, 3, 4, 0, 0, 3, 6), *(0, 0, 6, 5, 0, 0, 6, 4)]
    assert found[1][::4].tolist() == [0, 0, 1, 8, 2, 55]


ACCEPTED = (
    "layout(local_size_x = 1) in; void main() { barrier(); memoryBarrier(); memoryBarrierShared(); groupMemoryBarrier(); memoryBarrierBuffer(); }",
    "layout(local_size_x = 4) in; layout(local_size_x = 4) in; void main() { }",
    "layout(local_size_x = 4) in; shared vec4 s[gl_WorkGroupSize.x]; void main() { }",
    "layout(local_size_x = 1) in; coherent restrict buffer B { readonly float a; writeonly float b; volatile vec2 c[]; } x; void main() { x.b = x.a; x.c[3].y = 1.0; }",
    "layout(local_size_x = 1) in; layout(std430) buffer; buffer B { float a[]; } x[2]; void main() { x[1].a[0] = float(x[0].a.length()); }",
    "layout(local_size_x = 1) in; layout(r32f) uniform highp image2D i; void f(coherent writeonly highp image2D p) { imageStore(p, ivec2(0), vec4(1)); } void main() { f(i); }",
    "layout(local_size_x = 1) in; void main() { precise float a = 1.0; highp precise float b = a; }",
)  # fmt: skip
REJECTED = (
    "layout(local_size_x = 1) in; layout(r32f) uniform highp image2D i; void f(coherent highp image2D p) { imageStore(p, ivec2(0), vec4(1)); } void main() { f(i); }",
    "void main() { }",
    "layout(local_size_x = 0) in; void main() { }",
    "layout(local_size_x = 1025) in; void main() { }",
    "layout(local_size_x = 64, local_size_y = 64) in; void main() { }",
    "layout(local_size_x = 4) in; layout(local_size_x = 8) in; void main() { }",
    "layout(local_size_x = 1) in; in vec4 v; void main() { }",
    "layout(local_size_x = 1) in; out vec4 v; void main() { }",
    "layout(local_size_x = 1) in; buffer float v; void main() { }",
    "layout(local_size_x = 1) in; shared float v = 1.0; void main() { }",
    "layout(local_size_x = 1) in; void main() { shared float v; }",
    "layout(local_size_x = 1) in; void main() { discard; }",
    "layout(local_size_x = 1) in; readonly buffer B { float a; }; void main() { a = 1.0; }",
    "layout(local_size_x = 1) in; buffer B { readonly float a[]; } b; void main() { b.a[2]++; }",
    "layout(local_size_x = 1) in; buffer B { writeonly float a; } b; void main() { float x = b.a; }",
    "layout(local_size_x = 1) in; buffer B { float a[]; float b; } b; void main() { }",
    "layout(local_size_x = 1) in; buffer B { float a[]; }; void main() { float[2] x = a; }",
    "layout(local_size_x = 1) in; buffer B { float a; }; void main() { atomicAdd(a, 1.0); }",
    "layout(local_size_x = 1) in; void main() { uint a; atomicAdd(a, 1u); }",
    "layout(local_size_x = 1) in; layout(std430) uniform B { float a; }; void main() { }",
    "layout(local_size_x = 1) in; uniform writeonly highp image2D i; void main() { }",
    "layout(local_size_x = 1) in; layout(rgba8) uniform highp image2D i; void main() { }",
    "layout(local_size_x = 1) in; layout(rgba8) uniform readonly highp iimage2D i; void main() { }",
    "layout(local_size_x = 1) in; layout(rgba8) uniform readonly image2D i; void main() { }",
    "layout(local_size_x = 1) in; layout(rgba8) uniform readonly highp image2D i; void main() { imageStore(i, ivec2(0), vec4(0)); }",
    "layout(local_size_x = 1) in; layout(rgba8) uniform writeonly highp image2D i; void main() { vec4 v = imageLoad(i, ivec2(0)); }",
    "layout(local_size_x = 1) in; uniform atomic_uint c; void main() { }",
    "layout(local_size_x = 1) in; layout(binding = 0, offset = 2) uniform atomic_uint c; void main() { }",
    "layout(local_size_x = 1) in; layout(binding = 0, offset = 0) uniform atomic_uint c; layout(binding = 0, offset = 0) uniform atomic_uint d; void main() { }",
    "layout(local_size_x = 1) in; layout(binding = 0) uniform atomic_uint c; void main() { atomic_uint d = c; }",
)  # fmt: skip


@pytest.mark.parametrize(("sources", "accepted"), [(ACCEPTED, True), (REJECTED, False)])
def test_rules(sources: tuple[str, ...], accepted: bool) -> None:
    wrong = []
    for source in sources:
        shader = compile_shader(HEAD + source, "compute", CompileOptions(max_version=320))
        if shader.ok != accepted:
            wrong.append((source, shader.log))
    assert not wrong


def test_stages_do_not_mix_and_versions_matter() -> None:
    options = CompileOptions(max_version=320)
    compute = compile_shader(HEAD + "layout(local_size_x = 1) in; void main() { }", "compute", options)
    vertex = compile_shader(HEAD + "void main() { }", "vertex", options)
    assert not link_program([compute, vertex]).ok
    assert not compile_shader("#version 300 es\nvoid main() { }", "compute", options).ok
    large = compile_shader(
        HEAD + "layout(local_size_x = 1) in; shared vec4 s[2049]; void main() { s[0].x = 1.0; }", "compute", options
    )
    assert not link_program([large]).ok


def test_random_programs() -> None:
    """Both executors; ``compute_differential.py`` runs more of them, and compares with Mesa."""
    assert [check(seed) for seed in range(4)] == [""] * 4


@pytest.mark.parametrize("at_once", [False, True])
def test_both_ways_of_writing_lanes_to_memory(at_once: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """One is for processors with AVX-512, the other for those without; any can run both."""
    monkeypatch.setattr("replay.glsl.llvm.vectors.has_features", lambda *_: at_once)
    assert not any(check(seed) for seed in range(3100, 3106))


@pytest.mark.gl
def test_random_programs_as_mesa_runs_them(mesa: MesaProcess) -> None:
    """Two of the seeds had lowp results once that Mesa kept in 16 bits."""
    assert [check(seed, mesa) for seed in (*range(4, 8), 20007, 200922)] == [""] * 6


def test_signed_numbers_become_unsigned_ones_from_4_00_on() -> None:
    """As assigned values, operands and arguments; the overload with fewer conversions is chosen."""
    source = (
        "layout(local_size_x = 1) in; layout(std430, binding = 0) buffer B { uint r[]; };\n"
        "void main() { int b = int(r[5]); uint a = 3; a += b; r[0] = a; r[1] = max(b, 2u);"
        "r[2] = (b < 2u) ? 1 : 2; atomicAdd(r[3], 7); r[4] = uint(-1 / 2u); }"
    )
    before = np.array([0, 0, 0, 1, 0, -1], np.int32)
    found, _ = run(build("#version 450\n" + source, es=False), (1, 1, 1), {0: before})
    assert found[0].view(np.uint32).tolist() == [2, 0xFFFFFFFF, 2, 8, 0x7FFFFFFF, 0xFFFFFFFF]
    with pytest.raises(AssertionError, match="is uint, not int"):
        build("#version 310 es\nprecision highp int;\n" + source)
