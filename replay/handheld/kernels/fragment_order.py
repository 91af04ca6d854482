"""Stencil and depth test of fragments in the order of the traversal, z-min and z-max culling, and the accesses.

Culling (§4.3) keeps one row of tiles on-chip: for each tile z-min (and z-max), and whether this triangle has visited
it, is surely visible there, or surely hidden. Where it is surely visible the depth buffer is not read, and the test
passes unseen; where it is surely hidden, it fails unseen. So pictures are right only if the bounds are.

Accesses are written as codes of :mod:`traceformat.gputrace.accessstream`. Two kinds stand for what is filled in later,
when the shader has run: :data:`LOOKUP` (the texture look-ups of one shading) and :data:`REREAD` (all depth values of
a tile).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from replay.engine.kernels.access import test_at
from replay.engine.kernels.fragment_tests import is_in, stencil_passes, stencil_value
from replay.handheld.kernels.access import order_at, tile_at, walk_at
from replay.handheld.kernels.records import TILE_DTYPE
from replay.handheld.kernels.traverse import makes
from replay.kernels import Array, Bool, Float, Int, entry, inner
from traceformat.gputrace.accessstream import KIND_SHIFT, PLACE_MASK, AccessKind
from traceformat.native.access import array_at

__all__ = ["LOOKUP", "REREAD", "num_codes", "test_fragments"]

#: Codes that :func:`replay.handheld.kernels.stream.expand` replaces.
LOOKUP: Final = 14
REREAD: Final = 15

_Z_READ: Final = int(AccessKind.Z_READ)
_Z_WRITE: Final = int(AccessKind.Z_WRITE)
_COLOR_READ: Final = int(AccessKind.COLOR_READ)
_COLOR_WRITE: Final = int(AccessKind.COLOR_WRITE)
_TILE_READ: Final = int(AccessKind.TILE_READ)
_TILE_WRITE: Final = int(AccessKind.TILE_WRITE)
_STENCIL_READ: Final = int(AccessKind.STENCIL_READ)
_STENCIL_WRITE: Final = int(AccessKind.STENCIL_WRITE)
_TRIANGLE: Final = int(AccessKind.TRIANGLE)
_TILE_BYTES: Final = TILE_DTYPE.itemsize
_ALWAYS: Final = 7


def num_codes(fragments: int, slots: int, groups: int) -> int:
    """Most codes that so many fragments can give."""
    # A tile of the row has a fragment that entered it: read, write, reread. A slot: stencil, depth, colour, both ways.
    return fragments * (4 + groups + 6 * slots) + 16


@inner("void(int64, int64, int64)")
def _access(order_address: Int, kind: Int, place: Int) -> None:
    """Write the code of an access, if codes are wanted."""
    order = order_at(order_address)
    if order.emits != 0:
        array_at(order.codes, order.num_codes + 1, np.uint32)[order.num_codes] = np.uint32(
            kind << KIND_SHIFT | (place & PLACE_MASK)
        )
        order.num_codes += 1


@inner("int64(int64, int64, int64, int64)")
def _place(order_address: Int, x: Int, y: Int, slot: Int) -> Int:
    """Place of a sample in a buffer, from the buffer's own."""
    order = order_at(order_address)
    walk = walk_at(order.walk)
    storage = array_at(walk.pattern.storage, (walk.pattern.num_slots, 3), np.int64)
    stored = (walk.height - 1 - y + storage[slot, 1]) * order.pitch + x + storage[slot, 0]
    return stored * order.stored + storage[slot, 2]


@inner("uint32[:, :, ::1](int64)")
def _z_buffer(order_address: Int) -> Array:
    order = order_at(order_address)
    walk = walk_at(order.walk)
    return array_at(order.z_buffer, (walk.pattern.num_slots, walk.height, walk.width), np.uint32)


# ---------------------------------------------------------------------- tiles
@inner("uint32(int64, int64)")
def _highest(order_address: Int, column: Int) -> Int:
    """Largest depth of a tile of the row."""
    order = order_at(order_address)
    walk = walk_at(order.walk)
    z = _z_buffer(order_address)
    where = array_at(walk.pattern.where, walk.pattern.num_slots, np.int64)
    side = 1 << order.tile_shift
    highest = np.uint32(0)
    for row in range(order.tile_row * side, min((order.tile_row + 1) * side, walk.height)):
        for across in range(column * side, min((column + 1) * side, walk.width)):
            for k in range(walk.pattern.num_slots):
                if makes(where[k], across == walk.width - 1, row == walk.height - 1):
                    highest = max(highest, z[k, walk.height - 1 - row, across])
    return highest


