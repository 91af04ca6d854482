"""``gpureplay run`` on a handheld rasterizer: each combination of techniques is a replay of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from gpumodel.handheld.config import HandheldConfig
    from gpumodel.handheld.run import HandheldRun
    from traceformat.accessstream import HandheldMode
    from traceformat.reader import TraceReader

__all__ = ["run_handheld"]

#: Exit status of a trace that could be used in part only.
PARTIAL = 3


def run_handheld(
    trace: str,
    config: HandheldConfig,
    techniques: Sequence[str],
    frames: range | None,
    *,
    json_path: str | None = None,
    csv_path: str | None = None,
    images: str | None = None,
    host_json: str | None = None,
    verify: bool = False,
) -> int:
    """Run a trace and print, or write, what came out; see ``gpureplay run``.

    Pictures of ``images`` lie in a folder for each run. ``verify`` compares the pictures of runs with culling to those
    of the same run without it: culling may not change a bit.

    Returns
    -------
    exit status
    """
    from gpumodel.handheld.run import HandheldRun, handheld_json
    from gpumodel.handheld.techniques import parse_handheld
    from gpumodel.report.files import make_folder, write_file
    from gpumodel.results import results_csv
    from gpumodel.techniques import known_techniques
    from traceformat.container import PartFile
    from traceformat.errors import UsageError
    from traceformat.gputrace import is_gputrace
    from traceformat.reader import open_trace

    runs = [HandheldRun(config, ids) for ids in parse_handheld(techniques, sorted(known_techniques()))]
    modes = [run.mode for run in runs]  # says now what does not go together
    for path in (json_path, csv_path, host_json):
        if path and path != "-":
            PartFile(path).discard()
    folder = make_folder(images) if images else None
    if is_gputrace(trace):
        raise UsageError(f"{trace}: holds what another machine drew; the handheld one needs the .gltrace itself")
    host_seconds: list[dict[str, float]] = []
    partial = False
    with open_trace(trace) as reader:
        for number, (run, mode) in enumerate(zip(runs, modes, strict=True)):
            target = folder if folder is None or len(runs) == 1 else make_folder(folder / run.technique)
            partial |= _play(reader, run, mode, number, frames, target, host_seconds)
            if verify:
                run.mismatched_pixels = _mismatches(reader, mode, frames)
        about = {
            "name": Path(trace).name,
            "sha256": reader.content_hash,
            "frames": len(reader.frames),
            "width": config.screen.width,
            "height": config.screen.height,
        }
    text = handheld_json(about, config, runs, partial=partial)
    if json_path == "-":
        click.echo(text, nl=False)
    elif json_path:
        write_file(json_path, text)
    if csv_path:
        write_file(csv_path, results_csv(runs))
    if host_json:
        import json

        write_file(host_json, json.dumps(host_seconds, indent=1) + "\n")
    if json_path != "-":
        from rich.console import Console

        from gpumodel.handheld.report import print_handheld

        print_handheld(Console(soft_wrap=False), runs, title=str(about["name"]))
    if partial:
        click.echo(f"{trace}: the trace is damaged; the result covers the frames before the damage", err=True)
        return PARTIAL
    if verify and any(run.mismatched_pixels for run in runs):
        click.echo(f"{trace}: culling has changed pixels", err=True)
        return 1
    return 0


def _limits(frames: range | None) -> tuple[int, int] | None:
    return None if frames is None else (frames.start, min(frames.stop, 1 << 31) - 1)


def _play(
    reader: TraceReader,
    run: HandheldRun,
    mode: HandheldMode,
    number: int,
    frames: range | None,
    folder: Path | None,
    host_seconds: list[dict[str, float]],
) -> bool:
    """Play all frames of one run; returns whether frames were left out."""
    import time

    from gpumodel.cli.progress import progress
    from gpumodel.handheld.report import write_handheld_pictures
    from replay.handheld.player import HandheldFrames
    from traceformat.frametrace import FrameRole

    with HandheldFrames(reader, mode, run.sink, frames=_limits(frames)) as played:
        started = time.perf_counter()
        wanted = len(reader.frames) if frames is None else len(frames)
        for frame in progress(played, wanted, run.technique):
            role = FrameRole.SET_UP if frame.frame < reader.set_up_frames else FrameRole.MEASURED
            run.add(frame, role)
            host_seconds.append({"run": number, "frame": frame.frame, "seconds": time.perf_counter() - started})
            if folder is not None and role is FrameRole.MEASURED:
                write_handheld_pictures(folder, frame)
            started = time.perf_counter()
        return played.partial


def _mismatches(reader: TraceReader, mode: HandheldMode, frames: range | None) -> int:
    """Pixels in which frames differ from those without culling."""
    from dataclasses import replace

    import numpy as np

    from replay.handheld.player import HandheldFrames

    if not (mode.zmin or mode.zmax):
        return 0
    count = 0
    plain = replace(mode, zmin=False, zmax=False)
    limits = _limits(frames)
    with HandheldFrames(reader, mode, frames=limits) as culled, HandheldFrames(reader, plain, frames=limits) as whole:
        for a, b in zip(culled, whole, strict=True):
            if a.picture is not None and b.picture is not None:
                count += int(np.count_nonzero((a.picture != b.picture).any(axis=2)))
    return count
