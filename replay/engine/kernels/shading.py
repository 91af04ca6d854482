"""All quads of a draw in one call: the compiled fragment stage chunk by chunk, with what follows it.

Several threads may execute one draw together. Each claims chunks from a shared counter and shades them on its own;
tests and blending wait for their turn, so that everything lies in the order of quads and the result is the same for any
number of threads. A texture record goes straight to the frame's tables if its turn has come already, and waits in the
thread's own memory if not.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba.core import types

from replay.engine.kernels.access import (
    arguments_at,
    job_at,
    merge_at,
    output_at,
    pixels_at,
    progress_at,
    texture_record_at,
    thread_at,
)
from replay.engine.kernels.coverage import cover_by_alpha, cover_by_mask, take_sample, write_depth
from replay.engine.kernels.lacking import OVER_BUDGET, RECORD_FULL, TABLES_FULL
from replay.engine.kernels.records import CHUNK_QUADS, OUTPUT, PROGRESS
from replay.engine.kernels.texture_log import append_record
from replay.glsl.llvm.abi import ARGUMENTS, QUADS, SPARE_LINES
from replay.glsl.llvm.record_memory import LINES_PER_OP
from replay.kernels import Int, entry, inner
from traceformat.native.access import add_at_once, array_at, call, pause, read_shared, write_shared

__all__ = ["run_job", "test_early"]

_CLAIMED: Final = PROGRESS.place("claimed")
_DONE: Final = PROGRESS.place("done")
_CODE: Final = PROGRESS.place("code")
_OPEN: Final = PROGRESS.place("is_open")
_INSIDE: Final = PROGRESS.place("num_inside")
_RUNNING: Final = PROGRESS.place("is_running")
_OUTPUT_BYTES: Final = OUTPUT.size
_ARGUMENT_WORDS: Final = ARGUMENTS.itemsize // 8

_yield_processor: Any = types.ExternalFunction("sched_yield", types.int32())


@inner("int64(int64, int64)")
def _count(mask: Int, count: Int) -> Int:
    """Fragments in so many quads' masks."""
    masks = array_at(mask, count, np.uint8)
    total = 0
    for quad in range(count):
        covered = masks[quad]
        total += int((covered & 1) + (covered >> 1 & 1) + (covered >> 2 & 1) + (covered >> 3 & 1))
    return total


@inner("void(int64, int64, int64, int64)")
def _point_at(job_address: Int, first: Int, count: Int, mask: Int) -> None:
    """Let the job's PIXELS be quads from ``first`` on, of which the fragments of ``mask`` arrive."""
    job = job_at(job_address)
    own = pixels_at(job.pixels)
    own.num_quads = count
    own.x = job.x + 2 * first
    own.y = job.y + 2 * first
    own.mask = mask


@inner("int64(int64, int64, int64, int64, int64, int64)")
def _test(job_address: Int, sample: Int, first: Int, count: Int, depth: Int, passed: Int) -> Int:
    """Test the fragments of the job's PIXELS, quads from ``first`` on, with their depth; ``passed`` says which passed.

    There is room for an even number of quads.
    """
    job = job_at(job_address)
    merge = merge_at(job.merge)
    own = pixels_at(job.pixels)
    own.test = merge.test
    own.depth = depth
    own.emitted = job.emitted + 4 * first
    own.emitted_first = job.emitted_first
    own.fronts = job.fronts
    own.passed = passed
    own.plane = merge.depth + 4 * sample * merge.depth_height * merge.depth_width
    own.plane_height = merge.depth_height
    own.plane_width = merge.depth_width
    own.stencil = merge.stencil + sample * merge.stencil_height * merge.stencil_width
    own.stencil_height = merge.stencil_height
    own.stencil_width = merge.stencil_width
    if count & 1 != 0:
        # What takes two quads at once finds one without fragments behind the last.
        array_at(passed, count + 1, np.uint8)[count] = 0
    call(merge.test_code, job.pixels)
    return _count(passed, count)


@entry
def test_early(address: Int) -> Int:
    """Test all fragments of a JOB before they are shaded; returns how many passed."""
    job = job_at(address)
    _point_at(address, 0, job.num_quads, job.coverage)
    return _test(address, 0, 0, job.num_quads, job.depth, job.seen)


