"""The path of a quad or vertex: which blocks ran, in which lanes; as a hash, or step by step.

A step is ``block << 8 | helper << 4 | active`` with four-bit lane masks (``helper`` is a part of ``active``); a vertex
is one lane on its own and has mask 1. Only steps with an active lane exist, and only of blocks that hold a machine
instruction.

The *log* holds every step. The *hash* is taken over the steps at which the lane masks may have changed since the last
hashed one: all others follow from them, so equal hashes mean equal logs (but for collisions of 64 bits)::

    hash = (hash ^ step) * 0x9E3779B97F4A7C15 mod 2**64;  hash ^= hash >> 32         starting from 0
"""

from __future__ import annotations

from typing import Final

from replay.glsl.llvm.vectors import LANES, LlvmOps, MaskVec, Scalar

__all__ = ["HASH_MULTIPLIER", "PathWriter", "extend_hash"]

HASH_MULTIPLIER: Final = 0x9E3779B97F4A7C15
_MULTIPLIER_LITERAL: Final = HASH_MULTIPLIER - (1 << 64)


def extend_hash(value: int, step: int) -> int:
    """Hash after one more step (what the compiled code computes)."""
    value = ((value ^ step) * HASH_MULTIPLIER) & 0xFFFFFFFFFFFFFFFF
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
        self._hashes = hashes
        self._logs = logs
        self._units = LANES if per_lane else 2
        self._vector = f"<{self._units} x i64>"
        self._hash = ops.function.allocate(self._vector) if hashes else ""
        self._counts = ops.function.allocate(f"<{self._units} x i32>") if logs else ""
        self._log = self._capacity = ""

    def open(self, log: Scalar, capacity: Scalar) -> None:
        """Start a group; ``log`` points to the steps of its first unit, ``capacity`` (i64) is a unit's room."""
        line = self._ops.function.line
        if self._hashes:
            line(f"store {self._vector} zeroinitializer, ptr {self._hash}, align 32")
        if self._logs:
            line(f"store <{self._units} x i32> zeroinitializer, ptr {self._counts}, align 32")
            self._log, self._capacity = log, capacity

    def _steps(self, block: int, mask: MaskVec, live: MaskVec) -> tuple[Scalar, Scalar]:
        """(steps as a vector of i64, units that are active as a vector of i1)."""
        assign = self._ops.function.assign
        if self._per_lane:
            return f"splat (i64 {block << 8 | 1})", mask
        active = assign(f"zext i8 {self._ops.mask_bits(mask)} to i64")
        helper_bits = self._ops.mask_bits(self._ops.mask_and(mask, self._ops.mask_not(live)))
        helper = assign(f"zext i8 {helper_bits} to i64")
        units = []
        for word in (active, helper):
            both = assign(f"insertelement {self._vector} poison, i64 {word}, i32 0")
            both = assign(f"shufflevector {self._vector} {both}, {self._vector} poison, <2 x i32> zeroinitializer")
            both = assign(f"lshr {self._vector} {both}, <i64 0, i64 4>")
            units.append(assign(f"and {self._vector} {both}, splat (i64 15)"))
        exists = assign(f"icmp ne {self._vector} {units[0]}, zeroinitializer")
        shifted = assign(f"shl {self._vector} {units[1]}, splat (i64 4)")
        masks = assign(f"or {self._vector} {units[0]}, {shifted}")
        return assign(f"or {self._vector} {masks}, splat (i64 {block << 8})"), exists

    def step(self, block: int, mask: MaskVec, live: MaskVec, *, changed: bool) -> None:
        """Record a block about to run in ``mask``; ``changed``: the masks may differ from the last hashed step's."""
        hashes = self._hashes and changed
        if not hashes and not self._logs:
            return
        assign, line = self._ops.function.assign, self._ops.function.line
        steps, exists = self._steps(block, mask, live)
        if hashes:
            old = assign(f"load {self._vector}, ptr {self._hash}, align 32")
            mixed = assign(f"xor {self._vector} {old}, {steps}")
            mixed = assign(f"mul {self._vector} {mixed}, splat (i64 {_MULTIPLIER_LITERAL})")
            high = assign(f"lshr {self._vector} {mixed}, splat (i64 32)")
            mixed = assign(f"xor {self._vector} {mixed}, {high}")
            new = assign(f"select <{self._units} x i1> {exists}, {self._vector} {mixed}, {self._vector} {old}")
            line(f"store {self._vector} {new}, ptr {self._hash}, align 32")
        if self._logs:
            self._append(steps, exists)

    def _append(self, steps: Scalar, exists: Scalar) -> None:
        ops, assign, line = self._ops, self._ops.function.assign, self._ops.function.line
        counts_type = f"<{self._units} x i32>"
        counts = assign(f"load {counts_type}, ptr {self._counts}, align 32")
        for unit in range(self._units):
            happens = assign(f"extractelement <{self._units} x i1> {exists}, i32 {unit}")
            count = assign(f"extractelement {counts_type} {counts}, i32 {unit}")
            wide = assign(f"zext i32 {count} to i64")
            fits = assign(f"icmp ult i64 {wide}, {self._capacity}")
            with ops.when(assign(f"and i1 {happens}, {fits}")):
                row = assign(f"mul i64 {self._capacity}, {unit}")
                place = assign(f"getelementptr i32, ptr {self._log}, i64 {assign(f'add i64 {row}, {wide}')}")
                step = assign(f"extractelement {self._vector} {steps}, i32 {unit}")
                line(f"store i32 {assign(f'trunc i64 {step} to i32')}, ptr {place}, align 4")
        one = assign(f"zext <{self._units} x i1> {exists} to {counts_type}")
        line(f"store {counts_type} {assign(f'add {counts_type} {counts}, {one}')}, ptr {self._counts}, align 32")

    def close(self, hashes: Scalar, counts: Scalar) -> None:
        """End a group: store the hashes at ``hashes`` and the numbers of steps at ``counts``."""
        assign, line = self._ops.function.assign, self._ops.function.line
        if self._hashes:
            value = assign(f"load {self._vector}, ptr {self._hash}, align 32")
            line(f"store {self._vector} {value}, ptr {hashes}, align 8")
        if self._logs:
            counts_type = f"<{self._units} x i32>"
            value = assign(f"load {counts_type}, ptr {self._counts}, align 32")
            line(f"store {counts_type} {value}, ptr {counts}, align 4")
