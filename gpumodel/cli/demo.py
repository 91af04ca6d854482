"""``gpureplay demo``: captures three samples without any GL, replays and models them, and says what was found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from gpureplay.capturing import capture_sample
from traceformat.cli.door import Command, command_line
from traceformat.cli.options import examples
from traceformat.cli.paths import OutputFolder
from traceformat.cli.terminal import Progress, console

if TYPE_CHECKING:
    from gpumodel.report.summary import TraceReport

__all__ = ["demo"]

#: A 2D program with a static camera, a flight through a city, and a scene with a render-to-texture pass.
SAMPLES: Final = ("sprites", "city", "shadows")
FRAMES: Final = 3
SIZE: Final = "1200x768"
PRESET: Final = "mali450-vro"
#: Importing these compiles the kernels that the samples need, or loads them from the cache; one process each.
_KERNELS: Final = (
    ("gpumodel.machine",),
    tuple(f"replay.engine.kernels.{name}" for name in ("clip", "blend", "planes", "assembly", "texture_log", "paths")),
)


def _compile(modules: tuple[str, ...]) -> None:
    """Compile the kernels of a room into the cache."""
    import importlib

    for module in modules:
        importlib.import_module(module)


def _model(trace: Path, folder: Path, command: Sequence[str]) -> TraceReport:
    """Replay and model a trace; write its pictures and its result file."""
    from gpumodel.cli.missing import tell_what_is_missing
    from gpumodel.config import GpuConfig
    from gpumodel.config.origin import load_with_origin
    from gpumodel.report.pictures import write_pictures
    from gpumodel.report.summary import TraceReport
    from gpumodel.resultfile import Subject, result_json
    from gpumodel.runs import Run
    from gpureplay.sources import open_source
    from traceformat.output import make_folder, write_output

    name = trace.stem
    pictures_folder = make_folder(folder / name)
    gpu, origin = load_with_origin(PRESET)
    assert isinstance(gpu, GpuConfig)
    one = Run(gpu)
    with open_source(str(trace), None, 1, tell_missing=tell_what_is_missing) as source:
        width = height = 0
        written: dict[str, Path] = {}
        for frame in source.frames:
            width, height = frame.width, frame.height
            _, raw = one.add(frame)
            written = write_pictures(pictures_folder, frame, raw)
        about = {
            "name": source.name,
            "sha256": source.sha256,
            "frames": source.num_frames,
            "width": width,
            "height": height,
        }
    write_output(folder / f"{name}.json", result_json(Subject(about, command, [origin]), [one.result]))
    return TraceReport(
        name, [one.result], {what: path.relative_to(folder).as_posix() for what, path in written.items()}
    )


def _work(folder: Path) -> list[TraceReport]:
    """Do it all on two processes: kernels are compiled while the samples are captured."""
    from traceformat.workers import worker_processes

    with worker_processes(2) as pool, Progress("capturing", unit="") as progress:
        click.echo(
            f"capturing {', '.join(SAMPLES)} with the null driver, and compiling the kernels if they are new", err=True
        )
        compiling = [pool.submit(_compile, modules) for modules in _KERNELS]
        traces = [folder / f"{sample}.gltrace" for sample in SAMPLES]
        for sample, trace in zip(SAMPLES, traces, strict=True):
            capture_sample(sample, trace, frames=FRAMES, size=SIZE)
        for done in compiling:
            done.result()
        progress.what = "replaying and modelling"
        click.echo(f"replaying and modelling {FRAMES} frames of each on {PRESET}", err=True)
        return [future.result() for future in [pool.submit(_model, trace, folder, command_line()) for trace in traces]]


@click.command(cls=Command, epilog=examples("gpureplay demo"))
@click.option(
    "-o",
    "--output",
    type=OutputFolder(),
    metavar="DIR",
    default="gpureplay-demo",
    show_default=True,
    help="Folder to write.",
)
def demo(output: str) -> None:
    """Capture three samples, replay and model them, and write pictures, results and a summary.

    No GL library, GPU or display is needed. The first run also compiles the kernels, which takes about half a minute.
    """
    from traceformat.output import make_folder, write_output

    folder = make_folder(output)
    reports = _work(folder)

    from gpumodel.report.summary import summary_markdown
    from gpumodel.report.table import print_summary

    write_output(folder / "summary.md", summary_markdown(f"Three samples on {PRESET}", reports))
    out = console()
    for report in reports:
        print_summary(out, report.runs, title=report.name)
        out.print()
    click.echo(f"{output}/ has the frames, overdraw and tile-cost maps, results as JSON, and summary.md", err=True)
