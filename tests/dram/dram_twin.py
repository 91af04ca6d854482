"""Plain twin of the DRAM model: objects and lists, one cycle after the other, no event times.

Follows the description of the controller (simulators.md 2.3, docs/DRAM.md), not the kernels.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from gpumodel.memory.dram.config import DramConfig

CAP = 4  # columns on an open row before an older request to another row may close it
DRAIN_ABOVE = 8


@dataclass
class Request:
    number: int
    cycle: int
    write: bool
    address: int
    issue: int = -1
    done: int = -1
    merged: list[Request] = field(default_factory=list)


class Bank:
    def __init__(self) -> None:
        self.row: int | None = None
        self.hits = 0
        self.earliest: Counter[str] = Counter()
        self.queue: list[Request] = []

    def wanted(self, request: Request, row: int) -> str:
        if self.row is None:
            return "activate"
        if self.row != row:
            return "precharge"
        return "write" if request.write else "read"


class Channel:
    def __init__(self, twin: Twin, number: int) -> None:
        self.twin, self.number = twin, number
        config = twin.config
        self.banks = [Bank() for _ in range(config.ranks * config.banks)]
        self.reads: list[Request] = []
        self.writes: list[Request] = []
        self.turn = 0
        self.draining = 0
        self.refresh_waiting: list[int] = []
        self.next_refresh_rank = 0
        self.activates: list[list[int]] = [[] for _ in range(config.ranks)]
        self.stats: Counter[str] = Counter()

    # -- one cycle

    def tick(self, now: int) -> None:
        config = self.twin.config
        if now and now % (config.timing.tREFI // config.ranks) == 0:
            self.refresh_waiting.append(self.next_refresh_rank)
            self.next_refresh_rank = (self.next_refresh_rank + 1) % config.ranks
        issued = bool(self.refresh_waiting) and self._refresh(now)
        if not issued:
            self._command(now)
        for rank in range(config.ranks):
            is_open = any(bank.row is not None for bank in self._banks_of(rank))
            self.stats["active_cycles" if is_open else "idle_cycles"] += 1
        self._schedule()

    def _banks_of(self, rank: int) -> list[Bank]:
        size = self.twin.config.banks
        return self.banks[rank * size : (rank + 1) * size]

    def _refresh(self, now: int) -> bool:
        rank = self.refresh_waiting[0]
        size = self.twin.config.banks
        for k, bank in enumerate(self._banks_of(rank)):
            if bank.row is not None and now >= bank.earliest["precharge"]:
                self._issue(now, "precharge", rank * size + k, None)
                return True
        if all(bank.row is None and now >= bank.earliest["refresh"] for bank in self._banks_of(rank)):
            self._issue(now, "refresh", rank * size, None)
            self.refresh_waiting.pop(0)
            return True
        return False

    def _command(self, now: int) -> None:
        size = self.twin.config.banks
        count = len(self.banks)
        for step in range(1, count + 1):
            index = (self.turn + step) % count
            if self.refresh_waiting and index // size == self.refresh_waiting[0]:
                continue
            bank = self.banks[index]
            for place, request in enumerate(bank.queue):
                kind = self._ready(now, index, place, request)
                if kind:
                    if kind in ("read", "write"):
                        bank.queue.pop(place)
                    if kind == "precharge":
                        self.stats["conflicts"] += 1
                    self.turn = index
                    self._issue(now, kind, index, request)
                    return

    def _ready(self, now: int, index: int, place: int, request: Request) -> str | None:
        bank, twin = self.banks[index], self.twin
        row, column = twin.field(request, "ro"), twin.field(request, "co")
        kind = bank.wanted(request, row)
        if now < bank.earliest[kind]:
            return None
        if kind == "activate":
            window = self.activates[index // twin.config.banks]
            if len(window) >= 4 and now < window[-4] + twin.config.timing.tFAW:
                return None
        if kind == "precharge":
            if place > 0:
                return None
            hits_wait = any(twin.field(other, "ro") == bank.row for other in bank.queue)
            if hits_wait and bank.hits < CAP:
                return None
        if kind == "write":
            for other in bank.queue[:place]:
                if not other.write and (twin.field(other, "ro"), twin.field(other, "co")) == (row, column):
                    return None
        return kind

    def _issue(self, now: int, kind: str, index: int, request: Request | None) -> None:
        twin = self.twin
        t, burst = twin.config.timing, twin.config.burst_cycles
        size = twin.config.banks
        group_size = twin.config.dram_structure.banks_per_group
        rank, group, bank = index // size, index // group_size, self.banks[index]
        row = twin.field(request, "ro") if request else -1
        column = twin.field(request, "co") if request else -1
        twin.log.append((now, kind, self.number, rank, group % twin.config.dram_structure.bankgroups,
                         index % group_size, row, column))  # fmt: skip
        self.stats[kind] += 1
        if kind in ("read", "write"):
            self.stats[kind + "_hits"] += bank.hits > 0
            bank.hits += 1
        if kind == "read":
            assert request
            for one in (request, *request.merged):
                one.done = now + t.AL + t.CL + burst
        single = twin.config.dram_structure.bankgroups == 1
        ccd = t.tCCD_S if single else t.tCCD_L
        wtr = t.tWTR_S if single else t.tWTR_L
        rrd = t.tRRD_S if single else t.tRRD_L
        rl, wl = t.AL + t.CL, t.AL + t.CWL
        for k, other in enumerate(self.banks):
            after: dict[str, int] = {}
            same_rank, same_group = k // size == rank, k // group_size == group
            if kind == "read" and same_rank:
                after = {"read": max(burst, ccd if same_group else t.tCCD_S), "write": rl + burst - wl + t.tRTRS}
            elif kind == "read":
                after = {"read": burst + t.tRTRS, "write": rl + burst - wl + t.tRTRS}
            elif kind == "write" and same_rank:
                after = {"write": max(burst, ccd if same_group else t.tCCD_S),
                         "read": wl + burst + (wtr if same_group else t.tWTR_S)}  # fmt: skip
            elif kind == "write":
                after = {"write": burst, "read": wl + burst + t.tRTRS - rl}
            elif kind == "activate" and same_rank and k != index:
                after = {"activate": rrd if same_group else t.tRRD_S}
            elif kind == "precharge" and same_rank and k != index:
                if twin.config.dram_structure.protocol == "LPDDR4":
                    after = {"precharge": t.tPPD}
            elif kind == "refresh" and same_rank:
                after = {"refresh": t.tRFC, "activate": t.tRFC}
            if k == index:
                after |= {
                    "read": {"precharge": t.AL + t.tRTP},
                    "write": {"precharge": wl + burst + t.tWR},
                    "activate": {"activate": t.tRAS + t.tRP, "precharge": t.tRAS, "read": t.tRCD - t.AL,
                                 "write": t.tRCD - t.AL},
                    "precharge": {"activate": t.tRP, "refresh": t.tRP},
                    "refresh": {},
                }[kind]  # fmt: skip
            for name, delay in after.items():
                other.earliest[name] = max(other.earliest[name], now + delay)
        if kind == "activate":
            bank.row = row
            self.activates[rank].append(now)
        elif kind == "precharge":
            bank.row, bank.hits = None, 0

    # -- queues

    def _schedule(self) -> None:
        config = self.twin.config
        queues_empty = not any(bank.queue for bank in self.banks)
        if not self.draining and (
            len(self.writes) >= config.system.trans_queue_size or (len(self.writes) > DRAIN_ABOVE and queues_empty)
        ):
            self.draining = len(self.writes)
        source = self.writes if self.draining else self.reads
        if source is self.writes:
            first = self._first_that_fits(self.writes)
            if first is None:
                return
            if self._pending(first.address, write=False):
                self.draining = 0
                if not queues_empty:
                    return
                source = self.reads  # nothing else could ever move
            else:
                self.draining -= 1
        first = self._first_that_fits(source)
        if first is not None:
            source.remove(first)
            self.banks[self.twin.bank_of(first)].queue.append(first)

    def _first_that_fits(self, queue: list[Request]) -> Request | None:
        depth = self.twin.config.system.cmd_queue_size
        return next((r for r in queue if len(self.banks[self.twin.bank_of(r)].queue) < depth), None)

    def _pending(self, address: int, write: bool) -> Request | None:
        waiting = [*(self.writes if write else self.reads), *(r for bank in self.banks for r in bank.queue)]
        return next((r for r in waiting if r.write == write and r.address == address), None)

    def accept(self, request: Request, now: int) -> bool:
        queue = self.writes if request.write else self.reads
        if len(queue) >= self.twin.config.system.trans_queue_size:
            return False
        request.issue = now + 1
        if request.write:
            if not self._pending(request.address, write=True):
                queue.append(request)
            request.done = now + 2
        elif self._pending(request.address, write=True):
            request.done = now + 2
        elif before := self._pending(request.address, write=False):
            before.merged.append(request)
        else:
            queue.append(request)
        return True


class Twin:
    """Runs (cycle, is write, address) requests; afterwards ``requests``, ``log``, ``stats`` and ``cycles`` hold all."""

    def __init__(self, config: DramConfig, requests: list[tuple[int, bool, int]]) -> None:
        self.config = config
        self.fields = config.address_fields
        self.requests = [Request(k, *one) for k, one in enumerate(requests)]
        self.log: list[tuple[Any, ...]] = []
        self.channels = [Channel(self, k) for k in range(config.system.channels)]
        now = following = 0
        while True:
            for channel in self.channels:
                channel.tick(now)
            if following < len(self.requests):
                request = self.requests[following]
                if request.cycle <= now and self.channels[self.field(request, "ch")].accept(request, now):
                    following += 1
            elif all(0 <= r.done <= now for r in self.requests):
                break
            now += 1
        self.cycles = now + 1
        self.stats = sum((channel.stats for channel in self.channels), Counter())

    def field(self, request: Request, name: str) -> int:
        lowest, width = self.fields[name]
        address, interleave = request.address, self.config.system.interleave_bytes
        if interleave is not None and name != "ch":
            turn = interleave * self.config.system.channels
            address = address // turn * interleave + address % interleave
        return address >> lowest & (1 << width) - 1

    def bank_of(self, request: Request) -> int:
        structure = self.config.dram_structure
        group = self.field(request, "ra") * structure.bankgroups + self.field(request, "bg")
        return group * structure.banks_per_group + self.field(request, "ba")
