"""Fragment Processors, cycle by cycle on random quads, against lists of threads.

The unit is ticked when it is due, and sometimes in between; the twin in every cycle.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from plain_caches import Cache
from plain_kernels import Row, Stream, run_plainly

from gpumodel.units import depth, fragment, texture_cache
from gpumodel.units.cache import BLOCKED, HIT, MISS
from gpumodel.units.capacity import COLOR_RING, FRAGMENT_RING, THREAD_RING, TILES_IN_RASTER_UNIT
from gpumodel.units.events import BUSY, DATA, DEPENDENCY, IDLE, NEVER, QUEUE, RESOURCE
from gpumodel.units.state import FILLED, TAKEN

LATENCY = 3
HOOKS = ("queued", "shade", "shaded", "victim")
#: Units behind a Raster Unit's processors, which are 40 and 41, and in front of them.
BLEND, CACHE, EARLY = 30, 35, 45
COST_FIRST = 100


@dataclass(eq=False)
class Thread:
    """A quad in a processor; ``at``: segments that it has begun."""

    slot: int
    quad: int
    mask: int
    state: str = "ready"
    at: int = 0
    pending: int = 0
    is_filtered: bool = False


@dataclass
class Operation:
    """The texture instruction that look-ups are made for."""

    lines: deque[int]
    start: int
    cycles: int


@dataclass
class Plain:
    """What the processors of a Raster Unit share."""

    s: Row
    rng: np.random.Generator
    queues: list[deque[int]]
    popped: list[int] = field(default_factory=lambda: [-1, -1])
    colors: deque[int] = field(default_factory=deque)
    #: Tiles in order; quads of each that are not shaded, and those in the Raster Unit.
    order: deque[int] = field(default_factory=deque)
    shading: int = -1
    unshaded: Counter[int] = field(default_factory=Counter)
    live: Counter[int] = field(default_factory=Counter)
    killed: set[int] = field(default_factory=set)
    executed: dict[int, int] = field(default_factory=dict)
    waits: Counter[int] = field(default_factory=Counter)
    misses: Counter[int] = field(default_factory=Counter)
    tile_misses: Counter[int] = field(default_factory=Counter)
    count: Counter[str] = field(default_factory=Counter)
    log: list[tuple[Any, ...]] = field(default_factory=list)
    salt: int = 0

    def chance(self, *what: int) -> float:
        """What is as good as chance, but the same for the unit and its twin."""
        return hash((self.salt, *what)) % 1000 / 1000

    def mask_of(self, quad: int, now: int, mask: int) -> int:
        """What hook ``shade`` answers."""
        if self.chance(quad, now) < 0.3:
            return -1
        return mask & int(16 * self.chance(quad))


class PlainProcessor:
    """Threads, oldest first, and a texture unit."""

    def __init__(self, plain: Plain, index: int, cache: Cache) -> None:
        self.plain, self.index, self.cache = plain, index, cache
        self.own = plain.s.ru[0].processor[index]
        self.threads: list[Thread] = []
        self.entered = 0
        self.running: tuple[Thread, int] | None = None
        self.texture: deque[Thread] = deque()
        self.operation: Operation | None = None
        self.free = 0
        self.latent: deque[tuple[Thread, int]] = deque()
        self.attempts: Counter[tuple[int, int]] = Counter()
        self.looked: list[tuple[int, int, int]] = []
        self.count: Counter[str] = Counter()

    def give(self, waiters: int) -> None:
        """A line has come for the threads in these slots."""
        for thread in self.threads:
            if waiters >> self.own.waiter_shift + thread.slot & 1:
                thread.pending -= 1
                self.wake(thread)

    def wake(self, thread: Thread) -> None:
        if thread.state == "latent" and thread.is_filtered and not thread.pending:
            thread.state = "ready"

    def end_segment(self, thread: Thread) -> None:
        q = self.plain.s.frame[0].quads[thread.quad]
        if q.segment + thread.at < q.segment_end:
            thread.state, thread.pending, thread.is_filtered = "texture", 0, False
            self.texture.append(thread)
        else:
            thread.state = "done"
            self.plain.executed[thread.quad] = thread.mask

    def retire(self) -> None:
        plain, thread = self.plain, self.threads.pop(0)
        if plain.s.plugs.shaded.function:
            plain.log.append((thread.quad, FILLED, [4 * thread.quad + lane for lane in range(4)]))
        plain.colors.append(thread.quad)
        plain.unshaded[plain.s.frame[0].quads[thread.quad].tile] -= 1

    def is_held(self, tile: int) -> bool:
        """Whether a quad of a tile waits for those of others."""
        plain = self.plain
        if plain.s.cfg.decoupled:
            others = self.threads and plain.s.frame[0].quads[self.threads[0].quad].tile != tile
            return bool(others or tile not in list(plain.order)[:2])
        if tile == plain.shading:
            return False
        before = list(plain.order)[: plain.order.index(tile)]
        if any(plain.unshaded[earlier] for earlier in before):
            return True
        plain.shading = tile
        return False

    def accept(self, now: int) -> bool:
        """Take a quad; whether something holds back the one that is next."""
        plain, at = self.plain, self.own.queue
        queue, g = plain.queues[at], plain.s.frame[0]
        if not queue or g.quads[queue[0]].processor != self.index:
            return False
        quad, killed = queue[0], queue[0] in plain.killed
        if (len(self.threads) == self.own.num_threads and not killed) or plain.popped[at] == now:
            return False
        tile = g.quads[quad].tile
        if killed:
            plain.live[tile] -= 1
            plain.unshaded[tile] -= 1
        else:
            if self.is_held(tile):
                return True
            mask = alive = g.early[quad] & 15
            if plain.s.plugs.shade.function:
                mask = plain.mask_of(quad, now, alive)
                if mask < 0:
                    return True
                left_out = alive & ~mask
                if left_out:
                    named = [4 * quad + lane if left_out >> lane & 1 else -1 for lane in range(4)]
                    plain.log.append((quad, TAKEN, named))
            # The unit has them one behind the other in a ring.
            self.threads.append(Thread(self.entered % self.own.num_threads, quad, mask, "ready" if mask else "done"))
            self.entered += 1
            self.count["quads"] += mask > 0
            plain.count["shaded"] += mask.bit_count()
        queue.popleft()
        plain.popped[at] = now
        return False

    def code_of(self, thread: Thread) -> int:
        place = (thread.quad, thread.at)
        self.attempts[place] += 1
        chance = self.plain.chance(*place, self.attempts[place])
        return BLOCKED if chance < 0.2 else MISS if chance < 0.4 else HIT

    def issue(self, now: int) -> bool:
        """Whether the Instruction Cache takes no request."""
        g = self.plain.s.frame[0]
        for thread in [thread for thread in self.threads if thread.state == "ready"]:
            if self.own.instruction_cache >= 0:
                found = self.code_of(thread)
                if found == BLOCKED:
                    return True
                if found == MISS:
                    thread.state = "code"
                    continue
            cycles = g.segments[g.quads[thread.quad].segment + thread.at].cycles
            thread.at += 1
            self.count["instructions"] += cycles
            if cycles:
                thread.state = "runs"
                self.running = (thread, now + cycles)
                return False
            self.end_segment(thread)
        return False

    def begin_operation(self, thread: Thread, now: int) -> Operation:
        g = self.plain.s.frame[0]
        op = g.ops[g.quads[thread.quad].op + thread.at - 1]
        lanes = [lane for lane in range(4) if thread.mask >> lane & 1]
        texels = sum(op.texels[lane] for lane in lanes)
        self.count["texels"] += texels
        self.count["texture_ops"] += 1
        rows = range(op.line_first, op.line_first + op.line_count)
        wanted = [g.lines[row] for row in rows if any(g.lanes[row] >> lane & 1 for lane in lanes)]
        return Operation(deque(wanted), now, -(-texels // self.own.texels_per_cycle))

    def step_texture(self, now: int) -> bool:
        """A look-up, or the end of the instruction; whether a port or register is missing."""
        plain, thread = self.plain, self.texture[0]
        q = plain.s.frame[0].quads[thread.quad]
        if self.operation is None:
            self.operation = self.begin_operation(thread, now)
        if self.operation.lines:
            shared = plain.s.l1[self.own.cache].ports
            if shared and plain.chance(self.index, now) < 0.3:
                return True
            line, before = self.operation.lines[0], len(self.cache.asked)
            found = self.cache.read(line, 1 << self.own.waiter_shift + thread.slot)
            if found == BLOCKED:
                return True
            self.operation.lines.popleft()
            self.looked.append((line, found, COST_FIRST + q.draw))
            plain.misses[q.op + thread.at - 1] += found != HIT
            if found == MISS:
                thread.pending += 1
                plain.tile_misses[q.tile] += len(self.cache.asked) - before
        if not self.operation.lines:
            last = max(now, self.operation.start + self.operation.cycles - 1)
            self.free, self.operation = last + 1, None
            self.texture.popleft()
            thread.state = "latent"
            self.latent.append((thread, last + plain.s.l1[self.own.cache].latency))
        return False

    def tick(self, now: int, code_comes: bool) -> int:
        """Gives the state of this cycle."""
        if not self.plain.s.l1[self.own.cache].ports and self.cache.due() <= now:
            self.give(self.cache.take())
        if self.running and now == self.running[1]:
            thread, self.running = self.running[0], None
            self.end_segment(thread)
        for thread in self.threads:
            if code_comes and thread.state == "code":
                thread.state = "ready"
        while self.latent and self.latent[0][1] == now:
            thread = self.latent.popleft()[0]
            thread.is_filtered = True
            self.wake(thread)
        if self.threads and self.threads[0].state == "done" and len(self.plain.colors) < self.plain.s.ru[0].color_depth:
            self.retire()
        barrier = self.accept(now)
        blocked = self.running is None and self.issue(now)
        if self.texture and now >= self.free:
            blocked = self.step_texture(now) or blocked
        if self.running:
            return BUSY
        if not self.threads:
            return DEPENDENCY if barrier else IDLE
        oldest = self.threads[0]
        if oldest.state in ("texture", "latent"):
            q = self.plain.s.frame[0].quads[oldest.quad]
            self.plain.waits[q.op + oldest.at - 1] += 1
        return RESOURCE if blocked else QUEUE if oldest.state == "done" else DATA


def processors(rng: np.random.Generator, queues: int, shared: bool, code: bool) -> list[Row]:
    def ring(value: int = 0) -> list[int]:
        return [value] * THREAD_RING

    return [
        Row(
            unit=40 + k, cache=k, waiter_shift=31 * k if shared else 0, instruction_cache=9 if code else -1,
            instruction_port=1, queue=k % queues, num_threads=int(rng.choice([1, 2, 5, 31])),
            texels_per_cycle=int(rng.integers(1, 5)), quad=ring(), mask=ring(), segment=ring(), segment_end=ring(),
            op=ring(), pending=ring(), filtered=ring(), head=0, count=0, ready=0, done=0, running=-1, until=0,
            code=ring(), code_wait=0, code_ready=0, left=ring(), slot=[-1] * 4, texture=ring(),
            texture_head=THREAD_RING - 2, texture_count=0, line=-1, line_end=0, looked=0, op_start=0, op_cycles=0,
            texture_free=0, latent=ring(), latent_time=ring(), latent_head=THREAD_RING - 2, latent_count=0, lookups=0,
            wait_op=0, wait_since=0, texels=0, texture_ops=0, instructions=0, quads=0,
        )
        for k in range(2)
    ]  # fmt: skip


def geometry(rng: np.random.Generator) -> Row:
    """Quads of some tiles, each with a path of its own."""
    quads, segments, ops, lines, lanes = [], [], [], [], []
    for tile in range(4):
        for _ in range(int(rng.integers(2, 7))):
            steps = int(rng.choice([1, 1, 2, 3]))
            quads.append(Row(tile=tile, processor=int(rng.integers(2)), draw=int(rng.integers(9)), op=len(ops),
                             segment=len(segments), segment_end=len(segments) + steps))  # fmt: skip
            segments += [Row(cycles=int(rng.choice([0, 1, 3, 8]))) for _ in range(steps)]
            for _ in range(steps - 1):
                count = int(rng.choice([0, 1, 2, 5]))
                ops.append(Row(line_first=len(lines), line_count=count, texels=rng.integers(0, 9, 4).tolist()))
                lines += rng.integers(0, 12, count).tolist()
                lanes += rng.integers(1, 16, count).tolist()
    early = rng.choice([1, 6, 15, 128 + 9], len(quads)).tolist()
    return Row(
        quads=quads, segments=segments, ops=ops, lines=lines, lanes=lanes, early=early, cost_first=COST_FIRST,
        tiles=[Row(unshaded=0, live=0, misses=0) for _ in range(4)], executed=[0] * len(quads),
        op_misses=Stream([0] * len(ops)), op_waits=Stream([0] * len(ops)),
    )  # fmt: skip


class Bench:
    """Two processors and what is around them, twice: the unit's records, and the twin."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        some = rng.random(6) < 0.4
        queues = int(rng.integers(1, 3))
        ports = int(rng.random() < 0.3)
        ru = Row(
            frame=0, number=0, u_processor=40, u_depth=EARLY, u_blend=BLEND, u_tiles=46, u_raster=47, num_processors=2,
            processor=processors(rng, queues, bool(ports), bool(some[0])), num_queues=queues,
            queue_depth=int(rng.integers(2, 6)), queued=0, fragment=np.zeros((2, FRAGMENT_RING), np.int64),
            fragment_head=[FRAGMENT_RING - 2] * 2, fragment_count=[0, 0], fragment_popped=[-1, -1],
            color=[0] * COLOR_RING, color_head=COLOR_RING - 2, color_count=0, color_depth=int(rng.choice([1, 3, 20])),
            shading_tile=-1, shaded=0,
            order=[0] * TILES_IN_RASTER_UNIT, order_head=TILES_IN_RASTER_UNIT - 1, order_count=0,
            entry_cycles=[0] * 4, entry_since=[20] * 4,
        )  # fmt: skip
        caches = [
            Row(ports=ports, latency=int(rng.integers(1, 4)), owner=CACHE, primary_misses=0, who=-1, quiet_until=0)
            for _ in range(2)
        ]
        self.s = Row(
            frame=[geometry(rng)], ru=[ru], l1=caches, now=20, l2=Row(latency=LATENCY), costs=Row(count=1),
            cfg=Row(decoupled=int(some[1]), pipelined_tiles=1), slots_logged=0,
            slot_log=Stream([Row(quad=-1, frame=-1, kind=-1, slot=[-1] * 4) for _ in range(300)]),
            plugs=Row(**{name: Row(function=0, own=0) for name in HOOKS}),
        )  # fmt: skip
        self.s.slot_log.count = 300
        self.plain = Plain(self.s, rng, [deque() for _ in range(queues)], salt=int(rng.integers(1000)))
        sizes = [(int(rng.integers(1, 5)), int(rng.integers(2, 9))) for _ in range(2)]
        self.caches = [Cache(*size) for size in sizes]
        self.processors = [PlainProcessor(self.plain, k, Cache(*size)) for k, size in enumerate(sizes)]
        self.wake = [0, 0]
        self.told: list[int] = []
        self.looked: list[list[tuple[int, int, int]]] = [[], []]
        self.given = 0
        self.waited = [0, 0]
        #: How often the code of a segment was asked for.
        self.attempts: Counter[tuple[int, ...]] = Counter()
        hooks: dict[str, Any] = {"shade": self.shade, "shaded": self.shaded}
        for name, used in zip(("shade", "shaded"), some[2:4], strict=True):
            self.s.plugs[name].function = hooks[name] if used else 0
        self.s.plugs.queued.function = int(some[4])
        # The victim is chosen when a line comes, so lines are taken when they do.
        self.s.plugs.victim.function = int(some[5])

    # What the unit calls.

    def shade(self, s: Any, own: Any, raster_unit: int, quad: int, mask: int, index: int) -> int:
        p = s.ru[raster_unit].processor[index]
        assert (index, p.slot) == (s.frame[0].quads[quad].processor, [-1] * 4)
        p.slot[:] = [4 * quad + lane for lane in range(4)]
        found = self.plain.mask_of(quad, s.now, mask)
        if found < 0:
            self.wake[index] = min(self.wake[index], s.now + 1)
        return found

    def shaded(self, s: Any, own: Any, raster_unit: int, quad: int, mask: int, index: int) -> int:
        p = s.ru[raster_unit].processor[index]
        assert (p.slot, mask) == ([-1] * 4, p.mask[p.head])
        p.slot[:] = [4 * quad + lane for lane in range(4)]
        return 0

    def notify(self, s: Any, me: int, unit: int) -> None:
        self.told.append(unit)
        if unit in (40, 41):
            self.wake[unit - 40] = min(self.wake[unit - 40], s.now + (unit <= me))

    def code(self, s: Any, g: Any, p: Any, slot: int) -> int:
        quad = p.quad[slot]
        place = (quad, p.segment[slot] - g.quads[quad].segment)
        self.attempts[p.unit, *place] += 1
        chance = self.plain.chance(*place, self.attempts[p.unit, *place])
        return BLOCKED if chance < 0.2 else MISS if chance < 0.4 else HIT

    def at(self, c: Row) -> int:
        return next(k for k, own in enumerate(self.s.l1) if own is c)

    def read(self, s: Any, c: Row, line: int, waiters: int) -> int:
        own = self.caches[self.at(c)]
        before = len(own.asked)
        found = own.read(line - fragment.TEXTURE_BASE_LINE, waiters)
        c.primary_misses += len(own.asked) - before
        if found != BLOCKED:
            self.looked[self.at(c)].append((line - fragment.TEXTURE_BASE_LINE, found, c.who))
        return found

    def hits(self, s: Any, c: Row, line: int) -> int:
        if line - fragment.TEXTURE_BASE_LINE not in self.caches[self.at(c)].lines:
            return 0
        return int(self.read(s, c, line, 0) == HIT)

    # What the units around do.

    def memory(self) -> None:
        """Before the processors: the L2 answers, a shared cache gives its line."""
        now = self.s.now
        for k, (own, twin, c) in enumerate(zip(self.caches, self.processors, self.s.l1, strict=True)):
            if own.asked and self.rng.random() < 0.3:
                for cache in (own, twin.cache):
                    cache.fills.append((now + LATENCY, cache.asked.popleft()))
                self.wake[k] = min(self.wake[k], max(now + LATENCY, c.quiet_until))
            if c.ports and own.due() <= now:
                waiters = own.take()
                p = self.s.ru[0].processor[k]
                texture_cache.give_line(p, waiters >> p.waiter_shift)
                twin.give(twin.cache.take())
                if p.running < 0:
                    self.wake[k] = now

    def blend(self) -> None:
        ru = self.s.ru[0]
        if self.plain.colors and self.rng.random() < 0.3:
            depth.stamp_queue(self.s, ru, 2, ru.color_count)
            quad = self.plain.colors.popleft()
            assert ru.color[ru.color_head] == quad
            if ru.color_count == ru.color_depth:
                self.wake = [self.s.now] * 2
            ru.color_head = (ru.color_head + 1) % COLOR_RING
            ru.color_count -= 1
            tile = self.s.frame[0].quads[quad].tile
            self.s.frame[0].tiles[tile].live -= 1
            self.plain.live[tile] -= 1

    def early_z(self) -> None:
        """Behind the processors: the next quad comes, a technique kills one, tiles begin and end."""
        s, ru, g = self.s, self.s.ru[0], self.s.frame[0]
        if self.plain.order and not self.plain.live[oldest := self.plain.order[0]]:
            through = self.given == len(g.quads) or g.quads[self.given].tile != oldest
            if through and len(self.plain.order) > 1:
                self.plain.order.popleft()
                ru.order_head = (ru.order_head + 1) % TILES_IN_RASTER_UNIT
                ru.order_count -= 1
                if s.cfg.decoupled:
                    self.wake = [min(time, s.now + 1) for time in self.wake]
        if self.given < len(g.quads) and self.rng.random() < 0.5:
            q, quad = g.quads[self.given], self.given
            if q.tile not in self.plain.order:
                ru.order[(ru.order_head + ru.order_count) % TILES_IN_RASTER_UNIT] = q.tile
                ru.order_count += 1
                self.plain.order.append(q.tile)
            at = q.processor % ru.num_queues
            if ru.fragment_count[at] < ru.queue_depth:
                if ru.fragment_count[at] == 0:
                    self.notify(s, EARLY, 40 + q.processor)
                depth.stamp_queue(s, ru, 1, ru.queued)
                ru.fragment[at, (ru.fragment_head[at] + ru.fragment_count[at]) % FRAGMENT_RING] = quad
                ru.fragment_count[at] += 1
                ru.queued += 1
                self.plain.queues[at].append(quad)
                self.given += 1
                for counts in (self.plain.live, self.plain.unshaded):
                    counts[q.tile] += 1
                g.tiles[q.tile].live += 1
                g.tiles[q.tile].unshaded += 1
        waiting = [quad for queue in self.plain.queues for quad in queue]
        if waiting and s.plugs.queued.function and self.rng.random() < 0.1:
            quad = int(self.rng.choice(waiting))
            fragment.kill_queued(s, ru, quad)
            self.plain.killed.add(quad)

    def cycle(self) -> list[int]:
        """States of both processors."""
        states = []
        self.memory()
        self.blend()
        for k, twin in enumerate(self.processors):
            p = self.s.ru[0].processor[k]
            code = any(thread.state == "code" for thread in twin.threads) and self.plain.chance(k, self.s.now) < 0.3
            if code:
                p.code_ready = 1
                self.wake[k] = self.s.now
            if self.wake[k] <= self.s.now or self.rng.random() < 0.05:
                self.wake[k] = NEVER
                following = fragment.tick_processor(self.s, 0, k)
                assert following > self.s.now
                self.wake[k] = min(self.wake[k], following)
            states.append(twin.tick(self.s.now, code))
        self.early_z()
        self.waited[0] += sum(map(len, self.plain.queues))
        self.waited[1] += len(self.plain.colors)
        return states


