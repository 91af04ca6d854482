"""Toolkit for generating LLVM code over vectors of LANES lanes: the LLVM side of :class:`VectorOps`.

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
from typing import TypeVar

from replay.glsl.llvm.abi import QUADS, VECTOR_BYTES
from replay.glsl.llvm.arithmetic import (
    FVEC,
    IVEC,
    LANES,
    MASK_BITS,
    MASK_BYTES,
    MVEC,
    FloatVec,
    IntVec,
    MaskVec,
    Scalar,
    Vector,
    VectorArithmetic,
    lanes_literal,
)
from replay.glsl.llvm.machine import has_features
from replay.glsl.llvm.writer import FunctionWriter

__all__ = [
    "FVEC",
    "IVEC",
    "LANES",
    "MASK_BITS",
    "MASK_BYTES",
    "MVEC",
    "QUADS",
    "FloatVec",
    "IntVec",
    "LlvmOps",
    "MaskVec",
    "Scalar",
    "Vector",
    "lanes_literal",
]

T = TypeVar("T", bound=Vector)


def _alignment(kind: type[Vector]) -> int:
    """Bytes that a vector in stack storage begins at a multiple of."""
    return 1 if kind is MaskVec else VECTOR_BYTES


class LlvmOps(VectorArithmetic):
    """Vector operations, memory access and control flow at the end of a function that is being written.

    Implements :class:`replay.glsl.vectorops.VectorOps`, with :class:`VectorArithmetic`; the rest is what mixes lanes,
    reaches memory, and branches.
    """

    # ------------------------------------------------------------------ quads and lanes
    def shuffle(self, a: T, lanes: Sequence[int]) -> T:
        """Lane i of the result is lane ``lanes[i]`` of a."""
        kind = type(a)
        text = f"shufflevector {kind.type} {a}, {kind.type} poison, {IVEC} {lanes_literal(lanes)}"
        return kind(self._assign(text))

    def turned(self, a: T, lanes: Sequence[int]) -> T:
        """Lane i of each quad is its lane ``lanes[i]`` of a."""
        return self.shuffle(a, [4 * quad + lane for quad in range(QUADS) for lane in lanes])

    def ddx(self, a: FloatVec) -> FloatVec:
        """Difference along x within each row of the quad."""
        return self.fsub(self.turned(a, (1, 1, 3, 3)), self.turned(a, (0, 0, 2, 2)))

    def ddy(self, a: FloatVec) -> FloatVec:
        """Difference along y within each column of the quad."""
        return self.fsub(self.turned(a, (2, 3, 2, 3)), self.turned(a, (0, 1, 0, 1)))

    def quad_lane(self, a: T, lane: int) -> T:
        """Value of one lane (0-3) of each quad, in all four lanes."""
        return self.turned(a, [lane] * 4)

    def spread(self, numbers: Scalar) -> IntVec:
        """Each of <QUADS x i32> in all lanes of its quad."""
        lanes = lanes_literal([lane // 4 for lane in range(LANES)])
        kind = f"<{QUADS} x i32>"
        return IntVec(self._assign(f"shufflevector {kind} {numbers}, {kind} poison, {IVEC} {lanes}"))

    def joined(self, parts: Sequence[Scalar], element: str, size: int) -> Scalar:
        """A power of two of vectors of ``size`` elements, one behind the other."""
        while len(parts) > 1:
            kind, lanes = f"<{size} x {element}>", f"<{2 * size} x i32> {lanes_literal(range(2 * size))}"
            pairs = zip(parts[::2], parts[1::2], strict=True)
            parts = [self._assign(f"shufflevector {kind} {a}, {kind} {b}, {lanes}") for a, b in pairs]
            size *= 2
        return parts[0]

    def extract(self, a: Vector, lane: int) -> Scalar:
        """One lane as a scalar."""
        return self._assign(f"extractelement {a.type} {a}, i32 {lane}")

    def mask_bits(self, mask: MaskVec) -> Scalar:
        """The mask as MASK_BITS, bit i for lane i."""
        return self._assign(f"bitcast {MVEC} {mask} to {MASK_BITS}")

    def any(self, mask: MaskVec) -> Scalar:
        """i1: whether any lane is set."""
        return self._assign(f"icmp ne {MASK_BITS} {self.mask_bits(mask)}, 0")

    def bits_mask(self, bits: Scalar) -> MaskVec:
        """The mask of MASK_BITS, lane i for bit i."""
        return MaskVec(self._assign(f"bitcast {MASK_BITS} {bits} to {MVEC}"))

    def quad_any(self, mask: MaskVec) -> MaskVec:
        """Set in all four lanes of each quad that has a lane of the mask."""
        bits, kind = self.mask_bits(mask), MASK_BITS
        pairs = self._assign(f"or {kind} {bits}, {self._assign(f'lshr {kind} {bits}, 1')}")
        first = self._assign(f"or {kind} {pairs}, {self._assign(f'lshr {kind} {pairs}, 2')}")
        firsts = sum(1 << 4 * quad for quad in range(QUADS))
        return self.bits_mask(self._assign(f"mul {kind} {self._assign(f'and {kind} {first}, {firsts}')}, 15"))

    def all(self, mask: MaskVec) -> Scalar:
        """i1: whether all lanes are set."""
        return self._assign(f"icmp eq {MASK_BITS} {self.mask_bits(mask)}, -1")

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
        """Load LANES consecutive floats."""
        return FloatVec(self.load(FVEC, pointer, num_bytes))

    def load_ivec(self, pointer: Scalar, num_bytes: int | Scalar = 0) -> IntVec:
        """Load LANES consecutive integers."""
        return IntVec(self.load(IVEC, pointer, num_bytes))

    def store(self, value: Vector, pointer: Scalar, num_bytes: int | Scalar = 0) -> None:
        """Store LANES consecutive floats or integers."""
        self.function.line(f"store {value.type} {value}, ptr {self.offset(pointer, num_bytes)}, align 4")

    def gather(self, pointer: Scalar, byte_offsets: IntVec, *, bits: int = 32) -> IntVec:
        """Load one integer a lane from ``pointer + byte_offsets`` (unsigned offsets), zero-extended to 32 bits.

        Every lane loads: offsets must be in bounds for all lanes, active or not (clamp them).

        Parameters
        ----------
        bits : width of the element: 8, 16 or 32; the address must be a multiple of it
        """
        if bits == 32:
            # As fast as so many loads on the processors measured, and three quarters of their compile time.
            wide = self._assign(f"zext {IVEC} {byte_offsets} to <{LANES} x i64>")
            pointers = self._assign(f"getelementptr i8, ptr {pointer}, <{LANES} x i64> {wide}")
            name = f"@llvm.masked.gather.v{LANES}i32.v{LANES}p0"
            self.module.declare(f"declare {IVEC} {name}(<{LANES} x ptr>, i32, {MVEC}, {IVEC})")
            operands = f"<{LANES} x ptr> {pointers}, i32 4, {MVEC} splat (i1 true), {IVEC} poison"
            return IntVec(self._assign(f"call {IVEC} {name}({operands})"))
        narrow = f"<{LANES} x i{bits}>"
        result = "poison"
        for lane in range(LANES):
            offset = self._assign(f"extractelement {IVEC} {byte_offsets}, i32 {lane}")
            place = self._assign(f"zext i32 {offset} to i64")
            element = self.load_constant(f"i{bits}", pointer, place, align=bits // 8)
            result = self._assign(f"insertelement {narrow} {result}, i{bits} {element}, i32 {lane}")
        return IntVec(self._assign(f"zext {narrow} {result} to {IVEC}"))

    def gather_pairs(self, pointer: Scalar, byte_offsets: IntVec) -> tuple[IntVec, IntVec]:
        """Load two consecutive integers a lane, as :meth:`gather` loads one."""
        wide = self._assign(f"zext {IVEC} {byte_offsets} to <{LANES} x i64>")
        pointers = self._assign(f"getelementptr i8, ptr {pointer}, <{LANES} x i64> {wide}")
        pairs = f"<{LANES} x i64>"
        name = f"@llvm.masked.gather.v{LANES}i64.v{LANES}p0"
        self.module.declare(f"declare {pairs} {name}(<{LANES} x ptr>, i32, {MVEC}, {pairs})")
        operands = f"<{LANES} x ptr> {pointers}, i32 4, {MVEC} splat (i1 true), {pairs} poison"
        found = self._assign(f"call {pairs} {name}({operands})")
        both = f"<{2 * LANES} x i32>"
        words = self._assign(f"bitcast {pairs} {found} to {both}")
        first, second = (
            IntVec(
                self._assign(
                    f"shufflevector {both} {words}, {both} poison, "
                    f"{IVEC} {lanes_literal([2 * lane + half for lane in range(LANES)])}"
                )
            )
            for half in range(2)
        )
        return first, second

    def scatter(self, value: Vector, pointer: Scalar, byte_offsets: IntVec, mask: MaskVec) -> None:
        """Store one float or integer a lane to ``pointer + byte_offsets``, in the lanes of the mask, in lane order."""
        if has_features("avx512f", "avx512vl"):
            self._scatter_at_once(value, pointer, byte_offsets, mask)
            return
        # LLVM would write a branch for each lane: half of what compiling a compute stage took.
        element = "float" if isinstance(value, FloatVec) else "i32"
        values, offsets = self.spill(value), self.spill(byte_offsets)
        with self.each_lane(mask) as lane:
            place = self._assign(f"zext i32 {self.lane_of(offsets, 'i32', lane)} to i64")
            stored = self.lane_of(values, element, lane)
            self.function.line(f"store {element} {stored}, ptr {self.offset(pointer, place)}, align 4")

    def _scatter_at_once(self, value: Vector, pointer: Scalar, byte_offsets: IntVec, mask: MaskVec) -> None:
        wide = self._assign(f"zext {IVEC} {byte_offsets} to <{LANES} x i64>")
        pointers = self._assign(f"getelementptr i8, ptr {pointer}, <{LANES} x i64> {wide}")
        suffix = "f32" if isinstance(value, FloatVec) else "i32"
        name = f"@llvm.masked.scatter.v{LANES}{suffix}.v{LANES}p0"
        self.module.declare(f"declare void {name}({value.type}, <{LANES} x ptr>, i32, {MVEC})")
        operands = f"{value.type} {value}, <{LANES} x ptr> {pointers}, i32 4, {MVEC} {mask}"
        self.function.line(f"call void {name}({operands})")

    # ------------------------------------------------------------------ control flow and storage
    def allocate(self, kind: type[T], count: int = 1) -> Scalar:
        """Stack storage for ``count`` vectors, uninitialised; a pointer."""
        return self.function.allocate(kind.type, count)

    def get(self, kind: type[T], pointer: Scalar) -> T:
        """Read a vector from stack storage."""
        return kind(self._assign(f"load {kind.type}, ptr {pointer}, align {_alignment(kind)}"))

    def put(self, value: Vector, pointer: Scalar) -> None:
        """Write a vector to stack storage."""
        self.function.line(f"store {value.type} {value}, ptr {pointer}, align {_alignment(type(value))}")

    @contextmanager
    def when(self, condition: Scalar) -> Iterator[None]:
        """The ``with`` body runs only if the i1 holds; carry results out through :meth:`put` and :meth:`get`."""
        function = self.function
        then, after = function.new_label("then"), function.new_label("after")
        function.branch(condition, then, after)
        function.start(then)
        yield
        function.jump(after)
        function.start(after)

    def spill(self, value: Vector) -> Scalar:
        """Put a float or integer vector into storage of its own, for :meth:`lane_of`; a pointer."""
        pointer = self.allocate(type(value))
        self.put(value, pointer)
        return pointer

    def lane_of(self, pointer: Scalar, element: str, lane: Scalar) -> Scalar:
        """One lane (i64) of the floats or integers in storage."""
        return self._assign(
            f"load {element}, ptr {self._assign(f'getelementptr i32, ptr {pointer}, i64 {lane}')}, align 4"
        )

    @contextmanager
    def each_lane(self, mask: MaskVec) -> Iterator[Scalar]:
        """Run the ``with`` body for each lane of the mask, from the first on; gives the lane as i64."""
        kind = MASK_BITS
        self.module.declare(f"declare {kind} @llvm.cttz.{kind}({kind}, i1)")
        function = self.function
        left = function.allocate(kind)
        function.line(f"store {kind} {self.mask_bits(mask)}, ptr {left}")
        head, body, after = (function.new_label(hint) for hint in ("lanes", "lane", "after"))
        function.jump(head)
        function.start(head)
        bits = self._assign(f"load {kind}, ptr {left}")
        function.branch(self._assign(f"icmp ne {kind} {bits}, 0"), body, after)
        function.start(body)
        first = self._assign(f"call {kind} @llvm.cttz.{kind}({kind} {bits}, i1 true)")
        yield self._assign(f"zext {kind} {first} to i64")
        without_first = self._assign(f"and {kind} {bits}, {self._assign(f'sub {kind} {bits}, 1')}")
        function.line(f"store {kind} {without_first}, ptr {left}")
        function.jump(head)
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
        self, name: str, kinds: Sequence[type[Vector]], result: type[T], build: Callable[..., T], *arguments: Vector
    ) -> T:
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
