"""A frame whose opaque geometry comes twice: what an application with a Z-prepass submits.

In front of each pass's draws come copies of those whose depths can be known beforehand: with the same vertices and the
same vertex shader, without colours, with the position as the only attribute and a fragment shader without instructions.
These are the covering draws (see :func:`gpumodel.techniques.vro.nodes.covering_draws`) in front of the first draw that
changes the depth in another way, tests the stencil or is inside a query, and of the first clear between draws. A draw
whose vertices write to memory has no copy.
Source: VRO §2 (null fragment shader, twice the vertices, rasterization and depth tests); the draws that take part
ASSUMED: opaque geometry, as applications do it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.techniques.vro.nodes import covering_draws
from traceformat.gputrace.frametrace import DrawFlags, EventKind, FrameTrace, Table

__all__ = ["Doubling", "add_prepass", "plan_prepass", "prepass_draws"]

Array = NDArray[Any]
#: Tables whose rows are copied with their draw.
_ROWS: Final = ("vertex", "primitive", "emitted", "quad")
_TABLES: Final = {"vertex": "vertices", "primitive": "primitives", "emitted": "emitted", "quad": "quads"}
_LOOKED_AT: Final = DrawFlags.SIDE_EFFECTS


def prepass_draws(trace: FrameTrace, index: int) -> NDArray[np.int64]:
    """Rows of the draws of a pass that are drawn twice."""
    passes, draws, events = trace["passes"], trace["draws"], trace["events"]
    first, count = int(passes["draw_first"][index]), int(passes["draw_count"][index])
    rows = slice(first, first + count)
    if count == 0:
        return np.zeros(0, np.int64)
    covers = covering_draws(trace, index, rows)
    tested = draws["depth_test"][rows] != 0
    counted = (draws["query_active"][rows] != 0) | ((draws["flags"][rows] & _LOOKED_AT) != 0)
    ends = ~covers & (tested & ((draws["depth_write"][rows] != 0) | counted) | (draws["stencil_test"][rows] != 0))
    end: int = int(np.argmax(ends)) if ends.any() else count
    e0 = int(passes["event_first"][index])
    kinds = events["kind"][e0 : e0 + int(passes["event_count"][index])]
    drawn = np.flatnonzero(kinds == EventKind.DRAW)
    clears = np.flatnonzero(kinds == EventKind.CLEAR)
    between = clears[clears > drawn[0]] if len(drawn) else clears[:0]
    if len(between):
        # Draws in front of the first clear that is not at the begin.
        before = events["draw"][e0 + drawn[drawn < between[0]]]
        end = int(min(end, int(before.max()) + 1 - first))
    once = (draws["flags"][rows] & DrawFlags.VERTEX_EFFECTS) != 0
    return first + np.flatnonzero((covers & ~once)[:end])


@dataclass(frozen=True, slots=True)
class Doubling:
    """The draws of a frame with their copies.

    Parameters
    ----------
    source : for each new draw the row of the one that it is, or is a copy of
    is_copy : which ones are copies
    starts, counts : first new draw of each pass, and how many it has
    """

    source: NDArray[np.int64]
    is_copy: NDArray[np.bool_]
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]


def plan_prepass(trace: FrameTrace) -> Doubling:
    """Decide which draws of a frame come twice, from its head."""
    passes = trace["passes"]
    order: list[Array] = []
    copies: list[Array] = []
    starts = np.zeros(passes.num_rows, np.int64)
    counts = np.zeros(passes.num_rows, np.int64)
    placed = 0
    for index in range(passes.num_rows):
        again = prepass_draws(trace, index)
        d0 = int(passes["draw_first"][index])
        own = np.arange(d0, d0 + int(passes["draw_count"][index]))
        starts[index], counts[index] = placed, len(again) + len(own)
        order += [again, own]
        copies += [np.ones(len(again), bool), np.zeros(len(own), bool)]
        placed += int(counts[index])
    source = np.concatenate(order).astype(np.int64) if order else np.zeros(0, np.int64)
    is_copy = np.concatenate(copies) if copies else np.zeros(0, bool)
    return Doubling(source, is_copy, starts, counts)


def add_prepass(trace: FrameTrace, plan: Doubling) -> tuple[FrameTrace, NDArray[np.int32]]:
    """Add the copies to a frame, or to a pass that travels alone.

    Returns
    -------
    the frame or pass; and for each of its quads the row of the quad that it is a copy of, -1 = it is none
    """
    passes, draws = trace["passes"], trace["draws"]
    source, is_copy, starts, counts = plan.source, plan.is_copy, plan.starts, plan.counts
    if not is_copy.any():
        return trace, np.full(trace["quads"].num_rows, -1, np.int32)
    tables = dict(trace.tables)
    rows: dict[str, Array] = {}
    shifts: dict[str, Array] = {}
    new_draws = {name: column[source] for name, column in draws.items()}
    for prefix in _ROWS:
        first = draws[f"{prefix}_first"].astype(np.int64)[source]
        count = draws[f"{prefix}_count"].astype(np.int64)[source]
        if trace.index is not None:
            # Rows of other passes are not here.
            count[draws["pass"][source] != trace.index] = 0
        begin = np.cumsum(count) - count
        rows[prefix] = np.repeat(first - begin, count) + np.arange(int(count.sum()))
        #: By new row of draws: how far a row moves; by new row: its new draw.
        shifts[prefix] = begin - first
        shifts[f"{prefix}_draw"] = np.repeat(np.arange(len(source)), count)
        new_draws[f"{prefix}_first"] = begin.astype(np.uint32)
        table = trace[_TABLES[prefix]]
        tables[table.name] = Table(table.name, {name: column[rows[prefix]] for name, column in table.items()})
    _strip_colors(new_draws, is_copy)
    tables["draws"] = Table("draws", new_draws)
    _follow(tables, shifts)
    copied = is_copy[shifts["quad_draw"]]
    _empty_shader(trace, tables, copied)
    new_passes = dict(passes.items())
    new_passes["draw_first"], new_passes["draw_count"] = starts.astype(np.uint32), counts.astype(np.uint32)
    tables["passes"] = Table("passes", new_passes)
    place = np.zeros(draws.num_rows, np.int64)
    place[source[~is_copy]] = np.flatnonzero(~is_copy)
    events = dict(trace["events"].items())
    drawn = events["draw"] >= 0
    moved = events["draw"].copy()
    moved[drawn] = place[events["draw"][drawn]]
    tables["events"] = Table("events", events | {"draw": moved})
    # Where each old row of quads is now.
    now = np.zeros(trace["quads"].num_rows, np.int64)
    now[rows["quad"][~copied]] = np.flatnonzero(~copied)
    original = np.where(copied, now[rows["quad"]], -1).astype(np.int32)
    return replace(trace, tables=tables), original


def _strip_colors(draws: dict[str, Array], is_copy: NDArray[np.bool_]) -> None:
    """Copies write no colour and read no texture; their one attribute is the position."""
    for name, value in (("color_mask", 0), ("num_attributes", 1), ("texture_count", 0), ("flags", 0)):
        draws[name][is_copy] = value
    if "output_mask" in draws:
        draws["output_mask"][is_copy] = 0


def _follow(tables: dict[str, Table], shifts: dict[str, Array]) -> None:
    """Let the copied rows refer to each other."""
    primitives, emitted, quads = (dict(tables[name].items()) for name in ("primitives", "emitted", "quads"))
    draw = shifts["primitive_draw"]
    primitives["draw"] = draw.astype(np.uint32)
    primitives["vertex"] = (primitives["vertex"].astype(np.int64) + shifts["vertex"][draw][:, None]).astype(np.uint32)
    # A primitive without output may refer to nothing.
    first = primitives["emitted_first"].astype(np.int64) + shifts["emitted"][draw]
    primitives["emitted_first"] = np.where(primitives["emitted_count"] > 0, first, 0).astype(np.uint32)
    draw = shifts["emitted_draw"]
    emitted["draw"] = draw.astype(np.uint32)
    emitted["primitive"] = (emitted["primitive"].astype(np.int64) + shifts["primitive"][draw]).astype(np.uint32)
    draw = shifts["quad_draw"]
    quads["emitted"] = (quads["emitted"].astype(np.int64) + shifts["emitted"][draw]).astype(np.uint32)
    for name, columns in (("primitives", primitives), ("emitted", emitted), ("quads", quads)):
        tables[name] = Table(name, columns)


def _empty_shader(trace: FrameTrace, tables: dict[str, Table], copied: NDArray[np.bool_]) -> None:
    """Give the copies' quads a path without instructions."""
    paths = {name: np.concatenate([column, np.zeros_like(column[:1])]) for name, column in trace["paths"].items()}
    tables["paths"] = Table("paths", paths)
    quads = dict(tables["quads"].items())
    for name, value in (("path", trace["paths"].num_rows), ("tex_first", 0), ("tex_count", 0)):
        column = quads[name].copy()
        column[copied] = value
        quads[name] = column
    tables["quads"] = Table("quads", quads)
