"""Every cycle is looked at: queues fill up to what the configuration says and never hold more, units are in the state
that what they have done says, and a target's bytes are moved once each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from model_laws import check_conservation
from model_scene import Scene
from test_model_oracle import random_scene

import gpumodel.machine
from gpumodel.config import apply_settings, load_config
from gpumodel.machine import Machine
from gpumodel.streams import PassStreams
from gpumodel.units import loop, state
from gpumodel.units.capacity import TILES_IN_RASTER_UNIT
from gpumodel.units.events import BUSY, DATA, DEPENDENCY, IDLE, QUEUE, RESOURCE, STATE_NAMES
from traceformat.gputrace.frametrace import LoadOp, MemoryMap, StoreOp

CACHES = {"command": state.L1_COMMAND, "vertex": state.L1_VERTEX, "tile": state.L1_TILE}
SIMPLE = (
    "queues.vertex_input=2", "queues.vertex_output=1", "queues.triangle=2", "queues.tile=2", "queues.fragment=4",
    "queues.color=2", "early_z.in_flight_quads=3", "fragment.processors=2", "fragment.threads=3", "vertex.processors=3",
    "raster.quads_per_cycle=4", "raster.attributes_per_cycle=16", "blend.color_buffers=1",
    "caches.texture.mshrs=2", "caches.texture.request_queue=1", "caches.texture.size_bytes=256",
    "caches.vertex.mshrs=3", "caches.vertex.request_queue=1", "caches.tile.size_bytes=512", "caches.tile.ways=2",
    "caches.tile.request_queue=2", "caches.tile.mshrs=1", "caches.l2.mshrs=3", "caches.l2.size_bytes=1024",
    "memory.paper.read_queue=4", "memory.paper.write_queue=3", "memory.paper.row_hit_cycles=9",
    "memory.paper.row_miss_cycles=20", "memory.paper.bytes_per_cycle=16",
)  # fmt: skip
TILE_PIPELINE = ("tile_fetcher.design='pipelined'", "tile_fetcher.tile_pipelining=true")
PIPELINED = (
    *SIMPLE, *TILE_PIPELINE, "tile_fetcher.primitive_table=3",
    "queues.post_raster=5", "blend.in_flight_quads=2", "blend.latency_cycles=5", "caches.tile.mshrs=2",
    "memory.paper.read_queue=2", "fragment.instruction_caches=2", "vertex.instruction_cache=true",
    "caches.instruction.size_bytes=128", "caches.instruction.ways=1", "caches.instruction.latency_cycles=1",
    "caches.instruction.mshrs=1", "caches.instruction.request_queue=1",
)  # fmt: skip


class Watched(Machine):
    """A machine that ticks every unit, and has ``look(system, streams)`` called behind each cycle but a pass's last."""

    def __init__(
        self, settings: tuple[str, ...], look: Callable[[Any, PassStreams], None], *, attribution: bool = False
    ) -> None:
        config = apply_settings(load_config("mali450-vro").model_dump(), settings)
        super().__init__(config, every_cycle=True, attribution=attribution)
        self._look = look

    def load_pass(self, tables: Any, streams: PassStreams, *rest: Any) -> None:
        self.streams = streams
        super().load_pass(tables, streams, *rest)

    def run_units(self, done: int, what: str) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(gpumodel.machine, "run", self._run)
            super().run_units(done, what)

    def _run(self, s: Any, every: int, done: int) -> int:
        ended = 2
        while ended == 2:
            s["pause_at"] = s["now"] + 1
            ended = int(loop.run(s, every, done))
            if ended == 2:
                self._look(s, self.streams)
        return ended


def held(s: Any) -> dict[str, tuple[int, int]]:
    """What each structure holds, and what it can."""
    g, ru, l2, dram = s["frame"][0], s["ru"][0], s["l2"], s["dram"]
    p = ru["processor"][0]
    out = {
        "draws": (g["draws_ready"] - g["draw"], 2),
        "vertex input": (g["input_count"] + g["input_open"], g["input_depth"]),
        "vertex output": (g["output_count"], g["output_depth"]),
        "triangle": (g["triangle_used"], g["triangle_depth"]),
        "table": (g["table_count"], s["cfg"]["table_entries"]),
        "tiles": (ru["order_count"], TILES_IN_RASTER_UNIT if s["cfg"]["pipelined_tiles"] else 1),
        "tile": (ru["pair_used"], ru["pair_depth"]),
        "post raster": (ru["post_count"], ru["post_depth"]),
        "early z": (ru["in_flight_count"], ru["in_flight_depth"]),
        "fragment": (ru["fragment_count"][0], ru["queue_depth"]),
        "threads": (p["count"], p["num_threads"]),
        "color": (ru["color_count"], ru["color_depth"]),
        "blend": (ru["blending_count"], ru["blending_depth"]),
        "l2 misses": (l2["mshr_count"], l2["num_mshrs"]),
        "reads": (dram["reads"], dram["read_depth"]),
        "writes": (dram["count"][2], dram["write_depth"]),
    }
    for name, number in {**CACHES, "texture": p["cache"], "code": p["instruction_cache"]}.items():
        c = s["l1"][number]
        out |= {f"{name} misses": (c["mshr_count"], c["num_mshrs"]),
                f"{name} requests": (c["request_count"], c["request_depth"])}  # fmt: skip
    return {name: (int(count), int(room)) for name, (count, room) in out.items()}