@inner("void(int64, int64, int64)")
def _begin_record(thread: Int, first: Int, is_turn: Int) -> None:
    """Say where the texture accesses of the chunk from quad ``first`` on go."""
    own = thread_at(thread)
    job = job_at(own.job)
    record = texture_record_at(own.record)
    columns = own.own
    record.ops = 0
    record.lines = 0
    record.ops_room = own.record_rows
    record.lines_room = LINES_PER_OP * own.record_rows
    if is_turn != 0:
        columns = job.columns
        progress = progress_at(job.progress)
        record.ops = progress.ops
        record.lines = progress.lines
        record.ops_room = job.ops_room
        record.lines_room = job.lines_room
    record.line_first = columns.tex_ops_line_first
    record.line_count = columns.tex_ops_line_count
    record.texels = columns.tex_ops_texels
    record.instruction = columns.tex_ops_instruction
    record.line = columns.texture_lines_line
    record.lanes = columns.texture_lines_lanes
    record.tex_first = job.tex_first + 4 * first
    record.tex_count = job.tex_count + 2 * first
    record.later_used = record.most_later = 0
    record.ops_1 = record.ops_2 = record.ops_3 = 0
    record.lines_1 = record.lines_2 = record.lines_3 = 0


@inner("int64(int64, int64, int64)")
def _end_record(thread: Int, count: Int, was_turn: Int) -> Int:
    """Take a chunk's texture record, whose turn has come, into the tables; 0, or what is lacking."""
    own = thread_at(thread)
    job = job_at(own.job)
    record = texture_record_at(own.record)
    progress = progress_at(job.progress)
    needed = record.most_later
    if was_turn == 0:
        needed = max(needed, record.ops, (record.lines + SPARE_LINES + LINES_PER_OP - 1) // LINES_PER_OP)
    if needed > own.record_rows:
        progress.needed = needed
        return RECORD_FULL
    ops, lines = record.ops, record.lines
    if was_turn == 0:
        ops += progress.ops
        lines += progress.lines
    if ops > job.ops_room or lines + SPARE_LINES > job.lines_room:
        return TABLES_FULL
    if was_turn == 0:
        append_record(thread, count, progress.ops, progress.lines)
    progress.ops = ops
    progress.lines = lines
    return 0


@inner("int64(int64, int64, int64, int64)")
def _pass(thread: Int, sample: Int, first: Int, count: Int) -> Int:
    """Test the fragments of a chunk that cover a sample, and count those that pass; where the masks of these are."""
    own = thread_at(thread)
    job = job_at(own.job)
    merge = merge_at(job.merge)
    arriving = job.survives + first
    depth = job.depth + 16 * first
    if merge.num_samples > 1:
        take_sample(thread, first, count, sample)
        arriving = own.arriving
        depth = own.depth
    elif merge.depth_row >= 0:
        depth = own.depth
    if merge.tests == 0:
        progress_at(job.progress).passed += _count(arriving, count)
        return arriving
    _point_at(own.job, first, count, arriving)
    progress_at(job.progress).passed += _test(own.job, sample, first, count, depth, own.tested)
    return own.tested


@inner("void(int64, int64, int64)")
def _take_outputs(thread: Int, output: Int, count: Int) -> None:
    """Let the job's PIXELS take what the stage gave for an output."""
    own = thread_at(thread)
    to = output_at(output)
    pixels = pixels_at(job_at(own.job).pixels)
    pixels.num_quads = count
    pixels.blend = to.blend
    pixels.requantize = to.requantize
    pixels.outputs = own.outputs
    pixels.output_stride = 4 * own.output_width
    pixels.rows = to.rows


@inner("void(int64, int64, int64)")
def _keep_colors(thread: Int, first: Int, count: Int) -> None:
    """Keep the colours of all fragments of a chunk."""
    job = job_at(thread_at(thread).job)
    merge = merge_at(job.merge)
    pixels = pixels_at(job.pixels)
    at = job.colors
    for number in range(merge.num_outputs):
        place = merge.outputs + number * _OUTPUT_BYTES
        output = output_at(place)
        if output.color_code != 0:
            _take_outputs(thread, place, count)
            pixels.color_bytes = output.color_bytes
            pixels.plane = at + 4 * output.color_bytes * first
            call(output.color_code, job.pixels)
            at += 4 * output.color_bytes * job.num_quads


@inner("void(int64, int64, int64)")
def _merge(thread: Int, first: Int, count: Int) -> None:
    """Test (unless done) and blend a chunk."""
    own = thread_at(thread)
    job = job_at(own.job)
    merge = merge_at(job.merge)
    pixels = pixels_at(job.pixels)
    if job.colors != 0:
        _keep_colors(thread, first, count)
    for sample in range(merge.num_samples):
        passed = job.seen + first if job.seen != 0 else _pass(thread, sample, first, count)
        for number in range(merge.num_outputs):
            place = merge.outputs + number * _OUTPUT_BYTES
            output = output_at(place)
            # Behind the last quad of an odd number lies one without fragments.
            _point_at(own.job, first, count, passed)
            _take_outputs(thread, place, count)
            pixels.plane = output.plane + sample * output.sample_bytes
            pixels.plane_height = output.plane_height
            pixels.plane_width = output.plane_width
            call(output.code, job.pixels)


@inner("void(int64, int64, int64)")
def _shade(thread: Int, first: Int, count: Int) -> None:
    """Run the stage over a chunk; what follows its last quad belongs to it where their number is that of no groups."""
    own = thread_at(thread)
    job = job_at(own.job)
    arguments = arguments_at(own.arguments)
    arguments.coverage = job.coverage + first
    arguments.seen = job.seen + first
    arguments.survives = job.survives + first
    arguments.path_hash = job.hashes + 8 * first
    arguments.quad_primitive = job.emitted + 4 * first
    arguments.quad_x = job.x + 2 * first
    arguments.quad_y = job.y + 2 * first
    arguments.quad_samples = job.raster_samples + 2 * first
    arguments.num_groups = (count + QUADS - 1) // QUADS
    arguments.status = 0
    arguments.identity = job.identity + 32 * first
    call(job.stage, own.arguments)
    merge = merge_at(job.merge)
    if merge.depth_row >= 0:
        write_depth(thread, first, count)
    if merge.alpha_row >= 0:
        cover_by_alpha(thread, first, count)
    if merge.mask_row >= 0:
        cover_by_mask(thread, first, count)


@inner("void(int64)")
def _take_chunks(address: Int) -> None:
    """Shade chunks until none is left, or something is lacking."""
    own = thread_at(address)
    job = job_at(own.job)
    progress = job.progress
    template = array_at(job.template, _ARGUMENT_WORDS, np.uint64)
    words = array_at(own.arguments, _ARGUMENT_WORDS, np.uint64)
    for k in range(_ARGUMENT_WORDS):
        words[k] = template[k]
    arguments = arguments_at(own.arguments)
    arguments.outputs = own.outputs
    arguments.output_stride = 4 * own.output_width
    arguments.record = own.record
    arguments.scratch = own.scratch
    num_chunks = (job.num_quads + CHUNK_QUADS - 1) // CHUNK_QUADS
    while read_shared(progress + _CODE) == 0:
        chunk = add_at_once(progress + _CLAIMED, 1)
        if chunk >= num_chunks:
            return
        first = chunk * CHUNK_QUADS
        count = min(CHUNK_QUADS, job.num_quads - first)
        is_turn = 0
        if job.tex_first != 0:
            is_turn = 1 if read_shared(progress + _DONE) == chunk else 0
            _begin_record(address, first, is_turn)
        _shade(address, first, count)
        while read_shared(progress + _DONE) != chunk:
            if read_shared(progress + _CODE) != 0:
                return
            _yield_processor()
        if arguments.status != 0:
            write_shared(progress + _CODE, OVER_BUDGET)
            return
        if job.tex_first != 0:
            lacking = _end_record(address, count, is_turn)
            if lacking != 0:
                write_shared(progress + _CODE, lacking)
                return
        _merge(address, first, count)
        write_shared(progress + _DONE, chunk + 1)


@inner("int64(int64)")
def _help(address: Int) -> Int:
    """Take part in jobs of a batch as they are opened, for as long as the thread's memory is large enough for them."""
    own = thread_at(address)
    job = job_at(own.job)
    progress = job.progress
    looks = own.is_helper
    while looks > 0 and read_shared(progress + _RUNNING) != 0:
        looks -= 1
        if read_shared(progress + _OPEN) == 0:
            pause()
            continue
        add_at_once(progress + _INSIDE, 1)
        fits = True
        if read_shared(progress + _OPEN) != 0:
            # As long as it is inside, the record stays as it is.
            fits = own.record_rows >= job.record_rows and own.scratch_bytes >= job.scratch_bytes
            fits = fits and own.output_rows >= job.output_rows
            if fits:
                _take_chunks(address)
                looks = own.is_helper
        add_at_once(progress + _INSIDE, -1)
        if not fits:
            return 0
        # Nothing is left of it: it closes when all have done their part.
        while looks > 0 and read_shared(progress + _OPEN) != 0:
            looks -= 1
            pause()
    return 0


@entry
def run_job(address: Int) -> Int:
    """Work on the JOB of a THREAD until nothing of it is left, or something is lacking; why is in its PROGRESS.

    A helper takes part in the jobs of its batch, if its memory is large enough. Who is none opens the job, and waits
    until all have left it.
    """
    own = thread_at(address)
    progress = job_at(own.job).progress
    if own.is_helper != 0:
        return _help(address)
    write_shared(progress + _OPEN, 1)
    _take_chunks(address)
    add_at_once(progress + _OPEN, -1)  # not a mere write: it may not be seen behind the read that follows
    while read_shared(progress + _INSIDE) != 0:
        _yield_processor()
    return 0