def run_bench(bench: Bench, states: dict[int, int], seen: Counter[int]) -> None:
    s, plain = bench.s, bench.plain
    ru, g = s.ru[0], s.frame[0]
    for s.now in range(20, 2000):
        found = bench.cycle()
        seen.update(found)
        assert [states.get(40, IDLE), states.get(41, IDLE)] == found, s.now
        for p, twin in zip(ru.processor, bench.processors, strict=True):
            assert all(p.quad[thread.slot] == thread.quad for thread in twin.threads)
            assert (p.count, p.running < 0) == (len(twin.threads), twin.running is None)
        assert [t.unshaded for t in g.tiles] == [plain.unshaded[k] for k in range(4)]
        assert [t.live for t in g.tiles] == [plain.live[k] for k in range(4)]
        assert (ru.color_count, ru.queued) == (len(plain.colors), sum(map(len, plain.queues)))
        if bench.given == len(g.quads) and not plain.live.total():
            break
    assert not plain.live.total()


def check_sums(bench: Bench) -> None:
    """What was counted and noted, behind the end."""
    s, plain = bench.s, bench.plain
    ru, g = s.ru[0], s.frame[0]
    s.now += 1
    depth.stamp_queue(s, ru, 1, ru.queued)
    depth.stamp_queue(s, ru, 2, ru.color_count)
    assert ru.entry_cycles[1:3] == bench.waited
    assert ru.shaded == plain.count["shaded"]
    assert g.executed == [plain.executed.get(k, 0) for k in range(len(g.quads))]
    for stream, counts in ((g.op_misses, plain.misses), (g.op_waits, plain.waits)):
        assert stream == [counts[k] for k in range(len(g.ops))]
    assert [t.misses for t in g.tiles] == [plain.tile_misses[k] for k in range(4)]
    logged = [(row.quad, row.kind, row.slot) for row in s.slot_log[: s.slots_logged]]
    assert logged == plain.log
    for p, twin, looked in zip(ru.processor, bench.processors, bench.looked, strict=True):
        assert {name: p[name] for name in twin.count} == twin.count
        assert looked == twin.looked
        assert p.lookups == len(looked)
    shared = sum(found == MISS for looked in bench.looked for _, found, _ in looked) * s.l1[0].ports
    assert bench.told.count(CACHE) == shared


