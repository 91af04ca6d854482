"""The pictures of one modelled frame: what it looks like, what it overdraws, what its tiles cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from gpumodel.machine import MachineFrame
from gpumodel.report.maps import (
    map_picture,
    map_top,
    others_text,
    overdraw_map,
    shown_pass,
    side_by_side,
    tile_cost_map,
    tile_traffic_map,
)
from gpumodel.report.png import picture_png
from gpumodel.report.redundancy_map import changes_csv, redundant_picture
from traceformat.gputrace.frametrace import FrameTrace
from traceformat.output import write_output

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


def write_maps(folders: Sequence[Path], frame: FrameTrace, raws: Sequence[MachineFrame]) -> dict[str, Path]:
    """Write frame_NNNN_overdraw.png, frame_NNNN_tiles.png and frame_NNNN_traffic.png of each run, all runs in one
    scale, and, where a technique looks for redundant tiles, frame_NNNN_redundant.png and frame_NNNN_changes.csv.

    Parameters
    ----------
    folders, raws : one a run

    Returns
    -------
    the last run's pictures by what they show: ``overdraw``, ``tiles``, ``traffic``, ``redundant``; none where nothing
    was rendered
    """
    kinds: dict[str, tuple[Callable[[FrameTrace, MachineFrame], NDArray[Any]], str, str]] = {
        "overdraw": (overdraw_map, "shaded fragments", "a pixel"),
        "tiles": (tile_cost_map, "cost", "cycles a tile"),
        "traffic": (tile_traffic_map, "memory traffic", "bytes a tile"),
    }
    values = [{name: draw(frame, raw) for name, (draw, _, _) in kinds.items()} for raw in raws]
    tops = {name: max(map_top(of[name]) for of in values) for name in kinds}
    written: dict[str, Path] = {}
    for folder, raw, maps in zip(folders, raws, values, strict=True):
        shown = shown_pass(frame, raw)
        if shown is None:
            continue
        written = {}
        for name, (_, title, unit) in kinds.items():
            written[name] = folder / f"{_stem(frame)}_{name}.png"
            cell = (1, 1) if name == "overdraw" else raw.tile_size
            size = {"width": shown.streams.width, "height": shown.streams.height}
            # The maps are of one target; what else the frame rendered is named.
            title = title + others_text(frame, raw, by_target=name == "overdraw")
            write_output(
                written[name], map_picture(maps[name], cell=cell, title=title, unit=unit, top=tops[name], **size)
            )
        written |= _write_redundant(folder, frame, raw)
    return written


def _write_redundant(folder: Path, frame: FrameTrace, raw: MachineFrame) -> dict[str, Path]:
    redundant, changes = redundant_picture(raw), changes_csv(frame, raw)
    if changes is not None:
        write_output(folder / f"{_stem(frame)}_changes.csv", changes)
    if redundant is None:
        return {}
    path = folder / f"{_stem(frame)}_redundant.png"
    write_output(path, redundant)
    return {"redundant": path}


def write_overshading(folder: Path, frame: FrameTrace, raws: Sequence[MachineFrame], labels: Sequence[str]) -> Path:
    """Write frame_NNNN_overshading.png: fragments shaded a pixel in each run, side by side in one scale."""
    path = folder / f"{_stem(frame)}_overshading.png"
    maps = [overdraw_map(frame, raw) for raw in raws]
    write_output(path, side_by_side(maps, labels, unit="shaded fragments a pixel"))
    return path


def write_pictures(folder: Path, frame: FrameTrace, raw: MachineFrame) -> dict[str, Path]:
    """Write the frame and its maps; gives the files by what they show."""
    return write_picture(folder, frame) | write_maps([folder], frame, [raw])
