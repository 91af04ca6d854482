"""Random programs of draws that reach memory, whose values are exact: storage, images, texels of buffers.

Fragments are what invocations are in :mod:`compute_programs`: each has words of its own, and changes what is common
only by functions that commute. Stages are of one program, or of two in a pipeline. A last draw shows all that was
written.
"""

from __future__ import annotations

import numpy as np
from compute_programs import FUNCTIONS, INPUT_WORDS, OUTPUT_WORDS, STRUCTS, ComputeProgram
from gl_twin import Recording, drawn_picture

from traceformat.calls import Call
from traceformat.gles import enums as gl

__all__ = ["MemoryProgram", "check", "record"]

_HEAD = (
    "#version 320 es\nprecision highp float; precision highp int; precision highp isamplerBuffer;"
    "precision highp usamplerBuffer; precision highp iimage2D; precision highp uimage2D;"
    "precision highp uimageBuffer;\n"
)
#: Fragments that compute: columns and rows from the lower left.
_WIDTH, _HEIGHT = 16, 8
_INVOCATIONS = _WIDTH * _HEIGHT
_OPAQUE = """uniform isamplerBuffer texels; uniform usamplerBuffer octets;
layout(r32i, binding = 0) uniform iimage2D mine;
"""
_COUNTING = "layout(r32ui, binding = 1) uniform uimage2D sums; layout(r32ui, binding = 2) uniform uimageBuffer tops;\n"


