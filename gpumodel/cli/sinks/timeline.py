"""``--timeline``: units, tiles, memory and power over time, for Perfetto."""

from __future__ import annotations

from gpumodel.cli.sinks.sink import Sink, Step, Work
from gpumodel.report.timeline import FIRST_SAMPLE_CYCLES, Timeline
from traceformat.errors import UsageError
from traceformat.output import write_output

__all__ = ["TimelineFile"]


class TimelineFile(Sink):
    """One file, a process in the viewer for each run."""

    keeps_passes = True
    sample_cycles = FIRST_SAMPLE_CYCLES

    def __init__(self, path: str) -> None:
        self._path = path
        self._timelines: list[Timeline] = []

    def begin(self, work: Work) -> None:
        """Refuse machines whose frames overlap in time."""
        for number, (run, label) in enumerate(zip(work.runs, work.labels, strict=True), 1):
            if run.frames_at_once > 1:
                raise UsageError(f"--timeline shows frames one after the other; {label} renders two in parallel")
            self._timelines.append(Timeline(run.machine.config, label, run.result.hardware, number))

    def frame(self, work: Work, step: Step) -> None:
        """Add the frame to each run's track."""
        for timeline, run, raw in zip(self._timelines, work.runs, step.raws, strict=True):
            timeline.add(step.frame, raw, run.result.frame(step.frame.frame))

    def end(self, work: Work) -> int:
        """Write the file."""
        write_output(self._path, Timeline.text(self._timelines))
        return 0
