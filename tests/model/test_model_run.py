"""The run command, results, reports and plugs, on small synthetic frames."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from model_scene import Scene
from test_model_oracle import random_scene

from gpumodel import load_config
from gpumodel.cli import cli
from gpumodel.counters import COUNTERS
from gpumodel.energy import bill
from gpumodel.report.maps import color_ramp, map_picture, overdraw_map, tile_cost_map
from gpumodel.report.summary import TraceReport, summary_markdown
from gpumodel.report.verdict import verdict
from gpumodel.resultfile import Subject, result_json
from gpumodel.results import frame_result, total_of
from gpumodel.runs import Run
from gpumodel.runs import run as run_frames
from gpumodel.techniques import Plugs, Technique, registry
from gpumodel.units.counters import Counter, named
from traceformat.cli.door import run
from traceformat.errors import ConfigError, TraceFormatError
from traceformat.gputrace.reader import GpuTraceWriter

CONFIG = load_config("mali450-vro")

#: Counters of DESIGN §8 that every run has.
REQUIRED = [
    "draws", "vertices.shaded", "primitives.in", "primitives.binned", "tiles.total", "tiles.rendered", "tiles.flushed",
    "primitive_tile_pairs", "fragments.rasterized", "fragments.early_z_killed", "fragments.shaded",
    "fragments.discarded", "fragments.late_z_killed", "fragments.written", "fs.alu_instructions", "fs.tex_instructions",
    "texels", "dram.activates", "tile_fetch.cycles_per_primitive",
    *(f"cache.{c}.{k}" for c in ("vertex", "texture", "tile", "instruction", "l2")
      for k in ("accesses", "hits", "misses")),
    *(
        f"dram.{w}_bytes.{k}"
        for w in ("read", "write") for k in ("vertex", "texture", "parameter", "color", "other", "graph")
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def trace_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("traces") / "three.gputrace"
    origin = {"trace_name": "three.gltrace", "trace_sha256": "ab" * 32, "trace_frames": 3}
    with GpuTraceWriter(path, origin) as writer:
        for seed in range(3):
            writer.write(random_scene(seed).trace())
    return path


def result_of(path, tmp_path, *options: str) -> dict:
    out = tmp_path / "out.json"
    assert run(cli, ["run", str(path), "--json", str(out), *options]) == 0
    return json.loads(out.read_text())


def test_result_file_is_schema_2(trace_file, tmp_path) -> None:
    document = result_of(trace_file, tmp_path)
    assert document["schema"] == 2
    assert document["trace"]["name"] == "three.gltrace"
    assert document["trace"]["sha256"] == "ab" * 32
    assert document["trace"]["frames"] == 3
    assert document["config"]["name"] == "mali450-vro"
    assert document["config"]["overrides"] == {}
    assert document["command"][1] == "run"
    (entry,) = document["runs"]
    assert (entry["technique"], entry["memory"]) == ("baseline", "paper")
    assert entry["hardware"]["area_mm2"] > 1
    assert [frame["frame"] for frame in entry["frames"]] == [0, 1, 2]
    for frame in [*entry["frames"], entry["total"]]:
        assert frame["cycles"]["total"] == frame["cycles"]["geometry"] + frame["cycles"]["raster"]
        parts = frame["energy_pj"]
        assert parts["total"] == pytest.approx(
            sum(parts[k] for k in ("gpu_dynamic", "gpu_static", "dram_dynamic", "dram_static")), abs=0.01
        )
        assert set(REQUIRED) <= set(frame["counters"])
        assert set(frame["counters"]) == set(COUNTERS)
        for states in frame["stalls"].values():
            assert sum(states.values()) == frame["cycles"]["total"]
    for name in ("fragments.shaded", "dram.read_bytes.texture"):
        assert entry["total"]["counters"][name] == sum(frame["counters"][name] for frame in entry["frames"])


def test_results_are_deterministic(trace_file, tmp_path) -> None:
    first = result_of(trace_file, tmp_path)
    content = (tmp_path / "out.json").read_bytes()
    assert result_of(trace_file, tmp_path) == first
    assert (tmp_path / "out.json").read_bytes() == content
    second = result_of(trace_file, tmp_path, "--threads", "2")
    assert second.pop("command") != first.pop("command")
    assert second == first


def test_frames_settings_csv_and_pictures(trace_file, tmp_path, capsys) -> None:
    table, folder, host = tmp_path / "t.csv", tmp_path / "pictures", tmp_path / "host.json"
    document = result_of(
        trace_file, tmp_path, "--frames", "1-2", "--warmup", "0", "--set", "fragment.threads=2", "--csv", str(table),
        "--images", str(folder),
        "--host-json", str(host), "--save-gputrace", str(tmp_path / "again.gputrace"),
    )  # fmt: skip
    assert [frame["frame"] for frame in document["runs"][0]["frames"]] == [1, 2]
    rows = list(csv.DictReader(io.StringIO(table.read_text())))
    assert [row["frame"] for row in rows] == ["1", "2"]
    assert int(rows[0]["fragments.shaded"]) == document["runs"][0]["frames"][0]["counters"]["fragments.shaded"]
    names = {p.name for p in folder.iterdir()}
    assert names == {f"frame_000{k}_{what}.png" for k in (1, 2) for what in ("overdraw", "tiles", "traffic")}
    assert len(json.loads(host.read_text())) == 2
    assert "bound" in capsys.readouterr().out
    again = result_of(tmp_path / "again.gputrace", tmp_path, "--set", "fragment.threads=2")
    assert again.pop("command") != document.pop("command")
    assert again == document


def test_json_to_stdout_is_alone(trace_file, capsys) -> None:
    assert run(cli, ["run", str(trace_file), "--frames", "0", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == 2


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["-t", "nothing"], 2, "known: baseline"),
        (["-t", "baselin"], 2, "did you mean baseline"),
        (["-c", "nope"], 2, "unknown preset"),
        (["--set", "tile.width=15"], 2, "power of two"),
        (["--set", "screen.scale_to_trace=false"], 2, "screen is 1200x768"),
        (["--frames", "9-12"], 2, "none of its 3 frames"),
        (["--frames", "x"], 2, "no range of frames"),
        (["--json", "/nonexistent/x.json"], 2, "cannot write"),
        (["--csv", "/"], 2, "cannot write"),
        (["--images", "/dev/null/x"], 2, "cannot make the folder"),
        (["--bogus"], 2, "No such option"),
    ],
)
def test_bad_requests(trace_file, capsys, options, status, message) -> None:
    assert run(cli, ["run", str(trace_file), *options]) == status
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_bad_traces(trace_file, tmp_path, capsys) -> None:
    data = trace_file.read_bytes()
    for name, content in (("empty", b""), ("text", b"hello\n" * 50), ("cut", data[: len(data) // 2])):
        path = tmp_path / f"{name}.gputrace"
        path.write_bytes(content)
        out = tmp_path / f"{name}.json"
        assert run(cli, ["run", str(path), "--json", str(out)]) == 3
        assert "Traceback" not in capsys.readouterr().err
        if name == "cut" and out.exists():
            assert json.loads(out.read_text())["partial"] is True
    assert run(cli, ["run", str(tmp_path / "none.gltrace")]) == 2


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("quads", "emitted", 10_000), ("quads", "path", 99), ("quads", "tex_first", 1 << 30), ("quads", "x", 60_000),
        ("draws", "fragment_program", 77), ("draws", "quad_first", 5), ("primitives", "vertex", 1 << 31),
        ("paths", "step_count", 1 << 20), ("path_steps", "block", 5000), ("passes", "width", 0),
        ("passes", "width", 1 << 30), ("passes", "samples", 2), ("instructions", "kind", 9), ("vertices", "path", 4000),
        ("emitted", "draw", 500), ("passes", "num_colors", 200), ("vertex_fetches", "bytes", 1 << 31),
    ],
)  # fmt: skip
def test_tables_that_contradict_themselves(table: str, column: str, value: int) -> None:
    trace = random_scene(7).trace()
    trace[table][column][-1] = value
    with pytest.raises(TraceFormatError, match=table):
        Run(CONFIG).add(trace)


def test_any_bytes_in_the_tables_end_in_an_error_or_a_result() -> None:
    rng = np.random.default_rng(5)
    names = [(t, c) for t, v in random_scene(0).trace().tables.items() for c in v]
    for trial in range(60):
        trace = random_scene(trial % 5).trace()
        for _ in range(3):
            table, column = names[int(rng.integers(len(names)))]
            array = trace[table][column]
            if array.size:
                flat = array.reshape(-1).view(np.uint8)
                flat[int(rng.integers(len(flat)))] = int(rng.integers(256))
        if int(trace["passes"]["width"].max(initial=0)) * int(trace["passes"]["height"].max(initial=0)) > 1 << 20:
            continue
        try:
            Run(CONFIG).add(trace)
        except TraceFormatError:
            continue


def test_overdraw_map_counts_shaded_fragments() -> None:
    scene = Scene(22, 18)
    p = scene.path(2)
    draw = scene.draw(depth_test=True, depth_write=True, vertex_path=p)
    for depth in (0.9, 0.5, 0.7):
        scene.quad_block(draw, 4, 2, 8, 6, path=p, depth=depth)
    trace = scene.trace()
    raw = Run(CONFIG).add(trace)[1]
    expected = np.zeros((18, 22), np.uint16)
    expected[2:8, 4:12] = 2
    np.testing.assert_array_equal(overdraw_map(trace, raw), expected)
    np.testing.assert_array_equal(overdraw_map(trace, raw, shaded=False), expected // 2 * 3)
    cost = tile_cost_map(trace, raw)
    assert cost.shape == (2, 2)
    assert cost[0, 0] > cost[1, 1] > 0
    assert overdraw_map(trace, raw).sum() == raw.counters["fragments.shaded"]


def test_map_picture_shows_row_0_at_the_bottom() -> None:
    from PIL import Image

    values = np.zeros((2, 3), np.int64)
    values[0, 0] = 10
    png = map_picture(values, cell=(100, 50), title="t", unit="u", width=290, height=90)
    image = np.asarray(Image.open(io.BytesIO(png)))
    assert tuple(image[80, 50]) == tuple(color_ramp(np.array([10]), 10.0)[0])
    assert tuple(image[10, 50]) == (0, 0, 0)


def test_a_frame_that_nobody_looks_at_is_let_go_of() -> None:
    """Without the passes' logs a raw frame holds no arrays, and the results are the same."""
    kept, dropped = Run(CONFIG, ["vro"]), Run(CONFIG, ["vro"], keep_passes=False)
    for number in range(3):
        trace = random_scene(number).trace()
        assert kept.add(trace)[1].passes
        raw = dropped.add(trace)[1]
        assert not raw.passes
    assert kept.result.as_json() == dropped.result.as_json()


