"""Visibility Rendering Order on hand-made films with known answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from films import HEIGHT, WIDTH
from hidden_films import random_states
from object_films import Thing, object_film, random_things
from vro_twin import PlainCache, PlainGraph

from gpumodel.config.load import load_config
from gpumodel.energy import bill
from gpumodel.machine import MachineFrame
from gpumodel.runs import Run
from gpumodel.techniques.vro.technique import VisibilityOrder, edges_of
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import FrameTrace

PIXELS = WIDTH * HEIGHT
TWO_IN_FLIGHT = ("tile_fetcher.design='pipelined'", "tile_fetcher.primitive_table=2")


class Played:
    """A run of a film, verified."""

    def __init__(
        self, frames: list[FrameTrace], technique: str = "vro", preset: str = "mali450-vro", settings: Any = (),
        *, every_cycle: bool = False,
    ) -> None:  # fmt: skip
        self.run = Run(
            load_config(preset, list(settings)), [technique] if technique else [], verify=True, every_cycle=every_cycle
        )
        self.results, self.raw, self.graphs = [], [], []
        for trace in frames:
            result, raw = self.run.add(trace)
            self.results.append(result)
            self.raw.append(raw)
            if technique == "vro":
                vro = self.run._techniques[0]
                assert isinstance(vro, VisibilityOrder)
                source, target = edges_of(next(iter(vro._passes.values())).graphs[0][0])
                self.graphs.append(list(zip(source.tolist(), target.tolist(), strict=True)))
        assert self.run.result.verification is not None
        assert self.run.result.verification.pixels
        assert self.run.result.verification.mismatched_pixels == 0

    def counter(self, name: str) -> list[float]:
        return [result.counters[name] for result in self.results]


def stack(count: int) -> list[Thing]:
    """Planes, the farthest first."""
    return [Thing.plane(f"p{k}", 0.5 - 0.1 * k) for k in range(count)]


@pytest.mark.parametrize("count", [2, 5])
def test_back_to_front(tmp_path: Path, count: int) -> None:
    """Overshading k, then 1; the graph is the chain of neighbours."""
    played = Played(object_film(tmp_path / "a.gltrace", [stack(count)] * 3))
    assert played.counter("fragments.shaded") == [count * PIXELS, PIXELS, PIXELS]
    assert played.graphs[0] == [(k, k - 1) for k in range(1, count)]
    # In the right order the nearest owns all pixels.
    assert sorted(played.graphs[1]) == [(count - 1, k) for k in range(count - 1)]
    assert played.counter("vro.edges_right") == [0, count - 1, count - 1]
    # The nearest and the one behind it meet in both graphs, whatever the order of rendering.
    assert played.counter("vro.order_pairs") == [0, 1, count - 1] == played.counter("vro.order_kept")
    assert played.counter("vro.heuristic_picks") == [0, 0, 0]
    # A chain: three cycles a node and two an edge; then a star (test_vro_graph).
    assert played.counter("vro.sort_cycles") == [0] + [3 * count + 2 * (count - 1)] * 2


def test_pairs_keep_their_order_between_frames(tmp_path: Path) -> None:
    """Two planes change places in the third frame and one goes in the fifth: pairs that both frames know are compared,
    whatever the order of rendering was.
    """
    a, b = Thing.plane("a", 0.4), Thing.plane("b", 0.2)
    turned = [Thing.plane("a", 0.2), Thing.plane("b", 0.4)]
    played = Played(object_film(tmp_path / "a.gltrace", [[a, b], [a, b], turned, turned, turned[:1]]))
    assert played.counter("vro.edges") == [1, 1, 1, 1, 0]
    assert played.counter("vro.order_pairs") == [0, 1, 1, 1, 0]
    assert played.counter("vro.order_kept") == [0, 1, 0, 1, 0]
    assert played.counter("vro.edges_right")[2] == 0


def test_front_to_back_gains_nothing(tmp_path: Path) -> None:
    """The same work as the machine with two primitives in flight: within 0.1 % of its cycles."""
    frames = object_film(tmp_path / "a.gltrace", [stack(8)[::-1]] * 2, (512, 256))
    settings = ("screen.scale_to_trace=true",)
    played = Played(frames, settings=settings)
    plain = Played(frames, "", settings=(*settings, *TWO_IN_FLIGHT))
    assert played.counter("fragments.shaded") == plain.counter("fragments.shaded") == [512 * 256] * 2
    assert played.counter("vro.list_starts")[1] == 8 * 32 * 16
    vro, base = played.results[1], plain.results[1]
    assert vro.geometry_cycles == base.geometry_cycles
    assert vro.cycles <= base.cycles * 1.001


def test_interpenetrating(tmp_path: Path) -> None:
    """Two planes through each other: the edge found first stays, its opposite is dropped."""
    things = [
        Thing("left", ((-1, -1, 1, 1, -0.5, 0.5),)),
        Thing("right", ((-1, -1, 1, 1, 0.5, -0.5),)),
    ]
    played = Played(object_film(tmp_path / "a.gltrace", [things] * 3))
    assert played.graphs == [[(0, 1)]] * 3
    assert min(played.counter("vro.edges_opposite")) > 0
    shaded = played.counter("fragments.shaded")
    assert shaded[0] == shaded[1] == pytest.approx(1.5 * PIXELS, rel=0.05)


def test_camera_cut(tmp_path: Path) -> None:
    """The order is wrong for one frame, then right again."""
    depths = {"a": -0.5, "b": 0.0, "c": 0.5}
    names = sorted(depths)
    before = [Thing.plane(name, depths[name]) for name in names]
    after = [Thing.plane(name, -depths[name]) for name in names]
    played = Played(object_film(tmp_path / "a.gltrace", [before, before, after, after, after]))
    assert played.counter("fragments.shaded") == [PIXELS, PIXELS, 3 * PIXELS, PIXELS, PIXELS]


def test_blended_between_opaque(tmp_path: Path) -> None:
    """Nothing moves across a blended object: front and back change places on neither side of it."""
    things = [
        Thing.plane("far", 0.5), Thing.plane("mid", 0.25), Thing.plane("glass", 0.0, blend=True, writes_depth=False),
        Thing.plane("near", -0.25), Thing.plane("next", -0.5),
    ]  # fmt: skip
    played = Played(object_film(tmp_path / "a.gltrace", [things] * 3))
    assert played.counter("fragments.shaded") == [5 * PIXELS, 3 * PIXELS, 3 * PIXELS]
    assert played.graphs[0] == [(1, 0), (4, 3)]


def test_foliage_stays_in_its_place(tmp_path: Path) -> None:
    things = [Thing.plane("far", 0.5), Thing.plane("tree", 0.0, foliage=True), *stack(2)]
    played = Played(object_film(tmp_path / "a.gltrace", [things] * 3))
    assert played.counter("vro.movable_nodes") == [3] * 3
    assert played.counter("fragments.discarded")[0] > 0


def test_objects_appear_and_vanish(tmp_path: Path) -> None:
    """A new object comes behind the sorted ones, a vanished one is dropped."""
    a, b, c = stack(3)
    played = Played(object_film(tmp_path / "a.gltrace", [[a, b], [a, b], [a, b, c], [a, b, c], [a, c], [a, c]]))
    assert played.counter("fragments.shaded") == [PIXELS * k for k in (2, 1, 2, 1, 1, 1)]
    assert played.counter("vro.nodes_new") == [2, 0, 1, 0, 0, 0]
    assert played.counter("vro.nodes_vanished") == [0, 0, 0, 0, 1, 0]


def test_a_name_that_comes_twice(tmp_path: Path) -> None:
    """Two objects of one name are told apart, and each finds its place."""
    things = [Thing.plane("a", 0.5), Thing.plane("b", 0.0), Thing.plane("a", -0.5)]
    played = Played(object_film(tmp_path / "a.gltrace", [things] * 2))
    assert played.counter("vro.movable_nodes") == [3, 3]
    assert played.counter("fragments.shaded") == [3 * PIXELS, PIXELS]


def test_a_clear_ends_a_run(tmp_path: Path) -> None:
    """The depth of the left half is cleared between two objects: they stay in their order, the picture is theirs."""
    near = Thing("near", ((-1.0, -1.0, 1.0, 0.0, -0.5, -0.5), (-1.0, 0.0, 1.0, 1.0, 0.5, 0.5)))
    far = Thing("far", ((-1.0, -1.0, 1.0, 0.0, 0.5, 0.5), (-1.0, 0.0, 1.0, 1.0, -0.5, -0.5)), clears=True)
    played = Played(object_film(tmp_path / "a.gltrace", [[near, far]] * 3))
    assert played.counter("vro.comparisons") == [0, 0, 0]
    assert played.counter("vro.movable_nodes") == [2, 2, 2]


@pytest.mark.parametrize(
    ("first", "second", "winner"),
    [
        (gl.GL_LESS, gl.GL_LESS, "first"), (gl.GL_LEQUAL, gl.GL_LEQUAL, "second"),
        (gl.GL_LESS, gl.GL_LEQUAL, "second"), (gl.GL_LEQUAL, gl.GL_LESS, "first"),
    ],
)  # fmt: skip
def test_coplanar(tmp_path: Path, first: int, second: int, winner: str) -> None:
    """Two objects with equal depths on the right; on the left the second is in front, so that it goes first."""
    right = (0.0, -1.0, 1.0, 1.0, 0.0, 0.0)
    things = [
        Thing("1st", ((-1.0, -1.0, 0.0, 1.0, 0.5, 0.5), right), first),
        Thing("2nd", ((-1.0, -1.0, 0.0, 1.0, -0.5, -0.5), right), second),
    ]
    played = Played(object_film(tmp_path / "a.gltrace", [things] * 3))
    # The left half is tested first, so the edge is the left's; the first frame had nothing to reorder.
    assert played.graphs[0][0] == (1, 0)
    assert played.counter("vro.ties") == [0, PIXELS // 2, PIXELS // 2]
    shaded = PIXELS + (PIXELS // 2 if winner == "first" else 0)
    assert played.counter("fragments.shaded")[1:] == [shaded, shaded]


Edge = tuple[int, int]


def quad_edges(trace: FrameTrace, raw: MachineFrame, vro: VisibilityOrder) -> list[list[Edge]]:
    """Edges that a plain walk through the lists finds at each quad, one a comparison."""
    streams = raw.passes[0].streams
    node_of = vro._nodes.node_of_draw
    draws = trace["draws"]
    far = 0xFFFFFFFF
    depth = np.full((HEIGHT, WIDTH), far, np.uint64)
    owner = np.full((HEIGHT, WIDTH), -1)
    later = np.zeros((HEIGHT, WIDTH), bool)
    found: list[list[Edge]] = []
    for tile in streams.tiles:
        for pair in streams.pairs[int(tile["pair_first"]) :][: int(tile["pair_count"])]:
            for quad in streams.quads[int(pair["quad_first"]) :][: int(pair["quad_count"])]:
                draw = int(quad["draw"])
                node = int(node_of[draw])
                equal = int(draws["depth_func"][draw]) == gl.GL_LEQUAL
                edges: list[Edge] = []
                for f in range(4):
                    if not int(quad["coverage"]) >> f & 1:
                        continue
                    x = 2 * int(trace["quads"]["x"][quad["row"]]) + (f & 1)
                    y = 2 * int(trace["quads"]["y"][quad["row"]]) + (f >> 1)
                    incoming, held = int(quad["depth"][f]), int(owner[y, x])
                    if incoming == int(depth[y, x]):
                        passed = equal if node >= held else not later[y, x]
                    else:
                        passed = incoming < int(depth[y, x])
                    if held >= 0 and held != node:
                        edges.append((node, held) if passed else (held, node))
                    if passed:
                        depth[y, x], owner[y, x], later[y, x] = incoming, node, equal
                found.append(edges)
    return found


def order_edges(trace: FrameTrace, raw: MachineFrame, vro: VisibilityOrder) -> list[Edge]:
    """Edges in the order in which a plain walk finds them, each once."""
    return list(dict.fromkeys(edge for edges in quad_edges(trace, raw, vro) for edge in edges))


@pytest.mark.parametrize("size", [2, 4, 32])
def test_the_edge_filter(tmp_path: Path, size: int) -> None:
    """Equal edges of a quad are one, one equal to the last searched needs no search, and the filter has the S edges
    searched last: what it lacks is queued.
    """
    rng = np.random.default_rng(77)
    things = [Thing(thing.name, thing.rectangles, thing.func) for thing in random_things(rng, 10)]
    frames = object_film(tmp_path / "a.gltrace", [things] * 2)
    played = Played(frames, settings=[f"vro.edge_filter={size}"])
    vro = played.run._techniques[0]
    assert isinstance(vro, VisibilityOrder)
    for k, (trace, raw) in enumerate(zip(frames, played.raw, strict=True)):
        found = quad_edges(trace, raw, vro)
        comparisons = sum(map(len, found))
        held: list[Edge] = []
        last: Edge | None = None
        searches = hits = 0
        for edge in (edge for edges in found for edge in dict.fromkeys(edges)):
            if edge == last:
                continue
            last = edge
            searches += 1
            if edge in held:
                hits += 1
                held.remove(edge)
            held = [*held, edge][-size:]
        expected = {
            "comparisons": comparisons, "edges_found": sum(len(set(edges)) for edges in found),
            "edges_merged": comparisons - searches, "filter_searches": searches, "filter_hits": hits,
            "edges_queued": searches - hits,
        }  # fmt: skip
        assert {name: played.counter(f"vro.{name}")[k] for name in expected} == expected
        assert hits > 0 < searches - hits


@pytest.mark.parametrize("seed", range(6))
def test_the_graph_is_what_a_plain_walk_finds(tmp_path: Path, seed: int) -> None:
    """Before capacity limits: every edge but the opposite of one found before it."""
    rng = np.random.default_rng(seed)
    things = [Thing(thing.name, thing.rectangles, thing.func) for thing in random_things(rng, int(rng.integers(3, 12)))]
    frames = object_film(tmp_path / "a.gltrace", [things] * 3)
    played = Played(frames)
    vro = played.run._techniques[0]
    assert isinstance(vro, VisibilityOrder)
    for trace, raw, graph in zip(frames, played.raw, played.graphs, strict=True):
        kept: dict[tuple[int, int], None] = {}
        for edge in order_edges(trace, raw, vro):
            if edge[::-1] not in kept:
                kept[edge] = None
        assert set(graph) == set(kept)


@pytest.mark.parametrize(("lines", "children"), [(64, 36), (2, 36), (64, 1)])
@pytest.mark.parametrize("seed", range(2))
def test_the_graph_cache_and_the_time_of_the_sort(tmp_path: Path, seed: int, lines: int, children: int) -> None:
    """Accesses, misses and write-backs are those of a plain cache, fed with a plain graph's accesses in their order.

    Where it holds all entries, the sort takes a cycle an access and one for each step without.
    """
    rng = np.random.default_rng(30 + seed)
    things = [Thing(thing.name, thing.rectangles, thing.func) for thing in random_things(rng, 5)]
    frames = object_film(tmp_path / "a.gltrace", [things] * 2)
    cache = PlainCache(lines // 4, 4) if lines > 4 else PlainCache(lines, 1)
    sizes = {"children": children, "graph_entries": 16, "nodes": 16}
    sizes |= {"graph_cache.size_bytes": 64 * lines, "graph_cache.ways": cache.ways}
    played = Played(frames, settings=[f"vro.{name}={value}" for name, value in sizes.items()])
    vro = played.run._techniques[0]
    assert isinstance(vro, VisibilityOrder)
    assert played.counter("vro.edges_late") == played.counter("vro.edges_duplicate") == [0, 0]
    last: PlainGraph | None = None
    for k, (trace, raw) in enumerate(zip(frames, played.raw, strict=True)):
        cycles = 0
        if last is not None:
            begin = len(last.log)
            cycles = last.sort()[2]
            cache.run(last.log[begin:])
        graph = PlainGraph(5, 16, children)
        for edge in order_edges(trace, raw, vro):
            graph.insert(*edge)
        cache.run(graph.log)
        assert sum(played.counter("vro.graph_cache.accesses")[: k + 1]) == cache.accesses
        assert sum(played.counter("vro.graph_cache.misses")[: k + 1]) == cache.misses
        assert sum(played.counter("vro.graph_cache.bytes")[: k + 1]) == 64 * (cache.fetches + cache.write_backs)
        assert played.counter("vro.inserter_cycles")[k] == graph.accesses
        if lines == 64:
            assert cache.fetches == cache.write_backs == 0
            assert played.counter("vro.sort_cycles")[k] == cycles
        last = graph
        assert (graph.overflows > 0) == (children == 1)
    assert (cache.fetches > 0) == (lines == 2)


def test_early_z_waits_for_filter_and_queue(tmp_path: Path) -> None:
    """Four objects of a pixel each behind every quad of a plane: each of its quads has four edges, a search each.

    So a quad takes four cycles in place of one, but for the three that have entered when the first searches begin. With
    four searches a cycle nothing waits.
    """
    quads = [(x, y) for y in range(4) for x in range(8)]
    # Its diagonal passes above all of them.
    front = Thing("front", ((-9.0, -1.0, 1.0, 1.0, 0.0, 0.0),))

    def dots(k: int) -> Thing:
        at = [((2 * x + k % 2) / 16 - 1, (2 * y + k // 2) / 8 - 1) for x, y in quads]
        return Thing(f"dot{k}", tuple((x, y, x + 1 / 16, y + 1 / 8, 0.5, 0.5) for x, y in at))

    frames = object_film(tmp_path / "a.gltrace", [[*map(dots, range(4)), front]], (32, 16))
    waits = {}
    for searches in (1, 4):
        played = Played(frames, settings=[f"vro.searches_per_cycle={searches}", "screen.scale_to_trace=true"])
        assert played.counter("vro.filter_searches") == [4 * len(quads)]
        assert played.counter("vro.queue_stall_cycles") == [0]
        waits[searches] = played.counter("vro.filter_stall_cycles")[0]
    assert 3 * (len(quads) - 3) <= waits[1] <= 3 * len(quads)
    assert waits[4] == 0
    slow = ("vro.edges_queue=1", "vro.graph_cache.latency_cycles=50", "screen.scale_to_trace=true")
    assert Played(frames, settings=slow).counter("vro.queue_stall_cycles")[0] >= 50


def test_edges_left_at_the_end_delay_the_sort(tmp_path: Path) -> None:
    """A read of L cycles each: what the Edge Inserter has not done when the pass ends comes before the next sort."""
    latency, count = 200, 8
    frames = object_film(tmp_path / "a.gltrace", [stack(count)] * 2, (16, 16))
    settings = [f"vro.graph_cache.latency_cycles={latency}", "screen.scale_to_trace=true", "fragment.lanes=4"]
    played = Played(frames, settings=settings)
    graph = PlainGraph(count, 8192, 36)
    for k in range(1, count):
        graph.insert(k, k - 1)
    left = graph.accesses - played.counter("vro.inserter_cycles")[0]
    assert left > 0 < played.counter("vro.edges_late")[0]
    begin = graph.accesses
    graph.sort()
    cycles = sum(1 if access is None or access[1] else latency for access in graph.log[begin:])
    assert played.counter("vro.sort_cycles")[1] == left + cycles
    assert played.counter("vro.sort_wait_cycles")[1] > 0


def test_a_pass_of_more_tiles_than_the_one_before(tmp_path: Path) -> None:
    """The list of each tile is read once, whatever the pass before has ended with."""
    small, large = (object_film(tmp_path / f"{x}.gltrace", [stack(4)], (x, 16)) for x in (16, 96))
    for ahead in ("true", "false"):
        settings = ["screen.scale_to_trace=true", f"vro.match_ahead={ahead}"]
        alone = [Played(one, settings=settings).counter("vro.matcher_reads")[0] for one in (small, large)]
        assert alone[0] < alone[1]
        mixed = Played([*small, *large, *small, *large], settings=settings)
        assert mixed.counter("vro.matcher_reads") == 2 * alone


@pytest.mark.parametrize("seed", range(12))
def test_random_films_are_exact(tmp_path: Path, seed: int) -> None:
    """Ties, blending, discards, clears, queries, stencil, in any order: bit-identical, whatever the sizes."""
    rng = np.random.default_rng(100 + seed)
    things = (random_states if seed & 2 else random_things)(rng, int(rng.integers(4, 14)))
    frames = object_film(tmp_path / "a.gltrace", [things] * 2 + [things[1:]] + [things])
    preset = ("mali450-vro", "tbr-fhd", "mali450-re")[seed % 3]
    settings = (
        ["vro.edges_queue=1", "vro.edge_filter=2", "vro.children=1", "vro.graph_entries=16", "vro.nodes=16"]
        if seed & 1
        else []
    )
    Played(frames, "vro", preset, [*settings, "screen.scale_to_trace=true"])


@pytest.mark.parametrize("memory", ["paper", "dram"])
@pytest.mark.parametrize("preset", ["mali450-vro", "tbr-fhd"])
def test_the_loops_agree(tmp_path: Path, preset: str, memory: str) -> None:
    """With little of everything a fill of the Graph Cache is under way when the next pass begins: it has to wake the
    unit.
    """
    rng = np.random.default_rng(7)
    frames = object_film(tmp_path / "a.gltrace", [random_things(rng, 9)] * 3)
    small = (
        "screen.scale_to_trace=true", "vro.edges_queue=1", "vro.edge_filter=1", "vro.children=1",
        "vro.graph_cache.size_bytes=128", "vro.graph_cache.ways=1", "vro.graph_cache.request_queue=1",
        "vro.graph_cache.latency_cycles=2", "vro.graph_cache.mshrs=1",
        "caches.tile.size_bytes=256", "caches.tile.ways=2", "caches.tile.mshrs=1", "caches.tile.request_queue=1",
        "vro.order_bits_per_cycle=1",
    )  # fmt: skip
    for settings in (("screen.scale_to_trace=true",), small):
        settings = (f"memory.mode={memory}", *settings)
        wake, every = (Played(frames, "vro", preset, settings, every_cycle=loop) for loop in (False, True))
        for one, other in zip(wake.results, every.results, strict=True):
            assert one.counters == other.counters
            assert one.stalls == other.stalls
            assert one.cycles == other.cycles


def test_more_nodes_than_can_be_ordered(tmp_path: Path) -> None:
    """Those behind the sixteenth stay in their place, behind the others."""
    things = [Thing.plane(f"{k:02}", 0.9 - 0.05 * k) for k in range(20)]
    played = Played(object_film(tmp_path / "a.gltrace", [things] * 2), settings=["vro.nodes=16"])
    assert played.counter("vro.movable_nodes") == [16, 16]
    assert played.counter("fragments.shaded") == [20 * PIXELS, 5 * PIXELS]


def test_a_pass_that_is_cut(tmp_path: Path) -> None:
    """Each part has a graph of its own."""
    rng = np.random.default_rng(3)
    mesh = tuple(
        (x / 40 - 1, y / 40 - 1, x / 40 - 0.9, y / 40 - 0.9, float(rng.choice([0.0, 0.3])), 0.1)
        for x in range(0, 80, 1) for y in range(0, 80, 1)
    )  # fmt: skip
    frames = object_film(tmp_path / "a.gltrace", [[Thing("many", mesh), *stack(3)]] * 2)
    played = Played(frames, settings=["binning.parameter_buffer_mib=1"])
    assert min(played.counter("parameter_buffer.overflows")) > 0


def test_area_is_below_a_hundredth() -> None:
    """VRO §4.2: less than 1 % of the GPU."""
    config = load_config("mali450-vro")
    own = VisibilityOrder().hardware(config)
    assert sum(part.area_mm2 for part in own) < 0.01 * sum(part.area_mm2 for part in bill(config))


def test_the_graph_has_its_own_traffic(tmp_path: Path) -> None:
    """What the Graph Cache reads and writes back is the graph's, not the Parameter Buffer's, through the L2 too: with a
    Graph Cache of two lines above an L2 that keeps nothing, each of its write-backs reaches memory as one.
    """
    things = [Thing.plane(f"{k:02}", 0.9 - 0.05 * k) for k in range(20)]
    small = [
        "caches.l2.size_bytes=1024", "caches.l2.ways=1", "vro.graph_cache.size_bytes=128", "vro.graph_cache.ways=1",
    ]  # fmt: skip
    frames = object_film(tmp_path / "a.gltrace", [things] * 2)
    played, plain = Played(frames, settings=small), Played(frames, "", settings=small)
    for way in ("read", "write"):
        assert max(played.counter(f"dram.{way}_bytes.graph")) > 0
        assert sum(plain.counter(f"dram.{way}_bytes.graph")) == 0
    for run in (played, plain):
        written = zip(*(run.counter(f"dram.write_bytes.{kind}") for kind in ("parameter", "graph")), strict=True)
        assert [sum(kinds) for kinds in written] == [64 * count for count in run.counter("cache.l2.write_backs")]


def test_accesses_of_the_edge_inserter_are_counted_apart(tmp_path: Path) -> None:
    """In the first frame there is nothing to sort, so the Graph Cache's accesses are all the Edge Inserter's."""
    frames = object_film(tmp_path / "a.gltrace", [stack(6)] * 2)
    played = Played(frames)
    inserter, all_of_them = played.counter("vro.inserter_accesses"), played.counter("vro.graph_cache.accesses")
    assert 0 < inserter[0] == all_of_them[0]
    assert inserter[1] < all_of_them[1]


def test_vro_without_reading_ahead(tmp_path: Path) -> None:
    """The match of a tile begins when the one before has ended: it is waited for, and nothing else changes."""
    frames = object_film(tmp_path / "a.gltrace", [random_things(np.random.default_rng(7), 9)] * 3)
    here = ["screen.scale_to_trace=true", "vro.match_ahead={}"]
    ahead, behind = (Played(frames, settings=[text.format(on) for text in here]) for on in ("true", "false"))
    for name in ("fragments.shaded", "vro.matcher_reads", "vro.edges"):
        assert ahead.counter(name) == behind.counter(name)
    assert sum(behind.counter("vro.match_wait_cycles")) > sum(ahead.counter("vro.match_wait_cycles"))
    every = Played(frames, settings=["screen.scale_to_trace=true", "vro.match_ahead=false"], every_cycle=True)
    for one, other in zip(behind.results, every.results, strict=True):
        assert (one.cycles, one.counters, one.stalls) == (other.cycles, other.counters, other.stalls)
