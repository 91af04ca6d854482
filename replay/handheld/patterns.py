"""Sampling patterns: where the samples of a pixel lie, who makes them, and what a pixel's colour is made of.

Positions are integers in :data:`SAMPLE_UNIT` parts of a pixel from its lower left corner (GL's y upwards): 1/3, 1/4,
1/8 and 1/32 are all exact. The paper counts y downwards from the upper left corner; :func:`_slot` turns it over.

A *slot* is one sample that a pixel makes and stores. A pixel at the right or bottom edge of the screen also makes the
samples that its missing neighbours would have lent it (§4.1: "for all pixels except the bottom and right edges, only
two samples are generated").
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.accessstream import Antialiasing

__all__ = ["PATTERNS", "SAMPLE_UNIT", "Pattern", "Tap", "Where", "grid_pattern"]

#: Parts of a pixel that sample positions are counted in: 3 x 256, so that thirds meet 8 bits of subpixel precision.
SAMPLE_UNIT: Final = 768


class Where(IntEnum):
    """Pixels that make a slot."""

    EVERYWHERE = 0
    RIGHT_EDGE = 1
    BOTTOM_EDGE = 2
    CORNER = 3


@dataclass(frozen=True, slots=True)
class Slot:
    """One sample: positions for pixels of even and odd x + y, and the pixels that make it."""

    positions: tuple[tuple[int, int], tuple[int, int]]
    where: Where = Where.EVERYWHERE


@dataclass(frozen=True, slots=True)
class Tap:
    """A part of a pixel's colour: a slot of the pixel ``right`` and ``down`` of it.

    Parameters
    ----------
    slot : of that pixel
    right, down : 0 or 1
    at_right, at_bottom, at_corner : slot that stands in at the edges of the screen, of the pixel that is still there
    weight : in parts of the pattern's ``total_weight``
    """

    slot: int
    right: int = 0
    down: int = 0
    at_right: int = 0
    at_bottom: int = 0
    at_corner: int = 0
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Pattern:
    """A sampling pattern.

    Parameters
    ----------
    slots : samples that a pixel makes
    group : shading group of each slot; slots of a group share colour and texture look-ups
    shading : (x, y) where each group is shaded, in SAMPLE_UNIT from the lower left corner
    taps : what a pixel's colour is made of
    stored : samples that a pixel of the sample buffer holds
    lod_bias : added to the level of detail: look-ups are closer together than pixels
    """

    slots: tuple[Slot, ...]
    group: tuple[int, ...]
    shading: tuple[tuple[int, int], ...]
    taps: tuple[Tap, ...]
    stored: int
    lod_bias: float = 0.0

    @property
    def num_slots(self) -> int:
        """Slots."""
        return len(self.slots)

    @property
    def num_groups(self) -> int:
        """Shading groups."""
        return len(self.shading)

    @property
    def is_shared(self) -> bool:
        """Whether pixels lend each other samples: the sample buffer has a column and a row more."""
        return any(slot.where != Where.EVERYWHERE for slot in self.slots)

    @property
    def total_weight(self) -> int:
        """Sum of the weights, a power of two."""
        return sum(tap.weight for tap in self.taps)

    def positions(self) -> NDArray[np.int64]:
        """(2, slots, 2) positions by parity of x + y."""
        return np.array([[slot.positions[parity] for slot in self.slots] for parity in (0, 1)], np.int64)

    def where(self) -> NDArray[np.int64]:
        """(slots,) :class:`Where`."""
        return np.array([int(slot.where) for slot in self.slots], np.int64)

    def storage(self) -> NDArray[np.int64]:
        """(slots, 3) where a slot is stored: columns to the right, rows down, sample of the stored pixel."""
        if not self.is_shared:
            return np.array([(0, 0, k) for k in range(self.num_slots)], np.int64)
        own = {tap.slot: tap.slot for tap in self.taps}
        found = {slot: (0, 0, sample) for sample, slot in enumerate(sorted(own))}
        for tap in self.taps:
            sample = found[tap.slot][2]
            if tap.right and tap.at_right not in found:
                found[tap.at_right] = (1, 0, sample)
            if tap.down and tap.at_bottom not in found:
                found[tap.at_bottom] = (0, 1, sample)
            if tap.right and tap.down:
                found[tap.at_corner] = (1, 1, sample)
        return np.array([found[slot] for slot in range(self.num_slots)], np.int64)

    def filter_reads(self) -> NDArray[np.int64]:
        """(taps, 3) what the filter pass reads for a pixel: columns to the right, rows down, sample; right one last."""
        order = sorted(self.taps, key=lambda tap: (tap.right and not tap.down, tap.down, tap.right))
        return np.array([(tap.right, tap.down, tap.slot) for tap in order], np.int64)

    def tap_table(self) -> NDArray[np.int64]:
        """(taps, 7) slot, right, down, at_right, at_bottom, at_corner, weight."""
        return np.array(
            [
                (tap.slot, tap.right, tap.down, tap.at_right, tap.at_bottom, tap.at_corner, tap.weight)
                for tap in self.taps
            ],
            np.int64,
        )


def _place(x: Fraction, y_down: Fraction) -> tuple[int, int]:
    """Position from the paper's coordinates."""
    across, up = x * SAMPLE_UNIT, (1 - y_down) * SAMPLE_UNIT
    assert across.denominator == 1
    assert up.denominator == 1
    return int(across), int(up)


