"""The Rasterizer, cycle by cycle on random tiles and queues, against lists of primitives and quads."""

from __future__ import annotations

from collections import Counter, deque
from typing import Any

import numpy as np
import pytest
from plain_kernels import Row, run_plainly

from gpumodel.units import depth, raster
from gpumodel.units.capacity import POST_RASTER_RING, TILE_QUEUE_RING
from gpumodel.units.events import BUSY, DATA, DEPENDENCY, IDLE, NEVER, QUEUE

TILES = 3


class PlainRasterizer:
    """What is in the Tile Queue, at hand, and in the queue behind; the tile is given from outside."""

    def __init__(self, s: Row) -> None:
        self.s = s
        self.queue: deque[int] = deque()
        self.at: int | None = None
        self.quads: deque[int] = deque()
        self.cost = self.burst = self.until = 0
        self.post: deque[int] = deque()
        self.in_flight = 0
        self.left = [0] * TILES
        self.live = [0] * TILES
        self.count: Counter[str] = Counter()
        self.log: list[int] = []
        self.came: list[int] = []
        self.woken: list[int] = []
        #: Whether a technique takes a quad, quad by quad.
        self.is_ready = [True] * 200

    def held(self, pair: Row, ru: Row) -> int | None:
        """State in which the next list entry has to wait."""
        if pair.tile != ru.front:
            return DEPENDENCY
        clears = pair.clear >= 0
        if ru.loading and (clears or not ru.post_depth):
            return DATA
        waits = (ru.post_depth and ru.depth_tile != ru.front) or self.live[pair.tile]
        return DEPENDENCY if clears and waits else None

    def send(self, quad: int, ru: Row) -> bool:
        if ru.post_depth:
            if len(self.post) == ru.post_depth:
                return False
            self.post.append(quad)
        else:
            if self.in_flight == ru.in_flight_depth or not self.is_ready[quad]:
                return False
            self.in_flight += 1
        self.live[self.s.frame[0].quads[quad].tile] += 1
        if self.s.costs.count and not ru.front_only:
            self.came.append(quad)
        return True

    def take(self, ru: Row) -> int | None:
        """Take the next list entry; a state where it has to wait."""
        g, cfg = self.s.frame[0], self.s.cfg
        if not self.queue:
            return IDLE
        pair = g.pairs[self.queue[0]]
        if (state := self.held(pair, ru)) is not None:
            return state
        self.at = self.queue.popleft()
        self.quads.extend(range(pair.quad_first, pair.quad_first + pair.quad_count))
        interpolated = 1 if ru.front_only else max(1, pair.attributes)
        # Whole cycles for a quad, or whole quads in a cycle.
        self.cost = -(-interpolated // cfg.attributes_per_cycle)
        self.burst = (
            1
            if interpolated >= cfg.attributes_per_cycle
            else min(cfg.quads_per_cycle, cfg.attributes_per_cycle // interpolated)
        )
        self.woken.append(ru.u_tiles if ru.front_only else g.u_fetch_tiles)
        self.count["pairs"] += 1
        if pair.clear >= 0:
            self.count["clears"] += 1
            if not ru.front_only:
                self.log.append(-1 - self.at)
        return None

    def tick(self, ru: Row, now: int) -> tuple[int, int]:
        """State, and next cycle with work."""
        self.woken = []
        g = self.s.frame[0]
        if now < self.until:
            return BUSY, self.until
        if self.at is None and (state := self.take(ru)) is not None:
            return state, NEVER
        assert self.at is not None
        sent = 0
        while self.quads and sent < self.burst and self.send(self.quads[0], ru):
            self.quads.popleft()
            sent += 1
        self.count["interpolated"] += sent * (1 if ru.front_only else g.pairs[self.at].attributes)
        if sent:
            self.woken.append(ru.u_depth)
        elif self.quads:
            return QUEUE, NEVER
        self.until = now + (self.cost if sent else 1)
        if not self.quads:
            self.at = None
            self.left[ru.front] -= 1
            if self.left[ru.front] == 0:
                self.woken.append(ru.u_tiles)
        return BUSY, self.until


def machine(rng: np.random.Generator) -> tuple[Row, list[int]]:
    """A machine with one Raster Unit, and the list entries of its tiles in turn."""
    pairs: list[Row] = []
    quads: list[Row] = []
    for tile in range(TILES):
        for _ in range(int(rng.integers(1, 6))):
            clear = int(rng.random() < 0.2)
            count = 0 if clear else int(rng.choice([0, 1, 3, 9]))
            pairs.append(Row(
                tile=tile, clear=len(pairs) if clear else -1, quad_first=len(quads), quad_count=count,
                attributes=0 if clear else int(rng.integers(0, 10)), entries=int(rng.integers(1, 4)),
            ))  # fmt: skip
            quads += [Row(tile=tile) for _ in range(count)]
    g = Row(
        pairs=pairs, quads=quads, log=[0] * len(pairs), retired=0, u_fetch_tiles=60,
        tiles=[Row(pairs_left=sum(p.tile == k for p in pairs), live=0, unshaded=0) for k in range(TILES)],
    )  # fmt: skip
    post = int(rng.choice([0, 0, 3, 20]))
    ru = Row(
        frame=0, number=0, u_raster=33, u_tiles=34, u_depth=32, front=-1, depth_tile=-1, loading=0, raster_next=0,
        front_only=int(rng.random() < 0.3), current=-1, quad=0, quad_end=0, raster_cost=0, raster_burst=0, pairs=0,
        interpolated=0, pair=[-1] * TILE_QUEUE_RING, pair_head=TILE_QUEUE_RING - 3, pair_count=0, pair_used=0,
        post=[-1] * POST_RASTER_RING, post_head=POST_RASTER_RING - 2, post_count=0, post_depth=post, in_flight_count=0,
        in_flight_depth=int(rng.integers(1, 6)), entry_cycles=[0] * 4, entry_since=[20] * 4,
    )  # fmt: skip
    cfg = Row(attributes_per_cycle=int(rng.choice([1, 4, 16])), quads_per_cycle=int(rng.choice([1, 2, 4])))
    plugs = Row(quad_ready=Row(function=0, own=0))
    s = Row(frame=[g], ru=[ru], cfg=cfg, now=20, plugs=plugs, costs=Row(count=int(rng.integers(2))))
    return s, list(range(len(pairs)))


def go_on(rng: np.random.Generator, s: Row, plain: PlainRasterizer, fetched: list[int]) -> None:
    """Let the units around the Rasterizer work."""
    ru, g = s.ru[0], s.frame[0]
    if fetched and rng.random() < 0.4:
        row = fetched.pop(0)
        ru.pair[(ru.pair_head + ru.pair_count) % TILE_QUEUE_RING] = row
        ru.pair_count += 1
        depth.stamp_queue(s, ru, 0, ru.pair_used)
        ru.pair_used += g.pairs[row].entries
        plain.queue.append(row)
    if ru.front < TILES - 1 and (ru.front < 0 or plain.left[ru.front] == 0) and rng.random() < 0.3:
        ru.front += 1
    if ru.depth_tile < ru.front and rng.random() < 0.3:
        ru.depth_tile += 1
    ru.loading = int(rng.random() < 0.15)
    if plain.post and rng.random() < 0.4:
        depth.stamp_queue(s, ru, 3, ru.post_count)
        ru.post_head = (ru.post_head + 1) % POST_RASTER_RING
        ru.post_count -= 1
        plain.post.popleft()
    if plain.in_flight and rng.random() < 0.4:
        ru.in_flight_count -= 1
        plain.in_flight -= 1
    for tile in range(TILES):
        if plain.live[tile] and rng.random() < 0.4:
            plain.live[tile] -= 1
            g.tiles[tile].live -= 1
            g.tiles[tile].unshaded -= 1


@pytest.mark.parametrize("seed", range(5))
def test_primitives_become_quads(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Entry by entry of the front tile, at the interpolators' rate, into the queue behind or straight into Early-Z; a
    clear waits for the tile's quads; who waits for room, quads or the end of the list is told.
    """
    told = run_plainly(monkeypatch, raster, depth)
    rng = np.random.default_rng(seed)
    came: list[int] = []
    cleared: list[tuple[int, int]] = []

    def accept(s: Any, ru: Any, quad: int) -> None:
        ru.in_flight_count += 1

    monkeypatch.setattr(raster, "accept", accept)
    monkeypatch.setattr(raster, "quad_came", lambda g, ru, quad: came.append(quad))
    monkeypatch.setattr(raster, "clear_tile", lambda s, ru, clear: cleared.append((ru.front, clear)))
    seen: Counter[int] = Counter()
    for _ in range(12):
        s, fetched = machine(rng)
        ru, g = s.ru[0], s.frame[0]
        plain = PlainRasterizer(s)
        plain.left = [t.pairs_left for t in g.tiles]
        if rng.random() < 0.5:
            s.plugs.quad_ready.function = lambda s, own, unit, quad, *rest, plain=plain: (
                plain.is_ready[quad] and (unit, *rest) == (0, 0, 0))  # fmt: skip
        came.clear()
        cleared.clear()
        waited = [0, 0]
        for s.now in range(20, 140):
            go_on(rng, s, plain, fetched)
            if s.plugs.quad_ready.function:
                plain.is_ready = (rng.random(200) < 0.5).tolist()
            found = raster.tick_raster(s, 0)
            state, following = plain.tick(ru, s.now)
            assert told.take() == ([(unit, -1) for unit in sorted(plain.woken)], [(33, state)])
            assert found == following
            assert ru.post_count == len(plain.post)
            assert [ru.post[(ru.post_head + k) % POST_RASTER_RING] for k in range(ru.post_count)] == [*plain.post]
            used = sum(g.pairs[row].entries for row in plain.queue)
            assert (ru.pair_count, ru.pair_used, ru.in_flight_count) == (len(plain.queue), used, plain.in_flight)
            assert [t.live for t in g.tiles] == [t.unshaded for t in g.tiles] == plain.live
            assert [t.pairs_left for t in g.tiles] == plain.left
            waited = [waited[0] + used, waited[1] + len(plain.post)]
            seen[state] += 1
        s.now += 1
        for queue, entries in ((0, ru.pair_used), (3, ru.post_count)):
            depth.stamp_queue(s, ru, queue, entries)
        assert [ru.entry_cycles[0], ru.entry_cycles[3]] == waited
        assert (ru.pairs, ru.interpolated) == (plain.count["pairs"], plain.count["interpolated"])
        assert (g.log[: g.retired], came) == (plain.log, plain.came)
        assert len(cleared) == plain.count["clears"]
        assert all(g.pairs[clear].tile == tile and g.pairs[clear].clear == clear for tile, clear in cleared)
    assert min(seen[state] for state in (BUSY, IDLE, QUEUE, DATA, DEPENDENCY)) > 5