#: Fields that tell what units have done, by record.
FRAME = (
    "command_line", "draws_ready", "draw", "draw_end", "command_until", "fetch_line", "row", "row_end", "input_open",
    "input_count", "input_depth", "input_head", "processor_turn", "output_turn", "output_count", "output_depth",
    "num_processors", "code_waits", "primitive", "piece", "primitive_end", "vertices_taken", "triangle_used",
    "triangle_depth", "binning", "bin_writes", "pointer_writes", "binned", "bin_attribute", "bin_tile", "bin_until",
    "phase", "fetch_requests", "fetch_missing", "fetch_ready", "fetch_state", "tile",
    "fetch_primitives", "fetch_pair", "arrival_head", "arrival_count", "attribute_slot", "pointer_state",
    "table_count", "table_head", "table_done",
)  # fmt: skip
UNIT = (
    "raster_next", "current", "pair_count", "pair_head", "front", "loading", "in_flight_count", "quads_rasterized",
    "order_count", "tiles", "opened", "tested", "queue_depth", "post_count", "color_count", "blending_count",
)  # fmt: skip
CACHE = ("mshr_count", "num_mshrs", "request_count", "request_depth", "fill_head", "accesses", "fill_count")
MEMORY = ("moving", "reads", "read_requests")


class Cycle:
    """What the records say behind a cycle."""

    def __init__(self, s: Any) -> None:
        g, ru = s["frame"][0], s["ru"][0]
        self.__dict__.update({name: int(g[name]) for name in FRAME})
        self.__dict__.update({name: int(ru[name]) for name in UNIT})
        self.cycle = int(s["now"])
        self.caches = [{name: int(s["l1"][k][name]) for name in CACHE} for k in CACHES.values()]
        self.l2 = {name: int(s["l2"][name]) for name in ("mshr_count", "fill_head", "accesses", "fill_count")}
        self.l2["waiting"] = int(s["l2"]["waiting"].any())
        self.memory = {name: int(s["dram"][name]) for name in MEMORY}
        self.busy, self.until = g["processor_busy"][:3].tolist(), g["processor_until"][:3].tolist()
        self.pending = int(g["input_pending"][self.input_head])
        self.processors = [
            (int(p["running"]), int(p["count"]), int(p["done"]) >> int(p["head"]) & 1) for p in ru["processor"][:2]
        ]

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def cache_moves(before: Cycle, after: Cycle, cache: int) -> bool:
    return before.caches[cache]["fill_head"] != after.caches[cache]["fill_head"]


def is_blocked(cache: dict[str, int]) -> bool:
    return cache["mshr_count"] >= cache["num_mshrs"] or cache["request_count"] >= cache["request_depth"]


def changed(b: Cycle, a: Cycle, *names: str) -> bool:
    return any(getattr(b, name) != getattr(a, name) for name in names)


