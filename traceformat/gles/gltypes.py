"""GL's types and their sizes: of shader variables, of components of vertices and pixels, of indices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from traceformat.gles import enums as gl

__all__ = ["COMPONENT_BYTES", "INDEX_BYTES", "PACKED_VERTEX_TYPES", "SAMPLED_TARGETS", "TYPES", "VariableType"]

#: Bytes of a component of a vertex or a pixel, by its type.
COMPONENT_BYTES: Final = {
    gl.GL_BYTE: 1,
    gl.GL_UNSIGNED_BYTE: 1,
    gl.GL_SHORT: 2,
    gl.GL_UNSIGNED_SHORT: 2,
    gl.GL_HALF_FLOAT: 2,
    gl.GL_HALF_FLOAT_OES: 2,
    gl.GL_INT: 4,
    gl.GL_UNSIGNED_INT: 4,
    gl.GL_FLOAT: 4,
    gl.GL_FIXED: 4,
    gl.GL_DOUBLE: 8,
}
#: Types of a whole vertex attribute of four components in four bytes.
PACKED_VERTEX_TYPES: Final = frozenset({gl.GL_INT_2_10_10_10_REV, gl.GL_UNSIGNED_INT_2_10_10_10_REV})
#: Bytes of an index of a vertex, by its type.
INDEX_BYTES: Final = {
    kind: COMPONENT_BYTES[kind] for kind in (gl.GL_UNSIGNED_BYTE, gl.GL_UNSIGNED_SHORT, gl.GL_UNSIGNED_INT)
}


@dataclass(frozen=True, slots=True)
class VariableType:
    """Type of a uniform or attribute.

    Parameters
    ----------
    base : float, int, uint, bool, sampler, image or counter
    columns, rows : of a matrix; a vector is one column, a scalar or sampler one of one row
    """

    base: str
    columns: int
    rows: int

    @property
    def components(self) -> int:
        """Number of 32-bit components."""
        return self.columns * self.rows


def _sampled_targets() -> dict[int, int]:
    found = {gl.GL_SAMPLER_EXTERNAL_OES: gl.GL_TEXTURE_EXTERNAL_OES}
    shapes = "1D 2D 3D CUBE 1D_ARRAY 2D_ARRAY 2D_RECT BUFFER 2D_MULTISAMPLE 2D_MULTISAMPLE_ARRAY CUBE_MAP_ARRAY"
    for shape in shapes.split():
        target = {"CUBE": "CUBE_MAP", "2D_RECT": "RECTANGLE"}.get(shape, shape)
        for prefix, suffix in (("", ""), ("INT_", ""), ("UNSIGNED_INT_", ""), ("", "_SHADOW")):
            kind = getattr(gl, f"GL_{prefix}SAMPLER_{shape}{suffix}", None)
            if kind is not None:
                found[kind] = getattr(gl, f"GL_TEXTURE_{target}")
    return found


#: Texture target that a sampler type reads.
SAMPLED_TARGETS: Final[dict[int, int]] = _sampled_targets()


def _build() -> dict[int, VariableType]:
    types: dict[int, VariableType] = {}
    for base, word in (("float", "FLOAT"), ("int", "INT"), ("uint", "UNSIGNED_INT"), ("bool", "BOOL")):
        types[getattr(gl, f"GL_{word}")] = VariableType(base, 1, 1)
        for rows in (2, 3, 4):
            types[getattr(gl, f"GL_{word}_VEC{rows}")] = VariableType(base, 1, rows)
    for columns in (2, 3, 4):
        for rows in (2, 3, 4):
            name = f"GL_FLOAT_MAT{columns}" if columns == rows else f"GL_FLOAT_MAT{columns}x{rows}"
            types[getattr(gl, name)] = VariableType("float", columns, rows)
    types |= {kind: VariableType("sampler", 1, 1) for kind in SAMPLED_TARGETS}
    for shape in ("1D", "2D", "3D", "2D_RECT", "CUBE", "BUFFER", "1D_ARRAY", "2D_ARRAY", "CUBE_MAP_ARRAY"):
        for prefix in ("", "INT_", "UNSIGNED_INT_"):
            value = getattr(gl, f"GL_{prefix}IMAGE_{shape}", None)
            if value is not None:
                types[value] = VariableType("image", 1, 1)
    types[gl.GL_UNSIGNED_INT_ATOMIC_COUNTER] = VariableType("counter", 1, 1)
    return types


TYPES: Final[dict[int, VariableType]] = _build()
