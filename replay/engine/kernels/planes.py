"""Attribute set-up: from shaded vertices to what the Parameter Buffer stores and to plane equations.

A varying is linear on the screen after division by w. Equations of triangles are Mesa's, in binary32 and in llvmpipe's
order of operations, relative to the corner of the target that Mesa counts from (``calc_coef4`` of its set-up): where
a coordinate lies exactly between two texels, its last bit decides. Those of lines and points hold relative to a pixel
in the middle of the primitive's bounds.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from replay.engine.kernels.access import front_at, interface_at, polygon_at, setup_at, stream_at
from replay.engine.kernels.clip import cut_again
from replay.engine.kernels.records import MAX_CUTS
from replay.kernels import Array, Float, Int, inner
from traceformat.native.access import array_at, call, put_four, stack_words

__all__ = [
    "FLAT",
    "HEADER_WORDS",
    "INVERSE_W",
    "LINEAR",
    "PERSPECTIVE",
    "POINT",
    "attribute_rows",
    "plane_equations",
]

# How a scalar is interpolated: ``plane_mode`` of the interface. A point coordinate is component 0 or 1.
PERSPECTIVE: Final = 0
FLAT: Final = 1
LINEAR: Final = 2
POINT: Final = 3
#: Words before the planes of the scalars, and where that of 1/w lies.
HEADER_WORDS: Final = 12
INVERSE_W: Final = 4
#: Corners of a triangle, and what clipping adds.
_MOST_NODES: Final = 3 + MAX_CUTS


@inner("void(int64, int64, int64)")
def _put_cut(front_address: Int, emitted: Int, at: Int) -> None:
    """Write the varyings of a primitive of which something is cut off; at each cut in binary32, as Mesa has it."""
    front = front_at(front_address)
    polygon, interface, stream = polygon_at(front.polygon), interface_at(front.interface), stream_at(front.stream)
    num = interface.num_varyings
    lane = array_at(stream.lane, stream.num_rows, np.uint32)
    primitive = np.int64(array_at(front.primitive, emitted + 1, np.uint32)[emitted])
    vertices = array_at(front.primitives + 12 * primitive, 3, np.uint32)
    outputs = array_at(front.outputs, (interface.output_rows, front.output_width), np.float32)
    nodes = array_at(front.nodes + 3 * emitted, 3, np.uint8)
    rows = array_at(interface.varying_rows, 4 * num, np.int64)
    flat = array_at(interface.varying_flat, num, np.uint8)
    values = array_at(at, (num, 3, 4), np.float32)
    found = array_at(stack_words(_MOST_NODES), _MOST_NODES, np.float32)
    for component in range(4 * num):
        varying, row = component >> 2, rows[component]
        is_flat = flat[varying] != 0
        if row >= 0:
            for i in range(3):
                found[i] = outputs[row, lane[vertices[i]]]
            for cut in range(polygon.cuts):
                begin = found[polygon.cut_start[cut]]
                found[3 + cut] = begin + polygon.cut_part[cut] * (found[polygon.cut_end[cut]] - begin)
        for k in range(3):
            value = np.float32(0.0) if row == -1 else np.float32(1.0)
            if row >= 0:
                value = found[2 if is_flat else nodes[k]]
            values[varying, k, component & 3] = value


@inner("float32(float32[:, ::1], int64, int64)", inline=True)
def _component(outputs: Array, row: Int, lane: Int) -> Float:
    """Component of a varying that lies in a row of the vertex stage's outputs: row -1 reads 0, row -2 reads 1."""
    value = outputs[max(row, 0), lane]
    constant = np.float32(0.0) if row == -1 else np.float32(1.0)
    return value if row >= 0 else constant


