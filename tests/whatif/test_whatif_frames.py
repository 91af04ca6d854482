"""Changes of frames: what each leaves of a frame, and what the model then makes of it."""

from __future__ import annotations

import numpy as np
import pytest
from model_scene import GL_LESS
from model_scene import Scene as Film
from test_model_oracle import random_scene

from gpumodel.attribution.judges import absent, changed, rearranged
from gpumodel.config import load_config
from gpumodel.runs import Run
from gpumodel.whatif import changes
from gpumodel.whatif.kinds import KINDS, change_of
from gpumodel.whatif.scene import Scene
from traceformat.errors import UsageError
from traceformat.gputrace.check import check_frame
from traceformat.gputrace.frametrace import MODEL_COLUMNS, DrawFlags, FrameTrace, LoadOp, StoreOp

CONFIG = load_config("mali450-vro")


def counters(trace: FrameTrace) -> dict[str, float]:
    check_frame(trace, MODEL_COLUMNS)
    result, _ = Run(CONFIG).add(trace)
    return {**result.counters, "cycles": result.cycles}


def written(counted: dict[str, float]) -> float:
    """Bytes written to memory."""
    return sum(value for name, value in counted.items() if name.startswith("dram.write_bytes."))


def squares(*depths: float, **values) -> Film:
    """Squares of a tile, one on the other, a draw each."""
    film = Film(32, 32)
    path = film.path(40, 4)
    for depth in depths:
        draw = film.draw(depth_test=True, depth_write=True, **values)
        film.quad_block(draw, 0, 0, 16, 16, path=path, depth=depth, lines=[[5]])
    return film


def asked(trace: FrameTrace, name: str, target: str, value: str = "") -> FrameTrace | None:
    return KINDS[name].frame_change()(Scene(trace), target, value)


@pytest.mark.parametrize("seed", range(6))
def test_draws_that_change_places_do_the_same_work(seed: int) -> None:
    trace = random_scene(seed).trace()
    passes = trace["draws"]["pass"].astype(np.int64)
    order = np.lexsort((np.random.default_rng(seed).random(len(passes)), passes))
    moved = rearranged(trace, order)
    check_frame(moved, MODEL_COLUMNS)
    for name in ("quads", "emitted", "primitives", "vertices"):
        assert moved[name].num_rows == trace[name].num_rows
    draw = moved["emitted"]["draw"][moved["quads"]["emitted"]]
    assert (
        np.bincount(order[draw]).tolist() == np.bincount(trace["emitted"]["draw"][trace["quads"]["emitted"]]).tolist()
    )
    back = rearranged(moved, np.argsort(order))
    for name, table in trace.tables.items():
        for column, values in table.items():
            # Draws made by hand have no calls; first rows of nothing are anything.
            if (name, column) not in (("primitives", "emitted_first"), ("events", "call")):
                np.testing.assert_array_equal(back[name][column], values, f"{name}.{column}")
    assert counters(back) == counters(trace)


def test_the_nearest_is_drawn_first() -> None:
    trace = squares(0.9, 0.5, 0.7).trace()
    before, after = counters(trace), counters(asked(trace, "order", "all", "front-to-back"))
    assert before["fragments.shaded"] == 2 * 256
    assert after["fragments.shaded"] == 256
    assert after["cycles"] < before["cycles"]
    # Sorted already; and draws that may not change places do not.
    assert asked(squares(0.5, 0.7, 0.9).trace(), "order", "all", "front-to-back") is None
    assert asked(squares(0.9, 0.5, blend=True).trace(), "order", "all", "front-to-back") is None
    cleared = squares(0.9, 0.5)
    cleared.clear_after(1, buffers=1)
    assert asked(cleared.trace(), "order", "all", "front-to-back") is None
    with pytest.raises(UsageError, match="no order"):
        asked(trace, "order", "all", "back-to-front")


def test_far_draws_first_where_the_farther_one_wins() -> None:
    trace = squares(0.5, 0.9, depth_func=0x0204).trace()
    moved = asked(trace, "order", "all", "front-to-back")
    assert moved is not None
    assert (moved["quads"]["depth"][0] > moved["quads"]["depth"][-1]).all()


def test_opaque_draws_are_not_blended_and_write_depth() -> None:
    film = Film(32, 32)
    path = film.path(40)
    for depth in (0.3, 0.6):
        film.quad_block(film.draw(depth_test=True, blend=True), 0, 0, 16, 16, path=path, depth=depth)
    trace = film.trace()
    before, after = counters(trace), counters(asked(trace, "opaque", "all"))
    assert (before["color_buffer.reads"], before["fragments.shaded"]) == (128, 512)
    assert (after["color_buffer.reads"], after["fragments.shaded"]) == (0, 256)
    assert trace["draws"]["blend"].all()
    assert asked(squares(0.5).trace(), "opaque", "all") is None


def test_shaders_that_discard_nothing_are_tested_early() -> None:
    film = Film(32, 32)
    path = film.path(40)
    for depth in (0.3, 0.6):
        draw = film.draw(depth_test=True, depth_write=True, flags=int(DrawFlags.DISCARDS))
        film.quad_block(draw, 0, 0, 16, 16, path=path, depth=depth, survives=7)
    trace = film.trace()
    before, after = counters(trace), counters(asked(trace, "no-discard", "draw 0"))
    assert before["fragments.discarded"] > 0
    assert after["fragments.shaded"] < before["fragments.shaded"]
    assert counters(asked(trace, "no-discard", "all"))["fragments.discarded"] == 0


