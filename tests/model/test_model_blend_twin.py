"""Blending, cycle by cycle on random quads of some tiles, against lists of quads.

The unit is ticked when it is due, and sometimes in between; the twin in every cycle.
"""

from __future__ import annotations

from collections import Counter, deque

import numpy as np
import pytest
from plain_kernels import Row, Stream, run_plainly

from gpumodel.units import blend, depth, fragment
from gpumodel.units.capacity import COLOR_RING, FLIGHT_RING, TILES_IN_RASTER_UNIT
from gpumodel.units.depth import LATE, NO_UPDATE
from gpumodel.units.events import BUSY, DEPENDENCY, IDLE, NEVER

BLEND, FRONT, TILES, PROCESSOR = 30, 46, 47, 40
COUNTED = (
    "depth_reads", "depth_writes", "discarded", "late_killed", "written", "quads_blended", "blend_writes",
    "blend_reads",
)  # fmt: skip


class Plain:
    """Quads in front of Blending and in it, tiles in order."""

    def __init__(self, s: Row) -> None:
        self.s = s
        self.colors: deque[int] = deque()
        self.blending: deque[tuple[int, int]] = deque()
        self.order: deque[int] = deque()
        self.live: Counter[int] = Counter()
        self.count: Counter[str] = Counter()
        self.log: list[int] = []
        self.late = 0
        self.told: list[int] = []
        self.shaded: Counter[int] = Counter()

    @staticmethod
    def late_pass(quad: int, mask: int) -> int:
        """What the late test answers."""
        return mask & (11 * quad + 5) % 16

    def finish(self, quad: int) -> None:
        g = self.s.frame[0]
        q, early = g.quads[quad], g.early[quad]
        d = g.draws[q.draw]
        alive = early & 15
        survives = alive & q.survives
        passed = survives
        if early & LATE:
            passed = self.late_pass(quad, survives)
            self.late -= 1
            self.count["depth_reads"] += g.samples
            self.count["depth_writes"] += g.samples * bool(d.stencil_test or (d.depth_write and passed))
        for name, mask in (("discarded", alive - survives), ("late_killed", survives - passed), ("written", passed)):
            self.count[name] += mask.bit_count()
        self.count["quads_blended"] += 1
        self.count["blend_writes"] += passed > 0
        self.count["blend_reads"] += passed > 0 and d.blend
        assert g.written[quad] == passed
        if g.samples > 1:
            samples = sum(15 << 4 * f for f in range(4) if passed >> f & 1)
            assert g.written_samples[quad] == 0b1011_0001_1111_0110 & samples
        self.log.append(quad)
        self.live[q.tile] -= 1
        self.shaded[q.tile] += alive.bit_count()
        through = self.live[q.tile] == 0
        self.told += [TILES] * (through or (self.late == 0 and self.s.cfg.pipelined_tiles)) + [FRONT] * through

    def has_buffer(self, quad: int) -> bool:
        ru, tile = self.s.ru[0], self.s.frame[0].quads[quad].tile
        flushes = ru.flushing or ru.flush_pending >= 0
        if tile == self.order[0]:
            return not (flushes and ru.color_buffers == 1)
        return bool(self.s.cfg.decoupled and list(self.order)[1:2] == [tile] and not flushes)

    def tick(self, now: int) -> int:
        ru, rate = self.s.ru[0], self.s.cfg.quads_per_cycle
        self.told = []
        for _ in range(rate):
            if self.blending and self.blending[0][1] <= now:
                self.finish(self.blending.popleft()[0])
        waits = bool(self.colors and not self.has_buffer(self.colors[0]))
        was_full, entered = len(self.colors) == ru.color_depth, 0
        while self.colors and entered < rate and self.has_buffer(self.colors[0]):
            if ru.blending_depth and len(self.blending) == ru.blending_depth:
                break
            quad = self.colors.popleft()
            if ru.blending_depth:
                self.blending.append((quad, now + ru.blend_latency))
            else:
                self.finish(quad)
            entered += 1
        self.told += [PROCESSOR, PROCESSOR + 1] if was_full and entered else []
        if self.blending or entered:
            return BUSY
        return DEPENDENCY if waits else BUSY if self.colors else IDLE


