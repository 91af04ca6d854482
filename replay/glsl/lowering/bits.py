"""Built-in functions of ESSL 3.10, ESSL 3.20 and GLSL 4.00 on bits and fused products, in operations that exist.

GLSL ES 3.20 §8.3 and §8.8. A fused product is a product and a sum, as in Mesa's llvmpipe.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from replay.glsl.builder import Builder
from replay.glsl.ir import Instr
from replay.glsl.lowering.values import compare
from replay.glsl.types import Base, vector

__all__ = ["BIT_FUNCTIONS"]


def _constant(build: Builder, like: Instr, value: int) -> Instr:
    type_ = like.type
    if type_.base == Base.INT and value >= 1 << 31:
        value -= 1 << 32
    return build.constant(type_, (value,) * type_.width)


def _as(build: Builder, value: Instr, base: Base) -> Instr:
    return value if value.type.base == base else build.op("bitcast", value, type=vector(base, value.type.width))


def _like(build: Builder, scalar: Instr, like: Instr) -> Instr:
    """Scalar integer in each component of a value's type."""
    width = like.type.width
    return _as(build, build.swizzle(scalar, (0,) * width) if width > 1 else scalar, like.type.base)


def _extract(build: Builder, a: list[Any]) -> Instr:
    value, offset, bits = a[0], _like(build, a[1], a[0]), _like(build, a[2], a[0])
    unused = build.op("isub", _constant(build, value, 32), bits)
    up = build.op("ishl", value, build.op("isub", unused, offset))
    down = build.op("ushr" if value.type.base == Base.UINT else "ishr", up, unused)
    zero = _constant(build, value, 0)
    return build.op("select", compare(build, "==", bits, zero), zero, down)


def _insert(build: Builder, a: list[Any]) -> Instr:
    value, new, offset, bits = a[0], a[1], _like(build, a[2], a[0]), _like(build, a[3], a[0])
    one, ones = _constant(build, value, 1), _constant(build, value, 0xFFFFFFFF)
    low = build.op("isub", build.op("ishl", one, bits), one)
    whole = compare(build, "==", bits, _constant(build, value, 32))
    mask = build.op("ishl", build.op("select", whole, ones, low), offset)
    kept = build.op("iand", value, build.op("inot", mask))
    return build.op("ior", kept, build.op("iand", build.op("ishl", new, offset), mask))


def _swapped(build: Builder, value: Instr, mask: int, distance: int) -> Instr:
    step, kept = _constant(build, value, distance), _constant(build, value, mask)
    down = build.op("iand", build.op("ushr", value, step), kept)
    return build.op("ior", down, build.op("ishl", build.op("iand", value, kept), step))


def _reverse(build: Builder, a: list[Any]) -> Instr:
    value = _as(build, a[0], Base.UINT)
    for mask, distance in ((0x55555555, 1), (0x33333333, 2), (0x0F0F0F0F, 4), (0x00FF00FF, 8), (0x0000FFFF, 16)):
        value = _swapped(build, value, mask, distance)
    return _as(build, value, a[0].type.base)


def _count_bits(build: Builder, value: Instr) -> Instr:
    """Number of ones of unsigned integers, as signed ones: sums in ever wider fields."""

    def fields(value: Instr, mask: int, distance: int) -> Instr:
        kept = _constant(build, value, mask)
        upper = build.op("iand", build.op("ushr", value, _constant(build, value, distance)), kept)
        return build.op("iadd", build.op("iand", value, kept), upper)

    for mask, distance in ((0x55555555, 1), (0x33333333, 2), (0x0F0F0F0F, 4), (0x00FF00FF, 8), (0x0000FFFF, 16)):
        value = fields(value, mask, distance)
    return _as(build, value, Base.INT)


def _lowest(build: Builder, a: list[Any]) -> Instr:
    value = _as(build, a[0], Base.UINT)
    # Below the lowest one all bits are zeros: of zero all 32, which is told apart.
    below = build.op("iand", build.op("inot", value), build.op("isub", value, _constant(build, value, 1)))
    number = _count_bits(build, below)
    none = compare(build, "==", value, _constant(build, value, 0))
    return build.op("select", none, _constant(build, number, 0xFFFFFFFF), number)


def _highest(build: Builder, a: list[Any]) -> Instr:
    value = a[0]
    if value.type.base == Base.INT:
        negative = compare(build, "<", value, _constant(build, value, 0))
        value = _as(build, build.op("select", negative, build.op("inot", value), value), Base.UINT)
    for distance in (1, 2, 4, 8, 16):
        value = build.op("ior", value, build.op("ushr", value, _constant(build, value, distance)))
    number = _count_bits(build, value)
    return build.op("isub", number, _constant(build, number, 1))


def _scale_by_power(build: Builder, a: list[Any]) -> Instr:
    """Multiply by 2^exponent in two steps, each of which is a power that a float can hold."""
    value: Instr = a[0]
    exponent: Instr = a[1]
    exponent = build.op(
        "imax",
        build.op("imin", exponent, _constant(build, exponent, 254)),
        build.op("ineg", _constant(build, exponent, 252)),
    )
    half = build.op("ishr", exponent, _constant(build, exponent, 1))
    for part in (half, build.op("isub", exponent, half)):
        biased = build.op("iadd", part, _constant(build, part, 127))
        power = build.op("ishl", biased, _constant(build, part, 23))
        value = build.op("fmul", value, _as(build, power, Base.FLOAT))
    return value


BIT_FUNCTIONS: Final[dict[str, Callable[[Builder, list[Any]], Instr]]] = {
    "fma": lambda b, a: b.op("fadd", b.op("fmul", a[0], a[1]), a[2]),
    "bitfieldExtract": _extract,
    "bitfieldInsert": _insert,
    "bitfieldReverse": _reverse,
    "bitCount": lambda b, a: _count_bits(b, _as(b, a[0], Base.UINT)),
    "findLSB": _lowest,
    "findMSB": _highest,
    "ldexp": _scale_by_power,
}
