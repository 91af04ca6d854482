"""Figures of traces and results, for commands that compare or judge them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from traceformat.cli.door import command_line
from traceformat.cli.terminal import Progress, followed
from traceformat.errors import UsageError

if TYPE_CHECKING:
    from gpumodel.compare.figures import Side
    from gpumodel.compare.pictures import Picture
    from gpumodel.config import GpuConfig
    from gpumodel.config.origin import Origin

__all__ = ["DEFAULT_CONFIG", "configurations", "is_result", "modelled", "read_sides"]

DEFAULT_CONFIG = "mali450-vro"


def is_result(path: str) -> bool:
    """Tell a result of ``gpureplay run`` from a trace, by how it begins."""
    try:
        with open(path, "rb") as file:
            return file.read(64).lstrip()[:1] == b"{"
    except OSError as error:
        raise UsageError(f"{path}: cannot read: {error.strerror}") from None


def read_sides(path: str) -> list[Side]:
    """The runs of a result file."""
    from gpumodel.compare.figures import side_of
    from gpumodel.resultfile import read_result

    document = read_result(path)
    return [side_of(document, run, label=Path(path).name) for run in range(len(document["runs"]))]


def configurations(sources: Sequence[str], settings: Sequence[str]) -> list[tuple[GpuConfig, Origin]]:
    """Load tile-based GPUs.

    Raises
    ------
    UsageError : one is another machine
    """
    from gpumodel.config import GpuConfig
    from gpumodel.config.origin import load_with_origin

    found = []
    for source in sources:
        config, origin = load_with_origin(source, settings)
        if not isinstance(config, GpuConfig):
            raise UsageError(f"{source}: a handheld rasterizer has no costs by draw", hint="name a tile-based GPU")
        found.append((config, origin))
    return found


def modelled(
    path: str, machines: Sequence[tuple[GpuConfig, Origin]], frames: range | None = None, threads: int = 1
) -> list[Side]:
    """Replay a trace once and run it on each GPU, with what each draw costs; pictures are kept.

    Raises
    ------
    UsageError, TraceFormatError, ReplayError : as of ``gpureplay run``
    """
    with Progress("preparing the model", unit=""):
        from gpumodel.cli.missing import tell_what_is_missing
        from gpumodel.compare.figures import side_of
        from gpumodel.compare.pictures import kept_picture
        from gpumodel.resultfile import Subject, result_document
        from gpumodel.run_plan import RunPlan
        from gpumodel.runs import run_all
        from gpureplay.sources import open_source
        from traceformat.gputrace.frametrace import FrameRole

    plan = RunPlan([(gpu, ()) for gpu, _ in machines], frames)
    pictures: dict[int, Picture] = {}
    size: tuple[int, int] | None = None
    with ExitStack() as stack:
        source = stack.enter_context(
            open_source(path, frames, threads, plan.columns, plan.around, tell_what_is_missing)
        )
        runs = plan.runs(source.asked, attribution=True)
        for run in runs:
            stack.callback(run.close)
        shown = followed(source.frames, source.wanted, f"modelling {Path(path).name}", source.ahead)
        for frame, _ in run_all(shown, runs, threads=threads):
            size = size or (frame.width, frame.height)
            if frame.role is FrameRole.MEASURED and frame.picture is not None:
                pictures[frame.frame] = kept_picture(frame.picture)
        width, height = size or (0, 0)
        trace = {
            "name": source.name, "sha256": source.sha256, "frames": source.num_frames, "width": width, "height": height,
        }  # fmt: skip
        subject = Subject(trace, command_line(), [origin for _, origin in machines], source.partial)
        document = result_document(subject, [run.result for run in runs])
    label, calls = Path(path).name, _calls(path)
    return [side_of(document, place, label=label, pictures=pictures, calls=calls) for place in range(len(runs))]


def _calls(path: str) -> dict[str, int] | None:
    """Calls of a command trace by function."""
    from traceformat.gltrace.reader import open_trace
    from traceformat.gputrace.reader import is_gputrace
    from traceformat.tools.summary import summarize

    if is_gputrace(path):
        return None
    with open_trace(path) as reader:
        functions: dict[str, int] = summarize(reader)["functions"]
    return functions
