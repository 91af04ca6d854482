"""The model on real frames: both loops agree, laws hold, results repeat and do not depend on the way they came."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import sample_goldens
from model_laws import check_conservation

import replay
from gpumodel.config import load_config
from gpumodel.machine import Machine
from gpumodel.runs import REQUIRED_COLUMNS

Captured = Callable[..., Path]


@pytest.mark.parametrize("name", ["sprites", "city", "shadows"])
def test_both_loops_agree_on_a_real_frame(captured: Captured, name: str) -> None:
    config = load_config("mali450-vro", ())
    wake, every = Machine(config), Machine(config, every_cycle=True)
    with replay.frames(captured(name), columns=REQUIRED_COLUMNS, frames=(1, 2)) as frames:
        for trace in frames:
            a, b = wake.run_frame(trace), every.run_frame(trace)
            assert a.geometry_cycles + a.raster_cycles > 100_000
            assert (a.geometry_cycles, a.raster_cycles) == (b.geometry_cycles, b.raster_cycles)
            assert a.counters == b.counters
            assert a.unit_cycles == b.unit_cycles
            for p, q in zip(a.passes, b.passes, strict=True):
                np.testing.assert_array_equal(p.retired, q.retired)
            if name != "shadows":  # its depth-only pass writes no colours
                check_conservation(a, trace)


def gpureplay(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    code = f"import sys; sys.path.insert(0, {str(sample_goldens.ROOT)!r}); from gpumodel.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=200, cwd=cwd, check=False
    )


def test_results_repeat_and_do_not_depend_on_threads_or_the_gpu_trace(captured: Captured, tmp_path: Path) -> None:
    trace = str(captured("shadows"))
    first, second, third = (tmp_path / f"{k}.json" for k in range(3))
    kept = tmp_path / "kept.gputrace"
    for arguments in (
        (trace, "--json", str(first), "--save-gputrace", str(kept), "--frames", "0-1"),
        (trace, "--json", str(second), "--threads", "2", "--frames", "0-1"),
        (str(kept), "--json", str(third)),
    ):
        done = gpureplay("run", *arguments, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    results = [json.loads(path.read_text()) for path in (first, second, third)]
    commands = [one.pop("command") for one in results]
    assert commands[0] != commands[1]
    assert results[0] == results[1] == results[2]
    result = results[0]
    assert result["schema"] == 2
    assert [frame["frame"] for frame in result["runs"][0]["frames"]] == [0, 1]
    assert result["runs"][0]["total"]["cycles"]["total"] > 0


def test_the_configuration_decides_the_result(captured: Captured, tmp_path: Path) -> None:
    trace = str(captured("sprites"))
    results = []
    for settings in ((), ("--set", "memory.paper.bytes_per_cycle=2")):
        done = gpureplay("run", trace, "--frames", "1", "--json", "-", *settings, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        results.append(json.loads(done.stdout))
    usual, narrow = results
    assert usual["trace"] == narrow["trace"]
    assert usual["config"]["sha256"] != narrow["config"]["sha256"]
    a, b = (result["runs"][0]["total"] for result in results)
    assert b["cycles"]["total"] > a["cycles"]["total"]
    for counter in ("fragments.shaded", "fragments.rasterized", "tiles.flushed"):
        assert a["counters"][counter] == b["counters"][counter]
