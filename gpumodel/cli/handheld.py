"""``gpureplay run`` on a handheld rasterizer: each combination of techniques is a replay of its own."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpumodel.cli.run_options import RunOptions, finished, result_sinks
from gpumodel.cli.sinks.sink import Sink, Step, Work
from gpumodel.config.origin import load_with_origin
from gpumodel.handheld.config import HandheldConfig
from gpumodel.handheld.run import HandheldRun
from gpumodel.handheld.techniques import parse_handheld
from gpumodel.machines import KINDS, refuse_foreign
from replay.handheld.player import HandheldFrames
from traceformat.cli.door import command_line
from traceformat.cli.options import parse_frames
from traceformat.cli.terminal import followed
from traceformat.errors import UsageError
from traceformat.frame_numbers import check_frames
from traceformat.gltrace.reader import open_trace
from traceformat.gputrace.frametrace import FrameRole
from traceformat.gputrace.reader import is_gputrace

if TYPE_CHECKING:
    from gpumodel.config.origin import Origin
    from traceformat.gltrace.reader import TraceReader
    from traceformat.gputrace.accessstream import HandheldMode

__all__ = ["run_handheld"]


def run_handheld(options: RunOptions) -> int:
    """Run a trace and print, or write, what came out; see ``gpureplay run``.

    Pictures of ``--images`` lie in a folder for each run. ``--verify`` compares the pictures of runs with culling to
    those of the same run without it: culling may not change a bit.

    Returns
    -------
    exit status
    """
    config, origin = _configuration(options)
    refuse_foreign(KINDS["handheld"], options.techniques, config.name)
    runs = [HandheldRun(config, ids) for ids in parse_handheld(options.techniques)]
    modes = [run.mode for run in runs]  # says now what does not go together
    asked = parse_frames(options.frames)
    trace = options.trace
    if is_gputrace(trace):
        raise UsageError(f"{trace}: holds what another machine drew; the handheld one needs the .gltrace itself")
    sinks = _sinks(options)
    with open_trace(trace) as reader:
        frames = check_frames(trace, asked, len(reader.frames))
        work = Work(
            Path(trace).name,
            reader.content_hash,
            len(reader.frames),
            runs,
            [run.technique for run in runs],
            [origin] * len(runs),
            command_line(),
            config.screen.width,
            config.screen.height,
        )
        for sink in sinks:
            sink.begin(work)
        for number, mode in enumerate(modes):
            _play(reader, work, number, mode, frames, sinks)
            if options.verify:
                runs[number].mismatched_pixels = _mismatches(reader, mode, frames)
    status = finished(options, work, sinks)
    if not status and any(run.mismatched_pixels for run in runs):
        click.echo(f"{trace}: culling has changed pixels", err=True)
        return 1
    return status


def _configuration(options: RunOptions) -> tuple[HandheldConfig, Origin]:
    """Load the machine, and refuse options that it has no use for."""
    if options.memories:
        raise UsageError("--memory is for tile-based GPUs: a handheld rasterizer has one access a cycle")
    if options.warm_up:
        raise UsageError("--warmup is for tile-based GPUs: a handheld rasterizer keeps nothing from frame to frame")
    if options.trace_store:
        raise UsageError("--trace-store keeps what tile-based GPUs need: a handheld rasterizer draws other pixels")
    if options.save_gputrace:
        raise UsageError("--save-gputrace keeps what tile-based GPUs need: a handheld rasterizer draws other pixels")
    config, origin = load_with_origin(options.configs[0], options.settings)
    assert isinstance(config, HandheldConfig)
    return config, origin


def _sinks(options: RunOptions) -> list[Sink]:
    from gpumodel.cli.sinks.handheld import HandheldPictures, HandheldTable

    sinks = result_sinks(options)
    if options.images:
        sinks.append(HandheldPictures(options.images))
    if options.has_table:
        sinks.append(HandheldTable())
    return sinks


def _play(
    reader: TraceReader,
    work: Work,
    number: int,
    mode: HandheldMode,
    frames: tuple[int, int] | None,
    sinks: Sequence[Sink],
) -> None:
    """Play all frames of one run."""
    run = work.runs[number]
    with HandheldFrames(reader, mode, run.sink, frames=frames) as played:
        started = time.perf_counter()
        wanted = len(reader.frames) if frames is None else frames[1] - frames[0] + 1
        for frame in followed(played, wanted, run.technique):
            role = FrameRole.SET_UP if frame.frame < reader.set_up_frames else FrameRole.MEASURED
            run.add(frame, role)
            step = Step(frame, number, (), [time.perf_counter() - started])
            for sink in sinks if role is FrameRole.MEASURED else ():
                sink.frame(work, step)
            started = time.perf_counter()
        work.partial |= played.partial


def _mismatches(reader: TraceReader, mode: HandheldMode, frames: tuple[int, int] | None) -> int:
    """Pixels in which frames differ from those without culling."""
    from dataclasses import replace

    import numpy as np

    if not (mode.zmin or mode.zmax):
        return 0
    count = 0
    plain = replace(mode, zmin=False, zmax=False)
    with HandheldFrames(reader, mode, frames=frames) as culled, HandheldFrames(reader, plain, frames=frames) as whole:
        for a, b in zip(culled, whole, strict=True):
            if a.picture is not None and b.picture is not None:
                count += int(np.count_nonzero((a.picture != b.picture).any(axis=2)))
    return count
