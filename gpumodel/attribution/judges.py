"""Judges of what draws cost: the frame again, with their work taken out.

*Hollow*: the draws keep coverage, depth, stencil and what they store; their shading and their textures are free.
*Absent*: the draws are gone with everything that they do, so that what they hid is drawn; where the frame then costs
more, they are *occluders*.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.frametrace import SCHEMA, FrameTrace, Table

__all__ = ["absent", "changed", "hollow"]

Array = NDArray[Any]


def hollow(trace: FrameTrace, draws: Sequence[int]) -> FrameTrace:
    """Frame whose given draws shade for nothing: every thread only ends, and looks up no texture."""
    free = trace["paths"].num_rows
    paths = {name: np.concatenate([column, np.zeros_like(column, shape=(1, *column.shape[1:]))]) for name, column in
             trace["paths"].items()}  # fmt: skip
    quads, vertices = dict(trace["quads"]), dict(trace["vertices"])
    of_quad = np.isin(trace["emitted"]["draw"][quads["emitted"]], draws)
    quads["path"] = np.where(of_quad, free, quads["path"]).astype(quads["path"].dtype)
    quads["tex_count"] = np.where(of_quad, 0, quads["tex_count"]).astype(quads["tex_count"].dtype)
    path = vertices["path"].copy()
    for draw in draws:
        first = int(trace["draws"]["vertex_first"][draw])
        path[first : first + int(trace["draws"]["vertex_count"][draw])] = free
    vertices["path"] = path
    return changed(trace, {"paths": paths, "quads": quads, "vertices": vertices})


def absent(trace: FrameTrace, draws: Sequence[int]) -> FrameTrace:
    """Frame without what the given draws do: they have no vertices any more, no primitives and no quads."""
    table = dict(trace["draws"])
    keep: dict[str, Array] = {}
    for name in ("vertices", "primitives", "emitted", "quads"):
        column = {"vertices": "vertex", "primitives": "primitive", "emitted": "emitted", "quads": "quad"}[name]
        kept = np.ones(trace[name].num_rows, bool)
        for draw in draws:
            first = int(table[f"{column}_first"][draw])
            kept[first : first + int(table[f"{column}_count"][draw])] = False
        keep[name] = kept
        place = np.concatenate([[0], np.cumsum(kept)])
        count = table[f"{column}_count"].copy()
        count[list(draws)] = 0
        table[f"{column}_first"] = place[table[f"{column}_first"]].astype(table[f"{column}_first"].dtype)
        table[f"{column}_count"] = count
    tables: dict[str, dict[str, Array]] = {
        name: {column: values[kept] for column, values in trace[name].items()} for name, kept in keep.items()
    }
    for name, column, of in (
        ("primitives", "vertex", "vertices"), ("primitives", "emitted_first", "emitted"),
        ("emitted", "primitive", "primitives"), ("quads", "emitted", "emitted"),
    ):  # fmt: skip
        place = np.concatenate([[0], np.cumsum(keep[of])])
        tables[name][column] = place[tables[name][column]].astype(SCHEMA[name][column].dtype)
    return changed(trace, {**tables, "draws": table})


def changed(trace: FrameTrace, tables: dict[str, dict[str, Array]]) -> FrameTrace:
    """Frame with other tables."""
    changed = {**trace.tables, **{name: Table(name, columns) for name, columns in tables.items()}}
    return FrameTrace(
        trace.frame, trace.width, trace.height, trace.rule, changed, trace.labels, role=trace.role
    )  # fmt: skip
