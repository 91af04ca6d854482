"""Random programs with geometry shaders whose pictures are exact: integers decide what is emitted, colours are flat."""

from __future__ import annotations

import numpy as np
from gl_twin import Recording, compare, drawn_picture

from traceformat.calls import Call
from traceformat.gles import enums as gl

__all__ = ["IntegerWriter", "check", "random_program", "record"]

#: Pixels of lines that may be others: those halfway between two.
_LINE_PIXELS = 4

_ES, _GL = "#version 320 es\nprecision highp float;\nprecision highp int;\n", "#version 400\n"
_INPUTS = {
    "points": (1, (gl.GL_POINTS,)),
    "lines": (2, (gl.GL_LINES, gl.GL_LINE_STRIP, gl.GL_LINE_LOOP)),
    "triangles": (3, (gl.GL_TRIANGLES, gl.GL_TRIANGLE_STRIP, gl.GL_TRIANGLE_FAN)),
    "lines_adjacency": (4, (gl.GL_LINES_ADJACENCY, gl.GL_LINE_STRIP_ADJACENCY)),
    "triangles_adjacency": (6, (gl.GL_TRIANGLES_ADJACENCY, gl.GL_TRIANGLE_STRIP_ADJACENCY)),
}


class IntegerWriter:
    """Writes integer expressions."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._loops = 0

    def _pick(self, *what: str) -> str:
        return what[self._rng.integers(len(what))]

    def _names(self) -> list[str]:
        """What an expression may name, beside counters of loops."""
        raise NotImplementedError

    def integer(self, depth: int = 0) -> str:
        """An integer expression that no driver computes otherwise."""
        known = self._names()
        known += [f"k{loop}" for loop in range(self._loops)]
        if depth > 2 or self._rng.random() < 0.3:
            return self._pick(*known, str(self._rng.integers(1, 30)))
        a, b = self.integer(depth + 1), self.integer(depth + 1)
        shapes = ("({} + {})", "({} - {})", "({} * ({} & 15))", "({} ^ {})", "({} & {})", "(({}) % 7 + ({}) % 5)")
        shape = self._pick(*shapes)
        if "%" in shape:
            a, b = f"({a} & 1023)", f"({b} & 1023)"
        return shape.format(a, b)

    def condition(self) -> str:
        """A condition."""
        return f"({self.integer()} & {self._rng.integers(1, 8)}) {self._pick('==', '!=', '<')} {self._rng.integers(4)}"

    def statements(self, depth: int = 0) -> str:
        """Some statements."""
        raise NotImplementedError

    def loop(self, depth: int) -> str:
        """A loop over some statements."""
        name = f"k{self._loops}"
        bound = self._pick(str(self._rng.integers(1, 6)), f"(({self.integer()}) & 3)")
        self._loops += 1
        body = self.statements(depth + 1)
        self._loops -= 1
        return f"for (int {name} = 0; {name} < {bound}; {name}++) {{ {body} }}"


class _Writer(IntegerWriter):
    """Writes one geometry shader."""

    def __init__(self, rng: np.random.Generator, vertices: int) -> None:
        super().__init__(rng)
        self._vertices = vertices

    def _names(self) -> list[str]:
        return ["gl_PrimitiveIDIn", "gl_InvocationID", f"n[{self._rng.integers(self._vertices)}]", "u", "total"]

    def emission(self) -> str:
        """A vertex."""
        x, y = (f"float(({self.integer()}) & 15) / 32.0 - 0.25" for _ in range(2))
        at = f"gl_in[{self._rng.integers(self._vertices)}].gl_Position"
        colour = f"c = ivec3({self.integer()}, {self.integer()}, {self.integer()}) & 255;"
        return f"{colour} gl_Position = {at} + vec4({x}, {y}, 0, 0); EmitVertex();"

    def statements(self, depth: int = 0) -> str:
        """Some statements."""
        out = []
        for _ in range(self._rng.integers(1, 4)):
            kind = self._rng.integers(8)
            if kind == 0 and depth < 2:
                out.append(self.loop(depth))
            elif kind == 1 and depth < 3:
                out.append(f"if ({self.condition()}) {{ {self.statements(depth + 1)} }}")
            elif kind == 2:
                out.append(f"if ({self.condition()}) EndPrimitive();")
            elif kind == 3:
                out.append(f"total = ({self.integer()}) & 255;")
            elif kind == 4 and depth == 0:
                out.append(f"helper({self.integer()});")
            else:
                out.append(self.emission())
        return " ".join(out)


def random_program(seed: int) -> tuple[str, str, str, int, bool]:
    """Vertex, geometry and fragment shader, the mode to draw with, and whether they are of GLES."""
    rng = np.random.default_rng(seed)
    is_es = bool(rng.integers(2))
    head = _ES if is_es else _GL
    name = list(_INPUTS)[rng.integers(len(_INPUTS))]
    vertices, modes = _INPUTS[name]
    output = ("points", "line_strip", "triangle_strip", "triangle_strip")[rng.integers(4)]
    writer = _Writer(rng, vertices)
    vertex = head + "in vec4 p; flat out int n; void main() { gl_Position = vec4(p.xy * 0.6, 0, 1); n = int(p.z); }"
    main = " ".join(writer.statements() for _ in range(2))
    geometry = head + (
        f"layout({name}, invocations = {rng.integers(1, 4)}) in; "
        f"layout({output}, max_vertices = {rng.integers(1, 20)}) out; "
        "flat in int n[]; flat out ivec3 c; uniform int u; int total;\n"
        f"void helper(int a) {{ total = a & 63; {writer.emission()} }}\nvoid main() {{ total = 3; {main} }}"
    )
    fragment = head + "flat in ivec3 c; out vec4 o; void main() { o = vec4(vec3(c) / 255.0, 1); }"
    return vertex, geometry, fragment, modes[rng.integers(len(modes))], is_es


def record(seed: int) -> Recording:
    """The picture that Mesa draws with a random program.

    Raises
    ------
    NoDriver : there is no Mesa with geometry shaders
    """
    vertex, geometry, fragment, mode, is_es = random_program(seed)
    rng = np.random.default_rng(seed + 1)
    r = Recording(version=(3, 2)) if is_es else Recording(1, (4, 0))
    if not is_es:
        r("glBindVertexArray", r.generate("VertexArrays"))
    number = r.program(vertex, fragment, geometry=geometry, p=0)
    r("glUniform1i", r.uniform(number, "u"), int(rng.integers(100)))
    # Ends of lines that lie halfway between pixels are another matter.
    corners = rng.integers(-60, 60, (24, 2)) / 64 + 0.0021
    r.vertices(p=(0, np.concatenate([corners, rng.integers(0, 256, (24, 1)), np.ones((24, 1))], axis=1)))
    r("glDrawArrays", mode, 0, int(rng.integers(6, 25)))
    r.read()
    r.close()
    return r


def check(seed: int, calls: list[Call] | None = None) -> str:
    """What differs between Mesa (its ``calls``), the generated code and the reference; "" if nothing does."""
    calls = calls or record(seed).calls
    found = [
        difference.text
        for difference in compare(calls)
        if "line_strip" not in random_program(seed)[1] or difference.pixels > _LINE_PIXELS
    ]
    if drawn_picture(calls, "llvm") != drawn_picture(calls, "numpy"):
        found.append("the executors differ")
    return "; ".join(found)
