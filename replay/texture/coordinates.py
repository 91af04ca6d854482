"""From texture coordinates to texel numbers along one axis: wrap modes, and the positions that filters need.

Written over :class:`replay.glsl.vectorops.VectorOps`, so both executors compute the same bits. Every result is a valid
texel number (0 .. size-1) for any coordinate, NaN and infinity included.

Two arithmetics, as in Mesa's llvmpipe: *fixed* positions with eight bits of fraction for formats of eight bits a
channel under repeat and clamp-to-edge, float positions for everything else (ES 3.0.6 §3.8.10.2 leaves the precision
open).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from replay.glsl.vectorops import Mask, Vec, VectorOps
from replay.texture.binding import Wrap
from replay.texture.memory import TexelMemory

__all__ = ["Pair", "fixed_pair", "float_pair", "is_simple", "mirrored_pair", "nearest", "wrapped_integer"]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbouring texels along an axis.

    Parameters
    ----------
    low, high : texel numbers
    weight : of ``high``: integer 0..255 (fixed) or float 0..1
    low_inside, high_inside : False where the texel is the border; None = always inside
    """

    low: Vec
    high: Vec
    weight: Vec
    low_inside: Mask | None = None
    high_inside: Mask | None = None


def is_simple(wrap: Wrap) -> bool:
    """Whether fixed positions exist for the wrap mode."""
    return wrap in (Wrap.REPEAT, Wrap.CLAMP_TO_EDGE)


def _unit(ops: VectorOps, value: Vec) -> Vec:
    """Clamp to 0..1; NaN gives 1 or 0, but a number."""
    return ops.fmax(ops.fconst(0.0), ops.fmin(ops.fconst(1.0), value))


def _fraction(ops: VectorOps, value: Vec) -> Vec:
    """Distance to the next smaller integer, in 0..1; 0 for NaN and infinity."""
    fraction = ops.fsub(value, ops.ffloor(value))
    return ops.fmax(ops.fconst(0.0), fraction)


def _mirrored(ops: VectorOps, value: Vec) -> Vec:
    """Triangle wave of period 2 in 0..1, in llvmpipe's arithmetic; 0 for NaN and infinity."""
    half = ops.fmul(value, ops.fconst(0.5))
    away = ops.fsub(half, ops.frint(half))
    return ops.fmax(ops.fconst(0.0), ops.fabs(ops.fadd(away, away)))


def _folded(ops: VectorOps, wrap: Wrap, coordinate: Vec) -> Vec:
    """Coordinate brought into 0..1 by wrap modes without a border."""
    if wrap is Wrap.REPEAT:
        return _fraction(ops, coordinate)
    if wrap is Wrap.MIRRORED_REPEAT:
        return _mirrored(ops, coordinate)
    if wrap is Wrap.MIRROR_CLAMP_TO_EDGE:
        return _unit(ops, ops.fabs(coordinate))
    return _unit(ops, coordinate)


def _bounded(ops: VectorOps, value: Vec, low: float, high: Vec) -> Vec:
    return ops.fmax(ops.fconst(low), ops.fmin(high, value))


def _position(ops: VectorOps, wrap: Wrap, coordinate: Vec, size: Vec, normalized: bool) -> Vec:
    """Position in texels, 0 .. size; of border clamps -1 .. size + 1."""
    if wrap is Wrap.CLAMP_TO_BORDER:
        scaled = ops.fmul(coordinate, size) if normalized else coordinate
        return _bounded(ops, scaled, -1.0, ops.fadd(size, ops.fconst(1.0)))
    if not normalized:
        return _bounded(ops, coordinate, 0.0, size)
    return ops.fmul(_folded(ops, wrap, coordinate), size)


