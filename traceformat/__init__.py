"""The trace formats, FrameTrace, the exception tree, GL entry points and state.

>>> import traceformat
>>> with traceformat.open("app.gltrace") as trace:  # doctest: +SKIP
...     for call in trace:
...         print(call.number, call.name, call.args)

The names below are imported when they are first used, so that importing this package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from traceformat.calls import Call, CallFlags, Offset, Source
    from traceformat.damage import Damage
    from traceformat.dump import format_call
    from traceformat.frametrace import FrameTrace
    from traceformat.gputrace import GpuTraceReader, GpuTraceWriter, open_gputrace
    from traceformat.reader import TraceReader, open_trace
    from traceformat.reader import open_trace as open
    from traceformat.writer import TraceWriter

__all__ = [
    "Call",
    "CallFlags",
    "Damage",
    "FrameTrace",
    "GpuTraceReader",
    "GpuTraceWriter",
    "Offset",
    "Source",
    "TraceReader",
    "TraceWriter",
    "format_call",
    "open",
    "open_gputrace",
    "open_trace",
]

_MODULES = {
    "calls": ("Call", "CallFlags", "Offset", "Source"),
    "damage": ("Damage",),
    "dump": ("format_call",),
    "frametrace": ("FrameTrace",),
    "gputrace": ("GpuTraceReader", "GpuTraceWriter", "open_gputrace"),
    "reader": ("TraceReader", "open_trace"),
    "writer": ("TraceWriter",),
}


def __getattr__(name: str) -> Any:
    wanted = "open_trace" if name == "open" else name
    for module, names in _MODULES.items():
        if wanted in names:
            return getattr(import_module(f"traceformat.{module}"), wanted)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
