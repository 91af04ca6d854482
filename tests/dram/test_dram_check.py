"""The command: outputs, summary, and one line for each kind of bad input."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gpumodel.memory.dram.run as dram_run
from gpumodel.memory.dram import RequestTrace, load_dram_configs
from gpumodel.memory.dram_check import dram_check
from traceformat.cli.door import run
from traceformat.errors import UsageError

GOOD = "cycle,op,addr\n0,R,0x0\n5,W,0x40\n9,R,64\n"


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "small.csv"
    path.write_text(GOOD)
    return path


def test_writes_results_requests_and_commands(trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = {kind: tmp_path / f"out.{kind}" for kind in ("json", "requests", "commands")}
    options = [text for kind, path in out.items() for text in (f"--{kind}", str(path))]
    assert run(dram_check, [str(trace), "--config", "lpddr4_2400_bus32", *options]) == 0
    results = json.loads(out["json"].read_text())
    assert (results["config"], results["trace"], results["requests"], results["activates"]) == (
        "lpddr4_2400_bus32", "small", 3, 1,
    )  # fmt: skip
    rows = list(csv.DictReader(out["requests"].open()))
    assert rows[0] == {"idx": "0", "req_cycle": "0", "op": "R", "addr": "0x0", "issue_cycle": "1", "done_cycle": "42"}
    assert [row["done_cycle"] for row in rows] == ["42", "7", "11"]
    assert out["commands"].read_text().splitlines() == [
        "cycle,cmd,channel,rank,bankgroup,bank,row_hex,col_hex",
        "2,activate,0,0,0,0,0x0,0x0",
        "17,read,0,0,0,0,0x0,0x0",
    ]
    text = capsys.readouterr().out
    assert "2 reads (1 answered from the write buffer), 1 writes" in text
    assert "43 cycles" in text
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "an empty file"),
        ("cycle;op;addr\n", "expected cycle,op,addr"),
        ("cycle,op,addr\n", "no requests"),
        ("cycle,op,addr\n0,R,0x0\n\n1,X,0x0\n", "line 4 is '1,X,0x0'"),
        ("cycle,op,addr\n0,R\n", "line 2"),
        ("cycle,op,addr\n-1,R,0\n", "line 2"),
        ("cycle,op,addr\n99999999999999999999,R,0\n", "line 2"),
        ("cycle,op,addr\n0,R,0xffffffffffffffff\n", "line 2"),
        ("cycle,op,addr\n0,R,1e3\n", "line 2"),
    ],
)
def test_a_bad_trace_is_one_line(
    content: str, says: str, trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    trace.write_text(content)
    assert run(dram_check, [str(trace), "--config", "lpddr4_2400_bus32"], name="dram_check") == 3
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1


def test_a_binary_trace_is_one_line(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace.write_bytes(bytes(range(256)))
    assert run(dram_check, [str(trace), "--config", "lpddr4_2400_bus32"]) == 3
    assert "not a text file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--config", "lpddr4_2400_bus23"], "did you mean 'lpddr4_2400_bus32'"),
        ([], "Missing option '--config'"),
        (["--config", "x", "--configs", "/nonexistent.json"], "No such file"),
        (["--config", "lpddr4_2400_bus32", "--json", "/nonexistent/out.json"], "No such file"),
    ],
)
def test_bad_arguments_are_one_line(
    arguments: list[str], says: str, trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    assert run(dram_check, [str(trace), *arguments]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1


def test_a_missing_trace_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(dram_check, [str(tmp_path / "none.csv"), "--config", "lpddr4_2400_bus32"]) == 2
    assert "No such file" in capsys.readouterr().err


def test_all_mistakes_of_a_configuration_are_told_at_once(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = load_dram_configs()["lpddr4_2400_bus32"].model_dump()
    values["timing"]["CL"] = -1
    values["timing"]["tRDC"] = 5
    del values["timing"]["tRP"]
    values["dram_structure"]["rows"] = 1000
    values["system"]["address_mapping"] = "rorarababgco"
    values["system"]["row_buf_policy"] = "CLOSE_PAGE"
    path = tmp_path / "configs.json"
    path.write_text(json.dumps({"mine": values}))
    assert run(dram_check, [str(trace), "--config", "mine", "--configs", str(path)]) == 2
    error = capsys.readouterr().err
    for place in ("timing.CL", "timing.tRDC", "timing.tRP", "dram_structure.rows", "address_mapping", "row_buf_policy"):
        assert place in error
    assert error.count("\n") == 7
    assert "timing.tRP: missing" in error
    assert "6 problems" in error


@pytest.mark.parametrize("text", ["[]", "{", "{}", '{"a": 1}', '{"a": {"timing": {}}}'])
def test_a_broken_file_of_configurations_is_a_line_a_problem(
    text: str, trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    path = tmp_path / "configs.json"
    path.write_text(text)
    assert run(dram_check, [str(trace), "--config", "a", "--configs", str(path)]) == 2
    first, *lines = capsys.readouterr().err.splitlines()
    assert all(line.startswith(f"  {path}: a") for line in lines)
    assert not lines or f"{len(lines)} problems" in first


@pytest.mark.parametrize(
    ("section", "changes", "says"),
    [
        ("timing", {"tREFI": 800}, "no time between refreshes"),
        ("timing", {"tREFI": 190}, "less than 100 cycles"),
        ("timing", {"tRRD_L": 51, "tRAS": 30, "tRP": 20}, "tRRD exceeds"),
        ("timing", {"tRRD_S": 51, "tRAS": 30, "tRP": 20}, "tRRD exceeds"),
        ("timing", {"tREFI": 2 * 150, "tRFC": 80, "tRAS": 40, "tRP": 30}, "no time between refreshes"),
        ("timing", {"tREFI": 2 * 99}, "less than 100 cycles"),
        ("dram_structure", {"columns": 8}, "smaller than a burst"),
        ("system", {"interleave_bytes": 64}, "smaller than a burst"),
        ("system", {"channel_size": 1 << 20}, "at most 32 banks"),
        ("system", {"channel_size": 12288}, "not a power of two"),
        ("dram_structure", {"banks_per_group": 32}, "at most 32 banks"),
        ("dram_structure", {"device_width": 64, "rows": 1024}, "at most 32 banks"),
        ("system", {"bus_width": 8}, "smaller than dram_structure.device_width"),
        ("system", {"channels": 3}, "power of two"),
    ],
)
def test_refuses_what_the_model_cannot_hold(section: str, changes: dict[str, int], says: str) -> None:
    values = load_dram_configs()["lpddr4_2400_stock"].model_dump()
    values[section].update(changes)
    with pytest.raises(ValueError, match=says):
        type(load_dram_configs()["lpddr4_2400_stock"]).model_validate(values)


@pytest.mark.parametrize(
    ("section", "changes"),
    [
        ("timing", {"tRRD_L": 50, "tRRD_S": 50, "tRAS": 30, "tRP": 20}),
        ("timing", {"tREFI": 2 * 151 + 1, "tRFC": 80, "tRAS": 40, "tRP": 30}),
        ("timing", {"tREFI": 2 * 100, "tRFC": 30, "tRAS": 40, "tRP": 29}),
        ("dram_structure", {"columns": 16, "rows": 1 << 22}),
        ("dram_structure", {"device_width": 16, "banks_per_group": 8}),
        ("dram_structure", {"banks_per_group": 16, "rows": 32768}),
        ("system", {"interleave_bytes": 128}),
        ("system", {"bus_width": 16, "channel_size": 2048}),
    ],
)
def test_takes_what_the_model_just_holds(section: str, changes: dict[str, int]) -> None:
    values = load_dram_configs()["lpddr4_2400_stock"].model_dump()
    values[section].update(changes)
    type(load_dram_configs()["lpddr4_2400_stock"]).model_validate(values)


def test_the_log_holds_as_many_commands_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    config = load_dram_configs()["lpddr4_2400_bus32"]
    requests = RequestTrace(np.arange(0, 900, 300), np.zeros(3, bool), np.arange(3) << 16)
    issued = len(dram_run.simulate(config, requests, commands=True).commands)
    monkeypatch.setattr(dram_run, "_LOG_MOST", issued)
    assert len(dram_run.simulate(config, requests, commands=True).commands) == issued
    monkeypatch.setattr(dram_run, "_LOG_MOST", issued - 1)
    with pytest.raises(UsageError, match=rf"{issued} DRAM commands: more than the log holds \({issued - 1}\)"):
        dram_run.simulate(config, requests, commands=True)


def test_the_summary_is_what_the_results_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rates by hand: a burst of 16 transfers is 64 bytes of 32 pins, in 8 cycles of 0.83 ns."""
    path, out = tmp_path / "t.csv", tmp_path / "out.json"
    path.write_text("cycle,op,addr\n" + "".join(f"{9 * k},{'RW'[k % 3 == 0]},{k * 4160:#x}\n" for k in range(40)))
    assert run(dram_check, [str(path), "--config", "lpddr4_2400_bus32"]) == 0
    text = capsys.readouterr().out
    assert run(dram_check, [str(path), "--config", "lpddr4_2400_bus32", "--json", str(out)]) == 0
    r = json.loads(out.read_text())
    time_ns, columns = r["total_cycles"] * 0.83, r["read_cmds"] + r["write_cmds"]
    peak, rate = 64 / (8 * 0.83), columns * 64 / time_ns
    hits = r["read_row_hits"] + r["write_row_hits"]
    parts = ", ".join(
        f"{name} {100 * r[f'{key}_energy_pJ'] / r['total_energy_pJ']:.1f} %"
        for name, key in (("background", "background"), ("activates", "act"), ("reads", "read"), ("writes", "write"),
                          ("refreshes", "refresh"))
    )  # fmt: skip
    for line in (
        f"{r['total_cycles']} cycles of 0.83 ns = {time_ns / 1000:.2f} us",
        f"{rate:.3f} GB/s, {100 * rate / peak:.1f} % of the peak of {peak:.2f} GB/s",
        f"{hits} of {columns} columns ({100 * hits / columns:.1f} %)", parts,
        f"{r['total_energy_pJ'] / 1e6:.3f} uJ", f"{r['sum_channel_average_power_mW']:.1f} mW",
    ):  # fmt: skip
        assert line in text


def test_help_needs_no_compiler() -> None:
    """As a module, where the package's names are loaded on demand."""
    code = (
        "import runpy, sys; sys.argv = ['dram_check', '--help']\n"
        "try: runpy.run_module('gpumodel.memory.dram_check', run_name='__main__')\n"
        "except SystemExit as end: assert not end.code\n"
        "assert 'numba' not in sys.modules and 'pydantic' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "--requests" in done.stdout
