"""Parallel Frame Rendering: what a pair adds up to, exact pixels, and which frames do not form a pair."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from films import Film, film

from gpumodel import load_config, preset_names
from gpumodel.energy import area_mm2
from gpumodel.runs import Run, run_all
from gpumodel.techniques.registry import combine, known_techniques, parse_techniques
from traceformat.errors import ConfigError, UsageError
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import FrameTrace

#: What a frame's work is, however it is scheduled.
WORK = (
    "vertices.shaded", "primitives.in", "primitives.binned", "binning.pointer_writes", "tiles.rendered",
    "tiles.flushed", "primitive_tile_pairs", "fragments.rasterized", "fragments.shaded", "fragments.written",
    "fs.issue_cycles", "fs.alu_instructions", "texels", "dram.write_bytes.color",
)  # fmt: skip


def moving(one: Film, frame: int) -> None:
    one.clear()
    one("glUniform2f", one.shift, 0.02 * frame, 0.0)
    for number in range(1 + frame % 4):
        one.square(number)


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> list[FrameTrace]:
    return film(tmp_path_factory.mktemp("film") / "a.gltrace", [moving] * 5)


def play(frames: list[FrameTrace], preset: str = "mali450-re", **options: bool) -> Run:
    one = Run(load_config(preset), ["pfr"], **options)
    for frame in frames:
        one.feed(frame)
    one.finish()
    return one


@pytest.mark.parametrize("preset", preset_names())
def test_a_pair_adds_up(frames: list[FrameTrace], preset: str) -> None:
    """Each frame's own work is what it is without the technique; time is halved; nothing is lost between the two."""
    plain = Run(load_config(preset))
    for frame in frames:
        plain.add(frame)
    one = play(frames, preset, verify=True)
    assert one.result.verification is not None
    assert one.result.verification.identical
    for alone, mine in zip(plain.result.frames, one.result.frames, strict=True):
        same = [name for name in WORK if name != "dram.write_bytes.color"]
        assert {name: mine.counters[name] for name in same} == {name: alone.counters[name] for name in same}
        assert all(sum(states.values()) == mine.cycles for states in mine.stalls.values())
    first, second = one.result.frames[:2]
    assert 0 <= second.cycles - first.cycles <= 1
    assert sum(frame.cycles for frame in one.result.frames) == one.machine.cycles
    colors = [sum(frame.counters["dram.write_bytes.color"] for frame in run.result.frames) for run in (plain, one)]
    assert colors[0] == colors[1]
    assert [frame.counters["pfr.side_by_side"] for frame in one.result.frames] == [1, 1, 1, 1, 0]
    pair = first.cycles + second.cycles
    assert (first.counters["pfr.lag_cycles"], second.counters["pfr.lag_cycles"]) == (pair, pair / 2)
    assert one.result.frames[4].counters["pfr.lag_cycles"] == 0


@pytest.mark.parametrize("preset", ["mali450-re", "tbr-fhd"])
def test_the_loops_agree(frames: list[FrameTrace], preset: str) -> None:
    wake, every = play(frames, preset), play(frames, preset, every_cycle=True)
    for mine, others in zip(wake.result.frames, every.result.frames, strict=True):
        assert mine.counters == others.counters
        assert mine.stalls == others.stalls
        assert (mine.geometry_cycles, mine.raster_cycles) == (others.geometry_cycles, others.raster_cycles)


def test_tiles_are_in_step(frames: list[FrameTrace]) -> None:
    """A tile begins when the one before it is over in both frames, give or take the list that is fetched meanwhile."""
    one = Run(load_config("mali450-re"), ["pfr"])
    done = [raw for frame in frames[:2] for raw in one.feed(frame)]
    a, b = (raw.passes[0].streams.tiles for raw in done)
    assert (a["start"][1:] >= b["start"][:-1]).all()
    assert (b["start"][1:] >= a["start"][:-1]).all()
    assert (a["raster_unit"] == 0).all()
    assert (b["raster_unit"] == 1).all()


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("behind", [1, 3, 64])
def test_the_second_frame_some_tiles_behind(frames: list[FrameTrace], behind: int, every: bool) -> None:
    """A tile of the second frame begins when the first frame has come so many tiles further, or to its last one."""
    one = Run(load_config("mali450-re", [f"pfr.tiles_behind={behind}"]), ["pfr"], verify=True, every_cycle=every)
    done = [raw for frame in frames[:2] for raw in one.feed(frame)]
    a, b = (raw.passes[0].streams.tiles["start"] for raw in done)
    assert (a[np.minimum(np.arange(len(b)) + behind, len(a) - 1) - 1] <= b).all()
    assert (a[behind + 1 :] >= b[: max(len(b) - behind - 1, 0)]).all()
    assert one.result.verification is not None
    assert one.result.verification.identical
    assert len(one.result.frames) == 2


def test_runs_of_one_and_of_two_frames_side_by_side(frames: list[FrameTrace]) -> None:
    """The frames of several runs come together, whoever is done first; threads change nothing."""
    found = []
    for threads in (1, 2):
        runs = [Run(load_config("mali450-re"), ids) for ids in ((), ("pfr",))]
        seen = list(run_all(frames, runs, threads=threads))
        assert [trace.frame for trace, _ in seen] == [raws[0].frame for _, raws in seen] == list(range(5))
        assert [raws[1].frame for _, raws in seen] == list(range(5))
        found.append([[frame.counters for frame in one.result.frames] for one in runs])
    assert found[0] == found[1]


