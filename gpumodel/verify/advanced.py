"""Advanced blend equations (GLES 3.2 §15.1.5.2) for verification: in float32, operation by operation as in Mesa."""

from __future__ import annotations

from typing import Final

import numba
import numpy as np

from gpumodel.verify.kernels import Array, Number, kernel
from traceformat.gles import enums as gl
from traceformat.gles.blend_codes import ADVANCED_EQUATIONS

__all__ = ["blend_advanced"]

_CODES: Final = {name: ADVANCED_EQUATIONS[getattr(gl, f"GL_{name}")] for name in (
    "MULTIPLY", "SCREEN", "OVERLAY", "DARKEN", "LIGHTEN", "COLORDODGE", "COLORBURN", "HARDLIGHT", "SOFTLIGHT",
    "DIFFERENCE", "HSL_HUE", "HSL_SATURATION", "HSL_COLOR",
)}  # fmt: skip
_MULTIPLY, _SCREEN, _OVERLAY, _DARKEN, _LIGHTEN, _DODGE, _BURN, _HARD, _SOFT, _DIFFERENCE, _HUE, _SATURATION, _COLOR = (
    _CODES.values()
)
_F = np.float32
_WEIGHTS: Final = np.array([0.30, 0.59, 0.11], np.float32)


@kernel("float32(int64, float32, float32)", error_model="numpy")
def _separable(code: Number, s: Number, d: Number) -> Number:
    """f(s, d) of table 15.3."""
    one, two = _F(1.0), _F(2.0)
    product = s * d
    doubled, screened = two * product, one - two * ((one - s) * (one - d))
    if code == _MULTIPLY:
        found = product
    elif code == _SCREEN:
        found = s + d - product
    elif code == _OVERLAY:
        found = screened if d > _F(0.5) else doubled
    elif code == _HARD:
        found = screened if s > _F(0.5) else doubled
    elif code == _DARKEN:
        found = d if d < s else s
    elif code == _LIGHTEN:
        found = d if d > s else s
    elif code == _DODGE:
        found = _F(0.0) if d <= 0 else one if s >= 1 else min(one, d / (one - s))
    elif code == _BURN:
        found = one if d >= 1 else _F(0.0) if s <= 0 else one - min(one, (one - d) / s)
    elif code == _SOFT:
        g = d * (one - d)
        if s > _F(0.5):
            g = np.sqrt(d) - d if d > _F(0.25) else d * ((_F(16.0) * d - _F(12.0)) * d + _F(3.0))
        found = d + (two * s - one) * g
    elif code == _DIFFERENCE:
        found = d - s if d > s else s - d
    else:
        found = s + (d - doubled)
    return found


@kernel("float32(float32[::1])")
def _lum(color: Array) -> Number:
    return color[2] * _WEIGHTS[2] + color[1] * _WEIGHTS[1] + color[0] * _WEIGHTS[0]


@kernel("float32(float32[::1])")
def _sat(color: Array) -> Number:
    return max(color[0], color[1], color[2]) - min(color[0], color[1], color[2])


@kernel(numba.void(numba.float32[::1], numba.float32[::1], numba.float32), error_model="numpy")
def _set_lum(color: Array, base: Array, lum: Number) -> None:
    """``color`` becomes ``base`` with another luminosity."""
    change = lum - _lum(base)
    for channel in range(3):
        color[channel] = base[channel] + change
    own, one = _lum(color), _F(1.0)
    least, most = min(color[0], color[1], color[2]), max(color[0], color[1], color[2])
    for channel in range(3):
        beyond = color[channel] - own
        if least < 0:
            color[channel] = own + (beyond * own) / (own - least)
        elif most > 1:
            color[channel] = own + (beyond * (one - own)) / (most - own)


@kernel(numba.void(numba.float32[::1], numba.float32[::1], numba.float32, numba.float32), error_model="numpy")
def _set_lum_sat(color: Array, base: Array, sat: Number, lum: Number) -> None:
    """``color`` becomes ``base`` with another saturation and luminosity."""
    least, own = min(base[0], base[1], base[2]), _sat(base)
    for channel in range(3):
        color[channel] = ((base[channel] - least) * sat) / own if own > 0 else _F(0.0)
    _set_lum(color, color, lum)


@kernel(numba.void(numba.int64, numba.float32[::1], numba.float32[::1], numba.float32[::1]), error_model="numpy")
def blend_advanced(code: Number, source: Array, target: Array, result: Array) -> None:
    """Blend one pixel by the equation of this number in ``traceformat.gles.blend_codes``."""
    s, d, mixed, one = np.zeros(3, np.float32), np.zeros(3, np.float32), np.zeros(3, np.float32), _F(1.0)
    for channel in range(3):
        if source[3] != 0:
            s[channel] = one if source[channel] == source[3] else source[channel] / source[3]
        if target[3] != 0:
            d[channel] = one if target[channel] == target[3] else target[channel] / target[3]
        mixed[channel] = _separable(code, s[channel], d[channel])
    if code == _HUE:
        _set_lum_sat(mixed, s, _sat(d), _lum(d))
    elif code == _SATURATION:
        _set_lum_sat(mixed, d, _sat(s), _lum(d))
    elif code == _COLOR:
        _set_lum(mixed, s, _lum(d))
    elif code > _COLOR:
        _set_lum(mixed, d, _lum(s))
    by_both, by_source, by_target = source[3] * target[3], source[3] * (one - target[3]), target[3] * (one - source[3])
    for channel in range(3):
        result[channel] = mixed[channel] * by_both + s[channel] * by_source + d[channel] * by_target
    result[3] = source[3] + by_target
