"""Current values of generic attributes: glVertexAttrib* in all its forms."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from traceformat.gles import enums as gl
from traceformat.gles.dispatch import handles, invalid_enum
from traceformat.gles.state import Changes, Context, GenericAttrib
from traceformat.gles.values import content
from traceformat.gles.vertex_arrays import attrib_index

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

#: GL's letters for component types, and struct's.
_CODES = {"b": "b", "ub": "B", "s": "h", "us": "H", "i": "i", "ui": "I", "f": "f", "d": "d"}
_REST = (0.0, 0.0, 0.0, 1.0)
#: Largest value of a component of a normalised type (ES 3.0.6 equations 2.1 and 2.2).
_LARGEST = {"b": 127, "ub": 255, "s": 32767, "us": 65535, "i": 2147483647, "ui": 4294967295}


def _set_float(context: Context, index: int, values: tuple[float, ...]) -> None:
    x, y, z, w = (*map(float, values), *_REST[len(values) :])
    context.generic_attribs[attrib_index(context, index)] = GenericAttrib((x, y, z, w), gl.GL_FLOAT)


def _set_integer(context: Context, index: int, values: tuple[int, ...], type: int) -> None:
    x, y, z, w = (*values, *(0, 0, 0, 1)[len(values) :])
    context.generic_attribs[attrib_index(context, index)] = GenericAttrib((x, y, z, w), type)


def _scalars(count: int, letter: str) -> None:
    @handles(f"glVertexAttrib{count}{letter}", touches=Changes.VERTEX)
    def values(tracker: Tracker, context: Context, index: int, *values: float) -> None:
        _set_float(context, index, values)


def _vector(count: int, letter: str) -> None:
    layout = struct.Struct(f"<{count}{_CODES[letter]}")

    @handles(f"glVertexAttrib{count}{letter}v", touches=Changes.VERTEX)
    def vector(tracker: Tracker, context: Context, index: int, data: object) -> None:
        _set_float(context, index, layout.unpack(content(data, layout.size)))


def _normalized(letter: str) -> None:
    layout = struct.Struct(f"<4{_CODES[letter]}")
    largest = _LARGEST[letter]

    @handles(f"glVertexAttrib4N{letter}v", touches=Changes.VERTEX)
    def vector(tracker: Tracker, context: Context, index: int, data: object) -> None:
        values = layout.unpack(content(data, layout.size))
        _set_float(context, index, tuple(max(value / largest, -1.0) for value in values))


def _integers(count: int, letter: str, type: int) -> None:
    layout = struct.Struct(f"<{count}{_CODES[letter]}")

    @handles(f"glVertexAttribI{count}{letter}v", touches=Changes.VERTEX)
    def vector(tracker: Tracker, context: Context, index: int, data: object) -> None:
        _set_integer(context, index, layout.unpack(content(data, layout.size)), type)

    if letter in ("i", "ui"):

        @handles(f"glVertexAttribI{count}{letter}", touches=Changes.VERTEX)
        def values(tracker: Tracker, context: Context, index: int, *values: int) -> None:
            _set_integer(context, index, values, type)


@handles("glVertexAttrib4Nub", touches=Changes.VERTEX)
def _normalized_bytes(tracker: Tracker, context: Context, index: int, *values: int) -> None:
    _set_float(context, index, tuple(value / 255.0 for value in values))


def _unpacked(type: int, normalized: int, word: int) -> tuple[float, ...]:
    """Components of a 2_10_10_10_REV word."""
    values: list[float] = []
    for shift, bits in ((0, 10), (10, 10), (20, 10), (30, 2)):
        value = word >> shift & ((1 << bits) - 1)
        largest = (1 << bits) - 1
        if type == gl.GL_INT_2_10_10_10_REV:
            largest >>= 1
            value -= (value & 1 << (bits - 1)) << 1
        elif type != gl.GL_UNSIGNED_INT_2_10_10_10_REV:
            raise invalid_enum(f"type {type:#x}")
        values.append(max(value / largest, -1.0) if normalized else value)
    return tuple(values)


def _packed(count: int) -> None:
    @handles(f"glVertexAttribP{count}ui", touches=Changes.VERTEX)
    def value(tracker: Tracker, context: Context, index: int, type: int, normalized: int, word: int) -> None:
        _set_float(context, index, _unpacked(type, normalized, word)[:count])

    @handles(f"glVertexAttribP{count}uiv", touches=Changes.VERTEX)
    def vector(tracker: Tracker, context: Context, index: int, type: int, normalized: int, data: object) -> None:
        (word,) = struct.unpack("<I", content(data, 4))
        _set_float(context, index, _unpacked(type, normalized, word)[:count])


for _count in (1, 2, 3, 4):
    _packed(_count)
    for _letter in ("f", "d", "s"):
        _scalars(_count, _letter)
        _vector(_count, _letter)
    _integers(_count, "i", gl.GL_INT)
    _integers(_count, "ui", gl.GL_UNSIGNED_INT)
for _letter in ("b", "ub", "us", "i", "ui"):
    _vector(4, _letter)
for _letter in _LARGEST:
    _normalized(_letter)
for _letter, _type in (("b", gl.GL_INT), ("s", gl.GL_INT), ("ub", gl.GL_UNSIGNED_INT), ("us", gl.GL_UNSIGNED_INT)):
    _integers(4, _letter, _type)
