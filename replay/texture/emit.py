"""LLVM code for texture instructions: :mod:`replay.texture.sampling` over the LLVM toolkit."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import accumulate
from typing import Any, Final

from replay.glsl.llvm.vectors import IVEC, LANES, QUADS, FloatVec, IntVec, LlvmOps, MaskVec, Vector
from replay.glsl.llvm.writer import FunctionWriter
from replay.glsl.texturing import MAX_TAPS, NO_LINE, Lookup, TextureAccess, TextureOperands
from replay.texture.binding import DESCRIPTOR_DTYPE, SamplerKey
from replay.texture.memory import Vec
from replay.texture.sampling import sample

__all__ = ["LlvmMemory", "SamplerEmitter"]

_HVEC: Final = f"<{2 * LANES} x i16>"
_LOW_OCTETS: Final = 0x00FF00FF


def _offset(field: str) -> int:
    fields: Any = DESCRIPTOR_DTYPE.fields
    return int(fields[field][1])


class LlvmMemory:
    """Texels and descriptor behind a pointer; implements :class:`replay.texture.memory.TexelMemory`."""

    def __init__(self, ops: LlvmOps, descriptor: str) -> None:
        self._ops = ops
        self._descriptor = descriptor
        self._words = ops.load_constant("ptr", descriptor, _offset("words"), align=8)
        # Fields loaded so far in blocks that dominate the current one.
        self._loaded: dict[tuple[str, int], IntVec] = {}

    def integer(self, field: str, index: int = 0) -> IntVec:
        """32-bit field of the descriptor, the same in all lanes."""
        loaded = self._loaded.get((field, index))
        if loaded is None:
            scalar = self._ops.load_constant("i32", self._descriptor, _offset(field) + 4 * index)
            loaded = self._loaded[field, index] = self._ops.splat_i(scalar)
        return loaded

    def real(self, field: str, index: int = 0) -> Vec:
        """Float field of the descriptor, the same in all lanes."""
        return self._ops.ibits(self.integer(field, index))

    def table(self, field: str, index: IntVec, *, of_quads: bool) -> IntVec:
        """Entries of a per-level table."""
        start = self._ops.offset(self._descriptor, _offset(field))
        if not of_quads:
            return self._gather(start, index)
        ops, assign, numbers = self._ops, self._ops.function.assign, "poison"
        for quad in range(QUADS):
            place = assign(f"zext i32 {ops.extract(index, 4 * quad)} to i64")
            entry = ops.load_constant("i32", assign(f"getelementptr i32, ptr {start}, i64 {place}"))
            numbers = assign(f"insertelement <{QUADS} x i32> {numbers}, i32 {entry}, i32 {quad}")
        return ops.spread(numbers)

    def word(self, index: IntVec) -> IntVec:
        """Texel words."""
        return self._gather(self._words, index)

    def neighbours(self, rows: Sequence[IntVec], low: IntVec, high: IntVec) -> list[tuple[Vec, Vec]]:
        """Texel words of neighbours in rows: both at once, but where a lane's are apart (at edges)."""
        ops, function = self._ops, self._ops.function
        slots = [(ops.allocate(IntVec), ops.allocate(IntVec)) for _ in rows]
        beside, apart, behind = (function.new_label(name) for name in ("beside", "apart", "behind"))
        words = self._words
        function.branch(ops.all(ops.ieq(ops.iadd(low, ops.iconst(1)), high)), beside, apart)
        for label in (beside, apart):
            function.start(label)
            for row, (first, second) in zip(rows, slots, strict=True):
                if label == beside:
                    found = ops.gather_pairs(words, ops.shl(ops.iadd(row, low), ops.iconst(2)))
                else:
                    found = self.word(ops.iadd(row, low)), self.word(ops.iadd(row, high))
                ops.put(found[0], first)
                ops.put(found[1], second)
            function.jump(behind)
        function.start(behind)
        return [(ops.get(IntVec, first), ops.get(IntVec, second)) for first, second in slots]

    def srgb(self, code: IntVec) -> Vec:
        """Linear floats of eight-bit sRGB codes."""
        table = self._ops.load_constant("ptr", self._descriptor, _offset("srgb_table"), align=8)
        return self._ops.ibits(self._gather(table, code))

    def ellipse_weight(self, index: IntVec) -> Vec:
        """Entries of the weights of anisotropic filtering."""
        table = self._ops.load_constant("ptr", self._descriptor, _offset("ellipse_table"), align=8)
        return self._ops.ibits(self._gather(table, index))

    def _gather(self, pointer: str, index: IntVec) -> IntVec:
        return self._ops.gather(pointer, self._ops.shl(index, self._ops.iconst(2)))

    def truncate(self, value: Vec) -> IntVec:
        """Integer part of floats within the range of a 32-bit integer (some integer otherwise)."""
        return self._ops.ftoi_bounded(value)

    def blend_octets(self, low: IntVec, high: IntVec, weight: IntVec) -> IntVec:
        """(low * (256 - weight) + high * weight + 128) >> 8 for each octet, in 16-bit halves."""
        ops, assign = self._ops, self._ops.function.assign
        both = ops.ior(weight, ops.shl(weight, ops.iconst(16)))
        high_weight = assign(f"bitcast {IVEC} {both} to {_HVEC}")
        low_weight = assign(f"sub {_HVEC} splat (i16 256), {high_weight}")
        halves = []
        for shift in (0, 8):
            parts = []
            for word, factor in ((low, low_weight), (high, high_weight)):
                moved = ops.lshr(word, ops.iconst(8)) if shift else word
                octets = assign(f"bitcast {IVEC} {ops.iand(moved, ops.iconst(_LOW_OCTETS))} to {_HVEC}")
                parts.append(assign(f"mul {_HVEC} {octets}, {factor}"))
            total = assign(f"add {_HVEC} {assign(f'add {_HVEC} {parts[0]}, {parts[1]}')}, splat (i16 128)")
            halves.append(total)
        even = assign(f"lshr {_HVEC} {halves[0]}, splat (i16 8)")
        odd = assign(f"and {_HVEC} {halves[1]}, splat (i16 -256)")
        return IntVec(assign(f"bitcast {_HVEC} {assign(f'or {_HVEC} {even}, {odd}')} to {IVEC}"))

    def branch(self, mask: MaskVec, compute: Callable[[], Sequence[Vec]], otherwise: Sequence[Vec]) -> list[Vec]:
        """``compute()`` where the mask is set, ``otherwise`` elsewhere; skipped when no lane is set."""
        ops = self._ops
        slots = [ops.allocate(type(value)) for value in otherwise]
        for value, slot in zip(otherwise, slots, strict=True):
            ops.put(value, slot)
        before = dict(self._loaded)
        with ops.when(ops.any(mask)):
            for value, other, slot in zip(compute(), otherwise, slots, strict=True):
                ops.put(ops.select(mask, value, other), slot)
        self._loaded = before
        return [ops.get(type(value), slot) for value, slot in zip(otherwise, slots, strict=True)]

    def accumulate(
        self, counts: IntVec, most: int, body: Callable[[IntVec], tuple[Sequence[Vec], Sequence[Vec]]]
    ) -> tuple[list[Vec], list[Vec]]:
        """Sum over steps, as many as the lane with the most of them has."""
        ops, assign = self._ops, self._ops.function.assign
        name = f"@llvm.vector.reduce.umax.v{LANES}i32"
        ops.module.declare(f"declare i32 {name}({IVEC})")
        num_steps = assign(f"call i32 {name}({IVEC} {counts})")
        zero = ops.fconst(0.0)
        slots = [ops.allocate(FloatVec) for _ in range(5)]
        for slot in slots:
            ops.put(zero, slot)
        rows = ops.allocate(IntVec, MAX_TAPS)
        before = dict(self._loaded)
        with ops.repeat(num_steps) as number:
            step = ops.splat_i(number)
            floats, touched = body(step)
            runs = ops.ilt(step, counts)
            for value, slot in zip(floats, slots, strict=False):
                total = ops.get(FloatVec, slot)
                ops.put(ops.select(runs, ops.fadd(total, value), total), slot)
            first = assign(f"zext i32 {assign(f'mul i32 {number}, {4 * LANES * len(touched)}')} to i64")
            start = ops.offset(rows, first)
            for index, line in enumerate(touched):
                ops.store(ops.select(runs, line, ops.iconst(NO_LINE)), start, 4 * LANES * index)
        self._loaded = before
        lines = []
        for index in range(most * len(touched)):
            # Steps that no lane had left their rows unwritten.
            ran = ops.splat_mask(assign(f"icmp ult i32 {index // len(touched)}, {num_steps}"))
            lines.append(ops.select(ran, ops.load_ivec(rows, 4 * LANES * index), ops.iconst(NO_LINE)))
        return [ops.get(FloatVec, slot) for slot, _ in zip(slots, floats, strict=False)], lines


