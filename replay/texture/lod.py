"""Level of detail: from coordinates or gradients to a number of levels (ES 3.0.6 §3.8.10.1).

The specification lets implementations approximate; this follows Mesa's llvmpipe, measured against Mesa 22.3: one
level of detail a quad, from the differences of its first fragment to its right and upper neighbours (in a window,
which Mesa draws upside down, of the first one of the upper row to its right and lower neighbours; cube maps: from the
differences in a fragment's row and column, projected to the face by the quotient rule, one a fragment where it chooses
levels, the first fragment's where it only chooses between two filters); the exact scale factor rho for two and three
dimensions; log2 piecewise linear between powers of two of rho squared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from replay.glsl.texturing import Dimension, Lookup, LookupKind, TextureOperands
from replay.glsl.vectorops import Vec, VectorOps
from replay.texture.binding import Mip, SamplerKey
from replay.texture.memory import TexelMemory

__all__ = ["fast_log2", "level_of_detail", "scaled_differences", "scaled_quad_differences", "squared_length"]


def fast_log2(ops: VectorOps, value: Vec) -> Vec:
    """log2 of positive floats, exact at powers of two and linear between them; a finite number for anything."""
    bits = ops.fbits(value)
    exponent = ops.itof(ops.isub(ops.lshr(bits, ops.iconst(23)), ops.iconst(128)))
    mantissa = ops.ibits(ops.ior(ops.iand(bits, ops.iconst(0x7FFFFF)), ops.iconst(0x3F800000)))
    return ops.fadd(exponent, mantissa)


def _quad_differences(ops: VectorOps, value: Vec, *, from_upper: bool) -> tuple[Vec, Vec]:
    """Differences of a quad's first fragment to its neighbours; ``from_upper``: the first one of the upper row."""
    first = 2 if from_upper else 0
    origin = ops.quad_lane(value, first)
    return ops.fsub(ops.quad_lane(value, first + 1), origin), ops.fsub(ops.quad_lane(value, 2 - first), origin)


def _cube_gradient(ops: VectorOps, direction: tuple[Vec, ...], gradient: list[Vec]) -> list[Vec]:
    """Gradient of the direction scaled to its face, by the quotient rule."""
    x, y, z = (ops.fabs(component) for component in direction)
    largest_xy = ops.fmax(x, y)
    largest = ops.fmax(largest_xy, z)
    signed = [
        ops.select(ops.flt(component, ops.fconst(0.0)), ops.fneg(change), change)
        for component, change in zip(direction, gradient, strict=True)
    ]
    of_largest = ops.select(ops.fle(largest_xy, z), signed[2], ops.select(ops.flt(y, x), signed[0], signed[1]))
    scale = ops.fdiv(ops.fconst(0.5), largest)
    relative = ops.fmul(of_largest, ops.fadd(scale, scale))
    return [
        ops.fmul(ops.fsub(change, ops.fmul(component, relative)), scale)
        for component, change in zip(direction, gradient, strict=True)
    ]


def scaled_differences(
    ops: VectorOps, memory: TexelMemory, key: SamplerKey, lookup: Lookup, operands: TextureOperands
) -> tuple[list[Vec], list[Vec]]:
    """Change of the position, in texels of the base level, towards x and towards y."""
    coords = operands.coords
    is_cube = key.dimension is Dimension.CUBE
    if lookup.kind is LookupKind.GRAD or is_cube:
        along_x, along_y = list(operands.ddx), list(operands.ddy)
        if lookup.kind is not LookupKind.GRAD:
            along_x = [ops.ddx(coordinate) for coordinate in coords]
            along_y = [ops.ddy(coordinate) for coordinate in coords]
        if is_cube:
            along_x, along_y = _cube_gradient(ops, coords, along_x), _cube_gradient(ops, coords, along_y)
    else:
        return scaled_quad_differences(ops, memory, key, coords)
    return _scaled(ops, memory, key, along_x), _scaled(ops, memory, key, along_y)


def scaled_quad_differences(
    ops: VectorOps, memory: TexelMemory, key: SamplerKey, coords: Sequence[Vec]
) -> tuple[list[Vec], list[Vec]]:
    """Change of the coordinates over a quad, of those in a face for cube maps, in texels of the base level."""
    pairs = [_quad_differences(ops, coordinate, from_upper=key.from_upper) for coordinate in coords]
    return (
        _scaled(ops, memory, key, [pair[0] for pair in pairs]),
        _scaled(ops, memory, key, [pair[1] for pair in pairs]),
    )


def _scaled(ops: VectorOps, memory: TexelMemory, key: SamplerKey, changes: list[Vec]) -> list[Vec]:
    if not key.normalized:
        return changes
    fields = ("width",) * 3 if key.dimension is Dimension.CUBE else ("width", "height", "depth")
    return [
        ops.fmul(change, ops.itof(memory.integer(field)))
        for change, field in zip(changes, fields[: len(changes)], strict=True)
    ]


def squared_length(ops: VectorOps, vector: list[Vec]) -> Vec:
    """Sum of squares."""
    total = ops.fmul(vector[0], vector[0])
    for component in vector[1:]:
        total = ops.fadd(total, ops.fmul(component, component))
    return total


def _from_differences(
    ops: VectorOps, memory: TexelMemory, key: SamplerKey, lookup: Lookup, operands: TextureOperands
) -> Vec:
    along_x, along_y = scaled_differences(ops, memory, key, lookup, operands)
    if len(along_x) == 1:
        return fast_log2(ops, ops.fmax(ops.fabs(along_x[0]), ops.fabs(along_y[0])))
    squared = ops.fmax(squared_length(ops, along_x), squared_length(ops, along_y))
    return ops.fmul(fast_log2(ops, squared), ops.fconst(0.5))


def level_of_detail(
    ops: VectorOps,
    memory: TexelMemory,
    key: SamplerKey,
    lookup: Lookup,
    operands: TextureOperands,
    scale: Any = None,
) -> Vec:
    """Level of detail, biased and limited, relative to the base level; 0 and less magnify.

    Parameters
    ----------
    scale : log2 of the scale factor where the caller knows it (anisotropic filtering), else None
    """
    if lookup.kind is LookupKind.LOD:
        lod = operands.lod
    elif lookup.kind is LookupKind.GRAD or lookup.is_fragment:
        lod = scale if scale is not None else _from_differences(ops, memory, key, lookup, operands)
        if key.dimension is Dimension.CUBE and key.mip is Mip.NONE and lookup.kind is LookupKind.IMPLICIT:
            lod = ops.quad_lane(lod, 2 if key.from_upper else 0)
    else:
        lod = ops.fconst(0.0)
    if key.biases_lod:
        lod = ops.fadd(lod, memory.real("lod_bias"))
    if lookup.kind is LookupKind.BIAS:
        lod = ops.fadd(lod, operands.lod)
    if key.clamps_lod:
        lod = ops.fmax(memory.real("min_lod"), ops.fmin(memory.real("max_lod"), lod))
    return lod
