"""Framebuffers without attachments: fragments that only write memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from gl_twin import Recording
from recorded_scenes import record_scene

from traceformat.gles import enums as gl

__all__ = ["SCENES", "record"]

_HEAD = "#version 320 es\nprecision highp float; precision highp int;\n"
_BLOCK = "layout(std430, binding = 0) buffer B { uint n[]; };"
_QUAD = np.array([(-1, -1, 0, 1), (1, -1, 0, 1), (-1, 1, 0, 1), (1, 1, 0, 1)], np.float32)
_WIDTH, _HEIGHT = gl.GL_FRAMEBUFFER_DEFAULT_WIDTH, gl.GL_FRAMEBUFFER_DEFAULT_HEIGHT
_SAMPLES = gl.GL_FRAMEBUFFER_DEFAULT_SAMPLES


def _show(r: Recording) -> None:
    """What was counted, in the window."""
    r("glMemoryBarrier", gl.GL_SHADER_STORAGE_BARRIER_BIT)
    r("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
    r("glViewport", 0, 0, *r.size)
    r.program(
        _HEAD + "in vec4 p; void main() { gl_Position = p; }",
        _HEAD + _BLOCK.replace("buffer", "readonly buffer") + "out vec4 o; void main() {"
        "uint c = n[uint(gl_FragCoord.y) * 64u + uint(gl_FragCoord.x)];"
        "o = vec4(float(c) / 40.0, float(c & 3u), 0, 1); }",
        p=0,
    )
    r.vertices(p=(0, _QUAD))
    r("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)


def _counted(r: Recording, samples: int) -> None:
    """Triangles count what they cover in a buffer; another draw shows it."""
    storage = r.buffer(np.zeros(4096, np.uint32), gl.GL_SHADER_STORAGE_BUFFER)
    r("glBindBufferBase", gl.GL_SHADER_STORAGE_BUFFER, 0, storage)
    r.framebuffer()
    for pname, value in ((_WIDTH, 48), (_HEIGHT, 40), (_SAMPLES, samples)):
        r("glFramebufferParameteri", gl.GL_FRAMEBUFFER, pname, value)
    r("glCheckFramebufferStatus", gl.GL_FRAMEBUFFER)
    added = "uint(bitCount(gl_SampleMaskIn[0]))" if samples else "1u"
    r.program(
        _HEAD + "in vec4 p; void main() { gl_Position = p; }",
        _HEAD + _BLOCK + "void main() { uint k = uint(gl_FragCoord.y) * 64u + uint(gl_FragCoord.x);"
        f"atomicAdd(n[k], {added}); }}",
        p=0,
    )
    rng = np.random.default_rng(4)
    r.vertices(p=(0, np.concatenate([rng.uniform(-1, 1, (45, 2)), np.ones((45, 2)) * (0, 1)], axis=1)))
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 45)
    _show(r)


def counted(r: Recording) -> None:
    """One sample a pixel."""
    _counted(r, 0)


def counted_samples(r: Recording) -> None:
    """Four samples a pixel."""
    _counted(r, 4)


def layers(r: Recording) -> None:
    """A geometry shader sends triangles to layers that are but numbers."""
    storage = r.buffer(np.zeros(4096, np.uint32), gl.GL_SHADER_STORAGE_BUFFER)
    r("glBindBufferBase", gl.GL_SHADER_STORAGE_BUFFER, 0, storage)
    r.framebuffer()
    for pname, value in ((_WIDTH, 16), (_HEIGHT, 16), (gl.GL_FRAMEBUFFER_DEFAULT_LAYERS, 3)):
        r("glFramebufferParameteri", gl.GL_FRAMEBUFFER, pname, value)
    r("glViewport", 0, 0, 16, 16)
    r.program(
        _HEAD + "in vec4 p; void main() { gl_Position = p; }",
        _HEAD + _BLOCK + "void main() { uint k = uint(gl_FragCoord.y) * 64u + uint(gl_FragCoord.x);"
        "atomicAdd(n[k + 16u * uint(gl_Layer)], 1u); }",
        geometry=_HEAD
        + """layout(triangles, invocations = 3) in; layout(triangle_strip, max_vertices = 3) out;
        void main() { for (int k = 0; k < 3; k++) { gl_Position = gl_in[k].gl_Position * vec4(1.0 -
          float(gl_InvocationID) * 0.3, 1, 1, 1); gl_Layer = gl_InvocationID; EmitVertex(); } }""",
        p=0,
    )
    rng = np.random.default_rng(5)
    r.vertices(p=(0, np.concatenate([rng.uniform(-1, 1, (30, 2)), np.ones((30, 2)) * (0, 1)], axis=1)))
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 30)
    _show(r)


def mistakes(r: Recording) -> None:
    """Each call leaves its error; a size makes a framebuffer complete, a missing side does not."""
    target = gl.GL_FRAMEBUFFER
    calls: tuple[tuple[object, ...], ...] = (
        ("glFramebufferParameteri", target, _WIDTH, 8),
        ("glGenFramebuffers", 1, None),
        ("glBindFramebuffer", target, 1),
        ("glCheckFramebufferStatus", target),
        ("glFramebufferParameteri", target, _WIDTH, 8),
        ("glCheckFramebufferStatus", target),
        ("glFramebufferParameteri", target, _HEIGHT, 8),
        ("glCheckFramebufferStatus", target),
        ("glFramebufferParameteri", target, _WIDTH, -1),
        ("glFramebufferParameteri", target, _HEIGHT, 1 << 20),
        ("glFramebufferParameteri", target, gl.GL_SAMPLES, 4),
        ("glFramebufferParameteri", gl.GL_TEXTURE_2D, _WIDTH, 4),
        ("glBindFramebuffer", target, 0),
    )
    for call, *args in calls:
        r(str(call), *args)
        if call != "glCheckFramebufferStatus":
            r("glGetError")


SCENES: dict[str, Callable[[Recording], None]] = {
    one.__name__: one for one in (counted, counted_samples, layers, mistakes)
}


def record(name: str) -> Recording:
    """Draw a scene on Mesa and read it back; NoDriver where there is none."""
    return record_scene(SCENES[name])
