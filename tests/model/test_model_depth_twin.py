"""Early-Z's test on random quads of a tile, early and late, and what of a tile's depth and stencil is kept, against
buffers of samples.
"""

from __future__ import annotations

import operator
from collections import Counter
from typing import Any

import numpy as np
import pytest
from plain_kernels import Row, Stream, run_plainly

from gpumodel.units import depth
from gpumodel.units.capacity import FLIGHT_RING
from gpumodel.units.depth import LATE, NO_UPDATE, TEST_EARLY, TEST_KILL, TEST_LATE
from gpumodel.units.events import BUSY, DATA, DEPENDENCY, IDLE, NEVER, QUEUE, RESOURCE
from gpumodel.units.types import RASTER_UNIT_T
from traceformat.gputrace.frametrace import LoadOp

#: GL_NEVER, LESS, EQUAL, LEQUAL, GREATER, NOTEQUAL, GEQUAL, ALWAYS.
COMPARES: list[Any] = [
    lambda a, b: False, operator.lt, operator.eq, operator.le, operator.gt, operator.ne, operator.ge, lambda a, b: True
]  # fmt: skip
#: KEEP, ZERO, REPLACE, INCR, DECR, INVERT, INCR_WRAP, DECR_WRAP of a stored value and a reference.
OPERATIONS: list[Any] = [
    lambda s, r: s, lambda s, r: 0, lambda s, r: r, lambda s, r: min(s + 1, 255), lambda s, r: max(s - 1, 0),
    lambda s, r: 255 - s, lambda s, r: (s + 1) % 256, lambda s, r: (s - 1) % 256,
]  # fmt: skip
#: Which way a function lets depths go: down, up, either; not at all without an update.
FAMILIES = [0, 1, 0, 1, 2, 4, 2, 4]
TILE_WIDTH = 8


def draws(rng: np.random.Generator) -> list[Row]:
    """States of depth and stencil."""
    found = []
    for _ in range(6):
        stencil = {
            name: rng.choice(values, 2).tolist()
            for name, values in {
                "stencil_func": range(8), "stencil_ref": (0, 3, 255), "stencil_read": (255, 1),
                "stencil_write": (255, 0, 15), "stencil_fail": range(8), "depth_fail": range(8), "depth_pass": range(8),
            }.items()
        }  # fmt: skip
        func, write = int(rng.integers(8)), int(rng.integers(2))
        late = int(rng.random() < 0.3)
        stencils = int(rng.random() < 0.3)
        shader = int(late and rng.random() < 0.5)
        tested = int(rng.random() < 0.8)
        found.append(Row(
            depth_test=tested, depth_write=write & tested, func=func, stencil_test=stencils, late=late,
            late_kill=int(tested and not shader and not stencils), shader_depth=shader,
            family=FAMILIES[func], **stencil,
        ))  # fmt: skip
    return found


