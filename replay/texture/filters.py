"""Filters over texels: in a level, across the edges of a cube, between levels, along an anisotropic footprint.

``s`` and ``t`` are texture coordinates on a face of a cube, as GL writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from replay.formats import Storage
from replay.glsl.texturing import NO_LINE, Dimension, LineBox, TextureOperands
from replay.glsl.vectorops import Mask, Vec
from replay.texture import cube, lod
from replay.texture.binding import Mip, Wrap
from replay.texture.coordinates import Pair, fixed_pair, float_pair, mirrored_pair, nearest
from replay.texture.texels import Level, TexelReader

__all__ = ["Filter", "Filtered", "Taps"]


@dataclass(slots=True)
class Taps:
    """Filtered values, and the lines they came from.

    Parameters
    ----------
    lines : of each tap
    num_texels : texels that each lane reads
    box : the lines together, if they are one
    level, layer : where the box lies
    """

    values: list[Vec]
    lines: list[Vec]
    num_texels: int
    box: LineBox | None = None
    level: Level | None = None
    layer: Vec | None = None


@dataclass(slots=True)
class Filtered:
    """What a filter gives, levels together.

    Parameters
    ----------
    lines : of each tap
    texels : that each lane reads (integer vector)
    boxes : the lines once more, if they are nothing but boxes
    """

    values: list[Vec]
    lines: list[Vec]
    texels: Vec
    boxes: list[LineBox] = field(default_factory=list)


def _packed(taps: Taps) -> list[Vec]:
    """Numbers that say what the box of some taps is."""
    box, level = taps.box, taps.level
    assert box is not None
    assert level is not None
    numbers = [*box.columns, *box.rows, level.line, level.strip_lines]
    return numbers if taps.layer is None else [*numbers, taps.layer, level.layer_lines]


class Filter(TexelReader):
    """Filters over texels."""

    # ------------------------------------------------------------------ filters in one level
    def blend(self, low: list[Vec], high: list[Vec], weight: Vec) -> list[Vec]:
        """Low + (high - low) * weight, rounded once as llvmpipe does it on processors that can."""
        ops = self.ops
        if self.packed:
            return [self.memory.blend_octets(low[0], high[0], weight)]
        return [ops.ffused(weight, ops.fsub(b, a), a) for a, b in zip(low, high, strict=True)]

    def in_level(self, level: Level, linear: bool) -> Taps:
        """Filter within one level."""
        if self.key.dimension is Dimension.CUBE:
            face, s, t = cube.select_face(self.ops, (self.coords[0], self.coords[1], self.coords[2]))
            if linear and self.key.seamless:
                return self.seamless(level, face, s, t)
            return self.planar(level, linear, (s, t), self.of_cube(face))
        return self.planar(level, linear, self.coords, self.layer)

    def planar(
        self, level: Level, linear: bool, coords: Sequence[Vec], layer: Vec | None, *, record: bool = True
    ) -> Taps:
        """Filter over one, two or three axes of one layer."""
        ops = self.ops
        sizes = (level.width, level.height, level.depth)[: len(coords)]
        shifted = [self.shifted(axis, coordinate, sizes[axis]) for axis, coordinate in enumerate(coords)]
        pairs = [self.axis(self.key.wraps[axis], shifted[axis], sizes[axis], linear) for axis in range(len(coords))]
        deep = len(pairs) == 3
        lines: list[Vec] = []
        # Numbers of rows first, so that they are shared between the columns.
        layers: list[tuple[Vec | None, Mask | None]] = [(layer, None)]
        if deep:
            layers = self.choices(pairs[2], linear)
        places = []
        for z, z_inside in layers:
            for y, y_inside in self.choices(pairs[1], linear) if len(pairs) > 1 else [(None, None)]:
                base = level.offset
                if z is not None:
                    base = ops.iadd(base, ops.imul(ops.imul(z, level.height), level.width))
                if y is not None:
                    base = ops.iadd(base, ops.imul(y, level.width))
                places.append((base, y, z, self.both(y_inside, z_inside)))
        rows = []
        for (_, y, z, row_inside), found in zip(
            places, self._texels([base for base, *_ in places], pairs[0], linear), strict=True
        ):
            texels = []
            for (x, x_inside), texel in zip(self.choices(pairs[0], linear), found, strict=True):
                inside = self.both(x_inside, row_inside)
                texels.append(self.bordered(texel, inside))
                if self.record and record:
                    lines.append(self.line(self.column(level, x), self.row(level, y, z), inside))
            rows.append(self.blend(texels[0], texels[1], pairs[0].weight) if linear else texels[0])
        slices = [
            self.blend(rows[at], rows[at + 1], pairs[1].weight) if linear and len(pairs) > 1 else rows[at]
            for at in range(0, len(rows), 2 if linear and len(pairs) > 1 else 1)
        ]
        values = self.blend(slices[0], slices[1], pairs[2].weight) if len(slices) > 1 else slices[0]
        box = None
        if lines and linear and len(pairs) == 2:
            box = self.box(level, pairs[0], pairs[1], layer)
        return Taps(values, lines, 1 << len(pairs) if linear else 1, box, level, layer)

    def _texels(self, rows: Sequence[Vec], across: Pair, linear: bool) -> list[list[list[Vec]]]:
        """Values of the texels that a filter reads in each row."""
        if linear and self.has_words:
            words = self.memory.neighbours(rows, across.low, across.high)
            return [[self.of_word(word) for word in pair] for pair in words]
        return [[self.texel(self.ops.iadd(row, x)) for x, _ in self.choices(across, linear)] for row in rows]

    def shifted(self, axis: int, coordinate: Vec, size: Vec) -> Vec:
        """Coordinate moved by the instruction's offset."""
        ops, offset = self.ops, self.lookup.offset[axis]
        if self.offset:
            step = ops.itof(self.offset[axis])
        elif offset == 0:
            return coordinate
        else:
            step = ops.fconst(float(offset))
        return ops.fadd(coordinate, ops.fdiv(step, ops.itof(size)) if self.key.normalized else step)

    def axis(self, wrap: Wrap, coordinate: Vec, size: Vec, linear: bool) -> Pair:
        """Texels along one axis; of a nearest filter only ``low`` counts."""
        if not linear:
            number, inside = nearest(self.ops, self.memory, wrap, coordinate, size, self.key.normalized)
            return Pair(number, number, None, inside, inside)
        if self.packed:
            return fixed_pair(self.ops, self.memory, wrap, coordinate, size)
        return float_pair(self.ops, self.memory, wrap, coordinate, size, self.key.normalized)

    def of_cube(self, face: Vec) -> Vec:
        """Layer of a face: of the cube that an array's coordinate names."""
        if self.layer is None:
            return face
        return self.ops.iadd(face, self.ops.imul(self.layer, self.ops.iconst(6)))

    @staticmethod
    def choices(pair: Pair, linear: bool) -> list[tuple[Vec, Mask | None]]:
        """Texel numbers of an axis that the filter reads."""
        low = (pair.low, pair.low_inside)
        return [low, (pair.high, pair.high_inside)] if linear else [low]

    def seamless(self, level: Level, face: Vec, s: Vec, t: Vec) -> Taps:
        """Linear filter that crosses cube edges."""
        filled, weights, lines = self._across_edges(level, face, s, t)
        lower = self.blend(filled[0], filled[1], weights[0])
        upper = self.blend(filled[2], filled[3], weights[0])
        return Taps(self.blend(lower, upper, weights[1]), lines, 4)

    def gathered(self) -> tuple[list[list[Vec]], list[Vec]]:
        """The four texels that a linear filter of the base level would blend, row by row, and their lines."""
        level = self.level(None)
        coords, layer = self.coords, self.layer
        if self.key.dimension is Dimension.CUBE:
            layer, *coords = cube.select_face(self.ops, (self.coords[0], self.coords[1], self.coords[2]))  # type: ignore[assignment]
            if self.key.seamless:
                corners, _, lines = self._across_edges(level, layer, coords[0], coords[1])
                return corners, lines
            layer = self.of_cube(layer)
        ops = self.ops
        sizes = (level.width, level.height)
        across, down = (
            self.neighbours(self.key.wraps[axis], self.shifted(axis, coords[axis], sizes[axis]), sizes[axis])
            for axis in range(2)
        )
        base = level.offset
        if layer is not None:
            base = ops.iadd(base, ops.imul(ops.imul(layer, level.height), level.width))
        texels, lines = [], []
        for y, y_inside in self.choices(down, True):
            row = ops.iadd(base, ops.imul(y, level.width))
            for x, x_inside in self.choices(across, True):
                inside = self.both(x_inside, y_inside)
                texels.append(self.bordered(self.texel(ops.iadd(row, x)), inside))
                if self.record:
                    lines.append(self.line(self.column(level, x), self.row(level, y, layer), inside))
        return texels, lines

    def neighbours(self, wrap: Wrap, coordinate: Vec, size: Vec) -> Pair:
        """Texels along one axis of a gather."""
        if wrap in (Wrap.MIRRORED_REPEAT, Wrap.MIRROR_CLAMP_TO_EDGE) and self.key.normalized:
            return mirrored_pair(self.ops, self.memory, wrap, coordinate, size)
        return self.axis(wrap, coordinate, size, True)

    def _across_edges(self, level: Level, face: Vec, s: Vec, t: Vec) -> tuple[list[list[Vec]], list[Vec], list[Vec]]:
        """Texels around a place on a cube, row by row, their weights and lines; at a corner the missing texel is the
        mean of the other three.
        """
        ops, size = self.ops, level.width
        half, scale = ops.fconst(0.5), ops.itof(size)
        positions = []
        for coordinate in (s, t):
            unit = ops.fmax(ops.fconst(0.0), ops.fmin(ops.fconst(1.0), coordinate))
            positions.append(ops.fsub(ops.fmul(unit, scale), half))
        bases = [ops.ffloor(position) for position in positions]
        weights = [ops.fsub(position, base) for position, base in zip(positions, bases, strict=True)]
        x0, y0 = (self.memory.truncate(base) for base in bases)
        corners = []
        lines: list[Vec] = []
        outside_x, outside_y = {}, {}
        for dx in (0, 1):
            x = ops.iadd(x0, ops.iconst(dx))
            outside_x[dx] = ops.mask_not(ops.ult(x, size))
            y = ops.iadd(y0, ops.iconst(dx))
            outside_y[dx] = ops.mask_not(ops.ult(y, size))
        any_outside = ops.mask_or(ops.mask_or(outside_x[0], outside_x[1]), ops.mask_or(outside_y[0], outside_y[1]))
        last = ops.isub(size, ops.iconst(1))
        for dy in (0, 1):
            for dx in (0, 1):
                x, y = ops.iadd(x0, ops.iconst(dx)), ops.iadd(y0, ops.iconst(dy))
                missing = ops.mask_and(outside_x[dx], outside_y[dy])
                # A corner's texel does not exist; any in-range one stands in until the mean is taken.
                y_safe = ops.select(missing, ops.imax(ops.iconst(0), ops.imin(y, last)), y)

                def moved(x: Vec = x, y: Vec = y_safe) -> list[Vec]:
                    return list(cube.across_edge(ops, face, x, y, size))

                there = self.memory.branch(any_outside, moved, [face, x, y_safe])
                layer, tx, ty = self.of_cube(there[0]), *there[1:]
                index = ops.iadd(ops.imul(ops.iadd(ops.imul(layer, size), ty), size), tx)
                corners.append((self.texel(ops.iadd(level.offset, index)), missing))
                if self.record:
                    inside = ops.mask_not(missing)
                    lines.append(self.line(self.column(level, tx), self.row(level, ty, layer), inside))
        if self.key.storage in (Storage.INT, Storage.UINT):
            # Integers, which are only gathered, have no mean: the texel that stands in stays, as in llvmpipe.
            return [values for values, _ in corners], weights, lines
        third = ops.fconst(1.0 / 3.0)
        filled = []
        for number, (values, missing) in enumerate(corners):
            others = [corners[other][0] for other in range(4) if other != number]
            means = [
                ops.fmul(ops.fadd(ops.fadd(first, second), last), third)
                for first, second, last in zip(*others, strict=True)
            ]
            filled.append([ops.select(missing, mean, value) for mean, value in zip(means, values, strict=True)])
        return filled, weights, lines

    # ------------------------------------------------------------------ levels together
    def limited(self, detail: Vec) -> Vec:
        """Level of detail within the levels that exist; a number for NaN."""
        ops = self.ops
        return ops.fmax(ops.fconst(0.0), ops.fmin(ops.itof(self.memory.integer("last")), detail))

    def between(self, limited: Vec) -> tuple[Vec, Vec, Mask]:
        """Lower level, weight of the next one, and where that one counts."""
        ops = self.ops
        whole = ops.ffloor(limited)
        fraction = ops.fsub(limited, whole)
        step = self.memory.truncate(whole)
        if not self.packed:
            return step, fraction, ops.flt(ops.fconst(0.0), fraction)
        weight = self.memory.truncate(ops.fmul(fraction, ops.fconst(256.0)))
        return step, weight, ops.ilt(ops.iconst(0), weight)

    def across_levels(self, detail: Vec, linear: bool) -> Filtered:
        """Filter in and between levels."""
        ops, memory, mip = self.ops, self.memory, self.key.mip
        if mip is Mip.NONE:
            return self._alone(self.in_level(self.level(None), linear))
        last = memory.integer("last")
        limited = self.limited(detail)
        if mip is Mip.NEAREST:
            return self._alone(self.in_level(self.level(memory.truncate(ops.frint(limited))), linear))
        step, weight, blends = self.between(limited)
        taps = self.in_level(self.level(step), linear)
        num_values = len(taps.values)

        def above() -> list[Vec]:
            upper = self.in_level(self.level(ops.imin(ops.iadd(step, ops.iconst(1)), last)), linear)
            return self.blend(taps.values, upper.values, weight) + (_packed(upper) if taps.box else upper.lines)

        without = [ops.iconst(0)] * len(_packed(taps)) if taps.box else [ops.iconst(NO_LINE)] * len(taps.lines)
        results = memory.branch(blends, above, taps.values + without)
        values, rest = results[:num_values], results[num_values:]
        texels = ops.select(blends, ops.iconst(2 * taps.num_texels), ops.iconst(taps.num_texels))
        if taps.box is None:
            return Filtered(values, taps.lines + rest, texels)
        upper = replace(self._unpacked(rest), there=blends)
        return Filtered(values, taps.lines + upper.taps(ops), texels, [taps.box, upper])

    def _alone(self, taps: Taps) -> Filtered:
        """What a filter in one level gives."""
        boxes = [] if taps.box is None else [taps.box]
        return Filtered(taps.values, taps.lines, self.ops.iconst(taps.num_texels), boxes)

    def _unpacked(self, numbers: Sequence[Vec]) -> LineBox:
        """The box of some numbers (:func:`_packed`)."""
        low, high, bottom, top, line, strip_lines, *more = numbers
        layer, layer_lines = more or (None, None)
        zero = self.ops.iconst(0)
        level = Level(zero, zero, zero, zero, line, strip_lines, layer_lines, is_of_quads=self.levels_of_quads)
        return self.box_of(level, (low, high), (bottom, top), layer)

    def filtered(self, detail: Vec | None) -> Filtered:
        """Filter for minification or magnification, whichever each lane needs."""
        ops, key, memory = self.ops, self.key, self.memory
        if detail is None:
            return self._alone(self.in_level(self.level(None), key.mag_linear))
        if key.min_linear == key.mag_linear:
            return self.across_levels(detail, key.min_linear)
        shrinks = ops.flt(ops.fconst(0.0), detail)
        zero = self.zeros()

        def minified() -> list[Vec]:
            found = self.across_levels(detail, key.min_linear)
            return [*found.values, found.texels, *found.lines]

        def magnified() -> list[Vec]:
            taps = self.in_level(self.level(None), key.mag_linear)
            return [*taps.values, ops.iconst(taps.num_texels), *taps.lines]

        def run(mask: Mask, build: Callable[[], list[Vec]], num_lines: int) -> list[Vec]:
            return memory.branch(mask, build, [*zero, ops.iconst(0), *[ops.iconst(NO_LINE)] * num_lines])

        small = run(shrinks, minified, self.num_lines(key.min_linear, key.mip))
        large = run(ops.mask_not(shrinks), magnified, self.num_lines(key.mag_linear, Mip.NONE))
        split = len(zero)
        values = [ops.select(shrinks, a, b) for a, b in zip(small[:split], large[:split], strict=True)]
        texels = ops.select(shrinks, small[split], large[split])
        return Filtered(values, small[split + 1 :] + large[split + 1 :], texels)

    def probes(self, operands: TextureOperands) -> tuple[list[Vec], Vec]:
        """What anisotropic hardware reads: lines, and texels of each lane.

        The method of EXT_texture_filter_anisotropic: N = min(ceil(longer / shorter), limit) probes of the ordinary
        filter, at the level of detail of longer / N, spread evenly over the longer gradient.
        """
        ops, key = self.ops, self.key
        along_x, along_y = lod.scaled_differences(ops, self.memory, key, self.lookup, operands)
        x2, y2 = lod.squared_length(ops, along_x), lod.squared_length(ops, along_y)
        x_longer = ops.flt(y2, x2)
        longer = ops.fsqrt(ops.fmax(x2, y2))
        shorter = ops.fsqrt(ops.fmin(x2, y2))
        limit = ops.fconst(float(key.anisotropy))
        # A footprint without width is as anisotropic as can be; without length it needs one probe.
        ratio = ops.fmin(limit, ops.fceil(ops.fdiv(longer, ops.fmax(shorter, ops.fconst(1e-6)))))
        count = ops.fmax(ops.fconst(1.0), ratio)
        scale = lod.fast_log2(ops, ops.fdiv(longer, count))
        detail = lod.level_of_detail(ops, self.memory, key, self.lookup, operands, scale)
        counts = self.memory.truncate(count)
        sizes = [ops.itof(self.memory.integer(name)) for name in ("width", "height")]
        steps = [
            ops.fdiv(ops.fdiv(ops.select(x_longer, dx, dy), size), count)
            for dx, dy, size in zip(along_x, along_y, sizes, strict=True)
        ]
        centre = ops.fmul(ops.fsub(count, ops.fconst(1.0)), ops.fconst(0.5))
        middle = self.coords

        def probe(number: Vec) -> tuple[list[Vec], list[Vec]]:
            away = ops.fsub(ops.itof(number), centre)
            self.coords = tuple(
                ops.fadd(coord, ops.fmul(away, step)) for coord, step in zip(middle, steps, strict=True)
            )
            return [], self.filtered(detail).lines

        _, lines = self.memory.accumulate(counts, key.anisotropy, probe)
        self.coords = middle
        texels = ops.imul(counts, ops.iconst(4))
        if key.mip is Mip.LINEAR:
            _, _, blends = self.between(self.limited(detail))
            texels = ops.select(blends, ops.shl(texels, ops.iconst(1)), texels)
        if not key.mag_linear:
            texels = ops.select(ops.flt(ops.fconst(0.0), detail), texels, counts)
        return lines, texels

    def num_lines(self, linear: bool, mip: Mip) -> int:
        """Taps that a filter records."""
        if not self.record:
            return 0
        axes = 2 if self.key.dimension is Dimension.CUBE else len(self.coords)
        return (1 << axes if linear else 1) * (2 if mip is Mip.LINEAR else 1)
