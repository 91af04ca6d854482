"""Triangles drawn as their edges or their corners: glPolygonMode (GL 4.5 §14.6.4), which OpenGL ES does not have.

As in Mesa's draw module triangles are culled as triangles, take flat values from the vertex that provokes, and go on as
separate lines or points. What is left out: polygon offset of lines and points, and ``gl_FrontFacing``, which is true.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from replay.engine import geometry as geo
from replay.engine.drawn import Drawn, Emitted, Vertices
from replay.engine.emission import primitive_rows, row_of
from replay.engine.input_cache import CachedStream, DrawnRange
from replay.engine.stages import aligned
from replay.engine.varyings import match_varyings
from replay.engine.vertex_fetch import Stream
from traceformat.gles import enums as gl
from traceformat.gles.state import Context
from traceformat.gputrace.frametrace import PrimitiveKind

__all__ = ["flat_rows", "separate_range", "unfill"]

#: Corners of what each triangle is drawn as.
_CORNERS: Final = {gl.GL_LINE: (gl.GL_LINES, [2, 0, 0, 1, 1, 2]), gl.GL_POINT: (gl.GL_POINTS, [0, 1, 2])}


def unfill(drawn: Drawn) -> None:
    """Have the triangles of a draw go on as lines or points; its vertices are shaded."""
    setting, shaded, mode = drawn.setting, drawn.vertices, drawn.mode
    context = setting.context
    is_captured = context.transform_feedback.active and not context.transform_feedback.paused
    if geo.kind_of(mode) is not PrimitiveKind.TRIANGLE or is_captured:
        return
    assert shaded is not None
    stream = drawn.taken.cached.stream
    first_provokes = setting.fixed.first_provokes
    rows = primitive_rows(mode, stream, first_provokes)
    lanes = stream.arrays.lane[rows].astype(np.int64)
    drawn_ones = _survivors(context, shaded, lanes)
    rows, lanes = rows[drawn_ones], lanes[drawn_ones]
    outputs = aligned(shaded.outputs.shape[0], max(lanes.size, 1))
    outputs[...] = 0.0
    outputs[:, : lanes.size] = shaded.outputs[:, lanes.reshape(-1)]
    flat, provoking = flat_rows(drawn, shaded), lanes[:, 0 if first_provokes else -1]
    outputs[flat, : lanes.size] = shaded.outputs[np.array(flat, np.int64)[:, None], provoking.repeat(3)]
    new_mode, corners = _CORNERS[context.polygon_mode]
    picked = (3 * np.arange(len(rows), dtype=np.int64)[:, None] + corners).reshape(-1)
    whole = drawn.emitted or Emitted.fetched_ones(mode, stream, shaded)
    places = rows.reshape(-1)[picked] if len(rows) else np.zeros(1, np.int64)
    drawn.emitted = Emitted(
        new_mode, whole.invocation[places], whole.fetched, whole.shaded, whole.paths, whole.num_invocations
    )
    drawn.taken = separate_range(new_mode, stream, places, picked, lanes.reshape(-1))
    paths = None if shaded.paths is None else shaded.paths[lanes.reshape(-1)]
    drawn.vertices = Vertices(shaded.stage, outputs, paths, shaded.path, None)


def _survivors(context: Context, shaded: Vertices, lanes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Triangles that are not culled: their facing is the sign of a determinant, whatever side of w they are on."""
    cull = context.cull_mode if gl.GL_CULL_FACE in context.enabled else 0
    if cull == gl.GL_FRONT_AND_BACK or not len(lanes):
        return np.zeros(len(lanes), np.bool_)
    row = row_of(shaded.stage, "gl_Position")
    corners = shaded.outputs[row : row + 4].astype(np.float64)[[0, 1, 3]][:, lanes]  # (3, T, 3)
    area = np.linalg.det(corners.transpose(1, 2, 0))
    if not cull:
        finite: NDArray[np.bool_] = np.isfinite(area)
        return finite
    is_front = (area < 0.0) == (context.front_face == gl.GL_CW)
    kept: NDArray[np.bool_] = (is_front != (cull == gl.GL_FRONT)) & (area != 0.0)
    return kept


def flat_rows(drawn: Drawn, shaded: Vertices) -> list[int]:
    """Rows of outputs that fragments take from one vertex."""
    fragment = drawn.setting.linked.program.fragment
    if fragment is None:
        return []
    stage = shaded.stage
    varyings = match_varyings(stage.ir, list(stage.layout.output_rows), fragment)
    rows = varyings.rows.reshape(-1, 4)[varyings.flat.astype(np.bool_)]
    return [int(row) for row in rows.reshape(-1) if row >= 0]


def separate_range(
    mode: int, stream: Stream, rows: NDArray[np.int64], corners: NDArray[np.int64], lanes: NDArray[np.int64]
) -> DrawnRange:
    """Rows of a stream as separate primitives, with lanes of their own; one that nobody draws where there are none.

    Parameters
    ----------
    rows, corners : of each vertex, its row of the stream and its lane
    lanes : (L,) what each lane was
    """
    arrays, is_empty = stream.arrays, not len(corners)
    part = Stream.of(
        arrays.index[rows],
        arrays.instance[rows],
        arrays.position[rows],
        np.zeros(1, np.uint32) if is_empty else corners.astype(np.uint32),
        arrays.lane_index[rows if is_empty else lanes],
        arrays.lane_instance[rows if is_empty else lanes],
        np.zeros(1, np.int64),
        np.full(1, 0 if is_empty else len(rows), np.int64),
    )
    return DrawnRange(CachedStream(part), geo.num_primitives(mode, part), 0)
