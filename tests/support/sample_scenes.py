"""Programs that look at samples: what ES 3.2 and GLSL 4.00 have for it, one scene a rule."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from gl_twin import Recording

from traceformat.gles import enums as gl

__all__ = ["SCENES", "record"]

_SIZE = 64


def _draw(r: Recording, head: str, varyings: str, fragment: str) -> int:
    """Triangles in perspective with a colour and a depth, over a multisampled target."""
    vertex = f"in vec4 p; in vec4 c; {varyings} void main() {{ gl_Position = p; v = c; }}"
    program = r.program(head + vertex, head + fragment, p=0, c=1)
    rng = np.random.default_rng(5)
    # Mesa 22.3 divides what is not at the centre by the centre's w; later versions do what the specification says.
    w = np.repeat(rng.uniform(0.5, 2.0, (8, 1)), 3, axis=0)
    place = np.concatenate([rng.uniform(-1.2, 1.2, (24, 2)) * w, rng.uniform(-0.9, 0.9, (24, 1)) * w, w], axis=1)
    r.vertices(p=(0, place), c=(1, rng.uniform(0, 1, (24, 4))))
    if "centroid" not in varyings + fragment and "Centroid" not in fragment:
        # Mesa leaves out what fails the test before it looks for a covered sample.
        r("glEnable", gl.GL_DEPTH_TEST)
    return program


def _finish(r: Recording) -> None:
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 24)


def _scene(varyings: str, fragment: str, *state: tuple[object, ...]) -> Callable[[Recording, str], None]:
    def draw(r: Recording, head: str) -> None:
        for name, *args in state:
            r(str(name), *args)
        _draw(r, head, varyings, fragment)
        _finish(r)

    return draw


def _points(r: Recording, head: str) -> None:
    """Points of sizes between pixels, with coordinates."""
    vertex = "in vec4 p; out vec4 v; void main() { gl_Position = vec4(p.xy, 0, 1); gl_PointSize = p.z; v = p; }"
    fragment = "in vec4 v; out vec4 o; void main() { o = vec4(gl_PointCoord, v.z / 20.0, 1); }"
    r.program(head + vertex, head + fragment, p=0)
    rng = np.random.default_rng(1)
    r.vertices(p=(0, np.concatenate([rng.uniform(-1, 1, (40, 2)), rng.uniform(1, 20, (40, 1))], axis=1)))
    r("glDrawArrays", gl.GL_POINTS, 0, 40)


_OUT = "out vec4 v;"
#: By name: what the vertex shader hands on, and what the fragment shader makes of it.
SCENES: dict[str, Callable[[Recording, str], None]] = {
    "centroid": _scene("centroid out vec4 v;", "centroid in vec4 v; out vec4 o; void main() { o = v; }"),
    "sample_in": _scene("sample out vec4 v;", "sample in vec4 v; out vec4 o; void main() { o = v; }"),
    "sample_linear": _scene(
        "sample out vec4 v;", "sample in vec4 v; out vec4 o; void main() { o = vec4(fract(v.xy * 9.0), v.zw); }"
    ),
    "sample_id": _scene(
        _OUT, "in vec4 v; out vec4 o; void main() { o = vec4(float(gl_SampleID + 1) / 4.0, v.xy, 1); }"
    ),
    "sample_position": _scene(_OUT, "in vec4 v; out vec4 o; void main() { o = vec4(gl_SamplePosition, v.x, 1); }"),
    "position": _scene(
        _OUT,
        "in vec4 v; out vec4 o; void main() { o = vec4(fract(gl_FragCoord.xy), gl_FragCoord.z, "
        "gl_SampleID == 9 ? v.x : gl_FragCoord.w * 0.4); }",
    ),
    "mask_in": _scene(
        _OUT,
        "in vec4 v; out vec4 o; void main() { int m = gl_SampleMaskIn[0]; "
        "o = vec4(float(m) / 15.0, float(gl_NumSamples) / 8.0, v.x, 1); }",
    ),
    "mask_in_of_sample": _scene(
        "sample out vec4 v;",
        "sample in vec4 v; out vec4 o; void main() { o = vec4(float(gl_SampleMaskIn[0]) / 15.0, v.xy, 1); }",
    ),
    "mask_out": _scene(
        _OUT,
        "in vec4 v; out vec4 o; void main() { o = v; "
        "gl_SampleMask[0] = int(gl_FragCoord.x) & 15 ^ (v.x > 0.5 ? 5 : 2); }",
    ),
    "mask_of_samples": _scene(
        "sample out vec4 v;",
        "sample in vec4 v; out vec4 o; void main() { o = v; gl_SampleMask[0] = fract(v.x * 7.0) > 0.5 ? 0 : 15; }",
    ),
    "mask_and_alpha": _scene(
        _OUT,
        "in vec4 v; out vec4 o; void main() { o = v; gl_SampleMask[0] = 11; }",
        ("glEnable", gl.GL_SAMPLE_ALPHA_TO_COVERAGE),
    ),
    "at_offset": _scene(_OUT, "in vec4 v; out vec4 o; void main() { o = interpolateAtOffset(v, vec2(0.25, -0.375)); }"),
    "at_sample": _scene(
        _OUT,
        "in vec4 v; out vec4 o; void main() { int s = int(gl_FragCoord.x) & 3; o = interpolateAtSample(v, s); }",
    ),
    "at_centroid": _scene(_OUT, "in vec4 v; out vec4 o; void main() { o = interpolateAtCentroid(v); }"),
    "at_offset_of_part": _scene(
        "out float f[2]; out vec4 v;",
        "in float f[2]; in vec4 v; out vec4 o; void main() { float s = 0.0; "
        "for (int k = 0; k < 2; k++) s += interpolateAtOffset(f[k], vec2(float(k) * 0.5, -0.25)); o = v + s * 0.0; }",
    ),
    "minimum": _scene(
        _OUT,
        "in vec4 v; out vec4 o; void main() { o = vec4(fract(v.xy * 9.0), gl_FragCoord.z, 1); }",
        ("glEnable", gl.GL_SAMPLE_SHADING),
        ("glMinSampleShading", 1.0),
    ),
    "minimum_of_a_quarter": _scene(
        _OUT,
        "in vec4 v; out vec4 o; void main() { o = vec4(fract(v.xy * 9.0), v.z, 1); }",
        ("glEnable", gl.GL_SAMPLE_SHADING),
        ("glMinSampleShading", 0.25),
    ),
    "depth": _scene(
        "sample out vec4 v;",
        "sample in vec4 v; out vec4 o; void main() { o = v; gl_FragDepth = fract(v.x * 5.0); }",
    ),
    "discards": _scene(
        "sample out vec4 v;",
        "sample in vec4 v; out vec4 o; void main() { if (fract(v.y * 11.0) < 0.4) discard; o = v; }",
    ),
    "flow": _scene(
        _OUT,
        "in vec4 v; out vec4 o; void main() { vec4 s = vec4(0); for (int k = 0; k <= gl_SampleID; k++) s += v * 0.25; "
        "o = s; gl_SampleMask[0] = gl_SampleMaskIn[0] & (v.x > 0.4 ? 15 : 6); }",
    ),
    "derivatives": _scene(
        "sample out vec4 v;",
        "sample in vec4 v; out vec4 o; void main() { o = vec4(abs(dFdx(v.xy)) * 8.0, abs(dFdy(v.xy)) * 8.0); }",
    ),
    "points": _points,
}


def record(name: str, where: str = "texture") -> Recording:
    """The picture that Mesa draws: into a multisampled ``renderbuffer``, a ``window``, or one that has one ``sample``.

    Raises
    ------
    NoDriver : there is no Mesa with ES 3.2
    """
    head = "#version 320 es\nprecision highp float;\nprecision highp int;\n"
    samples = 4 if where == "window" else 0
    r = Recording(version=(3, 2), samples=samples)
    target = 0
    if where == "renderbuffer":
        target = r.framebuffer()
        r.target(gl.GL_RGBA8, _SIZE, _SIZE, 4)
        r.target(gl.GL_DEPTH_COMPONENT24, _SIZE, _SIZE, 4, gl.GL_DEPTH_ATTACHMENT)
        r("glClear", gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT)
    SCENES[name](r, head)
    if where != "sample":
        resolved = r.framebuffer()
        r.target(gl.GL_RGBA8, _SIZE, _SIZE)
        r("glBindFramebuffer", gl.GL_READ_FRAMEBUFFER, target)
        r("glBlitFramebuffer", 0, 0, _SIZE, _SIZE, 0, 0, _SIZE, _SIZE, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)
        r("glBindFramebuffer", gl.GL_READ_FRAMEBUFFER, resolved)
    r.read()
    r.close()
    return r
