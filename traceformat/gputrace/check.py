"""Checks a FrameTrace before anybody indexes by it: a trace file may hold anything.

Which columns refer to which tables, and what they may hold, says the schema. Whoever computes on a FrameTrace does it
in compiled loops without bounds checks; so every frame of a file passes :func:`check_frame`, and what the model
computes with passes it again with the columns that the model reads.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.errors import TraceFormatError
from traceformat.gputrace.frametrace import PASS_TABLES, SCHEMA, FrameTrace
from traceformat.guards import exceeded, guards

__all__ = ["check_frame", "check_head", "check_rows", "references"]

#: Ranges of consecutive draws lie one behind the other.
_CONSECUTIVE: Final = ("vertex", "primitive", "emitted", "quad")
_SAMPLES: Final = (1, 4)


def references() -> Iterator[tuple[str, str, str]]:
    """Table, column and table that the column's entries are rows of, or first rows in."""
    for table, spec in SCHEMA.items():
        for name, column in spec.items():
            if column.refers:
                yield table, name, column.refers


def check_frame(frame: FrameTrace, needed: Collection[str] = ()) -> None:
    """Check lengths and references of the columns that are present.

    Parameters
    ----------
    frame : any columns may be absent; a reference into a table without columns is not checked
    needed : columns that have to be there; with any, what the model computes with has to lie within its bounds, and
        rows in the order of their draws and passes

    Raises
    ------
    TraceFormatError : columns of a table differ in length, one is missing, refers to a row that does not exist, or
        holds what nothing can be computed with
    ReplayError : more render passes than the guard ``frame_passes``
    """
    check_head(frame, needed)
    check_rows(frame, needed)


def check_head(frame: FrameTrace, needed: Collection[str] = ()) -> None:
    """Check what a frame is announced with, as :func:`check_frame` does: all tables but PASS_TABLES."""
    _check_tables(frame, needed, of_pass=False)
    for table, name in (("objects", "label"), ("programs", "source")):
        labels = _column(frame, table, name)
        if labels is not None:
            _check_rows(labels, len(frame.labels), f"{table}.{name}", "labels")
    if needed:
        _Model(frame).check_head()


def check_rows(frame: FrameTrace, needed: Collection[str] = ()) -> None:
    """Check PASS_TABLES of a frame, or of a pass that travels alone, as :func:`check_frame` does; the head is right."""
    _check_tables(frame, needed, of_pass=True)
    _check_attributes(frame)
    _check_colors(frame)
    if needed:
        _Model(frame).check_rows()


def _check_tables(frame: FrameTrace, needed: Collection[str], *, of_pass: bool) -> None:
    """Check lengths, presence and references of PASS_TABLES, or of the others."""
    for name, table in frame.tables.items():
        lengths = {len(array) for array in table.values()} if (name in PASS_TABLES) == of_pass else set()
        if len(lengths) > 1:
            raise TraceFormatError(f"columns of {name} differ in length: {sorted(lengths)}")
    for name in sorted(needed):
        table_name, _, column = name.partition(".")
        if (table_name in PASS_TABLES) == of_pass and column not in frame[table_name]:
            raise TraceFormatError(
                f"frame {frame.frame}: the trace has no column {name}", hint="record it with the columns of the model"
            )
    for name, column, target in references():
        if (name in PASS_TABLES or target in PASS_TABLES) == of_pass:
            _check_reference(frame, name, column, target)


def _draws_of(frame: FrameTrace) -> slice:
    """Rows of draws whose rows are there: those of the pass that travels alone, or all."""
    if frame.index is None:
        return slice(0, frame["draws"].num_rows)
    first = int(frame["passes"]["draw_first"][frame.index])
    return slice(first, first + int(frame["passes"]["draw_count"][frame.index]))


def _column(frame: FrameTrace, table: str, column: str) -> NDArray[Any] | None:
    return frame.tables[table].get(column) if table in frame.tables else None


def _is_filled(frame: FrameTrace, table: str) -> bool:
    return table in frame.tables and len(frame[table]) > 0


