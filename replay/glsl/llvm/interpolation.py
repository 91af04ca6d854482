"""Inputs of a fragment stage from plane equations: what the compiled stage computes, and its NumPy twin.

Each primitive has a row of 32-bit words: :data:`~replay.glsl.llvm.abi.PLANE_HEADER_WORDS` of header, then three
coefficients (a, b, c) for each component of the stage's inputs. At the fragment with pixel coordinates
(x, y) and the primitive's origin (x0, y0)::

    dx = float(x - x0), dy = float(y - y0)
    plane(a, b, c) = fused(c, dy, fused(b, dx, a))      each product and sum rounded once to binary32, as in llvmpipe
    w = 1 / plane(1/w)
    smooth        = plane(a, b, c) * w                  coefficients are those of value / w
    noperspective = plane(a, b, c)
    flat          = a                                   the bits of the value
    gl_FragCoord  = (float(x) + 0.5, float(y) + 0.5, plane(depth), plane(1/w))

The half pixel between a pixel's corner and its centre belongs into the coefficients ``a``.

With several samples a pixel dx and dy of a varying that is not at the centre are moved by the offset of a sample: of
the one that is shaded, or (centroid) of the first one that is covered, unless all are. A quad that is shaded for one
sample covers that one alone, so that its coverage says which one it is. gl_FragCoord is that sample's then, but for w.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.glsl.ir import InputSlot, Interpolation, Place
from replay.glsl.llvm.options import StageOptions
from replay.glsl.llvm.stage_layout import plane_words
from replay.glsl.sample_pattern import SAMPLES, sample_offset
from replay.glsl.vectorops import Vec, VectorOps

__all__ = ["Fragments", "input_values", "interpolate", "plane_value"]

_PLAIN: Final = StageOptions(interpolate=True)
_OVER_W: Final = 4
_DEPTH: Final = 7


def plane_value(ops: VectorOps, a: Vec, b: Vec, c: Vec, dx: Vec, dy: Vec) -> Vec:
    """``c * dy + (b * dx + a)``, each product and sum rounded once."""
    return ops.ffused(c, dy, ops.ffused(b, dx, a))


@dataclass(slots=True)
class Fragments:
    """The fragments of some quads.

    Parameters
    ----------
    x, y : pixels (integers)
    word, whole : word of the primitive's row as a number, as an integer
    covered : samples of each fragment that are covered, bit s, and of each quad; None where a pixel has one
    """

    x: Vec
    y: Vec
    word: Callable[[int], Vec]
    whole: Callable[[int], Vec]
    covered: tuple[Vec, Vec] | None = None


class _Samples:
    """Where in their pixels the fragments lie."""

    def __init__(self, ops: VectorOps, fragments: Fragments, options: StageOptions) -> None:
        self._ops = ops
        self._options = options
        self._fragments = fragments
        self.moves_inputs = options.moves_inputs
        self.number = ops.iconst(0)
        self.is_shaded = options.per_sample and fragments.covered is not None
        if self.is_shaded:
            assert fragments.covered is not None
            # Of one bit: 1, 2, 4, 8 become 0, 1, 2, 3.
            bits = fragments.covered[1]
            self.number = ops.isub(ops.lshr(bits, ops.iconst(1)), ops.lshr(bits, ops.iconst(3)))

    def mask(self) -> Vec:
        """gl_SampleMaskIn: the samples that an invocation stands for."""
        return self._ops.iconst(1) if self._fragments.covered is None else self._fragments.covered[0]

    def count(self) -> Vec:
        """gl_NumSamples."""
        return self._ops.iconst(1 if self._fragments.covered is None else SAMPLES)

    def is_turned(self) -> Vec:
        """gl_RowsFromTop: whether the pattern is turned over."""
        return self._ops.iconst(int(self._options.from_top))

    def offset(self, place: Place) -> tuple[Vec, Vec] | None:
        """Distance from the pixel's centre; None: there."""
        if place is Place.CENTER or self._fragments.covered is None:
            return None
        if place is Place.SAMPLE:
            return self._of(self.number) if self.is_shaded else None
        ops = self._ops
        covered = self._fragments.covered[0]
        found = self._pair(0.0, 0.0)
        for sample in reversed(range(SAMPLES)):
            lacks = ops.ieq(ops.iand(covered, ops.iconst(1 << sample)), ops.iconst(0))
            found = self._either(lacks, found, self._at(sample))
        return self._either(ops.ieq(covered, ops.iconst((1 << SAMPLES) - 1)), self._pair(0.0, 0.0), found)

    def _of(self, number: Vec) -> tuple[Vec, Vec]:
        found = self._at(SAMPLES - 1)
        for sample in reversed(range(SAMPLES - 1)):
            found = self._either(self._ops.ieq(number, self._ops.iconst(sample)), self._at(sample), found)
        return found

    def _at(self, sample: int) -> tuple[Vec, Vec]:
        return self._pair(*sample_offset(sample, from_top=self._options.from_top))

    def _pair(self, x: float, y: float) -> tuple[Vec, Vec]:
        return self._ops.fconst(x), self._ops.fconst(y)

    def _either(self, mask: Any, first: tuple[Vec, Vec], second: tuple[Vec, Vec]) -> tuple[Vec, Vec]:
        return self._ops.select(mask, first[0], second[0]), self._ops.select(mask, first[1], second[1])


