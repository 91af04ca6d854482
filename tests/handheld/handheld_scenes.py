"""Small GL programs as .gltrace files for the handheld machine's tests."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from gl_recorder import Recorder

from traceformat.gles import enums as gl

COLOR_VS = "attribute vec4 p; attribute vec4 c; varying vec4 v; void main() { gl_Position = p; v = c; }"
COLOR_FS = "precision highp float; varying vec4 v; void main() { gl_FragColor = v; }"
TEXTURE_FS = """precision highp float; varying vec4 v; uniform sampler2D t;
void main() { gl_FragColor = texture2D(t, v.xy); }"""
HOLES_FS = """precision highp float; varying vec4 v; uniform sampler2D t;
void main() { if (fract(v.x * 8.0) < 0.4) discard; gl_FragColor = v * texture2D(t, v.xy * 3.0); }"""


def soup(seed: int, count: int, size: float = 0.6, flat: bool = False) -> np.ndarray:
    """Triangles anywhere, at depths that cross each other unless they are flat; (3 count, 8) position and colour."""
    rng = np.random.default_rng(seed)
    data = np.zeros((count, 3, 8), np.float32)
    data[:, :, :2] = rng.uniform(-1.1, 1.1, (count, 1, 2)) + rng.uniform(-size, size, (count, 3, 2))
    data[:, :, 2] = rng.uniform(-0.95, 0.95, (count, 1)) + (0 if flat else rng.uniform(-0.3, 0.3, (count, 3)))
    data[:, :, 3] = 1
    data[:, :, 4:] = rng.uniform(0, 1, (count, 3, 4))
    return data.reshape(-1, 8)


def quad(x0: float, y0: float, x1: float, y1: float, z: float = 0.0, u: float = 1.0, v: float = 1.0) -> np.ndarray:
    """Two triangles over a rectangle of the clip volume; the colour's x and y run from 0 to u and v."""
    corners = [(0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1)]
    rows = [(x0 + (x1 - x0) * a, y0 + (y1 - y0) * b, z, 1, u * a, v * b, 1, 1) for a, b in corners]
    return np.array(rows, np.float32)


def screen(z: float) -> np.ndarray:
    """One triangle over the whole screen at a depth."""
    return np.array([(x, y, z, 1, 1, 1, 1, 1) for x, y in ((-1, -1), (3, -1), (-1, 3))], np.float32)


def noise(size: int, seed: int = 0) -> np.ndarray:
    """Opaque image, smooth with edges; (size, size, 4) uint8."""
    rng = np.random.default_rng(seed)
    coarse = rng.integers(0, 256, (size // 8, size // 8, 3)).repeat(8, 0).repeat(8, 1)
    fine = rng.normal(0, 12, (size, size, 3))
    image = np.full((size, size, 4), 255, np.uint8)
    image[..., :3] = np.clip(coarse + fine, 0, 255)
    return image


def texture(r: Recorder, name: int, image: np.ndarray, mipmaps: bool = True) -> None:
    """Upload an image and leave it bound."""
    height, width = image.shape[:2]
    r("glBindTexture", gl.GL_TEXTURE_2D, name)
    pixels = np.ascontiguousarray(image).tobytes()
    r("glTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, width, height, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, pixels)
    least = gl.GL_LINEAR_MIPMAP_LINEAR if mipmaps else gl.GL_LINEAR
    r("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, least)
    r("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MAG_FILTER, gl.GL_LINEAR)
    if mipmaps:
        r("glGenerateMipmap", gl.GL_TEXTURE_2D)


def colored(
    path: Path, data: np.ndarray, size: tuple[int, int] = (64, 48), depth: bool = True, frames: int = 1
) -> Path:
    """Draw coloured triangles."""
    r = Recorder(version=(2, 0), size=size)
    r.program(COLOR_VS, COLOR_FS)
    r.vertices(data)
    if depth:
        r("glEnable", gl.GL_DEPTH_TEST)
    for _ in range(frames):
        r.clear()
        r("glDrawArrays", gl.GL_TRIANGLES, 0, len(data))
        r.swap()
    return r.write(path)


def textured(
    path: Path, data: np.ndarray, image: np.ndarray, size: tuple[int, int] = (64, 48), depth: bool = False
) -> Path:
    """Draw triangles with a texture at the colour's x and y."""
    r = Recorder(version=(2, 0), size=size)
    r.program(COLOR_VS, TEXTURE_FS)
    r.vertices(data)
    texture(r, 1, image)
    if depth:
        r("glEnable", gl.GL_DEPTH_TEST)
    r.clear()
    r("glDrawArrays", gl.GL_TRIANGLES, 0, len(data))
    r.swap()
    return r.write(path)


def mixed(path: Path, size: tuple[int, int] = (90, 70)) -> Path:
    """Two frames with textures, discards, blending, stencil, scissor and a target that is drawn to and then read."""
    r = Recorder(version=(2, 0), size=size)
    holes = r.program(COLOR_VS, HOLES_FS)
    plain = r.program(COLOR_VS, COLOR_FS)
    r.vertices(soup(5, 60))
    texture(r, 2, np.zeros((32, 32, 4), np.uint8), mipmaps=False)
    r("glBindFramebuffer", gl.GL_FRAMEBUFFER, 1)
    r("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, 2, 0)
    texture(r, 1, noise(64))
    for frame in range(2):
        r("glBindFramebuffer", gl.GL_FRAMEBUFFER, 1)
        r("glBindTexture", gl.GL_TEXTURE_2D, 1)
        r("glViewport", 0, 0, 32, 32)
        r("glUseProgram", plain)
        r("glClear", gl.GL_COLOR_BUFFER_BIT)
        r("glDrawArrays", gl.GL_TRIANGLES, 30 * frame, 30)
        r("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
        r("glViewport", 0, 0, *size)
        r.clear()
        r("glEnable", gl.GL_DEPTH_TEST)
        r("glDrawArrays", gl.GL_TRIANGLES, 0, 60)
        r("glUseProgram", holes)
        r("glDrawArrays", gl.GL_TRIANGLES, 60, 60)
        r("glEnable", gl.GL_SCISSOR_TEST)
        r("glScissor", 13, 9, 50, 40)
        r("glClear", gl.GL_DEPTH_BUFFER_BIT)
        r("glDrawArrays", gl.GL_TRIANGLES, 90, 60)
        r("glDisable", gl.GL_SCISSOR_TEST)
        r("glEnable", gl.GL_BLEND)
        r("glBlendFunc", gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        r("glDepthMask", 0)
        r("glBindTexture", gl.GL_TEXTURE_2D, 2)
        r("glDrawArrays", gl.GL_TRIANGLES, 120, 30)
        r("glDepthMask", 1)
        r("glDisable", gl.GL_BLEND)
        r("glDepthFunc", gl.GL_GREATER)
        r("glDrawArrays", gl.GL_TRIANGLES, 150, 15)
        r("glDepthFunc", gl.GL_LEQUAL)
        r("glEnable", gl.GL_STENCIL_TEST)
        r("glStencilFunc", gl.GL_EQUAL, 0, 255)
        r("glStencilOp", gl.GL_KEEP, gl.GL_INCR, gl.GL_INCR)
        r("glDrawArrays", gl.GL_TRIANGLES, 130, 45)
        r("glDisable", gl.GL_STENCIL_TEST)
        r("glDisable", gl.GL_DEPTH_TEST)
        r("glDepthFunc", gl.GL_LESS)
        r.swap()
    return r.write(path)
