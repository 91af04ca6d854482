"""Draws that follow each other, written down together: one step over arrays for a column of all of them.

A draw that can wait leaves no more than what it found (:class:`~replay.engine.drawn.Drawn`). When its batch is to run,
or something else is to be written down, the records of all that have joined are made at once. The records of a few are
made one by one (:mod:`replay.engine.draws`), which comes to the same: a step over an array costs as much as a small
draw.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from replay.engine.batch import VARYING, DrawBatch
from replay.engine.constants import ConstantRows, Copies, Gather, GatherPair
from replay.engine.draw_log import identify, next_object
from replay.engine.drawn import Drawn, Queued
from replay.engine.input_cache import Common
from replay.engine.kernels.records import ATTRIBUTE
from replay.engine.octets import COPIED_BYTES
from replay.engine.recorder import FrameRecorder
from replay.engine.setting import Setting
from replay.engine.vertex_source import FetchPlace
from traceformat.gles.backend import RunArray
from traceformat.gles.objects import ClientArray

__all__ = ["Constants", "DrawRows", "client_attributes", "set_places", "write_draws", "write_rows"]

_Ints = NDArray[np.int64]
_FIELDS: Final = {name: ATTRIBUTE.place(name) // 8 for name in ("address", "available", "origin")}
_ATTRIBUTE_WORDS: Final = ATTRIBUTE.size // 8


def write_draws(recorder: FrameRecorder, draws: list[Drawn], find_batch: Callable[[], DrawBatch]) -> None:
    """Write down draws that have joined, see :func:`write_rows`."""
    write_rows(recorder, _Joined(draws), find_batch)


class DrawRows(ABC):
    """What draws have that are written down together, in their order.

    Their stages have gathered constants, and the batch shades their vertices.

    Parameters
    ----------
    settings, which : their settings, and the number of each one's
    numbers : (N, len(Common.NUMBERS)) as :class:`~replay.engine.input_cache.Common` has them
    calls : (N,) numbers of the draw calls
    constants : of all
    queued : what the batch keeps of each
    """

    settings: list[Setting]
    which: NDArray[Any]
    numbers: _Ints
    calls: NDArray[Any]
    constants: Constants
    queued: Sequence[Queued]

    @abstractmethod
    def attributes(self, batch: DrawBatch) -> _Ints:
        """Where the ATTRIBUTE rows of each lie."""

    @abstractmethod
    def objects(self, recorder: FrameRecorder) -> list[int]:
        """Row of ``objects`` of each."""

    @abstractmethod
    def bindings(self) -> tuple[bytes, NDArray[Any]]:
        """Rows of ``texture_bindings`` of all, packed, and how many each has."""

    @abstractmethod
    def fetches(self) -> tuple[bytes, NDArray[Any]]:
        """Rows of ``vertex_fetches`` of all, packed, and how many each has."""

    @abstractmethod
    def flags(self) -> Any:
        """DrawFlags of each, beside those of the state."""

    @abstractmethod
    def ranges(self) -> NDArray[np.uint8]:
        """Packed columns of ``draws`` that follow from the range of vertices, a row of each."""


def write_rows(recorder: FrameRecorder, draws: DrawRows, find_batch: Callable[[], DrawBatch]) -> None:
    """Write down draws.

    Parameters
    ----------
    find_batch : gives a batch that has room for them
    """
    columns = {name: draws.numbers[:, column] for column, name in enumerate(Common.NUMBERS)}
    count, constants = len(draws.numbers), draws.constants
    tables = recorder.tables
    vertex_first: Any = 0
    if recorder.is_recording:
        if tables.vertices.has_columns:
            vertex_first = tables.vertices.reserve(int(columns["rows"].sum())) + _firsts(columns["rows"])
        primitive_first: Any = tables.primitives.reserve(int(columns["primitives"].sum()))
        primitive_first = primitive_first + _firsts(columns["primitives"])
    else:
        tables.primitives.ensure(int(columns["primitives"].max()))
        primitive_first = 0
    row = len(recorder.draws)
    # Tables may have grown, which may have had batches run: now is the time to ask for one.
    batch = find_batch()
    areas = batch.constants.place_all(constants.groups())
    varying: dict[str, Any] = {
        "stream": columns["stream"],
        "attributes": draws.attributes(batch),
        "num_attributes": columns["num_attributes"],
        "base_instance": 0,
        "vertex_areas": constants.spread(areas, 0),
        "fragment_areas": constants.spread(areas, 1),
        "row": row + np.arange(count),
        "vertex_first": vertex_first,
        "primitive_first": primitive_first,
        "num_primitives": columns["primitives"],
        "index_bytes": columns["index_bytes"],
        "index_address": columns["index_address"],
        "mode": columns["mode"],
        "has_points": columns["is_points"],
        "setup": columns["setup"],
    }
    assert tuple(varying) == VARYING
    batch.add_all(draws.queued, draws.settings, draws.which, row, varying, (columns["rows"], columns["lanes"]))
    if recorder.is_recording:
        _record(recorder, draws, (vertex_first if recorder.wants_vertices else 0, primitive_first))
    recorder.passes.draw_all(row, draws.calls, _spread([setting.event for setting in draws.settings], draws.which))


def _firsts(counts: _Ints) -> _Ints:
    """Where each begins, if they lie one behind the other."""
    ends: _Ints = counts.cumsum()
    return ends - counts


def _join(parts: Iterable[bytes], count: int) -> NDArray[np.uint8]:
    """Packed columns, equally long: a row of each."""
    return np.frombuffer(b"".join(parts), np.uint8).reshape(count, -1)


def _spread(parts: Sequence[bytes], which: NDArray[Any]) -> NDArray[np.uint8]:
    """Packed columns of each, from those of its setting."""
    return _join(parts, len(parts)).take(which, axis=0)


def _record(recorder: FrameRecorder, draws: DrawRows, first_rows: tuple[Any, Any]) -> None:
    """Append the rows of draws, with their constants, fetches and texture bindings."""
    settings, which, constants = draws.settings, draws.which, draws.constants
    count = len(which)
    objects = draws.objects(recorder)
    bindings, num_bindings = draws.bindings()
    texture_first = len(recorder.bindings) + _firsts(num_bindings)
    recorder.bindings.extend(bindings, int(num_bindings.sum()))
    fetches, num_fetches = draws.fetches()
    fetch_first = len(recorder.fetches) + _firsts(num_fetches)
    recorder.fetches.extend(fetches, int(num_fetches.sum()))
    of_stages = constants.counts
    new_bytes = constants.new_bytes
    constant_first = np.zeros((count, 2), np.int64)
    if recorder.wants_constants:
        constant_first[:, 0] = recorder.num_constants + _firsts(of_stages.sum(axis=1))
        constant_first[:, 1] = constant_first[:, 0] + of_stages[:, 0]
        recorder.add_constants(constants.rows())
    else:
        constant_first[...] = recorder.num_constants
        of_stages = np.zeros_like(of_stages)
    flags = np.array([setting.fixed.flags for setting in settings])[which]
    recorder.draws.extend_columns(
        {
            "call": draws.calls,
            "pass": len(recorder.passes.passes),
            "object": objects,
            "flags": flags | draws.flags(),
            "vertex_first": first_rows[0],
            "primitive_first": first_rows[1],
            "fetch_first": fetch_first,
            "query_active": 0,
            "fetch_count": num_fetches,
            "texture_first": texture_first,
            "texture_count": num_bindings,
            "constant_first": constant_first,
            "constant_count": of_stages,
            "constants_new_bytes": new_bytes,
        },
        (draws.ranges(), _spread([setting.columns for setting in settings], which)),
    )


class _Joined(DrawRows):
    """Draws that have come one by one."""

    def __init__(self, draws: list[Drawn]) -> None:
        self.queued = self._draws = draws
        numbers: dict[Setting, int] = {}
        self.which = np.array([numbers.setdefault(draw.setting, len(numbers)) for draw in draws])
        self.settings = list(numbers)
        commons = [draw.common for draw in draws if draw.common is not None]
        packed = b"".join([common.numbers for common in commons])
        self.numbers = np.frombuffer(packed, np.int64).reshape(len(draws), -1)
        self.calls = np.array([draw.call_number for draw in draws])
        values = [draw.packed for draw in draws], [draw.changed for draw in draws]
        self.constants = Constants.of_draws(*values, self.which, self.settings)

    def attributes(self, batch: DrawBatch) -> _Ints:
        return _attributes(self._draws, self.numbers[:, Common.NUMBERS.index("attributes")], batch)

    def objects(self, recorder: FrameRecorder) -> list[int]:
        frame, rows = recorder.objects.frame, []
        for draw in self._draws:
            common = draw.common
            if common is None or draw.groups:
                rows.append(identify(recorder, draw.setting, draw.source, draw.call, draw.taken, draw.groups))
                continue
            # As ObjectName.next_row, for many.
            name = common.name
            repeat = name.count if name.frame == frame else 0
            known = name.rows
            if repeat < len(known):
                name.frame, name.count = frame, repeat + 1
                rows.append(known[repeat])
            else:
                rows.append(next_object(recorder, name, draw.setting, draw.source, draw.call))
        return recorder.object_rows(rows)

    def bindings(self) -> tuple[bytes, NDArray[Any]]:
        draws = self._draws
        return b"".join([draw.bindings[0] for draw in draws]), np.array([draw.bindings[1] for draw in draws])

    def fetches(self) -> tuple[bytes, NDArray[Any]]:
        return b"".join([draw.fetches for draw in self._draws]), np.array([draw.num_fetches for draw in self._draws])

    def flags(self) -> Any:
        return np.array([draw.flags for draw in self._draws])

    def ranges(self) -> NDArray[np.uint8]:
        return _join([draw.taken.columns for draw in self._draws], len(self._draws))


class Constants:
    """Constants of draws, those of each program together.

    Parameters
    ----------
    count : of the draws

    Attributes
    ----------
    counts, new_bytes : (N, 2) live constants of the vertex and the fragment stage, and bytes of those that are new
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._programs: list[_OfProgram] = []
        self.counts = np.zeros((count, 2), np.int64)
        self.new_bytes = np.zeros((count, 2), np.int64)

    @classmethod
    def of_draws(
        cls, packed: list[bytes], changed: list[frozenset[int]], which: NDArray[Any], settings: list[Setting]
    ) -> Constants:
        """Constants of draws in any order.

        Parameters
        ----------
        packed, changed : packed constants of each draw, and uniforms that have changed since the program's draw before
        which, settings : row of the setting of each draw, and the settings
        """
        found = cls(len(packed))
        programs: dict[Any, int] = {}
        numbers = [programs.setdefault(setting.linked, len(programs)) for setting in settings]
        of_draws = [numbers[row] for row in which.tolist()]
        # Each copy once, in the order of draws, and each set of changed uniforms.
        seen: list[tuple[dict[int, int], list[bytes], dict[frozenset[int], int]]] = [({}, [], {}) for _ in programs]
        rows, kinds = [], []
        for number, values, change in zip(of_draws, packed, changed, strict=True):
            known, copies, changes = seen[number]
            row = known.setdefault(id(values), len(copies))
            if row == len(copies):
                copies.append(values)
            rows.append(row)
            kinds.append(changes.setdefault(change, len(changes)))
        program, *of_each = np.array([of_draws, rows, kinds])
        for number, setting in dict(zip(numbers, settings, strict=True)).items():
            members = np.flatnonzero(program == number)
            _, copies, changes = seen[number]
            own = of_each[0][members], of_each[1][members]
            found._note(setting, list(changes), members, Copies.of(copies), own)
        return found

    @classmethod
    def of_run(cls, count: int, copies: Copies, changed: frozenset[int], setting: Setting) -> Constants:
        """Constants of draws of one program.

        Parameters
        ----------
        copies : those of each draw, or one for all
        changed : uniforms that have changed since the draw before, for each of them
        """
        found = cls(count)
        members, none = np.arange(count), np.zeros(count, np.int64)
        found._note(setting, [changed], members, copies, (members if copies.count == count else none, none))
        return found

    def _note(
        self,
        setting: Setting,
        changes: list[frozenset[int]],
        members: NDArray[Any],
        copies: Copies,
        of_each: tuple[NDArray[Any], NDArray[Any]],
    ) -> None:
        """Note the draws of one program.

        Parameters
        ----------
        changes, copies : sets of changed uniforms, and copies of its packed constants
        members : its draws
        of_each : numbers of each one's copy, and of its set
        """
        pair = setting.linked.pair(setting.executable)
        kinds = [pair.flags(change) for change in changes]
        self._programs.append(_OfProgram(members, copies, pair, *of_each, [is_new for is_new, *_ in kinds]))
        self.counts[members] = len(pair.vertex.area), len(pair.fragment.area)
        self.new_bytes[members] = np.array([new_bytes for _, *new_bytes in kinds])[of_each[1]]

    def groups(self) -> list[tuple[Copies, tuple[Gather, Gather]]]:
        """Packed constants of each program, and the gathers of its stages."""
        return [(own.copies, (own.pair.vertex, own.pair.fragment)) for own in self._programs]

    def spread(self, areas: list[list[_Ints]], stage: int) -> _Ints:
        """Where the areas of a stage lie, for each draw, from where they lie for each value of a program."""
        found = np.empty(self._count, np.int64)
        for own, places in zip(self._programs, areas, strict=True):
            found[own.members] = places[stage][own.rows]
        return found

    def rows(self) -> ConstantRows:
        """Words of all draws, and which are new."""
        if len(self._programs) == 1:
            of_one = self._programs[0]
            return ConstantRows(of_one.words().reshape(-1), of_one.flags().reshape(-1))
        counts = self.counts.sum(axis=1)
        first = _firsts(counts)
        words = np.empty(int(counts.sum()), np.uint32)
        is_new = np.empty(len(words), np.uint8)
        for own in self._programs:
            places = first[own.members, None] + np.arange(own.pair.num_words)
            words[places] = own.words()
            is_new[places] = own.flags()
        return ConstantRows(words, is_new)


