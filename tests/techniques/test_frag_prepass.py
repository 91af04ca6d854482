"""Fragment prepass: hidden list entries against a plain twin, closed forms of filter and scan, exact pixels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hidden_films import PIXELS, Played, one, random_states, stack
from object_films import Thing, object_film, random_things
from verified import verified_run

from gpumodel import Run, load_config, run_all
from gpumodel.machine import Machine
from gpumodel.streams import PassStreams
from gpumodel.techniques.registry import combine, known_techniques
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import FrameTrace

ALL_TILES = ("frag_prepass.filter_percent=0",)
TILE_PIXELS = 256


def entries(streams: PassStreams) -> list[list[tuple[int, int, int]]]:
    """Primitive and lines of pointer and link of each tile's list entries."""
    names = ("emitted", "pointer_line", "link_line")
    return [
        [tuple(int(pair[name]) for name in names) for pair in streams.pairs[t["pair_first"]:][: t["pair_count"]]]
        for t in streams.tiles
    ]  # fmt: skip


def seen(trace: FrameTrace, streams: PassStreams) -> list[set[int]]:
    """Primitives that show at the end of a pass of opaque ones, by tile: a plain walk in program order."""
    nearest: dict[tuple[int, int], tuple[int, int, int]] = {}
    quads = trace["quads"]
    tile_of = {int(quad["row"]): int(quad["tile"]) for quad in streams.quads}
    for row in range(quads.num_rows):
        for lane in range(4):
            if quads["coverage"][row] >> lane & 1:
                pixel = 2 * int(quads["x"][row]) + (lane & 1), 2 * int(quads["y"][row]) + (lane >> 1)
                depth = int(quads["depth"][row][lane])
                if pixel not in nearest or depth < nearest[pixel][0]:
                    nearest[pixel] = depth, int(quads["emitted"][row]), tile_of[row]
    out: list[set[int]] = [set() for _ in streams.tiles]
    for _, emitted, tile in nearest.values():
        out[tile].add(emitted)
    return out


@pytest.mark.parametrize("preset", ["mali450-vro", "tbr-fhd"])
def test_entries_that_stay_are_those_that_show(tmp_path: Path, preset: str) -> None:
    """Their links are those of their blocks, read before the first entry of each that stays."""
    things = [
        replace(thing, func=gl.GL_LESS, blend=False, foliage=False, writes_depth=True)
        for thing in random_things(np.random.default_rng(4), 40)
    ]
    (trace,) = object_film(tmp_path / "a.gltrace", [things])
    config = load_config(preset, ["screen.scale_to_trace=true", *ALL_TILES])
    technique = known_techniques()["frag-prepass"]()
    machine = Machine(config, combine([technique], config))
    technique.attach(machine)
    plain = Machine(load_config(preset, ["screen.scale_to_trace=true"])).run_frame(trace).passes[0].streams
    whole, left = entries(plain), machine.run_frame(trace).passes[0].streams
    dropped = 0
    for before, after, shown in zip(whole, entries(left), seen(trace, left), strict=True):
        stays = [k for k, entry in enumerate(before) if entry[0] in shown]
        dropped += len(before) - len(stays)
        expected = []
        block = 0
        for k in stays:
            new = k // 15 > block
            block = k // 15
            expected.append((*before[k][:2], before[15 * block][2] if new else -1))
        assert after == expected
    assert dropped > 0
    assert technique.read_counters()["frag-prepass.entries_dropped"] == dropped
    assert max(len(before) for before in whole) > 15


@pytest.mark.parametrize("count", [2, 5])
def test_a_stack(tmp_path: Path, count: int) -> None:
    """The planes behind are fetched once, by the prepass, and their quads are tested once."""
    played = Played(one(tmp_path, stack(count)), "frag-prepass")
    assert played.shaded == PIXELS
    tiles, hidden = PIXELS // TILE_PIXELS, count - 1
    assert played.counter("hsr_fragments") == count * PIXELS
    assert played.counter("fragments.rasterized") == PIXELS
    # Two triangles have the quads on the diagonal.
    assert played.counter("quads_dropped") >= hidden * PIXELS // 4
    # Two triangles; the tiles on the diagonal have both.
    assert 2 * hidden * tiles >= played.counter("entries_dropped") >= hidden * tiles
    assert played.counter("tags_scanned") == PIXELS
    assert played.counter("scan_cycles") == PIXELS // 16


