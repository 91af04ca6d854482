"""Texels of a bound texture as values: fetching, conversion, comparison, borders, and the lines they lie in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from replay.formats import Storage
from replay.formats.convert import INVERSE_255
from replay.glsl.texturing import NO_LINE, Dimension, LineBox, Lookup, LookupKind, TextureOperands
from replay.glsl.vectorops import Mask, Vec, VectorOps
from replay.texture.binding import SamplerKey
from replay.texture.coordinates import Pair, is_simple
from replay.texture.layout import STRIP_LINES_LOG2
from replay.texture.memory import TexelMemory
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import LINE_BYTES

__all__ = ["Level", "TexelReader", "is_packed"]

#: Scale of reciprocals for lines whose size in texels is no power of two (ASTC): exact up to 32,768 texels.
_RECIPROCAL_BITS: Final = 20


def is_packed(key: SamplerKey, lookup: Lookup) -> bool:
    """Whether the look-up filters packed octets in fixed point."""
    return (
        key.storage is Storage.UNORM8
        and key.normalized
        and all(is_simple(wrap) for wrap in key.wraps)
        and not (key.seamless and (key.min_linear or key.mag_linear))
        and lookup.kind not in (LookupKind.FETCH, LookupKind.SIZE, LookupKind.GATHER)
        and (lookup.kind is LookupKind.IMPLICIT or key.min_linear == key.mag_linear)
    )


@dataclass(slots=True)
class Level:
    """One mip level of each lane: sizes and places (integer vectors)."""

    width: Vec
    height: Vec
    depth: Vec
    offset: Vec
    line: Vec | None
    strip_lines: Vec | None
    layer_lines: Vec | None
    #: All lanes of a quad have the same level.
    is_of_quads: bool = field(default=True, kw_only=True)


class TexelReader:
    """Reads the texels that one texture instruction wants, while its code is written (or run)."""

    def __init__(
        self,
        ops: VectorOps,
        memory: TexelMemory,
        key: SamplerKey,
        lookup: Lookup,
        operands: TextureOperands,
        record: bool,
    ) -> None:
        self.ops = ops
        self.memory = memory
        self.key = key
        self.lookup = lookup
        self.record = record
        self.packed = is_packed(key, lookup)
        self.reference = operands.compare if lookup.is_shadow and key.compare and key.storage is Storage.DEPTH else None
        if self.reference is not None and key.depth_bits:
            clamped = ops.fmin(ops.fconst(1.0), self.reference)
            self.reference = ops.fmax(ops.fconst(0.0), clamped)
        # The level of detail is one a quad where it follows from the differences of its fragments.
        self.levels_of_quads = (
            lookup.kind is LookupKind.IMPLICIT and lookup.is_fragment and key.dimension is not Dimension.CUBE
        )
        self.channels = self._needed_channels()
        self.layer = self._layer(operands)
        self.coords: tuple[Vec, ...] = operands.coords
        self.offset: tuple[Vec, ...] = operands.offset

    def _needed_channels(self) -> list[int]:
        """Channels that are read from memory and filtered."""
        if self.key.storage is Storage.DEPTH:
            return [0]
        held = self.key.channels
        return sorted({source for source in self.key.swizzle if source < 4 and held[source]})

    def _layer(self, operands: TextureOperands) -> Vec | None:
        ops = self.ops
        if not self.key.is_array or operands.layer is None or self.lookup.kind in (LookupKind.FETCH, LookupKind.SIZE):
            return None
        last = ops.isub(self.memory.integer("depth"), ops.iconst(1))
        number = ops.ftoi(ops.frint(operands.layer))
        return ops.imax(ops.iconst(0), ops.imin(number, last))

    # ------------------------------------------------------------------ levels
    def level(self, step: Vec | None) -> Level:
        """Sizes and places of level ``step`` above the base, the base itself for None."""
        ops, memory = self.ops, self.memory
        tables: list[Vec | None] = []
        for name in ("offset", "line", "strip_lines", "layer_lines"):
            if name != "offset" and not self.record:
                tables.append(None)
            else:
                tables.append(
                    memory.integer(name) if step is None else memory.table(name, step, of_quads=self.levels_of_quads)
                )
        sizes = []
        for name in ("width", "height", "depth"):
            size = memory.integer(name)
            shrinks = step is not None and (name != "depth" or self.key.dimension is Dimension.D3)
            if self.key.dimension is Dimension.D1 and name == "height":
                shrinks = False
            sizes.append(ops.imax(ops.lshr(size, step), ops.iconst(1)) if shrinks else size)
        return Level(*sizes, *tables, is_of_quads=step is None or self.levels_of_quads)

    # ------------------------------------------------------------------ texels
    @property
    def has_words(self) -> bool:
        """Whether a texel is a word."""
        return self.key.storage in (Storage.UNORM8, Storage.SRGB8, Storage.DEPTH)

    def of_word(self, word: Vec) -> list[Vec]:
        """Values of texels from their words."""
        if self.key.storage is Storage.DEPTH:
            depth = self._depth(word)
            return [depth if self.reference is None else self._compared(depth)]
        return [word] if self.packed else [self.octet(word, channel) for channel in self.channels]

    def texel(self, index: Vec) -> list[Vec]:
        """Values of the texels by number, before filtering."""
        ops, memory, storage = self.ops, self.memory, self.key.storage
        if self.has_words:
            return self.of_word(memory.word(index))
        first = ops.shl(index, ops.iconst(2))
        words = [memory.word(ops.iadd(first, ops.iconst(channel))) for channel in self.channels]
        return [ops.ibits(word) for word in words] if storage is Storage.FLOAT else words

    def octet(self, word: Vec, channel: int) -> Vec:
        """One channel of packed octets as a float."""
        ops = self.ops
        code = ops.lshr(word, ops.iconst(8 * channel)) if channel else word
        if channel < 3:
            code = ops.iand(code, ops.iconst(255))
        if self.key.storage is Storage.SRGB8 and channel < 3:
            return self.memory.srgb(code)
        return ops.fmul(ops.itof(code), ops.fconst(float(INVERSE_255)))

    def _depth(self, word: Vec) -> Vec:
        ops, bits = self.ops, self.key.depth_bits
        if bits == 0:
            return ops.ibits(word)
        scale = ops.fconst(1.0 / ((1 << bits) - 1))
        return ops.fmul(ops.utof(word) if bits == 32 else ops.itof(word), scale)

    def _compared(self, depth: Vec) -> Vec:
        ops, reference = self.ops, self.reference
        compare: dict[int, Callable[[], Mask]] = {
            gl.GL_NEVER: lambda: ops.mask_const(False),
            gl.GL_ALWAYS: lambda: ops.mask_const(True),
            gl.GL_LESS: lambda: ops.flt(reference, depth),
            gl.GL_LEQUAL: lambda: ops.fle(reference, depth),
            gl.GL_GREATER: lambda: ops.flt(depth, reference),
            gl.GL_GEQUAL: lambda: ops.fle(depth, reference),
            gl.GL_EQUAL: lambda: ops.feq(reference, depth),
            gl.GL_NOTEQUAL: lambda: ops.fne(reference, depth),
        }
        return ops.select(compare[self.key.compare](), ops.fconst(1.0), ops.fconst(0.0))

    def border(self) -> list[Vec]:
        """Values of the border colour."""
        if self.key.storage is Storage.DEPTH:
            depth = self.memory.real("border", 0)
            return [depth if self.reference is None else self._compared(depth)]
        if self.key.storage in (Storage.INT, Storage.UINT):
            return [self.memory.integer("border", channel) for channel in self.channels]
        return [self.memory.real("border", channel) for channel in self.channels]

    def bordered(self, values: list[Vec], inside: Mask | None) -> list[Vec]:
        """Values with the border colour where a texel is not inside."""
        if inside is None:
            return values
        return [self.ops.select(inside, value, edge) for value, edge in zip(values, self.border(), strict=True)]

    # ------------------------------------------------------------------ lines
    def column(self, level: Level, x: Vec) -> Vec:
        """Part of a line number that depends on x."""
        ops = self.ops
        if self.key.texel_bytes:
            return ops.lshr(ops.imul(x, ops.iconst(self.key.texel_bytes)), ops.iconst(LINE_BYTES.bit_length() - 1))
        return self._of_column(level, self._divided(x, self.key.line_extent[0]))

    def _of_column(self, level: Level, across: Vec) -> Vec:
        """Part of a line number that depends on the line's column."""
        ops = self.ops
        assert level.strip_lines is not None
        strip = ops.imul(ops.lshr(across, ops.iconst(STRIP_LINES_LOG2)), level.strip_lines)
        return ops.iadd(strip, ops.iand(across, ops.iconst((1 << STRIP_LINES_LOG2) - 1)))

    def row(self, level: Level, y: Vec | None, z: Vec | None) -> Vec:
        """Part of a line number that depends on y and layer."""
        line = self._of_layer(level, z)
        return line if y is None else self._of_row(line, self._divided(y, self.key.line_extent[1]))

    def _of_layer(self, level: Level, z: Vec | None) -> Vec:
        """First line of a layer."""
        if z is None:
            return level.line
        assert level.layer_lines is not None
        return self.ops.iadd(level.line, self.ops.imul(z, level.layer_lines))

    def _of_row(self, first: Vec, down: Vec) -> Vec:
        """Part of a line number that depends on the line's row."""
        return self.ops.iadd(first, self.ops.shl(down, self.ops.iconst(STRIP_LINES_LOG2)))

    def box(self, level: Level, across: Pair, down: Pair, layer: Vec | None) -> LineBox | None:
        """Lines of the four texels of a linear filter over a plane; None where a texel may be the border."""
        pairs = (across, down)
        if self.key.texel_bytes or any(pair.low_inside is not None for pair in pairs):
            return None
        columns, rows = (
            (self._divided(pair.low, extent), self._divided(pair.high, extent))
            for pair, extent in zip(pairs, self.key.line_extent, strict=True)
        )
        return self.box_of(level, columns, rows, layer)

    def box_of(self, level: Level, columns: tuple[Vec, Vec], rows: tuple[Vec, Vec], layer: Vec | None) -> LineBox:
        """Lines of four texels of a level, by their columns and rows of lines."""

        def line(column: Vec, row: Vec) -> Vec:
            return self.ops.iadd(self._of_column(level, column), self._of_row(self._of_layer(level, layer), row))

        same = (layer,) if layer is not None else ()
        return LineBox(columns, rows, line, same if level.is_of_quads else (*same, level.line))

    def _divided(self, value: Vec, divisor: int) -> Vec:
        ops = self.ops
        if divisor & (divisor - 1) == 0:
            return ops.lshr(value, ops.iconst(divisor.bit_length() - 1))
        reciprocal = -(-(1 << _RECIPROCAL_BITS) // divisor)
        return ops.lshr(ops.imul(value, ops.iconst(reciprocal)), ops.iconst(_RECIPROCAL_BITS))

    def line(self, column: Vec, row: Vec, inside: Mask | None = None) -> Vec:
        """Line number, NO_LINE where not inside."""
        number = self.ops.iadd(column, row)
        return number if inside is None else self.ops.select(inside, number, self.ops.iconst(NO_LINE))

    def both(self, a: Mask | None, b: Mask | None) -> Mask | None:
        """Conjunction of optional masks."""
        if a is None or b is None:
            return b if a is None else a
        return self.ops.mask_and(a, b)

    def zeros(self) -> list[Vec]:
        """Values of the right number and kind."""
        ops = self.ops
        if self.packed:
            return [ops.iconst(0)]
        integer = self.key.storage in (Storage.INT, Storage.UINT)
        return [ops.iconst(0) if integer else ops.fconst(0.0)] * (
            1 if self.key.storage is Storage.DEPTH else len(self.channels)
        )

    # ------------------------------------------------------------------ results
    def swizzled(self, values: list[Vec]) -> tuple[Vec, Vec, Vec, Vec]:
        """Result from filtered values: channels that do not exist are 0, 0, 0, 1; then the texture's swizzle."""
        ops = self.ops
        integer = self.key.storage in (Storage.INT, Storage.UINT)
        zero, one = (ops.iconst(0), ops.iconst(1)) if integer else (ops.fconst(0.0), ops.fconst(1.0))
        held: dict[int, Vec] = {0: zero, 1: zero, 2: zero, 3: one, 4: zero, 5: one}
        if self.packed:
            held |= {channel: self.octet(values[0], channel) for channel in self.channels}
        else:
            held |= dict(zip(self.channels, values, strict=True))
        red, green, blue, alpha = (held[source] for source in self.key.swizzle)
        return red, green, blue, alpha
