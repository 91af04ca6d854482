"""Arrays of cube maps: pictures, errors and answers are Mesa's, executors agree, state and techniques keep them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from command_trees import PROGRAMS
from cube_array_scenes import DESKTOP_SCENES, SCENES, record
from gl_twin import Recording, compare
from recorded_scenes import agree, frame_of, recorded_or_skipped, resumed_at_last, trimmed
from verified import verified_run

from replay import formats
from replay.engine.engine import Engine
from replay.texture.layout import TextureLayout
from traceformat.cli.door import run
from traceformat.gles import enums as gl
from traceformat.gles.tracker import Tracker
from traceformat.gltrace.writer import TraceWriter
from traceformat.gputrace.frametrace import LINE_BYTES, MODEL_COLUMNS, VERIFY_COLUMNS, ColumnSet, MemoryMap

pytestmark = pytest.mark.gl
_QUESTIONS = ("mistakes", "asked")
_DRAWN = [name for name in SCENES if name not in _QUESTIONS]
#: sRGB and five bits a channel are filtered as octets here, and ellipses summed up in another order.
_ROUNDED = ("float_formats", "anisotropic")


def recorded(name: str) -> Recording:
    return recorded_or_skipped(record, name)


@pytest.mark.parametrize("name", [*SCENES, *DESKTOP_SCENES])
def test_scenes_are_those_of_mesa(name: str) -> None:
    calls = recorded(name).calls
    pictures = [call.outputs["pixels"] for call in calls if call.name == "glReadPixels"]
    if name not in _QUESTIONS:
        assert max(len(np.unique(np.frombuffer(picture, np.uint32))) for picture in pictures) > 60  # type: ignore[arg-type]
    assert compare(calls, tolerance=1.0 if name in _ROUNDED else 0.0) == []


@pytest.mark.parametrize("name", ["filters", "integers", "shadows", "look_ups", "in_vertices", "anisotropic", "images"])
def test_both_executors_record_the_same(name: str) -> None:
    agree(recorded(name))


def test_answers_are_those_of_mesa() -> None:
    tracker = Tracker(Engine(ColumnSet(())), remap=True)
    for call in recorded("asked").calls:
        tracker.execute(call)
        assert tracker.failure is None, f"{call.name}: {tracker.failure}"
        if call.name in ("glGetTexLevelParameteriv", "glGetIntegerv"):
            (ours,), (theirs,) = tracker.outputs.values(), call.outputs.values()
            assert ours[:4] == theirs[:4], call.args  # type: ignore[index]
        if call.name == "glGetActiveUniform":
            for key in ("size", "type"):
                assert tracker.outputs[key][:4] == call.outputs[key][:4]  # type: ignore[index]


def test_lines_are_those_of_an_array_of_faces() -> None:
    """Faces lie one behind the other, cube by cube, as the layers of an array do."""
    layout = TextureLayout.of(formats.format_of(gl.GL_RGBA8), [(16, 16, 18)])
    frame = frame_of(recorded("copies"))
    first = (int(frame["texture_bindings"]["address"][0]) - MemoryMap.TEXTURES) // LINE_BYTES
    face = (np.unique(frame["texture_lines"]["line"]).astype(np.int64) - first) // layout.levels[0].layer_lines
    assert face.min() == 0
    assert face.max() in (16, 17)
    assert len(set(face.tolist())) > 12


def test_state_is_kept_by_snapshots_and_trimming(tmp_path: Path) -> None:
    for name in ("filters", "blocks", "mutable", "images", "one_face"):
        again = resumed_at_last(recorded(name), "glDrawArrays")
        assert compare(again, tolerance=0.0) == [], name
    recording = recorded("one_face")
    last = max(k for k, call in enumerate(recording.calls) if call.name == "glDrawArrays")
    assert compare(trimmed(recording, tmp_path, f"{last}-{len(recording.calls)}"), tolerance=0.0) == []


@pytest.mark.parametrize("techniques", ["re+te", "vro"])
def test_techniques_leave_the_picture(techniques: str) -> None:
    frames = [
        frame_of(recorded(name), ColumnSet(MODEL_COLUMNS | VERIFY_COLUMNS))
        for name in ("copies", "all_faces", "copies")
    ]
    verified_run(frames, "mali450-vro" if techniques == "vro" else "mali450-re", techniques)


def test_commands_show_what_is_bound(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = tmp_path / "copies.gltrace"
    with TraceWriter(trace, {}) as writer:
        for call in recorded("copies").calls:
            writer.write_call(call)
    assert run(PROGRAMS["gputrace"], ["state", str(trace), "--frame", "0", "--draw", "0", "--json"]) == 0
    (bound,) = json.loads(capsys.readouterr().out)["textures"]
    assert (bound["target"], bound["size"]) == ("GL_TEXTURE_CUBE_MAP_ARRAY", [16, 16, 18])
    assert bound["type"] == "GL_SAMPLER_CUBE_MAP_ARRAY"
    out = tmp_path / "out"
    assert run(PROGRAMS["gputrace"], ["extract", str(trace), "--only", "textures", "-o", str(out)]) == 0
    assert len(list(out.rglob("*_layer*.png"))) >= 17
