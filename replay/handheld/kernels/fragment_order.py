"""Stencil and depth test of fragments in the order of the traversal, z-min and z-max culling, and the accesses.

Culling (§4.3) keeps one row of tiles on-chip: for each tile z-min (and z-max), and whether this triangle has visited
it, is surely visible there, or surely hidden. Where it is surely visible the depth buffer is not read, and the test
passes unseen; where it is surely hidden, it fails unseen. So pictures are right only if the bounds are.

Accesses are written as codes of :mod:`traceformat.gputrace.accessstream`. Two kinds stand for what is filled in later,
when the shader has run: :data:`LOOKUP` (the texture look-ups of one shading) and :data:`REREAD` (all depth values of
a tile).
"""

# mypy: ignore-errors
# Numba's signatures type what is compiled.
from __future__ import annotations

from typing import Final

import numba
import numpy as np

from replay.engine.kernels.records import TEST_DTYPE
from replay.kernels import kernel
from traceformat.gputrace.accessstream import KIND_SHIFT, PLACE_MASK, AccessKind

__all__ = ["COUNT_NAMES", "LOOKUP", "PASS_DTYPE", "REREAD", "TILE_DTYPE", "num_codes", "test_fragments"]

#: Codes that :func:`replay.handheld.kernels.stream.expand` replaces.
LOOKUP: Final = 14
REREAD: Final = 15

#: What a draw does beside the tests; places count 16-bit values.
PASS_DTYPE: Final = np.dtype(
    [
        ("emits", "<i4"),  # accesses are wanted
        ("reads_color", "<i4"),  # blending or a partial mask
        ("writes_color", "<i4"),
        ("has_lookups", "<i4"),
        ("tests_late", "<i4"),  # the shader writes the depth: it comes before the test
        ("stored", "<i4"),  # samples of a stored pixel
        ("pitch", "<i4"),  # stored pixels of a row
        ("z_base", "<i8"),
        ("color_base", "<i8"),
        ("stencil_base", "<i8"),
        ("tile_base", "<i8"),
        ("zmin", "<i4"),
        ("zmax", "<i4"),
        ("tile_shift", "<i4"),
        ("plane_bound", "<i4"),  # bounds of the triangle's plane in the tile, not of its vertices
        ("enter_visited", "<i4"),
        ("write_changed", "<i4"),
        ("max_z", "<i8"),
    ]
)
#: A tile of the row that is on-chip.
TILE_DTYPE: Final = np.dtype(
    [
        ("z_low", "<u4"),
        ("z_high", "<u4"),
        ("visited", "u1"),
        ("visible", "u1"),
        ("hidden", "u1"),
        ("changed", "u1"),
        ("stale", "u1"),  # a value equal to z-max was overwritten
        ("uniform", "u1"),  # z-min was z-max: all values of the tile are known without reading them
    ]
)

#: What is counted, in the order of ``counts``.
COUNT_NAMES: Final = (
    "fragments.rasterized",
    "fragments.early_z_killed",
    "fragments.discarded",
    "fragments.written",
    "samples.tested",
    "samples.passed",
    "culling.tiles_entered",
    "zmin.tiles_visible",
    "zmax.tiles_hidden",
    "zmin.z_reads_avoided",
    "zmax.z_reads_avoided",
    "onchip.reads",
    "onchip.writes",
    "zmax.updates",
    "fragments.shaded",
    "fragments.late_z_killed",
)

_test_type = numba.from_dtype(TEST_DTYPE)
_pass_type = numba.from_dtype(PASS_DTYPE)
_tile_type = numba.from_dtype(TILE_DTYPE)

_Z_READ = int(AccessKind.Z_READ) << KIND_SHIFT
_Z_WRITE = int(AccessKind.Z_WRITE) << KIND_SHIFT
_COLOR_READ = int(AccessKind.COLOR_READ) << KIND_SHIFT
_COLOR_WRITE = int(AccessKind.COLOR_WRITE) << KIND_SHIFT
_TILE_READ = int(AccessKind.TILE_READ) << KIND_SHIFT
_TILE_WRITE = int(AccessKind.TILE_WRITE) << KIND_SHIFT
_STENCIL_READ = int(AccessKind.STENCIL_READ) << KIND_SHIFT
_STENCIL_WRITE = int(AccessKind.STENCIL_WRITE) << KIND_SHIFT
_TRIANGLE = int(AccessKind.TRIANGLE) << KIND_SHIFT
_LOOKUP = LOOKUP << KIND_SHIFT
_REREAD = REREAD << KIND_SHIFT


