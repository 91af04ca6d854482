"""Random multisampled frames: samples against program order, wake-up loop against tick-everything loop."""

from __future__ import annotations

import numpy as np
import pytest
from model_laws import check_conservation
from pass_rows import quad_rows
from test_model_oracle import SETTINGS, random_scene

from gpumodel.config import apply_settings, load_config
from gpumodel.machine import Machine, MachineFrame
from traceformat.gputrace.frametrace import SCHEMA, DrawFlags, EventKind, FrameRule, FrameTrace, LoadOp

SAMPLES = 4


def multisampled(trace: FrameTrace, seed: int) -> FrameTrace:
    """The frame with four samples a pixel: random coverage and random depths, each sample with its own."""
    rng = np.random.default_rng(seed)
    columns = {
        name: {column: trace[name][column] for column in SCHEMA[name] if column in trace[name]} for name in SCHEMA
    }
    rows = trace["quads"].num_rows
    quads = columns["quads"]
    covered = rng.random((rows, 4, SAMPLES)) < rng.choice([0.4, 0.8, 1.0], (rows, 1, 1))
    covered[~covered.any((1, 2)), 0, 0] = True
    quads["sample_coverage"] = (covered.reshape(rows, 16) << np.arange(16)).sum(1).astype(np.uint16)
    quads["coverage"] = (covered.any(2) << np.arange(4)).sum(1).astype(np.uint8)
    quads["survives"] = quads["survives"] & quads["coverage"]
    quads["sample_depth"] = (rng.integers(0, 9, (rows, 16)) * 0x1FFFFF).astype(np.uint32)
    columns["passes"]["samples"] = np.full(trace["passes"].num_rows, SAMPLES, np.uint8)
    return FrameTrace.from_columns(
        columns, frame=trace.frame, width=trace.width, height=trace.height, rule=FrameRule.SWAP, labels=["object"]
    )


def _stencil(op: int, stored: int, ref: int, mask: int) -> int:
    value = {
        0x1E00: stored, 0: 0, 0x1E01: ref, 0x1E02: min(stored + 1, 255), 0x1E03: max(stored - 1, 0),
        0x150A: stored ^ 255, 0x8507: (stored + 1) & 255, 0x8508: (stored - 1) & 255,
    }[op]  # fmt: skip
    return (stored & ~mask) | (value & mask)


def _holds(func: int, a: int, b: int) -> bool:
    return [False, a < b, a == b, a <= b, a > b, a != b, a >= b, True][func - 0x200]


def samples_in_program_order(trace: FrameTrace) -> list[int]:
    """Bits of the written samples of each quad by a plain walk, sample by sample in submission order."""
    passes, draws, quads, events = (trace[name] for name in ("passes", "draws", "quads", "events"))
    kept: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    written = [0] * quads.num_rows
    for p in range(passes.num_rows):
        shape = int(passes["height"][p]), int(passes["width"][p]), SAMPLES
        address = int(passes["depth_address"][p])
        depth, stencil = kept.setdefault(address, (np.zeros(shape, np.int64), np.zeros(shape, np.int64)))
        if passes["depth_load"][p] == LoadOp.CLEAR:
            depth[:] = passes["clear_depth"][p]
        if passes["stencil_load"][p] == LoadOp.CLEAR:
            stencil[:] = passes["clear_stencil"][p]
        for k in range(int(passes["event_first"][p]), int(passes["event_first"][p]) + int(passes["event_count"][p])):
            if events["kind"][k] == EventKind.CLEAR:
                if events["buffers"][k] >> 16 & 1:
                    depth[:] = events["clear_depth"][k]
                if events["buffers"][k] >> 17 & 1:
                    mask = int(events["stencil_mask"][k])
                    stencil[:] = (stencil & ~mask) | (int(events["clear_stencil"][k]) & mask)
            if events["kind"][k] != EventKind.DRAW:
                continue
            d = int(events["draw"][k])
            q0 = int(draws["quad_first"][d])
            for q in range(q0, q0 + int(draws["quad_count"][d])):
                for sample in range(4 * SAMPLES):
                    f = sample // SAMPLES
                    if not quads["sample_coverage"][q] >> sample & quads["survives"][q] >> f & 1:
                        continue
                    at = 2 * int(quads["y"][q]) + (f >> 1), 2 * int(quads["x"][q]) + (f & 1), sample % SAMPLES
                    z = int(quads["sample_depth"][q, sample])
                    if draws["flags"][d] & DrawFlags.WRITES_DEPTH:
                        z = int(quads["shader_depth"][q, f])
                    nearer = not draws["depth_test"][d] or _holds(int(draws["depth_func"][d]), z, int(depth[at]))
                    if draws["stencil_test"][d]:
                        read, ref = int(draws["stencil_read_mask"][d][0]), int(draws["stencil_ref"][d][0])
                        mask, stored = int(draws["stencil_write_mask"][d][0]), int(stencil[at])
                        shown = _holds(int(draws["stencil_func"][d][0]), ref & read, stored & read)
                        name = "stencil_depth_pass" if nearer else "stencil_depth_fail"
                        operation = draws[name if shown else "stencil_fail"][d][0]
                        stencil[at] = _stencil(int(operation), stored, ref, mask)
                        nearer = nearer and shown
                    if not nearer:
                        continue
                    if draws["depth_write"][d]:
                        depth[at] = z
                    written[q] |= 1 << sample
    return written


def written_samples(frame: MachineFrame, trace: FrameTrace) -> np.ndarray:
    """What the machine's log says, by row of the trace's quads."""
    found = np.zeros(trace["quads"].num_rows, np.int64)
    for p in frame.passes:
        blended = np.zeros(p.streams.quad_rows[1] - p.streams.quad_rows[0], np.int64)
        retired = p.retired[p.retired >= 0]
        blended[retired] = p.streams.written_samples[retired]
        found[quad_rows(trace, p)] = blended
    return found


@pytest.mark.parametrize("settings", ["vro", "narrow", "pipelined", "units"])
@pytest.mark.parametrize("seed", range(6))
def test_written_samples_are_those_of_program_order_in_both_loops(seed: int, settings: str) -> None:
    config = apply_settings(load_config("mali450-vro").model_dump(), SETTINGS[settings])
    trace = multisampled(random_scene(2000 + seed).trace(), seed)
    a, b = Machine(config).run_frame(trace), Machine(config, every_cycle=True).run_frame(trace)
    assert (a.geometry_cycles, a.raster_cycles, a.counters, a.unit_cycles) == (
        b.geometry_cycles, b.raster_cycles, b.counters, b.unit_cycles,
    )  # fmt: skip
    check_conservation(a, trace)
    expected = np.array(samples_in_program_order(trace))
    np.testing.assert_array_equal(written_samples(a, trace), expected)
    for p, q in zip(a.passes, b.passes, strict=True):
        np.testing.assert_array_equal(p.retired, q.retired)
        np.testing.assert_array_equal(p.streams.written_samples, q.streams.written_samples)
    assert expected.any()
    assert (expected != quads_covered(trace)).any()


def quads_covered(trace: FrameTrace) -> np.ndarray:
    """Samples that are covered, written or not."""
    covered: np.ndarray = trace["quads"]["sample_coverage"].astype(np.int64)
    return covered
