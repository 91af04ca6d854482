"""The main loop on units that are Python functions, against a list of wake-up times."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from plain_kernels import Row, run_plainly

from gpumodel.units import loop
from gpumodel.units.events import NEVER, RING
from gpumodel.units.state import NUM_STATES, SYSTEM, WORD_BITS

ALL_DONE = 3
Tick = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, *[ctypes.c_int64] * 5)


class Units:
    """What units do in a cycle follows from unit and cycle alone."""

    def __init__(self, rng: np.random.Generator, count: int, every: bool) -> None:
        self.count, self.every = count, every
        self.salt = int(rng.integers(1 << 30))
        self.pace = int(rng.choice([3, 20, 300]))
        self.end = int(rng.integers(20, 150 if count < 9 and not every else 50))

    def roll(self, *what: int) -> int:
        return hash((self.salt, *what)) >> 8

    def following(self, unit: int, now: int) -> int:
        """Next cycle with work, mostly none."""
        choice = self.roll(unit, now) % 7
        return NEVER if choice > 3 else now + 1 + self.roll(unit, now, 1) % self.pace

    def told(self, unit: int, now: int) -> list[int]:
        """Units that one tells of a change."""
        return [self.roll(unit, now, 2, k) % self.count for k in range(self.roll(unit, now, 3) % 3)]

    def ends(self, unit: int, now: int) -> bool:
        return now >= self.end and self.roll(unit, now, 4) % 3 == 0


def plain_run(units: Units, wake: list[int], now: int) -> tuple[int, int, list[tuple[int, int]]]:
    """Result, cycle and (cycle, unit) of each tick."""
    ticks, done = [], False
    while True:
        for unit in range(units.count):
            if units.every or wake[unit] <= now:
                wake[unit] = NEVER
                ticks.append((now, unit))
                for other in units.told(unit, now):
                    wake[other] = min(wake[other], now + (other <= unit))
                wake[unit] = min(wake[unit], units.following(unit, now))
                done |= units.ends(unit, now)
        if done:
            return 0, now, ticks
        if units.every:
            now += 1
        elif min(wake) == NEVER:
            return 1, now, ticks
        else:
            now = min(wake)


def tick_of(s: Any, units: Units, ticks: list[tuple[int, int]]) -> Callable[..., int]:
    """The function of all units."""
    due = s["due"].view(np.uint64)

    def tick(_: int, own: int, me: int, parent: int, member: int, unused: int) -> int:
        now = int(s["now"])
        assert (own, parent, member, unused) == (1000 + me, me % 2, me % 5, 0)
        ticks.append((now, me))
        for other in units.told(me, now):
            time = now + (other <= me)
            if time < s["wake"][other]:
                s["wake"][other] = time
                due[other // WORD_BITS, time % RING] |= np.uint64(1 << other % WORD_BITS)
                s["reminded"] = np.uint64(int(s["reminded"]) % (1 << 64) | 1 << time % RING).astype(np.int64)
        if units.ends(me, now):
            s["done"] = ALL_DONE
        return units.following(me, now)

    return tick


def set_up(s: Any, rng: np.random.Generator, count: int, now: int) -> Row:
    """Give what the loop accounts for in the end."""
    s["done"], s["unit_cycles"][:] = 0, 0
    s["cfg"]["num_units"], s["cfg"]["raster_units"], s["now"] = count, 2, now
    s["kind"][:count] = loop.PLUGGED
    for unit in range(count):
        s["parent"][unit], s["member"][unit] = unit % 2, unit % 5
    s["wake"][:] = NEVER
    s["wake"][:count] = rng.choice([0, now, now + 5, now + 200, NEVER], count)
    s["unit_state"][:count], s["unit_once"][:count] = rng.integers(0, NUM_STATES, (2, count))
    s["unit_since"][:count] = now - rng.integers(0, 9, count)
    # What an earlier run has left.
    s["due"][:], s["reminded"] = rng.integers(-1 << 63, 1 << 63, s["due"].shape), rng.integers(-1 << 63, 1 << 63)
    for k in range(2):
        ru = s["ru"][k]
        ru["pair_used"], ru["queued"], ru["color_count"], ru["post_count"] = rng.integers(0, 9, 4)
        ru["entry_since"], ru["entry_cycles"] = now - rng.integers(0, 9, 4), 0
    if rng.random() < 0.3:
        s["unit_since"][0] = now + 5000
    names = ("unit_cycles", "unit_since", "unit_state", "unit_once")
    queues = ("pair_used", "queued", "color_count", "post_count", "entry_since")
    units = [{name: ru[name].copy() for name in queues} for ru in s["ru"][:2]]
    return Row(ru=units, **{name: s[name].copy() for name in names})


def check_end(s: Any, before: Any, count: int) -> None:
    """Every unit's last state, and what is in the queues, is accounted for until now."""
    now, cycles = int(s["now"]), before["unit_cycles"].copy()
    for unit in range(count):
        open_cycles = now - int(before["unit_since"][unit])
        name = "unit_state" if open_cycles >= 0 else "unit_once"
        cycles[unit, before[name][unit]] += open_cycles
    assert (s["unit_cycles"] == cycles).all()
    assert (s["unit_since"][:count] == now).all()
    for ru, was in zip(s["ru"][:2], before.ru, strict=True):
        held = [int(was[name]) for name in ("pair_used", "queued", "color_count", "post_count")]
        times = [now - int(since) for since in was["entry_since"]]
        assert ru["entry_cycles"].tolist() == [entries * time for entries, time in zip(held, times, strict=True)]


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("count", [1, 5, WORD_BITS, WORD_BITS + 1, 150])
def test_units_are_ticked_when_they_are_due(count: int, every: bool) -> None:
    """In the order of their numbers, each in the first cycle that reaches its wake-up time; a change is seen by units
    behind in the same cycle, by others in the next; the loop ends with the cycle in which all is done, pauses, and goes
    on as if it had not; where no unit can go on it says so.
    """
    rng = np.random.default_rng([count, every])
    seen: Counter[int] = Counter()
    s = np.zeros(1, SYSTEM)[0]
    for _ in range(20 if count < 9 else 4):
        now = int(rng.integers(0, 200))
        before = set_up(s, rng, count, now)
        units = Units(rng, count, every)
        units.end += now
        ticks: list[tuple[int, int]] = []
        function = Tick(tick_of(s, units, ticks))
        s["tick"]["function"] = ctypes.cast(function, ctypes.c_void_p).value
        s["tick"]["own"][:count] = 1000 + np.arange(count)
        wake, result = [int(time) for time in s["wake"][:count]], 2
        while result == 2:
            s["pause_at"] = int(s["now"]) + int(rng.choice([1, 20, 1 << 40], p=[0.1, 0.5, 0.4]))
            passed = len(ticks)
            result = loop.run(s, int(every), ALL_DONE)
            assert all(time < s["pause_at"] for time, _ in ticks[passed:])
            assert (result == 2) <= (s["now"] >= s["pause_at"])
            seen[result] += 1
        expected = plain_run(units, wake, now)
        assert (result, ticks) == (expected[0], expected[2])
        if result == 0:
            assert s["now"] == expected[1]
            check_end(s, before, count)
    assert min(seen[0], seen[2]) > 0 or count == 1


