"""``gpureplay run``."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from gpumodel.cli.options import ConfigSource, Setting, TechniqueName
from gpumodel.cli.run_options import RunOptions, finished, result_sinks
from gpumodel.cli.techniques import TechniqueOption
from traceformat.cli.door import Command, command_line
from traceformat.cli.options import examples, parse_frames
from traceformat.cli.paths import CSV, GPUTRACE, JSON, TIMELINE, InputFile, OutputFile, OutputFolder
from traceformat.cli.terminal import Progress, followed
from traceformat.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gpumodel.cli.sinks.sink import Sink, Work
    from gpumodel.config import GpuConfig
    from gpumodel.config.origin import Origin
    from gpumodel.handheld.config import HandheldConfig
    from gpumodel.runs import Run
    from gpureplay.sources import Source
    from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["run"]

_MODES = ("paper", "dram")
_EXAMPLES = examples(
    "gpureplay run city.gltrace --frames 0-9 --json city.json",
    "gpureplay run city.gltrace -c mali450-vro -c tbr-fhd --memory paper --memory dram",
    "gpureplay run city.gltrace --verify",
)


@click.command(cls=Command, epilog=_EXAMPLES)
@click.argument("trace", type=InputFile())
@click.option(
    "-c",
    "--config",
    "configs",
    type=ConfigSource(),
    multiple=True,
    metavar="PRESET|FILE",
    help="The GPU; several share one replay.  [default: mali450-vro]",
)
@click.option(
    "-t",
    "--technique",
    "techniques",
    cls=TechniqueOption,
    type=TechniqueName(),
    multiple=True,
    metavar="ID[+ID]",
    help="Techniques; the baseline always runs too.",
)
@click.option(
    "--memory",
    "memories",
    multiple=True,
    type=click.Choice(_MODES),
    help="Memory model; both may be given.  [default: the configuration's]",
)
@click.option("--frames", metavar="A-B", help="Frames, both included; all by default.")
@click.option(
    "--warmup",
    "warm_up",
    type=click.IntRange(0),
    metavar="N",
    help="Frames modelled before --frames and left out of means.  [default: what each technique looks back on]",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    type=Setting(),
    metavar="KEY=VALUE",
    help="Change a value of the configurations.",
)
@click.option(
    "--json",
    "json_path",
    type=OutputFile(JSON),
    metavar="OUT.json",
    help="Result file; '-' writes it to stdout in place of the table.",
)
@click.option(
    "--csv", "csv_path", type=OutputFile(CSV), metavar="OUT.csv", help="One row a run and frame, every counter."
)
@click.option(
    "--images",
    type=OutputFolder(),
    metavar="DIR",
    help="Each frame, its overdraw, and its cost and traffic by tile as PNG.",
)
@click.option(
    "--graphs",
    type=OutputFolder(),
    metavar="DIR",
    help="The Visibility Graph of each frame and pass (-t vro) as DOT and JSON.",
)
@click.option("--verify", is_flag=True, help="Recompose all pixels from what the units did and compare them.")
@click.option(
    "--timeline",
    "timeline_path",
    type=OutputFile(TIMELINE),
    metavar="OUT.perfetto",
    help="Units, tiles, memory and power over time, for Perfetto.",
)
@click.option(
    "--save-gputrace",
    type=OutputFile(GPUTRACE),
    metavar="OUT.gputrace",
    help="Keep the replayed frames: later runs skip the replay.",
)
@click.option("--host-json", type=OutputFile(JSON), metavar="FILE", help="Host seconds of the model, frame by frame.")
@click.option(
    "--attribution", is_flag=True, help="Count what each draw costs: --json has it, `gpureplay top` shows it."
)
@click.option(
    "--threads",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Of the replay, and runs at work at a time; results are equal.",
)
@click.option("-v", "--verbose", is_flag=True, help="What each run did, and what its units waited for.")
def run(**given: Any) -> int:
    """Run a .gltrace or .gputrace through modelled GPUs and say what bounds it.

    Several runs are shown side by side, one is shown with what it did; all are means a frame. --json has every frame
    with all counters; gpureplay counters explains them.
    """
    options = RunOptions(**given)
    handheld = _handheld(options)
    if handheld is not None:
        from gpumodel.cli.handheld import run_handheld

        return run_handheld(options, *handheld)
    return _run(options, _configurations(options))


def _run(options: RunOptions, machines: Sequence[tuple[GpuConfig, Origin]]) -> int:
    """Run tile-based GPUs."""
    from gpumodel.handheld.techniques import refuse_handheld
    from gpumodel.techniques import parse_techniques

    refuse_handheld(options.techniques, machines[0][0].name)
    combinations = parse_techniques(options.techniques)
    frames = parse_frames(options.frames)

    # Importing the machine compiles its kernels, or loads them.
    with Progress("preparing the model", unit=""):
        from gpumodel.cli.missing import tell_what_is_missing
        from gpumodel.cli.sinks.sink import Work
        from gpumodel.columns import REQUIRED_COLUMNS, VERIFIED_COLUMNS
        from gpumodel.report.labels import run_labels
        from gpumodel.runs import Run
        from gpumodel.techniques.registry import technique_columns
        from gpumodel.warm_up import modelled_frames
        from gpureplay.sources import open_source
        from traceformat.gputrace.frametrace import ColumnSet

    extra = technique_columns([name for ids in combinations for name in ids])
    columns = ColumnSet([*(VERIFIED_COLUMNS if options.verify else REQUIRED_COLUMNS), *sorted(extra)])
    wanted = [(gpu, ids, origin) for gpu, origin in machines for ids in combinations]
    around = None
    if frames is not None:
        needed = [modelled_frames(gpu, ids, frames, options.warm_up) for gpu, ids, _ in wanted]
        around = range(min(one.start for one in needed), max(one.stop for one in needed))
    with ExitStack() as stack:
        source = stack.enter_context(
            open_source(options.trace, frames, options.threads, columns, around, tell_what_is_missing)
        )
        sinks = _sinks(options, source)
        for sink in sinks:
            stack.callback(sink.close)
        samples = max(sink.sample_cycles for sink in sinks) if sinks else 0
        kept = any(sink.keeps_passes for sink in sinks)
        runs = [
            Run(
                gpu, ids, verify=options.verify, sample_cycles=samples, attribution=options.attribution,
                keep_passes=kept,
                frames=modelled_frames(gpu, ids, source.asked, options.warm_up),
            )
            for gpu, ids, _ in wanted
        ]  # fmt: skip
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
        sinks.append(TimelineFile(options.timeline_path))
    if options.has_table:
        sinks.append(Tables(details=options.verbose))
    if options.verify:
        sinks.append(VerificationReport())
    return sinks


def _handheld(options: RunOptions) -> tuple[HandheldConfig, Origin] | None:
    """The handheld rasterizer that is asked for; None for tile-based GPUs."""
    from gpumodel.config import GpuConfig
    from gpumodel.config.load import is_handheld
    from gpumodel.config.origin import load_with_origin

    names = options.configs
    if not any(is_handheld(name) for name in names):
        return None
    if len(names) > 1:
        raise UsageError(
            f"{', '.join(names)}: a handheld rasterizer draws pixels of its own and shares no replay",
            hint="run one configuration at a time",
        )
    if options.memories:
        raise UsageError("--memory is for tile-based GPUs: a handheld rasterizer has one access a cycle")
    if options.warm_up:
        raise UsageError("--warmup is for tile-based GPUs: a handheld rasterizer keeps nothing from frame to frame")
    if options.save_gputrace:
        raise UsageError("--save-gputrace keeps what tile-based GPUs need: a handheld rasterizer draws other pixels")
    found, origin = load_with_origin(names[0], options.settings)
    assert not isinstance(found, GpuConfig)
    return found, origin


def _configurations(options: RunOptions) -> list[tuple[GpuConfig, Origin]]:
    """Load every configuration with every memory that was asked for; equal ones are run once."""
    from gpumodel.config import GpuConfig
    from gpumodel.config.load import config_sha256
    from gpumodel.config.origin import load_with_origin

    found: dict[str, tuple[GpuConfig, Origin]] = {}
    for name in options.configs or ("mali450-vro",):
        for memory in dict.fromkeys(options.memories) or (None,):
            gpu, origin = load_with_origin(name, options.settings, memory)
            assert isinstance(gpu, GpuConfig)
            same = found.setdefault(config_sha256(gpu), (gpu, origin))
            if same[1].source != origin.source:
                click.echo(f"{origin.source}: the same configuration as {same[1].source}, and run once", err=True)
    return list(found.values())
