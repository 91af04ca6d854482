"""Closed forms of the techniques' counters: planes that cover the screen, in both orders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hidden_films import PIXELS, Played, one, stack
from object_films import Thing

TILES = 12


def plain(frames: list[Any], preset: str = "mali450-vro") -> dict[str, float]:
    """Counters of the machine without a technique."""
    return dict(Played(frames, "", preset).results[0].counters)


@pytest.mark.parametrize("technique", ["dr", "dr-seq"])
@pytest.mark.parametrize("is_back_to_front", [True, False])
@pytest.mark.parametrize("count", [1, 3])
def test_hidden_surface_removal(tmp_path: Path, technique: str, is_back_to_front: bool, count: int) -> None:
    """HSR reads each entry once more, as the Tile Fetcher does; it tests all quads, and keeps the depth and the tag of
    those in front of what came before. Early-Z reads the tag of every quad.
    """
    frames = one(tmp_path, stack(count) if is_back_to_front else stack(count)[::-1])
    quads, machine = frames[0]["quads"].num_rows, plain(frames)
    pairs, attributes, requests = (machine[f"tile_fetch.{name}"] for name in ("primitives", "attributes", "requests"))
    played = Played(frames, technique)
    in_front = quads if is_back_to_front else quads // count
    wanted = {
        "hsr_tiles": TILES, "hsr_primitives": pairs, "hsr_attributes": attributes, "hsr_requests": requests,
        "hsr_quads": quads, "hsr_depth_reads": quads, "hsr_depth_writes": in_front, "hsr_wasted": 0,
        "tag_writes": in_front, "tag_reads": quads,
    }  # fmt: skip
    assert {name: played.counter(name) for name in wanted} == wanted
    fetched = played.counter("hsr_fetch_cycles")
    # Through one port goes a request a cycle.
    assert requests <= fetched <= played.counter("hsr_cycles")


def test_hsr_writes_what_passes_alone(tmp_path: Path) -> None:
    """Nothing behind the first plane, nothing of planes that write no depth, all of foliage's covering plane."""
    near, far = Thing.plane("near", -0.5), Thing.plane("far", 0.5)
    glass = Thing.plane("glass", -0.7, blend=True, writes_depth=False)
    frames = one(tmp_path, [near, far, glass])
    assert Played(frames, "dr").counter("hsr_depth_writes") == frames[0]["quads"].num_rows // 3


@pytest.mark.parametrize("is_back_to_front", [True, False])
@pytest.mark.parametrize("count", [1, 3])
def test_z_prepass(tmp_path: Path, is_back_to_front: bool, count: int) -> None:
    """The first half has no colours: what passes leaves depth and number; each test of both halves reads a number."""
    frames = one(tmp_path, stack(count) if is_back_to_front else stack(count)[::-1])
    quads = frames[0]["quads"].num_rows
    played = Played(frames, "zprepass")
    passing = quads if is_back_to_front else quads // count
    wanted = {"null_quads": passing, "null_fragments": passing // (quads // count) * PIXELS,
              "number_writes": passing, "tests": 2 * quads, "visible": PIXELS}  # fmt: skip
    assert {name: played.counter(name) for name in wanted} == wanted


def test_transaction_elimination_hashes_the_screen_once_a_frame(tmp_path: Path) -> None:
    frames = one(tmp_path, stack(3))
    played = Played(frames, "te", "mali450-re")
    assert played.counter("bytes_hashed") == 4 * PIXELS
    assert played.counter("sub_blocks") == 4 * PIXELS / 8
    assert played.counter("tiles_hashed") == TILES


@pytest.mark.parametrize("count", [2, 5])
def test_every_node_is_sorted_once(tmp_path: Path, count: int) -> None:
    """The graph of a frame is sorted before the next one is rendered: none in the first frame, then a place in the
    order for each node.
    """
    from object_films import object_film

    frames = object_film(tmp_path / "a.gltrace", [stack(count)] * 3)
    played = Played(frames, "vro")
    for number in range(3):
        assert played.counter("nodes", number) == count
        assert played.counter("nodes_sorted", number) == (count if number else 0)
        # Of a stack the object behind all others has the longest list.
        assert 1 <= played.counter("list_max", number) <= count - 1
        shares = [played.counter(f"list_{name}", number) for name in ("p75", "p85", "p95", "max")]
        assert shares == sorted(shares)


