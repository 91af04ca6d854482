"""What the vertices of draws come from: arrays and constants that a program reads, kept while the state stays."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from replay.engine.input_cache import Common, attribute_key
from replay.engine.kernels.records import ATTRIBUTE
from replay.engine.vertex_fetch import BUILTINS, builtin_fields, constant_fields, native_fields
from traceformat.gles.objects import Buffer, ClientArray, Executable, VertexAttrib
from traceformat.gles.state import Context
from traceformat.native.records import address_of

if TYPE_CHECKING:
    from replay.engine.octets import OctetArena
    from replay.engine.programs import LinkedProgram
    from replay.engine.recorder import FrameRecorder

__all__ = ["LAST_ADDRESS", "FetchPlace", "VertexSource", "find_fetches", "find_source"]

#: Beyond this an address has no meaning; only a hostile offset leads there.
LAST_ADDRESS: Final = (1 << 46) - (1 << 16)
#: What an enabled array's values follow from, beside contents.
_STATE: Final = attrgetter(
    "buffer", "offset", "stride", "type", "size", "normalized", "integer", "divisor", "is_constant"
)
_CLIENT: Final = ATTRIBUTE.packer("address", "available", "origin")
#: Sources of a program that are kept.
_MAX_SOURCES: Final = 1024


@dataclass(slots=True, eq=False)
class FetchPlace:
    """What the native fetch of draws reads.

    Parameters
    ----------
    octets, address : ATTRIBUTE rows, and where they lie
    count : of them
    kept : what the fields point to beside buffers
    clients : rows of arrays in client memory, which each draw finds elsewhere, with location, bytes from one element to
        the next and bytes of one
    """

    octets: NDArray[np.uint8]
    address: int
    count: int
    kept: object
    clients: tuple[tuple[int, int, int, int], ...]

    def hold(self, attribs: list[VertexAttrib]) -> tuple[ClientArray | None, ...]:
        """What the arrays in client memory hold now."""
        return tuple([attribs[location].client for _, location, _, _ in self.clients]) if self.clients else ()

    def find(self, held: tuple[ClientArray | None, ...], arena: OctetArena) -> int:
        """Where the ATTRIBUTE rows of one draw lie: with client arrays in the arena, along with their contents."""
        if not self.clients:
            return self.address
        address, memory = arena.take(len(self.octets))
        memory[:] = self.octets.data
        for (row, _, stride, element_bytes), client in zip(self.clients, held, strict=True):
            data, origin = (client.data, client.first) if client is not None else (b"", 0)
            available = (len(data) - element_bytes) // stride + 1 if len(data) >= element_bytes else 0
            _CLIENT.put(memory, row * ATTRIBUTE.size, arena.place(data), available, origin)
        return address


@dataclass(slots=True, eq=False)
class VertexSource:
    """What a draw's vertices come from.

    Parameters
    ----------
    rows : for each attribute element that the shader reads: location, input row, component, width
    builtins : gl_VertexID and gl_InstanceID, with their input rows
    locations : attributes that the draw reads
    label, buffers : of the vertex array, for the draw's object id
    stores : enabled arrays' buffers, and how often these had been given memory
    has_clients : some arrays lie in client memory
    """

    rows: list[tuple[int, int, int, int]]
    builtins: list[tuple[str, int]]
    locations: list[int]
    label: str
    buffers: tuple[tuple[int, int, int], ...]
    stores: tuple[tuple[Buffer, int], ...]
    has_clients: bool
    #: Number of ``buffers``, see :meth:`~replay.objects.ObjectIds.number`; -1 until asked for.
    identity: int = -1
    #: Rows of ``vertex_fetches``, where they do not differ between draws.
    fetches: bytes | None = None
    num_fetches: int = 0
    #: Enabled arrays of ``locations``: location, address (-1 in client memory), stride, bytes of an element, divisor.
    arrays: list[tuple[int, int, int, int, int]] | None = None
    #: What its draws have in common, by the serials of range and plan.
    commons: dict[tuple[int, int, int], Common] = field(default_factory=dict)
    _place: FetchPlace | None = None
    _is_native: bool | None = None

    @property
    def is_current(self) -> bool:
        """Whether buffers still have the memory that they had."""
        for buffer, definitions in self.stores:  # noqa: SIM110 - several times as fast as all()
            if buffer.definitions != definitions:
                return False
        return True

    def key(self, context: Context) -> Hashable | None:
        """What values follow from beside the range that is drawn; None where they cannot be known again."""
        attribs, generics = context.vertex_array.attribs, context.generic_attribs
        keys: list[Any] = [context.group.serial, *self.builtins]
        for row in self.rows:
            location = row[0]
            if 0 <= location < len(attribs):
                values = attribute_key(attribs[location], generics[location])
                if values is None:
                    return None
                keys.append((row, values))
        return tuple(keys)

    def array_rows(self, num_attribs: int) -> list[tuple[int, int]]:
        """Rows of the native fetch's ATTRIBUTEs that arrays fill, each with its location."""
        locations = [row[0] for row in self.rows if 0 <= row[0] < num_attribs]
        return list(enumerate(locations, len([name for name, _ in self.builtins if name in BUILTINS])))

    def place(self, context: Context) -> FetchPlace | None:
        """All attributes for the native fetch; None if there are some that it cannot read."""
        if self._is_native is None:
            self._place = self._find_place(context)
            self._is_native = self._place is not None
        return self._place

    def _find_place(self, context: Context) -> FetchPlace | None:
        fields = [builtin_fields(name, row) for name, row in self.builtins if name in BUILTINS]
        kept: list[Any] = []
        clients: list[tuple[int, int, int, int]] = []
        attribs = context.vertex_array.attribs
        for location, first, component, width in self.rows:
            if not 0 <= location < len(attribs):
                continue
            attrib = attribs[location]
            if attrib.enabled:
                found = native_fields(attrib, first, component, width)
                if found is None:
                    return None
                if attrib.buffer is None:
                    stride = attrib.effective_stride or attrib.element_bytes
                    clients.append((len(fields), location, stride, attrib.element_bytes))
            else:
                found, words = constant_fields(context.generic_attribs[location], first, component, width)
                kept.append(words)
            fields.append(found)
        data = np.zeros(max(len(fields), 1) * ATTRIBUTE.size, np.uint8)
        memory = data.data
        for number, values in enumerate(fields):
            ATTRIBUTE.pack_into(memory, number, values)
        return FetchPlace(data, address_of(data), len(fields), kept, tuple(clients))


