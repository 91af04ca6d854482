"""Benchmarks that are captured and replayed once, and run through many machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from gpumodel.config.schema import GpuConfig
from gpumodel.runs import Run
from gpureplay.silicon.counting import functional_counts
from gpureplay.silicon.modelled import Modelled, capture_programs, measured_frame
from gpureplay.sources import open_source
from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["ReplayedBench"]


class ReplayedBench:
    """Frames of benchmarks, kept: of each the one that warms up, and the one that is measured.

    Parameters
    ----------
    names : benchmarks
    threads : of the replay
    """

    def __init__(self, names: Sequence[str], threads: int = 1) -> None:
        self._frames: dict[str, list[FrameTrace]] = {name: [] for name in names}
        self._counts: dict[str, Mapping[str, int]] = {}
        self._kept = ExitStack()
        if names:
            self._replay(names, threads)

    def _replay(self, names: Sequence[str], threads: int) -> None:
        with ExitStack() as stack:
            folder = stack.enter_context(TemporaryDirectory())
            trace = Path(folder) / "kit.gltrace"
            capture_programs(names, trace)
            source = stack.enter_context(open_source(str(trace), None, threads))
            owners: dict[int, str] = {}
            for place, name in enumerate(names):
                owners |= dict.fromkeys((measured_frame(place) - 1, measured_frame(place)), name)
            for frame in source.frames:
                if frame.frame in owners:
                    self._frames[owners[frame.frame]].append(frame)
            self._kept = stack.pop_all()
        for name, frames in self._frames.items():
            self._counts[name] = functional_counts(frames[-1])

    def run(self, names: Sequence[str], gpus: Sequence[GpuConfig]) -> dict[str, list[Modelled]]:
        """Give each benchmark's outcome on each configuration; a benchmark begins with empty caches and one drawing."""
        return {name: [self._outcome(name, gpu) for gpu in gpus] for name in names}

    def _outcome(self, name: str, gpu: GpuConfig) -> Modelled:
        one = Run(gpu, keep_passes=False)
        try:
            for frame in self._frames[name]:
                one.feed(frame)
            one.finish()
        finally:
            one.close()
        result = one.result.frames[-1]
        return Modelled(result.cycles, {**result.counters, **self._counts[name]})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._frames.clear()
        self._kept.close()
