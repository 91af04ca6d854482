"""The Signature Unit, cycle by cycle on random lists of primitives, against what it says of itself.

The unit is ticked when it is due, the list builder when it is told of room; the twin in every cycle.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import Any

import numpy as np
import pytest
from plain_kernels import Row, run_plainly

from gpumodel.techniques.re import unit as signature
from gpumodel.techniques.re.config import OT_QUEUE_ENTRIES
from gpumodel.units.events import BUSY, DEPENDENCY, IDLE, NEVER

UNIT, BINNER, FETCHER = 20, 30, 40
COUNTED = ("signature_updates", "accumulate_sub_blocks", "compute_sub_blocks", "stall_cycles")


class Plain:
    """Both CRC units, the queue and the registers between them."""

    def __init__(self, own: Row, emitted: list[Row]) -> None:
        self.own, self.emitted = own, emitted
        #: Row that is signed, until when, and whether its block waits for the register.
        self.signs: tuple[int, int] | None = None
        self.waits = False
        #: Row and tiles that are left of the block in the register; draw of the constants that were signed last.
        self.register, self.left, self.draw = -1, 0, own.draw
        self.queue: deque[int] = deque()
        self.busy_until: int | None = None
        self.touched: dict[int, int] = {}
        self.offered, self.pushed = -1, 0
        self.stalled: int | None = None
        self.count: Counter[str] = Counter()

    def update(self, tile: int, row: int) -> int:
        """Shift a tile's signature over a block, and over the constants in front of the first of a draw."""
        own, draw = self.own, self.own.draws[row]
        blocks = [own.lengths[row]]
        if self.touched.get(tile) != draw:
            self.touched[tile] = draw
            blocks.append(own.constants[draw])
        cycles = len(blocks) if own.single else sum(blocks)
        self.count["signature_updates"] += len(blocks)
        self.count["accumulate_sub_blocks"] += cycles
        return cycles

    def sign(self, row: int) -> int:
        """Sub-blocks of a primitive, with its draw's constants where those are other ones."""
        draw = self.own.draws[row]
        length = self.own.lengths[row] + (self.own.constants[draw] if draw != self.draw else 0)
        self.count["compute_sub_blocks"] += length
        self.offered, self.pushed = row, 0
        return int(length)

    def would_take(self, row: int, at_tile: bool, tile: int) -> bool:
        if row != self.offered:
            return self.signs is None
        number = self.own.tile_of[self.emitted[row].bin_first + tile]
        return not at_tile or self.pushed != tile or number < 0 or len(self.queue) < self.own.depth

    def offer(self, row: int, at_tile: bool, tile: int, now: int) -> bool:
        """The list builder begins or goes on with a primitive; whether it may."""
        if not self.own.active:
            return True
        number = self.own.tile_of[self.emitted[row].bin_first + tile] if at_tile else -1
        if self.own.free:
            if row != self.offered:
                self.sign(row)
                self.draw = self.own.draws[row]
            if at_tile and self.pushed == tile:
                self.pushed += 1
                if number >= 0:
                    self.update(number, row)
            return True
        taken = self.would_take(row, False, tile)
        if taken and row != self.offered:
            self.signs = (row, now + max(1, self.sign(row)))
        taken = taken and self.would_take(row, at_tile, tile)
        if taken and at_tile and self.pushed == tile:
            self.pushed += 1
            if number >= 0:
                self.queue.append(number)
        if not taken:
            self.stalled = now if self.stalled is None else self.stalled
        elif self.stalled is not None:
            self.count["stall_cycles"] += now - self.stalled
            self.stalled = None
        return taken

    @property
    def is_through(self) -> bool:
        return self.signs is None and self.left == 0

    def tick(self, now: int) -> int:
        if not self.own.active:
            return IDLE
        if self.busy_until is not None and now == self.busy_until:
            self.busy_until = None
            self.left -= 1
        if self.signs and now >= self.signs[1] and self.left == 0:
            self.register, self.signs = self.signs[0], None
            self.left, self.draw = self.own.signed[self.register], self.own.draws[self.register]
        if self.busy_until is None and self.left and self.queue:
            self.busy_until = now + max(1, self.update(self.queue.popleft(), self.register))
        works = self.busy_until is not None or (self.signs and now < self.signs[1])
        return BUSY if works else DEPENDENCY if self.left else IDLE


def machine(rng: np.random.Generator) -> tuple[Row, list[Row]]:
    """State of the unit, and of the list builder's primitives."""
    emitted: list[Row] = []
    tile_of: list[int] = []
    draws = np.sort(rng.integers(0, 4, 12)).tolist()
    for _ in range(12):
        tiles = rng.permutation(6)[: int(rng.integers(1, 5))].tolist()
        emitted.append(Row(bin_first=len(tile_of), bin_count=len(tiles), attributes=int(rng.integers(0, 3))))
        tile_of += [tile if rng.random() < 0.8 else -1 for tile in tiles]
    signed = [sum(tile >= 0 for tile in tile_of[e.bin_first : e.bin_first + e.bin_count]) for e in emitted]
    zero = ("checking", "head", "count", "pushed", "compute", "compute_until", "block", "block_tiles", "block_draw",
            "block_constants", "shift", "shift_constants", "tiles_left", "accumulating", "accumulate_until",
            "check_until", "tiles_checked", "unit", *COUNTED)  # fmt: skip
    own = Row(**dict.fromkeys(zero, 0) | {
        "active": 1, "signing": 1, "single": int(rng.random() < 0.3), "free": int(rng.random() < 0.2),
        "lengths": rng.integers(0, 6, 12).tolist(), "draws": draws, "constants": rng.integers(0, 5, 4).tolist(),
        "tile_of": tile_of, "signed": signed, "touched": [-1] * 6, "skip": rng.integers(0, 2, 6).tolist(),
        "queue": [-1] * OT_QUEUE_ENTRIES, "depth": int(rng.choice([1, 2, 20])), "offered": -1, "draw": -1,
        "check_cycles": int(rng.integers(0, 4)), "check_tile": -1, "stalled_since": -1,
    })  # fmt: skip
    own.head = OT_QUEUE_ENTRIES - 2
    return own, emitted