class MemoryProgram(ComputeProgram):
    """One program: :meth:`stages`."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.size = self.invocations = _INVOCATIONS
        self.is_pipeline = self.random.random() < 0.5
        self._has_images = False

    def _declarations(self) -> str:
        blocks = STRUCTS
        for _ in range(2):
            blocks = blocks.replace("LAYOUT", self.random.choice(["std430", "std140"]), 1)
        return _HEAD + blocks + _OPAQUE

    def stages(self) -> tuple[str, str]:
        """Vertex and fragment shader."""
        declarations = self._declarations()
        names = ["v0", "v1", "v2", "v3"]
        start = "int v0 = {0}, v1 = given.rows[me & 7u].y, v2 = {0} * 3 - 1, v3 = given.count + level;"
        vertex = (
            declarations + FUNCTIONS + "layout(location = 0) in vec4 p; layout(location = 0) flat out ivec4 w;\n"
            "void main() { gl_Position = p; uint me = uint(gl_VertexID);" + start.format("gl_VertexID")
            + "\n".join(self._plain(names, 2)) + "w = ivec4(v0, v1, v2, v3); }"
        )  # fmt: skip
        self._has_images = True
        body = self._statements(names, 0, False, 5)
        fragment = (
            declarations + _COUNTING + FUNCTIONS + "layout(location = 0) flat in ivec4 w; out vec4 o;\n"
            "void main() { ivec2 at = ivec2(gl_FragCoord.xy);"
            f"uint me = uint(at.y * {_WIDTH} + at.x);" + start.format("int(me)") + "v1 ^= w.x; v2 += w.z;\n"
            + "\n".join(body) + f"for (int j = 0; j < 4; j++) result[int(me) * {OUTPUT_WORDS} + j] ="
            " ivec4(v0, v1, v2, v3)[j];\n imageStore(mine, at, ivec4(v0 ^ v2));"
            "o = vec4(ivec4(v0, v1, v2, v3) & 255) / 255.0; }"
        )  # fmt: skip
        return vertex, fragment

    def _plain(self, names: list[str], count: int) -> list[str]:
        """Statements without effects."""
        return [line for _ in range(count) for line in self._assign(names, 0)]

    def _value(self, names: list[str], depth: int = 0) -> str:
        if depth < 3 and self.random.random() < 0.2:
            a, b = self._value(names, depth + 1), self._value(names, depth + 1)
            kinds = [
                f"texelFetch(texels, (({a}) & 15) + 1)[({b}) & 3]",
                f"int(texelFetch(octets, ({a}) & 63).x)",
                f"(textureSize(texels) ^ {a})",
            ]
            return self.random.choice(kinds)
        return super()._value(names, depth)

    def _atomic(self, names: list[str], depth: int) -> list[str]:
        if self._has_images and self.random.random() < 0.5:
            value = self._value(names)
            return [
                self.random.choice(
                    [
                        f"imageAtomicAdd(sums, ivec2({value}, v1) & 7, uint(v2));",
                        f"imageAtomicMax(tops, ({value}) & 31, uint(v3));",
                    ]
                )
            ]
        return super()._atomic(names, depth)


def _show(r: Recording, first: int, rows: int, declarations: str, word: str) -> None:
    """Show words from row ``first`` of the picture on."""
    vertex = "#version 320 es\nin vec4 p; void main() { gl_Position = p; }"
    fragment = (
        _HEAD + declarations + "out vec4 o; void main() {"
        f"int i = (int(gl_FragCoord.y) - {first}) * 64 + int(gl_FragCoord.x); uint c = uint({word});"
        "o = vec4(uvec4(c, c >> 8, c >> 16, c >> 24) & 255u) / 255.0; }"
    )
    r.program(vertex, fragment, p=0)
    r("glScissor", 0, first, 64, rows)
    r("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)


def _textures(r: Recording, rng: np.random.Generator) -> None:
    for unit, (kind, data) in enumerate(
        (
            (gl.GL_RGBA32I, rng.integers(-99, 99, 96).astype(np.int32)),
            (gl.GL_R8UI, rng.integers(0, 256, 96).astype(np.uint8)),
            (gl.GL_R32UI, np.zeros(64, np.uint32)),
        )
    ):
        buffer = r.buffer(data, gl.GL_TEXTURE_BUFFER)
        name = r.generate("Textures")
        r("glActiveTexture", gl.GL_TEXTURE0 + unit)
        r("glBindTexture", gl.GL_TEXTURE_BUFFER, name)
        r("glTexBuffer", gl.GL_TEXTURE_BUFFER, kind, buffer)
        if unit == 2:
            r("glBindImageTexture", 2, name, 0, 0, 0, gl.GL_READ_WRITE, kind)
            r("glBindBufferBase", gl.GL_SHADER_STORAGE_BUFFER, 4, buffer)
    for unit, (kind, layout) in enumerate(((gl.GL_R32I, gl.GL_INT), (gl.GL_R32UI, gl.GL_UNSIGNED_INT))):
        name = r.generate("Textures")
        r("glActiveTexture", gl.GL_TEXTURE0 + 3 + unit)
        r("glBindTexture", gl.GL_TEXTURE_2D, name)
        r("glTexStorage2D", gl.GL_TEXTURE_2D, 1, kind, _WIDTH, _HEIGHT)
        zeros = bytes(4 * _INVOCATIONS)
        r("glTexSubImage2D", gl.GL_TEXTURE_2D, 0, 0, 0, _WIDTH, _HEIGHT, gl.GL_RED_INTEGER, layout, zeros)
        r("glBindImageTexture", unit, name, 0, 0, 0, gl.GL_READ_WRITE, kind)


def record(seed: int) -> Recording:
    """The picture that Mesa draws with a random program, with all that it wrote.

    Raises
    ------
    NoDriver : there is no Mesa of ES 3.2
    """
    program = MemoryProgram(seed)
    vertex, fragment = program.stages()
    rng = np.random.default_rng(seed)
    r = Recording(version=(3, 2))
    contents = (
        rng.integers(-50, 100, INPUT_WORDS).astype(np.int32),
        np.zeros(_INVOCATIONS * OUTPUT_WORDS, np.int32),
        rng.integers(0, 99, 32).astype(np.int32),
        rng.integers(-9, 99, _INVOCATIONS * 12).astype(np.int32),
    )
    for binding, data in enumerate(contents):
        r("glBindBufferBase", gl.GL_SHADER_STORAGE_BUFFER, binding, r.buffer(data, gl.GL_SHADER_STORAGE_BUFFER))
    _textures(r, rng)
    corners = np.array([(-1, -1), (1, -1), (-1, 1), (1, 1)], np.float32)
    r.vertices(p=(0, np.concatenate([corners, np.tile(np.array([0, 1], np.float32), (4, 1))], axis=1)))
    if program.is_pipeline:
        numbers = [
            r("glCreateShaderProgramv", type, 1, (source,))
            for type, source in ((gl.GL_VERTEX_SHADER, vertex), (gl.GL_FRAGMENT_SHADER, fragment))
        ]
        for number in numbers:
            r("glGetProgramiv", number, gl.GL_LINK_STATUS, None)
            assert r.output[:1] == b"\1", seed
        pipeline = r.generate("ProgramPipelines")
        for number, bit in zip(numbers, (gl.GL_VERTEX_SHADER_BIT, gl.GL_FRAGMENT_SHADER_BIT), strict=True):
            r("glUseProgramStages", pipeline, bit, number)
        r("glBindProgramPipeline", pipeline)
    else:
        numbers = [r.program(vertex, fragment)]
    for k, number in enumerate(numbers):
        for name, value in (("level", program.level + k), ("octets", 1)):
            r("glProgramUniform1i", number, r.uniform(number, name), value)
    r("glEnable", gl.GL_SCISSOR_TEST)
    r("glScissor", 0, 0, _WIDTH, _HEIGHT)
    r("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)
    r("glMemoryBarrier", 0xFFFFFFFF)
    for first, rows, binding in ((8, 12, 1), (20, 1, 2), (21, 24, 3), (45, 1, 4)):
        block = f"layout(std430, binding = {binding}) readonly buffer B {{ int n[]; }};"
        _show(r, first, rows, block, "n[min(i, n.length() - 1)]")
    for first, kind, format, unit in ((46, "iimage2D", "r32i", 0), (48, "uimage2D", "r32ui", 1)):
        image = f"layout({format}, binding = {unit}) readonly uniform {kind} a;"
        _show(r, first, 2, image, f"imageLoad(a, ivec2(i % {_WIDTH}, i / {_WIDTH})).x")
    r.read()
    r.close()
    return r


def check(seed: int, calls: list[Call] | None = None) -> str:
    """What differs between Mesa (its ``calls``), the generated code and the reference; "" if nothing does."""
    calls = calls or record(seed).calls
    theirs = next(call for call in calls if call.name == "glReadPixels").outputs["pixels"]
    return "; ".join(
        f"{executor} differs" for executor in ("llvm", "numpy") if drawn_picture(calls, executor) != theirs
    )
