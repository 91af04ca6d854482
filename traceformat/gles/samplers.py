"""Sampler objects."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.gles import enums as gl
from traceformat.gles.dispatch import handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.names import generate, is_generated
from traceformat.gles.objects import Sampler
from traceformat.gles.sampling import get_sampling, is_sampling, set_sampling
from traceformat.gles.state import Changes, Context
from traceformat.gles.values import floats, floats_out, ints, ints_out, nearest, uints

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker


def _sampler(tracker: Tracker, context: Context, name: int) -> Sampler:
    """Sampler of a name, made by its first use after glGenSamplers."""
    names = context.group.samplers
    sampler = names.objects.get(name)
    if sampler is None:
        if not is_generated(tracker, names, name):
            raise invalid_operation(f"sampler {name} was not generated")
        sampler = names.objects[name] = Sampler(name, names.serial())
    return sampler


@handles("glGenSamplers", "glCreateSamplers", touches=Changes.TEXTURES)
def gen_samplers(tracker: Tracker, context: Context, count: int, _: object) -> None:
    tracker.outputs["samplers"] = data = generate(
        tracker, context.limits.max_names, context.group.samplers, count, "samplers"
    )
    for name in uints(data, count):
        if name:
            _sampler(tracker, context, name)


@handles("glDeleteSamplers", touches=Changes.TEXTURES)
def delete_samplers(tracker: Tracker, context: Context, count: int, data: object) -> None:
    if count < 0:
        raise invalid_value(f"count {count}")
    for name in uints(data, count):
        sampler = context.group.samplers.remove(name) if name else None
        if sampler is not None:
            sampler.deleted = True
            for unit in context.units:
                if unit.sampler is sampler:
                    unit.sampler = None


@handles("glIsSampler", touches=Changes.TEXTURES)
def is_sampler(tracker: Tracker, context: Context, name: int) -> int:
    return int(name != 0 and context.group.samplers.get(name) is not None)


@handles("glBindSampler", touches=Changes.TEXTURES)
def bind_sampler(tracker: Tracker, context: Context, unit: int, name: int) -> None:
    if not 0 <= unit < len(context.units):
        raise invalid_value(f"texture unit {unit}")
    context.units[unit].sampler = _sampler(tracker, context, name) if name else None


def _set(tracker: Tracker, context: Context, name: int, pname: int, values: tuple[float, ...], *, vector: bool) -> None:
    sampler = _sampler(tracker, context, name)
    if not is_sampling(context, pname):
        raise invalid_enum(f"pname {pname:#x}")
    set_sampling(context, sampler.state, pname, values, vector=vector)
    sampler.version += 1


def _num_values(pname: int) -> int:
    return 4 if pname == gl.GL_TEXTURE_BORDER_COLOR else 1


@handles("glSamplerParameteri", touches=Changes.TEXTURES)
def sampler_parameter_i(tracker: Tracker, context: Context, name: int, pname: int, value: int) -> None:
    _set(tracker, context, name, pname, (value,), vector=False)


@handles("glSamplerParameterf", touches=Changes.TEXTURES)
def sampler_parameter_f(tracker: Tracker, context: Context, name: int, pname: int, value: float) -> None:
    _set(tracker, context, name, pname, (value,), vector=False)


@handles("glSamplerParameteriv", touches=Changes.TEXTURES)
def sampler_parameter_iv(tracker: Tracker, context: Context, name: int, pname: int, data: object) -> None:
    values: tuple[float, ...] = ints(data, _num_values(pname))
    if pname == gl.GL_TEXTURE_BORDER_COLOR:
        values = tuple(value / 2147483647.0 for value in values)
    _set(tracker, context, name, pname, values, vector=True)


@handles("glSamplerParameterfv", touches=Changes.TEXTURES)
def sampler_parameter_fv(tracker: Tracker, context: Context, name: int, pname: int, data: object) -> None:
    _set(tracker, context, name, pname, floats(data, _num_values(pname)), vector=True)


@handles("glSamplerParameterIiv", touches=Changes.TEXTURES)
def sampler_parameter_integer_iv(tracker: Tracker, context: Context, name: int, pname: int, data: object) -> None:
    _set(tracker, context, name, pname, ints(data, _num_values(pname)), vector=True)


@handles("glSamplerParameterIuiv", touches=Changes.TEXTURES)
def sampler_parameter_integer_uiv(tracker: Tracker, context: Context, name: int, pname: int, data: object) -> None:
    _set(tracker, context, name, pname, uints(data, _num_values(pname)), vector=True)


def _get(tracker: Tracker, context: Context, name: int, pname: int) -> tuple[float, ...]:
    sampler = _sampler(tracker, context, name)
    if not is_sampling(context, pname):
        raise invalid_enum(f"pname {pname:#x}")
    return get_sampling(sampler.state, pname)


@handles("glGetSamplerParameteriv", "glGetSamplerParameterIiv", "glGetSamplerParameterIuiv", touches=Changes.TEXTURES)
def get_sampler_parameter_iv(tracker: Tracker, context: Context, name: int, pname: int, _: object) -> None:
    tracker.outputs["params"] = ints_out([nearest(value) for value in _get(tracker, context, name, pname)])


@handles("glGetSamplerParameterfv", touches=Changes.TEXTURES)
def get_sampler_parameter_fv(tracker: Tracker, context: Context, name: int, pname: int, _: object) -> None:
    tracker.outputs["params"] = floats_out(_get(tracker, context, name, pname))