def test_lrz_says_why_it_is_off(tmp_path: Path) -> None:
    """No draw tests depth: no direction."""
    flat = [Thing.plane(f"p{k}", 0.1 * k, depth_test=False, writes_depth=False) for k in range(2)]
    played = Played(one(tmp_path, flat), "lrz")
    assert (played.counter("lrz.off.no_depth"), played.counter("blocks")) == (1, 0)


def test_a_frame_of_one_tile_begins_anew(tmp_path: Path) -> None:
    """Its tile is the one that was last at work in the frame before, which is no reason to leave anything out."""
    from object_films import object_film

    frames = object_film(tmp_path / "a.gltrace", [stack(3)] * 4, (16, 16))
    te = Played(frames, "te", "mali450-re")
    assert [te.counter("tiles_hashed", k) for k in range(4)] == [1] * 4
    assert [te.counter("bytes_hashed", k) for k in range(4)] == [4 * 256] * 4
    vro = Played(frames, "vro")
    assert [vro.counter("fragments.shaded", k) for k in range(4)] == [3 * 256, 256, 256, 256]
    # Nobody reads records ahead of the first tile.
    assert all(vro.counter("match_wait_cycles", k) > 0 for k in range(4))
    ideal = Played(frames, "ideal-order")
    assert [ideal.counter("fragments.shaded", k) for k in range(4)] == [256] * 4
    later = ("visible", "inter_object", "intra_object")
    assert len({tuple(ideal.counter(name, k) for name in later) for k in range(4)}) == 1


@pytest.mark.parametrize("rate", [4, 5, 63, 64])
def test_hashing_takes_its_time(tmp_path: Path, rate: int) -> None:
    """A tile's 1024 bytes at so many a cycle, rounded up, before its flush."""
    frames = one(tmp_path, stack(1), (16, 16))
    free, slow = (
        Played(frames, "te", "mali450-re", (f"te.bytes_per_cycle={r}",)).results[0].raster_cycles for r in (0, rate)
    )
    assert slow - free == -(-1024 // rate)


@pytest.mark.parametrize("technique", ["vro", "list-prefetch"])
@pytest.mark.parametrize("design", ["simple", "pipelined"])
def test_who_reads_beside_the_fetcher_has_read(tmp_path: Path, technique: str, design: str) -> None:
    """Each access of a small Tile Cache is somebody's, and one that was not taken is made again."""
    from object_films import object_film

    small = (
        "vro.graph_cache.size_bytes=128",
        "vro.graph_cache.ways=1",
        "caches.tile.size_bytes=256",
        "caches.tile.ways=2",
        "caches.tile.mshrs=1",
        "caches.tile.request_queue=1",
    )
    frames = object_film(tmp_path / "a.gltrace", [stack(6)] * 2)
    played = Played(frames, technique, settings=(*small, f"tile_fetcher.design={design!r}"))
    name = "matcher_reads" if technique == "vro" else "reads"
    unit = "order_matcher" if technique == "vro" else "list_prefetch"
    (states,) = [states for name, states in played.results[1].stalls.items() if name.startswith(unit)]
    assert states["data"] > 0
    if technique == "vro":
        (states,) = [states for name, states in played.results[1].stalls.items() if name.startswith("visibility")]
        assert states["data"] > 0
    for k in range(2):
        parts = (played.counter("cache.tile.writes", k), played.counter("tile_fetch.requests", k))
        assert played.counter("cache.tile.accesses", k) == sum(parts) + played.counter(name, k)
        if technique == "vro":
            # A tile's records are all read, a line each 16 of them.
            assert played.counter(name, k) >= TILES


def test_compression_codes_each_tile_once_a_frame(tmp_path: Path) -> None:
    """Sub-blocks of 4x4 pixels, of tiles cut by the target's edge, too; also where a frame is one tile."""
    from object_films import object_film

    for size, tiles, blocks in (((16, 16), 1, 16), ((40, 20), 6, 2 * 16 + 8 + 2 * 4 + 2)):
        frames = object_film(tmp_path / f"{size[0]}.gltrace", [stack(2)] * 3, size)
        played = Played(frames, "afbc")
        for k in range(3):
            found = [played.counter(name, k) for name in ("tiles", "plain_bytes", "sub_blocks")]
            assert found == [tiles, 4 * size[0] * size[1], blocks]
            written = played.counter("dram.write_bytes.color", k)
            assert written == played.counter("stored_bytes", k)
