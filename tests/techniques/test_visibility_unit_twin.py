"""The Visibility unit, cycle by cycle on random accesses: the sort's before the pass's tiles, then each edge's.

The unit is ticked when it is due, and sometimes in between; the twin in every cycle.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import Any

import numpy as np
import pytest
from plain_caches import Cache
from plain_kernels import Row, run_plainly

from gpumodel.techniques.vro import unit as visibility
from gpumodel.techniques.vro.config import EDGES_RING
from gpumodel.techniques.vro.graph import ENDED, NO_ACCESS
from gpumodel.units.cache import BLOCKED, HIT
from gpumodel.units.events import BUSY, DATA, IDLE, NEVER, RESOURCE

UNIT, MATCHER, FETCHER, RASTER = 20, 50, 60, 70
LATENCY = 4
GRAPH_LINE = 1000
COUNTED = ("sort_cycles", "sort_wait_cycles", "inserter_cycles", "inserter_accesses")


class Bench:
    """Graph Cache, edges that come, and what each of them asks for."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        size = (int(rng.integers(1, 4)), int(rng.integers(2, 9)))
        self.cache, self.plain_cache = Cache(*size), Cache(*size)
        self.c = Row(latency=int(rng.integers(1, 4)), fill_count=0, fill_head=0, fill_time=[0])
        #: Accesses of the sort, and of each edge; an edge may end in a step without one.
        self.sort = [self.access() for _ in range(int(rng.integers(0, 12)))]
        self.edges = [[self.access() for _ in range(int(rng.integers(0, 5)))] for _ in range(40)]
        self.ends_late = rng.integers(0, 2, 40).tolist()
        self.can_write = True
        self.given = 0
        self.own = Row(
            cache=0, graph_line=GRAPH_LINE, sorting=int(rng.integers(2)), sort_begin=7, matcher=MATCHER,
            sort_since=int(rng.choice([-1, 15])), access=ENDED, waiting=0, ready=0, insert_phase=0, queue_count=0,
            queue_head=EDGES_RING - 3, queue_depth=int(rng.integers(1, 5)), queue=[-1] * EDGES_RING,
            queue_ready=[0] * EDGES_RING, pending=[-1] * 60, pending_count=0, **dict.fromkeys(COUNTED, 0),
        )  # fmt: skip
        self.s = Row(now=20, l1=[self.c], cfg=Row(raster_units=2), ru=[Row(u_enter=RASTER + k) for k in range(2)],
                     frame=[Row(u_fetch_tiles=FETCHER)])  # fmt: skip
        self.wake = 20
        self.told: list[int] = []
        self.did: list[tuple[Any, ...]] = []
        self.does: list[tuple[Any, ...]] = []
        self.left = deque(self.sort)
        self.at_hand: deque[int] = deque()
        self.edge = 0

    def access(self) -> int:
        return int(self.rng.choice([NO_ACCESS, *range(16)]))

    # What the unit calls.

    def sort_step(self, own: Row) -> int:
        return self.left.popleft() if self.left else ENDED

    def insert_step(self, own: Row) -> int:
        """An edge leaves the queue as it is begun, and is done with its last access, or behind it."""
        if own.insert_phase == 0:
            if own.queue_count == 0:
                return ENDED
            edge = own.queue[own.queue_head]
            own.queue_head = (own.queue_head + 1) % EDGES_RING
            own.queue_count -= 1
            self.at_hand, self.edge = deque(self.edges[edge]), edge
        if not self.at_hand:
            own.insert_phase = 0
            return ENDED
        access = self.at_hand.popleft()
        own.insert_phase = int(bool(self.at_hand or self.ends_late[self.edge]))
        return access

    def read(self, s: Any, c: Row, line: int, waiters: int) -> int:
        found = self.cache.read(line - GRAPH_LINE, waiters)
        if found != BLOCKED:
            self.did.append(("read", s.now, line - GRAPH_LINE))
        return found

    def write(self, s: Any, c: Row, line: int) -> int:
        if not self.can_write:
            return BLOCKED
        self.did.append(("write", s.now, line - GRAPH_LINE))
        return HIT

    def fill(self, s: Any, c: Row) -> int:
        waiters = self.cache.take()
        self.show_fills()
        return waiters

    def show_fills(self) -> None:
        self.c.fill_count, self.c.fill_time[0] = len(self.cache.fills), self.cache.due()

    # What the units around do.

    def before(self) -> None:
        now, rng = self.s.now, self.rng
        if self.cache.asked and rng.random() < 0.4:
            for cache in (self.cache, self.plain_cache):
                cache.fills.append((now + LATENCY, cache.asked.popleft()))
            self.show_fills()
            self.wake = min(self.wake, now + LATENCY)
        if rng.random() < 0.1:
            self.can_write = not self.can_write
            self.wake = now
        if rng.random() < 0.02 and not self.cache.misses:
            # A pass before has left a miss that nobody waits for.
            line = int(rng.integers(8, 16))
            for cache in (self.cache, self.plain_cache):
                cache.read(line, 0)

    def after(self, plain: Plain) -> None:
        """Early-Z finds edges: into the queue while there is room, else all of them wait."""
        own, now = self.own, self.s.now
        for _ in range(int(self.rng.integers(1, 4)) if self.rng.random() < 0.15 and not own.pending_count else 0):
            if self.given == len(self.edges):
                return
            if own.queue_count < own.queue_depth and not own.pending_count:
                at = (own.queue_head + own.queue_count) % EDGES_RING
                own.queue[at], own.queue_ready[at] = self.given, now + 1
                own.queue_count += 1
                plain.queue.append((self.given, now + 1))
                self.wake = min(self.wake, now + 1)
            else:
                own.pending[own.pending_count] = self.given
                own.pending_count += 1
                plain.pending.append(self.given)
            self.given += 1


