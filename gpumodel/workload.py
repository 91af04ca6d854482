"""Instructions executed: from the shader paths of a frame and the lanes that lived."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.frametrace import FrameTrace

if TYPE_CHECKING:
    from gpumodel.pass_run import PassRun
    from gpumodel.streams import PassStreams, PassTables

__all__ = ["KIND_NAMES", "Workload"]

#: InstructionKind by number.
KIND_NAMES: Final = ("alu", "transcendental", "move", "texture", "control", "kill")
_SUMS: Final = (
    *(f"{stage}.executed.{name}" for stage in ("vs", "fs") for name in KIND_NAMES), "vs.issue_cycles",
    "passes", "draws", "vertices.in", "tiles.total", "parameter_buffer.overflows",
)  # fmt: skip
_ONES: Final = np.array([bin(mask).count("1") for mask in range(16)], np.int64)


class Workload:
    """What the machine was given to do and has done in a frame, pass by pass."""

    def __init__(self) -> None:
        self._counters: dict[str, int] = dict.fromkeys(_SUMS, 0)
        self._largest = 0

    def add(self, tables: PassTables, done: PassRun) -> None:
        """Take a pass, or a part of one, that is done."""
        counters, trace, arranged = self._counters, tables.trace, done.streams
        if arranged.part.number == 0:
            counters["passes"] += 1
            counters["draws"] += int(trace["passes"]["draw_count"][arranged.index])
            counters["vertices.in"] += trace["vertices"].num_rows
            counters["tiles.total"] += len(arranged.tiles)
        else:
            counters["parameter_buffer.overflows"] += 1
        self._largest = max(self._largest, arranged.parameter_bytes)
        for name, value in _count_instructions(trace, arranged).items():
            counters[name] += value

    def counters(self) -> dict[str, int]:
        """``vs.executed.KIND`` and ``fs.executed.KIND`` (instructions times live lanes), ``vs.issue_cycles``,
        ``vs.instructions``, ``fs.alu_instructions``, ``fs.tex_instructions``, and what was given.
        """
        out = self._counters | {"parameter_buffer.bytes": self._largest}
        executed = {
            stage: [out[f"{stage}.executed.{name}"] for name in KIND_NAMES] for stage in ("vs", "fs")
        }  # fmt: skip
        out["vs.instructions"] = sum(executed["vs"]) - executed["vs"][KIND_NAMES.index("move")]
        out["fs.alu_instructions"] = executed["fs"][0] + executed["fs"][1]
        out["fs.tex_instructions"] = executed["fs"][KIND_NAMES.index("texture")]
        return out


def _count_instructions(trace: FrameTrace, arranged: PassStreams) -> dict[str, int]:
    """Count instructions of a pass's shaded vertices and of its fragments that were shaded."""
    num_paths = trace["paths"].num_rows
    count = arranged.num_quads
    path = trace["quads"]["path"][arranged.quads["row"][:count]].astype(np.int64)
    pairs = np.bincount(path * 16 + arranged.executed[:count], minlength=num_paths * 16)
    vertices = np.zeros(num_paths, np.int64)
    out = {"vs.issue_cycles": 0}
    v0, v1 = arranged.rows
    if v1 > v0:
        shaded = arranged.vertices["shaded"] != 0
        vertices += np.bincount(trace["vertices"]["path"][v0:v1][shaded], minlength=num_paths)
        out["vs.issue_cycles"] = int(arranged.vertices["cycles"][shaded].sum())
    issued = trace["paths"]["issued"].astype(np.int64) if num_paths else np.zeros((0, 6), np.int64)
    fragment = _executed(trace, pairs.reshape(num_paths, 16), issued)
    for stage, counts in (("vs", vertices @ issued), ("fs", fragment)):
        for kind, name in enumerate(KIND_NAMES):
            out[f"{stage}.executed.{name}"] = int(counts[kind])
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