def test_the_filter(tmp_path: Path) -> None:
    """A triangle takes all of a tile inside of it; on the diagonal both triangles of a plane do, at most."""
    tiles = PIXELS // TILE_PIXELS
    on_diagonal = 6
    for count, share, filtered in (
        (1, 100, tiles - on_diagonal), (1, 200, tiles), (2, 100, 0), (2, 200, tiles - on_diagonal), (2, 400, tiles),
        (2, 0, 0),
    ):  # fmt: skip
        frames = one(tmp_path, stack(count))
        played = Played(frames, "frag-prepass", settings=(f"frag_prepass.filter_percent={share}",))
        assert played.counter("tiles_filtered") == filtered
        assert played.counter("hsr_tiles") == tiles - filtered
        if filtered == tiles:
            plain = Played(frames, "")
            assert played.shaded == plain.shaded
            assert played.results[0].cycles == plain.results[0].cycles


def test_without_filter_and_cull_it_is_dr(tmp_path: Path) -> None:
    frames = object_film(tmp_path / "a.gltrace", [random_states(np.random.default_rng(2), 12)])
    bare = (*ALL_TILES, "frag_prepass.cull=false", "frag_prepass.attributes='all'")
    own, dr = Played(frames, "frag-prepass", settings=bare), Played(frames, "dr")
    assert own.results[0].cycles == dr.results[0].cycles
    for name, value in dr.results[0].counters.items():
        assert own.results[0].counters[name.replace("dr.", "frag-prepass.", 1)] == value, name


VARIANTS = [
    ALL_TILES, (), ("frag_prepass.scan_tags=1", "tile_fetcher.tile_pipelining=true"),
    ("dr.hsr_entries=3", "frag_prepass.attributes='all'", "caches.tile.size_bytes=256", "caches.tile.ways=2",
     "caches.tile.mshrs=1", "caches.tile.request_queue=1"),
]  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_exact_and_both_loops_agree(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(900 + seed)
    frames = object_film(tmp_path / "a.gltrace", [random_states(rng, 14)], samples=4 * (seed % 4 == 3))
    preset = ("mali450-vro", "tbr-fhd")[seed % 2]
    wake, every = (
        Played(frames, "frag-prepass", preset, VARIANTS[seed % 4], every_cycle=loop).results[0]
        for loop in (False, True)
    )  # fmt: skip
    assert wake.counters == every.counters
    assert (wake.stalls, wake.cycles) == (every.stalls, every.cycles)


@pytest.mark.parametrize("techniques", ["fpk+frag-prepass", "frag-prepass+lrz+re+te"])
def test_together(tmp_path: Path, techniques: str) -> None:
    things = random_states(np.random.default_rng(8), 10)
    frames = object_film(tmp_path / "a.gltrace", [things] * 3)
    both = [verified_run(frames, "mali450-re", techniques, *ALL_TILES, every_cycle=loop) for loop in (False, True)]
    for wake, every in zip(*(run.result.frames for run in both), strict=True):
        assert (wake.counters, wake.cycles) == (every.counters, every.cycles)


def test_lists_are_not_shared_with_other_runs(tmp_path: Path) -> None:
    frames = one(tmp_path, [*stack(3), Thing.plane("front", -0.5)])
    config = load_config("mali450-vro", ["screen.scale_to_trace=true"])

    def cycles(*techniques: str) -> list[Any]:
        runs = [Run(config, [name] if name else []) for name in techniques]
        for _ in run_all(iter(frames), runs):
            pass
        return [run.result.frames[0].cycles for run in runs]

    assert cycles("frag-prepass", "", "dr") == cycles("frag-prepass") + cycles("") + cycles("dr")
