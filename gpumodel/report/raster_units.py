"""What the terminal says of several Raster Units: their balance, the flush arbiter, shared Texture Caches."""

from __future__ import annotations

from gpumodel.results import FrameResult

__all__ = ["raster_unit_rows"]

Row = tuple[str, str, str]


def raster_unit_rows(total: FrameResult) -> list[Row]:
    """Rows of a run with ``ptr`` or ``ptr-shared``; none for others.

    Parameters
    ----------
    total : sum of its frames
    """
    c = total.counters
    rows: list[Row] = []
    for technique in ("ptr", "ptr-shared"):
        tiles = [c[name] for name in sorted(c) if name.startswith(f"{technique}.tiles.")]
        if not tiles:
            continue
        work = _work(total, len(tiles))
        wait = c[f"{technique}.flush_wait_cycles"] / max(len(tiles) * total.raster_cycles, 1)
        rows = [
            (
                "Raster Units", f"{len(tiles)}",
                f"{min(work):.0%} to {max(work):.0%} of the work, {min(tiles):,.0f} to {max(tiles):,.0f} tiles each",
            ),
            ("  flush", f"{wait:.1%} of the time", "a tile is done and another unit flushes"),
        ]  # fmt: skip
        if f"{technique}.port_conflicts" in c:
            lookups = max(c["cache.texture.accesses"], 1)
            rows.append((
                "  shared Texture Caches", f"{c[f'{technique}.port_conflicts'] / lookups:.2f} port conflicts",
                f"and {c[f'{technique}.register_waits'] / lookups:.2f} waits for miss registers a look-up",
            ))  # fmt: skip
    return rows


def _work(total: FrameResult, units: int) -> list[float]:
    """Share of each unit in the busy cycles of all Fragment Processors."""
    busy = [
        states["busy"]
        for name, states in sorted(total.stalls.items(), key=lambda item: int("0" + item[0].partition(".")[2]))
        if name.partition(".")[0] == "fragment_processor"
    ]
    each = len(busy) // units
    return [sum(busy[k * each : (k + 1) * each]) / max(sum(busy), 1) for k in range(units)]