class _Planes:
    """Plane equations at the places that inputs ask for."""

    def __init__(self, ops: VectorOps, fragments: Fragments, samples: _Samples) -> None:
        self._ops = ops
        self._fragments = fragments
        self._samples = samples
        self.dx = ops.itof(ops.isub(fragments.x, fragments.whole(0)))
        self.dy = ops.itof(ops.isub(fragments.y, fragments.whole(1)))
        self._known: dict[Place, tuple[Vec, Vec, Vec]] = {}

    def place_of(self, slot: InputSlot) -> Place:
        """Where a varying is wanted: glMinSampleShading moves all of them to the sample."""
        return Place.SAMPLE if self._samples.moves_inputs else slot.place

    def at(self, place: Place) -> tuple[Vec, Vec, Vec]:
        """dx, dy and w there."""
        found = self._known.get(place)
        if found is None:
            ops = self._ops
            offset = self._samples.offset(place)
            if offset is None and place is not Place.CENTER:
                found = self.at(Place.CENTER)
            else:
                dx, dy = self.dx, self.dy
                if offset is not None:
                    dx, dy = ops.fadd(dx, offset[0]), ops.fadd(dy, offset[1])
                found = dx, dy, ops.fdiv(ops.fconst(1.0), self._value(_OVER_W, dx, dy))
            self._known[place] = found
        return found

    def _value(self, word: int, dx: Vec, dy: Vec) -> Vec:
        a, b, c = (self._fragments.word(word + k) for k in range(3))
        return plane_value(self._ops, a, b, c, dx, dy)

    def value(self, word: int, place: Place) -> Vec:
        """The plane that begins with a word."""
        dx, dy, _ = self.at(place)
        return self._value(word, dx, dy)


def input_values(
    ops: VectorOps, inputs: Sequence[InputSlot], words: Sequence[int], fragments: Fragments, options: StageOptions
) -> list[list[Vec]]:
    """Values of all inputs, elements one after the other; ``words``: where the planes of each one begin."""
    samples = _Samples(ops, fragments, options)
    planes = _Planes(ops, fragments, samples)
    return [
        [_varying(ops, slot, first + 3 * component, fragments, planes) for component in range(_components(slot))]
        if first >= 0
        else _computed(ops, slot.builtin, fragments, samples, planes)
        for slot, first in zip(inputs, words, strict=True)
    ]


def _components(slot: InputSlot) -> int:
    return slot.count * slot.type.width


