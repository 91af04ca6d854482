"""The trace formats, FrameTrace, the exception tree, GL entry points and state.

>>> import traceformat
>>> with traceformat.open("app.gltrace") as trace:  # doctest: +SKIP
...     for call in trace:
...         print(call.number, call.name, call.args)

The names below are imported when they are first used, so that importing this package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.lazy import lazy_names

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

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Call": "calls",
        "CallFlags": "calls",
        "Offset": "calls",
        "Source": "calls",
        "Damage": "damage",
        "format_call": "dump",
        "FrameTrace": "frametrace",
        "GpuTraceReader": "gputrace",
        "GpuTraceWriter": "gputrace",
        "open_gputrace": "gputrace",
        "TraceReader": "reader",
        "open_trace": "reader",
        "open": "reader:open_trace",
        "TraceWriter": "writer",
    },
)
