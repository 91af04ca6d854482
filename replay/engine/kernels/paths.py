"""Numbering of the paths that quads and vertices took through a shader, from their hashes."""

from __future__ import annotations

import numba
import numpy as np

from replay.kernels import Array, Int, kernel

__all__ = ["add_paths", "count_instructions", "find_new", "number_paths", "number_straight", "order_of_coverages"]

_FREE = np.uint32(0xFFFFFFFF)
#: Lanes in each of 16 masks, three bits a mask.
_LANES = sum(mask.bit_count() << 3 * mask for mask in range(16))


@kernel("void(uint64[::1], uint32[::1], uint64[::1], uint32[::1])")
def add_paths(keys: Array, rows: Array, new_keys: Array, new_rows: Array) -> None:
    """Enter paths into the table.

    Parameters
    ----------
    keys, rows : hash table of a power of two entries; row 0xFFFFFFFF = free
    new_keys, new_rows : hashes of the paths and their numbers
    """
    wrap = np.uint64(keys.shape[0] - 1)
    for i in range(new_keys.shape[0]):
        key = new_keys[i]
        at = key & wrap
        while rows[at] != _FREE and keys[at] != key:
            at = (at + np.uint64(1)) & wrap
        keys[at] = key
        rows[at] = new_rows[i]


@kernel("int64(uint64[::1], uint32[::1], uint64[::1], int64[::1], int64[::1])")
def find_new(keys: Array, rows: Array, hashes: Array, places: Array, seen: Array) -> Int:
    """Find the paths that the table has not.

    Parameters
    ----------
    keys, rows : the table, see :func:`add_paths`
    places : where the first of each is among ``hashes``, in that order
    seen : working memory, twice as many as places and a power of two, all -1

    Returns
    -------
    How many there are; as many as places if these were too few.
    """
    wrap = np.uint64(keys.shape[0] - 1)
    seen_wrap = np.uint64(seen.shape[0] - 1)
    count = 0
    for quad in range(hashes.shape[0]):
        key = hashes[quad]
        if quad and key == hashes[quad - 1]:
            continue
        at = key & wrap
        while rows[at] != _FREE and keys[at] != key:
            at = (at + np.uint64(1)) & wrap
        if rows[at] != _FREE:
            continue
        at = key & seen_wrap
        while seen[at] >= 0 and hashes[seen[at]] != key:
            at = (at + np.uint64(1)) & seen_wrap
        if seen[at] >= 0:
            continue
        if count == places.shape[0]:
            return count
        seen[at] = quad
        places[count] = quad
        count += 1
    return count


@kernel("void(int64[:, ::1], uint32[::1], uint32[::1], uint32[:, ::1], uint32[:, ::1])")
def count_instructions(kinds: Array, steps: Array, counts: Array, issued: Array, executed: Array) -> None:
    """Count the instructions of paths by kind, the issued ones and those that lanes which count execute.

    Parameters
    ----------
    kinds : (blocks, kinds) instructions of each block
    steps, counts : steps of all paths one behind the other, and how many each has
    """
    num_blocks, num_kinds = kinds.shape
    # How often a path enters each block, and below that with how many lanes: loops enter few blocks many times.
    entered = np.empty(num_blocks, np.int64)
    at = 0
    for path in range(counts.shape[0]):
        entered[:] = 0
        for _ in range(counts[path]):
            step = steps[at]
            at += 1
            lanes = np.int64(step & ~(step >> np.uint32(4)) & np.uint32(15))
            entered[step >> np.uint32(8)] += 1 << 32 | _LANES >> 3 * lanes & 7
        for kind in range(num_kinds):
            all_issued: Int = 0
            all_executed: Int = 0
            for number in range(num_blocks):
                all_issued += kinds[number, kind] * (entered[number] >> 32)
                all_executed += kinds[number, kind] * (entered[number] & 0xFFFFFFFF)
            issued[path, kind] = min(all_issued, 0xFFFFFFFF)
            executed[path, kind] = min(all_executed, 0xFFFFFFFF)


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
    for quad in range(first, last):
        key = hashes[quad]
        if not known or key != previous:
            at = key & wrap
            while rows[at] != np.uint32(0xFFFFFFFF) and keys[at] != key:
                at = (at + np.uint64(1)) & wrap
            if rows[at] == np.uint32(0xFFFFFFFF):
                return quad
            previous = key
            row = rows[at]
            known = True
        path[quad] = row
    return last


@kernel("int64(uint32[::1], uint8[::1], uint32[::1])")
def number_straight(straight: Array, coverage: Array, path: Array) -> Int:
    """Give quads of a stage without control flow the paths of their coverages.

    Parameters
    ----------
    straight : (16,) path of each coverage

    Returns
    -------
    Bits of the coverages that have none.
    """
    seen = np.int64(0)
    for quad in range(coverage.shape[0]):
        mask = coverage[quad] & np.uint8(15)
        seen |= np.int64(1) << np.int64(mask)
        path[quad] = straight[mask]
    missing = np.int64(0)
    for mask in range(16):
        if seen >> mask & 1 and straight[mask] == _FREE:
            missing |= np.int64(1) << mask
    return missing


@kernel("int64(uint8[::1], int64, int64, int64[::1])")
def order_of_coverages(coverage: Array, group: Int, wanted: Int, order: Array) -> Int:
    """Find out in which order coverages are to have paths: group by group of quads, within one in ascending order.

    Parameters
    ----------
    group : quads of a group
    wanted : bits of the coverages that are asked for
    order : (16,) receives them

    Returns
    -------
    How many of them there are.
    """
    count = 0
    first = 0
    while wanted and first < coverage.shape[0]:
        last = min(first + group, coverage.shape[0])
        seen = np.int64(0)
        for quad in range(first, last):
            seen |= np.int64(1) << np.int64(coverage[quad] & np.uint8(15))
        seen &= wanted
        wanted &= ~seen
        for mask in range(16):
            if seen >> mask & 1:
                order[count] = mask
                count += 1
        first = last
    return count
