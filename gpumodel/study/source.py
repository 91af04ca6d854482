"""What a study wants of replay and capture; façade and commands bring it in (``gpureplay.study_traces``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from traceformat.gputrace.frametrace import ColumnSet, FrameTrace

__all__ = ["OpenTrace", "StudyTraces", "TraceFacts"]


@dataclass(frozen=True, slots=True)
class TraceFacts:
    """What is known of a trace before it is replayed.

    Parameters
    ----------
    sha256 : of its content
    frames : their numbers
    """

    sha256: str
    frames: range


class OpenTrace(Protocol):
    """A trace that is being replayed, or read."""

    @property
    def frames(self) -> Iterator[FrameTrace]:
        """Its frames, in order."""

    @property
    def partial(self) -> bool:
        """Frames that were asked for are left out, because the trace is damaged."""


class StudyTraces(Protocol):
    """Where the traces of a study come from; goes to the workers by pickle."""

    def sample_names(self) -> Sequence[str]:
        """Demo programs that can be captured."""

    def capture(self, sample: str, folder: Path, *, frames: int, size: str) -> Path:
        """Capture a demo program; gives the trace. One that is there already is not captured again."""

    def survey(self, path: str) -> TraceFacts:
        """Look at a trace without replaying it.

        Raises
        ------
        TraceFormatError : it is damaged, or no trace
        UsageError : it cannot be read
        """

    def open(
        self, path: str, frames: range, columns: ColumnSet, around: Sequence[range], missing: list[str]
    ) -> AbstractContextManager[OpenTrace]:
        """Replay a trace, or read a GPU trace.

        Parameters
        ----------
        frames : from the first to the last one that is measured
        columns : of the frames
        around : frames to give, those that warm up among them: ranges apart and ascending, at least one
        missing : takes a line for each thing that the replay had to leave out
        """
