"""Passes of one framebuffer that a program interrupts: drawn in one go, behind what interrupted them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.attribution.judges import changed, rearranged
from gpumodel.whatif.needs import must_come_before
from gpumodel.whatif.scene import Scene
from traceformat.gputrace.frametrace import FrameTrace, LoadOp, Table

__all__ = ["joined"]

Array = NDArray[Any]

_SAME = ("framebuffer", "context", "width", "height", "samples", "num_colors", "color_address", "color_format",
         "depth_address", "depth_format")  # fmt: skip
_AT_BEGINNING = (
    "color_load", "clear_color", "depth_load", "clear_depth", "stencil_load", "clear_stencil", "content_matches"
)  # fmt: skip


def joined(scene: Scene, target: str, _: str) -> FrameTrace | None:
    """Draw what an earlier pass drew into the same framebuffer at the beginning of the pass that goes on with it."""
    trace = scene.trace
    found = False
    chosen = scene.passes(target)
    # From the last one, so that the numbers of those before stay.
    for later in reversed(chosen):
        earlier = _interrupted(trace, later)
        if earlier is not None:
            trace, found = _join(trace, earlier, later), True
    return trace if found else None


def _interrupted(trace: FrameTrace, later: int) -> int | None:
    """The pass that ``later`` goes on with, where it can be drawn as late."""
    passes = trace["passes"]
    loads = (*passes["color_load"][later][: int(passes["num_colors"][later])], passes["depth_load"][later])
    if LoadOp.LOAD not in loads:
        return None
    for earlier in reversed(range(later)):
        if all(np.array_equal(passes[name][earlier], passes[name][later]) for name in _SAME):
            return None if must_come_before(trace, earlier, later) else earlier
    return None


def _join(trace: FrameTrace, earlier: int, later: int) -> FrameTrace:
    old = trace["passes"]
    kept = [k for k in range(old.num_rows) if k != earlier]
    sources: list[tuple[int, ...]] = [(earlier, later) if k == later else (k,) for k in kept]
    place = np.zeros(old.num_rows, np.int64)
    for number, parts in enumerate(sources):
        place[list(parts)] = number
    passes = {name: column[kept].copy() for name, column in old.items()}
    number = kept.index(later)
    for name in _AT_BEGINNING:
        passes[name][number] = old[name][earlier]
    for name in ("transfer_read_bytes", "transfer_write_bytes"):
        passes[name][number] = old[name][earlier] + old[name][later]
    rows = {prefix: _gathered(old, prefix, sources, passes) for prefix in ("draw", "event", "read")}
    moved = rearranged(trace, rows["draw"])
    draw_of = np.argsort(rows["draw"])
    draws = dict(moved["draws"])
    draws["pass"] = place[draws["pass"]].astype(draws["pass"].dtype)
    events = {name: column[rows["event"]] for name, column in trace["events"].items()}
    events["pass"] = place[events["pass"]].astype(events["pass"].dtype)
    is_draw = events["draw"] >= 0
    events["draw"][is_draw] = draw_of[events["draw"][is_draw]]
    reads = {"pass": place[trace["pass_reads"]["pass"][rows["read"]]].astype(trace["pass_reads"]["pass"].dtype)}
    out = changed(moved, {"passes": passes, "draws": draws, "events": events, "pass_reads": reads})
    out.pixels = [trace.pixels[k] for k in kept] if len(trace.pixels) else []
    if len(trace.contents):
        out.contents = [trace.contents[earlier if k == later else k] for k in kept]
    return out


def _gathered(old: Table, prefix: str, sources: list[tuple[int, ...]], passes: dict[str, Array]) -> Array:
    """Rows of a table in the order of the new passes, whose ranges are set."""
    rows: list[int] = []
    for number, parts in enumerate(sources):
        passes[f"{prefix}_first"][number] = len(rows)
        for part in parts:
            first = int(old[f"{prefix}_first"][part])
            rows += range(first, first + int(old[f"{prefix}_count"][part]))
        passes[f"{prefix}_count"][number] = len(rows) - int(passes[f"{prefix}_first"][number])
    return np.array(rows, np.int64)
