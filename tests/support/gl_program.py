"""GL programs written in tests: calls executed at once by the engine, frame by frame."""

import numpy as np

from replay.engine.engine import Engine
from traceformat.calls import Call, Offset
from traceformat.gles import enums as gl
from traceformat.gles.tracker import Tracker
from traceformat.gputrace.frametrace import MODEL_COLUMNS, FrameRule

W, H = 120, 90


class Program:
    """A GL program's calls, executed at once; ``calls`` keeps them for a second player."""

    def __init__(self, columns=MODEL_COLUMNS, *, threads=1, samples=0, api=0, size=(W, H), executor="llvm"):
        self.engine = Engine(columns, threads=threads, executor=executor)
        self.tracker = Tracker(self.engine)
        self.calls = []
        version = (3, 0, 0) if api == 0 else (3, 3, 1)
        self("traceContext", 1, api, *version, 8, 8, 8, 8, 24, 8, samples, 0)
        self("traceDrawable", 1, *size, 0)
        self("traceMakeCurrent", 1, 1, 1)
        self("glViewport", 0, 0, *size)

    def __call__(self, name, *args):
        call = Call(len(self.calls), name, 1, 1, 0, args)
        self.calls.append(call)
        result = self.tracker.execute(call)
        assert self.tracker.failure is None, f"{name}: {self.tracker.failure}"
        return result

    def program(self, vertex, fragment, **locations):
        number = self("glCreateProgram")
        for kind, source in ((gl.GL_VERTEX_SHADER, vertex), (gl.GL_FRAGMENT_SHADER, fragment)):
            shader = self("glCreateShader", kind)
            self("glShaderSource", shader, 1, (source,), None)
            self("glCompileShader", shader)
            self("glAttachShader", number, shader)
        for name, location in locations.items():
            self("glBindAttribLocation", number, location, name)
        self("glLinkProgram", number)
        self("glUseProgram", number)
        return number

    def buffer(self, data, target=gl.GL_ARRAY_BUFFER, name=1):
        data = np.ascontiguousarray(data)
        self("glBindBuffer", target, name)
        self("glBufferData", target, data.nbytes, data.tobytes(), gl.GL_STATIC_DRAW)

    def attribute(self, location, size, stride, offset):
        self("glVertexAttribPointer", location, size, gl.GL_FLOAT, 0, stride, Offset(offset))
        self("glEnableVertexAttribArray", location)

    def uniform(self, program, name):
        return self("glGetUniformLocation", program, name)

    def texture(self, pixels, name=1, unit=0, mipmaps=False):
        height, width = pixels.shape[:2]
        self("glActiveTexture", gl.GL_TEXTURE0 + unit)
        self("glBindTexture", gl.GL_TEXTURE_2D, name)
        data = np.ascontiguousarray(pixels, np.uint8).tobytes()
        self("glTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, width, height, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, data)
        low = gl.GL_LINEAR_MIPMAP_LINEAR if mipmaps else gl.GL_NEAREST
        self("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, low)
        self("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MAG_FILTER, gl.GL_LINEAR if mipmaps else gl.GL_NEAREST)
        if mipmaps:
            self("glGenerateMipmap", gl.GL_TEXTURE_2D)

    def clear(self, *color, mask=gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT | gl.GL_STENCIL_BUFFER_BIT):
        self("glClearColor", *(color or (0.0, 0.0, 0.0, 1.0)))
        self("glClear", mask)

    def swap(self, frame=0):
        self("traceSwap", 1, "eglSwapBuffers")
        return self.engine.end_frame(frame, FrameRule.SWAP)


COLOR_VS = """attribute vec4 p; attribute vec4 c; varying vec4 v; void main() { gl_Position = p; v = c; }"""
COLOR_FS = """precision highp float; varying vec4 v; void main() { gl_FragColor = v; }"""


def triangles(rng, count, size=0.5):
    data = np.zeros((count, 3, 8), np.float32)
    data[:, :, :2] = rng.uniform(-1, 1, (count, 1, 2)) + rng.uniform(-size, size, (count, 3, 2))
    data[:, :, 2] = rng.uniform(-1, 1, (count, 1))
    data[:, :, 3] = 1
    data[:, :, :4] *= rng.uniform(0.5, 2, (count, 3, 1))
    data[:, :, 4:] = rng.uniform(0, 1, (count, 3, 4))
    return data
