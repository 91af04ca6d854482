"""Compiled functions of techniques as plain Python on streams made by hand, against ledgers and lists."""

from __future__ import annotations

from collections import Counter, deque
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hidden_films import Played
from object_films import Thing, object_film
from plain_kernels import Row, run_plainly

from gpumodel.config import load_config
from gpumodel.techniques.afbc import technique as afbc
from gpumodel.techniques.afbc import unit as coder
from gpumodel.techniques.evr_like import owners
from gpumodel.techniques.list_prefetch import unit as prefetch
from gpumodel.techniques.memo import table
from gpumodel.techniques.pfr import step
from gpumodel.techniques.pfr.technique import ParallelFrameRendering
from gpumodel.techniques.re import unit as signature
from gpumodel.techniques.vro import edges
from gpumodel.techniques.vro import unit as visibility
from gpumodel.techniques.vro.config import EDGES_RING
from gpumodel.techniques.vro.technique import VisibilityOrder
from gpumodel.units.cache import BLOCKED, HIT, MISS
from gpumodel.units.depth import TEST_EARLY, TEST_KILL, TEST_LATE
from gpumodel.units.events import BUSY, DATA, DEPENDENCY, IDLE, NEVER
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import LoadOp, StoreOp

MEMO_COUNTERS = (
    "left_out", "wait_cycles", "lookups", "hashed_words", "hits", "false_positives", "evictions", "inserts",
)  # fmt: skip


class PlainTable:
    """Rows of a set, least recently used first; ports of each cycle that are taken."""

    def __init__(self, sets: int, ways: int, ports: int) -> None:
        self.order = [list(range(k * ways, (k + 1) * ways)) for k in range(sets)]
        self.held: dict[int, tuple[int, int]] = {}
        self.ports = ports
        self.taken: Counter[int] = Counter()
        self.count: Counter[str] = Counter()

    def find(self, key: int) -> int | None:
        own = self.order[key % len(self.order)]
        return next((row for row in own if row in self.held and self.held[row][0] == key), None)

    def use(self, key: int, row: int) -> None:
        own = self.order[key % len(self.order)]
        own.remove(row)
        own.append(row)

    def is_free(self, now: int) -> bool:
        return self.taken[now] < self.ports

    def take(self, now: int, accesses: int) -> None:
        for _ in range(accesses):
            while not self.is_free(now):
                now += 1
            self.taken[now] += 1


