"""Random compute programs whose values are exact and do not depend on the order of invocations.

Integers only. An invocation writes its own slots of the output, reads others' shared slots only behind a barrier, and
changes what is common only by atomic functions that commute and whose result it does not use. Conditions around
barriers are uniform.
"""

from __future__ import annotations

import random
from typing import Any, Final

import numpy as np
from compute_twin import HEAD, build, run

#: Words of the input and of an invocation's part of the output; counters that everybody changes.
INPUT_WORDS, OUTPUT_WORDS, COUNTERS = 64, 6, 8

STRUCTS = """struct S { ivec3 a; int b; uvec2 c; bool d; };
layout(std430, binding = 0) readonly buffer In { int count; ivec4 rows[]; } given;
layout(std430, binding = 1) buffer Out { int result[]; };
layout(LAYOUT, binding = 2) buffer Common { uint u[4]; int i[4]; } common_;
layout(LAYOUT, binding = 3) buffer Own { S s[]; } own;
uniform int level;
"""


_ATOMICS = [
    *(("Add", "u[0]"), ("Or", "u[1]"), ("And", "u[2]"), ("Max", "u[3]")),
    *(("Add", "i[0]"), ("Xor", "i[1]"), ("Min", "i[2]"), ("Max", "i[3]")),
]


#: What expressions call.
FUNCTIONS: Final = """int whole(int a) { return a; }
int twist(int a, inout int b) { if (a > 3) { b += a; return b ^ 5; } b -= 1; return a * 3; }
"""


