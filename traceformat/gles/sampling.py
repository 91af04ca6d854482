"""Sampler state as textures and sampler objects have it: which values it takes, setting and getting."""

from __future__ import annotations

from traceformat.gles import enums as gl
from traceformat.gles.dispatch import invalid_enum, invalid_value
from traceformat.gles.fixed_state import COMPARISONS
from traceformat.gles.objects import Sampling
from traceformat.gles.state import Context
from traceformat.gles.values import nearest

__all__ = ["get_sampling", "is_sampling", "set_sampling"]

_MIN_FILTERS = frozenset(
    {
        gl.GL_NEAREST,
        gl.GL_LINEAR,
        gl.GL_NEAREST_MIPMAP_NEAREST,
        gl.GL_NEAREST_MIPMAP_LINEAR,
        gl.GL_LINEAR_MIPMAP_NEAREST,
        gl.GL_LINEAR_MIPMAP_LINEAR,
    }
)
_WRAPS = frozenset({gl.GL_REPEAT, gl.GL_MIRRORED_REPEAT, gl.GL_CLAMP_TO_EDGE, gl.GL_CLAMP_TO_BORDER})
#: Parameter to field of Sampling, and the values that it takes (None: any number).
_FIELDS: dict[int, tuple[str, frozenset[int] | None]] = {
    gl.GL_TEXTURE_MIN_FILTER: ("min_filter", _MIN_FILTERS),
    gl.GL_TEXTURE_MAG_FILTER: ("mag_filter", frozenset({gl.GL_NEAREST, gl.GL_LINEAR})),
    gl.GL_TEXTURE_WRAP_S: ("wrap_s", _WRAPS),
    gl.GL_TEXTURE_WRAP_T: ("wrap_t", _WRAPS),
    gl.GL_TEXTURE_WRAP_R: ("wrap_r", _WRAPS),
    gl.GL_TEXTURE_COMPARE_MODE: ("compare_mode", frozenset({gl.GL_NONE, gl.GL_COMPARE_REF_TO_TEXTURE})),
    gl.GL_TEXTURE_COMPARE_FUNC: ("compare_func", COMPARISONS),
    gl.GL_TEXTURE_SRGB_DECODE_EXT: ("srgb_decode", frozenset({gl.GL_DECODE_EXT, gl.GL_SKIP_DECODE_EXT})),
    gl.GL_TEXTURE_MIN_LOD: ("min_lod", None),
    gl.GL_TEXTURE_MAX_LOD: ("max_lod", None),
    gl.GL_TEXTURE_LOD_BIAS: ("lod_bias", None),
    gl.GL_TEXTURE_MAX_ANISOTROPY: ("max_anisotropy", None),
}
_DESKTOP_ONLY = frozenset({gl.GL_TEXTURE_LOD_BIAS})


def is_sampling(context: Context, pname: int) -> bool:
    """Whether a texture parameter is sampler state."""
    if pname == gl.GL_TEXTURE_BORDER_COLOR:
        return True
    return pname in _FIELDS and not (context.is_gles and pname in _DESKTOP_ONLY)


def set_sampling(context: Context, state: Sampling, pname: int, values: tuple[float, ...], *, vector: bool) -> None:
    """Set a parameter for which :func:`is_sampling` holds; GL_INVALID_ENUM or GL_INVALID_VALUE for a wrong value."""
    if pname == gl.GL_TEXTURE_BORDER_COLOR:
        if not vector:
            raise invalid_enum("the border colour takes four values")
        red, green, blue, alpha = values[:4]
        state.border_color = (red, green, blue, alpha)
        return
    field, allowed = _FIELDS[pname]
    if allowed is None:
        if pname == gl.GL_TEXTURE_MAX_ANISOTROPY:
            if not values[0] >= 1.0:
                raise invalid_value(f"anisotropy {values[0]}")
            state.max_anisotropy = min(float(values[0]), context.limits.max_texture_max_anisotropy)
        else:
            setattr(state, field, float(values[0]))
        return
    value = nearest(values[0])
    if value not in allowed:
        if value == gl.GL_CLAMP and not context.is_gles and context.config.profile != 1 and allowed is _WRAPS:
            value = gl.GL_CLAMP_TO_EDGE
        else:
            raise invalid_enum(f"value {value:#x} of parameter {pname:#x}")
    setattr(state, field, value)


def get_sampling(state: Sampling, pname: int) -> tuple[float, ...]:
    """Value of a parameter for which :func:`is_sampling` holds."""
    if pname == gl.GL_TEXTURE_BORDER_COLOR:
        return state.border_color
    return (getattr(state, _FIELDS[pname][0]),)