@inner("int64(int64, int64)")
def _tile_place(order_address: Int, column: Int) -> Int:
    """Place of a tile's bounds."""
    order = order_at(order_address)
    number = order.tile_row * order.tile_columns + column
    if order.zmin != 0 and order.zmax != 0:
        number *= 2
    return order.tile_base + number


@inner("void(int64, int64)")
def _leave_tile(order_address: Int, column: Int) -> None:
    """Write a tile's bounds back to memory."""
    order = order_at(order_address)
    tile = tile_at(order.tiles + _TILE_BYTES * column)
    at = order.tile_row * order.tile_columns + column
    z_low = array_at(order.z_low + 4 * at, 1, np.uint32)
    z_high = array_at(order.z_high + 4 * at, 1, np.uint32)
    writes = order.writes_depth != 0
    writes_low = writes and order.zmin != 0 and (order.write_changed == 0 or tile.changed != 0)
    writes_high = writes and order.zmax != 0 and tile.z_high != z_high[0]
    if writes and order.zmax != 0 and tile.stale != 0:
        # "To update z_max, all the z-values of the tile must be read" (section 2).
        order.counts.zmax_updates += 1
        tile.z_high = _highest(order_address, column)
        writes_high = True
        _access(order_address, REREAD, at)
    if writes_low or writes_high:
        order.counts.onchip_reads += 1
        _access(order_address, _TILE_WRITE, _tile_place(order_address, column))
    z_low[0] = tile.z_low
    z_high[0] = tile.z_high
    tile.visited = 0


@inner("void(int64)")
def _leave_row(order_address: Int) -> None:
    """Write the row of tiles back to memory."""
    order = order_at(order_address)
    entered = array_at(order.entered, order.tile_columns, np.int64)
    for k in range(order.num_entered):
        _leave_tile(order_address, entered[k])
    order.num_entered = 0


@inner("UniTuple(float64, 2)(int64, int64)")
def _primitive_bounds(walk_address: Int, primitive: Int) -> tuple[Float, Float]:
    """Smallest and largest depth of a primitive."""
    walk = walk_at(walk_address)
    plane = array_at(walk.depth_plane + 24 * primitive, 3, np.float64)
    z0, dx, dy = plane[0], plane[1], plane[2]
    if np.int64(array_at(walk.num_vertices, primitive + 1, np.uint8)[primitive]) == 3:
        x = array_at(walk.x + 12 * primitive, 3, np.int32)
        y = array_at(walk.y + 12 * primitive, 3, np.int32)
        low, high = 1e30, -1e30
        for k in range(3):
            z = z0 + dx * (x[k] / 256.0 - 0.5) + dy * (y[k] / 256.0 - 0.5)
            low = min(low, z)
            high = max(high, z)
        return low, high
    bounds = array_at(walk.bounds + 8 * primitive, 4, np.int16)
    z = z0 + dx * ((bounds[0] + bounds[2]) / 2.0) + dy * ((bounds[1] + bounds[3]) / 2.0)
    reach = abs(dx) * ((bounds[2] - bounds[0]) / 2.0 + 0.5)
    reach += abs(dy) * ((bounds[3] - bounds[1]) / 2.0 + 0.5)
    return z - reach, z + reach


