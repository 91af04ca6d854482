"""Deferred Rendering on hand-made films with known answers, and its closed forms."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hidden_films import PIXELS, Played, one, random_states, stack
from object_films import Thing, object_film

from gpumodel.config.load import load_config
from gpumodel.energy import bill
from gpumodel.runs import Run
from gpumodel.techniques.dr import DeferredRendering, SequentialRendering
from traceformat.errors import ConfigError
from traceformat.gles import enums as gl

BOTH = pytest.mark.parametrize("technique", ["dr", "dr-seq"])


@BOTH
@pytest.mark.parametrize("count", [1, 5])
def test_a_stack(tmp_path: Path, technique: str, count: int) -> None:
    """Back to front or front to back: one fragment a pixel, in the first frame already."""
    for things in (stack(count), stack(count)[::-1]):
        played = Played(one(tmp_path, things), technique)
        assert played.shaded == played.counter("visible") == PIXELS
        assert played.counter("hsr_fragments") == count * PIXELS
        hidden = (count - 1) * PIXELS
        assert played.counter("fragments.early_z_killed") == hidden
        assert played.counter("killed") == (hidden if things[0].name == "p0" else 0)


@BOTH
def test_interpenetrating(tmp_path: Path, technique: str) -> None:
    """HSR works on pixels: no object is shaded where another is in front."""
    things = [Thing("left", ((-1, -1, 1, 1, -0.5, 0.5),)), Thing("right", ((-1, -1, 1, 1, 0.5, -0.5),))]
    assert Played(one(tmp_path, things), technique).shaded == PIXELS


@BOTH
def test_blended_between_opaque(tmp_path: Path, technique: str) -> None:
    """A blended object lives in front of what covers it, and dies behind it."""
    glass = Thing.plane("glass", 0.0, blend=True, writes_depth=False)
    behind = [Thing.plane("far", 0.5), glass, Thing.plane("near", -0.25)]
    assert Played(one(tmp_path, behind), technique).shaded == PIXELS
    before = [Thing.plane("far", 0.5), Thing.plane("mid", 0.25), glass]
    played = Played(one(tmp_path, before), technique)
    assert played.shaded == 2 * PIXELS
    assert played.counter("visible") == played.counter("other") == PIXELS


@BOTH
def test_foliage(tmp_path: Path, technique: str) -> None:
    """HSR gives up the pixels of foliage: what comes behind it in the list is not known to HSR."""
    tree = Thing.plane("tree", 0.0, foliage=True)
    things = [Thing.plane("far", 0.5), tree, Thing.plane("mid", -0.1), Thing.plane("near", -0.25)]
    played = Played(one(tmp_path, things), technique)
    assert played.counter("visible") == PIXELS
    assert played.counter("behind_discard") == 3 * PIXELS
    # Foliage that is certainly hidden is no hindrance.
    hidden = [Thing.plane("far", -0.05), tree, Thing.plane("mid", -0.1), Thing.plane("near", -0.25)]
    assert Played(one(tmp_path, hidden), technique).shaded == PIXELS


@BOTH
def test_stencil_and_queries_see_everything(tmp_path: Path, technique: str) -> None:
    for state in ({"stencil": 1}, {"query": True}):
        looked_at = replace(Thing.plane("look", 0.25), **state)
        played = Played(one(tmp_path, [Thing.plane("far", 0.5), looked_at, Thing.plane("near", 0.0)]), technique)
        assert played.counter("behind_state") == 2 * PIXELS
        assert played.shaded == 3 * PIXELS


@pytest.mark.parametrize(
    ("first", "second"),
    [(gl.GL_LESS, gl.GL_LESS), (gl.GL_LEQUAL, gl.GL_LEQUAL), (gl.GL_LESS, gl.GL_LEQUAL), (gl.GL_LEQUAL, gl.GL_LESS)],
)
def test_coplanar(tmp_path: Path, first: int, second: int) -> None:
    """One of equal depths is shaded, the one that program order leaves (verified)."""
    things = [Thing.plane("1st", 0.0, first), Thing.plane("2nd", 0.0, second)]
    assert Played(one(tmp_path, things)).shaded == PIXELS


def test_passes_without_hsr(tmp_path: Path) -> None:
    """Where nothing covers, the machine works as the baseline."""
    things = [Thing.plane("a", 0.5, blend=True), Thing.plane("b", 0.0, blend=True)]
    frames = one(tmp_path, things)
    for technique in ("dr", "dr-seq"):
        played = Played(frames, technique)
        assert played.counter("passes_off") == 1
        assert played.results[0].cycles == Played(frames, "").results[0].cycles


SMALL_CACHE = (
    "dr.hsr_entries=3", "caches.tile.size_bytes=256", "caches.tile.ways=2", "caches.tile.mshrs=1",
    "caches.tile.request_queue=1",
)  # fmt: skip
#: The fetchers that a preset can have, what HSR fetches, and a Tile Cache that misses all the time.
VARIANTS = [
    (), ("dr.hsr_attributes='position'",), SMALL_CACHE, ("tile_fetcher.tile_pipelining=true",),
    ("tile_fetcher.design='pipelined'", "tile_fetcher.primitive_table=2"),
]  # fmt: skip


@pytest.mark.parametrize("seed", range(15))
def test_random_films_are_exact(tmp_path: Path, seed: int) -> None:
    """Bit-identical whatever the draws' states."""
    rng = np.random.default_rng(500 + seed)
    frames = object_film(tmp_path / "a.gltrace", [random_states(rng, int(rng.integers(4, 16)))])
    preset = ("mali450-vro", "tbr-fhd", "mali450-re")[seed % 3]
    for technique in ("dr", "dr-seq"):
        Played(frames, technique, preset, VARIANTS[seed % 5])


