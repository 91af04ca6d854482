"""GLSL types, and the value types of the IR, which are their scalars and vectors.

Types are interned: two equal types are one object, so ``is`` compares them. Precision is no part of a type;
it belongs to variables and expressions.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

__all__ = [
    "BOOL",
    "COUNTER",
    "FLOAT",
    "IMAGE_TYPES",
    "INT",
    "NUMERIC_TYPES",
    "OPAQUE_TYPES",
    "SAMPLER_TYPES",
    "UINT",
    "VOID",
    "ArrayType",
    "Base",
    "Dim",
    "Field",
    "ImageType",
    "NumericType",
    "OpaqueType",
    "SamplerType",
    "StructType",
    "Type",
    "VoidType",
    "array_of",
    "matrix",
    "vector",
    "vectors_of",
]


class Base(IntEnum):
    """What one 32-bit component of a value is."""

    FLOAT = 0
    INT = 1
    UINT = 2
    BOOL = 3


class Dim(IntEnum):
    """Shape of a texture; arrays are shapes of their own."""

    D1 = 0
    D2 = 1
    D3 = 2
    CUBE = 3
    RECT = 4
    D1_ARRAY = 5
    D2_ARRAY = 6
    BUFFER = 7
    D2_MS = 8
    D2_MS_ARRAY = 9
    EXTERNAL = 10
    CUBE_ARRAY = 11


class Type:
    """Any GLSL type; ``name`` is its spelling in messages."""

    __slots__ = ("__weakref__", "arrays", "name")
    name: str
    arrays: dict[int, ArrayType]

    def __init__(self, name: str) -> None:
        self.name = name
        self.arrays = {}

    def __repr__(self) -> str:
        return self.name

    # Interned: identity is equality, also after a copy of a structure that refers to types.
    def __deepcopy__(self, memo: object) -> Type:
        return self


class VoidType(Type):
    """``void``."""

    __slots__ = ()


class NumericType(Type):
    """A scalar (1 column, 1 row), vector (1 column) or matrix of one base type."""

    __slots__ = ("base", "columns", "gl_type", "rows", "width")

    def __init__(self, name: str, base: Base, columns: int, rows: int, gl_type: int) -> None:
        super().__init__(name)
        self.base = base
        self.columns = columns
        self.rows = rows
        #: Components in all.
        self.width = columns * rows
        #: GL enumerant as glGetActiveUniform reports it.
        self.gl_type = gl_type

    @property
    def is_vector(self) -> bool:
        """Tell whether it is a vector of two to four components."""
        return self.columns == 1 and self.rows > 1

    @property
    def is_matrix(self) -> bool:
        """Tell whether it is a matrix."""
        return self.columns > 1

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return _numeric_by_name, (self.name,)


class OpaqueType(Type):
    """A handle: a sampler, an image or an atomic counter."""

    __slots__ = ("gl_type",)

    def __init__(self, name: str, gl_type: int) -> None:
        super().__init__(name)
        self.gl_type = gl_type

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return _opaque_by_name, (self.name,)


class SamplerType(OpaqueType):
    """A texture to look up."""

    __slots__ = ("base", "dim", "shadow")

    def __init__(self, name: str, dim: Dim, base: Base, shadow: bool, gl_type: int) -> None:
        super().__init__(name, gl_type)
        self.dim = dim
        #: Base type of what a look-up returns.
        self.base = base
        self.shadow = shadow


class ImageType(OpaqueType):
    """A level of a texture to load from and store to."""

    __slots__ = ("base", "dim")

    def __init__(self, name: str, dim: Dim, base: Base, gl_type: int) -> None:
        super().__init__(name, gl_type)
        self.dim = dim
        self.base = base


class ArrayType(Type):
    """An array; ``length`` is 0 while the size is not known. Make one with :func:`array_of`."""

    __slots__ = ("element", "length")
    element: Type
    length: int

    def __init__(self, element: Type, length: int) -> None:
        dims = f"[{length or ''}]"
        inner: Type = element
        while isinstance(inner, ArrayType):
            dims += f"[{inner.length or ''}]"
            inner = inner.element
        super().__init__(inner.name + dims)
        self.element = element
        self.length = length

    def __reduce__(self) -> tuple[object, tuple[Type, int]]:
        return array_of, (self.element, self.length)


@dataclass(frozen=True, slots=True)
class Field:
    """Member of a structure or block; ``offset`` and ``align`` in bytes, -1 and 1 where none is given."""

    name: str
    type: Type
    precision: str = ""
    row_major: bool = False
    line: int = 0
    offset: int = -1
    align: int = 1


class StructType(Type):
    """A structure; each declaration makes a type of its own."""

    __slots__ = ("by_name", "fields")

    def __init__(self, name: str, fields: tuple[Field, ...]) -> None:
        super().__init__(name)
        self.fields = fields
        self.by_name = {one.name: one for one in fields}


def array_of(element: Type, length: int) -> ArrayType:
    """Give the array type of ``length`` elements (0: not sized yet)."""
    known = element.arrays.get(length)
    if known is None:
        known = element.arrays[length] = ArrayType(element, length)
    return known


VOID: Final = VoidType("void")

_GL_SCALAR: Final = {
    Base.FLOAT: (0x1406, 0x8B50, 0x8B51, 0x8B52),
    Base.INT: (0x1404, 0x8B53, 0x8B54, 0x8B55),
    Base.UINT: (0x1405, 0x8DC6, 0x8DC7, 0x8DC8),
    Base.BOOL: (0x8B56, 0x8B57, 0x8B58, 0x8B59),
}
_GL_MATRIX: Final = {
    (2, 2): 0x8B5A,
    (3, 3): 0x8B5B,
    (4, 4): 0x8B5C,
    (2, 3): 0x8B65,
    (2, 4): 0x8B66,
    (3, 2): 0x8B67,
    (3, 4): 0x8B68,
    (4, 2): 0x8B69,
    (4, 3): 0x8B6A,
}
_NAMES: Final = {
    Base.FLOAT: ("float", "vec"),
    Base.INT: ("int", "ivec"),
    Base.UINT: ("uint", "uvec"),
    Base.BOOL: ("bool", "bvec"),
}

_VECTORS: Final[dict[Base, tuple[NumericType, ...]]] = {
    base: tuple(
        NumericType(_NAMES[base][0] if width == 1 else f"{_NAMES[base][1]}{width}", base, 1, width, gl[width - 1])
        for width in (1, 2, 3, 4)
    )
    for base, gl in _GL_SCALAR.items()
}
_MATRICES: Final = {
    (columns, rows): NumericType(
        f"mat{columns}" if columns == rows else f"mat{columns}x{rows}", Base.FLOAT, columns, rows, gl
    )
    for (columns, rows), gl in _GL_MATRIX.items()
}


def vector(base: Base, width: int) -> NumericType:
    """Give the scalar (width 1) or vector type."""
    return _VECTORS[base][width - 1]


def matrix(columns: int, rows: int) -> NumericType:
    """Give a float matrix type; ``matCxR`` has C columns of R rows."""
    return _MATRICES[columns, rows]


FLOAT: Final = vector(Base.FLOAT, 1)
INT: Final = vector(Base.INT, 1)
UINT: Final = vector(Base.UINT, 1)
BOOL: Final = vector(Base.BOOL, 1)

#: Every scalar, vector and matrix type by its GLSL name; ``matNxN`` is another name of ``matN``.
NUMERIC_TYPES: Final[dict[str, NumericType]] = {
    **{one.name: one for types in _VECTORS.values() for one in types},
    **{one.name: one for one in _MATRICES.values()},
    **{f"mat{size}x{size}": _MATRICES[size, size] for size in (2, 3, 4)},
}


def vectors_of(type: Type) -> int:
    """vec4 slots that a value takes, unpacked."""
    if isinstance(type, ArrayType):
        return max(type.length, 1) * vectors_of(type.element)
    if isinstance(type, StructType):
        return sum(vectors_of(one.type) for one in type.fields)
    return type.columns if isinstance(type, NumericType) else 0


_SAMPLER_ROWS: Final[tuple[tuple[str, Dim, Base, bool, int], ...]] = (
    ("sampler1D", Dim.D1, Base.FLOAT, False, 0x8B5D),
    ("sampler2D", Dim.D2, Base.FLOAT, False, 0x8B5E),
    ("sampler3D", Dim.D3, Base.FLOAT, False, 0x8B5F),
    ("samplerCube", Dim.CUBE, Base.FLOAT, False, 0x8B60),
    ("sampler1DShadow", Dim.D1, Base.FLOAT, True, 0x8B61),
    ("sampler2DShadow", Dim.D2, Base.FLOAT, True, 0x8B62),
    ("sampler2DRect", Dim.RECT, Base.FLOAT, False, 0x8B63),
    ("sampler2DRectShadow", Dim.RECT, Base.FLOAT, True, 0x8B64),
    ("sampler1DArray", Dim.D1_ARRAY, Base.FLOAT, False, 0x8DC0),
    ("sampler2DArray", Dim.D2_ARRAY, Base.FLOAT, False, 0x8DC1),
    ("samplerBuffer", Dim.BUFFER, Base.FLOAT, False, 0x8DC2),
    ("sampler1DArrayShadow", Dim.D1_ARRAY, Base.FLOAT, True, 0x8DC3),
    ("sampler2DArrayShadow", Dim.D2_ARRAY, Base.FLOAT, True, 0x8DC4),
    ("samplerCubeShadow", Dim.CUBE, Base.FLOAT, True, 0x8DC5),
    ("isampler1D", Dim.D1, Base.INT, False, 0x8DC9),
    ("isampler2D", Dim.D2, Base.INT, False, 0x8DCA),
    ("isampler3D", Dim.D3, Base.INT, False, 0x8DCB),
    ("isamplerCube", Dim.CUBE, Base.INT, False, 0x8DCC),
    ("isampler2DRect", Dim.RECT, Base.INT, False, 0x8DCD),
    ("isampler1DArray", Dim.D1_ARRAY, Base.INT, False, 0x8DCE),
    ("isampler2DArray", Dim.D2_ARRAY, Base.INT, False, 0x8DCF),
    ("isamplerBuffer", Dim.BUFFER, Base.INT, False, 0x8DD0),
    ("usampler1D", Dim.D1, Base.UINT, False, 0x8DD1),
    ("usampler2D", Dim.D2, Base.UINT, False, 0x8DD2),
    ("usampler3D", Dim.D3, Base.UINT, False, 0x8DD3),
    ("usamplerCube", Dim.CUBE, Base.UINT, False, 0x8DD4),
    ("usampler2DRect", Dim.RECT, Base.UINT, False, 0x8DD5),
    ("usampler1DArray", Dim.D1_ARRAY, Base.UINT, False, 0x8DD6),
    ("usampler2DArray", Dim.D2_ARRAY, Base.UINT, False, 0x8DD7),
    ("usamplerBuffer", Dim.BUFFER, Base.UINT, False, 0x8DD8),
    ("sampler2DMS", Dim.D2_MS, Base.FLOAT, False, 0x9108),
    ("isampler2DMS", Dim.D2_MS, Base.INT, False, 0x9109),
    ("usampler2DMS", Dim.D2_MS, Base.UINT, False, 0x910A),
    ("sampler2DMSArray", Dim.D2_MS_ARRAY, Base.FLOAT, False, 0x910B),
    ("isampler2DMSArray", Dim.D2_MS_ARRAY, Base.INT, False, 0x910C),
    ("usampler2DMSArray", Dim.D2_MS_ARRAY, Base.UINT, False, 0x910D),
    ("samplerCubeArray", Dim.CUBE_ARRAY, Base.FLOAT, False, 0x900C),
    ("samplerCubeArrayShadow", Dim.CUBE_ARRAY, Base.FLOAT, True, 0x900D),
    ("isamplerCubeArray", Dim.CUBE_ARRAY, Base.INT, False, 0x900E),
    ("usamplerCubeArray", Dim.CUBE_ARRAY, Base.UINT, False, 0x900F),
    ("samplerExternalOES", Dim.EXTERNAL, Base.FLOAT, False, 0x8D66),
)
#: Every sampler type by its GLSL name.
SAMPLER_TYPES: Final[dict[str, SamplerType]] = {row[0]: SamplerType(*row) for row in _SAMPLER_ROWS}


def _numeric_by_name(name: str) -> NumericType:
    return NUMERIC_TYPES[name]


_IMAGE_DIMS: Final = {
    "1D": (Dim.D1, 0x904C),
    "2D": (Dim.D2, 0x904D),
    "3D": (Dim.D3, 0x904E),
    "2DRect": (Dim.RECT, 0x904F),
    "Cube": (Dim.CUBE, 0x9050),
    "Buffer": (Dim.BUFFER, 0x9051),
    "1DArray": (Dim.D1_ARRAY, 0x9052),
    "2DArray": (Dim.D2_ARRAY, 0x9053),
    "CubeArray": (Dim.CUBE_ARRAY, 0x9054),
}
#: Every image type by its GLSL name; enumerants of one base type lie 11 behind those of the one before.
IMAGE_TYPES: Final[dict[str, ImageType]] = {
    f"{prefix}image{kind}": ImageType(f"{prefix}image{kind}", dim, base, number + 11 * row)
    for row, (prefix, base) in enumerate((("", Base.FLOAT), ("i", Base.INT), ("u", Base.UINT)))
    for kind, (dim, number) in _IMAGE_DIMS.items()
}
COUNTER: Final = OpaqueType("atomic_uint", 0x92DB)
OPAQUE_TYPES: Final[dict[str, OpaqueType]] = {**SAMPLER_TYPES, **IMAGE_TYPES, COUNTER.name: COUNTER}


def _opaque_by_name(name: str) -> OpaqueType:
    return OPAQUE_TYPES[name]