class Plain:
    """One access at a time."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.cache = bench, bench.plain_cache
        self.sort: deque[int] | None = deque(bench.sort) if bench.own.sorting else None
        self.queue: deque[tuple[int, int]] = deque()
        self.pending: deque[int] = deque()
        self.edge: deque[int] | None = None
        self.due: int | None = None
        self.is_waiting = False
        self.ready = 0
        #: Since when a tile waits for the order.
        self.since = bench.own.sort_since
        self.count: Counter[str] = Counter()
        self.told: list[int] = []

    def next_access(self, now: int) -> int | None:
        own = self.bench.own
        if self.sort is not None:
            if self.sort:
                return self.sort.popleft()
            self.sort = None
            self.count["sort_cycles"] += now - own.sort_begin
            self.count["sort_wait_cycles"] += now - self.since if self.since >= 0 else 0
            self.told += [MATCHER, FETCHER]
        while True:
            if self.edge is None:
                if not self.queue or self.queue[0][1] > now:
                    return None
                self.edge = deque(self.bench.edges[self.queue.popleft()[0]])
                if self.pending:
                    self.queue.append((self.pending.popleft(), now + 1))
                    self.told += [] if self.pending else [RASTER, RASTER + 1]
            if self.edge:
                return self.edge.popleft()
            self.edge = None

    def tick(self, now: int) -> int:
        self.told = []
        if self.cache.due() <= now and self.cache.take():
            self.is_waiting = False
        if self.is_waiting:
            return DATA
        if now < self.ready:
            return BUSY
        if self.due is None:
            self.due = self.next_access(now)
        if self.due is None:
            return IDLE
        cycles = 1
        if self.due != NO_ACCESS:
            line, is_write = divmod(self.due, 2)
            found = self.cache.read(line, 1) if not is_write else HIT if self.bench.can_write else BLOCKED
            if found == BLOCKED:
                return RESOURCE
            self.bench.does.append(("write" if is_write else "read", now, line))
            if not is_write:
                cycles, self.is_waiting = self.bench.c.latency, found != HIT
        if self.sort is None:
            self.count["inserter_cycles"] += 1
            self.count["inserter_accesses"] += self.due != NO_ACCESS
        self.due, self.ready = None, now + cycles
        return BUSY


@pytest.mark.parametrize("seed", range(4))
def test_accesses_of_sort_and_edges(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """An access a cycle when it hits; a miss and a full cache hold up; edges enter the queue as room comes, and Early-Z
    goes on when none is left beside it; whoever waits for the order is told of its end.
    """
    run_plainly(monkeypatch, visibility)
    rng = np.random.default_rng(seed)
    seen: Counter[int] = Counter()
    for _ in range(25):
        bench = Bench(rng)
        plain = Plain(bench)
        own, s, state = bench.own, bench.s, [IDLE]
        for name, value in {
            "vro": lambda at, own=own: own, "sort_step": bench.sort_step, "insert_step": bench.insert_step,
            "l1_read": bench.read, "l1_write": bench.write, "l1_fill": bench.fill,
            "fill_due": lambda s, c, bench=bench: int(bench.cache.due() <= s.now),
            "account": lambda s, unit, found, state=state: state.__setitem__(0, found),
            "notify": lambda s, me, unit, bench=bench: bench.told.append(unit),
        }.items():  # fmt: skip
            monkeypatch.setattr(visibility, name, value)
        for s.now in range(20, 220):
            bench.before()
            bench.told = []
            if bench.wake <= s.now or rng.random() < 0.05:
                bench.wake = NEVER
                following = visibility.tick_visibility(s, 0, UNIT, 0, 0, 0)
                assert following > s.now
                bench.wake = min(bench.wake, following)
            found = plain.tick(s.now)
            assert (state, bench.did, bench.told) == ([found], bench.does, plain.told)
            assert own.sorting == (plain.sort is not None)
            held = [own.queue[(own.queue_head + k) % EDGES_RING] for k in range(own.queue_count)]
            assert held == [edge for edge, _ in plain.queue]
            assert own.pending[: own.pending_count] == [*plain.pending]
            bench.after(plain)
            seen[found] += 1
        assert {name: own[name] for name in COUNTED} == {name: plain.count[name] for name in COUNTED}
    assert min(seen[one] for one in (BUSY, IDLE, DATA, RESOURCE)) > 5
