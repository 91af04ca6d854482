"""Hostile GLSL: sources that grow, recurse or loop, and mutations of those that draw."""

from __future__ import annotations

import random
import re

_TOKENS = (
    ";", "{", "}", "(", ")", "[", "]", ",", ".", "=", "+", "-", "*", "/", "%", "<", ">", "!", "&", "|", "^", "?", ":",
    "<<", ">>", "++", "if", "else", "for", "while", "do", "switch", "case", "break", "continue", "return", "discard",
    "int", "uint", "float", "bool", "vec2", "vec4", "mat3", "ivec2", "bvec3", "sampler2D", "void", "struct", "const",
    "uniform", "in", "out", "inout", "flat", "0", "1", "-1", "2147483647", "4294967295u", "1e38", "0.0", "true", "v",
    "main", "i", "s", "gl_FragColor", "gl_FragCoord", "gl_Position", "gl_InstanceID", "#define", "#if", "#endif", "\n",
)  # fmt: skip
_NUMBER = re.compile(r"\b\d+(\.\d+)?\b")
_SIZES = (0, -1, 3, 7, 1000, 1 << 16, 1 << 20, (1 << 31) - 1, 1 << 31, 1 << 40)


def _statement(rng: random.Random) -> str:
    """A statement to stand first in main()."""
    size = rng.choice(_SIZES)
    depth = rng.choice((10, 200, 3000))
    return rng.choice(
        (
            f"float a[{size}]; a[0] = 1.0;",
            f"vec4 a[{size}], b[{size}]; a[{size - 1}] = b[0];",
            f"mat4 a[{size}]; for (int i = 0; i < 4; i++) a[i] = mat4(float(i));",
            "for (;;) {}",
            "while (true) { if (gl_FragCoord.x < -1.0) break; }",
            "int z = 0; do { z++; } while (z >= 0);",
            f"float q = 0.0; for (int i = 0; i < {size}; i++) q += float(i);",
            f"float q = 0.0; for (float i = 0.0; i < {float(max(size, 0))}; i += 1.0) q += sin(i);",
            "float q = 0.0; for (int i = 0; i < 300; i++) for (int j = 0; j < 300; j++)"
            " for (int k = 0; k < 300; k++) q += 1.0;",
            "float q = 0.0; for (int i = 0; i < 60; i++) for (int j = 0; j < 60; j++) q += float(i * j);",
            "float q = " + "(" * depth + "1.0" + ")" * depth + ";",
            "float q = 1.0" + " + 1.0" * depth + ";",
            "float q = " + "-" * 2 * depth + "1.0;",
            "{" * depth + "}" * depth,
            "if (true) " * depth + ";",
            "int q = 1 / 0; int r = 1 % 0; int t = (-2147483647 - 1) / -1;",
            "int n = int(1e30); float a[4]; a[n] = 1.0; a[-n] = 2.0;",
            "int n = int(gl_FragCoord.x * 1e9); float a[4]; a[n] = 1.0; float q = a[n + 1];",
            "vec4 q = vec4(0.0 / 0.0, 1.0 / 0.0, sqrt(-1.0), log(0.0)); int n = int(q.x) + int(q.y);",
            f"int n = 1 << {size}; int m = n >> {size};",
            "float q = texture2D(s, vec2(1e38, -1e38)).x;",
            "f0(1.0);",
            "X9;",
        )
    )


def _globals(rng: random.Random) -> str:
    size = rng.choice(_SIZES)
    return rng.choice(
        (
            "float f0(float x) { return f0(x - 1.0); }",
            "float f1(float x); float f0(float x) { return f1(x); } float f1(float x) { return f0(x); }",
            f"uniform float big[{size}];",
            f"uniform mat4 big[{size}]; varying vec4 wide[{rng.choice((1, 20, 1 << 20))}];",
            f"const int N = {size}; float big[N];",
            "struct S { float a; S b; };",
            "struct A { vec4 x[100]; }; struct B { A x[100]; }; struct C { B x[100]; }; uniform C deep;",
            "struct A { vec4 x[1000]; }; struct B { A x[1000]; }; struct C { B x[1000]; }; C deep;",
            "#define X0 1.0+1.0\n"
            + "".join(f"#define X{k} X{k - 1} X{k - 1} X{k - 1} X{k - 1}\n" for k in range(1, 10)),
            "#define X9 X9 X9\n",
            "#define f(x) f(f(x)) f(x)\nfloat q = f(f(f(1.0)));",
            "#if 1 / 0\n#endif\n",
            "#if " + "(" * 2000 + "1\n#endif\n",
            "#if 1\n" * 500,
            "#include <x>\n#line 99999999999\n",
            "#extension all : require\n",
            "float h0(float x) { return x; }\n"
            + "".join(f"float h{k}(float x) {{ return h{k - 1}(x) + h{k - 1}(x * 2.0); }}\n" for k in range(1, 24))
            + "float f0(float x) { return h23(x); }\n",
            "uniform sampler2D many[" + str(size) + "];",
            "const float A = 1.0 / 0.0; const int B = int(A); float c[B];",
            "attribute vec4 z[3]; attribute mat4 y; attribute mat4 x; attribute mat4 w; attribute mat4 u;",
        )
    )  # fmt: skip


def _mutated(source: str, rng: random.Random) -> str:
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(len(source))
        match rng.randrange(6):
            case 0:
                source = source[:at] + source[at + rng.randint(1, 12) :]
            case 1:
                source = source[:at] + " " + rng.choice(_TOKENS) + " " + source[at:]
            case 2:
                other = rng.randrange(len(source))
                source = source[:at] + source[other : other + rng.randint(1, 60)] + source[at:]
            case 3:
                words = source.split(" ")
                words[rng.randrange(len(words))] = rng.choice(_TOKENS)
                source = " ".join(words)
            case _:
                numbers = list(_NUMBER.finditer(source))
                if numbers:
                    number = rng.choice(numbers)
                    new = str(rng.choice(_SIZES)) + (".0" if "." in number[0] else "")
                    source = source[: number.start()] + new + source[number.end() :]
        source = source or ";"
    return source


def hostile_shader(source: str, rng: random.Random) -> str:
    """Mutate a shader, or give it something that it chokes on."""
    kind = rng.randrange(4)
    if kind >= 2:
        return _mutated(source, rng)
    if kind == 0 or rng.random() < 0.5:
        source = source.replace("void main() {", "void main() { " + _statement(rng), 1)
    if kind == 1:
        version, rest = "", source
        if source.startswith("#version"):
            version, _, rest = source.partition("\n")
            version += "\n"
        source = version + _globals(rng) + "\n" + rest
    return source
