"""glClearTexImage and glClearTexSubImage: what they leave, and what they refuse, is what Mesa has."""

from __future__ import annotations

import numpy as np
import pytest
from gl_twin import NoDriver, Recording, compare

from traceformat.gles import enums as gl

pytestmark = pytest.mark.gl


def _shown(r: Recording, texture: int, target: int, layers: int, level: int, kind: tuple[int, int], side: int) -> None:
    """Read all layers (or faces) of a level."""
    for layer in range(layers):
        if target == gl.GL_TEXTURE_2D_ARRAY:
            r("glFramebufferTextureLayer", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, texture, level, layer)
        else:
            face = gl.GL_TEXTURE_CUBE_MAP_POSITIVE_X + layer if target == gl.GL_TEXTURE_CUBE_MAP else target
            r("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, face, texture, level)
        r.read(*kind, size=(side, side))


@pytest.mark.parametrize(
    ("target", "internal", "pixel", "kind"),
    [
        (gl.GL_TEXTURE_2D, gl.GL_RGBA8, np.array([10, 20, 30, 40], np.uint8), (gl.GL_RGBA, gl.GL_UNSIGNED_BYTE)),
        (gl.GL_TEXTURE_2D, gl.GL_RGBA16F, np.array([0.5, -2, 7, 1], np.float32), (gl.GL_RGBA, gl.GL_FLOAT)),
        (gl.GL_TEXTURE_CUBE_MAP, gl.GL_R32F, np.array([0.25], np.float32), (gl.GL_RED, gl.GL_FLOAT)),
        (gl.GL_TEXTURE_2D_ARRAY, gl.GL_RGBA8UI, np.array([1, 2, 3, 255], np.uint8),
         (gl.GL_RGBA_INTEGER, gl.GL_UNSIGNED_BYTE)),
    ],
    ids=["bytes", "halves", "cube", "integers"],
)  # fmt: skip
def test_texels_are_those_of_mesa(target: int, internal: int, pixel: np.ndarray, kind: tuple[int, int]) -> None:
    try:
        r = Recording(1, (4, 5))
    except NoDriver as missing:
        pytest.skip(str(missing))
    r("glBindVertexArray", r.generate("VertexArrays"))
    layers = {gl.GL_TEXTURE_CUBE_MAP: 6, gl.GL_TEXTURE_2D_ARRAY: 3}.get(target, 1)
    texture = r.generate("Textures")
    r("glBindTexture", target, texture)
    if target == gl.GL_TEXTURE_2D_ARRAY:
        r("glTexStorage3D", target, 2, internal, 8, 8, 3)
    else:
        r("glTexStorage2D", target, 2, internal, 8, 8)
    r("glBindFramebuffer", gl.GL_FRAMEBUFFER, r.generate("Framebuffers"))
    data = pixel.tobytes()
    # Pixel store is for images, not for this.
    r("glPixelStorei", gl.GL_UNPACK_SKIP_PIXELS, 3)
    r("glClearTexImage", texture, 0, *kind, data)
    r("glClearTexImage", texture, 1, *kind, data)
    first, count = (1, 2) if layers > 1 else (0, 1)
    r("glClearTexSubImage", texture, 0, 2, 3, first, 4, 2, count, *kind, None)
    other = (pixel * 2).astype(pixel.dtype).tobytes()
    r("glClearTexSubImage", texture, 0, 5, 0, 0, 3, 1, 1, *kind, other)
    _shown(r, texture, target, layers, 0, kind, 8)
    _shown(r, texture, target, layers, 1, kind, 4)
    for name, level, box, given in (
        (0, 0, None, kind), (texture + 7, 0, None, kind), (texture, 2, None, kind),
        (texture, 0, (6, 0, 0, 3, 1, 1), kind), (texture, 0, (0, 0, layers, 1, 1, 1), kind),
        (texture, 0, None, (gl.GL_DEPTH_COMPONENT, gl.GL_FLOAT)), (texture, 0, None, (gl.GL_RGBA, 0x1234)),
    ):  # fmt: skip
        wide = bytes(64)
        if box is None:
            r("glClearTexImage", name, level, *given, wide)
        else:
            r("glClearTexSubImage", name, level, *box, *given, wide)
        r("glGetError")
    r.close()
    assert compare(r.calls) == []
