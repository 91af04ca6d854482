"""Rendering Elimination and Transaction Elimination on short films with known answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from films import HEIGHT, WIDTH, Film, film, squares
from model_scene import Scene

from gpumodel.config.load import load_config
from gpumodel.runs import Run
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import DrawFlags, EventKind, FrameTrace, LoadOp, StoreOp

TILES = WIDTH // 16 * (HEIGHT // 16)
#: Frames of a film until nothing hinders a skip: the first frame loads, so the second has no valid set, nor the third.
STEADY = 3


def still(one: Film, frame: int) -> None:
    one.all_squares()


def run(frames: list[FrameTrace], *techniques: str, settings: tuple[str, ...] = ()) -> Run:
    one = Run(load_config("mali450-re", list(settings)), techniques)
    for trace in frames:
        one.add(trace)
    return one


def skipped(one: Run, name: str = "re.tiles_skipped") -> list[int]:
    return [int(frame.counters[name]) for frame in one.result.frames]


def verified(frames: list[FrameTrace], *techniques: str, settings: tuple[str, ...] = ()) -> Run:
    one = Run(load_config("mali450-re", list(settings)), techniques, verify=True)
    for trace in frames:
        one.add(trace)
    return one


def mismatched_pixels(frames: list[FrameTrace], *techniques: str, settings: tuple[str, ...] = ()) -> int:
    """Pixels that a run's log does not give as the replay has them."""
    found = verified(frames, *techniques, settings=settings).result.verification
    assert found is not None
    return found.mismatched_pixels


def test_a_still_film_is_not_rendered_again(tmp_path: Path) -> None:
    frames = film(tmp_path / "a.gltrace", [still] * 5)
    one = run(frames, "re")
    assert skipped(one) == [0, 0, TILES, TILES, TILES]
    last = one.result.frames[-1].counters
    assert last["fragments.shaded"] == 0
    assert last["tiles.flushed"] == 0
    assert last["re.one_back.equal_inputs"] == last["re.two_back.equal_inputs"] == TILES


Change = Callable[[Film], None]


def tint(one: Film) -> None:
    one("glUniform4f", one.tint, 0.5, 1.0, 1.0, 1.0)


def shift(one: Film) -> None:
    one("glUniform2f", one.shift, 0.25, 0.0)


def upload(one: Film) -> None:
    one.upload(2)


def blend(one: Film) -> None:
    one("glEnable", gl.GL_BLEND)
    one("glBlendFunc", gl.GL_ONE, gl.GL_ONE)
    one("glBlendEquation", gl.GL_FUNC_REVERSE_SUBTRACT)


def clear_color(one: Film) -> None:
    one("glClearColor", 0.0, 0.25, 0.5, 1.0)


def scissor(one: Film) -> None:
    one.around = (
        [("glEnable", gl.GL_SCISSOR_TEST), ("glScissor", 0, 0, 30, 20)],
        [("glDisable", gl.GL_SCISSOR_TEST)],
    )


def color_mask(one: Film) -> None:
    one.around = ([("glColorMask", 0, 1, 1, 1)], [("glColorMask", 1, 1, 1, 1)])


def depth_func(one: Film) -> None:
    one("glEnable", gl.GL_DEPTH_TEST)
    one("glDepthFunc", gl.GL_GREATER)


