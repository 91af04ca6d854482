"""Units of techniques that read and keep lines, as plain Python: lines of depths, and lines by the order of tiles."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from plain_kernels import Row, run_plainly

from gpumodel.config import load_config
from gpumodel.streams import ATTRIBUTE_ADDRESS, LIST_ADDRESS
from gpumodel.techniques.depth_lines import unit
from gpumodel.techniques.depth_lines.unit import READS, WRITES
from gpumodel.techniques.tcor_like import policy
from gpumodel.techniques.tcor_like.technique import TileOrderReplacement
from gpumodel.units.cache import BLOCKED, DEAD, HIT, MISS
from gpumodel.units.events import BUSY, DATA, IDLE, NEVER, RESOURCE


def test_lines_of_depths_are_moved_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line is read, where it has to be, until it is there, and written; its comparison takes its cycles; who waits
    for the last one that is wanted is told.
    """
    told = run_plainly(monkeypatch, unit)
    rng = np.random.default_rng(1)
    count = 250
    kinds, cycles = rng.choice([0, READS, WRITES, READS | WRITES], count).tolist(), rng.integers(0, 4, count).tolist()
    c = Row(who=-1, fill_count=0, fill_head=1, fill_time=[0, 0])
    own = Row(
        unit=50, cache=2, active=1, lines=list(range(500, 500 + count)), kinds=kinds, cycles=cycles, at=0, goal=0,
        fetched=0, waits=0, until=0, line_reads=0, line_writes=0, clear_lines=0,
    )  # fmt: skip
    s = Row(now=0, l1=[None, None, c], cost_technique=7, frame=[Row(u_binner=60, u_fetch_tiles=61)])
    asked: list[tuple[str, int]] = []
    answers = {"read": HIT, "write": HIT}
    taken: list[int] = []

    def ask(what: str) -> Any:
        return lambda s, c, line, *rest: (asked.append((what, line)), answers[what])[1]

    monkeypatch.setattr(unit, "l1_read", ask("read"))
    monkeypatch.setattr(unit, "l1_write", ask("write"))
    monkeypatch.setattr(unit, "fill_due", lambda s, c: c.fill_count > 0 and c.fill_time[1] <= s.now)
    monkeypatch.setattr(unit, "l1_fill", lambda s, c: (taken.append(1), setattr(c, "fill_count", 0), takes)[2])
    steps = [
        (k, what) for k in range(count)
        for what in [*["read"] * bool(kinds[k] & READS), *["write"] * bool(kinds[k] & WRITES), "compare"]
    ]  # fmt: skip
    goal = done = until = 0
    waits = False
    seen: Counter[int] = Counter()
    for s.now in range(4000):
        if own.at >= goal and rng.random() < 0.1:
            goal = own.goal = min(goal + int(rng.integers(1, 6)), count)
        if waits and not c.fill_count and rng.random() < 0.3:
            c.fill_count, c.fill_time[1] = 1, s.now + int(rng.integers(0, 3))
        takes, fill = int(rng.random() < 0.8), c.fill_count and c.fill_time[1] <= s.now
        waits = waits and not (fill and takes)
        fills = c.fill_time[1] if c.fill_count and not fill else None
        answers.update(read=int(rng.choice([BLOCKED, HIT, MISS])), write=int(rng.choice([BLOCKED, HIT])))
        asked.clear()
        told.take()
        following = unit.tick_lines(s, own, 50, 0, 0, 0)
        woken, states = told.take()
        expected: list[tuple[str, int]] = []
        result = NEVER
        if (done == len(steps) or steps[done][0] >= goal) and s.now >= until:
            state = IDLE
        elif waits:
            state, result = DATA, NEVER if fills is None else max(fills, s.now + 1)
        elif s.now < until:
            state, result = BUSY, until
        else:
            state = BUSY
            while steps[done][1] != "compare":
                k, what = steps[done]
                expected.append((what, 500 + k))
                if answers[what] == BLOCKED:
                    state, result = RESOURCE, s.now + 1
                    break
                done += 1
                if answers[what] == MISS:
                    state, waits = DATA, True
                    break
            if state == BUSY:
                result = until = s.now + max(cycles[steps[done][0]], 1)
                done += 1
        assert (asked, states, following) == (expected, [(50, state)], result)
        assert woken == ([(60, -1), (61, -1)] if state == IDLE else [])
        seen[state] += 1
    assert min(seen[state] for state in (BUSY, IDLE, DATA, RESOURCE)) > 20
    moved = [what for _, what in steps[:done]]
    assert (own.line_reads, own.line_writes) == (moved.count("read"), moved.count("write"))
    assert own.clear_lines == sum(not kinds[k] for k, what in steps[:done] if what == "compare")
    assert (c.who, own.at) == (7, moved.count("compare"))
    own.active = 0
    assert unit.tick_lines(s, own, 50, 0, 0, 0) == NEVER
    assert told.take() == ([], [(50, IDLE)])


