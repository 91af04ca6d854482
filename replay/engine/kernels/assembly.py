"""Primitive assembly: from a stream of vertices to points, lines and triangles.

Vertices keep the order in which GLES 3.0 §2.12 (primitive types) numbers them, odd triangles of a strip with their
first two exchanged, so that winding is kept and the provoking vertex of flat attributes is always the last one (GLES
3.0 §2.14).
"""

from __future__ import annotations

from replay.kernels import Array, Int, inner, kernel

__all__ = ["assemble"]

_LINES, _LINE_LOOP, _LINE_STRIP = 1, 2, 3
_TRIANGLES, _TRIANGLE_STRIP, _TRIANGLE_FAN = 4, 5, 6


@inner("int64(int64, int64)")
def _count(mode: Int, length: Int) -> Int:
    """Primitives of a run of so many vertices."""
    if mode == _TRIANGLES:
        return length // 3
    if mode in (_TRIANGLE_STRIP, _TRIANGLE_FAN):
        return max(length - 2, 0)
    if mode == _LINES:
        return length // 2
    if mode == _LINE_STRIP:
        return max(length - 1, 0)
    if mode == _LINE_LOOP:
        return length if length > 1 else 0
    return length


@kernel("int64(int64, int64[::1], int64[::1], uint32[:, ::1])")
def assemble(mode: Int, first: Array, count: Array, vertices: Array) -> Int:
    """Assemble the primitives of runs of vertices (instances; between primitive restarts).

    Parameters
    ----------
    mode : GL primitive mode, 0 (points) to 6 (triangle fan)
    first, count : (R,) int64 rows of the vertex stream that form each run
    vertices : (P, 3) uint32, out: stream rows of each primitive; unused entries repeat the last

    Returns
    -------
    Number of primitives written.
    """
    n = 0
    for run in range(first.shape[0]):
        start = first[run]
        length = count[run]
        for i in range(_count(mode, length)):
            # One place writes for all modes: each more would take as long to compile as this one.
            v0 = v1 = v2 = i
            if mode == _TRIANGLES:
                v0, v1, v2 = 3 * i, 3 * i + 1, 3 * i + 2
            elif mode == _TRIANGLE_STRIP:
                v0, v1, v2 = i + (i & 1), i + 1 - (i & 1), i + 2
            elif mode == _TRIANGLE_FAN:
                v0, v1, v2 = 0, i + 1, i + 2
            elif mode == _LINES:
                v0, v1, v2 = 2 * i, 2 * i + 1, 2 * i + 1
            elif mode in (_LINE_STRIP, _LINE_LOOP):
                v1 = v2 = i + 1 if i + 1 < length else 0
            vertices[n, 0], vertices[n, 1], vertices[n, 2] = start + v0, start + v1, start + v2
            n += 1
    return n
