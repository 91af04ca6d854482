"""Generators of pairs of shaders that ought to link, or not: one family of rules each.

Each pair is (version of the vertex shader, its text, version of the fragment shader, its text); texts follow the version
line and the default precision.
"""

# ruff: noqa: E501, PERF401  (a shader reads best as one string)

from __future__ import annotations

import itertools
from collections.abc import Callable

Pair = tuple[int, str, int, str]
GENERATORS: dict[str, Callable[[], list[Pair]]] = {}
VERSIONS = (100, 300, 330)


def family(function: Callable[[], list[Pair]]) -> Callable[[], list[Pair]]:
    """Register a generator under its function's name."""
    GENERATORS[function.__name__] = function
    return function


def words(version: int) -> tuple[str, str, str]:
    """Words for vertex inputs, vertex outputs, fragment inputs."""
    return ("attribute", "varying", "varying") if version in (100, 110, 120) else ("in", "out", "in")


def color(version: int) -> tuple[str, str]:
    """Declaration and name of the colour output."""
    return ("", "gl_FragColor") if version in (100, 110, 120) else ("out highp vec4 color; ", "color")


def pair(version: int, vertex: str, fragment: str, vertex_body: str = "", fragment_body: str = "") -> Pair:
    """Both shaders around some declarations and statements."""
    declared, name = color(version)
    return (
        version, f"{vertex} void main() {{ {vertex_body} gl_Position = vec4(0.0); }}",
        version, f"{declared}{fragment} void main() {{ {fragment_body} {name} = vec4(1.0); }}",
    )  # fmt: skip


_TYPES = [
    "float",
    "vec2",
    "vec4",
    "int",
    "ivec2",
    "uint",
    "uvec4",
    "mat2",
    "mat4",
    "mat2x3",
    "float[2]",
    "float[3]",
    "vec2[2]",
    "int[2]",
    "S",
    "S[2]",
]
_STRUCT = "struct S { vec2 a; vec3 b; }; "


def declare(qualifiers: str, type_: str, name: str = "x") -> str:
    """A declaration that every version understands."""
    base, _, rest = type_.partition("[")
    return f"{_STRUCT if base == 'S' else ''}{qualifiers} {base} {name}{'[' + rest if rest else ''};"


def write(type_: str) -> str:
    base, _, rest = type_.partition("[")
    place = "x" + ("[0]" if rest else "")
    return f"{place}.a = vec2(1.0);" if base == "S" else f"{place} = {base}(1);"


def read(type_: str) -> str:
    base, _, rest = type_.partition("[")
    return f"{base} y = x{'[0]' if rest else ''};"


@family
def varying_types() -> list[Pair]:
    """Types of a varying in the two shaders, used or not."""
    out = []
    for version in VERSIONS:
        _, o, i = words(version)
        for a, b in itertools.product(_TYPES, _TYPES):
            flat = "flat " if version != 100 and any(t[0] in "iu" for t in (a, b)) else ""
            out.append(pair(version, declare(f"{flat}{o}", a), declare(f"{flat}{i}", b), write(a), read(b)))
        for a in _TYPES:
            flat = "flat " if version != 100 and a[0] in "iu" else ""
            vertex, fragment = declare(f"{flat}{o}", a), declare(f"{flat}{i}", a)
            out += [
                pair(version, vertex, "", write(a)),
                pair(version, vertex, ""),
                pair(version, "", fragment),
                pair(version, "", fragment, "", read(a)),
                pair(version, vertex, fragment),
                pair(version, vertex, fragment, "", read(a)),
                pair(version, vertex, fragment, write(a)),
                pair(version, vertex.replace("float", "vec2"), fragment),
                pair(version, vertex.replace("vec", "ivec"), fragment),
            ]
            for kind in ("uniform", "", "const"):
                other = declare(kind, a) if kind != "const" else f"const {a} x = {a}(1);"
                out += [
                    pair(version, other, fragment, "", read(a)),
                    pair(version, other, fragment),
                    pair(version, vertex, other, write(a)),
                ]
    return out


