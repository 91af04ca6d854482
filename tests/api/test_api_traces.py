"""The Python interface: traces, frames, draws as tables, runs as results."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from films import Film

import gpureplay
import replay
from gpumodel import load_config
from gpumodel.cli import cli
from gpumodel.resultfile import read_result
from gpureplay import Table
from traceformat.errors import ConfigError, UsageError
from traceformat.gputrace.frametrace import ALL_COLUMNS
from traceformat.gputrace.reader import GpuTraceWriter

SIZE = {"screen.scale_to_trace": True}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("api") / "film.gltrace"
    one = Film()
    for frame in range(5):
        one.clear()
        for number in range(4):
            one("glUniform2f", one.shift, 0.02 * frame * number, 0.0)
            one.square(number)
        one.swap()
    one.write(path)
    return path


@pytest.fixture(scope="module")
def stored(path: Path) -> Path:
    out = path.with_suffix(".gputrace")
    writer = GpuTraceWriter(out)
    for frame in replay.frames(path, columns=ALL_COLUMNS, frames=(2, 4)):
        writer.write(frame)
    writer.close()
    return out


def test_frames_are_a_sequence(path: Path) -> None:
    with gpureplay.open(path) as trace:
        assert repr(trace) == f"<film.gltrace: {len(trace.calls):,} calls, 5 frames>"
        assert [frame.number for frame in trace.frames] == [0, 1, 2, 3, 4]
        assert [frame.number for frame in trace.frames[1:4]] == [1, 2, 3]
        assert trace.frames[-1].number == 4
        assert [frame.number for frame in trace.frames[::-2]] == [0, 2, 4]
        with pytest.raises(IndexError, match="there are 5 frames; there is no frame 9"):
            trace.frames[9]
        assert trace.info()["frames"] == 5


def test_a_frame_is_what_the_replay_gives(path: Path) -> None:
    (expected,) = replay.frames(path, columns=ALL_COLUMNS, frames=(3, 3))
    with gpureplay.open(path) as trace:
        frame = trace.frames[3]
        for name in ("quads", "texture_lines", "vertices"):
            for column, array in expected[name].items():
                assert np.array_equal(frame.table(name)[column], array), (name, column)
        assert np.shares_memory(frame.quads["x"], frame.quads["x"])
        assert np.shares_memory(frame.quads["depth"], frame.trace["quads"]["depth"])
        picture = dict(replay.pictures(path, frames=(3, 3)))[3]
        assert np.array_equal(np.asarray(frame.picture()), picture[::-1])
        with pytest.raises(UsageError, match="no table of a frame; there are passes"):
            frame.table("quad")


def test_draws_have_names_and_sums(path: Path) -> None:
    with gpureplay.open(path) as trace:
        frame = trace.frames[2]
        draws = frame.draws
        assert len(draws) == 4
        row = draws[0]
        assert row["mode"] == "GL_TRIANGLES"
        assert row["rule"] == "bindings"
        assert row["textures"] == "1: RGBA8 4x4"
        assert row["depth_test"] == ""
        quads = frame.quads
        ones = np.array([bin(mask).count("1") for mask in range(16)])
        assert draws["fragments"].sum() == ones[quads["coverage"]].sum()
        assert draws["quads"].sum() == len(quads)
        paths = frame.table("paths")["executed"].astype(int)
        per_path = paths.sum(axis=1) - paths[:, 2]
        assert draws["fragment_instructions"].sum() == per_path[quads["path"]].sum()
        assert draws["texels"].sum() == frame.table("tex_ops")["texels"].sum()
        assert (draws["texels"] >= draws["fragments"]).all()


def test_a_gpu_trace_opens_the_same_way(path: Path, stored: Path) -> None:
    with gpureplay.open(path) as trace, gpureplay.open(stored) as kept:
        assert [frame.number for frame in kept.frames] == [2, 3, 4]
        assert np.array_equal(np.asarray(kept.frames[0].picture()), np.asarray(trace.frames[2].picture()))
        assert repr(kept.frames[1].draws) == repr(trace.frames[3].draws)
        with pytest.raises(UsageError, match=r"a GPU trace holds no calls"):
            kept.calls  # noqa: B018


def test_a_run_gives_what_the_command_gives(path: Path, tmp_path: Path) -> None:
    result = gpureplay.run(path, "mali450-re", techniques=["re"], set=SIZE, frames=range(2, 4))
    out = tmp_path / "command.json"
    done = CliRunner().invoke(
        cli, ["run", str(path), "-c", "mali450-re", "-t", "re", "--set", "screen.scale_to_trace=true",
              "--frames", "2-3", "--json", str(out)], standalone_mode=False,
    )  # fmt: skip
    assert done.exception is None
    result.save(tmp_path / "api.json")
    mine, theirs = read_result(tmp_path / "api.json"), read_result(out)
    assert mine["command"] == []
    assert {**mine, "command": 0} == {**theirs, "command": 0}
    summary = result.summary
    assert summary["technique"].tolist() == ["baseline", "re"]
    assert summary["speed_up"][0] == 1
    assert summary["frames"].tolist() == [2, 2]
    assert set(result.frames["role"]) == {"warm-up", "measured"}
    structures = theirs["runs"][1]["total"]["energy_pj"]["structures"]
    chosen = result.energy[result.energy["technique"] == "re"]
    assert chosen["structure"].tolist() == list(structures)
    assert [round(value, 3) for value in chosen["dynamic_pj"]] == [one["dynamic"] for one in structures.values()]
    assert "re.tiles_skipped" in result.counters.columns
    assert "<table>" in result._repr_html_()
    with pytest.raises(UsageError, match=r"results are written as \.json or \.csv"):
        result.save(tmp_path / "a.xlsx")


def test_configurations_may_be_values(path: Path) -> None:
    small = load_config("mali450-vro", ["screen.scale_to_trace=true"])
    by_value = gpureplay.run(
        path, [small, "mali450-vro"], set={**SIZE, "caches.l2.size_bytes": 65536}, frames=range(1, 2)
    )
    cycles = by_value.summary["cycles"]
    assert cycles[0] == cycles[1]
    with pytest.raises(ConfigError, match=r"caches\.l2\.sise_bytes"):
        gpureplay.run(path, set={"caches.l2.sise_bytes": 1})
    with pytest.raises(UsageError, match="no frames to run"):
        gpureplay.run(path, frames=range(3, 3))
    with pytest.raises(UsageError, match="there is no frame 7"):
        gpureplay.run(path, set=SIZE, frames=range(7, 9))


def test_tables_show_and_sort() -> None:
    table = Table({"n": np.arange(40), "of": np.array([f"<{k % 3}>" for k in range(40)], object)}, "things")
    assert table[3] == {"n": 3, "of": "<0>"}
    assert table.sort("n")["n"][0] == 39
    assert table.sort("of", ascending=True)["n"][:2].tolist() == [0, 3]
    assert len(table[table["n"] > 35]) == 4
    assert "...\n" in repr(table)
    assert repr(table).endswith("40 things")
    assert "&lt;1&gt;" in table._repr_html_()
    assert [row["n"] for row in table.head(2)] == [0, 1]
    with pytest.raises(KeyError, match="m: things have n, of"):
        table["m"]
    with pytest.raises(ValueError, match="differ in length"):
        Table({"a": np.zeros(1), "b": np.zeros(2)})
    assert repr(Table({}, "things")) == "0 things"
    wide = Table({f"column{k}": np.zeros(2) for k in range(40)})
    assert "more columns" in repr(wide)
    assert max(map(len, repr(wide).splitlines()[:-1])) <= 120


def test_two_million_quads_become_a_frame_of_pandas_quickly() -> None:
    pandas = pytest.importorskip("pandas")
    rows = 2_000_000
    quads = Table(
        {
            "x": np.zeros(rows, np.uint16),
            "coverage": np.zeros(rows, np.uint8),
            "depth": np.zeros((rows, 4), np.uint32),
            "path": np.zeros(rows, np.uint32),
            "tex_first": np.zeros(rows, np.uint32),
        }
    )
    start = time.perf_counter()
    frame = quads.to_pandas()
    seconds = time.perf_counter() - start
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["x", "coverage", *(f"depth.{k}" for k in range(4)), "path", "tex_first"]
    assert len(frame) == rows
    assert seconds < 0.3


def test_arrow_shares_the_memory() -> None:
    pytest.importorskip("pyarrow")
    depth = np.arange(24, dtype=np.uint32).reshape(6, 4)
    x = np.arange(6, dtype=np.uint16)
    found = Table({"x": x, "depth": depth, "name": np.array(list("abcdef"), object)}).to_arrow()
    assert found.column("depth").to_pylist() == depth.tolist()
    assert found.column("x").chunk(0).buffers()[1].address == x.ctypes.data
    assert found.column("depth").chunk(0).values.buffers()[1].address == depth.ctypes.data
    assert found.num_rows == 6


def test_results_as_pandas(path: Path) -> None:
    pytest.importorskip("pandas")
    result = gpureplay.run(path, "mali450-vro", set={**SIZE, "caches.l2.size_bytes": 65536}, frames=range(1, 3))
    frame = result.to_pandas()
    assert frame["config.caches.l2.size_bytes"].tolist() == [65536] * len(frame)
    measured = frame[frame["role"] == "measured"]
    assert measured["frame"].tolist() == [1, 2]
    assert (measured["cycles"] == measured["geometry_cycles"] + measured["raster_cycles"]).all()
    document = json.dumps(sorted(measured.columns))
    assert "fragments.shaded" in document
    assert "stalls." in document
