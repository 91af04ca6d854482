"""The Signature Unit in cycles: closed forms, and the loops against each other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from films import HEIGHT, WIDTH, Film, film

from gpumodel.config.load import load_config
from gpumodel.runs import Run
from traceformat.gles import enums as gl

#: Sub-blocks of the film's constants: shift and tint, 6 words, behind the state's number.
CONSTANTS = 3 + 1
#: Position and colour.
PRIMITIVE = 2 * 6


def still(one: Film, frame: int) -> None:
    one.all_squares()


def counters(frames: list, *techniques: str, settings: tuple[str, ...] = ()) -> dict[str, float]:
    run = Run(load_config("mali450-re", list(settings)), techniques)
    for trace in frames:
        run.add(trace)
    return run.result.frames[-1].counters | {"cycles.geometry": run.result.frames[-1].geometry_cycles}


@pytest.fixture(scope="module")
def stills(tmp_path_factory: pytest.TempPathFactory) -> list:
    return film(tmp_path_factory.mktemp("still") / "a.gltrace", [still] * 4)


def test_signing_a_frame(stills: list) -> None:
    """Four draws of two triangles: 4 C + 8 P sub-blocks are signed; each triangle's tiles are shifted over P, and over
    C once a draw and tile."""
    c = counters(stills, "re")
    assert c["re.compute_sub_blocks"] == 4 * CONSTANTS + 8 * PRIMITIVE
    bins, tiles_of_draws = c["binning.pointer_writes"], 0
    trace = stills[-1]
    from gpumodel.quad_maps import quad_map
    from gpumodel.streams import PassTables

    config = load_config("mali450-re")
    streams = PassTables(trace, config, quad_map(config)).arrange(0)
    pairs = streams.pairs[: int(streams.tiles["pair_count"].sum())]
    draw = trace["emitted"]["draw"][pairs["emitted"]]
    tiles_of_draws = len(set(zip(pairs["tile"].tolist(), draw.tolist(), strict=True)))
    assert c["re.accumulate_sub_blocks"] == bins * PRIMITIVE + tiles_of_draws * CONSTANTS
    assert c["re.signature_updates"] == bins + tiles_of_draws


def test_a_skipped_tile_costs_its_check(stills: list) -> None:
    """The raster phase of a still frame of T tiles is T (check + 1) cycles, and one to see the end."""
    tiles = WIDTH // 16 * (HEIGHT // 16)
    for check in (1, 2, 5):
        run = Run(load_config("mali450-re", [f"re.check_cycles={check}"]), ["re"])
        for trace in stills:
            run.add(trace)
        assert run.result.frames[-1].raster_cycles == tiles * (check + 1)


def half_screen(one: Film, frame: int) -> None:
    """One triangle over half of the screen."""
    one.clear()
    one.vertices(np.array([[x, y, 0, 1, 0.5, 0.5, 0.5, 0.5] for x, y in ((-1, -1), (1, -1), (-1, 1))], np.float32))
    one("glDrawArrays", gl.GL_TRIANGLES, 0, 3)


def test_a_large_primitive_overflows_the_queue(tmp_path: Path) -> None:
    """T tiles at P + C cycles each against a queue of Q: the list builder writes pointer k not before tile k - Q has
    left the queue, so it ends about (T - Q - 1)(P + C) cycles after the first tile is taken; a queue of T never stalls
    at a tile."""
    frames = film(tmp_path / "a.gltrace", [half_screen] * 3)
    short = counters(frames, "re", settings=("re.ot_queue=2",))
    tiles = int(short["binning.pointer_writes"])
    long = counters(frames, "re", settings=(f"re.ot_queue={tiles}",))
    assert long["re.stall_cycles"] == 0
    expected = (tiles - 2 - 1) * (PRIMITIVE + CONSTANTS)
    assert abs(short["re.stall_cycles"] - expected) <= PRIMITIVE + CONSTANTS + tiles
    assert short["re.accumulate_sub_blocks"] == long["re.accumulate_sub_blocks"] == tiles * (PRIMITIVE + CONSTANTS)


def test_shifts_of_one_cycle(stills: list) -> None:
    """What-if: a block and tile take a cycle, so as many as the Signature Buffer has updates."""
    timed, single = counters(stills, "re"), counters(stills, "re", settings=("re.accumulate=single",))
    assert single["re.accumulate_sub_blocks"] == single["re.signature_updates"] == timed["re.signature_updates"]
    assert single["re.compute_sub_blocks"] == timed["re.compute_sub_blocks"]
    assert single["re.tiles_skipped"] == timed["re.tiles_skipped"]
    assert single["cycles.geometry"] < timed["cycles.geometry"]


def test_signing_in_no_time_does_no_less(tmp_path: Path, stills: list) -> None:
    for frames in (stills, film(tmp_path / "a.gltrace", [half_screen] * 3)):
        timed, free = (counters(frames, "re", settings=(f"re.signing={how}",)) for how in ("timed", "free"))
        for name in ("compute_sub_blocks", "accumulate_sub_blocks", "signature_updates", "tiles_skipped"):
            assert free[f"re.{name}"] == timed[f"re.{name}"] > 0, name


@pytest.mark.parametrize("size", [4, 16])
def test_sub_blocks_of_other_sizes(stills: list, size: int) -> None:
    c = counters(stills, "re", settings=(f"re.sub_block_bytes={size}",))
    constants = -(-(8 + 24) // size) if size == 4 else -(-(8 + 24) // 16)
    assert c["re.compute_sub_blocks"] == 4 * constants + 8 * 96 // size


@pytest.mark.parametrize("techniques", [("re",), ("te",), ("re", "te")], ids="+".join)
@pytest.mark.parametrize("preset", ["mali450-re", "tbr-fhd"])
def test_the_loops_agree(tmp_path: Path, techniques: tuple[str, ...], preset: str) -> None:
    def scene(one: Film, frame: int) -> None:
        one.all_squares()
        one("glUniform2f", one.shift, 0.02 * (frame == 3), 0.0)
        one.square(frame & 3)

    frames = film(tmp_path / "a.gltrace", [scene] * 5)
    for memory in ("paper", "dram"):
        settings = ["te.bytes_per_cycle=16", "re.ot_queue=3", f"memory.mode={memory}"]
        runs = [Run(load_config(preset, settings), techniques, every_cycle=every) for every in (False, True)]
        for trace in frames:
            wake, every = (run.add(trace)[0] for run in runs)
            assert wake.counters == every.counters
            assert wake.stalls == every.stalls
            assert wake.cycles == every.cycles
