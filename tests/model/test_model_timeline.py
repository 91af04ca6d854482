"""The timeline: sampling changes nothing, slices nest, and power over time adds up to the energy."""

from __future__ import annotations

import itertools
import json
from typing import Any

import numpy as np
import pytest
from model_scene import Scene
from test_model_oracle import random_scene

from gpumodel import load_config
from gpumodel.cli import cli
from gpumodel.report.maps import tile_traffic_map
from gpumodel.report.timeline import Timeline
from gpumodel.runs import Run
from traceformat.cli.door import run
from traceformat.gputrace.reader import GpuTraceWriter

PRESETS = ("mali450-vro", "tbr-fhd")


@pytest.mark.parametrize("memory", ["paper", "dram"])
@pytest.mark.parametrize("preset", PRESETS)
def test_sampling_changes_nothing_and_adds_up(preset: str, memory: str) -> None:
    config = load_config(preset, (f"memory.mode={memory}",))
    plain, sampled = Run(config), Run(config, sample_cycles=100)
    timeline = Timeline(config, "test")
    for seed in range(2):
        trace = random_scene(seed).trace()
        expected, raw_plain = plain.add(trace)
        result, raw = sampled.add(trace)
        assert raw_plain.samples == []
        assert result.as_json() == expected.as_json()
        first, last = raw.samples[0], raw.samples[-1]
        assert last.cycle - first.cycle == result.cycles
        assert len(raw.samples) > 10
        assert {k: last.counters[k] - first.counters[k] for k in last.counters} == raw.counters
        for sample in raw.samples:
            assert {sum(states.values()) for states in sample.states.values()} == {sample.cycle}
        timeline.add(trace, raw, result)
    energy = {name: 0.0 for name in ("GPU dynamic", "GPU static", "memory dynamic", "memory static")}
    power = [event for event in timeline.events() if event["name"] == "power (mW)"]
    ends = [event["ts"] for event in power[1:]] + [sampled.machine.cycles / config.tech.clock_mhz]
    for event, end in zip(power, ends, strict=True):
        for name, milliwatts in event["args"].items():
            energy[name] += milliwatts * (end - event["ts"]) * 1e3  # mW x us = 1000 pJ
    totals = [frame.energy for frame in sampled.result.frames]
    assert energy["GPU dynamic"] == pytest.approx(sum(e.gpu_dynamic for e in totals), rel=1e-3)
    assert energy["GPU static"] == pytest.approx(sum(e.gpu_static for e in totals), rel=1e-3)
    assert energy["memory static"] == pytest.approx(sum(e.dram_static for e in totals), rel=2e-2)
    assert energy["memory dynamic"] == pytest.approx(sum(e.dram_dynamic for e in totals), rel=2e-2)


def test_long_frames_get_samples_further_apart() -> None:
    scene = Scene(128, 128)
    scene.quad_block(scene.draw(), 0, 0, 128, 128, path=scene.path(40))
    run = Run(load_config("mali450-vro"), sample_cycles=1)
    _, raw = run.add(scene.trace())
    cycles = [sample.cycle for sample in raw.samples]
    assert 200 < len(cycles) <= 801
    assert np.diff(cycles).max() < (cycles[-1] - cycles[0]) / 50
    assert cycles[0] == 0
    assert cycles[-1] == run.machine.cycles


def slices_of(events: list[dict[str, Any]]) -> dict[tuple[int, int], list[tuple[float, float]]]:
    found: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for event in events:
        if event["ph"] == "X":
            found.setdefault((event["pid"], event["tid"]), []).append((event["ts"], event["ts"] + event["dur"]))
    return found


def test_the_file_is_a_valid_trace_of_every_run(tmp_path: Any) -> None:
    path, out = tmp_path / "t.gputrace", tmp_path / "t.perfetto"
    with GpuTraceWriter(path, {"trace_name": "t", "trace_sha256": "00", "trace_frames": 2}) as writer:
        for seed in range(2):
            writer.write(random_scene(seed).trace())
    options = ["-c", PRESETS[0], "-c", PRESETS[1], "--timeline", str(out), "--images", str(tmp_path / "images")]
    assert run(cli, ["run", str(path), *options]) == 0
    document = json.loads(out.read_text())
    events = document["traceEvents"]
    assert {event["ph"] for event in events} == {"M", "X", "C"}
    names = {event["args"]["name"] for event in events if event["name"] == "process_name"}
    assert names == {"baseline-mali450-vro", "baseline-tbr-fhd"}
    tracks = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert {"frames", "passes", "tiles of Raster Unit 0"} <= tracks
    counters = {event["name"] for event in events if event["ph"] == "C"}
    assert {"power (mW)", "memory read (bytes a cycle)", "rasterizer (% of cycles)", "queues (entries)"} <= counters
    for spans in slices_of(events).values():
        spans.sort()
        for (_, end), (start, _) in itertools.pairwise(spans):
            assert end <= start + 1e-3
    for event in events:
        if event["name"].endswith("(% of cycles)"):
            assert 0 <= sum(event["args"].values()) <= 100.01
    written = {p.relative_to(tmp_path / "images").as_posix() for p in (tmp_path / "images").rglob("*.png")}
    assert {f"baseline-{preset}/frame_0001_traffic.png" for preset in PRESETS} <= written


def test_traffic_by_tile_is_what_the_memory_moved() -> None:
    scene = Scene(64, 64)
    scene.quad_block(scene.draw(), 0, 0, 64, 64, path=scene.path(5))
    trace = scene.trace()
    result, raw = Run(load_config("mali450-vro")).add(trace)
    values = tile_traffic_map(trace, raw)
    assert values.shape == (4, 4)
    moved = sum(value for name, value in result.counters.items() if name.startswith("dram.") and "_bytes." in name)
    assert 0 < values.sum() <= moved
