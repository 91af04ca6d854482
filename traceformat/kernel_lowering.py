"""Elements of arrays, and loops over ranges, in compiled code: without what LLVM would take away again.

Numba puts an array that is indexed into memory, a word at a time, and reads its extents, strides and data back from
there: some sixty instructions each. A loop over a range is ninety, since its step might be anything. That was two
thirds of all that LLVM was given of our kernels, and a third of the time in which they compile. What is computed is the
same.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import builtin_registry
from numba.cpython import rangeobj
from numba.extending import lower_builtin, lower_getattr_generic
from numba.np import arrayobj

__all__ = ["counted_from_end", "made_array", "shorten_arrays", "shorten_ranges"]

#: Whether negative indices count from the end in what is compiled now; the innermost function's comes last.
counted_from_end = [True]

_I64 = ir.IntType(64)


def made_array(context: Any, array: Any, builder: Any, data: Any, extents: Sequence[Any], size: Any) -> Any:
    """An array in C order whose memory nobody owns.

    Parameters
    ----------
    context, builder : of the function that is compiled
    array : its type
    data : pointer to its first element
    extents, size : of each axis, and octets of an element, values of LLVM of 64 bits
    """
    model = context.data_model_manager[array]
    strides, count = [size], extents[0]
    for extent in reversed(extents[1:]):
        strides.insert(0, builder.mul(strides[0], extent))
    for extent in extents[1:]:
        count = builder.mul(count, extent)
    made = ir.Constant(model.get_value_type(), None)
    words = {"nitems": count, "itemsize": size, "data": data}
    for name, value in words.items():
        made = builder.insert_value(made, value, model.get_field_position(name))
    for name, values in (("shape", extents), ("strides", strides)):
        place = model.get_field_position(name)
        for axis, value in enumerate(values):
            made = builder.insert_value(made, value, (place, axis))
    return made


def _element(context: Any, builder: Any, array: Any, value: Any, kinds: Sequence[Any], indices: Sequence[Any]) -> Any:
    """Pointer to an element."""
    model = context.data_model_manager[array]

    def extent(axis: int) -> Any:
        if isinstance(array, types.NestedArray):
            return _I64(array.shape[axis])
        return builder.extract_value(value, (model.get_field_position("shape"), axis))

    place: Any = None
    for axis, (kind, index) in enumerate(zip(kinds, indices, strict=True)):
        size = extent(axis) if axis or (counted_from_end[-1] and kind.signed) else None
        index = arrayobj.fix_integer_index(context, builder, kind, index, size)
        place = index if place is None else builder.add(builder.mul(place, size), index)
    return builder.gep(builder.extract_value(value, model.get_field_position("data")), [place])


def _is_element(context: Any, array: Any, kinds: Sequence[Any]) -> bool:
    """Whether indices stand for one element, of memory without gaps, that nobody checks."""
    whole = array.layout == "C" and array.ndim == len(kinds) and not context.enable_boundscheck
    return whole and all([isinstance(kind, types.Integer) for kind in kinds])


def _indices(builder: Any, kind: Any, index: Any) -> tuple[Sequence[Any], Sequence[Any]]:
    if isinstance(kind, types.BaseTuple):  # type: ignore[attr-defined]
        return kind.types, cgutils.unpack_tuple(builder, index, count=len(kind))
    return (kind,), (index,)


@cache
def shorten_arrays() -> None:
    """Let Numba find elements so, in this process."""
    count_from_end, read_field = arrayobj.fix_integer_index, arrayobj.record_getattr

    def fix(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        if counted_from_end[-1]:
            return count_from_end(context, builder, kind, index, size)
        return context.cast(builder, index, kind, types.intp)

    arrayobj.fix_integer_index = fix

    def read(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array, kind = signature.args
        kinds, indices = _indices(builder, kind, args[1])
        if not _is_element(context, array, kinds):
            whole = arrayobj.getitem_array_tuple if len(kinds) > 1 else arrayobj.getitem_arraynd_intp
            return whole(context, builder, signature, args)
        pointer = _element(context, builder, array, args[0], kinds, indices)
        return arrayobj.load_item(context, builder, array, pointer)

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array, kind, given = signature.args
        kinds, indices = _indices(builder, kind, args[1])
        if not _is_element(context, array, kinds):
            return arrayobj.setitem_array(context, builder, signature, args)
        value = context.cast(builder, args[2], given, array.dtype)
        pointer = _element(context, builder, array, args[0], kinds, indices)
        arrayobj.store_item(context, builder, array, value, pointer)
        return context.get_dummy_value()

    def field(context: Any, builder: Any, record: Any, value: Any, name: str) -> Any:
        array = record.typeof(name)
        if not isinstance(array, types.NestedArray):
            return read_field(context, builder, record, value, name)
        context.sentry_record_alignment(record, name)
        data = cgutils.get_record_member(builder, value, record.offset(name), context.get_data_type(array.dtype))
        model = context.data_model_manager[array]
        kind = model.get_value_type()
        words: list[Any] = [None] * len(kind.elements)
        # As Numba has it, an array in a record has the size of all its elements for that of one.
        for word, known in (("nitems", array.nitems), ("itemsize", array.size)):
            words[model.get_field_position(word)] = known
        for word, several in (("shape", array.shape), ("strides", array.strides)):
            words[model.get_field_position(word)] = [_I64(one) for one in several]
        constant = ir.Constant(kind, [ir.Constant(of, word) for of, word in zip(kind.elements, words, strict=True)])
        return builder.insert_value(constant, data, model.get_field_position("data"))

    lower_getattr_generic(types.Record)(field)
    for kind in (types.Integer, types.BaseTuple):  # type: ignore[attr-defined]
        lower_builtin(operator.getitem, types.Array, kind)(read)
        lower_builtin(operator.setitem, types.Array, kind, types.Any)(write)


# ------------------------------------------------------------------ ranges
def _range(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    kind = context.get_value_type(signature.return_type)
    start, stop = args if len(args) == 2 else (kind.elements[0](0), args[0])
    made = builder.insert_value(ir.Constant(kind, [None, None, kind.elements[2](1)]), start, 0)
    made = builder.insert_value(made, stop, 1)
    made.counts_by_one = True
    return made


def _next_of_range(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """The next number, and whether there is one; behind the last there is none, however often it is asked for."""
    place, step, left = (builder.extract_value(args[0], word) for word in (0, 2, 3))
    number, count = builder.load(place), builder.load(left)
    builder.store(builder.add(number, step), place)
    builder.store(builder.sub(count, count.type(1)), left)
    pair = ir.Constant(context.get_value_type(signature.return_type), ir.Undefined)
    pair = builder.insert_value(pair, number, 0)
    return builder.insert_value(pair, builder.icmp_signed(">", count, count.type(0)), 1)


def _iterator(context: Any, builder: Any, signature: Any, args: Any, whole: Callable[..., Any]) -> Any:
    if not getattr(args[0], "counts_by_one", False):
        return whole(context, builder, signature, args)
    start, stop = (builder.extract_value(args[0], word) for word in (0, 1))
    place, left = (cgutils.alloca_once(builder, start.type) for _ in range(2))
    count = builder.sub(stop, start)
    none = count.type(0)
    builder.store(start, place)
    builder.store(builder.select(builder.icmp_signed(">", count, none), count, none), left)
    words = place, stop, count.type(1), left
    made = ir.Constant(context.get_value_type(signature.return_type), ir.Undefined)
    for word, value in enumerate(words):
        made = builder.insert_value(made, value, word)
    return made


@cache
def shorten_ranges() -> None:
    """Let Numba loop so, in this process."""
    for number, (state, iterator) in rangeobj.range_impl_map.items():
        whole = next(made for made, name, kinds in builtin_registry.functions if (name, kinds) == ("getiter", (state,)))
        lower_builtin(range, number)(_range)
        lower_builtin(range, number, number)(_range)
        lower_builtin("getiter", state)(partial(_iterator, whole=whole))
        lower_builtin("iternext", iterator)(_next_of_range)
