"""Small mutations of valid shaders that mostly still parse: a token for another one of its kind."""

from __future__ import annotations

import random
import re

_TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|<<=|>>=|\+\+|--|[-+*/<>=!&|^]=|&&|\|\||\^\^|[^\s\w]")
_NUMBER = re.compile(r"\d[\w.]*")
_NUMBERS = ["0", "1", "2", "3", "1.0", "0.5", "2.0", "1u", "-1", "true", "4", "0x1", "07", "1e1"]
#: Tokens that stand for one another.
_KINDS = [
    _NUMBERS,
    [
        "float",
        "int",
        "uint",
        "bool",
        "vec2",
        "vec3",
        "vec4",
        "ivec2",
        "ivec3",
        "ivec4",
        "uvec2",
        "bvec2",
        "bvec3",
        "mat2",
        "mat3",
        "mat4",
        "mat2x3",
        "mat3x2",
        "sampler2D",
        "samplerCube",
        "void",
        "S",
    ],
    ["+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "^^", "&", "|", "^", "<<", ">>", ","],
    ["+=", "-=", "*=", "/=", "=", "%=", "<<=", "&="],
    [
        "in",
        "out",
        "inout",
        "uniform",
        "varying",
        "attribute",
        "const",
        "flat",
        "smooth",
        "centroid",
        "invariant",
        "highp",
        "mediump",
        "lowp",
    ],
    ["++", "--", "!", "~", "+", "-"],
    ["break", "continue", "discard", "return"],
    ["if", "while", "switch", "for"],
]


def _kinds_of(word: str) -> list[list[str]]:
    return [kind for kind in _KINDS if word in kind or (kind is _NUMBERS and _NUMBER.fullmatch(word))]


def mutate(source: str, rng: random.Random) -> str:
    """Replace one or two tokens outside of directives."""
    for _ in range(rng.choice((1, 1, 2))):
        places = [
            match.span()
            for match in _TOKEN.finditer(source)
            if not source[: match.start()].rpartition("\n")[2].lstrip().startswith("#")
        ]
        names = [source[a:b] for a, b in places if source[a].isalpha() and not _kinds_of(source[a:b])]
        for _ in range(60):
            first, last = rng.choice(places)
            word = source[first:last]
            kinds = _kinds_of(word)
            if not kinds and (word not in names or rng.random() > 0.3):
                continue
            source = source[:first] + rng.choice(rng.choice(kinds) if kinds else names) + source[last:]
            break
    return source
