"""Rows and elements of the streams, read by reference inside kernels.

A stream is an array that lives outside the machine's record; the record holds its place (:data:`.state.STREAM`). Units
reach rows through it, so that a unit needs the machine alone, and two frames in flight have streams of their own.
With ``NUMBA_BOUNDSCHECK=1`` every access is checked against the stream's length.
"""

from __future__ import annotations

from typing import Final

from gpumodel.units import state
from traceformat.native.access import load_accessor, record_accessor, row_accessor, store_accessor
from traceformat.native.records import bind

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
    "piece_at",
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

#: Makes ``own(address)``, which gives the record of a technique's state by reference.
state_accessor: Final = record_accessor

draw_at: Final = row_accessor(state.DRAW)
vertex_at: Final = row_accessor(state.VERTEX)
primitive_at: Final = row_accessor(state.PRIMITIVE)
emitted_at: Final = row_accessor(state.EMITTED)
pair_at: Final = row_accessor(state.PAIR)
quad_at: Final = row_accessor(state.QUAD)
op_at: Final = row_accessor(state.TEX_OP)
tile_at: Final = row_accessor(state.TILE)
clear_at: Final = row_accessor(state.CLEAR)
piece_at: Final = row_accessor(state.PIECE)
segment_at: Final = row_accessor(state.SEGMENT)
slot_access_at: Final = row_accessor(state.SLOT_ACCESS)

#: Elements of uint8, uint32, int32, int64 and uint16 streams, as int64.
byte_at: Final = load_accessor(8, signed=False)
word_at: Final = load_accessor(32, signed=False)
int_at: Final = load_accessor(32, signed=True)
long_at: Final = load_accessor(64, signed=True)
half_at: Final = load_accessor(16, signed=False)
set_byte: Final = store_accessor(8)
set_half: Final = store_accessor(16)
set_word: Final = store_accessor(32)
set_int: Final = store_accessor(32)
