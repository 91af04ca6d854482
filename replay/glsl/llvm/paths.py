"""The path of a quad or vertex: which blocks ran, in which lanes; step by step, or as a hash.

The *log* is the path itself. A step is ``block << 8 | helper << 4 | active`` with four-bit lane masks (``helper`` is a
part of ``active``); a vertex is one lane on its own and has mask 1. Only steps with an active lane exist, and only of
blocks that hold a machine instruction.

The *hash* tells paths apart at little cost. It is taken over the decisions that made the path: the masks at the
start, then, whenever some lane enters a branch or leaves by a jump, which branch or jump, which iteration of each
loop around it, and which lanes. Everything else follows from these, so equal hashes mean equal logs, but for
collisions of 64 bits. (Different hashes may mean equal logs: when lanes part and nothing is executed after.)
From 0, each decision ``d`` gives::

    hash = (hash ^ d) * 0x9E3779B97F4A7C15 mod 2**64;  hash ^= hash >> 32
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from replay.glsl.llvm.vectors import LANES, MASK_BITS, QUADS, LlvmOps, MaskVec, Scalar

__all__ = ["HASH_MULTIPLIER", "PathWriter", "extend_hash"]

HASH_MULTIPLIER: Final = 0x9E3779B97F4A7C15
_MULTIPLIER_LITERAL: Final = HASH_MULTIPLIER - (1 << 64)


def extend_hash(value: int, decision: int) -> int:
    """Hash after one more decision (what the compiled code computes)."""
    value = ((value ^ decision) * HASH_MULTIPLIER) & 0xFFFFFFFFFFFFFFFF
    return value ^ (value >> 32)


class PathWriter:
    """Writes the code that hashes or logs paths.

    Parameters
    ----------
    ops : toolkit
    per_lane : each lane has a path of its own (vertices); else each quad
    hashes, logs : what to record
    """

    def __init__(self, ops: LlvmOps, *, per_lane: bool, hashes: bool, logs: bool) -> None:
        self._ops = ops
        self._per_lane = per_lane
        self.hashes = hashes
        self._logs = logs
        self._units = LANES if per_lane else QUADS
        self._vector = f"<{self._units} x i64>"
        self._choice = f"<{self._units} x i1>"
        self._counters = f"<{self._units} x i32>"
        self._hash = ops.function.allocate(self._vector) if hashes else ""
        self._counts = ops.function.allocate(self._counters) if logs else ""
        self._log = self._capacity = ""
        self._num_decisions = 0

    def open(self, log: Scalar, capacity: Scalar) -> None:
        """Start a group; ``log`` points to the steps of its first unit, ``capacity`` (i64) is a unit's room."""
        line = self._ops.function.line
        if self.hashes:
            line(f"store {self._vector} zeroinitializer, ptr {self._hash}, align 32")
        if self._logs:
            line(f"store {self._counters} zeroinitializer, ptr {self._counts}, align 32")
            self._log, self._capacity = log, capacity

    def _nibbles(self, mask: MaskVec) -> Scalar:
        """Lane mask of each unit, as a vector of i64 (per lane: 0 or 1)."""
        assign = self._ops.function.assign
        if self._per_lane:
            return assign(f"zext {self._choice} {mask} to {self._vector}")
        bits = assign(f"zext {MASK_BITS} {self._ops.mask_bits(mask)} to i64")
        both = assign(f"insertelement {self._vector} poison, i64 {bits}, i32 0")
        both = assign(
            f"shufflevector {self._vector} {both}, {self._vector} poison, <{self._units} x i32> zeroinitializer"
        )
        shifts = ", ".join(f"i64 {4 * quad}" for quad in range(QUADS))
        return assign(f"and {self._vector} {assign(f'lshr {self._vector} {both}, <{shifts}>')}, splat (i64 15)")

    def _step(self, block: int, mask: MaskVec, live: MaskVec) -> tuple[Scalar, Scalar]:
        """(step of each unit, whether the unit is active)."""
        assign = self._ops.function.assign
        active = self._nibbles(mask)
        helper = self._nibbles(self._ops.mask_and(mask, self._ops.mask_not(live)))
        masks = assign(f"or {self._vector} {active}, {assign(f'shl {self._vector} {helper}, splat (i64 4)')}")
        exists = assign(f"icmp ne {self._vector} {active}, zeroinitializer")
        return assign(f"or {self._vector} {masks}, splat (i64 {block << 8})"), exists

    # ------------------------------------------------------------------ hashes
    def begin(self, mask: MaskVec, live: MaskVec) -> None:
        """Hash the masks at the start of the stage."""
        if self.hashes:
            self._mix(*self._step(0, mask, live))

    def decide(self, mask: MaskVec, iterations: Sequence[Scalar]) -> None:
        """Hash that the lanes of the mask take the way that begins here.

        Parameters
        ----------
        mask : lanes, at least one in most executions
        iterations : number of the iteration (i32) of each loop around this place, outermost first
        """
        if not self.hashes:
            return
        assign = self._ops.function.assign
        self._num_decisions += 1
        place = str(self._num_decisions)
        for iteration in iterations:
            wide = assign(f"zext i32 {iteration} to i64")
            place = assign(f"add i64 {assign(f'mul i64 {place}, {_MULTIPLIER_LITERAL}')}, {wide}")
        place = assign(f"shl i64 {place}, 4")
        lanes = self._nibbles(mask)
        vector = self._vector
        places = assign(f"insertelement {vector} poison, i64 {place}, i32 0")
        spread = f"<{self._units} x i32> zeroinitializer"
        places = assign(f"shufflevector {vector} {places}, {vector} poison, {spread}")
        exists = assign(f"icmp ne {vector} {lanes}, zeroinitializer")
        self._mix(assign(f"or {vector} {places}, {lanes}"), exists)

    def _mix(self, decisions: Scalar, exists: Scalar) -> None:
        assign = self._ops.function.assign
        old = assign(f"load {self._vector}, ptr {self._hash}, align 32")
        mixed = assign(f"xor {self._vector} {old}, {decisions}")
        mixed = assign(f"mul {self._vector} {mixed}, splat (i64 {_MULTIPLIER_LITERAL})")
        high = assign(f"lshr {self._vector} {mixed}, splat (i64 32)")
        mixed = assign(f"xor {self._vector} {mixed}, {high}")
        new = assign(f"select {self._choice} {exists}, {self._vector} {mixed}, {self._vector} {old}")
        self._ops.function.line(f"store {self._vector} {new}, ptr {self._hash}, align 32")

    # ------------------------------------------------------------------ logs
    def step(self, block: int, mask: MaskVec, live: MaskVec) -> None:
        """Log a block about to run in the lanes of ``mask``."""
        if not self._logs:
            return
        ops, assign, line = self._ops, self._ops.function.assign, self._ops.function.line
        steps, exists = self._step(block, mask, live)
        counts = assign(f"load {self._counters}, ptr {self._counts}, align 32")
        for unit in range(self._units):
            happens = assign(f"extractelement {self._choice} {exists}, i32 {unit}")
            count = assign(f"extractelement {self._counters} {counts}, i32 {unit}")
            wide = assign(f"zext i32 {count} to i64")
            fits = assign(f"icmp ult i64 {wide}, {self._capacity}")
            with ops.when(assign(f"and i1 {happens}, {fits}")):
                row = assign(f"mul i64 {self._capacity}, {unit}")
                place = assign(f"getelementptr i32, ptr {self._log}, i64 {assign(f'add i64 {row}, {wide}')}")
                step = assign(f"extractelement {self._vector} {steps}, i32 {unit}")
                line(f"store i32 {assign(f'trunc i64 {step} to i32')}, ptr {place}, align 4")
        one = assign(f"zext {self._choice} {exists} to {self._counters}")
        line(f"store {self._counters} {assign(f'add {self._counters} {counts}, {one}')}, ptr {self._counts}, align 32")

    def close(self, hashes: Scalar, counts: Scalar) -> None:
        """End a group: store the hashes at ``hashes`` and the numbers of steps at ``counts``."""
        assign, line = self._ops.function.assign, self._ops.function.line
        if self.hashes:
            value = assign(f"load {self._vector}, ptr {self._hash}, align 32")
            line(f"store {self._vector} {value}, ptr {hashes}, align 8")
        if self._logs:
            value = assign(f"load {self._counters}, ptr {self._counts}, align 32")
            line(f"store {self._counters} {value}, ptr {counts}, align 4")
