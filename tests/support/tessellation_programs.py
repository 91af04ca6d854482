"""Random programs with tessellation shaders whose pictures are exact: integers decide levels, colours are flat."""

from __future__ import annotations

import numpy as np
from geometry_programs import IntegerWriter
from gl_twin import Recording, compare, drawn_picture

from traceformat.calls import Call
from traceformat.gles import enums as gl

__all__ = ["check", "random_program", "record"]

_ES, _GL = "#version 320 es\nprecision highp float;\nprecision highp int;\n", "#version 410\n"
#: Pixels of lines that may be others: those halfway between two.
_LINE_PIXELS = 4
_SPACINGS = ("equal_spacing", "fractional_even_spacing", "fractional_odd_spacing")
_GEOMETRY = {
    "triangles": "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out;",
    "lines": "layout(lines) in; layout(line_strip, max_vertices = 3) out;",
    "points": "layout(points) in; layout(points, max_vertices = 3) out;",
}


class _Writer(IntegerWriter):
    """Writes statements of one of the stages; ``names`` are what it may look at."""

    def __init__(self, rng: np.random.Generator, names: list[str]) -> None:
        super().__init__(rng)
        self.names = names

    def _names(self) -> list[str]:
        return list(self.names)

    def statements(self, depth: int = 0) -> str:
        """Some statements that change ``total``."""
        out = []
        for _ in range(self._rng.integers(1, 4)):
            kind = self._rng.integers(5)
            if kind == 0 and depth < 2:
                out.append(self.loop(depth))
            elif kind == 1 and depth < 3:
                out.append(f"if ({self.condition()}) {{ {self.statements(depth + 1)} }}")
            else:
                out.append(f"total = ({self.integer()}) & 255;")
        return " ".join(out)


def _control(rng: np.random.Generator, given: int, made: int) -> str:
    """A control shader of patches of ``given`` vertices that makes ones of ``made``."""
    names = [f"n[{k}]" for k in range(given)] + [
        "gl_PrimitiveID",
        "gl_InvocationID",
        "gl_PatchVerticesIn",
        "u",
        "total",
    ]
    writer = _Writer(rng, names)
    own = "gl_InvocationID"
    text = (
        f"layout(vertices = {made}) out; flat in int n[]; flat out int m[]; patch out ivec3 c; uniform int u;"
        f"int total; void main() {{ total = 1; {writer.statements()} m[{own}] = total + ({writer.integer()} & 15);"
        f"gl_out[{own}].gl_Position = gl_in[({own} + (total & 1)) % {given}].gl_Position;"
    )
    if rng.random() < 0.6:
        text += "barrier();"
        writer.names += [f"m[{k}]" for k in range(made)]
    levels = "".join(
        f"gl_TessLevel{name}[{k}] = float(({writer.integer()}) & 31) / {rng.integers(2, 5)}.0 + {low};"
        for name, count, low in (("Outer", 4, "0.75"), ("Inner", 2, "0.0"))
        for k in range(count)
    )
    return text + f"if ({own} == {rng.integers(made)}) {{ {writer.statements()} {levels} c = ivec3(total, u, 3); }} }}"


def random_program(seed: int) -> tuple[dict[str, str], int, bool]:
    """The shaders, vertices of a patch, and whether they are of GLES."""
    rng = np.random.default_rng(seed)
    is_es = bool(rng.integers(2))
    head = _ES if is_es else _GL
    given, made = (int(rng.integers(1, 7)) for _ in range(2))
    primitive = ("triangles", "quads", "isolines")[rng.integers(3)]
    is_points = rng.random() < 0.2
    writer = _Writer(rng, [f"m[{k}]" for k in range(made)] + ["gl_PrimitiveID", "gl_PatchVerticesIn", "c.x", "total"])
    writer.names.append("int(gl_TessCoord.x * 64.0)")
    corner = [f"gl_in[{k % made}].gl_Position" for k in range(4)]
    sides = [f"mix({corner[k]}, {corner[k + 1]}, gl_TessCoord.x)" for k in (0, 2)]
    at = f"mix({sides[0]}, {sides[1]}, gl_TessCoord.y)"
    layout = f"{primitive}, {_SPACINGS[rng.integers(3)]}, {('cw', 'ccw')[rng.integers(2)]}{', point_mode' * is_points}"
    stages = {
        "vertex": "in vec4 p; flat out int n; void main() { gl_Position = vec4(p.xy * 0.6, 0, 1); n = int(p.z); }",
        "control": _control(rng, given, made),
        "evaluation": f"layout({layout}) in; flat in int m[]; patch in ivec3 c; flat out ivec3 g; int total;"
        f"void main() {{ total = 2; {writer.statements()} gl_Position = {at};"
        f"gl_Position.xy += (gl_TessCoord.yx - 0.5) * float(({writer.integer()}) & 7) / 16.0;"
        f"g = ivec3(total, {writer.integer()}, {writer.integer()}) & 255; }}",
        "fragment": "flat in ivec3 {}; out vec4 o; void main() {{ o = vec4(vec3({}) / 255.0, 1); }}".format("g", "g"),
    }
    if rng.random() < 0.25:
        kind = "points" if is_points else "lines" if primitive == "isolines" else "triangles"
        count = {"points": 1, "lines": 2, "triangles": 3}[kind]
        stages["geometry"] = (
            f"{_GEOMETRY[kind]} flat in ivec3 g[]; flat out ivec3 h; void main() {{"
            f"for (int k = 0; k < {count}; k++) {{"
            "h = g[k] ^ (gl_PrimitiveIDIn & 15); gl_Position = gl_in[k].gl_Position; EmitVertex(); } }"
        )
        stages["fragment"] = stages["fragment"].replace("g", "h").replace("hl_", "gl_")
    return {name: head + text for name, text in stages.items()}, given, is_es


def record(seed: int) -> Recording:
    """The picture that Mesa draws with a random program.

    Raises
    ------
    NoDriver : there is no Mesa with tessellation shaders
    """
    stages, given, is_es = random_program(seed)
    rng = np.random.default_rng(seed + 1)
    r = Recording(version=(3, 2)) if is_es else Recording(1, (4, 1))
    if not is_es:
        r("glBindVertexArray", r.generate("VertexArrays"))
    number = r.program(p=0, **stages)
    r("glUniform1i", r.uniform(number, "u"), int(rng.integers(100)))
    # Ends of lines that lie halfway between pixels are another matter.
    corners = rng.integers(-60, 60, (24, 2)) / 64 + 0.0021
    r.vertices(p=(0, np.concatenate([corners, rng.integers(0, 256, (24, 1)), np.ones((24, 1))], axis=1)))
    r("glPatchParameteri", gl.GL_PATCH_VERTICES, given)
    r("glDrawArrays", gl.GL_PATCHES, 0, int(rng.integers(6, 25)))
    r.read()
    r.close()
    return r


def check(seed: int, calls: list[Call] | None = None) -> str:
    """What differs between Mesa (its ``calls``), the generated code and the reference; "" if nothing does."""
    calls = calls or record(seed).calls
    evaluation = random_program(seed)[0]["evaluation"]
    has_lines = "isolines" in evaluation and "point_mode" not in evaluation
    found = [difference.text for difference in compare(calls) if not has_lines or difference.pixels > _LINE_PIXELS]
    if drawn_picture(calls, "llvm") != drawn_picture(calls, "numpy"):
        found.append("the executors differ")
    return "; ".join(found)
