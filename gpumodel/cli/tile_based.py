"""``gpureplay run`` on tile-based GPUs: all configurations and techniques share one replay."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from gpumodel.cli.options import opened_store
from gpumodel.cli.run_options import RunOptions, finished, result_sinks
from gpumodel.machines import TILE_BASED, refuse_foreign
from traceformat.cli.door import command_line
from traceformat.cli.options import parse_frames
from traceformat.cli.terminal import Progress, followed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gpumodel.cli.sinks.sink import Sink, Work
    from gpumodel.config import GpuConfig
    from gpumodel.config.origin import Origin
    from gpumodel.pass_run import PassRun
    from gpumodel.runs import Run
    from gpureplay.sources import Source
    from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["run_tile_based"]


def run_tile_based(options: RunOptions) -> int:
    """Run a trace on tile-based GPUs; see ``gpureplay run``. Gives the exit status."""
    from gpumodel.techniques import parse_techniques

    machines = _configurations(options)
    refuse_foreign(TILE_BASED, options.techniques, machines[0][0].name)
    combinations = parse_techniques(options.techniques)
    frames = parse_frames(options.frames)

    # Importing the machine compiles its kernels, or loads them.
    with Progress("preparing the model", unit=""):
        from gpumodel.cli.missing import tell_what_is_missing
        from gpumodel.cli.sinks.sink import Work
        from gpumodel.report.labels import run_labels
        from gpumodel.run_plan import RunPlan
        from gpureplay.sources import open_source

    wanted = [(gpu, ids, origin) for gpu, origin in machines for ids in combinations]
    plan = RunPlan([(gpu, ids) for gpu, ids, _ in wanted], frames, options.warm_up, options.verify)
    store = opened_store(options.trace_store, options.trace_store_gib)
    with ExitStack() as stack:
        source = stack.enter_context(
            open_source(options.trace, frames, options.threads, plan.columns, plan.around, tell_what_is_missing, store)
        )
        sinks = _sinks(options, source)
        for sink in sinks:
            stack.callback(sink.close)
        samples = max(sink.sample_cycles for sink in sinks) if sinks else 0
        costs = options.attribution or any(sink.counts_draws for sink in sinks)

        def kept(given: FrameTrace, done: PassRun) -> bool:
            return any(sink.keeps(given, done) for sink in sinks)

        runs = plan.runs(source.asked, attribution=costs, keep_passes=kept, sample_cycles=samples)
        if options.has_table and not costs:
            runs[0].count_first()
        for run in runs:
            stack.callback(run.close)
        labels = run_labels([one.result for one in runs])
        work = Work(
            source.name, source.sha256, source.num_frames, runs, labels, [one for *_, one in wanted], command_line()
        )
        _feed(options, source, work, sinks)
        return finished(options, work, sinks)


def _feed(options: RunOptions, source: Source, work: Work, sinks: Sequence[Sink]) -> None:
    """Run all frames, and show each to the sinks."""
    from gpumodel.cli.sinks.sink import Step
    from gpumodel.runs import run_all
    from traceformat.gputrace.frametrace import FrameRole

    for sink in sinks:
        sink.begin(work)

    def replayed() -> Iterator[FrameTrace]:
        for frame in source.frames:
            for sink in sinks:
                sink.replayed(frame)
            yield frame

    shown = followed(replayed(), source.wanted, "modelling", source.ahead)
    for frame, raws in run_all(shown, work.runs, threads=options.threads):
        work.width, work.height = work.width or frame.width, work.height or frame.height
        if frame.role is not FrameRole.MEASURED:
            continue
        step = Step(frame, 0, raws, [raw.host_seconds for raw in raws])
        for sink in sinks:
            sink.frame(work, step)
    work.partial = source.partial
    for run, label in zip(work.runs, work.labels, strict=True):
        there, lacking = _history(run, source.asked)
        if lacking:
            click.echo(f"{label}: {there} of {there + lacking} frames to warm up: there are no more", err=True)


def _history(run: Run, asked: range) -> tuple[int, int]:
    """Frames before those asked for that a run has had, and those that it has wanted beside them."""
    if asked.start == 0 or run.frames is None:
        return 0, 0
    there = sum(frame.frame < asked.start for frame in run.result.frames)
    return there, max(asked.start - run.frames.start - there, 0)


def _sinks(options: RunOptions, source: Source) -> list[Sink]:
    """What was asked for, in the order in which it is written."""
    from gpumodel.cli.sinks.gpu_trace import SavedFrames
    from gpumodel.cli.sinks.graphs import Graphs
    from gpumodel.cli.sinks.pictures import Pictures
    from gpumodel.cli.sinks.tables import Tables
    from gpumodel.cli.sinks.timeline import TimelineFile
    from gpumodel.cli.sinks.verification import VerificationReport

    sinks: list[Sink] = []
    if options.save_gputrace:
        sinks.append(SavedFrames(options.save_gputrace, source.properties()))
    if options.images:
        sinks.append(Pictures(options.images))
    if options.graphs:
        sinks.append(Graphs(options.graphs))
    sinks += result_sinks(options)
    if options.timeline_path:
        sinks.append(TimelineFile(options.timeline_path, keeps_costs=options.attribution))
    if options.has_table:
        sinks.append(Tables(details=options.verbose))
    if options.verify:
        sinks.append(VerificationReport())
    return sinks


def _configurations(options: RunOptions) -> list[tuple[GpuConfig, Origin]]:
    """Load every configuration with every memory that was asked for; equal ones are run once."""
    from gpumodel.config import GpuConfig
    from gpumodel.config.load import config_sha256
    from gpumodel.config.origin import load_with_origin

    found: dict[str, tuple[GpuConfig, Origin]] = {}
    for name in options.configs:
        for memory in dict.fromkeys(options.memories) or (None,):
            gpu, origin = load_with_origin(name, options.settings, memory)
            assert isinstance(gpu, GpuConfig)
            same = found.setdefault(config_sha256(gpu), (gpu, origin))
            if same[1].source != origin.source:
                click.echo(f"{origin.source}: the same configuration as {same[1].source}, and run once", err=True)
    return list(found.values())
