"""Lines of the Parameter Buffer that tiles need, for units that read them ahead of the Tile Fetcher."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.streams import PassStreams
from gpumodel.units.binning import ATTRIBUTE_BYTES

__all__ = ["list_lines", "opens_block"]

_LINE_SHIFT: Final = 6


def opens_block(streams: PassStreams) -> NDArray[np.bool_]:
    """(pairs,) True where an entry of a list is the first of its block."""
    pairs = streams.pairs[: int(streams.tiles["pair_count"].sum())]
    opens = np.ones(len(pairs), bool)
    opens[1:] = (pairs["tile"][1:] != pairs["tile"][:-1]) | (pairs["pointer_line"][1:] != pairs["pointer_line"][:-1])
    return opens


def list_lines(streams: PassStreams, *, attributes: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lines that a tile's list is read from, in its order.

    Parameters
    ----------
    streams : of a pass
    attributes : the lines of the primitives' attributes behind each pointer, too

    Returns
    -------
    (tiles + 1,) place of each tile's first line, and their number; (lines,) line numbers
    """
    pairs: NDArray[Any] = streams.pairs[: int(streams.tiles["pair_count"].sum())]
    opens = opens_block(streams)
    begin = pairs["attribute_address"].astype(np.int64)
    end = begin + ATTRIBUTE_BYTES * pairs["attributes"].astype(np.int64)
    reads = attributes & (pairs["attributes"] > 0)
    body = np.where(reads, ((end - 1) >> _LINE_SHIFT) - (begin >> _LINE_SHIFT) + 1, 0)
    count = opens + body
    place: NDArray[Any] = np.cumsum(count) - count
    lines = np.zeros(int(count.sum()), np.int64)
    lines[place[opens]] = pairs["pointer_line"][opens]
    rows = np.repeat(np.arange(len(pairs)), body)
    step = np.arange(len(rows)) - np.repeat(np.cumsum(body) - body, body)
    lines[place[rows] + opens[rows] + step] = (begin[rows] >> _LINE_SHIFT) + step
    by_tile = np.bincount(pairs["tile"], weights=count, minlength=len(streams.tiles)).astype(np.int64)
    return np.concatenate([[0], np.cumsum(by_tile)]).astype(np.int64), lines
