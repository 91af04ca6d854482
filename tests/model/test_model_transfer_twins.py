"""Loads and flushes of tiles, cycle by cycle on random tiles and memories, against lists of what has to be moved."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from plain_kernels import Row, run_plainly

from gpumodel.units import flush
from gpumodel.units.costs import Shared
from gpumodel.units.events import BUSY, DATA, DEPENDENCY, IDLE, NEVER, RESOURCE
from gpumodel.units.state import FLUSHED
from gpumodel.units.traffic import COLOR, OTHER
from traceformat.gputrace.frametrace import LoadOp, StoreOp

DEPTH = 8
SHARED_ROW = 50


def target(rng: np.random.Generator, tiles: list[Row]) -> Row:
    """A pass with some colours and a depth, each loaded or stored or not; its first colour maybe in pieces."""
    pieces = [Row(address=int(rng.integers(5000)), size=int(rng.integers(1, 200))) for _ in range(40)]
    first, second = ([k, *(k + np.cumsum(rng.integers(1, 6, len(tiles)))).tolist()] for k in (0, 3))
    ops = {
        f"{name}_{what}": int(rng.choice([0, 1, 2])) for name in ("depth", "stencil") for what in ("load", "store")
    }  # fmt: skip
    return Row(
        tiles=tiles, u_fetch_tiles=60, num_colors=int(rng.integers(0, 4)), width=int(rng.integers(40, 60)),
        color_address=rng.integers(0, 9, 8).tolist(), color_bytes=rng.choice([0, 4, 16], 8, p=[0.1, 0.6, 0.3]).tolist(),
        color_load=rng.choice([0, int(LoadOp.LOAD)], 8).tolist(), depth_address=7000,
        color_store=rng.choice([0, int(StoreOp.STORE)], 8).tolist(), depth_bytes=int(rng.choice([0, 4, 4])),
        is_loaded_in_pieces=int(rng.random() < 0.3), is_stored_in_pieces=int(rng.random() < 0.3),
        loaded_first=first, stored_first=second, loaded=pieces, stored=pieces[::-1],
        cost_shared=SHARED_ROW, **ops,
    )  # fmt: skip


def spans(g: Row, k: int, load: bool, attachment: int) -> list[tuple[int, int]]:
    """Addresses and bytes of a tile's rows in an attachment, or of its pieces."""
    t = g.tiles[k]
    if attachment == 0 and (g.is_loaded_in_pieces if load else g.is_stored_in_pieces):
        first, pieces = (g.loaded_first, g.loaded) if load else (g.stored_first, g.stored)
        return [(piece.address, piece.size) for piece in pieces[first[k] : first[k + 1]]]
    address = g.depth_address if attachment == DEPTH else g.color_address[attachment]
    size = g.depth_bytes if attachment == DEPTH else g.color_bytes[attachment]
    return [(address + size * (g.width * (t.y0 + y) + t.x0), size * t.width) for y in range(t.height)]


