"""What runs need of a trace: the columns and frames that have to be replayed, and the runs over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpumodel.columns import REQUIRED_COLUMNS, VERIFIED_COLUMNS
from gpumodel.config.schema import GpuConfig
from gpumodel.runs import KeepPass, Run
from gpumodel.techniques.registry import technique_columns
from gpumodel.warm_up import modelled_frames
from traceformat.gputrace.frametrace import ColumnSet

__all__ = ["RunPlan"]


@dataclass(frozen=True, slots=True)
class RunPlan:
    """Runs over the same frames of one replay.

    Parameters
    ----------
    wanted : GPU and technique ids of each run
    frames : to measure; None = all
    warm_up : frames modelled before them; None = what each technique looks back on
    verify : recompose all pixels and compare them
    """

    wanted: Sequence[tuple[GpuConfig, Sequence[str]]]
    frames: range | None = None
    warm_up: int | None = None
    verify: bool = False

    @property
    def columns(self) -> ColumnSet:
        """Columns that the frames need."""
        own = technique_columns([name for _, ids in self.wanted for name in ids])
        return ColumnSet([*(VERIFIED_COLUMNS if self.verify else REQUIRED_COLUMNS), *sorted(own)])

    @property
    def around(self) -> range | None:
        """Frames to replay: those to measure, and what any run models before and behind them; None = all."""
        if self.frames is None:
            return None
        needed = [modelled_frames(gpu, ids, self.frames, self.warm_up) for gpu, ids in self.wanted]
        return range(min(one.start for one in needed), max(one.stop for one in needed))

    def runs(
        self, asked: range, *, attribution: bool = False, keep_passes: bool | KeepPass = False, sample_cycles: int = 0
    ) -> list[Run]:
        """Make the runs; close them when they are done.

        Parameters
        ----------
        asked : frames to measure, as the trace's source says: a GPU trace may have been stored with others around them
        attribution, keep_passes, sample_cycles : see :class:`.Run`
        """
        return [
            Run(
                gpu,
                ids,
                verify=self.verify,
                sample_cycles=sample_cycles,
                attribution=attribution,
                keep_passes=keep_passes,
                frames=modelled_frames(gpu, ids, asked, self.warm_up),
            )
            for gpu, ids in self.wanted
        ]
