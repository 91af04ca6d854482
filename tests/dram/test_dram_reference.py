"""The 42 reference runs of DRAMsim3, and its command streams: equal in every figure."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from gpumodel.memory.dram import load_dram_configs, read_trace, simulate
from gpumodel.memory.dram.state import COMMAND_NAMES

CONFIGS = ("lpddr4_2400_stock", "lpddr4_2400_bus32", "lpddr4_2400_bus32_2ch", "lpddr3_1600_stock",
           "lpddr3_1600_trefi", "lpddr3_1333_trefi")  # fmt: skip
TRACES = ("t1_stream_read", "t2_random_read", "t3_random_mix2r1w", "t5_burst_idle", "t6a_row_conflict_all",
          "t7_isolated_latency", "t8_random_paced20")  # fmt: skip


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("config", CONFIGS)
def test_equals_the_reference_in_every_column_and_request(config: str, reference: Path) -> None:
    shipped, given = load_dram_configs()[config], load_dram_configs(str(reference / "configs.json"))[config]
    expected = {row["trace"]: row for row in rows_of(reference / "results.csv") if row["config"] == config}
    assert set(expected) == set(TRACES)
    for name in TRACES:
        trace = read_trace(reference / "traces" / f"{name}.csv")
        run = simulate(shipped, trace)
        assert list(run.results) == list(expected[name])[2:]
        # The reference is rounded to one decimal.
        wrong = {k: (v, expected[name][k]) for k, v in run.results.items() if abs(v - float(expected[name][k])) > 0.06}
        assert not wrong, name
        requests = rows_of(reference / "requests" / f"{config}__{name}.csv")
        assert run.issue_cycle.tolist() == [int(row["issue_cycle"]) for row in requests], name
        assert run.done_cycle.tolist() == [int(row["done_cycle"]) for row in requests], name
        assert simulate(given, trace).results == run.results


@pytest.mark.parametrize("config", ["lpddr4_2400_bus32", "lpddr3_1600_trefi"])
@pytest.mark.parametrize("name", ["t5_burst_idle", "t7_isolated_latency"])
def test_issues_the_commands_of_the_reference(config: str, name: str, reference: Path) -> None:
    trace = read_trace(reference / "traces" / f"{name}.csv")
    run = simulate(load_dram_configs()[config], trace, commands=True)
    expected = rows_of(reference / "commands" / f"{config}__{name}.csv")
    assert len(run.commands) == len(expected)
    for got, row in zip(run.commands, expected, strict=True):
        assert (int(got["cycle"]), COMMAND_NAMES[got["kind"]]) == (int(row["cycle"]), row["cmd"])
        # Commands of a refresh have no channel and no row there, a refresh no bank.
        if row["cmd"] != "refresh":
            assert (got["group"], got["bank"]) == (int(row["bankgroup"]), int(row["bank"]))
        if int(row["channel"]) >= 0:
            assert (got["row"], got["column"]) == (int(row["row_hex"], 16), int(row["col_hex"], 16))
