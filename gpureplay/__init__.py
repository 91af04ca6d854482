"""Traces, their frames and what GPUs make of them, from Python.

>>> import gpureplay
>>> trace = gpureplay.open("city.gltrace")  # doctest: +SKIP
>>> trace.frames[3].draws.sort("fragments").head()  # doctest: +SKIP
>>> gpureplay.run(trace, "mali450-vro", techniques=["vro"], frames=range(0, 10))  # doctest: +SKIP

This package only connects the others: ``traceformat`` reads, ``replay`` executes, ``gpumodel`` times and prices. Names
are imported when they are first used, so that importing it costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.lazy import lazy_names

if TYPE_CHECKING:
    from gpureplay.changing import whatif
    from gpureplay.estimating import FilmEstimate, estimate
    from gpureplay.frames import Frame, Frames
    from gpureplay.results import Result
    from gpureplay.running import run
    from gpureplay.sweeping import StudyResult, sweep
    from gpureplay.tables import Table
    from gpureplay.traces import Trace
    from gpureplay.traces import open_trace as open

__all__ = [
    "FilmEstimate", "Frame", "Frames", "Result", "StudyResult", "Table", "Trace", "estimate", "open", "run", "sweep",
    "whatif",
]  # fmt: skip

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "FilmEstimate": "estimating",
        "Frame": "frames",
        "Frames": "frames",
        "Result": "results",
        "StudyResult": "sweeping",
        "Table": "tables",
        "Trace": "traces",
        "estimate": "estimating",
        "open": "traces:open_trace",
        "run": "running",
        "sweep": "sweeping",
        "whatif": "changing",
    },
)
