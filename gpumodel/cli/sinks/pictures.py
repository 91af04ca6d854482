"""``--images``: each frame, and maps of what it cost."""

from __future__ import annotations

from pathlib import Path

from gpumodel.cli.sinks.sink import Sink, Step, Work
from gpumodel.pass_run import PassRun
from gpumodel.report.maps import is_mapped
from gpumodel.report.pictures import write_maps, write_overshading, write_picture
from traceformat.gputrace.frametrace import FrameTrace
from traceformat.output import make_folder

__all__ = ["Pictures"]


class Pictures(Sink):
    """A folder of PNG files; with several runs the maps of each lie in a folder of its name, all in one scale."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def keeps(self, given: FrameTrace, done: PassRun) -> bool:
        """Of a frame of hundreds of passes the maps show few."""
        return is_mapped(given, done)

    def begin(self, work: Work) -> None:
        """Make the folders."""
        make_folder(self._folder)
        if len(work.runs) > 1:
            for label in work.labels:
                make_folder(self._folder / label)

    def frame(self, work: Work, step: Step) -> None:
        """Write the picture and the maps."""
        write_picture(self._folder, step.frame)
        if len(work.runs) > 1:
            write_overshading(self._folder, step.frame, step.raws, work.labels)
            write_maps([self._folder / label for label in work.labels], step.frame, step.raws)
        else:
            write_maps([self._folder], step.frame, step.raws)
