"""Programs that blend by the equations of KHR_blend_equation_advanced: colours and alphas from 0 to 1, and texels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np
from gl_twin import Recording

from traceformat.gles import enums as gl
from traceformat.gles.blend_codes import ADVANCED_EQUATIONS

__all__ = ["FORMATS", "SCENES", "SIZE", "fragment_of", "record"]

SIZE: Final = 64
FORMATS: Final = {
    "RGBA8": gl.GL_RGBA8, "RGBA32F": gl.GL_RGBA32F, "RGBA16F": gl.GL_RGBA16F,
    "RGB8": gl.GL_RGB8, "RG8": gl.GL_RG8, "RGB565": gl.GL_RGB565,
}  # fmt: skip
_HEAD: Final = "#version 320 es\nprecision highp float;\n"
_VS: Final = _HEAD + "in vec4 p; void main() { gl_Position = p; }"
#: Colours of both sides: alphas of 0, 1 and between; colours that have none, all or some of their alpha.
_ALPHAS: Final = (0.0, 0.25, 0.5, 1.0)


def fragment_of(support: str = "layout(blend_support_all_equations) out;") -> str:
    """A fragment shader that takes its colours from a texture."""
    return (
        f"{_HEAD}{support} uniform highp sampler2D t; out vec4 o; "
        "void main() { o = texelFetch(t, ivec2(gl_FragCoord), 0); }"
    )


def _colors(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    one, three = (SIZE, SIZE, 1), (SIZE, SIZE, 3)
    alpha = np.where(rng.random(one) < 0.6, rng.choice(_ALPHAS, one), rng.random(one))
    part = np.where(rng.random(three) < 0.3, rng.choice((0.0, 0.5, 1.0), three), rng.random(three))
    return np.concatenate([part * alpha, alpha], axis=2).astype(np.float32)


def _texture(r: Recording, colors: np.ndarray) -> None:
    r("glBindTexture", gl.GL_TEXTURE_2D, r.generate("Textures"))
    r("glTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGBA32F, SIZE, SIZE, 0, gl.GL_RGBA, gl.GL_FLOAT, colors.tobytes())
    for filter in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
        r("glTexParameteri", gl.GL_TEXTURE_2D, filter, gl.GL_NEAREST)


def _begin(r: Recording, format: int) -> None:
    """A target with colours of all kinds, and a whole surface to draw."""
    color = r.generate("Textures")
    r("glBindTexture", gl.GL_TEXTURE_2D, color)
    r("glTexStorage2D", gl.GL_TEXTURE_2D, 1, format, SIZE, SIZE)
    r.framebuffer()
    r("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, color, 0)
    r("glCheckFramebufferStatus", gl.GL_FRAMEBUFFER)
    r("glViewport", 0, 0, SIZE, SIZE)
    r.program(_VS, fragment_of(), p=0)
    r.vertices(p=(0, np.array([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]], np.float32)))
    _texture(r, _colors(1))
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 3)


def _read(r: Recording, format: int) -> None:
    is_float = format in (gl.GL_RGBA32F, gl.GL_RGBA16F)
    r.read(gl.GL_RGBA, gl.GL_FLOAT if is_float else gl.GL_UNSIGNED_BYTE, size=(SIZE, SIZE))


def advanced(r: Recording, equation: int, format: int) -> None:
    """One equation in one format, over and over."""
    _begin(r, format)
    r("glEnable", gl.GL_BLEND)
    r("glBlendEquation", equation)
    for seed in (2, 3):
        _texture(r, _colors(seed))
        r("glBlendBarrier")
        r("glDrawArrays", gl.GL_TRIANGLES, 0, 3)
    _read(r, format)


def mixed(r: Recording) -> None:
    """Several equations in one pass, simple ones between them, with masks and with blending switched off."""
    _begin(r, gl.GL_RGBA8)
    r("glEnable", gl.GL_BLEND)
    for number, equation in enumerate([gl.GL_HSL_HUE, gl.GL_FUNC_ADD, gl.GL_COLORBURN, gl.GL_SOFTLIGHT, gl.GL_MAX]):
        r("glBlendEquationi" if number % 2 else "glBlendEquation", *[0] * (number % 2), equation)
        r("glBlendFunc", gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        r("glEnable", gl.GL_SCISSOR_TEST)
        r("glScissor", 5 * number, 3 * number, SIZE - 10 * number, SIZE - 9 * number)
        _texture(r, _colors(10 + number))
        r("glDrawArrays", gl.GL_TRIANGLES, 0, 3)
    r("glBlendEquation", gl.GL_OVERLAY)
    r("glColorMask", 1, 0, 1, 0)
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 3)
    r("glDisable", gl.GL_BLEND)
    r("glScissor", 20, 20, 9, 9)
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 3)
    _read(r, gl.GL_RGBA8)


def errors(r: Recording) -> None:
    """What is refused: each error is asked for."""
    _begin(r, gl.GL_RGBA8)
    r("glEnable", gl.GL_BLEND)

    def tell(name: str, *args: object) -> None:
        r(name, *args)
        r("glGetError")

    tell("glBlendEquationSeparate", gl.GL_MULTIPLY, gl.GL_MULTIPLY)
    tell("glBlendEquationSeparate", gl.GL_FUNC_ADD, gl.GL_SCREEN)
    tell("glBlendEquationSeparatei", 0, gl.GL_MULTIPLY, gl.GL_FUNC_ADD)
    tell("glBlendEquation", gl.GL_MULTIPLY)
    tell("glGetIntegerv", gl.GL_BLEND_EQUATION_RGB, None)
    tell("glGetIntegerv", gl.GL_BLEND_EQUATION_ALPHA, None)
    tell("glIsEnabled", gl.GL_BLEND_ADVANCED_COHERENT_KHR)
    tell("glDisable", gl.GL_BLEND_ADVANCED_COHERENT_KHR)
    tell("glEnable", gl.GL_BLEND_ADVANCED_COHERENT_KHR)
    tell("glDrawArrays", gl.GL_TRIANGLES, 0, 3)
    r.program(_VS, fragment_of("layout(blend_support_screen) out; layout(blend_support_hsl_hue) out;"), p=0)
    tell("glDrawArrays", gl.GL_TRIANGLES, 0, 3)
    tell("glBlendEquation", gl.GL_HSL_HUE)
    tell("glDrawArrays", gl.GL_TRIANGLES, 0, 3)
    tell("glBlendEquation", gl.GL_HSL_COLOR)
    tell("glDisable", gl.GL_BLEND)
    tell("glDrawArrays", gl.GL_TRIANGLES, 0, 3)
    tell("glEnable", gl.GL_BLEND)
    r.program(_VS, fragment_of(""), p=0)
    tell("glDrawArrays", gl.GL_TRIANGLES, 0, 3)
    r.program(_VS, fragment_of(), p=0)
    tell("glBlendEquationi", 1, gl.GL_FUNC_ADD)
    color = r.generate("Textures")
    r("glBindTexture", gl.GL_TEXTURE_2D, color)
    r("glTexStorage2D", gl.GL_TEXTURE_2D, 1, gl.GL_RGBA8, SIZE, SIZE)
    r("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT1, gl.GL_TEXTURE_2D, color, 0)
    _texture(r, _colors(4))
    r("glDrawBuffers", 2, np.array([gl.GL_COLOR_ATTACHMENT0, gl.GL_COLOR_ATTACHMENT1], "<u4").tobytes())
    tell("glDrawArrays", gl.GL_TRIANGLES, 0, 3)
    tell("glDisable", gl.GL_BLEND)
    tell("glDrawArrays", gl.GL_TRIANGLES, 0, 3)
    tell("glBlendEquation", gl.GL_MULTIPLY + 0x40)
    _read(r, gl.GL_RGBA8)


SCENES: Final[dict[str, Callable[[Recording], None]]] = {
    **{
        f"{equation:#x} in {name}": partial(advanced, equation=equation, format=format)
        for equation in ADVANCED_EQUATIONS
        for name, format in FORMATS.items()
    },
    "mixed": mixed,
    "errors": errors,
}


def record(name: str) -> Recording:
    """Draw a scene on Mesa.

    Raises
    ------
    NoDriver : there is no Mesa with ES 3.2
    """
    recording = Recording(version=(3, 2))
    SCENES[name](recording)
    recording.close()
    return recording