@inner("void(int64, int64, int64)")
def _compare_tile(order_address: Int, primitive: Int, column: Int) -> None:
    """Find out whether a primitive is surely visible, or surely hidden, in a tile that it enters."""
    order = order_at(order_address)
    walk = walk_at(order.walk)
    tile = tile_at(order.tiles + _TILE_BYTES * column)
    side = 1 << order.tile_shift
    low, high = _primitive_bounds(order.walk, primitive)
    if order.plane_bound != 0:
        # The tile with its border, on which samples may lie.
        plane = array_at(walk.depth_plane + 24 * primitive, 3, np.float64)
        centre_x = np.float64(column * side) + side / 2.0 - 0.5
        centre_y = np.float64(walk.height - order.tile_row * side) - side / 2.0 - 0.5
        z = plane[0] + plane[1] * centre_x + plane[2] * centre_y
        reach = (abs(plane[1]) + abs(plane[2])) * (side / 2.0)
        low = max(low, z - reach)
        high = min(high, z + reach)
    # Two steps of the depth buffer on the safe side: what rounding can do to a fragment's depth.
    scale = np.float64(order.max_z)
    high = np.floor(min(max(high, 0.0), 1.0) * scale) + 2.0
    low = np.ceil(min(max(low, 0.0), 1.0) * scale) - 2.0
    if order.zmin != 0 and np.float64(tile.z_low) > high:
        tile.visible = 1
        order.counts.zmin_tiles_visible += 1
    if order.zmax != 0 and low > np.float64(tile.z_high):
        tile.hidden = 1
        order.counts.zmax_tiles_hidden += 1


@inner("void(int64, int64, int64)")
def _enter_tile(order_address: Int, primitive: Int, column: Int) -> None:
    """Read a tile's bounds from memory."""
    order = order_at(order_address)
    tile = tile_at(order.tiles + _TILE_BYTES * column)
    at = order.tile_row * order.tile_columns + column
    array_at(order.entered, order.tile_columns, np.int64)[order.num_entered] = column
    order.num_entered += 1
    order.counts.culling_tiles_entered += 1
    order.counts.onchip_writes += 1
    _access(order_address, _TILE_READ, _tile_place(order_address, column))
    tile.visited = 1
    tile.z_low = array_at(order.z_low + 4 * at, 1, np.uint32)[0]
    tile.z_high = array_at(order.z_high + 4 * at, 1, np.uint32)[0]
    tile.visible = tile.hidden = tile.changed = tile.stale = 0
    tile.uniform = np.uint8(tile.z_low == tile.z_high)
    if order.compares != 0:
        _compare_tile(order_address, primitive, column)


@inner("void(int64, int64, int64, uint32)")
def _follow_depth(order_address: Int, column: Int, old: Int, depth: Int) -> None:
    """Keep a tile's bounds where a depth is written."""
    order = order_at(order_address)
    tile = tile_at(order.tiles + _TILE_BYTES * column)
    if tile.visited == 0:
        return
    seen = order.needs_z != 0 and tile.visible == 0
    known = (seen and old == np.int64(tile.z_high)) or (tile.uniform != 0 and not seen)
    if known and depth < tile.z_high:
        tile.stale = 1
    if depth < tile.z_low:
        tile.z_low = depth
        tile.changed = 1
        order.counts.onchip_writes += 1
    if depth > tile.z_high:
        tile.z_high = depth
        tile.changed = 1


# ---------------------------------------------------------------------- fragments
@inner("boolean(int64, int64, int64, int64)")
def _passes_depth(order_address: Int, i: Int, slot: Int, place: Int) -> Bool:
    """Depth test of a sample, which culling may have decided."""
    order = order_at(order_address)
    walk = walk_at(order.walk)
    if order.needs_z == 0:
        return True
    x = np.int64(array_at(walk.fragment_x, i + 1, np.uint16)[i])
    y = np.int64(array_at(walk.fragment_y, i + 1, np.uint16)[i])
    if order.tracks != 0:
        tile = tile_at(order.tiles + _TILE_BYTES * (x >> order.tile_shift))
        if tile.visible != 0:
            order.counts.zmin_z_reads_avoided += 1
            return True
        if tile.hidden != 0:
            order.counts.zmax_z_reads_avoided += 1
            return False
    depth = np.int64(array_at(walk.depth, (i + 1, walk.pattern.num_slots), np.uint32)[i, slot])
    _access(order_address, _Z_READ, order.z_base + place)
    return is_in(np.int64(test_at(order.test).depth_func), depth, np.int64(_z_buffer(order_address)[slot, y, x]))


