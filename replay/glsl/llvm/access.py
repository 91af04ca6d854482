"""Code that records what texture instructions touch, and the identity of fragments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from replay.glsl.llvm.record import BLOCK_TAPS, entry_function, tap_lanes
from replay.glsl.llvm.vectors import LANES, IntVec, LlvmOps, MaskVec, Scalar
from replay.glsl.llvm.writer import int_literal
from replay.glsl.texturing import MAX_TAPS, NO_LINE
from replay.glsl.vectorops import Vec, VectorOps

__all__ = ["AccessWriter", "IdentityWriter", "LookupAccess", "mix_identity"]


def mix_identity(ops: VectorOps, low: Vec, high: Vec, bits: Vec) -> tuple[Vec, Vec]:
    """Both halves of 64-bit identities after 32 more bits of input."""
    low = ops.imul(ops.ixor(low, bits), ops.iconst(0x9E3779B1))
    low = ops.ixor(low, ops.lshr(low, ops.iconst(15)))
    turned = ops.ior(ops.shl(bits, ops.iconst(16)), ops.lshr(bits, ops.iconst(16)))
    high = ops.imul(ops.ixor(ops.iadd(high, low), turned), ops.iconst(0x85EBCA77))
    return low, ops.ixor(high, ops.lshr(high, ops.iconst(13)))


class IdentityWriter:
    """Writes the code that computes a 64-bit identity for each lane."""

    def __init__(self, ops: LlvmOps) -> None:
        self._ops = ops
        self._low = ops.allocate(IntVec)
        self._high = ops.allocate(IntVec)

    def open(self, seed: Scalar) -> None:
        """Start a group from an i64 seed."""
        assign = self._ops.function.assign
        self._ops.put(self._ops.splat_i(assign(f"trunc i64 {seed} to i32")), self._low)
        high = assign(f"lshr i64 {seed}, 32")
        self._ops.put(self._ops.splat_i(assign(f"trunc i64 {high} to i32")), self._high)

    def mix(self, bits: IntVec, mask: MaskVec) -> None:
        """Mix in 32 bits in the lanes of the mask."""
        ops = self._ops
        low, high = ops.get(IntVec, self._low), ops.get(IntVec, self._high)
        new_low, new_high = mix_identity(ops, low, high, bits)
        ops.put(ops.select(mask, new_low, low), self._low)
        ops.put(ops.select(mask, new_high, high), self._high)

    def close(self, pointer: Scalar) -> None:
        """End a group: store 8 identities (uint64) at ``pointer``."""
        ops = self._ops
        low, high = ops.get(IntVec, self._low), ops.get(IntVec, self._high)
        order = ", ".join(f"i32 {lane}, i32 {lane + LANES}" for lane in range(LANES))
        pair = f"<{2 * LANES} x i32>"
        both = ops.function.assign(f"shufflevector {low.type} {low}, {high.type} {high}, {pair} <{order}>")
        ops.function.line(f"store {pair} {both}, ptr {pointer}, align 8")


class AccessWriter:
    """Writes the code that appends entries to the texture access record of a chunk.

    Parameters
    ----------
    ops : toolkit
    buffer, capacity, used : operands: pointer to the words, room in words (i64), words used so far (i64)
    """

    def __init__(self, ops: LlvmOps, buffer: Scalar, capacity: Scalar, used: Scalar) -> None:
        self.ops = self._ops = ops
        self._buffer = buffer
        self._capacity = capacity
        self._cursor = ops.function.allocate("i64")
        ops.function.line(f"store i64 {used}, ptr {self._cursor}, align 8")

    def append(
        self, group: Scalar, instruction: int, live: MaskVec, rows: Scalar, num_taps: int, texels: IntVec
    ) -> None:
        """Append one entry (layout: :mod:`replay.glsl.texturing`) if a lane is live.

        Parameters
        ----------
        rows : pointer to the line of each tap and lane, rows of 8 words, with room for a multiple of 4 rows
        """
        ops, assign, line = self._ops, self._ops.function.assign, self._ops.function.line
        if num_taps > MAX_TAPS:
            raise ValueError(f"a texture instruction reports {num_taps} taps, at most {MAX_TAPS} are possible")
        symbol = entry_function(ops.module, num_taps)
        live_bits = ops.mask_bits(live)
        with ops.when(assign(f"icmp ne i8 {live_bits}, 0")):
            lanes = assign(f"shl i32 {assign(f'zext i8 {live_bits} to i32')}, 16")
            head = assign(f"or i32 {lanes}, {int_literal(instruction)}")
            counts = ops.select(live, ops.umin(texels, ops.iconst(255)), ops.iconst(0))
            octets = assign(
                f"bitcast <{LANES} x i8> {assign(f'trunc {counts.type} {counts} to <{LANES} x i8>')} to i64"
            )
            taps = f"ptr {rows}, i32 {num_taps}, i64 {tap_lanes(num_taps)}"
            what = f"i32 {group}, i32 {head}, i64 {octets}"
            where = f"ptr {self._buffer}, i64 {self._capacity}, ptr {self._cursor}"
            line(f"call fastcc void {symbol}({taps}, {what}, {where})")

    def close(self, used: Scalar) -> None:
        """Store the words used at the pointer ``used``."""
        value = self._ops.function.assign(f"load i64, ptr {self._cursor}, align 8")
        self._ops.function.line(f"store i64 {value}, ptr {used}, align 8")


class LookupAccess:
    """The :class:`replay.glsl.texturing.TextureAccess` of one texture instruction."""

    def __init__(
        self,
        lines: AccessWriter | None,
        identity: IdentityWriter | None,
        group: Scalar,
        instruction: int,
        live: MaskVec,
    ) -> None:
        self._lines = lines
        self._identity = identity
        self._group = group
        self._instruction = instruction
        self._live = live
        self._touched = False

    @property
    def records_lines(self) -> bool:
        """Whether lines and texels are recorded."""
        return self._lines is not None

    @property
    def records_identity(self) -> bool:
        """Whether identities are computed."""
        return self._identity is not None

    def touch(self, taps: Sequence[tuple[Any, Any]], texels: Any) -> None:
        """Append the entry of this execution."""
        if self._lines is None:
            return
        ops = self._lines.ops
        rows = ops.allocate(IntVec, -(-max(len(taps), 1) // BLOCK_TAPS) * BLOCK_TAPS)
        for row, (lines, mask) in enumerate(taps):
            ops.store(lines if mask is None else ops.select(mask, lines, ops.iconst(NO_LINE)), rows, 4 * LANES * row)
        self.touch_rows(rows, len(taps), texels)

    def touch_rows(self, rows: Any, num_taps: int, texels: Any) -> None:
        """Append the entry of this execution from rows in memory."""
        if self._touched:
            raise ValueError(f"texture instruction {self._instruction} reports its taps twice")
        self._touched = True
        if self._lines is not None:
            self._lines.append(self._group, self._instruction, self._live, rows, num_taps, texels)

    def identify(self, bits: Any) -> None:
        """Mix the bits of the level of detail into the identity of live fragments."""
        if self._identity is not None:
            self._identity.mix(bits, self._live)
