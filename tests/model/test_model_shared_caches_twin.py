"""Caches that processors share, of textures and of code: whose turn it is at the port, and who gets what comes."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from plain_kernels import Row, run_plainly

from gpumodel.units import instruction, texture_cache
from gpumodel.units.cache import BLOCKED, HIT
from gpumodel.units.capacity import MAX_SHARING_THREADS
from gpumodel.units.events import BUSY, DATA, IDLE, NEVER
from gpumodel.units.state import L1_INSTRUCTION, L1_TEXTURE, L1_VERTEX_INSTRUCTION


@pytest.mark.parametrize("ports", [1, 2])
def test_turns_at_a_port(monkeypatch: pytest.MonkeyPatch, ports: int) -> None:
    """Who found none has it before the other in the next cycle. Who leaves it to the other has waited for what that one
    does with it: a look-up, or a search for a register, which leaves the port free; else for nothing.
    """
    run_plainly(monkeypatch, texture_cache)
    rng = np.random.default_rng(ports)
    units = [Row(unit=40), Row(unit=41)]
    c = Row(ports=ports, port_cycle=-1, port_used=0, port_conflicts=0, denied=-1, denied_cycle=-9, blocked_cycle=-9,
            left_cycle=-9, register_waits=0)  # fmt: skip
    count: Counter[str] = Counter()
    denied = -1
    for now in range(10, 1500):
        s = Row(now=now)
        attempts = [(int(k), int(rng.choice([BLOCKED, HIT]))) for k in rng.permutation(2) if rng.random() < 0.7]
        used, refused, left, looked, blocked = 0, -1, False, False, False
        for k, found in attempts:
            leaves = used == ports - 1 and denied == 1 - k
            takes = used < ports and not leaves
            assert texture_cache.take_port(s, units[k], c) == takes
            if not takes:
                refused, left = k, leaves
                count["port_conflicts"] += not leaves
                count["register_waits"] += leaves and blocked
                left = leaves and not blocked
                continue
            texture_cache.account_port(s, c, found)
            looked, blocked = found == HIT, found == BLOCKED
            used += looked
            count["port_conflicts"] += left and looked
            count["register_waits"] += blocked + (left and blocked)
        denied = refused
        assert {name: c[name] for name in count} == count
    assert count["register_waits"] > 20
    # Two processors never lack the second of two ports.
    assert (count["port_conflicts"] > 20) == (ports == 1)


def test_lines_that_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fill a cycle: each thread that waits for it has one line less to wait for, and is ready with its last one where
    its texels are filtered; a processor that runs a thread sees it when that one ends.
    """
    told = run_plainly(monkeypatch, texture_cache)
    rng = np.random.default_rng(3)
    for _ in range(400):
        units = [
            [
                Row(unit=40 + 10 * k + j, pending=rng.integers(1, 3, 31).tolist(), ready=0,
                    filtered=rng.integers(0, 2, 31).tolist(), running=int(rng.choice([-1, 2])))
                for j in range(4)
            ]
            for k in range(3)
        ]  # fmt: skip
        cache, first = L1_TEXTURE + int(rng.integers(12)), int(rng.integers(2))
        due = int(rng.integers(2))
        threads = [rng.choice(31, int(rng.integers(0, 4)), replace=False).tolist() for _ in range(2)]
        waiters = sum(1 << MAX_SHARING_THREADS * k + slot for k in range(2) for slot in threads[k])
        fills, time, misses = int(rng.integers(2)), int(rng.integers(40)), int(rng.integers(2))
        c = Row(mshr_count=misses, fill_count=fills, fill_head=1, fill_time=[0, time])
        s = Row(now=20, l1={cache: c}, cfg=Row(processors=4), ru=[Row(processor=own) for own in units])
        monkeypatch.setattr(texture_cache, "fill_due", lambda s, c, due=due: due)
        monkeypatch.setattr(texture_cache, "l1_fill", lambda s, c, waiters=waiters: waiters)
        at = (cache - L1_TEXTURE) % 4
        pending = [list(units[first + k][at].pending) for k in range(2)]
        following = texture_cache.tick_texture_cache(s, 90, first, cache)
        woken = []
        for k in range(2):
            p = units[first + k][at]
            mine = threads[k] if due else []
            assert p.pending == [count - (slot in mine) for slot, count in enumerate(pending[k])]
            ready = [slot for slot in mine if pending[k][slot] == 1 and p.filtered[slot]]
            assert p.ready == sum(1 << slot for slot in ready)
            woken += [(p.unit, -1)] if mine and p.running < 0 else []
        assert told.take() == (sorted(woken), [(90, BUSY if due else DATA if misses else IDLE)])
        assert following == (21 if due else max(time, 21) if fills else NEVER)


@pytest.mark.parametrize("cache", [L1_INSTRUCTION, L1_VERTEX_INSTRUCTION])
def test_code_that_comes(monkeypatch: pytest.MonkeyPatch, cache: int) -> None:
    """A fill a cycle: each processor that waits for it looks again; those of vertices wait for one line together."""
    told = run_plainly(monkeypatch, instruction)
    rng = np.random.default_rng(4)
    for _ in range(300):
        processors = [Row(unit=40 + k, code_ready=0) for k in range(4)]
        g = Row(u_processor=60, code_waits=1)
        due, fills, time, misses = (int(rng.integers(n)) for n in (2, 2, 40, 2))
        ports = rng.choice(4, int(rng.integers(0, 4)), replace=False).tolist()
        c = Row(mshr_count=misses, fill_count=fills, fill_head=1, fill_time=[0, time])
        s = Row(now=20, l1={cache: c}, frame=[Row(), g], ru=[Row(), Row(processor=processors)])
        monkeypatch.setattr(instruction, "fill_due", lambda s, c, due=due: due)
        monkeypatch.setattr(instruction, "l1_fill", lambda s, c, ports=ports: sum(1 << port for port in ports))
        following = instruction.tick_instruction_cache(s, 90, 1, cache)
        mine = sorted(ports) if due else []
        of_vertices = cache == L1_VERTEX_INSTRUCTION
        assert [p.code_ready for p in processors] == [k in mine and not of_vertices for k in range(4)]
        assert g.code_waits == (not (mine and of_vertices))
        state = BUSY if due else DATA if misses else IDLE
        assert told.take() == ([((60 if of_vertices else 40) + k, -1) for k in mine], [(90, state)])
        assert following == (21 if due else max(time, 21) if fills else NEVER)
