"""Runs of draws that repeat one pattern of calls: what they differ in comes as columns, and goes to records as such.

The twin is :class:`~replay.engine.draws.DrawPipeline` with the same draws one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine.batch import MAX_ROWS, DrawBatch
from replay.engine.constants import Copies, StageConstants
from replay.engine.draw_log import draw_text
from replay.engine.fold import Constants, DrawRows, client_attributes, set_places
from replay.engine.input_cache import Common, DrawnRange, InputCache
from replay.engine.octets import COPIED_BYTES
from replay.engine.recorder import FrameRecorder
from replay.engine.run_memory import RunMemory, Stores
from replay.engine.setting import Setting
from replay.engine.vertex_source import LAST_ADDRESS, FetchPlace, VertexSource
from replay.objects import ObjectIds, ObjectName
from traceformat.gles import enums as gl
from traceformat.gles.backend import DrawCall, DrawRun, RunArray
from traceformat.gles.gltypes import INDEX_BYTES
from traceformat.gles.objects import Buffer

__all__ = ["RunWriter"]

_NUMBERS: Final = {name: column for column, name in enumerate(Common.NUMBERS)}
#: Vertices of a run beyond which its draws go one by one: their listings are held until all are written down.
_MAX_RUN_ROWS: Final = 1 << 20
#: What of a draw call its object's name has: mode, first vertex, count, index buffer, offset.
_CALL_NUMBERS: Final = 5
#: Names that are kept.
_MAX_NAMES: Final = 1 << 16
_Ints = NDArray[np.int64]


@dataclass(slots=True, eq=False)
class _Shared:
    """What a batch keeps of all draws of a run.

    Parameters
    ----------
    ranges : of vertices
    copies : packed constants of each, or one for all
    changed : uniforms that each has set
    kept : what their records point to
    """

    setting: Setting
    ranges: list[DrawnRange]
    copies: Copies
    changed: frozenset[int]
    kept: Any

    def packed(self, number: int) -> bytes:
        """Packed constants of a draw."""
        size = self.copies.size
        return self.copies.data[number * size : (number + 1) * size]


class _RunDraw:
    """What a batch keeps of a draw, or of several that have all this in common: little is made for each.

    Parameters
    ----------
    shared : by all
    which : of the ranges
    number : of the packed constants
    """

    __slots__ = ("_number", "_shared", "_which")
    vertices: Final = None

    def __init__(self, shared: _Shared, which: int, number: int) -> None:
        self._shared, self._which, self._number = shared, which, number

    @property
    def setting(self) -> Setting:
        """Of all."""
        return self._shared.setting

    @property
    def taken(self) -> DrawnRange:
        """Its vertices."""
        return self._shared.ranges[self._which]

    @property
    def constants(self) -> dict[str, StageConstants]:
        """Of its stages."""
        shared, packed = self._shared, self._shared.packed(self._number)
        return shared.setting.linked.gathered_constants(shared.setting.executable, packed, shared.changed)


@dataclass(slots=True, eq=False)
class RunWriter:
    """Makes the rows of a run's draws.

    Parameters
    ----------
    recorder, inputs, memory : of the engine
    setting, source, place : of the draw before, which they have in common
    setup : where the set-up state lies
    run : the draws
    before_write : called before a buffer that they read is written to
    """

    recorder: FrameRecorder
    inputs: InputCache
    memory: RunMemory
    setting: Setting
    source: VertexSource
    place: FetchPlace
    setup: int
    run: DrawRun
    before_write: Callable[[], None]
    #: Vertices of draws, and for each draw which these are.
    ranges: list[DrawnRange] = field(init=False)
    which: _Ints = field(init=False)
    #: Of each range address, rows and lanes of the stream, and primitives.
    sizes: _Ints = field(init=False)
    #: Buffers of arrays by the identity of their list, which several may share, and those of indices.
    stores: dict[int, Stores] = field(init=False)
    indices: Stores | None = field(init=False)

    @property
    def can(self) -> bool:
        """Whether this makes what single draws make, in as much memory: none has a label or large contents."""
        arrays = self.run.arrays.values()
        # Arrays of one buffer share the list.
        buffers = {id(array.buffers): array.buffers or () for array in arrays}
        return (
            not self.source.label
            and int(self.run.counts.sum()) <= _MAX_RUN_ROWS
            and not any([buffer.label for own in buffers.values() for buffer in own])
            and not any([bool((array.sizes > COPIED_BYTES).any()) for array in arrays])
            # Others in client memory than those that the run says: their contents are looked at draw by draw.
            and all([location in self.run.arrays for _, location, _, _ in self.place.clients])
        )

    def parts(self, max_draws: int) -> Iterator[DrawRows]:
        """Rows of so many draws as one batch takes, one after the other."""
        self.indices = self.memory.stores(self.run.index_buffers) if self.run.index_type else None
        self._find_ranges()
        streams = [(taken.cached.stream, taken.num_primitives) for taken in self.ranges]
        sizes = [(stream.address, stream.num_rows, stream.num_lanes, count) for stream, count in streams]
        self.sizes = np.array(sizes, np.int64)
        lists = {id(array.buffers): array.buffers for array in self.run.arrays.values() if array.buffers is not None}
        self.stores = {name: self.memory.stores(buffers) for name, buffers in lists.items()}
        # Vertices of the draws up to each one.
        rows = self.sizes[:, 1].take(self.which).cumsum()
        begin = before = 0
        while begin < len(rows):
            end = int(np.searchsorted(rows, before + MAX_ROWS, "right"))
            end = min(max(end, begin + 1), begin + max_draws)
            yield RunRows(self, slice(begin, end))
            begin, before = end, int(rows[end - 1])

    def _find_ranges(self) -> None:
        """Look up the vertices of each draw; those of equal indices once."""
        run, context = self.run, self.setting.context
        if self.indices is not None:
            self.ranges, self.which = self.memory.ranges(run, self.indices.serials, self._find_indexed)
            return
        keys = list(zip(run.firsts.tolist(), run.counts.tolist(), strict=True))
        numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        self.ranges = [self.inputs.range(context, DrawCall(run.mode, *key)) for key in numbers]
        self.which = np.array(list(map(numbers.__getitem__, keys)))

    def _find_indexed(self, buffer: Buffer, offset: int, count: int) -> DrawnRange:
        """Vertices of an indexed draw."""
        run = self.run
        data = memoryview(buffer.store)[offset : offset + INDEX_BYTES[run.index_type] * count]
        call = DrawCall(run.mode, 0, count, 1, run.index_type, data, buffer, offset, restart_index=run.restart_index)
        return self.inputs.unkept_range(self.setting.context, call)


class RunRows(DrawRows):
    """Rows of draws of a run; ``part`` says of which."""

    def __init__(self, writer: RunWriter, part: slice) -> None:
        self._writer, self._part = writer, part
        run, setting = writer.run, writer.setting
        self._taken = writer.which[part]
        count = len(self._taken)
        self._arrays = {location: array.part(part) for location, array in run.arrays.items()}
        self._stores = {name: stores.part(part) for name, stores in writer.stores.items()}
        self._indices = None if writer.indices is None else writer.indices.part(part)
        self.settings, self.which = [setting], np.zeros(count, np.int64)
        calls = run.calls[part]
        self.calls = np.arange(calls.start, calls.stop, calls.step)
        copies, changed = self._uniforms(count)
        alike = _Shared(setting, writer.ranges, copies, changed, self._held())
        self.constants = Constants.of_run(count, copies, changed, setting)
        self.numbers = self._numbers()
        self._addresses = self._vertex_addresses() if writer.recorder.is_recording else {}
        book, taken = setting.plan.book, self._taken.tolist()
        if book is None or book.is_straight or copies.count < count:
            draws = [_RunDraw(alike, number, 0) for number in range(len(writer.ranges))]
            self.queued = [draws[number] for number in taken]
        else:
            self.queued = list(map(_RunDraw, repeat(alike), taken, range(count)))

    def _uniforms(self, count: int) -> tuple[Copies, frozenset[int]]:
        """Packed constants of each draw, or one for all, and the uniforms that each has set."""
        constants, uniforms = self._writer.setting.executable.constants, self._writer.run.uniforms
        if not uniforms:
            return Copies(bytes(constants), 1), frozenset()
        rows = np.empty((count, len(constants)), np.uint8)
        rows[...] = np.frombuffer(constants, np.uint8)
        for start, end, _, data in uniforms:
            rows[:, start:end] = np.frombuffer(data, np.uint8).reshape(-1, end - start)[self._part]
        return Copies(rows.tobytes(), count), frozenset(u[2] for u in uniforms)

    def _numbers(self) -> _Ints:
        """See :class:`~replay.engine.input_cache.Common`."""
        writer, taken, run = self._writer, self._taken, self._writer.run
        found = np.empty((len(taken), len(_NUMBERS)), np.int64)
        found[:, : writer.sizes.shape[1]] = writer.sizes.take(taken, axis=0)
        size, addresses = 0, np.zeros(1, np.int64)
        recorder, group = writer.recorder, writer.setting.context.group.serial
        if self._indices is not None and recorder.wants_vertices:
            size, own = INDEX_BYTES[run.index_type], self._indices
            addresses = recorder.addresses.buffers("index", group, own.serials, own.sizes) + run.firsts[self._part]
        found[:, _NUMBERS["index_bytes"]] = size
        found[:, _NUMBERS["index_address"]] = addresses
        found[:, _NUMBERS["mode"]] = run.mode
        found[:, _NUMBERS["is_points"]] = run.mode == gl.GL_POINTS
        found[:, _NUMBERS["setup"]] = writer.setup
        found[:, _NUMBERS["attributes"]] = writer.place.address
        found[:, _NUMBERS["num_attributes"]] = writer.place.count
        return found

    def _held(self) -> Any:
        """The memory that the draws read; who changes it has them executed before."""
        buffers = {buffer for buffer, _ in self._writer.source.stores}
        buffers.update(*[stores.buffers for stores in self._stores.values()])
        for buffer in buffers:
            buffer.before_write = self._writer.before_write
        return [buffer.store for buffer in buffers], self._writer.place

    def _stores_of(self, location: int) -> Stores:
        """Of an array in buffers."""
        return self._stores[id(self._writer.run.arrays[location].buffers)]

    def attributes(self, batch: DrawBatch) -> _Ints:
        """Where the ATTRIBUTE rows of each lie."""
        place, attribs = self._writer.place, self._writer.setting.context.vertex_array.attribs
        if not self._arrays:
            return self.numbers[:, _NUMBERS["attributes"]]
        clients = [self._arrays[location] for _, location, _, _ in place.clients]
        found, rows = client_attributes(place, clients, len(self._taken), batch)
        for row, location in self._writer.source.array_rows(len(attribs)):
            array = self._arrays.get(location)
            attrib = attribs[location]
            if array is not None and array.buffers is not None and attrib.enabled:
                stores = self._stores_of(location)
                spare = stores.sizes - array.offsets - attrib.element_bytes
                addresses = np.where(spare >= 0, stores.addresses + array.offsets, 0)
                set_places(rows, row, addresses, spare, attrib.effective_stride)
        return found

    def objects(self, recorder: FrameRecorder) -> list[int]:
        """Row of ``objects`` of each."""
        run, setting, part, ids = self._writer.run, self._writer.setting, self._part, recorder.objects
        columns: list[Any] = [setting.identity]
        for location, serial, offset in self._writer.source.buffers:
            array = self._arrays.get(location)
            if array is None or array.buffers is None:
                columns += (location, serial, offset)
            else:
                columns += (location, self._stores_of(location).serials, array.offsets)
        firsts, counts = run.firsts[part], run.counts[part]
        columns += (
            (run.mode, firsts, counts, 0, 0)
            if self._indices is None
            else (run.mode, 0, counts, self._indices.serials, firsts)
        )
        bound = np.empty((len(self._taken), len(columns)), np.int64)
        for column, values in enumerate(columns):
            bound[:, column] = values
        known = ids.of_runs
        if len(known) > _MAX_NAMES:
            known.clear()
        keys = bound.view(f"V{bound.itemsize * len(columns)}").reshape(-1).tolist()
        found: list[Any] = list(map(known.get, keys))
        if None in found:
            new = [number for number, named in enumerate(found) if named is None]
            for number, named in zip(new, self._named(ids, bound[new]), strict=True):
                found[number] = known[keys[number]] = named
        return recorder.object_rows(ids.next_rows(found))

    def _named(self, ids: ObjectIds, bound: _Ints) -> list[tuple[ObjectName, tuple[Any, ...]]]:
        """Names and texts of draws, from what each binds: the setting's number, buffers, the call."""
        identities, *buffers = bound[:, :-_CALL_NUMBERS].T.tolist()
        arrays = [zip(*buffers[at : at + 3], strict=True) for at in range(0, len(buffers), 3)]
        sources = ids.numbers(zip(*arrays, strict=True) if arrays else [()] * len(bound))
        calls = list(zip(*bound[:, -_CALL_NUMBERS:].T.tolist(), strict=True))
        names = ids.names(zip(identities, sources, ids.numbers(calls), strict=True))
        texts = [draw_text(self._writer.setting, call[2], call[1]) for call in calls]
        return list(zip(names, texts, strict=True))

    def bindings(self) -> tuple[bytes, NDArray[Any]]:
        """Rows of ``texture_bindings`` of all, packed, and how many each has."""
        count = len(self._taken)
        packed, number = self._writer.setting.bound.rows(self._writer.recorder.bindings)
        return packed * count, np.full(count, number)

    def _vertex_addresses(self) -> dict[int, _Ints]:
        """Where arrays lie in the modelled memory that are not where they were, by location; in the order of draws."""
        addresses, group = self._writer.recorder.addresses, self._writer.setting.context.group.serial
        attribs = self._writer.setting.context.vertex_array.attribs
        stored: dict[int, RunArray] = {}
        clients: dict[int, RunArray] = {}
        for location in self._writer.source.locations:
            array, attrib = self._arrays.get(location), attribs[location]
            if array is None or not attrib.enabled or (not len(array.offsets) and attrib.buffer is not None):
                continue
            (clients if array.buffers is None else stored)[location] = array
        found: dict[int, _Ints] = {}
        if stored:
            # In the order in which single draws find them; that of one list is found once.
            lists = {id(own): own for own in map(self._stores_of, stored)}
            serials, sizes = (
                own[0] if len(own) == 1 else np.stack(own, axis=1).reshape(-1)
                for own in ([own.serials for own in lists.values()], [own.sizes for own in lists.values()])
            )
            bases = addresses.buffers("vertex", group, serials, sizes)
            columns = dict(zip(lists, bases.reshape(-1, len(lists)).T, strict=True))
            for location, array in stored.items():
                found[location] = columns[id(self._stores_of(location))] + array.offsets
        if clients:
            sizes = np.stack([array.sizes for array in clients.values()], axis=1)
            bases = addresses.clients("vertex", sizes.reshape(-1)).reshape(sizes.shape)
            for column, (location, array) in enumerate(clients.items()):
                begins = array.client_firsts * attribs[location].effective_stride
                found[location] = bases[:, column] - begins
        # Faster than clip.
        return {location: np.minimum(np.maximum(own, 0), LAST_ADDRESS) for location, own in found.items()}

    def fetches(self) -> tuple[bytes, NDArray[Any]]:
        """Rows of ``vertex_fetches`` of all, packed, and how many each has."""
        table, count = self._writer.recorder.fetches, len(self._taken)
        arrays = self._writer.source.arrays or []
        # By address, then as they are packed.
        packed = sorted((table.pack_row(0, *array[2:], array[0]), array) for array in arrays)
        if not packed:
            return b"", np.zeros(count, np.int64)
        own = b"".join([row for row, _ in packed])
        rows = np.frombuffer(bytearray(own * count), table.dtype).reshape(count, -1)
        for column, (_, (location, address, *_)) in enumerate(packed):
            rows["address"][:, column] = self._addresses.get(location, address)
        order = np.argsort(rows["address"], axis=1, kind="stable")
        if (order == order[0]).all():
            rows = rows.take(order[0], axis=1)
        else:
            rows = np.take_along_axis(rows, order, axis=1)
        return rows.tobytes(), np.full(count, len(packed))

    def flags(self) -> Any:
        """DrawFlags of each, beside those of the state."""
        return 0

    def ranges(self) -> NDArray[np.uint8]:
        """Packed columns of ``draws`` that follow from the range of vertices, a row of each."""
        run, recorder = self._writer.run, self._writer.recorder
        size = INDEX_BYTES.get(run.index_type, 0)
        for taken in self._writer.ranges:
            if not taken.columns:
                rows = taken.cached.stream.num_rows
                taken.columns = recorder.pack_range(run.mode, rows, taken.num_primitives, 1, size)
        packed = [taken.columns for taken in self._writer.ranges]
        return np.frombuffer(b"".join(packed), np.uint8).reshape(len(packed), -1).take(self._taken, axis=0)
