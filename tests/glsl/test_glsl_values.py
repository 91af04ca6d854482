"""Values of expressions, statements and built-in functions, worked out by hand."""

# ruff: noqa: E501  (a shader reads best as one string)

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from replay.glsl.execution import LoopBudgetError

HEAD = "#version 300 es\nprecision highp float;\nprecision highp int;\nout vec4 color;\nuniform float one;\n"

EXPRESSIONS = [
    ("vec4(1.0 + one, 3.0 - one, 3.0 * one, 1.0 / (one + 1.0))", (2, 2, 3, 0.5)),
    ("vec4(7 / 2, -7 / 2, 7 % 3, int(one) << 4)", (3, -3, 1, 16)),
    ("vec4(uvec4(0xF0u >> 4, 6u & 3u, 6u | 1u, 6u ^ 3u))", (15, 2, 7, 5)),
    ("vec4(~0, -8 >> 1, int(~0u >> 31), 1 << 3)", (-1, -4, 1, 8)),
    ("vec4(int(2.9 * one), int(-2.9 * one), int(one) / 0, uint(3.7 * one))", (2, -2, 0, 3)),
    ("vec4(mod(5.5 * one, 2.0), mod(-0.5 * one, 2.0), fract(-0.25 * one), sign(-3.0 * one))", (1.5, 1.5, 0.75, -1)),
    ("vec4(floor(-1.5 * one), ceil(-1.5 * one), trunc(-1.5 * one), roundEven(2.5 * one))", (-2, -1, -1, 2)),
    ("vec4(clamp(3.0 * one, 0.0, 2.0), min(one, 0.5), max(one, 2.0), step(0.5, one))", (2, 0.5, 2, 1)),
    ("vec4(mix(1.0, 3.0, 0.25 * one), mix(1.0, 3.0, one > 0.0), smoothstep(0.0, 2.0, one), abs(-one))", (1.5, 3, 0.5, 1)),
    ("vec4(length(vec3(2.0, 3.0, 6.0) * one), distance(vec2(1, 1), vec2(4, 5) * one), dot(vec3(1, 2, 3), vec3(one)), 0)", (7, 5, 6, 0)),
    ("vec4(cross(vec3(1, 0, 0) * one, vec3(0, 1, 0)), 1)", (0, 0, 1, 1)),
    ("vec4(normalize(vec3(0, 3, 4) * one), 1)", (0, 0.6, 0.8, 1)),
    ("vec4(reflect(vec2(1, -1) * one, vec2(0, 1)), faceforward(vec2(0, 1), vec2(0, 1) * one, vec2(0, 1)))", (1, 1, 0, -1)),
    ("vec4(refract(vec2(0, -1) * one, vec2(0, 1), 0.5), refract(vec2(1, 0) * one, vec2(0, 1), 2.0))", (0, -1, 0, 0)),
    ("vec4(sin(one), cos(one), tan(one), atan(one))", (math.sin(1), math.cos(1), math.tan(1), math.pi / 4)),
    ("vec4(asin(0.5 * one), acos(0.5 * one), atan(one, -1.0), exp(one))", (math.pi / 6, math.pi / 3, 3 * math.pi / 4, math.e)),
    ("vec4(log(2.0 * one), exp2(3.0 * one), log2(8.0 * one), pow(2.0, 10.0 * one))", (math.log(2), 8, 3, 1024)),
    ("vec4(sqrt(9.0 * one), inversesqrt(4.0 * one), radians(180.0 * one), degrees(one))", (3, 0.5, math.pi, 180 / math.pi)),
    ("vec4(sinh(one), cosh(one), tanh(one), asinh(one))", (math.sinh(1), math.cosh(1), math.tanh(1), math.asinh(1))),
    ("vec4(acosh(2.0 * one), atanh(0.5 * one), 0, 0)", (math.acosh(2), math.atanh(0.5), 0, 0)),
    ("vec4(lessThan(vec4(0, 1, 2, 3), vec4(one)))", (1, 0, 0, 0)),
    ("vec4(any(bvec2(one > 2.0, one > 0.0)), all(bvec2(one > 2.0, one > 0.0)), not(bvec2(one > 0.0)))", (1, 0, 0, 0)),
    ("vec4(mat2(1, 2, 3, 4) * vec2(one, 1), vec2(one, 1) * mat2(1, 2, 3, 4))", (4, 6, 3, 7)),
    ("vec4((mat2(1, 2, 3, 4) * mat2(one, 0, 1, 1))[1], transpose(mat2(1, 2, 3, 4.0 * one))[0])", (4, 6, 1, 3)),
    ("vec4(determinant(mat2(1, 2, 3, 4) * one), determinant(mat3(2) * one), determinant(mat4(2) * one), mat2x3(5.0 * one)[1][1])", (-2, 8, 16, 5)),
    ("vec4(inverse(mat2(1, 2, 3, 4) * one)[0], inverse(mat3(2) * one)[2][2], inverse(mat4(4) * one)[3][3])", (-2, 1, 0.5, 0.25)),
    ("vec4(outerProduct(vec2(1, 2), vec2(3, 4) * one)[1], matrixCompMult(mat2(2), mat2(3) * one)[0])", (4, 8, 6, 0)),
    ("vec4(mat3(mat2(7.0 * one))[0][0], mat3(mat2(7.0 * one))[2][2], mat2(mat3(7.0 * one))[1])", (7, 1, 0, 7)),
    ("vec4(floatBitsToInt(one) >> 23, uint(intBitsToFloat(0x40000000)), isnan(one / 0.0 - one / 0.0), isinf(one / 0.0))", (127, 2, 1, 1)),
    ("vec4(unpackUnorm2x16(packUnorm2x16(vec2(1, 0) * one)), unpackSnorm2x16(packSnorm2x16(vec2(-1, 1) * one)))", (1, 0, -1, 1)),
    ("vec4(unpackHalf2x16(packHalf2x16(vec2(1.5, -2.0) * one)), packHalf2x16(vec2(one, 0)) == 0x3C00u, 0)", (1.5, -2, 1, 0)),
    ("vec4(vec4(1, 2, 3, 4).wzyx * one)", (4, 3, 2, 1)),
    ("vec4(vec2(1, 2) * one, 3, 4).bgra", (3, 2, 1, 4)),
    ("vec4(one == 1.0 ? 2 : 3, one != 1.0 ? 2 : 3, (one, 5.0), int(true ^^ false))", (2, 3, 5, 1)),
    ("vec4(bool(0.5 * one), int(true), float(false), uint(-1) == 0xFFFFFFFFu)", (1, 1, 0, 1)),
    ("vec4(vec2(one) == vec2(1), mat2(one) != mat2(1), ivec2(1) == ivec2(2), 1)", (1, 0, 0, 1)),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "wanted"), EXPRESSIONS)
