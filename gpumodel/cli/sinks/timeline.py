"""``--timeline``: frames, draws, tiles, units, memory and power over time, for Perfetto."""

from __future__ import annotations

from gpumodel.cli.sinks.sink import Sink, Step, Work
from gpumodel.pass_run import PassRun
from gpumodel.report.timeline import FIRST_SAMPLE_CYCLES, Timeline
from gpumodel.report.timeline_files import JsonTimeline, PerfettoTimeline, TimelineWriter
from traceformat.errors import UsageError
from traceformat.gputrace.frametrace import FrameTrace
from traceformat.output import Output

__all__ = ["TimelineFile"]


class TimelineFile(Sink):
    """One file, a process in the viewer for each run; it is written while the runs go on.

    Parameters
    ----------
    path : where to; what ends in ``.json`` is JSON, everything else Perfetto's own format
    keeps_costs : results keep what each draw costs
    """

    counts_draws = True
    sample_cycles = FIRST_SAMPLE_CYCLES

    def __init__(self, path: str, *, keeps_costs: bool) -> None:
        self._path = path
        self._keeps_costs = keeps_costs
        self._output: Output | None = None
        self._writer: TimelineWriter | None = None
        self._timelines: list[Timeline] = []

    def keeps(self, given: FrameTrace, done: PassRun) -> bool:
        """All: it shows every pass."""
        return True

    def begin(self, work: Work) -> None:
        """Open the file; refuse machines whose frames overlap in time."""
        for run, label in zip(work.runs, work.labels, strict=True):
            if run.frames_at_once > 1:
                raise UsageError(f"--timeline shows frames one after the other; {label} renders two in parallel")
        self._output = Output(self._path)
        made = JsonTimeline if self._path.endswith(".json") else PerfettoTimeline
        self._writer = made(self._output.stream)
        self._timelines = [
            Timeline(self._writer, run.machine.config, label, run.result.hardware)
            for run, label in zip(work.runs, work.labels, strict=True)
        ]

    def frame(self, work: Work, step: Step) -> None:
        """Add the frame to each run's tracks."""
        for timeline, run, raw in zip(self._timelines, work.runs, step.raws, strict=True):
            result = run.result.frame(step.frame.frame)
            timeline.add(step.frame, raw, result)
            if not self._keeps_costs:
                result.attribution = None

    def end(self, work: Work) -> int:
        """Give the file its name."""
        assert self._writer is not None
        assert self._output is not None
        self._writer.finish()
        self._output.finish()
        return 0

    def close(self) -> None:
        """Throw away a file that is not whole."""
        if self._output is not None:
            self._output.discard()
