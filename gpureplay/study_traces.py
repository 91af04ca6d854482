"""What studies want of replay and capture: the one implementation of :class:`gpumodel.study.source.StudyTraces`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from gpumodel.study.source import TraceFacts
from gpureplay.capturing import capture_sample
from gpureplay.sources import Source, open_source
from traceformat.errors import TraceFormatError
from traceformat.gputrace.frametrace import ColumnSet
from traceformat.kernels import source_hash

if TYPE_CHECKING:
    from gpureplay.trace_store import TraceStore
    from replay.player import PlayedFrames

__all__ = ["ReplayedTraces"]

_CAPTURING = ("samples", "capture", "traceformat")


class ReplayedTraces:
    """Command traces that are replayed, and GPU traces that are read.

    Parameters
    ----------
    store : gives frames that have been replayed before, and keeps those that are replayed now
    """

    def __init__(self, store: TraceStore | None = None) -> None:
        self._store = store

    def sample_names(self) -> Sequence[str]:
        """Demo programs and twins that can be captured."""
        from samples import PROGRAMS

        return list(PROGRAMS)

    def capture(self, sample: str, folder: Path, *, frames: int, size: str) -> Path:
        """Capture a demo program, unless this version of it has been captured into the folder before."""
        program = hashlib.sha256("".join(map(source_hash, _CAPTURING)).encode()).hexdigest()[:8]
        trace = folder / f"{sample}-{size}-{frames}-{program}.gltrace"
        if not trace.exists():
            capture_sample(sample, trace, frames=frames, size=size)
        return trace

    def survey(self, path: str) -> TraceFacts:
        """Look at a trace without replaying it.

        Raises
        ------
        TraceFormatError : it is damaged, or no trace
        UsageError : it cannot be read
        """
        from traceformat.gltrace.reader import open_trace
        from traceformat.gputrace.reader import is_gputrace, open_gputrace

        if is_gputrace(path):
            with open_gputrace(path) as stored:
                _refuse(path, stored.damage)
                numbers = sorted(stored.numbers().values())
            with open(path, "rb") as file:
                content = hashlib.file_digest(file, "sha256").hexdigest()
            return TraceFacts(content, range(numbers[0], numbers[-1] + 1) if numbers else range(0))
        with open_trace(path) as reader:
            _refuse(path, reader.damage)
            return TraceFacts(reader.content_hash, range(len(reader.frames)))

    @contextmanager
    def open(
        self, path: str, frames: range, columns: ColumnSet, around: Sequence[range], missing: list[str]
    ) -> Iterator[Source]:
        """Replay a trace, or read a GPU trace; see :class:`gpumodel.study.source.StudyTraces`."""

        def note(_: str, played: PlayedFrames) -> None:
            missing.extend(played.missing)

        hull = range(around[0].start, around[-1].stop)
        with open_source(path, frames, 1, columns, hull, note, self._store, around) as source:
            yield source


def _refuse(path: str, damage: Sequence[object]) -> None:
    if damage:
        raise TraceFormatError(f"{path}: the trace is damaged: {damage[0]}")