def test_who_waits_for_lines_of_depths(monkeypatch: pytest.MonkeyPatch) -> None:
    """A primitive for its own; the first tile for those of all primitives, which ends the geometry phase; a tile for
    its own, which may have been fetched ahead, as the next one's are then.
    """
    told = run_plainly(monkeypatch, unit)
    rng = np.random.default_rng(2)

    class Stream(list):  # type: ignore[type-arg]
        count = 5

    seen: Counter[Any] = Counter()
    for _ in range(3000):
        at, goal, until = int(rng.integers(9)), int(rng.integers(9)), int(rng.choice([0, 20, 21]))
        own = Row(
            unit=50, active=int(rng.random() < 0.9), sorted=[0, 2, 4, 6],
            tiles=Stream([6, 7, 7, 8, 9]), end=6, at=at, goal=goal,
            until=until, rendering=int(rng.integers(2)), tile=int(rng.integers(-1, 3)), ahead=int(rng.integers(2)),
            next_tile=int(rng.integers(-1, 4)), stalled_since=int(rng.choice([-1, 5])),
            asked_since=int(rng.choice([-1, 9])),
            binning_wait_cycles=100, tile_wait_cycles=200,
        )  # fmt: skip
        g = Row(u_binner=60, u_fetch_tiles=61, raster_start=-1)
        s, row, tile = Row(now=20, frame=[g]), int(rng.integers(3)), int(rng.integers(4))
        before = Row(**vars(own))
        told.take()
        answer = unit.sort_primitive(s, own, 0, row, 0, 0)
        if not before.active:
            assert (answer, own, told.take()[0]) == (1, before, [])
            assert unit.begin_tile(s, own, 0, tile, 0, 0) == 1
            assert own == before
            continue
        wanted = max(goal, own.sorted[row + 1])
        is_done = at >= wanted and until <= 20
        assert (answer, own.goal) == (is_done, wanted)
        assert told.take()[0] == ([(50, -1)] if wanted > goal else [])
        waited = 15 if is_done and before.stalled_since >= 0 else 0
        assert own.binning_wait_cycles == 100 + waited
        assert own.stalled_since == (-1 if is_done else 20 if before.stalled_since < 0 else 5)

        own = Row(**vars(before))
        answer = unit.begin_tile(s, own, 0, tile, 0, 0)
        woken = []
        rendering, asked, next_tile = before.rendering, before.asked_since, before.next_tile
        if not rendering and goal < 6:
            goal = 6
            woken.append((50, -1))
        expected, begun = 1, before.tile
        if before.tile != tile:
            asked = 20 if rendering and asked < 0 else asked
            ready = at >= goal and until <= 20
            expected = -1
            if ready:
                asked, rendering = asked if rendering else 20, 1
                if next_tile != tile:
                    next_tile, at, goal = tile, own.tiles[tile], own.tiles[tile + 1]
                    woken += [(50, -1)] * (at < goal)
                if at >= goal:
                    expected, begun = 1, tile
                    assert own.tile_wait_cycles == 200 + 20 - asked
                    asked = -1
                    if own.ahead and tile < 3:
                        next_tile, at, goal = tile + 1, own.tiles[tile + 1], own.tiles[tile + 2]
                        woken += [(50, -1)] * (at < goal)
        assert (answer, told.take()[0]) == (expected, woken)
        assert (own.rendering, own.asked_since, own.next_tile, own.tile) == (rendering, asked, next_tile, begun)
        assert (own.at, own.goal) == (at, goal)
        assert g.raster_start == (20 if rendering and not before.rendering else -1)
        seen[expected, begun == before.tile] += 1
    assert min(seen.values()) > 20


