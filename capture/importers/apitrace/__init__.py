"""Reads apitrace's ``.trace`` files (versions 0 to 6) and writes ``.gltrace``.

``container`` unpacks, ``stream`` reads events and values, ``windowsystem`` finds contexts, drawables and sizes,
``arguments`` and ``convert`` turn the calls into ours. The file is gone through twice, in pieces: memory does not grow
with it. Format: apitrace's documentation; the project's own words and checks of it stand in the modules.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from capture.importers.apitrace.container import read_stream
from capture.importers.apitrace.convert import Converter
from capture.importers.apitrace.report import ImportReport
from capture.importers.apitrace.stream import EventReader
from capture.importers.apitrace.windowsystem import Survey
from traceformat.errors import FindingError
from traceformat.writer import TraceWriter

__all__ = ["ImportReport", "import_trace"]

_PROGRESS_CALLS = 4096


def import_trace(
    source: Path, target: Path, *, strict: bool = False, progress: Callable[[int], None] | None = None
) -> ImportReport:
    """Import a file.

    Parameters
    ----------
    source : an apitrace ``.trace``
    target : the ``.gltrace`` to write; it appears when it is whole
    strict : fail on anything that cannot be represented, and write nothing
    progress : told the number of calls read so far, now and then

    Raises
    ------
    UsageError, TraceFormatError : see :func:`~capture.importers.apitrace.container.read_stream`
    FindingError : ``strict``, and something cannot be represented
    """
    survey = Survey.of(EventReader(read_stream(source)))
    report = ImportReport()
    converter = Converter(survey, report)
    events = EventReader(read_stream(source))
    report.version, report.properties = events.version, events.properties
    writer = TraceWriter(target, {"source": "apitrace", "apitrace version": events.version})
    try:
        for call in events:
            report.calls_read += 1
            for record in converter.convert(call):
                writer.write(
                    record.name,
                    record.args,
                    record.outputs,
                    record.result,
                    thread=record.thread,
                    context=record.context,
                    flags=record.flags,
                )
                report.calls_written += 1
            if strict and (report.lost or report.not_portable):
                raise FindingError(f"{source}: {report.warnings()[0]}", hint="import without --strict to go on")
            if progress is not None and report.calls_read % _PROGRESS_CALLS == 0:
                progress(report.calls_read)
        report.truncated = events.truncated
    except BaseException:
        writer.abort()
        raise
    writer.close()
    return report