def test_expression(run_fragment: Callable[..., Any], expression: str, wanted: tuple[float, ...]) -> None:
    """Each at run time (through a uniform) and folded (through a constant)."""
    folded = HEAD.replace("uniform float one", "const float one = 1.0")
    for head in (HEAD, folded):
        _, result = run_fragment(head + f"void main() {{ color = {expression}; }}", uniforms={"one": 1.0})
        rtol = 5e-4 if expression.startswith("vec4(asin") else 2e-6
        np.testing.assert_allclose(result.outputs[0][:, 0], wanted, rtol=rtol, atol=4e-6)


BODIES = [
    ("float s = 0.0; for (int i = 0; i < 5; i++) s += float(i); color = vec4(s);", 10),
    ("float s = 0.0; for (int i = 5; i > 0; i -= 2) s += float(i); color = vec4(s);", 9),
    ("float s = 0.0; for (float f = 0.0; f < n; f++) { if (f == 2.0) continue; s += f; } color = vec4(s);", 0 + 1 + 3),
    ("float s = 0.0; for (float f = 0.0; f < 100.0; f++) { if (f >= n) break; s += f; } color = vec4(s);", 6),
    ("float s = 0.0; int i = 0; while (i < int(n)) { s += 2.0; i++; } color = vec4(s);", 8),
    ("float s = 0.0; do { s += 1.0; } while (s < n); color = vec4(s);", 4),
    ("float s = 0.0; do { s += 1.0; if (s < 3.0) continue; s += 10.0; } while (s < n); color = vec4(s);", 13),
    ("float s = 0.0; for (int i = 0; i < int(n); i++) for (int j = 0; j <= i; j++) { if (j == 2) break; s += 1.0; } color = vec4(s);", 1 + 2 + 2 + 2),
    ("float s; switch (int(n)) { case 3: s = 3.0; break; case 4: s = 4.0; break; default: s = 9.0; } color = vec4(s);", 4),
    ("float s = 0.0; switch (int(n)) { case 4: s += 1.0; case 5: s += 2.0; break; case 6: s += 4.0; } color = vec4(s);", 3),
    ("float s = 0.0; switch (int(n)) { default: s += 1.0; case 7: s += 2.0; break; case 4: s = 5.0; } color = vec4(s);", 5),
    ("float s = 0.0; switch (int(n) + 5) { default: s += 1.0; case 7: s += 2.0; break; case 4: s = 5.0; } color = vec4(s);", 3),
    ("float s = 0.0; for (int i = 0; i < int(n); i++) { switch (i) { case 1: continue; case 2: s += 10.0; default: s += 1.0; } s += 100.0; } color = vec4(s);", 313),
    ("float a[4]; for (int i = 0; i < 4; i++) a[i] = float(i * i); color = vec4(a[int(n) - 1]);", 9),
    ("float a[4] = float[4](1.0, 2.0, 3.0, 4.0); int k = int(n); k += 100; color = vec4(a[k]);", 4),
    ("const float a[5] = float[](1.0, 2.0, 3.0, 4.0, 5.0); color = vec4(a[int(n)]);", 5),
    ("int a[3]; a[0] = 7; int b[3] = a; a[0] = 8; color = vec4(b[0] + a.length());", 10),
    ("vec4 v = vec4(0.0); v[int(n) - 1] = 5.0; v.x += 1.0; color = vec4(v.x + v.w);", 6),
    ("mat2 m = mat2(1.0); m[int(n) - 3][0] = 5.0; m[0].y = 3.0; color = vec4(m[1][0] + m[0][1]);", 8),
    ("vec4 v = vec4(1.0, 2.0, 3.0, 4.0); v.xy = v.yx; v.zw *= 2.0; color = vec4(v.x * 1000.0 + v.y * 100.0 + v.z * 10.0 + v.w);", 2168),
    ("int i = int(n); int j = i++ + ++i; color = vec4(i * 100 + j);", 610),
    ("S s = S(n, vec2(1.0, 2.0)); S t = s; t.b.y = 7.0; color = vec4(s.a + s.b.y + t.b.y, s == t, s != t, 0).xxxx;", 13),
    ("S s[2]; s[0].a = 1.0; s[1].a = 2.0; s[int(n) - 3].b = vec2(n); color = vec4(s[1].a + s[1].b.x);", 6),
    ("float x = 1.0; change(x); color = vec4(x);", 3),
    ("float x = 1.0; float y = both(x, n); color = vec4(x * 10.0 + y);", 45),
    ("color = vec4(early(n));", 2),
    ("color = vec4(early(-n));", 1),
    ("color = vec4(search(n));", 3),
    ("color = vec4(search(100.0));", -1),
    ("color = vec4(nested(2.0));", 6),
    ("color = vec4(pick(int(n)));", 40),
    ("float x = 0.0; bool b = n > 100.0 && bump(x) > 0.0; bool c = n > 0.0 || bump(x) > 0.0; color = vec4(x + float(c));", 1),
    ("float x = 0.0; float y = n > 0.0 ? bump(x) : 5.0; color = vec4(x * 10.0 + y);", 11),
    ("globe = 2.0; change(globe); color = vec4(globe + start);", 11),
    ("float x = n; { float x = 1.0; x++; } color = vec4(x);", 4),
    ("float r; float w; r = modf(n + 0.75, w); color = vec4(w * 10.0 + r);", 40.75),
    ("color = vec4(1.0); if (n > 3.0) return; color = vec4(2.0);", 1),
    ("color = vec4(n); int i = 0; while (i < int(n)) { i++; if (n > 0.0) return; } color = vec4(7.0);", 4),
    ("color = vec4(0.0); for (int i = 0; i < int(n); i++) { color += 1.0; if (i == 1) return; } color = vec4(9.0);", 2),
    # The counter's first value is evaluated once, whether the loop can be unrolled or not.
    ("float k = n, s = 0.0; for (float i = k++; i < 7.0; i++) s += i; color = vec4(k * 100.0 + s);", 515),
    ("float k = 0.0, s = 0.0; for (int i = int(k++); i < 3; ++i) s += 2.0; color = vec4(k * 100.0 + s);", 106),
    ("float k = n, s = 0.0; for (float i = bump(k); i < 3.0; i++) s += i; color = vec4(k * 100.0 + s);", 503),
]  # fmt: skip
FUNCTIONS = """
uniform float n;
struct S { float a; vec2 b; };
float globe; float start = 7.0;
void change(inout float x) { x += 2.0; }
float both(out float y, float x) { y = x; return x + 1.0; }
float early(float x) { if (x < 0.0) return 1.0; x += 1.0; return 2.0; }
float search(float x) { for (int i = 0; i < 10; i++) { if (float(i * i) >= x + 1.0) return float(i); } return -1.0; }
float nested(float x) { float s = 0.0; for (float i = 0.0; i < 9.0; i++) { for (float j = 0.0; j < 9.0; j++) { s +=
1.0; if (j >= x && i >= 1.0) return s; if (j >= x) break; } } return -s; } float pick(int i) { switch (i) { case 3:
return 30.0; case 4: return 40.0; default: break; } return 0.0; } float bump(inout float x) { x += 1.0; return 1.0; }
"""


