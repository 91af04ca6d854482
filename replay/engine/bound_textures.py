"""Textures that a program's samplers refer to when it draws, with the code that is made for them."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from replay.engine.draw_records import BoundProgram
from replay.engine.programs import LinkedProgram
from replay.engine.stages import BoundTextures
from replay.texture.binding import Binding, Rules, bind, unbound
from replay.texture.storage import Chain, TextureMemory
from traceformat.gles import enums as gl
from traceformat.gles.objects import Executable, ProgramObject, Sampling, Texture
from traceformat.gles.state import Context

__all__ = ["bind_textures"]

#: Sets of textures of a program that are kept.
_MAX_BOUNDS: Final = 256


def bind_textures(
    memory: TextureMemory,
    context: Context,
    linked: LinkedProgram,
    program: ProgramObject,
    executable: Executable,
    *,
    from_window: bool,
) -> BoundProgram:
    """Bind what the samplers refer to now; the same object as long as that is the same.

    Parameters
    ----------
    memory : textures
    linked, program, executable : whose samplers
    from_window : level of detail is that of draws to a window, see :class:`~replay.texture.binding.Rules`
    """
    units = linked.sampler_units(executable) if linked.samplers else []
    state = _state_of(context, linked, program, units, from_window=from_window)
    recent: BoundProgram | None = linked.recent.get(state)
    if recent is not None and recent.executable is executable:
        return recent
    textures: list[Texture | None] = []
    samplings: list[Sampling | None] = []
    bindings: list[Binding] = []
    parts: list[Any] = [program]
    is_complete = True
    rules = _rules(
        context.is_gles or gl.GL_TEXTURE_CUBE_MAP_SEAMLESS in context.enabled,
        not context.is_gles and context.config.profile != 1,
        context.is_gles,
        from_window,
    )
    for target, number in zip(linked.samplers, units, strict=True):
        texture: Texture | None = None
        sampling: Sampling | None = None
        binding = unbound()
        if number < len(context.units):
            unit = context.units[number]
            texture = unit.textures.get(target)
            if texture is not None:
                sampling = unit.sampler.state if unit.sampler is not None else texture.sampling
                binding = bind(memory, texture, sampling, rules)
        textures.append(texture)
        samplings.append(sampling)
        bindings.append(binding)
        parts += (number, texture, binding)
        is_complete = is_complete and binding.complete
    # Bindings follow from texture, sampler state and rules, but where the texture is incomplete.
    key = tuple(parts)
    known: BoundProgram | None = linked.bounds.get(key) if is_complete else None
    if known is None or known.executable is not executable:
        known = BoundProgram(linked, program, executable, BoundTextures(bindings), units, textures, samplings)
        if is_complete:
            _make_room(linked)
            linked.bounds[key] = known
            linked.held.update(dict.fromkeys(known.present, bool(known.buffers)))
    if is_complete and all([isinstance(texture.backing, Chain) for texture in known.present]):
        if len(linked.recent) >= _MAX_BOUNDS:
            linked.recent.clear()
        # Textures that were bound for the first time have found their memory.
        linked.recent[_state_of(context, linked, program, units, from_window=from_window)] = known
    return known


def _make_room(linked: LinkedProgram) -> None:
    """Let go of texels of deleted textures, and of old ones of buffers: they are not to stay in memory."""
    # Few programs have any, and some draw with dozens of textures.
    if any([texture.deleted or copied for texture, copied in linked.held.items()]):
        for old in [key for key, bound in linked.bounds.items() if bound.is_over]:
            del linked.bounds[old]
        linked.held = {texture: bool(bound.buffers) for bound in linked.bounds.values() for texture in bound.present}
        # They hold textures, too.
        linked.recent.clear()
    if len(linked.bounds) >= _MAX_BOUNDS:
        linked.bounds.clear()
        linked.held.clear()
        linked.recent.clear()


def _state_of(
    context: Context, linked: LinkedProgram, program: ProgramObject, units: list[int], *, from_window: bool
) -> tuple[Any, ...]:
    """All that the bindings of a program follow from where its textures are complete and have their memory."""
    parts: list[Any] = [context, program, from_window, gl.GL_TEXTURE_CUBE_MAP_SEAMLESS in context.enabled]
    for target, number in zip(linked.samplers, units, strict=True):
        unit = context.units[number] if number < len(context.units) else None
        texture = unit.textures.get(target) if unit is not None else None
        parts += (number, texture)
        if texture is not None:
            parts += (texture.state_version, texture.backing)
        if unit is not None and unit.sampler is not None:
            parts += (unit.sampler, unit.sampler.version)
    return tuple(parts)


@cache
def _rules(seamless: bool, is_luminance: bool, is_unsized_luminance: bool, from_upper: bool) -> Rules:
    return Rules(
        seamless_cubes=seamless,
        depth_is_luminance=is_luminance,
        unsized_depth_is_luminance=is_unsized_luminance,
        from_upper=from_upper,
    )