def test_loads_and_stores_of_passes() -> None:
    film = Film(32, 32)
    color = np.zeros(8, np.uint8)
    film.passes[0]["changes"] = {
        "color_load": color + LoadOp.LOAD, "depth_store": StoreOp.STORE, "depth_bytes": 4,
    }  # fmt: skip
    film.quad_block(film.draw(depth_test=True, depth_write=True), 0, 0, 16, 16, path=film.path(4))
    trace = film.trace()
    loaded, stored = counters(trace), counters(asked(trace, "invalidate-depth", "0"))
    cleared = asked(trace, "clear-not-load", "default")
    assert cleared is not None
    assert (cleared["passes"]["color_load"] == LoadOp.CLEAR).all()
    assert counters(cleared)["dram.read_bytes.color"] == 0 < loaded["dram.read_bytes.color"]
    assert written(stored) + 32 * 32 * 4 == written(loaded)
    assert asked(cleared, "clear-not-load", "pass 0 to default") is None
    assert asked(trace, "invalidate-depth", "framebuffer 3") is None


def interrupted(*, reads: bool = False) -> FrameTrace:
    """A pass, another framebuffer's, and the first one's again, which loads what the first part stored."""
    film = Film(32, 32)
    path = film.path(4)
    load = {"color_load": np.full(8, LoadOp.LOAD, np.uint8)}
    other = {"framebuffer": 7, "color_address": np.full(8, 6 << 36, np.uint64), "depth_address": 7 << 36}
    for number, begun in enumerate(({}, other, load)):
        if number:
            film.begin_pass(**begun)
        film.quad_block(film.draw(), 16 * (number // 2), 0, 16, 16, path=path)
    trace = film.trace()
    passes = {name: column.copy() for name, column in trace["passes"].items()}
    for name in ("color_address", "depth_address"):
        passes[name][2] = passes[name][0]
    passes["read_count"][1] = reads
    return changed(trace, {"passes": passes, "pass_reads": {"pass": np.zeros(int(reads), "<u4")}})


def test_an_interrupted_pass_is_drawn_in_one_go() -> None:
    trace = interrupted()
    joined = asked(trace, "join-passes", "all")
    assert joined is not None
    before, after = counters(trace), counters(joined)
    assert joined["passes"]["framebuffer"].tolist() == [7, 0]
    assert joined["draws"]["pass"].tolist() == [0, 1, 1]
    assert joined["passes"]["color_load"][1][0] != LoadOp.LOAD
    assert after["fragments.shaded"] == before["fragments.shaded"]
    # One target's load less, and one's store.
    assert before["dram.read_bytes.color"] - after["dram.read_bytes.color"] == 32 * 32 * 4
    assert before["dram.write_bytes.color"] - after["dram.write_bytes.color"] == 32 * 32 * 4
    assert asked(joined, "join-passes", "all") is None


def test_a_pass_whose_result_is_needed_before_stays_where_it_is() -> None:
    assert asked(interrupted(reads=True), "join-passes", "all") is None


@pytest.mark.parametrize("wanted", [11, 22, 88])
def test_shaders_of_another_length(wanted: int) -> None:
    film = Film(32, 32)
    path = film.path(20, 10, 10)  # 42 instructions, two of them look-ups
    film.quad_block(film.draw(), 0, 0, 16, 16, path=path, lines=[[5], [9]])
    trace = film.trace()
    other = asked(trace, "instructions", "program 1", str(wanted))
    assert other is not None
    before, after = counters(trace), counters(other)
    issued = after["fs.alu_instructions"] + after["fs.tex_instructions"]
    assert issued / 256 == pytest.approx(wanted, abs=2.5)
    assert after["texels"] / before["texels"] == pytest.approx(min(wanted / 42, 1), abs=0.26)
    assert asked(trace, "instructions", "7", "5") is None
    with pytest.raises(UsageError, match="no number of instructions"):
        asked(trace, "instructions", "1", "many")


def test_paths_that_become_too_long_end_at_what_can_be_counted() -> None:
    film = Film(32, 32)
    short, long = film.path(1), film.path(100)
    film.quad_block(film.draw(), 0, 0, 16, 16, path=short)
    film.quad_block(film.draw(), 0, 0, 2, 2, path=long)
    other = asked(film.trace(), "instructions", "program 1", str((1 << 30) - 1))
    assert other is not None
    assert other["paths"]["issued"][-1].max() == (1 << 32) - 1


def test_nothing_but_the_judge_s_frame_is_left_without_draws() -> None:
    trace = random_scene(4).trace()
    assert counters(asked(trace, "without", "draw 1")) == counters(absent(trace, [1]))


def test_targets_are_what_top_calls_them() -> None:
    trace = random_scene(4).trace()
    scene = Scene(trace)
    everything = list(range(trace["draws"].num_rows))
    assert scene.draws("all").tolist() == scene.draws("*").tolist() == everything
    assert scene.draws(scene.names.object[0]).tolist() == everything
    assert scene.draws("draw 2 whatever").tolist() == [2]
    assert scene.draws(f"program {scene.names.program[0]} (program 1)").tolist() == everything
    assert scene.draws("pass 0").tolist() == np.flatnonzero(trace["draws"]["pass"] == 0).tolist()
    assert scene.draws("nobody").tolist() == []


@pytest.mark.parametrize("words", [("beauty", "all"), ("order", "all"), ("hollow", "all", "5")])
def test_changes_that_make_no_sense(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        change_of(*words)


def test_every_kind_has_its_function() -> None:
    named = {kind.function for kind in KINDS.values() if kind.function is not None}
    assert named == set(changes.__all__)
    assert GL_LESS in changes._NEARER