class Builder:
    """The list builder: attributes, then list pointers, of one primitive after the other."""

    def __init__(self, rng: np.random.Generator, emitted: list[Row]) -> None:
        self.rng = rng
        self.steps = deque(
            (row, attribute, tile)
            for row, e in enumerate(emitted)
            for attribute, tile in [
                *((k, 0) for k in range(e.attributes)), *((e.attributes, k) for k in range(e.bin_count))
            ]
        )  # fmt: skip
        self.sleeps = False

    def next(self) -> tuple[int, int, int] | None:
        return self.steps[0] if self.steps and not self.sleeps and self.rng.random() < 0.8 else None


def check_tiles(s: Row, own: Row, plain: Plain, frame: int) -> None:
    """Tiles are asked for until each has its answer, in its time."""
    begin = s.now
    for tile in range(6):
        asked = s.now
        while (found := signature.check_tile(s, 0, frame, tile, 0, 0)) < 0:
            assert s.frame[frame].woken == asked + own.check_cycles
            s.now += 1
        assert s.now == asked + own.check_cycles * own.checking
        assert found == (1 - own.skip[tile] if own.checking else 1)
    assert (own.signing, s.frame[frame].raster_start) == (0, begin)
    assert own.tiles_checked == 6 * own.checking


@pytest.mark.parametrize("frame", [0, 1])
@pytest.mark.parametrize("seed", range(3))
def test_primitives_are_signed(monkeypatch: pytest.MonkeyPatch, frame: int, seed: int) -> None:
    """A block a primitive, a shift a tile, constants once a draw and tile; the list builder waits for the Compute unit
    and for room in the queue, and is told in time; tiles wait for the last signature, then for their check.
    """
    run_plainly(monkeypatch, signature)
    rng = np.random.default_rng([seed, frame])
    monkeypatch.setattr(signature, "emitted_at", lambda rows, at: rows[at])
    seen: Counter[int] = Counter()
    for _ in range(25):
        own, emitted = machine(rng)
        own.checking = int(rng.integers(2))
        plain, builder = Plain(own, emitted), Builder(rng, emitted)
        records = [Row(active=0, tiles_left=1, unit=0), own] if frame else [own, Row(active=0, tiles_left=1, unit=0)]
        g = Row(emitted=emitted, u_binner=BINNER, u_fetch_tiles=FETCHER, raster_start=0, woken=-1)
        s = Row(frame=[g, g], cfg=Row(bins_ahead=1), now=0)
        wake, state, told = [10], [IDLE], [0]

        def notify(s: Any, me: int, unit: int, wake: Any = wake, told: Any = told, builder: Any = builder) -> None:
            if unit == BINNER:
                builder.sleeps = False
            if unit == FETCHER:
                told[0] = s.now
            if unit == UNIT:
                wake[0] = min(wake[0], s.now + 1)

        for name, value in {
            "_own": lambda at, records=records: records[at // signature._FRAME_BYTES], "notify": notify,
            "account": lambda s, unit, found, state=state: state.__setitem__(0, found),
            "wake_at": lambda s, unit, time, g=g: setattr(g, "woken", time),
        }.items():  # fmt: skip
            monkeypatch.setattr(signature, name, value)
        through = -1
        for s.now in range(10, 900):
            if wake[0] <= s.now or rng.random() < 0.05:
                wake[0] = NEVER
                following = signature.tick_signature_unit(s, 0, UNIT, 0, 0, 0)
                assert following > s.now
                wake[0] = min(wake[0], following)
            was_through = plain.is_through
            found = plain.tick(s.now)
            assert state == [found]
            assert was_through or not plain.is_through or told[0] == s.now
            seen[found] += 1
            if builder.steps and builder.sleeps:
                row, attribute, tile = builder.steps[0]
                assert not plain.would_take(row, attribute >= emitted[row].attributes, tile)
            if (step := builder.next()) is not None:
                row, attribute, tile = step
                taken = plain.offer(row, attribute >= emitted[row].attributes, tile, s.now)
                assert signature.sign_bin(s, 0, frame, row, attribute, tile) == taken
                builder.sleeps = not taken
                # One that was taken may be offered again, where a cache has no room.
                if taken and rng.random() < 0.8:
                    builder.steps.popleft()
            is_through = plain.is_through
            if not is_through:
                assert signature.check_tile(s, 0, frame, 0, 0, 0) == -1
            elif builder.steps == deque():
                through = s.now
                break
        assert through > 0
        assert {name: own[name] for name in COUNTED} == {name: plain.count[name] for name in COUNTED}
        check_tiles(s, own, plain, frame)
    assert min(seen[one] for one in (BUSY, IDLE, DEPENDENCY)) > 5


def test_without_signing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pass that is not signed holds nobody up, and each of its tiles is rendered."""
    run_plainly(monkeypatch, signature)
    s = Row(frame=[Row()], cfg=Row(bins_ahead=0), now=3)
    own = Row(active=0, compute=1, tiles_left=1, unit=0)
    monkeypatch.setattr(signature, "_own", lambda at: own)
    assert signature.sign_bin(s, 0, 0, 0, 0, 0) == 1
    assert signature.check_tile(s, 0, 0, 0, 0, 0) == 1
    assert signature.tick_signature_unit(s, 0, UNIT, 0, 0, 0) == NEVER
