"""Files of timelines: Perfetto's own format, and the JSON of Chrome's tracing for those who read it themselves.

Both are written while the runs go on: nothing is kept but names and the last value of each counter.
"""

from __future__ import annotations

import json
import math
import zlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from io import BufferedIOBase
from struct import Struct
from typing import Any, Final

from gpumodel.report.protobuf import bytes_field, double_field, fixed64_field, number_field

__all__ = ["JsonTimeline", "PerfettoTimeline", "TimelineWriter"]

About = Mapping[str, int | str]


class TimelineWriter(ABC):
    """Takes what happens; times are nanoseconds.

    Parameters
    ----------
    stream : takes the bytes
    """

    def __init__(self, stream: BufferedIOBase) -> None:
        self._stream = stream

    @abstractmethod
    def process(self, name: str) -> int:
        """Begin a run; gives its number."""

    @abstractmethod
    def track(self, process: int, name: str) -> int:
        """Give a row for slices of a run a name; gives its number."""

    @abstractmethod
    def slice(self, track: int, name: str, begin: float, end: float, about: About, flows: Sequence[int] = ()) -> None:
        """Add a slice; those of a track lie one after the other, or an outer one comes before those within it.

        Parameters
        ----------
        about : what is shown when it is selected
        flows : arrows that come through this slice: from the first slice that names one to each that does so later
        """

    @abstractmethod
    def end_outer(self, track: int, end: float) -> None:
        """End a slice that was begun by :meth:`begin_outer`."""

    @abstractmethod
    def begin_outer(self, track: int, name: str, begin: float) -> None:
        """Begin a slice that has others within it."""

    @abstractmethod
    def counters(self, process: int, name: str, unit: str, time: float, values: Mapping[str, float]) -> None:
        """Values from a time on, by series."""

    @abstractmethod
    def finish(self) -> None:
        """Write the rest."""


class JsonTimeline(TimelineWriter):
    """The JSON trace-event format: complete events (``X``) for slices, counters (``C``); flows are left out."""

    def __init__(self, stream: BufferedIOBase) -> None:
        super().__init__(stream)
        self._tracks: list[tuple[int, int]] = []
        self._processes = 0
        self._open: dict[int, tuple[str, float]] = {}
        self._stream.write(b'{"displayTimeUnit":"ns","traceEvents":[\n')
        self._is_first = True

    def process(self, name: str) -> int:
        """Begin a run."""
        self._processes += 1
        self._write({"ph": "M", "pid": self._processes, "tid": 0, "name": "process_name", "args": {"name": name}})
        return self._processes

    def track(self, process: int, name: str) -> int:
        """Name a row."""
        number = len(self._tracks) + 1
        self._tracks.append((process, number))
        base = {"ph": "M", "pid": process, "tid": number}
        self._write(base | {"name": "thread_name", "args": {"name": name}})
        self._write(base | {"name": "thread_sort_index", "args": {"sort_index": number}})
        return number

    def slice(self, track: int, name: str, begin: float, end: float, about: About, flows: Sequence[int] = ()) -> None:
        """Add a slice."""
        process, number = self._tracks[track - 1]
        start = _microseconds(begin)
        event = {"ph": "X", "pid": process, "tid": number, "ts": start, "name": name, "args": about}
        self._write(event | {"dur": round(_microseconds(end) - start, 4)})

    def begin_outer(self, track: int, name: str, begin: float) -> None:
        """Remember it: a complete event has its end."""
        self._open[track] = (name, begin)

    def end_outer(self, track: int, end: float) -> None:
        """Add it."""
        name, begin = self._open.pop(track)
        self.slice(track, name, begin, end, {})

    def counters(self, process: int, name: str, unit: str, time: float, values: Mapping[str, float]) -> None:
        """Add an event with all series."""
        rounded = {key: round(value, 4) for key, value in values.items()}
        event = {"ph": "C", "pid": process, "tid": 0, "ts": _microseconds(time), "name": f"{name} ({unit})"}
        self._write(event | {"args": rounded})

    def finish(self) -> None:
        """Close the list."""
        self._stream.write(b"\n]}\n")

    def _write(self, event: dict[str, Any]) -> None:
        text = json.dumps(event, separators=(",", ":"))
        self._stream.write((text if self._is_first else f",\n{text}").encode())
        self._is_first = False


