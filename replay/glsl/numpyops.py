"""The NumPy side of :class:`replay.glsl.vectorops.VectorOps`: arrays of float32, int32 and bool.

Call inside ``np.errstate(all="ignore")``: divisions by zero, overflow and NaN are part of the language.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["NumpyOps"]

_F: Final = np.float32
_I: Final = np.int32
_U: Final = np.uint32
_INT_MIN: Final = np.int32(-(1 << 31))
_INT_MAX: Final = np.int32((1 << 31) - 1)

Array = NDArray[Any]


def _u(a: Array) -> Array:
    return a.view(_U)


class NumpyOps:
    """Lane-wise operations on arrays of any (broadcastable) shape; stateless."""

    # ------------------------------------------------------------------ constants
    def fconst(self, value: float) -> Any:
        """Float constant."""
        with np.errstate(over="ignore"):
            return _F(value)

    def iconst(self, value: int) -> Any:
        """Integer constant."""
        return _U(value & 0xFFFFFFFF).view(_I)

    def mask_const(self, value: bool) -> Any:
        """Truth value."""
        return np.bool_(value)

    # ------------------------------------------------------------------ float arithmetic
    def fadd(self, a: Any, b: Any) -> Any:
        """A + b."""
        return np.add(a, b)

    def fsub(self, a: Any, b: Any) -> Any:
        """A - b."""
        return np.subtract(a, b)

    def fmul(self, a: Any, b: Any) -> Any:
        """A * b."""
        return np.multiply(a, b)

    def ffused(self, a: Any, b: Any, c: Any) -> Any:
        """A * b + c, rounded once: in binary64, rounded to odd so that rounding to binary32 sees what was lost."""
        product = np.multiply(a, b, dtype=np.float64)
        total = np.asarray(product + c)
        # What the sum has lost (Knuth's two-sum).
        back = total - product
        lost = (product - (total - back)) + (c - back)
        bits = total.view(np.int64)
        inexact = np.isfinite(lost) & (lost != 0.0) & (bits & 1 == 0)
        step = np.where((lost > 0.0) == (total > 0.0), 1, -1)
        return (bits + np.where(inexact, step, 0)).view(np.float64).astype(np.float32)

    def fdiv(self, a: Any, b: Any) -> Any:
        """A / b."""
        return np.divide(a, b)

    def fneg(self, a: Any) -> Any:
        """Flip the sign bit."""
        return np.negative(a)

    def fabs(self, a: Any) -> Any:
        """Clear the sign bit."""
        return np.absolute(a)

    def fsqrt(self, a: Any) -> Any:
        """Correctly rounded square root."""
        return np.sqrt(a)

    def fmin(self, a: Any, b: Any) -> Any:
        """``b < a ? b : a``."""
        return np.where(b < a, b, a)

    def fmax(self, a: Any, b: Any) -> Any:
        """``a < b ? b : a``."""
        return np.where(a < b, b, a)

    def ffloor(self, a: Any) -> Any:
        """Round down."""
        return np.floor(a)

    def fceil(self, a: Any) -> Any:
        """Round up."""
        return np.ceil(a)

    def ftrunc(self, a: Any) -> Any:
        """Round towards zero."""
        return np.trunc(a)

    def frint(self, a: Any) -> Any:
        """Round to nearest, halves to even."""
        return np.rint(a)

    def flt(self, a: Any, b: Any) -> Any:
        """A < b."""
        return np.less(a, b)

    def fle(self, a: Any, b: Any) -> Any:
        """A <= b."""
        return np.less_equal(a, b)

    def feq(self, a: Any, b: Any) -> Any:
        """A == b."""
        return np.equal(a, b)

    def fne(self, a: Any, b: Any) -> Any:
        """A != b."""
        return np.not_equal(a, b)

    # ------------------------------------------------------------------ integer arithmetic
    def iadd(self, a: Any, b: Any) -> Any:
        """A + b, wrapping."""
        return np.add(a, b)

    def isub(self, a: Any, b: Any) -> Any:
        """A - b, wrapping."""
        return np.subtract(a, b)

    def imul(self, a: Any, b: Any) -> Any:
        """A * b, wrapping."""
        return np.multiply(a, b)

    def idiv(self, a: Any, b: Any) -> Any:
        """Signed quotient towards zero; 0 when b is 0; INT_MIN / -1 = INT_MIN."""
        safe = np.where((b == 0) | ((b == -1) & (a == _INT_MIN)), _I(1), b)
        quotient = (a - np.fmod(a, safe)) // safe
        return np.where(b == 0, _I(0), quotient)

    def irem(self, a: Any, b: Any) -> Any:
        """``a - idiv(a, b) * b``; 0 when b is 0."""
        safe = np.where((b == 0) | ((b == -1) & (a == _INT_MIN)), _I(1), b)
        return np.fmod(a, safe)

    def udiv(self, a: Any, b: Any) -> Any:
        """Unsigned quotient; 0 when b is 0."""
        safe = np.where(b == 0, _U(1), _u(b))
        return np.where(b == 0, _U(0), _u(a) // safe).view(_I)

    def urem(self, a: Any, b: Any) -> Any:
        """Unsigned remainder; 0 when b is 0."""
        safe = np.where(b == 0, _U(1), _u(b))
        return (_u(a) % safe).view(_I)

    def iand(self, a: Any, b: Any) -> Any:
        """Bitwise and."""
        return np.bitwise_and(a, b)

    def ior(self, a: Any, b: Any) -> Any:
        """Bitwise or."""
        return np.bitwise_or(a, b)

    def ixor(self, a: Any, b: Any) -> Any:
        """Bitwise exclusive or."""
        return np.bitwise_xor(a, b)

    def inot(self, a: Any) -> Any:
        """Bitwise complement."""
        return np.invert(a)

    def shl(self, a: Any, b: Any) -> Any:
        """Shift left by the low five bits of b."""
        return np.left_shift(a, b & _I(31))

    def lshr(self, a: Any, b: Any) -> Any:
        """Logical shift right by the low five bits of b."""
        return np.right_shift(_u(a), _u(b) & _U(31)).view(_I)

    def ashr(self, a: Any, b: Any) -> Any:
        """Arithmetic shift right by the low five bits of b."""
        return np.right_shift(a, b & _I(31))

    def imin(self, a: Any, b: Any) -> Any:
        """Signed minimum."""
        return np.minimum(a, b)

    def imax(self, a: Any, b: Any) -> Any:
        """Signed maximum."""
        return np.maximum(a, b)

    def umin(self, a: Any, b: Any) -> Any:
        """Unsigned minimum."""
        return np.minimum(_u(a), _u(b)).view(_I)

    def umax(self, a: Any, b: Any) -> Any:
        """Unsigned maximum."""
        return np.maximum(_u(a), _u(b)).view(_I)

    def ilt(self, a: Any, b: Any) -> Any:
        """Signed a < b."""
        return np.less(a, b)

    def ile(self, a: Any, b: Any) -> Any:
        """Signed a <= b."""
        return np.less_equal(a, b)

    def ieq(self, a: Any, b: Any) -> Any:
        """A == b."""
        return np.equal(a, b)

    def ine(self, a: Any, b: Any) -> Any:
        """A != b."""
        return np.not_equal(a, b)

    def ult(self, a: Any, b: Any) -> Any:
        """Unsigned a < b."""
        return np.less(_u(a), _u(b))

    def ule(self, a: Any, b: Any) -> Any:
        """Unsigned a <= b."""
        return np.less_equal(_u(a), _u(b))

    # ------------------------------------------------------------------ conversion
    def itof(self, a: Any) -> Any:
        """Signed integer to float."""
        return a.astype(_F)

    def utof(self, a: Any) -> Any:
        """Unsigned integer to float."""
        return _u(a).astype(_F)

    def ftoi(self, a: Any) -> Any:
        """Truncate to a signed integer; saturates, NaN gives 0."""
        if np.size(a) and np.min(a) >= _F(-2147483648.0) and np.max(a) < _F(2147483648.0):
            # Nothing saturates; a NaN would have failed both tests.
            return a.astype(_I)
        # -2**31 is a float, 2**31 - 1 is not: only the upper end needs a bound of its own.
        inside = np.where((a >= _F(-2147483648.0)) & (a < _F(2147483648.0)), a, _F(0.0)).astype(_I)
        inside = np.where(a >= _F(2147483648.0), _INT_MAX, inside)
        return np.where(a < _F(-2147483648.0), _INT_MIN, inside)

    def ftoi_bounded(self, a: Any) -> Any:
        """Truncate a number below 2**31 in magnitude; anything for a NaN."""
        return a.astype(_I)

    def ftou(self, a: Any) -> Any:
        """Truncate to an unsigned integer; saturates, NaN gives 0."""
        inside = np.where((a > _F(0.0)) & (a < _F(4294967296.0)), a, _F(0.0)).astype(_U)
        return np.where(a >= _F(4294967296.0), _U(0xFFFFFFFF), inside).view(_I)

    def fbits(self, a: Any) -> Any:
        """Bit pattern of a float."""
        return a.view(_I)

    def ibits(self, a: Any) -> Any:
        """Float with the given bit pattern."""
        return a.view(_F)

    # ------------------------------------------------------------------ masks
    def select(self, mask: Any, a: Any, b: Any) -> Any:
        """A where the mask is set, else b."""
        return np.where(mask, a, b)

    def mask_and(self, a: Any, b: Any) -> Any:
        """Both."""
        return np.logical_and(a, b)

    def mask_or(self, a: Any, b: Any) -> Any:
        """Either."""
        return np.logical_or(a, b)

    def mask_xor(self, a: Any, b: Any) -> Any:
        """One but not both."""
        return np.logical_xor(a, b)

    def mask_not(self, a: Any) -> Any:
        """Complement."""
        return np.logical_not(a)

    # ------------------------------------------------------------------ quads
    def ddx(self, a: Any) -> Any:
        """Difference along x within each row of the quad; (n,) with n a multiple of 4."""
        rows = a.reshape(-1, 2, 2)
        return np.repeat(rows[:, :, 1] - rows[:, :, 0], 2, axis=1).reshape(-1)

    def ddy(self, a: Any) -> Any:
        """Difference along y within each column of the quad; (n,) with n a multiple of 4."""
        rows = a.reshape(-1, 2, 2)
        return np.tile(rows[:, 1, :] - rows[:, 0, :], (1, 2)).reshape(-1)

    def quad_lane(self, a: Any, lane: int) -> Any:
        """Value of one lane (0-3) of each quad, in all four lanes."""
        return np.repeat(a.reshape(-1, 4)[:, lane], 4)
