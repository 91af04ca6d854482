"""Techniques that are wrong are found by verification, whichever way they are wrong; what they cannot prove counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import memory_scenes
import numpy as np
import pytest
from films import Film, film
from layered import layers
from recorded_scenes import frame_of, in_one_pass, recorded_or_skipped

from gpumodel import VERIFIED_COLUMNS, load_config
from gpumodel.runs import Run
from gpumodel.techniques import Hook, PluggedUnit, Plugs, Technique, register, registry
from gpumodel.verify import Verification
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import ColumnSet, EventKind, FrameTrace, Table

Make = Callable[["Wrong"], Plugs]
CONFIG = load_config("mali450-vro", ["screen.scale_to_trace=true"])


class Wrong(Technique):
    """A technique of one mistake."""

    id = "wrong"
    source = "test"
    make: ClassVar[Make]
    #: Gives the frame that is submitted in place of another, from both.
    submit: ClassVar[Callable[[FrameTrace, FrameTrace], FrameTrace] | None] = None

    def __init__(self) -> None:
        self.before: FrameTrace | None = None
        self.number = -1

    def state(self, mode: int = 0) -> Any:
        from wrong_hooks import WRONG

        self.own = np.zeros(1, WRONG)
        self.own["mode"] = mode
        return self.own

    def prepare(self, trace: FrameTrace) -> FrameTrace:
        self.number += 1
        if self.number and hasattr(self, "own"):
            self.own["frame"] = self.number
        before, self.before = self.before, trace
        return trace if before is None or type(self).submit is None else type(self).submit(before, trace)

    def plugs(self, config: Any) -> Plugs:
        return type(self).make(self)

    def hardware(self, config: Any) -> list[Any]:
        return []


@pytest.fixture
def registered() -> Iterator[None]:
    before = registry.known_techniques()
    yield
    registry._REGISTERED.clear()
    registry._REGISTERED.update(before)


@pytest.fixture(scope="module")
def frames() -> list[FrameTrace]:
    return layers(3)


def textured_scene(one: Film, frame: int) -> None:
    one.clear()
    one("glUniform2f", one.shift, 0.05 * frame, 0.0)
    for number in range(4):
        one.square(number)


def judged(frames: list[FrameTrace], make: Make, submit: Any = None) -> Verification:
    """Run the frames with a mistake; without it they are right."""
    technique = register(
        type("Wrong", (Wrong,), {"make": staticmethod(make), "submit": staticmethod(submit) if submit else None})
    )
    plain, run = Run(CONFIG, verify=True), Run(CONFIG, [technique.id], verify=True)
    for frame in frames:
        plain.feed(frame)
        run.feed(frame)
    assert plain.result.verification is not None
    assert plain.result.verification.identical
    found = run.result.verification
    assert found is not None
    assert not found.identical
    assert found.located
    return found


def shades(mode: str, fills: bool = False) -> Make:
    def make(self: Wrong) -> Plugs:
        import wrong_hooks

        own = self.state(getattr(wrong_hooks, mode))
        hooks = {"shade": Hook(wrong_hooks.shade_some, own)}
        if fills:
            hooks["shaded"] = Hook(wrong_hooks.fill_slots, own)
        return Plugs(hooks=hooks)

    return make


def hooks(name: str, function: str, mode: str = "HALF") -> Make:
    def make(self: Wrong) -> Plugs:
        import wrong_hooks

        return Plugs(hooks={name: Hook(getattr(wrong_hooks, function), self.state(getattr(wrong_hooks, mode)))})

    return make


def beside(function: str, before: str) -> Make:
    def make(self: Wrong) -> Plugs:
        import wrong_hooks

        return Plugs(units=[PluggedUnit("wrong", Hook(getattr(wrong_hooks, function), self.state()), before=before)])

    return make


@pytest.mark.parametrize("mode", ["HALF", "NOTHING"])
def test_fragments_that_nobody_shaded(frames: list[FrameTrace], registered: None, mode: str) -> None:
    """The hook that answers names no source: the colours of the trace are not the run's."""
    found = judged(frames, shades(mode))
    assert found.mismatched_pixels == found.unsourced_pixels > 1000
    assert "neither shaded nor taken" in str(found.located[0])


