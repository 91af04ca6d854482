"""What can be read of a GPU: timers, pipeline statistics, occlusion, and the counters of its performance monitor.

A meter counts what is drawn between ``begin`` and ``end``. Values are kept as the driver gave them, also where they
cannot be true: ``results.suspicions`` says what looks wrong.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from . import numbers
from .device import Device

__all__ = ["Counter", "Meter", "PerformanceMonitor", "Queries", "Timer", "meters_of", "timer_of"]

_UINT, _UINT64 = ctypes.c_uint, ctypes.c_uint64
_STATISTICS: Final = {
    "vertices_submitted": (numbers.GL_VERTICES_SUBMITTED_ARB, "vertices"),
    "primitives_submitted": (numbers.GL_PRIMITIVES_SUBMITTED_ARB, "primitives"),
    "vertex_shader_invocations": (numbers.GL_VERTEX_SHADER_INVOCATIONS_ARB, "invocations"),
    "clipping_input_primitives": (numbers.GL_CLIPPING_INPUT_PRIMITIVES_ARB, "primitives"),
    "clipping_output_primitives": (numbers.GL_CLIPPING_OUTPUT_PRIMITIVES_ARB, "primitives"),
    "fragment_shader_invocations": (numbers.GL_FRAGMENT_SHADER_INVOCATIONS_ARB, "invocations"),
}
#: What the type of a counter is called here: how it is packed, its bytes.
_KINDS: Final = {"uint": ("I", 4), "float": ("f", 4), "uint64": ("Q", 8), "percentage": ("f", 4)}
#: A driver that announces more than this is asked for no more.
_MOST: Final = 4096


@dataclass(frozen=True)
class Counter:
    """One counter of a device.

    Parameters
    ----------
    name : of its source, group and itself
    source : extension that it is read by
    kind : of its values: uint, uint64, float, percentage, boolean
    unit : where it is known, else empty
    bits : of its values, 0 where that is not known
    """

    name: str
    source: str
    kind: str
    unit: str = ""
    bits: int = 64


class Meter:
    """Counters that are read together."""

    counters: Sequence[Counter] = ()

    def begin(self) -> None:
        """Start counting."""

    def end(self) -> None:
        """Stop counting."""

    def read(self) -> dict[str, float]:
        """Wait for the values, by the counters' names."""
        return {}

    def close(self) -> None:
        """Let go of what it has made."""


class _Query:
    """A query object of a target."""

    def __init__(self, device: Device, target: int) -> None:
        self.gl, self._target = device.gl, target
        made = (_UINT * 1)()
        self.gl.glGenQueries(1, made)
        self.name = made[0]

    def begin(self) -> None:
        self.gl.glBeginQuery(self._target, self.name)

    def end(self) -> None:
        self.gl.glEndQuery(self._target)


def _result_function(device: Device) -> tuple[Any, Any]:
    """How results of queries are asked for, and the type of the answer: 64 bits where the driver has them."""
    kind: Any = _UINT
    name = "glGetQueryObjectuiv"
    if device.api == "gl":
        name, kind = "glGetQueryObjectui64v", _UINT64
    elif "GL_EXT_disjoint_timer_query" in device.extensions:
        name, kind = "glGetQueryObjectui64vEXT", _UINT64
    return device.function(name, None, _UINT, _UINT, ctypes.POINTER(kind)), kind


def _value(read: tuple[Any, Any], query: _Query) -> int:
    ask, kind = read
    value = kind()
    ask(query.name, query.gl.GL_QUERY_RESULT, ctypes.byref(value))
    return int(value.value)


class Queries(Meter):
    """Queries of several targets at once.

    Parameters
    ----------
    targets : by counter
    """

    def __init__(self, device: Device, targets: dict[Counter, int]) -> None:
        self.counters = tuple(targets)
        self._read = _result_function(device)
        self._queries = [_Query(device, target) for target in targets.values()]

    def begin(self) -> None:
        """Start all queries."""
        for query in self._queries:
            query.begin()

    def end(self) -> None:
        """End them."""
        for query in self._queries:
            query.end()

    def read(self) -> dict[str, float]:
        """Values by name."""
        return {one.name: _value(self._read, query) for one, query in zip(self.counters, self._queries, strict=True)}


