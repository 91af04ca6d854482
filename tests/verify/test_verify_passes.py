"""Frames whose passes travel one by one: results and pixels are those of frames that are there as a whole."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from films import Film, film
from many_passes import as_a_whole, write_many_passes

import replay
from gpumodel import load_config
from gpumodel.columns import VERIFIED_COLUMNS
from gpumodel.machine import Machine
from gpumodel.runs import Run
from gpumodel.verify import Recomposer
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import ColumnSet, FrameTrace, StoreOp
from traceformat.gputrace.passes import JoinedTables


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> list[FrameTrace]:
    """Two frames, of five passes and of one."""
    path: Path = tmp_path_factory.mktemp("passes") / "many.gltrace"
    write_many_passes(path, passes=5, fragments=20_000, frames=2, targets=2)
    columns = ColumnSet([*VERIFIED_COLUMNS, "quads.identity", "quads.identity_excluded"])
    with replay.frames(path, columns=columns) as played:
        found = list(played)
    assert [isinstance(frame.tables, JoinedTables) for frame in found] == [True, False]
    return found


@pytest.mark.parametrize("techniques", [(), ("zprepass",), ("memo",), ("re", "te"), ("vro",)], ids=str)
def test_a_run_holds_a_pass_at_a_time_and_gives_the_same(frames: list[FrameTrace], techniques: tuple[str, ...]) -> None:
    results = []
    for given in (frames, [as_a_whole(frame) for frame in frames]):
        one = Run(load_config("mali450-re"), techniques, verify=True, attribution=True, keep_passes=False)
        raws = [raw for frame in (*given, *given) for raw in one.feed(frame)] + one.finish()
        assert [len(raw.passes) for raw in raws] == [0] * 4
        assert one.result.verification is not None
        assert one.result.verification.identical
        results.append(one.result.as_json())
    assert results[0] == results[1]
    assert results[0]["frames"][0]["counters"]["passes"] == 5


def test_several_samples_may_be_cleared_and_not_drawn(tmp_path: Path) -> None:
    def scene(one: Film, frame: int) -> None:
        one("glBindFramebuffer", gl.GL_FRAMEBUFFER, 5)
        one("glBindRenderbuffer", gl.GL_RENDERBUFFER, 5)
        one("glRenderbufferStorageMultisample", gl.GL_RENDERBUFFER, 4, gl.GL_RGBA8, 64, 48)
        one("glFramebufferRenderbuffer", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_RENDERBUFFER, 5)
        one("glClear", gl.GL_COLOR_BUFFER_BIT)
        one("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
        one.all_squares()

    frames = film(tmp_path / "a.gltrace", [scene])
    assert frames[0]["passes"]["samples"].tolist() == [4, 1]
    with replay.frames(tmp_path / "a.gltrace", columns=VERIFIED_COLUMNS) as played:
        one = Run(load_config("mali450-vro", ["screen.scale_to_trace=true"]), verify=True, keep_passes=False)
        for frame in played:
            one.add(frame)
        assert one.result.verification is not None
        assert one.result.verification.identical
        one.close()


def test_pixels_that_are_believed_stand_where_recomposed_ones_do(tmp_path: Path) -> None:
    """Two buffers of the screen, and a frame whose colours are not stored."""

    def scene(one: Film, number: int) -> None:
        one.clear()
        one.square(number)
        if number == 1:
            one("glInvalidateFramebuffer", gl.GL_FRAMEBUFFER, 1, struct.pack("<I", gl.GL_COLOR))

    frames = film(tmp_path / "a.gltrace", [scene] * 4, VERIFIED_COLUMNS)
    machine, recomposed, believed = Machine(load_config("mali450-vro")), Recomposer(), Recomposer()
    stored = []
    for frame in frames:
        recomposed.add(frame, list(machine.run_frame(frame).passes))
        recomposed.end_frame(frame.rule)
        believed.believe(frame)
        stored.append(int(frame["passes"]["color_store"][0][0]) == StoreOp.STORE)
        ((*_, one),), ((*_, other),) = (each._surfaces._surfaces.values() for each in (recomposed, believed))
        assert (one.latest, one.flips) == (other.latest, other.flips)
        for ours, theirs in zip(one.buffers, other.buffers, strict=True):
            np.testing.assert_array_equal(ours.pixels, theirs.pixels)
            np.testing.assert_array_equal(ours.sourced, theirs.sourced)
    assert stored == [True, False, True, True]
