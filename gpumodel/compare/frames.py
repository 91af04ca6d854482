"""Which frames of two runs show the same moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.compare.figures import Frame

__all__ = ["Aligned", "align"]

#: What a pair is worth: the same work and picture, the same draws, any other; and what a frame without one costs.
_SAME: Final = 4
_ALIKE: Final = 1
_ANY: Final = 0
_ALONE: Final = -1
#: Products of numbers of frames above which frames are paired by their number.
_LARGEST: Final = 4_000_000


@dataclass(frozen=True, slots=True)
class Aligned:
    """Pairs of places, and places that have none."""

    pairs: Sequence[tuple[int, int]]
    only_first: Sequence[int]
    only_second: Sequence[int]


def align(first: Sequence[Frame], second: Sequence[Frame]) -> Aligned:
    """Pair frames in order, so that as many as can be show the same; frames in which nothing agrees keep their place.

    Parameters
    ----------
    first, second : frames of the runs
    """
    rows, columns = len(first), len(second)
    if rows * columns > _LARGEST:
        shorter = min(rows, columns)
        return Aligned([(k, k) for k in range(shorter)], range(shorter, rows), range(shorter, columns))
    worth = _worth(first, second)
    best = np.zeros((rows + 1, columns + 1), np.int64)
    best[:, 0] = _ALONE * np.arange(rows + 1)
    best[0] = _ALONE * np.arange(columns + 1)
    places = np.arange(columns + 1)
    for row in range(1, rows + 1):
        # Leaving out frames of the second one after the other: a running maximum, with the cost of each taken out.
        above = best[row - 1] + _ALONE
        above[1:] = np.maximum(above[1:], best[row - 1, :-1] + worth[row - 1])
        best[row] = np.maximum.accumulate(above - _ALONE * places) + _ALONE * places
    return _walk_back(best, worth)


def _worth(first: Sequence[Frame], second: Sequence[Frame]) -> NDArray[np.int64]:
    numbers: dict[object, int] = {}

    def known(keys: Sequence[object]) -> NDArray[np.int64]:
        return np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)

    same = [known([_work(frame) for frame in frames]) for frames in (first, second)]
    alike = [known([_shape(frame) for frame in frames]) for frames in (first, second)]
    is_same = same[0][:, None] == same[1][None, :]
    is_alike = alike[0][:, None] == alike[1][None, :]
    return np.where(is_same, _SAME, np.where(is_alike, _ALIKE, _ANY)).astype(np.int64)


def _shape(frame: Frame) -> object:
    """What is drawn, whatever it looks like."""
    draws = frame.draws
    return frame.totals.get("draws") if draws is None else (tuple(draws.name), tuple(draws.mesh))


def _work(frame: Frame) -> object:
    """What is drawn, and how it looks as far as that is known."""
    draws = frame.draws
    counted = tuple(frame.totals.get(name, 0) for name in ("draws", "primitives.in", "fragments.rasterized"))
    parts = () if draws is None else (tuple(draws.name), draws.number("fragments.rasterized").tobytes())
    return counted, parts, None if frame.picture is None else frame.picture.digest


def _walk_back(best: NDArray[np.int64], worth: NDArray[np.int64]) -> Aligned:
    row, column = worth.shape
    pairs: list[tuple[int, int]] = []
    alone: tuple[list[int], list[int]] = [], []
    while row or column:
        if row and column and best[row, column] == best[row - 1, column - 1] + worth[row - 1, column - 1]:
            row, column = row - 1, column - 1
            pairs.append((row, column))
        elif row and best[row, column] == best[row - 1, column] + _ALONE:
            row -= 1
            alone[0].append(row)
        else:
            column -= 1
            alone[1].append(column)
    return Aligned(pairs[::-1], alone[0][::-1], alone[1][::-1])
