"""Records, arrays and functions by their addresses, inside compiled code.

With ``NUMBA_BOUNDSCHECK=1`` every access to a stream is checked against its length.

``c`` is what a fused operation adds: a * b + c.
"""

from __future__ import annotations

import os
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

from traceformat.kernel_lowering import made_array
from traceformat.native.records import STREAM

__all__ = [
    "add_at_once",
    "array_at",
    "call",
    "count_ones",
    "count_trailing_zeros",
    "fused",
    "load_accessor",
    "pause",
    "put_four",
    "read_shared",
    "record_accessor",
    "row_accessor",
    "stack_words",
    "store_accessor",
    "write_shared",
]

_STREAM: Final = from_dtype(STREAM)
_I64: Final = ir.IntType(64)
#: Number of the hint on AArch64.
_YIELD: Final = 1
_CHECKED: Final = os.environ.get("NUMBA_BOUNDSCHECK") == "1"


# ------------------------------------------------------------------ records
def record_accessor(dtype: Any) -> Any:
    """Make ``at(address)``, which gives the record of this type at an address by reference."""
    record = from_dtype(np.dtype(dtype))

    @intrinsic  # type: ignore[untyped-decorator]
    def at(typing_context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], context.get_value_type(record))

        return record(types.int64), generate

    return at


# ------------------------------------------------------------------ streams
def _element(context: Any, builder: Any, stream: Any, index: Any, size: int) -> Any:
    """Address of an element, checked where that is asked for."""
    fields = builder.bitcast(stream, _I64.as_pointer())
    if _CHECKED:
        count = builder.load(builder.gep(fields, [ir.Constant(_I64, 1)]))
        with builder.if_then(builder.icmp_unsigned(">=", index, count), likely=False):
            where = f"row of a stream out of range in {builder.function.name}"
            context.call_conv.return_user_exc(builder, IndexError, (where,))
    return builder.add(builder.load(fields), builder.mul(index, ir.Constant(_I64, size)))


