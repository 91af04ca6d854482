"""What if: a trace with changes of the program, through a modelled GPU."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from gpureplay.running import machine_of, warn_of_missing
from gpureplay.traces import Trace
from traceformat.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from gpumodel.config import GpuConfig
    from gpumodel.run_plan import RunPlan
    from gpumodel.whatif.asking import Baseline
    from gpumodel.whatif.keeping import KeptFrames
    from gpumodel.whatif.kinds import Change
    from gpumodel.whatif.outcome import Answer, Answers
    from gpureplay.sources import Source
    from replay.player import PlayedFrames
    from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["whatif"]


def whatif(
    trace: Trace | str | os.PathLike[str],
    changes: Sequence[Change | tuple[str, ...]],
    config: str | os.PathLike[str] | GpuConfig = "mali450-vro",
    *,
    set: Mapping[str, Any] | None = None,
    memory: str | None = None,
    frames: range | None = None,
    everywhere: bool = True,
    both_memories: bool = True,
    advice: Collection[Change] | None = None,
    pictures: bool = True,
    threads: int = 1,
    progress: bool = False,
    tell_missing: Callable[[str, PlayedFrames], None] | None = None,
    kept: KeptFrames | None = None,
) -> Answers:
    """Say what changes of a program would save, each by itself; one replay serves all but those of textures.

    Parameters
    ----------
    trace : open, or the path of a ``.gltrace`` or ``.gputrace``
    changes : ``(kind, target)`` or ``(kind, target, value)``, such as ``("mipmaps", "texture 3")`` or
        ``("order", "all", "front-to-back")``; :data:`gpumodel.whatif.kinds.KINDS` has the kinds
    config, set, memory, frames, threads, progress : as for :func:`gpureplay.run`
    everywhere : model one changed frame on all presets, too
    both_memories : on those with either memory, not with this one alone
    advice : changes that the presets are asked about, where they save something; None = all
    pictures : find out what becomes of the picture
    tell_missing : called with the path and a replay that had to leave something out; None = a warning
    kept : the frames that are asked about, where they are at hand

    Raises
    ------
    ConfigError : a mistake in the configuration or in ``set``, or one in which frames overlap
    UsageError : no such trace, frames or change, or a change that finds nothing to change
    """
    from gpumodel.results import measured
    from gpumodel.run_plan import RunPlan
    from gpumodel.whatif.asking import Baseline, FrameChanges, other_machines
    from gpumodel.whatif.kinds import Change, Pixels, change_of
    from gpumodel.whatif.outcome import Answers
    from gpureplay.sources import open_source
    from traceformat.gputrace.reader import is_gputrace

    wanted = [change if isinstance(change, Change) else change_of(*change) for change in changes]
    if not wanted:
        raise UsageError("no change is asked for", hint="such as --hollow all")
    gpu, _ = machine_of(config, set or {}, memory)
    if gpu.binning.overlap == "frame":
        raise ConfigError(["binning.overlap is frame: a frame is not over before the next one"], hint="pass or none")
    path = str(trace.path if isinstance(trace, Trace) else os.fspath(trace))
    is_stored = is_gputrace(path)
    rewritten = [change for change in wanted if change.kind.function is None]
    if rewritten and is_stored:
        raise UsageError(f"{path}: {rewritten[0].title} needs the command trace that this was made from")
    composed = pictures and not is_stored and any(change.kind.pixels is Pixels.COMPOSED for change in wanted)
    plan = RunPlan([(gpu, ())], frames)
    machines = other_machines(gpu, both_memories=both_memories) if everywhere else []
    columns = RunPlan(plan.wanted, frames, verify=composed).columns
    tell = tell_missing or warn_of_missing
    with ExitStack() as stack:
        if kept is not None and kept.frames:
            source = _source_of(path, kept.frames, plan.frames)
        else:
            source = stack.enter_context(open_source(path, frames, threads, columns, plan.around, tell))
        baseline = Baseline(
            plan, source.asked, machines, keeps_pictures=bool(rewritten), verify=composed, advice=advice,
            threads=threads, past=kept.past if kept is not None and kept.frames else None,
        )  # fmt: skip
        if kept is not None and kept.frames:
            baseline.given = measured(kept.results)
        here = [change for change in wanted if change.kind.function is not None]
        asked = FrameChanges(plan, source.asked, here, baseline, pictures=composed)
        for run in (*baseline.runs, *asked.runs):
            stack.callback(run.close)
        for frame in _shown(source, "modelling", progress):
            baseline.feed(frame)
            asked.feed(frame)
        baseline.run.finish()
        answers = asked.answers()
        for change in rewritten:
            answers.append(_replayed(path, plan, change, baseline, threads, progress=progress))
    order = {id(change): number for number, change in enumerate(wanted)}
    answers.sort(key=lambda answer: order[id(answer.change)])
    return Answers(
        source.name, gpu.name, gpu.memory.mode, gpu.tech.clock_mhz, len(baseline.run.result.measured), answers,
        source.partial,
    )  # fmt: skip


def _source_of(path: str, frames: Sequence[FrameTrace], asked: range | None) -> Source:
    """Frames that are there already, as if they came from their trace."""
    from gpureplay.sources import Source

    there = range(frames[0].frame, frames[-1].frame + 1)
    return Source(Path(path).name, "", len(frames), len(frames), iter(frames), asked=asked or there)


def _shown(source: Any, what: str, progress: bool) -> Iterable[Any]:
    from traceformat.cli.terminal import followed

    return followed(source.frames, source.wanted, what, source.ahead) if progress else source.frames


def _replayed(path: str, plan: RunPlan, change: Change, baseline: Baseline, threads: int, *, progress: bool) -> Answer:
    """Rewrite the trace into a file of its own, and run that."""
    from gpumodel.whatif.asking import Replayed
    from gpureplay.sources import open_source
    from replay.rewriting import rewrite

    with TemporaryDirectory() as folder, ExitStack() as stack:
        other = str(Path(folder) / "changed.gltrace")
        last = 1 << 62 if plan.around is None else plan.around.stop
        if not rewrite(path, other, change.kind.name, change.target, change.value, last):
            return Replayed.unchanged(change, baseline)
        source = stack.enter_context(open_source(other, plan.frames, threads, plan.columns, plan.around))
        asked = Replayed(plan, source.asked, change, baseline)
        stack.callback(asked.run.close)
        for frame in _shown(source, change.title, progress):
            asked.feed(frame)
        return asked.answer()