@pytest.mark.parametrize(("ways", "ports", "hashing"), [(1, 1, 0), (2, 4, 0), (4, 3, 2), (2, 8, 1)])
def test_memoized_fragments(monkeypatch: pytest.MonkeyPatch, ways: int, ports: int, hashing: int) -> None:
    """Look-ups and inserts by turns: which fragments the table knows, when its ports have a turn, what goes; fragments
    and draws that are left out are neither looked up nor kept.
    """
    told = run_plainly(monkeypatch, table)
    rng = np.random.default_rng(ports)
    sets, bits = 8 // ways, 4
    plain = PlainTable(sets, ways, ports)
    words = [0, 3, 5]
    quads = [Row(row=k, draw=int(rng.integers(3))) for k in range(40)]
    # Some have the same hash and are not the same.
    identity = (rng.integers(0, 12, 160) + 16 * (rng.random(160) < 0.2)).tolist()
    excluded = rng.choice([0, 0, 0, 5, 15], 40).tolist()
    own = Row(
        table=[Row(hash=0, identity=0, stamp=0) for _ in range(8)], set_mask=sets - 1, ways=ways,
        hash_mask=(1 << bits) - 1,
        clock=0, ports=ports, turn=0, hash_cycles=hashing, quad=np.full((2, 2), -1), until=np.full((2, 2), 999),
        active=[0, 1], words=[None, words], identity=[None, identity], excluded=[None, excluded],
        **{name: [0, 0] for name in MEMO_COUNTERS},
    )  # fmt: skip
    units = [Row(frame=f, processor=[Row(slot=[-1] * 4, unit=40 + k) for k in range(2)]) for f in range(2)]
    s = Row(ru=units, frame=[Row(quads=quads)] * 2, now=0)
    assert table.look_up_quad(s, own, 0, 5, 9, 0) == 9
    assert (own.left_out, own.turn, table.insert_quad(s, own, 0, 5, 9, 0)) == ([2, 0], 0, 0)
    waiting: tuple[int, int, int] | None = None
    for s.now in range(1200):
        if rng.random() < 0.5:
            quad, mask = int(rng.integers(40)), int(rng.integers(16))
            slots = units[1].processor[1].slot = [-1] * 4
            assert table.insert_quad(s, own, 1, quad, mask, 1) == 0
            kept = [f for f in range(4) if words[quads[quad].draw] and mask & ~excluded[quad] & 1 << f]
            plain.take(s.now, len(kept))
            for f in range(4):
                if f not in kept:
                    assert slots[f] == -1
                    continue
                key = identity[4 * quad + f] % (1 << bits)
                row = plain.find(key)
                if row is None:
                    row = plain.order[key % sets][0]
                    plain.count["evictions"] += row in plain.held
                plain.held[row] = key, identity[4 * quad + f]
                plain.use(key, row)
                plain.count["inserts"] += 1
                assert slots[f] == row
        quad, mask, since = waiting or (int(rng.integers(40)), int(rng.integers(1, 16)), s.now)
        asked = [f for f in range(4) if words[quads[quad].draw] and mask & ~excluded[quad] & 1 << f]
        slots = units[1].processor[0].slot = [-1] * 4
        told.take()
        found = table.look_up_quad(s, own, 1, quad, mask, 0)
        if asked and (s.now < since + hashing or not plain.is_free(s.now)):
            assert found == -1
            assert all(unit == 40 and time > s.now for unit, time in told.take()[0])
            waiting = quad, mask, since
            continue
        waiting = None
        plain.count["wait_cycles"] += s.now - since if asked else 0
        plain.take(s.now, len(asked))
        rest = mask
        for f in asked:
            key = identity[4 * quad + f] % (1 << bits)
            row = plain.find(key)
            assert slots[f] == (-1 if row is None else row)
            if row is not None:
                plain.use(key, row)
                rest &= ~(1 << f)
                plain.count.update(hits=1, false_positives=plain.held[row][1] != identity[4 * quad + f])
        assert found == rest
        plain.count.update(lookups=len(asked), hashed_words=len(asked) * words[quads[quad].draw],
                           left_out=mask.bit_count() - len(asked))  # fmt: skip
    if waiting:
        plain.count["wait_cycles"] -= waiting[2]
    assert {name: own[name][1] for name in MEMO_COUNTERS} == {name: plain.count[name] for name in MEMO_COUNTERS}
    assert min(plain.count[name] for name in MEMO_COUNTERS if name != "wait_cycles") > 0


def visibility_hardware(**fields: Any) -> Row:
    return Row(**{
        "last_edge": [-1, -1], "edges_merged": 0, "filter_searches": 0, "search_cycle": [0, 0], "searched": [0, 0],
        "searches_per_cycle": 1, "filter_clock": [0, 0], "filter_size": 3, "filter": np.full((2, 4), -1),
        "filter_stamp": np.zeros((2, 4), np.int64), "filter_hits": 0, "edges_queued": 0, "queue_count": 0,
        "queue_depth": 4, "pending_count": 0, "pending": [0] * 64, "queue_head": EDGES_RING - 1, "queue_written": -1,
        "queue_writer": 0, "queue": [0] * EDGES_RING, "queue_ready": [0] * EDGES_RING, "unit": 70,
        "stalled_since": [-1, -1], "stalled_by": [0, 0], "queue_stall_cycles": 0, "filter_stall_cycles": 0,
        **fields,
    })  # fmt: skip


