"""Which frames stand for a film: strata of like frames, and one frame of each by chance.

The frames are parted again and again at right angles to the direction in which they differ most (principal direction
divisive partitioning, Boley 1998), so that all strata have about as much work in them. A stratum's frame is drawn by
chance: what the estimate says of its error (:mod:`.estimate`) follows from how frames were drawn, whatever the film.
Frames that stand out from all others are strata of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from traceformat.errors import UsageError

__all__ = ["LEAST_FRAMES", "Representatives", "choose"]

#: Frames that an estimate with its error can be made of.
LEAST_FRAMES: Final = 6


@dataclass(frozen=True, slots=True)
class Representatives:
    """Frames that stand for a film.

    Parameters
    ----------
    frames : (n,) int64 their numbers, rising
    weights : (n,) int64 frames of the film that each stands for; they add up to all
    all_frames : (N,) int64 numbers of the film's frames
    features : (N, F) float64 a row each of them, in units of the mean of those that are not taken for certain
    strata : (N,) int64 place in ``frames`` of the frame that stands for each
    """

    frames: NDArray[np.int64]
    weights: NDArray[np.int64]
    all_frames: NDArray[np.int64]
    features: NDArray[np.float64]
    strata: NDArray[np.int64]

    @property
    def places(self) -> NDArray[np.int64]:
        """Rows of ``features`` of the frames, (n,) int64."""
        return np.searchsorted(self.all_frames, self.frames)


def choose(
    all_frames: Sequence[int] | NDArray[np.int64],
    features: NDArray[np.float64],
    count: int,
    seed: int = 0,
    first: int = 1,
) -> Representatives:
    """Choose so many frames of a film.

    Parameters
    ----------
    all_frames : numbers of the film's frames, rising
    features : (N, F) a row each of them, none negative
    count : of frames; a film of fewer frames is taken whole
    seed : another one draws other frames of the same strata
    first : frames at the film's begin that are like no other, because they find no history

    Raises
    ------
    UsageError : too few frames for an estimate
    """
    if count < LEAST_FRAMES:
        raise UsageError(f"{count} representative frames are too few to tell their error", hint="6 at the least")
    numbers = np.asarray(all_frames, np.int64)
    certain = _certain(features, count, first)
    rest = np.setdiff1d(np.arange(len(numbers)), certain)
    mean = features[rest].mean(axis=0) if len(rest) else np.zeros(features.shape[1])
    relative = features[:, mean > 0] / mean[mean > 0]
    # Frames that the features do not tell apart are parted by time.
    time = 1e-6 * np.arange(len(numbers))[:, None] / max(len(numbers), 1)
    spread = np.concatenate([relative, time], axis=1)
    # A frame without any work counts a little, so that it is in some stratum's measure.
    work = np.maximum(relative.mean(axis=1) if relative.shape[1] else np.ones(len(numbers)), 1e-3)
    parts = [np.array([frame]) for frame in certain]
    parts += _parted(rest, min(count - len(certain), len(rest)), spread, work)
    draw = np.random.default_rng(seed)
    drawn = sorted(((int(draw.choice(part)), part) for part in parts), key=lambda pair: pair[0])
    strata = np.empty(len(numbers), np.int64)
    for place, (_, part) in enumerate(drawn):
        strata[part] = place
    return Representatives(
        numbers[[frame for frame, _ in drawn]], np.array([len(part) for _, part in drawn], np.int64), numbers,
        relative, strata,
    )  # fmt: skip


def _certain(features: NDArray[np.float64], count: int, first: int) -> list[int]:
    """Frames to take whatever chance says: the first ones, which find caches and buffers empty, and those with more
    of something than a chosen frame stands for, such as uploads.
    """
    rest = features.copy()
    found = list(range(min(first, count // 3, len(rest))))
    rest[found] = 0
    while len(found) < min(count // 3, len(rest) - 1):
        total = rest.sum(axis=0)
        shares = rest / np.where(total > 0, total, 1)
        frame = int(shares.max(axis=1).argmax())
        if shares[frame].max() * (count - len(found)) <= 1:
            break
        found.append(frame)
        rest[frame] = 0
    return found


def _parted(
    members: NDArray[np.int64], count: int, spread: NDArray[np.float64], work: NDArray[np.float64]
) -> list[NDArray[np.int64]]:
    """Part frames into so many strata of about equal work; none is empty."""
    if count <= 1:
        return [members] if count else []
    own = spread[members] - spread[members].mean(axis=0)
    direction = np.linalg.svd(own, full_matrices=False)[2][0]
    # The sign of a principal direction is anybody's; libraries differ in it.
    direction *= np.sign(direction[np.abs(direction).argmax()])
    # Rounded, because libraries add up in other orders.
    order = members[np.argsort(np.round(own @ direction, 9), kind="stable")]
    first = count // 2
    reached = np.cumsum(work[order])
    cut = int(np.searchsorted(reached, reached[-1] * first / count)) + 1
    cut = min(max(cut, first), len(members) - (count - first))
    return _parted(order[:cut], first, spread, work) + _parted(order[cut:], count - first, spread, work)