def test_lines_that_tiles_read_last_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the Tile Cache the line whose next tile is the latest, the oldest of several, dead where no tile comes; in the
    L2 dead lines alone. Lines of passes that are over are dead, those of other things nobody's.
    """
    run_plainly(monkeypatch, policy)
    rng = np.random.default_rng(3)
    made = TileOrderReplacement()
    made.plugs(load_config("mali450-vro"))
    lists, attributes = LIST_ADDRESS // 64, ATTRIBUTE_ADDRESS // 64
    end = (2 * ATTRIBUTE_ADDRESS - LIST_ADDRESS) // 64
    counters = ("dead", "dead_unwritten", "dead_reads", "l2_dead", "l2_dead_unwritten")
    seen: Counter[Any] = Counter()
    for _ in range(1500):
        # Three lines of lists, two of attributes, each with the tiles that read it.
        readers = [sorted(rng.permutation(6)[: int(rng.integers(4))].tolist()) for _ in range(5)]
        first = np.cumsum([0, *map(len, readers)]).tolist()
        known = {**{lists + k: readers[k] for k in range(3)}, **{attributes + k: readers[3 + k] for k in range(2)}}
        own = Row(**{name: int(made.record[name][0]) for name in ("region", "region_end", "lists", "attributes")})
        vars(own).update(
            tile_cache=int(rng.integers(2)), dead_lines=int(rng.integers(2)), list_lines=3, attribute_lines=2,
            first=first,
            tiles=[t for one in readers for t in one], at=first[:-1], **dict.fromkeys(counters, 0),
        )  # fmt: skip
        others = [lists - 1, lists + 3, attributes - 1, attributes + 2, end - 1, end]
        held = rng.permutation([*known, *others])[:8]
        if rng.random() < 0.1:
            held[int(rng.integers(4, 8))] = -1
        cache = Row(tag=held.tolist(), stamp=rng.permutation(8).tolist(), dirty=rng.integers(0, 2, 8).tolist())
        table, tile = int(rng.integers(2)), int(rng.integers(6))
        g = Row(tile_cache=1, phase=int(rng.integers(2)), table_count=table, table_head=1, table_pair=[9, 0],
                pairs=[Row(tile=tile)], tile=tile if not table else 5)  # fmt: skip
        which, line = int(rng.choice([-1, 0, 1, 1])), int(rng.choice([*known, *others]))
        s = Row(frame=[g], l2=cache, l1=[cache, cache])

        def use(line: int, known: dict[int, list[int]] = known, tile: int = tile) -> float:
            """Next tile, behind all for a dead line, before all for nobody's."""
            if line in known:
                return next((float(t) for t in known[line] if t >= tile), 99)
            return 99 if lists <= line < end else -1

        found = policy.choose(s, own, which, 4, 4, line)
        expected, counted = -1, dict.fromkeys(counters, 0)
        if own.dead_lines if which < 0 else which == 1 and own.tile_cache:
            counted["dead_reads"] = int(which >= 0 and g.phase and use(line) == 99)
            ways = range(4, 8)
            if -1 not in cache.tag[4:]:
                best = max(ways, key=lambda way: (use(cache.tag[way]), -cache.stamp[way]))
                dead = use(cache.tag[best]) == 99
                expected = best | DEAD if dead else -1 if which < 0 else best
                if dead:
                    kind = "l2_dead" if which < 0 else "dead"
                    counted[kind], counted[f"{kind}_unwritten"] = 1, cache.dirty[best]
        assert (found, {name: own[name] for name in counters}) == (expected, counted)
        seen[which, expected >= 0, expected >= DEAD] += 1
    assert min(seen[key] for key in ((-1, True, True), (1, True, True), (1, True, False), (-1, False, False))) > 5
