"""Draws into layered framebuffers: which primitives go to which layer (GLES 3.2 §9.8, §11.3.4.2).

A tiler bins each layer for itself: layers are passes of their own, and a draw whose geometry stage reaches several is a
draw into each of them, with the primitives that go there.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from replay.engine import geometry as geo
from replay.engine.drawn import Drawn, Emitted
from replay.engine.emission import primitive_rows, row_of
from replay.engine.input_cache import CachedStream, DrawnRange
from replay.engine.vertex_fetch import Stream
from traceformat.gles import enums as gl

__all__ = ["primitive_rows", "split"]

#: Separate primitives in place of strips.
_SEPARATE: Final = {
    gl.GL_POINTS: gl.GL_POINTS,
    gl.GL_LINE_STRIP: gl.GL_LINES,
    gl.GL_TRIANGLE_STRIP: gl.GL_TRIANGLES,
}


def split(drawn: Drawn, num_layers: int) -> list[tuple[int, DrawnRange, Emitted]]:
    """What the geometry stage of a draw sends to each layer, by rising layer: vertices to take, and their origin.

    The vertex that provokes says which layer; one that does not exist is the last one, as Mesa has it.
    """
    emitted, vertices = drawn.emitted, drawn.vertices
    assert emitted is not None
    assert vertices is not None
    row = row_of(vertices.stage, "gl_Layer")
    if row < 0:
        return [(0, drawn.taken, emitted)]
    stream, first_provokes = drawn.taken.cached.stream, drawn.setting.fixed.first_provokes
    rows = primitive_rows(emitted.mode, stream, first_provokes)
    lanes = stream.arrays.lane[rows[:, 0 if first_provokes else -1]]
    asked = vertices.outputs.view(np.uint32)[row, lanes]
    layer = np.minimum(asked, np.uint32(num_layers - 1))
    mode = _SEPARATE[emitted.mode]
    return [
        (int(one), _range(mode, stream, rows[layer == one].reshape(-1)), _origin(emitted, mode, rows[layer == one]))
        for one in np.unique(layer)
    ]


def _range(mode: int, stream: Stream, rows: NDArray[np.int64]) -> DrawnRange:
    """Some rows of a stream, as separate primitives."""
    arrays = stream.arrays
    part = Stream.of(
        arrays.index[rows],
        arrays.instance[rows],
        arrays.position[rows],
        arrays.lane[rows],
        arrays.lane_index,
        arrays.lane_instance,
        np.zeros(1, np.int64),
        np.full(1, len(rows), np.int64),
    )
    return DrawnRange(CachedStream(part), geo.num_primitives(mode, part), 0)


def _origin(emitted: Emitted, mode: int, rows: NDArray[np.int64]) -> Emitted:
    return Emitted(
        mode,
        emitted.invocation[rows.reshape(-1)],
        emitted.fetched,
        emitted.shaded,
        emitted.paths,
        emitted.num_invocations,
    )
