"""Traces of real applications, imported, dumped, repacked, trimmed and read again: what should stay the same stays."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from capture.importers import import_trace
from replay.player import pictures
from traceformat.cli.playing import reflecting_backend
from traceformat.gltrace.reader import open_trace
from traceformat.tools.diff import CallItem, compare
from traceformat.tools.dump import call_to_dict, format_call
from traceformat.tools.repack import repack
from traceformat.tools.trim.writing import trim

SHARED = Path(os.environ.get("GPUREPLAY_SHARED") or Path(__file__).resolve().parents[3] / "shared")


@pytest.mark.parametrize("name", ["sdl_testgles2", "glm_desktop_blur"])
def test_a_trace_stays_what_it_is(name: str, tmp_path: Path) -> None:
    source = SHARED / "corpus" / f"{name}.trace"
    if not source.exists():
        pytest.skip(f"no corpus at {SHARED}")
    imported, again, trimmed = (tmp_path / f"{step}.gltrace" for step in ("imported", "again", "trimmed"))
    import_trace(source, imported)
    with open_trace(imported) as reader:
        calls = list(reader)
        repack(reader, again, level=12, dedupe=True)
        with open_trace(again) as repacked:
            assert repacked.content_hash == reader.content_hash
            assert list(repacked.frames) == list(reader.frames)
            assert [format_call(call) for call in repacked] == [format_call(call) for call in calls]
            assert [call_to_dict(call, 0, contents=True) for call in repacked] == [
                call_to_dict(call, 0, contents=True) for call in calls
            ]
            items = [(CallItem.of(call, answers=True) for call in trace) for trace in (reader, repacked)]
            assert list(compare(*items)) == []
        frame = len(reader.frames) // 2
        done = trim(reader, trimmed, frames=range(frame, frame + 1), backend=reflecting_backend())
        (old,) = (picture for _, picture in pictures(reader, frames=(frame, frame)))
        old = old.copy()
    new = {number: picture.copy() for number, picture in pictures(trimmed)}[dict(done.frames)[frame]]
    assert np.array_equal(old, new)
    with open_trace(trimmed) as result:
        kept = sorted({*done.plan.needed, *done.plan.wanted})
        read_again = list(result)
        assert [(call.name, call.args, call.outputs, call.result) for call in read_again] == [
            (calls[number].name, calls[number].args, calls[number].outputs, calls[number].result) for number in kept
        ]
    assert len(kept) < len(calls)