class Plain:
    """A tile's samples, and the quads whose tests are to come."""

    def __init__(self, s: Row) -> None:
        ru = s.ru[0]
        self.g, self.samples, self.front_only = s.frame[0], s.frame[0].samples, ru.front_only
        self.depth, self.stencil = list(ru.depth), list(ru.stencil)
        #: Of each position: draws of the quads that are tested late.
        self.late: dict[int, list[Row]] = {}
        #: And of those since none was.
        self.since: dict[int, list[Row]] = {}
        self.count: Counter[str] = Counter()
        self.written: dict[int, int] = {}

    def test(self, d: Row, back: int, at: int, value: int, stage: int) -> bool:
        passes = not d.depth_test or COMPARES[d.func](value, self.depth[at])
        if stage == TEST_KILL:
            return bool(passes)
        if d.stencil_test:
            stored, read, write = self.stencil[at], d.stencil_read[back], d.stencil_write[back]
            stays = COMPARES[d.stencil_func[back]](d.stencil_ref[back] & read, stored & read)
            which = d.stencil_fail if not stays else d.depth_pass if passes else d.depth_fail
            new = OPERATIONS[which[back]](stored, d.stencil_ref[back])
            self.stencil[at] = stored & ~write | new & write
            passes = passes and stays
        if passes and d.depth_write:
            self.depth[at] = value
        return bool(passes)

    def fragments(self, quad: int, mask: int, stage: int) -> int:
        """Fragments of a mask that pass, or one of whose samples does."""
        g, q = self.g, self.g.quads[quad]
        d = g.draws[q.draw]
        across = TILE_WIDTH // 2
        left = 0
        for f in range(4):
            if not mask >> f & 1:
                continue
            x, y = 2 * (q.position % across) + f % 2, 2 * (q.position // across) + f // 2
            own = stage == TEST_LATE and d.shader_depth
            passed = 0
            for k in range(self.samples):
                if self.samples > 1 and not g.sample_coverage[q.row] >> 4 * f + k & 1:
                    continue
                value = (
                    g.shader_depth[4 * q.row + f] if own
                    else g.sample_depth[16 * q.row + 4 * f + k] if self.samples > 1 else q.depth[f]
                )  # fmt: skip
                at = self.samples * (TILE_WIDTH * y + x) + k
                passed |= self.test(d, q.back, at, value, stage) << k
            left |= (passed > 0) << f
            if stage != TEST_KILL and self.samples > 1:
                self.written[quad] &= ~((15 & ~passed) << 4 * f)
        return left

    def enter(self, quad: int) -> int:
        """Early result of a quad."""
        g, q = self.g, self.g.quads[quad]
        d = g.draws[q.draw]
        self.written[quad] = g.sample_coverage[q.row]
        if not d.depth_test and not d.stencil_test:
            return int(q.coverage)
        self.count["depth_reads"] += self.samples
        before = self.late.setdefault(q.position, [])
        if self.front_only or (not d.late and not before):
            alive = self.fragments(quad, q.coverage, TEST_EARLY)
            writes = d.stencil_test or (d.depth_write and alive)
            self.count["depth_writes"] += self.samples * bool(writes and not self.front_only)
            return alive
        behind = self.since.setdefault(q.position, [])
        if not before:
            behind.clear()
        # Whatever was pending since the position was free has to move depths the way in which this function passes,
        # and no stencil value.
        moves = {one.family for one in behind if one.depth_write and one.family}
        way = {d.family} if d.family in (1, 2) else set()
        harmless = moves <= way and not any(one.stencil_test for one in behind)
        kills = d.late_kill if d.late else d.depth_test and not d.stencil_test
        alive = self.fragments(quad, q.coverage, TEST_KILL) if kills and harmless else q.coverage
        if alive:
            before.append(d)
            behind.append(d)
        return alive | NO_UPDATE | (LATE if alive else 0)


def machine(rng: np.random.Generator, samples: int) -> Row:
    rows = 40
    quads = [
        Row(draw=int(rng.integers(6)), row=k, position=int(rng.integers(5)), back=int(rng.integers(2)),
            coverage=int(rng.integers(1, 16)), depth=rng.integers(0, 5, 4).tolist(), tile=0)
        for k in range(rows)
    ]  # fmt: skip
    coverage = []
    for q in quads:
        covered = [int(rng.integers(1, 16)) if q.coverage >> f & 1 else 0 for f in range(4)]
        coverage.append(sum(bits << 4 * f for f, bits in enumerate(covered)))
    g = Row(
        quads=quads, draws=draws(rng), samples=samples, sample_coverage=coverage, written_samples=Stream([0] * rows),
        shader_depth=rng.integers(0, 5, 4 * rows).tolist(), sample_depth=rng.integers(0, 5, 16 * rows).tolist(),
        early=[-1] * rows,
    )  # fmt: skip
    size = samples * TILE_WIDTH * 6
    ru = Row(
        number=0, frame=0, front_only=int(rng.random() < 0.2), depth=rng.integers(0, 5, size).tolist(),
        stencil=rng.choice([0, 1, 3, 254, 255], size).tolist(), pending=[0] * 8, pending_family=[0] * 8, late_pending=0,
        depth_reads=0, depth_writes=0, rasterized=0, early_killed=0, quads_rasterized=0, in_flight=[-1] * FLIGHT_RING,
        in_flight_ready=[-1] * FLIGHT_RING, in_flight_head=FLIGHT_RING - 3, in_flight_count=0, depth_latency=6,
    )  # fmt: skip
    plugs = Row(test=Row(function=0, own=0))
    return Row(frame=[g], ru=[ru], cfg=Row(tile_width=TILE_WIDTH, tile_quads_x=TILE_WIDTH // 2), plugs=plugs, now=11)


@pytest.mark.parametrize("samples", [1, 4])
@pytest.mark.parametrize("seed", range(2))
def test_quads_are_tested(monkeypatch: pytest.MonkeyPatch, samples: int, seed: int) -> None:
    """In their order, with update; a draw that discards or writes depth is tested late, and so is what comes behind it
    there, and killed early only where that cannot change the outcome.
    """
    run_plainly(monkeypatch, depth)
    rng = np.random.default_rng([samples, seed])
    monkeypatch.setattr(depth, "_test_quad", depth.sample_loop(RASTER_UNIT_T, depth._test_plain).py_func)
    seen: Counter[Any] = Counter()
    for _ in range(40):
        s = machine(rng, samples)
        g, ru = s.frame[0], s.ru[0]
        plain = Plain(s)
        waiting: list[int] = []
        for quad, q in enumerate(g.quads):
            coverage = int(q.coverage)
            depth.accept(s, ru, quad)
            expected = plain.enter(quad)
            assert g.early[quad] == expected
            seen[expected & (LATE | NO_UPDATE)] += 1
            at = (ru.in_flight_head + quad) % FLIGHT_RING
            assert (ru.in_flight[at], ru.in_flight_ready[at], ru.in_flight_count) == (quad, 17, quad + 1)
            for name, fragments in (("rasterized", coverage), ("early_killed", coverage & ~expected)):
                plain.count[name] += fragments.bit_count()
            if expected & LATE:
                waiting.append(quad)
            while waiting and rng.random() < 0.3:
                # Before Blending, in the order of a position.
                late = waiting.pop(0)
                mask = int(g.early[late] & 15)
                assert depth.passing_fragments(s, ru, late, mask, TEST_LATE) == plain.fragments(late, mask, TEST_LATE)
                place = g.quads[late].position
                plain.late[place].pop(0)
                ru.pending[place] -= 1
                ru.late_pending -= 1
            assert (ru.depth, ru.stencil) == (plain.depth, plain.stencil)
            assert ru.late_pending == sum(map(len, plain.late.values()))
        assert {name: ru[name] for name in plain.count} == plain.count
        assert ru.quads_rasterized == len(g.quads)
        if samples > 1:
            assert g.written_samples == [plain.written[k] for k in range(len(g.quads))]
    assert min(seen[0], seen[NO_UPDATE], seen[NO_UPDATE | LATE]) > 5


@pytest.mark.parametrize("samples", [1, 4])
def test_depth_and_stencil_of_a_tile(monkeypatch: pytest.MonkeyPatch, samples: int) -> None:
    """A tile finds what the target holds, each of both where it is kept and not cleared, else the clear value, and
    leaves what it has; a tile of a target that is not kept leaves nothing.
    """
    run_plainly(monkeypatch, depth)
    rng = np.random.default_rng(samples)
    for _ in range(40):
        images = [Stream(rng.integers(0, 200, 20 * 12 * samples).tolist()) for _ in range(2)]
        kept = int(rng.integers(2))
        images[0].count = images[1].count = kept
        loads = [int(rng.choice([LoadOp.DONT_CARE, LoadOp.CLEAR, LoadOp.LOAD])) for _ in range(2)]
        x0, y0, width, height = 8 * int(rng.integers(2)), 4 * int(rng.integers(2)), *rng.integers(1, [9, 5]).tolist()
        g = Row(
            tiles=[Row(), Row(x0=x0, y0=y0, width=width, height=height)], samples=samples, width=20, clear_depth=201,
            clear_stencil=202, depth_image=images[0], stencil_image=images[1], depth_load=loads[0],
            stencil_load=loads[1],
        )  # fmt: skip
        buffers = [[-1] * (8 * 6 * samples) for _ in range(2)]
        ru = Row(depth=buffers[0], stencil=buffers[1])
        s = Row(cfg=Row(tile_width=8))
        depth.begin_tile(s, g, ru, 1)
        before = [np.array(image).reshape(12, 20, samples) for image in images]
        for image, buffer, load, clear in zip(before, buffers, loads, (201, 202), strict=True):
            expected = np.full((6, 8, samples), -1)
            keeps = kept and load != LoadOp.CLEAR
            expected[:height, :width] = image[y0 : y0 + height, x0 : x0 + width] if keeps else clear
            assert buffer == expected.ravel().tolist()
            buffer[:] = rng.integers(300, 400, len(buffer)).tolist()
        depth.keep_tile(s, g, ru, 1)
        for image, buffer, after in zip(before, buffers, images, strict=True):
            if kept:
                own = np.array(buffer).reshape(6, 8, samples)[:height, :width]
                image[y0 : y0 + height, x0 : x0 + width] = own
            assert after == image.ravel().tolist()


def test_states_of_early_z(monkeypatch: pytest.MonkeyPatch) -> None:
    """Held up by a full fragment queue; at work while it has quads; else what the queue in front of it waits for."""
    told = run_plainly(monkeypatch, depth)
    rng = np.random.default_rng(17)
    for _ in range(300):
        blocked, waits = int(rng.integers(2)), int(rng.choice([BUSY, IDLE, DATA, RESOURCE, DEPENDENCY]))
        monkeypatch.setattr(depth, "_pass_on", lambda s, ru, blocked=blocked: blocked)
        monkeypatch.setattr(depth, "_take_queued", lambda s, ru, waits=waits: waits)
        count, ready, queue = (int(rng.integers(n)) for n in (2, 40, 2))
        ru = Row(u_depth=32, post_depth=queue, in_flight_count=count, in_flight_head=1, in_flight_ready=[0, ready])
        waits = waits if queue else IDLE
        following = depth.tick_depth(Row(ru=[ru], now=20), 0)
        state = QUEUE if blocked else BUSY if count else waits
        assert told.take()[1] == [(32, state)]
        own = max(ready, 21) if count and not blocked else NEVER
        assert following == min(own, 21 if waits == BUSY else NEVER)
