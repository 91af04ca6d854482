"""Closed forms of the DRAM model, from the datasheet's figures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gpumodel.memory.dram import DramConfig, RequestTrace, load_dram_configs, simulate
from gpumodel.memory.dram import run as module
from gpumodel.memory.dram.energy import DramEnergy
from gpumodel.memory.dram.run import Simulation
from gpumodel.memory.dram.state import COMMAND_NAMES, make_memory
from traceformat.errors import InternalError

LPDDR4, LPDDR3 = "lpddr4_2400_bus32", "lpddr3_1600_trefi"


def place(config: DramConfig, **fields: int) -> int:
    """Address of row ``ro``, bank ``ba``, group ``bg``, column burst ``co``, rank ``ra``, channel ``ch``."""
    return sum(value << config.address_fields[name][0] for name, value in fields.items())


def run(config: DramConfig, *requests: tuple[int, str, int]) -> Simulation:
    cycle, op, address = zip(*requests, strict=True)
    trace = RequestTrace(np.array(cycle, np.int64), np.array([o == "W" for o in op]), np.array(address, np.int64))
    return simulate(config, trace, commands=True)


def commands(simulation: Simulation, kind: str) -> list[int]:
    chosen = simulation.commands["kind"] == COMMAND_NAMES.index(kind)
    return [int(cycle) for cycle in simulation.commands["cycle"][chosen]]


@pytest.mark.parametrize(("name", "closed", "hit", "conflict"), [(LPDDR4, 41, 26, 56), (LPDDR3, 32, 17, 47)])
def test_isolated_read_latencies(name: str, closed: int, hit: int, conflict: int) -> None:
    """1 + [tRP] + [tRCD] + CL + BL/2: closed row, open row, another row open."""
    config = load_dram_configs()[name]
    t, burst = config.timing, config.burst_cycles
    assert (hit, closed) == (1 + t.CL + burst, 1 + t.tRCD + t.CL + burst)
    assert conflict == closed + t.tRP
    result = run(config, (10, "R", 0), (500, "R", place(config, co=1)), (1000, "R", place(config, ro=1)))
    assert result.latency_cycles.tolist() == [closed, hit, conflict]
    assert result.issue_cycle.tolist() == [11, 501, 1001]


@pytest.mark.parametrize("name", [LPDDR4, LPDDR3])
def test_time_without_requests_is_no_standstill(name: str) -> None:
    """What comes long behind the last request is served as at the begin; refreshes go on meanwhile."""
    config = load_dram_configs()[name]
    late = 1 << 29
    simulation = run(config, (10, "R", 0), (late, "R", 0), (late + 1000, "W", 64))
    assert simulation.latency_cycles[1] <= 2 * config.timing.tRFC + simulation.latency_cycles[0]
    assert (simulation.done_cycle >= [10, late, late + 1000]).all()


@pytest.mark.parametrize("name", [LPDDR4, LPDDR3])
def test_a_row_conflict_waits_for_the_row_cycle(name: str) -> None:
    """Two reads of two rows of a bank: PRE tRAS behind the first ACT, ACT tRP behind that, the data tRC apart."""
    config = load_dram_configs()[name]
    t = config.timing
    result = run(config, (0, "R", 0), (0, "R", place(config, ro=1)))
    first, second = commands(result, "activate")
    assert second - first == t.tRAS + t.tRP
    assert commands(result, "precharge") == [first + t.tRAS]
    assert int(result.done_cycle[1] - result.done_cycle[0]) == t.tRAS + t.tRP


@pytest.mark.parametrize("name", [LPDDR4, LPDDR3])
def test_four_activate_window(name: str) -> None:
    """Activates of different banks: tRRD apart, the fifth tFAW behind the first."""
    config = load_dram_configs()[name]
    t, groups = config.timing, config.dram_structure.bankgroups
    result = run(config, *[(0, "R", place(config, bg=k % groups, ba=k // groups)) for k in range(8)])
    times = commands(result, "activate")
    gaps = np.diff(times)
    assert gaps.min() >= t.tRRD_S
    assert times[1] - times[0] == t.tRRD_S
    assert times[4] == max(times[0] + t.tFAW, times[3] + t.tRRD_S)


@pytest.mark.parametrize("name", [LPDDR4, LPDDR3])
def test_writes_turn_the_bus_round_for_a_read(name: str) -> None:
    """9 writes to a row drain; a read of the row then waits CWL + BL/2 + tWTR behind the last of them."""
    config = load_dram_configs()[name]
    t = config.timing
    wtr = t.tWTR_L if config.dram_structure.bankgroups > 1 else t.tWTR_S
    writes = [(0, "W", place(config, co=k)) for k in range(9)]
    last_write = commands(run(config, *writes, (2000, "R", place(config, co=20))), "write")[8]
    result = run(config, *writes, (last_write, "R", place(config, co=20)))
    assert commands(result, "write")[8] == last_write
    assert commands(result, "read") == [last_write + t.CWL + config.burst_cycles + wtr]


def test_eight_writes_stay_in_the_buffer() -> None:
    """Writes are acknowledged a cycle behind acceptance; up to 8 stay buffered; a read of one is answered at once."""
    config = load_dram_configs()[LPDDR4]
    writes = [(0, "W", place(config, co=k)) for k in range(8)]
    result = run(config, *writes, (2000, "R", place(config, co=3)))
    assert result.latency_cycles.tolist() == [1] * 9
    assert result.results["write_cmds"] == result.results["read_cmds"] == result.results["activates"] == 0


def test_reads_of_one_address_merge() -> None:
    """Reads of an address join the first until its command issues, in tick 2 + tRCD, and end with it."""
    config = load_dram_configs()[LPDDR4]
    until = 2 + config.timing.tRCD
    result = run(config, *[(0, "R", 0x4000)] * (until + 1))
    assert result.results["read_cmds"] == 2
    assert result.done_cycle.tolist()[:until] == [1 + 41] * until
    assert result.done_cycle[until] == 1 + 41 + config.burst_cycles


def test_writes_of_one_address_merge() -> None:
    """20 writes of an address take one place in the buffer: nothing drains."""
    result = run(load_dram_configs()[LPDDR4], *[(0, "W", 0x4000)] * 20, (100, "R", 0))
    assert result.results["write_cmds"] == 0


@pytest.mark.parametrize(("name", "interval"), [(LPDDR4, 8660), (LPDDR3, 3120), ("lpddr3_1600_stock", 7800)])
def test_refreshes_come_every_interval(name: str, interval: int) -> None:
    """An idle memory refreshes at k x tREFI; a read at that time waits tRFC for its activate."""
    config = load_dram_configs()[name]
    result = run(config, (4 * interval, "R", 0))
    assert commands(result, "refresh") == [k * interval for k in range(1, 5)]
    assert commands(result, "activate") == [4 * interval + config.timing.tRFC]


def test_refreshes_of_two_ranks_are_staggered() -> None:
    """Each rank every tREFI, the ranks tREFI/2 apart."""
    config = load_dram_configs()["lpddr4_2400_stock"]
    result = run(config, (30_000, "R", 0))
    assert commands(result, "refresh") == [k * 4330 for k in range(1, 7)]
    assert result.commands["rank"][:6].tolist() == [0, 1, 0, 1, 0, 1]


def test_an_open_row_closes_before_its_refresh() -> None:
    """Open bank at k x tREFI: precharge at once, refresh tRP later."""
    config = load_dram_configs()[LPDDR4]
    result = run(config, (8000, "R", 0), (9500, "R", 0))
    assert commands(result, "precharge") == [8660]
    assert commands(result, "refresh") == [8660 + config.timing.tRP]


@pytest.mark.parametrize("name", [LPDDR4, LPDDR3])
def test_a_stream_fills_the_bus(name: str) -> None:
    """N reads of one row: data back to back, BL/2 (or tCCD in a group) each."""
    config = load_dram_configs()[name]
    result = run(config, *[(0, "R", place(config, co=k)) for k in range(60)])
    gap = max(
        config.burst_cycles, config.timing.tCCD_L if config.dram_structure.bankgroups > 1 else config.timing.tCCD_S
    )
    assert set(np.diff(result.done_cycle).tolist()) == {gap}
    assert result.results["read_row_hits"] == 59


def test_four_columns_on_a_row_let_an_older_conflict_through() -> None:
    """The oldest of a bank's queue wants another row: it waits for 4 columns on the open one, not for all 7.

    A second bank takes turns on the bus, so that tRTP passes between two columns of the first.
    """
    config = load_dram_configs()[LPDDR4]
    pairs = [(0, "R", place(config, ba=bank, co=k)) for k in range(7) for bank in range(2)]
    result = run(config, pairs[0], (0, "R", place(config, ro=1)), *pairs[1:])
    first = result.commands[result.commands["bank"] == 0]
    kinds = [COMMAND_NAMES[kind] for kind in first["kind"]]
    assert kinds[:8] == ["activate", "read", "read", "read", "read", "precharge", "activate", "read"]
    assert first["row"][7] == 1


def test_energy_of_single_commands() -> None:
    """VDD x devices x current above standby x cycles x tCK, in pJ (simulators.md 2.4)."""
    price = DramEnergy.of(load_dram_configs()[LPDDR4])
    assert price.activate_pj == pytest.approx(1.2 * 2 * (80 * 47 - 47 * 32 - 34 * 15) * 0.83)
    assert price.read_pj == pytest.approx(3123.456)
    assert price.write_pj == pytest.approx(2884.416)
    assert price.refresh_pj == pytest.approx(181941.312)
    assert price.active_standby_pj == pytest.approx(93.624)
    assert price.precharge_standby_pj == pytest.approx(67.728)


def test_energy_is_the_sum_of_its_parts() -> None:
    config = load_dram_configs()[LPDDR4]
    result = run(config, (0, "R", 0), (20_000, "R", 64)).results
    price = DramEnergy.of(config)
    parts = (
        price.activate_pj * 2 + price.read_pj * 2 + price.refresh_pj * 2
        + price.active_standby_pj * result["rank_active_cycles"]
        + price.precharge_standby_pj * result["all_bank_idle_cycles"]
    )  # fmt: skip
    assert result["total_energy_pJ"] == pytest.approx(parts, abs=0.1)
    assert result["rank_active_cycles"] + result["all_bank_idle_cycles"] == result["total_cycles"]
    assert result["sum_channel_average_power_mW"] == pytest.approx(parts / (result["total_cycles"] * 0.83), abs=1e-3)


@pytest.mark.parametrize("name", ["lpddr3_1600_2x16", "lpddr4_2400_2x16", "lpddr3_1600_2x32", "lpddr4_2400_2x32"])
def test_a_stream_is_shared_by_both_channels(name: str) -> None:
    """Bursts in the order of their addresses: each channel has half of them, 256 bytes in turn, and twice the rate."""
    config = load_dram_configs()[name]
    count = 2048 // config.line_bursts * config.line_bursts
    addresses = [k * config.request_bytes for k in range(count)]
    both = run(config, *[(0, "R", address) for address in addresses])
    reads = both.commands[both.commands["kind"] == COMMAND_NAMES.index("read")]
    assert [int((reads["channel"] == k).sum()) for k in (0, 1)] == [count // 2, count // 2]
    one = run(config, *[(0, "R", address // 256 * 512 + address % 256) for address in addresses])
    # One request is accepted a tick, so the second channel of short bursts begins a few ticks behind the first.
    assert both.results["total_cycles"] == pytest.approx(one.results["total_cycles"] / 2, rel=0.08)


@pytest.mark.parametrize("name", ["lpddr3_1600_2x16", "lpddr4_2400_2x16"])
def test_a_stream_on_one_channel_leaves_the_other_alone(name: str) -> None:
    """Every other 256 bytes: all commands are one channel's, whose row they walk column by column; its bus is full.

    The last burst is done 1 + tRCD + CL + BL/2 behind the start and (N - 1) distances of columns later; a row holds
    all of them, and no refresh falls due.
    """
    config = load_dram_configs()[name]
    t, count = config.timing, 48
    distance = max(config.burst_cycles, t.tCCD_S if config.dram_structure.bankgroups == 1 else t.tCCD_L)
    per_piece = 256 // config.request_bytes
    addresses = [k // per_piece * 512 + k % per_piece * config.request_bytes + 256 for k in range(count)]
    result = run(config, *[(0, "R", address) for address in addresses])
    assert set(result.commands["channel"].tolist()) == {1}
    assert result.results["activates"] == 1
    assert result.results["read_row_hits"] == count - 1
    reads = result.commands[result.commands["kind"] == COMMAND_NAMES.index("read")]
    assert reads["column"].tolist() == list(range(count))
    assert int(result.done_cycle.max()) == 1 + 1 + t.tRCD + t.CL + config.burst_cycles + (count - 1) * distance
    assert result.results["rank_active_cycles"] < result.results["total_cycles"]


@pytest.mark.parametrize("wait", [1 << 20, 1 << 29])
def test_a_request_that_is_never_served(monkeypatch: pytest.MonkeyPatch, wait: int) -> None:
    """A row that takes as good as for ever to open is an error; one that takes long is not."""

    def slow(config: DramConfig) -> Any:
        memory = make_memory(config)
        memory["par"]["activate_column"] = wait
        # No refresh comes between.
        memory["channel"]["refresh_due_at"] = 1 << 40
        return memory

    monkeypatch.setattr(module, "make_memory", slow)
    if wait < 1 << 28:
        assert run(load_dram_configs()[LPDDR4], (0, "R", 0)).latency_cycles[0] > wait
    else:
        with pytest.raises(InternalError, match="never served"):
            run(load_dram_configs()[LPDDR4], (0, "R", 0))
