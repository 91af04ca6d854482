"""Rows and elements of the streams, read by reference inside kernels.

A stream is an array that lives outside the machine's record; the record holds its place (:data:`.state.STREAM`). Units
reach rows through it, so that a unit needs the machine alone, and two frames in flight have streams of their own.
With ``NUMBA_BOUNDSCHECK=1`` every access is checked against the stream's length.
"""

from __future__ import annotations

import os
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from gpumodel.units import state

__all__ = [
    "bind",
    "byte_at",
    "clear_at",
    "draw_at",
    "emitted_at",
    "half_at",
    "int_at",
    "long_at",
    "op_at",
    "pair_at",
    "primitive_at",
    "quad_at",
    "row_accessor",
    "segment_at",
    "set_byte",
    "set_half",
    "set_int",
    "set_word",
    "slot_access_at",
    "state_accessor",
    "tile_at",
    "vertex_at",
    "word_at",
]

_STREAM: Final = from_dtype(state.STREAM)
_I64: Final = ir.IntType(64)
_CHECKED: Final = os.environ.get("NUMBA_BOUNDSCHECK") == "1"


def bind(stream: Any, array: NDArray[Any]) -> None:
    """Let a stream's record refer to an array, which the caller keeps alive."""
    assert array.flags.c_contiguous
    stream["address"] = array.ctypes.data
    stream["count"] = len(array)


def _element(context: Any, builder: Any, stream: Any, index: Any, size: int) -> Any:
    """Address of an element, checked where that is asked for."""
    fields = builder.bitcast(stream, _I64.as_pointer())
    if _CHECKED:
        count = builder.load(builder.gep(fields, [ir.Constant(_I64, 1)]))
        with builder.if_then(builder.icmp_unsigned(">=", index, count), likely=False):
            context.call_conv.return_user_exc(builder, IndexError, ("row of a stream out of range",))
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


def state_accessor(dtype: Any) -> Any:
    """Make ``own(address)``, which gives the record of a technique's state by reference."""
    record = from_dtype(np.dtype(dtype))

    @intrinsic  # type: ignore[untyped-decorator]
    def own(typing_context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], context.get_value_type(record))

        return record(types.int64), generate

    return own


def _load_accessor(bits: int, signed: bool) -> Any:
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


def _store_accessor(bits: int) -> Any:
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


draw_at: Final = row_accessor(state.DRAW)
vertex_at: Final = row_accessor(state.VERTEX)
primitive_at: Final = row_accessor(state.PRIMITIVE)
emitted_at: Final = row_accessor(state.EMITTED)
pair_at: Final = row_accessor(state.PAIR)
quad_at: Final = row_accessor(state.QUAD)
op_at: Final = row_accessor(state.TEX_OP)
tile_at: Final = row_accessor(state.TILE)
clear_at: Final = row_accessor(state.CLEAR)
segment_at: Final = row_accessor(state.SEGMENT)
slot_access_at: Final = row_accessor(state.SLOT_ACCESS)

#: Elements of uint8, uint32, int32, int64 and uint16 streams, as int64.
byte_at: Final = _load_accessor(8, False)
word_at: Final = _load_accessor(32, False)
int_at: Final = _load_accessor(32, True)
long_at: Final = _load_accessor(64, True)
half_at: Final = _load_accessor(16, False)
set_byte: Final = _store_accessor(8)
set_half: Final = _store_accessor(16)
set_word: Final = _store_accessor(32)
set_int: Final = _store_accessor(32)
