"""Rasterization with four samples a pixel: spans as in :mod:`~replay.engine.kernels.raster`, one a row of samples.

Samples lie where Mesa and most GPUs have them (the standard 4x pattern of Direct3D 10.1). A quad exists where any
sample of any of its pixels is covered; its depth is kept per sample. What is shaded for each sample has a quad for each
one that covers anything.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from replay.engine.kernels.access import front_at, setup_at
from replay.engine.kernels.depths import depth_code
from replay.engine.kernels.raster import end_quads, next_rows, outline, start_edges
from replay.glsl.sample_pattern import SAMPLE_X, SAMPLE_Y, SAMPLES
from replay.kernels import Array, Float, Int, entry, inner
from traceformat.gputrace.frametrace import SUBPIXEL_BITS
from traceformat.native.access import array_at, stack_words

__all__ = ["raster_samples"]

_ONE: Final = 1 << SUBPIXEL_BITS
#: Sample 0 of each fragment of a quad.
_OF_SAMPLE: Final = 0x1111
#: Working memory of all samples, see :mod:`~replay.engine.kernels.raster`.
_EDGE_WORDS: Final = 24 * SAMPLES
_SPAN_WORDS: Final = 4 * SAMPLES


@inner("int64(int64, int64)")
def _sample_y(front: Int, sample: Int) -> Int:
    """How far a sample lies above its pixel's lower edge; Mesa's pattern begins at the top of a window."""
    y: Int = SAMPLE_Y[sample]
    return _ONE - y if setup_at(front_at(front).setup).from_top != 0 else y


@inner("void(float32, int32[:], int32[:], int64[:, ::1])")
def _rectangle(width: Float, x: Array, y: Array, corners: Array) -> None:
    """Outline of a multisampled line: a rectangle along it (GLES 3.0 §3.5.4), counter-clockwise."""
    dx = np.float64(x[1]) - np.float64(x[0])
    dy = np.float64(y[1]) - np.float64(y[0])
    scale = 0.5 * np.float64(width) * np.float64(_ONE) / max(np.sqrt(dx * dx + dy * dy), 1e-9)
    side_x = np.int64(np.rint(dy * scale))
    side_y = np.int64(np.rint(-dx * scale))
    for i in range(4):
        end = 1 if i == 1 or i == 2 else 0
        sign = 1 if i < 2 else -1
        corners[i, 0] = np.int64(x[end]) + sign * side_x
        corners[i, 1] = np.int64(y[end]) + sign * side_y


@inner("int64(int64, int64, int64[:, ::1], int64[:, :, ::1])")
def _begin_primitive(front: Int, emitted: Int, corners: Array, edges: Array) -> Int:
    """Set up the edges of an emitted primitive at its first row, for each sample; returns their number."""
    columns = front_at(front).columns
    row = front_at(front).emitted_first + emitted
    num_vertices = np.int64(array_at(columns.emitted_num_vertices + row, 1, np.uint8)[0])
    size = array_at(columns.emitted_size + 4 * row, 1, np.float32)[0]
    x = array_at(columns.emitted_x + 12 * row, 3, np.int32)
    y = array_at(columns.emitted_y + 12 * row, 3, np.int32)
    first_row = np.int64(array_at(columns.emitted_bounds + 8 * row, 4, np.int16)[1])
    num_corners = 4
    if num_vertices == 2:
        _rectangle(size, x, y, corners)
    else:
        from_top = np.int64(setup_at(front_at(front).setup).from_top)
        num_corners = outline(num_vertices, size, from_top, x, y, corners)
    for sample in range(SAMPLES):
        start_edges(num_corners, corners, first_row, SAMPLE_X[sample], _sample_y(front, sample), edges[sample])
    return num_corners


@inner("int64(int64[:, ::1], int64, int64)")
def _covered(spans: Array, quad: Int, sample_mask: Int) -> Int:
    """Samples of a quad that its rows' spans cover, bit 4 * fragment + sample."""
    samples = np.int64(0)
    left = 2 * quad
    for sample in range(SAMPLES):
        own = np.int64(0)
        for row in range(2):
            low, high = spans[sample, 2 * row], spans[sample, 2 * row + 1]
            own |= np.int64((low <= left) & (left <= high)) << (8 * row)
            own |= np.int64((low <= left + 1) & (left + 1 <= high)) << (8 * row + 4)
        samples |= own << sample
    return samples & (sample_mask & 15) * _OF_SAMPLE


@inner("int64(int64)")
def _fragments(samples: Int) -> Int:
    """Fragments of which a sample is covered, a bit each."""
    mask: Int = 0
    for fragment in range(4):
        mask |= np.int64((samples >> (4 * fragment) & 15) != 0) << fragment
    return mask


@inner("void(int64, int64, float64[::1])")
def _move_depth(front: Int, emitted: Int, moved: Array) -> None:
    """How much an emitted primitive's depth changes from the centre of a pixel to each of its samples."""
    plane = array_at(front_at(front).depth_plane + 24 * emitted, 3, np.float64)
    for sample in range(SAMPLES):
        moved[sample] = plane[1] * (SAMPLE_X[sample] / 256.0 - 0.5) + plane[2] * (
            _sample_y(front, sample) / 256.0 - 0.5
        )