def _varying(ops: VectorOps, slot: InputSlot, word: int, fragments: Fragments, planes: _Planes) -> Vec:
    if slot.coefficient >= 0:
        return fragments.word(word + slot.coefficient)
    if slot.interpolation is Interpolation.FLAT:
        return fragments.whole(word) if slot.type.base else fragments.word(word)
    place = planes.place_of(slot)
    value = planes.value(word, place)
    return ops.fmul(value, planes.at(place)[2]) if slot.interpolation is Interpolation.SMOOTH else value


def _computed(ops: VectorOps, builtin: str, fragments: Fragments, samples: _Samples, planes: _Planes) -> list[Vec]:
    """Components of an input that has no planes of its own."""
    half = ops.fconst(0.5)
    place = Place.SAMPLE if samples.is_shaded else Place.CENTER
    none = ops.fconst(0.0)
    if builtin == "gl_FragCoord":
        inside = tuple(ops.fadd(half, part) for part in samples.offset(place) or ()) or (half, half)
        x, y = (ops.fadd(ops.itof(at), part) for at, part in zip((fragments.x, fragments.y), inside, strict=True))
        return [x, y, planes.value(_DEPTH, place), planes.value(_OVER_W, Place.CENTER)]
    if builtin == "gl_SamplePosition":
        return [ops.fadd(half, part) for part in samples.offset(place) or (none, none)]
    if builtin == "gl_CentroidOffset":
        return list(samples.offset(Place.CENTROID) or (none, none))
    if builtin == "gl_PlaneOffset":
        return [planes.dx, planes.dy]
    if builtin == "gl_PlaneOverW":
        return [fragments.word(_OVER_W + k) for k in range(3)]
    if builtin == "gl_FrontFacing":
        return [ops.ine(fragments.whole(2), ops.iconst(0))]
    numbers = {
        "gl_SampleID": samples.number,
        "gl_SampleMaskIn": samples.mask(),
        "gl_NumSamples": samples.count(),
        "gl_RowsFromTop": samples.is_turned(),
    }
    return [numbers[builtin] if builtin in numbers else fragments.whole(3)]


def interpolate(
    ops: VectorOps,
    inputs: Sequence[InputSlot],
    planes: NDArray[Any],
    quad_primitive: NDArray[np.uint32],
    quad_x: NDArray[np.uint16],
    quad_y: NDArray[np.uint16],
    quad_samples: NDArray[np.uint16] | None = None,
    options: StageOptions = _PLAIN,
) -> list[NDArray[Any]]:
    """Values of all inputs at every fragment, with NumPy.

    Parameters
    ----------
    ops : NumpyOps
    inputs : of the stage
    planes : (primitives, words) float32 rows as described in the module
    quad_primitive, quad_x, quad_y : (quads,) row of planes, x / 2, y / 2
    quad_samples : (quads,) samples that are covered, bit 4f + s, where a pixel has several
    options : variant of the stage

    Returns
    -------
    (rows of the slot, 4 * quads) float32 or int32 for each input, elements one after the other
    """
    rows = planes[quad_primitive].repeat(4, axis=0)
    integers = rows.view(np.int32)
    lane = np.tile(np.arange(4, dtype=np.int32), len(quad_x))
    x = (quad_x.astype(np.int32) * 2).repeat(4) + (lane & 1)
    y = (quad_y.astype(np.int32) * 2).repeat(4) + (lane >> 1)
    covered = None
    if options.multisampled and quad_samples is not None:
        own = quad_samples.astype(np.int32).repeat(4)
        covered = own >> 4 * lane & 15, (own | own >> 4 | own >> 8 | own >> 12) & 15
    fragments = Fragments(x, y, lambda word: rows[:, word], lambda word: integers[:, word], covered)
    words, _ = plane_words(inputs)
    values = [
        np.stack(np.broadcast_arrays(*parts, x)[:-1]) for parts in input_values(ops, inputs, words, fragments, options)
    ]
    return [part.astype(np.int32) if part.dtype == np.bool_ else part for part in values]
