"""Numbering of the paths that quads and vertices took through a shader, from their hashes."""

from __future__ import annotations

import numba
import numpy as np

from replay.kernels import Array, Int, kernel

__all__ = ["add_path", "number_paths"]


@kernel("void(uint64[::1], uint32[::1], uint64, uint32)")
def add_path(keys: Array, rows: Array, key: Int, row: Int) -> None:
    """Enter a path into the table.

    Parameters
    ----------
    keys, rows : hash table of a power of two entries; row 0xFFFFFFFF = free
    key, row : hash of the path and its number
    """
    wrap = np.uint64(keys.shape[0] - 1)
    at = key & wrap
    while rows[at] != np.uint32(0xFFFFFFFF) and keys[at] != key:
        at = (at + np.uint64(1)) & wrap
    keys[at] = key
    rows[at] = row


@kernel(
    numba.int64(numba.uint64[::1], numba.uint32[::1], numba.uint64[::1], numba.int64, numba.int64, numba.uint32[::1])
)
def number_paths(keys: Array, rows: Array, hashes: Array, first: Int, last: Int, path: Array) -> Int:
    """Look up the paths of quads ``first`` to ``last`` (half open).

    Returns
    -------
    Number of the first quad whose path is not in the table (``path`` is written up to it), or ``last``.
    """
    wrap = np.uint64(keys.shape[0] - 1)
    known = False
    previous = np.uint64(0)
    row = np.uint32(0)
    for q in range(first, last):
        key = hashes[q]
        if not known or key != previous:
            at = key & wrap
            while rows[at] != np.uint32(0xFFFFFFFF) and keys[at] != key:
                at = (at + np.uint64(1)) & wrap
            if rows[at] == np.uint32(0xFFFFFFFF):
                return q
            previous = key
            row = rows[at]
            known = True
        path[q] = row
    return last