class _OfProgram(NamedTuple):
    """Constants of the draws of one program.

    Parameters
    ----------
    members : the draws
    copies, pair : copies of the packed constants, and how those of the stages follow from them
    rows, of_kind : number of each draw's copy, and of its flags
    kinds : flags that there are
    """

    members: NDArray[Any]
    copies: Copies
    pair: GatherPair
    rows: NDArray[Any]
    of_kind: NDArray[Any]
    kinds: list[NDArray[np.uint8]]

    def words(self) -> NDArray[np.uint32]:
        """Words of both stages, a row of each draw."""
        return self.copies.words(self.pair).take(self.rows, axis=0)

    def flags(self) -> NDArray[np.uint8]:
        """Which of them are new."""
        return np.concatenate(self.kinds).reshape(len(self.kinds), -1).take(self.of_kind, axis=0)


def _attributes(draws: list[Drawn], shared: _Ints, batch: DrawBatch) -> _Ints:
    """Where the ATTRIBUTE rows of draws lie: those of ``shared``, but for arrays in client memory."""
    if not any([draw.clients for draw in draws]):
        return shared
    found = shared.copy()
    places: dict[FetchPlace, list[int]] = {}
    for number, draw in enumerate(draws):
        if draw.clients and draw.place is not None:
            places.setdefault(draw.place, []).append(number)
    for place, numbers in places.items():
        clients = [draws[number].clients for number in numbers]
        if max([len(client.data) if client is not None else 0 for row in clients for client in row]) > COPIED_BYTES:
            found[numbers] = [place.find(row, batch.clients) for row in clients]
        else:
            arrays = [_held_array(own) for own in zip(*clients, strict=True)]
            found[numbers] = client_attributes(place, arrays, len(numbers), batch)[0]
    return found