@family
def varying_qualifiers() -> list[Pair]:
    """Qualifiers of a varying in the two shaders."""
    out = []
    choices = [
        "",
        "flat ",
        "smooth ",
        "noperspective ",
        "centroid ",
        "flat centroid ",
        "smooth centroid ",
        "invariant ",
        "invariant smooth ",
        "invariant centroid ",
    ]
    for version in (100, 120, 300, 330):
        _, o, i = words(version)
        for a, b in itertools.product(choices, choices):
            out.append(pair(version, f"{a}{o} vec2 x;", f"{b}{i} vec2 x;", "x = vec2(1.0);", "vec2 y = x;"))
            out.append(pair(version, f"{a}{o} vec2 x;", f"{b}{i} vec2 x;", "x = vec2(1.0);"))
            out.append(pair(version, f"{a}{o} vec2 x;", f"{b}{i} vec2 x;"))
        for a, b in itertools.product(("", "lowp ", "mediump ", "highp "), repeat=2):
            out.append(pair(version, f"{o} {a}vec2 x;", f"{i} {b}vec2 x;", "x = vec2(1.0);", "vec2 y = x;"))
        for a, b in itertools.product(("", "invariant x;", "#pragma STDGL invariant(all)\n"), repeat=2):
            va, vb = (f"{t} {w} vec2 x;" if t.startswith("#") else f"{w} vec2 x; {t}" for t, w in ((a, o), (b, i)))
            out.append(pair(version, va, vb, "x = vec2(1.0);", "vec2 y = x;"))
        for a, b in itertools.product(
            ("", "invariant gl_Position;", "invariant gl_PointSize;"),
            ("", "invariant gl_FragCoord;", "invariant gl_PointCoord;", "invariant gl_FrontFacing;"),
        ):
            out.append(
                pair(version, a, b, "gl_PointSize = 1.0;", "vec4 y = gl_FragCoord + vec4(gl_PointCoord, 0.0, 0.0);")
            )
    return out


@family
def structures() -> list[Pair]:
    """Structures that cross the interface: names, members, order, precision."""
    members = [
        "vec2 a; vec3 b;",
        "vec3 b; vec2 a;",
        "vec2 a; vec3 c;",
        "vec2 a;",
        "vec2 a; vec3 b; float c;",
        "vec2 a; ivec3 b;",
        "vec2 a, d; vec3 b;",
        "highp vec2 a; lowp vec3 b;",
        "vec2 a[2]; vec3 b;",
        "vec2 a[3]; vec3 b;",
        "mat2 a; vec3 b;",
    ]
    out = []
    for version in VERSIONS:
        _, o, i = words(version)
        for a, b in itertools.product(members, members):
            for sa, sb in (("S", "S"), ("S", "T"), ("", "")):
                out.append(
                    pair(
                        version,
                        f"uniform struct {sa} {{ {a} }} x;",
                        f"uniform struct {sb} {{ {b} }} x;",
                        "vec2 p = vec2(x.a[0]);",
                        "vec2 q = vec2(x.b[0]);" if " b" in b else "",
                    )
                )
                if version != 100:
                    out.append(
                        pair(
                            version,
                            f"struct {sa or 'S'} {{ {a} }}; {o} {sa or 'S'} x;",
                            f"struct {sb or 'S'} {{ {b} }}; {i} {sb or 'S'} x;",
                            "x.a[0] = x.a[1];",
                            f"{sb or 'S'} y = x;",
                        )
                    )
    return out


@family
def uniforms() -> list[Pair]:
    """Uniforms of one name in both shaders."""
    out = []
    types = [*_TYPES, "bool", "sampler2D", "samplerCube", "sampler2D[2]"]
    for version in VERSIONS:
        for a, b in itertools.product(types, types):
            use = ["" if "sampler" in t else read(t) for t in (a, b)]
            out.append(pair(version, declare("uniform", a), declare("uniform", b), *use))
            out.append(pair(version, declare("uniform", a), declare("uniform", b)))
        for a, b in itertools.product(("", "lowp", "mediump", "highp"), repeat=2):
            for type_ in ("float", "int", "vec2", "sampler2D"):
                use = "" if type_ == "sampler2D" else read(type_)
                out += [
                    pair(version, f"uniform {a} {type_} x;", f"uniform {b} {type_} x;", u, v)
                    for u in ("", use)
                    for v in ("", use)
                ]
        for a, b in itertools.product(("", " = 1.0", " = 2.0"), repeat=2):
            out.append(pair(version, f"uniform float x{a};", f"uniform float x{b};", "float y = x;", "float y = x;"))
        for a, b in itertools.product(
            (
                "uniform float x;",
                "float x;",
                "const float x = 1.0;",
                "void x() { }",
                "struct x { float a; };",
                "uniform B { float x; };",
                "uniform B { float x; } b;",
                "uniform x { float b; };",
                "#define x y\n",
            ),
            repeat=2,
        ):
            out.append(pair(version, a, b))
        for kind in words(version)[:1]:
            out.append(pair(version, f"{kind} vec4 x;", "uniform vec4 x;", "vec4 y = x;", "vec4 y = x;"))
            out.append(pair(version, f"{kind} vec4 x;", "uniform vec4 x;", "vec4 y = x;"))
            out.append(pair(version, f"{kind} vec4 x;", f"{words(version)[2]} vec4 x;", "vec4 y = x;", "vec4 y = x;"))
    return out


