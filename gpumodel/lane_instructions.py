"""Instructions of shader paths, lane by lane."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["lane_instructions"]


def lane_instructions(trace: FrameTrace) -> NDArray[np.int64]:
    """Instructions that each lane of each path executes, were it live.

    Returns
    -------
    (P, 4, 6) int64, by lane and InstructionKind; a path without steps runs all it issues in every lane
    """
    paths, steps, blocks = trace["paths"], trace["path_steps"], trace["blocks"]
    num_paths = paths.num_rows
    out = np.zeros((num_paths, 4, 6), np.int64)
    if num_paths == 0:
        return out
    has_steps = paths["step_count"] > 0
    out[~has_steps] = paths["issued"][~has_steps].astype(np.int64)[:, None, :]
    if not has_steps.any():
        return out
    kind = trace["instructions"]["kind"]
    first = blocks["instruction_first"].astype(np.int64)
    end = first + blocks["instruction_count"].astype(np.int64)
    block_kinds = np.zeros((blocks.num_rows, 6), np.int64)
    for number in range(6):
        running = np.concatenate([[0], np.cumsum(kind == number)])
        block_kinds[:, number] = running[end] - running[first]
    # Paths may share steps, so each path's range is cut out of running sums over all steps.
    begin = paths["step_first"].astype(np.int64)
    stop = begin + paths["step_count"].astype(np.int64)
    per_step = block_kinds[steps["block"]]
    for lane in range(4):
        running = np.zeros((steps.num_rows + 1, 6), np.int64)
        np.cumsum(per_step * (steps["active"] >> lane & 1)[:, None], axis=0, out=running[1:])
        out[has_steps, lane] = (running[stop] - running[begin])[has_steps]
    return out
