"""One texture instruction, written over vectors of lanes: the code that both executors run.

Formats of eight bits a channel under repeat and clamp-to-edge are filtered as Mesa's llvmpipe does it: in fixed
point, with eight-bit weights, rounding each blend to eight bits (``SamplerKey``s for which
:func:`~replay.texture.texels.is_packed` holds). All others are filtered in float32. Depth comparisons are made a
texel and their results filtered.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from replay.formats import Storage
from replay.glsl.texturing import Dimension, LineBox, Lookup, LookupKind, ResultKind, TextureOperands
from replay.glsl.vectorops import Mask, Vec, VectorOps
from replay.texture import ellipse, lod
from replay.texture.binding import Mip, SamplerKey
from replay.texture.coordinates import wrapped_integer
from replay.texture.filters import Filter
from replay.texture.memory import TexelMemory

__all__ = ["Sampled", "sample"]


@dataclass(slots=True)
class Sampled:
    """What a texture instruction gives.

    Parameters
    ----------
    rgba : four vectors, float or integer
    lines : line of each tap, NO_LINE in lanes that have no such tap; empty unless recording
    texels : texels that each lane reads (integer vector)
    lod : level of detail that was used (float vector), None where none was needed
    boxes : the lines once more, if they are nothing but boxes
    """

    rgba: tuple[Vec, Vec, Vec, Vec]
    lines: list[Vec] = field(default_factory=list)
    texels: Vec = 0
    lod: Vec | None = None
    boxes: list[LineBox] = field(default_factory=list)


def _black(ops: VectorOps, lookup: Lookup) -> tuple[Vec, Vec, Vec, Vec]:
    """Opaque black of the sampler's component type; a failed comparison for shadow samplers."""
    if lookup.result is not ResultKind.FLOAT:
        return ops.iconst(0), ops.iconst(0), ops.iconst(0), ops.iconst(1)
    zero = ops.fconst(0.0)
    return zero, zero, zero, zero if lookup.is_shadow else ops.fconst(1.0)


def _size(
    ops: VectorOps, memory: TexelMemory, key: SamplerKey, lookup: Lookup, operands: TextureOperands
) -> tuple[Vec, Vec, Vec, Vec]:
    zero = ops.iconst(0)
    step = zero
    if operands.lod is not None:
        step = ops.imax(zero, ops.imin(operands.lod, memory.integer("last")))
    num_coords = 2 if lookup.dimension is Dimension.CUBE else lookup.dimension.num_coords
    names = ("width", "height", "depth")[:num_coords]
    sizes = [ops.imax(ops.lshr(memory.integer(name), step), ops.iconst(1)) for name in names]
    if lookup.is_array:
        sizes.append(memory.integer("depth"))
    sizes += [zero] * (4 - len(sizes))
    return sizes[0], sizes[1], sizes[2], sizes[3]


def _fetched(sampler: Filter, operands: TextureOperands) -> Sampled:
    """texelFetch: zero outside of the texture, as robust access has it."""
    ops, memory, key = sampler.ops, sampler.memory, sampler.key
    zero = ops.iconst(0)
    inside: Mask | None = None
    step = None
    sample_number = None
    if key.dimension is Dimension.MULTISAMPLE:
        sample_number = operands.lod
    elif operands.lod is not None and key.dimension is not Dimension.RECT:
        step = ops.imax(zero, ops.imin(operands.lod, memory.integer("last")))
        inside = ops.ieq(step, operands.lod)
    level = sampler.level(step)
    numbers: list[Vec] = []
    for coordinate, size, offset in zip(
        operands.coords, (level.width, level.height, level.depth), sampler.lookup.offset, strict=False
    ):
        moved = ops.iadd(coordinate, ops.iconst(offset)) if offset else coordinate
        number, here = wrapped_integer(ops, moved, size)
        numbers.append(number)
        inside = sampler.both(inside, here)
    z = numbers[2] if len(numbers) == 3 else operands.layer if key.is_array else None
    if z is not None and len(numbers) < 3:
        z, here = wrapped_integer(ops, z, level.depth)
        inside = sampler.both(inside, here)
    if sample_number is not None:
        samples = ops.iadd(memory.integer("last"), ops.iconst(1))
        number, here = wrapped_integer(ops, sample_number, samples)
        inside = sampler.both(inside, here)
        z = number if z is None else ops.iadd(ops.imul(z, samples), number)
    index = level.offset
    if z is not None:
        index = ops.iadd(index, ops.imul(ops.imul(z, level.height), level.width))
    y = numbers[1] if len(numbers) > 1 else None
    if y is not None:
        index = ops.iadd(index, ops.imul(y, level.width))
    values = sampler.texel(ops.iadd(index, numbers[0]))
    outside = sampler.zeros()
    rgba = sampler.swizzled(
        values if inside is None else [ops.select(inside, a, b) for a, b in zip(values, outside, strict=True)]
    )
    lines = []
    if sampler.record:
        lines = [sampler.line(sampler.column(level, numbers[0]), sampler.row(level, y, z), inside)]
    texels = ops.iconst(1) if inside is None else ops.select(inside, ops.iconst(1), zero)
    return Sampled(rgba, lines, texels)


