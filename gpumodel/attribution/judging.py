"""Runs the judges: what frames cost less without the work of each group."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from gpumodel.attribution.judges import absent, copied, hollow
from gpumodel.attribution.rollup import By, members
from gpumodel.attribution.table import Attribution
from gpumodel.config.schema import GpuConfig
from gpumodel.machine import FiguresAlone, Machine
from traceformat.gputrace.frametrace import FrameRole, FrameTrace

__all__ = ["Judge", "frame_cycles"]

_JUDGES: Final[Mapping[str, Callable[[FrameTrace, Sequence[int]], FrameTrace]]] = {"hollow": hollow, "absent": absent}


def frame_cycles(config: GpuConfig, trace: FrameTrace) -> int:
    """Cycles of a frame on a machine that has done nothing before."""
    frame = Machine(config).run_frame(trace, FiguresAlone())
    return frame.geometry_cycles + frame.raster_cycles


class Judge:
    """Keeps the measured frames, and models them again.

    Parameters
    ----------
    by : what groups are
    judges : ``hollow``, ``absent``; where there are none no frame is kept
    """

    def __init__(self, config: GpuConfig, by: By, judges: Sequence[str]) -> None:
        self._config = config
        self._by = by
        self._judges = list(dict.fromkeys(judges))
        self._frames: list[FrameTrace] = []

    def keep(self, trace: FrameTrace) -> None:
        """Keep a copy of a frame."""
        if self._judges and trace.role is FrameRole.MEASURED:
            self._frames.append(copied(trace))

    def savings(self, rows: Sequence[Attribution], groups: Sequence[str]) -> dict[str, dict[str, float]]:
        """Cycles that all frames together cost less, by judge and group; negative for an occluder."""
        out: dict[str, dict[str, float]] = {name: dict.fromkeys(groups, 0.0) for name in self._judges}
        for trace, frame in zip(self._frames, rows, strict=False):
            whole = frame_cycles(self._config, trace)
            for name, draws in members(frame, self._by):
                for judge in self._judges if name in groups else ():
                    out[judge][name] += whole - frame_cycles(self._config, _JUDGES[judge](trace, draws))
        return out
