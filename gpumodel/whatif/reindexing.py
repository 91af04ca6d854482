"""Indexed triangles in another order: results of vertex shaders are used again while they are at hand."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.attribution.judges import changed
from gpumodel.whatif.scene import Scene
from traceformat.gles import enums as gl
from traceformat.gles.formats import FORMATS, source_bytes
from traceformat.gputrace.frametrace import SCHEMA, SRGB_BIT, DrawFlags, FrameTrace

__all__ = ["reindexed"]

Array = NDArray[Any]

#: Vertices that the order is made for: as many as all presets keep. A tool that makes meshes knows no machine either.
_ENTRIES: Final = 16
#: Fragments of a quad.
_LANES: Final = 4


def reindexed(scene: Scene, target: str, _: str) -> FrameTrace | None:
    """Draw the triangles of indexed meshes in an order in which neighbours follow each other."""
    trace = scene.trace
    rows = {name: np.arange(trace[name].num_rows) for name in ("vertices", "primitives", "emitted", "quads")}
    found = False
    colors = trace["color_data"]["byte"].copy() if trace["color_data"].num_rows else None
    for draw in scene.draws(target).tolist():
        order = _order(trace, draw)
        if order is not None:
            found = True
            _move(trace, draw, order, rows)
            if colors is not None:
                _move_colors(trace, draw, rows["quads"], colors)
    return _moved(trace, rows, colors) if found else None


def _order(trace: FrameTrace, draw: int) -> Array | None:
    """Order of the primitives of a draw, (P,); None where the program's shades no more vertices, or is no list."""
    draws = trace["draws"]
    first, count = int(draws["primitive_first"][draw]), int(draws["primitive_count"][draw])
    begin = int(draws["vertex_first"][draw])
    instances = max(int(draws["instance_count"][draw]), 1)
    corners = trace["primitives"]["vertex"][first : first + count].astype(np.int64) - begin
    is_list = draws["mode"][draw] == gl.GL_TRIANGLES and draws["index_bytes"][draw] and count % instances == 0
    whole = 3 * count == draws["vertex_count"][draw]
    is_free = not int(draws["flags"][draw]) & (DrawFlags.SIDE_EFFECTS | DrawFlags.VERTEX_EFFECTS)
    if not (count and is_list and is_free and whole) or (corners.ravel() != np.arange(3 * count)).any():
        return None
    # The kernels are compiled when they are imported.
    from gpumodel.whatif.tipsify import count_misses, tipsified

    each = count // instances
    index = trace["vertices"]["index"][begin : begin + 3 * each].astype(np.int64).reshape(-1, 3)
    order = tipsified(index, _ENTRIES)
    if count_misses(index[order].ravel(), _ENTRIES) >= count_misses(index.ravel(), _ENTRIES):
        return None
    # Instances follow each other, all alike.
    repeated: Array = np.arange(instances)[:, None] * each + order
    return repeated.ravel()


def _move(trace: FrameTrace, draw: int, order: Array, rows: dict[str, Array]) -> None:
    """Give the rows of a draw in the order of its primitives."""
    draws, emitted = trace["draws"], trace["emitted"]
    first, begin = int(draws["primitive_first"][draw]), int(draws["vertex_first"][draw])
    rows["primitives"][first : first + len(order)] = first + order
    rows["vertices"][begin : begin + 3 * len(order)] = begin + (3 * order[:, None] + np.arange(3)).ravel()
    # What a primitive has given stays in its order.
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    own = slice(
        int(draws["emitted_first"][draw]), int(draws["emitted_first"][draw]) + int(draws["emitted_count"][draw])
    )
    key = place[emitted["primitive"][own].astype(np.int64) - first]
    rows["emitted"][own] = own.start + np.argsort(key, kind="stable")
    own = slice(int(draws["quad_first"][draw]), int(draws["quad_first"][draw]) + int(draws["quad_count"][draw]))
    key = place[emitted["primitive"][trace["quads"]["emitted"][own]].astype(np.int64) - first]
    rows["quads"][own] = own.start + np.argsort(key, kind="stable")


def _move_colors(trace: FrameTrace, draw: int, quads: Array, colors: Array) -> None:
    """Give the colours of a draw's quads, which lie in the quads' order, attachment by attachment."""
    draws = trace["draws"]
    first, count = int(draws["quad_first"][draw]), int(draws["quad_count"][draw])
    formats = trace["passes"]["color_format"][int(draws["pass"][draw])].tolist()
    for attachment, internal in enumerate(formats):
        if int(draws["draw_buffers"][draw]) >> attachment & 1:
            converts = bool(int(draws["output_mask"][draw, attachment]) & SRGB_BIT)
            equation = int(draws["output_blend"][draw, attachment, 1])
            begin = int(draws["color_first"][draw, attachment])
            each = _LANES * source_bytes(FORMATS[internal], converts=converts, equation=equation)
            own = colors[begin : begin + count * each].reshape(count, each)
            own[:] = own[quads[first : first + count] - first]


def _moved(trace: FrameTrace, rows: dict[str, Array], colors: Array | None) -> FrameTrace:
    """Frame with tables in another order of rows, and what names rows of them."""
    tables = {name: {column: values[kept] for column, values in trace[name].items()} for name, kept in rows.items()}
    if colors is not None:
        tables["color_data"] = {"byte": colors}
    # Where an index lies depends on its place, not on the vertex.
    tables["vertices"]["index_address"] = trace["vertices"]["index_address"]
    place = {name: np.append(np.argsort(kept), 0) for name, kept in rows.items()}
    for name, column, of in (
        ("primitives", "vertex", "vertices"), ("emitted", "primitive", "primitives"), ("quads", "emitted", "emitted"),
    ):  # fmt: skip
        tables[name][column] = place[of][tables[name][column]].astype(SCHEMA[name][column].dtype)
    # The first emitted row of a primitive: rows lie in the order of their primitives.
    counts = tables["primitives"]["emitted_count"].astype(np.int64)
    has = counts > 0
    starts = place["emitted"][np.where(has, tables["primitives"]["emitted_first"], 0).astype(np.int64)]
    tables["primitives"]["emitted_first"] = np.where(has, starts, np.cumsum(counts) - counts).astype(
        SCHEMA["primitives"]["emitted_first"].dtype
    )
    return changed(trace, tables)