@pytest.mark.parametrize(("body", "wanted"), BODIES)
def test_statements(run_fragment: Callable[..., Any], body: str, wanted: float) -> None:
    source = HEAD + FUNCTIONS + f"void main() {{ {body} }}"
    for text in (source, source.replace("uniform float n;", "const float n = 4.0;")):
        _, result = run_fragment(text, uniforms={"n": 4.0, "one": 1.0})
        assert result.outputs[0][0, 0] == np.float32(wanted)


def test_divergent_lanes_each_take_their_way(run_fragment: Callable[..., Any]) -> None:
    source = (
        "precision highp float; varying float v; void main() { float s = 0.0; for (float i = 0.0; i < 8.0; i++) {"
        " if (i >= v) break; if (mod(i, 2.0) == 1.0) continue; s += i + 1.0; } gl_FragColor = vec4(s); }"
    )
    _, result = run_fragment(source, lanes=8, varyings={"v": [np.arange(8)]})
    assert result.outputs[0][0].tolist() == [0, 1, 1, 4, 4, 9, 9, 16]


def test_discard_keeps_derivatives_of_the_others(run_fragment: Callable[..., Any]) -> None:
    source = (
        "#version 300 es\nprecision highp float; in float v; out vec4 color;\n"
        "void main() { float w = v * 2.0; if (v == 1.0) discard; w += 1.0; color = vec4(dFdx(w), dFdy(w), fwidth(w), w); }"
    )
    _, result = run_fragment(source, varyings={"v": [[0, 1, 10, 12]]})
    assert result.alive.tolist() == [True, False, True, True]
    assert result.outputs[0][:, 0].tolist() == [2, 20, 22, 1]
    assert result.outputs[0][:, 2].tolist() == [4, 20, 24, 21]