def test_verdict_names_the_unit_that_bounds_the_frame() -> None:
    def said(*settings: str, alu: int) -> str:
        scene = Scene(64, 64)
        p, v = scene.path(alu), scene.path(1)
        draw = scene.draw(attributes=1, vertex_path=v)
        scene.quad_block(draw, 0, 0, 64, 64, path=p)
        return verdict(Run(load_config("mali450-vro", settings)).add(scene.trace())[0])

    assert said(alu=200).startswith("The fragment processors bound the frame")
    assert said(alu=1).startswith("Memory bandwidth bounds the frame")
    assert "colours" in said(alu=1)


def test_verdict_names_a_unit_that_a_technique_brings() -> None:
    """A unit without a label of its own, busiest or next: the sentence has its plain name."""
    result = Run(CONFIG).add(random_scene(3).trace())[0]
    cycles = result.cycles
    result.stalls["order_matcher"] = dict.fromkeys(result.stalls["early_z"], 0) | {"busy": cycles}
    assert verdict(result).startswith("The order matcher bounds the frame: busy in 100% of the cycles")
    result.stalls["order_matcher"] |= {"busy": 0, "idle": cycles}
    result.stalls["edge_inserter.1"] = result.stalls["order_matcher"] | {
        "busy": cycles // 2,
        "idle": cycles - cycles // 2,
    }
    for unit, states in result.stalls.items():
        if unit != "edge_inserter.1":
            result.stalls[unit] = dict.fromkeys(states, 0) | {"idle": cycles}
    assert verdict(result).startswith("Latency bounds the frame: no unit is busy all the time (the edge inserter 50%")


