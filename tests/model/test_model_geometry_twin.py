"""The geometry phase, from commands to list entries, cycle by cycle on random draws, against queues of rows.

The units are ticked when they are due, and sometimes in between; their twins in every cycle.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import Any

import numpy as np
import pytest
from plain_caches import Cache
from plain_kernels import Row, run_plainly

from gpumodel.units import assembly, binning, command, vertex
from gpumodel.units.cache import BLOCKED, HIT, MISS
from gpumodel.units.capacity import INPUT_RING, TRIANGLE_RING
from gpumodel.units.events import BUSY, DATA, DEPENDENCY, IDLE, NEVER, QUEUE, RESOURCE
from gpumodel.units.state import L1_COMMAND, L1_VERTEX, L1_VERTEX_INSTRUCTION

FETCHER, BINNER, ASSEMBLY, PROCESSOR, VERTEX, COMMAND = 5, 10, 11, 12, 20, 21
ATTRIBUTE_BYTES = 48
LATENCY = 4
COST_FIRST = 100
COUNTED = (
    "bin_writes", "attributes_binned", "pointer_writes", "binned", "primitives_culled", "primitives_in",
    "vertices_fetched", "vertices_shaded",
)  # fmt: skip


def geometry(rng: np.random.Generator) -> Row:
    """Draws with their vertices, of which some are used again, and primitives, of which some are cut or culled."""
    draws = [Row(command_bytes=int(rng.integers(1, 300))) for _ in range(5)]
    vertices, primitives, emitted, pointers = [], [], [], 0
    shaded = 0
    for draw in range(5):
        for _ in range(int(rng.choice([0, 3, 9]))):
            new = int(rng.random() < 0.7)
            shaded += new
            vertices.append(Row(
                draw=draw, line_first=int(rng.integers(20)), line_count=int(rng.integers(0, 4)) if new else 0,
                cycles=int(rng.choice([0, 1, 5])), shaded=new, code_first=int(rng.integers(10)),
                code_count=int(rng.integers(3)),
            ))  # fmt: skip
            if rng.random() < 0.6:
                count = int(rng.choice([0, 1, 1, 2]))
                primitives.append(Row(needs=shaded, emitted_first=len(emitted), emitted_count=count, draw=draw))
                for _ in range(count):
                    bins = int(rng.integers(0, 4))
                    emitted.append(Row(
                        attribute_address=16 * int(rng.integers(30)), attributes=int(rng.integers(0, 3)),
                        entries=int(rng.integers(1, 3)), bin_first=pointers, bin_count=bins, draw=draw,
                        test_cycles=int(rng.choice([1, 3, 9])),
                    ))  # fmt: skip
                    pointers += bins
    zero = ("draw", "row", "primitive", "command_line", "command_requested", "command_waiting", "command_until",
            "draws_ready", "fetch_line", "input_count", "input_open", "processor_turn", "output_turn", "output_count",
            "code_line", "code_blocked", "code_waits", "vertices_taken", "piece", "triangle_count", "triangle_used",
            "bin_attribute", "bin_attribute_line", "bin_tile", "bin_until", *COUNTED)  # fmt: skip
    return Row(**dict.fromkeys(zero, 0) | {
        "draws": draws, "vertices": vertices, "primitives": primitives, "emitted": emitted, "draw_end": 5,
        "row_end": len(vertices), "primitive_end": len(primitives), "vertex_lines": [*range(0, 14), *range(3, 20)],
        "segment_lines": [*range(6), *range(2, 9)], "pointer_lines": rng.integers(0, 40, pointers).tolist(),
        "u_fetch_tiles": FETCHER, "u_binner": BINNER, "u_assembly": ASSEMBLY, "u_processor": PROCESSOR,
        "u_vertex": VERTEX, "u_command": COMMAND, "num_processors": int(rng.integers(1, 4)), "binning": -1,
        "processor_busy": [0] * 8, "processor_until": [0] * 8, "input_row": [0] * INPUT_RING,
        "input_pending": [0] * INPUT_RING, "input_head": INPUT_RING - 2, "input_depth": int(rng.integers(1, 6)),
        "output_depth": int(rng.integers(1, 5)), "triangle": [0] * TRIANGLE_RING, "triangle_head": TRIANGLE_RING - 2,
        "triangle_depth": int(rng.integers(2, 6)), "instruction_cache": int(rng.random() < 0.4), "tile_cache": 0,
        "cost_first": COST_FIRST,
    })  # fmt: skip


class Vertex:
    """A vertex whose lines come, and whose shader runs."""

    def __init__(self, row: int, slot: int) -> None:
        self.row, self.slot, self.pending = row, slot, 0


class Plain:
    """Every unit of the phase."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.g = bench, bench.g
        self.ready = self.draw = self.asked = self.coming = 0
        self.decodes: int | None = None
        self.lines_read = 0
        self.row = self.line = self.entered = 0
        self.open: Vertex | None = None
        self.input: deque[Vertex] = deque()
        #: When each processor is done; whose turn it is to take and to give.
        self.until: list[int | None] = [None] * self.g.num_processors
        self.takes = self.gives = self.output = self.taken = 0
        self.code_line, self.code_waits = 0, False
        self.primitive = self.piece = 0
        self.triangles: deque[int] = deque()
        self.writes: deque[tuple[str, int]] | None = None
        self.bin_until = 0
        self.count: Counter[str] = Counter()

    def read(self, cache: int, line: int, waiters: int, draw: int) -> int:
        found = self.bench.plain_caches[cache].read(line, waiters)
        if found != BLOCKED:
            self.bench.does.append((cache, line, COST_FIRST + draw))
        return found

    def filled(self, cache: int, now: int) -> int | None:
        own = self.bench.plain_caches[cache]
        return own.take() if own.due() <= now else None

    def command(self, now: int) -> int:
        worked = bool(self.filled(L1_COMMAND, now))
        self.coming -= worked
        if self.ready == self.g.draw_end:
            return BUSY if worked else IDLE
        if self.ready >= self.draw + 2:
            return QUEUE
        if self.decodes is None:
            if self.asked < -(-self.g.draws[self.ready].command_bytes // 64):
                found = self.read(L1_COMMAND, self.lines_read, 1, self.ready)
                if found == BLOCKED:
                    return BUSY if worked else RESOURCE
                self.asked += 1
                self.lines_read += 1
                self.coming += found == MISS
                return BUSY
            if not self.coming:
                self.decodes = now + self.bench.s.cfg.command_cycles
        if self.decodes is None:
            return BUSY if worked else DATA
        if now == self.decodes:
            self.decodes, self.asked = None, 0
            self.ready += 1
        return BUSY

    def fetch(self, now: int) -> int:
        filled = self.filled(L1_VERTEX, now)
        for one in [*self.input, *([self.open] if self.open else [])]:
            one.pending -= (filled or 0) >> one.slot & 1
        state = self.fetch_row(now)
        if filled is not None or state == BUSY:
            return BUSY
        return DATA if state == IDLE and self.bench.plain_caches[L1_VERTEX].misses else state

    def fetch_row(self, now: int) -> int:
        """An index, or a line of its attributes."""
        if self.row == self.g.row_end:
            return IDLE
        v = self.g.vertices[self.row]
        self.draw = v.draw
        if v.draw >= self.ready:
            return DEPENDENCY
        if v.shaded and not self.open:
            if len(self.input) >= self.g.input_depth:
                return QUEUE
            self.open = Vertex(self.row, (INPUT_RING - 2 + self.entered) % INPUT_RING)
        if self.line < v.line_count:
            waiters = 1 << self.open.slot if self.open else 0
            found = self.read(L1_VERTEX, self.g.vertex_lines[v.line_first + self.line], waiters, v.draw)
            if found == BLOCKED:
                return RESOURCE
            self.line += 1
            if self.open:
                self.open.pending += found == MISS
        if self.line == v.line_count:
            self.row, self.line = self.row + 1, 0
            if self.open:
                self.input.append(self.open)
                self.open = None
                self.entered += 1
                self.count["vertices_fetched"] += 1
            if self.row == self.g.row_end:
                self.draw = self.g.draw_end
        return BUSY

    def has_code(self, v: Row, processor: int) -> bool | None:
        """Whether all lines of a vertex's code are there; none where the cache takes no request."""
        while not self.code_waits and self.code_line < v.code_count:
            line = self.g.segment_lines[v.code_first + self.code_line]
            found = self.read(L1_VERTEX_INSTRUCTION, line, 1 << processor, v.draw)
            if found == BLOCKED:
                return None
            self.code_waits = found != HIT
            self.code_line += found == HIT
        if self.code_waits:
            return False
        self.code_line = 0
        return True

    def shade(self, processor: int, now: int) -> int:
        until = self.until[processor]
        if until is not None and now >= until:
            if self.gives != processor:
                return DEPENDENCY
            if self.output == self.g.output_depth:
                return QUEUE
            self.until[processor] = None
            self.output += 1
            self.count["vertices_shaded"] += 1
            self.gives = (processor + 1) % self.g.num_processors
        if self.until[processor] is None:
            if not self.input:
                return IDLE
            if self.input[0].pending:
                return DATA
            if self.takes != processor:
                return DEPENDENCY
            v = self.g.vertices[self.input[0].row]
            if self.g.instruction_cache and not self.has_code(v, processor):
                return DATA
            self.input.popleft()
            self.until[processor] = now + max(1, v.cycles)
            self.takes = (processor + 1) % self.g.num_processors
        return BUSY

    def used(self) -> int:
        return sum(int(self.g.emitted[row].entries) for row in self.triangles)

    def assemble(self) -> int:
        g = self.g
        is_over = self.primitive == g.primitive_end
        needs = 1 << 40 if is_over else g.primitives[self.primitive].needs
        moved = min(self.output, needs - self.taken)
        self.output -= moved
        self.taken += moved
        if is_over:
            return IDLE
        if self.taken < needs:
            return DATA
        p = g.primitives[self.primitive]
        if p.emitted_count:
            row = p.emitted_first + self.piece
            if self.used() + g.emitted[row].entries > g.triangle_depth:
                return QUEUE
            self.triangles.append(row)
            self.piece += 1
        else:
            self.count["primitives_culled"] += 1
        if self.piece == p.emitted_count:
            self.piece = 0
            self.primitive += 1
            self.count["primitives_in"] += 1
        return BUSY

    def bin(self, now: int) -> int:
        g = self.g
        if self.writes is None:
            if not self.triangles:
                return IDLE
            self.binned = self.triangles.popleft()
            e = g.emitted[self.binned]
            self.bin_until = now + e.test_cycles - 1
            self.writes = deque()
            for k in range(e.attributes if e.bin_count else 0):
                start = e.attribute_address + ATTRIBUTE_BYTES * k
                self.writes += [("bin_writes", line) for line in range(start // 64, (start + 47) // 64 + 1)]
            self.writes += [("pointer_writes", g.pointer_lines[e.bin_first + k]) for k in range(e.bin_count)]
        if self.writes:
            if not self.bench.can_go_on:
                return QUEUE
            if not self.bench.can_write:
                return RESOURCE
            kind, line = self.writes.popleft()
            self.count[kind] += 1
            self.bench.does.append(("write", line, COST_FIRST + g.emitted[self.binned].draw))
        if not self.writes and now >= self.bin_until:
            e = g.emitted[self.binned]
            self.writes = None
            self.count["binned"] += 1
            self.count["attributes_binned"] += e.attributes * (e.bin_count > 0)
        return BUSY

    def tick(self, now: int) -> dict[int, int]:
        """States, in the order in which units see each other."""
        states = {BINNER: self.bin(now), ASSEMBLY: self.assemble()}
        states |= {PROCESSOR + k: self.shade(k, now) for k in range(self.g.num_processors)}
        return states | {VERTEX: self.fetch(now), COMMAND: self.command(now)}


class Bench:
    """Caches, and the loop."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.g = geometry(rng)
        sizes = {which: (int(rng.integers(1, 4)), int(rng.integers(3, 9)))
                 for which in (L1_COMMAND, L1_VERTEX, L1_VERTEX_INSTRUCTION)}  # fmt: skip
        self.caches = {which: Cache(*size) for which, size in sizes.items()}
        self.plain_caches = {which: Cache(*size) for which, size in sizes.items()}
        caches = [Row(who=-1, owner=99, fill_count=0, fill_head=0, fill_time=[0], mshr_count=0) for _ in range(200)]
        hook = Row(function=self.hook, own=0)
        self.s = Row(frame=[self.g], l1=caches, now=20, cfg=Row(command_cycles=int(rng.integers(1, 6))),
                     costs=Row(count=1), plugs=Row(bin=hook))  # fmt: skip
        #: Whether the Tile Cache, and a technique, take what the list builder offers.
        self.can_write = self.can_go_on = True
        self.plain = Plain(self)
        self.units = [BINNER, ASSEMBLY, *range(PROCESSOR, PROCESSOR + self.g.num_processors), VERTEX, COMMAND]
        self.wake = dict.fromkeys(self.units, 20)
        self.states = dict.fromkeys(self.units, IDLE)
        self.did: list[tuple[Any, ...]] = []
        self.does: list[tuple[Any, ...]] = []

    # What the units call.

    def hook(self, s: Any, own: Any, frame: int, row: int, attribute: int, tile: int) -> int:
        return int(self.can_go_on)

    def which(self, c: Row) -> int:
        return next(k for k, own in enumerate(self.s.l1) if own is c)

    def show(self, which: int) -> None:
        own, c = self.caches[which], self.s.l1[which]
        c.fill_count, c.fill_time[0], c.mshr_count = len(own.fills), own.due(), len(own.misses)

    def read(self, s: Any, c: Row, line: int, waiters: int) -> int:
        which = self.which(c)
        found = self.caches[which].read(int(line), int(waiters))
        if found != BLOCKED:
            self.did.append((which, int(line), c.who))
        self.show(which)
        return found

    def write(self, s: Any, c: Row, line: int) -> int:
        if not self.can_write:
            return BLOCKED
        self.did.append(("write", int(line), c.who))
        return HIT

    def fill_due(self, s: Any, c: Row) -> int:
        return int(self.caches[self.which(c)].due() <= s.now)

    def fill(self, s: Any, c: Row) -> int:
        which = self.which(c)
        waiters = self.caches[which].take()
        self.show(which)
        return waiters

    def notify(self, s: Any, me: int, unit: int) -> None:
        if unit in self.wake:
            self.wake[unit] = min(self.wake[unit], s.now + (unit <= me))

    # The memory, and a cycle.

    def memory(self) -> None:
        now = self.s.now
        for which, unit in ((L1_COMMAND, COMMAND), (L1_VERTEX, VERTEX), (L1_VERTEX_INSTRUCTION, -1)):
            if self.caches[which].asked and self.rng.random() < 0.3:
                for cache in (self.caches[which], self.plain_caches[which]):
                    cache.fills.append((now + LATENCY, cache.asked.popleft()))
                if unit >= 0:
                    self.wake[unit] = min(self.wake[unit], now + LATENCY)
            self.show(which)
        if self.caches[L1_VERTEX_INSTRUCTION].due() <= now:
            # The Instruction Cache is a unit of its own.
            self.plain_caches[L1_VERTEX_INSTRUCTION].take()
            waiters = self.caches[L1_VERTEX_INSTRUCTION].take()
            self.g.code_waits, self.plain.code_waits = 0, False
            for k in range(self.g.num_processors):
                if waiters >> k & 1:
                    self.wake[PROCESSOR + k] = now
        for name in ("can_write", "can_go_on"):
            if self.rng.random() < 0.2:
                setattr(self, name, not getattr(self, name))
                self.wake[BINNER] = now

    def tick(self, unit: int) -> int:
        if unit in (BINNER, ASSEMBLY, VERTEX, COMMAND):
            return {
                BINNER: binning.tick_binner, ASSEMBLY: assembly.tick_assembly, VERTEX: vertex.tick_vertex_fetcher,
                COMMAND: command.tick_command,
            }[unit](self.s, 0)  # fmt: skip
        return vertex.tick_vertex_processor(self.s, 0, unit - PROCESSOR)

    def cycle(self) -> None:
        self.memory()
        for unit in self.units:
            if self.wake[unit] <= self.s.now or self.rng.random() < 0.03:
                self.wake[unit] = NEVER
                self.wake[unit] = min(self.tick(unit), self.wake[unit])
                assert self.wake[unit] > self.s.now


@pytest.mark.parametrize("seed", range(5))
def test_draws_become_list_entries(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Commands are decoded two draws ahead, vertices fetched, shaded and collected in their order, primitives assembled
    when theirs are there, written attribute by attribute and tile by tile; who waits for room or lines is told in time.
    """
    modules = (command, vertex, assembly, binning)
    run_plainly(monkeypatch, *modules)
    rng = np.random.default_rng(seed)
    seen: Counter[int] = Counter()
    for _ in range(8):
        bench = Bench(rng)
        g, plain = bench.g, bench.plain
        stubs = {
            "l1_read": bench.read, "l1_write": bench.write, "fill_due": bench.fill_due, "l1_fill": bench.fill,
            "notify": bench.notify,
            "account": lambda s, unit, state, states=bench.states: states.update({int(unit): int(state)}),
        }  # fmt: skip
        for module in modules:
            for name, value in stubs.items():
                monkeypatch.setattr(module, name, value, raising=False)
        for bench.s.now in range(20, 2000):
            bench.cycle()
            found = plain.tick(bench.s.now)
            assert bench.states == found, bench.s.now
            assert (g.draws_ready, g.row, g.primitive, g.vertices_taken) == (
                plain.ready, plain.row, plain.primitive, plain.taken
            )  # fmt: skip
            assert (g.input_count, g.output_count, g.triangle_used) == (len(plain.input), plain.output, plain.used())
            seen.update(found.values())
            if set(found.values()) == {IDLE} and plain.ready == g.draw_end and not plain.output:
                break
        assert sorted(map(str, bench.did)) == sorted(map(str, bench.does))
        assert {name: g[name] for name in COUNTED} == {name: plain.count[name] for name in COUNTED}
        assert (plain.row, plain.primitive) == (g.row_end, g.primitive_end)
        assert g.vertices_taken == g.vertices_fetched
    assert min(seen[one] for one in (BUSY, IDLE, DATA, QUEUE, RESOURCE, DEPENDENCY)) > 5