@pytest.mark.parametrize(("rate", "size"), [(1, 3), (2, 1), (3, 2)])
def test_edges_are_searched_and_queued(monkeypatch: pytest.MonkeyPatch, rate: int, size: int) -> None:
    """So many searches a unit and cycle; an edge of the last ones goes nowhere, a new one into the queue, in the cycle
    behind its search, one unit a cycle; without room it waits, and a quad behind it.
    """
    told = run_plainly(monkeypatch, edges, visibility)
    rng = np.random.default_rng(rate)
    own = visibility_hardware(searches_per_cycle=rate, filter_size=size)
    s = Row(now=0, ru=[Row(u_enter=80), Row(u_enter=81)], cfg=Row(raster_units=2))
    recent: list[list[int]] = [[], []]
    last, writer, written = [-1, -1], 0, -1
    searches: list[Counter[int]] = [Counter(), Counter()]
    queue: deque[tuple[int, int]] = deque()
    pending: list[int] = []
    count: Counter[str] = Counter()
    stalled: list[tuple[int, str] | None] = [None, None]
    for s.now in range(1, 1500):
        for unit in range(2):
            behind = max(searches[unit], default=0)
            free = not pending and behind <= s.now
            if rng.random() < 0.6:
                told.take()
                assert edges.edge_ready(s, own, unit, 0, 0, 0) == free
                if not free:
                    stalled[unit] = stalled[unit] or (s.now, "queue" if pending else "filter")
                    assert told.take()[0] == ([] if pending else [(80 + unit, behind)])
                elif noted := stalled[unit]:
                    since, why = noted
                    count[f"{why}_stall_cycles"] += s.now - since
                    stalled[unit] = None
            if not free or rng.random() < 0.3:
                continue
            for edge in rng.integers(0, 7, int(rng.integers(1, 3 * rate + 1))).tolist():
                told.take()
                edges._search(s, own, unit, edge)
                if edge == last[unit]:
                    count["edges_merged"] += 1
                    continue
                last[unit] = edge
                count["filter_searches"] += 1
                when = max(s.now, max(searches[unit], default=0))
                when += searches[unit][when] == rate
                searches[unit][when] += 1
                known = edge in recent[unit]
                recent[unit] = [*(one for one in recent[unit] if one != edge), edge][-size:]
                if known:
                    count["filter_hits"] += 1
                    continue
                count["edges_queued"] += 1
                if len(queue) < 4 and not pending:
                    written, writer = max(when + 1, written + (writer != unit)), unit
                    queue.append((edge, written))
                    assert told.take()[0] == [(70, written)]
                else:
                    pending.append(edge)
        if queue and queue[0][1] <= s.now and rng.random() < 0.5:
            assert own.queue[own.queue_head] == queue.popleft()[0]
            own.queue_head = (own.queue_head + 1) % EDGES_RING
            own.queue_count -= 1
        told.take()
        visibility._take_pending(s, own, 70)
        moved = bool(pending) and len(queue) < 4
        while pending and len(queue) < 4:
            queue.append((pending.pop(0), s.now + 1))
        assert told.take()[0] == ([(80, -1), (81, -1)] if moved and not pending else [])
        places = [(own.queue_head + k) % EDGES_RING for k in range(own.queue_count)]
        assert [(own.queue[k], own.queue_ready[k]) for k in places] == list(queue)
        assert own.pending[: own.pending_count] == pending
    names = (
        "edges_merged",
        "filter_searches",
        "filter_hits",
        "edges_queued",
        "queue_stall_cycles",
        "filter_stall_cycles",
    )
    assert {name: own[name] for name in names} == {name: count[name] for name in names}
    # Several searches a cycle seldom lag behind, a filter of one edge holds the last one alone.
    assert min(count[name] for name in names if name != "filter_stall_cycles" or rate == 1) > 20 or size == 1