@inner("boolean(int64, int64, int64, boolean)")
def _passes(order_address: Int, i: Int, slot: Int, alive: Bool) -> Bool:
    """Stencil and depth test of a sample of fragment ``i``; the stencil buffer is updated."""
    order = order_at(order_address)
    walk = walk_at(order.walk)
    test = test_at(order.test)
    x = np.int64(array_at(walk.fragment_x, i + 1, np.uint16)[i])
    y = np.int64(array_at(walk.fragment_y, i + 1, np.uint16)[i])
    place = _place(order_address, x, y, slot)
    order.counts.samples_tested += 1
    if test.stencil_test == 0:
        return _passes_depth(order_address, i, slot, place)
    primitive = np.int64(array_at(walk.primitive, i + 1, np.uint32)[i])
    face = np.int64(array_at(order.front, primitive + 1, np.uint8)[primitive] == 0)
    stencil = array_at(order.stencil_buffer, (walk.pattern.num_slots, walk.height, walk.width), np.uint8)
    value = np.int64(stencil[slot, y, x])
    _access(order_address, _STENCIL_READ, order.stencil_base + place)
    stencil_ok = stencil_passes(order.test, face, value)
    depth_ok = not stencil_ok or _passes_depth(order_address, i, slot, place)
    if alive or order.tests_late != 0:
        op = test.stencil_fail[face]
        if stencil_ok:
            op = test.stencil_depth_pass[face] if depth_ok else test.stencil_depth_fail[face]
        if op != 0 and test.stencil_write_mask[face] != 0:
            stencil[slot, y, x] = np.uint8(stencil_value(order.test, face, np.int64(op), value))
            _access(order_address, _STENCIL_WRITE, order.stencil_base + place)
    return stencil_ok and depth_ok


@inner("void(int64, int64, int64)")
def _write(order_address: Int, i: Int, slot: Int) -> None:
    """Write a sample of fragment ``i`` that has passed."""
    order = order_at(order_address)
    walk = walk_at(order.walk)
    x = np.int64(array_at(walk.fragment_x, i + 1, np.uint16)[i])
    y = np.int64(array_at(walk.fragment_y, i + 1, np.uint16)[i])
    lanes = np.int64(array_at(walk.quad, i + 1, np.uint32)[i])
    order.counts.samples_passed += 1
    passed = array_at(order.passed, (slot + 1, walk.num_quads), np.uint8)
    passed[slot, lanes >> 2] |= np.uint8(1 << (lanes & 3))
    place = _place(order_address, x, y, slot)
    if order.reads_color != 0:
        _access(order_address, _COLOR_READ, order.color_base + place)
    if order.writes_depth != 0:
        z = _z_buffer(order_address)
        depth = array_at(walk.depth, (i + 1, walk.pattern.num_slots), np.uint32)[i, slot]
        if order.tracks != 0:
            _follow_depth(order_address, x >> order.tile_shift, np.int64(z[slot, y, x]), depth)
        z[slot, y, x] = depth
        _access(order_address, _Z_WRITE, order.z_base + place)
    if order.writes_color != 0:
        _access(order_address, _COLOR_WRITE, order.color_base + place)


@inner("void(int64, int64, int64)")
def _need_lookups(order_address: Int, i: Int, group: Int) -> None:
    """Note that the look-ups of fragment ``i`` in a shading group are needed."""
    order = order_at(order_address)
    walk = walk_at(order.walk)
    lanes = np.int64(array_at(walk.quad, i + 1, np.uint32)[i])
    tested = array_at(order.tested, (group + 1, walk.num_quads), np.uint8)
    tested[group, lanes >> 2] |= np.uint8(1 << (lanes & 3))
    if order.has_lookups != 0:
        _access(order_address, LOOKUP, 4 * group * walk.num_quads + lanes)


#: What became of a fragment in a shading group: bits.
_TESTED: Final = 1
_DISCARDED: Final = 2
_WRITTEN: Final = 4


