"""Small functions of techniques against plain statements of what they find."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gpumodel.pass_depths import REPLACES, TESTS, TOWARD, WRITES, Rules
from gpumodel.techniques.afbc.technique import FrameBufferCompression
from gpumodel.techniques.dr import kinds
from gpumodel.techniques.evr_like import visibility
from gpumodel.techniques.lrz import rules
from gpumodel.techniques.re.causes import TileLists, first_changes
from gpumodel.techniques.signing.history import History
from gpumodel.techniques.vro import nodes
from gpumodel.techniques.vro.technique import common_pairs
from gpumodel.tile_redundancy import ATTRIBUTES, BEGIN, CONSTANTS, LIST, STATE
from gpumodel.units import state
from traceformat.gputrace.frametrace import DrawFlags, EventKind, MemoryMap


def test_pairs_of_two_graphs() -> None:
    rng = np.random.default_rng(1)
    for _ in range(60):
        graphs: list[tuple[list[tuple[int, int, int]], list[tuple[int, int]]]] = []
        for _ in range(2):
            keys = [(int(k), 1, 1) for k in rng.permutation(7)[: int(rng.integers(1, 7))]]
            edges = {tuple(rng.permutation(len(keys))[:2].tolist()) for _ in range(8)} if len(keys) > 1 else set()
            graphs.append((keys, [(a, b) for a, b in edges if a < b or (b, a) not in edges]))
        named = [{(keys[a], keys[b]) for a, b in edges} for keys, edges in graphs]
        arrays = [tuple(np.array(edges, np.int64).reshape(-1, 2).T) for _, edges in graphs]
        found = common_pairs(arrays[0], graphs[0][0], arrays[1], graphs[1][0])
        assert found == (len(named[0] & named[1]), len({(b, a) for a, b in named[0]} & named[1]))


def _messages(rng: np.random.Generator, first_draw: int) -> tuple[TileLists, list[list[Any]]]:
    """Random messages: the arrays, and of each tile (ordinal, state, constants, block) of each entry."""
    count = rng.integers(0, 4, 6)
    draw = np.where(rng.random(count.sum()) < 0.2, -1, first_draw + rng.integers(0, 3, count.sum()))
    block, state, constants = (rng.integers(0, 2, size).astype(np.uint64) for size in (count.sum(), 3, 3))
    entries = [
        (-1, 0, 0, b) if d < 0 else (d - first_draw, int(state[d - first_draw]), int(constants[d - first_draw]), b)
        for d, b in zip(draw.tolist(), block.tolist(), strict=True)
    ]
    first = np.cumsum(count) - count
    lists = TileLists(int(rng.integers(9) == 0), first, count, block, draw, state, constants, first_draw)
    return lists, [entries[f : f + n] for f, n in zip(first.tolist(), count.tolist(), strict=True)]


def test_what_makes_a_message_another_one() -> None:
    """The first entry that differs, by its draw's number, state, constants, attributes, in this order."""
    rng = np.random.default_rng(2)
    seen = set()
    for _ in range(300):
        (now, mine), (before, others) = _messages(rng, int(rng.integers(4))), _messages(rng, int(rng.integers(4)))
        tiles = np.array([t for t in rng.permutation(6) if mine[t] != others[t]], np.int64)
        found = first_changes(now, before, tiles)
        for row, tile in zip(found, tiles.tolist(), strict=True):
            kind, draw = LIST, -1
            pairs = list(zip(mine[tile], others[tile], strict=False))
            at = next((k for k, (a, b) in enumerate(pairs) if a != b), len(pairs))
            if now.begin != before.begin:
                kind = BEGIN
            elif at < len(pairs):
                part = next(k for k in range(4) if pairs[at][0][k] != pairs[at][1][k])
                kind = (LIST, STATE, CONSTANTS, BEGIN if pairs[at][0][0] < 0 else ATTRIBUTES)[part]
            if now.begin == before.begin and at < len(mine[tile]):
                draw = int(now.draw[now.first[tile] + at])
            assert (row["tile"], row["kind"], row["draw"]) == (tile, kind, draw)
            seen.add(kind)
    assert seen == {BEGIN, LIST, STATE, CONSTANTS, ATTRIBUTES}