@family
def blocks() -> list[Pair]:
    """Uniform blocks of one name in both shaders."""
    bodies = [
        "vec4 a; vec2 b;", "vec2 b; vec4 a;", "vec4 a;", "vec4 a; vec3 b;", "vec4 a; vec2 c;", "highp vec4 a; lowp vec2 b;", "vec4 a[2]; vec2 b;", "vec4 a[3]; vec2 b;", "mat4 a; vec2 b;", "layout(row_major) mat4 a; vec2 b;", "layout(column_major) mat4 a; vec2 b;", "ivec4 a; vec2 b;", "S a; vec2 b;", "vec4 a; vec2 b; vec4 d;",
    ]  # fmt: skip
    heads = [
        "",
        "layout(std140) ",
        "layout(shared) ",
        "layout(packed) ",
        "layout(row_major) ",
        "layout(std140, row_major) ",
    ]
    tails = ["", " i", " j", " i[2]", " i[3]"]
    out = []
    for version in (300, 330):
        for a, b in itertools.product(bodies, bodies):
            for t in ("", " i"):
                use = "i." if t else ""
                struct = "struct S { vec4 s; }; "
                out.append(
                    pair(
                        version,
                        f"{struct}uniform B {{ {a} }}{t};",
                        f"{struct}uniform B {{ {b} }}{t};",
                        f"{use}a;" if " a" in a else "",
                        f"{use}b;" if " b" in b else "",
                    )
                )
                out.append(pair(version, f"{struct}uniform B {{ {a} }}{t};", f"{struct}uniform B {{ {b} }}{t};"))
        for a, b in itertools.product(heads, heads):
            out.append(
                pair(version, f"{a}uniform B {{ mat4 a; }} i;", f"{b}uniform B {{ mat4 a; }} i;", "i.a;", "i.a;")
            )
        for a, b in itertools.product(tails, tails):
            uses = ["a;" if not t else f"{t[1]}{'[0]' if '[' in t else ''}.a;" for t in (a, b)]
            out.append(pair(version, f"uniform B {{ vec4 a; }}{a};", f"uniform B {{ vec4 a; }}{b};", *uses))
            out.append(pair(version, f"uniform B {{ vec4 a; }}{a};", f"uniform C {{ vec4 a; }}{b};", *uses))
            out.append(pair(version, f"uniform B {{ vec4 a; }}{a};", f"uniform C {{ vec4 a; }}{b};"))
            out.append(pair(version, f"uniform B {{ vec4 a; }}{a};", "uniform vec4 a;", uses[0], "a;"))
        for count in (11, 12, 13, 14, 15, 16):
            text = "".join(f"uniform B{k} {{ vec4 a{k}; }}; " for k in range(count))
            out.append(pair(version, text, "", " ".join(f"a{k};" for k in range(count))))
            use = "vec4 s = " + " + ".join(f"a{k}" for k in range(count)) + "; gl_PointSize = s.x;"
            out.append(pair(version, text, "", use))
        for size in (1023, 1024, 4096, 4097):
            out.append(pair(version, f"uniform B {{ vec4 a[{size}]; }};", "", "int i = 1; gl_PointSize = a[i].x;"))
    return out