def test_summary_lists_every_trace() -> None:
    runs = [run_frames([random_scene(k).trace() for k in range(2)], CONFIG)]
    text = summary_markdown("Demo", [TraceReport("one", runs, {"overdraw": "one.png"}), TraceReport("two", runs)])
    assert text.startswith("# Demo\n")
    assert "![overdraw](one.png)" in text
    assert text.count("## ") == 2


def test_nothing_of_the_machine_is_free() -> None:
    structures = bill(CONFIG)
    assert len({s.name for s in structures}) == len(structures)
    for structure in structures:
        assert structure.leak_mw > 0, structure.name
        assert structure.area_mm2 > 0, structure.name
        assert structure.source, structure.name
        assert structure.activity or "its accesses are in" in structure.source
    known = set(frame_result(CONFIG, Run(CONFIG).add(random_scene(1).trace())[1]).energy.structures)
    assert known == {s.name for s in structures}


def test_leakage_follows_the_device_class_and_the_scale() -> None:
    trace = random_scene(2).trace()

    def static(*settings: str) -> float:
        return Run(load_config("mali450-vro", settings)).add(trace)[0].energy.gpu_static

    assert static("energy.static_scale=0.5") == pytest.approx(2 * static())
    assert static("energy.static_flavor='LSTP'") < static() / 100