class ComputeProgram:
    """One program: :meth:`source`, ``groups`` and ``local``."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        shapes = [(8, 1, 1), (5, 1, 1), (4, 4, 1), (3, 2, 2), (32, 1, 1), (33, 1, 1)]
        self.local = self.random.choice(shapes)
        self.groups = self.random.choice([(1, 1, 1), (2, 1, 1), (2, 2, 1), (1, 2, 3)])
        self.level = self.random.randrange(4)
        self.size = self.local[0] * self.local[1] * self.local[2]
        self.invocations = self.size * self.groups[0] * self.groups[1] * self.groups[2]
        self._names = 0
        self._loops = 0

    def source(self, head: str) -> str:
        """The program behind a head (version line, precisions)."""
        pick = self.random
        structs = STRUCTS.replace("LAYOUT", pick.choice(["std430", "std140"]), 1).replace(
            "LAYOUT", pick.choice(["std430", "std140"])
        )
        x, y, z = self.local
        body = [
            "uint k = gl_LocalInvocationIndex;",
            f"uint group = gl_WorkGroupID.x + gl_NumWorkGroups.x * (gl_WorkGroupID.y + gl_NumWorkGroups.y * gl_WorkGroupID.z);",  # noqa: F541, E501
            f"uint me = group * {self.size}u + k;",
            "part[k] = 0; block[k] = ivec3(0); barrier();",
            "int v0 = int(me), v1 = given.rows[me & 7u].y, v2 = int(gl_GlobalInvocationID.x) - 3, v3 = given.count;",
            *self._statements(["v0", "v1", "v2", "v3"], 0, True, 6),
            f"for (int j = 0; j < 4; j++) result[int(me) * {OUTPUT_WORDS} + j] = ivec4(v0, v1, v2, v3)[j];",
            f"result[int(me) * {OUTPUT_WORDS} + 4] = part[k] ^ int(block[k].z);",
        ]
        return "\n".join(
            [
                head + structs,
                f"layout(local_size_x = {x}, local_size_y = {y}, local_size_z = {z}) in;",
                f"shared int part[{self.size}];",
                f"shared ivec3 block[{self.size}];",
                "shared uint total;",
                FUNCTIONS,
                "void main() {",
                *("  " + line for line in body),
                "}",
                "",
            ]
        )

    def _value(self, names: list[str], depth: int = 0) -> str:
        pick = self.random
        choice = pick.randrange(9 if depth < 3 else 3)
        if choice == 0:
            return str(pick.randrange(-9, 99))
        if choice < 3:
            return pick.choice(names)
        inner = [self._value(names, depth + 1) for _ in range(3)]
        return pick.choice(
            [
                "({0} + {1})",
                "({0} * {1})",
                "({0} ^ ({1} - {2}))",
                "({0} & {1} | {2})",
                "({0} << ({1} & 7))",
                "({0} >> ({1} & 15))",
                "({0} < {1} ? {2} : {0})",
                "given.rows[uint({0}) % 8u][({1}) & 3]",
                "max({0}, min({1}, {2}))",
                # Of unsigned numbers: Mesa 22.3 shifts some signed fields right as if they were none.
                "whole(int(bitfieldExtract(uint({0}), ({1}) & 7, 9)))",
                # Both are lowp, and so is a literal that they shift (ESSL 3.20 §4.7.3), in Mesa of 16 bits: what
                # leaves these is the implementation's, so that they are made highp.
                "whole(max(bitCount({0}), findMSB({1})))",
                "own.s[me].a.z + own.s[me].b * {0}",
                "int(own.s[me].c.y) - (own.s[me].d ? {0} : {1})",
            ]
        ).format(*inner)

    def _statements(self, names: list[str], depth: int, uniform: bool, count: int) -> list[str]:
        out: list[str] = []
        for _ in range(count):
            out += self._statement(names, depth, uniform)
        return out

    def _statement(self, names: list[str], depth: int, uniform: bool) -> list[str]:
        pick = self.random
        kinds = ["assign", "assign", "own", "atomic", "call"]
        kinds += ["exchange", "reduce", "uniform_if", "uniform_loop"] * uniform * (depth < 2)
        kinds += ["if", "loop"] * (depth < 2)
        return getattr(self, f"_{pick.choice(kinds)}")(names, depth)

    def _assign(self, names: list[str], depth: int) -> list[str]:
        return [f"{self.random.choice(names)} {self.random.choice(['=', '+=', '^='])} {self._value(names)};"]

    def _own(self, names: list[str], depth: int) -> list[str]:
        value = self._value(names)
        return [
            self.random.choice(
                [
                    f"own.s[me].a = ivec3({value}, v1, v2);",
                    f"own.s[me].a.zx = ivec2({value}, v3);",
                    f"own.s[me].a[uint({value}) % 3u] = v2;",
                    f"own.s[me].b += {value};",
                    f"own.s[me].c = uvec2({value}, 7);",
                    f"own.s[me].d = ({value}) > 3;",
                    f"{{ S s = own.s[me]; s.b ^= {value}; s.d = !s.d; own.s[me] = s; }}",
                ]
            )
        ]

    def _atomic(self, names: list[str], depth: int) -> list[str]:
        # Of one word only one kind of operation: they do not commute with each other.
        kind, place = self.random.choice(_ATOMICS)
        value = self._value(names)
        return [f"atomic{kind}(common_.{place}, {'uint' if place[0] == 'u' else 'int'}({value}));"]

    def _call(self, names: list[str], depth: int) -> list[str]:
        # What is written through the parameter must be another variable than the target.
        target, other = self.random.sample(names, 2)
        return [f"{target} = twist({self._value(names)}, {other});"]

    def _exchange(self, names: list[str], depth: int) -> list[str]:
        shift = self.random.randrange(1, 9)
        if self.random.random() < 0.5:
            other = f"block[(k + {shift}u) % {self.size}u]"
            write = f"block[k] = ivec3({self._value(names)}, v1, int(k));"
            return ["barrier();", write, "barrier();", f"v3 += {other}.x - {other}[k % 3u];", "barrier();"]
        write = f"part[k] = {self._value(names)};"
        return ["barrier();", write, "barrier();", f"v1 = part[(k + {shift}u) % {self.size}u] + 1;", "barrier();"]

    def _reduce(self, names: list[str], depth: int) -> list[str]:
        return [
            "barrier();",
            "if (k == 0u) total = 5u;",
            "barrier();",
            f"atomicAdd(total, uint({self._value(names)}));",
            "barrier();",
            "v2 ^= int(total);",
            "barrier();",
        ]

    def _uniform_if(self, names: list[str], depth: int) -> list[str]:
        condition = self.random.choice(["level > 1", "level == 0", "(group & 1u) == 0u", "given.count > 10"])
        then = self._statements(names, depth + 1, True, 2)
        orelse = self._statements(names, depth + 1, True, 2) if self.random.random() < 0.5 else []
        return [f"if ({condition}) {{", *then, "} else {", *orelse, "}"]

    def _uniform_loop(self, names: list[str], depth: int) -> list[str]:
        self._names += 1
        name = f"n{self._names}"
        body = self._statements(names, depth + 1, True, 2)
        leave = self.random.choice(["", f"if ({name} == level) continue;", f"if ({name} > level) break;"])
        after = self._statements(names, depth + 1, True, 1)
        bound = self.random.choice(["3", "level + 1", "int(gl_WorkGroupID.x) + 2"])
        return [f"for (int {name} = 0; {name} < {bound}; {name}++) {{", *body, leave, *after, "}"]

    def _if(self, names: list[str], depth: int) -> list[str]:
        then = self._statements(names, depth + 1, False, 2)
        orelse = self._statements(names, depth + 1, False, 1)
        return [f"if ((({self._value(names)}) & 3) == 1) {{", *then, "} else {", *orelse, "}"]

    def _loop(self, names: list[str], depth: int) -> list[str]:
        self._names += 1
        name = f"n{self._names}"
        body = self._statements(names, depth + 1, False, 2)
        leave = self.random.choice(
            ["", f"if (({self._value(names)}) > 50) break;", f"if ((v0 & 1) == {name}) continue;"]
        )
        return [f"for (int {name} = 0; {name} < (v0 & 3) + 1; {name}++) {{", leave, *body, "}"]


def buffers_of(program: ComputeProgram, seed: int) -> dict[int, np.ndarray]:
    """Contents before the dispatch, by binding."""
    rng = np.random.default_rng(seed)
    given = rng.integers(-50, 100, INPUT_WORDS).astype(np.int32)
    own = rng.integers(-9, 99, program.invocations * 12).astype(np.int32)
    return {
        0: given,
        1: np.zeros(program.invocations * OUTPUT_WORDS, np.int32),
        2: rng.integers(0, 99, 32).astype(np.int32),
        3: own,
    }


def check(seed: int, mesa: Any = None) -> str:
    """Compare one program; gives what is wrong, "" if nothing is."""
    program = ComputeProgram(seed)
    source = program.source(HEAD)
    buffers = buffers_of(program, seed)
    try:
        found, _ = run(build(source), program.groups, buffers, {"level": [program.level]})
    except AssertionError as error:
        return f"seed {seed}: {error}"
    if mesa is None:
        return ""
    held = {binding: content.tobytes() for binding, content in buffers.items()}
    answer = mesa.ask("es", "dispatch", source, program.groups, held, {"level": [program.level]})
    if answer is None:
        return f"seed {seed}: Mesa died or took too long"
    verdict, log, theirs = answer
    if verdict != "ok":
        return f"seed {seed}: Mesa: {verdict}: {log}"
    for binding, content in theirs.items():
        other = np.frombuffer(content, np.int32)
        if (found[binding] != other).any():
            at = int(np.argmax(found[binding] != other))
            return f"seed {seed}: buffer {binding}, word {at}: {found[binding][at]}, Mesa has {other[at]}"
    return ""