def of_geometry(b: Cycle, a: Cycle, t: int, p: PassStreams) -> dict[str, set[int]]:
    """States in cycle ``t`` between ``b`` and ``a`` of the units of geometry and tiling."""
    out: dict[str, set[int]] = {}
    if b.draws_ready < b.draw_end and b.draws_ready - a.draw >= 2:
        out["u_command"] = {QUEUE}
    elif changed(b, a, "command_line", "draws_ready") or cache_moves(b, a, 0) or a.command_until > t:
        out["u_command"] = {BUSY}
    elif a.draws_ready == a.draw_end:
        out["u_command"] = {IDLE}
    else:
        out["u_command"] = {RESOURCE, DATA} if is_blocked(a.caches[0]) else {DATA}
    if changed(b, a, "row", "fetch_line") or cache_moves(b, a, 1):
        out["u_vertex"] = {BUSY}
    elif a.row == a.row_end:
        out["u_vertex"] = {DATA if a.caches[1]["mshr_count"] else IDLE}
    elif p.vertices["draw"][a.row] >= b.draws_ready:
        out["u_vertex"] = {DEPENDENCY}
    else:
        shaded = p.vertices["shaded"][a.row] and not a.input_open
        out["u_vertex"] = {QUEUE if shaded and a.input_count >= a.input_depth else RESOURCE}
    if changed(b, a, "primitive", "piece"):
        out["u_assembly"] = {BUSY}
    elif a.primitive == a.primitive_end:
        out["u_assembly"] = {IDLE}
    else:
        out["u_assembly"] = {DATA if a.vertices_taken < p.primitives["needs"][a.primitive] else QUEUE}
    if changed(b, a, "bin_writes", "pointer_writes", "binned"):
        out["u_binner"] = {BUSY}
    elif a.binning < 0:
        out["u_binner"] = {IDLE}
    else:
        e = p.emitted[a.binning]
        stored = e["bin_count"] == 0 or (a.bin_attribute >= e["attributes"] and a.bin_tile >= e["bin_count"])
        out["u_binner"] = {BUSY if stored else RESOURCE}
        assert not stored or a.bin_until > t
    return out


def of_vertex_processor(b: Cycle, a: Cycle, t: int, k: int) -> set[int]:
    if a.busy[k]:
        if a.until[k] > t:
            return {BUSY}
        if b.output_turn != a.output_turn:
            return {QUEUE, DEPENDENCY}
        return {DEPENDENCY if a.output_turn != k else QUEUE}
    if changed(b, a, "input_count", "input_head", "pending", "processor_turn", "code_waits"):
        return {IDLE, DATA, DEPENDENCY}
    if a.input_count == 0:
        return {IDLE}
    return {DATA} if a.pending or a.processor_turn == k else {DEPENDENCY}


def of_the_rest(b: Cycle, a: Cycle, t: int, p: PassStreams, ru: Any) -> dict[str, set[int]]:
    """States of the simple Tile Fetcher, the Rasterizer and Early-Z without a queue between them."""
    out: dict[str, set[int]] = {}
    by_state = {0: {DEPENDENCY}, 1: {DATA}, 3: {RESOURCE}, 4: {RESOURCE}, 5: {RESOURCE}, 6: {QUEUE}, 7: {DEPENDENCY}}
    if a.phase == 0:
        out["u_fetch_tiles"] = {IDLE}
    elif changed(b, a, "fetch_requests", "tile"):
        out["u_fetch_tiles"] = {BUSY}
    elif a.fetch_missing:
        out["u_fetch_tiles"] = {DATA}
    elif a.fetch_ready > t:
        out["u_fetch_tiles"] = {BUSY}
    else:
        out["u_fetch_tiles"] = by_state.get(a.fetch_state, {DEPENDENCY, IDLE})
    if a.raster_next > t:
        out["u_raster"] = {BUSY}
    elif a.current >= 0:
        out["u_raster"] = {QUEUE}
    elif b.pair_count == 0:
        out["u_raster"] = {IDLE}
    elif not changed(b, a, "front", "loading"):
        same = p.pairs["tile"][ru["pair"][a.pair_head]] == a.front
        out["u_raster"] = {DATA if same and a.loading else DEPENDENCY}
    tested = a.in_flight_count - (a.quads_rasterized - b.quads_rasterized)
    full = ru["fragment_count"][0] >= a.queue_depth
    out["u_depth"] = {IDLE} if tested == 0 else {BUSY, QUEUE} if full else {BUSY}
    return out


def of_memory(b: Cycle, a: Cycle) -> tuple[set[int], set[int]]:
    """States of the memory and the L2."""
    if a.memory["moving"]:
        memory = BUSY
    else:
        memory = DATA if a.memory["reads"] - a.memory["read_requests"] + b.memory["read_requests"] else IDLE
    if a.l2["accesses"] != b.l2["accesses"] or a.l2["fill_head"] != b.l2["fill_head"]:
        return {memory}, {BUSY}
    if b.l2["waiting"] or a.l2["fill_count"]:
        return {memory}, {RESOURCE}
    return {memory}, {DATA if a.l2["mshr_count"] else IDLE}


def of_fragment_processor(running: int, count: int, done: int) -> set[int]:
    if running >= 0:
        return {BUSY}
    if count == 0:
        return {IDLE, DEPENDENCY}
    return {QUEUE, RESOURCE} if done else {DATA, RESOURCE}


