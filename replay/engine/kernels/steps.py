"""Steps of paths from where they were logged to where a frame has them: shaders with loops have millions."""

from __future__ import annotations

from replay.kernels import Array, kernel

__all__ = ["pack_steps", "take_steps"]


@kernel("void(uint32[:, ::1], uint32[::1], int64[::1], uint32[::1])")
def pack_steps(log: Array, counts: Array, rows: Array, steps: Array) -> None:
    """Put logged steps one behind the other.

    Parameters
    ----------
    log : (N, capacity) steps
    counts : (rows,) steps of each row to take
    rows : of the log, in this order
    steps : filled
    """
    at = 0
    for place in range(rows.shape[0]):
        row = log[rows[place]]
        for step in range(counts[place]):
            steps[at + step] = row[step]
        at += counts[place]


@kernel("void(uint32[::1], int64[::1], int64[::1], uint32[::1], uint32[::1])")
def take_steps(steps: Array, ends: Array, rows: Array, counts: Array, taken: Array) -> None:
    """Steps of some paths, one behind the other.

    Parameters
    ----------
    steps, ends : steps of all paths, and where each path's end
    rows, counts : the paths to take, and steps of each
    taken : filled
    """
    at = 0
    for place in range(rows.shape[0]):
        begin = ends[rows[place]] - counts[place]
        for step in range(counts[place]):
            taken[at + step] = steps[begin + step]
        at += counts[place]