def requests(g: Row, k: int, load: bool) -> list[tuple[int, int, int]]:
    """Line, bytes and traffic of each request of a tile: what of a row lies in a line."""
    wanted = int(LoadOp.LOAD) if load else int(StoreOp.STORE)
    ops = g.color_load if load else g.color_store
    moved = [a for a in range(g.num_colors) if ops[a] == wanted and g.color_bytes[a]]
    what = "load" if load else "store"
    if g.depth_bytes and wanted in (g[f"depth_{what}"], g[f"stencil_{what}"]):
        moved.append(DEPTH)
    found = []
    for attachment in moved:
        for address, size in spans(g, k, load, attachment):
            lines = Counter((address + byte) // 64 for byte in range(size))
            found += [(line, count, OTHER if attachment == DEPTH else COLOR) for line, count in lines.items()]
    return found


class PlainUnit:
    """What a Raster Unit has to load and to flush."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.load: list[tuple[int, int, int]] | None = None
        self.open = 0
        self.pending: tuple[int, int] | None = None
        self.flush: list[tuple[int, int, int]] | None = None
        self.flushed = 0
        self.count: Counter[str] = Counter()


class PlainFlush:
    """Raster Units of which one flushes at a time."""

    def __init__(self, s: Row) -> None:
        self.s = s
        self.units = [PlainUnit(k) for k in range(len(s.ru))]
        self.owner: PlainUnit | None = None
        self.free = 0
        #: What the memory is asked in this cycle, and what it answers.
        self.asked: list[tuple[int, ...]] = []
        self.answers: list[bool] = []
        self.woken: list[tuple[int, int]] = []

    def geometry(self, unit: PlainUnit) -> Row:
        return self.s.frame[self.s.ru[unit.number].frame]

    def dispatch(self, unit: PlainUnit) -> int:
        assert unit.pending
        return int(self.geometry(unit).tiles[unit.pending[0]].dispatch)

    def ask(self, unit: PlainUnit, queue: list[tuple[int, int, int]], load: bool) -> bool:
        line, size, traffic = queue[0]
        row = SHARED_ROW + int(Shared.LOAD if load else Shared.FLUSH)
        self.asked.append((line, size, traffic, unit.number if load else -1, row))
        if not self.answers[len(self.asked) - 1]:
            return False
        del queue[0]
        unit.count["depth_bytes"] += size * (traffic == OTHER)
        unit.open += load
        return True

    def tick(self, number: int, now: int) -> tuple[int, int]:
        """State, and next cycle with work."""
        unit, ru = self.units[number], self.s.ru[number]
        self.asked, self.woken = [], []
        done: list[bool] = []
        if unit.load:
            done.append(self.ask(unit, unit.load, True))
        elif unit.load is not None and unit.open == 0:
            unit.load = None
            done.append(True)
            self.woken += [(ru.u_tiles, -1), (ru.u_depth, -1), (ru.u_raster, -1)]
        earlier = [
            one for one in self.units
            if unit.pending and one.pending and one.pending[1] < now and self.dispatch(one) < self.dispatch(unit)
        ]  # fmt: skip
        if unit.pending and self.owner is None and now >= self.free and not earlier:
            tile, since = unit.pending
            self.owner, unit.pending, unit.flushed = unit, None, tile
            unit.flush = requests(self.geometry(unit), tile, False)
            unit.count["flush_wait_cycles"] += now - since - 1
        if unit.flush:
            done.append(self.ask(unit, unit.flush, False))
            if not unit.flush:
                unit.flush = self.owner = None
                self.free = now + 1
                unit.count["tiles_flushed"] += 1
                self.geometry(unit).tiles[unit.flushed].outcome_wanted |= FLUSHED
                self.woken += [(self.s.ru[one.number].u_flush, now + 1) for one in self.units if one.pending]
                self.woken += [(ru.u_tiles, -1), (60, -1), (ru.u_blend, -1)]
        if any(done):
            return BUSY, now + 1
        state = (
            RESOURCE if done else DATA if unit.load is not None else DEPENDENCY if unit.pending else IDLE
        )  # fmt: skip
        return state, now + 1 if unit.pending and self.owner is None else NEVER


def machine(rng: np.random.Generator) -> Row:
    frames = []
    order = iter(rng.permutation(12).tolist())
    for _ in range(2):
        tiles = [
            Row(x0=int(rng.integers(0, 4)), y0=int(rng.integers(0, 4)), width=int(rng.integers(1, 17)),
                height=int(rng.integers(1, 3)), dispatch=next(order), outcome=1, outcome_wanted=1)
            for _ in range(6)
        ]  # fmt: skip
        frames.append(target(rng, tiles))
    units = [
        Row(
            number=k, frame=int(rng.integers(2)), u_flush=10 * k, u_tiles=10 * k + 1, u_depth=10 * k + 2,
            u_raster=10 * k + 3, u_blend=10 * k + 4, loading=0, flushing=0, flush_pending=-1, flush_since=0,
            depth_tile=-1, flush_tile=-1, load_open=0, depth_bytes=0, flush_wait_cycles=0, tiles_flushed=0,
            load=Row(target=9, row=0, column=0), flush=Row(target=9, row=0, column=0),
        )
        for k in range(3)
    ]  # fmt: skip
    costs = Row(count=int(rng.integers(2)), rows=[Row(depth_bytes=0) for _ in range(SHARED_ROW + 9)])
    return Row(
        frame=frames, ru=units, cfg=Row(raster_units=3), now=20, flush_owner=-1, flush_free=0, cost_who=-1, costs=costs
    )


class Memory:
    """What a unit asks in a cycle, and what it is answered."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, ...]] = []
        self.answers: list[bool] = []

    def read(self, s: Any, line: int, size: int, traffic: int, tag: int) -> int:
        self.asked.append((line, size, traffic, tag, s.cost_who))
        return int(self.answers[len(self.asked) - 1])

    def write(self, s: Any, line: int, size: int, traffic: int) -> int:
        return self.read(s, line, size, traffic, -1)


def begin_some(rng: np.random.Generator, s: Row, plain: PlainFlush) -> None:
    """Let tiles begin and end, and what is loaded come."""
    for unit, ru in zip(plain.units, s.ru, strict=True):
        g = plain.geometry(unit)
        if unit.load is None and rng.random() < 0.2:
            ru.depth_tile = int(rng.integers(6))
            unit.load = requests(g, ru.depth_tile, True) or None
            assert flush.start_load(s, ru) == (unit.load is not None) == ru.loading
        tile = int(rng.integers(6))
        # Each tile is dispatched once.
        taken = [plain.dispatch(one) for one in plain.units if one.pending]
        if not unit.pending and unit.flush is None and rng.random() < 0.2 and g.tiles[tile].dispatch not in taken:
            unit.pending = (tile, s.now) if requests(g, tile, False) else None
            assert flush.request_flush(s, ru, tile) == (unit.pending is not None)
        if ru.load_open and rng.random() < 0.6:
            ru.load_open -= 1
            unit.open -= 1


@pytest.mark.parametrize("seed", range(5))
def test_tiles_are_loaded_and_flushed(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Attachment by attachment, row by row, a line a cycle, in both directions at once; a full memory holds up; one
    unit flushes at a time; who waits for an end is told of it.
    """
    told = run_plainly(monkeypatch, flush)
    rng = np.random.default_rng(seed)
    memory = Memory()
    monkeypatch.setattr(flush, "memory_read", memory.read)
    monkeypatch.setattr(flush, "memory_write", memory.write)
    monkeypatch.setattr(flush, "cost_at", lambda costs, who: costs.rows[who])
    seen: Counter[int] = Counter()
    for _ in range(8):
        s = machine(rng)
        plain = PlainFlush(s)
        share = rng.choice([0.5, 0.9, 1.0])
        for s.now in range(20, 90):
            for unit, ru in zip(plain.units, s.ru, strict=True):
                memory.answers = plain.answers = (rng.random(2) < share).tolist()
                memory.asked.clear()
                found = flush.tick_flush(s, unit.number)
                state, following = plain.tick(unit.number, s.now)
                assert memory.asked == plain.asked
                assert told.take() == (sorted(plain.woken), [(ru.u_flush, state)])
                assert found == following
                parts = (unit.load is not None, unit.open, unit.flush is not None)
                assert (ru.loading, ru.load_open, ru.flushing) == parts
                assert ru.flush_pending == (unit.pending[0] if unit.pending else -1)
                assert s.flush_owner == (plain.owner.number if plain.owner else -1)
                seen[state] += 1
            begin_some(rng, s, plain)
        for unit, ru in zip(plain.units, s.ru, strict=True):
            assert {name: ru[name] for name in unit.count} == unit.count
        total = sum(ru.depth_bytes for ru in s.ru) * s.costs.count
        assert sum(row.depth_bytes for row in s.costs.rows[SHARED_ROW:]) == total
        assert all(t.outcome == t.outcome_wanted for g in s.frame for t in g.tiles)
    assert min(seen[state] for state in (BUSY, IDLE, RESOURCE, DATA, DEPENDENCY)) > 5
