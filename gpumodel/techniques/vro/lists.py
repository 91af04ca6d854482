"""Tile lists with headers: a list entry in front of each node's pointers says which node they belong to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.streams import LIST_ADDRESS, PassStreams
from gpumodel.techniques.vro.nodes import Nodes
from gpumodel.units.arrange import POINTERS_PER_BLOCK
from traceformat.frametrace import FrameTrace

__all__ = ["Headers", "add_headers"]

Array = NDArray[Any]
_LINE_BYTES = 64


@dataclass(slots=True)
class Headers:
    """Where headers lie, and what the Order Matcher reads of each tile.

    Parameters
    ----------
    header_lines : (list pointers in binning order,) line of a header before it in another block, 0 = none
    records : (tiles,) headers of each tile, in rendering order
    blocks : (tiles,) blocks of its list
    block_first : (tiles,) its blocks behind the first, among those of all tiles
    """

    header_lines: Array
    records: Array
    blocks: Array
    block_first: Array

    @classmethod
    def none(cls) -> Headers:
        """Give those of a pass without headers."""
        empty = np.zeros(0, np.int64)
        return cls(empty, empty, empty, empty)


def add_headers(trace: FrameTrace, streams: PassStreams, nodes: Nodes) -> Headers:
    """Put headers into the lists of a pass, which are in program order: pointers move to later places.

    Changes the lines of ``streams.pairs`` and ``streams.pointer_lines``, and ``streams.parameter_bytes``. A header lies
    directly in front of its pointer, in the block before if that is where the list ends.
    """
    tiles = len(streams.tiles)
    count = int(streams.tiles["pair_count"].sum())
    pairs = streams.pairs[:count]
    tile = pairs["tile"].astype(np.int64)
    starts = np.ones(count, bool)
    if count:
        starts[1:] = tile[1:] != tile[:-1]
    is_clear = pairs["clear"] >= 0
    node = np.full(count, -1, np.int64)
    if len(nodes.node_of_draw):
        draw = trace["emitted"]["draw"][pairs["emitted"][~is_clear]].astype(np.int64) - streams.draw_range[0]
        node[~is_clear] = nodes.node_of_draw[draw]
    has_header = starts.copy()
    if count:
        has_header[1:] |= node[1:] != node[:-1]
    has_header &= ~is_clear
    headers = np.cumsum(has_header)
    first = np.searchsorted(tile, np.arange(tiles))
    records = np.bincount(tile[has_header], minlength=tiles)
    before = np.concatenate([[0], np.cumsum(records)])[:-1]
    place = np.arange(count) - first[tile] + headers - before[tile]
    lengths = np.bincount(tile, minlength=tiles) + records
    blocks = -(-lengths // POINTERS_PER_BLOCK)
    more = np.maximum(blocks - 1, 0)
    block_first = np.cumsum(more) - more
    base = LIST_ADDRESS // _LINE_BYTES + tiles

    def line(of: Array, at: Array) -> Array:
        block = at // POINTERS_PER_BLOCK
        return np.where(block == 0, streams.tiles["first_line"][of], base + block_first[of] + block - 1)

    old_lines = pairs["pointer_line"].copy()
    new_lines = line(tile, place)
    # The pointers in binning order know their tile by their line, and then their entry.
    tile_of = np.zeros(len(streams.pointer_lines), np.int64)
    header_lines = np.zeros(len(streams.pointer_lines), np.int64)
    if count and len(streams.emitted):
        lines, rows = np.unique(old_lines, return_index=True)
        known = np.searchsorted(lines, streams.pointer_lines).clip(0, len(lines) - 1)
        tile_of = tile[rows[known]]
        e0 = streams.part.emitted[0]
        binned = np.repeat(np.arange(len(streams.emitted)), streams.emitted["bin_count"])
        entries = np.flatnonzero(~is_clear)
        key = (pairs["emitted"][entries].astype(np.int64) - e0) * tiles + tile[entries]
        order = np.argsort(key, kind="stable")
        wanted = binned * tiles + tile_of[: len(binned)]
        entry = entries[order[np.searchsorted(key[order], wanted)]]
        streams.pointer_lines[: len(binned)] = new_lines[entry]
        headed = np.flatnonzero(has_header[entry])
        lines_before = line(tile[entry[headed]], place[entry[headed]] - 1)
        apart = lines_before != new_lines[entry[headed]]
        header_lines[headed[apart]] = lines_before[apart]
    link = np.full(count, -1, np.int64)
    if count:
        linked = np.flatnonzero((tile[1:] == tile[:-1]) & (new_lines[1:] != new_lines[:-1])) + 1
        link[linked] = new_lines[linked - 1]
    old_more = np.maximum(-(-(lengths - records) // POINTERS_PER_BLOCK) - 1, 0)
    streams.parameter_bytes += _LINE_BYTES * int((more - old_more).sum())
    pairs["pointer_line"] = new_lines
    pairs["link_line"] = link
    return Headers(header_lines, records, blocks, block_first)
