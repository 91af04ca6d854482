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
def _separable(code: Number, source: Number, target: Number) -> Number:
    """f(Cs, Cd) of the table of separable equations."""
    one, two = _F(1.0), _F(2.0)
    product = source * target
    doubled, screened = two * product, one - two * ((one - source) * (one - target))
    if code == _MULTIPLY:
        found = product
    elif code == _SCREEN:
        found = source + target - product
    elif code == _OVERLAY:
        found = screened if target > _F(0.5) else doubled
    elif code == _HARD:
        found = screened if source > _F(0.5) else doubled
    elif code == _DARKEN:
        found = target if target < source else source
    elif code == _LIGHTEN:
        found = target if target > source else source
    elif code == _DODGE:
        found = _F(0.0) if target <= 0 else one if source >= 1 else min(one, target / (one - source))
    elif code == _BURN:
        found = one if target >= 1 else _F(0.0) if source <= 0 else one - min(one, (one - target) / source)
    elif code == _SOFT:
        strength = target * (one - target)
        if source > _F(0.5):
            strength = (
                np.sqrt(target) - target
                if target > _F(0.25)
                else target * ((_F(16.0) * target - _F(12.0)) * target + _F(3.0))
            )
        found = target + (two * source - one) * strength
    elif code == _DIFFERENCE:
        found = target - source if target > source else source - target
    else:
        found = source + (target - doubled)
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
    plain_source, plain_target, mixed, one = (
        np.zeros(3, np.float32),
        np.zeros(3, np.float32),
        np.zeros(3, np.float32),
        _F(1.0),
    )
    for channel in range(3):
        if source[3] != 0:
            plain_source[channel] = one if source[channel] == source[3] else source[channel] / source[3]
        if target[3] != 0:
            plain_target[channel] = one if target[channel] == target[3] else target[channel] / target[3]
        mixed[channel] = _separable(code, plain_source[channel], plain_target[channel])
    if code == _HUE:
        _set_lum_sat(mixed, plain_source, _sat(plain_target), _lum(plain_target))
    elif code == _SATURATION:
        _set_lum_sat(mixed, plain_target, _sat(plain_source), _lum(plain_target))
    elif code == _COLOR:
        _set_lum(mixed, plain_source, _lum(plain_target))
    elif code > _COLOR:
        _set_lum(mixed, plain_target, _lum(plain_source))
    by_both, by_source, by_target = source[3] * target[3], source[3] * (one - target[3]), target[3] * (one - source[3])
    for channel in range(3):
        result[channel] = (
            mixed[channel] * by_both + plain_source[channel] * by_source + plain_target[channel] * by_target
        )
    result[3] = source[3] + by_target