def uncleared(one: Film, frame: int) -> None:
    """Depth is tested and never cleared: what the frame before has left decides."""
    one("glEnable", gl.GL_DEPTH_TEST)
    one("glDepthFunc", gl.GL_LEQUAL)
    one("glClear", gl.GL_COLOR_BUFFER_BIT)
    one.square(frame % 4)


def untested(one: Film, frame: int) -> None:
    """Depth is never cleared, and nobody looks at it."""
    one("glClear", gl.GL_COLOR_BUFFER_BIT)
    one.square(frame % 4)


def test_depth_that_nobody_tests_hinders_nothing(tmp_path: Path) -> None:
    one = play(film(tmp_path / "a.gltrace", [untested] * 4), verify=True)
    assert one.result.verification is not None
    assert one.result.verification.identical
    assert [frame.counters["pfr.side_by_side"] for frame in one.result.frames][2:] == [1, 1]


def test_frames_without_a_pass(tmp_path: Path) -> None:
    """Swaps with nothing drawn: a pair of nothing."""
    one = play(film(tmp_path / "a.gltrace", [lambda one, frame: None] * 2 + [untested] * 2), verify=True)
    assert [frame.cycles for frame in one.result.frames][:2] == [0, 0]
    assert one.result.frames[0].counters["vertices.shaded"] == one.result.frames[1].counters["vertices.shaded"] == 0
    assert len(one.result.frames) == 4


def loads(one: Film, frame: int) -> None:
    one.square(frame % 4)


def feedback(one: Film, frame: int) -> None:
    """Draw with what the frame before has left in a texture, then into it."""
    if frame == 0:
        one("glBindTexture", gl.GL_TEXTURE_2D, 9)
        one("glTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 32, 32, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
        one("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST)
        one("glBindFramebuffer", gl.GL_FRAMEBUFFER, 3)
        one("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, 9, 0)
    one("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
    one("glBindTexture", gl.GL_TEXTURE_2D, 9)
    one.all_squares()
    one("glBindFramebuffer", gl.GL_FRAMEBUFFER, 3)
    one("glBindTexture", gl.GL_TEXTURE_2D, 1)
    one.all_squares()


def other_passes(one: Film, frame: int) -> None:
    if frame % 2:
        one("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
    else:
        feedback(one, frame)
    one.all_squares()


@pytest.mark.parametrize(
    ("scene", "reason"),
    [
        (loads, "old_contents"),
        (uncleared, "old_contents"),
        (feedback, "reads_other_frame"),
        (other_passes, "other_passes"),
    ],
)
def test_frames_that_need_each_other_are_rendered_one_by_one(tmp_path: Path, scene: object, reason: str) -> None:
    frames = film(tmp_path / "a.gltrace", [scene] * 4)  # type: ignore[list-item]
    one = play(frames, verify=True)
    assert one.result.verification is not None
    assert one.result.verification.identical
    assert sum(frame.counters[f"pfr.alone.{reason}"] for frame in one.result.frames) >= 1
    assert one.result.frames[2].counters["pfr.side_by_side"] == 0


def test_off_screen_passes_go_in_pairs(tmp_path: Path) -> None:
    """A texture that each frame renders anew before it samples it."""

    def scene(one: Film, frame: int) -> None:
        if frame == 0:
            one("glBindTexture", gl.GL_TEXTURE_2D, 9)
            one("glTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 32, 32, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
            one("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST)
            one("glBindFramebuffer", gl.GL_FRAMEBUFFER, 3)
            one("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, 9, 0)
        one("glBindFramebuffer", gl.GL_FRAMEBUFFER, 3)
        one("glBindTexture", gl.GL_TEXTURE_2D, 1)
        moving(one, frame)
        one("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
        one("glBindTexture", gl.GL_TEXTURE_2D, 9)
        one.all_squares()

    one = play(film(tmp_path / "a.gltrace", [scene] * 4), verify=True)
    assert one.result.verification is not None
    assert one.result.verification.identical
    assert [frame.counters["pfr.side_by_side"] for frame in one.result.frames] == [1, 1, 1, 1]


def test_area_of_what_is_there_twice() -> None:
    """Processors and Texture Caches are as many as before; the rest of a Raster Unit is there twice."""
    base = load_config("mali450-re")
    one = Run(base, ["pfr"])
    assert one.machine.config.fragment.processors * 2 == base.fragment.processors
    assert one.machine.config.caches.tile.size_bytes * 2 == base.caches.tile.size_bytes
    grown = area_mm2(one.machine.config) + sum(structure.area_mm2 for structure in one.result.hardware)
    assert 1.0 < grown / area_mm2(base) < 1.5


def test_what_cannot_be_split_or_combined_is_refused() -> None:
    for settings in (["fragment.processors=3"], ["raster.units=2"]):
        with pytest.raises(ConfigError, match="even number of Fragment Processors"):
            Run(load_config("mali450-re", settings), ["pfr"])
    with pytest.raises(UsageError, match="two frames are in flight"):
        parse_techniques(["pfr+re"])
    known = known_techniques()
    with pytest.raises(ConfigError, match="two frames are in flight"):
        combine([known["te"](), known["pfr"]()], load_config("mali450-re"))
