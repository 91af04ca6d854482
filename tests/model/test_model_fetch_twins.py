"""Both Tile Fetchers, cycle by cycle on random lists of tiles: one request after the other, and the thesis's four
stages. The unit is ticked when it is due, and sometimes in between; the twin in every cycle.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from plain_caches import Cache
from plain_kernels import Row, run_plainly

from gpumodel.units import cost_owners, tile_fetch, tile_fetch_pipelined
from gpumodel.units.cache import BLOCKED, HIT
from gpumodel.units.capacity import MAX_TABLE_ENTRIES
from gpumodel.units.events import BUSY, DATA, DEPENDENCY, IDLE, NEVER, QUEUE, RESOURCE
from gpumodel.units.tile_fetch import BESIDE_SLOT, RASTER_DONE, RASTER_IN, RASTER_WAITS

LATENCY = 4
FETCHER, BESIDE = 60, 50
COST_FIRST = 100
ATTRIBUTE_BYTES = 48


def pair_requests(pair: Row) -> list[int]:
    """Lines of a list entry: of its block's link, of its pointer, of its attributes one by one."""
    lines = [pair.link_line] if pair.link_line >= 0 else []
    lines.append(pair.pointer_line)
    for k in range(pair.attributes):
        start = pair.attribute_address + k * ATTRIBUTE_BYTES
        lines += range(start // 64, (start + ATTRIBUTE_BYTES - 1) // 64 + 1)
    return lines


class Bench:
    """A fetcher with what is around it, for the unit and for its twin."""

    def __init__(self, rng: np.random.Generator, pipelined: bool) -> None:
        self.rng = rng
        pairs: list[Row] = []
        self.tiles: list[range] = []
        for tile in range(6):
            first = len(pairs)
            pairs += [
                Row(
                    tile=tile, entries=int(rng.integers(1, 3)), attributes=int(rng.choice([0, 1, 2, 4])),
                    draw=int(rng.integers(9)), attribute_address=16 * int(rng.integers(40)),
                    pointer_line=int(rng.integers(30)), link_line=int(rng.choice([-1, -1, 0, 7])),
                )
                for _ in range(int(rng.choice([0, 1, 2, 5])))
            ]  # fmt: skip
            self.tiles.append(range(first, len(pairs)))
        tiles = [Row(pair_first=t.start, pair_count=len(t), raster_unit=int(rng.integers(2))) for t in self.tiles]
        ring = [0] * MAX_TABLE_ENTRIES
        table = {
            f"table_{name}": [*ring] for name in ("pair", "attribute", "attribute_line", "since")
        } | dict.fromkeys(
            ("table_head", "table_count", "table_ready", "table_done", "table_pointed", "table_fresh"), 0
        )  # fmt: skip
        self.units = [Row(number=k, pair_coming=0, u_tiles=FETCHER, loading=0, used=0) for k in range(2)]
        if rng.random() < 0.3:
            # Its tiles have logic of their own.
            self.units[0].u_tiles = 34
        self.g = Row(
            pairs=pairs, tiles=tiles, tile=0, tile_passed=0, fetch_state=0, fetch_pair=0, fetch_attribute=0,
            fetch_attribute_line=0, fetch_ready=0, fetch_missing=0, fetch_since=0, fetch_requests=0,
            attributes_fetched=0, u_fetch_tiles=FETCHER, u_beside=BESIDE, beside_waits=0, beside_port=-1, tile_cache=0,
            cost_first=COST_FIRST, cost_shared=0, pointer_state=0, pointer_slot=0, pointer_from=0, attribute_slot=-1,
            arrival=[*ring], arrival_time=[*ring], arrival_head=MAX_TABLE_ENTRIES - 2,
            arrival_count=0, table_entry_cycles=0, table_entry_since=20, **table,
        )  # fmt: skip
        self.g.table_head = 0
        size = (int(rng.integers(1, 5)), int(rng.integers(2, 12)))
        self.cache, self.plain_cache = Cache(*size), Cache(*size)
        self.c = Row(latency=int(rng.integers(1, 5)), who=-1, fill_count=0, fill_head=0, fill_time=[0])
        self.s = Row(
            frame=[self.g], ru=self.units, l1=[self.c], now=20, done=0, costs=Row(count=1), plugs=Row(),
            cfg=Row(table_entries=int(rng.choice([1, 2, 4, 8])), fetches_ahead=int(pipelined), raster_units=2),
        )  # fmt: skip
        #: Room in the Tile Queues, whether a tile may begin, pass or end, whether all is in memory.
        self.depth = int(rng.integers(3, 8))
        self.queues: list[deque[int]] = [deque(), deque()]
        #: Of the twin.
        self.used = [0, 0]
        self.is_open = self.may_test = self.may_end = self.is_over = self.has_begun = False
        self.salt = int(rng.integers(1000))
        self.wake = 20
        self.told: list[int] = []
        #: What the unit did, and what its twin does.
        self.did: list[tuple[Any, ...]] = []
        self.does: list[tuple[Any, ...]] = []
        self.filled = False

    def chance(self, *what: int) -> float:
        """What is as good as chance, but the same for the unit and its twin."""
        return hash((self.salt, *what)) % 1000 / 1000

    # What the unit calls.

    def read(self, s: Any, c: Row, line: int, waiters: int) -> int:
        found = self.cache.read(int(line), int(waiters))
        if found != BLOCKED:
            self.did.append(("read", s.now, int(line), c.who))
        return found

    def fill_due(self, s: Any, c: Row) -> int:
        return int(self.cache.due() <= s.now)

    def fill(self, s: Any, c: Row) -> int:
        waiters = self.cache.take()
        self.show_fills()
        return waiters

    def show_fills(self) -> None:
        self.c.fill_count = len(self.cache.fills)
        self.c.fill_time[0] = self.cache.due()

    def next_tile(self, s: Any, frame: int, me: int) -> int:
        g = self.g
        g.tile_passed = 0
        if g.tile == len(g.tiles):
            return RASTER_DONE
        if not self.is_open:
            return RASTER_WAITS
        if self.chance(g.tile) < 0.2:
            g.tile_passed = 1
            g.tile += 1
            return RASTER_WAITS
        self.did.append(("tile", s.now, g.tile))
        return RASTER_IN

    def push(self, s: Any, ru: Row, pair: int, since: int, me: int) -> int:
        if ru.used + self.g.pairs[pair].entries > self.depth:
            return 0
        ru.used += self.g.pairs[pair].entries
        self.queues[ru.number].append(pair)
        self.did.append(("push", s.now, ru.number, pair, int(since)))
        return 1

    def end(self, s: Any, frame: int) -> None:
        if not s.done:
            self.did.append(("end", s.now))
        s.done |= 1 << frame

    def end_tile(self, s: Any, ru: Row, me: int) -> int:
        # One that a technique holds asks again when it is told.
        self.wake = s.now + 1
        return int(self.chance(s.now) < 0.5)

    def test_tile(self, s: Any, ru: Row, me: int) -> int:
        ru.loading = int(self.chance(self.g.tile, 1) < 0.5)
        self.did.append(("test", s.now))
        return ru.loading

    def wake_at(self, s: Any, unit: int, time: int) -> None:
        assert (unit, time) == (FETCHER, s.now + 1)
        self.wake = min(self.wake, time)

    # What the units around do.

    def before(self) -> None:
        """The memory answers, a unit beside the fetcher has the port (in the raster phase), Raster Units work."""
        now, rng = self.s.now, self.rng
        if self.cache.asked and rng.random() < 0.5:
            for cache in (self.cache, self.plain_cache):
                cache.fills.append((now + LATENCY, cache.asked.popleft()))
            self.show_fills()
            self.wake = min(self.wake, now + LATENCY)
        if self.has_begun and rng.random() < 0.1:
            self.g.beside_port = now
            line, slot = int(rng.integers(30)), int(rng.integers(3))
            for cache in (self.cache, self.plain_cache):
                found = cache.read(line, 1 << BESIDE_SLOT + slot)
            self.g.beside_waits |= (found not in (HIT, BLOCKED)) << slot
        for number, queue in enumerate(self.queues):
            if queue and rng.random() < 0.15:
                entries = self.g.pairs[queue.popleft()].entries
                self.units[number].used -= entries
                self.used[number] -= entries
                self.wake = now
        for name, share in (("is_open", 0.1), ("may_test", 0.3), ("may_end", 0.2), ("is_over", 0.1)):
            if rng.random() < share:
                setattr(self, name, not getattr(self, name))
                self.wake = now
        for ru in self.units:
            if ru.loading and rng.random() < 0.3:
                ru.loading = 0
                self.wake = now
        if not self.has_begun and rng.random() < 0.2:
            self.has_begun = True
            self.wake = now


class Plain:
    """What both twins do alike."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.cache = bench, bench.plain_cache
        self.coming = [0, 0]
        self.tile = 0
        self.told_beside = 0
        self.count: Counter[str] = Counter()

    @property
    def now(self) -> int:
        return int(self.bench.s.now)

    def fill(self) -> int:
        """Who waited for a line that has come; the unit beside is told of its own."""
        waiters = self.cache.take() if self.cache.due() <= self.now else 0
        self.told_beside = waiters >> BESIDE_SLOT
        return waiters & (1 << BESIDE_SLOT) - 1

    def look_up(self, line: int, pair: int, slot: int) -> int:
        found = self.cache.read(line, 1 << slot)
        if found != BLOCKED:
            self.count["fetch_requests"] += 1
            self.bench.does.append(("read", self.now, line, COST_FIRST + self.bench.g.pairs[pair].draw))
        return found

    def next_tile(self) -> int | None:
        """Result, and 2 where a tile is passed over."""
        if self.tile == len(self.bench.tiles):
            return RASTER_DONE
        if not self.bench.is_open:
            return RASTER_WAITS
        if self.bench.chance(self.tile) < 0.2:
            self.tile += 1
            return None
        self.bench.does.append(("tile", self.now, self.tile))
        return RASTER_IN

    def push(self, pair: int, since: int) -> bool:
        row = self.bench.g.pairs[pair]
        number = self.bench.g.tiles[row.tile].raster_unit
        if self.bench.used[number] + row.entries > self.bench.depth:
            return False
        self.bench.used[number] += row.entries
        self.bench.does.append(("push", self.now, number, pair, since))
        return True


class Simple(Plain):
    """One request after the other."""

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self.steps = self.walk()

    def tick(self) -> int:
        self.filled = self.fill()
        if not self.bench.has_begun:
            return IDLE
        return next(self.steps)

    def request(self, line: int, pair: int) -> Iterator[int]:
        g = self.bench.g
        while g.beside_port == self.now or (found := self.look_up(line, pair, 0)) == BLOCKED:
            yield RESOURCE
        yield BUSY
        asked = self.now - 1
        while found != HIT and not self.filled & 1:
            yield DATA
        while self.now < asked + self.bench.c.latency:
            yield BUSY

    def tile_walk(self, tile: int) -> Iterator[int]:
        bench = self.bench
        ru = bench.units[bench.g.tiles[tile].raster_unit]
        if ru.u_tiles == FETCHER:
            while not bench.may_test:
                yield DEPENDENCY
            bench.does += [("front", ru.number), ("test", self.now)]
            while ru.loading:
                yield DATA
        for pair in bench.tiles[tile]:
            since = self.now
            lines = pair_requests(bench.g.pairs[pair])
            for line in lines:
                yield from self.request(line, pair)
            self.count["attributes_fetched"] += bench.g.pairs[pair].attributes
            while not self.push(pair, since):
                yield QUEUE
        while ru.u_tiles == FETCHER and not (bench.may_end and bench.chance(self.now) < 0.5):
            yield DEPENDENCY
        self.tile += 1
        yield BUSY

    def walk(self) -> Iterator[int]:
        while (found := self.next_tile()) != RASTER_DONE:
            if found == RASTER_IN:
                yield from self.tile_walk(self.tile)
            else:
                yield BUSY if found is None else DEPENDENCY
        while not self.bench.is_over:
            yield DEPENDENCY
        self.bench.does.append(("end", self.now))
        while True:
            yield IDLE


class Entry:
    """A primitive in the table: what is left to be asked for, whether it waits for that."""

    def __init__(self, slot: int, pair: int, lines: list[int], since: int) -> None:
        self.slot, self.pair, self.since = slot, pair, since
        self.lines = deque(lines)
        #: How many of them are attributes'.
        self.attribute_lines = 0
        #: When stage 2, or 4 at the end, may take it; none while something is on its way.
        self.ready: int | None = None


class Pipelined(Plain):
    """Four stages around a table of primitives, oldest first."""

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self.table: list[Entry] = []
        self.entered = 0
        #: The registers: entry, and from when on it is sent.
        self.pointer: tuple[Entry, int] | None = None
        self.attribute: tuple[Entry, int] | None = None
        self.link: Entry | None = None
        self.arrivals: deque[tuple[Entry | None, int]] = deque()
        self.missing = 0
        self.walk: deque[int] | None = None
        self.entry_cycles = 0
        self.is_over = False

    def receive(self, entry: Entry | None) -> None:
        """A line has come: a link's, a pointer's or an attribute's."""
        if entry is None:
            # The pointer behind the link goes into the register again.
            assert self.link
            self.pointer, self.link = (self.link, self.now + 1), None
            return
        is_pointer = len(entry.lines) == entry.attribute_lines
        # A pointer goes to stage 2 at once, all else passes stage 3 first.
        entry.ready = self.now + (0 if is_pointer and entry.lines else 1)

    def ask(self, entry: Entry, is_link: bool) -> bool:
        slot = MAX_TABLE_ENTRIES if is_link else entry.slot
        found = self.look_up(entry.lines[0], entry.pair, slot)
        if found == BLOCKED:
            return False
        entry.lines.popleft()
        if found == HIT:
            self.arrivals.append((None if is_link else entry, self.now + self.bench.c.latency))
        else:
            self.missing += 1
        return True

    def arbitrate(self) -> bool | None:
        """Whether a request is sent; none where there is none."""
        attribute = self.attribute if self.attribute and self.attribute[1] <= self.now else None
        pointer = self.pointer if self.pointer and self.pointer[1] <= self.now else None
        if not attribute and not pointer:
            return None
        if self.bench.g.beside_port == self.now:
            return False
        if attribute:
            if not self.ask(attribute[0], False):
                return False
            self.attribute = None
            return True
        assert pointer
        entry = pointer[0]
        is_link = len(entry.lines) == entry.attribute_lines + 2
        if not self.ask(entry, is_link):
            return False
        self.pointer = None
        if is_link:
            self.link = entry
        return True

    def select(self) -> bool:
        for entry in self.table if not self.attribute else []:
            if entry.lines and entry.ready is not None and entry.ready <= self.now:
                entry.ready = None
                self.attribute = (entry, self.now + 1)
                return True
        return False

    def reserve(self) -> bool | None:
        """Whether a primitive entered or a tile began; none behind the last one."""
        worked = False
        bench = self.bench
        if self.walk is None:
            found = self.next_tile()
            if found == RASTER_DONE:
                return None
            if found != RASTER_IN:
                return found is None
            self.walk = deque(bench.tiles[self.tile])
            worked = True
        if self.walk:
            if self.pointer or self.link or len(self.table) == bench.s.cfg.table_entries:
                return worked
            pair = self.walk.popleft()
            row = bench.g.pairs[pair]
            entry = Entry(self.entered % bench.s.cfg.table_entries, pair, pair_requests(row), self.now)
            entry.attribute_lines = len(entry.lines) - 1 - (row.link_line >= 0)
            self.entered += 1
            self.table.append(entry)
            self.pointer = (entry, self.now + 1)
            self.coming[bench.g.tiles[row.tile].raster_unit] += row.entries
            worked = True
        if not self.walk:
            self.tile += 1
            self.walk = None
        return worked

    def hand_over(self) -> bool | None:
        """Whether the oldest primitive is handed over; none where it is not complete."""
        if not self.table:
            return None
        entry = self.table[0]
        if entry.lines or entry.ready is None or entry.ready > self.now:
            return None
        if not self.push(entry.pair, entry.since):
            return False
        row = self.bench.g.pairs[entry.pair]
        self.coming[self.bench.g.tiles[row.tile].raster_unit] -= row.entries
        self.count["attributes_fetched"] += row.attributes
        del self.table[0]
        return True

    def tick(self) -> int:
        self.entry_cycles += len(self.table)
        filled = self.fill()
        for slot in range(BESIDE_SLOT):
            if filled >> slot & 1:
                self.missing -= 1
                self.receive(next((entry for entry in self.table if entry.slot == slot), None))
        if not self.bench.has_begun:
            return IDLE
        worked = filled > 0 or self.bench.filled
        while self.arrivals and self.arrivals[0][1] <= self.now:
            self.receive(self.arrivals.popleft()[0])
            worked = True
        handed, sent, selected, reserved = self.hand_over(), self.arbitrate(), self.select(), self.reserve()
        if worked or handed or sent or selected or reserved:
            return BUSY
        if reserved is None and not self.table:
            if self.bench.is_over or self.is_over:
                if not self.is_over:
                    self.bench.does.append(("end", self.now))
                self.is_over = True
                return IDLE
            return DEPENDENCY
        if self.arrivals:
            return BUSY
        if sent is False:
            return RESOURCE
        return QUEUE if handed is False else DATA if self.missing else DEPENDENCY


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", [Simple, Pipelined])
def test_lists_are_fetched(monkeypatch: pytest.MonkeyPatch, kind: Any, seed: int) -> None:
    """Tile by tile: links, pointers, attributes, in their order, over one port that another unit takes first; full
    queues and tables, tiles that cannot begin or end hold up; the fetcher wakes in time.
    """
    module = tile_fetch_pipelined if kind is Pipelined else tile_fetch
    rng = np.random.default_rng(seed)
    run_plainly(monkeypatch, tile_fetch, tile_fetch_pipelined, cost_owners)
    seen: Counter[int] = Counter()
    for _ in range(15):
        bench = Bench(rng, kind is Pipelined)
        twin = kind(bench)
        state = [IDLE]
        for name, value in {
            "account": lambda s, unit, found, state=state: state.__setitem__(0, found), "l1_read": bench.read,
            "fill_due": bench.fill_due, "l1_fill": bench.fill, "next_tile": bench.next_tile, "push_pair": bench.push,
            "end_raster": bench.end, "raster_ended": lambda s, frame, bench=bench: int(bench.is_over),
            "begin_raster": lambda s, frame, bench=bench: int(bench.has_begun), "look_ahead": lambda s: None,
            "notify": lambda s, me, unit, bench=bench: bench.told.append(unit), "wake_at": bench.wake_at,
            "may_end": lambda s, ru, bench=bench: int(bench.may_end), "end_tile": bench.end_tile,
            "may_test": lambda s, ru, bench=bench: int(bench.may_test),
            "rasterize_tile": lambda ru, bench=bench: bench.did.append(("front", ru.number)),
            "test_tile": bench.test_tile,
        }.items():  # fmt: skip
            monkeypatch.setattr(module, name, value, raising=kind is Simple)
        tick = module.tick_pipelined_fetcher if kind is Pipelined else module.tick_tile_fetcher
        for bench.s.now in range(20, 420):
            bench.before()
            bench.told.clear()
            waits = bench.g.beside_waits
            bench.filled = bench.cache.due() <= bench.s.now
            if bench.wake <= bench.s.now or rng.random() < 0.05:
                bench.wake = NEVER
                following = tick(bench.s, 0)
                assert following > bench.s.now
                bench.wake = min(bench.wake, following)
            found = twin.tick()
            seen[found] += 1
            assert (BESIDE in bench.told) == (twin.told_beside > 0)
            assert bench.g.beside_waits == waits & ~twin.told_beside
            assert (bench.did, state) == (bench.does, [found]), bench.s.now
            assert [ru.pair_coming for ru in bench.units] == twin.coming
            if bench.did and bench.did[-1][0] == "end":
                break
        assert twin.count["fetch_requests"] == bench.g.fetch_requests
        if kind is Pipelined:
            g = bench.g
            held = g.table_entry_cycles + g.table_count * (bench.s.now + 1 - g.table_entry_since)
            assert held == twin.entry_cycles + len(twin.table)
        if bench.s.done:
            assert bench.g.attributes_fetched == twin.count["attributes_fetched"]
    assert len(seen) >= 5