def test_endless_loop_ends_with_an_error(run_fragment: Callable[..., Any]) -> None:
    source = "precision highp float; uniform float n; void main() { while (n < 1.0) { gl_FragColor.x += 1.0; } }"
    with pytest.raises(LoopBudgetError, match="1000 loop iterations"):
        run_fragment(source, loop_budget=1000)


def test_discarded_lane_leaves_a_loop_that_only_discard_ends(run_fragment: Callable[..., Any]) -> None:
    source = (
        "precision highp float; varying float v; void main() { float i = 0.0;"
        " while (true) { if (i == v) discard; i += 1.0; } gl_FragColor = vec4(i); }"
    )
    _, result = run_fragment(source, varyings={"v": [[1, 5, 2, 3]]}, loop_budget=100)
    assert not result.alive.any()


def test_uniform_arrays_matrices_and_structures(run_fragment: Callable[..., Any]) -> None:
    source = (
        "precision highp float; struct L { vec3 c; float k[2]; }; uniform L lights[3]; uniform mat2 m[2]; uniform int i;"
        "uniform bvec2 b; void main() { gl_FragColor = vec4(lights[i].c.y, lights[2].k[1], m[i][1][0], b.y ? 1.0 : 0.0); }"
    )
    uniforms = {
        "lights[1].c": [1, 2, 3],
        "lights[2].k": [4, 5],
        "m[1]": [6, 7, 8, 9],
        "i": [1],
        "b": [0, 1],
    }
    program, result = run_fragment(source, uniforms=uniforms)
    assert result.outputs[0][:, 0].tolist() == [2, 5, 8, 1]
    names = [uniform.name for uniform in program.reflection.uniforms]
    assert names == ["lights[0].c", "lights[1].c", "lights[2].c", "lights[2].k[0]", "m[0]", "i", "b"]


def test_choice_between_functions_without_a_value(run_fragment: Callable[..., Any]) -> None:
    source = HEAD + (
        "float s = 0.0; void f() { s += 1.0; } void g() { s += 10.0; }"
        "void main() { one > 0.5 ? f() : g(); one > 2.0 ? f() : g(); color = vec4(s); }"
    )
    _, result = run_fragment(source, uniforms={"one": 1.0})
    assert result.outputs[0][0, 0] == 11


def test_a_local_hides_its_parameter(run_fragment: Callable[..., Any]) -> None:
    """ESSL 1.00 §4.2.2: a function's body is a scope inside the one of its parameters."""
    source = (
        "precision highp float; uniform float one; float f(float a) { float b = a; float a = 5.0; return a + b; }"
        "void main() { gl_FragColor = vec4(f(one)); }"
    )
    _, result = run_fragment(source, uniforms={"one": 1.0})
    assert result.outputs[0][0, 0] == 6
