"""Tile lists: the lines that a tile needs, for units that read them ahead of the Tile Fetcher; entries left out, and
such as come again.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.streams import PassStreams
from gpumodel.units.arrange import POINTERS_PER_BLOCK
from gpumodel.units.binning import ATTRIBUTE_BYTES

__all__ = ["come_again", "leave_out", "list_lines", "opens_block"]

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


def leave_out(streams: PassStreams, quads: NDArray[np.bool_], *, entries: NDArray[np.bool_] | None = None) -> None:
    """Take quads out of the entries of a pass's lists, and whole entries out of the lists, before its geometry runs.

    An entry that stays lies where it would have been written without those that are left out; a list keeps the first of
    its blocks. Quads of no entry are neither rasterized nor written.

    Parameters
    ----------
    streams : changed in place
    quads : (quads,) those that are left out, in the order of ``streams.quads``
    entries : (entries,) those that are left out, None = none
    """
    count = int(streams.tiles["pair_count"].sum())
    pairs = streams.pairs[:count].copy()
    owner = np.repeat(np.arange(count), pairs["quad_count"])
    # The entries' quads lie behind each other: those that stay come first.
    streams.quads[: len(owner)] = streams.quads[: len(owner)][np.lexsort((quads, owner))]
    pairs["quad_count"] -= np.bincount(owner[quads], minlength=count).astype(np.int32)
    if entries is not None and entries.any():
        pairs = _shortened(streams, pairs, entries)
    streams.pairs = streams.binned = pairs if len(pairs) else np.zeros(1, pairs.dtype)


def _shortened(streams: PassStreams, pairs: NDArray[Any], dropped: NDArray[np.bool_]) -> NDArray[Any]:
    """Entries that stay, chained anew; the lists of the tiles, and what the list builder writes, follow."""
    tiles, old_first, old_line = streams.tiles, streams.tiles["pair_first"].astype(np.int64), pairs["pointer_line"]
    out = pairs[~dropped]
    tile = out["tile"].astype(np.int64)
    count = np.bincount(tile, minlength=len(tiles))
    tiles["pair_count"] = count
    tiles["pair_first"] = np.cumsum(count) - count
    place = np.arange(len(out)) - tiles["pair_first"][tile]
    block = old_first[tile] + place // POINTERS_PER_BLOCK * POINTERS_PER_BLOCK
    begins = (place > 0) & (place % POINTERS_PER_BLOCK == 0)
    out["link_line"] = np.where(begins, old_line[block - np.where(begins, POINTERS_PER_BLOCK, 0)], -1)
    out["pointer_line"] = old_line[block]
    drawn = out[out["clear"] < 0]
    order = np.lexsort((streams.tile_numbers[drawn["tile"]], drawn["emitted"]))
    streams.pointer_lines = np.ascontiguousarray(drawn["pointer_line"][order]) if len(drawn) else np.zeros(1, np.int64)
    bins = np.bincount(drawn["emitted"] - streams.part.emitted[0], minlength=len(streams.emitted)).astype(np.int32)
    streams.emitted["bin_count"], streams.bin_count = bins, bins
    streams.emitted["bin_first"] = np.cumsum(bins) - bins
    blocks = np.maximum(-(-count // POINTERS_PER_BLOCK), 1).sum()
    attributes = int(streams.emitted["attributes"][bins > 0].sum())
    streams.parameter_bytes = (int(blocks) << _LINE_SHIFT) + ATTRIBUTE_BYTES * attributes
    return out


def come_again(streams: PassStreams, place: NDArray[np.int64], entry: NDArray[np.int64]) -> NDArray[np.int64]:
    """Let entries of the lists come once more, each in its tile: read, rasterized and tested again with quads of their
    own. What the list builder writes stays as it is, so this is for slot ``primitive_order``.

    Parameters
    ----------
    streams : changed in place
    place : (copies,) entry that each comes before, or the end of its tile's list; in the order of the lists
    entry : (copies,) whose copy it is, such as place >= entry

    Returns
    -------
    (quads of the copies,) rows of ``streams.quads`` that they are copies of; they are its last ``num_quads``
    """
    if not len(entry):
        return np.zeros(0, np.int64)
    count = int(streams.tiles["pair_count"].sum())
    copies = streams.pairs[entry]
    copies["link_line"] = -1
    lengths = copies["quad_count"].astype(np.int64)
    end = np.cumsum(lengths)
    rows = np.repeat(copies["quad_first"] - (end - lengths), lengths) + np.arange(int(lengths.sum()))
    copies["quad_first"] = streams.num_quads + end - lengths
    order = np.argsort(np.concatenate([2 * np.arange(count) + 1, 2 * place]), kind="stable")
    streams.pairs = np.concatenate([streams.pairs[:count], copies])[order]
    streams.quads = np.concatenate([streams.quads[: streams.num_quads], streams.quads[rows]])
    streams.num_quads += len(rows)
    tiles = streams.tiles
    tiles["pair_count"] += np.bincount(copies["tile"], minlength=len(tiles)).astype(np.int32)
    tiles["pair_first"] = np.cumsum(tiles["pair_count"]) - tiles["pair_count"]
    for name in ("early", "executed", "written", "written_samples", "log"):
        found = getattr(streams, name)
        longer = len(found) + len(rows) if name != "written_samples" or len(found) > 1 else len(found)
        setattr(streams, name, np.zeros(longer, found.dtype))
    return rows