def test_kinds_of_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a draw's tests change or tell beside depth makes it stateful; draws of other passes have no kind."""
    rng = np.random.default_rng(3)
    covers = rng.random(40) < 0.5
    draws: Any = {name: rng.integers(0, 2, 40) for name in ("stencil_test", "query_active")}
    draws["flags"] = rng.choice([0, DrawFlags.SIDE_EFFECTS, DrawFlags.DISCARDS], 40)
    table = type("Table", (dict,), {"num_rows": 40})(draws)
    passes = {"draw_first": np.array([0, 5]), "draw_count": np.array([5, 30])}
    monkeypatch.setattr(kinds, "covering_draws", lambda trace, index, rows: covers[rows])
    found = kinds.draw_kinds({"draws": table, "passes": passes}, 1)  # type: ignore[arg-type]
    for k in range(40):
        effects = draws["stencil_test"][k] or draws["query_active"][k] or draws["flags"][k] == DrawFlags.SIDE_EFFECTS
        expected = (kinds.COVERS if covers[k] else 0) + (kinds.STATEFUL if effects else 0)
        assert found[k] == (expected if 5 <= k < 35 else 0)


def _pass(rng: np.random.Generator) -> tuple[dict[str, Any], Any, list[int]]:
    """Draws 3 to 11 of a frame with clears among them: trace, streams, and the draw that follows each clear."""
    kinds_of: list[int] = []
    numbers: list[int] = []
    following = []
    clears: list[int] = []
    for draw in range(3, 12):
        while rng.random() < 0.2:
            clears.append(len(kinds_of))
            following.append(draw - 3)
            kinds_of.append(int(EventKind.CLEAR))
            numbers.append(-1)
        kinds_of.append(int(EventKind.DRAW))
        numbers.append(draw)
    before = 2
    events = {
        "kind": np.array([EventKind.DRAW] * before + kinds_of), "draw": np.array([0, 1, *numbers]),
    }  # fmt: skip
    trace = {
        "draws": {"object": rng.integers(0, 3, 14)}, "objects": {"id": np.array([7, 8, 9])}, "events": events,
        "passes": {"event_first": np.array([before]), "event_count": np.array([len(kinds_of)])},
    }  # fmt: skip
    on = rng.random(len(clears)) < 0.6
    streams = SimpleNamespace(
        draw_range=(3, 12), index=0, clear_events=np.array(clears, np.int64) + before,
        clears=np.array([(bool(d),) for d in on], [("depth_on", np.uint8)]),
    )  # fmt: skip
    streams.on = on
    return trace, streams, following


