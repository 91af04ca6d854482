"""Checks that a FrameTrace's tables refer only to rows that exist.

Whoever computes on a FrameTrace from a file does it in compiled loops without bounds checks; so a file's frames
pass through here first.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.errors import TraceFormatError
from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["check_frame"]

#: (table, prefix, target): ``prefix_first`` and ``prefix_count`` are a range of rows of the target.
_RANGES: Final = (
    ("passes", "event", "events"),
    ("passes", "draw", "draws"),
    ("passes", "read", "pass_reads"),
    ("draws", "vertex", "vertices"),
    ("draws", "primitive", "primitives"),
    ("draws", "emitted", "emitted"),
    ("draws", "quad", "quads"),
    ("draws", "fetch", "vertex_fetches"),
    ("draws", "texture", "texture_bindings"),
    ("draws", "constant", "constants"),
    ("programs", "block", "blocks"),
    ("blocks", "instruction", "instructions"),
    ("paths", "step", "path_steps"),
    ("primitives", "emitted", "emitted"),
    ("quads", "tex", "tex_ops"),
    ("tex_ops", "line", "texture_lines"),
)
#: (table, column, target): every entry is a row of the target.
_ROWS: Final = (
    ("pass_reads", "pass", "passes"),
    ("events", "pass", "passes"),
    ("draws", "pass", "passes"),
    ("draws", "object", "objects"),
    ("draws", "vertex_program", "programs"),
    ("draws", "fragment_program", "programs"),
    ("paths", "program", "programs"),
    ("path_steps", "block", "blocks"),
    ("vertices", "path", "paths"),
    ("primitives", "draw", "draws"),
    ("primitives", "vertex", "vertices"),
    ("emitted", "primitive", "primitives"),
    ("emitted", "draw", "draws"),
    ("quads", "emitted", "emitted"),
    ("quads", "path", "paths"),
)


def check_frame(frame: FrameTrace) -> None:
    """Check lengths and references of the columns that are present.

    Parameters
    ----------
    frame : any columns may be absent; a reference into a table without columns is not checked

    Raises
    ------
    TraceFormatError : columns of a table differ in length, or one refers to a row that does not exist
    """
    for name, table in frame.tables.items():
        lengths = {len(array) for array in table.values()}
        if len(lengths) > 1:
            raise TraceFormatError(f"columns of {name} differ in length: {sorted(lengths)}")
    for name, prefix, target in _RANGES:
        first, count = _column(frame, name, f"{prefix}_first"), _column(frame, name, f"{prefix}_count")
        if first is not None and count is not None and _is_filled(frame, target):
            _check_ranges(first, count, frame[target].num_rows, f"{name}.{prefix}_first", target)
    for name, column, target in _ROWS:
        rows = _column(frame, name, column)
        if rows is not None and _is_filled(frame, target):
            _check_rows(rows, frame[target].num_rows, f"{name}.{column}", target)
    labels = _column(frame, "objects", "label")
    if labels is not None:
        _check_rows(labels, len(frame.labels), "objects.label", "labels")
    draws = _column(frame, "events", "draw")
    if draws is not None and _is_filled(frame, "draws"):
        _check_rows(draws[draws != -1], frame["draws"].num_rows, "events.draw", "draws")
    _check_attributes(frame)
    _check_colors(frame)


def _column(frame: FrameTrace, table: str, column: str) -> NDArray[Any] | None:
    return dict(frame.tables[table]).get(column) if table in frame.tables else None


def _is_filled(frame: FrameTrace, table: str) -> bool:
    return table in frame.tables and len(frame[table]) > 0


def _check_rows(rows: NDArray[Any], num_rows: int, name: str, target: str) -> None:
    if rows.size and (int(rows.max()) >= num_rows or int(rows.min()) < 0):
        raise TraceFormatError(f"{name} refers to row {int(rows.max())} of {target}, which has {num_rows}")


def _check_ranges(first: NDArray[Any], count: NDArray[Any], num_rows: int, name: str, target: str) -> None:
    # Counts are unsigned and at most 32 bits, so the sum cannot wrap once the first row is known to be small.
    used = count > 0
    start, length = first[used].astype(np.uint64), count[used].astype(np.uint64)
    if start.size and (int(start.max()) >= num_rows or int((start + length).max()) > num_rows):
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
    if not _is_filled(frame, "color_data") or not len(first):
        return
    attachments = np.arange(first.shape[1], dtype=np.uint8)
    is_written = (written[:, None] >> attachments) & 1
    size = quads[:, None].astype(np.uint64) * 4 * item[render_pass] * is_written
    _check_ranges(first, size, frame["color_data"].num_rows, "draws.color_first", "color_data")