def num_codes(fragments: int, slots: int, groups: int) -> int:
    """Most codes that so many fragments can give."""
    # A tile of the row has a fragment that entered it: read, write, reread. A slot: stencil, depth, colour, both ways.
    return fragments * (4 + groups + 6 * slots) + 16


@kernel("int64(int64, int64)", inline="always")
def _stencil_op(op, value):
    """As in :mod:`replay.engine.kernels.fragment_tests`; 2 (replace) is the caller's."""
    if op == 1:
        return 0
    if op == 3:
        return min(value + 1, 255)
    if op == 4:
        return max(value - 1, 0)
    if op == 5:
        return ~value & 255
    if op == 6:
        return (value + 1) & 255
    if op == 7:
        return (value - 1) & 255
    return value


@kernel(
    numba.int64(
        _pass_type[:],
        _tile_type[::1],
        numba.int64[::1],
        numba.int64,
        numba.int64,
        numba.uint32[:, ::1],
        numba.uint32[:, ::1],
        numba.boolean,
        numba.uint32[:, :, ::1],
        numba.int64[::1],
        numba.uint32[::1],
        numba.int64,
        numba.int64[::1],
    )
)
def _leave_row(
    p_rows, tiles, entered, num_entered, tile_row, z_low, z_high, writes_depth, z_buffer, where, codes, n, counts
):
    """Write a row of tiles back to memory; returns the number of codes."""
    p = p_rows[0]
    height = z_buffer.shape[1]
    width = z_buffer.shape[2]
    side = 1 << p.tile_shift
    for k in range(num_entered):
        column = entered[k]
        tile = tiles[column]
        both = p.zmin != 0 and p.zmax != 0
        place = np.int64(tile_row) * z_low.shape[1] + column
        if both:
            place *= 2
        place = (p.tile_base + place) & PLACE_MASK
        writes_low = p.zmin != 0 and writes_depth and (p.write_changed == 0 or tile.changed != 0)
        writes_high = p.zmax != 0 and writes_depth and tile.z_high != z_high[tile_row, column]
        if p.zmax != 0 and writes_depth and tile.stale != 0:
            # "To update z_max, all the z-values of the tile must be read" (section 2).
            counts[13] += 1
            highest = np.uint32(0)
            for row in range(tile_row * side, min((tile_row + 1) * side, height)):
                for across in range(column * side, min((column + 1) * side, width)):
                    for k in range(z_buffer.shape[0]):
                        w = where[k]
                        at_right = across == width - 1
                        at_bottom = row == height - 1
                        if w == 0 or (w == 1 and at_right) or (w == 2 and at_bottom) or (at_right and at_bottom):
                            highest = max(highest, z_buffer[k, height - 1 - row, across])
            tile.z_high = highest
            writes_high = True
            if p.emits != 0:
                codes[n] = np.uint32(_REREAD | (np.int64(tile_row) * z_low.shape[1] + column))
                n += 1
        if writes_low or writes_high:
            counts[11] += 1
            if p.emits != 0:
                codes[n] = np.uint32(_TILE_WRITE | place)
                n += 1
        z_low[tile_row, column] = tile.z_low
        z_high[tile_row, column] = tile.z_high
        tile.visited = 0
    return n


