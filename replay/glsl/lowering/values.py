"""Operators and constructors on lowered values."""

from __future__ import annotations

from typing import Final

from replay.glsl.builder import Builder
from replay.glsl.ir import Instr
from replay.glsl.lowering.storage import Lowered, as_index, extract
from replay.glsl.types import ArrayType, Base, NumericType, StructType, Type, vector

__all__ = [
    "binary",
    "construct",
    "convert_base",
    "equal",
    "flatten",
    "index_value",
    "matrix_times_matrix",
    "negate",
    "zero",
]

_OPS: Final[dict[tuple[str, Base], str]] = {
    ("+", Base.FLOAT): "fadd", ("-", Base.FLOAT): "fsub", ("*", Base.FLOAT): "fmul", ("/", Base.FLOAT): "fdiv",
    ("+", Base.INT): "iadd", ("-", Base.INT): "isub", ("*", Base.INT): "imul", ("/", Base.INT): "idiv",
    ("+", Base.UINT): "iadd", ("-", Base.UINT): "isub", ("*", Base.UINT): "imul", ("/", Base.UINT): "udiv",
    ("%", Base.INT): "irem", ("%", Base.UINT): "urem",
    ("&", Base.INT): "iand", ("|", Base.INT): "ior", ("^", Base.INT): "ixor",
    ("&", Base.UINT): "iand", ("|", Base.UINT): "ior", ("^", Base.UINT): "ixor",
    ("<<", Base.INT): "ishl", (">>", Base.INT): "ishr", ("<<", Base.UINT): "ishl", (">>", Base.UINT): "ushr",
}  # fmt: skip
#: Comparison: (operation, operands swapped).
COMPARISONS: Final[dict[tuple[str, Base], tuple[str, bool]]] = {
    ("<", Base.FLOAT): ("flt", False), (">", Base.FLOAT): ("flt", True),
    (">=", Base.FLOAT): ("fge", False), ("<=", Base.FLOAT): ("fge", True),
    ("<", Base.INT): ("ilt", False), (">", Base.INT): ("ilt", True),
    (">=", Base.INT): ("ige", False), ("<=", Base.INT): ("ige", True),
    ("<", Base.UINT): ("ult", False), (">", Base.UINT): ("ult", True),
    (">=", Base.UINT): ("uge", False), ("<=", Base.UINT): ("uge", True),
    ("==", Base.FLOAT): ("feq", False), ("!=", Base.FLOAT): ("fne", False),
    ("==", Base.INT): ("ieq", False), ("!=", Base.INT): ("ine", False),
    ("==", Base.UINT): ("ieq", False), ("!=", Base.UINT): ("ine", False),
}  # fmt: skip


def compare(build: Builder, op: str, left: Instr, right: Instr) -> Instr:
    """Compare by component."""
    base = left.type.base
    if base == Base.BOOL:
        differs = build.op("bxor", left, right)
        return differs if op == "!=" else build.op("bnot", differs)
    name, swapped = COMPARISONS[op, base]
    return build.op(name, right, left) if swapped else build.op(name, left, right)


def equal(build: Builder, left: Lowered, right: Lowered) -> Instr:
    """Whether two values of one type are equal, as BOOL scalar."""
    if isinstance(left, list) and isinstance(right, list):
        result: Instr | None = None
        for x, y in zip(left, right, strict=True):
            part = equal(build, x, y)
            result = part if result is None else build.op("band", result, part)
        return result if result is not None else build.bool_constant(True)
    assert isinstance(left, Instr)
    assert isinstance(right, Instr)
    return build.op("all", compare(build, "==", left, right))


def binary(build: Builder, op: str, left: Lowered, right: Lowered) -> Lowered:
    """Arithmetic, shift or bitwise operator; shapes were checked."""
    if isinstance(left, Instr) and isinstance(right, Instr):
        if op in ("<<", ">>") and right.type.base != left.type.base:
            right = build.op("bitcast", right, type=vector(left.type.base, right.type.width))
        if op == "%" and left.type.base == Base.INT and not left.op == right.op == "const":
            return _signed_remainder(build, left, right)
        return build.op(_OPS[op, left.type.base], left, right)
    if op == "*":
        if isinstance(left, list) and isinstance(right, list):
            return matrix_times_matrix(build, left, right)
        if isinstance(left, list) and isinstance(right, Instr) and right.type.width > 1:
            return matrix_times_vector(build, left, right)
        if isinstance(left, Instr) and isinstance(right, list) and left.type.width > 1:
            return build.vec([build.op("fdot", left, column) for column in right])
    if isinstance(left, list) and isinstance(right, list):
        return [binary(build, op, x, y) for x, y in zip(left, right, strict=True)]
    if isinstance(left, list):
        return [binary(build, op, x, right) for x in left]
    assert isinstance(right, list)
    return [binary(build, op, left, y) for y in right]


def _signed_remainder(build: Builder, left: Instr, right: Instr) -> Instr:
    """``%`` of integers with sign: undefined where one is negative; as Mesa has it, the remainder of their bits."""
    width = max(left.type.width, right.type.width)
    unsigned = (build.op("bitcast", value, type=vector(Base.UINT, value.type.width)) for value in (left, right))
    return build.op("bitcast", build.op("urem", *unsigned), type=vector(Base.INT, width))


def matrix_times_vector(build: Builder, columns: list[Instr], value: Instr) -> Instr:
    """Sum of columns times components, from the first."""
    total: Instr | None = None
    for k, column in enumerate(columns):
        part = build.op("fmul", column, build.splat(build.swizzle(value, (k,)), column.type.width))
        total = part if total is None else build.op("fadd", total, part)
    assert total is not None
    return total


