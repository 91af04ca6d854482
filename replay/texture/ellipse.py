"""Anisotropic filtering as Mesa's llvmpipe does it: an elliptical weighted average over texels.

Heckbert, "Fundamentals of Texture Mapping and Image Warping" (1989), p. 59: a fragment's footprint is an ellipse,
widened by a texel; the texels of one level that lie in it are weighted by a Gaussian of their elliptical distance.
The level is that of the *shorter* side. Mesa 22.3, against which this was checked, ignores the sampler's limit and
lets the longer side grow without bound; here it ends at :data:`MAX_RATIO` times the shorter one. As there, it replaces
every filter of a sampler whose limit is above one: nearest ones, those without levels (of the base level then), and
look-ups that name a level. The ellipse lies in a face of a cube map, and in the nearest slice of a volume.

The letters are Heckbert's: the ellipse is ``a`` u^2 + ``b`` u v + ``c`` v^2 = ``f``.

What is recorded as read is not this, but what anisotropic hardware reads: ``Filter.probes``.
"""

from __future__ import annotations

from typing import Final

from replay.glsl.texturing import Dimension, Lookup, TextureOperands
from replay.glsl.vectorops import Vec
from replay.texture import cube, lod
from replay.texture.binding import Mip
from replay.texture.filters import Filter
from replay.texture.tables import ELLIPSE_ENTRIES

__all__ = ["MAX_RATIO", "averaged"]

#: Longest side of the footprint, in lengths of the shorter one.
MAX_RATIO: Final = 16
#: Texels on either side of the centre that are looked at, at most: the longest side at the chosen level.
_MAX_REACH: Final = 2.0 * MAX_RATIO + 2.0


def averaged(sampler: Filter, lookup: Lookup, operands: TextureOperands) -> tuple[list[Vec], Vec]:
    """Values of the needed channels, and the level of detail."""
    ops, memory, key = sampler.ops, sampler.memory, sampler.key
    coords, layer = list(sampler.coords), sampler.layer
    if key.dimension is Dimension.CUBE:
        layer, *coords = cube.select_face(ops, (coords[0], coords[1], coords[2]))
        layer = sampler.of_cube(layer)
        along_x, along_y = lod.scaled_quad_differences(ops, memory, key, coords)
    else:
        # Of the two axes that the ellipse lies in; the third one of a volume is read at its nearest texel.
        along_x, along_y = (change[:2] for change in lod.scaled_differences(ops, memory, key, lookup, operands))
    x2, y2 = lod.squared_length(ops, along_x), lod.squared_length(ops, along_y)
    longer, shorter = ops.fmax(x2, y2), ops.fmin(x2, y2)
    shorter = ops.fmax(shorter, ops.fmul(longer, ops.fconst(1.0 / MAX_RATIO**2)))
    scale = ops.fmul(lod.fast_log2(ops, shorter), ops.fconst(0.5))
    detail = lod.level_of_detail(ops, memory, key, lookup, operands, scale)
    limited = sampler.limited(detail)
    step = ops.iconst(0) if key.mip is Mip.NONE else memory.truncate(ops.ffloor(limited))
    level = sampler.level(step)
    # Gradients in texels of the level: times 2 ** -step.
    shrink = ops.ibits(ops.shl(ops.isub(ops.iconst(127), step), ops.iconst(23)))
    ux, vx = (ops.fmul(change, shrink) for change in along_x)
    uy, vy = (ops.fmul(change, shrink) for change in along_y)
    one = ops.fconst(1.0)
    a = ops.fadd(lod.squared_length(ops, [vx, vy]), one)
    b = ops.fmul(ops.fconst(-2.0), ops.fadd(ops.fmul(ux, vx), ops.fmul(uy, vy)))
    c = ops.fadd(lod.squared_length(ops, [ux, uy]), one)
    # The ellipse a u^2 + b u v + c v^2 = f, with f = a c - b^2 / 4, reaches sqrt(c) along u and sqrt(a) along v.
    f = ops.fsub(ops.fmul(a, c), ops.fmul(ops.fmul(b, b), ops.fconst(0.25)))
    reach = [ops.fsqrt(c), ops.fsqrt(a)]
    to_index = ops.fdiv(ops.fconst(ELLIPSE_ENTRIES - 1.0), f)
    a, b, c = (ops.fmul(coefficient, to_index) for coefficient in (a, b, c))
    half = ops.fconst(0.5)
    sizes = [ops.itof(level.width), ops.itof(level.height)]
    centres, starts, counts = [], [], []
    for coordinate, size, extent in zip(coords[:2], sizes, reach, strict=True):
        centre = ops.fsub(ops.fmul(coordinate, size), half)
        bounded = ops.fmin(ops.fconst(_MAX_REACH), extent)
        first = ops.ffloor(ops.fsub(centre, bounded))
        number = ops.fadd(ops.fsub(ops.fceil(ops.fadd(centre, bounded)), first), one)
        centres.append(centre)
        starts.append(first)
        counts.append(ops.fmax(one, ops.fmin(ops.fconst(2.0 * _MAX_REACH + 3.0), number)))
    columns = counts[0]
    steps = memory.truncate(ops.fmul(counts[0], counts[1]))

    def texel(number: Vec) -> tuple[list[Vec], list[Vec]]:
        index = ops.itof(number)
        row = ops.ffloor(ops.fdiv(ops.fadd(index, half), columns))
        u = ops.fadd(starts[0], ops.fsub(index, ops.fmul(row, columns)))
        v = ops.fadd(starts[1], row)
        du, dv = ops.fsub(u, centres[0]), ops.fsub(v, centres[1])
        distance = ops.fadd(ops.fmul(ops.fmul(a, du), du), ops.fmul(ops.fadd(ops.fmul(b, du), ops.fmul(c, dv)), dv))
        inside = ops.flt(distance, ops.fconst(float(ELLIPSE_ENTRIES)))
        bounded = ops.fmax(ops.fconst(0.0), ops.fmin(ops.fconst(ELLIPSE_ENTRIES - 1.0), distance))
        weight = ops.select(inside, memory.ellipse_weight(memory.truncate(bounded)), ops.fconst(0.0))
        place = [ops.fdiv(ops.fadd(number, half), size) for number, size in zip((u, v), sizes, strict=True)]
        taps = sampler.planar(level, False, [*place, *coords[2:]], layer, record=False)
        values = taps.values
        if sampler.packed:
            values = [sampler.octet(values[0], channel) for channel in sampler.channels]
        return [weight, *(ops.fmul(value, weight) for value in values)], []

    sums, _ = memory.accumulate(steps, int((2 * _MAX_REACH + 3) ** 2), texel)
    share = ops.fdiv(one, ops.fmax(ops.fconst(1e-20), sums[0]))
    return [ops.fmul(total, share) for total in sums[1:]], detail
