"""Advanced blend equations (KHR_blend_equation_advanced; GLES 3.2 §15.1.5.2), in float32 and in Mesa's order.

Mesa lowers them into the fragment shader: what it computes there, llvmpipe computes in exactly these operations.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from replay.kernels import Array, Float, Int, inner
from traceformat.gles import enums as gl
from traceformat.gles.blend_codes import ADVANCED_EQUATIONS

__all__ = ["blend_advanced"]

_MULTIPLY: Final = ADVANCED_EQUATIONS[gl.GL_MULTIPLY]
_SCREEN: Final = ADVANCED_EQUATIONS[gl.GL_SCREEN]
_OVERLAY: Final = ADVANCED_EQUATIONS[gl.GL_OVERLAY]
_DARKEN: Final = ADVANCED_EQUATIONS[gl.GL_DARKEN]
_LIGHTEN: Final = ADVANCED_EQUATIONS[gl.GL_LIGHTEN]
_DODGE: Final = ADVANCED_EQUATIONS[gl.GL_COLORDODGE]
_BURN: Final = ADVANCED_EQUATIONS[gl.GL_COLORBURN]
_HARD_LIGHT: Final = ADVANCED_EQUATIONS[gl.GL_HARDLIGHT]
_SOFT_LIGHT: Final = ADVANCED_EQUATIONS[gl.GL_SOFTLIGHT]
_DIFFERENCE: Final = ADVANCED_EQUATIONS[gl.GL_DIFFERENCE]
_HUE: Final = ADVANCED_EQUATIONS[gl.GL_HSL_HUE]
_SATURATION: Final = ADVANCED_EQUATIONS[gl.GL_HSL_SATURATION]
_COLOR: Final = ADVANCED_EQUATIONS[gl.GL_HSL_COLOR]

_ZERO, _QUARTER, _HALF, _ONE, _TWO = (np.float32(value) for value in (0.0, 0.25, 0.5, 1.0, 2.0))
_THREE, _TWELVE, _SIXTEEN = (np.float32(value) for value in (3.0, 12.0, 16.0))
_RED_WEIGHT, _GREEN_WEIGHT, _BLUE_WEIGHT = (np.float32(value) for value in (0.30, 0.59, 0.11))


@inner("float32(float32, float32)")
def _straight(channel: Float, alpha: Float) -> Float:
    """A colour that alpha has been multiplied to, without it."""
    if alpha == _ZERO:
        return _ZERO
    return _ONE if channel == alpha else channel / alpha


# ---------------------------------------------------------------------- channel by channel
@inner("float32(float32, float32, boolean)")
def _light(source: Float, target: Float, is_dark: Int) -> Float:
    if is_dark:
        return _TWO * (source * target)
    return _ONE - _TWO * ((_ONE - source) * (_ONE - target))


@inner("float32(int64, float32, float32)")
def _contrasted(code: Int, source: Float, target: Float) -> Float:
    """Dodge, burn and soft light."""
    if code == _DODGE:
        if target <= _ZERO or source >= _ONE:
            return _ZERO if target <= _ZERO else _ONE
        return min(_ONE, target / (_ONE - source))
    if code == _BURN:
        if target >= _ONE or source <= _ZERO:
            return _ONE if target >= _ONE else _ZERO
        return _ONE - min(_ONE, (_ONE - target) / source)
    if source <= _HALF:
        strength = target * (_ONE - target)
    elif target <= _QUARTER:
        strength = target * ((_SIXTEEN * target - _TWELVE) * target + _THREE)
    else:
        strength = np.sqrt(target) - target
    return target + (_TWO * source - _ONE) * strength


@inner("float32(int64, float32, float32)")
def _mixed(code: Int, source: Float, target: Float) -> Float:
    """What a separable equation makes of a channel, without alphas."""
    if code == _MULTIPLY:
        return source * target
    if code == _SCREEN:
        return (source + target) - source * target
    if code == _DARKEN:
        return min(source, target)
    if code == _LIGHTEN:
        return max(source, target)
    if code == _OVERLAY:
        return _light(source, target, target <= _HALF)
    if code == _HARD_LIGHT:
        return _light(source, target, source <= _HALF)
    if code == _DIFFERENCE:
        return abs(target - source)
    if code in (_DODGE, _BURN, _SOFT_LIGHT):
        return _contrasted(code, source, target)
    return source + (target - _TWO * (source * target))  # exclusion


# ---------------------------------------------------------------------- hue, saturation, luminosity
@inner("float32(float32, float32, float32)")
def _luminosity(red: Float, green: Float, blue: Float) -> Float:
    return (blue * _BLUE_WEIGHT + green * _GREEN_WEIGHT) + red * _RED_WEIGHT


@inner("float32(float32, float32, float32)")
def _saturation(red: Float, green: Float, blue: Float) -> Float:
    return max(max(red, green), blue) - min(min(red, green), blue)


@inner("float32(float32, float32, float32, float32)")
def _within(channel: Float, luminosity: Float, low: Float, high: Float) -> Float:
    """A channel of a colour that leaves 0 to 1 (its smallest and largest one), drawn towards its luminosity."""
    if low < _ZERO:
        return luminosity + ((channel - luminosity) * luminosity) / (luminosity - low)
    if high > _ONE:
        return luminosity + ((channel - luminosity) * (_ONE - luminosity)) / (high - luminosity)
    return channel


@inner("UniTuple(float32, 3)(float32, float32, float32, float32)")
def _with_luminosity(red: Float, green: Float, blue: Float, luminosity: Float) -> Float:
    """A colour with another luminosity."""
    change = luminosity - _luminosity(red, green, blue)
    red, green, blue = red + change, green + change, blue + change
    own = _luminosity(red, green, blue)
    low, high = min(min(red, green), blue), max(max(red, green), blue)
    return _within(red, own, low, high), _within(green, own, low, high), _within(blue, own, low, high)


@inner("UniTuple(float32, 3)(float32, float32, float32, float32, float32)")
def _with_saturation(red: Float, green: Float, blue: Float, saturation: Float, luminosity: Float) -> Float:
    """A colour with another saturation and luminosity."""
    low, span = min(min(red, green), blue), _saturation(red, green, blue)
    if not span > _ZERO:
        return _with_luminosity(_ZERO, _ZERO, _ZERO, luminosity)
    return _with_luminosity(
        ((red - low) * saturation) / span,
        ((green - low) * saturation) / span,
        ((blue - low) * saturation) / span,
        luminosity,
    )


@inner("void(int64, float32[::1], float32[::1], float32[::1])")
def blend_advanced(code: Int, source: Array, target: Array, result: Array) -> None:
    """Blend a pixel; ``result`` may be ``source``."""
    source_alpha, target_alpha = source[3], target[3]
    sr, sg, sb = (
        _straight(source[0], source_alpha), _straight(source[1], source_alpha), _straight(source[2], source_alpha),
    )  # fmt: skip
    dr, dg, db = (
        _straight(target[0], target_alpha), _straight(target[1], target_alpha), _straight(target[2], target_alpha),
    )  # fmt: skip
    if code < _HUE:
        red, green, blue = _mixed(code, sr, dr), _mixed(code, sg, dg), _mixed(code, sb, db)
    elif code == _HUE:
        red, green, blue = _with_saturation(sr, sg, sb, _saturation(dr, dg, db), _luminosity(dr, dg, db))
    elif code == _SATURATION:
        red, green, blue = _with_saturation(dr, dg, db, _saturation(sr, sg, sb), _luminosity(dr, dg, db))
    elif code == _COLOR:
        red, green, blue = _with_luminosity(sr, sg, sb, _luminosity(dr, dg, db))
    else:
        red, green, blue = _with_luminosity(dr, dg, db, _luminosity(sr, sg, sb))
    both = source_alpha * target_alpha
    source_alone, target_alone = source_alpha * (_ONE - target_alpha), target_alpha * (_ONE - source_alpha)
    result[0] = (red * both + sr * source_alone) + dr * target_alone
    result[1] = (green * both + sg * source_alone) + dg * target_alone
    result[2] = (blue * both + sb * source_alone) + db * target_alone
    result[3] = source_alpha + target_alone