class Bench:
    """Quads that come in the order of their tiles."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        quads = [
            Row(tile=tile, draw=int(rng.integers(4)), position=int(rng.integers(3)), survives=int(rng.integers(16)))
            for tile in range(4)
            for _ in range(int(rng.integers(1, 9)))
        ]
        early = rng.choice([3, 15, 15 | LATE | NO_UPDATE, 6 | LATE | NO_UPDATE], len(quads)).tolist()
        self.g = Row(
            quads=quads, early=early, samples=int(rng.choice([1, 4])), log=[-1] * len(quads), retired=0,
            draws=[Row(stencil_test=k & 1, depth_write=k >> 1, blend=int(rng.integers(2))) for k in range(4)],
            written=[-1] * len(quads), written_samples=Stream([0b1011_0001_1111_0110] * len(quads)),
            tiles=[Row(live=0, quads=0, shaded=0) for _ in range(4)],
        )  # fmt: skip
        depth_of, latency = int(rng.choice([0, 1, 4])), int(rng.integers(1, 5))
        self.ru = Row(
            frame=0, u_blend=BLEND, u_tiles=TILES, u_raster=FRONT, u_processor=PROCESSOR, num_processors=2,
            pending=[9] * 3, late_pending=0, flushing=0, flush_pending=-1, order=[-1] * TILES_IN_RASTER_UNIT,
            order_head=TILES_IN_RASTER_UNIT - 2, order_count=0, color_buffers=int(rng.integers(1, 3)),
            color=[-1] * COLOR_RING, color_head=COLOR_RING - 2, color_count=0, color_depth=int(rng.integers(1, 6)),
            blending=[-1] * FLIGHT_RING, blending_ready=[0] * FLIGHT_RING, blending_head=FLIGHT_RING - 2,
            blending_count=0, blending_depth=depth_of, blend_latency=latency if depth_of else 0, entry_cycles=[0] * 4,
            entry_since=[20] * 4, **dict.fromkeys(COUNTED, 0),
        )  # fmt: skip
        cfg = Row(quads_per_cycle=int(rng.choice([1, 2, 4])), pipelined_tiles=int(rng.integers(2)),
                  decoupled=int(rng.integers(2)))  # fmt: skip
        self.s = Row(frame=[self.g], ru=[self.ru], cfg=cfg, costs=Row(count=1), now=20)
        self.plain = Plain(self.s)
        self.given = 0
        self.wake = 20
        self.held = 0

    def around(self) -> None:
        """Behind Blending: quads are shaded, tiles begin and end, flushes come and go."""
        rng, ru, g, plain = self.rng, self.ru, self.g, self.plain
        soon = self.s.now + 1
        if rng.random() < 0.1:
            # The last one ends.
            goes_on = self.s.now < 300
            ru.flushing = int(goes_on and rng.integers(2))
            ru.flush_pending = 0 if goes_on and rng.integers(2) else -1
            self.wake = min(self.wake, soon)
        tile = g.quads[self.given].tile if self.given < len(g.quads) else -1
        is_over = len(plain.order) > 1 and not plain.live[plain.order[0]] and plain.order[0] != tile
        if is_over and rng.random() < 0.4:
            plain.order.popleft()
            ru.order_head = (ru.order_head + 1) % TILES_IN_RASTER_UNIT
            ru.order_count -= 1
            self.wake = min(self.wake, soon)
        for _ in range(int(rng.integers(0, 3))):
            if self.given == len(g.quads) or ru.color_count == ru.color_depth:
                return
            q = g.quads[self.given]
            if q.tile not in plain.order:
                ru.order[(ru.order_head + ru.order_count) % TILES_IN_RASTER_UNIT] = q.tile
                ru.order_count += 1
                plain.order.append(q.tile)
            depth.stamp_queue(self.s, ru, 2, ru.color_count)
            ru.color[(ru.color_head + ru.color_count) % COLOR_RING] = self.given
            ru.color_count += 1
            plain.colors.append(self.given)
            plain.live[q.tile] += 1
            g.tiles[q.tile].live += 1
            if g.early[self.given] & LATE:
                ru.late_pending += 1
                plain.late += 1
            self.given += 1
            self.wake = min(self.wake, soon)


@pytest.mark.parametrize("seed", range(4))
def test_quads_are_blended(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """In order, those of the oldest tile while it has a Colour Buffer, each for its latency; late tests come before;
    who waits for room, quads or late tests is told.
    """
    told = run_plainly(monkeypatch, blend, depth, fragment)
    rng = np.random.default_rng(seed)
    seen: Counter[int] = Counter()
    left: list[int] = []
    #: State in the cycle of the last tick, and from the next one on.
    state = [IDLE, IDLE, 0]
    monkeypatch.setattr(blend, "passing_fragments", lambda s, ru, quad, mask, stage: Plain.late_pass(quad, mask))
    monkeypatch.setattr(blend, "quad_left", lambda g, ru, quad: left.append(quad))
    monkeypatch.setattr(blend, "account", lambda s, unit, one: state.__setitem__(slice(0, 3), [one, one, s.now]))
    monkeypatch.setattr(
        blend, "account_once", lambda s, unit, one, two: state.__setitem__(slice(0, 3), [one, two, s.now])
    )
    for _ in range(25):
        bench = Bench(rng)
        s, ru, g, plain = bench.s, bench.ru, bench.g, bench.plain
        left.clear()
        for s.now in range(20, 900):
            told.take()
            if bench.wake <= s.now or rng.random() < 0.05:
                bench.wake = NEVER
                following = blend.tick_blend(s, 0)
                assert following > s.now
                bench.wake = min(bench.wake, following)
            found = plain.tick(s.now)
            assert state[state[2] < s.now] == found
            assert told.take()[0] == [(unit, -1) for unit in sorted(plain.told)]
            assert (ru.color_count, ru.blending_count) == (len(plain.colors), len(plain.blending))
            assert [t.live for t in g.tiles] == [plain.live[k] for k in range(4)]
            seen[found] += 1
            bench.around()
            bench.held += len(plain.colors)
            if len(plain.log) == len(g.quads):
                break
        assert plain.log == g.log[: g.retired] == left
        assert g.retired == len(g.quads)
        assert {name: ru[name] for name in COUNTED} == {name: plain.count[name] for name in COUNTED}
        assert ru.late_pending == 0
        lates = Counter(q.position for q, early in zip(g.quads, g.early, strict=True) if early & LATE)
        assert ru.pending == [9 - lates[k] for k in range(3)]
        assert [t.shaded for t in g.tiles] == [plain.shaded[k] for k in range(4)]
        assert [t.quads for t in g.tiles] == [sum(q.tile == k for q in g.quads) for k in range(4)]
        s.now += 1
        depth.stamp_queue(s, ru, 2, ru.color_count)
        assert ru.entry_cycles[2] == bench.held
    assert min(seen[one] for one in (BUSY, IDLE, DEPENDENCY)) > 5
