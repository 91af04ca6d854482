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
    from gpumodel.report.files import make_folder, picture_png, write_file
    from traceformat.reader import open_trace

    wanted = parse_frames(frames)
    with open_trace(trace) as reader:
        folder = make_folder(output)
        import replay
        from gpumodel.cli.progress import progress

        count = len(reader.frames)
        first, last = (0, count - 1) if wanted is None else (wanted.start, min(wanted.stop, 1 << 31) - 1)
        damage = [loss for loss in reader.damage if loss.first_frame is not None and loss.first_frame <= last]
        pictures = replay.pictures(reader, frames=(first, last), threads=threads)
        for number, picture in progress(pictures, min(last, count - 1) - first + 1, "replaying"):
            write_file(folder / f"frame_{number:04d}.png", picture_png(picture))
    if damage:
        click.echo(f"{trace}: {damage[0]}; the pictures stop before the damage", err=True)
        return PARTIAL
    return 0
