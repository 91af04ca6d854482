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


def _constant(b: Builder, like: Instr, value: int) -> Instr:
    type_ = like.type
    if type_.base == Base.INT and value >= 1 << 31:
        value -= 1 << 32
    return b.constant(type_, (value,) * type_.width)


def _as(b: Builder, value: Instr, base: Base) -> Instr:
    return value if value.type.base == base else b.op("bitcast", value, type=vector(base, value.type.width))


def _like(b: Builder, scalar: Instr, like: Instr) -> Instr:
    """Scalar integer in each component of a value's type."""
    width = like.type.width
    return _as(b, b.swizzle(scalar, (0,) * width) if width > 1 else scalar, like.type.base)


def _extract(b: Builder, a: list[Any]) -> Instr:
    value, offset, bits = a[0], _like(b, a[1], a[0]), _like(b, a[2], a[0])
    unused = b.op("isub", _constant(b, value, 32), bits)
    up = b.op("ishl", value, b.op("isub", unused, offset))
    down = b.op("ushr" if value.type.base == Base.UINT else "ishr", up, unused)
    zero = _constant(b, value, 0)
    return b.op("select", compare(b, "==", bits, zero), zero, down)


def _insert(b: Builder, a: list[Any]) -> Instr:
    value, new, offset, bits = a[0], a[1], _like(b, a[2], a[0]), _like(b, a[3], a[0])
    one, ones = _constant(b, value, 1), _constant(b, value, 0xFFFFFFFF)
    low = b.op("isub", b.op("ishl", one, bits), one)
    whole = compare(b, "==", bits, _constant(b, value, 32))
    mask = b.op("ishl", b.op("select", whole, ones, low), offset)
    kept = b.op("iand", value, b.op("inot", mask))
    return b.op("ior", kept, b.op("iand", b.op("ishl", new, offset), mask))


def _swapped(b: Builder, value: Instr, mask: int, distance: int) -> Instr:
    step, kept = _constant(b, value, distance), _constant(b, value, mask)
    down = b.op("iand", b.op("ushr", value, step), kept)
    return b.op("ior", down, b.op("ishl", b.op("iand", value, kept), step))


def _reverse(b: Builder, a: list[Any]) -> Instr:
    value = _as(b, a[0], Base.UINT)
    for mask, distance in ((0x55555555, 1), (0x33333333, 2), (0x0F0F0F0F, 4), (0x00FF00FF, 8), (0x0000FFFF, 16)):
        value = _swapped(b, value, mask, distance)
    return _as(b, value, a[0].type.base)


def _count_bits(b: Builder, value: Instr) -> Instr:
    """Number of ones of unsigned integers, as signed ones: sums in ever wider fields."""

    def fields(value: Instr, mask: int, distance: int) -> Instr:
        kept = _constant(b, value, mask)
        upper = b.op("iand", b.op("ushr", value, _constant(b, value, distance)), kept)
        return b.op("iadd", b.op("iand", value, kept), upper)

    for mask, distance in ((0x55555555, 1), (0x33333333, 2), (0x0F0F0F0F, 4), (0x00FF00FF, 8), (0x0000FFFF, 16)):
        value = fields(value, mask, distance)
    return _as(b, value, Base.INT)


def _lowest(b: Builder, a: list[Any]) -> Instr:
    value = _as(b, a[0], Base.UINT)
    # Below the lowest one all bits are zeros: of zero all 32, which is told apart.
    below = b.op("iand", b.op("inot", value), b.op("isub", value, _constant(b, value, 1)))
    number = _count_bits(b, below)
    none = compare(b, "==", value, _constant(b, value, 0))
    return b.op("select", none, _constant(b, number, 0xFFFFFFFF), number)


def _highest(b: Builder, a: list[Any]) -> Instr:
    value = a[0]
    if value.type.base == Base.INT:
        negative = compare(b, "<", value, _constant(b, value, 0))
        value = _as(b, b.op("select", negative, b.op("inot", value), value), Base.UINT)
    for distance in (1, 2, 4, 8, 16):
        value = b.op("ior", value, b.op("ushr", value, _constant(b, value, distance)))
    number = _count_bits(b, value)
    return b.op("isub", number, _constant(b, number, 1))


def _scale_by_power(b: Builder, a: list[Any]) -> Instr:
    """Multiply by 2^exponent in two steps, each of which is a power that a float can hold."""
    value: Instr = a[0]
    exponent: Instr = a[1]
    exponent = b.op(
        "imax", b.op("imin", exponent, _constant(b, exponent, 254)), b.op("ineg", _constant(b, exponent, 252))
    )
    half = b.op("ishr", exponent, _constant(b, exponent, 1))
    for part in (half, b.op("isub", exponent, half)):
        biased = b.op("iadd", part, _constant(b, part, 127))
        power = b.op("ishl", biased, _constant(b, part, 23))
        value = b.op("fmul", value, _as(b, power, Base.FLOAT))
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
