"""The timeline: sampling changes nothing, slices nest, power over time adds up to the energy, both formats agree."""

from __future__ import annotations

import io
import itertools
import json
import shutil
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_scene import Scene
from test_model_oracle import random_scene

from gpumodel import load_config
from gpumodel.attribution.table import GEOMETRY_CYCLES
from gpumodel.cli import cli
from gpumodel.report.maps import tile_traffic_map
from gpumodel.report.timeline import FLOW_TILES, Timeline
from gpumodel.report.timeline_files import JsonTimeline, PerfettoTimeline
from gpumodel.runs import Run
from traceformat.cli.door import run
from traceformat.gputrace.reader import GpuTraceWriter

PRESETS = ("mali450-vro", "tbr-fhd")


@pytest.mark.parametrize("memory", ["paper", "dram"])
@pytest.mark.parametrize("preset", PRESETS)
def test_sampling_changes_nothing_and_adds_up(preset: str, memory: str) -> None:
    config = load_config(preset, (f"memory.mode={memory}",))
    plain, sampled = Run(config), Run(config, sample_cycles=100)
    writer = JsonTimeline(stream := io.BytesIO())  # type: ignore[arg-type]
    timeline = Timeline(writer, config, "test")
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
    writer.finish()
    power = [event for event in json.loads(stream.getvalue())["traceEvents"] if event["name"] == "power (mW)"]
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
    path, out = tmp_path / "t.gputrace", tmp_path / "t.json"
    with GpuTraceWriter(path, {"trace_name": "t", "trace_sha256": "00", "trace_frames": 2}) as writer:
        for seed in range(2):
            writer.write(random_scene(seed).trace())
    options = ["-c", PRESETS[0], "-c", PRESETS[1], "--timeline", str(out), "--images", str(tmp_path / "images")]
    assert run(cli, ["run", str(path), *options]) == 0
    document = json.loads(out.read_text())
    events = document["traceEvents"]
    assert {event["ph"] for event in events} == {"M", "X", "C"}
    names = {event["args"]["name"] for event in events if event["name"] == "process_name"}
    assert names == {"baseline-mali450-vro-paper", "baseline-tbr-fhd-dram"}
    tracks = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert {"frames", "passes", "objects and draws", "tiles of Raster Unit 0"} <= tracks
    counters = {event["name"] for event in events if event["ph"] == "C"}
    assert {"power (mW)", "memory read (bytes a cycle)", "rasterizer (% of cycles)", "queues (entries)"} <= counters
    for spans in slices_of(events).values():
        spans.sort(key=lambda span: (span[0], -span[1]))
        for (_, end), (start, inner) in itertools.pairwise(spans):
            assert end <= start + 1e-3 or inner <= end + 1e-3
    for event in events:
        if event["name"].endswith("(% of cycles)"):
            assert 0 <= sum(event["args"].values()) <= 100.01
    written = {p.relative_to(tmp_path / "images").as_posix() for p in (tmp_path / "images").rglob("*.png")}
    assert {f"{name}/frame_0001_traffic.png" for name in names} <= written


def test_traffic_by_tile_is_what_the_memory_moved() -> None:
    scene = Scene(64, 64)
    scene.quad_block(scene.draw(), 0, 0, 64, 64, path=scene.path(5))
    trace = scene.trace()
    result, raw = Run(load_config("mali450-vro")).add(trace)
    values = tile_traffic_map(trace, raw)
    assert values.shape == (4, 4)
    moved = sum(value for name, value in result.counters.items() if name.startswith("dram.") and "_bytes." in name)
    assert 0 < values.sum() <= moved


@dataclass
class Decoded:
    """A file as Perfetto's own classes read it: rows by name of process, parent and row."""

    slices: dict[tuple[str, ...], list[tuple[str, int, int]]] = field(default_factory=dict)
    values: dict[tuple[str, ...], list[tuple[int, float]]] = field(default_factory=dict)
    about: dict[tuple[str, str, int], dict[str, Any]] = field(default_factory=dict)
    flows: dict[int, list[tuple[str, str]]] = field(default_factory=dict)


def packets_of(content: bytes) -> list[Any]:
    """Packets, those of compressed bundles among them."""
    schema = pytest.importorskip(
        "perfetto.protos.perfetto.trace.perfetto_trace_pb2", reason="the package perfetto has the published schema"
    )
    whole = schema.Trace()
    whole.ParseFromString(content)
    found: list[Any] = []
    for packet in whole.packet:
        bundle = schema.Trace()
        bundle.ParseFromString(zlib.decompress(packet.compressed_packets))
        found += bundle.packet
    for packet in found:
        # A field that the schema does not have would be kept as unknown, and be left out here.
        packet.DiscardUnknownFields()
    assert sum(len(schema.Trace(packet=[one]).SerializeToString()) for one in found) == sum(
        len(zlib.decompress(packet.compressed_packets)) for packet in whole.packet
    )
    return found


