"""Texture look-ups: the many spellings of texture functions to one instruction."""

from __future__ import annotations

import re
from typing import Any, Final

from replay.glsl.builder import Builder
from replay.glsl.ir import Instr, TextureRef
from replay.glsl.texturing import Dimension, Lookup, LookupKind, ResultKind
from replay.glsl.types import Base, Dim, SamplerType, vector

__all__ = ["emit_texture", "sampler_traits"]

_DIMENSIONS: Final = {
    Dim.D1: (Dimension.D1, False),
    Dim.D2: (Dimension.D2, False),
    Dim.D3: (Dimension.D3, False),
    Dim.CUBE: (Dimension.CUBE, False),
    Dim.CUBE_ARRAY: (Dimension.CUBE, True),
    Dim.RECT: (Dimension.RECT, False),
    Dim.D1_ARRAY: (Dimension.D1, True),
    Dim.D2_ARRAY: (Dimension.D2, True),
    Dim.BUFFER: (Dimension.BUFFER, False),
    Dim.D2_MS: (Dimension.MULTISAMPLE, False),
    Dim.D2_MS_ARRAY: (Dimension.MULTISAMPLE, True),
    Dim.EXTERNAL: (Dimension.EXTERNAL, False),
}
_RESULTS: Final = {Base.FLOAT: ResultKind.FLOAT, Base.INT: ResultKind.INT, Base.UINT: ResultKind.UINT}
_NAME: Final = re.compile(
    r"(?:texture|shadow)(?:1D|2D|3D|Cube)?(?:Rect)?(?:Array)?(Proj)?(Lod|Grad)?(Offset)?(?:EXT|ARB)?"
)


def sampler_traits(type: SamplerType) -> tuple[Dimension, bool, ResultKind, bool]:
    """Give (dimension, array, result, shadow) of a sampler type."""
    dimension, is_array = _DIMENSIONS[type.dim]
    return dimension, is_array, _RESULTS[type.base], type.shadow


def emit_texture(
    build: Builder, name: str, sampler: SamplerType, slot: int, args: list[Any], is_fragment: bool
) -> Instr:
    """Emit one look-up.

    Parameters
    ----------
    name : of the function
    slot : of the sampler
    args : behind the sampler
    """
    dimension, is_array, result, shadow = sampler_traits(sampler)
    operands: list[Instr] = []
    roles: list[str] = []
    offset = (0, 0, 0)

    def role(label: str, value: Instr) -> None:
        roles.append(label)
        operands.append(value)

    num_coords = dimension.num_coords
    texel = vector(sampler.base, 4)
    if name == "textureSize":
        if args:
            role("lod", args[0])
        width = {Dimension.D1: 1, Dimension.BUFFER: 1, Dimension.D3: 3}.get(dimension, 2) + is_array
        kind, texel = LookupKind.SIZE, vector(Base.INT, width)
        lookup = Lookup(-1, slot, kind, dimension, is_array, False, ResultKind.INT, offset, is_fragment)
        return build.texture(TextureRef(lookup, tuple(roles)), texel, tuple(operands))
    coords: Instr = args[0]
    rest = list(args[1:])
    if name.startswith("texelFetch"):
        role("coords", build.swizzle(coords, tuple(range(num_coords))))
        if is_array:
            role("layer", build.swizzle(coords, (num_coords,)))
        if dimension not in (Dimension.RECT, Dimension.BUFFER):
            role("lod", rest.pop(0))
        if rest:
            offset = _offset(rest[0])
        lookup = Lookup(-1, slot, LookupKind.FETCH, dimension, is_array, False, result, offset, is_fragment)
        return build.texture(TextureRef(lookup, tuple(roles)), texel, tuple(operands))
    if name.startswith("textureGather"):
        return _gather(build, name, sampler, slot, args, is_fragment)
    match = _NAME.fullmatch(name)
    assert match is not None, name
    proj, how, with_offset = match.groups()
    role("coords", build.swizzle(coords, tuple(range(num_coords))))
    if is_array:
        role("layer", build.swizzle(coords, (num_coords,)))
    if shadow:
        # The reference is the component behind coordinates and layer, never before the third; an argument of its own
        # where these take all four.
        place = max(num_coords + is_array, 2)
        role("compare", build.swizzle(coords, (place,)) if place < 4 else rest.pop(0))
    if proj:
        divisor = build.swizzle(coords, (coords.type.width - 1,))
        if not (divisor.op == "const" and divisor.attr == (1.0,)):
            role("q", divisor)
    kind = LookupKind.IMPLICIT
    if how == "Lod":
        kind = LookupKind.LOD
        role("lod", rest.pop(0))
    elif how == "Grad":
        kind = LookupKind.GRAD
        role("ddx", rest.pop(0))
        role("ddy", rest.pop(0))
    if with_offset:
        offset = _offset(rest.pop(0))
    if rest:
        kind = LookupKind.BIAS
        role("lod", rest.pop(0))
    lookup = Lookup(-1, slot, kind, dimension, is_array, shadow, result, offset, is_fragment)
    value = build.texture(TextureRef(lookup, tuple(roles)), vector(Base.FLOAT, 1) if shadow else texel, tuple(operands))
    if shadow and name.startswith("shadow") and not name.endswith("EXT"):
        return build.vec([build.splat(value, 3), build.float_constant(1.0)])
    return value


def _gather(build: Builder, name: str, sampler: SamplerType, slot: int, args: list[Any], is_fragment: bool) -> Instr:
    """``textureGather`` and its kin; with four offsets four look-ups, of each the texel at the lower corner."""
    dimension, is_array, result, shadow = sampler_traits(sampler)
    coords, *rest = args
    num_coords = dimension.num_coords
    operands, roles = [build.swizzle(coords, tuple(range(num_coords)))], ["coords"]
    if is_array:
        operands.append(build.swizzle(coords, (num_coords,)))
        roles.append("layer")
    if shadow:
        operands.append(rest.pop(0))
        roles.append("compare")
    offsets: list[Instr] = [build.constant(vector(Base.INT, 2), (0, 0))]
    if name != "textureGather":
        given = rest.pop(0)
        if isinstance(given, list):
            offsets = given
        elif given.op == "const":
            offsets = [given]
        else:
            operands.append(given)
            roles.append("offset")
    component = int(rest[0].attr[0]) if rest else 0
    found = [
        build.texture(
            TextureRef(
                Lookup(
                    *(-1, slot, LookupKind.GATHER, dimension, is_array, shadow, result),
                    offset=_offset(offset),
                    is_fragment=is_fragment,
                    component=component,
                ),
                tuple(roles),
            ),
            vector(Base.FLOAT if shadow else sampler.base, 4),
            tuple(operands),
        )
        for offset in offsets
    ]
    return found[0] if len(found) == 1 else build.vec([build.swizzle(value, (3,)) for value in found])


def _offset(value: Instr) -> tuple[int, int, int]:
    components = tuple(int(component) for component in value.attr) if value.op == "const" else (0,)
    padded = (*components, 0, 0)
    return padded[0], padded[1], padded[2]
