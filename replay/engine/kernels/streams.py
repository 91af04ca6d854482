"""Which vertices a draw reads: the usual case, one instance without restart, in one call."""

from __future__ import annotations

import numpy as np

from replay.engine.kernels.access import listing_at, stream_at
from replay.kernels import Int, entry, inner
from traceformat.native.access import array_at

__all__ = ["list_vertices"]


@inner("int64(int64, int64, int64)")
def _index(address: Int, index_bytes: Int, k: Int) -> Int:
    """Index k of an array of one, two or four bytes each."""
    if index_bytes == 1:
        return np.int64(array_at(address + k, 1, np.uint8)[0])
    if index_bytes == 2:
        return np.int64(array_at(address + 2 * k, 1, np.uint16)[0])
    return np.int64(array_at(address + 4 * k, 1, np.uint32)[0])


@inner("int64(int64)")
def _number_lanes(listing_address: Int) -> Int:
    """Lanes of an indexed draw: its distinct vertices, ascending; -1 where they lie too far apart."""
    listing = listing_at(listing_address)
    stream = stream_at(listing.stream)
    n = stream.num_rows
    low = high = listing.base_vertex + _index(listing.indices, listing.index_bytes, 0)
    for k in range(1, n):
        vertex = listing.base_vertex + _index(listing.indices, listing.index_bytes, k)
        low, high = min(low, vertex), max(high, vertex)
    span = high - low + 1
    if span > listing.used_words:
        return -1
    used = array_at(listing.used, span, np.int32)
    for k in range(span):
        used[k] = 0
    for k in range(n):
        used[listing.base_vertex + _index(listing.indices, listing.index_bytes, k) - low] = 1
    lane_index = array_at(stream.lane_index, n, np.int64)
    lanes = 0
    for k in range(span):
        if used[k] != 0:
            lane_index[lanes] = low + k
            used[k] = lanes
            lanes += 1
    index = array_at(stream.index, n, np.uint32)
    lane = array_at(stream.lane, n, np.uint32)
    for k in range(n):
        vertex = listing.base_vertex + _index(listing.indices, listing.index_bytes, k)
        index[k] = np.uint32(vertex & 0xFFFFFFFF)
        lane[k] = used[vertex - low]
    return lanes


@entry
def list_vertices(address: Int) -> Int:
    """Fill the arrays of a LISTING's stream; returns the number of lanes, -1 where vertices lie too far apart."""
    listing = listing_at(address)
    stream = stream_at(listing.stream)
    n = stream.num_rows
    lanes = n
    if listing.index_bytes != 0:
        lanes = _number_lanes(address)
        if lanes < 0:
            return -1
    else:
        index = array_at(stream.index, n, np.uint32)
        lane = array_at(stream.lane, n, np.uint32)
        lane_index = array_at(stream.lane_index, n, np.int64)
        for k in range(n):
            index[k] = np.uint32((listing.first + k) & 0xFFFFFFFF)
            lane[k] = np.uint32(k)
            lane_index[k] = listing.first + k
    instance = array_at(stream.instance, n, np.uint32)
    position = array_at(stream.position, n, np.int64)
    for k in range(n):
        instance[k] = np.uint32(0)
        position[k] = k
    lane_instance = array_at(stream.lane_instance, lanes, np.int64)
    for k in range(lanes):
        lane_instance[k] = 0
    array_at(stream.run_first, 1, np.int64)[0] = 0
    array_at(stream.run_count, 1, np.int64)[0] = n
    stream.num_lanes = lanes
    return lanes
