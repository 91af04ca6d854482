"""``gpureplay images``: the frames of a trace as PNG."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["images"]


@click.command()
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Folder for the pictures.")
@click.option("--frames", "frame_range", metavar="A-B", help="Only these frames, both included.")
@click.option("--threads", type=click.IntRange(1, 64), default=2, show_default=True, help="Threads to render with.")
def images(trace: Path, output: Path, frame_range: str | None, threads: int) -> None:
    """Replay a trace and write each frame as frame_0000.png, frame_0001.png ...

    \b
    Example:
      gpureplay images city.gltrace -o city-frames --frames 0-4
    """
    from gpumodel.cli.options import open_trace_frames, progress, writable_folder
    from gpumodel.report.pictures import save_png

    import replay

    folder = writable_folder(output)
    with open_trace_frames(trace, frame_range) as (reader, frames), progress("frames", len(frames)) as step:
        for number, picture in replay.pictures(reader, frames=frames, threads=threads):
            save_png(picture[::-1, :, :3], folder / f"frame_{number:04d}.png")
            step()