def matrix_times_matrix(build: Builder, left: list[Instr], right: list[Instr]) -> list[Lowered]:
    """Linear-algebraic product."""
    return [matrix_times_vector(build, left, column) for column in right]


def negate(build: Builder, value: Lowered) -> Lowered:
    """Unary minus."""
    if isinstance(value, list):
        return [negate(build, part) for part in value]
    return build.op("fneg" if value.type.base == Base.FLOAT else "ineg", value)


def convert_base(build: Builder, value: Instr, base: Base) -> Instr:
    """Convert each component to another base type."""
    source = value.type.base
    width = value.type.width
    if source == base:
        return value
    if base == Base.BOOL:
        zeros = build.constant(value.type, (0,) * width)
        return build.op("fne" if source == Base.FLOAT else "ine", value, zeros)
    if source == Base.BOOL:
        if base == Base.FLOAT:
            return build.op("b2f", value)
        value = build.op("b2i", value)
        return value if base == Base.INT else build.op("bitcast", value, type=vector(base, width))
    if source == Base.FLOAT:
        return build.op("f2i" if base == Base.INT else "f2u", value)
    if base == Base.FLOAT:
        return build.op("i2f" if source == Base.INT else "u2f", value)
    return build.op("bitcast", value, type=vector(base, width))


def flatten(value: Lowered) -> list[Instr]:
    """Vectors of a value in order."""
    if isinstance(value, Instr):
        return [value]
    return [leaf for part in value for leaf in flatten(part)]


def construct(build: Builder, wanted: NumericType, args: list[Lowered]) -> Lowered:
    """Constructor of a scalar, vector or matrix (GLSL ES 3.00 §5.4)."""
    if wanted.is_matrix:
        return _construct_matrix(build, wanted, args)
    first = flatten(args[0])
    if len(args) == 1 and first[0].type.width == 1 and isinstance(args[0], Instr):
        return build.splat(convert_base(build, first[0], wanted.base), wanted.rows)
    parts: list[Instr] = []
    have = 0
    for arg in args:
        for leaf in flatten(arg):
            take = min(leaf.type.width, wanted.rows - have)
            if take <= 0:
                break
            if take < leaf.type.width:
                leaf = build.swizzle(leaf, tuple(range(take)))
            parts.append(convert_base(build, leaf, wanted.base))
            have += take
    return build.vec(parts)


def _construct_matrix(build: Builder, wanted: NumericType, args: list[Lowered]) -> Lowered:
    columns, rows = wanted.columns, wanted.rows
    first = args[0]
    if len(args) == 1 and isinstance(first, list):
        return [_resized_column(build, first, column, rows) for column in range(columns)]
    if len(args) == 1 and isinstance(first, Instr) and first.type.width == 1:
        diagonal = convert_base(build, first, Base.FLOAT)
        zero_part = build.float_constant(0.0)
        return [
            build.vec([diagonal if row == column else zero_part for row in range(rows)]) for column in range(columns)
        ]
    scalars: list[tuple[Instr, int]] = []
    for arg in args:
        for leaf in flatten(arg):
            leaf = convert_base(build, leaf, Base.FLOAT)
            scalars.extend((leaf, k) for k in range(leaf.type.width))
    return [_gather(build, scalars[column * rows : (column + 1) * rows]) for column in range(columns)]


def _gather(build: Builder, scalars: list[tuple[Instr, int]]) -> Instr:
    """Vector of single components, neighbours of one source taken together."""
    parts: list[Instr] = []
    k = 0
    while k < len(scalars):
        source = scalars[k][0]
        end = k
        while end < len(scalars) and scalars[end][0] is source:
            end += 1
        parts.append(build.swizzle(source, tuple(component for _, component in scalars[k:end])))
        k = end
    return build.vec(parts)


def _resized_column(build: Builder, source: list[Instr], column: int, rows: int) -> Instr:
    identity = tuple(1.0 if row == column else 0.0 for row in range(rows))
    if column >= len(source):
        return build.constant(vector(Base.FLOAT, rows), identity)
    have = source[column].type.width
    if have >= rows:
        return build.swizzle(source[column], tuple(range(rows)))
    rest = build.constant(vector(Base.FLOAT, rows - have), identity[have:])
    return build.vec([source[column], rest])


def zero(build: Builder, type: Type) -> Lowered:
    """Zero of any type."""
    if isinstance(type, NumericType):
        column = build.constant(vector(type.base, type.rows), (0,) * type.rows)
        return [column] * type.columns if type.is_matrix else column
    if isinstance(type, ArrayType):
        return [zero(build, type.element) for _ in range(max(type.length, 1))]
    assert isinstance(type, StructType)
    return [zero(build, member.type) for member in type.fields]


def index_value(build: Builder, value: Lowered, index: Instr) -> Lowered:
    """Element of a value that lies in no storage."""
    if isinstance(value, Instr):
        if index.op == "const":
            return build.swizzle(value, (min(max(int(index.attr[0]), 0), value.type.width - 1),))
        return extract(build, value, index)
    if index.op == "const":
        element: Lowered = value[min(max(int(index.attr[0]), 0), len(value) - 1)]
        return element
    index = as_index(build, index)
    result: Lowered = value[0]
    for k in range(1, len(value)):
        result = choose(build, build.op("ige", index, build.int_constant(k)), value[k], result)
    return result


def choose(build: Builder, condition: Instr, yes: Lowered, no: Lowered) -> Lowered:
    """``condition ? yes : no`` for values of any type."""
    if isinstance(yes, list):
        assert isinstance(no, list)
        return [choose(build, condition, x, y) for x, y in zip(yes, no, strict=True)]
    assert isinstance(no, Instr)
    return build.select(condition, yes, no)
