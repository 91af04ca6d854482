"""Blend equations and factors, and the numbers that blend states in records have for them: rows of these tables.

What they compute is written where colours are blended: by the engine, and a second time by verification.
"""

from __future__ import annotations

from typing import Final

from traceformat.gles import enums as gl

__all__ = ["ADVANCED_EQUATIONS", "ALL_EQUATIONS", "EQUATIONS", "FACTORS", "FIRST_ADVANCED"]

EQUATIONS: Final = {
    equation: number
    for number, equation in enumerate(
        (gl.GL_FUNC_ADD, gl.GL_FUNC_SUBTRACT, gl.GL_FUNC_REVERSE_SUBTRACT, gl.GL_MIN, gl.GL_MAX)
    )
}
#: Numbers from here on are those of advanced equations.
FIRST_ADVANCED: Final = len(EQUATIONS)
#: Those of KHR_blend_equation_advanced (GLES 3.2 §15.1.5.2), which take no factors and blend all channels at once; the
#: last four are not separable.
ADVANCED_EQUATIONS: Final = {
    equation: number
    for number, equation in enumerate(
        (
            gl.GL_MULTIPLY, gl.GL_SCREEN, gl.GL_OVERLAY, gl.GL_DARKEN, gl.GL_LIGHTEN, gl.GL_COLORDODGE,
            gl.GL_COLORBURN, gl.GL_HARDLIGHT, gl.GL_SOFTLIGHT, gl.GL_DIFFERENCE, gl.GL_EXCLUSION, gl.GL_HSL_HUE,
            gl.GL_HSL_SATURATION, gl.GL_HSL_COLOR, gl.GL_HSL_LUMINOSITY,
        ),
        start=FIRST_ADVANCED,
    )
}  # fmt: skip
ALL_EQUATIONS: Final = EQUATIONS | ADVANCED_EQUATIONS
#: Those of GLES 3.0 table 4.2; those of a second source have no number.
FACTORS: Final = {
    factor: number
    for number, factor in enumerate(
        (
            gl.GL_ZERO, gl.GL_ONE, gl.GL_SRC_COLOR, gl.GL_ONE_MINUS_SRC_COLOR, gl.GL_SRC_ALPHA,
            gl.GL_ONE_MINUS_SRC_ALPHA, gl.GL_DST_ALPHA, gl.GL_ONE_MINUS_DST_ALPHA, gl.GL_DST_COLOR,
            gl.GL_ONE_MINUS_DST_COLOR, gl.GL_SRC_ALPHA_SATURATE, gl.GL_CONSTANT_COLOR, gl.GL_ONE_MINUS_CONSTANT_COLOR,
            gl.GL_CONSTANT_ALPHA, gl.GL_ONE_MINUS_CONSTANT_ALPHA,
        )
    )
}  # fmt: skip
