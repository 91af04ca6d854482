"""``--graphs``: what the techniques draw of each frame."""

from __future__ import annotations

from pathlib import Path

from gpumodel.cli.sinks.sink import Sink, Step, Work
from traceformat.output import make_folder, write_output

__all__ = ["Graphs"]


class Graphs(Sink):
    """A folder a run with the files of its techniques."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def begin(self, work: Work) -> None:
        """Let the techniques draw."""
        make_folder(self._folder)
        for run in work.runs:
            run.keep_drawings()

    def frame(self, work: Work, step: Step) -> None:
        """Write what they have drawn of the frame."""
        for run, label in zip(work.runs, work.labels, strict=True):
            for name, text in run.drawings(step.frame.frame).items():
                write_output(make_folder(self._folder / label) / name, text)