@cache
def _source_version() -> str:
    """Hash of the sources, which decide what code is emitted."""
    digest = hashlib.sha256()
    sources = [entry for entry in files("replay.texture").iterdir() if entry.name.endswith(".py")]
    for source in sorted(sources, key=lambda entry: entry.name):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class _Function:
    """An internal function that executes one kind of texture instruction.

    It returns the four components in registers; the level of detail (float bits) goes to the caller's stack where
    somebody wants it. What is touched it records itself.

    Parameters
    ----------
    symbol : its name
    result : class of the components
    has_lod : whether there is a level of detail
    num_taps : lines that are recorded of each lane
    """

    symbol: str
    result: type[Vector]
    has_lod: bool
    num_taps: int


class SamplerEmitter:
    """Implements :class:`replay.glsl.texturing.TextureEmitter`. Keys are :class:`SamplerKey`.

    Each kind of look-up becomes one internal function of the module, so that shaders with many look-ups stay small
    and compile fast.
    """

    def __init__(self) -> None:
        self._functions: dict[str, _Function] = {}

    @property
    def version(self) -> str:
        """Changes with every edit of the emitting sources."""
        return _source_version()

    def emit(
        self,
        ops: LlvmOps,
        lookup: Lookup,
        key: Hashable,
        descriptor: Any,
        operands: TextureOperands,
        access: TextureAccess,
    ) -> tuple[Vec, Vec, Vec, Vec]:
        """Write the code of one texture instruction; see the protocol."""
        if not isinstance(key, SamplerKey):
            raise TypeError(f"sampler keys are SamplerKey, not {type(key).__name__}")
        flat, rebuild = _flattened(operands)
        more = access.operands()
        function = self._function(ops, lookup, key, (flat, rebuild), access, [kind for kind, _ in more])
        access.expect(function.num_taps)
        detail = ops.allocate(IntVec) if access.records_identity else "null"
        struct = _struct(function.result)
        arguments = ", ".join(
            [
                f"ptr {descriptor}, ptr {detail}",
                *(f"{kind} {value}" for kind, value in more),
                *(f"{value.type} {value}" for value in flat),
            ]
        )
        call = ops.function.assign(f"call fastcc {struct} {function.symbol}({arguments})")
        if access.records_identity and function.has_lod:
            access.identify(ops.load_ivec(detail))
        red, green, blue, alpha = (
            function.result(ops.function.assign(f"extractvalue {struct} {call}, {index}")) for index in range(4)
        )
        return red, green, blue, alpha

    def _function(
        self,
        ops: LlvmOps,
        lookup: Lookup,
        key: SamplerKey,
        operands: tuple[Sequence[Vec], Callable[[Sequence[Vec]], TextureOperands]],
        access: TextureAccess,
        recording: Sequence[str],
    ) -> _Function:
        """The function for a kind of look-up, written into the module if it is not there yet.

        Parameters
        ----------
        operands : vectors, and how to make operands of them
        recording : types of what ``access`` needs
        """
        kinds, rebuild = [type(value) for value in operands[0]], operands[1]
        general = replace(lookup, instruction=0, slot=0)
        records, identifies = access.records_lines, access.records_identity
        text = repr((general, key, [kind.__name__ for kind in kinds], records, identifies))
        symbol = f"@sample.{hashlib.sha256(text.encode()).hexdigest()[:16]}"
        if ops.module.has(symbol):
            return self._functions[symbol]
        inner = LlvmOps(ops.module, FunctionWriter())
        parameters = [kind(f"%p{index}") for index, kind in enumerate(kinds)]
        found = sample(inner, LlvmMemory(inner, "%descriptor"), key, general, rebuild(parameters), record=records)
        if identifies and found.lod is not None:
            inner.store(found.lod, "%detail")
        names = [f"%r{index}" for index in range(len(recording))]
        if records:
            access.touch(inner, names, found.lines, found.texels, found.boxes)
        result = type(found.rgba[0])
        struct = _struct(result)
        packed = "poison"
        # What is not returned is not computed either: LLVM drops fetches and filters.
        for index, value in enumerate(found.rgba if lookup.needs_result else ()):
            packed = inner.function.assign(f"insertvalue {struct} {packed}, {value.type} {value}, {index}")
        signature = ", ".join(
            [
                "ptr %descriptor, ptr %detail",
                *(f"{kind} {name}" for kind, name in zip(recording, names, strict=True)),
                *(f"{value.type} {value}" for value in parameters),
            ]
        )
        head = f"define internal fastcc {struct} {symbol}({signature}) nounwind {{"
        ops.module.define(symbol, f"{head}\n{inner.function.body()}\nret {struct} {packed}\n}}")
        function = self._functions[symbol] = _Function(symbol, result, found.lod is not None, len(found.lines))
        return function


def _struct(result: type[Vector]) -> str:
    return "{" + ", ".join([result.type] * 4) + "}"


def _flattened(operands: TextureOperands) -> tuple[list[Vec], Callable[[Sequence[Vec]], TextureOperands]]:
    """Vectors that the instruction has, and how to make operands of as many others."""
    several = ("coords", "ddx", "ddy", "offset")
    counts = [len(getattr(operands, name)) for name in several]
    singles = [name for name in ("layer", "compare", "lod") if getattr(operands, name) is not None]
    flat = [value for name in several for value in getattr(operands, name)]
    flat += [getattr(operands, name) for name in singles]

    def rebuild(values: Sequence[Vec]) -> TextureOperands:
        ends = list(accumulate(counts))
        more = dict(zip(singles, values[ends[-1] :], strict=True))
        parts = {name: tuple(values[end - count : end]) for name, end, count in zip(several, ends, counts, strict=True)}
        return TextureOperands(mask=None, live=None, **parts, **more)

    return flat, rebuild