@family
def limits() -> list[Pair]:
    """How much of everything fits."""
    out = []
    for version in VERSIONS:
        a, o, i = words(version)
        for type_, counts in (
            ("float", (31, 32, 60, 64, 65, 120, 128)),
            ("vec4", (8, 15, 16, 17, 31, 32, 33)),
            ("mat4", (3, 4, 5, 8)),
            ("vec3", (15, 16, 17)),
            ("vec2", (31, 32, 33)),
        ):
            for count in counts:
                names = [f"x{k}" for k in range(count)]
                vertex, fragment = (
                    "".join(f"{o} {type_} {n}; " for n in names),
                    "".join(f"{i} {type_} {n}; " for n in names),
                )
                store = " ".join(f"{n} = {type_}(1.0);" for n in names)
                use = " + ".join(
                    f"{n}{'[0].x' if type_ == 'mat4' else '' if type_ == 'float' else '.x'}" for n in names
                )
                declared, name = color(version)
                out.append(
                    (
                        version,
                        f"{vertex} void main() {{ {store} gl_Position = vec4(0.0); }}",
                        version,
                        f"{declared}{fragment} void main() {{ {name} = vec4({use}); }}",
                    )
                )
                out.append(pair(version, vertex, fragment, store))
                out.append(
                    pair(
                        version,
                        f"{o} {type_} x[{count}];",
                        f"{i} {type_} x[{count}];",
                        f"x[{count - 1}] = {type_}(1.0);",
                        f"{type_} y = x[{count - 1}];",
                    )
                )
        for type_, counts in (("vec4", (15, 16, 17, 32)), ("mat4", (3, 4, 5)), ("float", (16, 17)), ("mat3", (5, 6))):
            for count in counts:
                text = "".join(f"{a} {type_} x{k}; " for k in range(count))
                use = " + ".join(
                    f"x{k}{'[0].x' if 'mat' in type_ else '' if type_ == 'float' else '.x'}" for k in range(count)
                )
                declared, name = color(version)
                out.append(
                    (
                        version,
                        f"{text} void main() {{ gl_Position = vec4({use}); }}",
                        version,
                        f"{declared} void main() {{ {name} = vec4(1.0); }}",
                    )
                )
                out.append(pair(version, text, ""))
        for count in (8, 15, 16, 17, 32, 33):
            out.append(pair(version, f"uniform sampler2D s[{count}];", "", ""))
            for function in ("texture2D",) if version == 100 else ("texture",):
                use = " + ".join(f"{function}(s{k}, vec2(0.0))" for k in range(count))
                text = "".join(f"uniform sampler2D s{k}; " for k in range(count))
                declared, name = color(version)
                out.append(
                    (
                        version,
                        "void main() { gl_Position = vec4(0.0); }",
                        version,
                        f"{declared}{text} void main() {{ {name} = {use}; }}",
                    )
                )
        for size in (200, 1024, 1025, 4096, 4097, 5000):
            out.append(pair(version, f"uniform vec4 u[{size}];", "", "int i = 1; gl_PointSize = u[i].x;"))
            out.append(pair(version, f"uniform vec4 u[{size}];", ""))
            out.append(pair(version, "", f"uniform vec4 u[{size}];", "", f"vec4 y = u[{size - 1}];"))
            out.append(pair(version, f"uniform float u[{size}];", "", "int i = 1; gl_PointSize = u[i];"))
    return out


