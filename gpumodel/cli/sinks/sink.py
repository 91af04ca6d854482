"""The shape of a sink, and what it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gpumodel.config.origin import Origin
from gpumodel.machine import MachineFrame
from gpumodel.pass_run import PassRun
from gpumodel.resultfile import Subject
from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["Sink", "Step", "Work"]


@dataclass(slots=True)
class Work:
    """What is being run.

    Parameters
    ----------
    name, sha256, num_frames : of the command trace
    runs : :class:`gpumodel.runs.Run`, or runs on the handheld rasterizer
    labels : name of each run, fit for a file
    origins : where the configuration of each run comes from
    command : command line
    width, height : of the frames, pixels; 0 until the first one
    partial : frames were left out because the trace is damaged
    """

    name: str
    sha256: str
    num_frames: int
    runs: Sequence[Any]
    labels: Sequence[str]
    origins: Sequence[Origin]
    command: Sequence[str]
    width: int = 0
    height: int = 0
    partial: bool = False

    @property
    def results(self) -> Sequence[Any]:
        """Figures of each run."""
        return [getattr(run, "result", run) for run in self.runs]

    @property
    def subject(self) -> Subject:
        """What the results are results of."""
        trace = {
            "name": self.name,
            "sha256": self.sha256,
            "frames": self.num_frames,
            "width": self.width,
            "height": self.height,
        }
        return Subject(trace, self.command, self.origins, self.partial)


@dataclass(frozen=True, slots=True)
class Step:
    """A frame that was measured, and that runs are done with.

    Parameters
    ----------
    frame : as it was replayed
    first_run : number of the run that the first of the figures is of
    raws : raw figures, one a run; none of machines without tiles
    seconds : host time of each run
    """

    frame: Any
    first_run: int
    raws: Sequence[MachineFrame]
    seconds: Sequence[float]


class Sink:
    """An output: told when frames begin, of each frame, and when all are done.

    Attributes
    ----------
    counts_draws : needs what each draw costs in the results
    sample_cycles : cycles between two samples of the machine, 0 for none
    """

    counts_draws = False
    sample_cycles = 0

    def keeps(self, given: FrameTrace, done: PassRun) -> bool:
        """Whether it needs a pass's log in the raw figures."""
        return False

    def begin(self, work: Work) -> None:
        """Runs are ready, no frame is done."""

    def replayed(self, frame: FrameTrace) -> None:
        """A frame has come, whatever its role; it is not modelled yet."""

    def frame(self, work: Work, step: Step) -> None:
        """A measured frame is done."""

    def end(self, work: Work) -> int:
        """All frames are done; gives an exit status, 0 for nothing to report."""
        return 0

    def close(self) -> None:
        """Let go of everything, also where the work has failed."""