def _microseconds(nanoseconds: float) -> float:
    return round(nanoseconds / 1000, 4)


#: Fields of the messages of perfetto/trace/trace_packet.proto and what it names, by message.
_TRACE_PACKET: Final = 1
_TIMESTAMP, _SEQUENCE, _TRACK_EVENT, _INTERNED, _SEQUENCE_FLAGS, _COMPRESSED, _DESCRIPTOR = 8, 10, 11, 12, 13, 50, 60
_ANNOTATION, _EVENT_TYPE, _EVENT_NAME_ID, _EVENT_TRACK, _EVENT_DOUBLE, _EVENT_FLOW = 4, 9, 10, 11, 44, 47
_BEGIN, _END, _COUNTER = 1, 2, 4
_INTERNED_EVENT, _INTERNED_ANNOTATION, _INTERNED_TEXT = 2, 3, 29
_NOTE_NAME_ID, _NOTE_INT, _NOTE_TEXT_ID = 1, 4, 17
_TRACK_ID, _TRACK_NAME, _TRACK_PROCESS, _TRACK_PARENT, _TRACK_COUNTER, _TRACK_ORDERING, _TRACK_RANK = (
    1,
    2,
    3,
    5,
    8,
    11,
    12,
)
_EXPLICIT: Final = 3
_PROCESS_ID, _PROCESS_NAME = 1, 6
_COUNTER_UNIT_NAME: Final = 6
_CLEARED, _NEEDS_STATE = 1, 2
#: The one sequence that is written.
_ONE: Final = 1
_DOUBLE: Final = Struct("<d")
#: Steps of a mantissa.
_MANTISSA: Final = 1 << 12
#: Bytes of packets that are compressed together.
_BUNDLE_BYTES: Final = 1 << 18


def _rounded(value: float) -> float:
    """A value within 0.013 %, which packs well and stays the same for longer."""
    mantissa, exponent = math.frexp(value)
    return math.ldexp(round(mantissa * _MANTISSA), exponent) / _MANTISSA


