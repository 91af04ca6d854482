"""The set of vector operations in which the math library and texture filters are written.

Everything that both executors must compute bit by bit alike (transcendental functions, packing, texture
filtering) is written once, as a function over a :class:`VectorOps`, and run either on NumPy arrays
(:class:`replay.glsl.numpyops.NumpyOps`) or as LLVM code (:class:`replay.glsl.llvm.vectors.LlvmOps`).

Values
------
There are three kinds of values, all opaque to the caller and all of the same number of lanes:

* ``Vec`` of IEEE binary32, round to nearest even, subnormals kept, no contraction;
* ``Vec`` of 32-bit integers, wrapping; signedness belongs to the operation (NumPy holds them as int32);
* ``Mask``, one truth value a lane.

No operation has undefined behaviour for any input: conversions saturate, shifts take the low five bits of
the amount, division by zero gives a defined value. The bits of a NaN result are not specified.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

__all__ = ["Mask", "Vec", "VectorOps"]

Vec: TypeAlias = Any
Mask: TypeAlias = Any


class VectorOps(Protocol):
    """Lane-wise operations; ``f...`` on floats, ``i...`` on integers, ``u...`` where signedness matters."""

    # Constants
    def fconst(self, value: float) -> Vec:
        """Float constant in all lanes, rounded to binary32."""

    def iconst(self, value: int) -> Vec:
        """Integer constant in all lanes; any value whose low 32 bits are meant."""

    # Float arithmetic
    def fadd(self, a: Vec, b: Vec) -> Vec:
        """A + b."""
        ...

    def fsub(self, a: Vec, b: Vec) -> Vec:
        """A - b."""
        ...

    def fmul(self, a: Vec, b: Vec) -> Vec:
        """A * b."""
        ...

    def ffused(self, a: Vec, b: Vec, c: Vec) -> Vec:
        """A * b + c, rounded once."""

    def fdiv(self, a: Vec, b: Vec) -> Vec:
        """A / b."""
        ...

    def fneg(self, a: Vec) -> Vec:
        """Flip the sign bit."""

    def fabs(self, a: Vec) -> Vec:
        """Clear the sign bit."""
        ...

    def fsqrt(self, a: Vec) -> Vec:
        """Correctly rounded square root; NaN below zero."""

    def fmin(self, a: Vec, b: Vec) -> Vec:
        """``b < a ? b : a``: a NaN in either operand gives ``a``."""

    def fmax(self, a: Vec, b: Vec) -> Vec:
        """``a < b ? b : a``: a NaN in either operand gives ``a``."""

    def ffloor(self, a: Vec) -> Vec:
        """Round down."""
        ...

    def fceil(self, a: Vec) -> Vec:
        """Round up."""
        ...

    def ftrunc(self, a: Vec) -> Vec:
        """Round towards zero."""
        ...

    def frint(self, a: Vec) -> Vec:
        """Round to the nearest integer, halves to even."""

    # Float comparison: ordered (false for NaN), except fne
    def flt(self, a: Vec, b: Vec) -> Mask:
        """A < b."""
        ...

    def fle(self, a: Vec, b: Vec) -> Mask:
        """A <= b."""
        ...

    def feq(self, a: Vec, b: Vec) -> Mask:
        """A == b."""
        ...

    def fne(self, a: Vec, b: Vec) -> Mask:
        """Unordered not equal: true when either is NaN."""

    # Integer arithmetic, wrapping
    def iadd(self, a: Vec, b: Vec) -> Vec:
        """A + b."""
        ...

    def isub(self, a: Vec, b: Vec) -> Vec:
        """A - b."""
        ...

    def imul(self, a: Vec, b: Vec) -> Vec:
        """A * b."""
        ...

    def idiv(self, a: Vec, b: Vec) -> Vec:
        """Signed quotient towards zero; 0 when ``b`` is 0; INT_MIN / -1 = INT_MIN."""

    def irem(self, a: Vec, b: Vec) -> Vec:
        """``a - idiv(a, b) * b``; 0 when ``b`` is 0 or INT_MIN / -1."""

    def udiv(self, a: Vec, b: Vec) -> Vec:
        """Unsigned quotient; 0 when ``b`` is 0."""

    def urem(self, a: Vec, b: Vec) -> Vec:
        """Unsigned remainder; 0 when ``b`` is 0."""

    def iand(self, a: Vec, b: Vec) -> Vec:
        """Bitwise and."""
        ...

    def ior(self, a: Vec, b: Vec) -> Vec:
        """Bitwise or."""
        ...

    def ixor(self, a: Vec, b: Vec) -> Vec:
        """Bitwise exclusive or."""
        ...

    def inot(self, a: Vec) -> Vec:
        """Bitwise complement."""
        ...

    def shl(self, a: Vec, b: Vec) -> Vec:
        """Shift by the low five bits of ``b``."""

    def lshr(self, a: Vec, b: Vec) -> Vec:
        """Logical shift right by the low five bits of ``b``."""

    def ashr(self, a: Vec, b: Vec) -> Vec:
        """Arithmetic shift right by the low five bits of ``b``."""

    def imin(self, a: Vec, b: Vec) -> Vec:
        """Signed minimum."""
        ...

    def imax(self, a: Vec, b: Vec) -> Vec:
        """Signed maximum."""
        ...

    def umin(self, a: Vec, b: Vec) -> Vec:
        """Unsigned minimum."""
        ...

    def umax(self, a: Vec, b: Vec) -> Vec:
        """Unsigned maximum."""
        ...

    # Integer comparison
    def ilt(self, a: Vec, b: Vec) -> Mask:
        """Signed a < b."""
        ...

    def ile(self, a: Vec, b: Vec) -> Mask:
        """Signed a <= b."""
        ...

    def ieq(self, a: Vec, b: Vec) -> Mask:
        """A == b."""
        ...

    def ine(self, a: Vec, b: Vec) -> Mask:
        """A != b."""
        ...

    def ult(self, a: Vec, b: Vec) -> Mask:
        """Unsigned a < b."""
        ...

    def ule(self, a: Vec, b: Vec) -> Mask:
        """Unsigned a <= b."""
        ...

    # Conversion
    def itof(self, a: Vec) -> Vec:
        """Signed integer to float, rounded to nearest even."""

    def utof(self, a: Vec) -> Vec:
        """Unsigned integer to float, rounded to nearest even."""

    def ftoi(self, a: Vec) -> Vec:
        """Truncate to a signed integer; saturates, NaN gives 0."""

    def ftoi_bounded(self, a: Vec) -> Vec:
        """Truncate a float below 2**31 in magnitude: cheaper than :meth:`ftoi`. For a NaN the result is *any* integer.

        Larger numbers and infinities are not allowed; clamp them first.
        """

    def ftou(self, a: Vec) -> Vec:
        """Truncate to an unsigned integer; saturates (negative gives 0), NaN gives 0."""

    def fbits(self, a: Vec) -> Vec:
        """Bit pattern of a float."""

    def ibits(self, a: Vec) -> Vec:
        """Float with the given bit pattern."""

    # Masks
    def select(self, mask: Mask, a: Vec, b: Vec) -> Vec:
        """``a`` where the mask is set, else ``b``; for floats, integers and masks."""

    def mask_and(self, a: Mask, b: Mask) -> Mask:
        """Both."""
        ...

    def mask_or(self, a: Mask, b: Mask) -> Mask:
        """Either."""
        ...

    def mask_xor(self, a: Mask, b: Mask) -> Mask:
        """One but not both."""
        ...

    def mask_not(self, a: Mask) -> Mask:
        """Complement."""
        ...

    def mask_const(self, value: bool) -> Mask:
        """Truth value in all lanes."""
        ...

    # Quads: lanes 4q .. 4q+3 are the fragments (0,0) (1,0) (0,1) (1,1) of quad q
    def ddx(self, a: Vec) -> Vec:
        """Difference along x within each row of the quad: lane 1 - lane 0, and lane 3 - lane 2."""

    def ddy(self, a: Vec) -> Vec:
        """Difference along y within each column of the quad: lane 2 - lane 0, and lane 3 - lane 1."""

    def quad_lane(self, a: Vec, lane: int) -> Vec:
        """Value of one lane (0-3) of each quad, in all four lanes."""
