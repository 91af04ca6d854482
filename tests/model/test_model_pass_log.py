"""Logs of passes that wait in a file are those that stay in memory."""

from __future__ import annotations

import gc
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from many_passes import write_many_passes

import replay
from gpumodel import pass_log
from gpumodel.columns import REQUIRED_COLUMNS
from gpumodel.config.load import load_config
from gpumodel.machine import MachineFrame
from gpumodel.pass_run import PassRun
from gpumodel.report.maps import overdraw_map, tile_traffic_map
from gpumodel.report.page.overdraw import shaded_in_vain
from gpumodel.report.redundancy_map import redundant_map
from gpumodel.report.timeline import Timeline
from gpumodel.report.timeline_files import JsonTimeline
from gpumodel.runs import Run
from traceformat.gputrace.frametrace import ColumnSet, FrameTrace

_COLUMNS = ColumnSet([*REQUIRED_COLUMNS, "quads.identity", "quads.identity_excluded"])


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> list[FrameTrace]:
    """A frame of four passes, and three of one pass each."""
    path: Path = tmp_path_factory.mktemp("passes") / "many.gltrace"
    write_many_passes(path, passes=4, fragments=20_000, frames=4, targets=2)
    with replay.frames(path, columns=_COLUMNS) as played:
        return list(played)


def _raws(frames: list[FrameTrace], techniques: tuple[str, ...], room: int) -> list[MachineFrame]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pass_log, "_RESIDENT_BYTES", room)
        one = Run(load_config("mali450-re", ["screen.scale_to_trace=true"]), techniques, verify=False)
        raws = [raw for frame in frames for raw in one.feed(frame)] + one.finish()
        one.close()
    return raws


def _arrays(done: PassRun) -> dict[str, Any]:
    """Everything in a log that is an array or a number."""
    found: dict[str, Any] = {"cycles": np.array([done.start, done.raster_start, done.end])}
    for name in type(done.streams).__dataclass_fields__:
        value = getattr(done.streams, name)
        found[name] = value if isinstance(value, np.ndarray) else np.array(repr(value))
    found |= {f"tables.{name}": one for name, one in vars(done.tables).items() if isinstance(one, np.ndarray)}
    found["retired"] = done.retired
    if done.redundancy is not None:
        found["classes"], found["causes"] = done.redundancy.classes, done.redundancy.causes
    return found


@pytest.mark.parametrize("techniques", [(), ("re", "te"), ("zprepass",), ("memo",)], ids=str)
def test_logs_in_a_file_are_those_in_memory(frames: list[FrameTrace], techniques: tuple[str, ...]) -> None:
    kept, stored = (_raws(frames, techniques, room) for room in (1 << 30, 0))
    assert [len(raw.passes) for raw in stored] == [len(raw.passes) for raw in kept] == [4, 1, 1, 1]
    for trace, raw, other in zip(frames, kept, stored, strict=True):
        assert raw.passes[0] is raw.passes[0]
        assert other.passes[0] is not other.passes[0]
        for a, b in zip(raw.passes, other.passes, strict=True):
            assert a.tables.trace.index == b.tables.trace.index
            # What is shared is not there a second time.
            assert b.tables.trace.head is trace
            assert b.tables.config is other.passes[0].tables.config
            mine, theirs = _arrays(a), _arrays(b)
            assert mine.keys() == theirs.keys()
            for name, array in mine.items():
                np.testing.assert_array_equal(array, theirs[name], err_msg=name)
            for name, column in a.tables.trace["quads"].items():
                np.testing.assert_array_equal(column, b.tables.trace["quads"][name], err_msg=name)


def test_what_is_shown_is_the_same(frames: list[FrameTrace]) -> None:
    shown = []
    for room in (1 << 30, 0):
        raws, config = _raws(frames, ("re",), room), load_config("mali450-re")
        run = Run(load_config("mali450-re", ["screen.scale_to_trace=true"]), ["re"])
        results = [run.add(frame)[0] for frame in frames]
        timeline = Timeline(writer := JsonTimeline(stream := io.BytesIO()), config, "test")  # type: ignore[arg-type]
        for frame, raw, result in zip(frames, raws, results, strict=True):
            timeline.add(frame, raw, result)
        writer.finish()
        views = (overdraw_map, tile_traffic_map, shaded_in_vain, lambda _, raw: redundant_map(raw))
        values = [np.array(view(f, raw)).tolist() for f, raw in zip(frames, raws, strict=True) for view in views]
        shown.append((stream.getvalue(), values))
    assert shown[0] == shown[1]


def test_a_log_goes_with_who_has_asked_for_it(frames: list[FrameTrace]) -> None:
    (raw, *_) = _raws(frames, (), 0)
    gc.collect()
    before = sum(isinstance(one, PassRun) for one in gc.get_objects())
    for done in raw.passes:
        assert done.streams.quads.size
        held = sum(isinstance(one, PassRun) for one in gc.get_objects()) - before
        # The one at hand, and the one before until its place is taken.
        assert held <= 2