def row_accessor(dtype: Any) -> Any:
    """Make ``at(stream, index)``, which gives a row of structured type by reference."""
    record = from_dtype(np.dtype(dtype))

    @intrinsic  # type: ignore[untyped-decorator]
    def at(typing_context: Any, stream: Any, index: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            address = _element(context, builder, args[0], args[1], record.size)
            return builder.inttoptr(address, context.get_value_type(record))

        return record(_STREAM, types.int64), generate

    return at


def load_accessor(bits: int, *, signed: bool) -> Any:
    """Make ``at(stream, index)``, which gives an element of so many bits as int64."""

    @intrinsic  # type: ignore[untyped-decorator]
    def at(typing_context: Any, stream: Any, index: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            kind = ir.IntType(bits)
            address = _element(context, builder, args[0], args[1], bits // 8)
            value = builder.load(builder.inttoptr(address, kind.as_pointer()))
            if bits == 64:
                return value
            return builder.sext(value, _I64) if signed else builder.zext(value, _I64)

        return types.int64(_STREAM, types.int64), generate

    return at


def store_accessor(bits: int) -> Any:
    """Make ``put(stream, index, value)``, which sets an element of so many bits."""

    @intrinsic  # type: ignore[untyped-decorator]
    def put(typing_context: Any, stream: Any, index: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            kind = ir.IntType(bits)
            address = _element(context, builder, args[0], args[1], bits // 8)
            value = args[2] if bits == 64 else builder.trunc(args[2], kind)
            builder.store(value, builder.inttoptr(address, kind.as_pointer()))
            return context.get_dummy_value()

        return types.void(_STREAM, types.int64, types.int64), generate

    return put


# ------------------------------------------------------------------ memory and functions
@intrinsic  # type: ignore[untyped-decorator]
def array_at(typing_context: Any, address: Any, shape: Any, dtype: Any) -> Any:
    """Array at an address, in C order, of one axis for a number and of several for a tuple; nobody owns its memory.

    What ``numba.carray`` gives; that is a function which is compiled once more for each type and place, a tenth of the
    time in which the engine compiles.
    """
    axes = len(shape) if isinstance(shape, types.BaseTuple) else 0
    extents = types.UniTuple(types.intp, axes) if axes else types.intp
    array = types.Array(dtype.dtype, axes or 1, "C")

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = context.get_data_type(array.dtype)
        size = ir.Constant(_I64, context.get_abi_sizeof(kind))
        lengths = [builder.extract_value(args[1], axis) for axis in range(axes)] or [args[1]]
        data = builder.inttoptr(args[0], kind.as_pointer())
        return made_array(context, array, builder, data, lengths, size)

    return array(types.int64, extents, dtype), generate


@intrinsic  # type: ignore[untyped-decorator]
def stack_words(typing_context: Any, count: Any) -> Any:
    """Address of so many 64-bit words, a constant, on the function's stack; what they hold is not defined.

    For working memory of a few words, with :func:`array_at`: ``numpy.empty`` counts references, with an atomic
    operation whenever an array or a part of it is passed on.
    """
    if not isinstance(count, types.Literal):
        raise TypingError("the number of words is no constant")
    size = int(count.literal_value)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ptrtoint(cgutils.alloca_once(builder, _I64, size=size), _I64)

    return types.int64(count), generate


@intrinsic  # type: ignore[untyped-decorator]
def call(typing_context: Any, function: Any, argument: Any) -> Any:
    """Call a C function ``int64(int64)`` by its address: code that another module has is not compiled once more."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(_I64, [_I64])
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), [args[1]])

    return types.int64(types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def fused(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    """``a * b + c`` of binary32 numbers, rounded once."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fma(*args)

    return types.float32(types.float32, types.float32, types.float32), generate


@intrinsic  # type: ignore[untyped-decorator]
def put_four(typing_context: Any, address: Any, first: Any, second: Any, third: Any, fourth: Any) -> Any:
    """Write four binary32 numbers that follow each other, by one store: many small ones wait for each other."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.VectorType(ir.FloatType(), 4)
        vector = ir.Constant(kind, ir.Undefined)
        for number, value in enumerate(args[1:]):
            vector = builder.insert_element(vector, value, ir.Constant(ir.IntType(32), number))
        builder.store(vector, builder.inttoptr(args[0], kind.as_pointer()), align=4)
        return context.get_dummy_value()

    number = types.float32
    return types.void(types.int64, number, number, number, number), generate


def _shared(builder: Any, address: Any) -> Any:
    return builder.inttoptr(address, _I64.as_pointer())


@intrinsic  # type: ignore[untyped-decorator]
def add_at_once(typing_context: Any, address: Any, value: Any) -> Any:
    """Add to a 64-bit number that several threads count with, and give what it was before."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.atomic_rmw("add", _shared(builder, args[0]), args[1], "seq_cst")

    return types.int64(types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def read_shared(typing_context: Any, address: Any) -> Any:
    """A 64-bit number that other threads write, and all that they wrote before it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load_atomic(_shared(builder, args[0]), "acquire", 8)

    return types.int64(types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def write_shared(typing_context: Any, address: Any, value: Any) -> Any:
    """Write a 64-bit number that other threads read, behind all that was written before it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store_atomic(args[1], _shared(builder, args[0]), "release", 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def pause(typing_context: Any) -> Any:
    """Let the processor's other threads go first for a moment: for who looks at a shared number again and again."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        nothing = ir.FunctionType(ir.VoidType(), [])
        if builder.module.triple.startswith(("x86", "i686")):
            name, arguments = "llvm.x86.sse2.pause", []
        else:
            name, arguments = "llvm.aarch64.hint", [ir.Constant(ir.IntType(32), _YIELD)]
            nothing = ir.FunctionType(ir.VoidType(), [ir.IntType(32)])
        builder.call(cgutils.get_or_insert_function(builder.module, nothing, name), arguments)
        return context.get_dummy_value()

    return types.void(), generate


# ------------------------------------------------------------------ bits
@intrinsic  # type: ignore[untyped-decorator]
def count_trailing_zeros(typing_context: Any, value: Any) -> Any:
    """Position of the lowest set bit of an int64 that is not 0."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def count_ones(typing_context: Any, value: Any) -> Any:
    """Number of set bits of an int64."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), generate