@inner("void(int64, int64, int64, int64, int64, float64[::1])")
def _put_quad(front_address: Int, emitted: Int, at: Int, quad: Int, samples: Int, moved: Array) -> None:
    """Write row ``at`` of ``quads``: where it is, what is covered, depth at its pixels' centres and samples."""
    front = front_at(front_address)
    columns = front.columns
    x, y = quad & 0xFFFF, quad >> 16
    array_at(columns.quads_emitted + 4 * at, 1, np.uint32)[0] = np.uint32(front.emitted_first + emitted)
    array_at(columns.quads_x + 2 * at, 1, np.uint16)[0] = np.uint16(x)
    array_at(columns.quads_y + 2 * at, 1, np.uint16)[0] = np.uint16(y)
    array_at(columns.quads_coverage + at, 1, np.uint8)[0] = np.uint8(_fragments(samples))
    array_at(columns.quads_sample_coverage + 2 * at, 1, np.uint16)[0] = np.uint16(samples)
    array_at(columns.quads_raster_samples + 2 * at, 1, np.uint16)[0] = np.uint16(samples)
    depth = array_at(columns.quads_depth + 16 * at, 4, np.uint32)
    of_samples = array_at(columns.quads_sample_depth + 64 * at, (4, SAMPLES), np.uint32)
    plane = array_at(front.depth_plane + 24 * emitted, 3, np.float64)
    dzdx, dzdy = plane[1], plane[2]
    depth_bits = front.depth_bits
    if dzdx == 0.0 and dzdy == 0.0:
        value = depth_code(plane[0], depth_bits)
        for fragment in range(4):
            depth[fragment] = value
            for sample in range(SAMPLES):
                of_samples[fragment, sample] = value
        return
    for fragment in range(4):
        z = plane[0] + dzdx * np.float64(2 * x + (fragment & 1)) + dzdy * np.float64(2 * y + (fragment >> 1))
        depth[fragment] = depth_code(z, depth_bits)
        for sample in range(SAMPLES):
            of_samples[fragment, sample] = depth_code(z + moved[sample], depth_bits)


@inner("int64(int64, int64, int64, int64, int64, float64[::1])")
def _put_quads(front_address: Int, emitted: Int, at: Int, quad: Int, samples: Int, moved: Array) -> Int:
    """Write a quad at ``quad`` = (y, x) from row ``at`` on: once, or once for each sample; returns how often."""
    front = front_at(front_address)
    n = 0
    for sample in range(SAMPLES):
        own = samples
        if front.per_sample != 0:
            own &= _OF_SAMPLE << sample
        elif sample > 0:
            break
        if own == 0:
            continue
        if at + n < front.quad_room:
            _put_quad(front_address, emitted, front.quad_first + at + n, quad, own, moved)
        n += 1
        mask = _fragments(own)
        front.num_fragments += (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1) + (mask >> 3)
    return n


@inner("int64(int64)")
def _sample_quads(front_address: Int) -> Int:
    """Write the quads of the emitted primitives, with coverage and depth of each sample, and count their fragments.

    Returns
    -------
    Number of quads; only those are written for which there is room.
    """
    front = front_at(front_address)
    corners = array_at(stack_words(8), (4, 2), np.int64)
    edges = array_at(stack_words(_EDGE_WORDS), (SAMPLES, 4, 6), np.int64)
    spans = array_at(stack_words(_SPAN_WORDS), (SAMPLES, 4), np.int64)
    moved = array_at(stack_words(SAMPLES), SAMPLES, np.float64)
    bounds = array_at(front.columns.emitted_bounds + 8 * front.emitted_first, (front.num_emitted, 4), np.int16)
    n = 0
    front.num_fragments = 0
    for emitted in range(front.num_emitted):
        if bounds[emitted, 2] < bounds[emitted, 0]:
            continue
        num_corners = _begin_primitive(front_address, emitted, corners, edges)
        _move_depth(front_address, emitted, moved)
        row = np.int64(bounds[emitted, 1])
        while row <= np.int64(bounds[emitted, 3]):
            y = row >> 1
            behind = row
            low, high = np.int64(bounds[emitted, 2]) + 1, np.int64(-1)
            for sample in range(SAMPLES):
                behind = next_rows(num_corners, edges[sample], row, bounds[emitted], spans[sample])
                low = min(low, spans[sample, 0], spans[sample, 2])
                high = max(high, spans[sample, 1], spans[sample, 3])
            row = behind
            for quad in range(low >> 1, (high >> 1) + 1):
                samples = _covered(spans, quad, front.sample_mask)
                if samples != 0:
                    n += _put_quads(front_address, emitted, n, y << 16 | quad, samples, moved)
    return n


@entry
def raster_samples(address: Int) -> Int:
    """Write quads, as :func:`~replay.engine.kernels.front.raster` does of one sample a pixel; 1 if there was room."""
    return end_quads(address, _sample_quads(address))