def test_draws_behind_the_first_clear_of_depth() -> None:
    rng = np.random.default_rng(4)
    for _ in range(80):
        trace, streams, following = _pass(rng)
        expected = min((draw for draw, on in zip(following, streams.on, strict=True) if on), default=9)
        assert rules._first_behind_clear(trace, streams) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_nodes_are_draws_of_an_object_in_a_run(monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    """A node ends with another object, another family, or a clear; its run by the latter two. Nodes from the limit on
    stay where they are.
    """
    rng = np.random.default_rng(limit)
    for _ in range(60):
        trace, streams, following = _pass(rng)
        family = rng.integers(0, 3, 9)
        monkeypatch.setattr(nodes, "_families", lambda trace, streams, family=family: family.copy())
        found = nodes.find_nodes(trace, streams, limit)  # type: ignore[arg-type]
        objects = trace["objects"]["id"][trace["draws"]["object"][3:12]].tolist()

        def group(family: list[int], objects: list[int] = objects, following: list[int] = following) -> Any:
            runs, members = [], []
            for k in range(9):
                new = k == 0 or family[k] != family[k - 1] or k in following
                runs.append(runs[-1] + new if k else 0)
                members.append(members[-1] + (new or objects[k] != objects[k - 1]) if k else 0)
            return runs, members

        kept = family.tolist()
        if max(group(kept)[1]) >= limit:
            kept = [f if node < limit else 0 for f, node in zip(kept, group(kept)[1], strict=True)]
        runs, members = group(kept)
        assert found.node_of_draw.tolist() == members
        assert found.movable.tolist() == [f > 0 for f in kept]
        # Runs in program order, clears between those around them.
        assert (np.diff(found.run_of_draw) > 0).tolist() == (np.diff(runs) > 0).tolist()
        for run, draw in zip(found.clear_run.tolist(), following, strict=True):
            assert draw == 0 or found.run_of_draw[draw - 1] < run
            assert run < found.run_of_draw[draw]
        firsts = [members.index(node) for node in range(max(members) + 1)]
        assert found.run_first.tolist() == [members[runs.index(runs[k])] for k in firsts]
        names = [(objects[k], kept[k]) for k in firsts]
        assert found.keys == [(*name, names[: k + 1].count(name)) for k, name in enumerate(names)]


def test_history_compares_with_frames_back() -> None:
    """Classes against each frame that is kept; none is, of another size or behind a break."""
    history = History(2)
    inputs, colors = np.array([1, 2, 3, 4]), np.array([1, 1, 1, 1])
    assert history.classes(1, inputs, colors) == (0, 0, 4)
    history.add(inputs, colors)
    history.add(np.array([1, 2, 0, 0]), np.array([1, 1, 1, 0]))
    assert history.classes(1, inputs, colors) == (2, 1, 1)
    assert history.classes(2, inputs, colors) == (4, 0, 0)
    assert history.classes(1, None, colors) == (0, 3, 1)
    assert history.equal_colors(1, colors).tolist() == [True, True, True, False]
    assert history.equal_colors(2, colors).tolist() == [True] * 4
    assert history.equal_colors(3, colors).tolist() == [False] * 4
    history.add(None, colors)
    assert history.classes(1, inputs, colors) == (0, 4, 0)
    # A frame of another size begins anew.
    history.add(inputs[:2], colors[:2])
    assert history.classes(1, inputs[:2], colors[:2]) == (2, 0, 0)
    assert history.classes(2, inputs[:2], colors[:2]) == (0, 0, 2)
    assert not history.equal_colors(1, colors).any()
    # Also where one of the old size comes again.
    history = History(3)
    for size in (4, 2, 4):
        history.add(inputs[:size], colors[:size])
    assert history.classes(1, inputs, colors) == (4, 0, 0)
    assert history.classes(3, inputs, colors) == (0, 0, 4)
    assert not history.equal_colors(3, colors).any()
    history.forget()
    assert history.classes(1, inputs, colors) == (0, 0, 4)


def _arrays(rng: np.random.Generator, tiles_of: int, list_of: int) -> tuple[Any, Any]:
    """Tiles of 8 by 4 pixels with lists, and their entries."""
    tiles, pairs = np.zeros(tiles_of, state.TILE), np.zeros(list_of, state.PAIR)
    ends = np.sort(rng.integers(0, list_of + 1, tiles_of - 1))
    tiles["pair_first"], tiles["pair_count"] = [0, *ends], np.diff([0, *ends, list_of])
    tiles["width"], tiles["height"] = rng.integers(1, 9, tiles_of), rng.integers(1, 5, tiles_of)
    pairs["tile"], pairs["clear"] = np.repeat(np.arange(tiles_of), tiles["pair_count"]), -1
    return tiles, pairs


@pytest.mark.parametrize("mirror", [0, 9])
def test_what_tiles_show(mirror: int) -> None:
    """Pixel by pixel: what is left of its fragments in the order of the list."""
    rng = np.random.default_rng(mirror)
    passes: list[Any] = [None, int.__lt__, None, int.__le__, int.__gt__, None, int.__ge__, lambda a, b: True]
    for _ in range(40):
        tiles, pairs = _arrays(rng, 3, 9)
        quads = np.zeros(40, state.QUAD)
        ends = np.sort(rng.integers(0, 41, 8))
        pairs["quad_first"], pairs["quad_count"] = [0, *ends], np.diff([0, *ends, 40])
        pairs["draw"] = rng.integers(0, 5, 9)
        quads["position"], quads["depth"] = rng.integers(0, 8, 40), rng.integers(0, 9, (40, 4))
        quads["coverage"], quads["survives"] = rng.integers(0, 16, 40), rng.integers(0, 16, 40) | 5
        kind, func = rng.integers(0, 16, 5).astype(np.uint8), rng.choice([1, 3, 4, 6, 7], 5).astype(np.int64)
        rules = Rules(kind, func, mirror, int(rng.integers(4, 9)), 4)
        layer, signed = rng.integers(1, 6, 9), rng.random(9) < 0.7
        out = visibility.Shown(*(np.zeros(3, np.int64) for _ in range(3)), np.zeros(3, np.uint8))
        visibility.walk(
            tiles, pairs, quads, rules, (2 * layer + signed).astype(np.int64), np.zeros(5 * 32, np.int64), out
        )
        for t, tile in enumerate(tiles):
            entries = range(tile["pair_first"], tile["pair_first"] + tile["pair_count"])
            shown = []
            for x, y in np.ndindex(int(tile["width"]), int(tile["height"])):
                depth, far, low, place, may_show, left_depth = rules.clear, visibility.NOTHING, 0, -1, False, False
                for e in entries:
                    bits = int(kind[pairs[e]["draw"]])
                    replaces, tests, toward, writes = (bits & bit != 0 for bit in (REPLACES, TESTS, TOWARD, WRITES))
                    for q in quads[pairs[e]["quad_first"] :][: pairs[e]["quad_count"]]:
                        lane = y % 2 * 2 + x % 2
                        here = q["position"] == y // 2 * 4 + x // 2
                        if not here or not q["coverage"] & q["survives"] & 1 << lane:
                            continue
                        z = int(mirror - q["depth"][lane] if mirror else q["depth"][lane])
                        if tests and not passes[func[pairs[e]["draw"]]](z, depth):
                            continue
                        depth, low = z if writes else depth, layer[e] if replaces else low
                        if not signed[e]:
                            may_show, left_depth = True, left_depth or writes
                        elif replaces and (not tests or toward or not left_depth):
                            place, may_show = sum(signed[entries.start : e]), False
                            far, left_depth = (z, False) if writes else (far, left_depth)
                shown.append((far, low, place, may_show or left_depth))
            far, low, place, poison = zip(*shown, strict=True)
            found = out.far[t], out.low[t], out.place[t], out.poison[t]
            assert found == (max(far), min(low), min(place), any(poison))


def test_entries_in_the_rendering_order() -> None:
    """Runs and clears stay in program order, within a run nodes by rank; a node's first entry has no link."""
    rng = np.random.default_rng(8)
    run_of_draw, node_of_draw = np.array([0, 0, 0, 2, 2, 4]), np.array([0, 0, 1, 2, 3, 4], np.int32)
    rank = np.array([1, 0, 3, 2, 4])

    def key(pair: Any) -> tuple[int, int]:
        draw = pair["emitted"] // 2
        return ((1, 3)[pair["clear"]], 0) if pair["clear"] >= 0 else (run_of_draw[draw], rank[node_of_draw[draw]])

    for _ in range(40):
        tiles, pairs = _arrays(rng, 4, 20)
        pairs["emitted"] = rng.integers(0, 12, 20)
        pairs["clear"] = np.where(rng.random(20) < 0.2, rng.integers(0, 2, 20), -1)
        pairs["link_line"] = rng.integers(-1, 3, 20)
        trace: Any = {"emitted": {"draw": np.repeat(np.arange(6), 2) + 3}}
        streams: Any = SimpleNamespace(tiles=tiles, pairs=pairs, draw_range=(3, 9))
        made = nodes.Nodes(node_of_draw, run_of_draw >= 0, run_of_draw, np.array([1, 3]), np.zeros(5), [(0, 0, 0)] * 5)
        out = nodes.order_pairs(trace, streams, made, rank)

        for tile in range(4):
            own = [pair for pair in pairs if pair["tile"] == tile]
            expected = sorted(own, key=key)
            node = -2
            for pair, found in zip(expected, out[out["tile"] == tile], strict=True):
                now = -1 if pair["clear"] >= 0 else node_of_draw[pair["emitted"] // 2]
                assert (found["emitted"], found["clear"]) == (pair["emitted"], pair["clear"])
                assert found["link_line"] == (-1 if now != node else pair["link_line"])
                node = now


@pytest.mark.parametrize("side", [(16, 16), (32, 32), (64, 16)])
def test_pieces_of_compressed_tiles(side: tuple[int, int]) -> None:
    """Row by row of a tile the bodies of its superblocks; then a piece a row with a header of each, 16 bytes apart."""
    rng = np.random.default_rng(side[0])
    one = FrameBufferCompression()
    one._side = side
    down, across, address = 5, 7, 1 << 20
    sizes = rng.integers(1, 1025, (down, across))
    tiles = np.zeros(6, state.TILE)
    tiles["x0"], tiles["y0"] = side[0] * rng.integers(0, 112 // side[0], 6), side[1] * rng.integers(0, 80 // side[1], 6)
    pieces, total = one._pieces(SimpleNamespace(tiles=tiles), address, sizes)  # type: ignore[arg-type]
    for t, tile in enumerate(tiles):
        rows = range(tile["y0"] // 16, min(tile["y0"] // 16 + side[1] // 16, down))
        columns = range(tile["x0"] // 16, min(tile["x0"] // 16 + side[0] // 16, across))
        bodies = [(address + 1024 * (y * across + x), sizes[y, x]) for y in rows for x in columns]
        headers = [
            (MemoryMap.MODEL + (8 << 34) + address // 64 + 16 * (y * across + columns[0]), 16 * len(columns))
            for y in rows
        ]
        own = pieces.pieces[pieces.first[t] : pieces.first[t + 1]]
        assert list(zip(own["address"].tolist(), own["size"].tolist(), strict=True)) == [*bodies, *headers]
        assert total[t] == sum(size for _, size in (*bodies, *headers))
