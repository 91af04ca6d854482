"""Checks a FrameTrace before the machine indexes by it: a trace file may hold anything."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.errors import TraceFormatError
from traceformat.gputrace.frametrace import MODEL_COLUMNS, FrameTrace
from traceformat.guards import exceeded, guards

__all__ = ["check_frame"]

#: (table, column) that holds rows of another table.
_ROWS: Final = (
    ("draws", "pass", "passes"),
    ("draws", "fragment_program", "programs"),
    ("vertices", "path", "paths"),
    ("primitives", "draw", "draws"),
    ("primitives", "vertex", "vertices"),
    ("emitted", "primitive", "primitives"),
    ("emitted", "draw", "draws"),
    ("quads", "emitted", "emitted"),
    ("quads", "path", "paths"),
    ("path_steps", "block", "blocks"),
    ("events", "pass", "passes"),
)
#: (table, prefix of first/count columns, table that the range refers to).
_RANGES: Final = (
    ("passes", "event", "events"),
    ("passes", "draw", "draws"),
    ("draws", "vertex", "vertices"),
    ("draws", "primitive", "primitives"),
    ("draws", "emitted", "emitted"),
    ("draws", "quad", "quads"),
    ("draws", "fetch", "vertex_fetches"),
    ("paths", "step", "path_steps"),
    ("blocks", "instruction", "instructions"),
    ("primitives", "emitted", "emitted"),
    ("quads", "tex", "tex_ops"),
    ("tex_ops", "line", "texture_lines"),
)
#: Ranges of consecutive draws lie one behind the other.
_CONSECUTIVE: Final = ("vertex", "primitive", "emitted", "quad")
_MAX_SIDE: Final = 16384
_MAX_ADDRESS: Final = 1 << 46
_MAX_FETCH_BYTES: Final = 4096
_MAX_ATTRIBUTES: Final = 64


def check_frame(trace: FrameTrace) -> None:
    """Check every index that the model follows; raises TraceFormatError naming table, column and row."""

    def fail(where: str, row: int, what: str) -> None:
        raise TraceFormatError(f"frame {trace.frame}: {where} row {row}: {what}")

    def check(where: str, bad: NDArray[Any], what: str) -> None:
        if bad.any():
            fail(where, int(np.flatnonzero(bad.reshape(len(bad), -1).any(axis=1))[0]), what)

    if trace["passes"].num_rows > guards().frame_passes:
        raise exceeded(f"frame {trace.frame} has {trace['passes'].num_rows} render passes", "frame_passes")
    for name in sorted(MODEL_COLUMNS):
        table, _, column = name.partition(".")
        if column not in trace[table]:
            raise TraceFormatError(
                f"frame {trace.frame}: the trace has no column {name}", hint="record it with the columns of the model"
            )
    for table, column, other in _ROWS:
        rows = trace.tables[other].num_rows
        check(f"{table}.{column}", trace[table][column] >= max(rows, 1), f"not one of the {rows} rows of {other}")
        if rows == 0 and trace.tables[table].num_rows:
            fail(f"{table}.{column}", 0, f"{other} is empty")
    for table, prefix, other in _RANGES:
        first = trace[table][f"{prefix}_first"].astype(np.int64)
        end = first + trace[table][f"{prefix}_count"].astype(np.int64)
        check(f"{table}.{prefix}_first", end > trace.tables[other].num_rows, f"range runs past {other}")
    draws, passes = trace["draws"], trace["passes"]
    for prefix in _CONSECUTIVE:
        first = draws[f"{prefix}_first"].astype(np.int64)
        end = first + draws[f"{prefix}_count"].astype(np.int64)
        check(f"draws.{prefix}_first", first[1:] != end[:-1], "rows of draws are not one behind the other")
    first = passes["draw_first"].astype(np.int64)
    count = passes["draw_count"].astype(np.int64)
    owner = np.repeat(np.arange(passes.num_rows), np.minimum(count, draws.num_rows))
    if len(owner) != draws.num_rows or (first[:1] != 0).any():
        fail("passes.draw_count", 0, f"the passes do not hold the {draws.num_rows} draws")
    check("draws.pass", draws["pass"] != owner, "is not the pass that holds the draw")
    check("passes.draw_first", first[1:] != (first + passes["draw_count"])[:-1], "passes do not follow each other")
    for side in ("width", "height"):
        check(f"passes.{side}", (passes[side] < 1) | (passes[side] > _MAX_SIDE), f"not within 1 to {_MAX_SIDE} pixels")
    check("passes.samples", ~np.isin(passes["samples"], (1, 4)), "not 1 or 4 samples a pixel")
    if (passes["samples"] > 1).any() and "sample_depth" not in trace["quads"]:
        fail("passes.samples", int(np.flatnonzero(passes["samples"] > 1)[0]), "the trace has no depths of samples")
    check("passes.num_colors", passes["num_colors"] > 8, "more than 8 colour attachments")
    for column in ("color_address", "depth_address", "transfer_read_bytes", "transfer_write_bytes"):
        check(f"passes.{column}", passes[column] >= _MAX_ADDRESS, "out of range")
    events = trace["events"]
    check("events.draw", events["draw"] >= max(draws.num_rows, 1), f"not one of the {draws.num_rows} rows of draws")
    check("draws.num_attributes", draws["num_attributes"] > _MAX_ATTRIBUTES, f"more than {_MAX_ATTRIBUTES}")
    check("draws.fetch_count", draws["fetch_count"] > _MAX_ATTRIBUTES, f"more than {_MAX_ATTRIBUTES}")
    check("instructions.kind", trace["instructions"]["kind"] > 5, "unknown kind")
    fetches = trace["vertex_fetches"]
    check("vertex_fetches.bytes", fetches["bytes"] > _MAX_FETCH_BYTES, "more bytes than an attribute has")
    check("vertex_fetches.address", fetches["address"] >= _MAX_ADDRESS, "address out of range")
    check("vertices.index_address", trace["vertices"]["index_address"] >= _MAX_ADDRESS, "address out of range")
    if draws.num_rows:
        _check_owners(trace, check)


def _check_owners(trace: FrameTrace, check: Any) -> None:
    """Rows lie in the ranges of the draws that they name, in order, and quads lie in their pass."""
    draws, passes, quads, emitted = trace["draws"], trace["passes"], trace["quads"], trace["emitted"]
    owner = quads["emitted"].astype(np.int64)
    check("quads.emitted", np.diff(owner, prepend=owner[:1]) < 0, "quads are not in the order of emitted")
    for table, column in (("emitted", "emitted"), ("primitives", "primitive")):
        rows = np.arange(trace.tables[table].num_rows, dtype=np.int64)
        draw = trace[table]["draw"].astype(np.int64)
        first = draws[f"{column}_first"].astype(np.int64)[draw]
        check(
            f"{table}.draw",
            (rows < first) | (rows >= first + draws[f"{column}_count"].astype(np.int64)[draw]),
            "lies outside its draw's range",
        )
    primitives = trace["primitives"]
    first = primitives["emitted_first"].astype(np.int64)
    end = first + primitives["emitted_count"].astype(np.int64)
    draw = primitives["draw"].astype(np.int64)
    low = draws["emitted_first"].astype(np.int64)[draw]
    high = low + draws["emitted_count"].astype(np.int64)[draw]
    check("primitives.emitted_first", (end > first) & ((first < low) | (end > high)), "lies outside its draw's range")
    rows = np.arange(quads.num_rows, dtype=np.int64)
    draw = emitted["draw"].astype(np.int64)[owner]
    first = draws["quad_first"].astype(np.int64)[draw]
    check("quads.emitted", (rows < first) | (rows >= first + draws["quad_count"].astype(np.int64)[draw]), "wrong draw")
    index = draws["pass"].astype(np.int64)[draw]
    for axis, side in (("x", "width"), ("y", "height")):
        check(
            f"quads.{axis}",
            2 * quads[axis].astype(np.int64) >= passes[side].astype(np.int64)[index],
            "outside its pass",
        )
    vertex = trace["primitives"]["vertex"].astype(np.int64)
    draw = trace["primitives"]["draw"].astype(np.int64)
    first = draws["vertex_first"].astype(np.int64)[draw][:, None]
    count = draws["vertex_count"].astype(np.int64)[draw][:, None]
    check("primitives.vertex", (vertex < first) | (vertex >= first + count), "lies outside its draw's vertices")
