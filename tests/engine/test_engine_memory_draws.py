"""Storage, images and counters in draws: pictures are Mesa's; both executors agree; the model refuses shortcuts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import memory_programs
import memory_scenes
import numpy as np
import pytest
import stage_memory_scenes
from gl_twin import NoDriver, Recording
from recorded_scenes import agree, check_picture, frame_of, in_one_pass, recorded_or_skipped, resumed_at_last
from verified import recompose, verified_run

from gpumodel import load_config
from gpumodel.machine import Machine
from gpumodel.pass_run import PassRun
from gpumodel.techniques.re.reasons import reasons_to_render, screen_pass
from replay.engine.engine import Engine
from replay.reflect import ReflectingBackend
from traceformat.errors import FindingError
from traceformat.gles.tracker import Tracker
from traceformat.gltrace.reader import open_trace
from traceformat.gltrace.writer import TraceWriter
from traceformat.gputrace.frametrace import (
    MODEL_COLUMNS,
    VERIFY_COLUMNS,
    ColumnSet,
    DrawFlags,
    EventKind,
)
from traceformat.tools.trim.writing import trim

pytestmark = pytest.mark.gl


SCENES = [
    pytest.param(scenes.record, name, id=name)
    for scenes in (memory_scenes, stage_memory_scenes)
    for name in scenes.SCENES
]


def recorded(name: str) -> Recording:
    return recorded_or_skipped(memory_scenes.record, name)


@pytest.mark.parametrize(("record", "name"), SCENES)
def test_scenes_are_those_of_mesa(record: Callable[[str], Recording], name: str) -> None:
    check_picture(recorded_or_skipped(record, name).calls)


@pytest.mark.parametrize(("record", "name"), SCENES)
def test_both_executors_record_the_same(record: Callable[[str], Recording], name: str) -> None:
    agree(recorded_or_skipped(record, name))


def test_flags_tell_what_a_draw_may_do() -> None:
    effects, early = DrawFlags.SIDE_EFFECTS, DrawFlags.SIDE_EFFECTS | DrawFlags.EARLY_TESTS
    expected = {"overdraw": [effects, early], "overdraw_behind_tests": [early, early], "pulled_vertices": [0]}
    for name, flags in expected.items():
        found = frame_of(recorded(name))["draws"]["flags"]
        assert [int(flag) & (effects | early) for flag in found] == flags


@pytest.mark.parametrize("techniques", ["re+te", "vro", "dr", "zprepass"])
@pytest.mark.parametrize("name", ["overdraw", "image_of_counts"])
def test_no_technique_leaves_out_a_fragment_that_writes(name: str, techniques: str) -> None:
    frame = frame_of(recorded(name), ColumnSet(MODEL_COLUMNS | VERIFY_COLUMNS))
    preset = "mali450-re" if techniques == "re+te" else "mali450-vro"
    done = verified_run([frame, frame], preset, techniques)
    draws, quads = frame["draws"], frame["quads"]
    covered = int(np.unpackbits(quads["coverage"][: int(draws["quad_count"][0])]).sum())
    (whole,) = {round(one.counters["fragments.shaded"]) for one in done.result.frames}
    assert whole >= covered + 64 * 64


def test_a_write_that_was_left_out_is_found() -> None:
    frame = frame_of(recorded("overdraw"), ColumnSet(MODEL_COLUMNS | VERIFY_COLUMNS))
    assert recompose([frame], "mali450-vro", "screen.scale_to_trace=true").lost_effects == 0

    def forget(_: int, passes: list[PassRun]) -> None:
        """As if Early-Z had killed what it shaded of the last quad that writes."""
        for done in passes:
            streams = done.streams
            first = np.flatnonzero(streams.quads["row"] == 0)[0]
            streams.executed[first] = 0

    found = recompose([frame], "mali450-vro", "screen.scale_to_trace=true", change=forget)
    assert found.lost_effects == bin(frame["quads"]["coverage"][0]).count("1")
    assert not found.identical
    assert "a fragment that writes was not shaded" in "".join(map(str, found.located))


def test_a_write_that_comes_twice_is_found() -> None:
    """As if one quad that writes had come again behind all others."""
    frame = frame_of(recorded("overdraw"), ColumnSet(MODEL_COLUMNS | VERIFY_COLUMNS))

    def again(_: int, passes: list[PassRun]) -> None:
        for done in passes[:1]:
            streams = done.streams
            first = np.flatnonzero(streams.quads["row"] == 0)
            streams.quads = np.concatenate([streams.quads, streams.quads[first]])
            streams.executed = np.concatenate([streams.executed, streams.executed[first]])

    found = recompose([frame], "mali450-vro", "screen.scale_to_trace=true", change=again)
    assert found.moved_effects == bin(frame["quads"]["coverage"][0]).count("1")
    assert (found.lost_effects, found.mismatched_pixels) == (0, 0)
    assert not found.passed
    assert "shaded twice" in "".join(map(str, found.located))


@pytest.mark.parametrize("name", ["overdraw", "image_of_counts", "pulled_vertices"])
def test_lines_that_draws_touch_are_memory_traffic(name: str) -> None:
    """Each line once a draw and stage, over the memory's pipe between passes: the bytes of the events, no more."""
    frame = frame_of(recorded(name), ColumnSet(MODEL_COLUMNS))
    events = frame["events"]
    rows = events["kind"] == EventKind.STORAGE
    moved = {way: int(events[f"{way}_bytes"][rows].sum()) for way in ("read", "write")}
    assert moved["read"] > 0
    assert (moved["write"] > 0) == (name != "pulled_vertices")
    config = load_config("mali450-vro", ["screen.scale_to_trace=true"])
    whole = Machine(config).run_frame(frame)
    for way in moved:
        np.subtract.at(frame["passes"][f"transfer_{way}_bytes"], events["pass"][rows], events[f"{way}_bytes"][rows])
        events[f"{way}_bytes"][rows] = 0
    without = Machine(config).run_frame(frame)
    for way, size in moved.items():
        counter = f"dram.{way}_bytes.other"
        assert whole.counters[counter] - without.counters[counter] == size
    assert Machine(config, every_cycle=True).run_frame(frame).counters == without.counters


def test_rendering_elimination_says_why_it_renders() -> None:
    frame = frame_of(in_one_pass(recorded("overdraw")))
    assert "side_effects" in reasons_to_render(frame, screen_pass(frame))


def test_a_snapshot_in_front_of_a_draw_has_what_it_reaches() -> None:
    recording = recorded("image_of_counts")
    pictures = []
    for one in (recording.calls, resumed_at_last(recording, "glDrawArrays")):
        tracker = Tracker(Engine(ColumnSet(())), remap=True)
        for call in one:
            tracker.execute(call)
            if call.name == "glReadPixels":
                pictures.append(tracker.outputs["pixels"])
    assert pictures[0] == pictures[1]


def test_a_draw_with_effects_is_not_trimmed_away(tmp_path: Path) -> None:
    with TraceWriter(tmp_path / "in.gltrace", {}) as writer:
        for call in recorded("overdraw").calls:
            writer.write_call(call)
    with open_trace(tmp_path / "in.gltrace") as reader, pytest.raises(FindingError, match="in memory is not followed"):
        trim(reader, tmp_path / "out.gltrace", frames=range(1), backend=ReflectingBackend())


@pytest.mark.parametrize("seed", range(3))
def test_random_programs_reach_what_mesa_s_reach(seed: int) -> None:
    """More of them: tests/fuzz/run_stage_programs.py memory."""
    try:
        assert memory_programs.check(seed) == ""
    except NoDriver as missing:
        pytest.skip(str(missing))
