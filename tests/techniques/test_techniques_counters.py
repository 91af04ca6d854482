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
