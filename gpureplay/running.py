"""Running traces through modelled GPUs from Python."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from gpureplay.results import Result
from gpureplay.traces import Trace
from traceformat.errors import ToolWarning, UsageError

if TYPE_CHECKING:
    from gpumodel.config import GpuConfig
    from gpumodel.config.origin import Origin
    from replay.player import PlayedFrames

__all__ = ["machine_of", "run", "warn_of_missing"]


def run(
    trace: Trace | str | os.PathLike[str],
    config: str | os.PathLike[str] | GpuConfig | Sequence[str | os.PathLike[str] | GpuConfig] = "mali450-vro",
    *,
    techniques: Sequence[str] = (),
    set: Mapping[str, Any] | None = None,
    memory: str | None = None,
    frames: range | None = None,
    warm_up: int | None = None,
    verify: bool = False,
    threads: int = 1,
    progress: bool = False,
) -> Result:
    """Run a trace through one or more modelled GPUs; one replay serves them all.

    Parameters
    ----------
    trace : open, or the path of a ``.gltrace`` or ``.gputrace``
    config : preset, TOML file, configuration, or several of them
    techniques : ids, several in one run joined by ``+``; the baseline always runs too
    set : values of the configuration by key, such as ``{"caches.l2.size_bytes": 65536}``
    memory : ``paper`` or ``dram``; None = the configuration's own
    frames : to measure; None = all
    warm_up : frames modelled before them; None = what each technique looks back on
    verify : recompose all pixels from what the units did, and compare them
    threads : of the replay, and runs at work at a time; results are equal
    progress : show how far it is, on standard error

    Raises
    ------
    ConfigError : a mistake in the configuration or in ``set``, all of them at once
    UsageError : no such trace, frames or technique
    """
    from gpumodel.resultfile import Subject
    from gpumodel.run_plan import RunPlan
    from gpumodel.runs import run_all
    from gpumodel.techniques import parse_techniques
    from gpureplay.sources import open_source
    from traceformat.cli.terminal import followed

    if frames is not None and (frames.step != 1 or not frames):
        raise UsageError(f"{frames} are no frames to run", hint="range(first, end)")
    machines = [machine_of(one, set or {}, memory) for one in _listed(config)]
    combinations = parse_techniques(techniques)
    wanted = [(gpu, ids, origin) for gpu, origin in machines for ids in combinations]
    plan = RunPlan([(gpu, ids) for gpu, ids, _ in wanted], frames, warm_up, verify)
    path = str(trace.path if isinstance(trace, Trace) else os.fspath(trace))
    width = height = 0
    with ExitStack() as stack:
        source = stack.enter_context(open_source(path, frames, threads, plan.columns, plan.around, warn_of_missing))
        runs = plan.runs(source.asked)
        for one in runs:
            stack.callback(one.close)
        shown: Iterable[Any] = source.frames
        if progress:
            shown = followed(source.frames, source.wanted, "modelling", source.ahead)
        for frame, _ in run_all(shown, runs, threads=threads):
            width, height = width or frame.width, height or frame.height
    about = {
        "name": source.name,
        "sha256": source.sha256,
        "frames": source.num_frames,
        "width": width,
        "height": height,
    }
    subject = Subject(about, origins=[origin for *_, origin in wanted], partial=source.partial)
    return Result(subject, [one.result for one in runs])


def _listed(config: Any) -> list[Any]:
    return list(config) if isinstance(config, (list, tuple)) else [config]


def machine_of(source: Any, settings: Mapping[str, Any], memory: str | None) -> tuple[GpuConfig, Origin]:
    """A configuration with settings, and where its values come from."""
    from gpumodel.config import GpuConfig
    from gpumodel.config.change import changed, setting_texts
    from gpumodel.config.origin import Origin, load_with_origin

    if isinstance(source, GpuConfig):
        values = {**settings, **({} if memory is None else {"memory.mode": memory})}
        return (changed(source, values) if values else source), Origin.unknown()
    gpu, origin = load_with_origin(os.fspath(source), setting_texts(settings), memory)
    if not isinstance(gpu, GpuConfig):
        raise UsageError(f"{source}: a handheld rasterizer draws pixels of its own", hint="gpureplay run takes it")
    return gpu, origin


def warn_of_missing(path: str, played: PlayedFrames) -> None:
    """Warn of what a replay had to leave out."""
    for line in played.missing:
        warnings.warn(f"{path}: {line}", ToolWarning, stacklevel=2)
