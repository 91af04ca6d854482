"""A device of the kit without a GPU: every call is taken, and counters and times are what a test plants.

It stands at the kit's seam (``Device.gl`` and ``Device.function``) and speaks as a driver does: counters come through
the C interface of GL_AMD_performance_monitor, packed as the extension says.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from samples.silicon.command import Asked, measured
from traceformat.gles import enums

#: Name of a counter's type: its number, how it is packed.
KINDS = {
    "uint": (enums.GL_UNSIGNED_INT, "I"), "float": (enums.GL_FLOAT, "f"), "uint64": (enums.GL_UNSIGNED_INT64_AMD, "Q"),
    "percentage": (enums.GL_PERCENTAGE_AMD, "f"),
}  # fmt: skip
ANSWERS = {
    "glCreateProgram": 1, "glCreateShader": 1, "glGetShaderiv": 1, "glGetProgramiv": 1, "glGetUniformLocation": 0,
    "glCheckFramebufferStatus": enums.GL_FRAMEBUFFER_COMPLETE, "glGetError": 0,
}  # fmt: skip


class _Functions:
    """What PyOpenGL would have: constants, and functions that do nothing but count flushes."""

    def __init__(self, device: PlantedDevice) -> None:
        self._device = device

    def __getattr__(self, name: str) -> Any:
        if name.startswith("GL_"):
            return getattr(enums, name)
        if name.startswith("glGen") and name.endswith("s"):
            return lambda count, out: out.__setitem__(slice(0, count), [1] * count)
        if name == "glFlush":
            return self._device.flush
        if name == "glGetIntegerv":
            return lambda what, out: out.__setitem__(0, int(self._device.is_disjoint))
        return lambda *arguments: ANSWERS.get(name)


class PlantedDevice:
    """A device.

    Parameters
    ----------
    counters : of one group, by name: kind and the value in a benchmark
    time_ns : of a drawing of a benchmark
    renderer : what GL says
    """

    api = "gles"

    def __init__(
        self,
        counters: Mapping[str, tuple[str, Callable[[str], float]]],
        time_ns: Callable[[str], float] = lambda name: 1e6,
        renderer: str = "V3D 4.2",
        group: str = "CORE",
    ) -> None:
        self.gl = _Functions(self)
        self.extensions = frozenset({"GL_AMD_performance_monitor", "GL_EXT_disjoint_timer_query"})
        self.now = ""
        self.is_disjoint = False
        self._counters, self._time_ns, self._renderer, self._group = list(counters.items()), time_ns, renderer, group
        self._flushes = 0
        self._chosen: dict[int, list[int]] = {}

    def flush(self) -> None:
        self._flushes += 1

    def error(self) -> int:
        return 0

    def facts(self) -> dict[str, Any]:
        return {"api": "gles", "vendor": "planted", "renderer": self._renderer, "version": "", "extensions": []}

    def function(self, name: str, result: Any, *arguments: Any) -> Any:
        known = {
            "glGetQueryObjectui64vEXT": self._result,
            "glGetPerfMonitorGroupsAMD": self._groups,
            "glGetPerfMonitorCountersAMD": self._list,
            "glGetPerfMonitorGroupStringAMD": lambda group, *rest: _write(self._group, *rest),
            "glGetPerfMonitorCounterStringAMD": lambda group, one, *rest: _write(self._counters[one][0], *rest),
            "glGetPerfMonitorCounterInfoAMD": self._info,
            "glGenPerfMonitorsAMD": self._make,
            "glDeletePerfMonitorsAMD": lambda count, names: None,
            "glSelectPerfMonitorCountersAMD": self._select,
            "glBeginPerfMonitorAMD": lambda monitor: None,
            "glEndPerfMonitorAMD": lambda monitor: None,
            "glGetPerfMonitorCounterDataAMD": self._data,
        }
        if name not in known:
            raise KeyError(name)
        return known[name]

    def _result(self, query: int, what: int, out: Any) -> None:
        flushes, self._flushes = max(self._flushes, 1), 0
        out._obj.value = int(self._time_ns(self.now) * flushes) & (1 << 64) - 1

    def _groups(self, count: Any, size: int, out: Any) -> None:
        count._obj.value = 1
        if size:
            out[0] = 3

    def _list(self, group: int, count: Any, active: Any, size: int, out: Any) -> None:
        assert group == 3
        count._obj.value, active._obj.value = len(self._counters), 4
        for place in range(size):
            out[place] = place

    def _info(self, group: int, one: int, what: int, out: Any) -> None:
        out[0] = KINDS[self._counters[one][1][0]][0]

    def _make(self, count: int, out: Any) -> None:
        out[0] = 7 + len(self._chosen)
        self._chosen[out[0]] = []

    def _select(self, monitor: int, enable: int, group: int, count: int, numbers: Any) -> None:
        assert count <= 4
        self._chosen[monitor] = list(numbers[:count])

    def _data(self, monitor: int, what: int, size: int, out: Any, written: Any) -> None:
        data = b""
        for one in self._chosen[monitor]:
            kind, value = self._counters[one][1]
            code = KINDS[kind][1]
            found = value(self.now)
            found = found if code == "f" else int(found) & (1 << 8 * struct.calcsize(code)) - 1
            data += struct.pack(f"=II{code}", 3, one, found)
        if what == enums.GL_PERFMON_RESULT_SIZE_AMD:
            out[0] = len(data)
        else:
            ctypes.memmove(out, data, len(data))
            written._obj.value = len(data)


def _write(text: str, size: int, length: Any, buffer: Any) -> None:
    buffer.value = text.encode()[: size - 1]


def planted_results(
    device: PlantedDevice, monkeypatch: Any, names: tuple[str, ...], place: Path, seed: int = 1, **given: Any
) -> dict[str, Any]:
    """Results of the kit on a planted device."""
    monkeypatch.setattr("samples.silicon.command.Device", lambda api: device)

    def tell(text: str) -> None:
        device.now = text.split()[1]

    given.setdefault("save", lambda document: None)
    return measured(place, Asked(names, seed=seed, quick=True), given["save"], tell)