def test_time_until_the_graph_cache_is_filled(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fill that has come is taken in the next cycle, never in this one again."""
    run_plainly(monkeypatch, visibility)
    for fills, fill, time in ((0, 3, 50), (1, 3, 50), (1, 20, 50), (2, 21, 50), (1, 60, 50), (1, 30, NEVER)):
        c = Row(fill_count=fills, fill_head=1, fill_time=[0, fill, 0])
        following = visibility._following(Row(l1=[c], now=20), Row(cache=0), time)
        assert following == (min(time, max(fill, 21)) if fills else time)


@pytest.mark.parametrize("technique", ["vro", "evr-like"])
def test_samples_are_tested_against_their_owners(monkeypatch: pytest.MonkeyPatch, technique: str) -> None:
    """On equal depths who is later in program order decides by its own function; a sample passes or it does not, and
    who passes and writes depth owns it. Edges of a quad are noted once, in front of what is behind.
    """
    module = edges if technique == "vro" else owners
    run_plainly(monkeypatch, edges, owners)
    rng = np.random.default_rng(1)
    size = edges.OWNERS if technique == "vro" else owners._SAMPLES
    owner = np.full(2 * size, -1)
    ties = 0
    for _ in range(1000):
        number, sample, draw = (int(rng.integers(n)) for n in (2, 3, 4))
        at = size * number + sample
        held = owner[at] = int(rng.choice([-1, *range(8)]))
        test = int(rng.integers(2))
        monkeypatch.setattr(module, "sample_passes", lambda *_, test=test: test)
        draws = [Row(func=int(rng.choice([1, 3, 4, 6])), depth_write=int(rng.integers(2))) for _ in range(4)]
        s = Row(frame=[Row(draws=draws)])
        ru = Row(frame=0, number=number, depth=rng.integers(0, 2, 3).tolist())
        stage, depth = int(rng.choice([TEST_KILL, TEST_EARLY, TEST_LATE])), int(rng.integers(2))
        first = int(rng.integers(3))
        found = [int(rng.integers(8)) << 16 | 1 for _ in range(int(rng.integers(3)))]
        own = Row(
            owner=owner, node_of_draw=[0, 1, 2, 3], movable=[1, 1, 1, 0], run_first=[first] * 4, ties=0, comparisons=0,
            edges_merged=0, found_count=len(found), found=[*found, -1, -1],
        )  # fmt: skip
        place = draw if technique == "vro" else int(rng.integers(4))
        function = edges._test_owned if technique == "vro" else owners._test
        passed = function(s, own, ru, Row(draw=draw, back=0), place, sample, depth, stage)
        is_tie = held >= 0 and held // 2 > place and depth == ru.depth[sample]
        expected = (0 if held % 2 else 1) if is_tie else test
        assert passed == expected
        ties += is_tie
        owns = expected and stage != TEST_KILL and draws[draw].depth_write
        assert owner[at] == (2 * place + (draws[draw].func in (3, 6)) if owns else held)
        if technique == "vro":
            other = held // 2
            compared = stage != TEST_LATE and draw < 3 and held >= 0 and other != draw and other >= first
            edge = (draw << 16 | other) if expected else (other << 16 | draw)
            assert (own.ties, own.comparisons) == (is_tie, compared)
            assert own.edges_merged == (compared and edge in found)
            assert own.found[: own.found_count] == [*found, *([edge] if compared and edge not in found else [])]
    assert ties > 50


@pytest.mark.parametrize("technique", ["vro", "evr-like"])
def test_nobody_owns_a_tile_s_samples_at_first(monkeypatch: pytest.MonkeyPatch, technique: str) -> None:
    run_plainly(monkeypatch, edges, owners)
    module, decide = (edges, edges.decide_owned) if technique == "vro" else (owners, owners.decide_by_place)
    monkeypatch.setattr(
        module, "_owned_quad" if technique == "vro" else "_test_quad", lambda s, own, ru, quad, mask, stage: mask & 6
    )
    size = edges.OWNERS if technique == "vro" else owners._SAMPLES
    searched: list[int] = []
    monkeypatch.setattr(edges, "_search", lambda s, own, unit, edge: searched.append(edge))
    for samples in (1, 4):
        for unit in range(2):
            own = Row(
                tile=[7, 7],
                owner=np.full(2 * size, 5),
                found_count=3,
                found=[1, 2, 3],
                active=1,
                edges_found=0,
                owner_writes=0,
            )
            g = Row(
                quads=[Row(tile=7, draw=0), Row(tile=8, draw=0)],
                tiles=[Row(height=2)] * 9,
                samples=samples,
                draws=[Row(depth_write=1)],
            )
            s = Row(ru=[Row(frame=0)] * 2, frame=[g], cfg=Row(tile_width=16))
            assert decide(s, own, unit, 0, 12, TEST_EARLY) == 4
            assert (own.owner == 5).all()
            assert decide(s, own, unit, 1, 12, TEST_KILL) == 4
            cleared = np.zeros(2 * size, bool)
            cleared[unit * size : unit * size + 32 * samples] = True
            assert ((own.owner == -1) == cleared).all()
            assert own.tile == [8 if k == unit else 7 for k in range(2)]
            if technique == "vro":
                # The one test that updates has written; no edge is left of another quad.
                assert (own.owner_writes, own.edges_found, own.found_count, searched) == (1, 0, 0, [])


@pytest.mark.parametrize("technique", ["vro", "ideal-order", "evr-like", "zprepass", "dr", "dr-seq", "frag-prepass"])
def test_depths_at_the_clear_value_belong_to_nobody(tmp_path: Path, technique: str) -> None:
    """Planes at the far end pass against the clear value; in the next frame, whose one tile is the same again, nobody
    has been there: a quad that is earlier than what stood there passes, too, and is seen.
    """
    far, over, third = (Thing.plane(f"p{k}", 1.0, gl.GL_LEQUAL) for k in range(3))
    films = object_film(tmp_path / "a.gltrace", [[far, over, third], [far], [far, over], [third]], (16, 16))
    played = Played(films, technique)
    assert [played.counter("fragments.written", k) for k in (1, 3)] == [256, 256]


def test_frames_in_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first frame's tile is dispatched when the second is at most so many behind, that one's not before; whoever
    comes to a tile tells the other one; behind the last tile nobody waits. A pass begins before its first tile.
    """
    told = run_plainly(monkeypatch, step)
    for behind in range(3):
        for frame in range(2):
            for tile in range(5):
                for other in range(-1, 5):
                    own = Row(tile=[other, other], behind=behind, last=4)
                    own.tile[frame] = tile - 1
                    s = Row(cfg=Row(assignment=3), frame=[Row(u_fetch_tiles=10), Row(u_fetch_tiles=11)])
                    told.take()
                    wanted = tile - behind if frame == 0 else min(tile + behind, 4)
                    assert step.in_step(s, own, frame, tile, 0, 0) == (1 if other >= wanted else -1)
                    assert (own.tile[frame], told.take()[0]) == (tile, [(11 - frame, -1)])
                    step.in_step(s, own, frame, tile, 0, 0)
                    assert told.take()[0] == []
                    s.cfg.assignment = 0
                    assert step.in_step(s, own, frame, tile, 0, 0) == 1
    one: Any = ParallelFrameRendering()
    one._step = np.array([((3, 3), 1, 9)], step.STEP)
    one._begin_pass(SimpleNamespace(), SimpleNamespace(tiles=range(7)))
    assert (one._step["tile"].tolist(), one._step["last"].tolist()) == ([[-1, -1]], [6])


def test_lists_are_read_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines of the tile behind the one that is dispatched, once, one a cycle, each when the one before has come."""
    told = run_plainly(monkeypatch, prefetch)
    rng = np.random.default_rng(3)
    first = [0, 2, 2, 7]
    own = Row(
        unit=50, first=first, lines=list(range(100, 107)), num_tiles=3, at=0, end=0, ready=0, ahead_of=-1, reads=0
    )
    g = Row(beside_waits=0, u_fetch_tiles=60)
    s = Row(frame=[g], now=0, l1=[Row(latency=3)] * 8)
    asked: list[int] = []
    wanted: list[int] = []
    answer = HIT

    def read(s: Any, g: Any, me: int, line: int) -> int:
        asked.append(line)
        return answer

    monkeypatch.setattr(prefetch, "read_beside", read)
    ready, tile, reads = 0, -1, 0
    seen: Counter[Any] = Counter()
    for s.now in range(600):
        if rng.random() < 0.1:
            new = int(rng.integers(3))
            told.take()
            assert prefetch.follow_tile(s, own, 0, new, 0, 0) == 1
            assert told.take()[0] == ([(50, -1)] if new != tile else [])
            if new != tile:
                tile = new
                wanted = [100 + k for k in range(first[min(new + 1, 3)], first[min(new + 2, 3)])]
        g.beside_waits = int(rng.random() < 0.2)
        answer = int(rng.choice([BLOCKED, HIT, MISS]))
        asked.clear()
        following = prefetch.tick_prefetch(s, own, 50, 0, 0, 0)
        states = told.take()[1]
        if g.beside_waits or not wanted or s.now < ready:
            state = DATA if g.beside_waits else IDLE if not wanted else BUSY
            assert (states, asked, following) == ([(50, state)], [], ready if state == BUSY else NEVER)
            seen[state] += 1
            continue
        assert asked == wanted[:1]
        if answer != BLOCKED:
            del wanted[0]
            reads, ready = reads + 1, s.now + 3
        assert following == (s.now + 3 if answer == HIT else s.now + 1)
        assert own.reads == reads
        seen[answer] += 1
    assert min(seen.values()) > 5


def test_states_of_the_signature_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    """It works while it has an end to come to, waits while a primitive of a frame that is signed has tiles left."""
    told = run_plainly(monkeypatch, signature)
    rng = np.random.default_rng(4)
    for _ in range(300):
        records = [Row(active=int(rng.integers(2)), tiles_left=int(rng.integers(2))) for _ in range(2)]
        times = [int(rng.choice([NEVER, NEVER, 30 + k])) for k in range(2)]
        both = int(rng.integers(2))
        monkeypatch.setattr(signature, "_own", lambda at, records=records: records[at // signature._FRAME_BYTES])
        monkeypatch.setattr(signature, "_advance", lambda s, own, me, frame, times=times: times[frame])
        found = signature.tick_signature_unit(Row(cfg=Row(bins_ahead=both)), 0, 9, 0, 0, 0)
        waits = any(own.active and own.tiles_left for own in records[: 1 + both])
        following = min(times[: 1 + both])
        assert found == following
        assert told.take()[1] == [(9, BUSY if following < NEVER else DEPENDENCY if waits else IDLE)]


def test_list_pointers_bound_the_parameter_buffer() -> None:
    """A pointer's 32 bits less those of a node's number count attributes of 48 bytes."""
    for nodes, bits in ((16, 4), (1024, 10), (2048, 11)):
        config = load_config("mali450-vro", [f"vro.nodes={nodes}"])
        binning = config.binning.model_copy(update={"parameter_buffer_mib": 1 << 40})
        reached = VisibilityOrder().configure(config.model_copy(update={"binning": binning}))
        assert reached.binning.parameter_buffer_mib == 48 * 2 ** (32 - bits) // 2**20


@pytest.mark.parametrize("wrong", ["", "colors", "parts", "samples", "bytes", "format", "stores"])
def test_targets_that_are_not_compressed(wrong: str) -> None:
    """Several samples, other formats and the like are written as they are; what stood there in compressed form is gone
    with a store. What is not stored leaves it.
    """
    one: Any = afbc.FrameBufferCompression()
    one.record, one._rate, one._side = np.zeros(1, coder.CODER), 0, (16, 16)
    one.record["active"] = 1
    one._held = {4096: (np.full((2, 2), 77), 5)}

    def column(good: int, bad: int, name: str) -> Any:
        return np.array([[bad if name == wrong else good]])

    passes = {
        "color_address": np.array([[4096]]), "num_colors": column(1, 0, "colors")[0],
        "samples": column(1, 4, "samples")[0],
        "color_bytes": column(4, 8, "bytes"), "color_format": column(gl.GL_RGBA8, gl.GL_RGB565, "format"),
        "color_store": column(StoreOp.STORE, StoreOp.DONT_CARE, "stores"), "content_matches": np.array([1]),
        "color_load": np.array([[LoadOp.CLEAR]]),
    }  # fmt: skip
    tiles = np.zeros(4, [("x0", np.int64), ("y0", np.int64), ("width", np.int64), ("height", np.int64)])
    tiles["x0"], tiles["y0"], tiles["width"], tiles["height"] = (
        [0, 16, 0, 16],
        [0, 0, 16, 16],
        [16, 4] * 2,
        [16, 16, 4, 4],
    )
    streams: Any = SimpleNamespace(
        index=0, part=SimpleNamespace(count=2 if wrong == "parts" else 1), height=20, width=20, tiles=tiles,
        stored=None,
        loaded=None,
    )  # fmt: skip

    class Trace(dict[str, Any]):
        pixels = (np.zeros((1, 20, 20, 4), np.uint8),)

    one._count_sampled = lambda trace: None
    one._prepare(Trace(passes=passes), streams)
    assert one.record["active"][0] == (not wrong)
    assert (streams.stored is None) == bool(wrong)
    assert streams.loaded is None
    held = one._held.get(4096)
    assert (held is None) == (wrong not in ("", "stores"))
    if held is not None:
        assert (held[0] == 77).all() == bool(wrong)