@inner("void(int64)")
def attribute_rows(front_address: Int) -> None:
    """Write the attributes of emitted primitives: window position, then the varyings, four components each.

    Flat ones take the value of the last vertex.
    """
    front = front_at(front_address)
    stream, interface = stream_at(front.stream), interface_at(front.interface)
    n, num = front.num_emitted, interface.num_varyings
    outputs = array_at(front.outputs, (interface.output_rows, front.output_width), np.float32)
    lane = array_at(stream.lane, stream.num_rows, np.uint32)
    primitives = array_at(front.primitives, (front.num_primitives, 3), np.uint32)
    primitive = array_at(front.primitive, n, np.uint32)
    window = array_at(front.window, (n, 3, 4), np.float32)
    nodes = array_at(front.nodes, (n, 3), np.uint8)
    rows = array_at(interface.varying_rows, (num, 4), np.int64)
    flat = array_at(interface.varying_flat, num, np.uint8)
    at = front.columns.attributes_value + 16 * front.attribute_first
    from_top = setup_at(front.setup).from_top
    top = np.float32(from_top)
    cut_of: Int = -1
    for emitted in range(n):
        triangle = np.int64(primitive[emitted])
        node0, node1, node2 = np.int64(nodes[emitted, 0]), np.int64(nodes[emitted, 1]), np.int64(nodes[emitted, 2])
        for k in range(3):
            y = window[emitted, k, 1]
            y = top - y if from_top != 0 else y
            put_four(at + 16 * k, window[emitted, k, 0], y, window[emitted, k, 2], window[emitted, k, 3])
        at += 48
        if max(node0, node1, node2) >= 3:
            if triangle != cut_of:
                cut_of = triangle
                cut_again(front_address, cut_of)
            _put_cut(front_address, emitted, at)
            at += 48 * num
            continue
        last = np.int64(lane[primitives[triangle, 2]])
        lane0, lane1, lane2 = (
            np.int64(lane[primitives[triangle, node0]]),
            np.int64(lane[primitives[triangle, node1]]),
            np.int64(lane[primitives[triangle, node2]]),
        )
        for varying in range(num):
            # Flat values may be integer bit patterns: they are moved, never computed with.
            is_flat = flat[varying] != 0
            row0, row1, row2, row3 = rows[varying, 0], rows[varying, 1], rows[varying, 2], rows[varying, 3]
            for k in range(3):
                own = last if is_flat else (lane0 if k == 0 else (lane1 if k == 1 else lane2))
                put_four(
                    at + 16 * k,
                    _component(outputs, row0, own),
                    _component(outputs, row1, own),
                    _component(outputs, row2, own),
                    _component(outputs, row3, own),
                )
            at += 48


# ---------------------------------------------------------------------- triangles
@inner("UniTuple(float32, 7)(float32[:, ::1], int32[::1], int32[::1], int64)")
def _set_up(window: Array, x: Array, y: Array, from_top: Int) -> tuple[Float, ...]:
    """Triangle set-up: the first vertex (0 or 1), its x and y, differences to the others over the area."""
    # Mesa's set-up knows triangles of one winding, in its own rows: it exchanges the first two vertices of others.
    turns = (np.int64(x[1]) - x[0]) * (np.int64(y[2]) - y[0]) - (np.int64(x[2]) - x[0]) * (np.int64(y[1]) - y[0])
    first = np.int64((turns > 0) != (from_top != 0))
    x0 = window[first, 0]
    y0 = window[first, 1]
    dx01 = x0 - window[1 - first, 0]
    dy01 = y0 - window[1 - first, 1]
    dx20 = window[2, 0] - x0
    dy20 = window[2, 1] - y0
    over_area = np.float32(1.0) / (dx01 * dy20 - dy01 * dx20)
    half = np.float32(0.5)
    return (
        np.float32(first),
        x0 - half,
        y0 - half,
        dx01 * over_area,
        dy01 * over_area,
        dx20 * over_area,
        dy20 * over_area,
    )


