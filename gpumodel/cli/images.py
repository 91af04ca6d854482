"""``gpureplay images``: the frames of a trace as PNG."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from traceformat.cli.door import PARTIAL, Command
from traceformat.cli.options import examples, parse_frames
from traceformat.cli.paths import CallSetText, InputFile, OutputFolder
from traceformat.cli.terminal import followed, reading

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from traceformat.gltrace.reader import TraceReader

__all__ = ["images"]


@click.command(
    cls=Command,
    epilog=examples(
        "gpureplay images city.gltrace -o city-frames --frames 0-4",
        "gpureplay images city.gltrace -o depth --attachment depth",
        "gpureplay images city.gltrace -o draws --frames 3 --calls draw",
        "gpureplay images city.gltrace -o short --frames 0 --precision mediump=16",
    ),
)
@click.argument("trace", type=InputFile())
@click.option("-o", "--output", type=OutputFolder(), metavar="DIR", required=True, help="Folder for the pictures.")
@click.option("--frames", metavar="A-B", help="Frames, both included; all by default.")
@click.option(
    "--calls",
    type=CallSetText(),
    metavar="SET",
    help="What calls leave, instead of frames; with --frames those of these: 4, 0-1000/draw, frame, @file.",
)
@click.option(
    "--attachment",
    metavar="NAME",
    help="color0 to color7, depth or stencil, of the framebuffer that the frame shows, or that is bound behind a call; "
    "read: what glReadPixels would read there, as apitrace's snapshots do.",
)
@click.option(
    "--precision",
    metavar="PRECISION=BITS",
    help="Compute in 16 bits what shaders declare as mediump or lowp: mediump=16.",
)
@click.option("--threads", type=click.IntRange(1, 64), default=2, show_default=True, help="Results are equal.")
def images(
    trace: str,
    output: str,
    frames: str | None,
    calls: str | None,
    attachment: str | None,
    precision: str | None,
    threads: int,
) -> int:
    """Replay a trace and write its frames: frame_0000.png, frame_0001.png ...

    With --attachment the name stands behind the number: frame_0003_depth.png. With --calls the draw framebuffer as it
    is behind each call of the set is written, of --frames if given; the name tells frame, call and, of a draw, which
    of its frame it is: frame_0003_call_0001234_draw_0017_color0.png.
    """
    wanted = parse_frames(frames)
    with _with_precision(trace, precision) as shown:
        if calls is not None or attachment is not None:
            return _write_attachments(shown, output, wanted, calls, attachment or "color0", threads)
        return _write_frames(shown, output, wanted, threads)


@contextmanager
def _with_precision(trace: str, precision: str | None) -> Iterator[str]:
    """The trace itself, or for a while one whose shaders compute in other bits."""
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from replay.rewriting import rewrite
    from traceformat.errors import UsageError
    from traceformat.gltrace.reader import open_trace

    if precision is None:
        yield trace
        return
    with open_trace(trace) as reader:
        if reader.damage:
            raise UsageError(f"{trace} is damaged", hint="without --precision the frames before the damage are written")
        count = len(reader.frames)
    target, _, bits = precision.partition("=")
    with TemporaryDirectory() as folder:
        other = str(Path(folder) / Path(trace).name)
        rewrite(trace, other, "precision", target, bits, count)
        yield other


def _write_frames(trace: str, output: str, wanted: range | None, threads: int) -> int:
    """Write the pictures of frames."""
    import replay
    from gpumodel.cli.missing import tell_what_is_missing
    from gpumodel.report.png import picture_png
    from gpureplay.sources import Ahead
    from traceformat.frame_numbers import check_frames
    from traceformat.gltrace.reader import open_trace
    from traceformat.gputrace.frametrace import ColumnSet
    from traceformat.output import make_folder, write_output

    with open_trace(trace) as reader:
        limits = check_frames(trace, wanted, len(reader.frames))
        first, last = limits or (0, len(reader.frames) - 1)
        with replay.frames(reader, columns=ColumnSet(()), frames=limits, threads=threads, only_pictures=True) as played:
            folder = make_folder(output)
            for frame in followed(played, last - first + 1, "replaying", Ahead(played, first)):
                if frame.picture is not None:
                    write_output(folder / f"frame_{frame.frame:04d}.png", picture_png(frame.picture))
            tell_what_is_missing(trace, played)
        if played.partial:
            click.echo(f"{trace}: {reader.damage[0]}; the pictures stop before the damage", err=True)
            return PARTIAL
    return 0


def _write_attachments(
    trace: str, output: str, frames: range | None, calls: str | None, attachment: str, threads: int
) -> int:
    """Write one attachment, behind calls or at the end of frames."""
    from gpumodel.report.png import picture_png
    from replay.engine.pictures import ATTACHMENTS
    from traceformat.errors import UsageError
    from traceformat.frame_numbers import check_frames
    from traceformat.gltrace.reader import open_trace
    from traceformat.output import make_folder, write_output

    if attachment not in ATTACHMENTS:
        raise UsageError(f"there is no attachment {attachment!r}", hint="color0 to color7, depth, stencil or read")
    with open_trace(trace) as reader:
        limits = check_frames(trace, frames, len(reader.frames))
        folder = make_folder(output)
        count = 0
        with reading("replaying", reader):
            for name, picture in _named(reader, attachment, calls, limits, threads):
                write_output(folder / f"{name}_{attachment}.png", picture_png(picture))
                count += 1
        if not count:
            click.echo(f"{trace}: no {attachment} attachment there", err=True)
        return PARTIAL if reader.damage else 0


def _named(
    reader: TraceReader, attachment: str, calls: str | None, frames: tuple[int, int] | None, threads: int
) -> Iterator[tuple[str, NDArray[Any]]]:
    """Pictures with the beginning of their names."""
    import replay
    from traceformat.tools.callset import parse_call_set

    if calls is None:
        for frame, picture in replay.attachments(reader, attachment, frames=frames, threads=threads):
            yield f"frame_{frame:04d}", picture
        return
    behind = replay.attachments_behind(reader, attachment, parse_call_set(calls), frames=frames, threads=threads)
    for place, picture in behind:
        draw = f"_draw_{place.draw:04d}" if place.draw is not None else ""
        yield f"frame_{place.frame:04d}_call_{place.call:07d}{draw}", picture
