"""What drivers count of a frame, counted in ours: by the frame trace alone, without any GPU's configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.frametrace import MODEL_COLUMNS, ColumnSet, FrameTrace, Outcome
from traceformat.gputrace.passes import passes_of

__all__ = ["COUNTED_COLUMNS", "FUNCTIONAL", "functional_counts"]

#: Columns that the counts are made of.
COUNTED_COLUMNS: Final = ColumnSet([*MODEL_COLUMNS, "attributes.value"])

#: Names and meanings of what :func:`functional_counts` gives.
FUNCTIONAL: Final = {
    "input.vertices": "vertices of draws: indices, or rows where there are none",
    "input.primitives": "primitives of draws",
    "input.vertex_map_misses": "vertices that a map of 256 slots by index misses in runs of 1,023 indices, and those of"
    " draws without indices",
    "input.clipped_triangles": "triangles that clipping makes, behind culling, of runs (1,023 indices, 4,095 vertices)"
    " in which something is clipped; all primitives of the others",
    "input.fragment_blocks": "fragments of aligned blocks of 4 x 4 pixels that a primitive touches, times primitives",
    "input.quads": "quads of 2 x 2 pixels that a primitive touches, times primitives",
}
#: Mesa's draw module (draw_pt_vsplit.c): runs of as many whole triangles as fit into 1,024 indices, each with a map.
_RUN: Final = 1023
_SLOTS: Final = 256
#: Without indices: whole triangles of as many vertices as a run may have (draw_pt_fetch_shade_pipeline_llvm.c: 4,096).
_LINEAR_RUN: Final = 4095
#: Outcomes by which a primitive lies outside of the view volume.
_OUTSIDE: Final = (Outcome.CULLED_FRUSTUM, Outcome.CULLED_NOT_FINITE)
#: How near to a clip plane, as a share of w, a corner counts as made by clipping.
_ON_PLANE: Final = 1e-6


def functional_counts(frame: FrameTrace) -> dict[str, int]:
    """Counts of a frame, by the names of :data:`FUNCTIONAL`."""
    out = dict.fromkeys(FUNCTIONAL, 0)
    passes = frame["passes"]
    for number, part in enumerate(passes_of(frame)):
        first = int(passes["draw_first"][number])
        draws = {
            key: column[first : first + int(passes["draw_count"][number])] for key, column in part["draws"].items()
        }
        quads = part["quads"]
        out["input.vertices"] += int(draws["vertex_count"].sum())
        out["input.primitives"] += int(draws["primitive_count"].sum())
        out["input.vertex_map_misses"] += _vertex_map_misses(part, draws)
        out["input.clipped_triangles"] += _clipped_triangles(part, draws, first)
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


def _clipped_triangles(part: FrameTrace, draws: Mapping[str, NDArray[Any]], first_draw: int) -> int:
    """What llvmpipe's c_primitives counts: what comes to its set-up of triangles (lp_setup_tri.c).

    A run of a draw in which no vertex lies outside of the view volume comes there whole, what faces away included; any
    other goes through clipping and culling first. Of a run whose clipped primitives all face away we don't know it.
    """
    primitives = part["primitives"]
    outcome, count = primitives["outcome"], primitives["emitted_count"].astype(np.int64)
    draw = primitives["draw"].astype(np.int64) - first_draw
    vertices = draws["vertex_count"] // np.maximum(draws["instance_count"], 1)
    vertex = primitives["vertex"][:, 0].astype(np.int64) - draws["vertex_first"][draw]
    instance, place = np.divmod(vertex, np.maximum(vertices[draw], 1))
    run = place // np.where(draws["index_bytes"][draw] > 0, _RUN, _LINEAR_RUN)
    key = np.stack([draw, instance, run], axis=1)
    _, owner = np.unique(key, axis=0, return_inverse=True)
    drawn = outcome == Outcome.EMITTED
    is_clipped = np.isin(outcome, _OUTSIDE) | (drawn & (count != 1))
    alone = np.flatnonzero(drawn & (count == 1))
    is_clipped[alone] |= _is_made_by_clipping(part, primitives["emitted_first"][alone])
    goes_through_clipping = (np.bincount(owner, is_clipped, len(key)) > 0)[owner]
    flat_passes = (outcome == Outcome.CULLED_ZERO_AREA) & (draws["cull_face"][draw] == 0)
    behind = np.where(drawn, count, flat_passes)
    return int(np.where(goes_through_clipping, behind, ~np.isin(outcome, _OUTSIDE)).sum())


def _is_made_by_clipping(part: FrameTrace, emitted: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Whether a corner of emitted triangles lies on a side of the view volume."""
    rows = part["emitted"]["attribute_first"][emitted].astype(np.int64)
    position = part["attributes"]["value"][rows[:, None] + np.arange(3)].astype(np.float64)
    w = np.abs(position[..., 3:])
    return np.asarray((np.abs(np.abs(position[..., :3]) - w) <= _ON_PLANE * w).any(axis=(1, 2)))


def _blocks(emitted: NDArray[np.uint32], x: NDArray[np.uint16], y: NDArray[np.uint16]) -> int:
    """Pairs of a primitive and a block of 4 x 4 pixels that it touches."""
    # Quads come in the order of primitives, and a frame's sides have at most 14 bits.
    place = emitted.astype(np.int64) << 28 | (x >> 1).astype(np.int64) << 14 | (y >> 1)
    return len(np.unique(place))