def occupancy(s: Any) -> dict[Any, int]:
    """What is in structures whose entries are counted cycle by cycle."""
    g, ru = s["frame"][0], s["ru"][0]
    queues = dict(enumerate(int(ru[name]) for name in ("pair_used", "queued", "color_count", "post_count")))
    return queues | {
        "table": int(g["table_count"]), "reads": int(s["dram"]["reads"]), "flush": int(ru["flush_pending"] >= 0),
    }  # fmt: skip


def of_pipelined(b: Cycle, a: Cycle, t: int, g: Any, ru: Any) -> dict[str, set[int]]:
    """States of the pipelined Tile Fetcher, and of units behind a Post-Rasterization queue."""
    out: dict[str, set[int]] = {}
    moved = ("fetch_requests", "fetch_primitives", "fetch_pair", "tile", "arrival_head")
    if a.phase == 0:
        out["u_fetch_tiles"] = {IDLE}
    elif changed(b, a, *moved) or cache_moves(b, a, 2) or a.arrival_count or b.attribute_slot < a.attribute_slot:
        out["u_fetch_tiles"] = {BUSY}
    elif is_blocked(a.caches[2]) and (a.attribute_slot >= 0 or a.pointer_state in (1, 2)):
        out["u_fetch_tiles"] = {RESOURCE}
    elif a.table_count and a.table_done >> a.table_head & 1:
        out["u_fetch_tiles"] = {QUEUE}
    else:
        out["u_fetch_tiles"] = {DATA} if a.fetch_missing else {DEPENDENCY, IDLE}
    if a.tiles != b.tiles or a.opened + a.tiles != b.opened + b.tiles or a.tested + a.tiles != b.tested + b.tiles:
        out["u_tiles"] = {BUSY}
    elif a.order_count == b.order_count:
        out["u_tiles"] = {IDLE if a.order_count == 0 else DATA if a.loading else DEPENDENCY}
    if a.raster_next > t:
        out["u_raster"] = {BUSY}
    elif a.current >= 0:
        out["u_raster"] = {QUEUE}
    elif b.pair_count == 0:
        out["u_raster"] = {IDLE}
    else:
        out["u_raster"] = {DEPENDENCY, DATA}
    full = ru["fragment_count"][0] >= a.queue_depth
    if a.in_flight_count:
        out["u_depth"] = {BUSY, QUEUE} if full else {BUSY}
    else:
        out["u_depth"] = {IDLE} if b.post_count == 0 else {DEPENDENCY, DATA}
    if a.blending_count:
        out["u_blend"] = {BUSY}
    else:
        out["u_blend"] = {DEPENDENCY if b.color_count else IDLE}
    return out


@pytest.mark.parametrize(
    ("settings", "never_full"), [(SIMPLE, {"table"}), (PIPELINED, {"tiles", "l2 misses"})], ids=["simple", "pipelined"]
)
def test_queues_fill_and_states_are_what_units_do(settings: tuple[str, ...], never_full: set[str]) -> None:
    """Queues hold as much as the configuration says, and no more."""
    before: list[Any] = [None, None]
    most: dict[str, int] = Counter()
    room: dict[str, int] = {}
    entries: Counter[Any] = Counter()

    def look(s: Any, p: PassStreams) -> None:
        entries.update(occupancy(s))
        for name, (count, room[name]) in held(s).items():
            most[name] = max(most[name], count)
        g, ru, t = s["frame"][0], s["ru"][0], int(s["now"]) - 1
        a = Cycle(s)
        if before[1] is p:
            b = before[0]
            rest = of_pipelined(b, a, t, g, ru) if settings is PIPELINED else of_the_rest(b, a, t, p, ru)
            states = of_geometry(b, a, t, p) | rest
            expected = {int((g if name in g.dtype.names else ru)[name]): found for name, found in states.items()}
            expected |= {int(g["u_processor"]) + k: of_vertex_processor(b, a, t, k) for k in range(3)}
            expected |= {int(ru["u_processor"]) + k: of_fragment_processor(*a.processors[k]) for k in range(2)}
            expected[0], expected[1] = of_memory(b, a)
            assert a.cycle == b.cycle + 1
            # A thread without its code is one that its cache answers.
            for q in ru["processor"][: 2 if settings is PIPELINED else 0]:
                c = s["l1"][q["instruction_cache"]]
                waiters = int(np.bitwise_or.reduce(c["mshr_waiters"][: c["mshr_count"]], initial=0))
                assert not q["code_wait"] or q["code_ready"] or waiters & int(q["instruction_port"])
            for unit, allowed in expected.items():
                found = int(s["unit_once" if s["unit_since"][unit] > t else "unit_state"][unit])
                assert found in allowed, (t, titles[unit], STATE_NAMES[found], [STATE_NAMES[k] for k in allowed])
        before[:] = a, p

    machine = Watched(settings, look)
    titles = list(machine.unit_cycles())
    scene = random_scene(3)
    for number, draw in enumerate(scene.draws):
        # Short vertices behind long ones are done before them.
        draw.vertex_path = scene.path(1 + number % 2 * 40)
    frame = machine.run_frame(scene.trace())
    assert {name for name in room if most[name] < room[name]} == never_full
    assert not [name for name in room if most[name] > room[name]]
    ru, table = machine.system["ru"][0], machine.system["frame"][0]["table_entry_cycles"]
    found = {k: int(ru["entry_cycles"][k]) for k in range(4)} | {"table": int(table)}
    found |= {"reads": frame.counters["dram.read_latency_cycles"]}
    found |= {"flush": int(ru["flush_wait_cycles"]) + frame.counters["tiles.flushed"]}
    assert found == {name: entries[name] for name in found}
    check_conservation(frame, scene.trace())
    woken = Machine(machine.config).run_frame(scene.trace())
    assert (woken.counters, woken.unit_cycles) == (frame.counters, frame.unit_cycles)