class _Known(dict[Any, VertexSource]):
    """Sources of a program."""

    #: How many there may be before those of deleted buffers are looked for.
    _limit = 64

    def purge(self) -> None:
        """Let go of contents of deleted buffers: not each time, a program may have a thousand sources."""
        if len(self) < self._limit:
            return
        for old in [key for key, source in self.items() if any([buffer.deleted for buffer, _ in source.stores])]:
            del self[old]
        self._limit = len(self) + max(64, len(self) // 2)


def find_source(context: Context, linked: LinkedProgram, executable: Executable) -> VertexSource:
    """Find out what a program's vertex stage reads; the same object while nothing that it follows from has changed."""
    array = context.vertex_array
    parts: list[Any] = []
    label = array.label
    has_clients = False
    attribs, enabled = array.attribs, array.enabled
    for location in enabled:
        attrib = attribs[location]
        buffer = attrib.buffer
        if buffer is None:
            has_clients = True
        elif not label:
            label = buffer.label
        parts += (location, _STATE(attrib))
    known: _Known | None = linked.stages.get("sources")
    if known is None:
        known = linked.stages["sources"] = _Known()
    inputs: _Inputs | None = linked.stages.get("inputs")
    if inputs is None:
        inputs = linked.stages["inputs"] = _inputs(linked, _location_map(linked, executable))
    for location in inputs.locations:
        if location not in enabled and location < len(attribs):
            generic = context.generic_attribs[location]
            parts += (location, generic.type, generic.values)
    key = (context.group.serial, label, *parts)
    found = known.get(key)
    if found is None or not found.is_current:
        if len(known) >= _MAX_SOURCES:
            known.clear()
        elif found is None:
            known.purge()
        found = known[key] = _source(context, inputs, label, has_clients=has_clients)
    return found


class _Inputs(NamedTuple):
    """What a vertex stage reads: see :class:`VertexSource`; ``locations`` ascending."""

    rows: list[tuple[int, int, int, int]]
    builtins: list[tuple[str, int]]
    locations: list[int]


def _location_map(linked: LinkedProgram, executable: Executable) -> dict[int, int]:
    """From the compiler's attribute locations to those of the vertex array, where they differ."""
    moved = {}
    for own, seen in zip(linked.program.reflection.attributes, executable.reflection.attributes, strict=True):
        if own.location >= 0 and own.location != seen.location:
            for k in range(own.size * own.type.columns):
                moved[own.location + k] = seen.location + k
    return moved


def _inputs(linked: LinkedProgram, moved: dict[int, int]) -> _Inputs:
    ir = linked.stage("vertex")
    assert ir is not None
    rows: list[tuple[int, int, int, int]] = []
    builtins: list[tuple[str, int]] = []
    for slot, first in zip(ir.inputs, linked.facts("vertex").layout.input_rows, strict=True):
        if slot.location < 0:
            builtins.append((slot.builtin, first))
            continue
        for k in range(slot.count):
            location = moved.get(slot.location + k, slot.location + k)
            width = slot.type.width
            rows.append((location, first + k * width, slot.component, width))
    return _Inputs(rows, builtins, sorted({location for location, *_ in rows if location >= 0}))


def _source(context: Context, inputs: _Inputs, label: str, *, has_clients: bool) -> VertexSource:
    attribs = context.vertex_array.attribs
    locations = [location for location in inputs.locations if location < len(attribs)]
    buffers = []
    stores = []
    for location, attrib in enumerate(attribs):
        if attrib.enabled:
            serial = attrib.buffer.serial if attrib.buffer is not None else 0
            buffers.append((location, serial, attrib.offset if serial else 0))
            if attrib.buffer is not None:
                stores.append((attrib.buffer, attrib.buffer.definitions))
    return VertexSource(inputs.rows, inputs.builtins, locations, label, tuple(buffers), tuple(stores), has_clients)


def find_fetches(recorder: FrameRecorder, context: Context, source: VertexSource) -> tuple[bytes, int]:
    """Arrays that a draw fetches from: rows, packed, and how many. By address: locations are a driver's choice."""
    if source.fetches is not None:
        return source.fetches, source.num_fetches
    if source.arrays is None:
        source.arrays = _arrays(recorder, context, source)
    rows, attribs, found = recorder.fetches, context.vertex_array.attribs, []
    for location, address, stride, element_bytes, divisor in source.arrays:
        if address < 0:
            client = attribs[location].client
            if client is None:
                continue
            address = recorder.addresses.client("vertex", len(client.data)) - client.first * stride
            address = min(max(address, 0), LAST_ADDRESS)
        found.append((address, rows.pack_row(address, stride, element_bytes, divisor, location)))
    packed = b"".join([row for _, row in sorted(found)])
    if not source.has_clients:
        source.fetches, source.num_fetches = packed, len(found)
    return packed, len(found)


def _arrays(recorder: FrameRecorder, context: Context, source: VertexSource) -> list[tuple[int, int, int, int, int]]:
    """See :class:`VertexSource`; memory of a buffer stays where it is while a source is current."""
    found = []
    for location in source.locations:
        attrib = context.vertex_array.attribs[location]
        if not attrib.enabled:
            continue
        address = -1
        if attrib.buffer is not None:
            group, buffer = context.group.serial, attrib.buffer
            base = recorder.addresses.buffer("vertex", group, buffer.serial, len(buffer.store))
            address = min(max(base + attrib.offset, 0), LAST_ADDRESS)
        found.append((location, address, attrib.effective_stride, attrib.element_bytes, attrib.divisor))
    return found
