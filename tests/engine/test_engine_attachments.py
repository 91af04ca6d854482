"""Pictures of attachments, behind calls and at the end of frames; and the command that writes them."""

import subprocess
import sys

import numpy as np
from PIL import Image

import replay
from traceformat.calls import Offset
from traceformat.gles import enums as gl
from traceformat.gltrace.writer import TraceWriter
from traceformat.tools.callset import parse_call_set

W, H = 24, 16
VERTEX = "attribute vec4 p; void main() { gl_Position = p; }"
FRAGMENT = "precision highp float; uniform vec4 c; void main() { gl_FragColor = c; }"


def scene(path, frames=2):
    """Clears, then draws the left half at depth 0.5 and stencil 7."""
    data = np.array([[-1, -1, 0, 1], [0, -1, 0, 1], [-1, 1, 0, 1], [0, 1, 0, 1]], np.float32)
    program = [
        ("traceContext", (1, 0, 2, 0, 0, 8, 8, 8, 8, 24, 8, 0, 0), None),
        ("traceDrawable", (1, W, H, 0), None),
        ("traceMakeCurrent", (1, 1, 1), None),
        ("glCreateProgram", (), 1),
    ]
    for number, (kind, source) in enumerate(((gl.GL_VERTEX_SHADER, VERTEX), (gl.GL_FRAGMENT_SHADER, FRAGMENT)), 2):
        program += [("glCreateShader", (kind,), number), ("glShaderSource", (number, 1, (source,), None), None)]
        program += [("glCompileShader", (number,), None), ("glAttachShader", (1, number), None)]
    program += [
        ("glLinkProgram", (1,), None),
        ("glUseProgram", (1,), None),
        ("glGetUniformLocation", (1, "c"), 0),
        ("glBindBuffer", (gl.GL_ARRAY_BUFFER, 1), None),
        ("glBufferData", (gl.GL_ARRAY_BUFFER, data.nbytes, data.tobytes(), gl.GL_STATIC_DRAW), None),
        ("glVertexAttribPointer", (0, 4, gl.GL_FLOAT, 0, 0, Offset(0)), None),
        ("glEnableVertexAttribArray", (0,), None),
        ("glEnable", (gl.GL_DEPTH_TEST,), None),
        ("glEnable", (gl.GL_STENCIL_TEST,), None),
        ("glStencilFunc", (gl.GL_ALWAYS, 7, 255), None),
        ("glStencilOp", (gl.GL_KEEP, gl.GL_KEEP, gl.GL_REPLACE), None),
    ]
    for frame in range(frames):
        program += [
            ("glClear", (gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT | gl.GL_STENCIL_BUFFER_BIT,), None),
            ("glUniform4f", (0, 1.0, 0.2 * frame, 0.0, 1.0), None),
            ("glDrawArrays", (gl.GL_TRIANGLE_STRIP, 0, 4), None),
            ("traceSwap", (1, "eglSwapBuffers"), None),
        ]
    with TraceWriter(path) as writer:
        for name, args, result in program:
            writer.write(name, args, None, result, thread=1, context=1)
    return path


def test_depth_stencil_and_calls(tmp_path):
    path = scene(tmp_path / "t.gltrace")
    depth = dict(replay.attachments(path, "depth"))
    assert sorted(depth) == [0, 1]
    assert set(depth[0][:, : W // 2, 0].flat) == {128}
    assert set(depth[0][:, W // 2 :, 0].flat) == {255}
    assert {number: int(picture[0, 0, 0]) for number, picture in replay.attachments(path, "stencil")} == {0: 7, 1: 7}
    assert [number for number, _ in replay.attachments(path, "color0", frames=(1, 1))] == [1]
    assert list(replay.attachments(path, "color1")) == []
    clears = list(replay.attachments_behind(path, "color0", parse_call_set("clear")))
    assert len(clears) == 2
    assert not any(picture[..., :3].any() for _, picture in clears)
    drawn = replay.attachments_behind(path, "color0", parse_call_set("draw"))
    draws = [picture[0, 0].tolist() for _, picture in drawn]
    assert draws == [[255, 0, 0, 255], [255, 51, 0, 255]]


def test_what_is_read_where_another_framebuffer_is_bound_for_reading(tmp_path):
    """As much as the window is large; beyond the other framebuffer there is nothing."""
    texture = (gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 8, 8, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
    attach = (gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, 1, 0)
    program = [
        ("traceContext", (1, 0, 3, 0, 0, 8, 8, 8, 8, 24, 8, 0, 0)),
        ("traceDrawable", (1, W, H, 0)),
        ("traceMakeCurrent", (1, 1, 1)),
        ("glClearColor", (1.0, 0.0, 0.0, 1.0)),
        ("glClear", (gl.GL_COLOR_BUFFER_BIT,)),
        ("traceSwap", (1, "eglSwapBuffers")),
        ("glClear", (gl.GL_COLOR_BUFFER_BIT,)),
        ("glBindTexture", (gl.GL_TEXTURE_2D, 1)),
        ("glTexImage2D", texture),
        ("glBindFramebuffer", (gl.GL_FRAMEBUFFER, 1)),
        ("glFramebufferTexture2D", attach),
        ("glClearColor", (0.0, 1.0, 0.0, 1.0)),
        ("glClear", (gl.GL_COLOR_BUFFER_BIT,)),
        ("glBindFramebuffer", (gl.GL_DRAW_FRAMEBUFFER, 0)),
        ("traceSwap", (1, "eglSwapBuffers")),
    ]
    with TraceWriter(tmp_path / "t.gltrace") as writer:
        for name, args in program:
            writer.write(name, args, thread=1, context=1)
    first, second = dict(replay.attachments(tmp_path / "t.gltrace", "read")).values()
    assert (first == (255, 0, 0, 255)).all()
    assert (second[:8, :8] == (0, 255, 0, 255)).all()
    assert not second[8:].any()
    assert not second[:, 8:].any()
    shown = dict(replay.pictures(tmp_path / "t.gltrace"))
    assert (shown[1] == (255, 0, 0, 255)).all()


def run(*arguments):
    code = "import sys; from gpumodel.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, "images", *map(str, arguments)], check=False, capture_output=True, text=True
    )


def test_the_command(tmp_path):
    path, out = scene(tmp_path / "t.gltrace"), tmp_path / "out"
    done = run(path, "-o", out, "--attachment", "depth")
    assert done.returncode == 0, done.stderr
    assert sorted(p.name for p in out.iterdir()) == ["frame_0000_depth.png", "frame_0001_depth.png"]
    assert np.asarray(Image.open(out / "frame_0000_depth.png"))[0, 0].tolist() == [128, 128, 128]
    done = run(path, "-o", out, "--calls", "frame")
    assert done.returncode == 0, done.stderr
    assert len(list(out.glob("frame_000[01]_call_*_color0.png"))) == 2
    assert run(path, "-o", out, "--attachment", "depht").returncode == 2
