"""DR's HSR front, cycle by cycle on random lists, against lists of requests: which tile it takes when, and how it
shares the Tile Cache's port. The unit is ticked when it is due, and sometimes in between; the twin in every cycle.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import Any

import numpy as np
import pytest
from plain_caches import Cache
from plain_kernels import Row, run_plainly

from gpumodel.techniques.dr import front
from gpumodel.units import cost_owners
from gpumodel.units.cache import BLOCKED, HIT
from gpumodel.units.events import BUSY, DATA, DEPENDENCY, IDLE, NEVER, QUEUE, RESOURCE
from gpumodel.units.tile_fetch import BESIDE_SLOT

UNIT, FETCHER = 50, 60
LATENCY = 4
COST_FIRST = 100
ATTRIBUTE_BYTES = 48
COUNTED = (
    "hsr_requests", "hsr_yields", "hsr_attributes", "hsr_tiles", "hsr_cycles", "hsr_fetch_cycles", "hsr_wasted",
)  # fmt: skip


class Bench:
    """Tiles, and all that is around the front."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        pairs: list[Row] = []
        self.tiles: list[Row] = []
        for tile in range(6):
            first = len(pairs)
            pairs += [
                Row(
                    tile=tile, entries=1, attributes=int(rng.choice([0, 1, 2, 4])), draw=int(rng.integers(9)),
                    attribute_address=16 * int(rng.integers(40)), pointer_line=int(rng.integers(30)),
                    link_line=int(rng.choice([-1, -1, 0, 7])),
                )
                for _ in range(int(rng.choice([0, 1, 3])))
            ]  # fmt: skip
            self.tiles.append(Row(
                pair_first=first, pair_count=len(pairs) - first, render=int(rng.random() < 0.8), pairs_left=0, live=0,
                start=-1, end=-1,
            ))  # fmt: skip
        filters = int(rng.integers(2))
        ring = [0] * 16
        self.own = Row(
            active=1, sequential=int(rng.integers(2)), filters=filters, skips=rng.integers(0, 2, 6).tolist(), phase=0,
            tile=-1, wanted=-1, begin=0, pair=0, pair_end=0, entries=int(rng.integers(1, 6)), head=0, count=0,
            position_only=int(rng.integers(2)), seen=0, set=0, entry_pair=[*ring], entry_step=[*ring],
            entry_attribute=[*ring], entry_attribute_line=[*ring], entry_ready=[*ring], entry_since=[*ring],
            **dict.fromkeys(COUNTED, 0),
        )  # fmt: skip
        self.g = Row(
            pairs=pairs, tiles=self.tiles, tile_end=6, phase=0, beside_works=0, beside_waits=0, beside_port=-1,
            fetch_requests=0, tile_cache=0, u_fetch_tiles=FETCHER, attribute_slot=-1,
            pointer_state=0, fetch_state=0, fetch_missing=0, fetch_ready=0, attributes_fetched=0,
            cost_first=COST_FIRST, cost_shared=0,
        )  # fmt: skip
        self.ru = Row(front=-1, in_flight_count=0)
        self.main = Row(depth_tile=-1)
        self.c = Row(latency=int(rng.integers(1, 5)), who=-1)
        self.s = Row(now=20, frame=[self.g], ru=[self.main, self.ru], l1=[self.c], costs=Row(count=1))
        size = (int(rng.integers(1, 5)), int(rng.integers(2, 12)))
        self.cache, self.plain_cache = Cache(*size), Cache(*size)
        self.most = self.room = int(rng.integers(1, 4))
        self.pace = float(rng.choice([0.4, 0.05]))
        self.wake = 20
        self.did: list[tuple[Any, ...]] = []
        self.does: list[tuple[Any, ...]] = []
        #: Tells the twin who waited for a line that has come.
        self.filled: Any = None

    def rendered(self, tile: int) -> bool:
        """Whether the front works on a tile at all."""
        return bool(self.tiles[tile].render and not (self.own.filters and self.own.skips[tile]))

    # What the unit calls.

    def read(self, s: Any, c: Row, line: int, waiters: int) -> int:
        found = self.cache.read(int(line), int(waiters))
        if found != BLOCKED:
            self.did.append(("read", s.now, int(line), c.who))
        return found

    def push(self, s: Any, ru: Row, pair: int, since: int, me: int) -> int:
        if self.room == 0:
            return 0
        self.room -= 1
        self.did.append(("push", s.now, pair, int(since)))
        return 1

    def begin_tile(self, s: Any, g: Any, ru: Row, tile: int) -> None:
        assert ru.front == tile
        self.did.append(("tile", s.now, tile, self.own.set))

    # What the units around do.

    def before(self) -> None:
        s, g, rng, now = self.s, self.g, self.rng, self.s.now
        if g.phase == 0 and rng.random() < 0.2:
            g.phase = 1
            self.wake = now
        if self.cache.asked and rng.random() < 0.5:
            for cache in (self.cache, self.plain_cache):
                cache.fills.append((now + LATENCY, cache.asked.popleft()))
        for name, values in (
            ("attribute_slot", (-1, -1, 0)), ("pointer_state", (0, 0, 0, 1, 2, 3)), ("fetch_state", range(9)),
            ("fetch_missing", (0, 1)), ("fetch_ready", (0, now + 1)),
        ):  # fmt: skip
            g[name] = int(rng.choice(values))
        g.fetch_requests += int(rng.random() < 0.3)
        self.around(self.own, s)

    def around(self, own: Row, s: Any) -> None:
        """The rasterizer behind the front, and the tiles that are rendered."""
        rng, now = self.rng, s.now
        if own.tile >= 0 and own.phase == 1:
            t = self.tiles[own.tile]
            if self.room < self.most and rng.random() < self.pace:
                self.room += 1
                t.live += 1
                t.pairs_left -= 1
                self.wake = now
            if t.live and rng.random() < 0.4:
                t.live -= 1
                self.ru.in_flight_count = int(rng.integers(2))
                self.wake = now
            if self.ru.in_flight_count and rng.random() < 0.5:
                self.ru.in_flight_count = 0
                self.wake = now
        if own.phase == 2 and own.tile >= 0:
            t = self.tiles[own.tile]
            choice = rng.random()
            if choice < 0.1 and t.start < 0:
                t.start = now
                self.main.depth_tile = own.tile
                self.wake = now
            elif choice < 0.2 and t.start >= 0:
                t.end = now
                self.wake = now
        if rng.random() < 0.1:
            # The scheduler comes to a tile.
            own.wanted = max(own.wanted, int(rng.integers(6)))
            self.wake = now

    def after(self) -> None:
        """The Tile Fetcher, behind the unit, takes a fill."""
        if self.cache.due() <= self.s.now:
            waiters = self.cache.take()
            self.plain_cache.take()
            self.g.beside_waits &= ~(waiters >> BESIDE_SLOT)
            self.wake = self.s.now + 1
            self.filled(waiters)


