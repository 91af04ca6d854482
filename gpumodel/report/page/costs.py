"""Costs by object, program, texture, mesh and pass: means a frame, and the rectangles of a treemap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpumodel.attribution.rollup import By, Group, roll_up, shared_costs
from gpumodel.attribution.table import Attribution
from gpumodel.report.costs import sorted_groups

__all__ = ["COLUMNS", "MAX_ROWS", "cost_tables", "shared_rows", "treemap"]

#: Rows of a table.
MAX_ROWS: Final = 100
#: Width of a treemap over its height.
_ASPECT: Final = 4.2
#: Share of the smallest rectangle, and what the one of all smaller ones is called.
_SMALLEST: Final = 0.005
_REST: Final = "all others"
#: Columns of figures: key, heading, meaning, digits.
COLUMNS: Final = (
    ("draws", "draws", "draws a frame", 1),
    ("ms", "ms", "time of its own draws, a frame", 3),
    ("shared_ms", "shared ms", "its share of what draws share: loads and flushes of tiles, copies, waits, clears", 3),
    ("share", "time", "own and shared time, of the frame", 1),
    ("mj", "mJ", "energy with its share of leakage and standby, a frame", 4),
    ("dram", "DRAM KB", "bytes that the memory moves for it, a frame", 1),
    ("fragments", "shaded", "fragments shaded, a frame", 0),
    ("instructions", "issued", "cycles in which processors issued its instructions, a frame", 0),
    ("texels", "texels", "texels filtered, a frame", 0),
    ("vertices", "vertices", "vertices shaded, a frame", 0),
    ("primitives", "primitives", "primitives assembled, a frame", 0),
)
_METRICS: Final = ("time", "energy", "dram", "fragments", "instructions", "texels", "vertices", "primitives")
#: What findings are made from beside the columns.
_BESIDE: Final = ("texture", "quads", "fragments.rasterized")


def cost_tables(frames: Sequence[Attribution], clock_mhz: float) -> dict[str, list[dict[str, Any]]]:
    """Rows of each grouping, the dearest first, figures as COLUMNS has them."""
    whole = max(sum(float(rows.cycles.sum()) for rows in frames), 1.0)
    return {
        str(by): [
            _row(group, len(frames), clock_mhz, whole)
            for group in sorted_groups(roll_up(frames, by, (*_METRICS, *_BESIDE)), "time")[:MAX_ROWS]
        ]
        for by in (By.OBJECT, By.PROGRAM, By.TEXTURE, By.PASS)
    }


def _row(group: Group, frames: int, clock_mhz: float, whole: float) -> dict[str, Any]:
    milliseconds = 1e-3 / clock_mhz / frames
    return {
        "name": group.name,
        "note": "",
        "draws": group.draws / frames,
        "ms": group.own["time"] * milliseconds,
        "shared_ms": group.shared_time * milliseconds,
        "share": group.time / whole,
        "mj": group.energy / frames / 1e9,
        "dram": group.own["dram"] / frames / 1024,
        **{name: group.own[name] / frames for name in (*_METRICS[3:], *_BESIDE)},
    }


def shared_rows(frames: Sequence[Attribution], clock_mhz: float) -> dict[str, float]:
    """Milliseconds a frame of each kind of shared work."""
    factor = 1e-3 / clock_mhz / max(len(frames), 1)
    return {kind: cycles * factor for kind, cycles in shared_costs(frames, "time").items() if cycles}


def treemap(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rectangles whose areas are shares of the time, squarified: name, share, left, top, width, height (percent).

    What is smaller than a two-hundredth, and what ``rows`` leave out, is one rectangle.
    Source: Bruls, Huizing, van Wijk, Squarified Treemaps, 2000.
    """
    items: list[tuple[str, float]] = [(row["name"], row["share"]) for row in rows if row["share"] >= _SMALLEST]
    rest = 1.0 - sum(share for _, share in items)
    if not rows:
        return []
    if rest > _SMALLEST / 10:
        items.append((_REST, rest))
    items.sort(key=lambda item: -item[1])
    out: list[dict[str, Any]] = []
    left, top, width, height = 0.0, 0.0, _ASPECT, 1.0
    while items:
        along = min(width, height)
        count = 1
        scale = width * height / sum(share for _, share in items)
        while count < len(items) and _worst(items[: count + 1], along, scale) <= _worst(items[:count], along, scale):
            count += 1
        strip, items = items[:count], items[count:]
        total = sum(share for _, share in strip)
        across, offset = total * scale / along, 0.0
        for name, share in strip:
            length = share * scale / across
            x, y, w, h = (
                (left, top + offset, across, length) if width >= height else (left + offset, top, length, across)
            )
            place = {"left": 100 * x / _ASPECT, "top": 100 * y, "width": 100 * w / _ASPECT, "height": 100 * h}
            out.append({"name": name, "is_rest": name is _REST, "share": share, **place})
            offset += length
        if width >= height:
            left, width = left + across, width - across
        else:
            top, height = top + across, height - across
    return out


def _worst(strip: Sequence[tuple[str, float]], along: float, scale: float) -> float:
    """Largest ratio of the sides of rectangles in a strip."""
    total = sum(share for _, share in strip) * scale
    sizes = [share * scale for _, share in strip]
    return max(along**2 * max(sizes) / total**2, total**2 / (along**2 * max(min(sizes), 1e-12)))
