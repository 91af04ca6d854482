"""Uniform values: glUniform*, glProgramUniform*, glGetUniform*, bindings of uniform blocks."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import count as counting
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.framing.headers import ValueKind
from traceformat.gles import enums as gl
from traceformat.gles.dispatch import Handler, Prepared, handles, invalid_operation, invalid_value, prepares
from traceformat.gles.gltypes import TYPES
from traceformat.gles.objects import Executable, ProgramObject, UniformSlot
from traceformat.gles.programs import program_of
from traceformat.gles.state import Changes, Context
from traceformat.gles.values import content, floats_out, ints_out, nearest

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker
    from traceformat.gltrace.callcolumns import CallColumns

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
    found = context.group.programs.objects.get(name)
    program = found if isinstance(found, ProgramObject) else program_of(context, name)
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


class ValuePreparer(ABC):
    """Prepares calls that write one element of a uniform (:func:`~traceformat.gles.dispatch.prepares`).

    Parameters
    ----------
    one : writes it
    at : argument with the location, behind the program where there is one
    """

    def __init__(self, one: _OneValue, at: int) -> None:
        self._one, self._at = one, at

    @property
    def common(self) -> tuple[str, ...]:
        """Arguments that say which element of which program is written."""
        return ("a0", "a1")[: self._at + 1]

    def __call__(self, columns: NDArray[Any], arguments: Sequence[tuple[Any, ...]]) -> Prepared | None:
        """See :func:`~traceformat.gles.dispatch.prepares`."""
        parts = self._parts(columns, arguments)
        if parts is None:
            return None
        keys = self._keys(columns)
        leading = (columns["a0"].tolist(), keys) if self._at else (keys,)
        rows = [row if row[-1] is not None else None for row in zip(*leading, parts, strict=True)]
        return (self._one.write_of if self._at else self._one.write), rows

    def _keys(self, columns: NDArray[Any]) -> list[int]:
        keys: list[int] = (columns[f"a{self._at}"].astype(np.int64) << _KIND_BITS | self._one.number).tolist()
        return keys

    def place(self, context: Context, columns: NDArray[Any]) -> tuple[int, int, int] | None:
        """First and last byte in ``Executable.constants`` of the program in use that calls with the same ``common``
        arguments write, and the uniform's index; None where that is not known, or there is more to it.
        """
        program = context.used_program
        if self._at and context.group.programs.objects.get(int(columns["a0"][0])) is not program:
            return None
        executable = program.executable if program is not None else None
        return executable.places.get(self._keys(columns[:1])[0]) if executable is not None else None

    @abstractmethod
    def _parts(self, columns: NDArray[Any], arguments: Sequence[tuple[Any, ...]]) -> list[bytes | None] | None:
        """What each call writes, None for a call that is left to the handler; None where all are."""

    @abstractmethod
    def are_usual(self, calls: CallColumns) -> bool:
        """Whether all of these calls are prepared, as far as their numbers tell."""

    @abstractmethod
    def data(self, calls: CallColumns) -> bytes | None:
        """What the calls write, one behind the other; None where one is left to the handler."""


class _NumberPreparer(ValuePreparer):
    """Of calls that pass one vector as numbers."""

    def __init__(self, one: _OneValue, at: int, kind: str, rows: int) -> None:
        super().__init__(one, at)
        self._is_float, self._dtype = kind == "f", np.dtype(_DTYPES[kind])
        self._names = [f"a{at + 1 + k}" for k in range(rows)]

    def are_usual(self, calls: CallColumns) -> bool:
        return self._takes(calls.table)

    def _takes(self, columns: NDArray[Any]) -> bool:
        return not self._is_float or all([columns.dtype[name] == self._dtype for name in self._names])

    def _parts(self, columns: NDArray[Any], arguments: Sequence[tuple[Any, ...]]) -> list[bytes | None] | None:
        if not self._takes(columns):
            return None
        data, size = self._packed(columns), 4 * len(self._names)
        return [data[k : k + size] for k in range(0, len(data), size)]

    def data(self, calls: CallColumns) -> bytes:
        return self._packed(calls.table)

    def _packed(self, columns: NDArray[Any]) -> bytes:
        values = np.empty((len(columns), len(self._names)), self._dtype)
        for number, name in enumerate(self._names):
            column = columns[name]
            # By way of doubles, as single calls: these have quiet NaNs.
            values[:, number] = column.astype(np.float64) if self._is_float else column.astype(self._dtype)
        return values.tobytes()


class _ContentPreparer(ValuePreparer):
    """Of calls that pass one element of ``size`` bytes behind a pointer, not transposed."""

    def __init__(self, one: _OneValue, at: int, size: int, *, is_matrix: bool) -> None:
        super().__init__(one, at)
        self._size = size
        self._count, self._transpose = f"a{at + 1}", f"a{at + 2}" if is_matrix else ""
        self._pointer = at + 2 + is_matrix

    def _is_usual(self, columns: NDArray[Any]) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = columns[self._count] == 1
        if self._transpose:
            found &= columns[self._transpose] == 0
        return found

    def are_usual(self, calls: CallColumns) -> bool:
        return calls.kind(self._pointer) is ValueKind.BYTES and bool(self._is_usual(calls.table).all())

    def _parts(self, columns: NDArray[Any], arguments: Sequence[tuple[Any, ...]]) -> list[bytes | None]:
        size, is_usual = self._size, self._is_usual(columns)
        contents = [row[-1] for row in arguments]
        if is_usual.all() and set(map(type, contents)) == {bytes} and {*map(len, contents)} == {size}:
            return contents
        return [
            data[:size] if usual and isinstance(data, bytes) and len(data) >= size else None
            for usual, data in zip(is_usual.tolist(), contents, strict=True)
        ]

    def data(self, calls: CallColumns) -> bytes | None:
        found, size = calls.contents(self._pointer), self._size
        if found is None or min(map(len, found)) < size:
            return None
        return b"".join([data[:size] for data in found])


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
        prepares(f"{word}{rows}{kind}")(_NumberPreparer(one, at, kind, rows))
        prepares(f"{word}{rows}{kind}v")(_ContentPreparer(one, at, element, is_matrix=False))


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
        prepares(f"{family}Matrix{word}fv")(_ContentPreparer(one, at, element, is_matrix=True))


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