def decoded(content: bytes) -> Decoded:
    """Follow the packets of a file in order."""
    found, tracks, names = Decoded(), {}, {"event_names": {}, "debug_annotation_names": {}}
    texts: dict[int, str] = {}
    is_open: dict[int, list[tuple[str, int]]] = {}
    packets = packets_of(content)
    assert packets[0].sequence_flags == 1
    assert {packet.trusted_packet_sequence_id for packet in packets} == {1}
    for packet in packets:
        for kind, known in names.items():
            known.update({one.iid: one.name for one in getattr(packet.interned_data, kind)})
        texts.update({one.iid: one.str.decode() for one in packet.interned_data.debug_annotation_string_values})
        if packet.HasField("track_descriptor"):
            one = packet.track_descriptor
            assert one.uuid not in tracks
            tracks[one.uuid] = (*tracks.get(one.parent_uuid, ()), one.name or one.process.process_name)
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        row = tracks[event.track_uuid]
        if event.type == event.TYPE_SLICE_BEGIN:
            assert packet.sequence_flags == 2
            name = names["event_names"][event.name_iid]
            is_open.setdefault(event.track_uuid, []).append((name, packet.timestamp))
            found.about[row[0], name, packet.timestamp] = {
                names["debug_annotation_names"][note.name_iid]: note.int_value
                if note.HasField("int_value")
                else texts[note.string_value_iid]
                for note in event.debug_annotations
            }
            for flow in event.flow_ids:
                found.flows.setdefault(flow, []).append((row[-1], name))
        elif event.type == event.TYPE_SLICE_END:
            name, begin = is_open[event.track_uuid].pop()
            found.slices.setdefault(row, []).append((name, begin, packet.timestamp))
        else:
            assert event.type == event.TYPE_COUNTER
            found.values.setdefault(row, []).append((packet.timestamp, event.double_counter_value))
    assert not any(is_open.values())
    return found


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A timeline of two frames and two runs in both formats."""
    folder = tmp_path_factory.mktemp("timeline")
    with GpuTraceWriter(folder / "t.gputrace", {"trace_name": "t", "trace_sha256": "00", "trace_frames": 2}) as writer:
        for seed in range(2):
            writer.write(random_scene(seed).trace())
    files = folder / "t.pftrace", folder / "t.json"
    for file in files:
        line = ["run", str(folder / "t.gputrace"), "-t", "vro", "--timeline", str(file), "--json"]
        assert run(cli, [*line, str(folder / f"{file.suffix[1:]}_result.json")]) == 0
    return files


def test_both_formats_say_the_same(written: tuple[Path, Path]) -> None:
    found = decoded(written[0].read_bytes())
    events = json.loads(written[1].read_text())["traceEvents"]
    process = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
    row = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    slices: dict[tuple[str, ...], list[tuple[str, float, float]]] = {}
    held: dict[tuple[str, ...], float] = {}
    compared = 0
    steps = {key: dict(values) for key, values in found.values.items()}
    for event in events:
        if event["ph"] == "X":
            key = process[event["pid"]], row[event["pid"], event["tid"]]
            slices.setdefault(key, []).append((event["name"], 1e3 * event["ts"], 1e3 * (event["ts"] + event["dur"])))
        elif event["ph"] == "C":
            name = event["name"].rpartition(" (")[0]
            for series, value in event["args"].items():
                counter = process[event["pid"]], name, series
                held[counter] = steps.get(counter, {}).get(round(round(1e3 * event["ts"], 1)), held.get(counter, 0.0))
                assert held[counter] == pytest.approx(value, rel=3e-4, abs=1e-4), counter
                compared += value != 0
    assert compared > 500
    assert slices.keys() == found.slices.keys()
    for key, spans in slices.items():
        assert len(spans) == len(found.slices[key])
        for (name, begin, end), (other, start, stop) in zip(sorted(spans), sorted(found.slices[key]), strict=True):
            assert name == other
            assert (start, stop) == (pytest.approx(begin, abs=0.6), pytest.approx(end, abs=0.6))


def test_draws_fill_the_geometry_phase_and_lead_to_their_tiles() -> None:
    config = load_config("mali450-vro")
    one = Run(config, attribution=True)
    trace = random_scene(3).trace()
    result, raw = one.add(trace)
    writer = PerfettoTimeline(stream := io.BytesIO())  # type: ignore[arg-type]
    Timeline(writer, config, "test").add(trace, raw, result)
    writer.finish()
    found = decoded(stream.getvalue())
    costs = result.attribution
    assert costs is not None
    spans = sorted((begin, end, name) for name, begin, end in found.slices["test", "objects and draws"])
    draws = [(begin, end, name) for begin, end, name in spans if name.startswith("draw ")]
    objects = [span for span in spans if span not in draws]
    assert len(draws) == costs.num_draws
    assert all(any(b <= begin and end <= e for b, e, _ in objects) for begin, end, _ in draws)
    for done in raw.passes:
        now = done.start
        for draw in range(*done.streams.draw_range):
            cycles = int(costs.count(GEOMETRY_CYCLES)[draw])
            assert (round(2.5 * now), round(2.5 * (now + cycles)), f"draw {draw}") in draws
            now += cycles
        waits = (costs.passes == done.streams.index) & np.array(
            [kind in ("wait", "technique") for kind in costs.shared]
        )
        assert now + costs.count(GEOMETRY_CYCLES)[waits].sum() == done.raster_start
    tiles_of: dict[str, set[str]] = {}
    for done in raw.passes:
        for pair in done.streams.pairs[done.streams.pairs["draw"] >= 0]:
            tile = done.streams.tiles[pair["tile"]]
            if tile["end"] >= 0:
                name = f"tile {int(tile['x0']) // config.tile.width},{int(tile['y0']) // config.tile.height}"
                tiles_of.setdefault(f"draw {pair['draw']}", set()).add(name)
    assert len(found.flows) == len(tiles_of) > 1
    for (first_row, draw), *tiles in found.flows.values():
        assert first_row == "objects and draws"
        assert len(tiles) == min(len(tiles_of[draw]), FLOW_TILES)
        assert {name for _, name in tiles} <= tiles_of[draw]
    shaded = sum(about["fragments shaded"] for about in found.about.values() if "fragments shaded" in about)
    assert shaded == costs.count("fragments.shaded")[: costs.num_draws].sum()


def test_results_are_those_without_a_timeline(written: tuple[Path, Path]) -> None:
    folder = written[0].parent
    assert run(cli, ["run", str(folder / "t.gputrace"), "-t", "vro", "--json", str(folder / "plain.json")]) == 0
    plain, *others = (json.loads((folder / f"{name}.json").read_text()) for name in ("plain", "pftrace_result"))
    assert [other["runs"] for other in others] == [plain["runs"]]


def test_files_grow_while_the_run_goes_on() -> None:
    stream = io.BytesIO()
    writer = PerfettoTimeline(stream)  # type: ignore[arg-type]
    process = writer.process("test")
    track = writer.track(process, "tiles")
    sizes = []
    for step in range(25_000):
        writer.slice(track, f"tile {step % 40}", 10.0 * step, 10.0 * step + 5, {"quads": step % 256})
        writer.counters(process, "power", "mW", 10.0 * step, {"GPU": step % 7})
        if step % 5_000 == 4_999:
            sizes.append(stream.tell())
    growth = np.diff([0, *sizes])
    assert (growth > 0).all()
    # All but the last bundle is written.
    writer.finish()
    assert stream.tell() - sizes[-1] < growth.mean()
    assert len(decoded(stream.getvalue()).slices["test", "tiles"]) == 25_000


def test_the_trace_processor_reads_it(written: tuple[Path, Path]) -> None:
    processor = pytest.importorskip("perfetto.trace_processor", reason="the package perfetto asks the trace processor")
    program = shutil.which("trace_processor_shell") or shutil.which("trace_processor")
    if program is None:
        pytest.skip("there is no trace_processor_shell (get.perfetto.dev/trace_processor)")
    config = processor.TraceProcessorConfig(bin_path=program)
    with processor.TraceProcessor(trace=str(written[0]), config=config) as asked:
        found = decoded(written[0].read_bytes())
        counts: Sequence[Any] = list(
            asked.query("select (select count(*) from slice) s, (select count(*) from flow) f")
        )
        assert counts[0].s == sum(map(len, found.slices.values()))
        assert counts[0].f == sum(len(slices) - 1 for slices in found.flows.values())
        assert not list(asked.query("select name from stats where severity = 'error' and value > 0"))
