"""Arranging kernels against plain twins: vertex reuse and lines, tile lists, quads in tile order, issue segments."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from model_scene import Scene
from test_model_oracle import SETTINGS, random_scene

from gpumodel.config import apply_settings, load_config
from gpumodel.quad_maps import quad_map
from gpumodel.streams import ATTRIBUTE_ADDRESS, LIST_ADDRESS, PassTables, tile_order
from gpumodel.units import arrange
from traceformat.gputrace.frametrace import EventKind, FrameTrace


def streams_of(trace: FrameTrace, settings=()) -> PassTables:
    config = apply_settings(load_config("mali450-vro").model_dump(), ["fragment.lanes=4", *settings])
    return PassTables(trace, config, quad_map(config))


@pytest.mark.parametrize("entries", [0, 1, 3, 16])
@pytest.mark.parametrize("seed", range(4))
def test_reuse_and_lines_of_vertices(seed: int, entries: int) -> None:
    rng = np.random.default_rng(seed)
    scene = Scene(16, 16)
    for _ in range(3):
        draw = scene.draw(
            vertex_path=scene.path(2), indexed=bool(rng.integers(2)),
            fetches=[
                ((2 << 36) + int(rng.integers(0, 99)), int(rng.integers(4, 90)), int(rng.integers(1, 70)))
                for _ in range(3)
            ],
        )  # fmt: skip
        for _ in range(12):
            scene.cull(draw)
        draw.indices = rng.integers(0, 10, 36).tolist()
    trace = scene.trace()
    arranged = streams_of(trace, (f"vertex.reuse_entries={entries}",)).arrange(0)
    row, index_line = 0, -1
    for number, draw in enumerate(scene.draws):
        held: list[int] = []
        for k, index in enumerate(draw.indices):
            vertex = arranged.vertices[row]
            reused = index in held
            assert vertex["shaded"] == (not reused)
            lines = []
            if draw.indexed and (int(trace["vertices"]["index_address"][row]) >> 6) != index_line:
                index_line = int(trace["vertices"]["index_address"][row]) >> 6
                lines.append(index_line)
            if not reused:
                held = [*held, index][-entries:] if entries else []
                last = -1
                for address, stride, size in draw.fetches:
                    first = address + stride * index
                    for line in range(first >> 6, ((first + size - 1) >> 6) + 1):
                        if line != last:
                            lines.append(line)
                            last = line
            first = int(vertex["line_first"])
            assert arranged.vertex_lines[first : first + vertex["line_count"]].tolist() == lines, (number, k)
            row += 1


@pytest.mark.parametrize("settings", SETTINGS, ids=list(SETTINGS))
@pytest.mark.parametrize("seed", range(6))
def test_tile_lists_and_quads(seed: int, settings: str) -> None:
    trace = random_scene(seed).trace()
    streams = streams_of(trace, (*SETTINGS[settings], "binning.test='bounding-box'"))
    width, height = streams.config.tile.width, streams.config.tile.height
    quads, emitted = trace["quads"], trace["emitted"]
    for index in range(trace["passes"].num_rows):
        a = streams.arrange(index)
        d0, d1 = a.draw_range
        lists: dict[tuple[int, int], list[int]] = {}
        for e in range(emitted["primitive"].size):
            if not d0 <= emitted["draw"][e] < d1:
                continue
            x0, y0, x1, y1 = (int(v) for v in emitted["bounds"][e])
            for ty in range(y0 // height, y1 // height + 1):
                for tx in range(x0 // width, x1 // width + 1):
                    lists.setdefault((tx, ty), []).append(e)
        next_block = LIST_ADDRESS // 64 + len(a.tiles)
        seen: dict[tuple[int, int], int] = {}
        where: dict[tuple[tuple[int, int], int], int] = {}
        # Blocks are taken in the order of the primitives, and tiles of one primitive row by row.
        for e in sorted({e for entries in lists.values() for e in entries}):
            for tile in sorted((t for t in lists if e in lists[t]), key=lambda t: (t[1], t[0])):
                k = lists[tile].index(e)
                if k == 0:
                    seen[tile] = LIST_ADDRESS // 64 + tile[1] * a.tiles_across + tile[0]
                elif k % 15 == 0:
                    seen[tile] = next_block
                    next_block += 1
                where[tile, e] = seen[tile]
        for t in a.tiles:
            tile = (int(t["x0"]) // width, int(t["y0"]) // height)
            pairs = a.pairs[t["pair_first"] : t["pair_first"] + t["pair_count"]]
            pairs = pairs[pairs["clear"] < 0]
            assert pairs["emitted"].tolist() == lists.get(tile, [])
            if not any(trace["events"]["kind"] == 1):
                assert pairs["pointer_line"].tolist() == [where[tile, e] for e in lists.get(tile, [])]
            for p in pairs:
                rows = a.quads["row"][p["quad_first"] : p["quad_first"] + p["quad_count"]]
                expected = [
                    q for q in np.flatnonzero(quads["emitted"] == p["emitted"])
                    if (2 * int(quads["x"][q]) // width, 2 * int(quads["y"][q]) // height) == tile
                ]  # fmt: skip
                assert rows.tolist() == expected
                for q in a.quads[p["quad_first"] : p["quad_first"] + p["quad_count"]]:
                    x, y = int(quads["x"][q["row"]]) % (width // 2), int(quads["y"][q["row"]]) % (height // 2)
                    assert q["position"] == y * (width // 2) + x
        addresses = a.emitted["attribute_address"]
        assert (np.diff(addresses) == 48 * a.emitted["attributes"][:-1]).all()
        assert len(addresses) == 0 or addresses[0] == ATTRIBUTE_ADDRESS


@pytest.mark.parametrize("test", ["exact", "bounding-box"])
@pytest.mark.parametrize("seed", range(4))
def test_quads_outside_of_their_bounds(monkeypatch: pytest.MonkeyPatch, seed: int, test: str) -> None:
    """A trace may hold them: they name their tiles themselves, each once a primitive, behind those of the bounds; a
    tile without them is tested as it would be. The kernels leave their scratch as they have found it.
    """

    def checked(function: Any, binning: Any, scratch: Any, *given: Any) -> None:
        function(binning, scratch, *given)
        assert not scratch.any()

    for name in ("size_lists", "build_lists"):
        monkeypatch.setattr(arrange, name, partial(checked, getattr(arrange, name)))
    rng = np.random.default_rng(seed)
    trace = random_scene(seed).trace()
    quads, emitted = trace["quads"], trace["emitted"]
    # Half of each rectangle, whose quads are all at the triangle's first corner at first.
    emitted["x"][:, 1], emitted["y"][:, 2] = (256 * (emitted["bounds"][:, k].astype(np.int32) + 1) for k in (2, 3))
    quads["x"][:], quads["y"][:] = emitted["bounds"][quads["emitted"], :2].T // 2
    streams = streams_of(trace, [f"binning.test={test!r}"])
    width, height = streams.config.tile.width, streams.config.tile.height
    plain = streams.arrange(0)
    d0, d1 = plain.draw_range
    binned = {
        e: [(int(t["x0"]) // width, int(t["y0"]) // height) for t in np.sort(plain.tiles, order=["y0", "x0"])
            if e in plain.pairs["emitted"][t["pair_first"] : t["pair_first"] + t["pair_count"]]]
        for e in np.flatnonzero((emitted["draw"] >= d0) & (emitted["draw"] < d1)).tolist()
    }  # fmt: skip
    moved = np.flatnonzero(rng.random(quads.num_rows) < 0.7)
    quads["x"][moved] = rng.integers(0, plain.width // 2, len(moved))
    quads["y"][moved] = rng.integers(0, plain.height // 2, len(moved))
    a = streams_of(trace, [f"binning.test={test!r}"]).arrange(0)
    outside = missed = 0
    lists: dict[tuple[int, int], list[tuple[int, list[int]]]] = {}
    for e in binned:
        rows: dict[tuple[int, int], list[int]] = {}
        for row in np.flatnonzero(quads["emitted"] == e).tolist():
            rows.setdefault((2 * int(quads["x"][row]) // width, 2 * int(quads["y"][row]) // height), []).append(row)
        x0, y0, x1, y1 = (int(v) for v in emitted["bounds"][e])
        inside = [
            (x, y) for y in range(y0 // height, y1 // height + 1) for x in range(x0 // width, x1 // width + 1)
            if (x, y) in rows or (x, y) in binned[e]
        ]  # fmt: skip
        named = [tile for tile in rows if tile not in inside]
        outside += len(named)
        missed += (x1 // width - x0 // width + 1) * (y1 // height - y0 // height + 1) - len(inside)
        for tile in inside + named:
            lists.setdefault(tile, []).append((e, rows.get(tile, [])))
        assert a.bin_count[e - a.part.emitted[0]] == len(inside + named)
    for t in a.tiles:
        pairs = a.pairs[t["pair_first"] : t["pair_first"] + t["pair_count"]]
        pairs = pairs[pairs["clear"] < 0]
        found = [
            (int(p["emitted"]), a.quads["row"][p["quad_first"] : p["quad_first"] + p["quad_count"]].tolist())
            for p in pairs
        ]
        assert found == lists.get((int(t["x0"]) // width, int(t["y0"]) // height), [])
    assert outside > 0
    assert missed == 0 or test == "exact"


@pytest.mark.parametrize("seed", range(4))
def test_clears_in_tile_lists(seed: int) -> None:
    """In the lists of the tiles that hold a pixel of theirs, in the order in which they come between draws."""
    rng = np.random.default_rng(seed)
    scene = Scene(72, 40)
    for number in range(6):
        draw = scene.draw()
        if rng.random() < 0.7:
            scene.quad_block(draw, 0, 0, 72, 40, path=scene.path(1))
        for _ in range(int(rng.integers(1, 3))):
            scene.clear_after(number + 1, buffers=1 << 16, clear_depth=5)
    trace = scene.trace()
    events = trace["events"]
    order: list[tuple[int, Any]] = []
    for k in range(events.num_rows):
        if events["kind"][k] == EventKind.DRAW:
            order += [(-1, None)] * int(trace["draws"]["emitted_count"][events["draw"][k]])
            continue
        (x0, x1), (y0, y1) = (np.sort(rng.integers(-20, side + 20, 2)) for side in (72, 40))
        for name, value in (("x", x0), ("y", y0), ("width", x1 - x0 + 1), ("height", y1 - y0 + 1)):
            events[name][k] = value
        order.append((k, (range(max(x0, 0), min(x1 + 1, 72)), range(max(y0, 0), min(y1 + 1, 40)))))
    streams = streams_of(trace)
    a = streams.arrange(0)
    met = 0
    for t in a.tiles:
        expected = []
        for k, area in order:
            inside = k < 0 or all(
                {*pixels} & {*range(int(t[at]), int(t[at]) + int(t[size]))}
                for pixels, at, size in zip(area, ("x0", "y0"), ("width", "height"), strict=True)
            )
            expected += [k] if inside else []
        pairs = a.pairs[t["pair_first"] : t["pair_first"] + t["pair_count"]]
        assert [int(a.clear_events[c]) if c >= 0 else -1 for c in pairs["clear"]] == expected
        for pair in pairs[pairs["clear"] >= 0]:
            assert [int(pair[name]) for name in ("entries", "attributes", "emitted", "draw", "quad_count")] == [
                1, 0, -1, -1, 0,
            ]  # fmt: skip
        met += sum(k >= 0 for k in expected)
    assert 0 < met < len(a.tiles) * sum(k >= 0 for k, _ in order)


def test_segments_of_paths() -> None:
    scene = Scene(16, 16)
    p = scene.path(3, 0, 2)
    draw = scene.draw(vertex_path=scene.path(1))
    scene.quad_block(draw, 0, 0, 2, 2, path=p, lines=[[1], [2]])
    scene.quad_block(draw, 0, 0, 2, 2, path=p, lines=[[1]])
    trace = scene.trace()
    quads = streams_of(trace).arrange(0).quads
    segments = streams_of(trace).segments
    first, second = (segments["cycles"][q["segment"] : q["segment_end"]].tolist() for q in quads)
    # ALU up to and with each texture instruction, and the rest; with another number of them the 7 cycles are spread.
    assert first == [4, 1, 2]
    assert second == [3, 4]
    trace["paths"]["step_count"][p] = 0
    assert streams_of(trace).segments["cycles"][quads[0]["segment"] : quads[0]["segment_end"]].tolist() == [2, 2, 3]


def test_issue_cost_by_kind() -> None:
    scene = Scene(16, 16)
    p = scene.path(6)
    draw = scene.draw(vertex_path=p)
    scene.quad_block(draw, 0, 0, 2, 2, path=p)
    trace = scene.trace()
    trace["instructions"]["kind"][:6] = [0, 1, 2, 4, 5, 0]
    settings = [f"fragment.issue_cycles.{kind}={2**k}" for k, kind in enumerate(("alu", "transcendental", "move"))]
    streams = streams_of(trace, [*settings, "fragment.issue_cycles.control=8", "fragment.issue_cycles.kill=16"])
    assert streams.segments["cycles"][0] == 1 + 2 + 4 + 8 + 16 + 1


@pytest.mark.parametrize("name", ["scanline", "z-order", "snake", "hilbert"])
@pytest.mark.parametrize(("across", "down"), [(1, 1), (5, 3), (8, 8), (16, 16), (75, 48)])
def test_tile_orders(name: str, across: int, down: int) -> None:
    order = tile_order(name, across, down)
    assert sorted(order) == list(range(across * down))
    if name == "snake" or (name == "hilbert" and across == down):
        x, y = order % across, order // across
        assert (np.abs(np.diff(x)) + np.abs(np.diff(y)) == 1).all()
    if name == "z-order" and (across, down) == (8, 8):
        assert order[:5].tolist() == [0, 1, 8, 9, 2]
    if name == "hilbert" and (across, down) == (8, 8):
        assert order[:5].tolist() == [0, 1, 9, 8, 16]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6, 8])
@pytest.mark.parametrize("name", ["interleaved", "rows", "quadrants"])
def test_quad_maps_share_a_tile_out(name: str, count: int) -> None:
    config = load_config("mali450-vro", [f"fragment.quad_map={name!r}", f"fragment.processors={count}"])
    owners = np.bincount(quad_map(config)[0], minlength=count)
    assert len(owners) == count
    assert owners.sum() == 64
    if count in (1, 2, 4, 8):
        assert (owners == 64 // count).all()


@pytest.mark.parametrize("turns", range(4))
@pytest.mark.parametrize("reversed_order", [False, True])
@pytest.mark.parametrize(("off", "tiles"), [(-1, 4), (0, 4), (1, 3), (2, 3)])
def test_an_edge_that_just_misses_a_tile(turns: int, reversed_order: bool, off: int, tiles: int) -> None:
    """Four tiles that meet at C. An edge from C + (-1000, 999) to C + (p, -q) with 1000 q - 999 p = off has that edge
    function at C: the tile on the other side is touched where it is not above 0, whichever way the triangle lies.
    """
    p, q, c = off + 2000, off + 1998, 16 * 256
    points = np.array([[-1000, 999], [p, -q], [-c, -c]], np.int64)
    for _ in range(turns):
        points = np.stack([-points[:, 1], points[:, 0]], axis=1)
    scene = Scene(32, 32)
    path = scene.path(1)
    corner = np.clip((points[2] + c) // 256, 0, 30)
    scene.quad_block(scene.draw(vertex_path=path), int(corner[0]), int(corner[1]), 2, 2, path=path)
    trace = scene.trace()
    trace["emitted"]["x"][0], trace["emitted"]["y"][0] = (points[::-1] if reversed_order else points).T + c
    trace["emitted"]["bounds"][0] = [0, 0, 31, 31]
    arranged = streams_of(trace, ("binning.test='exact'",)).arrange(0)
    assert arranged.emitted["bin_count"][0] == tiles
    assert sorted(arranged.tiles["pair_count"].tolist()) == [0] * (4 - tiles) + [1] * tiles


@pytest.mark.parametrize("bound", [47, 15])
def test_quads_outside_the_bounds_name_their_tiles(bound: int) -> None:
    """Each primitive's alone: all triangles lie in the first tile, quads of the first and third one in the last tile,
    which the bounds of the second one touch and its edges miss.
    """
    scene = Scene(48, 16)
    path = scene.path(1)
    draw = scene.draw(vertex_path=path)
    for x in (32, 0, 32):
        scene.quad_block(draw, x, 0, 2, 2, path=path)
    trace = scene.trace()
    trace["emitted"]["x"][:], trace["emitted"]["y"][:] = [0, 1024, 0], [0, 0, 1024]
    trace["emitted"]["bounds"][:] = [0, 0, 47, 15]
    trace["emitted"]["bounds"][[0, 2]] = [0, 0, bound, 15]
    arranged = streams_of(trace, ("binning.test='exact'",)).arrange(0)
    lists = [arranged.pairs[t["pair_first"] : t["pair_first"] + t["pair_count"]] for t in arranged.tiles]
    assert [pairs["emitted"].tolist() for pairs in lists] == [[0, 1, 2], [], [0, 2]]
    assert [pairs["quad_count"].tolist() for pairs in lists] == [[0, 1, 0], [], [1, 1]]
    assert arranged.quads["row"].tolist() == [1, 0, 2]
