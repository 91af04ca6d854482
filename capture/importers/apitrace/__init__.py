"""apitrace's ``.trace`` files: read in versions 0 to 6, written in version 6.

Reading: ``container`` unpacks, ``stream`` reads events and values, ``windowsystem`` finds contexts, drawables and
sizes, ``arguments`` and ``convert`` turn the calls into ours. The file is gone through twice, in pieces.
Writing: ``export`` turns our calls into apitrace's, ``writer`` encodes them, ``text`` prints them as ``apitrace dump``
does. Format: apitrace's documentation; the project's own words and checks of it stand in the modules.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from capture.importers.apitrace.container import read_stream
from capture.importers.apitrace.convert import Converter
from capture.importers.apitrace.stream import EventReader
from capture.importers.apitrace.windowsystem import Survey
from capture.importers.report import ImportReport
from traceformat.gltrace.writer import TraceWriter

__all__ = ["ApitraceSource"]

#: Calls between two signs of progress.
_STEP_CALLS = 4096


class ApitraceSource:
    """An apitrace file that is being imported.

    Parameters
    ----------
    path : the file
    report : takes the counts

    Raises
    ------
    UsageError, TraceFormatError : see :func:`~capture.importers.apitrace.container.read_stream`
    """

    def __init__(self, path: Path, report: ImportReport) -> None:
        self._converter = Converter(Survey.of(EventReader(read_stream(path))), report)
        self._report = report
        self._events = EventReader(read_stream(path))
        report.version, report.properties = self._events.version, self._events.properties

    @property
    def properties(self) -> dict[str, str | int]:
        """Of the trace to write."""
        return {"source": "apitrace", "apitrace version": self._events.version}

    def write(self, writer: TraceWriter) -> Iterator[None]:
        """Write the calls."""
        report = self._report
        for call in self._events:
            report.calls_read += 1
            for made in self._converter.convert(call):
                writer.write_call(made)
            if report.calls_read % _STEP_CALLS == 0 or report.lost or report.not_portable:
                yield
        if self._events.truncated:
            report.damage = "the file is cut: imported up to its last whole call"
        yield