def _check_reference(frame: FrameTrace, table: str, column: str, target: str) -> None:
    rows = _column(frame, table, column)
    if rows is None or not _is_filled(frame, target):
        return
    own = _draws_of(frame) if table == "draws" and target in PASS_TABLES else slice(None)
    rows = rows[own]
    if not column.endswith("_first"):
        _check_rows(rows, frame[target].num_rows, f"{table}.{column}", target, SCHEMA[table][column].none)
        return
    count = _column(frame, table, column.removesuffix("first") + "count")
    if count is not None:
        # Whoever sums up over a range looks at its first row even where it has none.
        used = np.ones(rows.shape, bool)
        _check_ranges(rows, count[own], frame[target].num_rows, f"{table}.{column}", target, used)


def _check_rows(rows: NDArray[Any], num_rows: int, name: str, target: str, none: int | None = None) -> None:
    is_bad = (rows < 0) | (rows >= num_rows)
    if none is not None:
        is_bad &= rows != none
    if is_bad.any():
        row = np.flatnonzero(is_bad.reshape(len(rows), -1).any(axis=1))[0]
        raise TraceFormatError(f"{name} row {row} refers to row {rows[row]} of {target}, which has {num_rows}")


def _check_ranges(
    first: NDArray[Any],
    count: NDArray[Any],
    num_rows: int,
    name: str,
    target: str,
    used: NDArray[np.bool_] | None = None,
) -> None:
    used = count > 0 if used is None else used
    start, length = first[used].astype(np.uint64), count[used].astype(np.uint64)
    # Counts are unsigned and at most 32 bits, so the sum cannot wrap once the first row is known to be small.
    if start.size and (int(start.max()) > num_rows or int((start + length).max()) > num_rows):
        raise TraceFormatError(f"{name} and its count reach beyond {target}, which has {num_rows} rows")


def _check_attributes(frame: FrameTrace) -> None:
    """Emitted primitives have A x 3 rows of attributes, A of their draw."""
    first, draw = _column(frame, "emitted", "attribute_first"), _column(frame, "emitted", "draw")
    count = _column(frame, "draws", "num_attributes")
    if first is None or draw is None or count is None or not _is_filled(frame, "attributes"):
        return
    rows = count[draw].astype(np.uint32) * 3
    _check_ranges(first, rows, frame["attributes"].num_rows, "emitted.attribute_first", "attributes")


def _check_colors(frame: FrameTrace) -> None:
    """A draw's colours are four fragments a quad of each attachment that it writes."""
    first, quads = _column(frame, "draws", "color_first"), _column(frame, "draws", "quad_count")
    written, render_pass = _column(frame, "draws", "draw_buffers"), _column(frame, "draws", "pass")
    item = _column(frame, "passes", "color_bytes")
    if first is None or quads is None or written is None or render_pass is None or item is None:
        return
    if frame["color_data"].num_rows == 0 or not len(first):
        # Nobody has asked for colours.
        return
    attachments = np.arange(first.shape[1], dtype=np.uint8)
    is_written = (written[:, None] >> attachments) & 1
    size = quads[:, None].astype(np.uint64) * 4 * item[render_pass] * is_written
    own = _draws_of(frame)
    _check_ranges(first[own], size[own], frame["color_data"].num_rows, "draws.color_first", "color_data")