def test_fragments_that_are_called_dead_by_the_hook(frames: list[FrameTrace], registered: None) -> None:
    assert judged(frames, shades("MARKS_FRAGMENTS")).mismatched_pixels > 500


def test_colour_of_another_pixel(frames: list[FrameTrace], registered: None) -> None:
    found = judged(frames, shades("COLOR_OF_ANOTHER", fills=True))
    assert found.mismatched_pixels > 100 > found.unsourced_pixels


def test_slot_that_nobody_filled(frames: list[FrameTrace], registered: None) -> None:
    found = judged(frames, shades("OTHER_SLOT", fills=True))
    assert found.unsourced_pixels == found.mismatched_pixels > 100


def test_slot_that_was_filled_without_shading(frames: list[FrameTrace], registered: None) -> None:
    assert judged(frames, shades("UNSHADED", fills=True)).unsourced_pixels > 100


def test_colour_of_another_frame(frames: list[FrameTrace], registered: None) -> None:
    found = judged(frames, shades("COLOR_OF_ANOTHER_FRAME", fills=True))
    assert {m.frame for m in found.located} == {1}


def test_quads_of_another_frame(frames: list[FrameTrace], registered: None) -> None:
    """The frame before is submitted again, pixels and all."""
    found = judged(frames, lambda self: Plugs(), lambda before, trace: before)
    assert {m.frame for m in found.located} <= {0, 1}


def test_colours_and_pixels_made_by_the_technique(frames: list[FrameTrace], registered: None) -> None:
    """What counts is the application's picture, not the one that a technique submits."""

    def blend_nothing(before: FrameTrace, trace: FrameTrace) -> FrameTrace:
        draws = {**trace["draws"], "blend": np.zeros_like(trace["draws"]["blend"])}
        if "output_blend" in draws:
            draws["output_blend"] = np.zeros_like(draws["output_blend"])
        table = Table("draws", draws)
        return replace(trace, tables={**trace.tables, "draws": table}, pixels=before.pixels)

    assert {m.frame for m in judged(frames, lambda self: Plugs(), blend_nothing).located} == {1}


@pytest.mark.parametrize("mode", ["HIDES", "NEVER_TESTS"])
def test_visible_fragment_killed_and_hidden_one_drawn(frames: list[FrameTrace], registered: None, mode: str) -> None:
    assert judged(frames, hooks("test", "test_wrongly", mode)).unsourced_pixels == 0


def test_flush_left_out_that_was_needed(frames: list[FrameTrace], registered: None) -> None:
    found = judged(frames, hooks("tile_flush", "refuse_flush"))
    assert "kept from buffer 0, which nothing has written" in str(found.located[0])


def test_dropped_quad(frames: list[FrameTrace], registered: None) -> None:
    assert 0 < judged(frames, beside("drop_quad", "blend")).mismatched_pixels < 2000


@pytest.mark.parametrize("how", ["end_early", "retire_early"])
def test_thread_that_is_retired_before_its_last_instruction(tmp_path: Path, registered: None, how: str) -> None:
    """Its last segment is left out, or its place in the queue for the issue slot."""
    found = judged(film(tmp_path / "a.gltrace", [textured_scene] * 2), beside(how, "fragment_processor"))
    assert found.unsourced_pixels == found.mismatched_pixels > 100


def reversed_lists(trace: FrameTrace, streams: Any) -> Any:
    """Entries of each tile, the last one first."""
    pairs = streams.pairs.copy()
    for tile in streams.tiles:
        rows = slice(int(tile["pair_first"]), int(tile["pair_first"]) + int(tile["pair_count"]))
        links = pairs[rows][["pointer_line", "link_line"]].copy()
        pairs[rows] = pairs[rows][::-1]
        pairs[["pointer_line", "link_line"]][rows] = links
    return pairs


def test_swapped_order_of_blending(frames: list[FrameTrace], registered: None) -> None:
    assert judged(frames, lambda self: Plugs(primitive_order=reversed_lists)).unsourced_pixels == 0