def _kinds_agree(key: SamplerKey, lookup: Lookup) -> bool:
    """Whether the sampler's component type and dimension are those of the texture (else results are undefined).

    Integers are read with either sign, as Mesa reads them: what is one of a signed format keeps its sign's bits.
    """
    is_integer = key.storage in (Storage.INT, Storage.UINT)
    dimension = Dimension.D2 if lookup.dimension is Dimension.EXTERNAL else lookup.dimension
    agrees = is_integer == (lookup.result is not ResultKind.FLOAT)
    return agrees and key.dimension is dimension and key.is_array == lookup.is_array


def sample(
    ops: VectorOps,
    memory: TexelMemory,
    key: SamplerKey,
    lookup: Lookup,
    operands: TextureOperands,
    *,
    record: bool = False,
) -> Sampled:
    """Execute (or write the code of) one texture instruction.

    Parameters
    ----------
    ops, memory : of an executor
    key : static half of the binding
    lookup, operands : the instruction
    record : also compute the lines of memory that are touched
    """
    is_size = lookup.kind is LookupKind.SIZE
    if key.dimension is None or not (is_size or _kinds_agree(key, lookup)):
        if is_size:
            zero = ops.iconst(0)
            return Sampled((zero, zero, zero, zero), texels=zero)
        return Sampled(_black(ops, lookup), texels=ops.iconst(0))
    if is_size:
        return Sampled(_size(ops, memory, key, lookup, operands), texels=ops.iconst(0))
    sampler = (key.filter_class() or Filter)(ops, memory, key, lookup, operands, record)
    if lookup.kind is LookupKind.FETCH:
        return _fetched(sampler, operands)
    if lookup.kind is LookupKind.GATHER:
        corners, touched = sampler.gathered()
        low_low, high_low, low_high, high_high = (sampler.swizzled(values)[lookup.component] for values in corners)
        return Sampled((low_high, high_high, high_low, low_low), touched, ops.iconst(4))
    has_gradients = lookup.is_fragment or lookup.kind is LookupKind.GRAD
    if key.dimension is Dimension.CUBE:
        has_gradients = lookup.is_fragment and lookup.kind is not LookupKind.GRAD
    needed = key.mip is not Mip.NONE or key.min_linear != key.mag_linear
    if key.elliptic and has_gradients:
        lines, texels = [], ops.iconst(0)
        if record and key.anisotropy > 1 and lookup.kind is not LookupKind.LOD:
            lines, texels = sampler.probes(operands)
        elif record:
            touched = sampler.filtered(lod.level_of_detail(ops, memory, key, lookup, operands) if needed else None)
            lines, texels = touched.lines, touched.texels
        values, detail = ellipse.averaged(sampler, lookup, operands)
        sampler.packed = False
        return Sampled(sampler.swizzled(values), lines, texels, detail)
    detail = lod.level_of_detail(ops, memory, key, lookup, operands) if needed else None
    found = sampler.filtered(detail)
    return Sampled(sampler.swizzled(found.values), found.lines, found.texels, detail, found.boxes)
