"""Request streams that look for trouble: the kernels against the per-cycle twin and against the datasheet's rules."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from command_rules import Command, broken_rules
from dram_twin import Twin

from gpumodel.memory.dram import DramConfig, RequestTrace, load_dram_configs, simulate
from gpumodel.memory.dram.state import COMMAND_NAMES

Requests = list[tuple[int, bool, int]]

CONFIGS = ("lpddr3_1600_trefi", "lpddr4_2400_bus32_2ch", "lpddr4_2400_stock", "lpddr3_1600_2x16", "lpddr4_2400_2x16")


def place(config: DramConfig, **fields: int) -> int:
    """Address of row ``ro``, bank ``ba``, group ``bg``, column burst ``co``, rank ``ra``, channel ``ch``; each taken
    within its width.
    """
    return sum(
        value % (1 << config.address_fields[name][1]) << config.address_fields[name][0]
        for name, value in fields.items()
    )


def streaming(config: DramConfig) -> Requests:
    return [(k, k % 64 >= 48, k * config.request_bytes) for k in range(400)]


def anywhere(config: DramConfig) -> Requests:
    generator = random.Random(3)
    size = config.system.channel_size << 20
    return [(k, generator.random() < 0.3, generator.randrange(size) // 8 * 8) for k in range(300)]


def two_rows_of_a_bank(config: DramConfig) -> Requests:
    return [(0, k % 7 == 3, place(config, ro=k % 2, co=k // 2)) for k in range(200)]


def a_row_in_each_bank(config: DramConfig) -> Requests:
    """Every request opens a row: the activates' window and distances decide."""
    return [(0, False, place(config, ba=k, bg=k // 2, ra=k // 3, ch=k // 5, ro=k // 8)) for k in range(200)]


def write_bursts(config: DramConfig) -> Requests:
    """The write buffer runs full, a read turns the bus round, and the writes are read back."""
    out = []
    for burst in range(5):
        first = 300 * burst
        out += [(first, True, place(config, ba=k, bg=k // 8, ro=k % 3, co=k)) for k in range(50)]
        out += [(first + k, False, place(config, ba=k, bg=k // 8, ro=k % 3, co=k)) for k in range(0, 50, 7)]
    return out


def turns(config: DramConfig) -> Requests:
    """Read and write in turn, ten writes at a time so that they drain between the reads."""
    return [(3 * k, k // 10 % 2 == 1, place(config, co=k, ra=k // 20, bg=k)) for k in range(300)]


def ranks_in_turn(config: DramConfig) -> Requests:
    return [(0, k % 16 > 9, place(config, ra=k, ba=k // 4, co=k // 8)) for k in range(250)]


def across_refreshes(config: DramConfig) -> Requests:
    """A row is opened just before, at, and behind the time at which each rank's refresh falls due."""
    share = config.timing.tREFI // config.ranks
    out = []
    for number in range(1, 5):
        for ahead in (60, 20, 3, 1, 0, -1, -40):
            at = number * share - ahead
            out += [(at, k == 2, place(config, ra=k, ba=number, ro=ahead + 60, co=k)) for k in range(4)]
    return sorted(out)


def idle_gaps(config: DramConfig) -> Requests:
    """Nothing for a part of, one, and several refresh intervals."""
    out, cycle = [], 0
    for k, gap in enumerate((1, 0.3, 0.99, 1.01, 2.5, 0.02, 3, 1)):
        cycle += round(gap * config.timing.tREFI)
        out += [(cycle, j % 3 == 1, place(config, ro=k, ba=j, ra=j)) for j in range(12)]
    return out


def sizes_mixed(config: DramConfig) -> Requests:
    """Pieces of bursts: 8 to 256 bytes from places that do not begin with one."""
    generator = random.Random(9)
    out = []
    for k in range(80):
        first = generator.randrange(1 << 16) // 8 * 8
        pieces = range(first, first + generator.choice((8, 32, 64, 256)), 32)
        out += [(2 * k, generator.random() < 0.4, piece) for piece in pieces]
    return out


STREAMS = (
    streaming, anywhere, two_rows_of_a_bank, a_row_in_each_bank, write_bursts, turns, ranks_in_turn, across_refreshes,
    idle_gaps, sizes_mixed,
)  # fmt: skip


def often_refreshed(name: str) -> DramConfig:
    """A shipped configuration that refreshes every few hundred cycles, so that short streams meet many."""
    values = load_dram_configs()[name].model_dump()
    values["timing"] |= {"tREFI": 900, "tRFC": 110}
    return DramConfig.model_validate(values)


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("stream", STREAMS)
def test_streams_equal_the_twin_and_break_no_rule(stream: Callable[[DramConfig], Requests], name: str) -> None:
    config = often_refreshed(name)
    requests = stream(config)
    cycle, write, address = zip(*requests, strict=True)
    trace = RequestTrace(np.array(cycle, np.int64), np.array(write), np.array(address, np.int64))
    run = simulate(config, trace, commands=True)
    log: list[Command] = [(row[0], COMMAND_NAMES[row[1]], *row[2:]) for row in run.commands.tolist()]
    assert broken_rules(config, log) == []
    twin = Twin(config, requests)
    assert log == twin.log
    assert run.issue_cycle.tolist() == [request.issue for request in twin.requests]
    assert run.done_cycle.tolist() == [request.done for request in twin.requests]
    # No faster than the data bus.
    columns = run.results["read_cmds"] + run.results["write_cmds"]
    assert run.results["total_cycles"] * config.system.channels >= columns * config.burst_cycles


def _log(*commands: tuple[int, str, int, int, int, int]) -> list[Command]:
    return [(cycle, kind, 0, rank, group, bank, row, 0) for cycle, kind, rank, group, bank, row in commands]


@pytest.mark.parametrize(
    ("rule", "commands"),
    [
        ("tRCD", [("activate", 0, 0, 0, 5), ("read", 0, 0, 0, 5)]),
        ("tRAS", [("activate", 0, 0, 0, 5), ("precharge", 0, 0, 0, -1)]),
        ("tRRD_S", [("activate", 0, 0, 0, 5), ("activate", 0, 0, 1, 5)]),
        ("tPPD", [("precharge", 0, 0, 0, -1), ("precharge", 0, 0, 1, -1)]),
        ("tRFC", [("refresh", 0, 0, 0, -1), ("activate", 0, 0, 0, 5)]),
    ],
)
def test_the_rules_find_a_command_that_comes_a_cycle_early(
    rule: str, commands: list[tuple[str, int, int, int, int]]
) -> None:
    """Two commands the rule's time apart are fine, one cycle closer they are not."""
    config = load_dram_configs()["lpddr4_2400_stock"]
    apart = getattr(config.timing, rule)
    (first, *a), (second, *b) = commands

    def said(distance: int) -> list[str]:
        found = broken_rules(config, _log((9000, first, *a), (9000 + distance, second, *b)))
        return [text.partition(": ")[2] for text in found]

    assert rule not in said(apart)
    assert rule in said(apart - 1)


def test_the_rules_find_what_no_memory_allows() -> None:
    """The wrong row, a closed bank, two bursts at once, a fifth activate in the window, a refresh of an open rank."""
    config = load_dram_configs()["lpddr4_2400_stock"]
    t = config.timing

    def said(*commands: tuple[int, str, int, int, int, int]) -> str:
        return "; ".join(broken_rules(config, _log(*commands)))

    opened = (1, "activate", 0, 0, 0, 5)
    assert "read from the open row" in said(opened, (100, "read", 0, 0, 0, 6))
    assert "write from the open row" in said((100, "write", 0, 0, 0, 5))
    assert "activate a closed bank" in said(opened, (500, "activate", 0, 0, 0, 6))
    other = (1 + t.tRRD_L, "activate", 1, 0, 0, 5)
    assert "data bus" in said(opened, other, (100, "read", 0, 0, 0, 5), (101, "read", 1, 0, 0, 5))
    banks = [(1 + k * (t.tFAW - 1) // 4, "activate", 0, k % 2, k // 2, 5) for k in range(5)]
    assert "tFAW" in said(*banks)
    assert "all banks closed" in said(opened, (5000, "refresh", 0, 0, 0, -1))
    assert "one command a cycle" in said(opened, (1, "activate", 0, 1, 0, 5))