class Timer:
    """Time that the GPU takes, nanoseconds."""

    def __init__(self, device: Device) -> None:
        self._read = _result_function(device)
        self._query = _Query(device, numbers.GL_TIME_ELAPSED)
        self._gl = device.gl
        self._may_be_disjoint = device.api == "gles"

    def begin(self) -> None:
        """Start the clock; what disturbed it before is forgotten."""
        if self._may_be_disjoint:
            self._disjoint()
        self._query.begin()

    def end(self) -> None:
        """Stop it."""
        self._query.end()

    def read(self) -> int | None:
        """Nanoseconds; None where the clock was disturbed meanwhile."""
        value = _value(self._read, self._query)
        return None if self._may_be_disjoint and self._disjoint() else value

    def _disjoint(self) -> bool:
        found = (ctypes.c_int * 1)()
        self._gl.glGetIntegerv(numbers.GL_GPU_DISJOINT_EXT, found)
        return bool(found[0])


class PerformanceMonitor(Meter):
    """Counters of one group of GL_AMD_performance_monitor, as many as may be active together.

    Parameters
    ----------
    group : number of the group
    numbers : of the counters in it, each with its name
    """

    def __init__(self, device: Device, group: int, numbers: dict[int, Counter]) -> None:
        self.counters = tuple(numbers.values())
        self._numbers, self._group = numbers, group
        number, many = _UINT, ctypes.POINTER(_UINT)
        made = (_UINT * 1)()
        device.function("glGenPerfMonitorsAMD", None, ctypes.c_int, many)(1, made)
        self._name = made[0]
        self._begin = device.function("glBeginPerfMonitorAMD", None, number)
        self._end = device.function("glEndPerfMonitorAMD", None, number)
        self._delete = device.function("glDeletePerfMonitorsAMD", None, ctypes.c_int, many)
        self._data = device.function(
            "glGetPerfMonitorCounterDataAMD", None, number, number, ctypes.c_int, many, ctypes.POINTER(ctypes.c_int)
        )
        chosen = (number, ctypes.c_ubyte, number, ctypes.c_int, many)
        select = device.function("glSelectPerfMonitorCountersAMD", None, *chosen)
        select(self._name, 1, group, len(numbers), (_UINT * len(numbers))(*numbers))

    def begin(self) -> None:
        """Start counting."""
        self._begin(self._name)

    def end(self) -> None:
        """Stop counting."""
        self._end(self._name)

    def read(self) -> dict[str, float]:
        """Values by name; counters that the driver left out are not among them."""
        size, written = (_UINT * 1)(), ctypes.c_int()
        self._data(self._name, numbers.GL_PERFMON_RESULT_SIZE_AMD, 4, size, ctypes.byref(written))
        room = min(int(size[0]), 64 * _MOST)
        words = (_UINT * max(room // 4, 1))()
        self._data(self._name, numbers.GL_PERFMON_RESULT_AMD, room, words, ctypes.byref(written))
        data = bytes(words)[: max(written.value, 0)]
        found: dict[str, float] = {}
        place = 0
        while place + 8 <= len(data):
            group, number = struct.unpack_from("=II", data, place)
            counter = self._numbers.get(number) if group == self._group else None
            if counter is None:
                break
            code, width = _KINDS[counter.kind]
            if place + 8 + width > len(data):
                break
            found[counter.name] = struct.unpack_from(f"={code}", data, place + 8)[0]
            place += 8 + width
        return found

    def close(self) -> None:
        """Delete the monitor."""
        self._delete(1, (_UINT * 1)(self._name))


def _string(ask: Any, *numbers: int) -> str:
    buffer, length = ctypes.create_string_buffer(256), ctypes.c_int()
    ask(*numbers, len(buffer), ctypes.byref(length), buffer)
    return buffer.value.decode("utf-8", "replace")


def _monitors(device: Device) -> list[Meter]:
    """All groups of the performance monitor, in parts of as many counters as can be active."""
    number, many, integer = _UINT, ctypes.POINTER(_UINT), ctypes.POINTER(ctypes.c_int)
    groups_of = device.function("glGetPerfMonitorGroupsAMD", None, integer, ctypes.c_int, many)
    counters_of = device.function("glGetPerfMonitorCountersAMD", None, number, integer, integer, ctypes.c_int, many)
    text = (ctypes.c_int, integer, ctypes.c_char_p)
    group_name = device.function("glGetPerfMonitorGroupStringAMD", None, number, *text)
    name_of = device.function("glGetPerfMonitorCounterStringAMD", None, number, number, *text)
    info = device.function("glGetPerfMonitorCounterInfoAMD", None, number, number, number, ctypes.c_void_p)
    found: list[Meter] = []
    gl, active = device.gl, ctypes.c_int()
    kinds = {
        gl.GL_UNSIGNED_INT: "uint", gl.GL_FLOAT: "float", numbers.GL_UNSIGNED_INT64_AMD: "uint64",
        numbers.GL_PERCENTAGE_AMD: "percentage",
    }  # fmt: skip
    for group in _listed(groups_of):
        title = _string(group_name, group)
        ids = _listed(lambda count, size, out, group=group: counters_of(group, count, ctypes.byref(active), size, out))
        declared = {}
        for one in ids:
            kind = (_UINT * 1)()
            info(group, one, numbers.GL_COUNTER_TYPE_AMD, kind)
            if (label := kinds.get(kind[0])) is not None:
                name = f"{title}/{_string(name_of, group, one)}"
                declared[one] = Counter(name, "GL_AMD_performance_monitor", label, bits=8 * _KINDS[label][1])
        step = max(active.value, 1)
        parts = [dict(list(declared.items())[k : k + step]) for k in range(0, len(declared), step)]
        found += [PerformanceMonitor(device, group, part) for part in parts]
    return found


def _listed(ask: Any) -> list[int]:
    """Numbers of a list whose length is asked for first."""
    count = ctypes.c_int()
    ask(ctypes.byref(count), 0, None)
    size = max(min(count.value, _MOST), 0)
    out = (_UINT * max(size, 1))()
    ask(ctypes.byref(count), size, out)
    return list(out[:size])


def timer_of(device: Device) -> tuple[Timer | None, str]:
    """The GPU's timer, or None and the reason."""
    if device.api == "gles" and "GL_EXT_disjoint_timer_query" not in device.extensions:
        return None, "the driver has no GL_EXT_disjoint_timer_query: times are the host's"
    try:
        return Timer(device), ""
    except KeyError as error:
        return None, f"the driver has no function {error.args[0]}: times are the host's"


def meters_of(device: Device) -> tuple[list[Meter], list[tuple[str, str]]]:
    """All meters that the driver has, and what it lacks with the reason."""
    meters: list[Meter] = []
    missing = []
    is_desktop = device.api == "gl"
    wanted: dict[str, Callable[[], list[Meter]]] = {
        "occlusion query": lambda: [Queries(device, _occlusion(device))],
        "GL_ARB_pipeline_statistics_query": lambda: [Queries(device, _statistics())],
        "GL_AMD_performance_monitor": lambda: _monitors(device),
    }
    for name, make in wanted.items():
        if name.startswith("GL_") and name not in device.extensions:
            missing.append((name, "the driver does not announce it" + ("" if is_desktop else _hint(name))))
            continue
        try:
            meters += make()
        except KeyError as error:
            missing.append((name, f"the driver has no function {error.args[0]}"))
    return meters, missing


def _occlusion(device: Device) -> dict[Counter, int]:
    if device.api == "gl":
        return {Counter("occlusion/samples_passed", "occlusion query", "uint64", "samples"): numbers.GL_SAMPLES_PASSED}
    return {
        Counter("occlusion/any_samples_passed", "occlusion query", "boolean", bits=1): device.gl.GL_ANY_SAMPLES_PASSED
    }


def _statistics() -> dict[Counter, int]:
    source = "GL_ARB_pipeline_statistics_query"
    return {
        Counter(f"statistics/{name}", source, "uint64", unit): target for name, (target, unit) in _STATISTICS.items()
    }


def _hint(name: str) -> str:
    return "; only desktop OpenGL has it: try --api gl" if "ARB" in name else ""
