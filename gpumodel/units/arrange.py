"""Arranges a pass for the machine: reuse of vertices, lines to fetch, tile lists, quads in tile order, issue segments.

Hardware: the Vertex Fetcher, the Polygon List Builder and the driver find these things out as they go; what they find
does not depend on time, so it is computed once, and the units spend the cycles of finding it.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.units.kernels import Array, Int, inner, kernel
from gpumodel.units.types import (
    CLEARS,
    EMITTEDS,
    INT32S,
    INT64S,
    PAIRS,
    QUADS,
    SEGMENTS,
    TILES,
    UINT8S,
    UINT32S,
    VERTICES,
)

__all__ = [
    "POINTERS_PER_BLOCK",
    "build_lists",
    "count_segments",
    "fill_segments",
    "mark_reuse",
    "path_code",
    "segment_code",
    "size_lists",
    "vertex_lines",
]

#: A list block is a 64-byte line: a link and 15 pointers.
POINTERS_PER_BLOCK: Final = 15
#: Entries of 8 attributes that a primitive takes in the triangle and tile queues.
_ATTRIBUTES_PER_ENTRY: Final = 8


@kernel(types.void(INT32S, UINT32S, UINT32S, types.int64, types.int64, VERTICES, INT64S))
def mark_reuse(
    draw_of: Array, index: Array, instance: Array, first: Int, entries: Int, vertices: Array, buffer: Array
) -> None:
    """Set ``vertices.shaded``: 0 where the post-transform buffer (first in, first out, of one draw) has the result.

    Parameters
    ----------
    draw_of : (V,) int32, draw of each row of the pass
    index, instance : uint32 columns of the frame; the pass's rows start at ``first``
    buffer : (512,) int64, scratch
    """
    held = 0
    head = 0
    last_draw = -1
    for row in range(draw_of.size):
        if draw_of[row] != last_draw:
            last_draw = draw_of[row]
            held = 0
            head = 0
        vertices[row].draw = last_draw
        found = 0
        i = index[first + row]
        n = instance[first + row]
        for k in range(held):
            if buffer[2 * k] == i and buffer[2 * k + 1] == n:
                found = 1
                break
        vertices[row].shaded = 1 - found
        if found == 0 and entries > 0:
            buffer[2 * head] = i
            buffer[2 * head + 1] = n
            head = head + 1 if head + 1 < entries else 0
            held = min(held + 1, entries)


@kernel(
    types.int64(
        types.int64,
        VERTICES,
        types.int64,
        UINT32S,
        UINT32S,
        INT64S,
        INT64S,
        INT64S,
        INT64S,
        INT64S,
        INT64S,
        INT64S,
        INT64S,
    )
)
def vertex_lines(
    fill: Int,
    vertices: Array,
    first: Int,
    index: Array,
    instance: Array,
    index_address: Array,
    fetch_first: Array,
    fetch_count: Array,
    address: Array,
    stride: Array,
    size: Array,
    divisor: Array,
    lines: Array,
) -> Int:
    """List the cache lines that each vertex looks up; a line looked up last is not looked up again.

    Parameters
    ----------
    fill : 0 counts only (sets ``line_first`` and ``line_count``), 1 writes ``lines``
    fetch_first, fetch_count : (D,) rows of the fetch columns ``address`` ... ``divisor`` of each draw

    Returns
    -------
    number of lines
    """
    total = 0
    index_line = -1
    for row in range(vertices.size):
        v = vertices[row]
        begin = total
        if index_address[first + row] != 0:
            line = index_address[first + row] >> 6
            if line != index_line:
                index_line = line
                if fill:
                    lines[total] = line
                total += 1
        if v.shaded:
            last = -1
            for k in range(fetch_first[v.draw], fetch_first[v.draw] + fetch_count[v.draw]):
                if divisor[k] > 0:
                    start = address[k] + stride[k] * (instance[first + row] // divisor[k])
                else:
                    start = address[k] + stride[k] * index[first + row]
                for line in range(start >> 6, ((start + max(size[k], 1) - 1) >> 6) + 1):
                    if line != last:
                        last = line
                        if fill:
                            lines[total] = line
                        total += 1
        v.line_first = begin
        v.line_count = total - begin
    return total


@kernel(types.void(INT64S, INT64S, INT64S, INT64S, INT64S, INT64S, UINT8S, INT32S))
def count_segments(
    step_first: Array,
    step_count: Array,
    block: Array,
    instruction_first: Array,
    instruction_count: Array,
    issued_tex: Array,
    kind: Array,
    out: Array,
) -> None:
    """Number of texture instructions on each path: by its steps, or by its count where it has none."""
    for path in range(step_first.size):
        if step_count[path] == 0:
            out[path] = issued_tex[path]
            continue
        total = 0
        for step in range(step_first[path], step_first[path] + step_count[path]):
            begin = instruction_first[block[step]]
            for k in range(begin, begin + instruction_count[block[step]]):
                if kind[k] == 3:
                    total += 1
        out[path] = total


@kernel(types.void(INT64S, INT64S, INT64S, INT64S, INT64S, INT64S, INT64S, UINT8S, INT64S, INT64S, SEGMENTS))
def fill_segments(
    path_of: Array,
    first: Array,
    step_first: Array,
    step_count: Array,
    block: Array,
    instruction_first: Array,
    instruction_count: Array,
    kind: Array,
    cost: Array,
    path_cycles: Array,
    out: Array,
) -> None:
    """Issue cycles up to and with each texture instruction, and behind the last one, of each (path, texture count).

    Parameters
    ----------
    path_of : (S,) path of each list
    first : (S + 1,) where each list begins in ``out``; a list of n texture instructions has n + 1 entries
    cost : (6,) issue cycles by kind
    path_cycles : (P,) issue cycles of each path, for those that have no steps or another number of texture instructions
    """
    for k in range(path_of.size):
        path = path_of[k]
        begin = first[k]
        count = first[k + 1] - begin
        at = 0
        cycles = 0
        total = 0
        for step in range(step_first[path], step_first[path] + step_count[path]):
            start = instruction_first[block[step]]
            for i in range(start, start + instruction_count[block[step]]):
                cycles += cost[kind[i]]
                if kind[i] == 3:
                    if at < count - 1:
                        out[begin + at].cycles = cycles
                    total += cycles
                    cycles = 0
                    at += 1
        if step_count[path] > 0 and at == count - 1:
            out[begin + at].cycles = cycles
            total += cycles
        else:
            # Spread evenly (DESIGN §3.2's fallback).
            total = path_cycles[path]
            for i in range(count):
                out[begin + i].cycles = total * (i + 1) // count - total * i // count
        if total == 0:
            # Every thread issues its end.
            out[begin + count - 1].cycles = 1


@kernel(
    types.int64(
        types.int64, INT64S, INT64S, INT64S, INT64S, INT64S, INT64S, INT64S, UINT8S, INT64S, SEGMENTS, INT64S,
    )
)  # fmt: skip
def segment_code(
    fill: Int,
    path_of: Array,
    first: Array,
    step_first: Array,
    step_count: Array,
    block: Array,
    instruction_first: Array,
    instruction_count: Array,
    kind: Array,
    line_of: Array,
    segments: Array,
    lines: Array,
) -> Int:
    """List the lines of code of each segment; a line fetched last is not fetched again.

    Parameters
    ----------
    fill : 0 counts only (sets ``line_first`` and ``line_count``), 1 writes ``lines``
    line_of : (I,) line of each instruction
    path_of ... kind : as for :func:`fill_segments`; paths without steps, or whose steps have another number of texture
        instructions, get no lines

    Returns
    -------
    number of lines
    """
    total = 0
    for k in range(path_of.size):
        path = path_of[k]
        at = first[k]
        end = first[k + 1]
        last = -1
        begin = total
        for step in range(step_first[path], step_first[path] + step_count[path]):
            start = instruction_first[block[step]]
            for i in range(start, start + instruction_count[block[step]]):
                if at >= end:
                    break
                if line_of[i] != last:
                    last = line_of[i]
                    if fill:
                        lines[total] = last
                    total += 1
                if kind[i] == 3:
                    segments[at].line_first = begin
                    segments[at].line_count = total - begin
                    begin = total
                    last = -1
                    at += 1
        if at < end:
            segments[at].line_first = begin
            segments[at].line_count = total - begin
    return total


@kernel(types.int64(types.int64, INT64S, INT64S, INT64S, INT64S, INT64S, INT64S, INT64S, INT64S, INT64S))
def path_code(
    fill: Int,
    step_first: Array,
    step_count: Array,
    block: Array,
    instruction_first: Array,
    instruction_count: Array,
    line_of: Array,
    code_first: Array,
    code_count: Array,
    lines: Array,
) -> Int:
    """List the lines of code of each path, each once; as :func:`segment_code`, into ``code_first``, ``code_count``."""
    total = code_first[0]
    for path in range(step_first.size):
        begin = total
        last = -1
        for step in range(step_first[path], step_first[path] + step_count[path]):
            start = instruction_first[block[step]]
            for i in range(start, start + instruction_count[block[step]]):
                if line_of[i] == last:
                    continue
                last = line_of[i]
                known = 0
                if fill:
                    for j in range(begin, total):
                        if lines[j] == last:
                            known = 1
                            break
                if known == 0:
                    if fill:
                        lines[total] = last
                    total += 1
        code_first[path] = begin
        code_count[path] = total - begin
    return total


@inner(types.int64(INT32S, INT32S, types.int64, types.int64, types.int64, types.int64, types.int64, types.int64))
def _misses_rectangle(x: Array, y: Array, base: Int, area_sign: Int, x0: Int, y0: Int, x1: Int, y1: Int) -> Int:
    """Tell whether a triangle (fixed point, rows ``base`` ... ``base + 2``) lies outside a rectangle by one of its
    edges.
    """
    for k in range(3):
        a = base + k
        b = base + (k + 1) % 3
        dx = np.int64(x[b]) - np.int64(x[a])
        dy = np.int64(y[b]) - np.int64(y[a])
        # Edge function dx * (py - ya) - dy * (px - xa), at the corner where it is largest for this orientation.
        if area_sign > 0:
            px = x0 if dy > 0 else x1
            py = y1 if dx > 0 else y0
            if dx * (py - y[a]) - dy * (px - x[a]) < 0:
                return 1
        else:
            px = x1 if dy > 0 else x0
            py = y0 if dx > 0 else y1
            if dx * (py - y[a]) - dy * (px - x[a]) > 0:
                return 1
    return 0


@inner(
    types.int64(
        INT32S, INT32S, types.int64, types.int64, types.int64, types.int64, types.int64, types.int64, types.int64
    )
)
def _overlaps(
    x: Array, y: Array, row: Int, corners: Int, exact: Int, tile_x: Int, tile_y: Int, width: Int, height: Int
) -> Int:
    """Tell whether an emitted primitive overlaps a tile that its bounds overlap."""
    if exact == 0 or corners < 3:
        return 1
    base = 3 * row
    area = (np.int64(x[base + 1]) - x[base]) * (np.int64(y[base + 2]) - y[base]) - (np.int64(x[base + 2]) - x[base]) * (
        np.int64(y[base + 1]) - y[base]
    )
    if area == 0:
        return 1
    return 1 - _misses_rectangle(
        x,
        y,
        base,
        1 if area > 0 else -1,
        tile_x * width * 256,
        tile_y * height * 256,
        (tile_x + 1) * width * 256,
        (tile_y + 1) * height * 256,
    )


_LIST_ARGUMENTS: Final = (
    types.int64, types.int64, types.int64, types.int64, types.int64, types.int64,
    INT32S, INT32S, INT32S, UINT8S, INT64S, INT32S, INT32S,
)  # fmt: skip


@kernel(types.void(*_LIST_ARGUMENTS, INT32S, CLEARS, INT32S, INT32S, INT32S))
def size_lists(
    first: Int,
    exact: Int,
    width: Int,
    height: Int,
    across: Int,
    down: Int,
    x: Array,
    y: Array,
    bounds: Array,
    corners: Array,
    quad_range: Array,
    quad_tile: Array,
    tile_scratch: Array,
    bin_count: Array,
    clears: Array,
    tile_pairs: Array,
    tile_quads: Array,
    clear_pairs: Array,
) -> None:
    """Count pairs and quads of each tile, and tiles of each emitted primitive.

    Parameters
    ----------
    first : the pass's first row of emitted
    exact : 1 tests edges, 0 takes the bounding box
    width, height : of a tile, pixels; ``across`` x ``down`` tiles
    x, y : (3 E,) fixed point; bounds : (4 E,) pixels, inclusive; corners : (E,)
    quad_range : (N + 1,) first quad of each of the pass's N emitted primitives, relative to ``quad_tile``
    quad_tile : (Q,) tile of each quad
    tile_scratch : (T,) zeros, left as zeros
    """
    for e in range(quad_range.size - 1):
        row = first + e
        count = 0
        for q in range(quad_range[e], quad_range[e + 1]):
            tile = quad_tile[q]
            if tile_scratch[tile] == 0:
                count += 1
                tile_pairs[tile] += 1
            tile_scratch[tile] += 1
            tile_quads[tile] += 1
        x0 = max(bounds[4 * row], 0) // width
        y0 = max(bounds[4 * row + 1], 0) // height
        x1 = min(bounds[4 * row + 2] // width, across - 1)
        y1 = min(bounds[4 * row + 3] // height, down - 1)
        for ty in range(y0, y1 + 1):
            for tx in range(x0, x1 + 1):
                tile = ty * across + tx
                if tile_scratch[tile] == 0 and _overlaps(x, y, row, corners[row], exact, tx, ty, width, height):
                    count += 1
                    tile_pairs[tile] += 1
        for q in range(quad_range[e], quad_range[e + 1]):
            tile_scratch[quad_tile[q]] = 0
        bin_count[e] = count
    for c in range(clears.size):
        count = 0
        for ty in range(max(clears[c].y0, 0) // height, min((clears[c].y1 - 1) // height, down - 1) + 1):
            for tx in range(max(clears[c].x0, 0) // width, min((clears[c].x1 - 1) // width, across - 1) + 1):
                tile_pairs[ty * across + tx] += 1
                count += 1
        clear_pairs[c] = count


@inner(types.void(PAIRS, types.int64, TILES, INT32S, INT64S, INT64S, types.int64))
def _add_pair(
    pairs: Array, pair: Int, tiles: Array, filled: Array, tile_block: Array, blocks: Array, tile: Int
) -> None:
    """Give the next entry of a tile's list its place in the chain of blocks."""
    k = filled[tile]
    filled[tile] = k + 1
    pairs[pair].link_line = -1
    if k == 0:
        tile_block[tile] = tiles[tile].first_line
    elif k % POINTERS_PER_BLOCK == 0:
        pairs[pair].link_line = tile_block[tile]
        tile_block[tile] = blocks[0]
        blocks[0] += 1
    pairs[pair].pointer_line = tile_block[tile]
    pairs[pair].clear = -1