def test_whose_cycles_follow_a_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind a unit of a Raster Unit that one's, behind a fetcher those of its frame, behind the memory or a technique
    those of all frames, behind a unit of the geometry phase that; caches change nothing.
    """
    run_plainly(monkeypatch, loop)
    followed: list[tuple[str, int]] = []
    for name in ("follow_unit", "follow_units", "follow_geometry"):
        monkeypatch.setattr(loop, name, lambda s, what, name=name: followed.append((name, what)))
    raster = {loop.BLEND, loop.PROCESSOR, loop.DEPTH, loop.RASTER, loop.FLUSH, loop.TILE_CONTROL}
    geometry = {loop.BINNER, loop.ASSEMBLY, loop.VERTEX_PROCESSOR, loop.VERTEX_FETCHER, loop.COMMAND}
    for kind in range(18):
        for frames in (1, 2):
            followed.clear()
            loop._follow(Row(ru=[10, 11], cfg=Row(frames=frames)), kind, 1)
            expected = (
                [("follow_unit", 11)] if kind in raster
                else [("follow_units", 1)] if kind in (loop.TILE_FETCHER, loop.PIPELINED_FETCHER)
                else [("follow_units", k) for k in range(frames)] if kind in (loop.MEMORY, loop.PLUGGED)
                else [("follow_geometry", 1)] if kind in geometry else []
            )  # fmt: skip
            assert followed == expected
