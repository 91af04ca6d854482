"""The L2, a level-one cache and the papers' memory, cycle by cycle on random streams, against lists of lines."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from plain_kernels import Row, Stream, run_plainly

from gpumodel.units import cache, cost_textures, l2, memory_paper
from gpumodel.units.cache import BLOCKED, DEAD, HIT, MISS, WAITS
from gpumodel.units.events import BUSY, DATA, IDLE, NEVER, RESOURCE

LATENCY = 7


class Lines:
    """Sets of lines with what is noted of each, the least recently used one first."""

    def __init__(self, sets: int, ways: int) -> None:
        self.sets: list[list[list[Any]]] = [[] for _ in range(sets)]
        self.ways = ways

    def find(self, line: int) -> list[Any] | None:
        """Look a line up, which makes it the most recent one."""
        own = self.sets[line % len(self.sets)]
        found = next((one for one in own if one[0] == line), None)
        if found is not None:
            own.remove(found)
            own.append(found)
        return found

    def leaves(self, line: int) -> list[Any] | None:
        own = self.sets[line % len(self.sets)]
        return own[0] if len(own) == self.ways else None

    def put(self, *entry: Any) -> None:
        own = self.sets[entry[0] % len(self.sets)]
        own[:] = [*own[len(own) == self.ways :], list(entry)]


def costs(rows: int) -> Any:
    """Rows of costs, each of whose caches counts whatever is named."""

    class Counting(Row):
        def __getattr__(self, name: str) -> int:
            return 0

    return Row(count=1, rows=[Row(cache=[Counting() for _ in range(8)], bank_conflicts=0) for _ in range(rows)])


def charged(s: Any, kind: int) -> list[dict[str, int]]:
    return [{name: count for name, count in vars(row.cache[kind]).items() if count} for row in s.costs.rows]


class PlainL2:
    """Clients in a circle from the one behind the last served; a request a bank and cycle, the first of each client."""

    def __init__(self, sets: int, ways: int, banks: int, registers: int, ports: int) -> None:
        self.lines, self.banks, self.registers, self.ports = Lines(sets, ways), banks, registers, ports
        self.waiting: dict[int, list[tuple[int, int, int]]] = {}
        self.missing: dict[int, list[int]] = {}
        self.fills: list[int] = []
        self.turn = 0
        self.count: Counter[str] = Counter()
        self.of: list[Counter[str]] = [Counter() for _ in range(4)]
        self.done: list[tuple[Any, ...]] = []
        self.room = {"read": 0, "write": 0}

    def _note(self, who: int, **counts: int) -> None:
        self.count.update(counts)
        self.of[who].update(counts)

    def _memory(self, what: str, *rest: int) -> bool:
        if self.room[what] == 0:
            return False
        self.room[what] -= 1
        self.done.append((what, *rest))
        return True

    def _place(self, line: int, traffic: int, who: int) -> bool:
        old = self.lines.leaves(line)
        if old is not None and old[1] >= 0:
            if not self._memory("write", old[0], old[1], old[2]):
                return False
            self._note(old[2], write_backs=1)
        self.lines.put(line, traffic, who)
        return True

    def _serve(self, client: int) -> bool:
        line, write, who = self.waiting[client][0]
        traffic = client % 3
        found = self.lines.find(line)
        if found is not None:
            self._note(who, accesses=1, hits=1, writes=write)
            if write:
                found[1:] = [traffic, who]
            else:
                self.done.append(("answer", client, line))
        elif write:
            if not self._place(line, traffic, who):
                return False
            self._note(who, accesses=1, misses=1, writes=1)
        elif line in self.missing:
            if client not in self.missing[line]:
                self.missing[line].append(client)
            self._note(who, accesses=1, misses=1)
        else:
            if len(self.missing) == self.registers or not self._memory("read", line, traffic, who):
                return False
            self.missing[line] = [client]
            self._note(who, accesses=1, misses=1, primary_misses=1)
        self.done.append(("taken", client))
        del self.waiting[client][0]
        return True

    def tick(self) -> tuple[list[tuple[int, ...]], int]:
        worked = blocked = False
        if self.fills:
            if self._place(self.fills[0], -1, 0):
                line = self.fills.pop(0)
                self.done += [("answer", client, line) for client in sorted(self.missing.pop(line))]
                worked = True
            else:
                blocked = True
        used = set()
        for client in [*range(self.turn, self.ports), *range(self.turn)]:
            if not self.waiting.get(client):
                continue
            bank = self.waiting[client][0][0] % self.banks
            if bank in used:
                self.count["bank_conflicts"] += 1
                self.of[self.waiting[client][0][2]]["bank_conflicts"] += 1
            elif self._serve(client):
                used.add(bank)
                worked = True
                self.turn = (client + 1) % self.ports
            else:
                blocked = True
        idle = DATA if self.missing else IDLE
        if worked:
            more = self.fills or any(self.waiting.values())
            return ([(1, BUSY)], 1) if more else ([(1, BUSY, idle)], NEVER)
        return [(1, RESOURCE if blocked else idle)], NEVER


@pytest.mark.parametrize(
    ("sets", "ways", "banks", "registers", "ports"),
    [(2, 2, 1, 3, 48), (4, 2, 2, 2, 96), (1, 4, 2, 5, 96), (2, 1, 4, 64, 144)],
)
def test_the_l2_serves_in_a_circle(
    monkeypatch: pytest.MonkeyPatch, sets: int, ways: int, banks: int, registers: int, ports: int
) -> None:
    """Every cycle: who is served, what is answered, fetched and written back on whose behalf, state, and counters."""
    told = run_plainly(monkeypatch, l2)
    rng, plain = np.random.default_rng(ports), PlainL2(sets, ways, banks, registers, ports)
    done: list[tuple[Any, ...]] = []
    room = {"read": 0, "write": 0}
    words = ports // 48
    names = ("accesses", "hits", "misses", "primary_misses", "writes", "write_backs", "bank_conflicts")
    c = Row(
        set_mask=sets - 1, ways=ways, bank_mask=banks - 1, num_mshrs=registers, mshr_count=0, num_words=words, unit=1,
        stamp=[0] * 8, tag=[-1] * 8, dirty=[0] * 8, line_who=[0] * 8, clock=0, turn=0, waiting=[0] * words,
        mshr_line=[5] * 64, mshr_clients=np.full((64, words), 7, np.int64), fill=[0] * l2.L2_MSHRS, fill_head=60,
        fill_count=0, **dict.fromkeys(names, 0),
    )  # fmt: skip
    clients = [
        Row(client=k, request=[0] * 400, request_who=[0] * 400, request_head=0, traffic=k % 3) for k in range(ports)
    ]
    ends = [0] * ports
    s = Row(l2=c, l1=clients, now=0, plugs=Row(victim=Row(function=0)), costs=costs(4), cost_who=-1)

    def memory(what: str) -> Any:
        def ask(s: Any, line: int, size: int, traffic: int, tag: int = -1) -> int:
            assert (size, tag) == (64, -1)
            if room[what] == 0:
                return 0
            room[what] -= 1
            done.append((what, line, int(traffic), s.cost_who))
            return 1

        return ask

    def taken(s: Any, port: Any) -> None:
        k = port.client
        done.append(("taken", k))
        port.request_head += 1
        if port.request_head == ends[k]:
            c.waiting[k // 48] &= ~(1 << k % 48)

    for name, function in {
        "memory_read": memory("read"), "memory_write": memory("write"), "request_taken": taken,
        "answer": lambda s, port, line: done.append(("answer", port.client, line)),
        "cost_at": lambda costs, who: costs.rows[who],
    }.items():  # fmt: skip
        monkeypatch.setattr(l2, name, function)
    # Ports at both ends of each word among others.
    chosen = sorted({0, ports - 1, *(k for w in range(words) for k in (48 * w, 48 * w + 1, 48 * w + 47))})
    for s.now in range(500):
        for k in chosen:
            if rng.random() < 0.15 and ends[k] < 399:
                line, write, who = int(rng.integers(12)), int(rng.random() < 0.3), int(rng.integers(4))
                asked = [one[1] for own in plain.waiting.values() for one in own if one[0] == line]
                if 1 - write in asked or (write and line in plain.missing):
                    # Nobody writes a line that is being read, nor reads one that is being written.
                    continue
                clients[k].request[ends[k]], clients[k].request_who[ends[k]] = 2 * line + write, who
                ends[k] += 1
                c.waiting[k // 48] |= 1 << k % 48
                plain.waiting.setdefault(k, []).append((line, write, who))
        if plain.missing and rng.random() < 0.4:
            line = next(iter(plain.missing))
            if line not in plain.fills:
                c.fill[(c.fill_head + c.fill_count) % l2.L2_MSHRS] = line
                c.fill_count += 1
                plain.fills.append(line)
        room.update(read=int(rng.integers(0, 3)), write=int(rng.integers(0, 2)))
        plain.room = dict(room)
        following = l2.tick_l2(s)
        states, expected = plain.tick()
        assert done == plain.done
        assert (told.take()[1], following) == (states, s.now + 1 if expected == 1 else NEVER)
        done.clear()
        plain.done.clear()
    assert {name: c[name] for name in names} == {name: plain.count[name] for name in names}
    assert min(plain.count[name] for name in names) > 0 or banks > 2
    conflicts = [row.bank_conflicts for row in s.costs.rows]
    assert conflicts == [one.pop("bank_conflicts", 0) for one in plain.of]
    assert charged(s, l2._COST) == [{name: count for name, count in one.items() if count} for one in plain.of]


def l1_of(sets: int, ways: int, registers: int, depth: int) -> Any:
    names = ("accesses", "hits", "misses", "primary_misses", "writes", "write_backs")
    return Row(
        set_mask=sets - 1, ways=ways, num_mshrs=registers, mshr_count=0, request_depth=depth, request_count=0,
        request_head=cache.L1_RING - 2, request=[0] * cache.L1_RING, request_who=[0] * cache.L1_RING, client=50,
        stamp=[0] * 8, tag=[-1] * 8, dirty=[0] * 8, line_who=[0] * 8, clock=0, who=0, owner=21, writer=22,
        mshr_line=[9] * 16, mshr_waiters=[9] * 16, fill=[0] * cache.L1_RING, fill_time=[0] * cache.L1_RING,
        fill_head=cache.L1_RING - 1, fill_count=0, fill_free=0, quiet_until=0, cost_cache=2,
        **dict.fromkeys(names, 0),
    )  # fmt: skip


class PlainL1:
    """Registers by line, and what waits for the L2: (line, whether it is written back, for whom)."""

    def __init__(self, sets: int, ways: int, registers: int, depth: int) -> None:
        self.lines, self.registers, self.depth = Lines(sets, ways), registers, depth
        self.missing: dict[int, int] = {}
        self.requests: list[tuple[int, int, int]] = []
        self.of: list[Counter[str]] = [Counter() for _ in range(4)]

    def place(self, line: int, dirty: int, who: int) -> bool:
        old = self.lines.leaves(line)
        if old is not None and old[1]:
            if len(self.requests) == self.depth:
                return False
            self.requests.append((old[0], 1, old[2]))
            self.of[old[2]]["write_backs"] += 1
        self.lines.put(line, dirty, who)
        return True

    def read(self, line: int, waiters: int, who: int) -> int:
        if self.lines.find(line) is not None:
            self.of[who].update(accesses=1, hits=1)
            return HIT
        if line in self.missing:
            self.of[who].update(accesses=1, misses=1)
            known = waiters and self.missing[line] & waiters == waiters
            self.missing[line] |= waiters
            return WAITS if known else MISS
        if len(self.missing) == self.registers or len(self.requests) == self.depth:
            return BLOCKED
        self.missing[line] = waiters
        self.requests.append((line, 0, who))
        self.of[who].update(accesses=1, misses=1, primary_misses=1)
        return MISS

    def write(self, line: int, who: int) -> int:
        found = self.lines.find(line)
        if found is not None:
            found[1:] = [1, who]
            self.of[who].update(accesses=1, hits=1, writes=1)
            return HIT
        if not self.place(line, 1, who):
            return BLOCKED
        self.of[who].update(accesses=1, misses=1, writes=1)
        return MISS


@pytest.mark.parametrize(
    ("sets", "ways", "registers", "depth"), [(2, 2, 2, 3), (1, 4, 1, 1), (4, 1, 3, 2), (1, 1, 2, 1)]
)
def test_a_level_one_cache(monkeypatch: pytest.MonkeyPatch, sets: int, ways: int, registers: int, depth: int) -> None:
    """Look-ups, writes, fills and requests in any order: answers, waiters, what goes to the L2, for whom."""
    told = run_plainly(monkeypatch, cache)
    monkeypatch.setattr(cache, "cost_at", lambda costs, who: costs.rows[who])
    rng, plain = np.random.default_rng(sets), PlainL1(sets, ways, registers, depth)
    c = l1_of(sets, ways, registers, depth)
    s = Row(
        now=0, l2=Row(latency=LATENCY, waiting=[0, 0]), plugs=Row(victim=Row(function=0)), costs=costs(4),
    )  # fmt: skip
    fills: list[tuple[int, int]] = []
    free = 0
    for s.now in range(700):
        c.who, line, waiters = (int(rng.integers(n)) for n in (4, 10, 4))
        kind = rng.integers(5)
        if kind == 0 and line not in plain.missing:
            # Who writes lines reads none that has not come.
            assert cache.l1_write(s, c, line) == plain.write(line, c.who)
        elif kind in (1, 2):
            found = cache.l1_read(s, c, line, waiters)
            before = len(plain.requests)
            assert found == plain.read(line, waiters, c.who)
            assert told.take()[0] == ([(1, s.now + 1)] if len(plain.requests) > before else [])
        elif kind == 3 and plain.requests:
            wanted, write, who = plain.requests.pop(0)
            at = c.request_head % cache.L1_RING
            assert (c.request[at], c.request_who[at]) == (2 * wanted + write, who)
            told.take()
            cache.request_taken(s, c)
            full = len(plain.requests) == depth - 1
            assert told.take()[0] == ([(21, -1), (22, -1)] if full else [])
            if not write:
                c.quiet_until = int(rng.integers(0, 900))
                cache.answer(s, c, wanted)
                fills.append((wanted, s.now + LATENCY))
                assert told.take()[0] == [(21, max(s.now + LATENCY, c.quiet_until))]
        assert s.l2.waiting == [0, (len(plain.requests) > 0) << 2]
        due = bool(fills) and fills[0][1] <= s.now
        assert cache.fill_due(s, c) == due
        assert cache.fill_at(c) == (max(fills[0][1], free) if fills else NEVER)
        if due and rng.random() < 0.7:
            came = cache.fill_at(c)
            waited = cache.l1_fill(s, c)
            if plain.place(fills[0][0], 0, c.who):
                assert waited == plain.missing.pop(fills.pop(0)[0])
                free = came + 1
            else:
                assert waited == 0
        told.take()
        assert (c.mshr_count, c.request_count, c.fill_count) == (len(plain.missing), len(plain.requests), len(fills))
    assert charged(s, 2) == [dict(one) for one in plain.of]
    for name in ("accesses", "hits", "misses", "primary_misses", "writes", "write_backs"):
        assert c[name] == sum(one[name] for one in plain.of) > 0
    cache.invalidate(c)
    fresh = l1_of(sets, ways, registers, depth)
    size = sets * ways
    assert [c[name][:size] for name in ("tag", "stamp", "dirty")] == [
        fresh[name][:size] for name in ("tag", "stamp", "dirty")
    ]
    assert c.clock == 0


def test_a_technique_s_victim(monkeypatch: pytest.MonkeyPatch) -> None:
    """The way that hook ``victim`` names goes, unwritten where it is dead; the oldest one where it names none."""
    run_plainly(monkeypatch, cache, l2)
    asked: list[tuple[int, ...]] = []
    written: list[int] = []
    monkeypatch.setattr(l2, "memory_write", lambda s, line, *rest: written.append(line) or 1)
    for module, who in ((cache, 50), (l2, -1)):
        for first, chosen in [
            (f, w) for f in (0, 4) for w in (-1, *range(f, f + 4), *(DEAD | f + k for k in range(4)))
        ]:
            c = l1_of(2, 4, 2, 8)
            c.stamp, c.tag, c.dirty = [3, 2, 5, 4] * 2, list(range(8)), [0, 1, 1, 0] * 2

            def choose(s: Any, own: Any, *given: int, chosen: int = chosen) -> int:
                asked.append(given)
                return chosen

            s = Row(
                now=0, l2=Row(**vars(c)), plugs=Row(victim=SimpleNamespace(function=choose, own=0)), costs=Row(count=0)
            )
            s.l2.waiting = [0, 0]
            written.clear()
            if module is cache:
                assert cache._place(s, c, 32 + first // 4, 1)
            else:
                c = s.l2
                assert l2._place(s, 32 + first // 4, 1, 0)
            at = first + 1 if chosen < 0 else chosen % DEAD
            assert asked.pop() == (who, first, 4, 32 + first // 4)
            assert c.tag == [32 + first // 4 if way == at else way for way in range(8)]
            wrote = (
                written
                if module is l2
                else [c.request[(c.request_head + k) % cache.L1_RING] // 2 for k in range(c.request_count)]
            )
            assert wrote == ([at] if chosen < DEAD and at % 4 in (1, 2) else [])


class PlainMemory:
    """Reads that wait, with when they are ready; the write queue; what is on the pipe."""

    def __init__(self) -> None:
        self.reads: list[tuple[int, ...]] = []
        self.writes: list[tuple[int, int]] = []
        self.pipe: tuple[int, ...] | None = None


def test_the_papers_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows by channel, the longest ready read first, writes in gaps or when their queue is full, a transfer's cycles;
    who is told of a line, of room, and that no write is left.
    """
    told = run_plainly(monkeypatch, memory_paper)
    for name in ("moves", "nothing_moves"):
        monkeypatch.setattr(memory_paper, name, lambda *_: None)
    monkeypatch.setattr(memory_paper, "cost_at", lambda costs, who: costs.rows[who])
    monkeypatch.setattr(memory_paper, "charge_texture", lambda s, line, *rest: textures.append((line, *rest)))
    textures: list[tuple[int, ...]] = []
    rng = np.random.default_rng(3)
    ring = memory_paper.DRAM_RING
    d = Row(
        last_row=[-1, -1], channel_shift=2, channel_mask=1, row_shift=3, activates=0, unit=0, reads=0, read_depth=4,
        write_depth=3, read_requests=0, write_requests=0, read_bytes=[0] * 6, write_bytes=[0] * 6, row_hit=5,
        row_miss=11, read_latency=0, moving=0, moving_end=0, moving_kind=0, moving_line=0, moving_tag=0, moving_who=0,
        bytes_per_cycle=24, head=[ring - 1, ring - 2, ring - 3], count=[0] * 3,
        **{name: np.full((3, ring), 77) for name in ("line", "size", "tag", "ready", "who")},
    )  # fmt: skip
    rows = [Row(read_requests=0, write_requests=0, activates=0, read_latency=0, read_bytes=[0] * 6, write_bytes=[0] * 6)
            for _ in range(3)]  # fmt: skip
    units = [Row(u_flush=10 + k, load_open=50) for k in range(2)]
    s = Row(
        dram=d, now=0, cost_who=0, costs=Row(count=1, rows=rows), unit_state=[IDLE], ru=units,
        l2=Row(unit=1, fill=[0] * memory_paper.L2_MSHRS, fill_head=62, fill_count=0), cfg=Row(raster_units=2, frames=2),
        frame=[Row(u_fetch_tiles=20 + k) for k in range(2)],
    )  # fmt: skip
    plain = PlainMemory()
    open_rows: dict[int, int] = {}
    expected = [dict(latency=0, activates=0) for _ in range(3)]
    moved: Counter[Any] = Counter()
    fills: list[int] = []
    open_loads = [50, 50]
    for s.now in range(1500):
        for _ in range(int(rng.integers(0, 2 if s.now % 200 < 150 else 1))):
            line, size, traffic = int(rng.integers(40)), int(rng.integers(1, 65)), int(rng.integers(6))
            s.cost_who = who = int(rng.integers(3))
            idle, moving = s.unit_state[0] == IDLE, plain.pipe is not None
            write = rng.random() < 0.4
            full = len(plain.writes) == 3 if write else len(plain.reads) + (moving and plain.pipe[0] > -2) == 4
            tag = -1 if rng.random() < 0.6 else int(rng.integers(2))
            texture_before = len(textures)
            accepted = (
                memory_paper.memory_write(s, line, size, traffic) if write
                else memory_paper.memory_read(s, line, size, traffic, tag)
            )  # fmt: skip
            assert bool(accepted) == (not full)
            if full:
                assert told.take()[0] == []
                continue
            channel = line // 4 % 2
            opens = open_rows.get(channel) != line // 8
            open_rows[channel] = line // 8
            expected[who]["activates"] += opens
            ready = s.now if write else s.now + (11 if opens else 5)
            if write:
                plain.writes.append((line, size))
            else:
                plain.reads.append((ready, opens, tag, line, size, who))
                expected[who]["latency"] -= s.now
            assert textures[texture_before:] == (
                [(line, 0, size)] if not write and traffic == memory_paper.TEXTURE else []
            )
            moved["write" if write else "read", who, traffic] += size
            moved["writes" if write else "reads", who] += 1
            assert told.take()[0] == ([(0, s.now + 1)] if idle else [] if moving else [(0, max(ready, s.now + 1))])
        following = memory_paper.tick_memory(s)
        woken = []
        if plain.pipe is not None and s.now >= plain.pipe[1]:
            tag, _, line, who = plain.pipe
            plain.pipe = None
            if tag == -2:
                woken += [20, 21] if not plain.writes else []
            else:
                expected[who]["latency"] += s.now
                if tag < 0:
                    fills.append(line)
                    woken.append(1)
                else:
                    open_loads[tag] -= 1
                    woken.append(10 + tag)
                woken += [1, 10, 11] if len(plain.reads) == 3 else []
        if plain.pipe is None:
            ready = [read for read in plain.reads if read[0] <= s.now]
            if plain.writes and (not ready or len(plain.writes) == 3):
                woken += [1, 10, 11] if len(plain.writes) == 3 else []
                line, size = plain.writes.pop(0)
                plain.pipe = -2, s.now + -(-size // 24), line, 0
            elif ready:
                # Of two that became ready at once, the one in the open row.
                first = min(ready, key=lambda read: read[:2])
                plain.reads.remove(first)
                plain.pipe = first[2], s.now + -(-first[4] // 24), first[3], first[5]
        state = BUSY if plain.pipe else DATA if plain.reads else IDLE
        later = min((read[0] for read in plain.reads), default=NEVER)
        told_units, states = told.take()
        assert [unit for unit, _ in told_units] == sorted(woken)
        assert states == [(0, state)]
        s.unit_state[0] = state
        assert following == (plain.pipe[1] if plain.pipe else later)
        found = [s.l2.fill[(62 + k) % memory_paper.L2_MSHRS] for k in range(s.l2.fill_count)]
        assert found == fills
        if s.l2.fill_count > 4:
            s.l2.fill_count, fills = 0, []
    assert [unit.load_open for unit in units] == open_loads
    for who, row in enumerate(rows):
        assert (row.read_latency, row.activates) == (expected[who]["latency"], expected[who]["activates"])
        assert (row.read_requests, row.write_requests) == (moved["reads", who], moved["writes", who])
        assert row.read_bytes == [moved["read", who, kind] for kind in range(6)]
        assert row.write_bytes == [moved["write", who, kind] for kind in range(6)]
    assert d.activates == sum(row.activates for row in rows)
    assert (d.read_latency, d.read_requests) == (
        sum(row.read_latency for row in rows),
        sum(moved["reads", k] for k in range(3)),
    )
    assert d.write_requests == sum(moved["writes", k] for k in range(3))
    assert d.read_bytes == [sum(row.read_bytes[kind] for row in rows) for kind in range(6)]
    assert min(moved[kind, who] for kind in ("reads", "writes") for who in range(3)) > 20


def test_a_line_is_charged_to_its_texture(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last one that begins at it or before it; without textures nobody is charged."""
    run_plainly(monkeypatch, cost_textures)
    rng = np.random.default_rng(9)
    for count in (0, 1, 2, 3, 7, 8):
        first = np.cumsum(rng.integers(1, 5, count)).tolist()
        costs = Stream(Row(first_line=line, primary_misses=0, read_bytes=0) for line in first)
        costs.count = count
        expected = [[0, 0] for _ in range(count)]
        for line in range(first[0] if first else 5, 45):
            misses, size = (int(value) for value in rng.integers(0, 9, 2))
            cost_textures.charge_texture(Row(texture_costs=costs), line, misses, size)
            for k in [k for k in range(count) if first[k] <= line][-1:]:
                expected[k][0] += misses
                expected[k][1] += size
        assert [[cost.primary_misses, cost.read_bytes] for cost in costs] == expected
