"""``gpureplay shader`` on a trace: what the machine executed of each program, by line of its sources."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from traceformat.cli.door import PARTIAL
from traceformat.cli.options import parse_frames
from traceformat.cli.terminal import Progress, console, followed
from traceformat.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpumodel.report.shader_lines import StageLines

__all__ = ["TraceShaders", "show_trace_shaders"]


@dataclass(frozen=True, slots=True)
class TraceShaders:
    """What was asked for, option by option."""

    trace: str
    program: int | None
    config: str
    settings: tuple[str, ...]
    frames: str | None
    as_json: bool
    threads: int


def show_trace_shaders(asked: TraceShaders) -> int:
    """Model a trace and show the programs that it draws with, or the annotated sources of one; the exit status."""
    from gpumodel.cli.figures import configurations

    ((gpu, _),) = configurations((asked.config,), asked.settings)
    frames = parse_frames(asked.frames)
    with Progress("preparing the model", unit=""):
        from gpumodel.cli.missing import tell_what_is_missing
        from gpumodel.report.shader_lines import ShaderLines
        from gpumodel.report.shader_text import document, print_programs, print_stage
        from gpumodel.run_plan import RunPlan
        from gpureplay.sources import open_source
        from traceformat.gputrace.frametrace import SOURCE_COLUMNS, ColumnSet, FrameRole

    plan = RunPlan([(gpu, ())], frames)
    columns = ColumnSet([*plan.columns, *SOURCE_COLUMNS])
    lines, count = ShaderLines(gpu), 0
    with open_source(asked.trace, frames, asked.threads, columns, plan.around, tell_what_is_missing) as source:
        (run,) = plan.runs(
            source.asked, attribution=True, keep_passes=lambda given, _: given.role is FrameRole.MEASURED
        )
        with closing(run):
            for frame in followed(source.frames, source.wanted, "modelling", source.ahead):
                for raw in run.feed(frame):
                    if frame.role is not FrameRole.MEASURED:
                        continue
                    count += 1
                    if not lines.add(frame, raw.passes):
                        raise UsageError(
                            f"{asked.trace} does not know the sources of its shaders",
                            hint="give the .gltrace that it was made from",
                        )
    chosen = _chosen(lines.stages, asked)
    if asked.as_json:
        head = {"trace": source.name, "config": gpu.name, "frames": count}
        click.echo(json.dumps(head | document(chosen), indent=1))
    elif asked.program is None:
        print_programs(console(), chosen, title=f"{source.name} on {gpu.name}, {count} frames")
    else:
        for stage in chosen:
            print_stage(console(), stage)
    if source.partial:
        click.echo(f"{asked.trace}: the trace is damaged; this covers the frames before the damage", err=True)
        return PARTIAL
    return 0


def _chosen(stages: Sequence[StageLines], asked: TraceShaders) -> Sequence[StageLines]:
    """The stages that were asked for, the dearest program first."""
    cycles: dict[Any, int] = {}
    for stage in stages:
        cycles[stage.program] = cycles.get(stage.program, 0) + stage.cycles
    if asked.program is not None and asked.program not in cycles:
        known = ", ".join(map(str, cycles)) or "none"
        raise UsageError(f"no draw uses program {asked.program}", hint=f"those that draws use: {known}")
    wanted = [stage for stage in stages if asked.program in (None, stage.program)]
    return sorted(
        wanted, key=lambda stage: (-cycles[stage.program], stage.program, stage.version, stage.stage != "vertex")
    )