@inner("int64(int64, int64, int64)")
def _test_group(order_address: Int, i: Int, group: Int) -> Int:
    """Test the samples of fragment ``i`` that a shading group has, and write them; what became of it."""
    order = order_at(order_address)
    walk = walk_at(order.walk)
    groups = array_at(walk.pattern.group, walk.pattern.num_slots, np.int64)
    mask = np.int64(array_at(walk.mask, i + 1, np.uint8)[i])
    lanes = np.int64(array_at(walk.quad, i + 1, np.uint32)[i])
    mine = 0
    for k in range(walk.pattern.num_slots):
        if mask >> k & 1 != 0 and groups[k] == group:
            mine |= 1 << k
    if mine == 0:
        return 0
    survives = array_at(order.survives, (group + 1, walk.num_quads), np.uint8)
    alive = survives[group, lanes >> 2] >> (lanes & 3) & 1 != 0
    if order.tests_late != 0:
        _need_lookups(order_address, i, group)
        if not alive:
            return _TESTED | _DISCARDED
    passing = 0
    for k in range(walk.pattern.num_slots):
        if mine >> k & 1 != 0 and _passes(order_address, i, k, alive):
            passing |= 1 << k
    if passing == 0:
        return _TESTED if order.tests_late != 0 else 0
    if order.tests_late == 0:
        _need_lookups(order_address, i, group)
        if not alive:
            return _TESTED | _DISCARDED
    for k in range(walk.pattern.num_slots):
        if passing >> k & 1 != 0:
            _write(order_address, i, k)
    return _TESTED | _WRITTEN


@inner("void(int64, int64)")
def _test_fragment(order_address: Int, i: Int) -> None:
    """Test a fragment in all shading groups, and count what became of it."""
    order = order_at(order_address)
    walk = walk_at(order.walk)
    x = np.int64(array_at(walk.fragment_x, i + 1, np.uint16)[i])
    y = np.int64(array_at(walk.fragment_y, i + 1, np.uint16)[i])
    array_at(order.covered, (walk.height, walk.width), np.uint32)[y, x] += np.uint32(1)
    order.counts.fragments_rasterized += 1
    if order.tracks != 0:
        order.counts.onchip_reads += 1
    became = 0
    for group in range(walk.pattern.num_groups):
        became |= _test_group(order_address, i, group)
    if became & _TESTED == 0:
        order.counts.fragments_early_z_killed += 1
        return
    order.counts.fragments_shaded += 1
    if became & _WRITTEN != 0:
        order.counts.fragments_written += 1
    elif became & _DISCARDED != 0:
        order.counts.fragments_discarded += 1
    else:
        order.counts.fragments_late_z_killed += 1


@inner("void(int64)")
def _begin(order_address: Int) -> None:
    """What the state of the draw means for the tests."""
    order = order_at(order_address)
    test = test_at(order.test)
    func = np.int64(test.depth_func)
    has_depth = test.depth_test != 0
    # Bounds say something about tests for "nearer"; of others only their effect on the bounds is followed.
    has_tiles = has_depth and (order.zmin != 0 or order.zmax != 0)
    is_nearer = func & 1 != 0 and func & 4 == 0
    order.needs_z = has_depth and func != _ALWAYS
    order.writes_depth = has_depth and test.depth_write != 0
    order.compares = has_tiles and is_nearer and order.tests_late == 0
    order.tracks = has_tiles and (order.compares != 0 or order.writes_depth != 0)
    order.num_codes = 0
    order.num_entered = 0
    order.tile_row = -1


@entry
def test_fragments(address: Int) -> Int:
    """Test the fragments of an ORDER, update the buffers, and write the codes of all accesses.

    Returns
    -------
    Number of codes.
    """
    order = order_at(address)
    walk = walk_at(order.walk)
    primitive = array_at(walk.primitive, walk.num_fragments, np.uint32)
    fragment_x = array_at(walk.fragment_x, walk.num_fragments, np.uint16)
    fragment_y = array_at(walk.fragment_y, walk.num_fragments, np.uint16)
    mask = array_at(walk.mask, walk.num_fragments, np.uint8)
    _begin(address)
    current: Int = -1
    for i in range(walk.num_fragments):
        owner = np.int64(primitive[i])
        if owner != current:
            _leave_row(address)
            current = owner
            order.tile_row = -1
            _access(address, _TRIANGLE, 0)
        if order.tracks != 0:
            row = (walk.height - 1 - np.int64(fragment_y[i])) >> order.tile_shift
            if row != order.tile_row:
                _leave_row(address)
                order.tile_row = row
            column = np.int64(fragment_x[i]) >> order.tile_shift
            is_new = tile_at(order.tiles + _TILE_BYTES * column).visited == 0
            if is_new and (mask[i] != 0 or order.enter_visited != 0):
                _enter_tile(address, owner, column)
        if mask[i] != 0:
            _test_fragment(address, i)
    _leave_row(address)
    return order.num_codes
