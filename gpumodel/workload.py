"""Instructions executed: from the shader paths of a frame and the lanes that lived."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.frametrace import FrameTrace

if TYPE_CHECKING:
    from gpumodel.pass_run import PassRun
    from gpumodel.streams import FrameStreams

__all__ = ["KIND_NAMES", "count_instructions"]

#: InstructionKind by number.
KIND_NAMES: Final = ("alu", "transcendental", "move", "texture", "control", "kill")
_ONES: Final = np.array([bin(mask).count("1") for mask in range(16)], np.int64)


def count_instructions(streams: FrameStreams, passes: Sequence[PassRun]) -> dict[str, int]:
    """Count instructions of shaded vertices and of fragments that were shaded.

    Returns
    -------
    ``vs.executed.KIND`` and ``fs.executed.KIND`` (instructions times live lanes), ``vs.issue_cycles``,
    ``vs.instructions``, ``fs.alu_instructions`` and ``fs.tex_instructions``
    """
    trace = streams.trace
    num_paths = trace["paths"].num_rows
    pairs = np.zeros(num_paths * 16, np.int64)
    vertices = np.zeros(num_paths, np.int64)
    issue_cycles = 0
    for done in passes:
        arranged = done.streams
        count = arranged.quad_rows[1] - arranged.quad_rows[0]
        mask = arranged.executed[:count]
        path = trace["quads"]["path"][arranged.quads["row"][:count]].astype(np.int64)
        pairs += np.bincount(path * 16 + mask, minlength=num_paths * 16)
        v0, v1 = arranged.rows
        if v1 > v0:
            shaded = arranged.vertices["shaded"] != 0
            vertices += np.bincount(trace["vertices"]["path"][v0:v1][shaded], minlength=num_paths)
            issue_cycles += int(arranged.vertices["cycles"][shaded].sum())
    issued = trace["paths"]["issued"].astype(np.int64) if num_paths else np.zeros((0, 6), np.int64)
    fragment = _executed(trace, pairs.reshape(num_paths, 16), issued)
    vertex = vertices @ issued
    out: dict[str, int] = {"vs.issue_cycles": issue_cycles}
    for stage, counts in (("vs", vertex), ("fs", fragment)):
        for kind, name in enumerate(KIND_NAMES):
            out[f"{stage}.executed.{name}"] = int(counts[kind])
    move = KIND_NAMES.index("move")
    out["vs.instructions"] = int(vertex.sum() - vertex[move])
    out["fs.alu_instructions"] = int(fragment[0] + fragment[1])
    out["fs.tex_instructions"] = int(fragment[KIND_NAMES.index("texture")])
    return out


def _executed(trace: FrameTrace, quads: NDArray[np.int64], issued: NDArray[np.int64]) -> NDArray[Any]:
    """Instructions times live lanes by kind, for so many quads of each path and lane mask."""
    paths, steps, blocks = trace["paths"], trace["path_steps"], trace["blocks"]
    total = np.zeros(6, np.int64)
    has_steps = paths["step_count"] > 0
    # Without steps, every instruction runs in every live lane.
    total += (quads[~has_steps] @ _ONES) @ issued[~has_steps]
    if not has_steps.any():
        return total
    kinds = np.zeros((blocks.num_rows, 6), np.int64)
    first, count = blocks["instruction_first"].astype(np.int64), blocks["instruction_count"].astype(np.int64)
    kind = trace["instructions"]["kind"]
    for number in range(6):
        running = np.concatenate([[0], np.cumsum(kind == number)])
        kinds[:, number] = running[first + count] - running[first]
    begin = paths["step_first"].astype(np.int64)
    end = begin + paths["step_count"]
    for path in np.flatnonzero(has_steps & (quads[:, 1:].any(axis=1))):
        active = steps["active"][begin[path] : end[path]]
        lanes = sum(int(quads[path, mask]) * _ONES[active & mask] for mask in range(1, 16) if quads[path, mask])
        total += lanes @ kinds[steps["block"][begin[path] : end[path]]]
    return total
