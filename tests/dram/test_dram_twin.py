"""The event-driven kernels against the per-cycle twin: every command, every request, every counter."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from dram_twin import Twin

from gpumodel.memory.dram import DramConfig, RequestTrace, load_dram_configs, simulate
from gpumodel.memory.dram.state import COMMAND_NAMES

COUNTERS = {
    "activates": "activate", "precharges": "precharge", "ondemand_precharges": "conflicts", "refreshes": "refresh",
    "read_cmds": "read", "write_cmds": "write", "read_row_hits": "read_hits", "write_row_hits": "write_hits",
    "rank_active_cycles": "active_cycles", "all_bank_idle_cycles": "idle_cycles",
}  # fmt: skip


def altered(name: str, **changes: int) -> DramConfig:
    """A shipped configuration with other values, whichever section they are in."""
    values = load_dram_configs()[name].model_dump()
    for section in values.values():
        section.update({key: value for key, value in changes.items() if key in section})
    return DramConfig.model_validate(values)


def random_requests(
    seed: int, count: int, places: int, writes: float, gap: int, step: int
) -> list[tuple[int, bool, int]]:
    """Requests to a few rows and banks, in bursts; ``step`` below 64 gives unequal addresses in one burst."""
    generator = random.Random(seed)
    bases = [generator.randrange(1 << 28) & ~0x3FFFF for _ in range(places)]
    cycle, requests = 0, []
    for _ in range(count):
        if generator.random() < 0.05:
            cycle += generator.randrange(40 * gap + 1)
        cycle += generator.randrange(gap + 1)
        address = generator.choice(bases) + generator.randrange(0x40000 // step // 512) * step * 512
        address += generator.randrange(8) * step
        requests.append((cycle, generator.random() < writes, address))
    return requests


def compare(config: DramConfig, requests: list[tuple[int, bool, int]]) -> None:
    twin = Twin(config, requests)
    cycle, write, address = zip(*requests, strict=True)
    trace = RequestTrace(np.array(cycle, np.int64), np.array(write), np.array(address, np.int64))
    run = simulate(config, trace, commands=True)
    got = [(row[0], COMMAND_NAMES[row[1]], *row[2:]) for row in run.commands.tolist()]
    for number, (ours, theirs) in enumerate(zip(got, twin.log, strict=False)):
        assert ours == theirs, f"command {number}"
    assert len(got) == len(twin.log)
    assert run.issue_cycle.tolist() == [request.issue for request in twin.requests]
    assert run.done_cycle.tolist() == [request.done for request in twin.requests]
    assert run.results["total_cycles"] == twin.cycles
    assert {key: run.results[key] for key in COUNTERS} == {key: twin.stats[name] for key, name in COUNTERS.items()}
    check_sums(config, twin, run.results)


def check_sums(config: DramConfig, twin: Twin, results: dict[str, Any]) -> None:
    """What is said of the requests, and of the energy as a whole."""
    reads = [request for request in twin.requests if not request.write]
    latency = [request.done - request.issue for request in reads]
    assert (results["requests"], results["reads"]) == (len(twin.requests), len(reads))
    assert results["writes"] == len(twin.requests) - len(reads)
    assert results["last_request_accepted_cycle"] == max(request.issue for request in twin.requests)
    least, most = (min(latency), max(latency)) if latency else (0, 0)
    assert (results["min_read_latency_cycles"], results["max_read_latency_cycles"]) == (least, most)
    assert results["avg_read_latency_cycles"] == pytest.approx(np.mean(latency) if latency else 0, abs=1e-4)
    total = sum(results[f"{part}_energy_pJ"] for part in ("act", "read", "write", "refresh", "background"))
    assert results["total_energy_pJ"] == pytest.approx(total, abs=0.5)
    # A mW is a pJ a ns.
    power = total / (twin.cycles * config.timing.tCK)
    assert results["sum_channel_average_power_mW"] == pytest.approx(power, rel=1e-3)
    assert results["dramsim3_total_energy_raw_mWcycles"] == pytest.approx(power * twin.cycles, rel=1e-5)


@pytest.mark.parametrize("name", sorted(load_dram_configs()))
@pytest.mark.parametrize(
    ("places", "writes", "gap", "step"),
    [(40, 0.0, 0, 64), (12, 0.4, 2, 64), (3, 0.6, 0, 32), (200, 0.3, 20, 64), (2, 0.5, 6, 8)],
)
def test_equals_the_twin_on_random_requests(name: str, places: int, writes: float, gap: int, step: int) -> None:
    compare(load_dram_configs()[name], random_requests(places * 7 + gap, 250, places, writes, gap, step))


@pytest.mark.parametrize("seed", range(6))
def test_equals_the_twin_with_short_queues_and_frequent_refresh(seed: int) -> None:
    base = ("lpddr4_2400_stock", "lpddr3_1600_2x16", "lpddr4_2400_bus32_2ch")[seed % 3]
    config = altered(base, cmd_queue_size=1 + seed % 3, trans_queue_size=(9, 12, 32)[seed % 3], tREFI=1000, tRFC=100)
    compare(config, random_requests(seed, 250, 6, 0.5, seed % 4, 64))


@pytest.mark.parametrize("mapping", ["rorababgchco", "robarabgcoch", "chrarobgbaco"])
def test_equals_the_twin_under_other_address_maps(mapping: str) -> None:
    values = load_dram_configs()["lpddr4_2400_bus32_2ch"].model_dump()
    values["system"]["address_mapping"] = mapping
    compare(DramConfig.model_validate(values), random_requests(5, 200, 10, 0.3, 1, 64))


@pytest.mark.parametrize("seed", range(6))
def test_equals_the_twin_with_other_timings(seed: int) -> None:
    """Bank groups and ranks, each constraint alone the longest somewhere, long ones without groups of no effect."""
    generator = random.Random(seed)
    names = ("CL", "CWL", "tRCD", "tRP", "tRAS", "tRRD_S", "tRRD_L", "tWTR_S", "tWTR_L", "tFAW", "tWR", "tRTP",
             "tCCD_S", "tCCD_L", "tRTRS", "tPPD")  # fmt: skip
    timing = {name: generator.randrange(3, 40) for name in names}
    timing["AL"] = generator.randrange(0, timing["tRCD"])
    timing["tRAS"] = max(timing["tRAS"], timing["tRRD_S"], timing["tRRD_L"])
    # A bank's own precharges are further apart, in any part.
    timing["tPPD"] = min(timing["tPPD"], timing["tRP"] + timing["tRAS"])
    groups = (1, 2, 4, 1, 2, 1)[seed]
    config = altered(
        ("lpddr4_2400_stock", "lpddr3_1600_2x16")[seed % 2], **timing, bankgroups=groups, banks_per_group=8 // groups,
        channel_size=2048 if seed % 3 else 256, tREFI=2000, tRFC=60,
    )  # fmt: skip
    compare(config, random_requests(seed, 200, 5, 0.4, seed % 3, 64))


@pytest.mark.parametrize(("groups", "size"), [(4, 2048), (2, 4096), (8, 2048), (4, 4096)])
def test_equals_the_twin_in_every_group_of_every_rank(groups: int, size: int) -> None:
    """Columns of open rows, as near as the constraints between groups and ranks let them come."""
    config = altered("lpddr3_1600_2x16", bankgroups=groups, banks_per_group=8 // groups, channel_size=size,
                     tCCD_S=6, tCCD_L=11, tRTRS=5)  # fmt: skip
    assert config.ranks == size // 1024
    # The channel's bit lies below all but a column's lowest.
    first = {name: config.address_fields[name][0] + config.address_fields["ch"][1] for name in ("ra", "bg")}
    places = [(ra << first["ra"]) + (bg << first["bg"]) for ra in range(config.ranks) for bg in range(groups)]
    generator = random.Random(groups * size)
    requests = [
        (turn // 2, generator.random() < 0.3, generator.choice(places) + 16 * generator.randrange(32))
        for turn in range(400)
    ]
    compare(config, requests)


@pytest.mark.parametrize("step", [0x100000, 0x102000, 0x104400])
def test_a_read_that_blocks_draining_writes_is_served(step: int) -> None:
    """A full write buffer whose first write waits for a read that is not with the banks yet: reading goes on.

    A command queue of one: the read of ``hot`` waits in the read queue while 32 writes arrive, the first of them to
    ``hot``, the others to its bank, or to others.
    """
    config = altered("lpddr4_2400_bus32", cmd_queue_size=1)
    hot = 0x100000
    requests = [(0, False, 0), (0, False, 0x200000), (0, False, hot), (0, True, hot)]
    requests += [(0, True, 0x10000000 + k * step) for k in range(40)]
    compare(config, requests)
