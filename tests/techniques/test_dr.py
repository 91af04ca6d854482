"""Deferred Rendering on hand-made films with known answers, and its closed forms."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from films import HEIGHT, WIDTH
from object_films import Thing, object_film, random_things

from gpumodel.config.load import load_config
from gpumodel.energy import bill
from gpumodel.run import Run
from gpumodel.techniques.dr import DeferredRendering, SequentialRendering
from traceformat.errors import ConfigError
from traceformat.frametrace import FrameTrace
from traceformat.gles import enums as gl

PIXELS = WIDTH * HEIGHT
SCALED = "screen.scale_to_trace=true"
BOTH = pytest.mark.parametrize("technique", ["dr", "dr-seq"])


class Played:
    """A run of a film, verified."""

    def __init__(
        self, frames: list[FrameTrace], technique: str = "dr", preset: str = "mali450-vro", settings: Any = (),
        *, every_cycle: bool = False,
    ) -> None:  # fmt: skip
        self.run = Run(
            load_config(preset, [SCALED, *settings]), [technique] if technique else [],
            verify=True, every_cycle=every_cycle,
        )  # fmt: skip
        self.technique = technique
        self.results = [self.run.add(trace)[0] for trace in frames]
        assert self.run.result.verification is not None
        assert self.run.result.verification.pixels
        assert self.run.result.verification.mismatched_pixels == 0

    def counter(self, name: str, frame: int = 0) -> float:
        return self.results[frame].counters[name if "." in name else f"{self.technique}.{name}"]

    @property
    def shaded(self) -> float:
        return self.counter("fragments.shaded")


def one(path: Path, things: list[Thing], size: tuple[int, int] = (WIDTH, HEIGHT)) -> list[FrameTrace]:
    return object_film(path / "a.gltrace", [things], size)


def stack(count: int) -> list[Thing]:
    """Planes, the farthest first."""
    return [Thing.plane(f"p{k}", 0.5 - 0.1 * k) for k in range(count)]


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


def random_states(rng: np.random.Generator, count: int) -> list[Thing]:
    """Things of every state that a draw can have."""
    functions = [gl.GL_LESS, gl.GL_LEQUAL, gl.GL_GREATER, gl.GL_GEQUAL, gl.GL_ALWAYS, gl.GL_EQUAL, gl.GL_NOTEQUAL]
    out = []
    for thing in random_things(rng, count):
        states: dict[str, Any] = {}
        kind = int(rng.integers(0, 24))
        if kind < 8:
            states = [
                {"stencil": 1}, {"part": True}, {"query": True}, {"clears": True}, {"shader_depth": True},
                {"depth_test": False}, {"func": int(rng.choice(functions))}, {"blend": True},
            ][kind]  # fmt: skip
        out.append(replace(thing, **states))
    return out


@pytest.mark.parametrize("seed", range(16))
def test_random_films_are_exact(tmp_path: Path, seed: int) -> None:
    """Bit-identical whatever the draws' states; both loops agree."""
    rng = np.random.default_rng(500 + seed)
    frames = object_film(tmp_path / "a.gltrace", [random_states(rng, int(rng.integers(4, 16))) for _ in range(2)])
    preset = ("mali450-vro", "tbr-fhd", "mali450-re")[seed % 3]
    technique = ("dr", "dr-seq")[seed & 1]
    settings = [
        [], ["dr.hsr_attributes='position'"], ["dr.hsr_entries=3", "caches.tile.size_bytes=256", "caches.tile.ways=2",
        "caches.tile.mshrs=1", "caches.tile.request_queue=1", "caches.tile.banks=1"], ["tile_fetcher.tile_pipelining=true"],
        ["tile_fetcher.design='pipelined'", "tile_fetcher.primitive_table=2"],
    ][seed % 5]  # fmt: skip
    wake, every = (Played(frames, technique, preset, settings, every_cycle=loop) for loop in (False, True))
    for a, b in zip(wake.results, every.results, strict=True):
        assert a.counters == b.counters
        assert a.stalls == b.stalls
        assert a.cycles == b.cycles


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
    """Many small primitives: both fetchers want the port all the time, and each gets every second cycle."""
    things = [replace(points(14), name=f"d{k}") for k in range(6)]
    mesh = tuple((x + 2 * k - 1, y0, x + 2 * k - 0.9, y1, z, w) for k in range(1) for x, y0, y1, z, w in
                 ((r[0] + 1, r[1], r[3], r[4], r[5]) for t in things for r in t.rectangles))  # fmt: skip
    right = tuple((x0 + 1, y0, x1 + 1, y1, z, w) for x0, y0, x1, y1, z, w in mesh)
    played = Played(one(tmp_path, [Thing("left", mesh), Thing("right", right)], (32, 16)))
    assert played.counter("hsr_yields") > 0
    assert played.counter("hsr_requests") == played.counter("tile_fetch.requests") / 2


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