class HalfTheTiles(Technique):
    """Renders every second tile only, and watches."""

    id = "half"
    source = "test"
    counters = named("half", Counter("seen", "passes", "passes watched"))

    def plugs(self, config):
        def gate(trace, streams):
            return np.arange(len(streams.tiles)) % 2 == 0

        def watch(trace, done):
            self.record["seen"] += 1

        return Plugs(tile_render=[gate], observers=[watch])

    def hardware(self, config):
        return ()


def test_gates_and_observers(monkeypatch) -> None:
    monkeypatch.setitem(registry._REGISTERED, "half", HalfTheTiles)
    trace = random_scene(3).trace()
    plain = Run(CONFIG).add(trace)[0]
    half = Run(CONFIG, ["half"]).add(trace)[0]
    tiles = plain.counters["tiles.total"]
    assert half.counters["half.seen"] == trace["passes"].num_rows
    assert half.counters["tiles.skipped"] == tiles - half.counters["tiles.rendered"] > 0
    assert half.cycles < plain.cycles
    assert registry.parse_techniques(["half", "half+baseline"]) == [(), ("half",)]


def test_a_slot_can_be_taken_once() -> None:
    class A(HalfTheTiles):
        id = "a"

        def plugs(self, config):
            return Plugs(quad_map=lambda config: np.zeros(64, np.uint8))

    class B(A):
        id = "b"

    with pytest.raises(ConfigError, match="a and b both want the slot quad_map"):
        registry.combine([A(), B()], CONFIG)


def test_results_of_no_frames() -> None:
    assert verdict(total_of([])) == "Nothing was rendered."
    assert json.loads(result_json(Subject({"name": "x"}), []))["runs"] == []


def test_misses_a_thousand_instructions_of_a_sum_are_of_the_sums() -> None:
    """16 quads on 4 processors, 1 + N arithmetic and a texture instruction each, that all want one line: the first of a
    processor is the one miss that counts, those that come before the line is there are merged with it. A sum's ratio is
    of the sums.
    """
    run, instructions = Run(CONFIG), []
    for more, line in ((2, 5), (6, 900)):
        scene = Scene(16, 16)
        draw = scene.draw(attributes=1, vertex_path=scene.path(1))
        scene.quad_block(draw, 0, 0, 8, 8, path=scene.path(1, more), lines=[[line]])
        c = run.add(scene.trace())[0].counters
        instructions.append(16 * 4 * (1 + 1 + more))
        assert c["cache.texture.primary_misses"] == 4 < c["cache.texture.misses"]
        assert c["cache.texture.mpki"] == round(1000 * 4 / instructions[-1], 6)
        assert c["cache.texture.mpki_merged"] == round(1000 * c["cache.texture.misses"] / instructions[-1], 6)
        lines = c["dram.read_bytes.texture"] / 64
        assert c["cache.l2.texture_mpki"] == round(1000 * lines / instructions[-1], 6)
    total = total_of(run.result.frames).counters
    assert total["cache.texture.mpki"] == round(1000 * 8 / sum(instructions), 6)
