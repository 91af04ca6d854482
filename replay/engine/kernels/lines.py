"""What lines and points alone need of the front: most programs draw neither, and have this not compiled.

The front calls these by their addresses, which a FRONT has once lines or points are drawn.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from replay.engine.kernels.access import corner_at, front_at, interface_at, polygon_at, setup_at, stream_at
from replay.engine.kernels.clip import CORNER_BYTES, NO_PLACE_BITS, placed_outcome
from replay.engine.kernels.line_ends import end_shifts
from replay.engine.kernels.planes import FLAT, HEADER_WORDS, INVERSE_W, LINEAR, PERSPECTIVE, POINT
from replay.kernels import Array, Float, Int, entry, inner
from traceformat.gputrace.frametrace import SUBPIXEL_BITS, Outcome
from traceformat.native.access import array_at, put_four

__all__ = ["clip_points", "line_planes", "place_line"]

_ONE: Final = float(1 << SUBPIXEL_BITS)
_HALF: Final = 1 << (SUBPIXEL_BITS - 1)
_EMITTED: Final = int(Outcome.EMITTED)
#: Of what a corner is outside of: near, far and the least w.
_NEAR_AND_FAR: Final = 7


@inner("int64(int64)", inline=True)
def _choose_points(front_address: Int) -> Int:
    """What comes of each point of a draw; returns how many are emitted, and lists those that there is room for."""
    front = front_at(front_address)
    columns, stream, count, at = front.columns, stream_at(front.stream), front.num_primitives, front.primitive_first
    lane = array_at(stream.lane, stream.num_rows, np.uint32)
    rows = array_at(front.primitives, (count, 3), np.uint32)
    first = array_at(columns.primitives_emitted_first + 4 * at, count, np.uint32)
    emitted_count = array_at(columns.primitives_emitted_count + at, count, np.uint8)
    outcomes = array_at(columns.primitives_outcome + at, count, np.uint8)
    facing = array_at(columns.primitives_front + at, count, np.uint8)
    chosen = array_at(front.primitive, front.emitted_room, np.uint32)
    corners, room = front.corners, front.emitted_room
    judged = _NEAR_AND_FAR if setup_at(front.setup).whole_points != 0 else -1
    emitted: Int = 0
    for primitive in range(count):
        code = np.int64(corner_at(corners + CORNER_BYTES * np.int64(lane[rows[primitive, 0]])).code)
        outcome = placed_outcome(code & NO_PLACE_BITS, code & judged)
        is_emitted = np.int64(outcome == _EMITTED)
        first[primitive] = np.uint32(emitted)
        emitted_count[primitive] = np.uint8(is_emitted)
        outcomes[primitive] = np.uint8(outcome)
        facing[primitive] = 1
        if emitted < room:
            chosen[emitted] = np.uint32(primitive)
        emitted += is_emitted
    return emitted


@entry
def clip_points(front_address: Int) -> Int:
    """Clip and emit points whose vertices are placed; what ``clip.clip_primitives`` does for others, and returns."""
    front = front_at(front_address)
    columns, setup, stream = front.columns, setup_at(front.setup), stream_at(front.stream)
    total = _choose_points(front_address)
    n, first, corners = min(total, front.emitted_room), front.emitted_first, front.corners
    lane = array_at(stream.lane, stream.num_rows, np.uint32)
    rows = array_at(front.primitives, (front.num_primitives, 3), np.uint32)
    points = array_at(front.points, stream.num_lanes, np.float32)
    primitive = array_at(front.primitive, n, np.uint32)
    x = array_at(columns.emitted_x + 12 * first, (n, 3), np.int32)
    y = array_at(columns.emitted_y + 12 * first, (n, 3), np.int32)
    sizes = array_at(columns.emitted_size + 4 * first, n, np.float32)
    bounds = array_at(columns.emitted_bounds + 8 * first, (n, 4), np.int16)
    window = front.window
    nodes = array_at(front.nodes, (n, 3), np.uint8)
    plane = array_at(front.depth_plane, (n, 3), np.float64)
    # What is read from a record within a loop is read anew each time: stores might have changed it.
    least_x, least_y = np.int64(setup.bounds[0]), np.int64(setup.bounds[1])
    most_x, most_y = np.int64(setup.bounds[2]), np.int64(setup.bounds[3])
    beyond = 2 * _HALF if setup.multisample != 0 else _HALF
    none = 0.0
    for emitted in range(n):
        number = np.int64(lane[rows[primitive[emitted], 0]])
        corner, size = corner_at(corners + CORNER_BYTES * number), points[number]
        fx, fy, mesa_y = corner.x, corner.y, corner.mesa_y
        wx, wy, z, rhw = corner.window[0], corner.window[1], corner.window[2], corner.window[3]
        for k in range(3):
            x[emitted, k] = fx
            y[emitted, k] = fy
            nodes[emitted, k] = 0
            put_four(window + 48 * emitted + 16 * k, wx, mesa_y, z, rhw)
        sizes[emitted] = size
        half = np.int64(size * np.float32(_HALF)) + beyond
        x0 = max((fx - half + _HALF - 1) >> SUBPIXEL_BITS, least_x)
        y0 = max((fy - half + _HALF - 1) >> SUBPIXEL_BITS, least_y)
        x1 = min((fx + half - _HALF) >> SUBPIXEL_BITS, most_x)
        y1 = min((fy + half - _HALF) >> SUBPIXEL_BITS, most_y)
        if x1 < x0 or y1 < y0:
            x0, y0, x1, y1 = 0, 0, -1, -1
        bounds[emitted, 0], bounds[emitted, 1] = np.int16(x0), np.int16(y0)
        bounds[emitted, 2], bounds[emitted, 3] = np.int16(x1), np.int16(y1)
        # As for lines without slope: of -0.0 the sign goes by these products.
        plane[emitted, 0] = np.float64(z) - none * (np.float64(wx) - 0.5) - none * (np.float64(wy) - 0.5)
        plane[emitted, 1] = plane[emitted, 2] = none
    return total


@entry
def place_line(front_address: Int) -> Int:
    """Move the ends of the line at hand to where llvmpipe begins and ends it."""
    front = front_at(front_address)
    polygon = polygon_at(front.polygon)
    start, stop = corner_at(polygon.place[0]), corner_at(polygon.place[1])
    from_top = np.int64(setup_at(front.setup).from_top)
    x0, y0, x1, y1 = start.window[0], start.mesa_y, stop.window[0], stop.mesa_y
    along_x, along_y = x0 - x1, y0 - y1
    if along_x == 0.0 and along_y == 0.0:
        return 0
    if abs(along_x) >= abs(along_y):
        at_0, at_1 = end_shifts(0, x0, y0, x1, y1)
        slope = along_y / along_x
        x0, y0, x1, y1 = x0 + at_0, y0 + at_0 * slope, x1 + at_1, y1 + at_1 * slope
    else:
        at_0, at_1 = end_shifts(1, y0, x0, y1, x1)
        slope = along_x / along_y
        x0, y0, x1, y1 = x0 + at_0 * slope, y0 + at_0, x1 + at_1 * slope, y1 + at_1
    half = np.float32(0.5)
    for end in range(2):
        x, y = (x0, y0) if end == 0 else (x1, y1)
        fy = np.int64(np.rint((y - half) * np.float32(_ONE))) + _HALF
        corner = corner_at(polygon.place[end])
        corner.x = np.int32(np.int64(np.rint((x - half) * np.float32(_ONE))) + _HALF)
        corner.y = np.int32((from_top << SUBPIXEL_BITS) - fy if from_top != 0 else fy)
    return 0


@inner("UniTuple(float64, 2)(int64, float64, float64)")
def _along(multisampled: Int, ax: Float, ay: Float) -> tuple[Float, Float]:
    """How far along a line a step to the right, and one up, goes, the line being 1."""
    # Along the longer axis alone, as Mesa has it; along the line only where it is a multisampled rectangle.
    if multisampled != 0:
        length = ax * ax + ay * ay
        if length > 0.0:
            return ax / length, ay / length
        return 0.0, 0.0
    if abs(ax) >= abs(ay):
        return (1.0 / ax if ax != 0.0 else 0.0), 0.0
    return 0.0, 1.0 / ay


@inner("void(int64, int64, float32[::1], int64, int64)")
def _line_or_point(front_address: Int, emitted: Int, planes: Array, ox: Int, oy: Int) -> None:
    """Plane equations of a line or point, relative to the pixel (ox, oy): of 1/w, then of each scalar."""
    front = front_at(front_address)
    columns, interface = front.columns, interface_at(front.interface)
    num, num_values = interface.num_planes, 1 + interface.num_varyings
    start = columns.attributes_value + 16 * (front.attribute_first + 3 * num_values * emitted)
    values = array_at(start, (num_values, 3, 4), np.float32)
    attribute = array_at(interface.plane_attribute, num, np.int64)
    component = array_at(interface.plane_component, num, np.int64)
    mode = array_at(interface.plane_mode, num, np.uint8)
    kind, from_top = np.int64(setup_at(front.setup).kind), np.int64(setup_at(front.setup).from_top)
    size = np.float64(array_at(columns.emitted_size + 4 * (front.emitted_first + emitted), 1, np.float32)[0])
    x0 = np.float64(values[0, 0, 0])
    y0 = np.float64(values[0, 0, 1])
    gax = gay = 0.0
    if kind == 2:
        gax, gay = _along(front.multisampled, np.float64(values[0, 1, 0]) - x0, np.float64(values[0, 1, 1]) - y0)
    dx = np.float64(ox) + 0.5 - x0
    dy = np.float64(oy) + 0.5 - y0
    # Weight of vertex 1 at the origin.
    ga = gax * dx + gay * dy
    w0 = np.float64(values[0, 0, 3])
    w1 = np.float64(values[0, 1, 3])
    for scalar in range(-1, num):
        at = HEADER_WORDS + 3 * scalar if scalar >= 0 else INVERSE_W
        how = np.int64(mode[scalar]) if scalar >= 0 else LINEAR
        v0, v1 = w0, w1
        if how == FLAT:
            # Flat values may be integer bit patterns: they are moved, never computed with.
            planes[at] = values[attribute[scalar], 2, component[scalar]]
            planes[at + 1] = np.float32(0.0)
            planes[at + 2] = np.float32(0.0)
            continue
        if how == POINT:
            planes[at] = planes[at + 1] = planes[at + 2] = np.float32(0.0)
            if kind == 1:
                slope = w0 / max(size, 1e-6)
                is_down = component[scalar] != 0
                # Of several samples Mesa 22.3 takes the coordinate half a pixel further on, in its own rows.
                beyond = 0.5 if front.multisampled != 0 else 0.0
                up = dy - beyond if from_top != 0 else dy + beyond
                planes[at] = np.float32(0.5 * w0 - up * slope if is_down else 0.5 * w0 + (dx + beyond) * slope)
                planes[at + 1 + is_down] = np.float32(-slope if is_down else slope)
            continue
        if scalar >= 0:
            v0 = np.float64(values[attribute[scalar], 0, component[scalar]])
            v1 = np.float64(values[attribute[scalar], 1, component[scalar]])
            if how == PERSPECTIVE:
                v0 *= w0
                v1 *= w1
        planes[at] = np.float32(v0 + (v1 - v0) * ga)
        planes[at + 1] = np.float32((v1 - v0) * gax)
        planes[at + 2] = np.float32((v1 - v0) * gay)


@entry
def line_planes(front_address: Int) -> Int:
    """Plane equations of emitted lines and points, whose headers are there."""
    front = front_at(front_address)
    words = interface_at(front.interface).plane_words
    n: Int = front.num_emitted
    bounds = array_at(front.columns.emitted_bounds + 8 * front.emitted_first, (n, 4), np.int16)
    for emitted in range(n):
        if bounds[emitted, 2] < bounds[emitted, 0]:
            continue
        planes = array_at(front.planes_at + 4 * words * emitted, words, np.float32)
        origin = array_at(front.planes_at + 4 * words * emitted, 2, np.int32)
        _line_or_point(front_address, emitted, planes, np.int64(origin[0]), np.int64(origin[1]))
    return 0