@family
def locations() -> list[Pair]:
    """Explicit locations of vertex inputs and colours."""
    out = []
    types = ("float", "vec4", "mat2", "mat4", "vec2[2]")
    for version in (300, 330):
        main = "void main() { gl_Position = vec4(0.0); }"
        for a, b in itertools.product((-1, 0, 1, 2, 7, 8, 13, 15, 16, 100), repeat=2):
            la, lb = (f"layout(location={k}) " if k >= 0 else "" for k in (a, b))
            for ta, tb in (("vec4", "vec4"), ("mat4", "vec4"), ("mat2", "float"), ("vec4[2]", "vec4")):
                base, _, rest = ta.partition("[")
                use = "x[0]" if ta != "vec4" else "x"
                out.append(
                    (
                        version,
                        f"{la}in {base} x{'[' + rest if rest else ''}; {lb}in {tb} y; void main() {{ gl_Position = vec4({use}.x + y{'' if tb == 'float' else '.x'}); }}",
                        version,
                        "out highp vec4 c; void main() { c = vec4(1.0); }",
                    )
                )
            out.append(
                (
                    version,
                    f"{la}in vec4 x; {lb}in vec4 y; {main}",
                    version,
                    "out highp vec4 c; void main() { c = vec4(1.0); }",
                )
            )
            for t in ("vec4 x", "vec4 x[2]", "float x", "ivec2 x"):
                element = "x[1]" if "[" in t else "x"
                out.append(
                    (
                        version,
                        main,
                        version,
                        f"{la}out {t}; {lb}out vec4 y; void main() {{ {element} = {t.split()[0]}(1); y = vec4(1.0); }}",
                    )
                )
                out.append((version, main, version, f"{la}out {t}; {lb}out vec4 y; void main() {{ }}"))
        for t in types:
            base, _, rest = t.partition("[")
            for k in range(12, 18):
                out.append(
                    (
                        version,
                        f"layout(location={k}) in {base} x{'[' + rest if rest else ''}; void main() {{ gl_Position = vec4(x{'[0]' if base != t or 'mat' in t else ''}{'' if t == 'float' else '.x'}); }}",
                        version,
                        "out highp vec4 c; void main() { c = vec4(1.0); }",
                    )
                )
        for a, b, ia, ib in itertools.product((0, 1), (0, 1), (0, 1), (0, 1)):
            out.append(
                (
                    version,
                    main,
                    version,
                    f"layout(location={a}, index={ia}) out vec4 x; layout(location={b}, index={ib}) out vec4 y; void main() {{ x = y = vec4(1.0); }}",
                )
            )
        for n in (1, 2, 8, 9):
            out.append(
                (
                    version,
                    main,
                    version,
                    "".join(f"out vec4 x{k}; " for k in range(n))
                    + "void main() { "
                    + "".join(f"x{k} = vec4(1.0); " for k in range(n))
                    + "}",
                )
            )
            out.append((version, main, version, f"out vec4 x[{n}]; void main() {{ x[{n - 1}] = vec4(1.0); }}"))
            out.append(
                (
                    version,
                    main,
                    version,
                    f"layout(location=1) out vec4 x[{n}]; void main() {{ x[{n - 1}] = vec4(1.0); }}",
                )
            )
    return out


@family
def programs() -> list[Pair]:
    """Entry points, functions without a body, versions, what nobody writes."""
    out = []
    plain = {
        100: ("void main() { gl_Position = vec4(0.0); }", "void main() { gl_FragColor = vec4(1.0); }"),
        300: ("void main() { gl_Position = vec4(0.0); }", "out vec4 c; void main() { c = vec4(1.0); }"),
        110: ("void main() { gl_Position = vec4(0.0); }", "void main() { gl_FragColor = vec4(1.0); }"),
        120: ("void main() { gl_Position = vec4(0.0); }", "void main() { gl_FragColor = vec4(1.0); }"),
        130: ("void main() { gl_Position = vec4(0.0); }", "out vec4 c; void main() { c = vec4(1.0); }"),
        140: ("void main() { gl_Position = vec4(0.0); }", "out vec4 c; void main() { c = vec4(1.0); }"),
        150: ("void main() { gl_Position = vec4(0.0); }", "out vec4 c; void main() { c = vec4(1.0); }"),
        330: ("void main() { gl_Position = vec4(0.0); }", "out vec4 c; void main() { c = vec4(1.0); }"),
    }
    for a, b in itertools.product(plain, plain):
        if (a in (100, 300)) == (b in (100, 300)):
            out.append((a, plain[a][0], b, plain[b][1]))
    for version in VERSIONS:
        vertex, fragment = plain[version]
        for text in (
            "void start() { }",
            "void f(); void main() { }",
            "void f(); void main() { f(); }",
            "void f(); void g() { f(); } void main() { }",
            "void f(); void g() { f(); } void main() { g(); }",
            "void main();",
            "int f(); int a = 1; void main() { if (false) f(); }",
            "float main; ",
            "void f(int); void f(float) { } void main() { f(1); }",
            "void main() { }",
            "void f(); void g(); void f() { g(); } void g() { } void main() { f(); }",
        ):
            out.append((version, text, version, fragment))
            out.append((version, vertex, version, text))
        out.append((version, vertex, version, "void main() { discard; }"))
        out.append((version, vertex, version, "void main() { gl_FragDepth = 0.5; }"))
        out.append((version, "void main() { gl_PointSize = 1.0; }", version, fragment))
    return out
