"""Judges of what draws cost: the frame again, with their work taken out.

*Hollow*: the draws keep coverage, depth, stencil and what they store; their shading and their textures are free.
*Absent*: the draws are gone with everything that they do, so that what they hid is drawn; where the frame then costs
more, they are *occluders*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.frametrace import SCHEMA, FrameTrace, Table

__all__ = ["absent", "changed", "copied", "hollow", "rearranged"]

Array = NDArray[Any]

#: Tables of which each draw has rows of its own, and how its columns that name them begin.
_OF_DRAWS: Final = {"vertices": "vertex", "primitives": "primitive", "emitted": "emitted", "quads": "quad"}


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
    return rearranged(trace, np.arange(trace["draws"].num_rows), draws)


def rearranged(trace: FrameTrace, order: Array, empty: Sequence[int] = ()) -> FrameTrace:
    """Frame whose draw k is what draw ``order[k]`` was.

    Parameters
    ----------
    order : (D,) every draw once; no draw leaves its pass
    empty : draws, by the number that they had, of which no vertex, primitive and quad stays
    """
    order = np.asarray(order, np.int64)
    number = np.argsort(order)
    draws = {name: column[order] for name, column in trace["draws"].items()}
    rows: dict[str, Array] = {}
    place: dict[str, Array] = {}
    for table, prefix in _OF_DRAWS.items():
        first = draws[f"{prefix}_first"].astype(np.int64)
        count = np.where(np.isin(order, empty), 0, draws[f"{prefix}_count"].astype(np.int64))
        start = np.cumsum(count) - count
        rows[table] = np.repeat(first - start, count) + np.arange(count.sum())
        place[table] = np.zeros(trace[table].num_rows + 1, np.int64)
        place[table][rows[table]] = np.arange(len(rows[table]))
        draws[f"{prefix}_first"] = start.astype(draws[f"{prefix}_first"].dtype)
        draws[f"{prefix}_count"] = count.astype(draws[f"{prefix}_count"].dtype)
    tables: dict[str, dict[str, Array]] = {
        name: {column: values[kept] for column, values in trace[name].items()} for name, kept in rows.items()
    }
    for name, column, old in (
        ("primitives", "vertex", place["vertices"]), ("primitives", "emitted_first", place["emitted"]),
        ("emitted", "primitive", place["primitives"]), ("quads", "emitted", place["emitted"]),
        ("primitives", "draw", number), ("emitted", "draw", number),
    ):  # fmt: skip
        tables[name][column] = old[tables[name][column]].astype(SCHEMA[name][column].dtype)
    events = dict(trace["events"])
    is_draw = events["draw"] >= 0
    events["call"] = events["call"].copy()
    events["call"][is_draw] = draws["call"][events["draw"][is_draw]]
    return changed(trace, {**tables, "draws": draws, "events": events})


def copied(trace: FrameTrace) -> FrameTrace:
    """Frame with tables of its own: those of a replay are let go of when it goes on."""
    return changed(
        trace, {name: {key: array.copy() for key, array in table.items()} for name, table in trace.tables.items()}
    )


def changed(trace: FrameTrace, tables: Mapping[str, Mapping[str, Array]]) -> FrameTrace:
    """Frame with other tables; its pixels are those that it had."""
    return replace(trace, tables={**trace.tables, **{name: Table(name, columns) for name, columns in tables.items()}})
