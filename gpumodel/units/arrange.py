"""Arranges a pass for the machine: reuse of vertices, lines to fetch, tile lists, quads in tile order, issue segments.

Hardware: the Vertex Fetcher, the Polygon List Builder and the driver find these things out as they go; what they find
does not depend on time, so it is computed once, and the units spend the cycles of finding it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numba import types

from gpumodel.units.kernels import Array, Int, Record, inner, kernel
from gpumodel.units.types import (
    CLEAR_T,
    CLEARS,
    EMITTED_T,
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
    "Binning",
    "Fetches",
    "Lists",
    "QuadColumns",
    "Steps",
    "build_lists",
    "count_segments",
    "fill_segments",
    "mark_reuse",
    "path_code",
    "place_quads",
    "segment_code",
    "size_lists",
    "vertex_lines",
]

#: A list block is a 64-byte line: a link and 15 pointers.
POINTERS_PER_BLOCK: Final = 15
#: Entries of 8 attributes that a primitive takes in the triangle and tile queues.
_ATTRIBUTES_PER_ENTRY: Final = 8


class Fetches(NamedTuple):
    """What vertices read: rows ``first``, ``count`` of the other columns for each draw (D,), and where those lie."""

    first: Array
    count: Array
    address: Array
    stride: Array
    size: Array
    divisor: Array


class Steps(NamedTuple):
    """Blocks that each path goes through, and their instructions.

    Parameters
    ----------
    first, count : (P,) rows of ``block`` of each path; paths that are too many have none
    block : (S,) block of each step
    instruction_first, instruction_count : (B,) rows of ``kind`` of each block
    kind : (I,) kind of each instruction
    """

    first: Array
    count: Array
    block: Array
    instruction_first: Array
    instruction_count: Array
    kind: Array


class Binning(NamedTuple):
    """Emitted primitives of a frame, those of a pass, and the tiles that they are sorted into.

    Parameters
    ----------
    first : the pass's first row of emitted
    exact : 1 tests edges, 0 takes the bounding box
    width, height : of a tile, pixels; ``across`` x ``down`` tiles
    x, y : (3 E,) fixed point; bounds : (4 E,) pixels, inclusive; corners : (E,)
    quad_range : (N + 1,) first quad of each of the pass's N emitted primitives, relative to ``quad_tile``
    quad_tile : (Q,) tile of each quad
    """

    first: Int
    exact: Int
    width: Int
    height: Int
    across: Int
    down: Int
    x: Array
    y: Array
    bounds: Array
    corners: Array
    quad_range: Array
    quad_tile: Array


class Lists(NamedTuple):
    """Tile lists that are being written.

    Parameters
    ----------
    tiles : (T,) TILE; ``pair_first`` is where a tile's list begins
    filled : (T,) zeros; tile_block : (T,); blocks : (1,) line of the next free list block
    tile_quad : (T,) row of the next quad of each tile, in tile order
    pairs : PAIR, out
    """

    tiles: Array
    filled: Array
    tile_block: Array
    blocks: Array
    tile_quad: Array
    pairs: Array


class QuadColumns(NamedTuple):
    """What a quad's row in tile order is made of.

    Parameters
    ----------
    draw, back, list_of, position : of the pass's quads
    op_first, coverage, survives, depth : columns of the frame
    segment_first, segment_end : of each list of segments
    """

    draw: Array
    back: Array
    list_of: Array
    position: Array
    op_first: Array
    coverage: Array
    survives: Array
    depth: Array
    segment_first: Array
    segment_end: Array


_FETCHES: Final = types.NamedUniTuple(INT64S, 6, Fetches)
_STEPS: Final = types.NamedTuple([INT64S] * 5 + [UINT8S], Steps)
_BINNING: Final = types.NamedTuple([types.int64] * 6 + [INT32S, INT32S, INT32S, UINT8S, INT64S, INT32S], Binning)
_LISTS: Final = types.NamedTuple([TILES, INT32S, INT64S, INT64S, INT64S, PAIRS], Lists)
_QUAD_COLUMNS: Final = types.NamedTuple(
    [INT32S, UINT8S, INT32S, INT32S, INT64S, UINT8S, UINT8S, UINT32S, INT64S, INT64S], QuadColumns
)


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


@kernel(types.int64(types.int64, VERTICES, types.int64, UINT32S, UINT32S, INT64S, _FETCHES, INT64S))
def vertex_lines(
    fill: Int,
    vertices: Array,
    first: Int,
    index: Array,
    instance: Array,
    index_address: Array,
    fetches: Fetches,
    lines: Array,
) -> Int:
    """List the cache lines that each vertex looks up; a line looked up last is not looked up again.

    Parameters
    ----------
    fill : 0 counts only (sets ``line_first`` and ``line_count``), 1 writes ``lines``

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
            for k in range(fetches.first[v.draw], fetches.first[v.draw] + fetches.count[v.draw]):
                if fetches.divisor[k] > 0:
                    start = fetches.address[k] + fetches.stride[k] * (instance[first + row] // fetches.divisor[k])
                else:
                    start = fetches.address[k] + fetches.stride[k] * index[first + row]
                for line in range(start >> 6, ((start + max(fetches.size[k], 1) - 1) >> 6) + 1):
                    if line != last:
                        last = line
                        if fill:
                            lines[total] = line
                        total += 1
        v.line_first = begin
        v.line_count = total - begin
    return total


@kernel(types.void(_STEPS, INT64S, INT32S))
def count_segments(steps: Steps, issued_tex: Array, out: Array) -> None:
    """Number of texture instructions on each path: by its steps, or by its count where it has none."""
    for path in range(steps.first.size):
        if steps.count[path] == 0:
            out[path] = issued_tex[path]
            continue
        total = 0
        for step in range(steps.first[path], steps.first[path] + steps.count[path]):
            begin = steps.instruction_first[steps.block[step]]
            for k in range(begin, begin + steps.instruction_count[steps.block[step]]):
                if steps.kind[k] == 3:
                    total += 1
        out[path] = total


@kernel(types.void(INT64S, INT64S, _STEPS, INT64S, INT64S, SEGMENTS))
def fill_segments(path_of: Array, first: Array, steps: Steps, cost: Array, path_cycles: Array, out: Array) -> None:
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
        for step in range(steps.first[path], steps.first[path] + steps.count[path]):
            start = steps.instruction_first[steps.block[step]]
            for i in range(start, start + steps.instruction_count[steps.block[step]]):
                cycles += cost[steps.kind[i]]
                if steps.kind[i] == 3:
                    if at < count - 1:
                        out[begin + at].cycles = cycles
                    total += cycles
                    cycles = 0
                    at += 1
        if steps.count[path] > 0 and at == count - 1:
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


@kernel(types.int64(types.int64, INT64S, INT64S, _STEPS, INT64S, SEGMENTS, INT64S))
def segment_code(
    fill: Int, path_of: Array, first: Array, steps: Steps, line_of: Array, segments: Array, lines: Array
) -> Int:
    """List the lines of code of each segment; a line fetched last is not fetched again.

    Parameters
    ----------
    fill : 0 counts only (sets ``line_first`` and ``line_count``), 1 writes ``lines``
    line_of : (I,) line of each instruction
    path_of, first : as for :func:`fill_segments`; paths without steps, or whose steps have another number of texture
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
        for step in range(steps.first[path], steps.first[path] + steps.count[path]):
            start = steps.instruction_first[steps.block[step]]
            for i in range(start, start + steps.instruction_count[steps.block[step]]):
                if at >= end:
                    break
                if line_of[i] != last:
                    last = line_of[i]
                    if fill:
                        lines[total] = last
                    total += 1
                if steps.kind[i] == 3:
                    segments[at].line_first = begin
                    segments[at].line_count = total - begin
                    begin = total
                    last = -1
                    at += 1
        if at < end:
            segments[at].line_first = begin
            segments[at].line_count = total - begin
    return total


@kernel(types.int64(types.int64, _STEPS, INT64S, INT64S, INT64S, INT64S))
def path_code(fill: Int, steps: Steps, line_of: Array, code_first: Array, code_count: Array, lines: Array) -> Int:
    """List the lines of code of each path, each once; as :func:`segment_code`, into ``code_first``, ``code_count``."""
    total = code_first[0]
    for path in range(steps.first.size):
        begin = total
        last = -1
        for step in range(steps.first[path], steps.first[path] + steps.count[path]):
            start = steps.instruction_first[steps.block[step]]
            for i in range(start, start + steps.instruction_count[steps.block[step]]):
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


@inner(types.int64(_BINNING, types.int64, types.int64, types.int64))
def _overlaps(b: Binning, row: Int, tile_x: Int, tile_y: Int) -> Int:
    """Tell whether an emitted primitive overlaps a tile that its bounds overlap."""
    if b.exact == 0 or b.corners[row] < 3:
        return 1
    base = 3 * row
    ax, ay = np.int64(b.x[base]), np.int64(b.y[base])
    area = (b.x[base + 1] - ax) * (b.y[base + 2] - ay) - (b.x[base + 2] - ax) * (b.y[base + 1] - ay)
    if area == 0:
        return 1
    x0 = tile_x * b.width * 256
    y0 = tile_y * b.height * 256
    orientation = 1 if area > 0 else -1
    return 1 - _misses_rectangle(b.x, b.y, base, orientation, x0, y0, x0 + b.width * 256, y0 + b.height * 256)


@inner(types.UniTuple(types.int64, 4)(_BINNING, types.int64))
def _tiles_of(b: Binning, row: Int) -> tuple[Int, Int, Int, Int]:
    """Tiles (x0, y0, x1, y1, inclusive) that the bounds of an emitted primitive overlap."""
    return (
        np.int64(max(b.bounds[4 * row], 0) // b.width),
        np.int64(max(b.bounds[4 * row + 1], 0) // b.height),
        np.int64(min(b.bounds[4 * row + 2] // b.width, b.across - 1)),
        np.int64(min(b.bounds[4 * row + 3] // b.height, b.down - 1)),
    )


@inner(types.UniTuple(types.int64, 4)(_BINNING, CLEAR_T))
def _tiles_of_clear(b: Binning, c: Record) -> tuple[Int, Int, Int, Int]:
    """Tiles (x0, y0, x1, y1, inclusive) that a clear overlaps, whose rectangle does not reach out of the pass."""
    return (
        np.int64(c.x0 // b.width),
        np.int64(c.y0 // b.height),
        np.int64((c.x1 - 1) // b.width),
        np.int64((c.y1 - 1) // b.height),
    )


@kernel(types.void(_BINNING, INT32S, INT32S, CLEARS, INT32S, INT32S, INT32S))
def size_lists(
    b: Binning,
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
    tile_scratch : (T,) zeros, left as zeros
    """
    for e in range(b.quad_range.size - 1):
        row = b.first + e
        count = 0
        for q in range(b.quad_range[e], b.quad_range[e + 1]):
            tile = b.quad_tile[q]
            if tile_scratch[tile] == 0:
                count += 1
                tile_pairs[tile] += 1
            tile_scratch[tile] += 1
            tile_quads[tile] += 1
        x0, y0, x1, y1 = _tiles_of(b, row)
        for ty in range(y0, y1 + 1):
            for tx in range(x0, x1 + 1):
                tile = ty * b.across + tx
                if tile_scratch[tile] == 0 and _overlaps(b, row, tx, ty):
                    count += 1
                    tile_pairs[tile] += 1
        for q in range(b.quad_range[e], b.quad_range[e + 1]):
            tile_scratch[b.quad_tile[q]] = 0
        bin_count[e] = count
    for c in range(clears.size):
        count = 0
        x0, y0, x1, y1 = _tiles_of_clear(b, clears[c])
        for ty in range(y0, y1 + 1):
            for tx in range(x0, x1 + 1):
                tile_pairs[ty * b.across + tx] += 1
                count += 1
        clear_pairs[c] = count


@inner(types.int64(_LISTS, types.int64))
def _add_pair(w: Lists, tile: Int) -> Int:
    """Give the next entry of a tile's list its place in the chain of blocks; gives its row."""
    k = w.filled[tile]
    w.filled[tile] = k + 1
    pair = np.int64(w.tiles[tile].pair_first + k)
    p = w.pairs[pair]
    p.link_line = -1
    if k == 0:
        w.tile_block[tile] = w.tiles[tile].first_line
    elif k % POINTERS_PER_BLOCK == 0:
        p.link_line = w.tile_block[tile]
        w.tile_block[tile] = w.blocks[0]
        w.blocks[0] += 1
    p.pointer_line = w.tile_block[tile]
    p.clear = -1
    p.quad_first = w.tile_quad[tile]
    p.quad_count = 0
    return pair


@inner(types.void(_LISTS, _BINNING, CLEAR_T, types.int64))
def _list_clear(w: Lists, b: Binning, c: Record, number: Int) -> None:
    """Put a clear into the lists of the tiles that it overlaps."""
    x0, y0, x1, y1 = _tiles_of_clear(b, c)
    for ty in range(y0, y1 + 1):
        for tx in range(x0, x1 + 1):
            p = w.pairs[_add_pair(w, ty * b.across + tx)]
            p.clear = number
            p.entries = 1
            p.attributes = 0
            p.emitted = -1
            p.draw = -1


@inner(types.int64(_LISTS, types.int64, EMITTED_T, types.int64, INT32S))
def _list_primitive(w: Lists, tile: Int, e: Record, row: Int, tile_pair: Array) -> Int:
    """Put an emitted primitive into a tile's list; gives the line of its pointer."""
    pair = _add_pair(w, tile)
    tile_pair[tile] = pair + 1
    p = w.pairs[pair]
    p.emitted = row
    p.draw = e.draw
    p.attributes = e.attributes
    p.entries = e.entries
    p.attribute_address = e.attribute_address
    return np.int64(p.pointer_line)


@kernel(types.void(_BINNING, INT32S, EMITTEDS, CLEARS, INT32S, _LISTS, INT64S, INT32S))
def build_lists(
    b: Binning,
    tile_pair: Array,
    emitted: Array,
    clears: Array,
    clear_before: Array,
    w: Lists,
    pointer_lines: Array,
    quad_row: Array,
) -> None:
    """Write the tile lists in submission order, the pointers in binning order, and the row of each quad in tile order.

    Parameters
    ----------
    tile_pair : (T,) zeros, left as zeros: 1 + pair of the primitive at hand in each tile, -1 where it has quads alone
    clear_before : (C,) number of the pass's emitted primitives before each clear, ascending
    quad_row : (Q,) out
    """
    count = b.quad_range.size - 1
    clear = 0
    for e in range(count + 1):
        while clear < clears.size and clear_before[clear] <= e:
            _list_clear(w, b, clears[clear], clear)
            clear += 1
        if e == count:
            break
        row = b.first + e
        out = emitted[e].bin_first
        q0, q1 = b.quad_range[e], b.quad_range[e + 1]
        for q in range(q0, q1):
            tile_pair[b.quad_tile[q]] = -1
        x0, y0, x1, y1 = _tiles_of(b, row)
        for ty in range(y0, y1 + 1):
            for tx in range(x0, x1 + 1):
                tile = ty * b.across + tx
                if tile_pair[tile] != 0 or _overlaps(b, row, tx, ty):
                    pointer_lines[out] = _list_primitive(w, tile, emitted[e], row, tile_pair)
                    out += 1
        # Quads outside the bounds (a trace may hold them) name their tiles themselves.
        for q in range(q0, q1):
            tile = b.quad_tile[q]
            if tile_pair[tile] == -1:
                pointer_lines[out] = _list_primitive(w, tile, emitted[e], row, tile_pair)
                out += 1
        for q in range(q0, q1):
            tile = b.quad_tile[q]
            quad_row[q] = w.tile_quad[tile]
            w.tile_quad[tile] += 1
            w.pairs[tile_pair[tile] - 1].quad_count += 1
        for ty in range(y0, y1 + 1):
            for tx in range(x0, x1 + 1):
                tile_pair[ty * b.across + tx] = 0
        for q in range(q0, q1):
            tile_pair[b.quad_tile[q]] = 0


@kernel(types.void(types.int64, INT32S, _QUAD_COLUMNS, INT64S, UINT8S, QUADS))
def place_quads(first: Int, quad_row: Array, of: QuadColumns, map_first: Array, quad_map: Array, out: Array) -> None:
    """Write the quads of a pass, whose first row is ``first``, in tile order; ``out`` has their tiles.

    Parameters
    ----------
    map_first, quad_map : where each tile's map begins, by number in rendering order, and the processor of each position
    """
    for q in range(quad_row.size):
        row = first + q
        o = out[quad_row[q]]
        o.draw = of.draw[q]
        o.segment = of.segment_first[of.list_of[q]]
        o.segment_end = of.segment_end[of.list_of[q]]
        o.op = of.op_first[row]
        o.row = row
        o.position = of.position[q]
        o.coverage = of.coverage[row] & 15
        o.survives = of.survives[row]
        o.back = of.back[q]
        o.processor = quad_map[map_first[o.tile] + of.position[q]]
        for f in range(4):
            o.depth[f] = of.depth[4 * row + f]
