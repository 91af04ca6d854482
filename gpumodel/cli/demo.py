"""``gpureplay demo``: captures three samples without any GL, replays and models them, and says what was found."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

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
#: A child process that hangs is a bug; nothing here takes a tenth of this.
_TIMEOUT_SECONDS: Final = 600


def _compile(modules: tuple[str, ...]) -> None:
    """Compile the kernels of a room into the cache."""
    import importlib

    for module in modules:
        importlib.import_module(module)


def _capture(sample: str, folder: Path) -> Path:
    """Record a sample with the null driver, in a process of its own as a user would."""
    from traceformat.errors import FindingError

    trace = folder / f"{sample}.gltrace"
    # -P: a capture.py in the current folder must not stand in for ours.
    arguments = ("sample", sample, "-o", str(trace), "--driver", "null", "--frames", str(FRAMES), "--size", SIZE)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "capture.cli", *arguments],
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_SECONDS,
        check=False,
    )
    if done.returncode:
        raise FindingError(f"the sample {sample} was not captured: {(done.stderr.splitlines() or ['?'])[-1]}")
    return trace


def _model(trace: Path, folder: Path) -> TraceReport:
    """Replay and model a trace; write its pictures and its result file."""
    from gpumodel.cli.sources import open_source
    from gpumodel.config import load_config
    from gpumodel.report.files import make_folder, write_file
    from gpumodel.report.pictures import write_pictures
    from gpumodel.report.summary import TraceReport
    from gpumodel.results import result_json
    from gpumodel.runs import Run

    name = trace.stem
    pictures_folder = make_folder(folder / name)
    gpu = load_config(PRESET, ())
    one = Run(gpu)
    with open_source(str(trace), None, 1) as source:
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
    write_file(folder / f"{name}.json", result_json(about, gpu, [one.result]))
    return TraceReport(
        name, [one.result], {what: path.relative_to(folder).as_posix() for what, path in written.items()}
    )


def _work(folder: Path) -> list[TraceReport]:
    """Do it all on two processes: kernels are compiled while the samples are captured."""
    from traceformat.workers import worker_processes

    with worker_processes(2) as pool:
        click.echo(
            f"capturing {', '.join(SAMPLES)} with the null driver, and compiling the kernels if they are new", err=True
        )
        compiling = [pool.submit(_compile, modules) for modules in _KERNELS]
        traces = [_capture(sample, folder) for sample in SAMPLES]
        for done in compiling:
            done.result()
        click.echo(f"replaying and modelling {FRAMES} frames of each on {PRESET}", err=True)
        return [future.result() for future in [pool.submit(_model, trace, folder) for trace in traces]]


@click.command()
@click.option("-o", "--output", metavar="DIR", default="gpureplay-demo", show_default=True, help="Folder to write.")
def demo(output: str) -> None:
    r"""Capture three samples, replay and model them, and write pictures, results and a summary.

    No GL library, GPU or display is needed. The first run also compiles the kernels, which takes about half a minute.

    \b
    Example:
      gpureplay demo
    """
    from gpumodel.report.files import make_folder, write_file

    folder = make_folder(output)
    reports = _work(folder)

    from rich.console import Console

    from gpumodel.report.summary import summary_markdown
    from gpumodel.report.table import print_summary

    write_file(folder / "summary.md", summary_markdown(f"Three samples on {PRESET}", reports))
    console = Console(soft_wrap=False)
    for report in reports:
        print_summary(console, report.runs, title=report.name)
        console.print()
    click.echo(f"{output}/ has the frames, overdraw and tile-cost maps, results as JSON, and summary.md", err=True)
