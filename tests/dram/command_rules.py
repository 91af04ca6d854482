"""What a DRAM command log must never do, written from the datasheet's figures: no scheduler, no queues, no event times.

The rules look at pairs of commands and at the data bus. They know nothing of which command should come next, so they
judge the kernels and the per-cycle twin alike.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable

from gpumodel.memory.dram.config import DramConfig

Command = tuple[int, str, int, int, int, int, int, int]


def broken_rules(config: DramConfig, log: Iterable[Command]) -> list[str]:
    """Every rule that a log of (cycle, kind, channel, rank, group, bank, row, column) breaks, with its place."""
    by_channel: dict[int, list[Command]] = defaultdict(list)
    for command in log:
        by_channel[command[2]].append(command)
    return [text for commands in by_channel.values() for text in _Rules(config).judge(commands)]


class _Rules:
    """One channel."""

    def __init__(self, config: DramConfig) -> None:
        self.t, self.config = config.timing, config
        self.several_groups = config.dram_structure.bankgroups > 1
        self.found: list[str] = []
        #: Cycle of the last command of a kind to a bank, group, or rank.
        self.last: dict[tuple[object, ...], int] = {}
        self.rows: dict[tuple[int, int, int], int] = {}
        self.window: dict[int, deque[int]] = defaultdict(lambda: deque(maxlen=4))
        #: First and last cycle behind the newest burst, its rank, and whether it was a write.
        self.burst: tuple[int, int, int, bool] | None = None
        self.refreshed: dict[int, list[int]] = defaultdict(list)

    def judge(self, commands: list[Command]) -> list[str]:
        before = -1
        for cycle, kind, _, rank, group, bank, row, _ in commands:
            self._expect(cycle > before, cycle, "one command a cycle")
            before = cycle
            getattr(self, kind)(cycle, rank, group, bank, row)
        interval = self.t.tREFI
        for rank, cycles in self.refreshed.items():
            # The first falls due before the first interval ends, each later one an interval behind the one before.
            for number, cycle in enumerate(cycles, 1):
                self._expect(cycle < (number + 1) * interval, cycle, f"refresh {number} of rank {rank} in time")
                self._expect(cycle >= (number - 1) * interval, cycle, f"refresh {number} of rank {rank} not early")
        return self.found

    def _expect(self, holds: bool, cycle: int, rule: str) -> None:
        if not holds:
            self.found.append(f"cycle {cycle}: {rule}")

    def _apart(self, cycle: int, key: tuple[object, ...], least: int, rule: str) -> None:
        self._expect(cycle - self.last.get(key, -(1 << 30)) >= least, cycle, rule)

    def activate(self, cycle: int, rank: int, group: int, bank: int, row: int) -> None:
        t, place = self.t, (rank, group, bank)
        self._expect(place not in self.rows, cycle, "activate a closed bank")
        self._apart(cycle, ("precharge", *place), t.tRP, "tRP")
        self._apart(cycle, ("activate", *place), t.tRAS + t.tRP, "tRC")
        self._apart(cycle, ("activate", rank), t.tRRD_S, "tRRD_S")
        if self.several_groups:
            self._apart(cycle, ("activate", rank, group), t.tRRD_L, "tRRD_L")
        self._apart(cycle, ("refresh", rank), t.tRFC, "tRFC")
        window = self.window[rank]
        self._expect(len(window) < 4 or cycle - window[0] >= t.tFAW, cycle, "tFAW")
        window.append(cycle)
        self.rows[place] = row
        for key in (place, (rank, group), (rank,)):
            self.last["activate", *key] = cycle

    def precharge(self, cycle: int, rank: int, group: int, bank: int, row: int) -> None:
        t, place = self.t, (rank, group, bank)
        self._expect(place in self.rows, cycle, "precharge an open bank")
        self.rows.pop(place, None)
        self._apart(cycle, ("activate", *place), t.tRAS, "tRAS")
        self._apart(cycle, ("read", *place), t.AL + t.tRTP, "tRTP")
        self._apart(cycle, ("write", *place), t.AL + t.CWL + self.config.burst_cycles + t.tWR, "tWR")
        if self.config.dram_structure.protocol == "LPDDR4":
            self._apart(cycle, ("precharge", rank), t.tPPD, "tPPD")
        self.last["precharge", *place] = self.last["precharge", rank] = cycle

    def read(self, cycle: int, rank: int, group: int, bank: int, row: int) -> None:
        t = self.t
        behind = t.AL + t.CWL + self.config.burst_cycles
        self._apart(cycle, ("write", rank), behind + t.tWTR_S, "tWTR_S")
        if self.several_groups:
            self._apart(cycle, ("write", rank, group), behind + t.tWTR_L, "tWTR_L")
        self._column("read", cycle, rank, group, bank, row, t.AL + t.CL)

    def write(self, cycle: int, rank: int, group: int, bank: int, row: int) -> None:
        self._column("write", cycle, rank, group, bank, row, self.t.AL + self.t.CWL)

    def _column(self, kind: str, cycle: int, rank: int, group: int, bank: int, row: int, latency: int) -> None:
        t, place = self.t, (rank, group, bank)
        self._expect(self.rows.get(place) == row, cycle, f"{kind} from the open row")
        self._apart(cycle, ("activate", *place), t.tRCD - t.AL, "tRCD")
        self._apart(cycle, (kind, rank), t.tCCD_S, "tCCD_S")
        if self.several_groups:
            self._apart(cycle, (kind, rank, group), t.tCCD_L, "tCCD_L")
        start, is_write = cycle + latency, kind == "write"
        if self.burst:
            _, end, other, wrote = self.burst
            # Who drives the bus changes with its direction, and between reads of two ranks.
            turns = wrote != is_write or (not is_write and other != rank)
            self._expect(start >= end + (t.tRTRS if turns and not (wrote and other == rank) else 0), cycle, "data bus")
        self.burst = start, start + self.config.burst_cycles, rank, is_write
        for key in (place, (rank, group), (rank,)):
            self.last[kind, *key] = cycle

    def refresh(self, cycle: int, rank: int, group: int, bank: int, row: int) -> None:
        self._expect(all(place[0] != rank for place in self.rows), cycle, "refresh with all banks closed")
        for key, last in self.last.items():
            if key[0] == "precharge" and len(key) == 4 and key[1] == rank:
                self._expect(cycle - last >= self.t.tRP, cycle, "tRP before a refresh")
        self._apart(cycle, ("refresh", rank), self.t.tRFC, "tRFC between refreshes")
        self.last["refresh", rank] = cycle
        self.refreshed[rank].append(cycle)