@kernel(
    numba.int64(
        _test_type[:],
        _pass_type[:],
        numba.int64,
        numba.int32[:, ::1],
        numba.int32[:, ::1],
        numba.uint8[::1],
        numba.int16[:, ::1],
        numba.float64[:, ::1],
        numba.uint8[::1],
        numba.uint32[::1],
        numba.uint16[::1],
        numba.uint16[::1],
        numba.uint32[::1],
        numba.uint8[::1],
        numba.uint32[:, ::1],
        numba.uint8[:, ::1],
        numba.int64[::1],
        numba.int64[::1],
        numba.int64[:, ::1],
        numba.uint32[:, :, ::1],
        numba.uint8[:, :, ::1],
        numba.uint32[:, ::1],
        numba.uint32[:, ::1],
        numba.uint32[:, ::1],
        _tile_type[::1],
        numba.uint8[:, ::1],
        numba.uint8[:, ::1],
        numba.uint32[::1],
        numba.int64[::1],
    )
)
def test_fragments(
    test_rows,
    pass_rows,
    num_fragments,
    x,
    y,
    num_vertices,
    bounds,
    depth_plane,
    front,
    fragment_primitive,
    fragment_x,
    fragment_y,
    fragment_quad,
    fragment_mask,
    fragment_depth,
    survives,
    group,
    where,
    storage,
    z_buffer,
    stencil_buffer,
    covered,
    z_low,
    z_high,
    tiles,
    slot_passed,
    group_tested,
    codes,
    counts,
):
    """Test fragments in order, update the buffers, and write the codes of all accesses.

    Parameters
    ----------
    test_rows : (1,) TEST_DTYPE
    pass_rows : (1,) PASS_DTYPE
    x, y, num_vertices, bounds, depth_plane : of the primitives
    front : (E,) uint8 facing of the primitives
    fragment_* : from :func:`replay.handheld.kernels.traverse.traverse`
    survives : (groups, Q) uint8 lanes that the shader did not discard
    group, where : (slots,) shading group, and the pixels that make a slot
    storage : (slots, 3) columns to the right, rows down, and sample number where a slot is stored
    z_buffer, stencil_buffer : (slots, H, W); each slot has its own plane
    covered : (H, W) uint32, counts fragments
    z_low, z_high : (tile rows from the top, tile columns) z-min and z-max in memory
    tiles : (tile columns,) TILE_DTYPE, working memory
    slot_passed : (slots, Q) uint8, out: lanes to write
    group_tested : (groups, Q) uint8, out: lanes whose look-ups are needed: that passed what comes before the shader
    codes : out
    counts : (16,) added to, see COUNT_NAMES

    Returns
    -------
    Number of codes.
    """
    s = test_rows[0]
    p = pass_rows[0]
    num_slots = z_buffer.shape[0]
    num_groups = group_tested.shape[0]
    height = z_buffer.shape[1]
    func = s.depth_func
    on_less = func & 1 != 0
    on_equal = func & 2 != 0
    on_greater = func & 4 != 0
    needs_z = s.depth_test != 0 and func != 7
    writes_depth = s.depth_test != 0 and s.depth_write != 0
    # Bounds say something about tests for "nearer"; of others only their effect on the bounds is followed.
    has_tiles = s.depth_test != 0 and (p.zmin != 0 or p.zmax != 0)
    comparable = has_tiles and on_less and not on_greater and p.tests_late == 0
    tracks = has_tiles and (comparable or writes_depth)
    side = 1 << p.tile_shift
    entered = np.empty(tiles.shape[0], np.int64)
    num_entered = 0
    current = -1
    tile_row = -1
    vertex_low = 0.0
    vertex_high = 0.0
    scale = np.float64(p.max_z)
    n = 0
    for i in range(num_fragments):
        e = np.int64(fragment_primitive[i])
        fx = np.int64(fragment_x[i])
        fy = np.int64(fragment_y[i])
        machine_row = height - 1 - fy
        mask = np.int64(fragment_mask[i])
        if e != current:
            if num_entered:
                n = _leave_row(
                    pass_rows,
                    tiles,
                    entered,
                    num_entered,
                    tile_row,
                    z_low,
                    z_high,
                    writes_depth,
                    z_buffer,
                    where,
                    codes,
                    n,
                    counts,
                )
                num_entered = 0
            current = e
            tile_row = -1
            if p.emits != 0:
                codes[n] = np.uint32(_TRIANGLE)
                n += 1
            if tracks:
                z0 = depth_plane[e, 0]
                dx = depth_plane[e, 1]
                dy = depth_plane[e, 2]
                if num_vertices[e] == 3:
                    vertex_low = 1e30
                    vertex_high = -1e30
                    for k in range(3):
                        z = z0 + dx * (x[e, k] / 256.0 - 0.5) + dy * (y[e, k] / 256.0 - 0.5)
                        vertex_low = min(vertex_low, z)
                        vertex_high = max(vertex_high, z)
                else:
                    z = z0 + dx * ((bounds[e, 0] + bounds[e, 2]) / 2.0) + dy * ((bounds[e, 1] + bounds[e, 3]) / 2.0)
                    reach = abs(dx) * ((bounds[e, 2] - bounds[e, 0]) / 2.0 + 0.5)
                    reach += abs(dy) * ((bounds[e, 3] - bounds[e, 1]) / 2.0 + 0.5)
                    vertex_low = z - reach
                    vertex_high = z + reach
        column = fx >> p.tile_shift
        if tracks:
            if machine_row >> p.tile_shift != tile_row:
                if num_entered:
                    n = _leave_row(
                        pass_rows,
                        tiles,
                        entered,
                        num_entered,
                        tile_row,
                        z_low,
                        z_high,
                        writes_depth,
                        z_buffer,
                        where,
                        codes,
                        n,
                        counts,
                    )
                    num_entered = 0
                tile_row = machine_row >> p.tile_shift
            if tiles[column].visited == 0 and (mask != 0 or p.enter_visited != 0):
                tile = tiles[column]
                entered[num_entered] = column
                num_entered += 1
                counts[6] += 1
                counts[12] += 1
                if p.emits != 0:
                    place = np.int64(tile_row) * z_low.shape[1] + column
                    if p.zmin != 0 and p.zmax != 0:
                        place *= 2
                    codes[n] = np.uint32(_TILE_READ | ((p.tile_base + place) & PLACE_MASK))
                    n += 1
                tile.visited = 1
                tile.z_low = z_low[tile_row, column]
                tile.z_high = z_high[tile_row, column]
                tile.visible = 0
                tile.hidden = 0
                tile.changed = 0
                tile.stale = 0
                tile.uniform = tile.z_low == tile.z_high
                if comparable:
                    low = vertex_low
                    high = vertex_high
                    if p.plane_bound != 0:
                        # The tile with its border, on which samples may lie.
                        centre_x = np.float64(column * side) + side / 2.0 - 0.5
                        centre_y = np.float64(height - tile_row * side) - side / 2.0 - 0.5
                        z = depth_plane[e, 0] + depth_plane[e, 1] * centre_x + depth_plane[e, 2] * centre_y
                        reach = (abs(depth_plane[e, 1]) + abs(depth_plane[e, 2])) * (side / 2.0)
                        low = max(low, z - reach)
                        high = min(high, z + reach)
                    # Two steps of the depth buffer on the safe side: what rounding can do to a fragment's depth.
                    high = np.floor(min(max(high, 0.0), 1.0) * scale) + 2.0
                    low = np.ceil(min(max(low, 0.0), 1.0) * scale) - 2.0
                    if p.zmin != 0 and np.float64(tile.z_low) > high:
                        tile.visible = 1
                        counts[7] += 1
                    if p.zmax != 0 and low > np.float64(tile.z_high):
                        tile.hidden = 1
                        counts[8] += 1
        if mask == 0:
            continue
        covered[fy, fx] += np.uint32(1)
        counts[0] += 1
        if tracks:
            counts[11] += 1
        visible = tracks and tiles[column].visible != 0
        hidden = tracks and tiles[column].hidden != 0
        quad = np.int64(fragment_quad[i]) >> 2
        lane = np.int64(fragment_quad[i]) & 3
        any_tested = False
        any_discarded = False
        any_written = False
        for g in range(num_groups):
            alive = survives[g, quad] >> lane & 1 != 0
            mine = 0
            for k in range(num_slots):
                if mask >> k & 1 and group[k] == g:
                    mine |= 1 << k
            if mine == 0:
                continue
            if p.tests_late != 0:
                group_tested[g, quad] |= np.uint8(1 << lane)
                any_tested = True
                if p.emits != 0 and p.has_lookups != 0:
                    codes[n] = np.uint32(_LOOKUP | (4 * (g * np.int64(group_tested.shape[1]) + quad) + lane))
                    n += 1
                if not alive:
                    any_discarded = True
                    continue
            passing = 0
            for k in range(num_slots):
                if mine >> k & 1 == 0:
                    continue
                counts[4] += 1
                d = fragment_depth[i, k]
                stored = (machine_row + storage[k, 1]) * p.pitch + fx + storage[k, 0]
                place = stored * p.stored + storage[k, 2]
                face = 0 if front[e] != 0 else 1
                stencil_ok = True
                value = np.int64(0)
                if s.stencil_test != 0:
                    value = np.int64(stencil_buffer[k, fy, fx])
                    if p.emits != 0:
                        codes[n] = np.uint32(_STENCIL_READ | ((p.stencil_base + place) & PLACE_MASK))
                        n += 1
                    a = np.int64(s.stencil_ref[face]) & s.stencil_read_mask[face]
                    b = value & s.stencil_read_mask[face]
                    sf = s.stencil_func[face]
                    stencil_ok = (sf & 1 != 0 and a < b) or (sf & 2 != 0 and a == b) or (sf & 4 != 0 and a > b)
                depth_ok = True
                if stencil_ok and needs_z:
                    if visible:
                        counts[9] += 1
                    elif hidden:
                        counts[10] += 1
                        depth_ok = False
                    else:
                        old = z_buffer[k, fy, fx]
                        depth_ok = (on_less and d < old) or (on_equal and d == old) or (on_greater and d > old)
                        if p.emits != 0:
                            codes[n] = np.uint32(_Z_READ | ((p.z_base + place) & PLACE_MASK))
                            n += 1
                if s.stencil_test != 0 and (alive or p.tests_late != 0):
                    if not stencil_ok:
                        op = s.stencil_fail[face]
                    elif depth_ok:
                        op = s.stencil_depth_pass[face]
                    else:
                        op = s.stencil_depth_fail[face]
                    new = np.int64(s.stencil_ref[face]) if op == 2 else _stencil_op(np.int64(op), value)
                    m = np.int64(s.stencil_write_mask[face])
                    new = (value & ~m) | (new & m)
                    if op != 0 and m != 0:
                        stencil_buffer[k, fy, fx] = np.uint8(new)
                        if p.emits != 0:
                            codes[n] = np.uint32(_STENCIL_WRITE | ((p.stencil_base + place) & PLACE_MASK))
                            n += 1
                if stencil_ok and depth_ok:
                    passing |= 1 << k
            if passing == 0:
                continue
            if p.tests_late == 0:
                any_tested = True
                group_tested[g, quad] |= np.uint8(1 << lane)
                if p.emits != 0 and p.has_lookups != 0:
                    codes[n] = np.uint32(_LOOKUP | (4 * (g * np.int64(group_tested.shape[1]) + quad) + lane))
                    n += 1
                if not alive:
                    any_discarded = True
                    continue
            any_written = True
            for k in range(num_slots):
                if passing >> k & 1 == 0:
                    continue
                counts[5] += 1
                slot_passed[k, quad] |= np.uint8(1 << lane)
                stored = (machine_row + storage[k, 1]) * p.pitch + fx + storage[k, 0]
                place = stored * p.stored + storage[k, 2]
                if p.reads_color != 0 and p.emits != 0:
                    codes[n] = np.uint32(_COLOR_READ | ((p.color_base + place) & PLACE_MASK))
                    n += 1
                if writes_depth:
                    d = fragment_depth[i, k]
                    if tracks:
                        tile = tiles[column]
                        if tile.visited != 0:
                            seen = needs_z and not visible
                            known = (seen and z_buffer[k, fy, fx] == tile.z_high) or (tile.uniform != 0 and not seen)
                            if known and d < tile.z_high:
                                tile.stale = 1
                            if d < tile.z_low:
                                tile.z_low = d
                                tile.changed = 1
                                counts[12] += 1
                            if d > tile.z_high:
                                tile.z_high = d
                                tile.changed = 1
                    z_buffer[k, fy, fx] = d
                    if p.emits != 0:
                        codes[n] = np.uint32(_Z_WRITE | ((p.z_base + place) & PLACE_MASK))
                        n += 1
                if p.writes_color != 0 and p.emits != 0:
                    codes[n] = np.uint32(_COLOR_WRITE | ((p.color_base + place) & PLACE_MASK))
                    n += 1
        if any_tested:
            counts[14] += 1
            if any_written:
                counts[3] += 1
            elif any_discarded:
                counts[2] += 1
            else:
                counts[15] += 1
        else:
            counts[1] += 1
    if num_entered:
        n = _leave_row(
            pass_rows,
            tiles,
            entered,
            num_entered,
            tile_row,
            z_low,
            z_high,
            writes_depth,
            z_buffer,
            where,
            codes,
            n,
            counts,
        )
    return n
