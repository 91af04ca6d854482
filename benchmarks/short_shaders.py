"""Frames with shorter fragment shaders: the what-if of an input that shades for less.

Of each fragment program every instruction that is no texture look-up and no kill is kept or becomes a move (which takes
no cycle on any preset, and no operation), so that a share of them is left, spread evenly over the program. All else of
the frame, texture look-ups and colours among it, is as it was.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.frametrace import FrameTrace, InstructionKind, Table

__all__ = ["instructions_per_fragment", "shorten"]

_FRAGMENT = 1
#: What becomes a move.
_WORK = (InstructionKind.ALU, InstructionKind.TRANSCENDENTAL, InstructionKind.CONTROL)


def _kinds(trace: FrameTrace, share: float) -> NDArray[np.uint8]:
    """``instructions.kind`` with a share of each fragment program's work."""
    programs, blocks = trace["programs"], trace["blocks"]
    kind = trace["instructions"]["kind"].copy()
    for row in np.flatnonzero(programs["stage"] == _FRAGMENT):
        b0 = int(programs["block_first"][row])
        mine = slice(b0, b0 + int(programs["block_count"][row]))
        first, count = (blocks[f"instruction_{name}"][mine].astype(np.int64) for name in ("first", "count"))
        own = np.concatenate([np.arange(a, a + n) for a, n in zip(first, count, strict=True)] or [np.zeros(0, int)])
        work = own[np.isin(kind[own], _WORK)]
        place = np.arange(len(work))
        left = np.floor((place + 1) * share) > np.floor(place * share)
        kind[work[~left]] = InstructionKind.MOVE
    return kind


def instructions_per_fragment(trace: FrameTrace) -> tuple[float, float]:
    """Mean over the frame's fragments, hidden ones among them: instructions without moves, and those :func:`shorten`
    can take away.
    """
    quads, paths = trace["quads"], trace["paths"]
    fragments = int(np.bitwise_count(quads["coverage"]).sum())
    executed = paths["executed"].astype(np.int64)
    ran = executed * np.bincount(quads["path"], minlength=paths.num_rows)[:, None]
    total = ran.sum() - ran[:, InstructionKind.MOVE].sum()
    return float(total / max(fragments, 1)), float(ran[:, list(_WORK)].sum() / max(fragments, 1))


def shorten(trace: FrameTrace, share: float) -> FrameTrace:
    """Leave a share of the fragment programs' work.

    Parameters
    ----------
    trace : a frame with the model's columns
    share : of the instructions that are left, 0 to 1; paths whose steps are not known are cut in proportion
    """
    paths, steps, blocks = trace["paths"], trace["path_steps"], trace["blocks"]
    kind = _kinds(trace, share)
    kinds = len(InstructionKind)

    def counts(kind: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Instructions of each block by kind."""
        before = np.zeros((len(kind) + 1, kinds), np.int64)
        np.cumsum(np.eye(kinds, dtype=np.int64)[kind], axis=0, out=before[1:])
        first = blocks["instruction_first"].astype(np.int64)
        return before[first + blocks["instruction_count"]] - before[first]

    change = counts(kind) - counts(trace["instructions"]["kind"])
    lanes = np.bitwise_count(steps["active"] & ~steps["helper"]).astype(np.int64)[:, None]
    of_step = change[steps["block"]]
    fragment = trace["programs"]["stage"][paths["program"]] == _FRAGMENT
    new = dict(paths.items())
    for name, weight in (("issued", 1), ("executed", lanes)):
        total = np.zeros((len(of_step) + 1, kinds), np.int64)
        np.cumsum(of_step * weight, axis=0, out=total[1:])
        first = paths["step_first"].astype(np.int64)
        count = paths["step_count"].astype(np.int64)
        end = np.where(count > 0, first + count, first)
        column = paths[name].astype(np.int64) + (total[end] - total[first])
        unknown = np.flatnonzero(fragment & (count == 0))
        for work in _WORK:
            lost = column[unknown, work] - np.floor(column[unknown, work] * share).astype(np.int64)
            column[unknown, work] -= lost
            column[unknown, InstructionKind.MOVE] += lost
        new[name] = column.astype(np.uint32)
    tables = dict(trace.tables)
    tables["paths"] = Table("paths", new)
    tables["instructions"] = Table("instructions", dict(trace["instructions"].items()) | {"kind": kind})
    return replace(trace, tables=tables)
