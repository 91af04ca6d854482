"""Uniform values: glUniform*, glProgramUniform*, glGetUniform*, bindings of uniform blocks."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from itertools import count as counting
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.gles import enums as gl
from traceformat.gles.dispatch import Handler, Prepared, Preparer, handles, invalid_operation, invalid_value, prepares
from traceformat.gles.gltypes import TYPES
from traceformat.gles.objects import Executable, ProgramObject, UniformSlot
from traceformat.gles.programs import program_of
from traceformat.gles.state import Changes, Context
from traceformat.gles.values import content, floats_out, ints_out, nearest

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

_BASES = {"f": ("float", "bool"), "i": ("int", "bool", "sampler", "image"), "ui": ("uint", "bool")}
_CODES = {"f": "f", "i": "i", "ui": "I"}


def _accepted(kind: str, rows: int) -> frozenset[int]:
    """Types that glUniform<rows><kind> may set."""
    return frozenset(
        name for name, type in TYPES.items() if type.columns == 1 and type.rows == rows and type.base in _BASES[kind]
    )


_ACCEPTED = {(kind, rows): _accepted(kind, rows) for kind in _BASES for rows in (1, 2, 3, 4)}
_SAMPLERS = frozenset(name for name, type in TYPES.items() if type.base == "sampler")
_BOOLS = frozenset(name for name, type in TYPES.items() if type.base == "bool")
_PLAIN = frozenset(TYPES) - _SAMPLERS - _BOOLS
_DTYPES = {"f": "<f4", "i": "<i4", "ui": "<u4"}
#: What writes one element of a uniform: context, executable, location and data.
_Store = Callable[[Context, Executable, int, bytes], None]
#: Bits of a key of ``Executable.places`` that name the kind of value; the location is above them.
_KIND_BITS: Final = 6
_kind_numbers = counting()


def _write(context: Context, executable: Executable, slot: UniformSlot, element: int, data: bytes, kind: str) -> None:
    """Write values of whole elements; ``data`` may have more than the array has left."""
    type = slot.uniform.type
    is_sampler = type in _SAMPLERS
    if is_sampler:
        units = struct.unpack(f"<{len(data) // 4}i", data)
        if min(units) < 0 or max(units) >= len(context.units):
            raise invalid_value(f"texture unit {max(units)}")
    elif type in _BOOLS:
        words = np.frombuffer(data, "<f4" if kind == "f" else "<i4")
        data = (words != 0).astype("<i4").tobytes()
    start = slot.offset + element * slot.element_bytes
    room = (slot.uniform.size - element) * slot.element_bytes
    if len(data) > room:
        data = data[:room]
    end = start + len(data)
    # Programs give samplers the units that they have before each draw.
    if is_sampler and executable.constants[start:end] != data:
        executable.sampler_conflict = None
        context.changes.bits |= Changes.TEXTURES
    executable.constants[start:end] = data
    executable.changed.add(slot.index)
    executable.version += 1


def _find(executable: Executable | None, location: int) -> tuple[UniformSlot, int] | None:
    """Slot and element of a location; None where a write is to be ignored silently."""
    if executable is None:
        raise invalid_operation("no linked program")
    if location == -1:
        return None
    try:
        return executable.locations[location]
    except KeyError:
        raise invalid_operation(f"location {location} does not exist") from None


def _current(context: Context) -> Executable:
    program = context.used_program
    if program is None and context.pipeline is not None:
        program = context.pipeline.active
    if program is None or program.executable is None:
        raise invalid_operation("no program is in use")
    return program.executable


def _linked(context: Context, name: int) -> Executable:
    program = program_of(context, name)
    if program.executable is None or not program.linked:
        raise invalid_operation(f"program {name} is not linked")
    return program.executable


class _OneValue:
    """Writes one element of one kind, for prepared calls; ``number`` is that of the kind."""

    def __init__(self, store: _Store) -> None:
        self.number = next(_kind_numbers)
        assert self.number < 1 << _KIND_BITS
        self._store = store

    def write(self, tracker: Tracker, context: Context, key: int, data: bytes) -> None:
        """For glUniform*."""
        self._write(_current(context), context, key, data)

    def write_of(self, tracker: Tracker, context: Context, name: int, key: int, data: bytes) -> None:
        """For glProgramUniform*."""
        self._write(_linked(context, name), context, key, data)

    def _write(self, executable: Executable, context: Context, key: int, data: bytes) -> None:
        place = executable.places.get(key)
        if place is not None:
            start, end, index = place
            executable.constants[start:end] = data
            executable.changed.add(index)
            executable.version += 1
            return
        location = key >> _KIND_BITS
        self._store(context, executable, location, data)
        found = executable.locations.get(location)
        if found is not None and found[0].uniform.type in _PLAIN:
            start = found[0].offset + found[1] * found[0].element_bytes
            executable.places[key] = (start, start + len(data), found[0].index)


def is_one_value(handler: Any) -> int:
    """1 for what executes prepared calls of glUniform*, 2 for those of glProgramUniform*, else 0."""
    own = getattr(handler, "__func__", None)
    return 1 if own is _OneValue.write else 2 if own is _OneValue.write_of else 0


def place_of_value(context: Context, handler: Any, arguments: tuple[Any, ...]) -> tuple[int, int, int] | None:
    """First and last byte in ``Executable.constants`` of the program in use that a prepared call writes, and the
    uniform's index; None where that is not known, or there is more to it.
    """
    program = context.used_program
    if is_one_value(handler) == 2 and context.group.programs.objects.get(arguments[0]) is not program:
        return None
    executable = program.executable if program is not None else None
    return executable.places.get(arguments[-2]) if executable is not None else None


def _prepared(columns: NDArray[Any], one: _OneValue, at: int, parts: Sequence[bytes | None]) -> Prepared:
    """Prepared calls whose location is argument ``at``, behind the program where there is one; of None none."""
    keys = (columns[f"a{at}"].astype(np.int64) << _KIND_BITS | one.number).tolist()
    leading = (columns["a0"].tolist(), keys) if at else (keys,)
    rows = [row if row[-1] is not None else None for row in zip(*leading, parts, strict=True)]
    return (one.write_of if at else one.write), rows


def _prepared_values(kind: str, rows: int, one: _OneValue, at: int) -> Preparer:
    """What prepares calls that pass one vector as numbers; the location is argument ``at``."""
    names = [f"a{at + 1 + k}" for k in range(rows)]
    dtype, size = np.dtype(_DTYPES[kind]), 4 * rows

    def prepare(columns: NDArray[Any], arguments: Sequence[tuple[Any, ...]]) -> Prepared | None:
        if kind == "f" and any(columns.dtype[name] != dtype for name in names):
            return None
        values = np.empty((len(columns), rows), dtype)
        for number, name in enumerate(names):
            # By way of doubles, as single calls: these have quiet NaNs.
            values[:, number] = columns[name].astype(np.float64) if kind == "f" else columns[name].astype(dtype)
        data = values.tobytes()
        return _prepared(columns, one, at, [data[k : k + size] for k in range(0, len(data), size)])

    return prepare


def _prepared_content(size: int, one: _OneValue, at: int, *, is_matrix: bool) -> Preparer:
    """What prepares calls that pass one element of ``size`` bytes behind a pointer, not transposed."""
    count, transpose = f"a{at + 1}", f"a{at + 2}"

    def prepare(columns: NDArray[Any], arguments: Sequence[tuple[Any, ...]]) -> Prepared:
        is_usual = columns[count] == 1
        if is_matrix:
            is_usual &= columns[transpose] == 0
        parts = [
            data[:size] if usual and isinstance(data, bytes) and len(data) >= size else None
            for usual, (*_, data) in zip(is_usual.tolist(), arguments, strict=True)
        ]
        return _prepared(columns, one, at, parts)

    return prepare


def _vector_handlers(kind: str, rows: int) -> None:
    """Register the four entry points of one vector type."""
    accepted = _ACCEPTED[(kind, rows)]
    packer = struct.Struct(f"<{rows}{_CODES[kind]}").pack
    wide = kind == "ui"
    element = 4 * rows

    def store(context: Context, executable: Executable, location: int, data: bytes, count: int) -> None:
        found = _find(executable, location)
        if found is None:
            return
        slot, index = found
        type = slot.uniform.type
        if type not in accepted:
            raise invalid_operation(f"uniform {slot.uniform.name} has type {type:#x}")
        if count > 1 and slot.uniform.size == 1 and not slot.uniform.is_array:
            raise invalid_operation(f"{count} values for {slot.uniform.name}, which is no array")
        if type in _PLAIN and count == 1:
            start = slot.offset + index * element
            executable.constants[start : start + element] = data
            executable.changed.add(slot.index)
            executable.version += 1
        elif count:
            _write(context, executable, slot, index, data, kind)

    def pack(values: tuple[float, ...]) -> bytes:
        return packer(*(int(value) & 0xFFFFFFFF for value in values)) if wide else packer(*values)

    def values(tracker: Tracker, context: Context, location: int, *values: float) -> None:
        store(context, _current(context), location, pack(values), 1)

    def array(tracker: Tracker, context: Context, location: int, count: int, data: object) -> None:
        executable = _current(context)
        if count < 0:
            raise invalid_value(f"count {count}")
        store(context, executable, location, content(data, element * _bounded(executable, location, count)), count)

    def program_values(tracker: Tracker, context: Context, name: int, location: int, *values: float) -> None:
        store(context, _linked(context, name), location, pack(values), 1)

    def program_array(tracker: Tracker, context: Context, name: int, location: int, count: int, data: object) -> None:
        executable = _linked(context, name)
        if count < 0:
            raise invalid_value(f"count {count}")
        store(context, executable, location, content(data, element * _bounded(executable, location, count)), count)

    _register(f"glUniform{rows}{kind}", values)
    _register(f"glUniform{rows}{kind}v", array)
    _register(f"glProgramUniform{rows}{kind}", program_values)
    _register(f"glProgramUniform{rows}{kind}v", program_array)
    one = _OneValue(lambda context, executable, location, data: store(context, executable, location, data, 1))
    for at, word in ((0, "glUniform"), (1, "glProgramUniform")):
        prepares(f"{word}{rows}{kind}")(_prepared_values(kind, rows, one, at))
        prepares(f"{word}{rows}{kind}v")(_prepared_content(element, one, at, is_matrix=False))


def _bounded(executable: Executable, location: int, count: int) -> int:
    """Number of array elements that a call really writes: what lies beyond the array is ignored."""
    if count <= 1:
        return count
    found = executable.locations.get(location)
    if found is None:
        return 0
    return min(count, found[0].uniform.size - found[1])


def _matrix_handlers(columns: int, rows: int) -> None:
    """Register the two entry points of one matrix type."""
    word = f"{columns}" if columns == rows else f"{columns}x{rows}"
    wanted = getattr(gl, f"GL_FLOAT_MAT{word}")
    element = 4 * columns * rows

    def store(
        context: Context, executable: Executable, location: int, count: int, transpose: int, data: object
    ) -> None:
        if count < 0:
            raise invalid_value(f"count {count}")
        if transpose and context.config.is_gles and context.config.major < 3:
            raise invalid_value("matrices are not transposed in OpenGL ES 2.0")
        found = _find(executable, location)
        if found is None:
            return
        slot, index = found
        if slot.uniform.type != wanted:
            raise invalid_operation(f"uniform {slot.uniform.name} has type {slot.uniform.type:#x}")
        if count > 1 and slot.uniform.size == 1 and not slot.uniform.is_array:
            raise invalid_operation(f"{count} values for {slot.uniform.name}, which is no array")
        count = min(count, slot.uniform.size - index)
        if not count:
            return
        values = content(data, element * count)
        if transpose:
            values = np.frombuffer(values, "<f4").reshape(count, rows, columns).swapaxes(1, 2).tobytes()
        start = slot.offset + index * element
        executable.constants[start : start + len(values)] = values
        executable.changed.add(slot.index)
        executable.version += 1

    def matrix(tracker: Tracker, context: Context, location: int, count: int, transpose: int, data: object) -> None:
        store(context, _current(context), location, count, transpose, data)

    def program_matrix(
        tracker: Tracker, context: Context, name: int, location: int, count: int, transpose: int, data: object
    ) -> None:
        store(context, _linked(context, name), location, count, transpose, data)

    _register(f"glUniformMatrix{word}fv", matrix)
    _register(f"glProgramUniformMatrix{word}fv", program_matrix)
    one = _OneValue(lambda context, executable, location, data: store(context, executable, location, 1, 0, data))
    for at, family in ((0, "glUniform"), (1, "glProgramUniform")):
        prepares(f"{family}Matrix{word}fv")(_prepared_content(element, one, at, is_matrix=True))


def _register(name: str, handler: Handler) -> None:
    handles(name, touches=Changes.NOTHING)(handler)


for _kind in _BASES:
    for _rows in (1, 2, 3, 4):
        _vector_handlers(_kind, _rows)
for _columns in (2, 3, 4):
    for _rows in (2, 3, 4):
        _matrix_handlers(_columns, _rows)


def _get(context: Context, name: int, location: int) -> tuple[float, ...]:
    """Components of the uniform at a location."""
    program: ProgramObject = program_of(context, name)
    executable = program.executable
    if executable is None or not program.linked:
        raise invalid_operation(f"program {name} is not linked")
    found = executable.locations.get(location)
    if found is None:
        raise invalid_operation(f"location {location} does not exist")
    slot, element = found
    type = TYPES[slot.uniform.type]
    code = {"float": "f", "uint": "I"}.get(type.base, "i")
    start = slot.offset + element * slot.element_bytes
    return struct.unpack_from(f"<{type.components}{code}", executable.constants, start)


@handles("glGetUniformfv", touches=Changes.NOTHING)
def get_uniform_fv(tracker: Tracker, context: Context, name: int, location: int, _: object) -> None:
    tracker.outputs["params"] = floats_out(_get(context, name, location))


@handles("glGetUniformiv", "glGetUniformuiv", touches=Changes.NOTHING)
def get_uniform_iv(tracker: Tracker, context: Context, name: int, location: int, _: object) -> None:
    tracker.outputs["params"] = ints_out([nearest(value) for value in _get(context, name, location)])


@handles("glGetnUniformfv", touches=Changes.NOTHING)
def getn_uniform_fv(tracker: Tracker, context: Context, name: int, location: int, size: int, _: object) -> None:
    values = _get(context, name, location)
    if 4 * len(values) > size:
        raise invalid_operation(f"{4 * len(values)} bytes into a buffer of {size}")
    tracker.outputs["params"] = floats_out(values)


@handles("glGetnUniformiv", "glGetnUniformuiv", touches=Changes.NOTHING)
def getn_uniform_iv(tracker: Tracker, context: Context, name: int, location: int, size: int, _: object) -> None:
    values = _get(context, name, location)
    if 4 * len(values) > size:
        raise invalid_operation(f"{4 * len(values)} bytes into a buffer of {size}")
    tracker.outputs["params"] = ints_out([nearest(value) for value in values])


@handles("glUniformBlockBinding", touches=Changes.NOTHING)
def uniform_block_binding(tracker: Tracker, context: Context, name: int, block: int, binding: int) -> None:
    program = program_of(context, name)
    executable = program.executable
    if executable is not None:
        block = executable.recorded_blocks.get(block, block)
    if executable is None or not 0 <= block < len(executable.block_bindings):
        raise invalid_value(f"block {block}")
    if not 0 <= binding < context.limits.max_uniform_buffer_bindings:
        raise invalid_value(f"binding point {binding}")
    executable.block_bindings[block] = binding
    executable.version += 1
