"""``gpureplay images``: the frames of a trace as PNG."""

from __future__ import annotations

import click

from traceformat.cli.options import parse_frames

__all__ = ["images"]

#: Exit status of a trace that could be used in part only.
PARTIAL = 3


@click.command()
@click.argument("trace", type=click.Path())
@click.option("-o", "--output", metavar="DIR", required=True, help="Folder for the pictures.")
@click.option("--frames", metavar="A-B", help="Frames, both included; all by default.")
@click.option("--threads", type=click.IntRange(1, 64), default=2, show_default=True, help="Results are equal.")
def images(trace: str, output: str, frames: str | None, threads: int) -> int:
    r"""Replay a trace and write its frames: frame_0000.png, frame_0001.png ...

    \b
    Example:
      gpureplay images city.gltrace -o city-frames --frames 0-4
    """
    import replay
    from gpumodel.cli.progress import progress
    from gpumodel.report.files import make_folder, picture_png, write_file
    from traceformat.frametrace import ColumnSet
    from traceformat.reader import open_trace

    wanted = parse_frames(frames)
    with open_trace(trace) as reader:
        limits = None if wanted is None else (wanted.start, min(wanted.stop, 1 << 31) - 1)
        first, last = limits or (0, 1 << 31)
        with replay.frames(reader, columns=ColumnSet(()), frames=limits, threads=threads) as played:
            folder = make_folder(output)
            for frame in progress(played, min(last + 1, len(reader.frames)) - first, "replaying"):
                if frame.picture is not None:
                    write_file(folder / f"frame_{frame.frame:04d}.png", picture_png(frame.picture))
        if played.partial:
            click.echo(f"{trace}: {reader.damage[0]}; the pictures stop before the damage", err=True)
            return PARTIAL
    return 0