def nearest(
    ops: VectorOps, memory: TexelMemory, wrap: Wrap, coordinate: Vec, size: Vec, normalized: bool = True
) -> tuple[Vec, Mask | None]:
    """Texel under the coordinate.

    Parameters
    ----------
    size : texels along the axis (integer)

    Returns
    -------
    texel number, and where it is inside (None = everywhere)
    """
    position = _position(ops, wrap, coordinate, ops.itof(size), normalized)
    last = ops.isub(size, ops.iconst(1))
    if wrap is not Wrap.CLAMP_TO_BORDER:
        return ops.imin(memory.truncate(position), last), None
    number = memory.truncate(ops.ffloor(position))
    clamped = ops.imax(ops.iconst(0), ops.imin(number, last))
    return clamped, ops.ieq(clamped, number)


def fixed_pair(ops: VectorOps, memory: TexelMemory, wrap: Wrap, coordinate: Vec, size: Vec) -> Pair:
    """Texels around a coordinate with an eight-bit weight; ``wrap`` is simple, coordinates are normalised."""
    scaled = ops.fmul(_folded(ops, wrap, coordinate), ops.itof(ops.shl(size, ops.iconst(8))))
    position = ops.isub(memory.truncate(ops.frint(scaled)), ops.iconst(128))
    low = ops.ashr(position, ops.iconst(8))
    weight = ops.iand(position, ops.iconst(255))
    return _neighbours(ops, wrap, low, size, weight)


def _neighbours(ops: VectorOps, wrap: Wrap, low: Vec, size: Vec, weight: Vec) -> Pair:
    """Pair from the lower texel number, -1 .. size."""
    last = ops.isub(size, ops.iconst(1))
    high = ops.iadd(low, ops.iconst(1))
    if wrap is Wrap.REPEAT:
        wrapped_low = ops.select(ops.ilt(low, ops.iconst(0)), last, low)
        return Pair(wrapped_low, ops.select(ops.ilt(last, high), ops.iconst(0), high), weight)
    if wrap in (Wrap.CLAMP_TO_BORDER, Wrap.CLAMP):
        clamped_low = ops.imax(ops.iconst(0), ops.imin(low, last))
        clamped_high = ops.imax(ops.iconst(0), ops.imin(high, last))
        return Pair(clamped_low, clamped_high, weight, ops.ieq(clamped_low, low), ops.ieq(clamped_high, high))
    return Pair(ops.imax(low, ops.iconst(0)), ops.imin(high, last), weight)


def float_pair(
    ops: VectorOps, memory: TexelMemory, wrap: Wrap, coordinate: Vec, size: Vec, normalized: bool = True
) -> Pair:
    """Texels around a coordinate with a float weight."""
    position = ops.fsub(_position(ops, wrap, coordinate, ops.itof(size), normalized), ops.fconst(0.5))
    base = ops.ffloor(position)
    return _neighbours(ops, wrap, memory.truncate(base), size, ops.fsub(position, base))


def mirrored_pair(ops: VectorOps, memory: TexelMemory, wrap: Wrap, coordinate: Vec, size: Vec) -> Pair:
    """Texels around a coordinate in its own order, which a mirror turns round: for gathers. Without weight."""
    length, half = ops.itof(size), ops.fconst(0.5)
    base = ops.ffloor(ops.fsub(ops.fmul(coordinate, length), half))
    numbers = []
    for step in (0.0, 1.0):
        place = ops.fadd(base, ops.fconst(step))
        if wrap is Wrap.MIRRORED_REPEAT:
            period = ops.fadd(length, length)
            place = ops.fsub(place, ops.fmul(period, ops.ffloor(ops.fdiv(place, period))))
            place = ops.fmin(place, ops.fsub(ops.fsub(period, ops.fconst(1.0)), place))
        else:
            place = ops.fsub(ops.fabs(ops.fadd(place, half)), half)
        numbers.append(memory.truncate(_bounded(ops, place, 0.0, ops.fsub(length, ops.fconst(1.0)))))
    return Pair(numbers[0], numbers[1], None)


def wrapped_integer(ops: VectorOps, value: Vec, size: Vec) -> tuple[Vec, Mask]:
    """Texel number of texelFetch: clamped, and where it was inside."""
    clamped: Any = ops.imax(ops.iconst(0), ops.imin(value, ops.isub(size, ops.iconst(1))))
    return clamped, ops.ieq(clamped, value)