class PerfettoTimeline(TimelineWriter):
    """Perfetto's protobuf: packets in compressed bundles, names interned, counters where they change."""

    def __init__(self, stream: BufferedIOBase) -> None:
        super().__init__(stream)
        self._bundle = bytearray()
        self._names: dict[int, dict[str, int]] = {_INTERNED_EVENT: {}, _INTERNED_ANNOTATION: {}, _INTERNED_TEXT: {}}
        self._fresh = bytearray()
        self._tracks = 0
        self._ranks: dict[int, int] = {}
        self._series: dict[tuple[int, str, str], bytes] = {}
        self._groups: dict[tuple[int, str], int] = {}
        self._values: dict[tuple[int, str, str], float] = {}
        flags = number_field(_SEQUENCE_FLAGS, _NEEDS_STATE)
        self._tail = number_field(_SEQUENCE, _ONE)
        self._tail_with_names = self._tail + flags
        self._packet(self._tail + number_field(_SEQUENCE_FLAGS, _CLEARED))

    def process(self, name: str) -> int:
        """Begin a run: a process of the viewer."""
        number = self._tracks + 1
        about = number_field(_PROCESS_ID, number) + bytes_field(_PROCESS_NAME, name)
        return self._described(bytes_field(_TRACK_PROCESS, about) + number_field(_TRACK_ORDERING, _EXPLICIT))

    def track(self, process: int, name: str) -> int:
        """Name a row."""
        return self._child(process, name)

    def slice(self, track: int, name: str, begin: float, end: float, about: About, flows: Sequence[int] = ()) -> None:
        """Add its begin and its end."""
        self._begin(track, name, begin, about, flows)
        self.end_outer(track, end)

    def begin_outer(self, track: int, name: str, begin: float) -> None:
        """Add its begin."""
        self._begin(track, name, begin, {})

    def end_outer(self, track: int, end: float) -> None:
        """Add its end."""
        event = number_field(_EVENT_TYPE, _END) + number_field(_EVENT_TRACK, track)
        self._event(end, event, self._tail)

    def counters(self, process: int, name: str, unit: str, time: float, values: Mapping[str, float]) -> None:
        """Add the series that have changed; one that was always 0 has no row."""
        stamp = number_field(_TIMESTAMP, round(time))
        for series, value in values.items():
            rounded = _rounded(value)
            key = (process, name, series)
            if rounded == self._values.get(key, 0.0):
                continue
            event = self._series.get(key) or self._new_series(key, unit)
            self._values[key] = rounded
            self._packet(stamp + event + _DOUBLE.pack(rounded) + self._tail)

    def _new_series(self, key: tuple[int, str, str], unit: str) -> bytes:
        """Make the row of a series; gives a value's event up to the value, which is its last field."""
        process, name, series = key
        group = self._groups.get((process, name))
        if group is None:
            group = self._groups[process, name] = self._child(process, name)
        track = self._child(group, series, bytes_field(_TRACK_COUNTER, bytes_field(_COUNTER_UNIT_NAME, unit)))
        event = number_field(_EVENT_TYPE, _COUNTER) + number_field(_EVENT_TRACK, track)
        whole = bytes_field(_TRACK_EVENT, event + double_field(_EVENT_DOUBLE, 0.0))
        known = self._series[key] = whole[: -_DOUBLE.size]
        return known

    def finish(self) -> None:
        """Write the last bundle."""
        self._write_bundle()

    def _begin(self, track: int, name: str, time: float, about: About, flows: Sequence[int] = ()) -> None:
        event = (
            number_field(_EVENT_TYPE, _BEGIN)
            + number_field(_EVENT_TRACK, track)
            + number_field(_EVENT_NAME_ID, self._interned(_INTERNED_EVENT, name))
        )
        for key, value in about.items():
            note = number_field(_NOTE_NAME_ID, self._interned(_INTERNED_ANNOTATION, key))
            if isinstance(value, int):
                note += number_field(_NOTE_INT, value)
            else:
                note += number_field(_NOTE_TEXT_ID, self._interned(_INTERNED_TEXT, value))
            event += bytes_field(_ANNOTATION, note)
        for flow in flows:
            event += fixed64_field(_EVENT_FLOW, flow)
        tail = self._tail_with_names
        if self._fresh:
            tail = bytes_field(_INTERNED, bytes(self._fresh)) + tail
            self._fresh.clear()
        self._event(time, event, tail)

    def _interned(self, kind: int, text: str) -> int:
        """Number of a name; a new one goes with the packet that uses it first."""
        known = self._names[kind]
        number = known.get(text)
        if number is None:
            number = known[text] = len(known) + 1
            self._fresh += bytes_field(kind, number_field(1, number) + bytes_field(2, text))
        return number

    def _child(self, parent: int, name: str, more: bytes = b"") -> int:
        rank = self._ranks[parent] = self._ranks.get(parent, -1) + 1
        about = bytes_field(_TRACK_NAME, name) + number_field(_TRACK_PARENT, parent) + number_field(_TRACK_RANK, rank)
        return self._described(about + number_field(_TRACK_ORDERING, _EXPLICIT) + more)

    def _described(self, about: bytes) -> int:
        self._tracks += 1
        self._packet(bytes_field(_DESCRIPTOR, number_field(_TRACK_ID, self._tracks) + about) + self._tail)
        return self._tracks

    def _event(self, time: float, event: bytes, tail: bytes) -> None:
        self._packet(number_field(_TIMESTAMP, round(time)) + bytes_field(_TRACK_EVENT, event) + tail)

    def _packet(self, packet: bytes) -> None:
        self._bundle += bytes_field(_TRACE_PACKET, packet)
        if len(self._bundle) >= _BUNDLE_BYTES:
            self._write_bundle()

    def _write_bundle(self) -> None:
        if self._bundle:
            packed = bytes_field(_COMPRESSED, zlib.compress(bytes(self._bundle), 4))
            self._stream.write(bytes_field(_TRACE_PACKET, packed))
            self._bundle.clear()
