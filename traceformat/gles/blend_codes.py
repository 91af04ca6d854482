"""Blend equations and factors, and the numbers that blend states in records have for them: rows of these tables.

What they compute is written where colours are blended: by the engine, and a second time by verification.
"""

from __future__ import annotations

from typing import Final

from traceformat.gles import enums as gl

__all__ = ["EQUATIONS", "FACTORS"]

EQUATIONS: Final = {
    equation: number
    for number, equation in enumerate(
        (gl.GL_FUNC_ADD, gl.GL_FUNC_SUBTRACT, gl.GL_FUNC_REVERSE_SUBTRACT, gl.GL_MIN, gl.GL_MAX)
    )
}
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
