"""Kinds of vector operands, and lane-wise arithmetic on them as LLVM code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, TypeAlias, TypeVar

from replay.glsl.llvm.abi import LANES
from replay.glsl.llvm.writer import FunctionWriter, ModuleWriter, float_literal, int_literal

__all__ = [
    "ALL_LANES",
    "FVEC",
    "IVEC",
    "LANES",
    "MASK_BITS",
    "MASK_BYTES",
    "MVEC",
    "NO_LANES",
    "FloatVec",
    "IntVec",
    "MaskVec",
    "Scalar",
    "Vector",
    "VectorArithmetic",
    "lanes_literal",
]

FVEC: Final = f"<{LANES} x float>"
IVEC: Final = f"<{LANES} x i32>"
MVEC: Final = f"<{LANES} x i1>"
#: A mask as one integer, bit i for lane i; bytes of one in memory.
MASK_BITS: Final = f"i{LANES}"
MASK_BYTES: Final = LANES // 8
_DVEC: Final = f"<{LANES} x double>"

#: A scalar operand: i1, i32, i64, float or ptr.
Scalar: TypeAlias = str


class Vector(str):
    """A vector operand; its class says what the lanes hold."""

    __slots__ = ()
    type: ClassVar[str]


class FloatVec(Vector):
    """Eight floats."""

    __slots__ = ()
    type = FVEC


class IntVec(Vector):
    """Eight 32-bit integers."""

    __slots__ = ()
    type = IVEC


class MaskVec(Vector):
    """Eight truth values."""

    __slots__ = ()
    type = MVEC


T = TypeVar("T", bound=Vector)

ALL_LANES: Final = MaskVec("splat (i1 true)")
NO_LANES: Final = MaskVec("zeroinitializer")


def lanes_literal(values: Sequence[int]) -> str:
    """A constant vector of integers."""
    return "<" + ", ".join(f"i32 {int_literal(value)}" for value in values) + ">"


class VectorArithmetic:
    """Lane-wise operations at the end of a function that is being written.

    Parameters
    ----------
    module : receives declarations of intrinsics and internal functions
    function : receives the code
    """

    def __init__(self, module: ModuleWriter, function: FunctionWriter) -> None:
        self.module = module
        self.function = function
        self._assign = function.assign

    # ------------------------------------------------------------------ constants
    def fconst(self, value: float) -> FloatVec:
        """Float constant in all lanes, rounded to binary32."""
        return FloatVec(f"splat (float {float_literal(value)})")

    def iconst(self, value: int) -> IntVec:
        """Integer constant in all lanes."""
        return IntVec(f"splat (i32 {int_literal(value)})")

    def mask_const(self, value: bool) -> MaskVec:
        """Truth value in all lanes."""
        return ALL_LANES if value else NO_LANES

    def lane_iconsts(self, values: Sequence[int]) -> IntVec:
        """One integer constant for each lane."""
        return IntVec(lanes_literal(values))

    # ------------------------------------------------------------------ float arithmetic
    def fadd(self, a: FloatVec, b: FloatVec) -> FloatVec:
        """A + b."""
        return FloatVec(self._assign(f"fadd {FVEC} {a}, {b}"))

    def fsub(self, a: FloatVec, b: FloatVec) -> FloatVec:
        """A - b."""
        return FloatVec(self._assign(f"fsub {FVEC} {a}, {b}"))

    def fmul(self, a: FloatVec, b: FloatVec) -> FloatVec:
        """A * b."""
        return FloatVec(self._assign(f"fmul {FVEC} {a}, {b}"))

    def ffused(self, a: FloatVec, b: FloatVec, c: FloatVec) -> FloatVec:
        """A * b + c, rounded once."""
        name = f"@llvm.fma.v{LANES}f32"
        self.module.declare(f"declare {FVEC} {name}({FVEC}, {FVEC}, {FVEC})")
        return FloatVec(self._assign(f"call {FVEC} {name}({FVEC} {a}, {FVEC} {b}, {FVEC} {c})"))

    def fdiv(self, a: FloatVec, b: FloatVec) -> FloatVec:
        """A / b."""
        return FloatVec(self._assign(f"fdiv {FVEC} {a}, {b}"))

    def fneg(self, a: FloatVec) -> FloatVec:
        """Flip the sign bit."""
        return FloatVec(self._assign(f"fneg {FVEC} {a}"))

    def _float_intrinsic(self, intrinsic: str, a: FloatVec) -> FloatVec:
        name = f"@llvm.{intrinsic}.v{LANES}f32"
        self.module.declare(f"declare {FVEC} {name}({FVEC})")
        return FloatVec(self._assign(f"call {FVEC} {name}({FVEC} {a})"))

    def fabs(self, a: FloatVec) -> FloatVec:
        """Clear the sign bit."""
        return self._float_intrinsic("fabs", a)

    def fsqrt(self, a: FloatVec) -> FloatVec:
        """Correctly rounded square root."""
        return self._float_intrinsic("sqrt", a)

    def fmin(self, a: FloatVec, b: FloatVec) -> FloatVec:
        """``b < a ? b : a`` (one minps)."""
        return self.select(self.flt(b, a), b, a)

    def fmax(self, a: FloatVec, b: FloatVec) -> FloatVec:
        """``a < b ? b : a`` (one maxps)."""
        return self.select(self.flt(a, b), b, a)

    def ffloor(self, a: FloatVec) -> FloatVec:
        """Round down."""
        return self._float_intrinsic("floor", a)

    def fceil(self, a: FloatVec) -> FloatVec:
        """Round up."""
        return self._float_intrinsic("ceil", a)

    def ftrunc(self, a: FloatVec) -> FloatVec:
        """Round towards zero."""
        return self._float_intrinsic("trunc", a)

    def frint(self, a: FloatVec) -> FloatVec:
        """Round to nearest, halves to even (the rounding mode that every thread has)."""
        return self._float_intrinsic("rint", a)

    def flt(self, a: FloatVec, b: FloatVec) -> MaskVec:
        """A < b, false for NaN."""
        return MaskVec(self._assign(f"fcmp olt {FVEC} {a}, {b}"))

    def fle(self, a: FloatVec, b: FloatVec) -> MaskVec:
        """A <= b, false for NaN."""
        return MaskVec(self._assign(f"fcmp ole {FVEC} {a}, {b}"))

    def feq(self, a: FloatVec, b: FloatVec) -> MaskVec:
        """A == b, false for NaN."""
        return MaskVec(self._assign(f"fcmp oeq {FVEC} {a}, {b}"))

    def fne(self, a: FloatVec, b: FloatVec) -> MaskVec:
        """A != b, true for NaN."""
        return MaskVec(self._assign(f"fcmp une {FVEC} {a}, {b}"))

    # ------------------------------------------------------------------ integer arithmetic
    def iadd(self, a: IntVec, b: IntVec) -> IntVec:
        """A + b."""
        return IntVec(self._assign(f"add {IVEC} {a}, {b}"))

    def isub(self, a: IntVec, b: IntVec) -> IntVec:
        """A - b."""
        return IntVec(self._assign(f"sub {IVEC} {a}, {b}"))

    def imul(self, a: IntVec, b: IntVec) -> IntVec:
        """A * b."""
        return IntVec(self._assign(f"mul {IVEC} {a}, {b}"))

    def _quotient(self, a: IntVec, b: IntVec, sign: str) -> IntVec:
        # binary64 holds both operands exactly, and its quotient never rounds up to the next integer
        # (the distance to it is at least 2**-32 of the quotient), so truncation gives the exact result.
        wide_a = self._assign(f"{sign}itofp {IVEC} {a} to {_DVEC}")
        wide_b = self._assign(f"{sign}itofp {IVEC} {b} to {_DVEC}")
        quotient = self._assign(f"fdiv {_DVEC} {wide_a}, {wide_b}")
        return IntVec(self._assign(f"fpto{sign}i {_DVEC} {quotient} to {IVEC}"))

    def _nonzero_divisor(self, a: IntVec, b: IntVec, zero: MaskVec) -> IntVec:
        overflow = self.mask_and(self.ieq(b, self.iconst(-1)), self.ieq(a, self.iconst(-(1 << 31))))
        return self.select(self.mask_or(zero, overflow), self.iconst(1), b)

    def idiv(self, a: IntVec, b: IntVec) -> IntVec:
        """Signed quotient towards zero; 0 when b is 0; INT_MIN / -1 = INT_MIN."""
        zero = self.ieq(b, self.iconst(0))
        return self.select(zero, self.iconst(0), self._quotient(a, self._nonzero_divisor(a, b, zero), "s"))

    def irem(self, a: IntVec, b: IntVec) -> IntVec:
        """``a - idiv(a, b) * b``; 0 when b is 0."""
        divisor = self._nonzero_divisor(a, b, self.ieq(b, self.iconst(0)))
        return self.isub(a, self.imul(self._quotient(a, divisor, "s"), divisor))

    def udiv(self, a: IntVec, b: IntVec) -> IntVec:
        """Unsigned quotient; 0 when b is 0."""
        zero = self.ieq(b, self.iconst(0))
        return self.select(zero, self.iconst(0), self._quotient(a, self.select(zero, self.iconst(1), b), "u"))

    def urem(self, a: IntVec, b: IntVec) -> IntVec:
        """Unsigned remainder; 0 when b is 0."""
        divisor = self.select(self.ieq(b, self.iconst(0)), self.iconst(1), b)
        return self.isub(a, self.imul(self._quotient(a, divisor, "u"), divisor))

    def iand(self, a: IntVec, b: IntVec) -> IntVec:
        """Bitwise and."""
        return IntVec(self._assign(f"and {IVEC} {a}, {b}"))

    def ior(self, a: IntVec, b: IntVec) -> IntVec:
        """Bitwise or."""
        return IntVec(self._assign(f"or {IVEC} {a}, {b}"))

    def ixor(self, a: IntVec, b: IntVec) -> IntVec:
        """Bitwise exclusive or."""
        return IntVec(self._assign(f"xor {IVEC} {a}, {b}"))

    def inot(self, a: IntVec) -> IntVec:
        """Bitwise complement."""
        return self.ixor(a, self.iconst(-1))

    def _amount(self, b: IntVec) -> IntVec:
        if b.startswith("splat"):
            return self.iconst(int(b[len("splat (i32 ") : -1]) & 31)
        return self.iand(b, self.iconst(31))

    def shl(self, a: IntVec, b: IntVec) -> IntVec:
        """Shift left by the low five bits of b."""
        return IntVec(self._assign(f"shl {IVEC} {a}, {self._amount(b)}"))

    def lshr(self, a: IntVec, b: IntVec) -> IntVec:
        """Logical shift right by the low five bits of b."""
        return IntVec(self._assign(f"lshr {IVEC} {a}, {self._amount(b)}"))

    def ashr(self, a: IntVec, b: IntVec) -> IntVec:
        """Arithmetic shift right by the low five bits of b."""
        return IntVec(self._assign(f"ashr {IVEC} {a}, {self._amount(b)}"))

    def _int_intrinsic(self, intrinsic: str, a: IntVec, b: IntVec) -> IntVec:
        name = f"@llvm.{intrinsic}.v{LANES}i32"
        self.module.declare(f"declare {IVEC} {name}({IVEC}, {IVEC})")
        return IntVec(self._assign(f"call {IVEC} {name}({IVEC} {a}, {IVEC} {b})"))

    def imin(self, a: IntVec, b: IntVec) -> IntVec:
        """Signed minimum."""
        return self._int_intrinsic("smin", a, b)

    def imax(self, a: IntVec, b: IntVec) -> IntVec:
        """Signed maximum."""
        return self._int_intrinsic("smax", a, b)

    def umin(self, a: IntVec, b: IntVec) -> IntVec:
        """Unsigned minimum."""
        return self._int_intrinsic("umin", a, b)

    def umax(self, a: IntVec, b: IntVec) -> IntVec:
        """Unsigned maximum."""
        return self._int_intrinsic("umax", a, b)

    def ilt(self, a: IntVec, b: IntVec) -> MaskVec:
        """Signed a < b."""
        return MaskVec(self._assign(f"icmp slt {IVEC} {a}, {b}"))

    def ile(self, a: IntVec, b: IntVec) -> MaskVec:
        """Signed a <= b."""
        return MaskVec(self._assign(f"icmp sle {IVEC} {a}, {b}"))

    def ieq(self, a: IntVec, b: IntVec) -> MaskVec:
        """A == b."""
        return MaskVec(self._assign(f"icmp eq {IVEC} {a}, {b}"))

    def ine(self, a: IntVec, b: IntVec) -> MaskVec:
        """A != b."""
        return MaskVec(self._assign(f"icmp ne {IVEC} {a}, {b}"))

    def ult(self, a: IntVec, b: IntVec) -> MaskVec:
        """Unsigned a < b."""
        return MaskVec(self._assign(f"icmp ult {IVEC} {a}, {b}"))

    def ule(self, a: IntVec, b: IntVec) -> MaskVec:
        """Unsigned a <= b."""
        return MaskVec(self._assign(f"icmp ule {IVEC} {a}, {b}"))

    # ------------------------------------------------------------------ conversion
    def itof(self, a: IntVec) -> FloatVec:
        """Signed integer to float."""
        return FloatVec(self._assign(f"sitofp {IVEC} {a} to {FVEC}"))

    def utof(self, a: IntVec) -> FloatVec:
        """Unsigned integer to float."""
        return FloatVec(self._assign(f"uitofp {IVEC} {a} to {FVEC}"))

    def ftoi(self, a: FloatVec) -> IntVec:
        """Truncate to a signed integer; saturates, NaN gives 0."""
        # LLVM has an operation for this, but scalarises it on x86.
        limit = self.fconst(2147483648.0)
        inside = self.select(self.flt(self.fabs(a), limit), a, self.fconst(0.0))
        result = IntVec(self._assign(f"fptosi {FVEC} {inside} to {IVEC}"))
        result = self.select(self.fle(limit, a), self.iconst(0x7FFFFFFF), result)
        return self.select(self.fle(a, self.fconst(-2147483648.0)), self.iconst(-(1 << 31)), result)

    def ftoi_bounded(self, a: FloatVec) -> IntVec:
        """Truncate a number below 2**31 in magnitude; anything for a NaN."""
        return IntVec(self._assign(f"freeze {IVEC} {self._assign(f'fptosi {FVEC} {a} to {IVEC}')}"))

    def ftou(self, a: FloatVec) -> IntVec:
        """Truncate to an unsigned integer; saturates, NaN gives 0."""
        limit = self.fconst(4294967296.0)
        within = self.mask_and(self.flt(self.fconst(0.0), a), self.flt(a, limit))
        inside = self.select(within, a, self.fconst(0.0))
        result = IntVec(self._assign(f"fptoui {FVEC} {inside} to {IVEC}"))
        return self.select(self.fle(limit, a), self.iconst(-1), result)

    def fbits(self, a: FloatVec) -> IntVec:
        """Bit pattern of a float."""
        return IntVec(self._assign(f"bitcast {FVEC} {a} to {IVEC}"))

    def ibits(self, a: IntVec) -> FloatVec:
        """Float with the given bit pattern."""
        return FloatVec(self._assign(f"bitcast {IVEC} {a} to {FVEC}"))

    # ------------------------------------------------------------------ masks
    def select(self, mask: MaskVec, a: T, b: T) -> T:
        """A where the mask is set, else b."""
        if mask is ALL_LANES or a == b:
            return a
        kind = type(a)
        return kind(self._assign(f"select {MVEC} {mask}, {kind.type} {a}, {kind.type} {b}"))

    def mask_and(self, a: MaskVec, b: MaskVec) -> MaskVec:
        """Both."""
        if a is ALL_LANES:
            return b
        if b is ALL_LANES:
            return a
        return MaskVec(self._assign(f"and {MVEC} {a}, {b}"))

    def mask_or(self, a: MaskVec, b: MaskVec) -> MaskVec:
        """Either."""
        if a is NO_LANES:
            return b
        if b is NO_LANES:
            return a
        return MaskVec(self._assign(f"or {MVEC} {a}, {b}"))

    def mask_xor(self, a: MaskVec, b: MaskVec) -> MaskVec:
        """One but not both."""
        return MaskVec(self._assign(f"xor {MVEC} {a}, {b}"))

    def mask_not(self, a: MaskVec) -> MaskVec:
        """Complement."""
        if a is ALL_LANES:
            return NO_LANES
        if a is NO_LANES:
            return ALL_LANES
        return MaskVec(self._assign(f"xor {MVEC} {a}, splat (i1 true)"))
