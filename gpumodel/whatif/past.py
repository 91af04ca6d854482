"""What the frames that warm up leave: the machine as it stands behind them, and the frame buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpumodel.runs import Run
from gpumodel.verify import Recomposer

if TYPE_CHECKING:
    from gpumodel.config import GpuConfig
    from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["Past"]


class Past:
    """Where runs of a configuration without techniques begin, however many they are.

    Parameters
    ----------
    pictures : some of them are verified: they begin with what the trace says is in the frame buffers

    Attributes
    ----------
    run : has modelled the frames; another one may have done it, see :meth:`.Run.leave_to`
    """

    def __init__(self, config: GpuConfig, *, pictures: bool) -> None:
        self.run = Run(config)
        self._buffers = Recomposer(config.screen.frame_buffers) if pictures else None

    def feed(self, trace: FrameTrace) -> None:
        """Take a frame."""
        self.run.feed(trace)
        self.show(trace)

    def show(self, trace: FrameTrace) -> None:
        """Take a frame's pixels alone."""
        if self._buffers is not None:
            self._buffers.believe(trace)

    def begin(self, run: Run) -> None:
        """Let a run that has modelled nothing go on from here."""
        run.go_on_from(self.run, self._buffers)
