"""Pictures and table of runs on the handheld rasterizer."""

from __future__ import annotations

from pathlib import Path

from gpumodel.cli.sinks.sink import Sink, Step, Work
from gpumodel.handheld.report import print_handheld, write_handheld_pictures
from traceformat.cli.terminal import console
from traceformat.output import make_folder

__all__ = ["HandheldPictures", "HandheldTable"]


class HandheldPictures(Sink):
    """``--images``: frames and overdraw, in a folder for each run where there are several."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def begin(self, work: Work) -> None:
        """Make the folder."""
        make_folder(self._folder)

    def frame(self, work: Work, step: Step) -> None:
        """Write the pictures."""
        folder = self._folder if len(work.runs) == 1 else make_folder(self._folder / work.labels[step.first_run])
        write_handheld_pictures(folder, step.frame)


class HandheldTable(Sink):
    """All runs side by side."""

    def end(self, work: Work) -> int:
        """Print them."""
        print_handheld(console(), work.results, title=work.name)
        return 0
