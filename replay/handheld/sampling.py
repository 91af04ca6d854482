"""Texture look-ups of the handheld machine, over both executors' vectors: bilinear-average filtering, blocks, words.

What is recorded of a tap is the number of the 32-bit memory word that holds the texel: two texels of 16 bits, or a
block of 3x2 texels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from replay.glsl.texturing import NO_LINE
from replay.glsl.vectorops import Vec
from replay.texture.binding import SamplerKey
from replay.texture.coordinates import Pair
from replay.texture.filters import Filter, Filtered, Taps
from replay.texture.texels import Level

__all__ = ["BLOCK_HEIGHT", "BLOCK_WIDTH", "HandheldFilter", "HandheldKey"]

#: Texels of a block (§4.2).
BLOCK_WIDTH = 3
BLOCK_HEIGHT = 2


@dataclass(frozen=True, slots=True)
class HandheldKey(SamplerKey):
    """Static half of a binding on the handheld machine.

    Parameters
    ----------
    average : bilinear-average filtering
    blocks : texels lie in blocks of 3x2
    overlap : minification takes the one of two overlapping blocks that holds both rows
    texel_words : memory words of a texel, 0 where a word holds two
    """

    average: bool = False
    blocks: bool = False
    overlap: bool = False
    texel_words: int = 0

    def filter_class(self) -> Any:
        """Take look-ups over."""
        return HandheldFilter


class HandheldFilter(Filter):
    """Filters over texels in 16 bits or in blocks."""

    key: HandheldKey
    #: Of the four texels' average in the result (bilinear-average), None for filters without it.
    _average_weight: Vec | None = None
    #: Lanes that minify; None where nothing is known: they magnify.
    _shrinks: Vec | None = None

    def filtered(self, detail: Vec | None) -> Filtered:
        """Filter for minification or magnification."""
        ops = self.ops
        if detail is not None:
            self._shrinks = ops.flt(ops.fconst(0.0), detail)
        if self.key.average and detail is not None:
            # §4.2: bilinear in the level of higher resolution, mixed with the average of the same four texels.
            step, weight, _ = self.between(self.limited(detail))
            self._average_weight = weight
            taps = self.in_level(self.level(step), True)
            found = Filtered(taps.values, taps.lines, ops.iconst(taps.num_texels))
        else:
            found = super().filtered(detail)
        return replace(found, lines=[word for line in found.lines for word in self._all_words(line)])

    def _all_words(self, line: Vec) -> list[Vec]:
        """Words of texels that take more than one."""
        ops = self.ops
        count = max(self.key.texel_words, 1)
        none = ops.ieq(line, ops.iconst(NO_LINE)) if count > 1 else None
        return [line] + [ops.select(none, line, ops.iadd(line, ops.iconst(k))) for k in range(1, count)]

    # ------------------------------------------------------------------ words
    def box(self, level: Level, across: Pair, down: Pair, layer: Vec | None) -> None:
        """Words are listed one by one."""

    def column(self, level: Level, x: Vec) -> Vec:
        """Part of a word number that depends on x."""
        ops = self.ops
        if self.key.blocks:
            return self._divided(x, BLOCK_WIDTH)
        words = self.key.texel_words
        return ops.lshr(x, ops.iconst(1)) if words == 0 else ops.imul(x, ops.iconst(words))

    def row(self, level: Level, y: Vec | None, z: Vec | None) -> Vec:
        """Part of a word number that depends on y and layer; of blocks the first representation's."""
        ops = self.ops
        first = level.line
        if z is not None:
            first = ops.iadd(first, ops.imul(z, level.layer_lines))
        if y is None:
            return first
        if self.key.blocks:
            y = ops.lshr(y, ops.iconst(1))
        return ops.iadd(first, ops.imul(y, level.strip_lines))

    # ------------------------------------------------------------------ filters
    def planar(
        self, level: Level, linear: bool, coords: Sequence[Vec], layer: Vec | None, *, record: bool = True
    ) -> Taps:
        """Filter over two axes; other textures as the base class does it."""
        if len(coords) != 2 or not linear or not (self.key.blocks or self._average_weight is not None):
            return super().planar(level, linear, coords, layer, record=record)
        ops = self.ops
        sizes = (level.width, level.height)
        shifted = [self.shifted(axis, coordinate, sizes[axis]) for axis, coordinate in enumerate(coords)]
        across, down = (self.axis(self.key.wraps[axis], shifted[axis], sizes[axis], True) for axis in range(2))
        base = level.offset
        if layer is not None:
            base = ops.iadd(base, ops.imul(ops.imul(layer, level.height), level.width))
        words = [self.row(level, y, layer) for y in (down.low, down.high)] if self.record else []
        if self.key.overlap and self._shrinks is not None:
            # Rows y and y + 1 share a block of the first representation if y is even, of the second one if it is odd.
            one = ops.iconst(1)
            pair = ops.mask_and(self._shrinks, ops.mask_not(ops.ieq(down.low, down.high)))
            second = ops.mask_and(pair, ops.ieq(ops.iand(down.low, one), one))
            base = ops.iadd(base, ops.select(second, self.memory.integer("second"), ops.iconst(0)))
            if words:
                shared = ops.iadd(words[0], ops.select(second, level.layer_lines, ops.iconst(0)))
                words = [shared, ops.select(pair, shared, words[1])]
        lines: list[Vec] = []
        rows, texels = [], []
        for number, (y, inside_y) in enumerate(self.choices(down, True)):
            start = ops.iadd(base, ops.imul(y, level.width))
            found = []
            for x, inside_x in self.choices(across, True):
                inside = self.both(inside_x, inside_y)
                found.append(self.bordered(self.texel(ops.iadd(start, x)), inside))
                if words:
                    lines.append(self.line(self.column(level, x), words[number], inside))
            texels.append(found)
            rows.append(self.blend(found[0], found[1], across.weight))
        values = self.blend(rows[0], rows[1], down.weight)
        if self._average_weight is not None:
            half = ops.iconst(128) if self.packed else ops.fconst(0.5)
            halves = [self.blend(pair_of[0], pair_of[1], half) for pair_of in texels]
            values = self.blend(values, self.blend(halves[0], halves[1], half), self._average_weight)
        return Taps(values, lines, 4)