@pytest.mark.parametrize("settings", [("raster.units=2",), (*TILE_PIPELINE, "queues.post_raster=9")])
@pytest.mark.parametrize("load", [False, True], ids=["clear", "load"])
def test_a_target_is_moved_byte_by_byte_once(settings: tuple[str, ...], load: bool) -> None:
    """Colour, depth of 41x23 pixels: of each line as many bytes are stored as the target has in it, in requests that do
    not cross lines, one a cycle; and loaded, where the pass loads.
    """
    scene = Scene(41, 23)
    scene.quad_block(scene.draw(vertex_path=scene.path(1)), 0, 0, 40, 22, path=scene.path(1))
    start = MemoryMap.RENDER_TARGETS + 20
    scene.passes[0]["changes"] = {
        "color_address": np.array([start] + [0] * 7, np.uint64), "depth_address": start + 8192,
        "depth_store": StoreOp.STORE, "depth_load": LoadOp.LOAD if load else LoadOp.CLEAR,
        "color_load": np.full(8, LoadOp.LOAD if load else LoadOp.CLEAR, np.uint8),
        # There is one attachment, whatever stands behind it.
        "color_store": np.full(8, StoreOp.STORE, np.uint8), "color_bytes": np.full(8, 4, np.uint8),
    }  # fmt: skip
    target = Counter((start + place + k) // 64 for place in (0, 8192) for k in range(4 * 41 * 23))
    moved: dict[str, Counter[int]] = {"loads": Counter(), "stores": Counter()}
    requests: Counter[str] = Counter()
    places = [0, 0, 0]
    tested: list[Any] = [None] * 2

    def look(s: Any, _: PassStreams) -> None:
        for k, ru in enumerate(s["ru"][:2]):
            now = int(ru["quads_rasterized"]) if ru["loading"] else None
            assert None in (now, tested[k]) or now == tested[k]
            tested[k] = now
        d = s["dram"]
        for kind in range(3):
            end = int(d["head"][kind]) + int(d["count"][kind])
            while (places[kind] - end) % 128:
                line, size = int(d["line"][kind, places[kind] % 128]), int(d["size"][kind, places[kind] % 128])
                if line in target:
                    name = "stores" if kind == 2 else "loads"
                    moved[name][line] += size
                    requests[name] += 1
                places[kind] += 1

    machine = Watched((*settings, "memory.paper.write_queue=8"), look)
    frame = machine.run_frame(scene.trace())
    assert moved["stores"] == target
    assert moved["loads"] == (target if load else {})
    pieces = sum(
        -(-(start + place + 4 * (41 * y + min(x + 16, 41))) // 64) - (start + place + 4 * (41 * y + x)) // 64
        for place in (0, 8192) for y in range(23) for x in range(0, 41, 16)
    )  # fmt: skip
    assert requests == ({"stores": pieces, "loads": pieces} if load else {"stores": pieces})
    busy = sum(states["busy"] for unit, states in frame.unit_cycles.items() if unit.startswith("flush"))
    # A tile may be loaded while the one before is stored; a load ends in a cycle of its own.
    assert pieces <= busy <= (2 * pieces + 6 if load else pieces)
    assert frame.counters["dram.write_bytes.color"] == frame.counters["depth_buffer.transfer_bytes"] / (1 + load)
