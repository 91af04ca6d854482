"""Importers: other tools' traces, turned into ``.gltrace``, and ours written in their formats.

``apitrace/`` reads and writes apitrace's ``.trace``, ``patrace/`` reads ARM PATrace's ``.pat``. What they share exists
once: ``windows`` (contexts, drawables, threads), ``buffers`` (bindings, mappings, client arrays), ``records``,
``snappyblocks`` and the ``report``. Files are read in pieces: memory does not grow with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from capture.importers.report import ImportReport
from traceformat.errors import FindingError, TraceFormatError, UsageError
from traceformat.gltrace.reader import open_trace
from traceformat.gltrace.writer import TraceWriter

__all__ = ["ImportReport", "import_trace"]


class _Source(Protocol):
    """A file that is being imported."""

    @property
    def properties(self) -> dict[str, str | int]:
        """Of the trace to write."""

    def write(self, writer: TraceWriter) -> Iterator[None]:
        """Write the calls, a few with each step, and count them in the report."""


def import_trace(
    source: Path,
    target: Path,
    *,
    strict: bool = False,
    frames: tuple[int, int | None] = (0, None),
    progress: Callable[[int], None] | None = None,
) -> ImportReport:
    """Import a file.

    Parameters
    ----------
    source : an apitrace ``.trace`` or a PATrace ``.pat``; its first bytes say which
    target : the ``.gltrace`` to write; it appears when it is whole
    strict : fail on anything that cannot be represented, and write nothing
    frames : first and last frame wanted, None for all that follow; nothing behind the last is read, and of what is
        before the first those calls stay that the frames depend on, as set-up frames
    progress : told the number of calls read so far, now and then

    Raises
    ------
    UsageError : the file cannot be read
    TraceFormatError : nothing of it can be read; of a damaged one what comes before the damage is imported
    FindingError : ``strict``, and something cannot be represented; there is no frame of ``frames``
    """
    report = ImportReport()
    reader = _open(source, report)
    first, last = frames
    writer = TraceWriter(target, reader.properties)
    try:
        for _ in reader.write(writer):
            if strict and (report.lost or report.not_portable):
                raise FindingError(f"{source}: {report.warnings()[0]}", hint="import without --strict to go on")
            if progress is not None:
                progress(report.calls_read)
            if last is not None and report.frames > last:
                break
        report.calls_written = writer.num_calls
        if report.damage and (strict or not report.calls_written):
            raise TraceFormatError(f"{source}: {report.damage}")
    except BaseException:
        writer.abort()
        raise
    writer.close()
    if first or last is not None:
        _keep_frames(target, first, last)
        with open_trace(target) as trace:
            report.frames = len(trace.frames) - trace.set_up_frames
            report.calls_written = trace.num_calls
    return report


def _keep_frames(target: Path, first: int, last: int | None) -> None:
    """Replace a trace by some of its frames and what they depend on.

    Raises
    ------
    FindingError : there is no frame ``first``
    """
    from capture.ranges import cut_trace, frame_range
    from replay.reflect import ReflectingBackend
    from traceformat.tools.trim.writing import trim

    end = (1 << 62) if last is None else last
    calls = frame_range(target, first, end)
    if first:
        with open_trace(target) as reader:
            try:
                trim(reader, target, frames=range(first, min(end + 1, len(reader.frames))), backend=ReflectingBackend())
                return
            except FindingError:
                # What some call depends on cannot be told; to execute all that is before gives the state anyway.
                pass
    cut_trace(target, [calls])


def _open(source: Path, report: ImportReport) -> _Source:
    from capture.importers.apitrace import ApitraceSource
    from capture.importers.patrace import PatSource, is_pat

    try:
        with source.open("rb") as file:
            head = file.read(8)
    except OSError as error:
        raise UsageError(f"cannot read {source}: {error.strerror}") from None
    if not head:
        raise TraceFormatError(f"{source} is empty", hint="an apitrace .trace or a PATrace .pat was expected")
    return PatSource(source, report) if is_pat(head) else ApitraceSource(source, report)
