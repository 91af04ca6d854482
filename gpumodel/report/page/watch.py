"""Takes the frames of a run for a page, one by one as they are modelled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpumodel.report.page.facts import Facts
from gpumodel.report.page.frames import FrameKeeper
from gpumodel.report.page.meshes import Meshes
from gpumodel.report.shader_lines import ShaderLines
from traceformat.gputrace.frametrace import FrameRole

if TYPE_CHECKING:
    from gpumodel.machine import MachineFrame
    from gpumodel.runs import Run
    from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["Watch"]


class Watch:
    """What a page needs of each frame, kept small; the frames need SOURCE_COLUMNS for shaders by line.

    Parameters
    ----------
    run : with attribution, and with the log of each pass
    """

    def __init__(self, run: Run) -> None:
        config = run.result.config
        self._run = run
        self.keeper = FrameKeeper(config.tech.clock_mhz)
        self.facts = Facts()
        self.meshes = Meshes()
        self.lines = ShaderLines(config)
        self.size = (0, 0)

    def add(self, frame: FrameTrace, raw: MachineFrame) -> None:
        """Take a frame; those that set up or warm up are left out."""
        if frame.role is not FrameRole.MEASURED:
            return
        self.size = self.size if self.size[0] else (frame.width, frame.height)
        result = self._run.result.frame(frame.frame)
        assert result.attribution is not None
        layers = self.keeper.add(frame, raw, result)
        self.facts.add(frame, raw, result.attribution, layers.get("equal"))
        self.meshes.add(frame, result.attribution)
        self.lines.add(frame, raw.passes)
