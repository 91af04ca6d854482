"""Code for a compute stage with barriers: run by run, each over all groups of lanes of a work group.

Variables, and the masks of lanes that live from run to run, lie in a *frame* of memory a group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from replay.glsl.ir import Node, StageIR, Variable
from replay.glsl.llvm.abi import VECTOR_BYTES
from replay.glsl.llvm.vectors import LANES, MASK_BITS, LlvmOps, MaskVec, Scalar
from replay.glsl.passes.phases import (
    CONTROL_LANES,
    MAIN_MASK,
    RUNNING_MASK,
    Item,
    PhasedIf,
    PhasedLoop,
    PhasedStage,
    Run,
)

__all__ = ["FrameLayout", "PhaseWriter"]

_MASK_BYTES: Final = 32


class FrameLayout:
    """Where variables and masks of a group of lanes lie.

    Attributes
    ----------
    phases : the stage in runs
    variables : of the stage and of its runs
    offsets : of each variable, in bytes
    frame_bytes : of one group
    num_groups : of a work group
    """

    def __init__(self, stage: StageIR) -> None:
        self.phases = PhasedStage.of(stage)
        self.variables = [*stage.variables, *self.phases.spills]
        self.offsets: dict[Variable, int] = {}
        at = -(-self.phases.num_masks * _MASK_BYTES // VECTOR_BYTES) * VECTOR_BYTES
        for variable in self.variables:
            self.offsets[variable] = at
            at += max(variable.length, 1) * variable.type.width * VECTOR_BYTES
        self.frame_bytes = -(-at // 64) * 64
        x, y, z = stage.local_size
        self.num_groups = -(-(x * y * z or CONTROL_LANES) // LANES)

    def mask_offset(self, number: int) -> int:
        """Offset of a mask, in bytes."""
        return number * _MASK_BYTES


class PhaseWriter:
    """Writes all runs of a stage.

    Parameters
    ----------
    ops : toolkit
    layout : of the frames
    frames : pointer to the first frame
    count : groups of lanes (i32)
    covered : gives the lanes of a group that exist, by its number (i64)
    execute : writes the nodes of a run for one group: (nodes, group as i32, frame, mask, pointers to the masks of
        running and of continuing lanes) to the mask of those that reach the end and a function that gives a value
    count_iteration : writes what counts an iteration of a loop
    """

    def __init__(
        self,
        ops: LlvmOps,
        layout: FrameLayout,
        frames: Scalar,
        count: Scalar,
        covered: Callable[[Scalar], MaskVec],
        execute: Callable[
            [list[Node], Scalar, Scalar, MaskVec, Scalar, Scalar], tuple[MaskVec, Callable[..., MaskVec]]
        ],
        count_iteration: Callable[[], None],
    ) -> None:
        self._ops = ops
        self._layout = layout
        self._frames = frames
        self._count = count
        self._covered = covered
        self._execute = execute
        self._count_iteration = count_iteration

    def write(self) -> None:
        """Write the whole stage."""
        ops = self._ops
        ops.module.declare("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
        with self._groups() as (_, frame):
            size = self._layout.frame_bytes
            ops.function.line(f"call void @llvm.memset.p0.i64(ptr align 32 {frame}, i8 0, i64 {size}, i1 false)")
            for mask in (MAIN_MASK, RUNNING_MASK):
                self._put(frame, mask, ops.mask_const(True))
        self._items(self._layout.phases.items, MAIN_MASK, RUNNING_MASK)

    @contextmanager
    def _groups(self) -> Iterator[tuple[Scalar, Scalar]]:
        """The body runs for each group: (number as i32, frame)."""
        assign = self._ops.function.assign
        with self._ops.repeat(self._count) as number:
            place = assign(f"mul i64 {assign(f'zext i32 {number} to i64')}, {self._layout.frame_bytes}")
            yield number, self._ops.offset(self._frames, place)

    def _mask(self, frame: Scalar, number: int) -> Scalar:
        return self._ops.offset(frame, self._layout.mask_offset(number))

    def _get(self, frame: Scalar, number: int) -> MaskVec:
        return self._ops.get(MaskVec, self._mask(frame, number))

    def _put(self, frame: Scalar, number: int, value: MaskVec) -> None:
        self._ops.put(value, self._mask(frame, number))

    def _items(self, items: list[Item], mask: int, continued: int) -> None:
        """Write items for the lanes of a mask, which then holds those that reach the end."""
        for item in items:
            if isinstance(item, Run):
                self._run(item, mask, continued)
            elif isinstance(item, PhasedIf):
                self._if(item, mask, continued)
            else:
                self._loop(item, mask)

    def _run(self, run: Run, mask: int, continued: int) -> None:
        ops = self._ops
        with self._groups() as (number, frame):
            lanes = self._get(frame, mask)
            with ops.when(ops.any(lanes)):
                pointers = self._mask(frame, RUNNING_MASK), self._mask(frame, continued)
                reached, _ = self._execute(run.nodes, number, frame, lanes, *pointers)
                self._put(frame, mask, reached)

    def _flag(self) -> Scalar:
        flag = self._ops.function.allocate(MASK_BITS)
        self._ops.function.line(f"store {MASK_BITS} 0, ptr {flag}")
        return flag

    def _raise(self, flag: Scalar, lanes: MaskVec) -> None:
        assign = self._ops.function.assign
        both = assign(f"or {MASK_BITS} {assign(f'load {MASK_BITS}, ptr {flag}')}, {self._ops.mask_bits(lanes)}")
        self._ops.function.line(f"store {MASK_BITS} {both}, ptr {flag}")

    def _is_raised(self, flag: Scalar) -> Scalar:
        assign = self._ops.function.assign
        return assign(f"icmp ne {MASK_BITS} {assign(f'load {MASK_BITS}, ptr {flag}')}, 0")

    def _if(self, item: PhasedIf, mask: int, continued: int) -> None:
        ops = self._ops
        sides = list(zip(item.masks, (item.then, item.orelse), (self._flag(), self._flag()), strict=True))
        with self._groups() as (number, frame):
            lanes = self._get(frame, mask)
            pointers = self._mask(frame, RUNNING_MASK), self._mask(frame, continued)
            _, value = self._execute(item.test.nodes, number, frame, lanes, *pointers)
            condition = value(item.test.value)
            for (side, _, flag), chosen in zip(sides, (condition, ops.mask_not(condition)), strict=True):
                inside = ops.mask_and(lanes, chosen)
                self._put(frame, side, inside)
                self._raise(flag, inside)
        for side, items, flag in sides:
            if items:
                with ops.when(self._is_raised(flag)):
                    self._items(items, side, continued)
        with self._groups() as (_, frame):
            ends = ops.mask_or(self._get(frame, item.masks[0]), self._get(frame, item.masks[1]))
            self._put(frame, mask, ops.mask_and(ends, self._get(frame, RUNNING_MASK)))

    def _loop(self, item: PhasedLoop, mask: int) -> None:
        ops, function = self._ops, self._ops.function
        lanes, inside, continued = item.masks
        with self._groups() as (_, frame):
            self._put(frame, lanes, self._get(frame, mask))
        flag = function.allocate(MASK_BITS)
        head, body, end = (function.new_label(hint) for hint in ("loop", "body", "endloop"))
        function.jump(head)
        function.start(head)
        function.line(f"store {MASK_BITS} 0, ptr {flag}")
        with self._groups() as (number, frame):
            group = function.assign(f"zext i32 {number} to i64")
            going = ops.mask_and(self._get(frame, lanes), self._get(frame, RUNNING_MASK))
            going = ops.mask_and(going, self._covered(group))
            self._put(frame, inside, going)
            self._put(frame, continued, ops.mask_const(False))
            self._raise(flag, going)
        function.branch(self._is_raised(flag), body, end)
        function.start(body)
        self._count_iteration()
        self._items(item.body, inside, continued)
        with self._groups() as (_, frame):
            reached = ops.mask_or(self._get(frame, inside), self._get(frame, continued))
            self._put(frame, inside, ops.mask_and(reached, self._get(frame, RUNNING_MASK)))
        self._items(item.step, inside, continued)
        with self._groups() as (_, frame):
            self._put(frame, lanes, self._get(frame, inside))
        function.jump(head)
        function.start(end)
        with self._groups() as (_, frame):
            self._put(frame, mask, ops.mask_and(self._get(frame, mask), self._get(frame, RUNNING_MASK)))
