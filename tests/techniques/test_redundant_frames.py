"""What a technique remembers of earlier frames: which frame buffer holds what, and which sets are valid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from films import HEIGHT, WIDTH, Film, film, kept

from gpumodel import load_config
from gpumodel.runs import Run
from gpumodel.techniques.pfr.pairing import reason_to_wait
from gpumodel.techniques.signing.buffers import FrameBuffers
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import FrameRule, FrameTrace

TILES = WIDTH // 16 * (HEIGHT // 16)


def play(frames: Sequence[FrameTrace], technique: str = "re", *settings: str) -> Run:
    """Run of a film, every pixel of which is right."""
    one = Run(load_config("mali450-re", list(settings)), [technique], verify=True)
    for frame in frames:
        one.feed(frame)
    one.finish()
    assert one.result.verification is not None
    assert one.result.verification.pixels
    assert one.result.verification.identical
    return one


def counter(one: Run, name: str) -> list[int]:
    return [int(frame.counters[name]) for frame in one.result.frames]


def test_frame_buffers_in_turn() -> None:
    """All passes between two swaps write one buffer; a frame that shows nothing goes on with it; screens are apart."""
    buffers = FrameBuffers(2)
    shown, finished = SimpleNamespace(rule=FrameRule.SWAP), SimpleNamespace(rule=FrameRule.READ_PIXELS)
    assert [buffers.begin_write(7), buffers.begin_write(7), buffers.begin_write(8)] == [0, 0, 0]
    buffers.end_frame(shown)  # type: ignore[arg-type]
    assert [buffers.begin_write(7), buffers.begin_write(7)] == [1, 1]
    buffers.end_frame(finished)  # type: ignore[arg-type]
    assert [buffers.begin_write(7), buffers.begin_write(8)] == [1, 1]
    buffers.end_frame(shown)  # type: ignore[arg-type]
    assert buffers.begin_write(7) == 0


def test_a_frame_that_is_read_back_is_no_first_of_a_pair(tmp_path: Path) -> None:
    first, second = film(tmp_path / "a.gltrace", [lambda one, frame: one.all_squares()] * 2)
    assert reason_to_wait(first, second) is None
    read = kept(first)
    read.rule = FrameRule.READ_PIXELS
    assert reason_to_wait(read, second) == "read_back"
    assert reason_to_wait(first, read) is None


def test_a_copy_keeps_frames_apart(tmp_path: Path) -> None:
    """And with RE nothing is skipped in a frame with one."""

    def scene(one: Film, frame: int) -> None:
        one.all_squares()
        if frame == 5:
            one("glBindTexture", gl.GL_TEXTURE_2D, 1)
            one("glCopyTexSubImage2D", gl.GL_TEXTURE_2D, 0, 0, 0, 9, 9, 4, 4)

    frames = film(tmp_path / "a.gltrace", [scene] * 9)
    assert not np.array_equal(frames[4].pixels[0][0], frames[6].pixels[0][0])
    assert counter(play(frames), "re.off.copied_contents")[5] == 1
    assert reason_to_wait(frames[4], frames[5]) == reason_to_wait(frames[5], frames[6]) == "copies"


def drawn_over(one: Film, frame: int) -> None:
    """Frame 5 draws onto what its buffer holds; what it leaves is not what frame 7 draws."""
    one("glUniform4f", one.tint, *([0.3] * 4 if frame == 5 else [1.0] * 4))
    if frame == 5:
        one.square(1)
    else:
        one.all_squares()


def shown_between(one: Film, frame: int) -> None:
    """Frame 5 clears another depth, with the same draws: nothing of them is seen."""
    one("glEnable", gl.GL_DEPTH_TEST)
    one("glClearDepthf", 0.0 if frame == 5 else 1.0)
    one.all_squares()


def cleared_inside(one: Film, frame: int) -> None:
    """A clear of a part in another colour, in frame 5."""
    one.all_squares()
    for call in (
        ("glEnable", gl.GL_SCISSOR_TEST), ("glScissor", 5, 5, 20, 20),
        ("glClearColor", 0.5, 0.5 if frame == 5 else 0.25, 0.0, 1.0), ("glClear", gl.GL_COLOR_BUFFER_BIT),
        ("glClearColor", 0.0, 0.0, 0.0, 0.0), ("glDisable", gl.GL_SCISSOR_TEST),
    ):  # fmt: skip
        one(*call)


def line_width(one: Film, frame: int) -> None:
    one("glLineWidth", 5.0 if frame == 5 else 1.0)
    one.clear()
    one("glDrawArrays", gl.GL_LINE_STRIP, 0, 12)


@pytest.mark.parametrize("scene", [drawn_over, shown_between, cleared_inside, line_width])
def test_one_other_frame_is_seen_by_two(tmp_path: Path, scene: Callable[[Film, int], None]) -> None:
    """Frame 5 is another picture, so that neither it nor frame 7, which finds it, may skip."""
    frames = film(tmp_path / "a.gltrace", [scene] * 10)
    assert not np.array_equal(frames[3].pixels[0][0], frames[5].pixels[0][0])
    assert np.array_equal(frames[3].pixels[0][0], frames[7].pixels[0][0])
    skipped = counter(play(frames), "re.tiles_skipped")
    assert skipped[4] == skipped[9] == TILES
    assert max(skipped[5], skipped[7]) < TILES
    play(frames, "te")


def test_frames_that_alternate(tmp_path: Path) -> None:
    """Two pictures in turn: the frame before is another one, that before it is the same."""

    def scene(one: Film, frame: int) -> None:
        one("glUniform4f", one.tint, 1.0, 0.5 + 0.5 * (frame & 1), 1.0, 1.0)
        one.all_squares()

    frames = film(tmp_path / "a.gltrace", [scene] * 6)
    two, single = (play(frames, "re", f"screen.frame_buffers={count}") for count in (2, 1))
    assert counter(two, "re.two_back.equal_inputs")[5] == counter(two, "re.tiles_skipped")[5] == TILES
    assert counter(two, "re.one_back.different")[5] == TILES
    assert counter(two, "re.one_back.equal_inputs")[5] == counter(single, "re.tiles_skipped")[5] == 0


def test_a_refreshed_frame_is_compared_with(tmp_path: Path) -> None:
    """Frame 7 is rendered for its refresh; frame 9 finds its signatures."""
    frames = film(tmp_path / "a.gltrace", [lambda one, frame: one.all_squares()] * 11)
    skipped = counter(play(frames, "re", "re.refresh_frames=4"), "re.tiles_skipped")
    assert skipped[6:] == [TILES, 0, TILES, TILES, TILES]


def test_colours_that_were_not_written_are_not_compared_with(tmp_path: Path) -> None:
    def scene(one: Film, frame: int) -> None:
        one.all_squares()
        if frame == 5:
            one("glInvalidateFramebuffer", gl.GL_FRAMEBUFFER, 1, gl.GL_COLOR.to_bytes(4, "little"))

    skipped = counter(play(film(tmp_path / "a.gltrace", [scene] * 9), "te"), "te.flushes_skipped")
    assert [skipped[4], skipped[5], skipped[7], skipped[8]] == [TILES, 0, 0, TILES]