@kernel(
    types.void(*_LIST_ARGUMENTS, EMITTEDS, CLEARS, INT32S, TILES, INT32S, INT64S, INT64S, INT64S, PAIRS, INT64S, INT32S)
)
def build_lists(
    first: Int,
    exact: Int,
    width: Int,
    height: Int,
    across: Int,
    down: Int,
    x: Array,
    y: Array,
    bounds: Array,
    corners: Array,
    quad_range: Array,
    quad_tile: Array,
    tile_pair: Array,
    emitted: Array,
    clears: Array,
    clear_before: Array,
    tiles: Array,
    filled: Array,
    tile_block: Array,
    blocks: Array,
    tile_quad: Array,
    pairs: Array,
    pointer_lines: Array,
    quad_row: Array,
) -> None:
    """Write the tile lists in submission order, the pointers in binning order, and the place of each quad.

    Parameters
    ----------
    tile_pair : (T,) zeros, left as zeros: 1 + pair of the primitive at hand in each tile
    clear_before : (C,) number of the pass's emitted primitives before each clear, ascending
    filled : (T,) zeros; tile_block : (T,); blocks : (1,) line of the next free list block
    tile_quad : (T,) next free quad place of each tile
    quad_row : (Q,) out, place of each quad in tile order
    """
    count = quad_range.size - 1
    clear = 0
    for e in range(count + 1):
        while clear < clears.size and clear_before[clear] <= e:
            c = clears[clear]
            for ty in range(max(c.y0, 0) // height, min((c.y1 - 1) // height, down - 1) + 1):
                for tx in range(max(c.x0, 0) // width, min((c.x1 - 1) // width, across - 1) + 1):
                    tile = ty * across + tx
                    pair = tiles[tile].pair_first + filled[tile]
                    _add_pair(pairs, pair, tiles, filled, tile_block, blocks, tile)
                    pairs[pair].clear = clear
                    pairs[pair].entries = 1
                    pairs[pair].attributes = 0
                    pairs[pair].emitted = -1
                    pairs[pair].draw = -1
                    pairs[pair].quad_first = tile_quad[tile]
                    pairs[pair].quad_count = 0
            clear += 1
        if e == count:
            break
        row = first + e
        out = emitted[e].bin_first
        for q in range(quad_range[e], quad_range[e + 1]):
            tile = quad_tile[q]
            if tile_pair[tile] == 0:
                tile_pair[tile] = -1
        x0 = max(bounds[4 * row], 0) // width
        y0 = max(bounds[4 * row + 1], 0) // height
        x1 = min(bounds[4 * row + 2] // width, across - 1)
        y1 = min(bounds[4 * row + 3] // height, down - 1)
        for step in range(2):
            # Tiles in row order first; quads outside the bounds (a trace may hold them) name their tiles themselves.
            low = 0 if step == 0 else quad_range[e]
            high = (max(y1 - y0 + 1, 0) * max(x1 - x0 + 1, 0)) if step == 0 else quad_range[e + 1]
            for k in range(low, high):
                if step == 0:
                    tx = x0 + k % (x1 - x0 + 1)
                    ty = y0 + k // (x1 - x0 + 1)
                    tile = ty * across + tx
                    if tile_pair[tile] == 0 and not _overlaps(x, y, row, corners[row], exact, tx, ty, width, height):
                        continue
                else:
                    tile = quad_tile[k]
                    if tile_pair[tile] != -1:
                        continue
                pair = tiles[tile].pair_first + filled[tile]
                tile_pair[tile] = pair + 1
                _add_pair(pairs, pair, tiles, filled, tile_block, blocks, tile)
                pairs[pair].emitted = row
                pairs[pair].draw = emitted[e].draw
                pairs[pair].attributes = emitted[e].attributes
                pairs[pair].entries = emitted[e].entries
                pairs[pair].attribute_address = emitted[e].attribute_address
                pairs[pair].quad_first = tile_quad[tile]
                pairs[pair].quad_count = 0
                pointer_lines[out] = pairs[pair].pointer_line
                out += 1
        for q in range(quad_range[e], quad_range[e + 1]):
            tile = quad_tile[q]
            quad_row[q] = tile_quad[tile]
            tile_quad[tile] += 1
            pairs[tile_pair[tile] - 1].quad_count += 1
        for k in range(max(y1 - y0 + 1, 0) * max(x1 - x0 + 1, 0)):
            tile_pair[(y0 + k // (x1 - x0 + 1)) * across + x0 + k % (x1 - x0 + 1)] = 0
        for q in range(quad_range[e], quad_range[e + 1]):
            tile_pair[quad_tile[q]] = 0


@kernel(
    types.void(
        types.int64, INT32S, INT32S, UINT8S, INT64S, INT64S, INT32S, INT64S, UINT8S, UINT8S, UINT32S, types.int64,
        UINT8S, INT32S, QUADS,
    )
)  # fmt: skip
def place_quads(
    first: Int,
    quad_row: Array,
    draw: Array,
    back: Array,
    segment_first: Array,
    segment_end: Array,
    list_of: Array,
    op_first: Array,
    coverage: Array,
    survives: Array,
    depth: Array,
    period: Int,
    quad_map: Array,
    position: Array,
    out: Array,
) -> None:
    """Write the quads of a pass, whose first row is ``first``, in tile order; ``out`` has their tiles.

    Parameters
    ----------
    period, quad_map : rows, and (period x quads of a tile,) processor of each position; a tile's row is its number in
        rendering order modulo the period
    """
    tile_quads = quad_map.size // period
    for q in range(quad_row.size):
        row = first + q
        o = out[quad_row[q]]
        o.draw = draw[q]
        o.segment = segment_first[list_of[q]]
        o.segment_end = segment_end[list_of[q]]
        o.op = op_first[row]
        o.row = row
        o.position = position[q]
        o.coverage = coverage[row] & 15
        o.survives = survives[row]
        o.back = back[q]
        o.processor = quad_map[o.tile % period * tile_quads + position[q]]
        for f in range(4):
            o.depth[f] = depth[4 * row + f]
