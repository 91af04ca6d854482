"""Memory layout of uniform blocks: std140 (GLES 3.0 §2.12.6.4), used for shared and packed blocks too."""

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


def layout_of(type: Type, row_major: bool = False) -> Layout:
    """Layout of a type by the rules of std140."""
    if isinstance(type, NumericType):
        if type.is_matrix:
            vectors = type.rows if row_major else type.columns
            return Layout(16 * vectors, 16, 0, 16)
        return Layout(4 * type.rows, 4 * (4 if type.rows == 3 else type.rows))
    if isinstance(type, ArrayType):
        inner = layout_of(type.element, row_major)
        stride = _round_up(inner.size, max(inner.alignment, 16))
        return Layout(stride * max(type.length, 1), _round_up(inner.alignment, 16), stride, inner.matrix_stride)
    if isinstance(type, StructType):
        offsets, size = layout_fields(type.fields, row_major)
        del offsets
        alignment = _round_up(max(layout_of(f.type, row_major or f.row_major).alignment for f in type.fields), 16)
        return Layout(_round_up(size, alignment), alignment)
    raise TypeError(f"{type} has no layout")


def layout_fields(fields: tuple[Field, ...], row_major: bool = False) -> tuple[list[int], int]:
    """Offsets of members in bytes, and the size up to the last one's end."""
    offsets: list[int] = []
    at = 0
    for member in fields:
        inner = layout_of(member.type, row_major or member.row_major)
        at = _round_up(at, inner.alignment)
        offsets.append(at)
        at += inner.size
        if isinstance(member.type, StructType):
            at = _round_up(at, 16)
    return offsets, at
