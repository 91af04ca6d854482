"""Primitive assembly: from a stream of vertices to points, lines and triangles.

Vertices keep the order in which GLES 3.0 §2.12 (primitive types) numbers them, odd triangles of a strip with their
first two exchanged, so that winding is kept and the provoking vertex of flat attributes is always the last one (GLES
3.0 §2.14).
"""

from __future__ import annotations

import numpy as np

from replay.kernels import Array, Int, kernel

__all__ = ["assemble"]

_LINES, _LINE_LOOP, _LINE_STRIP = 1, 2, 3
_TRIANGLES, _TRIANGLE_STRIP, _TRIANGLE_FAN = 4, 5, 6


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
        if mode == _TRIANGLES:
            for i in range(0, length - 2, 3):
                vertices[n, 0] = np.uint32(start + i)
                vertices[n, 1] = np.uint32(start + i + 1)
                vertices[n, 2] = np.uint32(start + i + 2)
                n += 1
        elif mode == _TRIANGLE_STRIP:
            for i in range(length - 2):
                odd = i & 1
                vertices[n, 0] = np.uint32(start + i + odd)
                vertices[n, 1] = np.uint32(start + i + 1 - odd)
                vertices[n, 2] = np.uint32(start + i + 2)
                n += 1
        elif mode == _TRIANGLE_FAN:
            for i in range(length - 2):
                vertices[n, 0] = np.uint32(start)
                vertices[n, 1] = np.uint32(start + i + 1)
                vertices[n, 2] = np.uint32(start + i + 2)
                n += 1
        elif mode == _LINES:
            for i in range(0, length - 1, 2):
                vertices[n, 0] = np.uint32(start + i)
                vertices[n, 1] = np.uint32(start + i + 1)
                vertices[n, 2] = np.uint32(start + i + 1)
                n += 1
        elif mode in (_LINE_STRIP, _LINE_LOOP):
            for i in range(length - 1):
                vertices[n, 0] = np.uint32(start + i)
                vertices[n, 1] = np.uint32(start + i + 1)
                vertices[n, 2] = np.uint32(start + i + 1)
                n += 1
            if mode == _LINE_LOOP and length > 1:
                vertices[n, 0] = np.uint32(start + length - 1)
                vertices[n, 1] = np.uint32(start)
                vertices[n, 2] = np.uint32(start)
                n += 1
        else:
            for i in range(length):
                vertices[n, 0] = np.uint32(start + i)
                vertices[n, 1] = np.uint32(start + i)
                vertices[n, 2] = np.uint32(start + i)
                n += 1
    return n