def _held_array(clients: Sequence[ClientArray | None]) -> RunArray:
    """An array in client memory, of what it held for each of several draws."""
    contents = [client.data if client is not None else b"" for client in clients]
    firsts = np.array([client.first if client is not None else 0 for client in clients])
    return RunArray(client_firsts=firsts, contents=contents, sizes=np.array(list(map(len, contents))))


def client_attributes(
    place: FetchPlace, arrays: Sequence[RunArray], count: int, batch: DrawBatch
) -> tuple[_Ints, _Ints]:
    """Where the ATTRIBUTE rows of draws lie that have rows of their own, and these rows, as words.

    Parameters
    ----------
    arrays : those in client memory that ``place`` names; none of their contents is large, and they are copied
    count : of the draws
    """
    rows_at, octets = batch.clients.take(count * len(place.octets))
    rows = np.frombuffer(octets, np.int64).reshape(count, -1)
    rows[...] = place.octets.view(np.int64)
    for (row, _, stride, element_bytes), array in zip(place.clients, arrays, strict=True):
        data_at = batch.clients.place(b"".join(array.contents))
        set_places(rows, row, data_at + _firsts(array.sizes), array.sizes - element_bytes, stride)
        rows[:, row * _ATTRIBUTE_WORDS + _FIELDS["origin"]] = array.client_firsts
    return rows_at + len(place.octets) * np.arange(count), rows


def set_places(rows: _Ints, row: int, addresses: _Ints, spare: _Ints, stride: int) -> None:
    """Set where an array lies in ATTRIBUTE rows of draws: row ``row`` of each, bytes behind its first element."""
    at = row * _ATTRIBUTE_WORDS
    rows[:, at + _FIELDS["address"]] = addresses
    rows[:, at + _FIELDS["available"]] = np.where(spare >= 0, spare // stride + 1, 0)
