"""Code that records what texture instructions touch, and the identity of fragments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from replay.glsl.llvm.record import Recorder, Touched
from replay.glsl.llvm.vectors import LANES, IntVec, LlvmOps, MaskVec, Scalar
from replay.glsl.texturing import MAX_TAPS, LineBox
from replay.glsl.vectorops import Vec, VectorOps

__all__ = ["IdentityWriter", "LookupAccess", "mix_identity"]


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


class LookupAccess:
    """The :class:`replay.glsl.texturing.TextureAccess` of one texture instruction.

    Parameters
    ----------
    ops : toolkit of the function that has the instruction
    recorder : of the group; None: nothing is recorded
    identity : computes identities, or None
    instruction : its number
    live : lanes that are recorded
    """

    def __init__(
        self,
        ops: LlvmOps,
        recorder: Recorder | None,
        identity: IdentityWriter | None,
        instruction: int,
        live: MaskVec,
    ) -> None:
        self._ops = ops
        self._recorder = recorder
        self._identity = identity
        self._instruction = instruction
        self._live = live
        self._touched = False

    @property
    def records_lines(self) -> bool:
        """Whether lines and texels are recorded."""
        return self._recorder is not None

    @property
    def records_identity(self) -> bool:
        """Whether identities are computed."""
        return self._identity is not None

    def operands(self) -> list[tuple[str, Scalar]]:
        """Type and value of what :meth:`touch` needs; none if nothing is recorded."""
        return [] if self._recorder is None else self._recorder.operands(self._ops, self._instruction, self._live)

    def expect(self, taps: int) -> None:
        """Provide for what :meth:`touch` appends."""
        if taps > MAX_TAPS:
            raise ValueError(f"a texture instruction reports {taps} taps, at most {MAX_TAPS} are possible")
        if self._recorder is not None:
            self._recorder.expect(taps)

    def touch(
        self,
        ops: LlvmOps,
        operands: Sequence[Scalar],
        lines: Sequence[IntVec],
        texels: IntVec,
        boxes: Sequence[LineBox],
    ) -> None:
        """Append this execution to the record."""
        if self._touched:
            raise ValueError(f"texture instruction {self._instruction} reports its taps twice")
        self._touched = True
        if self._recorder is not None:
            self._recorder.append(ops, operands, Touched(lines, texels, boxes))

    def identify(self, bits: Any) -> None:
        """Mix the bits of the level of detail into the identity of live fragments."""
        if self._identity is not None:
            self._identity.mix(bits, self._live)
