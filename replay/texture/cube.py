"""Cube maps: face selection, and texels across edges (ES 3.0.6 §3.8.10, table 3.20; seamless filtering §3.8.10.1)."""

from __future__ import annotations

from replay.glsl.vectorops import Vec, VectorOps

__all__ = ["across_edge", "select_face"]


def _major(ops: VectorOps, direction: tuple[Vec, Vec, Vec]) -> tuple[Vec, Vec, Vec]:
    """Largest magnitude, and masks: z is the major axis, else x (else y). Ties go to z, then y, as in llvmpipe."""
    x, y, z = (ops.fabs(component) for component in direction)
    largest_xy = ops.fmax(x, y)
    z_major = ops.fle(largest_xy, z)
    x_major = ops.flt(y, x)
    return ops.fmax(largest_xy, z), z_major, x_major


def select_face(ops: VectorOps, direction: tuple[Vec, Vec, Vec]) -> tuple[Vec, Vec, Vec]:
    """Face number (+x, -x, +y, -y, +z, -z) and the coordinates 0..1 on it."""
    x, y, z = direction
    largest, z_major, x_major = _major(ops, direction)
    zero = ops.fconst(0.0)
    major = ops.select(z_major, z, ops.select(x_major, x, y))
    negative = ops.flt(major, zero)
    axis = ops.select(z_major, ops.iconst(4), ops.select(x_major, ops.iconst(0), ops.iconst(2)))
    face = ops.ior(axis, ops.select(negative, ops.iconst(1), ops.iconst(0)))
    # (sc, tc): x (-z, -y) / (z, -y); y (x, z) / (x, -z); z (x, -y) / (-x, -y), for positive / negative faces
    from_x = ops.select(negative, z, ops.fneg(z))
    from_z = ops.select(negative, ops.fneg(x), x)
    sc = ops.select(z_major, from_z, ops.select(x_major, from_x, x))
    on_y = ops.mask_not(ops.mask_or(z_major, x_major))
    tc = ops.select(on_y, ops.select(negative, ops.fneg(z), z), ops.fneg(y))
    scale = ops.fdiv(ops.fconst(0.5), largest)
    half = ops.fconst(0.5)
    return face, ops.fadd(ops.fmul(sc, scale), half), ops.fadd(ops.fmul(tc, scale), half)


def across_edge(ops: VectorOps, face: Vec, x: Vec, y: Vec, size: Vec) -> tuple[Vec, Vec, Vec]:
    """Face and texel that lie at (x, y) of a face when x or y (not both) is -1 or ``size``; itself when inside.

    Texel centres are points with odd integer coordinates on a cube of half-edge ``size``; a step over an edge makes
    the stepped axis the major one and leaves the old major axis half a texel below the edge.
    """
    one = ops.iconst(1)
    a = ops.isub(ops.iadd(ops.shl(x, one), one), size)
    b = ops.isub(ops.iadd(ops.shl(y, one), one), size)
    negative_size = ops.isub(ops.iconst(0), size)
    a_out = ops.mask_or(ops.ilt(size, a), ops.ilt(a, negative_size))
    b_out = ops.mask_or(ops.ilt(size, b), ops.ilt(b, negative_size))
    a = ops.imax(negative_size, ops.imin(a, size))
    b = ops.imax(negative_size, ops.imin(b, size))
    reach = ops.select(ops.mask_or(a_out, b_out), ops.isub(size, one), size)

    def minus(value: Vec) -> Vec:
        return ops.isub(ops.iconst(0), value)

    is_negative = ops.ine(ops.iand(face, one), ops.iconst(0))
    axis = ops.lshr(face, one)
    on_x, on_y = ops.ieq(axis, ops.iconst(0)), ops.ieq(axis, one)
    signed_m = ops.select(is_negative, minus(reach), reach)
    signed_a = ops.select(is_negative, minus(a), a)
    # Points of the faces: +-x (+-m, -b, -+a), +-y (a, +-m, +-b), +-z (+-a, -b, +-m)
    px = ops.select(on_x, signed_m, ops.select(on_y, a, signed_a))
    py = ops.select(on_y, signed_m, minus(b))
    pz = ops.select(on_x, minus(signed_a), ops.select(on_y, ops.select(is_negative, minus(b), b), signed_m))

    def reaches(value: Vec) -> Vec:
        return ops.mask_or(ops.ieq(value, size), ops.ieq(value, negative_size))

    to_x, to_y = reaches(px), reaches(py)
    major = ops.select(to_x, px, ops.select(to_y, py, pz))
    below = ops.ilt(major, ops.iconst(0))
    new_axis = ops.select(to_x, ops.iconst(0), ops.select(to_y, ops.iconst(2), ops.iconst(4)))
    new_face = ops.ior(new_axis, ops.select(below, one, ops.iconst(0)))
    new_a = ops.select(to_x, ops.select(below, pz, minus(pz)), ops.select(to_y, px, ops.select(below, minus(px), px)))
    on_new_y = ops.mask_and(ops.mask_not(to_x), to_y)
    new_b = ops.select(on_new_y, ops.select(below, minus(pz), pz), minus(py))
    new_x = ops.ashr(ops.isub(ops.iadd(new_a, size), one), one)
    new_y = ops.ashr(ops.isub(ops.iadd(new_b, size), one), one)
    return new_face, new_x, new_y
