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
    from traceformat.framing.damage import Damage
    from traceformat.gltrace.reader import TraceReader, open_trace
    from traceformat.gltrace.reader import open_trace as open
    from traceformat.gltrace.writer import TraceWriter
    from traceformat.gputrace.frametrace import FrameTrace
    from traceformat.gputrace.reader import GpuTraceReader, GpuTraceWriter, open_gputrace
    from traceformat.tools.dump import format_call

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
        "Damage": "framing.damage",
        "format_call": "tools.dump",
        "FrameTrace": "gputrace.frametrace",
        "GpuTraceReader": "gputrace.reader",
        "GpuTraceWriter": "gputrace.writer",
        "open_gputrace": "gputrace.reader",
        "TraceReader": "gltrace.reader",
        "open_trace": "gltrace.reader",
        "open": "gltrace.reader:open_trace",
        "TraceWriter": "gltrace.writer",
    },
)
