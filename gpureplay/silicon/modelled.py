"""The kit's programs in ours: captured without a driver, replayed once, counted, and run through machines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gpumodel.columns import REQUIRED_COLUMNS
from gpumodel.config.schema import GpuConfig
from gpumodel.runs import Run, run_all
from gpureplay.capturing import capture
from gpureplay.silicon.counting import COUNTED_COLUMNS, functional_counts
from gpureplay.sources import open_source
from samples.silicon.measuring import FRAMES_EACH, chosen, program_of
from traceformat.gputrace.frametrace import ColumnSet, FrameTrace

__all__ = ["Modelled", "capture_programs", "measured_frame", "model_programs", "model_results", "our_benchmarks"]


@dataclass(frozen=True, slots=True)
class Modelled:
    """A benchmark on a modelled GPU.

    Parameters
    ----------
    cycles : of the frame that is measured
    counters : of the model, and those of :data:`.counting.FUNCTIONAL`
    """

    cycles: int
    counters: Mapping[str, float]


def measured_frame(place: int) -> int:
    """The frame of a trace in which a benchmark is drawn warm, by its place in the trace."""
    return FRAMES_EACH * place + FRAMES_EACH - 1


def capture_programs(names: Sequence[str], trace: Path) -> None:
    """Record benchmarks, one after the other.

    Raises
    ------
    StorageError : the disk is full
    FindingError : they could not be recorded
    """
    capture("the kit's programs", "run", trace, ["-m", "samples.silicon", "draw", *names])


def model_programs(
    names: Sequence[str], trace: Path, gpus: Sequence[GpuConfig], threads: int = 1
) -> Iterator[tuple[str, list[Modelled]]]:
    """Run benchmarks of a trace through GPUs.

    Parameters
    ----------
    names : in the order of the trace
    gpus : one replay serves them all

    Yields
    ------
    name, and what each GPU made of it
    """
    counts: dict[int, dict[str, int]] = {}
    wanted = {measured_frame(place): name for place, name in enumerate(names)}

    def counted(frames: Iterator[FrameTrace]) -> Iterator[FrameTrace]:
        for frame in frames:
            if frame.frame in wanted:
                counts[frame.frame] = functional_counts(frame)
            yield frame

    runs = [Run(gpu, keep_passes=False) for gpu in gpus]
    try:
        with open_source(str(trace), None, threads, ColumnSet([*REQUIRED_COLUMNS, *COUNTED_COLUMNS])) as source:
            for frame, _ in run_all(counted(source.frames), runs, threads=threads):
                name = wanted.get(frame.frame)
                if name is None:
                    continue
                results = [run.result.frame(frame.frame) for run in runs]
                yield name, [Modelled(one.cycles, {**one.counters, **counts[frame.frame]}) for one in results]
    finally:
        for run in runs:
            run.close()


def our_benchmarks(document: Mapping[str, Any]) -> list[str]:
    """Benchmarks of results that we have, too: of the same name, parameters and programs."""
    samples = document["benchmarks"]
    return [name for name, one in chosen().items() if name in samples and samples[name]["program"] == program_of(one)]


def model_results(document: Mapping[str, Any], gpu: GpuConfig, threads: int = 1) -> dict[str, Modelled]:
    """Outcome of each benchmark of results on a GPU, captured and replayed now."""
    names = our_benchmarks(document)
    if not names:
        return {}
    with TemporaryDirectory() as folder:
        trace = Path(folder) / "kit.gltrace"
        capture_programs(names, trace)
        return {name: one for name, (one,) in model_programs(names, trace, [gpu], threads)}
