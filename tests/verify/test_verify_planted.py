"""Mistakes that are planted into the log of a run are found, counted and located; frame buffers live over frames."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from gl_program import COLOR_FS, COLOR_VS, H, Program, W, triangles
from layered import layers
from verified import recompose

from gpumodel import VERIFIED_COLUMNS, load_config, preset_names
from gpumodel.machine import Machine
from gpumodel.pass_run import PassRun, SlotLog
from gpumodel.units.state import FILLED, KEPT, RENDERED, SLOT_ACCESS, TAKEN
from gpumodel.verify import Recomposer
from traceformat.errors import TraceFormatError, UsageError
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import FrameTrace, LoadOp, Table

FRAMES: list[FrameTrace] = []


@pytest.fixture
def frames() -> list[FrameTrace]:
    if not FRAMES:
        FRAMES.extend(layers())
    return FRAMES


@pytest.mark.parametrize("preset", [name for name in preset_names() if name != "handheld-2003"])
def test_an_honest_log_gives_the_reference(frames: list[FrameTrace], preset: str) -> None:
    result = recompose(frames, preset)
    assert result.identical
    assert result.pixels == 3 * W * H


def test_a_log_composed_in_small_parts_gives_the_same(
    frames: list[FrameTrace], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts of 7 steps, cut in the middle of tiles and between clears; a mistake is found in the same pixels."""

    def spoil(number: int, passes: list[PassRun]) -> None:
        if number == 1:
            lost_quad(passes[0])

    whole = recompose(frames, change=spoil)
    monkeypatch.setattr("gpumodel.verify.recompose.STEPS_AT_ONCE", 7)
    assert recompose(frames).identical
    parts = recompose(frames, change=spoil)
    assert not parts.identical
    assert (parts.mismatched_pixels, parts.located) == (whole.mismatched_pixels, whole.located)


def test_memory_does_not_grow_with_the_log(frames: list[FrameTrace], monkeypatch: pytest.MonkeyPatch) -> None:
    """A log 40 times as long needs no more at its peak: what is kept beside it is a bound of steps."""
    monkeypatch.setattr("gpumodel.verify.recompose.STEPS_AT_ONCE", 500)
    machine = Machine(load_config("mali450-vro"))
    (done,) = machine.run_frame(frames[0]).passes

    def peak_bytes(times: int) -> int:
        done.retired = np.tile(honest, times)
        recomposer = Recomposer()
        tracemalloc.start()
        recomposer.add(frames[0], [done])
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return peak

    honest = done.retired
    assert len(honest) > 500
    peak_bytes(1)
    once = peak_bytes(1)
    assert peak_bytes(40) < once + 100_000 < once + 40 * len(honest) * 48


def blended(done: PassRun) -> tuple[int, int]:
    """Places in the log of two quads that blend at one position, the second over the first, with other colours."""
    quads, log = done.streams.quads, done.retired
    last: dict[tuple[int, int], int] = {}
    for place in reversed(range(len(log))):
        quad = int(log[place])
        if quad < 0 or done.streams.written[quad] != 15:
            continue
        tile = int(np.searchsorted(done.streams.pairs["quad_first"], quad, side="right"))
        tile = int(np.flatnonzero(done.streams.tiles["pair_first"] <= tile - 1).max())
        key = (tile, int(quads["position"][quad]))
        if key in last:
            return place, last[key]
        last[key] = place
    raise AssertionError("no blended quads")


def wrong_kill(done: PassRun) -> None:
    done.streams.written[int(done.retired[blended(done)[1]])] &= 14


def wrong_survivor(done: PassRun) -> None:
    streams = done.streams
    killed = np.flatnonzero((streams.written == 0) & (streams.quads["coverage"] == 15))
    done.retired = np.append(done.retired, killed[:1]).astype(done.retired.dtype)
    streams.written[killed[0]] = streams.executed[killed[0]] = 15


def swapped_blends(done: PassRun) -> None:
    a, b = blended(done)
    done.retired = done.retired.copy()
    done.retired[[a, b]] = done.retired[[b, a]]


def lost_quad(done: PassRun) -> None:
    done.retired = np.delete(done.retired, blended(done)[1])


def stale_tile(done: PassRun) -> None:
    done.streams.tiles["outcome"][0] = KEPT


def unflushed_tile(done: PassRun) -> None:
    done.streams.tiles["outcome"][0] = RENDERED | KEPT


def lost_tile(done: PassRun) -> None:
    done.streams.tiles["outcome"][0] = RENDERED


