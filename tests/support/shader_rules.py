"""Generators of small shaders, one family of rules each: every combination of a rule's parts, valid or not.

A snippet is what follows the version line and the default precision; one that begins with ``@`` is a whole shader.
"""

# ruff: noqa: E501, PERF401  (a shader reads best as one string)

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

GENERATORS: dict[str, Callable[[], list[str]]] = {}


def family(function: Callable[[], list[str]]) -> Callable[[], list[str]]:
    """Register a generator under its function's name."""
    GENERATORS[function.__name__] = function
    return function


VALUES = {
    "float": "1.0", "int": "1", "uint": "uint(1)", "bool": "true", "vec2": "vec2(1.0)", "vec3": "vec3(1.0)",
    "vec4": "vec4(1.0)", "ivec2": "ivec2(1)", "ivec3": "ivec3(1)", "uvec2": "uvec2(1)", "bvec2": "bvec2(true)",
    "bvec3": "bvec3(true)", "mat2": "mat2(1.0)", "mat3": "mat3(1.0)", "mat4": "mat4(1.0)", "mat2x3": "mat2x3(1.0)",
    "mat3x2": "mat3x2(1.0)",
}  # fmt: skip
SAMPLERS = [
    f"{prefix}sampler{kind}"
    for prefix in ("", "i", "u")
    for kind in ("1D", "2D", "3D", "Cube", "1DArray", "2DArray", "2DRect", "Buffer", "2DMS", "2DMSArray")
] + [f"sampler{kind}Shadow" for kind in ("1D", "2D", "Cube", "1DArray", "2DArray", "2DRect")]
BINARY = ["+", "-", "*", "/", "%", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^", "&&", "||", "^^", ","]
ASSIGN = ["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="]
OTHER_TYPES = {"S": "S(1)", "A": "a"}


def _rng(name: str) -> random.Random:
    return random.Random(name)


def _operand(type_: str) -> str:
    return {"S": "s", "A": "a", "sampler2D": "t"}.get(type_) or VALUES[type_]


_DECLARED = "struct S { int a; }; uniform sampler2D t; void main() { S s; int a[2];"


@family
def binary_operators() -> list[str]:
    """Every binary operator over every pair of types."""
    types = [*VALUES, "S", "A", "sampler2D"]
    return [
        f"{_DECLARED} {_operand(a)} {op} {_operand(b)}; }}" for op in BINARY for a, b in itertools.product(types, types)
    ]


@family
def assignments() -> list[str]:
    """Every assignment operator over every pair of types."""
    return [f"void main() {{ {a} x; x {op} {_operand(b)}; }}" for op in ASSIGN for a in VALUES for b in VALUES]


@family
def initialisers() -> list[str]:
    """Initialisers and returns of every type, constant or not."""
    out = []
    for a, b in itertools.product(VALUES, VALUES):
        out.append(f"const {a} x = {_operand(b)}; void main() {{ }}")
        out.append(f"{a} f() {{ return {_operand(b)}; }} void main() {{ f(); }}")
        out.append(f"void f({a} x) {{ }} void main() {{ f({_operand(b)}); }}")
        out.append(f"void f(out {a} x) {{ }} void main() {{ {b} y; f(y); }}")
        out.append(f"void f(inout {a} x) {{ }} void main() {{ {b} y; f(y); }}")
        out.append(f"void main() {{ true ? {_operand(a)} : {_operand(b)}; }}")
    return out


@family
def unary_operators() -> list[str]:
    """Unary operators over every type, on values and variables."""
    out = []
    for type_ in [*VALUES, "S", "A", "sampler2D"]:
        for op in ("+", "-", "!", "~", "++", "--"):
            out.append(f"{_DECLARED} {op}{_operand(type_)}; }}")
            out.append(f"{_DECLARED} {_operand(type_)}{op}; }}")
            if type_ in VALUES:
                out.append(f"void main() {{ {type_} x; {op}x; }}")
                out.append(f"void main() {{ {type_} x; x{op}; }}")
    return out


@family
def constructors() -> list[str]:
    """Constructors of every type from one to three arguments."""
    rng = _rng("constructors")
    types = [*VALUES, "vec2", "mat2x4", "mat4x3"]
    out = []
    for a in VALUES:
        for b in VALUES:
            out.append(f"void main() {{ {a}({_operand(b)}); }}")
        for _ in range(40):
            arguments = ", ".join(
                VALUES.get(t, f"{t}(1.0)") for t in (rng.choice(types) for _ in range(rng.randint(2, 4)))
            )
            out.append(f"void main() {{ {a}({arguments}); }}")
        for n in range(18):
            out.append(f"void main() {{ {a}({', '.join(['1.0'] * n)}); }}")
        out.append(f"void main() {{ {a}(t); }} ")
        out.append(f"struct S {{ int a; }}; void main() {{ S s; {a}(s); }} ")
        out.append(f"void main() {{ int a[2]; {a}(a); }} ")
        for text in (f"{a}[2]", f"{a}[]", f"{a}[1]"):
            for n in range(4):
                out.append(f"void main() {{ {text}({', '.join([VALUES[a]] * n)}); }}")
    return out


FUNCTIONS = {
    1: "radians degrees sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp log exp2 log2 sqrt inversesqrt abs sign floor trunc round roundEven ceil fract isnan isinf floatBitsToInt floatBitsToUint intBitsToFloat uintBitsToFloat length normalize transpose determinant inverse any all not dFdx dFdy fwidth packSnorm2x16 packUnorm2x16 packHalf2x16 unpackSnorm2x16 unpackUnorm2x16 unpackHalf2x16 noise1 noise2 noise3 noise4 packUnorm4x8 unpackUnorm4x8 packSnorm4x8 bitCount findLSB ftransform exp10 saturate bitfieldReverse",
    2: "atan pow mod modf min max step distance dot cross reflect matrixCompMult outerProduct lessThan lessThanEqual greaterThan greaterThanEqual equal notEqual ldexp frexp",
    3: "clamp mix smoothstep faceforward refract fma",
}


@family
def builtin_functions() -> list[str]:
    """Built-in functions over arguments of every type."""
    rng = _rng("builtins")
    types = list(VALUES)
    out = []
    for n, names in FUNCTIONS.items():
        for name in names.split():
            if n == 1:
                tuples = [(a,) for a in types]
            elif n == 2:
                tuples = list(itertools.product(types, types))
            else:
                tuples = [(a, a, a) for a in types] + [(a, a, b) for a in types for b in types]
                tuples += [(b, b, a) for a in types for b in types if a != b]
                tuples += [tuple(rng.choice(types) for _ in range(3)) for _ in range(40)]
            for chosen in tuples:
                if name == "modf":
                    out.append(f"void main() {{ {chosen[1]} x; modf({_operand(chosen[0])}, x); }}")
                else:
                    out.append(f"void main() {{ {name}({', '.join(map(_operand, chosen))}); }}")
            for count in (0, n + 1):
                out.append(f"void main() {{ {name}({', '.join(['1.0'] * count)}); }}")
    return out


_TEXTURE_NAMES = [
    "texture",
    "textureProj",
    "textureLod",
    "textureOffset",
    "texelFetch",
    "texelFetchOffset",
    "textureProjOffset",
    "textureLodOffset",
    "textureProjLod",
    "textureProjLodOffset",
    "textureGrad",
    "textureGradOffset",
    "textureProjGrad",
    "textureProjGradOffset",
    "textureSize",
]
_LEGACY_TEXTURE_NAMES = [
    "texture1D",
    "texture1DProj",
    "texture1DLod",
    "texture1DProjLod",
    "texture2D",
    "texture2DProj",
    "texture2DLod",
    "texture2DProjLod",
    "texture3D",
    "texture3DProj",
    "texture3DLod",
    "texture3DProjLod",
    "textureCube",
    "textureCubeLod",
    "shadow1D",
    "shadow2D",
    "shadow1DProj",
    "shadow2DProj",
    "shadow1DLod",
    "shadow2DLod",
    "shadow1DProjLod",
    "shadow2DProjLod",
    "texture2DRect",
    "texture2DRectProj",
    "texture2DArray",
    "texture2DLodEXT",
    "texture2DGradEXT",
]
_COORDINATES = ["0.5", "vec2(0.5)", "vec3(0.5)", "vec4(0.5)", "1", "ivec2(1)", "ivec3(1)"]


@family
def texture_functions() -> list[str]:
    """The overloaded look-ups over every sampler, coordinate and extra argument."""
    out = []
    for name, sampler in itertools.product(_TEXTURE_NAMES, SAMPLERS):
        extras: list[str] = [""]
        if "Lod" in name:
            extras = [", 0.0"]
        elif "Grad" in name:
            extras = [f", {d}, {d}" for d in ("0.1", "vec2(0.1)", "vec3(0.1)")]
        elif "texelFetch" in name:
            extras = ["", ", 0"]
        if "Offset" in name:
            extras = [f"{e}, {o}" for e in extras for o in ("1", "ivec2(1)", "ivec3(1)")]
        if "Lod" not in name and "Grad" not in name and name != "textureSize":
            extras += [f"{e}, 0.5" for e in extras]
        if name == "textureSize":
            out += [
                f"uniform {sampler} s; void main() {{ textureSize(s{e}); }}" for e in ("", ", 0", ", 0.0", ", ivec2(0)")
            ]
            continue
        for coordinate, extra in itertools.product(_COORDINATES, extras):
            if ("Fetch" in name) == (coordinate[0] in "i1"):
                out.append(f"uniform {sampler} s; void main() {{ {name}(s, {coordinate}{extra}); }}")
    return out


@family
def legacy_texture_functions() -> list[str]:
    """The look-ups named after their sampler."""
    samplers = [s for s in SAMPLERS if s[0] == "s"]
    return [
        f"uniform {sampler} s; void main() {{ {name}(s, {coordinate}{extra}); }}"
        for name in _LEGACY_TEXTURE_NAMES
        for sampler in samplers
        for coordinate in _COORDINATES[:4]
        for extra in ("", ", 0.5", ", vec2(0.1), vec2(0.1)")
        if name.startswith("texture2D") or "vec2(0.1)" not in extra
    ]


@family
def texture_misuse() -> list[str]:
    """Samplers used as values, with wrong arguments, in wrong places."""
    out = []
    for sampler in ("sampler2D", "samplerCube", "sampler3D", "isampler2D", "sampler2DShadow"):
        u = f"uniform {sampler} s; uniform {sampler} z[2];"
        for use in (
            "s == s",
            "s + s",
            "-s",
            "!s",
            "s++",
            "s = s",
            "s, s",
            "true ? s : s",
            "s.x",
            "s[0]",
            "z[0]",
            "z[1 + 0]",
            "z",
            "z == z",
            "z.length()",
            "sampler2D(1)",
            "float(s)",
            "vec4(s)",
            "s()",
            "if (s) ;",
            "int i = 1; texture(z[i], vec2(0.0))",
            "int i = 1; texture2D(z[i], vec2(0.0))",
            "for (int i = 0; i < 2; i++) texture(z[i], vec2(0.0))",
            "for (int i = 0; i < 2; i++) texture2D(z[i], vec2(0.0))",
            f"{sampler} t",
            f"{sampler} t = s",
            f"const {sampler} t = s",
            "texture2D(s)",
            "texture2D(vec2(0.0), s)",
            "texture2D(s, s)",
        ):
            out.append(f"{u} void main() {{ {use}; }}")
        for declaration in (
            f"{sampler} t;",
            f"in {sampler} t;",
            f"out {sampler} t;",
            f"attribute {sampler} t;",
            f"varying {sampler} t;",
            f"const {sampler} t;",
            f"uniform {sampler} t = 1;",
            f"uniform {sampler} t[];",
            f"{sampler} f() {{ }}",
            f"{sampler} f();",
            f"void f({sampler} t) {{ }}",
            f"void f(in {sampler} t) {{ }}",
            f"void f(out {sampler} t) {{ }}",
            f"void f(inout {sampler} t) {{ }}",
            f"void f(const in {sampler} t) {{ }}",
            f"void f({sampler} t) {{ t = t; }}",
            f"void f(const {sampler} t[2]) {{ }}",
            f"struct S {{ {sampler} t; }};",
            f"struct S {{ {sampler} t; }}; uniform S x;",
            f"struct S {{ {sampler} t; }}; S x;",
            f"struct S {{ {sampler} t; int a; }}; uniform S x; void f(S y) {{ }} ",
            f"struct S {{ {sampler} t; int a; }}; S f();",
            f"struct S {{ {sampler} t; int a; }}; uniform S x, y; void f() {{ x == y; }}",
            f"uniform B {{ {sampler} t; }};",
            f"uniform highp {sampler} t;",
            f"struct S {{ {sampler} t; int a; }}; void f(out S y) {{ }} ",
            f"struct S {{ {sampler} t; }}; const S x = S(1);",
            f"uniform {sampler} t, u[3];",
        ):
            out.append(f"{declaration} void main() {{ }}")
    return out


@family
def qualifier_orders() -> list[str]:
    """Orders of the qualifiers of variables and parameters."""
    out = []
    for storage in ("in", "out", "uniform", "attribute", "varying", "const", ""):
        for size in range(4):
            for chosen in itertools.permutations(
                ["invariant", "smooth", "flat", "centroid", "highp", "layout(location=0)", storage], size + 1
            ):
                if not storage or storage in chosen:
                    out.append(
                        f"{' '.join(w for w in chosen if w)} vec4 x{' = vec4(1.0)' if storage == 'const' else ''}; void main() {{ }}"
                    )
    for size in range(1, 5):
        for chosen in itertools.permutations(["const", "in", "out", "inout", "highp", "lowp"], size):
            out.append(f"void f({' '.join(chosen)} vec4 x) {{ }} void main() {{ }}")
    for word in (
        "uniform",
        "attribute",
        "varying",
        "invariant",
        "flat",
        "smooth",
        "centroid",
        "noperspective",
        "layout(location=0)",
        "centroid in",
        "static",
    ):
        out.append(f"void f({word} vec4 x) {{ }} void main() {{ }}")
        out.append(f"{word} vec4 f() {{ return vec4(1.0); }} void main() {{ }}")
        out.append(f"void main() {{ {word} vec4 x; }}")
        out.append(f"struct S {{ {word} vec4 x; }}; void main() {{ }}")
        out.append(f"void main() {{ for ({word} int i = 0; i < 3; i++) ; }}")
    for words in itertools.permutations(["invariant", "centroid", "smooth", "out", "highp"], 5):
        out.append(f"{' '.join(words)} vec4 x; void main() {{ }}")
    for words in itertools.permutations(["invariant", "flat", "noperspective", "in", "uniform"], 2):
        out.append(f"{' '.join(words)} vec4 x; void main() {{ }}")
    return list(dict.fromkeys(out))


_WORDS = [
    "attribute",
    "const",
    "uniform",
    "varying",
    "break",
    "continue",
    "do",
    "for",
    "while",
    "if",
    "else",
    "in",
    "out",
    "inout",
    "float",
    "int",
    "void",
    "bool",
    "true",
    "false",
    "lowp",
    "mediump",
    "highp",
    "precision",
    "invariant",
    "discard",
    "return",
    "mat2",
    "mat3",
    "mat4",
    "vec2",
    "vec3",
    "vec4",
    "ivec2",
    "ivec3",
    "ivec4",
    "bvec2",
    "bvec3",
    "bvec4",
    "sampler1D",
    "sampler2D",
    "samplerCube",
    "struct",
    "asm",
    "class",
    "union",
    "enum",
    "typedef",
    "template",
    "this",
    "packed",
    "goto",
    "switch",
    "default",
    "case",
    "inline",
    "noinline",
    "volatile",
    "public",
    "static",
    "extern",
    "external",
    "interface",
    "flat",
    "long",
    "short",
    "double",
    "half",
    "fixed",
    "unsigned",
    "superp",
    "input",
    "output",
    "hvec2",
    "hvec3",
    "hvec4",
    "dvec2",
    "dvec3",
    "dvec4",
    "fvec2",
    "fvec3",
    "fvec4",
    "sampler3D",
    "sampler1DShadow",
    "sampler2DShadow",
    "sampler2DRect",
    "sampler3DRect",
    "sampler2DRectShadow",
    "sizeof",
    "cast",
    "namespace",
    "using",
    "layout",
    "centroid",
    "smooth",
    "noperspective",
    "patch",
    "sample",
    "subroutine",
    "common",
    "partition",
    "active",
    "uint",
    "uvec2",
    "uvec3",
    "uvec4",
    "mat2x2",
    "mat2x3",
    "mat2x4",
    "mat3x2",
    "mat3x3",
    "mat3x4",
    "mat4x2",
    "mat4x3",
    "mat4x4",
    "samplerCubeShadow",
    "sampler2DArray",
    "sampler2DArrayShadow",
    "isampler2D",
    "isampler3D",
    "isamplerCube",
    "isampler2DArray",
    "usampler2D",
    "usampler3D",
    "usamplerCube",
    "usampler2DArray",
    "coherent",
    "restrict",
    "readonly",
    "writeonly",
    "resource",
    "atomic_uint",
    "filter",
    "image1D",
    "image2D",
    "image3D",
    "imageCube",
    "iimage1D",
    "uimage2D",
    "image1DArray",
    "image2DArray",
    "imageBuffer",
    "sampler1DArray",
    "sampler1DArrayShadow",
    "isampler1D",
    "usampler1DArray",
    "isampler2DRect",
    "usampler2DRect",
    "samplerBuffer",
    "isamplerBuffer",
    "usamplerBuffer",
    "sampler2DMS",
    "isampler2DMS",
    "usampler2DMS",
    "sampler2DMSArray",
    "isampler2DMSArray",
    "usampler2DMSArray",
    "image1DShadow",
    "image2DShadow",
    "image1DArrayShadow",
    "image2DArrayShadow",
    "iimage3D",
    "uimageCube",
    "iimageBuffer",
    "uimage2DArray",
    "row_major",
    "column_major",
    "shared",
    "std140",
    "packed",
    "location",
    "index",
    "samplerExternalOES",
    "dmat2",
    "dmat3x4",
    "buffer",
    "precise",
    "far",
    "near",
    "main",
    "sampler",
    "texture",
    "samplerCubeArray",
    "gl_Position",
    "gl_Foo",
    "gl_",
    "_",
    "__",
    "a__b",
    "__a",
    "a__",
    "_a",
    "volatile",
    "imageCubeArray",
    "image2DRect",
    "image2DMS",
    "iimage2DRect",
    "uimage2DMSArray",
    "sampler4D",
    "mat1x2",
    "vec1",
    "float4",
    "auto",
    "register",
]


@family
def words() -> list[str]:
    """Keywords and reserved words as names of everything."""
    out = []
    for word in dict.fromkeys(_WORDS):
        out.append(f"float {word}; void main() {{ }}")
        out.append(f"void main() {{ float {word} = 1.0; {word}; }}")
        out.append(f"void {word}() {{ }} void main() {{ }}")
        out.append(f"void f(float {word}) {{ }} void main() {{ }}")
        out.append(f"struct {word} {{ int a; }}; void main() {{ }}")
        out.append(f"struct S {{ int {word}; }}; void main() {{ }}")
        out.append(f"uniform {word} {{ int a; }}; void main() {{ }}")
        out.append(f"uniform B {{ int a; }} {word}; void main() {{ }}")
        out.append(f"uniform B {{ int {word}; }}; void main() {{ }}")
        out.append(f"#define {word} 1\\nvoid main() {{ }}")
        out.append(f"{word} x; void main() {{ }}")
        out.append(f"{word} vec4 x; void main() {{ }}")
    return out


@family
def scopes() -> list[str]:
    """Two declarations of one name, in one scope or nested ones."""
    global_ = {
        "v": "float x;", "c": "const float x = 1.0;", "u": "uniform float x;", "s": "struct x { int a; };", "p": "void x();", "f": "void x() { }",
        "g": "void x(int a) { }", "b": "uniform x { vec4 a; };", "i": "uniform B1 { vec4 a1; } x;", "m": "uniform B2 { vec4 x; };", "t": "float x();",
        "l": "void x(in int);",
    }  # fmt: skip
    local = {
        "v": "float x;",
        "c": "const float x = 1.0;",
        "s": "struct x { int a; };",
        "p": "void x();",
        "a": "int x[2];",
        "n": "float y = 1.0, x = y;",
    }
    out = []
    for a, b in itertools.product(global_, global_):
        out.append(f"{global_[a]} {global_[b]} void main() {{ }}")
    for a, b in itertools.product(global_, local):
        out.append(f"{global_[a]} void main() {{ {local[b]} }}")
        for use in ("x;", "x();", "x(1);", "x = 1.0;", "x y;", "float z = x;", "x(1).a;"):
            out.append(f"{global_[a]} void main() {{ {local[b]} {use} }}")
            out.append(f"{global_[a]} void main() {{ {{ {local[b]} }} {use} }}")
    for a, b in itertools.product(local, local):
        out.append(f"void main() {{ {local[a]} {local[b]} }}")
        out.append(f"void main() {{ {local[a]} {{ {local[b]} }} }}")
        out.append(f"void main() {{ {{ {local[a]} }} {local[b]} }}")
        out.append(f"void f(float x) {{ {local[a]} }} void main() {{ {local[b]} }}")
        for head in (
            "if (true)",
            "for (int i = 0; i < 2; i++)",
            "while (false)",
            "do",
            "for (float x = 0.0; x < 1.0; x += 1.0)",
            "while (bool x = false)",
            "if (true) ; else",
        ):
            tail = " while (false);" if head == "do" else ""
            out.append(f"void main() {{ {local[a]} {head} {local[b]}{tail} x; }}")
            out.append(f"void main() {{ {head} {{ {local[a]} {local[b]} }}{tail} }}")
            out.append(f"void main() {{ {head} {local[a]}{tail} {local[b]} }}")
    for text in (
        "int x = x;",
        "int x = 1; { int x = x; }",
        "int x, y = x;",
        "int x = 1, x = 2;",
        "int x = y, y = 1;",
        "int f = 1; f();",
        "int a = 1; { int b = a; int a = 2; }",
        "{ int a; } a = 1;",
        "for (int i = 0; i < 1; i++) { } i;",
        "int i; for (i = 0; i < 1; i++) { int i; }",
        "while (bool b = false) { } b;",
        "if (true) { int a; } else { a; }",
        "do { int a; } while (a == 1);",
        "do int a; while (true);",
        "switch (1) { case 1: int a; } a;",
        "switch (1) { case 0: int a; case 1: a = 1; }",
        "int a; switch (a) { case 0: int a; }",
        "int main;",
        "main();",
        "float sin = 1.0; sin(1.0);",
        "float sin = 1.0;",
        "int gl_x;",
        "vec2 vec2;",
        "{ { int a; } int a; } int a;",
        "struct S { int a; } S;",
        "struct S { int a; } s; S t = s;",
        "struct S { int S; }; S s; s.S = 1;",
        "S s; struct S { int a; };",
        "const int n = 2; int a[n]; { const int n = 3; int b[n]; b[2] = 1; }",
    ):
        out.append(f"void main() {{ {text} }}")
    return list(dict.fromkeys(out))


_NUMERIC = [
    "float",
    "vec2",
    "vec4",
    "int",
    "ivec2",
    "uint",
    "uvec4",
    "bool",
    "bvec2",
    "mat2",
    "mat4",
    "mat2x3",
    "S",
    "sampler2D",
    "float[2]",
    "int[2]",
    "S[2]",
    "mat2[2]",
    "T",
    "N",
]


@family
def interface_variables() -> list[str]:
    """Inputs and outputs of every type with every qualifier."""
    structs = "struct S { vec2 a; }; struct T { vec2 a[2]; }; struct N { int a; }; "
    out = []
    for type_, storage, interpolation in itertools.product(
        _NUMERIC,
        ("in", "out", "attribute", "varying", "uniform", "inout", "const"),
        (
            "",
            "flat ",
            "smooth ",
            "noperspective ",
            "centroid ",
            "invariant ",
            "flat centroid ",
            "layout(location=0) ",
            "layout(location=0) flat ",
        ),
    ):
        use = structs if type_[0] in "STN" else ""
        out.append(f"{use}{interpolation}{storage} {type_} x; void main() {{ }}")
    for kind in ("in", "out"):
        for layout in (
            "location=0",
            "location=1",
            "location=15",
            "location=16",
            "location=7",
            "location=8",
            "location=100",
            "location=-1",
            "location=1+1",
            "location=1u",
            "location=0x1",
            "location=01",
            "location=1.0",
            "location=true",
            "location",
            "location=",
            "location=a",
            "location=N",
            "location=0, location=1",
            "location=0, location=0",
            "index=0",
            "location=0, index=1",
            "location=0, index=2",
            "index=1, location=0",
            "binding=0",
            "component=0",
            "offset=0",
            "std140",
            "row_major",
            "",
            "location=0,",
            "Location=0",
            "LOCATION=0",
            "origin_upper_left",
            "early_fragment_tests",
            "depth_less",
            "location=0) layout(location=0",
            "location=0) layout(index=0",
            "points",
            "local_size_x=1",
        ):
            out.append(f"const int N = 1; layout({layout}) {kind} vec4 x; void main() {{ }}")
        out.append(f"layout(location=0) {kind} vec4 x; layout(location=0) {kind} vec4 y; void main() {{ }}")
        out.append(f"layout(location=0) {kind} vec4 x; layout(location=1) {kind} vec4 y; void main() {{ }}")
        out.append(f"{kind} layout(location=0) vec4 x; void main() {{ }}")
        out.append(f"layout(location=0) {kind} vec4 x[2]; layout(location=1) {kind} vec4 y; void main() {{ }}")
        out.append(f"layout(location=7) {kind} vec4 x[2]; void main() {{ }}")
        out.append(f"layout(location=14) {kind} mat4 x; void main() {{ }}")
        out.append(f"layout(location=0) {kind}; void main() {{ }}")
        out.append(f"{kind} vec4 x, y; void main() {{ }}")
        out.append(f"{kind} vec4 x; {kind} vec4 x; void main() {{ }}")
        out.append(f"{kind} vec4 x = vec4(1.0); void main() {{ }}")
        out.append(f"{kind} vec4 x[]; void main() {{ }}")
        out.append(f"{kind} void x; void main() {{ }}")
        out.append(f"void main() {{ {kind} vec4 x; }}")
        out.append(f"{kind} vec4 x; void main() {{ x = vec4(1.0); }}")
        out.append(f"{kind} vec4 x; void main() {{ vec4 y = x; }}")
        out.append(f"{kind} vec4 x; void main() {{ x.x = 1.0; }}")
        out.append(f"{kind} vec4 x[3]; void main() {{ int i = 1; vec4 y = x[i]; }}")
        out.append(f"{kind} vec4 x[3]; void main() {{ int i = 1; x[i] = vec4(1.0); }}")
        out.append(f"{kind} vec4 x[3]; void main() {{ x[1] = vec4(1.0); }}")
        out.append(f"{kind} vec4 x[3]; void main() {{ for (int i = 0; i < 3; i++) x[i] = vec4(1.0); }}")
        out.append(f"{kind} vec4 x[3]; void f(vec4 y[3]) {{ }} void main() {{ f(x); }}")
        out.append(f"{kind} vec4 x[3]; void f(out vec4 y) {{ }} void main() {{ f(x[1]); }}")
        out.append(f"{kind} float x; void main() {{ x++; }}")
        out.append(f"struct S {{ vec4 a; }} ; {kind} S x; void main() {{ x.a = vec4(1.0); }}")
        out.append(f"{kind} struct S {{ vec4 a; }} x; void main() {{ }}")
        out.append(f"struct S {{ vec4 a; sampler2D b; }} ; {kind} S x; void main() {{ }}")
        out.append(f"struct S {{ vec4 a; bool b; }} ; {kind} S x; void main() {{ }}")
        out.append(f"struct R {{ vec4 a; }}; struct S {{ R a; }} ; {kind} S x; void main() {{ }}")
        out.append(f"struct S {{ int a; }} ; flat {kind} S x; void main() {{ }}")
        out.append(f"struct S {{ mat2 a; }} ; flat {kind} S x; void main() {{ }}")
        out.append(f"{kind} vec4 gl_Position; void main() {{ }}")
        out.append(f"{kind} vec4 gl_FragColor; void main() {{ }}")
        out.append(f"{kind} B {{ vec4 a; }}; void main() {{ }}")
        out.append(f"{kind} B {{ vec4 a; }} b; void main() {{ }}")
    return list(dict.fromkeys(out))


@family
def fragment_outputs() -> list[str]:
    """Built-in and user-defined colours together."""
    writes = {
        "": "", "color": "gl_FragColor = vec4(1.0);", "data": "gl_FragData[0] = vec4(1.0);", "data1": "gl_FragData[1] = vec4(1.0);", "user": "c = vec4(1.0);",
        "dynamic": "int i = 1; gl_FragData[i] = vec4(1.0);", "loop": "for (int i = 0; i < 1; i++) gl_FragData[i] = vec4(1.0);", "out of range": "gl_FragData[100] = vec4(1.0);",
        "max": "gl_FragData[gl_MaxDrawBuffers - 1] = vec4(1.0);", "beyond": "gl_FragData[gl_MaxDrawBuffers] = vec4(1.0);", "whole": "gl_FragData = gl_FragData;", "read": "vec4 x = gl_FragColor;",
        "depth": "gl_FragDepth = 1.0;", "depth ext": "gl_FragDepthEXT = 1.0;", "never": "if (false) gl_FragColor = vec4(1.0);", "negative": "gl_FragData[-1] = vec4(1.0);", "length": "gl_FragData.length();",
    }  # fmt: skip
    out = []
    for a, b in itertools.product(writes, writes):
        user = "out vec4 c; " if "c = " in f"; {writes[a]} {writes[b]}".replace("Vec", "") and "user" in (a, b) else ""
        out.append(f"{user}void main() {{ {writes[a]} {writes[b]} }}")
        out.append(f"{user}void f() {{ {writes[a]} }} void main() {{ {writes[b]} }}")
    for extension in (
        "GL_EXT_draw_buffers",
        "GL_EXT_frag_depth",
        "GL_OES_standard_derivatives",
        "GL_EXT_shader_texture_lod",
        "GL_ARB_draw_buffers",
    ):
        for text in (*writes.values(), "float x = dFdx(1.0);", "float x = fwidth(1.0);"):
            out.append(
                f"#extension {extension} : enable\\nout vec4 c; void main() {{ {text} }}".replace(
                    "out vec4 c; ", "out vec4 c; " if " c = " in f" {text}" else ""
                )
            )
    return list(dict.fromkeys(out))


_BUILTIN_VARIABLES = [
    "gl_Position",
    "gl_PointSize",
    "gl_VertexID",
    "gl_InstanceID",
    "gl_FragCoord",
    "gl_FrontFacing",
    "gl_PointCoord",
    "gl_FragColor",
    "gl_FragData",
    "gl_FragDepth",
    "gl_DepthRange",
    "gl_ClipDistance",
    "gl_PrimitiveID",
    "gl_ClipVertex",
    "gl_MaxVertexAttribs",
    "gl_MaxVertexUniformVectors",
    "gl_MaxVaryingVectors",
    "gl_MaxVertexTextureImageUnits",
    "gl_MaxCombinedTextureImageUnits",
    "gl_MaxTextureImageUnits",
    "gl_MaxFragmentUniformVectors",
    "gl_MaxDrawBuffers",
    "gl_MaxVertexOutputVectors",
    "gl_MaxFragmentInputVectors",
    "gl_MinProgramTexelOffset",
    "gl_MaxProgramTexelOffset",
    "gl_MaxVertexUniformComponents",
    "gl_MaxFragmentUniformComponents",
    "gl_MaxVaryingFloats",
    "gl_MaxVaryingComponents",
    "gl_MaxVertexOutputComponents",
    "gl_MaxFragmentInputComponents",
    "gl_MaxClipDistances",
    "gl_MaxTextureUnits",
    "gl_MaxTextureCoords",
    "gl_MaxClipPlanes",
    "gl_MaxLights",
    "gl_MaxGeometryInputComponents",
    "gl_MaxGeometryOutputVertices",
    "gl_Layer",
    "gl_SampleID",
    "gl_MaxGeometryTextureImageUnits",
    "gl_MaxGeometryOutputComponents",
    "gl_MaxGeometryTotalOutputComponents",
    "gl_MaxGeometryUniformComponents",
    "gl_MaxGeometryVaryingComponents",
    "gl_MaxSamples",
    "gl_in",
    "gl_PerVertex",
    "gl_NumSamples",
    "gl_FragDepthEXT",
]


@family
def builtin_variables() -> list[str]:
    """Built-in variables and constants: read, written, redeclared, as constants."""
    out = []
    for name in _BUILTIN_VARIABLES:
        for text in (
            "{0};",
            "{0} = {0};",
            "float x = {0};",
            "vec4 x = {0};",
            "int x = {0};",
            "bool x = {0};",
            "vec2 x = {0};",
            "float x = {0}[0];",
            "{0} = 1.0;",
            "{0} = vec4(1.0);",
            "{0}.x = 1.0;",
            "{0}[0] = 1.0;",
            "const int x = {0};",
            "int x[{0}];",
            "{0}++;",
            "{0}.near;",
            "float x = {0}.near + {0}.far + {0}.diff;",
            "{0}.near = 1.0;",
            "float {0} = 1.0;",
            "{0}();",
            "{0}.length();",
            "int i = 0; {0}[i];",
        ):
            out.append(f"void main() {{ {text.format(name)} }}")
        for text in (
            "float {0};",
            "in vec4 {0};",
            "out vec4 {0};",
            "uniform vec4 {0};",
            "vec4 {0};",
            "int {0};",
            "void {0}() {{ }}",
            "struct {0} {{ int a; }};",
            "invariant {0};",
            "in int {0};",
            "out float {0};",
            "in float {0}[2];",
            "out float {0}[2];",
            "out float {0}[];",
            "invariant out vec4 {0};",
            "flat in vec4 {0};",
            "layout(origin_upper_left) in vec4 {0};",
            "out vec4 {0}[2];",
            "const int {0} = 1;",
            "highp vec4 {0};",
            "uniform gl_DepthRangeParameters {0};",
        ):
            out.append(f"{text.format(name)} void main() {{ }}")
    out += [
        "void main() { gl_DepthRangeParameters p = gl_DepthRange; p.near; }",
        "gl_DepthRangeParameters p; void main() { }",
        "void f(gl_DepthRangeParameters p) { } void main() { f(gl_DepthRange); }",
        "void main() { gl_DepthRange = gl_DepthRangeParameters(0.0, 1.0, 1.0); }",
        "uniform gl_DepthRangeParameters u; void main() { }",
        "out float gl_ClipDistance[9]; void main() { }",
        "out float gl_ClipDistance[8]; void main() { }",
        "void main() { gl_ClipDistance[7] = 1.0; }",
        "void main() { gl_ClipDistance[8] = 1.0; }",
        "out float gl_ClipDistance[2]; void main() { gl_ClipDistance[2] = 1.0; }",
        "out float gl_ClipDistance[2]; void main() { int i = 1; gl_ClipDistance[i] = 1.0; }",
        "void main() { int i = 1; gl_ClipDistance[i] = 1.0; }",
        "void main() { gl_ClipDistance[1] = 1.0; } out float gl_ClipDistance[2];",
        "void main() { gl_ClipDistance[1] = 1.0; } out float gl_ClipDistance[1];",
    ]
    return out


@family
def statements() -> list[str]:
    """Control flow: conditions of every type, jumps everywhere, switches."""
    out = []
    for type_ in [*VALUES, "S", "A", "sampler2D"]:
        value = _operand(type_)
        for text in (
            "if ({0}) ;",
            "while ({0}) break;",
            "do ; while ({0});",
            "for (; {0}; ) break;",
            "{0} ? 1 : 2;",
            "switch ({0}) {{ case 1: break; }}",
            "switch ({0}) {{ case uint(1): break; }}",
            "switch (1) {{ case {0}: break; }}",
            "{0};",
            "({0});",
            "return {0};",
            "for ({0}; true; ) break;",
            "for (;; {0}) break;",
        ):
            out.append(f"{_DECLARED} {text.format(value)} }}")
    for jump in (
        "break;",
        "continue;",
        "return;",
        "discard;",
        "goto a;",
        "return 1;",
        "break 1;",
        "discard",
        "break",
        "continue; break;",
    ):
        for around in (
            "{}",
            "{{ {} }}",
            "if (true) {}",
            "if (true) ; else {}",
            "for (;;) {{ {} }}",
            "for (int i = 0; i < 2; i++) {}",
            "while (true) {}",
            "do {} while (false);",
            "switch (1) {{ case 1: {} }}",
            "switch (1) {{ case 1: for (;;) {{ {} }} }}",
            "for (;;) {{ switch (1) {{ case 1: {} }} break; }}",
            "switch (1) {{ default: if (true) {} }}",
        ):
            out.append(f"void main() {{ {around.format(jump)} }}")
        out.append(f"void f() {{ {jump} }} void main() {{ for (;;) f(); }}")
        out.append(f"int f() {{ {jump} }} void main() {{ }}")
        out.append(f"int f() {{ if (true) {jump} return 1; }} void main() {{ }}")
    for text in (
        "",
        ";",
        "break;",
        "case 1:",
        "case 1: ;",
        "case 1: break;",
        "case 1: case 2: break;",
        "case 1: break; case 1: break;",
        "default:",
        "default: ;",
        "default: break; default: break;",
        "default: break; case 1: break;",
        "int a; case 1: break;",
        "a = 1; case 1: break;",
        "case 1: int a; break;",
        "case 1: int a; break; case 2: a = 1;",
        "case 1: { int a; } break; case 2: { int a; }",
        "case 1.0: break;",
        "case true: break;",
        "case 1u: break;",
        "case u: break;",
        "case n: break;",
        "case N: break;",
        "case N + 1: break;",
        "case -1: break;",
        "case (1): break;",
        "case 1 + 1: break; case 2: break;",
        "case 0x7fffffff: break; case -1: break;",
        "case 0xffffffff: break; case -1: break;",
        "{ case 1: break; }",
        "case 1: { case 2: break; }",
        "case 1: if (true) { case 2: break; }",
        "case 1: for (;;) { case 2: break; }",
        "case 1: switch (2) { case 1: break; } break;",
        "case 1: continue;",
        "case 1: return;",
        "case: break;",
        "case 1 break;",
        "default 1: break;",
        "case 1: default: break;",
        "default: case 1: ;",
        "case 1: break; default:",
        "case 1: break; case 2:",
        "case 1: a;",
        "case 1: for (int i = 0; i < 2; i++) { } break;",
        "case 1: do { break; } while (true); break;",
        "case int(1.5): break;",
        "case sin(1.0): break;",
        "case int(sin(1.0)): break;",
        "case i: break;",
        "case 1, 2: break;",
        "case 1 ? 2 : 3: break;",
        "case true ? 2 : 3: break;",
        "case 2147483648: ;",
        "case 1: {",
        "case 1: }",
    ):
        out.append(f"const int N = 5; uniform int u; void main() {{ int i = 1, n = 2; switch (i) {{ {text} }} }}")
        out.append(f"void main() {{ uint i = 1u; switch (i) {{ {text} }} }}")
    for text in (
        "switch (1) case 1: break;",
        "switch (1) ;",
        "switch 1 { }",
        "switch () { }",
        "switch (int a = 1) { case 1: break; }",
        "case 1: ;",
        "default: ;",
        "if true ;",
        "if () ;",
        "if (true)",
        "else ;",
        "if (true) else ;",
        "if (true) ; else ; else ;",
        "if (bool b = true) ;",
        "while () ;",
        "while true ;",
        "while (true)",
        "while (bool b = true) break;",
        "while (int b = 1) break;",
        "do ; while (bool b = true);",
        "do ; while (true)",
        "do ; ",
        "do { } while true;",
        "do while (true);",
        "for () ;",
        "for (;) ;",
        "for (;;)",
        "for (;;) break;",
        "for (int i;;) break;",
        "for (int i = 0, j = 1; i < j; i++, j--) break;",
        "for (int i = 0; int j = 1; ) break;",
        "for (int i = 0; bool j = true; ) break;",
        "for (int i = 0; bool j = true; ) { int j; break; }",
        "for (int i = 0; i < 2; int j = 1) ;",
        "for (int i = 0; i < 2; i++) int i;",
        "for (int i = 0; i < 2; i++) { int i; }",
        "for (int i = 0; i < 2; ) i++;",
        "for (;true;;) ;",
        "for (int i = 0; i < 2; i++, ) ;",
        "for (const int i = 0; i < 2; ) break;",
        "for (float f = 0.0; f < 1.0; f += 0.5) ;",
        "for (struct S { int a; } s = S(1); s.a < 2; s.a++) ;",
        "for (int i = 0, float j = 1.0; ;) break;",
        "int i; for (i = 0; i < 2; i++) ;",
        "int i = 3; for (; i > 0; --i) ;",
        "for (int i = 0; i < 4; i++) { i++; }",
        "for (int i = 0; i < 4; i += 2) { }",
        "int n = 3; for (int i = 0; i < n; i++) { }",
        "for (int i = 0; i != 4; i++) { }",
        "for (int i = 0; 4 > i; i++) { }",
        "for (int i = 10; i > 0; i -= 3) { }",
        "for (int i = 0; i < 4; i = i + 1) { }",
        "int a; int b = a = 1;",
        "int a, b; a = b = 1;",
        "int a; (a) = 1;",
        "int a; (a, a) = 1;",
        "int a; a + 1 = 2;",
        "1 = 2;",
        "int a; a++ = 1;",
        "int a; ++a = 1;",
        "int a; a++++;",
        "int a; ++++a;",
        "int a; +-+-a;",
        "int a; - -a;",
        "int a; --a;",
        "int a; a---a;",
        "int a; a+++a;",
        "bool b; !!b;",
        "vec4 v; v.xyzw.xy.x;",
        "vec4 v; v.xyzw.xy.z;",
        "vec4 v; v.xr;",
        "vec4 v; v.rgba.stpq.x;",
        "vec4 v; v.xyzwx;",
        "vec4 v; v.;",
        "vec4 v; v.1;",
        "vec4 v; v.xy = vec2(1.0);",
        "vec4 v; v.xx = vec2(1.0);",
        "vec4 v; v.xyx = vec3(1.0);",
        "vec4 v; v.xy.x = 1.0;",
        "vec4 v; v.yx.xy = vec2(1.0);",
        "vec4 v; v.xx.x = 1.0;",
        "vec4 v; v[0] = 1.0;",
        "vec4 v; v[4];",
        "vec4 v; v[-1];",
        "vec4 v; int i = 4; v[i];",
        "vec4 v; v[1.0];",
        "vec4 v; v[0][0];",
        "vec4 v; v.x[0];",
        "vec4 v; v.xy[1] = 1.0;",
        "vec4 v; v.xy[2];",
        "vec4 v; v.yx[1] = 1.0;",
        "float f; f.x;",
        "float f; f.r;",
        "float f; f[0];",
        "int i; i.x;",
        "bool b; b.x;",
        "mat2 m; m.x;",
        "mat2 m; m[0].x = 1.0;",
        "mat2 m; m[0][1] = 1.0;",
        "mat2 m; m[2];",
        "mat2 m; m[0][2];",
        "mat2 m; m[-1];",
        "mat2 m; m[0].z;",
        "mat2 m; m[0] = vec2(1.0);",
        "mat2 m; m[0] = vec3(1.0);",
        "mat2 m; m[0] = m[1];",
        "mat2 m; m = mat2(m[0], m[1]);",
        "mat2 m; m++;",
        "mat2 m; -m;",
        "mat2x3 m; m[1][2];",
        "mat2x3 m; m[2];",
        "mat3x2 m; m[2];",
        "mat3x2 m; m[2].z;",
        "int a[3]; a[2];",
        "int a[3]; a[3];",
        "int a[3]; a[-1];",
        "int a[3]; int i = 5; a[i];",
        "int a[3]; a[1.0];",
        "int a[3]; a[true];",
        "int a[3]; a[1u];",
        "int a[3]; a.x;",
        "int a[3]; a.length;",
        "int a[3]; a.length();",
        "int a[3]; a.length(1);",
        "int a[3]; a.size();",
        "int a[3]; a = a;",
        "int a[3], b[3]; a = b;",
        "int a[3], b[2]; a = b;",
        "int a[3], b[3]; a == b;",
        "int a[3], b[2]; a == b;",
        "int a[3], b[3]; a < b;",
        "int a[3], b[3]; a + b;",
        "int a[3]; -a;",
        "int a[3]; a++;",
        "int a[3]; a;",
        "int a[3]; (a)[1];",
        "int a[3], b[3]; (true ? a : b)[1];",
        "int a[3], b[3]; true ? a : b;",
        "int a[3], b[3]; a, b;",
        "int a[3] = int[3](1, 2, 3);",
        "int[3] a = int[](1, 2, 3);",
        "int a[] = int[](1, 2, 3);",
        "int a[];",
        "int a[]; a[1] = 1;",
        "int a[] = 1;",
        "int a = int[](1);",
        "int a = int[](1)[0];",
        "int a[3] = int[3](1, 2);",
        "int a[2] = int[3](1, 2, 3);",
        "int[2](1, 2);",
        "int[2](1, 2)[1];",
        "int[](1, 2).length();",
        "vec2[2](vec2(1.0), vec2(2.0))[1].x;",
        "float a[2] = float[](1, 2);",
        "float a[2] = float[](1.0, 2);",
        "int a[2] = int[](1.0, 2.0);",
        "int n = 2; int a[n];",
        "const int n = 2; int a[n];",
        "const int n = int(2.5); int a[n];",
        "int a[2], b = a[1];",
        "const int a[2] = int[](1, 2); a[0] = 2;",
        "const int a[2] = int[](1, 2); const int b = a[1]; int c[b];",
        "const int b = 1 + 1; int c[b * 2];",
        "int i = 2; const int b = i;",
        "uint u = 1u; const uint v = u;",
        "const vec4 v = vec4(1.0); v.x = 2.0;",
        "const vec4 v = vec4(1.0); const float f = v.x; ",
        "const float f = sin(1.0);",
        "const float f = float(1) + length(vec2(1.0));",
        "const mat2 m = mat2(1.0); const vec2 v = m[1];",
        "const bool b = 1 < 2 && true; const int n = b ? 2 : 3; int a[n];",
        "const int n = 1 == 1 ? 2 : 0; int a[n];",
        "const int n = (3, 4);",
        "int n; const int m = n = 1;",
        "const int n = 1; const int m = n++;",
        "const int n = 4 / 0;",
        "const int n = 1 << 40;",
        "const int n = 5 % 3;",
        "const int n = 5 & 3 | 4 ^ 1;",
        "const int n = ~1;",
        "const float f = 1.0 / 0.0;",
        "const uint u = 1u - 2u; int a[u];",
        "1 + 1.0;",
        "1 + true;",
        "1u + 1;",
        "1.0 + 1u;",
        "vec2(1.0) + ivec2(1);",
        "vec2(1.0) + vec3(1.0);",
        "int i = 1u;",
        "uint u = 1;",
        "uint u = -1;",
        "float f = 1u;",
        "float f = true;",
        "int i = true;",
        "bool b = 1;",
        "bool b = 1.0;",
        "vec2 v = ivec2(1);",
        "vec2 v = 1.0;",
        "vec2 v = vec3(1.0);",
        "vec3 v = vec2(1.0);",
        "float f = vec2(1.0);",
        "mat2 m = 1.0;",
        "mat2 m = mat3(1.0);",
        "ivec2 i = vec2(1.0);",
        "ivec2 i = uvec2(1);",
        "uvec2 i = ivec2(1);",
        "float f = 1; f += 1;",
        "float f = 1.0; f += 1;",
        "int i = 1; i += 1.0;",
        "int i; i += 1u;",
        "uint u; u += 1;",
        "vec2 v; v += 1;",
        "vec2 v; v *= 2;",
        "vec2 v; v *= mat2(1.0);",
        "vec2 v; v = mat2(1.0) * v;",
        "mat2 m; m *= vec2(1.0);",
        "mat2 m; m *= 2.0;",
        "mat2 m; m += 1.0;",
        "mat2 m; m = 1.0 + m;",
        "mat2 m; m /= m;",
        "mat2 m; m == m;",
        "mat2 m; m < m;",
        "float f; f *= vec2(1.0);",
        "vec3 v; v *= mat3x2(1.0);",
        "vec2 v = mat3x2(1.0) * vec3(1.0);",
        "vec3 v = vec2(1.0) * mat3x2(1.0);",
        "mat2 m = mat3x2(1.0) * mat2x3(1.0);",
        "mat2x3 m = mat2x3(1.0) * mat2(1.0);",
        "mat3 m = mat3x2(1.0) * mat2x3(1.0);",
        "int i = 1 < 2;",
        "bool b = 1 < 2 < 3;",
        "bool b = 1 == 1 == true;",
        "bool b = true < false;",
        "bool b = vec2(1.0) < vec2(2.0);",
        "bool b = vec2(1.0) == vec2(2.0);",
        "bvec2 b = vec2(1.0) == vec2(2.0);",
        "bool b = bvec2(true) && true;",
        "bool b = 1 && 2;",
        "bool b = true ^^ false;",
        "bool b = true & true;",
        "int i = 1 << 2;",
        "int i = 1 << 2u;",
        "uint u = 1u << 2;",
        "ivec2 i = ivec2(1) << 2;",
        "ivec2 i = ivec2(1) << ivec2(2);",
        "int i = 1 << ivec2(2);",
        "ivec2 i = ivec2(1) << ivec3(2);",
        "int i = 1 & 2u;",
        "ivec2 i = ivec2(1) & 2;",
        "ivec2 i = 2 & ivec2(1);",
        "int i = 5 % 2;",
        "float f = 5.0 % 2.0;",
        "ivec2 i = ivec2(5) % 2;",
        "int i = ~1.0;",
        "bool b = ~true;",
        "bool b = -true;",
        "int i = !1;",
        "bvec2 b = !bvec2(true);",
        "true ? 1 : 1.0;",
        "true ? 1.0 : 1;",
        "true ? vec2(1.0) : 1.0;",
        "1 ? 1 : 2;",
        "bvec2(true) ? 1 : 2;",
        "true ? true ? 1 : 2 : 3;",
        "true ? main() : main();",
        "int a; true ? a : a = 1;",
        "int a; a = true ? 1 : 2, 3;",
        "int a; true ? a = 1 : 2;",
    ):
        out.append(f"void main() {{ {text} }}")
    return list(dict.fromkeys(out))


@family
def lexical() -> list[str]:
    """Numbers, characters, comments and tokens."""
    out = []
    numbers = [
        "0",
        "1",
        "00",
        "01",
        "07",
        "08",
        "09",
        "018",
        "0x0",
        "0X1F",
        "0xg",
        "0x",
        "0xfffffff",
        "0xffffffff",
        "0x100000000",
        "1u",
        "1U",
        "0u",
        "07u",
        "0xFu",
        "1ul",
        "1L",
        "1l",
        "2147483647",
        "2147483648",
        "4294967295",
        "4294967296",
        "99999999999999999999",
        "1.0",
        "1.",
        ".1",
        ".",
        "1.e1",
        "1e1",
        "1e+1",
        "1e-1",
        ".1e1",
        "1.0e",
        "1.0e+",
        "e1",
        "1.0f",
        "1.f",
        ".1f",
        "1e1f",
        "1f",
        "1.0F",
        "1.0lf",
        "1.0LF",
        "1.0h",
        "1.0u",
        "1e100",
        "1e-100",
        "1.0e38",
        "1.0e39",
        "0.0",
        "00.0",
        "08.0",
        "09.5",
        "0x1.0",
        "1_0",
        "1a",
        "1.0a",
        "1..0",
        "1.0.0",
        "0b1",
        "0o7",
        "1e1.0",
        "0e0",
        "0.e0",
        "+1",
        "-1",
        "--1",
        "1'0",
    ]
    for number in numbers:
        out += [
            f"void main() {{ int i = {number}; }}",
            f"void main() {{ float f = {number}; }}",
            f"void main() {{ {number}; }}",
            f"void main() {{ int a[{number}]; }}",
        ]
    for character in "@$`'\"\\#!~?:":
        out += [
            f"void main() {{ {character} }}",
            f"void main() {{ }} // {character}",
            f"/* {character} */ void main() {{ }}",
            f"{character} void main() {{ }}",
            f"void main() {{ int a{character}b; }}",
        ]
    out += [
        "void main() { /* */ }",
        "void main() { /* /* */ }",
        "void main() { /* /* */ */ }",
        "void main() { } /*",
        "void main() { } /* *",
        "void main() { } //",
        "void main() { // }",
        "void main() { // }\\n }",
        "void main() { /* // */ }",
        "void main() { // /* \\n }",
        "void main() { /**/ }",
        "void main() { /***/ }",
        "void main() { /*/ */ }",
        "void ma/**/in() { }",
        "int/**/a; void main() { }",
        "int a;/**/ void main() { }",
        "void main() { int a = 1 /**/ + 1; }",
        "void main() { a/**/= 1; }",
        "void main() { int a; a +/**/= 1; }",
        "void main() { int a; a + = 1; }",
        "void main() { int a; a < = 1; }",
        "void main() { bool b = true & & true; }",
        "void main() { vec2 v; v. x; }",
        "void main() { vec2 v; v .x; }",
        "void main() { vec2 v; v\\n.\\nx; }",
        "void\\nmain\\n(\\n)\\n{\\n}",
        "void main() { int a; a+\\n+; }",
        "\tvoid\tmain\t(\t)\t{\t}\t",
        "void main() {\f}",
        "void main() {\v}",
        "VOID main() { }",
        "void Main() { }",
        "void main() { Int a; }",
        "void main() { INT a; }",
        "void main() { int A; int a; }",
        "void main() { int a1_b2; }",
        "void main() { int 1a; }",
        "void main() { int a-b; }",
        "void main() { int a.b; }",
        "void main() { int " + "a" * 255 + "; }",
        "void main() { int " + "a" * 256 + "; }",
        "void main() { int " + "a" * 1024 + "; }",
        "void main() { int " + "a" * 1025 + "; }",
        "void main() { ;;; }",
        "void main() { {} }",
        "void main() { {}; }",
        "void main() { }}",
        "void main() { { }",
        "void main() ( }",
        "void main() { ) }",
        "void main() { (1; }",
        "void main() { (1)); }",
        "void main() { int a[1; }",
        "void main() { int a]1[; }",
        "void main() { <: :> }",
        "void main() { int a <: 1 :>; }",
        "void main() { a->b; }",
        "void main() { a::b; }",
        "void main() { &a; }",
        "void main() { *a; }",
        "void main() { (float)1; }",
        "void main() { float(1); }",
        "void main() { sizeof(int); }",
        "void main() { 'a'; }",
        'void main() { "a"; }',
        "void main() { int a = 1; a ** 2; }",
        "void main() { int a = 1; a <> 2; }",
        "void main() { bool b = not true; }",
        "void main() { bool b = true and false; }",
        "void main() { int a = 1\\n\\n\\n; }",
        "int a = 1 \\\\\\n + 1; void main() { }",
        "#define A 1 \\\\\\n + 1\\nint a = A; void main() { }",
        "// \\\\\\n int x\\nvoid main() { }",
        "void ma\\\\\\nin() { }",
    ]
    return list(dict.fromkeys(out))


@family
def extensions() -> list[str]:
    """#extension lines and what they switch on."""
    names = [
        "GL_OES_standard_derivatives",
        "GL_EXT_shader_texture_lod",
        "GL_EXT_frag_depth",
        "GL_EXT_draw_buffers",
        "GL_OES_texture_3D",
        "GL_EXT_shadow_samplers",
        "GL_OES_EGL_image_external",
        "GL_EXT_shader_framebuffer_fetch",
        "GL_ARB_texture_rectangle",
        "GL_ARB_draw_buffers",
        "GL_ARB_explicit_attrib_location",
        "GL_ARB_uniform_buffer_object",
        "all",
        "GL_foo",
        "foo",
        "GL_ARB_shading_language_420pack",
    ]
    out = []
    for name in names:
        for behaviour in ("require", "enable", "warn", "disable", "foo", "", "Enable"):
            out.append(f"#extension {name} : {behaviour}\\nvoid main() {{ }}")
        for text in (
            f"#extension {name}",
            f"#extension {name} enable",
            f"#extension {name}:enable",
            f"#extension {name} : enable x",
            f"# extension {name} : enable",
            f"#extension : {name}",
            f"#extension\t{name}\t:\tenable",
            f"#extension {name} : enable // x",
            f"#extension {name} : enable /* */",
        ):
            out.append(f"{text}\\nvoid main() {{ }}")
        out.append(f"int a;\\n#extension {name} : enable\\nvoid main() {{ }}")
        out.append(f"void main() {{ }}\\n#extension {name} : enable\\n")
        out.append(f"#ifdef {name}\\n#extension {name} : require\\n#endif\\nvoid main() {{ }}")
        out.append(f"#if defined({name}) && {name} == 1\\nint a;\\n#else\\n#error x\\n#endif\\nvoid main() {{ }}")
    return out


@family
def precisions() -> list[str]:
    """Precision statements and defaults, with the default of the header taken away."""
    out = []
    for head in ("@", "@#version 300 es\\n"):
        for precision in (
            "",
            "precision lowp float; ",
            "precision mediump int; ",
            "precision highp float; precision highp int; ",
            "precision mediump sampler2D; ",
        ):
            for text in (
                "float a;",
                "vec2 a;",
                "mat3 a;",
                "int a;",
                "ivec2 a;",
                "bool a;",
                "highp float a;",
                "uniform float a;",
                "uniform sampler2D a;",
                "uniform samplerCube a;",
                "uniform highp sampler2D a;",
                "uniform sampler3D a;",
                "uniform highp sampler3D a;",
                "uniform isampler2D a;",
                "uniform sampler2DArray a;",
                "uniform sampler2DShadow a;",
                "uint a;",
                "uvec2 a;",
                "struct S { float a; };",
                "struct S { highp float a; };",
                "struct S { float a; }; S s;",
                "float f();",
                "highp float f();",
                "void f(float a);",
                "void f(highp float a);",
                "void f() { float a; }",
                "void f() { const float a = 1.0; }",
                "void f() { 1.0; }",
                "void f() { vec2(1.0); }",
                "void f() { highp float a = 1.0 + 2.0; }",
                "uniform B { float a; };",
                "uniform B { highp float a; };",
                "float a[2];",
                "varying float a;",
                "in float a;",
                "out float a;",
                "out vec4 a;",
                "const float a = 1.0;",
                "void f() { for (float i = 0.0; i < 1.0; i++) ; }",
                "void f() { precision highp float; float a; }",
                "void f() { { precision highp float; float a; } float b; }",
                "void f() { precision highp float; } float b;",
                "precision highp float; float a;",
                "float a; precision highp float;",
                "#ifdef GL_FRAGMENT_PRECISION_HIGH\\nprecision highp float;\\n#endif\\nfloat a;",
                "invariant varying highp float a;",
                "highp vec2 f(lowp vec2 a) { return a; }",
            ):
                out.append(f"{head}{precision}{text} void main() {{ }}")
    return out


@family
def preprocessor_expressions() -> list[str]:
    """Values of expressions: each asserts what the operators' precedence gives."""
    rng = _rng("conditions")
    out = []

    def random_expression(depth: int) -> tuple[str, int]:
        if depth == 0 or rng.random() < 0.2:
            n = rng.randint(0, 9)
            return (f"0x{n:x}" if rng.random() < 0.2 else str(n)), n
        if rng.random() < 0.25:
            op = rng.choice("+-~!")
            text, value = random_expression(depth - 1)
            return f"{op}({text})", {"+": value, "-": -value, "~": ~value, "!": int(not value)}[op]
        op = rng.choice(["+", "-", "*", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "^", "|", "&&", "||"])
        a, b = random_expression(depth - 1), random_expression(depth - 1)
        if op in ("<<", ">>"):
            b = (str(b[1] & 7), b[1] & 7)
        value = {
            "+": lambda: a[1] + b[1], "-": lambda: a[1] - b[1], "*": lambda: a[1] * b[1], "<<": lambda: a[1] << b[1], ">>": lambda: a[1] >> b[1], "<": lambda: int(a[1] < b[1]), ">": lambda: int(a[1] > b[1]), "<=": lambda: int(a[1] <= b[1]),
            ">=": lambda: int(a[1] >= b[1]), "==": lambda: int(a[1] == b[1]), "!=": lambda: int(a[1] != b[1]), "&": lambda: a[1] & b[1], "^": lambda: a[1] ^ b[1], "|": lambda: a[1] | b[1], "&&": lambda: int(bool(a[1]) and bool(b[1])), "||": lambda: int(bool(a[1]) or bool(b[1])),
        }[op]()  # fmt: skip
        return f"({a[0]} {op} {b[0]})", value

    for _ in range(150):
        text, value = random_expression(3)
        out.append(f"#if ({text}) == {value}\\nint a;\\n#else\\n#error wrong\\n#endif\\nvoid main() {{ }}")
    for ops in itertools.product(["+", "-", "*", "<<", "<", "==", "&", "^", "|", "&&", "||"], repeat=2):
        for tail in ("== 1", "> 2", ""):
            out.append(f"#if 3 {ops[0]} 2 {ops[1]} 1 {tail}\\n#error taken\\n#endif\\nvoid main() {{ }}")
    return out