@pytest.mark.parametrize("seed", range(6))
def test_quads_are_shaded(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Threads issue and retire in the order in which they came, texture units work in order, lines come when they come;
    barriers, hooks, full queues, caches and registers hold up; whoever waits is told in time.
    """
    run_plainly(monkeypatch, fragment, texture_cache, depth)
    rng = np.random.default_rng(seed)
    seen: Counter[int] = Counter()
    states: dict[int, int] = {}
    monkeypatch.setattr(fragment, "account", lambda s, unit, state: states.update({unit: state}))
    monkeypatch.setattr(fragment, "account_port", lambda s, c, found: None)
    monkeypatch.setattr(fragment, "quad_left", lambda g, ru, quad: None)
    for _ in range(15):
        bench = Bench(rng)
        states.clear()
        monkeypatch.setattr(fragment, "notify", bench.notify)
        monkeypatch.setattr(fragment, "l1_read", bench.read)
        monkeypatch.setattr(fragment, "l1_hits", bench.hits)
        monkeypatch.setattr(fragment, "fill_at", lambda c, bench=bench: bench.caches[bench.at(c)].due())
        monkeypatch.setattr(fragment, "l1_fill", lambda s, c, bench=bench: bench.caches[bench.at(c)].take())
        monkeypatch.setattr(
            fragment, "take_port", lambda s, p, c, bench=bench: int(bench.plain.chance(p.unit - 40, s.now) >= 0.3)
        )
        monkeypatch.setattr(fragment, "_fetch_code", bench.code)
        run_bench(bench, states, seen)
        check_sums(bench)
    assert min(seen[state] for state in (BUSY, IDLE, QUEUE, DATA, RESOURCE, DEPENDENCY)) > 5