@pytest.mark.parametrize(
    "plant", [wrong_kill, wrong_survivor, swapped_blends, lost_quad, stale_tile, unflushed_tile, lost_tile]
)
def test_a_planted_mistake_is_found(frames: list[FrameTrace], plant: Callable[[PassRun], None]) -> None:
    def change(number: int, passes: list[PassRun]) -> None:
        if number == 2:
            plant(passes[0])

    result = recompose(frames, change=change)
    assert not result.identical
    assert {(m.frame, m.pass_index, m.attachment) for m in result.located} == {(2, 0, 0)}
    assert result.mismatched_pixels >= len(result.located) > 0
    for mismatch in result.located:
        x, y = mismatch.pixel
        assert mismatch.tile == (x // 16, y // 16)
        assert frames[2].pixels[0][0][y, x].tobytes() == mismatch.expected != mismatch.found
    if plant in (stale_tile, unflushed_tile, lost_tile):
        assert {m.tile for m in result.located} == {(0, 0)}
        assert "frame 2 pass 0 colour 0 tile 0,0 pixel" in str(result.located[0])
    else:
        assert result.mismatched_pixels <= 4


def test_a_skipped_tile_shows_what_the_back_buffer_held_two_frames_ago() -> None:
    """The square is elsewhere in the frame between: a skip is right against the back buffer, not the front."""
    still = layers(1)
    moved = layers(2)[1]
    a, b = still[0], moved

    def skip(number: int, passes: list[PassRun]) -> None:
        if number == 2:
            passes[0].streams.tiles["outcome"][:] = KEPT

    assert recompose([a, b, a], change=skip).identical
    assert not recompose([a, a, b], change=skip).identical
    assert not recompose([b, a, a], change=skip).identical


def test_frames_that_are_not_cleared_go_on_from_the_frame_before() -> None:
    frames = layers(3, clear=False)
    assert frames[1]["passes"]["color_load"][0, 0] == LoadOp.LOAD
    assert recompose(frames).identical
    # From the middle of a trace on, what the first frame loads is in the trace.
    assert recompose(frames[1:]).identical

    def skip(number: int, passes: list[PassRun]) -> None:
        if number == 0:
            passes[0].streams.tiles["outcome"][:] = KEPT

    spoiled = recompose(frames, change=skip)
    # What was not rendered in frame 0 is missing in those that build on it.
    assert spoiled.mismatched_pixels > W * H


def test_what_no_pass_made_comes_from_the_trace() -> None:
    """Blits and uploads into a target between draws, partial and masked clears, an invalidated target."""
    p = Program(VERIFIED_COLUMNS)
    p.program(COLOR_VS, COLOR_FS, p=0, c=1)
    rng = np.random.default_rng(5)
    p.buffer(triangles(rng, 12, 0.7))
    p.attribute(0, 4, 32, 0)
    p.attribute(1, 4, 32, 16)
    p.texture(rng.integers(0, 256, (64, 64, 4)), name=3)
    p("glBindFramebuffer", gl.GL_FRAMEBUFFER, 1)
    p("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, 3, 0)
    frames = []
    for number in range(2):
        p("glBindFramebuffer", gl.GL_FRAMEBUFFER, 1)
        p("glViewport", 0, 0, 64, 64)
        p("glDrawArrays", gl.GL_TRIANGLES, 0, 9)
        block = rng.integers(0, 256, (20, 30, 4)).astype(np.uint8).tobytes()
        p("glTexSubImage2D", gl.GL_TEXTURE_2D, 0, 5, 9, 30, 20, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, block)
        p("glDrawArrays", gl.GL_TRIANGLES, 9, 9)
        p("glBindFramebuffer", gl.GL_DRAW_FRAMEBUFFER, 0)
        p("glViewport", 0, 0, W, H)
        p("glEnable", gl.GL_SCISSOR_TEST)
        p("glScissor", 3, 4, 50, 40)
        p.clear(0.5, 0.25, 0.75, 1.0)
        p("glDisable", gl.GL_SCISSOR_TEST)
        p("glColorMask", 1, 0, 0, 1)
        p.clear(0.9, 0.8, 0.7, 1.0)
        p("glColorMask", 1, 1, 1, 1)
        p("glDrawArrays", gl.GL_TRIANGLES, 18, 9)
        p("glBlitFramebuffer", 0, 0, 64, 64, 10, 10, 74, 60, gl.GL_COLOR_BUFFER_BIT, gl.GL_LINEAR)
        p("glDrawArrays", gl.GL_TRIANGLES, 27, 9)
        frames.append(p.swap(number))
    p.engine.close()
    assert [frame["passes"].num_rows for frame in frames] == [4, 4]
    assert frames[0]["passes"]["content_matches"].tolist() == [0, 0, 1, 0]
    result = recompose(frames)
    assert result.located == []
    assert result.pixels == 2 * (2 * 64 * 64 + 2 * W * H)


def test_a_clear_that_is_lost_or_comes_twice_is_found() -> None:
    p = Program(VERIFIED_COLUMNS)
    p.program(COLOR_VS, COLOR_FS, p=0, c=1)
    p.buffer(triangles(np.random.default_rng(1), 20, 0.7))
    p.attribute(0, 4, 32, 0)
    p.attribute(1, 4, 32, 16)
    p.clear(0.1, 0.2, 0.3, 1.0)
    p("glDrawArrays", gl.GL_TRIANGLES, 0, 30)
    p("glEnable", gl.GL_SCISSOR_TEST)
    p("glScissor", 20, 20, 40, 40)
    p.clear(0.7, 0.6, 0.5, 1.0)
    p("glDrawArrays", gl.GL_TRIANGLES, 30, 30)
    frame = p.swap()
    p.engine.close()
    assert recompose([frame]).identical

    def without(number: int, passes: list[PassRun]) -> None:
        passes[0].retired = passes[0].retired[passes[0].retired >= 0]

    def late(number: int, passes: list[PassRun]) -> None:
        log = passes[0].retired
        passes[0].retired = np.concatenate([log, log[log < 0]])

    for change in (without, late):
        result = recompose([frame], change=change)
        assert not result.identical
        assert all(20 <= m.pixel[0] < 60 and 20 <= m.pixel[1] < 60 for m in result.located)


@pytest.mark.parametrize("mistake", ["", "other colour", "not shaded", "other slot", "nothing named"])
def test_colours_from_a_table_come_from_its_slots(frames: list[FrameTrace], mistake: str) -> None:
    """A fragment that takes the colour of an equal one passes, two frames after it was put there too; others do not."""

    def quads_of(passes: list[PassRun]) -> list[int]:
        """Two quads of the square, which has one colour, and one of another colour."""
        streams = passes[0].streams
        square = [q for q in passes[0].retired if q >= 0 and streams.quads["draw"][q] == 1 and streams.written[q] == 15]
        other = [q for q in passes[0].retired if q >= 0 and streams.quads["draw"][q] == 2 and streams.written[q] == 15]
        return [int(square[0]), int(square[1]), int(other[0])]

    def change(number: int, passes: list[PassRun]) -> None:
        one, two, other = quads_of(passes)
        source = other if mistake == "other colour" else one
        slot = 8 if mistake == "other slot" else 7
        filled = (source, 0, FILLED, [-1, 7, -1, -1])
        if number == 0:
            rows = [filled, (two, 0, TAKEN, [-1, -1, slot, -1])]
            passes[0].streams.executed[two] &= ~np.uint8(4)
            if mistake == "not shaded":
                passes[0].streams.executed[one] &= ~np.uint8(2)
                passes[0].streams.written[one] &= ~np.uint8(2)
        elif number == 2:
            rows = [(two, 0, TAKEN, [-1, -1, -1, slot])]
            passes[0].streams.executed[two] &= ~np.uint8(8)
        else:
            return
        if mistake != "nothing named":
            passes[0].slots = SlotLog(np.array(rows, SLOT_ACCESS), [(frames[number], passes[0].streams)])

    result = recompose(frames, change=change)
    assert result.identical == (mistake == "")
    if mistake:
        assert {m.frame for m in result.located} == {0, 2}
        assert result.mismatched_pixels == (3 if mistake == "not shaded" else 2)
        assert result.unsourced_pixels == (0 if mistake == "other colour" else 2)


def test_a_trace_without_colours_is_refused_by_name(frames: list[FrameTrace]) -> None:
    trace = frames[0]
    machine = Machine(load_config("mali450-vro"))
    passes = machine.run_frame(trace).passes
    bare = FrameTrace(0, W, H, trace.rule, {**trace.tables, "color_data": Table("color_data", {})})
    with pytest.raises(UsageError, match="no colours"):
        Recomposer().add(bare, passes)
    columns = {**trace["draws"], "color_first": trace["draws"]["color_first"] + np.uint64(1 << 40)}
    broken = FrameTrace(0, W, H, trace.rule, {**trace.tables, "draws": Table("draws", columns)}, pixels=trace.pixels)
    passes[0].tables.trace = broken
    with pytest.raises(TraceFormatError, match="beyond color_data"):
        Recomposer().add(trace, passes)


def test_a_pass_that_overflows_the_parameter_buffer_is_composed_from_its_parts() -> None:
    p = Program(VERIFIED_COLUMNS)
    p.program(COLOR_VS, COLOR_FS, p=0, c=1)
    count = 16000
    p.buffer(triangles(np.random.default_rng(8), count, 0.12))
    p.attribute(0, 4, 32, 0)
    p.attribute(1, 4, 32, 16)
    p("glBlendFunc", gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
    p("glEnable", gl.GL_DEPTH_TEST)
    p.clear(0.3, 0.2, 0.1, 1.0)
    p("glDrawArrays", gl.GL_TRIANGLES, 0, 3 * count // 2)
    p("glEnable", gl.GL_BLEND)
    p("glDrawArrays", gl.GL_TRIANGLES, 3 * count // 2, 3 * count // 2)
    frame = p.swap()
    p.engine.close()
    settings = ("binning.parameter_buffer_mib=1",)
    parts: list[int] = []
    assert recompose([frame], "mali450-vro", *settings, change=lambda _, passes: parts.append(len(passes))).identical
    assert parts[0] > 1

    def lose(number: int, passes: list[PassRun]) -> None:
        del passes[0]

    assert not recompose([frame], "mali450-vro", *settings, change=lose).identical