@pytest.fixture(scope="module")
def counting() -> list[FrameTrace]:
    """Triangles that count their fragments in storage, and a draw over all of them that reads it; twice."""
    recording = in_one_pass(recorded_or_skipped(memory_scenes.record, "overdraw"))
    return [frame_of(recording, ColumnSet(VERIFIED_COLUMNS))] * 2


@pytest.mark.gl
def test_draws_that_reach_memory_in_another_order(counting: list[FrameTrace], registered: None) -> None:
    found = judged(counting, lambda self: Plugs(primitive_order=reversed_lists))
    assert found.moved_effects > 4096
    assert found.lost_effects == 0


@pytest.mark.gl
def test_fragments_with_effects_that_are_skipped(counting: list[FrameTrace], registered: None) -> None:
    found = judged(counting, shades("NOTHING"))
    assert found.lost_effects > 1000
    assert found.moved_effects == 0


@pytest.mark.gl
@pytest.mark.parametrize("how", ["left_out", "moved"])
def test_draws_and_dispatches_that_are_not_submitted_as_they_were(
    counting: list[FrameTrace], registered: None, how: str
) -> None:
    def submit(_: FrameTrace, trace: FrameTrace) -> FrameTrace:
        events = {name: column.copy() for name, column in trace["events"].items()}
        rows = np.flatnonzero(events["kind"] == EventKind.STORAGE)
        if how == "left_out":
            events["kind"][rows[0]] = EventKind.UPLOAD
        else:
            for column in events.values():
                column[rows[:2]] = column[rows[1::-1]]
        return replace(trace, tables={**trace.tables, "events": Table("events", events)})

    found = judged(counting, lambda self: Plugs(), submit)
    assert found.moved_effects >= 1
    assert found.mismatched_pixels == found.lost_effects == 0


def test_stale_tile(frames: list[FrameTrace], registered: None) -> None:
    def gate(trace: FrameTrace, streams: Any) -> Any:
        return (np.arange(len(streams.tiles)) != 9) | (trace.frame < 2)

    found = judged(frames, lambda self: Plugs(tile_render=[gate]))
    assert {m.frame for m in found.located} == {2}
    assert len({m.tile for m in found.located}) == 1
    assert "kept from buffer 0, which frame 0 has written" in str(found.located[0])


def test_kept_tile_of_the_other_buffer(registered: None) -> None:
    """Tiles that look as in the frame before are left out; the back buffer holds those of the frame before that."""
    still, moved = layers(2)
    frames = [still, *(replace(moved, frame=number) for number in (1, 2, 3))]
    before: list[Any] = []

    def gate(trace: FrameTrace, streams: Any) -> Any:
        before.append(trace.pixels[0][0])
        tiles = streams.tiles
        equal = np.zeros(len(tiles), bool)
        for k, tile in enumerate(tiles):
            rows = slice(int(tile["y0"]), int(tile["y0"]) + int(tile["height"]))
            columns = slice(int(tile["x0"]), int(tile["x0"]) + int(tile["width"]))
            equal[k] = len(before) > 2 and np.array_equal(before[-2][rows, columns], before[-1][rows, columns])
        return ~equal

    found = judged(frames, lambda self: Plugs(tile_render=[gate]))
    assert {m.frame for m in found.located} == {2}


def test_kept_tile_that_nothing_was_ever_drawn_to(tmp_path: Path, registered: None) -> None:
    """Black tiles of the first frames: a buffer that is zero by chance proves nothing."""

    def dark(one: Film, frame: int) -> None:
        one("glClearColor", 0.0, 0.0, 0.0, 0.0)
        one("glClear", gl.GL_COLOR_BUFFER_BIT)
        one.square(0)

    def gate(trace: FrameTrace, streams: Any) -> Any:
        return streams.tiles["pair_count"] > 0

    found = judged(film(tmp_path / "a.gltrace", [dark] * 3), lambda self: Plugs(tile_render=[gate]))
    assert {m.frame for m in found.located} <= {0, 1}
    assert found.unsourced_pixels == found.mismatched_pixels
    assert all(m.expected == m.found for m in found.located)


def test_all_techniques_are_judged_over_films_and_traces() -> None:
    from run_techniques import TECHNIQUES

    judged = {part for combinations in TECHNIQUES.values() for one in combinations for part in one.split("+")}
    assert judged == set(registry.known_techniques())