@inner("void(int64, int64, float32[::1])")
def _triangle(front_address: Int, emitted: Int, planes: Array) -> None:
    """Plane equations of a triangle: of 1/w, then of each scalar."""
    front = front_at(front_address)
    columns, interface = front.columns, interface_at(front.interface)
    num = interface.num_planes
    x = array_at(columns.emitted_x + 12 * (front.emitted_first + emitted), 3, np.int32)
    y = array_at(columns.emitted_y + 12 * (front.emitted_first + emitted), 3, np.int32)
    window = array_at(front.window + 48 * emitted, (3, 4), np.float32)
    num_values = 1 + interface.num_varyings
    start = columns.attributes_value + 16 * (front.attribute_first + 3 * num_values * emitted)
    values = array_at(start, (num_values, 3, 4), np.float32)
    attribute = array_at(interface.plane_attribute, num, np.int64)
    component = array_at(interface.plane_component, num, np.int64)
    mode = array_at(interface.plane_mode, num, np.uint8)
    from_top = np.int64(setup_at(front.setup).from_top)
    first_vertex, px, py, dx01, dy01, dx20, dy20 = _set_up(window, x, y, from_top)
    i0 = np.int64(first_vertex)
    one = np.float32(1.0)
    for scalar in range(-1, num):
        at = HEADER_WORDS + 3 * scalar if scalar >= 0 else INVERSE_W
        how = np.int64(mode[scalar]) if scalar >= 0 else LINEAR
        if how == FLAT:
            # Flat values may be integer bit patterns: they are moved, never computed with.
            planes[at] = values[attribute[scalar], 2, component[scalar]]
            planes[at + 1] = np.float32(0.0)
            planes[at + 2] = np.float32(0.0)
            continue
        f0, f1, f2 = window[i0, 3], window[1 - i0, 3], window[2, 3]
        if how == POINT:
            f0 = f1 = f2 = np.float32(0.0)
        elif scalar >= 0:
            row, column = attribute[scalar], component[scalar]
            f0 = values[row, i0, column] * (f0 if how == PERSPECTIVE else one)
            f1 = values[row, 1 - i0, column] * (f1 if how == PERSPECTIVE else one)
            f2 = values[row, 2, column] * (f2 if how == PERSPECTIVE else one)
        f01 = f0 - f1
        f20 = f2 - f0
        across = f01 * dy20 - f20 * dy01
        down = f20 * dx01 - f01 * dx20
        planes[at] = f0 - (across * px + down * py)
        planes[at + 1] = across
        planes[at + 2] = -down if from_top != 0 else down


@inner("void(int64)")
def plane_equations(front_address: Int) -> None:
    """Compute the plane equations of what the fragment stage reads (:mod:`replay.glsl.llvm.interpolation`).

    They go to ``planes_at``, (E, 12 + 3 S) float32, of which some words of the header are integers; scalars that are
    corrected for perspective are divided by w. A primitive that covers nothing is left alone.
    """
    front = front_at(front_address)
    columns, words = front.columns, interface_at(front.interface).plane_words
    setup = setup_at(front.setup)
    n: Int = front.num_emitted
    bounds = array_at(columns.emitted_bounds + 8 * front.emitted_first, (n, 4), np.int16)
    depth = array_at(front.depth_plane, (n, 3), np.float64)
    primitive = array_at(front.primitive, n, np.uint32)
    facing = array_at(columns.primitives_front + front.primitive_first, front.num_primitives, np.uint8)
    for emitted in range(n):
        if bounds[emitted, 2] < bounds[emitted, 0]:
            continue
        planes = array_at(front.planes_at + 4 * words * emitted, words, np.float32)
        whole = array_at(front.planes_at + 4 * words * emitted, words, np.int32)
        ox = np.int64(0)
        oy: Int = max(np.int64(setup.from_top) - 1, 0)
        if setup.kind != 3:
            ox = (np.int64(bounds[emitted, 0]) + np.int64(bounds[emitted, 2])) >> 1
            oy = (np.int64(bounds[emitted, 1]) + np.int64(bounds[emitted, 3])) >> 1
        whole[0] = np.int32(ox)
        whole[1] = np.int32(oy)
        whole[2] = np.int32(facing[primitive[emitted]])
        whole[3] = np.int32(primitive[emitted])
        whole[10] = 0
        whole[11] = 0
        planes[7] = np.float32(
            depth[emitted, 0] + depth[emitted, 1] * np.float64(ox) + depth[emitted, 2] * np.float64(oy)
        )
        planes[8] = np.float32(depth[emitted, 1])
        planes[9] = np.float32(depth[emitted, 2])
        if setup.kind == 3:
            _triangle(front_address, emitted, planes)
    if setup.kind != 3:
        call(front.line_planes, front_address)