class _Model:
    """Bounds and order of a frame whose references are right."""

    def __init__(self, frame: FrameTrace) -> None:
        self._frame = frame

    def check_head(self) -> None:
        """Check what the frame is announced with."""
        frame = self._frame
        passes, draws = frame["passes"], frame["draws"]
        if passes.num_rows > guards().frame_passes:
            raise exceeded(f"frame {frame.frame} has {passes.num_rows} render passes", "frame_passes")
        self._check_bounds(of_pass=False)
        self._refuse("passes.samples", ~np.isin(passes["samples"], _SAMPLES), "not 1 or 4 samples a pixel")
        first, end = self._range("passes", "draw")
        owner = np.repeat(np.arange(passes.num_rows), np.minimum(end - first, draws.num_rows))
        if len(owner) != draws.num_rows or (first[:1] != 0).any():
            raise self._error("passes.draw_count", 0, f"the passes do not hold the {draws.num_rows} draws")
        self._refuse("passes.draw_first", first[1:] != end[:-1], "passes do not follow each other")
        self._refuse("draws.pass", draws["pass"] != owner, "is not the pass that holds the draw")

    def check_rows(self) -> None:
        """Check the rows of a pass, or of all."""
        frame = self._frame
        self._check_bounds(of_pass=True)
        if "sample_depth" not in frame["quads"]:
            samples = frame["passes"]["samples"]
            mine = samples if frame.index is None else samples[frame.index : frame.index + 1]
            self._refuse("passes.samples", mine > 1, "the trace has no depths of samples")
        own = _draws_of(frame)
        for prefix in _CONSECUTIVE:
            first, end = (rows[own] for rows in self._range("draws", prefix))
            self._refuse(f"draws.{prefix}_first", first[1:] != end[:-1], "rows of draws are not one behind the other")
        if frame["draws"].num_rows:
            self._check_owners(own)

    def _check_bounds(self, *, of_pass: bool) -> None:
        for table, spec in SCHEMA.items():
            for name, column in spec.items():
                if column.within is None or (table in PASS_TABLES) != of_pass or name not in self._frame[table]:
                    continue
                lowest, highest = column.within
                values = self._frame[table][name]
                self._refuse(f"{table}.{name}", (values < lowest) | (values > highest), "out of range")

    def _check_owners(self, own: slice) -> None:
        """Rows lie in the ranges of the draws that they name, in order, and quads lie in their pass."""
        frame, draws, quads = self._frame, self._frame["draws"], self._frame["quads"]
        owner = quads["emitted"].astype(np.int64)
        self._refuse("quads.emitted", np.diff(owner, prepend=owner[:1]) < 0, "quads are not in the order of emitted")
        emitted_draw = frame["emitted"]["draw"].astype(np.int64)
        draw_of = {
            "primitive": frame["primitives"]["draw"].astype(np.int64), "emitted": emitted_draw,
            "quad": emitted_draw[owner],
        }  # fmt: skip
        for prefix, name in (("primitive", "primitives.draw"), ("emitted", "emitted.draw"), ("quad", "quads.emitted")):
            first, end = self._range("draws", prefix)
            rows, draw = np.arange(len(draw_of[prefix]), dtype=np.int64), draw_of[prefix]
            outside = (rows < first[draw]) | (rows >= end[draw]) | (draw < own.start) | (draw >= own.stop)
            self._refuse(name, outside, "lies outside its draw's range")
        draw = draw_of["primitive"]
        low, high = self._range("draws", "emitted")
        first, end = self._range("primitives", "emitted")
        outside = (end > first) & ((first < low[draw]) | (end > high[draw]))
        self._refuse("primitives.emitted_first", outside, "lies outside its draw's range")
        low, high = self._range("draws", "vertex")
        vertex = frame["primitives"]["vertex"].astype(np.int64)
        outside = (vertex < low[draw][:, None]) | (vertex >= high[draw][:, None])
        self._refuse("primitives.vertex", outside, "lies outside its draw's vertices")
        of_pass = draws["pass"].astype(np.int64)[draw_of["quad"]]
        for axis, side in (("x", "width"), ("y", "height")):
            outside = 2 * quads[axis].astype(np.int64) >= frame["passes"][side].astype(np.int64)[of_pass]
            self._refuse(f"quads.{axis}", outside, "outside its pass")

    def _range(self, table: str, prefix: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """First rows, and the rows behind the last ones."""
        first = self._frame[table][f"{prefix}_first"].astype(np.int64)
        return first, first + self._frame[table][f"{prefix}_count"]

    def _refuse(self, where: str, is_bad: NDArray[Any], what: str) -> None:
        """Raise the error of the first row with a bad entry."""
        if is_bad.any():
            raise self._error(where, int(np.flatnonzero(is_bad.reshape(len(is_bad), -1).any(axis=1))[0]), what)

    def _error(self, where: str, row: int, what: str) -> TraceFormatError:
        return TraceFormatError(f"frame {self._frame.frame}: {where} row {row}: {what}")
