"""The pictures of one modelled frame: what it looks like, what it overdraws, what its tiles cost."""

from __future__ import annotations

from pathlib import Path

from gpumodel.machine import MachineFrame
from gpumodel.report.files import picture_png, write_file
from gpumodel.report.maps import map_picture, overdraw_map, shown_pass, tile_cost_map
from traceformat.frametrace import FrameTrace

__all__ = ["write_pictures"]


def write_pictures(folder: Path, frame: FrameTrace, raw: MachineFrame) -> dict[str, Path]:
    """Write frame_NNNN.png, frame_NNNN_overdraw.png and frame_NNNN_tiles.png.

    Returns
    -------
    the files by what they show: ``frame``, ``overdraw``, ``tiles``; those without content are left out
    """
    stem = f"frame_{frame.frame:04d}"
    written = {}
    if frame.picture is not None:
        written["frame"] = folder / f"{stem}.png"
        write_file(written["frame"], picture_png(frame.picture))
    shown = shown_pass(frame, raw)
    if shown is None:
        return written
    size = {"width": shown.streams.width, "height": shown.streams.height}
    overdraw = map_picture(overdraw_map(frame, raw), cell=(1, 1), title="shaded fragments", unit="a pixel", **size)
    tiles = map_picture(tile_cost_map(frame, raw), cell=raw.tile_size, title="cycles of a tile", unit="cycles", **size)
    for name, content in (("overdraw", overdraw), ("tiles", tiles)):
        written[name] = folder / f"{stem}_{name}.png"
        write_file(written[name], content)
    return written
