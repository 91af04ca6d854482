"""Toolkit for generating LLVM code over vectors of 8 lanes: the LLVM side of :class:`VectorOps`.

Values are operands in LLVM's assembly syntax (``%t17``, ``splat (i32 3)``), so that generating an operation costs
one formatted line. :class:`FloatVec`, :class:`IntVec` and :class:`MaskVec` are the three kinds of
:mod:`replay.glsl.vectorops`; plain ``str`` operands are scalars (i1, i32, i64, float, ptr), uniform over the lanes.
No vector operation has undefined or poison results: code may be executed on lanes that hold anything.

No fast-math flag is ever written, and LLVM contracts a multiplication and an addition only where it is
told that it may, so results are those of IEEE 754 binary32 on every host.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar, Final, TypeAlias, TypeVar

from replay.glsl.llvm.writer import FunctionWriter, ModuleWriter, float_literal, int_literal

__all__ = ["FVEC", "IVEC", "LANES", "MVEC", "FloatVec", "IntVec", "LlvmOps", "MaskVec", "Scalar", "Vector"]

LANES: Final = 8
FVEC: Final = f"<{LANES} x float>"
IVEC: Final = f"<{LANES} x i32>"
MVEC: Final = f"<{LANES} x i1>"
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


V = TypeVar("V", bound=Vector)

_ALL: Final = MaskVec("splat (i1 true)")
_NONE: Final = MaskVec("zeroinitializer")
_ROW_LEFT: Final = (0, 0, 2, 2, 4, 4, 6, 6)
_ROW_RIGHT: Final = (1, 1, 3, 3, 5, 5, 7, 7)
_COLUMN_LOW: Final = (0, 1, 0, 1, 4, 5, 4, 5)
_COLUMN_HIGH: Final = (2, 3, 2, 3, 6, 7, 6, 7)


def _lanes(values: Sequence[int]) -> str:
    return "<" + ", ".join(f"i32 {int_literal(value)}" for value in values) + ">"


class LlvmOps:
    """Vector operations, memory access and control flow at the end of a function that is being written.

    Implements :class:`replay.glsl.vectorops.VectorOps`; the second half is what reaches memory and branches.

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
        return _ALL if value else _NONE

    def lane_iconsts(self, values: Sequence[int]) -> IntVec:
        """One integer constant for each lane."""
        return IntVec(_lanes(values))

    # ------------------------------------------------------------------ float arithmetic
    def fadd(self, a: FloatVec, b: FloatVec) -> FloatVec:
        """a + b."""
        return FloatVec(self._assign(f"fadd {FVEC} {a}, {b}"))

    def fsub(self, a: FloatVec, b: FloatVec) -> FloatVec:
        """a - b."""
        return FloatVec(self._assign(f"fsub {FVEC} {a}, {b}"))

    def fmul(self, a: FloatVec, b: FloatVec) -> FloatVec:
        """a * b."""
        return FloatVec(self._assign(f"fmul {FVEC} {a}, {b}"))

    def fdiv(self, a: FloatVec, b: FloatVec) -> FloatVec:
        """a / b."""
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
        """a < b, false for NaN."""
        return MaskVec(self._assign(f"fcmp olt {FVEC} {a}, {b}"))

    def fle(self, a: FloatVec, b: FloatVec) -> MaskVec:
        """a <= b, false for NaN."""
        return MaskVec(self._assign(f"fcmp ole {FVEC} {a}, {b}"))

    def feq(self, a: FloatVec, b: FloatVec) -> MaskVec:
        """a == b, false for NaN."""
        return MaskVec(self._assign(f"fcmp oeq {FVEC} {a}, {b}"))

    def fne(self, a: FloatVec, b: FloatVec) -> MaskVec:
        """a != b, true for NaN."""
        return MaskVec(self._assign(f"fcmp une {FVEC} {a}, {b}"))

    # ------------------------------------------------------------------ integer arithmetic
    def iadd(self, a: IntVec, b: IntVec) -> IntVec:
        """a + b."""
        return IntVec(self._assign(f"add {IVEC} {a}, {b}"))

    def isub(self, a: IntVec, b: IntVec) -> IntVec:
        """a - b."""
        return IntVec(self._assign(f"sub {IVEC} {a}, {b}"))

    def imul(self, a: IntVec, b: IntVec) -> IntVec:
        """a * b."""
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
        """a == b."""
        return MaskVec(self._assign(f"icmp eq {IVEC} {a}, {b}"))

    def ine(self, a: IntVec, b: IntVec) -> MaskVec:
        """a != b."""
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
    def select(self, mask: MaskVec, a: V, b: V) -> V:
        """a where the mask is set, else b."""
        if mask is _ALL or a == b:
            return a
        kind = type(a)
        return kind(self._assign(f"select {MVEC} {mask}, {kind.type} {a}, {kind.type} {b}"))

    def mask_and(self, a: MaskVec, b: MaskVec) -> MaskVec:
        """Both."""
        if a is _ALL:
            return b
        if b is _ALL:
            return a
        return MaskVec(self._assign(f"and {MVEC} {a}, {b}"))

    def mask_or(self, a: MaskVec, b: MaskVec) -> MaskVec:
        """Either."""
        if a is _NONE:
            return b
        if b is _NONE:
            return a
        return MaskVec(self._assign(f"or {MVEC} {a}, {b}"))

    def mask_xor(self, a: MaskVec, b: MaskVec) -> MaskVec:
        """One but not both."""
        return MaskVec(self._assign(f"xor {MVEC} {a}, {b}"))

    def mask_not(self, a: MaskVec) -> MaskVec:
        """Complement."""
        if a is _ALL:
            return _NONE
        if a is _NONE:
            return _ALL
        return MaskVec(self._assign(f"xor {MVEC} {a}, splat (i1 true)"))

    # ------------------------------------------------------------------ quads and lanes
    def shuffle(self, a: V, lanes: Sequence[int]) -> V:
        """Lane i of the result is lane ``lanes[i]`` of a."""
        kind = type(a)
        text = f"shufflevector {kind.type} {a}, {kind.type} poison, {IVEC} {_lanes(lanes)}"
        return kind(self._assign(text))

    def ddx(self, a: FloatVec) -> FloatVec:
        """Difference along x within each row of the quad."""
        return self.fsub(self.shuffle(a, _ROW_RIGHT), self.shuffle(a, _ROW_LEFT))

    def ddy(self, a: FloatVec) -> FloatVec:
        """Difference along y within each column of the quad."""
        return self.fsub(self.shuffle(a, _COLUMN_HIGH), self.shuffle(a, _COLUMN_LOW))

    def quad_lane(self, a: V, lane: int) -> V:
        """Value of one lane (0-3) of each quad, in all four lanes."""
        return self.shuffle(a, [lane] * 4 + [lane + 4] * 4)

    def extract(self, a: Vector, lane: int) -> Scalar:
        """One lane as a scalar."""
        return self._assign(f"extractelement {a.type} {a}, i32 {lane}")

    def mask_bits(self, mask: MaskVec) -> Scalar:
        """The mask as i8, bit i for lane i."""
        return self._assign(f"bitcast {MVEC} {mask} to i8")

    def any(self, mask: MaskVec) -> Scalar:
        """i1: whether any lane is set."""
        return self._assign(f"icmp ne i8 {self.mask_bits(mask)}, 0")

    def bits_mask(self, bits: Scalar) -> MaskVec:
        """The mask of an i8, lane i for bit i."""
        return MaskVec(self._assign(f"bitcast i8 {bits} to {MVEC}"))

    def quad_any(self, mask: MaskVec) -> MaskVec:
        """Set in all four lanes of each quad that has a lane of the mask."""
        bits = self.mask_bits(mask)
        pairs = self._assign(f"or i8 {bits}, {self._assign(f'lshr i8 {bits}, 1')}")
        first = self._assign(f"or i8 {pairs}, {self._assign(f'lshr i8 {pairs}, 2')}")
        return self.bits_mask(self._assign(f"mul i8 {self._assign(f'and i8 {first}, 17')}, 15"))

    def all(self, mask: MaskVec) -> Scalar:
        """i1: whether all lanes are set."""
        return self._assign(f"icmp eq i8 {self.mask_bits(mask)}, -1")

    def splat_f(self, scalar: Scalar) -> FloatVec:
        """A scalar float in all lanes."""
        return FloatVec(self._splat(FVEC, "float", scalar))

    def splat_i(self, scalar: Scalar) -> IntVec:
        """A scalar i32 in all lanes."""
        return IntVec(self._splat(IVEC, "i32", scalar))

    def splat_mask(self, scalar: Scalar) -> MaskVec:
        """A scalar i1 in all lanes."""
        return MaskVec(self._splat(MVEC, "i1", scalar))

    def _splat(self, vector: str, element: str, scalar: Scalar) -> str:
        first = self._assign(f"insertelement {vector} poison, {element} {scalar}, i32 0")
        return self._assign(f"shufflevector {vector} {first}, {vector} poison, {IVEC} zeroinitializer")

    # ------------------------------------------------------------------ memory
    def offset(self, pointer: Scalar, num_bytes: int | Scalar) -> Scalar:
        """Pointer ``num_bytes`` (a number, or an i64 operand) further on."""
        if num_bytes == 0:
            return pointer
        return self._assign(f"getelementptr i8, ptr {pointer}, i64 {num_bytes}")

    def load(self, type_: str, pointer: Scalar, num_bytes: int | Scalar = 0, align: int = 4) -> Scalar:
        """Load a scalar of an LLVM type (``i32``, ``float``, ``ptr``, ``i8`` ...) from pointer + num_bytes."""
        return self._assign(f"load {type_}, ptr {self.offset(pointer, num_bytes)}, align {align}")

    def load_constant(self, type_: str, pointer: Scalar, num_bytes: int | Scalar = 0, align: int = 4) -> Scalar:
        """As :meth:`load`, from memory that nobody writes while the code runs (uniforms, descriptors, texels)."""
        place = self.offset(pointer, num_bytes)
        return self._assign(f"load {type_}, ptr {place}, align {align}, !invariant.load !0")

    def load_fvec(self, pointer: Scalar, num_bytes: int | Scalar = 0) -> FloatVec:
        """Load eight consecutive floats."""
        return FloatVec(self.load(FVEC, pointer, num_bytes))

    def load_ivec(self, pointer: Scalar, num_bytes: int | Scalar = 0) -> IntVec:
        """Load eight consecutive integers."""
        return IntVec(self.load(IVEC, pointer, num_bytes))

    def store(self, value: Vector, pointer: Scalar, num_bytes: int | Scalar = 0) -> None:
        """Store eight consecutive floats or integers."""
        self.function.line(f"store {value.type} {value}, ptr {self.offset(pointer, num_bytes)}, align 4")

    def gather(self, pointer: Scalar, byte_offsets: IntVec, *, bits: int = 32) -> IntVec:
        """Load one integer a lane from ``pointer + byte_offsets`` (unsigned offsets), zero-extended to 32 bits.

        Every lane loads: offsets must be in bounds for all lanes, active or not (clamp them). For memory that
        nobody writes while the code runs.

        Parameters
        ----------
        bits : width of the element: 8, 16 or 32; the address must be a multiple of it
        """
        return self._gather(pointer, byte_offsets, bits, ", !invariant.load !0")

    def gather_variable(self, pointer: Scalar, byte_offsets: IntVec) -> IntVec:
        """As :meth:`gather` of 32 bits, from memory that the code itself writes."""
        return self._gather(pointer, byte_offsets, 32, "")

    def _gather(self, pointer: Scalar, byte_offsets: IntVec, bits: int, metadata: str) -> IntVec:
        # Eight loads: on current processors as fast as a gather instruction, and faster than its microcode on others.
        narrow = f"<{LANES} x i{bits}>"
        result = "poison"
        for lane in range(LANES):
            offset = self._assign(f"extractelement {IVEC} {byte_offsets}, i32 {lane}")
            place = self.offset(pointer, self._assign(f"zext i32 {offset} to i64"))
            element = self._assign(f"load i{bits}, ptr {place}, align {bits // 8}{metadata}")
            result = self._assign(f"insertelement {narrow} {result}, i{bits} {element}, i32 {lane}")
        return IntVec(result) if bits == 32 else IntVec(self._assign(f"zext {narrow} {result} to {IVEC}"))

    def gather_f(self, pointer: Scalar, byte_offsets: IntVec) -> FloatVec:
        """Load one float a lane from ``pointer + byte_offsets``; see :meth:`gather`."""
        return self.ibits(self.gather(pointer, byte_offsets))

    def scatter(self, value: Vector, pointer: Scalar, byte_offsets: IntVec, mask: MaskVec) -> None:
        """Store one float or integer a lane to ``pointer + byte_offsets``, in the lanes of the mask, in lane order."""
        wide = self._assign(f"zext {IVEC} {byte_offsets} to <{LANES} x i64>")
        pointers = self._assign(f"getelementptr i8, ptr {pointer}, <{LANES} x i64> {wide}")
        suffix = "f32" if isinstance(value, FloatVec) else "i32"
        name = f"@llvm.masked.scatter.v{LANES}{suffix}.v{LANES}p0"
        self.module.declare(f"declare void {name}({value.type}, <{LANES} x ptr>, i32, {MVEC})")
        operands = f"{value.type} {value}, <{LANES} x ptr> {pointers}, i32 4, {MVEC} {mask}"
        self.function.line(f"call void {name}({operands})")

    # ------------------------------------------------------------------ control flow and storage
    def allocate(self, kind: type[V], count: int = 1) -> Scalar:
        """Stack storage for ``count`` vectors, uninitialised; a pointer."""
        return self.function.allocate(kind.type, count)

    def get(self, kind: type[V], pointer: Scalar) -> V:
        """Read a vector from stack storage."""
        return kind(self._assign(f"load {kind.type}, ptr {pointer}, align {1 if kind is MaskVec else 32}"))

    def put(self, value: Vector, pointer: Scalar) -> None:
        """Write a vector to stack storage."""
        align = 1 if isinstance(value, MaskVec) else 32
        self.function.line(f"store {value.type} {value}, ptr {pointer}, align {align}")

    @contextmanager
    def when(self, condition: Scalar) -> Iterator[None]:
        """Code in the ``with`` body runs only if the i1 holds; carry results out through :meth:`put` and :meth:`get`."""
        function = self.function
        then, after = function.new_label("then"), function.new_label("after")
        function.branch(condition, then, after)
        function.start(then)
        yield
        function.jump(after)
        function.start(after)

    @contextmanager
    def repeat(self, count: Scalar) -> Iterator[Scalar]:
        """Run the ``with`` body ``count`` (i32, may be 0) times; gives the running number as i32."""
        function = self.function
        counter = function.allocate("i32")
        function.line(f"store i32 0, ptr {counter}")
        head, body, after = (function.new_label(hint) for hint in ("head", "body", "after"))
        function.jump(head)
        function.start(head)
        number = self._assign(f"load i32, ptr {counter}")
        function.branch(self._assign(f"icmp ult i32 {number}, {count}"), body, after)
        function.start(body)
        yield number
        following = self._assign(f"add i32 {number}, 1")
        function.line(f"store i32 {following}, ptr {counter}")
        function.jump(head)
        function.start(after)

    def call(
        self, name: str, kinds: Sequence[type[Vector]], result: type[V], build: Callable[..., V], *arguments: Vector
    ) -> V:
        """Call an internal function of vectors, written on its first use.

        Parameters
        ----------
        name : unique in the module
        kinds : classes of the parameters
        result : class of the result
        build : called as ``build(ops, *parameters)`` to write the body
        arguments : operands of this call
        """
        symbol = f"@{name}"
        if not self.module.has(symbol):
            inner = LlvmOps(self.module, FunctionWriter())
            parameters = [kind(f"%p{index}") for index, kind in enumerate(kinds)]
            value = build(inner, *parameters)
            signature = ", ".join(f"{kind.type} {operand}" for kind, operand in zip(kinds, parameters, strict=True))
            head = f"define internal fastcc {result.type} {symbol}({signature}) nounwind {{"
            self.module.define(symbol, f"{head}\n{inner.function.body()}\nret {result.type} {value}\n}}")
        operands = ", ".join(f"{kind.type} {operand}" for kind, operand in zip(kinds, arguments, strict=True))
        return result(self._assign(f"call fastcc {result.type} {symbol}({operands})"))
