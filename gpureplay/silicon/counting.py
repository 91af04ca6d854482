"""What drivers count of a frame, counted in ours: by the frame trace alone, without any GPU's configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.frametrace import FrameTrace, Outcome
from traceformat.gputrace.passes import passes_of

__all__ = ["FUNCTIONAL", "functional_counts"]

#: Names and meanings of what :func:`functional_counts` gives.
FUNCTIONAL: Final = {
    "input.vertices": "vertices of draws: indices, or rows where there are none",
    "input.primitives": "primitives of draws",
    "input.vertex_map_misses": "vertices that a map of 256 slots by index misses in runs of 1,023 indices, and those of"
    " draws without indices",
    "input.unclipped_primitives": "primitives of which something is left after clipping, culled ones included",
    "input.fragment_blocks": "fragments of aligned blocks of 4 x 4 pixels that a primitive touches, times primitives",
    "input.quads": "quads of 2 x 2 pixels that a primitive touches, times primitives",
}
#: Outcomes that clipping decides; what faces away, or has no area, is culled behind it.
_CLIPPED: Final = (Outcome.CULLED_FRUSTUM, Outcome.CULLED_NOT_FINITE)

#: Mesa's draw module (draw_pt_vsplit.c): runs of as many whole triangles as fit into 1,024 indices, each with a map.
_RUN: Final = 1023
_SLOTS: Final = 256


def functional_counts(frame: FrameTrace) -> dict[str, int]:
    """Counts of a frame, by the names of :data:`FUNCTIONAL`."""
    out = dict.fromkeys(FUNCTIONAL, 0)
    passes = frame["passes"]
    for number, part in enumerate(passes_of(frame)):
        first = int(passes["draw_first"][number])
        draws = {
            key: column[first : first + int(passes["draw_count"][number])] for key, column in part["draws"].items()
        }
        primitives, quads = part["primitives"], part["quads"]
        out["input.vertices"] += int(draws["vertex_count"].sum())
        out["input.primitives"] += int(draws["primitive_count"].sum())
        out["input.vertex_map_misses"] += _vertex_map_misses(part, draws)
        out["input.unclipped_primitives"] += int((~np.isin(primitives["outcome"], _CLIPPED)).sum())
        out["input.quads"] += quads.num_rows
        out["input.fragment_blocks"] += 16 * _blocks(quads["emitted"], quads["x"], quads["y"])
    return out


def _vertex_map_misses(part: FrameTrace, draws: Mapping[str, NDArray[Any]]) -> int:
    index = part["vertices"]["index"].astype(np.int64)
    instance = part["vertices"]["instance"].astype(np.int64)
    total = 0
    for first, count, width in zip(draws["vertex_first"], draws["vertex_count"], draws["index_bytes"], strict=True):
        rows = slice(int(first), int(first) + int(count))
        total += _misses(index[rows], instance[rows]) if width else int(count)
    return total


def _misses(index: NDArray[np.int64], instance: NDArray[np.int64]) -> int:
    """Look-ups of indices, in order, that find another one in their slot, or nothing."""
    place = np.arange(len(index))
    place -= np.searchsorted(instance, instance)
    slot = (instance << 40) + (place // _RUN << 8) + index % _SLOTS
    order = np.argsort(slot, kind="stable")
    slot, found = slot[order], index[order]
    return int(len(found) > 0) + int(((slot[1:] != slot[:-1]) | (found[1:] != found[:-1])).sum())


def _blocks(emitted: NDArray[np.uint32], x: NDArray[np.uint16], y: NDArray[np.uint16]) -> int:
    """Pairs of a primitive and a block of 4 x 4 pixels that it touches."""
    # Quads come in the order of primitives, and a frame's sides have at most 14 bits.
    place = emitted.astype(np.int64) << 28 | (x >> 1).astype(np.int64) << 14 | (y >> 1)
    return len(np.unique(place))
