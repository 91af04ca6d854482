"""Memory layout of uniform blocks: std140 (GLES 3.0 §2.12.6.4), and what Mesa gives shared and packed blocks.

How shared and packed blocks lie is the implementation's choice. Mesa's llvmpipe lays them out by the rules of std430
(GLES 3.1 §7.6.2.2: arrays and structures are not padded to 16 bytes), and a program fills them as the driver that it
was recorded on told it to: so do we.
"""

from __future__ import annotations

from dataclasses import dataclass

from replay.glsl.types import ArrayType, Field, NumericType, StructType, Type

__all__ = ["Layout", "layout_fields", "layout_of"]


@dataclass(frozen=True, slots=True)
class Layout:
    """How a type lies in a buffer; all in bytes.

    Parameters
    ----------
    size, alignment : of the type
    array_stride : between elements of an array, 0 for others
    matrix_stride : between columns (rows if row_major) of a matrix, or of the matrices in an array, 0 for others
    """

    size: int
    alignment: int
    array_stride: int = 0
    matrix_stride: int = 0


def _round_up(value: int, multiple: int) -> int:
    return (value + multiple - 1) // multiple * multiple


def layout_of(type: Type, row_major: bool = False, tight: bool = False) -> Layout:
    """Layout of a type by the rules of std140, or of std430 (``tight``)."""
    least = 4 if tight else 16
    if isinstance(type, NumericType):
        if type.is_matrix:
            vectors, width = (type.rows, type.columns) if row_major else (type.columns, type.rows)
            stride = max(4 * (4 if width == 3 else width), least)
            return Layout(stride * vectors, stride, 0, stride)
        return Layout(4 * type.rows, 4 * (4 if type.rows == 3 else type.rows))
    if isinstance(type, ArrayType):
        inner = layout_of(type.element, row_major, tight)
        stride = _round_up(inner.size, max(inner.alignment, least))
        return Layout(stride * max(type.length, 1), _round_up(inner.alignment, least), stride, inner.matrix_stride)
    if isinstance(type, StructType):
        _, size = layout_fields(type.fields, row_major, tight)
        members = (layout_of(member.type, row_major or member.row_major, tight) for member in type.fields)
        alignment = _round_up(max(member.alignment for member in members), least)
        return Layout(_round_up(size, alignment), alignment)
    raise TypeError(f"{type} has no layout")


def layout_fields(fields: tuple[Field, ...], row_major: bool = False, tight: bool = False) -> tuple[list[int], int]:
    """Offsets of members in bytes, and the size up to the last one's end."""
    offsets: list[int] = []
    at = 0
    for member in fields:
        inner = layout_of(member.type, row_major or member.row_major, tight)
        at = _round_up(at if member.offset < 0 else member.offset, max(inner.alignment, member.align))
        offsets.append(at)
        at += inner.size
        if isinstance(member.type, StructType):
            at = _round_up(at, inner.alignment)
    return offsets, at