@pytest.mark.parametrize("seed", range(5))
def test_the_loops_agree(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(700 + seed)
    frames = object_film(tmp_path / "a.gltrace", [random_states(rng, 8)], (32, 32))
    for technique, preset in (("dr", "mali450-vro"), ("dr-seq", "tbr-fhd")):
        wake, every = (
            Played(frames, technique, preset, VARIANTS[seed], every_cycle=loop).results[0] for loop in (False, True)
        )
        assert wake.counters == every.counters
        assert wake.stalls == every.stalls
        assert wake.cycles == every.cycles


def points(count: int) -> Thing:
    """Rectangles of a quad, two triangles each, in the lower left tile: one triangle has a quad, the other has one."""
    at = [(k % 4, k // 4) for k in range(count)]
    return Thing("dots", tuple((x / 8 - 1, y / 8 - 1, x / 8 - 0.875, y / 8 - 0.875, 0.0, 0.0) for x, y in at))


@pytest.mark.parametrize(("attributes", "requests"), [("all", 3), ("position", 2)])
@pytest.mark.parametrize("count", [1, 4, 7])
def test_hsr_of_primitives(tmp_path: Path, count: int, attributes: str, requests: int) -> None:
    """A cycle to begin, R requests of a cycle each a primitive, a cycle into the Rasterizer, two in Early-Z.

    N primitives of one quad in a tile, whose lines lie in the Tile Cache, in sequence: N R + 4 cycles; attributes that
    cross a line take a request more. An empty tile takes the cycle to begin.
    """
    played = Played(one(tmp_path, [points(count)], (32, 16)), "dr-seq", settings=[f"dr.hsr_attributes='{attributes}'"])
    primitives = 2 * count
    assert played.counter("hsr_tiles") == 2
    assert played.counter("hsr_primitives") == primitives
    # 48 bytes an attribute: every second primitive's attributes (96 bytes) begin in the middle of a line.
    crossings = played.counter("hsr_requests") - primitives * requests
    assert 0 <= crossings <= primitives * (requests - 1)
    assert played.counter("hsr_cycles") == played.counter("hsr_requests") + 4 + 1


def test_hsr_beside_the_rendering(tmp_path: Path) -> None:
    """Where rendering takes longer, only the first tile waits for its HSR; in sequence every tile does."""
    slow = ("fragment.issue_cycles.alu=8",)
    frames = one(tmp_path, [Thing.plane("wall", 0.0)], (64, 16))
    plain, beside, after = (Played(frames, technique, settings=slow) for technique in ("", "dr", "dr-seq"))
    tiles = 4
    assert after.counter("hsr_tiles") == beside.counter("hsr_tiles") == tiles
    each = after.counter("hsr_cycles") / tiles
    # A tile is dispatched in the cycle in which its HSR ends, which began a cycle after it was asked for.
    assert after.counter("hsr_wait_cycles") == tiles * (each + 1) - (tiles - 1)
    assert beside.counter("hsr_wait_cycles") == each + 1
    # Beside it, both fetchers lose cycles to the other: at most one a request of the tiles behind the first.
    lost = beside.results[0].cycles - plain.results[0].cycles - (each + 1)
    assert 0 <= lost <= beside.counter("hsr_requests") * (tiles - 1) / tiles
    assert after.results[0].cycles - plain.results[0].cycles == after.counter("hsr_wait_cycles")


def test_the_port_is_shared_in_turn(tmp_path: Path) -> None:
    """Two tiles of many small primitives: both fetchers want the port at the same time, and neither waits long."""
    dots = points(16).rectangles
    right = tuple((x0 + 1, y0, x1 + 1, y1, z, w) for x0, y0, x1, y1, z, w in dots)
    things = [Thing("left", dots * 6), Thing("right", right * 6)]
    played = Played(one(tmp_path, things, (32, 16)))
    requests = played.counter("hsr_requests")
    assert requests == played.counter("tile_fetch.requests") / 2
    # HSR of the second tile beside the rendering of the first: a yield a request, while both are at it.
    assert 0.5 * requests / 2 < played.counter("hsr_yields") <= requests / 2


def test_several_raster_units_are_refused() -> None:
    with pytest.raises(ConfigError, match="one Raster Unit"):
        Run(load_config("tbr-fhd", []), ["ptr", "dr"])


def test_area() -> None:
    """VRO §4.2 has 6 % for the duplicated hardware, dr-seq needs its tags alone."""
    config = load_config("mali450-vro")
    whole = sum(part.area_mm2 for part in bill(config))
    both = [
        sum(part.area_mm2 for part in kind().hardware(config)) / whole
        for kind in (DeferredRendering, SequentialRendering)
    ]
    assert 0.02 < both[0] < 0.12
    assert both[1] < 0.01