def sampler(one: Film) -> None:
    one("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_WRAP_S, gl.GL_CLAMP_TO_EDGE)
    one("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MAG_FILTER, gl.GL_NEAREST)


def base_level(one: Film) -> None:
    one("glTexImage2D", gl.GL_TEXTURE_2D, 1, gl.GL_RGBA, 2, 2, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, bytes(range(16)))
    one("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_BASE_LEVEL, 1)


def swizzle(one: Film) -> None:
    one("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_SWIZZLE_R, gl.GL_GREEN)


def stencil(one: Film) -> None:
    one("glEnable", gl.GL_STENCIL_TEST)
    one("glStencilFunc", gl.GL_NEVER, 1, 255)


def program(one: Film) -> None:
    one.program("attribute vec4 p; void main() { gl_Position = p; }", "void main() { gl_FragColor = vec4(1.0); }")


CHANGES: list[Change] = [
    tint, shift, upload, blend, clear_color, scissor, color_mask, depth_func, sampler, base_level, swizzle, stencil,
    program,
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_change_is_seen_by_every_frame_buffer(tmp_path: Path, change: Change) -> None:
    """What is set once, in frame 5, shows in frames 5 and 6: neither may show its back buffer's old picture."""

    def scene(one: Film, frame: int) -> None:
        if frame == 5:
            change(one)
        one.all_squares()

    frames = film(tmp_path / "a.gltrace", [scene] * 9)
    assert not np.array_equal(frames[4].pixels[0][0], frames[5].pixels[0][0])
    one = run(frames, "re")
    assert mismatched_pixels(frames, "re") == 0
    counts = skipped(one)
    assert counts[4] == TILES
    assert counts[5] < TILES
    assert counts[6] < TILES
    assert counts[8] == TILES


def sample_mask(one: Film) -> None:
    one("glEnable", gl.GL_SAMPLE_MASK)
    one("glSampleMaski", 0, 6)


def sample_coverage(one: Film) -> None:
    one("glEnable", gl.GL_SAMPLE_COVERAGE)
    one("glSampleCoverage", 0.5, 1)


def sample_shading(one: Film) -> None:
    """Varyings move from the pixel's centre to the sample, in a shader that is run for each sample before, too."""
    one("glEnable", gl.GL_SAMPLE_SHADING)
    one("glMinSampleShading", 1.0)


_OF_SAMPLES = """#version 320 es
precision highp float; in vec4 v; out vec4 o; uniform vec4 tint;
void main() { o = v * tint + vec4(float(gl_SampleID) * 0.125); }"""
_FOR_SAMPLES = """#version 320 es
in vec4 p; in vec4 c; out vec4 v; uniform vec2 shift;
void main() { v = c + vec4(p.x); gl_Position = p + vec4(shift, 0.0, 0.0); }"""


@pytest.mark.parametrize("change", [sample_mask, sample_coverage, sample_shading], ids=lambda change: change.__name__)
def test_coverage_of_samples_is_seen(tmp_path: Path, change: Change) -> None:
    def scene(one: Film, frame: int) -> None:
        if frame == 0:
            one.program(_FOR_SAMPLES, _OF_SAMPLES)
            one("glUniform4f", one("glGetUniformLocation", one.calls[-1].args[0], "tint"), 1.0, 1.0, 1.0, 1.0)
        if frame == 5:
            change(one)
        one.all_squares()

    frames = film(tmp_path / "a.gltrace", [scene] * 9, make=lambda: Film(samples=4))
    assert not np.array_equal(frames[4].pixels[0][0], frames[5].pixels[0][0])
    one = run(frames, "re")
    assert mismatched_pixels(frames, "re") == 0
    counts = skipped(one)
    assert counts[4] == counts[8] == TILES
    assert max(counts[5:7]) < TILES


def test_parameters_of_a_texture_for_one_frame(tmp_path: Path) -> None:
    """What texels are read may change without a load: the level that a texture begins with, and its swizzle."""

    def scene(one: Film, frame: int) -> None:
        if frame == 0:
            one("glTexImage2D", gl.GL_TEXTURE_2D, 1, gl.GL_RGBA, 2, 2, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, bytes(16))
        one("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_BASE_LEVEL, int(frame == 5))
        one("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_SWIZZLE_R, gl.GL_BLUE if frame == 6 else gl.GL_RED)
        one.all_squares()

    frames = film(tmp_path / "a.gltrace", [scene] * 10)
    assert len({frames[k].pixels[0][0].tobytes() for k in (4, 5, 6)}) == 3
    assert mismatched_pixels(frames, "re") == 0
    counts = skipped(run(frames, "re"))
    assert counts[4] == counts[9] == TILES
    assert max(counts[5:9]) < TILES


def test_another_texture_of_the_same_name(tmp_path: Path) -> None:
    """Deleted, made anew without an upload, and rendered into as often as the one before: equal in name and version."""

    def scene(one: Film, frame: int) -> None:
        if frame in (0, 5):
            one("glDeleteTextures", 1, (9).to_bytes(4, "little"))
            one("glBindTexture", gl.GL_TEXTURE_2D, 9)
            one("glTexStorage2D", gl.GL_TEXTURE_2D, 1, gl.GL_RGBA8, 4, 4)
            one("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST)
            one("glBindFramebuffer", gl.GL_FRAMEBUFFER, 3)
            one("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, 9, 0)
            one("glClearColor", 1.0, 0.5 if frame else 1.0, 1.0, 1.0)
            one("glClear", gl.GL_COLOR_BUFFER_BIT)
            one("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
            one("glClearColor", 0.0, 0.0, 0.0, 0.0)
        one.all_squares()

    frames = film(tmp_path / "a.gltrace", [scene] * 9)
    assert not np.array_equal(frames[4].pixels[0][0], frames[6].pixels[0][0])
    assert mismatched_pixels(frames, "re") == 0
    assert skipped(run(frames, "re"))[4] == TILES


@pytest.mark.parametrize("change", [tint, upload], ids=lambda change: change.__name__)
def test_a_change_for_one_frame(tmp_path: Path, change: Change) -> None:
    """A frame that differs from all others: the frames that find it in their back buffer must not take it."""

    def scene(one: Film, frame: int) -> None:
        if frame == 5:
            change(one)
        if frame == 6:
            one("glUniform4f", one.tint, 1.0, 1.0, 1.0, 1.0)
            one.upload(1) if change is upload else None
        one.all_squares()

    frames = film(tmp_path / "a.gltrace", [scene] * 10)
    assert np.array_equal(frames[4].pixels[0][0], frames[7].pixels[0][0])
    one = run(frames, "re")
    assert mismatched_pixels(frames, "re") == 0
    assert skipped(one)[9] == TILES


def test_a_load_hinders_this_frame_and_the_next(tmp_path: Path) -> None:
    def scene(one: Film, frame: int) -> None:
        if frame == 5:
            one.upload(1)
        one.all_squares()

    frames = film(tmp_path / "a.gltrace", [scene] * 9)
    one = run(frames, "re")
    assert skipped(one)[4:] == [TILES, 0, 0, skipped(one)[7], TILES]
    assert one.result.frames[5].counters["re.off.reloaded"] == 1
    assert one.result.frames[6].counters["re.off.no_signatures"] == 1


class Case(NamedTuple):
    """What is altered in a frame of two draws (table, column, value), and the reason that it is, empty = none."""

    reason: str
    changes: tuple[tuple[str, str, int], ...]


def altered(reason: str, table: str, column: str, value: int, *also: tuple[str, str, int]) -> Case:
    return Case(reason, ((table, column, value), *also))


_STENCIL = ("passes", "stencil_bits", 8)
_UNTESTED = ("draws", "depth_test", 0)
CASES = (
    altered("reloaded", "draws", "flags", DrawFlags.RELOADED),
    altered("reads_framebuffer", "draws", "flags", DrawFlags.READS_FRAMEBUFFER),
    altered("side_effects", "draws", "flags", DrawFlags.SIDE_EFFECTS),
    altered("", "draws", "flags", DrawFlags.DISCARDS),
    altered("side_effects", "draws", "query_active", 1),
    altered("off_screen_pass", "passes", "framebuffer", 3),
    altered("several_draw_buffers", "passes", "num_colors", 2),
    altered("several_draw_buffers", "passes", "num_colors", 0),
    altered("loaded_contents", "passes", "color_load", LoadOp.LOAD),
    altered("loaded_contents", "passes", "color_load", LoadOp.DONT_CARE),
    altered("loaded_contents", "passes", "depth_load", LoadOp.LOAD),
    altered("", "passes", "depth_load", LoadOp.LOAD, ("passes", "depth_format", 0), _UNTESTED),
    altered("loaded_contents", "passes", "depth_load", LoadOp.DONT_CARE),
    altered("", "passes", "depth_load", LoadOp.DONT_CARE, _UNTESTED),
    altered("", "passes", "stencil_load", LoadOp.LOAD),
    altered("loaded_contents", "passes", "stencil_load", LoadOp.LOAD, _STENCIL),
    altered("", "passes", "stencil_load", LoadOp.DONT_CARE, _STENCIL),
    altered("loaded_contents", "passes", "stencil_load", LoadOp.DONT_CARE, _STENCIL, ("draws", "stencil_test", 1)),
    altered("not_stored", "passes", "color_store", StoreOp.DONT_CARE),
    altered("copied_contents", "events", "kind", EventKind.BLIT),
    altered("copied_contents", "events", "kind", EventKind.RESOLVE),
    altered("copied_contents", "events", "kind", EventKind.COPY),
)


def two_draws(frame: int = 0, side: int = 32, passes: int = 1) -> FrameTrace:
    scene = Scene(side, side, frame)
    for depth in (0.5, 0.25):
        draw = scene.draw(depth_test=True, depth_write=True)
        scene.quad_block(draw, 0, 0, side, side, path=scene.path(2), depth=depth)
        scene.clear_after(len(scene.draws), buffers=1 << 16, clear_depth=77)
    if passes == 2:
        scene.begin_pass()
        scene.quad_block(scene.draw(), 0, 0, side, side, path=0)
    trace = scene.trace()
    trace.pixels += [[np.zeros((side, side, 4), np.uint8)] for _ in range(passes)]
    return trace


def alter(trace: FrameTrace, case: Case, rng: np.random.Generator) -> None:
    """The pass, the clear between the draws, or one of the draws: any is enough; what is 0 is so for all."""
    for table, column, value in case.changes:
        rows = trace[table][column].reshape(trace[table].num_rows, -1)
        if table == "draws" and value:
            rows[int(rng.integers(len(rows))), 0] |= value
        else:
            rows[1 if table == "events" else slice(None), 0] = value


def test_each_reason_by_itself_and_with_others() -> None:
    """A frame is rendered for the reasons that hold in it, in their order; off the screen nothing else is asked."""
    from gpumodel.techniques.re.reasons import REASONS, reasons_to_render, screen_pass

    rng = np.random.default_rng(1)
    plain = two_draws()
    assert reasons_to_render(plain, screen_pass(plain)) == []
    for case in CASES:
        trace = two_draws()
        alter(trace, case, rng)
        assert reasons_to_render(trace, screen_pass(trace)) == ([case.reason] if case.reason else []), case
    alone = [case for case in CASES if len(case.changes) == 1 and case.reason]
    for _ in range(80):
        chosen = [alone[k] for k in rng.choice(len(alone), int(rng.integers(2, 5)), replace=False)]
        columns = [case.changes[0][1] for case in chosen if case.changes[0][0] != "draws"]
        if len({*columns}) < len(columns):
            continue
        trace = two_draws()
        for case in chosen:
            alter(trace, case, rng)
        holds = {case.reason for case in chosen}
        if "off_screen_pass" in holds:
            holds &= {"reloaded", "off_screen_pass"}
        assert reasons_to_render(trace, screen_pass(trace)) == [reason for reason in REASONS if reason in holds]


def test_a_frame_of_two_passes() -> None:
    """A frame of two passes has none, whatever else holds."""
    from gpumodel.techniques.re.reasons import reasons_to_render, screen_pass

    trace = two_draws(passes=2)
    assert screen_pass(trace) is None
    assert reasons_to_render(trace, None) == ["off_screen_pass"]


@pytest.mark.parametrize("reason", ["reads_framebuffer", "several_draw_buffers", "copied_contents", "side_effects"])
def test_a_reason_hinders_its_frame_and_what_it_has_left(reason: str) -> None:
    """The frame is rendered and counted under its reason; so are those that find its picture in their buffer, unless it
    was an occlusion query alone, which leaves the same picture.
    """
    case = [case for case in CASES if case.reason == reason][-1]
    one = Run(load_config("mali450-re", ["screen.scale_to_trace=true"]), ["re"])
    for frame in range(9):
        trace = two_draws(frame)
        if frame == 4:
            alter(trace, case, np.random.default_rng(0))
        one.add(trace)
    rendered = [number for number, count in enumerate(skipped(one)) if count == 0]
    assert rendered == ([0, 1, 4] if reason == "side_effects" else [0, 1, 4, 6])
    assert set(skipped(one)) == {0, 4}
    for number, frame in enumerate(one.result.frames):
        off = {name.rpartition(".")[2] for name, value in frame.counters.items() if ".off." in name and value}
        why = {4: {reason}}
        assert off == why.get(number, {"no_signatures"} if number in rendered else set()), number


def test_another_size_makes_all_sets_invalid() -> None:
    one = Run(load_config("mali450-re", ["screen.scale_to_trace=true"]), ["re"])
    for frame, side in enumerate((32, 32, 32, 64, 64, 64, 64)):
        one.add(two_draws(frame, side))
    assert skipped(one) == [0, 0, 4, 0, 0, 16, 16]
    assert skipped(one, "re.off.resized") == [0, 0, 0, 1, 0, 0, 0]


def test_off_screen_passes_hinder(tmp_path: Path) -> None:
    def scene(one: Film, frame: int) -> None:
        if frame == 5:
            one("glBindTexture", gl.GL_TEXTURE_2D, 9)
            one("glTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 32, 32, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
            one("glBindFramebuffer", gl.GL_FRAMEBUFFER, 3)
            one("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, 9, 0)
            one("glBindTexture", gl.GL_TEXTURE_2D, 1)
            one.all_squares()
            one("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
        one.all_squares()

    one = run(film(tmp_path / "a.gltrace", [scene] * 9), "re")
    assert skipped(one)[4] == TILES
    assert skipped(one)[5] == 0
    assert one.result.frames[5].counters["re.off.off_screen_pass"] == 1


def test_frames_that_keep_old_colours_are_rendered(tmp_path: Path) -> None:
    def scene(one: Film, frame: int) -> None:
        if frame < 5:
            one.all_squares()
        else:
            one.square(frame & 3)

    one = run(film(tmp_path / "a.gltrace", [scene] * 8), "re")
    assert skipped(one)[5:] == [0, 0, 0]
    assert all(frame.counters["re.off.loaded_contents"] == 1 for frame in one.result.frames[5:])


def test_depth_that_was_not_cleared_hinders(tmp_path: Path) -> None:
    """The same draws each frame, against the depth that the frame before has left: the second time nothing passes."""

    def scene(one: Film, frame: int) -> None:
        one("glEnable", gl.GL_DEPTH_TEST)
        one("glClear", gl.GL_COLOR_BUFFER_BIT | (gl.GL_DEPTH_BUFFER_BIT if frame in (0, 5) else 0))
        one.square(frame & 0)

    frames = film(tmp_path / "a.gltrace", [scene] * 8)
    assert not np.array_equal(frames[4].pixels[0][0], frames[5].pixels[0][0])
    assert mismatched_pixels(frames, "re") == 0
    one = run(frames, "re")
    assert [frame.counters["re.off.loaded_contents"] for frame in one.result.frames][6:] == [1, 1]


def test_k_changing_tiles(tmp_path: Path) -> None:
    """One square of four moves: the tiles that it covers are rendered, and no others."""

    def scene(one: Film, frame: int) -> None:
        one.clear()
        for number in range(4):
            one("glUniform2f", one.shift, 0.01 * frame if number == 0 else 0.0, 0.0)
            one.square(number)

    frames = film(tmp_path / "a.gltrace", [scene] * 6)
    one = run(frames, "re")
    assert mismatched_pixels(frames, "re") == 0
    differs = (frames[5].pixels[0][0] != frames[3].pixels[0][0]).any(axis=2)
    touched = {(int(y) // 16, int(x) // 16) for y, x in np.argwhere(differs)}
    assert 0 < len(touched) <= TILES - skipped(one)[5] <= 4


def test_refresh(tmp_path: Path) -> None:
    one = run(film(tmp_path / "a.gltrace", [still] * 9), "re", settings=("re.refresh_frames=4",))
    assert skipped(one)[7] == 0
    assert skipped(one)[8] == TILES
    assert one.result.frames[7].counters["re.off.refresh"] == 1


def test_short_signatures_collide_and_are_reported(tmp_path: Path) -> None:
    def scene(one: Film, frame: int) -> None:
        one("glUniform4f", one.tint, 1.0 - 0.01 * frame, 1.0, 1.0, 1.0)
        one.all_squares()

    frames = film(tmp_path / "a.gltrace", [scene] * 12)
    assert sum(skipped(run(frames, "re"), "re.false_positives")) == 0
    short = run(frames, "re", settings=("re.signature_bits=1",))
    assert sum(skipped(short, "re.false_positives")) > 10
    assert mismatched_pixels(frames, "re", settings=("re.signature_bits=1",)) > 100


def test_te_saves_the_flush_of_equal_colours(tmp_path: Path) -> None:
    """The second drawing of a square changes inputs and not colours: te skips its flush, re does not see it."""

    def scene(one: Film, frame: int) -> None:
        one.all_squares()
        if frame == 4:
            one.square(0)

    frames = film(tmp_path / "a.gltrace", [scene] * 6)
    both = run(frames, "te")
    assert skipped(both, "te.flushes_skipped") == [0, 0, TILES, TILES, TILES, TILES]
    assert skipped(both, "te.saved_bytes")[4] == 4 * WIDTH * HEIGHT
    assert both.result.frames[4].counters["dram.write_bytes.color"] == 0
    assert skipped(run(frames, "re"))[4] < TILES
    assert sum(skipped(run(frames, "te", settings=("te.signature_bits=1",)), "te.false_positives")) == 0


def test_the_combination(tmp_path: Path) -> None:
    def scene(one: Film, frame: int) -> None:
        one.all_squares()
        if frame == 4:
            one.square(0)

    both = run(film(tmp_path / "a.gltrace", [scene] * 6), "re", "te")
    rendered = TILES - skipped(both)[4]
    assert 0 < rendered < TILES
    assert skipped(both, "te.tiles_hashed")[4] == skipped(both, "te.flushes_skipped")[4] == rendered


def test_a_pass_that_is_cut(tmp_path: Path) -> None:
    """Overflow of the Parameter Buffer: a square that only the first part has vanishes in frame 3.

    The last part of the frames before had nothing in its tiles, and neither has the first part of frame 3.
    """
    corner = np.tile(squares()[18:21], (12_000, 1))

    def scene(one: Film, frame: int) -> None:
        one.clear()
        one.vertices(squares())
        if frame < 3:
            one.square(0)
        one.vertices(corner, 7)
        one("glDrawArrays", gl.GL_TRIANGLES, 0, len(corner))

    frames = film(tmp_path / "a.gltrace", [scene] * 4)
    one = verified(frames, "re", "te", settings=("binning.parameter_buffer_mib=1",))
    assert min(frame.counters["parameter_buffer.overflows"] for frame in one.result.frames) > 0
    assert one.result.verification is not None
    assert one.result.verification.mismatched_pixels == 0
    assert [frame.counters["re.off.parameter_overflow"] for frame in one.result.frames] == [1] * 4
    assert sum(skipped(one)) == 0
    assert sum(skipped(one, "te.flushes_skipped")) == 0
