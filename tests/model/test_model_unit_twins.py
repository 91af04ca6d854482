"""Functions of the Raster Units and of the Tile Fetcher as plain Python on random records, against what they say."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from plain_kernels import Row, Told, run_plainly
from test_model_cost_twin import owner_of_geometry, owner_of_unit

from gpumodel.units import cost_owners, depth, flush, fragment, raster, tile_fetch, tiles
from gpumodel.units.cache import BLOCKED, HIT, MISS
from gpumodel.units.capacity import FLIGHT_RING, FRAGMENT_RING, POST_RASTER_RING, TILE_QUEUE_RING, TILES_IN_RASTER_UNIT
from gpumodel.units.events import BUSY, DATA, DEPENDENCY, IDLE, RESOURCE
from gpumodel.units.state import FILLED, KEPT, RENDERED, TAKEN

NO_HOOKS = dict.fromkeys(("quad_ready", "queued", "shade", "shaded", "tile_render", "tile_flush", "tile_pick"))


def hooks(**answers: Any) -> Row:
    """Plugs of which some have a function."""
    return Row(**{name: Row(function=answers.get(name) or 0, own=0) for name in NO_HOOKS})


def test_whose_a_cycle_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records of every kind, also such as no frame of the tests comes to."""
    run_plainly(monkeypatch, cost_owners)
    rng = np.random.default_rng(2)
    seen: Counter[Any] = Counter()
    for _ in range(600):

        def some(*values: Any) -> int:
            return int(rng.choice(values))

        own_tiles = [
            Row(
                raster_unit=some(0, 0, 1), pair_first=3 * k, pair_count=3, pairs_left=some(0, 1, 3), unshaded=some(0, 2)
            )
            for k in range(3)
        ]  # fmt: skip
        pairs = [Row(tile=k // 3, clear=some(-1, -1, 0), draw=some(0, 1, 2)) for k in range(9)]
        for pair in pairs:
            pair.draw = -1 if pair.clear >= 0 else pair.draw
        quads = [Row(tile=some(0, 1, 2), draw=some(0, 1, 2)) for _ in range(6)]
        inside = rng.permutation(6)[: some(0, 1, 3, 6)].tolist()
        split = some(*range(len(inside) + 1))
        fetched = some(*range(9))
        g = Row(
            pairs=pairs, tiles=own_tiles, quads=quads, table_count=some(0, 1, 2, 3), table_head=some(0, 1, 2),
            table_pair=rng.integers(0, 9, 3).tolist(), fetch_state=some(*range(9)), fetch_pair=fetched,
            tile=fetched // 3, cost_first=10, cost_shared=20, u_fetch_tiles=1,
            input_count=some(0, 1, 2, 3), input_depth=4, row=some(0, 3), row_end=3, output_count=some(0, 1, 2),
            output_depth=some(2, 3), u_binner=3, processor_busy=rng.integers(0, 2, 4) * (rng.random(4) < 0.4),
            num_processors=some(1, 3), binning=some(-1, -1, 0, 1), emitted=[Row(draw=k % 3) for k in range(4)],
            triangle_count=some(0, 0, 1), triangle=[some(0, 1, 2, 3) for _ in range(4)], triangle_head=some(0, 1, 2, 3),
            primitive=some(0, 2), primitive_end=2, primitives=[Row(draw=some(0, 1, 2)) for _ in range(3)],
            vertices=[Row(draw=some(0, 1, 2)) for _ in range(4)], draws_ready=some(0, 3), draw_end=3,
        )  # fmt: skip
        ru = Row(
            number=0, front=some(-1, 0, 1, 2), pair_count=some(0, 2), pair_head=some(0, 1), pair=[some(*range(9)), 4],
            order=[some(0, 1, 2)] * 2, order_head=some(0, 1), color_count=len(inside) - split, color_head=1,
            color_depth=some(2, 4, 7), color_buffers=some(1, 2), queued=some(0, 1, 3), queue_depth=some(1, 2),
            num_queues=some(1, 2), post_count=split, post_head=0, post_depth=some(0, 2, 8), loading=some(0, 0, 1),
            flushing=some(0, 1), flush_pending=some(-1, 0, 2), u_raster=0, u_flush=2, num_processors=0,
            post=inside[:split] or [0], color=[*inside[split:][-1:], *inside[split:][:-1]] or [0],
            oldest_quad=min(inside, default=-1),
            **{name: 0 for kind in ("in_flight", "blending") for name in (f"{kind}_head", f"{kind}_count")},
            in_flight=[0], blending=[0], fragment=[[0]] * 2, fragment_head=[0, 0], fragment_count=[0, 0], processor=[],
        )  # fmt: skip
        ahead = some(0, 1)
        s = Row(
            cfg=Row(table_entries=3, fetches_ahead=ahead), unit_state=[some(BUSY, IDLE), some(DATA, BUSY),
                                                                            some(RESOURCE, BUSY), some(BUSY, IDLE)],
            dram=Row(moves_other=some(0, 0, 1), moves_for=some(-1, 11)), frame=[g], ru=[ru],
        )  # fmt: skip
        if not ahead:
            # The simple fetcher has no table.
            g.table_count = 0
        if ru.front >= 0 and pairs[ru.pair[ru.pair_head]].tile == ru.front:
            own_tiles[ru.front].pairs_left = max(own_tiles[ru.front].pairs_left, 1)
        p: Any = Row(
            pairs=pairs, tiles=own_tiles, quads=quads, emitted=g.emitted, primitives=g.primitives, vertices=g.vertices
        )
        pair = cost_owners._front_pair(s, g, ru)
        held_by = cost_owners._held_by(g, ru, pair)
        owner = cost_owners._raster_owner(g, ru, pair, held_by)
        shader = cost_owners._shader(s, g, ru, owner if held_by == 1 else -1)
        assert (owner, shader) == owner_of_unit(s, g, ru, p)
        seen[held_by, owner, shader >= 0] += 1
        found = cost_owners._geometry_owner(g), bool(cost_owners._vertices_hold(s, g))
        assert found == owner_of_geometry(s, g, p)
        seen[found[1]] += 1
    assert {key[0] for key in seen if isinstance(key, tuple)} == {0, 1, 2, 3}
    assert min(seen[False], seen[True]) > 10


def raster_unit(rng: np.random.Generator, **fields: Any) -> Row:
    def some(*values: Any) -> int:
        return int(rng.choice(values))

    return Row(**{
        "number": 0, "frame": 0, "loading": some(0, 0, 0, 1), "in_flight_count": some(0, 0, 1),
        "late_pending": some(0, 0, 1), "depth_tile": some(-1, 0, 1, 2),
        "post_count": some(0, 1), "post_head": some(0, 1),
        "post": [some(*range(6)), some(*range(6))], "flushing": some(0, 0, 1), "flush_pending": some(-1, -1, 0),
        "tested": some(0, 1), "color_buffers": some(1, 2), "post_depth": some(0, 4), "front": some(-1, 0, 2),
        "order": [some(0, 1, 2)] * TILES_IN_RASTER_UNIT, "order_head": some(0, 1), "order_count": 2, "opened": 1,
        "tiles": 5, "u_flush": 31, "u_processor": 40, "u_depth": 32, "u_raster": 33, "u_tiles": 34, "u_enter": 35,
        "num_processors": 2, **fields,
    })  # fmt: skip


def test_a_tile_begins_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Early-Z takes the next tile when nothing of the last one is in it, in front of it or late, and the buffers are
    free; the Rasterizer with it, or behind a queue when it is through; a tile ends when all of it is blended.
    """
    told = run_plainly(monkeypatch, tiles)
    rng = np.random.default_rng(4)
    kept: list[int] = []
    monkeypatch.setattr(tiles, "keep_tile", lambda s, g, ru, tile: kept.append(tile))
    monkeypatch.setattr(tiles, "request_flush", lambda s, ru, tile: requested)
    monkeypatch.setattr(tiles, "_moved_bytes", lambda s: 1000)
    seen: Counter[Any] = Counter()
    for _ in range(1000):
        ru = raster_unit(rng)
        own = [Row(pairs_left=int(rng.choice([0, 0, 1])), live=int(rng.choice([0, 0, 2])), flush=int(rng.integers(2)),
                   outcome=0, end=-1, traffic=-900) for _ in range(3)]  # fmt: skip
        g = Row(tiles=own, quads=[Row(tile=k % 3) for k in range(6)], stores_depth=int(rng.integers(2)),
                loads=int(rng.integers(2)), u_beside=int(rng.choice([0, 50])), tiles_rendered=3)  # fmt: skip
        s = Row(frame=[g], cfg=Row(decoupled=int(rng.integers(2))), plugs=hooks(), now=77)
        flushes = bool(ru.flushing or ru.flush_pending >= 0)
        reasons = {
            "stage": ru.loading or ru.in_flight_count or ru.late_pending,
            "front": ru.depth_tile >= 0 and own[ru.depth_tile].pairs_left,
            "queue": ru.depth_tile >= 0 and ru.post_count and ru.post[ru.post_head] % 3 == ru.depth_tile,
            "stored": g.stores_depth and (ru.tested or flushes),
            "loaded": g.loads and ru.tested + flushes >= ru.color_buffers,
        }
        may = not any(reasons.values())
        assert tiles.may_test(s, ru) == may
        seen.update(
            [name for name, holds in reasons.items() if holds] if sum(map(bool, reasons.values())) == 1 else [may]
        )
        through = ru.front < 0 or not own[ru.front].pairs_left
        assert tiles._may_rasterize(s, ru) == (through if ru.post_depth else may)
        oldest = ru.order[ru.order_head]
        complete = ru.tested and not own[oldest].pairs_left and not own[oldest].live
        complete = bool(complete and not (ru.loading and ru.depth_tile == oldest))
        assert tiles._complete(s, ru) == complete
        assert tiles.may_end(s, ru) == (complete and not flushes)

        answer, requested = int(rng.choice([-1, 0, 1])), int(rng.integers(2))
        given: list[tuple[int, ...]] = []
        if rng.random() < 0.7:
            s.plugs = hooks(
                tile_flush=lambda s, own, *rest, given=given, answer=answer: (given.append(rest), answer)[1]
            )
        before, kept[:] = Row(**vars(ru)), []
        told.take()
        ended = tiles.end_tile(s, ru, 34)
        assert given in ([], [(0, oldest, 0, 0)])
        if given and answer < 0:
            assert (ended, ru, told.take()[0]) == (0, before, [])
            continue
        stored = own[oldest].flush
        assert stored == (stored & answer if given else stored)
        assert ended == 1
        assert own[oldest].outcome == (RENDERED if stored else RENDERED | KEPT)
        assert (own[oldest].end, own[oldest].traffic, ru.tiles, g.tiles_rendered) == (77, 100, 6, 4)
        assert kept == ([oldest] if before.depth_tile == oldest else [])
        assert ru.depth_tile == (-1 if before.depth_tile == oldest else before.depth_tile)
        assert ru.front == (-1 if before.front == oldest else before.front)
        assert (ru.order_head, ru.order_count) == ((before.order_head + 1) % TILES_IN_RASTER_UNIT, 1)
        assert (ru.opened, ru.tested) == (0, before.tested - 1)
        woken = [50] * (g.u_beside > 0) + [31] * bool(stored and requested) + [40, 41] * s.cfg.decoupled
        assert [unit for unit, _ in told.take()[0]] == sorted(woken)
    assert min(seen[name] for name in (True, "stage", "front", "queue", "stored", "loaded")) > 5


def test_tiles_are_assigned(monkeypatch: pytest.MonkeyPatch) -> None:
    """To the next unit in turn, to that with the shortest queue, or to the frame's own, where there is room."""
    run_plainly(monkeypatch, tile_fetch)
    rng = np.random.default_rng(5)
    for _ in range(700):
        count = int(rng.integers(1, 5))
        pipelined, assignment = int(rng.integers(2)), int(rng.integers(4))
        room = TILES_IN_RASTER_UNIT if pipelined else 1
        units = [Row(order_count=int(rng.choice([0, room - 1, room])),
                     pair_used=int(rng.integers(3)), pair_coming=int(rng.integers(3)))
                 for _ in range(count)]  # fmt: skip
        last, frame = int(rng.integers(count)), int(rng.integers(min(count, 2)))
        cfg = Row(raster_units=count, pipelined_tiles=pipelined, assignment=assignment)
        s: Any = Row(ru=units, cfg=cfg, frame=[Row(last_raster_unit=last)] * 2)
        free = [k for k in range(count) if units[k].order_count < room]
        after = (last + 1) % count
        wanted = {0: [after], 3: [frame]}.get(assignment, range(count))
        turn = {k: (k - after) % count if assignment == 2 else k for k in range(count)}
        expected = min(
            (k for k in wanted if k in free), default=-1,
            key=lambda k: (units[k].pair_used + units[k].pair_coming, turn[k]),
        )  # fmt: skip
        assert tile_fetch._assign(s, frame) == expected
        own = [k for k in free if assignment != 3 or k == frame]
        assert tile_fetch._room(s, frame) == sum(1 << k for k in own)


def test_the_next_tile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Done, left out, waited for, or handed to a unit: a technique picks it, another may hold it."""
    run_plainly(monkeypatch, tile_fetch)
    rng = np.random.default_rng(6)
    given: list[Any] = []
    monkeypatch.setattr(
        tile_fetch, "dispatch_tile", lambda s, frame, ru, tile, me: given.append((frame, ru.number, tile, me))
    )
    seen: Counter[Any] = Counter()
    for _ in range(1000):
        own = [
            Row(render=int(rng.random() < 0.8), outcome=int(rng.random() < 0.2), start=int(rng.choice([-1, -1, 3])))
            for _ in range(4)
        ]
        units = [Row(number=k, order_count=int(rng.integers(2)), pair_used=0, pair_coming=0) for k in range(2)]
        g = Row(
            tiles=own, tile=int(rng.integers(4)), tiles_begun=int(rng.integers(5)), tile_end=4, tile_passed=1,
            picked_unit=int(rng.choice([0, 0, 1, 2])), last_raster_unit=1, tiles_skipped=7,
        )  # fmt: skip
        picks, renders = (int(rng.choice([-1, *range(6)])), int(rng.integers(3))), int(rng.choice([-1, 0, 1, 1]))
        answers = {
            "tile_pick": picks[0] if picks[0] < 0 else picks[1] * tile_fetch.PICKED_UNIT + picks[0],
            "tile_render": renders,
        }
        used = {name for name in answers if rng.random() < 0.6}
        asked: list[Any] = []
        s: Any = Row(
            frame=[g], ru=units, cfg=Row(raster_units=2, pipelined_tiles=0, assignment=0),
            plugs=hooks(**{
                name: lambda s, own, *rest, name=name, asked=asked, answers=answers: (
                    asked.append((name, *rest)), answers[name])[1]
                for name in used
            }),
        )  # fmt: skip
        before, free = Row(**vars(g)), [k for k in range(2) if not units[k].order_count]
        shown, waiting = [one.render for one in own], [one.start < 0 and not one.outcome for one in own]
        found = tile_fetch.next_tile(s, 0, 60)
        expected_asked: list[Any] = []
        tile, unit, result, passed = g.tile, before.picked_unit - 1, None, 0
        if before.tiles_begun >= 4:
            result = tile_fetch.RASTER_DONE
        elif "tile_pick" in used and unit < 0:
            if free:
                expected_asked.append(("tile_pick", 0, before.tiles_begun, sum(1 << k for k in free), 0))
            fits = free and 0 <= picks[0] < 4 and picks[1] in free
            if fits and waiting[picks[0]]:
                tile, unit = picks
            else:
                result = tile_fetch.RASTER_WAITS
        else:
            tile = before.tile
        if result is None:
            rendered = shown[tile]
            if rendered and "tile_render" in used:
                expected_asked.append(("tile_render", 0, tile, 0, 0))
                rendered = renders
            if rendered < 0:
                result = tile_fetch.RASTER_WAITS
            elif rendered == 0:
                result, passed = tile_fetch.RASTER_WAITS, 1
                assert own[tile].outcome == KEPT
                assert (g.tiles_skipped, g.tile, g.tiles_begun, g.picked_unit) == (
                    8,
                    tile + 1,
                    before.tiles_begun + 1,
                    0,
                )
            else:
                if unit < 0:
                    unit = 0 if 0 in free else -1
                result = tile_fetch.RASTER_WAITS if unit < 0 else tile_fetch.RASTER_IN
        if result == tile_fetch.RASTER_IN:
            assert given.pop() == (0, unit, tile, 60)
            assert (g.tiles_begun, g.picked_unit, g.last_raster_unit) == (before.tiles_begun + 1, 0, unit)
        elif not passed:
            assert (g.tiles_begun, g.tiles_skipped, g.last_raster_unit) == (before.tiles_begun, 7, 1)
        assert (found, g.tile_passed, asked, given) == (result, passed, expected_asked, [])
        seen[result, passed] += 1
    assert len(seen) == 4


def test_what_enters_the_tile_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry that has room; it stands behind the others, with the time that its fetch has taken."""
    told = run_plainly(monkeypatch, tile_fetch, cost_owners)
    rng = np.random.default_rng(7)
    monkeypatch.setattr(tile_fetch, "cost_at", lambda costs, who: costs.rows[who])
    for _ in range(300):
        used, wanted, head, count = (int(v) for v in rng.integers(0, [9, 5, TILE_QUEUE_RING, 4]))
        g = Row(pairs=[Row(entries=wanted, draw=0)], fetch_cycles=5, fetch_primitives=2, cost_first=0)
        ru = Row(frame=0, pair_used=used, pair_depth=8, pair=[9] * TILE_QUEUE_RING, pair_head=head, pair_count=count,
                 entry_cycles=[10] * 4, entry_since=[3] * 4, u_raster=33)  # fmt: skip
        s: Any = Row(frame=[g], now=20, costs=Row(count=1, rows=[Row(fetch_cycles=1)]))
        fits = used + wanted <= 8
        assert tile_fetch.push_pair(s, ru, 0, 13, 60) == fits
        at = (head + count) % TILE_QUEUE_RING
        assert [k for k in range(TILE_QUEUE_RING) if ru.pair[k] == 0] == ([at] if fits else [])
        after = (count + 1, used + wanted, 12, 3, 8) if fits else (count, used, 5, 2, 1)
        assert (ru.pair_count, ru.pair_used, g.fetch_cycles, g.fetch_primitives, s.costs.rows[0].fetch_cycles) == after
        assert (ru.entry_cycles, ru.entry_since) == (
            ([10 + 17 * used, 10, 10, 10], [20, 3, 3, 3]) if fits else ([10] * 4, [3] * 4)
        )
        assert told.take()[0] == ([(33, -1)] if fits else [])


def quad_flow(rng: np.random.Generator, told: Told) -> tuple[Row, Row]:
    """A machine with a Raster Unit whose queues have some quads, of three tiles."""
    queues, count = int(rng.integers(1, 3)), int(rng.integers(0, 5))
    ru = raster_unit(
        rng, front_only=int(rng.random() < 0.2), in_flight_count=count,
        in_flight_head=int(rng.choice([0, FLIGHT_RING - 2])),
        in_flight=[0] * FLIGHT_RING, in_flight_ready=[0] * FLIGHT_RING,
        in_flight_depth=int(rng.integers(max(count, 1), 6)),
        num_queues=queues, queue_depth=4, fragment=np.full((2, FRAGMENT_RING), -1), quads_killed=0,
        fragment_head=[FRAGMENT_RING - 1] * 2, fragment_count=rng.integers(2, 5, 2).tolist(), queued=6, post_depth=4,
        post_count=int(rng.integers(0, 5)), post=[0] * POST_RASTER_RING, post_head=POST_RASTER_RING - 1,
        entry_cycles=[0] * 4, entry_since=[0] * 4,
    )  # fmt: skip
    order = rng.permutation(12)
    for k in range(4):
        ru.in_flight[(ru.in_flight_head + k) % FLIGHT_RING] = int(order[k])
        ru.in_flight_ready[(ru.in_flight_head + k) % FLIGHT_RING] = 18 + k
        ru.post[(ru.post_head + k) % POST_RASTER_RING] = int(order[4 + k])
    g = Row(
        quads=[Row(tile=k % 3, processor=k % 2) for k in range(12)], early=rng.choice([0, 5, 15, 64, 192], 12).tolist(),
        tiles=[Row(unshaded=5, live=int(rng.choice([1, 2, 5]))) for _ in range(3)],
    )  # fmt: skip
    cfg = Row(quads_per_cycle=int(rng.integers(1, 5)), pipelined_tiles=int(rng.integers(2)))
    told.take()
    return Row(frame=[g], now=20, cfg=cfg, plugs=hooks(), costs=Row(count=int(rng.integers(2)))), ru


def test_quads_that_leave_early_z(monkeypatch: pytest.MonkeyPatch) -> None:
    """In order, as many as a cycle takes: dead ones end, others go to their queue; a full one holds all up."""
    told = run_plainly(monkeypatch, depth)
    rng = np.random.default_rng(8)
    seen: Counter[Any] = Counter()
    left: list[int] = []
    monkeypatch.setattr(depth, "quad_left", lambda g, ru, quad: left.append(quad))
    for _ in range(500):
        s, ru = quad_flow(rng, told)
        g, woken, blocked = s.frame[0], [], False
        head, fragments = ru.in_flight_head, list(ru.fragment_count)
        live, unshaded = [t.live for t in g.tiles], [t.unshaded for t in g.tiles]
        entered = count = ru.in_flight_count
        killed, queued = 0, 6
        left.clear()
        gone: list[int] = []
        queues: list[list[int]] = [[], []]
        for k in range(min(ru.in_flight_count, s.cfg.quads_per_cycle)):
            quad = ru.in_flight[(head + k) % FLIGHT_RING]
            if 18 + k > 20:
                break
            dead = g.early[quad] % 16 == 0
            if dead or ru.front_only:
                killed += dead
                gone += [quad] if s.costs.count and not ru.front_only else []
                live[quad % 3] -= 1
                unshaded[quad % 3] -= 1
                woken += [34, 33] if live[quad % 3] == 0 else []
            else:
                at = quad % 2 if ru.num_queues > 1 else 0
                if fragments[at] == 4:
                    blocked = True
                    break
                woken += [40 + quad % 2] if fragments[at] == 0 else []
                fragments[at] += 1
                queued += 1
                queues[at].append(quad)
            count -= 1
            woken += [35] if count == ru.in_flight_depth - 1 else []
            woken += [34] if count == 0 and s.cfg.pipelined_tiles else []
        before = list(ru.fragment_count)
        assert depth._pass_on(s, ru) == blocked
        assert (ru.in_flight_count, ru.in_flight_head) == (count, (head + entered - count) % FLIGHT_RING)
        assert (ru.quads_killed, ru.queued, list(ru.fragment_count)) == (killed, queued, fragments)
        for k, added in enumerate(queues):
            places = [(FRAGMENT_RING - 1 + before[k] + n) % FRAGMENT_RING for n in range(len(added))]
            assert [int(ru.fragment[k, place]) for place in places] == added
            assert (ru.fragment[k] >= 0).sum() == len(added)
        assert ([t.live for t in g.tiles], [t.unshaded for t in g.tiles]) == (live, unshaded)
        assert [unit for unit, _ in told.take()[0]] == sorted(woken)
        assert ru.entry_cycles == [0, 6 * 20 if queues != [[], []] else 0, 0, 0]
        assert left == gone
        seen[blocked] += 1
    assert min(seen.values()) > 20


def test_quads_that_enter_early_z(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the queue in front of it, in order, while there is room, of its tile alone, and not while that is loaded."""
    told = run_plainly(monkeypatch, depth)
    rng = np.random.default_rng(9)
    seen: Counter[Any] = Counter()
    for _ in range(700):
        s, ru = quad_flow(rng, told)
        taken: list[int] = []

        def accept(s: Any, ru: Any, quad: int, taken: list[int] = taken) -> None:
            taken.append(quad)
            ru.in_flight_count += 1

        monkeypatch.setattr(depth, "accept", accept)
        for k in range(4):
            # Mostly of one tile.
            if rng.random() < 0.8:
                s.frame[0].quads[ru.post[(ru.post_head + k) % POST_RASTER_RING]].tile = max(ru.depth_tile, 0)
        ready = int(rng.integers(0, 4))
        if rng.random() < 0.3:
            s.plugs = hooks(quad_ready=lambda s, own, unit, quad, *zeros, taken=taken, ready=ready: (
                zeros == (0, 0) and unit == 0 and len(taken) < ready))  # fmt: skip
        queue = [ru.post[(ru.post_head + k) % POST_RASTER_RING] for k in range(ru.post_count)]
        room, expected, reason = ru.in_flight_depth - ru.in_flight_count, 0, BUSY
        for turn in range(s.cfg.quads_per_cycle):
            reason = (
                IDLE if turn == len(queue) else RESOURCE if turn == room
                else DEPENDENCY if s.frame[0].quads[queue[turn]].tile != ru.depth_tile else DATA if ru.loading
                else DEPENDENCY if s.plugs.quad_ready.function and turn == ready else BUSY
            )  # fmt: skip
            if reason != BUSY:
                break
            expected += 1
        assert depth._take_queued(s, ru) == reason
        assert taken == queue[:expected]
        assert ru.post_count == len(queue) - expected
        assert ru.post_head == (POST_RASTER_RING - 1 + expected) % POST_RASTER_RING
        assert told.take()[0] == ([(33, -1)] if expected and len(queue) == 4 else [])
        assert ru.entry_cycles[:3] == [0, 0, 0]
        assert ru.entry_cycles[3] == (len(queue) * 20 if expected else 0)
        seen[reason] += 1
    assert set(seen) == {BUSY, IDLE, RESOURCE, DEPENDENCY, DATA}


def test_what_holds_a_list_entry_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A load, where Early-Z follows at once, or for a clear, which waits for its tile in Early-Z and for its quads."""
    run_plainly(monkeypatch, raster)
    rng = np.random.default_rng(10)
    for _ in range(600):
        ru = raster_unit(rng, loading=int(rng.integers(2)))
        clears, live = bool(rng.integers(2)), int(rng.integers(2))
        g = Row(pairs=[Row(clear=0 if clears else -1, tile=1)], tiles=[Row(live=1 - live), Row(live=live)])
        state = -1
        if clears and live:
            state = DEPENDENCY
        if clears and ru.post_depth and ru.depth_tile != ru.front:
            state = DEPENDENCY
        if ru.loading and (clears or ru.post_depth == 0):
            state = DATA
        assert raster._waits(Row(frame=[g]), ru, 0) == state


def test_one_raster_unit_flushes_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tile that was dispatched first of those that were ready before this cycle, a cycle behind the last flush."""
    run_plainly(monkeypatch, flush)
    rng = np.random.default_rng(11)
    seen: Counter[bool] = Counter()
    for _ in range(300):
        own = [Row(dispatch=int(k)) for k in rng.permutation(3)]
        units = [
            Row(frame=0, flush_pending=int(rng.choice([-1, k])), flush_since=int(rng.choice([9, 10]))) for k in range(3)
        ]
        units[1].flush_pending = 1
        s: Any = Row(frame=[Row(tiles=own)], ru=units, now=10, cfg=Row(raster_units=3),
                     flush_owner=int(rng.choice([-1, -1, 0])),
                     flush_free=int(rng.choice([0, 10, 11])))  # fmt: skip
        earlier = [
            k
            for k in (0, 2)
            if units[k].flush_pending >= 0 and units[k].flush_since < 10 and own[k].dispatch < own[1].dispatch
        ]
        granted = s.flush_owner < 0 and s.flush_free <= 10 and not earlier
        assert flush._granted(s, units[1]) == granted
        seen[granted] += 1
    assert min(seen.values()) > 20


def test_barriers_between_tiles_at_the_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """No quad while one before has quads to shade; with a barrier of its own a processor has quads of one tile, the
    oldest or the one behind it. Who is told when a tile is through, and of a quad that was killed.
    """
    told = run_plainly(monkeypatch, fragment)
    rng = np.random.default_rng(12)
    for _ in range(300):
        order = rng.permutation(TILES_IN_RASTER_UNIT + 1).tolist()
        count, head = int(rng.integers(0, TILES_IN_RASTER_UNIT + 1)), int(rng.integers(TILES_IN_RASTER_UNIT))
        ring = [order[(k - head) % TILES_IN_RASTER_UNIT] for k in range(TILES_IN_RASTER_UNIT)]
        known = order[:count]
        own = [Row(unshaded=int(rng.integers(3)), live=int(rng.integers(1, 3))) for _ in order]
        g = Row(tiles=own, quads=[Row(tile=k) for k in range(len(order))])
        ru = raster_unit(rng, order=ring, order_head=head, order_count=count)
        tile = int(rng.choice(order))
        before = known[: known.index(tile)] if tile in known else known
        assert fragment._is_shading_before(g, ru, tile) == any(own[k].unshaded for k in before)
        assert fragment.second_tile(ru) == (known[1] if count > 1 else -1)
        p = Row(count=int(rng.integers(2)), quad=[int(rng.choice(order)), tile], head=int(rng.integers(2)), unit=40)
        other = p.count and p.quad[p.head] != tile
        if count:
            assert fragment._is_held_alone(g, ru, p, tile) == bool(other or tile not in known[:2])
        s = Row(frame=[g], cfg=Row(pipelined_tiles=int(rng.integers(2))), costs=Row(count=0))
        t = own[tile]
        t.unshaded += 1
        left, live = t.unshaded, t.live
        told.take()
        fragment._end_killed(s, ru, p, tile)
        assert (t.unshaded, t.live) == (left - 1, live - 1)
        woken = [40, 41] * bool(left == 1 and s.cfg.pipelined_tiles) + [33, 34] * (live == 1)
        assert [unit for unit, _ in told.take()[0]] == sorted(woken)


@pytest.mark.parametrize("kind", [FILLED, TAKEN])
def test_slots_that_hooks_name_are_logged(monkeypatch: pytest.MonkeyPatch, kind: int) -> None:
    run_plainly(monkeypatch, fragment)
    rng = np.random.default_rng(13)
    for _ in range(300):
        room, logged, mask = int(rng.integers(3)), int(rng.integers(3)), int(rng.integers(16))
        rows = [Row(quad=-5, frame=-5, kind=-5, slot=[-5] * 4) for _ in range(3)]

        class Log(list[Row]):
            count = room

        s = Row(slot_log=Log(rows), slots_logged=logged)
        p = Row(slot=rng.choice([-1, 0, 7], 4).tolist())
        fragment._log_slots(s, p, 1, 6, mask, kind)
        named = [slot if mask >> lane & 1 else -1 for lane, slot in enumerate(p.slot)]
        fits = logged < room and max(named) >= 0
        assert s.slots_logged == logged + fits
        assert rows[logged] == (
            Row(quad=6, frame=1, kind=kind, slot=named) if fits else Row(quad=-5, frame=-5, kind=-5, slot=[-5] * 4)
        )
        fragment._forget_slots(p)
        assert p.slot == [-1] * 4


def test_a_queue_that_processors_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who takes the first quad tells Early-Z of the room in a full queue, and the next quad's processor, if it can."""
    told = run_plainly(monkeypatch, fragment)
    rng = np.random.default_rng(14)
    for _ in range(300):
        count, queues, head = int(rng.integers(1, 5)), int(rng.integers(1, 3)), FRAGMENT_RING - 1
        ru = raster_unit(
            rng, fragment=np.zeros((2, FRAGMENT_RING), np.int64), fragment_head=[head] * 2, fragment_count=[count] * 2,
            queued=9, fragment_popped=[-1, -1], queue_depth=4, num_queues=queues, entry_cycles=[0] * 4,
            entry_since=[4] * 4, processor=[Row(count=int(rng.integers(2, 4)), num_threads=3) for _ in range(2)],
        )  # fmt: skip
        at = int(rng.integers(queues))
        following = int(rng.integers(2))
        ru.fragment[at, 0] = following
        killing = bool(rng.integers(2))
        g = Row(quads=[Row(processor=k % 2) for k in range(3)])
        s = Row(frame=[g], now=20, plugs=hooks(queued=killing))
        assert fragment._pop(s, ru, Row(queue=at, unit=40)) == (following if count > 1 else -1)
        other = 1 - at
        assert (ru.fragment_count[at], ru.fragment_head[at], ru.fragment_popped[at], ru.queued) == (count - 1, 0, 20, 8)
        assert (ru.fragment_count[other], ru.fragment_head[other], ru.fragment_popped[other]) == (count, head, -1)
        assert ru.entry_cycles == [0, 9 * 16, 0, 0]
        tells = count > 1 and queues == 1 and (killing or ru.processor[following].count < 3)
        woken = [32] * (count == 4) + [40 + following] * tells
        assert [unit for unit, _ in told.take()[0]] == sorted(woken)


def test_the_oldest_thread_with_its_code_issues(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads by age: one whose code misses waits for it, a cache that takes nothing leaves all as they are; segments
    without instructions are passed over.
    """
    run_plainly(monkeypatch, fragment)
    rng = np.random.default_rng(15)
    seen: Counter[int] = Counter()
    for _ in range(500):
        cycles, answers = rng.choice([0, 0, 3], 6).tolist(), rng.choice([BLOCKED, HIT, HIT, MISS], 6).tolist()
        cached, ready, head = bool(rng.integers(2)), int(rng.integers(64)), int(rng.integers(6))
        ended: list[int] = []
        monkeypatch.setattr(fragment, "_fetch_code", lambda s, g, p, slot, answers=answers: answers[slot])
        monkeypatch.setattr(fragment, "_end_segment", lambda g, p, ended=ended: ended.append(p.running))
        p = Row(ready=ready, head=head, instruction_cache=3 if cached else -1, code_wait=0, segment=list(range(6)),
                running=-1, until=-1, instructions=0)  # fmt: skip
        found = fragment._issue(Row(now=20), Row(segments=[Row(cycles=c) for c in cycles]), p)
        result, left, waits, passed, runs = 0, ready, 0, [], -1
        for slot in [k % 6 for k in range(head, head + 6) if ready >> k % 6 & 1]:
            if cached and answers[slot] == BLOCKED:
                result = -1
                break
            left &= ~(1 << slot)
            if cached and answers[slot] == MISS:
                waits |= 1 << slot
            elif cycles[slot]:
                result, runs = 1, slot
                break
            else:
                passed.append(slot)
        assert (found, p.ready, p.code_wait, ended) == (result, left, waits, passed)
        if result == 1:
            assert (p.running, p.until, p.instructions) == (runs, 23, 3)
        assert p.segment == [k + (k in passed or k == runs) for k in range(6)]
        seen[result] += 1
    assert min(seen.values()) > 20


def test_a_segment_s_code_is_looked_up_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line once, from the first that was not there; a miss is told to the cache, on the draw's behalf."""
    told = run_plainly(monkeypatch, fragment)
    rng = np.random.default_rng(16)
    for _ in range(400):
        answers = rng.choice([BLOCKED, HIT, HIT, MISS], 5).tolist()
        at, first, count = int(rng.integers(3)), int(rng.integers(4)), int(rng.integers(3, 5))
        asked: list[tuple[int, int]] = []

        def read(s: Any, c: Any, line: int, port: int, asked: Any = asked, answers: list[int] = answers) -> int:
            asked.append((line, port))
            return answers[len(asked) - 1]

        monkeypatch.setattr(fragment, "l1_read", read)
        c = Row(who=-1, owner=90)
        g = Row(segments=[Row(line_first=first, line_count=count)], segment_lines=list(range(100, 110)), cost_first=10,
                quads=[Row(draw=4)])  # fmt: skip
        p = Row(segment=[0], code=[at], instruction_cache=0, quad=[0], instruction_port=4, unit=40)
        found = fragment._fetch_code(Row(l1=[c], costs=Row(count=1)), g, p, 0)
        hits = next((k for k in range(count - at) if answers[k] != HIT), count - at)
        end = HIT if at + hits == count else answers[hits]
        assert found == end
        assert asked == [(100 + first + at + k, 4) for k in range(hits + (end != HIT))]
        assert (p.code[0], c.who) == (0 if end == HIT else at + hits, 14)
        assert told.take()[0] == ([(90, -1)] if end == MISS else [])
