"""Whole draws, one after the other in one native call: vertex fetch and shading, the front, the fragment stage.

The kernels of the other modules do the work. They are called by their addresses: a kernel that named them would be
compiled with all of their code once more. Where a table or working memory lacks room, the call ends and says so; it is
made again, and goes on from where it was, when there is room.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import carray

from replay.engine.kernels import fetch, front, shading
from replay.engine.kernels.access import (
    arguments_at,
    batch_at,
    draw_at,
    fetch_at,
    front_at,
    interface_at,
    job_at,
    plan_at,
    progress_at,
    result_at,
    stream_at,
)
from replay.engine.kernels.constants import make_areas
from replay.engine.kernels.records import DRAW, RESULT
from replay.glsl.llvm.abi import ARGUMENTS
from replay.kernels import Int, entry, inner
from traceformat.native.access import call, pointer

__all__ = ["KERNELS", "run_draws"]

#: Kernels that a batch calls, by their fields of BATCH.
KERNELS: Final[dict[str, Any]] = {
    "fetch": fetch.fetch_attributes,
    "read_vertices": front.read_vertices,
    "clip": front.clip,
    "attributes": front.attributes,
    "raster": front.raster,
    "planes": front.planes,
    "test_early": shading.test_early,
    "run_job": shading.run_job,
}

# What the call returns: done, or what is lacking. The draw at hand goes on with the phase of that number, at most
# SHADING.
DONE: Final = 0
NEED_EMITTED: Final = front.NEED_EMITTED
NEED_ATTRIBUTES: Final = front.NEED_ATTRIBUTES
NEED_QUADS: Final = front.NEED_QUADS
NEED_ARENA: Final = front.NEED_ARENA
NEED_SEEN: Final = 5
NEED_HASHES: Final = 6
NEED_COLORS: Final = 7
SHADING: Final = 8
NEED_RECORD: Final = SHADING + shading.RECORD_FULL
NEED_TABLES: Final = SHADING + shading.TABLES_FULL
OVER_BUDGET: Final = SHADING + shading.OVER_BUDGET

_FREE: Final = np.uint32(0xFFFFFFFF)
_DRAW_BYTES: Final = DRAW.size
_RESULT_BYTES: Final = RESULT.size
_ARGUMENT_WORDS: Final = ARGUMENTS.itemsize // 8
_LANES: Final = 8
_ARENA_ALIGNMENT: Final = 64


@inner("int64(int64, int64)")
def _loop_budget(batch: Int, groups: Int) -> Int:
    """Loop iterations that each of a draw's groups may spend."""
    h = batch_at(batch)
    return max(min(h.loop_iterations, h.draw_iterations // max(groups, 1)), 1)


@inner("void(int64, int64, int64)")
def _fetch(batch: Int, draw: Int, width: Int) -> None:
    """Input rows of the vertex stage; which lanes there are."""
    h, d = batch_at(batch), draw_at(draw)
    stream = stream_at(d.stream)
    lanes = stream.num_lanes
    f = fetch_at(h.fetching)
    f.attributes = d.attributes
    f.num_attributes = d.num_attributes
    f.base_instance = d.base_instance
    f.lane_index = stream.lane_index
    f.lane_instance = stream.lane_instance
    f.num_lanes = lanes
    f.out = h.inputs
    f.num_rows = max(plan_at(d.plan).input_rows, 1)
    f.width = width
    inputs = carray(pointer(h.inputs), f.num_rows * width, np.float32)
    for k in range(f.num_rows * width):
        inputs[k] = np.float32(0.0)
    if d.num_attributes > 0:
        call(h.fetch, h.fetching)
    groups = (lanes + _LANES - 1) // _LANES
    coverage = carray(pointer(h.coverage), 2 * groups, np.uint8)
    for k in range(2 * groups):
        coverage[k] = np.uint8((1 << min(max(lanes - 4 * k, 0), 4)) - 1)


@inner("void(int64, int64, int64)")
def _shade_vertices(batch: Int, draw: Int, width: Int) -> None:
    """Run the vertex stage."""
    h, d = batch_at(batch), draw_at(draw)
    plan = plan_at(d.plan)
    groups = (stream_at(d.stream).num_lanes + _LANES - 1) // _LANES
    words = carray(pointer(h.vertex_arguments), _ARGUMENT_WORDS, np.int64)
    for k in range(_ARGUMENT_WORDS):
        words[k] = 0
    a = arguments_at(h.vertex_arguments)
    a.areas = d.vertex_areas
    a.descriptors = d.descriptors
    a.loop_budget = _loop_budget(batch, groups)
    a.inputs = h.inputs
    a.input_stride = 4 * width
    a.outputs = h.outputs
    a.output_stride = 4 * width
    a.coverage = h.coverage
    a.num_groups = groups
    a.scratch = h.stage_scratch
    call(plan.vertex_stage, h.vertex_arguments)


@inner("void(int64, int64)")
def _begin(batch: Int, draw: Int) -> None:
    """Fill the record of a draw's front; shade its vertices where that has not been done."""
    h, d = batch_at(batch), draw_at(draw)
    plan = plan_at(d.plan)
    r = front_at(h.front)
    r.stream = d.stream
    r.interface = plan.interface
    r.draw_row = d.row
    r.vertex_first = d.vertex_first
    r.primitive_first = d.primitive_first
    r.emitted_first = h.emitted_rows
    r.attribute_first = h.attribute_rows
    r.quad_first = h.quad_rows
    r.num_primitives = d.num_primitives
    r.index_bytes = d.index_bytes
    r.index_address = d.index_address
    r.paths = d.paths
    r.path = d.vertex_path
    r.distances = d.distances
    r.num_distances = d.num_distances
    r.is_assembled = d.assembled != 0
    r.primitives = d.assembled if d.assembled != 0 else h.primitives
    r.points = h.points if d.has_points != 0 else 0
    r.mode = d.mode
    r.setup = d.setup
    r.point_sizes = plan.point_sizes
    r.multisampled = plan.multisampled
    r.sample_mask = plan.sample_mask
    r.depth_bits = plan.depth_bits
    r.has_fragments = plan.has_fragments
    r.is_counted = 0
    r.num_quads = 0
    r.planes_at = h.arena + h.arena_used
    r.fronts_at = r.planes_at
    r.arena_used = 0
    if d.outputs != 0:
        r.outputs = d.outputs
        r.output_width = d.output_width
    else:
        width = (stream_at(d.stream).num_lanes + 15) // 16 * 16
        _fetch(batch, draw, width)
        _shade_vertices(batch, draw, width)
        r.outputs = h.outputs
        r.output_width = width
    call(h.read_vertices, h.front)


@inner("int64(int64, int64, int64)")
def _prepare(batch: Int, draw: Int, phase: Int) -> Int:
    """Clip, rasterize, find plane equations; 0, or what is lacking."""
    h = batch_at(batch)
    plan = plan_at(draw_at(draw).plan)
    r = front_at(h.front)
    if phase <= NEED_EMITTED:
        r.emitted_room = min(h.emitted_capacity - h.emitted_rows, h.work_rows)
        if call(h.clip, h.front) == 0:
            return NEED_EMITTED
    if plan.has_fragments == 0:
        return 0
    if phase <= NEED_ATTRIBUTES:
        r.attribute_room = h.attribute_capacity - h.attribute_rows
        if call(h.attributes, h.front) == 0:
            return NEED_ATTRIBUTES
    if phase <= NEED_QUADS and plan.rasterizes != 0:
        r.quad_room = h.quad_capacity - h.quad_rows
        if call(h.raster, h.front) == 0:
            return NEED_QUADS
    if r.num_quads != 0 or plan.rasterizes == 0:
        r.arena = h.arena + h.arena_used
        r.arena_bytes = h.arena_bytes - h.arena_used
        if call(h.planes, h.front) == 0:
            return NEED_ARENA
    return 0


@inner("void(int64, int64, int64)")
def _note_geometry(batch: Int, draw: Int, result: Int) -> None:
    """Take down what the front of a draw has made."""
    h, out = batch_at(batch), result_at(result)
    plan = plan_at(draw_at(draw).plan)
    r = front_at(h.front)
    out.emitted_first = r.emitted_first
    out.num_emitted = r.num_emitted
    out.quad_first = r.quad_first
    out.num_quads = r.num_quads
    out.num_fragments = r.num_fragments
    out.planes_at = h.arena_used
    out.hash_first = h.hashes_used
    out.path_missing = 0
    out.passed = 0
    out.color_first = h.color_rows
    h.emitted_rows += r.num_emitted
    h.quad_rows += r.num_quads
    if plan.has_fragments != 0:
        h.attribute_rows += 3 * (1 + interface_at(r.interface).num_varyings) * r.num_emitted
        if plan.hashed != 0 or plan.shades == 0:
            # The planes are asked for again: where a path is new, or where others shade.
            h.arena_used += (r.arena_used + _ARENA_ALIGNMENT - 1) // _ARENA_ALIGNMENT * _ARENA_ALIGNMENT


@inner("void(int64, int64)")
def _fill_job(batch: Int, draw: Int) -> None:
    """Fill the record of a draw's fragments."""
    h, d = batch_at(batch), draw_at(draw)
    plan = plan_at(d.plan)
    r, j = front_at(h.front), job_at(h.job)
    columns = r.columns
    first = r.quad_first
    stride = 4 * interface_at(r.interface).plane_words
    a = arguments_at(h.template)
    a.areas = d.fragment_areas
    a.descriptors = d.descriptors
    a.planes = r.planes_at - r.emitted_first * stride
    a.plane_stride = stride
    a.loop_budget = _loop_budget(batch, r.num_quads // 2)
    a.identity_seed = d.identity_seed
    j.stage = plan.fragment_stage
    j.merge = plan.merge
    j.num_quads = r.num_quads
    j.coverage = columns.quads_coverage + first
    j.survives = h.survives + first
    j.emitted = columns.quads_emitted + 4 * first
    j.x = columns.quads_x + 2 * first
    j.y = columns.quads_y + 2 * first
    j.depth = columns.quads_depth + 16 * first
    j.sample_coverage = columns.quads_sample_coverage + 2 * first if plan.multisampled != 0 else 0
    j.sample_depth = columns.quads_sample_depth + 64 * first if plan.multisampled != 0 else 0
    j.shader_depth = h.shader_depth + 16 * first if h.shader_depth != 0 else 0
    j.colors = h.colors + h.color_rows if plan.color_bytes != 0 else 0
    j.identity = h.identity + 32 * first if h.identity != 0 else 0
    j.seen = h.seen if plan.tests_early != 0 else 0
    j.hashes = h.hashes + 8 * h.hashes_used if plan.hashed != 0 else 0
    j.tex_first = h.tex_first + 4 * first if plan.records != 0 else 0
    j.tex_count = h.tex_count + 2 * first if plan.records != 0 else 0
    j.emitted_first = r.emitted_first
    j.fronts = r.fronts_at
    j.num_emitted = r.num_emitted


@inner("int64(int64, int64, int64)")
def _begin_shading(batch: Int, draw: Int, result: Int) -> Int:
    """Get a draw's fragments ready, and test them where tests come first; 0, or what is lacking."""
    h = batch_at(batch)
    plan = plan_at(draw_at(draw).plan)
    quads = front_at(h.front).num_quads
    # Quads are shaded in pairs: one more may be written than there are.
    if plan.tests_early != 0 and quads + 1 > h.seen_bytes:
        h.needed = quads + 1
        return NEED_SEEN
    if plan.hashed != 0 and h.hashes_used + quads + 1 > h.hash_words:
        h.needed = quads + 1
        return NEED_HASHES
    colors = 4 * quads * plan.color_bytes
    if h.color_rows + colors > h.color_capacity and colors != 0:
        h.needed = colors
        return NEED_COLORS
    _fill_job(batch, draw)
    h.color_rows += colors
    progress = progress_at(job_at(h.job).progress)
    progress.claimed = 0
    progress.done = 0
    progress.ops = h.op_rows
    progress.lines = h.line_rows
    progress.passed = 0
    progress.code = 0
    if plan.tests_early != 0:
        result_at(result).passed = call(h.test_early, h.job)
        seen = carray(pointer(h.seen), quads + 1, np.uint8)
        seen[quads] = 0
        if plan.has_outputs == 0:
            for q in range(quads):
                seen[q] = 0  # nobody looks at what passed
    return 0


@inner("void(int64, int64, int64)")
def _number_straight(batch: Int, straight: Int, result: Int) -> None:
    """Paths of quads of a stage without control flow: they follow from the coverage."""
    h, out = batch_at(batch), result_at(result)
    quads = out.num_quads
    numbers = carray(pointer(straight), 16, np.uint32)
    coverage = carray(pointer(front_at(h.front).columns.quads_coverage + out.quad_first), quads, np.uint8)
    path = carray(pointer(h.quad_paths + 4 * out.quad_first), quads, np.uint32)
    met = 0
    for q in range(quads):
        path[q] = numbers[coverage[q] & 15]
        met |= 1 << int(coverage[q] & 15)
    missing = 0
    for mask in range(16):
        if met >> mask & 1 != 0 and numbers[mask] == _FREE:
            missing |= 1 << mask
    out.path_missing = missing


@inner("int64(int64, int64, int64, int64)")
def _shade_quads(batch: Int, draw: Int, result: Int, phase: Int) -> Int:
    """Shade and merge the quads of a draw; 0, or what is lacking."""
    h, out = batch_at(batch), result_at(result)
    plan = plan_at(draw_at(draw).plan)
    progress = progress_at(job_at(h.job).progress)
    if phase < SHADING:
        lacking = _begin_shading(batch, draw, result)
        if lacking != 0:
            return lacking
    else:
        progress.claimed = progress.done
        progress.code = 0
    call(h.run_job, h.thread)
    if plan.records != 0:
        h.op_rows = progress.ops
        h.line_rows = progress.lines
    if progress.code != 0:
        h.needed = progress.needed
        return SHADING + progress.code
    out.passed += progress.passed
    quads = out.num_quads
    if h.tex_first != 0 and plan.records == 0:
        tex_first = carray(pointer(h.tex_first + 4 * out.quad_first), quads, np.uint32)
        tex_count = carray(pointer(h.tex_count + 2 * out.quad_first), quads, np.uint16)
        for q in range(quads):
            tex_first[q] = np.uint32(progress.ops)
            tex_count[q] = np.uint16(0)
    if plan.straight != 0:
        _number_straight(batch, plan.straight, result)
    elif plan.hashed != 0:
        out.path_missing = -1
        h.hashes_used += quads
    return 0


@entry
def run_draws(address: Int) -> Int:
    """Execute the draws of a BATCH until all are done or something is lacking.

    ``at`` and ``phase`` are 0 in the beginning, and otherwise as the last call left them.

    Returns
    -------
    DONE or what is lacking; ``needed`` says how much is lacking.
    """
    h = batch_at(address)
    if h.at == 0 and h.phase == 0:
        make_areas(h.constants, h.num_constants)
    while h.at < h.count:
        draw = h.draws + h.at * _DRAW_BYTES
        result = h.results + h.at * _RESULT_BYTES
        phase = h.phase
        if phase == 0:
            if h.keeps == 0:
                h.emitted_rows = h.attribute_rows = h.quad_rows = 0
            _begin(address, draw)
        if phase <= NEED_ARENA:
            lacking = _prepare(address, draw, phase)
            if lacking != 0:
                h.phase = lacking
                h.needed = front_at(h.front).needed
                return lacking
            _note_geometry(address, draw, result)
        if plan_at(draw_at(draw).plan).shades != 0 and result_at(result).num_quads != 0:
            lacking = _shade_quads(address, draw, result, phase)
            if lacking != 0:
                h.phase = min(lacking, SHADING)
                return lacking
        h.phase = 0
        h.at += 1
    return 0
