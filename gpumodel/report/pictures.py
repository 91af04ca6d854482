"""The pictures of one modelled frame: what it looks like, what it overdraws, what its tiles cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gpumodel.machine import MachineFrame
from gpumodel.report.png import picture_png
from traceformat.output import write_output
from gpumodel.report.maps import map_picture, overdraw_map, shown_pass, side_by_side, tile_cost_map, tile_traffic_map
from gpumodel.report.redundant import changes_csv, redundant_picture
from traceformat.frametrace import FrameTrace

__all__ = ["write_maps", "write_overshading", "write_picture", "write_pictures"]


def _stem(frame: FrameTrace) -> str:
    return f"frame_{frame.frame:04d}"


def write_picture(folder: Path, frame: FrameTrace) -> dict[str, Path]:
    """Write frame_NNNN.png, unless the frame has no picture; gives the file as ``frame``."""
    if frame.picture is None:
        return {}
    path = folder / f"{_stem(frame)}.png"
    write_output(path, picture_png(frame.picture))
    return {"frame": path}


def write_maps(folder: Path, frame: FrameTrace, raw: MachineFrame) -> dict[str, Path]:
    """Write frame_NNNN_overdraw.png, frame_NNNN_tiles.png and frame_NNNN_traffic.png, and, where a technique looks for
    redundant tiles, frame_NNNN_redundant.png and frame_NNNN_changes.csv.

    Returns
    -------
    the pictures by what they show: ``overdraw``, ``tiles``, ``traffic``, ``redundant``; none where nothing was rendered
    """
    shown = shown_pass(frame, raw)
    if shown is None:
        return {}
    size = {"width": shown.streams.width, "height": shown.streams.height}
    maps = {
        "overdraw": map_picture(
            overdraw_map(frame, raw), cell=(1, 1), title="shaded fragments", unit="a pixel", **size
        ),
        "tiles": map_picture(tile_cost_map(frame, raw), cell=raw.tile_size, title="cost", unit="cycles a tile", **size),
        "traffic": map_picture(
            tile_traffic_map(frame, raw), cell=raw.tile_size, title="memory traffic", unit="bytes a tile", **size
        ),
    }
    redundant, changes = redundant_picture(raw), changes_csv(frame, raw)
    if redundant is not None:
        maps["redundant"] = redundant
    if changes is not None:
        write_output(folder / f"{_stem(frame)}_changes.csv", changes)
    written = {}
    for name, content in maps.items():
        written[name] = folder / f"{_stem(frame)}_{name}.png"
        write_output(written[name], content)
    return written


def write_overshading(folder: Path, frame: FrameTrace, raws: Sequence[MachineFrame], labels: Sequence[str]) -> Path:
    """Write frame_NNNN_overshading.png: fragments shaded a pixel in each run, side by side in one scale."""
    path = folder / f"{_stem(frame)}_overshading.png"
    maps = [overdraw_map(frame, raw) for raw in raws]
    write_output(path, side_by_side(maps, labels, unit="shaded fragments a pixel"))
    return path


def write_pictures(folder: Path, frame: FrameTrace, raw: MachineFrame) -> dict[str, Path]:
    """Write the frame and its maps; gives the files by what they show."""
    return write_picture(folder, frame) | write_maps(folder, frame, raw)
