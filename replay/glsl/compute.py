"""Runs compute stages: work groups, and the built-in inputs of their invocations, for both executors.

Work groups run in the order of their numbers, x fastest. Those of a stage that has shared variables or barriers run one
by one, others many at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from replay.glsl.execution import DEFAULT_LOOP_BUDGET
from replay.glsl.ir import StageIR
from replay.glsl.llvm.abi import LANES
from replay.glsl.memory import MemoryKind
from replay.glsl.numpy_executor import LANES_PER_CHUNK, NumpyStage

__all__ = ["dispatch_llvm", "dispatch_numpy"]

Array = NDArray[Any]
Groups = tuple[int, int, int]


def _runs_alone(ir: StageIR) -> bool:
    """Tell whether each work group needs a run of its own."""
    shared = any(slot.kind is MemoryKind.SHARED for slot in ir.memories)
    return shared or any(instr.op == "barrier" for instr in ir.body.instructions())


def _batches(ir: StageIR, groups: Groups) -> Iterator[tuple[int, int]]:
    """(first work group, how many) of each run."""
    total = groups[0] * groups[1] * groups[2]
    x, y, z = ir.local_size
    size = 1 if _runs_alone(ir) else max(LANES_PER_CHUNK // (x * y * z), 1)
    for first in range(0, total, size):
        yield first, min(size, total - first)


def _split(numbers: Array, sizes: Groups) -> Array:
    """Coordinates ``(3, n)`` of numbers in a box, x fastest."""
    return np.stack([numbers % sizes[0], numbers // sizes[0] % sizes[1], numbers // (sizes[0] * sizes[1])])


def _inputs(ir: StageIR, groups: Groups, first: int, count: int) -> list[Array]:
    """Built-in inputs of the invocations of some work groups, ``(width, n)`` int32 each."""
    x, y, z = ir.local_size
    local = x * y * z
    lane = np.arange(count * local, dtype=np.int64)
    index = lane % local
    inside, group = _split(index, (x, y, z)), _split(first + lane // local, groups)
    size = np.array([[x], [y], [z]])
    values = {
        "gl_NumWorkGroups": np.broadcast_to(np.array(groups)[:, None], inside.shape),
        "gl_WorkGroupID": group,
        "gl_LocalInvocationID": inside,
        "gl_GlobalInvocationID": group * size + inside,
        "gl_LocalInvocationIndex": index[None],
    }
    return [values[slot.builtin].astype(np.uint32).view(np.int32) for slot in ir.inputs]


def _with_shared(ir: StageIR, memories: Sequence[Array]) -> tuple[list[Array], list[Array]]:
    """Memories of a run, those of shared variables new; gives these apart, too."""
    out = [
        np.zeros(slot.words, np.int32) if slot.kind is MemoryKind.SHARED else memory
        for slot, memory in zip(ir.memories, memories, strict=True)
    ]
    return out, [memory for slot, memory in zip(ir.memories, out, strict=True) if slot.kind is MemoryKind.SHARED]


def dispatch_numpy(
    stage: NumpyStage,
    groups: Groups,
    areas: Sequence[Array],
    memories: Sequence[Array],
    loop_budget: int = DEFAULT_LOOP_BUDGET,
) -> None:
    """Run a dispatch with the reference executor.

    Parameters
    ----------
    stage : compute stage
    groups : work groups along x, y, z
    areas : words of each ``StageIR.areas`` row
    memories : words of each ``StageIR.memories`` row, int32, changed in place; of shared variables anything

    Raises
    ------
    LoopBudgetError : the loops of a run took more than ``loop_budget`` iterations in all
    """
    ir = stage.ir
    own, shared = _with_shared(ir, memories)
    for first, count in _batches(ir, groups):
        for memory in shared:
            memory[:] = 0
        inputs = _inputs(ir, groups, first, count)
        lanes = count * ir.local_size[0] * ir.local_size[1] * ir.local_size[2]
        stage.run(lanes, inputs, areas, loop_budget=loop_budget, memories=own)


def dispatch_llvm(
    ir: StageIR,
    stage: Any,
    groups: Groups,
    areas: Sequence[Array],
    memories: Sequence[Array],
    descriptors: Sequence[Array] = (),
    loop_budget: int = DEFAULT_LOOP_BUDGET,
) -> None:
    """Run a dispatch with machine code; ``stage`` is the :class:`~replay.glsl.llvm.stage.LlvmStage` of ``ir``.

    Parameters are those of :func:`dispatch_numpy`; ``descriptors`` are the texture descriptors of each sampler slot.
    """
    from replay.glsl.llvm.stage import StageArguments

    own, shared = _with_shared(ir, memories)
    arguments = StageArguments()
    arguments.bind_areas([area if area.size else np.zeros(4, np.int32) for area in areas])
    arguments.bind_memories(own)
    arguments.bind_descriptors(descriptors)
    arguments.bind(outputs=np.zeros((1, LANES), np.int32))
    arguments.set(loop_budget=loop_budget)
    local = ir.local_size[0] * ir.local_size[1] * ir.local_size[2]
    for first, count in _batches(ir, groups):
        for memory in shared:
            memory[:] = 0
        lanes = count * local
        num_groups = -(-lanes // LANES)
        rows = np.zeros((max(stage.layout.num_input_rows, 1), num_groups * LANES), np.int32)
        for values, row in zip(_inputs(ir, groups, first, count), stage.layout.input_rows, strict=True):
            rows[row : row + len(values), :lanes] = values
        covered = np.zeros(num_groups * LANES, np.bool_)
        covered[:lanes] = True
        bits = np.packbits(covered.reshape(-1, 4), axis=1, bitorder="little")[:, 0]
        arguments.bind(inputs=rows, coverage=bits)
        stage.run(arguments, num_groups)
