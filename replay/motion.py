"""Motion of blocks from one picture to the next, by full search."""

from __future__ import annotations

import numpy as np

from replay.kernels import Array, Int, kernel

__all__ = ["match_blocks"]


@kernel("void(uint8[:, ::1], uint8[:, ::1], int64, int64, int64[:, ::1], int64[:, ::1])")
def match_blocks(now: Array, following: Array, block: Int, reach: Int, steps: Array, found: Array) -> None:
    """Find where each block has gone: the first of the steps with the least sum of absolute differences.

    Parameters
    ----------
    now : (H, W) uint8
    following : (H + 2 * reach, W + 2 * reach) uint8, the next picture with a border
    block : side of the blocks, which fill H and W
    reach : most rows and columns of a step
    steps : (n, 2) rows down and columns to the right, in the order of preference
    found : (H / block, W / block) out, number of the step
    """
    for row in range(found.shape[0]):
        for column in range(found.shape[1]):
            top = row * block
            left = column * block
            best = 1 << 40
            for step in range(steps.shape[0]):
                down = top + reach + steps[step, 0]
                across = left + reach + steps[step, 1]
                error: Int = 0
                for y in range(block):
                    for x in range(block):
                        error += abs(np.int64(now[top + y, left + x]) - np.int64(following[down + y, across + x]))
                    if error >= best:
                        break
                if error < best:
                    best = error
                    found[row, column] = step
