"""Meshes as objects draw them: vertices shaded again, bytes, what is culled and why, sizes, idle lanes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.frametrace import Outcome

if TYPE_CHECKING:
    from gpumodel.attribution.table import Attribution
    from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["CULLED", "SIZES", "Meshes"]

Array = NDArray[Any]

#: Objects that a page lists.
_SHOWN: Final = 60
#: Causes for which primitives are left out, in words.
CULLED: Final = {
    Outcome.CULLED_FACE: "faces away", Outcome.CULLED_FRUSTUM: "outside", Outcome.CULLED_ZERO_AREA: "no area",
    Outcome.CULLED_NOT_FINITE: "not finite", Outcome.RASTERIZER_DISCARD: "discarded",
}  # fmt: skip
#: Fragments of a primitive that is no larger, by class; the last class has all others.
SIZES: Final = (0, 4, 16, 64, 256)
_OUTCOMES: Final = len(Outcome)
_VARYING_BYTES: Final = 16


class Meshes:
    """Sums over frames, by object."""

    def __init__(self) -> None:
        self._sums: dict[str, dict[str, Any]] = {}

    def add(self, frame: FrameTrace, costs: Attribution) -> None:
        """Take a frame."""
        count = costs.num_draws
        columns: dict[str, Array] = {
            "draws": np.ones(count, np.int64),
            "vertices": frame["draws"]["vertex_count"].astype(np.int64),
            "unique": _distinct(frame),
            "culled": _by_class(frame["primitives"]["draw"], frame["primitives"]["outcome"], count, _OUTCOMES),
            "sizes": _sizes(frame, count),
            **{name: costs.count(name)[:count] for name in (
                "vertices.shaded", "cache.vertex.accesses", "cache.vertex.misses", "primitives.in", "quads.rasterized",
                "fragments.rasterized",
            )},
        }  # fmt: skip
        columns["fetched_bytes"] = columns["vertices.shaded"] * _bytes_a_vertex(frame)
        varyings = frame["draws"]["num_attributes"].astype(np.int64) - 1
        columns["varying_bytes"] = columns["vertices.shaded"] * varyings * _VARYING_BYTES
        for draw, name in enumerate(costs.names.object):
            sums = self._sums.setdefault(name, dict.fromkeys(columns, 0))
            for key, values in columns.items():
                sums[key] = sums[key] + values[draw]

    def rows(self, frames: int) -> list[dict[str, Any]]:
        """Rows of objects with primitives, those with most vertices shaded before; figures are means a frame."""
        found = sorted(self._sums.items(), key=lambda entry: -int(entry[1]["vertices.shaded"]))
        return [_row(name, sums, max(frames, 1)) for name, sums in found if sums["primitives.in"]][:_SHOWN]


def _row(name: str, sums: dict[str, Any], frames: int) -> dict[str, Any]:
    shaded, primitives = int(sums["vertices.shaded"]), int(sums["primitives.in"])
    sizes = sums["sizes"]
    return {
        "name": name,
        "draws": int(sums["draws"]) / frames,
        "shaded": shaded / frames,
        "unique": int(sums["unique"]) / frames,
        "again": shaded / max(int(sums["unique"]), 1),
        "hits": 1 - int(sums["cache.vertex.misses"]) / max(int(sums["cache.vertex.accesses"]), 1),
        "fetched_bytes": int(sums["fetched_bytes"]) / max(shaded, 1),
        "varying_bytes": int(sums["varying_bytes"]) / max(shaded, 1),
        "primitives": primitives / frames,
        "culled": {text: int(sums["culled"][cause]) / primitives for cause, text in CULLED.items()},
        "sizes": [[k, count / int(sizes.sum())] for k, count in enumerate(sizes.tolist()) if count],
        "lanes": int(sums["fragments.rasterized"]) / max(4 * int(sums["quads.rasterized"]), 1),
    }


def _distinct(frame: FrameTrace) -> Array:
    """Distinct vertices of each draw, (D,)."""
    draws, vertices = frame["draws"], frame["vertices"]
    counts = draws["vertex_count"].astype(np.int64)
    draw = np.repeat(np.arange(len(counts)), counts)
    first = np.repeat(draws["vertex_first"].astype(np.int64) - (np.cumsum(counts) - counts), counts)
    rows = first + np.arange(len(draw))
    keys = np.zeros(len(rows), [("draw", np.int64), ("instance", np.int64), ("index", np.int64)])
    keys["draw"], keys["instance"], keys["index"] = draw, vertices["instance"][rows], vertices["index"][rows]
    return np.bincount(np.unique(keys)["draw"], minlength=len(counts))


def _by_class(rows: Array, classes: Array, count: int, number: int) -> Array:
    """How many of each class each draw has, (D, number)."""
    key = rows.astype(np.int64) * number + classes
    return np.bincount(key, minlength=count * number).reshape(count, number)


def _sizes(frame: FrameTrace, count: int) -> Array:
    """Emitted primitives of each draw by the number of fragments that they cover, (D, len(SIZES) + 1)."""
    emitted, quads = frame["emitted"], frame["quads"]
    covered = _ones(quads["coverage"])
    fragments = np.bincount(quads["emitted"], covered, minlength=emitted.num_rows)
    return _by_class(emitted["draw"], np.searchsorted(SIZES, fragments), count, len(SIZES) + 1)


def _ones(mask: Array) -> Array:
    return sum((mask >> bit & 1 for bit in range(4)), np.zeros(len(mask), np.int64))


def _bytes_a_vertex(frame: FrameTrace) -> Array:
    """Bytes that are fetched for a vertex of each draw, (D,)."""
    draws = frame["draws"]
    whole = np.concatenate([[0], np.cumsum(frame["vertex_fetches"]["bytes"], dtype=np.int64)])
    first = draws["fetch_first"].astype(np.int64)
    each: Array = whole[first + draws["fetch_count"]] - whole[first]
    return each
