"""Where lines of one sample a pixel begin and end: the diamond-exit rule (GLES 3.0 §3.5.1) as llvmpipe has it.

llvmpipe decides for each end whether the pixel there is drawn, and moves the end by up to a pixel where the rasterizer,
which knows nothing of diamonds, would decide otherwise. Everything is binary32, in Mesa's rows: those of a window are
counted from its top. ``a`` is the axis along which the line is longer, ``b`` the other one.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from replay.kernels import Bool, Float, Int, inner

__all__ = ["end_shifts"]

_HALF: Final = np.float32(0.5)
_ONE: Final = np.float32(1.0)
_ZERO: Final = np.float32(0.0)


@inner("float32(float32)", inline=True)
def _from_center(at: Float) -> Float:
    """Distance from the centre of the pixel."""
    return at - np.floor(at) - _HALF


@inner("boolean(int64, float32, float32, float32, float32, float32)")
def _starts(is_steep: Int, at_b: Float, da: Float, db: Float, along: Float, across: Float) -> Bool:
    """Whether the pixel of the first end is drawn; ``along`` and ``across``: first end minus second."""
    if abs(da) + abs(db) < _HALF:
        return True
    beyond = (-da >= _ZERO) == (along >= _ZERO) if is_steep != 0 else (da >= _ZERO) == (-along >= _ZERO)
    if beyond:
        return False
    approaches = (db >= _ZERO) != (-across >= _ZERO) if is_steep != 0 else (-db >= _ZERO) != (across >= _ZERO)
    if approaches:
        return True
    crossing = (at_b - np.floor(at_b)) + da * (across / along)
    return crossing < _ONE and crossing > _ZERO


@inner("boolean(int64, float32, float32, float32, float32, float32)")
def _ends(is_steep: Int, at_b: Float, da: Float, db: Float, along: Float, across: Float) -> Bool:
    """Whether the pixel of the second end is drawn."""
    if abs(da) + abs(db) < _HALF:
        return False
    beyond = (-da >= _ZERO) == (along >= _ZERO) if is_steep != 0 else (da >= _ZERO) == (-along >= _ZERO)
    if not beyond:
        return False
    recedes = (db >= _ZERO) == (-across >= _ZERO) if is_steep != 0 else (-db >= _ZERO) == (across >= _ZERO)
    if recedes:
        return True
    crossing = (at_b - np.floor(at_b)) + da * (across / along)
    if is_steep != 0:
        return crossing < _ONE and crossing >= _ZERO
    return crossing < _ONE and crossing > _ZERO


@inner("UniTuple(float32, 2)(int64, float32, float32, float32, float32)")
def end_shifts(is_steep: Int, a0: Float, b0: Float, a1: Float, b1: Float) -> tuple[Float, Float]:
    """How far the ends of the line from (a0, b0) to (a1, b1) are moved along its longer axis.

    ``is_steep``: that is y.
    """
    along, across = a0 - a1, b0 - b1
    da0, db0, da1, db1 = _from_center(a0), _from_center(b0), _from_center(a1), _from_center(b1)
    if db1 == -_HALF and across < _ZERO:
        db1 = _HALF
    starts = _starts(is_steep, b0, da0, db0, along, across)
    ends = _ends(is_steep, b1, da1, db1, along, across)
    # What llvmpipe takes the rasterizer to do by itself.
    if along > _ZERO:
        draws_start = da0 >= _ZERO if is_steep != 0 else da0 > _ZERO
        draws_end = da1 <= _ZERO
        side = _HALF
    else:
        draws_start = da0 < _ZERO if is_steep != 0 else da0 <= _ZERO
        draws_end = da1 >= _ZERO
        side = -_HALF
    first = side - da0 if draws_start != starts else _ZERO
    last = side - da1 if draws_end != ends else _ZERO
    return first, last
