"""Whole draws, one after the other in one native call: vertex fetch and shading, the front, the fragment stage.

The kernels of the other modules do the work. They are called by their addresses: a kernel that named them would be
compiled with all of their code once more. Where a table or working memory lacks room, the call ends and says so; it is
made again, and goes on from where it was, when there is room.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from replay.engine.kernels.access import (
    arguments_at,
    batch_at,
    draw_at,
    fetch_at,
    front_at,
    interface_at,
    job_at,
    numbered_at,
    numbering_at,
    plan_at,
    progress_at,
    result_at,
    stream_at,
)
from replay.engine.kernels.constants import make_areas
from replay.engine.kernels.lacking import (
    NEED_ARENA,
    NEED_ATTRIBUTES,
    NEED_COLORS,
    NEED_EMITTED,
    NEED_HASHES,
    NEED_QUADS,
    NEED_SEEN,
    SHADING,
)
from replay.engine.kernels.records import DRAW, NUMBERED, RESULT
from replay.glsl.llvm.abi import ARGUMENTS, LANES, QUADS, SPARE_QUADS
from replay.kernels import Int, entry, inner
from traceformat.native.access import array_at, call

__all__ = ["run_draws"]

_FREE: Final = np.uint32(0xFFFFFFFF)
_DRAW_BYTES: Final = DRAW.size
_RESULT_BYTES: Final = RESULT.size
_NUMBERED_BYTES: Final = NUMBERED.size
#: Coverages of a quad, and the one of a vertex.
_COVERAGES: Final = 16
_VERTEX: Final = 1
#: Quads whose new paths are numbered together, in ascending order of coverages.
_GROUP_QUADS: Final = 4096
_ARGUMENT_WORDS: Final = ARGUMENTS.itemsize // 8
_ARENA_ALIGNMENT: Final = 64


@inner("int64(int64, int64)")
def _loop_budget(batch_address: Int, groups: Int) -> Int:
    """Loop iterations that each of a draw's groups may spend."""
    batch = batch_at(batch_address)
    return max(min(batch.loop_iterations, batch.draw_iterations // max(groups, 1)), 1)


@inner("void(int64, int64, int64)")
def _fetch(batch_address: Int, draw_address: Int, width: Int) -> None:
    """Input rows of the vertex stage; which lanes there are."""
    batch, draw = batch_at(batch_address), draw_at(draw_address)
    stream = stream_at(draw.stream)
    lanes = stream.num_lanes
    fetch = fetch_at(batch.fetching)
    fetch.attributes = draw.attributes
    fetch.num_attributes = draw.num_attributes
    fetch.base_instance = draw.base_instance
    fetch.lane_index = stream.lane_index
    fetch.lane_instance = stream.lane_instance
    fetch.num_lanes = lanes
    fetch.out = batch.inputs
    fetch.num_rows = max(plan_at(draw.plan).input_rows, 1)
    fetch.width = width
    inputs = array_at(batch.inputs, fetch.num_rows * width, np.float32)
    for k in range(fetch.num_rows * width):
        inputs[k] = np.float32(0.0)
    if draw.num_attributes > 0:
        call(batch.fetch, batch.fetching)
    groups = (lanes + LANES - 1) // LANES
    coverage = array_at(batch.coverage, QUADS * groups, np.uint8)
    for k in range(QUADS * groups):
        coverage[k] = np.uint8((1 << min(max(lanes - 4 * k, 0), 4)) - 1)


@inner("void(int64, int64, int64)")
def _shade_vertices(batch_address: Int, draw_address: Int, width: Int) -> None:
    """Run the vertex stage."""
    batch, draw = batch_at(batch_address), draw_at(draw_address)
    plan = plan_at(draw.plan)
    groups = (stream_at(draw.stream).num_lanes + LANES - 1) // LANES
    words = array_at(batch.vertex_arguments, _ARGUMENT_WORDS, np.int64)
    for k in range(_ARGUMENT_WORDS):
        words[k] = 0
    arguments = arguments_at(batch.vertex_arguments)
    arguments.areas = draw.vertex_areas
    arguments.descriptors = draw.descriptors
    arguments.loop_budget = _loop_budget(batch_address, groups)
    arguments.inputs = batch.inputs
    arguments.input_stride = 4 * width
    arguments.outputs = batch.outputs
    arguments.output_stride = 4 * width
    arguments.coverage = batch.coverage
    arguments.num_groups = groups
    arguments.scratch = batch.stage_scratch
    call(plan.vertex_stage, batch.vertex_arguments)


@inner("void(int64, int64, int64)")
def _give_number(batch_address: Int, straight: Int, coverage: Int) -> None:
    """Give the next number to a path."""
    batch, numbering = batch_at(batch_address), numbering_at(batch_at(batch_address).numbering)
    array_at(straight, _COVERAGES, np.uint32)[coverage] = np.uint32(numbering.next)
    numbering.next += 1
    entry = numbered_at(batch.numbered + batch.num_numbered * _NUMBERED_BYTES)
    entry.straight = straight
    entry.coverage = coverage
    batch.num_numbered += 1
    if batch.num_numbered + _COVERAGES > batch.numbered_rows:
        numbering.is_on = 0


@inner("void(int64, int64)")
def _number_vertices(batch_address: Int, draw_address: Int) -> None:
    """Path of a draw's vertices, if it has none: it gets the next number, where that can be told."""
    draw = draw_at(draw_address)
    straight = plan_at(draw.plan).vertex_straight
    if draw.vertex_path >= 0:
        return
    numbering = numbering_at(batch_at(batch_address).numbering)
    if straight == 0 or draw.paths != 0:
        numbering.is_on = 0
        return
    numbers = array_at(straight, _COVERAGES, np.uint32)
    if numbers[_VERTEX] == _FREE and numbering.is_on != 0:
        _give_number(batch_address, straight, _VERTEX)
    if numbers[_VERTEX] != _FREE:
        draw.vertex_path = np.int64(numbers[_VERTEX])


@inner("void(int64, int64)")
def _begin(batch_address: Int, draw_address: Int) -> None:
    """Fill the record of a draw's front; shade its vertices where that has not been done."""
    batch, draw = batch_at(batch_address), draw_at(draw_address)
    plan = plan_at(draw.plan)
    front = front_at(batch.front)
    _number_vertices(batch_address, draw_address)
    front.stream = draw.stream
    front.interface = plan.interface
    front.draw_row = draw.row
    front.vertex_first = draw.vertex_first
    front.primitive_first = draw.primitive_first
    front.emitted_first = batch.emitted_rows
    front.attribute_first = batch.attribute_rows
    front.quad_first = batch.quad_rows
    front.num_primitives = draw.num_primitives
    front.index_bytes = draw.index_bytes
    front.index_address = draw.index_address
    front.paths = draw.paths
    front.path = draw.vertex_path
    front.distances = draw.distances
    front.num_distances = draw.num_distances
    front.is_assembled = draw.assembled != 0
    front.primitives = draw.assembled if draw.assembled != 0 else batch.primitives
    front.points = batch.points if draw.has_points != 0 else 0
    front.mode = draw.mode
    front.setup = draw.setup
    front.point_sizes = plan.point_sizes
    front.multisampled = plan.multisampled
    front.sample_mask = plan.sample_mask
    front.per_sample = plan.per_sample
    front.depth_bits = plan.depth_bits
    front.has_fragments = plan.has_fragments
    front.num_quads = 0
    front.planes_at = batch.arena + batch.arena_used
    front.fronts_at = front.planes_at
    front.arena_used = 0
    if draw.outputs != 0:
        front.outputs = draw.outputs
        front.output_width = draw.output_width
    else:
        width = (stream_at(draw.stream).num_lanes + 15) // 16 * 16
        _fetch(batch_address, draw_address, width)
        _shade_vertices(batch_address, draw_address, width)
        front.outputs = batch.outputs
        front.output_width = width
    call(batch.read_vertices, batch.front)


@inner("int64(int64, int64, int64)")
def _prepare(batch_address: Int, draw: Int, phase: Int) -> Int:
    """Clip, rasterize, find plane equations; 0, or what is lacking."""
    batch = batch_at(batch_address)
    plan = plan_at(draw_at(draw).plan)
    front = front_at(batch.front)
    if phase <= NEED_EMITTED:
        front.emitted_room = min(batch.emitted_capacity - batch.emitted_rows, batch.work_rows)
        if call(batch.clip, batch.front) == 0:
            return NEED_EMITTED
    if plan.has_fragments == 0:
        return 0
    if phase <= NEED_ATTRIBUTES:
        front.attribute_room = batch.attribute_capacity - batch.attribute_rows
        if call(batch.attributes, batch.front) == 0:
            return NEED_ATTRIBUTES
    if phase <= NEED_QUADS and plan.raster != 0:
        front.quad_room = batch.quad_capacity - batch.quad_rows
        if call(plan.raster, batch.front) == 0:
            return NEED_QUADS
    if front.num_quads != 0 or plan.raster == 0:
        front.arena = batch.arena + batch.arena_used
        front.arena_bytes = batch.arena_bytes - batch.arena_used
        if call(batch.planes, batch.front) == 0:
            return NEED_ARENA
    return 0


@inner("void(int64)")
def _touch(batch_address: Int) -> None:
    """Take down which pixels the primitives of a draw may cover."""
    batch, front = batch_at(batch_address), front_at(batch_at(batch_address).front)
    count = front.num_emitted
    bounds = array_at(front.columns.emitted_bounds + 8 * front.emitted_first, (count, 4), np.int16)
    x0, y0, x1, y1 = batch.touched_x0, batch.touched_y0, batch.touched_x1, batch.touched_y1
    for row in range(count):
        if bounds[row, 2] >= bounds[row, 0]:
            x0, y0 = min(x0, np.int64(bounds[row, 0])), min(y0, np.int64(bounds[row, 1]))
            x1, y1 = max(x1, np.int64(bounds[row, 2]) + 1), max(y1, np.int64(bounds[row, 3]) + 1)
    batch.touched_x0, batch.touched_y0, batch.touched_x1, batch.touched_y1 = x0, y0, x1, y1


@inner("void(int64, int64, int64)")
def _note_geometry(batch_address: Int, draw: Int, result: Int) -> None:
    """Take down what the front of a draw has made."""
    batch, out = batch_at(batch_address), result_at(result)
    plan = plan_at(draw_at(draw).plan)
    front = front_at(batch.front)
    out.emitted_first = front.emitted_first
    out.num_emitted = front.num_emitted
    out.quad_first = front.quad_first
    out.num_quads = front.num_quads
    out.num_fragments = front.num_fragments
    out.planes_at = batch.arena_used
    out.hash_first = batch.hashes_used
    out.path_missing = 0
    out.passed = 0
    out.color_first = batch.color_rows
    batch.emitted_rows += front.num_emitted
    batch.quad_rows += front.num_quads
    if plan.has_fragments != 0:
        _touch(batch_address)
        batch.attribute_rows += 3 * (1 + interface_at(front.interface).num_varyings) * front.num_emitted
        if plan.hashed != 0 or plan.shades == 0:
            # The planes are asked for again: where a path is new, or where others shade.
            batch.arena_used += (front.arena_used + _ARENA_ALIGNMENT - 1) // _ARENA_ALIGNMENT * _ARENA_ALIGNMENT


@inner("void(int64, int64)")
def _fill_job(batch_address: Int, draw_address: Int) -> None:
    """Fill the record of a draw's fragments."""
    batch, draw = batch_at(batch_address), draw_at(draw_address)
    plan = plan_at(draw.plan)
    front, job = front_at(batch.front), job_at(batch.job)
    columns = front.columns
    first = front.quad_first
    stride = 4 * interface_at(front.interface).plane_words
    arguments = arguments_at(batch.template)
    arguments.areas = draw.fragment_areas
    arguments.descriptors = draw.descriptors
    arguments.planes = front.planes_at - front.emitted_first * stride
    arguments.plane_stride = stride
    arguments.loop_budget = _loop_budget(batch_address, front.num_quads // QUADS)
    arguments.identity_seed = draw.identity_seed
    job.stage = plan.fragment_stage
    job.merge = plan.merge
    job.num_quads = front.num_quads
    job.coverage = columns.quads_coverage + first
    job.survives = batch.survives + first
    job.emitted = columns.quads_emitted + 4 * first
    job.x = columns.quads_x + 2 * first
    job.y = columns.quads_y + 2 * first
    job.depth = columns.quads_depth + 16 * first
    job.sample_coverage = columns.quads_sample_coverage + 2 * first if plan.multisampled != 0 else 0
    job.sample_depth = columns.quads_sample_depth + 64 * first if plan.multisampled != 0 else 0
    job.raster_samples = columns.quads_raster_samples + 2 * first if plan.multisampled != 0 else 0
    job.shader_depth = batch.shader_depth + 16 * first if batch.shader_depth != 0 else 0
    job.colors = batch.colors + batch.color_rows if plan.color_bytes != 0 else 0
    job.identity = batch.identity + 32 * first if batch.identity != 0 else 0
    job.seen = batch.seen if plan.tests_early != 0 else 0
    job.hashes = batch.hashes + 8 * batch.hashes_used if plan.hashed != 0 else 0
    job.tex_first = batch.tex_first + 4 * first if plan.records != 0 else 0
    job.tex_count = batch.tex_count + 2 * first if plan.records != 0 else 0
    job.emitted_first = front.emitted_first
    job.fronts = front.fronts_at
    job.num_emitted = front.num_emitted


@inner("int64(int64, int64, int64)")
def _begin_shading(batch_address: Int, draw: Int, result: Int) -> Int:
    """Get a draw's fragments ready, and test them where tests come first; 0, or what is lacking."""
    batch = batch_at(batch_address)
    plan = plan_at(draw_at(draw).plan)
    quads = front_at(batch.front).num_quads
    # Quads are shaded in groups: some more may be written than there are.
    most = quads + SPARE_QUADS
    if plan.tests_early != 0 and most > batch.seen_bytes:
        batch.needed = most
        return NEED_SEEN
    if plan.hashed != 0 and batch.hashes_used + most > batch.hash_words:
        batch.needed = most
        return NEED_HASHES
    colors = 4 * quads * plan.color_bytes
    if batch.color_rows + colors > batch.color_capacity and colors != 0:
        batch.needed = colors
        return NEED_COLORS
    _fill_job(batch_address, draw)
    batch.color_rows += colors
    progress = progress_at(job_at(batch.job).progress)
    progress.claimed = 0
    progress.done = 0
    progress.ops = batch.op_rows
    progress.lines = batch.line_rows
    progress.passed = 0
    progress.code = 0
    if plan.tests_early != 0:
        result_at(result).passed = call(batch.test_early, batch.job)
        seen = array_at(batch.seen, most, np.uint8)
        for quad in range(quads, most):
            seen[quad] = 0
        if plan.has_outputs == 0:
            for quad in range(quads):
                seen[quad] = 0  # nobody looks at what passed
    return 0


@inner("void(int64, int64, int64, int64, int64)")
def _number_new(batch_address: Int, straight: Int, coverage_at: Int, path_at: Int, quads: Int) -> None:
    """Give numbers to the paths of quads that have none."""
    numbers, path = array_at(straight, _COVERAGES, np.uint32), array_at(path_at, quads, np.uint32)
    coverage = array_at(coverage_at, quads, np.uint8)
    for first in range(0, quads, _GROUP_QUADS):
        last, new = min(first + _GROUP_QUADS, quads), 0
        for quad in range(first, last):
            new |= (1 if path[quad] == _FREE else 0) << int(coverage[quad] & 15)
        if new == 0:
            continue
        for mask in range(_COVERAGES):
            if new >> mask & 1 != 0 and numbers[mask] == _FREE:
                _give_number(batch_address, straight, mask)
        for quad in range(first, last):
            path[quad] = numbers[coverage[quad] & 15]


@inner("void(int64, int64, int64)")
def _number_straight(batch_address: Int, straight: Int, result: Int) -> None:
    """Paths of quads of a stage without control flow: they follow from the coverage."""
    batch, out = batch_at(batch_address), result_at(result)
    quads = out.num_quads
    numbers = array_at(straight, _COVERAGES, np.uint32)
    coverage_at, path_at = front_at(batch.front).columns.quads_coverage + out.quad_first, batch.quad_paths
    path_at += 4 * out.quad_first
    coverage, path = array_at(coverage_at, quads, np.uint8), array_at(path_at, quads, np.uint32)
    met = 0
    for quad in range(quads):
        path[quad] = numbers[coverage[quad] & 15]
        met |= 1 << int(coverage[quad] & 15)
    missing = 0
    for mask in range(_COVERAGES):
        if met >> mask & 1 != 0 and numbers[mask] == _FREE:
            missing |= 1 << mask
    if missing != 0 and numbering_at(batch.numbering).is_on != 0:
        _number_new(batch_address, straight, coverage_at, path_at, quads)
        missing = 0
    out.path_missing = missing


@inner("int64(int64, int64, int64, int64)")
def _shade_quads(batch_address: Int, draw: Int, result: Int, phase: Int) -> Int:
    """Shade and merge the quads of a draw; 0, or what is lacking."""
    batch, out = batch_at(batch_address), result_at(result)
    plan = plan_at(draw_at(draw).plan)
    progress = progress_at(job_at(batch.job).progress)
    if phase < SHADING:
        lacking = _begin_shading(batch_address, draw, result)
        if lacking != 0:
            return lacking
    else:
        progress.claimed = progress.done
        progress.code = 0
    call(batch.run_job, batch.thread)
    if plan.records != 0:
        batch.op_rows = progress.ops
        batch.line_rows = progress.lines
    if progress.code != 0:
        batch.needed = progress.needed
        return SHADING + progress.code
    out.passed += progress.passed
    quads = out.num_quads
    if batch.tex_first != 0 and plan.records == 0:
        tex_first = array_at(batch.tex_first + 4 * out.quad_first, quads, np.uint32)
        tex_count = array_at(batch.tex_count + 2 * out.quad_first, quads, np.uint16)
        for quad in range(quads):
            tex_first[quad] = np.uint32(progress.ops)
            tex_count[quad] = np.uint16(0)
    if plan.straight != 0:
        _number_straight(batch_address, plan.straight, result)
    elif plan.hashed != 0:
        out.path_missing = -1
        numbering_at(batch.numbering).is_on = 0
        batch.hashes_used += quads
    return 0


@entry
def run_draws(address: Int) -> Int:
    """Execute the draws of a BATCH until all are done or something is lacking.

    ``at`` and ``phase`` are 0 in the beginning, and otherwise as the last call left them.

    Returns
    -------
    DONE or what is lacking; ``needed`` says how much is lacking.
    """
    batch = batch_at(address)
    if batch.at == 0 and batch.phase == 0:
        make_areas(batch.constants, batch.num_constants)
    while batch.at < batch.count:
        draw = batch.draws + batch.at * _DRAW_BYTES
        result = batch.results + batch.at * _RESULT_BYTES
        phase = batch.phase
        if phase == 0:
            if batch.keeps == 0:
                batch.emitted_rows = batch.attribute_rows = batch.quad_rows = 0
            _begin(address, draw)
        if phase <= NEED_ARENA:
            lacking = _prepare(address, draw, phase)
            if lacking != 0:
                batch.phase = lacking
                batch.needed = front_at(batch.front).needed
                return lacking
            _note_geometry(address, draw, result)
        plan = plan_at(draw_at(draw).plan)
        if plan.shades == 0:
            if plan.has_fragments != 0:
                numbering_at(batch.numbering).is_on = 0  # others shade
        elif result_at(result).num_quads != 0:
            lacking = _shade_quads(address, draw, result, phase)
            if lacking != 0:
                batch.phase = min(lacking, SHADING)
                return lacking
        batch.phase = 0
        batch.at += 1
    return 0