def _slot(
    x: Fraction, y: Fraction, odd: tuple[Fraction, Fraction] | None = None, where: Where = Where.EVERYWHERE
) -> Slot:
    even = _place(x, y)
    return Slot((even, even if odd is None else _place(*odd)), where)


def _parts(denominator: int) -> list[Fraction]:
    return [Fraction(k, denominator) for k in range(denominator + 1)]


def _supersampling(places: list[tuple[Fraction, Fraction]]) -> Pattern:
    """Every sample is shaded where it lies."""
    slots = tuple(_slot(*place) for place in places)
    count = len(slots)
    return Pattern(
        slots,
        tuple(range(count)),
        tuple(slot.positions[0] for slot in slots),
        tuple(Tap(k) for k in range(count)),
        count,
        # A look-up stands for 1/n of the pixel's area: log2 of its side.
        lod_bias=-0.5 * float(np.log2(count)),
    )


def _single() -> Pattern:
    return _supersampling([(Fraction(1, 2), Fraction(1, 2))])


def _brute_force() -> Pattern:
    part = _parts(4)
    return _supersampling([(part[1], part[1]), (part[3], part[1]), (part[1], part[3]), (part[3], part[3])])


def _rotated_grid() -> Pattern:
    part = _parts(8)
    return _supersampling([(part[3], part[1]), (part[7], part[3]), (part[1], part[5]), (part[5], part[7])])


def _quincunx() -> Pattern:
    part = _parts(2)
    slots = (
        _slot(part[1], part[1]),
        _slot(part[0], part[0]),
        _slot(part[2], part[0], where=Where.RIGHT_EDGE),
        _slot(part[0], part[2], where=Where.BOTTOM_EDGE),
        _slot(part[2], part[2], where=Where.CORNER),
    )
    # NVIDIA 2001, as the paper has it: 0.5 for the middle, 0.125 for each corner.
    taps = (
        Tap(0, weight=4),
        Tap(1),
        Tap(1, right=1, at_right=2),
        Tap(1, down=1, at_bottom=3),
        Tap(1, right=1, down=1, at_right=2, at_bottom=3, at_corner=4),
    )
    centre = _place(part[1], part[1])
    return Pattern(slots, (0,) * 5, (centre,), taps, stored=2)


def _flipquad() -> Pattern:
    part = _parts(3)
    slots = (
        _slot(part[0], part[2], (part[0], part[1])),
        _slot(part[1], part[0], (part[2], part[0])),
        _slot(part[3], part[1], (part[3], part[2]), Where.RIGHT_EDGE),
        _slot(part[2], part[3], (part[1], part[3]), Where.BOTTOM_EDGE),
    )
    taps = (Tap(0), Tap(1), Tap(1, down=1, at_bottom=3), Tap(0, right=1, at_right=2))
    # §4.1: "the average of the two samples for both configurations" is (1/4, 1/4).
    return Pattern(slots, (0,) * 4, (_place(Fraction(1, 4), Fraction(1, 4)),), taps, stored=2)


PATTERNS: Final[dict[Antialiasing, Pattern]] = {
    "none": _single(),
    "flipquad": _flipquad(),
    "quincunx": _quincunx(),
    "rgss": _rotated_grid(),
    "ss2x2": _brute_force(),
}


@cache
def grid_pattern(side: int, number: int) -> Pattern:
    """One sample of a regular grid of side x side samples, as a pattern of its own."""
    x, y = number % side, number // side
    place = _place(Fraction(2 * x + 1, 2 * side), Fraction(2 * y + 1, 2 * side))
    return Pattern((Slot((place, place)),), (0,), (place,), (Tap(0),), 1, lod_bias=-float(np.log2(side)))
