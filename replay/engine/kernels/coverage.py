"""What a fragment stage says beside colours: depth, coverage by alpha and by mask; and the fragments of a sample."""

from __future__ import annotations

import numpy as np

from replay.engine.kernels.access import job_at, merge_at, thread_at
from replay.engine.kernels.depths import depth_code
from replay.glsl.sample_pattern import SAMPLES
from replay.kernels import Array, Int, inner
from traceformat.native.access import array_at

__all__ = ["cover_by_alpha", "cover_by_mask", "take_sample", "write_depth"]


@inner("float32[::1](int64, int64, int64)")
def _row(thread: Int, row: Int, lanes: Int) -> Array:
    """A row of the stage's outputs."""
    own = thread_at(thread)
    return array_at(own.outputs + 4 * own.output_width * row, lanes, np.float32)


@inner("void(int64, int64, int64)")
def write_depth(thread: Int, first: Int, count: Int) -> None:
    """Take the depth that the shader wrote, as the target keeps it."""
    own = thread_at(thread)
    job = job_at(own.job)
    merge = merge_at(job.merge)
    written = _row(thread, merge.depth_row, 4 * count)
    depth = array_at(own.depth, 4 * count, np.uint32)
    for lane in range(4 * count):
        value = written[lane]
        depth[lane] = depth_code(value if value == value else 0.0, merge.depth_bits)
    if job.shader_depth != 0:
        column = array_at(job.shader_depth + 16 * first, 4 * count, np.uint32)
        for lane in range(4 * count):
            column[lane] = depth[lane]


@inner("void(int64, int64, int64)")
def cover_by_alpha(thread: Int, first: Int, count: Int) -> None:
    """Take samples from fragments by their alpha: sample s of S stays where alpha > s / S, as Mesa has it."""
    job = job_at(thread_at(thread).job)
    alpha = _row(thread, merge_at(job.merge).alpha_row, 4 * count)
    coverage = array_at(job.sample_coverage + 2 * first, count, np.uint16)
    for quad in range(count):
        covered: Int = 0
        for fragment in range(4):
            for sample in range(SAMPLES):
                covered |= np.int64(alpha[4 * quad + fragment] > np.float32(sample / SAMPLES)) << (
                    4 * fragment + sample
                )
        coverage[quad] &= np.uint16(covered)


@inner("void(int64, int64, int64)")
def cover_by_mask(thread: Int, first: Int, count: Int) -> None:
    """Take samples from fragments that their gl_SampleMask lacks."""
    own = thread_at(thread)
    job = job_at(own.job)
    row = own.outputs + 4 * own.output_width * merge_at(job.merge).mask_row
    masks = array_at(row, 4 * count, np.int32)
    coverage = array_at(job.sample_coverage + 2 * first, count, np.uint16)
    for quad in range(count):
        covered: Int = 0
        for fragment in range(4):
            covered |= (np.int64(masks[4 * quad + fragment]) & ((1 << SAMPLES) - 1)) << (SAMPLES * fragment)
        coverage[quad] &= np.uint16(covered)


@inner("void(int64, int64, int64, int64)")
def take_sample(thread: Int, first: Int, count: Int, sample: Int) -> None:
    """Find the fragments of a chunk that cover a sample, and their depth there.

    A depth that the shader has written holds for all samples. The pattern repeats where a target has more samples than
    it. What lies behind an odd number of quads has no fragments.
    """
    own = thread_at(thread)
    job = job_at(own.job)
    bit = sample % SAMPLES
    survives = array_at(job.survives + first, count, np.uint8)
    coverage = array_at(job.sample_coverage + 2 * first, count, np.uint16)
    arriving = array_at(own.arriving, count + 1, np.uint8)
    for quad in range(count):
        bits = np.int64(coverage[quad]) >> bit
        here = bits & 1 | bits >> 3 & 2 | bits >> 6 & 4 | bits >> 9 & 8
        arriving[quad] = np.uint8(here & np.int64(survives[quad]))
    arriving[count] = 0
    if merge_at(job.merge).depth_row >= 0:
        return
    of_samples = array_at(job.sample_depth + 64 * first, (count, 4, SAMPLES), np.uint32)
    depth = array_at(own.depth, (count, 4), np.uint32)
    for quad in range(count):
        for fragment in range(4):
            depth[quad, fragment] = of_samples[quad, fragment, bit]