class Entry:
    """A primitive under way."""

    def __init__(self, slot: int, pair: int, lines: list[int], now: int) -> None:
        self.slot, self.pair, self.since, self.ready = slot, pair, now, now
        self.lines = deque(lines)
        self.is_waiting = False


class Plain:
    """The front."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.cache = bench, bench.plain_cache
        self.state, self.tile, self.set = "idle", -1, 0
        self.left: deque[int] = deque()
        self.entries: deque[Entry] = deque()
        self.entered = self.seen = self.begin = 0
        self.count: Counter[str] = Counter()

    def may_go_on(self) -> bool:
        own, tiles = self.bench.own, self.bench.tiles
        if self.state == "idle":
            return bool(own.wanted >= 0)
        t = tiles[self.tile]
        if t.start < 0:
            self.count["hsr_wasted"] += own.wanted > self.tile
            return bool(own.wanted > self.tile)
        return bool(t.end >= 0 or (not own.sequential and self.bench.main.depth_tile == self.tile))

    def lines_of(self, pair: int) -> list[int]:
        row = self.bench.g.pairs[pair]
        lines = [row.link_line] if row.link_line >= 0 else []
        lines.append(row.pointer_line)
        for k in range(min(row.attributes, 1) if self.bench.own.position_only else row.attributes):
            start = row.attribute_address + k * ATTRIBUTE_BYTES
            lines += range(start // 64, (start + ATTRIBUTE_BYTES - 1) // 64 + 1)
            self.count["hsr_attributes"] += 1
        return lines

    def fetcher_wants(self, now: int) -> bool:
        """Either Tile Fetcher: with a register that holds a request, or at a step that makes one."""
        g = self.bench.g
        registers = g.attribute_slot >= 0 or g.pointer_state in (1, 2)
        return bool(registers or (g.fetch_state in (3, 4, 5) and not g.fetch_missing and g.fetch_ready <= now))

    def send(self, entry: Entry, now: int, asked: int) -> bool:
        """By turns with the fetcher, where that wants the port, too."""
        if asked == self.seen and self.fetcher_wants(now):
            self.count["hsr_yields"] += 1
            return False
        found = self.cache.read(entry.lines[0], 1 << BESIDE_SLOT + entry.slot)
        if found == BLOCKED:
            return False
        draw = self.bench.g.pairs[entry.pair].draw
        self.bench.does.append(("read", now, entry.lines.popleft(), COST_FIRST + draw))
        self.seen = asked + 1
        self.count["hsr_requests"] += 1
        entry.is_waiting, entry.ready = found != HIT, now + self.bench.c.latency
        return True

    def begin_next(self, now: int) -> bool:
        bench = self.bench
        first = max(self.tile + 1, bench.own.wanted)
        tile = next((tile for tile in range(first, 6) if bench.rendered(tile)), None)
        if tile is None:
            return False
        self.state, self.tile, self.begin = "works", tile, now
        self.set ^= not bench.own.sequential
        t = bench.tiles[tile]
        self.left = deque(range(t.pair_first, t.pair_first + t.pair_count))
        bench.does.append(("tile", now, tile, self.set))
        return True

    def tick(self, now: int, asked: int, room: int, works: tuple[int, int, int]) -> int:
        """State; with the fetchers' requests, the Tile Queue's room, and what is under way, as they were."""
        if not self.bench.g.phase:
            return IDLE
        if self.state != "works":
            if self.may_go_on() and self.begin_next(now):
                return BUSY
            return DEPENDENCY if self.state == "done" else IDLE
        if not self.left and not self.entries and works == (0, 0, 0):
            self.state = "done"
            self.count["hsr_tiles"] += 1
            self.count["hsr_cycles"] += now - self.begin
            return BUSY
        worked, is_full = False, False
        oldest = self.entries[0] if self.entries else None
        if oldest and not oldest.lines and not oldest.is_waiting and oldest.ready <= now:
            if room:
                self.entries.popleft()
                self.bench.does.append(("push", now, oldest.pair, oldest.since))
                self.count["hsr_fetch_cycles"] += now - oldest.since
                worked = True
            else:
                is_full = True
        if self.left and len(self.entries) < self.bench.own.entries:
            pair = self.left.popleft()
            slot = self.entered % self.bench.own.entries
            self.entries.append(Entry(slot, pair, self.lines_of(pair), now))
            self.entered += 1
            worked = True
        wants = next((e for e in self.entries if e.lines and not e.is_waiting and e.ready <= now), None)
        if wants and self.send(wants, now, asked):
            worked = True
        if worked:
            return BUSY
        if wants:
            return RESOURCE
        if any(not e.is_waiting and e.ready > now for e in self.entries):
            return BUSY
        if is_full:
            return QUEUE
        return DATA if any(e.is_waiting for e in self.entries) else DEPENDENCY


@pytest.mark.parametrize("seed", range(4))
def test_hidden_surfaces_of_a_tile_ahead(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """The next tile that is rendered, when the one before allows it; its primitives the oldest first, a request a cycle
    by turns with the Tile Fetcher, handed over in order.
    """
    run_plainly(monkeypatch, front, cost_owners)
    rng = np.random.default_rng(seed)
    seen: Counter[int] = Counter()
    for _ in range(20):
        bench = Bench(rng)
        own, s, g, state = bench.own, bench.s, bench.g, [IDLE]
        plain = Plain(bench)

        def filled(waiters: int, plain: Plain = plain) -> None:
            for entry in plain.entries:
                entry.is_waiting &= not waiters >> BESIDE_SLOT + entry.slot & 1

        bench.filled = filled
        for name, value in {
            "account": lambda s, unit, one, state=state: state.__setitem__(0, one), "notify": lambda s, me, unit: None,
            "l1_read": bench.read, "push_pair": bench.push, "begin_tile": bench.begin_tile,
            "clear_tags": lambda s, own, tile: None,
        }.items():  # fmt: skip
            monkeypatch.setattr(front, name, value)
        for s.now in range(20, 400):
            bench.before()
            asked, room = g.fetch_requests, bench.room
            t = bench.tiles[own.tile]
            works = (t.pairs_left, t.live, bench.ru.in_flight_count)
            if bench.wake <= s.now or rng.random() < 0.05 or state[0] in (RESOURCE, DEPENDENCY):
                bench.wake = NEVER
                following = front.fetch_hsr(s, own, UNIT, 1)
                assert following > s.now
                bench.wake = min(bench.wake, following)
            found = plain.tick(s.now, asked, room, works)
            assert (state, bench.did) == ([found], bench.does), s.now
            assert (own.phase, own.tile) == (("idle", "works", "done").index(plain.state), plain.tile)
            assert g.beside_works == (plain.state == "works")
            assert own.count == len(plain.entries)
            reads = [one for one in bench.did[-2:] if one[:2] == ("read", s.now)]
            assert (g.beside_port == s.now) == bool(reads)
            seen[found] += 1
            bench.after()
        names = [name for name in COUNTED if name != "hsr_attributes" or not plain.entries]
        assert {name: own[name] for name in names} == {name: plain.count[name] for name in names}
        assert g.fetch_requests >= own.hsr_requests
    assert min(seen[one] for one in (BUSY, IDLE, DATA, RESOURCE, DEPENDENCY, QUEUE)) > 5
